"""Fail closed: a release is whole, checked and in place, or it is not there at all."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ontomask.errors import OntomaskError, TableError
from ontomask.tables import Table, open_table, smallest_class

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

    table.replaced({"city": (np.zeros(3, np.int32), ["Europe"])}, drop=["name"]).write(target, check)
    assert seen == [(("city",), (1, 3))]
    assert smallest_class(target, ["city"]) == (1, 3)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_is_left_if_the_check_fails(table: Table, tmp_path: Path, suffix: str) -> None:
    def check(written: Table) -> None:
        raise TableError(f"smallest class {smallest_class(written, ['city'])[1]}")

    with pytest.raises(TableError, match="smallest class 1"):
        table.replaced({}).write(tmp_path / f"out.{suffix}", check)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_an_older_release_stays_if_the_check_fails(table: Table, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")

    def check(written: Table) -> None:
        raise TableError("no")

    with pytest.raises(TableError, match="no"):
        table.replaced({}).write(target, check)
    assert target.read_bytes() == b"old"


def test_a_release_may_take_the_place_of_its_source(table: Table) -> None:
    path = Path(table.source)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    table.replaced({"city": (np.array([0, 1, 0], np.int32), ["N", "S"])}, drop=["name"]).write(path)
    assert path.read_bytes() == b"city\nN\nS\nN\n"
    assert table.digest == digest


def test_names_and_rows(table: Table) -> None:
    release = table.replaced({}, drop=["name"], rows=np.array([True, False, False]))
    assert (release.names, release.n_rows) == (("city",), 1)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/out.csv", "there is no folder"),
        ("in", "cannot be written; use"),
        ("out", "files ending in 'nothing' cannot be written"),
        ("out.xls", "files ending in '.xls' cannot be written"),
        ("o" * 300 + ".csv", "File name too long"),
        ("o" * 250 + ".csv", "File name too long"),
    ],
)
def test_places_that_cannot_be_written(table: Table, tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(OntomaskError, match=message):
        table.replaced({}).write(tmp_path / path)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_folder_in_the_way(table: Table, tmp_path: Path) -> None:
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(TableError, match="it is a folder"):
        table.replaced({}).write(tmp_path / "out.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write(table: Table, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(OntomaskError, match=r"cannot write .*Permission denied"):
        table.replaced({}).write(tmp_path / "locked" / "out.csv")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_room_left(tmp_path: Path, suffix: str) -> None:
    """In a process that may write small files only: the write fails half-way, as on a full disk."""
    (tmp_path / "in.csv").write_text("id,city\n" + "".join(f"{i * 7919},Oslo\n" for i in range(20_000)))
    script = f"""
import resource, signal
from ontomask.errors import OntomaskError
from ontomask.tables import open_table
release = open_table({str(tmp_path / "in.csv")!r}).replaced({{}})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
release.write({str(tmp_path / "warm")!r} + ".{suffix}")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    release.write({str(tmp_path / "out")!r} + ".{suffix}")
except OntomaskError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"cannot write {tmp_path / 'out'}.{suffix}"), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", f"warm.{suffix}"]


# ---------------------------------------------------------------------- what cannot be asked for


def test_unknown_columns_come_with_near_matches(table: Table) -> None:
    with pytest.raises(TableError, match=r"people.csv has no column 'citty'; did you mean 'city'\?"):
        table.distinct("citty")
    with pytest.raises(TableError, match=r"no column 'CITY'; did you mean 'city'\?"):
        table.tuples(["CITY"])
    with pytest.raises(TableError, match="no column 'q'; it has 'name', 'city'"):
        table.replaced({}, drop=["q"])


def test_a_column_both_masked_and_dropped(table: Table) -> None:
    with pytest.raises(TableError, match="'city' is both masked and dropped"):
        table.replaced({"city": (np.zeros(3, np.int32), ["x"])}, drop=["city"])


def test_nothing_left_to_release(table: Table) -> None:
    with pytest.raises(TableError, match="every column is dropped"):
        table.replaced({}, drop=["name", "city"])
    with pytest.raises(TableError, match="every row is suppressed"):
        table.replaced({}, rows=np.zeros(3, bool))


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 2], [0, -1, 0]])
def test_codes_that_do_not_fit(table: Table, codes: list[int]) -> None:
    with pytest.raises(ValueError, match="codes must be 3 positions in 2 texts"):
        table.replaced({"city": (np.array(codes, np.int32), ["N", "S"])})


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no such file"):
        open_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="File name too long"):
        open_table(tmp_path / ("x" * 300 + ".csv"))
    with pytest.raises(TableError, match="is a folder"):
        open_table(tmp_path)
    (tmp_path / "a.sav").write_bytes(b"x")
    with pytest.raises(TableError, match=r"files ending in '\.sav' cannot be read; use \.csv"):
        open_table(tmp_path / "a.sav")


def test_values_that_are_not_text(table: Table, tmp_path: Path) -> None:
    for suffix in ("csv", "parquet"):
        with pytest.raises(TableError, match="not valid text"):
            table.replaced({"city": (np.zeros(3, np.int32), ["\ud800"])}).write(tmp_path / f"out.{suffix}")


def test_opening_delimited_text_loads_no_engine(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,2\n")
    script = (
        "import sys; import ontomask, ontomask.tables as t; assert 'numba' not in sys.modules;"
        f"t.open_table({str(tmp_path / 'a.csv')!r}).tuples(['a']);"
        "assert not {'pyarrow', 'ibis', 'duckdb', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
