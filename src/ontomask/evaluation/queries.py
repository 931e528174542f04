"""The error of aggregate queries: what an analyst counts on a release, beside what the table says.

A query asks how many people have related values in one to three columns: numbers in a range, words near one
another in meaning. On a release, each of the values that a masked one may stand for is taken as equally
likely (LeFevre, DeWitt and Ramakrishnan 2006; Xiao and Tao 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Float64, Int32
from ontomask.attributes import Attribute
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure, Subject

QUERIES = 200
_MOST_COLUMNS = 3
_SELECTED = 0.1  # of the people, if columns were independent and values equally frequent
_FEW = 1000  # values of a column, of which what was drawn is kept
_LEAST_COUNTED = 0.001  # of the people: an error in fewer is taken as one in so many


def query_errors(view: ReleaseView, rng: np.random.Generator, queries: int = QUERIES) -> dict[str, float]:
    """Mean and median relative error of random queries, in percent::

        error = 100 |estimate - count| / max(count, n / 1000, 1)

        count    = sum over original tuples t of  n_t prod_j [ t_j is wanted ]
        estimate = sum over masked tuples t of    n_t prod_j share_j(t_j)

    with share_j of a masked value as its attribute tells it (`Attribute.shares`).

    >>> from ontomask.attributes import Numeric, Tuples
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 1]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    >>> untouched = ReleaseView(table, [age], Pairs.of_rows(np.arange(3), age.own[:, None]))
    >>> query_errors(untouched, np.random.default_rng(0))
    {'query_error': 0.0, 'query_error_median': 0.0}
    """
    tuples, pairs, attributes = view.tuples, view.pairs, view.attributes
    asked = [j for j, a in enumerate(attributes) if a.size > (a.missing >= 0)]  # those that have a value
    columns = {j: _Column(attributes[j], pairs.values[:, j]) for j in asked}
    errors = np.zeros(queries if asked else 1)
    for i in range(queries if asked else 0):
        chosen = rng.permutation(asked)[: rng.integers(1, min(_MOST_COLUMNS, len(asked)) + 1)]
        before = tuples.counts.astype(np.float64)
        after = pairs.class_sizes.astype(np.float64)
        for j in chosen.tolist():
            wanted, shares = columns[j].drawn(_SELECTED ** (1 / len(chosen)), rng)
            before = before * wanted[tuples.codes[:, j]]
            after = after * shares
        counted, estimated = float(before.sum()), float(after.sum())
        errors[i] = 100 * abs(estimated - counted) / max(counted, _LEAST_COUNTED * tuples.n, 1.0)
    return {"query_error": float(errors.mean()), "query_error_median": float(np.median(errors))}


class _Column:
    """Values of a column that are wanted together, and what a release says of them."""

    def __init__(self, attribute: Attribute, released: Int32) -> None:
        self.attribute = attribute
        self.present = np.flatnonzero(np.arange(attribute.size) != attribute.missing).astype(np.int32)
        self.replacements, self.place = np.unique(released, return_inverse=True)
        # Of few values, most are drawn more than once.
        has_few = max(attribute.size, len(self.replacements)) <= _FEW
        self._wanted = lru_cache(None if has_few else 0)(self._related)

    def drawn(self, share: float, rng: np.random.Generator) -> tuple[Bool, Float64]:
        """A value drawn at random and those nearest to it, so large a share of the column's values; and of
        every masked tuple the share of these in what its value may stand for."""
        middle = int(rng.integers(len(self.present)))
        wanted, shares = self._wanted(middle, max(1, round(share * len(self.present))))
        return wanted, shares[self.place]

    def _related(self, middle: int, number: int) -> tuple[Bool, Float64]:
        attribute, present = self.attribute, self.present
        distances = attribute.distance(present, np.full(len(present), attribute.own[present[middle]]))
        wanted = np.zeros(attribute.size, bool)
        wanted[present[np.argsort(distances, kind="stable")[:number]]] = True
        return wanted, attribute.shares(wanted, self.replacements)


def _figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, float]:
    return query_errors(subject.view, subject.rng)


AGGREGATES = Family(
    _figures,
    (
        Figure(
            "query_error",
            "Error of counts",
            "%",
            f"mean relative error of {QUERIES} random counts of people with related values",
        ),
        Figure("query_error_median", "Error of counts, median", "%", "half of them are off by less"),
    ),
)
