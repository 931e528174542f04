"""Compiled loops of `repair`: which group a group should be joined to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes._kernels import (
    Group,
    centroid,
    clear,
    distance,
    empty_group,
    empty_points,
    fill_from_point,
    fill_from_tuple,
    join,
)
from ontomask.attributes.space import Space
from ontomask.compiled import kernel, step


class Runs(NamedTuple):
    """The entries `starts[g]:starts[g + 1]` are those of group g: `counts` records of `tuples` each."""

    starts: Int64
    tuples: Int64
    counts: Int64


@step
def add_run(space: Space, runs: Runs, g: int, group: Group) -> None:
    """The records of a group join."""
    for e in range(runs.starts[g], runs.starts[g + 1]):
        join(space, group, runs.tuples[e], runs.counts[e])


@step
def loss_of_run(space: Space, runs: Runs, g: int, row: Float64) -> float:
    """Summed distance of the records of a group to the point that filled `row`."""
    total = 0.0
    for e in range(runs.starts[g], runs.starts[g + 1]):
        total += runs.counts[e] * distance(space, row, runs.tuples[e])
    return total


@step
def fits(space: Space, runs: Runs, g: int, row: Float64, limits: Float64) -> bool:
    """Whether no record of a group is farther from the point than an attribute allows."""
    for e in range(runs.starts[g], runs.starts[g + 1]):
        for j in range(len(limits)):
            if row[space.codes[j, runs.tuples[e]]] > limits[j]:
                return False
    return True


@kernel
def losses_of_runs(space: Space, runs: Runs) -> Float64:
    """Summed distance of every group's records to its centroid."""
    found = np.zeros(len(runs.starts) - 1)
    group, points, row = empty_group(space), empty_points(space, 1), np.empty(len(space.values))
    for g in range(len(found)):
        add_run(space, runs, g, group)
        centroid(space, group, points, 0)
        fill_from_point(space, points, 0, row)
        found[g] = loss_of_run(space, runs, g, row)
        clear(space, group)
    return found


@kernel
def partners(
    space: Space, runs: Runs, losses: Float64, wanted: Int64, tried: int, limits: Float64
) -> tuple[Int64, Float64]:
    """For each wanted group the one with which it loses least, and how much more both lose together.

    Of the `tried` groups whose largest members are nearest, unions are formed and measured::

        cost(a, b) = loss(a and b) - loss(a) - loss(b)

    -1: no union of them is within the limits of the attributes. Ties go to the first group.
    """
    n_groups = len(losses)
    largest = np.empty(n_groups, np.int64)  # the tuple of most records stands for a group
    for g in range(n_groups):
        best = runs.starts[g]
        for e in range(runs.starts[g], runs.starts[g + 1]):
            if runs.counts[e] > runs.counts[best]:
                best = e
        largest[g] = runs.tuples[best]
    partner, cost = np.full(len(wanted), -1), np.full(len(wanted), np.inf)
    group, points, row = empty_group(space), empty_points(space, 1), np.empty(len(space.values))
    nearest, how_far = np.empty(tried, np.int64), np.empty(tried)
    for i in range(len(wanted)):
        a, size = wanted[i], 0
        fill_from_tuple(space, largest[a], row)
        for b in range(n_groups):
            if b == a:
                continue
            d, t = 0.0, largest[b]
            within = True
            for j in range(len(limits)):
                own = row[space.codes[j, t]]
                d += own
                if limits[j] == 0 and own > 0:
                    within = False
                    break
            if not within or (size == tried and d >= how_far[tried - 1]):
                continue
            at = min(size, tried - 1)
            while at > 0 and how_far[at - 1] > d:
                how_far[at], nearest[at] = how_far[at - 1], nearest[at - 1]
                at -= 1
            how_far[at], nearest[at] = d, b
            size = min(size + 1, tried)
        for place in range(size):
            b = nearest[place]
            add_run(space, runs, a, group)
            add_run(space, runs, b, group)
            centroid(space, group, points, 0)
            fill_from_point(space, points, 0, row)
            clear(space, group)
            if not (fits(space, runs, a, row, limits) and fits(space, runs, b, row, limits)):
                continue
            more = loss_of_run(space, runs, a, row) + loss_of_run(space, runs, b, row) - losses[a] - losses[b]
            if more < cost[i] or (more == cost[i] and b < partner[i]):
                partner[i], cost[i] = b, more
    return partner, cost
