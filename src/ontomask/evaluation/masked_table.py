"""The released table as a table of its own: distinct masked tuples with counts, and attributes over them."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Int32
from ontomask.attributes.base import Attribute, Tuples
from ontomask.evaluation.pairs import ReleaseView


def masked_table(view: ReleaseView) -> tuple[Tuples, list[Attribute], Int32]:
    """Masked tuples as codes under the same measures, and which of them each masked tuple of the pairs is.

    They come in the order of their first original tuple, so that a table in which nothing was masked is the
    original one and ties fall alike in both.
    """
    pairs = view.pairs
    first = np.full(len(pairs.values), len(view.tuples), np.int64)
    kept = ~pairs.suppressed
    np.minimum.at(first, pairs.masked[kept], pairs.original[kept])
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    codes = np.empty((len(order), len(view.attributes)), np.int32)
    attributes: list[Attribute] = []
    for j, attribute in enumerate(view.attributes):
        released, _, codes[:, j] = attribute.released(pairs.values[order, j])
        attributes.append(released)
    return Tuples(codes, pairs.class_sizes[order]), attributes, place
