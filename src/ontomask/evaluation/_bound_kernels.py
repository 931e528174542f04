"""Compiled loops of the lower bounds: what sites save at given prices, which sites can never be best."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Bool, Float64, Int64
from ontomask.compiled import kernel, step


@kernel
def not_dominated(table: Float64) -> Bool:
    """Which columns of distances [values, candidates] are somewhere below each other one; of equals, one."""
    n_values, n = table.shape
    kept = np.ones(n, np.bool_)
    for c in range(n):
        for d in range(n):
            if d == c or not kept[d]:
                continue
            is_below, v = True, 0
            while is_below and v < n_values:
                is_below = table[v, d] <= table[v, c]
                v += 1
            if is_below:
                kept[c] = False
                break
    return kept


@step
def saving(
    costs: Float64, counts: Int64, k: int, prices: Float64, enough: float, order: Int64, taken: Int64
) -> tuple[float, float, int]:
    """What a site that serves at least k records costs at best, less what they pay; at most `enough`.

    ``V = min sum_t x_t (cost_t - price_t)`` over ``0 <= x_t <= w_t``, ``sum_t x_t >= k``: all that pay more
    than they cost and, if these are too few, the next best. Also the summed size of its terms, for the error
    of rounding, and how many tuples are taken: `order` says which, `taken` how many records of each.
    """
    p, value, size, load, n = len(counts), 0.0, 0.0, 0, 0
    for t in range(p):
        if costs[t] < prices[t]:
            value += counts[t] * (costs[t] - prices[t])
            size += counts[t] * (costs[t] + abs(prices[t]))
            load += counts[t]
            order[n], taken[n] = t, counts[t]
            n += 1
    if load >= k or value >= enough:
        return min(value, enough), size, n
    end = n
    for t in range(p):
        if costs[t] >= prices[t] and costs[t] - prices[t] < enough - value:  # others alone are too dear
            order[end] = t
            end += 1
    while n < end:  # those below a pivot are taken if they are not too many, else only they are looked at
        middle = order[(n + end) // 2]
        pivot = costs[middle] - prices[middle]
        below, records = n, 0
        for i in range(n, end):
            t = order[i]
            if costs[t] - prices[t] < pivot:
                order[i], order[below] = order[below], t
                below += 1
                records += counts[t]
        if records > k - load:
            end = below
            continue
        at_pivot = below  # all are dearer than those taken: those as dear as the pivot come next
        for i in range(below, end):
            t = order[i]
            if costs[t] - prices[t] == pivot:
                order[i], order[at_pivot] = order[at_pivot], t
                at_pivot += 1
        for i in range(n, at_pivot):
            t = order[i]
            taken[i] = min(counts[t], k - load)
            value += taken[i] * (costs[t] - prices[t])
            size += taken[i] * (costs[t] + abs(prices[t]))
            load += taken[i]
        n = at_pivot
        if load >= k or value >= enough:
            return min(value, enough), size, n
    return enough, size, n


@kernel
def fair_prices(costs: Float64, counts: Int64, k: int) -> Float64:
    """``u_t = min_c (f_tc + A_c) / 2``, A_c the mean cost of the k records that site c costs least.

    No site gains by them: those that it serves cost A_c or more on average, so that all V_c >= 0.
    """
    prices, nothing = np.full(len(counts), np.inf), np.zeros(len(counts))
    order, taken = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    for c in range(len(costs)):
        mean = saving(costs[c], counts, k, nothing, np.inf, order, taken)[0] / k
        for t in range(len(counts)):
            prices[t] = min(prices[t], (costs[c, t] + mean) / 2)
    return prices


@kernel
def dual_bound(
    costs: Float64, counts: Int64, k: int, prices: Float64, sites: Int64, load: Int64
) -> tuple[float, float]:
    """``sum_t w_t u_t + sum_c min(0, V_c)``, and the summed size of its terms.

    `load` becomes how many records of each tuple the sites take.
    """
    load[:] = 0
    total = size = 0.0
    order, taken = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    for t in range(len(counts)):
        total += counts[t] * prices[t]
        size += counts[t] * abs(prices[t])
    for c in sites:
        value, terms, n = saving(costs[c], counts, k, prices, 0.0, order, taken)
        if value < 0:
            total += value
            size += terms
            for i in range(n):
                load[order[i]] += taken[i]
    return total, size


@kernel
def within_reach(costs: Float64, counts: Int64, k: int, prices: Float64, sites: Int64, slack: float) -> Int64:
    """The sites whose V is less than the slack: using another one costs at least so much more."""
    order, taken = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    kept = np.empty(len(sites), np.int64)
    n = 0
    for c in sites:
        if saving(costs[c], counts, k, prices, slack, order, taken)[0] < slack:
            kept[n] = c
            n += 1
    return kept[:n]
