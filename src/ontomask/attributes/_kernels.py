"""Compiled steps over a Space: groups of records, their centroids, distances from a point to many tuples.

A group knows the values of its members and the candidates above them, and per such candidate the summed
distance to its members: one column is added when a tuple joins and subtracted when it leaves. What a group
has nothing to do with costs it nothing, however large the ontology. Where an attribute has no table of
distances, Python is asked for them: row by row, and for sums when a centroid is wanted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import objmode

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes._calendar import moments_of_unit
from ontomask.attributes.distances import fill_row, settle_scores
from ontomask.attributes.space import LCS, MARGINALITY, MODE, Points, Space
from ontomask.compiled import kernel, step
from ontomask.measures.base import GRID


class Group(NamedTuple):
    """Records gathered so far; arrays over all values or candidates are 0 but where it has some."""

    records: Int64  # per value: how many members have it
    listed: Int64  # [q] per attribute, from values_from on: the values that members have or had
    n_listed: Int64  # per attribute
    is_listed: np.ndarray  # [q] bool
    score: Float64  # per candidate that is touched: sum of distances to the members
    cover: Int64  # per candidate: how many of the distinct values it subsumes
    touched: Int64  # [c] per attribute, from candidates_from on: candidates above values that are listed
    n_touched: Int64  # per attribute
    is_touched: np.ndarray  # [c] bool
    settled: Int64  # per value of an attribute without a table: its records that are part of the scores
    n_settled: Int64  # per attribute: the touched candidates that have a score, if it has no table
    distinct: Int64  # per attribute: distinct values; missing ones count where the attribute is covered
    known: Int64  # per attribute: members with a value
    sums: Float64  # per attribute: sum of the known numbers


@step
def empty_group(space: Space) -> Group:
    """A group without members."""
    m, q, c = len(space.attributes), len(space.values), len(space.value_of)
    return Group(
        np.zeros(q, np.int64),
        np.zeros(q, np.int64),
        np.zeros(m, np.int64),
        np.zeros(q, np.bool_),
        np.zeros(c),
        np.zeros(c, np.int64),
        np.zeros(c, np.int64),
        np.zeros(m, np.int64),
        np.zeros(c, np.bool_),
        np.zeros(q, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m),
    )


@step
def clear(space: Space, group: Group) -> None:
    """Remove all members."""
    for j in range(len(space.attributes)):
        a = space.attributes[j]
        for i in range(a.values_from, a.values_from + group.n_listed[j]):
            v = group.listed[i]
            group.records[v], group.settled[v], group.is_listed[v] = 0, 0, False
        for i in range(a.candidates_from, a.candidates_from + group.n_touched[j]):
            c = group.touched[i]
            group.score[c], group.cover[c], group.is_touched[c] = 0.0, 0, False
        group.n_listed[j] = group.n_touched[j] = group.n_settled[j] = 0
        group.distinct[j] = group.known[j] = 0
        group.sums[j] = 0.0


@step
def join(space: Space, group: Group, t: int, n: int) -> None:
    """`n` records of tuple `t` join; negative `n`: they leave."""
    for j in range(len(space.attributes)):
        a = space.attributes[j]
        v = np.int64(space.codes[j, t])
        before = group.records[v]
        group.records[v] = before + n
        present = v != a.missing
        if present:
            group.known[j] += n
        if not group.is_listed[v]:
            group.is_listed[v] = True
            group.listed[a.values_from + group.n_listed[j]] = v
            group.n_listed[j] += 1
        if not a.is_nominal:
            if present:
                group.sums[j] += n * space.values[v].number
            continue
        if a.handle == 0 and not a.is_covered:
            n_candidates = a.candidates_to - a.candidates_from
            column = a.table_from + (v - a.values_from) * n_candidates - a.candidates_from
            for i in range(a.candidates_from, a.candidates_from + group.n_touched[j]):
                c = group.touched[i]
                group.score[c] += n * space.by_value[column + c]
        step = np.int64(before == 0) - np.int64(before + n == 0)
        if step > 0:
            touch(space, group, j, int(v))
        if (present or a.is_covered) and step != 0:
            group.distinct[j] += step
            own = space.values[v].candidate
            for i in range(space.up_starts[own], space.up_starts[own + 1]):
                group.cover[space.up[i]] += step


@step
def touch(space: Space, group: Group, j: int, v: int) -> None:
    """Candidates above a new value that no member had to do with before: their sums over all members."""
    a = space.attributes[j]
    n_candidates = a.candidates_to - a.candidates_from
    own = space.values[v].candidate
    for i in range(space.up_starts[own], space.up_starts[own + 1]):
        c = np.int64(space.up[i])
        if group.is_touched[c]:
            continue
        group.is_touched[c] = True
        group.touched[a.candidates_from + group.n_touched[j]] = c
        group.n_touched[j] += 1
        if a.handle != 0 or a.is_covered:
            continue
        total = 0.0
        for at in range(a.values_from, a.values_from + group.n_listed[j]):
            u = group.listed[at]
            row = a.table_from + (u - a.values_from) * n_candidates - a.candidates_from
            total += group.records[u] * space.by_value[row + c]
        group.score[c] = total


@step
def settle(space: Space, group: Group, j: int) -> None:
    """Bring the scores of an attribute without a table up to date."""
    a = space.attributes[j]
    handle, first, first_candidate, known = a.handle, a.values_from, a.candidates_from, group.n_settled[j]
    listed = group.listed[first : first + group.n_listed[j]]
    touched = group.touched[first_candidate : first_candidate + group.n_touched[j]]
    records, settled = group.records[first : a.values_to], group.settled[first : a.values_to]
    score = group.score[first_candidate : a.candidates_to]
    with objmode():  # in Python, where there is nothing to compile: few attributes are without a table
        settle_scores(handle, listed - first, touched - first_candidate, known, records, settled, score)
    group.n_settled[j] = len(touched)


@step
def centroid(space: Space, group: Group, points: Points, g: int) -> None:
    """What is released for a group becomes point g: per attribute its centroid or its cover."""
    for j in range(len(space.attributes)):
        a = space.attributes[j]
        if not a.is_covered:
            centre(space, group, points, g, j)
        elif a.is_nominal:
            points.candidates[g, j] = least_common_subsumer(space, group, j)
        else:
            points.numbers[g, j], points.ends[g, j] = least_range(space, group, j)


@step
def middle(space: Space, group: Group, points: Points, g: int) -> None:
    """A typical record of a group becomes point g: what covers many records tells nothing about them."""
    for j in range(len(space.attributes)):
        centre(space, group, points, g, j)


@step
def centre(space: Space, group: Group, points: Points, g: int, j: int) -> None:
    """The centroid of attribute j: a candidate (nominal) or a number."""
    a = space.attributes[j]
    if not a.is_nominal:
        points.numbers[g, j] = points.ends[g, j] = numeric_centroid(space, group, j)
    elif space.strategy == MODE or a.is_covered:
        points.candidates[g, j] = mode(space, group, j)
    elif space.strategy == LCS:
        points.candidates[g, j] = least_common_subsumer(space, group, j)
    elif space.strategy == MARGINALITY:
        points.candidates[g, j] = least_marginal(space, group, j)
    else:
        points.candidates[g, j] = semantic_centroid(space, group, j)


@step
def semantic_centroid(space: Space, group: Group, j: int) -> int:
    """argmin of the summed distance over the minimum subsumer hierarchy H of the group's values.

    H goes up to every common subsumer that has no other below it. Ties: a value of the group, then the deeper
    candidate, then the smaller id (the order of candidates).
    """
    a = space.attributes[j]
    if a.handle != 0:
        settle(space, group, j)
    tops = least_common_subsumers(space, group, j)
    best, best_score, best_is_value = (-1), np.inf, False
    for i in range(a.candidates_from, a.candidates_from + group.n_touched[j]):
        c = group.touched[i]
        score = group.score[c]
        if score > best_score:
            continue
        value = space.value_of[c]
        is_value = value >= 0 and group.records[value] > 0
        if score == best_score and (is_value < best_is_value or (is_value == best_is_value and c > best)):
            continue
        in_hierarchy = False
        if value >= 0 and value == a.missing:
            in_hierarchy = is_value
        elif group.cover[c] > 0:
            above = space.up[space.up_starts[c] : space.up_starts[c + 1]]
            for top in tops:
                if is_among(above, top):
                    in_hierarchy = True
                    break
        if in_hierarchy:
            best, best_score, best_is_value = c, score, is_value
    return best


@step
def least_marginal(space: Space, group: Group, j: int) -> int:
    """The value of a member whose summed distance to the members is least; ties go to the first."""
    a = space.attributes[j]
    if a.handle != 0:
        settle(space, group, j)
    best, least = np.int64(-1), np.inf
    for i in range(a.values_from, a.values_from + group.n_listed[j]):
        v = group.listed[i]
        marginality = group.score[space.values[v].candidate]
        if group.records[v] > 0 and (marginality < least or (marginality == least and v < best)):
            best, least = v, marginality
    return space.values[best].candidate


@step
def is_among(ascending: Int32, one: int) -> bool:
    """Whether a number is among ascending ones; of few arguments, as it is called often."""
    first, last = 0, len(ascending)
    while first < last:
        middle = (first + last) // 2
        if ascending[middle] < one:
            first = middle + 1
        else:
            last = middle
    return first < len(ascending) and ascending[first] == one


@step
def least_common_subsumers(space: Space, group: Group, j: int) -> Int64:
    """The candidates that subsume every known value and have no other such candidate below them.

    Candidates are numbered deepest first, so the first found is the LCS, and one that lies above a later
    found one does not exist.
    """
    a = space.attributes[j]
    common = np.empty(group.n_touched[j], np.int64)
    size = 0
    for i in range(a.candidates_from, a.candidates_from + group.n_touched[j]):
        c = group.touched[i]
        if group.distinct[j] > 0 and group.cover[c] == group.distinct[j]:
            at = size  # few are common: sorted as they come, which compiles faster than a sort
            while at > 0 and common[at - 1] > c:
                common[at] = common[at - 1]
                at -= 1
            common[at] = c
            size += 1
    least = 0
    for i in range(size):
        is_least = True
        for k in range(least):
            if is_among(space.up[space.up_starts[common[k]] : space.up_starts[common[k] + 1]], common[i]):
                is_least = False
                break
        if is_least:
            common[least] = common[i]
            least += 1
    return common[:least]


@step
def least_common_subsumer(space: Space, group: Group, j: int) -> int:
    """The first of the least common subsumers; the missing value if none counts."""
    a = space.attributes[j]
    if group.distinct[j] == 0:
        return space.values[a.missing].candidate
    return least_common_subsumers(space, group, j)[0]


@step
def mode(space: Space, group: Group, j: int) -> int:
    """The most frequent value; ties go to the first."""
    a = space.attributes[j]
    best, most = np.int64(-1), np.int64(0)
    for i in range(a.values_from, a.values_from + group.n_listed[j]):
        v = group.listed[i]
        if group.records[v] > most or (group.records[v] == most and v < best):
            best, most = v, group.records[v]
    return space.values[best].candidate


@step
def numeric_centroid(space: Space, group: Group, j: int) -> float:
    """Mean or lower median of the known numbers; missing (NaN) if most members are."""
    a = space.attributes[j]
    lost = group.records[a.missing] if a.missing >= 0 else 0
    if lost > group.known[j] or group.known[j] == 0:
        return np.nan
    if not a.is_median:
        return group.sums[j] / group.known[j]
    seen, v = group.records[a.values_from], a.values_from
    while 2 * seen < group.known[j]:
        v += 1
        seen += group.records[v]
    return space.values[v].number


@step
def least_range(space: Space, group: Group, j: int) -> tuple[float, float]:
    """From the least to the greatest number; of everything if some are missing, NaN if all are."""
    a = space.attributes[j]
    if group.known[j] == 0:
        return np.nan, np.nan
    if a.missing >= 0 and group.records[a.missing] > 0:
        return -np.inf, np.inf
    low, high = np.inf, -np.inf
    for i in range(a.values_from, a.values_from + group.n_listed[j]):
        v = group.listed[i]
        if group.records[v] > 0:
            low, high = min(low, space.values[v].number), max(high, space.values[v].number)
    return low, high


@step
def fill_from_cover(space: Space, j: int, candidate: int, row: Float64) -> None:
    """row[v]: the weighted NCP of the least common subsumer of value v and a candidate.

    Every candidate above is written over the values below it, from the root down: the last one that has a
    value below it is its least common subsumer. A value itself costs nothing.
    """
    weight = space.attributes[j].weight
    for i in range(space.up_starts[candidate + 1] - 1, space.up_starts[candidate] - 1, -1):
        c = space.up[i]
        ncp = np.rint(weight * space.ncp[c] * GRID) / GRID
        for at in range(space.below_starts[c], space.below_starts[c + 1]):
            row[space.below[at]] = ncp
    if space.value_of[candidate] >= 0:
        row[space.value_of[candidate]] = 0.0


@step
def cover_cost(space: Space, j: int, candidate: int, v: int) -> float:
    """The weighted NCP of the least common subsumer of value v and a candidate: see `fill_from_cover`."""
    if space.value_of[candidate] == v:
        return 0.0
    own = space.values[v].candidate
    above = space.up[space.up_starts[own] : space.up_starts[own + 1]]
    for i in range(space.up_starts[candidate], space.up_starts[candidate + 1]):
        if is_among(above, space.up[i]):
            return np.rint(space.attributes[j].weight * space.ncp[space.up[i]] * GRID) / GRID
    return np.inf  # never: they have a root


@step
def range_cost(space: Space, j: int, low: float, high: float, v: int) -> float:
    """The weighted NCP of the least range, or unit of days, that holds the number v and a range."""
    a = space.attributes[j]
    if v == a.missing or np.isnan(low):
        ncp = 0.0 if v == a.missing and np.isnan(low) else 1.0
    else:
        number = space.values[v].number
        first, last = min(low, number), max(high, number)
        if a.per_day > 0:
            first, last = moments_of_unit(first, last, a.per_day)
        ncp = min((last - first) / a.unit, 1.0)
    return np.rint(a.weight * ncp * GRID) / GRID


@step
def number_cost(space: Space, j: int, number: float, v: int) -> float:
    """What attribute j adds to the distance between its value v and a number."""
    a = space.attributes[j]
    if v == a.missing or np.isnan(number):
        distance = 0.0 if v == a.missing and np.isnan(number) else a.far
    else:
        distance = abs(space.values[v].number - number) / a.unit
    if a.is_squared:
        return a.weight * distance * distance
    return np.rint(a.weight * distance * GRID) / GRID


@step
def fill_from_candidate(space: Space, j: int, candidate: int, row: Float64) -> None:
    """row[v]: what attribute j adds to the distance between its value v and a candidate."""
    a = space.attributes[j]
    if a.handle != 0:
        own, handle, replacement = row[a.values_from : a.values_to], a.handle, candidate - a.candidates_from
        with objmode():
            fill_row(handle, replacement, own)
        for i in range(len(own)):
            distance = own[i] * own[i] if a.is_squared else own[i]
            own[i] = np.rint(a.weight * distance * GRID) / GRID
        return
    start = a.table_from + (candidate - a.candidates_from) * (a.values_to - a.values_from)
    for v in range(a.values_from, a.values_to):
        row[v] = space.distances[start + v - a.values_from]


@step
def fill(space: Space, j: int, candidate: int, low: float, high: float, row: Float64) -> None:
    """row[v]: what attribute j adds to the distance between its value v and a point."""
    a = space.attributes[j]
    if a.is_covered and a.is_nominal:
        fill_from_cover(space, j, candidate, row)
    elif a.is_nominal:
        fill_from_candidate(space, j, candidate, row)
    elif a.is_covered:
        for v in range(a.values_from, a.values_to):
            row[v] = range_cost(space, j, low, high, v)
    else:
        for v in range(a.values_from, a.values_to):
            row[v] = number_cost(space, j, low, v)


@step
def fill_from_point(space: Space, points: Points, g: int, row: Float64) -> None:
    """Make `row` tell the distance of any tuple to point g."""
    for j in range(len(space.attributes)):
        fill(space, j, points.candidates[g, j], points.numbers[g, j], points.ends[g, j], row)


@step
def fill_for_members(space: Space, group: Group, points: Points, g: int, row: Float64) -> None:
    """As `fill_from_point`, but only for the values of a group's members: of many values they are few."""
    for j in range(len(space.attributes)):
        a, candidate = space.attributes[j], points.candidates[g, j]
        low, high = points.numbers[g, j], points.ends[g, j]
        if a.handle != 0:  # distances that are in no table are answered all at once
            fill_from_candidate(space, j, candidate, row)
            continue
        start = a.table_from + (candidate - a.candidates_from) * (a.values_to - a.values_from)
        for i in range(a.values_from, a.values_from + group.n_listed[j]):
            v = group.listed[i]
            if a.is_covered and a.is_nominal:
                row[v] = cover_cost(space, j, candidate, v)
            elif a.is_nominal:
                row[v] = space.distances[start + v - a.values_from]
            elif a.is_covered:
                row[v] = range_cost(space, j, low, high, v)
            else:
                row[v] = number_cost(space, j, low, v)


@step
def fill_from_tuple(space: Space, t: int, row: Float64) -> None:
    """Make `row` tell the distance of any tuple to tuple t."""
    for j in range(len(space.attributes)):
        value = space.values[np.int64(space.codes[j, t])]
        fill(space, j, value.candidate, value.number, value.number, row)


@kernel
def row_from_tuple(space: Space, t: int) -> Float64:
    """The row that tells the distance of any tuple to tuple t."""
    row = np.empty(len(space.values))
    fill_from_tuple(space, t, row)
    return row


@kernel
def row_from_point(space: Space, points: Points, g: int) -> Float64:
    """The row that tells the distance of any tuple to point g."""
    row = np.empty(len(space.values))
    fill_from_point(space, points, g, row)
    return row


@step
def distance(space: Space, row: Float64, t: int) -> float:
    """Distance (a sum over attributes) of tuple t to the point that filled `row`."""
    total = 0.0
    for j in range(len(space.attributes)):
        total += row[space.codes[j, t]]
    return total


def distances(space: Space, row: Float64) -> Float64:
    """Distance of every tuple to the point that filled `row`."""
    total: Float64 = row[space.codes].sum(axis=0)
    return np.sqrt(total) if space.euclidean else total


@step
def empty_points(space: Space, n: int) -> Points:
    """Room for n points."""
    m = len(space.attributes)
    return Points(np.zeros((n, m), np.int64), np.zeros((n, m)), np.zeros((n, m)))


def tuple_points(space: Space, tuples: Int64) -> Points:
    """The points that are the tuples themselves."""
    values = space.values[space.codes[:, tuples].T.astype(np.int64)]
    return Points(values["candidate"].copy(), values["number"].copy(), values["number"].copy())


def group_centroids(space: Space, tuples: Int32, groups: Int32, counts: Int64, n_groups: int) -> Points:
    """The centroid of every group; entry e puts `counts[e]` records of `tuples[e]` in `groups[e]`."""
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] >= 0]
    return centroids_of_runs(space, tuples[order], groups[order], counts[order], n_groups)


def with_covers(space: Space, points: Points, tuples: Int32, groups: Int32, counts: Int64) -> Points:
    """Points of groups with the cover of each group where an attribute is covered."""
    if not space.has_covers:
        return points
    is_covered = space.attributes["is_covered"]
    covers = group_centroids(space, tuples, groups, counts, len(points.numbers))
    return Points(*(np.where(is_covered, *both) for both in zip(covers, points, strict=True)))


@kernel
def middle_of(space: Space, tuples: Int64, counts: Int64) -> Points:
    """A typical record (`middle`) of so many records of each tuple."""
    points, group = empty_points(space, 1), empty_group(space)
    for i in range(len(tuples)):
        join(space, group, tuples[i], counts[i])
    middle(space, group, points, 0)
    return points


@kernel
def centroids_of_runs(space: Space, tuples: Int32, groups: Int32, counts: Int64, n_groups: int) -> Points:
    """`group_centroids` of entries sorted by group."""
    points = empty_points(space, n_groups)
    group = empty_group(space)
    for e in range(len(groups)):
        if e > 0 and groups[e] != groups[e - 1]:
            centroid(space, group, points, int(groups[e - 1]))
            clear(space, group)
        join(space, group, int(tuples[e]), counts[e])  # as int64, or `join` is compiled twice
        if e == len(groups) - 1:
            centroid(space, group, points, int(groups[e]))
    return points
