"""SA-MDAV: semantic adaptive microaggregation (Martinez, Sanchez & Valls 2012; Martinez 2013, ch. 6).

Clusters have at least k records and no upper bound; equal records always stay together. A cluster grows from
its seed by the tuple closest to its moving centroid. Where columns are truthful, that is the tuple with which
the cluster's cover costs all of its records least (NCP).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import (
    Group,
    centroid,
    clear,
    distance,
    empty_group,
    empty_points,
    fill_from_point,
    fill_from_tuple,
    join,
    middle,
)
from ontomask.compiled import kernel, step
from ontomask.methods._pool import CLOSEST, FARTHEST, Pool, extreme, pool_of, remove
from ontomask.methods.base import Microaggregation, with_centroids
from ontomask.methods.task import Entries, Task
from ontomask.options import option


@dataclass(frozen=True)
class SaMdav(Microaggregation):
    """Adaptive-size semantic microaggregation."""

    name: ClassVar[str] = "sa-mdav"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of at least {k}, equal records "
        "always in the same group, and everybody in a group was given the same values: those closest in "
        "meaning to all of them (semantic adaptive microaggregation, SA-MDAV)."
    )
    weighted: bool = option(
        False, "multiply a distance by the count of the compared tuple (wsd), as published"
    )
    static: bool = option(False, "grow clusters around their first tuple instead of their moving centroid")

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        group_of_tuple, n_groups = sa_mdav(space, ids, k, self.weighted, self.static, task.done)
        return with_centroids(space, Entries.whole(group_of_tuple, space.counts), n_groups)


@kernel
def sa_mdav(space: Space, ids: Int64, k: int, weighted: bool, static: bool, done: Int64) -> tuple[Int32, int]:
    """Cluster of every tuple of `ids` (-1: of the others), and how many there are."""
    cluster_of = np.full(len(space.counts), -1, np.int32)
    clusters: Any = np.int64(0)  # not a literal, for which `grow` would be compiled twice
    # What a cover costs, it costs every record: frequent tuples are better off by themselves.
    pool = pool_of(space, ids.copy(), space.counts, weighted or space.has_covers)
    row = np.empty(len(space.values))
    everyone, members = empty_group(space), empty_group(space)  # D and C
    left = np.int64(0)
    for t in ids:
        join(space, everyone, t, space.counts[t])
        left += space.counts[t]
    total, points = left, empty_points(space, len(ids))

    while left >= k:
        middle(space, everyone, points, clusters)
        fill_from_point(space, points, clusters, row)
        r = extreme(space, pool, row, FARTHEST)
        left -= grow(space, k, static, r, pool, everyone, members, row, cluster_of, points, clusters)
        clusters += 1
        if left >= k:
            fill_from_tuple(space, r, row)
            s = extreme(space, pool, row, FARTHEST)
            left -= grow(space, k, static, s, pool, everyone, members, row, cluster_of, points, clusters)
            clusters += 1
        done[0] = total - left

    rest = pool.ids[: pool.size[0]]  # fewer than k records are left: each tuple joins the closest cluster
    closest = np.empty(len(rest))
    for c in range(clusters if len(rest) > 0 else 0):
        fill_from_point(space, points, c, row)
        for i in range(len(rest)):
            d = distance(space, row, rest[i])
            if c == 0 or d < closest[i]:
                cluster_of[rest[i]], closest[i] = c, d
    return cluster_of, clusters


@step
def grow(
    space: Space,
    k: int,
    static: bool,
    seed: int,
    pool: Pool,
    everyone: Group,
    members: Group,
    row: Float64,
    cluster_of: Int32,
    points: Points,
    cluster: int,
) -> int:
    """Build one cluster of at least k records around a seed; returns its size."""
    clear(space, members)
    size, t = 0, seed
    while True:
        remove(pool, t)
        join(space, everyone, t, -space.counts[t])
        join(space, members, t, space.counts[t])
        cluster_of[t] = cluster
        size += space.counts[t]
        if not static or size >= k:
            centroid(space, members, points, cluster)
        if size >= k:
            return size
        if static:
            fill_from_tuple(space, seed, row)
        else:
            fill_from_point(space, points, cluster, row)
        t = extreme(space, pool, row, CLOSEST, -1, size if space.has_covers else 0)
