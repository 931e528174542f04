"""How fast ontologies load and measures run here, beside the libraries people use today, in one run.

`make bench`, or `python benchmarks/measures.py --quick` without peers. Everything runs in one thread.
Machines are noisy, so a rate is the best of many repeats spread over the run, a load the median, and the
machine's load stands above and below. Files go to a temporary folder, the peers' environments to the user's
cache folder. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import ontomask as om
from peers import PeerError, run_peer
from synthetic_rf2 import write_release

NOUNS, PEER_PAIRS, SEED = 2000, 3000, 1
ROUNDS, REPEATS = 6, 10
MEASURES: list[tuple[str, dict[str, str], float | None]] = [
    ("logsc", {}, 400),
    ("path", {}, 400),
    ("wup", {"convention": "links"}, 400),
    ("wup", {"convention": "ws4j"}, 400),
    ("wup", {"convention": "nltk"}, 400),
    ("lch", {}, None),
    ("lin", {"ic": "seco"}, 50),
    ("resnik", {"ic": "seco"}, None),
    ("jcn", {"ic": "seco"}, None),
]
PEER_RATIO = 20_000

# Run in a fresh process: what it does, how long it takes from the import on, and its greatest memory.
LOAD = """
import json, resource, sys, time
begin = time.perf_counter()
import ontomask
ontology = ontomask.load_ontology(sys.argv[1])
seconds = time.perf_counter() - begin
found = {"load": seconds, "concepts": len(ontology)}
if len(sys.argv) > 2:
    import numpy as np
    some = np.random.default_rng(1).choice(len(ontology), (2, int(sys.argv[2])), replace=False)
    logsc, times = ontomask.measure("logsc"), []
    for _ in range(8):
        begin = time.perf_counter()
        logsc.matrix(ontology, *some)
        times.append(time.perf_counter() - begin)
    found |= {"first": times[0], "warm": min(times[1:])}
print(json.dumps(found | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))
"""


@dataclass
class Table:
    """Prints lines as they come and remembers which bars were missed."""

    missed: list[str] = field(default_factory=list)

    def title(self, text: str) -> None:
        print(f"\n{text}", flush=True)

    def line(self, what: str, figure: str, bar: str = "", passed: bool = True, note: str = "") -> None:
        verdict = f"{bar:>14}  {'pass' if passed else 'MISSED'}" if bar else ""
        print(f"  {what:<34}{figure:>18}  {verdict:<24}{note}".rstrip(), flush=True)
        if not passed:
            self.missed.append(what)


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave the peers out")
    options = parser.parse_args()

    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    wordnet_load(table)
    rates = all_pairs(table)
    if not options.quick:
        beside_peers(table, rates)
    synthetic_snomed(table)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def busy() -> str:
    """How much else the machine is doing: above one per core, figures are too low."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def fresh_process(*arguments: str, cache: Path | None = None) -> dict[str, Any]:
    """What `LOAD` says of itself."""
    environment = os.environ | ({"ONTOMASK_CACHE": str(cache)} if cache else {})
    command = [sys.executable, "-c", LOAD, *arguments]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def wordnet_load(table: Table) -> None:
    """Import and load in a fresh process."""
    table.title("WordNet, fresh process (median of 9)")
    seconds = median(fresh_process("wordnet")["load"] for _ in range(9))
    table.line("import and load", f"{seconds:.3f} s", "<= 0.25 s", seconds <= 0.25)


def label(name: str, options: dict[str, str]) -> str:
    """A measure with its options, as in `wup (links)`."""
    return f"{name} ({', '.join(options.values())})" if options else name


def all_pairs(table: Table) -> dict[str, float]:
    """Million pairs per second of every measure, as a float64 distance matrix."""
    table.title(f"All ordered pairs of {NOUNS:,} random nouns, warm (best of {ROUNDS} x {REPEATS})")
    wordnet = om.load_ontology("wordnet")
    nouns = np.random.default_rng(SEED).choice(len(wordnet), NOUNS, replace=False)
    best = dict.fromkeys((label(name, options) for name, options, _ in MEASURES), math.inf)
    for _ in range(ROUNDS):  # apart, so that one burst of other people's work does not hit all repeats
        for name, options, _ in MEASURES:
            measure = om.measure(name, **options)
            measure.matrix(wordnet, nouns, nouns)
            for _ in range(REPEATS):
                begin = time.perf_counter()
                measure.matrix(wordnet, nouns, nouns)
                best[label(name, options)] = min(best[label(name, options)], time.perf_counter() - begin)
    rates = {what: NOUNS**2 / seconds for what, seconds in best.items()}
    for name, options, bar in MEASURES:
        rate = rates[label(name, options)]
        limit = f">= {bar:.0f} M/s" if bar else ""
        table.line(label(name, options), f"{rate / 1e6:,.0f} M pairs/s", limit, not bar or rate >= bar * 1e6)
    return rates


# Peer, its measure, ours to set beside it, whose rate counts, how many times faster it must be.
BESIDE: list[tuple[str, str, tuple[str, dict[str, str]], int]] = [
    ("nltk", "path", ("path", {}), PEER_RATIO),
    ("nltk", "wup", ("wup", {"convention": "nltk"}), PEER_RATIO),
    ("nltk", "lch", ("lch", {}), PEER_RATIO),
    ("wn", "path", ("path", {}), PEER_RATIO),
    ("wn", "wup", ("wup", {"convention": "nltk"}), PEER_RATIO),
    ("wn", "lch", ("lch", {}), PEER_RATIO),
    ("semsimian", "jaccard", ("logsc", {}), 1),
    ("semsimian", "resnik", ("resnik", {"ic": "seco"}), 1),
    ("semsimian", "all by all", ("resnik", {"ic": "seco"}), 1),
]


def beside_peers(table: Table, rates: dict[str, float]) -> None:
    """Peers on the same graph and the same pairs; how often their figures are ours."""
    table.title(f"Peers, the same graph, up to {PEER_PAIRS:,} random pairs one by one (best of 3)")
    wordnet = om.load_ontology("wordnet")
    pairs = np.random.default_rng(SEED).choice(len(wordnet), (PEER_PAIRS, 2))
    for peer in dict.fromkeys(row[0] for row in BESIDE):
        try:
            found = run_peer(peer, wordnet, pairs)
        except PeerError as error:
            print(f"  {peer}: left out; {error}")
            continue
        for _, measure, ours, bar in (row for row in BESIDE if row[0] == peer):
            rate = found[measure]["rate"]
            ratio = rates[label(*ours)] / rate
            same = agreement(wordnet, pairs, measure, found[measure]["values"])
            table.line(
                f"{peer} {measure}",
                f"{rate:,.0f} pairs/s",
                f">= {bar:,} x" if bar > 1 else "> 1 x",
                ratio >= bar if bar > 1 else ratio > 1,
                f"{label(*ours)} is {ratio:,.0f} x as fast"
                + (f"; {same:.2%} equal" if same is not None else ""),
            )


def agreement(wordnet: om.Ontology, pairs: np.ndarray, measure: str, values: list[float]) -> float | None:
    """Share of the peer's values that are ours too, where both define the measure alike."""
    if measure not in ("path", "wup", "lch", "jaccard"):
        return None
    some = pairs[: len(values)]
    if measure == "jaccard":  # logsc = log2(2 - jaccard)
        ours = 2 - 2 ** diagonal(om.measure("logsc").matrix, wordnet, some)
    else:
        ours = diagonal(om.measure(measure, convention="nltk").similarities, wordnet, some)
    return float(np.isclose(ours, values, rtol=0, atol=1e-8).mean())


def diagonal(matrix: Any, wordnet: om.Ontology, pairs: np.ndarray) -> np.ndarray:
    """matrix(a, b) of each pair alone."""
    values: np.ndarray = matrix(wordnet, pairs[:, 0], pairs[:, 1]).diagonal()
    return values


def synthetic_snomed(table: Table) -> None:
    """A made-up release of the size of SNOMED CT: parsed once, then from the cache."""
    table.title("Synthetic SNOMED CT: 350,000 concepts, 500,000 is-a links, fresh processes")
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-") as folder:
        release, cache = Path(folder) / "release", Path(folder) / "cache"
        write_release(release)
        first = fresh_process(str(release), cache=cache)
        again = [fresh_process(str(release), "1000", cache=cache) for _ in range(3)]
    load, warm = median(run["load"] for run in again), min(run["warm"] for run in again)
    memory = max(run["memory"] for run in [first, *again])
    table.line("first load (import and parse)", f"{first['load']:.1f} s", "<= 60 s", first["load"] <= 60)
    table.line("load from the cache (median of 3)", f"{load:.2f} s", "<= 1 s", load <= 1)
    table.line("logsc 1,000 x 1,000, warm (best)", f"{warm * 1e3:.1f} ms", "<= 50 ms", warm <= 0.05)
    table.line("logsc 1,000 x 1,000, first", f"{min(run['first'] for run in again):.2f} s")
    table.line("peak memory of all of these", f"{memory:.2f} GiB", "<= 2 GiB", memory <= 2)


if __name__ == "__main__":
    sys.exit(main())
