"""Marginality microaggregation: seconds, memory and growth on invented stays of three numbers and a word.

`python benchmarks/marginality.py`, or `--quick` without the large tables. As many records as the published
files have (Domingo-Ferrer, Sanchez & Rufian-Torrell 2013), nearly all distinct, k = 5; each table in a
process of its own that has masked it once before, so that nothing is compiled while time is taken. Time is
that of masking; beside it stands the whole `om.anonymize`. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import ontomask as om
from clinical import NUMBERS, SEED, plan, stays, tree, write
from measures import Table, busy
from ontomask.pipeline import mask, prepare

BARS = {10_000: None, 19_502: 10.0, 50_000: None, 143_472: 600.0}  # seconds by records
QUICK = 19_502
REPLACEMENTS = ("centroid", "synthetic")


class Found(NamedTuple):
    """What a process says of its release."""

    masking: float  # seconds
    whole: float
    memory: float  # GiB of the process
    distinct: int
    reached: int


def main() -> int:
    """Run it all, or mask one table and tell of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave the large tables out")
    parser.add_argument("--one", nargs=2, metavar=("RECORDS", "REPLACEMENT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(found_of(int(options.one[0]), options.one[1])))
        return 0
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    sizes = [n for n in BARS if n <= QUICK or not options.quick]
    for replacement in REPLACEMENTS:
        table.title(f"marginality-mdav, {replacement}, 4 attributes, k = 5")
        times = [tell(table, n, replacement).masking for n in sizes]
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        table.line("cost ~ n^x", f"x = {exponent:.2f}")
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def tell(table: Table, n: int, replacement: str) -> Found:
    """A line of one table."""
    command = [sys.executable, __file__, "--one", str(n), replacement]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found, bar = Found(*json.loads(said)), BARS[n]
    table.line(
        f"{replacement}, {n:,} records",
        f"{found.masking:.2f} s",
        f"<= {bar:g} s" if bar else "",
        bar is None or found.masking <= bar,
        f"{found.distinct:,} distinct, whole run {found.whole:.1f} s, peak {found.memory:.2f} GiB, smallest "
        f"class {found.reached}",
    )
    return found


def found_of(n: int, replacement: str) -> Found:
    """Seconds of masking and of a whole run, once everything is compiled."""
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-") as name:
        folder = Path(name)
        rng = np.random.default_rng(SEED)
        lines = tree(rng)
        write(folder / "tree.csv", lines, ";")
        words = {"diagnosis": {"ontology": str(folder / "tree.csv")}}
        asked = plan({name: {"kind": "numeric"} for name in NUMBERS} | words)
        asked = asked.replace(method={"name": "marginality-mdav", "replacement": replacement})
        for records in (1_000, n):
            write(folder / f"{records}.csv", [(*NUMBERS, "diagnosis"), *stays(rng, lines, records)])
        om.anonymize(folder / "1000.csv", asked)
        begin = time.perf_counter()
        release = om.anonymize(folder / f"{n}.csv", asked)
        whole = time.perf_counter() - begin
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        prepared = prepare(folder / f"{n}.csv", asked)
        begin = time.perf_counter()
        mask(prepared, asked)
        masking = time.perf_counter() - begin
    return Found(masking, whole, memory, len(prepared.tuples), release.figures["k_reached"])


if __name__ == "__main__":
    sys.exit(main())
