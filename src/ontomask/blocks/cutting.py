"""Cutting tuples into blocks of near ones by rules, so that any tuple can be told its block.

The rules are found on a sample: a node is halved by how much nearer a value of one attribute is to one value
than to another, as trees over pairs do for the search of neighbours. They are a function of the sample and
the seed; which block a tuple goes to is a function of its codes alone. Integers and distances only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes import Attribute

_DRAWN = 5  # pairs of values, of which the farthest is taken
_TRIED = 8  # times, until one of them halves a node well
_LEAST = 0.2  # of a node's tuples, or of those of a leaf: what is well enough
_FEWEST = 1 / 32  # of a node's tuples: with less on a side it is not cut, so that the tree stays low
_LEAF = -1


@dataclass(frozen=True, eq=False)
class Rules:
    """A tree of cuts: at node i the code of `attribute[i]` says whether a tuple goes left or right.

    `goes_right[first[i] + code]` is that; `child[i, side]` the next node, or -1 - leaf. Leaves are numbered
    from left to right, so that neighbours are near; `together[i]` is how many nodes leaf i shares with the
    next one on their ways from the root. `block_of_leaf` puts leaves together that are one block.
    """

    attribute: Int32
    first: Int64
    goes_right: Bool
    child: Int32
    together: Int32
    block_of_leaf: Int32

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self.block_of_leaf.max()) + 1

    def blocks(self, codes: Int32) -> Int32:
        """The block of each tuple."""
        node = np.zeros(len(codes), np.int32) if len(self.attribute) else np.full(len(codes), _LEAF, np.int32)
        on_the_way = np.flatnonzero(node >= 0)
        while len(on_the_way):
            at = node[on_the_way]
            side = self.goes_right[self.first[at] + codes[on_the_way, self.attribute[at]]]
            node[on_the_way] = self.child[at, side.astype(np.int8)]
            on_the_way = on_the_way[node[on_the_way] >= 0]
        return self.block_of_leaf[-1 - node]

    def joined(self, lacking: Sequence[int]) -> Rules:
        """The same where each block that lacks something is joined to the neighbour that is nearest.

        >>> cut = rules_of([], np.zeros((1, 0), np.int32), 1, np.random.default_rng(0))
        >>> cut.joined([0]).n_blocks
        1
        """
        ends = np.flatnonzero(np.diff(self.block_of_leaf))  # the last leaf of each block but the last
        # Of the borders of a block the one that was cut last is taken away.
        depth = np.concatenate([[-1], self.together[ends], [-1]])
        kept = np.ones(len(ends), bool)
        for block in lacking if len(ends) else ():
            kept[block - 1 if depth[block] > depth[block + 1] else block] = False
        is_new = np.zeros(len(self.block_of_leaf), np.int32)
        is_new[ends[kept] + 1] = 1
        return replace(self, block_of_leaf=np.cumsum(is_new, dtype=np.int32))


def rules_of(attributes: Sequence[Attribute], sample: Int32, leaf: int, rng: np.random.Generator) -> Rules:
    """Rules that cut a sample of distinct tuples, [s, m], into leaves of at most so many of them.

    Equal values go one way, so that a leaf may be larger where no cut leaves enough on both sides.
    """
    return _Cutting(attributes, sample, leaf, rng).rules()


class _Cutting:
    """Rules while they are found; nodes are numbered as they come, parents before children."""

    def __init__(
        self, attributes: Sequence[Attribute], sample: Int32, leaf: int, rng: np.random.Generator
    ) -> None:
        self.attributes, self.sample, self.leaf, self.rng = attributes, sample, leaf, rng
        self.cuts: list[tuple[int, Bool]] = []
        self.children: list[list[int]] = []
        self.n_leaves, self.together = 0, list[int]()

    def rules(self) -> Rules:
        self.cut(np.arange(len(self.sample)), 0)
        sizes = np.array([len(sides) for _, sides in self.cuts], np.int64)
        return Rules(
            attribute=np.array([j for j, _ in self.cuts], np.int32),
            first=np.cumsum(sizes) - sizes,
            goes_right=np.concatenate([np.zeros(0, bool), *(sides for _, sides in self.cuts)]),
            child=np.array(self.children, np.int32).reshape(-1, 2),
            together=np.array(self.together, np.int32),
            block_of_leaf=np.arange(self.n_leaves, dtype=np.int32),
        )

    def cut(self, ids: Int64, depth: int) -> int:
        """Cut some tuples of the sample; the number of the node, or -1 - that of the leaf."""
        found = self.best_cut(ids) if len(ids) > self.leaf else None
        if found is None:
            self.n_leaves += 1
            return -self.n_leaves
        j, sides = found
        node = len(self.cuts)
        self.cuts.append(found)
        self.children.append([0, 0])
        right = sides[self.sample[ids, j]]
        self.children[node][0] = self.cut(ids[~right], depth + 1)
        self.together.append(depth)
        self.children[node][1] = self.cut(ids[right], depth + 1)
        return node

    def best_cut(self, ids: Int64) -> tuple[int, Bool] | None:
        """An attribute, and which of its codes go right; None if no cut that was tried leaves enough."""
        best, most = None, 0
        for _ in range(_TRIED):
            j, sides = self.drawn_cut(ids)
            right = int(sides[self.sample[ids, j]].sum())
            smaller = min(right, len(ids) - right)
            if smaller > most:
                best, most = (j, sides), smaller
            if smaller >= _LEAST * len(ids):
                break
        return best if most >= max(_LEAST * self.leaf, _FEWEST * len(ids)) else None

    def drawn_cut(self, ids: Int64) -> tuple[int, Bool]:
        """Halves by which of two values is nearer: one is drawn, the other is the farthest of some drawn."""
        one = self.sample[self.rng.choice(ids)]
        others = self.sample[self.rng.choice(ids, _DRAWN)]
        drawn = self.rng.integers(len(self.attributes), size=_DRAWN)
        apart = [
            self.attributes[j].weight * float(self.to(j, one[j])[other[j]])
            for j, other in zip(drawn.tolist(), others, strict=True)
        ]
        farthest = int(np.argmax(apart))
        j = int(drawn[farthest])
        side = self.to(j, one[j]) - self.to(j, others[farthest, j])
        # Equal values must go to one side: of the two borders next to the middle the more even one is taken.
        values, counts = np.unique(side[self.sample[ids, j]], return_counts=True)
        upto = np.cumsum(counts)
        border = int(np.argmin(np.abs(upto - len(ids) / 2)))
        return j, side > values[border]

    def to(self, j: int, code: int) -> np.ndarray:
        """Distance of every code of an attribute to one of them."""
        attribute = self.attributes[j]
        every = np.arange(attribute.size, dtype=np.int32)
        return attribute.distance(every, np.full(attribute.size, attribute.own[code], np.int32))
