"""The tables that benchmarks and the judge mask, each with its plan; absent data sets are left out.

Public data sets are looked for in ONTOMASK_DATA; the samples come with the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ontomask as om

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ONTOMASK_DATA", ROOT.parent / "shared" / "data"))
SAMPLES = ROOT / "src" / "ontomask" / "datasets"
MAPPING = str(ROOT / "tests" / "golden" / "adult_mapping.csv")

ADULT = DATA / "adult" / "adult.csv"
INSURANCE = DATA / "insurance" / "insurance10K_Occup_Gauss_SalaryClass.csv"
WORDS_OF_ADULT = (
    "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A table and what is asked for it."""

    name: str
    table: Path
    plan: om.Plan


def subjects() -> Iterator[Subject]:
    """Those whose table is at hand."""
    for subject in (adult_2(), adult_8(), insurance()):
        if subject.table.exists():
            yield subject
    for table in sorted(SAMPLES.glob("*.csv")):
        if table.with_suffix(".yaml").exists():
            yield Subject(table.stem, table, om.Plan.load(table.with_suffix(".yaml")))


def adult_2() -> Subject:
    """Occupation and native country by WordNet: 394 tuples."""
    return Subject(
        "Adult, 2 QI",
        ADULT,
        _plan(
            {
                "occupation": {"under": "person", "mapping": MAPPING},
                "native-country": {"under": "location", "mapping": MAPPING},
            }
        ),
    )


def adult_8() -> Subject:
    """Age as a number, the rest by the ready-made hierarchies: 18,109 tuples."""
    words = {
        name: {"ontology": str(DATA / "adult" / f"adult_hierarchy_{name}.csv")} for name in WORDS_OF_ADULT
    }
    return Subject("Adult, 8 QI", ADULT, _plan({"age": {"kind": "numeric"}} | words))


def insurance() -> Subject:
    """Four columns of words by WordNet: 4,042 tuples."""
    names = ("occupation", "workplace", "hobby", "place_of_hobby")
    return Subject("Insurance, 4 QI", INSURANCE, _plan({name: {} for name in names}))


def _plan(columns: dict[str, dict[str, Any]]) -> om.Plan:
    attributes = {name: {"role": "quasi-identifier"} | settings for name, settings in columns.items()}
    return om.Plan.from_dict({"attributes": attributes, "others": "keep"})
