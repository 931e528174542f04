"""Confidential numbers that are cut off or rounded: who knows one exactly finds more people with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.assessment import figures_of
from ontomask.columns.coding import coded_texts
from ontomask.columns.numbers import UNKNOWN
from ontomask.errors import OntomaskError, PlanError
from ontomask.report import render_report
from ontomask.report.reported import Reported
from ontomask.report.results import results_of
from ontomask.report.to_know import to_know

PAYS = [101, 205, 333, 512, 708, 944, 1_049, 7_300]
TABLE = pa.table({"age": [20, 20, 20, 20, 60, 60, 60, 60], "pay": PAYS})
ROUNDED = [100, 200, 330, 510, 710, 940, 1_000, 1_000]


def plan(k: int = 4, **settings: Any) -> om.Plan:
    pay = {"role": "confidential", "kind": "numeric", **settings}
    columns = {"age": {"role": "quasi-identifier", "kind": "numeric"}, "pay": pay}
    return om.Plan.from_dict({"attributes": columns, "privacy": {"k": k}})


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_every_engine_writes_the_same_numbers(tmp_path: Path, suffix: str, engine: str) -> None:
    writer = pyarrow.csv.write_csv if suffix == "csv" else pyarrow.parquet.write_table
    writer(TABLE, tmp_path / f"pay.{suffix}")
    asked = plan(round=10, top=1000).replace(table={"engine": engine}, privacy={"k": 4, "l": {"pay": 3}})
    release = om.anonymize(tmp_path / f"pay.{suffix}", asked)
    release.write(tmp_path / f"out.{suffix}", warnings=om.warnings_of(release))
    read = pyarrow.csv.read_csv if suffix == "csv" else pyarrow.parquet.read_table
    written = read(tmp_path / f"out.{suffix}")
    assert written["pay"].to_pylist() == ROUNDED
    assert written.schema.field("pay").type == pa.int64(), "numbers stay numbers"
    found = om.evaluate(tmp_path / f"pay.{suffix}", tmp_path / f"out.{suffix}", asked)
    assert found["l_distinct.pay"] == 3
    assert found["alone_if_known.pay"] == pytest.approx(100 * 6 / 8), "the last two have the same now"


def test_what_became_of_it_is_told_and_no_number_of_few_people() -> None:
    release = om.anonymize(TABLE, plan(round=10, top=1000))
    assert (
        "column 'pay': fewer than 4 rows above 1000 became 1000; 6 rows became multiples of 10"
        in release.notes
    )
    assert not any("7300" in note for note in release.notes)
    page = render_report(release)
    assert "released as it is, but rounded to multiples of 10, and 1000 for what is above" in page
    assert "Released as it is but rounded to multiples of 10, and 1000 for what is above: pay." in page


def told(release: Any) -> list[str]:
    found = to_know(Reported(release, release.figures | figures_of(release)))
    return [one for one in found if one.startswith("“pay” (")]


def test_who_signs_is_told_what_became_of_mean_and_spread() -> None:
    pays = [10] * 4 + [20] * 4 + [50] * 3 + [None]
    table = pa.table({"age": [20 + at % 4 for at in range(12)], "pay": pays})
    (said,) = told(om.anonymize(table, plan(k=3, top=40)))
    before, after = ([10] * 4 + [20] * 4 + [top] * 3 for top in (50, 40))
    means, spreads = ([f"{f(some):.3g}" for some in (after, before)] for f in (np.mean, np.std))
    assert said == (
        f"“pay” (40 for what is above): the mean is {means[0]} and was {means[1]}, the standard deviation is "
        f"{spreads[0]} and was {spreads[1]}."
    )
    assert told(om.anonymize(table, plan(k=3, top=60))) == [], "nothing moved"


@pytest.mark.parametrize("coding", [{"top": 40}, {"bottom": 15}, {"round": 20}])
def test_of_few_people_that_were_cut_off_nothing_is_told(coding: dict[str, int]) -> None:
    """The difference of the means would be theirs."""
    few = {"top": [50, 50], "bottom": [0, 0], "round": [21, 59]}[next(iter(coding))]
    table = pa.table({"age": [20] * 12, "pay": [20] * 10 + few})
    assert told(om.anonymize(table, plan(k=3, **coding))) == []
    assert len(told(om.anonymize(table, plan(k=2, **coding)))) == 1


def test_who_was_cut_off_and_who_was_rounded_are_counted_apart() -> None:
    one_is_rounded = pa.table({"age": [20] * 12, "pay": [20] * 8 + [50] * 3 + [21]})
    assert told(om.anonymize(one_is_rounded, plan(k=3, top=40, round=20))) == []
    one_is_the_limit = pa.table({"age": [20] * 12, "pay": [20] + [30] * 11})
    assert len(told(om.anonymize(one_is_the_limit, plan(k=3, bottom=20, top=25)))) == 1, "and stays"


def test_results_say_that_they_count_what_is_written() -> None:
    table = pa.table({"land": ["Italy", "Spain"] * 4, "pay": [1, 2, 3, 4, 5, 6, 7, 30]})
    pay = {"role": "confidential", "kind": "numeric", "top": 10}
    asked = om.Plan.from_options(["land:countries"], k=4).replace(attributes={"pay": pay})
    (one,) = results_of(om.anonymize(table, asked), 4)[0]
    assert one.figure == "Mean of pay (10 for what is above)"
    assert [(row.value, row.before) for row in one.rows] == [("Italy", 4.0), ("Spain", 5.5)]


def test_requirements_look_at_what_is_written() -> None:
    om.anonymize(TABLE, plan().replace(privacy={"k": 4, "l": {"pay": 8}}))
    with pytest.raises(OntomaskError, match="the whole table as one class reaches 7"):
        om.anonymize(TABLE, plan(round=10, top=1000).replace(privacy={"k": 4, "l": {"pay": 8}}))


def test_numbers_are_written_as_the_column_has_them(tmp_path: Path) -> None:
    """What need not change keeps its text to the letter, and other columns do."""
    lines = ["age;pay;ill", '20;"1.010,50 €";flu', "20;980,00 €;flu", "20;;flu", "20;3 €;flu", ""]
    (tmp_path / "pay.csv").write_bytes("\r\n".join(lines).encode())
    asked = plan(k=2, bottom=5, top=1000, decimal=",", thousands=".", unit="€").replace(
        attributes={"ill": {"role": "other"}}, table={"separator": ";"}
    )
    om.anonymize(tmp_path / "pay.csv", asked).write(tmp_path / "out.csv")
    written = (tmp_path / "out.csv").read_bytes().decode().split("\r\n")
    assert written == ["age;pay;ill", "20;1.000 €;flu", "20;980,00 €;flu", "20;;flu", "20;5 €;flu", ""]


def test_other_columns_tell_what_a_comma_is() -> None:
    """As they do where requirements read the column: here 1,234 is little more than one."""
    table = pa.table({"age": ["20,5"] * 4, "pay": ["1,234", "2,345", "3,456", "4,567"]})
    release = om.anonymize(table, plan(top=3).replace(privacy={"k": 4, "l": {"pay": 2}}))
    assert release.to_arrow()["pay"].to_pylist() == ["1,234", "2,345", "3", "3"]


def test_a_limit_in_the_place_of_a_number_becomes_the_end() -> None:
    table = pa.table({"age": [20] * 4, "pay": ["40", ">90", "95", "85"]})
    written = om.anonymize(table, plan(top=90)).to_arrow()["pay"].to_pylist()
    assert written == ["40", "90", "90", "85"]
    with pytest.raises(OntomaskError, match="'>90' is not a number but a limit"):
        om.anonymize(table, plan(top=95))


def test_a_text_among_numbers_is_told() -> None:
    with pytest.raises(OntomaskError, match="column 'pay': 'unknown' is not a number"):
        om.anonymize(pa.table({"age": [20] * 4, "pay": ["1", "2", "3", "unknown"]}), plan(round=5))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"role": "other", "round": 5}, "round: with role: other"),
        ({"kind": "nominal", "round": 5}, "round: only kind: numeric has this, not nominal"),
        ({"round": 0}, "round: must be above 0"),
        ({"top": 5, "bottom": 5}, "bottom: must be below top: 5"),
        ({"top": 5, "round": 2}, "top: must be a multiple of round: 2"),
    ],
)
def test_where_it_cannot_be_it_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        plan(**settings)


def test_masked_numbers_may_be_true_beside_it() -> None:
    """A rounded number is no true one, which nobody asked of a column that is not masked."""
    release = om.anonymize(TABLE, plan(round=10, top=1000).replace(release="truthful"))
    assert release.to_arrow()["pay"].to_pylist() == ROUNDED


@given(
    st.lists(st.integers(-500, 500), min_size=1, max_size=12, unique=True),
    st.sampled_from([None, 1, 5, 20]),
    st.sampled_from([None, -100, 0]),
    st.sampled_from([None, 100, 300]),
)
def test_every_number_is_within_and_a_multiple_and_the_nearest(
    numbers: list[int], step: int | None, low: int | None, high: int | None
) -> None:
    given = {key: one for key, one in (("round", step), ("bottom", low), ("top", high)) if one is not None}
    if not given:
        return
    texts = [str(number) for number in numbers]
    found, _ = coded_texts("pay", texts, np.ones(len(texts), np.int64), plan(**given), UNKNOWN)
    for number in numbers:
        became = float(found[str(number)])
        cut = max(number, low) if low is not None else number
        cut = min(cut, high) if high is not None else cut
        assert became % (step or 1) == 0
        assert abs(became - cut) <= (step or 0) / 2
    assert [*found] == texts
