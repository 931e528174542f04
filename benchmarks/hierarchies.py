"""How long generalising methods take on Adult with its ready-made hierarchies, and how much they keep.

`make bench`, or `python benchmarks/hierarchies.py`. Times are of the method alone on tuples whose attributes
are ready, in this process, the best of several repeats. Granularity is 1 - NCP; beside it stands what ARX
reports for the same data and hierarchies. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import platform
import sys
import time
from typing import Any

import numpy as np

import ontomask as om
from measures import Table, busy
from ontomask.evaluation import Pairs, ReleaseView
from ontomask.evaluation.generalization import generalization
from ontomask.methods import METHODS
from ontomask.methods.full_domain import LeveledTable
from ontomask.methods.incognito import minimal_nodes, search
from ontomask.pipeline import Prepared, prepare
from ontomask.privacy import KAnonymity
from subjects import ADULT, DATA, WORDS_OF_ADULT

REPEATS = 4
BUDGET = 0.05
ARX = {5: 0.700, 10: 0.648}  # global generalisation with 5 % suppression, optimal by granularity


def main() -> int:
    """Run it all."""
    if not ADULT.exists():
        print(f"skipped: the data set is not at hand ({ADULT}); set ONTOMASK_DATA")
        return 0
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    generalising(table)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def generalising(table: Table) -> None:
    """Adult, 8 QI: Datafly, Incognito and best-first, with nobody and with 5 % left out."""
    prepared = prepare(ADULT, adult_plan())
    tuples = prepared.tuples
    table.title(f"Adult, 8 QI (p = {len(tuples):,}, n = {tuples.n:,}), best of {REPEATS}")
    for k in (5, 10):
        for budget in (0, int(BUDGET * tuples.n)):
            method_lines(table, prepared, k, budget)
            lattice_line(table, prepared, k, budget)
        one_method(table, prepared, "best-first", {}, k, 0)


def adult_plan() -> om.Plan:
    """Every column with its ready-made hierarchy."""
    columns: dict[str, dict[str, Any]] = {
        name: {"hierarchy": str(DATA / "adult" / f"adult_hierarchy_{name}.csv")}
        for name in ("age", *WORDS_OF_ADULT)
    }
    columns["age"]["kind"] = "numeric"
    attributes = {name: {"role": "quasi-identifier"} | settings for name, settings in columns.items()}
    return om.Plan.from_dict(
        {"attributes": attributes, "others": "keep", "method": {"name": "incognito"}, "unmapped": "own-leaf"}
    )


def method_lines(table: Table, prepared: Prepared, k: int, budget: int) -> None:
    """The full-domain methods."""
    beside = f", ARX {ARX[k]:.3f}" if budget else ""
    for heuristic in ("semantic", "classic"):
        one_method(table, prepared, "datafly", {"heuristic": heuristic}, k, budget, 1.0)
    for among in ("minimal", "all"):
        one_method(table, prepared, "incognito", {"among": among}, k, budget, 5.0, beside)


def one_method(
    table: Table,
    prepared: Prepared,
    name: str,
    options: dict[str, str],
    k: int,
    budget: int,
    bar: float | None = None,
    beside: str = "",
) -> None:
    """Time and granularity of a method."""
    method: Any = METHODS[name]
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        masking = method(**options).mask(
            prepared.tuples, prepared.attributes, [KAnonymity(k)], np.random.default_rng(1), budget=budget
        )
        times.append(time.perf_counter() - begin)
    seconds = min(times)
    pairs = Pairs.of(prepared.tuples, masking)
    kept = generalization(ReleaseView(prepared.tuples, masking.attributes, pairs))["granularity"]
    left_out = f", {masking.suppressed:,} left out" if budget else ""
    table.line(
        f"{' '.join([name, *options.values()])}, k = {k}{', 5 %' if budget else ''}",
        f"{seconds:.2f} s",
        f"<= {bar:.0f} s" if bar else "",
        bar is None or seconds <= bar,
        f"granularity {kept:.3f}{beside}{left_out}",
    )


def lattice_line(table: Table, prepared: Prepared, k: int, budget: int) -> None:
    """How much of the lattice is looked at."""
    leveled = LeveledTable(prepared.tuples, tuple(prepared.attributes), k, budget)
    found = search(leveled)
    every = int(np.prod(np.array(leveled.heights) + 2)) - 1
    minimal = len(minimal_nodes(prepared.tuples, prepared.attributes, k, budget))
    table.line(
        f"lattice, k = {k}{', 5 %' if budget else ''}",
        f"{found.anonymous.size:,} nodes",
        note=f"{minimal} minimal; counted {found.counted:,} of {every:,} with those of subsets",
    )


if __name__ == "__main__":
    sys.exit(main())
