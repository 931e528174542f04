"""The columns of a table that a plan explains, described one by one and in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ontomask import distribution
from ontomask.arrays import Float64
from ontomask.attributes import Tuples
from ontomask.columns import Column, read_column, tuples_of
from ontomask.columns.further import lenient
from ontomask.columns.numbers import UNKNOWN, spellings
from ontomask.days import day_told
from ontomask.distribution import Distribution, Joint, Scaling, joints_of, rounded
from ontomask.errors import OntomaskError
from ontomask.plan import Plan, as_plan
from ontomask.stats.series import QUARTILES
from ontomask.tables import Table, open_table

_MOST_VALUES = 3


class Place(NamedTuple):
    """Where a share of the records ends: a quantile of numbers, a radius round the mean of words."""

    share: float
    at: float
    values: tuple[str | float, ...]


@dataclass(frozen=True)
class ColumnDescription:
    """A column in a few figures.

    Attributes
    ----------
    kind
        As the plan calls it: nominal, numeric, ordinal or date.
    n, missing, distinct
        Records with a value and without; different values.
    mean, number
        The mean, a word, a number or the text of a day, and its number: the marginality of a word, the mean
        of numbers and of ranks from 0, the number of a day. None where it may not be told.
    variance
        Mean distance of two records in meaning; of numbers over n.
    spread
        The quartiles, or how far from the mean so many are, and the values of the people there.
    """

    name: str
    kind: str
    n: int
    missing: int
    distinct: int
    mean: str | float | None
    number: float | None
    variance: float | None
    spread: tuple[Place, ...]


class PairDescription(NamedTuple):
    """Two columns together; `unrelated` is the correlation if neither told of the other."""

    first: str
    second: str
    n: int
    covariance: float | None
    correlation: float | None
    unrelated: float | None


@dataclass(frozen=True)
class Description:
    """What `describe` found; values that fewer than `least` records have are not in it."""

    columns: tuple[ColumnDescription, ...]
    pairs: tuple[PairDescription, ...]
    least: int
    scaling: Scaling

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        told = asdict(self)
        for column in told["columns"]:
            column["spread"] = [one._asdict() for one in column["spread"]]
        told["pairs"] = [one._asdict() for one in self.pairs]
        return told


class CovarianceMatrix(NamedTuple):
    """Variances on the diagonal, covariances off it."""

    columns: tuple[str, ...]
    values: Float64


def describe(
    table: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    *,
    scaling: Scaling = "balanced",
    internal: bool = False,
) -> Description:
    """Mean, variance, spread and covariances of all columns that a plan explains, words and numbers alike.

    Quasi-identifiers, and confidential columns with a kind or an ontology. As in a report, a value is told
    only if k records have it, a figure only if it is of k of them, and a quantile or a radius is the mean of
    the k people around it. A figure of two columns is told only if nobody, or k people, have just the one or
    just the other, and all figures have 4 significant digits: what a person adds to a figure must not be
    found as a difference. Where k counts people by `unit`, so many rows are asked for that they are of k
    people. With `internal` everything is told as it is. Words are `balanced` by default, so
    that tables of different size compare; the published figure is n - 1 times that.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40, 30], "hobby": ["chess", "chess", "go", "chess"]})
    >>> plan = Plan.from_options(["age:numeric", "hobby:wordnet"], k=2)
    >>> age, hobby = describe(people, plan).columns
    >>> age.mean, age.variance, hobby.mean, hobby.spread[0].values
    (30.0, 50.0, 'chess', ('chess',))
    """
    asked = as_plan(plan)
    opened = _opened(table, asked)
    columns, tuples = _described(opened, asked)
    least = 1 if internal else asked.least_rows_told(opened.most_rows(asked.privacy.unit))
    spreads = _distributions(columns, tuples, scaling)
    told = [
        _of_column(column, asked.attributes[column.name].kind, spread, tuples.n, least)
        for column, spread in zip(columns, spreads, strict=True)
    ]
    names = [column.name for column in columns]
    pairs = [_of_pair(names[i], names[j], joint, least) for i, j, joint in joints_of(spreads, tuples)]
    return Description(tuple(told), tuple(pairs), least, scaling)


def covariance_matrix(
    table: Any, plan: Plan | Mapping[str, Any] | str | Path, *, scaling: Scaling = "balanced"
) -> CovarianceMatrix:
    """Variances and covariances of the columns that a plan explains; see `covariance` and `describe`.

    Each figure is of the records that have a value in both columns, as usual.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40, 30], "pay": [5.0, 3.0, 1.0, 3.0]})
    >>> covariance_matrix(people, Plan.from_options(["age:numeric", "pay:numeric"])).values.tolist()
    [[50.0, -10.0], [-10.0, 2.0]]
    """
    asked = as_plan(plan)
    columns, tuples = _described(_opened(table, asked), asked)
    spreads = _distributions(columns, tuples, scaling)
    values = distribution.covariance_matrix(spreads, joints_of(spreads, tuples))
    return CovarianceMatrix(tuple(column.name for column in columns), values)


def _distributions(columns: Sequence[Column], tuples: Tuples, scaling: Scaling) -> list[Distribution]:
    return [
        Distribution.of(column.attribute, tuples.codes[:, j], tuples.counts, scaling)
        for j, column in enumerate(columns)
    ]


def explained_columns(plan: Plan) -> list[str]:
    """Quasi-identifiers, and confidential columns with a kind or an ontology."""
    return [
        name
        for name, one in plan.attributes.items()
        if one.role == "quasi-identifier" or (one.role == "confidential" and one.is_explained)
    ]


def _opened(table: Any, plan: Plan) -> Table:
    return table if isinstance(table, Table) else open_table(table, plan.table_options())


def _described(table: Table, plan: Plan) -> tuple[tuple[Column, ...], Tuples]:
    """The columns that the plan explains, and their distinct tuples."""
    masked, named = plan.with_role("quasi-identifier"), explained_columns(plan)
    if not named:
        raise OntomaskError(
            "the plan explains no column",
            remedy="give a column role: quasi-identifier, or a confidential one its kind or ontology",
        )
    table.check_columns(named)
    raw = table.tuples(named)
    spelt = spellings(table, plan, dict(zip(named, raw.values, strict=True)))
    read, own = [], plan.replace(missing="own-class")
    for j, name in enumerate(named):
        rows = np.bincount(raw.codes[:, j], raw.counts).astype(np.int64)
        asked = own if name in masked else lenient(plan)
        spelling = spelt.get(name, UNKNOWN)
        read.append(read_column(name, raw.values[j], rows, asked, is_masked=False, spelling=spelling))
    return tuple(read), tuples_of(read, raw.codes, raw.counts)[0]


def _of_column(column: Column, kind: str, found: Distribution, n: int, least: int) -> ColumnDescription:
    is_told = found.n >= least
    labels = [label if n >= least else None for label, n in zip(column.labels, found.counts, strict=True)]
    mean = _told_place(found.mean, kind, least) if is_told else None

    def written(number: float) -> str | float | None:
        if kind == "date":
            return day_told(number)
        return number if column.is_number else _nearest(labels, found, number)

    def place(share: float) -> Place:
        if found.numbers is None:
            there = [text for code in found.codes_at(share, least) if (text := labels[code]) is not None]
            return Place(share, _told(found.radius(share, least), least), tuple(there[:_MOST_VALUES]))
        number = _told_place(found.quantile(share, least), kind, least)
        value = written(number)
        return Place(share, number, () if value is None else (value,))

    return ColumnDescription(
        name=column.name,
        kind=kind,
        n=found.n,
        missing=n - found.n,
        distinct=int((found.counts > 0).sum()),
        mean=None if mean is None else labels[found.mean_code] if found.numbers is None else written(mean),
        number=mean,
        variance=_told(found.variance, least) if is_told else None,
        spread=tuple(place(share) for share in QUARTILES) if is_told else (),
    )


def _of_pair(first: str, second: str, joint: Joint, least: int) -> PairDescription:
    if not joint.may_be_told(least):
        return PairDescription(first, second, joint.n, None, None, None)
    figures = (joint.covariance, joint.correlation, joint.unrelated)
    return PairDescription(
        first, second, joint.n, *(None if np.isnan(one) else _told(one, least) for one in figures)
    )


def _told(figure: float, least: int) -> float:
    return figure if least == 1 else rounded(figure)


def _told_place(figure: float, kind: str, least: int) -> float:
    """Of days the day: four digits of its number would be that of a year."""
    return float(int(figure)) if kind == "date" and least > 1 else _told(figure, least)


def _nearest(labels: Sequence[str | None], found: Distribution, number: float) -> str | None:
    """The category of the rank nearest to a number."""
    assert found.numbers is not None
    return labels[int(np.nanargmin(np.abs(found.numbers - number)))]
