"""Compiled loops over the is-a graph. Concepts are topologically ordered: parents come before children."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def closure(starts, values):  # type: ignore[no-untyped-def]
    """Ancestors of every concept, itself included, ascending, with the fewest is-a links up to each."""
    n = len(starts) - 1
    out_starts = np.zeros(n + 1, np.int64)
    ancestors = np.empty(max(16, 12 * n), np.int32)
    hops = np.empty(max(16, 12 * n), np.int16)
    best = np.full(n, -1, np.int16)  # links to an ancestor met so far, for concepts with several parents
    size = 0
    for c in range(n):
        bound = 1
        for e in range(starts[c], starts[c + 1]):
            bound += out_starts[values[e] + 1] - out_starts[values[e]]
        if size + bound > len(ancestors):
            room = 2 * len(ancestors) + bound
            grown_ancestors = np.empty(room, np.int32)
            grown_hops = np.empty(room, np.int16)
            grown_ancestors[:size] = ancestors[:size]
            grown_hops[:size] = hops[:size]
            ancestors, hops = grown_ancestors, grown_hops
        begin = size
        for e in range(starts[c], starts[c + 1]):
            p = values[e]
            for i in range(out_starts[p], out_starts[p + 1]):
                a = ancestors[i]
                h = hops[i] + 1
                if best[a] < 0:
                    ancestors[size] = a
                    size += 1
                    best[a] = h
                elif h < best[a]:
                    best[a] = h
        if starts[c + 1] - starts[c] > 1:
            ancestors[begin:size].sort()
        for i in range(begin, size):
            a = ancestors[i]
            hops[i] = best[a]
            best[a] = -1
        ancestors[size] = c
        hops[size] = 0
        size += 1
        out_starts[c + 1] = size
    return out_starts, ancestors[:size].copy(), hops[:size].copy()


@numba.njit(cache=True)
def pair_lcs(starts, ancestors, rank, a, b):  # type: ignore[no-untyped-def]
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
