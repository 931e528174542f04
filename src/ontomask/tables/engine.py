"""Tables that stay where they are: an engine counts their tuples, deals their rows and writes the release.

What the engine is asked is written as Ibis expressions, so that one text serves every engine that Ibis knows.
Distinct values come back as Arrow and are read by the code that reads tables in memory: a value has the same
text everywhere. What goes to the engine is a table as long as the distinct tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.errors import TableError
from ontomask.tables.arrow import (
    BETWEEN,
    ArrowTable,
    has_text,
    lists_in,
    numbers_in,
    raw_column,
    textless_in,
    typed,
)
from ontomask.tables.cells import copied, plain
from ontomask.tables.coded import CodedColumn, distinct_tuples, settled
from ontomask.tables.memory import options_of_written, write_arrow
from ontomask.tables.options import TableOptions, checked_names, checked_rows
from ontomask.tables.order import columns_hashed, field_of
from ontomask.tables.pairing import HERE, Matched, not_a_key
from ontomask.tables.table import SUPPRESSED, Dealing, Distinct, DistinctTuples, ReleasedTable, Table

if TYPE_CHECKING:
    import pyarrow as pa

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
        self._row: str | None = None  # a further column of the relation that numbers its rows

    @property
    def reads_others(self) -> bool:
        """A table without a path is one of a connection of the caller's."""
        return self.path is None

    @contextmanager
    def connected(self) -> Iterator[None]:
        """While it lasts, the engine can be asked."""
        yield

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        with self.connected():
            return checked_rows(int(self.relation.count().to_pyarrow().as_py()), self.label)

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
        rows = _digest(self.names, header, self.relation)
        by_duckdb = self.relation.get_backend().name == "duckdb"
        parts = {f"at{at}": _number(rows.substr(at, 8), by_duckdb).sum() for at in range(0, 32, 8)}
        with self.connected():
            found = self.relation.aggregate(n=self.relation.count(), **parts).to_pyarrow().to_pylist()[0]
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
            with self.connected():
                self._last = count(self.relation, columns, self.options)
        return self._last

    @property
    def lists(self) -> Mapping[str, str]:
        """The columns whose cells are lists, each with what stands between members where it is read."""
        return lists_in(self.relation.schema().to_pyarrow())

    @property
    def without_text(self) -> frozenset[str]:
        """The columns whose cells cannot be read as texts."""
        return textless_in(self.relation.schema().to_pyarrow())

    def typed_numbers(self, columns: Sequence[str]) -> Mapping[str, int | None]:
        """Those of some columns whose values are stored as numbers, with the decimals that these may have."""
        return numbers_in(self.relation.schema().to_pyarrow(), columns)

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and counts; an engine reads no other column for one."""
        self.check_columns(columns)
        with self.connected():
            return {name: distinct(self.relation, name, self.options) for name in columns}

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
        kind = self.relation.schema().to_pyarrow().field(column).type
        became = typed(texts, counted.coded[0].writing.missing, kind)
        small = self.small(pa.table({"k": counted.stored.column(0), "became": became}))
        place = {name: f"c{at}" for at, name in enumerate(self.names)}
        rows = self.rows(place)
        joined = rows.inner_join(small, rows[place[column]].identical_to(small.k))
        chosen = {name: joined["became" if name == column else place[name]] for name in self.names}
        found = copy(self)
        if self.keeps_order:
            found._row = "row" + "_" * max(map(len, self.names))  # longer than any other name
            chosen[found._row] = joined["row"]
        found.relation, found._last = joined.select(**chosen), None
        return found

    def _sorted_by(self, columns: Sequence[str]) -> list[str]:
        with self.connected():
            first = self.relation.select(*columns).limit(_LOOKED_AT).to_pyarrow()
        return ArrowTable(first, self.label, self.options).sorted_by(columns)

    def small(self, table: pa.Table) -> Any:
        """A table as long as the distinct tuples, for the engine to join with."""
        import ibis

        return ibis.memtable(table)

    def write(self, relation: Any, path: Path, suffix: str, is_ordered: bool) -> TableOptions:
        """Write a release, and return the options that read it back."""
        write_arrow(path, suffix, copied(plain(relation.to_pyarrow())), like=self.path)
        return replace(options_of_written(self.options, suffix), engine="memory")

    def writes_folder(self, path: Path) -> bool:
        """Whether a path is to be a folder of files."""
        return False

    def _released(self, dealing: Dealing, drop: frozenset[str]) -> ReleasedTable:
        return _Released(self, dealing, drop)


def open_object(source: Any, options: TableOptions) -> EngineTable:
    """A table of Ibis, wherever its rows are."""
    return EngineTable(source, "ibis table", options)


class _Released(ReleasedTable):
    """The release of an engine's table, itself an expression."""

    def __init__(self, table: EngineTable, dealing: Dealing, drop: frozenset[str]) -> None:
        super().__init__(table, dealing, drop)
        self._table = table

    @cached_property
    def _relation(self) -> Any:
        return released_relation(self._table, self._dealing, self.names)

    def _tuples(self, columns: Sequence[str]) -> DistinctTuples:
        dropped = [name for name in columns if name not in self.names]
        relation = self._relation
        if dropped:
            relation = released_relation(self._table, self._dealing, (*self.names, *dropped))
        with self._table.connected():
            return count(relation, columns, self._table.options).tuples

    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each."""
        self._check(columns)
        with self._table.connected():
            return {name: distinct(self._relation, name, self._table.options) for name in columns}

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        with self._table.connected():
            return copied(plain(self._relation.to_pyarrow()))

    def _writes_folder(self, path: Path) -> bool:
        return self._table.writes_folder(path)

    def _write(self, path: Path, suffix: str) -> TableOptions:
        with self._table.connected():
            is_ordered = self._table.keeps_order or self._dealing.is_shuffled
            return self._table.write(self._relation, path, suffix, is_ordered)


# ---------------------------------------------------------------------- counting


def count(relation: Any, columns: Sequence[str], options: TableOptions) -> Counted:
    """Distinct tuples of a relation."""
    import pyarrow as pa

    places = [f"c{at}" for at in range(len(columns))]
    if columns:
        chosen = relation.select(**{at: relation[name] for at, name in zip(places, columns, strict=True)})
        found = chosen.group_by(places).agg(n=chosen.count()).to_pyarrow()
    else:
        found = pa.table({"n": [relation.count().to_pyarrow().as_py()]})
    weights: Int64 = found["n"].to_numpy().astype(np.int64)
    coded = [
        settled(raw_column(name, found[place]), options.na_values_of(name), weights)
        for place, name in zip(places, columns, strict=True)
    ]
    tuples, which = distinct_tuples(columns, coded, len(weights), weights)
    return Counted(found.select(places), tuples, which, coded)


def distinct(relation: Any, column: str, options: TableOptions) -> Distinct:
    """Distinct texts of a column and how many rows have each."""
    tuples = count(relation, [column], options).tuples
    return tuples.values[0], tuples.counts


# ---------------------------------------------------------------------- dealing


def released_relation(table: EngineTable, dealing: Dealing, names: Sequence[str]) -> Any:
    """The released table as an expression: cells kept whole are joined once, split ones dealt by md5."""
    import ibis

    counted = table.counted(dealing.columns)
    needed = list(dict.fromkeys([*names, *dealing.columns, *filter(None, [dealing.key])]))
    place = {name: f"c{at}" for at, name in enumerate(needed)}
    rows = table.rows(place)
    masked = _Masked(table, dealing, counted, place)
    cells = dealing.cells[counted.which]
    groups = dealing.group_of_cell[cells]
    is_split = dealing.is_split[cells]
    parts = []
    whole = ~is_split & (groups != SUPPRESSED)
    if whole.any() or not is_split.any():
        joined = _joined(rows, masked.small(whole, groups=groups[whole]), dealing, place)
        parts.append(masked.put_in(joined, names))
    if is_split.any():
        some = _joined(rows, masked.small(is_split, cell=cells[is_split]), dealing, place)
        order = [
            _digest([place[name] for name in columns], str(dealing.seed), some)
            for columns in columns_hashed(dealing, names)
        ]
        ranked = some.mutate(rank=ibis.row_number().over(group_by="cell", order_by=order))
        parts.append(masked.put_in(masked.dealt(ranked), names))
    release = ibis.union(*parts, distinct=False) if len(parts) > 1 else parts[0]
    if dealing.is_shuffled:
        release = release.order_by(_digest([place[name] for name in names], str(dealing.seed), release, True))
    elif table.keeps_order:
        release = release.order_by("row")
    return release.select(**{name: release[place[name]] for name in names})


class _Masked:
    """The masked columns of a release: their new values in the types of the old, group by group."""

    def __init__(self, table: EngineTable, dealing: Dealing, counted: Counted, place: dict[str, str]) -> None:
        self._table, self._dealing, self._counted, self._place = table, dealing, counted, place
        types = table.relation.schema().to_pyarrow()
        # Texts that no row uses may be original values: they must not travel along.
        kept = np.unique(dealing.groups[dealing.groups != SUPPRESSED])
        self._number = np.zeros(dealing.n_groups + 1, np.int64)  # the last one is of suppressed rows
        self._number[kept] = np.arange(len(kept))
        self._values = {}
        for name, texts in dealing.texts.items():
            if name in dealing.columns:
                writing = counted.coded[dealing.columns.index(name)].writing
            else:
                writing = table.counted([name]).coded[0].writing
            used = [None if group == SUPPRESSED else texts[group] for group in kept.tolist()]
            self._values[name] = typed(used, writing.missing, types.field(name).type)

    def small(self, chosen: Bool, groups: Int32 | None = None, cell: Int32 | None = None) -> Any:
        """Some stored tuples as k0, k1, ... with the new values of their groups, or with their cells."""
        import pyarrow as pa

        stored = self._counted.stored.filter(pa.array(chosen))
        columns = {f"k{at}": stored.column(at) for at in range(stored.num_columns)}
        if not columns:
            columns["k"] = pa.array([True] * int(chosen.sum()))
        columns |= {"cell": pa.array(cell)} if groups is None else self._of(groups)
        return self._table.small(pa.table(columns))

    def dealt(self, ranked: Any) -> Any:
        """Rows of split cells with the new values of their groups, by their rank in their cell."""
        import pyarrow as pa

        dealing = self._dealing
        order = dealing.order[dealing.is_split[dealing.members[dealing.order]]]
        members, counts, groups = dealing.members[order], dealing.counts[order], dealing.groups[order]
        before = np.cumsum(counts) - counts
        _, first_of_cell, place = np.unique(members, return_index=True, return_inverse=True)
        first = before - before[first_of_cell][place]
        there = counts > 0
        ranges = self._table.small(
            pa.table(
                {
                    "of_cell": pa.array(members[there]),
                    "first": pa.array(first[there]),
                    "kept": pa.array(groups[there] != SUPPRESSED),
                    **self._of(groups[there]),
                }
            )
        )
        joined = ranked.asof_join(ranges, ranked["rank"] >= ranges["first"], [ranked.cell == ranges.of_cell])
        return joined.filter(joined.kept)

    def _of(self, groups: Int32) -> dict[str, pa.Array]:
        import pyarrow as pa

        picked = pa.array(self._number[groups])
        return {f"new_{self._place[name]}": values.take(picked) for name, values in self._values.items()}

    def put_in(self, joined: Any, names: Sequence[str]) -> Any:
        """The released columns, masked ones with their new values, and the number of the row."""
        columns = {
            self._place[name]: joined[("new_" if name in self._values else "") + self._place[name]]
            for name in names
        }
        row = {"row": joined["row"]} if self._table.keeps_order else {}
        return joined.select(**row, **columns)


def _joined(rows: Any, small: Any, dealing: Dealing, place: dict[str, str]) -> Any:
    """Rows with what their stored tuples are given; nulls are equal to nulls."""
    if not dealing.columns:
        return rows.cross_join(small)
    keys = [rows[place[name]].identical_to(small[f"k{at}"]) for at, name in enumerate(dealing.columns)]
    return rows.inner_join(small, keys)


def _digest(columns: Sequence[str], start: str, rows: Any, with_all: bool = False) -> Any:
    """The md5 of `tables.order` over a first line and the fields of a row, as an expression.

    Columns without a text are left out, or, `with_all`, take part as the engine prints them.
    """
    import ibis

    types = rows.schema().to_pyarrow()
    fields = [
        (ibis.literal('"') + text_of(rows[name]).replace('"', '""') + '"').fill_null("")
        for name in columns
        if with_all or has_text(types.field(name).type)
    ]
    text = ibis.literal(f"{start}\n")
    for at, one in enumerate(fields):
        text = text + one if at == 0 else text + "," + one
    return text.hexdigest("md5")


def _number(digits: Any, by_duckdb: bool) -> Any:
    """Eight hexadecimal digits as a number, as an expression; engines share no word for it."""
    import ibis

    if by_duckdb:
        return (ibis.literal("0x") + digits).cast("int64")
    total = ibis.literal(0, "int64")
    for at in range(8):
        total = total * 16 + ibis.literal("0123456789abcdef").find(digits.substr(at, 1)).cast("int64")
    return total


def text_of(column: Any) -> Any:
    """How a value reads as text, as an expression: the twin of `arrow.texts_of`."""
    import ibis

    kind = column.type()
    if kind.is_array() and (kind.value_type.is_string() or kind.value_type.is_integer()):
        return column.cast("array<string>").join(BETWEEN).nullif("")
    if kind.is_floating():
        number = column.cast("string").cast("float64")  # by its own digits, as Arrow's are read
        whole = (number.abs() < 2**53) & (number % 1 == 0)
        text = ibis.ifelse(whole, number.cast("int64").cast("string"), number.cast("string"))
        return ibis.ifelse(column.isnan(), ibis.null("string"), text)
    if kind.is_timestamp() and kind.timezone:
        return _short_time(column.cast("timestamp('UTC')").strftime("%Y-%m-%d %H:%M:%S.%f")) + "Z"
    if kind.is_timestamp() or kind.is_time():
        return _short_time(column.cast("string"))
    return column.cast("string")


def _settled(text: Any, na_values: Sequence[str]) -> Any:
    """A text, null where it means that there is no value."""
    import ibis

    return ibis.ifelse(text.strip().isin(na_values), ibis.null("string"), text) if na_values else text


def _short_time(text: Any) -> Any:
    return text.re_replace(r"(\.\d*?)0+$", r"\1").re_replace(r"\.$", "")


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
    engine = tables[0].relation.get_backend()

    def side(table: Table, names: Sequence[str], letter: str) -> Any:
        if isinstance(table, EngineTable) and table.relation.get_backend() is engine:
            relation = table.relation
        else:
            relation = ibis.memtable(table.released().to_arrow())
        by = (
            ibis.row_number()
            if key is None
            else _settled(text_of(relation[key]), table.options.na_values_of(key))
        )
        chosen = {f"{letter}{at}": relation[name] for at, name in enumerate(names)}
        return relation.select(**{f"{letter}key": by}, **chosen)

    with ExitStack() as stack:
        for which, table in zip(called, (original, masked), strict=True):
            if isinstance(table, EngineTable):
                stack.enter_context(table.connected())
            if key is not None and len(table.distinct(key)[0]) < table.n_rows:
                raise not_a_key(key, which)
        left, right = side(original, columns, "a"), side(masked, masked_columns, "b")
        right = right.mutate(there=ibis.literal(HERE))
        both = left.left_join(right, [left.akey.identical_to(right.bkey)])
        places = [f"a{at}" for at in range(len(columns))] + [f"b{at}" for at in range(len(masked_columns))]
        options = original.options if isinstance(original, EngineTable) else masked.options
        names = dict(zip(places, [*columns, *masked_columns], strict=True))
        options = replace(options, na_of={at: options.na_values_of(name) for at, name in names.items()})
        return Matched.of(count(both, [*places, "there"], options).tuples, len(columns))
