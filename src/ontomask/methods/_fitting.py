"""Compiled search for the point that costs the records of a group least, over all attributes at once.

What a group costs is the sum over its records of the cost of each (`Records`). Where that is the square of a
sum over attributes, the best candidate of one attribute depends on the others: they are improved in turn
until none gets better. Columns that are covered cost every record the NCP of the cover of all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes._calendar import moments_of_unit
from ontomask.compiled import inlined, inner
from ontomask.methods._neighbours import Records, number_cost

TOO_FAR = 1e4  # what a record costs that moves farther than its column allows
NUMERIC = np.dtype(
    [
        ("per_day", np.int64),  # moments, where a unit of the calendar covers numbers, or 0
        ("scale", np.float64),  # the number that is written is that of `Records` times this
        ("most", np.float64),  # how much the column may add
    ]
)
MEMBER = np.dtype(
    [
        ("tuple", np.int64),
        ("count", np.float64),
        ("rest", np.float64),  # what other attributes than the one at hand cost a record of it
    ]
)
_ROUNDING = 1e-12
_SWEEPS = 3
_NUMBERS = 16  # of a group that are tried as its centre
_MOMENT = 1e-6  # of a day: less than a second, more than what scaling rounds


class Columns(NamedTuple):
    """What is known of the attributes of `Records`: those with a centre come first, then those covered."""

    n_words: int  # nominal attributes with a centre
    n_numbers: int  # numeric ones
    up_starts: Int64  # up[up_starts[c]:up_starts[c + 1]] are the candidates above candidate c, and itself
    up: Int32
    covers: Int32  # covers[covers_from[j] + a * size + b]: what covers candidates a and b of attribute j
    covers_from: Int64  # -1: it has a centre
    ncp: Float64  # per candidate of a covered attribute, with its weight
    numeric: Any  # of NUMERIC


class Bench(NamedTuple):
    """Where a point is fitted to members."""

    members: Any  # of MEMBER
    seen: Int64  # per candidate the last turn in which it was tried; at the end, whose turn it is
    candidates: Int64  # the point
    numbers: Float64  # [numeric, 2]: the centre, or a range
    covers: Int64  # of the members before each
    ranges: Float64  # [members, 2], so too


def bench_for(records: Records, most: int) -> Bench:
    """A bench for so many members."""
    return Bench(
        np.zeros(most, MEMBER).view(np.recarray),
        np.zeros(records.first[-1] + 1, np.int64),
        np.zeros(records.words.shape[1], np.int64),
        np.zeros((records.numbers.shape[1], 2)),
        np.zeros(most, np.int64),
        np.zeros((most, 2)),
    )


@inner
def fit(records: Records, columns: Columns, bench: Bench, n: int, is_full: bool) -> float:
    """What the first n members cost at their best point, which replaces that of the bench.

    The search begins at the point that is there. `is_full`: all candidates above the members' values are
    tried, and again where attributes depend on each other; otherwise the values alone.
    """
    size, shared = 0.0, 0.0
    for i in range(n):
        size += bench.members[i].count
    for j in range(columns.n_words, records.words.shape[1]):
        shared += cover_of_words(records, columns, bench, n, j)
    for j in range(columns.n_numbers, records.numbers.shape[1]):
        shared += cover_of_numbers(records, columns, bench, n, j)
    steps = columns.n_words + columns.n_numbers
    if steps == 0:
        return size * shared
    loss = cost_at_point(records, columns, bench, n)
    unchanged, j = 0, 0
    left = _SWEEPS * steps if is_full and records.is_squared else steps
    while loss > _ROUNDING and unchanged < steps and left > 0:
        if j < columns.n_words:
            saved = better_word(records, columns, bench, n, j, is_full)
        else:
            saved = better_number(records, columns, bench, n, j - columns.n_words)
        loss -= saved
        unchanged = unchanged + 1 if saved <= 0.0 else 1
        j = j + 1 if j + 1 < steps else 0
        left -= 1
    return max(loss, 0.0) + size * shared


@inlined
def cost_at_point(records: Records, columns: Columns, bench: Bench, n: int) -> float:
    """What the members cost at the bench's point in all columns that have a centre; of each in `rest`."""
    loss = 0.0
    for i in range(n):
        t, total = bench.members[i].tuple, 0.0
        for j in range(columns.n_words):
            total += records.table[records.words[t, j].row + bench.candidates[j]]
        for j in range(columns.n_numbers):
            total += limited_cost(records, columns, j, records.numbers[t, j], bench.numbers[j, 0])
        bench.members[i].rest = total
        loss += bench.members[i].count * (total * total if records.is_squared else total)
    return loss


@inlined
def better_word(records: Records, columns: Columns, bench: Bench, n: int, j: int, is_full: bool) -> float:
    """Take the candidate of attribute j that costs the members least; how much that saves."""
    start, chosen, now = records.first[j], bench.candidates[j], 0.0
    for i in range(n):
        d = records.table[records.words[bench.members[i].tuple, j].row + chosen]
        bench.members[i].rest -= d
        now += member_cost(records, bench, i, d)
    best, least = chosen, now
    turn = bench.seen[-1] + 1
    bench.seen[-1] = bench.seen[start + chosen] = turn
    for i in range(n):
        own = records.words[bench.members[i].tuple, j].own
        first = columns.up_starts[start + own]
        last = columns.up_starts[start + own + 1] if is_full else first + 1
        for at in range(first, last):
            c = np.int64(columns.up[at]) if is_full else own
            if bench.seen[start + c] == turn:
                continue
            bench.seen[start + c] = turn
            total = 0.0
            for k in range(n):
                d = records.table[records.words[bench.members[k].tuple, j].row + c]
                total += member_cost(records, bench, k, d)
                if total >= least:
                    break
            if total < least - _ROUNDING:
                best, least = c, total
    bench.candidates[j] = best
    for i in range(n):
        bench.members[i].rest += records.table[records.words[bench.members[i].tuple, j].row + best]
    return now - least


@inlined
def member_cost(records: Records, bench: Bench, i: int, d: float) -> float:
    """What member i costs if the attribute at hand adds d; without the others where costs are sums."""
    if records.is_squared:
        d += bench.members[i].rest
        d *= d
    return bench.members[i].count * d


@inlined
def better_number(records: Records, columns: Columns, bench: Bench, n: int, j: int) -> float:
    """Take the number of attribute j that costs the members least; how much that saves.

    The mean is it where squares of differences are summed up. Elsewhere numbers of the members are tried; the
    square of sums is a convex function of the number, and a step is tried to where its slope is none.
    """
    chosen = bench.numbers[j, 0]
    known, total, is_lost = 0.0, 0.0, False
    for i in range(n):
        x = records.numbers[bench.members[i].tuple, j]
        bench.members[i].rest -= limited_cost(records, columns, j, x, chosen)
        if x == x:
            known += bench.members[i].count
            total += bench.members[i].count * x
        else:
            is_lost = True
    now = cost_with(records, columns, bench, n, j, chosen, np.inf)
    best, least = tried(records, columns, bench, n, j, total / known if known > 0 else np.nan, chosen, now)
    if is_lost:
        best, least = tried(records, columns, bench, n, j, np.nan, best, least)
    if not records.has_squares:
        for i in range(0, n, n // _NUMBERS + 1):
            x = records.numbers[bench.members[i].tuple, j]
            best, least = tried(records, columns, bench, n, j, x, best, least)
        if records.is_squared and best == best and known > 0:
            x = best - slope(records, bench, n, j, best) / known
            best, least = tried(records, columns, bench, n, j, x, best, least)
    bench.numbers[j, 0] = bench.numbers[j, 1] = best
    for i in range(n):
        x = records.numbers[bench.members[i].tuple, j]
        bench.members[i].rest += limited_cost(records, columns, j, x, best)
    return now - least


@inlined
def tried(
    records: Records, columns: Columns, bench: Bench, n: int, j: int, y: float, best: float, least: float
) -> tuple[float, float]:
    """The better of two numbers of attribute j, and what the members cost with it."""
    cost = cost_with(records, columns, bench, n, j, y, least)
    return (y, cost) if cost < least - _ROUNDING else (best, least)


@inlined
def cost_with(
    records: Records, columns: Columns, bench: Bench, n: int, j: int, y: float, least: float
) -> float:
    """What the members cost with number y in attribute j, or at least `least`."""
    total = 0.0
    for i in range(n):
        d = limited_cost(records, columns, j, records.numbers[bench.members[i].tuple, j], y)
        total += member_cost(records, bench, i, d)
        if total >= least:
            break
    return total


@inlined
def slope(records: Records, bench: Bench, n: int, j: int, y: float) -> float:
    """Half the slope of the cost, the square of sums, at number y of attribute j."""
    total = 0.0
    for i in range(n):
        x = records.numbers[bench.members[i].tuple, j]
        if x == x and x != y:
            d = bench.members[i].count * (bench.members[i].rest + abs(y - x))
            total += d if y > x else -d
    return total


@inlined
def limited_cost(records: Records, columns: Columns, j: int, x: float, y: float) -> float:
    """What number x adds that is replaced by y."""
    d = number_cost(records, j, x, y)
    return d if d <= columns.numeric[j].most else d + TOO_FAR


@inlined
def cover_of(records: Records, columns: Columns, j: int, a: int, b: int) -> int:
    """The candidate of attribute j that covers two; none (-1) is covered by any."""
    if a < 0 or b < 0:
        return a if b < 0 else b
    size = records.first[j + 1] - records.first[j]
    return int(columns.covers[columns.covers_from[j] + a * size + b])


@inlined
def cover_of_words(records: Records, columns: Columns, bench: Bench, n: int, j: int) -> float:
    """The NCP of what covers the members in attribute j, which the bench is given."""
    c = records.words[bench.members[0].tuple, j].own
    for i in range(1, n):
        c = cover_of(records, columns, j, c, records.words[bench.members[i].tuple, j].own)
    bench.candidates[j] = c
    return columns.ncp[records.first[j] + c]


@inlined
def cover_of_numbers(records: Records, columns: Columns, bench: Bench, n: int, j: int) -> float:
    """The NCP of the range of the members' numbers in attribute j; of everything where some have none."""
    low, high, known = np.inf, -np.inf, 0
    for i in range(n):
        x = records.numbers[bench.members[i].tuple, j]
        if x == x:
            low, high, known = min(low, x), max(high, x), known + 1
    if known == 0:
        bench.numbers[j] = np.nan
    elif known < n:
        bench.numbers[j, 0], bench.numbers[j, 1] = -np.inf, np.inf
    else:
        bench.numbers[j, 0], bench.numbers[j, 1] = low, high
    return range_cost(records, columns, j, low, high, known, n - known)


@inlined
def range_cost(
    records: Records, columns: Columns, j: int, low: float, high: float, known: int, lost: int
) -> float:
    """The NCP of a range in attribute j, or of the unit of days that holds it, for as many with a number and
    without.
    """
    if known == 0:
        return 0.0
    ncp = records.far[j]
    if lost == 0:
        if columns.numeric[j].per_day > 0:
            scale = columns.numeric[j].scale
            low, high = low * scale + _MOMENT, high * scale + _MOMENT
            low, high = moments_of_unit(low, high, columns.numeric[j].per_day)
            low, high = low / scale, high / scale
        ncp = min(high - low, ncp)
    return ncp if ncp <= columns.numeric[j].most else ncp + TOO_FAR


@inlined
def covers_without(records: Records, columns: Columns, bench: Bench, n: int) -> None:
    """The NCP of what covers all members but one, for each of them, in `rest`."""
    for i in range(n):
        bench.members[i].rest = 0.0
    for j in range(columns.n_words, records.words.shape[1]):
        c: Any = np.int64(-1)
        for i in range(n):
            bench.covers[i] = c
            c = cover_of(records, columns, j, c, records.words[bench.members[i].tuple, j].own)
        c = np.int64(-1)
        for i in range(n - 1, -1, -1):
            others = cover_of(records, columns, j, c, bench.covers[i])
            if others >= 0:
                bench.members[i].rest += columns.ncp[records.first[j] + others]
            c = cover_of(records, columns, j, c, records.words[bench.members[i].tuple, j].own)
    for j in range(columns.n_numbers, records.numbers.shape[1]):
        low, high, known = np.inf, -np.inf, 0
        for i in range(n):
            bench.ranges[i, 0], bench.ranges[i, 1] = low, high
            x = records.numbers[bench.members[i].tuple, j]
            if x == x:
                low, high, known = min(low, x), max(high, x), known + 1
        lost = n - known
        low, high = np.inf, -np.inf
        for i in range(n - 1, -1, -1):
            x, first, last = (
                records.numbers[bench.members[i].tuple, j],
                bench.ranges[i, 0],
                bench.ranges[i, 1],
            )
            has_none = int(x != x)
            bench.members[i].rest += range_cost(
                records, columns, j, min(low, first), max(high, last), known - 1 + has_none, lost - has_none
            )
            if x == x:
                low, high = min(low, x), max(high, x)


@inlined
def cover_with(
    records: Records, columns: Columns, candidates: Int64, numbers: Float64, t: int, most: float
) -> float:
    """The NCP of what covers a group, as it is covered, and tuple t; not to the end where it is `most`."""
    total = 0.0
    for j in range(columns.n_words, records.words.shape[1]):
        c = cover_of(records, columns, j, candidates[j], records.words[t, j].own)
        total += columns.ncp[records.first[j] + c]
        if total >= most:
            return total
    for j in range(columns.n_numbers, records.numbers.shape[1]):
        x, low, high = records.numbers[t, j], numbers[j, 0], numbers[j, 1]
        known, lost = int(x == x) + int(low == low), int(x != x) + int(low != low) + int(low == -np.inf)
        if x == x:
            low, high = min(low, x) if low == low else x, max(high, x) if high == high else x
        total += range_cost(records, columns, j, low, high, known, lost)
    return total
