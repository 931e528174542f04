"""How long masking takes, how much memory, and how both grow with the number of distinct tuples.

`make bench`, or `python benchmarks/masking.py --quick` without the growth. "Masking" is the method alone on
tuples whose attributes are ready, in this process, the best of several repeats; "command" is `ontomask
anonymize` from the start of its process to its end, with the memory the system counted for it. A missed bar
makes the exit status 1.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import ontomask as om
from measures import Table, busy
from ontomask.attributes import Tuples
from ontomask.pipeline import Prepared, mask, prepare
from subjects import Subject, adult_2, adult_8, insurance

ALL_K = (2, 5, 10, 50, 200, 1000, 1800)
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
METHODS = ("sa-mdav", "s-mdav", "recoding")
COMMAND = (sys.executable, "-c", "from ontomask.cli import main; main()")
SEED = 1


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave the growth out")
    options = parser.parse_args()
    if not (adult_2().table.exists() and insurance().table.exists()):
        print(f"skipped: the data sets are not at hand ({adult_2().table}); set ONTOMASK_DATA")
        return 0

    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-") as folder:
        small(table)
        whole_command(table, Path(folder))
        large = Masked(adult_8())
        several(table, large, {"sa-mdav": 2.5, "s-mdav": 1.5, "recoding": 1.5}, Path(folder))
        several(table, Masked(insurance()), dict.fromkeys(METHODS, 1.0), Path(folder))
        if not options.quick:
            growth(table, large)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


class Masked:
    """A table read and linked, ready to be masked again and again."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.prepared = subject, prepare(subject.table, subject.plan)

    @property
    def size(self) -> str:
        tuples = self.prepared.tuples
        return f"p = {len(tuples):,}, m = {len(self.prepared.columns)}, n = {tuples.n:,}"

    def seconds(self, method: str, k: int, repeats: int) -> float:
        """Best time of the method."""
        return masking_seconds(self.prepared, self.subject.plan, method, k, repeats)


def masking_seconds(prepared: Prepared, plan: om.Plan, method: str, k: int, repeats: int) -> float:
    """Best time of the method on these tuples; the first repeat may compile."""
    plan = plan.replace(privacy={"k": k}).with_method(method)
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        mask(prepared, plan)
        times.append(time.perf_counter() - begin)
    return min(times)


def small(table: Table) -> None:
    """Adult with two quasi-identifiers, every k."""
    masked = Masked(adult_2())
    table.title(f"{masked.subject.name} ({masked.size}), masking itself (best of 20)")
    for method, bar in (("sa-mdav", 20), ("s-mdav", 100), ("recoding", None)):
        for k in ALL_K:
            ms = 1e3 * masked.seconds(method, k, 20)
            limit = f"<= {bar} ms" if bar else ""
            table.line(f"{method}, k = {k:,}", f"{ms:.1f} ms", limit, not bar or ms <= bar)


def whole_command(table: Table, folder: Path) -> None:
    """From the start of the process to the written file; then with nothing compiled or cached."""
    table.title("Adult, 2 QI, the whole command")
    plan = adult_2().plan
    for k in ALL_K:
        runs = [run_command(adult_2(), plan.replace(privacy={"k": k}), folder) for _ in range(4)]
        seconds, note = min(runs)
        table.line(f"sa-mdav, k = {k:,} (best of 4)", f"{seconds:.2f} s", "<= 2 s", seconds <= 2, note)
    fresh = folder / "fresh"
    fresh.mkdir()
    nothing_yet = {name: str(fresh) for name in ("NUMBA_CACHE_DIR", "ONTOMASK_CACHE", "XDG_CACHE_HOME")}
    seconds, note = run_command(adult_2(), plan, folder, nothing_yet)
    table.line("first ever run, k = 5", f"{seconds:.1f} s", "<= 12 s", seconds <= 12, note)


def run_command(
    subject: Subject, plan: om.Plan, folder: Path, environment: dict[str, str] | None = None
) -> tuple[float, str]:
    """Seconds of `ontomask anonymize` by the clock, and what it used."""
    (folder / "plan.yaml").write_text(plan.to_yaml())
    arguments = ["anonymize", str(subject.table), "--plan", "plan.yaml", "-o", "release.csv"]
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"ontomask {' '.join(arguments)} stopped:\n{said}")
    return seconds, f"CPU {used.ru_utime + used.ru_stime:.1f} s, peak {used.ru_maxrss / 2**10:.0f} MiB"


def several(table: Table, masked: Masked, bars: dict[str, float], folder: Path) -> None:
    """A larger table: masking against its bar, and the whole command with its memory."""
    table.title(f"{masked.subject.name} ({masked.size}), masking (best of 4), then the whole command")
    for method, bar in bars.items():
        for k in (2, 5, 10, 50):
            seconds = masked.seconds(method, k, 4)
            note = ""
            if k == 5:
                plan = masked.subject.plan.replace(method={"name": method})
                whole, used = run_command(masked.subject, plan, folder)
                note = f"command {whole:.1f} s, {used}"
            has_bar = k == 5
            table.line(
                f"{method}, k = {k}",
                f"{seconds:.2f} s",
                f"<= {bar} s" if has_bar else "",
                not has_bar or seconds <= bar,
                note,
            )


def growth(table: Table, like: Masked) -> None:
    """Tuples drawn from the values and counts of a table, column by column; the exponent of the cost."""
    table.title("Growth with p: tuples with the values and counts of Adult, 8 QI, k = 5 (best of 2)")
    drawn = {p: replace(like.prepared, tuples=synthetic(like.prepared.tuples, p)) for p in SIZES}
    for method in METHODS:
        times = []
        for p in SIZES:
            times.append(masking_seconds(drawn[p], like.subject.plan, method, 5, 2))
            table.line(f"{method}, p = {p:,}", f"{times[-1]:.3f} s", note=f"n = {drawn[p].tuples.n:,}")
        exponent = np.polyfit(np.log(SIZES[2:]), np.log(times[2:]), 1)[0]
        table.line(f"{method}, cost ~ p^x above 5,000", f"x = {exponent:.2f}")


def synthetic(like: Tuples, p: int) -> Tuples:
    """p distinct tuples whose columns are independent, with counts as frequent as in `like`."""
    rng = np.random.default_rng(SEED)
    codes = np.empty((0, like.codes.shape[1]), np.int32)
    while len(codes) < p:
        chosen = rng.choice(len(like), (p, like.codes.shape[1]))
        codes = np.unique(np.concatenate([codes, np.take_along_axis(like.codes, chosen, axis=0)]), axis=0)
    kept = np.sort(rng.permutation(len(codes))[:p])
    return Tuples(np.ascontiguousarray(codes[kept]), rng.choice(like.counts, p))


if __name__ == "__main__":
    sys.exit(main())
