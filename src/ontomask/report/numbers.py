"""Numbers of a table before and after: mean, spread, quantiles, correlations.

A quantile of the original would be the value of one person. What is told in its place is the mean of the k
people around it, before and after alike.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from ontomask.days import day_told
from ontomask.distribution import quantile
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
                quantile(*values, share, column.least)
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
    return "–" if figure is None or isnan(figure) else day_told(figure)


def _shown(figure: float | None) -> str:
    return "–" if figure is None or isnan(figure) else words.number(figure)
