"""UMLS RRF: an invented Metathesaurus of five concepts and an invented Semantic Network."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import rrf

TOP, ACHE, HEAD_ACHE, HEAD, FOREIGN, HIDDEN = (f"C000000{i}" for i in range(1, 7))


def name(
    cui: str,
    text: str,
    flags: str = "P PF Y",
    source: str = "AAA",
    language: str = "ENG",
    suppress: str = "N",
) -> str:
    ts, stt, preferred = flags.split()
    return f"{cui}|{language}|{ts}|L1|{stt}|S1|{preferred}|A1||||{source}|PT|X1|{text}|0|{suppress}||\n"


def link(first: str, rel: str, second: str, rela: str = "", source: str = "AAA", suppress: str = "N") -> str:
    return f"{first}|A1|AUI|{rel}|{second}|A2|AUI|{rela}|R1||{source}|{source}|||{suppress}||\n"


CONSO = [
    name(TOP, "Complaint"),
    name(ACHE, "Aching", "S VO N"),
    name(ACHE, "Ache"),
    name(ACHE, "Achy", "S PF Y", source="BBB"),
    name(ACHE, "Dolor", language="SPA"),
    name(ACHE, "Old ache", "S PF N", suppress="O"),
    name(HEAD_ACHE, "Ache of head"),
    name(HEAD_ACHE, "Brain-ache", "P PF N", source="BBB"),
    name(HEAD, "Head"),
    name(FOREIGN, "Queja", language="SPA"),
    name(HIDDEN, "Withdrawn", suppress="E"),
]
REL = [
    link(ACHE, "PAR", TOP, "inverse_isa"),  # the second, TOP, is the parent of the first
    link(TOP, "CHD", ACHE, "isa"),
    link(TOP, "CHD", HEAD),
    link(ACHE, "RN", HEAD_ACHE, "isa", source="BBB"),
    link(HEAD, "RO", HEAD_ACHE, "has_site"),
    link(HEAD_ACHE, "PAR", HEAD, "has_part"),
    link(ACHE, "SY", ACHE, "same_as"),
    link(TOP, "PAR", HEAD_ACHE, suppress="O"),
    link(TOP, "CHD", FOREIGN),
    link(HEAD, "SIB", ACHE),
]
STY = [
    f"{ACHE}|T901|A1|Kind of Trouble|AT1||\n",
    f"{ACHE}|T902|A2|Feeling|AT2||\n",
    f"{FOREIGN}|T902|A2|Feeling|AT3||\n",
]
DEF = [
    f"{ACHE}|A1|AT1||ESP|Algo que duele.|N||\n",
    f"{ACHE}|A1|AT2||AAA|Withdrawn text.|O||\n",
    f"{ACHE}|A1|AT3||AAA|Something that hurts.|N||\n",
    f"{ACHE}|A1|AT4||AAA|A second text.|N||\n",
]
FILES = {"MRCONSO.RRF": CONSO, "MRREL.RRF": REL, "MRSTY.RRF": STY, "MRDEF.RRF": DEF}


def write(folder: Path, **changes: list[str]) -> Path:
    (folder / "META").mkdir(parents=True, exist_ok=True)
    for file, lines in FILES.items():
        rows = changes.get(file.removesuffix(".RRF"), lines)
        (folder / "META" / file).write_text("".join(rows), encoding="utf-8")
    return folder


def parents(ontology: Ontology) -> dict[str, set[str]]:
    return {ontology.ids[c]: {ontology.ids[p] for p in ontology.parents[c]} for c in range(len(ontology))}


def test_structure(tmp_path: Path) -> None:
    umls = rrf.load(write(tmp_path), "umls")
    assert parents(umls) == {TOP: set(), ACHE: {TOP}, HEAD: {TOP}, HEAD_ACHE: {ACHE}}
    assert any("1 links of MRREL.RRF" in note for note in umls.notes)  # the one to the Spanish concept


def test_words(tmp_path: Path) -> None:
    umls = rrf.load(write(tmp_path), "umls")
    ache = umls.concept(ACHE)
    assert umls.labels[ache] == "Ache"
    assert set(umls.synonyms(ache)) == {"Ache", "Aching", "Achy"}
    assert umls.semantic_types(ache) == ["Feeling", "Kind of Trouble"]
    assert umls.gloss(ache) == "Something that hurts."


def test_relations_read_from_the_second_concept_to_the_first(tmp_path: Path) -> None:
    umls = rrf.load(write(tmp_path), "umls")
    assert set(umls.relations) == {"has_site", "has_part"}
    assert umls.relations["has_site"][umls.concept(HEAD_ACHE)].tolist() == [umls.concept(HEAD)]
    assert umls.relations["has_part"][umls.concept(HEAD)].tolist() == [umls.concept(HEAD_ACHE)]


def test_one_source_alone(tmp_path: Path) -> None:
    write(tmp_path)
    umls = rrf.load(tmp_path, "umls", sources=["BBB"])
    assert parents(umls) == {ACHE: set(), HEAD_ACHE: {ACHE}}
    assert [umls.labels[c] for c in range(2)] == ["Achy", "Brain-ache"]
    with pytest.raises(OntologyError, match="no English names of source CCC; it has AAA, BBB"):
        rrf.load(tmp_path, "umls", sources=["AAA", "CCC"])


def test_optional_files_may_be_absent(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "META" / "MRSTY.RRF").unlink()
    (tmp_path / "META" / "MRDEF.RRF").unlink()
    umls = rrf.load(tmp_path, "umls")
    assert (umls.types, umls.glosses) == (None, None)
    assert rrf.source_files(tmp_path) == [tmp_path / "META" / "MRCONSO.RRF", tmp_path / "META" / "MRREL.RRF"]


def test_recognises(tmp_path: Path) -> None:
    assert not rrf.recognises(tmp_path)
    assert rrf.recognises(write(tmp_path))
    assert not rrf.recognises(tmp_path / "META" / "MRCONSO.RRF")
    assert [file.name for file in rrf.source_files(tmp_path)] == [
        "MRCONSO.RRF",
        "MRREL.RRF",
        "MRSTY.RRF",
        "MRDEF.RRF",
    ]


@pytest.mark.parametrize("file", ["MRCONSO.RRF", "MRREL.RRF"])
def test_missing_file(tmp_path: Path, file: str) -> None:
    (write(tmp_path) / "META" / file).unlink()
    assert rrf.recognises(tmp_path)
    with pytest.raises(OntologyError, match=f"no file {file}"):
        rrf.load(tmp_path, "umls")


@pytest.mark.parametrize("file", FILES)
def test_damaged_file(tmp_path: Path, file: str) -> None:
    path = write(tmp_path) / "META" / file
    whole = path.read_bytes()
    last = len(FILES[file])
    rows = whole.splitlines(keepends=True)
    for damaged, message in (
        (whole[:-4], f"line {last}: the last line is cut short"),
        (b"".join([rows[0], rows[1].replace(b"|", b"", 1), *rows[2:]]), r"line 2: \d+ columns .*, not \d+"),
        (b"".join([rows[0], rows[1], b"\xe9" + rows[2], *rows[3:]]), "line 3: not UTF-8"),
        (b"", "the file is empty"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(OntologyError, match=f"{file}.*{message}"):
            rrf.load(tmp_path, "umls")


def test_last_line_whole_but_without_its_end(tmp_path: Path) -> None:
    path = write(tmp_path) / "META" / "MRREL.RRF"
    path.write_bytes(path.read_bytes()[:-1])
    assert len(rrf.load(tmp_path, "umls")) == 4


def test_duplicate_preferred_name(tmp_path: Path) -> None:
    write(tmp_path, MRCONSO=[*CONSO, name(ACHE, "Ache")])
    with pytest.raises(OntologyError, match=f"line 12: a second preferred English name for '{ACHE}'"):
        rrf.load(tmp_path, "umls")


def test_cycle_names_it_and_the_way_out(tmp_path: Path) -> None:
    write(tmp_path, MRREL=[*REL, link(ACHE, "PAR", HEAD_ACHE, source="BBB")])
    with pytest.raises(OntologyError, match=rf"cycle: '{ACHE}' is-a '{HEAD_ACHE}' is-a .*`sources`"):
        rrf.load(tmp_path, "umls")
    assert parents(rrf.load(tmp_path, "umls", sources=["AAA"]))[HEAD_ACHE] == {"*"}


def test_dangling_link(tmp_path: Path) -> None:
    write(tmp_path, MRREL=[*REL, link(ACHE, "PAR", "C9999999")])
    with pytest.raises(OntologyError, match=r"MRREL.RRF, line 11: 'C9999999' PAR .* is not in MRCONSO"):
        rrf.load(tmp_path, "umls")


def test_no_english_names(tmp_path: Path) -> None:
    write(tmp_path, MRCONSO=[line.replace("|ENG|", "|SPA|") for line in CONSO])
    with pytest.raises(OntologyError, match=r"no concepts found; is this the right file and format\?$"):
        rrf.load(tmp_path, "umls")


def test_no_hierarchy(tmp_path: Path) -> None:
    write(tmp_path, MRREL=[link(HEAD, "RO", HEAD_ACHE, "has_site")])
    with pytest.raises(OntologyError, match="no PAR, CHD or isa links"):
        rrf.load(tmp_path, "umls")


# ---------------------------------------------------------------------- Semantic Network

#  T1 Thing            T5 Happening
#  └ T2 Creature       └ T6 Illness
#    ├ T3 Beast          ├ T7 Fever
#    └ T4 Bug            └ T8 Sorrow
TYPES = {
    "T1": "Thing", "T2": "Creature", "T3": "Beast", "T4": "Bug",
    "T5": "Happening", "T6": "Illness", "T7": "Fever", "T8": "Sorrow",
}  # fmt: skip
UP = {"T2": "T1", "T3": "T2", "T4": "T2", "T6": "T5", "T7": "T6", "T8": "T6"}
RELATIONS = {"T186": "isa", "T147": "causes", "T166": "associated_with"}
SRDEF = [
    *(f"STY|{ui}|{text}|A1|About {text}.|EX|UN|NH|ABR||\n" for ui, text in TYPES.items()),
    *(f"RL|{ui}|{text}|R1|About {text}.|EX|UN|NH|ABR|INV|\n" for ui, text in RELATIONS.items()),
]
SRSTR = [
    "Thing|isa||D|\n",
    "Happening|isa||D|\n",
    *(f"{TYPES[child]}|isa|{TYPES[parent]}|D|\n" for child, parent in UP.items()),
    "causes|isa|associated_with|D|\n",
    "Bug|causes|Illness|D|\n",
    "Bug|causes|Sorrow|B|\n",
    "Creature|associated_with|Illness|DNI|\n",
]
SRSTRE1 = [
    *(f"{child}|T186|{parent}|\n" for child, parent in UP.items()),
    *(f"{child}|T186|{UP[parent]}|\n" for child, parent in UP.items() if parent in UP),
    "T4|T147|T6|\n",
    "T4|T147|T7|\n",
    "T2|T166|T6|\n",
]
SRSTRE2 = ["|".join((TYPES | RELATIONS)[part] for part in line.split("|")[:3]) + "|\n" for line in SRSTRE1]
NETWORK = {"SRDEF": SRDEF, "SRSTR": SRSTR, "SRSTRE1": SRSTRE1, "SRSTRE2": SRSTRE2}


def write_network(folder: Path, *files: str, **changes: list[str]) -> Path:
    for file in ("SRDEF", *files):
        (folder / file).write_text("".join(changes.get(file, NETWORK[file])), encoding="utf-8")
    return folder


@pytest.mark.parametrize("files", [("SRSTR",), ("SRSTRE1",), ("SRSTRE2",), ("SRSTR", "SRSTRE1", "SRSTRE2")])
def test_semantic_network_is_the_same_from_any_of_its_files(tmp_path: Path, files: tuple[str, ...]) -> None:
    assert rrf.recognises(write_network(tmp_path, *files))
    assert rrf.source_files(tmp_path) == [tmp_path / file for file in ("SRDEF", *files)]
    network = rrf.load(tmp_path, "semantic network")
    assert parents(network) == {
        "*": set(),
        "T1": {"*"},
        "T5": {"*"},
        **{child: {parent} for child, parent in UP.items()},
    }
    assert network.labels[network.concept("T6")] == "Illness"
    assert network.gloss(network.concept("T6")) == "About Illness."
    assert set(network.relations) == {"causes", "associated_with"}
    causes = network.relations["causes"]
    # passed on from illness to fever; blocked for sorrow
    assert {network.ids[c] for c in causes[network.concept("Bug")]} == {"T6", "T7"}
    assert len(causes.values) == 2
    associated = network.relations["associated_with"]
    assert [network.ids[c] for c in associated[network.concept("Creature")]] == ["T6"]
    assert len(associated.values) == 1  # defined, not inherited


def test_network_beside_the_metathesaurus_is_a_folder_of_its_own(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "NET").mkdir()
    write_network(tmp_path / "NET", "SRSTR")
    assert rrf.load(tmp_path, "umls").has_id(ACHE)
    assert rrf.load(tmp_path / "NET", "network").has_id("T7")


def test_damaged_network(tmp_path: Path) -> None:
    write_network(tmp_path)
    with pytest.raises(OntologyError, match="no file SRSTR"):
        rrf.load(tmp_path, "network")
    for changes, message in (
        ({"SRSTR": [*SRSTR, "Fever|isa|Nothing|D|\n"]}, "SRSTR, line 13: 'Nothing' is not defined in SRDEF"),
        ({"SRSTR": [*SRSTR, "Illness|isa|Fever|D|\n"]}, "cycle: 'T6' is-a 'T7' is-a 'T6'"),
        ({"SRSTR": [*SRSTR[:-1], "Creature|associated"]}, "SRSTR, line 12: the last line is cut short"),
        ({"SRSTR": []}, "SRSTR: the file is empty"),
        ({"SRDEF": [*SRDEF, SRDEF[0]]}, "SRDEF, line 12: the id 'T1' is used twice"),
        ({"SRDEF": ["XX" + SRDEF[0], *SRDEF[1:]]}, "SRDEF, line 1: record type 'XXSTY'"),
    ):
        write_network(tmp_path, "SRSTR", **changes)
        with pytest.raises(OntologyError, match=message):
            rrf.load(tmp_path, "network")
