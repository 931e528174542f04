"""The current cut through the tree of one attribute, for top-down specialisation, and what may refine it.

A node of the cut is written for all values below it. Its children are those of the hierarchy or, where
numbers have none, the two parts of the range, split where that tells most (document 003, section 3.4). Codes
and counts only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes import Attribute
from ontomask.methods.full_domain import levels_within
from ontomask.methods.info_gain import gains_of_splits, info_gain

_SPLIT = -1  # the level of a range that is split where it tells most
Key = tuple[int, bytes]


class Node(NamedTuple):
    """A node of the cut of attribute `attribute`: records with one of `codes` have it.

    `level` is where it stands in the hierarchy, or -1 if it is a range to be split.
    """

    attribute: int
    codes: Int64
    level: int

    @property
    def is_range(self) -> bool:
        """Whether it is a range of numbers that has no hierarchy."""
        return self.level == _SPLIT

    @property
    def key(self) -> Key:
        """What tells nodes of an attribute apart: a value may have the label of a node above it."""
        return self.level, self.codes.tobytes()


class Specialisation(NamedTuple):
    """A node and what would stand in its place."""

    node: Node
    children: tuple[Node, ...]
    gain: float


class Cut:
    """The nodes of attribute `place` by their number, and the number of every code.

    Attributes
    ----------
    by_class
        Records of each code and class of the target.
    order, starts
        The tuples in the order of their codes, and where those of each code start.
    barred
        Of a range, the splits that are known to be invalid.
    """

    def __init__(self, place: int, attribute: Attribute, limit: float, codes: Int32, by_class: Int64) -> None:
        self.place, self.attribute, self.by_class = place, attribute, by_class
        self.levels = None if attribute.levels is None else _levels(attribute, limit)
        self.order = np.argsort(codes, kind="stable").astype(np.int32)
        self.starts = np.cumsum([0, *np.bincount(codes, minlength=attribute.size)]).astype(np.int64)
        self.present = np.flatnonzero(np.diff(self.starts))
        self.number_of = np.zeros(attribute.size, np.int32)
        self.nodes: dict[int, Node] = {}
        self.barred: dict[Key, Bool] = {}
        for number, node in enumerate(self._roots()):
            self._put(node, number)

    def __len__(self) -> int:
        return len(self.nodes)

    def _roots(self) -> Iterator[Node]:
        """The most general nodes: the root, or those that a limit still allows."""
        if self.levels is None:
            yield Node(self.place, self.present, _SPLIT)
        else:
            yield from self._below(len(self.levels) - 1, self.present)

    def _put(self, node: Node, number: int) -> None:
        self.nodes[number] = node
        self.number_of[node.codes] = number

    def refine(self, one: Specialisation) -> None:
        """Put the children of a node in its place; the first of them takes its number."""
        own, more = int(self.number_of[one.node.codes[0]]), range(len(self), len(self) + len(one.children))
        for number, child in zip([own, *more], one.children, strict=False):
            self._put(child, number)

    # ------------------------------------------------------------------ what may refine it

    def specialisations(self, node: Node, needs_gain: bool, least: int) -> Iterator[Specialisation]:
        """What may stand in the place of a node, the best first: its children, or two ranges of it.

        No range of fewer records than `least` is made.
        """
        if node.is_range:
            yield from self._splits(node, least)
        elif children := self._children(node, needs_gain):
            yield Specialisation(node, children, self._gain(children))

    def _children(self, node: Node, needs_gain: bool) -> tuple[Node, ...]:
        """The nodes of the next lower level at which not all values have become the same.

        Another label for all of them tells no more; it is a child where that is not asked for.
        """
        levels = self.levels
        assert levels is not None
        for level in range(node.level - 1, -1, -1):
            row = levels[level, node.codes]
            is_other = bool(row[0] != levels[node.level, node.codes[0]])
            if (row != row[0]).any() or (is_other and not needs_gain):
                return tuple(self._below(level, node.codes))
        return ()

    def _below(self, level: int, codes: Int64) -> Iterator[Node]:
        """The nodes of a level that some codes have, in the order of their first code."""
        assert self.levels is not None
        row = self.levels[level, codes]
        _, first = np.unique(row, return_index=True)
        for at in np.sort(first).tolist():
            yield Node(self.place, codes[row == row[at]], level)

    def _splits(self, node: Node, least: int) -> Iterator[Specialisation]:
        """The binary splits of a range, the best InfoGain first; a missing value leaves it before that."""
        is_missing = node.codes == self.attribute.missing
        if is_missing.any():
            if not is_missing.all():
                children = tuple(node._replace(codes=node.codes[part]) for part in (~is_missing, is_missing))
                yield Specialisation(node, children, self._gain(children))
            return
        gains = gains_of_splits(self.by_class[node.codes])
        left = np.cumsum(self.records(node))
        barred = (left[:-1] < least) | (left[-1] - left[:-1] < least)
        self.barred[node.key] = barred
        for at in np.argsort(-gains, kind="stable").tolist():
            if not barred[at]:  # more may have been barred since
                parts = node.codes[: at + 1], node.codes[at + 1 :]
                children = tuple(node._replace(codes=part) for part in parts)
                yield Specialisation(node, children, float(gains[at]))

    def _gain(self, children: Sequence[Node]) -> float:
        return info_gain(np.stack([self.by_class[child.codes].sum(axis=0) for child in children]))

    # ------------------------------------------------------------------ records and replacements

    def records(self, node: Node) -> Int64:
        """Records of every code of a node."""
        counts: Int64 = self.by_class[node.codes].sum(axis=1)
        return counts

    def tuples(self, node: Node) -> tuple[Int32, Int32]:
        """The tuples that have a node, and the place of the code of each among its codes; these ascend."""
        places = np.repeat(np.arange(len(node.codes), dtype=np.int32), np.diff(self.starts)[node.codes])
        runs = [self.order[self.starts[code] : self.starts[code + 1]] for code in node.codes.tolist()]
        return np.concatenate(runs), places

    def replacements(self, nodes: Sequence[Node]) -> tuple[Attribute, Int32]:
        """An attribute that can write some nodes, and the replacement of each."""
        if self.levels is None:  # the root is everything: its ends are nobody's business
            every, n = np.arange(self.attribute.size), len(self.present)
            return self.attribute.covering_codes(
                [every if len(one.codes) == n else one.codes for one in nodes]
            )
        written = [self.levels[node.level, node.codes[0]] for node in nodes]
        return self.attribute, np.array(written, np.int32)


def _levels(attribute: Attribute, limit: float) -> Int32:
    """The levels that a limit allows; what is kept is the value itself, though a label may lose nothing."""
    levels = levels_within(attribute, limit)
    return levels[:1] if limit == 0 else levels
