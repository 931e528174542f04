"""The compiled loop of `reuse.py`: which of the groups that are open a tuple is nearest to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.compiled import kernel


class Costs(NamedTuple):
    """What tuples lose by groups: per attribute a table over its codes and the distinct values of groups.

    The table of attribute j is `tables[starts[j]:]`, with `widths[j]` places for each code; group g has its
    value `values[g, j]`. A code that must not be given a value costs infinitely much.
    """

    tables: Float64
    starts: Int64
    widths: Int64
    values: Int64


@kernel
def nearest(
    costs: Costs, codes: Int32, wanted: Int64, avoided: Int64, is_open: Bool
) -> tuple[Int64, Float64]:
    """The open group by which tuple `wanted[i]` loses least, and how much; it is not `avoided[i]`.

    Of equals the first; -1 and infinity where there is none.
    """
    groups, least = np.full(len(wanted), -1), np.full(len(wanted), np.inf)
    for i in range(len(wanted)):
        t = wanted[i]
        for g in range(len(is_open)):
            if not is_open[g] or g == avoided[i]:
                continue
            lost = 0.0
            for j in range(len(costs.starts)):
                lost += costs.tables[costs.starts[j] + codes[t, j] * costs.widths[j] + costs.values[g, j]]
                if lost >= least[i]:
                    break
            if lost < least[i]:
                groups[i], least[i] = g, lost
    return groups, least
