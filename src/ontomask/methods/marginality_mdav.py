"""Marginality microaggregation: MDAV by the S-distance (Domingo-Ferrer, Sanchez, Rufian-Torrell 2013).

Records are compared by the variance of each attribute over the two of them, relative to that over the table,
and averaged by the mean of numbers and the least marginal word. `synthetic` draws a value for every record
instead (algorithm 1 of the paper), so that records of a group still differ; it gives no k-anonymity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Space, space_of
from ontomask.attributes.space import Strategy
from ontomask.distribution import Scaling
from ontomask.methods.base import Masking
from ontomask.methods.mdav import Mdav
from ontomask.methods.task import Entries, Task
from ontomask.options import option
from ontomask.s_distance import SDistance


@dataclass(frozen=True)
class MarginalityMdav(Mdav):
    """MDAV by the S-distance, with marginality means."""

    name: ClassVar[str] = "marginality-mdav"
    words: ClassVar[str] = (
        "People were put together in groups of {k} or a few more whose values vary least, in meaning and in "
        "number, and everybody in a group was given the same values: the mean number, and the word of the "
        "group that is least far from the others (marginality microaggregation)."
    )
    masks_parts: ClassVar[bool] = False  # distances are relative to those of all records
    scaling: Scaling = option(
        "balanced",
        "what the distance of two words counts relative to: the mean distance of two records, or the sum "
        "over all records that was published, by which words hardly count in large tables",
    )
    replacement: Literal["centroid", "synthetic"] = option(
        "centroid",
        "what people of a group are given: its mean, or each a value of the column that is drawn from those "
        "no farther from their own than the values of the group, which gives no k-anonymity",
    )
    classic: bool = option(
        False, "the baseline of the paper: words are equal or not, and the most frequent one is the mean"
    )

    @property
    def measure(self) -> str | None:
        return "equality" if self.classic else None

    @property
    def strategy(self) -> Strategy:
        return "mode" if self.classic else "marginality"

    @property
    def gives_k(self) -> bool:
        return self.replacement == "centroid"

    def conflicts(self) -> Iterator[tuple[str, str]]:
        yield from super().conflicts()
        if self.blank and not self.gives_k:
            yield "blank", "nobody is left out where a value is drawn for everybody; remove it"

    def in_words(self, k: int) -> str:
        if self.gives_k and not self.classic:
            return super().in_words(k)
        compared = "words being equal or not" if self.classic else "in meaning and in number"
        grouped = (
            f"People were put together in groups of {k} or a few more whose values vary least, {compared}"
        )
        if self.gives_k:
            return (
                f"{grouped}; everybody in a group was given the same values: the mean number, and the most "
                "frequent word (marginality microaggregation with words as bare symbols)."
            )
        return (
            f"{grouped}; then every value was replaced by one drawn at random from those no farther from it "
            "than the values of its group (synthetic marginality microaggregation)."
        )

    def space(self, task: Task) -> Space:
        """With the S-distance, ``delta(x1, x2) = sqrt( sum_l S2_12^l / S2^l )``, as the distance of records.

        Where a cover is released there are no pairs to vary: its NCP counts by the weight of the column.
        """
        weights = SDistance.of(task.tuples, task.attributes, self.scaling).weights
        own = np.array([attribute.weight for attribute in task.attributes])
        is_covered = np.array([attribute.is_truthful for attribute in task.attributes])
        return space_of(
            task.tuples,
            task.attributes,
            combine="variances",
            strategy=task.strategy or self.strategy,
            with_covers=True,
            weights=np.where(is_covered, own, weights),
        )

    def masking(self, task: Task) -> Masking:
        if self.gives_k:
            return super().masking(task)
        task.check_size()
        entries, _ = self._by_blocks(task, self.space(task))
        return synthetic(task, entries.of_cells(task.tuples, task.rng))


def synthetic(task: Task, groups: Entries) -> Masking:
    """Every record of every group with values drawn for it alone.

    Per attribute, any value x' of the table with ``d(x, x') <= max over u of the group of d(x, u)`` is
    equally likely; limits of the plan hold too. Records are taken in the order of their tuples.
    """
    groups = Entries.summed(*groups)
    codes = task.tuples.codes[task.tuples.tuple_of_cell[groups.tuples]]
    record = np.repeat(np.arange(len(groups.counts)), groups.counts)
    values = np.empty((len(record), len(task.attributes)), np.int32)
    for j, (attribute, limit) in enumerate(zip(task.attributes, task.limits, strict=True)):
        radii = np.minimum(farthest_in_group(attribute, codes[:, j], groups.groups), limit)
        drawn = attribute.near(
            codes[record, j], radii[record], np.unique(codes[:, j]), task.rng.random(len(record))
        )
        values[:, j] = attribute.own[drawn]
    return Masking.of_records(groups.tuples[record], values, task.attributes)


def farthest_in_group(attribute: Attribute, codes: Int32, groups: Int32) -> Float64:
    """How far the farthest code of its group is from each code.

    >>> from ontomask.attributes import Numeric
    >>> age = Numeric.of("age", np.array([20.0, 40.0, 60.0]), np.array([1, 1, 1]))
    >>> farthest_in_group(age, np.array([0, 1, 2, 2], np.int32), np.array([0, 0, 0, 1], np.int32)).tolist()
    [1.0, 0.5, 1.0, 0.0]
    """
    order = np.argsort(groups, kind="stable")
    sizes: Int64 = np.unique(groups, return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    first, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    farthest = np.zeros(len(codes))
    for i in range(int(sizes.max(initial=0))):  # all records with the i-th of their group
        other = order[first + np.minimum(i, size - 1)]
        farthest[order] = np.maximum(
            farthest[order], attribute.distance(codes[order], attribute.own[codes[other]])
        )
    return farthest
