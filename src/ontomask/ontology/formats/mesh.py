"""MeSH descriptors: `desc20xx.xml`, also gzipped, read as a stream.

Tree numbers carry the hierarchy: the parent of C14.280.067 is whatever has C14.280. Above the top tree
numbers stand the categories (C, Diseases), which the file itself does not list. Format: MeSH XML data
elements.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at

CATEGORIES = {
    "A": "Anatomy",
    "B": "Organisms",
    "C": "Diseases",
    "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
    "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes",
    "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Named Groups",
    "N": "Health Care",
    "V": "Publication Characteristics",
    "Z": "Geographicals",
}
_TREE_NUMBER = re.compile(r"[A-Z]\d+(\.\d+)*")
_HEAD = 4096


def recognises(path: Path) -> bool:
    """An XML file, gzipped or not, that announces a set of descriptors."""
    if not path.name.endswith((".xml", ".xml.gz")) or not path.is_file():
        return False
    try:
        with _open(path) as file:
            return b"DescriptorRecordSet" in file.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return False


def source_files(path: Path) -> list[Path]:
    """The file itself."""
    return [path]


def load(path: Path, name: str, without: Collection[tuple[str, str]] = ()) -> Ontology:
    """Read a descriptor file.

    Two descriptors can stand above each other in different trees; that is a cycle, and an error. `without`
    names (child, parent) descriptor ids whose link is to be left out.
    """
    draft = Draft(name, path)
    holders: dict[str, str] = {}
    for record in _records(path):
        _read(record, path, draft, holders)
    for number in sorted(holders):
        _place_in_tree(number, holders, path, draft, without)
    try:
        return draft.finish()
    except OntologyError as error:
        if not len(draft):
            raise
        raise error.at(remedy=f"{error.faults[0].remedy}, or name it in `without`") from None


def _open(path: Path) -> IO[bytes]:
    # A gzip stream and a plain file are the same to the reader.
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _records(path: Path) -> Iterator[ElementTree.Element]:
    """Every DescriptorRecord, forgotten once it is used: the file is some 300 MB."""
    if not path.is_file():
        raise OntologyError("missing", file=str(path))
    if not path.stat().st_size:
        raise OntologyError("the file is empty", **at(path), remedy="get it again")
    try:
        with _open(path) as file:
            events = ElementTree.iterparse(file, events=("start", "end"))
            _, root = next(events)
            for event, element in events:
                if event == "end" and element.tag == "DescriptorRecord":
                    yield element
                    root.clear()
    except ElementTree.ParseError as error:
        line, _ = error.position
        raise OntologyError(
            f"not well-formed XML ({str(error).partition(':')[0]})",
            **at(path, line),
            remedy="the file is cut short or damaged: get it again",
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise OntologyError(f"damaged gzip file ({error})", **at(path), remedy="get it again") from None


def _read(record: ElementTree.Element, path: Path, draft: Draft, holders: dict[str, str]) -> None:
    descriptor = (record.findtext("DescriptorUI") or "").strip()
    label = (record.findtext("DescriptorName/String") or "").strip()
    if not descriptor or not label:
        raise OntologyError(
            f"record {len(draft) + 1:,} has no DescriptorUI or no DescriptorName "
            f"({descriptor or label or 'neither'})",
            **at(path),
        )
    draft.concept(descriptor, label)
    for term in record.iterfind("ConceptList/Concept/TermList/Term/String"):
        draft.term(descriptor, (term.text or "").strip())
    scope = record.findtext("ConceptList/Concept[@PreferredConceptYN='Y']/ScopeNote")
    if scope:
        draft.gloss(descriptor, " ".join(scope.split()))
    for related in record.iterfind("SeeRelatedList/SeeRelatedDescriptor/DescriptorReferredTo/DescriptorUI"):
        draft.relation("see-related", descriptor, (related.text or "").strip())
    for element in record.iterfind("TreeNumberList/TreeNumber"):
        number = (element.text or "").strip()
        if not _TREE_NUMBER.fullmatch(number):
            raise OntologyError(
                f"{descriptor} has {number!r}, which is not a tree number", **at(path), value=number
            )
        if number in holders:
            raise OntologyError(
                f"tree number {number} is used twice, by {holders[number]} and {descriptor}", **at(path)
            )
        holders[number] = descriptor


def _place_in_tree(
    number: str, holders: dict[str, str], path: Path, draft: Draft, without: Collection[tuple[str, str]]
) -> None:
    descriptor = holders[number]
    above, dot, _ = number.rpartition(".")
    if not dot:
        parent = number[0]
        if parent not in draft:
            draft.concept(parent, CATEGORIES.get(parent, f"Category {parent}"))
    elif above in holders:
        parent = holders[above]
    else:
        raise OntologyError(
            f"{descriptor} has tree number {number}, but no descriptor has {above}",
            **at(path),
            remedy="the file is incomplete: get it again",
        )
    if (descriptor, parent) not in without:
        draft.is_a(descriptor, parent)
