"""How far a command is, on standard error: a bar for a person, now and then a line for a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict

from ontomask.cli.printing import OutputLostError, json_wanted, manner, tell_json, warn
from ontomask.printable import one_line
from ontomask.progress import Listener, Phases, Progress
from ontomask.signals import asked_first

EVERY = 5.0
"""Seconds between two lines about one phase."""


@contextmanager
def bar(
    shares: Mapping[str, float], method: str | None = None, *, compiles: str = "sa_mdav"
) -> Iterator[Phases]:
    """The phases of a command, shown as they go on unless it is to be quiet or prints JSON.

    When the loops of `method`, or those that the command `compiles`, are compiled for the first time, it says
    so, and compiles those of the method while the phases before masking go on.
    """
    from ontomask import warmup
    from ontomask.compiled import first_run
    from ontomask.methods import METHODS

    is_first = (
        first_run(METHODS[method].compiled) if method in METHODS else bool(compiles) and first_run(compiles)
    )
    compiling = warmup.start(method) if is_first and method else None
    with _shown(is_first) as show:

        def listen(progress: Progress) -> None:
            show(progress)
            if compiling and compiling.poll() is None and progress.phase == "masking":
                warmup.compile_centroids()
                compiling.wait()

        phases = Phases(shares, listen)
        try:
            with _hurried(phases, may_end=method is not None):
                yield phases
        finally:
            if compiling:
                compiling.kill()


@contextmanager
def _hurried(phases: Phases, *, may_end: bool) -> Iterator[None]:
    """Ctrl-C ends a search with the best so far, and the command the second time.

    That is for a person who reads it: whoever signals without a terminal wants the end.
    """
    if not may_end or not sys.stderr.isatty():
        yield
        return

    def ask() -> bool:
        if will_end := phases.end_early():
            tell_line("the search ends with the best so far; Ctrl-C once more ends all without a release")
        return will_end

    with asked_first(ask):
        yield


@contextmanager
def _shown(is_first: bool) -> Iterator[Listener]:
    if manner.json_progress:
        yield _as_lines_of_json
    elif manner.quiet or json_wanted():
        yield lambda _: None
    elif sys.stderr.isatty():
        with _drawn(" (the first run on a machine compiles for some seconds)" if is_first else "") as show:
            yield show
    else:
        if is_first:
            tell_line("compiling: the first run on a machine takes some seconds longer")
        yield in_lines(tell_line)


@contextmanager
def _drawn(remark: str) -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as ProgressBar

    described = TextColumn("{task.description}", markup=False)
    columns = SpinnerColumn(), BarColumn(), described, TimeElapsedColumn()
    with ProgressBar(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting" + remark, total=1.0)

        def show(progress: Progress) -> None:
            words = one_line(progress.phase) + remark + _reached(progress)
            is_new = words != shown.tasks[0].description  # drawn at once: a phase may be short
            shown.update(task, completed=progress.fraction, description=words, refresh=is_new)

        yield show


def in_lines(tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> Listener:
    """Tells of every phase once, and every few seconds how much of the whole is done.

    >>> show = in_lines(print, clock=iter([0.0, 4.0, 9.0]).__next__)
    >>> for fraction in (0.2, 0.3, 0.4):
    ...     show(Progress("masking", fraction))
    masking
    masking, 40 % of all done
    """
    phase, told = "", 0.0

    def show(progress: Progress) -> None:
        nonlocal phase, told
        now = clock()
        if progress.phase != phase:
            tell(progress.phase)
        elif now - told >= EVERY:
            done = f"{progress.fraction:.0%}".replace("%", " %")
            tell(f"{phase}, {done} of all done{_reached(progress)}")
        else:
            return
        phase, told = progress.phase, now

    return show


def _as_lines_of_json(progress: Progress) -> None:
    with suppress(OutputLostError):  # nobody reads it
        tell_json({"progress": asdict(progress)})


def _reached(progress: Progress) -> str:
    """What is reached, to be said after the rest."""
    return f"; {progress.reached}" if progress.reached else ""


def tell_line(line: str) -> None:
    """Say something beside the progress, to whoever reads."""
    with suppress(OutputLostError):  # nobody reads it
        warn(f"ontomask: {line}")
