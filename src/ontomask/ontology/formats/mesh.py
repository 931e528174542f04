"""MeSH descriptors: `desc20xx.xml`, also gzipped, read as a stream.

Tree numbers carry the hierarchy: the parent of C14.280.067 is whatever has C14.280. Above the top tree
numbers stand the categories (C, Diseases), which the file itself does not list. Format: MeSH XML data
elements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from xml.etree import ElementTree

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats._xml import readable_xml
from ontomask.ontology.formats.reading import opened, peek, peek_markup

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


def recognises(path: Path) -> bool:
    """An XML file, gzipped or not, that announces a set of descriptors."""
    if not path.name.endswith((".xml", ".xml.gz")) or not path.is_file():
        return False
    return b"DescriptorRecordSet" in peek_markup(path)


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


def _records(path: Path) -> Iterator[ElementTree.Element]:
    """Every DescriptorRecord, forgotten once it is used: the file is some 300 MB."""
    peek(path)
    with opened(path) as file, readable_xml(path):
        events = ElementTree.iterparse(file, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == "DescriptorRecord":
                yield element
                root.clear()


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
