"""Arrays by their short names, and distinct rows: the one operation that every room needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Bool = npt.NDArray[np.bool_]
UInt8 = npt.NDArray[np.uint8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]
Values = npt.NDArray[Any]

_PACKED = 2**62


def distinct_rows(columns: Sequence[Values]) -> tuple[Int64, Int64]:
    """First place of every distinct row, in lexicographic order, and which of them each row is.

    >>> first, which = distinct_rows([np.array([2, 1, 2]), np.array([np.nan, 7.0, np.nan])])
    >>> first.tolist(), which.tolist()
    ([1, 0], [1, 0, 1])
    """
    which, bound = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        codes, size = _codes(column)
        if bound * size > _PACKED:
            seen, which = np.unique(which, return_inverse=True)
            bound = len(seen)
        which = which * size + codes  # mixed radix: one number sorts as the row does
        bound *= size
    _, first, which = np.unique(which, return_index=True, return_inverse=True)
    return first, which


def first_places(numbers: Integers, size: int) -> Int64:
    """Where each of the numbers below `size` stands first; past the end, if it does not.

    >>> first_places(np.array([2, 0, 2, 0]), 3).tolist()
    [1, 4, 0]
    """
    first = np.full(size, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of those assigned to one place the last one stays
    return first


def counted_sum(counts: Int64, table: Float64) -> Any:
    """Sum over rows that stand for `counts` records each; of a table, column by column.

    Not a product of matrices: for these few columns its threads would wait for one another.

    >>> counted_sum(np.array([2, 1]), np.array([[1.0, 0.5], [3.0, 0.0]])).tolist()
    [5.0, 1.0]
    """
    return np.einsum("i,i...->...", counts.astype(np.float64), table)


def _codes(column: Values) -> tuple[Int64, int]:
    """Numbers from 0 in the order of the values, and one more than the greatest of them."""
    if column.dtype.kind in "iu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < _PACKED >> 32:
            return column.astype(np.int64) - low, high - low + 1
    codes = np.unique(column, return_inverse=True)[1]
    return codes, int(codes.max(initial=0)) + 1
