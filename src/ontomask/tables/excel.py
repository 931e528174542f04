"""Excel workbooks: one sheet in, one sheet out.

A release is a new workbook with the released sheet alone: other sheets, comments, hidden names and the
author of the original do not travel along. Cells that are not masked keep their kind (number, text, date).
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import Fault, TableError, said_by
from ontomask.tables.archive import check_archive
from ontomask.tables.arrow import ArrowTable, number_text, raw_column
from ontomask.tables.header import BesideTableError, header_at, not_a_row, note_below, titles, titles_note
from ontomask.tables.memory import Rewriting
from ontomask.tables.options import DEFAULT_NAME, TableOptions

if TYPE_CHECKING:
    import pyarrow as pa

_NEEDED = "Excel files need two more packages"
_INSTALL = "pip install 'ontomask[excel]'"
_MOST_ROWS = 1_048_575
_MOST_COLUMNS = 16_384
_EXACT = 2**53
_LAST_ROWS = 20
_MOST_TOLD = 30  # rows with a number that is too large
_TIMES = {dt.date: "yyyy-mm-dd", dt.datetime: "yyyy-mm-dd hh:mm:ss", dt.time: "hh:mm:ss"}


class Worksheet(ArrowTable):
    """A sheet; columns of mixed kinds are text in Arrow and keep their cells in a workbook."""

    def __init__(
        self,
        path: Path,
        sheet: str,
        names: list[str],
        columns: list[tuple[Any, ...]],
        options: TableOptions,
        digest: str,
    ) -> None:
        import pyarrow as pa

        self._cells = dict(zip(names, columns, strict=True))
        table = pa.table([_column(c) for c in columns], names=names)
        super().__init__(table, f"{path}, sheet {sheet!r}", options, path, digest=digest)

    def line_of_row(self, row: int) -> int:
        """The row of the sheet."""
        return (self.options.header_row or 1) + 1 + row

    def with_rewritten(self, rewriting: Rewriting) -> Worksheet:
        """The sheet with some texts replaced; all other cells keep their kind."""
        found = super().with_rewritten(rewriting)
        assert isinstance(found, Worksheet)
        new = {name: tuple(_cells(name, found.table.column(name))) for name in rewriting.masked}
        found._cells = self._cells | new
        return found

    def write_own(self, path: Path, suffix: str, rewriting: Rewriting) -> TableOptions | None:
        """Write a workbook in which cells that are not masked keep their kind."""
        if suffix != ".xlsx":
            return None
        table = self.rewritten(rewriting)
        keep = [True] * self.n_rows if rewriting.rows is None else rewriting.rows.tolist()
        cells = {
            name: _cells(name, table.column(name))
            if name in rewriting.masked
            else [cell for cell, kept in zip(self._cells[name], keep, strict=True) if kept]
            for name in table.column_names
        }
        if rewriting.order is not None:
            order = rewriting.order.tolist()
            cells = {name: [column[row] for row in order] for name, column in cells.items()}
        write_sheet(path, cells, self.options.sheet or DEFAULT_NAME)
        return replace(self.options, header_row=None)


def open_file(path: Path, options: TableOptions) -> Worksheet:
    """Read one sheet of a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise TableError(_NEEDED, file=str(path), remedy=_INSTALL) from None
    content = path.read_bytes()
    check_archive(content, path)
    try:
        workbook = CalamineWorkbook.from_filelike(BytesIO(content))
        if not workbook.sheet_names:
            raise TableError("the workbook has no sheet", file=str(path))
        sheet = options.sheet or workbook.sheet_names[0]
        if sheet not in workbook.sheet_names:
            there = ", ".join(map(repr, workbook.sheet_names))
            raise TableError(
                f"there is no sheet {sheet!r}",
                file=str(path),
                value=sheet,
                is_public=True,
                remedy=f"the workbook has {there}",
            )
        page = workbook.get_sheet_by_name(sheet)
        every, above = page.to_python() or [[]], page.start[0] if page.start else 0
    except CalamineError as error:
        raise TableError("not a readable workbook", file=str(path), details=said_by(error)) from error
    if not every[0]:
        raise TableError(f"the sheet {sheet!r} is empty", file=str(path))
    label = f"{path}, sheet {sheet!r}"
    guessed = 0 if options.header_row else _header_below_titles(every, above)
    header_row = options.header_row or guessed or above + 1
    if not above < header_row <= above + len(every):
        raise TableError(f"row {header_row} is empty", file=label, key="header_row")
    faults = [titles(label, guessed)] if guessed else []
    header, *rows = every[header_row - 1 - above :]
    if (at := note_below(rows[-_LAST_ROWS:])) is not None:
        end = max(0, len(rows) - _LAST_ROWS) + at
        faults.append(not_a_row(label, header_row + 1 + end))
        rows = rows[:end]
    faults += _too_large(rows, header_row + 1, str(path))
    names = [_text(cell) or "" for cell in header]
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    digest = hashlib.sha256(content).hexdigest()
    try:
        opened = Worksheet(path, sheet, names, columns, replace(options, header_row=header_row), digest)
    except TableError as error:
        raise TableError(*error.faults, *faults) from None
    if faults:
        raise BesideTableError(*faults, header_row=guessed, table=opened)
    opened.notes = titles_note(options.header_row or 1)
    return opened


def _header_below_titles(every: Sequence[Sequence[Any]], above: int) -> int:
    """The row of the sheet that looks like the column names if titles stand above it, else 0.

    The first `above` rows of the sheet are empty.
    """
    at = header_at(every)
    return above + at + 1 if at and any(_is_nothing(cell) for cell in every[0]) else 0


def _too_large(rows: Sequence[Sequence[Any]], first: int, label: str) -> list[Fault]:
    """What is wrong with numbers that no column can hold; `first` is the row of the first."""
    return [
        Fault(
            "a cell holds a number that is too large",
            file=label,
            line=line,
            remedy="correct it, or make it text",
        )
        for line, row in enumerate(rows, first)
        if any(isinstance(cell, float) and isinf(cell) for cell in row)
    ][:_MOST_TOLD]


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write an Arrow table as the one sheet of a workbook."""
    cells = {name: _cells(name, table.column(name)) for name in table.column_names}
    write_sheet(path, cells, DEFAULT_NAME)


def _cells(name: str, column: pa.ChunkedArray) -> list[Any]:
    """Values of kinds that a sheet has; texts in the place of any other."""
    import pyarrow as pa

    t, kind = pa.types, column.type
    plain = t.is_integer(kind) or t.is_float64(kind) or t.is_boolean(kind) or t.is_date32(kind)
    if plain or (t.is_timestamp(kind) and kind.tz is None and kind.unit != "ns"):
        try:
            return list(column.to_pylist())
        except (OverflowError, ValueError):  # a year that Python does not have
            pass
    read = raw_column(name, column)
    is_number = t.is_floating(kind)
    texts = [float(text) if is_number and text is not None else text for text in read.texts]
    return [texts[code] for code in read.codes.tolist()]


def write_sheet(path: Path, cells: dict[str, list[Any]], sheet: str) -> None:
    """Write one sheet as a new workbook."""
    try:
        import xlsxwriter
    except ImportError:
        raise TableError(_NEEDED, file=str(path), remedy=_INSTALL) from None
    columns = list(cells.values())
    for what, there, most in (
        ("rows", len(columns[0]), _MOST_ROWS),
        ("columns", len(columns), _MOST_COLUMNS),
    ):
        if there > most:
            raise TableError(f"a sheet holds {most:,} {what}, not {there:,}", remedy="write Parquet or CSV")
    # In memory: a temporary folder elsewhere is no place for somebody's table.
    content = BytesIO()
    workbook = xlsxwriter.Workbook(content, {"in_memory": True})
    page = workbook.add_worksheet(sheet)
    formats = {kind: workbook.add_format({"num_format": code}) for kind, code in _TIMES.items()}
    for at, row in enumerate([tuple(cells), *zip(*columns, strict=True)]):
        is_empty = True
        for column, (name, cell) in enumerate(zip(cells, row, strict=True)):
            if _is_nothing(cell):
                continue
            is_empty = False
            if _write(page, at, column, cell, formats) < 0:
                raise TableError(
                    "the text is too long for a cell (32,767 characters)", line=at + 1, column=name
                )
        if is_empty:
            page.write_string(at, 0, "")  # a row without any cell would not be there
    workbook.close()
    path.write_bytes(content.getvalue())


def _write(page: Any, row: int, column: int, cell: Any, formats: Mapping[Any, Any]) -> int:
    if isinstance(cell, bool):
        status = page.write_boolean(row, column, cell)
    elif isinstance(cell, (int, float)) and abs(cell) <= _EXACT:
        status = page.write_number(row, column, cell)
    elif type(cell) in formats and _fits(cell):
        status = page.write_datetime(row, column, cell, formats[type(cell)])
    else:
        # Never as a formula or a link, whatever the text begins with.
        text = _text(cell) or ""
        if any(mark in text for mark in "\ufffe\uffff"):
            raise TableError("a sheet has no place for U+FFFE and U+FFFF", value=text, remedy="write CSV")
        status = page.write_string(row, column, text)
    return int(status)


def _is_nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell) or (isinstance(cell, float) and cell != cell)


def _fits(when: Any) -> bool:
    """Whether Excel has a number for a time: from 1900 on, in milliseconds, and nowhere in particular."""
    is_exact = getattr(when, "microsecond", 0) % 1000 == 0
    return getattr(when, "year", 1900) >= 1900 and is_exact and getattr(when, "tzinfo", None) is None


def _column(cells: Sequence[Any]) -> pa.Array:
    """An Arrow column of the kind its cells share, else of text."""
    import pyarrow as pa

    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        whole = all(v is None or (float(v).is_integer() and abs(v) <= _EXACT) for v in values)
        return pa.array(values, pa.int64() if whole and kinds else pa.float64() if kinds else pa.string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {dt.date}:
        return pa.array(values, pa.date32())
    if kinds == {dt.datetime}:
        return pa.array(values, pa.timestamp("us"))
    return pa.array([_text(value) for value in values], pa.string())


def _text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    return number_text(float(cell)) if isinstance(cell, (int, float)) and abs(cell) <= _EXACT else str(cell)
