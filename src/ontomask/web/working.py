"""Long work in processes of its own: a command of the command line, or a function that is called.

Whoever shows it asks how far it is. To cancel is to end the process: commands leave nothing half-written.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import Any

from ontomask.errors import Fault, OntomaskError
from ontomask.progress import Progress

_RUN = "import sys; from ontomask.cli import main; sys.argv[0] = 'ontomask'; main()"
_PATIENCE = 10.0  # seconds until a process that was asked to end is ended
_IMPORTED = "ontomask.web.app"
_STEPS_BACK = 10  # of priority: what somebody looks at comes first


@dataclass(frozen=True)
class Failure:
    """Why there is no result: faults in words; `kind` is the name of the error."""

    kind: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class SoFar:
    """What a task has before it has all."""

    result: Any


Tell = Callable[[Progress | SoFar], None]


class Job(ABC):
    """Something that runs, or did: how far it is, what it has so far, what came of it."""

    def __init__(self) -> None:
        self.progress = Progress("starting", 0.0)
        self.so_far: Any = None
        self.result: Any = None
        self.failure: Failure | None = None
        self.is_cancelled = False
        self._thread = Thread(target=self._hear, daemon=True, name="hears what a process tells")

    def _hear(self) -> None:
        try:
            self._run()
        except OSError as error:
            why = f"no process could be begun for it: {error.strerror}"
            self.failure = Failure("Ended", (Fault(why, remedy="close other programs, and try again"),))

    @abstractmethod
    def _run(self) -> None:
        """Hear what the process tells until it ends, and keep it."""

    @abstractmethod
    def _end(self) -> None:
        """End the process, if it is there."""

    @property
    @abstractmethod
    def process(self) -> int | None:
        """Its number."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return not self._thread.is_alive()

    @property
    def has_failed(self) -> bool:
        """Whether it ended, or is to end, without a result.

        A page waits for what it neither has nor knows to have failed. Were it to ask whether the job is over
        instead, one that ends after its result was asked for would be waited for no more, and never shown.
        """
        return self.is_cancelled or self.failure is not None

    def cancel(self) -> None:
        """End it; what it laid aside is removed."""
        if self.is_over:
            return
        self.is_cancelled = True
        self._end()
        self._thread.join()

    def wait(self) -> None:
        """Until it is over."""
        self._thread.join()


class Command(Job):
    """A command that runs in a folder, its progress, and what it printed as JSON."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        super().__init__()
        self._output = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (closed when it is read)
        self._process = subprocess.Popen(
            # -P: a `numpy.py` in that folder, beside the data, is not to be imported.
            [sys.executable, "-P", "-c", _RUN, *words, "--json", "--json-progress", "--show-values"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._thread.start()

    @property
    def process(self) -> int | None:
        """Its number."""
        return self._process.pid

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _run(self) -> None:
        said = list[str]()
        for line in self._process.stderr or ():
            told = _as_object(line)
            if "progress" in told:
                self.progress = Progress(**told["progress"])
            elif "error" in told:
                known = {one.name for one in fields(Fault)}
                faults = [{k: v for k, v in fault.items() if k in known} for fault in told["error"]["faults"]]
                self.failure = Failure(told["error"]["kind"], tuple(Fault(**fault) for fault in faults))
            else:
                said.append(line.strip())
        code = self._process.wait()
        self._output.seek(0)
        if code == 0:
            self.result = _as_object(self._output.read())
        elif self.failure is None:
            self.failure = _ended(code, said)
        self._output.close()


class Task(Job):
    """A function that is called in a process of its own.

    It is given the arguments, and whom to tell its `Progress` and what it has so far; what it gives, and what
    it is given, is sent from one process to the other.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        super().__init__()
        self._process: Any = None
        self._is_begun = Event()
        self._asked = pickle.dumps((function, arguments))  # to be read, and what it needs imported, there
        self._thread.start()

    @property
    def process(self) -> int | None:
        """Its number, as soon as it is there."""
        self._is_begun.wait(_PATIENCE)
        return None if self._process is None else int(self._process.pid)

    def _end(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join(_PATIENCE)
            self._process.kill()

    def _run(self) -> None:
        # Nobody who asks has to wait until the process is there.
        receiver, sender = _context().Pipe(duplex=False)
        process = _context().Process(target=_do, args=(self._asked, sender), daemon=True)
        process.start()
        sender.close()
        self._process = process
        self._is_begun.set()
        if self.is_cancelled:  # before it was there
            process.kill()
        self._read(receiver)

    def _read(self, receiver: Connection) -> None:
        told: Any = None
        with suppress(EOFError):
            while isinstance(told := receiver.recv(), Progress | SoFar):
                if isinstance(told, SoFar):
                    self.so_far = told.result
                else:
                    self.progress = told
        self._process.join(_PATIENCE)
        if isinstance(told, Failure):
            self.failure = told
        elif isinstance(told, _Done):
            self.result = told.result
        else:
            self.failure = _ended(self._process.exitcode or 0, [])


def begin_early() -> None:
    """Let what tasks need be imported while nobody waits for it."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running  # which not every system has

        ensure_running()


@cache
def _context() -> Any:
    """How processes are begun: as copies of one that has everything imported, where the system has that."""
    # In Python 3.11.0 other accounts of the machine reach that process (CVE-2022-42919).
    if "forkserver" not in get_all_start_methods() or sys.version_info < (3, 11, 1):
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([_IMPORTED])
    return context


@dataclass(frozen=True)
class _Done:
    result: Any


def _do(asked: bytes, sender: Connection) -> None:
    if hasattr(os, "nice"):
        os.nice(_STEPS_BACK)
    function, arguments = pickle.loads(asked)
    with suppress(BrokenPipeError):
        try:
            sender.send(_Done(function(*arguments, sender.send)))
        except OntomaskError as error:
            sender.send(Failure(type(error).__name__, error.faults))


def _ended(code: int, said: Sequence[str]) -> Failure:
    how = f"it was ended from outside (signal {-code})" if code < 0 else f"it ended with {code}"
    return Failure("Ended", (Fault(f"{how} before it said that it was done", details=tuple(said[-3:])),))


def _as_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {"rows": found}
