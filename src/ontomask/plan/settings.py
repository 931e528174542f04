"""The keys of a plan: read from YAML, a dict or command-line options, changed, and written back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ontomask.errors import PlanError, did_you_mean
from ontomask.files import is_there, regular
from ontomask.methods import METHODS
from ontomask.options import Option, option, options_of
from ontomask.plan.attribute import AttributePlan, HierarchyPlan, ReleaseKind
from ontomask.plan.faults import Faults, KeyPath
from ontomask.plan.marked_yaml import read_marked, write_yaml
from ontomask.plan.options import merged, name_columns, set_key
from ontomask.plan.parts import LIMITS, MethodPlan, Part, Privacy, TableSettings
from ontomask.plan.sign_off import SignOff
from ontomask.plan.values import read_value
from ontomask.plan.versions import VERSION, upgraded
from ontomask.privacy import REQUIREMENTS

if TYPE_CHECKING:
    pass

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
class PlanSettings(Part):
    """The keys of a plan; what follows from them is asked of a `Plan`."""

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

        >>> from ontomask import Plan
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

        >>> from ontomask import Plan
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
        >>> from ontomask import Plan
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

        >>> from ontomask import Plan
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
            if key and equals and key.partition(".")[0] not in options_of(PlanSettings):
                faults.add((key,), "unknown key", _meant(key), setting)
            else:
                set_key(tree, setting, faults)
        return self._of(merged({}, tree), faults, self.origin)

    def replace(self, **changes: Any) -> Self:
        """This plan with other settings; a section takes the keys given, keeps its others, and loses None.

        >>> from ontomask import Plan
        >>> Plan().replace(privacy={"k": 10}, seed=7).privacy
        Privacy(k=10)
        >>> plan = Plan.from_options(["age:numeric", "job:wordnet"])
        >>> plan.replace(attributes={"age": None, "job": {"weight": 2}}).attributes
        {'job': AttributePlan(role='quasi-identifier', ontology='wordnet', weight=2.0)}
        """
        return self._of(merged(self.as_dict(only_given=True), changes), Faults(), self.origin)

    def with_method(self, name: str) -> Self:
        """This plan with another method; options that the other does not have are dropped.

        >>> from ontomask import Plan
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

        >>> from ontomask import Plan
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

        >>> from ontomask import Plan
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

        >>> from ontomask import Plan
        >>> plan = Plan.from_options(["age:numeric"]).replace(accept=["rare values: pay"])
        >>> signed = plan.replace(accepted_for=plan.asked_digest[:12])
        >>> signed.accepted, signed.replace(privacy={"k": 7}).accepted
        (('rare values: pay',), ())
        """
        is_of_this = self.accepted_for in (None, self.asked_digest[:12])
        return (self.accept or ()) if is_of_this else ()

    @property
    def folder(self) -> Path:
        """What the paths in the plan are relative to."""
        return self.origin.folder

    def path_of(self, relative: str | Path) -> Path:
        """A path of the plan, as seen from here."""
        try:
            return self.folder / Path(relative).expanduser()
        except RuntimeError:
            raise PlanError(
                f"{relative} starts with the home of nobody", remedy="write the path in full"
            ) from None


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
        for key in options_of(PlanSettings)
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
        did_you_mean(key, [*known, *by_last]).removeprefix("; ")
        or f"known are {', '.join(options_of(PlanSettings))}"
    )


def _told(place: str) -> str:
    """What everybody may read of a place: the last part of a path, of a URL nothing."""
    return "a table of a database" if "://" in place else Path(place).name
