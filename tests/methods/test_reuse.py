"""Groups that were decided before: who goes where, which are closed, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.attributes import Numeric, Tuples
from ontomask.methods import METHODS, SUPPRESSED, Masking
from ontomask.methods._reuse_kernels import Costs, nearest
from ontomask.methods.reuse import Reuse
from ontomask.privacy import KAnonymity

RANGE = 100.0


def numbers(name: str, released: Sequence[float], weight: float = 1.0) -> Numeric:
    """The numbers 0..100 as codes, far apart by their difference over 100, and those released."""
    codes = np.arange(RANGE + 1)
    one = Numeric.of(name, codes, np.ones(len(codes), np.int64), weight=weight)
    return one.including(np.array(released, np.float64))


def placed(
    rows: Sequence[tuple[int, ...]],
    groups: Sequence[tuple[float, ...]],
    k: int = 1,
    weights: Sequence[float] = (1.0, 1.0),
    own: str = "sa-mdav",
    **more: Any,
) -> list[tuple[float, ...] | None]:
    """What each row becomes; None: left out."""
    m = len(rows[0])
    attributes = [numbers(f"c{j}", [group[j] for group in groups], weights[j]) for j in range(m)]
    values = np.stack(
        [attributes[j].replacement_of(np.array([group[j] for group in groups])) for j in range(m)], axis=1
    )
    codes, which, counts = np.unique(
        np.array(rows, np.int32), axis=0, return_inverse=True, return_counts=True
    )
    if more.pop("is_truthful", False):
        attributes = [replace(attribute, is_truthful=True) for attribute in attributes]
    method = Reuse(values, METHODS[own]())
    masking = method.mask(Tuples(codes, counts), attributes, [KAnonymity(k)], **more)
    became = of_tuples(masking, attributes)
    return [became[t] for t in which.ravel().tolist()]


def of_tuples(masking: Masking, attributes: Sequence[Numeric]) -> list[tuple[float, ...] | None]:
    return [
        None
        if g == SUPPRESSED
        else tuple(float(a.replacements[masking.values[g, j]]) for j, a in enumerate(attributes))
        for g in masking.groups.tolist()
    ]


# ---------------------------------------------------------------------- the nearest


def test_a_row_goes_to_the_nearest_group() -> None:
    assert placed([(10,), (39,), (41,), (95,)], [(0.0,), (80.0,)]) == [(0.0,), (0.0,), (80.0,), (80.0,)]


def test_columns_add_up_by_their_weights() -> None:
    rows, groups = [(50, 50)], [(53.0, 50.0), (50.0, 52.0)]  # 3 + 0 or 0 + 2
    assert placed(rows, groups) == [(50.0, 52.0)]
    assert placed(rows, groups, weights=(1.0, 2.0)) == [(53.0, 50.0)]  # 3 or 4


def test_columns_add_up_by_their_squares_if_that_is_asked_for() -> None:
    rows, groups = [(50, 50)], [(53.0, 50.0), (52.0, 52.0)]  # 3 or 2 + 2; 9 or 4 + 4
    assert placed(rows, groups, combine="mean") == [(53.0, 50.0)]
    assert placed(rows, groups, combine="euclidean") == [(52.0, 52.0)]


def test_of_equals_the_first() -> None:
    assert placed([(50,)], [(60.0,), (40.0,)]) == [(60.0,)]


@given(st.data())
def test_nearest_beside_plain_code(data: st.DataObject) -> None:
    draw = data.draw
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    widths = [draw(st.integers(1, 4)) for _ in sizes]
    cost = st.sampled_from([0.0, 0.25, 0.5, 1.0, np.inf])
    tables = [
        np.array([[draw(cost) for _ in range(w)] for _ in range(q)])
        for q, w in zip(sizes, widths, strict=True)
    ]
    n, n_groups = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    codes = np.array([[draw(st.integers(0, q - 1)) for q in sizes] for _ in range(n)], np.int32)
    values = np.array([[draw(st.integers(0, w - 1)) for w in widths] for _ in range(n_groups)])
    is_open = np.array([draw(st.booleans()) for _ in range(n_groups)])
    avoided = np.array([draw(st.integers(-1, n_groups - 1)) for _ in range(n)])
    starts = np.cumsum([0, *(table.size for table in tables)])[:-1]
    flat = np.concatenate([table.ravel() for table in tables])
    found, least = nearest(
        Costs(flat, starts, np.array(widths), values), codes, np.arange(n), avoided, is_open
    )
    for i in range(n):
        lost = [
            sum(tables[j][codes[i, j], values[g, j]] for j in range(len(sizes)))
            if is_open[g] and g != avoided[i]
            else np.inf
            for g in range(n_groups)
        ]
        best = int(np.argmin(lost))
        assert (found[i], least[i]) == ((best, lost[best]) if np.isfinite(lost[best]) else (-1, np.inf))


# ---------------------------------------------------------------------- requirements


def test_a_group_that_is_too_small_is_closed() -> None:
    rows, groups = [(0,), (0,), (52,), (100,), (100,)], [(0.0,), (50.0,), (100.0,)]
    assert placed(rows, groups, k=1)[2] == (50.0,)
    assert placed(rows, groups, k=2)[2] == (100.0,)


def test_small_groups_side_by_side_become_one_of_them() -> None:
    """48 moves to 53 for 5 - 1 more, 53 to 47 for 6: the cheaper one goes, and the other need not."""
    rows, groups = [(0,), (0,), (48,), (53,), (100,), (100,)], [(0.0,), (47.0,), (53.0,), (100.0,)]
    assert placed(rows, groups, k=2)[2:4] == [(53.0,), (53.0,)]


def test_rows_count_not_tuples() -> None:
    """Two rows of 40 cost 2 x (20 - 10) more at 60, the three of 68 3 x (18 - 8) at 50."""
    rows, groups = [(40,)] * 2 + [(68,)] * 3, [(50.0,), (60.0,)]
    assert placed(rows, groups, k=4) == [(60.0,)] * 5


def test_what_counts_is_how_much_more_is_lost() -> None:
    """(34, 90) is far from both groups, 44 or 46, and loses 2 more; (41, 50) would lose 11 instead of 1."""
    assert placed([(34, 90), (41, 50)], [(30.0, 50.0), (40.0, 50.0)], k=2) == [(40.0, 50.0)] * 2


def test_a_group_whose_next_was_just_closed_waits() -> None:
    """51 goes from 50 to 52 at no cost. 42 would have gone to 50; now it stays at 40, where 25 joins it."""
    rows, groups = [(51,), (52,), (42,), (25,)], [(50.0,), (52.0,), (40.0,), (20.0,)]
    assert placed(rows, groups, k=2) == [(52.0,), (52.0,), (40.0,), (40.0,)]


def test_nobody_is_left_out_while_others_can_still_move() -> None:
    """35 finds only 50 within .2. First 70 goes to 62 for 8 - 5 more, then both there go on to 50."""
    rows, groups = [(35,), (66,), (70,)], [(50.0,), (62.0,), (75.0,)]
    assert placed(rows, groups, k=3, max_loss=[0.2]) == [(50.0,)] * 3


def test_what_may_not_move_so_far_is_left_out_within_the_budget() -> None:
    rows, groups = [(0,), (0,), (30,)], [(0.0,)]
    assert placed(rows, groups, k=2, max_loss=[0.3]) == [(0.0,)] * 3
    assert placed(rows, groups, k=2, max_loss=[0.29], budget=1) == [(0.0,), (0.0,), None]
    with pytest.raises(om.OntomaskError, match=r"for 1 of 3 rows .* k = 2 .*allow suppress: 33.4%"):
        placed(rows, groups, k=2, max_loss=[0.29])


def test_values_that_are_kept_stay() -> None:
    rows, groups = [(10, 1), (10, 1), (12, 1)], [(11.0, 1.0), (12.0, 2.0), (12.0, 1.0)]
    assert placed(rows, groups, k=1, max_loss=[np.inf, 0.0]) == [(11.0, 1.0), (11.0, 1.0), (12.0, 1.0)]
    assert placed(rows, groups, k=2, max_loss=[np.inf, 0.0]) == [(11.0, 1.0)] * 3


def test_members_who_can_go_elsewhere_are_not_left_out_with_the_others() -> None:
    """The group at 20 has two rows of three; 26 finds 40, 5 finds nothing within .2."""
    rows, groups = [(5,), (26,), (45,), (45,)], [(20.0,), (40.0,)]
    assert placed(rows, groups, k=3, max_loss=[0.2], budget=1) == [None, (40.0,), (40.0,), (40.0,)]


def test_suppression_keeps_values_as_they_are() -> None:
    rows, groups = [(5,), (5,), (6,), (6,), (7,), (7,)], [(5.0,), (6.0,), (8.0,)]
    assert placed(rows, groups, k=2, own="suppression") == [(5.0,)] * 2 + [(6.0,)] * 2 + [None] * 2


def test_a_whole_column_at_one_level_says_what_becomes_of_a_value_wherever_it_stands() -> None:
    """Values are looked up one by one, so that they may meet in a new combination; but not in a new value."""
    rows, groups = [(1, 1)] * 2 + [(1, 2)] * 2 + [(3, 2)], [(1.0, 1.0), (2.0, 2.0)]
    true = {"is_truthful": True}
    assert placed(rows[:4], groups, k=2, own="datafly", **true) == [(1.0, 1.0)] * 2 + [(1.0, 2.0)] * 2
    assert placed(rows, groups, k=2, own="datafly", **true, budget=1)[4] is None
    with pytest.raises(om.OntomaskError, match="for 2 of 4 rows"):
        placed(rows[:4], groups, k=2, own="best-first", **true)


@given(
    rows=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=25),
    groups=st.lists(
        st.tuples(st.integers(0, 100).map(float), st.integers(0, 100).map(float)),
        min_size=1,
        max_size=8,
        unique=True,
    ),
    k=st.integers(1, 6),
    limit=st.sampled_from([np.inf, 0.3]),
)
def test_always_k_anonymous_within_limits_and_nothing_new(
    rows: list[tuple[int, int]], groups: list[tuple[float, float]], k: int, limit: float
) -> None:
    if k > len(rows):
        return
    became = placed(rows, groups, k=k, max_loss=[limit, np.inf], budget=len(rows))
    kept = [one for one in became if one is not None]
    assert set(kept) <= set(groups)
    assert all(kept.count(one) >= k for one in kept)
    assert all(
        abs(row[0] - one[0]) <= RANGE * limit + 1e-6 for row, one in zip(rows, became, strict=True) if one
    )
    assert np.isfinite(limit) or len(kept) == len(rows)
