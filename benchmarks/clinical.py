"""Invented hospital records for benchmarks: codes of a tree shaped like ICD-10's neoplasms, and numbers.

As many records and codes as the files of Domingo-Ferrer, Sanchez & Rufian-Torrell (2013) and Martinez (2013)
have; nothing in them is anybody's. Whoever masks them is none of this module's business.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ontomask as om
from subjects import Subject

SEED = 1
STAYS, PAIRS, CODES = 19_502, 3_006, 542
NUMBERS = ("age", "stay", "charge")
SAME_BLOCK = 0.35  # how often the other condition is of the same kind as the diagnosis


def clinical(folder: Path) -> list[Subject]:
    """Stays of age, days, charge and diagnosis, and pairs of two conditions; their files are put there."""
    rng = np.random.default_rng(SEED)
    lines = tree(rng)
    write(folder / "tree.csv", lines, ";")
    write(folder / "stays.csv", [(*NUMBERS, "diagnosis"), *stays(rng, lines)])
    write(folder / "pairs.csv", [("diagnosis", "other"), *pairs(rng, lines)])
    words = {"ontology": str(folder / "tree.csv")}
    numbers = {name: {"kind": "numeric"} for name in NUMBERS}
    return [
        Subject("Stays, 3 numbers and a word", folder / "stays.csv", plan(numbers | {"diagnosis": words})),
        Subject("Diagnoses, 2 words", folder / "pairs.csv", plan({"diagnosis": words, "other": words})),
    ]


def plan(columns: dict[str, dict[str, Any]]) -> om.Plan:
    """Every column is a quasi-identifier."""
    return om.Plan.from_dict(
        {"attributes": {name: {"role": "quasi-identifier"} | one for name, one in columns.items()}}
    )


def tree(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """The codes, each with its category, its block and the root: `C05.2;C05;C00-C11;*`."""
    found: list[tuple[str, ...]] = []
    first = 0
    while len(found) < CODES:
        last = first + int(rng.integers(2, 13)) - 1
        block = f"{category(first)}-{category(last)}"
        for number in range(first, last + 1):
            name = category(number)
            found += [(f"{name}.{digit}", name, block, "*") for digit in range(rng.integers(1, 11))]
        first = last + 1
    return found[:CODES]


def category(number: int) -> str:
    """C00 to C99, then D00 on."""
    return f"{'CD'[number // 100]}{number % 100:02d}"


def shares(rng: np.random.Generator, n: int) -> np.ndarray:
    """By Zipf's law, in an order that is drawn."""
    weights = 1 / (1 + rng.permutation(n))
    found: np.ndarray = weights / weights.sum()
    return found


def stays(
    rng: np.random.Generator, lines: Sequence[tuple[str, ...]], n: int = STAYS
) -> Iterable[tuple[object, ...]]:
    """Each code occurs; the longer somebody stays, the more it costs."""
    counts = 1 + rng.multinomial(n - CODES, shares(rng, CODES))
    codes = rng.permutation(np.repeat(np.arange(CODES), counts))
    age = np.clip(np.rint(rng.normal(62, 15, n)), 1, 99).astype(int)
    stay = np.maximum(1, np.rint(np.exp(rng.normal(1.4, 0.8, n)))).astype(int)
    charge = np.rint(9000 * stay * np.exp(rng.normal(0, 0.4, n))).astype(int)
    return zip(age, stay, charge, (lines[code][0] for code in codes), strict=True)


def pairs(rng: np.random.Generator, lines: Sequence[tuple[str, ...]]) -> Iterable[tuple[str, str]]:
    """A diagnosis and another condition, often of the same block."""
    of_all = shares(rng, CODES)
    blocks = np.unique([line[2] for line in lines], return_inverse=True)[1]
    for code in rng.choice(CODES, PAIRS, p=of_all):
        near = of_all * (blocks == blocks[code]) if rng.random() < SAME_BLOCK else of_all
        yield lines[code][0], lines[rng.choice(CODES, p=near / near.sum())][0]


def write(path: Path, rows: Iterable[Iterable[object]], delimiter: str = ",") -> None:
    """A file of these rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
