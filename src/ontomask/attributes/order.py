"""Sorting records by meaning: the third operator, over tuple numbers (Martinez 2013, ch. 4.4)."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes._kernels import distances, middle_of, row_from_point, row_from_tuple
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.space import Space, space_of


def sort_records(space: Space, records: Int64, weighted: bool = False) -> Int64:
    """A total order of records (tuple numbers): the farthest from their centroid first, the rest by
    increasing distance to it; equal tuples stay together, ties go by tuple order (eq. 4.2, algorithm 1).
    """
    members, counts = np.unique(records, return_counts=True)
    order = _order(space, members, counts, weighted)
    return np.repeat(members[order], counts[order])


def sort_values(attribute: Attribute, counts: Int64) -> Int64:
    """The codes that records have, in their order: numbers ascend, words in the total order of the records.

    `counts[code]` records have each, none the missing value.
    """
    codes = np.flatnonzero(counts)
    if (line := attribute.plain.line) is not None:
        return codes[np.argsort(line.numbers[codes], kind="stable")]
    space = space_of(Tuples(codes[:, None].astype(np.int32), counts[codes]), [attribute])
    return codes[_order(space, np.arange(len(codes)), counts[codes])]


def _order(space: Space, members: Int64, counts: Int64, weighted: bool = False) -> Int64:
    """The places of tuples in their order, `counts[i]` records being tuple `members[i]`."""
    factor = counts if weighted else np.ones(len(counts))
    centre = middle_of(space, members.astype(np.int64), counts.astype(np.int64))
    to_centre = distances(space, row_from_point(space, centre, 0))[members] * factor
    first = members[np.argmax(to_centre)]
    to_first = distances(space, row_from_tuple(space, first))[members] * factor
    to_first[members == first] = -1.0
    return np.lexsort((members, to_first))
