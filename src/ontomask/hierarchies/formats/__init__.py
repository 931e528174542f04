"""Hierarchies as files: ARX CSV, nested YAML or JSON, and DGH text, told apart by how the name ends.

What a file says is parsed by the readers of `ontology.formats`; here it becomes rows with levels, and rows
become a file again. To add a format: a module with `content`, `parts_of`, `written`, `parts_in` and
`refusal`, and a line in FORMATS.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from ontomask.errors import OntologyError, OntomaskError
from ontomask.files import replacing
from ontomask.hierarchies.formats import arx, dgh, nested
from ontomask.hierarchies.formats.content import Content
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.ontology.formats.nested import KEPT
from ontomask.ontology.formats.reading import read_text

__all__ = ["FORMATS", "as_text", "read_hierarchy", "write_hierarchy"]

FORMATS: dict[str, ModuleType] = {
    ".csv": arx,
    ".tsv": arx,
    ".yaml": nested,
    ".yml": nested,
    ".json": nested,
    ".dgh": dgh,
    ".txt": dgh,
}

_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


def read_hierarchy(path: str | Path, name: str | None = None, *, column: str | None = None) -> Hierarchy:
    """Read a hierarchy.

    Rows of an ARX file are levels as they stand, padding included. A tree is padded at its values. A child
    with the label of its parent is the same node: a value that is also a group, or padding.

    Parameters
    ----------
    path
        A `.csv`, `.yaml`, `.json`, `.dgh` file, or one of the other endings in `FORMATS`.
    name
        What to call it; else the column that the file names, else the name of the file.
    column
        Which attribute is meant, where a DGH file describes several.
    """
    path = Path(path)
    return _hierarchy(_format_of(path).content(read_text(path), path, column), name, path)


def as_text(hierarchy: Hierarchy, ending: str) -> str:
    """What a file with this ending says of a hierarchy.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> print(as_text(jobs, ".csv"), as_text(jobs, ".yaml"), sep="")
    surgeon;doctor;person
    nun;nun;person
    person:
      doctor:
        surgeon: {}
      nun: {}
    <BLANKLINE>
    """
    path = Path(f"hierarchy{ending}")
    kind = _format_of(path)
    for label in hierarchy.labels:
        if reason := _refusal(label) or kind.refusal(label):
            raise OntomaskError(
                f"the label {label!r} cannot be written to a {ending} file: {reason}",
                value=label,
                remedy="change it, or take another kind of file",
            )
    parts = kind.parts_of(hierarchy)
    text: str = kind.written(parts, hierarchy.name, ending)
    if kind.parts_in(text, path) != parts:  # whatever the rules above forgot
        raise OntomaskError(
            f"this hierarchy cannot be written to a {ending} file: its labels would be read differently",
            remedy="take another kind of file",
        )
    return text


def write_hierarchy(hierarchy: Hierarchy, path: str | Path) -> tuple[str, ...]:
    """Write a hierarchy, whole or not at all; returns what the format has no place for.

    Read again, every value has the same label at every level; in a tree, values stand below their groups,
    which may change their order.
    """
    path = Path(path)
    text = as_text(hierarchy, path.suffix.lower())
    with replacing(path) as staged:
        staged.write_bytes(text.encode())
    if hierarchy.concepts and _format_of(path) is not nested:
        return (f"{path.name} does not say which concepts its labels stand for; .yaml and .json files do",)
    return ()


def _format_of(path: Path) -> ModuleType:
    if path.suffix.lower() not in FORMATS:
        raise OntologyError(
            f"a hierarchy file ends in {', '.join(FORMATS)}, not in {path.suffix!r}",
            file=path.name,
            value=path.suffix,
            remedy="rename it, or convert it to one of these",
        )
    return FORMATS[path.suffix.lower()]


def _hierarchy(content: Content, name: str | None, path: Path) -> Hierarchy:
    return Hierarchy.from_rows(
        name or content.name or path.stem,
        content.rows,
        concepts=content.concepts,
        lines=content.lines,
        source=path,
        notes=content.notes,
    )


@lru_cache(KEPT)
def _refusal(label: str) -> str:
    """Why no file can hold a label; empty if one can."""
    if not label.strip():
        return "it is empty"
    if "\n" in label or "\r" in label:
        return "it has a line break"
    if _NO_CHARACTER.search(label):
        return "it has what is no character"
    if label.startswith("\ufeff"):
        return "it begins with a byte order mark"
    return ""
