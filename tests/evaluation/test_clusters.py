"""Partitions against scikit-learn, Ward against scipy, clusters and trees of a release."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform

import ontomask as om
from evaluation.random_views import Record, releases, view_of
from ontomask import OntomaskError
from ontomask.attributes import Nominal, Numeric, Tuples
from ontomask.evaluation import Learned, Pairs, ReleaseView, compare_classification, compare_clusters
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.partitions import partition_agreement
from ontomask.evaluation.ward import best_cut, calinski_harabasz, cut, dendrogram, ward
from ontomask.ontology.draft import Draft

TREE = Draft.from_edges(
    "symptoms",
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom"), ("chill", "fever")],
)
LABELS = ["ache", "chill", "colic", "fever"]

# ---------------------------------------------------------------- partitions


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=12))
def test_agreement_is_that_of_scikit_learn(entries: list[tuple[int, int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    a, b, counts = np.array(entries).T
    one, other = np.repeat(a, counts), np.repeat(b, counts)
    found = partition_agreement(a, b, counts)
    if len(one) > 1:
        assert found["rand"] == pytest.approx(metrics.rand_score(one, other))
    assert found["adjusted_rand"] == pytest.approx(metrics.adjusted_rand_score(one, other))
    assert found["nmi"] == pytest.approx(metrics.normalized_mutual_info_score(one, other), abs=1e-9)
    assert 0 <= found["partition_distance"] <= 1 + 1e-12


def test_partition_distance_by_hand() -> None:
    a, b = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    info_a = math.log(2)
    info_b = -(3 / 4 * math.log(3 / 4) + 1 / 4 * math.log(1 / 4))
    joint = -(1 / 2 * math.log(1 / 2) + 2 / 4 * math.log(1 / 4))
    found = partition_agreement(a, b, np.ones(4, int))["partition_distance"]
    assert found == pytest.approx((2 * joint - info_a - info_b) / joint)


# ---------------------------------------------------------------- Ward


@pytest.mark.parametrize("seed", range(5))
def test_ward_is_that_of_scipy(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(40, 3))
    distances = pdist(points)
    expected = linkage(distances, "ward")
    found = ward(squareform(distances), np.ones(40, np.int64))
    assert found == pytest.approx(expected)
    for g in (1, 2, 5, 40):
        theirs = fcluster(expected, g, "maxclust")
        assert partition_agreement(cut(found, g), theirs, np.ones(40, int))["rand"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_count_is_as_good_as_so_many_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, counts = rng.normal(size=(15, 2)), rng.integers(1, 5, 15)
    found = ward(squareform(pdist(points)), counts)
    repeated = linkage(pdist(np.repeat(points, counts, axis=0)), "ward")
    heights = repeated[repeated[:, 2] > 1e-9]
    assert found[:, 2:] == pytest.approx(heights[:, 2:])


def words(counts: list[int]) -> tuple[Tuples, Nominal]:
    word = Nominal("word", 1.0, -1, TREE, om.measure("path"), TREE.concepts(LABELS))
    return Tuples(np.arange(4, dtype=np.int32)[:, None], np.array(counts)), word


def test_clusters_of_words() -> None:
    tuples, word = words([1, 1, 1, 1])
    labels = cut(dendrogram(tuples, [word]), 2)
    assert labels.tolist() == [0, 1, 0, 1]  # pains and fevers


def test_calinski_harabasz_of_numbers_is_the_usual_one() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    numbers = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 14.0])
    counts = np.array([1, 2, 1, 1, 1, 3])
    x = Numeric.of("x", numbers, counts)
    tuples = Tuples(np.arange(6, dtype=np.int32)[:, None], counts)
    labels = np.array([0, 0, 0, 1, 1, 1], np.int32)
    expected = metrics.calinski_harabasz_score(np.repeat(numbers, counts)[:, None], np.repeat(labels, counts))
    assert calinski_harabasz(labels, tuples, [x]) == pytest.approx(expected, rel=1e-6)
    assert calinski_harabasz(np.arange(6, dtype=np.int32), tuples, [x]) == math.inf
    merges = dendrogram(tuples, [x])
    scores = {g: calinski_harabasz(cut(merges, g), tuples, [x]) for g in range(2, 6)}
    assert int(best_cut(merges, tuples, [x]).max()) + 1 == max(scores, key=scores.__getitem__)


def test_calinski_harabasz_of_words_by_hand() -> None:
    tuples, word = words([2, 1, 2, 3])
    labels = np.array([0, 1, 0, 1], np.int32)
    d = TREE.distance

    # Centroids: of 2 ache and 2 colic the first by the tie rules; of chill and 3 fever, fever; of all, fever.
    def cost(c: str, values: dict[str, int]) -> float:
        return sum(n * d(c, v, "path") for v, n in values.items())

    pains, fevers = {"ache": 2, "colic": 2}, {"chill": 1, "fever": 3}
    centres = [min(LABELS, key=lambda c: cost(c, group)) for group in (pains, fevers)]
    everything = min([*LABELS, "symptom", "pain"], key=lambda c: cost(c, pains | fevers))
    between = sum(4 * d(c, everything, "path") ** 2 for c in centres)
    within = sum(
        n * d(c, v, "path") ** 2 for c, g in zip(centres, (pains, fevers), strict=True) for v, n in g.items()
    )
    assert calinski_harabasz(labels, tuples, [word]) == pytest.approx((between / 1) / (within / (8 - 2)))


# ---------------------------------------------------------------- clusters and trees of a release


@settings(max_examples=30)
@given(releases(most=30, unique=True))
def test_an_unmasked_table_has_the_same_clusters(release: tuple[ReleaseView, list[Record]]) -> None:
    """However ties fall, they fall alike in both tables."""
    view, _ = release
    tuples = view.merged.tuples  # no two of them equal to the attributes
    plain = ReleaseView(tuples, view.attributes, Pairs.unmasked(tuples, view.attributes), view.combine)
    found = compare_clusters(plain, np.random.default_rng(0))
    assert (found.partition_distance, found.rand, found.clusters) == (0, 1, found.clusters_masked)


@pytest.mark.parametrize("seed", range(20))
def test_ties_fall_alike_before_and_after(seed: int) -> None:
    """Counted links tie all the time, and the labels of these concepts come in no order of depth."""
    rng = np.random.default_rng(seed)
    tree = Draft.from_edges("t", [(f"c{i}", f"c{rng.integers(0, i)}") for i in range(1, 20)])
    words = [rng.permutation(20)[:6].astype(np.int32) for _ in range(2)]
    attributes = [Nominal(str(j), 1.0, -1, tree, om.measure("path"), word) for j, word in enumerate(words)]
    codes, counts = np.unique(rng.integers(0, 6, (25, 2)), axis=0, return_counts=True)
    tuples = Tuples(codes.astype(np.int32), counts)
    view = ReleaseView(tuples, attributes, Pairs.unmasked(tuples, attributes))
    assert compare_clusters(view, rng).partition_distance == 0


def test_the_masked_table_is_the_released_one() -> None:
    tuples, word = words([3, 1, 2, 5])
    after = view_of(tuples, [word], [TREE.concepts(["pain", "chill", "pain", "ache"])])
    masked, (attribute,), place = masked_table(after)
    assert isinstance(attribute, Nominal)
    rows = {TREE.labels[attribute.concepts[masked.codes[i, 0]]]: int(n) for i, n in enumerate(masked.counts)}
    assert rows == {"pain": 3 + 2, "chill": 1, "ache": 5}
    assert list(rows) == ["pain", "chill", "ache"]  # in the order of their first originals
    assert sorted(place.tolist()) == [0, 1, 2]


def test_clusters_before_and_after() -> None:
    tuples, word = words([3, 3, 3, 3])
    view = ReleaseView(tuples, [word], Pairs.unmasked(tuples, [word]))
    found = compare_clusters(view, np.random.default_rng(0), clusters=2)
    assert (found.partition_distance, found.adjusted_rand, found.sampled, found.records) == (0, 1, False, 12)
    # Everything but the chill becomes pain: the two clusters part elsewhere.
    after = view_of(tuples, [word], [TREE.concepts(["pain", "chill", "pain", "pain"])])
    found = compare_clusters(after, np.random.default_rng(0), clusters=2)
    agreement = partition_agreement(np.array([0, 1, 0, 1]), np.array([0, 1, 0, 0]), tuples.counts)
    assert found.adjusted_rand == pytest.approx(agreement["adjusted_rand"])
    same = compare_clusters(after, np.random.default_rng(0), same_number=True)
    assert same.clusters_masked == min(same.clusters, 2)


def test_weights_of_a_masking_do_not_move_clusters() -> None:
    x, y = np.array([0.0, 1.0, 9.0, 10.0]), np.array([0.0, 9.0, 1.0, 10.0])
    codes = np.stack([np.arange(4), np.argsort(np.argsort(y))], axis=1).astype(np.int32)
    tuples = Tuples(codes, np.ones(4, np.int64))
    found = []
    for weight in (1.0, 100.0):
        columns = [Numeric("x", weight, -1, x, 10.0), Numeric("y", 2.0, -1, np.sort(y), 10.0)]
        view = view_of(tuples, columns, [x, np.zeros(4)])
        found.append(compare_clusters(view, np.random.default_rng(0), clusters=2))
    assert found[0] == found[1]


def test_large_tables_are_sampled_and_say_so() -> None:
    n = 60
    x = Numeric.of("x", np.arange(n, dtype=float), np.ones(n, int))
    tuples = Tuples(np.arange(n, dtype=np.int32)[:, None], np.ones(n, np.int64))
    view = ReleaseView(tuples, [x], Pairs.unmasked(tuples, [x]))
    found = compare_clusters(view, np.random.default_rng(0), most_tuples=20)
    assert (found.sampled, found.records, found.rand) == (True, 20, 1.0)
    again = compare_clusters(view, np.random.default_rng(0), most_tuples=20)
    assert found == again
    assert found.figures()["cluster_sampled"] is True


def test_classification_before_and_after() -> None:
    tuples, word = words([20, 20, 20, 20])
    noise = Numeric.of("noise", np.array([0.0, 1.0]), np.array([1, 1]))
    codes = np.array([[w, x] for w in range(4) for x in range(2)], np.int32)
    tuples = Tuples(codes, np.full(8, 10))
    target = np.isin(codes[:, 0], [0, 2]).astype(int)  # pains
    kept = ReleaseView(tuples, [word, noise], Pairs.unmasked(tuples, [word, noise]))
    rows = kept.pairs.original, kept.pairs.masked
    learned = Learned.of(kept, *rows, target[rows[0]], tuples.counts)
    found = compare_classification(learned, np.random.default_rng(0))
    assert found["accuracy_original"] == found["accuracy_masked"] == 100
    assert found["tree_attributes_original"] == found["tree_attributes_masked"] == ["word"]
    assert found["accuracy_blind"] == 50
    lost = view_of(tuples, [word, noise], [TREE.concepts(["symptom"] * 8), np.zeros(8)])
    learned = Learned.of(lost, np.arange(8), np.zeros(8, int), target, tuples.counts)
    found = compare_classification(learned, np.random.default_rng(0))
    assert found["accuracy_masked"] <= 60
    assert found["tree_attributes_masked"] == found["attributes_left"] == []


def test_classification_needs_two_classes() -> None:
    tuples, word = words([1, 1, 1, 1])
    view = ReleaseView(tuples, [word], Pairs.unmasked(tuples, [word]))
    with pytest.raises(OntomaskError, match="two classes"):
        Learned.of(view, np.arange(4), np.arange(4), np.zeros(4, int), tuples.counts)
