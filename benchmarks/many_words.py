"""Memory and time of `ontomask anonymize` where a column has thousands of distinct words.

`python benchmarks/many_words.py [--words N ... --methods NAME ... --concepts C]` masks words of a made-up
ontology of the size of SNOMED CT with k = 5, with every figure and a report, each run in a process of its
own, and prints its seconds and peak memory. More than 3 GiB makes the exit status 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask.methods import METHODS
from synthetic_rf2 import write_release

COMMAND = (sys.executable, "-c", "from ontomask.cli import main; main()")
MOST_GIB = 3.0


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--words", type=int, nargs="+", default=[8_000, 11_000, 20_000])
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--concepts", type=int, default=350_000)
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-") as name:
        folder = Path(name)
        write_release(folder / "ontology", options.concepts, options.concepts * 10 // 7)
        ontology = om.load_ontology(folder / "ontology")  # reads it once; the runs find it in the cache
        print(f"{len(ontology):,} concepts, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for words in options.words:
            table = write_words(ontology, words, folder)
            for method in options.methods:
                seconds, cpu, gib, failed = run(table, method, folder)
                verdict = f"failed: {failed}" if failed else "MISSED" if gib > MOST_GIB else "pass"
                missed |= verdict != "pass"
                print(
                    f"{words:>6,} words  {method:<14} {seconds:7.1f} s, CPU {cpu:7.1f} s, "
                    f"peak {gib:.2f} GiB  {verdict}",
                    flush=True,
                )
    return 1 if missed else 0


def write_words(ontology: om.Ontology, words: int, folder: Path) -> Path:
    """A table with one column: every word once, a quarter of them twice, a hundred six times."""
    rng = np.random.default_rng(0)
    chosen = rng.choice(np.arange(3, len(ontology)), words, replace=False)
    rows = np.concatenate([chosen, chosen[: words // 4], np.repeat(chosen[:100], 4)])
    path = folder / f"{words}.csv"
    path.write_text("\n".join(["word", *(f'"{ontology.labels[c]}"' for c in rows.tolist())]) + "\n")
    return path


def run(table: Path, method: str, folder: Path) -> tuple[float, float, float, str]:
    """Seconds by the clock and of the processor, peak GiB, and the last line of an error."""
    asked = ["--qi", f"word:{folder / 'ontology'}", "-k", "5", "--method", method]
    out = folder / f"{table.stem}-{method}"
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, "anonymize", str(table), *asked, "-o", f"{out}.csv", "--report", f"{out}.html"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    lines = said.strip().splitlines()
    failed = "" if status == 0 else (lines[-1] if lines else f"status {status}")
    seconds = time.perf_counter() - begin
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20, failed


if __name__ == "__main__":
    sys.exit(main())
