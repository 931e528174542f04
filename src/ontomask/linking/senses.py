"""Which sense of a word is meant, given the other values of its column.

`first` takes the most frequent sense, `explicit` leaves a word with several senses to a person, `coherent`
takes the sense nearest to the other values: a column of sports reads *squash* as a game. Rare senses must be
clearly nearer, or *house* would be a theatre among workplaces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.linking.anchors import Anchor
from ontomask.linking.places import neighbourhood
from ontomask.measures import measure
from ontomask.ontology.core import Ontology

SensePolicy = Literal["coherent", "first", "explicit"]
_ROUNDS = 20
_MOST_AT_ONCE = 1 << 22  # distances
# Mean logsc distance that the second sense must gain over the first; the fourth must gain twice as much.
_RARITY = 0.15
_MOST_LEAD = 0.5


# What a sense costs by its distance from what the column is about; less if only the other values told that.
_TIER_COST = np.array([0.0, 0.2, 0.35, 1.0])
_BY_VALUES = 0.2
_PLACE_COST = 0.6
_TOGETHER = 0.7  # share of the values that must lie in one place for others to stand out
_BESIDE_NAME = 0.6  # what the distance to the other values counts where the column's name has spoken


class Choice(NamedTuple):
    """The position of the sense chosen, its lead over the next best (0 .. 0.5), and how well it lies among
    the places that the other values are, compared with what is usual there (1 if these are no places)."""

    position: int
    lead: float
    neighbourhood: float = 1.0


def choices(candidates: list[Int32], anchor: Anchor, decided: Sequence[bool]) -> list[Choice]:
    """The sense of each value that is nearest to what the column is about and to the other values."""
    if not candidates:
        return []
    flat = np.concatenate(candidates)
    extra = _TIER_COST[anchor.tiers(flat)] * (1.0 if anchor.source == "name" else _BY_VALUES)
    extra[np.repeat(decided, [len(senses) for senses in candidates])] = 0.0
    lies = neighbourhood(anchor.ontology, candidates) if anchor.of_places else None
    if lies is not None:
        extra = extra + _PLACE_COST * (1 - lies)
    weight = _BESIDE_NAME if anchor.source == "name" else 1.0
    positions, leads = coherent_senses(anchor.ontology, candidates, extra, weight)
    if lies is None:
        return [Choice(position, lead) for position, lead in zip(positions, leads, strict=True)]
    starts = np.cumsum([0, *(len(senses) for senses in candidates[:-1])])
    own = lies[starts + positions]
    usual = float(np.median(own))
    return [
        Choice(position, lead, min(place / usual, 1.0) if usual >= _TOGETHER else 1.0)
        for position, lead, place in zip(positions, leads, own.tolist(), strict=True)
    ]


def coherent_senses(
    ontology: Ontology, candidates: list[Int32], extra: Float64 | None = None, weight: float = 1.0
) -> tuple[list[int], list[float]]:
    """For each value the position of its sense in `candidates`, and its lead over the next (0 .. 0.5).

    A sense costs `weight` times its mean logsc distance to the other values plus `0.15 log2(r)` for the r-th
    sense, plus what is `extra` for each sense, one value after the other. First another value stands for its
    nearest sense, then, repeated until it holds, for the sense chosen. Ties go to the more frequent sense.
    """
    n = len(candidates)
    counts = np.array([len(senses) for senses in candidates])
    if not n or counts.max() == 1:
        return [0] * n, [_MOST_LEAD] * n
    owner = np.repeat(np.arange(n), counts)
    first = np.searchsorted(owner, np.arange(n))
    rarity = _RARITY * np.log2(np.arange(len(owner)) - first[owner] + 1)
    if extra is not None:
        rarity = rarity + extra
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
            mean = _mean_to_others(to_values(distances(start)), owner[rows])
            cost[rows] = weight * mean + rarity[rows]
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
    lead = np.minimum(np.minimum.reduceat(cost, first) - cost_of_choice, _MOST_LEAD)  # over the runner-up
    return (chosen - first).tolist(), lead.tolist()


def _mean_to_others(to_values: Float64, owner: Int64) -> Float64:
    """Mean distance of every sense to the values other than its own."""
    own = to_values[np.arange(len(owner)), owner]
    mean: Float64 = (to_values.sum(axis=1) - own) / max(to_values.shape[1] - 1, 1)
    return mean
