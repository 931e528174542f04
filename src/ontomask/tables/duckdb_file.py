"""Tables in DuckDB files. A release is a new file with the released table alone.

Columns that are not masked are copied by DuckDB itself, so every type it has is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.errors import TableError
from ontomask.tables.arrow import ArrowTable, replaced_column
from ontomask.tables.source import Changes, Source, TableOptions, digest_of_file

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_NAME = "release"
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'"


class DuckDbTable(ArrowTable):
    """A table of a DuckDB file; see `Source`."""

    def __init__(self, path: Path, options: TableOptions) -> None:
        import duckdb

        self.file = path
        try:
            with duckdb.connect(str(path), read_only=True) as connection:
                there = [
                    name for (name,) in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
                ]
                self.table_name = _chosen(path, there, options.table)
                table = connection.sql(f"SELECT * FROM {_name(self.table_name)}").to_arrow_table()
        except duckdb.Error as error:
            raise TableError(f"{path}: not a readable DuckDB file ({error})") from error
        super().__init__(table, f"{path}, table {self.table_name!r}", path)


def write_duckdb(path: Path, source: Source, changes: Changes) -> None:
    """Write the released table; unmasked columns of a DuckDB source come straight from its file."""
    import duckdb

    path.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(path)) as connection:
            if not isinstance(source, DuckDbTable):
                released = source.to_arrow(changes)
                connection.register("released", released)
                connection.sql(f"CREATE TABLE {_name(DEFAULT_NAME)} AS SELECT * FROM released")
                return
            if digest_of_file(source.file) != source.digest:
                raise TableError(f"{source.file}: the file was changed since it was read; start again")
            connection.sql(f"ATTACH {_literal(str(source.file))} AS original (READ_ONLY)")
            masked = _masked(source, changes)
            connection.register("masked", masked)
            columns = ", ".join(
                (f"masked.{masked.column_names[list(changes.replaced).index(name)]} AS {_name(name)}")
                if name in changes.replaced
                else f"stored.{_name(name)}"
                for name in changes.kept(source.names)
            )
            table = _name(source.table_name)
            connection.sql(
                f"CREATE TABLE main.{table} AS SELECT {columns} "
                f"FROM original.main.{table} AS stored POSITIONAL JOIN masked WHERE masked.kept"
            )
    except duckdb.Error as error:
        raise OSError(str(error)) from error
    finally:
        path.with_name(path.name + ".wal").unlink(missing_ok=True)


def _masked(source: DuckDbTable, changes: Changes) -> pa.Table:
    """The new columns as column_0, column_1, ... and which rows are kept, for all rows of the source."""
    import numpy as np
    import pyarrow as pa

    columns = {
        f"column_{i}": replaced_column(change, source.table.schema.field(name).type)
        for i, (name, change) in enumerate(changes.replaced.items())
    }
    kept = np.ones(source.n_rows, bool) if changes.rows is None else changes.rows
    return pa.table({**columns, "kept": pa.array(kept)})


def _chosen(path: Path, there: list[str], wanted: str | None) -> str:
    listed = ", ".join(map(repr, sorted(there))) or "none"
    if wanted is None:
        if len(there) != 1:
            raise TableError(f"{path}: set which table is meant; the file has {listed}")
        return there[0]
    if wanted not in there:
        raise TableError(f"{path}: there is no table {wanted!r}; the file has {listed}")
    return wanted


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
