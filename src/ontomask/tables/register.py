"""The register of engines: which file of this room reads and writes which files, or takes which objects.

An engine is a module with `open_file(path, options)`, which gives a `Table`, and `write_file(path, table,
like)`, which writes an Arrow table; one that takes tables of a library has `open_object(source, options)`.
A module is imported when it is first needed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ontomask.errors import TableError
from ontomask.tables.address import Address

TEXT = (".csv", ".txt", ".tsv", ".tab", ".dat", ".data")
TABBED = (".tsv", ".tab")
ARROW = (".parquet", ".arrow", ".feather", ".ipc")
EXCEL = (".xlsx",)
DUCKDB = (".duckdb",)
STATISTICAL = (".dta", ".sav", ".zsav", ".por", ".xpt", ".sas7bdat")


class Engine(NamedTuple):
    """A module of this room, the endings of its files, and the libraries whose tables it takes.

    `holds_several` says that a file of it may hold other tables beside the one that is meant; `only_read` are
    the endings of files that it does not write.
    """

    module: str
    suffixes: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    holds_several: bool = False
    only_read: tuple[str, ...] = ()


ENGINES = [
    Engine("delimited", TEXT),
    Engine("arrow", ARROW, ("pandas", "polars", "pyarrow")),
    Engine("excel", EXCEL, holds_several=True),
    Engine("statistical", STATISTICAL, only_read=STATISTICAL[2:]),
    Engine("duckdb", DUCKDB, ("duckdb", "_duckdb"), holds_several=True),
    Engine("engine", libraries=("ibis",)),
    Engine("spark", libraries=("pyspark",)),
]
BACKENDS = {
    "duckdb": ("duckdb", "DuckDbRelation"),
    "postgres": ("postgres", "PostgresTable"),
    "pyspark": ("spark", "SparkTable"),
}
"""Back ends of Ibis that have words of their own, and the kind of table that knows them."""
_PACKED = frozenset((".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz"))


def engine_of_file(suffix: str) -> Any:
    """The module for files of that ending."""
    return _module(next(one.module for one in ENGINES if suffix in one.suffixes))


def may_hold_several(path: Path) -> bool:
    """Whether a file of that name may hold other tables beside the one that is meant."""
    return any(one.holds_several and path.suffix.lower() in one.suffixes for one in ENGINES)


def engine_of_object(source: Any) -> Any:
    """The module for a table of some library; unknown ones may speak Arrow."""
    library = type(source).__module__.partition(".")[0]
    return _module(next((one.module for one in ENGINES if library in one.libraries), "arrow"))


def engine_of_address(address: Address) -> Any:
    """The module that opens tables of a database."""
    return _module("postgres")


def release_in(address: Address) -> Any:
    """The module that writes releases into it."""
    return _module("postgres_release")


def engine_named(name: str) -> Any:
    """The module of that name."""
    return _module(name)


def engine_of_backend(name: str) -> Any:
    """The kind of table for a back end of Ibis."""
    module, kind = BACKENDS.get(name, ("engine", "EngineTable"))
    return getattr(_module(module), kind)


def known_suffix(path: Path, done: str) -> str:
    """The suffix of a path, if an engine has it."""
    suffix = path.suffix.lower()
    known = [
        known for one in ENGINES for known in one.suffixes if done == "read" or known not in one.only_read
    ]
    if suffix not in known:
        raise TableError(
            f"files ending in {suffix or 'nothing'!r} cannot be {done}",
            file=str(path),
            remedy="unpack it first" if suffix in _PACKED and done == "read" else f"use {', '.join(known)}",
        )
    return suffix


def _module(name: str) -> Any:
    return import_module(f"ontomask.tables.{name}")
