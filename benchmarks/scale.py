"""How masking grows to a million distinct tuples: loss beside SA-MDAV, seconds, memory, growth.

`python benchmarks/scale.py`, or `--quick` without SA-MDAV of 100,000 tuples, which takes minutes. Tuples are
drawn here from a seed: four words each, from trees of 300 concepts, k = 5; every release is made in a process
of its own, which masks a smaller table first, so that nothing is compiled while time is taken. Then KDD
Census-Income from its file, where it can be downloaded. Seconds are of masking itself, by the clock and of
the processor on all cores; memory is that of the whole process. A missed bar makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np

import ontomask as om
from census import census
from measures import Table, busy
from ontomask.attributes import Attribute, Nominal, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.measures import MEASURES
from ontomask.methods import METHODS, Method
from ontomask.ontology import Ontology
from ontomask.ontology.draft import Draft
from ontomask.pipeline import prepare
from ontomask.privacy import KAnonymity
from peers import PeerError

SEED, K = 1, 5
NAMES, CONCEPTS, VALUES = "abcd", 300, 150
EVEN, EXPONENT = 0.7, 0.7  # how regular trees are; how much common values lead
SIZES = (10_000, 20_000, 100_000, 1_000_000)
FIRST = 17_000  # tuples that are masked before time is taken: more than one block of annealing
GROWTH, SECONDS, GIB = 1.2, 90, 6


class Bar(NamedTuple):
    """Times the loss of SA-MDAV, in so many seconds by the clock."""

    loss: float
    seconds: float

    def __str__(self) -> str:
        return f"x {self.loss}, {self.seconds:g} s"


MUST = {20_000: Bar(0.95, 2), 100_000: Bar(0.90, 6)}
AIM = {20_000: Bar(0.85, 2), 100_000: Bar(0.80, 12)}


class Found(NamedTuple):
    """What a process says of the release that it made."""

    loss: float  # L %
    clock: float
    processor: float
    memory: float  # GiB

    @property
    def note(self) -> str:
        return f"clock {self.clock:.2f} s, CPU {self.processor:.2f} s, peak {self.memory:.2f} GiB"


def main() -> int:
    """Run it all, or make one release and tell of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave SA-MDAV of 100,000 tuples out")
    parser.add_argument("--one", nargs=3, metavar=("METHOD", "EFFORT", "TUPLES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        method, effort, size = options.one
        print(json.dumps(release_of(method_named(method, effort), size)))
        return 0

    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, seed {SEED}")
    print(busy())
    table.title(f"Distinct tuples of four words, k = {K}: L %")
    for size in (20_000,) if options.quick else (20_000, 100_000):
        beside_sa_mdav(table, size)
    growth(table)
    real_table(table)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


# ---------------------------------------------------------------------- tuples that are drawn


def synthetic(size: int) -> tuple[Tuples, list[Attribute]]:
    """So many distinct tuples, each of one record."""
    rng = np.random.default_rng(SEED)
    attributes: list[Attribute] = []
    for name in NAMES:
        ontology = tree(name, rng)
        values = 1 + np.sort(rng.permutation(CONCEPTS - 1)[:VALUES])
        attributes.append(Nominal(name, 1.0, -1, ontology, MEASURES["logsc"](), values.astype(np.int32)))
    shares = 1 / np.arange(1, VALUES + 1) ** EXPONENT
    leading = [rng.permutation(VALUES) for _ in NAMES]
    codes = np.empty((0, len(NAMES)), np.int32)
    while len(codes) < size:
        drawn = [order[rng.choice(VALUES, size, p=shares / shares.sum())] for order in leading]
        codes = np.unique(np.vstack([codes, np.stack(drawn, axis=1).astype(np.int32)]), axis=0)
    kept = np.sort(rng.permutation(len(codes))[:size])
    return Tuples(np.ascontiguousarray(codes[kept]), np.ones(size, np.int64)), attributes


def tree(name: str, rng: np.random.Generator) -> Ontology:
    """Most concepts have three below them, as they come; the others are put anywhere."""
    edges = []
    for child in range(1, CONCEPTS):
        parent = (child - 1) // 3 if rng.random() < EVEN else int(rng.integers(child))
        edges.append((f"{name}{child}", f"{name}{parent}"))
    return Draft.from_edges(name, edges)


# ---------------------------------------------------------------------- one release


def method_named(name: str, effort: str) -> Method:
    """A method; the effort is that of annealing."""
    return METHODS[name](**({"effort": effort} if name == "annealing" else {}))


def release_of(method: Method, size: str) -> Found:
    """Mask a small table, then the one that is asked for: so many tuples that are drawn, or `census`."""
    made(method, *synthetic(FIRST))
    if size == "census":
        subject = census()
        prepared = prepare(subject.table, subject.plan)
        return made(method, prepared.tuples, prepared.attributes)
    return made(method, *synthetic(int(size)))


def made(method: Method, tuples: Tuples, attributes: list[Attribute]) -> Found:
    """Mask, and count what it took and what was lost."""
    clock, processor = time.perf_counter(), time.process_time()
    masking = method.mask(tuples, attributes, [KAnonymity(K)], np.random.default_rng(SEED))
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    view = ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking))
    assert view.pairs.class_sizes.min() >= K
    return Found(losses(view)["information_loss"], clock, processor, memory)


def found_by(method: str, effort: str, size: int | str) -> Found:
    """What a process of its own found."""
    command = [sys.executable, __file__, "--one", method, effort, str(size)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Found(*json.loads(result.stdout))


# ---------------------------------------------------------------------- what is printed


def beside_sa_mdav(table: Table, size: int) -> None:
    """Every effort beside SA-MDAV of all tuples at once; some effort must reach the bar in its time."""
    rival = found_by("sa-mdav", "", size)
    table.line(f"sa-mdav, {size:,}", f"{rival.loss:.4f}", note=rival.note)
    efforts = {effort: found_by("annealing", effort, size) for effort in ("quick", "normal")}
    for effort, found in efforts.items():
        what = f"annealing {effort}, {size:,}"
        table.line(what, f"{found.loss:.4f} = x {found.loss / rival.loss:.3f}", note=found.note)
    passing, aiming = (
        [effort for effort, one in efforts.items() if is_within(one, rival, bars[size])]
        for bars in (MUST, AIM)
    )
    said = f"aim {AIM[size]}: {' and '.join(aiming) or 'none'}"
    table.line(
        f"loss in time, {size:,}", " and ".join(passing) or "none", str(MUST[size]), bool(passing), said
    )


def is_within(found: Found, rival: Found, bar: Bar) -> bool:
    """Whether both loss and time are within a bar."""
    return found.loss <= bar.loss * rival.loss and found.clock <= bar.seconds


def growth(table: Table) -> None:
    """Time and memory of quick effort, up to a million tuples."""
    table.title(f"Growth, quick effort, k = {K}: seconds by the clock")
    found = {size: found_by("annealing", "quick", size) for size in SIZES}
    for size, one in found.items():
        table.line(f"annealing quick, {size:,}", f"{one.clock:.2f} s", note=f"L {one.loss:.4f} %, {one.note}")
    largest = found[max(SIZES)]
    table.line("time of a million", f"{largest.clock:.1f} s", f"<= {SECONDS} s", largest.clock <= SECONDS)
    table.line("memory of a million", f"{largest.memory:.2f} GiB", f"<= {GIB} GiB", largest.memory <= GIB)
    for what, times in (
        ("clock", [one.clock for one in found.values()]),
        ("CPU", [one.processor for one in found.values()]),
    ):
        exponent = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
        bar = f"<= {GROWTH}" if what == "CPU" else ""
        table.line(f"{what} ~ p^x", f"x = {exponent:.2f}", bar, not bar or exponent <= GROWTH)


def real_table(table: Table) -> None:
    """Rows of a census, with what they are in."""
    try:
        subject = census()
    except PeerError as error:
        print(f"\nskipped: KDD Census-Income; {error}")
        return
    begin = time.perf_counter()
    prepared = prepare(subject.table, subject.plan)
    seconds = time.perf_counter() - begin
    size = f"n = {prepared.tuples.n:,}, p = {len(prepared.tuples):,}"
    table.title(f"{subject.name} ({size}; read and linked in {seconds:.1f} s), k = {K}: L %")
    for method, effort in (("annealing", "quick"), ("annealing", "normal"), ("sa-mdav", "")):
        found = found_by(method, effort, "census")
        table.line(f"{method} {effort}".strip(), f"{found.loss:.4f}", note=found.note)


if __name__ == "__main__":
    sys.exit(main())
