"""Invented patients in the shape of the Framingham-like set of document 003 (table 6.3), for study and clock.

The set itself is not public. Ranges and categories are those printed; heart disease follows from them by a
logistic rule, so that cholesterol, pressure, hypertrophy and habits tell something of it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

N_ROWS, SEED = 26_000, 1
EDUCATION = ("grade school or less", "high school not graduate", "high school graduate", "college or more")
SMOKING = ("never smoked", "stopped", "cigar or pipe", "tobacco(<20/day)", "tobacco(>=20/day)")


def chd(n: int = N_ROWS, seed: int = SEED) -> pa.Table:
    """n patients: eight attributes, and who has heart disease."""
    rng = np.random.default_rng(seed)
    age = rng.normal(0, 1, n)  # not released; it ties the others together
    cholesterol = np.clip(rng.normal(225 + 12 * age, 42), 83, 430).round()
    systolic = np.clip(rng.normal(132 + 10 * age, 20), 48, 261).round()
    diastolic = np.clip(0.45 * (systolic - 132) + rng.normal(83, 9, n), 32, 152).round()
    hypertrophy = rng.random(n) < 1 / (1 + np.exp(4.2 - 0.03 * (systolic - 132)))
    foreign = rng.random(n) < 0.19
    education = np.clip((rng.normal(1.6 - 0.3 * age, 1.0)).round(), 0, 3).astype(int)
    smoking = rng.choice(len(SMOKING), n, p=[0.38, 0.09, 0.1, 0.18, 0.25])
    drinking = np.clip(rng.exponential(7, n), 0, 60.7).round(1)
    risk = (
        -1.7
        + 0.5 * age
        + 0.008 * (cholesterol - 225)
        + 0.025 * (systolic - 132)
        + 1.0 * hypertrophy
        + 0.15 * smoking
        - 0.12 * education
    )
    return pa.table(
        {
            "cholesterol": cholesterol.astype(int),
            "systolic": systolic.astype(int),
            "diastolic": diastolic.astype(int),
            "hypertrophy": np.where(hypertrophy, "positive", "negative"),
            "origin": np.where(foreign, "foreign born", "native born"),
            "education": np.array(EDUCATION)[education],
            "smoking": np.array(SMOKING)[smoking],
            "drinking": drinking,
            "disease": np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "yes", "no"),
        }
    )
