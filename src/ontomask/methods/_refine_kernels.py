"""Compiled search for better groups: records move and change places, groups join and split, by annealing.

The loss of a group is the sum over its records of squared distances to its centroid, over attributes. Every
group keeps, for each candidate, the sum of squares to its members, so that what a change costs is known from
the records that come and go. Which groups a record is tried in is told by its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes._kernels import centroid, clear, empty_group, empty_points, join
from ontomask.attributes.space import LEAST_SQUARES, Points, Space
from ontomask.compiled import inner, kernel, step
from ontomask.methods._histograms import equal_distance, histogram_distance, insert, ordered_distance
from ontomask.methods._neighbours import Records, between, drawn, number_cost

FEW = 64  # codes of a limit that groups count one by one
_ROUNDING = 1e-9
_MOST = 512  # records of a group that grows no further
_TRIED = 8  # records of a group that one may change places with, or take along
_JOINED = _SPLIT = 0.01  # of all proposals
_PARTS = 20  # after which the loss is looked at
_NONE = -1


class Limits(NamedTuple):
    """What the histogram of a class may look like: limit l has places `start[l]:start[l + 1]` over codes.

    Groups count the codes of limits that have few, at `counted_from[l]:counted_from[l + 1]`.
    """

    codes: Int32  # [n, limits]
    is_ordered: Bool
    t: Float64
    start: Int64
    counted_from: Int64
    shares: Float64  # of the table that has each code
    up_to: Float64  # of the table that has it or a lower one
    area: Float64  # sum of `up_to` of lower codes of the column


class Rules(NamedTuple):
    """What groups have to satisfy.

    Swaps of records of one stratum change no histogram. Where groups are free, others and moves are allowed
    too if all limits are kept, and k records.
    """

    stratum: Int64
    limits: Limits
    k: int
    is_free: bool


class Groups(NamedTuple):
    """Records in groups; the records of a group are a chain."""

    of: Int64  # every record
    next: Int64  # record of its group, or -1
    previous: Int64
    first: Int64  # record of every group, from here on
    size: Int64
    histogram: Int64
    known: Int64  # records with a number
    sums: Float64
    sums_of_squares: Float64
    scores: Float64  # per candidate the sum of squares to the members
    candidates: Int32  # centroid
    means: Float64
    loss: Float64
    room: Int64  # for the codes of a group
    moved: Int64  # for its records


class Change(NamedTuple):
    """Up to two records that come to a group (by 1) or leave it (by -1); no record is -1."""

    a: int
    by_a: int
    b: int
    by_b: int


@inner
def distance_to(records: Records, groups: Groups, r: int, g: int) -> float:
    """Square of record r to the centroid of group g."""
    total = 0.0
    for j in range(records.numbers.shape[1]):
        total += number_cost(records, j, records.numbers[r, j], groups.means[g, j])
    for j in range(records.words.shape[1]):
        total += records.table[records.words[r, j].row + groups.candidates[g, j]]
    return total


@inner
def spread(known: int, lost: int, total: float, squares: float, far: float) -> float:
    """Loss in a numeric attribute: ``sum x^2 - (sum x)^2 / n``; who has no number is far from the mean.

    If most have none, so has the centroid.
    """
    if lost > known:
        return known * far
    if known == 0:
        return 0.0
    return max(squares - total * total / known, 0.0) + lost * far


@inner
def loss_after(records: Records, groups: Groups, g: int, change: Change) -> float:
    """Loss of group g after a change."""
    a, by_a, b, by_b = change
    size, total = groups.size[g] + by_a, 0.0
    if b >= 0:
        size += by_b
    for j in range(records.numbers.shape[1]):
        known, sums, squares = groups.known[g, j], groups.sums[g, j], groups.sums_of_squares[g, j]
        x = records.numbers[a, j]
        if x == x:
            known, sums, squares = known + by_a, sums + by_a * x, squares + by_a * x * x
        x = records.numbers[b, j]
        if b >= 0 and x == x:
            known, sums, squares = known + by_b, sums + by_b * x, squares + by_b * x * x
        total += spread(known, size - known, sums, squares, records.far[j])
    for j in range(records.words.shape[1]):
        start, best = records.first[j], np.inf
        of_a, of_b = records.words[a, j].row, records.words[b, j].row
        if b < 0 or of_a == of_b:
            by = by_a if b < 0 else by_a + by_b
            for c in range(records.first[j + 1] - start):
                best = min(best, groups.scores[g, start + c] + by * records.table[of_a + c])
        else:
            for c in range(records.first[j + 1] - start):
                score = groups.scores[g, start + c] + by_a * records.table[of_a + c]
                best = min(best, score + by_b * records.table[of_b + c])
        total += best
    return total


@inner
def transfer(records: Records, groups: Groups, limits: Limits, r: int, g: int) -> None:
    """Take record r from its group to group g; centroids and losses are settled later."""
    home = groups.of[r]
    if home >= 0:
        before, after = groups.previous[r], groups.next[r]
        if before >= 0:
            groups.next[before] = after
        else:
            groups.first[home] = after
        if after >= 0:
            groups.previous[after] = before
        count(records, groups, limits, r, home, -1)
    groups.next[r], groups.previous[r] = groups.first[g], _NONE
    if groups.first[g] >= 0:
        groups.previous[groups.first[g]] = r
    groups.first[g], groups.of[r] = r, g
    count(records, groups, limits, r, g, 1)


@inner
def count(records: Records, groups: Groups, limits: Limits, r: int, g: int, by: int) -> None:
    """Add record r to the sums of group g, or take it out of them."""
    groups.size[g] += by
    for one in range(len(limits.t)):
        if limits.counted_from[one] < limits.counted_from[one + 1]:
            groups.histogram[g, limits.counted_from[one] + limits.codes[r, one]] += by
    for j in range(records.numbers.shape[1]):
        x = records.numbers[r, j]
        if x == x:
            groups.known[g, j] += by
            groups.sums[g, j] += by * x
            groups.sums_of_squares[g, j] += by * x * x
    for j in range(records.words.shape[1]):
        start, row = records.first[j], records.words[r, j].row
        for c in range(records.first[j + 1] - start):
            groups.scores[g, start + c] += by * records.table[row + c]


@inner
def settle(records: Records, groups: Groups, g: int) -> None:
    """The centroid and the loss of group g, from its sums."""
    total, size = 0.0, groups.size[g]
    for j in range(records.numbers.shape[1]):
        known = groups.known[g, j]
        is_lost = known == 0 or size - known > known
        groups.means[g, j] = np.nan if is_lost else groups.sums[g, j] / known
        sums, squares = groups.sums[g, j], groups.sums_of_squares[g, j]
        total += spread(known, size - known, sums, squares, records.far[j])
    for j in range(records.words.shape[1]):
        start, best = records.first[j], 0
        for c in range(1, records.first[j + 1] - start):
            if groups.scores[g, start + c] < groups.scores[g, start + best]:
                best = c
        groups.candidates[g, j] = best
        total += groups.scores[g, start + best]
    groups.loss[g] = total


@inner
def clear_group(groups: Groups, g: int) -> None:
    """Nobody is in group g; its sums are free of rounding."""
    groups.first[g], groups.size[g], groups.loss[g] = _NONE, 0, 0.0
    groups.histogram[g] = 0
    groups.known[g] = 0
    groups.sums[g] = 0.0
    groups.sums_of_squares[g] = 0.0
    groups.scores[g] = 0.0


@inner
def is_within(limits: Limits, groups: Groups, g: int, change: Change) -> bool:
    """Whether group g is within all limits after a change."""
    for one in range(len(limits.t)):
        if limits.counted_from[one] < limits.counted_from[one + 1]:
            d = distance_by_count(limits, groups, g, change, one)
        else:
            d = distance_by_rank(limits, groups, g, change, one)
        if d > limits.t[one] - _ROUNDING:
            return False
    return True


@inner
def distance_by_count(limits: Limits, groups: Groups, g: int, change: Change, one: int) -> float:
    """How far the histogram of group g is from the table after a change, which is made there for a moment."""
    a, by_a, b, by_b = change
    first, last = limits.counted_from[one], limits.counted_from[one + 1]
    counts, shares = groups.histogram[g, first:last], limits.shares[limits.start[one] : limits.start[one + 1]]
    counts[limits.codes[a, one]] += by_a
    if b >= 0:
        counts[limits.codes[b, one]] += by_b
    distance = histogram_distance(counts, shares, limits.is_ordered[one])
    counts[limits.codes[a, one]] -= by_a
    if b >= 0:
        counts[limits.codes[b, one]] -= by_b
    return distance


@inner
def distance_by_rank(limits: Limits, groups: Groups, g: int, change: Change, one: int) -> float:
    """How far the histogram of group g is from the table after a change, from its codes in order."""
    own = groups.room[: codes_after(limits, groups, g, change, one)]
    start, stop = limits.start[one], limits.start[one + 1]
    if limits.is_ordered[one]:
        return ordered_distance(own, limits.up_to[start:stop], limits.area[start:stop])
    return equal_distance(own, limits.shares[start:stop])


@inner
def codes_after(limits: Limits, groups: Groups, g: int, change: Change, one: int) -> int:
    """Put the codes of group g after a change into the groups' room, ascending; how many these are."""
    a, by_a, b, by_b = change
    size, r = 0, groups.first[g]
    while r >= 0:
        if not ((r == a and by_a < 0) or (r == b and by_b < 0)):
            size = insert(groups.room, size, limits.codes[r, one])
        r = groups.next[r]
    if by_a > 0:
        size = insert(groups.room, size, limits.codes[a, one])
    if b >= 0 and by_b > 0:
        size = insert(groups.room, size, limits.codes[b, one])
    return size


@inner
def is_allowed(groups: Groups, rules: Rules, home: int, to: int, leaving: Change, coming: Change) -> bool:
    """Whether both groups are what they have to be after a change."""
    return is_within(rules.limits, groups, home, leaving) and is_within(rules.limits, groups, to, coming)


@kernel
def annealed(
    records: Records,
    of: Int64,
    rules: Rules,
    near: Int32,
    looks: int,
    hot: float,
    cold: float,
    state: np.ndarray,
) -> tuple[Int64, Float64]:
    """The group of each record after a number of looks at records; the losses after each twentieth of them.

    Looks, not proposals, are counted: where t forbids most moves, or groups are large, a proposal looks at
    many. A change that raises the loss by d is accepted with probability exp(-d / T), where the temperature
    T falls from `hot` to `cold` times the mean loss of a record. That draw comes first, so that an estimate
    mostly tells that a change is none. Records near their centroid are tried less often: they have little to
    gain.
    """
    groups, free, n_free = grouped(records, of, rules)
    losses = np.empty(_PARTS + 1)
    losses[0] = groups.loss.sum()
    mean = losses[0] / len(of)
    if mean <= _ROUNDING:
        losses[:] = losses[0]
        return of, losses
    cooling = np.log(cold / hot) / max(looks, 1)
    a, looked = 0, 0
    for part in range(_PARTS):
        stop = looks * (part + 1) // _PARTS
        a, looked, n_free = search(
            records, groups, rules, near, free, n_free, state, a, looked, stop, hot * mean, cooling, mean
        )
        losses[part + 1] = groups.loss.sum()
    return groups.of, losses


@inner
def search(
    records: Records,
    groups: Groups,
    rules: Rules,
    near: Int32,
    free: Int64,
    n_free: int,
    state: np.ndarray,
    a: int,
    looked: int,
    stop: int,
    hottest: float,
    cooling: float,
    mean: float,
) -> tuple[int, int, int]:
    """Make proposals, from that of record a on, until `stop` looks were had.

    The record whose turn is next, the looks, and how many groups nobody is in, which are listed in `free`.
    """
    while looked < stop:
        a = a + 1 if a + 1 < len(groups.of) else 0
        looked += 1
        temperature = hottest * np.exp(cooling * looked)
        what, most = drawn(state), -temperature * np.log(drawn(state) + 1e-300)
        home = groups.of[a]
        if rules.is_free and what < _SPLIT:
            if n_free > 0 and groups.size[home] >= 2 * rules.k:
                looked += groups.size[home]
                n_free -= split(records, groups, rules, a, free[n_free - 1], most)
            continue
        b = near[a, int(drawn(state) * near.shape[1])]
        if b < 0 or groups.of[b] == home:
            continue
        if rules.is_free and what < _SPLIT + _JOINED:
            if united(records, groups, rules, home, groups.of[b], most):
                free[n_free] = home
                n_free += 1
            continue
        at_home = distance_to(records, groups, a, home)
        if at_home >= drawn(state) * mean / 2:
            looked += change(records, groups, rules, a, b, at_home, most, drawn(state))
    return a, looked, n_free


@step
def grouped(records: Records, of: Int64, rules: Rules) -> tuple[Groups, Int64, int]:
    """The groups given, room for more, and which those are that nobody is in."""
    n, taken = len(of), of.max() + 1
    room = max(n // rules.k, taken) if rules.is_free else taken
    numeric, nominal = records.numbers.shape[1], records.words.shape[1]
    groups = Groups(
        np.full(n, _NONE, np.int64),
        np.full(n, _NONE, np.int64),
        np.full(n, _NONE, np.int64),
        np.full(room, _NONE, np.int64),
        np.zeros(room, np.int64),
        np.zeros((room, rules.limits.counted_from[-1]), np.int64),
        np.zeros((room, numeric), np.int64),
        np.zeros((room, numeric)),
        np.zeros((room, numeric)),
        np.zeros((room, records.first[-1])),
        np.zeros((room, nominal), np.int32),
        np.zeros((room, numeric)),
        np.zeros(room),
        np.empty(n + 2, np.int64),
        np.empty(n, np.int64),
    )
    for r in range(n):
        transfer(records, groups, rules.limits, r, of[r])
    for g in range(taken):
        settle(records, groups, g)
    free = np.empty(room, np.int64)
    n_free = room - taken
    for i in range(n_free):
        free[i] = room - 1 - i
    return groups, free, n_free


@inner
def change(
    records: Records, groups: Groups, rules: Rules, a: int, b: int, at_home: float, most: float, coin: float
) -> int:
    """Move record a to the group of its neighbour b, alone or with another, or swap it, for less than `most`.

    How many other records were looked at.

    Estimates take values for points of a plane: a record at square D from the centroid of s adds s/(s+1) D.
    """
    home, to = groups.of[a], groups.of[b]
    there = distance_to(records, groups, a, to)
    s, z = groups.size[home], groups.size[to]
    chosen, by = _NONE, 1  # the record that goes the same way, or (-1) the other way
    is_found, looked = False, 0
    if rules.is_free and s > rules.k and z < _MOST and there * z / (z + 1) - at_home * s / (s - 1) < most:
        is_found = is_allowed(groups, rules, home, to, Change(a, -1, _NONE, 0), Change(a, 1, _NONE, 0))
        if not is_found and s > rules.k + 1 and coin < 0.5:
            chosen = companion(records, groups, rules, a, to)
            is_found, looked = chosen >= 0, s
    if not is_found:
        chosen, by = partner(records, groups, rules, a, b, there - at_home, most, coin), -1
        is_found, looked = chosen >= 0, looked + min(z, _TRIED)
    if is_found:
        make(records, groups, rules, home, to, Change(a, -1, chosen, -by), Change(a, 1, chosen, by), most)
    return looked


@inner
def partner(
    records: Records,
    groups: Groups,
    rules: Rules,
    a: int,
    b: int,
    farther: float,
    most: float,
    coin: float,
) -> int:
    """The record that a best changes places with in the group of its neighbour b, or -1."""
    home, to = groups.of[a], groups.of[b]
    z, best, least = groups.size[to], _NONE, most
    weight = 1 / groups.size[home] + 1 / z
    c, tried = some_record(groups, to, coin), 0
    while c >= 0 and tried < _TRIED:
        is_alike = rules.stratum[a] == rules.stratum[c]
        if c != b and (rules.is_free or is_alike):
            cost = farther + distance_to(records, groups, c, home) - distance_to(records, groups, c, to)
            cost -= between(records, a, c) * weight
            if cost < least and (
                is_alike or is_allowed(groups, rules, home, to, Change(a, -1, c, 1), Change(a, 1, c, -1))
            ):
                best, least = c, cost
        c = groups.next[c]
        tried += 1
    return best


@inner
def some_record(groups: Groups, g: int, coin: float) -> int:
    """The record of a group with which a look at some of them begins; `coin` is in 0..1."""
    r, beyond = groups.first[g], groups.size[g] - _TRIED
    for _ in range(int(coin * beyond) if beyond > 0 else 0):
        r = groups.next[r]
    return r


@inner
def companion(records: Records, groups: Groups, rules: Rules, a: int, to: int) -> int:
    """A record of another stratum that record a may take along where it may not go alone, or -1."""
    home, best, least = groups.of[a], _NONE, np.inf
    c = groups.first[home]
    while c >= 0:
        if rules.stratum[c] != rules.stratum[a]:
            nearer = distance_to(records, groups, c, to) - distance_to(records, groups, c, home)
            if nearer < least:
                best, least = c, nearer
        c = groups.next[c]
    if best >= 0 and is_allowed(groups, rules, home, to, Change(a, -1, best, -1), Change(a, 1, best, 1)):
        return best
    return _NONE


@inner
def make(
    records: Records,
    groups: Groups,
    rules: Rules,
    home: int,
    to: int,
    leaving: Change,
    coming: Change,
    most: float,
) -> None:
    """Make a change if it costs less than `most`."""
    cost = loss_after(records, groups, home, leaving) + loss_after(records, groups, to, coming)
    cost -= groups.loss[home] + groups.loss[to]
    if cost >= most:
        return
    transfer(records, groups, rules.limits, coming.a, to if coming.by_a > 0 else home)
    if coming.b >= 0:
        transfer(records, groups, rules.limits, coming.b, to if coming.by_b > 0 else home)
    settle(records, groups, home)
    settle(records, groups, to)


@inner
def united(records: Records, groups: Groups, rules: Rules, g: int, h: int, most: float) -> bool:
    """Put the records of group g into group h if that costs less than `most`; whether it was done.

    What is within the limits stays so: they are convex in the histogram.
    """
    size = groups.size[g] + groups.size[h]
    if size > _MOST:
        return False
    total = 0.0
    for j in range(records.numbers.shape[1]):
        known, sums = groups.known[g, j] + groups.known[h, j], groups.sums[g, j] + groups.sums[h, j]
        squares = groups.sums_of_squares[g, j] + groups.sums_of_squares[h, j]
        total += spread(known, size - known, sums, squares, records.far[j])
    for j in range(records.words.shape[1]):
        best = np.inf
        for c in range(records.first[j], records.first[j + 1]):
            best = min(best, groups.scores[g, c] + groups.scores[h, c])
        total += best
    cost = total - groups.loss[g] - groups.loss[h]
    if cost >= most:
        return False
    while groups.first[g] >= 0:
        transfer(records, groups, rules.limits, groups.first[g], h)
    clear_group(groups, g)
    settle(records, groups, h)
    return True


@inner
def split(records: Records, groups: Groups, rules: Rules, a: int, new: int, most: float) -> bool:
    """Put the records that are nearer to a than to the farthest from it into a new group, if that costs less
    than `most` and both are what they have to be; whether it was done.
    """
    g = groups.of[a]
    size, loss = groups.size[g], groups.loss[g]
    members, n_moved = groups.moved, 0
    far, most_apart = a, -1.0
    c = groups.first[g]
    while c >= 0:
        d = between(records, a, c)
        if d > most_apart:
            far, most_apart = c, d
        c = groups.next[c]
    c = groups.first[g]
    while c >= 0:
        if between(records, a, c) < between(records, far, c):
            members[n_moved] = c
            n_moved += 1
        c = groups.next[c]
    if n_moved < rules.k or size - n_moved < rules.k:
        return False
    clear_group(groups, new)
    for i in range(n_moved):
        transfer(records, groups, rules.limits, members[i], new)
    nobody = Change(a, 0, _NONE, 0)
    if is_allowed(groups, rules, g, new, nobody, nobody):
        settle(records, groups, g)
        settle(records, groups, new)
        if groups.loss[g] + groups.loss[new] - loss < most:
            return True
    for i in range(n_moved):
        transfer(records, groups, rules.limits, members[i], g)
    clear_group(groups, new)
    settle(records, groups, g)
    return False


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
            if space.strategy == LEAST_SQUARES:
                total += a.weight * d
                continue
        else:
            number = points.numbers[g, j]
            if v == a.missing or np.isnan(number):
                d = 0.0 if v == a.missing and np.isnan(number) else a.far
            else:
                d = abs(space.values[v].number - number) / a.unit
        total += a.weight * d * d
    return total


@kernel
def loss_of_groups(space: Space, tuples: Int64, groups: Int64) -> float:
    """Sum of squared distances of records to the centroids of their groups."""
    order = np.argsort(groups, kind="mergesort")
    members, points = empty_group(space), empty_points(space, 1)
    total, start = 0.0, 0
    while start < len(order):
        stop = start
        clear(space, members)
        while stop < len(order) and groups[order[stop]] == groups[order[start]]:
            join(space, members, tuples[order[stop]], 1)
            stop += 1
        centroid(space, members, points, 0)
        for i in range(start, stop):
            total += square(space, points, 0, tuples[order[i]])
        start = stop
    return total
