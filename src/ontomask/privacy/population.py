"""How many people of a larger table each class of a release may stand for: the ground of k-map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes.base import Attribute, Tuples


def matching_records(values: Int32, population: Tuples, attributes: Sequence[Attribute]) -> Int64:
    """For every masked tuple the records of the population whose values it is, or subsumes, one and all.

    The codes of `population` and the replacements in `values` [masked, m] are those of `attributes`.
    """
    out = np.zeros(len(values), np.int64)
    for i, masked in enumerate(values):
        fits = np.ones(len(population), bool)
        for j, attribute in enumerate(attributes):
            left = np.flatnonzero(fits)
            fits[left] = attribute.covers(np.full(len(left), masked[j]), population.codes[left, j])
        out[i] = population.counts[fits].sum()
    return out
