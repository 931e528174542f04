"""Top and bottom coding, rounding, whole numbers: what is done to numbers before grouping."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.attributes.numeric import nearest_multiples
from ontomask.columns import coded_tuples
from ontomask.errors import OntomaskError, PlanError
from ontomask.pipeline import prepare

LIMITS: tuple[dict[str, float], ...] = (
    {"top": 60},
    {"bottom": 20},
    {"round": 5},
    {"top": 60, "bottom": 20},
    {"top": 60, "bottom": 20, "round": 10},
    {"top": 40.5, "round": 0.5},
    {"round": 0.01},
    {"round": 200},
)
WHOLE = st.integers(-5, 105).map(str)
DECIMAL = st.integers(0, 1000).map(lambda x: f"{x / 10}")


def plan_of(
    limits: dict[str, float], *, k: int = 2, method: dict[str, Any] | None = None, **others: Any
) -> om.Plan:
    column = {"role": "quasi-identifier", "kind": "numeric", **limits}
    return om.Plan.from_dict(
        {
            "attributes": {"age": column, **others},
            "privacy": {"k": k},
            "method": {"name": "sa-mdav", "scale": "range"} | (method or {}),
        }
    )


def release_of(ages: list[str | None], limits: dict[str, float], **asked: Any) -> om.Release:
    return om.anonymize(pa.table({"age": pa.array(ages, pa.string())}), plan_of(limits, **asked))


def ages_of(release: om.Release) -> list[str | None]:
    found: list[str | None] = release.to_arrow().column("age").to_pylist()
    return found


# ---------------------------------------------------------------------- what is released


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(st.lists(st.none() | WHOLE, min_size=4), st.lists(st.none() | DECIMAL, min_size=4)),
    st.sampled_from(LIMITS),
    st.sampled_from(["sa-mdav", "mdav", "recoding", "resampling"]),
    st.integers(2, 3),
)
def test_every_number_is_between_the_limits_and_a_multiple(
    ages: list[str | None], limits: dict[str, float], method: str, k: int
) -> None:
    if not any(ages):
        return
    release = release_of(ages, limits, k=k, method={"name": method})
    for text in filter(None, ages_of(release)):
        number = Fraction(text)
        assert limits.get("bottom", -1000) <= number <= limits.get("top", 1000)
        if "round" in limits:
            assert number % Fraction(str(limits["round"])) == 0


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.none() | WHOLE, min_size=4),
    st.sampled_from(({}, *LIMITS[:5])),
    st.sampled_from(["sa-mdav", "mdav"]),
)
def test_whole_numbers_stay_whole(ages: list[str | None], limits: dict[str, float], method: str) -> None:
    if any(ages):
        written = ages_of(release_of(ages, limits, method={"name": method}))
        assert all(float(text).is_integer() and "." not in text for text in written if text)


def test_the_mean_of_whole_numbers_is_rounded_and_of_others_has_two_digits_more() -> None:
    assert ages_of(release_of(["30", "31", "31"], {}, k=3)) == ["31"] * 3
    assert ages_of(release_of(["30", "31", "31"], {"round": 0.01}, k=3)) == ["30.67"] * 3
    assert ages_of(release_of(["30.0", "31", "31"], {}, k=3)) == ["31"] * 3
    assert ages_of(release_of(["30.5", "31", "31"], {}, k=3)) == ["30.833"] * 3


def test_a_typed_column_of_whole_numbers_keeps_its_type() -> None:
    table = pa.table({"age": pa.array([30, 31, 33, 35], pa.int16())})
    release = om.anonymize(table, plan_of({}, k=4))
    assert release.to_arrow().column("age").type == pa.int16()


# ---------------------------------------------------------------------- what it costs


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.none() | WHOLE, st.sampled_from("abc")), min_size=4),
    st.sampled_from(({}, *LIMITS)),
    st.sampled_from(["sa-mdav", "recoding", "suppression"]),
    st.sampled_from(["own-class", "suppress-row"]),
)
def test_losses_are_counted_from_the_original_in_run_and_evaluation_alike(
    rows: list[tuple[str | None, str]], limits: dict[str, float], method: str, missing: str
) -> None:
    if not any(age for age, _ in rows):
        return
    table = pa.table({"age": pa.array([age for age, _ in rows], pa.string()), "ward": [w for _, w in rows]})
    others: dict[str, Any] = {
        "ward": {"role": "quasi-identifier", "kind": "ordinal", "order": ["a", "b", "c"]}
    }
    plan = plan_of(limits, method={"name": method}, **others).replace(missing=missing)
    try:
        release = om.anonymize(table, plan)
    except om.OntomaskError as error:
        assert "suppress" in str(error)
        return
    if release.figures["suppressed"]:  # rows are told apart by nothing else
        return
    found = om.evaluate(table, release.to_arrow(), plan)
    assert {name: found[name] for name in release.figures} == pytest.approx(release.figures, nan_ok=True)
    if method in ("datafly", "incognito"):
        return
    width = np.ptp([float(age) for age, _ in rows if age]) or 1.0
    lost = [
        abs(float(before) - float(after)) / width if before and after else float(before != after)
        for (before, _), after in zip(rows, ages_of(release), strict=True)
    ]
    assert release.figures["semantic_loss.age"] == pytest.approx(sum(lost) / len(rows), abs=1e-6)


def test_the_loss_of_a_number_that_is_cut_off_is_what_was_cut() -> None:
    release = release_of(["20", "20", "60", "60", "100", "120"], {"top": 60})
    assert ages_of(release) == ["20", "20", "60", "60", "60", "60"]
    assert release.figures["semantic_loss.age"] == pytest.approx((40 + 60) / (120 - 20) / 6)
    assert release.figures["tuples_before"] == 4


def test_the_range_of_a_column_is_that_of_its_own_numbers() -> None:
    release = release_of(["17", "18", "62", "62"], {"round": 5})
    attribute = release.columns[0].attribute
    code = np.array([release.columns[0].labels.index("17")], np.int32)
    became = np.array([release.columns[0].labels.index("20")], np.int32)
    (share,) = attribute.generalization(code, attribute.own[became]).ncp
    assert share == (20 - 17) / (62 - 17)


# ---------------------------------------------------------------------- before grouping


def test_numbers_beyond_a_limit_are_one_value_to_a_method() -> None:
    release = release_of(["20", "20", "91", "92", "93"], {"top": 90}, method={"name": "suppression"})
    assert ages_of(release) == ["20", "20", "90", "90", "90"]
    assert release.figures["suppressed"] == 0


def test_tuples_as_methods_see_them_keep_what_was_given_as_their_cells() -> None:
    table = pa.table({"age": ["20", "91", "95", "91", "20"], "sex": ["m", "m", "m", "f", "m"]})
    plan = plan_of({"top": 90}, sex={"role": "quasi-identifier", "kind": "ordinal", "order": ["m", "f"]})
    prepared = prepare(table, plan)
    seen, order = coded_tuples(prepared.columns, prepared.tuples)
    numbers = prepared.columns[0].attribute.line.numbers  # type: ignore[union-attr]
    assert numbers[seen.codes[:, 0]].tolist() == [20, 90, 90]
    assert seen.counts.tolist() == [2, 1, 2]
    assert seen.cells is not None
    assert (prepared.tuples.counts[order] == seen.cells.counts).all()
    given_numbers = numbers[prepared.tuples.codes[order, 0]]
    assert (np.minimum(given_numbers, 90) == numbers[seen.codes[seen.cells.tuples, 0]]).all()


def test_what_is_cut_off_is_not_true() -> None:
    """90 in the place of 97 is no generalisation of it."""
    said = "age: a number that is cut off or rounded is not true; remove it, or release: central"
    for settings_ in ({"method": {"name": "datafly"}}, {"release": "truthful"}):
        with pytest.raises(om.OntomaskError, match=said):
            plan_of({"top": 90}).replace(**settings_)


def test_a_limit_that_means_no_value_gives_way_to_a_number_inside_it() -> None:
    plan = plan_of({"top": 99}).replace(table={"na_values": ["99"]})
    table = pa.table({"age": pa.array([97, 98, 98, 150, 160, 170], pa.int64())})
    assert max(om.anonymize(table, plan).to_arrow().column("age").to_pylist()) == 98


# ---------------------------------------------------------------------- rounding


@settings(max_examples=40)
@given(st.integers(-(10**6), 10**6), st.sampled_from(["5", "0.1", "0.25", "7", "1000"]))
def test_a_multiple_is_the_nearest_one_and_the_even_one_of_two(tenths: int, step: str) -> None:
    number, unit = Fraction(tenths, 10), Fraction(step)
    (found,) = nearest_multiples(np.array([tenths / 10]), float(step)).tolist()
    times = Fraction(repr(found)) / unit
    assert times.denominator == 1
    assert abs(times * unit - number) <= unit / 2
    if abs(times * unit - number) == unit / 2:
        assert times % 2 == 0


# ---------------------------------------------------------------------- what is told and refused


def test_the_notes_tell_how_many_rows_were_changed() -> None:
    ages = ["20", "20", "91", "92", "93", "3", "4"]
    notes = release_of(ages, {"top": 90, "bottom": 5, "round": 5}, k=3).notes
    assert (
        "column 'age': 3 rows above 90 became 90; fewer than 3 rows below 5 became 5; no row became "
        in str(notes)
    )


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"kind": "numeric", "top": 5, "bottom": 9}, "must be below top: 5"),
        ({"kind": "numeric", "top": 92, "round": 5}, "must be a multiple of round: 5"),
        ({"kind": "numeric", "bottom": 0.15, "round": 0.1}, "must be a multiple of round: 0.1"),
        ({"kind": "numeric", "round": 0}, "must be above 0"),
        ({"kind": "nominal", "top": 5}, "only kind: numeric has this"),
        ({"kind": "numeric", "role": "identifier", "top": 5}, "identifiers are dropped"),
        ({"kind": "numeric", "top": "many"}, "must be a number"),
    ],
)
def test_limits_that_cannot_be_met_are_refused(column: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        om.Plan.from_dict({"attributes": {"age": {"role": "quasi-identifier"} | column}})


# ---------------------------------------------------------------------- beside requirements and limits


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(WHOLE, st.sampled_from(["flu", "burn", "ok"])), min_size=6, max_size=25),
    st.sampled_from(({"top": 30}, {"top": 60, "bottom": 20}, {"round": 50})),
    st.sampled_from(["sa-mdav", "mdav", "recoding", "suppression"]),
)
def test_requirements_see_who_is_among_those_that_became_one_number(
    rows: list[tuple[str, str]], limits: dict[str, float], method: str
) -> None:
    table = pa.table({"age": [age for age, _ in rows], "ill": [ill for _, ill in rows]})
    plan = plan_of(limits, method={"name": method}, ill={"role": "confidential"})
    try:
        release = om.anonymize(table, plan.replace(privacy={"k": 2, "l": {"ill": 2}})).to_arrow()
    except om.OntomaskError:
        return
    classes: dict[str, set[str]] = {}
    for age, ill in zip(release["age"].to_pylist(), release["ill"].to_pylist(), strict=True):
        classes.setdefault(age, set()).add(ill)
    assert all(len(found) >= 2 for found in classes.values())


def test_what_is_kept_is_not_cut_off() -> None:
    with pytest.raises(PlanError, match="a value that is kept does not move; remove one"):
        plan_of({"top": 60, "keep": True})


# ---------------------------------------------------------------------- limits in the place of numbers


def lead(texts: list[str], **limits: float) -> om.Release:
    column = {"role": "quasi-identifier", "kind": "numeric", **limits}
    return om.anonymize(
        pa.table({"lead": texts}), om.Plan.from_dict({"attributes": {"lead": column}, "privacy": {"k": 2}})
    )


def test_what_is_beyond_a_limit_is_that_limit() -> None:
    """`<0,5` is 0.5 where `bottom` is, for all below it becomes 0.5 anyway; (0.5 + 0.5) / 2 = 0.5."""
    texts = ["<0,5", "< 0,5", "3,5", "3,5", ">90", "≥ 95"]
    release = lead(texts, bottom=0.5, top=90)
    assert release.to_arrow()["lead"].to_pylist() == ["0,5", "0,5", "3,5", "3,5", "90", "90"]
    assert any("had a limit for a number and became `top`" in note for note in release.notes)
    assert om.evaluate(pa.table({"lead": texts}), release.to_arrow(), release.plan)["k_reached"] == 2


@pytest.mark.parametrize(
    "limits",
    [{}, {"bottom": 4.0}, {"top": 5.0}],  # of <5 nobody knows whether it is below 4
)
def test_a_limit_that_may_lie_inside_is_no_number(limits: dict[str, float]) -> None:
    with pytest.raises(OntomaskError) as caught:
        lead(["<5", "<5", "<5", "7", "8", "x"], **limits)
    other, limit = caught.value.faults
    assert other.text == "'x' is not a number"
    assert limit.text == "'<5' is not a number but a limit, as 3 rows have one"
    assert limit.details == ("'<5' 3 times",) and limit.remedy.startswith("set `bottom` of the column")
    assert "<5" not in str(caught.value.without_values())


@pytest.mark.parametrize(
    ("text", "top", "is_read"), [(">90", 90, True), (">90", 80, True), (">90", 91, False)]
)
def test_a_limit_at_or_beyond_top(text: str, top: float, is_read: bool) -> None:
    texts = [text, text, "7", "8"]
    if is_read:
        assert lead(texts, top=top).to_arrow()["lead"].to_pylist()[:2] == [str(top)] * 2
    else:
        with pytest.raises(OntomaskError, match="not a number but a limit"):
            lead(texts, top=top)


def test_a_draft_tells_limits_among_numbers() -> None:
    texts = ["<0,5"] * 3 + ["1,5", "2,5", "7", "12", "> 90"]
    found = om.init(pa.table({"lead": texts}))["lead"]
    assert (found.kind, found.sure, found.flat) == ("numeric", False, False)
    assert "4 rows have a limit: '<0,5', '> 90'" in found.why and "`bottom` and `top`" in found.advice
    scale = om.init(pa.table({"age_group": ["<18", "18-34", "35-49", ">50"] * 3}))["age_group"]
    assert scale.kind == "ordinal"
