"""One table in three engines (bytes, Arrow, DuckDB): the same tuples, and the same rows released."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ontomask.errors import OntomaskError, TableError
from ontomask.tables import Dealing, Table, TableOptions, matched, open_table
from ontomask.tables.delimited import Delimited
from ontomask.tables.duckdb import DuckDbTable
from ontomask.tables.engine import EngineTable
from tables.dealings import dealing_of, released_by

DUCKDB = TableOptions(engine="duckdb")
WORDS = ["", "NA", "x", "y", 'q"r', "a,b", "l1\nl2", "é😀", " 7"]


def rows_of(table: pa.Table) -> Counter[tuple[str | None, ...]]:
    """The rows; an empty text is what a file has for nothing."""
    columns = [[None if text in ("", "NA") else text for text in c.to_pylist()] for c in table.columns]
    return Counter(zip(*columns, strict=True))


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    n = draw(st.integers(1, 25))
    column = st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)
    return pa.table({name: pa.array(draw(column), pa.string()) for name in ("a", "b", "c")})


@settings(
    max_examples=15, phases=[Phase.reuse, Phase.generate]
)  # to shrink takes minutes, and they are small
@given(tables(), st.integers(0, 99), st.sampled_from([None, "b", "c"]))
def test_every_engine_releases_the_same_rows_whatever_their_order(
    table: pa.Table, seed: int, key: str | None
) -> None:
    shuffled = table.take(random.Random(seed).sample(range(len(table)), len(table)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for at, one in enumerate((table, shuffled)):
            open_table(one).released().write(folder / f"{at}.csv")
            pq.write_table(one, folder / f"{at}.parquet")
        comma = TableOptions(separator=",")
        sources = [
            open_table(folder / "0.csv", comma),
            open_table(folder / "1.csv", comma),
            open_table(table),
            open_table(shuffled),
            open_table(folder / "0.parquet", DUCKDB),
            open_table(folder / "1.parquet", DUCKDB),
            open_table(ibis.memtable(shuffled)),
        ]
        found = []
        for source in sources:
            dealing = dealing_of(source, ["a", "b"], 3, seed, key=key)
            release = source.released(dealing)
            written = release.to_arrow()
            assert release.n_rows == len(written)
            counted = release.tuples(["a", "c"])
            assert counted.counts.sum() == release.n_rows
            classes, (values, rows) = release.tuples(["a"]), release.distinct("a")
            assert (classes.values, classes.counts.tolist()) == ([values], rows.tolist())
            found.append(
                (rows_of(written), [counted.texts(i) for i in range(len(counted))], counted.counts.tolist())
            )
        for other in found[1:]:
            assert other == found[0]


def test_rows_are_dealt_by_the_md5_that_the_documentation_describes() -> None:
    """The plain form of `tables.order`, here on one cell of twelve rows for two groups."""
    rows = [("x", f"n{i}", None if i % 5 == 0 else 'say "hi"', i / 2) for i in range(12)]
    table = pa.table(
        dict(zip(["qi", "name", "said", "size"], map(list, zip(*rows, strict=True)), strict=True))
    )
    one, counts = np.zeros(2, np.int32), np.array([5, 7], np.int64)
    dealing = Dealing(
        ("qi",), one[:1], one, np.array([0, 1], np.int32), counts, {"qi": ["first", "second"]}, seed=42
    )

    def digest(text: str) -> str:
        return hashlib.md5(f"42\n{text}".encode()).hexdigest()

    def others(row: tuple[Any, ...]) -> str:
        said = "" if row[2] is None else '"say ""hi"""'
        return f'"{row[1]}",{said},"{row[3]:g}"'

    for key, text in ((None, others), ("name", lambda row: f'"{row[1]}"')):
        order = sorted(rows, key=lambda row: digest(text(row)))
        for source in (table, ibis.memtable(table)):
            release = open_table(source).released(replace(dealing, key=key)).to_arrow().to_pylist()
            assert {row["name"] for row in release if row["qi"] == "first"} == {row[1] for row in order[:5]}


def test_cells_kept_whole_are_not_hashed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\nx,1\nx,2\ny,3\n")
    hashed: list[int] = []
    honest = Delimited.texts_of_rows

    def counting(self: Delimited, names: Any, rows: Any) -> Any:
        hashed.extend(rows.tolist())
        return honest(self, names, rows)

    monkeypatch.setattr(Delimited, "texts_of_rows", counting)
    table = open_table(tmp_path / "a.csv")
    released_by(table, ["a"], lambda texts: {"a": "z"})
    assert hashed == []
    members = np.array([0, 0, 1], np.int32)
    split = Dealing(
        ("a",), members[1:], members, np.array([0, 1, 0], np.int32), np.ones(3, np.int64), {"a": ["z", "w"]}
    )
    table.released(split)
    assert hashed == [0, 1]


TYPED = pa.table(
    {
        "qi": ["x"] * 40,
        "whole": pa.array(range(40), pa.int64()),
        "real": pa.array([0.1, 39.0, 1e16, 1e-5, None, float("nan"), 2.5, 1e300, -0.0, 1 / 3] * 4),
        "single": pa.array(
            [0.1, 39.0, 123456789.0, 1e-5, None, 1e10, 2.5, 1e30, 16777217.0, 1 / 3] * 4, pa.float32()
        ),
        "day": [dt.date(2001, 2, i % 28 + 1) for i in range(40)],
        "when": [dt.datetime(2020, 1, 2, 3, 4, i % 60, 250_000 * (i % 4)) for i in range(40)],
        "zoned": pa.array(
            [dt.datetime(2020, 1, 2, 3, 4, i, 10 * i) for i in range(40)], pa.timestamp("us", "UTC")
        ),
        "clock": [dt.time(1, 2, i % 60, 500 * i) for i in range(40)],
        "fee": pa.array([Decimal(i) / 4 for i in range(40)], pa.decimal128(6, 2)),
        "member": [i % 3 == 0 for i in range(40)],
        "tags": pa.array([["a"] * (i % 2) for i in range(40)], pa.list_(pa.string())),
    }
)


@pytest.mark.parametrize("column", TYPED.column_names[1:-1])
def test_values_of_every_type_are_hashed_alike(tmp_path: Path, column: str) -> None:
    table = TYPED.append_column("n", pa.array([f"row {i}" for i in range(40)])).select(["qi", column, "n"])
    pq.write_table(table, tmp_path / "t.parquet")
    found = []
    for options in (TableOptions(engine="memory"), DUCKDB):
        opened = open_table(tmp_path / "t.parquet", options)
        release = opened.released(dealing_of(opened, ["qi"], 5, 3)).to_arrow()
        found.append([(row["qi"], row["n"]) for row in release.to_pylist()])
        assert release.schema.field(column).type == table.schema.field(column).type or column == "clock"
    assert found[0] == found[1]
    assert len(set(found[0])) > 20


def test_every_type_passes_through_duckdb(tmp_path: Path) -> None:
    pq.write_table(TYPED, tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", DUCKDB)
    released_by(table, ["qi"], lambda texts: {"qi": "z"}).write(tmp_path / "out.parquet")
    written = pq.read_table(tmp_path / "out.parquet")
    others = TYPED.column_names[1:]
    assert written["qi"].to_pylist() == ["z"] * 40
    assert str(written.select(others).to_pylist()) == str(TYPED.select(others).to_pylist())


def test_missing_has_one_form_in_every_engine() -> None:
    table = pa.table({"a": ["NA", "NA", "?", None, "x"], "b": list("12345")})
    for source in (table, ibis.memtable(table)):
        release = released_by(open_table(source), ["a"], lambda texts: {"a": None}).to_arrow()
        assert release["a"].to_pylist() == ["NA"] * 5  # what most rows have, not most of the distinct tuples


# ---------------------------------------------------------------------- what DuckDB reads and writes


@pytest.fixture
def people(tmp_path: Path) -> Iterator[Path]:
    names = [*(f"p{i}" for i in range(59)), None]  # one without a name, who may be a key nevertheless
    rows = [(name, ["Oslo", "Rome", None][i % 3], 20 + i % 4, i / 4) for i, name in enumerate(names)]
    table = pa.table(
        dict(zip(["name", "city", "age", "pay"], map(list, zip(*rows, strict=True)), strict=True))
    )
    (tmp_path / "folder" / "more").mkdir(parents=True)
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=7, compression="zstd")
    pq.write_table(table.slice(0, 25), tmp_path / "folder" / "1.parquet")
    pq.write_table(table.slice(25), tmp_path / "folder" / "more" / "2.parquet")
    open_table(table).released().write(tmp_path / "people.csv")
    open_table(table).released().write(tmp_path / "people.duckdb")
    return tmp_path


def masked_people(table: Table) -> Any:
    def rule(texts: tuple[str | None, ...]) -> dict[str, str | None] | None:
        city, age = texts
        return None if age == "23" else {"city": None if city is None else "Europe", "age": "20-22"}

    return released_by(table, ["city", "age"], rule, drop=["name"])


SOURCES = ["people.parquet", "folder", "folder/**/*.parquet", "people.csv", "people.duckdb"]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", ["out.parquet", "out.csv", "out.duckdb", "out.feather"])
def test_duckdb_from_anything_to_anything(people: Path, source: str, target: str) -> None:
    expected = masked_people(open_table(pq.read_table(people / "people.parquet"))).to_arrow()
    table = open_table(people / source, DUCKDB)
    assert isinstance(table, DuckDbTable)
    assert (table.n_rows, table.names) == (60, ("name", "city", "age", "pay"))
    seen: list[Any] = []
    masked_people(table).write(
        people / target, check=lambda written: seen.append(written.tuples(["city", "age"]))
    )
    assert [seen[0].texts(i) for i in range(len(seen[0]))] == [("Europe", "20-22"), (None, "20-22")]
    assert seen[0].counts.sum() == 45
    written = open_table(people / target, TableOptions(engine="memory") if "duckdb" not in target else None)
    columns = [written.released().to_arrow()[name].to_pylist() for name in ("city", "age", "pay")]
    found = [(city or None, age, float(pay)) for city, age, pay in zip(*columns, strict=True)]
    plain = list(zip(*[expected[name].to_pylist() for name in ("city", "age", "pay")], strict=True))
    if source in ("people.parquet", "people.csv") and target != "out.duckdb":
        assert found == plain  # files keep the order of their rows
    assert Counter(found) == Counter(plain)


def test_a_folder_becomes_a_folder(people: Path) -> None:
    release = masked_people(open_table(people / "folder"))
    release.write(people / "release")
    assert (people / "release").is_dir()
    assert masked_people(open_table(people / "folder")).n_rows == open_table(people / "release").n_rows == 45
    with pytest.raises(TableError, match="it is a folder; remove it, or choose another name"):
        release.write(people / "release")

    def check(written: Table) -> None:
        raise TableError(f"{written.n_rows} rows")

    with pytest.raises(TableError, match="45 rows"):
        release.write(people / "other", check)
    assert not [path.name for path in people.iterdir() if "other" in path.name]
    with pytest.raises(TableError, match="cannot be written; use"):
        masked_people(open_table(people / "people.parquet", DUCKDB)).write(people / "other")


def test_folders_of_a_partition_are_a_column(tmp_path: Path) -> None:
    for year in (2001, 2002):
        (tmp_path / "all" / f"year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "all" / f"year={year}" / "1.parquet")
    assert open_table(tmp_path / "all").distinct("year")[0] == ["2001", "2002"]
    assert open_table(tmp_path / "all" / "year=2001" / "1.parquet", DUCKDB).names == ("a",)


@pytest.mark.parametrize("source", ["people.parquet", "folder", "people.duckdb"])
def test_what_was_changed_meanwhile_is_not_released(people: Path, source: str) -> None:
    release = masked_people(open_table(people / source, DUCKDB))
    if source == "people.duckdb":
        with duckdb.connect(str(people / source)) as connection:
            connection.sql("DELETE FROM release WHERE name = 'p0'")
    else:
        file = people / ("folder/1.parquet" if source == "folder" else source)
        pq.write_table(pq.read_table(file).slice(1), file)
    with pytest.raises(TableError, match="changed since it was read"):
        release.write(people / "out.parquet")
    assert not (people / "out.parquet").exists()


def test_compression_and_private_names_with_quotes(people: Path) -> None:
    odd = people / "it's"
    odd.mkdir()
    table = pq.read_table(people / "people.parquet").rename_columns(['a "b"', "row", "n", "cell"])
    pq.write_table(table, odd / "o'clock.parquet", compression="zstd")
    opened = open_table(odd / "o'clock.parquet", DUCKDB)
    release = opened.released(dealing_of(opened, ["row", "n"], 4, 1))
    release.write(odd / "rele'ase.parquet")
    assert pq.read_metadata(odd / "rele'ase.parquet").row_group(0).column(0).compression == "ZSTD"
    release.write(odd / "rele'ase.duckdb")
    assert open_table(odd / "rele'ase.duckdb").names == ('a "b"', "row", "n", "cell")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n3\n", "expected 2 fields, found 1"),
        (b"a,b\n" + b"1,2\n" * 400_000 + b"3\n", "not a readable text file"),
        (b"a,b\n" + b"1,2\n" * 400_000 + b"caf\xe9,3\n", "not a readable text file"),
        (b"a,b\n", "no rows"),
    ],
)
def test_text_that_duckdb_must_not_read(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(TableError, match=message):
        open_table(tmp_path / "a.csv", DUCKDB)
    with pytest.raises(TableError, match="DuckDB reads UTF-8 only, not cp1252"):
        open_table(tmp_path / "a.csv", TableOptions(engine="duckdb", encoding="cp1252"))


def test_text_in_duckdb_is_what_it_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(
        '\ufeffa;b\r\n007;"x;""y"""\r\n;NA\r\n1e5; z \r\n"";"l1\nl2"\r\n'.encode()
    )
    found = [
        open_table(tmp_path / "a.csv", TableOptions(engine=e)).tuples(["a", "b"])
        for e in ("memory", "duckdb")
    ]
    assert found[0].values == found[1].values
    assert found[0].codes.tolist() == found[1].codes.tolist()
    tables = [
        open_table(tmp_path / "a.csv", options).released().to_arrow() for options in (TableOptions(), DUCKDB)
    ]
    assert tables[0].to_pydict() == tables[1].to_pydict()


def test_engines_are_chosen(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableError, match=r"there is no engine 'excel'; use auto, memory, duckdb or spark"):
        TableOptions(engine="excel")  # type: ignore[arg-type]
    with pytest.raises(TableError, match="several files; use engine: duckdb"):
        open_table(people / "folder", TableOptions(engine="memory"))
    assert not isinstance(open_table(people / "people.parquet"), DuckDbTable)
    monkeypatch.setattr("ontomask.tables.LARGE_PARQUET", 100)
    monkeypatch.setattr("ontomask.tables.LARGE_TEXT", 100)
    for name in ("people.parquet", "people.csv"):
        assert isinstance(open_table(people / name), DuckDbTable)
        assert not isinstance(open_table(people / name, TableOptions(engine="memory")), DuckDbTable)


def test_duckdb_without_its_packages(people: Path) -> None:
    script = f"""
import sys
sys.modules["ibis"] = sys.modules["duckdb"] = None
from ontomask.errors import TableError
from ontomask.tables import open_table
for path in ("folder", "people.duckdb"):
    try:
        open_table({str(people)!r} + "/" + path)
    except TableError as error:
        print(error)
try:
    open_table({str(people)!r} + "/people.csv").released().write({str(people)!r} + "/out.duckdb")
except TableError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install 'ontomask[duckdb]'") == 3
    assert not (people / "out.duckdb").exists()


def test_nothing_is_left_in_temporary_folders(people: Path) -> None:
    private = people / "tmp"
    private.mkdir()
    script = f"""
from ontomask.tables import TableOptions, open_table
table = open_table({str(people / "people.csv")!r}, TableOptions(engine="duckdb"))
assert table.n_rows == 60
"""
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ | {"TMPDIR": str(private)})
    assert list(private.iterdir()) == []


def test_digests_of_engines(people: Path) -> None:
    file = hashlib.sha256((people / "people.parquet").read_bytes()).hexdigest()
    assert open_table(people / "people.parquet", DUCKDB).digest == file
    folder = open_table(people / "folder").digest
    assert folder == open_table(people / "folder").digest != file


def test_the_digest_of_a_database_is_that_of_its_rows(people: Path) -> None:
    table = pq.read_table(people / "people.parquet")

    def digest(content: pa.Table) -> str:
        return open_table(ibis.memtable(content)).digest

    lines = []
    for row in table.to_pylist():
        fields = ["" if value is None else f'"{str(value).removesuffix(".0")}"' for value in row.values()]
        lines.append('"name","city","age","pay"\n' + ",".join(fields))
    total = sum(int(hashlib.md5(line.encode()).hexdigest(), 16) for line in lines) % 2**128
    whole = f"rows:60:{total:032x}"
    assert digest(table) == open_table(people / "people.duckdb").digest == whole
    assert digest(table.take(list(range(59, -1, -1)))) == whole
    assert digest(table.set_column(0, "name", table["name"].dictionary_encode())) == whole
    others = [
        table.slice(1),
        pa.concat_tables([table, table]),
        table.rename_columns(["who", "city", "age", "pay"]),
        table.select(["city", "name", "age", "pay"]),
        table.set_column(0, "name", pa.array(["Eve", *table["name"].to_pylist()[1:]])),
    ]
    assert len({whole, *map(digest, others)}) == 1 + len(others)


def test_hexadecimal_digits_are_one_number_in_every_engine() -> None:
    table = ibis.memtable({"h": ["00000000", "ffffffff", "0123abcd"]})
    for engine in (EngineTable, DuckDbTable):
        number = engine.number_of(open_table(table), table.h)
        found = table.select(n=number).to_pyarrow()["n"].to_pylist()
        assert sorted(found) == [0, 0x0123ABCD, 2**32 - 1]


# ---------------------------------------------------------------------- two tables


@pytest.mark.parametrize("first", ["people.parquet", "people.csv", "folder", "people.duckdb"])
@pytest.mark.parametrize("second", ["memory", "duckdb"])
def test_tables_are_matched_alike_in_every_engine(people: Path, first: str, second: str) -> None:
    table = pq.read_table(people / "people.parquet")
    masked = table.set_column(1, "city", pa.array(["Europe"] * 30 + [None] * 30)).slice(10)
    masked = masked.take(list(range(49, -1, -1)))
    expected = matched(open_table(table), open_table(masked), ["city", "age"], ["city"], key="name")
    assert expected.counts[expected.absent].sum() == 10
    other = open_table(masked if second == "memory" else ibis.memtable(masked))
    options = TableOptions(engine="duckdb" if second == "memory" else "auto")
    found = matched(open_table(people / first, options), other, ["city", "age"], ["city"], key="name")
    for one in (expected, found):
        assert one.counts.sum() == 60

    def entries(both: Any) -> Counter[Any]:
        return Counter(
            {
                (both.before.texts(i), None if gone else both.after.texts(i), gone): int(both.counts[i])
                for i, gone in enumerate(both.absent.tolist())
            }
        )

    assert entries(found) == entries(expected)


def test_files_are_matched_by_their_order_in_every_engine(people: Path) -> None:
    masked = pq.read_table(people / "people.parquet").set_column(1, "city", pa.array(["N"] * 20 + ["S"] * 40))
    pq.write_table(masked, people / "masked.parquet")
    found = [
        matched(open_table(people / a, o), open_table(people / "masked.parquet", o), ["city"], ["city"])
        for a, o in (("people.csv", DUCKDB), ("people.parquet", DUCKDB), ("people.csv", TableOptions()))
    ]
    assert [one.counts.tolist() for one in found] == [[7, 13, 7, 13, 6, 14]] * 3
    with pytest.raises(OntomaskError, match="no order to match them by; give a `key`"):
        matched(open_table(people / "folder"), open_table(people / "masked.parquet"), ["city"], ["city"])
    with pytest.raises(OntomaskError, match="60 rows and the masked table 5"):
        matched(open_table(people / "people.csv"), open_table(masked.slice(0, 5)), ["city"], ["city"])
    for options in (DUCKDB, TableOptions()):
        with pytest.raises(OntomaskError, match="column 'age' of the original table is not a key"):
            matched(
                open_table(people / "people.csv", options), open_table(masked), ["city"], ["city"], key="age"
            )


def test_no_file_makes_the_engine_fetch_code(tmp_path: Path) -> None:
    """DuckDB would install an extension for a database of another kind."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(tmp_path / "people.duckdb")) as database, database:
        database.execute("CREATE TABLE people (name TEXT)")
    with pytest.raises(TableError, match="not a readable DuckDB file") as told:
        open_table(tmp_path / "people.duckdb")
    assert "extension" not in str(told.value).lower()


def test_what_the_engine_says_of_a_cell_can_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    pq.write_table(pa.table({"age": [1, 2]}), tmp_path / "parts" / "1.parquet")
    pq.write_table(pa.table({"age": ["Jane Doe", "3"]}), tmp_path / "parts" / "2.parquet")
    with pytest.raises(TableError) as told:
        open_table(tmp_path / "parts").tuples(["age"])
    assert "Jane" in str(told.value) and "Jane" not in str(told.value.without_values())
