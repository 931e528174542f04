"""How many people of a larger table each class of a release may stand for: the ground of k-map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Bool, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal


def matching_records(
    masked_values: Sequence[npt.NDArray[np.generic]], population: Tuples, attributes: Sequence[Attribute]
) -> Int64:
    """For every masked tuple the records of the population whose values it is, or subsumes, one and all.

    The codes of `population` and the candidates in `masked_values` are those of `attributes`.
    """
    matches = [_matching(a, masked_values[j]) for j, a in enumerate(attributes)]
    out = np.zeros(len(masked_values[0]), np.int64)
    for i in range(len(out)):
        fits = np.ones(len(population), bool)
        for j, (rows, table) in enumerate(matches):
            fits &= table[rows[i], population.codes[:, j]]
        out[i] = population.counts[fits].sum()
    return out


def _matching(attribute: Attribute, masked: npt.NDArray[np.generic]) -> tuple[Int64, Bool]:
    """Which distinct masked value each one is, and whether it stands for a code, [distinct, q]."""
    distinct, rows = np.unique(masked, return_inverse=True)
    if isinstance(attribute, Nominal):
        return rows, attribute.subsumes[distinct.astype(np.int64)]
    own = attribute.as_masked(np.arange(attribute.size, dtype=np.int32)).astype(np.float64)
    values = distinct.astype(np.float64)[:, None]
    return rows, (values == own) | (np.isnan(values) & np.isnan(own))
