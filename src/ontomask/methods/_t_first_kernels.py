"""Clusters of one record from each run of a sorted column, and the runs themselves where values tie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes._kernels import (
    Group,
    centroid,
    clear,
    distance,
    empty_group,
    empty_points,
    fill_from_point,
    fill_from_tuple,
    join,
)
from ontomask.attributes.space import Points, Space
from ontomask.compiled import kernel, step
from ontomask.methods._pool import CLOSEST, FARTHEST, Pool, extreme, remove

_BLOCK = 1024


class Runs(NamedTuple):
    """Records in the order of a value, cut into runs; those of one value are alike, wherever the cut is.

    Run r holds `room[r, i]` records of part `parts[r, i]`. A part is what can stand in for one another: the
    values that lie in one run (middle column), or one value that several runs share (with the run before:
    first column; with the next: last). No part is -1.
    """

    parts: Int64
    room: Int64
    part_of_value: Int64


def runs_of(totals: Int64, n_runs: int) -> Runs:
    """Cut `totals[v]` records of each value v, in order, into runs of n // n_runs; the middle has the rest.

    >>> runs = runs_of(np.array([2, 3, 1]), 3)  # a a | b b | b c
    >>> runs.room.tolist()
    [[0, 2, 0], [0, 0, 2], [1, 1, 0]]
    >>> runs.part_of_value.tolist()
    [0, 3, 2]
    """
    n = int(totals.sum())
    sizes = np.full(n_runs, n // n_runs)
    rest, middle = n % n_runs, n_runs // 2
    if n_runs % 2:
        sizes[middle] += rest
    else:
        sizes[middle - 1] += rest // 2
        sizes[middle] += rest - rest // 2
    run_to = np.cumsum(sizes)
    run_from = run_to - sizes
    to = np.cumsum(totals)
    start = to - totals
    first = np.searchsorted(run_to, start, "right")
    last = np.searchsorted(run_to, to - 1, "right")
    is_shared = (first < last) & (totals > 0)
    part_of_value = np.where(is_shared, n_runs - 1 + np.cumsum(is_shared), first)
    parts, room = np.full((n_runs, 3), -1, np.int64), np.zeros((n_runs, 3), np.int64)
    parts[:, 1] = np.arange(n_runs)
    room[:, 1] = np.bincount(first[~is_shared], totals[~is_shared], minlength=n_runs)[:n_runs]
    for v in np.flatnonzero(is_shared).tolist():
        own = np.arange(first[v], last[v] + 1)
        column = np.where(own > first[v], 0, 2)
        parts[own, column] = part_of_value[v]
        room[own, column] = np.minimum(to[v], run_to[own]) - np.maximum(start[v], run_from[own])
    return Runs(parts, room, part_of_value)


@kernel
def clusters_over_runs(
    space: Space, part_of: Int64, parts: Int64, runs_room: Int64, static: bool, done: Int64
) -> tuple[Int64, Int64, int]:
    """Clusters of one record of each run (two of a run that has more left than there are clusters to come).

    Seeds are as in MDAV: the record farthest from the centroid of those left, then the one farthest from
    that. From every run comes the record nearest to the growing cluster's centroid. Returns the tuple of each
    record, its cluster, and how many of these there are.
    """
    n, n_runs, n_parts = space.counts.sum(), len(parts), part_of.max() + 1
    room, left, place = runs_room.copy(), space.counts.copy(), np.empty(len(part_of), np.int64)
    n_parts = max(n_parts, n_runs)
    pools = [pool_of_part(space, part_of, part, place) for part in range(n_parts)]
    everyone, members, points = empty_group(space), empty_group(space), empty_points(space, 1)
    for t in range(len(left)):
        join(space, everyone, t, left[t])
    row = np.empty(len(space.values))
    tuples, clusters = np.empty(n, np.int64), np.empty(n, np.int64)
    size, n_clusters, seed = 0, n // n_runs, -1
    for cluster in range(n_clusters):
        if cluster % 2 == 0:
            centroid(space, everyone, points, 0)
            fill_from_point(space, points, 0, row)
        else:
            fill_from_tuple(space, seed, row)
        seed = farthest(space, pools, row)
        clear(space, members)
        taken_from = run_of_seed(part_of[seed], parts, room)
        to_come = n_clusters - cluster
        for turn in range(n_runs):  # the seed's run first
            run = taken_from if turn == 0 else turn - 1 if turn <= taken_from else turn
            wanted = -(-room[run].sum() // to_come)
            for i in range(wanted):
                if turn == 0 and i == 0:
                    t = seed
                    fill_from_tuple(space, seed, row)
                else:
                    t = nearest(space, pools, parts[run], room[run], row)
                column = 0
                while parts[run, column] != part_of[t]:
                    column += 1
                room[run, column] -= 1
                tuples[size], clusters[size] = t, cluster
                size += 1
                left[t] -= 1
                join(space, everyone, t, -1)
                if left[t] == 0:
                    remove(pools[part_of[t]], t)
                if not static:
                    join(space, members, t, 1)
                    centroid(space, members, points, 0)
                    fill_from_point(space, points, 0, row)
        done[0] = size
    return tuples, clusters, n_clusters


@step
def pool_of_part(space: Space, part_of: Int64, part: int, place: Int64) -> Pool:
    """The tuples of one part; `place` is shared by all parts."""
    ids = np.flatnonzero(part_of == part)
    codes = np.empty((len(space.attributes), len(ids)), space.codes.dtype)
    for i in range(len(ids)):
        place[ids[i]] = i
        for j in range(len(codes)):
            codes[j, i] = space.codes[j, ids[i]]
    return Pool(np.array([len(ids)]), ids, place, codes, np.ones(len(ids)), np.empty(_BLOCK))


@step
def farthest(space: Space, pools: list[Pool], row: Float64) -> int:
    """The tuple of all pools that is farthest from the point that filled `row`; ties go to the first."""
    best, best_distance = -1, -np.inf
    for pool in pools:
        t = extreme(space, pool, row, FARTHEST)
        if t >= 0:
            d = distance(space, row, t)
            if d > best_distance or (d == best_distance and t < best):
                best, best_distance = t, d
    return best


@step
def nearest(space: Space, pools: list[Pool], parts: Int64, room: Int64, row: Float64) -> int:
    """The tuple nearest to the point that filled `row`, of the parts that a run still has room for."""
    best, best_distance = -1, np.inf
    for i in range(len(parts)):
        if room[i] > 0:
            t = extreme(space, pools[parts[i]], row, CLOSEST)
            d = distance(space, row, t)
            if d < best_distance or (d == best_distance and t < best):
                best, best_distance = t, d
    return best


@step
def run_of_seed(part: int, parts: Int64, room: Int64) -> int:
    """Of the runs that have the part, the one with most of it left: others keep their choice."""
    best, most = -1, 0
    for run in range(len(parts)):
        for i in range(parts.shape[1]):
            if parts[run, i] == part and room[run, i] > most:
                best, most = run, room[run, i]
    return best
