"""MeSH descriptor XML: invented descriptors in the real elements, plain and gzipped, whole and damaged."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import mesh


def record(ui: str, label: str, trees: str = "", terms: str = "", scope: str = "", related: str = "") -> str:
    numbers = "".join(f"<TreeNumber>{number}</TreeNumber>" for number in trees.split())
    names = "".join(
        f'<Term ConceptPreferredTermYN="N"><TermUI>T0</TermUI><String>{term}</String></Term>'
        for term in (label, *filter(None, terms.split(",")))
    )
    see = (
        "<SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo>"
        f"<DescriptorUI>{related}</DescriptorUI><DescriptorName><String>x</String></DescriptorName>"
        "</DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>"
    )
    return f"""<DescriptorRecord DescriptorClass="1">
  <DescriptorUI>{ui}</DescriptorUI>
  <DescriptorName><String>{label}</String></DescriptorName>
  {see if related else ""}
  <TreeNumberList>{numbers}</TreeNumberList>
  <ConceptList>
    <Concept PreferredConceptYN="N"><ConceptUI>M2</ConceptUI><ScopeNote>Narrower.</ScopeNote>
      <TermList><Term><TermUI>T9</TermUI><String>{label}, rare</String></Term></TermList></Concept>
    <Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI>
      <ConceptName><String>{label}</String></ConceptName>
      {f"<ScopeNote>{scope}</ScopeNote>" if scope else ""}
      <TermList>{names}</TermList></Concept>
  </ConceptList>
</DescriptorRecord>
"""


HEAD = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "nlmdescriptorrecordset_20240101.dtd">
<DescriptorRecordSet LanguageCode="eng">
"""
TAIL = "</DescriptorRecordSet>\n"
RECORDS = [
    record(
        "D9001", "Sore Joints", "C01.100 C02.050", "Achy Joints,Joint Soreness", "Joints\n      that hurt.\n"
    ),
    record("D9002", "Troubles of Bone", "C01", related="D9001"),
    record("D9003", "Troubles of Age", "C02"),
    record("D9004", "Joint", "A02"),
    record("D9005", "Sore Knee", "C01.100.500 C02.050.300"),
    record("D9006", "Footnote"),
]


def write(path: Path, records: list[str] = RECORDS) -> Path:
    path.write_text(HEAD + "".join(records) + TAIL, encoding="utf-8")
    return path


def parents(ontology: Ontology) -> dict[str, set[str]]:
    return {ontology.ids[c]: {ontology.ids[p] for p in ontology.parents[c]} for c in range(len(ontology))}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "desc2024.xml")


def test_structure(file: Path) -> None:
    ontology = mesh.load(file, "mesh")
    assert parents(ontology) == {
        "*": set(),
        "A": {"*"},
        "C": {"*"},
        "D9006": {"*"},  # no tree number
        "D9004": {"A"},
        "D9002": {"C"},
        "D9003": {"C"},
        "D9001": {"D9002", "D9003"},
        "D9005": {"D9001"},
    }
    assert ontology.virtual_root
    assert ontology.labels[ontology.concept("C")] == "Diseases"


def test_words(file: Path) -> None:
    ontology = mesh.load(file, "mesh")
    sore = ontology.concept("D9001")
    assert ontology.labels[sore] == "Sore Joints"
    assert set(ontology.synonyms(sore)) == {
        "Sore Joints",
        "Achy Joints",
        "Joint Soreness",
        "Sore Joints, rare",
    }
    assert ontology.gloss(sore) == "Joints that hurt."
    assert ontology.gloss(ontology.concept("D9004")) == ""
    assert ontology.relations["see-related"][ontology.concept("D9002")].tolist() == [sore]


def test_gzipped_is_the_same(file: Path) -> None:
    zipped = file.with_name("desc2024.xml.gz")
    zipped.write_bytes(gzip.compress(file.read_bytes()))
    assert mesh.recognises(zipped)
    assert mesh.load(zipped, "mesh").digest == mesh.load(file, "mesh").digest


def test_recognises(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.xml"
    other.write_text("<rdf/>")
    not_gzip = tmp_path / "broken.xml.gz"
    not_gzip.write_text("DescriptorRecordSet")
    assert mesh.recognises(file)
    assert not any(map(mesh.recognises, (other, not_gzip, tmp_path, tmp_path / "none.xml")))
    assert mesh.source_files(file) == [file]


def test_category_unknown_to_us_gets_a_plain_label(tmp_path: Path) -> None:
    ontology = mesh.load(write(tmp_path / "desc.xml", [record("D1", "Novelty", "X01")]), "mesh")
    assert ontology.labels[ontology.concept("X")] == "Category X"
    assert not ontology.virtual_root


CYCLE = [record("D1", "Egg", "A01 B01.100"), record("D2", "Hen", "A01.100 B01")]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([*RECORDS, record("D9001", "Again", "A09")], "desc.xml: the id 'D9001' is used twice"),
        ([*RECORDS, record("D7", "Again", "C01.100")], "tree number C01.100 is used twice, by D9001 and D7"),
        (
            [*RECORDS, record("D7", "Lost", "C01.7.8")],
            "D7 has tree number C01.7.8, but no descriptor has C01.7;",
        ),
        ([*RECORDS, record("D7", "Odd", "C01.x")], "D7 has 'C01.x', which is not a tree number"),
        ([*RECORDS, record("D7", "")], r"record 7 has no DescriptorUI or no DescriptorName \(D7\)"),
        (CYCLE, "cycle: 'D1' is-a 'D2' is-a 'D1'.*`without`"),
        ([], r"no concepts found; is this the right file and format\?$"),
    ],
)
def test_wrong_content(tmp_path: Path, records: list[str], message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        mesh.load(write(tmp_path / "desc.xml", records), "mesh")


def test_a_link_can_be_left_out(tmp_path: Path) -> None:
    ontology = mesh.load(write(tmp_path / "desc.xml", CYCLE), "mesh", without=[("D1", "D2")])
    assert parents(ontology)["D1"] == {"A"}
    assert parents(ontology)["D2"] == {"D1", "B"}


def test_damaged_file(file: Path) -> None:
    whole = file.read_bytes()
    for damaged, message in (
        (whole[:-40], r"desc2024.xml, line \d+: the XML is cut short"),
        (whole.replace(b"Footnote", b"F\xf6tnote"), r"line \d+: not well-formed XML"),
        (whole.replace(b"</Concept>", b"", 1), "line 18: not well-formed XML"),
        (b"", "the file is empty"),
    ):
        file.write_bytes(damaged)
        with pytest.raises(OntologyError, match=message):
            mesh.load(file, "mesh")
    with pytest.raises(OntologyError, match="cannot be read"):
        mesh.load(file.with_name("none.xml"), "mesh")


def test_damaged_gzip(file: Path) -> None:
    zipped = file.with_name("desc2024.xml.gz")
    for damaged in (gzip.compress(file.read_bytes())[:-30], b"no gzip at all"):
        zipped.write_bytes(damaged)
        with pytest.raises(OntologyError, match=r"desc2024.xml.gz: damaged gzip file"):
            mesh.load(zipped, "mesh")
