"""`ontomask literature ...`: how often attributes are written about together with what is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.asking import asked_terms, write_keys
from ontomask.cli.hierarchy_parts import check_new
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.cli.running import command
from ontomask.cli.waiting import bar

literature = typer.Typer(help="Count terms in texts.", no_args_is_help=True)


@literature.command("index")
@command
def index_command(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATHS...", help="MEDLINE XML (.gz), text files, or folders.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Index to write.")],
) -> None:
    """Index texts once, so that terms are counted in them in milliseconds."""
    from ontomask.literature import index_texts
    from ontomask.outputs import check_apart

    check_apart([output], paths)
    with bar({"indexing": 1.0}, compiles="") as progress:
        total = index_texts(paths, output, progress)
    warn(f"wrote {output}: {total:,} texts")


@literature.command("mim")
@command
def mim_command(
    source: Annotated[
        str,
        typer.Option("--from", metavar="SOURCE", help="Index, CSV of counts, or address of E-utilities."),
    ],
    target: Annotated[str, typer.Option(metavar="TERM", help="What the table is to answer: heart disease.")],
    terms: Annotated[
        list[str],
        typer.Option(metavar="NAME[=TERM]", help="Attributes, comma-separated; such as sex='sex|gender'."),
    ],
    filter: Annotated[
        str | None, typer.Option(help="Only studies of therapy, diagnosis, etiology or prognosis.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="YAML to write: `mim`, for a plan's method.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How often the terms of attributes stand beside that of the target, and their MIM."""
    from ontomask.literature import Collection, counts_of, mim, open_literature

    asked = asked_terms(terms, "--terms")
    if output is not None:
        check_new(output, [Path(source)])
    texts = open_literature(source)
    for path in texts.changed_sources() if isinstance(texts, Collection) else ():
        warn(f"warning: {path} has changed since it was indexed; index it again")
    found = counts_of(asked, target, texts, filter)
    scores = {name: mim(counts) for name, counts in found.items()}
    write_keys(output, {"mim": scores})
    for name, counts in found.items():
        if not counts.a:
            warn(f"warning: {asked[name]!r} ({name}) stands in no text, which makes its MIM 0")
    first = next(iter(found.values()))
    if not first.b:
        warn(f"warning: {target!r} stands in no text, which makes every MIM 0")
    if as_json:
        return print_json(
            {
                "target": target,
                "filter": filter,
                "attributes": {
                    name: {"term": asked[name], **vars(counts), "mim": scores[name]}
                    for name, counts in found.items()
                },
            }
        )
    say(f"{first.b:,} of {first.total:,} texts have {target!r}")
    order = sorted(found, key=lambda name: -scores[name])
    return print_table(
        ("attribute", "term", "texts", "with target", "MIM"),
        [
            (name, asked[name], f"{found[name].a:,}", f"{found[name].both:,}", f"{scores[name]:.6g}")
            for name in order
        ],
    )
