"""Which sense of a word is meant, given the other values of its column.

`first` takes the most frequent sense, `explicit` leaves a word with several senses to a person, `coherent`
takes the sense nearest to the other values: a column of sports reads *squash* as a game. Rare senses must be
clearly nearer, or *house* would be a theatre among workplaces.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.measures import measure
from ontomask.ontology.core import Ontology

SensePolicy = Literal["coherent", "first", "explicit"]
_ROUNDS = 20
# Mean logsc distance that the second sense must gain over the first; the fourth must gain twice as much.
_RARITY = 0.15


def coherent_senses(ontology: Ontology, candidates: list[Int32]) -> tuple[list[int], list[float]]:
    """For each value the position of its sense in `candidates`, and how sure that is (0.5 .. 1).

    A sense costs its mean logsc distance to the other values plus `0.15 log2(r)` for the r-th sense. First
    another value stands for its nearest sense, then, repeated until it holds, for the sense chosen. Ties go
    to the more frequent sense.
    """
    n = len(candidates)
    if n < 2:
        return [0] * n, [1.0] * n
    counts = [len(senses) for senses in candidates]
    owner = np.repeat(np.arange(n), counts)
    first = np.searchsorted(owner, np.arange(n))
    rarity = _RARITY * np.log2(np.arange(len(owner)) - first[owner] + 1)
    flat = np.concatenate(candidates)
    distances = measure("logsc").matrix(ontology, flat, flat)

    def best(to_values: Float64) -> Int64:
        cost = _mean_to_others(to_values, owner) + rarity
        return np.lexsort((np.arange(len(owner)), cost, owner))[first]

    chosen = best(np.minimum.reduceat(distances, first, axis=1))
    for _ in range(_ROUNDS):
        again = best(distances[:, chosen])
        if np.array_equal(again, chosen):
            break
        chosen = again
    cost = _mean_to_others(distances[:, chosen], owner) + rarity
    cost_of_choice = cost[chosen]
    cost[chosen] = np.inf
    lead = np.minimum(np.minimum.reduceat(cost, first) - cost_of_choice, 0.5)  # over the runner-up
    return (chosen - first).tolist(), (0.5 + lead).tolist()


def _mean_to_others(to_values: Float64, owner: Int64) -> Float64:
    """Mean distance of every sense to the values other than its own."""
    own = to_values[np.arange(len(owner)), owner]
    mean: Float64 = (to_values.sum(axis=1) - own) / (to_values.shape[1] - 1)
    return mean
