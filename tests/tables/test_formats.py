"""Parquet, Arrow, Excel and DuckDB files, and tables of other libraries: types are kept."""

from __future__ import annotations

import datetime as dt
import hashlib
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.tables import TableOptions, open_table
from tables.dealings import released_by, released_by_row, smallest_class

TYPED = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int32()),
        "city": pa.array(["Oslo", None, "Rome"]),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "height": pa.array([1.5, 2.0, None], pa.float32()),
        "born": pa.array([dt.date(2001, 2, 3), None, dt.date(1999, 1, 1)]),
        "seen": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(2020, 1, 2, 3, 4, 5, 250_000), None]),
        "fee": pa.array([Decimal("1.50"), Decimal("2.25"), None], pa.decimal128(6, 2)),
        "member": pa.array([True, False, None]),
        "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
    }
)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_types_of_unmasked_columns_are_kept(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    open_table(TYPED).released().write(first)
    table = open_table(first)
    released_by_row(table, {"city": ["N", "N", "S"]}, drop=["id"]).write(second)
    written = open_table(second).released().to_arrow()
    assert written.column_names == TYPED.column_names[1:]
    assert written["city"].to_pylist() == ["N", "N", "S"]
    unmasked = TYPED.column_names[2:]
    assert written.select(unmasked).cast(TYPED.select(unmasked).schema).equals(TYPED.select(unmasked))
    assert [written.schema.field(name).type for name in unmasked if name != "kind"] == [
        TYPED.schema.field(name).type for name in unmasked if name != "kind"
    ]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("id", ["1", "2", "3"]),
        ("city", ["Oslo", None, "Rome"]),
        ("kind", ["x", "y", "x"]),
        ("height", ["1.5", "2", None]),
        ("born", ["2001-02-03", None, "1999-01-01"]),
        ("seen", ["2020-01-02 03:04:05", "2020-01-02 03:04:05.25", None]),
        ("fee", ["1.50", "2.25", None]),
        ("member", ["true", "false", None]),
    ],
)
def test_values_as_text_and_back(column: str, texts: list[str | None]) -> None:
    table = open_table(TYPED)
    assert table.distinct(column)[0] == sorted(set(texts), key=lambda text: (text is None, text or ""))
    again = released_by_row(table, {column: texts}).to_arrow()
    assert again[column].to_pylist() == TYPED[column].to_pylist()
    if column != "kind":
        assert again.schema.field(column).type == TYPED.schema.field(column).type


@pytest.mark.parametrize(
    ("column", "texts", "type_"),
    [
        ("id", ["1", "20", "300"], pa.int32()),
        ("id", ["1", "2.5", "3"], pa.float64()),
        ("id", ["1", str(2**40), "3"], pa.float64()),
        ("id", ["1-2", "1-2", "3"], pa.large_string()),
        ("height", ["1.25", "1.25", "2"], pa.float32()),
        ("height", ["1-2", "1-2", "2"], pa.large_string()),
        ("born", ["2001", "2001", "1999"], pa.large_string()),
        ("city", ["N", "N", None], pa.string()),
    ],
)
def test_type_of_a_masked_column(column: str, texts: list[str | None], type_: pa.DataType) -> None:
    table = open_table(TYPED)
    field = released_by_row(table, {column: texts}).to_arrow().schema.field(column)
    assert field.type == type_


def test_a_column_without_any_value() -> None:
    table = open_table(pa.table({"a": pa.nulls(3), "b": [1, 2, 3]}))
    assert table.distinct("a")[0] == [None]
    assert released_by_row(table, {"a": ["x", "x", None]}).to_arrow()["a"].to_pylist() == [
        "x",
        "x",
        None,
    ]


def test_texts_that_no_row_uses_do_not_travel_along() -> None:
    table = open_table(TYPED)
    column = released_by_row(table, {"kind": ["masked", "masked", "secret"]}, keep=[True, True, False])
    column = column.to_arrow()["kind"]
    assert [chunk.dictionary.to_pylist() for chunk in column.chunks] == [["masked"]]


def test_columns_without_a_text_form(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"], "tags": [{"of": "Ann"}]})
    with pytest.raises(TableError, match="column 'tags': holds struct"):
        open_table(table).distinct("tags")
    with pytest.raises(TableError, match="column 'tags': holds struct"):
        open_table(table).released().write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_csv_of_a_typed_table(tmp_path: Path) -> None:
    open_table(TYPED).released(drop=["tags"]).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (
        b"id,city,kind,height,born,seen,fee,member\n"
        b"1,Oslo,x,1.5,2001-02-03,2020-01-02 03:04:05,1.50,true\n"
        b"2,,y,2,,2020-01-02 03:04:05.25,2.25,false\n"
        b"3,Rome,x,,1999-01-01,,,\n"
    )


def test_parquet_keeps_its_compression(tmp_path: Path) -> None:
    pq.write_table(TYPED, tmp_path / "a.parquet", compression="zstd")
    open_table(tmp_path / "a.parquet").released().write(tmp_path / "b.parquet")
    assert pq.read_metadata(tmp_path / "b.parquet").row_group(0).column(0).compression == "ZSTD"


def test_csv_to_parquet_is_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n007,x\n1.50,\n")
    table = open_table(tmp_path / "a.csv")
    released_by_row(table, {"b": ["y", None]}).write(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").to_pydict() == {"a": ["007", "1.50"], "b": ["y", ""]}


# ---------------------------------------------------------------------- other libraries


def test_pandas_with_its_own_types() -> None:
    frame = pd.DataFrame(
        {
            "age": [30, None, 41],
            "n": pd.array([1, None, 3], "Int64"),
            "kind": pd.Categorical(["x", "y", "x"]),
            "when": pd.to_datetime(["2020-01-01", None, "2021-05-06"]),
        },
        index=[3, 1, 2],
    )
    table = open_table(frame)
    assert table.names == ("age", "n", "kind", "when")
    assert table.distinct("age")[0] == ["30", "41", None]
    out = released_by_row(table, {"n": ["1-3"] * 3, "kind": ["z", "z", None]}).to_pandas()
    assert out["n"].tolist() == ["1-3"] * 3
    assert out["kind"].tolist()[:2] == ["z", "z"]
    pd.testing.assert_frame_equal(out[["age", "when"]], frame[["age", "when"]])


def test_the_index_of_a_data_frame_stays_with_its_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"city": ["Oslo", "Rome", "Bari"]}, index=[30, 10, 20])
    release = released_by_row(open_table(frame), {"city": ["N", "S", "S"]}, keep=[True, False, True])
    assert release.to_pandas().index.tolist() == [30, 20]
    assert release.to_pandas()["city"].tolist() == ["N", "S"]
    assert release.to_arrow().column_names == ["city"]
    release.write(tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").index.tolist() == [0, 1]
    assert open_table(frame.reset_index(drop=True)).released().to_pandas().index.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (pd.Index(["Ann", "Bob"]), "does not just number the rows"),
        (pd.Index([1, 2], name="patient"), "is named 'patient'"),
        (pd.RangeIndex(2, name="patient"), "is named 'patient'"),
        (pd.Index([0.5, 1.5]), "does not just number the rows"),
        (pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), "does not just number the rows"),
    ],
)
def test_an_index_that_may_say_who_they_are_is_refused(index: pd.Index, message: str) -> None:
    with pytest.raises(TableError, match=rf"{message}.*reset_index\(\) and give it one"):
        open_table(pd.DataFrame({"city": ["Oslo", "Rome"]}, index=index))


def test_numbers_and_times_read_as_people_write_them() -> None:
    when = dt.datetime(2020, 1, 2, 3, 4, 5)
    table = open_table(
        pa.table(
            {
                "half": pa.array(np.array([2.1, 3.0], np.float16)),
                "single": pa.array([2.1, 16777216.0], pa.float32()),
                "double": pa.array([0.1 + 0.2, 123456789012.0]),
                "zoned": pa.array([when, when], pa.timestamp("ns", "UTC")),
                "clock": pa.array([dt.time(1, 2, 3), dt.time(1, 2, 3, 500_000)]),
            }
        )
    )
    assert table.distinct("half")[0] == ["2.1", "3"]
    assert table.distinct("single")[0] == ["16777216", "2.1"]
    assert table.distinct("double")[0] == ["0.30000000000000004", "123456789012"]
    assert table.distinct("zoned")[0] == ["2020-01-02 03:04:05Z"]
    assert table.distinct("clock")[0] == ["01:02:03", "01:02:03.5"]
    again = released_by_row(table, {"zoned": ["2020-01-02 03:04:05Z"] * 2}).to_arrow()
    assert again.schema.field("zoned").type == pa.timestamp("ns", "UTC")


def test_polars_with_its_own_types() -> None:
    frame = pl.DataFrame({"age": [30, None, 41], "kind": ["x", "y", "x"], "x": [float("nan"), 1.0, None]})
    frame = frame.with_columns(pl.col("kind").cast(pl.Categorical))
    table = open_table(frame)
    assert table.distinct("x")[0] == ["1", None]
    out = released_by_row(table, {"age": ["30", "30", "30"]}).to_polars()
    assert out.schema == frame.schema
    assert out["age"].to_list() == [30, 30, 30]
    assert out["kind"].to_list() == ["x", "y", "x"]
    assert released_by_row(table, {"kind": ["z", "z", "x"]}).to_polars()["kind"].to_list() == ["z", "z", "x"]


def test_ibis_tables_of_an_engine() -> None:
    engine = ibis.duckdb.connect()
    engine.raw_sql("CREATE TABLE t AS SELECT * FROM (VALUES ('x', 1), ('y', 2), ('x', 3)) AS v(a, b)")
    table = open_table(engine.table("t").mutate(c=ibis._.b * 2))
    assert table.names == ("a", "b", "c")
    assert table.distinct("a")[1].tolist() == [2, 1]
    assert table.distinct("c")[0] == ["2", "4", "6"]


def test_digests(tmp_path: Path) -> None:
    whole = open_table(TYPED).digest
    assert whole == open_table(pa.concat_tables([TYPED.slice(0, 1), TYPED.slice(1)])).digest
    assert whole != open_table(TYPED.set_column(0, "id", pa.array([1, 2, 4], pa.int32()))).digest
    assert whole != open_table(TYPED.rename_columns(["key", *TYPED.column_names[1:]])).digest
    (tmp_path / "a.csv").write_bytes(b"a\n1\n")
    assert open_table(tmp_path / "a.csv").digest == hashlib.sha256(b"a\n1\n").hexdigest()


@pytest.mark.parametrize("source", [3, [1, 2], {"a": [1]}])
def test_things_that_are_no_tables(source: object) -> None:
    with pytest.raises(TableError, match="is not a table"):
        open_table(source)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"a": []}), "no rows"),
        (pa.table([[1], [2]], names=["a", "a"]), "'a' stands twice"),
        (pa.table({" ": [1]}), "column 1 has no name"),
    ],
)
def test_bad_tables_in_memory(table: pa.Table, message: str) -> None:
    with pytest.raises(TableError, match=message):
        open_table(table)


# ---------------------------------------------------------------------- Excel


def workbook(path: Path, fill: Callable[[Any], None]) -> Path:
    book = openpyxl.Workbook()
    fill(book)
    book.save(path)
    return path


def people(book: Any) -> None:
    book.active.title = "people"
    for row in [
        ["name", "age", "born", "code", "mixed"],
        ["Ann", 30, dt.date(1990, 1, 2), "007", 1],
        ["=1+1", 31.5, dt.date(1991, 3, 4), "1.50", "one"],
        [None, 40, None, "x", 2.5],
    ]:
        book.active.append(row)
    book.active["A3"].data_type = "s"
    book.create_sheet("secrets").append(["Ann's address"])


def test_excel_round_trip_keeps_cells_and_leaves_other_sheets_behind(tmp_path: Path) -> None:
    table = open_table(workbook(tmp_path / "in.xlsx", people))
    assert table.distinct("age")[0] == ["30", "31.5", "40"]
    assert table.distinct("born")[0] == ["1990-01-02", "1991-03-04", None]
    assert table.distinct("mixed")[0] == ["1", "2.5", "one"]
    released_by_row(table, {"age": ["30-39", "30-39", "40"]}, keep=[True, True, False]).write(
        tmp_path / "out.xlsx"
    )
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["release"]  # its own name may say more than the release
    cells = [[cell.value for cell in row] for row in book["release"].iter_rows()]
    assert cells == [
        ["name", "age", "born", "code", "mixed"],
        ["Ann", "30-39", dt.datetime(1990, 1, 2), "007", 1],
        ["=1+1", "30-39", dt.datetime(1991, 3, 4), "1.50", "one"],
    ]
    assert book["release"]["A3"].data_type != "f"


def test_a_sheet_is_chosen_by_name(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        people(book)
        book["secrets"].append(["x"])

    path = workbook(tmp_path / "in.xlsx", fill)
    chosen = open_table(path, TableOptions(sheet="secrets"))
    assert chosen.names == ("Ann's address",)
    chosen.released().write(tmp_path / "out.xlsx")
    assert openpyxl.load_workbook(tmp_path / "out.xlsx").sheetnames == ["secrets"]  # whoever chose it said so
    with pytest.raises(TableError, match="no sheet 'x'; the workbook has 'people', 'secrets'"):
        open_table(path, TableOptions(sheet="x"))


def test_csv_to_excel_keeps_text_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n007,=1+1\n")
    open_table(tmp_path / "a.csv").released().write(tmp_path / "a.xlsx")
    assert open_table(tmp_path / "a.xlsx").released().to_arrow().to_pydict() == {
        "a": ["007"],
        "b": ["=1+1"],
    }


def test_empty_and_damaged_workbooks(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="the sheet 'Sheet' is empty"):
        open_table(workbook(tmp_path / "in.xlsx", lambda book: None))
    with pytest.raises(TableError, match="no rows"):
        open_table(workbook(tmp_path / "in.xlsx", lambda book: book.active.append(["a", "b"])))
    (tmp_path / "in.xlsx").write_bytes(b"not a workbook")
    with pytest.raises(TableError, match="not a readable workbook"):
        open_table(tmp_path / "in.xlsx")


def test_excel_without_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "in.xlsx", people)
    for package in ("python_calamine", "xlsxwriter"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TableError, match=r"pip install 'ontomask\[excel\]'"):
        open_table(path)
    with pytest.raises(TableError, match=r"pip install 'ontomask\[excel\]'"):
        open_table(TYPED).released(drop=["tags"]).write(tmp_path / "out.xlsx")
    assert [file.name for file in tmp_path.iterdir()] == ["in.xlsx"]


# ---------------------------------------------------------------------- DuckDB


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "in.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.sql("CREATE TYPE mood AS ENUM ('glad', 'sad')")
        connection.sql(
            "CREATE TABLE people AS SELECT i::HUGEINT AS id, "
            "(CASE i % 2 WHEN 0 THEN 'glad' ELSE 'sad' END)::mood AS mood, "
            "'city ' || i % 3 AS city, i::INTEGER AS age FROM range(10) AS numbers(i)"
        )
    return path


@pytest.mark.parametrize(("chosen", "written"), [(None, "release"), ("people", "people")])
def test_duckdb_keeps_types_and_a_chosen_name(
    tmp_path: Path, database: Path, chosen: str | None, written: str
) -> None:
    table = open_table(database, TableOptions(table=chosen))
    assert table.names == ("id", "mood", "city", "age")
    checked: list[tuple[int, int]] = []

    def rule(texts: tuple[str | None, ...]) -> dict[str, str | None] | None:
        number = int(texts[1] or "")
        return None if number == 3 else {"city": "world", "age": str(4 + number % 2)}

    released_by(table, ["city", "age"], rule, drop=["mood"]).write(
        tmp_path / "out.duckdb", check=lambda new: checked.append(smallest_class(new, ["city", "age"]))
    )
    assert checked == [(2, 4)]
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as connection:
        rows = connection.sql(f"SELECT * FROM {written}")
        assert list(map(str, rows.types)) == ["HUGEINT", "VARCHAR", "INTEGER"]
        assert sorted(rows.fetchall()) == [(i, "world", 4 + i % 2) for i in range(10) if i != 3]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.duckdb", "out.duckdb"]


def test_a_duckdb_file_changed_meanwhile(tmp_path: Path, database: Path) -> None:
    table = open_table(database)
    with duckdb.connect(str(database)) as connection:
        connection.sql("DELETE FROM people WHERE id = 0")
    with pytest.raises(TableError, match="changed since it was read"):
        table.released().write(tmp_path / "out.duckdb")
    assert [file.name for file in tmp_path.iterdir()] == ["in.duckdb"]


def test_duckdb_tables_are_listed_when_one_must_be_chosen(database: Path) -> None:
    with duckdb.connect(str(database)) as connection:
        connection.sql("CREATE TABLE pets AS SELECT 1 AS n")
    with pytest.raises(TableError, match=r"set which table is meant; the file has 'people', 'pets'"):
        open_table(database)
    with pytest.raises(TableError, match="no table 'cars'; the file has 'people', 'pets'"):
        open_table(database, TableOptions(table="cars"))
    assert open_table(database, TableOptions(table="pets")).n_rows == 1


def test_other_formats_to_duckdb_and_back(tmp_path: Path) -> None:
    open_table(TYPED).released().write(tmp_path / "out.duckdb")
    table = open_table(tmp_path / "out.duckdb")
    assert table.names == tuple(TYPED.column_names)
    assert table.released().to_arrow()["fee"].to_pylist() == TYPED["fee"].to_pylist()


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "duckdb"])
def test_damaged_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"in.{suffix}"
    path.write_bytes(b"nothing of the kind " * 10)
    with pytest.raises(TableError, match="not a readable"):
        open_table(path)
    path.write_bytes(b"")
    with pytest.raises(TableError, match="the file is empty"):
        open_table(path)


@pytest.mark.parametrize("kind", ["memory", "parquet", "folder"])
def test_means_of_decimals_fit_their_type(kind: str, tmp_path: Path) -> None:
    amounts = pa.array(
        [Decimal("1.10"), Decimal("1.25"), Decimal("7.31"), Decimal("7.36")], pa.decimal128(10, 2)
    )
    source: Any = pa.table({"cost": amounts})
    if kind != "memory":
        folder = tmp_path / "in"
        folder.mkdir()
        pq.write_table(source, folder / "a.parquet")
        source = folder if kind == "folder" else folder / "a.parquet"
    release = om.anonymize(source, om.Plan.from_options(["cost:numeric"], k=2))
    released = release.to_arrow()["cost"]
    assert released.type == pa.decimal128(10, 2)  # 1.175 and 7.335 have a digit too many
    assert {str(cost) for cost in released.to_pylist()} <= {"1.17", "1.18", "7.33", "7.34"}
    release.write(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["cost"].type == pa.decimal128(10, 2)


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_nested_cells_that_are_kept_are_not_looked_into(kind: str, tmp_path: Path) -> None:
    columns = {"age": [31, 33, 60, 62], "tests": [[1.5], [2.5, 3.5], None, []], "home": [{"zip": 1}] * 4}
    source: Any = pa.table(columns)
    if kind == "folder":
        (tmp_path / "in").mkdir()
        pq.write_table(source, tmp_path / "in" / "a.parquet")
        source = tmp_path / "in"
    release = om.anonymize(source, om.Plan.from_options(["age:numeric"], k=2, others="keep"))
    assert sorted(map(str, release.to_arrow()["tests"].to_pylist())) == ["None", "[1.5]", "[2.5, 3.5]", "[]"]
    said = [warning.text for warning in om.warnings_of(release) if "not looked into" in warning.text]
    assert [text.split("”")[0] for text in said] == ["Column “tests", "Column “home"]


def test_an_empty_list_stays_one() -> None:
    hobbies = pa.array([["chess"], ["chess"], [], []], pa.list_(pa.string()))
    roles = {"hobby": {"role": "quasi-identifier", "ontology": "wordnet", "several": ";"}}
    plan = om.Plan.from_dict({"attributes": roles, "privacy": {"k": 2}})
    released = om.anonymize(pa.table({"hobby": hobbies}), plan).to_arrow()["hobby"].to_pylist()
    assert released == [["chess"], ["chess"], [], []]
    nulls = pa.array([["chess"], ["chess"], None, None], pa.list_(pa.string()))
    released = om.anonymize(pa.table({"hobby": nulls}), plan).to_arrow()["hobby"].to_pylist()
    assert released == [["chess"], ["chess"], None, None]
