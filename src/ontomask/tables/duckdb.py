"""DuckDB, the engine of what does not fit into memory: Parquet files and folders, DuckDB files, large texts.

It works in this process, with a bounded part of the memory; what does not fit lies in a private temporary
folder until the table is closed. Text is read once, into a table there. Single files keep the order of rows.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

from ontomask.errors import TableError, said_by
from ontomask.machine import memory
from ontomask.tables.engine import EngineTable
from ontomask.tables.expressions import text_of
from ontomask.tables.filed import (
    Files,
    FileTable,
    check_cases,
    header_of,
    names_in_parquet,
    state_of,
)
from ontomask.tables.memory import options_of_written
from ontomask.tables.options import (
    DEFAULT_NAME,
    TableOptions,
)
from ontomask.tables.register import DUCKDB, TABBED, TEXT, known_suffix
from ontomask.tables.sql import literal, quoted

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_MEMORY = 1 << 31
_NOTHING_FETCHED: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


class DuckDbRelation(EngineTable):
    """A table of DuckDB, of whoever's connection."""

    def number_of(self, digits: Any) -> Any:
        """Eight hexadecimal digits as a number."""
        import ibis

        return (ibis.literal("0x") + digits).cast("int64")

    def batches(self, relation: Any) -> pa.RecordBatchReader:
        """A relation of any length, some rows at a time."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_stream(self.backend.con.sql(self._sql(relation)))

    def _sql(self, relation: Any) -> str:
        relation.limit(0).to_pyarrow()  # hands the small tables over, so that plain SQL can name them
        return str(self.backend.compile(relation))


class _GivenRelation(DuckDbRelation):
    """One that was given as DuckDB's own, and is given back so."""

    def given_back(self, relation: Any) -> Any:
        return self.backend.con.sql(self._sql(relation))


class DuckDbTable(FileTable, DuckDbRelation):
    """Files that DuckDB reads."""

    def __init__(
        self,
        relation: Any,
        options: TableOptions,
        files: Files,
        engine: _Engine,
        keeps_order: bool,
        label: str = "",
    ) -> None:
        self._engine, self.keeps_order = engine, keeps_order
        super().__init__(relation, options, files, label)

    def write(self, relation: Any, path: Path, suffix: str, is_ordered: bool) -> TableOptions:
        """Write with DuckDB what it can write; Arrow and Excel files go through memory."""
        if suffix in (*TEXT, *DUCKDB, ".parquet", ""):
            self._engine.run(f"SET preserve_insertion_order = {str(is_ordered).lower()}")
            self._engine.write(relation, path, suffix, self.files.files[0], self.table_name)
            return options_of_written(self.options, suffix)
        return super().write(relation, path, suffix, is_ordered)

    @property
    def table_name(self) -> str:
        """The name of the table in a DuckDB file that is written."""
        return DEFAULT_NAME

    @contextmanager
    def telling(self) -> Iterator[None]:
        """What DuckDB finds wrong with a value when it comes to it."""
        try:
            yield
        except self._engine.Error as error:
            raise TableError("DuckDB cannot read this", file=self.label, details=said_by(error)) from error


class DuckDbFile(DuckDbTable):
    """A table of a DuckDB file, which is open only while it is asked: others may write to it meanwhile."""

    def __init__(self, path: Path, options: TableOptions) -> None:
        self._engine, self._attached = _Engine.shared(), 0
        self._alias = self._engine.new_name()
        self.path, self.label, self.files = path, str(path), Files(path, [path], state_of([path]))
        try:
            with self.connected():
                found = self._engine.run(
                    "SELECT table_name FROM duckdb_tables() "
                    f"WHERE database_name = '{self._alias}' AND schema_name = 'main'"
                ).fetchall()
                self._name = _chosen(path, [name for (name,) in found], options.table)
                relation = self._engine.ibis.table(self._name, database=(self._alias, "main"))
                label = f"{path}, table {self._name!r}"
                super().__init__(relation, options, self.files, self._engine, False, label)
        except self._engine.Error as error:
            raise TableError("not a readable DuckDB file", file=str(path), details=said_by(error)) from error

    @cached_property
    def digest(self) -> str:
        """Of the rows of this table: the file has other tables, and is laid out anew at every change."""
        return self.digest_of_rows()

    @property
    def table_name(self) -> str:
        """The name that the plan gives it."""
        return self.options.table or DEFAULT_NAME

    @contextmanager
    def connected(self) -> Iterator[None]:
        """While it lasts, the file is open, and must be what it was."""
        self.check_unchanged()
        if not self._attached:
            self._engine.run(f"ATTACH {_literal(self.files.path)} AS {self._alias} (TYPE duckdb, READ_ONLY)")
        self._attached += 1
        try:
            with self.telling():
                yield
        finally:
            self._attached -= 1
            if not self._attached:
                self._engine.run(f"DETACH {self._alias}")
        self.check_unchanged()


class _Engine:
    """A DuckDB of our own, in this process; closed when the last table that uses it is gone."""

    _alive: ClassVar[weakref.ref[_Engine] | None] = None

    @classmethod
    def shared(cls) -> _Engine:
        """The one that is open, so that tables can be joined, or a new one."""
        engine = None if cls._alive is None else cls._alive()
        if engine is None:
            engine = cls()
            cls._alive = weakref.ref(engine)
        return engine

    def __init__(self) -> None:
        try:
            import duckdb
            import ibis
        except ImportError:
            raise TableError(
                "this table needs DuckDB and Ibis", remedy="pip install 'ontomask[duckdb]'"
            ) from None
        self.Error = duckdb.Error
        self._names = count(1)
        self._folder = TemporaryDirectory(prefix="ontomask-")  # for this user's eyes only
        self.ibis: Any = ibis.duckdb.connect(
            memory_limit=f"{_most_memory() >> 20}MiB", temp_directory=self._folder.name, **_NOTHING_FETCHED
        )
        self.run("SET enable_progress_bar = false")  # it would be written among what the command prints

    def new_name(self) -> str:
        """A name that no other table here has."""
        return f"table_{next(self._names)}"

    def run(self, sql: str) -> Any:
        """What Ibis has no words for."""
        return self.ibis.raw_sql(sql)

    def read_text(self, path: Path, separator: str, names: Sequence[str]) -> Any:
        """A file of delimited text as a table in the temporary folder; every column is text, none is null."""
        alias = self.new_name()
        self.run(f"ATTACH {_literal(Path(self._folder.name) / alias)} AS {alias}")
        columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in names)
        listed = ", ".join(_literal(name) for name in names)
        self.run(
            f"CREATE TABLE {alias}.main.rows AS SELECT * FROM read_csv({_literal(path)}, header = true, "
            f"""auto_detect = false, delim = {_literal(separator)}, quote = '"', escape = '"', """
            f"columns = {{{columns}}}, force_not_null = [{listed}])"
        )
        return self.ibis.table("rows", database=(alias, "main"))

    def write(self, relation: Any, path: Path, suffix: str, like: Path, table_name: str) -> None:
        """Write a relation to a path where nothing stands."""
        from ontomask.tables.arrow import BETWEEN, compression_of, lists_in, separator_inside

        if suffix in DUCKDB:
            check_cases(relation.columns, path, "DuckDB")
        if suffix in TEXT:
            for name in lists_in(relation.schema().to_pyarrow()):
                members = relation[name].cast("array<string>").join("")
                if members.contains(BETWEEN).any().to_pyarrow().as_py():
                    raise separator_inside(name)
            relation = relation.select(**{name: text_of(relation[name]) for name in relation.columns})
        try:
            relation.limit(0).to_pyarrow()  # hands the small tables over, so that plain SQL can name them
            query = self.ibis.compile(relation)
            if suffix in DUCKDB:
                self.run(f"ATTACH {_literal(path)} AS written")
                try:
                    kept = self._without_enums(query, relation)
                    self.run(
                        f"CREATE TABLE written.main.{quoted(table_name)} AS SELECT {kept} FROM ({query})"
                    )
                finally:
                    self.run("DETACH written")
                    path.with_name(path.name + ".wal").unlink(missing_ok=True)
                return
            if suffix in TEXT:
                how = f"FORMAT csv, HEADER, DELIMITER {_literal(chr(9) if suffix in TABBED else ',')}"
            else:
                how = f"FORMAT parquet, COMPRESSION {_literal(compression_of(like))}"
            if not suffix:
                path.mkdir()
                how += ", PER_THREAD_OUTPUT"
            self.run(f"COPY ({query}) TO {_literal(path)} ({how})")
        except self.Error as error:
            raise _not_written(path, error) from error

    def _without_enums(self, query: str, relation: Any) -> str:
        """The columns of a query; those of an enumerated type, which lists values of other rows, as text."""
        from ibis.backends.sql.datatypes import DuckDBType

        found = self.run(f"DESCRIBE {query}").fetchall()
        types = {name: dtype.copy(nullable=True) for name, dtype in relation.schema().items()}
        return ", ".join(
            f"CAST({quoted(name)} AS {DuckDBType.to_string(types[name])}) AS {quoted(name)}"
            if "ENUM(" in kind
            else quoted(name)
            for name, kind, *_ in found
        )


def open_object(source: Any, options: TableOptions) -> DuckDbRelation:
    """A relation of DuckDB."""
    import ibis

    connection = getattr(source, "_con", None)
    if connection is None:
        raise TableError(
            "this release of DuckDB does not tell whose a relation is",
            remedy="give a table of `ibis.duckdb.from_connection(connection)`",
        )
    name = f"ontomask_{token_hex(6)}"
    connection.register(name, source)  # a view would stay in the user's database
    return _GivenRelation(ibis.duckdb.from_connection(connection).table(name), "DuckDB relation", options)


def open_file(path: Path, options: TableOptions) -> DuckDbTable:
    """A file, a folder of Parquet files or a pattern such as `2020-*.parquet`."""
    if path.suffix.lower() in DUCKDB:
        return DuckDbFile(path, options)
    files, engine = Files.of(path), _Engine.shared()
    try:
        if files.are_parquet:
            check_cases(names_in_parquet(files.files[0]), path, "DuckDB")
            paths = [_checked_path(file) for file in files.files]
            relation = engine.ibis.read_parquet(paths, hive_partitioning=files.by_folder)
            return DuckDbTable(relation, options, files, engine, keeps_order=files.files == [path])
        known_suffix(path, "read")
        if path.suffix.lower() not in TEXT:
            raise TableError("DuckDB does not read such a file", file=str(path), remedy="use engine: memory")
        separator, names = header_of(path, options, "DuckDB")
        check_cases(names, path, "DuckDB")
        relation = engine.read_text(path, separator, names)
        return DuckDbTable(relation, options, files, engine, keeps_order=True)
    except engine.Error as error:
        kind = "Parquet" if files.are_parquet else "text"
        raise TableError(f"not a readable {kind} file", file=str(path), details=said_by(error)) from error


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write an Arrow table as the one table of a DuckDB file."""
    try:
        import duckdb
    except ImportError:
        raise TableError("DuckDB files need DuckDB", remedy="pip install 'ontomask[duckdb]'") from None
    check_cases(table.column_names, path, "DuckDB")
    try:
        with duckdb.connect(_checked_path(path), config=_NOTHING_FETCHED) as connection:
            connection.register("released", table)
            connection.sql(f"CREATE TABLE {quoted(DEFAULT_NAME)} AS SELECT * FROM released")
    except duckdb.Error as error:
        raise _not_written(path, error) from error
    finally:
        path.with_name(path.name + ".wal").unlink(missing_ok=True)


def _not_written(path: Path, error: Exception) -> TableError:
    return TableError(f"cannot write {path.name}", details=said_by(error))


def _chosen(path: Path, there: list[str], wanted: str | None) -> str:
    listed = ", ".join(map(repr, sorted(there))) or "none"
    if wanted is None:
        if len(there) != 1:
            raise TableError("set which table is meant", file=str(path), remedy=f"the file has {listed}")
        return there[0]
    if wanted not in there:
        raise TableError(
            f"there is no table {wanted!r}",
            file=str(path),
            value=wanted,
            is_public=True,
            remedy=f"the file has {listed}",
        )
    return wanted


def _most_memory() -> int:
    """At most 2 GiB, and at most half of what the machine has: what does not fit is put on disk."""
    return min(_MOST_MEMORY, memory() // 2)


def _checked_path(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise TableError(
            "DuckDB opens no file whose name is not UTF-8", file=str(path), remedy="rename it"
        ) from None
    return str(path)


def _literal(text: str | Path) -> str:
    """A text in SQL, or a path."""
    return literal(_checked_path(text) if isinstance(text, Path) else text)
