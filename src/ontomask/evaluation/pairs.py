"""What became of what: the distinct (original tuple, masked tuple) pairs of two tables, with counts.

One form serves a masking just made and any two tables matched row by row. It holds integers and numbers
only; which label a candidate has is the business of those who built the attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Bool, Int32, Int64, Values, distinct_rows
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.space import Combine

if TYPE_CHECKING:
    from ontomask.methods.base import Masking

Column = Values


@dataclass(frozen=True, eq=False)
class Pairs:
    """`counts[e]` records of original tuple `original[e]` became masked tuple `masked[e]` (-1: suppressed).

    `masked_values[j][a]` is what masked tuple a has in attribute j, as in a masking: a candidate's index
    (nominal) or a number. Masked tuples are distinct, and so are the pairs.

    >>> pairs = Pairs.of_rows(np.array([0, 0, 1, 2]), [np.array([5.0, 5.0, 5.0, 8.0])])
    >>> pairs.original.tolist(), pairs.masked.tolist(), pairs.counts.tolist()
    ([0, 1, 2], [0, 0, 1], [2, 1, 1])
    """

    original: Int32
    masked: Int32
    counts: Int64
    masked_values: tuple[Column, ...]

    @classmethod
    def of_rows(
        cls,
        original: npt.NDArray[np.integer],
        masked_values: Sequence[Column],
        counts: Int64 | None = None,
        suppressed: Bool | None = None,
    ) -> Pairs:
        """Row i, standing for `counts[i]` records, was tuple `original[i]`, is now `masked_values[j][i]`."""
        n = len(original)
        times = np.ones(n, np.int64) if counts is None else counts
        kept = np.ones(n, bool) if suppressed is None else ~suppressed
        masked = np.full(n, -1, np.int64)
        first, masked[kept] = distinct_rows([column[kept] for column in masked_values])
        values = tuple(column[kept][first] for column in masked_values)
        pair, place = distinct_rows([original, masked])
        summed = np.bincount(place, times, minlength=len(pair)).astype(np.int64)
        return cls(original[pair].astype(np.int32), masked[pair].astype(np.int32), summed, values)

    @classmethod
    def of(cls, masking: Masking) -> Pairs:
        """Pairs of a masking; groups with the same values become one masked tuple."""
        suppressed = masking.groups < 0
        # A suppressed entry has no group: the blank value it is given here is not looked at.
        values = [np.append(column, column.dtype.type(0))[masking.groups] for column in masking.values]
        return cls.of_rows(masking.tuples, values, masking.counts, suppressed)

    @classmethod
    def unmasked(cls, tuples: Tuples, attributes: Sequence[Attribute]) -> Pairs:
        """Every record as it was: what an evaluation starts from."""
        values = [a.as_masked(tuples.codes[:, j]) for j, a in enumerate(attributes)]
        return cls.of_rows(np.arange(len(tuples)), values, tuples.counts)

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
        n_masked = len(self.masked_values[0])
        return np.bincount(self.masked[kept], self.counts[kept], minlength=n_masked).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """All that the figures of a release are computed from.

    `attributes` are those of the evaluation: same codes and candidates as the masked values, under the
    measure that losses are counted by.
    """

    tuples: Tuples
    attributes: Sequence[Attribute]
    pairs: Pairs
    combine: Combine = "mean"
