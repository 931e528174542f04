"""What measures and linking work out about an ontology is kept with it, and no longer than it."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask.measures.information import information_content
from ontomask.ontology.core import Ontology, derived
from ontomask.ontology.draft import Draft

PETS = """format-version: 1.2

[Term]
id: P:0
name: thing

[Term]
id: P:1
name: dog
def: "it barks" []
synonym: "hound" EXACT []
is_a: P:0 ! thing

[Term]
id: P:2
name: cat
def: "it purrs" []
is_a: P:0 ! thing
"""
OPTIONS: dict[str, list[dict[str, str]]] = {
    "wup": [{"convention": "nltk"}, {"convention": "ws4j"}, {}],
    "lin": [{"ic": "seco"}, {"ic": "sanchez"}],
}


def test_an_ontology_that_nobody_holds_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "pets.obo"
    path.write_text(PETS)
    pets = om.load_ontology(path)
    for name in om.MEASURES:
        for options in OPTIONS.get(name, [{}]):
            om.measure(name, **options).matrix(pets, np.arange(3), np.arange(3))
    assert om.link(["Dogs", "hond"], pets).summary() == {"normalised": 1, "suggested": 1}
    last_seen = weakref.ref(pets)
    del pets
    gc.collect()
    assert last_seen() is None


def test_what_is_derived_is_worked_out_once_for_each_ontology_and_key() -> None:
    built: list[tuple[str, int]] = []

    @derived
    def times(ontology: Ontology, factor: int) -> int:
        built.append((ontology.name, factor))
        return factor * len(ontology)

    two = Draft.from_edges("two", [("a", "r")])
    three = Draft.from_edges("three", [("a", "r"), ("b", "r")])
    assert [times(two, 1), times(three, 1), times(two, 5), times(two, 1)] == [2, 3, 10, 2]
    assert built == [("two", 1), ("three", 1), ("two", 5)]


def test_an_ontology_with_further_leaves_derives_its_own() -> None:
    tree = Draft.from_edges("tree", [("a", "r")])
    assert len(information_content(tree, "seco")) == 2
    assert len(information_content(tree.with_leaves(["b"]), "seco")) == 3
