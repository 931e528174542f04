"""Compiling ahead: the toy is masked rightly, what it compiles is what a real run needs, and whatever lies in
the current folder has no say in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ontomask import warmup
from ontomask.methods import METHODS

RUNS = """
import pyarrow as pa, ontomask as om
from ontomask.compiled import first_run
from ontomask.methods.recoding import recode
from ontomask.warmup import mask_a_toy
mask_a_toy("recoding")
print(len(recode.signatures))
people = pa.table({"pet": ["dog", "cat", "dog", "lion", "wolf", "cat", "wolf"]})
om.anonymize(people, om.Plan.from_options(["pet:wordnet"], k=2, method="recoding"))
print(len(recode.signatures), first_run("recoding"))
"""


@pytest.mark.parametrize("method", METHODS)
def test_every_method_masks_the_toy(method: str) -> None:
    """Four records of two words, k = 2: nobody is lost, and both words can stay."""
    masking = warmup.mask_a_toy(method)
    assert masking.counts.sum() == 4 and masking.suppressed == 0
    assert masking.n_groups == 2


def test_a_real_run_compiles_nothing_that_was_compiled_ahead() -> None:
    """The loop is called with the same types, and is on disk; in a process in which nobody else called it."""
    done = subprocess.run([sys.executable, "-c", RUNS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1", "False"]


def test_it_runs_in_a_process_of_its_own() -> None:
    compiling = warmup.start("suppression")
    assert compiling is None or compiling.wait() == 0
    failing = warmup.start("no such method")
    assert failing is None or failing.wait() != 0


def test_modules_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(3)\n"
    for name in ("numba", "numpy", "json", "ontomask"):
        (tmp_path / f"{name}.py").write_text(planted)
    monkeypatch.chdir(tmp_path)
    compiling = warmup.start("suppression")
    assert compiling is None or compiling.wait() == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("settings", ["cache_dir: planted", "- not a mapping", "[" * 3000])
def test_settings_of_numba_in_the_current_folder_are_not_read(tmp_path: Path, settings: str) -> None:
    """They could name a folder of machine code, which is pickled: loading it runs what somebody put there."""
    (tmp_path / ".numba_config.yaml").write_text(settings)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    code = "import ontomask.compiled, numba; numba.core.config.reload_config(); print(numba.config.CACHE_DIR)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
