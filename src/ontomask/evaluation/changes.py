"""How many values of each column became what they were not: counts for notes and warnings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Int64
from ontomask.evaluation.pairs import ReleaseView


class Changes(NamedTuple):
    """How many rows changed in what notes tell, column by column; it adds up over the parts of a table."""

    missing: Int64  # had no value
    filled: Int64  # of these, were given one
    emptied: Int64  # lost theirs
    kept: Int64  # are as they were

    def plus(self, other: Changes) -> Changes:
        """Of two parts of a table together."""
        return Changes(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def changes_of(view: ReleaseView, blank: bool) -> Changes:
    """What changed in a release, or in a part of one; rows that were blanked on purpose are not told."""
    pairs = view.pairs
    told = ~pairs.suppressed & ~(view.is_blanked & blank)
    found = np.zeros((len(Changes._fields), len(view.attributes)), np.int64)
    for j, attribute in enumerate(view.attributes):
        codes, values = view.tuples.codes[pairs.original, j], pairs.values_of_pairs[:, j]
        before = told & (codes == attribute.missing)
        after = told & (values == attribute.nothing)
        kept = ~pairs.suppressed & (values == attribute.own[codes])
        found[:, j] = [pairs.counts[some].sum() for some in (before, before & ~after, after & ~before, kept)]
    return Changes(*found)
