"""Suppression: drop (or blank) every record whose tuple occurs fewer than k times. The naive reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Space
from ontomask.methods.base import SUPPRESSED, Method, whole_tuples
from ontomask.methods.recoding import values_of_tuples


@dataclass(frozen=True)
class Suppression(Method):
    """Keep what is k-anonymous already; `blank` keeps the other rows with empty quasi-identifiers."""

    name: ClassVar[str] = "suppression"
    blank: bool = False

    def partition(
        self, space: Space, k: int, rng: np.random.Generator
    ) -> tuple[Int32, Int32, Int64, Float64]:
        kept = np.flatnonzero(space.counts >= k)
        group_of_tuple = np.full(len(space.counts), SUPPRESSED, np.int32)
        group_of_tuple[kept] = np.arange(len(kept))
        return *whole_tuples(group_of_tuple, space.counts), values_of_tuples(space, kept)
