"""The released table as a table of its own: distinct masked tuples with counts, and attributes over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.evaluation.pairs import ReleaseView


def masked_table(view: ReleaseView) -> tuple[Tuples, list[Attribute]]:
    """Masked tuples as codes under the same measures; numbers keep the unit of the original ones."""
    codes: list[np.ndarray] = []
    attributes: list[Attribute] = []
    for attribute, column in zip(view.attributes, view.pairs.masked_values, strict=True):
        distinct, places = np.unique(column, return_inverse=True)
        codes.append(places)
        if isinstance(attribute, Nominal):
            concepts = attribute.candidates[distinct.astype(np.int64)]
            missing = int(np.flatnonzero(concepts < 0)[0]) if (concepts < 0).any() else -1
            nothing = np.zeros(0, np.int32)
            attributes.append(replace(attribute, concepts=concepts, missing=missing, extra=nothing))
        else:
            assert isinstance(attribute, Numeric)
            missing = len(distinct) - 1 if np.isnan(distinct).any() else -1
            attributes.append(replace(attribute, numbers=distinct.astype(np.float64), missing=missing))
    return Tuples(np.stack(codes, axis=1).astype(np.int32), view.pairs.class_sizes), attributes
