"""Where a table begins and ends in a file: titles above the column names, notes below the last row; names.

Guessed from how many cells are filled, on the first and the last rows only. Nothing is skipped on a guess:
the reader stops and says which row it takes for the header, and `init` writes that into its draft.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ontomask.errors import Fault, TableError
from ontomask.printable import some_of

if TYPE_CHECKING:
    from ontomask.tables.table import Table

_SAMPLE = 60
_MOST_TOLD = 30  # faults of one header
_NOTE = re.compile(
    r"(\*|†|©|note|source|total|remark|legend|quelle|anmerkung|hinweis|fuente|nota|font|remarque|légende)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"((grand |sub-?)?totals?|sums?|(gesamt)?summe|(ins)?gesamt|suma|somma|soma|somme|totale|totaux"
    r"|total (general|général|geral)|totale generale)\s*:?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")


class BesideTableError(TableError):
    """A file holds more than its table: titles above the column names, a note or a total below the rows.

    `header_row` is where the names seem to be if there are titles, else 0. `table` is the table without what
    is not of it, for whoever tells all that is wrong with it; None if it cannot be read. It is not released.
    """

    def __init__(
        self, *faults: str | Fault, header_row: int = 0, table: Table | None = None, **fields: Any
    ) -> None:
        super().__init__(*faults, **fields)
        self.header_row, self.table = header_row, table


def titles(label: str, header_row: int) -> Fault:
    """What is wrong with rows above the column names: which row has these, and how to say so."""
    above = "row 1 has" if header_row == 2 else f"rows 1 to {header_row - 1} have"
    return Fault(
        f"{above} no column names; row {header_row} looks like the header",
        file=label,
        line=1,
        remedy=f"set `table.header_row: {header_row}`",
    )


def titles_note(header_row: int) -> tuple[str, ...]:
    """What a publisher should know about rows above the header."""
    if header_row < 2:
        return ()
    above = (
        "row 1, above the column names, is"
        if header_row == 2
        else (f"rows 1 to {header_row - 1}, above the column names, are")
    )
    return (f"{above} not released",)


def not_a_row(label: str, line: int) -> Fault:
    """What is wrong with a note or a total below a table."""
    return Fault(
        "this looks like a note or a total below the table, not a row of it",
        file=label,
        line=line,
        remedy="remove it and what follows",
    )


def name_faults(names: Sequence[str], label: str) -> list[Fault]:
    """All that is wrong with column names: those that stand twice, are not there, or are no text.

    >>> for fault in name_faults(["a", "a", ""], "people.csv"):
    ...     print(fault)
    people.csv: the column name 'a' stands twice (columns 1, 2); rename one
    people.csv: column 3 has no name; give it one in the header
    """
    return [*_repeated(names, label), *_nameless(names, label), *_no_texts(names, label)][:_MOST_TOLD]


def _repeated(names: Sequence[str], label: str) -> Iterator[Fault]:
    places: dict[str, list[str]] = {}
    for position, name in enumerate(names, 1):
        places.setdefault(name, []).append(str(position))
    for name, found in sorted(places.items()):
        if name.strip() and len(found) > 1:
            often = "twice" if len(found) == 2 else f"{len(found):,} times"
            yield Fault(
                f"the column name {name!r} stands {often} (columns {some_of(found)})",
                file=label,
                value=name,
                is_public=True,
                remedy="rename one" if len(found) == 2 else "rename all but one",
            )


def _nameless(names: Sequence[str], label: str) -> Iterator[Fault]:
    found = [str(position) for position, name in enumerate(names, 1) if not name.strip()]
    if len(found) == 1:
        yield Fault(f"column {found[0]} has no name", file=label, remedy="give it one in the header")
    elif found:
        yield Fault(
            f"columns {some_of(found)} have no name", file=label, remedy="give each one in the header"
        )


def _no_texts(names: Sequence[str], label: str) -> Iterator[Fault]:
    for position, name in enumerate(names, 1):
        said = f"the name of column {position}"
        if name.startswith("\ufeff"):  # at the start of a text it would be read as something else
            yield Fault(f"{said} begins with a byte order mark (U+FEFF)", file=label, remedy="rename it")
        elif "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
            yield Fault(f"{said} is not valid text: {name!r}", file=label, remedy="rename it")


def header_at(rows: Sequence[Sequence[object]]) -> int:
    """The place of the row that looks like the header: the first that is filled as the table is.

    Rows above it have at most half as many filled cells; 0 if there is none to be told from the others.

    >>> header_at([["Report of 2024", "", ""], ["", "", ""], ["name", "age", "job"], ["Ann", "31", ""]])
    2
    """
    filled = [sum(not _is_blank(cell) for cell in row) for row in rows[:_SAMPLE]]
    width = max(filled, default=0)
    if width < 2:
        return 0
    first = next(at for at, n in enumerate(filled) if 2 * n > width)
    is_header = 4 * filled[first] >= 3 * width and first + 1 < len(filled)
    return first if is_header and _are_names(rows[first]) else 0


def header_of_text(text: str, separators: Sequence[str]) -> int:
    """The line of a delimited text that looks like the header, 1 if it is the first or cannot be told.

    >>> header_of_text("Report\\n\\nname;age\\nAnn;31\\nBo;32\\n", ",;")
    3
    """
    found: tuple[int, int] = (0, 1)
    for separator in separators:
        reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
        rows, lines = [], []
        before = 0
        try:
            for row in islice(reader, _SAMPLE):
                rows.append(row)
                lines.append(before + 1)
                before = reader.line_num
        except csv.Error:
            continue
        at = header_at(rows)
        width = Counter(len(row) for row in rows[at:]).most_common(1)
        even, n = (width[0][1], width[0][0]) if width else (0, 0)
        if at and n > 1 and 5 * even >= 4 * (len(rows) - at):
            found = max(found, (even, lines[at]))
    return found[1]


def note_below(rows: Sequence[Sequence[object]]) -> int | None:
    """The place of the first of the last rows that is a note or a total, not a row; None if none is.

    A note is a phrase in the first cell and nothing beside it, below a blank row or beginning as notes do.
    A total is called so by its first filled cell, as no other row is, and has nothing but numbers beside it.

    >>> note_below([["Ann", "31", "cook"], ["", "", ""], ["Data of the ward office", "", ""]])
    1
    >>> note_below([["Ann", "31", "cook"], ["Mary Ann", "", ""]])
    >>> note_below([["Ann", "31", "cook"], ["Total", "31", ""]])
    1
    """
    first = None
    for at in reversed(range(len(rows))):
        filled = [place for place, cell in enumerate(rows[at]) if not _is_blank(cell)]
        if not filled:
            first = at if first is not None else None
            continue
        if _is_total(rows, at, filled):
            first = at
            continue
        if filled != [0] or len(rows[at]) < 3 or not _is_phrase(str(rows[at][0])):
            break
        below_blank = at > 0 and all(map(_is_blank, rows[at - 1]))
        if not (below_blank or first is not None or _NOTE.match(str(rows[at][0]).strip())):
            break
        first = at
    return first


def _is_total(rows: Sequence[Sequence[object]], at: int, filled: Sequence[int]) -> bool:
    name, *others = filled
    text = str(rows[at][name]).strip()
    return (
        bool(others and _TOTAL.fullmatch(text))
        and all(_NUMBER.fullmatch(str(rows[at][place]).strip()) for place in others)
        and sum(str(row[name]).strip() == text for row in rows) == 1
    )


def _is_phrase(text: str) -> bool:
    return len(text.split()) > 1


def _is_blank(cell: object) -> bool:
    return cell is None or not str(cell).strip()


def _are_names(row: Sequence[object]) -> bool:
    """Whether cells may be column names: different texts, hardly any of them a number."""
    texts = [str(cell).strip() for cell in row if not _is_blank(cell)]
    numbers = sum(bool(re.fullmatch(r"[-+]?[\d.,]+", text)) for text in texts)
    return len(set(texts)) == len(texts) and 4 * numbers <= len(texts)
