"""The worked examples of the operators, and each baseline."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.ontology.draft import Draft
from reference import Plain, ontologies

Golden = Callable[[str], om.Ontology]
PAINS = {"colic": 1, "lumbago": 3, "migraine": 2, "pain": 1, "appendicitis": 1, "gastritis": 1}
CASES = {
    ("colic", "antibiotic"): 1,
    ("lumbago", "rehabilitation"): 3,
    ("migraine", "aspirin"): 2,
    ("appendicitis", "hospitalisation"): 1,
    ("gastritis", "codeine"): 1,
    ("lumbago", "codeine"): 2,
    ("colic", "hospitalisation"): 1,
}


def test_the_weighted_centroid_of_pains(golden: Golden) -> None:
    tree = golden("conditions")
    found = om.centroid(PAINS, ontology=tree, measure="path")
    assert (found.label, found.total) == ("ache", 16)
    sums = {
        term: sum(
            om.distance(term, value, count, ontology=tree, measure="path") for value, count in PAINS.items()
        )
        for term in tree.labels
    }
    assert sums == {
        "ache": 16,
        "pain": 17,
        "lumbago": 19,
        "migraine": 21,
        "symptom": 22,
        "colic": 24,
        "inflammation": 27,
        "appendicitis": 34,
        "gastritis": 34,
    }


def test_the_plain_centroid_of_pains(golden: Golden) -> None:
    five = ["colic", "lumbago", "migraine", "appendicitis", "gastritis"]
    found = om.centroid(five, ontology=golden("conditions"), measure="path")
    assert (found.label, found.total) == ("pain", 11)


def test_the_centroid_of_two_attributes_and_its_baselines(golden: Golden) -> None:
    trees = [golden("conditions"), golden("treatments")]
    found = om.centroid(CASES, ontology=trees, measure="path")
    assert (found.label, found.total) == (("ache", "medication"), 21)
    lcs = om.centroid(CASES, ontology=trees, measure="path", strategy="lcs")
    assert (lcs.label, lcs.total) == (("symptom", "medical_care"), 30)
    mode = om.centroid(CASES, ontology=trees, measure="path", strategy="mode")
    assert mode.total == 24.5


def test_baselines_that_pick_a_record(golden: Golden) -> None:
    trees = [golden("conditions"), golden("treatments")]

    def pick(strategy: str) -> om.Centroid:
        return om.centroid(CASES, ontology=trees, measure="path", strategy=strategy)  # type: ignore[arg-type]

    assert pick("mode-record").label == ("lumbago", "rehabilitation")
    totals = {
        case: sum(om.distance(case, other, n, ontology=trees, measure="path") for other, n in CASES.items())
        for case in CASES
    }
    assert pick("medoid").total == min(totals.values())
    assert pick("random").label in CASES and pick("random") == pick("random")


def test_consensus_is_free_for_what_descends(golden: Golden) -> None:
    # lumbago for pain costs nothing (it is one), pain for lumbago costs the two links down
    found = om.centroid({"lumbago": 1, "pain": 1}, ontology=golden("conditions"), strategy="consensus")
    assert found.label == "lumbago"


def test_sort_starts_from_the_outlier(golden: Golden) -> None:
    order = om.sort(PAINS, ontology=golden("conditions"), measure="path")
    assert order[0] == "appendicitis" and order[1] == "gastritis"
    assert order.count("lumbago") == 3 and len(order) == 9
    away = [
        om.distance("appendicitis", term, ontology=golden("conditions"), measure="path") for term in order
    ]
    assert away == sorted(away)
    assert np.all(np.diff([order.index(term) for term in sorted(set(order), key=order.index)]) > 0)


def test_what_cannot_be_averaged_is_said(golden: Golden) -> None:
    with pytest.raises(OntomaskError, match="no values"):
        om.centroid([], ontology=golden("conditions"))
    with pytest.raises(OntomaskError, match="same number of terms"):
        om.centroid([("colic", "aspirin"), ("colic",)], ontology=golden("conditions"))
    with pytest.raises(OntomaskError, match="strategy 'middle' does not exist"):
        om.centroid(["colic"], ontology=golden("conditions"), strategy="middle")  # type: ignore[arg-type]


def test_confusion_counts_the_links_down_from_the_lcs() -> None:
    """a and c are below r, b below a, d below a and r, e below d."""
    edges = [("a", "r"), ("b", "a"), ("d", "a"), ("d", "r"), ("c", "r"), ("e", "d")]
    tree = Draft.from_edges("t", edges)
    # For b: d costs 1 (a -> b), c costs 2 (r -> a -> b). For d: b costs 1 (a -> d), c costs 1 (r -> d).
    # For c: each costs 1 (r -> c). So b costs 2 + 1 of 3:1:2, d costs 3 + 1, c costs 6 + 2.
    assert om.centroid({"b": 3, "c": 1, "d": 2}, ontology=tree, strategy="consensus").label == "b"
    assert om.centroid({"b": 1, "c": 2, "d": 2}, ontology=tree, strategy="consensus").label == "d"
    # e is a d: putting it for d is free.
    assert om.centroid({"b": 1, "d": 9, "e": 1}, ontology=tree, strategy="consensus").label == "e"


@given(ontologies(), st.data())
def test_consensus_equals_sets(ontology: om.Ontology, data: st.DataObject) -> None:
    plain = Plain(ontology)
    values = st.integers(0, len(ontology) - 1)
    counts = data.draw(st.dictionaries(values, st.integers(1, 4), min_size=1, max_size=5))
    cost = {a: sum(n * plain.confusion(a, b) for b, n in counts.items()) for a in counts}
    labelled = {ontology.labels[c]: n for c, n in counts.items()}
    found = om.centroid(labelled, ontology=ontology, strategy="consensus")
    assert cost[found.concepts[0]] == min(cost.values())


def test_nobody_is_confused_with_himself(wordnet: om.Ontology) -> None:
    found = om.centroid({"person": 5, "organism": 1}, ontology=wordnet, strategy="consensus")
    assert found.label == "person"


def test_the_lcs_of_one_word_is_that_word(wordnet: om.Ontology) -> None:
    assert om.centroid({"male.n.02": 4}, ontology=wordnet, strategy="lcs").label == "male"
    nurses = om.centroid(["nurse", "teacher"], ontology=wordnet, strategy="lcs")
    assert wordnet.is_below(nurses.concepts, wordnet.concept("person.n.01")).all()


def test_four_times_male_stays_male_under_mdav_lcs() -> None:
    table = pa.table({"sex": ["male"] * 4})
    plan = om.Plan.from_options(["sex:wordnet"], under=["sex:person"], k=2, method="mdav-lcs")
    assert om.anonymize(table, plan).to_arrow()["sex"].to_pylist() == ["male"] * 4


@pytest.mark.parametrize(("direct", "by_way", "nearest"), [("a", "b", "a"), ("b", "a", "b")])
def test_the_hierarchy_of_candidates_goes_up_to_every_least_common_ancestor(
    direct: str, by_way: str, nearest: str
) -> None:
    """a and b are both least above x, y and z, although b lies deeper; z is one link from one of them."""
    edges = f"a-r c-r b-c x-a x-b y-a y-b z-{direct} w-{by_way} z-w".split()
    ontology = Draft.from_edges("t", [tuple(edge.split("-")) for edge in edges])  # type: ignore[misc]
    found = om.centroid(["x", "y", "z"], ontology=ontology, measure="path")
    assert (found.label, found.total) == (nearest, 3)
