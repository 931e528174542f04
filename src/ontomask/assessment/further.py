"""Columns beside the masked ones: confidential values, or a class to be predicted, counted over a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers, distinct_rows
from ontomask.attributes import Attribute
from ontomask.columns import Column, read_column
from ontomask.evaluation import ConfidentialColumn, ReleaseView
from ontomask.plan import Plan
from ontomask.tables import ReleasedTable, Table

MOST_VALUES = 4_000
"""Of a confidential column of words, for t by meaning: all its distances are needed at once."""


@dataclass(frozen=True, eq=False)
class FurtherColumn:
    """A column of the original table as codes: words of one concept are one value, numbers are ranks."""

    name: str
    code_of: Mapping[str | None, int]
    distances: Float64 | None
    is_ordered: bool

    @classmethod
    def of(cls, table: Table, name: str, plan: Plan, with_distances: bool = True) -> FurtherColumn:
        """Read as the plan explains it; without an explanation texts are compared as they are."""
        texts, counts = table.distinct(name)
        settings = plan.attributes[name]
        is_ordered = settings.kind != "nominal"
        if not (is_ordered or settings.ontology) or all(text is None for text in texts):
            return cls.of_texts(table, name)
        lenient = plan.replace(missing="own-class", unmapped="own-leaf")  # it is released as it is
        column = read_column(name, texts, counts, lenient)
        attribute, distances = column.attribute, None
        if attribute.line is None and with_distances and attribute.size <= MOST_VALUES:
            every = np.arange(attribute.size, dtype=np.int32)
            distances = attribute.distance_table(every, attribute.own).T / attribute.maximum
        codes = dict(zip(texts, column.code_of_text.tolist(), strict=True))
        return cls(name, codes, distances, is_ordered)

    @classmethod
    def of_texts(cls, table: Table, name: str) -> FurtherColumn:
        """Read as texts that are equal or not."""
        return cls(name, {text: code for code, text in enumerate(table.distinct(name)[0])}, None, False)

    def codes(self, texts: Sequence[str | None]) -> Int64:
        """The code of each text."""
        return np.array([self.code_of[text] for text in texts], np.int64)

    def over(self, classes: Integers, values: Integers, counts: Int64) -> ConfidentialColumn:
        """Counted over masked classes."""
        return ConfidentialColumn(self.name, classes, values, counts, self.distances, self.is_ordered)


def over_release(
    column: FurtherColumn, data: ReleasedTable, masked: Sequence[Column], view: ReleaseView
) -> ConfidentialColumn:
    """A column that was released as it is, over the classes of the release."""
    found = data.tuples([*(one.name for one in masked), column.name])
    values = np.stack(
        [
            replacements_of_texts(one, view.attributes[j], found.values[j])[found.codes[:, j]]
            for j, one in enumerate(masked)
        ],
        axis=1,
    )
    own = column.codes(found.values[-1])[found.codes[:, -1]]
    return column.over(rows_among(values, view.pairs.values), own, found.counts)


def replacements_of_texts(column: Column, attribute: Attribute, texts: Sequence[str | None]) -> Int32:
    """The replacement that was written as each text."""
    became = column.released_as(attribute).tolist()
    written = {text: r for r, text in enumerate(column.texts(attribute)) if became[r] == r}
    return np.array([written.get(text, attribute.nothing) for text in texts], np.int32)


def rows_among(rows: Integers, distinct: Integers) -> Int64:
    """Which of the distinct rows each row is, -1 for none.

    >>> rows_among(np.array([[3, 1], [0, 0], [9, 9]]), np.array([[0, 0], [3, 1]])).tolist()
    [1, 0, -1]
    """
    first, which = distinct_rows(list(np.concatenate([distinct, rows]).T))
    place = np.full(len(first), -1, np.int64)
    place[which[: len(distinct)]] = np.arange(len(distinct))
    return place[which[len(distinct) :]]
