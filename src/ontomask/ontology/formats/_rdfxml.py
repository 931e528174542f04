"""RDF/XML as a stream of statements, one top-level node element in memory at a time.

Format: RDF 1.1 XML Syntax (W3C). It reads the syntax alone and keeps only the predicates asked for; what
they mean is the business of `rdf`. Blank nodes all share the name `BLANK`: nobody asks which one is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urldefrag, urljoin
from xml.etree.ElementTree import Element, iterparse

from ontomask.errors import OntologyError
from ontomask.ontology.draft import at
from ontomask.ontology.formats._xml import readable_xml

BLANK = "_:"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE = RDF + "type"

_ROOT = f"{{{RDF}}}RDF"
_DESCRIPTION = f"{{{RDF}}}Description"
_ABOUT, _ID, _NODE_ID, _RESOURCE, _PARSE_TYPE = (
    f"{{{RDF}}}{name}" for name in ("about", "ID", "nodeID", "resource", "parseType")
)
_XML_BASE, _XML_LANG = (f"{{http://www.w3.org/XML/1998/namespace}}{name}" for name in ("base", "lang"))


class Statement(NamedTuple):
    """A triple: the object is an IRI or `BLANK` if `language` is None, else a literal ('' = no language)."""

    subject: str
    predicate: str
    object: str
    language: str | None = None


def statements(file: BinaryIO, path: Path, predicates: Collection[str]) -> Iterator[Statement]:
    """The statements of an RDF/XML file whose predicate is one of `predicates`."""
    reader = _Reader(path, predicates)
    depth = 0
    root: Element | None = None
    base = language = ""
    with readable_xml(path):
        for event, element in iterparse(file, ("start", "end")):
            if event == "start":
                if root is None:
                    root = _checked_root(element, path)
                    base, language = root.get(_XML_BASE, ""), root.get(_XML_LANG, "")
                depth += 1
                continue
            depth -= 1
            if depth == 1 and root is not None:
                reader.node(element, base, language)
                yield from reader.found
                reader.found.clear()
                root.clear()


def _checked_root(root: Element, path: Path) -> Element:
    if root.tag != _ROOT:
        raise OntologyError(
            f"the outermost element is <{root.tag.rpartition('}')[2]}>, not <rdf:RDF>: this is XML "
            "but not RDF/XML",
            **at(path),
            remedy="save the ontology as RDF/XML or Turtle",
        )
    return root


@lru_cache(maxsize=4096)
def iri_of_tag(tag: str) -> str:
    """The IRI of a qualified XML name, which ElementTree writes ``{namespace}name``."""
    return tag[1:].replace("}", "", 1) if tag[0] == "{" else tag


class _Reader:
    """Walks node elements and property elements in turn, and collects what was asked for."""

    def __init__(self, path: Path, predicates: Collection[str]) -> None:
        self.path = path
        self.predicates = frozenset(predicates)
        self.found: list[Statement] = []
        self._declared_ids: set[str] = set()

    def node(self, element: Element, base: str, language: str) -> str:
        """Read a node element (striped syntax: a node, its properties, their nodes ...); its IRI."""
        attributes = element.attrib
        base, language = attributes.get(_XML_BASE, base), attributes.get(_XML_LANG, language)
        subject = self._subject(attributes, base)
        if subject is not BLANK:
            if element.tag != _DESCRIPTION:
                self.found.append(Statement(subject, RDF_TYPE, iri_of_tag(element.tag)))
            if len(attributes) > 1:
                self._property_attributes(subject, attributes, base, language)
        for child in element:
            self._property(subject, child, base, language)
        return subject

    def _subject(self, attributes: dict[str, str], base: str) -> str:
        about = attributes.get(_ABOUT)
        if about is not None:
            return resolved(about, base)
        name = attributes.get(_ID)
        if name is None:
            return BLANK
        iri = resolved("#" + name, base)
        if iri in self._declared_ids:
            raise OntologyError(
                f"rdf:ID {name!r} ({iri}) is used twice",
                **at(self.path),
                value=name,
                remedy="ids must be unique",
            )
        self._declared_ids.add(iri)
        return iri

    def _property_attributes(
        self, subject: str, attributes: dict[str, str], base: str, language: str
    ) -> None:
        for name, value in attributes.items():
            predicate = iri_of_tag(name)
            if predicate == RDF_TYPE:
                self.found.append(Statement(subject, predicate, resolved(value, base)))
            elif predicate in self.predicates:
                self.found.append(Statement(subject, predicate, value, language))

    def _property(self, subject: str, element: Element, base: str, language: str) -> None:
        predicate = iri_of_tag(element.tag)
        wanted = subject is not BLANK and predicate in self.predicates
        if not wanted and not len(element):
            return
        attributes = element.attrib
        base, language = attributes.get(_XML_BASE, base), attributes.get(_XML_LANG, language)
        parse_type = attributes.get(_PARSE_TYPE)
        target: str = BLANK
        if parse_type == "Resource":
            for child in element:
                self._property(BLANK, child, base, language)
        elif parse_type == "Collection":
            for child in element:
                self.node(child, base, language)
        elif len(element) and parse_type is None:
            target = self.node(element[0], base, language)
        elif (resource := attributes.get(_RESOURCE)) is not None:
            target = resolved(resource, base)
        elif _NODE_ID not in attributes:
            if wanted:
                self.found.append(Statement(subject, predicate, "".join(element.itertext()), language))
            return
        if wanted:
            self.found.append(Statement(subject, predicate, target))


def resolved(reference: str, base: str) -> str:
    """An absolute IRI from a possibly relative reference.

    >>> resolved("#Pain", "http://example.org/conditions")
    'http://example.org/conditions#Pain'
    """
    if not base or "://" in reference:
        return reference
    return urljoin(base, reference) if reference else urldefrag(base).url
