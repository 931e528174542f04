"""How much more is known of a record's class once its value is made more specific (document 003, eq. 3.3.1).

The classes are those of a target column; where there is none, every value is its own class. Gains are on the
grid of 2^-30, so that equal ones tie. Counts only.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, Int64, Integers
from ontomask.measures.base import on_grid


def entropies(counts: Integers | Float64) -> Float64:
    """``E = -sum_c p_c log2 p_c`` in bits, over the last axis of counts; 0 where there is no record.

    >>> entropies(np.array([[1, 1], [4, 0]])).tolist()
    [1.0, 0.0]
    """
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.maximum(totals, 1)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Float64 = np.abs((shares * logs).sum(axis=-1))  # no minus before a zero
    return found


def info_gain(children: Int64) -> float:
    """``InfoGain(v) = E(T[v]) - sum_c |T[c]| / |T[v]| E(T[c])``; `children[c, class]` records.

    With one class alone there is no target, and it is ``E`` of the sizes of the children: how many bits tell
    which of them a record has.

    >>> info_gain(np.array([[4, 0], [0, 4]])), info_gain(np.array([[2, 2], [1, 1]]))
    (1.0, 0.0)
    """
    sizes = children.sum(axis=1)
    if children.shape[1] == 1:
        return float(on_grid(entropies(sizes)))
    gained = entropies(children.sum(axis=0)) - (sizes * entropies(children)).sum() / max(sizes.sum(), 1)
    return float(on_grid(gained))


def gains_of_splits(counts: Int64) -> Float64:
    """The InfoGain of every binary split of values in order: of the first value from the others, and so on.

    `counts[v, class]` records have value v.

    >>> gains_of_splits(np.array([[2, 0], [0, 1], [0, 1]])).round(3).tolist()
    [1.0, 0.311]
    """
    left = np.cumsum(counts, axis=0)[:-1]
    right = counts.sum(axis=0) - left
    sizes = np.stack([left.sum(axis=1), right.sum(axis=1)], axis=1)
    if counts.shape[1] == 1:
        return on_grid(entropies(sizes))
    within = (sizes * np.stack([entropies(left), entropies(right)], axis=1)).sum(axis=1)
    return on_grid(entropies(counts.sum(axis=0)) - within / max(counts.sum(), 1))
