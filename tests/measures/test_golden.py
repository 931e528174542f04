"""Published figures: the distance table of disorders, the GSL transitions, similarity against people."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import spearmanr

import ontomask as om
from conftest import GOLDEN, ROOT
from ontomask.ontology.catalog import SHIPPED
from ontomask.ontology.storage import read_ontology

DISORDERS = ["asbestosis", "amyotrophia", "myofibrosis", "allergy", "squint", "degenerative disorder"]
TRANSITIONS = {
    ("math teacher", "teacher"): 0.0400,
    ("math teacher", "education.n.04"): 0.8261,
    ("math teacher", "occupation"): 0.8095,
    ("ophthalmologist", "medical practitioner"): 0.1111,
    ("ophthalmologist", "doctor"): 0.0714,
}


@pytest.mark.parametrize(
    ("row", "printed"),
    [
        ("asbestosis", [0, 0.68, 0.68, 0.85, 0.85, 0.42]),
        ("amyotrophia", [0.68, 0, 0.49, 0.87, 0.87, 0.58]),
        ("allergy", [0.85, 0.87, 0.87, 0, 0.58, 0.81]),
    ],
)
def test_distance_table_of_disorders(
    golden: Callable[[str], om.Ontology], row: str, printed: list[float]
) -> None:
    tree = golden("disorders")
    found = om.measure("logsc").matrix(tree, tree.concepts([row]), tree.concepts(DISORDERS))
    assert found.round(2).tolist() == [printed]


@pytest.mark.parametrize(("pair", "printed"), TRANSITIONS.items())
def test_generalisation_transitions(wordnet: om.Ontology, pair: tuple[str, str], printed: float) -> None:
    leaf, ancestor = map(wordnet.concept, pair)
    assert round(1 - wordnet.similarity(leaf, ancestor, measure="wup", convention="ws4j"), 4) == printed


def test_all_levels_of_the_occupation_hierarchy(
    wordnet: om.Ontology, golden: Callable[[str], om.Ontology]
) -> None:
    """LevelGSL(i): mean of 1 - wup from every leaf to its ancestor at level i, padded at the leaf."""
    vgh = golden("occupation_vgh")
    meant = [wordnet.concept("education.n.04" if label == "education" else label) for label in vgh.labels]
    height = int(vgh.longest_depth.max())
    wup = om.measure("wup", convention="ws4j").matrix(wordnet, meant, meant)
    levels = np.zeros(height)
    leaves = np.flatnonzero(vgh.is_leaf)
    for leaf in leaves:
        way = vgh.shortest_way(int(leaf), 0)
        way = [way[0]] * (height + 1 - len(way)) + way
        levels += [wup[leaf, ancestor] for ancestor in way[1:]]
    levels /= len(leaves)
    assert levels.round(4).tolist() == [0.1205, 0.3261, 0.8053]
    assert round(levels.mean(), 4) == 0.4173


# ---------------------------------------------------------------- similarity against people (7.4)


def rated(name: str) -> dict[tuple[str, str], float]:
    """Pairs of nouns and how alike people find them: Miller & Charles 1991, Rubenstein & Goodenough 1965."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        return {(row["first"], row["second"]): float(row["rating"]) for row in csv.DictReader(file)}


def agreement(wordnet: om.Ontology, name: str, measure: str) -> float:
    """Pearson's correlation of ratings with nearness, the nearest senses of each pair."""
    pairs = rated(name)
    distances = [wordnet.distance(a, b, measure=measure) for a, b in pairs]
    return round(-float(np.corrcoef(list(pairs.values()), distances)[0, 1]), 2)


@pytest.mark.parametrize(("measure", "pearson"), [("logsc", 0.81), ("lch", 0.78), ("path", 0.64)])
def test_similarity_against_people(wordnet: om.Ontology, measure: str, pearson: float) -> None:
    assert agreement(wordnet, "miller_charles", measure) == pearson


@pytest.mark.parametrize("measure", om.MEASURES)
def test_the_page_tells_how_every_measure_agrees_with_people(wordnet: om.Ontology, measure: str) -> None:
    page = (ROOT / "docs" / "explanation" / "measures.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{measure}` \| (0\.\d\d) \| (0\.\d\d) \|$", page, re.MULTILINE)
    assert row, f"{measure} is not in the table"
    sets = ("miller_charles", "rubenstein_goodenough")
    assert [float(figure) for figure in row.groups()] == [agreement(wordnet, one, measure) for one in sets]


def test_no_measure_changes_what_another_says() -> None:
    own = read_ontology(SHIPPED, shipped=True)  # with nothing computed yet
    pairs = [("car", "journey"), ("food", "fruit"), ("glass", "magician")]

    def said() -> dict[str, list[float]]:
        return {m: [own.distance(a, b, measure=m) for a, b in pairs] for m in om.MEASURES}

    assert said() == said()


def test_two_groups_of_people_agree_on_the_pairs_they_share() -> None:
    few, many = rated("miller_charles"), rated("rubenstein_goodenough")
    assert (len(few), len(many)) == (30, 65)
    assert list(many.values()) == sorted(many.values()) and max(many.values()) <= 4
    either_way = {frozenset(pair): rating for pair, rating in many.items()}
    either_way[frozenset(("chord", "smile"))] = many["cord", "smile"]  # as Miller and Charles spell it
    again = [either_way[frozenset(pair)] for pair in few]
    assert spearmanr(list(few.values()), again).statistic > 0.9
