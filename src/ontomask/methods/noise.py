"""Noise: numbers are moved by a random amount, words to others at a random distance in meaning.

Numbers get ``x + e`` with ``e ~ N(0, a^2 S2)`` (Brand 2002). A word becomes the word of the column whose
distance from it is nearest to ``|e|``, drawn likewise (Rodriguez-Garcia, Batet & Sanchez 2017); the sign of e
says whether it moves towards the margin of the column or to its centre, so that on average it does neither.
Words of the column, not of the ontology: nobody can tell by a word that it was changed, and what is released
is as specific as what was there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute
from ontomask.methods.perturbation import ROUNDING, Perturbation
from ontomask.options import option

_BLOCK = 256


@dataclass(frozen=True)
class Noise(Perturbation):
    """Add noise to numbers and to the meaning of words."""

    name: ClassVar[str] = "noise"
    words: ClassVar[str] = (
        "Every value was moved at random, each on its own: numbers by about {amount:g} standard deviations "
        "of their column, words to others of their column about as far away in meaning (noise addition)."
    )
    amount: float = option(
        0.5, "how much noise is added, in standard deviations of the column, of words in meaning", above=0
    )

    def in_words(self, k: int) -> str:
        return self.words.format(amount=self.amount)

    def perturbed(
        self, attribute: Attribute, codes: Int32, limit: float, rng: np.random.Generator
    ) -> tuple[Attribute, Int32]:
        noise, shares = self.amount * rng.standard_normal(len(codes)), rng.random(len(codes))
        if (line := attribute.plain.line) is None:
            return attribute, attribute.own[moved_words(attribute, codes, noise, shares, limit)]
        numbers, most = line.numbers[codes], limit * line.unit
        # What is beyond the column's own numbers may be impossible, such as a negative age.
        low, high = np.maximum(numbers - most, numbers.min()), np.minimum(numbers + most, numbers.max())
        moved = reflected(numbers + noise * numbers.std(), low, high)
        became, found = attribute.including_numbers(moved)
        is_far = became.distance(codes, found) > limit + ROUNDING
        if not is_far.any():
            return became, found
        # Rounding took these a step beyond the limit; half of the way is a step less at least.
        return attribute.including_numbers(np.where(is_far, (numbers + moved) / 2, moved))


def reflected(x: Float64, low: Float64, high: Float64) -> Float64:
    """Numbers thrown back at both ends, as often as it takes: beyond `high` by d is `high - d`.

    >>> x, ends = np.array([3.0, 12.0, -1.0, 25.0]), np.ones(4)
    >>> reflected(x, 0 * ends, 10 * ends).tolist()
    [3.0, 8.0, 1.0, 5.0]
    """
    width = high - low
    beyond = np.mod(x - low, np.where(width > 0, 2 * width, 1.0))
    folded: Float64 = np.where(width > 0, low + width - np.abs(beyond - width), low)
    return np.where((low <= x) & (x <= high), x, folded)


def moved_words(
    attribute: Attribute, codes: Int32, noise: Float64, shares: Float64, limit: float = np.inf
) -> Int32:
    """The code that each becomes: of those of the records, the one whose distance is nearest to |noise|.

    Noise is in units of `deviation`. Where it is positive a code of at least the same marginality is taken,
    where it is negative one of at most the same, and none farther than `limit`; the code itself is always
    among them. Of several at one distance, `shares` (from 0 to below 1) draws, the more likely the more
    records have it.
    """
    counts = np.bincount(codes, minlength=attribute.size).astype(np.int64)
    there = np.flatnonzero(counts).astype(np.int32)
    magnitude = np.abs(noise) * deviation(attribute, there, counts[there])
    marginality = attribute.marginalities(counts)[there]
    found = np.empty_like(codes)
    order = np.argsort(codes, kind="stable")
    for same in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        x = codes[same[0]]
        away = attribute.distance_table(there, attribute.own[[x]])[:, 0]
        own, is_near = marginality[np.searchsorted(there, x)], away <= limit + ROUNDING
        for allowed, some in (
            (is_near & (marginality >= own), same[noise[same] >= 0]),
            (is_near & (marginality <= own), same[noise[same] < 0]),
        ):
            nearest = drawn_at(away[allowed], counts[there[allowed]], magnitude[some], shares[some])
            found[some] = there[allowed][nearest]
    return found


def deviation(attribute: Attribute, codes: Int32, counts: Int64) -> float:
    """``sqrt( 1/(2 n^2) sum_i sum_j d(x_i, x_j)^2 )``: for numbers that is the standard deviation."""
    total = 0.0
    for start in range(0, len(codes), _BLOCK):
        some = slice(start, start + _BLOCK)
        squares = attribute.distance_table(codes[some], attribute.own[codes]) ** 2
        total += float(counts[some] @ squares @ counts)
    return float(np.sqrt(total / 2) / counts.sum())


def drawn_at(away: Float64, counts: Int64, magnitude: Float64, shares: Float64) -> Int64:
    """The place whose distance is nearest to each magnitude, the nearer one of two; drawn by counts.

    >>> away, counts = np.array([0.0, 0.5, 0.5]), np.array([1, 1, 3])
    >>> drawn_at(away, counts, np.array([0.2, 0.4, 0.4]), np.array([0.9, 0.2, 0.3])).tolist()
    [0, 1, 2]
    """
    distances, level = np.unique(away, return_inverse=True)
    wanted = np.searchsorted((distances[1:] + distances[:-1]) / 2, magnitude)
    order = np.argsort(level, kind="stable")
    ends = np.cumsum(counts[order])
    last = np.searchsorted(level[order], np.arange(len(distances)), "right") - 1
    before = np.append(0, ends[last])
    target = before[wanted] + np.floor(shares * (before[wanted + 1] - before[wanted]))
    found: Int64 = order[np.searchsorted(ends, target, "right")]
    return found
