"""Runs of the product: the command in this process, in a forked child, or as installed; folders watched.

A forked child starts warm, so that hundreds of runs can be disturbed in a minute.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import io
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar, cast

COMMAND = Path(sys.executable).with_name("ontomask")
SECONDS = 120  # the first run of a method compiles it

T = TypeVar("T")
_POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `code` is None if an exception came through, which `err` then holds."""

    code: int | None
    out: str
    err: str

    @property
    def is_traceback(self) -> bool:
        return self.code is None or "Traceback (most recent call last)" in self.err


class Hang(BaseException):
    """A run took too long. Not an `Exception`, so that nothing on the way takes it for its own."""


@contextlib.contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `Hang` in this process if the block takes longer."""

    def stop(number: int, frame: object) -> None:
        raise Hang(f"longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def command_here(arguments: Sequence[str], seconds: float = SECONDS, *, typed: str = "") -> Outcome:
    """The command in this process; its standard input is what was typed."""
    from ontomask.cli import main

    out, err = _Stream(), _Stream()
    argv, sys.argv = sys.argv, ["ontomask", *arguments]
    stdin, sys.stdin = sys.stdin, io.StringIO(typed)
    handlers = {one: signal.getsignal(one) for one in _POLITE}
    code: int | None = 0
    try:
        with limited(seconds), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except (Exception, Hang):
        code = None
        err.write(traceback.format_exc())
    finally:
        sys.argv, sys.stdin = argv, stdin
        for one, handler in handlers.items():
            signal.signal(one, handler)
    return Outcome(code, out.text(), err.text())


class _Stream(io.TextIOWrapper):
    """A stream that is kept, with bytes below it as a real one has."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)

    def text(self) -> str:
        return bytes(self.buffer.getvalue()).decode("utf-8", "replace")  # type: ignore[attr-defined]


def installed_command(
    arguments: Sequence[str], folder: Path, seconds: float = SECONDS, env: Mapping[str, str] | None = None
) -> Outcome:
    """The command as users start it."""
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        timeout=seconds,
        env={**os.environ, **(env or {})},
    )
    return Outcome(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


def forked_command(
    arguments: Sequence[str], folder: Path, env: Mapping[str, str] | None = None, *, terminal: int = 0
) -> int:
    """Start the command in a child of this process; its id.

    It writes `out` and `err` beside the folder, or both to a terminal.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _POLITE)  # until the command itself can answer
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        for stream, name in ((1, "out"), (2, "err")):
            file = terminal or os.open(f"{folder}.{name}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            os.dup2(file, stream)
        os.chdir(folder)
        os.environ.update(env or {})
        command_in_child(arguments)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _POLITE)
    return child


def command_in_child(arguments: Sequence[str]) -> NoReturn:
    """The command in a child that was just forked, as if it had been started there; it does not come back."""
    code, has_begun = 1, False
    for inherited in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        inherited.atexit = False  # temporary folders of the parent, which still needs them
    try:
        for one in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(stream, "wb", 0), "utf-8", write_through=True) for stream in (1, 2)
        )
        tempfile.tempdir = None
        sys.argv = ["ontomask", *arguments]
        from ontomask.cli import main

        signal.pthread_sigmask(signal.SIG_UNBLOCK, _POLITE)
        has_begun = True
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        if has_begun:
            traceback.print_exc()
        else:
            code = 128 + signal.SIGINT
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def ended(child: int) -> int:
    """Wait for a child; its exit code, or the negative number of the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_child(work: Callable[[], T], seconds: float = SECONDS) -> T:
    """What `work` gives in a child of this process; `CrashError` if the child dies or does not end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(int(seconds) + 1)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    code = ended(child)
    if code:
        raise CrashError("a traceback of its own" if code > 0 else f"ended by {signal.Signals(-code).name}")
    return cast(T, pickle.loads(content))


class CrashError(Exception):
    """A child process did not come to its end."""


# ---------------------------------------------------------------------- folders


def snapshot(folder: Path) -> dict[str, str]:
    """What is in a folder: names with digests, links with their aims, and what else there is."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            try:
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                found[name] = f"unreadable: {error.strerror}"
        else:
            found[name] = "folder" if path.is_dir() else "special"
    return found


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Names that came, went or changed."""
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder in memory, if the machine has one, gone afterwards; it is the current one meanwhile."""
    fast = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="hostile-", dir=fast if os.access(fast, os.W_OK) else None))
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
