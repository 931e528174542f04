"""SNOMED CT in Release Format 2: the Snapshot files of a release folder, searched recursively.

Only active rows count. The label is the synonym that a language reference set prefers (US English, then
British, then any other), else the fully specified name without its semantic tag; the tag is the semantic
type. Relationships other than is-a are named by the label of their type. Format: SNOMED CT Release File
Specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

from ontomask.errors import OntologyError
from ontomask.files import files_below
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import numbered_lines

_CONCEPTS = "sct2_Concept_Snapshot*.txt"
_DESCRIPTIONS = "sct2_Description_Snapshot*.txt"
_RELATIONSHIPS = "sct2_Relationship_Snapshot*.txt"
_DEFINITIONS = "sct2_TextDefinition_Snapshot*.txt"
_LANGUAGES = "der2_cRefset_Language*Snapshot*.txt"

_IS_A = "116680003"
_FULLY_SPECIFIED_NAME = "900000000000003001"
_SYNONYM = "900000000000013009"
_PREFERRED = "900000000000548007"
_US_ENGLISH, _GB_ENGLISH = "900000000000509007", "900000000000508004"

# Labels in order of preference; a lower rank wins.
_RANK_OF_LANGUAGE = {_US_ENGLISH: 0, _GB_ENGLISH: 1}
_OTHER_LANGUAGE, _FROM_FULL_NAME, _NOT_PREFERRED = 2, 3, 4


def recognises(path: Path) -> bool:
    """A folder with RF2 terminology files somewhere in it."""
    return path.is_dir() and any(files_below(path, "sct2_*.txt"))


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    required = [
        file for pattern in (_CONCEPTS, _DESCRIPTIONS, _RELATIONSHIPS) for file in _need(path, pattern)
    ]
    return [*required, *_find(path, _DEFINITIONS), *_find(path, _LANGUAGES)]


def load(path: Path, name: str) -> Ontology:
    """Read the Snapshot of an RF2 release."""
    draft = Draft(name)
    for file in _need(path, _CONCEPTS):
        draft.source = file
        for line, concept in active_rows(file, "id"):
            draft.concept(concept, line=line)
    _read_definitions(_find(path, _DEFINITIONS), draft)
    _read_relationships(_need(path, _RELATIONSHIPS), _read_descriptions(path, draft), draft)
    return draft.finish()


def active_rows(path: Path, *wanted: str) -> Iterator[tuple[int, Any]]:
    """The wanted columns (a string if one, else a tuple) of every active row, with its line number."""
    lines = numbered_lines(path)
    header = _fields(path, *next(lines))
    for column in ("active", *wanted):
        if column not in header:
            raise OntologyError(
                f"no column {column!r}",
                **at(path, 1),
                value=column,
                remedy="an RF2 file starts with the names of its columns",
            )
    pick, active, width = itemgetter(*map(header.index, wanted)), header.index("active"), len(header)
    for number, line in lines:
        fields = _fields(path, number, line)
        if len(fields) != width:
            raise OntologyError(
                f"{len(fields)} columns where the header has {width}",
                **at(path, number),
                remedy="get the file again",
            )
        if fields[active] == "1":
            yield number, pick(fields)
        elif fields[active] != "0":
            raise OntologyError(
                f"'active' is {fields[active]!r}, neither 0 nor 1", **at(path, number), value=fields[active]
            )


def _fields(path: Path, number: int, line: str) -> list[str]:
    if not line.endswith("\n"):
        raise OntologyError(
            "the last line has no line end: the file is cut short",
            **at(path, number),
            remedy="get it again, or end the line if it is whole",
        )
    return line.rstrip("\r\n").split("\t")


def _find(path: Path, pattern: str) -> list[Path]:
    """Matching files, English first, so that its labels win where several languages are there."""
    return sorted(files_below(path, pattern), key=lambda file: ("-en" not in file.name, file.name, str(file)))


def _need(path: Path, pattern: str) -> list[Path]:
    files = _find(path, pattern)
    if not files:
        raise OntologyError(
            f"no file {pattern}", file=str(path), remedy="an RF2 release folder with its Snapshot is needed"
        )
    return files


def _preferred_descriptions(files: list[Path]) -> dict[int, int]:
    """Description id -> rank of the best language reference set that prefers it."""
    # Ids as int take half the room of strings, and there are a million of them.
    ranks: dict[int, int] = {}
    for file in files:
        columns = ("refsetId", "referencedComponentId", "acceptabilityId")
        for number, (language, description, acceptability) in active_rows(file, *columns):
            if acceptability == _PREFERRED:
                rank = _RANK_OF_LANGUAGE.get(language, _OTHER_LANGUAGE)
                key = _number(file, number, description)
                ranks[key] = min(rank, ranks.get(key, rank))
    return ranks


def _read_descriptions(path: Path, draft: Draft) -> dict[str, str]:
    """Put terms, labels and semantic types into the draft; return the labels."""
    preferred = _preferred_descriptions(_find(path, _LANGUAGES))
    labels: dict[str, str] = {}
    ranks: dict[str, int] = {}
    for file in _need(path, _DESCRIPTIONS):
        columns = ("id", "conceptId", "typeId", "term")
        for number, (description, concept, kind, term) in active_rows(file, *columns):
            if concept not in draft:  # an inactive concept keeps its descriptions
                continue
            draft.term(concept, term)
            if kind == _FULLY_SPECIFIED_NAME:
                label, tag = _without_tag(term)
                rank = _FROM_FULL_NAME
                if tag:
                    draft.semantic_type(concept, tag)
            elif kind == _SYNONYM:
                label = term
                rank = preferred.get(_number(file, number, description), _NOT_PREFERRED)
            else:
                continue
            if rank < ranks.get(concept, _NOT_PREFERRED + 1):
                ranks[concept], labels[concept] = rank, label
    for concept, label in labels.items():
        draft.label(concept, label)
    return labels


def _read_definitions(files: list[Path], draft: Draft) -> None:
    for file in files:
        for _, (concept, text) in active_rows(file, "conceptId", "term"):
            if concept in draft:
                draft.gloss(concept, text)


def _read_relationships(files: list[Path], labels: dict[str, str], draft: Draft) -> None:
    has_is_a = len(draft) == 1
    for file in files:
        draft.source = file
        for number, (source, destination, kind) in active_rows(file, "sourceId", "destinationId", "typeId"):
            if kind == _IS_A:
                draft.is_a(source, destination, number)
                has_is_a = True
            else:
                draft.relation(labels.get(kind, kind), source, destination)
    if not has_is_a:
        raise OntologyError(f"no active is-a row (typeId {_IS_A}), so there is no hierarchy", **at(files[0]))


def _without_tag(full_name: str) -> tuple[str, str]:
    """``Sore knee (finding)`` -> (``Sore knee``, ``finding``)."""
    label, bracket, tag = full_name.rpartition(" (")
    return (label, tag[:-1]) if bracket and tag.endswith(")") else (full_name, "")


def _number(path: Path, line: int, component: str) -> int:
    try:
        return int(component)
    except ValueError:
        raise OntologyError(
            f"{component!r} is not a SNOMED CT identifier", **at(path, line), value=component
        ) from None
