"""Long work in processes of its own: a command of the command line, or a first look at a table.

Whoever shows it asks how far it is. To cancel is to end the process: commands leave nothing half-written.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import Any

from ontomask.errors import Fault, OntomaskError
from ontomask.plan import Plan
from ontomask.profile import TableProfile, profile_table
from ontomask.progress import Progress
from ontomask.tables import TableOptions
from ontomask.tables.first_rows import first_rows
from ontomask.tables.table import FirstRows

_RUN = "import sys; from ontomask.cli import main; sys.argv[0] = 'ontomask'; main()"
_PATIENCE = 10.0  # seconds until a process that was asked to end is ended


@dataclass(frozen=True)
class Failure:
    """Why there is no result: faults in words; `kind` is the name of the error."""

    kind: str
    faults: tuple[Fault, ...]


class Command:
    """A command that runs in a folder, its progress, and what it printed as JSON."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self.words = ("ontomask", *words)
        self.progress = Progress("starting", 0.0)
        self.result: Any = None
        self.failure: Failure | None = None
        self.is_cancelled = False
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
        self._reader = Thread(target=self._read, daemon=True, name="reads a command")
        self._reader.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return not self._reader.is_alive()

    @property
    def process(self) -> int:
        """Its number."""
        return self._process.pid

    def cancel(self) -> None:
        """End it; what it laid aside is removed."""
        if self.is_over:
            return
        self.is_cancelled = True
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()

    def wait(self) -> None:
        """Until it is over."""
        self._reader.join()

    def _read(self) -> None:
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
            ended = f"it was ended from outside (signal {-code})" if code < 0 else f"it ended with {code}"
            fault = Fault(f"{ended} before it said that it was done", details=tuple(said[-3:]))
            self.failure = Failure("Ended", (fault,))
        self._output.close()


class Look:
    """A first look at a table, in a process of its own."""

    def __init__(self, table: Path, options: TableOptions) -> None:
        self.profile: TableProfile | None = None
        self.first_rows: FirstRows | None = None
        self.error: OntomaskError | None = None
        context = get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_look, args=(table, options, sender), daemon=True)
        self._process.start()
        sender.close()
        self._waiting = Thread(target=self._receive, args=(receiver,), daemon=True, name="waits for a look")
        self._waiting.start()

    @property
    def is_over(self) -> bool:
        """Whether there is a profile, or a reason why not."""
        return not self._waiting.is_alive()

    def wait(self) -> None:
        """Until it is over."""
        self._waiting.join()

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        self._waiting.join()

    def _receive(self, receiver: Connection) -> None:
        try:
            found = receiver.recv()
        except EOFError:
            found = (Fault("looking at the table was ended before it was done", remedy="start again"),)
        if isinstance(found[0], TableProfile):
            self.profile, self.first_rows = found
        else:
            self.error = OntomaskError(*found)


def _look(table: Path, options: TableOptions, sender: Connection) -> None:
    with suppress(BrokenPipeError):
        try:
            profile, first = profile_table(table, options), None
            with suppress(OntomaskError):  # of a long text in an encoding that cannot be cut anywhere, say
                first = first_rows(table, profile.options)
            sender.send((profile, first))
        except OntomaskError as error:
            sender.send(error.faults)


def options_in(plan: Path) -> TableOptions:
    """How a plan says that its table is read; as usual, if there is none or it has faults."""
    try:
        return Plan.load(plan).table_options()
    except OntomaskError:
        return TableOptions()


def _as_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {"rows": found}
