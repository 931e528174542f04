"""A workbook before it is read: what it unpacks to, and how far its cells reach.

A file of a few kilobytes can unpack to more than any machine has, or put two cells so far apart that the area
between them is. Its reader would make room for all of it, so this is found out first, on a stream. Knows the
marks of cells and rows in XML, not what they hold.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO

from ontomask.errors import TableError, said_by

_MOST_BYTES = 1 << 31
_MOST_CELLS = 50_000_000
_PIECE = 1 << 22
_CELL = re.compile(rb"<(?:\w+:)?c(?=[\s/>])")
_CELL_AT = re.compile(rb"<(?:\w+:)?c\s(?:[^>]*?\s)?r\s*=\s*[\"']([A-Za-z]{1,7})(\d{1,9})")
_ROW = re.compile(rb"<(?:\w+:)?row(?=[\s/>])")
_ROW_AT = re.compile(rb"<(?:\w+:)?row\s(?:[^>]*?\s)?r\s*=\s*[\"'](\d{1,9})")


def check_archive(packed: bytes, path: Path) -> None:
    """Raise if a workbook is damaged, or would need more memory than a sheet may have."""
    try:
        with zipfile.ZipFile(BytesIO(packed)) as archive:
            total = sum(part.file_size for part in archive.infolist())
            if total > _MOST_BYTES:
                raise TableError(
                    f"the workbook unpacks to {total:,} bytes; at most {_MOST_BYTES:,} are read",
                    file=str(path),
                    remedy="save the sheet as CSV",
                )
            for part in archive.infolist():
                with archive.open(part) as content:  # more bytes than were declared are an error here
                    height, width = _extent(content)
                if height * width > _MOST_CELLS:
                    raise TableError(
                        f"a sheet ({part.filename}) reaches over {height:,} rows and {width:,} columns; "
                        f"at most {_MOST_CELLS:,} cells are read",
                        file=str(path),
                        remedy="delete the cells far from the table, or save it as CSV",
                    )
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise TableError("not a readable workbook", file=str(path), details=said_by(error)) from error


def _extent(content: IO[bytes]) -> tuple[int, int]:
    """Rows and columns that the cells of a sheet take at most; zero if there are none."""
    last_row = last_column = without_number = widest = in_row = 0
    rest = b""
    while piece := content.read(_PIECE):
        piece = rest + piece
        cut = piece.rfind(b"<")
        piece, rest = (piece[:cut], piece[cut:]) if cut > 0 and len(piece) - cut < _PIECE else (piece, b"")
        row, column, plain_rows, plain_cells = _counted(piece)
        last_row, last_column = max(last_row, row), max(last_column, column)
        without_number += plain_rows
        if plain_cells or in_row:
            cells = [len(_CELL.findall(one)) for one in _ROW.split(piece)]
            cells[0] += in_row
            widest, in_row = max(widest, *cells), cells[-1]
    row, column, plain_rows, plain_cells = _counted(rest)
    return (
        max(last_row, row) + without_number + plain_rows,
        max(last_column, column) + widest + plain_cells,
    )


def _counted(piece: bytes) -> tuple[int, int, int, int]:
    """The last row and column that are named, and how many rows and cells are not."""
    cells, rows = _CELL_AT.findall(piece), _ROW_AT.findall(piece)
    row = max(max((int(digits) for _, digits in cells), default=0), max(map(int, rows), default=0))
    column = max(map(_column, {letters for letters, _ in cells}), default=0)
    return row, column, len(_ROW.findall(piece)) - len(rows), len(_CELL.findall(piece)) - len(cells)


def _column(letters: bytes) -> int:
    """The number of a column.

    >>> _column(b"A"), _column(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number
