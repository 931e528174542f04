"""t-closeness: the three ground distances by formula, by scipy, and by linear programming."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from ontomask import OntomaskError
from ontomask.measures.base import on_grid
from ontomask.privacy import Confidential, equal_closeness, ordered_closeness, semantic_closeness

Rows = list[tuple[int, int]]


def rows_of(most_classes: int = 4, most_values: int = 6) -> st.SearchStrategy[Rows]:
    row = st.tuples(st.integers(0, most_classes - 1), st.integers(0, most_values - 1))
    return st.lists(row, min_size=1, max_size=30)


def table_of(rows: Rows) -> Confidential:
    classes, values = np.array(rows).T
    return Confidential.of(classes, values, np.ones(len(rows), int))


def classes_of(rows: Rows) -> list[list[int]]:
    return [[v for c, v in rows if c == each] for each in sorted({c for c, _ in rows})]


def test_published_salaries() -> None:
    # Nine salaries 3k..11k; the class {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167 (Li et al. 2007).
    salaries = list(range(9))
    first, second = [0, 1, 2], [3, 5, 8]
    rest = [s for s in salaries if s not in first + second]
    rows = [(c, v) for c, members in enumerate((first, second, rest)) for v in members]
    overall = np.full(9, 1 / 9)
    for members, expected in ((first, 0.375), (second, 1 / 6)):
        own = np.bincount(members, minlength=9) / 3
        by_hand = np.abs(np.cumsum(own - overall)).sum() / 8
        assert by_hand == pytest.approx(expected)
    assert ordered_closeness(table_of(rows)) == pytest.approx(0.375)


def test_values_nobody_has_widen_an_order() -> None:
    rows = [(0, 0), (1, 1)]
    assert ordered_closeness(table_of(rows)) == pytest.approx(0.5)
    assert ordered_closeness(table_of(rows), size=3) == pytest.approx(0.5 / 2)
    assert ordered_closeness(table_of([(0, 0), (1, 0)])) == 0


@given(rows_of())
def test_equal_is_half_the_sum_of_differences(rows: Rows) -> None:
    q = max(v for _, v in rows) + 1
    overall = np.bincount([v for _, v in rows], minlength=q) / len(rows)
    expected = max(
        np.abs(np.bincount(own, minlength=q) / len(own) - overall).sum() / 2 for own in classes_of(rows)
    )
    assert equal_closeness(table_of(rows)) == pytest.approx(expected)
    assert semantic_closeness(table_of(rows), 1.0 - np.eye(q)) == pytest.approx(expected)


@given(rows_of())
def test_ordered_is_the_distance_on_a_line(rows: Rows) -> None:
    q = max(v for _, v in rows) + 1
    everything = [v for _, v in rows]
    expected = max(wasserstein_distance(own, everything) for own in classes_of(rows)) / max(q - 1, 1)
    assert ordered_closeness(table_of(rows), q) == pytest.approx(expected)
    there = sorted({*everything})  # without q, values that no record has are no ranks
    ranked = [(c, there.index(v)) for c, v in rows]
    assert ordered_closeness(table_of(rows)) == pytest.approx(ordered_closeness(table_of(ranked), len(there)))
    ranks = np.arange(q, dtype=float)
    line = on_grid(np.abs(ranks[:, None] - ranks) / max(q - 1, 1))
    assert semantic_closeness(table_of(rows), line) == pytest.approx(expected, abs=1e-8)


@given(rows_of(3, 5), st.integers(0, 2**32 - 1))
def test_semantic_is_the_optimum_of_the_linear_program(rows: Rows, seed: int) -> None:
    q = max(v for _, v in rows) + 1
    # No metric, not even symmetric; only staying is free.
    distances = on_grid(np.random.default_rng(seed).uniform(size=(q, q)) * (1 - np.eye(q)))
    overall = np.bincount([v for _, v in rows], minlength=q) / len(rows)
    found = semantic_closeness(table_of(rows), distances)
    assert found == pytest.approx(optimum(rows, distances, overall), abs=1e-7)


def optimum(rows: Rows, distances: np.ndarray, overall: np.ndarray) -> float:
    q, worst = len(distances), 0.0
    flows = np.vstack([np.kron(np.eye(q), np.ones(q)), np.kron(np.ones(q), np.eye(q))])
    for own in classes_of(rows):
        share = np.bincount(own, minlength=q) / len(own)
        worst = max(worst, linprog(distances.ravel(), A_eq=flows, b_eq=np.concatenate([share, overall])).fun)
    return worst


def test_distances_must_be_there() -> None:
    with pytest.raises(OntomaskError, match="distance of at least 0"):
        semantic_closeness(table_of([(0, 0), (0, 1)]), np.zeros((1, 1)))
