"""Counts that somebody else made: a CSV file with the columns a, b, count_a, count_b, count_both, total.

A pair of terms stands in it once, in either order. It knows no texts, so it cannot filter them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from ontomask.errors import OntologyError, OntomaskError, did_you_mean
from ontomask.literature.counts import Counts, Literature, phrases_of
from ontomask.ontology.draft import at
from ontomask.ontology.formats.reading import read_text

_TERMS = ("a", "b")
_NUMBERS = ("count_a", "count_b", "count_both", "total")


class CountTable(Literature):
    """Counts of pairs of terms; how a term is written (case, blanks, hyphens) makes no difference.

    >>> table = CountTable({("Heart-disease", "age"): Counts(20, 50, 15, 100)})
    >>> table.counts("age", "heart disease")
    Counts(a=50, b=20, both=15, total=100)
    """

    def __init__(self, known: Mapping[tuple[str, str], Counts]) -> None:
        self._known = {(_plain(a), _plain(b)): counts for (a, b), counts in known.items()}
        self._terms = {term for pair in known for term in pair}

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A table from its file; an error names line and column."""
        path = Path(path)
        known: dict[tuple[str, str], Counts] = {}
        lines: dict[frozenset[str], int] = {}
        reader = csv.reader(read_text(path).splitlines(keepends=True), strict=True)
        try:
            header = [name.strip() for name in next(reader)]
            if missing := [name for name in (*_TERMS, *_NUMBERS) if name not in header]:
                raise OntologyError(
                    f"has no column {missing[0]!r}",
                    **at(path, 1),
                    value=missing[0],
                    remedy=f"its first line is `{','.join((*_TERMS, *_NUMBERS))}`",
                )
            for row in reader:
                line = reader.line_num
                if not any(cell.strip() for cell in row):
                    continue
                if len(row) != len(header):
                    raise OntologyError(f"{len(row)} cells, not {len(header)}", **at(path, line))
                a, b, counts = _read_row(dict(zip(header, row, strict=True)), path, line)
                first = lines.setdefault(frozenset((_plain(a), _plain(b))), line)
                if first != line:
                    raise OntologyError(f"{a!r} and {b!r} stand in line {first}, too", **at(path, line))
                known[a, b] = counts
        except csv.Error as error:
            raise OntologyError(f"the quoting is broken ({error})", **at(path, reader.line_num)) from None
        return cls(known)

    def counts(self, a: str, b: str, filter: str | None = None) -> Counts:
        if filter is not None:
            raise OntomaskError(
                "a table of counts cannot be filtered", remedy="count with the filter, and give that table"
            )
        first, second = _plain(a), _plain(b)
        if found := self._known.get((first, second)):
            return found
        if found := self._known.get((second, first)):
            return Counts(found.b, found.a, found.both, found.total)
        known = {term for pair in self._known for term in pair}
        unknown = next((term for term in (a, b) if _plain(term) not in known), None)
        if unknown is None:
            raise OntologyError(f"the table of counts has no line for {a!r} and {b!r}", value=a)
        hint = did_you_mean(unknown, self._terms)
        raise OntologyError(f"the table of counts has no term {unknown!r}{hint}", value=unknown)


def _plain(term: str) -> str:
    return "|".join(sorted(phrase.casefold() for phrase in phrases_of(term)))


def _read_row(cells: Mapping[str, str], path: Path, line: int) -> tuple[str, str, Counts]:
    try:
        terms = [cells[name].strip() for name in _TERMS]
        for term in terms:
            phrases_of(term)
        return terms[0], terms[1], Counts(*(_number(cells[name], name) for name in _NUMBERS))
    except OntomaskError as error:
        raise OntologyError(*error.faults).at(**at(path, line)) from None


def _number(text: str, column: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise OntologyError(
            f"{text!r} is not a count", column=column, value=text, remedy="write digits alone: 2443"
        )
    return int(digits)
