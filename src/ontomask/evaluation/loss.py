"""Information loss of a release: how far the masked records are from the original ones in meaning.

Martinez 2013 (ch. 4-7) for SSE, SST and L; a suppressed record costs the maximum in every attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Float64, Int32
from ontomask.attributes import space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.space import Combine
from ontomask.evaluation.pairs import Column, Pairs


def losses(
    pairs: Pairs, tuples: Tuples, attributes: Sequence[Attribute], combine: Combine = "mean"
) -> dict[str, float]:
    """Semantic loss, SSE, SST and L of a release, and loss and SSE of every attribute.

    With `sd_ij` the distance of record i's value in attribute j to its masked value and weights w of mean 1::

        semantic_loss    = 1/(n m) sum_i sum_j w_j sd_ij
        sse              = sum_i (1/m sum_j w_j sd_ij)^2     or, with combine="euclidean",
                           sum_i sum_j w_j sd_ij^2
        sst              = the same with every record at the centroid of the whole table
        information_loss = 100 sse / sst                     (0 if sst = 0)
        semantic_loss.A  = 1/n sum_i sd_iA
        sse.A            = sum_i sd_iA^2

    >>> from ontomask.attributes import Numeric
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 2]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    >>> pairs = Pairs.of_rows(np.array([0, 1, 2]), [np.array([25.0, 25.0, 60.0])], table.counts)
    >>> figures = losses(pairs, table, [age])
    >>> round(figures["semantic_loss"] * 4 * 40, 6), round(figures["sse"] * 40**2, 4)  # 40 years is the range
    (10.0, 50.0)
    """
    distances = pair_distances(pairs, tuples, attributes)
    to_centre = _to_centre(tuples, attributes)
    sse = pairs.counts @ squared(distances, attributes, combine)
    sst = tuples.counts @ squared(to_centre, attributes, combine)
    per_attribute = pairs.counts @ distances
    figures = {
        "semantic_loss": float(per_attribute @ weights(attributes)) / (pairs.n * len(attributes)),
        "sse": float(sse),
        "sst": float(sst),
        "information_loss": float(100 * sse / sst) if sst > 0 else 0.0,
    }
    for j, attribute in enumerate(attributes):
        figures[f"semantic_loss.{attribute.name}"] = float(per_attribute[j] / pairs.n)
        figures[f"sse.{attribute.name}"] = float(pairs.counts @ distances[:, j] ** 2)
    return figures


def pair_distances(pairs: Pairs, tuples: Tuples, attributes: Sequence[Attribute]) -> Float64:
    """Distance of original to masked value, [pairs, m]; the maximum where the record was suppressed."""
    kept = ~pairs.suppressed
    table = np.empty((len(pairs.counts), len(attributes)))
    for j, attribute in enumerate(attributes):
        table[:, j] = attribute.maximum
        codes = tuples.codes[pairs.original[kept], j]
        table[kept, j] = attribute.to_masked(codes, pairs.masked_values[j][pairs.masked[kept]])
    return table


def weights(attributes: Sequence[Attribute]) -> Float64:
    """Weights of the attributes, scaled to a mean of 1."""
    given = np.array([a.weight for a in attributes], np.float64)
    return given * len(given) / given.sum() if given.sum() > 0 else given


def squared(distances: Float64, attributes: Sequence[Attribute], combine: Combine) -> Float64:
    """Squared record distance of each row of per-attribute distances."""
    if combine == "euclidean":
        return distances**2 @ weights(attributes)
    return (distances @ weights(attributes) / len(attributes)) ** 2


def group_values(
    tuples: Tuples, attributes: Sequence[Attribute], groups: Int32, n_groups: int
) -> list[Column]:
    """Centroid of every group of tuples, as one column of masked values per attribute."""
    space = space_of(tuples, attributes)
    everything = np.arange(len(tuples), dtype=np.int32)
    centres = group_centroids(space, everything, groups, tuples.counts, n_groups)
    columns: list[Column] = []
    for column, fact in zip(centres.T, space.attributes, strict=True):
        columns.append((column - fact["candidates_from"]).astype(np.int32) if fact["is_nominal"] else column)
    return columns


def _to_centre(tuples: Tuples, attributes: Sequence[Attribute]) -> Float64:
    """Distance of every tuple to the centroid of the whole table, [p, m]."""
    centre = group_values(tuples, attributes, np.zeros(len(tuples), np.int32), 1)
    columns = [a.to_masked(tuples.codes[:, j], centre[j]) for j, a in enumerate(attributes)]
    return np.stack(columns, axis=1)
