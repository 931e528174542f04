"""WordNet database files: `data.noun` and `index.noun` of any release (2.1, 3.0, 3.1).

Hypernym (`@`) and instance hypernym (`@i`) both count as is-a, so that countries have a place. The order of
senses in `index.noun` is the order of their frequency. Format: wndb(5WN).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import numbered_lines

_IS_A = {"@", "@i"}
_HAS_PART = {"%p", "%m", "%s"}


def recognises(path: Path) -> bool:
    """A folder with `data.noun`."""
    return path.is_dir() and (path / "data.noun").is_file()


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path / "data.noun", path / "index.noun"]


def load(path: Path, name: str) -> Ontology:
    """Read a WNDB folder."""
    draft = Draft(name)
    _read_data(path / "data.noun", draft)
    _read_index(path / "index.noun", draft)
    return draft.finish(named_senses=True)


def _read_data(path: Path, draft: Draft) -> None:
    draft.source = path
    parts: list[tuple[str, str]] = []
    for number, line in _records(path):
        fields, bar, gloss = line.partition("|")
        if not bar:
            raise OntologyError("no gloss after '|': the line is cut short", **at(path, number))
        try:
            offset, _, _, word_count, *rest = fields.split()
            words = rest[: 2 * int(word_count, 16) : 2]
            pointers = rest[2 * int(word_count, 16) :]
            if len(pointers) != 1 + 4 * int(pointers[0]) or not words:
                raise ValueError
        except (ValueError, IndexError):
            raise OntologyError(
                "the number of words or pointers differs from the count given", **at(path, number)
            ) from None
        draft.concept(offset, _spaced(words[0]), number)
        draft.gloss(offset, gloss.strip())
        for i in range(1, len(pointers), 4):
            symbol, target, part_of_speech = pointers[i : i + 3]
            if part_of_speech != "n":
                continue
            if symbol in _IS_A:
                draft.is_a(offset, target, number)
            elif symbol in _HAS_PART:
                parts.append((offset, target))
    for whole, part in parts:
        draft.relation("has-part", whole, part)


def _read_index(path: Path, draft: Draft) -> None:
    for number, line in _records(path):
        try:
            lemma, _, sense_count, pointer_count, *rest = line.split()
            offsets = rest[int(pointer_count) + 2 :]
            if len(offsets) != int(sense_count) or not offsets:
                raise ValueError
        except ValueError:
            raise OntologyError(
                "the number of senses differs from the count given", **at(path, number)
            ) from None
        unknown = [offset for offset in offsets if offset not in draft]
        if unknown:
            raise OntologyError(
                f"{lemma!r} points to synset {unknown[0]}, which data.noun lacks; are both files of "
                "one release?",
                **at(path, number),
                value=lemma,
            )
        draft.senses(_spaced(lemma), offsets)


def _records(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines below the licence text, whose lines start with a space."""
    if not path.is_file():
        raise OntologyError("missing", file=str(path), remedy="a WNDB folder needs data.noun and index.noun")
    for number, line in numbered_lines(path):
        if not line.startswith(" ") and line.strip():
            yield number, line


def _spaced(lemma: str) -> str:
    return lemma.replace("_", " ")
