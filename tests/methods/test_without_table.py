"""Distances that are kept in a table and distances computed when asked for: the same releases and figures."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from methods.test_against_plain import WITHOUT_HIERARCHIES, Case, cases, nominal
from methods.test_without_compiling import TRIED, releases
from ontomask.arrays import Int64
from ontomask.attributes import Attribute, Nominal, Points, Space, Tuples, distances, space_of
from ontomask.attributes._kernels import centroid, empty_group, empty_points, join
from ontomask.attributes.distances import Distances
from ontomask.compiled import kernel
from ontomask.evaluation import Pairs, ReleaseView, Subject, figures, linkage
from ontomask.methods import METHODS, Masking
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity


@contextmanager
def at_most(kept: int) -> Iterator[None]:
    """Keep so many distances of a column, and as many at a time where records are linked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances, "MOST_KEPT", kept)
        patch.setattr(distances, "_PAIRS", 3)
        patch.setattr(distances, "_AT_ONCE", 50)
        patch.setattr(linkage, "_MOST_AT_ONCE", kept)
        yield


def anew(attributes: list[Attribute]) -> list[Attribute]:
    """The attributes without what they have computed so far."""
    return [replace(attribute) for attribute in attributes]


SEARCHING = "annealing"  # it needs tables, and is SA-MDAV without
ALIKE = [name for name in WITHOUT_HIERARCHIES if name != SEARCHING]


def test_every_method_and_figure() -> None:
    tried = [name for name in TRIED if name != SEARCHING]
    expected = releases(tried)
    with at_most(0):
        assert releases(tried) == expected


@settings(max_examples=20)
@given(cases(may_be_truthful=False))
def test_without_a_table_nothing_is_searched(case: Case) -> None:
    with at_most(0):
        bare = replace(case, attributes=anew(case.attributes))
        if not any(isinstance(attribute, Nominal) for attribute in bare.attributes):
            return
        assert bare.groups(METHODS[SEARCHING]()) == bare.groups(METHODS["sa-mdav"]())


@settings(max_examples=40)
@given(cases(), st.sampled_from(ALIKE))
def test_any_table(case: Case, name: str) -> None:
    def found(case: Case) -> tuple[Masking, dict[str, object]]:
        masking = case.mask(METHODS[name]())
        pairs = Pairs.of(case.tuples, masking)
        view = ReleaseView(case.tuples, masking.attributes, pairs, case.combine)
        return masking, figures(Subject(view, clusters=len(pairs.values) > 0))

    masking, expected = found(case)
    with at_most(0):
        again, told = found(replace(case, attributes=anew(case.attributes)))
    assert told == expected
    for field in ("cells", "groups", "counts", "values"):
        np.testing.assert_array_equal(getattr(again, field), getattr(masking, field))


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("by", ["logsc", "wup", "lin"])
def test_many_words(wordnet: om.Ontology, name: str, by: str) -> None:
    """So many that scores are brought up to date instead of computed anew."""
    rng = np.random.default_rng(4)
    concepts = rng.choice(len(wordnet), 240, replace=False).astype(np.int32)
    words = Nominal("word", 0.7, 7, wordnet, om.measure(by), np.insert(concepts, 7, -1))
    tuples = Tuples(np.arange(241, dtype=np.int32)[:, None], rng.integers(1, 4, 241))

    def found() -> Masking:
        own = METHODS[name]()
        measured = own.measure and own.measure != by
        attributes = [words.under(om.measure(own.measure)) if measured else replace(words)]  # type: ignore[arg-type]
        return own.mask(tuples, attributes, [KAnonymity(3)], np.random.default_rng(1))

    expected = found()
    with at_most(600):  # two rows
        again = found()
    np.testing.assert_array_equal(again.groups, expected.groups)
    np.testing.assert_array_equal(again.values, expected.values)


@kernel
def _centroids_while_leaving(space: Space, order: Int64) -> Points:
    """The centroid of all tuples, then of all but the first of `order`, and so on."""
    group, points = empty_group(space), empty_points(space, len(order))
    for t in order:
        join(space, group, t, space.counts[t])
    for i in range(len(order)):
        centroid(space, group, points, i)
        join(space, group, order[i], -space.counts[order[i]])
    return points


def test_the_centroid_of_a_group_that_shrinks(wordnet: om.Ontology) -> None:
    rng = np.random.default_rng(4)
    concepts = rng.choice(len(wordnet), 240, replace=False).astype(np.int32)
    words = Nominal("word", 1.0, -1, wordnet, om.measure("logsc"), concepts)
    tuples = Tuples(np.arange(240, dtype=np.int32)[:, None], rng.integers(1, 4, 240))
    order = rng.permutation(240)
    expected = _centroids_while_leaving(space_of(tuples, [words]), order).candidates
    with at_most(0):
        again = replace(words)
        found = _centroids_while_leaving(space_of(tuples, [again]), order).candidates
    assert len(np.unique(expected)) > 3
    np.testing.assert_array_equal(found, expected)


@given(nominal(None), st.data())
def test_any_question(words: Nominal, data: st.DataObject) -> None:
    table = words.distances.table
    with at_most(0):
        asked: Distances = replace(words).distances
        assert words.distances.is_kept and not asked.is_kept
        r, q = table.shape
        rows = np.array(data.draw(st.lists(st.integers(0, r - 1), max_size=6, unique=True)), np.int64)
        codes = np.array(data.draw(st.lists(st.integers(0, q - 1), max_size=6, unique=True)), np.int64)
        n = min(len(rows), len(codes))
        weights = np.array(data.draw(st.lists(st.integers(-3, 9), min_size=len(codes), max_size=len(codes))))
        weights = weights.astype(np.int64)
        np.testing.assert_array_equal(asked.block(rows, codes), table[np.ix_(rows, codes)])
        np.testing.assert_array_equal(asked.pairs(rows[:n], codes[:n]), table[rows[:n], codes[:n]])
        np.testing.assert_array_equal(
            asked.sums(rows, codes, weights), table[np.ix_(rows, codes)] @ weights.astype(float)
        )
        for row in rows.tolist():
            np.testing.assert_array_equal(asked.row(row), table[row])
        own = words.own[codes[:n]]
        np.testing.assert_array_equal(asked.between(rows[:n], own), table[rows[:n], codes[:n]])


@given(nominal("equality"), st.data())
def test_what_covers_what(words: Nominal, data: st.DataObject) -> None:
    extra = data.draw(st.lists(st.integers(-1, len(words.ontology) - 1), max_size=3))
    words = words.including(np.array(extra, np.int32))  # whose ancestors may not be replacements
    every = range(words.n_replacements)
    a, b = np.array([(a, b) for a in every for b in every], np.int32).T
    above = [
        x == y or (x >= 0 and y >= 0 and x in words.ontology.ancestors[y])
        for x, y in zip(words.replacements[a], words.replacements[b], strict=True)
    ]
    assert words.covers(a, b).tolist() == above


def test_memory_is_a_small_part_of_all_distances() -> None:
    n = 6_000
    tree = Draft.from_edges("wide", [(f"leaf {i}", f"kind {i % 60}") for i in range(n)])
    words = Nominal("word", 1.0, -1, tree, om.measure("logsc"), tree.concepts(f"leaf {i}" for i in range(n)))
    tuples = Tuples(np.arange(n, dtype=np.int32)[:, None], np.ones(n, np.int64))
    METHODS["s-mdav"]().mask(Tuples(tuples.codes[:9], tuples.counts[:9]), [words], [KAnonymity(3)], _rng())
    tracemalloc.start()
    masking = METHODS["s-mdav"]().mask(tuples, [words], [KAnonymity(50)], _rng())
    view = ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking))
    assert figures(Subject(view))["k_reached"] >= 50
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * 8 * n * n  # the table alone, of which there were three


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)
