"""Statistics of words: mean, variance and covariance by marginality, and the S-distance between records.

Domingo-Ferrer, Sanchez, Rufian-Torrell 2013. The marginality of an element is the sum of its
distances to the others; everything runs over distinct values with counts, never over records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int32
from ontomask.attributes.base import Attribute, Tuples

Scaling = Literal["balanced", "published"]


def marginalities(distances: Float64, counts: npt.NDArray[np.integer]) -> Float64:
    """m of every distinct element: ``m(x_j) = sum over the other elements x_l of d(x_j, x_l)``.

    >>> marginalities(np.array([[0, 0.5], [0.5, 0]]), np.array([1, 3])).tolist()
    [1.5, 0.5]
    """
    sums: Float64 = distances @ counts
    return sums


def mean(marginality: Float64) -> int:
    """The nominal mean: the element of least marginality, ``argmin m(x_j)``; ties go to the first.

    Its number is ``marginality.min()``.
    """
    return int(np.argmin(marginality))


def variance(marginality: Float64, counts: npt.NDArray[np.integer]) -> float:
    """``S2 = 1/n sum_j m(x_j)``.

    >>> variance(np.array([1.5, 0.5]), np.array([1, 3]))
    0.75
    """
    return float(marginality @ counts / counts.sum())


def covariance(x: Float64, y: Float64, counts: npt.NDArray[np.integer]) -> float:
    """``S_XY = 1/n sum_j sqrt(m(x_j) m(y_j))``; entry e stands for `counts[e]` records.

    >>> covariance(np.array([4.0, 0.0]), np.array([1.0, 2.0]), np.array([1, 1]))
    1.0
    """
    return float(np.sqrt(x * y) @ counts / counts.sum())


def covariance_matrix(columns: Sequence[Float64], counts: npt.NDArray[np.integer]) -> Float64:
    """Variances on the diagonal, covariances off it; `columns[j][e]` is m of entry e in attribute j."""
    roots = np.sqrt(np.stack(columns))
    matrix: Float64 = (roots * counts) @ roots.T / counts.sum()
    return matrix


@dataclass(frozen=True, eq=False)
class SDistance:
    """The S-distance between records over words and numbers.

    ``delta(x1, x2) = sqrt( sum_l S2_12^l / S2^l )``: per attribute the variance of the pair alone, d(x1, x2)
    for words and (x1 - x2)^2 / 2 for numbers, over that of the data set, ``sum (x - mean)^2 / (n - 1)`` for
    numbers. A constant attribute adds nothing; what the others add is multiplied by their weights.

    As published, the variance of words sums n - 1 distances and grows with n, so words hardly count on large
    data (`scaling="published"`); `balanced` divides it by n - 1: the mean distance of two records.

    >>> from ontomask.attributes import Numeric
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 40.0]), np.array([1, 1, 1]))
    >>> delta = SDistance.of(Tuples(np.arange(3, dtype=np.int32)[:, None], np.array([1, 1, 1])), [age])
    >>> delta.variances.tolist(), delta.between(np.array([[0]]), np.array([[2]])).round(3).tolist()
    ([100.0], [1.414])
    """

    attributes: Sequence[Attribute]
    variances: Float64

    @classmethod
    def of(cls, tuples: Tuples, attributes: Sequence[Attribute], scaling: Scaling = "balanced") -> SDistance:
        """With the variances of this table."""
        variances = np.zeros(len(attributes))
        for j, attribute in enumerate(attributes):
            counts = np.bincount(tuples.codes[:, j], tuples.counts, minlength=attribute.size).astype(np.int64)
            spread = variance(attribute.marginalities(counts), counts)
            others = max(tuples.n - 1, 1)
            if attribute.line is not None:
                variances[j] = spread * tuples.n / others
            else:
                variances[j] = spread if scaling == "published" else spread / others
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

    def between(self, a: Int32, b: Int32) -> Float64:
        """Distance of tuple a[i] to tuple b[i], both rows of codes."""
        total = np.zeros(len(a))
        for j, attribute in enumerate(self.attributes):
            if self.variances[j] > 0:
                pairs = attribute.pair_variance(a[:, j], b[:, j])
                total += attribute.weight * pairs / self.variances[j]
        return np.sqrt(total)
