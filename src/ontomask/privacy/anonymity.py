"""k-anonymity (Samarati and Sweeney 1998): everybody shares the masked values with k - 1 others at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ontomask.arrays import Float64
from ontomask.privacy.requirement import Blank, Classes, Requirement


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every class (the rows that are equal in all masked columns) has at least k rows.

    Where a `unit` (a person's key) is named, it is rows of k units.

    >>> KAnonymity(3).violations(Classes(np.array([2, 3]))).tolist()
    [True, False]
    """

    key: ClassVar[str] = "k"
    attack: ClassVar[str] = "linking: somebody who knows a person's values finds the person's row"
    forms: ClassVar[Mapping[str, str]] = {
        "k: 5": "5 rows; beside `unit: patient_id`, rows of 5 different people"
    }
    title: ClassVar[str] = "Everybody hides among others"
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("", "How many people share their masked values at least", "5"),
    )
    k: int
    unit: str | None = None

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"must be a whole number, not {value!r}")
        if value < 1:
            raise ValueError(f"must be 1 or more (2 or more to protect anybody), not {value}")
        return (cls(value),)

    @property
    def needs(self) -> tuple[str, ...]:
        return () if self.unit is None else (self.unit,)

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def is_counting(self) -> bool:
        return True

    @property
    def asked(self) -> float:
        return self.k

    def measured(self, classes: Classes) -> Float64:
        if self.unit is None:
            return classes.sizes.astype(np.float64)
        return np.diff(classes.beside[self.unit].starts).astype(np.float64)

    def __str__(self) -> str:
        return f"k = {self.k}" + (f" by {self.unit}" if self.unit else "")
