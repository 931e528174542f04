"""What a release must satisfy. One object steers a method, repairs its groups and checks the written file.

A requirement judges classes (rows equal in all masked columns) by their sizes and by how the values of the
columns that it `needs` are spread over them. It knows neither labels nor tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from ontomask.arrays import Bool, Int64
from ontomask.privacy.confidential import Confidential


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a release: `sizes[c]` rows; how values of further columns are spread over them."""

    sizes: Int64
    beside: Mapping[str, Confidential] = field(default_factory=dict)


class Requirement(ABC):
    """A requirement of the plan's section `privacy`.

    Attributes
    ----------
    key
        Its key in the plan.
    is_monotone
        Whether it stays true when classes are merged, so that a violating class can be joined to another.
    """

    key: ClassVar[str]
    is_monotone: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        """The requirements that a plan's value asks for; `ValueError` says what is wrong with it."""

    @abstractmethod
    def violations(self, classes: Classes) -> Bool:
        """Which classes violate it."""

    @abstractmethod
    def __str__(self) -> str:
        """In short, such as `k = 5`."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns to be counted beside the masked ones."""
        return ()

    @property
    def least_size(self) -> int:
        """No class with fewer rows can satisfy it: what methods that form groups by size start from."""
        return 1


def least_size(requirements: Sequence[Requirement]) -> int:
    """The fewest rows with which a class can satisfy all requirements."""
    return max((one.least_size for one in requirements), default=1)
