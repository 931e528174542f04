"""A table and its plan on disk, what is known of them, and what runs for the pages.

What is here and not on disk can be had again: closing and coming back loses nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

from ontomask.errors import Fault, OntomaskError
from ontomask.files import give_rights, is_there, regular, staging
from ontomask.outputs import Outputs, read_record
from ontomask.plan import Plan
from ontomask.profile import TableProfile, profile_table
from ontomask.tables import TableOptions
from ontomask.tables.filed import state_of
from ontomask.tables.first_rows import first_rows, is_soon_told
from ontomask.tables.options import digest_of_file
from ontomask.tables.table import FirstRows
from ontomask.web.working import Command, Job, SoFar, Task, Tell


class PlanText(NamedTuple):
    """The text of a plan, the plan in it, or what is wrong with it."""

    text: str
    plan: Plan | None
    faults: tuple[Fault, ...]
    is_readable: bool = True

    @property
    def digest(self) -> str:
        """By which a page knows whether the plan is still the one that it showed."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Released:
    """A release that stands in the folder, as its manifest tells."""

    outputs: Outputs
    manifest: dict[str, Any]
    report: Path

    @property
    def plan_digest(self) -> str:
        """Of the plan that it was made with."""
        return str(self.manifest.get("plan", {}).get("sha256", ""))

    @property
    def n_others(self) -> int:
        """How many others every row is like at least, if it is k-anonymous."""
        return int(self.manifest["figures"]["k_reached"]) - 1

    @property
    def gives_k(self) -> bool:
        """Whether it is k-anonymous."""
        return bool(self.manifest["k_anonymous"])

    @property
    def counts_people(self) -> bool:
        """Whether these are people, of whom some have several rows."""
        return bool(self.manifest["plan"]["settings"].get("privacy", {}).get("unit"))

    @property
    def files(self) -> dict[str, Path]:
        """What there is to be downloaded, by name."""
        every = (self.outputs.release, self.report, self.outputs.manifest)
        return {path.name: path for path in every if isinstance(path, Path) and path.is_file()}

    @property
    def for_whom(self) -> dict[str, str]:
        """Who gets which file."""
        told = {
            self.outputs.release: "the table, for whoever asked for it",
            self.report: "for whoever signs; nothing in it is rarer than k, so it may go with the table",
            self.outputs.manifest: "how it was made, for whoever checks it; may go with the table",
            self.outputs.internal: "stays with you: it says which file it was made from",
        }
        return {path.name: words for path, words in told.items() if isinstance(path, Path) and path.is_file()}


class Work:
    """A table, its plan, and what is known of them.

    `jobs` has what runs, or ran last, by the name of the page that asked for it; `remembered` what a page
    would else have to find out for each request.
    """

    def __init__(self, table: Path, plan: Path) -> None:
        self.table, self.plan_file = table.resolve(), plan.resolve()
        self.jobs: dict[str, Job] = {}
        self.remembered: dict[str, Any] = {}
        self._asked: dict[str, Hashable] = {}
        self._lock = RLock()
        self._has_plan = self._is_ended = False
        self._options = TableOptions()

    @property
    def folder(self) -> Path:
        """Where commands run, and all that is written stands."""
        return self.table.parent

    @property
    def look(self) -> Job:
        """The first look at the table: begun when somebody asks for it, and again when the file changes."""
        with self._lock:
            if "table" not in self.jobs:
                self._options = options_in(self.plan_file)
            table = Path(self.table.name) if self._is_plan_beside else self.table
            return self.found_out(
                "table", state_of([self.table])[0], _look, self.folder, table, self._options
            )

    @property
    def _is_plan_beside(self) -> bool:
        """Whether the plan stands beside the table, so that commands which run there need no folders."""
        return self.plan_file.parent == self.folder

    def look_again(self) -> None:
        """Look at the table as the plan says now that it is read."""
        self.forget("table")

    @property
    def first_rows(self) -> FirstRows | None:
        """The first rows, as soon as they can be told; for some tables that is when all is read."""
        look = self.look
        found: FirstRows | None = look.result[1] if look.result else look.so_far
        return found

    @property
    def profile(self) -> TableProfile | None:
        """What the table seems to be; None while it is being read, or if it cannot be.

        A plan that is not there is drafted as soon as this is known.
        """
        return self.look.result[0] if self.look.result else None

    def found_out(self, name: str, asked: Hashable, function: Callable[..., Any], *arguments: Any) -> Job:
        """The task that answers a question, begun if the last one of that name answers another.

        `asked` is the question: all that the answer depends on.
        """
        with self._lock:
            is_known = name in self.jobs and self._asked.get(name) == asked
            if not is_known and not (self._is_ended and name in self.jobs):
                if name in self.jobs:
                    self.jobs[name].cancel()
                self.jobs[name], self._asked[name] = Task(function, *arguments), asked
            return self.jobs[name]

    def question(self, name: str) -> Hashable | None:
        """What the last task of a name answers; None if there is none."""
        return self._asked.get(name)

    def forget(self, name: str) -> None:
        """Let what was found out under a name be found out again when it is next asked for."""
        with self._lock:
            if name in self.jobs:
                self.jobs.pop(name).cancel()
                self._asked.pop(name, None)

    def plan(self) -> PlanText:
        """The plan as it is on disk; drafted first if there never was one and the table was looked at."""
        with self._lock:
            is_new = not self._has_plan and not is_there(self.plan_file)
            self._has_plan = self._has_plan or not is_new
            if is_new and self.profile is not None:
                folder = Path() if self._is_plan_beside else self.plan_file.parent
                self.write_plan(self.profile.to_yaml(folder, name=self.plan_file.name))
                self._has_plan = True
        try:
            text = regular(self.plan_file).read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            gone = Fault("the plan is gone", file=self.plan_file.name, remedy="put it back, or save one")
            return PlanText("", None, (gone,) if self._has_plan else ())
        except (OSError, UnicodeDecodeError) as error:
            fault = Fault(f"the plan cannot be read: {error}", file=self.plan_file.name)
            return PlanText("", None, (fault,), is_readable=False)
        return self.read(text)

    def read(self, text: str) -> PlanText:
        """A text as a plan that would stand where this one does."""
        return _plan_of(text, self.plan_file)

    def write_plan(self, text: str) -> None:
        """Put the text in the plan's place, whole or not at all."""
        self.write({self.plan_file: text})

    def write(self, texts: Mapping[Path, str | bytes]) -> None:
        """Put texts in the place of files, all of them or none.

        Who may read a file may do so still; a new one is for those who may read the table.
        """
        with staging(is_always_there=True) as files:
            for path, text in texts.items():
                with files.writing(path) as temporary:
                    temporary.write_bytes(text.encode() if isinstance(text, str) else text)
                    give_rights(temporary, path, self.table)

    def run(self, name: str, *words: str) -> None:
        """Start a command, unless one of that name runs."""
        with self._lock:
            self.check_idle(name)
            self.jobs[name] = Command(words, self.folder)

    def check_idle(self, name: str, what: str = "that is running already") -> None:
        """Raise if something of that name runs."""
        if name in self.jobs and not self.jobs[name].is_over:
            raise OntomaskError(what, remedy="wait for it, or cancel it")

    def named(self, path: Path) -> str:
        """A file as commands that run in the folder name it."""
        return path.name if path.parent == self.folder else str(path)

    def target(self, name: str) -> Path:
        """A file of the folder; an error if the name is more than a name."""
        check_name(name)
        return self.folder / name

    def released(self, name: str) -> Released | None:
        """The release of that name in the folder, if one was written."""
        outputs = Outputs(self.target(name))
        record = read_record(outputs.manifest)
        if record is None or record["output"]["file"] != name or not self.target(name).is_file():
            return None
        return Released(outputs, record, self.target(report_of(name)))

    def changed_since(self, released: Released) -> list[str]:
        """Names of the files that a release was made from and that are not what they were.

        Of its plan the digest tells more, for not all that a plan says is about the table.
        """
        record = read_record(released.outputs.internal) or {}
        made_from = {Path(path).resolve(): digest for path, digest in record.get("files", {}).items()}
        table, digest = (
            Path(record.get("input", {}).get("path") or ""),
            record.get("input", {}).get("digest", ""),
        )
        if table.is_file() and not digest.startswith(
            "rows:"
        ):  # else it is of a table in a database, or a folder
            made_from[table.resolve()] = digest
        made_from.pop(self.plan_file, None)
        return sorted(
            path.name for path, digest in made_from.items() if digest not in (None, _digest_now(path))
        )

    def end(self) -> None:
        """End what still runs."""
        with self._lock:
            self._is_ended = True
            for job in self.jobs.values():
                job.cancel()


def _digest_now(path: Path) -> str:
    """Of a file as it is; of none if it is gone."""
    try:
        return _digest_of(path, state_of([path])[0])
    except OSError:
        return ""


@lru_cache(64)
def _digest_of(path: Path, state: tuple[int, ...]) -> str:
    """What stands in a file is digested again once its size or date is another."""
    return digest_of_file(path)


@lru_cache(16)
def _plan_of(text: str, file: Path) -> PlanText:
    """What a text says depends on nothing else, and every click asks for the same plan several times."""
    try:
        return PlanText(text, Plan.from_yaml(text, folder=file.parent, name=file.name), ())
    except OntomaskError as error:
        return PlanText(text, None, error.faults)


def _look(
    folder: Path, table: Path, options: TableOptions, tell: Tell
) -> tuple[TableProfile, FirstRows | None]:
    os.chdir(folder)
    first: FirstRows | None = None
    if is_soon_told(table):
        with suppress(OntomaskError):  # titles above the names, say, which the look at the table finds out
            first = first_rows(table, options)
            tell(SoFar(first))
    profile = profile_table(table, options)
    if first is None or profile.options != options:
        with suppress(OntomaskError):  # of a long text in an encoding that cannot be cut anywhere, say
            first = first_rows(table, profile.options)
    return profile, first


def options_in(plan: Path) -> TableOptions:
    """How a plan says that its table is read; as usual, if there is none or it has faults."""
    try:
        return Plan.load(plan).table_options()
    except OntomaskError:
        return TableOptions()


def check_name(name: str) -> None:
    """Raise if a text is more than the name of a file, or one that hides itself."""
    if not name or name != Path(name).name or name.startswith((".", "-")) or not name.isprintable():
        raise OntomaskError(
            f"{name!r} is not the name of a file in this folder", value=name, remedy="such as release.csv"
        )


def report_of(release: str) -> str:
    """The name of the report beside a release.

    >>> report_of("people.release.csv")
    'people.release.report.html'
    """
    return f"{Path(release).stem}.report.html"
