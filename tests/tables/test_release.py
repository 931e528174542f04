"""Fail closed: a release is whole, checked and in place, or it is not there at all."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontomask.errors import InternalError, OntomaskError, TableError
from ontomask.tables import Dealing, Table, open_table
from tables.dealings import released_by_row, smallest_class

SUFFIXES = ["csv", "tsv", "parquet", "feather", "arrow", "xlsx", "duckdb"]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "people.csv"
    path.write_bytes(b"name,city\nAnn,Oslo\nBob,Rome\nCid,Oslo\n")
    return open_table(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_check_sees_what_is_about_to_be_in_place(table: Table, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    seen = []

    def check(written: Table) -> None:
        assert not target.exists()
        seen.append((written.names, smallest_class(written, ["city"])))

    released_by_row(table, {"city": ["Europe"] * 3}, drop=["name"]).write(target, check)
    assert seen == [(("city",), (1, 3))]
    assert smallest_class(target, ["city"]) == (1, 3)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_is_left_if_the_check_fails(table: Table, tmp_path: Path, suffix: str) -> None:
    def check(written: Table) -> None:
        raise TableError(f"smallest class {smallest_class(written, ['city'])[1]}")

    with pytest.raises(TableError, match="smallest class 1"):
        table.released().write(tmp_path / f"out.{suffix}", check)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_an_older_release_stays_if_the_check_fails(table: Table, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")

    def check(written: Table) -> None:
        raise TableError("no")

    with pytest.raises(TableError, match="no"):
        table.released().write(target, check)
    assert target.read_bytes() == b"old"


def test_a_release_may_take_the_place_of_its_source(table: Table) -> None:
    path = Path(table.label)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    released_by_row(table, {"city": ["N", "S", "N"]}, drop=["name"]).write(path)
    assert path.read_bytes() == b"city\nN\nS\nN\n"
    assert table.digest == digest


def test_names_and_rows(table: Table) -> None:
    release = released_by_row(table, {}, drop=["name"], keep=[True, False, False])
    assert (release.names, release.n_rows) == (("city",), 1)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/out.csv", "there is no folder"),
        ("in", "it is a folder; give a file name in it"),
        ("out", "files ending in 'nothing' cannot be written"),
        ("out.xls", "files ending in '.xls' cannot be written"),
        ("o" * 300 + ".csv", "File name too long"),
    ],
)
def test_places_that_cannot_be_written(table: Table, tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(OntomaskError, match=message):
        table.released().write(tmp_path / path)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_folder_in_the_way(table: Table, tmp_path: Path) -> None:
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(TableError, match="it is a folder"):
        table.released().write(tmp_path / "out.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write(table: Table, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(OntomaskError, match=r"cannot write .*Permission denied"):
        table.released().write(tmp_path / "locked" / "out.csv")


def test_rights_are_what_the_umask_leaves(tmp_path: Path) -> None:
    """In a process of its own, whose umask is never touched: another thread may be making a private file."""
    script = f"""
import os
os.umask(0o027)
os.umask = None  # whoever asks for it changes it
from ontomask.tables import open_table
for suffix in {SUFFIXES!r}:
    open_table({str(tmp_path / "in.csv")!r}).released().write({str(tmp_path / "out.")!r} + suffix)
"""
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    subprocess.run([sys.executable, "-c", script], check=True)
    rights = {suffix: (tmp_path / f"out.{suffix}").stat().st_mode & 0o777 for suffix in SUFFIXES}
    assert rights == dict.fromkeys(SUFFIXES, 0o640)


def test_no_room_left(tmp_path: Path) -> None:
    """In a process that may write small files only: the write fails half-way, as on a full disk."""
    (tmp_path / "in.csv").write_text("id,city\n" + "".join(f"{i * 7919},Oslo\n" for i in range(20_000)))
    script = f"""
import resource, signal, sys
sys.dont_write_bytecode = True  # half of it would stay
from ontomask.errors import OntomaskError
from ontomask.tables import open_table
release = open_table({str(tmp_path / "in.csv")!r}).released()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for suffix in {SUFFIXES!r}:
    release.write({str(tmp_path / "warm.")!r} + suffix)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for suffix in {SUFFIXES!r}:
    try:
        release.write({str(tmp_path / "out.")!r} + suffix)
    except OntomaskError as error:
        print(str(error).splitlines()[0])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    told = [line.removesuffix(":") for line in done.stdout.splitlines()]
    assert len(told) == len(SUFFIXES), done.stderr
    for line, suffix in zip(told, SUFFIXES, strict=True):
        assert line.startswith("cannot write ") and f"out.{suffix}" in line
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"in.csv", *(f"warm.{suffix}" for suffix in SUFFIXES)}


# ---------------------------------------------------------------------- what cannot be asked for


def test_unknown_columns_come_with_near_matches(table: Table) -> None:
    with pytest.raises(TableError, match=r"people.csv has no column 'citty'; did you mean 'city'\?"):
        table.distinct("citty")
    with pytest.raises(TableError, match=r"no column 'CITY'; did you mean 'city'\?"):
        table.tuples(["CITY"])
    with pytest.raises(TableError, match="no column 'q'; it has 'name', 'city'"):
        table.released(drop=["q"])


def test_a_column_both_masked_and_dropped(table: Table) -> None:
    with pytest.raises(TableError, match="'city': is both masked and dropped"):
        released_by_row(table, {"city": ["x"] * 3}, drop=["city"])


def test_nothing_left_to_release(table: Table) -> None:
    with pytest.raises(TableError, match="every column is dropped"):
        table.released(drop=["name", "city"])
    with pytest.raises(TableError, match="every row is suppressed"):
        released_by_row(table, {}, keep=[False] * 3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cells": np.zeros(2, np.int32)}, "a dealing of 2 tuples, the table has 3"),
        ({"counts": np.array([1, 1, 2], np.int64)}, "every row of every cell, once"),
        ({"members": np.array([0, 1, 1], np.int32)}, "every row of every cell, once"),
        ({"members": np.array([0, 1, 3], np.int32)}, "every row of every cell, once"),
        ({"texts": {"city": ["N", "S"]}}, "city: 2 texts for 3 groups"),
    ],
)
def test_dealings_that_do_not_fit(table: Table, changed: dict[str, Any], message: str) -> None:
    three = np.arange(3, dtype=np.int32)
    whole = Dealing(("name",), three, three, three, np.ones(3, np.int64), {"city": ["N", "S", "N"]})
    assert table.released(whole).n_rows == 3
    with pytest.raises(InternalError, match=message):
        table.released(replace(whole, **changed))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no such file"):
        open_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="File name too long"):
        open_table(tmp_path / ("x" * 300 + ".csv"))
    with pytest.raises(TableError, match="no Parquet file in this folder"):
        open_table(tmp_path)
    with pytest.raises(TableError, match="no file fits this pattern"):
        open_table(tmp_path / "*.parquet")
    (tmp_path / "a.ods").write_bytes(b"x")
    with pytest.raises(TableError, match=r"files ending in '\.ods' cannot be read; use \.csv"):
        open_table(tmp_path / "a.ods")


def test_values_that_are_not_text(table: Table, tmp_path: Path) -> None:
    for suffix in ("csv", "parquet"):
        with pytest.raises(TableError, match="not valid text"):
            released_by_row(table, {"city": ["\ud800"] * 3}).write(tmp_path / f"out.{suffix}")


def test_opening_delimited_text_loads_no_engine(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,2\n")
    script = (
        "import sys; import ontomask, ontomask.tables as t; assert 'numba' not in sys.modules;"
        f"t.open_table({str(tmp_path / 'a.csv')!r}).tuples(['a']);"
        "assert not {'pyarrow', 'ibis', 'duckdb', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
