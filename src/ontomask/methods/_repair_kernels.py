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
    fill_for_members,
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
        fill_for_members(space, group, points, 0, row)
        found[g] = loss_of_run(space, runs, g, row)
        clear(space, group)
    return found


@kernel
def nearest_groups(space: Space, runs: Runs, wanted: Int64, most: int, limits: Float64) -> Int64:
    """For each wanted group the groups whose largest members are nearest to its own, [wanted, most].

    -1 where there are no more: groups with another value of an attribute that is kept are none. Ties go to
    the first group.
    """
    n_groups = len(runs.starts) - 1
    largest = np.empty(n_groups, np.int64)  # the tuple of most records stands for a group
    for g in range(n_groups):
        best = runs.starts[g]
        for e in range(runs.starts[g], runs.starts[g + 1]):
            if runs.counts[e] > runs.counts[best]:
                best = e
        largest[g] = runs.tuples[best]
    is_kept = limits < 1e-6
    nearest, row = np.full((len(wanted), most), -1), np.empty(len(space.values))
    how_far, place = np.empty(most + 1), np.empty(most + 1, np.int64)
    for i in range(len(wanted)):
        a, size = wanted[i], 0
        fill_from_tuple(space, largest[a], row)
        for b in range(n_groups):
            if b == a:
                continue
            far = 0.0
            for j in range(len(limits)):
                own = row[space.codes[j, largest[b]]]
                far += own
                if is_kept[j] and own > limits[j]:
                    far = np.inf
            if far == np.inf or (size == most and far >= how_far[most - 1]):
                continue
            at = size  # sorted as they come: few of many are nearer than all before
            while at > 0 and how_far[at - 1] > far:
                how_far[at], place[at] = how_far[at - 1], place[at - 1]
                at -= 1
            how_far[at], place[at] = far, b
            size = min(size + 1, most)
        for at in range(size):
            nearest[i, at] = place[at]
    return nearest


@kernel
def union_costs(
    space: Space, runs: Runs, losses: Float64, wanted: Int64, others: Int64, limits: Float64
) -> Float64:
    """How much more the records of group `wanted[i]` and of group `others[i, c]` lose together, [i, c]::

        cost(a, b) = loss(a and b) - loss(a) - loss(b)

    Infinite where there is no other, or where a record would move farther than its attribute allows.
    """
    costs = np.full(others.shape, np.inf)
    group, points, row = empty_group(space), empty_points(space, 1), np.empty(len(space.values))
    for i in range(len(wanted)):
        a = wanted[i]
        for c in range(others.shape[1]):
            b = others[i, c]
            if b < 0:
                continue
            add_run(space, runs, a, group)
            add_run(space, runs, b, group)
            centroid(space, group, points, 0)
            fill_for_members(space, group, points, 0, row)
            clear(space, group)
            if fits(space, runs, a, row, limits) and fits(space, runs, b, row, limits):
                together = loss_of_run(space, runs, a, row) + loss_of_run(space, runs, b, row)
                costs[i, c] = together - losses[a] - losses[b]
    return costs
