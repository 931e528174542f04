"""Compiled search for the cheapest box that holds a tuple and at least k records.

A box is a cover for each attribute. What may cover a word is tried from the least to the greatest NCP; a
range is chosen in two steps, how far down and how far up it goes. Each choice keeps the records that are
inside; a branch ends where they are too few, or where it costs no less than the best box so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.space import Space
from ontomask.compiled import kernel, step

WORD, DOWN, UP = 0, 1, 2


class Levels(NamedTuple):
    """The choices that make up a box, in the order in which they are made."""

    attributes: Int64
    kinds: Int64


class Covers(NamedTuple):
    """What may cover each value: `candidates[starts[v]:starts[v + 1]]`, those of the least cost first."""

    starts: Int64
    candidates: Int64
    costs: Float64
    inside: np.ndarray  # [candidates, values] bool: whether a candidate covers a value
    units: Float64  # per attribute: the range of its numbers


class Search(NamedTuple):
    """The path to where a search is: per level the records that are inside so far, and the choice made."""

    members: Int64  # [levels + 1, p]
    rest: Float64  # what each member costs at least in this level and those after it
    sizes: Int64  # members of each level
    chosen: Int64  # the place of a word's cover; the code where a range ends
    spent: Float64  # cost of the choices before each level


_NONE = -1  # nothing was chosen yet
_ALL = -2  # everything, missing numbers too
_DONE = -3


@step
def join_costs(space: Space, covers: Covers, levels: Levels, t: int, row: Float64) -> None:
    """row[v]: the least NCP, for tuple t, of what covers its value and value v; of words and numbers."""
    row[:] = 0.0
    for level in range(len(levels.kinds)):
        j = levels.attributes[level]
        a, v = space.attributes[j], np.int64(space.codes[j, t])
        if levels.kinds[level] == WORD:
            for i in range(covers.starts[v + 1] - 1, covers.starts[v] - 1, -1):  # the least is written last
                inside = covers.inside[covers.candidates[i]]
                for w in range(a.values_from, a.values_to):
                    if inside[w]:
                        row[w] = covers.costs[i]
        elif levels.kinds[level] == DOWN:
            for w in range(a.values_from, a.values_to):
                row[w] = abs(space.values[w].number - space.values[v].number) / covers.units[j]
                if (w == a.missing) != (v == a.missing):
                    row[w] = 1.0
            if a.missing >= 0 and v == a.missing:
                row[v] = 0.0


@step
def part_of_level(
    space: Space, levels: Levels, search: Search, level: int, t: int, s: int, row: Float64
) -> float:
    """What of the cost of joining tuples t and s belongs to a level; a range of everything has no way up."""
    j = levels.attributes[level]
    v, w = np.int64(space.codes[j, t]), np.int64(space.codes[j, s])
    if levels.kinds[level] == WORD:
        return float(row[w])
    goes_up = w > v and w != space.attributes[j].missing and search.chosen[level] != _ALL
    return float(row[w]) if goes_up == (levels.kinds[level] == UP) else 0.0


@step
def next_choice(space: Space, covers: Covers, levels: Levels, search: Search, level: int, t: int) -> float:
    """Choose what comes next at a level, in ascending order of cost, and return that; infinite at the end."""
    j, kind, last = levels.attributes[level], levels.kinds[level], search.chosen[level]
    a, v = space.attributes[j], np.int64(space.codes[j, t])
    if kind == WORD:
        at = covers.starts[v] if last == _NONE else last + 1
        search.chosen[level] = at
        return covers.costs[at] if at < covers.starts[v + 1] else np.inf
    if last in (_ALL, _DONE):
        return np.inf
    if last == _NONE:
        holds_all = kind == UP and search.chosen[level - 1] == _ALL
        search.chosen[level] = _ALL if holds_all else v
        return 0.0
    best = _DONE if kind == UP or a.missing < 0 else _ALL
    if v != a.missing:
        for i in range(search.sizes[level]):
            w = int(space.codes[j, search.members[level, i]])
            if w == a.missing:
                continue
            if kind == UP and w > last and (best < 0 or w < best):
                best = w
            if kind == DOWN and w < last and w > best:
                best = w
    search.chosen[level] = best
    if best < 0:
        return 1.0 if best == _ALL else np.inf
    return float(abs(space.values[best].number - space.values[v].number) / covers.units[j])


@step
def is_inside(
    space: Space, covers: Covers, levels: Levels, search: Search, level: int, t: int, s: int
) -> bool:
    """Whether tuple s is inside what was chosen for tuple t at a level."""
    j, kind, chosen = levels.attributes[level], levels.kinds[level], search.chosen[level]
    v, w = int(space.codes[j, t]), int(space.codes[j, s])
    if kind == WORD:
        return bool(covers.inside[covers.candidates[chosen], w])
    if chosen == _ALL:
        return True
    if space.attributes[j].missing in (v, w):
        return v == w
    return bool(w >= chosen if kind == DOWN else w <= chosen)


@step
def shrink(
    space: Space,
    covers: Covers,
    levels: Levels,
    search: Search,
    level: int,
    t: int,
    row: Float64,
    best: float,
) -> tuple[int, bool]:
    """Members inside the choice of a level become those of the next; their records, and if they are others.

    Those are left out whom no box holds that is cheaper than the best one.
    """
    n, records, is_new = 0, space.counts[t], False
    spent = search.spent[level + 1]
    for i in range(search.sizes[level]):
        s = search.members[level, i]
        rest = search.rest[level, i] - part_of_level(space, levels, search, level, t, s, row)
        if spent + rest < best and is_inside(space, covers, levels, search, level, t, s):
            is_new |= search.members[level + 1, n] != s
            search.members[level + 1, n], search.rest[level + 1, n] = s, rest
            records += space.counts[s]
            n += 1
    is_new |= n != search.sizes[level + 1]
    search.sizes[level + 1] = n
    return records, is_new


@step
def cost_of_nearest(
    space: Space, covers: Covers, levels: Levels, t: int, k: int, apart: Float64, nearest: Int64
) -> float:
    """What a box costs that holds tuple t and those nearest to it: one that is good enough to start with."""
    size, records = 0, space.counts[t]
    for s in range(len(apart)):  # the nearest so far, in order; as few as have k records
        if s == t or (records >= k and apart[s] >= apart[nearest[size - 1]]):
            continue
        at = size
        while at > 0 and apart[nearest[at - 1]] > apart[s]:
            nearest[at] = nearest[at - 1]
            at -= 1
        nearest[at] = s
        size += 1
        records += space.counts[s]
        while records - space.counts[nearest[size - 1]] >= k:
            size -= 1
            records -= space.counts[nearest[size]]
    total = 0.0
    for level in range(len(levels.kinds)):
        j, kind = levels.attributes[level], levels.kinds[level]
        a, v = space.attributes[j], np.int64(space.codes[j, t])
        if kind == WORD:
            for i in range(covers.starts[v], covers.starts[v + 1]):
                holds = True
                for r in range(size):
                    holds &= covers.inside[covers.candidates[i], np.int64(space.codes[j, nearest[r]])]
                if holds:
                    total += covers.costs[i]
                    break
        elif kind == DOWN:
            low = high = v
            is_mixed = False
            for r in range(size):
                w = np.int64(space.codes[j, nearest[r]])
                low, high = min(low, w), max(high, w)
                is_mixed |= (w == a.missing) != (v == a.missing)
            if is_mixed:
                total += 1.0
            elif v != a.missing:
                total += (space.values[high].number - space.values[low].number) / covers.units[j]
    return total


@kernel
def cheapest_boxes(space: Space, covers: Covers, levels: Levels, k: int, least: float) -> Float64:
    """Per tuple the summed NCP of the cheapest box that holds it and at least k records, itself included.

    It may be `least` too much, which saves looking for boxes that are better by less.
    """
    p, n_levels = len(space.counts), len(levels.kinds)
    found, row, apart = np.zeros(p), np.empty(len(space.values)), np.empty(p)
    nearest = np.empty(p + 1, np.int64)
    search = Search(
        np.empty((n_levels + 1, p), np.int64),
        np.empty((n_levels + 1, p)),
        np.zeros(n_levels + 1, np.int64),
        np.empty(n_levels + 1, np.int64),
        np.zeros(n_levels + 1),
    )
    for t in range(p):
        if space.counts[t] >= k or n_levels == 0:
            continue
        join_costs(space, covers, levels, t, row)
        for s in range(p):
            apart[s] = 0.0
            for j in range(len(space.attributes)):
                apart[s] += row[space.codes[j, s]]
        best = cost_of_nearest(space, covers, levels, t, k, apart, nearest)
        n = 0
        for s in range(p):
            if s != t and apart[s] < best - least:
                search.members[0, n], search.rest[0, n] = s, apart[s]
                n += 1
        search.sizes[0], level = n, 0
        search.chosen[0], search.sizes[1] = _NONE, -1
        while level >= 0:
            cost = search.spent[level] + next_choice(space, covers, levels, search, level, t)
            if cost >= best - least:  # as all later ones of this level
                level -= 1
                continue
            search.spent[level + 1] = cost
            records, is_new = shrink(space, covers, levels, search, level, t, row, best - least)
            if records < k or not is_new:  # too few, or those that a cheaper choice had
                continue
            if level == n_levels - 1:
                best = cost
            else:
                level += 1
                search.chosen[level], search.sizes[level + 1] = _NONE, -1
        found[t] = best
    return found
