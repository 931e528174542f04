"""A column of words: values are concepts, and every ancestor of a value may replace it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Generalization
from ontomask.measures import Measure
from ontomask.measures.base import on_grid
from ontomask.ontology.core import Ontology

_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Nominal(Attribute):
    """Values as concepts of an ontology under a measure; replacements are concepts too.

    `concepts[code]` is the concept of a value, -1 for the missing one. Replacements are all ancestors of the
    values, best first where distances tie: deeper (longest path), then smaller id; so of the common ancestors
    of a group the first is its LCS. No value, if there is any, comes last. `extra` are further replacements,
    such as what other software put in place of the values; -1 among them is a missing value that the
    original table did not have.
    """

    ontology: Ontology
    measure: Measure
    concepts: Int32
    extra: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def size(self) -> int:
        return len(self.concepts)

    @property
    def n_replacements(self) -> int:
        return len(self.replacements)

    @property
    def maximum(self) -> float:
        return float(on_grid(np.array(self.measure.maximum(self.ontology))))

    @cached_property
    def replacements(self) -> Int32:
        """Concept of every replacement, -1 for no value."""
        known = self.concepts[self.concepts >= 0]
        above = np.union1d(self.ontology.ancestors.take(known).values, self.extra[self.extra >= 0])
        # Concept indices are ordered by (longest depth, id): deeper first, smaller id first.
        above = above[np.lexsort((above, -self.ontology.longest_depth[above]))]
        may_be_missing = self.missing >= 0 or (self.extra < 0).any()
        return np.append(above, -1).astype(np.int32) if may_be_missing else above

    @property
    def nothing(self) -> int:
        return self.n_replacements - 1 if self.replacements[-1] < 0 else -1

    @cached_property
    def own(self) -> Int32:
        return self.replacement_of(self.concepts)

    def replacement_of(self, concepts: Int32) -> Int32:
        """The replacement that each concept is (-1: no value)."""
        row_of = np.full(len(self.ontology) + 1, -1, np.int32)
        row_of[self.replacements] = np.arange(self.n_replacements)  # -1 lands on the last place
        return row_of[concepts]

    def including(self, concepts: Int32) -> Self:
        """The attribute with these concepts (-1: no value) among its replacements."""
        return replace(self, extra=np.union1d(self.extra, concepts).astype(np.int32))

    def with_nothing(self) -> Self:
        return self.including(np.array([-1], np.int32))

    def under(self, measure: Measure) -> Self:
        return replace(self, measure=measure)

    # ------------------------------------------------------------------ distances

    @cached_property
    def distances(self) -> Float64:
        """Distance of every replacement to every code, [r, q]."""
        known, rows = self.concepts >= 0, self.replacements >= 0
        table = np.full((len(rows), len(known)), self.maximum)
        if known.any():  # a column may have nothing but missing values
            table[np.ix_(rows, known)] = self.measure.matrix(
                self.ontology, self.replacements[rows], self.concepts[known]
            )
        table[np.ix_(~rows, ~known)] = 0.0
        return table

    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        return self.distances[replacements, codes]

    def between(self, a: Int32, b: Int32) -> Float64:
        left, right = self.replacements[a], self.replacements[b]
        distances = np.where(left == right, 0.0, self.maximum)
        for one in np.unique(right[right >= 0]):
            pairs = (right == one) & (left >= 0)
            distances[pairs] = self.measure.matrix(self.ontology, left[pairs], [one])[:, 0]
        return distances

    # ------------------------------------------------------------------ subsumption

    @cached_property
    def subsumes(self) -> Bool:
        """Whether a replacement is an ancestor of (or equal to) a code's concept, [r, q]."""
        return self._is_above(self.concepts)

    @cached_property
    def above(self) -> Bool:
        """Whether a replacement is an ancestor of (or equal to) another, [r, r]."""
        return self._is_above(self.replacements)

    def _is_above(self, concepts: Int32) -> Bool:
        known = np.flatnonzero(concepts >= 0)
        rows = self.ontology.ancestors.take(concepts[known])
        table = np.zeros((self.n_replacements, len(concepts)), bool)
        table[self.replacement_of(rows.values), known[rows.row_of_value]] = True
        table[np.ix_(self.replacements < 0, concepts < 0)] = True
        return table

    def covers(self, a: Int32, b: Int32) -> Bool:
        return self.above[a, b]

    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """Words: u/q and h/H, for the least common subsumer of original and masked value.

        u = distinct values of the column under it (0 if that is one value), q = all of them; h = links from
        the original value up to it, H = links up to the subsumer of the whole column.
        """
        # Few distinct changes stand for many.
        keys, place = np.unique(
            replacements.astype(np.int64) * self.size + codes.astype(np.int64), return_inverse=True
        )
        before, after = self.concepts[keys % self.size], self.replacements[keys // self.size]
        ncp = np.where((before < 0) & (after < 0), 0.0, 1.0)
        height = ncp.copy()
        words: Bool = (before >= 0) & (after >= 0)
        if words.any():
            below, cover = before[words], self.ontology.lcs(before[words], after[words])
            domain = np.unique(self.concepts[self.concepts >= 0])
            covered = np.bincount(self.ontology.ancestors.take(domain).values, minlength=len(self.ontology))
            share = covered[cover] / len(domain)
            ncp[words] = np.where((covered[cover] > 1) & (below != after[words]), share, 0.0)
            climbed = self._links_up(below, cover)
            full = self._links_up(below, np.full_like(below, self.ontology.lcs_of_set(domain)))
            height[words] = np.where(climbed > 0, np.minimum(climbed / np.maximum(full, 1), 1.0), 0.0)
        return Generalization(ncp[place], height[place])

    def _links_up(self, below: Int32, above: Int32) -> Int64:
        """Fewest is-a links from each concept up to its ancestor."""
        closure = self.ontology.ancestors
        rows = closure.take(below)
        hit = rows.values == above[rows.row_of_value]
        links: Int64 = closure.hops[closure.positions(below)[hit]].astype(np.int64)
        return links

    # ------------------------------------------------------------------ statistics

    def marginalities(self, counts: Int64) -> Float64:
        """``m(x_j) = sum over the other elements x_l of d(x_j, x_l)``, block by block."""
        known = np.flatnonzero(self.concepts >= 0)
        lost = float(counts.sum() - counts[known].sum())
        out = np.full(self.size, self.maximum * (float(counts.sum()) - lost))
        for start in range(0, len(known), _BLOCK):
            rows = known[start : start + _BLOCK]
            if "distances" in self.__dict__:  # computed for the masking already
                table = self.distances[np.ix_(self.own[rows], known)]
            else:
                table = self.measure.matrix(self.ontology, self.concepts[rows], self.concepts[known])
            out[rows] = table @ counts[known] + self.maximum * lost
        return out

    def pair_variance(self, a: Int32, b: Int32) -> Float64:
        return self.distance(b, self.own[a])

    def over_replacements(self, used: Int32) -> Nominal:
        concepts = self.replacements[used]
        missing = int(np.flatnonzero(concepts < 0)[0]) if (concepts < 0).any() else -1
        return replace(self, concepts=concepts, missing=missing, extra=np.zeros(0, np.int32))
