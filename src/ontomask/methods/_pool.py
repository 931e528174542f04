"""The tuples not yet placed, kept dense so that scans over them are short loops over flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.space import Space
from ontomask.compiled import step

_BLOCK = 1024
FARTHEST, CLOSEST = 1.0, -1.0


class Pool(NamedTuple):
    """Places 0..size-1 hold the tuples left, in no particular order."""

    size: Int64  # one number
    ids: Int64  # tuple at each place
    place: Int64  # place of each tuple
    codes: np.ndarray  # [m, p], as in the space
    factor: Float64  # what a distance to the tuple at a place is multiplied by
    scratch: Float64


@step
def pool_of(space: Space, ids: Int64, counts: Int64, weighted: bool) -> Pool:
    """Some tuples; distances are multiplied by their counts if `weighted` (wsd)."""
    size, m = len(ids), len(space.attributes)
    place, codes, factor = (
        np.full(len(space.counts), -1),
        np.empty((m, size), space.codes.dtype),
        np.ones(size),
    )
    for i in range(size):
        place[ids[i]] = i
        if weighted:
            factor[i] = counts[ids[i]]
        for j in range(m):
            codes[j, i] = space.codes[j, ids[i]]
    return Pool(np.array([size]), ids, place, codes, factor, np.empty(_BLOCK))


@step
def remove(pool: Pool, t: int) -> None:
    """Take a tuple out; the last one moves to its place."""
    last = pool.size[0] - 1
    here, moved = pool.place[t], pool.ids[last]
    pool.ids[here], pool.place[moved] = moved, here
    pool.factor[here] = pool.factor[last]
    for j in range(len(pool.codes)):
        pool.codes[j, here] = pool.codes[j, last]
    pool.size[0] = last


@step
def extreme(space: Space, pool: Pool, row: Float64, sign: float, left_out: int = -1, beside: int = 0) -> int:
    """The tuple of greatest `sign * distance` to the point that filled `row`; ties go to the first tuple.

    -1 if there is none; the tuple `left_out` does not count. A distance counts for the records `beside` the
    tuple's own too.
    """
    best, best_distance = -1, -np.inf
    block = pool.scratch
    for start in range(0, pool.size[0], len(block)):
        width = min(len(block), pool.size[0] - start)
        distances_of_block(space, pool, row, start, width, block)
        for i in range(width):
            d = sign * (beside + pool.factor[start + i]) * block[i]
            if d >= best_distance:
                t = pool.ids[start + i]
                if (d > best_distance or t < best) and t != left_out:
                    best, best_distance = t, d
    return best


@step
def distances_of_block(
    space: Space, pool: Pool, row: Float64, start: int, width: int, block: Float64
) -> None:
    """Distances of the tuples at places start..start+width to the point that filled `row`."""
    first = pool.codes[0]
    for i in range(width):
        block[i] = row[first[start + i]]
    for j in range(1, len(pool.codes)):
        codes = pool.codes[j]
        for i in range(width):
            block[i] += row[codes[start + i]]
    if space.euclidean:
        for i in range(width):
            block[i] = np.sqrt(block[i])
