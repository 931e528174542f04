"""Cells that are lists: read as one text, written back as lists; structs are refused; wide tables."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontomask import Plan, anonymize, init
from ontomask.errors import TableError
from ontomask.tables import Dealing, TableOptions, open_table
from ontomask.tables.arrow import typed

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


CODES = [[276, 4], [], None, [4], [276, None, 4]]


@pytest.mark.parametrize("kind", [pa.list_(pa.int16()), pa.large_list(pa.uint64()), pa.list_(pa.int64())])
def test_lists_of_whole_numbers_read_as_their_texts_and_stay_numbers(kind: pa.DataType) -> None:
    table = open_table(pa.table({"code": pa.array(CODES, kind), "n": range(5)}))
    assert table.lists == {"code": ";"} and not table.without_text
    values, counts = table.distinct("code")
    assert (values, counts.tolist()) == (["276;4", "4", None], [2, 1, 2])
    made = typed(["276;4", None, "7", ""], None, kind)
    assert (made.to_pylist(), made.type) == ([[276, 4], None, [7], []], pa.list_(kind.value_type))
    assert typed(["276; *"], None, kind).to_pylist() == [["276", "*"]]  # no number: all are texts


def by_engine(table: pa.Table, engine: str, folder: Path, **plan: object) -> tuple[pa.Table, str]:
    """A release of sets of codes, as Parquet and as text."""
    pq.write_table(table, folder / "people.parquet")
    column = {"role": "quasi-identifier", "several": ";", "ontology": "flat"}
    settings = {
        "attributes": {"code": column, "age": {"role": "quasi-identifier", "kind": "numeric"}},
        "privacy": {"k": 2},
        "table": {"engine": engine},
    }
    release = anonymize(folder / "people.parquet", Plan.from_dict(settings | plan))
    release.write(folder / "out.parquet")
    release.write(folder / "text.csv")
    return pq.read_table(folder / "out.parquet"), (folder / "text.csv").read_text()


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.list_(pa.int32())])
def test_no_answer_beside_an_answer_is_the_root_and_alone_stays_none(
    engine: str, kind: pa.DataType, tmp_path: Path
) -> None:
    """Spec 8.1: a group that mixes missing and present gets the root; one of missing values stays missing.

    Of {7} and {7, 8} the cover is {7, *}: 7 is 7, and what 8 is stands above 7 as well.
    """
    lists = [[], [7], [7], [7, 8], None, []]
    ages = [30, 30, 50, 50, 70, 70]
    as_kind = [
        None if one is None else [str(c) if kind == pa.list_(pa.string()) else c for c in one]
        for one in lists
    ]
    table = pa.table({"code": pa.array(as_kind, kind), "age": ages})
    keep_age = {"age": {"role": "quasi-identifier", "kind": "numeric", "keep": True}}
    code = {"role": "quasi-identifier", "several": ";", "ontology": "flat"}
    made, text = by_engine(table, engine, tmp_path, release="truthful", attributes={"code": code} | keep_age)
    assert made["code"].to_pylist() == [["*"], ["*"], ["*", "7"], ["*", "7"], [], []]
    assert text == "code,age\n*,30\n*,30\n*;7,50\n*;7,50\n,70\n,70\n"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_masked_whole_numbers_are_lists_of_them(engine: str, tmp_path: Path) -> None:
    table = pa.table({"code": [[276, 4], [4, 276], [7], [7]], "age": [30, 31, 60, 61]})
    made, text = by_engine(table, engine, tmp_path)
    assert made.schema.field("code").type.value_type == pa.int64()
    assert made["code"].to_pylist() == [[276, 4], [276, 4], [7], [7]]
    assert text.startswith("code,age\n276;4,")
    drafted = init(table)["code"]
    assert (drafted.several, drafted.flat) == (";", True)


def test_an_engine_writes_no_text_in_which_members_are_not_told_apart(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [["x; y"], ["z"]], "n": [1, 2]}), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", TableOptions(engine="duckdb"))
    with pytest.raises(TableError, match="column 'a': holds lists with ';' in a text"):
        table.released().write(tmp_path / "a.csv")
    table.released().write(tmp_path / "b.parquet")


@pytest.mark.parametrize("value", [{"x": 1}, [[1]], [1.5, 2.0]])
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
