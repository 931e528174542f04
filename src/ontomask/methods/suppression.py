"""Suppression: drop (or blank) every record whose tuple occurs fewer than k times. The naive reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import tuple_points
from ontomask.methods.base import SUPPRESSED, Entries, Microaggregation


@dataclass(frozen=True)
class Suppression(Microaggregation):
    """Keep what is k-anonymous already; `blank` keeps the other rows with empty quasi-identifiers."""

    name: ClassVar[str] = "suppression"
    blank: bool = False

    def partition(
        self, space: Space, ids: Int64, k: int, rng: np.random.Generator, done: Int64
    ) -> tuple[Entries, Points]:
        kept = ids[space.counts[ids] >= k]
        group_of_tuple = np.full(len(space.counts), SUPPRESSED, np.int32)
        group_of_tuple[kept] = np.arange(len(kept))
        return Entries.whole(group_of_tuple, space.counts), tuple_points(space, kept)
