"""Sk-resampling: k samples, each sorted by meaning, averaged place by place (Martinez 2013, ch. 7).

The n records are dealt at random into k samples of floor(n / k); the i-th records of all sorted samples form
a set, replaced by its centroid; each record left over joins the set with the closest centroid.
`heer_resampling` is the historical baseline for numbers, which gives no k-anonymity (Heer 1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import group_centroids, row_from_point
from ontomask.attributes.order import sort_records
from ontomask.attributes.space import Strategy
from ontomask.methods.base import Microaggregation, with_centroids
from ontomask.methods.task import Entries, Task
from ontomask.options import option

Setting = Literal["semantic", "equality-mode", "wup-mode", "wup-lcs"]

# The measure that a setting of the study insists on, and what stands for the words of a set.
_SETTINGS: dict[Setting, tuple[str | None, Strategy]] = {
    "semantic": (None, "semantic"),
    "equality-mode": ("equality", "mode"),
    "wup-mode": ("wup", "mode"),
    "wup-lcs": ("wup", "lcs"),
}


@dataclass(frozen=True)
class Resampling(Microaggregation):
    """Resampling with the semantic operators, or in one of the other settings of the study."""

    name: ClassVar[str] = "resampling"
    words: ClassVar[str] = (
        "The people were dealt at random into {k} samples, each sorted by meaning; those at the same place "
        "of all samples were given the same values, closest in meaning to all of them (resampling)."
    )
    weighted: bool = option(False, "when sorting, multiply a distance by the tuple's count in its sample")
    setting: Setting = option("semantic", "the four settings of the study: distance and centroid")

    @property
    def measure(self) -> str | None:
        return _SETTINGS[self.setting][0]

    @property
    def strategy(self) -> Strategy:
        return _SETTINGS[self.setting][1]

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        records = task.rng.permutation(np.repeat(ids, space.counts[ids]))
        n_sets = len(records) // k
        samples, left_over = records[: k * n_sets].reshape(k, n_sets), records[k * n_sets :]
        sets = np.empty((k, n_sets), np.int64)
        for i, sample in enumerate(samples):
            sets[i] = self.sort(space, sample)
            task.done[0] = (i + 1) * n_sets
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
