"""A release on its way into PostgreSQL: written and counted under another name, then put in its place."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING

from ontomask.errors import TableError
from ontomask.tables.address import Address
from ontomask.tables.options import TableOptions
from ontomask.tables.postgres import PostgresTable
from ontomask.tables.postgres_server import Server, copy_into, named, telling, types_of
from ontomask.tables.sql import literal, quoted

if TYPE_CHECKING:
    from ontomask.tables.table import ReleasedTable, Table

_WAIT = "30s"
_LONGEST = 63
_RELEASED = "A release of ontomask"


def check_target(address: Address) -> None:
    """Raise if a release cannot be written there, as far as it can be told beforehand."""
    NewTable(address).check()


class NewTable:
    """A release that is written into a database; nobody sees it before it is committed."""

    def __init__(self, address: Address, source: Table | None = None) -> None:
        reads = source if isinstance(source, PostgresTable) else None
        own = None if reads is None else reads.server
        self._reads = own.identity_of(reads.place) if own and reads and reads.place else None
        is_near = own and own.url == address.server and not own.connection.closed
        self._server = own if own and is_near else Server(address)
        with telling(str(address)):
            self._server.connection.execute("SAVEPOINT before_release")
            schema = (
                address.schema or self._server.connection.execute("SELECT current_schema()").fetchone()[0]
            )
            if schema is None:
                raise TableError("there is no schema to write to", file=str(address), remedy="name one")
        self.address = replace(address, schema=schema)
        self._new = replace(self.address, table=f"ontomask_{token_hex(6)}")
        self._old: int | None = None  # the release whose place is taken
        self._written: int | None = None
        self._is_done = False

    def check(self) -> None:
        """Raise if something else stands there than a release, whose place may be taken, or none may be."""
        if len(self.address.table.encode()) > _LONGEST:
            raise _too_long("table", self.address.table)
        schema = [quoted(self.address.schema or "")]
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
                [named(self.address)],
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
        connection, name = self._server.connection, named(self._new)
        for column in data.names:
            if len(column.encode()) > _LONGEST:
                raise _too_long("column", column)
        with telling(str(self.address)), connection.transaction():
            query = data.query_in(self._server.ibis)
            if query is not None:
                connection.execute(f"CREATE TABLE {name} AS {query}")
            else:
                rows = data.batches()
                kinds = types_of(rows.schema, str(self.address))
                listed = ", ".join(f"{quoted(column)} {kind}" for column, kind in kinds.items())
                connection.execute(f"CREATE TABLE {name} ({listed})")
                copy_into(connection, name, rows)
            connection.execute(f"ANALYZE {name}")
            relation = self._server.ibis.table(self._new.table, database=self._new.schema)
        return PostgresTable(relation, str(self.address), options, self._server)

    def put_in_place(self) -> None:
        """All but the last word: the new table has its name, for us alone.

        What the transaction sees of others is as old as its beginning, so that a table that stands there now
        may be another one than was looked at. It is not dropped then.
        """
        connection, target = self._server.connection, named(self.address)
        with telling(str(self.address)), connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{_WAIT}'")  # somebody may be reading the old one
            if self._old is not None:
                connection.execute(f"LOCK TABLE {target} IN ACCESS EXCLUSIVE MODE")
            if self._server.oid_of(self.address) != self._old:
                raise TableError(
                    f"cannot write {self.address}: somebody else wrote it meanwhile", remedy="start again"
                )
            if self._old is not None:
                connection.execute(f"DROP TABLE {target}")
            self._written = self._server.oid_of(self._new)
            connection.execute(f"ALTER TABLE {named(self._new)} RENAME TO {quoted(self.address.table)}")
            connection.execute(f"COMMENT ON TABLE {target} IS {literal(_RELEASED)}")

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
            now = Server(self.address).oid_of(self.address)
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


def _too_long(what: str, name: str) -> TableError:
    return TableError(
        f"PostgreSQL cuts names beyond {_LONGEST} bytes, such as that of the {what} {name!r}",
        value=name,
        is_public=True,
        remedy="rename it",
    )
