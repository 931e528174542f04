"""What an intruder learns of a confidential column from a person's class alone: the attacks, carried out.

Homogeneity (Machanavajjhala et al. 2007), skewness and similarity (Li, Li, Venkatasubramanian 2007), each on
the classes of the release and on those of the original table. The other way round, who is found by whoever
knows the confidential value as well. Integers only: nobody is found or named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Float64, Int64
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import Confidential

_TIMES = 2  # surer than before by this much is much surer
_BLOCK = 4_000_000  # distances that are looked at together


def attack_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, float]:
    """Every attack on every confidential column, after and, names with `_before`, before masking."""
    figures: dict[str, float] = {}
    for column in subject.confidential:
        for when, spread in (("", column.spread), ("_before", column.before)):
            if spread is not None:
                figures |= {f"{name}{when}.{column.name}": value for name, value in attacks(spread).items()}
        if written := column.as_written:  # who knows a word looks for it, and not for what it means
            for when, spread in (("", written.spread), ("_before", written.before)):
                if spread is not None:
                    figures[f"alone_if_known{when}.{column.name}"] = alone_if_known(spread)
    return figures


def attacks(spread: Confidential) -> dict[str, float]:
    """What each attack yields; shares of people in percent. `similarity` needs values that can be compared.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]), np.ones(4, int))
    >>> found = attacks(halves)  # 0 and 0 in one class; 1 and 2 in the other
    >>> found["homogeneity"], found["skewness"], found["largest_gain"], found["guessed"]
    (50.0, 100.0, 2.0, 75.0)
    >>> found["alone_if_known"]  # who has 1 and who has 2
    50.0
    """
    n = max(int(spread.sizes.sum()), 1)
    found = {
        "homogeneity": 100 * int(spread.sizes[np.diff(spread.starts) == 1].sum()) / n,
        "skewness": 100 * int(spread.counts[surer(spread)].sum()) / n,
        "largest_gain": float((spread.shares / spread.overall[spread.values]).max(initial=0.0)),
        "guessed": 100 * float(spread.most_of_class(spread.counts.astype(np.float64)).sum()) / n,
        "alone_if_known": alone_if_known(spread),
    }
    if spread.domain is not None and (spread.domain.is_ordered or spread.domain.distances is not None):
        told = people_of_meaning(spread) * _TIMES <= spread.totals.sum()
        found["similarity"] = 100 * int(spread.sizes[told].sum()) / n
    return found


def alone_if_known(spread: Confidential) -> float:
    """People whom nobody of their class shares the value with, in percent: to who knows both they stand out.

    k counts the rows of a class, and says nothing of this.
    """
    return 100 * int((spread.counts == 1).sum()) / max(int(spread.sizes.sum()), 1)


def surer(spread: Confidential) -> Bool:
    """Per entry, whether its value is twice as frequent in its class as overall, or more: ``q >= 2 p``."""
    q = spread.counts * spread.totals.sum()
    p = spread.totals[spread.values] * spread.sizes[spread.class_of_entry]
    return np.asarray(q >= _TIMES * p)


def people_of_meaning(spread: Confidential) -> Int64:
    """Per class, how many of all people have a value within the meaning that its values have in common.

    Of ordered values these are all from the lowest to the highest of the class. Of others, all that are no
    farther from any value of the class than its values are from one another,
    ``{w : max_v d(v, w) <= max_(u, v) d(u, v)}``: in a tree whose leaves are equally deep, the leaves under
    what the values are in common.

    >>> from ontomask.attributes import Domain
    >>> pay, ranks = np.array([0, 2, 1, 2]), Domain("pay", 3, is_ordered=True)
    >>> people_of_meaning(Confidential.of(np.array([0, 0, 1, 1]), pay, np.ones(4, int), ranks)).tolist()
    [4, 3]
    """
    assert spread.domain is not None
    if not len(spread.counts):
        return np.zeros(0, np.int64)
    if spread.domain.is_ordered:
        up_to = np.append(0, np.cumsum(spread.totals))
        lowest = np.minimum.reduceat(spread.values, spread.starts[:-1])
        highest = np.maximum.reduceat(spread.values, spread.starts[:-1])
        return np.asarray(up_to[highest + 1] - up_to[lowest])
    distances = spread.domain.distances
    assert distances is not None
    among = distances[:, : len(spread.totals)]
    return np.concatenate([_people_within(spread, among, *some) for some in _blocks(spread, among)])


def _people_within(spread: Confidential, distances: Float64, first: int, last: int) -> Int64:
    """The same for the classes from `first` to before `last`."""
    entries = slice(spread.starts[first], spread.starts[last])
    own, of_class = spread.values[entries], spread.class_of_entry[entries] - first
    starts = spread.starts[first:last] - spread.starts[first]
    farthest = np.maximum.reduceat(distances[own], starts)
    width = np.maximum.reduceat(farthest[of_class, own], starts)
    return np.asarray(np.where(farthest <= width[:, None], spread.totals, 0).sum(axis=1))


def _blocks(spread: Confidential, distances: Float64) -> Iterator[tuple[int, int]]:
    """Runs of classes that have so many distances together, or one class."""
    most, first = max(1, _BLOCK // distances.shape[1]), 0
    while first < len(spread.sizes):
        last = int(np.searchsorted(spread.starts, spread.starts[first] + most, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


_SURE = "people whose value is known to who knows their masked values: their whole class has it"
_SKEWED = "people whose own value is at least twice as frequent in their class as among all"
_GAINED = "how many times as frequent a value is, in some class, as among all; 1 is no gain"
_SIMILAR = "people whose class has values of one meaning only, which at most half of all people have"
_GUESSED = "people whose value is guessed right as the most frequent one of their class"
_ALONE = "people who are the only one of their class with their value: who knows it too finds their row"

ATTACKS = Family(
    attack_figures,
    (
        Figure("homogeneity.A", "Known without being found (homogeneity)", "%", _SURE),
        Figure("homogeneity_before.A", "Known without being found before", "%", _SURE),
        Figure("skewness.A", "Much surer than before (skewness)", "%", _SKEWED),
        Figure("skewness_before.A", "Much surer than before masking", "%", _SKEWED),
        Figure("largest_gain.A", "Largest gain", "", _GAINED),
        Figure("largest_gain_before.A", "Largest gain before", "", _GAINED),
        Figure("similarity.A", "Known by meaning (similarity)", "%", _SIMILAR),
        Figure("similarity_before.A", "Known by meaning before", "%", _SIMILAR),
        Figure("guessed.A", "Guessed right by the class", "%", _GUESSED),
        Figure("guessed_before.A", "Guessed right by the class before", "%", _GUESSED),
        Figure("alone_if_known.A", "Found by who also knows the value", "%", _ALONE),
        Figure("alone_if_known_before.A", "Found by who also knows the value before", "%", _ALONE),
    ),
    needs=("confidential",),
)
