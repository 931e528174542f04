"""Semantic Ward clustering of weighted tuples, and the number of clusters by Calinski and Harabasz.

Ward's method sees distances only (Lance-Williams), so it clusters words as well as numbers. A tuple with a
count starts as a cluster of that size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import space_of
from ontomask.attributes._ward_kernels import (
    labels_of_cut,
    nearest_neighbour_chain,
    numbered_merges,
    pairwise,
    square_by_counts,
)
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.space import Combine
from ontomask.evaluation.loss import group_values, squared


def ward(distances: Float64, counts: Int64) -> Float64:
    """The dendrogram as merges (a, b, height, records), lowest first, numbered as scipy does.

    Two tuples start at ``d^2 = 2 w_a w_b / (w_a + w_b) sd^2``, twice the growth of the sum of squares that
    their merger means; with all counts 1 this is scipy's Ward.

    >>> line = np.array([0.0, 1.0, 5.0])
    >>> ward(np.abs(line[:, None] - line), np.array([1, 1, 1]))[:, :3].round(3).tolist()
    [[0.0, 1.0, 1.0], [2.0, 3.0, 5.196]]
    """
    if len(counts) < 2:
        return np.zeros((0, 4))
    squares = distances.copy()
    square_by_counts(squares, counts)
    found = nearest_neighbour_chain(squares, counts)
    return numbered_merges(found[np.argsort(found[:, 2], kind="stable")], counts)


def cut(merges: Float64, n_clusters: int) -> Int32:
    """Cluster of every tuple when the dendrogram is cut into so many."""
    return labels_of_cut(np.ascontiguousarray(merges[:, :2]).astype(np.int64), n_clusters)


def dendrogram(tuples: Tuples, attributes: Sequence[Attribute], combine: Combine = "mean") -> Float64:
    """`ward` over the record distances of a table."""
    table = pairwise(space_of(tuples, attributes, combine=combine))
    total = sum(a.weight for a in attributes)
    return ward(table if combine == "euclidean" else table / total, tuples.counts)


def best_cut(
    merges: Float64,
    tuples: Tuples,
    attributes: Sequence[Attribute],
    combine: Combine = "mean",
    most_clusters: int = 50,
) -> Int32:
    """The cut into 2..most_clusters of the greatest `calinski_harabasz`; the fewest clusters in a tie."""
    most = min(most_clusters, len(tuples) - 1)
    if most < 2:
        return np.arange(len(tuples), dtype=np.int32)
    cuts = [cut(merges, g) for g in range(2, most + 1)]
    scores = [calinski_harabasz(labels, tuples, attributes, combine) for labels in cuts]
    return cuts[int(np.argmax(scores))]


def calinski_harabasz(
    labels: Int32, tuples: Tuples, attributes: Sequence[Attribute], combine: Combine = "mean"
) -> float:
    """``CH = (B / (g - 1)) / (W / (n - g))`` with sums of squared sd to semantic centroids.

    ``B = sum_c n_c sd(centroid_c, centroid)^2``, ``W = sum_c sum_(i in c) sd(x_i, centroid_c)^2``; infinite
    where every cluster is one tuple.
    """
    g = int(labels.max()) + 1
    everything = np.append(labels, np.full(len(labels), g, np.int32))  # the last group is the whole table
    twice = Tuples(np.vstack([tuples.codes] * 2), np.append(tuples.counts, tuples.counts))
    extended, centres = group_values(twice, attributes, everything, g + 1)
    sizes = np.bincount(labels, tuples.counts)
    middle = np.full(g, g)
    apart = [a.between(centres[:g, j], centres[middle, j]) for j, a in enumerate(extended)]
    own = [a.distance(tuples.codes[:, j], centres[labels, j]) for j, a in enumerate(extended)]
    between = sizes @ squared(np.stack(apart, axis=1), combine)
    within = tuples.counts @ squared(np.stack(own, axis=1), combine)
    if within == 0:
        return float("inf")
    return float((between / (g - 1)) / (within / (tuples.n - g)))
