"""Rank swapping: each value is swapped with one of a record near to it in order (Moore 1996).

Words are put in order by meaning (Rodriguez-Garcia, Batet & Sanchez 2019; spec 3.3): the word farthest from
the centre of the column comes first, the others follow by their distance to it. Every column keeps exactly
the values that it has, as often as it has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute
from ontomask.attributes.order import sort_values
from ontomask.compiled import kernel, step
from ontomask.methods.perturbation import ROUNDING, Perturbation
from ontomask.options import option


@dataclass(frozen=True)
class RankSwapping(Perturbation):
    """Swap values that are near in order."""

    name: ClassVar[str] = "rank-swapping"
    words: ClassVar[str] = (
        "In every column people were put in order, of words by meaning, and each swapped the value with "
        "somebody at most {percent:g} % of all people away in that order; every column has the values that "
        "it had, but not with the people who had them (rank swapping)."
    )
    percent: float = option(
        10.0, "how far away in order values are swapped at most, in percent of the records", above=0
    )

    def in_words(self, k: int) -> str:
        return self.words.format(percent=self.percent)

    def perturbed(
        self, attribute: Attribute, codes: Int32, limit: float, rng: np.random.Generator
    ) -> tuple[Attribute, Int32]:
        counts = np.bincount(codes, minlength=attribute.size).astype(np.int64)
        place = np.zeros(attribute.size, np.int64)
        in_order = sort_values(attribute, counts)
        place[in_order] = np.arange(len(in_order))
        records = np.lexsort((rng.random(len(codes)), place[codes]))  # who of equals comes first is drawn
        last = np.minimum(np.arange(len(codes)) + self.window(len(codes)), len(codes) - 1)
        if (line := attribute.plain.line) is not None:
            numbers = line.numbers[codes[records]]
            within = np.searchsorted(numbers, numbers + (limit + ROUNDING) * line.unit, "right")
            last = np.minimum(last, within - 1)
        swapped = np.empty_like(codes)
        swapped[records] = codes[records][partners(last, rng.random(len(codes)))]
        return attribute, attribute.own[swapped]

    def window(self, n: int) -> int:
        """How many ranks away a swap may be among n records: in a small table the next one still may.

        >>> RankSwapping(percent=29.0).window(100), RankSwapping(percent=5.0).window(12)
        (29, 1)
        """
        share = Fraction(str(min(self.percent, 100.0))) / 100  # 29 % of 100 are 29
        return max(int(share * n), int(share > 0))


@kernel
def partners(last: Int64, draws: Float64) -> Int64:
    """Whom each rank swaps with: itself, if nobody is left.

    From the first rank on, each that is left swaps with one of those left behind it up to rank `last[i]`,
    all equally likely; `draws[i]`, from 0 to below 1, says which.
    """
    n = len(draws)
    left = np.zeros(n + 1, np.int64)  # a Fenwick tree: of the ranks from i - (i & -i) to i - 1, how many
    for i in range(1, n + 1):
        left[i] = i & -i
    highest = 1
    while 2 * highest <= n:
        highest *= 2
    found = np.full(n, -1, np.int64)
    for rank in range(n):
        if found[rank] >= 0:
            continue
        found[rank] = rank
        _take(left, rank)
        near, i = 0, last[rank] + 1
        while i > 0:  # all that are left come later, so these are those of the window
            near += left[i]
            i -= i & -i
        if near == 0:
            continue
        wanted, other, width = int(draws[rank] * near), 0, highest
        while width > 0:
            if other + width <= n and left[other + width] <= wanted:
                other += width
                wanted -= left[other]
            width //= 2
        found[rank], found[other] = other, rank
        _take(left, other)
    return found


@step
def _take(left: Int64, rank: int) -> None:
    """A rank is not left any more."""
    i = rank + 1
    while i < len(left):
        left[i] -= 1
        i += i & -i
