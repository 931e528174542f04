"""A column with a hierarchy over its values: the nodes of a tree may replace them too.

Whatever the values are, words or numbers, is the business of the plain attribute inside. The tree decides
what covers what and how general a replacement is; a node is as far from a value as what it stands for (a
concept, a range) is. It knows no labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from ontomask.attributes.base import Attribute, Generalization, Subsumers
from ontomask.measures import Measure
from ontomask.ontology.csr import Csr


@dataclass(frozen=True, eq=False)
class Generalized(Attribute):
    """Values and the nodes above them.

    Replacements are first the nodes, then those of `values`. `tree[i, code]` is what a code becomes at level
    i: a node, or -1 - c where it is still the value c; a missing value is one until the root. `stands_for`
    is the replacement of `values` that distances to a node are counted to.
    """

    values: Attribute
    tree: Int32
    stands_for: Int32

    @classmethod
    def over(cls, values: Attribute, tree: Int32, concepts: Int32) -> Generalized:
        """With the tree above an attribute; `concepts[node]` is what a node means, -1 if nobody said."""
        level, code = np.nonzero(tree >= 0)
        first, _ = distinct_rows([tree[level, code], code])
        below = Csr.from_pairs(tree[level, code][first], code[first], len(concepts))
        extended, stands_for = values.standing_for(list(below), concepts)
        return cls(
            values.name,
            values.weight,
            values.missing,
            extended,
            tree,
            stands_for,
            is_truthful=values.is_truthful,
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes that are not values."""
        return len(self.stands_for)

    @property
    def size(self) -> int:
        return self.values.size

    @property
    def n_replacements(self) -> int:
        return self.n_nodes + self.values.n_replacements

    @property
    def own(self) -> Int32:
        return self.values.own + np.int32(self.n_nodes)

    @property
    def nothing(self) -> int:
        return self.n_nodes + self.values.nothing if self.values.nothing >= 0 else -1

    @property
    def maximum(self) -> float:
        return self.values.maximum

    @cached_property
    def plain(self) -> Attribute:
        return self.values if self.values.weight == self.weight else replace(self.values, weight=self.weight)

    def with_plain(self, extended: Attribute) -> Self:
        """The same tree above the attribute with more replacements."""
        return replace(self, values=extended, stands_for=self.values.index_in(extended)[self.stands_for])

    @cached_property
    def levels(self) -> Int32:
        return np.where(self.tree >= 0, self.tree, self.own[np.maximum(-1 - self.tree, 0)]).astype(np.int32)

    # ------------------------------------------------------------------ distances

    @cached_property
    def _counted_to(self) -> Int32:
        """The replacement of `values` that distances to each replacement are counted to."""
        return np.concatenate([self.stands_for, np.arange(self.values.n_replacements, dtype=np.int32)])

    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        return self.values.distance(codes, self._counted_to[replacements])

    def distance_table(self, codes: Int32, replacements: Int32) -> Float64:
        return self.values.distance_table(codes, self._counted_to[replacements])

    def between(self, a: Int32, b: Int32) -> Float64:
        return self.values.between(self._counted_to[a], self._counted_to[b])

    # ------------------------------------------------------------------ what covers what

    @cached_property
    def _first_place(self) -> tuple[Int32, Int32]:
        """A code at or below each replacement, and its lowest level; -1 outside the tree."""
        code, level = np.full(self.n_replacements, -1, np.int32), np.full(self.n_replacements, -1, np.int32)
        for i in range(len(self.levels) - 1, -1, -1):
            code[self.levels[i]] = np.arange(self.size)
            level[self.levels[i]] = i
        return code, level

    def _meeting(self, codes: Int32, replacements: Int32) -> Int64:
        """The lowest level at which a code and a replacement of the tree have become the same."""
        below, lowest = self._first_place
        same = self.levels[:, codes] == self.levels[:, below[replacements]]
        same &= np.arange(len(self.levels))[:, None] >= lowest[replacements]
        met: Int64 = np.argmax(same, axis=0)
        return met

    def covers(self, a: Int32, b: Int32) -> Bool:
        below, lowest = self._first_place
        known = (below[a] >= 0) & (below[b] >= 0)
        found: Bool = a == b
        plain = ~known & (a >= self.n_nodes) & (b >= self.n_nodes)
        found[plain] |= self.values.covers(a[plain] - self.n_nodes, b[plain] - self.n_nodes)
        x, y = a[known], b[known]
        above = (self.levels[:, below[y]] == x) & (np.arange(len(self.levels))[:, None] >= lowest[y])
        found[known] |= above.any(axis=0)
        return found

    @cached_property
    def subsumers(self) -> Subsumers:
        code, lowest = self._first_place
        in_tree = np.flatnonzero(code >= 0)
        chain = self.levels[:, code[in_tree]].T
        is_above = np.arange(len(self.levels)) >= lowest[in_tree][:, None]
        is_above[:, 1:] &= (chain[:, 1:] != chain[:, :-1]) | ~is_above[:, :-1]  # a label may be repeated
        deepest_first = np.argsort(-is_above.sum(axis=1), kind="stable")
        place = np.full(self.n_replacements, -1, np.int32)
        place[in_tree[deepest_first]] = np.arange(len(in_tree))
        row, level = np.nonzero(is_above[deepest_first])
        up = Csr.from_pairs(row, place[chain[deepest_first][row, level]], len(in_tree))
        replacements = in_tree[deepest_first].astype(np.int32)
        ncp = self._extents[0][replacements]
        if self.missing >= 0:
            ncp[place[self.levels[-1, 0]]] = 1.0
        return Subsumers(replacements, place[self.own], up, ncp)

    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """As the tree counts: by the values below the node that covers both, and by its level.

        Words: u/q and (u-1)/(q-1), u of the q values being below it; numbers: from the least to the greatest
        of them, over the range of the column. A value that stays costs nothing.
        """
        below, _ = self._first_place
        known = below[replacements] >= 0
        ncp, loss, height = np.zeros((3, len(codes)))
        outside = ~known
        if outside.any():
            ncp[outside], loss[outside], height[outside] = self.values.generalization(
                codes[outside], self._counted_to[replacements[outside]]
            )
        level = self._meeting(codes[known], replacements[known])
        cover = self.levels[level, codes[known]]
        changed = replacements[known] != self.own[codes[known]]
        shares, losses = self._extents
        # A missing value lies right below the root, which may be any value, or none.
        lost = changed & (self.missing >= 0) & (cover == self.levels[-1, 0])
        ncp[known] = np.where(lost, 1.0, np.where(changed, shares[cover], 0.0))
        loss[known] = np.where(lost, 1.0, np.where(changed, losses[cover], 0.0))
        height[known] = np.where(changed, level / max(len(self.levels) - 1, 1), 0.0)
        return Generalization(ncp, loss, height)

    @cached_property
    def _extents(self) -> tuple[Float64, Float64]:
        """u/q and (u-1)/(q-1) of each replacement in the tree; of numbers, their range."""
        shares = np.zeros(self.n_replacements)
        losses = np.zeros(self.n_replacements)
        present = np.flatnonzero(np.arange(self.size) != self.missing)
        if line := self.values.line:
            numbers = line.numbers[present]
            low, high = np.full(self.n_replacements, np.inf), np.full(self.n_replacements, -np.inf)
            for row in self.levels[:, present]:
                np.minimum.at(low, row, numbers)
                np.maximum.at(high, row, numbers)
            inside = low <= high
            shares[inside] = losses[inside] = (high - low)[inside] / (float(np.ptp(numbers)) or 1.0)
            return shares, losses
        counts = self._sums(np.ones(self.size))
        is_wider = counts > 1
        shares[is_wider] = counts[is_wider] / len(present)
        losses[is_wider] = (counts[is_wider] - 1) / max(len(present) - 1, 1)
        return shares, losses

    def shares(self, wanted: Bool, replacements: Int32) -> Float64:
        """A node may be each of the values below it; the root is no missing value."""
        found = np.zeros(self.n_replacements)
        found[self.n_nodes :] = self.values.shares(
            wanted, np.arange(self.values.n_replacements, dtype=np.int32)
        )
        hits, counts = self._sums(wanted), self._sums(np.ones(self.size))
        in_tree = counts > 0
        found[in_tree] = hits[in_tree] / counts[in_tree]
        return found[replacements]

    def _sums(self, weights: Float64 | Bool) -> Float64:
        """Of weights of the codes that are values, the sum at or below each replacement of the tree."""
        present = np.arange(self.size) != self.missing
        sums = np.zeros(self.n_replacements)
        np.add.at(sums, self.levels[0, present], weights[present])
        for below, level in pairwise(self.levels):
            moved = present & (level != below)
            np.add.at(sums, level[moved], weights[moved])
        return sums

    # ------------------------------------------------------------------ statistics

    def marginalities(self, counts: Int64) -> Float64:
        return self.values.marginalities(counts)

    # ------------------------------------------------------------------ other forms

    def over_replacements(self, used: Int32) -> Attribute:
        return self.values.over_replacements(self._counted_to[used])

    def standing_for(self, groups: Sequence[Int32], concepts: Int32) -> tuple[Self, Int32]:
        extended, found = self.values.standing_for(groups, concepts)
        return self.with_plain(extended), found + np.int32(self.n_nodes)

    def including_numbers(self, numbers: Float64) -> tuple[Self, Int32]:
        extended, found = self.values.including_numbers(numbers)
        return self.with_plain(extended), found + np.int32(self.n_nodes)

    def index_in(self, extended: Attribute) -> Int32:
        assert isinstance(extended, Generalized)
        nodes = np.arange(self.n_nodes, dtype=np.int32)
        return np.concatenate([nodes, self.values.index_in(extended.values) + np.int32(self.n_nodes)])

    def with_nothing(self) -> Self:
        return self.with_plain(self.values.with_nothing())

    def under(self, measure: Measure) -> Self:
        return replace(self, values=self.values.under(measure))
