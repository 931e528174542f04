"""Excel workbooks: one sheet in, one sheet out.

A release is a new workbook with the released sheet alone: other sheets, comments, hidden names and the
author of the original do not travel along. Cells that are not masked keep their kind (number, text, date).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError
from ontomask.tables.arrow import ArrowTable, number_text
from ontomask.tables.memory import Rewriting
from ontomask.tables.options import TableOptions

if TYPE_CHECKING:
    import pyarrow as pa

_NEEDED = "Excel files need two more packages"
_INSTALL = "pip install 'ontomask[excel]'"
_MOST_ROWS = 1_048_575
_EXACT = 2**53
_TIMES = {dt.date: "yyyy-mm-dd", dt.datetime: "yyyy-mm-dd hh:mm:ss", dt.time: "hh:mm:ss"}


class Worksheet(ArrowTable):
    """A sheet; columns of mixed kinds are text in Arrow and keep their cells in a workbook."""

    def __init__(
        self, path: Path, sheet: str, names: list[str], columns: list[tuple[Any, ...]], options: TableOptions
    ) -> None:
        import pyarrow as pa

        self.sheet = sheet
        self._cells = dict(zip(names, columns, strict=True))
        table = pa.table([_column(c) for c in columns], names=names)
        super().__init__(table, f"{path}, sheet {sheet!r}", options, path)

    def write_own(self, path: Path, suffix: str, rewriting: Rewriting) -> TableOptions | None:
        """Write a workbook in which cells that are not masked keep their kind."""
        if suffix != ".xlsx":
            return None
        table = self.rewritten(rewriting)
        keep = [True] * self.n_rows if rewriting.rows is None else rewriting.rows.tolist()
        cells = {
            name: table.column(name).to_pylist()
            if name in rewriting.masked
            else [cell for cell, kept in zip(self._cells[name], keep, strict=True) if kept]
            for name in table.column_names
        }
        write_sheet(path, cells, self.sheet)
        return self.options


def open_file(path: Path, options: TableOptions) -> Worksheet:
    """Read one sheet of a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise TableError(_NEEDED, file=str(path), remedy=_INSTALL) from None
    try:
        workbook = CalamineWorkbook.from_path(path)
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
        header, *rows = workbook.get_sheet_by_name(sheet).to_python() or [[]]
    except CalamineError as error:
        raise TableError(f"not a readable workbook ({error})", file=str(path)) from error
    if not header:
        raise TableError(f"the sheet {sheet!r} is empty", file=str(path))
    names = [_text(cell) or "" for cell in header]
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return Worksheet(path, sheet, names, columns, options)


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write an Arrow table as the one sheet of a workbook."""
    write_sheet(path, table.to_pydict(), "release")


def write_sheet(path: Path, cells: dict[str, list[Any]], sheet: str) -> None:
    """Write one sheet as a new workbook."""
    try:
        import xlsxwriter
    except ImportError:
        raise TableError(_NEEDED, file=str(path), remedy=_INSTALL) from None
    columns = list(cells.values())
    if columns and len(columns[0]) > _MOST_ROWS:
        raise TableError(
            f"a sheet holds {_MOST_ROWS:,} rows, not {len(columns[0]):,}", remedy="write Parquet or CSV"
        )
    # In memory: a temporary folder elsewhere is no place for somebody's table.
    workbook = xlsxwriter.Workbook(str(path), {"in_memory": True})
    page = workbook.add_worksheet(sheet)
    formats = {kind: workbook.add_format({"num_format": code}) for kind, code in _TIMES.items()}
    for at, row in enumerate([tuple(cells), *zip(*columns, strict=True)]):
        for column, cell in enumerate(row):
            if _write(page, at, column, cell, formats) < 0:
                raise TableError("the text is too long for a cell (32,767 characters)", line=at + 1)
    try:
        workbook.close()
    except xlsxwriter.exceptions.FileCreateError as error:
        raise OSError(str(error)) from error


def _write(page: Any, row: int, column: int, cell: Any, formats: Mapping[Any, Any]) -> int:
    if cell is None or cell == "":
        return 0
    if isinstance(cell, bool):
        status = page.write_boolean(row, column, cell)
    elif isinstance(cell, (int, float)) and abs(cell) <= _EXACT:
        status = page.write_number(row, column, cell)
    elif type(cell) in formats:
        status = page.write_datetime(row, column, cell, formats[type(cell)])
    else:
        # Never as a formula or a link, whatever the text begins with.
        status = page.write_string(row, column, _text(cell))
    return int(status)


def _column(cells: Sequence[Any]) -> pa.Array:
    """An Arrow column of the kind its cells share, else of text."""
    import pyarrow as pa

    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        whole = all(value is None or float(value).is_integer() for value in values)
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
    return number_text(float(cell)) if isinstance(cell, (int, float)) and abs(cell) <= _EXACT else str(cell)
