"""Measures that count is-a links: path (Rada 1989), lch (Leacock & Chodorow 1998), wup (Wu & Palmer 1994).

Libraries count differently, so each takes a `convention`: `links` counts as the formulas are printed,
`ws4j` and `nltk` as those libraries do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.measures.base import (
    Convention,
    Float64,
    Measure,
    check_convention,
    on_grid,
    with_equal_pairs,
)
from ontomask.measures.sweep import Sweep, smallest_cell
from ontomask.ontology.core import ConceptIndices, Ontology


@dataclass(frozen=True)
class EdgeMeasure(Measure):
    """A measure that counts links under a named convention."""

    convention: Convention = "links"

    def __post_init__(self) -> None:
        check_convention(self.convention)


def path_lengths(ontology: Ontology, a: ConceptIndices, b: ConceptIndices, table: Float64) -> Float64:
    """`table[N_p]` of every pair, N_p the fewest links from a[i] up to a common ancestor and down to b[j]."""
    from ontomask.measures import _kernels

    sweep = Sweep(ontology, a, b)
    out = np.empty((len(sweep.a), len(sweep.b)))
    farther_than_any = smallest_cell(longest_path(ontology) + 1)
    for block in sweep.blocks():
        rows = _kernels.shortest_paths(
            farther_than_any,
            len(block.columns),
            sweep.parents.starts,
            sweep.parents.values,
            block.below.starts,
            block.below.values,
            block.hops,
        )
        _kernels.emit_one(out, block.offset, rows, sweep.row_of_a, table)
    return out


def longest_path(ontology: Ontology) -> int:
    """Bound of N_p: up from the deepest concept to the root and down again."""
    return 2 * int(ontology.shortest_depth.max())


def every_length(ontology: Ontology) -> Float64:
    """0, 1, 2, ... as far as any N_p goes."""
    return np.arange(longest_path(ontology) + 1, dtype=np.float64)


@dataclass(frozen=True)
class Path(EdgeMeasure):
    """Rada's distance: `N_p`; similarity `1 / (1 + N_p)`, alike in all conventions."""

    name: ClassVar[str] = "path"
    bounded: ClassVar[bool] = False

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return path_lengths(ontology, a, b, 1 / (1 + every_length(ontology)))

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return path_lengths(ontology, a, b, every_length(ontology))

    def maximum(self, ontology: Ontology) -> float:
        return float(longest_path(ontology))


@dataclass(frozen=True)
class LeacockChodorow(EdgeMeasure):
    """`sim = -log((N_p + 1) / (2 D))`, the path counted in nodes; distance `log(2 D) - sim`.

    D is the depth of the taxonomy in nodes (`nltk`: in links).
    """

    name: ClassVar[str] = "lch"
    bounded: ClassVar[bool] = False

    def depth(self, ontology: Ontology) -> int:
        """D."""
        return int(ontology.longest_depth.max()) + (self.convention != "nltk")

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        table = -np.log((every_length(ontology) + 1) / (2 * self.depth(ontology)))
        return path_lengths(ontology, a, b, table)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return path_lengths(ontology, a, b, on_grid(np.log(every_length(ontology) + 1)))

    def maximum(self, ontology: Ontology) -> float:
        return float(np.log(longest_path(ontology) + 1))


@dataclass(frozen=True)
class WuPalmer(EdgeMeasure):
    """`sim = 2 N3 / (N1 + N2 + 2 N3)`; distance `1 - sim`.

    links
        LCS the common ancestor of greatest shortest-path depth, ties by lowest index; N1, N2, N3 shortest
        paths in links.
    nltk
        the same LCS; N3 is the LCS's longest depth counted in nodes.
    ws4j
        `2 depth(LCS) / (depth(a) + depth(b))`, depths in nodes on the longest path below a virtual root,
        LCS the deepest common ancestor in that sense.
    """

    name: ClassVar[str] = "wup"

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return self._values(ontology, a, b, as_distance=False)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return self._values(ontology, a, b, as_distance=True)

    def _values(
        self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices, *, as_distance: bool
    ) -> Float64:
        if self.convention == "ws4j":
            return self._by_deepest(ontology, a, b, as_distance)
        values = self._by_lengths(ontology, a, b, as_distance)
        return with_equal_pairs(values, a, b, 0.0 if as_distance else 1.0)

    def _by_lengths(
        self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices, as_distance: bool
    ) -> Float64:
        from ontomask.measures import _kernels

        sweep = Sweep(ontology, a, b)
        depth = ontology.shortest_depth[sweep.nodes].astype(np.int64)
        depths = int(depth.max()) + 1
        # A pair is coded as one number, (N1 + N2, level of the LCS, its depth), and looked up at the end.
        if self.convention == "nltk":
            level = ontology.longest_depth[sweep.nodes].astype(np.int64) + 1
            code, step = level * depths + depth, (int(level.max()) + 1) * depths
            level_of_code = np.arange(step) // depths
        else:
            code, step = depth, depths
            level_of_code = np.arange(step)
        lengths = np.arange(longest_path(ontology) + 1)[:, None]
        table = ratio_table(2 * level_of_code, lengths + 2 * level_of_code, as_distance)
        above, above_hops = sweep.ancestors_by_rank(ontology.depth_rank)
        out = np.empty((len(sweep.a), len(sweep.b)))
        for block in sweep.blocks():
            rows = _kernels.lcs_codes(
                smallest_cell(len(table)),
                len(block.columns),
                sweep.parents.starts,
                sweep.parents.values,
                block.below.starts,
                block.below.values,
                block.hops,
                above.starts,
                above.values,
                above_hops,
                step,
                code,
                depth,
                depths,
            )
            _kernels.emit_one(out, block.offset, rows, sweep.row_of_a, table)
        return out

    def _by_deepest(
        self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices, as_distance: bool
    ) -> Float64:
        from ontomask.measures import _kernels

        sweep = Sweep(ontology, a, b)
        # In nodes, below a virtual root; the loader may have added that root already.
        depth = ontology.longest_depth + (1 if ontology.virtual_root else 2)
        stride = int(depth.max()) + 1
        table = ratio_table(2 * np.arange(stride), np.arange(2 * stride)[:, None], as_distance)
        cell = smallest_cell(stride)
        out = np.empty((len(sweep.a), len(sweep.b)))
        for block in sweep.blocks():
            rows = _kernels.greatest(
                cell,
                len(block.columns),
                sweep.parents.starts,
                sweep.parents.values,
                block.below.starts,
                block.below.values,
                depth[sweep.nodes].astype(cell.dtype),
            )
            _kernels.emit_by_size(
                out, block.offset, rows, sweep.row_of_a, depth[sweep.a], depth[block.columns], table, stride
            )
        return out


def ratio_table(part: np.ndarray, whole: np.ndarray, as_distance: bool) -> Float64:
    """part / whole (0/0 counts as 1) for every combination, flat; as distance on the grid if asked."""
    part, whole = np.broadcast_arrays(part, whole)
    ratio = np.divide(part, whole, out=np.ones(part.shape), where=whole > 0).ravel()
    return on_grid(1 - ratio) if as_distance else ratio
