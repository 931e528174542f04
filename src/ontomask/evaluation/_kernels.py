"""Compiled loops of the evaluation: the search for the nearest masked tuples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import kernel, step
from ontomask.measures.base import GRID

TABLE = 0.0  # in place of a unit


class Distances(NamedTuple):
    """Distances of codes to masked values, attribute after attribute, in steps of the grid.

    Most attributes have their [code, masked value] table; numbers too many for one are compared as they are.
    """

    facts: Float64  # [m] unit, how far a missing number is, masked values
    starts: Int64  # [3, m] where an attribute's part of the next three begins
    table: Float64
    numbers: Float64
    masked_numbers: Float64
    euclidean: bool


class Masked(NamedTuple):
    """The masked tuples in sorted order, so that those that begin alike stand together."""

    codes: Int32  # [a, m]
    sizes: Int64  # [a] their records
    shared: Int32  # [a] leading codes shared with the row before
    following: Int32  # [a, m] next row that does not share the first 1, 2, .. codes


@step
def steps_to(distances: Distances, j: int, row: int, masked: int) -> float:
    """What attribute j adds to the distance of a code to a masked value.

    `row` is where the code's row of the table begins or, of numbers too many for a table, where the number
    stands. Unequal numbers are at least one step apart, so that only equal ones are at distance 0.
    """
    if distances.facts[j, 0] == TABLE:
        return distances.table[row + masked]
    before = distances.numbers[row]
    after = distances.masked_numbers[distances.starts[2, j] + masked]
    if before == after or (np.isnan(before) and np.isnan(after)):
        return 0.0
    distance = abs(before - after) / distances.facts[j, 0]
    if np.isnan(distance):
        distance = distances.facts[j, 1]
    if distances.euclidean:
        distance *= distance
    return max(np.rint(distance * GRID), 1.0)


@kernel
def expected_links(
    distances: Distances, codes: Int32, masked: Masked, own_starts: Int64, own: Int32, own_counts: Int64
) -> Float64:
    """Right links to be expected for each original tuple: its records among the nearest / their number.

    The masked tuples of an original are `own[own_starts[t]:own_starts[t + 1]]`. The nearest of them bounds
    the search: a nearer masked tuple means no right link, and all that begin alike are left aside as soon
    as their common part is farther.
    """
    p, m = codes.shape
    found, partial, rows = np.zeros(p), np.zeros(m + 1), np.zeros(m, np.int64)
    for t in range(p):
        for j in range(m):
            if distances.facts[j, 0] == TABLE:
                rows[j] = distances.starts[0, j] + codes[t, j] * np.int64(distances.facts[j, 2])
            else:
                rows[j] = distances.starts[1, j] + codes[t, j]
        bound, held = np.inf, 0
        for e in range(own_starts[t], own_starts[t + 1]):
            total = 0.0
            for j in range(m):
                total += steps_to(distances, j, rows[j], masked.codes[own[e], j])
            if total < bound:
                bound, held = total, 0
            if total == bound:
                held += own_counts[e]
        nearest = 0
        a = 0 if held > 0 else len(masked.sizes)
        while a < len(masked.sizes):
            j = int(masked.shared[a])
            while j < m:
                partial[j + 1] = partial[j] + steps_to(distances, j, rows[j], masked.codes[a, j])
                if partial[j + 1] > bound:
                    break
                j += 1
            if j < m:
                a = int(masked.following[a, j])
            elif partial[m] < bound:
                nearest = 0
                break
            else:
                nearest += masked.sizes[a]
                a += 1
        if nearest > 0:
            found[t] = held / nearest
    return found
