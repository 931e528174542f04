"""What became of the statistics of a table: mean, variance, covariance by marginality; sd and correlation.

Words by marginality (Domingo-Ferrer et al. 2013), numbers as usual; over distinct tuples with counts.
Suppressed records are not in the release and have no part in its statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontomask.arrays import Float64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import ReleaseView
from ontomask.marginality import attribute_marginalities, covariance_matrix, mean


def statistics(view: ReleaseView) -> dict[str, Any]:
    """Change of the statistics, under flat names.

    ``variance.A`` and ``variance_masked.A``
        ``1/n sum m(x)`` for words, the usual variance for numbers.
    ``mean_shift.A``
        Distance between the means before and after, in the attribute's own distance.
    ``covariance``, ``covariance_masked``
        The matrices, in attribute order; ``covariance_change`` = mean of |after - before| / before over the
        entries on and below the diagonal that are not 0 before.
    ``mean.A``, ``sd.A``, ``correlation.A.B`` and the same with ``_masked``
        Of numbers.
    """
    after_table, after_attributes = masked_table(view)
    if not len(after_table):
        return {}
    before = _columns(view.tuples, view.attributes)
    after = _columns(after_table, after_attributes)
    matrices = [
        covariance_matrix(columns, table.counts)
        for columns, table in ((before, view.tuples), (after, after_table))
    ]
    figures: dict[str, Any] = {
        "covariance": matrices[0].tolist(),
        "covariance_masked": matrices[1].tolist(),
        "covariance_change": _relative_change(*matrices),
    }
    for j, attribute in enumerate(view.attributes):
        figures[f"variance.{attribute.name}"] = float(matrices[0][j, j])
        figures[f"variance_masked.{attribute.name}"] = float(matrices[1][j, j])
        middle, own = mean(before[j]), mean(after[j])
        if isinstance(attribute, Nominal):
            masked_mean = view.pairs.masked_values[j][own : own + 1]
            code = view.tuples.codes[middle : middle + 1, j]
            figures[f"mean_shift.{attribute.name}"] = float(attribute.to_masked(code, masked_mean)[0])
    for suffix, table, attributes in (
        ("", view.tuples, view.attributes),
        ("_masked", after_table, after_attributes),
    ):
        figures |= _of_numbers(table, attributes, suffix)
    for attribute in view.attributes:
        if isinstance(attribute, Numeric):
            shift = figures[f"mean_masked.{attribute.name}"] - figures[f"mean.{attribute.name}"]
            figures[f"mean_shift.{attribute.name}"] = abs(shift) / attribute.unit
    return figures


def _columns(tuples: Tuples, attributes: Sequence[Attribute]) -> list[Float64]:
    """m of every tuple in every attribute."""
    columns = []
    for j, attribute in enumerate(attributes):
        codes = tuples.codes[:, j]
        counts = np.bincount(codes, tuples.counts, minlength=attribute.size).astype(np.int64)
        columns.append(attribute_marginalities(attribute, counts)[codes])
    return columns


def _relative_change(before: Float64, after: Float64) -> float:
    here = np.tril(before != 0)
    return float((np.abs(after - before)[here] / before[here]).mean()) if here.any() else 0.0


def _of_numbers(tuples: Tuples, attributes: Sequence[Attribute], suffix: str) -> dict[str, float]:
    """Mean, sd (1/n) and correlations of the numeric attributes; records with a missing number left out."""
    figures: dict[str, float] = {}
    numeric = [(j, a) for j, a in enumerate(attributes) if isinstance(a, Numeric)]
    columns = [a.numbers[tuples.codes[:, j]] for j, a in numeric]
    for (_, attribute), x in zip(numeric, columns, strict=True):
        known = ~np.isnan(x)
        counts = tuples.counts[known]
        middle = float(np.average(x[known], weights=counts)) if counts.sum() else float("nan")
        spread = np.average((x[known] - middle) ** 2, weights=counts) if counts.sum() else float("nan")
        figures[f"mean{suffix}.{attribute.name}"] = middle
        figures[f"sd{suffix}.{attribute.name}"] = float(np.sqrt(spread))
    for i in range(len(numeric)):
        for j in range(i):
            name = f"correlation{suffix}.{numeric[j][1].name}.{numeric[i][1].name}"
            figures[name] = _correlation(columns[j], columns[i], tuples.counts)
    return figures


def _correlation(x: Float64, y: Float64, counts: np.ndarray) -> float:
    """Pearson's, of weighted values; NaN where one of them is constant."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y, w = x[known], y[known], counts[known]
    if not w.sum():
        return float("nan")
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    spread = np.sqrt((w @ x**2) * (w @ y**2))
    return float(w @ (x * y) / spread) if spread > 0 else float("nan")
