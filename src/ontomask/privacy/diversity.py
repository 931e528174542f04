"""l-diversity (Machanavajjhala et al. 2007): every class has several well-represented confidential values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import OntomaskError
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.requirement import SLACK, Blank, Classes, Requirement, by_column, number, one_way

Way = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True)
class Diversity(Requirement):
    """Every class has at least l different values of a confidential column; words of one concept are one.

    `distinct`: l values; `entropy`: as many as evenly spread ones would be, exp of the entropy; `recursive`:
    the most frequent value is rarer than c times those from the l-th on together.

    >>> Diversity.parse({"illness": 3, "pay": {"recursive": {"c": 2, "l": 3}}})[1]
    Diversity(column='pay', l=3, way='recursive', c=2.0)
    """

    key: ClassVar[str] = "l"
    attack: ClassVar[str] = "homogeneity: all people of a group have one value, so nobody need be found"
    forms: ClassVar[Mapping[str, str]] = {
        "l: {diagnosis: 3}": "3 different values",
        "l: {diagnosis: {entropy: 3}}": "values as varied as 3 equally frequent ones; 2.5 will do, too",
        "l: {diagnosis: {recursive: {c: 2, l: 3}}}": "the most frequent value has fewer rows than 2 times "
        "those of the third and all rarer ones together",
    }
    title: ClassVar[str] = "Every group has several values of a confidential column"
    is_of_columns: ClassVar[bool] = True
    blanks: ClassVar[tuple[Blank, ...]] = (Blank("", "How many values at least", "3"),)
    ways: ClassVar[Mapping[str, str]] = {
        "distinct": "different values",
        "entropy": "values, counted by how evenly they occur",
    }
    column: str
    l: float  # noqa: E741 - the paper's name
    way: Way = "distinct"
    c: float = 0.0

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        return by_column(value, "{diagnosis: 3}", cls._read)

    @classmethod
    def _read(cls, column: str, value: Any) -> Self:
        way, asked = one_way(value, ("distinct", "entropy", "recursive"), "distinct")
        c = 0.0
        if way == "recursive":
            if not isinstance(asked, dict) or asked.keys() != {"c", "l"}:
                raise ValueError(f"recursive must be a c and an l, such as {{c: 2, l: 3}}, not {asked!r}")
            c, asked = number(asked["c"], "c", 1e-6), asked["l"]
        least = number(asked, "l", 1)
        if way != "entropy" and least != int(least):
            raise ValueError(f"l must be a whole number, not {asked!r}")
        return cls(column, least if way == "entropy" else int(least), cast(Way, way), c)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def least_size(self) -> int:
        return math.ceil(self.l)

    @property
    def is_counting(self) -> bool:
        return self.way == "distinct"

    def why_impossible(self, whole: Classes) -> tuple[str, str]:
        if self.way != "recursive":
            return super().why_impossible(whole)
        least = recursive_c(whole.beside[self.column], int(self.l))
        reason = f"in the whole table as one class c must exceed {least:.4g} for l = {self.l:g}"
        return reason, "ask for a greater c or a smaller l"

    @property
    def asked(self) -> float:
        return self.l

    def measured(self, classes: Classes) -> Float64:
        spread = classes.beside[self.column]
        if self.way == "distinct":
            return np.diff(spread.starts).astype(np.float64)
        if self.way == "entropy":
            return np.exp(entropies(spread))
        return recursive_levels(spread, self.c)

    def __str__(self) -> str:
        how = {"distinct": "", "entropy": " by entropy", "recursive": f", recursive with c = {self.c:g}"}
        return f"l = {self.l:g} of {self.column}{how[self.way]}"


def distinct_diversity(confidential: Confidential) -> int:
    """The largest l for distinct l-diversity: the fewest distinct values of a class.

    >>> distinct_diversity(Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.ones(4, int)))
    1
    """
    return int(np.diff(confidential.starts).min(initial=len(confidential.values)))


def entropy_diversity(confidential: Confidential) -> float:
    """The largest l for entropy l-diversity: ``exp(min over classes of -sum p ln p)``.

    >>> halves = Confidential.of(np.zeros(4, int), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> round(entropy_diversity(halves), 6)
    2.0
    """
    if not len(confidential.counts):
        return 0.0
    return float(np.exp(entropies(confidential).min()))


def entropies(confidential: Confidential) -> Float64:
    """Per class ``-sum p ln p``."""
    p = confidential.shares
    found = np.bincount(confidential.class_of_entry, -p * np.log(p), len(confidential.sizes))
    return found.astype(np.float64)


def recursive_diversity(confidential: Confidential, c: float) -> int:
    """The largest l for recursive (c, l)-diversity: ``r_1 < c (r_l + r_(l+1) + ... + r_m)`` in every class.

    r_i is the count of a class's i-th most frequent value. 0: not even l = 1 holds.

    >>> recursive_diversity(Confidential.of(np.zeros(3, int), np.arange(3), np.array([4, 3, 2])), c=2)
    2
    """
    if c <= 0:
        raise OntomaskError(f"c of recursive (c, l)-diversity must be more than 0, not {c}")
    if not len(confidential.counts):
        return 0
    return int(recursive_levels(confidential, c).min())


def recursive_levels(confidential: Confidential, c: float) -> Float64:
    """Per class the largest l for which it is recursive (c, l)-diverse; 0: not even l = 1."""
    first, tails = _tails(confidential)
    holds = first[confidential.class_of_entry] < c * tails - SLACK
    return np.add.reduceat(holds, confidential.starts[:-1], dtype=np.int64).astype(np.float64)


def recursive_c(confidential: Confidential, l: int) -> float:  # noqa: E741 - the paper's name
    """The bound that c must exceed for recursive (c, l)-diversity: the greatest ``r_1 / (r_l + ... + r_m)``.

    Infinite where a class has fewer than l values.

    >>> recursive_c(Confidential.of(np.zeros(3, int), np.arange(3), np.array([4, 3, 2])), l=2)
    0.8
    """
    lengths = np.diff(confidential.starts)
    if not len(lengths):
        return 0.0
    if lengths.min() < l:
        return float("inf")
    first, tails = _tails(confidential)
    return float((first / tails[confidential.starts[:-1] + l - 1]).max())


def _tails(confidential: Confidential) -> tuple[Float64, Float64]:
    """Per class its greatest count; per entry, counts in falling order, the sum from it to the last."""
    starts, of_class = confidential.starts, confidential.class_of_entry
    counts = confidential.counts[np.lexsort((-confidential.counts, of_class))]
    sums = np.append(0, np.cumsum(counts))
    return counts[starts[:-1]].astype(np.float64), (sums[starts[1:]][of_class] - sums[:-1]).astype(np.float64)
