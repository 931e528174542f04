"""What is wrong with a graph is said with its place."""

from __future__ import annotations

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.draft import Draft


def draft_of(edges: dict[str, list[str]]) -> Draft:
    draft = Draft("t", "tree.txt")
    for line, child in enumerate(edges, 1):
        draft.concept(child, child, line)
    for line, (child, parents) in enumerate(edges.items(), 1):
        for parent in parents:
            draft.is_a(child, parent, line)
    return draft


def test_duplicate_id_names_both_lines() -> None:
    draft = draft_of({"a": []})
    with pytest.raises(
        OntologyError, match=r"tree.txt, line 9: the id 'a' is used twice \(first: tree.txt, line 1\)"
    ):
        draft.concept("a", "again", 9)


def test_dangling_parent_names_line_and_count() -> None:
    with pytest.raises(OntologyError, match=r"line 2: 'b' is-a 'x', but 'x' is not defined \(2 such links"):
        draft_of({"a": [], "b": ["x"], "c": ["y"]}).finish()


def test_cycle_is_spelt_out() -> None:
    with pytest.raises(OntologyError, match=r"form a cycle: 'b' is-a 'c' is-a 'b' \(tree.txt, line 2\)"):
        draft_of({"a": [], "b": ["c"], "c": ["b", "a"]}).finish()


def test_a_concept_below_itself_is_a_cycle() -> None:
    with pytest.raises(OntologyError, match=r"cycle: 'b' is-a 'b'"):
        draft_of({"a": [], "b": ["a", "b"]}).finish()


def test_no_root_at_all() -> None:
    with pytest.raises(OntologyError, match="there is no root; a cycle: 'a' is-a 'b' is-a 'a'"):
        draft_of({"a": ["b"], "b": ["a"]}).finish()


def test_nothing_at_all() -> None:
    with pytest.raises(OntologyError, match=r"tree.txt: no concepts found"):
        Draft("t", "tree.txt").finish()


def test_several_roots_get_a_virtual_one_and_a_note() -> None:
    ontology = draft_of({"a": [], "b": [], "c": ["b"]}).finish()
    assert ontology.virtual_root and ontology.labels[0] == "*"
    assert list(ontology.ids) == ["*", "a", "b", "c"]
    assert "2 concepts have nothing above them" in ontology.notes[0]
    assert ontology.shortest_depth.tolist() == [0, 1, 1, 2]


def test_a_link_said_twice_counts_once() -> None:
    ontology = draft_of({"a": [], "b": ["a", "a"]}).finish()
    assert ontology.parents[1].tolist() == [0]


def test_preferred_labels_come_before_synonyms_among_senses() -> None:
    draft = draft_of({"a": [], "b": ["a"], "c": ["a"]})
    draft.term("b", "c")
    ontology = draft.finish()
    assert [ontology.ids[c] for c in ontology.senses_of("c")] == ["c", "b"]


def test_types_and_relations() -> None:
    draft = draft_of({"a": [], "b": ["a"], "c": ["a"]})
    draft.semantic_type("b", "Disease")
    draft.relation("causes", "b", "c")
    draft.relation("causes", "b", "nowhere")
    ontology = draft.finish()
    assert ontology.semantic_types(1) == ["Disease"] and ontology.semantic_types(0) == []
    assert ontology.relations["causes"][1].tolist() == [2]


def test_the_digest_is_of_the_content_not_of_the_order_read() -> None:
    one = draft_of({"a": [], "b": ["a"], "c": ["a"]}).finish()
    other = draft_of({"c": ["a"], "b": ["a"], "a": []}).finish()
    different = draft_of({"a": [], "b": ["a"], "c": ["b"]}).finish()
    assert one.digest == other.digest != different.digest
