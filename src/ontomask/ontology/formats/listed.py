"""A list of concepts: a CSV file with the header ``id;parent;label;synonyms``, one concept in a line.

The small code lists that are shipped (countries, occupations, ...) are written so, and a user's own may be.
Several synonyms, or parents, are separated by ``|``; lines that start with ``#`` are comments; commas or tabs
may separate the columns instead. A concept without a parent is a root; one without a label is called by its
id. Synonyms mean the same; what is narrower is a concept of its own.

    # Kinds of pain
    id;parent;label;synonyms
    R52;;pain;ache|hurt
    G43;R52;migraine;
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import one_line, peek_text, read_text

COLUMNS = ("id", "parent", "label", "synonyms")
BETWEEN = "|"
COMMENT = "#"


def recognises(path: Path) -> bool:
    """A CSV or TSV file with that header."""
    if not path.is_file() or path.suffix.lower() not in {".csv", ".tsv"}:
        return False
    return any(map(_separator, peek_text(path).splitlines()))


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read a list of concepts.

    A term of a concept and of one above it, as the title that ISCO-08 gives to a group and to its only part,
    means the lower one.
    """
    draft = Draft(name, path)
    above: dict[str, list[str]] = {}
    meant: dict[str, list[str]] = {}
    for line, (concept_id, parents, label, synonyms) in _rows(read_text(path), path):
        label = label or concept_id
        draft.concept(one_line(concept_id, path, line), label, line)
        above[concept_id] = _parts(parents)
        for parent in above[concept_id]:
            draft.is_a(concept_id, parent, line)
        for term in dict.fromkeys((label, *_parts(synonyms))):
            meant.setdefault(one_line(term, path, line), []).append(concept_id)
    for term, concepts in meant.items():
        hidden = {upper for concept in concepts for upper in _ancestors(concept, above)}
        draft.senses(term, [concept for concept in concepts if concept not in hidden] or concepts)
    return draft.finish()


def title(path: Path) -> str:
    """The first line of a list, if it is a comment: what it is a list of."""
    first = peek_text(path).partition("\n")[0]
    return first.removeprefix(COMMENT).strip() if first.startswith(COMMENT) else ""


def _rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of every concept."""
    lines = text.splitlines()
    headers = ((i, s) for i, line in enumerate(lines, 1) if (s := _separator(line)))
    header, separator = next(headers, (0, ""))
    if not header:
        raise OntologyError(
            "not a list of concepts", **at(path), remedy=f"its header is `{';'.join(COLUMNS)}`"
        )
    for number, line in enumerate(lines[header:], header + 1):
        if not line.strip() or line.startswith(COMMENT):
            continue
        try:
            (fields,) = csv.reader([line], delimiter=separator, strict=True)
        except csv.Error as error:
            raise OntologyError(
                f"the quoting is broken ({error})", **at(path, number), remedy="close or double the quote"
            ) from None
        if len(fields) != len(COLUMNS):
            raise OntologyError(
                f"{len(fields)} columns where the header has {len(COLUMNS)}", **at(path, number)
            )
        yield number, [field.strip() for field in fields]


def _separator(line: str) -> str:
    """What separates the columns, if the line is the header of a list."""
    return next((s for s in ";,\t" if line.strip() == s.join(COLUMNS)), "")


def _parts(field: str) -> list[str]:
    return [part.strip() for part in field.split(BETWEEN)] if field else []


def _ancestors(concept: str, above: dict[str, list[str]]) -> set[str]:
    """What stands above a concept, without itself (unless in a cycle, which the draft will refuse)."""
    found: set[str] = set()
    waiting = [*above[concept]]
    while waiting:
        parent = waiting.pop()
        if parent not in found:
            found.add(parent)
            waiting += above.get(parent, ())
    return found
