"""As many rows as were read are in the written file, empty ones too, in every engine and format."""

from __future__ import annotations

import tempfile
from pathlib import Path

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontomask.tables import Table, TableOptions, open_table
from tables.dealings import released_by

FORMATS = ("csv", "tsv", "parquet", "arrow", "feather", "xlsx", "duckdb")
SEPARATORS = {"csv": ",", "tsv": "\t"}
SOURCES = [(one, "auto") for one in ("object", "ibis", *FORMATS)] + [("csv", "duckdb"), ("parquet", "duckdb")]
cells = st.sampled_from([None, "", "NA", "x", " ", '"', "a\nb", "1", "  y "])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    width, height = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    columns = [draw(st.lists(cells, min_size=height, max_size=height)) for _ in range(width)]
    return pa.table([pa.array(column, pa.string()) for column in columns], names=list("abc")[:width])


def opened_as(folder: Path, table: pa.Table, source: str, engine: str) -> Table:
    """The table in some engine; a file is written first, which is tested on the way."""
    if source in FORMATS:
        path = folder / f"in.{source}"
        open_table(table).released().write(path)
        return open_table(path, TableOptions(engine=engine, separator=SEPARATORS.get(source)))  # type: ignore[arg-type]
    return open_table(table if source == "object" else ibis.memtable(table))


def settled(texts: list[str | None]) -> list[str | None]:
    return [None if text is None or text.strip() in ("", "NA") else text for text in texts]


@settings(max_examples=30)
@given(tables(), st.sampled_from(SOURCES), st.sampled_from(FORMATS))
def test_no_row_is_lost_whatever_the_cells(table: pa.Table, source: tuple[str, str], suffix: str) -> None:
    rows = sorted(map(str, zip(*(settled(column.to_pylist()) for column in table.columns), strict=True)))
    with tempfile.TemporaryDirectory() as name:
        opened = opened_as(Path(name), table, *source)
        assert opened.n_rows == len(rows)
        target = Path(name) / f"out.{suffix}"
        opened.released().write(target)
        written = open_table(target, TableOptions(separator=SEPARATORS.get(suffix)))
        assert written.names == opened.names
        texts = [settled(column.to_pylist()) for column in written.released().to_arrow().columns]
        assert sorted(map(str, zip(*texts, strict=True))) == rows


@pytest.mark.parametrize("suffix", FORMATS)
def test_rows_of_which_nothing_is_left(tmp_path: Path, suffix: str) -> None:
    table = open_table(pa.table({"name": ["Ann", "Bob", "Cat"], "city": ["Oslo", "Rome", "Rome"]}))
    release = released_by(table, ["city"], lambda _: {"city": None}, drop=["name"])
    release.write(tmp_path / f"out.{suffix}")
    written = open_table(tmp_path / f"out.{suffix}")
    assert (written.n_rows, written.names) == (release.n_rows, release.names) == (3, ("city",))


def test_empty_rows_of_a_sheet_are_kept(tmp_path: Path) -> None:
    """A release of a workbook in which rows in the middle and at the end have become empty."""
    table = pa.table({"name": ["Ann", "Bob", "Cat", "Dan"], "city": ["Oslo", None, "Rome", None]})
    open_table(table).released().write(tmp_path / "in.xlsx")
    for _ in range(2):
        source = open_table(tmp_path / "in.xlsx")
        drop = ["name"] if "name" in source.names else []
        source.released(drop=drop).write(tmp_path / "out.xlsx")
        (tmp_path / "out.xlsx").replace(tmp_path / "in.xlsx")
        assert open_table(tmp_path / "in.xlsx").released().to_arrow()["city"].to_pylist() == [
            "Oslo", None, "Rome", None,
        ]  # fmt: skip
