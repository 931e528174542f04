"""The Ontology's arrays against sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import OntologyError, UnknownTermError
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr, Texts
from ontomask.ontology.draft import Draft
from reference import Plain, ontologies


@given(ontologies())
def test_structure_equals_sets(ontology: Ontology) -> None:
    plain = Plain(ontology)
    for c in range(len(ontology)):
        assert set(ontology.ancestors[c].tolist()) == plain.T(c)
        assert ontology.shortest_depth[c] == plain.shortest[c]
        assert ontology.longest_depth[c] == plain.longest[c]
        assert ontology.subsumer_counts[c] == len(plain.T(c))
        assert ontology.descendant_counts[c] == len(plain.below(c))
        leaves = {x for x in plain.below(c) if not plain.below(x)}
        assert ontology.leaf_counts[c] == len(leaves)
        assert set(ontology.children[c].tolist()) == {x for x in plain.below(c) if c in plain.parents[x]}
        for above in plain.T(c):
            assert ontology.links_up(c, above).tolist() == [plain.up[c][above]]
            way = ontology.shortest_way(c, above)
            assert (way[0], way[-1], len(way) - 1) == (c, above, plain.up[c][above])


@given(ontologies())
def test_order_is_topological_by_depth_then_id(ontology: Ontology) -> None:
    assert all(p < c for c in range(len(ontology)) for p in ontology.parents[c])
    keys = list(zip(ontology.longest_depth.tolist(), ontology.ids, strict=True))
    assert keys == sorted(keys)


@given(ontologies(), st.data())
def test_lcs_and_subsumer_hierarchy_equal_sets(ontology: Ontology, data: st.DataObject) -> None:
    plain = Plain(ontology)
    concept = st.integers(0, len(ontology) - 1)
    chosen = data.draw(st.lists(concept, min_size=1, max_size=4))
    assert set(ontology.common_ancestors(chosen).tolist()) == plain.common(*chosen)
    assert set(ontology.least_common_ancestors(chosen).tolist()) == plain.least(*chosen)
    assert ontology.lcs_of_set(chosen) == plain.lcs(*chosen)
    assert set(ontology.subsumer_hierarchy(chosen).tolist()) == plain.hierarchy(*chosen)
    a, b = chosen[0], chosen[-1]
    assert ontology.lcs([a], [b]).tolist() == [plain.lcs(a, b)]
    turn = ontology.nearest_common_ancestor(a, b)
    assert plain.up[a][turn] + plain.up[b][turn] == plain.path(a, b)
    assert ontology.is_below(chosen, turn).tolist() == [turn in plain.T(c) for c in chosen]


@given(ontologies())
def test_the_lcs_with_an_ancestor_is_that_ancestor(ontology: Ontology) -> None:
    below, above = ontology.ancestors.row_of_value, ontology.ancestors.values
    assert ontology.lcs(below, above).tolist() == above.tolist() == ontology.lcs(above, below).tolist()


@given(ontologies(), st.data())
def test_no_common_ancestor_lies_below_the_lcs(ontology: Ontology, data: st.DataObject) -> None:
    plain = Plain(ontology)
    chosen = data.draw(st.lists(st.integers(0, len(ontology) - 1), min_size=1, max_size=4))
    assert not plain.below(ontology.lcs_of_set(chosen)) & plain.common(*chosen)
    assert not plain.below(int(ontology.lcs(chosen[0], chosen[-1])[0])) & plain.common(chosen[0], chosen[-1])


def test_least_means_least_in_wordnet(wordnet: Ontology) -> None:
    """Pairs of concepts with several parents somewhere above them, and concepts with their ancestors."""
    rng = np.random.default_rng(7)
    tangled = np.flatnonzero(wordnet.subsumer_counts > wordnet.longest_depth + 1)
    a, b = rng.choice(tangled, (2, 500))
    for left, right, lcs in zip(a.tolist(), b.tolist(), wordnet.lcs(a, b).tolist(), strict=True):
        common = wordnet.common_ancestors([left, right])
        assert common[wordnet.is_below(common, lcs)].tolist() == [lcs]
        assert lcs in wordnet.least_common_ancestors([left, right]).tolist()
    rows = wordnet.ancestors.take(a)
    np.testing.assert_array_equal(wordnet.lcs(a[rows.row_of_value], rows.values), rows.values)


def test_nurse_and_teacher_are_persons(wordnet: Ontology) -> None:
    """*person* has a second, shorter way to the root, past *organism*."""
    nurse, teacher = wordnet.concepts(["nurse", "teacher"])
    assert wordnet.is_below(wordnet.lcs(nurse, teacher), wordnet.concept("person.n.01")).all()


def test_the_hierarchy_goes_up_to_all_least_common_ancestors() -> None:
    """x and y are both an a (right below the root r) and a b (below c, below r): a and b are least."""
    edges = [("a", "r"), ("c", "r"), ("b", "c"), *((x, top) for x in "xy" for top in "ab")]
    ontology = Draft.from_edges("two least", edges)
    chosen = ontology.concepts(["x", "y"])
    assert [ontology.labels[c] for c in ontology.least_common_ancestors(chosen)] == ["a", "b"]
    assert {ontology.labels[c] for c in ontology.subsumer_hierarchy(chosen)} == {"a", "b", "x", "y"}
    assert ontology.labels[ontology.lcs_of_set(chosen)] == "b"


def test_wordnet_has_the_size_of_release_3_1(wordnet: Ontology) -> None:
    assert len(wordnet) == 82_192
    assert len(wordnet.parents.values) == 75_916 + 8_589
    assert wordnet.labels[0] == "entity"
    assert int(wordnet.longest_depth.max()) == 19


def test_words_of_wordnet(wordnet: Ontology) -> None:
    dog = wordnet.concept("dog")
    assert wordnet.key(dog) == "dog.n.01" == wordnet.key(wordnet.concept("dog.n.01"))
    assert wordnet.ids[dog] == "02086723"
    assert wordnet.concept("02086723") == dog
    assert wordnet.concept("domestic_dog.n.01") == dog
    assert "domestic dog" in wordnet.synonyms(dog)
    assert wordnet.gloss(dog).startswith("a member of the genus Canis")
    france = wordnet.concept("France")
    assert wordnet.labels[france] == "France"
    assert wordnet.is_below([france, dog], wordnet.concept("location")).tolist() == [True, False]
    assert [wordnet.key(int(c)) for c in wordnet.senses_of("fishing")] == ["fishing.n.01", "fishing.n.02"]


def test_every_key_leads_back_to_its_concept(wordnet: Ontology) -> None:
    for concept in range(0, len(wordnet), 997):
        assert wordnet.concept(wordnet.key(concept)) == concept


def test_unknown_references_say_so(wordnet: Ontology) -> None:
    with pytest.raises(UnknownTermError, match="did you mean 'lumbago'"):
        wordnet.concept("lumbagoo")
    with pytest.raises(UnknownTermError, match="'fishing' has 2 senses"):
        wordnet.concept("fishing.n.07")
    with pytest.raises(UnknownTermError, match="not 82192"):
        wordnet.concept(82_192)
    with pytest.raises(OntologyError, match="empty set"):
        wordnet.common_ancestors([])
    with pytest.raises(OntologyError, match=r"is not an ancestor of entity\.n\.01"):
        wordnet.links_up([5, 0], [0, 5])


def test_case_is_ignored_only_if_need_be() -> None:
    draft = Draft("t")
    for name, label in (("r", "thing"), ("a", "Turkey"), ("b", "turkey")):
        draft.concept(name, label)
    draft.is_a("a", "r")
    draft.is_a("b", "r")
    ontology = draft.finish()
    assert [ontology.ids[c] for c in ontology.senses_of("Turkey")] == ["a"]
    assert [ontology.ids[c] for c in ontology.senses_of("TURKEY")] == ["a", "b"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9))), st.lists(st.integers(0, 5)))
def test_csr(pairs: list[tuple[int, int]], rows: list[int]) -> None:
    plain = [[v for r, v in pairs if r == row] for row in range(6)]
    csr = Csr.from_pairs([r for r, _ in pairs], [v for _, v in pairs], 6)
    assert [row.tolist() for row in csr] == plain
    assert [row.tolist() for row in csr.take(rows)] == [plain[r] for r in rows]
    assert [set(row.tolist()) for row in csr.transposed(10)] == [
        {r for r in range(6) if v in plain[r]} for v in range(10)
    ]


def test_texts_keep_order_and_have_one_line_each() -> None:
    texts = Texts.of(["a", "b\nc", ""])
    assert list(texts) == ["a", "b c", ""]
    assert len(Texts.of([])) == 0 and list(Texts.of([])) == []


def test_what_was_perhaps_meant_is_written_as_the_ontology_writes_it() -> None:
    countries = Draft.from_edges("countries", [("France", "Europe"), ("Turkey", "Europe")])
    with pytest.raises(UnknownTermError, match=r"'frnace'; did you mean 'France'\?") as caught:
        countries.concept("frnace")
    assert caught.value.faults[0].value == "frnace"
