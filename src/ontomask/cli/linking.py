"""`ontomask link`: map the values of a column to concepts, for review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ontomask.cli.asking import SetKeys, TableName, TablePath, asked_table
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.cli.waiting import bar
from ontomask.errors import OntomaskError
from ontomask.files import is_there

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ontomask.linking import Link, Links

SHOWN = 10


def link_command(
    table: TablePath,
    column: Annotated[str, typer.Option("--column", "-c", help="Column to link.")],
    ontology: Annotated[
        str, typer.Option(help="A name (see `ontomask ontology list`) or a path.")
    ] = "wordnet",
    labels: Annotated[
        Path | None, typer.Option(help="Words of another language for wordnet (OMW tab file, WN-LMF).")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Mapping to write (CSV).")] = None,
    under: Annotated[str | None, typer.Option(help="Only senses below this concept.")] = None,
    senses: Annotated[str, typer.Option(help="coherent, first or explicit.")] = "coherent",
    mapping: Annotated[Path | None, typer.Option(help="What is decided already (CSV value,concept).")] = None,
    crossmap: Annotated[
        Path | None, typer.Option(help="Codes of another system (CSV from,to or RF2).")
    ] = None,
    embeddings: Annotated[bool, typer.Option(help="Suggest by meaning too (extra embeddings).")] = False,
    database_table: TableName = None,
    settings: SetKeys = None,
    force: Annotated[bool, typer.Option(help="Write over an existing mapping.")] = False,
    formulas: Annotated[
        str, typer.Option(help="neutralise (a quote before cells that a spreadsheet would run) or keep.")
    ] = "neutralise",
    as_json: AsJson = False,
) -> None:
    """Map the values of a column to concepts; prints how, and the values that need a person."""
    from ontomask.linking import link
    from ontomask.linking.links import Formulas
    from ontomask.ontology import load_ontology
    from ontomask.outputs import check_apart, check_no_release
    from ontomask.tables import open_table
    from ontomask.tables.register import TEXT

    if output:
        if output.suffix.lower() not in (*TEXT, ""):
            raise OntomaskError(f"cannot write {output}: a mapping is text", remedy="name it NAME.csv")
        check_apart([output], [table, Path(ontology), *filter(None, [mapping, crossmap, labels])])
        check_no_release(output)
    if formulas not in get_args(Formulas):
        raise OntomaskError(
            f"there is no --formulas {formulas!r}",
            value=formulas,
            is_public=True,
            remedy=f"use {' or '.join(get_args(Formulas))}",
        )
    if output and is_there(output) and not force:
        raise OntomaskError(
            f"{output} is there already and may hold decisions",
            remedy="give it as --mapping and write another file, or say --force",
        )
    options = asked_table(database_table, settings)
    with bar({"reading": 1.0, "linking": 2.0}) as progress:
        progress.tell("reading")
        loaded = load_ontology(ontology, labels=labels)
        values, counts = open_table(table, options).distinct(column)
        progress.tell("linking")
        links = link(
            [value for value in values if value is not None],
            loaded,
            mapping=mapping,
            senses=senses,  # type: ignore[arg-type]
            under=under,
            crossmap=crossmap,
            embeddings=embeddings,
        )
    if output:
        links.to_csv(output, formulas=formulas)  # type: ignore[arg-type]
    rows = dict(zip(values, counts.tolist(), strict=True))
    if as_json:
        print_json(
            {
                "values": len(links),
                "how": links.summary(),
                "links": {link.value: links.key(link.value) for link in links},
                "unlinked": {one.value: perhaps(links, one) for one in links.unlinked},
            }
        )
        return
    print_table(("linked by", "values"), [(how, f"{n:,}") for how, n in links.summary().items()])
    print_unlinked(links, rows)
    print_close_calls(links)
    if output:
        warn(f"wrote {output}; edit the column `concept` and give the file as `mapping` in the plan")


def print_unlinked(links: Links, rows: Mapping[str, int] | Mapping[str | None, int]) -> None:
    """The values without a concept, how many rows have them, and what they may be."""
    from ontomask.printable import shortened

    if unlinked := links.unlinked:
        say()
        say(f"{len(unlinked)} of {len(links)} values need a person:")
        print_table(
            ("value", "rows", "perhaps"),
            [
                (shortened(one.value), f"{rows[one.value]:,}", ", ".join(perhaps(links, one)))
                for one in unlinked
            ],
        )


def perhaps(links: Links, one: Link) -> list[str]:
    """What a value may be."""
    return [links.ontology.key(c) for c in one.alternatives]


def print_close_calls(links: Links, most: int | None = SHOWN) -> None:
    """The links that were close calls, with their meaning."""
    from ontomask.printable import shortened

    ontology = links.ontology
    if doubtful := links.close_calls:
        say()
        say(f"{len(doubtful)} links were close calls; the closest:")
        print_table(
            ("value", "taken for", "meaning", "score"),
            [
                (
                    shortened(one.value),
                    ontology.key(one.concept),
                    ontology.gloss(one.concept)[:60],
                    f"{one.score:.2f}",
                )
                for one in doubtful[:most]
                if one.concept is not None
            ],
        )
