"""Numbers as exports write them: commas, points, blanks and units; read right or asked, and written back."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Plan, anonymize, evaluate, init
from ontomask.errors import OntomaskError
from ontomask.numerals import NumberFormat, number_format, usual_decimal


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["91,1", "72"], ["91.1", "72"]),
        (["1.234,5", "7"], ["1234.5", "7"]),
        (["1,234.5", "7"], ["1234.5", "7"]),
        (["1.234.567", "12"], ["1234567", "12"]),
        (["1 234,5", "-7"], ["1234.5", "-7"]),
        (["1\u202f234", "0,5"], ["1234", "0.5"]),
        (["1'234.50"], ["1234.50"]),
        (["0,123", "4,567"], ["0.123", "4.567"]),  # no thousands begin with 0, but they may
        ([",5", "2,"], ["0.5", "2"]),
        (["−3,5"], ["-3.5"]),
        (["1.234"], ["1.234"]),  # as a program reads it
        (["1e3", "2.5"], ["1000", "2.5"]),
    ],
)
def test_columns_that_can_be_read_in_one_way(texts: list[str], numbers: list[str]) -> None:
    usual = "," if texts[0] == "0,123" else None
    found = number_format(texts, usual=usual)
    assert [found.number_of(text) for text in texts] == [Decimal(number) for number in numbers]


def test_what_may_be_read_in_two_ways_is_asked() -> None:
    with pytest.raises(
        OntomaskError, match=r"'1,234' may be read in two ways:\s+1\.234 or 1234\nset `decimal`"
    ):
        number_format(["1,234", "12"])
    assert number_format(["1,234"], usual=",").number_of("1,234") == Decimal("1.234")
    assert number_format(["1,234"], usual=".").number_of("1,234") == 1234
    assert number_format(["1,234"], decimal=",").number_of("1,234") == Decimal("1.234")
    assert number_format(["1.234"], usual=",").number_of("1.234") == 1234
    assert number_format(["1,234"], thousands=",").number_of("1,234") == 1234


def test_columns_that_disagree_tell_nothing() -> None:
    assert usual_decimal([["91,1"], ["72.5"]]) is None
    assert usual_decimal([["1,234"], ["5"]]) is None
    assert usual_decimal([["1.234,5"], ["1,234"]]) == ","


@given(
    st.decimals(-(10**9), 10**9, places=3),
    st.sampled_from([(".", ""), (",", ""), (",", "."), (".", ","), (",", " "), (".", "'")]),
    st.sampled_from([("", ""), ("", " kg"), ("", "kg"), ("€ ", "")]),
)
def test_what_is_written_is_read_again(
    number: Decimal, marks: tuple[str, str], around: tuple[str, str]
) -> None:
    unit = (around[0] or around[1]).strip()
    form = NumberFormat(*marks, unit=unit, before=around[0], after=around[1])
    assert form.number_of(form.text(f"{number:f}")) == number


def people(folder: Path, rows: list[str], header: str) -> Path:
    (folder / "people.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder / "people.csv"


PLAN = Plan.from_dict(
    {
        "attributes": {
            "kg": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "quasi-identifier", "kind": "numeric"},
        },
        "privacy": {"k": 2},
    }
)


def test_a_release_writes_numbers_as_its_source(tmp_path: Path) -> None:
    path = people(tmp_path, ["91,1;1.200", "91,2;1.400", "60,0;9.100.000", "60,5;9.300.000"], "kg;pay")
    release = anonymize(path, PLAN)
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == (
        "kg;pay\n91,15;1.300\n91,15;1.300\n60,25;9.200.000\n60,25;9.200.000\n"
    )
    assert "column 'kg': its numbers have a decimal comma, which was found out" in release.notes
    assert any(
        "'pay': its numbers have a decimal comma and point between thousands" in n for n in release.notes
    )
    found = evaluate(path, tmp_path / "out.csv", PLAN)
    assert found["information_loss"] == pytest.approx(release.figures["information_loss"])


def test_the_other_columns_decide(tmp_path: Path) -> None:
    """1.200 alone is a number between 1 and 2; beside 91,1 it is more than a thousand."""
    path = people(tmp_path, ["91,1;1.200", "91,2;1.400", "60,0;9.100", "60,5;9.300"], "kg;pay")
    release = anonymize(path, PLAN)
    assert release.columns[1].attribute.line.numbers.tolist() == [1200, 1400, 9100, 9300]
    path = people(tmp_path, ["91.1;1.200", "91.2;1.400", "60.0;9.100", "60.5;9.300"], "kg;pay")
    assert anonymize(path, PLAN).columns[1].attribute.line.numbers[0] == 1.2


def test_typed_numbers_are_no_texts() -> None:
    table = pa.table({"kg": ["91,1", "91,2", "60,0", "60,5"], "pay": [1.234, 1.235, 9.123, 9.124]})
    release = anonymize(table, PLAN)
    assert release.columns[1].attribute.line.numbers.tolist() == [1.234, 1.235, 9.123, 9.124]
    assert release.to_arrow()["pay"].type == pa.float64()
    given = PLAN.replace(table={"decimal": ","})
    assert anonymize(table, given).columns[1].attribute.line.numbers[0] == 1.234


def test_truthful_ranges_have_the_marks_and_the_unit_once(tmp_path: Path) -> None:
    path = people(tmp_path, ["72,5 kg;1", "74 kg;1", "90 KG;1", "95,25 kg;1"], "kg;pay")
    plan = PLAN.replace(release="truthful", attributes={"kg": {"unit": "kg"}})
    anonymize(path, plan).write(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines == ["kg;pay", "72,5-74 kg;1", "72,5-74 kg;1", "90-95,25 kg;1", "90-95,25 kg;1"]
    assert evaluate(path, tmp_path / "out.csv", plan)["k_reached"] == 2


def test_units_are_cut_only_if_the_plan_says_so(tmp_path: Path) -> None:
    path = people(tmp_path, ["72 kg,1", "74 kg,1", "90,1", "94kg,1"], "kg,pay")
    with pytest.raises(
        OntomaskError, match=r"'72 kg' is not a number; say what `unit` .*3 of 4 values are none"
    ):
        anonymize(path, PLAN)
    release = anonymize(path, PLAN.replace(attributes={"kg": {"unit": "kg"}}))
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "kg,pay\n73 kg,1\n73 kg,1\n92 kg,1\n92 kg,1\n"
    assert any("1 row had no kg" in note or "had no kg" in note for note in release.notes)
    with pytest.raises(OntomaskError, match="'72 kg' is not a number"):
        anonymize(path, PLAN.replace(attributes={"kg": {"unit": "lb"}}))


def test_the_draft_takes_them_for_numbers(tmp_path: Path) -> None:
    rows = [f"{60 + i % 7},5;{1 + i % 5}.{200 + i % 3}" for i in range(60)]
    profile = init(people(tmp_path, rows, "weight;income"))
    assert [column.kind for column in profile.columns] == ["numeric", "numeric"]
    assert profile["weight"].span == ("60,5", "66,5")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thousands": "x"}, "thousands: must be"),
        ({"decimal": ";"}, r"decimal: must be \. or ,"),
        ({"decimal": ",", "kind": "nominal"}, "only kind: numeric"),
    ],
)
def test_impossible_settings(settings: dict[str, str], message: str) -> None:
    with pytest.raises(OntomaskError, match=message):
        PLAN.replace(attributes={"kg": settings})


def test_no_mark_is_a_setting_that_survives() -> None:
    plan = PLAN.replace(table={"thousands": "none", "decimal": ","})
    assert Plan.from_yaml(plan.to_yaml()) == plan
