"""Semantic k-Ward: Ward's clustering with a least size (Domingo-Ferrer & Mateo-Sanz 2002).

The two most distant tuples start a group of at least k records each. Then the two groups that are nearest by
Ward's method are joined, but never two that have k records both, until every group has k. Groups of 2k and
more are treated in the same way. Distances are semantic, and the records of a tuple stay together. It keeps
all distances between tuples, so there cannot be many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._ward_kernels import merge_clusters, pairwise, square_by_counts
from ontomask.compiled import kernel, step
from ontomask.errors import OntomaskError
from ontomask.methods.base import Microaggregation, with_centroids
from ontomask.methods.task import Entries, Task

MOST_TUPLES = 5_000


@dataclass(frozen=True)
class KWard(Microaggregation):
    """Ward's clustering with groups of at least k records."""

    name: ClassVar[str] = "k-ward"
    words: ClassVar[str] = (
        "People with similar values were joined into groups, those first whose union differs least, until "
        "each group had at least {k} people, equal records always in the same group; and everybody in a "
        "group was given the same values: those closest in meaning to all of them (semantic k-Ward)."
    )
    compiled: ClassVar[str] = "k_ward"

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        if len(ids) > MOST_TUPLES:
            raise OntomaskError(
                f"k-ward compares all distinct tuples with one another, {MOST_TUPLES:,} at most; there are "
                f"{len(ids):,}",
                key="method.name",
                remedy="use `annealing` or `sa-mdav`, which take many more",
            )
        group_of_tuple, n_groups = np.zeros(len(space.counts), np.int32), 0
        waiting = [ids]
        while waiting:
            some = waiting.pop()
            found = split(space, some, k)
            for g in range(int(found.max()) + 1):
                part = some[found == g]
                size = int(space.counts[part].sum())
                if size >= 2 * k and len(part) < len(some):
                    waiting.append(part)
                    continue
                group_of_tuple[part] = n_groups
                n_groups += 1
                task.done[0] += size
        return with_centroids(space, Entries.whole(group_of_tuple, space.counts), n_groups)


def split(space: Space, ids: Int64, k: int) -> Int32:
    """Groups of at least k records of some tuples, two or more of them; all in one if that cannot be."""
    own = space._replace(codes=np.ascontiguousarray(space.codes[:, ids]), counts=space.counts[ids])
    if own.counts.sum() < 2 * k or len(ids) < 2:
        return np.zeros(len(ids), np.int32)
    table = pairwise(own)
    members, n_first = seeds(table, own.counts, k)
    if n_first == 0:
        return np.zeros(len(ids), np.int32)
    square_by_counts(table, own.counts)
    return joined(table, own.counts, k, members, n_first)


@kernel
def seeds(apart: Float64, counts: Int64, k: int) -> tuple[Int64, int]:
    """The tuples of two groups in the order in which they joined, and how many of them are of the first.

    They start from the two most distant tuples and take the nearest to these until they have k records; the
    first group leaves the second its start. None, if that leaves fewer than k records for the second.
    """
    p = len(counts)
    r, s = 0, 1
    for a in range(p):
        for b in range(a + 1, p):
            if apart[a, b] > apart[r, s]:
                r, s = a, b
    is_taken = np.zeros(p, np.bool_)
    is_taken[r] = is_taken[s] = True
    members, n, n_first = np.empty(p, np.int64), 0, 0
    for start in (r, s):
        members[n] = start
        n += 1
        size = counts[start]
        while size < k:
            nearest = -1
            for t in range(p):
                if not is_taken[t] and (nearest < 0 or apart[start, t] < apart[start, nearest]):
                    nearest = t
            if nearest < 0:
                return members[:0], 0
            is_taken[nearest] = True
            members[n] = nearest
            n += 1
            size += counts[nearest]
        if start == r:
            n_first = n
    return members[:n], n_first


@step
def find_nearest(squares: Float64, sizes: Float64, k: int, a: int, nearest: Int64) -> None:
    """nearest[a]: the cluster after a that it may be joined to at the least cost, or -1."""
    nearest[a] = -1
    for b in range(a + 1, len(sizes)):
        if sizes[b] == 0 or (sizes[a] >= k and sizes[b] >= k):
            continue
        if nearest[a] < 0 or squares[a, b] < squares[a, nearest[a]]:
            nearest[a] = b


@kernel
def joined(squares: Float64, counts: Int64, k: int, members: Int64, n_first: int) -> Int32:
    """Group of every tuple, in order of the first tuple of each; `squares` is overwritten."""
    p = len(counts)
    sizes, within = counts.astype(np.float64), np.arange(p)
    for i in range(len(members)):
        start = members[0] if i < n_first else members[n_first]
        if members[i] != start:
            merge_clusters(squares, sizes, members[i], start)
            within[members[i]] = start
    nearest, n_small = np.full(p, -1, np.int64), 0
    for a in range(p):
        if sizes[a] > 0:
            find_nearest(squares, sizes, k, a, nearest)
            n_small += sizes[a] < k
    while n_small > 0:
        best = -1
        for a in range(p):
            if sizes[a] == 0 or nearest[a] < 0:
                continue
            if best < 0 or squares[a, nearest[a]] < squares[best, nearest[best]]:
                best = a
        a, b = best, int(nearest[best])
        n_small -= int(sizes[a] < k) + int(sizes[b] < k)
        merge_clusters(squares, sizes, b, a)
        n_small += int(sizes[a] < k)
        within[b] = a
        for c in range(b):
            is_near = nearest[c] in (a, b) or squares[c, a] <= squares[c, nearest[c]]
            if sizes[c] > 0 and (c == a or is_near):
                find_nearest(squares, sizes, k, c, nearest)
    labels, n_labels = np.full(p, -1, np.int32), 0
    found = np.empty(p, np.int32)
    for t in range(p):
        top = t
        while within[top] != top:
            top = within[top]
        if labels[top] < 0:
            labels[top] = n_labels
            n_labels += 1
        found[t] = labels[top]
    return found
