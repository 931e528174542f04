"""The sections of a plan but the columns: frozen settings that report all their faults together.

The options of methods and the requirements of privacy are declared where they are implemented; here is only
how they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from ontomask.attributes.space import Combine
from ontomask.measures import MEASURES
from ontomask.measures.base import Convention
from ontomask.methods import METHODS, Method
from ontomask.numerals import DecimalMark
from ontomask.options import Option, option, options_of
from ontomask.plan.faults import Faults, KeyPath
from ontomask.plan.values import (
    known_encoding,
    known_measure,
    known_method,
    natural,
    one_character,
    read_value,
    share,
    shown,
    thousands_mark,
    with_empty,
)
from ontomask.privacy import REQUIREMENTS, KAnonymity, KnownValues, Requirement

DEFAULT_K = 5
_DEFAULT_METHOD = "sa-mdav"


@dataclass(frozen=True, init=False, repr=False)
class Part:
    """A frozen mapping of settings, declared as options, that reports all its faults as one PlanError."""

    given: frozenset[str] = field(default=frozenset(), compare=False)
    """The keys that were given; the others have their defaults."""

    def __init__(self, /, **settings: Any) -> None:
        faults = Faults()
        self._read(settings, (), faults)
        faults.raise_any()

    @classmethod
    def read(cls, given: Any, path: KeyPath, faults: Faults) -> Self:
        """Build from a mapping; what is wrong is added to the faults, and defaults stand in its place."""
        part = cls.__new__(cls)
        part._read(given, path, faults)
        return part

    def why_not(self, key: str, settings: Mapping[str, Any]) -> str | None:
        """Why `key` has no place beside the other settings (of any type, yet unread); None if it has."""
        return None

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """(key, what is wrong) for settings that do not go together."""
        return iter(())

    def certain_conflicts(self) -> Iterator[tuple[str, str]]:
        """Those of them that can be told although other settings are wrong, and have their defaults."""
        return iter(())

    def as_dict(self, only_given: bool = False) -> dict[str, Any]:
        """The settings that apply, in the form of the plan file: all, or only those that were given."""
        settings = self._settings()
        return {
            key: value.as_dict(only_given) if isinstance(value, Part) else value
            for key, value in settings.items()
            if value is not None and not self.why_not(key, settings) and (key in self.given or not only_given)
        }

    def __repr__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.as_dict(only_given=True).items())
        return f"{type(self).__name__}({given})"

    # ------------------------------------------------------------------ reading

    def _read(self, given: Any, path: KeyPath, faults: Faults) -> None:
        given = self._mapping(given, path, faults)
        known = self._known(given)
        given = {key: value for key, value in given.items() if value is not None or key not in known}
        settings = {key: one.default for key, one in known.items()} | given
        for key, value in given.items():
            if key not in known:
                self._refuse(key, given, path, faults)
            elif reason := self.why_not(key, settings):
                faults.because((*path, key), reason, value)
        unread = len(faults)
        for key in [key for key in given if key in known]:
            settings[key] = self._value(known[key], given[key], (*path, key), faults)
        self._keep(settings, frozenset(given))
        # Whether settings go together is judged where each can be read, or is certain all the same.
        for key, text in self.conflicts() if len(faults) == unread else self.certain_conflicts():
            faults.because((*path, key), text, settings[key])

    def _mapping(self, given: Any, path: KeyPath, faults: Faults) -> dict[Any, Any]:
        """The settings as a dict; a key without a value counts as an empty section."""
        if isinstance(given, Part):
            return given.as_dict(only_given=True)
        if given is not None and not isinstance(given, Mapping):
            faults.add(
                path, f"must hold settings (`key: value`), not {shown(given) if path else _kind_of(given)}"
            )
        return dict(given) if isinstance(given, Mapping) else {}

    def _known(self, given: Mapping[Any, Any]) -> dict[str, Option]:
        """The options there are, as far as that follows from what is given."""
        return options_of(type(self))

    def _refuse(self, key: Any, given: Mapping[Any, Any], path: KeyPath, faults: Faults) -> None:
        """Note a key that is not known here."""
        faults.unknown((*path, key), self._known(given), given[key])

    def _value(self, one: Option, value: Any, path: KeyPath, faults: Faults) -> Any:
        if isinstance(one.kind, type) and issubclass(one.kind, Part):
            return one.kind.read(value, path, faults)
        return read_value(one, value, path, faults)

    def _keep(self, settings: Mapping[str, Any], given: frozenset[str]) -> None:
        for key in options_of(type(self)):
            object.__setattr__(self, key, settings[key])
        object.__setattr__(self, "given", given)

    def _settings(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in options_of(type(self))}


@dataclass(frozen=True, init=False, repr=False)
class TableSettings(Part):
    """How the table is to be read; what is None is found out."""

    separator: str | None = option(
        None,
        "between the fields of a delimited text file",
        check=one_character,
        values="one character, or `tab`",
        otherwise="found out",
    )
    encoding: str | None = option(
        None,
        "of a delimited text file, and of its release",
        check=known_encoding,
        values="name of an encoding",
        otherwise="found out",
    )
    decimal: DecimalMark | None = option(
        None,
        "mark before the decimals of numbers that are texts; a column may say otherwise",
        values="`.` or `,`",
        otherwise="found out for each column",
    )
    thousands: str | None = option(
        None,
        "mark between the thousands of numbers that are texts; a column may say otherwise",
        check=thousands_mark,
        values="`,`, `.`, a blank, `'` or `none`",
        otherwise="found out for each column",
    )
    na_values: tuple[str, ...] = option(
        ("", "NA", "?"),
        "what means “no value”; an empty cell always does; a column may say otherwise",
        check=with_empty,
    )
    header_row: int | None = option(
        None,
        "line of a text file, or row of a sheet, that has the column names; what stands above it is not "
        "released",
        least=1,
        otherwise="the first",
    )
    sheet: str | None = option(None, "sheet of a workbook", otherwise="the first")
    table: str | None = option(
        None,
        "table of a DuckDB file; it must be named if there are several",
        otherwise="the only one",
    )
    values: Literal["labels", "codes"] | None = option(
        None,
        "what is read in files of Stata, SPSS and SAS where all values of a variable have labels",
        otherwise="`labels`",
    )
    engine: Literal["auto", "memory", "duckdb", "spark"] | None = option(
        None,
        "what reads and writes the table: DuckDB for folders and patterns of Parquet files, DuckDB files, "
        "Parquet beyond 32 MB and text beyond 2 GB, else memory",
        otherwise="`auto`",
    )
    master: str | None = option(
        None,
        "the cluster that Spark runs on, such as `local[4]` or `spark://host:7077`",
        otherwise="what Spark is configured for, or all cores of this machine",
    )


@dataclass(frozen=True)
class Limit:
    """What a publisher says beside the requirements: how its value is read, its words, and an example."""

    read: Callable[[Any], Any]
    words: str
    example: str


def _column_name(value: Any) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise ValueError(f"must be the name of a column, not {value!r}")
    return str(value)


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"must be the path of a file, not {value!r}")
    return value


LIMITS = {
    "unit": Limit(
        _column_name,
        "the column that tells whose row it is, where people have several: k then counts people; it is not "
        "released if its role is `identifier`, and written as a pseudonym if that is its role",
        "patient_id",
    ),
    "key_file": Limit(
        _path,
        "the file that holds the secret key of pseudonyms, 16 bytes at least; by default the variable "
        "`ONTOMASK_KEY` has it",
        "secret.key",
    ),
    "suppress": Limit(
        share, "how many rows may be left out to meet requirements and limits; by default none", "2%"
    ),
}


@dataclass(frozen=True, init=False, repr=False)
class Privacy(Part):
    """How well people hide: the registered requirements by their keys; k is 5 if there is none.

    `suppress` is the share of the rows that may be left out for it; `unit` the column that k counts by;
    `key_file` has the key of pseudonyms.

    >>> Privacy(k=3).requirements
    (KAnonymity(k=3, unit=None),)
    >>> Privacy(unit="patient", l={"illness": 2}, k=4).requirements[1]
    KAnonymity(k=4, unit='patient')
    >>> Privacy(suppress="2%").suppress
    0.02
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = field(default=(), compare=False)
    suppress: float = field(default=0.0, compare=False)
    unit: str | None = field(default=None, compare=False)
    key_file: str | None = field(default=None, compare=False)

    @property
    def k(self) -> int | None:
        """How many people share their masked values at least; None if only other requirements are given."""
        return self.settings.get("k")

    def _read(self, given: Any, path: KeyPath, faults: Faults) -> None:
        given = {key: v for key, v in self._mapping(given, path, faults).items() if v is not None}
        asked = natural(given)
        limits = {key: asked.pop(key) for key in LIMITS if key in asked}
        settings = asked or {"k": DEFAULT_K}
        found: list[Requirement] = []
        for key in [key for key in settings if key not in REQUIREMENTS]:
            faults.unknown((*path, key), [*REQUIREMENTS, *LIMITS], given[key])
        for key in [key for key in settings if key in REQUIREMENTS]:
            try:
                found += REQUIREMENTS[key].parse(settings[key])
            except ValueError as error:
                faults.because((*path, key), str(error), given[key])
        for key, value in limits.items():
            try:
                object.__setattr__(self, key, LIMITS[key].read(value))
            except ValueError as error:
                faults.because((*path, key), str(error), given[key])
        if self.unit is not None:
            found = [
                replace(one, unit=self.unit) if isinstance(one, (KAnonymity, KnownValues)) else one
                for one in found
            ]
        object.__setattr__(self, "settings", settings | limits)
        object.__setattr__(self, "requirements", tuple(found))
        object.__setattr__(self, "given", frozenset(given))

    def _settings(self) -> dict[str, Any]:
        return deepcopy(dict(self.settings))


@dataclass(frozen=True, init=False, repr=False)
class MethodPlan(Part):
    """How the table is masked: what all methods share, and in `own` the method with its own options.

    An option of the method can be asked for here too: `plan.method.static`.

    >>> MethodPlan(name="recoding", static=True)
    Traceback (most recent call last):
    ontomask.errors.PlanError: static: an option of sa-mdav, not of recoding; remove it or change the method
    """

    name: str = option(
        _DEFAULT_METHOD,
        "who is put together with whom, and what they are given",
        check=known_method,
        values="a [method](../explanation/methods.md)",
    )
    measure: str = option(
        "logsc",
        "distance between words; losses are counted by it too",
        check=known_measure,
        values="a [measure](../explanation/measures.md)",
    )
    convention: Convention | None = option(
        None, "how links are counted; measures path, lch and wup only", otherwise="`links`"
    )
    ic: str | None = option(
        None,
        "information content; measures resnik, lin and jcn only",
        values="`seco`, `sanchez` or the path of a file of counts",
        otherwise="`seco`",
        is_path=True,
    )
    combine: Combine | None = option(
        None,
        "how columns add up",
        otherwise="`euclidean` if all quasi-identifiers are numeric, else `mean`",
    )
    scale: Literal["range", "zscore"] | None = option(
        None, "the unit of numbers", otherwise="`zscore` if all are numeric, else `range`"
    )
    centroid: Literal["mean", "median", "joint", "marginality"] | None = option(
        None,
        "what stands for a group's numbers, if its method has centroids; `joint`: the point that makes the "
        "loss least, over words and numbers at once; `marginality`: the mean and, of words, the one in the "
        "group that is least far from the others",
        otherwise="`mean`",
    )
    blocks: Literal["spark"] | None = option(
        None,
        "mask blocks of near tuples by themselves, as tasks of Spark, where all distinct tuples are too many "
        "for one machine; the table must be in Spark",
        otherwise="all tuples are masked together, on this machine",
    )
    own: Method = field(default_factory=METHODS[_DEFAULT_METHOD])

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or "own" not in self.__dict__:
            raise AttributeError(key)
        return getattr(self.own, key)

    @property
    def middle(self) -> Literal["mean", "median"]:
        """What stands for the numbers of a group where nothing else decides."""
        return "median" if self.centroid == "median" else "mean"

    @classmethod
    def known_to(cls, name: str) -> dict[str, Option]:
        """The options that a method has: those of all, and its own; of an unknown one, any option."""
        kinds = [METHODS[name]] if name in METHODS else METHODS.values()
        return options_of(cls) | {key: one for kind in kinds for key, one in options_of(kind).items()}

    def conflicts(self) -> Iterator[tuple[str, str]]:
        used = {self.measure, self.own.measure or self.measure}
        for key in ("convention", "ic"):
            having = [name for name, kind in MEASURES.items() if hasattr(kind, key)]
            if getattr(self, key) is not None and used.isdisjoint(having):
                yield key, _option_of(having, self.measure, "measure")
        if self.centroid is not None and not _averages(self.own):
            having = [name for name, kind in METHODS.items() if _averages(kind())]
            if self.name in having:
                yield "centroid", f"{self.name} takes what is most frequent, as its options say; remove one"
            else:
                yield "centroid", _option_of(having, self.name, "method")
        elif self.centroid == "marginality" and self.own.has_own_words:
            yield "centroid", f"{self.name} says itself which words stand for a group; remove it"
        if self.blocks is not None and not self.own.masks_parts:
            having = [name for name, kind in METHODS.items() if kind.masks_parts]
            yield "blocks", f"{self.name} has to see the whole table; remove it, or use {', '.join(having)}"
        yield from self.own.conflicts()

    def _known(self, given: Mapping[Any, Any]) -> dict[str, Option]:
        return self.known_to(str(given.get("name") or _DEFAULT_METHOD))

    def _refuse(self, key: Any, given: Mapping[Any, Any], path: KeyPath, faults: Faults) -> None:
        owners = [name for name, kind in METHODS.items() if key in options_of(kind)]
        if not owners:
            return super()._refuse(key, given, path, faults)
        reason = _option_of(owners, given.get("name") or _DEFAULT_METHOD, "method")
        return faults.because((*path, key), reason, given[key])

    def _keep(self, settings: Mapping[str, Any], given: frozenset[str]) -> None:
        super()._keep(settings, given)
        kind: Any = METHODS[self.name]
        object.__setattr__(self, "own", kind(**{key: settings[key] for key in options_of(kind)}))

    def _settings(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.known_to(self.name)}


def _averages(method: Method) -> bool:
    """Whether the numbers of a group are replaced by their mean or median."""
    return method.has_centroids and method.strategy != "mode"


def _option_of(owners: Sequence[str], asked: str, what: str) -> str:
    return f"an option of {', '.join(owners)}, not of {asked}; remove it or change the {what}"


def _kind_of(given: Any) -> str:
    """What stands there, without quoting it: somebody may have given a table as a plan."""
    if isinstance(given, (list, tuple)):
        return "a list"
    return "a text" if isinstance(given, str) else shown(given)
