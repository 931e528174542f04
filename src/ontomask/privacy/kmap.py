"""k-map (Sweeney 2002): every class of a release may stand for k people of a population at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import InternalError
from ontomask.privacy.requirement import Blank, Classes, Requirement, number


@dataclass(frozen=True)
class KMap(Requirement):
    """Every class may stand for at least k people of a larger table.

    Classes that are joined may stand for fewer people than each did, unless the release is truthful: groups
    are not formed by it, and a release that does not have it is refused.

    >>> KMap.parse({"k": 5, "population": "people.csv"})
    (KMap(k=5, population='people.csv'),)
    """

    key: ClassVar[str] = "k_map"
    is_monotone: ClassVar[bool] = False
    is_relative: ClassVar[bool] = True
    attack: ClassVar[str] = "linking: somebody with a list of the whole population finds the person's row"
    forms: ClassVar[Mapping[str, str]] = {
        "k_map: {k: 5, population: people.csv}": "5 people of a table with the masked columns; checked only"
    }
    title: ClassVar[str] = "Everybody hides in a larger population"
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("k", "How many people of the population a group may stand for at least", "5"),
        Blank("population", "Table of the population, with the masked columns", "people.csv"),
    )
    k: int
    population: str

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        if not isinstance(value, dict) or value.keys() != {"k", "population"}:
            raise ValueError(
                f"must be a k and a population, such as {{k: 5, population: people.csv}}, not {value!r}"
            )
        least = number(value["k"], "k", 1)
        if least != int(least) or not isinstance(value["population"], str):
            raise ValueError(
                f"k must be a whole number, and the population the path of a table, not {value!r}"
            )
        return (cls(int(least), value["population"]),)

    @property
    def asked(self) -> float:
        return self.k

    def measured(self, classes: Classes) -> Float64:
        if classes.people is None:
            raise InternalError("nobody counted the people that classes may stand for")
        return classes.people.astype(np.float64)

    def reached(self, classes: Classes) -> float:
        return float("nan") if classes.people is None else super().reached(classes)

    def __str__(self) -> str:
        return f"k-map = {self.k}"
