"""Compiled loops over sets of columns: the records that agree on each, and how sure a value is among them.

Sets are walked depth first, so that those with the same first columns share what these have in common. Rows,
numbers and counts only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.compiled import kernel, step

MOST_CELLS = 2**25  # of the table by which pairs are numbered; beyond it they are sorted


class Rows(NamedTuple):
    """Rows that stand for `sizes[i]` records each: `codes[a, i]` in column a, which has `widths[a]` codes.

    `start[i]` (of `n_start`) is what tells rows apart before any column does. Of every further column b the
    entries `first[b]:first[b + 1]` have `counts[e]` records of row `row_of[e]` with value `values[e]`, of
    `value_widths[b]`. The last of them says whose records they are, if `counts_people`; in the others no
    value may have a share above `most` of a group.
    """

    codes: Int32
    widths: Int64
    start: Int32
    n_start: int
    sizes: Int64
    first: Int64
    row_of: Int32
    values: Int32
    counts: Int64
    value_widths: Int64
    counts_people: bool
    most: float


@step
def number_pairs(ids: Int32, n_ids: int, codes: Int32, n_codes: int, out: Int32) -> int:
    """Number the pairs of an id and a code that occur, into `out`; how many there are."""
    n = 0
    if n_ids * n_codes <= MOST_CELLS:
        number = np.full(n_ids * n_codes, -1, np.int32)
        for i in range(len(ids)):
            key = np.int64(ids[i]) * n_codes + codes[i]
            if number[key] < 0:
                number[key] = n
                n += 1
            out[i] = number[key]
        return n
    keys = ids.astype(np.int64) * n_codes + codes
    order = np.argsort(keys)
    for at in range(len(order)):
        if at > 0 and keys[order[at]] != keys[order[at - 1]]:
            n += 1
        out[order[at]] = n
    return n + 1 if len(order) else 0


@step
def records_of_groups(rows: Rows, ids: Int32, n_ids: int) -> Int64:
    """Records of every group of rows, or people; 0 where a value has too large a share."""
    records = np.zeros(n_ids, np.int64)
    for i in range(len(ids)):
        records[ids[i]] += rows.sizes[i]
    n_columns = len(rows.value_widths)
    found = np.zeros(n_ids, np.int64) if rows.counts_people else records.copy()
    for b in range(n_columns - 1, -1, -1):  # people first: a value that is too sure makes it 0
        low, high = rows.first[b], rows.first[b + 1]
        mine = ids[rows.row_of[low:high]]
        pairs = np.empty(high - low, np.int32)
        n_pairs = number_pairs(mine, n_ids, rows.values[low:high], rows.value_widths[b], pairs)
        in_pair = np.zeros(n_pairs, np.int64)
        if rows.counts_people and b == n_columns - 1:
            for e in range(len(pairs)):
                if in_pair[pairs[e]] == 0:
                    found[mine[e]] += 1
                in_pair[pairs[e]] = 1
            continue
        for e in range(len(pairs)):
            in_pair[pairs[e]] += rows.counts[low + e]
        for e in range(len(pairs)):
            if in_pair[pairs[e]] > rows.most * records[mine[e]]:
                found[mine[e]] = 0
    return found


@kernel
def fewest_records(rows: Rows, depth: int, least: int) -> tuple[Int64, Int64]:
    """Per row the fewest records of its group on any set of `depth` columns; and a set with too few.

    With a `least` above 0 the walk ends at the first set, also of fewer columns, on which some group has
    fewer: the second array has its columns, and the first what is known by then. Else it is [-1].
    """
    m, n = rows.codes.shape
    fewest = np.full(n, np.iinfo(np.int64).max, np.int64)
    ids = np.empty((depth + 1, n), np.int32)
    n_ids, following, chosen = (
        np.empty(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth, np.int64),
    )
    ids[0], n_ids[0] = rows.start, rows.n_start
    d, is_new = 0, True
    while d >= 0:
        if is_new and (d == depth or least > 0):
            found = records_of_groups(rows, ids[d], n_ids[d])
            too_few = False
            for i in range(n):
                records = found[ids[d, i]]
                fewest[i] = min(fewest[i], records)
                too_few |= records < least
            if too_few:
                return fewest, chosen[:d].copy()
        is_new = d < depth and following[d] <= m - (depth - d)
        if not is_new:
            d -= 1
            continue
        a = following[d]
        following[d] += 1
        chosen[d] = a
        n_ids[d + 1] = number_pairs(ids[d], n_ids[d], rows.codes[a], rows.widths[a], ids[d + 1])
        following[d + 1] = a + 1
        d += 1
    return fewest, np.full(1, -1, np.int64)
