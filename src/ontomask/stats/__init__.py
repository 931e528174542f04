"""Statistics of words beside those of numbers: mean, variance, spread, covariance.

What a statistician calls with a column, or with a table and its plan. Words are described by marginality
(Domingo-Ferrer, Sanchez & Rufian-Torrell 2013): the marginality of a value is the distance in meaning to the
values of the others, summed (`scaling="published"`, which grows with n) or as its mean (`balanced`, which
does not). Numbers and days are described as usual, over n. Whatever is missing is left out, and counted.

A column is a list, a mapping from value to count, or a column of pandas, polars or pyarrow.
"""

from __future__ import annotations

from ontomask.stats.series import (
    Mean,
    Radius,
    correlation,
    covariance,
    marginality,
    mean,
    quantiles,
    radii,
    variance,
)
from ontomask.stats.tables import (
    ColumnDescription,
    CovarianceMatrix,
    Description,
    PairDescription,
    Place,
    covariance_matrix,
    describe,
)

__all__ = [
    "ColumnDescription",
    "CovarianceMatrix",
    "Description",
    "Mean",
    "PairDescription",
    "Place",
    "Radius",
    "correlation",
    "covariance",
    "covariance_matrix",
    "describe",
    "marginality",
    "mean",
    "quantiles",
    "radii",
    "variance",
]
