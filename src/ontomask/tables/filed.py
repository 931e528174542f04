"""Files that an engine reads in place: which they are, and whether they still are what they were."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ontomask.errors import TableError, said_by
from ontomask.files import files_below, is_there
from ontomask.tables.engine import EngineTable
from ontomask.tables.options import (
    TableOptions,
    check_regular,
    checked_names,
    digest_of_file,
    digest_of_files,
)

_HEAD = 1 << 20


class Files(NamedTuple):
    """The files that a path means, and how they were seen before anything was read."""

    path: Path
    files: list[Path]
    seen: list[tuple[int, ...]]

    @classmethod
    def of(cls, path: Path) -> Files:
        """The Parquet files that a path means, or else the file itself."""
        files = parquet_files(path) or [path]
        return cls(path, files, state_of(files))

    @property
    def are_parquet(self) -> bool:
        """Whether they are Parquet files."""
        return self.files != [self.path] or self.path.suffix.lower() == ".parquet"

    @property
    def by_folder(self) -> bool:
        """Whether names of folders, such as `year=2024`, are values of a column."""
        return len(self.files) > 1 and any("=" in part for file in self.files for part in file.parent.parts)


class FileTable(EngineTable):
    """A table of an engine whose rows are in files; they must not change while it is used."""

    def __init__(self, relation: Any, options: TableOptions, files: Files, label: str = "") -> None:
        super().__init__(relation, label or str(files.path), options, files.path)
        self.files = files
        _ = self.n_rows  # a file without rows is refused now, not later

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file, or over the names and digests of the files of a folder."""
        path, files = self.files.path, self.files.files
        with self.connected():
            if files == [path]:
                return digest_of_file(path)
            folder = path if path.is_dir() else Path(os.path.commonpath([file.parent for file in files]))
            return digest_of_files(files, folder)

    @property
    def n_bytes(self) -> int | None:
        """How large the files are."""
        return sum(file.stat().st_size for file in self.files.files)

    def writes_folder(self, path: Path) -> bool:
        """A folder, or the files of a pattern, may become a folder again."""
        is_several = self.files.path not in self.files.files
        return is_several and not path.suffix

    @contextmanager
    def connected(self) -> Iterator[None]:
        """While it lasts, the files must be what they were when the table was opened."""
        self.check_unchanged()
        with self.telling():
            yield
        self.check_unchanged()

    @contextmanager
    def telling(self) -> Iterator[None]:
        """What the engine finds wrong with a value when it comes to it, as an error of the table."""
        yield

    def check_unchanged(self) -> None:
        """Raise if a file was written to or replaced."""
        if state_of(self.files.files) != self.files.seen:
            raise TableError("was changed since it was read", file=self.label, remedy="start again")


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files that a path means: itself, those below a folder, or those of a pattern."""
    if path.is_dir():
        found = sorted(files_below(path, "*.parquet"))
        if not found:
            raise TableError("there is no Parquet file in this folder", file=str(path))
        return _regular(found)
    if path.exists():
        return [path] if path.suffix.lower() == ".parquet" else []
    try:
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    except ValueError as error:
        raise TableError("is no pattern of file names", file=str(path), details=said_by(error)) from None
    if not found:
        raise TableError("no file fits this pattern", file=str(path))
    return _regular(found)


def _regular(files: list[Path]) -> list[Path]:
    for file in files:
        check_regular(file)
    return files


def state_of(files: Sequence[Path]) -> list[tuple[int, ...]]:
    """What tells whether files were written to or replaced since."""
    found = [file.stat() if is_there(file) else None for file in files]
    return [
        (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) if one else ()
        for one in found
    ]


def header_of(path: Path, options: TableOptions, engine: str) -> tuple[str, tuple[str, ...]]:
    """Separator and column names, found on the first lines by the reader of small files."""
    from ontomask.tables.delimited import Delimited

    if (given := options.encoding) and given.lower().replace("_", "-") not in ("utf-8", "utf-8-sig"):
        raise _not_utf8(path, given, engine)
    if options.header_row not in (None, 1):
        raise TableError(
            f"{engine} takes the first line for the column names",
            file=str(path),
            key="header_row",
            remedy="remove what stands above them",
        )
    with path.open("rb") as file:
        head = file.read(_HEAD)
    whole = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]
    with TemporaryDirectory(prefix="ontomask-") as folder:
        sample = Path(folder) / "head.csv"
        sample.write_bytes(whole)
        try:
            found = Delimited(sample, options)
        except TableError as error:  # which knows the sample alone
            own = [replace(one, file=str(path)) if one.file == str(sample) else one for one in error.faults]
            raise TableError(*own) from error
    if found.encoding != "utf-8":
        raise _not_utf8(path, found.encoding, engine)
    return found.separator, found.names


def _not_utf8(path: Path, encoding: str, engine: str) -> TableError:
    return TableError(f"{engine} reads UTF-8 only, not {encoding}", file=str(path), remedy="convert the file")


def names_in_parquet(path: Path) -> list[str]:
    """Column names as they are written, which DuckDB may change."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            return list(pq.read_schema(file).names)
    except pa.ArrowException as error:
        raise TableError("not a readable Parquet file", file=str(path), details=said_by(error)) from error


def check_cases(names: Sequence[str], path: Path, engine: str) -> None:
    """An engine may take two names for one that differ in the case of letters alone."""
    checked_names(names, str(path))
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise TableError(
                f"{engine} does not tell the columns {other!r} and {name!r} apart",
                value=name,
                is_public=True,
                remedy="rename one, or use engine: memory and another format",
            )
