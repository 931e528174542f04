"""How long the figures of a release take on Adult: SRL with 2 and with 8 quasi-identifiers, and all figures.

`python benchmarks/evaluation.py`. Data come from ONTOMASK_DATA (default: ../shared/data beside the checkout).
One thread; the best of several runs after one that compiles. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView, compare_clusters, figures
from ontomask.evaluation.linkage import matched_record_linkage, semantic_record_linkage
from ontomask.methods.mdav import SMdav
from ontomask.methods.sa_mdav import SaMdav

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ONTOMASK_DATA", ROOT.parent / "shared" / "data")) / "adult"
MAPPING = ROOT / "tests" / "golden" / "adult_mapping.csv"
TWO = {"occupation": "person", "native-country": "location"}
EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
REPEATS = 5


def adult(columns: tuple[str, ...]) -> tuple[Tuples, list[Attribute]]:
    """Two columns over WordNet, or eight over the hierarchies that come with the data."""
    with (DATA / "adult.csv").open(newline="") as lines:
        times = Counter(tuple(row[c] for c in columns) for row in csv.DictReader(lines, delimiter=";"))
    rows = sorted(times)
    counts = np.array([times[row] for row in rows])
    codes, attributes = np.empty((len(rows), len(columns)), np.int32), []
    for j, column in enumerate(columns):
        is_number = column == "age"
        labels = sorted({row[j] for row in rows}, key=float if is_number else str)
        place = {label: code for code, label in enumerate(labels)}
        codes[:, j] = [place[row[j]] for row in rows]
        if is_number:
            of_code = np.bincount(codes[:, j], counts).astype(np.int64)
            attributes.append(Numeric.of(column, np.array(labels, float), of_code))
        else:
            attributes.append(words(column, labels, over_wordnet=len(columns) == 2))
    return Tuples(codes, counts), attributes


def words(column: str, labels: list[str], *, over_wordnet: bool) -> Nominal:
    """A column of words under logsc."""
    if over_wordnet:
        ontology = om.load_ontology("wordnet")
        links = om.link(labels, ontology, mapping=MAPPING, senses="first", under=TWO[column])
        concepts = np.array([links[label].concept for label in labels], np.int32)
    else:
        ontology = om.load_ontology(DATA / f"adult_hierarchy_{column}.csv")
        concepts = ontology.concepts(labels)
    return Nominal(column, 1.0, -1, ontology, om.measure("logsc"), concepts)


def best_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the fastest run, the first (which compiles) not counted."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> int:
    """Print one line per task; the number of missed bars decides the exit status."""
    if not (DATA / "adult.csv").exists():
        print(f"adult.csv is not in {DATA}: set ONTOMASK_DATA", file=sys.stderr)
        return 2
    missed = 0
    print(f"{'Adult, 30,162 records':<44}{'seconds':>9}{'bar':>7}   result")
    for columns, method, srl_bar in ((tuple(TWO), SaMdav(), 0.02), (EIGHT, SMdav(), 1.5)):
        tuples, attributes = adult(columns)
        masking = method.mask(tuples, attributes, 5, np.random.default_rng(0))
        view = ReleaseView(tuples, attributes, Pairs.of(masking))
        size = f"{len(columns)} QI, {len(tuples):,} x {len(view.pairs.class_sizes):,} tuples"
        tasks: list[tuple[str, Callable[[], object], float | None, int]] = [
            ("SRL", lambda v=view: semantic_record_linkage(v), srl_bar, REPEATS),
            ("MRL", lambda v=view: matched_record_linkage(v), None, REPEATS),
            ("all figures", lambda v=view: len(figures(v, 5)), None, REPEATS),
            ("clusters", lambda v=view: compare_clusters(v, np.random.default_rng(0)).rand, None, 1),
        ]
        for name, work, bar, repeats in tasks:
            seconds = best_time(work, repeats)
            missed += bar is not None and seconds > bar
            result = work()
            shown = f"{result:.4f}" if isinstance(result, float) else str(result)
            print(f"{name + ', ' + size:<44}{seconds:>9.4f}{bar or '':>7}   {shown}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
