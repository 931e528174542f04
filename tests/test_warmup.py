"""Compiling ahead: the toy is masked rightly, and what it compiles is what a real run needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ontomask import warmup
from ontomask.methods import METHODS

RUN = """
import pyarrow as pa, ontomask as om
people = pa.table({"pet": ["dog", "cat", "dog", "lion", "wolf", "cat", "wolf"]})
om.anonymize(people, om.Plan.from_options(["pet:wordnet"], k=2, method="recoding"))
"""


@pytest.mark.parametrize("method", METHODS)
def test_every_method_masks_the_toy(method: str) -> None:
    """Four records of two words, k = 2: nobody is lost, and both words can stay."""
    masking = warmup.mask_a_toy(method)
    assert masking.counts.sum() == 4 and masking.suppressed == 0
    assert masking.n_groups == 2


def test_a_real_run_compiles_nothing_that_was_compiled_ahead(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def compiled() -> set[str]:
        return {file.name for file in tmp_path.rglob("recoding.recode-*.nbc")}

    for code in ("from ontomask.warmup import mask_a_toy; mask_a_toy('recoding')", RUN):
        before = compiled()
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert len(before) == 1 and compiled() == before


def test_it_runs_in_a_process_of_its_own() -> None:
    compiling = warmup.start("suppression")
    assert compiling is None or compiling.wait() == 0
    failing = warmup.start("no such method")
    assert failing is None or failing.wait() != 0
