"""How a table is to be read, and what every kind of table checks about itself when it is opened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from ontomask.errors import TableError
from ontomask.tables.header import name_faults

DEFAULT_NAME = "release"
"""Of a sheet or table that is written, unless the plan names it: its own may say more than the release."""

Engine = Literal["auto", "memory", "duckdb", "spark"]
Values = Literal["labels", "codes"]
_MOST_COLUMNS = 200_000


@dataclass(frozen=True)
class TableOptions:
    """How to read a table.

    Parameters
    ----------
    separator
        Of delimited text; found by itself if not given.
    encoding
        Of delimited text; found out if not given (`tables.encodings`). A byte order mark is kept.
    na_values
        Texts that mean "missing"; spaces around them do not matter.
    na_of
        The same for single columns, in the place of `na_values`.
    header_row
        The line of a text file, or row of a sheet, with the column names; the first if not given. What
        stands above it is not released.
    sheet, table
        Which sheet of a workbook (the first if not given), which table of a DuckDB file.
    values
        Of Stata, SPSS and SAS files: whether values that have labels are read as these, or as codes.
    engine
        `memory` reads the table into memory, `duckdb` leaves it where it is and lets DuckDB count and write;
        `auto` takes DuckDB for folders, patterns, DuckDB files, Parquet beyond 32 MB and text beyond 2 GB;
        `spark` lets a cluster do it, which sees the same files.
    master
        The cluster of Spark; if not given, what it is configured for, or all cores of this machine.
    """

    separator: str | None = None
    encoding: str | None = None
    na_values: tuple[str, ...] = ("", "NA", "?")
    na_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header_row: int | None = None
    sheet: str | None = None
    table: str | None = None
    values: Values = "labels"
    engine: Engine = "auto"
    master: str | None = None

    @property
    def of_others(self) -> TableOptions:
        """The same for other tables with these columns, such as a release: titles stand in the original."""
        return replace(self, header_row=None)

    def na_values_of(self, column: str) -> tuple[str, ...]:
        """Texts that mean "missing" in a column."""
        return self.na_of.get(column, self.na_values)

    def __post_init__(self) -> None:
        if self.values not in ("labels", "codes"):
            raise TableError(
                f"values are read as labels or codes, not {self.values!r}",
                key="values",
                value=self.values,
                is_public=True,
            )
        if self.engine not in get_args(Engine):
            raise TableError(
                f"there is no engine {self.engine!r}",
                key="engine",
                value=self.engine,
                is_public=True,
                remedy="use auto, memory, duckdb or spark",
            )


def checked_names(names: Sequence[str], label: str) -> tuple[str, ...]:
    """Column names, if each is there and there once; else all that is wrong with them."""
    if not names:
        raise TableError("the table has no columns", file=label)
    check_width(len(names), label)
    if faults := name_faults(names, label):
        raise TableError(*faults)
    return tuple(names)


def check_width(n_columns: int, label: str) -> None:
    """More columns than anybody has are a line that never ends."""
    if n_columns > _MOST_COLUMNS:
        raise TableError(
            f"the table has {n_columns:,} columns; at most {_MOST_COLUMNS:,} are read",
            file=label,
            remedy="check the separator, or leave columns out",
        )


def checked_rows(n_rows: int, label: str) -> int:
    """The number of rows, if there are any."""
    if not n_rows:
        raise TableError("the table has column names but no rows", file=label)
    return n_rows


def check_regular(path: Path) -> None:
    """A table is in a file: reading a pipe or a device may never end."""
    if not path.is_file():
        raise TableError("is not a regular file", file=str(path), remedy="copy its content into one")


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file, taken when it is read: a release may later stand in its place."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file, or of the files in a folder."""
    if not path.is_dir():
        return digest_of_file(path)
    return digest_of_files([file for file in path.rglob("*") if file.is_file()], path)


def digest_of_files(paths: Sequence[Path], folder: Path) -> str:
    """SHA-256 over the names (as seen from `folder`) and digests of several files."""
    lines = sorted(f"{digest_of_file(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
