"""Information loss of a release: how far the masked records are from the original ones in meaning.

Martinez 2013 (ch. 4-7) for SSE, SST and L; a suppressed record costs the maximum in every attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers, counted_sum
from ontomask.attributes import Attribute, Members, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.attributes.space import Combine
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure


def losses(view: ReleaseView) -> dict[str, float]:
    """Semantic loss, SSE, SST and L of a release, and loss and SSE of every attribute.

    With `sd_ij` the distance of record i's value in attribute j to its masked value::

        semantic_loss    = 1/(n m) sum_i sum_j sd_ij
        sse              = sum_i (1/m sum_j sd_ij)^2         or, with combine="euclidean",
                           sum_i sum_j sd_ij^2
        sst              = the same with every record at the centroid of the whole table
        information_loss = 100 sse / sst                     (0 if sst = 0)
        semantic_loss.A  = 1/n sum_i sd_iA
        sse.A            = sum_i sd_iA^2                     and information_loss.A over the SST of A alone
        sse_plain.A      = sum_i (x_iA - x_iA')^2            of numbers that are there before and after

    >>> from ontomask.attributes import Numeric
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 2])).including(np.array([25.0]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    >>> masked = age.replacement_of(np.array([25.0, 25.0, 60.0]))[:, None]
    >>> figures = losses(ReleaseView(table, [age], Pairs.of_rows(np.arange(3), masked, table.counts)))
    >>> round(figures["semantic_loss"] * 4 * 40, 6), round(figures["sse"] * 40**2, 4)  # 40 years is the range
    (10.0, 50.0)
    >>> figures["sse_plain.age"]
    50.0
    """
    tuples = view.tuples
    centre = [
        to_centre(attribute, np.bincount(tuples.codes[:, j], tuples.counts, attribute.size).astype(np.int64))
        for j, attribute in enumerate(view.attributes)
    ]
    return loss_sums(view, centre).figures([attribute.name for attribute in view.attributes])


class LossSums(NamedTuple):
    """What these figures are made of: sums over records, which add up over the parts of a table.

    Arrays have a place for each attribute; `plain` is NaN where an attribute has no numbers.
    """

    records: int
    sse: float
    sst: float
    distances: Float64
    squares: Float64
    squares_to_centre: Float64
    plain: Float64

    def plus(self, other: LossSums) -> LossSums:
        """Of two parts of a table together."""
        sums: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        return LossSums(*(mine + theirs for mine, theirs in sums))

    def figures(self, names: Sequence[str]) -> dict[str, float]:
        """The figures of `losses`."""
        n = self.records
        figures = {
            "semantic_loss": float(self.distances.sum()) / (n * len(names)),
            "sse": float(self.sse),
            "sst": float(self.sst),
            "information_loss": float(100 * self.sse / self.sst) if self.sst > 0 else 0.0,
        }
        for j, name in enumerate(names):
            of_one, at_worst = float(self.squares[j]), float(self.squares_to_centre[j])
            figures[f"semantic_loss.{name}"] = float(self.distances[j] / n)
            figures[f"sse.{name}"] = of_one
            figures[f"information_loss.{name}"] = 100 * of_one / at_worst if at_worst > 0 else 0.0
            if not np.isnan(self.plain[j]):
                figures[f"sse_plain.{name}"] = float(self.plain[j])
        return figures


def loss_sums(view: ReleaseView, centre: Sequence[Float64]) -> LossSums:
    """What a release, or a part of one, lost; `centre[j][code]` is how far a value is from the most central
    one of the whole table.
    """
    tuples, pairs = view.tuples, view.pairs
    distances = pair_distances(view)
    at_worst = np.stack([centre[j][tuples.codes[:, j]] for j in range(len(centre))], axis=1)
    return LossSums(
        pairs.n,
        counted_sum(pairs.counts, squared(distances, view.combine)),
        counted_sum(tuples.counts, squared(at_worst, view.combine)),
        counted_sum(pairs.counts, distances),
        counted_sum(pairs.counts, distances**2),
        counted_sum(tuples.counts, at_worst**2),
        np.array(
            [np.nan if a.plain.line is None else _plain_sse(view, j) for j, a in enumerate(view.attributes)]
        ),
    )


def pair_distances(view: ReleaseView) -> Float64:
    """Distance of original to masked value, [pairs, m]; the maximum where the record was suppressed."""
    kept = ~view.pairs.suppressed
    table = np.empty((len(view.pairs.counts), len(view.attributes)))
    for j, attribute in enumerate(view.attributes):
        table[:, j] = attribute.maximum
        codes = view.tuples.codes[view.pairs.original[kept], j]
        table[kept, j] = attribute.distance(codes, view.pairs.values_of_pairs[kept, j])
    return table


def squared(distances: Float64, combine: Combine) -> Float64:
    """Squared record distance of each row of per-attribute distances."""
    squares: Float64 = (distances**2).sum(axis=1) if combine == "euclidean" else distances.mean(axis=1) ** 2
    return squares


def group_values(
    tuples: Tuples, attributes: Sequence[Attribute], groups: Integers, n_groups: int
) -> tuple[list[Attribute], Int32]:
    """Centroid of every group of tuples, as replacements [groups, m] of the attributes returned."""
    space = space_of(tuples, attributes)
    members = Members(np.arange(len(tuples), dtype=np.int32), groups.astype(np.int32), tuples.counts, False)
    points = group_centroids(space, *members[:3], n_groups)
    return replacements_of(attributes, space, points, as_written=False, members=members)


def to_centre(attribute: Attribute, counts: Int64) -> Float64:
    """Distance of every code to what is central to all records, of which `counts[code]` have each."""
    there = np.flatnonzero(counts)
    column = Tuples(there[:, None].astype(np.int32), counts[there])
    (extended,), centre = group_values(column, [attribute], np.zeros(len(there), np.int32), 1)
    return extended.distance(
        np.arange(attribute.size, dtype=np.int32), np.full(attribute.size, centre[0, 0], np.int32)
    )


def _plain_sse(view: ReleaseView, j: int) -> float:
    """In the squared units of the column itself; a range counts as its middle."""
    attribute, kept = view.attributes[j], ~view.pairs.suppressed
    used, codes = np.unique(view.pairs.values_of_pairs[kept, j], return_inverse=True)
    line, released = attribute.plain.line, attribute.over_replacements(used).line
    assert line is not None and released is not None
    before = line.numbers[view.tuples.codes[view.pairs.original[kept], j]]
    return float(view.pairs.counts[kept] @ np.nan_to_num((before - released.numbers[codes]) ** 2))


LOSSES = Family(
    lambda subject, found: losses(subject.view),
    (
        Figure("semantic_loss", "Semantic loss", "", "mean distance in meaning, original to masked values"),
        Figure("semantic_loss.A"),
        Figure(
            "information_loss",
            "Information loss, L",
            "%",
            "100 SSE / SST: 0 is untouched; 100 is as bad as giving everybody the same, most central record",
        ),
        Figure("information_loss.A"),
        Figure("sse", "SSE", "", "sum of squared record distances between original and masked"),
        Figure("sse.A"),
        Figure("sse_plain.A"),
        Figure("sst", "SST", "", "the same if everybody had the most central record"),
    ),
    of_a_run=True,
)
