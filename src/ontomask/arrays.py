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


def distinct_rows(columns: Sequence[Values]) -> tuple[Int64, Int64]:
    """First place of every distinct row, in lexicographic order, and which of them each row is.

    >>> first, which = distinct_rows([np.array([2, 1, 2]), np.array([np.nan, 7.0, np.nan])])
    >>> first.tolist(), which.tolist()
    ([1, 0], [1, 0, 1])
    """
    which = np.zeros(len(columns[0]), np.int64)
    first = which[:1]
    for column in columns:
        codes = np.unique(column, return_inverse=True)[1]
        which = which * (int(codes.max(initial=0)) + 1) + codes
        _, first, which = np.unique(which, return_index=True, return_inverse=True)
    return first, which
