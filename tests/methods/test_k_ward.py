"""k-Ward by hand, what it promises beside its plain twin, and how many tuples it takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from conftest import GOLDEN
from ontomask.attributes import Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.methods.k_ward import MOST_TUPLES, KWard
from ontomask.pipeline import prepare
from ontomask.privacy import KAnonymity


def groups_of(numbers: list[float], k: int, counts: list[int] | None = None) -> list[list[float]]:
    """The groups of some numbers."""
    times = np.array(counts or [1] * len(numbers), np.int64)
    line = Numeric.of("x", np.array(numbers, np.float64), times)
    tuples = Tuples(np.arange(len(numbers), dtype=np.int32)[:, None], times)
    masking = KWard().mask(tuples, [line], [KAnonymity(k)])
    found = [np.array(numbers)[masking.cells[masking.groups == g]].tolist() for g in range(masking.n_groups)]
    return sorted(found)


def test_the_ends_come_first_and_what_is_between_joins_what_it_is_nearest_to() -> None:
    """0 and 20 are most distant: {0, 1} and {18, 20}. Of 3, 9, 10 the last two are nearest, and have two.

    3 then costs 2 n/(n + 1) d^2 at a group of n with mean d away: {0, 1}, 2.5 away.
    """
    assert groups_of([0, 1, 3, 9, 10, 18, 20], 2) == [[0, 1, 3], [9, 10], [18, 20]]


def test_two_groups_of_k_are_never_joined_and_large_ones_are_split() -> None:
    """Without the rule {0, 1} and {2, 3} would be one: they are nearer to one another than to 50."""
    assert groups_of([0, 1, 2, 3, 50, 51], 2) == [[0, 1], [2, 3], [50, 51]]


def test_records_of_a_tuple_stay_together() -> None:
    assert groups_of([0, 1, 5], 2, [1, 3, 4]) == [[0, 1], [5]]
    assert groups_of([0, 1], 3, [1, 4]) == [[0, 1]]  # what 1 leaves is too few
    assert groups_of([7], 3, [9]) == [[7]]


def test_it_loses_less_than_sa_mdav_on_adult(data: Callable[[str], Path]) -> None:
    columns = {
        name: {"role": "quasi-identifier", "under": under, "mapping": str(GOLDEN / "adult_mapping.csv")}
        for name, under in (("occupation", "person"), ("native-country", "location"))
    }
    prepared = prepare(data("adult/adult.csv"), om.Plan.from_dict({"attributes": columns, "others": "keep"}))
    for k, lost in ((2, 0.0683), (5, 0.3912), (10, 0.886)):
        masking = KWard().mask(prepared.tuples, prepared.attributes, [KAnonymity(k)])
        view = ReleaseView(prepared.tuples, masking.attributes, Pairs.of(prepared.tuples, masking))
        assert losses(view)["information_loss"] == pytest.approx(lost, abs=5e-5)


def test_too_many_tuples_are_refused_with_what_to_use_instead() -> None:
    n = MOST_TUPLES + 1
    line = Numeric.of("x", np.arange(float(n)), np.ones(n, np.int64))
    tuples = Tuples(np.arange(n, dtype=np.int32)[:, None], np.ones(n, np.int64))
    with pytest.raises(
        om.OntomaskError, match=r"5,000 at most; there are 5,001.*use `annealing` or `sa-mdav`"
    ):
        KWard().mask(tuples, [line], [KAnonymity(2)])
