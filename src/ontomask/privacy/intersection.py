"""Two releases of overlapping people: what whoever has both learns that neither tells alone.

Somebody known to be in both is in one class of each, and so among those whom the two classes have in common;
their confidential value is among the values that both classes have (Ganta, Kasiviswanathan and Smith 2008).
Class numbers, value codes and counts are all that is known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Bool, Int64, Integers, distinct_rows
from ontomask.privacy.confidential import Confidential


@dataclass(frozen=True, eq=False)
class JointClasses:
    """`counts[e]` people of both releases are in class `first[e]` of one and `second[e]` of the other.

    The pairs of classes are distinct, so `counts` are the sizes of the joint classes.
    """

    first: Int64
    second: Int64
    counts: Int64

    @classmethod
    def of(cls, first: Integers, second: Integers, counts: Int64) -> JointClasses:
        """From entries in any order.

        >>> JointClasses.of(np.array([0, 0, 1, 0]), np.array([0, 1, 1, 0]), np.ones(4, int)).counts.tolist()
        [2, 1, 1]
        """
        place, which = distinct_rows([first, second])
        summed = np.bincount(which, counts, minlength=len(place)).astype(np.int64)
        return cls(first[place].astype(np.int64), second[place].astype(np.int64), summed)

    def certain_together(self, values: Confidential, others: Confidential) -> Bool:
        """Which joint classes have one value in common, though either class alone leaves several open.

        `values` are spread over the classes of the first release, `others` over those of the second, in the
        same codes.
        """
        width = int(max(values.values.max(initial=0), others.values.max(initial=0))) + 1
        known = others.classes * width + others.values
        starts, lengths = _span(values, self.first)
        joint = np.repeat(np.arange(len(self.counts)), lengths)
        entry = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(len(joint))
        is_common = np.isin(self.second[joint] * width + values.values[entry], known)
        common = np.bincount(joint, is_common, minlength=len(self.counts))
        certain: Bool = (common == 1) & (lengths > 1) & (_span(others, self.second)[1] > 1)
        return certain


def _span(spread: Confidential, classes: Int64) -> tuple[Int64, Int64]:
    """Where the values of each class start, and how many there are."""
    starts = np.searchsorted(spread.classes, classes, "left")
    return starts, np.searchsorted(spread.classes, classes, "right") - starts
