"""SRL, MRL, RL, CRL: by hand, against a loop over records, and their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from evaluation.random_views import Record, releases, replacements, view_of
from ontomask.attributes import Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView, known_to, linkage
from ontomask.evaluation.linkage import (
    blind_guess,
    containing_record_linkage,
    matched_record_linkage,
    record_linkage,
    semantic_record_linkage,
)
from ontomask.ontology.draft import Draft

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)


def word_view(before: list[str], after: list[str | None], measure: str = "path") -> ReleaseView:
    """A one-column release of words, record by record."""
    labels = sorted(set(before))
    word = Nominal("word", 1.0, -1, TREE, om.measure(measure), TREE.concepts(labels))
    codes = np.array([labels.index(x) for x in before])
    counts = np.bincount(codes)
    gone = np.array([x is None for x in after])
    masked = TREE.concepts([x or "symptom" for x in after])
    tuples = Tuples(np.arange(len(labels), dtype=np.int32)[:, None], counts)
    return view_of(tuples, [word], [masked], original=codes, suppressed=gone)


def test_linkage_by_hand() -> None:
    # Masked: pain, pain, colic, fever. ache is nearest to pain (2 records, one of them its own): 1/2.
    # The first colic became pain, but a masked colic is nearer: 0. The other colic finds itself: 1.
    view = word_view(["ache", "colic", "colic", "fever"], ["pain", "pain", "colic", "fever"])
    assert semantic_record_linkage(view) == pytest.approx(100 * (1 / 2 + 0 + 1 + 1) / 4)
    assert matched_record_linkage(view) == pytest.approx(100 * (0 + 0 + 1 + 1) / 4)
    # From the masked side: pain is no original; colic is one of two originals; fever is the one.
    assert record_linkage(view) == pytest.approx(100 * (0 + 0 + 1 / 2 + 1) / 4)
    assert blind_guess(view) == 100 / 4


def test_a_suppressed_record_is_not_found() -> None:
    view = word_view(["ache", "fever"], [None, "fever"])
    assert semantic_record_linkage(view) == matched_record_linkage(view) == 50
    assert record_linkage(view) == 100  # the one released record is found
    assert blind_guess(view) == 50


def test_nothing_released() -> None:
    view = word_view(["ache", "fever"], [None, None])
    for risk in (semantic_record_linkage, matched_record_linkage, record_linkage, blind_guess):
        assert risk(view) == 0


def test_values_of_one_concept_are_one_value() -> None:
    word = Nominal("word", 1.0, -1, TREE, om.measure("path"), TREE.concepts(["ache", "ache"]))
    tuples = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    view = ReleaseView(tuples, [word], Pairs.unmasked(tuples, [word]))
    assert semantic_record_linkage(view) == matched_record_linkage(view) == record_linkage(view) == 50


def test_intruder_who_knows_one_attribute() -> None:
    ages = Numeric.of("age", np.array([20.0, 40.0]), np.array([1, 1]))
    sizes = Numeric.of("size", np.array([1.0, 2.0]), np.array([1, 1]))
    tuples = Tuples(np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.array([1, 1, 1]))
    view = ReleaseView(tuples, [ages, sizes], Pairs.unmasked(tuples, [ages, sizes]))
    assert semantic_record_linkage(view) == 100
    assert semantic_record_linkage(known_to(view, ["age"])) == pytest.approx(100 * (1 / 2 + 1 / 2 + 1) / 3)
    assert matched_record_linkage(known_to(view, ["size"])) == pytest.approx(100 * (1 + 1 / 2 + 1 / 2) / 3)


def test_intruder_with_another_ontology() -> None:
    view = word_view(["ache", "colic", "fever"], ["ache", "colic", "fever"])
    # The intruder's ontology has neither ache nor colic: both count as its root.
    poor = Draft.from_edges("poor", [("fever", "anything")])
    concepts = poor.concepts(["anything", "anything", "fever"])
    word = Nominal("word", 1.0, -1, poor, om.measure("path"), concepts)
    own = view.attributes[0]
    assert isinstance(own, Nominal)
    labels = [TREE.labels[c] for c in own.replacements[view.pairs.values[:, 0]]]
    masked = word.replacement_of(poor.concepts([x if x == "fever" else "anything" for x in labels]))
    seen = ReleaseView(view.tuples, [word], replace(view.pairs, values=masked[:, None]))
    assert semantic_record_linkage(view) == 100
    assert semantic_record_linkage(seen) == pytest.approx(100 * (1 / 2 + 1 / 2 + 1) / 3)


def test_numbers_that_differ_by_less_than_the_grid_are_not_equal() -> None:
    age = Numeric.of("age", np.array([0.0, 1e-12, 1.0]), np.array([1, 1, 1]))
    tuples = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    view = ReleaseView(tuples, [age], Pairs.unmasked(tuples, [age]))
    assert semantic_record_linkage(view) == matched_record_linkage(view) == 100


def brute_force(view: ReleaseView, records: list[Record]) -> tuple[float, float, float]:
    """SRL, MRL, RL by comparing every record with every record."""
    attributes = view.attributes
    released = [r for r in records if r.masked is not None]

    def equal(original: Record, masked: Record) -> bool:
        before = [a.own[original.codes[j]] for j, a in enumerate(attributes)]
        return before == [int(r[0]) for r in replacements(view, masked)]

    def distance(original: Record, masked: Record) -> float:
        parts = [
            a.distance(np.array([original.codes[j]]), r)[0]
            for j, (a, r) in enumerate(zip(attributes, replacements(view, masked), strict=True))
        ]
        power = 2 if view.combine == "euclidean" else 1
        return sum(x**power for x in parts)

    srl = mrl = rl = 0.0
    for record in records:
        if record.masked is None:
            continue
        own = distance(record, record)
        distances = [distance(record, other) for other in released]
        if own <= min(distances) + 1e-12:
            srl += 1 / sum(d <= own + 1e-8 for d in distances)
        if equal(record, record):
            mrl += 1 / sum(equal(record, other) for other in released)
            rl += 1 / sum(equal(other, record) for other in records)
    n = len(records)
    return 100 * srl / n, 100 * mrl / n, 100 * rl / len(released) if released else 0.0


@given(releases(), st.booleans())
def test_linkage_is_that_of_a_loop_over_records(
    release: tuple[ReleaseView, list[Record]], has_tables: bool
) -> None:
    """Also where numbers are too many to have their distances in a table."""
    view, records = release
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "_LARGEST_TABLE", linkage._LARGEST_TABLE if has_tables else 0)
        found = semantic_record_linkage(view), matched_record_linkage(view), record_linkage(view)
    assert found == pytest.approx(brute_force(view, records))


@given(releases(most=30))
def test_srl_is_never_below_mrl(release: tuple[ReleaseView, list[Record]]) -> None:
    view, _ = release
    assert semantic_record_linkage(view) >= matched_record_linkage(view) - 1e-9


@given(releases())
def test_original_tables_leave_one_in_class_size(release: tuple[ReleaseView, list[Record]]) -> None:
    view, _ = release
    plain = replace_pairs(view)
    classes = len(plain.pairs.class_sizes)
    for risk in (semantic_record_linkage, matched_record_linkage, record_linkage):
        assert risk(plain) == pytest.approx(100 * classes / plain.pairs.n)


def replace_pairs(view: ReleaseView) -> ReleaseView:
    return replace(view, pairs=Pairs.unmasked(view.tuples, view.attributes))


def test_crl_finds_nobody_whose_record_does_not_contain_them() -> None:
    """60 was written as 20..30, as 20 and 30 were: that record is taken for them, and 60 is not found."""
    age = Numeric("age", 1.0, -1, np.array([20.0, 30.0, 60.0]), 40.0, is_truthful=True)
    wide, masked = age.covering(np.full(3, 20.0), np.full(3, 30.0))
    table = Tuples(np.array([[0], [1], [2]], np.int32), np.ones(3, np.int64))
    view = ReleaseView(table, [wide], Pairs.of_rows(np.arange(3), masked[:, None]))
    assert containing_record_linkage(view) == pytest.approx(100 / 3 * (1 / 3 + 1 / 3 + 0))
    suppressed = Pairs.of_rows(np.arange(3), masked[:, None], suppressed=np.array([False, True, False]))
    assert containing_record_linkage(ReleaseView(table, [wide], suppressed)) == pytest.approx(100 / 3 * 1 / 2)
    assert (
        containing_record_linkage(ReleaseView(table, [replace(wide, is_truthful=False)], view.pairs)) is None
    )


def test_an_intruder_measures_to_a_range_not_to_its_middle() -> None:
    """30 is the middle of 20..40, and yet nearer to 31: 1 < (10^2 + 10^2) / (2 * 20)."""
    age = Numeric("age", 1.0, -1, np.array([20.0, 30.0, 31.0, 40.0]), 20.0, is_truthful=True)
    wide, masked = age.covering(np.array([20.0, 31.0, 20.0, 40.0]), np.array([40.0, 31.0, 40.0, 40.0]))
    table = Tuples(np.arange(4, dtype=np.int32)[:, None], np.ones(4, np.int64))
    view = ReleaseView(table, [wide], Pairs.of_rows(np.arange(4), masked[:, None]))
    # 20 is found among two; 30 is; 31 goes to 31, which is another's; 40 is.
    assert semantic_record_linkage(view) == pytest.approx(100 / 4 * (1 / 2 + 1 + 0 + 1))
