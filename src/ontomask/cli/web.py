"""`ontomask web`: the pages on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.printing import say, warn
from ontomask.errors import OntomaskError


def web_command(
    table: Annotated[
        Path | None, typer.Argument(metavar="[TABLE]", help="File; without one, you choose in the page.")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="Plan (YAML); without one, NAME.plan.yaml.")] = None,
    port: Annotated[int, typer.Option(help="0 takes one that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Decide, mask and release in the browser: a page on this machine, for you alone."""
    if table is not None and not table.is_file():
        raise OntomaskError("there is no such file", file=str(table))
    if plan is not None and table is None:
        raise OntomaskError("--plan needs a TABLE", remedy="name the table that the plan is for")
    from ontomask.web.working import begin_early

    begin_early()
    try:
        from ontomask.web.server import serve
        from ontomask.web.session import Session
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise OntomaskError(f"the page needs {error.name}", remedy="pip install 'ontomask[web]'") from None

    def opened(address: str) -> None:
        say(address)
        warn("the address serves once, in one browser; Ctrl-C ends the page")
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(Session(Path() if table is None else table.parent, table, plan), opened, port)
