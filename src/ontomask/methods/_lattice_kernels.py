"""Classes of generalised tuples, counted in one pass over those of a lower choice of levels."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.compiled import kernel, step

_PACKED = 2**62  # whole rows are numbers below this
_LOW = 0x7FFFFFFF  # 31 bits: their products stay within an Int64


@kernel
def merged(
    codes: Int32, nodes: Int32, which: Int64, at: Int64, tuples: Int64, counts: Int64
) -> tuple[Int64, Int64, Int64]:
    """Classes of rows that are equal at some levels: a tuple of each, its records, and the class of each row.

    Row r stands for `counts[r]` records like tuple `tuples[r]`; attribute `which[i]` is taken to level
    `at[i]`, where code c is `nodes[which[i], at[i], c]`, a number from 0. Classes are in the order of their
    first rows.
    """
    keys, bound = np.zeros(len(tuples), np.int64), np.int64(1)
    for i in range(len(which)):
        j = which[i]
        of_code = nodes[j, at[i]]
        size = np.int64(of_code.max()) + 1
        if bound > _PACKED // size:
            keys, first = _numbered(keys)
            bound = np.int64(len(first))
        for r in range(len(tuples)):
            keys[r] = keys[r] * size + of_code[codes[tuples[r], j]]  # mixed radix: one number for the row
        bound *= size
    class_of, first = _numbered(keys)
    sizes = np.zeros(len(first), np.int64)
    for r in range(len(tuples)):
        sizes[class_of[r]] += counts[r]
    return tuples[first], sizes, class_of


@step
def _numbered(keys: Int64) -> tuple[Int64, Int64]:
    """The number of each key among the distinct ones, in their order, and where each of these is first."""
    places = 16
    while places < 2 * len(keys):
        places *= 2
    taken_by = np.full(places, -1, np.int32)  # a hash table: the number of the key at each place
    numbers, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    n = 0
    for r in range(len(keys)):
        key = keys[r]
        mixed = ((key ^ (key >> 31)) & _LOW) * 0x2C1B3C6D
        place = (mixed ^ (mixed >> 17)) & (places - 1)
        while taken_by[place] >= 0 and keys[first[taken_by[place]]] != key:
            place = (place + 1) & (places - 1)
        if taken_by[place] < 0:
            taken_by[place], first[n] = n, r
            n += 1
        numbers[r] = taken_by[place]
    return numbers, first[:n].copy()
