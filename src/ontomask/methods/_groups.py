"""Groups of entries, what they cost, and what they would cost after a change.

Groups hold entries: so many records of a tuple, all of them unless tuples may be split. What a group costs is
fitted anew from its members (`_fitting`), since there are few; estimates say beforehand what is not worth it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import inlined, inner, step
from ontomask.methods._fitting import Bench, Columns, bench_for, cover_with, covers_without, fit
from ontomask.methods._neighbours import Records, number_cost

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
MOVED = 256  # entries that one change moves at most


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


# ---------------------------------------------------------------------- room for them


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
    most = min(int(placed.counts.sum() / k), entries)  # somebody is in every group
    groups = max(most, int(placed.groups.max(initial=-1)) + 1) + 1
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
            np.zeros(MOVED, MOVE).view(np.recarray),
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
