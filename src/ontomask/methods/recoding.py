"""Recoding: rare tuples take the values of their nearest more frequent tuple (Martinez 2013, ch. 5).

Values stay values of the data. In each pass the tuples of smallest count (H1) each choose the least distant
tuple of larger count (H2); the choices are made on the counts at the start of the pass and then applied in
tuple order. Since every tuple gives way at most once, the whole costs about one scan per tuple.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import (
    distances,
    fill_from_tuple,
    row_from_tuple,
    tuple_points,
    with_covers,
)
from ontomask.compiled import kernel
from ontomask.methods._pool import CLOSEST, extreme, pool_of
from ontomask.methods.base import Microaggregation
from ontomask.methods.task import Entries, Task
from ontomask.options import option


@dataclass(frozen=True)
class Recoding(Microaggregation):
    """Substitution by the nearest more frequent tuple."""

    name: ClassVar[str] = "recoding"
    words: ClassVar[str] = (
        "A person with a rare combination of values was given the nearest more frequent combination in "
        "meaning, until every combination was shared by {k} people or more (recoding). All values are values "
        "of the original table."
    )
    has_centroids: ClassVar[bool] = False
    weighted: bool = option(
        False,
        "multiply a distance by the count of the tuple it leads to (wsd), as published: of two tuples at the "
        "same distance the rarer one gains more from company",
    )
    h1: bool = option(True, "the rarest tuples give way first; false: one is drawn at random")
    h2: bool = option(True, "the nearest tuple takes over; false: one is drawn at random")
    distributional: bool = option(
        False, "choose by counts, without meaning: least increase of the discernibility metric, 2 w_t w_v"
    )

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.distributional and not self.h2:
            yield "h2", "h2: false picks at random, distributional: true by counts; choose one"

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        if self.h1 and self.h2 and not self.distributional:
            taken_by = recode(space, ids, k, self.weighted, task.done)
        else:
            taken_by = self._recode_plainly(space, ids, k, task.rng)
        roots, group_of_tuple = np.unique(taken_by, return_inverse=True)
        entries = Entries.whole(group_of_tuple, space.counts)
        return entries, with_covers(space, tuple_points(space, roots), *entries)

    def points_of(self, task: Task, space: Space, entries: Entries, n_groups: int) -> Points:
        """The most frequent tuple of each group, the first of equals; covers where these are wanted."""
        summed = Entries.summed(*entries)
        order = np.lexsort((summed.tuples, -summed.counts, summed.groups))
        order = order[summed.groups[order] >= 0]
        _, first = np.unique(summed.groups[order], return_index=True)
        points = tuple_points(space, summed.tuples[order][first].astype(np.int64))
        return with_covers(space, points, *entries)

    def _recode_plainly(self, space: Space, ids: Int64, k: int, rng: np.random.Generator) -> Int64:
        """The same passes with random or distributional choices, for comparison."""
        counts, taken_by = np.zeros_like(space.counts), np.arange(len(space.counts))
        counts[ids] = space.counts[ids]
        while counts[counts > 0].min() < k:
            small = np.flatnonzero((counts > 0) & (counts < k))
            smallest = np.flatnonzero(counts == counts[counts > 0].min())
            giving_way = smallest if self.h1 else rng.choice(small, 1)
            before = counts.copy()
            choices = [self._choice(space, int(t), before, rng) for t in giving_way]
            for t, v in zip(giving_way, choices, strict=True):
                if counts[t] == before[t]:
                    counts[v] += counts[t]
                    counts[t] = 0
                    taken_by[taken_by == t] = v
        return taken_by

    def _choice(self, space: Space, t: int, counts: Int64, rng: np.random.Generator) -> int:
        others = np.flatnonzero((counts > counts[t]) if (counts > counts[t]).any() else (counts > 0))
        others = others[others != t]
        if not self.h2:
            return int(rng.choice(others))
        if self.distributional:
            return int(others[np.argmin(counts[others])])
        wsd = distances(space, row_from_tuple(space, t))[others] * (counts[others] if self.weighted else 1)
        return int(others[np.argmin(wsd)])


@kernel
def recode(space: Space, ids: Int64, k: int, weighted: bool, done: Int64) -> Int64:
    """The tuple whose values each tuple of `ids` has in the end."""
    p = len(space.counts)
    counts, taken_by = np.zeros(p, np.int64), np.arange(p, dtype=np.int64)
    for t in ids:
        counts[t] = space.counts[t]
    row, choice = np.empty(len(space.values)), np.empty(p, np.int64)
    while True:
        left = np.flatnonzero(counts)
        smallest = counts[left].min()
        if smallest >= k:
            break
        giving_way: Any = np.flatnonzero(counts == smallest)
        larger = np.flatnonzero(counts > smallest)
        pool = pool_of(space, larger if len(larger) else left, counts, weighted)
        for t in giving_way:
            fill_from_tuple(space, t, row)
            choice[t] = extreme(space, pool, row, CLOSEST, t)
        taken_now = np.arange(p)
        for t in giving_way:
            if counts[t] == smallest:  # a tuple that has received records in this pass stays
                counts[choice[t]] += smallest  # one that has given way before lives again
                counts[t] = 0
                taken_now[t] = choice[t]
        taken_by = taken_now[taken_by]
        done[0] = counts[counts >= k].sum()
    return taken_by
