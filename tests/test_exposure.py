"""Risk as it is, against a count row by row."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from ontomask.assessment.exposure import Exposure, exposure
from ontomask.plan import Plan


def people(n: int = 120) -> pa.Table:
    rng = np.random.default_rng(3)
    words = ["dog", "cat", "qzx", "vkp", "wjj"]  # the last three stand in no ontology
    return pa.table(
        {
            "age": rng.choice([20, 30, 31, 80], n, p=[0.5, 0.3, 0.17, 0.03]).tolist(),
            "pet": rng.choice(words, n, p=[0.5, 0.3, 0.15, 0.04, 0.01]).tolist(),
            "pid": [f"p{i}" for i in rng.integers(0, 30, n)],
        }
    )


def counted(table: pa.Table, unit: str | None) -> Exposure:
    """The same, from the words of the definition."""
    rows = table.to_pylist()
    whose = [row[unit] if unit else i for i, row in enumerate(rows)]
    sharing, having = defaultdict(set), defaultdict(set)
    for row, person in zip(rows, whose, strict=True):
        sharing[row["age"], row["pet"]].add(person)
        having[person].add((row["age"], row["pet"]))
    fewest = [min(len(sharing[values]) for values in every) for every in having.values()]
    return Exposure(
        len(having),
        fewest.count(1),
        len(sharing),
        min(map(len, sharing.values())),
        pytest.approx(sum(1 / n for n in fewest)),
    )


@pytest.mark.parametrize("unmapped", ["root", "suppress", "own-leaf", "error"])
@pytest.mark.parametrize("unit", [None, "pid"])
def test_people_are_counted_and_words_are_themselves(unmapped: str, unit: str | None) -> None:
    table = people()
    plan = Plan.from_options(["age:numeric", "pet:wordnet"], k=3, others="drop", unmapped=unmapped)
    if unit:
        plan = plan.replace(privacy={"unit": unit})
    assert exposure(table, plan) == counted(table, unit)


def test_a_person_is_found_by_the_row_that_fewest_share() -> None:
    table = pa.table({"age": [20, 20, 20, 80, 80], "pet": ["dog"] * 5, "pid": ["a", "b", "c", "a", "a"]})
    plan = Plan.from_options(["age:numeric", "pet:wordnet"], k=2, others="drop")
    found = exposure(table, plan.replace(privacy={"unit": "pid"}))
    assert found == Exposure(3, 1, 2, 1, pytest.approx(1 + 1 / 3 + 1 / 3))
