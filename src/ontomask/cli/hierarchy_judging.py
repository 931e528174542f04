"""`ontomask hierarchy score` and `improve`: how much meaning hierarchies lose, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.hierarchy_parts import (
    SHOWN,
    Aggregate,
    All,
    Asked,
    Attribute,
    Convention,
    FilePath,
    Judged,
    Mapped,
    MeasureName,
    OntologyName,
    Senses,
    Under,
    Weighting,
    check_new,
    is_number,
    tell_written,
    written,
)
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from ontomask.hierarchies.findings import Findings


def score_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Hierarchies.")],
    ontology: OntologyName = "wordnet",
    measure: MeasureName = "wup",
    convention: Convention = None,
    senses: Senses = "coherent",
    mapping: Mapped = None,
    under: Under = None,
    aggregate: Aggregate = "mean",
    weighting: Weighting = "uniform",
    as_set: Annotated[
        bool, typer.Option("--set", help="Score them together, one for each attribute.")
    ] = False,
    preference: Annotated[
        list[str] | None, typer.Option(metavar="FILE=NUMBER", help="With --set: how much one matters (1).")
    ] = None,
    column: Attribute = None,
    everything: All = False,
    as_json: AsJson = False,
) -> None:
    """Score hierarchies by the meaning they lose (GSL, lower is better), rank and explain them.

    Measured by wup as WS4J counts, as published, unless another measure is named.
    """
    from ontomask.hierarchies.formats import read_hierarchy
    from ontomask.hierarchies.gsl import vgh_set_gsl

    asked = Asked(ontology, measure, convention, senses, mapping, under, aggregate, weighting)
    liking = _preferences(files, preference or [], as_set)
    loaded = asked.loaded()
    trees = [read_hierarchy(file, column=column) for file in files]
    judged = [Judged.of(tree, loaded, asked) for tree in trees]
    if as_json:
        return print_json(_scores(files, judged, liking, as_set))
    order = range(len(files)) if as_set else sorted(range(len(files)), key=lambda i: judged[i].gsl.score)
    print_table(
        ("set" if as_set else "rank", "file", "GSL", "of levels", "in words"),
        [
            (
                f"x {liking[i]:g}" if as_set else str(rank),
                str(files[i]),
                f"{judged[i].gsl.score:.4f}",
                " ".join(f"{loss:.4f}" for loss in judged[i].gsl.levels),
                judged[i].words,
            )
            for rank, i in enumerate(order, 1)
        ],
    )
    say(f"by {judged[0].measured}; lower is better")
    if as_set:
        say(f"together {vgh_set_gsl([one.gsl.score for one in judged], liking):.4f}")
    elif len({frozenset(tree.values) for tree in trees}) > 1:
        warn("these hierarchies have different values: their scores say little about each other")
    for i in order:
        _print_findings(judged[i].findings, str(files[i]) if len(files) > 1 else "", everything)
    return None


def _preferences(files: Sequence[Path], given: Sequence[str], as_set: bool) -> list[float]:
    """How much each file matters."""
    if given and not as_set:
        raise OntomaskError("--preference speaks of files that are scored together", remedy="add --set")
    liking = {str(file): 1.0 for file in files}
    for entry in given:
        name, _, number = entry.rpartition("=")
        if name not in liking or not (is_number(number) and float(number) > 0):
            raise OntomaskError(
                f"--preference {entry!r} is not FILE=NUMBER with one of the files and a number above 0",
                value=entry,
                is_public=True,
                remedy=f"such as {files[0]}=2",
            )
        liking[name] = float(number)
    return [liking[str(file)] for file in files]


def _scores(files: Sequence[Path], judged: Sequence[Judged], liking: Sequence[float], as_set: bool) -> Any:
    from ontomask.hierarchies.gsl import vgh_set_gsl

    scores = [one.gsl.score for one in judged]
    told = [
        {
            "file": str(file),
            "score": one.gsl.score,
            "rank": 1 + sum(score < one.gsl.score for score in scores),
            "levels": one.gsl.levels.tolist(),
            "words": one.words,
            "findings": asdict(one.findings),
        }
        for file, one in zip(files, judged, strict=True)
    ]
    together = {"together": vgh_set_gsl(scores, liking)} if as_set else {}
    return {"measure": judged[0].measured, "hierarchies": told, **together}


def improve_command(
    file: FilePath,
    ontology: OntologyName = "wordnet",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Improved hierarchy to write.")
    ] = None,
    edits: Annotated[int, typer.Option(help="At most so many edits.")] = 10,
    measure: MeasureName = "wup",
    convention: Convention = None,
    senses: Senses = "coherent",
    mapping: Mapped = None,
    under: Under = None,
    aggregate: Aggregate = "mean",
    weighting: Weighting = "uniform",
    column: Attribute = None,
    as_json: AsJson = False,
) -> None:
    """Propose edits that lower the loss of a hierarchy, each with the score it gives; -o makes them."""
    from ontomask.hierarchies.findings import told_in_a_line
    from ontomask.hierarchies.formats import read_hierarchy
    from ontomask.hierarchies.improve import improved, improvements

    if output is not None:
        check_new(output, [file, *filter(None, [mapping])])
    asked = Asked(ontology, measure, convention, senses, mapping, under, aggregate, weighting)
    tree = read_hierarchy(file, column=column)
    judged = Judged.of(tree, asked.loaded(), asked)
    made = improvements(judged.gsl, edits)
    lost: tuple[str, ...] = ()
    if output is not None:
        lost = written(improved(judged.known(), [one.edit for one in made]), output)
    if as_json:
        steps = [
            {"kind": type(one.edit).__name__, **asdict(one.edit), "words": str(one.edit), "score": one.score}
            for one in made
        ]
        return print_json({"measure": judged.measured, "score": judged.gsl.score, "edits": steps})
    say(told_in_a_line(judged.gsl))
    if made:
        print_table(
            ("", "edit, one after the other", "GSL with it"),
            [(str(i), str(one.edit), f"{one.score:.4f}") for i, one in enumerate(made, 1)],
        )
    else:
        say("no edit was found that would lower it")
    return tell_written(output, lost) if output is not None else None


def _print_findings(findings: Findings, title: str, everything: bool) -> None:
    from ontomask.hierarchies.findings import in_words

    for heading, lines in in_words(findings):
        say()
        say(f"{title}: {heading}" if title else heading)
        shown = lines if everything else lines[:SHOWN]
        for line in shown:
            say(f"  {line}")
        if len(lines) > len(shown):
            say(f"  ... and {len(lines) - len(shown):,} more (--all)")
