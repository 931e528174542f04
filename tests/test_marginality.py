"""Marginality: the published example, the formulas, and the S-distance as a metric."""

from __future__ import annotations

import csv
import math
from itertools import permutations
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from conftest import GOLDEN
from ontomask.arrays import Float64, Int32, distinct_rows
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples, space_of
from ontomask.attributes._kernels import distances, row_from_tuple
from ontomask.attributes.dates import Dates
from ontomask.errors import PlanError
from ontomask.marginality import (
    Scaling,
    SDistance,
    covariance,
    covariance_matrix,
    marginalities,
    mean,
    variance,
)
from ontomask.methods import Task
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity
from reference import ontologies

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)


def test_published_example() -> None:
    with (GOLDEN / "diagnosis_distances.csv").open(newline="") as lines:
        _, *rows = csv.reader(lines)
    names, matrix = [row[0] for row in rows], np.array([[float(x) for x in row[1:]] for row in rows])
    ones = np.ones(9, int)
    found = marginalities(matrix, ones)
    # Printed with two digits, of distances printed with two digits.
    assert found == pytest.approx([6.94, 6.22, 6.22, 6.14, 5.07, 5.07, 5.3, 5.3, 5.88], abs=0.006)
    assert names[mean(found)].startswith("Alzheimer")
    assert variance(found, ones) == pytest.approx(5.79, abs=0.005)


def test_equal_elements_may_be_counted_instead_of_repeated() -> None:
    with (GOLDEN / "diagnosis_distances.csv").open(newline="") as lines:
        _, *rows = csv.reader(lines)
    matrix = np.array([[float(x) for x in row[1:]] for row in rows])
    distinct, counts = [0, 1, 2, 3, 4, 6, 8], np.array([1, 1, 1, 1, 2, 2, 1])
    found = marginalities(matrix[np.ix_(distinct, distinct)], counts)
    whole = marginalities(matrix, np.ones(9, int))
    assert found == pytest.approx(whole[distinct])
    assert variance(found, counts) == pytest.approx(variance(whole, np.ones(9, int)))


def test_covariance_by_hand() -> None:
    x, y, counts = np.array([1.0, 4.0]), np.array([9.0, 1.0]), np.array([3, 1])
    assert covariance(x, y, counts) == pytest.approx((3 * math.sqrt(9) + math.sqrt(4)) / 4)
    matrix = covariance_matrix([x, y], counts)
    assert matrix[0, 0] == pytest.approx(variance(x, counts))
    assert matrix[0, 1] == matrix[1, 0] == pytest.approx(covariance(x, y, counts))


def test_words_and_missing_words() -> None:
    word = Nominal(
        "w", 1.0, 2, TREE, om.measure("path"), np.append(TREE.concepts(["ache", "colic"]), np.int32(-1))
    )
    apart, lost = TREE.distance("ache", "colic", "path"), word.maximum
    found = word.marginalities(np.array([1, 2, 3]))
    assert found == pytest.approx([2 * apart + 3 * lost, apart + 3 * lost, 3 * lost])


def test_the_variance_of_numbers_is_the_usual_one() -> None:
    age = Numeric.of("age", np.array([1.0, 5.0]), np.array([1, 3]))
    counts = np.array([1, 3])
    assert variance(age.marginalities(counts), counts) == pytest.approx(np.var([1, 5, 5, 5]))


@pytest.mark.parametrize("scaling", ["published", "balanced"])
def test_s_distance_by_hand(scaling: str) -> None:
    word = Nominal("w", 1.0, -1, TREE, om.measure("logsc"), TREE.concepts(["ache", "fever"]))
    age = Numeric.of("age", np.array([1.0, 5.0]), np.array([1, 2]))
    tuples = Tuples(np.array([[0, 0], [1, 1]], np.int32), np.array([1, 2]))
    d = TREE.distance("ache", "fever", "logsc")
    of_words = (2 * d + d + d) / 3 / (1 if scaling == "published" else 2)
    of_ages = np.var([1, 5, 5], ddof=1)
    found = SDistance.of(tuples, [word, age], scaling).between(tuples.codes[:1], tuples.codes[1:])
    assert found[0] == pytest.approx(math.sqrt(d / of_words + (4**2 / 2) / of_ages))


@st.composite
def mixed(draw: st.DrawFn) -> tuple[Tuples, list[Attribute]]:
    """Records over words, numbers, ranks and days, each with a weight; all values of a column occur."""
    ontology = draw(ontologies(8))
    n = draw(st.integers(2, 6))
    rows = [draw(st.integers(0, len(ontology) - 1)) for _ in range(n)]
    words, codes = np.unique(rows, return_inverse=True)
    weights = st.sampled_from([0.5, 1.0, 3.0])
    attributes: list[Attribute] = [
        Nominal("w", draw(weights), -1, ontology, om.measure("logsc"), words.astype(np.int32))
    ]
    columns = [codes]
    for kind, most in ((Numeric, 10**6), (Numeric, 3), (Dates, 10**5)):
        numbers, codes = np.unique([draw(st.integers(0, most)) for _ in range(n)], return_inverse=True)
        times = np.bincount(codes)
        scale = draw(st.sampled_from(["range", "zscore"]))
        attributes.append(kind.of("n", numbers.astype(float), times, weight=draw(weights), scale=scale))
        columns.append(codes)
    first, which = distinct_rows(columns)
    return Tuples(np.stack(columns, axis=1)[first].astype(np.int32), np.bincount(which)), attributes


def all_pairs(delta: SDistance, codes: Int32) -> Float64:
    p = len(codes)
    i, j = (x.ravel() for x in np.indices((p, p)))
    return delta.between(codes[i], codes[j]).reshape(p, p)


@given(mixed(), st.sampled_from(["balanced", "published"]))
def test_s_distance_is_a_metric(table: tuple[Tuples, list[Attribute]], scaling: Scaling) -> None:
    tuples, attributes = table
    matrix = all_pairs(SDistance.of(tuples, attributes, scaling), tuples.codes)
    assert (matrix >= 0).all()
    assert (matrix.diagonal() == 0).all()
    assert (matrix[~np.eye(len(matrix), dtype=bool)] > 0).all()
    assert (matrix == matrix.T).all()
    assert (matrix[:, :, None] <= matrix[:, None, :] + matrix.T[None, :, :] + 1e-9).all()


@given(mixed(), st.sampled_from(["balanced", "published"]))
def test_loops_see_the_s_distance(table: tuple[Tuples, list[Attribute]], scaling: Scaling) -> None:
    tuples, attributes = table
    delta = SDistance.of(tuples, attributes, scaling)
    space = space_of(tuples, attributes, combine="variances", weights=delta.weights)
    found = [distances(space, row_from_tuple(space, t)) ** 2 for t in range(len(tuples))]
    assert np.array(found) == pytest.approx(all_pairs(delta, tuples.codes) ** 2, rel=1e-6, abs=1e-7)


@given(mixed())
def test_counted_and_repeated_records_vary_alike(table: tuple[Tuples, list[Attribute]]) -> None:
    """And `balanced`, the variance of words is the mean over every two records, that of each two alone."""
    tuples, attributes = table
    repeated = Tuples(np.repeat(tuples.codes, tuples.counts, axis=0), np.ones(tuples.n, np.int64))
    for scaling in get_args(Scaling):
        counted, single = (SDistance.of(one, attributes, scaling).variances for one in (tuples, repeated))
        assert counted == pytest.approx(single)
    codes = repeated.codes[:, 0]
    pairs = [
        attributes[0].pair_variance(codes[[i]], codes[[j]])[0] for i, j in permutations(range(tuples.n), 2)
    ]
    assert SDistance.of(tuples, attributes).variances[0] == pytest.approx(np.mean(pairs))


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
        ones = np.ones(len(words), np.int64)
        return variance(attribute.marginalities(ones), ones)

    assert spread(siblings) < spread(branches)


def test_the_mean_is_the_marginality_centroid() -> None:
    """`om.centroid` takes the value that `mean` takes; the semantic centroid need not be a value."""
    words = {"ache": 2, "colic": 2, "fever": 1}
    codes = TREE.concepts(sorted(words))
    attribute = Nominal("w", 1.0, -1, TREE, om.measure("logsc"), codes)
    counts = np.array([words[word] for word in sorted(words)])
    found = om.centroid(words, ontology=TREE, strategy="marginality")
    marginality = attribute.marginalities(counts)
    assert found.label == sorted(words)[mean(marginality)] == "ache"
    assert found.total == pytest.approx(marginality.min())
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
