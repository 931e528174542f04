"""MDAV: microaggregation with clusters of fixed size (Hundepool et al. 2003), and its versions for words.

S-MDAV compares and averages by meaning; `mdav-equality` (Domingo-Ferrer & Torra 2005) and `mdav-lcs` (Abril,
Navarro-Arribas & Torra 2010) are the published baselines. Records are individual and weigh 1: the records of
a tuple may be split over clusters, so the pool holds how many of each are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import (
    Group,
    empty_group,
    empty_points,
    fill_from_point,
    fill_from_tuple,
    join,
    middle,
)
from ontomask.attributes.space import Strategy
from ontomask.compiled import kernel, step
from ontomask.methods._pool import FARTHEST, Pool, distances_of_block, extreme, pool_of, remove
from ontomask.methods.base import Microaggregation, with_centroids
from ontomask.methods.task import Entries, Task


@dataclass(frozen=True)
class Mdav(Microaggregation):
    """Fixed-size microaggregation; the classic method on numbers, S-MDAV as soon as there are words."""

    name: ClassVar[str] = "mdav"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of {k} or a few more, and everybody "
        "in a group was given the same, central values (microaggregation, MDAV)."
    )

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        tuples, groups, counts, n_groups = mdav(space, ids, k, task.done)
        return with_centroids(space, Entries(tuples, groups, counts), n_groups)


@dataclass(frozen=True)
class SMdav(Mdav):
    """MDAV with the semantic distance and the semantic centroid."""

    name: ClassVar[str] = "s-mdav"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of {k} or a few more, and everybody "
        "in a group was given the same values: those closest in meaning to all of them (semantic "
        "microaggregation, S-MDAV)."
    )


@dataclass(frozen=True)
class MdavEquality(Mdav):
    """Baseline that knows no meaning: 0/1 distance, centroid = mode."""

    name: ClassVar[str] = "mdav-equality"
    words: ClassVar[str] = (
        "People were put together in groups of {k} or a few more by how many of their values are equal, and "
        "everybody in a group was given its most frequent values (microaggregation without meaning: a "
        "baseline)."
    )
    measure: ClassVar[str] = "equality"
    strategy: ClassVar[Strategy] = "mode"


@dataclass(frozen=True)
class MdavLcs(Mdav):
    """Baseline by Wu-Palmer distance, centroid = least common subsumer."""

    name: ClassVar[str] = "mdav-lcs"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of {k} or a few more, and everybody "
        "in a group was given the most specific concept that covers all of its values (microaggregation with "
        "generalisation: a baseline)."
    )
    measure: ClassVar[str] = "wup"
    strategy: ClassVar[Strategy] = "lcs"


@kernel
def mdav(space: Space, ids: Int64, k: int, done: Int64) -> tuple[Int32, Int32, Int64, int]:
    """Entries (tuple, cluster, records) of the tuples `ids`, and the number of clusters."""
    everyone, points = empty_group(space), empty_points(space, 1)
    n = np.int64(0)
    for t in ids:
        join(space, everyone, t, space.counts[t])
        n += space.counts[t]
    room = len(ids) + 2 * (n // k) + 4  # a cluster leaves two tuples split at most: its farthest member and s
    members, groups, counts = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64)
    size, clusters, total = 0, 0, n
    pool, row, left = (
        pool_of(space, ids.copy(), space.counts, False),
        np.empty(len(space.values)),
        space.counts.copy(),
    )

    while n >= 2 * k:
        middle(space, everyone, points, 0)
        fill_from_point(space, points, 0, row)
        r = extreme(space, pool, row, FARTHEST)
        fill_from_tuple(space, r, row)
        s = extreme(space, pool, row, FARTHEST) if n >= 3 * k else -1  # chosen before r's cluster is filled
        size = take_nearest(space, k, row, s, pool, left, everyone, members, groups, counts, size, clusters)
        clusters += 1
        n -= k
        if s >= 0:
            fill_from_tuple(space, s, row)
            size = take_nearest(
                space, k, row, -1, pool, left, everyone, members, groups, counts, size, clusters
            )
            clusters += 1
            n -= k
        done[0] = total - n
    for t in ids:  # the rest
        if left[t] > 0:
            members[size], groups[size], counts[size] = t, clusters, left[t]
            size += 1
    return members[:size].copy(), groups[:size].copy(), counts[:size].copy(), clusters + 1


@step
def take_nearest(
    space: Space,
    k: int,
    row: Float64,
    reserved: int,
    pool: Pool,
    left: Int64,
    everyone: Group,
    members: Int32,
    groups: Int32,
    counts: Int64,
    size: int,
    cluster: int,
) -> int:
    """Move the k records nearest to the point that filled `row` into a cluster; ties by tuple order.

    One record of the tuple `reserved` is left out. A heap holds the nearest tuples met so far, the farthest
    of them on top, and sheds it as soon as the others have k records.
    """
    heap_distance, heap_tuple = np.empty(k + 1), np.empty(k + 1, np.int64)
    height, total = 0, 0
    block = pool.scratch
    for start in range(0, pool.size[0], len(block)):
        width = min(len(block), pool.size[0] - start)
        distances_of_block(space, pool, row, start, width, block)
        for i in range(width):
            t, d = pool.ids[start + i], block[i]
            available = left[t] - (t == reserved)
            if available <= 0:
                continue
            if total >= k and (d, t) >= (heap_distance[0], heap_tuple[0]):
                continue
            height = push(heap_distance, heap_tuple, height, d, t)
            total += available
            while True:
                top = heap_tuple[0]
                shed = left[top] - (top == reserved)
                if total - shed < k:
                    break
                total -= shed
                height = pop(heap_distance, heap_tuple, height)
    farthest_member, excess = heap_tuple[0], total - k
    for i in range(height):
        t = heap_tuple[i]
        taken = left[t] - (t == reserved) - (excess if t == farthest_member else 0)
        members[size], groups[size], counts[size] = t, cluster, taken
        size += 1
        left[t] -= taken
        join(space, everyone, t, -taken)
        if left[t] == 0:
            remove(pool, t)
    return size


@step
def push(distances: Float64, tuples: Int64, height: int, d: float, t: int) -> int:
    """Add to a heap whose top is the greatest (distance, tuple)."""
    at = height
    while at > 0:
        above = (at - 1) // 2
        if (distances[above], tuples[above]) >= (d, t):
            break
        distances[at], tuples[at] = distances[above], tuples[above]
        at = above
    distances[at], tuples[at] = d, t
    return height + 1


@step
def pop(distances: Float64, tuples: Int64, height: int) -> int:
    """Remove the top of the heap."""
    height -= 1
    d, t = distances[height], tuples[height]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= height:
            break
        if child + 1 < height and (distances[child + 1], tuples[child + 1]) > (
            distances[child],
            tuples[child],
        ):
            child += 1
        if (d, t) >= (distances[child], tuples[child]):
            break
        distances[at], tuples[at] = distances[child], tuples[child]
        at = child
    distances[at], tuples[at] = d, t
    return height
