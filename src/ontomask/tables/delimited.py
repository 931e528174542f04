"""Delimited text (CSV and its relatives), read as bytes and written back as bytes.

A release repeats the file byte for byte except in the fields that were masked: separator, line ends, byte
order mark, needless quotes, `007` and `1.50` survive. Files are mapped, not loaded, and written in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ontomask.arrays import Int32, Int64, UInt8
from ontomask.errors import TableError
from ontomask.tables.source import (
    Changes,
    RawColumn,
    Replacement,
    TableOptions,
    checked_names,
    checked_rows,
    digest_of_file,
)
from ontomask.tables.textfile import line_of, read_content

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_ROWS = 1000
_PIECE = 1 << 16


class Delimited:
    """A file of delimited text; see `Source`."""

    def __init__(self, path: Path, options: TableOptions) -> None:
        from ontomask.tables import _kernels

        self.path, self.label = path, str(path)
        if not path.stat().st_size:
            raise TableError(f"{path}: the file is empty")
        self.digest = digest_of_file(path)
        self.mark, self.encoding, self._data, self._body = read_content(path, options.encoding)
        if self._body == len(self._data):
            raise TableError(f"{path}: the file is empty")
        self.separator = self._separator(options.separator)
        starts, columns, problem, where, found = self._scan()
        if problem == _kernels.RAGGED:
            raise TableError(self._ragged(where, columns, found))
        if problem == _kernels.UNTERMINATED:
            raise TableError(f"{path}, line {self._line(where)}: a quote opens here and never closes")
        if problem == _kernels.AFTER_QUOTE:
            raise TableError(
                f"{path}, line {self._line(where)}: text follows a closing quote; "
                'a quote inside a quoted field must be doubled ("")'
            )
        self._starts = starts[1:]
        begins, ends = _kernels.spans(
            self._data, starts[:2], ord(self.separator), np.arange(columns), columns
        )
        self._header = [self._raw(b, e) for b, e in zip(begins[:, 0], ends[:, 0], strict=True)]
        names = [_unquoted(field) for field in self._header]
        if columns == 1 and not names[0].strip():
            raise TableError(f"{path}, line 1: the line is blank; it must hold the column names")
        self.names = checked_names(names, self.label)
        self.n_rows = checked_rows(len(self._starts) - 1, self.label)

    # ------------------------------------------------------------------ reading

    def _scan(self, separator: str | None = None, limit: int = 1 << 62) -> Any:
        from ontomask.tables import _kernels

        return _kernels.scan(self._data, self._body, len(self._data), ord(separator or self.separator), limit)

    def _separator(self, given: str | None) -> str:
        """The separator given, or the one that splits the header and every row of a sample alike."""
        from ontomask.tables import _kernels

        if given == "\\t":
            given = "\t"
        if given is not None and (len(given) != 1 or not given.isascii() or given in '"\r\n\0'):
            raise TableError(f"the separator must be one plain character, not {given!r}")
        columns, even = {}, set()
        for candidate in dict.fromkeys([*SEPARATORS, given or ","]):
            _, columns[candidate], problem, _, _ = self._scan(candidate, _SAMPLE_ROWS)
            if problem == _kernels.WHOLE:
                even.add(candidate)
        fit = [candidate for candidate in SEPARATORS if candidate in even and columns[candidate] > 1]
        if given is not None:
            if columns[given] == 1 and given in even and len(fit) == 1:
                raise TableError(
                    f"{self.label}: separated by {_named(given)} there is one column only, by "
                    f"{_named(fit[0])} there are {columns[fit[0]]}; set the separator to {fit[0]!r}"
                )
            return given
        if len(fit) > 1:
            choices = " or by ".join(f"{_named(c)} ({columns[c]} columns)" for c in fit)
            raise TableError(f"{self.label}: the columns may be separated by {choices}; set the separator")
        if fit:
            return fit[0]
        widest = max(SEPARATORS, key=lambda candidate: columns[candidate])
        if columns[widest] > 1:
            return widest  # uneven: the full scan says where
        return next((candidate for candidate in SEPARATORS if candidate in even), ",")

    def _ragged(self, where: int, columns: int, found: int) -> str:
        line = self._line(where)
        if self._data[where] in b"\r\n":
            return f"{self.path}, line {line}: the line is blank; remove it"
        return (
            f"{self.path}, line {line}: expected {columns} fields, found {found} "
            f"(separated by {_named(self.separator)}); mend the line, or give another separator"
        )

    def _line(self, position: int) -> int:
        return line_of(self._data[:position].tobytes())

    def _raw(self, begin: int, end: int) -> str:
        return self._data[begin:end].tobytes().decode()

    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts."""
        from ontomask.tables import _kernels

        slots = np.full(len(self.names), -1, np.int64)
        slots[[self.names.index(name) for name in names]] = np.arange(len(names))
        numberings = [_Numbering(self._data, self.n_rows) for _ in names]
        for first, starts in self._pieces():
            begins, ends = _kernels.spans(self._data, starts, ord(self.separator), slots, len(names))
            for slot, numbering in enumerate(numberings):
                numbering.add(first, begins[slot], ends[slot])
        columns = {}
        for name, numbering in zip(names, numberings, strict=True):
            fields = numbering.distinct()
            is_quoted = np.array([field.startswith('"') for field in fields])
            texts: list[str | None] = [*map(_unquoted, fields)] if is_quoted.any() else [*fields]
            columns[name] = RawColumn(numbering.codes, texts, is_quoted)
        return columns

    def _pieces(self) -> Iterator[tuple[int, Int64]]:
        """First row and row starts of one piece of the file after the other."""
        for first in range(0, self.n_rows, _PIECE):
            yield first, self._starts[first : first + _PIECE + 1]

    # ------------------------------------------------------------------ writing

    def to_arrow(self, changes: Changes) -> pa.Table:
        """The table with the changes made; every column is text."""
        import pyarrow as pa

        from ontomask.tables.arrow import replaced_column

        kept = changes.kept(self.names)
        read = self.raw_columns([name for name in kept if name not in changes.replaced])
        columns = []
        for name in kept:
            change = changes.replaced.get(name)
            if change is None:
                column = pa.array(read[name].texts, pa.large_string()).take(pa.array(read.pop(name).codes))
            else:
                column = replaced_column(change, pa.large_string())
            columns.append(column)
        table = pa.table(columns, names=kept)
        return table if changes.rows is None else table.filter(pa.array(changes.rows))

    def write_like(self, file: BinaryIO, changes: Changes) -> None:
        """Write the bytes of the source with the changed fields put in."""
        from ontomask.tables import _kernels

        action = np.full(len(self.names), _kernels.KEPT, np.int64)
        blobs, codes = [b""], list[Int32]()
        for column, name in enumerate(self.names):
            if name in changes.dropped:
                action[column] = _kernels.DROPPED
            elif name in changes.replaced:
                change = changes.replaced[name]
                action[column] = len(codes)
                codes.append(change.codes + np.int32(len(blobs) - 1))
                blobs += encoded_fields(change, self.separator)
        text_starts = np.cumsum([len(blob) for blob in blobs])
        texts = np.frombuffer(b"".join(blobs), np.uint8)
        coded = np.stack(codes) if codes else np.empty((0, self.n_rows), np.int32)
        rows = np.ones(self.n_rows, bool) if changes.rows is None else changes.rows

        file.write(self.mark)
        header = [h for h, name in zip(self._header, self.names, strict=True) if name not in changes.dropped]
        line_end = self._raw(self._header_end, self._starts[0])
        file.write(self._in_encoding((self.separator.join(header) + line_end).encode()))
        for first, starts in self._pieces():
            piece = slice(first, first + len(starts) - 1)
            picked = np.ascontiguousarray(coded[:, piece])
            new_bytes = int(np.diff(text_starts)[picked].sum()) if codes else 0
            out = np.empty(starts[-1] - starts[0] + new_bytes + 2 * len(starts), np.uint8)
            size = _kernels.splice(
                self._data, starts, ord(self.separator), action, picked, text_starts, texts,
                rows[piece], out,
            )  # fmt: skip
            file.write(self._in_encoding(out[:size].tobytes()))
        file.write(self._in_encoding(self._data[self._starts[-1] :].tobytes()))

    @property
    def _header_end(self) -> int:
        """Where the header's line end begins."""
        before = self._data[self._starts[0] - 2 : self._starts[0]].tobytes()
        return int(self._starts[0]) - (2 if before == b"\r\n" else 1)

    def _in_encoding(self, content: bytes) -> bytes:
        if self.encoding == "utf-8":
            return content
        try:
            return content.decode().encode(self.encoding)
        except UnicodeEncodeError as error:
            raise TableError(
                f"{error.object[error.start : error.end]!r} cannot be written in {self.encoding}, the "
                f"encoding of {self.path.name}; convert the input to UTF-8 first"
            ) from None


class _Numbering:
    """Numbers equal fields of a column alike while pieces of the file come in."""

    def __init__(self, data: UInt8, n_rows: int) -> None:
        self._data = data
        self.codes: Int32 = np.empty(n_rows, np.int32)
        self._size = 0
        self._table: Int32 = np.empty(0, np.int32)
        self._hashes = np.empty(0, np.uint64)
        self._begins: Int64 = np.empty(0, np.int64)
        self._ends: Int64 = np.empty(0, np.int64)

    def add(self, first: int, begins: Int64, ends: Int64) -> None:
        """Number the fields of rows `first`, `first + 1`, ..."""
        from ontomask.tables import _kernels

        room = self._size + len(begins)
        if 2 * room > len(self._table):
            self._table = np.full(1 << (4 * room).bit_length(), -1, np.int32)
            spare = len(self._table) // 2 - self._size
            self._hashes = np.concatenate([self._hashes[: self._size], np.empty(spare, np.uint64)])
            self._begins = np.concatenate([self._begins[: self._size], np.empty(spare, np.int64)])
            self._ends = np.concatenate([self._ends[: self._size], np.empty(spare, np.int64)])
            _kernels.rehash(self._hashes, self._size, self._table)
        self._size = _kernels.encode(
            self._data, begins, ends, self._table, self._hashes, self._begins, self._ends, self._size,
            self.codes[first : first + len(begins)],
        )  # fmt: skip

    def distinct(self) -> list[str]:
        """The distinct fields as written, in order of their numbers."""
        from ontomask.tables import _kernels

        fields = _kernels.gather(self._data, self._begins[: self._size], self._ends[: self._size])
        return str(fields.tobytes(), "utf-8").split("\0")[:-1]


# ---------------------------------------------------------------------- fields and files


def quoted(text: str, separator: str, *, always: bool = False) -> str:
    """A text as a field: in quotes if it must be, or always."""
    if always or any(mark in text for mark in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def encoded_fields(change: Replacement, separator: str) -> list[bytes]:
    """The texts of a replacement as fields."""
    missing = quoted(change.missing or "", separator, always=change.missing_quoted)
    fields = [
        missing if text is None else quoted(text, separator, always=change.quoted) for text in change.texts
    ]
    try:
        return [field.encode() for field in fields]
    except UnicodeEncodeError as error:
        raise TableError(f"{error.object!r} is not valid text and cannot be written") from None


def write_plain(file: BinaryIO, table: pa.Table, separator: str) -> None:
    """An Arrow table as plain delimited text: UTF-8, LF, quotes where needed."""
    from ontomask.tables.arrow import raw_column

    blank = '""' if table.num_columns == 1 else separator * (table.num_columns - 1)
    file.write((separator.join(quoted(name, separator) for name in table.column_names) + "\n").encode())
    for first in range(0, table.num_rows, _PIECE):
        columns = []
        for name, column in zip(table.column_names, table.slice(first, _PIECE).columns, strict=True):
            read = raw_column(name, column)
            fields = np.array([quoted(text or "", separator) for text in read.texts], object)
            columns.append(fields[read.codes].tolist())
        lines = map(separator.join, zip(*columns, strict=True))
        file.write("".join(f"{line or blank}\n" for line in lines).encode())


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _named(separator: str) -> str:
    return f"{SEPARATORS[separator]} {separator!r}" if separator in SEPARATORS else repr(separator)
