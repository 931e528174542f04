"""Fuzz every reader for some minutes and print one table: `python -m hostile.fuzz --minutes 10` in `tests`.

Each reader runs in a process of its own with a limit of memory and of time for an input; a process that dies
is a finding and is started again for the rest of its time. Needs atheris (`make fuzz` installs it).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from hostile.fuzz.readers import READERS

TESTS = Path(__file__).parents[2]
SECONDS_OF_AN_INPUT, MEGABYTES, LONGEST_INPUT = 20, 2048, 8192
ROW = "{:12} {:>10} {:>8} {:>8} {:>9} {}"


def main() -> int:
    """The number of readers with findings, as the exit code."""
    ask = argparse.ArgumentParser(description="Fuzz the readers.")
    ask.add_argument("--minutes", type=float, default=10)
    ask.add_argument("--reader", action="append", choices=list(READERS))
    ask.add_argument("--folder", type=Path, default=Path("fuzzing"), help="for corpora, logs and findings")
    asked = ask.parse_args()
    print(ROW.format("reader", "inputs", "a second", "branches", "findings", ""))
    failed = 0
    for name in asked.reader or READERS:
        failed += not fuzz(name, 60 * asked.minutes, asked.folder.resolve())
    return failed


def fuzz(name: str, seconds: float, folder: Path) -> bool:
    """Fuzz one reader and print its row; whether nothing was found."""
    corpus, found, log = folder / "corpus" / name, folder / "found" / name, folder / f"{name}.log"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(READERS[name].seeds()):
        (corpus / f"seed-{i}").write_bytes(seed)
    log.write_bytes(b"")
    began = time.monotonic()
    inputs = branches = 0
    while (left := seconds - (time.monotonic() - began)) > 0:
        start = log.stat().st_size
        _run(name, max(1, round(left)), corpus, found, log)
        said = log.read_text(errors="replace")[start:]
        numbers = re.findall(r"^#(\d+)\s.*?cov: (\d+)", said, re.MULTILINE)
        if not numbers:
            (found / "it does not start").write_text(said)
            break
        inputs += int(numbers[-1][0])
        branches = max(branches, int(numbers[-1][1]))
    spent = time.monotonic() - began
    findings = [path.name for path in sorted(found.iterdir()) if path.suffix != ".txt"]
    row = ROW.format(
        name, f"{inputs:,}", f"{inputs / spent:,.0f}", branches, len(findings), " ".join(findings)
    )
    print(row.rstrip(), flush=True)
    return not findings


def _run(name: str, seconds: int, corpus: Path, found: Path, log: Path) -> None:
    options = {
        "max_total_time": seconds,
        "timeout": SECONDS_OF_AN_INPUT,
        "rss_limit_mb": MEGABYTES,
        "max_len": LONGEST_INPUT,
        "artifact_prefix": f"{found}{os.sep}",
    }
    command = [sys.executable, "-m", "hostile.fuzz.child", name, str(found)]
    command += [f"-{key}={value}" for key, value in options.items()]
    with log.open("ab") as file:
        subprocess.run(
            [*command, str(corpus)],
            cwd=TESTS,
            env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )


if __name__ == "__main__":
    sys.exit(main())
