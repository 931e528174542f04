"""Vectorised measures against sets on random DAGs, and the axioms of a metric."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.measures.base import GRID
from ontomask.measures.information import information_content
from ontomask.measures.sweep import Columns, Rows, smallest_cell
from ontomask.ontology.core import Ontology
from reference import Plain, ontologies, worded_ontologies


def every_pair(ontology: Ontology, value: Callable[[int, int], float]) -> np.ndarray:
    n = range(len(ontology))
    return np.array([[value(a, b) for b in n] for a in n])


def all_concepts(ontology: Ontology) -> np.ndarray:
    return np.arange(len(ontology))


@given(ontologies())
def test_edge_measures_equal_sets(ontology: Ontology) -> None:
    plain, c = Plain(ontology), all_concepts(ontology)
    for name, options, expected in (
        ("path", {}, lambda a, b: 1 / (1 + plain.path(a, b))),
        ("wup", {}, plain.wup),
        ("wup", {"convention": "nltk"}, plain.wup_nltk),
        ("wup", {"convention": "ws4j"}, plain.wup_ws4j),
        (
            "lch",
            {},
            lambda a, b: -math.log((plain.path(a, b) + 1) / (2 * (max(plain.longest) + 1))),
        ),
    ):
        found = om.measure(name, **options).similarities(ontology, c, c)
        np.testing.assert_allclose(found, every_pair(ontology, expected), atol=1e-12)
    paths = om.measure("path").matrix(ontology, c, c)
    np.testing.assert_array_equal(paths, every_pair(ontology, plain.path))


@given(ontologies())
def test_logsc_equals_sets_and_is_a_metric(ontology: Ontology) -> None:
    plain, c = Plain(ontology), all_concepts(ontology)
    d = om.measure("logsc").matrix(ontology, c, c)
    np.testing.assert_allclose(d, every_pair(ontology, plain.logsc), atol=1 / GRID)
    assert (d >= 0).all() and (d < 1).all()
    assert ((d == 0) == np.eye(len(c), dtype=bool)).all()
    assert (d == d.T).all()
    around = d[:, :, None] + d[None, :, :]
    assert (d[:, None, :] <= around + 2 / GRID).all()


@given(ontologies())
def test_information_measures_equal_sets(ontology: Ontology) -> None:
    plain, c = Plain(ontology), all_concepts(ontology)
    ic = [plain.seco(x) for x in c]
    np.testing.assert_allclose(information_content(ontology, "seco"), ic, atol=1e-12)

    def shared(a: int, b: int) -> float:
        return max(ic[x] for x in plain.common(a, b))

    def lin(a: int, b: int) -> float:
        return 2 * shared(a, b) / (ic[a] + ic[b]) if ic[a] + ic[b] else 1.0

    resnik = om.measure("resnik").similarities(ontology, c, c)
    np.testing.assert_allclose(resnik, every_pair(ontology, shared), atol=1e-12)
    np.testing.assert_allclose(
        om.measure("lin").similarities(ontology, c, c), every_pair(ontology, lin), atol=1e-12
    )
    lin_distance = om.measure("lin").matrix(ontology, c, c)
    np.testing.assert_allclose(lin_distance, 1 - every_pair(ontology, lin), atol=1e-9)
    jcn = every_pair(ontology, lambda a, b: ic[a] + ic[b] - 2 * shared(a, b))
    np.testing.assert_allclose(om.measure("jcn").matrix(ontology, c, c), jcn, atol=1e-9)


@given(worded_ontologies())
@pytest.mark.parametrize("name", ["tversky", "petrakis", "vector"])
def test_measures_of_words_equal_sets(name: str, ontology: Ontology) -> None:
    plain, c = Plain(ontology), all_concepts(ontology)
    found = om.measure(name).similarities(ontology, c, c)
    np.testing.assert_allclose(found, every_pair(ontology, getattr(plain, name)), atol=1e-12)


@given(worded_ontologies(), st.sampled_from([(1 / 3, 1 / 3, 1 / 3), (0.5, 0.3, 0.2), (0.1, 0.9, 0.0)]))
def test_rodriguez_equals_sets(ontology: Ontology, weights: tuple[float, float, float]) -> None:
    plain, c = Plain(ontology), all_concepts(ontology)
    options = dict(zip(("synsets", "features", "neighbourhoods"), weights, strict=True))
    found = om.measure("rodriguez", **options).similarities(ontology, c, c)
    expected = every_pair(ontology, lambda a, b: plain.rodriguez(a, b, *weights))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(worded_ontologies())
@pytest.mark.parametrize("name", ["tversky", "rodriguez", "petrakis", "vector"])
def test_distances_of_words_are_one_minus_similarity(name: str, ontology: Ontology) -> None:
    c, measure = all_concepts(ontology), om.measure(name)
    d, similarity = measure.matrix(ontology, c, c), measure.similarities(ontology, c, c)
    different = ~np.eye(len(c), dtype=bool)
    np.testing.assert_allclose(d[different], 1 - similarity[different], atol=1 / GRID)
    assert (d.diagonal() == 0).all() and (d * GRID == np.rint(d * GRID)).all()


@given(ontologies(), st.data())
@pytest.mark.parametrize("name", ["path", "lch", "wup", "logsc", "resnik", "lin", "jcn", "equality"])
def test_distances_are_zero_on_equal_concepts_bounded_and_on_the_grid(
    name: str, ontology: Ontology, data: st.DataObject
) -> None:
    measure = om.measure(name)
    concept = st.integers(0, len(ontology) - 1)
    a = data.draw(st.lists(concept, min_size=1, max_size=5))
    b = data.draw(st.lists(concept, min_size=1, max_size=5))
    d = measure.matrix(ontology, a, b)
    assert d.shape == (len(a), len(b)) and d.dtype == np.float64
    assert (d >= 0).all() and (d <= measure.maximum(ontology) + 1e-9).all()
    assert all(d[i, j] == 0 for i, x in enumerate(a) for j, y in enumerate(b) if x == y)
    assert (d * GRID == np.rint(d * GRID)).all()
    assert not measure.bounded or d.max() <= 1


def test_blocks_of_columns_make_no_difference(wordnet: Ontology) -> None:
    a = np.arange(0, len(wordnet), 9001)
    b = np.arange(0, len(wordnet), 5)  # several blocks, also of those that need a second look
    some = np.array([0, 2047, 2048, 2049, len(b) - 1])
    nltk = om.measure("wup", convention="nltk")
    for measure in (*map(om.measure, ("logsc", "path", "wup", "lin")), nltk):
        whole = measure.matrix(wordnet, a, b)
        np.testing.assert_array_equal(whole[:, some], measure.matrix(wordnet, a, b[some]))


def test_a_chain_deeper_than_a_byte_can_count() -> None:
    from ontomask.ontology.draft import Draft

    chain = Draft.from_edges("chain", [(f"n{i + 1:04d}", f"n{i:04d}") for i in range(400)])
    paths = om.measure("path").matrix(chain, [0, 400], [0, 300])
    np.testing.assert_array_equal(paths, [[0, 300], [400, 100]])
    deep = om.measure("logsc").matrix(chain, [400], [300])[0, 0]
    assert deep == pytest.approx(math.log2(1 + 100 / 401), abs=1e-9)
    assert om.measure("wup").similarities(chain, [400], [300])[0, 0] == pytest.approx(600 / 700)


@pytest.mark.parametrize("name", sorted(set(om.MEASURES) - {"tversky", "rodriguez", "petrakis", "vector"}))
def test_nothing_compared_with_something_is_an_empty_table(wordnet: Ontology, name: str) -> None:
    assert om.measure(name).matrix(wordnet, [], [1, 2]).shape == (0, 2)
    assert om.measure(name).matrix(wordnet, [1, 2], []).shape == (2, 0)


@pytest.mark.parametrize(("bound", "bits"), [(255, 8), (256, 16), (2**16 - 1, 16), (2**16, 32)])
def test_a_cell_is_as_small_as_its_bound_allows(bound: int, bits: int) -> None:
    cell = smallest_cell(bound)
    assert (cell.dtype, cell.tolist()) == (np.dtype(f"uint{bits}"), [bound])


@pytest.mark.parametrize("name", sorted(set(om.MEASURES) - {"tversky", "rodriguez", "petrakis"}))
def test_concepts_laid_out_before_are_as_far_apart(wordnet: Ontology, name: str) -> None:
    a, b = np.arange(0, len(wordnet), 9000), np.arange(0, len(wordnet), 701)
    measures = [om.measure(name)]
    if name == "wup":
        measures += [om.measure(name, convention=convention) for convention in ("nltk", "ws4j")]
    more = Rows(wordnet, np.arange(0, len(wordnet), 1800))
    for measure in measures:
        expected = measure.matrix(wordnet, a, b)
        for rows in (a, Rows(wordnet, a), Rows(wordnet, a, more), Rows(wordnet, a[3:4], more)):
            wanted = expected[3:4] if len(rows) == 1 else expected
            np.testing.assert_array_equal(measure.matrix(wordnet, rows, Columns(wordnet, b)), wanted)
            np.testing.assert_array_equal(measure.matrix(wordnet, rows, b), wanted)


def test_logsc_of_an_ontology_too_deep_for_a_table() -> None:
    from ontomask.ontology.draft import Draft

    chain = Draft.from_edges("chain", [(f"n{i + 1:05d}", f"n{i:05d}") for i in range(4500)])
    deep = om.measure("logsc").matrix(chain, [4500, 7], [4400])[:, 0]
    np.testing.assert_allclose(deep, np.log2(1 + np.array([100 / 4501, 4393 / 4401])), atol=1e-9)
