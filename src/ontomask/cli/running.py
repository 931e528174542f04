"""Running a command: options that all of them have, exit codes, and words for whatever goes wrong.

| exit code | when |
|---|---|
| 2 | something the user can put right |
| 70 | a fault of the program |
| 71 | the machine does not suffice |
| 74 | what was to be printed could not be written; 141 if nobody read on |
| 129, 130, 143 | ended by a signal: SIGHUP, Ctrl-C, SIGTERM |
"""

from __future__ import annotations

import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.printing import PANEL, OutputLostError, manner, print_error, warn
from ontomask.errors import InternalError, OntomaskError

_PACKAGE = Path(__file__).parents[1]
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer does not name it

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.", rich_help_panel=PANEL)]
ShowValues = Annotated[
    bool,
    typer.Option(
        "--show-values",
        help="Quote values of the table in errors even if no terminal shows them.",
        rich_help_panel=PANEL,
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="What went wrong, with its traceback.", rich_help_panel=PANEL),
]

JsonProgress = Annotated[
    bool,
    typer.Option(
        "--json-progress", help="Progress as lines of JSON on standard error.", rich_help_panel=PANEL
    ),
]

HOW_TOLD = ("--quiet", "-q", "--show-values", "--debug", "--json", "--json-progress")
"""Options that say how a command tells things, not what it does."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that say how things are told."""
    own = inspect.signature(function, eval_str=True)

    @wraps(function)
    def told(*, quiet: bool, show_values: bool, debug: bool, json_progress: bool, **given: Any) -> None:
        manner.quiet, manner.show_values, manner.debug = quiet, show_values, debug or manner.debug
        manner.json_progress = json_progress
        function(**given)

    shared = {"quiet": Quiet, "show_values": ShowValues, "debug": Debug, "json_progress": JsonProgress}
    parameters = [
        *own.parameters.values(),
        *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
            for name, kind in shared.items()
        ),
    ]
    told.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    told.__annotations__ = {one.name: one.annotation for one in parameters}
    return told


def exit_code_of(run: Callable[[], object]) -> int:
    """Run to the end, and say what went wrong in words."""
    manner.quiet, manner.show_values = False, False
    manner.debug = os.environ.get("ONTOMASK_DEBUG", "") not in ("", "0")
    _open_closed_streams()
    with warnings.catch_warnings():
        if not manner.debug:
            warnings.simplefilter("ignore")  # words of libraries to their users
            if sys.unraisablehook is sys.__unraisablehook__:
                sys.unraisablehook = _tell_what_is_lost
        try:
            code = _run(run)
        except OutputLostError as lost:
            code = _told(lost)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:  # what is left would be lost once more when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = code or _told(OutputLostError(error))
    return code


def _tell_what_is_lost(lost: Any) -> None:
    """Tell of an exception that nobody can catch, unless it is that of a signal, which ends the command."""
    if not isinstance(lost.exc_value, (SystemExit, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)


def _run(run: Callable[[], object]) -> int:
    try:
        code = run()
        return code if isinstance(code, int) else 0
    except (OutputLostError, SystemExit):
        raise
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BaseException as error:  # libraries in other languages have faults that are no `Exception`
        code, told = _verdict(error)
        if told:
            print_error(told)
        if manner.debug:
            with suppress(OutputLostError):
                for line in traceback.format_exc().splitlines():
                    warn(line)
        return code


def _verdict(error: BaseException) -> tuple[int, OntomaskError | None]:
    """The exit code for what went wrong, and what to say of it."""
    if isinstance(error, OntomaskError):
        return 2, error
    if isinstance(error, _UsageError):
        return 2, _misused(error)
    if isinstance(error, OSError) and error.strerror:
        return 2, OntomaskError(error.strerror, file=str(error.filename or ""))
    if isinstance(error, MemoryError):
        return 71, OntomaskError("out of memory", remedy="use a machine with more, or a smaller table")
    if isinstance(error, RecursionError):
        return 71, OntomaskError("something in the input is nested too deeply", remedy="make it flatter")
    return 70, _fault(error)


def _misused(error: Any) -> OntomaskError | None:
    """What is wrong with what was typed; None if help was printed because nothing was typed."""
    said = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx else "ontomask"
    return OntomaskError(said, remedy=f"see `{path} --help`") if said else None


def _fault(error: BaseException) -> OntomaskError:
    """A fault of the program in words that hold no value of a table: those of the error may."""
    said = f": {error}" if isinstance(error, InternalError) else ""
    own = [
        f" in {Path(frame.filename).relative_to(_PACKAGE.parent)}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    return OntomaskError(
        f"a fault of the program: {type(error).__name__}{own[-1] if own else ''}{said}",
        remedy="please report it; --debug shows the traceback",
    )


def _told(lost: OutputLostError) -> int:
    """Say that output is lost, unless its reader just went away."""
    if not lost.is_quiet:
        print_error(OntomaskError(str(lost)))
    return lost.exit_code


def _open_closed_streams() -> None:
    """Streams that were closed take nothing, and no file is opened in their place."""
    for name, kind in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDONLY), kind))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
