"""Heer's resampling of numbers, the historical baseline."""

from __future__ import annotations

import numpy as np

from ontomask.methods.resampling import heer_resampling


def test_the_ith_value_is_the_mean_of_the_ith_values_of_the_samples() -> None:
    numbers = np.array([40.0, 10.0, 30.0, 20.0, 90.0])
    samples = np.random.default_rng(3).choice(numbers, (7, 5))
    means = np.mean([sorted(sample) for sample in samples], axis=0)
    masked = heer_resampling(numbers, 7, np.random.default_rng(3))
    ranks = [sorted(numbers).index(x) for x in numbers]
    assert masked.tolist() == [means[rank] for rank in ranks]
    assert (np.argsort(masked, kind="stable") == np.argsort(numbers, kind="stable")).all()
    assert set(masked) != set(numbers)  # no k-anonymity is claimed for it
