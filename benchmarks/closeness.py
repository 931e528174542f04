"""t-closeness on mixed Adult: what t-first loses, beside SA-MDAV without t and with groups joined for it.

`python benchmarks/closeness.py`, or `--quick` without the joining, which takes longest. The table is raw
Adult as inside the package `fairness` (downloaded once to the user's cache folder; skipped where that fails):
30,162 complete rows, twelve quasi-identifiers, the income class confidential. SSE is (1/n) sum_i sum_j d_ij^2
of what is released, numbers over their standard deviation, words by logsc over ready-made trees. How far
classes are from the table is counted here once more, plainly. Seconds are of the processor. A missed bar
makes the exit status 1.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import subprocess
import sys
import time
import venv
import zipfile
from collections import Counter
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import ontomask as om
from measures import Table, busy
from ontomask.methods import Masking
from ontomask.pipeline import Prepared, mask, prepare
from peers import PeerError, cache_folder
from subjects import DATA

PACKAGE, MEMBER = "fairness==0.1.8", "fairness/data/raw/adult.csv"
NUMBERS = ("age", "capital-gain", "capital-loss", "hours-per-week")
WORDS = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
)  # fmt: skip
INCOME, K = "income-per-year", 3
BARS = {0.25: 3, 0.15: 6, 0.05: 8}  # times the SSE of SA-MDAV without t
SECONDS = 10


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave SA-MDAV with joined groups out")
    options = parser.parse_args()
    trees = DATA / "adult"
    if not trees.exists():
        print(f"skipped: the trees of Adult are not at hand ({trees}); set ONTOMASK_DATA")
        return 0
    try:
        folder = adult_folder()
    except PeerError as error:
        print(f"skipped: {error}")
        return 0

    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    table.title(f"Mixed Adult, 12 QI, 30,162 rows, k = {K}: SSE a record, times that without t")
    prepared = prepare(folder / "adult.csv", plan_of(folder, trees, {"t": {INCOME: 0.5}}))
    _, without, _ = masked(prepared, plan_of(folder, trees, {}, "sa-mdav"))
    table.line("sa-mdav without t", f"{without:.3f}")
    for method in ("t-first",) if options.quick else ("t-first", "sa-mdav"):
        for t, times in BARS.items():
            plan = plan_of(folder, trees, {"t": {INCOME: t}}, method)
            if t == max(BARS) and method == "t-first":
                masked(prepared, plan)  # compiles
            masking, sse, seconds = masked(prepared, plan)
            worst = worst_class(prepared, masking)
            passed = method != "t-first" or (sse <= times * without and worst <= t and seconds <= SECONDS)
            table.line(
                f"{method}, t = {t}",
                f"{sse:.3f} = {sse / without:.2f} x",
                f"<= {times} x, {SECONDS} s" if method == "t-first" else "",
                passed,
                f"worst class {worst:.4f}, {masking.n_groups:,} groups, CPU {seconds:.1f} s",
            )
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def adult_folder() -> Path:
    """Where the complete rows of raw Adult are, and a flat tree over its relationships."""
    folder = cache_folder() / "adult-raw"
    if not (folder / "adult.csv").exists():
        wheels = [*folder.glob("fairness-*.whl")] or downloaded(folder)
        with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(MEMBER) as file:
            header, *rows = csv.reader(TextIOWrapper(file, "utf-8"), skipinitialspace=True)
        complete = [row for row in rows if len(row) == len(header) and "?" not in row]
        relationships = sorted({row[header.index("relationship")] for row in complete})
        (folder / "relationship.csv").write_text("".join(f"{one};*\n" for one in relationships))
        with (folder / "adult.csv").open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([header, *complete])
    return folder


def downloaded(folder: Path) -> list[Path]:
    """The package's wheel. It names a dependency as pip no longer allows since 23.3: an older one gets it."""
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    venv.create(folder / "venv", clear=True, with_pip=True)
    for order in (["install", "pip<23.3"], ["download", "--no-deps", "--dest", str(folder), PACKAGE]):
        result = subprocess.run([python, "-m", "pip", "--quiet", *order], capture_output=True, check=False)
        if result.returncode:
            raise PeerError(f"{PACKAGE} cannot be downloaded")
    return [*folder.glob("fairness-*.whl")]


def plan_of(folder: Path, trees: Path, more: dict[str, Any], method: str = "t-first") -> om.Plan:
    """Numbers by their standard deviation, words by their trees."""
    attributes: dict[str, dict[str, Any]] = {name: {"kind": "numeric"} for name in NUMBERS}
    for name in WORDS:
        tree = folder if name == "relationship" else trees
        file = "relationship.csv" if name == "relationship" else f"adult_hierarchy_{name}.csv"
        attributes[name] = {"ontology": str(tree / file)}
    attributes = {name: {"role": "quasi-identifier"} | one for name, one in attributes.items()}
    flat = folder / "income.csv"
    flat.write_text("<=50K;*\n>50K;*\n")
    attributes[INCOME] = {"role": "confidential", "ontology": str(flat)}
    return om.Plan.from_dict(
        {
            "attributes": attributes,
            "others": "drop",
            "privacy": {"k": K} | more,
            "method": {"name": method, "scale": "zscore"},
        }
    )


def masked(prepared: Prepared, plan: om.Plan) -> tuple[Masking, float, float]:
    """A masking, its SSE a record, and how long it took."""
    begin = time.process_time()
    masking = mask(prepared, plan)
    seconds = time.process_time() - begin
    tuples, total = prepared.tuples, 0.0
    members = tuples.tuple_of_cell[masking.cells]
    for j, attribute in enumerate(masking.attributes):
        moved = attribute.distance(tuples.codes[members, j], masking.values[masking.groups, j])
        total += float((masking.counts * moved**2).sum())
    return masking, total / tuples.n, seconds


def worst_class(prepared: Prepared, masking: Masking) -> float:
    """How far the farthest class is from the table, half of the summed differences of shares; plainly."""
    cells = prepared.tuples.cells
    assert cells is not None
    classes: dict[tuple[int, ...], Counter[int]] = {}
    for cell, group, n in zip(masking.cells, masking.groups, masking.counts, strict=True):
        released = tuple(masking.values[group].tolist())
        classes.setdefault(released, Counter())[int(cells.values[cell, 0])] += int(n)
    whole: Counter[int] = sum(classes.values(), Counter())
    return max(
        sum(abs(own[v] / own.total() - whole[v] / whole.total()) for v in whole) / 2
        for own in classes.values()
    )


if __name__ == "__main__":
    sys.exit(main())
