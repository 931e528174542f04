"""Indexed texts against texts read one by one: MEDLINE, plain files, versions, deletions, faults."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from literature.medline import article, deletion, heading, write_medline
from ontomask.errors import OntologyError, OntomaskError
from ontomask.literature import Collection, Counts, index_texts, mim_of, open_literature

TRIAL = "<PublicationType>Clinical Trial</PublicationType>"
ARTICLES = [
    article(1, "Chest pain in <i>old</i> age", "Angina &amp; age.", headings=heading("Angina", "diagnosis")),
    article(2, "Heart-disease and cholesterol", "Of the heart.", "Disease was rare.", types=TRIAL),
    article(3, "[Enfermedad] Élevée", "The heart disease of H<sub>2</sub>O drinkers; no cholesterol."),
    article(4, "No abstract at all"),
    article(5, "Heart rate", headings=heading("Diagnostic Errors") + heading("Diagnosis, Differential")),
]


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    write_medline(tmp_path / "a.xml.gz", *ARTICLES[:3])
    write_medline(tmp_path / "b.xml", *ARTICLES[3:])
    assert index_texts([tmp_path / "a.xml.gz", tmp_path / "b.xml"], tmp_path / "index") == 5
    return Collection(tmp_path / "index")


def test_terms_are_phrases_in_title_or_abstract(collection: Collection) -> None:
    found = {
        "heart disease": 2,  # not 'Of the heart.' before 'Disease', in another sentence: see below
        "HEART-DISEASE": 2,
        "disease heart": 0,
        "angina": 1,  # not the journal's title, not the abstract in Spanish, not a heading
        "copying": 0,
        "old age": 1,  # through markup
        "h2o": 1,
        "elevee": 1,  # accents make no difference
        "cholesterol | angina": 3,
        "pain cholesterol": 0,
    }
    assert {term: collection.found([term], None) for term in found} == found
    assert collection.counts("cholesterol", "heart disease") == Counts(2, 2, 2, 5)
    assert mim_of({"x": "cholesterol"}, "heart disease", collection) == {"x": (2 / 5) / (2 / 5 * 2 / 5)}


def test_a_phrase_does_not_run_from_title_to_abstract(tmp_path: Path) -> None:
    write_medline(tmp_path / "a.xml", article(1, "Of heart", "disease"))
    index_texts([tmp_path / "a.xml"], tmp_path / "index")
    assert Collection(tmp_path / "index").found(["heart disease"], None) == 0


def test_filters_look_at_words_headings_and_types(collection: Collection) -> None:
    assert collection.counts("cholesterol", "heart disease", "therapy") == Counts(1, 1, 1, 1)
    assert collection.found([], "diagnosis") == 2  # a subheading; two headings
    assert collection.found(["heart rate"], "diagnosis") == 1
    assert collection.found([], "etiology") == 0
    with pytest.raises(OntomaskError, match="no filter 'terapy'; did you mean 'therapy'"):
        collection.counts("a", "b", "terapy")


def test_later_versions_and_deletions(tmp_path: Path) -> None:
    write_medline(tmp_path / "n1.xml", article(1, "angina"), article(2, "angina age"), article(3, "age"))
    write_medline(tmp_path / "n2.xml", article(3, "angina"), article(4, "angina"), deletion(2, 4, 9))
    write_medline(tmp_path / "n3.xml", article(1, "sex"), article(1, "angina sex"))
    assert index_texts([tmp_path], tmp_path.parent / "index") == 2  # 1 as it is in n3, 3 as it is in n2
    with Collection(tmp_path.parent / "index") as texts:
        assert texts.counts("angina", "sex") == Counts(2, 1, 1, 2)
        assert texts.found(["age"], None) == 0


def test_a_folder_of_texts(tmp_path: Path) -> None:
    (tmp_path / "texts" / "more").mkdir(parents=True)
    (tmp_path / "texts" / "one.txt").write_text("Of age\nand sex.", encoding="utf-8")
    (tmp_path / "texts" / "more" / "two.TXT").write_text("Age.", encoding="utf-8")
    (tmp_path / "texts" / "notes.md").write_text("age", encoding="utf-8")
    write_medline(tmp_path / "texts" / "three.xml", article(1, "Age"))
    assert index_texts([tmp_path / "texts"], tmp_path / "index") == 3
    assert Collection(tmp_path / "index").counts("age", "sex") == Counts(3, 1, 1, 3)


WORDS = st.sampled_from(["heart", "disease", "age", "of", "Heart", "élevée"])


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=8)), min_size=1, max_size=12),
    st.lists(WORDS, min_size=1, max_size=3),
    st.lists(WORDS, min_size=1, max_size=2),
)
def test_counts_are_those_of_reading_every_text(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[list[str], list[str]]],
    a: list[str],
    b: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    parts = [article(i, " ".join(title), "; ".join(rest)) for i, (title, rest) in enumerate(texts, 1)]
    write_medline(folder / "a.xml", *parts)
    index_texts([folder / "a.xml"], folder / "index")

    def has(text: tuple[list[str], list[str]], phrase: list[str]) -> bool:
        wanted = rf"\b{' '.join(phrase)}\b".casefold()
        return any(re.search(wanted, " ".join(part).casefold()) for part in text)

    with_a, with_b = [has(text, a) for text in texts], [has(text, b) for text in texts]
    both = sum(x and y for x, y in zip(with_a, with_b, strict=True))
    with Collection(folder / "index") as found:
        assert found.counts(" ".join(a), " ".join(b)) == Counts(sum(with_a), sum(with_b), both, len(texts))


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    source = write_medline(tmp_path / "a.xml", ARTICLES[0])
    index_texts([source], tmp_path / "index")
    with Collection(tmp_path / "index") as texts:
        assert texts.changed_sources() == []
        os.utime(source, ns=(0, source.stat().st_mtime_ns + 1))
        assert texts.changed_sources() == [source.resolve()]
        source.unlink()
        assert texts.changed_sources() == []


def test_a_new_file_in_a_folder_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    write_medline(tmp_path / "texts" / "a.xml", ARTICLES[0])
    index_texts([tmp_path / "texts"], tmp_path / "index")
    write_medline(tmp_path / "texts" / "b.xml", ARTICLES[1])
    assert Collection(tmp_path / "index").changed_sources() == [(tmp_path / "texts").resolve()]


def test_an_index_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    good = write_medline(tmp_path / "a.xml", ARTICLES[0])
    cut = tmp_path / "b.xml"
    cut.write_text(good.read_text()[:-30])
    with pytest.raises(OntologyError, match=r"b\.xml.*not well-formed|cut short"):
        index_texts([good, cut], tmp_path / "index")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.xml", "b.xml"]
    index_texts([good], tmp_path / "index")
    before = (tmp_path / "index").read_bytes()
    with pytest.raises(OntologyError):
        index_texts([cut], tmp_path / "index")
    assert (tmp_path / "index").read_bytes() == before


def test_only_an_index_is_replaced(tmp_path: Path) -> None:
    source = write_medline(tmp_path / "a.xml", ARTICLES[0])
    (tmp_path / "thesis.doc").write_text("years of work")
    with pytest.raises(OntomaskError, match="is there already, and no index"):
        index_texts([source], tmp_path / "thesis.doc")
    assert (tmp_path / "thesis.doc").read_text() == "years of work"
    assert index_texts([source], tmp_path / "index") == 1
    assert index_texts([source, write_medline(tmp_path / "b.xml", ARTICLES[1])], tmp_path / "index") == 2


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.xml", "<DescriptorRecordSet/>", "not a set of MEDLINE articles"),
        ("a.xml", "", "the file is empty"),
        ("a.xml", "<PubmedArticleSet><MedlineCitation/></PubmedArticleSet>", "PMID '', which is no number"),
        ("a.xml", "<PubmedArticleSet><MedlineCitation><PMID>x1</PMID></MedlineCitation>", "PMID 'x1'"),
        ("a.xml", "<PubmedArticleSet>&none;</PubmedArticleSet>", "undefined entity"),
        ("a.xml.gz", "<PubmedArticleSet>", "damaged gzip file"),
        ("a.txt", "\x00\x01", "a zero byte"),
        ("none.xml", None, "cannot be read"),
        ("none.txt", None, "cannot be read"),
    ],
)
def test_faults_of_texts(tmp_path: Path, name: str, content: str | None, told: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(OntomaskError, match=told):
        index_texts([tmp_path / name], tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_a_folder_without_texts(tmp_path: Path) -> None:
    with pytest.raises(OntomaskError, match="no texts are in there"):
        index_texts([tmp_path], tmp_path / "index")


def test_what_is_no_index(tmp_path: Path, collection: Collection) -> None:
    with pytest.raises(OntologyError, match="not an index of texts"):
        Collection(tmp_path / "a.xml.gz")
    whole = (tmp_path / "index").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 8])
    with pytest.raises(OntologyError, match="the index is damaged; index the texts again"):
        open_literature(str(tmp_path / "cut")).counts("a", "b")
    connection = sqlite3.connect(tmp_path / "index")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(OntologyError, match="an index of version 99; index it again"):
        Collection(tmp_path / "index")
