"""What means no value: for the table and for each column, in every engine; one mark for each on output."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontomask import Plan, anonymize, evaluate, init
from ontomask.errors import OntomaskError
from ontomask.tables import TableOptions, open_table

PEOPLE = """\
country,age,visits
NA,99,99
NA,31,98
Spain,99,97
Spain,33,96
Spain,-,95
Spain,35,94
"""


def plan(**columns: dict[str, object]) -> Plan:
    roles = {
        "country": {"role": "confidential"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "visits": {"role": "quasi-identifier", "kind": "numeric"},
    }
    return Plan.from_dict(
        {
            "attributes": {name: {**roles[name], **columns.get(name, {})} for name in roles},
            "privacy": {"k": 2},
        }
    )


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_number_means_nothing_in_one_column_only(tmp_path: Path, engine: str) -> None:
    (tmp_path / "a.csv").write_text(PEOPLE)
    own = plan(age={"na_values": ["99", "-"]}).replace(table={"engine": engine})
    release = anonymize(tmp_path / "a.csv", own)
    age, visits = release.columns
    assert age.attribute.line.numbers.tolist()[:3] == [31, 33, 35] and age.attribute.missing == 3
    assert visits.attribute.missing == -1 and 99 in visits.attribute.line.numbers
    release.write(tmp_path / "b.csv")
    found = evaluate(tmp_path / "a.csv", tmp_path / "b.csv", own)
    assert found["k_reached"] >= 2
    assert ",99," not in "".join(line for line in (tmp_path / "b.csv").read_text().splitlines(True))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("mark", "written"), [("unknown", ""), ("keine Angabe", ""), ("n/a", "n/a"), ("?", "?"), ("k.A.", "k.A.")]
)
def test_what_is_written_for_no_value_is_no_word(
    tmp_path: Path, engine: str, mark: str, written: str
) -> None:
    (tmp_path / "a.csv").write_text(f"age,x\n31,a\n33,a\n{mark},a\n{mark},a\n")
    roles = {"age": {"role": "quasi-identifier", "kind": "numeric"}, "x": {"role": "other"}}
    settings = {"attributes": roles, "privacy": {"k": 2}, "table": {"na_values": [mark], "engine": engine}}
    anonymize(tmp_path / "a.csv", Plan.from_dict(settings)).write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == f"age,x\n32,a\n32,a\n{written},a\n{written},a\n"


def test_a_column_may_have_a_value_that_means_nothing_elsewhere(tmp_path: Path) -> None:
    """NA is Namibia, where a column of codes says so."""
    (tmp_path / "a.csv").write_text(PEOPLE)
    table = open_table(tmp_path / "a.csv", TableOptions(na_of={"country": ("",)}))
    assert table.distinct("country")[0] == ["NA", "Spain"]
    assert open_table(tmp_path / "a.csv").distinct("country")[0] == ["Spain", None]


COUNTRIES = "country,x\n" + "DE,1\n" * 4 + "FR,2\n" * 3 + "NA,1\n" * 2


def test_na_among_codes_of_countries_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(COUNTRIES)
    drafted = init(tmp_path / "a.csv")
    assert 'If some are Namibia, add `na_values: ["", "?"]`' in drafted.columns[0].advice
    assert "Namibia" in drafted.to_yaml()
    column: dict[str, object] = {"role": "quasi-identifier", "ontology": "countries"}
    for own, is_told in (({}, True), ({"na_values": ["", "?"]}, False), ({"na_values": ["", "NA"]}, False)):
        asked = Plan.from_dict(
            {"attributes": {"country": {**column, **own}}, "privacy": {"k": 2}, "others": "drop"}
        )
        made = anonymize(tmp_path / "a.csv", asked)
        assert any("2 rows have none; if some are Namibia" in note for note in made.notes) == is_told
        has_namibia = own.get("na_values") == ["", "?"]
        assert (made.columns[0].attribute.missing < 0) == has_namibia


@pytest.mark.parametrize("cells", ["Germany,1\nFrance,1\nNA,1\n", "DE,1\nFR,1\n"])
def test_na_among_names_or_where_nothing_is_missing_is_not(tmp_path: Path, cells: str) -> None:
    (tmp_path / "a.csv").write_text("country,x\n" + cells * 3)
    assert "Namibia" not in init(tmp_path / "a.csv").to_yaml()


def test_filled_and_emptied_values_are_counted() -> None:
    table = pa.table({"country": ["x"] * 4, "age": ["99", "30", "30", "99"], "visits": [1, 1, 9, 9]})
    release = anonymize(table, plan(age={"na_values": ["99"]}))
    told = [note for note in release.notes if "missing" in note]
    assert told and all("column 'age'" in note for note in told)


def test_the_mark_of_a_column_is_what_it_used_most_unless_a_number(tmp_path: Path) -> None:
    for marks, expected in ((["-", "-", "99"], "-"), (["99", "99", "-"], "")):
        rows = [f"{mark},1" for mark in marks] + ["30,2", "31,2"]
        (tmp_path / "a.csv").write_text("\n".join(["age,visits", *rows]) + "\n")
        asked = Plan.from_dict(
            {
                "attributes": {
                    "age": {"role": "quasi-identifier", "kind": "numeric", "na_values": ["99", "-"]},
                    "visits": {"role": "other"},
                },
                "privacy": {"k": 2},
            }
        )
        anonymize(tmp_path / "a.csv", asked).write(tmp_path / "b.csv")
        lines = (tmp_path / "b.csv").read_text().splitlines()
        assert lines[1:4] == [f"{expected},1"] * 3


def test_parquet_and_typed_columns(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"country": ["x"] * 4, "age": [99, 99, 30, 30], "visits": [1, 1, 9, 9]}),
        tmp_path / "a.parquet",
    )
    for engine in ("memory", "duckdb"):
        own = plan(age={"na_values": ["99"]}).replace(table={"engine": engine})
        assert anonymize(tmp_path / "a.parquet", own).to_arrow()["age"].to_pylist() == [None, None, 30, 30]


def test_no_written_value_means_nothing(tmp_path: Path) -> None:
    """A mean that is a mark of its own column gives way; in another column it stays."""
    rows = ["98,98", "100,100"] * 2
    (tmp_path / "a.csv").write_text("\n".join(["age,visits", *rows]) + "\n")
    asked = Plan.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "kind": "numeric", "na_values": ["99"]},
                "visits": {"role": "quasi-identifier", "kind": "numeric"},
            },
            "privacy": {"k": 4},
        }
    )
    anonymize(tmp_path / "a.csv", asked).write(tmp_path / "b.csv")
    ages, visits = zip(
        *(line.split(",") for line in (tmp_path / "b.csv").read_text().splitlines()[1:]), strict=True
    )
    assert set(ages) <= {"98", "100"} and set(visits) == {"99"}


def test_it_must_be_a_list() -> None:
    with pytest.raises(OntomaskError, match="na_values: must be a list"):
        plan(age={"na_values": "99"})
