"""Ten people of the guide "Statistical Disclosure Control for Microdata: A Practice Guide for sdcMicro".

Benschop, Machingauta and Welch (World Bank, 2019), chapter "Measuring risk", tables 4.4 and 4.5: residence,
sex, education, work, sampling weight; and beside them what the guide prints for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Int64, distinct_rows


class Person(NamedTuple):
    """A row of both tables."""

    residence: str
    sex: str
    education: str
    work: str
    weight: int
    risk: float
    suda: int
    dis_suda: float


PEOPLE = [
    Person("urban", "female", "secondary incomplete", "employed", 180, 0.0054, 0, 0.0),
    Person("urban", "female", "secondary incomplete", "employed", 180, 0.0054, 0, 0.0),
    Person("urban", "female", "primary incomplete", "not in the labour force", 215, 0.0251, 6, 0.0051),
    Person("urban", "male", "secondary complete", "employed", 76, 0.0126, 0, 0.0),
    Person("rural", "female", "secondary complete", "unemployed", 186, 0.0282, 12, 0.0107),
    Person("urban", "male", "secondary complete", "employed", 76, 0.0126, 0, 0.0),
    Person("urban", "female", "primary complete", "not in the labour force", 180, 0.0290, 6, 0.0051),
    Person("urban", "male", "post-secondary", "unemployed", 215, 0.0251, 10, 0.0088),
    Person("urban", "female", "secondary incomplete", "not in the labour force", 186, 0.0074, 0, 0.0),
    Person("urban", "female", "secondary incomplete", "not in the labour force", 76, 0.0074, 0, 0.0),
]
GLOBAL_RISK = 0.01582
COLUMNS = Person._fields[:4]


def coded() -> tuple[Int64, Int64, Int64]:
    """The distinct tuples as codes, how many people have each, and which of them each person has."""
    columns = [np.unique([getattr(one, name) for one in PEOPLE], return_inverse=True)[1] for name in COLUMNS]
    first, which = distinct_rows(columns)
    return np.stack(columns, axis=1)[first], np.bincount(which), which
