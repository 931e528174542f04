"""ARX's CSV files: a row for each value, its generalisations from left to right."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from ontomask.hierarchies.formats.content import Content, Row
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.ontology.formats.arx import parse


def content(text: str, source: Path, column: str | None) -> Content:
    """The rows as they stand; one that is there twice counts once."""
    said = Content()
    seen: set[tuple[str, ...]] = set()
    rows = parse(text, source)
    for line, row in rows:
        if tuple(row) not in seen:
            seen.add(tuple(row))
            said.rows.append(row)
            said.lines.append(line)
    if len(seen) < len(rows):
        said.notes.append(f"{len(rows) - len(seen):,} rows are repetitions of others")
    return said


def parts_of(hierarchy: Hierarchy) -> list[Row]:
    """A row for each value."""
    return hierarchy.rows()


def written(parts: list[Row], name: str, ending: str) -> str:
    """The rows, parted by semicolons, as ARX writes them."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(parts)
    return text.getvalue()


def parts_in(text: str, source: Path) -> list[Row]:
    """What a text says."""
    return content(text, source, None).rows


def refusal(label: str) -> str:
    """Why a label has no place here."""
    return "it begins or ends with a blank" if label != label.strip() else ""
