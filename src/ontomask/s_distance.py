"""The S-distance between records over words and numbers (Domingo-Ferrer, Sanchez & Rufian-Torrell 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Float64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.distribution import Distribution, Scaling


@dataclass(frozen=True, eq=False)
class SDistance:
    """The S-distance of a table: per attribute the variance of two records alone over that of all.

    ``delta(x1, x2) = sqrt( sum_l S2_12^l / S2^l )``: S2_12 is d(x1, x2) for words and (x1 - x2)^2 / 2 for
    numbers, S2 the variance of the data set, ``sum (x - mean)^2 / (n - 1)`` for numbers. A constant attribute
    adds nothing; what the others add is multiplied by their weights.

    As published, the variance of words sums n - 1 distances and grows with n, so words hardly count on large
    data (`scaling="published"`); `balanced` divides it by n - 1: the mean distance of two records.

    A missing value is as far from any other as values can be, and S2 is over the n records that have one:
    how many do not says nothing of how far apart two people are. Where these all have the same value, what
    two records can differ by is that one has it and the other none, and S2 is S2_12 of them. Numbers that a
    hierarchy compares have a distance from 0 to 1, to which their own variance says nothing: S2 is 1.

    >>> from ontomask.attributes import Numeric
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 40.0]), np.array([1, 1, 1]))
    >>> delta = SDistance.of(Tuples(np.arange(3, dtype=np.int32)[:, None], np.array([1, 1, 1])), [age])
    >>> delta.variances.tolist(), delta.weights.tolist()
    ([100.0], [2.0])
    """

    attributes: Sequence[Attribute]
    variances: Float64

    @classmethod
    def of(cls, tuples: Tuples, attributes: Sequence[Attribute], scaling: Scaling = "balanced") -> SDistance:
        """With the variances of this table."""
        variances = np.ones(len(attributes))
        for j, attribute in enumerate(attributes):
            column = Distribution.of(attribute, tuples.codes[:, j], tuples.counts)
            if attribute.line is not None or column.numbers is None:
                variances[j] = _variance(column, tuples.n, scaling)
        return cls(attributes, variances)

    @property
    def weights(self) -> Float64:
        """What the distance of words, and the squared distance of numbers, is multiplied by::

        w_l / S2              words
        w_l unit^2 / (2 S2)   numbers, whose distance is the difference over a unit
        0                     a constant attribute
        """
        pairs = np.array([1.0 if a.line is None else a.line.unit**2 / 2 for a in self.attributes])
        own = np.array([attribute.weight for attribute in self.attributes])
        found: Float64 = np.divide(own * pairs, self.variances, np.zeros(len(own)), where=self.variances > 0)
        return found


def _variance(column: Distribution, n: int, scaling: Scaling) -> float:
    """S2 of a column of which n records have a value or none; 0 if all have the same."""
    line, others = column.attribute.line, max(column.n - 1, 1)
    if np.count_nonzero(column.counts) > 1:
        spread = column.variance if line is None else column.variance * column.n / others
    elif 0 < column.n < n:
        spread = column.attribute.maximum if line is None else (line.far * line.unit) ** 2 / 2
    else:
        return 0.0
    return spread * others if line is None and scaling == "published" else spread
