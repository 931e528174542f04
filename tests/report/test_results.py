"""Means and shares by the values of a masked column, beside plain loops over the rows before and after."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.assessment import figures_of
from ontomask.pipeline import Release
from ontomask.report import render_report, words
from ontomask.report.reported import Reported
from ontomask.report.results import (
    MOST_PAIRS,
    Results,
    _Side,
    _that_tell_of_no_others,
    explained,
    results_of,
    visible_text,
)
from ontomask.report.to_know import to_know
from report.html_of import Html

K = 4
ORDER = ["none", "primary", "secondary", "college"]


def visitors(n: int = 160) -> dict[str, list[Any]]:
    """Of countries and hobbies; who is from Italy is paid more, and rows without a pay are enough."""
    rng = random.Random(3)
    lands = [rng.choice(["Italy"] * 9 + ["Spain"] * 6 + ["France", "Peru", "Kenya"]) for _ in range(n)]
    hobbies = ["; ".join(rng.sample(["cycling", "chess", "hiking"], rng.randrange(1, 3))) for _ in range(n)]
    pays = [rng.randrange(100, 130) + 40 * (land == "Italy") + 0.5 for land in lands]
    return {
        "land": lands,
        "school": [rng.choice(ORDER) for _ in range(n)],
        "hobby": hobbies,
        "pay": pays,
        "ill": [rng.choice(["flu", "flu", "cold"]) for _ in range(n)],
    }


def masked(columns: dict[str, list[Any]], **asked: Any) -> Release:
    attributes: dict[str, Any] = {
        "land": {"role": "quasi-identifier", "ontology": "countries"},
        "school": {"role": "quasi-identifier", "kind": "ordinal", "order": ORDER},
        "hobby": {"role": "quasi-identifier", "ontology": "wordnet", "several": ";"},
        "pay": {"role": "confidential", "kind": "numeric"},
        "ill": {"role": "confidential"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
    }
    plan = om.Plan.from_options([], k=K, method="sa-mdav")
    given = {name: one for name, one in attributes.items() if name in columns}
    return om.anonymize(pa.table(columns), plan.replace(attributes=given, **asked))


def members(cell: str | None) -> list[str]:
    return [] if cell is None else [one.strip() for one in cell.split(";")]


def by_plain_code(cells: Sequence[str | None], figures: Sequence[float | None]) -> dict[str, list[float]]:
    """The figures of the rows with each value."""
    found: dict[str, list[float]] = {}
    for cell, figure in zip(cells, figures, strict=True):
        for one in members(cell):
            if figure is not None:
                found.setdefault(one, []).append(figure)
    return found


def epsilon_squared(groups: Sequence[Sequence[float]]) -> float:
    everybody = [y for group in groups for y in group]
    n, g, mean = len(everybody), len(groups), sum(everybody) / len(everybody)
    between = sum(len(one) * (sum(one) / len(one) - mean) ** 2 for one in groups)
    total = sum((y - mean) ** 2 for y in everybody)
    noise = (total - between) / (n - g)
    return max(100 * (between - (g - 1) * noise) / total, 0.0)


@pytest.mark.parametrize("release", ["truthful", None])
def test_every_pair_is_what_plain_code_finds(release: str | None) -> None:
    columns = visitors()
    made = masked(columns, release=release)
    after = made.to_arrow().to_pydict()
    found, left_out = results_of(made, K)
    assert left_out == 0
    assert [(one.beside, one.masked) for one in found] == [
        (beside, name) for beside in ("pay", "ill") for name in ("land", "school", "hobby")
    ]
    shares = {"pay": columns["pay"], "ill": [100.0 * (ill == "flu") for ill in columns["ill"]]}
    for one in found:
        assert one.top == (None if one.beside == "pay" else "flu")
        was, now = (by_plain_code(table[one.masked], shares[one.beside]) for table in (columns, after))
        able = [name for name in was if min(len(was[name]), len(now.get(name, []))) >= K]
        assert [row.value for row in one.rows] == sorted(able, key=lambda name: (-len(was[name]), name))
        for row in one.rows:
            assert (row.rows_before, row.rows_after) == (len(was[row.value]), len(now[row.value]))
            assert row.after == pytest.approx(sum(now[row.value]) / len(now[row.value]))
            if row.before is not None:
                assert row.before == pytest.approx(sum(was[row.value]) / len(was[row.value]))
        assert any(row.before is not None for row in one.rows)
        if one.beside == "ill":
            assert one.went is one.goes is None and one.summed_up == ""
            continue
        for told, groups in ((one.went, was), (one.goes, now)):
            assert told == pytest.approx(epsilon_squared([*groups.values()]))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9), st.integers(1, 3)), min_size=7, max_size=40))
def test_the_share_of_the_differences_is_that_of_repeated_rows(rows: list[tuple[int, int, int]]) -> None:
    groups: dict[int, list[float]] = {}
    for group, y, n in rows:
        groups.setdefault(group, []).extend([y] * n)
    values, figures, counts = (np.array(one) for one in zip(*rows, strict=True))
    found = explained(figures.astype(float), values, counts)
    everybody = [y for group in groups.values() for y in group]
    if len({*everybody}) == 1 or len(everybody) == len(groups):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(epsilon_squared([*groups.values()]), abs=1e-9)


def test_many_small_groups_by_chance_explain_nothing() -> None:
    """Eta squared of 200 people in 100 groups of two would be about half."""
    rng = np.random.default_rng(5)
    shares = [
        explained(rng.normal(size=200), np.repeat(np.arange(100), 2), np.ones(200, np.int64))
        for _ in range(50)
    ]
    assert np.mean(shares) < 12


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["Italy"] * 5 + ["Spain"] * 3 + ["Peru", "Kenya", None]),
            st.sampled_from([1.5, 2.5, 3.5, 4.5, None]),
        ),
        min_size=10,
        max_size=40,
    ).filter(lambda rows: any(land for land, _ in rows)),
    k=st.integers(2, 4),
    release=st.sampled_from(["truthful", None]),
)
def test_nothing_is_told_of_fewer_rows_not_even_as_a_difference(
    rows: list[tuple[str | None, float | None]], k: int, release: str | None
) -> None:
    columns = {"land": [land for land, _ in rows], "pay": [pay for _, pay in rows]}
    if len({*columns["pay"]} - {None}) < 2:
        return
    made = masked(columns, release=release, privacy={"k": k})
    for one in results_of(made, k)[0]:
        was = by_plain_code(columns["land"], columns["pay"])
        now = by_plain_code(made.to_arrow()["land"].to_pylist(), columns["pay"])
        told = [row for row in one.rows if row.before is not None]
        paid = sum(pay is not None for pay in columns["pay"])
        rest = paid - sum(row.rows_before for row in told)
        assert not told or rest == 0 or rest >= k, "the mean of all is known"
        for row in told:
            assert min(row.rows_before, row.rows_after) >= k
            unpaid = sum(land == row.value and pay is None for land, pay in rows)
            assert unpaid == 0 or unpaid >= k
            others = len(was[row.value]) - len(now[row.value])
            assert others == 0 or abs(others) >= k, "those that had it and have it no more"


@pytest.mark.parametrize(("apart", "told"), [(1, ["cycling"]), (3, ["cycling"]), (4, ["cycling", "chess"])])
def test_two_members_that_nearly_the_same_rows_have_are_not_both_told(apart: int, told: list[str]) -> None:
    """Who knows the mean of 20 and that of 21 of them knows what the last one is paid."""
    rows, pays = np.array([20, apart, 10]), np.array([1.0, 2.0, 3.0])
    parts = [("chess", "cycling"), ("cycling",), ("hiking",)]
    side = _Side.of(rows, pays, parts, np.arange(3, dtype=np.int32))
    assert _that_tell_of_no_others(["cycling", "chess"], side, K) == told
    assert _that_tell_of_no_others(["cycling", "chess"], side, 1) == ["cycling", "chess"]


def test_what_is_left_of_all_is_not_of_a_few() -> None:
    side = _Side.of(
        np.array([20, 10, 3]), np.ones(3), [("Italy",), ("Spain",), ("Peru",)], np.arange(3, dtype=np.int32)
    )
    assert _that_tell_of_no_others(["Italy", "Spain"], side, K) == ["Italy"]
    assert _that_tell_of_no_others(["Italy", "Spain"], side, 3) == ["Italy", "Spain"]


def test_of_a_member_that_a_few_rows_have_lost_the_mean_before_is_not_told() -> None:
    """The others stand in the release: the difference is that row's."""
    cells = ["chess; cycling"] * 20 + ["cycling"] + ["hiking"] * 20 + ["fishing"] * 3
    pays = [100.5 + (i * 7) % 13 for i in range(44)]
    made = masked({"hobby": cells, "pay": pays}, release="truthful", method={"name": "suppression"})
    (one,) = results_of(made, K)[0]
    before = {row.value: row.before for row in one.rows}
    assert before["cycling"] is None and before["chess"] == pytest.approx(sum(pays[:20]) / 20)
    assert before["hiking"] == pytest.approx(sum(pays[21:41]) / 20)
    inside = {row.value: row.before for row in results_of(made, 1)[0][0].rows}
    assert inside["chess"] == pytest.approx(sum(pays[:20]) / 20)


def test_a_share_is_told_where_enough_have_the_word_and_enough_do_not() -> None:
    lands = ["Italy"] * 12 + ["Spain"] * 12
    ills = ["flu"] * 11 + ["cold"] + ["flu", "cold"] * 6
    (one,) = results_of(masked({"land": lands, "ill": ills}), K)[0]
    assert [(row.value, row.before, row.after) for row in one.rows] == [
        ("Italy", None, pytest.approx(100 * 11 / 12)),
        ("Spain", 50.0, 50.0),
    ]
    assert one.figure == "Share of “flu” in ill" and one.shown(None) == "–"


def test_the_ends_of_a_scale_are_told() -> None:
    """Also where nobody has the lowest: 2 is what it would be among all of them."""
    plan = om.Plan.from_options(["land:countries"], k=K).replace(
        attributes={"school": {"role": "confidential", "kind": "ordinal", "order": ORDER}}
    )
    columns = {"land": ["Italy"] * 4 + ["Spain"] * 4, "school": ["primary", "college"] * 4}
    (one,) = results_of(om.anonymize(pa.table(columns), plan), K)[0]
    assert one.figure == "Mean of school (none = 0, college = 3)"
    assert [row.after for row in one.rows] == [2.0, 2.0]


def test_of_many_pairs_the_first_are_told_and_the_others_counted() -> None:
    columns = visitors(60)
    plan = om.Plan.from_options(["land:countries"], k=K)
    table = {"land": columns["land"]} | {f"score{i}": [p + i for p in columns["pay"]] for i in range(14)}
    settings = {f"score{i}": {"role": "confidential", "kind": "numeric"} for i in range(14)}
    release = om.anonymize(pa.table(table), plan.replace(attributes=settings))
    found, left_out = results_of(release, K)
    assert (len(found), left_out) == (MOST_PAIRS, 14 - MOST_PAIRS)
    assert "2 more pairs of columns were left out." in Html(render_report(release)).texts("p")


def test_a_column_that_nobody_called_confidential_counts_if_it_has_numbers() -> None:
    columns = visitors(60)
    table = {name: columns[name] for name in ("land", "pay", "ill")}
    release = om.anonymize(pa.table(table), om.Plan.from_options(["land:countries"], k=K, others="keep"))
    assert [one.beside for one in results_of(release, K)[0]] == ["pay"]


def test_of_a_large_table_or_without_masked_words_there_are_no_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = visitors(60)
    release = masked(columns)
    numbers = {"age": [*range(60)], "pay": columns["pay"]}
    assert results_of(masked(numbers), K) == ([], 0)
    assert "What becomes of results" not in render_report(masked(numbers))
    monkeypatch.setattr("ontomask.report.results.MOST_ROWS", 59)
    assert results_of(release, K) == ([], 0)


def test_the_page_shows_a_table_for_each_pair() -> None:
    made = masked(visitors())
    page = Html(render_report(made).replace(words.NO_BREAK, " "))
    found = results_of(made, K)[0]
    captions = [
        text for text in page.texts("caption") if text.endswith("before and after") and " by " in text
    ]
    assert captions == [f"{one.figure} by {one.masked}, before and after" for one in found]
    first = found[0].rows[0]
    row = f"{first.value} {first.rows_before} {first.before:.3g} {first.rows_after} {first.after:.3g}"
    assert row in page.texts("tr")
    assert found[0].summed_up.replace(words.NO_BREAK, " ") in page.texts("p")


def test_who_signs_is_told_in_one_sentence_what_was_visible() -> None:
    made = masked(visitors())
    told = Reported(made, made.figures | figures_of(made))
    said = [one for one in to_know(told) if one.startswith("Of the differences")]
    visible = [one for one in told.results[0] if (one.went or 0) >= 1]
    assert len(said) == 1 and 0 < len(visible) < 3
    assert [f"went with “{one.masked}”" in said[0] for one in told.results[0][:3]] == [
        one in visible for one in told.results[0][:3]
    ]
    some = [
        Results("land", "pay", None, (), 12.0, 4.0),
        Results("job", "pay", None, (), 2.0, 1.0),
        Results("job", "age", None, (), 1.0, 0.0),
        Results("land", "age", None, (), 0.9, 0.9),
        Results("land", "ill", "flu", ()),
    ]
    assert visible_text(some).replace(words.NO_BREAK, " ") == (
        "Of the differences in “pay”, 12 % went with “land” before and 4.0 % do now, 2.0 % went with “job” "
        "before and 1.0 % do now; of those in “age”, 1.0 % went with “job” before and 0 % do now."
    )
    assert visible_text(some[3:]) == ""


def test_spellings_of_a_value_are_one() -> None:
    lands = ["Italy"] * 6 + ["italy"] * 6 + ["Spain"] * 8
    pays = [10.5 + i for i in range(20)]
    (one,) = results_of(masked({"land": lands, "pay": pays}), K)[0]
    assert Counter({row.value: row.rows_before for row in one.rows}) == {"Italy": 12, "Spain": 8}
