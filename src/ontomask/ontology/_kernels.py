"""Compiled loops over the is-a graph. Concepts are topologically ordered: parents come before children."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.arrays import Int16, Int32, Int64
from ontomask.compiled import kernel, step


@kernel
def closure(starts: Int64, values: Int32, most: int) -> tuple[Int64, Int32, Int16]:
    """Ancestors of every concept, itself included, ascending, with the fewest is-a links up to each.

    If there are more than `most` in all, the last start stays 0.
    """
    n = len(starts) - 1
    out_starts = np.zeros(n + 1, np.int64)
    ancestors, hops = np.empty(max(16, 12 * n), np.int32), np.empty(max(16, 12 * n), np.int16)
    links = np.zeros(n, np.int16)  # to each ancestor of the concept at hand
    merged, longer = np.empty(n, np.int32), np.empty(n, np.int32)
    size = 0
    for c in range(n):
        length: Any = np.int64(0)
        for e in range(starts[c], starts[c + 1]):
            first, last = out_starts[values[e]], out_starts[values[e] + 1]
            length = merge(merged, length, ancestors, hops, first, last, links, longer)
            merged, longer = longer, merged
        if size + length + 1 > most:
            break
        if size + length + 1 > len(ancestors):
            ancestors, hops = grown(ancestors, size + length + 1), grown(hops, size + length + 1)
        for i in range(length):
            ancestors[size], hops[size] = merged[i], links[merged[i]]
            size += 1
        ancestors[size], hops[size] = c, 0
        size += 1
        out_starts[c + 1] = size
    return out_starts, ancestors[:size].copy(), hops[:size].copy()


@step
def merge(
    left: Int32, n_left: int, right: Int32, hops: Int16, first: int, last: int, links: Int16, out: Int32
) -> int:
    """Two ascending runs as one, without repeats; notes the fewest links (one more than the parent's)."""
    i, j, n = 0, first, 0
    while i < n_left or j < last:
        if j == last or (i < n_left and left[i] < right[j]):
            out[n] = left[i]
            i += 1
        else:
            known = i < n_left and left[i] == right[j]
            links[right[j]] = min(links[right[j]], hops[j] + 1) if known else hops[j] + 1
            out[n] = right[j]
            i += known
            j += 1
        n += 1
    return n


@step
def grown(array: np.ndarray, least: int) -> np.ndarray:
    """A copy with room for more (item by item: a slice assignment takes seconds to compile)."""
    longer = np.empty(2 * len(array) + least, array.dtype)
    for i in range(len(array)):
        longer[i] = array[i]
    return longer


@kernel
def pair_lcs(starts: Int64, ancestors: Int32, rank: Int32, a: Int64, b: Int64) -> Int32:
    """For each pair (a[i], b[i]) the common ancestor of highest `rank`."""
    out = np.empty(len(a), np.int32)
    for i in range(len(a)):
        p, p_end = starts[a[i]], starts[a[i] + 1]
        q, q_end = starts[b[i]], starts[b[i] + 1]
        best, best_rank = -1, -1
        while p < p_end and q < q_end:
            if ancestors[p] < ancestors[q]:
                p += 1
            elif ancestors[p] > ancestors[q]:
                q += 1
            else:
                if rank[ancestors[p]] > best_rank:
                    best, best_rank = ancestors[p], rank[ancestors[p]]
                p += 1
                q += 1
        out[i] = best
    return out
