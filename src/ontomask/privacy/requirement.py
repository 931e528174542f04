"""What a release must satisfy. One object steers a method, repairs its groups and checks the written file.

A requirement measures classes (rows equal in all masked columns) by their sizes and by how the values of the
columns that it `needs` are spread over them. It knows neither labels nor tables.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, Integers
from ontomask.attributes import Domain
from ontomask.privacy.confidential import Confidential

R = TypeVar("R")
SLACK = 1e-9
"""What rounding may add to a figure: a class of four equal shares has an entropy of ln 4, or just below."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a release: `sizes[c]` rows; how values of further columns are spread over them.

    `people[c]` of a population may be in class c, where somebody counted them; `values[c, j]` tells classes
    apart that differ in masked column j, where a requirement looks at some of the columns.
    """

    sizes: Int64
    beside: Mapping[str, Confidential] = field(default_factory=dict)
    people: Int64 | None = None
    values: Int32 | None = None

    @classmethod
    def of(
        cls,
        classes: Integers,
        values: Integers,
        counts: Int64,
        domains: Sequence[Domain],
        whole: Mapping[str, Int64] | None = None,
    ) -> Classes:
        """From entries: `counts[e]` rows of class `classes[e]` have the codes `values[e]`.

        Classes are numbered from 0, and each has some rows; -1 is suppressed. `whole` has how many rows
        of the release have each value, if these are not all of its classes.
        """
        kept = classes >= 0
        sizes = np.bincount(classes[kept], counts[kept]).astype(np.int64)
        spread = {
            domain.name: Confidential.of(
                classes, values[:, b], counts, domain, None if whole is None else whole[domain.name]
            )
            for b, domain in enumerate(domains)
        }
        return cls(sizes, spread)

    def unions(self, a: Int64, b: Int64) -> Classes:
        """Class i is class a[i] and class b[i] together."""
        spread = {name: confidential.unions(a, b) for name, confidential in self.beside.items()}
        return Classes(self.sizes[a] + self.sizes[b], spread)


class Blank(NamedTuple):
    """Something to be filled in to ask for a requirement: key (empty: the value itself), words, example."""

    key: str
    words: str
    example: str


class Requirement(ABC):
    """A requirement of the plan's section `privacy`.

    Attributes
    ----------
    key
        Its key in the plan.
    is_bound
        Whether a class may measure that much at most, as t; else it must measure that much at least, as k.
    is_monotone
        Whether it stays true when classes are merged, so that a violating class can be joined to another.
    is_relative
        Whether classes are compared with the whole release, so that nobody can judge a part of it alone.
    attack
        What it stops, in a few words.
    forms
        How it is asked for in a plan, and what each form means.
    title
        What it asks for, in a few words that need no other.
    blanks
        What a person fills in to ask for it; none: it is asked for in the text of a plan only.
    ways
        How the number of a column may be counted, and in words; the first is that of a number alone.
    is_of_columns
        Whether it is asked for each confidential column by itself.
    """

    key: ClassVar[str]
    is_bound: ClassVar[bool] = False
    is_monotone: ClassVar[bool] = True
    is_relative: ClassVar[bool] = False
    attack: ClassVar[str] = ""
    forms: ClassVar[Mapping[str, str]] = {}
    title: ClassVar[str] = ""
    blanks: ClassVar[tuple[Blank, ...]] = ()
    ways: ClassVar[Mapping[str, str]] = {}
    is_of_columns: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        """The requirements that a plan's value asks for; `ValueError` says what is wrong with it."""

    @property
    @abstractmethod
    def asked(self) -> float:
        """What every class must measure at least, or at most."""

    @abstractmethod
    def measured(self, classes: Classes) -> Float64:
        """What it looks at, of every class: its size, its different values, its distance to the whole."""

    @abstractmethod
    def __str__(self) -> str:
        """In short, such as `k = 5`."""

    def violations(self, classes: Classes) -> Bool:
        """Which classes violate it."""
        measured = self.measured(classes)
        found: Bool = measured > self.asked + SLACK if self.is_bound else measured < self.asked - SLACK
        return found

    def excess(self, classes: Classes) -> Float64:
        """How far every class is from satisfying it, relative to what is asked; 0 where it does."""
        beyond = (self.measured(classes) - self.asked) * (1 if self.is_bound else -1)
        return np.where(beyond > SLACK, beyond / max(self.asked, SLACK), 0.0)

    def reached(self, classes: Classes) -> float:
        """What the worst class measures."""
        measured = self.measured(classes).astype(np.float64)  # of whole numbers none is infinite
        return float(measured.max(initial=0.0) if self.is_bound else measured.min(initial=np.inf))

    def why_impossible(self, whole: Classes) -> tuple[str, str]:
        """What the whole table as one class reaches, and what could be asked for instead."""
        reached = self.reached(whole)
        rounded = (math.ceil if self.is_bound else math.floor)(reached * 1000) / 1000
        return (
            f"the whole table as one class reaches {reached:.4g}",
            f"ask for {rounded:g} or {'more' if self.is_bound else 'less'}",
        )

    def over(self, confidential: Sequence[str]) -> Iterator[Requirement]:
        """The same for the confidential columns of a plan, if it names none itself."""
        yield self

    def on_sets_of(self, n_masked: int) -> Requirement:
        """The same for a method that takes equal values of a column alike: judged on some of so many columns,
        where that is what it asks."""
        return self

    @property
    def is_counting(self) -> bool:
        """Whether a class that satisfies it still does whatever class joins it, one that violates it too."""
        return False

    @property
    def name(self) -> str:
        """What its figures are called: its key and the column that it looks at, such as `t.income`."""
        return ".".join((self.key, *self.needs))

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns to be counted beside the masked ones."""
        return ()

    @property
    def promises(self) -> str:
        """What holds in words, where it is not about whole classes; else empty."""
        return ""

    @property
    def least_size(self) -> int:
        """No class with fewer rows can satisfy it: what methods that form groups by size start from."""
        return 1


def least_size(requirements: Sequence[Requirement]) -> int:
    """The fewest rows with which a class can satisfy all requirements."""
    return max((one.least_size for one in requirements), default=1)


def violating(requirements: Sequence[Requirement], classes: Classes) -> Bool:
    """Which classes violate some requirement."""
    found: Bool = np.zeros(len(classes.sizes), bool)
    for one in requirements:
        found |= one.violations(classes)
    return found


def excesses(requirements: Sequence[Requirement], classes: Classes) -> Float64:
    """How far every class is from satisfying all requirements, summed over them."""
    return sum((one.excess(classes) for one in requirements), np.zeros(len(classes.sizes)))


def by_column(value: Any, example: str, read: Callable[[str, Any], R]) -> tuple[R, ...]:
    """What a plan asks of each column it names."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must name a column, such as {example}, not {value!r}")
    return tuple(read(str(column), asked) for column, asked in value.items())


def number(value: Any, what: str, least: float, most: float = float("inf")) -> float:
    """A number of a plan within bounds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        bounds = f"{least:g} or more" if most == float("inf") else f"from {least:g} to {most:g}"
        raise ValueError(f"{what} must be a number {bounds}, not {value!r}")
    return float(value)


def one_way(value: Any, ways: Sequence[str], otherwise: str | None = None) -> tuple[str | None, Any]:
    """How something is counted, and the number asked for: `{entropy: 3}`; a number alone is `otherwise`.

    >>> one_way({"entropy": 3}, ["distinct", "entropy"], "distinct"), one_way(3, ["distinct"], "distinct")
    (('entropy', 3), ('distinct', 3))
    """
    if not isinstance(value, dict):
        return otherwise, value
    if len(value) != 1 or next(iter(value)) not in ways:
        raise ValueError(f"must be a number, or one of {', '.join(ways)} with a number, not {value!r}")
    (way,) = value
    return way, value[way]
