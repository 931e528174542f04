"""The command line: parse, call, print. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ontomask.cli.evaluation import compare_command, evaluate_command
from ontomask.cli.linking import link_command
from ontomask.cli.ontology import ontologies
from ontomask.cli.printing import error_as_json, json_wanted
from ontomask.cli.release import anonymize_command, init_command
from ontomask.errors import OntomaskError
from ontomask.files import stopped_by_signals

app = typer.Typer(
    name="ontomask",
    help="Anonymise tables of people by what their words mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("init")(init_command)
app.command("link")(link_command)
app.command("anonymize")(anonymize_command)
app.command("evaluate")(evaluate_command)
app.command("compare")(compare_command)
app.add_typer(ontologies, name="ontology")


def main() -> None:
    """Run the command; print what the user can mend without a traceback and exit 2."""
    try:
        with stopped_by_signals():  # tables that an engine laid aside are removed, whatever ends the command
            app()
    except OntomaskError as error:
        print(error_as_json(error) if json_wanted() else f"ontomask: {error}", file=sys.stderr)
        sys.exit(2)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"ontomask {installed('ontomask')}")
        raise typer.Exit
