"""A table about to leave the house: written to a file or handed over in memory.

A file is written beside its target, checked as it stands there, and moved into place only then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError
from ontomask.files import replacing
from ontomask.tables.delimited import Delimited, write_plain
from ontomask.tables.source import Changes, Source, TableOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.tables.table import Table

TEXT = (".csv", ".txt", ".tsv", ".tab", ".dat", ".data")
TABBED = (".tsv", ".tab")
ARROW = (".parquet", ".arrow", ".feather", ".ipc")
EXCEL = (".xlsx",)
DUCKDB = (".duckdb",)
SUFFIXES = (*TEXT, *ARROW, *EXCEL, *DUCKDB)


class Release:
    """A source with its changes; nothing is computed before it is asked for."""

    def __init__(self, source: Source, changes: Changes, options: TableOptions) -> None:
        self._source, self._changes, self._options = source, changes, options

    @property
    def names(self) -> tuple[str, ...]:
        """Columns in order."""
        return tuple(self._changes.kept(self._source.names))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._source.n_rows if self._changes.rows is None else int(self._changes.rows.sum())

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        return self._source.to_arrow(self._changes)

    def to_pandas(self) -> Any:
        """As a pandas data frame."""
        try:
            import pandas  # noqa: F401 - asked for here so that its absence is told plainly
        except ImportError:
            raise TableError("to_pandas() needs pandas: pip install pandas") from None
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """As a polars data frame."""
        try:
            import polars
        except ImportError:
            raise TableError("to_polars() needs polars: pip install polars") from None
        return polars.from_arrow(self.to_arrow())

    def write(self, path: str | Path, check: Callable[[Table], object] | None = None) -> None:
        """Write in the format of the path's suffix; in the dialect of the source if that is the same.

        `check` is given the finished file, opened as a table, before it is moved into place. If it raises,
        nothing is left.
        """
        from ontomask.tables import open_table

        path = Path(path)
        known_suffix(path, "written")
        try:
            in_the_way, has_folder = path.is_dir(), path.parent.is_dir()
        except OSError as error:
            raise TableError(f"cannot write {path}: {error.strerror}") from None
        if in_the_way:
            raise TableError(f"cannot write {path}: it is a folder; give a file name in it")
        if not has_folder:
            raise TableError(f"cannot write {path}: there is no folder {path.parent}; make it first")
        with replacing(path) as temporary:
            options = self._write(temporary, path.suffix.lower())
            if check is not None:
                check(open_table(temporary, options))

    def _write(self, path: Path, suffix: str) -> TableOptions:
        """Write, and return the options that read it back."""
        source, changes = self._source, self._changes
        options = replace(self._options, separator=None, encoding="utf-8", sheet=None, table=None)
        if suffix in TEXT:
            separator = self._separator(suffix)
            with path.open("wb") as file:
                if isinstance(source, Delimited) and separator == source.separator:
                    source.write_like(file, changes)
                    options = replace(options, encoding=source.encoding)
                else:
                    write_plain(file, self.to_arrow(), separator)
            return replace(options, separator=separator)
        if suffix in ARROW:
            from ontomask.tables.arrow import write_arrow_file

            write_arrow_file(path, self.to_arrow(), like=getattr(source, "path", None))
        elif suffix in EXCEL:
            from ontomask.tables.excel import Worksheet, write_sheet

            if isinstance(source, Worksheet):
                write_sheet(path, source.cells(changes), source.sheet)
            else:
                write_sheet(path, self.to_arrow().to_pydict(), "release")
        else:
            from ontomask.tables.duckdb_file import write_duckdb

            write_duckdb(path, source, changes)
        return options

    def _separator(self, suffix: str) -> str:
        if suffix in TABBED:
            return "\t"
        if isinstance(self._source, Delimited):
            was_tabbed = self._source.path.suffix.lower() in TABBED
            return "," if was_tabbed and suffix == ".csv" else self._source.separator
        return ","


def known_suffix(path: Path, done: str) -> str:
    """The suffix of a path, if it is that of a format."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TableError(
            f"{path}: files ending in {suffix or 'nothing'!r} cannot be {done}; use {', '.join(SUFFIXES)}"
        )
    return suffix
