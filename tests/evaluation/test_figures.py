"""The flat dictionary of figures, and the statistics before and after."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import ontomask as om
from evaluation.random_views import Record, releases, view_of
from ontomask.attributes import Domain, Nominal, Numeric, Tuples
from ontomask.evaluation import (
    FAMILIES,
    ConfidentialColumn,
    Pairs,
    Population,
    ReleaseView,
    Sampling,
    Subject,
    figure_named,
    figures,
    known_to,
)
from ontomask.evaluation.loss import losses
from ontomask.evaluation.score import score
from ontomask.evaluation.statistics import relative_change, statistics
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity, individual_risks
from ontomask.report.changes import Changes

TREE = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])

K2 = [KAnonymity(2)]


def view() -> ReleaseView:
    """ache 20, ache 30, colic 30 -> pain 25 (twice), colic 30; fever 60 stays."""
    word = Nominal("word", 1.0, -1, TREE, om.measure("logsc"), TREE.concepts(["ache", "colic", "fever"]))
    age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 2, 1]))
    tuples = Tuples(np.array([[0, 0], [0, 1], [1, 1], [2, 2]], np.int32), np.array([1, 1, 1, 1]))
    words = TREE.concepts(["pain", "pain", "colic", "fever"])
    return view_of(tuples, [word, age], [words, np.array([25.0, 25.0, 30.0, 60.0])])


def test_one_flat_dictionary() -> None:
    release = view()
    illness = ConfidentialColumn(
        Domain("illness", 2, is_ordered=True, distances=np.array([[0, 0.5], [0.5, 0]])),
        release.pairs.masked,
        np.array([0, 1, 1, 0]),
        np.ones(4, np.int64),
    )
    people = Population(release.pairs.values, np.array([9, 5, 6]))
    found = figures(
        Subject(release, K2, confidential=[illness], known_values=1, population=people, alpha=0.25)
    )
    assert found["n"] == 4 and found["classes"] == 3 and found["k_reached"] == found["smallest_class"] == 1
    assert found["k_asked"] == 2 and found["suppressed"] == 0
    assert found["average_class_size"] == pytest.approx((4 / 3) / 2)
    assert found["discernibility"] == 4 + 1 + 1
    assert found["linkage_before"] == 100 and found["k_before"] == 1
    assert found["srl"] == pytest.approx(100 * (1 / 2 + 1 / 2 + 1 + 1) / 4)
    assert found["mrl"] == pytest.approx(100 * 2 / 4)
    assert found["srl_blind"] == 25
    assert found["score"] == pytest.approx(0.25 * found["information_loss"] + 0.75 * found["srl"])
    assert found["score_curve"][0] == found["srl"]
    assert found["score_curve"][-1] == pytest.approx(found["information_loss"])
    assert found["k_map"] == 5
    assert found["l_distinct.illness"] == 1
    # The class of the fever has illness 0 only, overall halves: 1/2 to move.
    assert found["t_equal.illness"] == found["t_ordered.illness"] == pytest.approx(0.5)
    assert found["t_semantic.illness"] == pytest.approx(0.25)
    assert found["confidence_blind.illness"] == 50
    assert found["lkc_k"] == 1 and found["lkc_confidence.illness"] == 100
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_attacker_may_see_less() -> None:
    release = view()
    found = figures(Subject(release, K2, attacker=known_to(release, ["word"])))
    assert found["srl"] == pytest.approx(100 * (1 / 2 + 1 / 2 + 1 + 1) / 4)
    assert figures(Subject(release, K2, attacker=known_to(release, ["age"])))["mrl"] == pytest.approx(
        100 * 2 / 4
    )


def test_statistics_by_hand() -> None:
    found = statistics(view())
    assert found["mean.age"] == 35 and found["mean_masked.age"] == 35
    assert found["sd.age"] == pytest.approx(np.std([20, 30, 30, 60]))
    assert found["sd_masked.age"] == pytest.approx(np.std([25, 25, 30, 60]))
    assert found["mean_shift.age"] == 0
    d = TREE.distance
    ache = d("ache", "colic") + d("ache", "fever")
    colic = 2 * d("ache", "colic") + d("colic", "fever")
    fever = 2 * d("ache", "fever") + d("colic", "fever")
    assert found["variance.word"] == pytest.approx((2 * ache + colic + fever) / (4 * 3))
    after = ["pain", "pain", "colic", "fever"]
    masked = sum(d(x, y) for x in after for y in after)
    change = 100 * (masked / (2 * ache + colic + fever) - 1)
    assert found["variance_change.word"] == pytest.approx(change)
    assert found["variance_change.age"] == pytest.approx(
        100 * (np.var([25, 25, 30, 60]) / np.var([20, 30, 30, 60]) - 1)
    )
    assert found["mean_shift.word"] == pytest.approx(d("ache", "pain"))
    ages = (np.array([20, 30, 30, 60]) - 35.0) ** 2
    by_hand = np.sqrt(np.array([ache, ache, colic, fever]) / 3 * ages).mean()
    assert found["covariance"][0][1] == pytest.approx(by_hand)


def missing_some() -> tuple[pa.Table, om.Plan]:
    """Every second age and every third pet is missing, so that no value is the most frequent entry."""
    rng = np.random.default_rng(1)
    ages = [int(age) if i % 2 else None for i, age in enumerate(rng.integers(20, 80, 60))]
    pays = [-3.0 * (age or 40) + noise for age, noise in zip(ages, rng.normal(size=60), strict=True)]
    pets = [None if i % 3 else pet for i, pet in enumerate(rng.choice(["dog", "cat", "rose", "oak"], 60))]
    plan = om.Plan.from_options(["age:numeric", "pet:wordnet", "pay:numeric"], k=3)
    return pa.table({"age": ages, "pet": pets, "pay": pays}), plan.replace(missing="own-class")


def test_evaluate_describe_and_stats_tell_the_same() -> None:
    table, plan = missing_some()
    release = om.anonymize(table, plan)
    found, means = figures(Subject(release.view)), []
    for when, one in (("", table), ("_masked", release.to_arrow())):
        described = om.stats.describe(one, plan, internal=True)
        for column in described.columns:
            assert found[f"variance{when}.{column.name}"] == pytest.approx(column.variance)
        means.append(described.columns[1].mean)
        for name in ("age", "pay"):
            assert found[f"sd{when}.{name}"] ** 2 == pytest.approx(found[f"variance{when}.{name}"])
            assert found[f"mean{when}.{name}"] == pytest.approx(om.stats.mean(one[name]).number)
            assert found[f"variance{when}.{name}"] == pytest.approx(om.stats.variance(one[name]))
        related = om.stats.correlation(one["age"], one["pay"])
        assert found[f"correlation{when}.age.pay"] == pytest.approx(related)
        matrix = om.stats.covariance_matrix(one, plan).values
        assert np.array(found[f"covariance{when}"]) == pytest.approx(matrix)
        assert matrix[0, 2] < 0
    assert (found["mean_shift.pet"] == 0) == (means[0] == means[1])
    change = found["variance_masked.pet"] / found["variance.pet"] - 1
    assert found["variance_change.pet"] == pytest.approx(100 * change)
    lower = np.tril_indices(3)
    before, after = (np.array(found[name])[lower] for name in ("covariance", "covariance_masked"))
    assert found["covariance_change"] == pytest.approx(np.mean(np.abs((after - before) / before)))


def test_a_mean_never_becomes_the_missing_value() -> None:
    pets = pa.table({"pet": [None] * 12 + ["dog"] * 4 + ["cat"] * 4})
    plan = om.Plan.from_options(["pet:wordnet"], k=2).replace(missing="own-class")
    release = om.anonymize(pets, plan)
    found = figures(Subject(release.view))
    assert (found["mean_shift.pet"], found["variance_change.pet"]) == (0, 0)
    assert len({*Changes.of(release, 0, internal=True).means()}) == 1


def test_columns_that_nobody_has_both_of_have_no_covariance() -> None:
    table = pa.table({"pet": ["dog", "cat", None, None] * 2, "age": [None, None, 1, 9] * 2})
    plan = om.Plan.from_options(["pet:wordnet", "age:numeric"], k=2).replace(missing="own-class")
    found = figures(Subject(om.anonymize(table, plan).view))
    assert found["covariance"][0][1] is found["covariance"][1][0] is None
    assert found["covariance_change"] == 0
    lost = [[4.0, np.nan], [np.nan, 3.0]]
    assert relative_change([[4.0, 2.0], [2.0, -2.0]], lost) == (0 + 5 / 2) / 2
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_twice_as_many_people_have_nearly_the_same_statistics() -> None:
    table, plan = missing_some()
    tables = table, pa.concat_tables([table] * 2)
    once, twice = (figures(Subject(om.anonymize(one, plan).view)) for one in tables)
    assert twice["variance.pet"] == pytest.approx(once["variance.pet"] * (19 / 20) / (39 / 40))
    assert twice["covariance"][0][2] == pytest.approx(once["covariance"][0][2])


def test_rows_that_are_left_out_do_not_lower_the_variance_of_words() -> None:
    word = Nominal("word", 1.0, -1, TREE, om.measure("logsc"), TREE.concepts(["ache", "fever"]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([4, 4]))
    pairs = Pairs.of_rows(
        np.array([0, 0, 1, 1]),
        word.own[[0, 0, 1, 1]][:, None],
        np.array([3, 1, 3, 1]),
        np.array([False, True, False, True]),
    )
    d = TREE.distance("ache", "fever")
    before, after = 2 * 4 * 4 * d / (8 * 7), 2 * 3 * 3 * d / (6 * 5)
    found = statistics(ReleaseView(tuples, [word], pairs))
    assert found["variance_change.word"] == pytest.approx(100 * (after / before - 1))


def test_numbers_under_a_hierarchy_have_their_statistics_too() -> None:
    ages = [20, 22, 30, 34, 41, 47, 55, 58]
    plan = om.Plan.from_options(["age:numeric"], k=2, method="datafly")
    release = om.anonymize(pa.table({"age": ages}), plan)
    assert release.to_arrow()["age"].to_pylist()[:2] == ["20-29", "20-29"]
    found = statistics(release.view) | losses(release.view)
    released = [21, 21, 32, 32, 44, 44, 56.5, 56.5]
    assert (found["mean.age"], found["sd.age"]) == pytest.approx((np.mean(ages), np.std(ages)))
    assert found["sd_masked.age"] == pytest.approx(np.std(released))
    assert found["mean_shift.age"] == pytest.approx(0)
    assert found["sse_plain.age"] == pytest.approx(np.sum((np.array(ages) - released) ** 2))


def test_correlation_is_the_usual_one() -> None:
    x, y = np.array([0.0, 1.0, 2.0]), np.array([3.0, 5.0, 9.0])
    a, b = Numeric.of("a", x, np.ones(3, int)), Numeric.of("b", y, np.ones(3, int))
    tuples = Tuples(np.array([[0, 0], [1, 2], [2, 1]], np.int32), np.array([1, 2, 3]))
    view = view_of(tuples, [a, b], [np.array([0.0, 1.0, 1.0]), np.array([4.0, 4.0, 4.0])])
    found = figures(Subject(view))
    expected = np.corrcoef(np.repeat(x, tuples.counts), np.repeat(y[[0, 2, 1]], tuples.counts))[0, 1]
    assert found["correlation.a.b"] == pytest.approx(expected)
    assert found["correlation_masked.a.b"] is None  # one of them became constant


def test_score_is_a_weighted_mean() -> None:
    assert score(40, 10, alpha=0.25) == pytest.approx(0.25 * 40 + 0.75 * 10)


@given(releases())
def test_every_release_has_figures(release: tuple[ReleaseView, list[Record]]) -> None:
    found = figures(Subject(release[0], K2, known_values=1))
    json.dumps(found, allow_nan=False)
    assert 0 <= found["ncp"] <= 1 + 1e-9 and -1e-9 <= found["prec"] <= 1
    assert found["srl"] >= found["mrl"] - 1e-9
    assert found["prosecutor_max"] <= 100


@given(releases())
def test_a_sample_is_judged_by_the_classes_that_other_figures_have(
    release: tuple[ReleaseView, list[Record]],
) -> None:
    view, _ = release
    subject = Subject(view, K2, sampling=Sampling(view.pairs.counts * 4.0), largest_unique=2)
    found = figures(subject)
    for when, sizes in (("", view.pairs.class_sizes), ("_before", subject.plain.tuples.counts)):
        expected = float(sizes @ individual_risks(sizes, sizes * 4.0))
        assert found[f"reidentifications{when}"] == pytest.approx(expected)
        assert found[f"special_uniques{when}"] <= found[f"sample_uniques{when}"] + 1e-9
    assert found["sampling_fraction"] == pytest.approx(25)


@given(releases())
def test_a_run_has_some_of_the_figures_and_every_figure_is_declared(
    release: tuple[ReleaseView, list[Record]],
) -> None:
    subject = Subject(release[0], K2, known_values=1)
    everything, run = figures(subject), figures(subject, of_a_run=True)
    assert run.items() <= everything.items() and "srl" not in run and "information_loss" in run
    assert all(figure_named(name) is not None for name in everything)
    names = [figure.name for family in FAMILIES for figure in family.figures]
    assert len(names) == len(set(names))
