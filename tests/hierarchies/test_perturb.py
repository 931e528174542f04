"""Perturbed hierarchies: valid, over the same values, seeded, and spread from good to bad."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.perturb import many_perturbed, perturbed
from ontomask.measures import measure

ROWS = [
    ["puppy", "dog", "animal", "thing"],
    ["hound", "dog", "animal", "thing"],
    ["cat", "cat", "animal", "thing"],
    ["kitten", "cat", "animal", "thing"],
    ["oak", "tree", "tree", "thing"],
    ["elm", "tree", "tree", "thing"],
    ["rock", "rock", "rock", "thing"],
]
PETS = Hierarchy.from_rows("pets", ROWS)
TREE = PETS.as_ontology()


@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0, 1))
def test_always_a_hierarchy_over_the_same_values(seed: int, strength: float, similarity: float) -> None:
    copy = perturbed(PETS, TREE, np.random.default_rng(seed), strength=strength, similarity=similarity)
    again = perturbed(PETS, TREE, np.random.default_rng(seed), strength=strength, similarity=similarity)
    assert copy.values == PETS.values
    assert copy.labels[copy.root].startswith("thing")
    assert 2 <= copy.height <= PETS.height
    assert again.rows() == copy.rows()
    for label in copy.labels:  # a label says what it stands for, or is known
        assert TREE.has_id(copy.concepts.get(label, label))


def test_strength_says_how_much_is_changed() -> None:
    assert perturbed(PETS, TREE, np.random.default_rng(0), strength=0).rows() == ROWS
    drawn = [perturbed(PETS, TREE, np.random.default_rng(seed), strength=1.0) for seed in range(30)]
    assert {copy.height for copy in drawn} == {2, 3}
    assert all(copy.rows() != ROWS for copy in drawn)


def test_levels_are_dropped() -> None:
    rng = np.random.default_rng(5)
    heights = [perturbed(PETS, TREE, rng, strength=0.5, similarity=1).height for _ in range(400)]
    # Each of two levels stays with probability 3/4; the last that is left always does.
    assert np.mean(np.array(heights) == 3) == pytest.approx((3 / 4) ** 2, abs=0.08)


def test_nodes_move_to_another_group_and_labels_stay_if_nothing_is_similar_enough() -> None:
    known = {label for row in ROWS for label in row}
    for seed in range(20):
        copy = perturbed(PETS, TREE, np.random.default_rng(seed), strength=1.0, similarity=1.0)
        assert {label.split(" [")[0] for label in copy.labels} <= known
        groups = {row[0]: row[1].split(" [")[0] for row in copy.rows()}
        assert groups != {row[0]: row[1] for row in ROWS}


@pytest.mark.parametrize("similarity", [0.8, 0.6, 0.4])
def test_labels_are_swapped_within_the_bound(wordnet: om.Ontology, similarity: float) -> None:
    # One group only: nothing can move, and the level is the last that is left.
    jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["dentist", "doctor", "person"]])
    wup = measure("wup", convention="ws4j")
    rng = np.random.default_rng(0)
    for _ in range(20):
        copy = perturbed(jobs, wordnet, rng, strength=1.0, similarity=similarity, measure=wup)
        label = copy.label_at("surgeon", 1)
        distance = wup.matrix(wordnet, wordnet.concept("doctor"), wordnet.concept(copy.concepts[label]))[0, 0]
        assert label != "doctor"
        assert (1 - similarity) / 2 <= distance <= 1 - similarity


def test_copies_spread_from_the_ideal_to_bad(wordnet: om.Ontology) -> None:
    with (Path(__file__).parents[1] / "golden" / "insurance_senses.csv").open() as file:
        values = {
            row["value"]: wordnet.concept(row["sense"])
            for row in csv.DictReader(file)
            if row["column"] == "hobby"
        }
    ideal = hierarchy_of(wordnet, values, name="hobby")
    wup = measure("wup", convention="ws4j")
    copies = many_perturbed(ideal, wordnet, 40, seed=3, measure=wup)

    def loss(tree: Hierarchy) -> float:
        of = [wordnet.concept(tree.concepts[label]) for label in tree.labels]
        table = wup.matrix(wordnet, of[: tree.n_values], of)
        return float(np.mean([table[np.arange(tree.n_values), nodes] for nodes in tree.levels[1:]]))

    losses = [loss(copy) for copy in copies]
    assert len({str(copy.rows()) for copy in copies}) == 40
    assert losses == sorted(losses)
    assert losses[0] < 0.1
    assert losses[-1] > 0.5
    assert max(b - a for a, b in pairwise(losses)) < 0.15
    assert any(copy.rows() == ideal.rows() for copy in copies)
    again = many_perturbed(ideal, wordnet, 40, seed=3, measure=wup)
    assert [copy.rows() for copy in again] == [copy.rows() for copy in copies]
    assert [copy.rows() for copy in many_perturbed(ideal, wordnet, 40, seed=4, measure=wup)] != [
        copy.rows() for copy in copies
    ]


def test_the_root_is_replaced_only_if_asked(wordnet: om.Ontology) -> None:
    jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])

    def roots(replace_root: bool) -> set[str]:
        found = [
            perturbed(jobs, wordnet, np.random.default_rng(seed), strength=0.9, replace_root=replace_root)
            for seed in range(10)
        ]
        return {copy.labels[copy.root].split(" [")[0] for copy in found}

    assert roots(False) == {"person"}
    assert len(roots(True)) > 3
    many = many_perturbed(jobs, wordnet, 8, 1, replace_root=True)
    assert len({copy.labels[copy.root] for copy in many}) > 1
