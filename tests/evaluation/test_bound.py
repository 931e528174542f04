"""Lower bounds against every partition of small tables, a linear program, every box, and known figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv
from scipy.optimize import linprog
from typer.testing import CliRunner

import ontomask as om
from attributes.drawn import NUN, NURSE, SURGEON, ages, jobs
from conftest import GOLDEN
from ontomask.arrays import Float64
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.cli import app
from ontomask.evaluation import Pairs, ReleaseView, central_bound
from ontomask.evaluation.central_bound import candidate_distances, greatest_bound, least_loss
from ontomask.evaluation.generalization import generalization
from ontomask.evaluation.loss import losses, squared
from ontomask.evaluation.truthful_bound import least_ncp
from ontomask.pipeline import prepare
from reference import ontologies

SIZES = st.integers(1, 4)


@st.composite
def tables(draw: st.DrawFn, truthful: bool = False, most: int = 6) -> ReleaseView:
    """A few records of two columns of words or numbers, blanks among them, as they are."""
    ontology = draw(ontologies())
    attributes: list[Attribute] = []
    for name in ("first", "second"):
        if draw(st.sampled_from(["words", "words", "numbers"])) == "numbers":
            numbers = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=5)))
            known = np.array(numbers + [np.nan] * draw(st.integers(0, 1)), np.float64)
            scale = draw(st.sampled_from(["range", "zscore"]))
            attributes.append(Numeric.of(name, known, np.ones(len(known), np.int64), scale=scale))
            continue
        concepts = draw(st.lists(st.integers(0, len(ontology) - 1), min_size=1, max_size=5, unique=True))
        missing = len(concepts) if draw(st.booleans()) else -1
        concepts += [-1] * (missing >= 0)
        words = np.array(concepts, np.int32)
        attributes.append(Nominal(name, 1.0, missing, ontology, om.measure("logsc"), words))
    attributes = [replace(a, is_truthful=truthful) for a in attributes]
    cells = [st.integers(0, a.size - 1) for a in attributes]
    rows = draw(st.lists(st.tuples(*cells), min_size=2, max_size=most))
    codes, counts = np.unique(np.array(rows, np.int32), axis=0, return_counts=True)
    tuples = Tuples(codes, counts)
    combine = draw(st.sampled_from(["mean", "euclidean"]))
    return ReleaseView(tuples, attributes, Pairs.unmasked(tuples, attributes), combine)


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """All ways to put items into groups of at least k."""

    def spread(left: list[int]) -> Iterator[list[list[int]]]:
        if not left:
            yield []
            return
        for groups in spread(left[1:]):
            yield [[left[0]], *groups]
            for i in range(len(groups)):
                yield [*groups[:i], [left[0], *groups[i]], *groups[i + 1 :]]

    return (groups for groups in spread(items) if all(len(group) >= k for group in groups))


def records_of(view: ReleaseView) -> list[int]:
    return np.repeat(np.arange(len(view.tuples)), view.tuples.counts).tolist()


def with_groups(view: ReleaseView, groups: list[list[int]], values: list[list[int]]) -> ReleaseView:
    """The release in which each group of records has some replacements."""
    rows = [(t, value) for group, value in zip(groups, values, strict=True) for t in group]
    original, masked = np.array([t for t, _ in rows]), np.array([value for _, value in rows])
    return replace(view, pairs=Pairs.of_rows(original, masked))


# ---------------------------------------------------------------------- central releases


def sites_of(view: ReleaseView) -> tuple[ReleaseView, Float64]:
    """A view whose numbers may become any of a fine grid; cost of every tuple at every site, [p, sites]."""
    grid = np.append(np.linspace(0, 9, 37), np.nan)
    attributes = [a.including(grid) if isinstance(a, Numeric) else a for a in view.attributes]
    tables = [
        a.distance_table(view.tuples.codes[:, j], np.arange(a.n_replacements, dtype=np.int32))
        for j, a in enumerate(attributes)
    ]
    first, second = tables[0][:, :, None], tables[1][:, None, :]
    costs = first**2 + second**2 if view.combine == "euclidean" else ((first + second) / 2) ** 2
    return replace(view, attributes=attributes), costs.reshape(len(view.tuples), -1)


@given(tables(), SIZES)
def test_no_partition_loses_less_than_the_bound(view: ReleaseView, k: int) -> None:
    """Records of a tuple may be split: partitions that keep tuples whole are among them."""
    if view.tuples.n < k:
        return
    bound = least_loss(view, k)
    assert bound is not None
    assert bound >= 0
    _, costs = sites_of(view)
    best = min(
        sum(costs[group].sum(axis=0).min() for group in groups) for groups in partitions(records_of(view), k)
    )
    assert bound <= best + 1e-15
    assert k > 1 or bound == 0


@given(tables(), SIZES, st.data())
def test_no_release_of_the_view_is_below_the_bound_whatever_else_is_known(
    view: ReleaseView, k: int, data: st.DataObject
) -> None:
    """The loss of the release at hand guides the search: the bound must not pass it."""
    found = list(partitions(records_of(view), k))
    if not found:
        return
    wide, _ = sites_of(view)
    groups = data.draw(st.sampled_from(found))
    sizes = [a.n_replacements for a in wide.attributes]
    values = [[data.draw(st.integers(0, size - 1)) for size in sizes] for _ in groups]
    release = with_groups(wide, groups, values)
    bound = least_loss(release, k)
    assert bound is not None
    assert bound <= losses(release)["sse"] + 1e-15
    mean = least_loss(release, k, "semantic_loss")
    assert mean is not None
    assert mean <= losses(release)["semantic_loss"] + 1e-15


def relaxed(costs: Float64, counts: np.ndarray, k: int, dearest: float) -> float:
    """The linear relaxation of the facility location with least loads, by HiGHS.

    Shares x of tuples at sites, y of sites, s of tuples that are suppressed.
    """
    p, n = costs.shape
    weights = counts.astype(float)
    objective = np.concatenate([(weights[:, None] * costs).ravel(), np.zeros(n), weights * dearest])
    served = np.zeros((p, p * n + n + p))
    for t in range(p):
        served[t, t * n : (t + 1) * n] = served[t, p * n + n + t] = 1
    limits = np.zeros((n + p * n, p * n + n + p))
    for c in range(n):
        limits[c, c : p * n : n] = -weights
        limits[c, p * n + c] = k
        for t in range(p):
            limits[n + t * n + c, t * n + c] = 1
            limits[n + t * n + c, p * n + c] = -1
    solved = linprog(
        objective, A_ub=limits, b_ub=np.zeros(len(limits)), A_eq=served, b_eq=np.ones(p), bounds=(0, 1)
    )
    return float(solved.fun)


@given(tables(most=8), SIZES)
def test_the_bound_is_that_of_the_linear_relaxation(view: ReleaseView, k: int) -> None:
    if view.tuples.n < k or any(isinstance(a, Numeric) for a in view.attributes):
        return
    _, costs = sites_of(view)
    lost = np.array([[a.maximum for a in view.attributes]])
    best = relaxed(costs, view.tuples.counts, k, float(squared(lost, view.combine)[0]))
    bound = least_loss(view, k)
    assert bound is not None
    assert bound <= best + 1e-9
    assert bound >= 0.999 * best - 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_sites_that_were_left_out_by_mistake_are_looked_at_again(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a target that is too near, sites are left out that the best release uses."""
    rng = np.random.default_rng(seed)
    costs = ((rng.random((10, 1, 2)) - rng.random((1, 20, 2))) ** 2).sum(axis=2)
    counts = rng.integers(1, 4, 10)
    best = relaxed(costs, counts, 4, 3.0)
    by_site, known = np.ascontiguousarray(costs.T), float((counts @ costs).min())
    assert greatest_bound(by_site, counts, 4, 3.0, known) == pytest.approx(best, rel=1e-3)
    monkeypatch.setattr(central_bound, "_ROOM", 0.05)
    assert greatest_bound(by_site, counts, 4, 3.0, known) <= best + 1e-9


def test_leaving_a_record_out_may_be_cheapest() -> None:
    """20 zeros and a 10, which is 4.7 standard deviations away: it costs 1 to leave it out."""
    line = Numeric.of("x", np.array([0.0, 10.0]), np.array([20, 1]), scale="zscore")
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([20, 1]))
    bound = least_loss(ReleaseView(tuples, [line], Pairs.unmasked(tuples, [line])), 3)
    assert bound == pytest.approx(1)
    assert 10 / line.unit > 4


def test_two_pairs_and_what_lies_between_them() -> None:
    """Numbers 0, 1 and 9, 10 of two records each at k = 4: two groups of four, each at its middle.

    Every record is then 1/2 from what replaces it, of a range of 10.
    """
    line = Numeric.of("x", np.array([0.0, 1.0, 9.0, 10.0]), np.full(4, 2))
    tuples = Tuples(np.arange(4, dtype=np.int32)[:, None], np.full(4, 2))
    bound = least_loss(ReleaseView(tuples, [line], Pairs.unmasked(tuples, [line])), 4)
    assert bound == pytest.approx(8 * (0.5 / 10) ** 2, rel=0.1)


def test_of_words_the_bound_is_reached() -> None:
    """Surgeon and nurse, and two nuns, at k = 2: the nuns stay; of the medics one takes the other's place.

    Or both become medic: by path length, 1 - 1/(1 + links), that is twice 1/4 squared halves against 4/9.
    """
    job = jobs().values
    tuples = Tuples(np.array([[SURGEON], [NURSE], [NUN]], np.int32), np.array([1, 1, 2]))
    view = ReleaseView(tuples, [job], Pairs.unmasked(tuples, [job]))
    apart = job.distance_table(np.array([SURGEON, NURSE], np.int32), np.arange(job.n_replacements))
    best = float((apart**2).sum(axis=0).min())
    assert best > 0
    assert least_loss(view, 2) == pytest.approx(best)
    assert least_loss(view, 1) == 0


def test_a_candidate_for_numbers_is_never_farther_than_the_numbers_in_its_cell() -> None:
    numbers = np.array([0.0, 1.0, 7.0, np.nan])
    line = Numeric.of("x", numbers, np.ones(4, np.int64))
    table = candidate_distances(line)
    anywhere = np.linspace(-1, 8, 200)
    wide = line.including(anywhere)
    exact = wide.distance_table(np.arange(4, dtype=np.int32), np.arange(wide.n_replacements, dtype=np.int32))
    for column in exact.T:
        assert (table <= column[:, None]).all(axis=0).any()


def test_too_many_sites_give_no_bound() -> None:
    lines = [Numeric.of(name, np.arange(50.0), np.ones(50, np.int64)) for name in "abcd"]
    codes = np.random.default_rng(0).integers(0, 50, (50, 4)).astype(np.int32)
    tuples = Tuples(codes, np.ones(50, np.int64))
    assert least_loss(ReleaseView(tuples, lines, Pairs.unmasked(tuples, lines)), 2) is None


def test_known_bounds_of_adult(data: Callable[[str], Path]) -> None:
    columns = {
        name: {"role": "quasi-identifier", "under": under, "mapping": str(GOLDEN / "adult_mapping.csv")}
        for name, under in (("occupation", "person"), ("native-country", "location"))
    }
    prepared = prepare(data("adult/adult.csv"), om.Plan.from_dict({"attributes": columns, "others": "keep"}))
    unmasked = Pairs.unmasked(prepared.tuples, prepared.attributes)
    view = ReleaseView(prepared.tuples, prepared.attributes, unmasked)
    sst = losses(view)["sst"]
    for k, known in ((5, 0.2334), (1000, 9.513)):  # of a linear program with pricing
        bound = least_loss(view, k)
        assert bound is not None
        assert 0.9995 * known < 100 * bound / sst < known + 0.00005


# ---------------------------------------------------------------------- truthful releases


def boxes_of(view: ReleaseView) -> list[list[tuple[Float64, Any]]]:
    """Per attribute all that may cover values: (NCP for each code, which codes it covers)."""
    found = []
    for attribute in view.attributes:
        codes = np.arange(attribute.size, dtype=np.int32)
        if above := attribute.subsumers:
            covers = [(r, attribute) for r in above.replacements]
        else:
            known = attribute.line.numbers[~np.isnan(attribute.line.numbers)]  # type: ignore[union-attr]
            ends = [(a, b) for a in known for b in known if a <= b] + [(-np.inf, np.inf), (np.nan, np.nan)]
            low, high = np.array(ends).T
            wide, which = attribute.covering(low, high)  # type: ignore[attr-defined]
            covers = [(r, wide) for r in which]
        options = []
        for r, wide in covers:
            same = np.full(len(codes), r, np.int32)
            options.append((wide.generalization(codes, same).ncp, wide.covers(same, wide.own[codes])))
        found.append(options)
    return found


def least_by_boxes(view: ReleaseView, k: int) -> float:
    """The mean NCP of the cheapest box of each record, by trying all of them."""
    codes, counts = view.tuples.codes, view.tuples.counts
    best = np.full(len(codes), np.inf)
    for box in product(*boxes_of(view)):
        inside = np.logical_and.reduce([is_in[codes[:, j]] for j, (_, is_in) in enumerate(box)])
        if counts[inside].sum() >= k:
            cost = sum(ncp[codes[:, j]] for j, (ncp, _) in enumerate(box))
            best = np.where(inside, np.minimum(best, cost), best)
    return float(counts @ best) / (view.tuples.n * len(view.attributes))


@settings(max_examples=30)
@given(tables(truthful=True, most=12), SIZES)
def test_the_truthful_bound_is_the_cheapest_box_of_every_record(view: ReleaseView, k: int) -> None:
    if view.tuples.n < k:
        return
    bound = least_ncp(view, k)
    assert bound == pytest.approx(least_by_boxes(view, k), abs=1e-9)


@given(tables(truthful=True), SIZES, st.data())
def test_no_truthful_release_has_a_lower_ncp(view: ReleaseView, k: int, data: st.DataObject) -> None:
    """Groups get what covers them by the methods' own rule."""
    found = list(partitions(records_of(view), k))
    if not found:
        return
    groups = data.draw(st.sampled_from(found))
    members = np.array([t for group in groups for t in group], np.int32)
    which = np.repeat(np.arange(len(groups), dtype=np.int32), [len(group) for group in groups])
    space = space_of(view.tuples, view.attributes, with_covers=True)
    points = group_centroids(space, members, which, np.ones(len(members), np.int64), len(groups))
    extended, values = replacements_of(view.attributes, space, points)
    release = replace(view, attributes=extended, pairs=Pairs.of_rows(members, values[which]))
    bound, same = least_ncp(release, k), least_ncp(view, k)
    assert bound is not None
    assert bound <= generalization(release)["ncp"] + 1e-12
    assert bound == pytest.approx(same, abs=1e-12)


def test_ranges_go_both_ways() -> None:
    """Six places of 9 by 9 at k = 3, each in its least rectangle."""
    corners = np.array([[0, 5], [2, 5], [4, 3], [5, 5], [9, 0], [9, 9]])
    lines = [Numeric.of(name, np.arange(10.0), np.ones(10, np.int64)) for name in "xy"]
    lines = [replace(line, is_truthful=True) for line in lines]
    tuples = Tuples(corners.astype(np.int32), np.ones(6, np.int64))
    bound = least_ncp(ReleaseView(tuples, lines, Pairs.unmasked(tuples, lines)), 3)
    least = [5, 3 + 2, 3 + 2, 3 + 2, 5 + 5, 7 + 4]  # (4, 3), (2, 5) and (5, 5) are in one of 3 by 2
    assert bound == pytest.approx(sum(least) / 9 / (6 * 2))


def test_a_range_of_everything_holds_missing_numbers_too() -> None:
    """(0, 0), two of (0, 1), (1, 1) and (missing, 1) at k = 4, of 3 by 1: x may be anything if y is 1.

    Only (0, 0) has a cheaper box: 0-1 and 0-1.
    """
    x = Numeric.of("x", np.array([0.0, 1.0, 2.0, 3.0, np.nan]), np.ones(5, np.int64))
    y = Numeric.of("y", np.array([0.0, 1.0]), np.ones(2, np.int64))
    attributes = [replace(line, is_truthful=True) for line in (x, y)]
    tuples = Tuples(np.array([[0, 0], [0, 1], [1, 1], [4, 1]], np.int32), np.array([1, 2, 1, 1]))
    bound = least_ncp(ReleaseView(tuples, attributes, Pairs.unmasked(tuples, attributes)), 4)
    assert bound == pytest.approx(((1 / 3 + 1) + 2 * 1 + 1 + 1) / (5 * 2))


def test_boxes_of_hierarchies_by_hand() -> None:
    """Surgeon 20, nurse 28, nun 28 at k = 2: what holds two of them costs least.

    Surgeon and nurse: medic (2 of 3 jobs) and 20-29 (8 of 20 years); nurse and nun: job (all) and 28.
    """
    job, age = (replace(a, is_truthful=True) for a in (jobs(), ages()))
    tuples = Tuples(np.array([[SURGEON, 0], [NURSE, 1], [NUN, 1]], np.int32), np.ones(3, np.int64))
    bound = least_ncp(ReleaseView(tuples, [job, age], Pairs.unmasked(tuples, [job, age])), 2)
    surgeon, nurse, nun = 2 / 3 + 8 / 20, min(2 / 3 + 8 / 20, 1), 1
    assert bound == pytest.approx((surgeon + nurse + nun) / (3 * 2))


# ---------------------------------------------------------------------- figures

JOBS = pa.table({"job": ["surgeon", "nurse", "nun", "nun"], "age": ["31", "35", "60", "62"]})
PLAN = om.Plan.from_options(["job:wordnet", "age:numeric"], k=2)


def masked(jobs: list[str], ages: list[str]) -> pa.Table:
    return pa.table({"job": jobs, "age": ages})


def test_the_gap_is_told_of_a_release_that_is_k_anonymous() -> None:
    after = masked(["health professional"] * 2 + ["nun"] * 2, ["33", "33", "61", "61"])
    found = om.evaluate(JOBS, after, PLAN, bound=True)
    least, lost = found["lower_bound"], found["information_loss"]
    assert 0 < least < lost
    assert found["gap"] == pytest.approx(100 * (lost / least - 1))
    assert "granularity_bound" not in found
    untouched = om.evaluate(JOBS, JOBS, PLAN, bound=True)
    assert untouched["lower_bound"] == pytest.approx(least, rel=0.01)
    assert untouched["gap"] is None
    assert "lower_bound" not in om.evaluate(JOBS, after, PLAN)


def test_of_truthful_columns_the_gap_is_that_of_ncp() -> None:
    """Three jobs, ages 31 to 62: medics of 31-35, nuns of 60-62, which is the best there is."""
    plan = PLAN.replace(release="truthful")
    best = masked(["health professional"] * 2 + ["nun"] * 2, ["31-35"] * 2 + ["60-62"] * 2)
    found = om.evaluate(JOBS, best, plan, bound=True)
    assert found["granularity"] == pytest.approx(1 - (2 * (2 / 3 + 4 / 31) + 2 * (2 / 31)) / 8)
    assert found["granularity_bound"] == pytest.approx(found["granularity"])
    assert found["gap"] == pytest.approx(0, abs=1e-6)
    wider = masked(["person"] * 2 + ["nun"] * 2, ["31-35"] * 2 + ["60-62"] * 2)
    worse = om.evaluate(JOBS, wider, plan, bound=True)
    assert worse["gap"] == pytest.approx(100 * ((1 - worse["granularity"]) / (1 - found["granularity"]) - 1))
    assert worse["gap"] > 1
    untrue = masked(["nurse"] * 2 + ["nun"] * 2, ["31-35"] * 2 + ["60-62"] * 2)
    assert om.evaluate(JOBS, untrue, plan, bound=True)["gap"] is None
    blank = masked([""] * 4, ["31-35"] * 2 + ["60-62"] * 2)
    assert om.evaluate(JOBS, blank, plan, bound=True)["gap"] > worse["gap"]


def test_the_commands_tell_it(tmp_path: Path) -> None:
    csv.write_csv(JOBS, tmp_path / "before.csv")
    (tmp_path / "plan.yaml").write_text(PLAN.to_yaml())
    before, after, plan = (str(tmp_path / name) for name in ("before.csv", "after.csv", "plan.yaml"))
    report = tmp_path / "report.html"
    run = ["anonymize", before, "--plan", plan, "-o", after, "--bound"]
    assert "are for the report; name one by --report" in str(CliRunner().invoke(app, run).exception)
    assert CliRunner().invoke(app, [*run, "--report", str(report)]).exit_code == 0
    assert "Least possible L" in report.read_text("utf-8")
    command = ["evaluate", before, after, "--plan", plan, "--bound"]
    assert "least possible L, proven (%)" in CliRunner().invoke(app, command).output
    told = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert told["gap"] == pytest.approx(om.evaluate(before, after, PLAN, bound=True)["gap"])
