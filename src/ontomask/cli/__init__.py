"""The command line: parse, call, print. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import atexit
import sys
from typing import Annotated

import typer

from ontomask.cli.describing import describe_command
from ontomask.cli.evaluation import compare_command, evaluate_command
from ontomask.cli.hierarchy import hierarchies
from ontomask.cli.linking import link_command
from ontomask.cli.literature import literature
from ontomask.cli.ontology import ontologies
from ontomask.cli.printing import say
from ontomask.cli.release import anonymize_command, init_command
from ontomask.cli.running import command, exit_code_of
from ontomask.cli.web import web_command
from ontomask.signals import ignore_signals, stopped_by_signals

app = typer.Typer(
    name="ontomask",
    help="Anonymise tables of people by what their words mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("init")(command(init_command))
app.command("link")(command(link_command))
app.command("describe")(command(describe_command))
app.command("anonymize")(command(anonymize_command))
app.command("evaluate")(command(evaluate_command))
app.command("compare")(command(compare_command))
app.command("web")(command(web_command))
app.add_typer(ontologies, name="ontology")
app.add_typer(hierarchies, name="hierarchy")
app.add_typer(literature, name="literature")


def main() -> None:
    """Run the command; what goes wrong is told in words, and by the exit code (see `running`)."""

    def run() -> object:
        with stopped_by_signals():  # tables that an engine laid aside are removed, whatever ends the command
            return app(standalone_mode=False)

    try:
        code = exit_code_of(run)
    finally:
        atexit.register(ignore_signals)
    sys.exit(code)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        say(f"ontomask {installed('ontomask')}")
        raise typer.Exit
