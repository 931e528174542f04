"""Refinement of groups: records move to, or change places with records of, groups that they are nearer to.

The loss (sum of squared distances of records to the centroids of their groups) never rises, and no
requirement that holds is broken: who changes places has the same confidential values, or the histograms of
both groups stay within t. After the exchange heuristics of microaggregation and k-means (Hartigan & Wong
1979). Integers only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Int64, distinct_rows
from ontomask.attributes import Domain, Space
from ontomask.methods._refine_kernels import Limits, Rules, refined_groups
from ontomask.methods.task import Entries, Task
from ontomask.privacy import Closeness, KAnonymity

_ROUNDS, _PROPOSALS = 6, 64_000_000  # fewer rounds where there would be more proposals than these
_LEAF = 128  # records and centroids that are near one another
_DRAWS = 4096


def refined(task: Task, space: Space, entries: Entries) -> Entries:
    """Groups of cells with no greater loss; `space` is over the cells of the task.

    Moves and any swaps are tried where all that is asked for is k and t, of equal or ordered distance;
    otherwise swaps between records that have the same value in every further column, which change no
    histogram. Nothing changes where `max_loss` limits how far records move, or an attribute has no table.
    """
    if np.isfinite(task.limits).any() or space.attributes["handle"].any():
        return entries
    kept = entries.groups >= 0
    cells = np.repeat(entries.tuples[kept], entries.counts[kept]).astype(np.int64)
    groups = np.repeat(entries.groups[kept], entries.counts[kept]).astype(np.int64)
    further = task.tuples.cells
    assert further is not None
    limits = limits_of(task, np.bincount(cells, minlength=len(further.counts)))
    rounds = int(np.clip(_PROPOSALS // (len(cells) * _LEAF), 1, _ROUNDS))
    strata = distinct_rows([further.values[:, b] for b in range(further.values.shape[1])])[1]
    better, _ = refined_groups(
        space,
        cells,
        groups,
        int(groups.max(initial=-1)) + 1,
        Rules(further.values, strata, limits or no_limits(), task.k, limits is not None),
        task.rng.integers(0, 2**31, (rounds, _DRAWS)),
        _LEAF,
    )
    found, gone = Entries.of_records(cells, better), ~kept
    return Entries(
        np.concatenate([found.tuples, entries.tuples[gone]]),
        np.concatenate([found.groups, entries.groups[gone]]),
        np.concatenate([found.counts, entries.counts[gone]]),
    )


def limits_of(task: Task, counts: Int64) -> Limits | None:
    """What histograms may look like, `counts` records of each cell being released; None: unknown here."""
    further = task.tuples.cells
    assert further is not None
    asked = [one for one in task.requirements if not (isinstance(one, KAnonymity) and one.unit is None)]
    found = []
    for one in asked:
        if not isinstance(one, Closeness):
            return None
        column, domain = column_of(one, further.domains)
        ground = one.ground_of(domain)
        if ground == "semantic":
            return None
        totals = np.bincount(further.values[:, column], counts, minlength=domain.size)
        if ground == "ordered" and not totals.all():
            return None  # a value that only rows left out have is no rank
        found.append((column, ground == "ordered", one.t, totals / totals.sum()))
    if not found:
        return no_limits()
    columns, ordered, t, shares = zip(*found, strict=True)
    up_to = [np.cumsum(one) for one in shares]
    return Limits(
        np.array(columns),
        np.array(ordered),
        np.array(t),
        np.append(0, np.cumsum([len(one) for one in shares])),
        np.concatenate(shares),
        np.concatenate(up_to),
        np.concatenate([np.cumsum(one) - one for one in up_to]),
    )


def no_limits() -> Limits:
    """Nothing is asked of a histogram."""
    none = np.zeros(0)
    return Limits(np.zeros(0, np.int64), np.zeros(0, bool), none, np.zeros(1, np.int64), none, none, none)


def column_of(asked: Closeness, domains: Sequence[Domain]) -> tuple[int, Domain]:
    """The number and the domain of the column that a requirement looks at."""
    (found,) = [(b, domain) for b, domain in enumerate(domains) if domain.name == asked.column]
    return found
