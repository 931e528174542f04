"""Compiled loops of Ward's clustering: squared distances of clusters, and their mergers."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes._kernels import distance, fill_from_tuple
from ontomask.attributes.space import Space
from ontomask.compiled import kernel, step


@kernel
def pairwise(space: Space) -> Float64:
    """Record distance between every two tuples (a sum over attributes, or a Euclidean distance), [p, p]."""
    p = len(space.counts)
    table, row = np.empty((p, p)), np.empty(len(space.values))
    for t in range(p):
        fill_from_tuple(space, t, row)
        for s in range(p):
            total = distance(space, row, s)
            table[t, s] = np.sqrt(total) if space.euclidean else total
    return table


@kernel
def square_by_counts(table: Float64, counts: Int64) -> None:
    """Turn distances into ``2 w_a w_b / (w_a + w_b) d^2``, in place: the table is large."""
    for a in range(len(counts)):
        for b in range(len(counts)):
            table[a, b] *= table[a, b] * (2 * counts[a] * counts[b] / (counts[a] + counts[b]))


@step
def merge_clusters(squares: Float64, sizes: Float64, i: int, j: int) -> None:
    """Cluster i becomes part of cluster j: the Lance-Williams update of Ward's method.

    ``d(ij, k) = ((n_i + n_k) d_ik + (n_j + n_k) d_jk - n_k d_ij) / (n_i + n_j + n_k)``
    """
    apart = squares[i, j]
    for k in range(len(sizes)):
        if sizes[k] > 0 and k != i and k != j:
            joined = (sizes[i] + sizes[k]) * squares[i, k] + (sizes[j] + sizes[k]) * squares[j, k]
            joined = (joined - sizes[k] * apart) / (sizes[i] + sizes[j] + sizes[k])
            squares[j, k] = squares[k, j] = joined
    sizes[j] += sizes[i]
    sizes[i] = 0


@kernel
def nearest_neighbour_chain(squares: Float64, counts: Int64) -> Float64:
    """Merges (kept slot, emptied slot, squared height) by following nearest neighbours, in no order.

    `squares` is overwritten. A merger never makes a cluster nearer than both of its parts were, so that
    mutual neighbours may be merged when found.
    """
    p = len(counts)
    sizes = counts.astype(np.float64)
    merges = np.empty((p - 1, 3))
    chain, length = np.empty(p, np.int64), 0
    first = 0
    for m in range(p - 1):
        if length == 0:
            while sizes[first] == 0:
                first += 1
            chain[0], length = first, 1
        while True:
            i = chain[length - 1]
            j = chain[length - 2] if length > 1 else -1
            nearest = squares[i, j] if j >= 0 else np.inf  # of equal ones the one before, or it never ends
            for k in range(p):
                if k != i and sizes[k] > 0 and squares[i, k] < nearest:
                    nearest, j = squares[i, k], k
            if length > 1 and j == chain[length - 2]:
                break
            chain[length] = j
            length += 1
        length -= 2
        i, j = min(i, j), max(i, j)
        merges[m, 0], merges[m, 1], merges[m, 2] = i, j, nearest
        merge_clusters(squares, sizes, int(i), int(j))
    return merges


@kernel
def numbered_merges(found: Float64, counts: Int64) -> Float64:
    """Merges of slots, lowest first, as (a, b, height, records) with clusters p, p + 1, .. as they arise."""
    p = len(counts)
    merges, records = np.empty((p - 1, 4)), np.zeros(2 * p - 1)
    records[:p] = counts
    top = np.arange(2 * p - 1)  # leads up to the cluster that holds a slot or a cluster
    ends = np.empty(2, np.int64)
    for m in range(p - 1):
        for side in range(2):
            at = int(found[m, side])
            while top[at] != at:
                top[at] = top[top[at]]  # halve the way for the next search
                at = top[at]
            ends[side] = at
        a, b = ends.min(), ends.max()
        top[a] = top[b] = p + m
        records[p + m] = records[a] + records[b]
        merges[m, 0], merges[m, 1] = a, b
        merges[m, 2], merges[m, 3] = np.sqrt(max(found[m, 2], 0.0)), records[p + m]
    return merges


@kernel
def labels_of_cut(merges: Int64, n_clusters: int) -> Int32:
    """Cluster of every leaf after all but the last n_clusters - 1 merges; clusters in order of first leaf."""
    p = len(merges) + 1
    above = np.full(2 * p - 1, -1, np.int64)
    for m in range(p - n_clusters):
        above[merges[m, 0]] = above[merges[m, 1]] = p + m
    top = np.empty(2 * p - 1, np.int64)
    for node in range(2 * p - 2, -1, -1):
        top[node] = node if above[node] < 0 else top[above[node]]
    number, found = np.full(2 * p - 1, -1, np.int32), 0
    labels = np.empty(p, np.int32)
    for leaf in range(p):
        if number[top[leaf]] < 0:
            number[top[leaf]] = found
            found += 1
        labels[leaf] = number[top[leaf]]
    return labels
