"""A column of words: values are concepts, and every ancestor of a value is a candidate to replace it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Bool, Float64, Int32
from ontomask.attributes.base import Attribute
from ontomask.measures import Measure
from ontomask.measures.base import on_grid
from ontomask.ontology.core import Ontology


@dataclass(frozen=True, eq=False)
class Nominal(Attribute):
    """Values as concepts of an ontology under a measure; masked values are candidate indices.

    `concepts[code]` is the concept of a value, -1 for the missing one. Candidates are all ancestors of the
    values, best first where distances tie: deeper (longest path), then smaller id; a missing value, if there
    is one, is the last candidate. `extra` are further candidates, such as what other software put in place
    of the values; -1 among them is a missing value that the original table did not have.
    """

    ontology: Ontology
    measure: Measure
    concepts: Int32
    extra: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def size(self) -> int:
        return len(self.concepts)

    @property
    def maximum(self) -> float:
        return float(on_grid(np.array(self.measure.maximum(self.ontology))))

    @cached_property
    def candidates(self) -> Int32:
        """Concept of every candidate, -1 for the missing one."""
        known = self.concepts[self.concepts >= 0]
        above = np.union1d(self.ontology.ancestors.take(known).values, self.extra[self.extra >= 0])
        # Concept indices are ordered by (longest depth, id): deeper first, smaller id first.
        above = above[np.lexsort((above, -self.ontology.longest_depth[above]))]
        may_be_missing = self.missing >= 0 or (self.extra < 0).any()
        return np.append(above, -1).astype(np.int32) if may_be_missing else above

    @cached_property
    def distances(self) -> Float64:
        """Distance of every candidate to every code, [c, q]."""
        known, rows = self.concepts >= 0, self.candidates >= 0
        table = np.full((len(rows), len(known)), self.maximum)
        if known.any():  # a column may have nothing but missing values
            table[np.ix_(rows, known)] = self.measure.matrix(
                self.ontology, self.candidates[rows], self.concepts[known]
            )
        table[np.ix_(~rows, ~known)] = 0.0
        return table

    @cached_property
    def subsumes(self) -> Bool:
        """Whether a candidate is an ancestor of (or equal to) a code's concept, [c, q]."""
        return self._is_above(self.concepts)

    @cached_property
    def above(self) -> Bool:
        """Whether a candidate is an ancestor of (or equal to) another, [c, c]."""
        return self._is_above(self.candidates)

    def _is_above(self, concepts: Int32) -> Bool:
        row_of = np.full(len(self.ontology) + 1, -1, np.int32)
        row_of[self.candidates] = np.arange(len(self.candidates))  # -1 lands on the spare last place
        known = np.flatnonzero(concepts >= 0)
        rows = self.ontology.ancestors.take(concepts[known])
        table = np.zeros((len(self.candidates), len(concepts)), bool)
        table[row_of[rows.values], known[rows.row_of_value]] = True
        table[np.ix_(self.candidates < 0, concepts < 0)] = True
        return table

    @cached_property
    def depths(self) -> Int32:
        """Longest depth of every candidate: the deepest common one of a group is its LCS."""
        return np.append(self.ontology.longest_depth, -1)[self.candidates].astype(np.int32)

    @cached_property
    def candidate_of_code(self) -> Int32:
        """The candidate that a code itself is."""
        return self.candidate_of(self.concepts)

    def candidate_of(self, concepts: Int32) -> Int32:
        """The candidate that each concept is (-1: the missing value)."""
        row_of = np.full(len(self.ontology) + 1, -1, np.int32)
        row_of[self.candidates] = np.arange(len(self.candidates))  # -1 lands on the spare last place
        return row_of[concepts]

    def to_masked(self, codes: Int32, masked: npt.NDArray[np.generic]) -> Float64:
        return self.distances[masked.astype(np.int64), codes]

    def as_masked(self, codes: Int32) -> npt.NDArray[np.generic]:
        return self.candidate_of_code[codes]
