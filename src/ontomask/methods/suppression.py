"""Suppression: drop (or blank) every record whose tuple occurs fewer than k times. The naive reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Bool
from ontomask.attributes import Tuples, replacements_of, space_of
from ontomask.attributes._kernels import tuple_points
from ontomask.errors import NothingLeftError
from ontomask.methods.base import BLANK, Masking, Method
from ontomask.methods.repair import violating_groups
from ontomask.methods.task import SUPPRESSED, Entries, Task
from ontomask.options import option


@dataclass(frozen=True)
class Suppression(Method):
    """Keep what is k-anonymous already."""

    name: ClassVar[str] = "suppression"
    words: ClassVar[str] = (
        "People whose combination of values fewer than {k} share were left out; the others are as they were "
        "(suppression)."
    )
    has_centroids: ClassVar[bool] = False
    is_truthful: ClassVar[bool] = True
    may_suppress: ClassVar[bool] = False
    masks_parts: ClassVar[bool] = True
    blank: bool = option(False, BLANK)

    def in_words(self, k: int) -> str:
        said = super().in_words(k)
        return said.replace("were left out", "were blanked") if self.blank else said

    def masking(self, task: Task) -> Masking:
        tuples = task.tuples
        space = space_of(tuples, task.attributes, combine=task.combine)
        kept = self._kept(task)
        group_of_tuple = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
        extended, values = replacements_of(task.attributes, space, tuple_points(space, np.flatnonzero(kept)))
        entries = Entries.whole(group_of_tuple, tuples.counts).of_cells(tuples, task.rng)
        task.done[0] = tuples.n
        return Masking.of(entries, values, extended)

    def _kept(self, task: Task) -> Bool:
        """Which tuples are released as they are: as classes, they satisfy every requirement.

        t and its like compare a class with what is released: whenever some are left out, the others are
        looked at again. Blanked records are a class like any other, and records that have no value anyway are
        of it; the rarest of the others join it until it satisfies everything too.
        """
        tuples, blanked = task.tuples, len(task.tuples)
        task.check_size()
        missing = np.array([attribute.missing for attribute in task.attributes])
        is_empty: Bool = (tuples.codes == missing).all(axis=1)
        kept = np.ones(len(tuples), bool)
        while True:
            groups = np.where(kept, np.arange(len(tuples)), blanked if self.blank else SUPPRESSED)
            if self.blank and not kept.all():
                groups[is_empty] = blanked
            violates = violating_groups(task, groups)
            if (rare := kept & violates & (groups != blanked)).any():
                kept &= ~rare
            elif not violates.any():
                return kept
            else:
                kept[self._rarest(tuples, kept & ~is_empty, task.k)] = False

    @staticmethod
    def _rarest(tuples: Tuples, kept: Bool, k: int) -> int:
        """The rarest of some tuples, unless it is the only one."""
        left = np.flatnonzero(kept)
        if len(left) < 2:
            raise NothingLeftError(
                f"so few rows would be blanked that all others must join them to make {k}",
                key="method.blank",
                remedy="let them be dropped, or use another method",
            )
        return int(left[np.lexsort((-left, tuples.counts[left]))[0]])
