"""GSL: the published table to four digits, formulas on a tree small enough to draw, and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import GOLDEN
from ontomask import Ontology, OntomaskError, measure
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.gsl import Gsl, linked_nodes, vgh_set_gsl
from ontomask.ontology.draft import Draft
from ontomask.ontology.formats.nested import NO_CONCEPT

#        symptom
#        /     \
#     pain   inflammation
#     /  \         \
#  colic  ache    gastritis
SYMPTOMS = Draft.from_edges(
    "symptoms",
    [
        ("pain", "symptom"),
        ("inflammation", "symptom"),
        ("colic", "pain"),
        ("ache", "pain"),
        ("gastritis", "inflammation"),
    ],
)
TREE = Hierarchy.from_rows(
    "t",
    [
        ["colic", "pain", "symptom"],
        ["ache", "pain", "symptom"],
        ["gastritis", "inflammation", "symptom"],
    ],
)
PATH = measure("path")


def judged(rows: list[list[str]], **options: Any) -> Gsl:
    tree = Hierarchy.from_rows("t", rows)
    return Gsl(tree, SYMPTOMS, linked_nodes(tree, SYMPTOMS).concepts, PATH, **options)


def walk(tree: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[list[str]]:
    for label, below in tree.items():
        if below:
            yield from walk(below, (label, *above))
        else:
            yield [label, *above]


# ---------------------------------------------------------------------- the paper


def test_published_table_3(wordnet: Ontology) -> None:
    rows = list(walk(yaml.safe_load((GOLDEN / "occupation_vgh.yaml").read_text())))
    jobs = Hierarchy.from_rows("occupation", rows)
    links = linked_nodes(jobs, wordnet, senses="first", mapping={"education": "education.n.04"})
    gsl = Gsl(jobs, wordnet, links.concepts, measure("wup", convention="ws4j"))
    printed = {
        "math teacher": [0.0400, 0.8261, 0.8095],
        "music teacher": [0.0400, 0.8261, 0.8095],
        "surgeon": [0.0769, 0.0370, 0.8182],
        "ophthalmologist": [0.1111, 0.0714, 0.8261],
        "optician": [0.3043, 0.3333, 0.7895],
        "optometrist": [0.3043, 0.3333, 0.7895],
        "tamer": [0.0435, 0.0909, 0.8000],
        "baseball coach": [0.0435, 0.0909, 0.8000],
    }
    assert dict(zip(jobs.values, gsl.transitions.T.round(4).tolist(), strict=True)) == printed
    assert gsl.levels.round(4).tolist() == [0.1205, 0.3261, 0.8053]
    assert round(gsl.score, 4) == 0.4173


# ---------------------------------------------------------------------- the formulas


def test_formulas_on_a_drawn_tree() -> None:
    gsl = judged(TREE.rows())
    assert gsl.transitions.tolist() == [[1, 1, 1], [2, 2, 2]]
    crossed = [["colic", "inflammation", "symptom"], ["ache", "pain", "symptom"]]
    gsl = judged(crossed)
    assert gsl.transitions.tolist() == [[3, 1], [2, 2]]
    assert gsl.levels.tolist() == [(3 + 1) / 2, 2]
    assert gsl.score == 1 / 2 * 2 + 1 / 2 * 2
    assert judged(crossed, aggregate="max").levels.tolist() == [3, 2]
    weighted = judged(crossed, aggregate="max", weighting="level")
    assert weighted.weights.tolist() == [2 / 3, 1 / 3]
    assert weighted.score == pytest.approx(2 / 3 * 3 + 1 / 3 * 2)


def test_a_padded_step_loses_nothing_and_counts() -> None:
    gsl = judged([["colic", "pain", "symptom"], ["gastritis", "gastritis", "symptom"]])
    assert gsl.transitions.tolist() == [[1, 0], [2, 2]]
    assert gsl.levels.tolist() == [(1 + 0) / 2, 2]


def test_a_set_of_hierarchies() -> None:
    assert vgh_set_gsl([0.2, 0.4, 0.9]) == pytest.approx((0.2 + 0.4 + 0.9) / 3)
    assert vgh_set_gsl([0.2, 0.4], [1, 3]) == pytest.approx((1 * 0.2 + 3 * 0.4) / 2)


# ---------------------------------------------------------------------- what has no concept


def test_a_label_without_a_concept_counts_as_what_its_values_have_in_common() -> None:
    gsl = judged([["colic", "hurting", "*"], ["ache", "hurting", "*"], ["gastritis", "gastritis", "*"]])
    tree = gsl.hierarchy
    assert SYMPTOMS.labels[gsl.meanings[tree.node("hurting")]] == "pain"
    assert SYMPTOMS.labels[gsl.meanings[tree.node("*")]] == "symptom"
    assert gsl.transitions.tolist() == [[1, 1, 0], [2, 2, 2]]


def test_a_value_without_a_concept_is_left_out() -> None:
    gsl = judged([["colic", "pain", "symptom"], ["zzz", "yyy", "symptom"]])
    assert gsl.is_judged.tolist() == [True, False]
    assert gsl.meanings[gsl.hierarchy.node("yyy")] == -1
    assert gsl.levels.tolist() == [1, 2] and np.isnan(gsl.transitions[:, 1]).all()


def test_no_value_with_a_concept_is_an_error() -> None:
    with pytest.raises(OntomaskError, match=r"no value of the hierarchy t is a concept of symptoms.*mapping"):
        judged([["1", "pain"], ["2", "pain"]])


@pytest.mark.parametrize("option", [{"aggregate": "median"}, {"weighting": "heavy"}])
def test_unknown_options_are_told(option: dict[str, str]) -> None:
    with pytest.raises(OntomaskError, match=r"GSL has no .*: use (mean or max|uniform or level)"):
        judged(TREE.rows(), **option)


# ---------------------------------------------------------------------- linking


def test_the_user_wins_over_the_file_and_the_file_over_the_words(wordnet: Ontology) -> None:
    rows = [["teacher", "education"], ["coach", "education"]]
    said = Hierarchy.from_rows("t", rows, concepts={"education": "education.n.04"})

    def key(tree: Hierarchy, **options: Any) -> str | None:
        return linked_nodes(tree, wordnet, **options).key("education")

    assert key(Hierarchy.from_rows("t", rows), senses="first") == "education.n.01"
    assert key(said, senses="first") == "education.n.04"
    assert key(said, mapping={"education": "education.n.02"}) == "education.n.02"


def test_a_label_that_stands_for_no_concept_is_not_taken_by_its_words(wordnet: Ontology) -> None:
    rows = [["teacher", "education"], ["coach", "education"]]
    said = Hierarchy.from_rows("t", rows, concepts={"education": NO_CONCEPT})
    for under in (None, "person"):
        links = linked_nodes(said, wordnet, under=under)
        assert links.key("education") is None
        assert [one.value for one in links] == list(said.labels)
    gsl = Gsl(said, wordnet, links.concepts)
    in_common = wordnet.lcs_of_set(gsl.concepts[: said.n_values])
    assert gsl.meanings[said.root] == in_common != gsl.concepts[said.root]
    assert linked_nodes(said, wordnet, mapping={"education": "education.n.02"}).key("education")
    assert not said.as_ontology().senses_of("").tolist()


def test_under_speaks_of_the_values(wordnet: Ontology) -> None:
    tree = Hierarchy.from_rows("t", [["doctor", "person", "organism"], ["pitcher", "person", "organism"]])
    links = linked_nodes(tree, wordnet, under="person")
    assert [links.key(label) for label in tree.labels] == [
        "doctor.n.01",
        "pitcher.n.01",
        "person.n.01",
        "organism.n.01",
    ]
    assert linked_nodes(tree, wordnet, senses="first").key("pitcher") == "pitcher.n.01"


# ---------------------------------------------------------------------- what must hold


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Any values, grouped in any way."""
    q, height = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    nodes = list(range(q))
    rows = [[f"v{v}"] for v in range(q)]
    for level in range(1, height):
        group = draw(st.lists(st.integers(0, q - 1), min_size=q, max_size=q))
        nodes = [group[node] for node in nodes]
        for row, node in zip(rows, nodes, strict=True):
            row.append(f"n{level}.{node}")
    return Hierarchy.from_rows("t", [[*row, "top"] for row in rows])


@given(hierarchies(), st.data())
def test_gsl_is_what_the_definitions_say_pair_by_pair(tree: Hierarchy, data: st.DataObject) -> None:
    concepts = np.array([data.draw(st.integers(-1, len(SYMPTOMS) - 1)) for _ in tree.labels], np.int32)
    concepts[0] = max(concepts[0], 0)
    gsl = Gsl(tree, SYMPTOMS, concepts, PATH)
    total = 0.0
    for level in range(1, tree.height + 1):
        lost = []
        for v in np.flatnonzero(concepts[: tree.n_values] >= 0):
            node = tree.levels[level, v]
            below = [concepts[u] for u in tree.values_below(node) if concepts[u] >= 0]
            meant = concepts[node] if concepts[node] >= 0 else SYMPTOMS.lcs_of_set(below)
            lost.append(PATH.matrix(SYMPTOMS, [concepts[v]], [meant])[0, 0])
        assert gsl.levels[level - 1] == pytest.approx(np.mean(lost))
        total += np.mean(lost) / tree.height
    assert gsl.score == pytest.approx(total)


def test_many_values_in_blocks_as_one_by_one(wordnet: Ontology, golden: Callable[[str], Ontology]) -> None:
    """More values than a block holds, over a real taxonomy."""
    rng = np.random.default_rng(1)
    concepts = rng.choice(len(wordnet), 1400, replace=False).astype(np.int32)
    rows = [[f"v{v}", f"n{v % 40}", f"m{v % 10}", "top"] for v in range(len(concepts))]
    tree = Hierarchy.from_rows("t", rows)
    above = rng.choice(len(wordnet), len(tree.labels) - tree.n_values).astype(np.int32)
    gsl = Gsl(tree, wordnet, np.concatenate([concepts, above]), measure("logsc"))
    assert not np.isnan(gsl.transitions).any()
    for v in (0, 1, 511, 512, 513, 1399):
        nodes = gsl.concepts[tree.levels[1:, v]]
        assert gsl.transitions[:, v].tolist() == gsl.measure.matrix(wordnet, concepts[[v]], nodes)[0].tolist()
