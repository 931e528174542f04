"""t-closeness (Li, Li, Venkatasubramanian 2007): confidential values are spread in each class as overall.

The distance of a class to the whole table is the earth mover's distance, exact for each of the three ground
distances: equal, ordered, and semantic (any matrix of distances between values).
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import OntomaskError
from ontomask.measures.base import GRID
from ontomask.privacy._kernels import greedy_costs, transport_cost
from ontomask.privacy.confidential import Confidential

BLOCK = 4_000_000  # cells of a dense [classes, values] block


def equal_closeness(confidential: Confidential) -> float:
    """t where all values are equally far apart: ``max over classes of 1/2 sum_v |p_v - q_v|``.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> equal_closeness(halves)
    0.5
    """
    return float(_equal_distances(confidential).max(initial=0.0))


def ordered_closeness(confidential: Confidential, size: int | None = None) -> float:
    """t where values are ranks 0..q-1: ``max over classes of 1/(q-1) sum_i |sum_(v<=i) (p_v - q_v)|``.

    `size` is q, if there are values that no record has.

    >>> thirds = Confidential.of(np.array([0, 1, 2]), np.array([0, 1, 2]), np.ones(3, int))
    >>> round(ordered_closeness(thirds), 6)  # the class of the first value: (|1 - 1/3| + |1 - 2/3|) / 2
    0.5
    """
    overall = confidential.overall
    q = max(size or 0, len(overall))
    if q < 2:
        return 0.0
    worst, n_classes = 0.0, len(confidential.sizes)
    block = max(1, BLOCK // q)
    for start in range(0, n_classes, block):
        stop = min(start + block, n_classes)
        entries = slice(confidential.starts[start], confidential.starts[stop])
        table = np.zeros((stop - start, q))
        table[confidential.class_of_entry[entries] - start, confidential.values[entries]] = (
            confidential.shares[entries]
        )
        table[:, : len(overall)] -= overall
        worst = max(worst, float(np.abs(np.cumsum(table, axis=1)).sum(axis=1).max() / (q - 1)))
    return worst


def semantic_closeness(confidential: Confidential, distances: Float64) -> float:
    """t where `distances[v, w]` says how far apart values are in meaning: the greatest exact EMD of a class.

    Classes go by an upper bound, the cost of a greedy transport, and the search stops when no class can be
    worse than the worst so far.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> semantic_closeness(halves, np.array([[0, 0.5], [0.5, 0]]))
    0.25
    """
    if distances.min(initial=0.0) < 0 or distances.shape[0] < len(confidential.overall):
        raise OntomaskError(
            "t-closeness needs a distance of at least 0 between every two confidential values"
        )
    totals = np.bincount(confidential.values, confidential.counts).astype(np.int64)
    present = np.flatnonzero(totals)
    totals = totals[present]
    values = np.searchsorted(present, confidential.values)
    steps = np.rint(distances[np.ix_(present, present)] * GRID)
    starts, counts, n = confidential.starts, confidential.counts, int(totals.sum())
    scale = GRID * n * confidential.sizes
    bounds = greedy_costs(starts, values, counts, totals, steps) / scale
    worst = 0.0
    for c in np.argsort(-bounds, kind="stable"):
        if bounds[c] <= worst:
            break
        own = slice(starts[c], starts[c + 1])
        # Both histograms in whole units: a record of the class weighs n, one of the table the class's size.
        cost = transport_cost(counts[own] * n, totals * confidential.sizes[c], steps[values[own]])
        worst = max(worst, float(cost / scale[c]))
    return worst


def _equal_distances(confidential: Confidential) -> Float64:
    """1/2 sum |p - q| of every class: what it has too much of, summed over its own values."""
    if not len(confidential.counts):
        return np.zeros(0)
    surplus = np.maximum(confidential.shares - confidential.overall[confidential.values], 0)
    return np.add.reduceat(surplus, confidential.starts[:-1])
