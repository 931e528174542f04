"""Files that are put in place together or not at all, whatever stops the program."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from ontomask.errors import OntomaskError
from ontomask.files import files_below, remove, replacing, same_file, staging
from ontomask.signals import stopped_by_signals, uninterrupted


def contents(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text() if p.is_file() else "(folder)" for p in sorted(folder.iterdir())}


def write_both(folder: Path, text: str, check: object = None) -> None:
    with staging(check) as files:  # type: ignore[arg-type]
        for name in ("table", "seal"):
            with files.writing(folder / name) as staged:
                staged.write_text(f"{text} {name}")


def test_all_files_are_put_in_place(tmp_path: Path) -> None:
    write_both(tmp_path, "first")
    write_both(tmp_path, "second")
    assert contents(tmp_path) == {"table": "second table", "seal": "second seal"}


def test_none_is_if_the_block_fails(tmp_path: Path) -> None:
    write_both(tmp_path, "first")
    with pytest.raises(ZeroDivisionError), staging() as files:
        with files.writing(tmp_path / "table") as staged:
            staged.write_text("second")
        raise ZeroDivisionError
    assert contents(tmp_path) == {"table": "first table", "seal": "first seal"}


def test_none_is_if_the_check_fails(tmp_path: Path) -> None:
    def check() -> None:
        raise OntomaskError("no")

    with pytest.raises(OntomaskError, match="no"):
        write_both(tmp_path, "first", check)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_what_stood_there_is_back_if_a_move_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    write_both(tmp_path, "first")
    honest, moves = Path.replace, iter(range(1, 100))

    def failing(self: Path, target: Path) -> Path:
        if next(moves) == fails_at:
            raise OSError(28, "No space left on device")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OntomaskError, match=r"cannot write .*: No space left on device"):
        write_both(tmp_path, "second")
    assert contents(tmp_path) == {"table": "first table", "seal": "first seal"}


def test_a_folder_in_the_way_leaves_all_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "seal").mkdir()
    with pytest.raises(OntomaskError, match="it is a folder"):
        write_both(tmp_path, "first")
    assert contents(tmp_path) == {"seal": "(folder)"}


def test_a_seal_never_stands_beside_what_it_does_not_vouch_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every moment of a move, the seal is that of the table, or there is none."""
    write_both(tmp_path, "first")
    honest, seen = Path.replace, []

    def watched(self: Path, target: Path) -> Path:
        moved = honest(self, target)
        seen.append({name: text for name, text in contents(tmp_path).items() if not name.startswith(".")})
        return moved

    monkeypatch.setattr(Path, "replace", watched)
    write_both(tmp_path, "second")
    assert len(seen) == 4
    for files in seen:
        assert "seal" not in files or files["table"].split()[0] == files["seal"].split()[0]


def test_what_is_staged_is_private_and_what_is_in_place_is_not(tmp_path: Path) -> None:
    with replacing(tmp_path / "out.csv") as staged:
        (private,) = tmp_path.iterdir()
        assert staged.is_relative_to(private) and stat.S_IMODE(private.stat().st_mode) == 0o700
        staged.write_text("x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "out.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_takes_the_place_of_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with replacing(tmp_path / "out") as staged:
        staged.mkdir()
        (staged / "part").write_text("x")
    assert contents(tmp_path / "out") == {"part": "x"}
    with pytest.raises(OntomaskError, match="it is a folder"), replacing(tmp_path / "out") as staged:
        staged.mkdir()


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    with replacing(tmp_path / ("n" * 255)) as staged:
        staged.write_text("x")
    with (
        pytest.raises(OntomaskError, match="File name too long"),
        replacing(tmp_path / ("n" * 256)) as staged,
    ):
        staged.write_text("x")
    assert list(contents(tmp_path)) == ["n" * 255]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_removes_what_was_staged(tmp_path: Path, number: signal.Signals) -> None:
    program = f"""
import os
from pathlib import Path
from ontomask.files import replacing
with replacing(Path({str(tmp_path)!r}) / "out.csv") as staged:
    staged.write_text("half")
    os.kill(os.getpid(), {int(number)})
    while True: pass
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], timeout=60)
    assert done.returncode == 128 + number
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, None)])
def test_a_library_does_not_turn_a_signal_into_a_fault(number: signal.Signals, code: int | None) -> None:
    """As DuckDB does: it notices the exception of the handler and raises an error of its own."""
    with pytest.raises((SystemExit, KeyboardInterrupt)) as ended, stopped_by_signals():
        try:
            signal.raise_signal(number)
        except BaseException:
            raise RuntimeError("Query interrupted") from None
    assert getattr(ended.value, "code", None) == code


def test_a_signal_whose_exception_is_lost_ends_the_block_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Noisy:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(sys, "unraisablehook", lambda lost: None)
    with pytest.raises(SystemExit) as ended, stopped_by_signals():
        Noisy()
    assert ended.value.code == 143


def test_signals_wait_for_a_block_that_must_not_be_interrupted() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done.append(1)
    assert done == [1]


def test_other_threads_write_too(tmp_path: Path) -> None:
    thread = threading.Thread(target=write_both, args=(tmp_path, "first"))
    thread.start()
    thread.join()
    assert contents(tmp_path) == {"table": "first table", "seal": "first seal"}


def test_two_programs_do_not_mix_their_files(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from ontomask.files import staging
for i in range(200):
    with staging() as files:
        for name in ("table", "report", "seal"):
            with files.writing(Path({str(tmp_path)!r}) / name) as staged:
                staged.write_text(f"{{sys.argv[1]}} {{i}}")
"""
    runs = [subprocess.Popen([sys.executable, "-P", "-c", program, name]) for name in "ab"]
    assert [run.wait(60) for run in runs] == [0, 0]
    found = contents(tmp_path)
    assert list(found) == ["report", "seal", "table"] and len(set(found.values())) == 1


def test_a_whole_disk_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "a.txt").write_text("x")
    (tmp_path / "b.csv").write_text("x")
    assert [*files_below(tmp_path, "*.txt")] == [tmp_path / "deep" / "er" / "a.txt"]
    monkeypatch.setattr("ontomask.files.MOST_FILES", 1)
    with pytest.raises(OntomaskError, match="more than 1 files are in this folder"):
        list(files_below(tmp_path, "*.txt"))


def test_same_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "loop").symlink_to("loop")
    assert same_file(tmp_path / "a", tmp_path / "link")
    assert same_file(tmp_path / "none", tmp_path / "." / "none")
    assert not same_file(tmp_path / "a", tmp_path / "none")
    assert not same_file(tmp_path / "a", tmp_path / "loop")


def test_a_link_is_removed_and_not_what_it_points_at(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    remove(tmp_path / "link")
    assert contents(tmp_path) == {"kept": "(folder)"}


def test_a_fault_of_the_block_stays_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="of the program"), replacing(tmp_path / "out.csv"):
        raise ValueError("of the program")
    with pytest.raises(OntomaskError, match="cannot write"), replacing(tmp_path / "o\0ut.csv") as staged:
        staged.write_text("x")
    assert contents(tmp_path) == {}


def test_what_cannot_be_put_back_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()

    def write(text: str) -> None:
        with staging() as files:
            for target in [tmp_path / name for name in ("here/table", "there/report", "here/seal")]:
                with files.writing(target) as staged:
                    staged.write_text(f"{text} {target.name}")

    write("first")
    honest = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if self.parent.name == "old" or (self.parent.name, self.name) == ("new", "seal"):
            raise OSError(5, "Input/output error")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OntomaskError) as told:
        write("second")
    monkeypatch.undo()
    kept = [Path(fault.remedy.removeprefix("it is kept as ")) for fault in told.value.faults]
    assert sorted(path.read_text() for path in kept) == ["first report", "first seal", "first table"]


class Recorded:
    """A transaction that says what is asked of it, and may fail."""

    def __init__(self, folder: Path, fails: str = "") -> None:
        self.folder, self.fails, self.asked = folder, fails, list[tuple[str, list[str]]]()

    def _do(self, what: str) -> None:
        there = [name for name in ("report", "manifest") if (self.folder / name).exists()]
        self.asked.append((what, there))
        if what == self.fails:
            raise OntomaskError(f"cannot {what}")

    def put_in_place(self) -> None:
        self._do("put in place")

    def commit(self) -> None:
        self._do("commit")

    def roll_back(self) -> None:
        self._do("roll back")


def test_a_transaction_is_committed_before_what_vouches_for_it_is_there(tmp_path: Path) -> None:
    one = Recorded(tmp_path)
    with staging() as files:
        files.join(one)
        for name in ("report", "manifest"):
            with files.writing(tmp_path / name) as staged:
                staged.write_text("x")
    both = ["report", "manifest"]
    assert one.asked == [("put in place", []), ("commit", ["report"]), ("roll back", both)]


def test_what_vouches_for_a_committed_transaction_is_kept_if_it_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old manifest would vouch for what is no longer there."""
    (tmp_path / "manifest").write_text("old")
    honest = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if (self.parent.name, self.name) == ("new", "manifest"):
            raise OSError(5, "Input/output error")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with (
        pytest.raises(OntomaskError, match="the release is in its place already") as told,
        staging() as files,
    ):
        files.join(Recorded(tmp_path))
        for name in ("report", "manifest"):
            with files.writing(tmp_path / name) as staged:
                staged.write_text("new")
    kept = Path(told.value.faults[0].remedy.removeprefix("it is kept as "))
    assert kept.read_text() == (tmp_path / "report").read_text() == "new"
    assert not (tmp_path / "manifest").exists()


def test_a_transaction_without_files_is_committed(tmp_path: Path) -> None:
    one = Recorded(tmp_path)
    with staging() as files:
        files.join(one)
    assert [what for what, _ in one.asked] == ["put in place", "commit", "roll back"]


@pytest.mark.parametrize("fails", ["put in place", "commit"])
def test_a_transaction_that_fails_leaves_the_old_files(tmp_path: Path, fails: str) -> None:
    (tmp_path / "manifest").write_text("old")
    one = Recorded(tmp_path, fails)
    with pytest.raises(OntomaskError, match=f"cannot {fails}"), staging() as files:
        files.join(one)
        for name in ("report", "manifest"):
            with files.writing(tmp_path / name) as staged:
                staged.write_text("new")
    assert contents(tmp_path) == {"manifest": "old"}
    assert one.asked[-1][0] == "roll back"


def test_a_transaction_is_rolled_back_if_the_block_fails(tmp_path: Path) -> None:
    one = Recorded(tmp_path)
    with pytest.raises(ValueError, match="x"), staging() as files:
        files.join(one)
        raise ValueError("x")
    assert [what for what, _ in one.asked] == ["roll back"]


def test_files_that_are_looked_at_are_always_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")
    second.write_text("old")
    seen = list[tuple[bool, bool]]()
    honest, fails = Path.replace, True

    def watched(self: Path, target: Path) -> Path:
        seen.append((first.exists(), second.exists()))
        if fails and target == second and self.parent.name == "new":
            raise OSError(28, "No space left on device")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    for fails in (True, False):
        with suppress(OntomaskError), staging(is_always_there=True) as staged:
            for path in (first, second):
                with staged.writing(path) as temporary:
                    temporary.write_text("new")
        assert [first.read_text(), second.read_text()] == ["old" if fails else "new"] * 2
    assert set(seen) == {(True, True)}
    assert sorted(tmp_path.iterdir()) == [first, second]
