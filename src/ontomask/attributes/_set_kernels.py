"""Compiled loops over sets: how far one is from many others, by the distances of their members."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.compiled import kernel
from ontomask.measures.base import GRID


@kernel
def compared(to_others: Float64, from_others: Float64, starts: Int64, members: Int32) -> Float64:
    """Distance of a set to each other one, `members[starts[i]:starts[i + 1]]`; 0 to one without members.

    `to_others[a, b]` are distances of its members, `from_others[b]` of any b to the nearest of them.
    """
    found = np.zeros(len(starts) - 1)
    for i in range(len(found)):
        own = members[starts[i] : starts[i + 1]]
        if len(own) == 0:
            continue
        there = back = 0.0
        for a in range(len(to_others)):
            nearest = np.inf
            for b in own:
                nearest = min(nearest, to_others[a, b])
            there += nearest
        for b in own:
            back += from_others[b]
        found[i] = np.rint((there / len(to_others) + back / len(own)) / 2 * GRID) / GRID
    return found
