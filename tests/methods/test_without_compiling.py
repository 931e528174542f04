"""Compiled loops and plain Python (`NUMBA_DISABLE_JIT=1`) give the same releases and figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.methods import METHODS
from ontomask.report.figures import single_numbers

# t-first needs a confidential column; without t, auto is annealing.
TRIED = [name for name in METHODS if name not in ("t-first", "auto")]

TREE = Path(__file__).parent.parent / "golden" / "conditions.yaml"
WORDS = ["colic", "lumbago", "migraine", "pain", "appendicitis", "gastritis", None]
N = 28


def releases(tried: Sequence[str] = TRIED) -> dict[str, Any]:
    """What methods make of a table of words, numbers and ranks with missing values, and its figures."""
    people = pa.table(
        {
            "condition": [WORDS[i * i % 7] for i in range(N)],
            "age": [None if i % 13 == 5 else 20 + 7 * i % 31 for i in range(N)],
            "pain": [("low", "mid", "high")[i * 5 % 11 % 3] for i in range(N)],
            "stay": [i % 4 for i in range(N)],
        }
    )
    plan = om.Plan.from_options(
        [f"condition:{TREE}", "age:numeric", "pain:ordinal=low<mid<high"], confidential=["stay"], k=3, seed=7
    )
    found = {}
    for method in tried:
        k: int | None = 1 if method == "suppression" else 3  # nearly every row is the only one of its kind
        k = k if METHODS[method].has_groups else None
        asked = plan.replace(privacy={"k": None}).with_method(method).replace(privacy={"k": k})
        if method == "annealing":  # plain Python takes long
            asked = asked.replace(method={"name": method, "effort": "quick"})
        release = om.anonymize(people, asked)
        figures = om.evaluate(people, release.table, asked, clusters=method == "sa-mdav", known_values=2)
        found[method] = {"rows": release.to_arrow().to_pylist(), "figures": figures}
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled here")
def test_plain_python_masks_alike() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import json, numba, test_without_compiling as here\n"
        "assert numba.config.DISABLE_JIT\n"
        "print(json.dumps(here.releases()))"
    )
    plain = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    compiled = releases()
    found = json.loads(plain.stdout)
    assert list(found) == TRIED
    for method, made in compiled.items():
        assert found[method]["rows"] == made["rows"], method
        assert single_numbers(found[method]["figures"]) == pytest.approx(single_numbers(made["figures"]))
    changed = [method for method in TRIED if compiled[method]["rows"] != compiled["suppression"]["rows"]]
    assert len(changed) == len(TRIED) - 1  # all but the one that had nothing to do
