"""Refinement of groups by annealing: a search among their neighbours for groups that lose less.

The loss is the sum of squared distances of records to the centroids of their groups; it never rises, and no
requirement that holds is broken: who changes places has the same confidential values, or the histograms of
both groups stay within t. After the exchange heuristics of k-means (Hartigan & Wong 1979) and simulated
annealing (Kirkpatrick, Gelatt & Vecchi 1983). Integers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, distinct_rows
from ontomask.attributes import Domain, Space
from ontomask.methods._neighbours import Records, neighbours, tree_order
from ontomask.methods._refine_kernels import FEW, Limits, Rules, annealed, loss_of_groups
from ontomask.methods.records import Cost, laid_out, taken
from ontomask.methods.task import Entries, Task, numbered
from ontomask.privacy import Closeness, KAnonymity

_LOOKS = 1100  # at records, for each of them
_HOT, _COLD = 0.3, 0.02  # temperatures, times the mean loss of a record
_NEIGHBOURS, _TREES, _LEAF = 16, 6, 64
_ROOM = 1 << 26  # sums that groups keep at once; of more, blocks of neighbouring groups are refined in turn


def refined(task: Task, space: Space, entries: Entries) -> Entries:
    """Groups of cells with no greater loss; `space` is over the cells of the task.

    Moves, any swaps, and other numbers of groups are tried where all that is asked for is k and t, of equal
    or ordered distance; otherwise swaps between records that have the same value in every further column,
    which change no histogram. Nothing changes where `max_loss` limits how far records move, or an attribute
    has no table.
    """
    if np.isfinite(task.limits).any() or space.attributes["handle"].any():
        return entries
    kept = entries.groups >= 0
    cells = np.repeat(entries.tuples[kept], entries.counts[kept]).astype(np.int64)
    groups = np.unique(np.repeat(entries.groups[kept], entries.counts[kept]), return_inverse=True)[1]
    if not len(cells):
        return entries
    cost = Cost(space.attributes["weight"], 2, False)
    rules, (records, _) = rules_of(task, cells), laid_out(space, cells, cost, task.limits)
    state = task.rng.integers(1, 2**63, 1, np.uint64)
    better, n_groups = groups.copy(), 0
    for block in blocks_of(records, rules, groups):
        block = block[
            tree_order(taken(records, block), len(block), _LEAF, False, state)[0]
        ]  # neighbours in cache
        part, own = taken(records, block), taken_rules(rules, block)
        near = neighbours(part, _NEIGHBOURS, _TREES, _LEAF, state)
        numbers = numbered_in_order(groups[block])
        numbers, _ = annealed(part, numbers, own, near, _LOOKS * len(block), _HOT, _COLD, state)
        better[block] = n_groups + numbers
        n_groups += int(numbers.max()) + 1
    better = numbered(better)
    if loss_of_groups(space, cells, better) >= loss_of_groups(space, cells, groups):
        return entries
    found, gone = Entries.of_records(cells, better), ~kept
    return Entries(
        np.concatenate([found.tuples, entries.tuples[gone]]),
        np.concatenate([found.groups, entries.groups[gone]]),
        np.concatenate([found.counts, entries.counts[gone]]),
    )


def numbered_in_order(groups: Int64) -> Int64:
    """Groups numbered as they come.

    >>> numbered_in_order(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which]


def taken_rules(rules: Rules, block: Int64) -> Rules:
    """The rules for some of the records."""
    limits = rules.limits._replace(codes=rules.limits.codes[block])
    return rules._replace(stratum=rules.stratum[block], limits=limits)


def blocks_of(records: Records, rules: Rules, groups: Int64) -> Iterator[Int64]:
    """Records of whole groups, in blocks whose groups have room for their sums."""
    sums_of_group = int(records.first[-1] + rules.limits.counted_from[-1] + 1)
    most = max(_ROOM // sums_of_group, 2) * rules.k  # records: as many groups as there may be of k
    order = np.argsort(groups, kind="stable")
    start = 0
    while start < len(order):
        stop = min(start + most, len(order))
        while stop < len(order) and groups[order[stop]] == groups[order[stop - 1]]:
            stop += 1
        yield order[start:stop]
        start = stop


def rules_of(task: Task, cells: Int64) -> Rules:
    """What groups of the records of cells have to satisfy."""
    further = task.tuples.cells
    assert further is not None
    strata = distinct_rows([further.values[:, b] for b in range(further.values.shape[1])])[1]
    found = closeness_asked(task, cells)
    return Rules(strata[cells], limits_of(found or [], len(cells)), task.k, found is not None)


class Asked(NamedTuple):
    """A closeness that is asked for: the codes of records, and the shares of the table."""

    codes: Int32
    is_ordered: bool
    t: float
    shares: Float64


def closeness_asked(task: Task, cells: Int64) -> list[Asked] | None:
    """What is asked of histograms; None where something else is asked for."""
    further = task.tuples.cells
    assert further is not None
    found = []
    for one in task.requirements:
        if isinstance(one, KAnonymity) and one.unit is None:
            continue
        if not isinstance(one, Closeness):
            return None
        column, domain = column_of(one, further.domains)
        ground = one.ground_of(domain)
        if ground == "semantic":
            return None
        codes = further.values[cells, column]
        totals = np.bincount(codes, minlength=domain.size)
        if ground == "ordered" and not totals.all():
            return None  # a value that only rows left out have is no rank
        found.append(Asked(codes, ground == "ordered", one.t, totals / totals.sum()))
    return found


def limits_of(asked: Sequence[Asked], n: int) -> Limits:
    """What histograms of groups of n records may look like."""
    shares = [one.shares for one in asked]
    up_to = [np.cumsum(one) for one in shares]
    none = [np.zeros(0)]
    return Limits(
        np.stack([one.codes for one in asked], 1) if asked else np.zeros((n, 0), np.int32),
        np.array([one.is_ordered for one in asked], bool),
        np.array([one.t for one in asked], np.float64),
        np.append(0, np.cumsum([len(one) for one in shares])).astype(np.int64),
        np.append(0, np.cumsum([len(one) if len(one) <= FEW else 0 for one in shares])).astype(np.int64),
        np.concatenate(shares or none),
        np.concatenate(up_to or none),
        np.concatenate([np.cumsum(one) - one for one in up_to] or none),
    )


def column_of(asked: Closeness, domains: Sequence[Domain]) -> tuple[int, Domain]:
    """The number and the domain of the column that a requirement looks at."""
    (found,) = [(b, domain) for b, domain in enumerate(domains) if domain.name == asked.column]
    return found
