"""Levels for a taxonomy: cuts through the tree, each coarser than the one before.

A full-domain method takes all values to one level, so levels should differ by much and lose little. It knows
a tree with losses, no labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import log

import numpy as np

from ontomask.arrays import Bool, Int64
from ontomask.hierarchies.taxonomy import Taxonomy


def nested_cuts(tree: Taxonomy, allowed: Bool, levels: int) -> list[Int64]:
    """At most so many cuts, from the finest to the root; each says which node every value becomes.

    The nodes of the current cut that lie below some node are replaced by it, again and again: each time the
    node with the least loss added for each node saved, `(loss(t) - loss of the cut below t) / (nodes of the
    cut below t - 1)`. A cut is kept whenever its size is nearest to the next that is wanted. Nodes that are
    not `allowed` are passed over, except the root, which is the last cut.
    """
    cut = _Cut(tree, set(np.flatnonzero(allowed).tolist()) - {tree.root})
    wanted = _sizes(tree.n_values, cut.coarsest(), levels)
    cuts: list[Int64] = []
    last = size = tree.n_values
    while wanted:
        node = cut.next_node()
        if node is None or _is_nearer(size, size - cut.saved(node), wanted[0]):
            wanted.pop(0)
            if size < last:
                cuts.append(cut.nodes())
                last = size
        else:
            size -= cut.saved(node)
            cut.replace_below(node)
    return [*cuts, np.full(tree.n_values, tree.root)]


def _sizes(n_values: int, coarsest: Int64, levels: int) -> list[float]:
    """How many nodes the levels between values and root should have: each fewer by the same factor.

    There can be no fewer than in the coarsest cut below the root, and values that stay alone even there are
    no part of it.

    >>> [round(size) for size in _sizes(81, np.array([90, 91] * 40 + [7]), 4)]
    [28, 10, 4]
    """
    sizes = np.unique(coarsest, return_counts=True)[1]
    alone = int((sizes == 1).sum())
    least, grouped = len(sizes) - alone, n_values - alone
    last = max(least, grouped ** (1 / levels))
    return [alone + grouped * (last / grouped) ** (i / (levels - 1)) for i in range(1, levels) if grouped]


def _is_nearer(size: int, smaller: int, wanted: float) -> bool:
    """Whether the first size is as near to what is wanted as the second, or nearer, counted in factors."""
    return abs(log(size / wanted)) <= abs(log(smaller / wanted))


class _Cut:
    """The nodes that values have become so far."""

    def __init__(self, tree: Taxonomy, allowed: set[int]) -> None:
        self._tree = tree
        self._above = tree.parents.tolist()
        self._losses: list[float] = tree.losses.tolist()
        self._lost = [0.0] * len(self._above)  # by the nodes of the cut below each node
        self._nodes = [1] * tree.n_values + [0] * (len(self._above) - tree.n_values)  # of the cut below each
        for path in tree.paths():
            for node in path[1:]:
                self._nodes[node] += 1
        self._replaced = [False] * len(self._above)
        self._allowed = allowed
        self._heap = [(self._price(node), node) for node in self._allowed if self.saved(node)]
        heapify(self._heap)

    def saved(self, node: int) -> int:
        """How many nodes fewer the cut has if this one stands for all below it."""
        return self._nodes[node] - 1

    def _price(self, node: int) -> float:
        return (self._losses[node] - self._lost[node]) / self.saved(node)

    def _up(self, node: int) -> list[int]:
        way = [node]
        while self._above[way[-1]] >= 0:
            way.append(self._above[way[-1]])
        return way

    def next_node(self) -> int | None:
        """The node that costs least for each node saved, ties by lowest index; None if none is left."""
        while self._heap:
            price, node = self._heap[0]
            is_covered = any(self._replaced[above] for above in self._up(node))
            if not is_covered and self.saved(node) and price == self._price(node):
                return node
            heappop(self._heap)
        return None

    def replace_below(self, node: int) -> None:
        """Put a node in the place of all below it."""
        added, saved = self._losses[node] - self._lost[node], self.saved(node)
        self._replaced[node] = True
        for above in self._up(node):
            self._lost[above] += added
            self._nodes[above] -= saved
            if self._nodes[above] > 1 and above in self._allowed:
                heappush(self._heap, (self._price(above), above))

    def nodes(self) -> Int64:
        """The node that each value has become."""
        return self._highest(self._replaced)

    def coarsest(self) -> Int64:
        """What each value becomes if nodes are replaced as long as any are allowed."""
        return self._highest([node in self._allowed for node in range(len(self._above))])

    def _highest(self, chosen: Sequence[bool]) -> Int64:
        """The highest chosen node at or above each value, else the value itself."""
        n_values = self._tree.n_values
        cover = [-1] * len(self._above)
        for node in range(n_values, len(self._above)):
            above = self._above[node]
            covered = cover[above] if above >= 0 else -1
            cover[node] = covered if covered >= 0 else node if chosen[node] else -1
        by_concept = np.array(cover)[self._tree.parents[:n_values]]
        return np.where(by_concept >= 0, by_concept, np.arange(n_values))
