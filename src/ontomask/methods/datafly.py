"""Datafly (Sweeney 1998): climb greedily, an attribute and a level at a time, until the table is k-anonymous.

Fast, and seldom the best node of the lattice. Which attribute climbs is decided by how many values it has
left (as published) or by what the table would lose in meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ontomask.arrays import Int64
from ontomask.methods.full_domain import FullDomain, LeveledTable
from ontomask.options import option


@dataclass(frozen=True)
class Datafly(FullDomain):
    """Greedy full-domain generalisation."""

    name: ClassVar[str] = "datafly"
    words: ClassVar[str] = (
        "Values were replaced by more general ones of their hierarchies, all values of a column at the same "
        "level, one step at a time until every combination was shared by {k} people or more; as many others "
        "as the plan allows were left out (Datafly)."
    )
    heuristic: Literal["semantic", "classic"] = option(
        "semantic",
        "which column climbs next: the one that leaves the table closest in meaning, or the one with the "
        "most distinct values, as published",
    )

    def node(self, table: LeveledTable, done: Int64) -> Int64:
        node = np.zeros(len(table.heights), np.int64)
        classes = table.classes(node)
        while table.left_out(node, classes) is None:
            climbing = [j for j, height in enumerate(table.heights) if node[j] < height]
            if not climbing:  # else there is one class at the top of all hierarchies, and it will do
                raise table.refusal()
            node[min(climbing, key=lambda j: self._rank(table, j, int(node[j])))] += 1
            classes = table.classes(node, None if table.looks_beyond_sizes else classes)
        return node

    def _rank(self, table: LeveledTable, j: int, level: int) -> float:
        """The attribute with the least rank climbs; of equal ones, the first."""
        if self.heuristic == "semantic":  # what the others lose is the same whichever climbs
            return float(table.losses[j][level + 1] - table.losses[j][level])
        return -len(np.unique(table.levels[j][level, table.tuples.codes[:, j]]))
