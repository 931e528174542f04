"""A release is its cells: no note, dictionary or buffer carries what no released row has."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
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

from ontomask.tables import ReleasedTable, TableOptions, open_table
from tables.dealings import released_by

CANARY = "Jane Doe"
SUFFIXES = ("csv", "parquet", "arrow", "feather", "xlsx", "duckdb")


def without_oslo(source: Any, **options: Any) -> ReleasedTable:
    """All but the rows of Oslo; what is said of `id`, which is dropped, goes too."""
    table = open_table(source, TableOptions(**options))
    drop = ["id"] if "id" in table.names else []
    return released_by(table, ["city"], lambda texts: None if texts == ("Oslo",) else {"city": "S"}, drop)


def content_of(path: Path) -> bytes:
    """The bytes of a file, unpacked where they are packed."""
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    return path.read_bytes()


def buffers_of(values: pa.Array) -> bytes:
    own = b"".join(buffer.to_pybytes() for buffer in values.buffers() if buffer is not None)
    return own + (buffers_of(values.dictionary) if pa.types.is_dictionary(values.type) else b"")


def assert_nothing_travels(
    release: ReleasedTable, folder: Path, canary: bytes = CANARY.encode(), suffixes: Sequence[str] = SUFFIXES
) -> None:
    table = release.to_arrow()
    assert canary not in str(table.schema).encode() + str(table.schema.metadata).encode()
    assert canary not in b"".join(buffers_of(chunk) for column in table.columns for chunk in column.chunks)
    for suffix in suffixes:
        release.write(folder / f"out.{suffix}")
        content = content_of(folder / f"out.{suffix}")
        assert canary not in content, suffix
        if suffix == "parquet":
            pq.write_table(pq.read_table(folder / "out.parquet"), folder / "plain", compression="none")
            assert canary not in (folder / "plain").read_bytes()


def noted() -> pa.Table:
    """A table in which everything that can say something says it."""
    note = {"note": CANARY}
    frame = pd.DataFrame({"id": [1, 2, 3], "city": ["Oslo", "Rome", "Bari"], "pay": [1, 2, 3]})
    frame.attrs["note"] = CANARY
    frame.columns.name = CANARY
    table = pa.Table.from_pandas(frame.set_index(pd.Index(["a", "b", "c"], name=f"index of {CANARY}")))
    schema = pa.schema([field.with_metadata(note) for field in table.schema], table.schema.metadata | note)
    return table.cast(schema).drop_columns(f"index of {CANARY}")


@pytest.mark.parametrize("engine", ["object", "memory", "duckdb", "ibis"])
def test_notes_do_not_travel(tmp_path: Path, engine: str) -> None:
    pq.write_table(noted(), tmp_path / "noted.parquet")
    source: Any = tmp_path / "noted.parquet"
    if engine in ("object", "ibis"):
        source, engine = noted() if engine == "object" else ibis.memtable(noted()), "auto"
    assert_nothing_travels(without_oslo(source, engine=engine), tmp_path)


def test_attributes_of_a_data_frame_do_not_travel(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3], "city": ["Oslo", "Rome", "Bari"]})
    frame.attrs["note"] = CANARY
    frame.columns.name = CANARY
    release = without_oslo(frame)
    assert release.to_pandas().attrs == {}
    assert release.to_pandas().columns.name is None
    release.write(tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").attrs == {}


class _Noted(pa.ExtensionType):  # type: ignore[misc]
    """A type that says something of its own."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "test.noted")

    def __arrow_ext_serialize__(self) -> bytes:
        return CANARY.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: Any) -> _Noted:
        return cls()


def test_notes_of_types_do_not_travel(tmp_path: Path) -> None:
    inner = pa.field(CANARY, pa.string(), metadata={"note": CANARY})
    table = pa.table(
        {
            "city": ["Oslo", "Rome"],
            "own": pa.ExtensionArray.from_storage(_Noted(), pa.array([1, 2])),
            "tags": pa.array([["a"], ["b"]], pa.list_(inner)),
        }
    )
    release = without_oslo(table)
    released = release.to_arrow()
    assert released.schema.field("own").type == pa.int64()
    for suffix in ("parquet", "arrow"):
        release.write(tmp_path / f"out.{suffix}")
        assert CANARY.encode() not in (tmp_path / f"out.{suffix}").read_bytes()


def categories(kind: str) -> Any:
    """A column of categories, of which only `low` and `high` are in rows that are released."""
    values, levels = ["high", CANARY, "low", None], ["low", CANARY, "high", f"unused {CANARY}"]
    city = ["Rome", "Oslo", "Bari", "Bari"]
    if kind == "pandas":
        return pd.DataFrame({"city": city, "level": pd.Categorical(values, levels, ordered=True)})
    if kind == "polars":
        return pl.DataFrame({"city": city, "level": pl.Series(values, dtype=pl.Categorical)})
    if kind == "enum":
        return pl.DataFrame({"city": city, "level": pl.Series(values, dtype=pl.Enum(levels))})
    column = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0, None], pa.int8()), levels, ordered=True)
    if kind == "chunks":
        other = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), ["mid", CANARY], ordered=True)
        return pa.concat_tables(
            [
                pa.table({"city": city, "level": column}),
                pa.table({"city": ["Bari"], "level": other}),
            ]
        )
    if kind == "nested":
        tags = pa.array([["high"], [CANARY], ["low"], None], pa.list_(pa.dictionary(pa.int8(), pa.string())))
        return pa.table({"city": city, "level": column, "tags": tags})
    return pa.table({"city": city, "level": column})


@pytest.mark.parametrize("kind", ["pandas", "polars", "enum", "arrow", "chunks"])
def test_categories_are_those_of_released_rows(tmp_path: Path, kind: str) -> None:
    release = without_oslo(categories(kind))
    assert_nothing_travels(release, tmp_path)
    levels = ["high", "low", None] + (["mid"] if kind == "chunks" else [])
    for suffix in SUFFIXES:
        found = open_table(tmp_path / f"out.{suffix}").released().to_arrow()["level"].to_pylist()
        assert [text or None for text in found] == levels, suffix
    assert release.to_polars()["level"].to_list() == levels
    if kind in ("pandas", "enum", "arrow"):
        frame = release.to_pandas()["level"]
        assert frame.cat.categories.tolist() == ["low", "high"]
        assert frame.cat.ordered
        assert release.to_polars()["level"].dtype == pl.Enum(["low", "high"])
    else:
        assert release.to_polars()["level"].dtype in (pl.Categorical, pl.Enum)


def test_categories_inside_lists_are_those_of_released_rows(tmp_path: Path) -> None:
    release = without_oslo(categories("nested"))
    for suffix in ("parquet", "arrow"):
        release.write(tmp_path / f"out.{suffix}")
        assert CANARY.encode() not in (tmp_path / f"out.{suffix}").read_bytes()
    assert release.to_arrow()["tags"].to_pylist() == [["high"], ["low"], None]


def test_a_dictionary_with_one_value_twice() -> None:
    level = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), ["x", "x", None])
    release = without_oslo(pa.table({"city": ["Rome"] * 3, "level": level}))
    assert release.to_pandas()["level"].tolist()[:2] == ["x", "x"]
    assert release.to_polars()["level"].to_list() == ["x", "x", None]


def test_values_under_nulls_and_beside_a_slice_do_not_travel(tmp_path: Path) -> None:
    hidden = 0x4A616E65_446F6521
    numbers = np.array([1, hidden, 3, hidden])
    parts = pa.array(numbers)
    is_null = pa.array([False, True, False, False])
    city = ["Bari", "Bari", "Bari", "Oslo"]
    record = pa.StructArray.from_arrays([parts], ["n"], mask=is_null)
    listed = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3, 4], pa.int32()), record)
    table = pa.table(
        {
            "city": city,
            "n": pa.array(numbers, mask=is_null.to_numpy(zero_copy_only=False)),
            "record": record,
            "list": listed,
        }
    ).slice(0, 3)
    canary = hidden.to_bytes(8, "little")
    whole = b"".join(buffers_of(chunk) for column in table.columns for chunk in column.chunks)
    assert canary in whole
    release = open_table(table).released()
    assert release.to_arrow().to_pydict() == table.to_pydict()
    assert_nothing_travels(release, tmp_path, canary, ["parquet", "arrow", "feather", "duckdb"])
    frame = pd.DataFrame({"n": pd.array([1, hidden, 3], "Int64")})
    frame.loc[1, "n"] = pd.NA
    assert_nothing_travels(open_table(frame).released(), tmp_path, canary)


def test_types_of_pandas_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": pd.array([1, None, 3], "Int32"),
            "city": ["Rome", "Bari", None],
            "big": pd.array([2**62 + 1, None, 3], "Int64"),
            "share": pd.array([0.5, None, 1.0], "Float64"),
            "member": pd.array([True, None, False], "boolean"),
            "word": pd.array(["a", None, "b"], "string"),
            "arrow": pd.array([1, None, 3], "int64[pyarrow]"),
            "month": pd.period_range("2020-01", periods=3, freq="M"),
            "kind": pd.Categorical(["x", "y", "x"]),
            "when": pd.to_datetime(["2020-01-01", None, "2021-05-06"]).tz_localize("Europe/Oslo"),
        }
    )
    frame.to_parquet(tmp_path / "in.parquet")
    for source in (frame, tmp_path / "in.parquet"):
        release = released_by(open_table(source), ["big"], lambda texts: {"big": texts[0]}, drop=["id"])
        pd.testing.assert_frame_equal(release.to_pandas(), frame.drop(columns="id"))
        release.write(tmp_path / "out.parquet")
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out.parquet"), frame.drop(columns="id"))


@pytest.mark.parametrize(
    "notes",
    [b"{", b"\xff", b"null", b"[]", b"{}", b'{"columns": 3}', b'{"columns": [3]}', b'{"columns": [{}]}',
     b'{"columns": [{"field_name": [], "numpy_type": 3}], "index_columns": null}',
     b'{"columns": [{"field_name": "n", "numpy_type": {"a": 1}}]}',
     b'{"columns": [{"field_name": "n", "numpy_type": "Jane"}]}', b"[" * 100_000],
)  # fmt: skip
def test_damaged_notes_of_pandas_say_nothing(tmp_path: Path, notes: bytes) -> None:
    table = pa.table({"city": ["Rome", "Bari"], "n": [1, 2]}).replace_schema_metadata({b"pandas": notes})
    pq.write_table(table, tmp_path / "in.parquet")
    for source in (table, tmp_path / "in.parquet"):
        release = without_oslo(source)
        assert release.to_arrow().schema.metadata is None
        assert release.to_pandas()["n"].tolist() == [1, 2]


def test_lists_of_a_database_do_not_travel(tmp_path: Path) -> None:
    path = tmp_path / "in.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.sql(f"CREATE TYPE level AS ENUM ('low', 'high', '{CANARY}')")
        connection.sql("CREATE TABLE t (city VARCHAR, level level, record STRUCT(a level, b DECIMAL(9, 2)))")
        connection.sql("INSERT INTO t VALUES ('Rome', 'low', {'a': 'high', 'b': 1.5})")
        connection.sql(f"INSERT INTO t VALUES ('Oslo', '{CANARY}', {{'a': '{CANARY}', 'b': 1}})")
        connection.sql(f"COMMENT ON TABLE t IS '{CANARY}'")
        connection.sql(f"COMMENT ON COLUMN t.city IS '{CANARY}'")
        connection.sql(f"CREATE VIEW v AS SELECT '{CANARY}' AS x")
    release = without_oslo(path, table="t")
    for suffix in ("duckdb", "parquet", "arrow"):
        release.write(tmp_path / f"out.{suffix}")
        assert CANARY.encode() not in (tmp_path / f"out.{suffix}").read_bytes(), suffix
        found = open_table(tmp_path / f"out.{suffix}").released().to_arrow().to_pylist()
        assert [(row["level"], row["record"]["a"], float(row["record"]["b"])) for row in found] == [
            ("low", "high", 1.5)
        ]
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as connection:
        assert (
            connection.sql("SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL").fetchall() == []
        )
        assert connection.sql("SELECT typeof(level) FROM t").fetchall() == [("VARCHAR",)]


def test_a_workbook_says_nothing_of_its_author(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.properties.creator = book.properties.title = book.properties.description = CANARY
    book.properties.lastModifiedBy = CANARY
    book.defined_names["who"] = openpyxl.workbook.defined_name.DefinedName("who", attr_text=f'"{CANARY}"')
    for row in (["city", "pay"], ["Rome", 1], ["Bari", 2]):
        book.active.append(row)
    book.active["A2"].comment = openpyxl.comments.Comment(CANARY, CANARY)
    book.create_sheet("other").append([CANARY])
    book.save(tmp_path / "in.xlsx")
    without_oslo(tmp_path / "in.xlsx").write(tmp_path / "out.xlsx")
    assert CANARY.encode() not in content_of(tmp_path / "out.xlsx")
