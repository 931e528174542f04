"""Compiled search for groups that cost less: tuples move and change places, groups dissolve and form.

Groups hold entries: so many records of a tuple, all of them unless tuples may be split. What a group costs is
fitted anew from its members (`_fitting`), since there are few. Which groups a tuple is tried in is told by
its neighbours. Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983): a change that costs d more is made
with probability exp(-d / T). The threshold is drawn first, so that an estimate mostly tells it is missed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import inlined, inner, kernel, step
from ontomask.methods._fitting import (
    Bench,
    Columns,
    bench_for,
    cover_of_numbers,
    cover_of_words,
    cover_with,
    covers_without,
    fit,
)
from ontomask.methods._neighbours import Records, between, drawn, number_cost

ENTRY = np.dtype(
    [
        ("tuple", np.int64),
        ("group", np.int64),  # -1: this is none
        ("next", np.int64),  # entry of its group, or -1
        ("previous", np.int64),
        ("sibling", np.int64),  # the next entry of its tuple, or -1
        ("count", np.float64),  # records
        ("cost", np.float64),  # of one of them, but for covers
        ("without", np.float64),  # NCP of what covers its group but it
    ]
)
GROUP = np.dtype(
    [
        ("first", np.int64),  # entry, or -1
        ("length", np.int64),  # of the chain of its entries
        ("weight", np.float64),  # records
        ("loss", np.float64),
        ("cover", np.float64),  # NCP of what covers its members
    ]
)
MOVE = np.dtype([("tuple", np.int64), ("home", np.int64), ("to", np.int64), ("count", np.float64)])
_NONE = -1
_ALL: Any = np.bool_(True)  # not literals, for which what they are given to would be compiled twice
_VALUES: Any = np.bool_(False)
_PARTS = 20  # of the search, after each of which the loss is looked at
_DISSOLVED = _FORMED = 0.02  # of all proposals
_LENT = 0.2  # of moves: the neighbour's records come, where tuples may be split
_STAYING = 0.9  # of proposals about a tuple that is a group by itself
_TRIED = 4  # members of a group that a tuple may change places with
_MOVED = 256  # entries that one change moves at most
_MARGIN = 0.3  # times the mean cost of a record: how far estimates may be off


class Groups(NamedTuple):
    """Entries in groups; the entries of a group are a chain, and so are those of a tuple."""

    entries: Any  # of ENTRY
    first: Int64  # entry of every tuple
    groups: Any  # of GROUP
    candidates: Int64  # [groups, nominal]: the points
    numbers: Float64  # [groups, numeric, 2]
    free: Int64  # groups that nobody is in; the last place tells how many
    spare: Int64  # entries that are none; so too
    moves: Any  # of MOVE: what a change consists of


class Search(NamedTuple):
    """All that a proposal is made from."""

    records: Records
    columns: Columns
    groups: Groups
    bench: Bench
    near: Int32  # [tuples, neighbours], nearest first; -1: none
    heat: Float64  # of each tuple: times the temperature
    k: float
    may_split: bool
    has_covers: bool
    margin: float  # how far estimates may be off


class Placed(NamedTuple):
    """Entry e puts `counts[e]` records of tuple `tuples[e]` into group `groups[e]`."""

    tuples: Int64
    groups: Int64
    counts: Float64


class Schedule(NamedTuple):
    """How long to search: members to look at; temperatures over the mean cost of a record (0: at first)."""

    looks: int
    hot: float
    cold: float
    mean: float
    is_last: bool


class Told(NamedTuple):
    """For whoever watches: records that are done, and so many more after each part; the first loss, and that
    of now. Blocks are searched at once, so that a little of it may be lost.
    """

    done: Int64
    credit: int
    loss: Float64
    is_first: bool


# ---------------------------------------------------------------------- entries


@inlined
def entry_in(groups: Groups, t: int, g: int) -> int:
    """The entry of tuple t in group g, or -1."""
    e = groups.first[t]
    while e >= 0 and groups.entries[e].group != g:
        e = groups.entries[e].sibling
    return e


@inlined
def unlink(groups: Groups, e: int) -> None:
    """Take entry e out of its group."""
    entry = groups.entries[e]
    if entry.previous >= 0:
        groups.entries[entry.previous].next = entry.next
    else:
        groups.groups[entry.group].first = entry.next
    if entry.next >= 0:
        groups.entries[entry.next].previous = entry.previous
    groups.groups[entry.group].length -= 1
    groups.entries[e].group = _NONE


@inlined
def link(groups: Groups, e: int, g: int) -> None:
    """Put entry e into group g."""
    head = groups.groups[g].first
    if head >= 0:
        groups.entries[head].previous = e
    groups.entries[e].next, groups.entries[e].previous = head, _NONE
    groups.entries[e].group, groups.groups[g].first = g, e
    groups.groups[g].length += 1


@inlined
def give(groups: Groups, t: int, count: float, home: int, to: int) -> None:
    """Take so many records of tuple t from one group to another; points and losses are settled later."""
    e, f = entry_in(groups, t, home), entry_in(groups, t, to)
    groups.groups[home].weight -= count
    groups.groups[to].weight += count
    if count < groups.entries[e].count:
        groups.entries[e].count -= count
        if f < 0:
            groups.spare[-1] -= 1
            f = groups.spare[groups.spare[-1]]
            groups.entries[f].tuple, groups.entries[f].count = t, 0.0
            groups.entries[f].sibling, groups.first[t] = groups.first[t], f
            link(groups, f, to)
        groups.entries[f].count += count
        return
    unlink(groups, e)
    if f < 0:
        link(groups, e, to)
        return
    groups.entries[f].count += count
    if groups.first[t] == e:
        groups.first[t] = groups.entries[e].sibling
    else:
        before = groups.first[t]
        while groups.entries[before].sibling != e:
            before = groups.entries[before].sibling
        groups.entries[before].sibling = groups.entries[e].sibling
    groups.spare[groups.spare[-1]] = e
    groups.spare[-1] += 1


@inner
def nobody() -> int:
    """No entry, tuple or group; not a literal, for which what it is given to would be compiled twice."""
    none: Any = np.int64(_NONE)
    return int(none)


@inlined
def note(groups: Groups, n: int, t: int, home: int, to: int, count: float) -> None:
    """Note a move as the n-th of a change."""
    move = groups.moves[n]
    move.tuple, move.home, move.to, move.count = t, home, to, count


@inner
def set_free(groups: Groups, g: int) -> None:
    """Nobody is in group g."""
    groups.groups[g].loss = 0.0
    groups.free[groups.free[-1]] = g
    groups.free[-1] += 1


# ---------------------------------------------------------------------- what groups cost


@inlined
def cost_in(search: Search, t: int, g: int) -> float:
    """What a record of tuple t would cost in group g, whose point stays; without what is covered."""
    records, columns, groups = search.records, search.columns, search.groups
    total = 0.0
    for j in range(columns.n_words):
        total += records.table[records.words[t, j].row + groups.candidates[g, j]]
    for j in range(columns.n_numbers):
        total += number_cost(records, j, records.numbers[t, j], groups.numbers[g, j, 0])
    return total * total if records.is_squared else total


@inlined
def cost_of_coming(search: Search, t: int, count: float, g: int, most: float) -> float:
    """About how much more group g costs if so many records of tuple t come.

    Of covers it is exact. Other values are taken for points of a plane: a record at square D from the
    centroid of s others adds s / (s + 1) D.
    """
    group, cost = search.groups.groups[g], 0.0
    if search.has_covers:
        weight, groups = group.weight + count, search.groups
        room = (most + group.weight * group.cover) / weight
        cover = cover_with(search.records, search.columns, groups.candidates[g], groups.numbers[g], t, room)
        cost = weight * cover - group.weight * group.cover
        if cost >= most:
            return cost
    return cost + count * cost_in(search, t, g) * group.weight / (group.weight + count)


@inlined
def gain_of_leaving(search: Search, e: int, count: float) -> float:
    """About how much less its group costs if so many records of entry e leave."""
    entry = search.groups.entries[e]
    group = search.groups.groups[entry.group]
    left = group.weight - count
    if left <= 0:
        return group.loss
    cover = entry.without if count >= entry.count else group.cover
    return count * entry.cost * group.weight / left + group.weight * group.cover - left * cover


@inlined
def gather(search: Search, g: int, out: int, n_out: float, come: int, n_come: float) -> int:
    """Put the members of group g on the bench, without some records of tuple `out`, with some of `come`."""
    entries, members = search.groups.entries, search.bench.members
    n, e = 0, search.groups.groups[g].first
    while e >= 0:
        t, count = entries[e].tuple, entries[e].count
        if t == out:
            count -= n_out
        if t == come:
            count += n_come
            n_come = 0.0
        if count > 0:
            members[n].tuple, members[n].count = t, count
            n += 1
        e = entries[e].next
    if n_come > 0:
        members[n].tuple, members[n].count = come, n_come
        n += 1
    return n


@inlined
def begin_at_point(search: Search, g: int) -> None:
    """The point of group g becomes that of the bench."""
    groups, bench = search.groups, search.bench
    for j in range(groups.candidates.shape[1]):
        bench.candidates[j] = groups.candidates[g, j]
    for j in range(groups.numbers.shape[1]):
        bench.numbers[j, 0] = groups.numbers[g, j, 0]


@inlined
def loss_after(search: Search, g: int, out: int, n_out: float, come: int, n_come: float) -> float:
    """What group g costs, at most, after records of one tuple left and some of another came."""
    n = gather(search, g, out, n_out, come, n_come)
    if n == 0:
        return 0.0
    begin_at_point(search, g)
    return fit(search.records, search.columns, search.bench, n, _VALUES)


@inner
def settle(search: Search, g: int) -> float:
    """Find the point of group g; how much more the group costs than it did."""
    groups, bench, before = search.groups, search.bench, search.groups.groups[g].loss
    n = gather(search, g, g, 0.0, g, 0.0)
    if n == 0:
        groups.groups[g].loss = 0.0
        return -before
    begin_at_point(search, g)
    loss = fit(search.records, search.columns, bench, n, _ALL)
    for j in range(groups.candidates.shape[1]):
        groups.candidates[g, j] = bench.candidates[j]
    for j in range(groups.numbers.shape[1]):
        groups.numbers[g, j, 0], groups.numbers[g, j, 1] = bench.numbers[j, 0], bench.numbers[j, 1]
    groups.groups[g].loss = loss
    e = groups.groups[g].first
    if search.has_covers:
        groups.groups[g].cover = cover_with(
            search.records, search.columns, bench.candidates, bench.numbers, bench.members[0].tuple, np.inf
        )
        covers_without(search.records, search.columns, bench, n)
    for i in range(n):
        groups.entries[e].cost = cost_in(search, groups.entries[e].tuple, g)
        groups.entries[e].without = bench.members[i].rest if search.has_covers else 0.0
        e = groups.entries[e].next
    return loss - before


@inner
def begin_at_tuple(search: Search, g: int, t: int) -> None:
    """Tuple t becomes the point of group g, from which a better one is searched for."""
    groups, records = search.groups, search.records
    for j in range(groups.candidates.shape[1]):
        groups.candidates[g, j] = records.words[t, j].own
    for j in range(groups.numbers.shape[1]):
        groups.numbers[g, j, 0] = groups.numbers[g, j, 1] = records.numbers[t, j]


@inner
def most_frequent(groups: Groups, g: int) -> int:
    """The tuple of which group g has most records."""
    e = groups.groups[g].first
    most = e
    while e >= 0:
        if groups.entries[e].count > groups.entries[most].count:
            most = e
        e = groups.entries[e].next
    return int(groups.entries[most].tuple)


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
        if to < 0 or n == _MOVED or cost >= most + search.margin:
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
            if t < 0 or weight >= search.k or n == _MOVED:
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


def search_for(
    records: Records,
    columns: Columns,
    near: Int32,
    placed: Placed,
    k: float,
    *,
    may_split: bool = False,
    heat: Float64 | None = None,
) -> Search:
    """Room for a search that begins with some groups: for as many entries and groups as there may be."""
    p = len(records.words)
    entries = len(placed.tuples) + (p if may_split else 0)
    groups = max(int(placed.counts.sum() / k), int(placed.groups.max(initial=-1)) + 1) + 1
    nominal, numeric = records.words.shape[1], records.numbers.shape[1]
    return Search(
        records,
        columns,
        Groups(
            np.zeros(entries, ENTRY).view(np.recarray),
            np.zeros(p, np.int64),
            np.zeros(groups, GROUP).view(np.recarray),
            np.zeros((groups, nominal), np.int64),
            np.zeros((groups, numeric, 2)),
            np.zeros(groups + 1, np.int64),
            np.zeros(entries + 1, np.int64),
            np.zeros(_MOVED, MOVE).view(np.recarray),
        ),
        bench_for(records, entries + 1),
        near,
        np.ones(p) if heat is None else heat,
        float(k),
        may_split,
        columns.n_words < nominal or columns.n_numbers < numeric,
        0.0,
    )


@step
def fill(search: Search, placed: Placed) -> None:
    """Put entries into the groups of a search, where nobody is yet."""
    groups, n = search.groups, len(placed.tuples)
    groups.first[:] = _NONE
    groups.free[-1] = groups.spare[-1] = 0
    for g in range(len(groups.groups)):
        groups.groups[g].first = _NONE
    for e in range(n):
        t, g = placed.tuples[e], placed.groups[e]
        groups.entries[e].tuple, groups.entries[e].count = t, placed.counts[e]
        groups.entries[e].sibling, groups.first[t] = groups.first[t], e
        groups.groups[g].weight += placed.counts[e]
        link(groups, e, g)
    for e in range(len(groups.entries) - 1, n - 1, -1):
        groups.entries[e].group = _NONE
        groups.spare[groups.spare[-1]] = e
        groups.spare[-1] += 1
    for g in range(len(groups.groups) - 1, -1, -1):
        if groups.groups[g].length == 0:
            set_free(groups, g)
        else:
            begin_at_tuple(search, g, most_frequent(groups, g))
            settle(search, g)


@step
def total_loss(groups: Groups) -> float:
    """What all groups cost."""
    total = 0.0
    for g in range(len(groups.groups)):
        total += groups.groups[g].loss
    return total


@step
def as_placed(groups: Groups) -> Placed:
    """The entries as they are."""
    n = 0
    for e in range(len(groups.entries)):
        n += groups.entries[e].group >= 0
    placed = Placed(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n))
    n = 0
    for e in range(len(groups.entries)):
        entry = groups.entries[e]
        if entry.group >= 0:
            placed.tuples[n], placed.groups[n], placed.counts[n] = entry.tuple, entry.group, entry.count
            n += 1
    return placed


@kernel
def annealed(
    search: Search, placed: Placed, schedule: Schedule, state: np.ndarray, told: Told
) -> tuple[Placed, Float64]:
    """The entries in better groups, and the losses after each part of the search.

    The temperature falls from `hot` to `cold` times the mean cost of a tuple that may move. It is the best
    groups seen after a part that are given back where the search ends, else those of the end.
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
    return found, losses


def settled(search: Search, placed: Placed) -> float:
    """Find the point of every group; what they cost together. It is a search that ends where it begins, since
    another loop would have to be compiled.
    """
    nothing, state = Schedule(0, 1.0, 1.0, 0.0, True), np.ones(1, np.uint64)
    _, losses = annealed(search, placed, nothing, state, Told(np.zeros(1, np.int64), 0, np.zeros(2), False))
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
