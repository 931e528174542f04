"""What every engine's table offers: distinct values and tuples with counts, and the release made from it.

One file for each engine implements `Table` and `ReleasedTable`. **Rule:** no array as long as the table
leaves this room: what goes in and out is as long as the distinct tuples, or as the entries of a masking.
Nothing here knows why a column is masked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.errors import Fault, InternalError, TableError, did_you_mean, said_by
from ontomask.files import Staging, replacing
from ontomask.tables.address import Place
from ontomask.tables.options import TableOptions
from ontomask.tables.register import known_suffix, release_in

if TYPE_CHECKING:
    import pyarrow as pa

SUPPRESSED = -1
_AT_ONCE = 100_000

Distinct = tuple[list[str | None], Int64]
FirstRows = tuple[tuple[str, ...], list[tuple[str | None, ...]]]


@dataclass(frozen=True, eq=False)
class DistinctTuples:
    """The distinct tuples of some columns, ordered by their texts column by column, missing last.

    Attributes
    ----------
    columns, values
        The columns, and the distinct values of each, in code point order, None (missing) last.
    codes : int32 [p, m]
        Each tuple as positions in `values`.
    counts : int64 [p]
        Rows of each tuple.
    """

    columns: tuple[str, ...]
    values: list[list[str | None]]
    codes: Int32
    counts: Int64

    def __len__(self) -> int:
        return len(self.counts)

    def texts(self, tuple_: int) -> tuple[str | None, ...]:
        """The values of one tuple."""
        return tuple(
            values[code] for values, code in zip(self.values, self.codes[tuple_].tolist(), strict=True)
        )


@dataclass(frozen=True, eq=False)
class Dealing:
    """What becomes of the rows of each distinct tuple.

    Entry e sends `counts[e]` rows of cell `members[e]` to group `groups[e]` (-1: suppressed). A cell whose
    rows all go to one group is kept whole; the rows of any other are dealt in the order that `tables.order`
    describes, which means nothing and is the same for every engine.

    Attributes
    ----------
    columns
        The columns whose distinct tuples are meant, as given to `Table.tuples`. Some need not be masked: a
        confidential column, or whose rows they are, where a requirement has to know what went where.
    cells : int32 [p]
        Which cell each of these tuples is; several spellings may be one.
    members, groups : int32 [e]
    counts : int64 [e]
    texts
        Per masked column the text of each group; None is missing.
    seed, key
        What the order of dealing is drawn from; `key` names a column that tells rows apart.
    is_shuffled
        Whether the released rows stand in the order of `tables.order.shuffled`.
    """

    columns: tuple[str, ...]
    cells: Int32
    members: Int32
    groups: Int32
    counts: Int64
    texts: Mapping[str, Sequence[str | None]]
    seed: int = 0
    key: str | None = None
    is_shuffled: bool = False

    @classmethod
    def nothing(cls, n_rows: int) -> Dealing:
        """No column is masked, no row suppressed."""
        zero = np.zeros(1, np.int32)
        return cls((), zero, zero, zero, np.array([n_rows], np.int64), {})

    @property
    def n_kept(self) -> int:
        """Rows of the release."""
        return int(self.counts[self.groups != SUPPRESSED].sum())

    @cached_property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.cells.max(initial=-1)) + 1

    @cached_property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    @cached_property
    def order(self) -> Int64:
        """The entries by cell and, in a cell, by group: rows are dealt to them in this order."""
        return np.lexsort((self.groups, self.members))

    @cached_property
    def group_of_cell(self) -> Int32:
        """The group of a cell that is kept whole."""
        groups = np.full(self.n_cells, SUPPRESSED, np.int32)
        groups[self.members] = self.groups
        return groups

    @cached_property
    def is_split(self) -> Bool:
        """Which cells are dealt to several groups."""
        split: Bool = np.zeros(self.n_cells, bool)
        split[self.members[self.group_of_cell[self.members] != self.groups]] = True
        return split

    def check(self, table: Table) -> None:
        """Whether it accounts for every row and text; if not, whoever made it is at fault."""
        counts = table.tuples(self.columns).counts
        if len(counts) != len(self.cells):
            raise InternalError(f"a dealing of {len(self.cells)} tuples, the table has {len(counts)}")
        dealt = np.bincount(self.members, self.counts, self.n_cells)
        if not np.array_equal(dealt, np.bincount(self.cells, counts, self.n_cells)):
            raise InternalError("a dealing must account for every row of every cell, once")
        for name, texts in self.texts.items():
            if len(texts) < self.n_groups:
                raise InternalError(f"{name}: {len(texts)} texts for {self.n_groups} groups")


class Table(ABC):
    """A table that was opened; see `open_table`.

    Attributes
    ----------
    names, n_rows
        Columns in order; number of rows.
    label
        Path or kind, for messages.
    path
        Of the file, folder or pattern; None in memory.
    keeps_order
        Whether a release has its rows in the same order.
    notes
        What was found out about how it is to be read, for whoever publishes it.
    found
        The same as options, for a plan that is drafted.
    """

    keeps_order: bool = True
    notes: tuple[str, ...] = ()
    found: Mapping[str, Any] = MappingProxyType({})
    names: tuple[str, ...]
    label: str
    path: Path | None
    options: TableOptions

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}: {self.n_rows:,} rows, {len(self.names)} columns>"

    @property
    def name(self) -> str:
        """Of its file, or its kind: what may be told of where it stands."""
        return self.label if self.path is None else self.path.name

    @property
    def reads_others(self) -> bool:
        """Whether its rows may lie in files that nobody named."""
        return False

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_bytes(self) -> int | None:
        """How large the table is where it stands; None if nobody knows."""
        return self.path.stat().st_size if self.path is not None and self.path.is_file() else None

    @property
    def moved(self) -> int | None:
        """Bytes that an engine sent and was sent so far, as Arrow; None if all is in this process."""
        return None

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 of the file, or of the content of a table in memory; of a database that of its rows."""

    @abstractmethod
    def tuples(self, columns: Sequence[str]) -> DistinctTuples:
        """Distinct tuples of some columns, with counts."""

    @abstractmethod
    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each, in one walk."""

    def distinct(self, column: str) -> Distinct:
        """Distinct values as text in code point order, None (missing) last, and how many rows have each."""
        return self.distinct_of([column])[column]

    @abstractmethod
    def first_rows(self, most: int) -> FirstRows:
        """The columns whose cells have texts, and these of the first rows, for a person to look at."""

    def is_key(self, column: str) -> bool:
        """Whether no two rows have the same value in a column; one of them may be missing."""
        return len(self.distinct(column)[0]) == self.n_rows

    def n_distinct_of(self, columns: Sequence[str]) -> dict[str, int]:
        """How many different values some columns have, without the values where an engine counts them."""
        return {name: len(texts) for name, (texts, _) in self.distinct_of(columns).items()}

    def most_rows(self, unit: str | None) -> int:
        """How many rows the value of a column has that has most; 1 if every row is a unit of its own."""
        if unit is None:
            return 1
        self.check_columns([unit])
        return int(self.distinct(unit)[1].max(initial=1))

    def line_of(self, column: str, text: str) -> int:
        """The first line of the file, or row of the sheet, with a text in a column; 0 if it is not known."""
        return 0

    def placed(self, fault: Fault) -> Fault:
        """A fault of a value with the line where it stands first."""
        if fault.line or fault.value is None or fault.column not in self._there:
            return fault
        line = self.line_of(fault.column, fault.value)
        return replace(fault, file=self.label, line=line) if line else fault

    @property
    def lists(self) -> Mapping[str, str]:
        """The columns whose cells are lists, each with what stands between members where it is read."""
        return {}

    @property
    def without_text(self) -> frozenset[str]:
        """The columns whose cells cannot be read as texts: structs, bytes, most lists."""
        return frozenset()

    def typed_numbers(self, columns: Sequence[str]) -> Mapping[str, int | None]:
        """Those of some columns whose values are stored as numbers, with the decimals that these may have."""
        return {}

    def released(self, dealing: Dealing | None = None, drop: Collection[str] = ()) -> ReleasedTable:
        """The release in which masked columns have the texts of their rows' groups, and some are dropped.

        A missing value is written in one form for each column: empty, or what the column used most if that
        is a mark, neither a number nor a word.
        """
        dealing = dealing or Dealing.nothing(self.n_rows)
        self.check_columns([*dealing.columns, *dealing.texts, *drop, *filter(None, [dealing.key])])
        both = [name for name in dealing.texts if name in drop]
        if both:
            raise TableError("is both masked and dropped", column=both[0], remedy="choose one")
        if len(set(drop)) == len(self.names):
            raise TableError("every column is dropped; nothing is left to release", file=self.label)
        dealing.check(self)
        if not dealing.n_kept:
            raise TableError("every row is suppressed; nothing is left to release", file=self.label)
        return self._released(dealing, frozenset(drop))

    @abstractmethod
    def _released(self, dealing: Dealing, drop: frozenset[str]) -> ReleasedTable:
        """The release, of arguments that were checked."""

    def renamed(self, column: str, new: Mapping[str, str]) -> Table:
        """The same rows with another text for each text of one column; what is missing stays missing."""
        self.check_columns([column])
        return self._renamed(column, new)

    def sorted_by(self, columns: Sequence[str]) -> list[str]:
        """By which of some columns the rows are sorted, up or down, more surely than by chance."""
        self.check_columns(columns)
        return self._sorted_by(columns) if self.keeps_order else []

    @abstractmethod
    def _sorted_by(self, columns: Sequence[str]) -> list[str]:
        """The same, of columns that are there, of a table whose rows have an order."""

    @abstractmethod
    def _renamed(self, column: str, new: Mapping[str, str]) -> Table:
        """The same, of arguments that were checked."""

    @cached_property
    def _there(self) -> frozenset[str]:
        return frozenset(self.names)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Every column must be there."""
        for name in columns:
            if name not in self._there:
                hint = did_you_mean(name, self.names, [*map(repr, self.names)], most=3)
                raise TableError(f"{self.label} has no column {name!r}{hint}", value=name, is_public=True)


class ReleasedTable(ABC):
    """A table about to leave the house; nothing is computed before it is asked for."""

    def __init__(self, table: Table, dealing: Dealing, drop: frozenset[str]) -> None:
        self._source, self._dealing, self._drop = table, dealing, drop
        self.names = tuple(name for name in table.names if name not in drop)
        self.n_rows = dealing.n_kept

    def tuples(self, columns: Sequence[str], beside: Sequence[str] = ()) -> DistinctTuples:
        """Distinct tuples of what would be written, with counts.

        Columns that are dropped can be counted too, `beside` the others: whose rows they are, for example.
        """
        from ontomask.tables.coded import RawColumn, distinct_tuples, settled

        self._check(columns)
        self._source.check_columns(beside)
        columns = [*columns, *beside]
        dealing = self._dealing
        if not all(name in dealing.texts for name in columns):
            return self._tuples(columns)
        # The rows of a group are alike in the masked columns: counting groups is counting rows.
        kept = dealing.groups != SUPPRESSED
        n, na_values_of = dealing.n_groups, self._source.options.na_values_of
        groups = dealing.groups[kept]
        coded = []
        for name in columns:
            texts: dict[str | None, int] = {}  # groups are many, what they are given is not
            number = [texts.setdefault(text, len(texts)) for text in dealing.texts[name][:n]]
            coded.append(
                settled(RawColumn(np.array(number, np.int32)[groups], [*texts]), na_values_of(name)).of(None)
            )
        return distinct_tuples(columns, coded, len(groups), dealing.counts[kept])[0]

    @abstractmethod
    def _tuples(self, columns: Sequence[str]) -> DistinctTuples:
        """The same, where some columns are not masked."""

    @abstractmethod
    def distinct_of(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """For each of some columns its distinct texts and how many rows have each, in one walk."""

    def distinct(self, column: str) -> Distinct:
        """Distinct texts in code point order, None (missing) last, and how many rows have each."""
        return self.distinct_of([column])[column]

    def _check(self, columns: Sequence[str]) -> None:
        self._source.check_columns(columns)
        dropped = [name for name in columns if name in self._drop]
        if dropped:
            raise TableError("is not in the release: it was dropped", column=dropped[0])

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""

    def batches(self) -> pa.RecordBatchReader:
        """As Arrow, some rows at a time."""
        return self.to_arrow().to_reader(_AT_ONCE)

    def given_back(self, kind: str) -> Any:
        """As a table of the library that it was given as, or else of pyarrow."""
        if kind == "pandas":
            return self.to_pandas()
        return self.to_polars() if kind == "polars" else self.to_arrow()

    def query_in(self, backend: Any) -> str | None:
        """The release as a query, if it is one of that connection of Ibis."""
        return None

    def to_pandas(self) -> Any:
        """As a pandas data frame."""
        try:
            import pandas  # noqa: F401 - asked for here so that its absence is told plainly
        except ImportError:
            raise TableError("to_pandas() needs pandas", remedy="pip install pandas") from None
        import pyarrow as pa

        table = self.to_arrow()
        try:
            return table.to_pandas()
        except (pa.ArrowException, ValueError, OverflowError, TypeError) as error:
            raise _not_held("pandas", error) from error

    def to_polars(self) -> Any:
        """As a polars data frame."""
        try:
            import polars
        except ImportError:
            raise TableError("to_polars() needs polars", remedy="pip install polars") from None
        table = self.to_arrow()
        try:
            frame: Any = polars.from_arrow(table)
        except (polars.exceptions.PolarsError, polars.exceptions.PanicException, TypeError) as error:
            raise _not_held("polars", error) from error
        ranked = [field.name for field in table.schema if getattr(field.type, "ordered", False)]
        levels = {name: table[name].chunk(0).dictionary.to_pylist() for name in ranked}
        as_ranked = {
            name: polars.Enum(found) for name, found in levels.items() if found and isinstance(found[0], str)
        }
        return frame.with_columns(polars.col(name).cast(kind) for name, kind in as_ranked.items())

    def write(self, path: str | Path, check: Callable[[Table], object] | None = None) -> None:
        """Write in the format of the path's suffix; in the dialect of the source if that is the same.

        What is written stands beside its target first. `check` is given it, opened as a table, before it is
        moved into place. If it raises, nothing is left.
        """
        path = Path(path)
        self.check_target(path)
        with replacing(path) as temporary:
            written = self.write_new(temporary)
            if check is not None:
                check(written)

    @contextmanager
    def written(self, place: Place, files: Staging) -> Iterator[Table]:
        """Write where nobody sees it yet, and open what was written; it is put in place with the others."""
        if isinstance(place, Path):
            self.check_target(place)
            with files.writing(place) as staged:
                yield self.write_new(staged)
            return
        new = release_in(place).NewTable(place, self._source)
        files.join(new)
        new.check()
        yield self._checked(new.write(self, self._source.options))

    def write_new(self, path: Path) -> Table:
        """Write to a path where nothing stands, and give back what was written, opened as a table."""
        from ontomask.tables import open_table

        return self._checked(open_table(path, self._write(path, path.suffix.lower())))

    def _checked(self, written: Table) -> Table:
        """What was written, if it is as long and as wide as the release."""
        if (written.names, written.n_rows) != (self.names, self.n_rows):
            raise InternalError(
                f"not written: the file has {written.n_rows:,} rows and {len(written.names):,} columns, "
                f"the release {self.n_rows:,} and {len(self.names):,}"
            )
        return written

    def check_target(self, path: Path) -> None:
        """Whether a release can be written there, as far as it can be told beforehand."""
        as_folder = self._writes_folder(path)
        try:
            in_the_way, has_folder = path.is_dir(), path.parent.is_dir()
            is_empty = in_the_way and not any(path.iterdir())
        except OSError as error:
            raise TableError(f"cannot write {path}: {error.strerror}") from None
        if in_the_way and not (as_folder and is_empty):
            remedy = "remove it, or choose another name" if as_folder else "give a file name in it"
            raise TableError(f"cannot write {path}: it is a folder", remedy=remedy)
        if not as_folder:
            known_suffix(path, "written")
        if not has_folder:
            raise TableError(f"cannot write {path}: there is no folder {path.parent}", remedy="make it first")

    def _writes_folder(self, path: Path) -> bool:
        """Whether a path is to be a folder of files."""
        return False

    @abstractmethod
    def _write(self, path: Path, suffix: str) -> TableOptions:
        """Write, and return the options that read it back."""


def _not_held(library: str, error: BaseException) -> TableError:
    return TableError(
        f"{library} has no place for a value of the release",
        details=said_by(error),
        remedy="drop the column, or use to_arrow()",
    )
