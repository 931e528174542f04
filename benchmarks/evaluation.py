"""How long the figures of a release of Adult take: SRL with 2 and 8 quasi-identifiers, all figures, report.

`python benchmarks/evaluation.py`. Data come from ONTOMASK_DATA (default: ../shared/data beside the checkout).
One thread; the best of several runs after one that compiles. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

import numpy as np

from ontomask.evaluation import Subject as Judged
from ontomask.evaluation import compare_clusters, figures
from ontomask.evaluation.linkage import matched_record_linkage, semantic_record_linkage
from ontomask.pipeline import prepare, released
from ontomask.report import render_report
from subjects import Subject, adult_2, adult_8

REPEATS = 5


def best_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the fastest run, the first (which compiles) not counted."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(subject: Subject, method: str, srl_bar: float) -> int:
    """Print one line per task; returns how many bars were missed."""
    plan = subject.plan.with_method(method)
    release = released(prepare(subject.table, subject.plan), plan)
    view = release.view
    size = f"{subject.name}, {len(view.tuples):,} x {len(view.pairs.class_sizes):,} tuples"
    tasks: list[tuple[str, Callable[[], object], float | None, int]] = [
        ("SRL", lambda: semantic_record_linkage(view), srl_bar, REPEATS),
        ("MRL", lambda: matched_record_linkage(view), None, REPEATS),
        ("all figures", lambda: len(figures(Judged(view, plan.requirements()))), None, REPEATS),
        ("clusters", lambda: compare_clusters(view, np.random.default_rng(0)).rand, None, 1),
        ("report", lambda: len(render_report(release)), 15.0, 1),
    ]
    missed = 0
    for name, work, bar, repeats in tasks:
        seconds = best_time(work, repeats)
        missed += bar is not None and seconds > bar
        result = work()
        shown = f"{result:.4f}" if isinstance(result, float) else str(result)
        print(f"{name + ', ' + size:<52}{seconds:>9.4f}{bar or '':>7}   {shown}", flush=True)
    return missed


def main() -> int:
    """The number of missed bars decides the exit status."""
    if not adult_2().table.exists():
        print(f"{adult_2().table} is not there: set ONTOMASK_DATA", file=sys.stderr)
        return 0
    print(f"load average {os.getloadavg()[0]:.1f}\n{'':<52}{'seconds':>9}{'bar':>7}   result")
    missed = measure(adult_2(), "sa-mdav", 0.02) + measure(adult_8(), "s-mdav", 1.5)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
