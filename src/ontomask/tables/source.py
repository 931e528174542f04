"""What every kind of table offers to the rest of the room, and the columns it hands over.

A `Source` knows how its values are stored; it does not know which are missing, nor what replaces them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ontomask.arrays import Bool, Int32
from ontomask.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class TableOptions:
    """How to read a table.

    Parameters
    ----------
    separator
        Of delimited text; found by itself if not given.
    encoding
        Of delimited text. A byte order mark is recognised and kept.
    na_values
        Texts that mean "missing"; spaces around them do not matter.
    sheet, table
        Which sheet of a workbook (the first if not given), which table of a DuckDB file.
    """

    separator: str | None = None
    encoding: str = "utf-8"
    na_values: tuple[str, ...] = ("", "NA", "?")
    sheet: str | None = None
    table: str | None = None


class RawColumn(NamedTuple):
    """A column as stored: `texts[codes[row]]`. Texts may repeat (`"a"` and `a`); None is a stored null."""

    codes: Int32
    texts: list[str | None]
    quoted: Bool | None = None


class Replacement(NamedTuple):
    """New values of a column: `texts[codes[row]]`; `missing` is what None is written as."""

    codes: Int32
    texts: Sequence[str | None]
    missing: str | None
    quoted: bool = False
    missing_quoted: bool = False


@dataclass(frozen=True)
class Changes:
    """What sets a release apart from its source: some columns replaced, some left out, some rows left out."""

    replaced: Mapping[str, Replacement]
    dropped: frozenset[str]
    rows: Bool | None

    def kept(self, names: Sequence[str]) -> list[str]:
        """The columns of the release."""
        return [name for name in names if name not in self.dropped]


class Source(Protocol):
    """A stored table."""

    @property
    def names(self) -> tuple[str, ...]:
        """Columns in order."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def label(self) -> str:
        """Path or kind, for messages."""

    @property
    def digest(self) -> str:
        """SHA-256 of the file, or of the content in memory."""

    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts."""

    def to_arrow(self, changes: Changes) -> pa.Table:
        """The table with the changes made."""


def checked_names(names: Sequence[str], label: str) -> tuple[str, ...]:
    """Column names, if each is there and there once."""
    for position, name in enumerate(names, 1):
        if not name.strip():
            raise TableError(f"{label}: column {position} has no name; give it one in the header")
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        places = [str(i) for i, name in enumerate(names, 1) if name == twice[0]]
        raise TableError(
            f"{label}: the column name {twice[0]!r} stands twice (columns {', '.join(places)}); rename one"
        )
    return tuple(names)


def checked_rows(n_rows: int, label: str) -> int:
    """The number of rows, if there are any."""
    if not n_rows:
        raise TableError(f"{label}: the table has column names but no rows")
    return n_rows


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file, taken when it is read: a release may later stand in its place."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
