"""The worked examples of the operators, and each baseline."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import OntomaskError

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
            om.compare(term, value, count, ontology=tree, measure="path") for value, count in PAINS.items()
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
        case: sum(om.compare(case, other, n, ontology=trees, measure="path") for other, n in CASES.items())
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
    away = [om.compare("appendicitis", term, ontology=golden("conditions"), measure="path") for term in order]
    assert away == sorted(away)
    assert np.all(np.diff([order.index(term) for term in sorted(set(order), key=order.index)]) > 0)


def test_what_cannot_be_averaged_is_said(golden: Golden) -> None:
    with pytest.raises(OntomaskError, match="no values"):
        om.centroid([], ontology=golden("conditions"))
    with pytest.raises(OntomaskError, match="same number of terms"):
        om.centroid([("colic", "aspirin"), ("colic",)], ontology=golden("conditions"))
    with pytest.raises(OntomaskError, match="strategy 'middle' does not exist"):
        om.centroid(["colic"], ontology=golden("conditions"), strategy="middle")  # type: ignore[arg-type]


def test_nobody_is_confused_with_himself(wordnet: om.Ontology) -> None:
    # In a DAG the common ancestor of greatest shortest depth of a concept with itself may be another one.
    found = om.centroid({"person": 5, "organism": 1}, ontology=wordnet, strategy="consensus")
    assert found.label == "person"
