"""A column of words: values are concepts, and every ancestor of a value may replace it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Generalization, Subsumers
from ontomask.attributes.distances import Distances
from ontomask.measures import Measure
from ontomask.measures.base import on_grid
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr

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

    def standing_for(self, groups: Sequence[Int32], concepts: Int32) -> tuple[Self, Int32]:
        found = concepts.copy()
        for g in np.flatnonzero(concepts < 0).tolist():
            known = self.concepts[groups[g]]
            found[g] = self.ontology.lcs_of_set(known[known >= 0]) if (known >= 0).any() else -1
        extended = self.including(found)
        return extended, extended.replacement_of(found)

    def index_in(self, extended: Attribute) -> Int32:
        assert isinstance(extended, Nominal)
        return extended.replacement_of(self.replacements)

    def with_nothing(self) -> Self:
        return self.including(np.array([-1], np.int32))

    def under(self, measure: Measure) -> Self:
        return self if measure == self.measure else replace(self, measure=measure)

    # ------------------------------------------------------------------ distances

    @cached_property
    def distances(self) -> Distances:
        """Distance of every replacement to every code."""
        return Distances(self.ontology, self.measure, self.replacements, self.concepts, self.maximum)

    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        return self.distances.pairs(replacements, codes)

    def distance_table(self, codes: Int32, replacements: Int32) -> Float64:
        return self.distances.block(replacements, codes).T

    def between(self, a: Int32, b: Int32) -> Float64:
        return self.distances.between(a, b)

    # ------------------------------------------------------------------ subsumption

    @cached_property
    def up(self) -> Csr:
        """Per replacement those that are its ancestors or itself, ascending; no value is only itself."""
        known = np.flatnonzero(self.replacements >= 0)
        rows = self.ontology.ancestors.take(self.replacements[known])
        above = self.replacement_of(rows.values)
        kept = above >= 0  # an extra replacement need not have its ancestors among them
        below = known[rows.row_of_value[kept]]
        if self.nothing >= 0:
            below, above = np.append(below, self.nothing), np.append(above[kept], self.nothing)
        else:
            above = above[kept]
        order = np.lexsort((above, below))
        return Csr.from_pairs(below[order], above[order], self.n_replacements)

    @cached_property
    def _pairs_up(self) -> Int64:
        """(below, above) of `up` as one number each, ascending."""
        pairs: Int64 = self.up.row_of_value * self.n_replacements + self.up.values
        return pairs

    def covers(self, a: Int32, b: Int32) -> Bool:
        wanted = b.astype(np.int64) * self.n_replacements + a
        place = np.searchsorted(self._pairs_up, wanted)
        found: Bool = np.append(self._pairs_up, -1)[place] == wanted
        if self.is_truthful:
            found |= (self.replacements[a] == 0) & (self.replacements[b] < 0)
        return found

    @cached_property
    def subsumers(self) -> Subsumers:
        known = np.flatnonzero(self.replacements >= 0)
        first = np.full(int(self.nothing >= 0), self.nothing)  # the deepest there is: nothing is below it
        replacements = np.concatenate([first, known]).astype(np.int32)
        place = np.argsort(replacements).astype(np.int32)
        lost = first[: len(known)]  # where there is no value, there is no root either
        root = self.replacement_of(np.zeros(len(lost), np.int32))
        below = np.concatenate([place[self.up.row_of_value], place[lost]])
        above = np.concatenate([place[self.up.values], place[root]])
        order = np.lexsort((above, below))
        up = Csr.from_pairs(below[order], above[order], len(replacements))
        counts = self._values_below[self.replacements[replacements]]
        ncp = np.where(counts > 1, counts / max(len(self._domain), 1), 0.0)
        ncp[place[first]], ncp[place[root]] = 0.0, 1.0
        return Subsumers(replacements, place[self.own], up, ncp)

    @cached_property
    def _domain(self) -> Int32:
        """The concepts that are values of the column."""
        return np.unique(self.concepts[self.concepts >= 0])

    @cached_property
    def _values_below(self) -> Int64:
        """How many of them are at or below each concept."""
        above = self.ontology.ancestors.take(self._domain).values
        return np.bincount(above, minlength=len(self.ontology))

    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """Words: u/q, (u-1)/(q-1) and h/H, for the least common subsumer of original and masked value.

        u = distinct values of the column under it (0 if that is one value), q = all of them; h = links from
        the original value up to it, H = links up to the subsumer of the whole column.
        """
        # Few distinct changes stand for many.
        keys, place = np.unique(
            replacements.astype(np.int64) * self.size + codes.astype(np.int64), return_inverse=True
        )
        before, after = self.concepts[keys % self.size], self.replacements[keys // self.size]
        ncp = np.where((before < 0) & (after < 0), 0.0, 1.0)
        loss, height = ncp.copy(), ncp.copy()
        words: Bool = (before >= 0) & (after >= 0)
        if words.any():
            below, cover = before[words], self.ontology.lcs(before[words], after[words])
            q, covered = len(self._domain), self._values_below[cover]
            changed = below != after[words]
            is_wider = (covered > 1) & changed
            # The root of a truthful column may be any value, or none.
            lost = changed & (cover == 0) & (self.is_truthful and self.missing >= 0)
            ncp[words] = np.where(lost, 1.0, np.where(is_wider, covered / q, 0.0))
            loss[words] = np.where(lost, 1.0, np.where(is_wider, (covered - 1) / max(q - 1, 1), 0.0))
            climbed = self._links_up(below, cover)
            full = self._links_up(below, np.full_like(below, self.ontology.lcs_of_set(self._domain)))
            height[words] = np.where(climbed > 0, np.minimum(climbed / np.maximum(full, 1), 1.0), 0.0)
        return Generalization(ncp[place], loss[place], height[place])

    def _links_up(self, below: Int32, above: Int32) -> Int64:
        """Fewest is-a links from each concept up to its ancestor."""
        closure = self.ontology.ancestors
        rows = closure.take(below)
        hit = rows.values == above[rows.row_of_value]
        links: Int64 = closure.hops[closure.positions(below)[hit]].astype(np.int64)
        return links

    def shares(self, wanted: Bool, replacements: Int32) -> Float64:
        """A word of the column is itself; any other may be each of the words below it."""
        above = self.up.take(self.own)
        hits = np.bincount(above.values, wanted[above.row_of_value], minlength=self.n_replacements)
        below = np.bincount(above.values, minlength=self.n_replacements)
        found = hits / np.maximum(below, 1)
        found[self.own] = wanted
        return found[replacements]

    # ------------------------------------------------------------------ statistics

    def marginalities(self, counts: Int64) -> Float64:
        """``m(x_j) = sum over the other elements x_l of d(x_j, x_l)``, block by block."""
        known = np.flatnonzero(self.concepts >= 0)
        lost = float(counts.sum() - counts[known].sum())
        out = np.full(self.size, self.maximum * (float(counts.sum()) - lost))
        for start in range(0, len(known), _BLOCK):
            rows = known[start : start + _BLOCK]
            out[rows] = self.distances.block(self.own[rows], known) @ counts[known] + self.maximum * lost
        return out

    def over_replacements(self, used: Int32) -> Nominal:
        concepts = self.replacements[used]
        missing = int(np.flatnonzero(concepts < 0)[0]) if (concepts < 0).any() else -1
        return replace(self, concepts=concepts, missing=missing, extra=np.zeros(0, np.int32))
