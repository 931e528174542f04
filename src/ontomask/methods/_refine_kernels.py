"""Compiled search for better groups: records move and change places, groups join and split, by annealing.

The loss of a group is the sum over its records of squared distances to its centroid, over attributes. Every
group keeps, for each candidate, the sum of squares to its members, so that what a change costs is known from
the records that come and go. Which groups a record is tried in is told by its neighbours, which trees over
random pairs of records find.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes._kernels import centroid, clear, empty_group, empty_points, join
from ontomask.attributes.space import LEAST_SQUARES, Points, Space
from ontomask.compiled import inner, kernel, step

FEW = 64  # codes of a limit that groups count one by one
_ROUNDING = 1e-9
_MOST = 512  # records of a group that grows no further
_TRIED = 8  # records of a group that one may change places with, or take along
_JOINED = _SPLIT = 0.01  # of all proposals
_PARTS = 20  # after which the loss is looked at
_NONE = -1


class Records(NamedTuple):
    """Records and how far apart their values are, squared and weighted.

    Numbers are over their unit of distance; NaN, none, is at `far` from all others.
    Column c of `squares[rows[r, j]:]` is the square from the value that record r has in nominal attribute j
    to candidate c of that attribute; the candidates of all attributes are at `first[j]:first[j + 1]`.
    """

    numbers: Float64  # [n, numeric attributes]
    far: Float64  # per numeric attribute
    rows: Int64  # [n, nominal attributes]
    own: Int32  # the candidate that the value itself is
    squares: Float64
    first: Int64


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
    histogram: Int32
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
        x, heart = records.numbers[r, j], groups.means[g, j]
        d = x - heart
        if d == d:
            total += d * d
        elif x == x or heart == heart:
            total += records.far[j]
    for j in range(records.rows.shape[1]):
        total += records.squares[records.rows[r, j] + groups.candidates[g, j]]
    return total


@inner
def between(records: Records, r: int, s: int) -> float:
    """Square of record r to record s."""
    total = 0.0
    for j in range(records.numbers.shape[1]):
        x, y = records.numbers[r, j], records.numbers[s, j]
        d = x - y
        if d == d:
            total += d * d
        elif x == x or y == y:
            total += records.far[j]
    for j in range(records.rows.shape[1]):
        total += records.squares[records.rows[r, j] + records.own[s, j]]
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
    for j in range(records.rows.shape[1]):
        start, best = records.first[j], np.inf
        of_a, of_b = records.rows[a, j], records.rows[b, j]
        if b < 0 or of_a == of_b:
            by = by_a if b < 0 else by_a + by_b
            for c in range(records.first[j + 1] - start):
                best = min(best, groups.scores[g, start + c] + by * records.squares[of_a + c])
        else:
            for c in range(records.first[j + 1] - start):
                score = groups.scores[g, start + c] + by_a * records.squares[of_a + c]
                best = min(best, score + by_b * records.squares[of_b + c])
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
    for j in range(records.rows.shape[1]):
        start, row = records.first[j], records.rows[r, j]
        for c in range(records.first[j + 1] - start):
            groups.scores[g, start + c] += by * records.squares[row + c]


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
    for j in range(records.rows.shape[1]):
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
    """How far the histogram of group g is from the table after a change, code by code."""
    a, by_a, b, by_b = change
    size = groups.size[g] + by_a
    code_a, code_b = limits.codes[a, one], _NONE
    if b >= 0:
        size, code_b = size + by_b, limits.codes[b, one]
    start, n_codes = limits.start[one], limits.start[one + 1] - limits.start[one]
    total, up_to = 0.0, 0.0
    for v in range(n_codes):
        n = groups.histogram[g, limits.counted_from[one] + v]
        if v == code_a:
            n += by_a
        if v == code_b:
            n += by_b
        over = n / size - limits.shares[start + v]
        up_to += over
        total += abs(up_to) if limits.is_ordered[one] else max(over, 0.0)
    return total / max(n_codes - 1, 1) if limits.is_ordered[one] else total


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
def insert(ascending: Int64, size: int, code: int) -> int:
    """Put a code among `size` ascending ones; how many they are then."""
    at = size
    while at > 0 and ascending[at - 1] > code:
        ascending[at] = ascending[at - 1]
        at -= 1
    ascending[at] = code
    return size + 1


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
        cut = first_at_least(up_to, start, stop, share)
        total += share * (2 * cut - start - stop) + area[stop] + area[start] - 2 * area[cut]
    return total / (q - 1)


@inner
def first_at_least(ascending: Float64, start: int, stop: int, one: float) -> int:
    """The first place of `start:stop` with no smaller number, or `stop`."""
    while start < stop:
        middle = (start + stop) // 2
        if ascending[middle] < one:
            start = middle + 1
        else:
            stop = middle
    return start


@inner
def is_allowed(groups: Groups, rules: Rules, home: int, to: int, leaving: Change, coming: Change) -> bool:
    """Whether both groups are what they have to be after a change."""
    return is_within(rules.limits, groups, home, leaving) and is_within(rules.limits, groups, to, coming)


@inner
def drawn(state: np.ndarray) -> float:
    """A number in 0..1 (Marsaglia's xorshift): the same on every machine."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.float64(x >> np.uint64(11)) / 9007199254740992.0


@kernel
def annealed(
    records: Records,
    of: Int64,
    rules: Rules,
    near: Int32,
    proposals: int,
    hot: float,
    cold: float,
    state: np.ndarray,
) -> tuple[Int64, Float64]:
    """The group of each record after a number of proposals; the losses after each twentieth of them.

    A change that raises the loss by d is accepted with probability exp(-d / T), where the temperature T falls
    from `hot` to `cold` times the mean loss of a record. That draw comes first, so that an estimate mostly
    tells that a change is none. Records near their centroid are tried less often: they have little to gain.
    """
    groups, free, n_free = grouped(records, of, rules)
    losses = np.empty(_PARTS + 1)
    losses[0] = groups.loss.sum()
    mean = losses[0] / len(of)
    if mean <= _ROUNDING:
        losses[:] = losses[0]
        return of, losses
    cooling = (cold / hot) ** (1 / max(proposals, 1))
    for part in range(_PARTS):
        start, stop = proposals * part // _PARTS, proposals * (part + 1) // _PARTS
        temperature = hot * mean * cooling**start
        n_free = search(
            records, groups, rules, near, free, n_free, state, start, stop, temperature, cooling, mean
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
    start: int,
    stop: int,
    temperature: float,
    cooling: float,
    mean: float,
) -> int:
    """Make proposals; how many groups nobody is in then, which are listed in `free`."""
    n = len(groups.of)
    for proposal in range(start, stop):
        temperature *= cooling
        a = proposal % n
        what, most = drawn(state), -temperature * np.log(drawn(state) + 1e-300)
        home = groups.of[a]
        if rules.is_free and what < _SPLIT:
            may_split = n_free > 0 and groups.size[home] >= 2 * rules.k
            if may_split and split(records, groups, rules, a, free[n_free - 1], most):
                n_free -= 1
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
            change(records, groups, rules, a, b, at_home, most, drawn(state))
    return n_free


@step
def grouped(records: Records, of: Int64, rules: Rules) -> tuple[Groups, Int64, int]:
    """The groups given, room for more, and which those are that nobody is in."""
    n, taken = len(of), of.max() + 1
    room = max(n // rules.k, taken) if rules.is_free else taken
    numeric, nominal = records.numbers.shape[1], records.rows.shape[1]
    groups = Groups(
        np.full(n, _NONE, np.int64),
        np.full(n, _NONE, np.int64),
        np.full(n, _NONE, np.int64),
        np.full(room, _NONE, np.int64),
        np.zeros(room, np.int64),
        np.zeros((room, rules.limits.counted_from[-1]), np.int32),
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
) -> None:
    """Move record a to the group of its neighbour b, alone or with another, or swap it, for less than `most`.

    Estimates take values for points of a plane: a record at square D from the centroid of s adds s/(s+1) D.
    """
    home, to = groups.of[a], groups.of[b]
    there = distance_to(records, groups, a, to)
    s, z = groups.size[home], groups.size[to]
    chosen, by = _NONE, 1  # the record that goes the same way, or (-1) the other way
    is_found = False
    if rules.is_free and s > rules.k and z < _MOST and there * z / (z + 1) - at_home * s / (s - 1) < most:
        is_found = is_allowed(groups, rules, home, to, Change(a, -1, _NONE, 0), Change(a, 1, _NONE, 0))
        if not is_found and s > rules.k + 1 and coin < 0.5:
            chosen = companion(records, groups, rules, a, to)
            is_found = chosen >= 0
    if not is_found:
        chosen, by = partner(records, groups, rules, a, b, there - at_home, most, coin), -1
        is_found = chosen >= 0
    if is_found:
        make(records, groups, rules, home, to, Change(a, -1, chosen, -by), Change(a, 1, chosen, by), most)


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
    for j in range(records.rows.shape[1]):
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


@kernel
def tree_order(records: Records, n: int, leaf: int, state: np.ndarray) -> tuple[Int64, Int64]:
    """Records in an order in which near ones are mostly beside one another, and where leaves of a tree end.

    A node is halved by how much nearer its records are to one record than to another; the first is drawn, the
    second is the farthest of some that are drawn.
    """
    items, ends, n_ends = np.arange(n), np.empty(n, np.int64), 0
    stack, height, side = np.empty((128, 2), np.int64), 1, np.empty(n)
    stack[0] = 0, n
    while height > 0:
        height -= 1
        start, stop = stack[height]
        if stop - start <= leaf:
            ends[n_ends] = stop
            n_ends += 1
            continue
        one = items[start + int(drawn(state) * (stop - start))]
        other, most = one, -1.0
        for _ in range(5):
            c = items[start + int(drawn(state) * (stop - start))]
            d = between(records, one, c)
            if d > most:
                other, most = c, d
        for i in range(start, stop):
            side[i - start] = between(records, items[i], one) - between(records, items[i], other)
        order = np.argsort(side[: stop - start], kind="mergesort")
        items[start:stop] = items[start:stop][order]
        middle = (start + stop) // 2
        stack[height] = middle, stop  # the lower half is taken first: leaves are in order
        stack[height + 1] = start, middle
        height += 2
    return items, ends[:n_ends]


@kernel
def neighbours(records: Records, n: int, how_many: int, trees: int, leaf: int, state: np.ndarray) -> Int32:
    """Of each record the nearest others, nearest first, as far as trees put them into one leaf; -1: none."""
    near, apart = np.full((n, how_many), _NONE, np.int32), np.full((n, how_many), np.inf)
    for _ in range(trees):
        items, ends = tree_order(records, n, leaf, state)
        start = 0
        for end in ends:
            for i in range(start, end):
                for j in range(i + 1, end):
                    d = between(records, items[i], items[j])
                    note(near, apart, items[i], items[j], d)
                    note(near, apart, items[j], items[i], d)
            start = end
    return near


@inner
def note(near: Int32, apart: Float64, a: int, b: int, d: float) -> None:
    """Keep b among the nearest of a, if it is."""
    i = near.shape[1] - 1
    if d >= apart[a, i]:
        return
    for other in near[a]:
        if other == b:
            return
    while i > 0 and apart[a, i - 1] > d:
        apart[a, i], near[a, i] = apart[a, i - 1], near[a, i - 1]
        i -= 1
    apart[a, i], near[a, i] = d, b


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
