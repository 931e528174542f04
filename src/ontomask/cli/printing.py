"""The one place where text leaves: aligned tables, lines, JSON for machines, and what is wrong.

Nothing that comes from a file steers the terminal, and cells of a table are quoted only to a person. What
cannot be written is noticed.
"""

from __future__ import annotations

import errno
import json
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from ontomask.printable import many_lines, one_line, safe_json

if TYPE_CHECKING:
    from ontomask.errors import OntomaskError

PANEL = "What is printed"
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.", rich_help_panel=PANEL)]
Cell = str | list[str]


@dataclass
class Manner:
    """How this run tells things; see `running.command` for the options."""

    quiet: bool = False
    show_values: bool = False
    debug: bool = False
    json_progress: bool = False


manner = Manner()


class OutputLostError(Exception):
    """What was to be printed is lost: the reader went away, or there is no room."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot print: {error.strerror or error}")
        self.is_quiet = error.errno == errno.EPIPE
        self.exit_code = 141 if self.is_quiet else 74


def as_cell(value: object) -> Cell:
    """A value as it is read in a table; several as lines."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {as_cell(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return [str(item) for item in value] or "none"
    return str(value)


def say(line: str = "") -> None:
    """A line on standard output."""
    _put(sys.stdout, one_line(line) + "\n")


def warn(line: str) -> None:
    """A line on standard error."""
    _put(sys.stderr, one_line(line) + "\n")


def print_text(text: str) -> None:
    """A text of several lines on standard output."""
    _put(sys.stdout, many_lines(text))


def print_json(value: Any) -> None:
    """JSON on standard output."""
    _put(sys.stdout, _as_json(value, sys.stdout, indent=2) + "\n")


def print_table(headings: tuple[str, ...], rows: Sequence[tuple[Cell, ...]]) -> None:
    """Aligned columns, with colour where the terminal has it."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*headings, box=None, show_header=bool(headings), header_style="bold", pad_edge=False)
    for row in rows:
        lines = [[cell] if isinstance(cell, str) else cell for cell in row]
        table.add_row(*(Text("\n".join(map(one_line, cell)), overflow="fold") for cell in lines))
    is_terminal, drawn = sys.stdout.isatty(), StringIO()
    width = None if is_terminal else 10_000
    Console(file=drawn, force_terminal=is_terminal, highlight=False, width=width).print(table)
    _put(sys.stdout, drawn.getvalue())


def print_error(error: OntomaskError) -> None:
    """What is wrong, on standard error, as JSON if a machine asked; a lost message does not matter more.

    JSON is `{"error": {"kind": ..., "faults": [{"text": ..., "file": ...}]}}`.
    """
    may_show = manner.show_values or sys.stderr.isatty()
    told = error if may_show else error.without_values()
    with suppress(OutputLostError):
        if json_wanted():
            faults = [asdict(fault) for fault in told.faults]
            for fault in faults:
                del fault["is_public"]  # how it is told, not what is wrong
            found = {"error": {"kind": type(error).__name__, "faults": faults}}
            return tell_json(found)
        lines = [line for fault in told.faults for line in fault.lines()]
        for i, line in enumerate(lines):
            warn(line if i else f"ontomask: {line}")
        if told.faults != error.faults:
            warn("(values of the table are shown with --show-values)")
    return None


def tell_json(value: Any) -> None:
    """A line of JSON on standard error."""
    _put(sys.stderr, _as_json(value, sys.stderr) + "\n")


def json_wanted() -> bool:
    """Whether a machine reads what is printed: the option has one name in every command."""
    return "--json" in sys.argv


def _as_json(value: Any, stream: TextIO, indent: int | None = None) -> str:
    """JSON without what steers a terminal, and without characters that the stream cannot write."""
    is_narrow = not (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")
    return safe_json(json.dumps(_finite(value), indent=indent, ensure_ascii=is_narrow, allow_nan=False))


def _finite(value: Any) -> Any:
    """The same with nothing in the place of numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def _put(stream: TextIO, text: str) -> None:
    """Write at once, so that what is lost is noticed here."""
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        raise OutputLostError(error) from None
