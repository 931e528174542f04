"""How little any truthful release of groups of at least k records can lose: a proven lower bound of NCP.

What is released of a record is a box, a cover for each attribute, that holds it and at least k - 1 others
(spec 8.1); it cannot cost less than the cheapest such box. Integers only.
"""

from __future__ import annotations

import numpy as np

from ontomask.attributes.space import Space, space_of
from ontomask.evaluation._box_kernels import DOWN, UP, WORD, Covers, Levels, cheapest_boxes
from ontomask.evaluation.pairs import ReleaseView

MOST_PAIRS = 1 << 30
"""Pairs of tuples beyond which no bound is computed."""
_MOST_COVERS = 1 << 27
_ERROR = 1e-12


def least_ncp(view: ReleaseView, k: int) -> float | None:
    """No truthful release of at least k equal records has a lower NCP; None where it takes too long to say.

    With the boxes b that hold tuple t and at least k records::

        ncp >= 1/(n m) sum_t w_t min_b sum_j ncp_j(b)

    A value that stays as it is costs nothing. Sets of words, and columns that are not released truthfully,
    count nothing, which makes the bound lower.

    >>> from ontomask.attributes import Numeric, Tuples
    >>> from ontomask.evaluation.pairs import Pairs
    >>> ages = np.array([20.0, 30.0, 60.0])
    >>> age = Numeric("age", 1.0, -1, ages, 40.0, is_truthful=True)
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    >>> bound = least_ncp(ReleaseView(table, [age], Pairs.unmasked(table, [age])), 2)
    >>> round(bound, 6)  # 20-30 for two of four records, a quarter of the range
    0.125
    """
    view = view.merged
    if len(view.tuples) ** 2 > MOST_PAIRS:
        return None
    space = space_of(view.tuples, view.attributes, with_covers=True)
    covers = _covers(space)
    if covers is None:
        return None
    boxes = cheapest_boxes(space, covers, _levels(space), k, _ERROR)
    total = float(view.tuples.counts @ boxes) / (view.tuples.n * len(view.attributes))
    return max(total - 2 * _ERROR, 0.0)


def _levels(space: Space) -> Levels:
    """Words first: they leave few numbers to choose ranges from."""
    covered = np.flatnonzero(space.attributes["is_covered"])
    words = covered[space.attributes["is_nominal"][covered]]
    numbers = covered[~space.attributes["is_nominal"][covered]]
    kinds = np.concatenate([np.full(len(words), WORD), np.tile([DOWN, UP], len(numbers))])
    return Levels(np.concatenate([words, np.repeat(numbers, 2)]), kinds.astype(np.int64))


def _covers(space: Space) -> Covers | None:
    """What may cover each value, the least NCP first; None if that is too much."""
    n_values, n_candidates = len(space.values), len(space.ncp)
    if n_values * n_candidates > _MOST_COVERS:
        return None
    inside = np.zeros((n_candidates, n_values), bool)
    inside[np.repeat(np.arange(n_candidates), np.diff(space.below_starts)), space.below] = True
    candidate, value = np.nonzero(inside)
    costs = np.where(space.value_of[candidate] == value, 0.0, space.ncp[candidate])
    order = np.lexsort((costs, value))
    starts = np.searchsorted(value[order], np.arange(n_values + 1))
    units = np.array([_unit(space, j) for j in range(len(space.attributes))])
    return Covers(starts, candidate[order], costs[order], inside, units)


def _unit(space: Space, j: int) -> float:
    """The range of an attribute's numbers; what is released of them never costs less for a wider one."""
    a = space.attributes[j]
    numbers = space.values["number"][a.values_from : a.values_to]
    known = numbers[~np.isnan(numbers)]
    return max(float(a.unit), float(np.ptp(known)) if len(known) else 0.0)
