"""Delta-disclosure privacy (Brickell and Shmatikov 2008): every value is about as frequent in every class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ontomask.arrays import Float64
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.requirement import Blank, Classes, Requirement, by_column, number


@dataclass(frozen=True)
class Disclosure(Requirement):
    """In every class a value of a confidential column is as frequent as overall, but for a factor of e^delta.

    So every class has every value.

    >>> Disclosure.parse({"illness": 1.5})
    (Disclosure(column='illness', delta=1.5),)
    """

    key: ClassVar[str] = "delta"
    is_bound: ClassVar[bool] = True
    is_relative: ClassVar[bool] = True
    attack: ClassVar[str] = "gain and exclusion: who knows a person's group can rule a value in or out"
    forms: ClassVar[Mapping[str, str]] = {
        "delta: {smoker: 1.5}": "at most e^1.5 = 4.5 times its share and at least 1 / 4.5 of it; so every "
        "class has every value, which suits columns of few"
    }
    title: ClassVar[str] = "Every value is about as frequent in every group"
    is_of_columns: ClassVar[bool] = True
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("", "By what factor its share may differ, as a power of e: 1.5 is 4.5 times", "1.5"),
    )
    column: str
    delta: float

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        return by_column(
            value, "{diagnosis: 1.5}", lambda column, asked: cls(column, number(asked, "delta", 1e-6))
        )

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def asked(self) -> float:
        return self.delta

    def measured(self, classes: Classes) -> Float64:
        return disclosures(classes.beside[self.column])

    def __str__(self) -> str:
        return f"delta = {self.delta:g} of {self.column}"


def disclosures(spread: Confidential) -> Float64:
    """Per class ``max over v of |ln(q_v / p_v)|``, infinite where a value of the release is not there.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4, int))
    >>> disclosures(halves).tolist()
    [0.0, 0.0]
    """
    there = np.diff(spread.starts) == np.count_nonzero(spread.totals)
    found = spread.most_of_class(np.abs(np.log(spread.shares / spread.overall[spread.values])))
    return np.where(there, found, np.inf)
