"""Best-first: on trees small enough to draw, and against its plain twin on random ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.leveled import GRID, Case, adult, cases, check_promises, groups
from methods.test_datafly import NUN, NURSE, SURGEON, people
from ontomask.attributes import Attribute, Generalized, Numeric, Tuples
from ontomask.errors import InternalError, OntomaskError
from ontomask.methods.best_first import BestFirst
from ontomask.privacy import KAnonymity


def column(tree: list[list[int]], missing: bool = False) -> Attribute:
    """Numbers 0, 1, ... with a tree above them; the last may be missing."""
    numbers = np.arange(len(tree[0]), dtype=float)
    if missing:
        numbers[-1] = np.nan
    values = Numeric.of("x", numbers, np.ones(len(numbers), np.int64))
    rows = np.array(tree, np.int32)
    return Generalized.over(values, rows, np.full(rows.max() + 1, -1, np.int32))


def single(tree: list[list[int]], counts: list[int], k: int, missing: bool = False) -> Case:
    """A column in which every value occurs so many times."""
    codes = np.arange(len(counts), dtype=np.int32)[:, None]
    return Case(Tuples(codes, np.array(counts)), [column(tree, missing)], k)


#        node 2
#      /    |   \
#  node 0 node 1  \
#   / \    / \     \
#  0   1  2   3     4
TREE = [[-1, -2, -3, -4, -5], [0, 0, 1, 1, -5], [2, 2, 2, 2, 2]]


def test_the_smallest_joins_where_fewest_steps_are_needed() -> None:
    """2 (once) joins 3 at node 1: 1 + 4 steps, while 0 at the root would cost 2 + 2 * 9."""
    assert groups(single(TREE, [9, 9, 1, 4, 9], 2).mask(BestFirst())) == {
        **{(column(TREE).own[c],): {c} for c in (0, 1, 4)},
        (1,): {2, 3},
    }


def test_padding_costs_no_step() -> None:
    """4 stands right below the root, though at two levels: it is a step away, and 0 two."""
    case = single(TREE, [1, 3, 2, 2, 1], 2)
    # 0 is the first of the smallest: with 1 it costs 1 + 3, with 2 2 + 2 * 2, with 4 (once) 2 + 1 = 3.
    assert groups(case.mask(BestFirst()))[(2,)] == {0, 4}


def test_each_class_makes_its_own_steps() -> None:
    """4 (once), a step below the root, with 0 (twice), two below: 1 + 2 * 2; with 5 (thrice), one: 1 + 3."""
    wider = [[*TREE[0], -6], [*TREE[1], -6], [2] * 6]
    assert groups(single(wider, [2, 3, 9, 9, 1, 3], 2).mask(BestFirst()))[(2,)] == {4, 5}


def test_weights_of_records_may_be_left_out() -> None:
    """0 (once) with 1 (nine times): 1 + 9 steps; with 4 (twice) 2 + 2. By classes 1 + 1 against 2 + 1."""
    case = single(TREE, [1, 9, 2, 2, 2], 2)
    assert groups(case.mask(BestFirst()))[(2,)] == {0, 4}
    assert groups(case.mask(BestFirst(weighted=False)))[(0,)] == {0, 1}


def test_the_first_of_equal_classes_is_taken() -> None:
    """All right below the root: 1 joins 0, though 2 and 3 cost 1 + 2 as well, or 2 if that costs 1 + 1."""
    flat = [[-1, -2, -3, -4], [0, 0, 0, 0]]
    assert masked_together(single(flat, [2, 1, 2, 2], 2)) == [{0, 1}, {2}, {3}]
    assert masked_together(single(flat, [2, 1, 1, 2], 2)) == [{0}, {1, 2}, {3}]


def test_weights_of_columns_count() -> None:
    """A step of age counts three, so the surgeon of 20 becomes a medic of 20 rather than in her twenties."""
    case = people([(SURGEON, 0, 1), (SURGEON, 1, 1), (NURSE, 0, 1), (NURSE, 1, 1), (NUN, 2, 2)], 2)
    job, age = case.attributes
    assert masked_together(case) == [{0, 1}, {2, 3}, {4}]  # 2 steps each: the first
    heavy = Generalized("age", 3.0, -1, age.values, age.tree, age.stands_for)  # type: ignore[attr-defined]
    assert masked_together(Case(case.tuples, [job, heavy], 2)) == [{0, 2}, {1, 3}, {4}]


def masked_together(case: Case) -> list[set[int]]:
    masking = case.mask(BestFirst())
    return [{*np.flatnonzero(masking.groups == g).tolist()} for g in range(masking.n_groups)]


def test_missing_stays_missing_among_missing_ones() -> None:
    """Numbers 0, 1 and a missing one, and a second column that is common to two rows each."""
    first = column([[-1, -2, -3], [0, 0, -3], [1, 1, 1]], missing=True)
    second = column([[-1, -2], [0, 0]])
    codes = np.array([[0, 0], [1, 0], [2, 0], [2, 1]], np.int32)
    masking = Case(Tuples(codes, np.ones(4, np.int64)), [first, second], 2).mask(BestFirst())
    assert masking.groups.tolist() == [0, 0, 1, 1]
    assert masking.values.tolist() == [[0, second.own[0]], [first.nothing, 0]]
    mixed = Case(Tuples(codes[1:3], np.ones(2, np.int64)), [first, second], 2).mask(BestFirst())
    assert mixed.values.tolist() == [[1, second.own[0]]]


# ---------------------------------------------------------------------- the plain twin


def best_first(case: Case, weighted: bool) -> dict[tuple[int, ...], set[int]]:
    """Paths to the root as lists, classes as lists of tuples."""
    up: list[dict[int, list[int]]] = []
    for attribute in case.attributes:
        assert attribute.levels is not None
        paths: dict[int, list[int]] = {}
        for column_ in attribute.levels.T.tolist():
            path = [node for node, _ in groupby(column_)]
            paths.update((node, path[i:]) for i, node in enumerate(path))
        up.append(paths)

    def size(members: list[int]) -> int:
        return sum(int(case.tuples.counts[t]) for t in members)

    def meeting(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(next(x for x in up[j][a[j]] if x in up[j][b[j]]) for j in range(len(up)))

    def steps(a: tuple[int, ...], to: tuple[int, ...]) -> int:
        weights = [round(attribute.weight * GRID) for attribute in case.attributes]
        return sum(weights[j] * up[j][a[j]].index(to[j]) for j in range(len(up)))

    own = [attribute.own.tolist() for attribute in case.attributes]
    classes = [
        ([t], tuple(own[j][code] for j, code in enumerate(row)))
        for t, row in enumerate(case.tuples.codes.tolist())
    ]
    while min(size(members) for members, _ in classes) < case.k:
        a = min(classes, key=lambda one: (size(one[0]), min(one[0])))
        others = [one for one in classes if one is not a]

        def cost(b: tuple[list[int], tuple[int, ...]], a: tuple[list[int], tuple[int, ...]] = a) -> int:
            to = meeting(a[1], b[1])
            n_a, n_b = (size(a[0]), size(b[0])) if weighted else (1, 1)
            return n_a * steps(a[1], to) + n_b * steps(b[1], to)

        b = min(others, key=lambda one: (cost(one), min(one[0])))
        classes = [one for one in others if one is not b] + [(a[0] + b[0], meeting(a[1], b[1]))]
    found: dict[tuple[int, ...], set[int]] = {}
    for members, values in classes:
        found.setdefault(values, set()).update(members)
    return found


@settings(max_examples=30)
@given(cases(), st.booleans())
def test_as_its_plain_twin(case: Case, weighted: bool) -> None:
    method = BestFirst(weighted=weighted)
    masking = case.mask(method)
    assert groups(masking) == best_first(case, weighted)
    check_promises(case, masking)
    again = case.mask(method)
    assert (again.groups == masking.groups).all() and (again.values == masking.values).all()


def test_impossible_k_and_no_levels() -> None:
    case = single(TREE, [1, 1, 1, 1, 1], 2)
    rng = np.random.default_rng(0)
    for k, says in ((6, "choose a smaller k"), (0, "at least 1")):
        with pytest.raises(OntomaskError, match=says):
            BestFirst().mask(case.tuples, case.attributes, [KAnonymity(k)], rng)
    with pytest.raises(InternalError, match="no hierarchy"):
        BestFirst().mask(case.tuples, [case.attributes[0].plain], [KAnonymity(2)], rng)


def test_adult(data: Callable[[str], Path]) -> None:
    tuples, attributes = adult(data("adult"))
    done = np.zeros(1, np.int64)
    case = Case(tuples, attributes, 5)
    masking = BestFirst().mask(tuples, attributes, [KAnonymity(5)], np.random.default_rng(0), done=done)
    check_promises(case, masking)
    assert done[0] == tuples.n == 30_162
    # Every class of five or more is as it was; the others have come together as far as they must.
    common = np.flatnonzero(tuples.counts >= 5)
    assert masking.n_groups > len(common) / 2
