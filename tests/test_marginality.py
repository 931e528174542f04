"""Marginality: the published example, the formulas, and the S-distance as a metric."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from conftest import GOLDEN
from ontomask.arrays import Float64, Int64, distinct_rows
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples, space_of
from ontomask.attributes._kernels import distances, row_from_tuple
from ontomask.attributes.dates import Dates
from ontomask.distribution import Distribution, Joint, Scaling
from ontomask.errors import PlanError
from ontomask.methods import Task
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.ontology.draft import Draft
from ontomask.pipeline import prepare
from ontomask.privacy import KAnonymity
from ontomask.s_distance import SDistance
from reference import ontologies

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)


def published(matrix: Float64, counts: Sequence[int]) -> Distribution:
    """Of words of which nothing is known but their distances."""
    words: Any = SimpleNamespace(line=None, size=len(matrix), missing=-1, marginalities=lambda n: matrix @ n)
    return Distribution(words, np.array(counts), "published")


def printed_distances() -> tuple[list[str], Float64]:
    with (GOLDEN / "diagnosis_distances.csv").open(newline="") as lines:
        _, *rows = csv.reader(lines)
    return [row[0] for row in rows], np.array([[float(x) for x in row[1:]] for row in rows])


def test_published_example() -> None:
    names, matrix = printed_distances()
    found = published(matrix, [1] * 9)
    # Printed with two digits, of distances printed with two digits.
    assert found.marginality == pytest.approx([6.94, 6.22, 6.22, 6.14, 5.07, 5.07, 5.3, 5.3, 5.88], abs=0.006)
    assert names[found.mean_code].startswith("Alzheimer")
    assert found.mean == found.marginality.min()
    assert found.variance == pytest.approx(5.79, abs=0.005)


def test_equal_elements_may_be_counted_instead_of_repeated() -> None:
    _, matrix = printed_distances()
    distinct = [0, 1, 2, 3, 4, 6, 8]
    found = published(matrix[np.ix_(distinct, distinct)], [1, 1, 1, 1, 2, 2, 1])
    whole = published(matrix, [1] * 9)
    assert found.marginality == pytest.approx(whole.marginality[distinct])
    assert found.variance == pytest.approx(whole.variance)


def test_covariance_by_hand() -> None:
    """Three records have the first word of x and of y, one the second of each."""
    x, y = (published(np.array([[0, d], [d, 0.0]]), [3, 1]) for d in (2.0, 5.0))
    joint = Joint(x, y, np.array([[0, 0], [1, 1]], np.int32), np.array([3, 1]))
    assert (x.marginality.tolist(), y.marginality.tolist()) == ([2, 6], [5, 15])
    assert joint.covariance == pytest.approx((3 * math.sqrt(2 * 5) + math.sqrt(6 * 15)) / 4)
    assert Joint(x, x, joint.codes, joint.counts).covariance == pytest.approx(x.variance)


def test_words_and_missing_words() -> None:
    word = Nominal(
        "w", 1.0, 2, TREE, om.measure("path"), np.append(TREE.concepts(["ache", "colic"]), np.int32(-1))
    )
    apart, lost = TREE.distance("ache", "colic", "path"), word.maximum
    found = word.marginalities(np.array([1, 2, 3]))
    assert found == pytest.approx([2 * apart + 3 * lost, apart + 3 * lost, 3 * lost])


def test_the_variance_of_numbers_is_the_usual_one() -> None:
    age = Numeric.of("age", np.array([1.0, 5.0]), np.array([1, 3]))
    assert Distribution(age, np.array([1, 3])).variance == pytest.approx(np.var([1, 5, 5, 5]))


# ---------------------------------------------------------------------- the S-distance


def pair_variance(attribute: Attribute, a: int, b: int) -> float:
    """S2_12: of two records alone; what only one of them has is at the maximum."""
    line = attribute.line
    if line is None:
        return float(attribute.distance(np.array([a]), attribute.own[[b]])[0])
    x, y = line.numbers[[a, b]].tolist()
    if math.isnan(x) or math.isnan(y):
        return 0.0 if a == b else (line.far * line.unit) ** 2 / 2
    return float((x - y) ** 2 / 2)


def plain_variance(attribute: Attribute, codes: list[int], scaling: Scaling) -> float:
    """S2 over records with a value: the mean of S2_12 over every two, of words times n - 1 as published."""
    known = [code for code in codes if code != attribute.missing]
    pairs = [pair_variance(attribute, a, b) for a, b in permutations(known, 2)]
    is_sum = scaling == "published" and attribute.line is None
    if len({*known}) > 1:
        return float(np.mean(pairs)) * (len(known) - 1 if is_sum else 1)
    if not known or len(known) == len(codes):
        return 0.0
    return pair_variance(attribute, known[0], attribute.missing) * (max(len(known) - 1, 1) if is_sum else 1)


def s_distances(tuples: Tuples, attributes: Sequence[Attribute], scaling: Scaling) -> Float64:
    """Of every two tuples, by the definition over records."""
    records = np.repeat(tuples.codes, tuples.counts, axis=0)
    squares = np.zeros((len(tuples), len(tuples)))
    for j, attribute in enumerate(attributes):
        s2 = plain_variance(attribute, records[:, j].tolist(), scaling)
        codes = tuples.codes[:, j].tolist()
        if s2 > 0:
            apart = [[pair_variance(attribute, a, b) for b in codes] for a in codes]
            squares += attribute.weight * np.array(apart) / s2
    return np.sqrt(squares)


def seen_by_loops(tuples: Tuples, attributes: Sequence[Attribute], scaling: Scaling) -> Float64:
    """Of every two tuples, as groups are formed by it."""
    weights = SDistance.of(tuples, attributes, scaling).weights
    space = space_of(tuples, attributes, combine="variances", weights=weights)
    return np.array([distances(space, row_from_tuple(space, t)) for t in range(len(tuples))])


@pytest.mark.parametrize("scaling", ["published", "balanced"])
def test_s_distance_by_hand(scaling: Scaling) -> None:
    word = Nominal("w", 1.0, -1, TREE, om.measure("logsc"), TREE.concepts(["ache", "fever"]))
    age = Numeric.of("age", np.array([1.0, 5.0]), np.array([1, 2]))
    tuples = Tuples(np.array([[0, 0], [1, 1]], np.int32), np.array([1, 2]))
    d = TREE.distance("ache", "fever", "logsc")
    of_words = (2 * d + d + d) / 3 / (1 if scaling == "published" else 2)
    of_ages = np.var([1, 5, 5], ddof=1)
    expected = math.sqrt(d / of_words + (4**2 / 2) / of_ages)
    assert SDistance.of(tuples, [word, age], scaling).variances == pytest.approx([of_words, of_ages])
    assert seen_by_loops(tuples, [word, age], scaling)[0, 1] == pytest.approx(expected)


@pytest.mark.parametrize("scaling", ["published", "balanced"])
def test_s_distance_with_missing_values_by_hand(scaling: Scaling) -> None:
    """Ages 1, 1, 5 and two without; words that are all the same or missing."""
    age = Numeric.of("age", np.array([1.0, 5.0, np.nan]), np.array([2, 1, 2]))
    word = Nominal("w", 1.0, 1, TREE, om.measure("logsc"), np.append(TREE.concepts(["ache"]), np.int32(-1)))
    same = Numeric.of("same", np.array([0.1, np.nan]), np.array([3, 2]))
    codes = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0], [2, 0, 1]], np.int32)
    tuples = Tuples(codes, np.array([2, 1, 1, 1]))
    found = SDistance.of(tuples, [age, word, same], scaling)
    sums = 3 if scaling == "published" else 1
    of_same = (same.line.far * same.unit) ** 2 / 2
    assert found.variances == pytest.approx([np.var([1, 1, 5], ddof=1), word.maximum * sums, of_same])
    lost = (age.line.far * age.unit) ** 2 / 2 / np.var([1, 1, 5], ddof=1)
    apart = seen_by_loops(tuples, [age, word, same], scaling)
    assert apart[0, 2] ** 2 == pytest.approx(lost + 1 / sums)
    assert apart[0, 3] ** 2 == pytest.approx(lost + 1)
    assert apart[2, 3] ** 2 == pytest.approx(1 / sums + 1)


def test_numbers_that_a_hierarchy_compares_count_by_their_weight() -> None:
    table = pa.table({"age": [20, 31, 44, 58, 23, 39], "pay": [1.0, 2, 3, 9, 8, 7]})
    plan = om.Plan.from_options(["age:numeric", "pay:numeric"], k=2, method="marginality-mdav")
    plan = plan.replace(attributes={"age": {"hierarchy": {"width": 10}, "weight": 3}})
    known = prepare(table, plan)
    attributes = [column.attribute for column in known.columns]
    assert attributes[0].line is None
    weights = SDistance.of(known.tuples, attributes).weights
    assert weights[0] == 3


@st.composite
def mixed(draw: st.DrawFn) -> tuple[Tuples, list[Attribute]]:
    """Records over words, numbers, ranks and days, each with a weight, some missing; all values occur."""
    ontology = draw(ontologies(8))
    n = draw(st.integers(2, 6))
    weights, lost = st.sampled_from([0.5, 1.0, 3.0]), st.lists(st.booleans(), min_size=n, max_size=n)

    def coded(values: list[int]) -> tuple[Float64, Int64]:
        """Distinct values, last what is missing (NaN), and which of them each record has."""
        gone = draw(st.one_of(st.just([False] * n), lost))
        column = np.where(gone, np.nan, np.array(values, float))
        return np.unique(column, return_inverse=True)

    concepts, codes = coded([draw(st.integers(0, len(ontology) - 1)) for _ in range(n)])
    missing = len(concepts) - 1 if np.isnan(concepts).any() else -1
    words = np.where(np.isnan(concepts), -1, concepts).astype(np.int32)
    attributes: list[Attribute] = [Nominal("w", draw(weights), missing, ontology, om.measure("logsc"), words)]
    columns = [codes]
    for kind, most in ((Numeric, 10**6), (Numeric, 3), (Dates, 10**5)):
        numbers, codes = coded([draw(st.integers(0, most)) for _ in range(n)])
        times = np.bincount(codes)
        scale = draw(st.sampled_from(["range", "zscore"]))
        attributes.append(kind.of("n", numbers, times, weight=draw(weights), scale=scale))
        columns.append(codes)
    first, which = distinct_rows(columns)
    return Tuples(np.stack(columns, axis=1)[first].astype(np.int32), np.bincount(which)), attributes


@given(mixed(), st.sampled_from(["balanced", "published"]))
def test_s_distance_is_a_metric(table: tuple[Tuples, list[Attribute]], scaling: Scaling) -> None:
    tuples, attributes = table
    matrix = seen_by_loops(tuples, attributes, scaling)
    assert (matrix >= 0).all()
    assert matrix.diagonal() == pytest.approx(0, abs=1e-6)
    assert (matrix[~np.eye(len(matrix), dtype=bool)] > 1e-6).all()
    assert matrix == pytest.approx(matrix.T, rel=1e-6)
    assert (matrix[:, :, None] <= matrix[:, None, :] + matrix.T[None, :, :] + 1e-6).all()


@given(mixed(), st.sampled_from(["balanced", "published"]))
def test_loops_see_the_s_distance_over_records(
    table: tuple[Tuples, list[Attribute]], scaling: Scaling
) -> None:
    found, expected = seen_by_loops(*table, scaling), s_distances(*table, scaling)
    assert found**2 == pytest.approx(expected**2, rel=1e-6, abs=1e-7)


@given(st.integers(2, 4), st.lists(st.integers(2, 4), min_size=1, max_size=3))
def test_siblings_vary_less_than_values_of_different_branches(size: int, widths: list[int]) -> None:
    """In a tree whose leaves are equally deep."""
    levels = [["r"]]
    edges = []
    for width in [max(size, 2), *widths, size]:
        levels.append([f"{name}{i}" for name in levels[-1] for i in range(width)])
        edges += [(name, name[:-1]) for name in levels[-1]]
    tree = Draft.from_edges("tree", edges)
    leaf = "0" * len(widths)
    siblings = [f"r0{leaf}{i}" for i in range(size)]
    branches = [f"r{i}{leaf}0" for i in range(size)]

    def spread(words: list[str]) -> float:
        attribute = Nominal("w", 1.0, -1, tree, om.measure("logsc"), np.sort(tree.concepts(words)))
        return Distribution(attribute, np.ones(len(words), np.int64)).variance

    assert spread(siblings) < spread(branches)


def test_the_mean_is_the_marginality_centroid() -> None:
    """`om.centroid` takes the value that `mean` takes; the semantic centroid need not be a value."""
    words = {"ache": 2, "colic": 2, "fever": 1}
    codes = TREE.concepts(sorted(words))
    attribute = Nominal("w", 1.0, -1, TREE, om.measure("logsc"), codes)
    counts = np.array([words[word] for word in sorted(words)])
    found = om.centroid(words, ontology=TREE, strategy="marginality")
    column = Distribution(attribute, counts, "published")
    assert found.label == sorted(words)[column.mean_code] == "ache"
    assert found.total == pytest.approx(column.mean)
    assert om.centroid(words, ontology=TREE, measure="path").label == "pain"


def test_the_plan_may_ask_for_the_marginality_centroid_of_any_method() -> None:
    pets = pa.table({"pet": ["dog", "cat", "cow", "frog", "newt", "toad"]})
    plan = om.Plan.from_options(["pet:wordnet"], k=3, centroid="marginality")
    for method in ("sa-mdav", "mdav", "resampling", "k-ward"):
        released = om.anonymize(pets, plan.with_method(method)).to_arrow()["pet"].to_pylist()
        assert {*released} <= {*pets["pet"].to_pylist()}, "values of the table"
        assert len({*released}) <= 2
    with pytest.raises(PlanError, match="centroid: an option of"):
        plan.with_method("mdav-equality").replace(method={"centroid": "marginality"})
    with pytest.raises(PlanError, match="centroid: marginality-mdav takes what is most frequent"):
        plan.with_method("marginality-mdav").replace(method={"classic": True})


def test_a_column_of_one_value_weighs_nothing_and_may_have_a_limit_or_none() -> None:
    """Its variance is 0, and 0 times no limit is no number."""
    flat = Numeric.of("flat", np.array([7.0]), np.array([4]))
    age = Numeric.of("age", np.array([1.0, 2.0]), np.array([2, 2]))
    tuples = Tuples(np.array([[0, 0], [0, 1]], np.int32), np.array([2, 2]))
    for limit in (np.inf, 0.5):
        task = Task(tuples, [flat, age], [KAnonymity(2)], max_loss=[limit, np.inf])
        space = MarginalityMdav().space(task)
        assert space.attributes["weight"][0] == 0 < space.attributes["weight"][1]
        assert task.limits_in(space)[0] >= 0 and task.limits_in(space)[1] == np.inf
