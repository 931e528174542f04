"""Compiled steps over a Space: groups of records, their centroids, distances from a point to many tuples.

A group keeps, per candidate, the sum of distances to its members: one column is added when a tuple joins and
subtracted when it leaves, and a centroid is then one pass over the candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.space import LCS, MODE, Space
from ontomask.compiled import kernel, step
from ontomask.measures.base import GRID


class Group(NamedTuple):
    """Records gathered so far."""

    score: Float64  # per candidate: sum of distances to the members
    cover: Int64  # per candidate: how many of the distinct values it subsumes
    records: Int64  # per value: how many members have it
    distinct: Int64  # per attribute: distinct values, missing ones not counted
    known: Int64  # per attribute: members with a value
    sums: Float64  # per attribute: sum of the known numbers


@step
def empty_group(space: Space) -> Group:
    """A group without members."""
    m, q, c = len(space.attributes), len(space.values), len(space.candidates)
    return Group(
        np.zeros(c),
        np.zeros(c, np.int64),
        np.zeros(q, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m),
    )


@step
def clear(group: Group) -> None:
    """Remove all members."""
    group.score[:] = 0
    group.cover[:] = 0
    group.records[:] = 0
    group.distinct[:] = 0
    group.known[:] = 0
    group.sums[:] = 0


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
        if not a.is_nominal:
            if present:
                group.sums[j] += n * space.values[v].number
            continue
        first, n_candidates = a.candidates_from, a.candidates_to - a.candidates_from
        column = a.table_from + (v - a.values_from) * n_candidates
        for c in range(n_candidates):
            group.score[first + c] += n * space.by_value[column + c]
        step = np.int64(before == 0) - np.int64(before + n == 0)
        if present and step != 0:
            group.distinct[j] += step
            for c in range(n_candidates):
                group.cover[first + c] += step * space.subsumes[column + c]


@step
def centroid(space: Space, group: Group, chosen: Float64) -> None:
    """The masked value of each attribute: a candidate's place (nominal) or a number."""
    for j in range(len(space.attributes)):
        if not space.attributes[j].is_nominal:
            chosen[j] = numeric_centroid(space, group, j)
        elif space.strategy == MODE:
            chosen[j] = mode(space, group, j)
        elif space.strategy == LCS:
            chosen[j] = least_common_subsumer(space, group, j)
        else:
            chosen[j] = semantic_centroid(space, group, j)


@step
def semantic_centroid(space: Space, group: Group, j: int) -> int:
    """argmin of the summed distance over the minimum subsumer hierarchy H of the group's values.

    Ties: a value of the group, then the deeper candidate, then the smaller id (the order of candidates).
    """
    a = space.attributes[j]
    n = a.candidates_to - a.candidates_from
    deepest = -1
    for c in range(a.candidates_from, a.candidates_to):
        if group.cover[c] == group.distinct[j]:
            deepest = max(deepest, space.candidates[c].depth)
    best, best_score, best_is_value = -1, np.inf, False
    for c in range(a.candidates_from, a.candidates_to):
        if group.score[c] > best_score:
            continue
        value = space.candidates[c].value
        is_value = value >= 0 and group.records[value] > 0
        in_hierarchy = False
        if value >= 0 and value == a.missing:
            in_hierarchy = is_value
        elif group.cover[c] > 0:
            for top in range(a.candidates_from, a.candidates_to):
                if (
                    group.cover[top] == group.distinct[j]
                    and space.candidates[top].depth == deepest
                    and space.above[a.square_from + (top - a.candidates_from) * n + c - a.candidates_from]
                ):
                    in_hierarchy = True
                    break
        if in_hierarchy and (group.score[c] < best_score or (is_value and not best_is_value)):
            best, best_score, best_is_value = c, group.score[c], is_value
    return best


@step
def least_common_subsumer(space: Space, group: Group, j: int) -> int:
    """The deepest candidate that subsumes every known value; the missing value if none is known."""
    a = space.attributes[j]
    if group.distinct[j] == 0:
        return space.values[a.missing].candidate
    best, best_rank = -1, -1
    for c in range(a.candidates_from, a.candidates_to):
        candidate = space.candidates[c]
        is_missing = candidate.value >= 0 and candidate.value == a.missing
        if group.cover[c] == group.distinct[j] and candidate.rank > best_rank and not is_missing:
            best, best_rank = c, candidate.rank
    return best


@step
def mode(space: Space, group: Group, j: int) -> int:
    """The most frequent value; ties go to the first."""
    a = space.attributes[j]
    best = a.values_from
    for v in range(a.values_from, a.values_to):
        if group.records[v] > group.records[best]:
            best = v
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
def fill_row(space: Space, j: int, chosen: float, row: Float64) -> None:
    """row[v]: what attribute j adds to the distance between its value v and a masked value."""
    a = space.attributes[j]
    if a.is_nominal:
        start = a.table_from + (np.int64(chosen) - a.candidates_from) * (a.values_to - a.values_from)
        for v in range(a.values_from, a.values_to):
            row[v] = space.distances[start + v - a.values_from]
        return
    for v in range(a.values_from, a.values_to):
        if v == a.missing or np.isnan(chosen):
            distance = 0.0 if v == a.missing and np.isnan(chosen) else a.maximum
        else:
            distance = abs(space.values[v].number - chosen) / a.unit
        row[v] = (
            a.weight * distance * distance if space.euclidean else np.rint(a.weight * distance * GRID) / GRID
        )


@step
def fill_from_centroid(space: Space, chosen: Float64, row: Float64) -> None:
    """Make `row` tell the distance of any tuple to a centroid."""
    for j in range(len(space.attributes)):
        fill_row(space, j, chosen[j], row)


@step
def fill_from_tuple(space: Space, t: int, row: Float64) -> None:
    """Make `row` tell the distance of any tuple to tuple t."""
    for j in range(len(space.attributes)):
        own = np.int64(space.codes[j, t])
        value = space.values[own]
        fill_row(space, j, float(value.candidate) if space.attributes[j].is_nominal else value.number, row)


@kernel
def row_from_tuple(space: Space, t: int) -> Float64:
    """The row that tells the distance of any tuple to tuple t."""
    row = np.empty(len(space.values))
    fill_from_tuple(space, t, row)
    return row


@kernel
def row_from_centroid(space: Space, chosen: Float64) -> Float64:
    """The row that tells the distance of any tuple to a centroid."""
    row = np.empty(len(space.values))
    fill_from_centroid(space, chosen, row)
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


def group_centroids(space: Space, tuples: Int32, groups: Int32, counts: Int64, n_groups: int) -> Float64:
    """The centroid of every group, [groups, m]; entry e puts `counts[e]` of `tuples[e]` in `groups[e]`."""
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] >= 0]
    return centroids_of_runs(space, tuples[order], groups[order], counts[order], n_groups)


@kernel
def centroids_of_runs(space: Space, tuples: Int32, groups: Int32, counts: Int64, n_groups: int) -> Float64:
    """`group_centroids` of entries sorted by group."""
    out = np.full((n_groups, len(space.attributes)), np.nan)
    group = empty_group(space)
    for e in range(len(groups)):
        if e > 0 and groups[e] != groups[e - 1]:
            centroid(space, group, out[groups[e - 1]])
            clear(group)
        join(space, group, int(tuples[e]), counts[e])  # as int64, or `join` is compiled twice
        if e == len(groups) - 1:
            centroid(space, group, out[groups[e]])
    return out
