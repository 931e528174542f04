"""Reading a user's table, counting its distinct tuples, and writing a release of it.

Whatever the format, a release differs from its source in the masked and dropped columns (and suppressed rows)
alone. This room knows files, fields and texts; it does not know ontologies, methods or plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ontomask.errors import TableError
from ontomask.tables.release import ARROW, EXCEL, TEXT, Release, known_suffix
from ontomask.tables.source import Source, TableOptions
from ontomask.tables.table import DistinctTuples, Table

__all__ = ["DistinctTuples", "Release", "Table", "TableOptions", "open_table", "smallest_class"]


def open_table(source: Any, options: TableOptions | None = None) -> Table:
    """Open a table.

    Parameters
    ----------
    source
        A path (delimited text, Parquet, Arrow or Feather, Excel, DuckDB), or a table of pandas, polars,
        pyarrow or Ibis. The index of a pandas data frame is not part of the table.
    options
        How to read it, where the file does not say.

    Raises
    ------
    TableError
        The file is missing, damaged, ragged, in another encoding, without rows, or of an unknown kind.
    """
    options = options or TableOptions()
    if isinstance(source, (str, Path)):
        return Table(_opened(Path(source), options), options)
    from ontomask.tables.arrow import ArrowTable, arrow_of

    return Table(ArrowTable(*arrow_of(source)), options)


def smallest_class(
    table: Any, columns: Sequence[str], options: TableOptions | None = None
) -> tuple[int, int]:
    """Number of classes (distinct tuples of `columns`) of a table or file, and the rows of the smallest."""
    opened = table if isinstance(table, Table) else open_table(table, options)
    tuples = opened.tuples(columns)
    return len(tuples), int(tuples.counts.min())


def _opened(path: Path, options: TableOptions) -> Source:
    try:
        if path.is_dir():
            raise TableError(f"{path} is a folder; give the file in it")
        if not path.exists():
            raise TableError(f"{path}: there is no such file")
        suffix = known_suffix(path, "read")
        if suffix in TEXT:
            from ontomask.tables.delimited import Delimited

            return Delimited(path, options)
        if not path.stat().st_size:
            raise TableError(f"{path}: the file is empty")
        if suffix in ARROW:
            from ontomask.tables.arrow import read_arrow_file

            return read_arrow_file(path)
        if suffix in EXCEL:
            from ontomask.tables.excel import read_sheet

            return read_sheet(path, options)
        from ontomask.tables.duckdb_file import DuckDbTable

        return DuckDbTable(path, options)
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from error
