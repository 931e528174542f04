"""How many people of a larger table each class of a release may stand for: the ground of k-map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes.base import Attribute


def matching_records(values: Int32, people: Int32, counts: Int64, attributes: Sequence[Attribute]) -> Int64:
    """For every masked tuple the records of a population whose values it is, or subsumes, one and all.

    `values` [masked, m] and `people` [p, m] are replacements of `attributes`; `counts[i]` have `people[i]`.
    """
    among: list[tuple[Bool, Int64, Int64]] = []
    for j, attribute in enumerate(attributes):  # which of the few distinct values covers which
        masked, which = np.unique(values[:, j], return_inverse=True)
        known, who = np.unique(people[:, j], return_inverse=True)
        a, b = np.repeat(masked, len(known)), np.tile(known, len(masked))
        among.append((attribute.covers(a, b).reshape(len(masked), len(known)), which, who))
    out = np.zeros(len(values), np.int64)
    for i in range(len(values)):
        matching: Bool = np.ones(len(people), bool)
        for table, which, who in among:
            matching &= table[which[i], who]
        out[i] = counts[matching].sum()
    return out
