"""Columns of days: how they are read and written, which unit covers a group, and what that costs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import ontomask as om
from hostile.truth import is_named
from ontomask.attributes import Dates, Tuples, space_of
from ontomask.attributes._kernels import row_from_tuple
from ontomask.columns.further import FurtherColumn
from ontomask.days import FORMS, DayFormat, day_format, fitting_formats, found_format, unit_ends, unit_name
from ontomask.errors import OntomaskError, PlanError
from ontomask.methods import METHODS
from ontomask.tables import open_table

GROUPING = [
    name
    for name, kind in METHODS.items()
    if kind.has_groups and not kind.is_truthful and name != "t-first"  # needs t
]
CLIMBING = [name for name, kind in METHODS.items() if kind.has_hierarchies]


def number(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def plan_of(*, release: str = "truthful", k: int = 2, **more: Any) -> om.Plan:
    column = {"role": "quasi-identifier", "kind": "date", **more.pop("column", {})}
    return om.Plan.from_dict({"attributes": {"day": column}, "release": release, "privacy": {"k": k}} | more)


def released(texts: list[Any], **more: Any) -> list[Any]:
    made: list[Any] = om.anonymize(pa.table({"day": texts}), plan_of(**more)).to_arrow()["day"].to_pylist()
    return made


def days_of(*texts: str) -> Dates:
    days = np.unique([number(text) for text in texts]).astype(np.float64)
    return Dates.of("day", days, np.ones(len(days), np.int64))


# ---------------------------------------------------------------------- units, by hand


@pytest.mark.parametrize(
    ("low", "high", "name", "first", "last"),
    [
        ("2024-03-18", "2024-03-24", "2024-W12", "2024-03-18", "2024-03-24"),
        ("2024-04-29", "2024-05-02", "2024-W18", "2024-04-29", "2024-05-05"),  # over the end of a month
        ("2024-12-30", "2024-12-31", "2025-W01", "2024-12-30", "2025-01-05"),  # of the year of its Thursday
        ("2020-12-31", "2021-01-03", "2020-W53", "2020-12-28", "2021-01-03"),
        ("2024-03-24", "2024-03-25", "2024-03", "2024-03-01", "2024-03-31"),  # Sunday and Monday
        ("2024-02-01", "2024-02-29", "2024-02", "2024-02-01", "2024-02-29"),
        ("2023-02-01", "2023-02-20", "2023-02", "2023-02-01", "2023-02-28"),
        ("2024-01-01", "2024-03-31", "2024-Q1", "2024-01-01", "2024-03-31"),
        ("2024-11-02", "2024-12-31", "2024-Q4", "2024-10-01", "2024-12-31"),
        ("2024-03-31", "2024-04-01", "2024", "2024-01-01", "2024-12-31"),
        ("2023-12-31", "2024-01-01", "2020s", "2020-01-01", "2029-12-31"),  # Sunday and Monday
        ("1999-12-31", "2000-02-01", "1999-2000", "1999-01-01", "2000-12-31"),
        ("1984-05-05", "2003-01-01", "1984-2003", "1984-01-01", "2003-12-31"),
        ("0001-01-01", "0002-05-01", "0000s", "0001-01-01", "0009-12-31"),
        ("9990-01-01", "9999-12-31", "9990s", "9990-01-01", "9999-12-31"),
    ],
)
def test_the_unit_that_holds_two_days(low: str, high: str, name: str, first: str, last: str) -> None:
    wide, found = days_of(low, high).covering(np.array([number(low)], float), np.array([number(high)], float))
    assert wide.ranges[found[0]].tolist() == [number(first), number(last)]
    assert unit_name(number(first), number(last)) == name
    assert unit_ends(name) == (number(first), number(last))


def test_every_month_of_eight_centuries() -> None:
    firsts = [date(year, month, 1).toordinal() for year in range(1601, 2402) for month in range(1, 13)]
    low, high = np.array(firsts[:-1], float), np.array(firsts[1:], float) - 1
    wide, found = days_of("2024-01-01").covering(low, high)
    assert (wide.ranges[found] == np.stack([low, high], axis=1)).all()


def test_the_last_week_of_the_calendar_ends_after_it() -> None:
    monday = number("9999-12-27")
    assert unit_ends("9999-W52") == (monday, monday + 6)
    assert unit_name(monday, monday + 6) == "9999-W52"


@pytest.mark.parametrize(
    "text",
    ["", "24", "2024-", "2024-00", "2024-13", "2023-W53", "2024-Q5", "2024s", "0000", "2003-1984", "٢٠٢٤"],
)
def test_no_names_of_units(text: str) -> None:
    assert unit_ends(text) is None


def test_one_day_stays_itself_and_what_is_no_day_stays_that() -> None:
    days = days_of("2024-03-18", "2025-01-01")
    low = np.array([days.numbers[0], -np.inf, np.nan])
    wide, found = days.covering(low, np.array([days.numbers[0], np.inf, np.nan]))
    assert found.tolist() == [wide.own[0], 0, wide.nothing]
    assert wide.ranges.tolist() == [[-np.inf, np.inf]]


ANY_DAY = st.dates(date(1, 1, 1), date(9999, 12, 25))


@st.composite
def two_days(draw: st.DrawFn) -> tuple[date, date]:
    """Two days, often near each other."""
    low = draw(ANY_DAY)
    after = min(draw(st.sampled_from([1, 3, 6, 20, 80, 300, 3000, 10**5])), (date.max - low).days - 6)
    return low, low + timedelta(draw(st.integers(0, max(after, 0))))


def names_of(day: date) -> list[str]:
    """Of week, month, quarter, year and decade, smallest first."""
    year, week, _ = day.isocalendar()
    own = f"{day.year:04d}"
    quarter = (day.month - 1) // 3 + 1
    return [f"{year:04d}-W{week:02d}", f"{own}-{day.month:02d}", f"{own}-Q{quarter}", own, f"{own[:3]}0s"]


@given(two_days())
@example((date(2000, 2, 29), date(2000, 3, 1)))
@example((date(1900, 2, 28), date(1900, 3, 1)))
def test_a_unit_is_the_first_whose_name_both_days_have(days: tuple[date, date]) -> None:
    low, high = days
    wide, found = days_of("2024-01-01").covering(*(np.array([d.toordinal()], float) for d in days))
    if low == high:
        assert wide.replacements[found[0]] == low.toordinal()
        return
    first, last = wide.ranges[0].astype(int).tolist()
    shared = [one for one in names_of(low) if one in names_of(high)]
    name = shared[0] if shared else f"{low.year:04d}-{high.year:04d}"
    assert unit_name(first, last) == name
    assert unit_ends(name) == (first, last)
    for inside, outside in ((first, first - 1), (last, last + 1)):
        assert inside > date.max.toordinal() or is_named(name, date.fromordinal(inside))
        assert not 1 <= outside <= date.max.toordinal() or not is_named(name, date.fromordinal(outside))


@given(st.lists(two_days(), min_size=2, max_size=4), st.data())
def test_compiled_rows_count_units_as_the_formula_does(
    pairs: list[tuple[date, date]], data: st.DataObject
) -> None:
    """NCP = (last day - first day of the unit) / range of the column, at most 1."""
    days = replace(days_of(*(day.isoformat() for pair in pairs for day in pair)), is_truthful=True)
    each = np.arange(days.size, dtype=np.int32)
    space = space_of(Tuples(each[:, None], np.ones(days.size, np.int64)), [days], with_covers=True)
    at = data.draw(st.integers(0, days.size - 1))
    here = days.numbers[at]
    wide, found = days.covering(np.minimum(days.numbers, here), np.maximum(days.numbers, here))
    row = row_from_tuple(space, at)
    assert row == pytest.approx(wide.generalization(each, found).ncp, abs=1e-9)
    for code, other in enumerate(days.numbers.tolist()):
        first, last = wide.ranges[found[code]] if code != at else (other, other)
        assert row[code] == pytest.approx(min((last - first) / (np.ptp(days.numbers) or 1), 1), abs=1e-9)


# ---------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2024-02-03", "2024-11-25"], "%Y-%m-%d"),
        (["2024-2-3", "2024-11-25"], "%Y-%-m-%-d"),
        (["03/02/2024", "25/11/2024"], "%d/%m/%Y"),
        (["3/2/2024", "25/11/2024"], "%-d/%-m/%Y"),
        (["3/02/2024", "25/11/2024"], "%-d/%m/%Y"),
        (["2/3/2024", "11/25/2024"], "%-m/%-d/%Y"),
        (["03.02.2024", "04.02.2024"], "%d.%m.%Y"),
        (["25-11-2024"], "%d-%m-%Y"),
        (["20240203", "20241125"], "%Y%m%d"),
        (["3 Feb 2024", "25 Nov 2024"], "%-d %b %Y"),
        (["03-FEB-2024", "25-NOV-2024"], "%d-%^b-%Y"),
        (["February 3, 2024", "May 25, 2024"], "%B %-d, %Y"),
        (["2024-02-03 00:00:00"], "%Y-%m-%d 00:00:00"),
    ],
)
def test_one_format_reads_all_texts_and_writes_them_again(texts: list[str], form: str) -> None:
    found = found_format(dict.fromkeys(texts, 1))
    assert str(found) == form
    assert [found.text(found.day_of(text) or 0) for text in texts] == texts
    assert day_format(form) == form  # what a note says can be put in a plan


@given(ANY_DAY, st.sampled_from(FORMS))
def test_a_day_is_read_as_it_was_written(day: date, form: str) -> None:
    for one in DayFormat(form)._spellings():
        assert DayFormat(form).day_of(one.text(day.toordinal())) == day.toordinal()


@given(ANY_DAY, st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%d %B %Y", "%Y%m%d"]))
def test_texts_are_those_of_the_standard_library(day: date, form: str) -> None:
    assume(day.year >= 1000)  # where its texts differ between systems
    assert DayFormat(form).text(day.toordinal()) == day.strftime(form)


def test_two_digits_are_a_year_of_this_century_or_the_last() -> None:
    form = DayFormat("%d/%m/%y")
    assert [form.day_of(f"05/04/{year}") for year in ("68", "69")] == [
        number("2068-04-05"),
        number("1969-04-05"),
    ]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["1/2/2024", "3/4/2024"], "%d/%m/%Y and %m/%d/%Y read all of its dates, such as '1/2/2024'"),
        (["5/5/2024"], 'say which is meant: `format: "%d/%m/%Y"`, or `format: "%m/%d/%Y"`'),
        (["13/2/2024", "hello"], "column 'day': 'hello' is not a date; say how days are written"),
        (
            ["13/2/2024", "2/13/2024", "3/4/2024"],
            "its dates are written in two ways: 4 rows as %d/%m/%Y, 2 as %m/%d/%Y, such as '2/13/2024'",
        ),
        (["2024-02-30"], "'2024-02-30' is not a date"),
        (["10:30"], "'10:30' is not a date; a time of day alone is not one"),
        (["2024-02-03 25:30"], "'2024-02-03 25:30' is not a date"),
        (["2024", "2023"], "is not a date; a date has a day: make years `kind: numeric`"),
        (["2024-03"], "'2024-03' is not a date; a date has a day"),
        (["3/2/24"], "'3/2/24' is not a date"),
    ],
)
def test_texts_that_no_format_or_several_read(texts: list[str], says: str) -> None:
    with pytest.raises(OntomaskError, match=re.escape(says)):
        released([*texts, *texts])
    assert len(fitting_formats(texts)) != 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            {"2024-05-13": 3, "13/05/2024": 2, "13.05.24": 1},
            "its dates are written in three ways: 3 rows as %Y-%m-%d, 2 as %d/%m/%Y, 1 as %d.%m.%y, such as",
        ),
        (
            {"2024-05-13": 3, "2/3/24": 1},
            "written in two ways: 3 rows as %Y-%m-%d, 1 as %d/%m/%y or %m/%d/%y, such as '2/3/24'; "
            "spell them alike, such as %Y-%m-%d",
        ),
        (
            {"2024-05-13": 3, "13/05/2024": 2, "soon": 4},
            "3 rows as %Y-%m-%d, 2 as %d/%m/%Y, 4 as none that is known, such as 'soon'",
        ),
        (
            {"2024-05-13 10:00Z": 3, "2024-05-13 10:00": 4},
            "4 rows as %Y-%m-%d %H:%M, 3 as %Y-%m-%d %H:%M%z",
        ),
        ({"2/3/24": 2}, 'say how days are written, such as `format: "%d/%m/%y"` or `format: "%m/%d/%y"`'),
    ],
)
def test_a_mixture_of_formats_is_told_with_its_rows(rows: dict[str, int], says: str) -> None:
    texts = [text for text, n in rows.items() for _ in range(n)]
    with pytest.raises(OntomaskError, match=re.escape(says)):
        released(texts)


def test_a_mixture_is_told_from_the_format_that_is_given() -> None:
    texts = ["2024-05-13"] * 2 + ["13.05.2024"] * 3
    with pytest.raises(OntomaskError, match=r"two ways: 2 rows as %Y-%m-%d, 3 as %d\.%m\.%Y"):
        released(texts, column={"format": "%Y-%m-%d"})


def test_a_draft_tells_the_mixture() -> None:
    texts = ["2024-05-13"] * 3 + ["13/05/2024"] * 2 + ["14.05.24"]
    told = om.init(pa.table({"admitted": texts})).to_yaml()
    assert "written in three ways: 3 rows as %Y-%m-%d, 2 as %d/%m/%Y, 1 as %d.%m.%y" in " ".join(told.split())


def test_both_readings_are_told() -> None:
    with pytest.raises(OntomaskError) as raised:
        released(["5/5/2024", "1/2/2024"])
    assert raised.value.faults[0].details == (
        "%d/%m/%Y reads it as 2024-02-01",
        "%m/%d/%Y reads it as 2024-01-02",
    )


def test_the_plan_says_which_format_is_meant() -> None:
    texts = ["1/2/2024", "3/2/2024"]
    assert released(texts, release="central", column={"format": "%d/%m/%Y"}) == ["2/2/2024"] * 2
    assert released(texts, release="central", column={"format": "%m/%d/%Y"}) == ["2/1/2024"] * 2
    assert released(texts, column={"format": "%d/%m/%Y"}) == ["2024-W05"] * 2
    assert released(texts, column={"format": "%m/%d/%Y"}) == ["2024-Q1"] * 2
    with pytest.raises(OntomaskError, match=r"'1/2/2024' is not a date as %d\.%m\.%Y writes it"):
        released(["1/2/2024", "1/2/2024"], column={"format": "%d.%m.%Y"})


@pytest.mark.parametrize(
    "form", ["%d/%m", "%Y", "%d/%m/%Y %H", "%d/%d/%Y", "%d/%m/%Y/%y", "%D/%m/%Y", "d/m/Y", "%d%b%m%Y"]
)
def test_a_format_has_a_day_a_month_and_a_year(form: str) -> None:
    with pytest.raises(PlanError, match=r"day\.format: must have a day"):
        plan_of(column={"format": form})


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (["28.12.2000", "21.1.2001"], "9.1.2001"),  # no day tells, but a month has no zero
        (["28.12.2000", "21.01.2001"], "09.01.2001"),
        (["3.12.2000", "7.12.2000"], "5.12.2000"),
        (["13.12.2000", "27.11.2000"], "05.12.2000"),  # nothing tells
    ],
)
def test_what_no_text_tells_is_spelt_like_what_some_tell(texts: list[str], written: str) -> None:
    assert released(texts, release="central", column={"format": "%d.%m.%Y"}) == [written] * 2


def test_the_format_and_other_spellings_are_told() -> None:
    texts = ["3/2/2024", "25/2/2024", "3/2/2024", "04/02/2024", "05/02/2024"]
    notes = om.anonymize(pa.table({"day": texts}), plan_of()).notes
    assert (
        "column 'day': its dates are written as %-d/%-m/%Y, which was found out; 2 rows had them otherwise"
        in notes
    )
    given = om.anonymize(pa.table({"day": texts[:2]}), plan_of(column={"format": "%d/%m/%Y"})).notes
    assert not any("dates" in note for note in given)


# ---------------------------------------------------------------------- offsets from UTC


@pytest.mark.parametrize(
    ("texts", "form", "offset"),
    [
        (["2024-03-01T10:00:00+01:00", "2024-03-04T00:30:00+01:00"], "%Y-%m-%dT%H:%M:%S%z", "+01:00"),
        (["2024-03-01 10:00:00-0330", "2024-03-04 00:30:00-0330"], "%Y-%m-%d %H:%M:%S%z", "-0330"),
        (["2024-03-01 10:00 +01", "2024-03-04 23:30 +01"], "%Y-%m-%d %H:%M%z", " +01"),
        (["2024-03-01T10:00:00Z"], "%Y-%m-%dT%H:%M:%S%z", "Z"),
    ],
)
def test_one_offset_is_read_and_written_again(texts: list[str], form: str, offset: str) -> None:
    found = found_format(dict.fromkeys(texts, 1))
    assert (str(found), found.offset) == (form, offset)
    assert [found.text(found.day_of(text) or 0) for text in texts] == texts
    assert day_format(form) == form


def test_several_offsets_are_moments_on_the_clock_that_most_rows_have() -> None:
    texts = ["2024-03-01T23:30:00+01:00"] * 2 + ["2024-03-02T00:30:00+02:00", "2024-03-01T23:30:00Z"]
    found = found_format(Counter(texts))
    first, same, later = (found.day_of(text) or 0 for text in texts[1:])
    assert found.offset == "+01:00" and first == same == number("2024-03-01") + 23.5 / 24
    assert (later - first) * 24 == pytest.approx(1)
    release = om.anonymize(pa.table({"day": texts}), plan_of(release="central", k=4))
    # the mean of 23:30 three times and of 0:30 an hour later is a quarter of an hour later
    assert release.to_arrow()["day"].to_pylist() == ["2024-03-01T23:45:00+01:00"] * 4
    assert any(
        "fewer than 4 rows had them otherwise" in note and "on the clock of +01:00" in note
        for note in release.notes
    )
    assert released(texts[:3], k=3) == [texts[0]] * 3  # one moment stays itself
    assert released(texts, k=4) == ["2024-W09"] * 4


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)).map(lambda one: one.replace(microsecond=0))
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.lists(st.tuples(MOMENTS, OFFSETS), min_size=2, max_size=6))
def test_offsets_are_those_of_the_standard_library(rows: list[tuple[datetime, timezone]]) -> None:
    moments = [local.replace(tzinfo=zone) for local, zone in rows]
    found = found_format(Counter(one.isoformat() for one in moments))
    days = [found.day_of(one.isoformat()) or 0 for one in moments]
    for one, day in zip(moments, days, strict=True):
        assert datetime.fromisoformat(found.text(day)) == one
        passed = (one - moments[0]).total_seconds()
        assert (day - days[0]) * 86_400 == pytest.approx(passed, abs=0.01)


@pytest.mark.parametrize(
    "text", ["2024-03-01T10:00:00+25:00", "2024-03-01T10:00:00+01:60", "0001-01-01T00:00:00+01:00"]
)
def test_no_offsets_and_moments_before_the_calendar(text: str) -> None:
    assert DayFormat("%Y-%m-%dT%H:%M:%S%z").day_of(text) is None


@pytest.mark.parametrize("form", ["%Y-%m-%d%z", "%Y-%m-%d %H:%M%z%z"])
def test_an_offset_stands_behind_a_time_once(form: str) -> None:
    with pytest.raises(PlanError, match="must have a day"):
        plan_of(column={"format": form})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+02:00"])
def test_times_of_a_zone_keep_their_type(zone: str) -> None:
    moments = [datetime(2024, 3, 1, 10, tzinfo=UTC), datetime(2024, 7, 1, 12, tzinfo=UTC)]
    column = pa.array(moments, pa.timestamp("s", zone))
    made = om.anonymize(pa.table({"day": column}), plan_of(release="central")).to_arrow()["day"]
    assert made.type == column.type
    assert made.to_pylist() == [moments[0] + (moments[1] - moments[0]) / 2] * 2


# ---------------------------------------------------------------------- releases


DAYS = st.dates(date(1998, 12, 25), date(2003, 1, 10)) | st.dates(date(2001, 3, 20), date(2001, 4, 8))
TABLES = st.lists(st.tuples(DAYS | st.none(), st.integers(0, 3)), min_size=4, max_size=14).filter(
    lambda rows: any(day for day, _ in rows)
)
FORMATS = {
    "%Y-%m-%d": date.isoformat,
    "%d.%m.%Y": lambda day: f"{day.day}.{day.month}.{day.year}",
    "%b %d, %Y": lambda day: day.strftime("%b %d, %Y"),
}


def table_of(rows: list[tuple[date | None, int]], form: str = "%Y-%m-%d") -> pa.Table:
    texts = [None if day is None else FORMATS[form](day) for day, _ in rows]
    return pa.table({"day": pa.array(texts, pa.string()), "age": [age for _, age in rows]})


def both(form: str = "%Y-%m-%d", **more: Any) -> om.Plan:
    columns = {
        "day": {"role": "quasi-identifier", "kind": "date", "format": form},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
    }
    return om.Plan.from_dict({"attributes": columns, "privacy": {"k": 2}} | more)


@pytest.mark.parametrize("method", GROUPING)
@settings(max_examples=6)  # and eleven methods
@given(rows=TABLES, form=st.sampled_from([*FORMATS]))
def test_truthful_units_hold_the_day_that_stood_there(
    method: str, rows: list[tuple[date | None, int]], form: str
) -> None:
    table, plan = table_of(rows, form), both(form, release="truthful", method={"name": method})
    release = om.anonymize(table, plan)
    days = [day for day, _ in rows if day]
    costs = []
    for (day, _), before, after in zip(
        rows, table["day"].to_pylist(), release.to_arrow()["day"].to_pylist(), strict=True
    ):
        if after == "*":
            costs.append(1.0)  # for a group in which a day is missing
        elif before == after:
            costs.append(0.0)
        else:
            assert day is not None and is_named(after, day)
            first = last = day
            while is_named(after, first - timedelta(1)):
                first -= timedelta(1)
            while is_named(after, last + timedelta(1)):
                last += timedelta(1)
            costs.append(min((last - first).days / ((max(days) - min(days)).days or 1), 1.0))
    ages = [str(age).split("-") for age in release.to_arrow()["age"].to_pylist()]
    width = np.ptp([age for _, age in rows]) or 1
    costs += [(int(ends[-1]) - int(ends[0])) / width for ends in ages]
    figures = om.evaluate(table, release.to_arrow(), plan)
    assert figures["ncp"] == pytest.approx(np.mean(costs))
    assert {name: figures[name] for name in release.figures} == release.figures


@pytest.mark.parametrize("method", GROUPING)
@settings(max_examples=6)  # and eleven methods
@given(rows=TABLES, form=st.sampled_from([*FORMATS]))
@example(
    rows=[(date(2000, 1, 1), 0), (None, 0), (date(2000, 1, 1), 1), (date(2000, 1, 2), 0)], form="%Y-%m-%d"
)
def test_central_days_are_among_those_of_their_group(
    method: str, rows: list[tuple[date | None, int]], form: str
) -> None:
    table, plan = table_of(rows, form), both(form, method={"name": method})
    release = om.anonymize(table, plan)
    written = release.to_arrow()
    members = defaultdict(list)
    for (day, _), *cells in zip(rows, *(column.to_pylist() for column in written.columns), strict=True):
        members[tuple(cells)].append(day)
    for (text, _), group in members.items():
        known = [day.toordinal() for day in group if day]
        if text is not None and known:
            found = DayFormat(form).day_of(text)
            assert found and FORMATS[form](date.fromordinal(int(found))) == text
            if method in ("resampling", "recoding"):  # they deal values to others
                known = [day.toordinal() for day, _ in rows if day]
            assert min(known) <= found <= max(known)
    figures = om.evaluate(table, written, plan)
    assert {name: figures[name] for name in release.figures} == release.figures


@settings(max_examples=25)
@given(rows=TABLES)
def test_the_format_decides_nothing(rows: list[tuple[date | None, int]]) -> None:
    texts = {
        form: om.anonymize(table_of(rows, form), both(form, release="truthful")).to_arrow()["day"].to_pylist()
        for form in FORMATS
    }
    first = texts["%Y-%m-%d"]
    for form, others in texts.items():
        of_day = {FORMATS[form](day): day.isoformat() for day, _ in rows if day}
        assert [of_day.get(text, text) for text in others] == first


@settings(max_examples=25)
@given(rows=TABLES, limit=st.sampled_from([0.01, 0.1, 0.5]))
def test_a_limit_is_one_of_the_unit_that_is_written(
    rows: list[tuple[date | None, int]], limit: float
) -> None:
    table = table_of(rows)
    plan = both(release="truthful", privacy={"k": 2, "suppress": "60%"}, method={"blank": True})
    plan = plan.replace(attributes={"day": {"max_loss": limit}})
    try:
        after = om.anonymize(table, plan).to_arrow()["day"].to_pylist()
    except OntomaskError:
        return
    days = [day.toordinal() for day, _ in rows if day]
    for text in after:
        if text is not None and (ends := unit_ends(text)):
            assert (ends[1] - ends[0]) / (max(days) - min(days) or 1) <= limit + 1e-9


# ---------------------------------------------------------------------- times

MOMENTS = st.datetimes(datetime(2023, 12, 30), datetime(2024, 1, 2)) | st.datetimes(
    datetime(2023, 11, 5, 8), datetime(2023, 11, 5, 20)
)
CLOCKS = {"%d/%m/%Y %H:%M:%S": 86_400, "%Y-%m-%dT%H:%M": 1_440, "%b %d, %Y %I:%M %p": 1_440}


@pytest.mark.parametrize("form", [*CLOCKS])
@given(moments=st.lists(MOMENTS, min_size=1, max_size=6))
def test_times_are_written_as_they_were_read(form: str, moments: list[datetime]) -> None:
    texts = [moment.strftime(form) for moment in moments]
    (found,) = [one for one in fitting_formats(texts) if one.form == form]
    assert found.per_day == CLOCKS[form] and day_format(form) == form
    numbers = [found.day_of(text) or 0 for text in texts]
    assert [found.text(x) for x in numbers] == texts
    for x, moment in zip(numbers, moments, strict=True):
        over = moment.hour * 3600 + moment.minute * 60 + moment.second * (found.per_day == 86_400)
        assert x == pytest.approx(moment.toordinal() + over / 86_400, abs=1e-9)
        rounded = Dates("day", 1.0, -1, np.array([x]), 1.0, per_day=found.per_day).rounded(np.array([x]))
        assert rounded.tolist() == [x]


@pytest.mark.parametrize("release", ["truthful", "central"])
@settings(max_examples=25)
@given(moments=st.lists(MOMENTS, min_size=4, max_size=10), form=st.sampled_from([*CLOCKS]))
def test_times_are_released_as_units_or_as_times_between(
    release: str, moments: list[datetime], form: str
) -> None:
    texts = [moment.strftime(form) for moment in moments]
    table = pa.table({"day": texts})
    plan = plan_of(release=release, column={"format": form})
    made = om.anonymize(table, plan)
    read, after = DayFormat(form), made.to_arrow()["day"].to_pylist()
    known = [read.day_of(text) or 0 for text in texts]
    assert min(Counter(after).values()) >= 2
    for moment, before, text in zip(moments, texts, after, strict=True):
        if release == "truthful":
            assert text == before or is_named(text, moment.date()) or text == moment.date().isoformat()
        else:
            assert min(known) <= (read.day_of(text) or 0) <= max(known)
    figures = om.evaluate(table, made.to_arrow(), plan)
    assert {name: figures[name] for name in made.figures} == made.figures


def test_times_of_a_zone_in_parquet(tmp_path: Path) -> None:
    moments = [datetime(2024, 3, 5, hour, tzinfo=UTC) for hour in (8, 20)]
    pq.write_table(pa.table({"day": pa.array(moments, pa.timestamp("us", tz="UTC"))}), tmp_path / "t.parquet")
    made = om.anonymize(tmp_path / "t.parquet", plan_of(release="central")).to_arrow()["day"]
    assert made.to_pylist() == [datetime(2024, 3, 5, 14, tzinfo=UTC)] * 2


def test_times_of_a_day_are_covered_by_it() -> None:
    day, half = "2024-03-05", ["2024-03-05 08:00", "2024-03-05 20:00"]
    assert released(half) == [day, day]
    assert released(half, release="central") == ["2024-03-05 14:00"] * 2
    assert released([*half, "2024-03-06 00:00"], k=3) == ["2024-W10"] * 3
    assert released([*half, "2024-04-30 23:59"], k=3) == ["2024"] * 3
    climbed = released(half, method={"name": "datafly"})
    assert climbed == [day, day]


def test_a_day_costs_its_length() -> None:
    """8:00 and 20:00 of a day in a column of two days: 1439/1440 of a day over 2 days."""
    first = number("2024-03-05")
    times = Dates.of(
        "day", np.array([first + 8 / 24, first + 20 / 24, first + 56 / 24]), np.ones(3, np.int64)
    )
    times = replace(times, is_truthful=True, per_day=1_440)
    wider, found = times.covering(times.numbers[:1], times.numbers[1:2])
    assert wider.ranges.tolist() == [[first, (first * 1440 + 1439) / 1440]]
    assert wider.generalization(np.array([0]), found)[0] == pytest.approx([1439 / 1440 / 2])
    tuples = Tuples(np.arange(3, dtype=np.int32)[:, None], np.ones(3, np.int64))
    row = row_from_tuple(space_of(tuples, [times], with_covers=True), 0)
    assert row.tolist() == pytest.approx([0, 1439 / 1440 / 2, 1])


def test_kept_days_stay() -> None:
    texts = ["2024-01-01", "2024-01-01", "2024-01-02", "2024-01-02"]
    assert released(texts, column={"keep": True}) == texts


@pytest.mark.parametrize("method", CLIMBING)
def test_generalising_methods_climb_the_calendar(method: str) -> None:
    texts = ["05/02/2024", "06/02/2024", "17/08/2024", "30/09/2024"]
    winter = "2024-02" if method == "best-first" else "2024-Q1"  # or all at one level
    assert released(texts, method={"name": method}) == [winter, winter, "2024-Q3", "2024-Q3"]
    # All are of one year: top-down stays at the root, unless labels may tell no more than it does.
    asked = {"name": method} | ({"needs_gain": False} if method == "top-down" else {})
    found = released(texts, method=asked, column={"hierarchy": {"levels": 2}})
    assert found == ["2024"] * 4


def test_a_grouping_method_takes_the_hierarchy_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "days.csv").write_text("2024-02-05;winter;*\n2024-02-09;winter;*\n2024-07-01;summer;*\n")
    column = {"role": "quasi-identifier", "kind": "date", "hierarchy": "days.csv"}
    settings = {"attributes": {"day": column}, "privacy": {"k": 2}, "release": "truthful"}
    table = pa.table({"day": ["2024-02-05", "2024-02-09", "2024-07-01", "2024-07-01"]})
    made = om.anonymize(table, om.Plan.from_dict(settings, folder=tmp_path)).to_arrow()["day"].to_pylist()
    assert made == ["winter", "winter", "2024-07-01", "2024-07-01"]


@pytest.mark.parametrize("key", ["top", "bottom", "round"])
def test_days_are_not_cut_off(key: str) -> None:
    with pytest.raises(PlanError, match=f"{key}: only kind: numeric has this, not date"):
        plan_of(column={key: 5})
    with pytest.raises(PlanError, match="by width is for kind: numeric, not date"):
        plan_of(column={"hierarchy": {"by": "width"}})
    with pytest.raises(PlanError, match="format: only kind: date has this, not numeric"):
        plan_of(column={"kind": "numeric", "format": "%d/%m/%Y"})


def test_a_mean_that_means_no_value_gives_way() -> None:
    texts = ["2024-01-01", "2024-01-03", "2024-01-01", "2024-01-03"]
    assert released(texts, release="central", k=4) == ["2024-01-02"] * 4
    marked = {"na_values": ["", "2024-01-02"]}
    assert released(texts, release="central", k=4, table=marked) == ["2024-01-01"] * 4
    with pytest.raises(OntomaskError, match="'2/1/2024' would be written in a way that means no value"):
        released(
            ["2/1/2024", "13/01/2024", "14/01/2024"],
            table={"na_values": ["02/01/2024"]},
            column={"format": "%d/%m/%Y"},
        )


def test_names_of_units_that_mean_something_else_are_in_brackets() -> None:
    texts = ["1212-05", "1212-25"]  # of December 2012; and 2012-12 would be a day of 2020
    plan = plan_of(column={"format": "%y%m-%d"})
    release = om.anonymize(pa.table({"day": texts}), plan)
    assert release.to_arrow()["day"].to_pylist() == ["(2012-12)"] * 2
    assert om.evaluate(pa.table({"day": texts}), release.to_arrow(), plan)["ncp"] == 1
    assert released(["2024-05-06", "2024-05-08"], table={"na_values": ["2024-W19"]}) == ["(2024-W19)"] * 2


def test_a_masked_table_with_other_words_is_refused() -> None:
    table = pa.table({"day": ["2024-05-06", "2024-05-08"]})
    with pytest.raises(OntomaskError, match="'spring' of the masked table is neither a date"):
        om.evaluate(table, pa.table({"day": ["spring", "spring"]}), plan_of())
    # Central: a week is its Thursday.
    found = om.evaluate(table, pa.table({"day": ["2024-W19"] * 2}), plan_of(release="central"))
    assert found["ncp"] == pytest.approx((1.0 + 0.5) / 2)  # (9 - 6) / 2, at most 1; (9 - 8) / 2


# ---------------------------------------------------------------------- typed columns, confidential columns

FOUR = [date(2024, 2, 5), date(2024, 2, 9), date(2024, 7, 1), date(2024, 7, 3)]


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("us"), pa.timestamp("ns")])
def test_typed_days_keep_their_type_and_units_are_text(kind: pa.DataType) -> None:
    table = pa.table({"day": pa.array(FOUR, pa.date32()).cast(kind)})
    central = om.anonymize(table, plan_of(release="central")).to_arrow()["day"]
    assert central.type == kind
    assert central.cast(pa.date32()).to_pylist() == [date(2024, 2, 7)] * 2 + [date(2024, 7, 2)] * 2
    units = om.anonymize(table, plan_of()).to_arrow()["day"]
    assert units.to_pylist() == ["2024-W06"] * 2 + ["2024-W27"] * 2


@pytest.mark.parametrize("suffix", ["parquet", "xlsx", "duckdb"])
def test_days_of_files(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"in.{suffix}"
    pq.write_table(pa.table({"day": pa.array(FOUR, pa.date32())}), tmp_path / "in.parquet")
    if suffix != "parquet":
        om.anonymize(tmp_path / "in.parquet", plan_of(k=1, release="central")).write(source)
    for release, after in (("central", ["2024-02-07", "2024-07-02"]), ("truthful", ["2024-W06", "2024-W27"])):
        om.anonymize(source, plan_of(release=release)).write(tmp_path / f"{release}.csv")
        texts = (tmp_path / f"{release}.csv").read_text().split()[1:]
        assert sorted(text[:10].strip('"') for text in texts) == [after[0]] * 2 + [after[1]] * 2


def test_a_confidential_column_of_days_is_ordered() -> None:
    texts = ["25/1/2024", "3/2/2024", "9/12/2023", "03/02/2024"]
    column = {"role": "confidential", "kind": "date"}
    plan = om.Plan.from_dict(
        {"attributes": {"day": column, "age": {"role": "quasi-identifier", "kind": "numeric"}}}
    )
    table = open_table(pa.table({"day": texts, "age": [1, 2, 3, 4]}))
    found = FurtherColumn.of("day", *table.distinct("day"), plan)
    assert (found.domain.is_ordered, found.domain.size) == (True, 3)
    assert [found.code_of[text] for text in texts] == [1, 2, 0, 2]
