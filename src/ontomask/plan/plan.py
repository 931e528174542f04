"""The Plan: read from YAML, a dict or command-line options, written back, and asked by the pipeline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ontomask.errors import PlanError, did_you_mean
from ontomask.files import is_there, regular
from ontomask.measures import MEASURES, Measure, measure
from ontomask.methods import METHODS
from ontomask.ontology import Ontology, load_ontology
from ontomask.ontology.catalog import NAMES as ONTOLOGY_NAMES
from ontomask.options import Option, option, options_of
from ontomask.plan.attribute import AttributePlan, HierarchyPlan, ReleaseKind, Role
from ontomask.plan.conflicts import conflicts_of, conflicts_without_k
from ontomask.plan.faults import Faults, KeyPath
from ontomask.plan.marked_yaml import read_marked, write_yaml
from ontomask.plan.options import merged, name_columns, set_key
from ontomask.plan.parts import DEFAULT_K, LIMITS, MethodPlan, Part, Privacy, TableSettings
from ontomask.plan.sign_off import SignOff
from ontomask.plan.values import read_value, shown
from ontomask.plan.versions import VERSION, upgraded
from ontomask.printable import some_of
from ontomask.privacy import REQUIREMENTS, KAnonymity, KnownValues, Requirement, least_size

if TYPE_CHECKING:
    from ontomask.tables import TableOptions
    from ontomask.tables.address import Place

Missing = Literal["own-class", "suppress-row", "error"]
Unmapped = Literal["error", "root", "own-leaf", "suppress"]
Others = Literal["error", "drop", "keep"]

_COLUMN_NAME = Option("column", str, "", "name of a column")


@dataclass(frozen=True)
class _Origin:
    """Where a plan came from. It does not make it another plan, so all origins are equal."""

    name: str = field(default="", compare=False)
    folder: Path = field(default=Path(), compare=False)
    lines: dict[KeyPath, int] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, init=False, repr=False)
class Plan(Part):
    """What the user asks for. Everything has a default, but every column of the table must be named.

    >>> plan = Plan.from_yaml('''
    ... attributes:
    ...   occupation: {role: quasi-identifier, ontology: wordnet, under: person}
    ...   age: {role: quasi-identifier, kind: numeric}
    ... privacy: {k: 5}
    ... ''')
    >>> plan.with_role("quasi-identifier")
    ('occupation', 'age')
    >>> plan
    <Plan: masks occupation, age; k = 5; sa-mdav by logsc>
    """

    version: int = option(VERSION, "of the plan's format; one that is newer than the program is refused")
    table: TableSettings = option(TableSettings(), "how the table is read", values="section")
    attributes: Mapping[str, AttributePlan] = option(
        {}, "what each column is", values="section", otherwise="none"
    )
    privacy: Privacy = option(Privacy(), "how well people hide", values="section")
    method: MethodPlan = option(MethodPlan(), "how the table is masked", values="section")
    release: ReleaseKind | None = option(
        None,
        "whether a group is given what is central to its values, or what is true of each of them; a column "
        "may say otherwise; [which](../explanation/methods.md#central-or-truthful)",
        otherwise="`central`; methods that write only what is true are `truthful`",
    )
    together: tuple[tuple[str, ...], ...] | None = option(
        None,
        "columns that say the same: the first is masked, the others follow it with role: other (written as "
        "far as what it became tells them), or are dropped with role: identifier",
        values="list of columns, such as `[age, age_group]`, or several of them",
        otherwise="none",
    )
    others: Others = option(
        "error",
        "columns that the plan does not name: the run refuses and lists them; they are dropped; they are "
        "released as they are",
    )
    missing: Missing = option(
        "own-class",
        "a row with a missing quasi-identifier: it counts as a value of its own; the row is dropped; the run "
        "stops",
    )
    unmapped: Unmapped = option(
        "error",
        "a word without a concept: the run stops with the list; it counts as the root; as a new concept "
        "below the root, which is written only if k rows have the word; as missing",
    )
    seed: int = option(0, "for methods that draw at random", least=0)
    shuffle: bool | None = option(
        None,
        "whether the released rows are put in an order that follows from what they say and the seed alone, "
        "so that it tells nothing of the original",
        otherwise="`false`: the order of the table",
    )

    accept: tuple[str, ...] | None = option(
        None,
        "warnings that somebody looked at and accepted, by name; where this is given, a run that warns of "
        "anything else writes nothing; [how to](../how-to/report.md#accepting-warnings)",
        values="list of names, `[]` for none",
        otherwise="a run warns and writes",
    )
    accepted_for: str | None = option(
        None,
        "what the plan asked for when its warnings were accepted, as the first 12 characters of "
        "`Plan.asked_digest`; once it asks for anything else, none of them counts as accepted",
        values="12 hexadecimal digits",
        otherwise="`accept` holds whatever the plan asks for",
    )
    sign_off: SignOff | None = option(
        None, "what the report tells who signs the release", values="section", otherwise="none"
    )

    origin: _Origin = _Origin()

    # ------------------------------------------------------------------ reading

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan file; `PlanError` names every fault with its line."""
        path = Path(path)
        try:
            content = regular(path).read_bytes()
        except OSError as error:
            raise PlanError(f"the plan cannot be read ({error.strerror})", file=str(path)) from None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise PlanError(
                "not UTF-8 text", file=path.name, line=line, remedy="save the plan as UTF-8"
            ) from None
        return cls.from_yaml(text, folder=path.parent, name=path.name)

    @classmethod
    def from_yaml(cls, text: str, *, folder: str | Path = ".", name: str = "") -> Self:
        """Read the text of a plan file; `folder` is what its paths are relative to.

        >>> Plan.from_yaml("privacy: {k: 0}", name="plan.yaml")
        Traceback (most recent call last):
        ontomask.errors.PlanError: plan.yaml, line 1: privacy.k: must be 1 or more (2 or more to protect
        anybody), not 0
        """
        faults = Faults(name)
        tree = read_marked(text, faults)
        if tree is None and not faults:
            faults.add((), "the plan is empty", "`ontomask init TABLE` writes one to start from")
        return cls._of(tree, faults, _Origin(name, Path(folder), faults.lines))

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """Build from nested dicts with the keys of the plan file.

        >>> Plan.from_dict({"privacy": {"k": 3}}).privacy.k
        3
        """
        return cls._of(settings, Faults(), _Origin(folder=Path(folder)))

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
        hierarchy: Iterable[str] = (),
        **options: Any,
    ) -> Self:
        """What can be said in a line, without a file.

        Parameters
        ----------
        qi
            ``COLUMN``, or ``COLUMN:`` and an ontology, ``numeric``, ``date``, or ``ordinal=low<mid<high``.
            The last colon counts, so a column name that has one ends in ``:`` if nothing follows.
        identifiers, confidential
            Columns.
        under, mapping, hierarchy
            ``COLUMN:VALUE`` each.
        options
            Any other setting of the table, the method or the plan by its name; None is the default.

        Examples
        --------
        >>> plan = Plan.from_options(["job:wordnet", "age:numeric"], k=3, method="recoding", seed=7)
        >>> print(plan.attributes["age"].kind, plan.method.name, plan.privacy.k, plan.seed)
        numeric recoding 3 7
        """
        faults = Faults()
        tree: dict[str, Any] = {"privacy": {"k": k}, "method": {"name": method}}
        per_column = {"under": under, "mapping": mapping, "hierarchy": hierarchy}
        name_columns(tree, qi, identifiers, confidential, per_column, faults)
        places = {key.rpartition(".")[2]: key for key in dotted_keys() if not key.startswith("privacy.")}
        for key, value in options.items():
            if key not in places:
                faults.unknown((key,), places, value)
            elif "." in places[key]:
                tree.setdefault(places[key].partition(".")[0], {})[key] = value
            else:
                tree[key] = value
        return cls._of(tree, faults, _Origin())

    def with_options(
        self,
        qi: Iterable[str] = (),
        identifiers: Iterable[str] = (),
        confidential: Iterable[str] = (),
        *,
        method: str | None = None,
        under: Iterable[str] = (),
        mapping: Iterable[str] = (),
        hierarchy: Iterable[str] = (),
        settings: Iterable[str] = (),
    ) -> Self:
        """This plan with what the command line says beside it.

        A column that is named anew has only what is said of it; `method` is as in `with_method`, and each of
        `settings` is KEY=VALUE for any key of the plan.

        >>> plan = Plan().with_options(["age:numeric"], settings=["privacy.k=3", "attributes.age.weight=2"])
        >>> plan.privacy.k, plan.attributes["age"].weight
        (3, 2.0)
        """
        faults = Faults()
        tree = (self.with_method(method) if method else self).as_dict(only_given=True)
        per_column = {"under": under, "mapping": mapping, "hierarchy": hierarchy}
        name_columns(tree, qi, identifiers, confidential, per_column, faults)
        for setting in settings:
            key, equals, _ = (part.strip() for part in setting.partition("="))
            if key and equals and key.partition(".")[0] not in options_of(Plan):
                faults.add((key,), "unknown key", _meant(key), setting)
            else:
                set_key(tree, setting, faults)
        return self._of(merged({}, tree), faults, self.origin)

    def replace(self, **changes: Any) -> Self:
        """This plan with other settings; a section takes the keys given, keeps its others, and loses None.

        >>> Plan().replace(privacy={"k": 10}, seed=7).privacy
        Privacy(k=10)
        >>> plan = Plan.from_options(["age:numeric", "job:wordnet"])
        >>> plan.replace(attributes={"age": None, "job": {"weight": 2}}).attributes
        {'job': AttributePlan(role='quasi-identifier', ontology='wordnet', weight=2.0)}
        """
        return self._of(merged(self.as_dict(only_given=True), changes), Faults(), self.origin)

    def with_method(self, name: str) -> Self:
        """This plan with another method; options that the other does not have are dropped.

        >>> Plan.from_options(["age:numeric"], static=True).with_method("recoding").method.name
        'recoding'
        """
        if name == self.method.name or name not in METHODS:
            return self.replace(method={"name": name})
        tree = self.as_dict(only_given=True)
        asked = tree.get("method", {}) | {"name": name}
        kept = {key: value for key, value in asked.items() if key in MethodPlan.known_to(name)}
        for key in dict(MethodPlan.read(kept, (), Faults()).conflicts()):
            kept.pop(key, None)
        if "privacy" in tree and not METHODS[name].may_suppress:
            tree["privacy"] = {key: value for key, value in tree["privacy"].items() if key != "suppress"}
        if METHODS[name].is_truthful:
            for settings in (tree, *tree.get("attributes", {}).values()):
                settings.pop("release", None)
        return self._of(tree | {"method": kept}, Faults(), self.origin)

    @classmethod
    def _of(cls, tree: Any, faults: Faults, origin: _Origin) -> Self:
        plan = cls.__new__(cls)
        if tree is not None:
            plan._read(tree, (), faults)
        faults.raise_any()
        object.__setattr__(plan, "origin", origin)
        return plan

    def _read(self, given: Any, path: KeyPath, faults: Faults) -> None:
        tree = upgraded(self._mapping(given, path, faults), faults)
        if tree is not None:
            super()._read(tree, path, faults)

    def _value(self, one: Option, value: Any, path: KeyPath, faults: Faults) -> Any:
        if one.name != "attributes":
            return super()._value(one, value, path, faults)
        columns = self._mapping(value, path, faults)
        return {
            read_value(_COLUMN_NAME, name, (*path, name), faults): AttributePlan.read(
                settings, (*path, name), faults
            )
            for name, settings in columns.items()
        }

    def conflicts(self) -> Iterator[tuple[str, str]]:
        return conflicts_of(self)

    def certain_conflicts(self) -> Iterator[tuple[str, str]]:
        return conflicts_without_k(self)

    # ------------------------------------------------------------------ writing

    def as_dict(self, only_given: bool = False) -> dict[str, Any]:
        tree = super().as_dict(only_given)
        if "attributes" in tree:
            tree["attributes"] = {name: one.as_dict(only_given) for name, one in self.attributes.items()}
        if "privacy" in tree and not self.method.own.has_groups:
            tree["privacy"].pop("k", None)  # it was not given, and means nothing
        return tree

    def as_asked(self, only_given: bool = False) -> dict[str, Any]:
        """`as_dict` without what people say of a release and what does not change it: accepted warnings, and
        what who signs is told."""
        tree = self.as_dict(only_given)
        said_of_it = ("accept", "accepted_for", "sign_off")
        return {key: value for key, value in tree.items() if key not in said_of_it}

    def to_yaml(self) -> str:
        """The plan as a file, with every setting that applies; `from_yaml` gives the same plan back.

        >>> print(Plan.from_options(["age:numeric"]).to_yaml())
        version: 1
        table:
          na_values: ['', NA, '?']
        attributes:
          age: {role: quasi-identifier, kind: numeric, weight: 1.0}
        privacy: {k: 5}
        method: {name: sa-mdav, measure: logsc, blank: false, weighted: false, static: false}
        others: error
        missing: own-class
        unmapped: error
        seed: 0
        """
        return write_yaml(self.as_dict())

    def as_public_dict(self) -> dict[str, Any]:
        """All settings that apply, for everybody to read: of paths only the last part.

        >>> plan = Plan.from_options(["job:/home/ann/jobs.yaml"])
        >>> plan.as_public_dict()["attributes"]["job"]["ontology"]
        'jobs.yaml'
        """
        tree = self.as_dict()
        for settings, key in self._paths_in(tree):
            named = settings[key]
            settings[key] = _told(named) if isinstance(named, str) else [_told(one) for one in named]
        tree["privacy"].pop("key_file", None)  # where the key lies is nobody's business
        tree["table"].pop("master", None)  # nor which cluster it was
        tree.pop("sign_off", None)  # it names people of the house
        return tree

    def files(self) -> list[Path]:
        """Files and folders that the plan names and that are there, and its own file."""
        own = [self.folder / self.origin.name] if self.origin.name else []
        named = [settings[key] for settings, key in self._paths_in(self.as_dict())]
        each = [one for some in named for one in ([some] if isinstance(some, str) else some)]
        there = [self.path_of(one) for one in each if "://" not in one]
        return [*own, *(path for path in there if is_there(path))]

    def _paths_in(self, tree: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
        """The sections of a plan as data that name a file, or several, each with the key that does."""
        columns = tree.get("attributes", {}).values()
        sections = [
            *((options_of(AttributePlan), one) for one in columns),
            *((options_of(HierarchyPlan), one["hierarchy"]) for one in columns if "hierarchy" in one),
            (MethodPlan.known_to(self.method.name), tree["method"]),
        ]
        if isinstance(population := tree["privacy"].get("k_map"), dict):
            yield population, "population"
        if "key_file" in tree["privacy"]:
            yield tree["privacy"], "key_file"
        for declared, settings in sections:
            yield from ((settings, key) for key, one in declared.items() if one.is_path and settings.get(key))

    @property
    def digest(self) -> str:
        """SHA-256 of `as_public_dict`: what is asked for, wherever the files that it names lie."""
        return hashlib.sha256(json.dumps(self.as_public_dict()).encode()).hexdigest()

    @property
    def asked_digest(self) -> str:
        """SHA-256 of `as_asked`: the same for plans that give the same release."""
        return hashlib.sha256(json.dumps(self.as_asked(), default=str).encode()).hexdigest()

    @property
    def accepted(self) -> tuple[str, ...]:
        """The warnings that count as accepted: those of `accept`, unless it was said of another plan.

        >>> plan = Plan.from_options(["age:numeric"]).replace(accept=["rare values: pay"])
        >>> signed = plan.replace(accepted_for=plan.asked_digest[:12])
        >>> signed.accepted, signed.replace(privacy={"k": 7}).accepted
        (('rare values: pay',), ())
        """
        is_of_this = self.accepted_for in (None, self.asked_digest[:12])
        return (self.accept or ()) if is_of_this else ()

    def __repr__(self) -> str:
        masked = self.with_role("quasi-identifier")
        names = ", ".join(masked[:4]) + (f" and {len(masked) - 4} more" if len(masked) > 4 else "")
        asked = ", ".join(map(str, self.requirements())) or self.promised
        return f"<Plan: masks {names or 'nothing'}; {asked}; {self.method.name} by {self.method.measure}>"

    # ------------------------------------------------------------------ using

    @property
    def folder(self) -> Path:
        """What the paths in the plan are relative to."""
        return self.origin.folder

    def place_of(self, relative: str) -> Place:
        """Where a table of the plan is: an address, or a path as seen from here."""
        from ontomask.tables.address import place_of

        return place_of(relative) if "://" in relative else self.path_of(relative)

    def path_of(self, relative: str | Path) -> Path:
        """A path of the plan, as seen from here."""
        try:
            return self.folder / Path(relative).expanduser()
        except RuntimeError:
            raise PlanError(
                f"{relative} starts with the home of nobody", remedy="write the path in full"
            ) from None

    def ontology_source(self, ontology: str) -> str | Path:
        """What to give `load_ontology`: a known name as it is, anything else as a path of the plan."""
        return ontology if ontology in ONTOLOGY_NAMES else self.path_of(ontology)

    def meaning_of(self, settings: AttributePlan) -> Ontology:
        """The ontology that a column names, WordNet if none, with the labels that it asks for."""
        labels = None if settings.labels is None else self.path_of(settings.labels)
        return load_ontology(self.ontology_source(settings.ontology or "wordnet"), labels=labels)

    def table_options(self) -> TableOptions:
        """How a table is to be read, as far as that is not a matter of single values."""
        from ontomask.tables import TableOptions

        known = {one.name for one in fields(TableOptions)}
        asked = {key: value for key, value in self.table.as_dict().items() if key in known}
        own = {name: one.na_values for name, one in self.attributes.items() if one.na_values is not None}
        return TableOptions(**asked, na_of=own)

    def na_values_of(self, column: str) -> tuple[str, ...]:
        """What means no value in a column.

        >>> plan = Plan.from_options(["age:numeric"])
        >>> plan.replace(attributes={"age": {"na_values": ["99"]}}).na_values_of("age")
        ('', '99')
        """
        own = self.attributes[column].na_values if column in self.attributes else None
        return self.table.na_values if own is None else own

    def requirements(self) -> list[Requirement]:
        """What the release must satisfy: what is asked, unless the method promises none of it."""
        return self.asked() if self.method.own.gives_k else []

    def asked(self) -> list[Requirement]:
        """What groups are formed by."""
        if not self.method.own.has_groups:
            return []
        confidential = self.with_role("confidential")
        bound = [one for asked in self.privacy.requirements for one in asked.over(confidential)]
        if not self.method.own.judges_sets:
            return bound
        n_masked = len(self.with_role("quasi-identifier"))
        return [one.on_sets_of(n_masked) for one in bound]

    def needed(self) -> tuple[str, ...]:
        """Columns that requirements and the method look at beside the masked ones, each once."""
        asked = [name for one in self.requirements() for name in one.needs]
        return tuple(dict.fromkeys([*asked, *self.method.own.needs]))

    @property
    def least_size(self) -> int:
        """The fewest rows of a class that satisfies all requirements: k, if that is what is asked for."""
        return least_size(self.privacy.requirements)

    @property
    def promises_k(self) -> bool:
        """Whether no row of a release stands alone, which is checked."""
        return least_size(self.requirements()) > 1

    @property
    def promised(self) -> str:
        """What is promised in words, where that is not k: what LKC alone asks for, or nothing."""
        name = self.method.name
        if not self.method.own.gives_k:
            options = " with these options" if METHODS[name]().gives_k else ""
            return f"no k-anonymity, as {name}{options} gives none"
        if self.promises_k:
            return ""
        return next((one.promises for one in self.requirements() if one.promises), "")

    @property
    def least_told(self) -> int:
        """How many rows must share what is told or written by name: k or K; the default k if none is."""
        is_asked = any(isinstance(one, (KAnonymity, KnownValues)) for one in self.privacy.requirements)
        return self.least_size if is_asked else max(self.least_size, DEFAULT_K)

    def least_rows_told(self, most: int) -> int:
        """How many rows must share what is told, so that `least_told` people do: nobody has more than `most`.

        ``(k - 1) r + 1`` rows are of k people at least, none of whom has more than one row in k - 1. r is
        `most` taken up to a power of two, as `most` is somebody's own number.

        >>> Plan.from_options(["age:numeric"], k=5).least_rows_told(6)
        33
        """
        return (self.least_told - 1) * self.rows_of_one(most) + 1

    @staticmethod
    def rows_of_one(most: int) -> int:
        """How many rows anybody may have, if nobody has more than `most`, which is somebody's own number.

        >>> Plan.rows_of_one(6)
        8
        """
        return 1 << (most - 1).bit_length()

    def make_measure(self, name: str | None = None) -> Measure:
        """The measure that the plan names, or one by its name, with those options of the plan that it has."""
        name = name or self.method.measure
        ic = self.method.ic
        asked = {
            "convention": self.method.convention,
            "ic": ic if ic in ("seco", "sanchez", None) else str(self.path_of(ic)),
        }
        has = MEASURES[name]
        return measure(name, **{key: v for key, v in asked.items() if v is not None and hasattr(has, key)})

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Columns of that role, in the order of the plan."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    def is_truthful(self, column: str) -> bool:
        """Whether a column is released as what is true of every person, not as what is central to a group.

        >>> Plan.from_options(["age:numeric"], release="truthful").is_truthful("age")
        True
        """
        one = self.attributes[column]
        # What is cut off or rounded is not true, though the method does no more to it.
        return (one.release or self.release) == "truthful" or (
            self.method.own.is_truthful and not one.is_coded
        )

    @property
    def followers(self) -> dict[str, str]:
        """The columns that are released as their key tells them, each with that key."""
        return {
            name: key
            for key, *others in self.together or ()
            for name in others
            if self.attributes[name].role == "other"
        }

    @property
    def is_all_numeric(self) -> bool:
        """Whether every quasi-identifier is a number: then distances are euclidean over z-scores."""
        return all(self.attributes[name].kind == "numeric" for name in self.with_role("quasi-identifier"))

    def check_decided(self) -> None:
        """`PlanError` with every column of role `undecided`: nobody said what becomes of it."""
        faults = self._faults()
        for name in self.with_role("undecided"):
            remedy = "write identifier, quasi-identifier, confidential or other in its place"
            faults.add(("attributes", name, "role"), "is undecided", remedy, "undecided", column=name)
        faults.raise_any()

    def check_runnable(self) -> None:
        """`PlanError` if a column is undecided, or none is a quasi-identifier, so nothing to mask."""
        self.check_decided()
        if not self.with_role("quasi-identifier"):
            faults = self._faults()
            text = "no column has role: quasi-identifier, so there is nothing to mask"
            faults.add(("attributes",), text, "name one at least")
            faults.raise_any()

    def check_against(self, names: Sequence[str]) -> list[str]:
        """The columns of a table that the plan does not name.

        `PlanError` if it names one that is not there, or if nobody said what becomes of the others.

        >>> Plan.from_options(["age:numeric"], others="keep").check_against(["id", "age"])
        ['id']
        """
        faults = self._faults()
        for name in self.attributes:
            if name not in names:
                remedy = did_you_mean(name, names, names).removeprefix("; ")
                faults.add(("attributes", name), "the table has no such column", remedy, name)
        others = [name for name in names if name not in self.attributes]
        if others and self.others == "error":
            faults.add(
                ("attributes",),
                f"nobody decided what becomes of {some_of([*map(repr, others)])}",
                "give each a role (role: other releases a column as it is), or say for all of them "
                "others: drop or others: keep (--others on the command line)",
            )
        faults.raise_any()
        return others

    def _faults(self) -> Faults:
        return Faults(self.origin.name, self.origin.lines)


def as_plan(plan: Plan | Mapping[str, Any] | str | Path) -> Plan:
    """A plan given as such, as nested dicts, or as the path of its file.

    >>> as_plan({"privacy": {"k": 3}}).privacy.k
    3
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return Plan.from_dict(plan)
    if isinstance(plan, (str, Path)):
        return Plan.load(plan)
    raise PlanError(f"a plan is a Plan, a dict or the path of a file, not {shown(plan)}")


def dotted_keys() -> list[str]:
    """Every key of a plan but those of its columns, such as `method.static`.

    >>> [key for key in dotted_keys() if key.startswith("privacy")][:3]
    ['privacy.k', 'privacy.l', 'privacy.t']
    """
    sections: dict[str, Iterable[str]] = {
        "table": options_of(TableSettings),
        "privacy": [*REQUIREMENTS, *LIMITS],
        "method": MethodPlan.known_to(""),
        "sign_off": options_of(SignOff),
    }
    return [
        dotted
        for key in options_of(Plan)
        if key != "attributes"
        for dotted in ([f"{key}.{one}" for one in sections[key]] if key in sections else [key])
    ]


def _meant(key: str) -> str:
    """What was perhaps meant by a key outside the sections: the same key of one, or a similar one."""
    known = dotted_keys()
    same = [one for one in known if one.rpartition(".")[2] == key.rpartition(".")[2]]
    if same:
        return f"did you mean {same[0]!r}?"
    by_last = {one.rpartition(".")[2]: one for one in known}
    return (
        did_you_mean(key, [*known, *by_last]).removeprefix("; ") or f"known are {', '.join(options_of(Plan))}"
    )


def _told(place: str) -> str:
    """What everybody may read of a place: the last part of a path, of a URL nothing."""
    return "a table of a database" if "://" in place else Path(place).name
