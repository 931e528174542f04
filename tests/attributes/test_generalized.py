"""A column with a hierarchy: every formula spelt out on the trees of `drawn.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attributes.drawn import ANY_JOB, MEDIC, MISSING, NUN, NURSE, SURGEON, ages, jobs
from ontomask.attributes import Generalized, Nominal, Numeric, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.measures import measure
from ontomask.ontology.draft import Draft


def codes(*which: int) -> np.ndarray:
    return np.array(which, np.int32)


def test_words_are_as_far_from_a_node_as_from_the_concept_it_stands_for() -> None:
    job = jobs()
    assert job.distance(codes(SURGEON, NUN, SURGEON), codes(MEDIC, MEDIC, ANY_JOB)).tolist() == [1, 2, 2]
    assert job.distance(codes(SURGEON), job.own[[SURGEON]]).tolist() == [0]
    table = job.distance_table(codes(SURGEON, NUN), codes(MEDIC, ANY_JOB))
    assert table.tolist() == [[1, 2], [2, 1]]


def test_a_node_that_means_nothing_stands_for_the_least_concept_above_its_values() -> None:
    words = jobs().values
    tree = np.array([[-1, -2, -3], [0, 0, -3], [1, 1, 1]], np.int32)
    unnamed = Generalized.over(words, tree, np.full(2, -1, np.int32))
    assert unnamed.distance(codes(SURGEON, SURGEON), codes(0, 1)).tolist() == [1, 2]


def test_numbers_are_as_far_from_a_range_as_from_one_of_its_numbers_on_average() -> None:
    age = ages()
    # 20 and the range 20..28: (0^2 + 8^2) / (2 * 8); 28 likewise; over the range of the column, 20.
    assert age.distance(codes(0, 1), codes(0, 0)) * 20 == pytest.approx([64 / 16, 64 / 16])
    # 28 in 20..40: (8^2 + 12^2) / (2 * 20)
    assert age.distance(codes(1), codes(2)) * 20 == pytest.approx([(64 + 144) / 40])
    # 40 lies outside 20..28: to its middle
    assert age.distance(codes(3), codes(0)) * 20 == pytest.approx([40 - 24])


def test_the_mean_distance_to_a_range_is_that_of_its_numbers() -> None:
    age = ages()
    drawn = np.linspace(20, 40, 100_001)
    for code, number in enumerate([20, 28, 30, 40]):
        mean = np.abs(drawn - number).mean() / 20
        assert age.distance(codes(code), codes(2)) == pytest.approx([mean], abs=1e-4)


def test_between_ranges_the_middles_count_and_a_range_is_no_way_from_itself() -> None:
    age = ages()
    assert age.between(codes(0, 0, 0), codes(0, 1, 2)) * 20 == pytest.approx([0, 35 - 24, 30 - 24])
    x = int(age.own[1])
    assert age.between(codes(x, 0), codes(0, x)) * 20 == pytest.approx([4, 4])


def test_levels_go_from_the_value_to_the_root() -> None:
    job = jobs()
    own = job.own.tolist()
    assert job.levels.tolist() == [own, [MEDIC, MEDIC, own[NUN]], [ANY_JOB] * 3]


def test_generalization_counts_values_below_and_levels() -> None:
    job = jobs()
    ncp, loss, height = job.generalization(codes(SURGEON, SURGEON, NUN), codes(MEDIC, ANY_JOB, ANY_JOB))
    assert ncp.tolist() == [2 / 3, 1, 1]
    assert loss.tolist() == [1 / 2, 1, 1]
    assert height.tolist() == [1 / 2, 1, 1]
    kept = job.generalization(codes(0, 1, 2), job.own)
    assert all(part.tolist() == [0, 0, 0] for part in kept)


def test_a_value_moved_sideways_counts_as_the_node_above_both() -> None:
    job = jobs()
    ncp, _, height = job.generalization(codes(SURGEON, SURGEON), job.own[[NURSE, NUN]])
    assert ncp.tolist() == [2 / 3, 1]
    assert height.tolist() == [1 / 2, 1]


def test_generalization_of_numbers_is_the_share_of_their_range() -> None:
    ncp, loss, height = ages().generalization(codes(0, 2, 3), codes(0, 1, 2))
    assert ncp.tolist() == loss.tolist() == [8 / 20, 10 / 20, 1]
    assert height.tolist() == [1 / 2, 1 / 2, 1]


def test_missing_is_a_child_of_the_root() -> None:
    job = jobs(missing=True)
    assert job.levels[:, MISSING].tolist() == [job.nothing, job.nothing, ANY_JOB]
    assert job.distance(codes(MISSING), codes(ANY_JOB)).tolist() == [job.maximum]
    ncp, loss, height = job.generalization(codes(MISSING, MISSING), codes(ANY_JOB, job.nothing))
    assert ncp.tolist() == loss.tolist() == height.tolist() == [1, 0]
    # A missing value is none of the values that a node may be.
    assert job.generalization(codes(SURGEON), codes(MEDIC)).ncp.tolist() == [2 / 3]


def test_a_node_covers_what_is_below_it() -> None:
    job = jobs(missing=True)
    own = job.own
    above = codes(MEDIC, MEDIC, ANY_JOB, ANY_JOB, ANY_JOB, MEDIC, own[NUN])
    below = codes(own[NURSE], own[NUN], MEDIC, own[NUN], job.nothing, ANY_JOB, own[NUN])
    assert job.covers(above, below).tolist() == [True, False, True, True, True, False, True]


def test_a_value_may_stand_above_others() -> None:
    """medic is a value too: at level 1 the others become it."""
    ontology = Draft.from_edges("jobs", [("medic", "job"), ("surgeon", "medic"), ("nun", "job")])
    words = Nominal("job", 1.0, -1, ontology, measure("path"), ontology.concepts(["medic", "nun", "surgeon"]))
    tree = np.array([[-1, -2, -3], [-1, -2, -1], [0, 0, 0]], np.int32)
    job = Generalized.over(words, tree, np.array([-1], np.int32))
    medic, nun, surgeon = job.own
    assert job.levels.tolist() == [[medic, nun, surgeon], [medic, nun, medic], [0, 0, 0]]
    ncp, _, height = job.generalization(codes(2, 0), codes(medic, medic))
    assert ncp.tolist() == [2 / 3, 0]
    assert height.tolist() == [1 / 2, 0]
    assert job.covers(codes(medic, surgeon), codes(surgeon, medic)).tolist() == [True, False]


def test_more_replacements_leave_the_nodes_what_they_were() -> None:
    age = ages()
    wider = age.with_nothing()
    assert wider.nothing == age.n_replacements
    assert wider.distance(codes(1), codes(2)).tolist() == age.distance(codes(1), codes(2)).tolist()
    job = jobs()
    assert job.with_nothing().distance(codes(0, 2), codes(MEDIC, ANY_JOB)).tolist() == [1, 1]
    assert job.index_in(job.with_nothing()).tolist() == list(range(job.n_replacements))
    assert job.under(measure("equality")).distance(codes(0), codes(MEDIC)).tolist() == [1]


def test_centroids_are_those_of_the_plain_attribute() -> None:
    age = ages()
    tuples = Tuples(np.arange(4, dtype=np.int32)[:, None], np.ones(4, np.int64))
    space = space_of(tuples, [age])
    points = group_centroids(space, codes(0, 1, 2, 3), codes(0, 0, 1, 1), tuples.counts, 2)
    [extended], values = replacements_of([age], space, points)
    assert extended.plain.line is not None
    middles = extended.plain.line.replacements[
        values[:, 0] - (extended.n_replacements - extended.plain.n_replacements)
    ]
    assert middles.tolist() == [24, 35]


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Levels over up to eight codes: at each level some of the groups join."""
    q = draw(st.integers(1, 8))
    level, rows, n_nodes = list(range(-1, -1 - q, -1)), [], 0
    rows.append(level)
    for _ in range(draw(st.integers(0, 3))):
        became: dict[int, int] = {}
        for one in dict.fromkeys(level):
            joined = draw(st.sampled_from([*became.values(), None, "stay"]))
            if joined == "stay":
                became[one] = one
            elif joined is None or joined < 0:
                became[one], n_nodes = n_nodes, n_nodes + 1
            else:
                became[one] = joined
        level = [became[one] for one in level]
        rows.append(level)
    rows.append([n_nodes] * q)
    return np.array(rows, np.int32), n_nodes + 1


@given(trees())
def test_against_the_definition_by_sets(case: tuple[np.ndarray, int]) -> None:
    """A value and a node meet at the first level at which it has become the same as all of the node's."""
    tree, n_nodes = case
    q, h = tree.shape[1], len(tree) - 1
    numbers = Numeric.of("x", np.arange(q, dtype=float), np.ones(q, np.int64))
    attribute = Generalized.over(numbers, tree, np.full(n_nodes, -1, np.int32))
    levels = attribute.levels
    for r in np.unique(levels).tolist():
        lowest = min(i for i in range(h + 1) if r in levels[i])
        members = [c for c in range(q) if r == levels[lowest, c]]
        for c in range(q):
            meeting = next(i for i in range(lowest, h + 1) if {*levels[i, members]} == {levels[i, c]})
            cover = [m for m in range(q) if levels[meeting, c] in levels[:, m]]
            found = attribute.generalization(codes(c), codes(r))
            is_own = r == attribute.own[c]
            assert found.height[0] == (0 if is_own else meeting / h)
            assert found.ncp[0] == pytest.approx(0 if is_own else (max(cover) - min(cover)) / max(q - 1, 1))
            assert attribute.covers(codes(r), attribute.own[[c]])[0] == (r in levels[:, c])
