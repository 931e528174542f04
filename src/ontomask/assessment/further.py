"""Columns beside the masked ones: confidential values, or a class to be predicted, counted over a release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Int32, Int64, Integers, distinct_rows
from ontomask.attributes import Attribute
from ontomask.columns import Column
from ontomask.columns.further import FurtherColumn
from ontomask.evaluation import ConfidentialColumn, ReleaseView
from ontomask.privacy import Confidential
from ontomask.tables import DistinctTuples, ReleasedTable


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
    return ConfidentialColumn(column.domain, rows_among(values, view.pairs.values), own, found.counts)


def over_original(column: FurtherColumn, found: DistinctTuples, masked: Sequence[Column]) -> Confidential:
    """A column over the classes of the original table; `found` has the masked columns, and it as the last."""
    own = [one.attribute.own[one.code_of_text[found.codes[:, j]]] for j, one in enumerate(masked)]
    values = column.codes(found.values[-1])[found.codes[:, -1]]
    return Confidential.of(distinct_rows(own)[1], values, found.counts, column.domain)


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
