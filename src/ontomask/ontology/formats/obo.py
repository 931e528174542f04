"""OBO flat files, versions 1.2 and 1.4: HPO, GO, MONDO, UBERON and the other OBO Foundry ontologies.

`[Term]` stanzas become concepts, `[Instance]` stanzas children of their class; obsolete ones are left out.
Alternative ids are kept as terms, so that merged codes still find their concept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import opened, peek, suffix

_STANZAS = {"[Term]", "[Instance]"}
_IS_A = {"is_a", "instance_of"}
_PART_OF = {"part_of", "BFO:0000050"}
_HAS_PART = {"has_part", "BFO:0000051"}
_TAGS = _IS_A | {"id", "name", "alt_id", "def", "synonym", "is_obsolete", "relationship"}

_QUOTED = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_TRAILER = re.compile(r'\s+\{[^{}"]*=".*"\}\s*$')
_COMMENT = re.compile(r"\s!.*$")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": " ", "t": " ", "W": " "}

Tag = tuple[int, str, str]
"""Line number, name and raw value of one line of a stanza."""


def recognises(path: Path) -> bool:
    """A file named `*.obo`, possibly compressed."""
    return path.is_file() and suffix(path) == ".obo"


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read an OBO file."""
    peek(path)
    draft = Draft(name, path)
    links: list[Tag] = []
    obsolete: dict[str, int] = {}
    for start, tags in _stanzas(path):
        _read_stanza(path, start, tags, draft, links, obsolete)
    for line, child, parent in links:
        if parent in obsolete and parent not in draft:
            raise OntologyError(
                f"{child!r} is-a {parent!r}, but {parent!r} is marked obsolete (line "
                f"{obsolete[parent]}) and so left out",
                **at(path, line),
                value=parent,
                remedy=f"link {child!r} to its replacement",
            )
        draft.is_a(child, parent, line)
    if obsolete:
        draft.note(f"{len(obsolete):,} obsolete terms were left out")
    return draft.finish()


def _read_stanza(
    path: Path, start: int, tags: list[Tag], draft: Draft, links: list[Tag], obsolete: dict[str, int]
) -> None:
    """One stanza into the draft; its is-a links are kept apart until all obsolete terms are known."""
    ids = [(line, _first_word(path, line, value)) for line, tag, value in tags if tag == "id"]
    if len(ids) != 1:
        problem = "has no id; is the file cut short?" if not ids else f"has a second id on line {ids[1][0]}"
        raise OntologyError(f"the stanza {problem}", **at(path, start))
    line, concept = ids[0]
    if any(tag == "is_obsolete" and value.startswith("true") for _, tag, value in tags):
        obsolete[concept] = line
        return
    draft.concept(concept, line=line)
    for line, tag, value in tags:
        if tag in _IS_A:
            links.append((line, concept, _first_word(path, line, value)))
        elif tag == "synonym":
            draft.term(concept, _quoted(path, line, value))
        elif tag == "name":
            draft.label(concept, _plain(value))
        elif tag == "def":
            draft.gloss(concept, _quoted(path, line, value))
        elif tag == "alt_id":
            draft.term(concept, _first_word(path, line, value))
        elif tag == "relationship":
            kind, target = _relationship(path, line, value)
            if kind in _PART_OF:
                _add_part(draft, whole=target, part=concept)
            elif kind in _HAS_PART:
                _add_part(draft, whole=concept, part=target)


def _add_part(draft: Draft, *, whole: str, part: str) -> None:
    draft.relation("has-part", whole, part)
    draft.relation("part-of", part, whole)


# ---------------------------------------------------------------------- lines


def _stanzas(path: Path) -> Iterator[tuple[int, list[Tag]]]:
    """The line at which each stanza of interest begins, and its tags of interest."""
    start = 0
    tags: list[Tag] | None = None
    for number, line in _lines(path):
        if line[0] == "[":
            if not line.split("!")[0].rstrip().endswith("]"):
                raise OntologyError(
                    f"{line!r} lacks its ']'; is the file cut short?", **at(path, number), value=line
                )
            if tags is not None:
                yield start, tags
            start, tags = number, [] if line.split("!")[0].rstrip() in _STANZAS else None
            continue
        tag, colon, value = line.partition(":")
        if not colon:
            raise OntologyError(
                f"expected 'tag: value', found {line[:40]!r}",
                **at(path, number),
                remedy="the file is cut short or not OBO",
            )
        if tags is not None and tag in _TAGS:
            tags.append((number, tag, value.strip()))
    if tags is not None:
        yield start, tags


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that are neither blank nor a comment."""
    with opened(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise OntologyError(
                    f"not UTF-8 text (byte 0x{raw[error.start]:02x})",
                    **at(path, number),
                    remedy="save it as UTF-8",
                ) from None
            if line and line[0] != "!":
                yield number, line


# ---------------------------------------------------------------------- values


def _first_word(path: Path, line: int, value: str) -> str:
    """An id; what follows it is a trailing modifier or a comment."""
    words = value.split(None, 1)
    if not words or words[0] == "!":
        raise OntologyError("an id is missing after the ':'", **at(path, line))
    return _unescaped(words[0])


def _relationship(path: Path, line: int, value: str) -> tuple[str, str]:
    words = value.split(None, 2)
    if len(words) < 2 or words[1] == "!":
        raise OntologyError("a relationship needs its kind and a target id", **at(path, line))
    return words[0], _unescaped(words[1])


def _quoted(path: Path, line: int, value: str) -> str:
    """The text in quotes at the front of a definition or synonym."""
    match = _QUOTED.match(value)
    if not match:
        raise OntologyError(
            f"expected text in double quotes, found {value[:40]!r}; is the line cut short?", **at(path, line)
        )
    return _unescaped(match[1])


def _plain(value: str) -> str:
    """Unquoted text without its comment and trailing modifiers."""
    if " !" in value or "}" in value:
        value = _TRAILER.sub("", _COMMENT.sub("", value))
    return _unescaped(value)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return " ".join(_ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text).split())
