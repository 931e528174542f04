"""SA-MDAV: semantic adaptive microaggregation (Martinez, Sanchez & Valls 2012; Martinez 2013, ch. 6).

Clusters have at least k records and no upper bound; equal records always stay together. A cluster grows from
its seed by the tuple closest to its moving centroid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Space
from ontomask.attributes._kernels import (
    Group,
    centroid,
    clear,
    distance,
    empty_group,
    fill_from_centroid,
    fill_from_tuple,
    group_centroids,
    join,
)
from ontomask.compiled import kernel, step
from ontomask.methods._pool import CLOSEST, FARTHEST, Pool, extreme, pool_of, remove
from ontomask.methods.base import Microaggregation, whole_tuples
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

    def partition(
        self, space: Space, k: int, rng: np.random.Generator
    ) -> tuple[Int32, Int32, Int64, Float64]:
        group_of_tuple, n_groups = sa_mdav(space, k, self.weighted, self.static)
        entries = whole_tuples(group_of_tuple, space.counts)
        return *entries, group_centroids(space, *entries, n_groups)


@kernel
def sa_mdav(space: Space, k: int, weighted: bool, static: bool) -> tuple[Int32, int]:
    """Cluster of every tuple, and how many there are."""
    p = len(space.counts)
    cluster_of = np.full(p, -1, np.int32)
    centroids = np.empty((p, len(space.attributes)))
    clusters: Any = np.int64(0)  # not a literal, for which `grow` would be compiled twice
    pool, row = pool_of(space, np.arange(p), space.counts, weighted), np.empty(len(space.values))
    everyone, members = empty_group(space), empty_group(space)  # D and C
    for t in range(p):
        join(space, everyone, t, space.counts[t])
    left = space.counts.sum()

    while left >= k:
        centroid(space, everyone, centroids[clusters])
        fill_from_centroid(space, centroids[clusters], row)
        r = extreme(space, pool, row, FARTHEST)
        left -= grow(space, k, static, r, pool, everyone, members, row, cluster_of, centroids, clusters)
        clusters += 1
        if left >= k:
            fill_from_tuple(space, r, row)
            s = extreme(space, pool, row, FARTHEST)
            left -= grow(space, k, static, s, pool, everyone, members, row, cluster_of, centroids, clusters)
            clusters += 1

    for t in range(p):  # fewer than k records are left: each tuple joins the closest cluster
        if cluster_of[t] < 0:
            best, best_distance = 0, np.inf
            for c in range(clusters):
                fill_from_centroid(space, centroids[c], row)
                d = distance(space, row, t)
                if d < best_distance:
                    best, best_distance = c, d
            cluster_of[t] = best
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
    centroids: Float64,
    cluster: int,
) -> int:
    """Build one cluster of at least k records around a seed; returns its size."""
    clear(members)
    size, t = 0, seed
    while True:
        remove(pool, t)
        join(space, everyone, t, -space.counts[t])
        join(space, members, t, space.counts[t])
        cluster_of[t] = cluster
        size += space.counts[t]
        if not static or size >= k:
            centroid(space, members, centroids[cluster])
        if size >= k:
            return size
        if static:
            fill_from_tuple(space, seed, row)
        else:
            fill_from_centroid(space, centroids[cluster], row)
        t = extreme(space, pool, row, CLOSEST)
