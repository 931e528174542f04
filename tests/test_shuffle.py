"""Rows in an order that tells nothing: the same whatever order they came in, in every engine and format."""

from __future__ import annotations

import hashlib
import random
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.tables import open_table

ROWS = [(f"P{at:03}", 20 + at // 2, "A1" if at % 3 else "B 2") for at in range(60)]
PLAN = {
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ward": {"role": "other"},
    },
    "privacy": {"k": 3},
    "seed": 7,
    "shuffle": True,
}


def written(path: Path, rows: list[tuple[str, int, str]], end: str = "\n") -> Path:
    path.write_bytes(end.join(["id,age,ward", *(",".join(map(str, row)) for row in rows)]).encode())
    return path


def released(path: Path, **more: object) -> bytes:
    target = path.with_name(f"release{path.suffix}")
    om.anonymize(path, PLAN | more).write(target)
    return target.read_bytes()


def read_back(path: Path) -> list[dict[str, object]]:
    return open_table(path).released().to_arrow().to_pylist()


def test_rows_are_sorted_by_the_md5_of_what_is_released(tmp_path: Path) -> None:
    lines = released(written(tmp_path / "people.csv", ROWS)).decode().split("\n")

    def digest(line: str) -> str:
        fields = ",".join(f'"{field}"' for field in line.split(","))
        return hashlib.md5(f"7\n{fields}".encode()).hexdigest()

    assert lines[0] == "age,ward"
    assert lines[1:] == sorted(lines[1:], key=digest)
    as_they_were = released(tmp_path / "people.csv", shuffle=False).decode().split("\n")
    assert lines != as_they_were and sorted(lines) == sorted(as_they_were)


@given(st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n"]))
def test_the_order_of_the_table_leaves_no_trace(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random, end: str
) -> None:
    folder = tmp_path_factory.mktemp("shuffled")
    mixed = ROWS.copy()
    chance.shuffle(mixed)
    first = released(written(folder / "people.csv", ROWS, end))
    assert released(written(folder / "people.csv", mixed, end)) == first


def test_every_engine_has_the_same_order(tmp_path: Path) -> None:
    text = written(tmp_path / "people.csv", ROWS)
    columns = dict(zip(("id", "age", "ward"), map(list, zip(*ROWS, strict=True)), strict=True))
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "people.parquet")
    expected = om.anonymize(text, PLAN).to_arrow().to_pylist()
    for engine in ("memory", "duckdb"):
        for path in (text, tmp_path / "people.parquet"):
            release = om.anonymize(path, PLAN | {"table": {"engine": engine}})
            found = release.to_arrow().to_pylist()
            assert [{k: str(v) for k, v in row.items()} for row in found] == expected, (engine, path)
            target = tmp_path / f"{engine}_{path.suffix[1:]}{path.suffix}"
            release.write(target)
            again = read_back(target)
            assert [{k: str(v) for k, v in row.items()} for row in again] == expected, (engine, path)


def test_a_large_table_of_an_engine_is_shuffled_too(tmp_path: Path) -> None:
    n = 150_000  # beyond one row group
    pq.write_table(pa.table({"id": range(n), "age": [at % 50 for at in range(n)], "ward": range(n)}),
                   tmp_path / "people.parquet")  # fmt: skip
    for suffix in ("parquet", "csv"):
        release = om.anonymize(tmp_path / "people.parquet", PLAN | {"table": {"engine": "duckdb"}})
        release.write(tmp_path / f"{suffix}.{suffix}")
        found = [int(row["ward"]) for row in read_back(tmp_path / f"{suffix}.{suffix}")]
        assert sorted(found) == list(range(n))
        digests = [hashlib.md5(f'7\n"{ward % 50}","{ward}"'.encode()).hexdigest() for ward in found]
        assert digests == sorted(digests)


def test_labels_of_a_data_frame_do_not_tell_the_order() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["id", "age", "ward"])
    found = om.anonymize(frame, PLAN).table
    assert found.index.tolist() == list(range(60))
    assert found.to_dict("list") == om.anonymize(frame[::-1], PLAN).table.to_dict("list")


def test_suppressed_rows_and_sheets(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    for name, rows in (("up", ROWS), ("down", ROWS[::-1])):
        with xlsxwriter.Workbook(str(tmp_path / f"{name}.xlsx")) as book:
            sheet = book.add_worksheet()
            for at, row in enumerate([("id", "age", "ward"), *rows, ("P999", "", "C")]):
                sheet.write_row(at, 0, row)
    found = []
    for name in ("up", "down"):
        release = om.anonymize(tmp_path / f"{name}.xlsx", PLAN | {"missing": "suppress-row"})
        release.write(tmp_path / f"release_{name}.xlsx")
        found.append(read_back(tmp_path / f"release_{name}.xlsx"))
        assert [str(row["age"]) for row in found[-1]] == [
            str(row["age"]) for row in release.to_arrow().to_pylist()
        ]
    assert found[0] == found[1] and len(found[0]) == 60


def test_rows_that_differ_in_lists_alone() -> None:
    pets = [["cat"], ["dog", "cat"], [], ["cow"]] * 3
    one = pa.table({"id": range(12), "age": [30] * 12, "ward": pets})
    order = [5, 0, 11, 3, 2, 1, 4, 10, 9, 8, 7, 6]
    first = om.anonymize(one, PLAN).to_arrow()["ward"].to_pylist()
    assert om.anonymize(one.take(order), PLAN).to_arrow()["ward"].to_pylist() == first != pets


def test_what_is_said_of_the_order(tmp_path: Path) -> None:
    path = written(tmp_path / "people.csv", ROWS)
    for shuffle in (True, False):
        told = [one.text for one in om.warnings_of(om.anonymize(path, PLAN | {"shuffle": shuffle}))]
        assert any("order of the original" in text for text in told) is not shuffle
    with pytest.raises(OntomaskError, match="cannot be matched by it; give a `key`"):
        om.evaluate(path, path, PLAN)


# ---------------------------------------------------------------------- drafted by init


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_init_drafts_it_where_the_order_tells_something(tmp_path: Path, engine: str) -> None:
    numbered = [(str(8 + at), *row[1:]) for at, row in enumerate(ROWS)]  # 8, 9, 10: in order as numbers
    ordered = om.init(written(tmp_path / "ordered.csv", numbered), engine=engine)
    assert ordered.telling_order == ("id", "age") and ordered.settings()["shuffle"] is True
    assert "shuffle: true   # rows are in the order of id, age, which tells it" in ordered.to_yaml()
    mixed = ROWS.copy()
    random.Random(3).shuffle(mixed)
    days = [date(2020, 1, 5) + timedelta(37 * at) for at in range(len(mixed))]
    dated = [(day.strftime("%d/%m/%Y"), *row[1:]) for day, row in zip(days, mixed, strict=True)]
    by_day = om.init(written(tmp_path / "dated.csv", dated), engine=engine)
    assert by_day.telling_order == ("id",)  # days in order, though not as texts
    drawn = om.init(written(tmp_path / "drawn.csv", mixed), engine=engine)
    assert drawn.telling_order == () and "shuffle" not in drawn.to_yaml()
    by_ward = om.init(written(tmp_path / "ward.csv", sorted(mixed, key=lambda row: row[2])), engine=engine)
    assert by_ward.sorted_by == ("ward",)
    assert by_ward.decide({"ward": "other"}).telling_order == ()  # the release shows it anyway


def test_pseudonyms_match_shuffled_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTOMASK_KEY", "sixteen bytes or more")
    path = written(tmp_path / "people.csv", ROWS)
    plan = om.Plan.from_dict(PLAN).replace(attributes={"id": {"role": "pseudonym"}})
    release = om.anonymize(path, plan)
    release.write(tmp_path / "release.csv")
    found = om.evaluate(path, tmp_path / "release.csv", plan, key="id")
    assert found["sse"] == pytest.approx(release.figures["sse"]) and found["sse"] > 0
