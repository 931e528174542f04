"""Delimited text (CSV and its relatives), read as bytes and written back as bytes.

A release repeats the file byte for byte except in the fields that were masked: separator, line ends, byte
order mark, needless quotes, `007` and `1.50` survive. The bytes are held as they were when the file was read,
and written in pieces.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ontomask.arrays import Int32, Int64, UInt8
from ontomask.errors import Fault, TableError
from ontomask.tables.coded import RawColumn
from ontomask.tables.header import (
    BesideTableError,
    header_of_text,
    name_faults,
    not_a_row,
    note_below,
    titles,
    titles_note,
)
from ontomask.tables.memory import MemoryTable, NewTexts, Rewriting
from ontomask.tables.options import TableOptions, check_width
from ontomask.tables.register import TABBED, TEXT
from ontomask.tables.textfile import line_of, read_content

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_ROWS = 1000
_PIECE = 1 << 16
_PIECE_FIELDS = 1 << 22
_HEAD = 1 << 16
_LAST_ROWS = 20
_LINE_END = re.compile(rb"\r\n|\n|\r")


class Delimited(MemoryTable):
    """A file of delimited text."""

    def __init__(self, path: Path, options: TableOptions) -> None:
        from ontomask.tables import _kernels

        self.path, self.label = path, str(path)
        if not path.stat().st_size:
            raise TableError("the file is empty", file=self.label)
        content = read_content(path, options.encoding)
        self.mark, self.encoding, self._data, self._body, self._digest, note = content
        if note:
            self.notes, self.found = (note,), {"encoding": self.encoding}
        if self._body == len(self._data):
            raise TableError("the file is empty", file=self.label)
        if options.header_row is not None and options.header_row > 1:
            self._body = self._start_of_line(options.header_row)
            self.notes = (*self.notes, *titles_note(options.header_row))
        self.separator = self._separator(options.separator)
        starts, columns, problem, where, found = self._scan()
        check_width(columns, self.label)
        if problem != _kernels.WHOLE or columns == 1:
            self._check_header(options)
        end = where if problem == _kernels.RAGGED and self._is_below(where, columns, found) else None
        if problem != _kernels.WHOLE and end is None:
            names = [*map(_unquoted, self._header_fields())] if columns > 1 else []
            fault = self._fault(problem, where, columns, found)
            raise TableError(*name_faults(names, self.label), fault)
        self._starts = starts[1:] if end is None else np.append(starts[1:], end)
        self._header = self._header_fields()
        names = [_unquoted(field) for field in self._header]
        if not all(name.strip() for name in names):
            self._check_header(options)
        if columns == 1 and not names[0].strip():
            line = options.header_row or 1
            raise TableError("the line is blank; it must hold the column names", file=self.label, line=line)
        end = self._first_below(columns, end)
        below = [] if end is None else [not_a_row(self.label, self._line(end))]
        try:
            super().__init__(names, len(self._starts) - 1, self.label, path, options)
        except TableError as error:
            raise TableError(*error.faults, *below) from None
        if below:
            raise BesideTableError(*below, table=self)

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return self._digest

    # ------------------------------------------------------------------ reading

    def _scan(self, separator: str | None = None, limit: int = 1 << 62) -> Any:
        from ontomask.tables import _kernels

        return _kernels.scan(self._data, self._body, len(self._data), ord(separator or self.separator), limit)

    def _header_fields(self) -> list[str]:
        """The fields of the header as written; the rows need not be whole."""
        from ontomask.tables import _kernels

        starts, columns, *_ = self._scan(limit=1)
        begins, ends = _kernels.spans(
            self._data, starts[:1], starts[1:], ord(self.separator), np.arange(columns), columns
        )
        return [self._raw(b, e) for b, e in zip(begins[:, 0], ends[:, 0], strict=True)]

    def _start_of_line(self, line: int) -> int:
        """Where a line of the file begins."""
        text = self._data[self._body :].tobytes()
        ends = islice(_LINE_END.finditer(text), line - 2, None)
        end = next((one.end() for one in ends), len(text))
        if end == len(text):
            raise TableError(f"there is no line {line}", file=self.label, key="header_row")
        return self._body + end

    def _check_header(self, options: TableOptions) -> None:
        """Something is wrong with the column names: perhaps they are farther down."""
        if options.header_row is None:
            text = self._data[self._body : self._body + _HEAD].tobytes().decode(errors="ignore")
            separators = [options.separator] if options.separator else [*SEPARATORS]
            if (line := header_of_text(text, separators)) > 1:
                raise BesideTableError(titles(self.label, line), header_row=line)

    def _first_below(self, columns: int, end: int | None) -> int | None:
        """Where a note begins that would be taken for rows, which are those before it then; else `end`."""
        n_rows = len(self._starts) - 1
        rows = np.arange(max(0, n_rows - _LAST_ROWS), n_rows)
        at = note_below(list(zip(*self._texts_at(np.arange(columns), rows), strict=True)))
        if at is None:
            return end
        self._starts = self._starts[: rows[at] + 1]
        return int(self._starts[-1])

    def _separator(self, given: str | None) -> str:
        """The separator given, or the one that splits the header and every row of a sample alike."""
        from ontomask.tables import _kernels

        if given == "\\t":
            given = "\t"
        if given is not None and (len(given) != 1 or not given.isascii() or given in '"\r\n\0'):
            raise TableError(
                f"the separator must be one plain character, not {given!r}", value=given, is_public=True
            )
        columns, even = {}, set()
        for candidate in dict.fromkeys([*SEPARATORS, given or ","]):
            _, columns[candidate], problem, _, _ = self._scan(candidate, _SAMPLE_ROWS)
            if problem == _kernels.WHOLE:
                even.add(candidate)
        fit = [candidate for candidate in SEPARATORS if candidate in even and columns[candidate] > 1]
        if given is not None:
            if columns[given] == 1 and given in even and len(fit) == 1:
                raise TableError(
                    f"separated by {_named(given)} there is one column only, by {_named(fit[0])} there are "
                    f"{columns[fit[0]]}",
                    file=self.label,
                    remedy=f"set the separator to {fit[0]!r}",
                )
            return given
        if len(fit) > 1:
            choices = " or by ".join(f"{_named(c)} ({columns[c]} columns)" for c in fit)
            raise TableError(
                f"the columns may be separated by {choices}", file=self.label, remedy="set the separator"
            )
        if fit:
            return fit[0]
        widest = max(SEPARATORS, key=lambda candidate: columns[candidate])
        if columns[widest] > 1:
            return widest  # uneven: the full scan says where
        return next((candidate for candidate in SEPARATORS if candidate in even), ",")

    def _fault(self, problem: int, where: int, columns: int, found: int) -> Fault:
        """What is wrong with a line."""
        from ontomask.tables import _kernels

        if problem == _kernels.UNTERMINATED:
            said = ("a quote opens here and never closes", "")
        elif problem == _kernels.AFTER_QUOTE:
            said = ("text follows a closing quote", 'a quote inside a quoted field must be doubled ("")')
        elif self._data[where] in b"\r\n":
            said = ("the line is blank", "remove it, and others like it")
        else:
            said = (
                f"expected {columns} fields, found {found} (separated by {_named(self.separator)})",
                "correct the line, or give another separator",
            )
        return Fault(said[0], file=self.label, line=self._line(where), remedy=said[1])

    def _is_below(self, where: int, columns: int, found: int) -> bool:
        """Whether a line that is no row begins a note or a total, and no part of the table."""
        if self._data[where] in b"\r\n":
            return self._is_end(where, columns)
        line = self._data[where : where + _HEAD].tobytes().splitlines()[0]
        return found == 1 and columns > 2 and b" " in line

    def _is_end(self, blank: int, columns: int) -> bool:
        """Whether what follows a blank line is a note or a total."""
        rest = self._data[blank : blank + _HEAD].tobytes().decode(errors="ignore").splitlines()
        rows = [row + [""] * (columns - len(row)) for row in csv.reader(rest, delimiter=self.separator)]
        return len(self._data) <= blank + _HEAD and len(rows) <= _LAST_ROWS and note_below(rows) == 0

    def line_of_row(self, row: int) -> int:
        """The line of the file where a row begins."""
        return self._line(int(self._starts[row]))

    def _line(self, position: int) -> int:
        return line_of(self._data[:position].tobytes())

    def _raw(self, begin: int, end: int) -> str:
        return self._data[begin:end].tobytes().decode()

    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts."""
        from ontomask.tables import _kernels

        slots = self._slots(names)
        numberings = [_Numbering(self._data, self.n_rows) for _ in names]
        for first, starts in self._pieces(len(names)):
            begins, ends = _kernels.spans(
                self._data, starts[:-1], starts[1:], ord(self.separator), slots, len(names)
            )
            for slot, numbering in enumerate(numberings):
                numbering.add(first, begins[slot], ends[slot])
        columns = {}
        for name, numbering in zip(names, numberings, strict=True):
            fields = numbering.distinct()
            is_quoted = np.array([field.startswith('"') for field in fields])
            texts: list[str | None] = [*map(_unquoted, fields)] if is_quoted.any() else [*fields]
            columns[name] = RawColumn(numbering.codes, texts, is_quoted)
        return columns

    def texts_of_rows(self, names: Sequence[str], rows: Int64) -> list[list[str | None]]:
        """For each of some columns the texts of some rows."""
        return self._texts_at(self._slots(names), rows)

    def _texts_at(self, slots: Int64, rows: Int64) -> list[list[str | None]]:
        from ontomask.tables import _kernels

        n = int(slots.max(initial=-1)) + 1
        begins, ends = _kernels.spans(
            self._data, self._starts[rows], self._starts[rows + 1], ord(self.separator), slots, n
        )
        return [[*map(_unquoted, _fields(self._data, begins[at], ends[at]))] for at in range(n)]

    def _slots(self, names: Sequence[str]) -> Int64:
        """The place of each column of the file among `names`, -1 if it is not there."""
        wanted = {name: at for at, name in enumerate(names)}
        return np.array([wanted.get(name, -1) for name in self.names], np.int64)

    def _pieces(self, columns: int = 1) -> Iterator[tuple[int, Int64]]:
        """First row and row starts of one piece of the file after the other; the wider, the fewer rows."""
        rows = max(1, min(_PIECE, _PIECE_FIELDS // max(1, columns)))
        for first in range(0, self.n_rows, rows):
            yield first, self._starts[first : first + rows + 1]

    # ------------------------------------------------------------------ writing

    def rewritten(self, rewriting: Rewriting) -> pa.Table:
        """The release as Arrow; every column is text."""
        import pyarrow as pa

        from ontomask.tables.arrow import new_column

        kept = rewriting.kept(self.names)
        read = self.raw_columns([name for name in kept if name not in rewriting.masked])
        rows = slice(None) if rewriting.rows is None else rewriting.rows
        columns = []
        for name in kept:
            if name in rewriting.masked:
                column = new_column(rewriting.masked[name], rewriting.codes[rows], pa.large_string())
            else:
                texts, codes = pa.array(read[name].texts, pa.large_string()), read.pop(name).codes
                column = texts.take(pa.array(codes[rows]))
            columns.append(column)
        return pa.table(columns, names=kept)

    def write_own(self, path: Path, suffix: str, rewriting: Rewriting) -> TableOptions | None:
        """Write text with the same separator as the bytes of the source."""
        assert self.path is not None
        was_tabbed = self.path.suffix.lower() in TABBED
        separator = "\t" if suffix in TABBED else "," if was_tabbed and suffix == ".csv" else self.separator
        if suffix not in TEXT or separator != self.separator:
            return None
        with path.open("wb") as file:
            self.write_like(file, rewriting)
        return replace(self.options, separator=separator, encoding=self.encoding, header_row=None)

    def with_rewritten(self, rewriting: Rewriting) -> Delimited:
        """The text with some fields replaced."""
        found = self._anew()
        found._data, found._body = np.frombuffer(b"".join(self._spliced(rewriting)), np.uint8), 0
        found._starts = found._scan()[0][1:]
        return found

    def write_like(self, file: BinaryIO, rewriting: Rewriting) -> None:
        """Write the bytes of the source with the masked fields put in."""
        file.write(self.mark)
        for piece in self._spliced(rewriting) if rewriting.order is None else self._reordered(rewriting):
            file.write(self._in_encoding(piece))

    def _reordered(self, rewriting: Rewriting) -> Iterator[bytes]:
        """The same with the rows in another order; the last line ends as the last line did."""
        assert rewriting.order is not None
        text = self.with_rewritten(rewriting)
        content, starts = text._data.tobytes(), text._starts.tolist()
        yield content[: starts[0]]
        rows = [content[begin:end] for begin, end in pairwise(starts)]
        line_end = self._raw(self._header_end, self._starts[0]).encode()
        is_open = not rows[-1].endswith((b"\r", b"\n"))
        if is_open:
            rows[-1] += line_end
        body = b"".join([rows[row] for row in rewriting.order.tolist()])
        yield body.removesuffix(line_end) if is_open else body
        yield content[starts[-1] :]

    def _spliced(self, rewriting: Rewriting) -> Iterator[bytes]:
        """The text of the source with the masked fields put in, in UTF-8: the header, rows, what follows."""
        from ontomask.tables import _kernels

        action = np.full(len(self.names), _kernels.KEPT, np.int64)
        fields: list[bytes] = []
        for column, name in enumerate(self.names):
            if name in rewriting.dropped:
                action[column] = _kernels.DROPPED
            elif name in rewriting.masked:
                action[column] = len(fields)
                fields += encoded_fields(name, rewriting.masked[name], self.separator)
        sizes = np.array([len(field) for field in fields], np.int64)
        text_starts = np.concatenate([[0], np.cumsum(sizes)])
        texts = np.frombuffer(b"".join(fields), np.uint8)
        replaced = [int(first) for first in action if first >= 0]
        rows = np.ones(self.n_rows, bool) if rewriting.rows is None else rewriting.rows

        header = [h for h, n in zip(self._header, self.names, strict=True) if n not in rewriting.dropped]
        line_end = self._raw(self._header_end, self._starts[0])
        yield (self.separator.join(header) + line_end).encode()
        for first, starts in self._pieces():
            piece = slice(first, first + len(starts) - 1)
            codes = rewriting.codes[piece]
            new_bytes = sum(int(sizes[first_text + codes].sum()) for first_text in replaced)
            out = np.empty(starts[-1] - starts[0] + new_bytes + 2 * len(starts), np.uint8)
            size = _kernels.splice(
                self._data, starts, ord(self.separator), action, codes, text_starts, texts, rows[piece], out,
            )  # fmt: skip
            yield out[:size].tobytes()
        yield self._data[self._starts[-1] :].tobytes()

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
            value = error.object[error.start : error.end]
            raise TableError(
                f"{value!r} cannot be written in {self.encoding}, the encoding of {Path(self.label).name}",
                value=value,
                remedy="convert the input to UTF-8 first",
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
        return _fields(self._data, self._begins[: self._size], self._ends[: self._size])


# ---------------------------------------------------------------------- fields and files


def quoted(text: str, separator: str, *, always: bool = False) -> str:
    """A text as a field: in quotes if it must be, or always."""
    if always or any(mark in text for mark in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def encoded_fields(column: str, new: NewTexts, separator: str) -> list[bytes]:
    """The texts of a masked column as fields."""
    writing = new.writing
    missing = quoted(writing.missing or "", separator, always=writing.missing_quoted)
    fields = [
        missing if text is None else quoted(text, separator, always=writing.quoted) for text in new.texts
    ]
    try:
        return [field.encode() for field in fields]
    except UnicodeEncodeError as error:
        raise TableError(
            f"{error.object!r} is not valid text and cannot be written", column=column, value=error.object
        ) from None


def open_file(path: Path, options: TableOptions) -> Delimited:
    """Read a file of delimited text; if it holds more than its table, what else is wrong is told as well."""
    try:
        return Delimited(path, options)
    except BesideTableError as error:
        if not error.header_row:
            raise
        above = error
    table, others = None, tuple[Fault, ...]()
    try:
        table = Delimited(path, replace(options, header_row=above.header_row))
    except TableError as error:
        others, table = error.faults, getattr(error, "table", None)
    raise BesideTableError(*above.faults, *others, header_row=above.header_row, table=table)


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write an Arrow table as plain text, with tabs or commas by the path's ending."""
    with path.open("wb") as file:
        write_plain(file, table, "\t" if path.suffix.lower() in TABBED else ",")


def write_pieces(path: Path, schema: pa.Schema, pieces: Iterable[pa.Table], like: Path | None) -> None:
    """The same of a table that comes in pieces."""
    separator = "\t" if path.suffix.lower() in TABBED else ","
    with path.open("wb") as file:
        write_plain(file, schema.empty_table(), separator)
        for piece in pieces:
            _write_lines(file, piece, separator)


def write_plain(file: BinaryIO, table: pa.Table, separator: str) -> None:
    """An Arrow table as plain delimited text: UTF-8, LF, quotes where needed."""
    file.write((separator.join(quoted(name, separator) for name in table.column_names) + "\n").encode())
    _write_lines(file, table, separator)


def _write_lines(file: BinaryIO, table: pa.Table, separator: str) -> None:
    from ontomask.tables.arrow import raw_column

    blank = '""' if table.num_columns == 1 else separator * (table.num_columns - 1)
    for first in range(0, table.num_rows, _PIECE):
        columns = []
        for name, column in zip(table.column_names, table.slice(first, _PIECE).columns, strict=True):
            read = raw_column(name, column)
            fields = np.array([quoted(text or "", separator) for text in read.texts], object)
            columns.append(fields[read.codes].tolist())
        lines = map(separator.join, zip(*columns, strict=True))
        file.write("".join(f"{line or blank}\n" for line in lines).encode())


def _fields(data: UInt8, begins: Int64, ends: Int64) -> list[str]:
    """Some fields as written."""
    from ontomask.tables import _kernels

    return str(_kernels.gather(data, begins, ends).tobytes(), "utf-8").split("\0")[:-1]


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _named(separator: str) -> str:
    return f"{SEPARATORS[separator]} {separator!r}" if separator in SEPARATORS else repr(separator)
