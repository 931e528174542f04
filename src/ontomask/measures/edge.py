"""Measures that count is-a links: path (Rada 1989), lch (Leacock & Chodorow 1998), wup (Wu & Palmer 1994).

Libraries count differently, so each takes a `convention`: `links` counts as the formulas are printed,
`ws4j` and `nltk` as those libraries do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32
from ontomask.measures.base import Convention, Measure, check_convention, indices, on_grid, with_equal_pairs
from ontomask.measures.sweep import Block, Sweep, smallest_cell
from ontomask.ontology.core import ConceptIndices, Ontology, derived
from ontomask.ontology.csr import Csr


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
    for block in sweep.blocks():
        _kernels.emit_one(out, block.offset, _path_rows(sweep, block), sweep.row_of_a, table)
    return out


def _path_rows(sweep: Sweep, block: Block) -> np.ndarray:
    """N_p of every row of the sweep to every column of the block."""
    from ontomask.measures import _kernels

    rows: np.ndarray = _kernels.shortest_paths(
        smallest_cell(longest_path(sweep.ontology) + 1),  # farther than any
        len(block.columns),
        sweep.parents.starts,
        sweep.parents.values,
        block.starts,
        block.ends,
        block.below,
        block.hops,
    )
    return rows


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
    words: ClassVar[str] = "how many is-a links lie between two concepts"
    bounded: ClassVar[bool] = False

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return path_lengths(ontology, a, b, 1 / (1 + every_length(ontology)))

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return path_lengths(ontology, a, b, every_length(ontology))

    def maximum(self, ontology: Ontology) -> float:
        return float(max(1, longest_path(ontology)))


@dataclass(frozen=True)
class LeacockChodorow(EdgeMeasure):
    """`sim = -log((N_p + 1) / (2 D))`, the path counted in nodes; distance `log(2 D) - sim`.

    D is the depth of the taxonomy in nodes (`nltk`: in links).
    """

    name: ClassVar[str] = "lch"
    words: ClassVar[str] = "how many is-a links lie between two concepts (Leacock and Chodorow)"
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
        return float(np.log(max(1, longest_path(ontology)) + 1))


@dataclass(frozen=True)
class WuPalmer(EdgeMeasure):
    """`sim = 2 N3 / (N1 + N2 + 2 N3)`; distance `1 - sim`.

    links
        LCS as `Ontology.lcs` has it; N1, N2 the shortest paths up to it, N3 the longest path from there to
        the root, all in links.
    nltk
        LCS the common ancestor of greatest shortest depth, ties by name; N3 is its longest depth counted in
        nodes; N1 and N2 are the shortest paths to it, which may pass over it and come down again.
    ws4j
        `2 depth(LCS) / (depth(a) + depth(b))`, depths in nodes on the longest path below a virtual root,
        LCS the deepest common ancestor in that sense.
    """

    name: ClassVar[str] = "wup"
    words: ClassVar[str] = "how deep two concepts' nearest common superconcept lies (Wu and Palmer)"

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return self._values(ontology, a, b, as_distance=False)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return self._values(ontology, a, b, as_distance=True)

    def _values(
        self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices, *, as_distance: bool
    ) -> Float64:
        if not len(indices(a)) or not len(indices(b)):
            return np.zeros((len(indices(a)), len(indices(b))))
        if self.convention == "ws4j":
            return self._by_deepest(ontology, a, b, as_distance)
        values = self._by_lengths(ontology, a, b, as_distance)
        return with_equal_pairs(values, a, b, 0.0 if as_distance else 1.0)

    def _by_lengths(
        self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices, as_distance: bool
    ) -> Float64:
        from ontomask.measures import _kernels

        nltk = self.convention == "nltk"
        sweep = Sweep(ontology, a, indices(b) if nltk else b)  # which looks at the columns of each block
        rank, order = _ranks_by_name(ontology) if nltk else (ontology.depth_rank, ontology.longest_depth)
        depth = order[sweep.nodes].astype(np.int64)
        depths = int(depth.max()) + 1
        # A pair is coded as one number, (N1 + N2, level of the LCS, its depth), and looked up at the end.
        if nltk:
            level = ontology.longest_depth[sweep.nodes].astype(np.int64) + 1
            code, step = level * depths + depth, (int(level.max()) + 1) * depths
            level_of_code = np.arange(step) // depths
        else:
            code, step = depth, depths
            level_of_code = np.arange(step)
        # The LCS need not lie on a shortest path, so N1 + N2 may exceed every N_p.
        lengths = np.arange(2 * int(ontology.longest_depth.max()) + 1)[:, None]
        table = ratio_table(2 * level_of_code, lengths + 2 * level_of_code, as_distance)
        above, above_hops = sweep.rows.ancestors_by_rank(rank)
        blocks = list(sweep.blocks())
        hops = [block.hops for block in blocks]
        if nltk:
            above_hops, *hops = _shortest_links(sweep, above, above_hops, blocks)
        out = np.empty((len(sweep.a), len(sweep.b)))
        for block, block_hops in zip(blocks, hops, strict=True):
            rows = _kernels.lcs_codes(
                smallest_cell(len(table)),
                len(block.columns),
                sweep.parents.starts,
                sweep.parents.values,
                block.starts,
                block.ends,
                block.below,
                block_hops,
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
                block.starts,
                block.ends,
                block.below,
                depth[sweep.nodes].astype(cell.dtype),
            )
            _kernels.emit_by_size(
                out, block.offset, rows, sweep.row_of_a, depth[sweep.a], depth[block.columns], table, stride
            )
        return out


@derived
def _ranks_by_name(ontology: Ontology) -> tuple[Int32, Int32]:
    """Concepts ranked for LCS as `nltk` does: greater shortest depth first, then the earlier name.

    Also a coarser order for the comparison of a concept with its own ancestors alone: shortest depths, split
    only where a concept has an ancestor of equal depth. Leaves have no say: they subsume nothing else.
    """
    depth = ontology.shortest_depth
    inner = np.flatnonzero(~ontology.is_leaf)
    lateness = np.full(len(ontology), len(ontology))
    lateness[inner[np.argsort([ontology.key(c) for c in inner.tolist()])]] = np.arange(len(inner))
    rank = np.empty(len(ontology), np.int32)
    rank[np.lexsort((-lateness, depth))] = np.arange(len(ontology))

    rows = ontology.ancestors.take(inner)
    below, above = inner[rows.row_of_value], rows.values
    tied = (depth[below] == depth[above]) & (below != above)
    pairs = np.stack([below[tied], above[tied]])
    worse, better = np.take_along_axis(pairs, np.argsort(rank[pairs], axis=0), axis=0)
    split = np.zeros(len(ontology), np.int64)
    while (split[better] <= split[worse]).any():
        np.maximum.at(split, better, split[worse] + 1)
    _, order = np.unique(depth * (split.max() + 1) + split, return_inverse=True)
    return rank, order.astype(np.int32)


def _shortest_links(sweep: Sweep, above: Csr, above_hops: Int32, blocks: list[Block]) -> list[np.ndarray]:
    """N_p between concepts and their ancestors, in place of `above_hops` and of the `hops` of every block.

    It is less than the links straight up where another parent leads past an ancestor to one further up.
    """
    straight: list[np.ndarray] = [above_hops, *(block.hops for block in blocks)]
    lower = np.concatenate(
        [sweep.nodes[above.row_of_value], *(block.columns[block.below] for block in blocks)]
    )
    every = np.arange(len(sweep.nodes))
    rows_above = [np.repeat(every, block.ends - block.starts) for block in blocks]
    upper = sweep.nodes[np.concatenate([above.values, *rows_above])]
    links = np.concatenate(straight)
    several_ways = sweep.ontology.subsumer_counts > sweep.ontology.shortest_depth + 1
    doubtful = np.flatnonzero(several_ways[lower] & (links > 2))
    concepts, column = np.unique(lower[doubtful], return_inverse=True)
    paths = Sweep(sweep.ontology, concepts, concepts)
    row = paths.rows.row_of(upper[doubtful])
    for block in paths.blocks():
        here = (column >= block.offset) & (column < block.offset + len(block.columns))
        links[doubtful[here]] = _path_rows(paths, block)[row[here], column[here] - block.offset]
    return np.split(links, np.cumsum([len(part) for part in straight[:-1]]))


def ratio_table(part: np.ndarray, whole: np.ndarray, as_distance: bool) -> Float64:
    """part / whole (0/0 counts as 1) for every combination, flat; as distance on the grid if asked."""
    part, whole = np.broadcast_arrays(part, whole)
    ratio = np.divide(part, whole, out=np.ones(part.shape), where=whole > 0).ravel()
    return on_grid(1 - ratio) if as_distance else ratio
