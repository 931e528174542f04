"""How little any release of groups of at least k records can lose: a proven lower bound.

A release is a facility location with a least load: records go to *sites*, the combinations of replacements,
and a site that is used serves at least k records. Its Lagrangian dual (Geoffrion 1974) bounds the loss from
below whatever the prices are; subgradient steps (Held, Wolfe & Crowder 1974) look for good ones. Records of
a tuple may be split over sites, so the bound is one for every method. Integers and distances only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.base import Attribute, Line
from ontomask.evaluation._bound_kernels import dual_bound, fair_prices, not_dominated, within_reach
from ontomask.evaluation.loss import losses, squared
from ontomask.evaluation.pairs import ReleaseView
from ontomask.measures.base import GRID

Objective = Literal["sse", "semantic_loss"]
MOST_COSTS = 1 << 24
"""Tuples times sites beyond which no bound is computed."""
_MOST_TABLE = 1 << 24
_CELLS = 128  # that the line of numbers is cut into
_STEPS, _PATIENCE, _SHORTER, _SHORTEST = 1500, 20, 0.7, 1e-4
_ROOM = 20  # the target is this share, over the number of steps, above the bound
_ERROR = 2.0**-52


def least_loss(view: ReleaseView, k: int, objective: Objective = "sse") -> float | None:
    """No release of at least k equal records loses less; None where that would take too long to say.

    With costs ``f_tc`` (the squared distance of tuple t, of ``w_t`` records, to site c) and any prices u::

        loss >= sum_t w_t u_t + sum_c min(0, V_c),   V_c = min sum_t x_t (f_tc - u_t)
                                                     over 0 <= x_t <= w_t, sum_t x_t >= k

    where u_t is at most what suppressing a record costs. Sites are all combinations of the replacements that
    the attributes have: values, what is above them, what the release has in their place. Numbers may become
    any number: the line is cut into cells, each as far from a number as its nearest end. Sets of words
    count nothing, which makes the bound lower. The error of rounding is subtracted.

    >>> from ontomask.attributes import Numeric, Tuples
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 2]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    >>> bound = least_loss(ReleaseView(table, [age], Pairs.unmasked(table, [age])), 2)
    >>> round(bound * 40**2, 1)  # 25 in the place of 20 and 30 loses 5^2 + 5^2, of a range of 40 years
    48.5
    """
    view = view.merged
    tables = _tables(view)
    if tables is None:
        return None
    counts = view.tuples.counts
    lost = np.array([[a.maximum for a in view.attributes]])
    found = losses(view)
    if objective == "sse":
        costs, dearest, loss = _costs(view, tables), float(squared(lost, view.combine)[0]), found["sse"]
    else:
        costs, dearest, loss = _sums(view, tables), float(lost.sum()), found["semantic_loss"]
        costs, dearest, loss = costs / len(tables), dearest / len(tables), loss * view.tuples.n
    known = float((costs @ counts).min())  # of everybody at one site
    if (view.pairs.class_sizes >= k).all():
        known = min(known, loss)
    bound = greatest_bound(costs, counts, k, dearest, known)
    return bound if objective == "sse" else bound / view.tuples.n


def greatest_bound(costs: Float64, counts: Int64, k: int, dearest: float, known: float) -> float:
    """The greatest lower bound found; `costs` [sites, tuples], `known` what some release loses.

    A release that uses site c loses at least the bound plus V_c. Sites with which that is a target or more
    are left out: what is then proven of the others is proven of all releases up to the target, whatever it
    is. It follows the bound; if it was too near, all sites are looked at again.
    """
    everywhere = sites = np.arange(len(costs))
    load, prices = np.empty(len(counts), np.int64), np.minimum(fair_prices(costs, counts, k), dearest)
    target = min(known, 2 * float(counts @ prices)) or known

    def bound_at(prices: Float64) -> float:
        total, size = dual_bound(costs, counts, k, prices, sites, load)
        return total - (len(counts) + len(costs) + 16) * _ERROR * size

    best, best_prices, length, since = 0.0, prices, 1.0, 0
    for step in range(1, _STEPS + 1):
        bound = bound_at(prices)
        uphill = 1 - load / counts  # a tuple that is served too seldom may pay more
        steepness = float(counts @ uphill**2)
        proven = bound if len(sites) == len(everywhere) else min(bound, target)
        since = 0 if proven > best * (1 + 1e-5) else since + 1
        if proven > best:
            best, best_prices = proven, prices
        if best >= known or length < _SHORTEST:
            break
        if best >= target * (1 - 1 / (step + 1)) and target < known:  # prices that aim at it come no higher
            target, sites, length = min(known, 2 * best) or known, everywhere, 1.0
            continue
        if steepness == 0:
            break
        if step % 50 == 0 and best > 0:
            target = min(target, best * (1 + _ROOM / step))
            slack = target * (1 + 1e-9) - bound_at(best_prices)
            sites = within_reach(costs, counts, k, best_prices, sites, slack)
        if since >= _PATIENCE:
            length, since = length * _SHORTER, 0
        prices = np.minimum(prices + length * (target - bound) / steepness * uphill, dearest)
    return best


def _tables(view: ReleaseView) -> list[Float64] | None:
    """Per attribute the distances of its codes to its candidates, if all combinations of these are few."""
    found = []
    for attribute in view.attributes:
        if attribute.line is None and attribute.size * attribute.n_replacements > _MOST_TABLE:
            return None
        table = candidate_distances(attribute)
        found.append(table[:, not_dominated(table)])
    n_sites = float(np.prod([float(table.shape[1]) for table in found]))
    return found if len(view.tuples) * n_sites <= MOST_COSTS else None


def candidate_distances(attribute: Attribute) -> Float64:
    """Distance of every code to what may replace it, or less, [codes, candidates].

    A candidate that is nowhere nearer than another one need not be looked at: a group that has it would
    lose no more with the other.
    """
    codes = np.arange(attribute.size, dtype=np.int32)
    if line := attribute.line:
        return _to_cells(line, attribute.maximum)
    if attribute.subsumers is None:
        return np.zeros((attribute.size, 1))
    return attribute.distance_table(codes, np.arange(attribute.n_replacements, dtype=np.int32))


def _to_cells(line: Line, lost: float) -> Float64:
    """Distance of numbers to the nearest point of cells of the line; the last candidate is no value.

    What is written as a range is on average as far from a number as its middle, or farther.
    """
    known = ~np.isnan(line.numbers)
    numbers = np.unique(line.numbers[known])
    table = np.full((len(line.numbers), _CELLS + 1), lost)
    table[~known, -1] = 0.0
    if len(numbers):
        places = np.linspace(0, len(numbers) - 1, _CELLS + 1)
        edges = np.interp(places, np.arange(len(numbers)), numbers)
        x = line.numbers[known][:, None]
        outside = np.maximum(np.maximum(edges[:-1] - x, x - edges[1:]), 0.0)
        table[known, :-1] = np.maximum(outside / line.unit * (1 - 4 * _ERROR) - 1 / GRID, 0.0)
    return table


def _costs(view: ReleaseView, tables: Sequence[Float64]) -> Float64:
    """Squared record distance of every tuple to every site, [sites, tuples]."""
    if view.combine == "euclidean":
        return _sums(view, [table**2 for table in tables])
    costs = _sums(view, tables)
    costs /= len(tables)
    costs *= costs
    return costs


def _sums(view: ReleaseView, tables: Sequence[Float64]) -> Float64:
    """The sum over attributes of every tuple and combination of candidates, [combinations, tuples]."""
    total = np.zeros((1, len(view.tuples)))
    for j, table in enumerate(tables):
        rows = table[view.tuples.codes[:, j]].T
        total = (total[:, None, :] + rows[None, :, :]).reshape(-1, len(view.tuples))
    return total
