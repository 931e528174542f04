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

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric

Scaling = Literal["balanced", "published"]
BLOCK = 1024


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


def concept_marginalities(attribute: Nominal, concepts: Int32, counts: Int64) -> Float64:
    """m of each of the concepts (-1: missing, at the maximum from all else), block by block."""
    known = np.flatnonzero(concepts >= 0)
    lost = float(counts.sum() - counts[known].sum())
    out = np.full(len(concepts), attribute.maximum * (float(counts.sum()) - lost))
    for start in range(0, len(known), BLOCK):
        rows = known[start : start + BLOCK]
        table = attribute.measure.matrix(attribute.ontology, concepts[rows], concepts[known])
        out[rows] = marginalities(table, counts[known]) + attribute.maximum * lost
    return out


def number_marginalities(numbers: Float64, counts: Int64) -> Float64:
    """What stands in for m where values are numbers: ``(x_j - mean)^2``, so that S2 is their variance.

    A missing number has no part: 0.
    """
    known = ~np.isnan(numbers)
    if not counts[known].sum():
        return np.zeros(len(numbers))
    centre = np.average(numbers[known], weights=counts[known])
    squares: Float64 = np.nan_to_num((numbers - centre) ** 2)
    return squares


def attribute_marginalities(attribute: Attribute, counts: Int64) -> Float64:
    """m of every code of an attribute; `counts[code]` records have it."""
    if isinstance(attribute, Nominal):
        return concept_marginalities(attribute, attribute.concepts, counts)
    assert isinstance(attribute, Numeric)
    return number_marginalities(attribute.numbers, counts)


@dataclass(frozen=True, eq=False)
class SDistance:
    """The S-distance between records over words and numbers.

    ``delta(x1, x2) = sqrt( sum_l S2_12^l / S2^l )``: per attribute the variance of the pair alone, d(x1, x2)
    for words and (x1 - x2)^2 / 2 for numbers, over that of the data set, ``sum (x - mean)^2 / (n - 1)`` for
    numbers. A constant attribute adds nothing.

    As published, the variance of words sums n - 1 distances and grows with n, so words hardly count on large
    data (`scaling="published"`); `balanced` divides it by n - 1: the mean distance of two records.
    """

    attributes: Sequence[Attribute]
    variances: Float64

    @classmethod
    def of(cls, tuples: Tuples, attributes: Sequence[Attribute], scaling: Scaling = "balanced") -> SDistance:
        """With the variances of this table."""
        variances = np.zeros(len(attributes))
        for j, attribute in enumerate(attributes):
            counts = np.bincount(tuples.codes[:, j], tuples.counts, minlength=attribute.size).astype(np.int64)
            spread = variance(attribute_marginalities(attribute, counts), counts)
            others = max(tuples.n - 1, 1)
            if isinstance(attribute, Numeric):
                variances[j] = spread * tuples.n / others
            else:
                variances[j] = spread if scaling == "published" else spread / others
        return cls(attributes, variances)

    def between(self, a: Int32, b: Int32) -> Float64:
        """Distance of tuple a[i] to tuple b[i], both rows of codes."""
        total = np.zeros(len(a))
        for j, attribute in enumerate(self.attributes):
            if self.variances[j] > 0:
                total += pair_variances(attribute, a[:, j], b[:, j]) / self.variances[j]
        return np.sqrt(total)


def pair_variances(attribute: Attribute, a: Int32, b: Int32) -> Float64:
    """S2 over the pair of codes alone: d(x1, x2) for words, ``(x1 - x2)^2 / 2`` for numbers."""
    if isinstance(attribute, Nominal):
        return attribute.to_masked(b, attribute.as_masked(a))
    assert isinstance(attribute, Numeric)
    x, y = attribute.numbers[a], attribute.numbers[b]
    apart = np.where(np.isnan(x) != np.isnan(y), attribute.maximum * attribute.unit, np.nan_to_num(x - y))
    return apart**2 / 2
