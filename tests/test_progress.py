"""Progress is data: a phase, and a fraction of the whole command that only grows."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import datasets
from ontomask.progress import RUN, Phases, Progress


def test_a_fraction_is_that_of_the_whole() -> None:
    told: list[Progress] = []
    phases = Phases({"a": 1, "b": 2, "c": 1}, told.append)
    phases.tell("a")
    phases.tell("b", 0.5)
    phases.tell("c")
    phases.tell("c", 1.0)
    assert told == [
        Progress("a", 0.0),
        Progress("b", (1 + 0.5 * 2) / 4),
        Progress("c", (1 + 2) / 4),
        Progress("c", 1.0),
    ]


def test_it_never_goes_back_nor_beyond() -> None:
    told: list[Progress] = []
    phases = Phases({"a": 1, "b": 1}, told.append)
    phases.tell("b", 7.0)
    phases.tell("a", -1.0)
    phases.tell("something else")
    assert told == [Progress("b", 1.0), Progress("a", 1.0), Progress("something else", 1.0)]


def test_a_count_is_watched_while_a_phase_runs() -> None:
    told: list[Progress] = []
    half, counter = threading.Event(), np.zeros(2, np.int64)

    def listen(progress: Progress) -> None:
        told.append(progress)
        if progress.fraction == 0.5:
            half.set()

    phases = Phases({"masking": 1}, listen)
    with phases.watching("masking", counter, total=8, every=0.001):
        counter[:] = 3, 1  # two workers
        assert half.wait(10)
    assert (told[0], told[-1]) == (Progress("masking", 0.0), Progress("masking", 1.0))
    assert not [thread for thread in threading.enumerate() if thread.name == "watch masking"]


def test_a_phase_that_fails_is_not_told_as_done() -> None:
    told: list[Progress] = []
    phases = Phases({"masking": 1}, told.append)
    with pytest.raises(KeyboardInterrupt), phases.watching("masking", np.zeros(1, np.int64), total=8):
        raise KeyboardInterrupt
    assert told[-1].fraction == 0.0


def test_a_run_tells_its_phases(tmp_path: Path) -> None:
    told: list[Progress] = []
    om.anonymize(
        pa.table({"age": [1, 2, 3, 4]}), om.Plan.from_options(["age:numeric"], k=2), progress=told.append
    )
    assert list(dict.fromkeys(one.phase for one in told)) == list(RUN)
    assert [one.fraction for one in told] == sorted(one.fraction for one in told)


def test_a_search_is_ended_once_and_only_while_it_goes_on() -> None:
    phases, stop = Phases({"masking": 1}), np.zeros(1, np.int64)
    assert not phases.end_early()
    with phases.watching("masking", np.zeros(1, np.int64), total=8):
        assert not phases.end_early()  # what runs cannot end early
    with phases.watching("masking", np.zeros(1, np.int64), total=8, stop=stop):
        assert not phases.ended_early and not stop[0]
        assert phases.end_early() and stop[0] and phases.ended_early
        assert not phases.end_early()
    assert not phases.end_early()


def test_progress_for_machines_is_lines_of_json(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from ontomask.cli import main; main()", "anonymize"]
    given = [str(datasets.path("patients.csv")), "--plan", str(datasets.path("patients.yaml"))]
    target = tmp_path / "release.csv"
    run = subprocess.run(
        [*command, *given, "-o", str(target), "--json", "--json-progress"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = [json.loads(line)["progress"] for line in run.stderr.splitlines()]
    assert told[0]["phase"] == "reading"
    assert told[-1]["phase"] == "writing"
    assert all(0 <= a["fraction"] <= b["fraction"] <= 1 for a, b in pairwise(told))
    assert json.loads(run.stdout)["release"] == str(target)
