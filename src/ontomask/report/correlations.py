"""Correlations of masked numbers with those that are released as they are, before and after.

Age is masked and income is not: what an analyst asks is what became of the two together. Both tables are
counted over pairs of values; no value is told, and nothing of fewer people than may be told of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.assessment.further import replacements_of_texts
from ontomask.columns import Column
from ontomask.columns.further import numbers_of_columns
from ontomask.distribution import enough
from ontomask.plan import Plan
from ontomask.profile.guess import are_quantities
from ontomask.release import Release
from ontomask.tables import DistinctTuples, Table

MOST_COLUMNS = 6
MOST_ROWS = 1_000_000
"""Of a larger table nothing is computed: six columns whose values all differ take about a minute of one."""


class Correlated(NamedTuple):
    """A masked column and one released as it is; None where too few people have both, or one is constant."""

    masked: str
    beside: str
    before: float | None
    after: float | None


def correlations_beside(release: Release, least: int) -> tuple[list[Correlated], list[str]]:
    """Correlations of masked columns with the first numeric columns beside them, and the columns left out.

    None is told of fewer than `least` people, nor where fewer have just one of the two. Of a table too large
    to look at all values, the columns that the plan says are numbers are left out.

    >>> import pyarrow as pa
    >>> import ontomask as om
    >>> people = pa.table({"age": [20, 20, 40, 40], "pay": [1.5, 2.5, 3.5, 4.5]})
    >>> plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["pay"])
    >>> correlations_beside(om.anonymize(people, plan), 2)[0][0].masked
    'age'
    """
    masked = [column for column in release.columns if column.attribute.line is not None]
    if not masked:
        return [], []
    if release.data.n_rows > MOST_ROWS:
        return [], _ordered_by_plan(release)
    numeric = numbers_beside(release)
    names = [column.name for column in masked]
    found = []
    for beside, number_of in list(numeric.items())[:MOST_COLUMNS]:
        before = release.counted.tuples([*names, beside])
        after = release.data.tuples([*names, beside])
        for j, column in enumerate(masked):
            told = (
                _told(x[tuples.codes[:, j]], _numbers(tuples, number_of), tuples.counts, least)
                for tuples, x in (
                    (before, _original(column)),
                    (after, _released(release, column, after.values[j])),
                )
            )
            found.append(Correlated(column.name, beside, *told))
    return found, list(numeric)[MOST_COLUMNS:]


_Numbers = Mapping[str, Mapping[str | None, float]]

_read: WeakKeyDictionary[Table, tuple[object, _Numbers]] = WeakKeyDictionary()
"""What was read of a table last, and what was asked: methods that are compared release the same table, and to
read a million different numbers takes longer than what is done with them."""


def numbers_beside(release: Release) -> _Numbers:
    """Columns released as they are that have an order, with the number of each text."""
    plan, table = release.plan, release.counted
    asked = (release.kept, plan.attributes, plan.table)
    known = _read.get(table)
    if known is None or known[0] != asked:
        known = _read[table] = asked, _numbers_read(release, plan, table)
    return known[1]


def _numbers_read(release: Release, plan: Plan, table: Table) -> _Numbers:
    looked_into = [name for name in release.kept if name not in table.without_text]
    ordered = _ordered_by_plan(release)
    by_form = [
        name
        for name, (texts, _) in table.distinct_of([n for n in looked_into if n not in ordered]).items()
        if not _is_explained(plan, name) and are_quantities(name, [t for t in texts if t is not None])
    ]
    # Confidential, for the plan says of other columns nothing but that they are left as they are.
    said = {name: {"role": "confidential", "kind": "numeric"} for name in by_form}
    names = [name for name in looked_into if name in ordered or name in by_form]
    return numbers_of_columns(table, plan.replace(attributes=said) if said else plan, names)


def _ordered_by_plan(release: Release) -> list[str]:
    """Columns released as they are that the plan says have an order."""
    settings = release.plan.attributes
    return [name for name in release.kept if name in settings and settings[name].kind != "nominal"]


def _is_explained(plan: Plan, name: str) -> bool:
    """Whether the plan says what the words of a column mean, so that it holds words."""
    settings = plan.attributes.get(name)
    return settings is not None and (settings.ontology is not None or settings.several is not None)


def _original(column: Column) -> Float64:
    """The number of each text of the original."""
    assert column.attribute.line is not None
    return column.attribute.line.numbers[column.code_of_text]


def _released(release: Release, column: Column, texts: Sequence[str | None]) -> Float64:
    """The number that each text of the release is, of a range its middle."""
    attribute = release.view.attributes[release.masked.index(column.name)]
    assert attribute.line is not None
    return np.append(attribute.line.replacements, np.nan)[replacements_of_texts(column, attribute, texts)]


def _numbers(tuples: DistinctTuples, number_of: Mapping[str | None, float]) -> Float64:
    """The number of the last column in each tuple."""
    return np.array([number_of[text] for text in tuples.values[-1]])[tuples.codes[:, -1]]


def _told(x: Float64, y: Float64, counts: Int64, least: int) -> float | None:
    has_x, has_y = ~np.isnan(x), ~np.isnan(y)
    n, *left_out = (int(counts[who].sum()) for who in (has_x & has_y, has_x & ~has_y, has_y & ~has_x))
    if not enough(n, left_out, least):
        return None
    found = correlation(x, y, counts)
    return None if np.isnan(found) else found


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
