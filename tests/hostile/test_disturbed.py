"""The quick part of what is left when runs are disturbed, of canaries, and of hostile labels."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hostile import bad, canaries, labels
from hostile.disturbed import arguments, people, run_neighbours, run_signals, warm, what_is_wrong
from hostile.running import CrashError, command_here, ended, forked_command, in_child, workplace


@pytest.mark.parametrize("seed", [1, 2])
def test_a_signal_leaves_all_or_nothing(seed: int) -> None:
    tally = run_signals(10, seed)
    assert not tally.failures, "\n".join(tally.failures)


def test_neighbours_with_one_output_leave_a_true_manifest() -> None:
    tally = run_neighbours(4, 1)
    assert not tally.failures, "\n".join(tally.failures)


@pytest.mark.parametrize("flight", canaries.flights()[::6], ids=lambda flight: "-".join(flight[:3]))
def test_canaries_stay_where_they_may_be(flight: tuple[str, str, str, str, dict[str, object]]) -> None:
    warm()
    assert canaries.leaks(*flight) == []


def test_a_refusal_shows_no_values_of_the_table() -> None:
    assert canaries.leaks_of_a_refusal() == []


def test_hostile_labels_stay_texts() -> None:
    bad.warm()
    assert labels.what_is_wrong("all at once") == []


# ---------------------------------------------------------------------- the watchers themselves


def _spoilt(folder: Path, what: str) -> None:
    release, manifest = folder / "out.csv", folder / "out.manifest.json"
    if what == "cut":
        release.write_bytes(release.read_bytes()[:-5])
    elif what == "other":
        release.write_text(release.read_text().replace("town", "city"))
    elif what == "left":
        (folder / ".out.csv.1234.csv").write_text("x")
    elif what == "alone":
        manifest.unlink()
    elif what == "gone":
        release.unlink()


@pytest.mark.parametrize("what", ["", "cut", "other", "left", "alone", "gone"])
def test_the_watcher_sees_what_is_left(what: str) -> None:
    with workplace() as folder:
        people(folder)
        assert command_here(arguments("out.csv", 3, False)).code == 0
        _spoilt(folder, what)
        assert bool(list(what_is_wrong(folder, "out.csv", {3}, False))) == bool(what)


def test_a_child_that_crashes_is_told() -> None:
    import os
    import signal

    with pytest.raises(CrashError, match="SIGSEGV"):
        in_child(lambda: os.kill(os.getpid(), signal.SIGSEGV))


def test_a_child_leaves_the_temporary_folders_of_its_parent(tmp_path: Path) -> None:
    with TemporaryDirectory() as needed:
        (tmp_path / "run").mkdir()
        assert ended(forked_command(["--version"], tmp_path / "run")) == 0
        assert Path(needed).is_dir()


def test_tags_and_escapes_are_seen() -> None:
    assert labels._tags("<p>x</p>") != labels._tags("<p>x<script></script></p>")
    assert list(labels._on_screen("\x1b[31mred", "red")) and not list(
        labels._on_screen("\x1b[1mx", "\x1b[1my")
    )
