"""What commands print: aligned tables with colour where the terminal has it, JSON for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from rich.console import Console

    from ontomask.progress import Phases, Progress

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def as_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {as_text(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return "\n".join(map(str, value)) or "none"
    return str(value)


def console() -> Console:
    """The terminal, or a plain stream when piped."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 10_000)


def print_json(value: Any) -> None:
    """JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def json_wanted() -> bool:
    """Whether a machine reads what is printed: the option has one name in every command."""
    return "--json" in sys.argv


def error_as_json(error: OntomaskError) -> str:
    """What is wrong, for machines: `{"error": {"kind": ..., "faults": [{"text": ..., "file": ...}]}}`."""
    faults = [asdict(fault) for fault in error.faults]
    return json.dumps({"error": {"kind": type(error).__name__, "faults": faults}}, ensure_ascii=False)


def print_table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Aligned columns, with colour where the terminal has it."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*headings, box=None, show_header=bool(headings), header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in row))
    console().print(table)


def keep_apart(target: Path | None, *precious: Path | None) -> None:
    """Refuse to write over a file that the command reads or writes besides."""
    for path in precious:
        if target is not None and path is not None and target.resolve() == path.resolve():
            raise OntomaskError(f"cannot write {target}: the command needs that file; choose another name")


def warn(text: str) -> None:
    """A line on standard error."""
    print(text, file=sys.stderr)


@contextmanager
def bar(shares: Mapping[str, float], method: str | None = None) -> Iterator[Phases]:
    """A bar over the phases of a command, on a terminal.

    When machine code is compiled for the first time it says so, and compiles the loops of `method`, if one
    is named, while the phases before masking go on.
    """
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as ProgressBar

    from ontomask.compiled import first_run
    from ontomask.progress import Phases

    screen = Console(stderr=True)
    compiling = None
    remark = ""
    from ontomask import warmup

    if first_run():
        remark = " (the first run on a machine compiles for some seconds)"
        compiling = warmup.start(method) if method else None
        if not screen.is_terminal and not json_wanted():
            warn("compiling: the first run on a machine takes some seconds longer")
    columns = SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with ProgressBar(*columns, console=screen, transient=True, disable=not screen.is_terminal) as shown:
        task = shown.add_task("starting" + remark, total=1.0)

        def show(progress: Progress) -> None:
            shown.update(task, completed=progress.fraction, description=progress.phase + remark)
            if compiling and compiling.poll() is None and progress.phase == "masking":
                from ontomask.warmup import compile_centroids

                compile_centroids()
                compiling.wait()

        try:
            yield Phases(shares, show)
        finally:
            if compiling:
                compiling.kill()
