"""Tables whose rows can be numbered in memory: delimited text as bytes, and everything that is held as Arrow.

A kind of table says how its columns read as coded texts and how it is written with new texts in place;
counting, and dealing rows to groups, is the same for all and done here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.tables.coded import CodedColumn, RawColumn, Writing, distinct_tuples, settled
from ontomask.tables.options import TableOptions, checked_names, checked_rows
from ontomask.tables.order import as_numbers, columns_hashed, dealt, digests, field_of, is_sorted, shuffled
from ontomask.tables.register import TABBED, TEXT, engine_of_file
from ontomask.tables.table import (
    SUPPRESSED,
    Dealing,
    Distinct,
    DistinctTuples,
    FirstRows,
    ReleasedTable,
    Table,
)

if TYPE_CHECKING:
    import pyarrow as pa

_PIECE = 1 << 16


class NewTexts(NamedTuple):
    """What a masked column has for each group (the last is that of suppressed rows), and how to write it."""

    texts: list[str | None]
    writing: Writing


@dataclass(frozen=True, eq=False)
class Rewriting:
    """What sets a release apart from its source, row by row.

    `codes[row]` picks the text of every masked column; `rows` says which rows are kept, None: all. The rows
    of the release are those in the order given by `order`, their places among the kept ones, None: as kept.
    """

    codes: Int32
    masked: Mapping[str, NewTexts]
    dropped: frozenset[str]
    rows: Bool | None
    order: Int64 | None = None

    def kept(self, names: Sequence[str]) -> list[str]:
        """The columns of the release."""
        return [name for name in names if name not in self.dropped]


class MemoryTable(Table):
    """A table with one code a row for each column that was asked for."""

    def __init__(
        self, names: Sequence[str], n_rows: int, label: str, path: Path | None, options: TableOptions
    ) -> None:
        self.label, self.path, self.options = label, path, options
        self.names = checked_names(names, label)
        self._n_rows = checked_rows(n_rows, label)
        self._columns: dict[str, CodedColumn] = {}
        self._last: tuple[DistinctTuples, Int32] | None = None

    # ------------------------------------------------------------------ what a kind of table offers

    @abstractmethod
    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts, in one walk."""

    @abstractmethod
    def texts_of_rows(self, names: Sequence[str], rows: Int64) -> list[list[str | None]]:
        """For each of some columns the stored texts of some rows, ascending; columns without are left out."""

    @abstractmethod
    def rewritten(self, rewriting: Rewriting) -> pa.Table:
        """The release as Arrow."""

    @abstractmethod
    def with_rewritten(self, rewriting: Rewriting) -> MemoryTable:
        """The table with some texts replaced, no column dropped and all rows kept."""

    def write_own(self, path: Path, suffix: str, rewriting: Rewriting) -> TableOptions | None:
        """Write the release in the table's own format, and say how to read it; None if that is another."""
        return None

    def line_of_row(self, row: int) -> int:
        """The line of a file, or row of a sheet, where a row of the table stands; 0 if it has none."""
        return 0

    def index_of(self, rewriting: Rewriting) -> Any:
        """The labels of the rows in a data frame; None if they have none."""
        return None

    # ------------------------------------------------------------------ what all have in common

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    def coded(self, columns: Sequence[str]) -> list[CodedColumn]:
        """Columns with missing values settled, one code a row."""
        self.check_columns(columns)
        new = [name for name in dict.fromkeys(columns) if name not in self._columns]
        if new:
            for name, raw in self.raw_columns(new).items():
                self._columns[name] = settled(raw, self.options.na_values_of(name))
        return [self._columns[name] for name in columns]

    def tuples(self, columns: Sequence[str]) -> DistinctTuples:
        """Distinct tuples of some columns, with counts."""
        return self._tuples_and_rows(columns)[0]

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each, in one walk."""
        return {n: column.counted() for n, column in zip(columns, self.coded(columns), strict=True)}

    def first_rows(self, most: int) -> FirstRows:
        names = [name for name in self.names if name not in self.without_text]
        n = min(most, self.n_rows)
        texts = self.texts_of_rows(names, np.arange(n)) if n else []
        return tuple(names), list(zip(*texts, strict=True))

    def line_of(self, column: str, text: str) -> int:
        """The first line of the file, or row of the sheet, with a text in a column; 0 if it is not known."""
        (coded,) = self.coded([column])
        if text not in coded.values:
            return 0
        return self.line_of_row(int(np.argmax(coded.codes == coded.values.index(text))))

    def _renamed(self, column: str, new: Mapping[str, str]) -> MemoryTable:
        own = self.coded([column])[0]
        texts = [None if value is None else new[value] for value in own.values]
        masked = {column: NewTexts(texts, own.writing)}
        return self.with_rewritten(Rewriting(own.codes, masked, frozenset(), None))

    def _sorted_by(self, columns: Sequence[str]) -> list[str]:
        found = []  # as numbers, days or texts; missing values do not count
        for name, column in zip(columns, self.coded(columns), strict=True):
            values = [value for value in column.values if value is not None]
            given = column.codes[column.codes < len(values)]
            if any(is_sorted(ranks[given]) for ranks in (np.arange(len(values)), *as_numbers(values))):
                found.append(name)
        return found

    def _anew(self) -> Self:
        """The same table, with nothing counted yet."""
        found = copy(self)
        found._columns, found._last = {}, None
        return found

    def _tuples_and_rows(self, columns: Sequence[str]) -> tuple[DistinctTuples, Int32]:
        # The flow asks for the same tuples twice: to mask them, and to deal their rows.
        if self._last is None or self._last[0].columns != tuple(columns):
            self._last = distinct_tuples(columns, self.coded(columns), self.n_rows)
        return self._last

    def _released(self, dealing: Dealing, drop: frozenset[str]) -> ReleasedTable:
        return _Released(self, dealing, drop)

    def groups_of_rows(self, dealing: Dealing, released: Sequence[str]) -> Int32:
        """The group of each row; only rows of split cells are hashed."""
        cells = dealing.cells[self._tuples_and_rows(dealing.columns)[1]]
        groups = dealing.group_of_cell[cells]
        rows = np.flatnonzero(dealing.is_split[cells])
        if len(rows):
            keys = [self._digests(names, rows, dealing.seed) for names in columns_hashed(dealing, released)]
            order = dealing.order[dealing.is_split[dealing.members[dealing.order]]]
            groups[rows[dealt(cells[rows], keys)]] = np.repeat(dealing.groups[order], dealing.counts[order])
        return groups

    def _digests(self, names: Sequence[str], rows: Int64, seed: int) -> np.ndarray:
        found = []
        for first in range(0, len(rows), _PIECE):
            piece = rows[first : first + _PIECE]
            fields = [map(field_of, texts) for texts in self.texts_of_rows(names, piece)]
            lines = zip(*fields, strict=True) if fields else [()] * len(piece)
            found.append(digests(seed, lines))
        return np.concatenate(found)


class _Released(ReleasedTable):
    """The release of a table in memory."""

    def __init__(self, table: MemoryTable, dealing: Dealing, drop: frozenset[str]) -> None:
        super().__init__(table, dealing, drop)
        self._table = table
        groups = table.groups_of_rows(dealing, self.names)
        suppressed = groups == SUPPRESSED
        n = dealing.n_groups
        masked = {
            name: NewTexts([*texts[:n], None], table.coded([name])[0].writing)
            for name, texts in dealing.texts.items()
        }
        rows = ~suppressed if suppressed.any() else None
        self._rewriting = Rewriting(np.where(suppressed, np.int32(n), groups), masked, drop, rows)

    @cached_property
    def _order(self) -> Int64 | None:
        """The places of the released rows in the order that they are released in; None: as they are."""
        if not self._dealing.is_shuffled:
            return None
        released, seed = self._table.rewritten(self._rewriting), self._dealing.seed
        pieces = [released.slice(first, _PIECE) for first in range(0, self.n_rows, _PIECE)]
        keys = [
            digests(seed, zip(*map(_fields, piece.column_names, piece.columns), strict=True))
            for piece in pieces
        ]
        return shuffled(np.concatenate(keys))

    def _tuples(self, columns: Sequence[str]) -> DistinctTuples:
        return distinct_tuples(columns, [self._coded(name) for name in columns], self.n_rows)[0]

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each, in one walk."""
        self._check(columns)
        self._table.coded(columns)
        return {name: self._coded(name).counted() for name in columns}

    def _coded(self, name: str) -> CodedColumn:
        changed = self._rewriting
        if name not in changed.masked:
            return self._table.coded([name])[0].of(changed.rows)
        raw = RawColumn(changed.codes, changed.masked[name].texts)
        return settled(raw, self._table.options.na_values_of(name)).of(changed.rows)

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        table = self._table.rewritten(self._rewriting)
        return table if self._order is None else table.take(self._order)

    def to_pandas(self) -> Any:
        """As a pandas data frame; rows of a data frame keep their labels, which would tell their order."""
        frame = super().to_pandas()
        if self._order is not None:
            return frame
        index = self._table.index_of(self._rewriting)
        return frame if index is None else frame.set_axis(index, axis=0)

    def _write(self, path: Path, suffix: str) -> TableOptions:
        own = self._table.write_own(path, suffix, replace(self._rewriting, order=self._order))
        if own is not None:
            return own
        write_arrow(path, suffix, self.to_arrow(), like=self._table.path)
        return options_of_written(self._table.options, suffix)


def _fields(name: str, column: pa.ChunkedArray) -> list[str]:
    """The values of a column as fields of the text that is hashed."""
    from ontomask.tables.arrow import has_text, raw_column

    if not has_text(column.type):
        return [field_of(repr(value)) for value in column.to_pylist()]
    read = raw_column(name, column)
    fields = [*map(field_of, read.texts)]
    return [fields[code] for code in read.codes.tolist()]


def options_of_written(options: TableOptions, suffix: str) -> TableOptions:
    """How to read what `write_arrow` wrote."""
    separator = ("\t" if suffix in TABBED else ",") if suffix in TEXT else None
    plain = replace(options, encoding="utf-8", header_row=None, sheet=None, table=None, engine="auto")
    return replace(plain, separator=separator)


def write_batches(path: Path, suffix: str, rows: pa.RecordBatchReader, like: Path | None = None) -> None:
    """Write what comes some rows at a time: text and Parquet so, others when all are there."""
    import pyarrow as pa

    from ontomask.tables.cells import copied, plain

    pieces = (copied(plain(pa.Table.from_batches([batch]))) for batch in rows)
    if suffix in (*TEXT, ".parquet"):
        engine_of_file(suffix).write_pieces(path, rows.schema, pieces, like)
    else:
        write_arrow(path, suffix, pa.concat_tables([copied(plain(rows.schema.empty_table())), *pieces]), like)


def write_arrow(path: Path, suffix: str, table: pa.Table, like: Path | None = None) -> None:
    """Write an Arrow table in the format of a suffix."""
    engine_of_file(suffix).write_file(path, table, like)
