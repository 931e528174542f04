"""What the user asks for: which column is what, how well people hide, by which method.

A `Plan` is frozen data, read from YAML, a dict or command-line options, and written back. All that is wrong
with one is said at once, with file, line and key. It knows neither tables nor ontologies: whether a column
or a concept exists is found out where it is looked up. Nothing else in the package imports pydantic.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from ontomask._marked_yaml import Fault, KeyPath, Written, read_marked, write_yaml
from ontomask._plan_messages import any_of, did_you_mean, explain, plan_error, unknown_key
from ontomask._plan_options import attributes_of_options
from ontomask.errors import PlanError
from ontomask.measures import MEASURES, Measure, measure
from ontomask.measures.base import Convention
from ontomask.ontology.catalog import ICD

__all__ = ["AttributePlan", "MethodPlan", "Plan", "Privacy", "TableSettings"]

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]
Kind = Literal["nominal", "numeric", "ordinal"]
Senses = Literal["coherent", "first", "explicit"]
MethodName = Literal[
    "recoding", "mdav", "s-mdav", "mdav-equality", "mdav-lcs", "sa-mdav", "resampling", "suppression"
]
Setting = Literal["semantic", "equality-mode", "wup-mode", "wup-lcs"]
Missing = Literal["own-class", "suppress-row", "error"]
Unmapped = Literal["error", "root", "own-leaf", "suppress"]

# How far apart values are (measure, convention, ic, combine, scale) is every method's: losses count by it.
_METHODS_WITH: dict[str, tuple[MethodName, ...]] = {
    "weighted": ("recoding", "sa-mdav", "resampling"),
    "static": ("sa-mdav",),
    "centroid": ("mdav", "s-mdav", "mdav-lcs", "sa-mdav", "resampling"),
    "h1": ("recoding",),
    "h2": ("recoding",),
    "distributional": ("recoding",),
    "setting": ("resampling",),
    "blank": ("suppression",),
}
_MEASURES_WITH = {
    key: tuple(name for name, kind in MEASURES.items() if hasattr(kind, key)) for key in ("convention", "ic")
}
_NOMINAL_ONLY = ("ontology", "under", "mapping", "senses")
_ONTOLOGY_NAMES = ("wordnet", *ICD)
_YAML_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


# ---------------------------------------------------------------------- types of values


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, (Written, PurePath)) else value


def _as_whole(value: Any) -> Any:
    return int(value) if isinstance(value, Written) and re.fullmatch(r"[-+]?[0-9]+", value) else value


def _as_number(value: Any) -> Any:
    if isinstance(value, Written):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _as_truth(value: Any) -> Any:
    return _YAML_TRUTH.get(value.lower(), value) if isinstance(value, Written) else value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _known_measure(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"must be {any_of(MEASURES)}, not {name!r}{did_you_mean(name, MEASURES)}")
    return name


def _known_encoding(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError(f"{name!r} is not an encoding; common ones are utf-8, latin-1, cp1252") from None
    return name


def _one_character(text: str) -> str:
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(text) != 1 or text in '"\r\n':
        raise ValueError(f"must be one character, such as ',' ';' or tab, not {text!r}")
    return text


def _positive_k(k: int) -> int:
    if k < 1:
        raise ValueError(f"must be 2 or more (1 asks for no protection), not {k}")
    return k


def _ranked(order: tuple[str, ...]) -> tuple[str, ...]:
    twice = [value for i, value in enumerate(order) if value in order[:i]]
    if twice:
        raise ValueError(f"has {twice[0]!r} twice")
    if len(order) < 2:
        raise ValueError("must have two values or more, lowest first")
    return order


Text = Annotated[str, BeforeValidator(_as_text)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_as_text)]
Whole = Annotated[int, BeforeValidator(_as_whole)]
Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_as_number)]
Truth = Annotated[bool, BeforeValidator(_as_truth)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_tuple)]


# ---------------------------------------------------------------------- the parts


class _Part(BaseModel):
    """A frozen mapping of settings that reports all its faults together, as a PlanError."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def __init__(self, /, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise plan_error(_faults_of(error), "", {}) from None

    # Parts inside a plan are built without this __init__, so that their faults reach the plan's report.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Build from a dict; `PlanError` if anything in it is wrong."""
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise plan_error(_faults_of(error), "", {}) from None

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        """Why `key` has no place beside the other settings; None if it has."""
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(key, what is wrong) for settings that do not go together; they may be of the wrong type."""
        return iter(())

    @model_validator(mode="wrap")
    @classmethod
    def _gather(cls, given: Any, build: ModelWrapValidatorHandler[Self]) -> Self:
        """A key without a value counts as not given; faults of all sorts are raised together."""
        faults: list[tuple[KeyPath, str, Any]] = []
        if given is None:
            given = {}
        if isinstance(given, dict):
            given = {k: v for k, v in given.items() if v is not None or k not in cls.model_fields}
            settings = {key: info.get_default() for key, info in cls.model_fields.items()} | given
            for key in given:
                if key not in cls.model_fields:
                    faults.append(((key,), unknown_key(key, cls.model_fields), given[key]))
                elif reason := cls.stray(key, settings):
                    faults.append(((key,), reason, given[key]))
            faults += [((key,), text, settings[key]) for key, text in cls.conflicts(settings)]
        try:
            part = build(given)
        except ValidationError as error:
            details = [one for one in error.errors() if one["type"] != "extra_forbidden"]
            faults += [(one["loc"], explain(one), one["input"]) for one in details]
        if faults:
            raise ValidationError.from_exception_data(
                cls.__name__,
                [
                    InitErrorDetails(
                        type=PydanticCustomError("plan", "{text}", {"text": text}), loc=path, input=value
                    )
                    for path, text, value in faults
                ],
            )
        return part

    @model_serializer(mode="wrap")
    def _settings_that_apply(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = dump(self)
        settings = {key: getattr(self, key) for key in type(self).model_fields}
        return {k: v for k, v in written.items() if v is not None and not self.stray(k, settings)}


class TableSettings(_Part):
    """How the table is to be read; what is None is found out."""

    separator: Annotated[Text, AfterValidator(_one_character)] | None = None
    encoding: Annotated[Name, AfterValidator(_known_encoding)] = "utf-8"
    na_values: Texts = ("", "NA", "?")
    sheet: Name | None = None
    """Sheet of a workbook."""
    table: Name | None = None
    """Table of a database file."""


class AttributePlan(_Part):
    """What a column is.

    >>> AttributePlan(role="quasi-identifier", ontology="wordnet").kind
    'nominal'
    """

    role: Role = "other"
    kind: Kind = "nominal"
    ontology: Name | None = None
    """Name of an ontology, or a path relative to the plan file."""
    under: Name | None = None
    """Only senses below this concept count."""
    mapping: Name | None = None
    """CSV of `value,concept`, relative to the plan file."""
    senses: Senses = "coherent"
    weight: Annotated[Number, Field(gt=0)] = 1.0
    order: Annotated[Texts, AfterValidator(_ranked)] | None = None
    """The values of an ordinal column, lowest first."""

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        role, kind = settings["role"], settings["kind"]
        if key != "role" and role == "other":
            if not settings.keys() <= cls.model_fields.keys():
                return None  # one of the unknown keys may be the role, misspelt
            return "without a role the column is left as it is; add role: quasi-identifier, or remove this"
        if key != "role" and role == "identifier":
            return "identifiers are dropped, so this has no effect; remove it"
        if key == "weight" and role == "confidential":
            return "only a quasi-identifier has a weight"
        if key in _NOMINAL_ONLY and kind in ("numeric", "ordinal"):
            return f"only kind: nominal has this, not {kind}"
        if key == "order" and kind in ("nominal", "numeric"):
            return f"only kind: ordinal has this, not {kind}"
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        masked = settings["role"] in ("quasi-identifier", "confidential")
        if masked and settings["kind"] == "ordinal" and settings["order"] is None:
            yield "order", "kind: ordinal needs its values, lowest first, such as order: [low, mid, high]"


class Privacy(_Part):
    """How well people hide: each shares their quasi-identifiers with k - 1 others at least."""

    k: Annotated[Whole, AfterValidator(_positive_k)] = 5


class MethodPlan(_Part):
    """How the table is masked. Options that are None are left to the method.

    >>> MethodPlan(name="recoding", static=True)
    Traceback (most recent call last):
    ontomask.errors.PlanError: static: an option of sa-mdav, not of recoding; remove it or change the method
    """

    name: MethodName = "sa-mdav"
    measure: Annotated[Name, AfterValidator(_known_measure)] = "logsc"
    convention: Convention | None = None
    """How path, lch and wup count links."""
    ic: Name | None = None
    """Information content of resnik, lin and jcn: `seco`, `sanchez`, or a count file beside the plan."""
    combine: Literal["mean", "euclidean"] | None = None
    scale: Literal["range", "zscore"] | None = None
    weighted: Truth | None = None
    """Distances count the records of the compared tuple."""
    static: Truth = False
    """Distance to a cluster's first tuple instead of to its moving centroid."""
    centroid: Literal["mean", "median"] | None = None
    """What stands for a group's numbers."""
    h1: Truth = True
    h2: Truth = True
    distributional: Truth = False
    setting: Setting = "semantic"
    blank: Truth = False
    """Empty the suppressed rows instead of dropping them."""

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        name, owners = settings["name"], _METHODS_WITH.get(key, get_args(MethodName))
        if name in get_args(MethodName) and name not in owners:
            return f"an option of {', '.join(owners)}, not of {name}; remove it or change the method"
        chosen, measures = settings["measure"], _MEASURES_WITH.get(key, tuple(MEASURES))
        if chosen in tuple(MEASURES) and chosen not in measures:
            return f"an option of {', '.join(measures)}, not of {chosen}; remove it or change the measure"
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if _as_truth(settings["distributional"]) is True and _as_truth(settings["h2"]) is False:
            yield "h2", "h2: false picks at random, distributional: true by counts; choose one"


# ---------------------------------------------------------------------- the plan


@dataclass(frozen=True)
class _Origin:
    """Where a plan came from. It does not make it another plan, so all origins are equal."""

    name: str = field(default="", compare=False)
    folder: Path = field(default=Path(), compare=False)
    lines: dict[KeyPath, int] = field(default_factory=dict, compare=False)


class Plan(_Part):
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
    attributes: dict[Name, AttributePlan] = {}
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
        ontomask.errors.PlanError: plan.yaml, line 1: privacy.k: must be 2 or more (1 asks for no
        protection), not 0
        """
        tree, lines, faults = read_marked(text)
        if tree is None and not faults:
            faults.append(Fault(0, (), "the plan is empty; `ontomask init TABLE` writes one to start from"))
        if tree is not None:
            try:
                plan: Self = cls.__pydantic_validator__.validate_python(tree)
            except ValidationError as error:
                faults += _faults_of(error)
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
            faults += _faults_of(error)
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

    def check_runnable(self) -> None:
        """`PlanError` if there is no quasi-identifier, so nothing to mask."""
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


def _faults_of(error: ValidationError) -> list[Fault]:
    return [
        Fault(0, tuple(step for step in one["loc"] if step != "[key]"), explain(one))
        for one in error.errors()
    ]
