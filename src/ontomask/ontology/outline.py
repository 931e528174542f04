"""Where concepts stand in an ontology, as a small tree: what leads to them from the top, and to nothing else,
is one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ontomask.ontology.core import Ontology


class Branch(NamedTuple):
    """A line of a tree: concepts of a way down, the last one asked for or a fork, and what is below it."""

    way: tuple[int, ...]
    below: tuple[Branch, ...]


def outline(ontology: Ontology, concepts: Iterable[int]) -> Branch | None:
    """The tree of shortest ways from the root to some concepts, in the order given; None if there are none.

    >>> from ontomask.ontology.draft import Draft
    >>> o = Draft.from_edges("t", [("b", "a"), ("c", "b"), ("d", "b"), ("e", "d")])
    >>> tree = outline(o, [o.concept("e"), o.concept("c")])
    >>> [o.labels[c] for c in tree.way], [[o.labels[c] for c in one.way] for one in tree.below]
    (['a', 'b'], [['d', 'e'], ['c']])
    """
    asked = list(dict.fromkeys(concepts))
    tree: dict[int, Any] = {}
    for concept in asked:
        node = tree
        for step in reversed(way_up(ontology, concept)):
            node = node.setdefault(step, {})
    return next(_branches(tree, frozenset(asked)), None)


def way_up(ontology: Ontology, concept: int) -> list[int]:
    """Concepts on a shortest is-a path from a concept up to the root, both included."""
    depth, way = ontology.shortest_depth, [concept]
    while way[-1]:
        parents = ontology.parents[way[-1]]
        way.append(int(parents[np.argmin(depth[parents])]))
    return way


def _branches(tree: dict[int, Any], asked: frozenset[int]) -> Iterator[Branch]:
    for concept, below in tree.items():
        way = [concept]
        while len(below) == 1 and way[-1] not in asked:
            ((step, below),) = below.items()
            way.append(step)
        yield Branch(tuple(way), tuple(_branches(below, asked)))
