"""The minimal taxonomy of some values: what an ontology has between them and their LCS, as a tree.

This is the ideal hierarchy of Ayala-Rivera et al. (2017). Where a concept has several parents, the one that
loses least of the meaning of the values below is kept. It knows concepts and distances, neither labels nor
levels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Bool, Float64, Int64
from ontomask.measures.base import Measure
from ontomask.ontology.core import Ontology

_LARGEST_TABLE = 1 << 22  # of distances, at a time


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree: nodes 0..n_values-1 are the values, then come concepts, each before those below it.

    Attributes
    ----------
    concepts
        What each node stands for; a value is a node of its own below that of its concept.
    parents
        The node above each node; -1 above the root.
    losses
        Sum of the distances from all values below a node to it.
    all_lost
        Sum of the distances from them to the root of the ontology.
    """

    n_values: int
    concepts: Int64
    parents: Int64
    losses: Float64
    all_lost: Float64

    @property
    def root(self) -> int:
        """The node above all."""
        return self.n_values

    def paths(self) -> Iterator[list[int]]:
        """The nodes from each value up to the root."""
        above = self.parents.tolist()
        for value in range(self.n_values):
            path = [value]
            while above[path[-1]] >= 0:
                path.append(above[path[-1]])
            yield path

    def pruned(self) -> Taxonomy:
        """Without concepts that have one node below them: that one says more, and of the same values."""
        below = np.bincount(self.parents[self.parents >= 0], minlength=len(self.parents))
        kept = below != 1
        kept[self.root] = True
        return self._with_only(kept)

    def _with_only(self, kept: Bool) -> Taxonomy:
        nearest = np.where(kept, np.arange(len(kept)), -1)  # the node itself, or the first kept above it
        for node in range(self.root, len(kept)):
            if nearest[node] < 0:
                nearest[node] = nearest[self.parents[node]]
        number = np.cumsum(kept) - 1
        above = self.parents[kept]
        parents = np.where(above >= 0, number[nearest[above]], -1)
        return Taxonomy(self.n_values, self.concepts[kept], parents, self.losses[kept], self.all_lost[kept])


def taxonomy(ontology: Ontology, values: Int64, measure: Measure) -> Taxonomy:
    """The minimal taxonomy of values, given by their concepts.

    All concepts on paths from the values to their LCS, each below that one of its parents p for which the sum
    of distance(v, p), over the values v that ended up below the concept, is least; ties by lowest index.
    """
    distinct, which = np.unique(values, return_inverse=True)
    inside = ontology.subsumer_hierarchy(distinct).astype(np.int64)
    inside = inside[ontology.is_below(inside, ontology.lcs_of_set(distinct))]
    distances = _Distances(ontology, distinct, inside, measure)
    counts = np.bincount(which)
    place = np.searchsorted(inside, distinct)
    above, is_used = _parents(ontology, inside, place, counts, distances)
    n_values = len(values)
    number = n_values + np.cumsum(is_used) - 1
    parents = np.where(above >= 0, number[above], -1)
    to_top = measure.matrix(ontology, distinct, [0])[:, 0]
    losses, all_lost = np.zeros(len(inside)), np.zeros(len(inside))
    climbing, at = np.arange(len(distinct)), place
    while len(climbing):
        np.add.at(losses, at, counts[climbing] * distances(climbing, at))
        np.add.at(all_lost, at, counts[climbing] * to_top[climbing])
        goes_on = above[at] >= 0
        climbing, at = climbing[goes_on], above[at[goes_on]]
    return Taxonomy(
        n_values,
        np.concatenate([values, inside[is_used]]),
        np.concatenate([number[place[which]], parents[is_used]]),
        np.concatenate([np.zeros(n_values), losses[is_used]]),
        np.concatenate([to_top[which], all_lost[is_used]]),
    )


def _parents(
    ontology: Ontology, inside: Int64, place: Int64, counts: Int64, distances: _Distances
) -> tuple[Int64, Bool]:
    """The one parent of each concept, and whether values ended up below it; children are settled first."""
    rows = ontology.parents.take(inside)
    known = np.isin(rows.values, inside)
    candidates: list[list[int]] = [[] for _ in inside]
    for child, parent in zip(
        rows.row_of_value[known].tolist(), np.searchsorted(inside, rows.values[known]).tolist(), strict=True
    ):
        candidates[child].append(parent)
    below: list[list[int]] = [[] for _ in inside]
    for value, concept in enumerate(place.tolist()):
        below[concept].append(value)
    above = np.full(len(inside), -1)
    for concept in range(len(inside) - 1, 0, -1):
        if not below[concept]:
            continue
        best, *others = candidates[concept]
        if others:
            values = np.array(below[concept])
            losses = [counts[values] @ distances(values, parent) for parent in (best, *others)]
            best = candidates[concept][int(np.argmin(losses))]
        above[concept] = best
        below[best] += below[concept]
    return above, np.array([len(values) > 0 for values in below])


class _Distances:
    """From values to the concepts above them; other pairs are not kept."""

    def __init__(self, ontology: Ontology, values: Int64, inside: Int64, measure: Measure) -> None:
        above = ontology.ancestors.take(values)
        known = np.isin(above.values, inside)
        value, concept = above.row_of_value[known], np.searchsorted(inside, above.values[known])
        self._width = len(inside)
        self._keys = value * self._width + concept  # ascending: ancestors of a concept are
        self._distances = np.empty(len(self._keys))
        block = max(_LARGEST_TABLE // len(values), 1)
        for start in range(0, len(inside), block):
            here = (concept >= start) & (concept < start + block)
            rows, row = np.unique(value[here], return_inverse=True)
            table = measure.matrix(ontology, values[rows], inside[start : start + block])
            self._distances[here] = table[row, concept[here] - start]

    def __call__(self, values: Int64, concepts: Int64 | int) -> Float64:
        found: Float64 = self._distances[np.searchsorted(self._keys, values * self._width + concepts)]
        return found
