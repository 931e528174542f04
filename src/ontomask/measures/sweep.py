"""Lays out the work of `_kernels`: which ancestors need a row, their parents, and which columns lie below.

Columns are taken in blocks, so that working memory stays small however many concepts are compared. Who
compares the same concepts again and again lays them out once, as `Rows` or as `Columns`, and gives these to a
measure in place of the indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Int32, Int64, Integers
from ontomask.measures.base import indices
from ontomask.ontology.core import ConceptIndices, Ontology
from ontomask.ontology.csr import Csr

_FEW = 64  # a search among so many times fewer rows than concepts is faster than a table of all concepts


@dataclass(frozen=True)
class Block:
    """A run of columns: those below row x, and the links up from them, stand at `starts[x]:ends[x]`."""

    offset: int
    columns: Int64
    starts: Int64
    ends: Int64
    below: Int32
    hops: npt.NDArray[np.int16]


def smallest_cell(bound: int) -> npt.NDArray[np.unsignedinteger]:
    """An array of the smallest unsigned type that holds `bound`; its one item is the bound."""
    kind = np.uint8 if bound < 2**8 else np.uint16 if bound < 2**16 else np.uint32
    return np.array([bound], kind)


class Concepts:
    """Concepts laid out for comparisons; an array to every measure that has no use for the layout."""

    def __init__(self, ontology: Ontology, concepts: ConceptIndices) -> None:
        self.ontology, self.concepts = ontology, indices(concepts)

    def __len__(self) -> int:
        return len(self.concepts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Int64:
        return np.array(self.concepts, dtype, copy=copy)


class Rows(Concepts):
    """The rows that a comparison of some concepts needs: each of their ancestors, in topological order.

    `within` are rows of more concepts, these among them, laid out before.
    """

    def __init__(self, ontology: Ontology, concepts: ConceptIndices, within: Rows | None = None) -> None:
        super().__init__(ontology, concepts)
        self.within = within
        above = ontology.ancestors.take(np.unique(self.concepts)).values
        self._row_of_node: Int32 | None = None
        if 0 < len(above) * _FEW < len(ontology):
            self.nodes = np.unique(above).astype(np.int64)
        else:
            wanted = np.zeros(len(ontology), bool)
            wanted[above] = True
            self.nodes = np.flatnonzero(wanted)
            self._row_of_node = np.full(len(ontology), -1, np.int32)
            self._row_of_node[self.nodes] = np.arange(len(self.nodes))
        parents = ontology.parents.take(self.nodes)
        self.parents = Csr(parents.starts, self.row_of(parents.values))
        self.row_of_concept = self.row_of(self.concepts)

    def row_of(self, concepts: Integers) -> Int32:
        """The row of each concept, -1 where it has none."""
        if self._row_of_node is not None:
            return self._row_of_node[concepts]
        place = np.minimum(np.searchsorted(self.nodes, concepts), len(self.nodes) - 1)
        return np.where(self.nodes[place] == concepts, place, -1).astype(np.int32)

    @cached_property
    def extra_ancestors(self) -> Csr:
        """The ancestors (as rows) that each row has and its first parent has not; itself included."""
        if self.within is not None:
            known = self.within.extra_ancestors.take(self.within.row_of(self.nodes))
            return Csr(known.starts, self.row_of(self.within.nodes[known.values]))
        closure, n = self.ontology.ancestors, len(self.ontology)
        several = np.flatnonzero(self.parents.counts > 1)
        first_parent = self.nodes[self.parents.values[self.parents.starts[several]]]
        own = closure.take(self.nodes[several])
        of_parent = closure.take(first_parent)
        extra = ~np.isin(own.row_of_value * n + own.values, of_parent.row_of_value * n + of_parent.values)
        single = np.flatnonzero(self.parents.counts <= 1)
        return Csr.from_pairs(
            np.concatenate([single, several[own.row_of_value[extra]]]),
            np.concatenate([single, self.row_of(own.values[extra])]),
            len(self.nodes),
        )

    def ancestors_by_rank(self, rank: Int32) -> tuple[Csr, Int32]:
        """Ancestors (as rows) of each row with several parents, lowest rank first; and the links up."""
        if self._by_rank is None or self._by_rank[0] is not rank:
            self._by_rank = rank, self._sorted_ancestors(rank)
        return self._by_rank[1]

    _by_rank: tuple[Int32, tuple[Csr, Int32]] | None = None

    def _sorted_ancestors(self, rank: Int32) -> tuple[Csr, Int32]:
        closure = self.ontology.ancestors
        several = np.flatnonzero(self.parents.counts > 1)
        places = closure.positions(self.nodes[several])
        owner = np.repeat(several, closure.counts[self.nodes[several]])
        order = np.lexsort((rank[closure.values[places]], owner))
        above = Csr.from_pairs(owner[order], self.row_of(closure.values[places[order]]), len(self.nodes))
        return above, closure.hops[places[order]].astype(np.int32)


class Columns(Concepts):
    """Per concept of the ontology the columns below it: for comparisons of few concepts with many."""

    @cached_property
    def below(self) -> tuple[Csr, npt.NDArray[np.int16]]:
        """The columns, and the links up from them."""
        closure = self.ontology.ancestors
        places = closure.positions(self.concepts)
        column = np.repeat(np.arange(len(self.concepts)), closure.counts[self.concepts])
        order = Csr.from_pairs(closure.values[places], np.arange(len(places)), len(self.ontology))
        return Csr(order.starts, column[order.values].astype(np.int32)), closure.hops[places[order.values]]


class Sweep:
    """A comparison a x b: the rows of a, and the columns of b in blocks."""

    def __init__(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> None:
        self.ontology = ontology
        self.rows = a if isinstance(a, Rows) else Rows(ontology, a)
        self.columns = b if isinstance(b, Columns) else None
        self.a, self.b = self.rows.concepts, indices(b)
        self.nodes, self.parents, self.row_of_a = self.rows.nodes, self.rows.parents, self.rows.row_of_concept

    def blocks(self, width: int = 2048) -> Iterator[Block]:
        """The columns, `width` at a time; all at once if they have been laid out."""
        if self.columns is not None:
            every, hops = self.columns.below
            starts, ends = every.starts[self.nodes], every.starts[self.nodes + 1]
            yield Block(0, self.b, starts, ends, every.values, hops)
            return
        closure = self.ontology.ancestors
        for offset in range(0, len(self.b), width):
            columns = self.b[offset : offset + width]
            places = closure.positions(columns)
            column_of_place = np.repeat(np.arange(len(columns)), closure.counts[columns])
            rows = self.rows.row_of(closure.values[places])
            kept = rows >= 0
            order = Csr.from_pairs(rows[kept], np.flatnonzero(kept), len(self.nodes))
            below, hops = column_of_place[order.values].astype(np.int32), closure.hops[places[order.values]]
            yield Block(offset, columns, order.starts[:-1], order.starts[1:], below, hops)
