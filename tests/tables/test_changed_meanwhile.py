"""What is written are rows of what was read, whatever becomes of the source between the two."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ontomask.errors import TableError
from ontomask.tables import TableOptions, open_table
from tables.dealings import released_by, released_by_row

ROWS = b"name,city,pay\nAnn,Oslo,10\nBob,Rome,20\nCat,Bari,30\n"
RELEASED = b"city,pay\nN,10\nS,20\nS,30\n"


def overwritten(path: Path) -> None:
    path.write_bytes(b"pay,city,name\n10,N,Ann Smith\n20,S,Bob\n")


def cut_short(path: Path) -> None:
    os.truncate(path, 3)


def one_byte_in_place(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(ROWS.index(b"Ann"))
        file.write(b',x"')


@pytest.mark.parametrize("change", [overwritten, cut_short, one_byte_in_place, Path.unlink])
def test_text_is_written_as_it_was_read(tmp_path: Path, change: Callable[[Path], None]) -> None:
    source, target = tmp_path / "people.csv", tmp_path / "out.csv"
    source.write_bytes(ROWS)
    table = open_table(source)
    release = released_by_row(table, {"city": ["N", "S", "S"]}, drop=["name"])
    digest = table.digest
    change(source)
    release.write(target)
    assert target.read_bytes() == RELEASED
    assert release.to_arrow().to_pydict() == {"city": ["N", "S", "S"], "pay": ["10", "20", "30"]}
    assert table.digest == digest


def frames() -> dict[str, tuple[Any, np.ndarray]]:
    """Tables of every library over numbers that the caller can still change."""
    pandas = pd.DataFrame({"city": ["Oslo", "Rome", "Bari"], "pay": np.array([10, 20, 30])})
    arrow, polars, view = (np.array([10, 20, 30]) for _ in range(3))
    cities = ["Oslo", "Rome", "Bari"]
    return {
        "pandas": (pandas, pandas["pay"].array._ndarray),  # as a library in C would, past copy-on-write
        "a view": (pd.DataFrame({"city": cities, "pay": pd.Series(view, copy=False)}, copy=False), view),
        "pyarrow": (pa.table({"city": cities, "pay": pa.array(arrow)}), arrow),
        "polars": (pl.DataFrame({"city": cities, "pay": pl.Series(polars)}), polars),
    }


@pytest.mark.parametrize("library", list(frames()))
def test_a_frame_that_is_changed_meanwhile(tmp_path: Path, library: str) -> None:
    frame, numbers = frames()[library]
    release = released_by_row(open_table(frame), {"city": ["N", "S", "S"]})
    numbers.flags.writeable = True
    numbers[:] = 777
    if library == "pandas":
        assert frame["pay"].tolist() == [777] * 3
        frame.loc[0, "pay"], frame.loc[0, "city"] = 778, "Ann"
    for suffix in ("csv", "parquet", "xlsx"):
        release.write(tmp_path / f"out.{suffix}")
        assert open_table(tmp_path / f"out.{suffix}").distinct("pay")[0] == ["10", "20", "30"]
    assert release.to_pandas()["pay"].tolist() == [10, 20, 30]


def test_a_released_frame_is_the_receivers_own() -> None:
    """Changing what was given out does not change what is written later."""
    release = open_table(pa.table({"a": [1, 2, 3]})).released()
    first = release.to_pandas()
    first.loc[0, "a"] = 777
    assert release.to_pandas()["a"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("suffix", ["parquet", "duckdb"])
def test_a_file_replaced_by_one_of_equal_size_and_time(tmp_path: Path, suffix: str) -> None:
    """DuckDB reads files in place: another file under the same name is noticed by its inode."""
    source, other = tmp_path / f"people.{suffix}", tmp_path / f"other.{suffix}"
    for path, name in ((source, "Ann"), (other, "Eve")):
        open_table(pa.table({"name": [name, "Bob"], "city": ["Oslo", "Rome"]})).released().write(path)
    other.write_bytes(other.read_bytes().ljust(source.stat().st_size, b"\0"))
    times = (source.stat().st_atime_ns, source.stat().st_mtime_ns)
    table = open_table(source, TableOptions(engine="duckdb"))
    release = released_by(table, ["city"], lambda _: {"city": "N"})
    os.utime(other, ns=times)
    assert other.stat().st_size == source.stat().st_size
    other.replace(source)
    for use in (lambda: release.write(tmp_path / "out.csv"), release.to_arrow, lambda: table.digest):
        with pytest.raises(TableError, match="changed since it was read"):
            use()
    assert not (tmp_path / "out.csv").exists()


def test_a_duckdb_file_replaced_while_it_is_written(tmp_path: Path) -> None:
    source, other = tmp_path / "people.duckdb", tmp_path / "other.duckdb"
    open_table(pa.table({"city": ["Oslo", "Rome"]})).released().write(source)
    shutil.copy(source, other)
    table = open_table(source)
    with pytest.raises(TableError, match="changed since it was read"), table.connected():  # type: ignore[attr-defined]
        other.replace(source)


def test_text_in_duckdb_changed_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.tables import duckdb as engine

    source = tmp_path / "people.csv"
    source.write_bytes(ROWS)
    read_header = engine.header_of

    def and_then_change(path: Path, options: TableOptions, engine: str) -> Any:
        found = read_header(path, options, engine)
        path.write_bytes(ROWS.replace(b"name,city", b"city,name"))
        return found

    monkeypatch.setattr(engine, "header_of", and_then_change)
    with pytest.raises(TableError, match="changed since it was read"):
        open_table(source, TableOptions(engine="duckdb"))
