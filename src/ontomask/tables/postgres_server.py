"""A connection to PostgreSQL in one transaction, what is asked of its catalog, and its errors in words."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError, said_by
from ontomask.tables.address import Address
from ontomask.tables.expressions import function
from ontomask.tables.sql import quoted

if TYPE_CHECKING:
    import pyarrow as pa

_SESSION = (
    "SET datestyle = 'ISO'",
    "SET intervalstyle = 'iso_8601'",
    "SET extra_float_digits = 1",
    "SET idle_in_transaction_session_timeout = 0",  # masking takes its time
    "SET statement_timeout = 0",
    "SET work_mem = '256MB'",
)
_ENDED = ("57P01", "57P02", "57P03", "57P04", "57P05")
_PUBLIC_CLASSES = ("25", "3D", "3F", "53", "54", "57")  # of transactions, names, resources, operators
_PUBLIC = ("42501", "2BP01", "42P01", "42P07", "42P06")  # rights, what depends on it, tables and schemas
_ODD = ("money", "timetz", "point", "line", "lseg", "box", "path", "polygon", "circle")


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
            self.connection.execute("SELECT 1")  # begins it; what Ibis calls a transaction is a part of it

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
        name = quoted(address.table) if address.schema is None else named(address)
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
            [named(address), list(_ODD)],
        )
        return [name for (name,) in found]

    def bytes_of(self, address: Address) -> int | None:
        """How large a table is, without its indexes; of a view nobody knows."""
        size_of = "SELECT pg_table_size(to_regclass(%s))"
        ((size,),) = self.connection.execute(size_of, [named(address)]).fetchall()
        return int(size) or None

    def oid_of(self, address: Address) -> int | None:
        """Which table stands there now, whatever the transaction sees; None if none does."""
        ((oid,),) = self.connection.execute("SELECT to_regclass(%s)::oid", [named(address)]).fetchall()
        return oid  # type: ignore[no-any-return]

    def identity_of(self, address: Address) -> tuple[Any, ...]:
        """Which table of which database it is, however its server is called."""
        (found,) = self.connection.execute(
            "SELECT current_database(), current_setting('port'), pg_postmaster_start_time(), "
            "to_regclass(%s)::oid",
            [named(address)],
        ).fetchall()
        return tuple(found)


def named(address: Address) -> str:
    """A table whose schema is known, in SQL."""
    return f"{quoted(address.schema or '')}.{quoted(address.table)}"


def copy_into(connection: Any, name: str, batches: Iterable[pa.RecordBatch]) -> None:
    """Send rows to a table."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
        for batch in batches:
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)


@contextmanager
def telling(label: str) -> Iterator[None]:
    """What the server finds wrong, in words; no connection string is among them."""
    import psycopg

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


def types_of(fields: Iterable[pa.Field], label: str) -> dict[str, str]:
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
