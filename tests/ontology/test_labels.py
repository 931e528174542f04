"""Words of other languages over the shipped WordNet: both layouts, which sense, which label, and damage."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import OntologyError, PlanError
from ontomask.ontology import catalog
from ontomask.ontology.labels import offsets_of_30, words_in

# nurse, doctor, veterinarian, health professional; spark, electrician; foot
TAB = """# Spanish\tspa\thttp://example.org\tCC BY
10366966-n\tspa:lemma\tenfermera
10366966-n\tspa:lemma\tenfermero
10020890-n\tlemma\tDM
10020890-n\tlemma\tmédico
10749715-n\tspa:lemma\tcirujano_veterinario
10165109-n\tspa:lemma\tprofesional sanitario
10165109-n\tspa:def\t0\tuna persona que ayuda
10049363-n\tspa:lemma\tchispa
10049363-n\tspa:lemma\telectricista
07412310-n\tspa:lemma\tchispa
05563266-n\tspa:lemma\tpie
00014742-v\tspa:lemma\tdormir
99999999-n\tspa:lemma\tnada
"""
LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="omw-es" label="Multilingual Central Repository" language="es" version="1.4">
    <LexicalEntry id="omw-es-enfermera-n">
      <Lemma writtenForm="enfermera" partOfSpeech="n"/>
      <Form writtenForm="enfermeras"/>
      <Sense id="omw-es-enfermera-10366966-n" synset="omw-es-10366966-n"/>
    </LexicalEntry>
    <LexicalEntry id="omw-es-dormir-v">
      <Lemma writtenForm="dormir" partOfSpeech="v"/>
      <Sense id="omw-es-dormir-00014742-v" synset="omw-es-00014742-v"/>
    </LexicalEntry>
    <Synset id="omw-es-10366966-n" ili="i93471" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "cache"))
    (tmp_path / "wn-data-spa.tab").write_text(TAB, encoding="utf-8")
    return tmp_path


@pytest.fixture
def spanish(folder: Path) -> om.Ontology:
    return om.load_ontology("wordnet", labels=folder / "wn-data-spa.tab")


def test_columns_are_read_as_in_english(spanish: om.Ontology) -> None:
    """The column's name counts, and what is no noun in English is none beside Spanish words."""
    links = om.link(["stroke", "flu", "F", "none", "enfermera"], spanish, column="diagnosis", suggestions=0)
    assert [links.key(link.value) for link in links] == [
        "stroke.n.03",
        "influenza.n.01",
        None,
        None,
        "nurse.n.01",
    ]
    assert [link.value for link in links.doubtful] == ["F", "none", "enfermera"]
    (doctor,) = om.link(["Médico"], spanish, column="profesión")
    assert (
        spanish.key(doctor.concept or 0) == "doctor.n.01" and not doctor.is_doubtful
    )  # English has *medico*


def test_the_head_of_a_phrase_stands_before_its_preposition(spanish: om.Ontology) -> None:
    links = om.link(["Enfermera de quirófano", "electricista del pie"], spanish, column="profesión")
    assert [(link.how, spanish.ids[link.concept or 0]) for link in links] == [
        ("head", "nurse.n.01"),
        ("head", "electrician.n.01"),
    ]


def test_both_layouts(folder: Path) -> None:
    (folder / "es.xml").write_text(LMF, encoding="utf-8")
    (folder / "es.xml.gz").write_bytes(gzip.compress(LMF.encode()))
    assert list(words_in(folder / "wn-data-spa.tab"))[:3] == [
        ("10366966", "enfermera"),
        ("10366966", "enfermero"),
        ("10020890", "DM"),
    ]
    for name in ("es.xml", "es.xml.gz"):
        assert list(words_in(folder / name)) == [("10366966", "enfermera")]
        spanish = om.load_ontology("wordnet", labels=folder / name)
        assert spanish.ids[spanish.concept("Enfermera")] == "nurse.n.01"


def test_nouns_are_found_and_named(spanish: om.Ontology, wordnet: om.Ontology) -> None:
    links = om.link(["enfermera", "Enfermero", "médico", "cirujano veterinario"], spanish, suggestions=0)
    assert [links.key(one.value) for one in links] == [
        *("nurse.n.01", "nurse.n.01", "doctor.n.01", "veterinarian.n.01")
    ]
    assert spanish.labels[spanish.concept("nurse.n.01")] == "enfermera"  # the first word
    assert spanish.labels[spanish.concept("doctor.n.01")] == "médico"  # not the abbreviation before it
    assert spanish.labels[spanish.concept("teacher.n.01")] == "teacher"  # the file has no other
    assert not len(spanish.senses_of("dormir"))
    assert spanish.notes == (
        "7 concepts have labels of wn-data-spa.tab; 1 of its synsets are not in WordNet 3.1",
    )
    assert spanish.name == "wordnet with wn-data-spa.tab" and spanish.digest != wordnet.digest
    assert spanish.parents is wordnet.parents and spanish.distance("enfermera", "médico") == pytest.approx(
        wordnet.distance("nurse.n.01", "doctor.n.01")
    )


def test_a_label_means_its_concept_before_all_else(spanish: om.Ontology) -> None:
    assert [spanish.ids[c] for c in spanish.senses_of("chispa")] == ["flicker.n.01", "electrician.n.01"]
    assert (
        spanish.labels[spanish.concept("electrician.n.01")] == "electricista"
    )  # not its first word, a spark
    assert spanish.labels[spanish.concept("flicker.n.01")] == "chispa"


def test_words_of_the_file_hide_english_ones_but_names_of_senses_stay(
    spanish: om.Ontology, wordnet: om.Ontology
) -> None:
    assert [spanish.ids[c] for c in spanish.senses_of("pie")] == ["foot.n.01"]
    assert spanish.concept("pie.n.01") == wordnet.concept("pie.n.01")
    assert spanish.concept("nurse") == wordnet.concept("nurse")
    for concept in range(0, len(wordnet), 997):
        assert spanish.concept(wordnet.key(concept)) == concept


def test_the_map_to_31_keeps_what_synsets_say(wordnet: om.Ontology) -> None:
    offsets = offsets_of_30(wordnet)
    assert len(offsets) == len(set(offsets.values())) == 82_017  # of the 82,115 nouns of 3.0
    expected = {  # offsets of 3.0, as its data.noun has them
        "entity.n.01": "00001740",
        "nurse.n.01": "10366966",
        "doctor.n.01": "10020890",
        "veterinarian.n.01": "10749715",
        "migraine.n.01": "14327707",
        "health_professional.n.01": "10165109",
    }
    assert {key: offsets[wordnet.ids[wordnet.concept(key)]] for key in expected} == expected


def test_the_second_load_comes_from_the_cache(folder: Path, spanish: om.Ontology) -> None:
    catalog._loaded.clear()
    again = om.load_ontology("wordnet", labels=str(folder / "wn-data-spa.tab"))
    assert again is not spanish and again.digest == spanish.digest
    assert again.notes == spanish.notes and list(again.labels) == list(spanish.labels)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10366966-n\tspa:lemma\tenfermera\nfoo\n", "line 2: expected a synset, a kind and a word"),
        ("10366966-n spa:lemma enfermera\n", "line 1: expected a synset, a kind and a word"),
        ("10366966-n\tenfermera\n", "line 1: expected a synset, a kind and a word"),
        ("99999999-n\tspa:lemma\tnada\n", "no noun of it is in WordNet"),
        ("<LexicalResource><Lexicon>", "cut short"),
        (LMF.replace("omw-es-10366966-n", "odenet-77-n"), "no noun of it is in WordNet"),
        ("", "the file is empty"),
    ],
)
def test_damage_is_named(folder: Path, text: str, said: str) -> None:
    (folder / "x.tab").write_text(text, encoding="utf-8")
    with pytest.raises(OntologyError) as caught:
        om.load_ontology("wordnet", labels=folder / "x.tab")
    assert said in str(caught.value) and "x.tab" in str(caught.value)


def test_what_labels_are_not_for(folder: Path) -> None:
    with pytest.raises(OntologyError, match="cannot be read"):
        om.load_ontology("wordnet", labels=folder / "nothing.tab")
    with pytest.raises(OntologyError, match="for wordnet alone"):
        om.load_ontology("countries", labels=folder / "wn-data-spa.tab")
    wrong = {"attributes": {"a": {"role": "quasi-identifier", "ontology": "sex", "labels": "x.tab"}}}
    with pytest.raises(PlanError, match="only wordnet has words of other languages"):
        om.Plan.from_dict(wrong)


def test_a_release_is_written_in_the_language_of_the_table(folder: Path) -> None:
    people = pa.table({"job": ["enfermera", "enfermera", "médico", "médico"]})
    plan = om.Plan.from_dict(
        {
            "attributes": {
                "job": {
                    "role": "quasi-identifier",
                    "ontology": "wordnet",
                    "labels": "wn-data-spa.tab",
                    "release": "truthful",
                }
            },
            "privacy": {"k": 4},
        },
        folder=folder,
    )
    release = om.anonymize(people, plan)
    assert release.table.column("job").to_pylist() == ["profesional sanitario"] * 4
    loaded = om.load_ontology("wordnet", labels=folder / "wn-data-spa.tab")
    assert release.manifest["ontologies"]["job"] == {"name": loaded.name, "sha256": loaded.digest}
