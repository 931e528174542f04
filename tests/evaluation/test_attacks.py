"""Attacks on confidential columns, carried out by hand on ten people and by plain code on random tables."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.arrays import Float64
from ontomask.assessment import figures_of
from ontomask.attributes import Domain
from ontomask.evaluation import attacks as the_attacks
from ontomask.evaluation.attacks import attacks, people_of_meaning
from ontomask.privacy import Confidential

#  illness                  ulcer 0, gastritis 1, cancer 2 | asthma 3, pneumonia 4
#   +- stomach   0 1 2
#   +- lungs     3 4        siblings are 1/2 apart, others 1
PARENT = [0, 0, 0, 1, 1]
TREE = np.array(
    [[0.0 if v == w else 0.5 if PARENT[v] == PARENT[w] else 1.0 for w in range(5)] for v in range(5)]
)

Rows = list[tuple[int, int]]


def spread(rows: Rows, domain: Domain | None = None) -> Confidential:
    classes, values = np.array(rows).T
    return Confidential.of(classes, values, np.ones(len(rows), int), domain)


def by_meaning(values: int = 5) -> Domain:
    return Domain("illness", values, distances=TREE[:values, :values])


TEN: Rows = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 3), (2, 0), (2, 0), (2, 3), (2, 4), (2, 4)]
"""Class 0 has a bad stomach, one way or another; class 1 has asthma; class 2 has a bit of all.
Of the ten, 3 have 0, 1 has 1, 1 has 2, 3 have 3, 2 have 4: the stomach is that of 5, lungs are those of 5."""


def test_ten_people_by_hand() -> None:
    found = attacks(spread(TEN, by_meaning()))
    assert found["homogeneity"] == pytest.approx(100 * 2 / 10)
    # 1 and 2 of class 0 (1/3 against 1/10), 3 of class 1 (1 against 3/10), 4 of class 2 (2/5 against 2/10)
    assert found["skewness"] == pytest.approx(100 * (1 + 1 + 2 + 2) / 10)
    assert found["largest_gain"] == pytest.approx((1 / 3) / (1 / 10))
    # one of class 0, both of class 1, two of class 2
    assert found["guessed"] == pytest.approx(100 * (1 + 2 + 2) / 10)
    # class 0 means the stomach, class 1 asthma: half of the people, and 3 in 10
    assert people_of_meaning(spread(TEN, by_meaning())).tolist() == [5, 3, 10]
    assert found["similarity"] == pytest.approx(100 * (3 + 2) / 10)
    # all three of class 0, nobody of class 1, and who has 3 in class 2
    assert found["alone_if_known"] == pytest.approx(100 * (3 + 0 + 1) / 10)


def test_twice_is_the_bound_of_skewness_and_of_similarity() -> None:
    just = [(0, 0), (0, 1), (1, 3), (1, 4)]  # each value 1/4 of all and 1/2 of its class
    assert attacks(spread(just, by_meaning()))["skewness"] == 100
    assert attacks(spread(just, by_meaning()))["similarity"] == 100
    less = [*just, (0, 0), (0, 1)]  # the stomach is that of 4 in 6, each of its values of 2 in 6
    found = attacks(spread(less, by_meaning()))
    assert found["skewness"] == pytest.approx(100 * 2 / 6) and found["similarity"] == pytest.approx(
        100 * 2 / 6
    )


def test_what_everybody_has_is_known_and_no_gain() -> None:
    found = attacks(spread([(0, 0), (0, 0), (1, 0)], by_meaning(1)))
    assert found["homogeneity"] == found["guessed"] == 100
    assert found["skewness"] == found["similarity"] == 0 and found["largest_gain"] == 1


def test_near_numbers_are_similar() -> None:
    """The published salaries: 3k, 4k, 5k in one class tell that the pay is low (Li et al. 2007)."""
    rows = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (1, 8), (2, 4), (2, 6), (2, 7)]
    pay = spread(rows, Domain("pay", 9, is_ordered=True))
    assert people_of_meaning(pay).tolist() == [3, 6, 4]
    assert attacks(pay)["similarity"] == pytest.approx(100 * 6 / 9)
    assert "similarity" not in attacks(spread(rows)), "texts that are equal or not have no meaning"


def test_nobody() -> None:
    none = Confidential.of(np.array([-1]), np.array([0]), np.ones(1, int), by_meaning())
    assert set(attacks(none).values()) == {0.0}


# ---------------------------------------------------------------------- a plain twin


rows_of = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25)


PLACES = np.array([0, 1, 3, 7, 8]) / 8
LINE = np.abs(PLACES[:, None] - PLACES)  # unlike in a tree, the middle is nearer to all than the ends are


def plainly(rows: Rows, distances: Float64) -> dict[str, float]:
    n, overall = len(rows), Counter(v for _, v in rows)
    own = {c: Counter(v for d, v in rows if d == c) for c in {c for c, _ in rows}}
    sure = surer = similar = right = 0
    alone = sum(rows.count(row) == 1 for row in rows)
    gain = 0.0
    for values in own.values():
        size = sum(values.values())
        sure += size * (len(values) == 1)
        right += max(values.values())
        for v, count in values.items():
            surer += count * (count * n >= 2 * overall[v] * size)
            gain = max(gain, (count / size) / (overall[v] / n))
        width = max(distances[u, v] for u, v in product(values, values))
        told = [w for w in overall if all(distances[v, w] <= width for v in values)]
        similar += size * (2 * sum(overall[w] for w in told) <= n)
    return {
        "homogeneity": 100 * sure / n,
        "skewness": 100 * surer / n,
        "largest_gain": gain,
        "guessed": 100 * right / n,
        "similarity": 100 * similar / n,
        "alone_if_known": 100 * alone / n,
    }


@given(rows_of, st.sampled_from([TREE, LINE]), st.sampled_from([1, 12, 4_000_000]))
def test_as_plain_code_does_it(rows: Rows, distances: Float64, block: int) -> None:
    before, the_attacks._BLOCK = the_attacks._BLOCK, block
    try:
        assert attacks(spread(rows, Domain("x", 5, distances=distances))) == pytest.approx(
            plainly(rows, distances)
        )
    finally:
        the_attacks._BLOCK = before


@given(rows_of)
def test_joining_all_classes_leaves_a_blind_guess(rows: Rows) -> None:
    joined = spread([(0, v) for _, v in rows], by_meaning())
    found = attacks(joined)
    assert found["guessed"] == pytest.approx(100 * joined.blind_guess)
    assert found["largest_gain"] == pytest.approx(1) and found["skewness"] == 0


# ---------------------------------------------------------------------- in a release, and in any two tables

PEOPLE = {"age": [20, 21, 40, 41, 60, 61], "ill": ["flu", "flu", "burn", "flu", "flu", "burn"]}


def asked(**privacy: object) -> om.Plan:
    plan = om.Plan.from_options(["age:numeric"], confidential=["ill"])
    return plan.replace(privacy={"k": 2, **privacy})


def test_before_and_after_of_a_release_and_of_two_tables() -> None:
    """Everybody's age is their own; by two, the youngest have the flu."""
    table = pa.table(PEOPLE)
    release = om.anonymize(table, asked())
    found = figures_of(release)
    assert found["homogeneity_before.ill"] == 100 and found["homogeneity.ill"] == pytest.approx(100 * 2 / 6)
    assert found["guessed_before.ill"] == 100 and found["guessed.ill"] == pytest.approx(100 * 4 / 6)
    assert found["largest_gain_before.ill"] == pytest.approx(3)
    assert found["largest_gain.ill"] == pytest.approx(3 / 2)
    # by two: flu and flu, burn and flu, flu and burn
    assert found["alone_if_known_before.ill"] == 100 and found["alone_if_known.ill"] == pytest.approx(
        100 * 4 / 6
    )
    judged = om.evaluate(table, release.table, asked())
    for name in found:
        if name.partition(".")[0].removesuffix("_before") in (
            "homogeneity",
            "skewness",
            "guessed",
            "largest_gain",
            "alone_if_known",
        ):
            assert judged[name] == pytest.approx(found[name]), name


def test_who_is_alone_is_counted_on_what_is_written() -> None:
    """A plain count over the rows of the release, spellings of one value and rows left out among them."""
    rng = np.random.default_rng(3)
    ages, ills = rng.integers(20, 60, 80), ["flu", "Flu ", "burn", "cough", "asthma", None]
    people = {"age": ages.tolist(), "ill": [ills[i] for i in rng.integers(0, 6, 80)]}
    release = om.anonymize(pa.table(people), asked(k=4, suppress="10%"))
    found = figures_of(release)

    def alone(rows: list[dict[str, object]]) -> float:
        seen = [(row["age"], row["ill"] and str(row["ill"]).strip().lower()) for row in rows]
        return 100 * sum(seen.count(one) == 1 for one in seen) / len(seen)

    assert found["alone_if_known.ill"] == pytest.approx(alone(release.table.to_pylist()))
    assert found["alone_if_known_before.ill"] == pytest.approx(alone(pa.table(people).to_pylist()))
    assert 0 < found["alone_if_known.ill"] < found["alone_if_known_before.ill"]


def test_l_stops_homogeneity_and_figures_say_what_was_reached() -> None:
    release = om.anonymize(pa.table(PEOPLE), asked(l={"ill": 2}))
    found = figures_of(release)
    assert found["homogeneity.ill"] == 0
    assert (found["asked.l.ill"], found["reached.l.ill"], found["reached_before.l.ill"]) == (2, 2, 1)
    assert (found["asked.k"], found["reached.k"], found["reached_before.k"]) == (2, 2, 1)
    assert release.manifest["figures"]["reached.l.ill"] == 2
    assert om.evaluate(pa.table(PEOPLE), release.table, asked(l={"ill": 2}))["reached.l.ill"] == 2


def test_reached_of_every_requirement_by_hand() -> None:
    """Another's release: {20, 21} -> 20, {40, 41, 60, 61} -> 50. Flu is 4 of 6 overall, 2 of 2 and 2 of 4."""
    everything = {
        "l": {"ill": {"entropy": 1}},
        "t": {"ill": 0.9},
        "beta": {"ill": 9},
        "delta": {"ill": 9},
        "lkc": {"L": 1, "K": 2, "C": 0.9},
        "unit": "who",
    }
    plan = asked(**everything).replace(attributes={"who": {"role": "identifier"}})
    table = pa.table(PEOPLE | {"who": ["a", "a", "b", "c", "d", "e"]})
    found = om.evaluate(table, pa.table({"age": [20, 20, 50, 50, 50, 50]}), plan)
    assert found["reached.k.who"] == found["k_reached"] == 1 and found["smallest_class"] == 2
    assert found["reached.l.ill"] == pytest.approx(1)
    assert found["reached.t.ill"] == pytest.approx(1 - 4 / 6)
    assert found["reached_before.t.ill"] == pytest.approx(1 - 2 / 6)
    assert found["reached.beta.ill"] == pytest.approx(1 / (4 / 6) - 1)
    assert found["reached_before.beta.ill"] == pytest.approx(1 / (2 / 6) - 1)
    assert found["reached.delta.ill"] is None, "nobody of the first class was burnt"
    assert found["reached.lkc"] == 0, "of the first class the flu is sure"


def test_reached_by_meaning_is_the_worst_class() -> None:
    table = pa.table({"age": [1, 1, 2, 2], "ill": ["migraine", "headache", "pneumonia", "bronchitis"]})
    plan = om.Plan.from_options(["age:numeric"], k=2)
    ill = {"role": "confidential", "ontology": "wordnet"}
    plan = plan.replace(attributes={"ill": ill}, privacy={"t": {"ill": {"semantic": 0.9}}})
    release = om.anonymize(table, plan)
    (one,) = [one for one in plan.requirements() if one.key == "t"]
    found = figures_of(release)
    assert found["reached.t.ill"] == pytest.approx(found["t_semantic.ill"]) and one.asked == 0.9
    assert found["similarity.ill"] == 100, "one class has a headache, the other something with its lungs"
