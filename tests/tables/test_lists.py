"""Cells that are lists: read as one text, written back as lists; structs are refused; wide tables."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontomask.errors import TableError
from ontomask.tables import Dealing, open_table

HOBBIES = [["chess", "golf"], [], None, ["golf"], ["chess", None, "golf"]]


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string_view())]
)
def test_lists_read_as_one_text(kind: pa.DataType) -> None:
    table = open_table(pa.table({"hobby": pa.array(HOBBIES, kind), "n": range(5)}))
    assert table.lists == {"hobby": ";"}
    values, counts = table.distinct("hobby")
    assert (values, counts.tolist()) == (["chess;golf", "golf", None], [2, 1, 2])


def test_lists_of_other_libraries(tmp_path: Path) -> None:
    frame = pl.DataFrame({"hobby": [["chess", "golf"], ["golf"]], "kind": [["a"], ["b"]]}).with_columns(
        pl.col("kind").cast(pl.List(pl.Categorical))
    )
    frame.write_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.parquet"):
        table = open_table(source)
        assert set(table.lists) == {"hobby", "kind"}
        assert table.distinct("kind")[0] == ["a", "b"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv"])
def test_masked_lists_are_lists_again_and_others_stay(tmp_path: Path, suffix: str) -> None:
    source = pa.table({"hobby": HOBBIES, "other": pa.array(HOBBIES, pa.list_(pa.string()))})
    table = open_table(source)
    n = len(table.tuples(["hobby"]))
    cells = np.arange(n, dtype=np.int32)
    dealing = Dealing(
        ("hobby",),
        cells,
        cells,
        cells,
        table.tuples(["hobby"]).counts,
        {"hobby": ["game; golf", "sport", None]},
    )
    release = table.released(dealing)
    new = release.to_arrow()
    assert new["hobby"].to_pylist() == [["game", "golf"], None, None, ["sport"], ["game", "golf"]]
    assert new["other"].to_pylist() == HOBBIES
    release.write(tmp_path / f"out{suffix}")
    back = open_table(tmp_path / f"out{suffix}")
    assert back.distinct("hobby")[0] == ["game;golf", "sport", None]
    if suffix != ".csv":
        assert pa.types.is_list(back.table.schema.field("hobby").type)


def test_a_separator_inside_a_text_is_refused() -> None:
    table = open_table(pa.table({"hobby": [["chess; fast", "golf"]], "n": [1]}))
    with pytest.raises(TableError, match="column 'hobby': holds lists with ';' in a text"):
        table.distinct("hobby")


@pytest.mark.parametrize("value", [{"x": 1}, [[1]], [1, 2]])
def test_other_nested_cells_are_refused_where_they_are_needed(value: object, tmp_path: Path) -> None:
    table = open_table(pa.table({"a": [value] * 2, "b": ["x", "y"]}))
    with pytest.raises(
        TableError, match=r"column 'a': holds .*; make its parts columns of their own, or drop it"
    ):
        table.distinct("a")
    table.released().write(tmp_path / "out.parquet")  # as it is, nobody needs to read it
    assert pq.read_table(tmp_path / "out.parquet")["a"].to_pylist() == [value] * 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_wide_tables_are_quick(tmp_path: Path, suffix: str) -> None:
    wide = pa.table({f"c{i}": ["a", "b", "c"] * 20 for i in range(3_000)})
    path = tmp_path / f"wide{suffix}"
    open_table(wide).released().write(path)
    open_table(tmp_path / path).distinct_of(["c1"])  # compiled
    start = time.process_time()
    table = open_table(path)
    assert len(table.distinct_of(table.names)) == 3_000
    table.released().write(tmp_path / f"again{suffix}")
    assert time.process_time() - start < 20
