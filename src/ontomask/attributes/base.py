"""What every attribute is to a masking method: value codes with numbers attached, no labels.

A *code* stands for one distinct value of the column; a *candidate* for something a group of values may be
replaced by. Codes run over the values in label order, so that the lower code comes first in a tie.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int32, Int64


@dataclass(frozen=True)
class Tuples:
    """The table as its distinct tuples: `codes[i, j]` of tuple i in attribute j, and how often it occurs.

    Tuples are ordered by their labels, column by column; "first" means first in that order.
    """

    codes: Int32
    counts: Int64

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """One quasi-identifier, ready to be masked.

    `missing` is the code that stands for "no value", or -1: it is at distance 0 from itself and at the
    maximum from all else.
    """

    name: str
    weight: float
    missing: int

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of codes."""

    @property
    @abstractmethod
    def maximum(self) -> float:
        """What losing a value altogether costs."""

    @abstractmethod
    def to_masked(self, codes: Int32, masked: npt.NDArray[np.generic]) -> Float64:
        """Distance of each code to the masked value put in its place; elementwise."""

    @abstractmethod
    def as_masked(self, codes: Int32) -> npt.NDArray[np.generic]:
        """The masked value that leaves each code as it is."""
