"""PostgreSQL in place: the server counts tuples, deals rows, writes the release and counts its classes.

A run is one transaction: what is counted is what is masked, whatever others write meanwhile, and a release is
there for all when it is checked, or not at all (`postgres_release.py`). What goes over the wire are the
distinct tuples and what becomes of them, as `COPY`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from ontomask.errors import TableError, said_by
from ontomask.tables.address import Address
from ontomask.tables.arrow import typed
from ontomask.tables.engine import EngineTable
from ontomask.tables.expressions import function
from ontomask.tables.options import TableOptions
from ontomask.tables.postgres_server import Server, copy_into, telling, types_of
from ontomask.tables.sql import quoted

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 50_000
"""Rows that are on their way at once."""
_NUMBER_OF = """CREATE OR REPLACE FUNCTION pg_temp.ontomask_number(text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || $1)::bit(32)::bigint $$"""
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
        return self._schema_of(self.relation)

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
        return self._as_number(digits)

    @cached_property
    def _as_number(self) -> Any:
        with telling(self.label):
            self.backend.con.execute(_NUMBER_OF)
        return function("ontomask_number", "int64", "string", of="pg_temp")

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
        if not isinstance(table, PostgresTable) or not (self.server and table.server and table.place):
            return super().relation_of(table)
        is_near = self.server.url == table.server.url
        return self.server.relation_of(table.place) if is_near else super().relation_of(table)

    def _renamed(self, column: str, new: Mapping[str, str]) -> EngineTable:
        found = super()._renamed(column, new)
        if isinstance(found, PostgresTable):
            found.place = None  # it is no table of the server any more
        return found

    def small(self, table: pa.Table, columns: Sequence[str] = ()) -> Any:
        """A temporary table as long as the distinct tuples; tuples of `columns` are in their own types."""
        own = {f"k{at}": self.read(self.relation[name]) for at, name in enumerate(columns)}
        others = [field for field in table.schema if field.name not in own]
        listed = [quoted(name) for name in own] + [
            f"NULL::{kind} AS {quoted(name)}" for name, kind in types_of(others, self.label).items()
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


def _has_any_scale(kind: Any) -> bool:
    return bool(kind.is_decimal() and kind.scale is None)
