"""What every engine must do alike: the same table, with ugly values, in seven places.

The judge is plain Python over the texts of the rows. Engines of text (a CSV file, read here or by Spark) tell
an empty value from none no more, so rows are told apart by a key where they take part.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines import quoted
from ontomask.errors import OntomaskError
from ontomask.files import staging
from ontomask.tables import Dealing, Table, TableOptions, open_table
from ontomask.tables.address import place_of
from ontomask.tables.arrow import texts_of
from ontomask.tables.engine import EngineTable
from tables.dealings import dealing_of, released_by

Texts = tuple[str | None, ...]

DUCKDB = TableOptions(engine="duckdb")
IN_SPARK = TableOptions(engine="spark", master="local[2]")
MEMORY = TableOptions(engine="memory", separator=",")
TYPED = ["arrow", "duckdb parquet", "duckdb file", "postgres", "spark parquet"]
OF_TEXT = ["delimited", "spark csv"]


every_engine = pytest.mark.parametrize("engine", TYPED + OF_TEXT)
every_typed_engine = pytest.mark.parametrize("engine", TYPED)

# fmt: off
NOTES = ["plain", 'say "hi"', "it's", "a,b;c", "l1\nl2", "l1\r\nl2", "tab\there", "back\\slash", "naïve", "é",
         "e\u0301", "𝔘 😀", "", "NA", " 7 ", "null", "\\N", "%s {} $1 :x", "--", "\u00a0", "\u2028", None]
TEXTS_OF_SIZES = {
    1e21: "1e+21", 1e-7: "1e-07", 0.1: "0.1", -0.0: "0", 12345678.9: "12345678.9", 39.0: "39", 1e-4: "0.0001",
    5.684341886080802e-14: "5.684341886080802e-14", 2.0**53: "9007199254740992.0", 1e16: "1e+16", 1e15 + 0.5:
    "1000000000000000.5", -1234567890123456.8: "-1234567890123456.8", inf: "inf", -inf: "-inf", 1e-5: "1e-05"}
SIZES = [*TEXTS_OF_SIZES, nan, None]
FEES = [*map(Decimal, ("1.50", "0.00", "-3.25", "99999999.99")), None]
DAYS = [dt.date(2001, 2, 3), dt.date(1969, 12, 31), dt.date(1500, 1, 1), dt.date(9999, 12, 31), None]
TIMES = [dt.datetime(2020, 1, 2, 3, 4, 5, 250_000), dt.datetime(2021, 3, 28, 2, 30), None,
         dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)]
# fmt: on
N = 2 * len(NOTES)


def repeated(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    return pa.array([values[i % len(values)] for i in range(N)], kind)


UGLY = pa.table(
    {
        "id": pa.array([f"r{i:02d}" for i in range(N)]),
        "qi": repeated(["x", "y", 'z"', "", None], pa.string()),
        'say "it"': repeated(NOTES, pa.string()),
        "has blank": repeated([1, -7, 2**62, 0, None], pa.int64()),
        "UPPER": repeated([True, False, None], pa.bool_()),
        "dot.ted": repeated(
            [*map(Decimal, ("1.50", "0.00", "-3.25", "99999999.99")), None], pa.decimal128(10, 2)
        ),
        "back`tick": repeated(SIZES, pa.float64()),
        "percent %s": repeated(DAYS, pa.date32()),
        "ünï": repeated(TIMES, pa.timestamp("us")),
        "zoned": repeated(TIMES, pa.timestamp("us", "UTC")),
        "small": repeated([0.1, 16777216.0, 1e10, 2.5, None], pa.float32()),
    }
)


def texts_in(table: pa.Table) -> list[Texts]:
    """The rows as texts, in their order."""
    columns = [texts_of(column.combine_chunks()) for column in table.columns]
    return list(zip(*columns, strict=True))


def settled(text: str | None) -> str | None:
    return None if text is None or text.strip() in ("", "NA", "?") else text


def folded(rows: Sequence[Texts]) -> Counter[Texts]:
    """Rows in which everything that means "missing" is alike."""
    return Counter(tuple(map(settled, row)) for row in rows)


# ---------------------------------------------------------------------- where the table stands


Make = Callable[[str, pa.Table], Table]


@pytest.fixture(scope="module")
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """A table in an engine; one that has the same content is made once."""
    made: dict[tuple[str, int], Any] = {}

    def opened(engine: str, table: pa.Table) -> Table:
        if (engine, id(table)) not in made:
            folder = tmp_path_factory.mktemp("engine")
            made[engine, id(table)] = put(engine, table, folder)
        found = made[engine, id(table)]
        # A table of PostgreSQL that is open is one moment of the database, in which later tables are not.
        return open_table(found) if isinstance(found, str) else found

    def put(engine: str, table: pa.Table, folder: Path) -> Table | str:
        if engine == "arrow":
            return open_table(table)
        if engine == "postgres":
            server = request.getfixturevalue("postgres")
            server.load(folder.name, table)
            return str(server.url(folder.name))
        if engine.startswith("spark"):
            request.getfixturevalue("spark")
        if engine.endswith("parquet"):
            pq.write_table(table, folder / "t.parquet")
            return open_table(folder / "t.parquet", DUCKDB if "duckdb" in engine else IN_SPARK)
        if engine == "duckdb file":
            open_table(table).released().write(folder / "t.duckdb")
            return open_table(folder / "t.duckdb")
        open_table(table).released().write(folder / "t.csv")
        return open_table(folder / "t.csv", MEMORY if engine == "delimited" else IN_SPARK)

    return opened


@pytest.fixture
def ugly(engine: str, make: Make) -> Table:
    return make(engine, UGLY)


# ---------------------------------------------------------------------- a plain judge


def released_plainly(table: pa.Table, dealing: Dealing, tuples: Sequence[Texts]) -> list[Texts]:
    """The released rows: cells are found by texts, and split ones dealt by the md5 of `tables.order`."""
    rows, names = texts_in(table), table.column_names
    at = {name: names.index(name) for name in names}
    number = {texts: i for i, texts in enumerate(tuples)}
    by_cell: dict[int, list[Texts]] = {}
    for row in rows:
        texts = tuple(settled(row[at[name]]) for name in dealing.columns)
        by_cell.setdefault(int(dealing.cells[number[texts]]), []).append(row)
    others = [name for name in names if name not in dealing.texts]
    keys = [[dealing.key], others] if dealing.key else [others]
    found = []
    for cell, members in by_cell.items():
        members.sort(key=lambda row: [md5(dealing.seed, [row[at[name]] for name in key]) for key in keys])
        for e in sorted(np.flatnonzero(dealing.members == cell), key=lambda e: int(dealing.groups[e])):
            taken, members = members[: dealing.counts[e]], members[dealing.counts[e] :]
            group = int(dealing.groups[e])
            new = {at[name]: texts[group] for name, texts in dealing.texts.items()}
            if group >= 0:
                found += [tuple(new.get(i, text) for i, text in enumerate(row)) for row in taken]
        assert not members
    return found


def md5(seed: int, texts: Sequence[str | None]) -> str:
    fields = ["" if text is None else '"' + text.replace('"', '""') + '"' for text in texts]
    return hashlib.md5(f"{seed}\n{','.join(fields)}".encode()).hexdigest()


def texts_of_tuples(table: Table, columns: Sequence[str]) -> list[Texts]:
    tuples = table.tuples(columns)
    return [tuples.texts(i) for i in range(len(tuples))]


# ---------------------------------------------------------------------- what is counted


@every_engine
def test_rows_values_and_tuples_are_counted(ugly: Table) -> None:
    names = UGLY.column_names
    rows = [tuple(map(settled, row)) for row in texts_in(UGLY)]
    assert (ugly.names, ugly.n_rows) == (tuple(names), N)
    found = ugly.distinct_of(names)
    for at, name in enumerate(names):
        expected = Counter(row[at] for row in rows)
        assert dict(zip(found[name][0], found[name][1].tolist(), strict=True)) == expected, name
        known = [text for text in found[name][0] if text is not None]
        assert known == sorted(known) and found[name][0][len(known) :] in ([], [None])
    some = ["qi", "back`tick", "ünï"]
    tuples = ugly.tuples(some)
    counted = {tuples.texts(i): int(tuples.counts[i]) for i in range(len(tuples))}
    assert counted == Counter(tuple(row[names.index(name)] for name in some) for row in rows)
    assert ugly.is_key("id") and not ugly.is_key("qi")


@every_engine
def test_numbers_read_as_people_write_them(ugly: Table) -> None:
    assert set(ugly.distinct("back`tick")[0]) == {*TEXTS_OF_SIZES.values(), None}
    assert set(ugly.distinct("dot.ted")[0]) == {"1.50", "0.00", "-3.25", "99999999.99", None}


# ---------------------------------------------------------------------- what is released


@every_typed_engine
@pytest.mark.parametrize("columns", [["qi", 'say "it"'], ["UPPER", "back`tick", "zoned"]])
def test_split_and_suppressed_rows_are_those_of_the_plain_judge(ugly: Table, columns: list[str]) -> None:
    dealing = dealing_of(ugly, columns, 4, 11)
    dealing = replace(dealing, texts={columns[0]: [None, *dealing.texts[columns[0]][1:]]})
    assert dealing.is_split.any() and (dealing.groups == -1).any()
    release = ugly.released(dealing)
    found = texts_in(release.to_arrow())
    assert release.n_rows == len(found) == dealing.n_kept
    assert folded(found) == folded(released_plainly(UGLY, dealing, texts_of_tuples(ugly, columns)))
    counted = release.tuples([columns[0], "id"])
    assert counted.counts.tolist() == [1] * len(found)
    values, n = release.distinct(columns[0])
    expected = Counter(settled(row[UGLY.column_names.index(columns[0])]) for row in found)
    assert dict(zip(values, n.tolist(), strict=True)) == expected


@every_engine
def test_with_a_key_text_and_types_are_dealt_alike(ugly: Table) -> None:
    dealing = dealing_of(ugly, ["qi", "has blank"], 3, 5, key="id")
    found = ugly.released(dealing, drop=["UPPER"]).to_arrow()
    assert found.column_names == [name for name in UGLY.column_names if name != "UPPER"]
    expected = released_plainly(UGLY, dealing, texts_of_tuples(ugly, ["qi", "has blank"]))
    assert folded(texts_in(found)) == folded([row[:4] + row[5:] for row in expected])


@every_typed_engine
def test_new_values_have_the_type_of_the_old_where_they_fit(ugly: Table) -> None:
    def rule(texts: Texts) -> dict[str, str | None]:
        return {
            "dot.ted": "2.50",
            "percent %s": None if texts[1] is None else "2000-01-31",
            "has blank": "1.5",
        }

    release = released_by(ugly, ["dot.ted", "percent %s", "has blank"], rule).to_arrow()
    assert {*texts_of(release["dot.ted"].combine_chunks())} == {"2.50"}
    assert pa.types.is_decimal(release.schema.field("dot.ted").type)
    assert {*release["percent %s"].to_pylist()} == {dt.date(2000, 1, 31), None}
    assert {*release["has blank"].to_pylist()} == {1.5}


@every_typed_engine
def test_a_value_that_fits_no_type_makes_its_column_text(ugly: Table) -> None:
    release = released_by(ugly, ["UPPER"], lambda texts: {"UPPER": f"was {texts[0]}"}).to_arrow()
    assert {*release["UPPER"].to_pylist()} == {"was true", "was false", "was None"}


@every_engine
def test_renamed_values_are_counted_and_released(ugly: Table) -> None:
    values, counts = ugly.distinct('say "it"')
    new = {text: f"p{i}'\"\\" for i, text in enumerate(values) if text is not None}
    renamed = ugly.renamed('say "it"', new)
    found = dict(zip(*map(list, renamed.distinct('say "it"')), strict=True))
    was = dict(zip(values, counts.tolist(), strict=True))
    assert found == {text if text is None else new[text]: n for text, n in was.items()}
    dealing = dealing_of(renamed, ["qi"], 3, 2, key="id")
    rows = texts_in(renamed.released(dealing).to_arrow())
    at = UGLY.column_names.index('say "it"')
    expected = released_plainly(UGLY, dealing, texts_of_tuples(ugly, ["qi"]))
    assert folded(rows) == folded(
        [(*row[:at], new.get(settled(row[at]) or ""), *row[at + 1 :]) for row in expected]
    )


@every_typed_engine
def test_shuffled_rows_stand_in_one_order(ugly: Table) -> None:
    dealing = replace(dealing_of(ugly, ["qi", "UPPER"], 3, 8), is_shuffled=True)
    rows = texts_in(ugly.released(dealing, drop=["id"]).to_arrow())
    assert rows == sorted(rows, key=lambda row: md5(8, row))


@every_typed_engine
def test_the_digest_is_over_all_rows_in_any_order(ugly: Table) -> None:
    if not isinstance(ugly, EngineTable):
        pytest.skip("tables in memory have none: their files do")
    header = ",".join('"' + name.replace('"', '""') + '"' for name in UGLY.column_names)
    total = sum(int(md5(header, row), 16) for row in texts_in(UGLY)) % 2**128  # type: ignore[arg-type]
    assert ugly.digest_of_rows() == f"rows:{N}:{total:032x}"


# ---------------------------------------------------------------------- written, and read back


@every_engine
def test_what_is_written_reads_as_what_was_released(ugly: Table, engine: str, tmp_path: Path) -> None:
    release = ugly.released(dealing_of(ugly, ["qi"], 3, 2, key="id"))
    seen: list[Counter[Texts]] = []
    target = tmp_path / (
        "out" if engine == "spark parquet" else "out.parquet" if engine in TYPED else "out.csv"
    )
    release.write(target, lambda written: seen.append(folded(texts_in(written.released().to_arrow()))))
    assert seen == [folded(texts_in(release.to_arrow()))]
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("engine", ["arrow", "duckdb parquet", "postgres", "delimited"])
def test_a_release_of_any_engine_can_be_written_to_a_database(
    ugly: Table, postgres: Any, tmp_path: Path, engine: str
) -> None:
    release = ugly.released(dealing_of(ugly, ["qi"], 3, 2, key="id"))
    name = f"Out of {engine}"
    with staging() as files, release.written(place_of(postgres.url(name)), files) as written:
        assert folded(texts_in(written.released().to_arrow())) == folded(texts_in(release.to_arrow()))
    assert postgres.asked(f"SELECT count(*) FROM {quoted(name)}") == [(release.n_rows,)]
    assert folded(texts_in(open_table(postgres.url(name)).released().to_arrow())) == folded(
        texts_in(release.to_arrow())
    )
    assert postgres.strays() == []


# ---------------------------------------------------------------------- what some engines alone can hold


def test_numbers_of_any_scale_in_postgresql(postgres: Any) -> None:
    values = ["1.50", "0.1", "1e-20", "123456789012345678901234567890.5", "-0.0", "NaN", "7"]
    rows = ", ".join(f"('r{i}', '{value}'::numeric)" for i, value in enumerate(values))
    postgres.do("DROP TABLE IF EXISTS free", "CREATE TABLE free (id text, n numeric)",
                f"INSERT INTO free VALUES {rows}, ('r9', NULL)")  # fmt: skip
    table = open_table(postgres.url("free"))
    found = set(table.distinct("n")[0])
    assert found - {None, "NaN"} == {"1.5", "0.1", "0.00000000000000000001",
                                     "123456789012345678901234567890.5", "0", "7"}  # fmt: skip
    release = released_by(table, ["n"], lambda texts: {"n": "2.25"})
    assert {*texts_of(release.to_arrow()["n"].combine_chunks())} == {"2.25"}


def test_types_that_postgresql_alone_has(postgres: Any) -> None:
    postgres.do(
        "DROP TABLE IF EXISTS odd",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        """CREATE TABLE odd (id int, m mood, j jsonb, u uuid, a int[], v varchar(5), c char(4), i inet,
        b bytea, d interval, w money)""",
        """INSERT INTO odd VALUES
        (1, 'sad', '{"a": 1}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,2}', 'é', 'ab', '10.0.0.1',
         '\\x00ff', '1 day', '12.34'),
        (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)""",
    )
    table = open_table(postgres.url("odd"))
    assert set(table.distinct("m")[0]) == {"sad", None}
    assert set(table.distinct("u")[0]) == {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", None}
    release = released_by(table, ["id"], lambda texts: {"id": "0"})
    with staging() as files, release.written(place_of(postgres.url("odd out")), files) as written:
        assert written.n_rows == 2
    before = postgres.asked("SELECT j::text, u, a, v, c, i, b, d, m::text, w::text FROM odd ORDER BY id")
    after = postgres.asked('SELECT j::text, u, a, v, c, i, b, d, m::text, w::text FROM "odd out" ORDER BY u')
    assert sorted(map(str, before)) == sorted(map(str, after))


@pytest.mark.parametrize("engine", ["arrow", "postgres", "spark parquet"])
def test_names_that_differ_in_case_alone(make: Make, engine: str) -> None:
    """DuckDB does not tell them apart, and says so when it is given a file."""
    table = make(engine, CASES)
    assert table.names == ("Age", "age", "AGE")
    release = released_by(table, ["age"], lambda texts: {"age": f"{texts[0]}!"}).to_arrow()
    assert Counter(texts_in(release)) == Counter([("1", "a!", "2"), ("3", "b!", "4")])


CASES = pa.table({"Age": ["1", "3"], "age": ["a", "b"], "AGE": ["2", "4"]})
WIDE = pa.table({f'c "{i}" {"Xy"[i % 2]}': [f"{i}", f"v{i % 7}", None, "x"] for i in range(200)})


@every_engine
def test_two_hundred_columns(make: Make, engine: str) -> None:
    table = make(engine, WIDE)
    names = WIDE.column_names
    assert table.names == tuple(names)
    dealing = dealing_of(table, names[:2], 2, 1)
    found = texts_in(table.released(dealing).to_arrow())
    if engine in TYPED:
        expected = released_plainly(WIDE, dealing, texts_of_tuples(table, names[:2]))
        assert folded(found) == folded(expected)
    assert len(found) == dealing.n_kept


# ---------------------------------------------------------------------- objects go in and come out


def test_a_data_frame_of_spark_gives_one_and_nothing_is_computed_before(spark: Any) -> None:
    frame = spark.createDataFrame(UGLY.select(["id", "qi", "has blank"]))
    table = open_table(frame)
    release = table.released(dealing_of(table, ["qi"], 3, 2, key="id"))
    given = release.given_back("pyspark")
    assert type(given) is type(frame)
    assert folded(texts_in(given.toArrow())) == folded(texts_in(release.to_arrow()))


@pytest.fixture(autouse=True)
def _no_fault_of_the_program() -> Iterator[None]:
    """What an engine cannot do it says in words."""
    try:
        yield
    except OntomaskError as error:
        pytest.fail(str(error))
