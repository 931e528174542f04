"""Each measure on a tree small enough to draw, the expected value written as its formula.

                thing
              /       \\
          animal     plant
         /      \\
       dog      cat      (dog: "dog", "hound"; cat: "cat", "hound"!)
"""

from __future__ import annotations

from math import hypot, log, log2
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import MeasureError
from ontomask.measures.base import on_grid
from ontomask.measures.information import information_content, sanchez
from ontomask.ontology.draft import Draft


def build(glosses: bool = True) -> om.Ontology:
    draft = Draft("pets")
    for name in ("thing", "animal", "plant", "dog", "cat"):
        draft.concept(name, name)
    for child, parent in (("animal", "thing"), ("plant", "thing"), ("dog", "animal"), ("cat", "animal")):
        draft.is_a(child, parent)
    draft.term("dog", "hound")
    draft.term("cat", "hound")
    draft.relation("has-part", "dog", "plant")  # nonsense, but a part
    if glosses:
        draft.gloss("dog", "barks and runs")
        draft.gloss("cat", "purrs and runs")
        draft.gloss("plant", "grows")
    return draft.finish()


PETS = build()


def similarity(a: str, b: str, name: str, **options: object) -> float:
    return PETS.similarity(PETS.concept(a), PETS.concept(b), measure=name, **options)


def distance(a: str, b: str, name: str, **options: object) -> float:
    return PETS.distance(PETS.concept(a), PETS.concept(b), measure=name, **options)


def test_path() -> None:
    assert distance("dog", "plant", "path") == 3
    assert similarity("dog", "plant", "path") == 1 / (1 + 3)


def test_lch() -> None:
    depth_in_nodes = 3
    assert similarity("dog", "plant", "lch") == pytest.approx(-log((3 + 1) / (2 * depth_in_nodes)))
    assert similarity("dog", "dog", "lch") == pytest.approx(log(2 * depth_in_nodes))
    assert distance("dog", "plant", "lch") == pytest.approx(log(4), abs=1e-9)
    assert similarity("dog", "plant", "lch", convention="nltk") == pytest.approx(-log(4 / (2 * 2)))


def test_wup() -> None:
    assert similarity("dog", "cat", "wup") == 2 * 1 / (1 + 1 + 2 * 1)
    assert similarity("dog", "plant", "wup") == 0
    assert similarity("dog", "cat", "wup", convention="nltk") == 2 * 2 / (1 + 1 + 2 * 2)
    assert similarity("dog", "cat", "wup", convention="ws4j") == 2 * 3 / (4 + 4)
    assert similarity("thing", "thing", "wup") == 1


def test_wup_where_two_ways_lead_to_the_root() -> None:
    """N1, N2 along the shortest ways, N3 along the longest.

    thing <- cause <- person <- nurse          saint is a hermit and, at once, a person;
    thing <- whole <- organism <- person       hermit is a person; oak is an organism
    """
    edges = [
        ("cause", "thing"),
        ("whole", "thing"),
        ("organism", "whole"),
        ("person", "cause"),
        ("person", "organism"),
        ("nurse", "person"),
        ("hermit", "person"),
        ("saint", "hermit"),
        ("saint", "person"),
        ("oak", "organism"),
    ]
    beings = Draft.from_edges("beings", edges)

    def wup(a: str, b: str) -> float:
        return beings.similarity(a, b, measure="wup")

    assert wup("nurse", "saint") == 2 * 3 / (1 + 1 + 2 * 3)
    assert wup("nurse", "person") == 2 * 3 / (1 + 0 + 2 * 3)
    assert wup("person", "organism") == 2 * 2 / (1 + 0 + 2 * 2)
    assert wup("nurse", "oak") == 2 * 2 / (2 + 1 + 2 * 2)
    assert wup("nurse", "saint") > wup("nurse", "oak")


@pytest.mark.parametrize(
    ("low", "high", "expected"), [("a", "b", 12 / (1 + 0 + 12)), ("b", "a", 8 / (3 + 2 + 8))]
)
def test_wup_as_nltk_where_a_concept_is_no_deeper_than_its_ancestor(
    low: str, high: str, expected: float
) -> None:
    """By shortest ways `low` and `high` are both 3 links below the root: the earlier name is the LCS.

    root <- h1 <- h2 <- high <- middle <- low <- leaf         (root <- side <- middle)
    """
    edges = [("h1", "root"), ("h2", "h1"), (high, "h2"), ("middle", high)]
    edges += [("side", "root"), ("middle", "side"), (low, "middle"), ("leaf", low)]
    ontology = Draft.from_edges("chain", edges)
    found = ontology.similarity("leaf", low, measure="wup", convention="nltk")
    assert found == pytest.approx(expected)


def test_wup_as_nltk_where_a_shortcut_passes_over_the_lcs() -> None:
    """root <- top <- lcs <- b <- c <- low, and top <- low: 3 links straight up to the lcs, 2 over the top."""
    edges = [("top", "root"), ("lcs", "top"), ("b", "lcs"), ("c", "b"), ("low", "c"), ("low", "top")]
    ontology = Draft.from_edges("shortcut", [*edges, ("other", "lcs")])
    found = ontology.similarity("low", "other", measure="wup", convention="nltk")
    assert found == pytest.approx(2 * 3 / (2 + 1 + 2 * 3))
    assert ontology.similarity("low", "other", measure="wup") == pytest.approx(2 * 2 / (3 + 1 + 2 * 2))


def test_logsc() -> None:
    assert distance("dog", "cat", "logsc") == pytest.approx(log2(1 + (4 - 2) / 4), abs=1e-9)
    assert similarity("dog", "cat", "logsc") == pytest.approx(1 - log2(1.5), abs=1e-9)


def test_information_content() -> None:
    seco = information_content(PETS, "seco")
    assert seco[PETS.concept("thing")] == 0
    assert seco[PETS.concept("animal")] == pytest.approx(1 - log(3) / log(5))
    assert seco[PETS.concept("dog")] == 1
    leaves = sanchez(PETS)
    assert leaves[PETS.concept("animal")] == pytest.approx(-log((2 / 2 + 1) / (3 + 1)))
    assert leaves[PETS.concept("dog")] == pytest.approx(-log((0 / 3 + 1) / (3 + 1)))


def test_resnik_lin_jcn() -> None:
    animal = 1 - log(3) / log(5)
    assert similarity("dog", "cat", "resnik") == pytest.approx(animal)
    assert distance("dog", "cat", "resnik") == pytest.approx(1 - animal, abs=1e-9)
    assert similarity("dog", "cat", "lin") == pytest.approx(2 * animal / (1 + 1))
    assert distance("dog", "cat", "lin") == pytest.approx(1 - 2 * animal / (1 + 1), abs=1e-9)
    assert distance("dog", "cat", "jcn") == pytest.approx(1 + 1 - 2 * animal, abs=1e-9)
    assert similarity("dog", "cat", "jcn") == pytest.approx(1 / (1 + 1 + 1 - 2 * animal), abs=1e-9)


def test_measures_take_their_content_from_where_they_are_told() -> None:
    animal, dog = -log((2 / 2 + 1) / (3 + 1)), -log((0 / 3 + 1) / (3 + 1))
    assert similarity("dog", "cat", "resnik", ic="sanchez") == pytest.approx(animal)
    assert similarity("dog", "animal", "lin", ic="sanchez") == pytest.approx(2 * animal / (dog + animal))
    assert om.measure("resnik", ic="sanchez").maximum(PETS) == pytest.approx(dog)
    assert om.measure("jcn", ic="sanchez").maximum(PETS) == pytest.approx(dog + dog)


def test_the_root_of_two_concepts_tells_nothing() -> None:
    two = Draft.from_edges("two", [("a", "r")])
    assert information_content(two, "seco").tolist() == pytest.approx(
        [1 - log(2) / log(2), 1 - log(1) / log(2)]
    )


def test_corpus_counts_are_propagated_and_zero_counts_once(tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("concept,count\ndog,6\nanimal,2\nplant,2\n")
    ic = information_content(PETS, str(counts))
    assert ic[PETS.concept("thing")] == 0
    assert ic[PETS.concept("animal")] == pytest.approx(-log(8 / 10))
    assert ic[PETS.concept("dog")] == pytest.approx(-log(6 / 10))
    assert ic[PETS.concept("cat")] == pytest.approx(-log(1 / 10))
    counts.write_text("dog;6\n")
    with pytest.raises(MeasureError, match=r"line 1: expected `concept,count`"):
        om.measure("lin", ic=str(counts)).matrix(PETS, [0], [1])
    with pytest.raises(MeasureError, match="cannot read the corpus counts"):
        om.measure("lin", ic=str(tmp_path / "nowhere")).matrix(PETS, [0], [1])


def test_tversky() -> None:
    # terms of dog and its neighbour: {dog, hound, animal}; of cat: {cat, hound, animal}; equal depth: g = 1/2
    assert similarity("dog", "cat", "tversky") == pytest.approx(2 / (2 + 0.5 * 1 + 0.5 * 1))
    # animal: {animal, thing, dog, hound, cat}, depth 1; dog at depth 2: g = 1/3
    assert similarity("animal", "dog", "tversky") == pytest.approx(3 / (3 + 1 / 3 * 2 + 2 / 3 * 0))
    # the other way round dog is the deeper one: g = 1 - 2/3
    assert similarity("dog", "animal", "tversky") == pytest.approx(3 / (3 + 1 / 3 * 0 + 2 / 3 * 2))
    # thing: {thing, animal, plant}, depth 0: g = 0, so only what the other has besides counts
    assert similarity("thing", "animal", "tversky") == pytest.approx(2 / (2 + 0 * 1 + 1 * 3))


def test_rodriguez() -> None:
    synsets = 1 / (1 + 0.5 + 0.5)  # {dog, hound} and {cat, hound}
    neighbourhoods = 1.0  # both have {animal}
    features = 0.0  # {plant} and nothing
    assert similarity("dog", "cat", "rodriguez") == pytest.approx((synsets + features + neighbourhoods) / 3)
    # neither animal nor cat has parts: two halves
    disjoint_terms, neighbours = 0.0, 0.0
    assert similarity("animal", "cat", "rodriguez") == pytest.approx((disjoint_terms + neighbours) / 2)
    with pytest.raises(MeasureError, match="sum to 1"):
        om.measure("rodriguez", synsets=0.9)
    with pytest.raises(MeasureError, match="sum to 1"):
        om.measure("rodriguez", synsets=0.1)
    with pytest.raises(MeasureError, match="must be >= 0"):
        om.measure("rodriguez", synsets=-0.5, features=0.5, neighbourhoods=1.0)
    with pytest.raises(MeasureError, match="features alone not 1"):
        om.measure("rodriguez", synsets=0, features=1, neighbourhoods=0)


def test_rodriguez_gives_each_part_its_own_weight() -> None:
    """cow and ox are both bovine; both have horns, the cow an udder; they share one of three names."""
    draft = Draft("farm")
    for name in ("thing", "bovine", "horn", "udder", "cow", "ox"):
        draft.concept(name, name)
        if name != "thing":
            draft.is_a(name, "bovine" if name in ("cow", "ox") else "thing")
    for name, term in (("cow", "cattle"), ("ox", "cattle"), ("ox", "bullock")):
        draft.term(name, term)
    for whole, part in (("cow", "horn"), ("cow", "udder"), ("ox", "horn")):
        draft.relation("has-part", whole, part)
    farm = draft.finish()
    weights = {"synsets": 0.5, "features": 0.3, "neighbourhoods": 0.2}
    synsets = 1 / (1 + 0.5 * 1 + 0.5 * 2)  # {cow, cattle} and {ox, cattle, bullock}
    features = 1 / (1 + 0.5 * 1 + 0.5 * 0)  # {horn, udder} and {horn}
    neighbourhoods = 1.0  # {bovine} and {bovine}
    expected = 0.5 * synsets + 0.3 * features + 0.2 * neighbourhoods
    assert farm.similarity("cow", "ox", measure="rodriguez", **weights) == pytest.approx(expected)
    # thing and bovine have no parts: the weights of the other two share theirs; depth 0: g = 0
    synsets, neighbourhoods = 0.0, 0 / (0 + 0 * 3 + 1 * 3)  # {bovine, horn, udder} and {thing, cow, ox}
    expected = (0.5 * synsets + 0.2 * neighbourhoods) / (0.5 + 0.2)
    assert farm.similarity("thing", "bovine", measure="rodriguez", **weights) == pytest.approx(expected)
    # horn and udder: neither has a part or a shared name; both have {thing} around them
    expected = (0.5 * 0 + 0.2 * 1) / (0.5 + 0.2)
    assert farm.similarity("horn", "udder", measure="rodriguez", **weights) == pytest.approx(expected)


def test_petrakis() -> None:
    assert similarity("dog", "cat", "petrakis") == 1  # the synsets share "hound"
    # animal {thing, dog, hound, cat} around it, plant {thing}: is-a 1/4; no gloss in common; no shared part
    assert similarity("animal", "plant", "petrakis") == pytest.approx(1 / 4)


def test_vector() -> None:
    # glosses of the concept and its neighbours; "and", "runs" in two of five documents, "barks" in one
    shared, own = log(5 / 2), log(5 / 1)
    expected = 2 * shared**2 / (2 * shared**2 + own**2)
    assert similarity("dog", "cat", "vector") == pytest.approx(expected)


def test_vector_counts_the_glosses_of_neighbours() -> None:
    """dog and cat are animals; an animal "lives"; dog "barks barks", cat has no gloss."""
    draft = Draft("gloss")
    for name, gloss in (
        ("thing", ""),
        ("animal", "lives"),
        ("dog", "barks barks"),
        ("cat", ""),
        ("oak", "grows"),
    ):
        draft.concept(name, name)
        draft.gloss(name, gloss)
    for child, parent in (("animal", "thing"), ("oak", "thing"), ("dog", "animal"), ("cat", "animal")):
        draft.is_a(child, parent)
    ontology = draft.finish()

    def vector(a: str, b: str) -> float:
        return ontology.similarity(a, b, measure="vector")

    idf = log(5 / 1)  # every word is in one of five glosses
    # dog: lives, barks twice; cat: lives
    assert vector("dog", "cat") == pytest.approx(idf * idf / (idf * hypot(idf, 2 * idf)))
    # animal: lives and, from below, barks twice: the same as dog
    assert vector("dog", "animal") == pytest.approx(1)
    # thing: lives, grows
    assert vector("thing", "dog") == pytest.approx(idf * idf / (hypot(idf, idf) * hypot(idf, 2 * idf)))
    assert vector("cat", "oak") == 0


def test_equality() -> None:
    assert (similarity("dog", "dog", "equality"), similarity("dog", "cat", "equality")) == (1, 0)


def test_what_an_ontology_lacks_is_said() -> None:
    bare = Draft.from_edges("bare", [("a", "r"), ("b", "r")])
    for name in ("tversky", "rodriguez", "petrakis"):
        with pytest.raises(MeasureError, match=f"{name} compares synonyms, and bare has none"):
            om.measure(name).matrix(bare, [1], [2])
    for name in ("petrakis", "vector"):
        with pytest.raises(MeasureError, match=f"{name} compares glosses, and pets has none"):
            om.measure(name).matrix(build(glosses=False), [1], [2])


def test_names_and_options_are_checked() -> None:
    with pytest.raises(MeasureError, match=r"'logsk' does not exist: use path, lch"):
        om.measure("logsk")
    with pytest.raises(MeasureError, match="logsc has no option 'convention'"):
        om.measure("logsc", convention="nltk")
    with pytest.raises(MeasureError, match=r"convention 'perl' does not exist: use links, ws4j, nltk"):
        om.measure("wup", convention="perl")
    assert {m.name for m in map(om.measure, om.MEASURES)} == set(om.MEASURES)


def test_greatest_distances() -> None:
    """What losing a value costs: on a path, up from the deepest concept (2 links) and down again."""
    greatest = {
        name: om.measure(name).maximum(PETS) for name in ("path", "lch", "resnik", "jcn", "wup", "vector")
    }
    assert greatest == pytest.approx(
        {"path": 2 + 2, "lch": log(2 + 2 + 1), "resnik": 1, "jcn": 1 + 1, "wup": 1, "vector": 1}
    )
    alone = Draft("alone")
    alone.concept("r", "root")
    only = alone.finish()
    assert om.measure("path").maximum(only) == 1
    assert om.measure("lch").maximum(only) == pytest.approx(log(1 + 1))


def test_what_measures_say_of_themselves() -> None:
    assert {name for name, kind in om.MEASURES.items() if kind.is_metric} == {"logsc", "equality"}
    assert {name for name, kind in om.MEASURES.items() if not kind.bounded} == {
        "path",
        "lch",
        "resnik",
        "jcn",
    }


def test_the_grid() -> None:
    assert on_grid(np.array([1 / 3, 1.0])).tolist() == [round(2**30 / 3) / 2**30, 1.0]
