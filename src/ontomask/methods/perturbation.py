"""Perturbation: the family of methods that change the values of each record, column by column.

There are no groups, and so there is no k: what protects a person is that nobody knows which values are right.
Columns are changed independently of one another.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Int32
from ontomask.attributes import Attribute
from ontomask.methods.base import Masking, Method
from ontomask.methods.task import Task

ROUNDING = 1e-9


@dataclass(frozen=True)
class Perturbation(Method):
    """A method that only has to say what the values of a column become."""

    has_centroids: ClassVar[bool] = False
    has_groups: ClassVar[bool] = False

    @property
    def gives_k(self) -> bool:
        return False

    def masking(self, task: Task) -> Masking:
        """Each record on its own, in the order of the cells; what is missing stays so.

        A value that would move farther than the plan allows all the same stays as it is.
        """
        counts = task.tuples.cell_counts
        cells = np.repeat(np.arange(len(counts)), counts)
        codes = task.tuples.codes[task.tuples.tuple_of_cell[cells]]
        values, extended = np.empty_like(codes), list[Attribute]()
        for j, (attribute, limit) in enumerate(zip(task.attributes, task.limits, strict=True)):
            known = np.flatnonzero(codes[:, j] != attribute.missing)
            became, found = attribute, np.zeros(0, np.int32)
            if len(known):
                became, found = self.perturbed(attribute, codes[known, j], float(limit), task.rng)
            is_far = became.distance(codes[known, j], found) > limit + ROUNDING
            values[:, j] = became.own[codes[:, j]]
            values[known, j] = np.where(is_far, values[known, j], found)
            extended.append(became)
            task.done[0] = (j + 1) * len(cells) // len(task.attributes)
        return Masking.of_records(cells, values, extended)

    @abstractmethod
    def perturbed(
        self, attribute: Attribute, codes: Int32, limit: float, rng: np.random.Generator
    ) -> tuple[Attribute, Int32]:
        """What the codes of records become, none of them missing: replacements of the attribute returned.

        None should be farther away than `limit`.
        """
