"""Lays out the work of `_kernels`: which ancestors need a row, their parents, and which columns lie below.

Columns are taken in blocks, so that working memory stays small however many concepts are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Int32, Int64
from ontomask.measures.base import indices
from ontomask.ontology.core import ConceptIndices, Ontology
from ontomask.ontology.csr import Csr


@dataclass(frozen=True)
class Block:
    """A run of columns: `below` lists, per row, the columns under it; `hops` the links up from each."""

    offset: int
    columns: Int64
    below: Csr
    hops: npt.NDArray[np.int16]


def smallest_cell(bound: int) -> npt.NDArray[np.unsignedinteger]:
    """An array of the smallest unsigned type that holds `bound`; its one item is the bound."""
    kind = np.uint8 if bound < 2**8 else np.uint16 if bound < 2**16 else np.uint32
    return np.array([bound], kind)


class Sweep:
    """The rows of a comparison a x b: every ancestor of any a, in topological order."""

    def __init__(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> None:
        self.ontology = ontology
        self.a, self.b = indices(a), indices(b)
        above_a = ontology.ancestors.take(np.unique(self.a)).values
        wanted = np.zeros(len(ontology), bool)
        wanted[above_a] = True
        self.nodes = np.flatnonzero(wanted)
        self.row_of_node: Int32 = np.full(len(ontology), -1, np.int32)
        self.row_of_node[self.nodes] = np.arange(len(self.nodes))
        parents = ontology.parents.take(self.nodes)
        self.parents = Csr(parents.starts, self.row_of_node[parents.values])
        self.row_of_a = self.row_of_node[self.a]

    def blocks(self, width: int = 2048) -> Iterator[Block]:
        """The columns, `width` at a time."""
        closure = self.ontology.ancestors
        for offset in range(0, len(self.b), width):
            columns = self.b[offset : offset + width]
            places = closure.positions(columns)
            column_of_place = np.repeat(np.arange(len(columns)), closure.counts[columns])
            rows = self.row_of_node[closure.values[places]]
            kept = rows >= 0
            below = Csr.from_pairs(rows[kept], np.flatnonzero(kept), len(self.nodes))
            hops = closure.hops[places[below.values]]
            below = Csr(below.starts, column_of_place[below.values].astype(np.int32))
            yield Block(offset, columns, below, hops)

    def extra_ancestors(self) -> Csr:
        """The ancestors (as rows) that each row has and its first parent has not; itself included."""
        closure = self.ontology.ancestors
        several = np.flatnonzero(self.parents.counts > 1)
        first_parent = self.nodes[self.parents.values[self.parents.starts[several]]]
        own = closure.take(self.nodes[several])
        known = closure.take(first_parent)
        extra = ~np.isin(
            own.row_of_value * len(self.ontology) + own.values,
            known.row_of_value * len(self.ontology) + known.values,
        )
        single = np.flatnonzero(self.parents.counts <= 1)
        return Csr.from_pairs(
            np.concatenate([single, several[own.row_of_value[extra]]]),
            np.concatenate([single, self.row_of_node[own.values[extra]]]),
            len(self.nodes),
        )

    def ancestors_by_rank(self, rank: Int32) -> tuple[Csr, Int32]:
        """Ancestors (as rows) of each row with several parents, lowest rank first; and the links up."""
        closure = self.ontology.ancestors
        several = np.flatnonzero(self.parents.counts > 1)
        places = closure.positions(self.nodes[several])
        owner = np.repeat(several, closure.counts[self.nodes[several]])
        order = np.lexsort((rank[closure.values[places]], owner))
        above = Csr.from_pairs(owner[order], self.row_of_node[closure.values[places[order]]], len(self.nodes))
        return above, closure.hops[places[order]].astype(np.int32)
