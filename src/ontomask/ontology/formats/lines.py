"""Numbered lines of a large UTF-8 text file, for the formats that are tables in plain text.

It knows what can be wrong with any such file (missing, empty, not UTF-8) and nothing of their columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.draft import place


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line with its number, line end included, so that a caller can tell a line that was cut."""
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                yield number, line
    except OSError as error:
        raise OntologyError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise OntologyError(
            f"{place(path, _undecodable_line(path))}not UTF-8 text; convert the file to UTF-8"
        ) from None
    if not number:
        raise OntologyError(f"{place(path)}the file is empty; get it again")


def _undecodable_line(path: Path) -> int:
    """Where decoding fails: the reader works in blocks, so its own position is of no use."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 0
