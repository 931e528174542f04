"""Which sense of a word is meant, given the other values of its column.

`first` takes the most frequent sense, `explicit` leaves a word with several senses to a person, `coherent`
takes the sense nearest to the other values: a column of sports reads *squash* as a game. Rare senses must be
clearly nearer, or *house* would be a theatre among workplaces.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import Literal

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.measures import measure
from ontomask.ontology.core import Ontology

SensePolicy = Literal["coherent", "first", "explicit"]
_ROUNDS = 20
_MOST_AT_ONCE = 1 << 22  # distances
# Mean logsc distance that the second sense must gain over the first; the fourth must gain twice as much.
_RARITY = 0.15


def coherent_senses(ontology: Ontology, candidates: list[Int32]) -> tuple[list[int], list[float]]:
    """For each value the position of its sense in `candidates`, and how sure that is (0.5 .. 1).

    A sense costs its mean logsc distance to the other values plus `0.15 log2(r)` for the r-th sense. First
    another value stands for its nearest sense, then, repeated until it holds, for the sense chosen. Ties go
    to the more frequent sense.
    """
    n = len(candidates)
    counts = np.array([len(senses) for senses in candidates])
    if n < 2 or counts.max() == 1:
        return [0] * n, [1.0] * n
    owner = np.repeat(np.arange(n), counts)
    first = np.searchsorted(owner, np.arange(n))
    rarity = _RARITY * np.log2(np.arange(len(owner)) - first[owner] + 1)
    flat = np.concatenate(candidates)
    doubtful = np.flatnonzero(counts[owner] > 1)
    step = max(1, _MOST_AT_ONCE // len(flat))

    @lru_cache(maxsize=1)  # of few words all are kept, of many a block at a time
    def distances(start: int) -> Float64:
        return measure("logsc").matrix(ontology, flat[doubtful[start : start + step]], flat)

    def costs(to_values: Callable[[Float64], Float64]) -> Float64:
        """Of every sense of a word that has several."""
        cost = np.zeros(len(owner))
        for start in range(0, len(doubtful), step):
            rows = doubtful[start : start + step]
            cost[rows] = _mean_to_others(to_values(distances(start)), owner[rows]) + rarity[rows]
        return cost

    def best(cost: Float64) -> Int64:
        return np.lexsort((np.arange(len(owner)), cost, owner))[first]

    chosen = best(costs(lambda table: np.minimum.reduceat(table, first, axis=1)))
    for _ in range(_ROUNDS):
        cost = costs(itemgetter((slice(None), chosen)))
        again = best(cost)
        if np.array_equal(again, chosen):
            break
        chosen = again
    else:
        cost = costs(itemgetter((slice(None), chosen)))
    cost_of_choice = cost[chosen]
    cost[chosen] = np.inf
    lead = np.minimum(np.minimum.reduceat(cost, first) - cost_of_choice, 0.5)  # over the runner-up
    return (chosen - first).tolist(), (0.5 + lead).tolist()


def _mean_to_others(to_values: Float64, owner: Int64) -> Float64:
    """Mean distance of every sense to the values other than its own."""
    own = to_values[np.arange(len(owner)), owner]
    mean: Float64 = (to_values.sum(axis=1) - own) / (to_values.shape[1] - 1)
    return mean
