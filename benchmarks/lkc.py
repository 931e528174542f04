"""Top-down specialisation for LKC-privacy: seconds and memory on tables of invented patients.

`python benchmarks/lkc.py`. 26,000 patients with eight attributes for L = 6 and several K, and a million with
ten for L = 4, each in a process of its own that masks a small table first, so that nothing is compiled while
time is taken. Time is that of the whole `om.anonymize`, which counts LKC on what is about to be written;
beside it stands masking alone. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import ontomask as om
from chd import chd
from measures import Table, busy
from ontomask.pipeline import mask, prepare

SIZES = {"chd": 26_000, "wide": 1_000_000}
SECONDS = {"chd": 5.0, "wide": 120.0}
KS = (20, 40, 60, 80, 100)
SEED = 1


class Found(NamedTuple):
    """What a process says of its release."""

    whole: float  # seconds
    masking: float
    memory: float  # GiB of the process
    steps: int
    classes: int
    reached: float


def main() -> int:
    """Run it all, or make one release and tell of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave the million records out")
    parser.add_argument("--one", nargs=3, metavar=("TABLE", "L", "K"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, known, least = options.one
        print(json.dumps(found_of(name, int(known), int(least))))
        return 0
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    table.title(f"{SIZES['chd']:,} records, 8 attributes, L = 6")
    for least in KS:
        tell(table, "chd", 6, least)
    if not options.quick:
        table.title(f"{SIZES['wide']:,} records, 10 attributes, L = 4")
        for least in (20, 100):
            tell(table, "wide", 4, least)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def tell(table: Table, name: str, known: int, least: int) -> None:
    """A line of one release."""
    command = [sys.executable, __file__, "--one", name, str(known), str(least)]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = Found(*json.loads(said))
    bar = SECONDS[name]
    table.line(
        f"{name}, K = {least}",
        f"{found.whole:.2f} s",
        f"<= {bar:g} s",
        found.whole <= bar and found.reached >= least,
        f"masking {found.masking:.2f} s, peak {found.memory:.2f} GiB, {found.steps} steps, "
        f"{found.classes:,} classes, K reached {found.reached:g}",
    )


def found_of(name: str, known: int, least: int) -> Found:
    """Seconds of a whole run, and of masking alone, once everything is compiled."""
    plan = plan_of(name, known, least)
    om.anonymize(made(name, 500), plan_of(name, known, 20))
    source = made(name, SIZES[name])
    begin = time.perf_counter()
    release = om.anonymize(source, plan)
    whole = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    prepared = prepare(source, plan)
    begin = time.perf_counter()
    mask(prepared, plan)
    masking = time.perf_counter() - begin
    assert release.trace is not None
    steps, figures = len(release.trace["steps"]), release.figures
    return Found(whole, masking, memory, steps, figures["classes"], figures["reached.lkc"])


def made(name: str, n: int) -> pa.Table:
    """The first n patients."""
    table = chd(n, SEED)
    if name == "chd":
        return table
    rng = np.random.default_rng(SEED + 1)
    ages = np.clip(rng.normal(52, 14, n), 18, 95).round().astype(int)
    sex = np.where(rng.random(n) < 0.5, "female", "male")
    return table.append_column("age", pa.array(ages)).append_column("sex", pa.array(sex))


def plan_of(name: str, known: int, least: int) -> om.Plan:
    """All attributes but the disease are masked; numbers are split as it goes."""
    attributes: dict[str, Any] = {}
    for field in made(name, 1).schema:
        is_number = not pa.types.is_string(field.type)
        kind = {"kind": "numeric"} if is_number else {"ontology": "flat"}
        attributes[field.name] = {"role": "quasi-identifier", **kind}
    attributes["disease"] = {"role": "confidential"}
    return om.Plan.from_dict(
        {
            "attributes": attributes,
            "privacy": {"lkc": {"L": known, "K": least}},
            "method": {"name": "top-down", "target": "disease"},
        }
    )


if __name__ == "__main__":
    sys.exit(main())
