"""Compiled loops of `t_first`: clusters with a record of each run, and clusters that grow within t.

Records are of cells here: the tuples of the space are told apart by their confidential value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
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
from ontomask.methods._histograms import histogram_distance
from ontomask.methods._pool import CLOSEST, FARTHEST, Pool, distances_of_block, extreme, remove

_BLOCK = 1024
_SHORT = 64  # records of each value that are near a seed
_ROUNDING = 1e-12


class SortedRuns(NamedTuple):
    """Records in the order of a value, cut into runs; those of one value are alike, wherever the cut is.

    Run r holds `room[r, i]` records of part `parts[r, i]`. A part is what can stand in for one another: the
    values that lie in one run (middle column), or one value that several runs share (with the run before:
    first column; with the next: last). No part is -1.
    """

    parts: Int64
    room: Int64
    part_of_value: Int64


def runs_of(totals: Int64, n_runs: int) -> SortedRuns:
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
    return SortedRuns(parts, room, part_of_value)


class Placed(NamedTuple):
    """What is placed and what is left while clusters are formed: part c of the records is a pool each."""

    left: Int64  # records of each tuple
    part_of: Int64  # part of each tuple
    everyone: Group  # the records left
    members: Group  # of the cluster that is being formed
    points: Points  # one: a centroid
    row: Float64
    tuples: Int64  # of the records placed, in turn
    clusters: Int64
    size: Int64  # one number: how many are placed


@kernel
def clusters_over_runs(
    space: Space, part_of: Int64, runs_parts: Int64, runs_room: Int64, done: Int64
) -> tuple[Int64, Int64, int]:
    """Clusters of one record of each run (more of a run that has more left than there are clusters to come).

    Seeds are as in MDAV: the record farthest from the centroid of those left, then the one farthest from
    that. From every run comes the record nearest to the growing cluster's centroid. Returns the tuple of each
    record, its cluster, and how many of these there are.
    """
    parts, room, n_runs = runs_parts, runs_room.copy(), len(runs_parts)
    n_parts = max(part_of.max() + 1, n_runs)
    place = np.empty(len(part_of), np.int64)
    pools = [pool_of_part(space, part_of, part, place) for part in range(n_parts)]
    now = nothing_placed(space, part_of)
    n_clusters, seed = space.counts.sum() // n_runs, -1
    everywhere = np.ones(n_parts, np.bool_)
    for cluster in range(n_clusters):
        seed = next_seed(space, pools, now, cluster, seed, everywhere)
        seeds_run = run_with_room(part_of[seed], parts, room)
        for turn in range(n_runs):  # the seed's run first
            run = seeds_run if turn == 0 else turn - 1 if turn <= seeds_run else turn
            wanted = -(-room[run].sum() // (n_clusters - cluster))
            for i in range(wanted):
                is_seed = turn == 0 and i == 0
                t = seed if is_seed else nearest(space, pools, parts[run], room[run], now.row)
                column = 0
                while parts[run, column] != part_of[t]:
                    column += 1
                room[run, column] -= 1
                put(space, pools, now, t, cluster)
        done[0] = now.size[0]
    return now.tuples, now.clusters, n_clusters


@kernel
def clusters_within(
    space: Space, part_of: Int64, shares: Float64, t: float, is_ordered: bool, k: int, free: int, done: Int64
) -> tuple[Int64, Int64, int]:
    """Clusters of at least k records that are within t of `shares`, each grown by the nearest record.

    The first `free` records are the nearest whatever their value; then come the nearest of those that bring
    the cluster closer to the shares, until it is within t, and so is what is left: so is the last one, then.
    Records are looked for near the seed first, and everywhere if those are used up.
    """
    n, n_values = space.counts.sum(), len(shares)
    place = np.empty(len(part_of), np.int64)
    pools = [pool_of_part(space, part_of, value, place) for value in range(n_values)]
    now = nothing_placed(space, part_of)
    own, rest = np.zeros(n_values, np.int64), np.zeros(n_values, np.int64)
    for c in range(len(part_of)):
        rest[part_of[c]] += space.counts[c]
    every, wanted = np.arange(n_values), np.zeros(n_values, np.int64)
    first = np.zeros(n_values, np.bool_)
    for v in range(n_values):  # who is not within t alone needs company, and chooses first
        own[:] = 0
        own[v] = 1
        first[v] = histogram_distance(own, shares, is_ordered) > t
    cluster, seed = 0, -1
    near = np.empty((n_values, _SHORT), np.int64)
    while n - now.size[0] >= k:
        seed = next_seed(space, pools, now, cluster, seed, first)
        own[:] = 0
        c, size = seed, 0
        fill_from_tuple(space, seed, now.row)
        for v in range(n_values):
            fill_shortlist(space, pools[v], now.row, near[v])
        while True:
            put(space, pools, now, c, cluster)
            size += 1
            own[part_of[c]] += 1
            rest[part_of[c]] -= 1
            if now.size[0] == n:
                break
            if (
                size >= k
                and histogram_distance(own, shares, is_ordered) <= t
                and histogram_distance(rest, shares, is_ordered) <= t
            ):
                break
            choose(own, rest, shares, t, is_ordered, size < free, wanted)
            c = nearest_of(space, now, near, wanted)
            if c < 0:
                c = nearest(space, pools, every, wanted, now.row)
        cluster += 1
        done[0] = now.size[0]
    for pool in pools:  # fewer than k are left, and within t: so is their union with the last cluster
        while pool.size[0] > 0:
            put(space, pools, now, pool.ids[0], max(cluster - 1, 0))
    return now.tuples, now.clusters, max(cluster, 1)


@step
def choose(
    own: Int64, rest: Int64, shares: Float64, t: float, is_ordered: bool, is_free: bool, wanted: Int64
) -> None:
    """Mark the values that a cluster may take next; all, if none helps."""
    here, there = (
        histogram_distance(own, shares, is_ordered),
        histogram_distance(rest, shares, is_ordered),
    )
    found = False
    for v in range(len(shares)):
        wanted[v] = 0
        if rest[v] == 0:
            continue
        if is_free:
            wanted[v], found = 1, True
            continue
        own[v] += 1
        rest[v] -= 1
        new_here = histogram_distance(own, shares, is_ordered)
        new_there = histogram_distance(rest, shares, is_ordered)
        own[v] -= 1
        rest[v] += 1
        is_closer = new_here < here - _ROUNDING
        keeps = new_here <= t and (new_there <= t or new_there < there - _ROUNDING)
        if is_closer if here > t else keeps:
            wanted[v], found = 1, True
    if not found:
        for v in range(len(shares)):
            wanted[v] = rest[v]


@step
def nothing_placed(space: Space, part_of: Int64) -> Placed:
    """All records left."""
    n = space.counts.sum()
    now = Placed(
        space.counts.copy(),
        part_of,
        empty_group(space),
        empty_group(space),
        empty_points(space, 1),
        np.empty(len(space.values)),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.zeros(1, np.int64),
    )
    for t in range(len(part_of)):
        join(space, now.everyone, t, space.counts[t])
    return now


@step
def next_seed(
    space: Space, pools: list[Pool], now: Placed, cluster: int, before: int, first: np.ndarray
) -> int:
    """Of the records left, the farthest from their centroid; every other time, from the seed before.

    Records of the pools marked come first, as long as there are any.
    """
    if cluster % 2 == 0:
        centroid(space, now.everyone, now.points, 0)
        fill_from_point(space, now.points, 0, now.row)
    else:
        fill_from_tuple(space, before, now.row)
    clear(space, now.members)
    seed = farthest(space, pools, now.row, first)
    return seed if seed >= 0 else farthest(space, pools, now.row, ~first)


@step
def put(space: Space, pools: list[Pool], now: Placed, t: int, cluster: int) -> None:
    """Place a record of tuple t; `row` tells distances to the centroid of its cluster then."""
    at = now.size[0]
    now.tuples[at], now.clusters[at] = t, cluster
    now.size[0] = at + 1
    now.left[t] -= 1
    join(space, now.everyone, t, -1)
    if now.left[t] == 0:
        remove(pools[now.part_of[t]], t)
    join(space, now.members, t, 1)
    centroid(space, now.members, now.points, 0)
    fill_from_point(space, now.points, 0, now.row)


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
def root_distance(space: Space, row: Float64, t: int) -> float:
    """Distance of tuple t to the point that filled `row`, as pools compare them."""
    d = distance(space, row, t)
    return np.sqrt(d) if space.euclidean else d


@step
def farthest(space: Space, pools: list[Pool], row: Float64, among: np.ndarray) -> int:
    """The tuple of the pools marked that is farthest from the point that filled `row`, or -1.

    Ties go to the first.
    """
    best, best_distance = -1, -np.inf
    for i in range(len(pools)):
        t = extreme(space, pools[i], row, FARTHEST) if among[i] else -1
        if t >= 0:
            d = root_distance(space, row, t)
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
            d = root_distance(space, row, t)
            if d < best_distance or (d == best_distance and t < best):
                best, best_distance = t, d
    return best


@step
def fill_shortlist(space: Space, pool: Pool, row: Float64, near: Int64) -> None:
    """The tuples of a pool that are nearest to the point that filled `row`, as many as there is room for."""
    size, wanted = pool.size[0], len(near)
    near[:] = -1
    if size <= wanted:
        near[:size] = pool.ids[:size]
        return
    apart = np.empty(size)
    for start in range(0, size, _BLOCK):
        width = min(_BLOCK, size - start)
        distances_of_block(space, pool, row, start, width, apart[start:])
    most, found = np.partition(apart, wanted - 1)[wanted - 1], 0
    for i in range(size):
        if apart[i] < most:
            near[found] = pool.ids[i]
            found += 1
    for i in range(size):
        if apart[i] == most and found < wanted:
            near[found] = pool.ids[i]
            found += 1


@step
def nearest_of(space: Space, now: Placed, near: Int64, wanted: Int64) -> int:
    """Of the tuples listed for the values wanted that have records left, the nearest; or -1."""
    best, best_distance = -1, np.inf
    for v in range(len(near)):
        if wanted[v] == 0:
            continue
        for t in near[v]:
            if t < 0 or now.left[t] == 0:
                continue
            d = distance(space, now.row, t)
            if d < best_distance or (d == best_distance and t < best):
                best, best_distance = t, d
    return best


@step
def run_with_room(part: int, parts: Int64, room: Int64) -> int:
    """Of the runs that have the part, the one with most of it left: others keep their choice."""
    best, most = -1, 0
    for run in range(len(parts)):
        for i in range(parts.shape[1]):
            if parts[run, i] == part and room[run, i] > most:
                best, most = run, room[run, i]
    return best
