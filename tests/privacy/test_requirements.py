"""Each requirement by its formula on classes small enough to count; joining never makes one false."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.attributes import Domain
from ontomask.privacy import (
    REQUIREMENTS,
    Classes,
    Closeness,
    Disclosure,
    Diversity,
    KAnonymity,
    KMap,
    KnownValues,
    Likeness,
    Requirement,
    violating,
)
from ontomask.privacy.requirement import excesses

DISTANCES = np.array([[0, 0.2, 1, 1], [0.2, 0, 1, 1], [1, 1, 0, 0.5], [1, 1, 0.5, 0]])


def classes(*counts: list[int], **domain: Any) -> Classes:
    """How often each class has each value of the column `ill`."""
    entries = [(c, v, n) for c, row in enumerate(counts) for v, n in enumerate(row) if n]
    which, values, times = np.array(entries).T
    known = Domain("ill", len(counts[0]), **domain)
    return Classes.of(which, values[:, None], times, [known])


def measured(one: Requirement, found: Classes) -> list[float]:
    return one.measured(found).tolist()


def test_distinct_entropy_and_recursive_diversity() -> None:
    found = classes([2, 2, 0, 0], [3, 1, 1, 1])
    assert measured(Diversity("ill", 2), found) == [2, 4]
    half, sixth = 1 / 2, 1 / 6
    entropy = math.exp(-half * math.log(half) - 3 * sixth * math.log(sixth))
    assert measured(Diversity("ill", 2, "entropy"), found) == pytest.approx([2, entropy])
    # 2 < c (2 + 2) and 2 < c 2; 3 < c (1 + 1 + 1) only for l = 2 if c is above 1
    assert measured(Diversity("ill", 2, "recursive", 1.5), found) == [2, 2]
    assert measured(Diversity("ill", 2, "recursive", 1.0), found) == [1, 1]
    assert Diversity("ill", 3).violations(found).tolist() == [True, False]


def test_closeness_equal_ordered_and_semantic() -> None:
    rows = [2, 2, 0, 0], [0, 0, 2, 2]
    assert measured(Closeness("ill", 0.5), classes(*rows)) == [0.5, 0.5]
    # Ranks 0..3: |1/2-1/4| + |1-1/2| + |1-3/4|, over 3
    assert measured(Closeness("ill", 0.5), classes(*rows, is_ordered=True)) == pytest.approx([1 / 3, 1 / 3])
    assert measured(Closeness("ill", 0.5, "equal"), classes(*rows, is_ordered=True)) == [0.5, 0.5]
    semantic = Closeness("ill", 0.4, "semantic")
    # Half of each class must go to the other branch, at distance 1, and nothing else has to move.
    assert measured(semantic, classes(*rows, distances=DISTANCES)) == pytest.approx([0.5, 0.5])
    near = classes([4, 0, 0, 0], [0, 4, 0, 0], distances=DISTANCES)
    assert measured(semantic, near) == pytest.approx([0.1, 0.1])  # half moves 0.2
    assert semantic.violations(near).tolist() == [False, False]
    assert Closeness("ill", 0.05, "semantic").violations(near).tolist() == [True, True]


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any), min_size=1, max_size=6))
def test_bounds_of_transports_settle_only_what_is_settled(rows: list[list[int]]) -> None:
    found = classes(*rows, distances=DISTANCES)
    exact = Closeness("ill", 0.3, "semantic").measured(found)
    for t in (0.05, 0.2, 0.3, 0.5):
        one = Closeness("ill", t, "semantic")
        assert one.violations(found).tolist() == (exact > t + 1e-9).tolist()


def test_gains_of_values() -> None:
    found = classes([3, 1], [1, 3])  # each value is half of the release
    assert measured(Likeness("ill", 1), found) == pytest.approx([0.75 / 0.5 - 1] * 2)
    enhanced = Likeness("ill", 1, "enhanced")  # a value of share 1/2 may gain -ln(1/2)
    assert measured(enhanced, found) == pytest.approx([0.5 / -math.log(0.5)] * 2)
    assert measured(Disclosure("ill", 1), found) == pytest.approx([math.log(2)] * 2)  # a half of a half
    assert measured(Disclosure("ill", 1), classes([2, 0], [1, 3])) == [math.inf, pytest.approx(math.log(2))]


def test_known_values_judges_whole_classes() -> None:
    one = KnownValues(2, 3, 0.6, ("ill",))
    assert measured(one, classes([3, 2], [1, 1], [4, 1])) == [5, 2, 0]
    assert [*KnownValues(2, 3, 0.6).over(["a", "b"])] == [KnownValues(2, 3, 0.6, ("a", "b"))]
    assert [*KnownValues(2, 3).over(["a", "b"])] == [KnownValues(2, 3)]


def test_people_of_a_unit_are_counted_once() -> None:
    found = Classes.of(
        np.array([0, 0, 1]), np.array([[0], [1], [1]]), np.array([2, 1, 3]), [Domain("who", 2)]
    )
    assert KAnonymity(2, "who").violations(found).tolist() == [False, True]
    assert KAnonymity(3).violations(found).tolist() == [False, False]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("l", 3, "must name a column, such as {diagnosis: 3}, not 3"),
        ("l", {"ill": 0}, "l must be a number 1 or more, not 0"),
        ("l", {"ill": 2.5}, "l must be a whole number, not 2.5"),
        ("l", {"ill": {"recursive": 3}}, "recursive must be a c and an l"),
        ("l", {"ill": {"spread": 3}}, "must be a number, or one of distinct, entropy, recursive"),
        ("t", {"ill": 2}, "t must be a number from 0 to 1, not 2"),
        ("t", {"ill": True}, "t must be a number from 0 to 1, not True"),
        ("beta", {"ill": 0}, "beta must be a number"),
        ("delta", {"ill": "x"}, "delta must be a number"),
        ("lkc", {"L": 2}, "must be an L, a K and perhaps a C"),
        ("lkc", {"L": 2, "K": 1.5}, "L and K must be whole numbers"),
        ("k_map", {"k": 3}, "must be a k and a population"),
    ],
)
def test_what_a_plan_may_not_ask_for(key: str, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("{", r"\{").replace("(", r"\(")):
        REQUIREMENTS[key].parse(value)


MONOTONE = [
    KAnonymity(3),
    Diversity("ill", 2),
    Diversity("ill", 1.8, "entropy"),
    Diversity("ill", 2, "recursive", 2.0),
    Closeness("ill", 0.3),
    Closeness("ill", 0.3, "ordered"),
    Closeness("ill", 0.2, "semantic"),
    Likeness("ill", 1.0),
    Likeness("ill", 1.0, "enhanced"),
    Disclosure("ill", 1.0),
    KnownValues(2, 3, 0.6, ("ill",)),
]


def test_every_requirement_is_tried() -> None:
    tried = {type(one) for one in MONOTONE} | {KMap}
    assert tried == set(REQUIREMENTS.values())
    assert not KMap(2, "people.csv").is_monotone


@pytest.mark.parametrize("one", MONOTONE, ids=str)
@given(rows=st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any), min_size=2, max_size=7))
def test_joining_never_makes_a_satisfied_requirement_false(one: Requirement, rows: list[list[int]]) -> None:
    found = classes(*rows, distances=DISTANCES)
    good = np.flatnonzero(~one.violations(found))
    a, b = (pair.ravel() for pair in np.meshgrid(good, good))
    a, b = a[a != b], b[a != b]
    if len(a):
        unions = found.unions(a, b)
        assert not violating([one], unions).any()
        assert not excesses([one], unions).any() or getattr(one, "ground", None) == "semantic"


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any), min_size=3, max_size=6))
def test_a_union_is_what_its_rows_make(rows: list[list[int]]) -> None:
    """Classes 0 and 1 together, beside the others, measure the same as their union among all."""
    found = classes(*rows, distances=DISTANCES)
    union = found.unions(np.array([0]), np.array([1]))
    joined = classes([x + y for x, y in zip(rows[0], rows[1], strict=True)], *rows[2:], distances=DISTANCES)
    for one in MONOTONE:
        assert one.measured(union)[0] == pytest.approx(one.measured(joined)[0])
