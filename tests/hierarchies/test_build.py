"""Hierarchies from an ontology: the minimal taxonomy as a tree, its levels, labels, and what to look at."""

from __future__ import annotations

import csv
from itertools import pairwise
from math import log
from pathlib import Path
from time import perf_counter
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.arrays import Float64
from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies import Hierarchy, build
from ontomask.hierarchies.build import findings, hierarchy_of
from ontomask.hierarchies.cuts import nested_cuts
from ontomask.hierarchies.taxonomy import Taxonomy, taxonomy
from ontomask.measures import measure
from ontomask.measures.feature import Logsc
from ontomask.ontology.core import ConceptIndices
from ontomask.ontology.draft import Draft

#   thing ── animal ── dog ── puppy
#        │         └── cat ── kitten, tom
#        └── plant ── tree ── oak, elm
PETS = [
    ("animal", "thing"), ("plant", "thing"), ("dog", "animal"), ("cat", "animal"), ("puppy", "dog"),
    ("kitten", "cat"), ("tom", "cat"), ("tree", "plant"), ("oak", "tree"), ("elm", "tree"),
]  # fmt: skip


def rows(edges: list[tuple[str, str]], values: list[str], **options: object) -> list[list[str]]:
    ontology = Draft.from_edges("t", edges)
    return hierarchy_of(ontology, {v: ontology.concept(v) for v in values}, name="t", **options).rows()


def test_chains_are_pruned_and_branches_padded_at_the_values() -> None:
    assert rows(PETS, ["puppy", "kitten", "tom"]) == [
        ["puppy", "puppy", "animal"],
        ["kitten", "cat", "animal"],
        ["tom", "cat", "animal"],
    ]


def test_chains_can_be_kept() -> None:
    assert rows(PETS, ["puppy", "kitten", "oak"], prune=False) == [
        ["puppy", "dog", "animal", "thing"],
        ["kitten", "cat", "animal", "thing"],
        ["oak", "tree", "plant", "thing"],
    ]


def test_a_value_that_others_stand_below_is_their_group() -> None:
    ontology = Draft.from_edges("t", PETS)
    concepts = {
        "Katze": ontology.concept("cat"),
        "tom": ontology.concept("tom"),
        "dog": ontology.concept("dog"),
    }
    tree = hierarchy_of(ontology, concepts, name="t")
    assert tree.rows() == [["Katze", "Katze", "animal"], ["tom", "Katze", "animal"], ["dog", "dog", "animal"]]
    assert tree.concepts == {"Katze": "cat", "tom": "tom", "dog": "dog", "animal": "animal"}


def test_two_texts_of_one_concept_are_two_values_with_one_label_above() -> None:
    ontology = Draft.from_edges("t", PETS)
    cat, tree = ontology.concept("cat"), ontology.concept("tree")
    built = hierarchy_of(ontology, {"Katze": cat, "chat": cat, "tree": tree, "Baum": tree}, name="t")
    assert built.rows() == [
        ["Katze", "cat", "thing"],
        ["chat", "cat", "thing"],
        ["tree", "tree", "thing"],
        ["Baum", "tree", "thing"],
    ]
    assert built.concepts["Baum"] == built.concepts["tree"] == "tree"


def test_one_value_alone_has_nothing_but_the_root_above_it() -> None:
    for levels in (None, 1, 3):
        assert rows(PETS, ["cat"], levels=levels) == [["cat", "*"]]


# x below two parents: l and r are its groups; q and s say where each of them stands.
#   top ── l ── a, x        T(x) = {top, l, m, r, x}
#      └── m ── r ── b, x
DIAMOND = [("l", "top"), ("m", "top"), ("r", "m"), ("a", "l"), ("x", "l"), ("b", "r"), ("x", "r")]


def test_of_several_parents_the_nearest_is_kept() -> None:
    ontology = Draft.from_edges("t", DIAMOND)
    x, left, right = ontology.concepts(["x", "l", "r"])
    distances = measure("logsc").matrix(ontology, [x], [left, right])[0]
    assert distances.tolist() == pytest.approx([log(1 + 3 / 5, 2), log(1 + 2 / 5, 2)])
    assert rows(DIAMOND, ["a", "x", "b"])[1] == ["x", "r", "top"]
    ties = [("l", "top"), ("r", "top"), ("a", "l"), ("x", "l"), ("b", "r"), ("x", "r")]
    assert rows(ties, ["a", "x", "b"])[1] == ["x", "l", "top"]


class Stated(Logsc):
    """Distances as written down, by the labels of a tree; others are those of logsc."""

    known: ClassVar = {("v", "p"): 0.1, ("v", "q"): 0.3, ("u", "p"): 0.4, ("u", "q"): 0.25}

    def matrix(self, ontology: om.Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        table = super().matrix(ontology, a, b)
        for i, one in enumerate(np.atleast_1d(a)):
            for j, other in enumerate(np.atleast_1d(b)):
                pair = ontology.labels[int(one)], ontology.labels[int(other)]
                table[i, j] = self.known.get(pair, table[i, j])
        return table


def test_all_values_below_a_concept_count_when_its_parent_is_chosen() -> None:
    edges = [
        ("p", "top"),
        ("q", "top"),
        ("n", "p"),
        ("n", "q"),
        ("a", "p"),
        ("b", "q"),
        ("v", "n"),
        ("u", "n"),
    ]
    ontology = Draft.from_edges("t", edges)
    once = ontology_of(ontology, "abvu")
    twice = {**once, "u again": once["u"]}
    # v and u once each: 0.1 + 0.4 to p, 0.3 + 0.25 to q; with u twice: 0.9 to p, 0.8 to q.
    for values, parent in [(once, "p"), (twice, "q")]:
        tree = hierarchy_of(ontology, values, name="t", measure=Stated())
        assert tree.label_at("v", tree.height - 1) == parent
    built = taxonomy(ontology, np.array(list(twice.values())), Stated())
    [q] = [i for i in range(built.root, len(built.parents)) if ontology.labels[int(built.concepts[i])] == "q"]
    b_to_q = measure("logsc").matrix(ontology, once["b"], ontology.concept("q"))[0, 0]
    assert built.losses[q] == pytest.approx(b_to_q + 0.3 + 2 * 0.25)


def test_a_label_that_is_taken_is_told_apart() -> None:
    draft = Draft("t")
    for concept_id, label in {
        "0": "top", "1": "mole", "2": "mole", "3": "mole", "a": "a", "b": "b", "c": "c", "d": "d",
    }.items():  # fmt: skip
        draft.concept(concept_id, label)
    draft.term("2", "skin mark")
    for child, parent in ["10", "20", "a1", "b1", "c2", "d2", "30"]:
        draft.is_a(child, parent)
    ontology = draft.finish()
    tree = hierarchy_of(ontology, ontology_of(ontology, "abcd"), name="t")
    assert [row[1] for row in tree.rows()] == ["mole", "mole", "skin mark", "skin mark"]
    assert tree.concepts["mole"] == "1"
    assert tree.concepts["skin mark"] == "2"
    taken = {
        **ontology_of(ontology, "abcd"),
        "mole": ontology.concept("3"),
        "skin mark": ontology.concept("3"),
    }
    assert [row[1] for row in hierarchy_of(ontology, taken, name="t").rows()[:4]] == ["1", "1", "2", "2"]


def ontology_of(ontology: om.Ontology, texts: str) -> dict[str, int]:
    return {text: ontology.concept(text) for text in texts}


# ---------------------------------------------------------------------- levels


def test_levels_are_cut_where_least_is_lost_for_each_node_saved() -> None:
    values = ["puppy", "kitten", "tom", "oak", "elm"]
    # 5 values in 3 levels: 5 -> 5^(2/3) = 2.9 -> 2 (no fewer are left below the root) -> 1.
    assert rows(PETS, values, levels=3) == [
        ["puppy", "puppy", "animal", "thing"],
        ["kitten", "cat", "animal", "thing"],
        ["tom", "cat", "animal", "thing"],
        ["oak", "tree", "tree", "thing"],
        ["elm", "tree", "tree", "thing"],
    ]
    assert rows(PETS, values, levels=1) == [[value, "thing"] for value in values]
    assert rows(PETS, values, levels=9)[0] == ["puppy", "puppy", "puppy", "animal", "thing"]


def test_levels_must_be_one_at_least() -> None:
    with pytest.raises(OntomaskError, match="levels: a hierarchy is built with 1 to 100 levels"):
        rows(PETS, ["oak", "elm"], levels=0)
    with pytest.raises(OntologyError, match="a hierarchy needs a value"):
        rows(PETS, [])


def plain_cuts(tree: Taxonomy, allowed: set[int]) -> list[tuple[int, ...]]:
    """Every cut on the way from the values to the coarsest, by looking at all nodes each time."""
    values = range(tree.n_values)
    paths = list(tree.paths())
    now = list(values)
    cuts = [tuple(now)]
    while True:
        prices = {}
        for node in allowed:
            below = [v for v in values if node in paths[v]]
            nodes = {now[v] for v in below}
            is_covered = any(node in paths[v][: paths[v].index(now[v]) + 1] for v in below)
            if len(nodes) > 1 and not is_covered:
                added = tree.losses[node] - sum(tree.losses[one] for one in nodes)
                prices[node] = added / (len(nodes) - 1)
        if not prices:
            return cuts
        best = min(prices, key=lambda node: (prices[node], node))
        now = [best if best in paths[v] else now[v] for v in values]
        cuts.append(tuple(now))


@st.composite
def ontologies(draw: st.DrawFn) -> om.Ontology:
    """Random is-a graphs with one root."""
    n = draw(st.integers(3, 30))
    edges = []
    for child in range(1, n):
        for parent in draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=2)):
            edges.append((f"c{child:02}", f"c{parent:02}"))
    return Draft.from_edges("random", edges)


@given(st.data())
def test_what_is_built_is_truthful_and_no_higher_than_asked(data: st.DataObject) -> None:
    ontology = data.draw(ontologies())
    chosen = data.draw(st.lists(st.integers(0, len(ontology) - 1), min_size=2, max_size=12))
    levels = data.draw(st.one_of(st.none(), st.integers(1, 5)))
    concepts = {f"v{i}": concept for i, concept in enumerate(chosen)}
    tree = hierarchy_of(ontology, concepts, name="t", levels=levels, prune=data.draw(st.booleans()))
    assert tree.values == tuple(concepts)
    assert levels is None or tree.height <= levels
    root = ontology.concept(tree.concepts[tree.labels[tree.root]])
    assert root == ontology.lcs_of_set(chosen)
    for text, row in zip(concepts, tree.rows(), strict=True):
        keys = [ontology.concept(tree.concepts[label]) for label in row]
        for below, above in pairwise([concepts[text], *keys]):
            assert ontology.is_below([below], above)[0]
    if levels is not None:
        sizes = [len(tree.nodes_at(i)) for i in range(tree.height + 1)]
        assert sizes == sorted(sizes, reverse=True)
        assert len(set(sizes[:-1])) == len(sizes) - 1  # every level but the root says less than the one below


@given(st.data())
def test_cuts_are_among_those_of_the_plain_search(data: st.DataObject) -> None:
    ontology = data.draw(ontologies())
    chosen = data.draw(st.lists(st.integers(0, len(ontology) - 1), min_size=2, max_size=12))
    tree = taxonomy(ontology, np.array(chosen), measure("logsc")).pruned()
    allowed = {node for node in range(tree.root + 1, len(tree.parents)) if data.draw(st.booleans())}
    mask = np.isin(np.arange(len(tree.parents)), list(allowed))
    plain = plain_cuts(tree, allowed)
    for cut in nested_cuts(tree, mask, data.draw(st.integers(1, 6)))[:-1]:
        assert tuple(cut.tolist()) in plain


# ---------------------------------------------------------------------- what a user gets


def insurance(wordnet: om.Ontology, column: str) -> dict[str, int]:
    with (Path(__file__).parents[1] / "golden" / "insurance_senses.csv").open() as file:
        return {
            row["value"]: wordnet.concept(row["sense"])
            for row in csv.DictReader(file)
            if row["column"] == column
        }


def test_occupations(wordnet: om.Ontology) -> None:
    tree = hierarchy_of(wordnet, insurance(wordnet, "occupation"), name="occupation", levels=4)
    assert tree.height == 4
    assert [tree.label_at("surgeon", i) for i in (1, 3, 4)] == ["doctor", "professional", "person"]
    assert tree.label_at("math_teacher", 2) == "educator"
    assert tree.concepts["educator"] == "educator.n.01"
    sizes = [len(tree.nodes_at(i)) for i in range(5)]
    assert sizes[0] == 60
    assert (
        0.3 < min(b / a for a, b in pairwise(sizes[:-1])) < max(b / a for a, b in pairwise(sizes[:-1])) < 0.7
    )


FOODS = """apple apricot artichoke bacon bagel banana beef beer bread broccoli butter cabbage cake carrot
cheese cherry chicken coffee cookie cream cucumber garlic grape ham honey jam lamb lemon lentil lettuce mango
milk mustard noodle onion pasta peach pear pizza plum pork potato rice salad sausage soup steak sugar tea"""
SPORTS = "archery badminton baseball boxing cycling fishing golf hiking judo karate rugby skiing tennis yoga"
JOBS = """accountant baker barber biologist butcher carpenter chef clerk dancer dentist diplomat editor
fisherman florist geologist historian jeweler journalist judge librarian miner nurse painter pharmacist pilot
plumber poet professor sailor sculptor soldier surgeon tailor waiter welder zoologist"""


def test_levels_of_a_mixed_column_have_names_a_person_would_use(wordnet: om.Ontology) -> None:
    words = [*FOODS.split(), *SPORTS.split(), *JOBS.split()]
    tree = hierarchy_of(
        wordnet, {word: int(wordnet.senses_of(word)[0]) for word in words}, name="t", levels=4
    )
    assert tree.height == 4
    names = {tree.labels[node] for level in (1, 2, 3) for node in tree.nodes_at(level)}
    assert {"person", "scientist", "sport", "edible fruit"} <= names
    assert not names & {
        "entity",
        "physical entity",
        "object",
        "whole",
        "matter",
        "abstraction",
        "causal agent",
    }
    assert not names & {"psychological feature", "event", "living thing", "group"}


def test_vague_concepts_are_passed_over_in_large_ontologies_only(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = [("vague", "top"), ("far", "top"), ("g", "vague"), ("h", "g"), ("a", "h"), ("b", "h"), ("c", "g")]
    assert rows(deep, ["a", "b", "c", "far"], levels=3)[0] == ["a", "h", "g", "top"]
    monkeypatch.setattr(build, "VAGUE_FROM", 3)
    monkeypatch.setattr(build, "VAGUE_LOSS", 0.5)
    assert rows(deep, ["a", "b", "c", "far"], levels=3)[0] == ["a", "h", "top"]


def test_findings() -> None:
    tree = Hierarchy.from_rows(
        "t",
        [
            ["a", "x", "u", "*"],
            ["b", "x", "u", "*"],
            ["c", "c", "u", "*"],
            ["d", "d", "u", "*"],
            ["e", "e", "e", "*"],
        ],
    )
    assert findings(tree) == [
        "1 of 5 values share no label with others below '*': e",
        "3 of 5 values stand alone at level 1: c, d, e",
        "at level 2, 'u' stands for 4 of 5 values",
    ]
    assert findings(Hierarchy.from_rows("t", [["a", "*"], ["b", "*"]])) == []
    ontology = Draft.from_edges("t", PETS)
    built = hierarchy_of(ontology, {v: ontology.concept(v) for v in ("puppy", "kitten", "tom")}, name="t")
    assert built.notes[0] == "1 of 3 values share no label with others below 'animal': puppy"


def test_large_columns_take_seconds(wordnet: om.Ontology) -> None:
    chosen = np.random.default_rng(1).choice(len(wordnet), 3000, replace=False)
    concepts = {f"v{i}": int(concept) for i, concept in enumerate(chosen)}
    hierarchy_of(wordnet, dict(list(concepts.items())[:60]), name="t", levels=4)  # compiles
    start = perf_counter()
    tree = hierarchy_of(wordnet, concepts, name="t", levels=4)
    assert perf_counter() - start < 5
    assert [len(tree.nodes_at(i)) < n for i, n in enumerate([3001, 1200, 500, 200])] == [True] * 4
