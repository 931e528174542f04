"""`python -m tests.hostile`: the long part, and one table of what was tried and what failed.

`--case SEED` repeats one generated case and says what is wrong with it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from hostile import bad
from hostile.disturbed import run_neighbours, run_signals, warm
from hostile.run_cases import Tally, run_case, run_cases

_BATCH = 500
_HUNG = 120.0
_SHOWN = 40


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="generated cases")
    parser.add_argument("--installed", type=int, default=50, help="cases through the installed command")
    parser.add_argument("--signals", type=int, default=500)
    parser.add_argument("--neighbours", type=int, default=100, help="times that several runs share an output")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--case", type=int, help="repeat the case of this seed")
    parser.add_argument("--only", help="parts to run, comma-separated: cases, bad, signals, concurrent, ...")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    # Every manifest asks which packages there are: a tenth of the time, and the same answer.
    importlib.metadata.version = cache(importlib.metadata.version)
    with tempfile.TemporaryDirectory(prefix="hostile-cache-") as folder:
        os.environ["ONTOMASK_CACHE"] = folder
        if given.case is not None:
            return _repeat(given.case)
        tallies = []
        for name, part in _parts(given).items():
            if given.only is None or name in given.only.split(","):
                tallies.append(part())
                _tell(tallies[-1])
    _print_table(tallies)
    return 1 if any(tally.failures for tally in tallies) else 0


def _parts(given: argparse.Namespace) -> dict[str, Callable[[], Tally]]:
    return {
        "cases": lambda: _shared(given.seed, given.cases, given.processes),
        "installed": lambda: run_cases(_commands(given.seed, given.installed), "installed"),
        "bad": lambda: _bad_inputs(),
        "canaries": lambda: _canaries(),
        "labels": lambda: _labels(),
        "signals": lambda: run_signals(given.signals, given.seed, installed=given.signals // 20),
        "concurrent": lambda: run_neighbours(given.neighbours, given.seed),
    }


def _repeat(seed: int) -> int:
    from hostile.cases import case

    print(case(seed))
    print(case(seed).plan)
    was_released, findings = run_case(seed)
    print("released" if was_released else "not released")
    for rule, text in findings:
        print(f"{rule}: {text}")
    return 1 if findings else 0


# ---------------------------------------------------------------------- cases, in several processes


def _shared(first: int, n: int, processes: int) -> Tally:
    """Batches of cases over some processes; a case that takes its process along is a failure of its own."""
    started, total = time.monotonic(), Tally("cases")
    waiting = [range(at, min(at + _BATCH, first + n)) for at in range(first, first + n, _BATCH)][::-1]
    running: dict[Connection, _Worker] = {}
    warm()
    while waiting or running:
        while waiting and len(running) < processes:
            worker = _Worker(waiting.pop())
            running[worker.results] = worker
        for results in wait(list(running), timeout=5):
            worker = running[results]  # type: ignore[index]
            if worker.has_more(total):
                continue
            del running[worker.results]
            if worker.left:
                total.tried += 1
                total.failures.append(f"case {worker.left[0]}: its process ended with {worker.code}")
                waiting.append(worker.left[1:])
        for worker in running.values():
            worker.stop_if_hung()
    total.seconds = time.monotonic() - started
    return total


class _Worker:
    """A process with a batch of cases; `left` are those it has not told of."""

    def __init__(self, seeds: range) -> None:
        context = multiprocessing.get_context("fork")
        self.left, self._heard = seeds, time.monotonic()
        self.results, telling = context.Pipe(duplex=False)
        self._process = context.Process(target=_batch, args=(seeds, telling))
        self._process.start()
        telling.close()

    def has_more(self, total: Tally) -> bool:
        """Take one result; whether there was one."""
        try:
            total.add(self.results.recv())
        except EOFError:
            self._process.join()
            return False
        self.left, self._heard = self.left[1:], time.monotonic()
        return True

    def stop_if_hung(self) -> None:
        if time.monotonic() - self._heard > _HUNG:
            self._process.kill()

    @property
    def code(self) -> int | None:
        return self._process.exitcode


def _batch(seeds: range, telling: Any) -> None:
    for seed in seeds:
        telling.send(run_cases(range(seed, seed + 1)))


def _commands(first: int, n: int) -> list[int]:
    """The first seeds whose cases go through the command."""
    from itertools import count, islice

    from hostile.cases import case

    return list(islice((seed for seed in count(first) if case(seed).way == "command"), n))


# ---------------------------------------------------------------------- the other parts


def _checked(part: str, faults_of: Iterable[tuple[str, Callable[[], list[str]]]]) -> Tally:
    """A part in which everything is refused or kept, and says what is wrong."""
    started, tally = time.monotonic(), Tally(part)
    warm()
    bad.warm()
    for name, faults in faults_of:
        found = faults()
        tally.tried += 1
        if found:
            tally.failures.append(f"{part}, {name}: {'; '.join(found)[:400]}")
    tally.seconds = time.monotonic() - started
    return tally


def _bad_inputs() -> Tally:
    from hostile.bad_inputs import all_bad_inputs

    return _checked("bad inputs", ((str(one), lambda one=one: bad.answer(one)) for one in all_bad_inputs()))  # type: ignore[misc]


def _canaries() -> Tally:
    from hostile.canaries import flights, leaks, leaks_of_a_refusal

    named = [(" -> ".join(flight[:3]), lambda flight=flight: leaks(*flight)) for flight in flights()]
    return _checked("canaries", [*named, ("refused runs", leaks_of_a_refusal)])


def _labels() -> Tally:
    from hostile.labels import HOSTILE, what_is_wrong

    return _checked("hostile labels", ((name, lambda name=name: what_is_wrong(name)) for name in HOSTILE))  # type: ignore[misc]


# ---------------------------------------------------------------------- telling


def _tell(tally: Tally) -> None:
    for failure in tally.failures[:_SHOWN]:
        print(failure.replace("\n", " | "), flush=True)
    if len(tally.failures) > _SHOWN:
        print(f"{tally.part}: and {len(tally.failures) - _SHOWN} more")


def _print_table(tallies: list[Tally]) -> None:
    print(f"\n{'part':<18}{'tried':>9}{'released':>10}{'refused':>9}{'failed':>8}{'seconds':>9}")
    for one in tallies:
        figures = (one.tried, one.released, one.refused, len(one.failures))
        print(
            f"{one.part:<18}{figures[0]:>9,}{figures[1]:>10,}{figures[2]:>9,}{figures[3]:>8,}{one.seconds:>9.0f}"
        )


if __name__ == "__main__":
    sys.exit(main())
