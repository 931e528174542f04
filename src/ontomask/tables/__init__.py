"""Reading a user's table, counting its distinct tuples, and writing a release of it.

Whatever the format, a release differs from its source in the masked and dropped columns (and suppressed rows)
alone. This room knows files, fields and texts; it does not know ontologies, methods or plans.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontomask.errors import TableError
from ontomask.tables.address import Address, place_of
from ontomask.tables.options import TableOptions, check_regular
from ontomask.tables.pairing import Matched, matched
from ontomask.tables.register import (
    DUCKDB,
    TEXT,
    engine_named,
    engine_of_address,
    engine_of_file,
    engine_of_object,
    known_suffix,
)
from ontomask.tables.table import Dealing, Distinct, DistinctTuples, ReleasedTable, Table

__all__ = [
    "Dealing",
    "Distinct",
    "DistinctTuples",
    "Matched",
    "ReleasedTable",
    "Table",
    "TableOptions",
    "matched",
    "open_table",
]

LARGE_PARQUET = 32_000_000
"""Bytes of a Parquet file beyond which `engine: auto` takes DuckDB; memory may need forty times as many."""
LARGE_TEXT = 2_000_000_000
"""The same for text, which is held as it is; beside it, some 20 bytes a row and column in use are kept."""


def open_table(source: Any, options: TableOptions | None = None) -> Table:
    """Open a table.

    Parameters
    ----------
    source
        A path (delimited text, Parquet, Arrow or Feather, Excel, DuckDB; a folder or a pattern of Parquet
        files), the URL of a table in PostgreSQL, or a table of pandas, polars, pyarrow or Ibis. The index of
        a data frame is kept if it only numbers the rows, and refused if it may say who they are.
    options
        How to read it, where the file does not say.

    Raises
    ------
    TableError
        The file is missing, damaged, ragged, in another encoding, without rows, or of an unknown kind.
    """
    options = options or TableOptions()
    if isinstance(source, (str, Path, Address)):
        place = place_of(source, options.table)
        if isinstance(place, Path):
            return _opened(place, options)
        if options.engine != "auto":
            raise TableError(
                f"engine {options.engine} does not read tables of PostgreSQL",
                file=str(place),
                remedy="leave it out",
            )
        found: Table = engine_of_address(place).open_place(place, options)
        return found
    opened: Table = engine_of_object(source).open_object(source, options)
    return opened


def _opened(path: Path, options: TableOptions) -> Table:
    try:
        is_several = path.is_dir() or (not path.exists() and any(mark in path.name for mark in "*?["))
        if is_several and options.engine == "memory":
            raise TableError("is several files", file=str(path), remedy="use engine: duckdb")
        if not is_several:
            if not path.exists():
                raise TableError("there is no such file", file=str(path))
            check_regular(path)
            known_suffix(path, "read")
            if path.suffix.lower() not in TEXT and not path.stat().st_size:
                raise TableError("the file is empty", file=str(path))
        if options.engine == "spark":
            of_spark: Table = engine_named("spark").open_file(path, options)
            return of_spark
        by_duckdb = is_several or _by_duckdb(path, options)
        engine = engine_of_file(DUCKDB[0] if by_duckdb else path.suffix.lower())
        opened: Table = engine.open_file(path, options)
        return opened
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from error


def _by_duckdb(path: Path, options: TableOptions) -> bool:
    suffix = path.suffix.lower()
    if suffix in DUCKDB or options.engine == "duckdb":
        return True
    large = {".parquet": LARGE_PARQUET} | dict.fromkeys(TEXT, LARGE_TEXT)
    return options.engine == "auto" and suffix in large and path.stat().st_size > large[suffix]
