"""A column of numbers, or of ordered categories by their ranks; replacements are numbers and ranges of them.

Distance is the difference over the range of the data (`range`) or over their standard deviation (`zscore`).
A range is as far from a number as one of its numbers is on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Generalization, Line
from ontomask.measures.base import on_grid

Scale = Literal["range", "zscore"]
Middle = Literal["mean", "median"]


@dataclass(frozen=True, eq=False)
class Numeric(Attribute):
    """Numbers with one unit of distance; `numbers[code]` ascends, NaN (last) is the missing value.

    `middle` is what stands for a group. Replacements are first the `ranges` (from, to), then the numbers
    themselves and `extra` ones, NaN among them for no value; numbers that a method computes are rounded to
    multiples of `step` if it is given, else to `decimals`, as they will be written. The range from -inf to
    inf is that of the column, and no value too.
    """

    numbers: Float64
    unit: float
    middle: Middle = "mean"
    decimals: int | None = None
    extra: Float64 = field(default_factory=lambda: np.zeros(0))
    spread: float | None = None
    """Range of the original numbers, where these are not them."""
    ranges: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    step: float | None = None

    @classmethod
    def of(
        cls,
        name: str,
        numbers: Float64,
        counts: Int64,
        *,
        weight: float = 1.0,
        scale: Scale = "range",
        middle: Middle = "mean",
        decimals: int | None = None,
        step: float | None = None,
    ) -> Self:
        """Set the unit from the data: `counts[code]` records, or none, have `numbers[code]`."""
        known = ~np.isnan(numbers)
        is_there = known & (counts > 0)
        present, times = numbers[is_there], counts[is_there]
        unit = width = 0.0
        if len(present):
            size = float(np.abs(present).max()) or 1.0  # or the squares of huge numbers overflow
            mean = np.average(present / size, weights=times)
            spread = size * np.sqrt(np.average((present / size - mean) ** 2, weights=times))
            width = float(np.ptp(present))
            unit = width if scale == "range" else float(spread)
        missing = int(np.flatnonzero(~known)[0]) if not known.all() else -1
        return cls(name, weight, missing, numbers, unit or 1.0, middle, decimals, spread=width, step=step)

    @property
    def size(self) -> int:
        return len(self.numbers)

    @property
    def n_replacements(self) -> int:
        return len(self.replacements)

    @cached_property
    def replacements(self) -> Float64:
        """Number of every replacement: the middle of each range; then numbers, ascending, NaN last."""
        return np.concatenate([self._bounded.mean(axis=1), self._single])

    @cached_property
    def _bounded(self) -> Float64:
        """The ranges, that of everything cut to what the column has."""
        if not np.isinf(self.ranges).any():
            return self.ranges
        ends = np.nanmin(self.numbers), np.nanmax(self.numbers)
        return np.where(np.isinf(self.ranges), ends, self.ranges)

    @cached_property
    def _single(self) -> Float64:
        """The replacements that are one number, or none."""
        return np.unique(np.concatenate([self.numbers, self.extra]))

    @property
    def nothing(self) -> int:
        return self.n_replacements - 1 if np.isnan(self.replacements[-1]) else -1

    @cached_property
    def own(self) -> Int32:
        return self.replacement_of(self.numbers)

    def replacement_of(self, numbers: Float64) -> Int32:
        """The replacement that each number is."""
        place = np.searchsorted(self._single, numbers)  # NaN sorts last and is found
        return (place + len(self.ranges)).astype(np.int32)

    def index_in(self, extended: Attribute) -> Int32:
        assert isinstance(extended, Numeric)
        ranges = np.arange(len(self.ranges), dtype=np.int32)
        return np.concatenate([ranges, extended.replacement_of(self._single)])

    def rounded(self, numbers: Float64) -> Float64:
        """Numbers as they can be written, and no minus before a zero."""
        if self.step is not None:
            return nearest_multiples(numbers, self.step)
        if self.decimals is None:
            return numbers
        written = np.array([round(x, self.decimals) + 0.0 for x in numbers.tolist()], np.float64)
        # The mean of equal huge numbers may be a bit beyond them.
        return np.clip(written, np.nanmin(self.numbers), np.nanmax(self.numbers))

    def including(self, numbers: Float64) -> Self:
        """The attribute with these numbers (NaN: no value) among its replacements."""
        return replace(self, extra=np.unique(np.concatenate([self.extra, numbers])))

    def including_numbers(self, numbers: Float64) -> tuple[Self, Int32]:
        written = self.rounded(numbers)
        extended = self.including(written)
        return extended, extended.replacement_of(written)

    def covering(self, low: Float64, high: Float64) -> tuple[Self, Int32]:
        """The attribute with these ranges among its replacements, and which each is.

        A range of one number is that number; NaN is no value.

        >>> age = Numeric.of("age", np.array([20.0, 30.0]), np.array([1, 1]))
        >>> wider, found = age.covering(np.array([20.0, 20.0]), np.array([30.0, 20.0]))
        >>> wider.ranges.tolist(), found.tolist()
        ([[20.0, 30.0]], [0, 1])
        """
        is_wide = low < high
        ends, which = np.unique(np.stack([low, high], axis=1)[is_wide], axis=0, return_inverse=True)
        extended = replace(self.including(low[~is_wide]), ranges=np.concatenate([self.ranges, ends]))
        found = extended.replacement_of(low)
        found[is_wide] = len(self.ranges) + which.ravel()
        return extended, found

    def standing_for(self, groups: Sequence[Int32], concepts: Int32) -> tuple[Self, Int32]:
        known = [self.numbers[codes][~np.isnan(self.numbers[codes])] for codes in groups]
        ends = np.array([(x.min(), x.max()) if len(x) else (np.nan, np.nan) for x in known]).reshape(-1, 2)
        extended = replace(self, ranges=np.concatenate([self.ranges, ends]))
        return extended, np.arange(len(self.ranges), len(extended.ranges), dtype=np.int32)

    def covering_codes(self, groups: Sequence[Int32 | Int64]) -> tuple[Self, Int32]:
        """The range of each group of codes; that of all, or of some and no value, is everything.

        >>> age = Numeric.of("age", np.array([20.0, 30.0, 40.0]), np.array([1, 1, 1]))
        >>> wider, found = age.covering_codes([np.arange(3), np.array([0, 1])])
        >>> wider.ranges[found].tolist()
        [[-inf, inf], [20.0, 30.0]]
        """
        low, high = np.empty(len(groups)), np.empty(len(groups))
        for g, codes in enumerate(groups):
            numbers = self.numbers[codes]
            is_mixed = np.isnan(numbers).any() and not np.isnan(numbers).all()
            is_all = len(codes) == self.size > 1
            ends = (-np.inf, np.inf) if is_mixed or is_all else (numbers.min(), numbers.max())
            low[g], high[g] = ends
        return self.covering(low, high)

    def with_nothing(self) -> Self:
        return self.including(np.array([np.nan]))

    @property
    def maximum(self) -> float:
        return 1.0

    @property
    def line(self) -> Line:
        far = max(1.0, self.range / self.unit)
        return Line(self.numbers, self.replacements, self.unit, far, is_exact=not len(self.ranges))

    @property
    def range(self) -> float:
        """From the smallest number of the column to the greatest."""
        known = self.numbers[~np.isnan(self.numbers)]
        return (float(np.ptp(known)) if len(known) else 0.0) if self.spread is None else self.spread

    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        return self._apart(self.numbers[codes], replacements)

    def distance_table(self, codes: Int32, replacements: Int32) -> Float64:
        return self._apart(self.numbers[codes][:, None], replacements[None, :])

    def between(self, a: Int32, b: Int32) -> Float64:
        """Of two ranges, the distance of their middles."""
        n = len(self.ranges)
        from_range = (a < n) & (b >= n)
        x, y = np.where(from_range, b, a), np.where(from_range, a, b)
        return self._apart(self.replacements[x], y, by_middle=(a < n) & (b < n))

    def _apart(self, x: Float64, replacements: Int32, by_middle: Bool | bool = False) -> Float64:
        """Distance of numbers to replacements: |x - y|, or its mean over the numbers y of a range::

        ((x - a)^2 + (b - x)^2) / (2 (b - a))     for x in [a, b], else |x - (a + b) / 2|
        """
        y = self.replacements[replacements]
        difference = np.abs(x - y)
        if len(self.ranges):
            low, high = (ends[replacements] for ends in self._ends_of(self._bounded))
            inside = (low < high) & (low <= x) & (x <= high) & ~np.asarray(by_middle)
            mean = ((x - low) ** 2 + (high - x) ** 2) / (2 * np.where(inside, high - low, 1.0))
            difference = np.where(inside, mean, difference)
        distance = on_grid(difference / self.unit)
        return np.where(np.isnan(x) != np.isnan(y), self.maximum, np.nan_to_num(distance))

    def covers(self, a: Int32, b: Int32) -> Bool:
        lows, highs = self.ends
        inside: Bool = (a == b) | ((lows[a] <= lows[b]) & (highs[b] <= highs[a]))
        return inside | np.isneginf(lows[a])

    @cached_property
    def ends(self) -> tuple[Float64, Float64]:
        return self._ends_of(self.ranges)

    def _ends_of(self, ranges: Float64) -> tuple[Float64, Float64]:
        low, high = np.concatenate([ranges, np.stack([self._single, self._single], axis=1)]).T
        return low, high

    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """Numbers: from x to x', or to the far end of a range, over the range of the column; at most 1."""
        before, (lows, highs) = self.numbers[codes], self.ends
        low, high = np.minimum(before, lows[replacements]), np.maximum(before, highs[replacements])
        share = np.minimum((high - low) / (self.range or 1.0), 1.0)
        after = self.replacements[replacements]
        lost = np.where(np.isnan(before) & np.isnan(after), 0.0, np.where(np.isnan(share), 1.0, share))
        return Generalization(lost, lost, lost)

    def shares(self, wanted: Bool, replacements: Int32) -> Float64:
        """A number is the one of the column nearest to it; a range may be each of those inside."""
        known = np.flatnonzero(~np.isnan(self.numbers))
        order = known[np.argsort(self.numbers[known], kind="stable")]
        numbers, hits = self.numbers[order], np.append(0, np.cumsum(wanted[order]))
        low, high = (ends[replacements] for ends in self.ends)
        first, last = np.searchsorted(numbers, low), np.searchsorted(numbers, high, "right")
        nearest = self._nearest(numbers, self.replacements[replacements])
        inside = last > first
        first, last = np.where(inside, first, nearest), np.where(inside, last, nearest + 1)
        share: Float64 = (hits[last] - hits[first]) / (last - first)
        missing = bool(wanted[self.missing]) if self.missing >= 0 else False
        return np.where(np.isnan(low), missing, share)

    @staticmethod
    def _nearest(numbers: Float64, x: Float64) -> Int64:
        """The place of the number nearest to each x, the lower one of two."""
        above = np.clip(np.searchsorted(numbers, x), 1, max(len(numbers) - 1, 1))
        below = above - 1
        above = np.minimum(above, len(numbers) - 1)
        return np.where(np.abs(numbers[above] - x) < np.abs(x - numbers[below]), above, below)

    def marginalities(self, counts: Int64) -> Float64:
        """What stands in for m where values are numbers: ``(x_j - mean)^2``, so that S2 is their variance.

        A missing number has no part: 0.
        """
        known = ~np.isnan(self.numbers)
        if not counts[known].sum():
            return np.zeros(self.size)
        centre = np.average(self.numbers[known], weights=counts[known])
        return np.nan_to_num((self.numbers - centre) ** 2)

    def near(self, codes: Int32, radii: Float64, among: Int32, shares: Float64) -> Int32:
        """See `Attribute.near`; numbers that are near are next to each other, so their ends are searched."""
        is_known, is_lost = ~np.isnan(self.numbers[among]), np.isnan(self.numbers[codes])
        known = among[is_known]
        at = np.searchsorted(known, codes)
        first = self._end(codes, radii, known, np.zeros_like(at), at)
        last = self._end(codes, radii, known, np.full_like(at, len(known) - 1), at)
        n_known = np.where(is_lost, np.where(radii >= self.maximum, len(known), 0), last - first + 1)
        with_missing = (is_lost | (radii >= self.maximum)) & (not is_known.all())
        chosen = (shares * (n_known + with_missing)).astype(np.int64)
        first = np.where(is_lost, 0, first)
        return np.append(known, self.missing)[np.where(chosen < n_known, first + chosen, len(known))]

    def _end(self, codes: Int32, radii: Float64, known: Int32, far: Int64, near: Int64) -> Int64:
        """The place among `known` codes nearest to `far` that is within the radius, as that at `near` is."""
        while (is_open := far != near).any() and len(known):
            middle = np.where(far < near, (far + near) // 2, (far + near + 1) // 2)
            is_within = self.distance(codes, self.own[known[np.minimum(middle, len(known) - 1)]]) <= radii
            beyond = np.where(far < near, middle + 1, middle - 1)
            near, far = (
                np.where(is_open & is_within, middle, near),
                np.where(is_open & ~is_within, beyond, far),
            )
        return near

    def over_replacements(self, used: Int32) -> Numeric:
        numbers = self.replacements[used]
        missing = int(np.flatnonzero(np.isnan(numbers))[0]) if np.isnan(numbers).any() else -1
        return replace(
            self,
            numbers=numbers,
            missing=missing,
            extra=np.zeros(0),
            spread=self.range,
            ranges=np.zeros((0, 2)),
        )


def nearest_multiples(numbers: Float64, step: float) -> Float64:
    """The multiple of a step nearest to each number, the even one of two; NaN stays.

    Numbers and step count as they are written, so that 0.15 is halfway between 0.1 and 0.2.

    >>> nearest_multiples(np.array([12.0, 12.5, 17.5, -3.0, np.nan]), 5.0).tolist()
    [10.0, 10.0, 20.0, -5.0, nan]
    >>> nearest_multiples(np.array([0.15, 0.25]), 0.1).tolist()
    [0.2, 0.2]
    """
    unit = Fraction(repr(float(step)))
    rounded = [x if np.isnan(x) else float(round(Fraction(repr(x)) / unit) * unit) for x in numbers.tolist()]
    return np.array(rounded, np.float64)
