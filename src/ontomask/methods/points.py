"""The points that cost groups least, over all attributes at once.

The centroid of spec 3.2 makes the sum of distances least, attribute by attribute. The loss that is reported
is a sum of squares, and where the squares are those of means over attributes, what is best in one attribute
depends on the others. Any method that has centroids may release these points (`centroid: joint`).
"""

from __future__ import annotations

import numpy as np

from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import group_centroids, with_covers
from ontomask.methods._annealing_kernels import settled
from ontomask.methods._groups import Placed, search_for
from ontomask.methods.records import Cost, can_be_laid_out, in_order, laid_out, scale_of
from ontomask.methods.task import Entries, Task


def cost_of(task: Task, *, is_squared: bool = True) -> Cost:
    """What a record costs that is replaced, with ``w_j`` the share of attribute j in all weights::

    (sum_j w_j d_j)^2        combine: mean
    sum_j w_j d_j^2          combine: euclidean
    sum_j w_j d_j            unless squared, or where something is truthful: d_j is then its NCP
    """
    weights = np.array([attribute.weight for attribute in task.attributes])
    weights = weights / weights.sum()
    if not is_squared or any(attribute.is_truthful for attribute in task.attributes):
        return Cost(weights, 1, False)
    return Cost(weights, 2, False) if task.combine == "euclidean" else Cost(weights, 1, True)


def best_points(cost: Cost, task: Task, space: Space, entries: Entries, n_groups: int) -> Points:
    """The point of every group whose cost is least; covers where these are wanted.

    Where the cost is the square of a sum over attributes, it is found by improving them in turn until none
    gets better: a point could be better only if it differed in several. Where an attribute has no table of
    distances, groups have their centroids.
    """
    if not can_be_laid_out(space):
        return group_centroids(space, *entries, n_groups)
    kept = entries.groups >= 0
    order = np.flatnonzero(kept)[np.argsort(entries.groups[kept], kind="stable")]
    placed = Placed(
        np.arange(len(order)),
        entries.groups[order].astype(np.int64),
        entries.counts[order].astype(np.float64),
    )
    tuples, nobody = entries.tuples[order].astype(np.int64), np.zeros((len(order), 1), np.int32)
    search = search_for(*laid_out(space, tuples, cost, task.limits), nobody, placed, 1.0)
    settled(search, placed)
    m, (nominal, numeric) = len(space.attributes), in_order(space)
    points = Points(np.zeros((n_groups, m), np.int64), np.zeros((n_groups, m)), np.zeros((n_groups, m)))
    found = search.groups.candidates[:n_groups]
    points.candidates[:, nominal] = found + space.attributes["candidates_from"][nominal]
    for i, j in enumerate(numeric):
        numbers = search.groups.numbers[:n_groups, i, 0] * scale_of(space, cost, j)
        points.numbers[:, j] = points.ends[:, j] = numbers
    return with_covers(space, points, *entries)
