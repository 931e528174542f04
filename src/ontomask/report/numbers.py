"""Numbers of a table before and after: mean, spread, quantiles, correlations.

A quantile of the original would be the value of one person. What is told in its place is the mean of the k
people around it, before and after alike.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.days import day_told
from ontomask.report import words
from ontomask.report.changes import Changes
from ontomask.report.correlations import Correlated

_SHARES = {
    "5 % are below": 0.05,
    "25 % are below": 0.25,
    "median": 0.5,
    "75 % are below": 0.75,
    "95 % are below": 0.95,
}


class Compared(NamedTuple):
    """A statistic of a column, or of two, before and after."""

    of: str
    statistic: str
    before: str
    after: str


def told_quantile(values: Float64, counts: Int64, share: float, people: int) -> float | None:
    """The mean of as many people, in order of their values, as stand around a share of them all.

    Of n people those of rank r, r + 1, ..., r + people - 1 with r = floor(share n - people / 2 + 1/2), kept
    within 0 and n - people; None if there are fewer than `people`. For one person it is the usual quantile.

    >>> told_quantile(np.array([10.0, 20, 30, 90]), np.array([1, 1, 1, 1]), 0.5, 2)
    25.0
    >>> told_quantile(np.array([10.0, 20, 30, 90]), np.array([5, 1, 1, 3]), 0.95, 3)
    90.0
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    values, counts = values[known][order], counts[known][order]
    n = int(counts.sum())
    if n < max(people, 1):
        return None
    first = min(max(floor(share * n - people / 2 + 0.5), 0), n - people)
    ends = np.cumsum(counts)
    among = np.clip(np.minimum(ends, first + people) - np.maximum(ends - counts, first), 0, None)
    return float(values @ among / people)


def statistics_rows(
    columns: Sequence[Changes], figures: Mapping[str, Any], dates: Container[str] = ()
) -> Iterator[Compared]:
    """Mean, standard deviation and quantiles of each column of numbers, and of those with `dates`."""
    for column in columns:
        is_date = column.name in dates
        if not column.is_number and not is_date:
            continue
        told = _day if is_date else _shown
        spread = "standard deviation, in days" if is_date else "standard deviation"
        for key, name, shown in (("mean", "mean", told), ("sd", spread, _shown)):
            before, after = (figures.get(f"{key}{when}.{column.name}") for when in ("", "_masked"))
            yield Compared(column.name, name, shown(before), shown(after))
        for name, share in _SHARES.items():
            found = [
                told_quantile(*values, share, column.least)
                for values in (column.numbers_before, column.numbers_after)
            ]
            yield Compared(column.name, name, *map(told, found))


def correlation_rows(
    columns: Sequence[Changes], figures: Mapping[str, Any], beside: Sequence[Correlated] = ()
) -> Iterator[Compared]:
    """The correlation of each two masked columns that have an order, then those with columns beside them."""
    names = [column.name for column in columns]
    for at, second in enumerate(names):
        for first in names[:at]:
            if f"correlation.{first}.{second}" in figures:
                before, after = (
                    figures.get(f"correlation{when}.{first}.{second}") for when in ("", "_masked")
                )
                yield Compared(f"{first} and {second}", "correlation", _shown(before), _shown(after))
    for one in beside:
        yield Compared(f"{one.masked} and {one.beside}", "correlation", _shown(one.before), _shown(one.after))


def _day(figure: float | None) -> str:
    return "–" if figure is None else day_told(figure)


def _shown(figure: float | None) -> str:
    return "–" if figure is None else words.number(figure)
