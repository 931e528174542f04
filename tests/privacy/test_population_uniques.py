"""Population uniques: each model by its formula, on samples drawn from itself, and as ARX prints it."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.arrays import Int64
from ontomask.privacy import PopulationUniques
from ontomask.privacy.population_uniques import (
    Frequencies,
    _digamma,
    pitman_parameters,
    pitman_uniques,
    population_classes,
    snb_parameters,
    snb_uniques,
    zayatz_uniques,
)

SMALL = Frequencies.of(np.array([1, 1, 1, 2, 2, 4]), people=22)
"""11 records of 22: three classes of one, two of two, one of four."""


def test_zayatz_by_hand() -> None:
    """h_i: of i people among 22 exactly one is among the 11 drawn."""
    h = {i: i * math.comb(22 - i, 10) / math.comb(22, 11) for i in (1, 2, 4)}
    assert h[1] == pytest.approx(11 / 22)
    assert zayatz_uniques(SMALL) == pytest.approx(3 * (3 * h[1]) / (3 * h[1] + 2 * h[2] + 1 * h[4]))


def test_zayatz_knows_that_large_classes_cannot_be_drawn_once() -> None:
    """9 of 10 drawn: of a class of 5 at least 4 are drawn."""
    assert zayatz_uniques(Frequencies.of(np.array([1, 3, 5]), people=10)) == 1
    assert zayatz_uniques(Frequencies.of(np.array([1, 1, 3]), people=5)) == 2  # everybody is drawn


def log_likelihood(sample: Frequencies, theta: float, alpha: float) -> float:
    """Of Pitman's sampling formula, factor by factor."""
    total = sum(math.log(theta + i * alpha) for i in range(1, sample.classes))
    total -= sum(math.log(theta + i) for i in range(1, sample.n))
    for j, s in zip(sample.sizes.tolist(), sample.counts.tolist(), strict=True):
        total += s * sum(math.log(i - alpha) for i in range(1, j))
    return total


def pitman_sample(rng: np.random.Generator, n: int, theta: float, alpha: float) -> list[int]:
    """Sizes of classes, person by person: the urn of Pitman's formula."""
    people: list[int] = []  # the class of each
    sizes: list[int] = []
    for i in range(n):
        if rng.random() < (theta + alpha * len(sizes)) / (theta + i):
            people.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # a class in proportion to its size less alpha
            chosen = people[rng.integers(i)]
            if rng.random() < (sizes[chosen] - alpha) / sizes[chosen]:
                break
        people.append(chosen)
        sizes[chosen] += 1
    return sizes


def test_pitmans_parameters_are_the_most_likely() -> None:
    sizes = pitman_sample(np.random.default_rng(5), 400, theta=6.0, alpha=0.6)
    sample = Frequencies.of(np.array(sizes), people=4000)
    found = pitman_parameters(sample)
    assert found is not None
    best = log_likelihood(sample, *found)
    for theta, alpha in ((1.02, 1), (0.98, 1), (1, 1.02), (1, 0.98), (1.1, 0.97), (0.9, 1.03)):
        assert log_likelihood(sample, found[0] * theta, found[1] * alpha) < best


def test_pitman_finds_the_parameters_of_its_own_urn() -> None:
    sizes = pitman_sample(np.random.default_rng(3), 20_000, theta=20.0, alpha=0.7)
    found = pitman_parameters(Frequencies.of(np.array(sizes), people=20_000))
    assert found is not None and found[1] == pytest.approx(0.7, abs=0.03)


def test_pitman_expects_so_many_uniques() -> None:
    """A person stays unique if nobody after them joins: a product, person by person."""
    sample = Frequencies.of(np.array([1] * 9 + [2] * 3 + [5]), people=60)
    found = pitman_parameters(sample)
    assert found is not None
    theta, alpha = found
    expected = 60 * math.prod((theta + alpha + i - 1) / (theta + i) for i in range(1, 60))
    assert pitman_uniques(sample) == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1], [7], [1], [2, 2, 2, 2, 2, 2]])
def test_without_a_maximum_there_is_no_estimate(sizes: list[int]) -> None:
    assert pitman_uniques(Frequencies.of(np.array(sizes), people=100)) is None


def test_shlosser_by_hand() -> None:
    """q = 1/2: u = 6, s_1 = 3, s_2 = 2, s_4 = 1."""
    seen = 3 * 1 / 4 + 2 * 2 / 4 * (3 / 4) + 4 / 4 * (3 / 4) ** 3
    lost = 3 / 2 * (3 / 2 - 1) + 2 / 4 * (9 / 4 - 1) + 1 / 16 * (81 / 16 - 1)
    unseen, once = 3 / 2 + 2 / 4 + 1 / 16, 3 / 2 + 2 * 2 / 4 + 4 / 16
    by_hand = 6 + 3 * (seen / lost) * (unseen / once) ** 2
    assert population_classes(SMALL) == pytest.approx(by_hand)
    assert population_classes(Frequencies.of(np.array([1, 2]), people=3)) == 2  # q = 1: all is seen


def drawn_sizes(alpha: float, beta: float, pi: float, size: int) -> float:
    """P(size records in the sample): over the people 1 + x of a class, and which of them are drawn."""
    return sum(
        math.exp(math.lgamma(alpha + x) - math.lgamma(alpha) - math.lgamma(x + 1))
        * beta**alpha
        * (1 - beta) ** x
        * math.comb(1 + x, size)
        * pi**size
        * (1 - pi) ** (1 + x - size)
        for x in range(max(size - 1, 0), 400)
    )


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.2), (2.0, 0.3), (1.0, 0.5)])
def test_snb_fits_the_classes_of_one_and_two(alpha: float, beta: float) -> None:
    """Expected counts of a million classes, rounded; the parameters they came from are found."""
    pi, classes = 0.25, 1_000_000
    counts = [round(classes * drawn_sizes(alpha, beta, pi, size)) for size in range(1, 40)]
    sizes = np.repeat(np.arange(1, 40), counts)
    sample = Frequencies.of(sizes, people=sizes.sum() / pi)
    found = snb_parameters(sample, classes)
    assert found == pytest.approx((alpha, beta), rel=2e-3)
    assert found is not None
    fitted = [classes * drawn_sizes(*found, sample.fraction, size) for size in (1, 2)]
    assert fitted == pytest.approx([sample.uniques, sample.of_size(2)], rel=1e-9)


def test_snb_on_a_population_of_its_own() -> None:
    rng = np.random.default_rng(1)
    people = 1 + rng.negative_binomial(2, 0.3, 20_000)
    drawn: Int64 = rng.binomial(people, 0.5)
    found = snb_uniques(Frequencies.of(drawn, people.sum()))
    assert found == pytest.approx((people == 1).sum(), rel=0.1)


def test_snb_is_not_defined_without_pairs_or_for_everybody() -> None:
    assert snb_uniques(Frequencies.of(np.array([1, 1, 3]), people=20)) is None
    assert snb_uniques(Frequencies.of(np.array([1, 1, 2]), people=4)) is None


def test_which_model_is_believed() -> None:
    """A tenth or less: Pitman, else Zayatz; more: the lower of SNB and Zayatz."""
    sizes = np.array([1] * 60 + [2] * 20 + [3] * 9 + [6] * 4 + [20] * 2)
    few = PopulationUniques.of(sizes, people=10 * sizes.sum())
    assert few.pitman is not None and few.chosen == few.pitman != few.zayatz
    many = PopulationUniques.of(sizes, people=2 * sizes.sum())
    assert many.snb is not None and many.chosen == min(many.snb, many.zayatz) != many.pitman
    skewed = np.array([1] * 60 + [2] * 6 + [3] * 2 + [15] * 3)
    for weight, lower in ((2, "snb"), (4, "zayatz")):
        found = PopulationUniques.of(skewed, people=weight * skewed.sum())
        assert found.chosen == getattr(found, lower) == min(found.snb or 0, found.zayatz)
    unique = PopulationUniques.of(np.ones(30, np.int64), people=3000)
    assert (unique.pitman, unique.snb, unique.chosen) == (None, None, unique.zayatz)
    assert PopulationUniques.of(np.ones(30, np.int64), people=40).chosen == 30


def test_of_the_uniques_of_the_population_a_part_is_in_the_sample() -> None:
    sizes = np.array([1] * 60 + [2] * 20 + [3] * 9 + [6] * 4 + [20] * 2)
    sample = Frequencies.of(sizes, people=4 * sizes.sum())
    found = PopulationUniques.of(sizes, people=4 * sizes.sum())
    assert found.pitman == pytest.approx((pitman_uniques(sample) or 0) / 4)
    assert found.snb == pytest.approx((snb_uniques(sample) or 0) / 4)


def test_an_estimate_above_the_unique_records_is_cut() -> None:
    sizes = np.array([1] * 40 + [2] * 3 + [9] * 3 + [30])
    everybody = Frequencies.of(sizes, people=sizes.sum())
    assert (pitman_uniques(everybody) or 0) > 44
    assert PopulationUniques.of(sizes, people=sizes.sum()).pitman == 40


def test_a_population_has_no_fewer_people_than_its_sample() -> None:
    assert Frequencies.of(np.array([1, 1, 2]), people=2).fraction == 1


def test_digamma_at_places_where_it_is_known() -> None:
    """Abramowitz and Stegun 6.3.2, 6.3.3 and 6.3.5: psi(1), psi(1/2), psi(x + 1) = psi(x) + 1/x."""
    euler = 0.57721566490153286
    assert _digamma(1.0) == pytest.approx(-euler, abs=1e-12)
    assert _digamma(0.5) == pytest.approx(-euler - 2 * math.log(2), abs=1e-12)
    assert _digamma(30.0) == pytest.approx(-euler + sum(1 / i for i in range(1, 30)), abs=1e-12)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40), st.floats(1, 1000))
def test_no_estimate_exceeds_the_unique_records(sizes: list[int], weight: float) -> None:
    found = PopulationUniques.of(np.array(sizes), people=sum(sizes) * weight)
    for estimate in (found.zayatz, found.pitman, found.snb, found.chosen):
        assert estimate is None or 0 <= estimate <= sizes.count(1)
    if 1 not in sizes:
        assert found == PopulationUniques(0, 0, 0, 0)


def test_adult_as_arx_prints_it(data: Callable[[str], Path]) -> None:
    """Figures of ARX's own tests (`TestRiskMetrics.testDecisionRule2`) for Adult, all nine columns known.

    Share of the population that is unique; samples of 1 % and 10 % by Pitman, whose limit for large N ARX
    takes, of 10 % and 20 % by Zayatz, and of everybody.
    """
    with data("adult/adult.csv").open(encoding="utf-8") as file:
        sizes = np.array([*Counter(map(tuple, [*csv.reader(file, delimiter=";")][1:])).values()])
    n = int(sizes.sum())
    assert n == 30_162
    for fraction, printed in ((0.1, 0.3207402393466189), (0.2, 0.3577099234829125), (1, 0.5142895033485844)):
        zayatz = zayatz_uniques(Frequencies.of(sizes, n / fraction))
        assert zayatz / n == pytest.approx(printed, abs=1e-4)
    for fraction, printed in ((0.01, 0.1446083531167384), (0.1, 0.27684993883653597)):
        sample = Frequencies.of(sizes, n / fraction)
        found = pitman_parameters(sample)
        assert found is not None
        theta, alpha = found
        limit = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * sample.people**alpha
        assert limit / sample.people == pytest.approx(printed, rel=1e-9)
        assert pitman_uniques(sample) == pytest.approx(limit, rel=4e-3)
