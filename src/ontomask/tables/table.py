"""A user's table: its columns, its distinct values and tuples with counts, and the release made from it.

Missing values are settled here, once for every kind of source. Nothing here knows why a column is masked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.errors import TableError
from ontomask.tables.release import Release
from ontomask.tables.source import Changes, RawColumn, Replacement, Source, TableOptions

_PACKED = 2**62


@dataclass(frozen=True, eq=False)
class DistinctTuples:
    """The distinct tuples of some columns, ordered by their texts column by column, missing last.

    Attributes
    ----------
    columns, values
        The columns, and the distinct values of each, in code point order, None (missing) last.
    codes : int32 [p, m]
        Each tuple as positions in `values`.
    counts : int64 [p]
        Rows of each tuple.
    tuple_of_row : int32 [n]
        Which tuple each row has, in row order.
    """

    columns: tuple[str, ...]
    values: list[list[str | None]]
    codes: Int32
    counts: Int64
    tuple_of_row: Int32

    def __len__(self) -> int:
        return len(self.counts)

    def texts(self, tuple_: int) -> tuple[str | None, ...]:
        """The values of one tuple."""
        return tuple(
            values[code] for values, code in zip(self.values, self.codes[tuple_].tolist(), strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Column:
    """A column with missing values settled, and how its fields were written."""

    codes: Int32
    values: list[str | None]
    missing: str | None
    quoted: bool
    missing_quoted: bool


class Table:
    """A table that was opened; see `open_table`."""

    def __init__(self, source: Source, options: TableOptions) -> None:
        self._source = source
        self._options = options
        self._columns: dict[str, _Column] = {}

    def __repr__(self) -> str:
        return f"<Table {self.source}: {self.n_rows:,} rows, {len(self.names)} columns>"

    @property
    def names(self) -> tuple[str, ...]:
        """Columns in order."""
        return self._source.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._source.n_rows

    @property
    def source(self) -> str:
        """Path or kind, for messages."""
        return self._source.label

    @property
    def digest(self) -> str:
        """SHA-256 of the file, or of the content of a table in memory."""
        return self._source.digest

    def distinct(self, column: str) -> tuple[list[str | None], Int64]:
        """Distinct values as text in code point order, None (missing) last, and how many rows have each."""
        read = self._read([column])[0]
        return [*read.values], np.bincount(read.codes, minlength=len(read.values))

    def distinct_of(self, columns: Sequence[str]) -> dict[str, tuple[list[str | None], Int64]]:
        """`distinct` of several columns in one walk of the table."""
        self._read(columns)
        return {name: self.distinct(name) for name in columns}

    def tuples(self, columns: Sequence[str]) -> DistinctTuples:
        """Distinct tuples of some columns, with counts.

        Values are numbered in text order, so a tuple packed into one integer (mixed radix) sorts as its
        texts do: one `unique` gives order, counts and the tuple of every row.
        """
        read = self._read(columns)
        packed = np.zeros(self.n_rows, np.int64)
        bound = 1
        for column in read:
            if bound * len(column.values) > _PACKED:
                seen, packed = np.unique(packed, return_inverse=True)
                bound = len(seen)
            packed = packed * len(column.values) + column.codes
            bound *= len(column.values)
        _, first, tuple_of_row, counts = np.unique(
            packed, return_index=True, return_inverse=True, return_counts=True
        )
        codes = np.empty((len(first), len(read)), np.int32)
        for at, column in enumerate(read):
            codes[:, at] = column.codes[first]
        return DistinctTuples(
            tuple(columns),
            [[*column.values] for column in read],
            codes,
            counts.astype(np.int64),
            tuple_of_row.astype(np.int32),
        )

    def replaced(
        self,
        columns: Mapping[str, tuple[Int32, Sequence[str | None]]],
        drop: Collection[str] = (),
        rows: Bool | None = None,
    ) -> Release:
        """The release in which some columns have new values, some are dropped, and some rows are.

        Parameters
        ----------
        columns
            Per masked column: `codes` of length `n_rows` and `texts`; row i gets `texts[codes[i]]`. None
            (missing) is written as the column writes it most often, else as an empty field.
        drop
            Columns that are left out.
        rows
            Which rows are kept; all if not given.
        """
        self._check([*columns, *drop])
        both = [name for name in columns if name in drop]
        if both:
            raise TableError(f"column {both[0]!r} is both masked and dropped; choose one")
        if len(set(drop)) == len(self.names):
            raise TableError(f"{self.source}: every column is dropped; nothing is left to release")
        if rows is not None:
            rows = np.array(rows, bool)
            if len(rows) != self.n_rows:
                raise ValueError(f"{len(rows)} rows marked, the table has {self.n_rows}")
            if not rows.any():
                raise TableError(f"{self.source}: every row is suppressed; nothing is left to release")
        replaced = {}
        for (name, (codes, texts)), read in zip(columns.items(), self._read(list(columns)), strict=True):
            codes = np.ascontiguousarray(codes, np.int32)
            if len(codes) != self.n_rows or codes.min() < 0 or codes.max() >= len(texts):
                raise ValueError(f"{name}: codes must be {self.n_rows} positions in {len(texts)} texts")
            replaced[name] = Replacement(codes, texts, read.missing, read.quoted, read.missing_quoted)
        return Release(self._source, Changes(replaced, frozenset(drop), rows), self._options)

    # ------------------------------------------------------------------ columns

    def _check(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in self.names:
                close = get_close_matches(name, self.names, n=3) or [
                    other for other in self.names if other.strip().casefold() == name.strip().casefold()
                ]
                hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "it has "
                there = "" if close else ", ".join(map(repr, self.names))
                raise TableError(f"{self.source} has no column {name!r}; {hint}{there}")

    def _read(self, columns: Sequence[str]) -> list[_Column]:
        self._check(columns)
        new = [name for name in dict.fromkeys(columns) if name not in self._columns]
        if new:
            for name, raw in self._source.raw_columns(new).items():
                self._columns[name] = self._settled(raw)
        return [self._columns[name] for name in columns]

    def _settled(self, raw: RawColumn) -> _Column:
        """Missing values as None, values in code point order, equal texts as one."""
        texts = raw.texts
        is_missing = np.array([text is None or text.strip() in self._options.na_values for text in texts])
        order = sorted(np.flatnonzero(~is_missing).tolist(), key=lambda at: texts[at] or "")
        is_new = [i == 0 or texts[at] != texts[order[i - 1]] for i, at in enumerate(order)]
        values = [texts[at] for at, new in zip(order, is_new, strict=True) if new]
        renumbered = np.full(len(texts), len(values), np.int32)
        renumbered[order] = np.cumsum(is_new, dtype=np.int32) - 1
        # One form of "missing" per column: a mix of NA and ? would tell rows of one class apart.
        missing, missing_quoted = None, False
        if is_missing.any():
            values.append(None)
            counts = np.bincount(raw.codes, minlength=len(texts))
            often = min(np.flatnonzero(is_missing), key=lambda at: (-counts[at], texts[at] or ""))
            missing = texts[often]
            missing_quoted = raw.quoted is not None and bool(raw.quoted[often])
        # Quotes are a habit of the column or they follow the value, and must then go with it.
        quoted = raw.quoted is not None and not is_missing.all() and bool(raw.quoted[~is_missing].all())
        return _Column(renumbered[raw.codes], values, missing, quoted, missing_quoted)
