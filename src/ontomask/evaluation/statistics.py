"""What became of the statistics of a table: mean, variance, covariance by marginality; sd and correlation.

Words by marginality (Domingo-Ferrer et al. 2013), numbers as usual; over distinct tuples with counts.
Suppressed records are not in the release and have no part in its statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure
from ontomask.marginality import covariance_matrix, mean


def statistics(view: ReleaseView) -> dict[str, Any]:
    """Change of the statistics, under flat names.

    ``variance.A`` and ``variance_masked.A``
        ``1/n sum m(x)`` for words, the usual variance for numbers.
    ``variance_change.A``
        100 (after - before) / before, in percent; of words by the mean distance of two records.
    ``mean_shift.A``
        Distance between the means before and after, in the attribute's own distance.
    ``covariance``, ``covariance_masked``
        The matrices, in attribute order; ``covariance_change`` = mean of |after - before| / before over the
        entries on and below the diagonal that are not 0 before.
    ``mean.A``, ``sd.A``, ``correlation.A.B`` and the same with ``_masked``
        Of numbers.
    """
    after_table, after_attributes, place = masked_table(view)
    if not len(after_table):
        return {}
    plain = [attribute.plain for attribute in view.attributes]
    before = _columns(view.tuples, plain)
    after = _columns(after_table, after_attributes)
    matrices = [
        covariance_matrix(columns, table.counts)
        for columns, table in ((before, view.tuples), (after, after_table))
    ]
    figures: dict[str, Any] = {
        "covariance": matrices[0].tolist(),
        "covariance_masked": matrices[1].tolist(),
        "covariance_change": _relative_change(*matrices),
        **_of_numbers(view.tuples, plain, ""),
        **_of_numbers(after_table, after_attributes, "_masked"),
    }
    released = np.argsort(place)  # the masked tuple of the pairs that stands at each place
    for j, attribute in enumerate(view.attributes):
        name = attribute.name
        figures[f"variance.{name}"] = float(matrices[0][j, j])
        figures[f"variance_masked.{name}"] = float(matrices[1][j, j])
        line = plain[j].line
        # As published, the variance of words is that of n - 1 distances: fewer rows alone would change it.
        sizes = [max(table.n - 1, 1) if line is None else 1 for table in (view.tuples, after_table)]
        balanced = (matrix[j, j] / n for matrix, n in zip(matrices, sizes, strict=True))
        figures[f"variance_change.{name}"] = _change(*balanced)
        if line is None:
            code = view.tuples.codes[[mean(before[j])], j]
            figures[f"mean_shift.{name}"] = float(
                attribute.distance(code, view.pairs.values[released[[mean(after[j])]], j])[0]
            )
        else:
            shift = figures[f"mean_masked.{name}"] - figures[f"mean.{name}"]
            figures[f"mean_shift.{name}"] = abs(shift) / line.unit
    return figures


def _columns(tuples: Tuples, attributes: Sequence[Attribute]) -> list[Float64]:
    """m of every tuple in every attribute."""
    columns = []
    for j, attribute in enumerate(attributes):
        codes = tuples.codes[:, j]
        counts = np.bincount(codes, tuples.counts, minlength=attribute.size).astype(np.int64)
        columns.append(attribute.marginalities(counts)[codes])
    return columns


def _change(before: float, after: float) -> float:
    """In percent; NaN where there was none."""
    return float(100 * (after - before) / before) if before > 0 else float("nan")


def _relative_change(before: Float64, after: Float64) -> float:
    here = np.tril(before != 0)
    return float((np.abs(after - before)[here] / before[here]).mean()) if here.any() else 0.0


def _of_numbers(tuples: Tuples, attributes: Sequence[Attribute], suffix: str) -> dict[str, float]:
    """Mean, sd (1/n) and correlations of the numeric attributes; records with a missing number left out."""
    figures: dict[str, float] = {}
    numeric = [(a, a.line.numbers[tuples.codes[:, j]]) for j, a in enumerate(attributes) if a.line]
    for attribute, x in numeric:
        known = ~np.isnan(x)
        counts = tuples.counts[known]
        middle = float(np.average(x[known], weights=counts)) if counts.sum() else float("nan")
        spread = np.average((x[known] - middle) ** 2, weights=counts) if counts.sum() else float("nan")
        figures[f"mean{suffix}.{attribute.name}"] = middle
        figures[f"sd{suffix}.{attribute.name}"] = float(np.sqrt(spread))
    for i in range(len(numeric)):
        for j in range(i):
            (a, x), (b, y) = numeric[j], numeric[i]
            figures[f"correlation{suffix}.{a.name}.{b.name}"] = correlation(x, y, tuples.counts)
    return figures


def correlation(x: Float64, y: Float64, counts: Int64) -> float:
    """Pearson's, of pairs of numbers that `counts` records have; NaN where one of the two is constant.

    ``sum c (x - mean x) (y - mean y) / sqrt(sum c (x - mean x)^2 sum c (y - mean y)^2)`` over the pairs in
    which neither is missing (NaN).

    >>> correlation(np.array([1.0, 2, 3, 9]), np.array([2.0, 4, 6, np.nan]), np.array([1, 5, 1, 3]))
    1.0
    """
    known = ~(np.isnan(x) | np.isnan(y))
    x, y, w = x[known], y[known], counts[known]
    if not w.sum():
        return float("nan")
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    spread = np.sqrt((w @ x**2) * (w @ y**2))
    return float(w @ (x * y) / spread) if spread > 0 else float("nan")


STATISTICS = Family(
    lambda subject, found: statistics(subject.view),
    (
        *(
            Figure(f"{name}{when}{of}")
            for name, of in (
                ("covariance", ""),
                ("variance", ".A"),
                ("mean", ".A"),
                ("sd", ".A"),
                ("correlation", ".A.B"),
            )
            for when in ("", "_masked")
        ),
        Figure("variance_change.A"),
        Figure("mean_shift.A"),
        Figure(
            "covariance_change",
            "Change of covariances",
            "",
            "mean relative change, words included; 0 is unchanged",
        ),
    ),
)
