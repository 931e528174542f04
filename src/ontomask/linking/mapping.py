"""Decisions of a person about values: CSV `value,concept`, read whole, used for every spelling of a value."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from ontomask.errors import LinkingError
from ontomask.files import regular
from ontomask.linking.spelling import spelling_of

# What a spreadsheet would run, or take for the start of something it runs.
FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")


class Decisions:
    """What was decided for texts: for the text as it stands, else for another spelling of it.

    Spellings differ in case, blanks, hyphens and accents (`spelling_of`). Where two of them were decided
    differently, each counts for itself alone.

    >>> decided = Decisions({"Bird-Watching": "birdwatching.n.01"})
    >>> decided.of("bird  watching"), decided.of("watching")
    ('birdwatching.n.01', None)
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = dict(mapping)
        self._by_spelling: dict[str, set[str]] = {}
        for value, concept in mapping.items():
            self._by_spelling.setdefault(spelling_of(value), set()).add(concept)

    def of(self, value: str) -> str | None:
        """The concept that a value was mapped to, or None."""
        if not self._mapping:
            return None
        if value in self._mapping:
            return self._mapping[value]
        decided = self._by_spelling.get(spelling_of(value), set())
        return next(iter(decided)) if len(decided) == 1 else None


def neutralised(text: str) -> str:
    """A cell that no spreadsheet runs: with a quote before a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def as_it_was(text: str) -> str:
    """What `neutralised` was given; a formula as such stays one."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def read_mapping(path: str | Path, ontology: str | None = None) -> dict[str, str]:
    """value -> concept (an id, a sense name or a term) from a CSV with these two columns.

    A line with an empty concept leaves its value to the matchers. `'=cmd()` stands for the value `=cmd()`,
    and for itself if no line says otherwise. Where the file has a column `ontology`, lines of another one
    than the one given are passed over.
    """
    path = Path(path)
    try:
        with regular(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        raise LinkingError(f"no mapping file {path}", remedy="`ontomask link` writes one") from None
    except (OSError, ValueError, csv.Error) as error:
        raise LinkingError(f"cannot read the mapping {path}: {error}") from None
    if not rows or not {"value", "concept"} <= set(rows[0]):
        raise LinkingError("a mapping needs the header `value,concept`", file=str(path), line=1)
    value_at, concept_at = rows[0].index("value"), rows[0].index("concept")
    ontology_at = rows[0].index("ontology") if ontology and "ontology" in rows[0] else None
    mapping: dict[str, str] = {}
    literal: dict[str, str] = {}
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) <= max(value_at, concept_at):
            wrong = f"expected {len(rows[0])} columns, found {len(row)}"
            raise LinkingError(wrong, file=str(path), line=number)
        if ontology_at is not None and len(row) > ontology_at and row[ontology_at] not in ("", ontology):
            continue
        value, concept = as_it_was(row[value_at]), as_it_was(row[concept_at].strip())
        if concept and (before := mapping.setdefault(value, concept)) != concept:
            raise LinkingError(
                f"{value!r} is mapped to {before!r} and to {concept!r}",
                file=str(path),
                line=number,
                value=value,
            )
        if concept:
            literal[row[value_at]] = concept
    return literal | mapping
