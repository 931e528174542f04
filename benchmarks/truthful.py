"""How much a truthful release keeps: Adult, 8 QI, every cell the original or a generalisation of it.

`make bench`, or `python benchmarks/truthful.py`. Seven columns have their ready-made hierarchies; age is a
free range over 17-90, or has its hierarchy too. Granularity is 1 - NCP; beside it stands what the groups of
the same method would keep if they were formed by distances to centroids and covered afterwards, and what ARX
reports. Every cell is compared with the original, by the hierarchy files alone. A missed
bar makes the exit status 1.
"""

from __future__ import annotations

import csv
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import ontomask as om
from measures import Table, busy
from ontomask.attributes import replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.evaluation import Pairs, ReleaseView
from ontomask.evaluation.generalization import generalization
from ontomask.methods import METHODS, Masking
from ontomask.pipeline import Prepared, prepare
from ontomask.privacy import KAnonymity
from subjects import ADULT, DATA, WORDS_OF_ADULT

REPEATS = 3
KEPT = {5: 0.94, 10: 0.885}  # with age as a free range
ARX = {5: 0.814, 10: 0.774}  # with age by its hierarchy
OTHERS = ("s-mdav", "mdav-lcs", "recoding", "resampling")


def main() -> int:
    """Run it all."""
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    if ADULT.exists():
        for is_free in (True, False):
            one_form(table, is_free)
    else:
        print(f"skipped: the data set is not at hand ({ADULT}); set ONTOMASK_DATA")
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def one_form(table: Table, is_free: bool) -> None:
    """Age as a free range, or by its hierarchy."""
    prepared = prepare(ADULT, truthful_plan(is_free))
    form = "age a free range" if is_free else "age by its hierarchy"
    tuples = prepared.tuples
    table.title(f"Adult, 8 QI, truthful, {form} (p = {len(tuples):,}, n = {tuples.n:,}), best of {REPEATS}")
    for k in (5, 10):
        beside = "" if is_free else f"ARX {ARX[k]:.3f}, "
        seconds, masking = masked(prepared, "sa-mdav", k)
        kept, by_distance = granularity(prepared, masking), granularity(prepared, covered(prepared, k))
        note = f"{beside}{seconds:.2f} s; grouped by distances, then covered: {by_distance:.4f}"
        what, bar = f"sa-mdav, k = {k}, {form[:10]}", KEPT[k]
        if is_free:
            table.line(what, f"{kept:.4f}", f">= {bar}", kept >= bar, note)
        else:
            table.line(what, f"{kept:.4f}", note=note)
        for name in OTHERS:
            seconds, masking = masked(prepared, name, k)
            table.line(f"{name}, k = {k}", f"{granularity(prepared, masking):.4f}", note=f"{seconds:.2f} s")
        begin = time.perf_counter()
        wrong, cells = untrue_cells(is_free, k)
        seconds = time.perf_counter() - begin
        note = f"of {cells:,}; from file to file in {seconds:.1f} s"
        table.line(f"untrue cells, k = {k}", f"{wrong:,}", "0", wrong == 0, note)


def truthful_plan(is_free: bool, k: int = 5) -> om.Plan:
    """All columns truthful; ages by their hierarchy as words, for the file has 20 below 15-19."""
    columns: dict[str, dict[str, Any]] = {
        name: {"hierarchy": str(hierarchy_file(name))} for name in ("age", *WORDS_OF_ADULT)
    }
    if is_free:
        columns["age"] = {"kind": "numeric"}
    attributes = {name: {"role": "quasi-identifier"} | settings for name, settings in columns.items()}
    return om.Plan.from_dict(
        {"attributes": attributes, "others": "keep", "release": "truthful", "privacy": {"k": k}}
    )


def hierarchy_file(name: str) -> Path:
    """The ready-made hierarchy of a column."""
    return DATA / "adult" / f"adult_hierarchy_{name}.csv"


def masked(prepared: Prepared, name: str, k: int) -> tuple[float, Masking]:
    """Seconds, of several times, and what a method made."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        masking = METHODS[name]().mask(
            prepared.tuples, prepared.attributes, [KAnonymity(k)], np.random.default_rng(1)
        )
        times.append(time.perf_counter() - begin)
    return min(times), masking


def covered(prepared: Prepared, k: int) -> Masking:
    """The groups of the central SA-MDAV, each given what covers it."""
    central = [replace(attribute, is_truthful=False) for attribute in prepared.attributes]
    found = METHODS["sa-mdav"]().mask(prepared.tuples, central, [KAnonymity(k)], np.random.default_rng(1))
    space = space_of(prepared.tuples, prepared.attributes, with_covers=True)
    points = group_centroids(space, found.cells, found.groups, found.counts, found.n_groups)
    extended, values = replacements_of(prepared.attributes, space, points)
    return replace(found, values=values, attributes=tuple(extended))


def granularity(prepared: Prepared, masking: Masking) -> float:
    """1 - NCP."""
    pairs = Pairs.of(prepared.tuples, masking)
    return generalization(ReleaseView(prepared.tuples, masking.attributes, pairs))["granularity"]


def untrue_cells(is_free: bool, k: int) -> tuple[int, int]:
    """How many cells of a written release are neither the original nor above it, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release.csv"
        om.anonymize(ADULT, truthful_plan(is_free, k)).write(target)
        before, after = rows_of(ADULT), rows_of(target)
        names = next(before)
        assert next(after) == names
        above = {name: labels_above(name) for name in ("age", *WORDS_OF_ADULT)}
        wrong = cells = 0
        for old, new in zip(before, after, strict=True):
            for name, x, y in zip(names, old, new, strict=True):
                if name in above:
                    cells += 1
                    is_range = is_free and name == "age"
                    wrong += not (is_inside(x, y) if is_range else y in above[name][x])
    return wrong, cells


def rows_of(path: Path) -> Iterator[list[str]]:
    """The lines of a file."""
    with path.open(newline="") as file:
        yield from csv.reader(file, delimiter=";")


def labels_above(name: str) -> dict[str, set[str]]:
    """Each value of a hierarchy file with all labels of its line."""
    return {row[0]: set(row) for row in rows_of(hierarchy_file(name))}


def is_inside(number: str, text: str) -> bool:
    """Whether a number is the text, or within the range that it is."""
    low, _, high = text.partition("-")
    return int(low) <= int(number) <= int(high or low)


if __name__ == "__main__":
    sys.exit(main())
