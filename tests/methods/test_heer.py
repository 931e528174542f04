"""Heer's resampling of numbers, the historical baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ontomask.methods.resampling import heer_resampling


class Drawn(np.random.Generator):
    """A generator that draws what it is told."""

    def __init__(self, values: list[list[float]]) -> None:
        super().__init__(np.random.PCG64(0))
        self.values = np.array(values)

    def choice(self, a: Any, size: Any = None, **options: Any) -> Any:
        assert self.values.shape == size and np.isin(self.values, a).all()
        return self.values


def test_the_record_of_rank_i_gets_the_mean_of_the_ith_values_of_the_sorted_samples() -> None:
    numbers = np.array([40.0, 10.0, 30.0, 20.0, 90.0])
    samples = Drawn([[10, 10, 40, 90, 20], [30, 20, 20, 40, 40]])
    # Sorted: 10 10 20 40 90 and 20 20 30 40 40; their means by place: 15 15 25 40 65.
    assert heer_resampling(numbers, 2, samples).tolist() == [40, 15, 25, 15, 65]


@pytest.mark.parametrize("seed", range(5))
def test_many_samples_come_near_the_expected_order_statistics(seed: int) -> None:
    """Of two values drawn from {0, 1} the smaller is 1 in a quarter of the cases, the greater in three."""
    masked = heer_resampling(np.array([1.0, 0.0]), 4000, np.random.default_rng(seed))
    assert masked == pytest.approx([3 / 4, 1 / 4], abs=0.04)
