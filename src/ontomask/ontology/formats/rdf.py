"""OWL ontologies, RDF schemas and SKOS thesauri, in RDF/XML, Turtle, N-Triples, Notation3 or JSON-LD.

Named classes, SKOS concepts and the individuals of named classes are concepts; `rdfs:subClassOf`,
`skos:broader`, `skos:narrower` and `rdf:type` are is-a. RDF/XML is streamed; the other forms need rdflib.
Nothing is ever fetched: imports must be merged into the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats import _rdfxml
from ontomask.ontology.formats._rdfxml import BLANK, RDF, RDF_TYPE, Statement
from ontomask.ontology.formats.reading import opened, peek, peek_markup, suffix

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"

_VOCABULARIES = (RDF, RDFS, OWL, SKOS)
_CLASS_TYPES = {OWL + "Class", RDFS + "Class", OWL + "DeprecatedClass"}
_SUBCLASS, _BROADER, _NARROWER = RDFS + "subClassOf", SKOS + "broader", SKOS + "narrower"
_DEPRECATED = OWL + "deprecated"
_LABELS = [SKOS + "prefLabel", RDFS + "label"]  # best first
_GLOSSES = [OBO + "IAO_0000115", SKOS + "definition", RDFS + "comment"]  # best first
_SYNONYMS = [
    *(SKOS + name for name in ("altLabel", "hiddenLabel", "notation")),
    *(OBO_IN_OWL + f"has{scope}Synonym" for scope in ("Exact", "Narrow", "Broad", "Related")),
    OBO_IN_OWL + "hasAlternativeId",
]
_TEXTS = {*_LABELS, *_GLOSSES, *_SYNONYMS}
_PREDICATES = {RDF_TYPE, _SUBCLASS, _BROADER, _NARROWER, _DEPRECATED, *_TEXTS}

_RDFLIB_FORMATS = {".ttl": "turtle", ".nt": "nt", ".n3": "n3", ".jsonld": "json-ld"}
_XML_SUFFIXES = {".owl", ".rdf", ".skos"}
_TURTLE_START = re.compile(
    rb"\s*(#[^\n]*\n\s*)*(@prefix\b|@base\b|prefix\s|base\s|<\w+:/|_:|\[\s*\])", re.IGNORECASE
)
_OBO_ID = re.compile(re.escape(OBO) + r"([A-Za-z]\w*)_(\d\w*)")


def recognises(path: Path) -> bool:
    """By suffix, possibly before `.gz`; an `.xml` file must show an `RDF` element near its start."""
    if not path.is_file():
        return False
    kind = suffix(path)
    if kind == ".xml":
        return re.search(rb"<(\w+:)?RDF[\s>]", peek_markup(path)) is not None
    return kind in _XML_SUFFIXES or kind in _RDFLIB_FORMATS


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read an OWL, RDFS or SKOS file."""
    start = peek(path).removeprefix(b"\xef\xbb\xbf")
    rdflib_format = _RDFLIB_FORMATS.get(suffix(path)) or ("turtle" if _TURTLE_START.match(start) else None)
    with opened(path) as file:
        if rdflib_format:
            found = _statements_by_rdflib(file, path, rdflib_format)
        elif start.lstrip(b"\xff\xfe\0 \t\r\n")[:1] == b"<":
            found = _rdfxml.statements(file, path, _PREDICATES)
        else:
            raise OntologyError(
                "neither RDF/XML nor Turtle",
                **at(path),
                remedy="OWL in functional or Manchester syntax must be saved as RDF/XML or Turtle first",
            )
        graph = _Graph(found)
    return graph.draft(name, path).finish()


# ---------------------------------------------------------------------- from statements to a draft


class _Graph:
    """What the statements say about each IRI; the order in which they come does not matter."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.types: dict[str, set[str]] = defaultdict(set)
        self.links: set[tuple[str, str]] = set()
        self.texts: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self.deprecated: set[str] = set()
        for subject, predicate, target, language in statements:
            if subject.startswith(BLANK) or subject.startswith(_VOCABULARIES):
                continue
            if language is not None:
                if predicate in _TEXTS:
                    self.texts[subject].append((language.lower(), predicate, " ".join(target.split())))
                elif predicate == _DEPRECATED and target.strip() in ("true", "1"):
                    self.deprecated.add(subject)
            elif predicate == RDF_TYPE:
                self.types[subject].add(target)
            elif predicate in (_SUBCLASS, _BROADER, _NARROWER):
                # Whatever has a superclass is a class, whatever has a broader one a SKOS concept.
                self.types[subject].add(OWL + "Class" if predicate == _SUBCLASS else SKOS + "Concept")
                if not target.startswith(BLANK) and not target.startswith(_VOCABULARIES):
                    self.links.add((target, subject) if predicate == _NARROWER else (subject, target))

    def draft(self, name: str, path: Path) -> Draft:
        """The concepts and is-a links, checked for what only this format can say about them."""
        draft = Draft(name, path)
        declared = {i for i, types in self.types.items() if types & _CLASS_TYPES or SKOS + "Concept" in types}
        individuals = {i: types & declared for i, types in self.types.items() if i not in declared}
        links = self.links | {(i, a_class) for i, classes in individuals.items() for a_class in classes}
        concepts = declared | {individual for individual, classes in individuals.items() if classes}
        deprecated = concepts & (
            self.deprecated | {i for i, types in self.types.items() if OWL + "DeprecatedClass" in types}
        )
        concepts -= deprecated
        links = {(child, parent) for child, parent in links if child not in deprecated}
        _check_links(path, links, concepts, deprecated)

        id_of = short_ids(sorted(concepts))
        for iri, concept_id in id_of.items():
            draft.concept(concept_id)
            self._add_words(draft, iri, concept_id)
        for child, parent in sorted(links):
            draft.is_a(id_of[child], id_of[parent])
        if deprecated:
            draft.note(f"{len(deprecated):,} deprecated concepts were left out")
        classless = sum(OWL + "NamedIndividual" in self.types[i] and not c for i, c in individuals.items())
        if classless:
            draft.note(f"{classless:,} individuals of no class declared in the file were left out")
        return draft

    def _add_words(self, draft: Draft, iri: str, concept_id: str) -> None:
        texts = [text for text in self.texts.get(iri, ()) if text[2]]
        if labels := [text for text in texts if text[1] in _LABELS]:
            draft.label(concept_id, min(labels, key=_label_rank)[2])
        if glosses := [text for text in texts if text[1] in _GLOSSES]:
            draft.gloss(concept_id, min(glosses, key=_gloss_rank)[2])
        for _, predicate, text in texts:
            if predicate not in _GLOSSES:
                draft.term(concept_id, text)


def _label_rank(text: tuple[str, str, str]) -> tuple[int, str, int, str]:
    language, predicate, words = text
    return *_language_rank(language), _LABELS.index(predicate), words


def _gloss_rank(text: tuple[str, str, str]) -> tuple[int, str, int, str]:
    language, predicate, words = text
    return *_language_rank(language), _GLOSSES.index(predicate), words


def _language_rank(language: str) -> tuple[int, str]:
    """English first, then no language, then the others by their code."""
    return (0 if language.partition("-")[0] == "en" else 1 if not language else 2), language


def _check_links(path: Path, links: set[tuple[str, str]], concepts: set[str], deprecated: set[str]) -> None:
    dangling = [link for link in links if link[0] not in concepts or link[1] not in concepts]
    if not dangling:
        return
    child, parent = min(dangling)
    missing = parent if child in concepts else child
    why, remedy = (
        ("is deprecated and so left out", "link to its replacement or remove the link")
        if missing in deprecated
        else ("is not declared in this file", "merge the ontology it comes from or remove the link")
    )
    more = f" ({len(dangling):,} such links in all)" if len(dangling) > 1 else ""
    raise OntologyError(
        f"<{child}> is-a <{parent}>, but <{missing}> {why}", **at(path), value=missing, remedy=remedy + more
    )


def short_ids(iris: Iterable[str]) -> dict[str, str]:
    """How a user refers to each IRI; the whole IRI where two would get the same short id.

    >>> list(short_ids(["http://purl.obolibrary.org/obo/HP_0000001", "http://example.org/a#Pain"]).values())
    ['HP:0000001', 'Pain']
    """
    short = {iri: _short_id(iri) for iri in iris}
    times = Counter(short.values())
    return {iri: name if times[name] == 1 else iri for iri, name in short.items()}


def _short_id(iri: str) -> str:
    if match := _OBO_ID.fullmatch(iri):
        return f"{match[1]}:{match[2]}"
    address, _, fragment = iri.partition("#")
    return fragment or address.rstrip("/").rpartition("/")[2] or iri


# ---------------------------------------------------------------------- other serialisations, by rdflib


def _statements_by_rdflib(file: BinaryIO, path: Path, form: str) -> Iterator[Statement]:
    try:
        import rdflib
    except ImportError:
        raise OntologyError(
            f"reading {form} needs rdflib: pip install 'ontomask[rdf]' (or save the ontology as RDF/XML)",
            file=path.name,
        ) from None
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise OntologyError("not UTF-8 text", **at(path, line), remedy="save it as UTF-8") from None
    if form == "json-ld":
        _refuse_remote_contexts(text, path)
    graph = rdflib.Graph()
    normalises, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False  # keep a notation such as 007
    try:
        graph.parse(data=text, format=form, publicID=path.absolute().as_uri())
    except Exception as error:  # each of rdflib's parsers raises errors of its own kind
        line = getattr(error, "lines", -1) + 1
        raise OntologyError(
            f"not readable as {form} ({_reason(error)}); is the file damaged or cut short?", **at(path, line)
        ) from None
    finally:
        rdflib.NORMALIZE_LITERALS = normalises
    for subject, predicate, target in graph:
        if str(predicate) in _PREDICATES and isinstance(subject, rdflib.URIRef):
            language = (target.language or "") if isinstance(target, rdflib.Literal) else None
            value = BLANK if isinstance(target, rdflib.BNode) else str(target)
            yield Statement(str(subject), str(predicate), value, language)


def _reason(error: Exception) -> str:
    """rdflib quotes half the file in its messages, and runs off the end of one that is cut short."""
    if isinstance(error, IndexError):
        return "it ends within a statement"
    text = str(error).strip()
    said = re.search(r"Bad syntax \((.*?)\) at ", text)
    return said[1] if said else text.partition("\n")[0] or type(error).__name__


def _refuse_remote_contexts(text: str, path: Path) -> None:
    """rdflib would fetch a context named by its address: an anonymiser does not call out."""
    try:
        pending: list[Any] = [json.loads(text)]
    except (ValueError, RecursionError) as error:
        raise OntologyError(f"not JSON ({error}); is the file damaged or cut short?", **at(path)) from None
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            contexts = item.get("@context")
            for context in contexts if isinstance(contexts, list) else [contexts]:
                remote = context.get("@import") if isinstance(context, dict) else context
                if isinstance(remote, str):
                    raise OntologyError(
                        f"the @context {remote!r} lies outside the file and is not fetched",
                        **at(path),
                        value=remote,
                        remedy="put the context itself into the file",
                    )
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
