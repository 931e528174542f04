"""What became of what: the distinct (original tuple, masked tuple) pairs of two tables, with counts.

One form serves a masking just made and any two tables that are matched. It holds indices and counts only;
which text a replacement has is the business of those who built the attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ontomask.arrays import Bool, Int32, Int64, Integers, distinct_rows
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.space import Combine

if TYPE_CHECKING:
    from ontomask.methods.base import Masking


@dataclass(frozen=True, eq=False)
class Pairs:
    """`counts[e]` records of original tuple `original[e]` became masked tuple `masked[e]` (-1: suppressed).

    `values[a, j]` is the replacement that masked tuple a has in attribute j. Masked tuples are distinct, and
    so are the pairs.

    >>> pairs = Pairs.of_rows(np.array([0, 0, 1, 2]), np.array([[5], [5], [5], [8]]))
    >>> pairs.original.tolist(), pairs.masked.tolist(), pairs.counts.tolist()
    ([0, 1, 2], [0, 0, 1], [2, 1, 1])
    """

    original: Int32
    masked: Int32
    counts: Int64
    values: Int32

    @classmethod
    def of_rows(
        cls,
        original: Integers,
        values: Integers,
        counts: Int64 | None = None,
        suppressed: Bool | None = None,
    ) -> Pairs:
        """Row i, standing for `counts[i]` records, was tuple `original[i]` and is now `values[i]`."""
        n = len(original)
        times = np.ones(n, np.int64) if counts is None else counts
        kept = np.ones(n, bool) if suppressed is None else ~suppressed
        masked = np.full(n, -1, np.int64)
        first, masked[kept] = distinct_rows(list(values[kept].T))
        pair, place = distinct_rows([original, masked])
        summed = np.bincount(place, times, minlength=len(pair)).astype(np.int64)
        return cls(
            original[pair].astype(np.int32),
            masked[pair].astype(np.int32),
            summed,
            values[kept][first].astype(np.int32),
        )

    @classmethod
    def of(cls, tuples: Tuples, masking: Masking) -> Pairs:
        """Pairs of a masking; groups with the same values become one masked tuple."""
        suppressed = masking.groups < 0
        # A suppressed entry has no group: the values it is given here are not looked at.
        values = np.vstack(
            [masking.values, np.zeros_like(masking.values[:1], shape=(1, len(masking.attributes)))]
        )
        return cls.of_rows(
            tuples.tuple_of_cell[masking.cells], values[masking.groups], masking.counts, suppressed
        )

    @classmethod
    def unmasked(cls, tuples: Tuples, attributes: Sequence[Attribute]) -> Pairs:
        """Every record as it was: what an evaluation starts from."""
        return cls.of_rows(np.arange(len(tuples)), own_values(tuples, attributes), tuples.counts)

    @property
    def n(self) -> int:
        """Number of original records."""
        return int(self.counts.sum())

    @property
    def suppressed(self) -> Bool:
        """Which pairs are of records that were suppressed."""
        gone: Bool = self.masked < 0
        return gone

    @cached_property
    def n_suppressed(self) -> int:
        """Number of records that were suppressed."""
        return int(self.counts[self.suppressed].sum())

    @cached_property
    def class_sizes(self) -> Int64:
        """Number of records of every masked tuple: the equivalence classes of the release."""
        kept = ~self.suppressed
        return np.bincount(self.masked[kept], self.counts[kept], minlength=len(self.values)).astype(np.int64)

    @cached_property
    def values_of_pairs(self) -> Int32:
        """The replacements of every pair, [pairs, m]; those of suppressed ones mean nothing."""
        if not len(self.values):
            return np.zeros((len(self.masked), self.values.shape[1]), np.int32)
        return self.values[self.masked]


def own_values(tuples: Tuples, attributes: Sequence[Attribute]) -> Int32:
    """The replacements that leave every tuple as it is, [p, m]."""
    return np.stack([a.own[tuples.codes[:, j]] for j, a in enumerate(attributes)], axis=1)


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """All that the figures of a release are computed from.

    `attributes` are those of the evaluation: same codes and replacements as the masking, under the measure
    that losses are counted by. Weights steer a masking; here every attribute counts alike.
    """

    tuples: Tuples
    attributes: Sequence[Attribute]
    pairs: Pairs
    combine: Combine = "mean"

    @cached_property
    def merged(self) -> ReleaseView:
        """The same with original tuples, and masked tuples, merged that the attributes cannot tell apart."""
        first, which = distinct_rows(list(own_values(self.tuples, self.attributes).T))
        counts = np.bincount(which, self.tuples.counts, minlength=len(first)).astype(np.int64)
        pairs = self.pairs
        merged = Pairs.of_rows(which[pairs.original], pairs.values_of_pairs, pairs.counts, pairs.suppressed)
        view = ReleaseView(Tuples(self.tuples.codes[first], counts), self.attributes, merged, self.combine)
        view.__dict__["merged"] = view
        return view

    @cached_property
    def is_blanked(self) -> Bool:
        """Which pairs lost every value they had: rows that were kept, but emptied."""
        pairs, m = self.pairs, len(self.attributes)
        nothing = np.array([a.nothing if a.nothing >= 0 else -2 for a in self.attributes])
        empty = (pairs.values_of_pairs == nothing).sum(axis=1) == m
        missing = np.array([a.missing for a in self.attributes])
        had = (self.tuples.codes[pairs.original] != missing).any(axis=1)
        blanked: Bool = ~pairs.suppressed & empty & had
        return blanked

    @property
    def n_blanked(self) -> int:
        """Records that were kept without any value."""
        return int(self.pairs.counts[self.is_blanked].sum())

    def unchanged(self, j: int) -> float:
        """Of the values of a column that were released, the share that is as it was; 0 if there was none."""
        attribute, pairs = self.attributes[j], self.pairs
        codes = self.tuples.codes[pairs.original, j]
        there = ~pairs.suppressed & (codes != attribute.missing)
        same = there & (pairs.values_of_pairs[:, j] == attribute.own[codes])
        return float(pairs.counts[same].sum() / max(pairs.counts[there].sum(), 1))

    def __post_init__(self) -> None:
        alike = [a if a.weight == 1 else replace(a, weight=1.0) for a in self.attributes]
        object.__setattr__(self, "attributes", alike)
