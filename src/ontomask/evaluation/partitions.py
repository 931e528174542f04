"""How much two partitions of the same records agree: partition distance, Rand, adjusted Rand, NMI.

All follow from the contingency table, whose cells may be given as entries with counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64


def partition_agreement(
    a: npt.NDArray[np.integer], b: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]
) -> dict[str, float]:
    """Agreement of two partitions: `counts[e]` records are in class `a[e]` of A and `b[e]` of B.

    With I the Shannon information of a partition, I(A^B) that of the joint one, and pairs of records that are
    together in both (s), in A (sA), in B (sB), of N::

        partition_distance = (2 I(A^B) - I(A) - I(B)) / I(A^B)      0: the same, 1: nothing in common
        rand               = (N + 2 s - sA - sB) / N
        adjusted_rand      = (s - sA sB/N) / ((sA + sB)/2 - sA sB/N)
        nmi                = 2 (I(A) + I(B) - I(A^B)) / (I(A) + I(B))

    >>> one, other = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> partition_agreement(one, other, np.ones(4, int))["partition_distance"]
    1.0
    >>> partition_agreement(one, one, np.ones(4, int))
    {'partition_distance': 0.0, 'rand': 1.0, 'adjusted_rand': 1.0, 'nmi': 1.0}
    """
    rows = np.unique(a, return_inverse=True)[1]
    columns = np.unique(b, return_inverse=True)[1]
    cells = np.unique(rows * (columns.max(initial=0) + 1) + columns, return_inverse=True)[1]
    of_a, of_b, of_both = (np.bincount(x, counts).astype(np.float64) for x in (rows, columns, cells))
    info_a, info_b, info_both = (_information(x) for x in (of_a, of_b, of_both))
    same_a, same_b, same_both = (_pairs(x) for x in (of_a, of_b, of_both))
    n_pairs = _pairs(np.array([counts.sum()], np.float64))
    chance = same_a * same_b / n_pairs if n_pairs else 0.0
    possible = (same_a + same_b) / 2 - chance
    total = info_a + info_b
    return {
        "partition_distance": max((2 * info_both - total) / info_both, 0.0) if info_both else 0.0,
        "rand": (n_pairs + 2 * same_both - same_a - same_b) / n_pairs if n_pairs else 1.0,
        "adjusted_rand": (same_both - chance) / possible if possible else 1.0,
        "nmi": 2 * (total - info_both) / total if total else 1.0,
    }


def _information(counts: Float64) -> float:
    """Shannon information -sum p ln p."""
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log(p)).sum()) if len(p) > 1 else 0.0


def _pairs(counts: Float64) -> float:
    """Pairs of records within each class, summed."""
    return float((counts * (counts - 1)).sum() / 2)
