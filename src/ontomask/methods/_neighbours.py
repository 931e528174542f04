"""Compiled search for the neighbours of records: trees over random pairs put near ones into one leaf."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import inlined, kernel

WORD = np.dtype([("row", np.int64), ("own", np.int64)])
_NONE = -1
_ALL = -1  # attributes
_DRAWN = 5  # records of a node, of which the farthest is taken
_FRIENDS = 16  # nearest neighbours whose own are tried


class Records(NamedTuple):
    """Records, or tuples of equal ones, and how far apart their values are.

    The cost of two points is the sum over attributes of distances, or of their squares, with their weights;
    or (`is_squared`) the square of that sum. Numbers are over their unit of distance; NaN, none, is at `far`
    from all others. `table[words[r, j].row + c]` is what the value that record r has in nominal attribute j
    and candidate c of that attribute add; `own` is the candidate that the value itself is. The candidates of
    all attributes are at `first[j]:first[j + 1]`.
    """

    numbers: Float64  # [n, numeric attributes]
    far: Float64  # per numeric attribute
    words: Any  # [n, nominal attributes] of WORD
    table: Float64
    first: Int64
    has_squares: bool  # whether numbers add squares of their differences
    is_squared: bool


@inlined
def number_cost(records: Records, j: int, x: float, y: float) -> float:
    """What number x of attribute j adds in the place of y."""
    d = abs(x - y)
    if d == d:
        return d * d if records.has_squares else d
    return records.far[j] if x == x or y == y else 0.0  # one of them, or both, are no number


@inlined
def between(records: Records, r: int, s: int) -> float:
    """Cost of record r in the place of record s."""
    total = 0.0
    for j in range(records.numbers.shape[1]):
        total += number_cost(records, j, records.numbers[r, j], records.numbers[s, j])
    for j in range(records.words.shape[1]):
        total += records.table[records.words[r, j].row + records.words[s, j].own]
    return total * total if records.is_squared else total


@inlined
def between_in(records: Records, j: int, r: int, s: int) -> float:
    """What attribute j, the nominal ones first, adds to that cost; all of it where j is -1."""
    nominal = records.words.shape[1]
    if j < 0:
        return between(records, r, s)
    if j < nominal:
        return float(records.table[records.words[r, j].row + records.words[s, j].own])
    j -= nominal
    return number_cost(records, j, records.numbers[r, j], records.numbers[s, j])


@inlined
def drawn(state: np.ndarray) -> float:
    """A number in 0..1 (Marsaglia's xorshift): the same on every machine."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.float64(x >> np.uint64(11)) / 9007199254740992.0


@kernel
def tree_order(
    records: Records, n: int, leaf: int, by_attribute: bool, state: np.ndarray
) -> tuple[Int64, Int64]:
    """Records in an order in which near ones are mostly beside one another, and where leaves of a tree end.

    A node is halved by how much nearer its records are to one record than to another; the first is drawn, the
    second is the farthest of some that are drawn; in all attributes, or in one that is drawn with it: near
    records have most values in common, so that such halves part fewer of them.
    """
    items, ends, n_ends = np.arange(n), np.empty(n, np.int64), 0
    stack, height, side = np.empty((128, 2), np.int64), 1, np.empty(n)
    attributes = records.words.shape[1] + records.numbers.shape[1]
    stack[0] = 0, n
    while height > 0:
        height -= 1
        start, stop = stack[height]
        if stop - start <= leaf:
            ends[n_ends] = stop
            n_ends += 1
            continue
        one = items[start + int(drawn(state) * (stop - start))]
        other, most, j = one, -1.0, _ALL
        for _ in range(_DRAWN):
            c = items[start + int(drawn(state) * (stop - start))]
            i = int(drawn(state) * attributes) if by_attribute else _ALL
            d = between_in(records, i, one, c)
            if d > most:
                other, most, j = c, d, i
        for i in range(start, stop):
            nearer = between_in(records, j, items[i], one), between_in(records, j, items[i], other)
            side[i - start] = nearer[0] - nearer[1]
        order = np.argsort(side[: stop - start], kind="mergesort")
        items[start:stop] = items[start:stop][order]
        middle = (start + stop) // 2
        stack[height] = middle, stop  # the lower half is taken first: leaves are in order
        stack[height + 1] = start, middle
        height += 2
    return items, ends[:n_ends]


class Nearest(NamedTuple):
    """Of each record the nearest others that are known, nearest first."""

    records: Int32  # -1: none
    apart: Float64


def nobody_near(n: int, how_many: int) -> Nearest:
    """Lists of n records with so many places, of which nothing is known yet."""
    return Nearest(np.full((n, how_many), _NONE, np.int32), np.full((n, how_many), np.inf))


def neighbours(records: Records, how_many: int, trees: int, leaf: int, state: np.ndarray) -> Int32:
    """Of each record the nearest others, as far as they are found; -1: none."""
    n = len(records.words)
    nearest = nobody_near(n, min(how_many, max(n - 1, 1)))
    look_around(records, nearest, trees, leaf, state)
    return nearest.records


@kernel
def look_around(records: Records, nearest: Nearest, trees: int, leaf: int, state: np.ndarray) -> None:
    """Find nearer neighbours: those that trees put into one leaf, then the neighbours of neighbours, as Dong,
    Moses & Li (2011) do. Every other tree looks at one attribute at a time: they part others.
    """
    near, n = nearest.records, len(nearest.records)
    for tree in range(trees):
        items, ends = tree_order(records, n, leaf, tree % 2 == 1, state)
        start = 0
        for end in ends:
            for i in range(start, end):
                for j in range(start, i):
                    d = between(records, items[i], items[j])
                    note(nearest, items[i], items[j], d)
                    note(nearest, items[j], items[i], d)
            start = end
    seen = np.full(n, _NONE, np.int32)
    for a in range(n):
        seen[a] = a
        for b in near[a]:
            seen[b] = a
        for b in near[a, :_FRIENDS]:
            for c in near[b, :_FRIENDS]:
                if b >= 0 and c >= 0 and seen[c] != a:
                    seen[c] = a
                    d = between(records, a, c)
                    note(nearest, a, c, d)
                    note(nearest, c, a, d)


@inlined
def note(nearest: Nearest, a: int, b: int, d: float) -> None:
    """Keep b among the nearest of a, if it is."""
    near, apart, i = nearest.records, nearest.apart, nearest.apart.shape[1] - 1
    if d >= apart[a, i]:
        return
    for other in near[a]:
        if other == b:
            return
    while i > 0 and apart[a, i - 1] > d:
        apart[a, i], near[a, i] = apart[a, i - 1], near[a, i - 1]
        i -= 1
    apart[a, i], near[a, i] = d, b


@kernel
def among(nearest: Nearest, some: Int64, place: Int64) -> Nearest:
    """What is known of some records, by their places among them; others have the place -1."""
    n, how_many = len(some), nearest.records.shape[1]
    found = Nearest(np.full((n, how_many), _NONE, np.int32), np.full((n, how_many), np.inf))
    for i in range(n):
        last = 0
        for j in range(how_many):
            b = nearest.records[some[i], j]
            if b >= 0 and place[b] >= 0:
                found.records[i, last], found.apart[i, last] = place[b], nearest.apart[some[i], j]
                last += 1
    return found


@kernel
def remember(nearest: Nearest, some: Int64, found: Nearest) -> None:
    """Keep what was found of some records."""
    for i in range(len(some)):
        for j in range(found.records.shape[1]):
            b = found.records[i, j]
            if b >= 0:
                note(nearest, some[i], some[b], found.apart[i, j])
