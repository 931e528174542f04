"""`ontomask hierarchy ...`: build, look at, convert, score and improve generalisation hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ontomask.cli.asking import SetKeys, TableName, TablePath, asked_table
from ontomask.cli.linking import close_calls, perhaps, print_close_calls, print_unlinked
from ontomask.cli.printing import AsJson, print_json, print_table, print_text, say, warn
from ontomask.cli.running import command
from ontomask.cli.waiting import bar
from ontomask.errors import OntomaskError
from ontomask.files import is_there

if TYPE_CHECKING:
    from ontomask.hierarchies import Hierarchy
    from ontomask.hierarchies.drawing import Drawn
    from ontomask.hierarchies.findings import Findings
    from ontomask.hierarchies.gsl import Gsl
    from ontomask.linking import Links
    from ontomask.measures import Measure
    from ontomask.ontology import Ontology

SHOWN = 10
"""Lines below a heading; --all shows the others."""
MEANING, WIDTH, FREQUENCY, RANGES, PREFIX = "meaning", "width", "frequency", "ranges", "prefix"
AGE = "age"

hierarchies = typer.Typer(
    help="Build, look at, convert, score and improve hierarchies.", no_args_is_help=True
)

FilePath = Annotated[Path, typer.Argument(metavar="FILE", help="Hierarchy: .csv (ARX), .yaml, .json, .dgh.")]
OntologyName = Annotated[str, typer.Option(help="wordnet, icd10cm, icd9cm or a path.")]
Attribute = Annotated[str | None, typer.Option("--column", "-c", help="Which one, if a .dgh has several.")]
MeasureName = Annotated[str, typer.Option("--measure", "-m", help="How loss is measured.")]
Convention = Annotated[str | None, typer.Option(help="links, ws4j or nltk; of wup, ws4j if not given.")]
Senses = Annotated[str, typer.Option(help="What labels mean: coherent, first or explicit.")]
Mapped = Annotated[Path | None, typer.Option("--mapping", help="What labels stand for (CSV value,concept).")]
Under = Annotated[str | None, typer.Option(help="Values mean only what lies below this concept.")]
Aggregate = Annotated[str, typer.Option(help="Values of a level taken together: mean or max.")]
Weighting = Annotated[str, typer.Option(help="Weight of levels: uniform, or level (lower ones more).")]
All = Annotated[bool, typer.Option("--all", help="Shorten nothing.")]


# ---------------------------------------------------------------------- build


@hierarchies.command("build")
@command
def build_command(
    table: TablePath,
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
    settings: SetKeys = None,
    as_json: AsJson = False,
) -> None:
    """Build a hierarchy for a column, and say what to look at in it."""
    from ontomask.hierarchies.drawing import Drawn
    from ontomask.tables import open_table

    read = [table, *filter(None, [mapping])]
    _check_output(output, [*read, *(Path(name) for name in (ontology, ranges))])
    _check_one_of("--by", by, (MEANING, WIDTH, FREQUENCY, RANGES, PREFIX))
    with bar({"reading": 1.0, "linking": 2.0}) as progress:
        progress.tell("reading")
        texts, counts = open_table(table, asked_table(database_table, settings)).distinct(column)
        rows = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text and text.strip()}
        if not rows:
            raise OntomaskError("has no value at all", column=column)
        progress.tell("linking" if by == MEANING else "building")
        if by == MEANING:
            asked = _Asked(ontology, "wup", None, senses, mapping, under)
            built = _by_meaning(column, list(rows), asked, measure, levels, prune, unmapped)
        else:
            made = _by_order(column, rows, by, levels, width, ranges)
            built = _Built(made, Drawn(made))
    lost = _written(built.hierarchy, output)
    if as_json:
        return print_json({"output": str(output), **built.as_dict(), "notes": [*built.hierarchy.notes]})
    _print_built(built, rows)
    if by == MEANING and all(map(_is_number, rows)):
        warn("all its values are numbers: --by width, frequency or ranges makes ranges of them")
    return _tell_written(output, lost)


@dataclass(frozen=True)
class _Built:
    """A hierarchy as it is told of; links and score only where it was built by meaning."""

    hierarchy: Hierarchy
    drawn: Drawn
    links: Links | None = None
    judged: _Judged | None = None

    def as_dict(self) -> dict[str, Any]:
        told = {"hierarchy": self.hierarchy.name, "values": self.hierarchy.n_values, **_levels(self.drawn)}
        if self.links is not None and self.judged is not None:
            links = self.links
            told["score"] = self.judged.gsl.score
            told["words"] = self.judged.words
            told["unlinked"] = {one.value: perhaps(links, one) for one in links.unlinked}
            told["close calls"] = {one.value: links.key(one.value) for one in close_calls(links)}
        return told


def _by_meaning(
    column: str,
    values: Sequence[str],
    asked: _Asked,
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

    _check_one_of("--unmapped", unmapped, get_args(Unlinked))
    ontology = asked.loaded()
    links = link(
        values,
        ontology,
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
    judged = _Judged.of(tree, ontology, asked)
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
    if not _is_number(text):
        raise OntomaskError(
            f"{text!r} is not a number", value=text, remedy="correct it, or build --by meaning or prefix"
        )
    return float(text)


def _print_built(built: _Built, rows: Mapping[str, int]) -> None:
    from ontomask.hierarchies.findings import told_in_a_line

    tree = built.hierarchy
    say(f"{tree.name}: {tree.n_values:,} values, {tree.height} levels above them")
    _print_levels(built.drawn)
    if built.judged is not None and built.links is not None:
        say(told_in_a_line(built.judged.gsl))
        print_unlinked(built.links, rows)
        if built.links.unlinked:
            say(f"They stand below {tree.labels[tree.root]!r} alone: nothing is known of them.")
        print_close_calls(built.links)
        if built.links.unlinked or close_calls(built.links):
            say("Put right what is wrong in a --mapping (CSV value,concept); `ontomask link` writes one.")
    if tree.notes:
        say()
        say("In the tree itself:")
        for note in tree.notes:
            say(f"  {note}")


# ---------------------------------------------------------------------- show and convert


@hierarchies.command("show")
@command
def show_command(
    file: FilePath,
    svg: Annotated[Path | None, typer.Option(help="Drawing to write.")] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: tree, levels, what to look at.")] = None,
    table: Annotated[Path | None, typer.Option(help="Count the rows of this table.")] = None,
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
        _check_output(output, [file, *filter(None, [table, mapping])])
    tree = read_hierarchy(file, column=column if file.suffix.lower() in (".dgh", ".txt") else None)
    drawn = Drawn(tree, _counts(tree, table, column, settings))
    if ontology is not None:
        asked = _Asked(ontology, measure, convention, senses, mapping, under)
        judged = _Judged.of(tree, asked.loaded(), asked)
        drawn = drawn_of(judged.gsl, judged.findings, drawn.counts)
    with staging() as files:
        for target, markup in ((svg, as_svg), (html, as_html)):
            if target is not None:
                with files.writing(target) as temporary:
                    temporary.write_text(markup(drawn), encoding="utf-8")
    if as_json:
        return print_json(
            {"hierarchy": tree.name, "values": tree.n_values, **_levels(drawn), "rows": tree.rows()}
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


@hierarchies.command("convert")
@command
def convert_command(
    file: FilePath,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write; its ending says how.")],
    column: Attribute = None,
) -> None:
    """Write a hierarchy in another format: .csv (ARX), .yaml, .json or .dgh."""
    from ontomask.hierarchies.formats import read_hierarchy

    _check_output(output, [file])
    tree = read_hierarchy(file, column=column)
    _tell_written(output, _written(tree, output))


# ---------------------------------------------------------------------- score and improve


@hierarchies.command("score")
@command
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

    asked = _Asked(ontology, measure, convention, senses, mapping, under, aggregate, weighting)
    liking = _preferences(files, preference or [], as_set)
    loaded = asked.loaded()
    trees = [read_hierarchy(file, column=column) for file in files]
    judged = [_Judged.of(tree, loaded, asked) for tree in trees]
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
        if name not in liking or not (_is_number(number) and float(number) > 0):
            raise OntomaskError(
                f"--preference {entry!r} is not FILE=NUMBER with one of the files and a number above 0",
                value=entry,
                is_public=True,
                remedy=f"such as {files[0]}=2",
            )
        liking[name] = float(number)
    return [liking[str(file)] for file in files]


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return isfinite(float(text))
    return False


def _scores(files: Sequence[Path], judged: Sequence[_Judged], liking: Sequence[float], as_set: bool) -> Any:
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


@hierarchies.command("improve")
@command
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
        _check_output(output, [file, *filter(None, [mapping])])
    asked = _Asked(ontology, measure, convention, senses, mapping, under, aggregate, weighting)
    tree = read_hierarchy(file, column=column)
    judged = _Judged.of(tree, asked.loaded(), asked)
    made = improvements(judged.gsl, edits)
    lost: tuple[str, ...] = ()
    if output is not None:
        lost = _written(improved(judged.known(), [one.edit for one in made]), output)
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
    return _tell_written(output, lost) if output is not None else None


# ---------------------------------------------------------------------- parts


@dataclass(frozen=True)
class _Asked:
    """How hierarchies are to be judged."""

    ontology: str
    measure: str
    convention: str | None
    senses: str
    mapping: Path | None
    under: str | None
    aggregate: str = "mean"
    weighting: str = "uniform"

    def loaded(self) -> Ontology:
        from ontomask.ontology import load_ontology

        return load_ontology(self.ontology)

    def chosen(self) -> Measure:
        from ontomask.measures import measure as by_name

        convention = self.convention or ("ws4j" if self.measure == "wup" else None)
        return by_name(self.measure, **({"convention": convention} if convention else {}))


@dataclass(frozen=True)
class _Judged:
    """A hierarchy with its score and what is worth a look."""

    gsl: Gsl
    links: Links
    findings: Findings

    @classmethod
    def of(cls, tree: Hierarchy, ontology: Ontology, asked: _Asked) -> _Judged:
        from ontomask.hierarchies.findings import findings_of
        from ontomask.hierarchies.gsl import Gsl, linked_nodes

        links = linked_nodes(
            tree,
            ontology,
            senses=asked.senses,  # type: ignore[arg-type]
            mapping=asked.mapping,
            under=asked.under,
        )
        gsl = Gsl(tree, ontology, links.concepts, asked.chosen(), asked.aggregate, asked.weighting)  # type: ignore[arg-type]
        return cls(gsl, links, findings_of(gsl, links))

    @property
    def words(self) -> str:
        from ontomask.hierarchies.findings import score_in_words

        return score_in_words(self.gsl)

    @property
    def measured(self) -> str:
        from ontomask.hierarchies.findings import measured_in_words

        return measured_in_words(self.gsl)

    def known(self) -> Hierarchy:
        """The hierarchy, which says what its labels stand for."""
        meant = {one.value: self.links.key(one.value) for one in self.links}
        return replace(
            self.gsl.hierarchy, concepts={label: key for label, key in meant.items() if key is not None}
        )


def _check_one_of(option: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise OntomaskError(
            f"there is no {option} {given!r}",
            value=given,
            is_public=True,
            remedy=f"use {', '.join(known[:-1])} or {known[-1]}",
        )


def _check_output(output: Path, inputs: Sequence[Path]) -> None:
    """Nothing that is there is written over."""
    from ontomask.outputs import check_apart, check_no_release

    check_apart([output], inputs)
    check_no_release(output)
    if is_there(output):
        raise OntomaskError(f"{output} is there already", remedy="remove it or choose another name")


def _written(tree: Hierarchy, output: Path) -> tuple[str, ...]:
    """Write it; returns what the file does not say."""
    from ontomask.hierarchies.formats import write_hierarchy

    return write_hierarchy(tree, output)


def _tell_written(output: Path, lost: Sequence[str]) -> None:
    warn(f"wrote {output}; in a plan: `hierarchy: {output}`")
    for line in lost:
        warn(f"note: {line}")


def _levels(drawn: Drawn) -> dict[str, Any]:
    tree, lost = drawn.hierarchy, [0.0, *drawn.level_gsl]
    return {
        "levels": [
            {
                "level": level,
                "labels": len(tree.nodes_at(level)),
                **({"gsl": lost[level]} if drawn.level_gsl else {}),
            }
            for level in range(tree.height + 1)
        ]
    }


def _print_levels(drawn: Drawn) -> None:
    from ontomask.hierarchies.drawing import level_headings, level_rows

    print_table(level_headings(drawn), level_rows(drawn))


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
