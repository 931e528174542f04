"""Truthful columns: what covers a group, what that costs, and the compiled rows beside the plain formula."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attributes.drawn import ANY_JOB, MEDIC, MISSING, NUN, NURSE, SURGEON, ages, jobs
from ontomask.attributes import Attribute, Generalized, Nominal, Numeric, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import (
    empty_group,
    fill_for_members,
    group_centroids,
    join,
    row_from_point,
    row_from_tuple,
    tuple_points,
    with_covers,
)
from ontomask.attributes.space import Points, Space
from ontomask.compiled import kernel
from ontomask.measures import measure
from ontomask.measures.base import GRID
from reference import ontologies


def codes(*which: int) -> np.ndarray:
    return np.array(which, np.int32)


def truthful(attribute: Any) -> Any:
    return replace(attribute, is_truthful=True)


def table_of(*attributes: Attribute) -> Tuples:
    """A tuple of each combination of codes, once."""
    grid = np.indices([a.size for a in attributes]).reshape(len(attributes), -1).T
    return Tuples(grid.astype(np.int32), np.ones(len(grid), np.int64))


def covers_of(attribute: Attribute, *groups: list[int]) -> tuple[Attribute, list[int]]:
    """The attribute with the cover of each group of codes, and which replacement that is."""
    space = space_of(table_of(attribute), [attribute], with_covers=True)
    members = codes(*(code for group in groups for code in group))
    which = np.repeat(np.arange(len(groups), dtype=np.int32), [len(group) for group in groups])
    points = group_centroids(space, members, which, np.ones(len(members), np.int64), len(groups))
    (extended,), values = replacements_of([attribute], space, points)
    return extended, values[:, 0].tolist()


# ---------------------------------------------------------------------- formulas


def test_the_cover_of_words_is_their_least_common_subsumer_or_the_value_itself() -> None:
    words = truthful(jobs(missing=True).values)
    concept, o = words.replacements, words.ontology
    _, found = covers_of(
        words, [SURGEON, NURSE], [SURGEON, NUN], [NUN, NUN], [NUN, MISSING], [MISSING, MISSING]
    )
    expected = [o.concept("medic"), o.concept("job"), o.concept("nun"), o.concept("job"), -1]
    assert concept[found].tolist() == expected


def test_the_cover_by_a_hierarchy_is_a_node_of_it() -> None:
    job = truthful(jobs(missing=True))
    own = job.own.tolist()
    _, found = covers_of(job, [SURGEON, NURSE], [SURGEON, NUN], [NUN], [NURSE, MISSING], [MISSING])
    assert found == [MEDIC, ANY_JOB, own[NUN], ANY_JOB, own[MISSING]]
    age = truthful(ages())
    assert covers_of(age, [0, 1], [2, 3], [1, 2], [3])[1] == [0, 1, 2, int(age.own[3])]


def test_the_cover_of_numbers_is_their_range() -> None:
    numbers = np.array([20.0, 28.0, 30.0, np.nan])
    age = truthful(Numeric.of("age", numbers, np.ones(4, np.int64)))
    wide, found = covers_of(age, [0, 1], [1, 1], [0, 3], [3], [2, 0, 1])
    assert isinstance(wide, Numeric)
    assert wide.ranges.tolist() == [[-np.inf, np.inf], [20, 28], [20, 30]]
    assert found == [1, int(wide.own[1]), 0, wide.nothing, 2]
    everything, narrow = codes(0), codes(1)
    # From 20 to 28 of 20..30; a number in everything is as far as from 20..30; no value is lost in it.
    assert wide.generalization(codes(1), narrow).ncp.tolist() == [8 / 10]
    assert wide.generalization(codes(0, 3), codes(0, 0)).ncp.tolist() == [1, 1]
    assert wide.distance(codes(1), everything) == pytest.approx([(8**2 + 2**2) / (2 * 10) / 10])
    assert wide.distance(codes(3), everything).tolist() == [wide.maximum]
    assert wide.covers(np.repeat(everything, 4), wide.own).tolist() == [True] * 4
    assert wide.covers(np.repeat(narrow, 4), wide.own).tolist() == [True, True, False, False]


def test_missing_is_a_child_of_the_root_where_a_column_is_truthful() -> None:
    words = jobs(missing=True).values
    assert isinstance(words, Nominal)
    root, medic = words.replacement_of(words.ontology.concepts(["job", "medic"]))
    above, below = codes(root, medic, words.nothing), codes(words.nothing, words.nothing, root)
    assert words.covers(above, below).tolist() == [False, False, False]
    assert truthful(words).covers(above, below).tolist() == [True, False, False]


def test_the_root_costs_all_where_it_may_be_no_value() -> None:
    """One word beside a missing value: the root covers one of one values, and yet tells nothing."""
    words = jobs(missing=True).values
    assert isinstance(words, Nominal)
    alone = truthful(replace(words, concepts=words.concepts[[NUN, MISSING]], missing=1))
    root = alone.replacement_of(codes(0))
    assert alone.generalization(codes(0, 1), np.repeat(root, 2)).ncp.tolist() == [1, 1]
    assert alone.generalization(codes(0), alone.own[:1]).ncp.tolist() == [0]
    assert alone.subsumers.ncp[alone.subsumers.up[int(alone.subsumers.own[1])]].tolist() == [0, 1]


def test_what_a_tuple_adds_is_the_ncp_of_what_covers_both() -> None:
    job, age = truthful(jobs()), truthful(replace(ages().values, weight=2.0))
    space = space_of(table_of(job, age), [job, age], with_covers=True)
    row = row_from_tuple(space, 0)  # surgeon, 20
    on_grid = np.rint(np.array([0, 2 / 3, 1, 0, 2 * 8 / 20, 2 * 10 / 20, 2]) * GRID) / GRID
    assert row.tolist() == on_grid.tolist()


def test_a_column_that_is_not_truthful_keeps_its_centroid_beside_one_that_is() -> None:
    age, other = truthful(ages().values), ages().values
    space = space_of(table_of(age, other), [age, other], with_covers=True)
    members = codes(0, 5, 10)  # (20, 20), (28, 28), (30, 30)
    points = group_centroids(space, members, codes(0, 0, 0), np.ones(3, np.int64), 1)
    (wide, exact), values = replacements_of([age, other], space, points)
    assert wide.ranges[values[0, 0]].tolist() == [20, 30]
    assert exact.replacements[values[0, 1]] == pytest.approx((20 + 28 + 30) / 3)
    kept = with_covers(
        space, tuple_points(space, np.array([10])), members, codes(0, 0, 0), np.ones(3, np.int64)
    )
    assert (kept.numbers.tolist(), kept.ends[0, 0]) == ([[20, 30]], 30)


def test_nothing_is_covered_unless_that_is_asked_for() -> None:
    """Figures compare distances, whatever was released."""
    age = truthful(Numeric.of("age", np.array([20.0, 30.0, 70.0]), np.ones(3, np.int64)))
    space = space_of(table_of(age), [age])
    points = group_centroids(space, codes(0, 1, 2), codes(0, 0, 0), np.ones(3, np.int64), 1)
    assert points.numbers[0, 0] == 40
    assert not space.has_covers


# ---------------------------------------------------------------------- properties


@st.composite
def attributes(draw: st.DrawFn) -> Attribute:
    """Words with several parents, numbers, or a random tree over either; a value may be missing."""
    weight = draw(st.sampled_from([1.0, 0.3, 2.0]))
    is_missing = draw(st.booleans())
    plain: Attribute
    if draw(st.booleans()):
        ontology = draw(ontologies())
        concepts = draw(st.permutations(range(len(ontology))))[: draw(st.integers(1, 7))]
        missing = len(concepts) if is_missing else -1
        known = np.array([*concepts, *[-1] * is_missing], np.int32)
        plain = Nominal("x", weight, missing, ontology, measure("logsc"), known)
    else:
        numbers = sorted(draw(st.sets(st.integers(-9, 9), min_size=1, max_size=7)))
        known_numbers = np.array([*numbers, *[np.nan] * is_missing], float)
        plain = Numeric.of("x", known_numbers, np.ones(len(known_numbers), np.int64), weight=weight)
    plain = truthful(plain)
    return draw(trees(plain)) if draw(st.booleans()) else plain


@st.composite
def trees(draw: st.DrawFn, values: Attribute) -> Generalized:
    """Up to three levels of nodes, each of some nodes or values below it, and the root."""
    present = [code for code in range(values.size) if code != values.missing]
    level = {code: -1 - code for code in range(values.size)}
    levels, n_nodes = [dict(level)], 0
    for _ in range(draw(st.integers(0, 3))):
        below = sorted({level[code] for code in present})
        group_of = {node: draw(st.integers(0, 3)) for node in below}
        for group in sorted(set(group_of.values())):
            joined = [node for node in below if group_of[node] == group]
            if len(joined) > 1 or draw(st.booleans()):
                level |= {code: n_nodes for code in present if level[code] in joined}
                n_nodes += 1
        levels.append(dict(level))
    levels.append(dict.fromkeys(range(values.size), n_nodes))
    tree = [[one[code] for code in range(values.size)] for one in levels]
    return Generalized.over(values, np.array(tree, np.int32), np.full(n_nodes + 1, -1, np.int32))


@given(attributes(), st.data())
def test_rows_are_the_weighted_ncp_of_what_covers_both(attribute: Attribute, data: st.DataObject) -> None:
    space = space_of(table_of(attribute), [attribute], with_covers=True)
    every = np.arange(attribute.size, dtype=np.int32)

    def plain(row_attribute: Attribute, replacement: int) -> list[float]:
        ncp = row_attribute.generalization(every, np.full(attribute.size, replacement, np.int32)).ncp
        return (np.rint(attribute.weight * ncp * GRID) / GRID).tolist()

    for code in range(attribute.size):
        assert row_from_tuple(space, code).tolist() == plain(attribute, int(attribute.own[code]))
    group = codes(*data.draw(st.sets(st.sampled_from(every.tolist()), min_size=1)))
    points = group_centroids(space, group, np.zeros_like(group), np.ones(len(group), np.int64), 1)
    (extended,), values = replacements_of([attribute], space, points)
    assert row_from_point(space, points, 0).tolist() == plain(extended, int(values[0, 0]))


@kernel
def row_for_members(space: Space, members: np.ndarray, points: Points) -> np.ndarray:
    """What is known of the distances to point 0 when only those of some tuples are asked for; else NaN."""
    row, group = np.full(len(space.values), np.nan), empty_group(space)
    for t in members:
        join(space, group, int(t), 1)
    fill_for_members(space, group, points, 0, row)
    return row


@pytest.mark.parametrize("with_covers", [True, False])
@given(attributes(), attributes(), st.data())
def test_members_are_as_far_as_all_values_say(
    with_covers: bool, one: Attribute, other: Attribute, data: st.DataObject
) -> None:
    """Of any point, also one that does not stand for them."""
    table = table_of(one, other)
    space = space_of(table, [one, other], with_covers=with_covers)
    some = st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=4, unique=True)
    members, of_point = codes(*data.draw(some)), codes(*data.draw(some))
    points = group_centroids(space, of_point, np.zeros_like(of_point), np.ones(len(of_point), np.int64), 1)
    found, row = row_for_members(space, members, points), row_from_point(space, points, 0)
    asked = np.unique(space.codes[:, members])
    assert found[asked].tolist() == row[asked].tolist()
    assert np.isnan(np.delete(found, asked)).all()


@given(attributes(), st.data())
def test_a_cover_is_the_least_that_is_true_of_all(attribute: Attribute, data: st.DataObject) -> None:
    group = data.draw(st.lists(st.integers(0, attribute.size - 1), min_size=1, max_size=5))
    extended, (cover,) = covers_of(attribute, group)
    # What nodes stand for is no part of the tree.
    every = above.replacements if (above := extended.subsumers) else np.arange(extended.n_replacements)
    own = extended.own[group]

    def is_true(replacement: int) -> bool:
        return bool(extended.covers(np.full(len(group), replacement, np.int32), own).all())

    assert is_true(cover)
    if len(set(group)) == 1:
        assert cover == own[0]  # one value stays itself
    others = [r for r in every.tolist() if is_true(r) and r != cover]
    assert not extended.covers(np.full(len(others), cover, np.int32), np.array(others, np.int32)).any()
    if isinstance(attribute, Nominal) and (known := attribute.concepts[group]).min() >= 0:
        assert attribute.replacements[cover] == attribute.ontology.lcs_of_set(np.unique(known))


@given(attributes())
def test_subsumers_are_in_an_order_in_which_nothing_stands_above_a_later_one(attribute: Attribute) -> None:
    above = attribute.subsumers
    if above is None:
        assert isinstance(attribute, Numeric)
        return
    n = len(above.replacements)
    assert above.replacements[above.own].tolist() == attribute.own.tolist()
    for c in range(n):
        r = np.full(n, above.replacements[c], np.int32)
        at_or_above = np.flatnonzero(attribute.covers(above.replacements, r)).tolist()
        assert above.up[c].tolist() == at_or_above
        assert at_or_above[0] == c
