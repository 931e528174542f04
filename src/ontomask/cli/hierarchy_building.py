"""`ontomask hierarchy build`: from a column to a hierarchy, with a list of what to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ontomask.cli.asking import EngineName, Master, SetKeys, TableName, TablePlace, asked_table
from ontomask.cli.hierarchy_parts import (
    SHOWN,
    All,
    Asked,
    Judged,
    MeasureName,
    OntologyName,
    Senses,
    Under,
    check_new,
    check_one_of,
    is_number,
    levels_as_dicts,
    tell_written,
    written,
)
from ontomask.cli.linking import (
    perhaps,
    print_doubtful,
    print_unlinked,
)
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.cli.waiting import bar
from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from ontomask.hierarchies import Hierarchy
    from ontomask.hierarchies.drawing import Drawn
    from ontomask.linking import Link, Links

MEANING, WIDTH, FREQUENCY, RANGES, PREFIX = "meaning", "width", "frequency", "ranges", "prefix"
AGE = "age"


def build_command(
    table: TablePlace,
    column: Annotated[str, typer.Option("--column", "-c", help="Column to build it for.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Hierarchy to write (.csv, .yaml, .dgh).")],
    levels: Annotated[int, typer.Option(help="At most so many above the values, the root included.")] = 4,
    by: Annotated[
        str, typer.Option(help="meaning; of numbers: width, frequency or ranges; of codes: prefix.")
    ] = MEANING,
    ontology: OntologyName = "wordnet",
    under: Under = None,
    senses: Senses = "coherent",
    mapping: Annotated[Path | None, typer.Option(help="What values stand for (CSV value,concept).")] = None,
    measure: MeasureName = "logsc",
    prune: Annotated[bool, typer.Option(help="Leave out labels with one label below them.")] = True,
    unmapped: Annotated[
        str, typer.Option(help="Values without a concept: own-leaf (alone up to the root), root or error.")
    ] = "own-leaf",
    width: Annotated[float | None, typer.Option(help="By width: of the lowest ranges.")] = None,
    ranges: Annotated[str, typer.Option(help="By ranges: age, or a file label,from,to.")] = AGE,
    database_table: TableName = None,
    engine: EngineName = None,
    master: Master = None,
    everything: All = False,
    settings: SetKeys = None,
    as_json: AsJson = False,
) -> None:
    """Build a hierarchy for a column, and say what to look at in it."""
    from ontomask.hierarchies.drawing import Drawn
    from ontomask.tables import open_table

    read = [*(path for path in (table, mapping) if isinstance(path, Path))]
    check_new(output, [*read, *(Path(name) for name in (ontology, ranges))])
    check_one_of("--by", by, (MEANING, WIDTH, FREQUENCY, RANGES, PREFIX))
    with bar({"reading": 1.0, "linking": 2.0}) as progress:
        progress.tell("reading")
        options = asked_table(database_table, settings, engine, master)
        texts, counts = open_table(table, options).distinct(column)
        rows: dict[str, int] = {}  # blanks around a value are no part of it
        for text, n in zip(texts, counts.tolist(), strict=True):
            if text and (value := text.strip()):
                rows[value] = rows.get(value, 0) + n
        if not rows:
            raise OntomaskError("has no value at all", column=column)
        progress.tell("linking" if by == MEANING else "building")
        if by == MEANING and all(map(is_number, rows)):
            warn("all its values are numbers: --by width, frequency or ranges makes ranges of them")
        if by == MEANING:
            asked = Asked(ontology, "wup", None, senses, mapping, under)
            built = _by_meaning(column, list(rows), asked, measure, levels, prune, unmapped)
        else:
            made = _by_order(column, rows, by, levels, width, ranges)
            built = _Built(made, Drawn(made))
    lost = written(built.hierarchy, output)
    if as_json:
        return print_json({"output": str(output), **built.as_dict(), "notes": [*built.hierarchy.notes]})
    _print_built(built, rows, everything)
    return tell_written(output, lost)


@dataclass(frozen=True)
class _Built:
    """A hierarchy as it is told of; links and score only where it was built by meaning."""

    hierarchy: Hierarchy
    drawn: Drawn
    links: Links | None = None
    judged: Judged | None = None

    def as_dict(self) -> dict[str, Any]:
        told = {
            "hierarchy": self.hierarchy.name,
            "values": self.hierarchy.n_values,
            **levels_as_dicts(self.drawn),
        }
        if self.links is not None and self.judged is not None:
            links = self.links
            told["score"] = self.judged.gsl.score
            told["words"] = self.judged.words
            told["unlinked"] = {one.value: perhaps(links, one) for one in links.unlinked}
            told["doubtful"] = {
                one.value: links.key(one.value) for one in links.doubtful if one.concept is not None
            }
            told["other senses"] = {
                one.value: links.ontology.key(sense) for one, sense, _ in self.elsewhere()
            }
        return told

    def elsewhere(self) -> list[tuple[Link, int, str]]:
        """Values with another sense in another branch right below the root: the sense, and that branch."""
        import numpy as np

        tree, links = self.hierarchy, self.links
        if links is None or tree.height < 2:
            return []
        branches = {tree.labels[node] for node in tree.nodes_at(tree.height - 1)} & tree.concepts.keys()
        tops = {label: links.ontology.concept(tree.concepts[label]) for label in sorted(branches)}
        found = []
        for one in links:
            senses = [s for s in links.ontology.senses_of(one.value).tolist() if s != one.concept]
            if one.concept is None or one.how == "mapping" or not senses:
                continue
            own = tree.label_at(one.value, tree.height - 1)
            there = [
                (int(sense), label)
                for label, top in tops.items()
                if label != own
                for sense in np.array(senses)[links.ontology.is_below(senses, top)]
            ]
            if there:
                found.append((one, *min(there, key=lambda pair: senses.index(pair[0]))))
        return found


def _by_meaning(
    column: str,
    values: Sequence[str],
    asked: Asked,
    measure: str,
    levels: int,
    prune: bool,
    unmapped: str,
) -> _Built:
    from ontomask.hierarchies.build import hierarchy_of
    from ontomask.hierarchies.drawing import drawn_of
    from ontomask.hierarchies.unlinked import Unlinked, with_unlinked
    from ontomask.linking import link
    from ontomask.measures import measure as by_name

    check_one_of("--unmapped", unmapped, get_args(Unlinked))
    ontology = asked.loaded()
    links = link(
        values,
        ontology,
        column=column,
        mapping=asked.mapping,
        senses=asked.senses,  # type: ignore[arg-type]
        under=asked.under,
    )
    concepts = {one.value: one.concept for one in links if one.concept is not None}
    unlinked = [one.value for one in links.unlinked]
    if not concepts or (unlinked and unmapped == "error"):
        raise OntomaskError(
            f"{unlinked[0]!r} and {len(unlinked) - 1:,} other values have no concept in {ontology.name}",
            column=column,
            value=unlinked[0],
            details=tuple(map(repr, unlinked[:SHOWN])),
            remedy="`ontomask link` lists what they may be; name their concepts in a --mapping",
        )
    tree = hierarchy_of(ontology, concepts, name=column, measure=by_name(measure), levels=levels, prune=prune)
    tree = with_unlinked(tree, unlinked, unmapped)  # type: ignore[arg-type]
    judged = Judged.of(tree, ontology, asked)
    return _Built(tree, drawn_of(judged.gsl, judged.findings), links, judged)


def _by_order(
    column: str, rows: Mapping[str, int], by: str, levels: int, width: float | None, ranges: str
) -> Hierarchy:
    from ontomask.hierarchies.intervals import AGE_YEARS, read_ranges
    from ontomask.hierarchies.ranges import numeric_hierarchy, prefix_hierarchy

    if by == PREFIX:
        return prefix_hierarchy(list(rows), name=column, levels=levels)
    try:
        return numeric_hierarchy(
            {text: _number(text) for text in rows},
            name=column,
            by=by,  # type: ignore[arg-type]
            width=width,
            levels=levels,
            counts=rows,
            ranges=read_ranges(AGE_YEARS if ranges == AGE else ranges) if by == RANGES else None,
        )
    except OntomaskError as error:
        raise error.at(column=column) from None


def _number(text: str) -> float:
    if not is_number(text):
        raise OntomaskError(
            f"{text!r} is not a number", value=text, remedy="correct it, or build --by meaning or prefix"
        )
    return float(text)


def _print_elsewhere(links: Links, elsewhere: Sequence[tuple[Link, int, str]], most: int | None) -> None:
    from ontomask.printable import shortened

    if not elsewhere:
        return
    more = f"; {most} of them" if most is not None and len(elsewhere) > most else ""
    say()
    say(f"{len(elsewhere)} values have another sense in another branch of the tree{more}:")
    gloss = links.ontology.gloss
    print_table(
        ("value", "taken for", "not for", "below"),
        [
            (shortened(one.value), gloss(one.concept or 0)[:45], gloss(sense)[:45], shortened(label))
            for one, sense, label in elsewhere[:most]
        ],
    )


def _print_built(built: _Built, rows: Mapping[str, int], everything: bool) -> None:
    from ontomask.hierarchies.build import findings
    from ontomask.hierarchies.drawing import level_headings, level_rows
    from ontomask.hierarchies.findings import told_in_a_line

    tree = built.hierarchy
    say(f"{tree.name}: {tree.n_values:,} values, {tree.height} levels above them")
    print_table(level_headings(built.drawn), level_rows(built.drawn))
    if built.judged is not None and built.links is not None:
        say(told_in_a_line(built.judged.gsl))
        print_unlinked(built.links, rows)
        if built.links.unlinked:
            say(f"They stand below {tree.labels[tree.root]!r} alone: nothing is known of them.")
        most = None if everything else SHOWN
        print_doubtful(built.links, rows, most)
        elsewhere = built.elsewhere()
        _print_elsewhere(built.links, elsewhere, most)
        if built.links.doubtful or elsewhere:
            say("Put right what is wrong in a --mapping (CSV value,concept); `ontomask link` writes one.")
    notes = findings(tree, most=None) if everything and built.links is not None else tree.notes
    if notes:
        say()
        say("In the tree itself:")
        for note in notes:
            say(f"  {note}")
