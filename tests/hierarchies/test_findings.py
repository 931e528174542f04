"""What is to be looked at in a hierarchy: found on the paper's example, and told once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ontomask import Links, Ontology, measure
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.findings import BANDS, Findings, findings_of, in_words, score_in_words
from ontomask.hierarchies.gsl import Gsl, linked_nodes

ROWS = [
    ["math teacher", "teacher", "education", "occupation"],
    ["surgeon", "medical practitioner", "doctor", "occupation"],
    ["ophthalmologist", "medical practitioner", "doctor", "occupation"],
    ["optician", "medical practitioner", "doctor", "occupation"],
    ["zzwx", "qqwx", "trainer", "occupation"],
    ["tamer", "qqwx", "trainer", "occupation"],
]


def judged(wordnet: Ontology, rows: list[list[str]]) -> tuple[Gsl, Links]:
    tree = Hierarchy.from_rows("jobs", rows)
    links = linked_nodes(tree, wordnet, senses="first", mapping={"education": "education.n.04"})
    return Gsl(tree, wordnet, links.concepts), links


@pytest.fixture(scope="module")
def found(wordnet: Ontology) -> Findings:
    return findings_of(*judged(wordnet, ROWS))


def test_a_node_at_the_wrong_level_is_told_once_with_its_values(found: Findings) -> None:
    fall = next(fall for fall in found.falls if fall.lower == "medical practitioner")
    assert fall.upper == "doctor"
    assert {low.value: (round(low.loss, 4), round(up.loss, 4)) for low, up in fall.falls} == {
        "surgeon": (0.0769, 0.0370),
        "ophthalmologist": (0.1111, 0.0714),
    }
    assert [(one.lower, one.upper) for one in found.falls] == [
        ("medical practitioner", "doctor"),
        ("education", "occupation"),
    ]


def test_labels_that_are_not_above_what_stands_below_them(found: Findings) -> None:
    assert {one.label: [label for label, _ in one.below] for one in found.not_is_a} == {
        "education": ["teacher"],
        "medical practitioner": ["optician"],
        "doctor": ["medical practitioner"],
        "occupation": ["doctor", "trainer"],
    }


def test_what_has_no_concept_and_what_stands_in_for_it(found: Findings) -> None:
    told = {one.label: (one.is_value, one.counts_as) for one in found.unknown}
    assert told == {"zzwx": (True, None), "qqwx": (False, "tamer.n.01")}


def test_the_worst_transitions_come_first_and_once(wordnet: Ontology, found: Findings) -> None:
    assert [one.loss for one in found.worst] == sorted((one.loss for one in found.worst), reverse=True)
    assert (found.worst[0].value, found.worst[0].label) in {
        ("math teacher", "education"),
        ("ophthalmologist", "occupation"),
    }
    assert found.worst[0].loss == pytest.approx(0.8261, abs=1e-4)
    padded = [["nun", "person", "person"], ["tamer", "tamer", "person"]]
    twice = findings_of(*judged(wordnet, padded))
    assert [(one.value, one.label, one.level) for one in twice.worst] == [
        ("tamer", "person", 2),
        ("nun", "person", 1),
    ]
    assert len(findings_of(*judged(wordnet, ROWS), worst=3).worst) == 3


def test_doubtful_links_are_told_the_least_sure_first(wordnet: Ontology) -> None:
    tree = Hierarchy.from_rows("t", [["bank", "thing"], ["bat", "thing"], ["spring", "thing"]])
    links = linked_nodes(tree, wordnet)
    doubts = findings_of(Gsl(tree, wordnet, links.concepts), links).doubts
    assert doubts and [one.score for one in doubts] == sorted(one.score for one in doubts)
    assert all(one.score < 0.6 and one.others and one.gloss for one in doubts)


def test_words_are_said_of_what_was_found_only(wordnet: Ontology, found: Findings) -> None:
    told = dict(in_words(found))
    assert "medical practitioner below doctor: surgeon 0.0769 -> 0.0370" in "\n".join(
        line for lines in told.values() for line in lines
    )
    assert "zzwx" in told["Values that are left out, for they have no concept"][0]
    good = findings_of(*judged(wordnet, [["surgeon", "doctor", "person"], ["nun", "nun", "person"]]))
    assert list(dict(in_words(replace(good, doubts=())))) == ["Labels that lose most"]


def test_bands_are_those_of_the_printed_scores(wordnet: Ontology) -> None:
    def word(score: float) -> str:
        return next(name for upto, name, _ in BANDS if score <= upto)

    printed = [0.0491, 0.1810, 0.2027, 0.3583, 0.4397, 0.6856]
    assert [word(score) for score in printed] == ["very good", "good", "middling", "middling", "poor", "poor"]
    assert word(0.9) == "very poor"
    gsl, _ = judged(wordnet, ROWS)
    assert score_in_words(gsl).startswith("middling")
    for other in (
        replace(gsl, measure=measure("wup")),
        replace(gsl, measure=measure("logsc")),
        replace(gsl, aggregate="max"),
        replace(gsl, weighting="level"),
    ):
        assert score_in_words(other) == ""


@given(st.data())
def test_an_ontologys_own_paths_have_no_fault(wordnet: Ontology, data: st.DataObject) -> None:
    """Every label above another is a concept above it, so nothing is found."""
    concepts = data.draw(st.lists(st.integers(1, len(wordnet) - 1), min_size=1, max_size=5, unique=True))
    rows = []
    for concept in concepts:
        rows.append([wordnet.ids[concept]])
        while concept:
            assume(len(wordnet.parents[concept]) == 1)  # a shorter way up would make the loss fall
            concept = int(wordnet.parents[concept][0])
            rows[-1].append(wordnet.ids[concept])
    tree = Hierarchy.from_rows("t", rows)
    links = linked_nodes(tree, wordnet)
    found = findings_of(Gsl(tree, wordnet, links.concepts, measure("path")), links)
    assert found.not_is_a == found.unknown == found.doubts == () and set(dict(in_words(found))) <= {
        "Labels that lose most"
    }


def test_what_is_lost_at_the_root_and_less_than_usual_need_not_be_told(wordnet: Ontology) -> None:
    gsl, links = judged(wordnet, ROWS)
    every = findings_of(gsl, links, worst=1000).worst
    root = gsl.hierarchy.labels[gsl.hierarchy.root]
    unusual = findings_of(gsl, worst=1000, only_unusual=True)
    assert unusual.worst == tuple(one for one in every if one.label != root and one.loss > gsl.score)
    assert unusual.worst
    assert (unusual.unknown, unusual.doubts) == ((), ())
