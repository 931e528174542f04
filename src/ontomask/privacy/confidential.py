"""How the values of a confidential attribute are spread over the equivalence classes of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontomask.arrays import Float64, Int64, Integers
from ontomask.attributes import Domain
from ontomask.ontology.csr import starts_of


@dataclass(frozen=True, eq=False)
class Confidential:
    """`counts[e]` records of class `classes[e]` have value `values[e]`; entries are distinct and sorted.

    `domain` says what is known of the values, and `whole` how many records of the release have each, if these
    are not all of its classes.

    >>> illness = Confidential.of(np.array([0, 0, 1, 1]), np.array([2, 0, 1, 1]), np.ones(4, int))
    >>> illness.classes.tolist(), illness.values.tolist(), illness.counts.tolist()
    ([0, 0, 1], [0, 2, 1], [1, 1, 2])
    """

    classes: Int64
    values: Int64
    counts: Int64
    domain: Domain | None = None
    whole: Int64 | None = None

    @classmethod
    def of(
        cls,
        classes: Integers,
        values: Integers,
        counts: Integers,
        domain: Domain | None = None,
        whole: Int64 | None = None,
    ) -> Confidential:
        """From entries in any order, or rows with a count of 1; suppressed ones (class -1) are left out."""
        kept = (classes >= 0) & (counts > 0)
        names, dense = np.unique(classes[kept], return_inverse=True)
        width = int(values[kept].max(initial=0)) + 1
        keys, place = np.unique(dense * width + values[kept], return_inverse=True)
        summed = np.bincount(place, counts[kept], minlength=len(keys)).astype(np.int64)
        return cls(names[keys // width].astype(np.int64), keys % width, summed, domain, whole)

    @cached_property
    def starts(self) -> Int64:
        """Where the entries of each class start."""
        _, counts = np.unique(self.classes, return_counts=True)
        return starts_of(counts)

    @cached_property
    def sizes(self) -> Int64:
        """Records per class."""
        return np.add.reduceat(self.counts, self.starts[:-1]) if len(self.counts) else self.counts

    @cached_property
    def class_of_entry(self) -> Int64:
        """Which of the classes (0, 1, ..) an entry belongs to."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.starts))

    @cached_property
    def shares(self) -> Float64:
        """Per entry: the share of its class that has its value."""
        return self.counts / self.sizes[self.class_of_entry]

    @cached_property
    def totals(self) -> Int64:
        """Per value: how many of all released records have it."""
        return np.bincount(self.values, self.counts).astype(np.int64) if self.whole is None else self.whole

    @cached_property
    def overall(self) -> Float64:
        """Per value: its share of all released records."""
        shares: Float64 = self.totals / max(self.totals.sum(), 1)
        return shares

    def most_of_class(self, entries: Float64) -> Float64:
        """Per class the greatest of what its entries have."""
        if not len(entries):
            return np.zeros(0)
        most: Float64 = np.maximum.reduceat(entries, self.starts[:-1])
        return most

    @property
    def blind_guess(self) -> float:
        """Chance to guess a value without the quasi-identifiers: the share of the most frequent one."""
        return float(self.overall.max(initial=0.0))
