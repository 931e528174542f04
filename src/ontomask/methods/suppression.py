"""Suppression: drop (or blank) every record whose tuple occurs fewer than k times. The naive reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import tuple_points
from ontomask.errors import NothingLeftError
from ontomask.methods.base import SUPPRESSED, Entries, Microaggregation
from ontomask.options import option


@dataclass(frozen=True)
class Suppression(Microaggregation):
    """Keep what is k-anonymous already."""

    name: ClassVar[str] = "suppression"
    words: ClassVar[str] = (
        "People whose combination of values fewer than {k} share were left out; the others are as they were "
        "(suppression)."
    )
    has_centroids: ClassVar[bool] = False
    is_truthful: ClassVar[bool] = True
    blank: bool = option(False, "empty the quasi-identifiers of the other rows instead of dropping the rows")

    def in_words(self, k: int) -> str:
        said = super().in_words(k)
        return said.replace("were left out", "were blanked") if self.blank else said

    def partition(
        self, space: Space, ids: Int64, k: int, rng: np.random.Generator, done: Int64
    ) -> tuple[Entries, Points]:
        kept = ids[space.counts[ids] >= k]
        if self.blank:
            kept = self._beside_enough_blanks(space, ids, kept, k)
        group_of_tuple = np.full(len(space.counts), SUPPRESSED, np.int32)
        group_of_tuple[kept] = np.arange(len(kept))
        return Entries.whole(group_of_tuple, space.counts), tuple_points(space, kept)

    def _beside_enough_blanks(self, space: Space, ids: Int64, kept: Int64, k: int) -> Int64:
        """Blanked rows form a class like any other: the rarest kept tuples join them until they are k.

        Rows that had no value at all are in that class from the start.
        """
        if len(kept) == len(ids):
            return kept
        filled = kept[(space.attributes.missing != space.codes[:, kept].T).any(axis=1)]
        blanked = int(space.counts[ids].sum() - space.counts[filled].sum())
        rarest_last = filled[np.lexsort((filled, -space.counts[filled]))]
        n = len(filled)
        while n and blanked < k:
            n -= 1
            blanked += int(space.counts[rarest_last[n]])
        if len(filled) and not n:
            raise NothingLeftError(
                f"so few rows would be blanked that all others must join them to make {k}",
                key="method.blank",
                remedy="let them be dropped, or use another method",
            )
        return np.sort(rarest_last[:n])
