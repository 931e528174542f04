"""Edits that lower GSL: what they do to rows, what they promise, and that the score is the one they give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Ontology, measure
from ontomask.errors import OntomaskError
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.gsl import Gsl, linked_nodes
from ontomask.hierarchies.improve import (
    LEAST_GAIN,
    DropLevel,
    Insert,
    Move,
    Rename,
    Swap,
    _Promises,
    after,
    destinations,
    improved,
    improvements,
    proposals,
)
from ontomask.ontology.draft import Draft
from ontomask.ontology.formats.nested import NO_CONCEPT

#                symptom
#          ______/      \______
#        pain              inflammation
#       /    \              /        \
#   colic    ache     gastritis   nephritis
#             |
#          lumbago
SYMPTOMS = Draft.from_edges(
    "symptoms",
    [
        ("pain", "symptom"),
        ("inflammation", "symptom"),
        ("colic", "pain"),
        ("ache", "pain"),
        ("lumbago", "ache"),
        ("gastritis", "inflammation"),
        ("nephritis", "inflammation"),
    ],
)
GOOD = [
    ["colic", "colic", "pain", "symptom"],
    ["lumbago", "ache", "pain", "symptom"],
    ["gastritis", "gastritis", "inflammation", "symptom"],
    ["nephritis", "nephritis", "inflammation", "symptom"],
]


def judged(rows: list[list[str]], **options: Any) -> Gsl:
    tree = Hierarchy.from_rows("t", rows)
    concepts = linked_nodes(tree, SYMPTOMS).concepts
    return Gsl(tree, SYMPTOMS, concepts, **{"measure": measure("path"), **options})


# ---------------------------------------------------------------------- what an edit does


def test_edits_on_rows() -> None:
    tree = Hierarchy.from_rows("t", GOOD)
    assert improved(tree, [Swap("ache", "pain")]).rows()[:2] == [
        ["colic", "colic", "ache", "symptom"],
        ["lumbago", "pain", "ache", "symptom"],
    ]
    renamed = improved(tree, [Rename("pain", "hurt", "pain.n.01")])
    assert renamed.rows()[0] == ["colic", "colic", "hurt", "symptom"]
    assert renamed.concepts == {"hurt": "pain.n.01"}
    assert improved(tree, [Move("ache", "pain", "inflammation")]).rows()[1] == [
        "lumbago",
        "ache",
        "inflammation",
        "symptom",
    ]
    assert improved(tree, [Move("colic", "pain", "inflammation")]).rows()[0] == [
        "colic",
        "colic",
        "inflammation",
        "symptom",
    ]
    assert improved(tree, [DropLevel(1), DropLevel(1)]).rows() == [[row[0], row[3]] for row in GOOD]
    assert improved(tree, []) is tree
    named = improved(tree, [Rename("pain", "hurt", "pain.n.01"), Rename("hurt", "sore", NO_CONCEPT)])
    assert named.rows()[0] == ["colic", "colic", "sore", "symptom"]
    assert named.concepts["sore"] == NO_CONCEPT
    again = improved(
        tree, [Rename("pain", "hurt", "pain.n.01"), Rename("hurt", "x", NO_CONCEPT), Insert("x", "hurt")]
    )
    assert again.rows()[0] == ["colic", "colic", "x", "hurt", "symptom"]
    assert again.concepts["hurt"] == NO_CONCEPT, "though another label was called so"


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    """Branches of any length; some values are groups, too, and some labels are repeated."""
    above = [-1, *(draw(st.integers(0, n)) for n in range(draw(st.integers(0, 6))))]

    def way(node: int) -> list[str]:
        label = chr(ord("A") + node)
        times = 2 if node in repeated else 1
        return [label] * times + (way(above[node]) if above[node] >= 0 else [])

    repeated = draw(st.sets(st.integers(0, len(above) - 1), max_size=2))
    under = draw(st.lists(st.integers(0, len(above) - 1), min_size=1, max_size=6))
    groups = draw(st.sets(st.sampled_from(under), max_size=2))
    rows = [[f"v{n}", *way(node)] for n, node in enumerate(under)] + [way(node) for node in sorted(groups)]
    return Hierarchy.from_rows("t", rows)


@given(tree=trees(), data=st.data())
def test_a_new_label_stands_above_one_and_all_else_stays(tree: Hierarchy, data: st.DataObject) -> None:
    label = data.draw(st.sampled_from([one for one in tree.labels if tree.node(one) != tree.root] or [""]))
    if not label:
        return
    edited = improved(tree, [Insert(label, "new")])
    assert edited.values == tree.values
    before = [[tree.labels[one] for one in path] for path in tree.paths()]
    now = [[edited.labels[one] for one in path] for path in edited.paths()]
    for old, new in zip(before, now, strict=True):
        place = old.index(label) + 1 if label in old else len(old)
        assert new == [*old[:place], *(["new"] if label in old else []), *old[place:]]


@given(tree=trees(), data=st.data())
def test_a_move_takes_all_below_a_label_and_leaves_the_rest(tree: Hierarchy, data: st.DataObject) -> None:
    node = data.draw(st.integers(0, len(tree.labels) - 1))
    allowed = destinations(tree, node)
    below = set(tree.values_below(node).tolist())
    inside = {
        tree.labels[one]
        for v in below
        for one in tree.levels[: tree.levels[:, v].tolist().index(node) + 1, v]
    }
    assert not inside & {tree.labels[to] for to in allowed}, "nothing goes below itself"
    for to in range(len(tree.labels)):
        edit = Move(tree.labels[node], "", tree.labels[to])
        if to not in allowed:
            with pytest.raises(OntomaskError, match="cannot be moved"):
                improved(tree, [edit])
            continue
        moved = improved(tree, [edit])
        assert Hierarchy.from_rows("t", moved.rows()).rows() == moved.rows(), "it is a hierarchy"
        assert moved.values == tree.values
        before = [[tree.labels[one] for one in path] for path in tree.paths()]
        now = [[moved.labels[one] for one in path] for path in moved.paths()]
        onward = next(path[path.index(edit.to) :] for path in before if edit.to in path)
        for v, (old, new) in enumerate(zip(before, now, strict=True)):
            kept = old[: old.index(edit.label) + 1] + onward if v in below else old
            assert new == kept


def test_a_move_may_go_past_levels_and_leaves_padding_at_the_values() -> None:
    tree = Hierarchy.from_rows("t", GOOD)
    assert improved(tree, [Move("ache", "pain", "symptom")]).rows() == [
        ["colic", "pain", "symptom"],
        ["lumbago", "ache", "symptom"],
        ["gastritis", "inflammation", "symptom"],
        ["nephritis", "inflammation", "symptom"],
    ]
    # A is a value, and a group.
    both = [["v", "v", "A", "*"], ["A", "A", "A", "*"], ["w", "W", "X", "*"], ["u", "U", "X", "*"]]
    assert improved(Hierarchy.from_rows("t", both), [Move("w", "W", "A")]).rows()[2] == ["w", "w", "A", "*"]
    assert improved(tree, [Move("gastritis", "inflammation", "ache")]).rows()[2] == [
        "gastritis",
        "ache",
        "pain",
        "symptom",
    ]


# ---------------------------------------------------------------------- what is proposed


def test_a_label_below_a_narrower_one_is_swapped() -> None:
    rows = [["lumbago", "pain", "ache", "symptom"], ["colic", "inflammation", "nephritis", "symptom"]]
    gsl = judged(rows)
    assert gsl.transitions[:, 0].tolist() == [2, 1, 3]
    only = judged([["lumbago", "pain", "ache"], ["colic", "colic", "ache"]])
    assert only.score == ((2 + 0) / 2 + (1 + 2) / 2) / 2
    swap = next(one for one in proposals(only) if one.edit == Swap("pain", "ache"))
    assert swap.score == ((1 + 0) / 2 + (2 + 1) / 2) / 2
    assert improvements(only)[0] == swap


def test_a_swap_that_sets_the_order_right_is_proposed_though_the_score_stays() -> None:
    """The paper's *medical practitioner* below *doctor*: both stand for the same values."""
    wrong = judged(
        [["lumbago", "pain", "ache", "symptom"], ["gastritis", "gastritis", "gastritis", "symptom"]]
    )
    right = [["lumbago", "ache", "pain", "symptom"], ["gastritis", "gastritis", "gastritis", "symptom"]]
    made = improvements(wrong)
    assert [one.edit for one in made] == [Swap("pain", "ache")]
    assert made[0].score == wrong.score == judged(right).score
    assert improvements(judged(right)) == []


def test_a_value_in_the_wrong_place_is_moved() -> None:
    rows = [*GOOD[:3], ["nephritis", "nephritis", "pain", "symptom"]]
    best = improvements(judged(rows))
    assert [one.edit for one in best] == [Move("nephritis", "pain", "inflammation")]
    assert best[0].score == judged(GOOD).score


def test_nothing_is_moved_where_it_would_be_no_kind_of() -> None:
    """Nearer is not enough: an inflammation of the stomach is no ache."""
    rows = [["gastritis", "lumbago", "*"], ["colic", "pain", "*"], ["ache", "pain", "*"]]
    gsl = judged(rows)
    nearer = after(gsl, Move("gastritis", "lumbago", "pain"))
    assert nearer.score < gsl.score
    assert [one.edit for one in proposals(gsl) if isinstance(one.edit, Move)] == []
    gsl = judged([["ache", "gastritis", "*"], ["colic", "symptom", "*"], ["nephritis", "lumbago", "*"]])
    assert Move("ache", "gastritis", "symptom") in [one.edit for one in proposals(gsl)]


def test_a_label_that_does_not_fit_is_renamed() -> None:
    rows = [[*row[:2], row[2].replace("inflammation", "colitis"), row[3]] for row in GOOD]
    tree = Hierarchy.from_rows("t", rows, concepts={"colitis": "lumbago"})
    gsl = Gsl(tree, SYMPTOMS, linked_nodes(tree, SYMPTOMS).concepts, measure("path"))
    assert improvements(gsl)[0].edit == Rename("colitis", "inflammation", "inflammation")


def test_a_label_in_another_sense_keeps_its_name() -> None:
    tree = Hierarchy.from_rows("t", GOOD, concepts={"inflammation": "lumbago"})
    gsl = Gsl(tree, SYMPTOMS, linked_nodes(tree, SYMPTOMS).concepts, measure("path"))
    best = improvements(gsl)
    assert [one.edit for one in best] == [Rename("inflammation", "inflammation", "inflammation")]
    assert str(best[0].edit) == "take 'inflammation' for inflammation"
    assert improved(tree, [best[0].edit]).concepts == {"inflammation": "inflammation"}


def test_a_label_that_says_nothing_stays_where_it_is() -> None:
    gsl = judged([["lumbago", "symptom", "*"], ["colic", "symptom", "*"]])
    assert SYMPTOMS.labels[gsl.meanings[gsl.hierarchy.root]] == "pain"
    assert [one.edit for one in improvements(gsl)] == [DropLevel(1)]


def test_a_level_that_loses_more_than_the_next_is_dropped() -> None:
    rows = [["lumbago", "nephritis", "pain"], ["colic", "nephritis", "pain"]]
    gsl = judged(rows)
    assert gsl.levels.tolist() == [(5 + 4) / 2, (2 + 1) / 2]
    dropped = next(one for one in proposals(gsl) if one.edit == DropLevel(1))
    assert dropped.score == (2 + 1) / 2
    assert not any(isinstance(one.edit, DropLevel) for one in proposals(judged(GOOD)))


def test_a_level_is_dropped_only_if_nothing_else_helps() -> None:
    gsl = judged([["colic", "nephritis", "pain"], ["lumbago", "gastritis", "pain"]])
    assert proposals(gsl)[0].edit == DropLevel(1)
    made = improvements(gsl)
    assert [one.edit for one in made] == [Rename("gastritis", "ache", "ache"), DropLevel(1)]
    assert [one.score for one in made] == [((4 + 1) / 2 + (1 + 2) / 2) / 2, (1 + 2) / 2]


def test_a_new_name_is_of_the_kind_above_it() -> None:
    """Only *symptom* is free above both, but it is no kind of pain."""
    gsl = judged([["lumbago", "nephritis", "pain"], ["colic", "nephritis", "pain"]])
    assert [one.edit for one in proposals(gsl)] == [DropLevel(1)]


def test_a_hierarchy_as_the_ontology_has_it_is_left_alone() -> None:
    assert improvements(judged(GOOD)) == []


def test_the_papers_example_gets_better(wordnet: Ontology) -> None:
    rows = [
        ["math teacher", "teacher", "education", "occupation"],
        ["music teacher", "teacher", "education", "occupation"],
        ["surgeon", "medical practitioner", "doctor", "occupation"],
        ["ophthalmologist", "medical practitioner", "doctor", "occupation"],
        ["optician", "medical practitioner", "doctor", "occupation"],
        ["tamer", "animal trainer", "trainer", "occupation"],
    ]
    tree = Hierarchy.from_rows("t", rows)
    links = linked_nodes(tree, wordnet, senses="first", mapping={"education": "education.n.04"})
    gsl = Gsl(tree, wordnet, links.concepts)
    made = improvements(gsl)
    edits = [one.edit for one in made]
    assert Rename("occupation", "person", "person.n.01") in edits
    assert Rename("education", "educator", "educator.n.01") in edits
    assert made[-1].score < 0.2 < gsl.score


# ---------------------------------------------------------------------- what must hold


@st.composite
def judged_at_random(draw: st.DrawFn) -> Gsl:
    q, height = draw(st.integers(2, 9)), draw(st.integers(2, 4))
    nodes, rows = list(range(q)), [[f"v{v}"] for v in range(q)]
    for level in range(1, height):
        group = draw(st.lists(st.integers(0, q - 1), min_size=q, max_size=q))
        nodes = [group[node] for node in nodes]
        for row, node in zip(rows, nodes, strict=True):
            row.append(f"n{level}.{node}" if node else row[-1])  # padded at any level
    tree = Hierarchy.from_rows("t", [[*row, "top"] for row in rows])
    concept = st.integers(-1, len(SYMPTOMS) - 1)
    concepts = np.array([draw(concept) for _ in tree.labels], np.int32)
    concepts[0] = max(concepts[0], 0)
    aggregate = draw(st.sampled_from(["mean", "max"]))
    weighting = draw(st.sampled_from(["uniform", "level"]))
    return Gsl(tree, SYMPTOMS, concepts, measure("path"), aggregate, weighting)


@given(judged_at_random())
def test_scores_are_those_of_the_hierarchies_with_the_edits_and_descend(gsl: Gsl) -> None:
    made = improvements(gsl, most=4)
    before, tree = gsl.score, gsl.hierarchy
    meant = {
        label: SYMPTOMS.ids[c] for label, c in zip(tree.labels, gsl.concepts.tolist(), strict=True) if c >= 0
    }
    for i, one in enumerate(made):
        assert one.score <= before - LEAST_GAIN or (isinstance(one.edit, Swap) and one.score <= before)
        if isinstance(one.edit, Rename):
            meant[one.edit.to] = one.edit.concept
        new = improved(tree, [step.edit for step in made[: i + 1]])
        concepts = np.array([SYMPTOMS.concept(meant[x]) if x in meant else -1 for x in new.labels], np.int32)
        again = Gsl(new, SYMPTOMS, concepts, gsl.measure, gsl.aggregate, gsl.weighting)
        assert again.score == pytest.approx(one.score, abs=1e-9)
        assert new.values == tree.values
        before = one.score
    assert len(made) == 4 or proposals(_last(gsl, made)) == []


def test_a_name_of_ones_own_counts_as_what_its_values_have_in_common() -> None:
    gsl = judged(GOOD)
    renamed = after(gsl, Rename("pain", "hurt", NO_CONCEPT))
    node = renamed.hierarchy.node("hurt")
    assert renamed.concepts[node] == -1
    assert SYMPTOMS.labels[int(renamed.meanings[node])] == "pain"
    inserted = after(gsl, Insert("lumbago", "back trouble"))
    node = inserted.hierarchy.node("back trouble")
    assert inserted.concepts[node] == -1
    assert SYMPTOMS.labels[int(inserted.meanings[node])] == "lumbago"
    assert inserted.concepts[inserted.hierarchy.node("pain")] == gsl.concepts[gsl.hierarchy.node("pain")]


def _last(gsl: Gsl, made: list[Any]) -> Gsl:
    for one in made:
        gsl = after(gsl, one.edit)
    return gsl


@given(judged_at_random())
def test_what_an_edit_promises_is_what_it_does_where_meanings_stay(gsl: Gsl) -> None:
    gsl = replace(gsl, concepts=np.maximum(gsl.concepts, 0), aggregate="mean")
    for change, edit in _Promises(gsl).edits():
        assert after(gsl, edit).score - gsl.score == pytest.approx(change, abs=1e-9)


@given(judged_at_random())
def test_proposals_are_single_edits_best_first(gsl: Gsl) -> None:
    found = proposals(gsl)
    assert [one.score for one in found] == sorted(one.score for one in found)
    assert all(after(gsl, one.edit).score == pytest.approx(one.score, abs=1e-9) for one in found)


@given(judged_at_random(), st.data())
def test_what_is_measured_of_an_edited_tree_is_what_would_be_measured_anew(
    gsl: Gsl, data: st.DataObject
) -> None:
    tree = gsl.hierarchy
    movable = [node for node in range(len(tree.labels)) if destinations(tree, node)]
    if movable and data.draw(st.booleans()):
        node = data.draw(st.sampled_from(movable))
        above, to = int(tree.parents[node]), data.draw(st.sampled_from(destinations(tree, node)))
        tree = improved(tree, [Move(tree.labels[node], tree.labels[above], tree.labels[to])])
    concept = st.integers(-1, len(SYMPTOMS) - 1)
    meant = dict(zip(gsl.hierarchy.labels, gsl.concepts.tolist(), strict=True))
    meant |= {data.draw(st.sampled_from(tree.labels)): data.draw(concept), tree.labels[0]: 0}
    concepts = np.array([meant[label] for label in tree.labels], np.int32)
    edited = gsl.of_edited(tree, concepts)
    anew = Gsl(tree, SYMPTOMS, concepts, gsl.measure, gsl.aggregate, gsl.weighting)
    np.testing.assert_array_equal(edited.transitions, anew.transitions)
    assert edited.score == anew.score


def test_a_value_that_gets_the_concept_it_counted_as_is_measured() -> None:
    tree = Hierarchy.from_rows("t", [["pain", "pain", "top"], ["colic", "pain", "top"]])
    colic = int(SYMPTOMS.concept("colic"))
    unknown = Gsl(tree, SYMPTOMS, np.array([-1, colic, 0], np.int32), measure("path"))
    known = unknown.of_edited(tree, np.array([colic, colic, 0], np.int32))
    assert np.isnan(unknown.transitions[:, 0]).all()
    assert not np.isnan(known.transitions).any()
