"""Tables that stay where they are: an engine counts their tuples, deals their rows and writes the release.

What the engine is asked is written as Ibis expressions, so that one text serves every engine that Ibis knows.
Distinct values come back as Arrow and are read by the code that reads tables in memory: a value has the same
text everywhere. What goes to the engine is a table as long as the distinct tuples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.errors import TableError
from ontomask.tables.arrow import (
    ArrowTable,
    lists_in,
    numbers_in,
    raw_column,
    textless_in,
    typed,
)
from ontomask.tables.cells import copied, plain
from ontomask.tables.coded import CodedColumn, distinct_tuples, settled
from ontomask.tables.expressions import digest_of, settled_text, text_of
from ontomask.tables.memory import options_of_written, write_batches
from ontomask.tables.options import TableOptions, checked_names, checked_rows
from ontomask.tables.order import field_of
from ontomask.tables.pairing import HERE, Matched, not_a_key
from ontomask.tables.sharing import Sharing, released_relation, sharing_of
from ontomask.tables.table import Dealing, Distinct, DistinctTuples, FirstRows, ReleasedTable, Table

if TYPE_CHECKING:
    import pyarrow as pa

_EXPRESSIONS = ("ibis", "pyspark", "duckdb")
_AT_ONCE = 100_000
"""Rows that are in memory at once where a release of any length goes through it."""
_LOOKED_AT = 10_000
"""Rows from which it is told whether a table is sorted."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct tuples as the engine has them (`stored`, typed), and which tuple of texts each of them is."""

    stored: pa.Table
    tuples: DistinctTuples
    which: Int32
    coded: list[CodedColumn]


class EngineTable(Table):
    """A table of an engine: an Ibis expression.

    The rows of a database have no order, so its release is the right rows in any order (`keeps_order`).
    """

    keeps_order = False

    def __init__(self, relation: Any, label: str, options: TableOptions, path: Path | None = None) -> None:
        self.relation, self.label, self.options, self.path = relation, label, options, path
        self.names = checked_names(relation.columns, label)
        self._last: Counted | None = None
        self._moved = Counter[str]()  # shared by what is made of this table
        self._row: str | None = None  # a further column of the relation that numbers its rows

    @property
    def moved(self) -> int | None:
        """Bytes that the engine sent and was sent so far, as Arrow."""
        return self._moved.total()

    def sent(self, table: pa.Table) -> pa.Table:
        """A table that moves between the engine and this process."""
        self._moved["bytes"] += table.nbytes
        return table

    @property
    def reads_others(self) -> bool:
        """A table without a path is one of a connection of the caller's."""
        return self.path is None

    @contextmanager
    def connected(self) -> Iterator[None]:
        """While it lasts, the engine can be asked."""
        yield

    @property
    def backend(self) -> Any:
        """The connection of Ibis that it is in."""
        return self.relation.get_backend()

    @property
    def schema(self) -> pa.Schema:
        """The columns and the types in which they are fetched."""
        return self.relation.schema().to_pyarrow()

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        with self.connected():
            return checked_rows(
                int(self.fetched(self.relation.aggregate(n=self.relation.count()))["n"][0].as_py()),
                self.label,
            )

    @cached_property
    def digest(self) -> str:
        """Of the rows, in whatever order they come."""
        return self.digest_of_rows()

    def digest_of_rows(self) -> str:
        """Number of rows, and the sum modulo 2^128 of the md5 over column names and fields of each row.

        It is `rows:n:sum`, the sum in 32 hexadecimal digits, and the same for every engine: the text that is
        hashed is that of `tables.order`, with the column names as a first line in the place of the seed.
        """
        header = ",".join(map(field_of, self.names))
        rows = self.once(self.relation.select(md5=self.digest_in(self.relation, self.names, header)))
        parts = {
            f"at{at}": self.number_of(rows.md5.substr(at, 8)).sum().cast("string") for at in range(0, 32, 8)
        }
        with self.connected():
            found = self.fetched(rows.aggregate(n=rows.count(), **parts)).to_pylist()[0]
        total = sum(int(found[f"at{at}"]) << 4 * (24 - at) for at in range(0, 32, 8)) % 2**128
        return f"rows:{found['n']}:{total:032x}"

    def tuples(self, columns: Sequence[str]) -> DistinctTuples:
        """Distinct tuples of some columns, with counts."""
        return self.counted(columns).tuples

    def counted(self, columns: Sequence[str]) -> Counted:
        """Distinct tuples with the values that the engine stores."""
        self.check_columns(columns)
        # The flow asks for the same tuples twice: to mask them, and to deal their rows.
        if self._last is None or self._last.tuples.columns != tuple(columns):
            self._last = self.counted_in(self.relation, columns)
        return self._last

    def counted_in(
        self, relation: Any, columns: Sequence[str], options: TableOptions | None = None
    ) -> Counted:
        """The same of a relation that this engine has made of the table."""
        import pyarrow as pa

        places, options = [f"c{at}" for at in range(len(columns))], options or self.options
        with self.connected():
            if columns:
                read = {at: self.read(relation[name]) for at, name in zip(places, columns, strict=True)}
                chosen = relation.select(**read)
                found = self.sent(self.fetched(chosen.group_by(places).agg(n=chosen.count())))
            else:
                found = pa.table({"n": self.fetched(relation.aggregate(n=relation.count()))["n"]})
        weights: Int64 = found["n"].to_numpy().astype(np.int64)
        coded = [
            settled(raw_column(name, found[place]), options.na_values_of(name), weights)
            for place, name in zip(places, columns, strict=True)
        ]
        tuples, which = distinct_tuples(columns, coded, len(weights), weights)
        return Counted(found.select(places), tuples, which, coded)

    @property
    def lists(self) -> Mapping[str, str]:
        """The columns whose cells are lists, each with what stands between members where it is read."""
        return lists_in(self.schema)

    @property
    def without_text(self) -> frozenset[str]:
        """The columns whose cells cannot be read as texts."""
        return textless_in(self.schema)

    def typed_numbers(self, columns: Sequence[str]) -> Mapping[str, int | None]:
        """Those of some columns whose values are stored as numbers, with the decimals that these may have."""
        return numbers_in(self.schema, columns)

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and counts; an engine reads no other column for one."""
        self.check_columns(columns)
        return {name: self.distinct_in(self.relation, name) for name in columns}

    def first_rows(self, most: int) -> FirstRows:
        with self.connected():
            first = self.fetched(self.relation.select(*self.names).limit(most))
        return ArrowTable(first, self.label, self.options).first_rows(most)

    def is_key(self, column: str) -> bool:
        """Whether no two rows have the same value there; as many values as rows are not fetched."""
        self.check_columns([column])
        text = settled_text(self.text_of(self.relation[column]), self.options.na_values_of(column))
        found = self.relation.aggregate(n=text.nunique(), there=text.count())
        with self.connected():
            told = self.fetched(found).to_pylist()[0]
        return bool(told["n"] == told["there"] >= self.n_rows - 1)

    def n_distinct_of(self, columns: Sequence[str]) -> dict[str, int]:
        """How many different values some columns have; the values stay where they are."""
        self.check_columns(columns)
        if not columns:
            return {}
        parts = {f"n{at}": self.read(self.relation[name]).nunique() for at, name in enumerate(columns)}
        with self.connected():
            found = self.fetched(self.relation.aggregate(**parts)).to_pylist()[0]
        return {name: int(found[f"n{at}"]) for at, name in enumerate(columns)}

    def distinct_in(self, relation: Any, column: str) -> Distinct:
        """The same of one column of a relation that this engine has made of the table."""
        tuples = self.counted_in(relation, [column]).tuples
        return tuples.values[0], tuples.counts

    def rows(self, place: Mapping[str, str]) -> Any:
        """Some columns under other names; where the order of rows is kept, with the number of each, `row`."""
        import ibis

        relation = self.relation
        chosen = {new: relation[name] for name, new in place.items()}
        if not self.keeps_order:
            return relation.select(**chosen)
        if self._row is not None:
            return relation.select(**chosen, row=relation[self._row])
        return relation.select(**chosen).mutate(row=ibis.row_number())

    def _renamed(self, column: str, new: Mapping[str, str]) -> EngineTable:
        import pyarrow as pa

        counted = self.counted([column])
        values = counted.tuples.values[0]
        texts = [None if (value := values[at]) is None else new[value] for at in counted.which.tolist()]
        became = self.new_values(column, texts, counted.coded[0].writing.missing)
        small = self.small(pa.table({"k0": counted.stored.column(0), "became": became}), [column])
        place = {name: f"c{at}" for at, name in enumerate(self.names)}
        rows = self.rows(place)
        has_null = bool(counted.stored.column(0).null_count)
        joined = rows.inner_join(small, self.same(self.read(rows[place[column]]), small.k0, has_null))
        chosen = {name: joined["became" if name == column else place[name]] for name in self.names}
        found = copy(self)
        if self.keeps_order:
            found._row = "row" + "_" * max(map(len, self.names))  # longer than any other name
            chosen[found._row] = joined["row"]
        found.relation, found._last = joined.select(**chosen), None
        return found

    def _sorted_by(self, columns: Sequence[str]) -> list[str]:
        with self.connected():
            first = self.fetched(self.relation.select(*columns).limit(_LOOKED_AT))
        return ArrowTable(first, self.label, self.options).sorted_by(columns)

    # What engines have different words for, or do better in their own way.

    def fetched(self, relation: Any) -> pa.Table:
        """A relation that is not long, in memory."""
        return relation.to_pyarrow()

    def batches(self, relation: Any) -> pa.RecordBatchReader:
        """A relation of any length, some rows at a time."""
        return relation.to_pyarrow_batches(chunk_size=_AT_ONCE)

    def new_values(self, column: str, texts: Sequence[str | None], missing: str | None) -> pa.Array:
        """New values in the type of a column, if they fit it."""
        return typed(texts, missing, self.schema.field(column).type)

    def read(self, column: Any) -> Any:
        """A column as it is counted and compared: itself, or in a type that can be fetched."""
        return column

    def small(self, table: pa.Table, columns: Sequence[str] = ()) -> Any:
        """A table as long as the distinct tuples, for the engine to join with.

        Its first columns, k0, k1, ..., are tuples of `columns` as they are `read`.
        """
        import ibis

        return ibis.memtable(table)

    def relation_of(self, table: EngineTable) -> Any:
        """Another table as an expression of this connection; None if it is elsewhere."""
        return table.relation if table.backend is self.backend else None

    def same(self, column: Any, other: Any, has_null: bool) -> Any:
        """Whether two values are equal; null is equal to null, if there is any."""
        return column.identical_to(other)

    def text_of(self, column: Any) -> Any:
        """How a value reads as text."""
        return text_of(column)

    def number_of(self, digits: Any) -> Any:
        """Eight hexadecimal digits as a number."""
        import ibis

        total = ibis.literal(0, "int64")
        for at in range(8):
            total = total * 16 + ibis.literal("0123456789abcdef").find(digits.substr(at, 1)).cast("int64")
        return total

    def once(self, relation: Any) -> Any:
        """A relation whose columns are computed once for each row, however often they are used."""
        return relation

    def digest_in(self, rows: Any, columns: Sequence[str], start: str, with_all: bool = False) -> Any:
        """The md5 of `tables.order` over a first line and some columns of rows that this engine made."""
        return digest_of(columns, start, rows, self.text_of, with_all)

    def given_back(self, relation: Any) -> Any:
        """A relation as what the table was given as; nothing is computed yet."""
        return relation

    def write(self, relation: Any, path: Path, suffix: str, is_ordered: bool) -> TableOptions:
        """Write a release, and return the options that read it back."""
        write_batches(path, suffix, self.batches(relation), like=self.path)
        return options_of_written(self.options, suffix)

    def writes_folder(self, path: Path) -> bool:
        """Whether a path is to be a folder of files."""
        return False

    def _released(self, dealing: Dealing, drop: frozenset[str]) -> ReleasedTable:
        return _Released(self, dealing, drop)

    def shared(self, sharing: Sharing, n_rows: int, drop: Collection[str] = ()) -> ReleasedTable:
        """The release of so many rows whose masked values this engine has in tables of its own."""
        return _Shared(self, sharing, n_rows, frozenset(drop))


def open_object(source: Any, options: TableOptions) -> EngineTable:
    """A table of Ibis, wherever its rows are; engines that have words of their own are asked in these."""
    from ontomask.tables.register import engine_of_backend

    opened: EngineTable = engine_of_backend(source.get_backend().name)(source, "ibis table", options)
    return opened


class _Released(ReleasedTable):
    """The release of an engine's table, itself an expression."""

    def __init__(self, table: EngineTable, dealing: Dealing, drop: frozenset[str]) -> None:
        super().__init__(table, dealing, drop)
        self._table = table
        self._distinct: dict[str, Distinct] = {}

    @cached_property
    def _relation(self) -> Any:
        return released_relation(self._table, self._sharing, self.names)

    @cached_property
    def _sharing(self) -> Sharing:
        with self._table.connected():
            return sharing_of(self._table, self._dealing)

    def _tuples(self, columns: Sequence[str]) -> DistinctTuples:
        dropped = [name for name in columns if name not in self.names]
        relation = self._relation
        if dropped:
            relation = released_relation(self._table, self._sharing, (*self.names, *dropped))
        return self._table.counted_in(relation, columns).tuples

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each."""
        self._check(columns)
        for name in columns:
            if name not in self._distinct:  # several warnings look at the same columns
                self._distinct[name] = self._table.distinct_in(self._relation, name)
        return {name: self._distinct[name] for name in columns}

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        with self._table.connected():
            return copied(plain(self._table.fetched(self._relation)))

    def batches(self) -> pa.RecordBatchReader:
        """As Arrow, some rows at a time."""
        with self._table.connected():
            return self._table.batches(self._relation)

    def given_back(self, kind: str) -> Any:
        """As what the table was given as: where that is an expression, nothing is computed yet."""
        if self._table.path is None and kind in _EXPRESSIONS:
            return self._table.given_back(self._relation)
        return super().given_back(kind)

    def query_in(self, backend: Any) -> str | None:
        """The release as a query, if it is one of that connection's."""
        return str(backend.compile(self._relation)) if self._table.backend is backend else None

    def _writes_folder(self, path: Path) -> bool:
        return self._table.writes_folder(path)

    def _write(self, path: Path, suffix: str) -> TableOptions:
        with self._table.connected():
            is_ordered = self._table.keeps_order or self._dealing.is_shuffled
            return self._table.write(self._relation, path, suffix, is_ordered)


class _Shared(_Released):
    """The same where nobody here knows who is given what, only the engine does."""

    def __init__(self, table: EngineTable, sharing: Sharing, n_rows: int, drop: frozenset[str]) -> None:
        super().__init__(table, sharing.dealing, drop)
        self._sharing = sharing
        self.n_rows = n_rows

    def tuples(self, columns: Sequence[str], beside: Sequence[str] = ()) -> DistinctTuples:
        self._check(columns)
        return self._tuples([*columns, *beside])


# ---------------------------------------------------------------------- two tables


def matched_in_engine(
    original: Table,
    masked: Table,
    columns: Sequence[str],
    masked_columns: Sequence[str],
    key: str | None,
    called: tuple[str, str],
) -> Matched:
    """`matched`, where one of the tables at least is an engine's; a table in memory is handed over."""
    import ibis

    tables = [table for table in (original, masked) if isinstance(table, EngineTable)]
    without_order = [table.label for table in tables if not table.keeps_order]
    if key is None and without_order:
        raise TableError(
            "rows of a database or folder have no order to match them by",
            file=without_order[0],
            remedy="give a `key` column that both have",
        )
    engine = tables[0]

    def side(table: Table, names: Sequence[str], letter: str) -> Any:
        relation = engine.relation_of(table) if isinstance(table, EngineTable) else None
        if relation is None:
            relation = engine.small(table.released().to_arrow())
        by = (
            ibis.row_number()
            if key is None
            else settled_text(engine.text_of(relation[key]), table.options.na_values_of(key))
        )
        chosen = {f"{letter}{at}": relation[name] for at, name in enumerate(names)}
        return relation.select(**{f"{letter}key": by}, **chosen)

    with ExitStack() as stack:
        for which, table in zip(called, (original, masked), strict=True):
            if isinstance(table, EngineTable):
                stack.enter_context(table.connected())
            if key is not None and not table.is_key(key):
                raise not_a_key(key, which)
        left, right = side(original, columns, "a"), side(masked, masked_columns, "b")
        right = right.mutate(there=ibis.literal(HERE))
        both = left.left_join(right, [engine.same(left.akey, right.bkey, True)])
        places = [f"a{at}" for at in range(len(columns))] + [f"b{at}" for at in range(len(masked_columns))]
        options = original.options if isinstance(original, EngineTable) else masked.options
        names = dict(zip(places, [*columns, *masked_columns], strict=True))
        options = replace(options, na_of={at: options.na_values_of(name) for at, name in names.items()})
        found = engine.counted_in(both, [*places, "there"], options)
        return Matched.of(found.tuples, len(columns))
