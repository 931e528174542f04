"""Sets of words: distance, centroid and cover on a tree small enough to draw, and by brute force.

              animal
             /      \\
         mammal      fish
        /  |   \\     /  \\
      dog cat  bat cod  eel
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.attributes import Members, Nominal, Sets, Tuples, replacements_of, space_of
from ontomask.attributes import distances as kept_or_not
from ontomask.attributes._kernels import group_centroids, row_from_point, row_from_tuple
from ontomask.measures import measure
from ontomask.ontology import Ontology
from ontomask.ontology.draft import Draft
from reference import Plain, ontologies

TREE = Draft.from_edges(
    "animals",
    [
        ("mammal", "animal"),
        ("fish", "animal"),
        *((name, "mammal") for name in ("dog", "cat", "bat")),
        *((name, "fish") for name in ("cod", "eel")),
    ],
)
FAR = 4  # dog to cod by way of animal


def one(text: str) -> tuple[int, ...]:
    return tuple(sorted(TREE.concepts(text.split()).tolist()))


def sets(*texts: str, truthful: bool = False) -> Sets:
    """Sets by the names of their members, compared by path."""
    made = Sets.of("pets", TREE, measure("path"), [one(text) for text in texts])
    return replace(made, is_truthful=truthful)


def names(members: Iterable[int]) -> set[str]:
    return {TREE.labels[c] for c in members}


def codes(*which: int) -> np.ndarray:
    return np.array(which, np.int32)


# ---------------------------------------------------------------------- distance


def test_the_distance_is_the_mean_of_both_sides() -> None:
    pets = sets("dog", "cat cod", "dog cat bat", "dog")
    # dog: cat is nearest, 2. cat: 2, cod: 4.
    assert pets.distance(codes(1), pets.own[:1]).tolist() == [(2 + (2 + 4) / 2) / 2]
    # dog is among the three; cat and bat are 2 from it.
    assert pets.distance(codes(2), pets.own[:1]) == pytest.approx([(0 + (0 + 2 + 2) / 3) / 2])
    # cat is there, cod is 4 from all; dog 2, cat 0, bat 2 from cat.
    assert pets.distance(codes(2), pets.own[1:2]) == pytest.approx([((0 + 4) / 2 + (2 + 0 + 2) / 3) / 2])
    assert pets.distance(codes(3), pets.own[:1]).tolist() == [0]


def test_a_missing_set_is_as_far_as_can_be() -> None:
    pets = sets("dog", "cat cod", "")
    assert pets.missing == 2
    assert pets.distance(codes(0, 2), pets.own[[2, 2]]).tolist() == [pets.maximum, 0]
    assert pets.distance(codes(2), pets.own[:1]).tolist() == [pets.maximum]


ANY_SETS = st.lists(
    st.sets(st.sampled_from(["dog", "cat", "bat", "cod", "eel", "mammal", "fish"]), max_size=4),
    min_size=1,
    max_size=6,
    unique_by=frozenset,
).filter(any)


def plain_distance(a: tuple[int, ...], b: tuple[int, ...]) -> Fraction:
    plain = Plain(TREE)
    near_a = [min(plain.path(x, y) for y in b) for x in a]
    near_b = [min(plain.path(x, y) for x in a) for y in b]
    return (Fraction(sum(near_a), len(a)) + Fraction(sum(near_b), len(b))) / 2


@given(ANY_SETS)
def test_tables_and_pairs_say_what_the_formula_says(drawn: list[set[str]]) -> None:
    pets = sets(*(" ".join(own) for own in drawn))
    every = np.arange(pets.size, dtype=np.int32)
    table = pets.distance_table(every, pets.own)
    assert (table == table.T).all()
    for i, a in enumerate(pets.values):
        for j, b in enumerate(pets.values):
            expected = plain_distance(a, b) if a and b else 0 if a == b else pets.maximum
            assert table[i, j] == pytest.approx(float(expected), abs=1e-8)
            assert pets.between(pets.own[[i]], pets.own[[j]]) == pytest.approx([table[i, j]])
    counts = np.arange(1, pets.size + 1)
    assert pets.marginalities(counts) == pytest.approx(table @ counts)


@pytest.mark.parametrize("truthful", [False, True])
def test_sets_without_a_table_are_compared_alike(truthful: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["dog", "cat cod", "dog cat bat", "eel", "cod eel", "mammal", ""]

    def rows() -> list[list[float]]:
        pets = sets(*texts, truthful=truthful)
        every = np.arange(pets.size, dtype=np.int32)
        table = Tuples(every[:, None], np.ones(pets.size, np.int64))
        space = space_of(table, [pets], with_covers=True)
        groups = codes(0, 0, 0, 1, 1, 1, 0)
        points = group_centroids(space, every, groups, table.counts, 2)
        return [
            *(row_from_tuple(space, t).tolist() for t in range(pets.size)),
            *(row_from_point(space, points, g).tolist() for g in range(2)),
        ]

    with_table = rows()
    monkeypatch.setattr(kept_or_not, "MOST_KEPT", 3)
    assert rows() == with_table


@pytest.mark.parametrize("which", [([0, 1, 2, 3, 4, 5, 6], [5, 1]), ([4], [0, 4, 5, 6, 2])])
@pytest.mark.parametrize("by", ["distances", "cover_costs"])
def test_sums_are_those_of_the_table(by: str, which: tuple[list[int], list[int]]) -> None:
    """Counted by replacements or by codes, whichever are fewer."""
    pets = sets("dog", "cat cod", "dog mammal", "eel", "cod eel", "mammal", "", truthful=True)
    compared = getattr(pets, by)
    replacements, some = pets.own[which[0]], np.array(which[1])
    weights = np.arange(3, 3 + len(some))
    expected = compared.table[np.ix_(replacements, some)] @ weights
    assert compared.sums(replacements, some, weights).tolist() == expected.tolist()


# ---------------------------------------------------------------------- centroid


def test_the_centroid_is_a_set_of_the_usual_size() -> None:
    pets = sets("dog cod", "dog eel", "cat cod", "dog cat bat cod")
    found = pets.centre(np.arange(4), np.array([1, 1, 1, 1]))
    assert names(found) == {"dog", "cod"}  # sizes 2, 2, 2, 4
    assert len(pets.centre(np.array([0, 3]), np.array([1, 2]))) == 4  # sizes 2, 4, 4
    assert len(pets.centre(np.array([0, 3]), np.array([1, 1]))) == 2  # the lower of 2 and 4


def test_no_value_stands_for_a_group_only_if_that_costs_less() -> None:
    pets = sets("dog", "cat", "")
    # The tree is as deep as 2: nothing is farther than 4. Cat in place of dog costs 2.
    assert pets.maximum == FAR
    assert names(pets.centre(np.array([0, 1, 2]), np.array([1, 1, 1]))) == {"cat"}  # 2 + 4 against 8
    assert pets.centre(np.array([0, 1, 2]), np.array([1, 1, 2])) == ()  # 2 + 8 against 8
    assert pets.centre(np.array([2]), np.array([3])) == ()


@given(ANY_SETS, st.data())
def test_each_member_of_a_centroid_lowers_the_sum_most(drawn: list[set[str]], data: st.DataObject) -> None:
    present = [own for own in drawn if own]
    pets = sets(*(" ".join(own) for own in present))
    counts = np.array([data.draw(st.integers(1, 3)) for _ in present])
    found = pets.centre(np.arange(pets.size), counts)
    if len(present) == 1:
        assert found == pets.values[0]
        return
    sizes = sorted(chain.from_iterable([len(own)] * n for own, n in zip(present, counts, strict=True)))
    assert len(found) == sizes[(len(sizes) - 1) // 2]

    def cost(members: tuple[int, ...]) -> Fraction:
        each = [plain_distance(members, own) * int(n) for own, n in zip(pets.values, counts, strict=True)]
        return sum(each, Fraction(0))

    pool = sorted({c for own in pets.values for c in own})
    greedy: tuple[int, ...] = ()
    while len(greedy) < len(found):
        greedy = min(((*greedy, c) for c in pool if c not in greedy), key=cost)
    assert cost(found) == cost(tuple(greedy))


# ---------------------------------------------------------------------- covers


@pytest.mark.parametrize(
    ("group", "cover"),
    [
        (["dog", "cat"], "mammal"),
        (["dog cod", "cat eel"], "mammal fish"),
        (["dog cod", "cat"], "mammal animal"),  # no fish in the second: of the cod only animal is shared
        (["dog", "dog cat"], "dog mammal"),
        (["dog", "cod"], "animal"),
        (["dog cat", "dog cat"], "dog cat"),
        (["mammal", "dog"], "mammal"),
        (["dog", ""], "animal"),
        (["", ""], ""),
    ],
)
def test_the_cover_has_the_lowest_shared_concept_above_every_member(group: list[str], cover: str) -> None:
    pets = sets(*dict.fromkeys(group), truthful=True)
    found = pets.cover(range(pets.size))
    assert found == one(cover)
    extended, (r,) = pets.standing_for([codes(*range(pets.size))], codes(-1))
    assert extended.covers(np.full(pets.size, r, np.int32), extended.own).all()


def test_what_a_set_loses_is_the_mean_over_its_members() -> None:
    pets = sets("dog cod", "cat", "bat eel", truthful=True).including([one("mammal animal"), one("mammal")])
    mixed, mammal, root = pets.replacement_of([one("mammal animal"), one("mammal"), one("animal")])
    # Of five words, dog, cat and bat are mammals.
    assert pets.generalization(codes(0), codes(mixed)).ncp == pytest.approx([(3 / 5 + 1) / 2])
    assert pets.generalization(codes(1), codes(mixed)).ncp == pytest.approx([3 / 5])
    assert pets.generalization(codes(0, 1), codes(root, root)).ncp == pytest.approx([1, 1])
    assert pets.generalization(codes(1), pets.own[1:2]).ncp.tolist() == [0]
    # Losses without the value itself, and links climbed: cod goes up 2 of 2, dog 1 of 2.
    assert pets.generalization(codes(0), codes(mixed)).loss == pytest.approx([(2 / 4 + 1) / 2])
    assert pets.generalization(codes(0), codes(mixed)).height == pytest.approx([(1 / 2 + 1) / 2])
    # What is not above a member counts as if both were generalised: cod and mammal have animal in common.
    assert pets.generalization(codes(0), codes(mammal)).ncp == pytest.approx([(3 / 5 + 1) / 2])
    assert pets.covers(codes(mammal), pets.own[:1]).tolist() == [False]


def test_the_covering_member_counts_not_a_nearer_one_beside_it() -> None:
    pets = sets("dog", "cat cod", truthful=True).including([one("dog animal")])
    (released,) = pets.replacement_of([one("dog animal")]).tolist()
    # Cat and dog are both mammals, but only animal stands above the cat.
    assert pets.generalization(codes(1), codes(released)).ncp == pytest.approx([1])


def test_what_changed_is_never_free() -> None:
    """A set that has a member and its superconcept may lose the one without losing a concept."""
    pets = sets("dog", "dog mammal", truthful=True)
    assert pets.cover([0, 1]) == one("dog mammal")
    both = pets.own[1:2]
    assert 0 < pets.generalization(codes(0), both).ncp[0] < 1e-5
    assert 0 < pets.cover_costs.row(int(both[0]))[0] < 1e-5


def test_missing_is_a_child_of_the_root() -> None:
    pets = sets("dog", "", truthful=True)
    (root,) = pets.replacement_of([one("animal")]).tolist()
    assert pets.covers(codes(root, root), pets.own).tolist() == [True, True]
    assert pets.generalization(codes(0, 1), codes(root, root)).ncp.tolist() == [1, 1]
    central = replace(pets, is_truthful=False)
    assert central.covers(codes(root), central.own[1:]).tolist() == [False]


def is_true(released: Iterable[int], of: Iterable[int], plain: Plain) -> bool:
    """Spec 8.1: every member has an ancestor in the release, and every one there is that of a member."""
    released, of = set(released), set(of)
    return all(plain.T(x) & released for x in of) and all(any(r in plain.T(x) for x in of) for r in released)


def lost(released: Iterable[int], of: Iterable[int], plain: Plain, words: set[int]) -> float:
    """Mean over members of the lowest NCP of what covers each."""

    def ncp(x: int, r: int) -> float:
        below = sum(r in plain.T(word) for word in words)
        return 0.0 if r == x or below < 2 else below / len(words)

    return float(np.mean([min(ncp(x, r) for r in released if r in plain.T(x)) for x in of]))


@st.composite
def groups_of_sets(draw: st.DrawFn, most: int = 9) -> tuple[Ontology, list[tuple[int, ...]]]:
    ontology = draw(ontologies(most))
    some = st.sets(st.integers(0, len(ontology) - 1), min_size=1, max_size=3)
    drawn = draw(st.lists(some, min_size=1, max_size=4))
    return ontology, list(dict.fromkeys(tuple(sorted(own)) for own in drawn))


@given(groups_of_sets())
def test_a_cover_is_true_of_every_set_by_the_definition(
    given_: tuple[Ontology, list[tuple[int, ...]]],
) -> None:
    ontology, group = given_
    pets = replace(Sets.of("x", ontology, measure("path"), group), is_truthful=True)
    cover, plain = pets.cover(range(len(group))), Plain(ontology)
    assert all(is_true(cover, own, plain) for own in group)


@given(groups_of_sets())
def test_whether_a_set_covers_another_is_the_definition(
    given_: tuple[Ontology, list[tuple[int, ...]]],
) -> None:
    ontology, group = given_
    pets, plain = Sets.of("x", ontology, measure("path"), group), Plain(ontology)
    n = pets.n_replacements
    a, b = np.divmod(np.arange(n * n), n)
    found = pets.covers(a.astype(np.int32), b.astype(np.int32))
    assert found.tolist() == [
        is_true(pets.replacements[i], pets.replacements[j], plain) for i, j in zip(a, b, strict=True)
    ]


@given(
    st.lists(
        st.sets(st.sampled_from(["dog", "cat", "bat", "cod", "eel", "mammal"]), min_size=1, max_size=3),
        min_size=1,
    )
)
def test_no_true_set_loses_less_in_a_tree(drawn: list[set[str]]) -> None:
    """Of all sets of concepts that are true of the group, by trying every one."""
    group = list(dict.fromkeys(one(" ".join(own)) for own in drawn))
    plain, words = Plain(TREE), {c for own in group for c in own}
    pets = replace(Sets.of("x", TREE, measure("path"), group), is_truthful=True)
    every = chain.from_iterable(combinations(range(len(TREE)), n) for n in range(1, len(TREE) + 1))
    least = min(
        sum(lost(some, own, plain, words) for own in group)
        for some in every
        if all(is_true(some, own, plain) for own in group)
    )
    assert sum(lost(pets.cover(range(len(group))), own, plain, words) for own in group) == pytest.approx(
        least
    )


@given(ANY_SETS)
def test_the_cost_of_two_is_that_of_what_covers_both(drawn: list[set[str]]) -> None:
    """In a tree: what methods compare sets by is what the release of the two will cost."""
    pets = sets(*(" ".join(own) for own in drawn), truthful=True)
    for i in range(pets.size):
        for j in range(pets.size):
            extended, r = pets.replacing(codes(i, j), codes(0, 0), np.ones(2, np.int64), 1, by_cover=True)
            ncp = extended.generalization(codes(i, j), np.repeat(r, 2)).ncp
            expected = pets.cover_costs.row(int(pets.own[i]))[j]
            assert ncp.mean() == pytest.approx(expected, abs=2e-6)


# ---------------------------------------------------------------------- among other attributes


def test_sets_of_one_word_are_covered_as_words_are() -> None:
    words = replace(
        Nominal("pet", 1.0, -1, TREE, measure("path"), TREE.concepts(["bat", "cat", "cod", "dog"])),
        is_truthful=True,
    )
    pets = sets("bat", "cat", "cod", "dog", truthful=True)
    table = Tuples(np.arange(4, dtype=np.int32)[:, None].repeat(2, axis=1), np.ones(4, np.int64))
    space = space_of(table, [words, pets], with_covers=True)
    groups = codes(0, 0, 1, 1)
    every = np.arange(4, dtype=np.int32)
    points = group_centroids(space, every, groups, table.counts, 2)
    members = Members(every, groups, table.counts, True)
    (as_words, as_sets), values = replacements_of([words, pets], space, points, members=members)
    assert isinstance(as_words, Nominal) and isinstance(as_sets, Sets)
    assert [as_sets.replacements[r] for r in values[:, 1]] == [
        (int(as_words.replacements[r]),) for r in values[:, 0]
    ]
    lost_by = [a.generalization(every, values[groups, j]).ncp for j, a in enumerate((as_words, as_sets))]
    assert lost_by[0].tolist() == lost_by[1].tolist()


def test_shares_of_what_a_set_may_stand_for() -> None:
    pets = sets("dog cod", "cat eel", "cat", "").including([one("mammal fish"), one("bat")])
    released = pets.replacement_of([one("mammal fish"), one("bat"), one("dog cod")])
    wanted = np.array([True, False, False, False])
    # mammal and fish may be the first two; bat covers none, and the cat is nearest.
    assert pets.shares(wanted, released).tolist() == [1 / 2, 0, 1]
    assert pets.shares(~wanted, released).tolist() == [1 / 2, 1, 0]


def test_private_members_are_written_as_the_root() -> None:
    dog, cod = one("dog")[0], one("cod")[0]
    made = Sets.of("x", TREE, measure("path"), [(dog, cod), (cod,)], private=np.array([dog], np.int32))
    assert [made.replacements[r] for r in made.public[made.own]] == [(0, cod), (cod,)]
    wider = made.including([(dog,)])
    assert wider.replacements[wider.public[int(wider.replacement_of([(dog,)])[0])]] == (0,)
