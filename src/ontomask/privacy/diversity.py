"""l-diversity (Machanavajjhala et al. 2007): every class has several well-represented confidential values."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import OntomaskError
from ontomask.privacy.confidential import Confidential


def distinct_diversity(confidential: Confidential) -> int:
    """The largest l for distinct l-diversity: the fewest distinct values of a class.

    >>> distinct_diversity(Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.ones(4, int)))
    1
    """
    return int(np.diff(confidential.starts).min(initial=len(confidential.values)))


def entropy_diversity(confidential: Confidential) -> float:
    """The largest l for entropy l-diversity: ``exp(min over classes of -sum p ln p)``.

    >>> halves = Confidential.of(np.zeros(4, int), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> round(entropy_diversity(halves), 6)
    2.0
    """
    if not len(confidential.counts):
        return 0.0
    p = confidential.shares
    entropies = np.bincount(confidential.class_of_entry, -p * np.log(p))
    return float(np.exp(entropies.min()))


def recursive_diversity(confidential: Confidential, c: float) -> int:
    """The largest l for recursive (c, l)-diversity: ``r_1 < c (r_l + r_(l+1) + ... + r_m)`` in every class.

    r_i is the count of a class's i-th most frequent value. 0: not even l = 1 holds.

    >>> recursive_diversity(Confidential.of(np.zeros(3, int), np.arange(3), np.array([4, 3, 2])), c=2)
    2
    """
    if c <= 0:
        raise OntomaskError(f"c of recursive (c, l)-diversity must be more than 0, not {c}")
    if not len(confidential.counts):
        return 0
    first, tails = _tails(confidential)
    holds = first[confidential.class_of_entry] < c * tails
    return int(np.add.reduceat(holds, confidential.starts[:-1], dtype=np.int64).min())


def recursive_c(confidential: Confidential, l: int) -> float:  # noqa: E741 - the paper's name
    """The bound that c must exceed for recursive (c, l)-diversity: the greatest ``r_1 / (r_l + ... + r_m)``.

    Infinite where a class has fewer than l values.

    >>> recursive_c(Confidential.of(np.zeros(3, int), np.arange(3), np.array([4, 3, 2])), l=2)
    0.8
    """
    lengths = np.diff(confidential.starts)
    if not len(lengths):
        return 0.0
    if lengths.min() < l:
        return float("inf")
    first, tails = _tails(confidential)
    return float((first / tails[confidential.starts[:-1] + l - 1]).max())


def _tails(confidential: Confidential) -> tuple[Float64, Float64]:
    """Per class its greatest count; per entry, counts in falling order, the sum from it to the last."""
    starts, of_class = confidential.starts, confidential.class_of_entry
    counts = confidential.counts[np.lexsort((-confidential.counts, of_class))]
    sums = np.append(0, np.cumsum(counts))
    return counts[starts[:-1]].astype(np.float64), (sums[starts[1:]][of_class] - sums[:-1]).astype(np.float64)
