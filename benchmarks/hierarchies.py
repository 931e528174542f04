"""How long hierarchies take to be built, judged and used, and how much generalising methods keep.

`make bench`, or `python benchmarks/hierarchies.py`. Building and judging are over WordNet, which is loaded;
methods run on Adult with its ready-made hierarchies, on tuples whose attributes are ready. All in this
process, the best of several repeats. Granularity is 1 - NCP; beside it stands what ARX reports for the same
data and hierarchies. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import csv
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

import ontomask as om
from measures import Table, busy
from ontomask.evaluation import Pairs, ReleaseView
from ontomask.evaluation.generalization import generalization
from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.gsl import Gsl, linked_nodes
from ontomask.measures.edge import WuPalmer
from ontomask.methods import METHODS, Task
from ontomask.methods.full_domain import LeveledTable
from ontomask.methods.incognito import minimal_nodes, search
from ontomask.pipeline import Prepared, prepare
from ontomask.privacy import KAnonymity
from subjects import ADULT, DATA, ROOT, WORDS_OF_ADULT

REPEATS, SMALL_REPEATS = 4, 20
SENSES = ROOT / "tests" / "golden" / "insurance_senses.csv"
WUP = WuPalmer("ws4j")
BUDGET = 0.05
ARX = {5: 0.700, 10: 0.648}  # global generalisation with 5 % suppression, optimal by granularity


def main() -> int:
    """Run it all."""
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    building_and_judging(table)
    if ADULT.exists():
        generalising(table)
    else:
        print(f"skipped: the data set is not at hand ({ADULT}); set ONTOMASK_DATA")
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def building_and_judging(table: Table) -> None:
    """Hierarchies over words of Insurance, from WordNet; those published took 310 ms to judge."""
    wordnet = om.load_ontology("wordnet")
    with SENSES.open(newline="") as file:
        senses = {row["value"]: wordnet.concept(row["sense"]) for row in csv.DictReader(file)}
    occupations, many = (dict(islice(senses.items(), n)) for n in (60, 96))
    table.title(f"Building and judging over WordNet, best of {SMALL_REPEATS}")
    for levels in (None, 4):
        build = partial(hierarchy_of, wordnet, occupations, name="jobs", measure=WUP, levels=levels)
        seconds = best_time(build)
        said = "all levels" if levels is None else f"{levels} levels"
        table.line(f"build, 60 values, {said}", f"{1000 * seconds:.1f} ms", "<= 50 ms", seconds <= 0.05)
    tree = hierarchy_of(wordnet, many, name="words", measure=WUP)
    concepts = linked_nodes(tree, wordnet).concepts
    seconds = best_time(lambda: Gsl(tree, wordnet, concepts, WUP).score)
    table.line(
        "VghGSL, 96 values",
        f"{1000 * seconds:.2f} ms",
        "<= 1 ms",
        seconds <= 0.001,
        f"{tree.height} levels, {len(tree.labels)} labels; published: 310 ms",
    )
    seconds = best_time(lambda: Gsl(tree, wordnet, linked_nodes(tree, wordnet).concepts, WUP).score)
    table.line("the same, its labels linked before", f"{1000 * seconds:.2f} ms")


def best_time(work: Callable[[], object]) -> float:
    """Seconds, of several times."""
    times = []
    for _ in range(SMALL_REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


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
    """Every column with its ready-made hierarchy; ages too as words, for the file has 20 below 15-19."""
    columns: dict[str, dict[str, Any]] = {
        name: {"hierarchy": str(DATA / "adult" / f"adult_hierarchy_{name}.csv")}
        for name in ("age", *WORDS_OF_ADULT)
    }
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
    leveled = LeveledTable(Task(prepared.tuples, tuple(prepared.attributes), [KAnonymity(k)], budget=budget))
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
