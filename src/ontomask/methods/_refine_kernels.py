"""Compiled search for records that are better off in other groups: moves and swaps that lower the loss.

The loss of a group is the sum of squared distances of its records to its centroid, over attributes. Which
groups a record is tried in is told by trees that put records and centroids near one another into one leaf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes._kernels import (
    Group,
    centroid,
    clear,
    empty_group,
    empty_points,
    join,
)
from ontomask.attributes.space import Points, Space
from ontomask.compiled import kernel, step

_LEAST_GAIN = _ROUNDING = 1e-9
_MOST = 512  # records of a group whose loss is computed anew for every change


class Limits(NamedTuple):
    """What the histogram of a class may look like: limit l is on the codes of column `column[l]`.

    Its codes are at places `start[l]:start[l + 1]` of the arrays over codes.
    """

    column: Int64
    is_ordered: np.ndarray  # bool
    t: Float64
    start: Int64
    shares: Float64  # of the table that has each code
    up_to: Float64  # of the table that has it or a lower one
    area: Float64  # sum of `up_to` of lower codes of the column


class Rules(NamedTuple):
    """What groups have to satisfy.

    Swaps of cells of one stratum change no histogram. Where groups are free, others and moves are allowed too
    if all limits are kept, and k records.
    """

    codes: Int32  # of cells, by column
    stratum: Int64  # of cells: which have the same codes
    limits: Limits
    k: int
    is_free: bool


class Trial(NamedTuple):
    """Room to try a change in."""

    members: Group
    points: Points  # two
    codes: Int64


class Partition(NamedTuple):
    """Records in groups; the records of a group are a chain."""

    cell: Int64  # of every record
    group: Int64  # of every record
    next: Int64  # record of its group, or -1
    previous: Int64
    first: Int64  # record of every group
    size: Int64  # of every group
    points: Points  # centroids
    loss: Float64  # of every group


@step
def square(space: Space, points: Points, g: int, t: int) -> float:
    """``sum_j w_j d_j^2`` of tuple t to point g."""
    total = 0.0
    for j in range(len(space.attributes)):
        a = space.attributes[j]
        v = np.int64(space.codes[j, t])
        if a.is_nominal:
            candidates = a.candidates_to - a.candidates_from
            at = a.table_from + (v - a.values_from) * candidates + points.candidates[g, j] - a.candidates_from
            d = space.by_value[at]
        else:
            number = points.numbers[g, j]
            if v == a.missing or np.isnan(number):
                d = 0.0 if v == a.missing and np.isnan(number) else a.far
            else:
                d = abs(space.values[v].number - number) / a.unit
        total += a.weight * d * d
    return total


@step
def tuple_square(space: Space, t: int, u: int) -> float:
    """``sum_j w_j d_j^2`` of tuple t to tuple u."""
    total = 0.0
    for j in range(len(space.attributes)):
        a = space.attributes[j]
        v, w = np.int64(space.codes[j, t]), np.int64(space.codes[j, u])
        if v == w:
            continue
        if a.is_nominal:
            candidates = a.candidates_to - a.candidates_from
            at = (
                a.table_from
                + (v - a.values_from) * candidates
                + space.values[w].candidate
                - a.candidates_from
            )
            d = space.by_value[at]
        elif v == a.missing or w == a.missing:
            d = a.far
        else:
            d = abs(space.values[v].number - space.values[w].number) / a.unit
        total += a.weight * d * d
    return total


@step
def loss_with(
    space: Space, p: Partition, g: int, without: int, with_: int, members: Group, points: Points, at: int
) -> float:
    """Loss of group g without a record and with another one (-1: none); point `at` becomes its centroid."""
    clear(space, members)
    r = p.first[g]
    while r >= 0:
        if r != without:
            join(space, members, p.cell[r], 1)
        r = p.next[r]
    if with_ >= 0:
        join(space, members, p.cell[with_], 1)
    centroid(space, members, points, at)
    total, r = 0.0, p.first[g]
    while r >= 0:
        if r != without:
            total += square(space, points, at, p.cell[r])
        r = p.next[r]
    if with_ >= 0:
        total += square(space, points, at, p.cell[with_])
    return total


@step
def is_within(p: Partition, g: int, without: int, with_: int, rules: Rules, some: Int64) -> bool:
    """Whether group g is within all limits without a record and with another one (-1: none)."""
    limits = rules.limits
    for one in range(len(limits.t)):
        size, r = 0, p.first[g]
        while r >= 0:
            if r != without:
                some[size] = rules.codes[p.cell[r], limits.column[one]]
                size += 1
            r = p.next[r]
        if with_ >= 0:
            some[size] = rules.codes[p.cell[with_], limits.column[one]]
            size += 1
        own = np.sort(some[:size])
        start, stop = limits.start[one], limits.start[one + 1]
        if limits.is_ordered[one]:
            d = ordered_distance(own, limits.up_to[start:stop], limits.area[start:stop])
        else:
            d = equal_distance(own, limits.shares[start:stop])
        if d > limits.t[one] - _ROUNDING:
            return False
    return True


@kernel
def equal_distance(own: Int64, shares: Float64) -> float:
    """``sum_v max(p_v - q_v, 0)`` of ascending codes."""
    total, first = 0.0, 0
    for i in range(1, len(own) + 1):
        if i == len(own) or own[i] != own[first]:
            total += max((i - first) / len(own) - shares[own[first]], 0.0)
            first = i
    return total


@kernel
def ordered_distance(own: Int64, up_to: Float64, area: Float64) -> float:
    """``1/(q-1) sum_i |P_i - Q_i|`` of ascending codes, P and Q being cumulated shares.

    Between two codes of the class P stands still and Q ascends, so that a sum has two parts.
    """
    q = len(up_to)
    if q < 2:
        return 0.0
    total = 0.0
    for i in range(len(own) + 1):
        start = own[i - 1] if i > 0 else 0
        stop = own[i] if i < len(own) else q - 1
        if stop <= start:
            continue
        share = i / len(own)
        cut = start + np.searchsorted(up_to[start:stop], share)
        total += share * (2 * cut - start - stop) + area[stop] + area[start] - 2 * area[cut]
    return total / (q - 1)


@step
def unlink(p: Partition, r: int) -> None:
    """Take a record out of its group."""
    g, before, after = p.group[r], p.previous[r], p.next[r]
    if before >= 0:
        p.next[before] = after
    else:
        p.first[g] = after
    if after >= 0:
        p.previous[after] = before
    p.size[g] -= 1


@step
def link(p: Partition, r: int, g: int) -> None:
    """Put a record into a group."""
    p.group[r], p.next[r], p.previous[r] = g, p.first[g], -1
    if p.first[g] >= 0:
        p.previous[p.first[g]] = r
    p.first[g] = r
    p.size[g] += 1


@step
def partition_of(space: Space, cells: Int64, groups: Int64, n_groups: int) -> Partition:
    """Record i of cell `cells[i]` in group `groups[i]`."""
    n = len(cells)
    p = Partition(
        cells,
        groups.copy(),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n_groups, -1, np.int64),
        np.zeros(n_groups, np.int64),
        empty_points(space, n_groups),
        np.zeros(n_groups),
    )
    for r in range(n):
        link(p, r, groups[r])
    members = empty_group(space)
    for g in range(n_groups):
        p.loss[g] = loss_with(space, p, g, -1, -1, members, p.points, g)
    return p


@kernel
def refined_groups(
    space: Space, cells: Int64, groups: Int64, n_groups: int, rules: Rules, draws: Int64, leaf: int
) -> tuple[Int64, Float64]:
    """The group of each record after a round for each row of `draws`; the loss before and after each."""
    p = partition_of(space, cells, groups, n_groups)
    trial = Trial(empty_group(space), empty_points(space, 2), np.empty(len(cells), np.int64))
    n, losses = len(cells), np.empty(len(draws) + 1)
    losses[0] = p.loss.sum()
    for i in range(len(draws)):
        items, ends = leaves(space, p, draws[i], leaf)
        start = 0
        for end in ends:
            for record in items[start:end]:
                for item in items[start:end]:
                    if record < n <= item and item - n != p.group[record]:
                        improve(space, p, record, item - n, rules, trial)
            start = end
        losses[i + 1] = p.loss.sum()
    return p.group, losses


@step
def improve(space: Space, p: Partition, a: int, to: int, rules: Rules, trial: Trial) -> None:
    """Move record a to another group, or swap it with a record there, if that lowers the loss.

    What it would gain is first estimated as if all values were points of a plane.
    """
    t, home = p.cell[a], p.group[a]
    s, z = p.size[home], p.size[to]
    if s + z > _MOST:
        return
    at_home, there = square(space, p.points, home, t), square(space, p.points, to, t)
    may_leave = rules.is_free and s > rules.k and at_home * s / (s - 1) > there * z / (z + 1)
    if may_leave and is_allowed(p, a, -1, to, rules, trial) and change(space, p, a, -1, to, trial):
        return
    if there >= at_home:
        return
    best, most = -1, 0.0
    b = p.first[to]
    while b >= 0:
        u = p.cell[b]
        gain = at_home - there + square(space, p.points, to, u) - square(space, p.points, home, u)
        gain += tuple_square(space, t, u) * (1 / s + 1 / z)
        if gain > most and u != t and is_allowed(p, a, b, to, rules, trial):
            best, most = b, gain
        b = p.next[b]
    if best >= 0:
        change(space, p, a, best, to, trial)


@step
def is_allowed(p: Partition, a: int, b: int, to: int, rules: Rules, trial: Trial) -> bool:
    """Whether both groups satisfy what is asked for if record a goes to another one and b (-1: none) back."""
    if b >= 0 and rules.stratum[p.cell[a]] == rules.stratum[p.cell[b]]:
        return True
    return (
        rules.is_free
        and is_within(p, p.group[a], a, b, rules, trial.codes)
        and is_within(p, to, b, a, rules, trial.codes)
    )


@step
def change(space: Space, p: Partition, a: int, b: int, to: int, trial: Trial) -> bool:
    """Move record a to another group, and b (-1: none) back, if that lowers the loss."""
    home, fresh = p.group[a], trial.points
    left = loss_with(space, p, home, a, b, trial.members, fresh, 0)
    came = loss_with(space, p, to, b, a, trial.members, fresh, 1)
    if left + came >= p.loss[home] + p.loss[to] - _LEAST_GAIN:
        return False
    unlink(p, a)
    link(p, a, to)
    if b >= 0:
        unlink(p, b)
        link(p, b, home)
    p.loss[home], p.loss[to] = left, came
    p.points.candidates[home], p.points.candidates[to] = fresh.candidates[0], fresh.candidates[1]
    p.points.numbers[home], p.points.numbers[to] = fresh.numbers[0], fresh.numbers[1]
    return True


@step
def leaves(space: Space, p: Partition, draws: Int64, most: int) -> tuple[Int64, Int64]:
    """Records (0..n-1) and groups (n..) in an order, and where the leaves of a tree over them end.

    A node is halved by how much nearer its items are to one record than to another; both are drawn.
    """
    n, total = len(p.cell), len(p.cell) + len(p.size)
    items, ends = np.arange(total), np.empty(total, np.int64)
    stack = np.empty((128, 2), np.int64)
    stack[0] = 0, total
    height, n_ends, drawn = 1, 0, 0
    side = np.empty(total)
    while height > 0:
        height -= 1
        start, stop = stack[height]
        if stop - start <= most:
            ends[n_ends] = stop
            n_ends += 1
            continue
        side[: stop - start] = 0.0
        for sign in (1.0, -1.0):
            pivot = items[start + draws[drawn % len(draws)] % (stop - start)]
            drawn += 1
            if pivot >= n:
                pivot = p.first[pivot - n]
            u = p.cell[pivot]
            for i in range(start, stop):
                x = items[i]
                side[i - start] += sign * (
                    tuple_square(space, p.cell[x], u) if x < n else square(space, p.points, x - n, u)
                )
        order = np.argsort(side[: stop - start], kind="mergesort")
        items[start:stop] = items[start:stop][order]
        middle = (start + stop) // 2
        stack[height] = middle, stop  # the lower half is taken first: leaves are in order
        stack[height + 1] = start, middle
        height += 2
    return items, ends[:n_ends]


@kernel
def loss_of_groups(space: Space, cells: Int64, groups: Int64, n_groups: int) -> float:
    """Sum of squared distances of records to the centroids of their groups."""
    return partition_of(space, cells, groups, n_groups).loss.sum()
