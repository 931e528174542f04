"""Compiled loops of the privacy models: transport of one histogram into another, greedy and exact."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.compiled import kernel


@kernel
def transport_cost(supply: Int64, demand: Int64, costs: Float64) -> float:
    """Least cost of moving whole units from sources to sinks: ``min sum f_ij c_ij``.

    Successive shortest paths with potentials. Sinks are many and sources few, and the way on from a full
    sink leads only back to the sources that fill it, so the search walks over sources. With whole-number
    costs every step is exact.
    """
    s, q = costs.shape
    left, room = supply.copy(), demand.copy()
    flow = np.zeros((s, q), np.int64)
    source_potential, sink_potential = np.zeros(s), np.zeros(q)
    to_source, to_sink = np.empty(s), np.empty(q)
    sink_before, source_before = np.empty(s, np.int64), np.empty(q, np.int64)
    done = np.empty(s, np.bool_)
    units = left.sum()
    while units > 0:
        to_sink[:] = np.inf
        done[:] = False
        sink_before[:] = -1
        for i in range(s):
            to_source[i] = 0.0 if left[i] > 0 else np.inf
        end, shortest = -1, np.inf
        while True:
            near = -1
            for i in range(s):
                if not done[i] and to_source[i] < shortest and (near < 0 or to_source[i] < to_source[near]):
                    near = i
            if near < 0:
                break
            done[near] = True
            for j in range(q):
                way = to_source[near] + costs[near, j] + source_potential[near] - sink_potential[j]
                if way >= to_sink[j]:
                    continue
                to_sink[j], source_before[j] = way, near
                if room[j] > 0:
                    if way < shortest:
                        end, shortest = j, way
                    continue
                for i in range(s):
                    if flow[i, j] > 0 and way < to_source[i]:
                        to_source[i], sink_before[i] = way, j
        for i in range(s):
            source_potential[i] += min(to_source[i], shortest)
        for j in range(q):
            sink_potential[j] += min(to_sink[j], shortest)
        moved, j = min(units, room[end]), end
        while True:
            i = source_before[j]
            j = sink_before[i]
            if j < 0:
                moved = min(moved, left[i])
                break
            moved = min(moved, flow[i, j])
        j = end
        while True:
            i = source_before[j]
            flow[i, j] += moved
            j = sink_before[i]
            if j < 0:
                left[i] -= moved
                break
            flow[i, j] -= moved
        room[end] -= moved
        units -= moved
    return (flow * costs).sum()


@kernel
def greedy_costs(starts: Int64, values: Int64, counts: Int64, totals: Int64, costs: Float64) -> Float64:
    """A transport of every class into the whole table, the shortest ways first: no less than the best one.

    The entries of class c are `starts[c]:starts[c + 1]`; its records weigh n, those of the table its size.
    """
    n, q = totals.sum(), len(totals)
    out = np.zeros(len(starts) - 1)
    for c in range(len(out)):
        own = values[starts[c] : starts[c + 1]]
        left = counts[starts[c] : starts[c + 1]] * n
        room = totals * (left.sum() // n)
        if len(own) == 1:  # all that is to arrive comes from there
            out[c] = (room * costs[own[0]]).sum()
            continue
        for place in np.argsort(costs[own].ravel()):
            i, j = place // q, place % q
            moved = min(left[i], room[j])
            if moved > 0:
                left[i] -= moved
                room[j] -= moved
                out[c] += moved * costs[own[i], j]
    return out


@kernel
def least_costs(starts: Int64, values: Int64, totals: Int64, costs: Float64) -> Float64:
    """What one record of the class costs at least: every unit comes from the nearest value of the class."""
    out = np.zeros(len(starts) - 1)
    for c in range(len(out)):
        own = values[starts[c] : starts[c + 1]]
        for j in range(len(totals)):
            nearest = np.inf
            for i in own:
                nearest = min(nearest, costs[i, j])
            out[c] += totals[j] * nearest
    return out
