"""ARX-style hierarchy CSV: one row per value, its generalisations from left to right, no header.

A node is a label at a level (column). As in ARX, a label generalises to the same next label wherever it
stands at one level. A label repeated in neighbouring columns is padding and makes one node. Where one label
is several nodes, the lowest keeps it as its id and the others are called ``label [level]``.
"""

from __future__ import annotations

import csv
import io
from itertools import groupby, pairwise
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import one_line, read_text

Row = tuple[int, list[str]]  # its line, its labels
Node = tuple[int, str]  # its level, its label

_DELIMITERS = (";", "\t", ",")


def recognises(path: Path) -> bool:
    """A CSV or TSV file."""
    return path.is_file() and path.suffix.lower() in {".csv", ".tsv"}


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read an ARX hierarchy."""
    above, lines = _links(parse(read_text(path), path), path)
    ids = _ids(lines, above)
    draft = Draft(name, path)
    for node, concept_id in ids.items():
        draft.concept(concept_id, node[1], lines[node])
    for node, parent in above.items():
        if node[1] != parent[1]:
            draft.is_a(ids[_lowest(node, above)], ids[_lowest(parent, above)], lines[node])
    return draft.finish()


def parse(text: str, source: str | Path = "") -> list[Row]:
    """All rows, of one width and without empty labels.

    >>> parse("surgeon;doctor;*\\nnun;nun;*")
    [(1, ['surgeon', 'doctor', '*']), (2, ['nun', 'nun', '*'])]
    """
    rows = _split(text, source)
    first_line, first = rows[0]
    for line, row in rows:
        if len(row) != len(first):
            raise OntologyError(
                f"{len(row)} columns, but line {first_line} has {len(first)}",
                **at(source, line),
                remedy="every value needs a generalisation at every level",
            )
        for label in row:
            one_line(label, source, line)
        steps = [label for label, _ in groupby(row)]
        if len(set(steps)) < len(steps):
            again = next(label for i, label in enumerate(steps) if label in steps[:i])
            raise OntologyError(
                f"{again!r} stands above itself ({' is-a '.join(steps)})",
                **at(source, line),
                value=again,
                remedy="that is a cycle: rename one of them",
            )
    return rows


def _split(text: str, source: str | Path) -> list[Row]:
    """Rows by the delimiter that parts all lines evenly, else by the first that parts the first line."""
    readings: list[list[Row]] = []
    damage: list[tuple[int, str]] = []
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
        rows: list[Row] = []
        line = 1
        try:
            for row in reader:
                if any(row):
                    rows.append((line, [label.strip() for label in row]))
                line = reader.line_num + 1
        except csv.Error as error:
            damage.append((line, str(error)))
        else:
            readings.append(rows)
    if not readings:
        line, problem = max(damage)
        raise OntologyError(
            f"the quoting is broken ({problem})", **at(source, line), remedy="close or double the quote"
        )
    if not all(readings):
        raise OntologyError("no label in it, only separators", **at(source))
    parted = [rows for rows in readings if len(rows[0][1]) > 1]
    if not parted:
        line, row = readings[0][0]
        raise OntologyError(
            f"{row[0]!r} has no generalisation beside it",
            **at(source, line),
            value=row[0],
            remedy="expected a value and its generalisations from left to right, parted by ';', ',' or tabs",
        )
    return next((rows for rows in parted if len({len(row) for _, row in rows}) == 1), parted[0])


def _links(rows: list[Row], path: Path) -> tuple[dict[Node, Node], dict[Node, int]]:
    """The next node up from every node below the top, and the line where each node first stands."""
    above: dict[Node, Node] = {}
    lines: dict[Node, int] = {}
    for line, row in rows:
        for node, parent in pairwise(enumerate(row)):
            known = above.setdefault(node, parent)
            if known != parent:
                level, label = node
                what = "is listed twice: it" if level == 0 else f"at level {level}"
                raise OntologyError(
                    f"{label!r} {what} generalises to {parent[1]!r}, but to {known[1]!r} in line "
                    f"{lines[node]}",
                    **at(path, line),
                    value=label,
                    remedy="make them agree",
                )
            lines.setdefault(node, line)
        lines.setdefault((len(row) - 1, row[-1]), line)
    return above, lines


def _ids(nodes: dict[Node, int], above: dict[Node, Node]) -> dict[Node, str]:
    """Ids of the nodes that are not mere padding of the node below them."""
    ids: dict[Node, str] = {}
    seen: set[str] = set()
    for node in sorted(nodes):
        level, label = node
        if _lowest(node, above) == node:
            ids[node] = f"{label} [{level}]" if label in seen else label
            seen.add(label)
    return ids


def _lowest(node: Node, above: dict[Node, Node]) -> Node:
    """Where the run of padding that ends in `node` starts."""
    while above.get(below := (node[0] - 1, node[1])) == node:
        node = below
    return node
