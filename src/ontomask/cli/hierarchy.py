"""`ontomask hierarchy ...`: build, look at, convert, score and improve generalisation hierarchies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.asking import SetKeys, asked_table
from ontomask.cli.hierarchy_building import build_command
from ontomask.cli.hierarchy_judging import improve_command, score_command
from ontomask.cli.hierarchy_parts import (
    SHOWN,
    All,
    Asked,
    Attribute,
    Convention,
    FilePath,
    Judged,
    Mapped,
    MeasureName,
    Senses,
    Under,
    check_new,
    levels_as_dicts,
    tell_written,
    written,
)
from ontomask.cli.ontology import OntologyName
from ontomask.cli.printing import AsJson, print_json, print_table, print_text, say, warn
from ontomask.cli.running import command

if TYPE_CHECKING:
    from ontomask.hierarchies import Hierarchy


def show_command(
    file: FilePath,
    svg: Annotated[Path | None, typer.Option(help="Drawing to write.")] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: tree, levels, what to look at.")] = None,
    table: Annotated[Path | None, typer.Option(help="Count the rows of this table.")] = None,
    release: Annotated[Path | None, typer.Option(help="Count what this release made of the values.")] = None,
    column: Annotated[str | None, typer.Option("--column", "-c", help="Of the table, or of a .dgh.")] = None,
    ontology: Annotated[str | None, typer.Option(help="Judge it by this ontology.")] = None,
    measure: MeasureName = "wup",
    convention: Convention = None,
    senses: Senses = "coherent",
    mapping: Mapped = None,
    under: Under = None,
    depth: Annotated[int | None, typer.Option(help="How many levels below the root.")] = None,
    everything: All = False,
    settings: SetKeys = None,
    as_json: AsJson = False,
) -> None:
    """Show a hierarchy as a tree; with --svg or --html draw it."""
    from ontomask.files import staging
    from ontomask.hierarchies.drawing import Drawn, as_html, as_svg, as_text, drawn_of
    from ontomask.hierarchies.formats import read_hierarchy

    for output in filter(None, [svg, html]):
        check_new(output, [file, *filter(None, [table, release, mapping])])
    tree = read_hierarchy(file, column=column if file.suffix.lower() in (".dgh", ".txt") else None)
    drawn = Drawn(tree, _counts(tree, table, column, settings))
    if ontology is not None:
        asked = Asked(ontology, measure, convention, senses, mapping, under)
        judged = Judged.of(tree, asked.loaded(), asked)
        drawn = drawn_of(judged.gsl, judged.findings, drawn.counts)
    drawn = replace(drawn, released=_released(tree, release, column, settings))
    with staging() as files:
        for target, markup in ((svg, as_svg), (html, as_html)):
            if target is not None:
                with files.writing(target) as temporary:
                    temporary.write_text(markup(drawn), encoding="utf-8")
    if as_json:
        return print_json(
            {"hierarchy": tree.name, "values": tree.n_values, **levels_as_dicts(drawn), "rows": tree.rows()}
        )
    print_text(as_text(drawn, depth=depth, most=None if everything else SHOWN))
    for line in drawn.said:
        say(line)
    for output in filter(None, [svg, html]):
        warn(f"wrote {output}")
    return None


def _counts(tree: Hierarchy, table: Path | None, column: str | None, settings: SetKeys) -> Any:
    """Rows of the table with each value of the hierarchy."""
    import numpy as np

    from ontomask.hierarchies.ranges import matched
    from ontomask.tables import open_table

    if table is None:
        return None
    texts, rows = open_table(table, asked_table(None, settings)).distinct(column or tree.name)
    known = [i for i, text in enumerate(texts) if text and text.strip()]
    counts = np.zeros(tree.n_values, np.int64)
    np.add.at(counts, matched(tree, [str(texts[i]) for i in known]), rows[known])
    return counts


def _released(tree: Hierarchy, release: Path | None, column: str | None, settings: SetKeys) -> dict[int, int]:
    """Rows of a release that have each label of the hierarchy."""
    from ontomask.tables import open_table

    if release is None:
        return {}
    texts, rows = open_table(release, asked_table(None, settings)).distinct(column or tree.name)
    labels = set(tree.labels)
    known = {text: int(n) for text, n in zip(texts, rows, strict=True) if text in labels}
    if lost := int(sum(rows)) - sum(known.values()):
        warn(f"note: {lost:,} of {int(sum(rows)):,} rows of the release have no label of this hierarchy")
    return {tree.node(text): n for text, n in known.items() if text is not None}


def convert_command(
    file: FilePath,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write; its ending says how.")],
    column: Attribute = None,
) -> None:
    """Write a hierarchy in another format: .csv (ARX), .yaml, .json or .dgh."""
    from ontomask.hierarchies.formats import read_hierarchy

    check_new(output, [file])
    tree = read_hierarchy(file, column=column)
    tell_written(output, written(tree, output))


def ranges_command(
    ontology: OntologyName,
    below: Annotated[str, typer.Option(metavar="CONCEPT", help="Above the groups: 'Age Groups'.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Set of ranges to write (CSV).")],
    unit: Annotated[str, typer.Option(help="Of the column: years, months, mg/dl, ...")] = "years",
    source: Annotated[
        list[str] | None, typer.Option(help="Of the UMLS only this vocabulary, such as MSH.")
    ] = None,
) -> None:
    """Make a set of ranges from the definitions of concepts, for `build --by ranges`."""
    from ontomask.hierarchies.definitions import ranges_below, write_ranges
    from ontomask.ontology import load_ontology
    from ontomask.ontology.formats import rrf

    check_new(output, [Path(ontology)])
    known = rrf.load(Path(ontology), ontology, source) if source else load_ontology(ontology)
    found, left_out = ranges_below(known, below, unit)
    write_ranges(found, output, f"By the definitions below {below} in {known.name}; ranges are half-open.")
    print_table(
        ("concept", "from", "to below"),
        [(one.label, *("" if b is None else str(b) for b in (one.low, one.high))) for one in found.ranges],
    )
    for line in left_out:
        warn(f"note: left out: {line}")
    warn(f"wrote {output}; use it by `ontomask hierarchy build ... --by ranges --ranges {output}`")


hierarchies = typer.Typer(
    help="Build, look at, convert, score and improve hierarchies.", no_args_is_help=True
)
hierarchies.command("build")(command(build_command))
hierarchies.command("ranges")(command(ranges_command))
hierarchies.command("show")(command(show_command))
hierarchies.command("convert")(command(convert_command))
hierarchies.command("score")(command(score_command))
hierarchies.command("improve")(command(improve_command))
