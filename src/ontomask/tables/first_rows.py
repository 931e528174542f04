"""The first rows of a table, to be looked at while the rest is still being read.

Of a long text file only the beginning is read, as a file of its own: what would be found out of it (encoding,
separator) is found out of that. Where this does not do, whoever asks has to wait for the whole table.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from ontomask.tables import TableOptions, open_table
from ontomask.tables.register import TEXT
from ontomask.tables.table import FirstRows

_BEGINNING = 1 << 16  # bytes


def is_soon_told(path: Path) -> bool:
    """Whether the first rows can be had without reading all of a long file."""
    return path.suffix.lower() in TEXT or path.stat().st_size <= _BEGINNING


def first_rows(path: Path, options: TableOptions, most: int = 20) -> FirstRows:
    """Names of the columns and texts of the first rows; a `TableError` if they cannot be told so soon.

    >>> from ontomask import datasets
    >>> names, rows = first_rows(datasets.path("patients.csv"), TableOptions(), 2)
    >>> names[:2], rows[1][1]
    (('name', 'age'), '30')
    """
    if path.suffix.lower() not in TEXT or path.stat().st_size <= _BEGINNING:
        return open_table(path, options).first_rows(most)
    with TemporaryDirectory() as folder, path.open("rb") as file:
        beginning = Path(folder) / path.name
        content = file.read(_BEGINNING)
        beginning.write_bytes(content[: content.rfind(b"\n") + 1])
        return open_table(beginning, options).first_rows(most)
