"""How the values of a column lie round their mean, and how two columns vary together.

Words by marginality (Domingo-Ferrer, Sanchez & Rufian-Torrell 2013), numbers, ranks and days as usual; all
over codes with counts. A missing value is nobody's distance: it has no part. Knows no labels and no tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import floor
from typing import Literal, Self, get_args

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.errors import OntomaskError

Scaling = Literal["balanced", "published"]


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of a column: `counts[code]` records have each, none the missing one.

    `scaling` is that of words: as `published` m(x) is the sum of the distances to the n - 1 other records and
    grows with n; `balanced` it is their mean, and the variance is the mean distance of two records.
    """

    attribute: Attribute
    counts: Int64
    scaling: Scaling = "balanced"

    def __post_init__(self) -> None:
        if self.scaling not in get_args(Scaling):
            known = " or ".join(get_args(Scaling))
            raise OntomaskError(f"scaling must be {known}, not {self.scaling!r}", key="scaling")

    @classmethod
    def of(cls, attribute: Attribute, codes: Int32, counts: Int64, scaling: Scaling = "balanced") -> Self:
        """Of entries: `counts[e]` records have code `codes[e]`; those without a value are left out.

        What a hierarchy says of values does not matter here.
        """
        found = np.bincount(codes, counts, minlength=attribute.size).astype(np.int64)
        if attribute.missing >= 0:
            found[attribute.missing] = 0
        return cls(attribute.plain, found, scaling)

    @property
    def n(self) -> int:
        """Records with a value."""
        return int(self.counts.sum())

    @cached_property
    def numbers(self) -> Float64 | None:
        """The number behind each code, if there are any."""
        return None if self.attribute.line is None else self.attribute.line.numbers

    @cached_property
    def marginality(self) -> Float64:
        """m of each code; of numbers ``(x - mean)^2``, so that the variance is the usual one."""
        found = self.attribute.marginalities(self.counts)
        is_mean = self.numbers is None and self.scaling == "balanced"
        return found / max(self.n - 1, 1) if is_mean else found

    @cached_property
    def mean_code(self) -> int:
        """Of words, the code of the mean: the least marginality that somebody has; ties go to the first."""
        return int(np.argmin(np.where(self.counts > 0, self.marginality, np.inf)))

    @cached_property
    def mean(self) -> float:
        """The number of the mean: of words its marginality, else the mean itself; NaN of nobody."""
        if not self.n:
            return float("nan")
        if self.numbers is None:
            return float(self.marginality[self.mean_code])
        return float(np.average(self.numbers[self.counts > 0], weights=self.counts[self.counts > 0]))

    @property
    def variance(self) -> float:
        """``1/n sum m(x)``; NaN of nobody."""
        return float(self.marginality @ self.counts / self.n) if self.n else float("nan")

    @cached_property
    def from_mean(self) -> Float64:
        """How far each code is from the mean, in meaning or in the unit of the numbers."""
        if self.numbers is not None:
            return np.abs(self.numbers - self.mean)
        codes = np.arange(self.attribute.size, dtype=np.int32)
        return self.attribute.distance(codes, np.full_like(codes, self.attribute.own[self.mean_code]))

    @cached_property
    def deviations(self) -> Float64:
        """What covariances multiply: ``x - mean`` of numbers, ``sqrt(m(x))`` of words."""
        return np.sqrt(self.marginality) if self.numbers is None else np.nan_to_num(self.numbers - self.mean)

    def quantile(self, share: float, people: int = 1) -> float:
        """Of numbers, the one that a share of the records are below: the mean of so many people round it."""
        assert self.numbers is not None
        return quantile(self.numbers, self.counts, share, people)

    def radius(self, share: float, people: int = 1) -> float:
        """How far from the mean one has to go to meet a share of the records."""
        return quantile(self.from_mean, self.counts, share, people)

    def codes_at(self, share: float, people: int = 1) -> list[int]:
        """The codes as far from the mean as those people are, those of most records first."""
        far, among = around(self.from_mean, self.counts, share, people)
        low, high = far[among > 0][[0, -1]]
        there = np.flatnonzero((self.counts > 0) & (low <= self.from_mean) & (self.from_mean <= high))
        return sorted(there.tolist(), key=lambda code: -int(self.counts[code]))


@dataclass(frozen=True, eq=False)
class Joint:
    """Two columns of the records that have a value in both: `counts[e]` have codes `codes[e]`.

    `left_out` are the records that have the first alone, and the second alone.
    """

    x: Distribution
    y: Distribution
    codes: Int32
    counts: Int64
    left_out: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, columns: Sequence[Distribution], codes: Int32, counts: Int64) -> Self:
        """Of two columns; where some records lack one of the two, both are those of the others."""
        both = (codes != [column.attribute.missing for column in columns]).all(axis=1)
        if both.all():
            return cls(columns[0], columns[1], codes, counts)
        codes, counts = codes[both], counts[both]
        x, y = (Distribution.of(a.attribute, codes[:, j], counts, a.scaling) for j, a in enumerate(columns))
        left_out = columns[0].n - x.n, columns[1].n - y.n
        return cls(x, y, codes, counts, left_out)

    def may_be_told(self, least: int) -> bool:
        """Whether enough people have both, and nobody, or enough, have only one of the two.

        Who knows a figure of 40 people and the same figure of 39 of them knows the value of the last one.
        """
        return enough(self.n, self.left_out, least)

    @property
    def n(self) -> int:
        """Records with a value in both."""
        return int(self.counts.sum())

    @property
    def is_signed(self) -> bool:
        """Whether both are numbers, so that they may vary against each other."""
        return self.x.numbers is not None and self.y.numbers is not None

    @cached_property
    def _deviations(self) -> tuple[Float64, Float64]:
        x, y = self.x.deviations[self.codes[:, 0]], self.y.deviations[self.codes[:, 1]]
        return (x, y) if self.is_signed else (np.abs(x), np.abs(y))

    @property
    def covariance(self) -> float:
        """``1/n sum (x - mean x) (y - mean y)`` of numbers; else ``1/n sum sqrt(m(x) m(y))``."""
        x, y = self._deviations
        return float(self.counts @ (x * y) / self.n) if self.n else float("nan")

    @property
    def correlation(self) -> float:
        """``covariance / sqrt(variance variance)``; NaN where one of the two is constant."""
        return self._over_spread(self.covariance)

    @property
    def unrelated(self) -> float:
        """The correlation that the same values would have if neither column told of the other.

        ``mean sqrt(m(x)) mean sqrt(m(y)) / sqrt(variance variance)``; 0 of two columns of numbers.
        """
        if self.is_signed:
            return self._over_spread(0.0)
        x, y = (float(self.counts @ one / self.n) for one in self._deviations)
        return self._over_spread(x * y)

    def _over_spread(self, product: float) -> float:
        spread = float(np.sqrt(self.x.variance * self.y.variance))
        return product / spread if spread > 0 else float("nan")


def enough(n: int, left_out: Sequence[int], least: int) -> bool:
    """Whether n people may be told of where those left out may be found as a difference."""
    return n >= max(least, 1) and all(one == 0 or one >= least for one in left_out)


def rounded(figure: float) -> float:
    """To 4 significant digits: so that not every person is seen in a figure of many.

    >>> rounded(48.52583), rounded(-123456.0), rounded(0.000123456)
    (48.53, -123500.0, 0.0001235)
    """
    return float(f"{figure:.4g}")


def joints_of(columns: Sequence[Distribution], tuples: Tuples) -> Iterator[tuple[int, int, Joint]]:
    """Each two of the columns of a table, with their places."""
    for i, j in combinations(range(len(columns)), 2):
        yield i, j, Joint.of([columns[i], columns[j]], tuples.codes[:, [i, j]], tuples.counts)


def covariance_matrix(columns: Sequence[Distribution], joints: Iterable[tuple[int, int, Joint]]) -> Float64:
    """Variances on the diagonal, covariances off it; NaN where nobody has both."""
    matrix = np.diag([column.variance for column in columns])
    for i, j, joint in joints:
        matrix[i, j] = matrix[j, i] = joint.covariance
    return matrix


def quantile(values: Float64, counts: Int64, share: float, people: int = 1) -> float:
    """The mean of as many people, in order of their values, as stand around a share of them all.

    Of n people those of rank r, r + 1, ..., r + people - 1 with r = floor(share n - people / 2 + 1/2), kept
    within 0 and n - people; NaN if there are fewer than `people`. For one person it is the usual quantile,
    and somebody's own value.

    >>> quantile(np.array([10.0, 20, 30, 90]), np.array([1, 1, 1, 1]), 0.5, 2)
    25.0
    >>> quantile(np.array([10.0, 20, 30, 90]), np.array([5, 1, 1, 3]), 0.95, 3)
    90.0
    """
    if counts[~np.isnan(values)].sum() < max(people, 1):
        return float("nan")
    ordered, among = around(values, counts, share, people)
    return float(ordered @ among / people)


def around(values: Float64, counts: Int64, share: float, people: int) -> tuple[Float64, Int64]:
    """The values in order, and how many of the people of `quantile` have each."""
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    values, counts = values[known][order], counts[known][order]
    n = int(counts.sum())
    first = min(max(floor(share * n - people / 2 + 0.5), 0), n - people)
    ends = np.cumsum(counts)
    return values, np.clip(np.minimum(ends, first + people) - np.maximum(ends - counts, first), 0, None)
