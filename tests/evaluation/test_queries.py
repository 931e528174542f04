"""Aggregate queries: what a masked value may stand for, and the error of counts, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attributes.drawn import ANY_JOB, MEDIC, NUN, NURSE, SURGEON, ages, jobs
from evaluation.random_views import Record, releases
from ontomask.attributes import Attribute, Tuples
from ontomask.evaluation import queries
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.evaluation.queries import query_errors


def wanted(attribute: Attribute, *codes: int) -> np.ndarray:
    return np.isin(np.arange(attribute.size), codes)


def test_a_node_may_be_each_value_below_it() -> None:
    job = jobs(missing=True)
    replacements = np.array([MEDIC, ANY_JOB, *job.own], np.int32)
    found = job.shares(wanted(job, SURGEON, NUN), replacements)
    assert found.tolist() == pytest.approx([1 / 2, 2 / 3, 1, 0, 1, 0])


def test_a_concept_may_be_each_word_below_it_and_a_word_is_itself() -> None:
    words = jobs().plain
    replacements = words.own.tolist()
    above = [r for r in range(words.n_replacements) if r not in replacements]
    shares = words.shares(wanted(words, NURSE), np.array([*replacements, *above], np.int32))
    assert shares.tolist() == pytest.approx([0, 1, 0, 1 / 2, 1 / 3])  # deepest first: medic, then job


def test_a_range_may_be_each_number_in_it_and_a_number_is_the_nearest() -> None:
    age = ages()
    assert age.shares(wanted(age, 1, 2), np.array([0, 1, 2], np.int32)).tolist() == [1 / 2, 1 / 2, 1 / 2]
    plain = age.plain.including(np.array([24.0, 26.0, 90.0]))  # type: ignore[attr-defined]
    shares = plain.shares(wanted(age, 1), plain.replacement_of(np.array([24.0, 26.0, 90.0, 28.0])))
    assert shares.tolist() == [0, 1, 0, 1]  # 24 is as near to 20 as to 28: the lower one
    assert plain.shares(wanted(age, 1), np.array([0, 2], np.int32)).tolist() == [1 / 2, 1 / 4]


def test_everything_at_the_root_is_wrong_by_how_uneven_the_values_are() -> None:
    job = jobs()
    tuples = Tuples(np.array([[SURGEON], [NURSE], [NUN]], np.int32), np.array([2, 4, 6]))
    pairs = Pairs.of_rows(np.arange(3), np.full((3, 1), ANY_JOB, np.int32), tuples.counts)
    # Every query asks for one of three values (a tenth, at least one); the estimate is always 12 / 3 = 4.
    errors = {100 * abs(4 - n) / n for n in (2, 4, 6)}
    found = query_errors(ReleaseView(tuples, [job], pairs), np.random.default_rng(0), queries=1)
    assert min(abs(found["query_error"] - one) for one in errors) < 1e-9
    many = query_errors(ReleaseView(tuples, [job], pairs), np.random.default_rng(0), queries=600)
    assert many["query_error"] == pytest.approx(sum(errors) / 3, rel=0.1)


def test_rows_that_were_left_out_are_missing_from_every_count() -> None:
    job = jobs()
    tuples = Tuples(np.array([[SURGEON], [NURSE], [NUN]], np.int32), np.array([1, 1, 2]))
    own = job.own[:, None]
    suppressed = np.array([False, False, True])
    view = ReleaseView(tuples, [job], Pairs.of_rows(np.arange(3), own, tuples.counts, suppressed))
    found = query_errors(view, np.random.default_rng(0), queries=300)
    assert 0 < found["query_error"] < 100
    assert found["query_error_median"] in (0.0, 100.0)


def test_two_columns_multiply() -> None:
    """Against a count of records one by one."""
    job, age = jobs(), ages()
    rng = np.random.default_rng(3)
    codes = np.array([[j, a] for j in range(3) for a in range(4)], np.int32)
    tuples = Tuples(codes, rng.integers(1, 9, len(codes)))
    values = np.stack([job.levels[1, codes[:, 0]], age.levels[1, codes[:, 1]]], axis=1)
    view = ReleaseView(tuples, [job, age], Pairs.of_rows(np.arange(len(codes)), values, tuples.counts))
    a, b = wanted(job, SURGEON, NUN), wanted(age, 0)
    estimate = sum(
        n
        * np.mean([a[m] for m in range(3) if job.levels[1, m] == job.levels[1, j]])
        * np.mean([b[m] for m in range(4) if age.levels[1, m] == age.levels[1, y]])
        for (j, y), n in zip(codes, tuples.counts, strict=True)
    )
    shares = job.shares(a, view.pairs.values[:, 0]) * age.shares(b, view.pairs.values[:, 1])
    assert view.pairs.class_sizes @ shares == pytest.approx(estimate)


def test_a_column_without_any_value_is_not_asked_for() -> None:
    job = jobs(missing=True).over_replacements(np.array([jobs(missing=True).nothing], np.int32))
    tuples = Tuples(np.zeros((1, 1), np.int32), np.array([4]))
    view = ReleaseView(tuples, [job], Pairs.of_rows(np.arange(1), job.own[:, None], tuples.counts))
    assert query_errors(view, np.random.default_rng(0)) == {"query_error": 0.0, "query_error_median": 0.0}


@pytest.mark.parametrize("few", [0, 1000])
@settings(max_examples=10)
@given(drawn=releases(), seed=st.integers(0, 99))
def test_queries_that_are_asked_again_are_counted_again(
    few: int, drawn: tuple[ReleaseView, list[Record]], seed: int
) -> None:
    """Query by query and column by column, nothing being kept."""
    view, rng = drawn[0], np.random.default_rng(seed)
    tuples, pairs = view.tuples, view.pairs
    asked = [j for j, a in enumerate(view.attributes) if a.size > (a.missing >= 0)]
    errors = []
    for _ in range(20 if asked else 0):
        columns = rng.permutation(asked)[: rng.integers(1, min(3, len(asked)) + 1)]
        before, after = tuples.counts.astype(float), pairs.class_sizes.astype(float)
        for j in columns:
            a = view.attributes[j]
            present = [code for code in range(a.size) if code != a.missing]
            middle = a.own[present[rng.integers(len(present))]]
            away = a.distance_table(np.array(present, np.int32), np.array([middle], np.int32))[:, 0]
            nearest = sorted(range(len(present)), key=lambda i: away[i])
            chosen = nearest[: max(1, round(0.1 ** (1 / len(columns)) * len(present)))]
            wants = wanted(a, *(present[i] for i in chosen))
            before = before * wants[tuples.codes[:, j]]
            after = after * a.shares(wants, pairs.values[:, j])
        count = before.sum()
        errors.append(100 * abs(after.sum() - count) / max(count, 0.001 * tuples.n, 1.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "_FEW", few)
        found = query_errors(view, np.random.default_rng(seed), queries=20)
    assert found["query_error"] == pytest.approx(np.mean(errors or [0.0]))
    assert found["query_error_median"] == pytest.approx(np.median(errors or [0.0]))
