"""The Plan: read from YAML, a dict or command-line options, written back, and asked by the pipeline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, ValidationError

from ontomask import errors
from ontomask.errors import PlanError
from ontomask.measures import Measure, measure
from ontomask.ontology.catalog import ICD
from ontomask.plan.marked_yaml import Fault, KeyPath, near_line, read_marked, write_yaml
from ontomask.plan.messages import did_you_mean, plan_error, unknown_key
from ontomask.plan.options import attributes_of_options
from ontomask.plan.parts import (
    AttributePlan,
    MethodPlan,
    Missing,
    Part,
    Privacy,
    Role,
    TableSettings,
    Unmapped,
    faults_of,
)
from ontomask.plan.values import Name, Whole

_ONTOLOGY_NAMES = ("wordnet", *ICD)


@dataclass(frozen=True)
class _Origin:
    """Where a plan came from. It does not make it another plan, so all origins are equal."""

    name: str = field(default="", compare=False)
    folder: Path = field(default=Path(), compare=False)
    lines: dict[KeyPath, int] = field(default_factory=dict, compare=False)


class Plan(Part):
    """What the user asks for. Everything has a default; columns not named are `other`.

    >>> plan = Plan.from_yaml('''
    ... attributes:
    ...   occupation: {role: quasi-identifier, ontology: wordnet, under: person}
    ...   age: {role: quasi-identifier, kind: numeric}
    ... privacy: {k: 5}
    ... ''')
    >>> plan.with_role("quasi-identifier")
    ('occupation', 'age')
    >>> plan.method.name, plan.privacy.k
    ('sa-mdav', 5)
    """

    table: TableSettings = TableSettings()
    attributes: dict[Name, AttributePlan] = Field(default_factory=dict)
    privacy: Privacy = Privacy()
    method: MethodPlan = MethodPlan()
    missing: Missing = "own-class"
    unmapped: Unmapped = "error"
    seed: Annotated[Whole, Field(ge=0)] = 0

    _origin: _Origin = PrivateAttr(default_factory=_Origin)

    # ------------------------------------------------------------------ reading

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan file; `PlanError` names every fault with its line."""
        path = Path(path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PlanError(f"{path}: the plan cannot be read ({error.strerror})") from None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise PlanError(f"{path.name}, line {line}: not UTF-8 text; save the plan as UTF-8") from None
        return cls.from_yaml(text, folder=path.parent, name=path.name)

    @classmethod
    def from_yaml(cls, text: str, *, folder: str | Path = ".", name: str = "") -> Self:
        """Read the text of a plan file; `folder` is what its paths are relative to.

        >>> Plan.from_yaml("privacy: {k: 0}", name="plan.yaml")
        Traceback (most recent call last):
        ontomask.errors.PlanError: plan.yaml, line 1: privacy.k: must be 1 or more (2 or more to protect
        anybody), not 0
        """
        tree, lines, faults = read_marked(text)
        if tree is None and not faults:
            faults.append(Fault(0, (), "the plan is empty; `ontomask init TABLE` writes one to start from"))
        if tree is not None:
            try:
                plan: Self = cls.__pydantic_validator__.validate_python(tree)
            except ValidationError as error:
                faults += faults_of(error)
        if faults:
            raise plan_error(faults, name, lines)
        plan._origin = _Origin(name, Path(folder), lines)
        return plan

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """Build from nested dicts with the keys of the plan file.

        >>> Plan.from_dict({"privacy": {"k": 3}}).privacy.k
        3
        """
        plan = cls.model_validate(dict(settings))
        plan._origin = _Origin(folder=Path(folder))
        return plan

    @classmethod
    def from_options(
        cls,
        qi: Iterable[str] = (),
        identifiers: Iterable[str] = (),
        confidential: Iterable[str] = (),
        *,
        k: int | None = None,
        method: str | None = None,
        under: Iterable[str] = (),
        mapping: Iterable[str] = (),
        senses: Iterable[str] = (),
        weight: Iterable[str] = (),
        **options: Any,
    ) -> Self:
        """What the command line can say without a file.

        Parameters
        ----------
        qi
            ``COLUMN``, or ``COLUMN:`` and an ontology, ``numeric``, or ``ordinal=low<mid<high``. The last
            colon counts, so a column name that has one ends in ``:`` if nothing follows.
        identifiers, confidential
            Columns.
        under, mapping, senses, weight
            ``COLUMN:VALUE`` each.
        options
            Any other setting of the table, the method or the plan by its name; None is the default.

        Examples
        --------
        >>> plan = Plan.from_options(["job:wordnet", "age:numeric"], k=3, method="recoding", seed=7)
        >>> print(plan.attributes["age"].kind, plan.method.name, plan.privacy.k, plan.seed)
        numeric recoding 3 7
        """
        per_column = {"under": under, "mapping": mapping, "senses": senses, "weight": weight}
        columns, faults = attributes_of_options(qi, identifiers, confidential, per_column)
        table: dict[str, Any] = {}
        how: dict[str, Any] = {"name": method}
        tree: dict[str, Any] = {"table": table, "attributes": columns, "privacy": {"k": k}, "method": how}
        places = dict.fromkeys(TableSettings.model_fields, table)
        places |= dict.fromkeys((key for key in MethodPlan.model_fields if key != "name"), how)
        places |= dict.fromkeys(("missing", "unmapped", "seed"), tree)
        for key, value in options.items():
            if key in places:
                places[key][key] = value
            else:
                faults.append(Fault(0, (key,), unknown_key(key, places, "option")))
        try:
            plan: Self = cls.__pydantic_validator__.validate_python(tree)
        except ValidationError as error:
            faults += faults_of(error)
        if faults:
            raise plan_error(faults, "", {})
        return plan

    def replace(self, **changes: Any) -> Self:
        """This plan with other settings; a section takes the keys given and keeps its others.

        >>> Plan().replace(privacy={"k": 10}, seed=7).privacy
        Privacy(k=10)
        """
        tree = self.model_dump(exclude_unset=True)
        for key, value in changes.items():
            both = isinstance(value, Mapping) and isinstance(tree.get(key), dict)
            tree[key] = tree[key] | dict(value) if both else value
        plan = type(self).model_validate(tree)
        plan._origin = self._origin
        return plan

    def with_method(self, name: str) -> Self:
        """This plan with another method; options that the other does not have are dropped.

        >>> Plan.from_options(["age:numeric"], static=True).with_method("recoding").method.name
        'recoding'
        """
        if name == self.method.name:
            return self
        asked = self.method.model_dump(exclude_unset=True) | {"name": name}
        settings = {key: getattr(self.method, key) for key in MethodPlan.model_fields} | {"name": name}
        method = {key: value for key, value in asked.items() if not MethodPlan.stray(key, settings)}
        plan = type(self).model_validate(self.model_dump(exclude_unset=True) | {"method": method})
        plan._origin = self._origin
        return plan

    def attributes_with(
        self,
        qi: Iterable[str] = (),
        identifiers: Iterable[str] = (),
        confidential: Iterable[str] = (),
        **per_column: Iterable[str],
    ) -> dict[str, Any]:
        """The attributes with what the command line says of them; see `from_options`."""
        known = {name: part.model_dump(exclude_unset=True) for name, part in self.attributes.items()}
        columns, faults = attributes_of_options(qi, identifiers, confidential, per_column, known)
        if faults:
            raise plan_error(faults, "", {})
        return columns

    # ------------------------------------------------------------------ writing

    def to_yaml(self) -> str:
        """The plan as a file, with every setting that applies; `from_yaml` gives the same plan back.

        >>> print(Plan.from_options(["age:numeric"]).to_yaml())
        table:
          encoding: utf-8
          na_values: ['', NA, '?']
        attributes:
          age: {role: quasi-identifier, kind: numeric, weight: 1.0}
        privacy: {k: 5}
        method: {name: sa-mdav, measure: logsc, static: false}
        missing: own-class
        unmapped: error
        seed: 0
        """
        return write_yaml(self.model_dump(mode="json"))

    @property
    def digest(self) -> str:
        """SHA-256 of all settings that apply, defaults included, columns in the order of the plan."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json")).encode()).hexdigest()

    # ------------------------------------------------------------------ using

    @property
    def folder(self) -> Path:
        """What the paths in the plan are relative to."""
        return self._origin.folder

    def path_of(self, relative: str | Path) -> Path:
        """A path of the plan, as seen from here."""
        return self.folder / Path(relative).expanduser()

    def ontology_source(self, ontology: str) -> str | Path:
        """What to give `load_ontology`: a known name as it is, anything else as a path of the plan."""
        return ontology if ontology in _ONTOLOGY_NAMES else self.path_of(ontology)

    def make_measure(self) -> Measure:
        """The measure that the plan names, with its options."""
        options: dict[str, Any] = {}
        if self.method.convention:
            options["convention"] = self.method.convention
        if ic := self.method.ic:
            options["ic"] = ic if ic in ("seco", "sanchez") else str(self.path_of(ic))
        return measure(self.method.measure, **options)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Columns of that role, in the order of the plan."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    @property
    def is_all_numeric(self) -> bool:
        """Whether every quasi-identifier is a number: then distances are euclidean over z-scores."""
        return all(self.attributes[name].kind == "numeric" for name in self.with_role("quasi-identifier"))

    def check_decided(self) -> None:
        """`PlanError` with every column of role `undecided`: nobody said what becomes of it."""
        undecided = [
            errors.Fault(
                "is undecided",
                file=self._origin.name,
                line=near_line(self._origin.lines, ("attributes", name, "role")),
                column=name,
                value="undecided",
                key=f"attributes.{name}.role",
                remedy="write identifier, quasi-identifier, confidential or other in its place",
            )
            for name in self.with_role("undecided")
        ]
        if undecided:
            raise PlanError(*undecided)

    def check_runnable(self) -> None:
        """`PlanError` if a column is undecided, or none is a quasi-identifier, so nothing to mask."""
        self.check_decided()
        if not self.with_role("quasi-identifier"):
            text = "no column has role: quasi-identifier, so there is nothing to mask; name one at least"
            raise self._error([Fault(0, ("attributes",), text)])

    def check_against(self, names: Sequence[str]) -> list[str]:
        """The columns of a table that the plan does not name; `PlanError` if it names one that is not there.

        >>> Plan.from_options(["age:numeric"]).check_against(["id", "age"])
        ['id']
        """
        absent = [
            Fault(0, ("attributes", name), f"the table has no such column{did_you_mean(name, names, names)}")
            for name in self.attributes
            if name not in names
        ]
        if absent:
            raise self._error(absent)
        return [name for name in names if name not in self.attributes]

    def _error(self, faults: list[Fault]) -> PlanError:
        return plan_error(faults, self._origin.name, self._origin.lines)
