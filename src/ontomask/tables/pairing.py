"""Two tables beside each other: what the rows of one have become in the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.errors import TableError
from ontomask.tables.coded import CodedColumn, distinct_tuples
from ontomask.tables.memory import MemoryTable
from ontomask.tables.table import DistinctTuples, Table

HERE = "\ue000"  # a text that no table has, and that no option calls missing


@dataclass(frozen=True, eq=False)
class Matched:
    """Distinct tuples over columns of an original table and columns of a masked one, with counts.

    Attributes
    ----------
    before, after
        The two halves of each tuple; `before[i]` and `after[i]` belong together, and `counts` are theirs. The
        codes of `after` mean nothing where the masked table has no such row.
    absent
        Which tuples have no row in the masked table.
    """

    before: DistinctTuples
    after: DistinctTuples
    absent: Bool

    @property
    def counts(self) -> Int64:
        """Rows of each pair of tuples."""
        return self.before.counts

    @classmethod
    def of(cls, tuples: DistinctTuples, m: int) -> Matched:
        """Of tuples of `m` columns before, some after, and a last one that says whether the row is `HERE`."""
        halves = [
            DistinctTuples(tuples.columns[part], tuples.values[part], tuples.codes[:, part], tuples.counts)
            for part in (slice(0, m), slice(m, -1))
        ]
        is_absent = np.array([value != HERE for value in tuples.values[-1]])
        return cls(halves[0], halves[1], is_absent[tuples.codes[:, -1]])


def matched(
    original: Table,
    masked: Table,
    columns: Sequence[str],
    masked_columns: Sequence[str],
    key: str | None = None,
    *,
    called: tuple[str, str] = ("original", "masked"),
    overlapping: bool = False,
) -> Matched:
    """What `columns` of the original table have become in `masked_columns` of the masked one.

    Rows are matched by their order, or by a `key` column that both tables have; then the masked table may
    lack some of them. It may have others of its own if they are `overlapping`. Errors say what the tables are
    `called`.

    >>> import pyarrow as pa
    >>> from ontomask.tables import open_table
    >>> before = open_table(pa.table({"id": ["1", "2", "3"], "pet": ["cat", "dog", "cat"]}))
    >>> after = open_table(pa.table({"id": ["3", "1"], "pet": ["animal", "animal"]}))
    >>> both = matched(before, after, ["pet"], ["pet"], key="id")
    >>> [both.before.texts(i) for i in range(2)], both.absent.tolist(), both.counts.tolist()
    ([('cat',), ('dog',)], [False, True], [2, 1])
    """
    original.check_columns(columns)
    masked.check_columns(masked_columns)
    if key is None and original.n_rows != masked.n_rows:
        raise TableError(
            f"the {called[0]} table has {original.n_rows:,} rows and the {called[1]} table {masked.n_rows:,}",
            remedy="give a `key` column that both have",
        )
    if key is not None and not overlapping:
        strange = set(masked.distinct(key)[0]) - set(original.distinct(key)[0])
        if strange:  # their classes would not be counted
            raise TableError(
                f"{len(strange):,} rows of the masked table have a {key!r} that the original does not have",
                column=key,
                remedy="leave them out, or match by another column",
            )
    if not isinstance(original, MemoryTable) or not isinstance(masked, MemoryTable):
        from ontomask.tables.engine import matched_in_engine

        return matched_in_engine(original, masked, columns, masked_columns, key, called)
    rows = np.arange(original.n_rows) if key is None else _rows_by_key(original, masked, key, called)
    absent = rows < 0
    after = [
        CodedColumn(np.where(absent, 0, column.codes[rows]), column.values)
        for column in masked.coded(masked_columns)
    ]
    there = CodedColumn(absent.astype(np.int32), [HERE, None])
    found, _ = distinct_tuples(
        [*columns, *masked_columns, ""], [*original.coded(columns), *after, there], original.n_rows
    )
    return Matched.of(found, len(columns))


def not_a_key(key: str, which: str) -> TableError:
    """The error of a key that is none."""
    return TableError(f"column {key!r} of the {which} table is not a key: a value occurs twice")


def _rows_by_key(original: MemoryTable, masked: MemoryTable, key: str, called: tuple[str, str]) -> Int32:
    """For each row of the original its row in the masked table, -1 if there is none."""
    before, after = original.coded([key])[0], masked.coded([key])[0]
    for which, table, column in zip(called, (original, masked), (before, after), strict=True):
        if len(column.values) < table.n_rows:
            raise not_a_key(key, which)
    code_of = {text: code for code, text in enumerate(after.values)}
    codes = np.array([code_of.get(text, -1) for text in before.values], np.int64)
    row_of_code = np.append(np.argsort(after.codes), -1)
    return row_of_code[codes][before.codes].astype(np.int32)
