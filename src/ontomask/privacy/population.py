"""How many people of a larger table each class of a release may stand for: the ground of k-map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes.base import Attribute


def matching_records(values: Int32, people: Int32, counts: Int64, attributes: Sequence[Attribute]) -> Int64:
    """For every masked tuple the records of a population whose values it is, or subsumes, one and all.

    `values` [masked, m] and `people` [p, m] are replacements of `attributes`; `counts[i]` have `people[i]`.
    """
    out = np.zeros(len(values), np.int64)
    for i, masked in enumerate(values):
        left = np.arange(len(people))
        for j, attribute in enumerate(attributes):
            left = left[attribute.covers(np.full(len(left), masked[j]), people[left, j])]
        out[i] = counts[left].sum()
    return out
