"""The OWL, RDFS and SKOS reader: every serialisation says the same, and each kind of damage has a name."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest
import rdflib

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import _rdfxml, rdf

FIXTURES = Path(__file__).parent / "fixtures"
PREFIXES = """
@prefix : <http://example.org/x#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
XML_START = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:skos="http://www.w3.org/2004/02/skos/core#" xml:base="http://example.org/x">
"""
XML_END = "</rdf:RDF>\n"


def load_text(tmp_path: Path, text: str | bytes, name: str) -> Ontology:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return rdf.load(path, "x")


def load_both(tmp_path: Path, turtle: str) -> Ontology:
    """Load statements from Turtle, and check that RDF/XML of the same says the same."""
    ontology = load_text(tmp_path, PREFIXES + turtle, "x.ttl")
    graph = rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle")
    for form in ("xml", "pretty-xml"):
        assert_same(load_text(tmp_path, graph.serialize(format=form), "x.rdf"), ontology)
    return ontology


def assert_same(a: Ontology, b: Ontology) -> None:
    assert edges(a) == edges(b)
    assert a.digest == b.digest
    assert list(a.glosses or ()) == list(b.glosses or ())
    assert a.notes == b.notes


def edges(ontology: Ontology) -> set[tuple[str, str]]:
    links = ontology.parents
    return {(ontology.ids[a], ontology.ids[b]) for a, b in zip(links.row_of_value, links.values, strict=True)}


@pytest.fixture(scope="module")
def conditions() -> Ontology:
    return rdf.load(FIXTURES / "rdf_conditions.owl", "conditions")


@pytest.fixture(scope="module")
def sports() -> Ontology:
    return rdf.load(FIXTURES / "skos_sports.rdf", "sports")


# ---------------------------------------------------------------------- OWL


def test_owl_is_a_links(conditions: Ontology) -> None:
    assert edges(conditions) == {
        ("EX:0001", "*"),
        ("Organ", "*"),
        ("EX:0002", "EX:0001"),
        ("Headache", "EX:0002"),
        ("Migraine_of_1969", "Headache"),
        ("Brain", "Organ"),
    }
    assert conditions.virtual_root


def test_owl_notes_say_what_was_left_out(conditions: Ontology) -> None:
    assert conditions.notes == (
        "1 deprecated concepts were left out",
        "1 individuals of no class declared in the file were left out",
        "2 concepts have nothing above them: '*' stands for all of them together",
    )


def test_owl_words(conditions: Ontology) -> None:
    pain = conditions.concept("EX:0002")
    assert conditions.labels[pain] == "pain"
    assert conditions.synonyms(pain) == ["EX:0102", "ache", "dolor", "pain"]
    assert conditions.gloss(pain) == "An unpleasant feeling."
    assert conditions.labels[conditions.concept("Headache")] == "headache"
    assert conditions.gloss(conditions.concept("EX:0001")) == ""


# ---------------------------------------------------------------------- SKOS


def test_skos_broader_and_narrower_are_one_hierarchy(sports: Ontology) -> None:
    assert edges(sports) == {("water", "sport"), ("sail", "water")}
    assert sports.notes == ()


def test_skos_words(sports: Ontology) -> None:
    sport, water, sail = sports.concepts(["sport", "water", "sail"])
    assert sports.labels[sport] == "sport"
    assert sports.synonyms(sport) == ["007", "Sport", "sport"]
    assert sports.synonyms(water) == ["aquatics", "water sport"]
    assert sports.gloss(water) == "A sport in or on water."
    assert sports.labels[sail] == "vela"  # no English, no untagged label: es before fr
    assert sports.concept("plongée") == sail


# ---------------------------------------------------------------------- serialisations


@pytest.mark.parametrize(
    ("xml", "turtle"),
    [("rdf_conditions.owl", "rdf_conditions.ttl"), ("skos_sports.rdf", "skos_sports.ttl")],
)
def test_rdfxml_and_turtle_say_the_same(xml: str, turtle: str) -> None:
    assert_same(rdf.load(FIXTURES / xml, "x"), rdf.load(FIXTURES / turtle, "x"))


@pytest.mark.parametrize("fixture", ["rdf_conditions.ttl", "skos_sports.ttl"])
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("xml", "x.owl"),
        ("pretty-xml", "x.xml"),
        ("nt", "x.nt"),
        ("n3", "x.n3"),
        ("json-ld", "x.jsonld"),
        ("turtle", "turtle in.owl"),
        ("nt", "triples in.rdf"),
    ],
)
def test_every_serialisation_says_the_same(tmp_path: Path, fixture: str, form: str, name: str) -> None:
    graph = rdflib.Graph().parse(FIXTURES / fixture)
    again = load_text(tmp_path, graph.serialize(format=form), name)
    assert rdf.recognises(tmp_path / name)
    assert_same(again, rdf.load(FIXTURES / fixture, "x"))


def test_compressed_and_utf16_are_the_same(tmp_path: Path, conditions: Ontology) -> None:
    text = (FIXTURES / "rdf_conditions.owl").read_text(encoding="utf-8")
    assert load_text(tmp_path, gzip.compress(text.encode()), "x.owl.gz").digest == conditions.digest
    wide = text.replace("UTF-8", "UTF-16").encode("utf-16")
    assert load_text(tmp_path, wide, "wide.owl").digest == conditions.digest


def test_turtle_with_a_byte_order_mark(tmp_path: Path, sports: Ontology) -> None:
    marked = b"\xef\xbb\xbf" + (FIXTURES / "skos_sports.ttl").read_bytes()
    for name in ("x.ttl", "x.owl"):
        assert load_text(tmp_path, marked, name).digest == sports.digest


def test_typed_notation_keeps_its_zeros(tmp_path: Path) -> None:
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    notation = f'<skos:notation rdf:datatype="{integer}">007</skos:notation>'
    xml = f'<skos:Concept rdf:about="#a">{notation}</skos:Concept>'
    turtle = f':a a skos:Concept ; skos:notation "007"^^<{integer}> .'
    for text, name in ((XML_START + xml + XML_END, "x.rdf"), (PREFIXES + turtle, "x.ttl")):
        assert load_text(tmp_path, text, name).synonyms(0) == ["007", "a"]
    assert rdflib.NORMALIZE_LITERALS  # rdflib's own setting is as it was


def test_without_rdflib_turtle_says_what_to_install_and_xml_still_loads(
    monkeypatch: pytest.MonkeyPatch, sports: Ontology
) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(OntologyError, match=r"pip install 'ontomask\[rdf\]'"):
        rdf.load(FIXTURES / "skos_sports.ttl", "x")
    assert rdf.load(FIXTURES / "skos_sports.rdf", "x").digest == sports.digest


def test_rdfxml_is_streamed(tmp_path: Path) -> None:
    """The first statements arrive before the rest of the file has been asked for."""
    many = "".join(f'<owl:Class rdf:about="#c{i}"/>' for i in range(20_000))
    path = tmp_path / "x.owl"
    path.write_text(XML_START + many + XML_END)
    with path.open("rb") as file:
        first = next(_rdfxml.statements(file, path, {_rdfxml.RDF_TYPE}))
        assert first.subject == "http://example.org/x#c0"
        assert file.tell() < path.stat().st_size / 2


# ---------------------------------------------------------------------- ids and choices


def test_short_ids() -> None:
    iris = {
        "http://purl.obolibrary.org/obo/HP_0000001": "HP:0000001",
        "http://purl.obolibrary.org/obo/APOLLO_SV_00000001": "APOLLO_SV:00000001",
        "http://purl.obolibrary.org/obo/go#slim": "slim",
        "http://www.ebi.ac.uk/efo/EFO_0000001": "EFO_0000001",
        "http://example.org/thing/": "thing",
        "urn:isbn:1": "urn:isbn:1",
    }
    assert rdf.short_ids(iris) == iris


def test_iris_that_collapse_keep_their_whole_form(tmp_path: Path) -> None:
    ontology = load_both(
        tmp_path,
        ":r a owl:Class . <http://a.org/Pain> rdfs:subClassOf :r . <http://b.org/Pain> rdfs:subClassOf :r .",
    )
    assert list(ontology.ids) == ["r", "http://a.org/Pain", "http://b.org/Pain"]


@pytest.mark.parametrize(
    ("labels", "preferred"),
    [
        ('rdfs:label "b", "a"@en', "a"),
        ('rdfs:label "dolor"@es, "pain"', "pain"),
        ('rdfs:label "dolor"@es, "pain"@en-GB', "pain"),
        ('rdfs:label "colour"@en-GB, "color"@en', "color"),
        ('rdfs:label "label" ; skos:prefLabel "preferred"', "preferred"),
        ('rdfs:label "zwei"@de, "eins"@de', "eins"),
        ('skos:altLabel "other"', "c"),
        ('rdfs:label "  "', "c"),
    ],
)
def test_preferred_label(tmp_path: Path, labels: str, preferred: str) -> None:
    ontology = load_both(tmp_path, f":c a owl:Class ; {labels} .")
    assert ontology.labels[0] == preferred


@pytest.mark.parametrize(
    ("texts", "gloss"),
    [
        ('rdfs:comment "comment" ; skos:definition "definition"', "definition"),
        ('rdfs:comment "comment"', "comment"),
        ('skos:definition "Begriff"@de, "concept"@en', "concept"),
        ('rdfs:label "only a label"', ""),
    ],
)
def test_gloss(tmp_path: Path, texts: str, gloss: str) -> None:
    assert load_both(tmp_path, f":c a owl:Class ; {texts} .").gloss(0) == gloss


def test_rdfs_classes_and_bare_subclass_statements_are_classes(tmp_path: Path) -> None:
    ontology = load_both(
        tmp_path, ":a a rdfs:Class . :b rdfs:subClassOf :a . :c rdfs:subClassOf rdfs:Resource ."
    )
    assert edges(ontology) == {("a", "*"), ("c", "*"), ("b", "a")}


def test_the_class_of_a_skos_concept_is_not_its_parent(tmp_path: Path) -> None:
    ontology = load_both(
        tmp_path,
        ":Job a owl:Class ; rdfs:subClassOf skos:Concept . skos:Concept a owl:Class ."
        ":baker a skos:Concept, :Job ; skos:broader :cook . :cook a skos:Concept, :Job .",
    )
    assert edges(ontology) == {("Job", "*"), ("cook", "*"), ("baker", "cook")}


@pytest.mark.parametrize("how", ["a owl:DeprecatedClass", "a owl:Class ; owl:deprecated true"])
def test_deprecated_classes_go_with_their_links(tmp_path: Path, how: str) -> None:
    ontology = load_both(tmp_path, f":a a owl:Class . :b {how} ; rdfs:subClassOf :a, :unknown .")
    assert list(ontology.ids) == ["a"]


def test_not_deprecated_is_kept(tmp_path: Path) -> None:
    assert len(load_both(tmp_path, ":a a owl:Class ; owl:deprecated false .")) == 1


def test_rdfxml_base_language_and_property_forms(tmp_path: Path) -> None:
    ontology = load_text(
        tmp_path,
        XML_START
        + """<owl:Class rdf:about="" rdfs:label="whole"/>
        <rdf:Description xml:base="http://other.org/y#z" rdf:about="#part" xml:lang="de">
          <rdf:type rdf:resource="http://www.w3.org/2002/07/owl#Class"/>
          <rdfs:subClassOf rdf:resource="http://example.org/x"/>
          <rdfs:subClassOf rdf:nodeID="anonymous"/>
          <rdfs:subClassOf rdf:parseType="Resource"><rdfs:label>anonymous</rdfs:label></rdfs:subClassOf>
          <rdfs:label>Teil</rdfs:label><rdfs:label xml:lang="en">part</rdfs:label>
          <rdfs:comment rdf:parseType="Literal">a <b>marked</b> part</rdfs:comment>
        </rdf:Description>"""
        + XML_END,
        "x.rdf",
    )
    assert edges(ontology) == {("part", "x")}
    assert list(ontology.labels) == ["whole", "part"]
    assert ontology.synonyms(1) == ["Teil", "part"]
    assert ontology.gloss(1) == "a marked part"


# ---------------------------------------------------------------------- recognition


def test_recognises(tmp_path: Path) -> None:
    for name in ("rdf_conditions.owl", "rdf_conditions.ttl", "skos_sports.rdf"):
        assert rdf.recognises(FIXTURES / name)
        assert rdf.source_files(FIXTURES / name) == [FIXTURES / name]
    (tmp_path / "rdf.xml").write_text(XML_START + XML_END)
    (tmp_path / "other.xml").write_text("<DescriptorRecordSet/>")
    (tmp_path / "empty.xml").write_text("")
    (tmp_path / "x.obo").write_text("[Term]")
    assert rdf.recognises(tmp_path / "rdf.xml")
    for name in ("other.xml", "empty.xml", "x.obo", "absent.owl", "."):
        assert not rdf.recognises(tmp_path / name)


# ---------------------------------------------------------------------- damage

WHOLE = (FIXTURES / "rdf_conditions.owl").read_bytes()
X = "http://example.org/x#"

DAMAGED_FILES: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("x.owl", b"", r"x\.owl: the file is empty"),
    "blank Turtle": ("x.ttl", b" \n", r"x\.ttl: the file is empty"),
    "XML cut between elements": (
        "x.owl",
        WHOLE[: WHOLE.index(b"<owl:Axiom>")],
        r"x\.owl, line 44: the XML is cut short; get",
    ),
    "XML cut within a tag": ("x.owl", WHOLE[:1500], r"x\.owl, line \d+: the XML is cut short"),
    "compressed XML cut": ("x.owl.gz", gzip.compress(WHOLE)[:-30], r"x\.owl\.gz: damaged gzip file"),
    "XML in another encoding": (
        "x.owl",
        (XML_START + '<owl:Class rdf:about="#é"/>' + XML_END).encode("latin-1"),
        r"x\.owl, line 5: not well-formed XML, or not in the encoding",
    ),
    "XML in an unknown encoding": (
        "x.owl",
        XML_START.replace('"1.0"', '"1.0" encoding="klingon"') + XML_END,
        r"x\.owl.*(unknown|klingon)",
    ),
    "mismatched tag": (
        "x.rdf",
        XML_START + "<owl:Class></rdf:RDF>",
        r"line 5: not well-formed XML \(mismatched",
    ),
    "undefined entity": ("x.owl", XML_START + "&owl;" + XML_END, r"line 5: .*undefined entity"),
    "HTML": ("x.owl", "<html><body>Not found</body></html>", r"outermost element is <html>, not <rdf:RDF>"),
    "OWL/XML": (
        "x.owl",
        '<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#"></Ontology>',
        r"<Ontology>, not <rdf:RDF>.*save the ontology as RDF/XML or Turtle",
    ),
    "functional syntax": (
        "x.owl",
        "Prefix(:=<http://a/>)\nOntology(<http://a>)",
        r"functional.*must be saved",
    ),
    "no concepts": ("x.owl", XML_START + XML_END, r"x\.owl: no concepts found"),
    "deep nesting": (
        "x.rdf",
        XML_START
        + "<skos:Concept><skos:narrower>" * 3000
        + "</skos:narrower></skos:Concept>" * 3000
        + XML_END,
        r"x\.rdf: elements are nested too deeply",
    ),
    "one rdf:ID twice": (
        "x.owl",
        XML_START + '<owl:Class rdf:ID="a"/><owl:Class rdf:ID="a"/>' + XML_END,
        r"x\.owl: rdf:ID 'a' \(http://example\.org/x#a\) is used twice",
    ),
    "Turtle cut in a string": (
        "x.ttl",
        PREFIXES + ':a rdfs:label "pa',
        r"x\.ttl.*not readable as turtle.*cut",
    ),
    "Turtle cut in a statement": (
        "x.ttl",
        PREFIXES + ":a rdfs:subClassOf",
        r"x\.ttl: not readable as turtle \(it ends within a statement\)",
    ),
    "a table as Turtle": ("x.ttl", "name,age\nAnn,7\n", r"x\.ttl, line 1: not readable as turtle \(expected"),
    "Turtle in another encoding": (
        "x.ttl",
        (PREFIXES + ':a rdfs:label "é" .').encode("latin-1"),
        r"x\.ttl, line 6: not UTF-8 text",
    ),
    "triples cut": ("x.nt", "<http://a> <http://b>", r"x\.nt: not readable as nt"),
    "JSON cut": ("x.jsonld", '{"@id": "http://a', r"x\.jsonld: not JSON"),
    "JSON-LD with a remote context": (
        "x.jsonld",
        '[{"@id": "a:b", "x": {"@context": [{}, "http://example.org/c"]}}]',
        r"x\.jsonld: the @context 'http://example\.org/c' lies outside the file and is not fetched",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED_FILES)
def test_damaged_files(tmp_path: Path, kind: str) -> None:
    name, content, message = DAMAGED_FILES[kind]
    with pytest.raises(OntologyError, match=message):
        load_text(tmp_path, content, name)


DAMAGED_GRAPHS = {
    "dangling superclass": (
        ":a a owl:Class ; rdfs:subClassOf <http://other.org/B> .",
        rf"<{X}a> is-a <http://other\.org/B>, but <http://other\.org/B> is not declared in this file; merge",
    ),
    "several dangling": (
        ":a rdfs:subClassOf :y . :b rdfs:subClassOf :z .",
        rf"<{X}a> is-a <{X}y>.*\(2 such links in all\)",
    ),
    "dangling broader": (
        ":a a skos:Concept ; skos:broader :b .",
        rf"<{X}a> is-a <{X}b>, but <{X}b> is not decl",
    ),
    "dangling narrower": (
        ":a a skos:Concept ; skos:narrower :b .",
        rf"<{X}b> is-a <{X}a>, but <{X}b> is not decl",
    ),
    "deprecated superclass": (
        ":a rdfs:subClassOf :b . :b a owl:Class ; owl:deprecated true .",
        rf"<{X}b> is deprecated and so left out",
    ),
    "cycle": (
        ":r a owl:Class . :a rdfs:subClassOf :b, :r . :b rdfs:subClassOf :a .",
        r"form a cycle: 'a' is-a 'b' is-a 'a'",
    ),
    "no root": (":a skos:broader :b . :b skos:broader :a .", r"no root; a cycle"),
}


@pytest.mark.parametrize("kind", DAMAGED_GRAPHS)
@pytest.mark.parametrize("name", ["x.ttl", "x.rdf"])
def test_damaged_graphs(tmp_path: Path, kind: str, name: str) -> None:
    turtle, message = DAMAGED_GRAPHS[kind]
    text = PREFIXES + turtle
    if name == "x.rdf":
        text = rdflib.Graph().parse(data=text, format="turtle").serialize(format="xml")
    with pytest.raises(OntologyError, match=rf"{name}: .*{message}"):
        load_text(tmp_path, text, name)
