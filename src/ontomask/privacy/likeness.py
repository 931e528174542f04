"""Beta-likeness (Cao and Karras 2012): no value gains much in a class over its share of the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from ontomask.arrays import Float64
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.requirement import Blank, Classes, Requirement, by_column, number, one_way

Way = Literal["basic", "enhanced"]


@dataclass(frozen=True)
class Likeness(Requirement):
    """In no class has a value of a confidential column more than 1 + beta times its share of the release.

    `enhanced` allows a frequent value less: a gain of at most min(beta, -ln of its share).

    >>> Likeness.parse({"illness": 1, "pay": {"enhanced": 2}})
    (Likeness(column='illness', beta=1.0, way='basic'), Likeness(column='pay', beta=2.0, way='enhanced'))
    """

    key: ClassVar[str] = "beta"
    is_bound: ClassVar[bool] = True
    is_relative: ClassVar[bool] = True
    attack: ClassVar[str] = "gain: who knows a person's group is much surer of a rare value than before"
    forms: ClassVar[Mapping[str, str]] = {
        "beta: {diagnosis: 1}": "at most twice its share",
        "beta: {diagnosis: {enhanced: 1}}": "the same, and less for what is frequent anyway: it may gain "
        "-ln of its share at most",
    }
    title: ClassVar[str] = "No value is much more frequent in a group than overall"
    is_of_columns: ClassVar[bool] = True
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("", "What a value may gain: 1 is twice its share, 2 three times", "1"),
    )
    ways: ClassVar[Mapping[str, str]] = {
        "basic": "all values alike",
        "enhanced": "frequent values less",
    }
    column: str
    beta: float
    way: Way = "basic"

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        return by_column(value, "{diagnosis: 1}", cls._read)

    @classmethod
    def _read(cls, column: str, value: Any) -> Self:
        way, asked = one_way(value, ("basic", "enhanced"), "basic")
        return cls(column, number(asked, "beta", 1e-6), cast(Way, way))

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def asked(self) -> float:
        return self.beta

    def measured(self, classes: Classes) -> Float64:
        spread = classes.beside[self.column]
        return enhanced_gains(spread, self.beta) if self.way == "enhanced" else gains(spread)

    def __str__(self) -> str:
        return f"beta = {self.beta:g} of {self.column}" + (", enhanced" if self.way == "enhanced" else "")


def gains(spread: Confidential) -> Float64:
    """Per class the greatest relative gain of a value: ``max over v of (q_v - p_v) / p_v``.

    >>> halves = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.ones(4, int))
    >>> gains(halves).tolist()
    [1.0, 1.0]
    """
    return spread.most_of_class(spread.shares / spread.overall[spread.values] - 1)


def enhanced_gains(spread: Confidential, beta: float) -> Float64:
    """The same, where what a frequent value may gain, ``min(beta, -ln p_v)``, counts as beta."""
    p = spread.overall[spread.values]
    allowed = np.minimum(beta, -np.log(p))
    gained = spread.shares / p - 1
    # A value that all records have may gain nothing, and does not.
    scaled = np.divide(beta * gained, allowed, out=np.zeros_like(gained), where=allowed > 0)
    return spread.most_of_class(scaled)
