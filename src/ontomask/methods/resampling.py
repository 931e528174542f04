"""Sk-resampling: k samples, each sorted by meaning, averaged place by place (Martinez 2013, ch. 7).

The n records are dealt at random into k samples of floor(n / k); the i-th records of all sorted samples form
a set, replaced by its centroid; each record left over joins the set with the closest centroid.
`heer_resampling` is the historical baseline for numbers, which gives no k-anonymity (Heer 1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import group_centroids, row_from_point
from ontomask.attributes.order import sort_records
from ontomask.attributes.space import Strategy
from ontomask.methods.base import Entries, Microaggregation, with_centroids


@dataclass(frozen=True)
class Resampling(Microaggregation):
    """Resampling with the semantic operators.

    `weighted` multiplies a distance by the tuple's count in its sample when sorting, as the printed wsd does;
    records are single here, so the default is not to.
    """

    name: ClassVar[str] = "resampling"
    weighted: bool = False

    def partition(
        self, space: Space, ids: Int64, k: int, rng: np.random.Generator, done: Int64
    ) -> tuple[Entries, Points]:
        records = rng.permutation(np.repeat(ids, space.counts[ids]))
        n_sets = len(records) // k
        samples, left_over = records[: k * n_sets].reshape(k, n_sets), records[k * n_sets :]
        sets = np.empty((k, n_sets), np.int64)
        for i, sample in enumerate(samples):
            sets[i] = self.sort(space, sample)
            done[0] = (i + 1) * n_sets
        members = sets.T.ravel()  # the i-th records of all samples, set after set
        groups = np.repeat(np.arange(n_sets), k)
        points = group_centroids(space, *Entries.of_records(members, groups), n_sets)
        codes = space.codes[:, left_over]
        to_points = [row_from_point(space, points, g)[codes].sum(axis=0) for g in range(n_sets)]
        joined = np.argmin(to_points, axis=0)
        placed = Entries.of_records(np.append(members, left_over), np.append(groups, joined))
        return with_centroids(space, placed, n_sets)

    def sort(self, space: Space, sample: Int64) -> Int64:
        """A sample in its total order."""
        return sort_records(space, sample, self.weighted)


@dataclass(frozen=True)
class ResamplingEqualityMode(Resampling):
    """Setting of the study: 0/1 distance, centroid = mode."""

    measure: ClassVar[str | None] = "equality"
    strategy: ClassVar[Strategy] = "mode"


@dataclass(frozen=True)
class ResamplingWupMode(Resampling):
    """Setting of the study: Wu-Palmer distance, centroid = mode."""

    measure: ClassVar[str | None] = "wup"
    strategy: ClassVar[Strategy] = "mode"


@dataclass(frozen=True)
class ResamplingWupLcs(Resampling):
    """Setting of the study: Wu-Palmer distance, centroid = least common subsumer."""

    measure: ClassVar[str | None] = "wup"
    strategy: ClassVar[Strategy] = "lcs"


def heer_resampling(numbers: Float64, samples: int, rng: np.random.Generator) -> Float64:
    """Heer's resampling of a numeric column.

    `samples` samples of n values with replacement, each sorted; the i-th masked value is the mean of their
    i-th values and goes to the record of rank i.

    >>> heer_resampling(np.array([3.0, 3.0, 3.0]), 4, np.random.default_rng(0))
    array([3., 3., 3.])
    """
    n = len(numbers)
    drawn = np.sort(rng.choice(numbers, (samples, n)), axis=1)
    masked = np.empty(n)
    masked[np.argsort(numbers, kind="stable")] = drawn.mean(axis=0)
    return masked
