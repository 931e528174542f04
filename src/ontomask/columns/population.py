"""A larger table that the people of a release may be from: how many of them each class may stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Int64
from ontomask.columns.base import Column
from ontomask.privacy import matching_records
from ontomask.tables import DistinctTuples, Table


@dataclass(frozen=True, eq=False)
class People:
    """The distinct tuples of a population in the columns that are masked."""

    columns: tuple[Column, ...]
    tuples: DistinctTuples

    @classmethod
    def of(cls, table: Table, columns: Sequence[Column]) -> People:
        """Counted from their table, which must have these columns."""
        names = [column.name for column in columns]
        table.check_columns(names)
        return cls(tuple(columns), table.tuples(names))

    def matching(self, released: DistinctTuples, rows: Int64) -> Int64:
        """For some released tuples the people whose values they are, or stand above, one and all."""
        values, own, attributes = [], [], []
        for j, column in enumerate(self.columns):
            texts, known = released.values[j], self.tuples.values[j]
            attribute, of_text = column.read([*texts, *known])
            attributes.append(attribute)
            values.append(of_text[released.codes[rows, j]])
            own.append(of_text[len(texts) :][self.tuples.codes[:, j]])
        return matching_records(
            np.stack(values, axis=1), np.stack(own, axis=1), self.tuples.counts, attributes
        )
