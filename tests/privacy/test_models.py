"""The privacy models, each by its formula on a table small enough to count."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask import OntomaskError
from ontomask.attributes import Nominal, Numeric
from ontomask.ontology.draft import Draft
from ontomask.privacy import (
    Confidential,
    average_class_size,
    class_risks,
    discernibility,
    distinct_diversity,
    entropy_diversity,
    k_anonymity,
    k_map,
    known_values_privacy,
    matching_records,
    recursive_c,
    recursive_diversity,
)


def spread(*classes: dict[int, int]) -> Confidential:
    """Confidential values of each class with their counts."""
    entries = [(c, v, n) for c, values in enumerate(classes) for v, n in values.items()]
    return Confidential.of(*np.array(entries).T)


def test_k_anonymity_is_the_smallest_class() -> None:
    assert k_anonymity(np.array([5, 3, 8])) == 3
    assert k_anonymity(np.array([0, 3])) == 3
    assert k_anonymity(np.zeros(0, np.int64)) == 0


def test_class_sizes_by_hand() -> None:
    sizes = np.array([1, 2, 5])
    assert discernibility(sizes) == 1 + 4 + 25
    assert discernibility(sizes, suppressed=2) == 1 + 4 + 25 + 2 * 10
    assert average_class_size(sizes, k=2) == pytest.approx((8 / 3) / 2)


def test_class_risks_by_hand() -> None:
    risks = class_risks(np.array([1, 2, 5]), k=3, population=np.array([4, 8, 10]))
    assert risks["prosecutor_max"] == 100
    assert risks["prosecutor_mean"] == pytest.approx(100 * (1 * 1 + 2 * (1 / 2) + 5 * (1 / 5)) / 8)
    assert risks["journalist_max"] == pytest.approx(100 / 4)
    assert risks["marketer"] == pytest.approx(100 * (1 / 4 + 2 / 8 + 5 / 10) / 8)
    assert risks["records_below_k"] == pytest.approx(100 * 3 / 8)
    assert risks["sample_uniques"] == pytest.approx(100 * 1 / 8)
    assert risks["class_risk_blind"] == pytest.approx(100 / 8)


def test_without_a_population_the_sample_is_all_there_is() -> None:
    risks = class_risks(np.array([2, 6]), k=2)
    assert risks["journalist_max"] == risks["prosecutor_max"] == 50
    assert risks["marketer"] == risks["prosecutor_mean"] == pytest.approx(100 * 2 / 8)
    assert set(class_risks(np.zeros(0, np.int64), k=2).values()) == {0.0}


def test_k_map_counts_those_a_masked_tuple_may_be() -> None:
    tree = Draft.from_edges(
        "t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
    )
    labels = ["ache", "colic", "fever"]
    word = Nominal("word", 1.0, -1, tree, om.measure("path"), tree.concepts(labels))
    age = Numeric.of("age", np.array([30.0, 40.0]), np.array([1, 1]))
    people = np.array([[0, 0], [1, 0], [1, 1], [2, 0]])
    own = np.stack([word.own[people[:, 0]], age.own[people[:, 1]]], axis=1)
    values = [
        word.replacement_of(tree.concepts(["pain", "fever", "symptom"])),
        age.replacement_of(np.array([30.0, 30.0, 40.0])),
    ]
    found = matching_records(np.stack(values, axis=1), own, np.array([2, 3, 5, 7]), [word, age])
    assert found.tolist() == [2 + 3, 7, 5]
    assert k_map(found) == 5


def test_distinct_diversity() -> None:
    assert distinct_diversity(spread({0: 9, 1: 1}, {0: 1, 1: 1, 2: 1})) == 2


def test_entropy_diversity() -> None:
    table = spread({0: 3, 1: 1}, {0: 1, 1: 1, 2: 1})
    entropy = -(3 / 4 * math.log(3 / 4) + 1 / 4 * math.log(1 / 4))
    assert entropy_diversity(table) == pytest.approx(math.exp(entropy))


def test_recursive_diversity() -> None:
    table = spread({0: 5, 1: 3, 2: 2, 3: 1}, {0: 2, 1: 2, 2: 2, 3: 2})
    # The first class decides: 5 < 2 (2 + 1), the third value on, but not 5 < 2 * 1, the fourth alone.
    assert recursive_diversity(table, c=2) == 3
    assert recursive_diversity(table, c=0.9) == 2  # 5 < .9 * 6, not 5 < .9 * 3
    assert recursive_diversity(table, c=0.1) == 0
    assert recursive_c(table, 2) == pytest.approx(5 / 6)
    assert recursive_c(table, 4) == pytest.approx(5 / 1)
    assert recursive_c(table, 5) == math.inf
    with pytest.raises(OntomaskError, match="more than 0"):
        recursive_diversity(table, c=0)


def test_suppressed_records_are_in_no_class() -> None:
    table = Confidential.of(np.array([0, -1, 0]), np.array([1, 5, 2]), np.array([2, 9, 2]))
    assert table.sizes.tolist() == [4]
    assert table.overall.tolist() == [0, 0.5, 0.5]
    assert table.blind_guess == 0.5


def test_lkc_by_hand() -> None:
    sex, job, town = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 1])
    illness = np.array([0, 1, 1, 1, 0])
    counts = np.array([2, 2, 3, 4, 4])
    one = known_values_privacy([sex, job, town], counts, 1, illness)
    # Groups of one value: sex 7 and 8, job 4 and 11, town 2 and 13; the two of town 0 all have illness 0.
    assert (one.k, one.k_at, one.confidence, one.confidence_at) == (2, (2,), 1.0, (2,))
    assert one.holds(2) and not one.holds(3) and not one.holds(2, 0.9)
    two = known_values_privacy([sex, job], counts, 2, illness)
    # (0,0): 4 with 2:2; (0,1): 3 all 1; (1,1): 8 with 4:4.
    assert (two.k, two.confidence) == (3, 1.0)
    with pytest.raises(OntomaskError, match="at least 1"):
        known_values_privacy([sex], counts, 0)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    rows = draw(st.lists(st.lists(st.integers(0, 2), min_size=m, max_size=m), min_size=n, max_size=n))
    return rows, draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))


@given(tables(), st.integers(1, 5))
def test_lkc_is_that_of_all_smaller_sets_too(table: tuple[list[list[int]], list[int]], most: int) -> None:
    rows, illness = table
    k, confidence = len(rows), 0.0
    for size in range(1, min(most, len(rows[0])) + 1):
        for chosen in combinations(range(len(rows[0])), size):
            for key in {tuple(row[j] for j in chosen) for row in rows}:
                group = [
                    s for row, s in zip(rows, illness, strict=True) if tuple(row[j] for j in chosen) == key
                ]
                k = min(k, len(group))
                confidence = max(confidence, max(map(group.count, group)) / len(group))
    found = known_values_privacy(
        list(np.array(rows).T), np.ones(len(rows), np.int64), most, np.array(illness)
    )
    assert (found.k, found.confidence) == (k, pytest.approx(confidence))
