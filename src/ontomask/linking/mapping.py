"""Decisions of a person about values: CSV `value,concept`, read whole, used for every spelling of a value.

A file that linking wrote has a line for every value, and nobody need have looked at it: what such a line says
of itself (how, score) comes along with its concept (`Written`), so that a doubt stays one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from ontomask.errors import LinkingError
from ontomask.files import regular
from ontomask.linking.spelling import spelling_of

# What a spreadsheet would run, or take for the start of something it runs.
FORMULA = re.compile(r"'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")

BETWEEN_ALTERNATIVES = " | "


class Written(str):
    """A concept that linking wrote into a file, with what stands beside it there: its label, how it was
    found, how likely it is right, what else the value may be.

    >>> line = Written.of({"concept": "stroke.n.03", "label": "stroke", "how": "exact", "score": "0.560"})
    >>> line, line.score
    ('stroke.n.03', 0.56)
    """

    __slots__ = ("alternatives", "how", "label", "score")
    label: str
    how: str
    score: float
    alternatives: tuple[str, ...]

    @classmethod
    def of(cls, cells: Mapping[str, str]) -> Self | None:
        """The concept of a line; None where no score says that it is linking's."""
        with suppress(KeyError, ValueError):
            line = cls(as_it_was(cells["concept"].strip()))
            line.label, line.how = as_it_was(cells.get("label", "")), cells["how"].strip()
            line.score = float(cells["score"].replace(",", "."))
            line.alternatives = tuple(filter(None, cells.get("alternatives", "").split(BETWEEN_ALTERNATIVES)))
            return line
        return None


class Decisions:
    """What was decided for texts: for the text as it stands, else for another spelling of it.

    Spellings differ in case, blanks, hyphens and accents (`spelling_of`). Where two of them were decided
    differently, each counts for itself alone; but what linking wrote counts for nothing beside a decision.

    >>> decided = Decisions({"Bird-Watching": "birdwatching.n.01"})
    >>> decided.of("bird  watching"), decided.of("watching")
    ('birdwatching.n.01', None)
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        decided = {spelling_of(value) for value, line in mapping.items() if not isinstance(line, Written)}
        self._mapping = {
            value: line
            for value, line in mapping.items()
            if not isinstance(line, Written) or spelling_of(value) not in decided
        }
        self._by_spelling: dict[str, set[str]] = {}
        for value, concept in self._mapping.items():
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


def separator_in(header: str) -> str:
    """What stands between cells: a comma, or what spreadsheets of some countries write in its place."""
    names = header.replace('"', "").strip()
    return next((mark for mark in ",;\t" if {"value", "concept"} <= {*names.split(mark)}), ",")


def read_mapping(path: str | Path, ontology: str | None = None) -> dict[str, str]:
    """value -> concept (an id, a sense name or a term) from a CSV with these two columns.

    A line with an empty concept leaves its value to the matchers. `'=cmd()` stands for the value `=cmd()`,
    and for itself if no line says otherwise. Where the file has a column `ontology`, lines of another one
    than the one given are passed over. A line that linking wrote is `Written`.
    """
    path = Path(path)
    try:
        with regular(path).open(encoding="utf-8-sig", newline="") as file:
            separator = separator_in(file.readline())
            file.seek(0)
            rows = list(csv.reader(file, delimiter=separator))
    except FileNotFoundError:
        raise LinkingError(f"no mapping file {path}", remedy="`ontomask link` writes one") from None
    except (OSError, ValueError, csv.Error) as error:
        raise LinkingError(f"cannot read the mapping {path}: {error}") from None
    if not rows or not {"value", "concept"} <= set(rows[0]):
        raise LinkingError("a mapping needs the header `value,concept`", file=str(path), line=1)
    value_at, concept_at = rows[0].index("value"), rows[0].index("concept")
    ontology_at = rows[0].index("ontology") if ontology and "ontology" in rows[0] else None
    is_of_linking = {"how", "score"} <= set(rows[0])
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
        if is_of_linking:
            concept = Written.of(dict(zip(rows[0], row, strict=False))) or concept
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
