"""`ontomask link`: map the values of a column to concepts, for review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ontomask.cli.asking import EngineName, Master, SetKeys, TableName, TablePlace, asked_table, of_engine
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.cli.waiting import bar
from ontomask.errors import OntomaskError
from ontomask.files import is_there

if TYPE_CHECKING:
    from ontomask.columns.linked import AskedWords, LinkedWords
    from ontomask.linking import Link, Links
    from ontomask.tables import TableOptions
    from ontomask.tables.address import Place

SHOWN = 10


def link_command(
    table: TablePlace,
    column: Annotated[
        str | None, typer.Option("--column", "-c", help="Column to link; with --plan all that hold words.")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="Plan (YAML) that says what the columns are.")] = None,
    ontology: Annotated[
        str | None, typer.Option(help="A name (see `ontomask ontology list`) or a path.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Words of another language for wordnet (OMW tab file, WN-LMF).")
    ] = None,
    several: Annotated[
        str | None, typer.Option(help="What separates answers, where a cell has several.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Mapping to write (CSV).")] = None,
    under: Annotated[str | None, typer.Option(help="Only senses below this concept.")] = None,
    senses: Annotated[str | None, typer.Option(help="coherent, first or explicit.")] = None,
    mapping: Annotated[Path | None, typer.Option(help="What is decided already (CSV value,concept).")] = None,
    synonyms: Annotated[Path | None, typer.Option(help="Abbreviations (CSV synonym,term).")] = None,
    crossmap: Annotated[
        Path | None, typer.Option(help="Codes of another system (CSV from,to or RF2).")
    ] = None,
    review: Annotated[bool, typer.Option("--review", help="Go through the doubtful values here.")] = False,
    decisions: Annotated[
        Path | None, typer.Option(help="Decisions of several projects (CSV): used, and extended by --review.")
    ] = None,
    embeddings: Annotated[bool, typer.Option(help="Suggest by meaning too (extra embeddings).")] = False,
    database_table: TableName = None,
    engine: EngineName = None,
    master: Master = None,
    settings: SetKeys = None,
    force: Annotated[bool, typer.Option(help="Write over an existing mapping.")] = False,
    formulas: Annotated[
        str, typer.Option(help="neutralise (a quote before cells that a spreadsheet would run) or keep.")
    ] = "neutralise",
    as_json: AsJson = False,
) -> None:
    """Map the values of columns to concepts; prints how, and the values that need a person."""
    from ontomask.linking.links import Formulas
    from ontomask.outputs import check_apart, check_no_release
    from ontomask.tables.register import TEXT

    if formulas not in get_args(Formulas):
        raise OntomaskError(
            f"there is no --formulas {formulas!r}",
            value=formulas,
            is_public=True,
            remedy=f"use {' or '.join(get_args(Formulas))}",
        )
    typed = {
        "under": under,
        "senses": senses,
        "mapping": mapping,
        "synonyms": synonyms,
        "crossmap": crossmap,
        "labels": labels,
        "several": several,
    }
    asked = list(_asked_columns(column, plan, ontology, output, review, typed))
    for one in asked:
        if one.target and one.target.suffix.lower() not in (*TEXT, ""):
            raise OntomaskError(f"cannot write {one.target}: a mapping is text", remedy="name it NAME.csv")
        if one.target:
            resumed = [one.mapping] if review and one.mapping else []
            check_apart([one.target], [table, *(file for file in one.read if file not in resumed)])
            check_no_release(one.target)
        if one.target and is_there(one.target) and not force and not review:
            raise OntomaskError(
                f"{one.target} is there already and may hold decisions",
                remedy="give it as --mapping and write another file, or say --review or --force",
            )
    if review and not decisions and not all(one.target for one in asked):
        raise OntomaskError("--review needs a file to write to", remedy="name it with -o, or --decisions")
    if decisions:
        check_apart([decisions], [table, *(file for one in asked for file in one.read)])
    options = _table_options(plan, database_table, settings, engine, master)
    found = _linked_columns(table, options, asked, decisions, review, embeddings)
    if review:
        _review(found, decisions)
        return
    for linked in found:
        if linked.asked.target:
            linked.links.to_csv(linked.asked.target, formulas=formulas)  # type: ignore[arg-type]
    if as_json:
        told = {linked.asked.column: _as_dict(linked) for linked in found}
        print_json(told if plan else next(iter(told.values())))
        return
    for number, linked in enumerate(found):
        if plan:
            say() if number else None
            say(f"{linked.asked.column} ({linked.links.ontology.name})")
        _print_linked(linked)
        if target := linked.asked.target:
            open_ones = any(one.is_doubtful and one.concept is not None for one in linked.links)
            warn(
                f"wrote {target}; edit the column `concept` and give the file as `mapping` in the plan"
                + (
                    "; a doubtful line is decided once its concept is changed or its score emptied"
                    * open_ones
                )
            )


def _asked_columns(
    column: str | None,
    plan: Path | None,
    ontology: str | None,
    output: Path | None,
    review: bool,
    typed: Mapping[str, Any],
) -> Iterator[AskedWords]:
    """The column that was typed, or those of the plan that hold words, with what was typed about them."""
    from ontomask.columns.linked import AskedWords, words_of

    given = {key: value for key, value in typed.items() if value is not None}
    if plan is None:
        if column is None:
            raise OntomaskError("which column?", remedy="name it with --column, or give a --plan")
        yield AskedWords(column, ontology or "wordnet", target=output, **given)
        return
    from ontomask.plan import Plan

    read = Plan.load(plan)
    columns = [one for one in words_of(read) if column in (None, one.column)]
    if not columns:
        what = f"column {column!r} does not hold words" if column else "no column holds words"
        raise OntomaskError(f"{what} in {plan}", remedy="link columns of kind nominal")
    if output and len(columns) > 1:
        raise OntomaskError(
            f"one mapping cannot be for {len(columns)} columns",
            remedy="name one with --column; without -o each has its own beside the plan",
        )
    for one in columns:
        own = replace(one, target=output or (one.target if review else None), **given)
        yield replace(own, ontology=read.ontology_source(ontology)) if ontology else own


def _table_options(
    plan: Path | None,
    database_table: str | None,
    settings: list[str] | None,
    engine: str | None,
    master: str | None,
) -> TableOptions:
    from ontomask.plan import Plan

    if plan is None or database_table or settings:
        return asked_table(database_table, settings, engine, master)
    said = {key: value for key, value in of_engine(engine, master).items() if value}
    typed = [f"{key}={value}" for key, value in said.items()]
    return Plan.load(plan).with_options(settings=typed).table_options()


def _linked_columns(
    table: Place,
    options: TableOptions,
    asked: list[AskedWords],
    decisions: Path | None,
    review: bool,
    embeddings: bool,
) -> list[LinkedWords]:
    from ontomask.columns.linked import linked_words
    from ontomask.linking import read_mapping
    from ontomask.tables import open_table

    found = []
    with bar({"reading": 1.0, "linking": 2.0}) as progress:
        progress.tell("reading")
        opened = open_table(table, options)
        for one in asked:
            ontology = one.load_ontology()
            # What was decided last counts most: in this review, then for this column, then elsewhere.
            decided: dict[str, str] = {}
            for file in (decisions, one.mapping, one.target if review else None):
                if file and (is_there(file) or file == one.mapping):
                    decided |= read_mapping(file, ontology.name)
            progress.tell("linking")
            found.append(linked_words(opened, one, decided, ontology=ontology, embeddings=embeddings))
    return found


def _review(found: list[LinkedWords], decisions: Path | None) -> None:
    from ontomask.cli.review import review_on_terminal
    from ontomask.linking.review import DecisionFile, Review

    for linked in found:
        ontology = linked.links.ontology.name
        targets = [path for path in (linked.asked.target, decisions) if path is not None]
        files = [DecisionFile(path, ontology) for path in targets]
        decided = Review.of(linked.links, linked.rows)
        review_on_terminal(decided, files, linked.asked.column)
        if not decided.decided:
            for path in targets:
                warn(
                    f"nothing was decided: {path} {'stays as it was' if is_there(path) else 'is not written'}"
                )
        else:
            warn(f"wrote {', '.join(map(str, targets))}")
            if linked.asked.target and linked.asked.target != linked.asked.mapping:
                warn(f"put `mapping: {quote(str(linked.asked.target))}` at this column in the plan")


def _as_dict(linked: LinkedWords) -> dict[str, Any]:
    links = linked.links
    return {
        "values": len(links),
        "how": links.summary(),
        "links": {one.value: links.key(one.value) for one in links},
        "scores": {one.value: one.score for one in links if one.concept is not None},
        "unlinked": {one.value: perhaps(links, one) for one in links.unlinked},
        "doubtful": {one.value: linked.rows[one.value] for one in links if one.is_doubtful},
    }


def _print_linked(linked: LinkedWords) -> None:
    print_table(("linked by", "values"), [(how, f"{n:,}") for how, n in linked.links.summary().items()])
    print_unlinked(linked.links, linked.rows)
    print_doubtful(linked.links, linked.rows)


def print_unlinked(links: Links, rows: Mapping[str, int]) -> None:
    """The values without a concept, how many rows have them, and what they may be."""
    from ontomask.printable import shortened

    if unlinked := links.by_rows(rows).unlinked:
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


def print_doubtful(links: Links, rows: Mapping[str, int], most: int | None = SHOWN) -> None:
    """The values whose concept somebody should look at, those of most rows first, with its meaning."""
    from ontomask.printable import shortened

    ontology = links.ontology
    doubtful = [one for one in links.by_rows(rows) if one.is_doubtful and one.concept is not None]
    if not doubtful:
        return
    some = f"; the {most} of most rows" if most is not None and len(doubtful) > most else ""
    say()
    say(f"{len(doubtful)} links are doubtful{some}:")
    print_table(
        ("value", "rows", "taken for", "meaning", "score"),
        [
            (
                shortened(one.value),
                f"{rows.get(one.value, 0):,}",
                ontology.key(one.concept),
                ontology.gloss(one.concept)[:60],
                f"{one.score:.2f}",
            )
            for one in doubtful[:most]
            if one.concept is not None
        ],
    )
