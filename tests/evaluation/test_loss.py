"""Information loss by hand, on Adult, and against a loop over records."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import ontomask as om
from conftest import GOLDEN
from evaluation.random_views import Record, releases
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.evaluation.divergence import kl_divergence
from ontomask.evaluation.generalization import generalization
from ontomask.methods.base import Masking
from ontomask.methods.sa_mdav import SaMdav
from ontomask.ontology.draft import Draft

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)


def words(measure: str = "path", labels: tuple[str, ...] = ("ache", "colic", "fever")) -> Nominal:
    return Nominal("word", 1.0, -1, TREE, om.measure(measure), TREE.concepts(labels))


def masked(word: Nominal, labels: list[str]) -> np.ndarray:
    return word.candidate_of(TREE.concepts(labels))


def test_losses_by_hand() -> None:
    word, age = words("logsc"), Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([2, 1, 1]))
    tuples = Tuples(np.array([[0, 0], [1, 1], [2, 2]], np.int32), np.array([2, 1, 1]))
    pairs = Pairs.of_rows(
        np.array([0, 1, 2]),
        [masked(word, ["pain", "pain", "fever"]), np.array([20.0, 20.0, 60.0])],
        tuples.counts,
    )
    up = math.log2(1 + 1 / 3)  # ache (3 subsumers) to pain (2 of them)
    years = 10 / 40
    found = losses(pairs, tuples, [word, age])
    assert found["semantic_loss"] == pytest.approx((2 * up + up + years) / (4 * 2))
    assert found["sse"] == pytest.approx(2 * (up / 2) ** 2 + ((up + years) / 2) ** 2)
    assert found["semantic_loss.word"] == pytest.approx(3 * up / 4)
    assert found["sse.age"] == pytest.approx(years**2)
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
    pairs = Pairs.of(Masking(np.arange(20, dtype=np.int32), groups.astype(np.int32), counts, tuple(means.T)))
    z = x / x.std(axis=0)
    sse = ((z - means[groups] / x.std(axis=0)) ** 2).sum()
    found = losses(pairs, Tuples(codes, counts), attributes, "euclidean")
    assert found["sse"] == pytest.approx(sse, abs=1e-6)
    assert found["information_loss"] == pytest.approx(100 * sse / ((z - z.mean(axis=0)) ** 2).sum(), abs=1e-6)


def test_suppression_costs_the_maximum() -> None:
    word = words()
    tuples = Tuples(np.array([[0], [2]], np.int32), np.array([3, 1]))
    gone = Masking(
        np.array([0, 1], np.int32), np.array([0, -1], np.int32), tuples.counts, (masked(word, ["ache"]),)
    )
    pairs = Pairs.of(gone)
    assert pairs.n_suppressed == 1
    assert pairs.class_sizes.tolist() == [3]
    assert losses(pairs, tuples, [word])["sse"] == pytest.approx(word.maximum**2)
    assert losses(pairs, tuples, [word])["semantic_loss"] == pytest.approx(word.maximum / 4)


def test_a_table_of_one_value_loses_nothing() -> None:
    word = words()
    tuples = Tuples(np.array([[1]], np.int32), np.array([4]))
    found = losses(Pairs.unmasked(tuples, [word]), tuples, [word])
    assert found["sst"] == found["information_loss"] == 0


def test_weights_have_a_mean_of_one() -> None:
    age = Numeric("age", 6.0, -1, np.array([0.0, 1.0]), 1.0)
    size = Numeric("size", 2.0, -1, np.array([0.0, 1.0]), 1.0)
    tuples = Tuples(np.array([[0, 0], [1, 1]], np.int32), np.array([1, 1]))
    pairs = Pairs.of_rows(np.arange(2), [np.array([1.0, 1.0]), np.array([0.0, 1.0])])
    found = losses(pairs, tuples, [age, size])
    assert found["semantic_loss"] == pytest.approx(1.5 / (2 * 2))  # weights 1.5 and .5
    assert found["sse"] == pytest.approx((1.5 / 2) ** 2)


def test_groups_of_equal_values_are_one_class() -> None:
    values = (np.array([1, 1, 0], np.int32), np.array([np.nan, np.nan, 3.0]))
    masking = Masking(np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32), np.array([2, 3, 4]), values)
    pairs = Pairs.of(masking)
    assert sorted(pairs.class_sizes.tolist()) == [4, 5]


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
    values = word.candidate_of(np.array([TREE.concept("fever"), -1], np.int32))
    pairs = Pairs.of_rows(np.array([0, 0]), [values])
    found = losses(pairs, tuples, [word])
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
        masking = SaMdav(weighted=weighted).mask(tuples, attributes, k, np.random.default_rng(0))
        found = losses(Pairs.of(masking), tuples, attributes)["information_loss"]
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
    pairs = Pairs.of_rows(np.arange(3), [masked(word, ["pain", "colic", "symptom"])], tuples.counts)
    found = generalization(pairs, tuples, [word])
    assert found["ncp"] == pytest.approx((2 / 3 + 0 + 2 * 3 / 3) / 4)
    assert found["prec"] == pytest.approx(1 - (1 / 2 + 0 + 2 * 1 / 1) / 4)


def test_sideways_values_count_as_their_cover() -> None:
    word = words()
    tuples = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    sideways = Pairs.of_rows(np.arange(3), [masked(word, ["colic", "colic", "fever"])])
    upwards = Pairs.of_rows(np.arange(3), [masked(word, ["pain", "colic", "fever"])])
    assert generalization(sideways, tuples, [word]) == generalization(upwards, tuples, [word])


def test_a_kept_value_costs_nothing_even_with_others_below_it() -> None:
    word = words(labels=("ache", "pain"))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    assert generalization(Pairs.unmasked(tuples, [word]), tuples, [word]) == {"ncp": 0.0, "prec": 1.0}


def test_numbers_and_suppression_in_ncp() -> None:
    age = Numeric.of("age", np.array([0.0, 10.0]), np.array([1, 1]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    pairs = Pairs.of_rows(np.arange(2), [np.array([2.0, 0.0])], suppressed=np.array([False, True]))
    assert generalization(pairs, tuples, [age])["ncp"] == pytest.approx((2 / 10 + 1) / 2)


def test_divergence_by_hand() -> None:
    age = Numeric.of("age", np.array([0.0, 10.0]), np.array([3, 1]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([3, 1]))
    pairs = Pairs.of_rows(np.arange(2), [np.array([0.0, 5.0])], tuples.counts)
    f, g = 3.5 / 5, 1.5 / 5
    expected = f * math.log(f / (3.5 / 5)) + g * math.log(g / (0.5 / 5))
    found = kl_divergence(ReleaseView(tuples, [age], pairs))
    assert found == {"kl_divergence": pytest.approx(expected), "kl_absent": 1}


@given(releases())
def test_figures_are_those_of_a_loop_over_records(release: tuple[ReleaseView, list[Record]]) -> None:
    view, records = release
    attributes, n = view.attributes, len(records)
    weights = [2 * a.weight / sum(b.weight for b in attributes) for a in attributes]
    sse = loss = 0.0
    for record in records:
        parts = [
            float(a.to_masked(np.array([record.codes[j]]), np.array([record.masked[j]]))[0])
            if record.masked
            else a.maximum
            for j, a in enumerate(attributes)
        ]
        mean = sum(w * x for w, x in zip(weights, parts, strict=True)) / 2
        squares = sum(w * x**2 for w, x in zip(weights, parts, strict=True))
        loss += mean
        sse += squares if view.combine == "euclidean" else mean**2
    found = losses(view.pairs, view.tuples, attributes, view.combine)
    assert found["sse"] == pytest.approx(sse)
    assert found["semantic_loss"] == pytest.approx(loss / n)

    points = Counter(
        key([a.as_masked(np.array([r.codes[j]]))[0] for j, a in enumerate(attributes)]) for r in records
    )
    after = Counter(key(r.masked) for r in records if r.masked)
    total, left = n + len(points) / 2, after.total() + len(points) / 2
    kl = sum(
        (c + 0.5) / total * math.log((c + 0.5) / total / ((after[x] + 0.5) / left)) for x, c in points.items()
    )
    found = kl_divergence(view)
    assert found["kl_divergence"] == pytest.approx(kl)
    assert found["kl_absent"] == sum(after[x] == 0 for x in points)
    assert found["kl_divergence"] >= -1e-12


def key(values: Sequence[float]) -> tuple[float | None, ...]:
    """Values to count by; a blank is equal to a blank."""
    return tuple(None if math.isnan(x) else float(x) for x in values)
