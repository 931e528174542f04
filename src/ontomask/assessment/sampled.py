"""What is said of a sample: the weights of its records, and how far to look for people that stand out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import OntomaskError

MOST_SETS = 100_000
"""Sets of columns that SUDA looks at; each is a look at all distinct records."""


def check_sampling(weights: str | None, fraction: float | None, suda: int | None) -> None:
    """Whether what is said of the sample can be."""
    if weights is not None and fraction is not None:
        raise OntomaskError(
            "weights say which part of the population the table is", remedy="leave out the other"
        )
    if fraction is not None and not 0 < fraction <= 1:
        raise OntomaskError(
            f"a sampling fraction is more than 0 and at most 1, not {str(fraction)!r}",
            value=str(fraction),
            is_public=True,
        )
    if suda is not None and suda < 1:
        raise OntomaskError(f"SUDA looks at sets of 1 column or more, not {suda}")


def check_sets_of_columns(largest: int | None, m: int) -> None:
    """Whether the sets of at most so many of m columns can be looked at one by one.

    >>> check_sets_of_columns(3, 30)
    """
    sizes = 0 if largest is None else min(largest, m - 1)
    sets = sum(math.comb(m, size) for size in range(1, sizes + 1))
    if sets > MOST_SETS:
        raise OntomaskError(
            f"there are {sets:,} sets of at most {sizes} of {m} columns, and SUDA looks at each",
            remedy="ask for smaller ones",
        )


def weights_of_texts(column: str, texts: Sequence[str | None]) -> Float64:
    """The sampling weight that each text of a column is.

    >>> weights_of_texts("w", ["12.5", "1e3"]).tolist()
    [12.5, 1000.0]
    """
    return np.array([_weight(column, text) for text in texts], np.float64)


def _weight(column: str, text: str | None) -> float:
    if text is None:
        raise OntomaskError("has a record without a sampling weight", column=column)
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise OntomaskError(
            f"{text!r} is no sampling weight, which is a number above 0", column=column, value=text
        )
    return weight
