"""Compiled search for groups that cost less: tuples move and change places, groups dissolve and form.

Which groups (`_groups`) a tuple is tried in is told by its neighbours. Simulated annealing (Kirkpatrick,
Gelatt & Vecchi 1983): a change that costs d more is made with probability exp(-d / T). The threshold is drawn
first, so that an estimate mostly tells it is missed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import inlined, inner, kernel
from ontomask.methods._fitting import cover_of_numbers, cover_of_words, cover_with
from ontomask.methods._groups import (
    MOVED,
    Placed,
    Search,
    as_placed,
    begin_at_tuple,
    cost_in,
    cost_of_coming,
    entry_in,
    fill,
    gain_of_leaving,
    gather,
    give,
    loss_after,
    nobody,
    note,
    set_free,
    settle,
    total_loss,
)
from ontomask.methods._neighbours import between, drawn

_NONE = -1
_PARTS = 20  # of the search, after each of which the loss is looked at
_DISSOLVED = _FORMED = 0.02  # of all proposals
_LENT = 0.2  # of moves: the neighbour's records come, where tuples may be split
_STAYING = 0.9  # of proposals about a tuple that is a group by itself
_TRIED = 4  # members of a group that a tuple may change places with
_MARGIN = 0.3  # times the mean cost of a record: how far estimates may be off


class Schedule(NamedTuple):
    """How long to search: members to look at; temperatures over the mean cost of a record (0: at first)."""

    looks: int
    hot: float
    cold: float
    mean: float
    is_last: bool


class Told(NamedTuple):
    """For whoever watches: records that are done, and so many more after each part; the first loss, and that
    of now. Blocks are searched at once, so that a little of it may be lost. From whoever watches: whether to
    stop after this part.
    """

    done: Int64
    credit: int
    loss: Float64
    is_first: bool
    stop: Int64


# ---------------------------------------------------------------------- changes


@inner
def made(search: Search, n: int, most: float) -> bool:
    """Make the first n moves that are noted if they cost less than `most` in all; whether that was done."""
    groups, cost = search.groups, 0.0
    for i in range(n):
        move = groups.moves[i]
        give(groups, move.tuple, move.count, move.home, move.to)
    for i in range(2 * n):
        move = groups.moves[i // 2]
        cost += settle(search, move.to if i % 2 == 0 else move.home)
    if cost < most:
        return True
    for i in range(n - 1, -1, -1):
        move = groups.moves[i]
        give(groups, move.tuple, move.count, move.to, move.home)
    for i in range(2 * n):
        move = groups.moves[i // 2]
        settle(search, move.to if i % 2 == 0 else move.home)
    return False


@inner
def cost_of_exchange(
    search: Search, home: int, to: int, a: int, n_a: float, c: int, n_c: float, most: float
) -> float:
    """What it costs, at most, that records of tuple a go from one group to another and some of c come.

    It is not counted to the end where it is at least `most`.
    """
    groups = search.groups.groups
    cost = loss_after(search, to, c, n_c, a, n_a) - groups[to].loss - groups[home].loss
    return cost if cost >= most else cost + loss_after(search, home, a, n_a, c, n_c)


@inlined
def move(search: Search, e: int, to: int, most: float, coin: float) -> int:
    """Move entry e, or some records that its group can do without, to another group if that costs less than
    `most`.

    How many members were looked at; minus that if it was done.
    """
    groups, entry = search.groups, search.groups.entries[e]
    t, home, count = entry.tuple, entry.group, entry.count
    extra = groups.groups[home].weight - search.k
    if search.may_split and count > 1 and extra >= 1 and groups.spare[-1] > 0:
        count = min(count, extra)
        if coin < 0.5:  # or some of them
            count = 1 + np.floor(2 * coin * (min(count, search.k) - 1))
    elif count > extra and groups.groups[home].length > 1:
        return 0
    most_there = most + search.margin + gain_of_leaving(search, e, count)
    if cost_of_coming(search, t, count, to, most_there) >= most_there:
        return 1
    looked = groups.groups[to].length + groups.groups[home].length
    if cost_of_exchange(search, home, to, t, count, t, 0.0, most) >= most:
        return looked
    give(groups, t, count, home, to)
    settle(search, to)
    settle(search, home)
    if groups.groups[home].length == 0:
        set_free(groups, home)
    return -looked


@inlined
def swap(search: Search, e: int, to: int, most: float, coin: float) -> int:
    """Let entry e change places with the best of another group if that costs less than `most`.

    How many members were looked at.
    """
    groups, entries = search.groups, search.groups.entries
    a, home = entries[e].tuple, entries[e].group
    s, z = groups.groups[home].weight, groups.groups[to].weight
    best, n_best, m_best, least = nobody(), 0.0, 0.0, most + search.margin
    f, size, looked = groups.groups[to].first, groups.groups[to].length, 0
    if search.has_covers:
        cover_without(search, home, a)
        looked += groups.groups[home].length
    there = cost_in(search, a, to)
    for _ in range(int(coin * (size - _TRIED))):
        f = entries[f].next
    for _ in range(min(size, _TRIED)):
        c, n, m = entries[f].tuple, entries[e].count, entries[f].count
        if s - n + m < search.k or z - m + n < search.k:
            n = m = min(n, m) if search.may_split and groups.spare[-1] > 1 else 0.0
        looked += 1
        if n > 0.0 and c != a:
            cost = cost_of_swap(search, e, f, n, m, there, least)
            if cost < least and search.has_covers:
                looked += size
                cost = cost_of_exchange(search, home, to, a, n, c, m, least)
                cover_without(search, home, a)
            if cost < least:
                best, n_best, m_best, least = c, n, m, cost
        f = entries[f].next
    if best < 0:
        return looked
    looked += size + groups.groups[home].length
    if cost_of_exchange(search, home, to, a, n_best, best, m_best, most) >= most:
        return looked
    give(groups, a, n_best, home, to)
    give(groups, best, m_best, to, home)
    settle(search, to)
    settle(search, home)
    return looked


@inlined
def cost_of_swap(search: Search, e: int, f: int, n: float, m: float, there: float, most: float) -> float:
    """About what it costs that n records of entry e and m of entry f change places; of covers, at least.

    What covers the rest of e's group is on the bench; a record of e would cost `there`.
    """
    entry, other = search.groups.entries[e], search.groups.entries[f]
    home, to = search.groups.groups[entry.group], search.groups.groups[other.group]
    cost = n * (there - entry.cost) + m * (cost_in(search, other.tuple, entry.group) - other.cost)
    if not search.has_covers:
        apart = between(search.records, entry.tuple, other.tuple)
        return cost - apart * n * m * (1 / home.weight + 1 / to.weight)
    weight = home.weight - n + m
    cost += (to.weight - m + n) * other.without - to.weight * to.cover - home.weight * home.cover
    bench, room = search.bench, (most - cost) / weight
    cover = cover_with(search.records, search.columns, bench.candidates, bench.numbers, other.tuple, room)
    return cost + weight * cover


@inner
def cover_without(search: Search, home: int, t: int) -> None:
    """Put what covers a group but tuple t on the bench."""
    n = gather(search, home, t, np.inf, t, 0.0)
    for j in range(search.columns.n_words, search.records.words.shape[1]):
        if n > 0:
            cover_of_words(search.records, search.columns, search.bench, n, j)
        else:
            search.bench.candidates[j] = _NONE
    for j in range(search.columns.n_numbers, search.records.numbers.shape[1]):
        cover_of_numbers(search.records, search.columns, search.bench, n, j)


@inner
def dissolve(search: Search, home: int, most: float) -> int:
    """Put every member of a group into the nearest other if that costs less than `most`; members seen."""
    groups, near = search.groups, search.near
    cost, n, e = -groups.groups[home].loss, 0, groups.groups[home].first
    while e >= 0:
        t, count = groups.entries[e].tuple, groups.entries[e].count
        to, there = nobody(), np.inf
        for i in range(near.shape[1]):
            g = groups.entries[groups.first[near[t, i]]].group if near[t, i] >= 0 else home
            if g != home:
                here = cost_of_coming(search, t, count, g, there)
                if here < there:
                    to, there = g, here
        cost += there
        if to < 0 or n == MOVED or cost >= most + search.margin:
            return (n + 1) * near.shape[1]
        note(groups, n, t, home, to, count)
        n, e = n + 1, groups.entries[e].next
    if made(search, n, most):
        set_free(groups, home)
    return n * (near.shape[1] + 4)


@inner
def form(search: Search, e: int, most: float) -> int:
    """Make a new group of an entry and neighbours that their groups can do without, if that costs less than
    `most`; members looked at.
    """
    groups, near = search.groups, search.near
    a, home = groups.entries[e].tuple, groups.entries[e].group
    g, n, weight, cost = groups.free[groups.free[-1] - 1], 0, 0.0, 0.0
    for i in range(-1, near.shape[1]):
        t = a
        if i >= 0:
            t = np.int64(near[a, i])
            if t < 0 or weight >= search.k or n == MOVED:
                break
            home = groups.entries[groups.first[t]].group
        own = groups.entries[entry_in(groups, t, home)]
        s, count = groups.groups[home].weight, own.count
        extra = s - search.k
        for earlier in range(n):
            if groups.moves[earlier].home == home:
                extra -= groups.moves[earlier].count
        if search.may_split and groups.spare[-1] > n + 1:
            count = min(count, search.k - weight, extra)
        if count < 1 or count > extra:
            if i < 0:
                return 1
            continue
        note(groups, n, t, home, g, count)
        weight, n = weight + count, n + 1
        cost += count * (between(search.records, t, a) - own.cost * s / (s - count))
    if weight < search.k or (not search.has_covers and cost >= most + 2 * search.margin):
        return n + 1
    begin_at_tuple(search, g, a)
    if made(search, n, most):
        groups.free[-1] -= 1
    return 8 * n


# ---------------------------------------------------------------------- the search


@inner
def searched(search: Search, state: np.ndarray, e: int, looks: int, temperature: float) -> int:
    """Make proposals, from that of entry e on, until so many members were looked at; whose turn is next."""
    groups, near, n = search.groups, search.near, len(search.groups.entries)
    while looks > 0:
        e = e + 1 if e + 1 < n else 0
        looks -= 1
        entry = groups.entries[e]
        if entry.group < 0:
            continue
        size, weight = groups.groups[entry.group].length, groups.groups[entry.group].weight
        if size == 1 and weight >= search.k and drawn(state) < _STAYING:
            continue
        what, most = drawn(state), -temperature * search.heat[entry.tuple] * np.log(1 - drawn(state))
        if what < _DISSOLVED:
            looks -= dissolve(search, entry.group, most)
            continue
        if what < _DISSOLVED + _FORMED:
            looks -= form(search, e, most) if size > 1 else 0
            continue
        nearer = drawn(state)
        b = near[entry.tuple, int(nearer * nearer * nearer * near.shape[1])]
        if b < 0:
            continue
        f = groups.first[b]
        if search.may_split and groups.entries[f].sibling >= 0 and drawn(state) < 0.5:
            f = groups.entries[f].sibling
        to = groups.entries[f].group
        if to == entry.group:
            continue
        if search.may_split and drawn(state) < _LENT:
            looked = move(search, f, entry.group, most, drawn(state))
        else:
            looked = move(search, e, to, most, drawn(state))
        if looked >= 0:
            looked += swap(search, e, to, most, drawn(state))
        looks -= abs(looked)
    return e


@kernel
def annealed(
    search: Search, placed: Placed, schedule: Schedule, state: np.ndarray, told: Told
) -> tuple[Placed, Float64]:
    """The entries in better groups, and the losses after each part of the search.

    The temperature falls from `hot` to `cold` times the mean cost of a tuple that may move. It is the best
    groups seen after a part that are given back where the search ends, else those of the end. It ends early
    where it is told to.
    """
    fill(search, placed)
    losses, movable = np.full(_PARTS + 1, total_loss(search.groups)), 0
    for count in placed.counts:
        movable += count < search.k
    mean = schedule.mean if schedule.mean > 0 else losses[0] / max(movable, 1)
    columns = search.columns
    search = Search(
        search.records,
        columns,
        search.groups,
        search.bench,
        search.near,
        search.heat,
        search.k,
        search.may_split,
        search.has_covers,
        _MARGIN * mean if columns.n_words + columns.n_numbers > 0 else 0.0,
    )
    if told.is_first:
        told.loss[0] += losses[0]
        told.loss[1] += losses[0]
    best, found, e = losses[0], placed, nobody()
    for part in range(_PARTS if mean > 0 and schedule.looks > 0 else 0):
        temperature = mean * schedule.hot * (schedule.cold / schedule.hot) ** (part / (_PARTS - 1))
        looks = schedule.looks * (part + 1) // _PARTS - schedule.looks * part // _PARTS
        e = searched(search, state, e, looks, temperature)
        losses[part + 1 :] = total_loss(search.groups)
        if losses[part + 1] < best or not schedule.is_last:
            best, found = losses[part + 1], as_placed(search.groups)
        told.done[0] += told.credit * (part + 1) // _PARTS - told.credit * part // _PARTS
        told.loss[1] += losses[part + 1] - losses[part]
        if told.stop[0] != 0:
            break
    return found, losses


def settled(search: Search, placed: Placed) -> float:
    """Find the point of every group; what they cost together. It is a search that ends where it begins, since
    another loop would have to be compiled.
    """
    nothing, state = Schedule(0, 1.0, 1.0, 0.0, True), np.ones(1, np.uint64)
    nobody_watches = Told(np.zeros(1, np.int64), 0, np.zeros(2), False, np.zeros(1, np.int64))
    _, losses = annealed(search, placed, nothing, state, nobody_watches)
    return float(losses[0])


@kernel
def gathered(counts: Float64, near: Int32, order: Int64, k: float) -> Int64:
    """Groups to begin with: tuples in some order, each with its nearest that are in no group yet.

    Those that find too few are put together as they come; near ones come after one another.
    """
    of, g = np.full(len(counts), _NONE, np.int64), 0
    for t in order:
        weight = counts[t]
        for b in near[t]:
            weight += counts[b] if b >= 0 and of[b] < 0 else 0.0
        if of[t] >= 0 or weight < k:
            continue
        of[t], weight = g, counts[t]
        for b in near[t]:
            if b >= 0 and of[b] < 0 and weight < k:
                of[b] = g
                weight += counts[b]
        g += 1
    weight = 0.0
    for t in range(len(of)):
        if of[t] < 0:
            of[t] = g
            weight += counts[t]
            if weight >= k:
                g, weight = g + 1, 0.0
    if weight > 0 and g > 0:  # too few are left
        for t in range(len(of)):
            if of[t] == g:
                of[t] = g - 1
                for b in near[t]:
                    if b >= 0 and of[b] != g:
                        of[t] = of[b]
                        break
    return of
