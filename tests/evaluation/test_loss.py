"""Information loss by hand, on Adult, and against a loop over records."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given

import ontomask as om
from conftest import GOLDEN
from evaluation.random_views import Record, releases, replacements, view_of
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.evaluation.divergence import kl_divergence
from ontomask.evaluation.generalization import generalization
from ontomask.methods.base import Masking
from ontomask.methods.sa_mdav import SaMdav
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)


def words(measure: str = "path", labels: tuple[str, ...] = ("ache", "colic", "fever")) -> Nominal:
    return Nominal("word", 1.0, -1, TREE, om.measure(measure), TREE.concepts(labels))


def masked(labels: list[str]) -> np.ndarray:
    return TREE.concepts(labels)


def test_losses_by_hand() -> None:
    word, age = words("logsc"), Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([2, 1, 1]))
    tuples = Tuples(np.array([[0, 0], [1, 1], [2, 2]], np.int32), np.array([2, 1, 1]))
    columns = [masked(["pain", "pain", "fever"]), np.array([20.0, 20.0, 60.0])]
    up = math.log2(1 + 1 / 3)  # ache (3 subsumers) to pain (2 of them)
    years = 10 / 40
    found = losses(view_of(tuples, [word, age], columns))
    assert found["semantic_loss"] == pytest.approx((2 * up + up + years) / (4 * 2))
    assert found["sse"] == pytest.approx(2 * (up / 2) ** 2 + ((up + years) / 2) ** 2)
    assert found["semantic_loss.word"] == pytest.approx(3 * up / 4)
    assert found["sse.age"] == pytest.approx(years**2)
    assert found["sse_plain.age"] == pytest.approx(10**2)
    assert "sse_plain.word" not in found
    # The centroid of the whole table is (ache, 32.5): ache sums colic log2(1 + 2/4), fever log2(1 + 3/4).
    colic, fever = math.log2(1 + 2 / 4), math.log2(1 + 3 / 4)
    sst = 2 * (12.5 / 40 / 2) ** 2 + ((colic + 2.5 / 40) / 2) ** 2 + ((fever + 27.5 / 40) / 2) ** 2
    assert found["sst"] == pytest.approx(sst)
    assert found["information_loss"] == pytest.approx(100 * found["sse"] / sst)


def test_euclidean_loss_is_the_usual_one() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 2))
    order = np.argsort(x, axis=0)
    columns = [np.sort(x[:, j]) for j in range(2)]
    codes = np.argsort(order, axis=0).astype(np.int32)
    counts = np.ones(20, np.int64)
    attributes = [Numeric.of(f"x{j}", columns[j], counts, scale="zscore") for j in range(2)]
    groups = np.repeat(np.arange(5), 4)
    means = np.stack([x[groups == g].mean(axis=0) for g in range(5)])
    z = x / x.std(axis=0)
    sse = ((z - means[groups] / x.std(axis=0)) ** 2).sum()
    view = view_of(Tuples(codes, counts), attributes, list(means[groups].T), combine="euclidean")
    found = losses(view)
    assert found["sse"] == pytest.approx(sse, abs=1e-6)
    assert found["information_loss"] == pytest.approx(100 * sse / ((z - z.mean(axis=0)) ** 2).sum(), abs=1e-6)


def test_suppression_costs_the_maximum() -> None:
    word = words()
    tuples = Tuples(np.array([[0], [2]], np.int32), np.array([3, 1]))
    gone = Masking(
        np.array([0, 1], np.int32),
        np.array([0, -1], np.int32),
        tuples.counts,
        word.replacement_of(masked(["ache"]))[:, None],
        (word,),
    )
    pairs = Pairs.of(tuples, gone)
    assert pairs.n_suppressed == 1
    assert pairs.class_sizes.tolist() == [3]
    found = losses(ReleaseView(tuples, [word], pairs))
    assert found["sse"] == pytest.approx(word.maximum**2)
    assert found["semantic_loss"] == pytest.approx(word.maximum / 4)


@pytest.mark.parametrize("scale", ["range", "zscore"])
def test_a_lost_number_costs_one_whatever_the_scale(scale: Literal["range", "zscore"]) -> None:
    age = Numeric.of("age", np.array([20.0, 30.0, 80.0]), np.array([8, 1, 1]), scale=scale)
    tuples = Tuples(np.arange(3, dtype=np.int32)[:, None], np.array([8, 1, 1]))
    gone = view_of(tuples, [age], [age.numbers], suppressed=np.array([False, False, True]))
    blank = view_of(tuples, [age], [np.array([20.0, 30.0, np.nan])])
    assert losses(gone)["semantic_loss.age"] == losses(blank)["semantic_loss.age"] == pytest.approx(1 / 10)


def test_a_table_of_one_value_loses_nothing() -> None:
    word = words()
    tuples = Tuples(np.array([[1]], np.int32), np.array([4]))
    found = losses(ReleaseView(tuples, [word], Pairs.unmasked(tuples, [word])))
    assert found["sst"] == found["information_loss"] == 0


def test_weights_steer_a_masking_but_do_not_count_in_its_loss() -> None:
    ages = [Numeric(name, weight, -1, np.array([0.0, 1.0]), 1.0) for name, weight in (("a", 100.0), ("b", 1))]
    tuples = Tuples(np.array([[0, 0], [1, 1]], np.int32), np.array([1, 1]))
    found = losses(view_of(tuples, ages, [np.array([0.0, 1.0]), np.array([1.0, 1.0])]))
    assert found["semantic_loss"] == pytest.approx(1 / (2 * 2))
    assert found["sse"] == pytest.approx((1 / 2) ** 2)


def test_groups_of_equal_values_are_one_class() -> None:
    word = words()
    tuples = Tuples(np.arange(3, dtype=np.int32)[:, None], np.array([2, 3, 4]))
    every = np.arange(3, dtype=np.int32)
    masking = Masking(every, every, tuples.counts, np.array([[1], [1], [0]], np.int32), (word,))
    assert sorted(Pairs.of(tuples, masking).class_sizes.tolist()) == [4, 5]


def test_values_outside_the_column_and_new_blanks() -> None:
    word = Nominal(
        "word",
        1.0,
        -1,
        TREE,
        om.measure("path"),
        TREE.concepts(["ache"]),
        np.array([-1, TREE.concept("fever")], np.int32),
    )
    tuples = Tuples(np.array([[0]], np.int32), np.array([2]))
    values = np.array([TREE.concept("fever"), -1], np.int32)
    found = losses(view_of(tuples, [word], [values], original=np.array([0, 0])))
    assert found["semantic_loss"] == pytest.approx(
        (TREE.distance("ache", "fever", "path") + word.maximum) / 2
    )
    assert found["sst"] == 0  # the centroid is still the column's own


@pytest.mark.parametrize(
    ("weighted", "published"),
    [
        (True, {2: 0.125, 5: 0.771, 10: 1.811, 50: 8.152, 200: 15.978, 1000: 25.534}),
        (False, {2: 0.108, 5: 0.666, 10: 1.467, 50: 4.113, 200: 11.843, 1000: 21.797}),
    ],
)
def test_adult_information_loss(
    weighted: bool, published: dict[int, float], wordnet: om.Ontology, data: Callable[[str], Path]
) -> None:
    tuples, attributes = adult(wordnet, data("adult/adult.csv"))
    assert (len(tuples), int((tuples.counts == 1).sum()), int(tuples.counts.max())) == (394, 84, 3735)
    for k, expected in published.items():
        masking = SaMdav(weighted=weighted).mask(
            tuples, attributes, [KAnonymity(k)], np.random.default_rng(0)
        )
        found = losses(ReleaseView(tuples, attributes, Pairs.of(tuples, masking)))["information_loss"]
        assert found == pytest.approx(expected, abs=0.001), k


def adult(wordnet: om.Ontology, path: Path) -> tuple[Tuples, list[Attribute]]:
    with path.open(newline="") as lines:
        times = Counter((r["occupation"], r["native-country"]) for r in csv.DictReader(lines, delimiter=";"))
    rows = sorted(times)
    attributes: list[Attribute] = []
    codes = []
    for j, under in enumerate(("person", "location")):
        labels = sorted({row[j] for row in rows})
        links = om.link(labels, wordnet, mapping=GOLDEN / "adult_mapping.csv", senses="first", under=under)
        concepts = np.array([links[label].concept for label in labels], np.int32)
        attributes.append(Nominal(under, 1.0, -1, wordnet, om.measure("logsc"), concepts))
        codes.append([labels.index(row[j]) for row in rows])
    return Tuples(np.array(codes, np.int32).T.copy(), np.array([times[row] for row in rows])), attributes


# ---------------------------------------------------------------- NCP, Prec, KL


def test_generalised_values_by_hand() -> None:
    word = words()
    tuples = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    found = generalization(view_of(tuples, [word], [masked(["pain", "colic", "symptom"])]))
    assert found["ncp"] == pytest.approx((2 / 3 + 0 + 2 * 3 / 3) / 4)
    assert found["gen_iloss"] == pytest.approx((1 / 2 + 0 + 2 * 2 / 2) / 4)
    assert found["prec"] == pytest.approx(1 - (1 / 2 + 0 + 2 * 1 / 1) / 4)


def test_sideways_values_count_as_their_cover() -> None:
    word = words()
    tuples = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    sideways = view_of(tuples, [word], [masked(["colic", "colic", "fever"])])
    upwards = view_of(tuples, [word], [masked(["pain", "colic", "fever"])])
    assert generalization(sideways) == generalization(upwards)


def test_a_kept_value_costs_nothing_even_with_others_below_it() -> None:
    word = words(labels=("ache", "pain"))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    unmasked = ReleaseView(tuples, [word], Pairs.unmasked(tuples, [word]))
    assert generalization(unmasked) == {"ncp": 0.0, "granularity": 1.0, "gen_iloss": 0.0, "prec": 1.0}


def test_numbers_and_suppression_in_ncp() -> None:
    age = Numeric.of("age", np.array([0.0, 10.0]), np.array([1, 1]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    view = view_of(tuples, [age], [np.array([2.0, 0.0])], suppressed=np.array([False, True]))
    assert generalization(view)["ncp"] == pytest.approx((2 / 10 + 1) / 2)


def test_divergence_by_hand() -> None:
    age = Numeric.of("age", np.array([0.0, 10.0]), np.array([3, 1]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([3, 1]))
    f, g = 3.5 / 5, 1.5 / 5
    expected = f * math.log(f / (3.5 / 5)) + g * math.log(g / (0.5 / 5))
    found = kl_divergence(view_of(tuples, [age], [np.array([0.0, 5.0])]))
    assert found == {"kl_divergence": pytest.approx(expected), "kl_absent": 1}


@given(releases())
def test_figures_are_those_of_a_loop_over_records(release: tuple[ReleaseView, list[Record]]) -> None:
    view, records = release
    attributes, n = view.attributes, len(records)
    sse = loss = 0.0
    for record in records:
        parts = (
            [
                float(a.distance(np.array([record.codes[j]]), r)[0])
                for j, (a, r) in enumerate(zip(attributes, replacements(view, record), strict=True))
            ]
            if record.masked
            else [a.maximum for a in attributes]
        )
        loss += sum(parts) / 2
        sse += sum(x**2 for x in parts) if view.combine == "euclidean" else (sum(parts) / 2) ** 2
    found = losses(view)
    assert found["sse"] == pytest.approx(sse)
    assert found["semantic_loss"] == pytest.approx(loss / n)

    points = Counter(tuple(int(a.own[r.codes[j]]) for j, a in enumerate(attributes)) for r in records)
    after = Counter(tuple(int(x[0]) for x in replacements(view, r)) for r in records if r.masked)
    total, left = n + len(points) / 2, after.total() + len(points) / 2
    kl = sum(
        (c + 0.5) / total * math.log((c + 0.5) / total / ((after[x] + 0.5) / left)) for x, c in points.items()
    )
    found = kl_divergence(view)
    assert found["kl_divergence"] == pytest.approx(kl)
    assert found["kl_absent"] == sum(after[x] == 0 for x in points)
    assert found["kl_divergence"] >= -1e-12
