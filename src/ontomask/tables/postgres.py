"""PostgreSQL in place: the server counts tuples, deals rows, writes the release and counts its classes.

A run is one transaction: what is counted is what is masked, whatever others write meanwhile, and a release is
there for all when it is checked, or not at all. What goes over the wire are the distinct tuples and what
becomes of them, as `COPY`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError, said_by
from ontomask.tables.address import Address
from ontomask.tables.arrow import typed
from ontomask.tables.engine import EngineTable
from ontomask.tables.expressions import function
from ontomask.tables.options import TableOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.tables.table import ReleasedTable, Table

_ROWS = 50_000
"""Rows that are on their way at once."""
_SESSION = (
    "SET datestyle = 'ISO'",
    "SET intervalstyle = 'iso_8601'",
    "SET extra_float_digits = 1",
    "SET idle_in_transaction_session_timeout = 0",  # masking takes its time
    "SET statement_timeout = 0",
    "SET work_mem = '256MB'",
)
_NUMBER_OF = """CREATE OR REPLACE FUNCTION pg_temp.ontomask_number(text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || $1)::bit(32)::bigint $$"""
_WAIT = "30s"
_LONGEST = 63
_ENDED = ("57P01", "57P02", "57P03", "57P04", "57P05")
_PUBLIC_CLASSES = ("25", "3D", "3F", "53", "54", "57")  # of transactions, names, resources, operators
_PUBLIC = ("42501", "2BP01", "42P01", "42P07", "42P06")  # rights, what depends on it, tables and schemas
_ODD = ("money", "timetz", "point", "line", "lseg", "box", "path", "polygon", "circle")
_RELEASED = "A release of ontomask"
_NOTHING: tuple[tuple[Callable[[Any], bool], Any], ...] = (
    (lambda kind: kind.is_string(), ""),
    (lambda kind: kind.is_boolean(), False),
    (lambda kind: kind.is_numeric(), 0),
    (lambda kind: kind.is_time(), "00:00"),
    (lambda kind: kind.is_date() or kind.is_timestamp(), "2000-01-01"),
)
"""What stands for null where values are compared, beside the word that it is null."""


class PostgresTable(EngineTable):
    """A table, or an expression of Ibis, of PostgreSQL; without a `server` the connection is the caller's."""

    def __init__(
        self,
        relation: Any,
        label: str,
        options: TableOptions,
        server: Server | None = None,
        place: Address | None = None,
    ) -> None:
        with telling(label):
            super().__init__(relation, label, options)
        self.server, self.place = server, place
        if server is None:
            self._check_session()

    def _check_session(self) -> None:
        """A connection of the caller's must write days as others do, for rows are dealt by their texts."""
        with telling(self.label):
            ((style,),) = self.backend.con.execute("SHOW datestyle").fetchall()
        if not style.startswith("ISO"):
            raise TableError(f"the connection writes days as {style}", remedy="SET datestyle = 'ISO'")

    @property
    def name(self) -> str:
        """Of the table: where it stands is nobody's business."""
        return self.label if self.place is None else self.place.name

    @property
    def reads_others(self) -> bool:
        """What is read is on the server."""
        return False

    @cached_property
    def n_bytes(self) -> int | None:
        """How large the table is on the server; of an expression nobody knows."""
        if self.server is None or self.place is None:
            return None
        return self.server.bytes_of(self.place)

    @contextmanager
    def connected(self) -> Iterator[None]:
        """What the server finds wrong is told."""
        with telling(self.label):
            yield

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns and the types in which they are fetched."""
        import ibis

        return ibis.schema({name: self.read(self.relation[name]).type() for name in self.names}).to_pyarrow()

    @cached_property
    def _of_any_scale(self) -> frozenset[str]:
        return frozenset(name for name, kind in self.relation.schema().items() if _has_any_scale(kind))

    def typed_numbers(self, columns: Sequence[str]) -> Mapping[str, int | None]:
        """Those of some columns whose values are stored as numbers, with the decimals that these may have."""
        free = {name: None for name in columns if name in self._of_any_scale}
        return {**super().typed_numbers(columns), **free}

    def new_values(self, column: str, texts: Sequence[str | None], missing: str | None) -> pa.Array:
        """New values in the type of a column, if they fit it."""
        import pyarrow as pa

        if column not in self._of_any_scale:
            return super().new_values(column, texts, missing)
        decimals = max((len(text.partition(".")[2]) for text in texts if text), default=0)
        return typed(texts, missing, pa.decimal128(38, min(decimals, 30)))

    # ------------------------------------------------------------------ what the server has its own words for

    def read(self, column: Any) -> Any:
        """A column in a type that can be fetched: numbers of any scale by their digits, others as text."""
        kind = column.type()
        if _has_any_scale(kind):
            return function("trim_scale", "decimal", "decimal")(column).cast("string")
        if kind.is_array():
            return column
        plain = kind.is_string() or kind.is_numeric() or kind.is_boolean() or kind.is_binary()
        is_time = kind.is_date() or kind.is_time() or kind.is_timestamp()
        return column if plain or is_time else column.cast("string")

    def same(self, column: Any, other: Any, has_null: bool) -> Any:
        """Whether two values are equal, in words that a join can hash: `IS NOT DISTINCT FROM` is none."""
        import ibis

        if not has_null:
            return column == other
        kind = column.type()
        there = [text for is_such, text in _NOTHING if is_such(kind)]
        if not there:
            return super().same(column, other, has_null)
        nothing = ibis.literal(there[0]).cast(kind)
        is_alike = column.fill_null(nothing) == other.fill_null(nothing)
        return is_alike & (column.isnull() == other.isnull())

    def text_of(self, column: Any) -> Any:
        """How a value reads as text; from 10^15 on the server has an exponent, Python from 10^16 on."""
        import ibis

        if column.type().is_timestamp() and column.type().timezone:  # whatever clock the session has
            at_utc = function("timezone", "timestamp", "string", str(column.type()))("UTC", column)
            return super().text_of(at_utc) + "Z"
        text = super().text_of(column)
        if not column.type().is_floating():
            return text
        number = column.cast("string").cast("float64")
        is_whole = (number.abs() >= 2**53) & (number.abs() < 1e16)
        text = ibis.ifelse(is_whole, number.cast("int64").cast("string") + ".0", text)
        text = text.re_replace(r"^(-?\d)[.](\d{15})(\d+)e[+]15$", r"\1\2.\3")
        return text.replace("Infinity", "inf")

    def once(self, relation: Any) -> Any:
        """A relation whose columns are computed once: the server does not look into one with a limit."""
        return relation.limit(2**62)

    def number_of(self, digits: Any) -> Any:
        """Eight hexadecimal digits as a number, by a function of this session: Ibis has no such cast."""
        with telling(self.label):
            self.backend.con.execute(_NUMBER_OF)
        return function("ontomask_number", "int64", "string", of="pg_temp")(digits)

    def fetched(self, relation: Any) -> pa.Table:
        """A relation that is not long, in memory."""
        return self.batches(relation).read_all()

    def batches(self, relation: Any) -> pa.RecordBatchReader:
        """A relation as it comes over the wire, some rows at a time."""
        import pyarrow as pa

        schema = self._schema_of(relation)
        return pa.RecordBatchReader.from_batches(schema, self._sent(relation, schema))

    def _sent(self, relation: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        chosen = relation.select(**{name: self.read(relation[name]) for name in relation.columns})
        query, connection = self.backend.compile(chosen), self.backend.con
        with (
            telling(self.label),
            connection.transaction(),
            connection.cursor(f"ontomask_{token_hex(6)}", binary=True) as cursor,
        ):
            cursor.execute(query)
            while rows := cursor.fetchmany(_ROWS):
                values = zip(*rows, strict=True)
                try:
                    columns = [pa.array(own, field.type) for own, field in zip(values, schema, strict=True)]
                except (pa.ArrowException, ValueError, TypeError) as error:
                    raise TableError(
                        "a value has no place in an Arrow table", file=self.label, details=said_by(error)
                    ) from error
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _schema_of(self, relation: Any) -> pa.Schema:
        import ibis

        return ibis.schema({name: self.read(relation[name]).type() for name in relation.columns}).to_pyarrow()

    def relation_of(self, table: EngineTable) -> Any:
        """Another table as an expression of this connection, if it is in the same database."""
        if not isinstance(table, PostgresTable) or None in (self.server, table.server, table.place):
            return super().relation_of(table)
        here, there, place = self.server, table.server, table.place
        is_same = here and there and here.url == there.url
        return here.relation_of(place) if here and is_same and place else super().relation_of(table)

    def _renamed(self, column: str, new: Mapping[str, str]) -> EngineTable:
        found = super()._renamed(column, new)
        if isinstance(found, PostgresTable):
            found.place = None  # it is no table of the server any more
        return found

    def small(self, table: pa.Table, columns: Sequence[str] = ()) -> Any:
        """A temporary table as long as the distinct tuples; tuples of `columns` are in their own types."""
        own = {f"k{at}": self.read(self.relation[name]) for at, name in enumerate(columns)}
        others = [field for field in table.schema if field.name not in own]
        listed = [_quoted(name) for name in own] + [
            f"NULL::{kind} AS {_quoted(name)}" for name, kind in _types(others, self.label).items()
        ]
        source = f"({self.backend.compile(self.relation.select(**own))}) AS t" if own else "(SELECT 1) AS t"
        name = f"ontomask_{token_hex(6)}"
        connection = self.backend.con
        with telling(self.label), connection.transaction():
            connection.execute(
                f"CREATE TEMPORARY TABLE {name} AS SELECT {', '.join(listed)} FROM {source} LIMIT 0"
            )
            copy_into(connection, name, table.to_batches(_ROWS))
            connection.execute(f"ANALYZE {name}")  # so that the server knows which table is the small one
        return self.backend.table(name)


def open_place(address: Address, options: TableOptions) -> PostgresTable:
    """The table of an address."""
    server = Server(address)
    with telling(str(address)):
        found = server.find(address)
        if found is None:
            raise TableError("there is no such table", file=str(address), remedy="name its schema, too")
        return PostgresTable(server.relation_of(found), str(address), options, server, found)


def check_target(address: Address) -> None:
    """Raise if a release cannot be written there, as far as it can be told beforehand."""
    NewTable(address).check()


def open_object(source: Any, options: TableOptions) -> PostgresTable:
    """A table of Ibis on a connection of the caller's."""
    return PostgresTable(source, "ibis table", options)


class Server:
    """A connection to a database of its own, in one transaction until something is committed.

    What it sees of others is as old as the transaction; closed when the last table that uses it is gone.
    """

    def __init__(self, address: Address) -> None:
        self.url = address.server
        try:
            import ibis
            import psycopg
        except ImportError:
            raise TableError(
                "PostgreSQL needs Ibis and psycopg", remedy="pip install 'ontomask[postgres]'"
            ) from None
        try:
            self.connection: Any = psycopg.connect(
                address.server, autocommit=True, fallback_application_name="ontomask"
            )
        except psycopg.Error as error:  # which does not repeat a password
            said = " ".join(str(error).split())
            raise TableError(
                f"PostgreSQL cannot be reached: {said}",
                file=address.database,
                remedy="passwords are taken from PGPASSWORD or ~/.pgpass",
            ) from None
        with telling(address.database):
            weakref.finalize(self, self.connection.close)
            for setting in _SESSION:
                self.connection.execute(setting)
            ((encoding,),) = self.connection.execute("SHOW server_encoding").fetchall()
            if encoding != "UTF8":  # the md5 that rows are dealt by is that of UTF-8
                raise TableError(f"the database is in {encoding}, not in UTF8", file=address.database)
            self.ibis = ibis.postgres.from_connection(self.connection)
            self.connection.autocommit = False
            self.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            self.begin()

    def begin(self) -> None:
        """Begin a transaction unless there is one; within it, what Ibis calls one is a part of it."""
        self.connection.execute("SELECT 1")

    def relation_of(self, address: Address) -> Any:
        """A table as an expression, with texts for what Ibis takes for something else."""
        relation = self.ibis.table(address.table, database=address.schema)
        # What is listed in the type says more than the rows do; an amount of money depends on the reader.
        as_text = {
            name: function("text", "string", str(relation[name].type()))(relation[name])
            for name in self.odd_columns(address)
        }
        return relation.mutate(**as_text)

    def find(self, address: Address) -> Address | None:
        """The same address with its schema, if there is such a table."""
        name = _quoted(address.table) if address.schema is None else _named(address.schema, address.table)
        found = self.connection.execute(
            "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.oid = to_regclass(%s)",
            [name],
        ).fetchone()
        return None if found is None else replace(address, schema=found[0])

    def odd_columns(self, address: Address) -> list[str]:
        """The columns of enumerated types, and of others that Ibis or Arrow would take for something else."""
        found = self.connection.execute(
            "SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped "
            "AND (t.typtype = 'e' OR t.typname = ANY(%s))",
            [_named(address.schema or "", address.table), list(_ODD)],
        )
        return [name for (name,) in found]

    def bytes_of(self, address: Address) -> int | None:
        """How large a table is, without its indexes; of a view nobody knows."""
        name = _named(address.schema or "", address.table)
        ((size,),) = self.connection.execute("SELECT pg_table_size(to_regclass(%s))", [name]).fetchall()
        return int(size) or None

    def identity_of(self, address: Address) -> tuple[Any, ...]:
        """Which table of which database it is, however its server is called."""
        name = _named(address.schema or "", address.table)
        (found,) = self.connection.execute(
            "SELECT current_database(), current_setting('port'), pg_postmaster_start_time(), "
            "to_regclass(%s)::oid",
            [name],
        ).fetchall()
        return tuple(found)


class NewTable:
    """A release that is written into a database; nobody sees it before it is committed."""

    def __init__(self, address: Address, source: Table | None = None) -> None:
        own = source.server if isinstance(source, PostgresTable) else None
        place = source.place if isinstance(source, PostgresTable) else None
        self._reads = own.identity_of(place) if own is not None and place is not None else None
        is_there = own is not None and own.url == address.server and not own.connection.closed
        self._server = own if own is not None and is_there else Server(address)
        with telling(str(address)):
            self._server.connection.execute("SAVEPOINT before_release")
            schema = (
                address.schema or self._server.connection.execute("SELECT current_schema()").fetchone()[0]
            )
            if schema is None:
                raise TableError("there is no schema to write to", file=str(address), remedy="name one")
        self.address = replace(address, schema=schema)
        self._new = f"ontomask_{token_hex(6)}"
        self._old: int | None = None  # the release whose place is taken
        self._written: int | None = None
        self._is_done = False

    def check(self) -> None:
        """Raise if something else stands there than a release, whose place may be taken, or none may be."""
        if len(self.address.table.encode()) > _LONGEST:
            raise _too_long("table", self.address.table)
        schema = [_quoted(self.address.schema or "")]
        with telling(str(self.address)):
            may = "SELECT has_schema_privilege(to_regnamespace(%s)::oid, 'CREATE')"
            ((is_allowed,),) = self._server.connection.execute(may, schema).fetchall()
        if not is_allowed:
            lacks = "there is no such schema" if is_allowed is None else "no table may be made in its schema"
            raise TableError(
                f"cannot write {self.address}: {lacks}", remedy="name another, or ask for rights"
            )
        with telling(str(self.address)):
            found = self._server.connection.execute(
                "SELECT c.oid, c.relkind::text, obj_description(c.oid, 'pg_class') FROM pg_class c "
                "WHERE c.oid = to_regclass(%s)",
                [_named(self.address.schema or "", self.address.table)],
            ).fetchone()
        if found is None:
            return
        self._old, kind, comment = found
        if self._reads == self._server.identity_of(self.address):
            raise TableError(
                f"cannot write {self.address}: the command reads that table", remedy="choose another name"
            )
        if kind != "r" or not (comment or "").startswith(_RELEASED):
            raise TableError(
                f"cannot write {self.address}: it is there already, and no comment says that it is a release",
                remedy="give the release another name, or drop that table",
            )

    def write(self, data: ReleasedTable, options: TableOptions) -> PostgresTable:
        """Write a release under another name, and give back what was written, opened as a table."""
        connection, name = self._server.connection, _named(self.address.schema or "", self._new)
        for column in data.names:
            if len(column.encode()) > _LONGEST:
                raise _too_long("column", column)
        with telling(str(self.address)), connection.transaction():
            query = data.query_in(self._server.ibis)
            if query is not None:
                connection.execute(f"CREATE TABLE {name} AS {query}")
            else:
                rows = data.batches()
                kinds = _types(rows.schema, str(self.address))
                listed = ", ".join(f"{_quoted(column)} {kind}" for column, kind in kinds.items())
                connection.execute(f"CREATE TABLE {name} ({listed})")
                copy_into(connection, name, rows)
            connection.execute(f"ANALYZE {name}")
            relation = self._server.ibis.table(self._new, database=self.address.schema)
        return PostgresTable(relation, str(self.address), options, self._server)

    def put_in_place(self) -> None:
        """All but the last word: the new table has its name, for us alone.

        What the transaction sees of others is as old as its beginning, so that a table that stands there now
        may be another one than was looked at. It is not dropped then.
        """
        connection, schema = self._server.connection, self.address.schema or ""
        target, name = _named(schema, self.address.table), _quoted(self.address.table)
        with telling(str(self.address)), connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{_WAIT}'")  # somebody may be reading the old one
            if self._old is not None:
                connection.execute(f"LOCK TABLE {target} IN ACCESS EXCLUSIVE MODE")
            ((now,),) = connection.execute("SELECT to_regclass(%s)::oid", [target]).fetchall()
            if now != self._old:
                raise TableError(
                    f"cannot write {self.address}: somebody else wrote it meanwhile", remedy="start again"
                )
            if self._old is not None:
                connection.execute(f"DROP TABLE {target}")
            new = [_named(schema, self._new)]
            ((self._written,),) = connection.execute("SELECT to_regclass(%s)::oid", new).fetchall()
            connection.execute(f"ALTER TABLE {_named(schema, self._new)} RENAME TO {name}")
            connection.execute(f"COMMENT ON TABLE {target} IS {_literal(_RELEASED)}")

    def commit(self) -> None:
        """Make it the release, for everybody; if the server does not answer, another connection is asked."""
        import psycopg

        try:
            self._server.connection.commit()
        except psycopg.Error as error:
            if not self._is_committed():
                with telling(str(self.address)):
                    raise error
        self._is_done = True

    def _is_committed(self) -> bool:
        """Whether what was written stands in its place."""
        try:
            again = Server(self.address)
            target = _named(self.address.schema or "", self.address.table)
            ((now,),) = again.connection.execute("SELECT to_regclass(%s)::oid", [target]).fetchall()
        except Exception as error:  # of whatever kind: nobody can be asked
            raise TableError(
                f"the connection was lost while {self.address} was committed, and there is no other: whether "
                "it was written is not known",
                remedy="look whether it is there; if so, its records are missing",
            ) from error
        return bool(now == self._written)

    def roll_back(self) -> None:
        """As if nothing had been written; what the source needs for another try stays."""
        if not self._is_done and not self._server.connection.closed:
            with suppress(TableError), telling(str(self.address)):  # the server rolls back what it lost
                self._server.connection.execute("ROLLBACK TO SAVEPOINT before_release")


def copy_into(connection: Any, name: str, batches: Iterable[pa.RecordBatch]) -> None:
    """Send rows to a table."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
        for batch in batches:
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)


@contextmanager
def telling(label: str) -> Iterator[None]:
    """What the server finds wrong, in words; no connection string is among them."""
    try:
        import psycopg
    except ImportError:
        yield
        return
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise TableError(
            "somebody is reading the table whose place is to be taken",
            file=label,
            remedy="try again later",
        ) from error
    except psycopg.Error as error:
        state = error.sqlstate or ""
        if isinstance(error, psycopg.OperationalError) and (
            not state or state in _ENDED or state[:2] == "08"
        ):
            raise TableError(
                "PostgreSQL ended the connection; nothing was written", file=label, details=said_by(error)
            ) from error
        if state[:2] in _PUBLIC_CLASSES or state in _PUBLIC:  # which quote no cell
            raise TableError(f"PostgreSQL: {error.diag.message_primary}", file=label) from error
        raise TableError("PostgreSQL cannot do this", file=label, details=said_by(error)) from error


def _types(fields: Iterable[pa.Field], label: str) -> dict[str, str]:
    """The columns of an Arrow table as types of PostgreSQL."""
    import ibis
    import pyarrow as pa
    from ibis.backends.sql.datatypes import PostgresType

    found = {}
    for field in fields:
        try:
            (kind,) = ibis.Schema.from_pyarrow(pa.schema([field])).types
            found[field.name] = PostgresType.to_string(kind.copy(nullable=True))
        except Exception as error:  # Ibis has errors of many kinds here
            raise TableError(
                f"PostgreSQL has no type for {field.type}", column=field.name, file=label, remedy="drop it"
            ) from error
    return found


def _has_any_scale(kind: Any) -> bool:
    return bool(kind.is_decimal() and kind.scale is None)


def _too_long(what: str, name: str) -> TableError:
    return TableError(
        f"PostgreSQL cuts names beyond {_LONGEST} bytes, such as that of the {what} {name!r}",
        value=name,
        is_public=True,
        remedy="rename it",
    )


def _named(schema: str, table: str) -> str:
    return f"{_quoted(schema)}.{_quoted(table)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
