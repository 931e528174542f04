"""Every reader of the house as a function of bytes, with valid files to start from.

A reader accepts its bytes or raises an `OntomaskError`; anything else is a finding. Formats of several files
take them as one, parted by `BREAK`.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, parquet

from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies.formats import read_hierarchy, write_hierarchy
from ontomask.hierarchies.intervals import read_ranges
from ontomask.linking.crossmap import read_crossmap
from ontomask.linking.mapping import read_mapping
from ontomask.linking.synonyms import read_synonyms
from ontomask.literature import Collection, CountTable, index_texts
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft
from ontomask.ontology.formats import FORMATS, format_named
from ontomask.ontology.labels import words_in
from ontomask.ontology.storage import read_ontology, read_summary, write_ontology
from ontomask.plan import Plan
from ontomask.tables import TableOptions, open_table

BREAK = b"\x1e"
TESTS = Path(__file__).parents[2]


@dataclass(frozen=True)
class Reader:
    """What is done with bytes, and bytes with which it succeeds.

    `files` are the names under which the bytes are written to a folder of their own; `read` is called with
    the file, or with the folder if there are several.
    """

    name: str
    files: tuple[str, ...]
    read: Callable[[Path], object]
    seeds: Callable[[], Iterator[bytes]]

    def __call__(self, content: bytes) -> None:
        folder = Path(tempfile.mkdtemp(prefix="ontomask-fuzz-"))
        try:
            parts = content.split(BREAK, len(self.files) - 1)
            for name, part in zip(self.files, parts, strict=False):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(part)
            self.read(folder / self.files[0] if len(self.files) == 1 else folder)
        finally:
            shutil.rmtree(folder)


# ---------------------------------------------------------------------- ontologies


def _use(ontology: Ontology) -> None:
    """Ask what a run asks of an ontology."""
    _ = ontology.ancestors, ontology.longest_depth, ontology.shortest_depth, ontology.leaf_counts
    for concept in range(min(len(ontology), 20)):
        assert ontology.candidates(concept) == [concept]
        ontology.synonyms(concept), ontology.gloss(concept), ontology.semantic_types(concept)
        ontology.key(concept)
    assert all(len(ontology.senses_of(term)) for term in ontology.terms)


def _ontology(kind: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        loader = format_named(kind)
        if loader.recognises(path):
            loader.source_files(path)
        _use(loader.load(path, "fuzzed"))

    return read


def _labels(path: Path) -> None:
    """Laying words over WordNet takes long, and is done for those that it has alone."""
    if not [*words_in(path)]:
        raise OntologyError("no word in it", file=str(path))


def _stored(path: Path) -> None:
    ontology = read_ontology(path)
    read_summary(path)
    _use(ontology)


def _stored_seeds() -> Iterator[bytes]:
    draft = Draft("pets")
    for concept in ("animal", "cat", "dog"):
        draft.concept(concept, concept)
        draft.gloss(concept, f"what a {concept} is")
        draft.semantic_type(concept, "living")
    draft.is_a("cat", "animal")
    draft.is_a("dog", "animal")
    draft.relation("chases", "dog", "cat")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.onto"
        write_ontology(draft.finish(), path)
        yield path.read_bytes()


def _fixtures(*names: str) -> Callable[[], Iterator[bytes]]:
    return lambda: ((TESTS / name).read_bytes() for name in names)


def _texts(*texts: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (text.encode() for text in texts)


MESH = """<?xml version="1.0"?><!DOCTYPE DescriptorRecordSet SYSTEM "x.dtd">
<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI>
<DescriptorName><String>Flu</String></DescriptorName>
<TreeNumberList><TreeNumber>C01</TreeNumber><TreeNumber>C01.5</TreeNumber></TreeNumberList>
<SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D2</DescriptorUI>
</DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>
<ConceptList><Concept PreferredConceptYN="Y"><ScopeNote>An illness.</ScopeNote><TermList><Term>
<String>Grippe</String></Term></TermList></Concept></ConceptList></DescriptorRecord>
<DescriptorRecord><DescriptorUI>D2</DescriptorUI><DescriptorName><String>Cold</String></DescriptorName>
<TreeNumberList><TreeNumber>C02</TreeNumber></TreeNumberList></DescriptorRecord></DescriptorRecordSet>
""".replace("<TreeNumber>C01.5</TreeNumber>", "")
WORDNET = """  1 a licence
00000001 03 n 01 entity 0 000 | what is
00000002 03 n 02 animal 0 beast 0 001 @ 00000001 n 0000 | a living thing
00000003 05 n 01 Rex 0 002 @i 00000002 n 0000 %p 00000001 n 0000 | a dog
\x1eanimal n 1 2 @ ~ 1 1 00000002
entity n 1 1 ~ 1 0 00000001
rex n 1 1 @i 1 0 00000003
"""


def _rf2_seeds() -> Iterator[bytes]:
    name, is_a = "900000000000003001", "116680003"
    tables = [
        [["id", "active"], ["1", "1"], ["2", "1"], ["3", "0"]],
        [["id", "active", "conceptId", "typeId", "term"], ["7", "1", "1", name, "All (root)"]],
        [["id", "active", "sourceId", "destinationId", "typeId"], ["9", "1", "2", "1", is_a]],
        [["active", "conceptId", "term"], ["1", "2", "a definition"]],
        [["active", "refsetId", "referencedComponentId", "acceptabilityId"], ["1", "5", "7", "8"]],
    ]
    yield BREAK.join("".join("\t".join(row) + "\n" for row in table).encode() for table in tables)


def _rrf(*rows: str) -> bytes:
    return "".join(row.replace(" ", "|") + "|\n" for row in rows).encode()


def _rrf_seeds() -> Iterator[bytes]:
    yield BREAK.join(
        [
            _rrf(*(f"C{i} ENG P L PF S Y A a c d MSH MH X name{i} 0 N 256" for i in range(3))),
            _rrf(
                "C0 A SCUI CHD C1 B SCUI isa R r MSH MSH 0 Y N 0", "C0 A C RO C2 B C causes R r MSH s 0 Y N 0"
            ),
            _rrf("C0 T1 A1 Disease AT 0"),
            _rrf("C1 A AT SAT MSH words N 0"),
        ]
    )


def _network_seeds() -> Iterator[bytes]:
    defined = [f"{kind} {ui} {name} A gloss e u n a r" for kind, ui, name in NETWORK]
    yield BREAK.join([_rrf(*defined), _rrf("Event isa Entity D", "Event causes Event D", "Entity isa  D")])
    yield BREAK.join([_rrf(*defined), _rrf("Event isa Entity D"), _rrf("T2 T8 T1", "T2 T9 T2")])


NETWORK = [("STY", "T1", "Entity"), ("STY", "T2", "Event"), ("RL", "T8", "isa"), ("RL", "T9", "causes")]
DGH = """sex:discrete:generalization
Organism:Result-of, Of
(any {male} {female})

age:continuous
Age:NONE
(0-9 {0-4} {5-9})
"""
JSON_LD = (
    '{"@context": {"label": "http://www.w3.org/2000/01/rdf-schema#label"}, "@graph": [{"@id": "http://x/a", '
    '"@type": "http://www.w3.org/2002/07/owl#Class", "label": {"@value": "flu", "@language": "en"}}]}'
)
TRIPLES = (
    "<http://x/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> .\n"
)
LMF = """<?xml version="1.0"?><LexicalResource><Lexicon id="omw-es" language="es"><LexicalEntry id="a">
<Lemma writtenForm="enfermera" partOfSpeech="n"/><Sense id="b" synset="omw-es-10366966-n"/></LexicalEntry>
</Lexicon></LexicalResource>
"""
FIXTURES = "ontology/fixtures/"
ONTOLOGIES = [
    Reader("wndb", ("data.noun", "index.noun"), _ontology("wndb"), _texts(WORDNET)),
    Reader(
        "rf2",
        (
            "sct2_Concept_Snapshot_x.txt",
            "sct2_Description_Snapshot-en_x.txt",
            "sct2_Relationship_Snapshot_x.txt",
            "sct2_TextDefinition_Snapshot-en_x.txt",
            "der2_cRefset_LanguageSnapshot-en_x.txt",
        ),
        _ontology("rf2"),
        _rf2_seeds,
    ),
    Reader("rrf", ("MRCONSO.RRF", "MRREL.RRF", "MRSTY.RRF", "MRDEF.RRF"), _ontology("rrf"), _rrf_seeds),
    Reader("rrf-network", ("SRDEF", "SRSTR", "SRSTRE1"), _ontology("rrf"), _network_seeds),
    Reader("mesh", ("desc.xml",), _ontology("mesh"), _texts(MESH)),
    Reader("obo", ("x.obo",), _ontology("obo"), _fixtures(FIXTURES + "obo_conditions.obo")),
    Reader(
        "rdf",
        ("x.owl",),
        _ontology("rdf"),
        _fixtures(FIXTURES + "rdf_conditions.owl", FIXTURES + "skos_sports.rdf"),
    ),
    Reader(
        "rdf-turtle",
        ("x.ttl",),
        _ontology("rdf"),
        _fixtures(FIXTURES + "rdf_conditions.ttl", FIXTURES + "skos_sports.ttl"),
    ),
    Reader("rdf-triples", ("x.nt",), _ontology("rdf"), _texts(TRIPLES)),
    Reader("rdf-json", ("x.jsonld",), _ontology("rdf"), _texts(JSON_LD)),
    Reader("dgh", ("x.dgh",), _ontology("dgh"), _texts(DGH)),
    Reader(
        "listed",
        ("x.csv",),
        _ontology("listed"),
        _texts("# pain\nid;parent;label;synonyms\nR52;;pain;ache|hurt\nG43;R52;migraine;\nM54;R52;;\n"),
    ),
    Reader(
        "arx",
        ("x.csv",),
        _ontology("arx"),
        _texts("flu;illness;*\ncold;illness;*\nfit;health;*\n", 'a,"b ""c"""\n'),
    ),
    Reader(
        "nested",
        ("x.yaml",),
        _ontology("nested"),
        _fixtures("golden/conditions.yaml", "golden/occupation_vgh.yaml", "golden/treatments.yaml"),
    ),
    Reader(
        "nested-json",
        ("x.json",),
        _ontology("nested"),
        _texts('{"a": {"=": "a.n.01", "b": ["c", "\\ud83d\\ude00"]}}'),
    ),
    Reader("onto", ("x.onto",), _stored, _stored_seeds),
    Reader("labels-tab", ("x.tab",), _labels, _texts("# Spanish\tspa\n10366966-n\tspa:lemma\tenfermera\n")),
    Reader("labels-lmf", ("x.xml",), _labels, _texts(LMF)),
]
assert {one.name.partition("-")[0] for one in ONTOLOGIES} == {*FORMATS, "onto", "labels"}

# ---------------------------------------------------------------------- hierarchies


def _hierarchy(path: Path) -> None:
    """Whatever is read is written as it was, or refused."""
    tree = read_hierarchy(path, column="sex")
    _ = tree.parents, tree.children, tree.value_counts
    for ending in (".csv", ".yaml", ".json", ".dgh"):
        with suppress(OntomaskError):
            again = path.with_name(f"again{ending}")
            write_hierarchy(tree, again)
            assert sorted(read_hierarchy(again).rows()) == sorted(tree.rows())


HIERARCHIES = [
    Reader(
        "hierarchy-csv", ("x.csv",), _hierarchy, _texts("flu;ill;ill;*\ncold;ill;ill;*\nfit;fit;well;*\n")
    ),
    Reader("hierarchy-yaml", ("x.yaml",), _hierarchy, _fixtures("golden/occupation_vgh.yaml")),
    Reader("hierarchy-json", ("x.json",), _hierarchy, _texts('{"a": {"=": "a.n.01", "a": {}, "b": ["c"]}}')),
    Reader("hierarchy-dgh", ("x.dgh",), _hierarchy, _texts(DGH)),
    Reader(
        "ranges", ("x.csv",), read_ranges, _texts('# years\nlabel,from,to\nchild,,18\n"adult, old",18,\n')
    ),
]

# ---------------------------------------------------------------------- plans and mappings

PLAN = """table: {separator: ";", na_values: ["", NA]}
attributes:
  name: {role: identifier}
  job:  &job {role: quasi-identifier, ontology: wordnet, under: person, mapping: m.csv, weight: 2.5}
  job2: *job
  age:  {role: quasi-identifier, kind: numeric}
  size: {role: quasi-identifier, kind: ordinal, order: [S, M, L]}
privacy: {k: 3}
method: {name: recoding, measure: logsc}
missing: suppress-row
seed: 7
"""


def _plan(path: Path) -> None:
    plan = Plan.load(path)
    for attribute in plan.attributes.values():
        if attribute.ontology:
            plan.ontology_source(attribute.ontology)
    assert Plan.from_yaml(plan.to_yaml()) == plan


def _options(path: Path) -> None:
    """One option a line: its first character says which."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    given: dict[str, list[str]] = {}
    for line in text.split("\n"):
        kinds = {
            "q": "qi",
            "i": "identifiers",
            "c": "confidential",
            "u": "under",
            "m": "mapping",
            "s": "settings",
        }
        if line[:1] in kinds:
            given.setdefault(kinds[line[0]], []).append(line[1:])
    Plan().with_options(**given)


OPTIONS = """qjob:wordnet
qage:numeric
qsize:ordinal=low<mid<high
iname
csalary
ujob:person
mjob:m.csv
smethod.static=true
sattributes.age.weight=2
stable.na_values=[NA, none]
sattributes.x={role: other}
"""
SETTINGS = [
    Reader("plan", ("plan.yaml",), _plan, _texts(PLAN)),
    Reader("options", ("options",), _options, _texts(OPTIONS)),
    Reader("synonyms", ("s.csv",), read_synonyms, _texts('synonym,term\nUTI,infection\n"b, c",cat\n')),
    Reader("mapping", ("m.csv",), read_mapping, _texts('value,concept\na,dog.n.01\n"b, c",cat\n')),
    Reader("crossmap", ("m.csv",), read_crossmap, _texts("from,to\nA01,1234\nA02,567\n")),
]

# ---------------------------------------------------------------------- tables


def _table(**options: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        table = open_table(path, TableOptions(**options))  # type: ignore[arg-type]
        assert table.n_rows >= 0 and table.digest
        table.tuples(table.names[:3])
        for name in table.names[:3]:
            table.distinct(name)

    return read


PEOPLE = pa.table(
    {
        "name": ["Ann", "Bob", None, "Ann"],
        "age": [31, 42, None, 31],
        "size": pa.array([1.5, None, float("nan"), 2.25]),
        "job": pa.array(["nurse", "cook", "nurse", "nurse"]).dictionary_encode(),
        "born": pa.array([0, 1, None, 20_000], pa.date32()),
    }
)


def _parquet_seeds() -> Iterator[bytes]:
    for compression in ("NONE", "SNAPPY"):
        file = io.BytesIO()
        parquet.write_table(PEOPLE, file, compression=compression)
        yield file.getvalue()


def _arrow_seeds() -> Iterator[bytes]:
    for compression in ("uncompressed", "lz4"):
        file = io.BytesIO()
        feather.write_feather(PEOPLE, file, compression=compression)
        yield file.getvalue()


def _excel_seeds() -> Iterator[bytes]:
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        page = book.add_worksheet("people")
        for row, cells in enumerate([["name", "age"], ["Ann", 31], ["Bob", 42.5], [None, True]]):
            page.write_row(row, 0, cells)
    yield file.getvalue()


CSV = 'name;age;job\nAnn;31;"nurse; ""chief"""\nBob;42;\n;NA;cook\n'
TABLES = [
    Reader("text", ("t.csv",), _table(), _texts(CSV, "a,b\r\n1,2\r\n\ufeff3,4\r\n", "a\tb\n1\t2\n")),
    Reader("text-latin", ("t.csv",), _table(encoding="latin-1"), _texts(CSV)),
    Reader("text-wide", ("t.csv",), _table(encoding="utf-16"), lambda: iter([CSV.encode("utf-16")])),
    Reader("text-duckdb", ("t.csv",), _table(engine="duckdb"), _texts(CSV)),
    Reader("excel", ("t.xlsx",), _table(), _excel_seeds),
    Reader("parquet", ("t.parquet",), _table(engine="memory"), _parquet_seeds),
    Reader("arrow", ("t.arrow",), _table(), _arrow_seeds),
]

# ---------------------------------------------------------------------- texts and counts of terms

ARTICLES = """<?xml version="1.0" encoding="utf-8"?>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Old <i>age</i>
</ArticleTitle><Abstract><AbstractText Label="X">Angina &amp; more.</AbstractText></Abstract></Article>
<MeshHeadingList><MeshHeading><DescriptorName>Angina</DescriptorName></MeshHeading></MeshHeadingList>
</MedlineCitation></PubmedArticle><DeleteCitation><PMID>7</PMID></DeleteCitation></PubmedArticleSet>"""


def _articles(path: Path) -> None:
    """Whatever is indexed can be searched."""
    index_texts([path], path.with_name("index"))
    _counted(path.with_name("index"))


def _counted(path: Path) -> None:
    with Collection(path) as texts:
        texts.counts("old age", "angina|sex")
        texts.counts("age", "angina", "diagnosis")
        texts.changed_sources()


def _index_seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.xml").write_text(ARTICLES)
        index_texts([Path(folder) / "x.xml"], Path(folder) / "index")
        yield (Path(folder) / "index").read_bytes()


COUNTS = 'a,b,count_a,count_b,count_both,total\nage,"old, age",5,3,2,9\n'
LITERATURE = [
    Reader("medline", ("x.xml",), _articles, _texts(ARTICLES)),
    Reader("index", ("x.index",), _counted, _index_seeds),
    Reader("counts", ("x.csv",), CountTable.read, _texts(COUNTS)),
]

READERS = {one.name: one for one in (*ONTOLOGIES, *HIERARCHIES, *SETTINGS, *TABLES, *LITERATURE)}
