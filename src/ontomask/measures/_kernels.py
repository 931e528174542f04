"""All pairs a x b in one sweep down the is-a graph.

One row of working memory belongs to each ancestor x of any a, with a cell per b. A row is its parent's row
plus a correction for the few b below x, so a pair costs a byte or two of copying instead of a merge of two
ancestor sets. Layout (see `sweep.py`): `p_*` parents of each row; `d_*` columns below each row and the links
up from them; `e_*` ancestors that a row has and its first parent has not; `c_*` all ancestors of each row
that has several parents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.compiled import kernel


@kernel
def shared_subsumers(
    cell: Any,
    width: Any,
    p_starts: Any,
    p_rows: Any,
    d_starts: Any,
    d_ends: Any,
    d_columns: Any,
    e_starts: Any,
    e_rows: Any,
) -> Any:
    """|T(x) n T(b)|: the first parent's count, plus one for each b below each ancestor that x has more."""
    n = len(p_starts) - 1
    rows = np.empty((n, width), cell.dtype)
    for x in range(n):
        row = rows[x]
        if p_starts[x + 1] > p_starts[x]:
            parent = rows[p_rows[p_starts[x]]]
            for j in range(width):
                row[j] = parent[j]
        else:
            row[:] = 0
        for e in range(e_starts[x], e_starts[x + 1]):
            for i in range(d_starts[e_rows[e]], d_ends[e_rows[e]]):
                row[d_columns[i]] += 1
    return rows


@kernel
def shortest_paths(
    cell: Any, width: Any, p_starts: Any, p_rows: Any, d_starts: Any, d_ends: Any, d_columns: Any, d_hops: Any
) -> Any:
    """Fewest links x .. common ancestor .. b: one more than a parent's, or straight up from a b below x."""
    n = len(p_starts) - 1
    rows = np.empty((n, width), cell.dtype)
    one = cell.dtype.type(1)
    for x in range(n):
        row = rows[x]
        row[:] = cell[0]
        for e in range(p_starts[x], p_starts[x + 1]):
            parent = rows[p_rows[e]]
            for j in range(width):
                row[j] = min(row[j], parent[j] + one)
        for i in range(d_starts[x], d_ends[x]):
            row[d_columns[i]] = min(row[d_columns[i]], d_hops[i])
    return rows


@kernel
def greatest(
    cell: Any, width: Any, p_starts: Any, p_rows: Any, d_starts: Any, d_ends: Any, d_columns: Any, worth: Any
) -> Any:
    """Greatest `worth` of a common ancestor of x and b (worth is not negative)."""
    n = len(p_starts) - 1
    rows = np.zeros((n, width), cell.dtype)
    for x in range(n):
        row = rows[x]
        for e in range(p_starts[x], p_starts[x + 1]):
            parent = rows[p_rows[e]]
            for j in range(width):
                row[j] = max(row[j], parent[j])
        for i in range(d_starts[x], d_ends[x]):
            row[d_columns[i]] = max(row[d_columns[i]], worth[x])
    return rows


@kernel
def lcs_codes(
    cell: Any,
    width: Any,
    p_starts: Any,
    p_rows: Any,
    d_starts: Any,
    d_ends: Any,
    d_columns: Any,
    d_hops: Any,
    c_starts: Any,
    c_rows: Any,
    c_hops: Any,
    step: Any,
    code: Any,
    depth: Any,
    depths: Any,
) -> Any:
    """`step * (N1 + N2) + code(LCS)`, LCS the common ancestor of greatest depth, then lowest index.

    `code % depths` is the depth. The ancestors of a row with several parents come worst first.
    """
    n = len(p_starts) - 1
    rows = np.empty((n, width), cell.dtype)
    for x in range(n):
        row = rows[x]
        parents = p_starts[x + 1] - p_starts[x]
        if parents == 1:
            parent = rows[p_rows[p_starts[x]]]
            for j in range(width):
                row[j] = parent[j] + step
            for i in range(d_starts[x], d_ends[x]):
                j = d_columns[i]
                if depth[x] > row[j] % depths:
                    row[j] = code[x] + step * d_hops[i]
        elif parents == 0:
            for i in range(d_starts[x], d_ends[x]):
                row[d_columns[i]] = code[x] + step * d_hops[i]
        else:
            for e in range(c_starts[x], c_starts[x + 1]):
                c = c_rows[e]
                own = code[c] + step * c_hops[e]
                for i in range(d_starts[c], d_ends[c]):
                    row[d_columns[i]] = own + step * d_hops[i]
    return rows


@kernel
def emit_one(out: Any, offset: Any, rows: Any, row_of_a: Any, table: Any) -> Any:
    """out[i, j] = table[cell]."""
    width = rows.shape[1]
    for i in range(len(row_of_a)):
        row = rows[row_of_a[i]]
        target = out[i, offset : offset + width]
        for j in range(width):
            target[j] = table[row[j]]


@kernel
def emit_by_size(
    out: Any, offset: Any, rows: Any, row_of_a: Any, size_a: Any, size_b: Any, table: Any, stride: Any
) -> Any:
    """out[i, j] = table[size_a + size_b, cell], the table flat with rows of `stride`."""
    width = rows.shape[1]
    step = size_b * stride
    for i in range(len(row_of_a)):
        row = rows[row_of_a[i]]
        own = table[size_a[i] * stride :]
        target = out[i, offset : offset + width]
        for j in range(width):
            target[j] = own[step[j] + row[j]]
