"""Minimal sample uniques against all subsets, one by one; scores by hand and as a guide prints them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.arrays import distinct_rows
from ontomask.privacy import SpecialUniques
from ontomask.privacy.special_uniques import data_intrusion, dis_suda
from privacy.practice_guide import COLUMNS, PEOPLE, coded

Row = tuple[int, ...]


def plain_msus(rows: list[Row], largest: int) -> list[set[Row]]:
    """For each row the sets of columns that single it out, and no subset of which does."""
    m, found = len(rows[0]), []
    for row in rows:
        unique = [
            columns
            for size in range(1, m + 1)
            for columns in combinations(range(m), size)
            if sum(all(other[j] == row[j] for j in columns) for other in rows) == 1
        ]
        minimal = {one for one in unique if not any(set(other) < set(one) for other in unique)}
        found.append({one for one in minimal if len(one) <= largest})
    return found


def searched(rows: list[Row], largest: int) -> tuple[SpecialUniques, list[int]]:
    """What the search finds, and the tuple of each row."""
    codes = np.array(rows)
    first, which = distinct_rows(list(codes.T))
    return SpecialUniques.of(codes[first], np.bincount(which), largest), which.tolist()


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    m = draw(st.integers(1, 5))
    return draw(st.lists(st.tuples(*[st.integers(0, 3)] * m), min_size=1, max_size=25))


@given(tables(), st.integers(1, 6))
def test_the_search_finds_what_all_subsets_show(rows: list[Row], largest: int) -> None:
    m = len(rows[0])
    sizes = max(1, min(largest, m - 1))
    expected = plain_msus(rows, sizes)
    found, which = searched(rows, largest)
    for place, msus in zip(which, expected, strict=True):
        by_size = Counter(len(one) for one in msus)
        assert found.msus[place].tolist() == [by_size[size] for size in range(1, sizes + 1)]
    weight = {s: math.prod(m - i for i in range(s, sizes + 1) if i < m) for s in range(1, sizes + 1)}
    scores = [sum(weight[len(one)] for one in msus) for msus in expected]
    assert found.scores[which].tolist() == scores
    if sum(scores):
        shares = [
            sum(weight[len(one)] for msus in expected for one in msus if j in one) / sum(scores)
            for j in range(m)
        ]
        assert found.contributions.tolist() == pytest.approx(shares)
    else:
        assert np.isnan(found.contributions).all()


def test_scores_of_the_practice_guide() -> None:
    """Table 4.5 of the guide: M = 3 of 4 columns. Record 5: rural 3 2 1, and three pairs 2 1 each: 12."""
    codes, counts, which = coded()
    found = SpecialUniques.of(codes, counts, largest=3)
    assert found.weights.tolist() == [3 * 2 * 1, 2 * 1, 1]
    assert found.scores[which].tolist() == [one.suda for one in PEOPLE]
    # Rural 6; with female 2 + 2; with secondary complete 2 + 2, ...; of all scores, 34.
    by_hand = {"residence": 6 + 2, "sex": 2 + 2 + 2, "education": 6 + 6 + 6 + 2 + 2, "work": 2 + 2 + 2 + 2}
    assert found.contributions.tolist() == pytest.approx([by_hand[name] / 34 for name in COLUMNS])


def test_risks_of_the_practice_guide() -> None:
    """The guide prints DIS-SUDA for a fraction of 0.01 and the scores of sdcMicro's `original_scores=FALSE`.

    These weigh an MSU of s among m columns by ``(2^(m-s) - 1) s! (m-s)! / m!``.
    """
    codes, counts, which = coded()
    found = SpecialUniques.of(codes, counts, largest=3)
    weights = np.array(
        [
            (2 ** (4 - s) - 1) * math.factorial(s) * math.factorial(4 - s) / math.factorial(4)
            for s in (1, 2, 3)
        ]
    )
    risks = dis_suda(found.msus @ weights, 4, data_intrusion(4, 3, 0.01), 4)
    assert risks[which].round(4).tolist() == [one.dis_suda for one in PEOPLE]


def test_risks_by_hand() -> None:
    codes, counts, which = coded()
    found = SpecialUniques.of(codes, counts, largest=3)
    q, dis = 1 + (8 - 4) / 20, 4 * 0.1 / (4 * 0.1 + 6 * 0.9)
    spread = 2 * 6**-q + 12**-q + 10**-q
    expected = [one.suda and 1 / (1 + 4 * (1 / dis - 1) / (one.suda**q * spread)) for one in PEOPLE]
    assert found.risks(0.1)[which].tolist() == pytest.approx(expected)


def test_nobody_unique_is_no_risk() -> None:
    found = SpecialUniques.of(np.array([[0, 0], [0, 1]]), np.array([2, 5]), largest=2)
    assert not found.scores.any() and not found.risks(0.1).any() and data_intrusion(0, 1, 0.1) == 0


def test_a_whole_population_is_certain() -> None:
    assert data_intrusion(3, 2, 1.0) == 1
    found = SpecialUniques.of(np.array([[0, 0], [0, 1], [1, 2]]), np.array([1, 1, 1]), largest=1)
    assert found.risks(1.0).tolist() == [1, 1, 1]
