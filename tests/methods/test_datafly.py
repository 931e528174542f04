"""Datafly: on a table small enough to draw, and against its plain twin on random ones.

      job                 *
     /   \\              /    \\
   medic  nun         20-29   30
   /   \\             /    \\    |
surgeon nurse       20    28  30
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.leveled import Case, Node, Plain, cases, check_promises, groups
from ontomask.attributes import Generalized, Nominal, Numeric, Tuples
from ontomask.errors import InternalError, OntomaskError
from ontomask.measures import measure
from ontomask.methods.datafly import Datafly
from ontomask.methods.full_domain import FullDomain
from ontomask.methods.incognito import Incognito
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity

SURGEON, NURSE, NUN = range(3)


def people(rows: list[tuple[int, int, int]], k: int, budget: int = 0) -> Case:
    """Rows of (job, age, how many)."""
    ontology = Draft.from_edges(
        "jobs", [("medic", "job"), ("nun", "job"), ("surgeon", "medic"), ("nurse", "medic")]
    )
    words = Nominal("job", 1.0, -1, ontology, measure("path"), ontology.concepts(["surgeon", "nurse", "nun"]))
    tree = np.array([[-1, -2, -3], [0, 0, -3], [1, 1, 1]], np.int32)
    job = Generalized.over(words, tree, np.full(2, -1, np.int32))
    numbers = Numeric.of("age", np.array([20.0, 28.0, 30.0]), np.ones(3, np.int64))
    age = Generalized.over(
        numbers, np.array([[-1, -2, -3], [0, 0, 1], [2, 2, 2]], np.int32), np.full(3, -1, np.int32)
    )
    codes = np.array([row[:2] for row in rows], np.int32)
    return Case(Tuples(codes, np.array([row[2] for row in rows])), [job, age], k, budget)


def node_of(case: Case, method: FullDomain) -> Node:
    """The levels that a method chose: those that all of its values stand at."""
    found = groups(case.mask(method))
    return next(n for n in Plain(case).nodes if Plain(case).released(n, found.get((), set())) == found)


def test_classic_climbs_where_values_are_most() -> None:
    """Three ages against two jobs: ages climb to 20-29; then two against two, so jobs climb."""
    case = people([(SURGEON, 0, 1), (SURGEON, 1, 1), (NURSE, 1, 1), (SURGEON, 2, 2)], 2)
    assert node_of(case, Datafly(heuristic="classic")) == (1, 1)
    # At 20-29 the surgeons of 20 and 28 are two; of the nurse there is one, who may be left out.
    assert node_of(people(TWO_STEPS, 2, budget=1), Datafly(heuristic="classic")) == (0, 1)


TWO_STEPS = [(SURGEON, 0, 1), (SURGEON, 1, 1), (NURSE, 1, 1), (SURGEON, 2, 2)]


def test_semantic_climbs_where_least_is_lost() -> None:
    """A job costs a link for each of the medics, 5; the ages 20, 28, 28 cost (8/2)/10 each: 1.2."""
    case = people(TWO_STEPS, 2)
    job, age = case.attributes
    one = np.array([SURGEON], np.int32)
    assert job.distance(one, job.levels[1][one]).tolist() == [1]  # type: ignore[index]
    assert age.distance(one, age.levels[1][one]) == pytest.approx([8 / 2 / 10])  # type: ignore[index]
    # to level 1 of age: 3 * .4 = 1.2; then to level 2: from 1.2 to 20: (0 + 10^2) / (2 10) / 10 = .5,
    # 28 (twice): (8^2 + 2^2) / 20 / 10 = .34, 30 (twice): .5, together 2.18: less by far than 5.
    assert node_of(people(TWO_STEPS, 2, budget=1), Datafly()) == (0, 1)
    assert node_of(case, Datafly()) == (1, 2)


def test_nothing_climbs_if_everything_is_common() -> None:
    case = people([(SURGEON, 0, 3), (NUN, 2, 3)], 3)
    for method in (Datafly(), Datafly(heuristic="classic"), Incognito()):
        assert node_of(case, method) == (0, 0)


def test_with_two_equal_the_first_column_climbs() -> None:
    age = people([(0, 0, 1)], 1).attributes[1]
    case = Case(Tuples(np.array([[0, 0], [1, 1]], np.int32), np.ones(2, np.int64)), [age, age], 2, 0)
    masking = case.mask(Datafly(heuristic="classic"))
    assert age.levels is not None
    # 2 values each: the first climbs, has 1 left; then the second.
    assert masking.values.tolist() == [[age.levels[1, 0], age.levels[1, 0]]]
    first_only = Case(Tuples(np.array([[0, 0], [1, 0]], np.int32), np.ones(2, np.int64)), [age, age], 2, 0)
    assert first_only.mask(Datafly()).values.tolist() == [[age.levels[1, 0], age.own[0]]]


# ---------------------------------------------------------------------- the plain twin


def datafly(plain: Plain, heuristic: str, blank: bool) -> Node:
    node = [0] * len(plain.tops)
    while plain.left_out(tuple(node), blank) is None:
        ranks = []
        for j, top in enumerate(plain.tops):
            if node[j] == top:
                continue
            higher = (*node[:j], node[j] + 1, *node[j + 1 :])
            values = {plain.levels[j][node[j]][row[j]] for row in plain.rows}
            ranks.append((plain.loss(higher, set()) if heuristic == "semantic" else -len(values), j))
        node[min(ranks)[1]] += 1
    return tuple(node)


@settings(max_examples=30)
@given(cases(), st.sampled_from(["semantic", "classic"]), st.booleans())
def test_as_its_plain_twin(case: Case, heuristic: str, blank: bool) -> None:
    plain = Plain(case)
    expected = datafly(plain, heuristic, blank)
    left_out = plain.left_out(expected, blank)
    assert left_out is not None
    method = Datafly(heuristic=heuristic, blank=blank)  # type: ignore[arg-type]
    assert groups(case.mask(method)) == plain.released(expected, left_out)


# ---------------------------------------------------------------------- what the family promises

FAMILY = [
    kind(blank=blank, **options)  # type: ignore[arg-type]
    for kind, options in (
        (Datafly, {}),
        (Datafly, {"heuristic": "classic"}),
        (Incognito, {}),
        (Incognito, {"among": "all"}),
    )
    for blank in (False, True)
]


@pytest.mark.parametrize("method", FAMILY, ids=repr)
@settings(max_examples=30)
@given(case=cases())
def test_promises(method: FullDomain, case: Case) -> None:
    masking = case.mask(method)
    check_promises(case, masking)
    assert masking.suppressed <= case.budget
    assert case.mask(method, budget=0).suppressed == 0
    if method.blank:
        kept_or_empty = masking.blanked()
        values = kept_or_empty.values[kept_or_empty.groups]
        classes = {tuple(one): 0 for one in values.tolist()}
        for one, count in zip(values.tolist(), kept_or_empty.counts.tolist(), strict=True):
            classes[tuple(one)] += count
        assert min(classes.values()) >= case.k
    again = case.mask(method)
    assert (again.groups == masking.groups).all() and (again.values == masking.values).all()


@pytest.mark.parametrize("method", FAMILY, ids=repr)
def test_not_everybody_is_left_out(method: FullDomain) -> None:
    masking = people([(SURGEON, 0, 1), (NURSE, 1, 1), (NUN, 2, 1)], 2, budget=3).mask(method)
    assert masking.n_groups == 1 and masking.suppressed <= 1


@pytest.mark.parametrize("method", [Datafly(), Incognito()], ids=repr)
def test_impossible_k_and_no_levels(method: FullDomain) -> None:
    case = people(TWO_STEPS, 2)
    rng = np.random.default_rng(0)
    for k, says in ((6, "choose a smaller k"), (0, "at least 1")):
        with pytest.raises(OntomaskError, match=says):
            method.mask(case.tuples, case.attributes, [KAnonymity(k)], rng)
    bare = [attribute.plain for attribute in case.attributes]
    with pytest.raises(InternalError, match="no hierarchy"):
        method.mask(case.tuples, bare, [KAnonymity(2)], rng)


def test_blanked_rows_join_those_that_have_no_value() -> None:
    """Missing twice, 0 once, 1 three times, k = 2: 0 alone is blanked, and is one of three then."""
    numbers = Numeric.of("x", np.array([0.0, 1.0, np.nan]), np.array([1, 3, 2]))
    tree = np.array([[-1, -2, -3], [0, 0, 0]], np.int32)
    column = Generalized.over(numbers, tree, np.array([-1], np.int32))
    case = Case(Tuples(np.arange(3, dtype=np.int32)[:, None], np.array([1, 3, 2])), [column], 2, budget=1)
    kept = {(int(column.own[1]),): {1}, (column.nothing,): {2}}
    assert groups(case.mask(Datafly(blank=True))) == kept | {(): {0}}


def test_words_of_blanked_rows() -> None:
    assert "were left out" in Datafly().in_words(3)
    assert "were blanked" in Datafly(blank=True).in_words(3)


def test_progress_ends_at_all_records() -> None:
    case, done = people(TWO_STEPS, 2), np.zeros(1, np.int64)
    Datafly().mask(case.tuples, case.attributes, [KAnonymity(2)], np.random.default_rng(0), done=done)
    assert done[0] == 5
