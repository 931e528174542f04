"""t-closeness (Li, Li, Venkatasubramanian 2007): confidential values are spread in each class as overall.

The distance of a class to the whole table is the earth mover's distance, exact for each of the three ground
distances: equal, ordered, and semantic (any matrix of distances between values).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from ontomask.arrays import Bool, Float64
from ontomask.attributes import Domain
from ontomask.errors import OntomaskError
from ontomask.measures.base import GRID
from ontomask.privacy._kernels import greedy_costs, least_costs, transport_cost
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.requirement import SLACK, Blank, Classes, Requirement, by_column, number, one_way

Ground = Literal["equal", "ordered", "semantic"]


@dataclass(frozen=True)
class Closeness(Requirement):
    """In every class the values of a confidential column are spread as in the whole release, but for t.

    The earth mover's distance counts steps of rank for numbers and ordered categories, equally far values
    for words, and distances in meaning if `semantic` is asked for.

    >>> Closeness.parse({"pay": 0.2, "illness": {"semantic": 0.15}})
    (Closeness(column='pay', t=0.2, ground=None), Closeness(column='illness', t=0.15, ground='semantic'))
    """

    key: ClassVar[str] = "t"
    is_bound: ClassVar[bool] = True
    is_relative: ClassVar[bool] = True
    attack: ClassVar[str] = (
        "skewness: a value is far more frequent in a group than overall; similarity, if semantic: the values "
        "of a group are different words for much the same"
    )
    forms: ClassVar[Mapping[str, str]] = {
        "t: {income: 0.2}": "a distance of 0.2 at most (0: spread alike; 1: nothing in common): by rank for "
        "numbers and ordered categories, else every two values are equally far apart",
        "t: {diagnosis: {semantic: 0.2}}": "by how far values are apart in meaning; the column needs an "
        "`ontology`",
        "t: {income: {equal: 0.2}}": "every two values are equally far apart, be they numbers",
    }
    title: ClassVar[str] = "Every group is spread like the whole table"
    is_of_columns: ClassVar[bool] = True
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("", "How far a group may be from the whole: 0 is spread alike, 1 nothing in common", "0.2"),
    )
    ways: ClassVar[Mapping[str, str]] = {
        "": "numbers by their order, words all equally far apart",
        "semantic": "words by how far apart their meanings are",
        "equal": "all values equally far apart",
    }
    column: str
    t: float
    ground: Ground | None = None

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        return by_column(value, "{income: 0.2}", cls._read)

    @classmethod
    def _read(cls, column: str, value: Any) -> Self:
        ground, asked = one_way(value, ("equal", "ordered", "semantic"))
        return cls(column, number(asked, "t", 0, 1), cast("Ground | None", ground))

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def asked(self) -> float:
        return self.t

    def measured(self, classes: Classes) -> Float64:
        spread = classes.beside[self.column]
        ground = self.ground_of(spread.domain)
        if ground == "semantic":
            return _Transports(spread, semantic_distances(spread)).costs()
        return ordered_distances(spread) if ground == "ordered" else equal_distances(spread)

    def violations(self, classes: Classes) -> Bool:
        """Exact transports are costly: bounds from below and above settle most classes."""
        spread = classes.beside[self.column]
        if self.ground_of(spread.domain) != "semantic":
            return super().violations(classes)
        return _Transports(spread, semantic_distances(spread)).exceed(self.t + SLACK)

    def excess(self, classes: Classes) -> Float64:
        """By the greedy transport, which costs no less: to compare classes, that is good enough."""
        spread = classes.beside[self.column]
        if self.ground_of(spread.domain) != "semantic":
            return super().excess(classes)
        beyond = _Transports(spread, semantic_distances(spread)).at_most() - self.t
        return np.where(beyond > SLACK, beyond / max(self.t, SLACK), 0.0)

    def reached(self, classes: Classes) -> float:
        """The same bounds rule out most classes as the worst one."""
        spread = classes.beside[self.column]
        if self.ground_of(spread.domain) != "semantic":
            return super().reached(classes)
        return _Transports(spread, semantic_distances(spread)).worst()

    def ground_of(self, domain: Domain | None) -> Ground:
        """The distance between values: as asked for, or as the column is."""
        is_ordered = domain is not None and domain.is_ordered
        return self.ground or ("ordered" if is_ordered else "equal")

    def __str__(self) -> str:
        return f"t = {self.t:g} of {self.column}" + (f", {self.ground}" if self.ground else "")


def semantic_distances(spread: Confidential) -> Float64:
    """Distances between the values of a column, which must be known."""
    if spread.domain is None or spread.domain.distances is None:
        raise OntomaskError(
            "t cannot be semantic: it needs words with an ontology, and not so many that their distances are "
            "too many to keep",
            key="privacy.t",
        )
    return spread.domain.distances


def equal_closeness(confidential: Confidential) -> float:
    """t where all values are equally far apart: ``max over classes of 1/2 sum_v |p_v - q_v|``.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> equal_closeness(halves)
    0.5
    """
    return float(equal_distances(confidential).max(initial=0.0))


def ordered_closeness(confidential: Confidential, size: int | None = None) -> float:
    """t where values are ranks 0..q-1: ``max over classes of 1/(q-1) sum_i |sum_(v<=i) (p_v - q_v)|``.

    `size` is q, if there are values that no record has.

    >>> thirds = Confidential.of(np.array([0, 1, 2]), np.array([0, 1, 2]), np.ones(3, int))
    >>> round(ordered_closeness(thirds), 6)  # the class of the first value: (|1 - 1/3| + |1 - 2/3|) / 2
    0.5
    """
    return float(ordered_distances(confidential, size).max(initial=0.0))


def ordered_distances(confidential: Confidential, size: int | None = None) -> Float64:
    """The ordered distance of every class to the whole, by rank among the values that the release has.

    The cumulated shares of a class are constant from one of its values to the next, and those of the whole
    never fall: so a run of ranks is two sums, up to where the whole overtakes the class and from there on.
    """
    there = confidential.totals > 0 if size is None else np.ones(len(confidential.totals), bool)
    shares = confidential.overall[there]
    q = max(size or 0, len(shares))
    if q < 2 or not len(confidential.counts):
        return np.zeros(len(confidential.sizes))
    whole = np.ones(q)
    whole[: len(shares)] = np.cumsum(shares)
    sums = np.append(0.0, np.cumsum(whole))
    starts, of_class = confidential.starts, confidential.class_of_entry
    values = (np.cumsum(there) - 1)[confidential.values]
    cumulated = np.append(0, np.cumsum(confidential.counts))
    height = (cumulated[1:] - cumulated[starts[:-1]][of_class]) / confidential.sizes[of_class]
    end = np.append(values[1:], q)
    end[starts[1:] - 1] = q
    overtaken = np.clip(np.searchsorted(whole, height), values, end)
    below = height * (overtaken - values) - (sums[overtaken] - sums[values])
    above = (sums[end] - sums[overtaken]) - height * (end - overtaken)
    before_first = sums[values[starts[:-1]]]
    found = (before_first + np.bincount(of_class, below + above)) / (q - 1)
    return np.where(found < SLACK, 0.0, found)  # what rounding leaves of two equal sums


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
    return _Transports(confidential, distances).worst()


class _Transports:
    """The classes of a release, and the transport of each into the whole, in whole units.

    A record of the class weighs n, one of the table the class's size.
    """

    def __init__(self, confidential: Confidential, distances: Float64) -> None:
        totals = confidential.totals
        present = np.flatnonzero(totals)
        self.totals = totals[present]
        self.values = np.searchsorted(present, confidential.values)
        self.steps = np.rint(distances[np.ix_(present, present)] * GRID)
        self.starts, self.counts, self.sizes = (
            confidential.starts,
            confidential.counts,
            confidential.sizes,
        )
        self.scale = GRID * int(self.totals.sum()) * confidential.sizes

    def at_most(self) -> Float64:
        """Per class the cost of a greedy transport."""
        costs: Float64 = greedy_costs(self.starts, self.values, self.counts, self.totals, self.steps)
        return costs / self.scale

    def at_least(self) -> Float64:
        """Per class a bound from below: all that is to arrive comes from the nearest value there is."""
        return least_costs(self.starts, self.values, self.totals, self.steps) * self.sizes / self.scale

    def cost(self, c: int) -> float:
        """The exact cost of a class."""
        own = slice(self.starts[c], self.starts[c + 1])
        n = int(self.totals.sum())
        cost = transport_cost(self.counts[own] * n, self.totals * self.sizes[c], self.steps[self.values[own]])
        return float(cost / self.scale[c])

    def costs(self) -> Float64:
        """The exact cost of every class."""
        return np.array([self.cost(c) for c in range(len(self.sizes))])

    def exceed(self, t: float) -> Bool:
        """Which classes cost more than t."""
        most = self.at_most()
        found: Bool = (most > t) & (self.at_least() > t)
        for c in np.flatnonzero((most > t) & ~found).tolist():
            found[c] = self.cost(c) > t
        return found

    def worst(self) -> float:
        """The greatest cost of a class: no other is looked at once none can be worse."""
        bounds = self.at_most()
        worst = 0.0
        for c in np.argsort(-bounds, kind="stable").tolist():
            if bounds[c] <= worst:
                break
            worst = max(worst, self.cost(c))
        return worst


def equal_distances(confidential: Confidential) -> Float64:
    """1/2 sum |p - q| of every class: what it has too much of, summed over its own values."""
    if not len(confidential.counts):
        return np.zeros(0)
    surplus = np.maximum(confidential.shares - confidential.overall[confidential.values], 0)
    return np.add.reduceat(surplus, confidential.starts[:-1])
