"""Individual risk: by its definition as an expectation, by its closed forms, and as a guide prints it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.privacy import individual_risks
from privacy.practice_guide import GLOBAL_RISK, PEOPLE, coded


def expected_share(f: int, p: float) -> float:
    """E(1/F | f), summed over the negative binomial P(F = h) = C(h-1, f-1) p^f (1-p)^(h-f)."""
    total, chance = 0.0, p**f
    for h in range(f, f + 200_000):
        total += chance / h
        chance *= h / (h - f + 1) * (1 - p)
        if h > f / p and chance < 1e-18:
            break
    return total


def risk(f: int, F: float) -> float:
    return float(individual_risks(np.array([f]), np.array([F]))[0])


def test_closed_forms_of_small_classes() -> None:
    """Franconi and Polettini 2004: f = 1, 2 and 3."""
    for F in (1.5, 3.7, 40.0, 1e6):
        p, q = 1 / F, 1 - 1 / F
        assert risk(1, F) == pytest.approx(p / q * math.log(1 / p), rel=1e-9)
        p, q = 2 / (2 * F), 1 - 1 / F
        assert risk(2, 2 * F) == pytest.approx(p / q - (p / q) ** 2 * math.log(1 / p), rel=1e-8)
        assert risk(3, 3 * F) == pytest.approx(
            p / q * (1 / 2 - (p / q - (p / q) ** 2 * math.log(1 / p))), rel=1e-6
        )


@pytest.mark.parametrize("f", [1, 2, 3, 7, 19, 20, 21, 60])
@pytest.mark.parametrize("p", [0.003, 0.2, 0.49, 0.51, 0.9, 0.999])
def test_it_is_the_expected_share_of_a_person(f: int, p: float) -> None:
    assert risk(f, f / p) == pytest.approx(expected_share(f, p), rel=1e-9)


def test_a_class_that_is_all_its_people_leaves_one_in_f() -> None:
    assert individual_risks(np.array([1, 2, 50]), np.array([1.0, 2.0, 50.0])).tolist() == [1, 0.5, 0.02]
    assert risk(4, 1.0) == 0.25  # weights below 1 do not make a class smaller than it is


@given(st.integers(1, 400), st.floats(1.0, 1e7))
def test_more_people_are_less_risk(f: int, weight: float) -> None:
    """Between 1/F (E(1/F) is no less than 1/E(F)) and 1/f; and falling with the weight."""
    F = f * weight
    assert 1 / F - 1e-12 <= risk(f, F) <= 1 / f + 1e-12
    assert risk(f, 1.5 * F) < risk(f, F)


def test_the_practice_guide() -> None:
    """Table 4.4 of the guide to four digits, and its global risk, 0.01582."""
    _, sizes, which = coded()
    risks = individual_risks(sizes, np.bincount(which, [one.weight for one in PEOPLE]))
    assert risks[which].round(4).tolist() == [one.risk for one in PEOPLE]
    assert round(float(risks[which].mean()), 5) == GLOBAL_RISK
