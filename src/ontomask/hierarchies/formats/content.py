"""What a hierarchy file says, whatever its format, and the tree that a file of nested labels writes.

It knows rows and labels, no syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ontomask.arrays import first_places
from ontomask.errors import OntologyError
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.ontology.draft import at

Node = tuple[int, str]  # its depth, its label
Row = list[str]

LARGEST = 20_000_000  # labels in all rows; deep trees of many values would fill the memory


@dataclass
class Content:
    """A row for each value, lowest label first; where rows stand, and what labels stand for."""

    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    concepts: dict[str, str] = field(default_factory=dict)
    name: str = ""
    notes: list[str] = field(default_factory=list)


def content_of_tree(
    labels: Sequence[str], parents: Sequence[int | None], lines: Sequence[int], source: Path, name: str = ""
) -> Content:
    """The leaves of a tree, whose parents stand before their children, and the labels above each leaf.

    >>> content_of_tree(["pain", "ache", "lumbago", "colic"], [None, 0, 1, 0], [1, 2, 3, 4], Path("t")).rows
    [['lumbago', 'ache', 'pain'], ['colic', 'pain']]
    """
    inner = set(parents)
    leaves = [place for place in range(len(labels)) if place not in inner]
    n_levels = max(depths_of(parents), default=-1) + 1
    if len(leaves) * n_levels > LARGEST:
        raise OntologyError(
            f"{len(leaves):,} values with {n_levels:,} levels are too many",
            **at(source),
            remedy="is it a list, not a tree?",
        )
    said = Content(lines=[lines[leaf] for leaf in leaves], name=name)
    for leaf in leaves:
        row, above = [labels[leaf]], parents[leaf]
        while above is not None:
            row.append(labels[above])
            above = parents[above]
        said.rows.append(row)
    return said


def depths_of(parents: Iterable[int | None]) -> list[int]:
    """How many labels stand above each one.

    >>> depths_of([None, 0, 1, 0])
    [0, 1, 2, 1]
    """
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent is None else depths[parent] + 1)
    return depths


def nodes_of_tree(hierarchy: Hierarchy) -> list[Node]:
    """The labels of a hierarchy as a tree, each before those below it.

    Padding that a reader puts in of itself, at the values, is left out; any other is written as a child with
    the label of its parent, and so is a value that others stand below.

    >>> jobs = Hierarchy.from_rows("jobs", [["doctor", "doctor", "person"], ["surgeon", "doctor", "person"]])
    >>> nodes_of_tree(jobs)
    [(0, 'person'), (1, 'doctor'), (2, 'doctor'), (2, 'surgeon')]
    """
    if is_padded_by_readers(hierarchy):
        return _nodes_without_padding(hierarchy)
    top = _Tree()
    for row in hierarchy.rows():
        below = top
        for label in reversed(row):
            found = below.get(label)
            if found is None:
                found = below[label] = _Tree()
            below = found
    nodes: list[Node] = []
    waiting = [(0, label, below) for label, below in top.items()]
    while waiting:
        depth, label, below = waiting.pop()
        nodes.append((depth, label))
        waiting.extend((depth + 1, *child) for child in reversed(below.items()))
    return nodes


def is_padded_by_readers(hierarchy: Hierarchy) -> bool:
    """Whether the rows without padding are padded as they were when they are read.

    They are where all padding is at the values, and some row has none.
    """
    moves = hierarchy.levels[1:] != hierarchy.levels[:-1]
    return bool(moves.all(axis=0).any() and (moves[:-1] <= moves[1:]).all())


def _nodes_without_padding(hierarchy: Hierarchy) -> list[Node]:
    """A value that others stand below is among them, in its place."""
    n_values, labels, children = hierarchy.n_values, hierarchy.labels, hierarchy.children
    first_value = first_places(hierarchy.levels.T.ravel(), len(labels)) // len(hierarchy.levels)
    nodes: list[Node] = []
    waiting = [(0, hierarchy.root)]
    while waiting:
        depth, node = waiting.pop()
        if node < 0:  # the value itself, below the group that has its label
            nodes.append((depth, labels[~node]))
            continue
        nodes.append((depth, labels[node]))
        below = children[node]
        if below and node < n_values:
            below = tuple(sorted((*below, ~node), key=lambda one: ~one if one < 0 else first_value[one]))
        waiting.extend([(depth + 1, one) for one in reversed(below)])
    return nodes


class _Tree(dict[str, "_Tree"]):
    """What stands below a label."""
