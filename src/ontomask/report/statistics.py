"""Words and numbers of a table before and after: mean, spread, correlations.

A quantile of the original would be the value of one person, and so would be how far a share of the people is
from the mean. What is told in its place is the mean of the k people around it, before and after alike. Of two
columns nothing is told if fewer than k people have just one of them: theirs would be the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import NamedTuple

from ontomask.days import day_told
from ontomask.distribution import Distribution, Joint, joints_of
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import ReleaseView
from ontomask.report import words
from ontomask.report.changes import Changes
from ontomask.report.correlations import Correlated


class Compared(NamedTuple):
    """A statistic of a column, or of two, before and after."""

    of: str
    statistic: str
    before: str
    after: str


class ComparedPair(NamedTuple):
    """Two columns, of which one has words at least, before and after."""

    of: str
    covariance: tuple[str, str]
    correlation: tuple[str, str]
    unrelated: tuple[str, str]


class _Statistic(NamedTuple):
    """What is told of a column of which `least` people have a value; of days a place is a day."""

    name: str
    of: Callable[[Distribution, int], float]
    is_place: bool = True


def _quantile(name: str, share: float) -> _Statistic:
    return _Statistic(name, lambda one, least: one.quantile(share, least))


def _radius(share: float) -> _Statistic:
    name = f"{100 * share:g} % are as near to the mean as"
    return _Statistic(name, lambda one, least: one.radius(share, least))


_MEAN = _Statistic("mean", lambda one, least: one.mean)
_SPREAD = _Statistic("standard deviation", lambda one, least: one.variance**0.5, False)
_VARIANCE = _Statistic("variance: mean distance of two people", lambda one, least: one.variance)
_QUANTILES = (
    _quantile("5 % are below", 0.05),
    _quantile("25 % are below", 0.25),
    _quantile("median", 0.5),
    _quantile("75 % are below", 0.75),
    _quantile("95 % are below", 0.95),
)
_TOLD = {
    "nominal": (_VARIANCE, *map(_radius, (0.25, 0.5, 0.75))),
    "numeric": (_MEAN, _SPREAD, *_QUANTILES),
    "date": (_MEAN, _SPREAD._replace(name="standard deviation, in days"), *_QUANTILES),
    "ordinal": (_MEAN._replace(name="mean rank"), _SPREAD._replace(name="standard deviation of ranks")),
}


def statistics_rows(columns: Sequence[Changes], kinds: Mapping[str, str]) -> Iterator[Compared]:
    """Mean and spread of each column, before and after; of fewer people than may be told of, nothing."""
    for column in columns:
        kind = kinds[column.name]
        if kind == "nominal":
            means = [text or "–" for text in column.means()]
            yield Compared(column.name, "mean: most central value", *means)
        for statistic in _TOLD[kind]:
            yield Compared(column.name, statistic.name, *_before_and_after(column, statistic, kind))


_MEAN_MOVED, _PLACE_MOVED, _SPREAD_MOVED = 0.01, 0.05, 0.1


def moved_statistics(column: Changes, kind: str) -> list[Compared]:
    """Of a column of numbers, days or ranks: mean and standard deviation, where they are clearly others.

    The mean by more than 1 % of itself and of the standard deviation; of days and ranks, whose zero means
    nothing, by more than 5 % of that alone. The standard deviation by more than 10 %.
    """
    before, after = column.distributions
    if before.numbers is None or min(before.n, after.n) < max(column.least, 1):
        return []
    spread, is_after = before.variance**0.5, after.variance**0.5
    least = _MEAN_MOVED * max(abs(before.mean), spread) if kind == "numeric" else _PLACE_MOVED * spread
    mean, deviation, *_ = _TOLD[kind]
    moved = [
        (mean, abs(after.mean - before.mean) > least),
        (deviation, abs(is_after - spread) > _SPREAD_MOVED * spread),
    ]
    return [
        Compared(column.name, one.name, *_before_and_after(column, one, kind))
        for one, has_moved in moved
        if has_moved
    ]


def _before_and_after(column: Changes, statistic: _Statistic, kind: str) -> tuple[str, str]:
    """A statistic as it is read; of fewer people than may be told of, nothing."""
    shown = _day if kind == "date" and statistic.is_place else _shown
    before, after = (
        shown(statistic.of(one, column.least) if one.n >= max(column.least, 1) else nan)
        for one in column.distributions
    )
    return before, after


class JointBeforeAndAfter(NamedTuple):
    """Two columns together, before and after; None where that may not be told."""

    of: str
    is_signed: bool
    before: Joint | None
    after: Joint | None


def joints(columns: Sequence[Changes], view: ReleaseView) -> Iterator[JointBeforeAndAfter]:
    """Each two columns."""
    released, attributes, _ = masked_table(view)
    masked = [
        Distribution.of(attribute, released.codes[:, j], released.counts)
        for j, attribute in enumerate(attributes)
    ]
    pairs = zip(
        joints_of([column.distributions[0] for column in columns], view.tuples),
        joints_of(masked, released),
        strict=True,
    )
    for (i, j, before), (_, _, after) in pairs:
        told = [one if one.may_be_told(columns[i].least) else None for one in (before, after)]
        yield JointBeforeAndAfter(f"{columns[i].name} and {columns[j].name}", before.is_signed, *told)


def joint_rows(joints: Sequence[JointBeforeAndAfter]) -> Iterator[ComparedPair]:
    """Covariance and correlation by marginality of each two columns that are not both numbers."""
    for two in joints:
        if not two.is_signed:
            yield ComparedPair(
                two.of,
                _pair(two, lambda one: one.covariance),
                _pair(two, lambda one: one.correlation),
                _pair(two, lambda one: one.unrelated),
            )


def _pair(two: JointBeforeAndAfter, of: Callable[[Joint], float]) -> tuple[str, str]:
    before, after = (_shown(None if one is None else of(one)) for one in (two.before, two.after))
    return before, after


def correlation_rows(
    joints: Sequence[JointBeforeAndAfter], beside: Sequence[Correlated] = ()
) -> Iterator[Compared]:
    """The correlation of each two masked columns that have an order, then those with columns beside them."""
    for two in joints:
        if two.is_signed:
            yield Compared(two.of, "correlation", *_pair(two, lambda one: one.correlation))
    for one in beside:
        yield Compared(f"{one.masked} and {one.beside}", "correlation", _shown(one.before), _shown(one.after))


def _day(figure: float | None) -> str:
    return "–" if figure is None or isnan(figure) else day_told(figure)


def _shown(figure: float | None) -> str:
    if figure is None or isnan(figure):
        return "–"
    return words.figure(figure)
