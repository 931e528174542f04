"""t-first: clusters that are close to the table in a confidential column by the way they are formed.

Soria-Comas, Domingo-Ferrer, Sanchez & Martinez 2015 (algorithm 3): records in the order of the confidential
value are cut into runs, and a cluster has a record of each. Where a column has few values, clusters grow by
nearness instead, as far as they can be completed within t. What still violates a requirement is joined, and
records change places where that lowers the loss. Integers only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes import Cells, Domain, Space, Tuples, space_of
from ontomask.attributes._kernels import distances, row_from_tuple
from ontomask.attributes.space import Strategy
from ontomask.errors import OntomaskError
from ontomask.methods._refine_kernels import loss_of_groups
from ontomask.methods._t_first_kernels import clusters_over_runs, clusters_within, runs_of
from ontomask.methods.base import Grouping, Masking
from ontomask.methods.refine import column_of, refined
from ontomask.methods.repair import check_possible, repaired
from ontomask.methods.task import Entries, Task
from ontomask.options import option
from ontomask.privacy import Classes, Closeness

_FEW = 32  # values of a column that clusters can look at one by one
_FREE = (1, 2, 3, 5, 8, 12, 20)  # records that a cluster takes before it looks at their values
_SAMPLE = 3000  # records on which these are tried
_BLOCK = 8192  # records among which clusters grow: twice as many take four times as long
_NEARLY = 1.03  # times the least loss
_TRIED = 24  # numbers of runs
_ROUNDING = 1e-10

Growth = Callable[[Space, Int64, Int64], tuple[Int64, Int64, int]]


@dataclass(frozen=True)
class TFirst(Grouping):
    """Clusters that take the confidential column into account from the start; needs `privacy.t`."""

    name: ClassVar[str] = "t-first"
    words: ClassVar[str] = (
        "People with similar values were put together in groups of at least {k} in which the confidential "
        "values are spread much as in the whole table, and everybody in a group was given the same values: "
        "those closest in meaning to all of them (t-closeness first)."
    )
    compiled: ClassVar[str] = "_t_first_kernels"
    strategy: ClassVar[Strategy] = "least-squares"
    refine: bool = option(True, "let records change places between groups where that lowers the loss")

    def masking(self, task: Task) -> Masking:
        task.check_size()
        asked, by_cell = self._asked(task), by_cells(task)
        check_possible(by_cell)
        space = self.space(by_cell)
        central = space_of(
            by_cell.tuples, by_cell.attributes, combine=by_cell.combine, strategy=self.strategy
        )
        entries = t_first_groups(by_cell, central, asked)
        values_of = partial(self.values_of, by_cell, space)
        entries = entries._replace(groups=repaired(by_cell, space, entries, values_of, self.blank))
        if self.refine and not space.has_covers:
            entries = refined(by_cell, space, entries)
        extended, values = values_of(entries)
        return Masking.of(entries, values, extended)

    def _asked(self, task: Task) -> Closeness:
        for one in task.requirements:
            if isinstance(one, Closeness):
                return one
        raise OntomaskError(
            "t-first needs to know how close to the table classes must be in a confidential column",
            key="method.name",
            remedy="ask for it, as in `privacy: {t: {income: 0.2}}`, or use another method",
        )


def by_cells(task: Task) -> Task:
    """The same task with a tuple for every cell, and distances that are squared before they are added."""
    cells = task.tuples.cells
    assert cells is not None
    values, domains = cells.values.copy(), []
    for b, domain in enumerate(cells.domains):  # values that no record has, as of rows left out, are no ranks
        there, values[:, b] = np.unique(cells.values[:, b], return_inverse=True)
        distances = None if domain.distances is None else domain.distances[np.ix_(there, there)]
        domains.append(replace(domain, size=len(there), distances=distances))
    own = Cells(np.arange(len(cells.counts), dtype=np.int32), values, cells.counts, tuple(domains))
    tuples = Tuples(task.tuples.codes[cells.tuples], cells.counts, own)
    return replace(task, tuples=tuples, combine="euclidean")  # the loss to be kept low is one of squares


def t_first_groups(task: Task, space: Space, asked: Closeness) -> Entries:
    """Groups of cells; within t of the column asked for if it has few values."""
    cells = task.tuples.cells
    assert cells is not None
    column, domain = column_of(asked, cells.domains)
    values, counts = cells.values[:, column].astype(np.int64), cells.counts
    ground = asked.ground_of(domain)
    if ground != "semantic" and domain.size <= _FEW:
        totals = np.bincount(values, counts, minlength=domain.size)
        shares, is_ordered, t = totals / totals.sum(), ground == "ordered", asked.t + _ROUNDING
        free = best_freedom(space, values, shares, t, is_ordered, task.k)

        def grow(part: Space, own: Int64, done: Int64) -> tuple[Int64, Int64, int]:
            return clusters_within(part, own, shares, t, is_ordered, task.k, free, done)

        return grown_in_blocks(task, space, values, grow)
    totals = np.bincount(values, counts, minlength=domain.size).astype(np.int64)
    order = value_order(totals, domain)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    runs = runs_of(totals[order], number_of_runs(task, asked, totals, order))
    tuples, groups, _ = clusters_over_runs(
        space, runs.part_of_value[rank[values]], runs.parts, runs.room, task.done
    )
    return Entries.of_records(tuples, groups)


def grown_in_blocks(task: Task, space: Space, values: Int64, grow: Growth) -> Entries:
    """Clusters that grow in one block of cells after the other."""
    tuples, groups, n_groups = [], [], 0
    for ids in blocks_alike(space, values, _BLOCK):
        own, clusters, n_clusters = grow(part_of(space, ids), values[ids], np.zeros(1, np.int64))
        tuples.append(ids[own])
        groups.append(n_groups + clusters)
        n_groups += n_clusters
        task.done[0] += len(own)
    return Entries.of_records(np.concatenate(tuples), np.concatenate(groups))


def blocks_alike(space: Space, values: Int64, most: int) -> list[Int64]:
    """Cells in blocks of about `most` records at most, near one another, each with all values in proportion.

    A block is halved by how much nearer its cells are to one far cell than to another, value by value.
    """
    found, waiting = [], [np.arange(len(values))]
    while waiting:
        ids = waiting.pop()
        part = part_of(space, ids)
        if part.counts.sum() <= most:
            found.append(ids)
            continue
        one = int(np.argmax(distances(part, row_from_tuple(part, 0))))
        to_one = distances(part, row_from_tuple(part, one))
        to_other = distances(part, row_from_tuple(part, int(np.argmax(to_one))))
        order = np.lexsort((to_one - to_other, values[ids]))
        own, counts = values[ids][order], part.counts[order]
        up_to = np.cumsum(counts) - counts / 2
        totals = np.bincount(own, counts)
        is_low = up_to - (np.cumsum(totals) - totals)[own] < totals[own] / 2
        halves = np.sort(ids[order[~is_low]]), np.sort(ids[order[is_low]])
        if min(map(len, halves)) == 0:
            found.append(ids)  # cells of very many records
        else:
            waiting += halves
    return found


def part_of(space: Space, ids: Int64) -> Space:
    """The space of some cells."""
    return space._replace(codes=np.ascontiguousarray(space.codes[:, ids]), counts=space.counts[ids])


def runs_needed(n: int, k: int, t: float) -> int:
    """``k' = max(k, ceil(n / (2 (n-1) t + 1)))``: enough for ordered distance t if all values are different
    and k' divides n (Soria-Comas et al. 2015, proposition 2).

    >>> runs_needed(1000, 3, 0.05), runs_needed(1000, 3, 0.25)
    (10, 3)
    """
    return min(max(k, int(np.ceil(n / (2 * (n - 1) * t + 1) - 1e-9))), n)


def number_of_runs(task: Task, asked: Closeness, totals: Int64, order: Int64) -> int:
    """The number of runs that should cost least: few, but so that few clusters have to be joined.

    For each number a cluster is drawn of every run at random, and it is counted how many violate t.
    """
    cells, n, k = task.tuples.cells, int(totals.sum()), task.k
    assert cells is not None
    _, domain = column_of(asked, cells.domains)
    most = min(runs_needed(n, k, asked.t) + 2, n)
    best, least = most, np.inf
    rng = np.random.default_rng(0)  # the same whatever was drawn before: this chooses no group
    for n_runs in np.unique(np.geomspace(k, most, _TRIED).round().astype(int)).tolist():
        classes = random_clusters(totals, order, n_runs, rng)
        drawn = Classes.of(classes, np.repeat(order, totals[order])[:, None], np.ones(n, np.int64), (domain,))
        share = float(asked.violations(drawn).mean())
        if n_runs * (1 + 2 * share) < least:
            best, least = n_runs, n_runs * (1 + 2 * share)
        if share == 0:
            break
    return best


def random_clusters(totals: Int64, order: Int64, n_runs: int, rng: np.random.Generator) -> Int64:
    """Per record, in the order of values, one of n // n_runs clusters that each have one of every run."""
    n = int(totals.sum())
    sizes = runs_of(totals[order], n_runs).room.sum(axis=1)
    n_clusters = n // n_runs
    return np.concatenate([rng.permutation(int(size)) % n_clusters for size in sizes])


def value_order(totals: Int64, domain: Domain) -> Int64:
    """The values of a column in an order: by rank, or as the sort operator of the field sorts words.

    The value farthest from the centroid of all comes first, the others by their distance to it (Martinez
    2013, ch. 4.4); without distances, the most frequent first.
    """
    if domain.is_ordered:
        return np.arange(domain.size)
    if domain.distances is None:
        return np.argsort(-totals, kind="stable")
    apart: Float64 = domain.distances
    centre = int(np.argmin(apart @ totals))
    first = int(np.argmax(np.where(totals > 0, apart[centre], -1.0)))
    to_first = apart[first].copy()
    to_first[first] = -1.0
    return np.argsort(to_first, kind="stable")


def best_freedom(space: Space, values: Int64, shares: Float64, t: float, is_ordered: bool, k: int) -> int:
    """How many records a cluster should take before it looks at their values, as tried on a sample.

    The sample has every value in proportion: a rare one too many, and t may seem out of reach. The table is
    denser, so that more records are near: of those that do about as well, the greatest number is taken.
    """
    records = np.repeat(np.arange(len(values)), space.counts)
    by_value = records[np.argsort(values[records], kind="stable")]
    every = -(-len(records) // _SAMPLE)
    ids, counts = np.unique(by_value[::every], return_counts=True)
    sample = part_of(space, ids)._replace(counts=counts.astype(np.int64))
    own, k = values[ids], min(k, int(counts.sum()))
    watched = np.zeros(1, np.int64)
    losses = [
        loss_of_groups(sample, *clusters_within(sample, own, shares, t, is_ordered, k, free, watched)[:2])
        for free in _FREE
    ]
    nearly_best = np.flatnonzero(np.array(losses) <= min(losses) * _NEARLY)
    return _FREE[int(nearly_best[-1] if every > 1 else np.argmin(losses))]
