"""Marginality: the published example, the formulas, and the S-distance as a metric."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from conftest import GOLDEN
from ontomask.attributes import Nominal, Numeric, Tuples
from ontomask.marginality import (
    SDistance,
    covariance,
    covariance_matrix,
    marginalities,
    mean,
    variance,
)
from ontomask.ontology.draft import Draft
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


@given(ontologies(), st.data())
def test_s_distance_is_a_metric(ontology: om.Ontology, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 5))
    word = Nominal("w", 1.0, -1, ontology, om.measure("logsc"), np.arange(len(ontology), dtype=np.int32))
    age = Numeric.of("age", np.arange(4.0), np.ones(4, int))
    rows = st.tuples(st.integers(0, len(ontology) - 1), st.integers(0, 3))
    codes = np.array(sorted(data.draw(st.sets(rows, min_size=1, max_size=n))), np.int32)
    table = SDistance.of(Tuples(codes, np.ones(len(codes), np.int64)), [word, age])
    p = len(codes)
    i, j = (x.ravel() for x in np.indices((p, p)))
    matrix = table.between(codes[i], codes[j]).reshape(p, p)
    assert (matrix.diagonal() == 0).all()
    assert (matrix == matrix.T).all()
    assert (matrix[~np.eye(p, dtype=bool)] > 0).all()
    assert (matrix[:, :, None] <= matrix[:, None, :] + matrix.T[None, :, :] + 1e-9).all()
