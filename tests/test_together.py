"""Columns that say the same: what is written in those that follow a masked one, what is found and told."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.attributes import Numeric
from ontomask.errors import OntomaskError, PlanError
from ontomask.pipeline import prepare
from ontomask.tables import open_table
from ontomask.tables.determining import Determination, _Column, _Values, determinations, surprise

AGE: dict[str, Any] = {"role": "quasi-identifier", "kind": "numeric"}


def plan_of(method: str = "sa-mdav", k: int = 2, follower: str = "other", **age: Any) -> om.Plan:
    return om.Plan.from_dict(
        {
            "attributes": {"age": AGE | age, "group": {"role": follower}},
            "privacy": {"k": k},
            "method": {"name": method},
            "together": ["age", "group"],
        }
    )


def decade(age: float) -> str:
    return f"{int(age) // 10 * 10}s"


def table_of(ages: list[Any], groups: list[Any] | None = None) -> pa.Table:
    return pa.table(
        {"age": ages, "group": [age and decade(age) for age in ages] if groups is None else groups}
    )


def rows_of(release: om.Release) -> list[tuple[Any, Any]]:
    table = release.to_arrow()
    return list(zip(table["age"].to_pylist(), table["group"].to_pylist(), strict=True))


# ---------------------------------------------------------------------- followed


def test_a_follower_says_what_the_key_became() -> None:
    #  33 is the mean of 31 and 35; 44 of 39 and 49, of whom nobody is 44 and who are of two decades
    release = om.anonymize(table_of([31, 35, 39, 49, 70, 70]), plan_of())
    assert rows_of(release) == [(33, "30s")] * 2 + [(44, None)] * 2 + [(70, "70s")] * 2
    assert "column 'group' follows 'age': 4 of 6 rows have a value, the others are empty" in release.notes
    assert "column 'group' follows 'age': 4 of 6 rows have a value, the others are empty" in str(
        release.manifest
    )


def test_a_released_value_that_people_have_says_what_it_says_of_them() -> None:
    #  40 is the mean of 39 and 41, and the age of others: whoever is 40 is of the forties
    release = om.anonymize(table_of([39, 41, 40, 40, 80, 80, 80, 80]), plan_of(k=4))
    assert {group for age, group in rows_of(release) if age == 40} == {"40s"}


def test_of_a_node_all_values_below_must_agree(tmp_path: Path) -> None:
    tree = tmp_path / "age.csv"
    tree.write_text("31;thirty to 39;*\n35;thirty to 39;*\n48;40 to 59;*\n52;40 to 59;*\n")
    plan = plan_of("datafly", hierarchy=str(tree))
    release = om.anonymize(table_of([31, 35, 48, 52]), plan)
    assert rows_of(release) == [("thirty to 39", "30s")] * 2 + [("40 to 59", None)] * 2


def test_what_was_cut_off_counts_where_the_limit_is_written() -> None:
    release = om.anonymize(table_of([40, 40, 60, 60, 85, 85]), plan_of(top=60))
    assert rows_of(release) == [(40, "40s")] * 2 + [(60, None)] * 4


def test_an_identifier_that_is_named_there_is_dropped() -> None:
    assert om.anonymize(table_of([31, 35, 70, 70]), plan_of(follower="identifier")).names == ("age",)


def test_what_may_be_missing_tells_nothing() -> None:
    release = om.anonymize(table_of([None, None, None, 20]), plan_of("datafly"))
    assert rows_of(release) == [("*", None)] * 4


def test_replacements_that_are_written_alike_are_one() -> None:
    prepared = prepare(table_of([31, 35, 44, 45]), plan_of())
    (follower,) = prepared.followers
    attribute = prepared.columns[0].attribute
    assert isinstance(attribute, Numeric)
    attribute = attribute.including(np.array([38.2, 38.4]))
    became = attribute.replacement_of(np.array([38.2, 38.4]))
    texts = follower.texts(attribute, np.array([0, 3], np.int32), became)
    assert [prepared.columns[0].texts(attribute)[r] for r in became] == ["38", "38"]
    assert [texts[r] for r in became] == [None, None]


def test_a_blanked_key_tells_nothing() -> None:
    plan = plan_of("suppression").replace(method={"name": "suppression", "blank": True})
    assert rows_of(om.anonymize(table_of([31, 31, 70, 72]), plan))[2:] == [(None, None)] * 2


@pytest.mark.parametrize("kind", ["csv", "parquet", "folder"])
def test_every_engine_writes_the_same(kind: str, tmp_path: Path) -> None:
    table = table_of([31, 35, 39, 49, 70, 70])
    source = tmp_path / ("people" if kind == "folder" else f"people.{kind}")
    if kind == "csv":
        source.write_text(
            "age,group\n" + "".join(f"{a},{g}\n" for a, g in zip(*table.to_pydict().values(), strict=True))
        )
    elif kind == "folder":
        source.mkdir()
        pq.write_table(table, source / "part.parquet")
    else:
        pq.write_table(table, source)
    target = tmp_path / "release.parquet"
    om.anonymize(source, plan_of()).write(target)
    written = pq.read_table(target)
    found = sorted(
        (str(age), group or "")
        for age, group in zip(written["age"].to_pylist(), written["group"].to_pylist(), strict=True)
    )
    assert found == [("33", "30s")] * 2 + [("44", "")] * 2 + [("70", "70s")] * 2


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.none() | st.integers(20, 80), min_size=4, max_size=30).filter(any),
    st.sampled_from(["sa-mdav", "mdav", "recoding", "datafly", "suppression"]),
    st.sampled_from([{}, {"top": 60}, {"round": 5}]),
)
def test_a_follower_never_tells_more_than_its_key(
    ages: list[Any], method: str, limits: dict[str, Any]
) -> None:
    table = table_of(ages)
    try:
        release = om.anonymize(table, plan_of(method, **limits))
    except OntomaskError as error:
        assert "suppress" in str(error) or (method == "datafly" and limits)  # cut off, it would not be true
        return
    beside: dict[Any, set[Any]] = {}
    for age, group in rows_of(release):
        beside.setdefault(age, set()).add(group)
    assert all(len(groups) == 1 for groups in beside.values())
    assert beside.get(None, {None}) == {None}
    assert {group for groups in beside.values() for group in groups} <= {None, *table["group"].to_pylist()}
    if method in ("datafly", "suppression") and not limits and release.data.n_rows == len(ages):
        #  what is true of the key is true of what follows it
        for group, (_, told) in zip(table["group"].to_pylist(), rows_of(release), strict=True):
            assert told in (None, group)


# ---------------------------------------------------------------------- refused


def test_a_column_that_the_key_does_not_determine_is_refused() -> None:
    with pytest.raises(OntomaskError) as caught:
        om.anonymize(table_of([31, 31, 70, 70], ["30s", "forties", "70s", "70s"]), plan_of())
    said = str(caught.value)
    assert "'31' stands there beside different values" in said
    assert "group" in said


def test_a_missing_value_contradicts_nothing() -> None:
    table = table_of([31, 31, None, None, 70, 70], ["30s", None, "20s", "40s", "70s", "70s"])
    assert rows_of(om.anonymize(table, plan_of())) == [
        (31, "30s"),
        (31, "30s"),
        (None, None),
        (None, None),
        (70, "70s"),
        (70, "70s"),
    ]


@pytest.mark.parametrize(
    ("together", "roles", "said"),
    [
        (["age"], {}, "'age' stands alone"),
        (
            ["age", "group"],
            {"age": "confidential"},
            "'age' is followed by others, so it must have role: quasi",
        ),
        (
            ["age", "group"],
            {"group": "quasi-identifier"},
            "'group' follows 'age': role: other, or role: ident",
        ),
        ([["age", "group"], ["age", "sex"]], {"sex": "other"}, "'age' stands there twice"),
        (["age", "height"], {}, "'height' has no role"),
        ("age", {}, "must be a list"),
        ([["age", "group"], "sex"], {}, "must be a list"),
    ],
)
def test_what_cannot_go_together_is_refused(together: Any, roles: dict[str, str], said: str) -> None:
    named = {"age": "quasi-identifier", "group": "other"} | roles
    with pytest.raises(PlanError, match=said):
        om.Plan.from_dict({"attributes": {n: {"role": r} for n, r in named.items()}, "together": together})


def test_a_plan_is_read_back_as_it_is_written() -> None:
    plan = plan_of()
    assert om.Plan.from_yaml(plan.to_yaml()) == plan
    assert plan.together == (("age", "group"),)
    assert plan.replace(together=[["age", "group"]]) == plan


# ---------------------------------------------------------------------- found and told


def people(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(5)
    ages = rng.integers(20, 80, n).tolist()
    return pa.table(
        {
            "age": ages,
            "age_band": [f"{age // 20 * 20}-{age // 20 * 20 + 19}" for age in ages],
            "sex": rng.choice(["m", "f"], n).tolist(),
            "born": [2020 - age for age in ages],
        }
    )


def test_what_determines_what() -> None:
    found = determinations(open_table(people()), ["age", "age_band", "sex", "born"])
    assert found == [
        Determination("age", "age_band"),
        Determination("age", "born"),
        Determination("born", "age"),
        Determination("born", "age_band"),
    ]


def test_chance_is_no_determination() -> None:
    few = people(8)
    assert determinations(open_table(few), few.column_names) == []
    unique = pa.table({"id": [*range(100)], "sex": ["m", "f"] * 50})
    assert determinations(open_table(unique), ["id", "sex"]) == []
    lopsided = pa.table({"ward": ["a", "b"] * 20 + ["c"], "died": ["no"] * 40 + ["yes"]})
    assert determinations(open_table(lopsided), ["ward", "died"]) == []


def test_rows_that_repeat_a_value_are_what_counts() -> None:
    def found(n_values: int, n: int) -> list[Determination]:
        wards = [i % n_values for i in range(n)]
        table = pa.table({"ward": wards, "wing": [ward % 2 for ward in wards]})
        return determinations(open_table(table), ["ward", "wing"])

    assert found(15, 30) == []  # 2^-15: one table in 33,000
    assert found(15, 45) == [Determination("ward", "wing")]
    assert found(60, 72) == []  # nearly a key, 2^-12
    assert found(60, 100) == [Determination("ward", "wing")]  # 2^-40


def column_of(texts: list[str | None]) -> _Column:
    values = sorted({text for text in texts if text is not None})
    codes = [len(values) if text is None else values.index(text) for text in texts]
    return _Column(_Values(values), np.array(codes, np.int32), np.ones(len(texts), np.int64))


@pytest.mark.parametrize(
    ("by", "of", "probability"),
    [
        # three rows repeat what stood beside their value, each with a chance of 2/6 at most
        ("b a c a b c", "x y z y x z", (2 / 6) ** 3),  # and y x z in the order of a b c tell nothing
        ("b d a c a b", "x x y y y x", (3 / 6) ** 2),  # y x y x in the order of a b c d
        # four different numbers: two of the 4!/(2! 2!) orders have both values in one run
        ("9 10 80 7", "low low high low", 2 / (math.factorial(4) / math.factorial(3))),
        ("9 10 80 7", "low high high low", 2 / (math.factorial(4) / (2 * 2))),
        ("1 2 3 4", "low high low high", 1.0),
        # of six days three pairs of years that are sorted too: 2 of 6!/(2! 2! 2!) instead of 3!
        ("1/2/1950 3/1/1950 1/9/1961 2/2/1961 5/1/1972 6/30/1972", "50 50 61 61 72 72", 2 / 90),
        ("1/2/1950 3/1/1950 1/9/1961 2/2/1961 5/1/1972 6/30/1972", "p p o o q q", 6 / 90),
        ("a a b", "x y x", 1.0),  # refuted
        ("a a b - b", "x x - y y", 2 / 3),  # a a b are left
    ],
)
def test_how_little_chance_explains(by: str, of: str, probability: float) -> None:
    rows = [[None if text == "-" else text for text in column.split()] for column in (by, of)]
    found = surprise(*map(column_of, rows))
    assert np.exp(-found) == pytest.approx(probability)


def followed(n: int, **columns: Any) -> list[tuple[str, str]]:
    table = pa.table({name: [*made(n)] for name, made in columns.items()})
    return [*map(tuple, determinations(open_table(table), table.column_names))]


def test_few_rows_and_values_that_are_nearly_all_different() -> None:
    def days(n: int) -> list[date]:
        ordinals = np.random.default_rng(3).integers(712_000, 734_000, n)
        return [date.fromordinal(one) for one in ordinals.tolist()]

    def pay(n: int) -> list[int]:
        return np.random.default_rng(4).integers(18_000, 95_000, n).tolist()

    def bands(n: int) -> list[str]:
        return ["low" if one < 30_000 else "mid" if one < 60_000 else "top" for one in pay(n)]

    def years(n: int) -> list[int]:
        return [day.year for day in days(n)]

    found = [("born", "year"), ("pay", "band")]
    assert followed(500, born=days, year=years, pay=pay, band=bands) == found
    assert followed(60, born=days, year=years, pay=pay, band=bands) == found
    assert followed(20, pay=pay, band=bands) == [("pay", "band")]
    assert followed(6, pay=pay, band=bands) == []
    as_written = {"born": lambda n: [f"{day:%d.%m.%Y}" for day in days(n)], "year": years}
    assert followed(500, **as_written) == [("born", "year")]
    euros = {"pay": lambda n: [f"{one / 100:.2f}".replace(".", ",") for one in pay(n)], "band": bands}
    assert followed(100, **euros) == [("pay", "band")]


@pytest.mark.parametrize("n", [30, 100, 300])
def test_columns_that_go_together_mostly_are_not_taken_for_determined(
    n: int, data: Callable[[str], Path]
) -> None:
    adult = open_table(data("adult/adult.csv")).released().to_arrow()
    for seed in range(5):
        rows = np.sort(np.random.default_rng(seed).choice(adult.num_rows, n, replace=False))
        part = adult.take(pa.array(rows))
        assert determinations(open_table(part), part.column_names) == []


@pytest.mark.parametrize("name", ["patients.csv", "survey.csv"])
def test_the_samples_have_no_such_columns(name: str) -> None:
    table = open_table(datasets.path(name))
    assert determinations(table, table.names) == []


def test_a_missing_value_is_no_contradiction() -> None:
    table = people().to_pydict()
    table["age_band"][7] = table["age"][9] = None
    found = determinations(open_table(pa.table(table)), ["age", "age_band"])
    assert found == [Determination("age", "age_band")]


def test_one_contradicting_row_is_enough() -> None:
    table = people().to_pydict()
    table["age_band"][7] = "0-19"
    found = determinations(open_table(pa.table(table)), ["age", "age_band"])
    assert found == []


def test_init_drafts_what_goes_together_and_the_draft_runs() -> None:
    table = people().drop_columns(["born"])
    profile = om.init(table)
    assert profile.together == (("age", "age_band"),)
    assert profile["age_band"].role == "other"
    text = profile.to_yaml()
    assert "\ntogether: [[age, age_band]]   # the first is masked" in text
    plan = om.Plan.from_yaml(text)
    assert plan.followers == {"age_band": "age"}
    release = om.anonymize(table, plan)
    assert set(release.to_arrow()["age_band"].to_pylist()) <= {None, *table["age_band"].to_pylist()}


def test_what_follows_from_an_undecided_column_is_told_beside_it() -> None:
    days = [date(1950 + i % 50, 1 + i % 12, 1 + i % 28) for i in range(300)]
    table = pa.table(
        {"birth_date": days, "birth_year": [day.year for day in days], "city": ["x", "x", "y"] * 100}
    )
    profile = om.init(table)
    assert profile.together == ()  # who drops the date must not find the year released as it is
    assert profile["birth_year"].role == "quasi-identifier"
    text = " ".join(profile.to_yaml().replace("# ", "").split())
    line = (
        "`together: [birth_date, birth_year]` at the top of the plan, beside `attributes`, with `role: "
        "other` for what follows"
    )
    assert f"It determines birth_year: where it is masked, write {line}" in text
    advised = {"birth_date": {"role": "quasi-identifier", "kind": "date"}, "birth_year": {"role": "other"}}
    settings = {"attributes": advised | {"city": {"role": "other"}}, "together": ["birth_date", "birth_year"]}
    released = om.anonymize(table, om.Plan.from_dict(settings | {"privacy": {"k": 3}})).to_arrow()
    assert set(zip(*released.select(["birth_date", "birth_year"]).to_pydict().values(), strict=True)) != set(
        zip(days, table["birth_year"].to_pylist(), strict=True)
    )


def test_the_column_with_most_values_is_the_key() -> None:
    table = people().select(["age_band", "age"])
    old = ["old" if age >= 60 else "young" for age in table["age"].to_pylist()]
    profile = om.init(table.append_column("stage", pa.array(old)))
    assert profile.together == (("age", "age_band", "stage"),)


def test_what_a_person_decides_is_not_drafted_otherwise() -> None:
    profile = om.init(people().drop_columns(["born"])).decide({"age_band": "quasi-identifier"})
    assert profile.plan().together is None


def test_what_followed_from_a_column_that_is_dropped_is_asked_about() -> None:
    profile = om.init(people().drop_columns(["born"]))
    assert profile["age_band"].sure and profile.settings()["together"] == [["age", "age_band"]]
    dropped = profile.decide({"age": "identifier"})
    assert dropped["age_band"].written_role == "undecided" and "together" not in dropped.settings()
    assert profile.decide({"age": "quasi-identifier"})["age_band"].sure


def warned(roles: dict[str, Any], **settings: Any) -> dict[str, str]:
    plan = om.Plan.from_dict({"attributes": {"sex": {"role": "other"}} | roles} | settings)
    table = people().select([*plan.attributes])
    texts = [
        (w.text, w.level) for w in om.warnings_of(om.anonymize(table, plan)) if "which is masked" in w.text
    ]
    return {text.split("”")[0].removeprefix("Column “"): level for text, level in texts}


def test_a_year_beside_masked_days_is_warned_of_though_hardly_a_day_repeats() -> None:
    ordinals = np.random.default_rng(3).integers(712_000, 734_000, 120).tolist()
    days = [date.fromordinal(one) for one in ordinals]
    table = pa.table({"born": days, "year": [day.year for day in days]})
    roles = {"born": {"role": "quasi-identifier", "kind": "date"}, "year": {"role": "other"}}
    release = om.anonymize(table, om.Plan.from_dict({"attributes": roles}))
    assert "follows from “born”, which is masked" in " ".join(one.text for one in om.warnings_of(release))


def test_columns_that_undo_a_masking_are_warned_of() -> None:
    assert warned({"age": AGE, "born": {"role": "other"}}) == {"born": "serious"}
    assert warned({"age": AGE, "age_band": {"role": "confidential"}}) == {"age_band": "warning"}
    assert warned({"age": AGE, "age_band": {"role": "other"}}, together=["age", "age_band"]) == {}
    assert warned({"age": AGE}) == {}
