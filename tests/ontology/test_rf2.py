"""SNOMED CT RF2: a hand-made release of eight concepts, then every way in which it can be damaged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.formats import rf2

ROOT, IS_A, SITE = "138875005", "116680003", "363698007"
FINDING, SORE, SORE_KNEE, KNEE, RETIRED = "1001005", "1002005", "1003005", "1004005", "1005005"
FULL_NAME, SYNONYM = "900000000000003001", "900000000000013009"
US, GB = "900000000000509007", "900000000000508004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
MODULE = "900000000000207008"

CONCEPT = "Snapshot/Terminology/sct2_Concept_Snapshot_INT_20240101.txt"
DESCRIPTION = "Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20240101.txt"
RELATIONSHIP = "Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20240101.txt"
DEFINITION = "Snapshot/Terminology/sct2_TextDefinition_Snapshot-en_INT_20240101.txt"
LANGUAGE = "Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20240101.txt"

HEADERS = {
    CONCEPT: "id effectiveTime active moduleId definitionStatusId",
    DESCRIPTION: "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    RELATIONSHIP: "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId "
    "characteristicTypeId modifierId",
    DEFINITION: "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    LANGUAGE: "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
}


def concept(concept_id: str, active: int = 1) -> list[str]:
    return [concept_id, "20240101", str(active), MODULE, "900000000000074008"]


def description(number: int, of: str, kind: str, term: str, active: int = 1) -> list[str]:
    return [f"{number}011", "20240101", str(active), MODULE, of, "en", kind, term, "900000000000448009"]


def relationship(source: str, target: str, kind: str = IS_A, active: int = 1) -> list[str]:
    tail = ["0", kind, "900000000000011006", "900000000000451002"]
    return ["9024", "20240101", str(active), MODULE, source, target, *tail]


def language(refset: str, number: int, acceptability: str, active: int = 1) -> list[str]:
    return ["0a-0b", "20240101", str(active), MODULE, refset, f"{number}011", acceptability]


ROWS = {
    CONCEPT: [concept(c) for c in (ROOT, IS_A, SITE, FINDING, SORE, SORE_KNEE, KNEE)] + [concept(RETIRED, 0)],
    DESCRIPTION: [
        description(1, ROOT, FULL_NAME, "Everything (root)"),
        description(2, SITE, FULL_NAME, "Place of finding (attribute)"),
        description(3, SITE, SYNONYM, "Place"),
        description(4, FINDING, FULL_NAME, "Finding (general) (finding)"),
        description(5, SORE, FULL_NAME, "Soreness (finding)"),
        description(6, SORE, SYNONYM, "Sore part"),
        description(7, SORE_KNEE, FULL_NAME, "Soreness of knee (finding)"),
        description(8, SORE_KNEE, SYNONYM, "Sore-ish knee"),
        description(9, SORE_KNEE, SYNONYM, "Sore knee"),
        description(10, SORE_KNEE, SYNONYM, "Kneesore", active=0),
        description(11, KNEE, SYNONYM, "Knee"),
        description(12, RETIRED, FULL_NAME, "Gout of old (finding)"),
    ],
    RELATIONSHIP: [
        relationship(IS_A, ROOT),
        relationship(SITE, ROOT),
        relationship(FINDING, ROOT),
        relationship(KNEE, ROOT),
        relationship(SORE, FINDING),
        relationship(SORE_KNEE, SORE),
        relationship(SORE_KNEE, FINDING),
        relationship(SORE_KNEE, KNEE, SITE),
        relationship(KNEE, SORE_KNEE, active=0),
        relationship(RETIRED, FINDING, active=0),
    ],
    DEFINITION: [description(20, SORE, "900000000000550004", "A part that hurts.")],
    LANGUAGE: [
        language(US, 3, PREFERRED),
        language(GB, 8, PREFERRED),
        language(US, 9, PREFERRED),
        language(US, 6, PREFERRED, active=0),
        language(US, 6, ACCEPTABLE),
    ],
}


def write(folder: Path, changes: dict[str, list[list[str]]] | None = None) -> Path:
    for name, rows in (ROWS | (changes or {})).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = ["\t".join(fields) for fields in (HEADERS[name].split(), *rows)]
        path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return folder


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write(tmp_path / "SnomedCT_Invented_20240101")


def test_structure(release: Path) -> None:
    snomed = rf2.load(release, "snomed")
    parents = {snomed.ids[c]: {snomed.ids[p] for p in snomed.parents[c]} for c in range(len(snomed))}
    assert parents == {
        ROOT: set(),
        IS_A: {ROOT},
        SITE: {ROOT},
        FINDING: {ROOT},
        KNEE: {ROOT},
        SORE: {FINDING},
        SORE_KNEE: {SORE, FINDING},
    }
    assert not snomed.virtual_root
    assert not snomed.has_id(RETIRED)


def test_words(release: Path) -> None:
    snomed = rf2.load(release, "snomed")
    label = {snomed.ids[c]: snomed.labels[c] for c in range(len(snomed))}
    assert label[SORE_KNEE] == "Sore knee"  # preferred in US English, before the British choice
    assert label[SORE] == "Soreness"  # full name without its tag: no synonym is preferred
    assert label[FINDING] == "Finding (general)"
    assert label[KNEE] == "Knee"  # a synonym is all there is
    assert label[IS_A] == IS_A
    assert set(snomed.synonyms(snomed.concept(SORE_KNEE))) == {
        "Soreness of knee (finding)",
        "Sore-ish knee",
        "Sore knee",
    }
    assert snomed.gloss(snomed.concept(SORE)) == "A part that hurts."
    assert snomed.semantic_types(snomed.concept(SORE_KNEE)) == ["finding"]
    assert snomed.semantic_types(snomed.concept(KNEE)) == []


def test_relations_are_named_by_the_label_of_their_type(release: Path) -> None:
    snomed = rf2.load(release, "snomed")
    assert list(snomed.relations) == ["Place"]
    assert snomed.relations["Place"][snomed.concept(SORE_KNEE)].tolist() == [snomed.concept(KNEE)]


def test_british_label_where_us_english_has_none(tmp_path: Path) -> None:
    snomed = rf2.load(write(tmp_path, {LANGUAGE: [language(GB, 8, PREFERRED)]}), "snomed")
    assert snomed.labels[snomed.concept(SORE_KNEE)] == "Sore-ish knee"


def test_optional_files_may_be_absent(release: Path) -> None:
    (release / DEFINITION).unlink()
    (release / LANGUAGE).unlink()
    snomed = rf2.load(release, "snomed")
    assert snomed.labels[snomed.concept(SORE_KNEE)] == "Soreness of knee"
    assert snomed.glosses is None


def test_recognises_and_lists_its_files(release: Path, tmp_path: Path) -> None:
    full_only = tmp_path / "full"
    (full_only / "Full").mkdir(parents=True)
    (full_only / "Full" / "sct2_Concept_Full_INT_20240101.txt").touch()
    assert rf2.recognises(release)
    assert rf2.recognises(full_only)  # so that it is told what is missing
    assert not rf2.recognises(release / CONCEPT)
    assert not rf2.recognises(release / "Snapshot" / "Refset")
    assert rf2.source_files(release) == [
        release / name for name in (CONCEPT, DESCRIPTION, RELATIONSHIP, DEFINITION, LANGUAGE)
    ]
    with pytest.raises(OntologyError, match="no file sct2_Concept_Snapshot"):
        rf2.load(full_only, "snomed")


@pytest.mark.parametrize("name", [CONCEPT, DESCRIPTION, RELATIONSHIP])
def test_missing_file(release: Path, name: str) -> None:
    (release / name).unlink()
    with pytest.raises(OntologyError, match=f"no file sct2_{name.split('_')[1]}_Snapshot"):
        rf2.load(release, "snomed")


def _cut(data: bytes) -> bytes:
    return data[:-9]


def _lose_a_column(data: bytes) -> bytes:
    lines = data.split(b"\r\n")
    lines[2] = lines[2].rpartition(b"\t")[0]
    return b"\r\n".join(lines)


def _latin1(data: bytes) -> bytes:
    lines = data.split(b"\r\n")
    lines[3] = lines[3].replace(b"20240101", "2024é".encode("latin-1"))
    return b"\r\n".join(lines)


def _bad_flag(data: bytes) -> bytes:
    return data.replace(b"\t1\t", b"\tyes\t", 1)


def _no_header(data: bytes) -> bytes:
    return data.partition(b"\r\n")[2]


@pytest.mark.parametrize("name", [CONCEPT, DESCRIPTION, RELATIONSHIP, DEFINITION, LANGUAGE])
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cut, "line {last}: the last line has no line end: the file is cut short"),
        (_latin1, "line 4: not UTF-8"),
        (_lose_a_column, r"line 3: \d+ columns where the header has \d+"),
        (_bad_flag, "line 2: 'active' is 'yes', neither 0 nor 1"),
        (_no_header, "line 1: no column 'active'"),
        (lambda data: b"", "the file is empty"),
    ],
)
def test_damaged_file(release: Path, name: str, damage: Callable[[bytes], bytes], message: str) -> None:
    rows = ROWS[name] if len(ROWS[name]) > 3 else ROWS[name] * 3
    write(release, {name: rows})
    path = release / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(OntologyError, match=f"{path.name}.*{message.format(last=len(rows) + 1)}"):
        rf2.load(release, "snomed")


def test_duplicate_concept(tmp_path: Path) -> None:
    write(tmp_path, {CONCEPT: [*ROWS[CONCEPT], concept(SORE)]})
    with pytest.raises(OntologyError, match=rf"line 10: the id '{SORE}' is used twice .*line 6"):
        rf2.load(tmp_path, "snomed")


def test_cycle(tmp_path: Path) -> None:
    write(tmp_path, {RELATIONSHIP: [*ROWS[RELATIONSHIP], relationship(FINDING, SORE_KNEE)]})
    with pytest.raises(OntologyError, match=rf"cycle: '{FINDING}' is-a '{SORE_KNEE}'"):
        rf2.load(tmp_path, "snomed")


@pytest.mark.parametrize("parent", [RETIRED, "4711005"])
def test_parent_inactive_or_missing(tmp_path: Path, parent: str) -> None:
    write(tmp_path, {RELATIONSHIP: [*ROWS[RELATIONSHIP], relationship(SORE, parent)]})
    with pytest.raises(OntologyError, match=rf"sct2_Relationship.*line 12: '{SORE}' is-a '{parent}', but"):
        rf2.load(tmp_path, "snomed")


def test_no_hierarchy(tmp_path: Path) -> None:
    write(tmp_path, {RELATIONSHIP: [relationship(SORE_KNEE, KNEE, SITE)]})
    with pytest.raises(OntologyError, match="no active is-a row"):
        rf2.load(tmp_path, "snomed")


def test_no_active_concepts(tmp_path: Path) -> None:
    write(tmp_path, {CONCEPT: [concept(ROOT, 0)], RELATIONSHIP: [relationship(SORE, ROOT)]})
    with pytest.raises(OntologyError, match="no concepts found"):
        rf2.load(tmp_path, "snomed")


def test_description_id_that_is_none(tmp_path: Path) -> None:
    broken = description(6, SORE, SYNONYM, "Sore part")
    broken[0] = "six"
    write(tmp_path, {DESCRIPTION: [broken]})
    with pytest.raises(OntologyError, match="line 2: 'six' is not a SNOMED CT identifier"):
        rf2.load(tmp_path, "snomed")


def test_synthetic_release_of_the_benchmark(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "synthetic_rf2.py"
    options = ["--concepts", "3000", "--is-a", "4300", "--seed", "7"]
    subprocess.run([sys.executable, script, tmp_path, *options], check=True)
    snomed = rf2.load(tmp_path, "synthetic")
    assert (len(snomed), len(snomed.parents.values)) == (3000, 4300)
    assert snomed.ids[0] == ROOT
    assert snomed.longest_depth.max() == 18
    assert snomed.parents.counts.max() > 1
    assert list(snomed.relations) == ["Finding site"]
    assert all(len(snomed.synonyms(c)) in (2, 3) for c in range(len(snomed)))
