"""Rank swapping and noise: against plain twins, and what they promise of a column and of a release."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from conftest import GOLDEN
from methods.test_against_plain import Case, cases
from ontomask import datasets
from ontomask.arrays import Float64, Int32
from ontomask.assessment import figures_of
from ontomask.attributes import Attribute, Cells, Nominal, Numeric, Tuples
from ontomask.attributes.order import sort_values
from ontomask.errors import PlanError
from ontomask.methods import Masking, Method
from ontomask.methods.noise import Noise, deviation, moved_words, reflected
from ontomask.methods.rank_swapping import RankSwapping, partners
from ontomask.report import render_report

SHARES = st.floats(0, 1, exclude_max=True)


def records_of(case: Case, masking: Masking, j: int) -> list[tuple[int, int]]:
    """(code before, replacement after) of every record in a column."""
    codes = case.tuples.codes[masking.cells, j]
    after = masking.values[masking.groups, j]
    return [
        pair
        for pair, n in zip(zip(codes.tolist(), after.tolist(), strict=True), masking.counts, strict=True)
        for _ in range(n)
    ]


# ---------------------------------------------------------------------- rank swapping


def plain_partners(last: list[int], draws: list[float]) -> list[int]:
    left, found = list(range(len(draws))), list(range(len(draws)))
    for rank in range(len(draws)):
        if rank not in left:
            continue
        left.remove(rank)
        near = [other for other in left if other <= last[rank]]
        if near:
            other = near[int(draws[rank] * len(near))]
            left.remove(other)
            found[rank], found[other] = other, rank
    return found


@given(st.lists(st.tuples(st.integers(0, 12), SHARES), min_size=1, max_size=20))
def test_partners_as_in_the_paper(given_: list[tuple[int, float]]) -> None:
    last = [min(rank + window, len(given_) - 1) for rank, (window, _) in enumerate(given_)]
    draws = [draw for _, draw in given_]
    found = partners(np.array(last), np.array(draws)).tolist()
    assert found == plain_partners(last, draws)
    assert all(found[found[rank]] == rank <= last[min(rank, found[rank])] for rank in range(len(found)))
    assert all(max(rank, other) <= last[min(rank, other)] for rank, other in enumerate(found))


@settings(max_examples=40)
@given(cases(may_be_truthful=False), st.sampled_from([0.0, 10.0, 34.0, 100.0, 250.0]))
def test_swapping_keeps_every_column_and_nobody_goes_far(case: Case, percent: float) -> None:
    masking = case.mask(RankSwapping(percent=percent))
    for j, attribute in enumerate(case.attributes):
        pairs = records_of(case, masking, j)
        before, after = [attribute.own[code] for code, _ in pairs], [value for _, value in pairs]
        assert Counter(after) == Counter(before)
        known = [(code, value) for code, value in pairs if code != attribute.missing]
        lost = [value for code, value in pairs if code == attribute.missing]
        assert all(value == attribute.own[attribute.missing] for value in lost)
        code_of = {int(r): code for code, r in enumerate(attribute.own)}
        counts = np.bincount([code for code, _ in known], minlength=attribute.size).astype(np.int64)
        if not known:
            continue
        in_order = sort_values(attribute, counts).tolist()
        ends = np.cumsum(counts[in_order])
        spans = {code: (end - counts[code], end - 1) for code, end in zip(in_order, ends, strict=True)}
        window = max(math.floor(min(percent, 100) / 100 * len(known)), 1 if percent else 0)
        for code, value in known:
            (a, b), (c, d) = spans[code], spans[code_of[value]]
            assert max(c - b, a - d, 0) <= window
        if percent == 0:
            assert after == before


def test_so_many_percent_of_the_records_and_one_at_least() -> None:
    asked = [0.0, 0.5, 29.0, 57.0, 99.9, 100.0, 300.0]
    assert [RankSwapping(percent=one).window(100) for one in asked] == [0, 1, 29, 57, 99, 100, 100]
    table = pa.table({"age": [20, 30, 40, 50, 60, 70, 80, 90]})
    plan = om.Plan.from_options(["age:numeric"], method="rank-swapping")
    assert RankSwapping().percent * 8 < 100
    assert om.anonymize(table, plan).to_arrow()["age"].to_pylist() == [30, 20, 50, 40, 70, 60, 90, 80]


def test_partners_are_looked_for_within_the_limit() -> None:
    ages = np.repeat(np.arange(20.0, 90.0), 14) + np.tile(np.linspace(0, 0.9, 14).round(2), 70)
    plan = om.Plan.from_options(["age:numeric"], method="rank-swapping", percent=50)
    found = om.anonymize(
        pa.table({"age": ages}), plan.replace(attributes={"age": {"max_loss": 0.07}})
    ).to_arrow()["age"]
    moved = np.abs(found.to_numpy() - ages)
    assert 1 < moved.max() <= 0.07 * ages.std() + 1e-9
    assert np.mean(moved == 0) < 0.05
    assert sorted(found.to_pylist()) == ages.tolist()


def test_numbers_are_in_their_order_and_words_in_that_of_their_meaning() -> None:
    plan = om.Plan.from_options(["age:numeric"], method="rank-swapping", seed=3)
    ages = [*range(100)]
    for percent, most in ((1, 1), (7, 7), (100, 99)):
        asked = plan.replace(method={"percent": percent})
        moved = np.abs(np.array(ages) - om.anonymize(pa.table({"age": ages}), asked).to_arrow()["age"])
        assert most / 2 < moved.max() <= most
    words = ["cat", "dog", "wolf", "teacher", "nurse", "oak"]
    tree = om.load_ontology("wordnet")
    assert om.sort(words)[0] in ("oak", "teacher", "nurse")
    names = sorted(words)
    column = Nominal("w", 1.0, -1, tree, om.measure("logsc"), tree.concepts(names))
    assert [names[code] for code in sort_values(column, np.ones(6, np.int64))] == om.sort(words)


# ---------------------------------------------------------------------- noise


def plain_moved(
    attribute: Attribute, codes: Int32, noise: Float64, shares: Float64, limit: float
) -> list[int]:
    """Record by record."""

    def d(a: int, b: int) -> float:
        return float(attribute.distance(np.array([a], np.int32), attribute.own[[b]])[0])

    everyone = codes.tolist()
    unit = math.sqrt(sum(d(a, b) ** 2 for a in everyone for b in everyone) / 2) / len(everyone)
    m = {a: sum(d(a, b) for b in everyone) for a in everyone}
    found = []
    for code, e, share in zip(everyone, noise, shares, strict=True):
        others = [b for b in everyone if (m[b] >= m[code] - 1e-9 if e >= 0 else m[b] <= m[code] + 1e-9)]
        others = [b for b in others if d(code, b) <= limit]
        far = sorted({d(code, b) for b in others})
        wanted = min(far, key=lambda x: (round(abs(x - abs(e) * unit), 12), x))
        there = sorted(b for b in others if d(code, b) == wanted)  # as often as records have it
        found.append(there[int(share * len(there))])
    return found


@settings(max_examples=40)
@given(cases(may_be_truthful=False, measure="logsc"), st.data())
def test_words_move_as_by_their_definition(case: Case, data: st.DataObject) -> None:
    for j, attribute in enumerate(case.attributes):
        codes = np.repeat(case.tuples.codes[:, j], case.tuples.counts)
        codes = codes[codes != attribute.missing]
        if attribute.line is not None or not len(codes):
            continue
        rng = np.random.default_rng(data.draw(st.integers(0, 99)))
        noise, shares = rng.normal(size=len(codes)), rng.random(len(codes))
        limit = data.draw(st.sampled_from([0.0, 0.3, 0.6, math.inf]))
        found = moved_words(attribute, codes, noise, shares, limit)
        assert found.tolist() == plain_moved(attribute, codes, noise, shares, limit)


def test_the_deviation_of_numbers_is_the_usual_one() -> None:
    numbers, counts = np.array([1.0, 4.0, 11.0]), np.array([3, 1, 2])
    column = Numeric.of("x", numbers, counts)
    found = deviation(column, np.arange(3, dtype=np.int32), counts) * column.unit
    assert found == pytest.approx(np.std(np.repeat(numbers, counts)), rel=1e-6)


@settings(max_examples=30)
@given(cases(may_be_truthful=False))
def test_no_noise_changes_nothing_and_what_is_missing_stays(case: Case) -> None:
    for amount in (0.0, 3.0):
        masking = case.mask(Noise(amount=amount))
        for j, attribute in enumerate(case.attributes):
            became = masking.attributes[j]
            for code, value in records_of(case, masking, j):
                if amount == 0 or code == attribute.missing:
                    assert value == became.own[code]
                else:
                    assert value != became.nothing


def test_noise_on_numbers_is_normal_and_of_the_asked_size() -> None:
    ages = np.round(np.random.default_rng(1).normal(50, 10, 20_000), 2)
    plan = om.Plan.from_options(["age:numeric"], method="noise", amount=0.2, seed=5)
    added = om.anonymize(pa.table({"age": ages}), plan).to_arrow()["age"].to_numpy() - ages
    size = 0.2 * ages.std()
    assert abs(added.mean()) < 4 * size / math.sqrt(20_000)
    assert added.std() == pytest.approx(size, rel=0.02)
    assert np.mean(np.abs(added) < size) == pytest.approx(0.6827, abs=0.015)
    assert abs(np.corrcoef(added, ages)[0, 1]) < 0.03


@given(st.floats(-50, 50), st.floats(-5, 5), st.floats(0, 5))
def test_what_is_beyond_an_end_is_thrown_back(x: float, low: float, width: float) -> None:
    ends = [np.array([low]), np.array([low + width])]
    (found,) = reflected(np.array([x]), *ends)
    if width < 0.01:
        assert low - 1e-9 <= found <= low + width + 1e-9
        return
    while not low <= x <= low + width:
        x = 2 * low - x if x < low else 2 * (low + width) - x
    assert found == pytest.approx(x, abs=1e-9)


def test_the_greatest_number_is_kept_no_more_often_than_others() -> None:
    """Cut off at the ends, it would be in half of all releases; and the ends would have too many."""
    ages = np.repeat(np.arange(20, 90), 30)
    table, plan = pa.table({"age": ages}), om.Plan.from_options(["age:numeric"], method="noise")
    after = np.array(
        [om.anonymize(table, plan.replace(seed=seed)).to_arrow()["age"].to_numpy() for seed in range(5)]
    )
    kept = np.array([np.mean(after[:, ages == age] == age) for age in range(20, 90)])
    assert max(kept[0], kept[-1]) < kept[1:-1].mean() + 0.04
    at_ends, elsewhere = np.isin(after, [20, 89]).sum() / 2, np.isin(after, [25, 84]).sum() / 2
    assert at_ends < elsewhere  # half as wide, after rounding
    pay = [*range(30_000, 30_500), 999_999]
    plan = om.Plan.from_options(["pay:numeric"], method="noise")
    richest = [om.anonymize(pa.table({"pay": pay}), plan.replace(seed=seed)) for seed in range(10)]
    assert not any(999_999 in one.to_arrow()["pay"].to_pylist() for one in richest)


@pytest.mark.parametrize("most", [0.09, 0.3])
def test_noise_is_drawn_within_the_limit(most: float) -> None:
    """1.8 years are .09 deviations: nobody farther than one, and one in three or fewer where they were."""
    ages = np.repeat(np.arange(20, 90), 30)
    plan = om.Plan.from_options(["age:numeric"], method="noise")
    plan = plan.replace(attributes={"age": {"max_loss": most}})
    after = om.anonymize(pa.table({"age": ages}), plan).to_arrow()["age"].to_numpy()
    furthest = math.floor(ages.std() * most)
    assert np.abs(after - ages).max() == furthest
    assert np.mean(after == ages) < 1.3 / (2 * furthest + 1)


@pytest.mark.parametrize("column", ["occupation", "diagnosis"])
def test_mean_and_variance_of_words_stay_near(column: str) -> None:
    with datasets.path("patients.csv").open(newline="") as file:
        words = [row[column] for row in csv.DictReader(file)]
    settings_ = om.Plan.load(datasets.path("patients.yaml")).attributes[column].as_dict(only_given=True)
    asked = {"attributes": {column: settings_}, "method": {"name": "noise", "amount": 0.3}}
    plan = om.Plan.from_dict(asked, folder=datasets.path("patients.yaml").parent)
    release = om.anonymize(pa.table({column: words}), plan)
    found = figures_of(release)
    assert abs(found[f"variance_change.{column}"]) < 2
    assert found[f"mean_shift.{column}"] == 0
    assert 0.05 < np.mean(np.array(words) != release.to_arrow()[column].to_numpy()) < 0.6


def test_words_of_adult_keep_mean_and_variance(data: Callable[[str], Path]) -> None:
    plan = om.Plan.from_options(
        ["occupation:wordnet", "native-country:wordnet"],
        mapping=[f"{name}:{GOLDEN / 'adult_mapping.csv'}" for name in ("occupation", "native-country")],
        method="noise",
        amount=0.3,
        others="drop",
    )
    found = figures_of(om.anonymize(data("adult/adult.csv"), plan))
    for name in ("occupation", "native-country"):
        assert abs(found[f"variance_change.{name}"]) < 1
        assert found[f"mean_shift.{name}"] == 0
    assert 3 < found["information_loss"] < 5
    assert 1 < found["srl"] < found["linkage_before"]


# ---------------------------------------------------------------------- both

BOTH: list[Method] = [RankSwapping(percent=30), Noise(amount=1.0)]
PEOPLE = pa.table(
    {
        "id": [f"p{i}" for i in range(40)],
        "job": [["nurse", "surgeon", "cook", "baker", None][i * i % 5] for i in range(40)],
        "age": [None if i % 11 == 3 else 20 + 7 * i % 45 for i in range(40)],
        "grade": [("low", "mid", "high")[i * 5 % 11 % 3] for i in range(40)],
        "since": [f"2024-0{1 + i % 9}-1{i % 7}" for i in range(40)],
        "hobby": [("chess;go", "golf", "golf;chess", "go")[i % 4] for i in range(40)],
    }
)
COLUMNS: dict[str, Any] = {
    "id": {"role": "other"},
    "job": {"role": "quasi-identifier", "ontology": "wordnet"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "grade": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
    "since": {"role": "quasi-identifier", "kind": "date"},
    "hobby": {"role": "quasi-identifier", "ontology": "wordnet", "several": ";"},
}


def plan_of(method: Method, **more: Any) -> om.Plan:
    return om.Plan.from_dict({"attributes": COLUMNS, "method": {"name": method.name, **vars(method)}} | more)


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_every_kind_of_column(method: Method) -> None:
    found = om.anonymize(PEOPLE, plan_of(method)).to_arrow()
    assert found["id"].to_pylist() == PEOPLE["id"].to_pylist()
    for name in PEOPLE.column_names[1:]:
        before, after = PEOPLE[name].to_pylist(), found[name].to_pylist()
        assert before != after
        assert [x is None for x in before] == [x is None for x in after]
        if method.name == "rank-swapping":
            assert Counter(map(sets, before)) == Counter(map(sets, after))
        elif name in ("job", "grade"):
            assert {*after} <= {*before}
    assert all(isinstance(age, int) for age in found["age"].to_pylist() if age is not None)


def sets(value: Any) -> Any:
    return frozenset(value.split(";")) if isinstance(value, str) else value


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_the_report_says_what_was_done_and_what_stayed(method: Method) -> None:
    page = render_report(om.anonymize(PEOPLE, plan_of(method)))
    assert method.in_words(1) in page
    assert "no k-anonymity" in page
    assert "hobby and since" in page or "since and hobby" in page


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_the_order_of_rows_means_nothing_and_the_seed_does(method: Method) -> None:
    plan = plan_of(method, seed=4)
    found = om.anonymize(PEOPLE, plan).to_arrow()
    other = om.anonymize(PEOPLE.take(np.random.default_rng(2).permutation(40)), plan).to_arrow()
    assert sorted(map(str, other.to_pylist())) == sorted(map(str, found.to_pylist()))
    again = om.anonymize(PEOPLE, plan.replace(seed=5)).to_arrow()
    assert again["age"].to_pylist() != found["age"].to_pylist()


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_values_stay_or_move_only_as_far_as_the_plan_allows(method: Method) -> None:
    plan = plan_of(method).replace(attributes={"job": {"keep": True}, "age": {"max_loss": 0.1}})
    found = om.anonymize(PEOPLE, plan).to_arrow()
    assert found["job"].to_pylist() == PEOPLE["job"].to_pylist()
    pairs = zip(PEOPLE["age"].to_pylist(), found["age"].to_pylist(), strict=True)
    moved = [abs(a - b) for a, b in pairs if a is not None]
    assert 0 < max(moved) <= 0.1 * 44
    if method.name == "rank-swapping":
        assert Counter(found["age"].to_pylist()) == Counter(PEOPLE["age"].to_pylist())


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_rounded_numbers_stay_multiples(method: Method) -> None:
    """What is rounded away makes several cells of one tuple."""
    plan = plan_of(method).replace(attributes={"age": {"round": 5, "top": 50}})
    found = om.anonymize(PEOPLE, plan).to_arrow()["age"].to_pylist()
    assert all(age % 5 == 0 and age <= 50 for age in found if age is not None)


@pytest.mark.parametrize("method", BOTH, ids=repr)
def test_cells_of_a_tuple_draw_on_their_own(method: Method) -> None:
    column = np.repeat(np.arange(4, dtype=np.int32), 2)
    age = Numeric.of("age", np.array([1.0, 2.0, 5.0, 9.0]), np.full(4, 10))
    cells = Cells(column, np.tile([[0], [1]], (4, 1)).astype(np.int32), np.full(8, 5))
    tuples = Tuples(np.arange(4, dtype=np.int32)[:, None], np.full(4, 10), cells)
    masking = method.mask(tuples, [age], [], np.random.default_rng(0))
    assert np.bincount(masking.cells, masking.counts).tolist() == [5] * 8
    assert len({*zip(masking.cells.tolist(), masking.groups.tolist(), strict=True)}) == len(masking.cells) > 8


def test_who_of_equals_is_swapped_is_drawn() -> None:
    """Fifty of each of two values, swapped over two ranks at most: a few of each, not always the same."""
    value = Numeric.of("x", np.array([0.0, 1.0]), np.array([50, 50]))
    cells = Cells(
        np.repeat([0, 1], 50).astype(np.int32), np.zeros((100, 1), np.int32), np.ones(100, np.int64)
    )
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([50, 50]), cells)
    changed = Counter[int]()
    for seed in range(40):
        masking = RankSwapping(percent=2).mask(tuples, [value], [], np.random.default_rng(seed))
        after = masking.values[masking.groups, 0]
        moved = masking.cells[after != value.own[np.repeat([0, 1], 50)]]
        assert len(moved) <= 4
        changed.update(moved.tolist())
    assert len(changed) > 20


@pytest.mark.parametrize("name", ["rank-swapping", "noise"])
def test_what_stays_as_it_was_is_told(name: str) -> None:
    few = {"rank-swapping": {"percent": 0.01}, "noise": {"amount": 1e-6}}[name]
    table = pa.table({"age": [*range(20, 60), None], "one": [7] * 41, "sex": [*"mmmmm", *"f" * 36]})
    plan = om.Plan.from_options(["age:numeric", "one:numeric", "sex:flat"], method=name, missing="own-class")
    plan = plan.replace(method=few, attributes={"age": {"max_loss": 0.001}})
    release = om.anonymize(table, plan)
    same = np.mean(release.to_arrow()["sex"].to_numpy() == table["sex"].to_numpy())
    shares = f"'age' 100 %, 'one' 100 %, 'sex' {100 * same:.0f} %"
    assert f"values that are as they were, of each column: {shares}" in release.notes
    serious = [one.text for one in om.warnings_of(release) if one.is_serious]
    assert any(one.startswith("Column “age” is not masked: 100 % of its values") for one in serious)
    assert not any("“one”" in one for one in serious), "it has one value"
    assert any("“sex” is not masked" in one for one in serious) == (same > 0.99) == (name == "noise")
    kept = om.warnings_of(
        om.anonymize(table, plan.replace(attributes={"age": {"max_loss": None, "keep": True}}))
    )
    assert not any("“age” is not masked" in one.text for one in kept), "that was asked for"
    masked = om.anonymize(
        table, om.Plan.from_options(["age:numeric"], method=name, others="drop", missing="own-class")
    )
    assert not any("is not masked" in one.text for one in om.warnings_of(masked))


def test_shares_are_of_the_values_that_are_there() -> None:
    ages = pa.table({"age": [*range(20, 60), *[None] * 60]})
    release = om.anonymize(ages, om.Plan.from_options(["age:numeric"], method="noise"))
    kept = [a == b for a, b in zip(range(20, 60), release.to_arrow()["age"].to_pylist()[:40], strict=True)]
    assert f"values that are as they were, of each column: 'age' {100 * np.mean(kept):.0f} %" in release.notes


@pytest.mark.parametrize("name", ["rank-swapping", "noise"])
def test_what_cannot_be_asked_for_is_refused_with_its_line(name: str) -> None:
    text = f"method: {{name: {name}}}\nprivacy: {{k: 3}}\nrelease: truthful\n"
    with pytest.raises(PlanError) as refused:
        om.Plan.from_yaml(text, name="plan.yaml")
    told = str(refused.value)
    assert f"line 2: privacy: k: no k-anonymity, as {name} gives none" in told
    assert f"line 3: release: truthful: {name} writes values that nobody vouches for" in told
    option = {"rank-swapping": "percent", "noise": "amount"}[name]
    with pytest.raises(PlanError, match=f"method.{option}: must be above 0"):
        om.Plan.from_yaml(f"method: {{name: {name}, {option}: 0}}", name="plan.yaml")


@pytest.mark.parametrize(
    ("name", "option", "steps"),
    [("rank-swapping", "percent", (0.01, 3, 12, 50)), ("noise", "amount", (0.001, 0.4, 1, 3))],
)
def test_the_more_is_changed_the_more_is_lost_and_the_fewer_are_found(
    name: str, option: str, steps: tuple[float, ...]
) -> None:
    plan = om.Plan.load(datasets.path("patients.yaml")).replace(privacy={"k": None}).with_method(name)
    found = [
        figures_of(om.anonymize(datasets.path("patients.csv"), plan.replace(method={option: step})))
        for step in steps
    ]
    losses, risks = [one["information_loss"] for one in found], [one["srl"] for one in found]
    assert losses[0] < 1
    assert losses == sorted(losses)
    assert risks == sorted(risks, reverse=True)
    assert risks[0] > 85 > 5 > risks[-1]


def test_they_stand_beside_others_in_a_comparison() -> None:
    table, plan = datasets.path("patients.csv"), om.Plan.load(datasets.path("patients.yaml"))
    rows = om.compare(table, plan, ["s-mdav", "rank-swapping", "noise"], [5, 10]).rows
    assert [(row["method"], row["gives_k"]) for row in rows] == [
        ("s-mdav", True),
        ("s-mdav", True),
        ("rank-swapping", False),
        ("noise", False),
    ]
    assert all(row["information_loss"] > 0 and row["srl"] < 90 for row in rows)
