"""Incognito against the whole lattice: every node looked at, on random small tables and on Adult."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.leveled import GRID, Case, Node, Plain, adult, cases, check_promises, groups
from methods.test_datafly import NUN, NURSE, SURGEON, TWO_STEPS, node_of, people
from ontomask.arrays import Int64
from ontomask.attributes import Attribute, Generalized, Numeric, Tuples
from ontomask.errors import OntomaskError
from ontomask.methods import Task, incognito
from ontomask.methods._lattice_kernels import merged
from ontomask.methods.full_domain import LeveledTable
from ontomask.methods.incognito import Incognito, minimal_nodes, search
from ontomask.privacy import KAnonymity


def test_minimal_nodes_of_five_people() -> None:
    """Surgeons of 20, 28 and twice 30, a nurse of 28; alone are all but the last two.

    (1, 1) joins the three medics in their twenties; (2, 0) leaves who is 20 alone, (0, 2) the nurse.
    """
    case = people(TWO_STEPS, 2)
    assert minimal_nodes(case.tuples, case.attributes, 2).tolist() == [[1, 1]]
    # One may be left out: the nurse at (0, 1), who is 20 at (1, 0).
    assert minimal_nodes(case.tuples, case.attributes, 2, budget=1).tolist() == [[0, 1], [1, 0]]


def test_the_node_that_loses_least_is_chosen() -> None:
    """At (0, 1) the nurse goes, 4 + 1, and 20 and 28 lose .4 each; at (1, 0) four medics lose a link each.

    With `path` the greatest distance is 4 links (two down from each side of the root), of ages 1.
    """
    case = people(TWO_STEPS, 2, budget=1)
    table = LeveledTable(Task(case.tuples, tuple(case.attributes), [KAnonymity(2)], budget=1))
    assert [attribute.maximum for attribute in case.attributes] == [4, 1]
    nurse, aged_20 = (np.arange(4) == t for t in (2, 0))
    assert table.loss(np.array([0, 1]), nurse) == pytest.approx(4 + 1 + 2 * 0.4)
    assert table.loss(np.array([1, 0]), aged_20) == pytest.approx(4 + 1 + 4 * 1)
    assert node_of(case, Incognito()) == (0, 1)


def test_a_higher_node_may_lose_less_if_rows_are_left_out() -> None:
    """Six in pairs of their own but for one nun of 28: to leave her out costs 5, to take all ages up less."""
    rows = [(SURGEON, 0, 3), (NURSE, 2, 3), (NUN, 1, 1), (NUN, 0, 3)]
    case = people(rows, 2, budget=1)
    assert minimal_nodes(case.tuples, case.attributes, 2, budget=1).tolist() == [[0, 0]]
    assert node_of(case, Incognito(among="minimal")) == (0, 0)
    assert node_of(case, Incognito()) == node_of(case, Incognito(among="all"))
    # (0, 1): 20 (six times) and 28 lose (8/2)/10 each, 2.8 in all.
    assert node_of(case, Incognito(among="all")) == (0, 1)


def test_of_equal_losses_the_fewest_levels_are_chosen() -> None:
    """Each of 0 and 1 with each: either column may go to its root at the same loss; the second is padded."""
    numbers = Numeric.of("x", np.array([0.0, 1.0]), np.ones(2, np.int64))
    one_step, padded = (
        Generalized.over(numbers, np.array(tree, np.int32), np.array([-1], np.int32))
        for tree in ([[-1, -2], [0, 0]], [[-1, -2], [-1, -2], [0, 0]])
    )
    pairs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    case = Case(Tuples(pairs, np.ones(4, np.int64)), [one_step, padded], 2)
    assert minimal_nodes(case.tuples, case.attributes, 2).tolist() == [[0, 2], [1, 0]]
    assert node_of(case, Incognito()) == (1, 0)


def test_a_value_may_be_farther_from_its_node_than_from_nothing() -> None:
    """In units of their deviation, 0 and 100 are 2.6 from the range 0-100; to leave them out costs 1 each.

    At level 0 all but 50 go, which costs 4; at level 1 they alone go, 2, and 49-51 costs less than 1. There
    all rows together would lose 5.7, more than 4, and still it is the better one.
    """
    counts = np.array([1, 1, 10, 1, 1])
    numbers = Numeric.of("x", np.array([0.0, 49, 50, 51, 100]), counts, scale="zscore")
    tree = np.array([[-1, -2, -3, -4, -5], [0, 1, 1, 1, 0], [2] * 5], np.int32)
    column = Generalized.over(numbers, tree, np.full(3, -1, np.int32))
    case = Case(Tuples(np.arange(5, dtype=np.int32)[:, None], counts), [column], 3, budget=4)
    table = LeveledTable(Task(case.tuples, (column,), [KAnonymity(3)], budget=4))
    assert (table.costs[0][1, [0, 4]] > 2.6).all() and table.most.tolist() == [1]
    assert groups(case.mask(Incognito(among="all"))) == {(1,): {1, 2, 3}, (): {0, 4}}


# ---------------------------------------------------------------------- the whole lattice of small tables


@settings(max_examples=30)
@given(cases())
def test_minimal_nodes_are_those_of_the_whole_lattice(case: Case) -> None:
    plain = Plain(case)
    found = minimal_nodes(case.tuples, case.attributes, case.k, case.budget)
    assert [tuple(node) for node in found.tolist()] == plain.minimal()


@settings(max_examples=50)
@given(cases())
def test_every_node_is_known(case: Case) -> None:
    plain = Plain(case)
    table = LeveledTable(Task(case.tuples, tuple(case.attributes), [KAnonymity(case.k)], budget=case.budget))
    anonymous = search(table).anonymous
    assert anonymous.shape == tuple(top + 1 for top in plain.tops)
    assert all(anonymous[node] == plain.is_anonymous(node) for node in plain.nodes)


@settings(max_examples=30)
@given(cases(), st.sampled_from(["minimal", "all"]), st.booleans())
def test_the_choice_is_the_best_of_the_whole_lattice(case: Case, among: str, blank: bool) -> None:
    plain = Plain(case)
    found = groups(case.mask(Incognito(among=among, blank=blank)))  # type: ignore[arg-type]
    choices = plain.nodes if among == "all" else plain.minimal()
    released = _best(plain, choices, blank)
    if released is None:  # where blanked rows cannot be k, nobody is blanked
        released = _best(Plain(case, budget=0), Plain(case, budget=0).minimal(), blank)
    assert found == released


def _best(plain: Plain, nodes: list[Node], blank: bool) -> dict[tuple[int, ...], set[int]] | None:
    possible = [(node, gone) for node in nodes if (gone := plain.left_out(node, blank)) is not None]
    if not possible:
        return None
    return plain.released(*min(possible, key=lambda one: (plain.loss(*one), sum(one[0]), one[0])))


@settings(max_examples=50)
@given(cases())
def test_classes_rolled_up_are_those_counted(case: Case) -> None:
    """From the bottom, from a node in between and from the tuples: the same, for every node and subset."""
    table = LeveledTable(Task(case.tuples, tuple(case.attributes), [KAnonymity(case.k)]))
    for node in Plain(case).nodes:
        counted = table.classes(node)
        lower = [level // 2 for level in node]
        rolled_up = table.classes(node, below=table.classes(lower))
        assert rolled_up.tuples.tolist() == counted.tuples.tolist()
        assert rolled_up.counts.tolist() == counted.counts.tolist()
        assert [set(one) for one in Plain(case).classes(node).values()] == [
            set(np.flatnonzero(counted.class_of == c).tolist()) for c in range(len(counted.counts))
        ]


def test_rows_that_are_too_long_for_one_number() -> None:
    """Eleven columns of 64 values are 66 bits: what differs in the first two of them counts."""
    codes = np.zeros((3, 11), np.int32)
    codes[1, 0] = 16  # 16 * 64^10 = 2^64
    nodes = np.broadcast_to(np.arange(64, dtype=np.int32), (11, 1, 64)).copy()
    bottom, counts = np.zeros(11, np.int64), np.array([1, 2, 4])
    first, sizes, class_of = merged(codes, nodes, np.arange(11), bottom, np.arange(3), counts)
    assert (first.tolist(), sizes.tolist(), class_of.tolist()) == ([0, 1], [5, 2], [0, 1, 0])


def test_classes_that_are_not_held_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    case = people(TWO_STEPS, 2, budget=1)
    expected = minimal_nodes(case.tuples, case.attributes, 2, 1).tolist()
    monkeypatch.setattr(incognito, "_MOST_HELD", 0)
    assert minimal_nodes(case.tuples, case.attributes, 2, 1).tolist() == expected


def test_a_lattice_beyond_all_bounds_is_refused() -> None:
    case = people(TWO_STEPS, 2)
    wide = Case(Tuples(np.zeros((1, 20), np.int32), np.array([3])), [case.attributes[0]] * 20, 2, 0)
    with pytest.raises(OntomaskError, match=r"more choices of levels.*hierarchy: \{levels: 4\}.*datafly"):
        wide.mask(Incognito())


# ---------------------------------------------------------------------- Adult


@pytest.fixture(scope="module")
def census() -> Callable[[Path], tuple[Tuples, list[Attribute]]]:
    known: dict[Path, tuple[Tuples, list[Attribute]]] = {}
    return lambda folder: known.setdefault(folder, known.get(folder) or adult(folder))


def smallest_classes(tuples: Tuples, attributes: list[Attribute]) -> Iterator[tuple[Node, int]]:
    """Of every node of the lattice its smallest class, by sorting, column by column."""

    def within(
        j: int, node: Node, keys: Int64, codes: np.ndarray, counts: Int64
    ) -> Iterator[tuple[Node, int]]:
        if j == len(attributes):
            yield node, int(counts.min())
            return
        levels = attributes[j].levels
        assert levels is not None
        rest = codes[:, j + 1 :]
        for i, level in enumerate(levels):
            columns = [keys, level[codes[:, j]], *rest.T]
            packed = np.zeros(len(keys), np.int64)
            for column in columns:
                packed = packed * (int(column.max()) + 1) + column
            _, first, which = np.unique(packed, return_index=True, return_inverse=True)
            sizes = np.bincount(which, weights=counts).astype(np.int64)
            done = np.unique((keys * 10_000 + columns[1])[first], return_inverse=True)[1]
            yield from within(j + 1, (*node, i), done, codes[first], sizes)

    yield from within(0, (), np.zeros(len(tuples), np.int64), tuples.codes, tuples.counts)


def test_adult_against_the_exhaustive_lattice(
    data: Callable[[str], Path], census: Callable[[Path], tuple[Tuples, list[Attribute]]]
) -> None:
    """8 QI, 6,480 nodes, nobody left out: the minimal nodes and the best of all, for k = 5 and 10."""
    tuples, attributes = census(data("adult"))
    smallest = dict(smallest_classes(tuples, attributes))
    assert len(smallest) == 6480
    lost = []
    for j, attribute in enumerate(attributes):
        assert attribute.levels is not None
        times = np.bincount(tuples.codes[:, j], weights=tuples.counts, minlength=attribute.size)
        codes = np.arange(attribute.size, dtype=np.int32)
        lost.append(
            [int(times @ np.rint(attribute.distance(codes, level) * GRID)) for level in attribute.levels]
        )
    for k, n_minimal in ((5, 23), (10, 17)):
        good = {node for node, size in smallest.items() if size >= k}
        lower = {node: [_down(node, j) for j in range(8) if node[j]] for node in good}
        minimal = sorted(node for node in good if not any(below in good for below in lower[node]))
        assert len(minimal) == n_minimal
        assert [tuple(one) for one in minimal_nodes(tuples, attributes, k).tolist()] == minimal
        # Occupations and marital status lose the same in either (1, 3, 2, ...) or (2, 3, 1, ...): a tie.
        best = min((sum(lost[j][i] for j, i in enumerate(node)), sum(node), node) for node in good)[2]
        case = Case(tuples, attributes, k)
        masking = case.mask(Incognito())
        check_promises(case, masking)
        for among in (masking, case.mask(Incognito(among="all"))):
            expected = [attributes[j].levels[i][tuples.codes[:, j]] for j, i in enumerate(best)]  # type: ignore[index]
            assert among.values[among.groups].T.tolist() == [one.tolist() for one in expected]


def _down(node: Node, j: int) -> Node:
    return (*node[:j], node[j] - 1, *node[j + 1 :])


def test_adult_with_five_percent_left_out(
    data: Callable[[str], Path], census: Callable[[Path], tuple[Tuples, list[Attribute]]]
) -> None:
    """How few of the 69,119 nodes of all subsets are counted; and that more may be left out than must be."""
    tuples, attributes = census(data("adult"))
    case = Case(tuples, attributes, 5, tuples.n // 20)
    found = search(LeveledTable(Task(tuples, tuple(attributes), [KAnonymity(5)], budget=case.budget)))
    assert (found.anonymous.size, int(found.anonymous.sum())) == (6480, 2851)
    assert found.counted < 7_000
    masking = case.mask(Incognito())
    check_promises(case, masking)
    assert 0 < masking.suppressed <= case.budget
