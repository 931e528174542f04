"""How many values of columns as exports have them are linked right, and how many wrong without a flag.

`python benchmarks/linking.py [--half dev|final] [--wrong]` links the labelled columns of
`benchmarks/linking/`, each by its name alone, and prints for each column and in total, by values and by
rows, what came out, beside the first sense of every word and the version before (`before.csv`, which
`--record` writes). The columns of `final` are for judging, not for tuning: a missed bar there makes the
exit status 1.

A label is the concepts a person would accept; `-` among them says that no link is right too. Labels of the
shipped lists are codes of their standards, and what lies below one is a kind of it: a title of a job is right
where its ISCO group is, *PhD* where ISCED 8 is. A link is
flagged if `links.doubtful` or `links.unlinked` has it; a value that is taken for a missing one is not, so a
word that is lost that way counts as wrong without a flag.

The version before had neither the column's name nor ontologies of countries, sex, marital status, education
and occupations. Where an ontology is not there WordNet takes its place, and a link is right if it is one of
the sense names that stand beside the codes in the label.
"""

from __future__ import annotations

import argparse
import csv
import inspect
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ontomask as om
from measures import Table
from ontomask.errors import UnknownTermError
from ontomask.linking import SensePolicy
from ontomask.ontology.catalog import LISTS
from ontomask.ontology.core import SENSE_NAME

FOLDER = Path(__file__).parent / "linking"
BEFORE = FOLDER / "before.csv"
HALVES = ("dev", "final")
TOTAL = "all columns"
FIGURES = ("right", "right_unflagged", "wrong_unflagged", "flagged")
NOTHING = "-"
# Figure, per what, the most or least of it in percent: what a person who signs a release can live with.
BARS = [
    ("right", "values", ">=", 80),
    ("right_unflagged", "values", ">=", 65),
    ("wrong_unflagged", "values", "<=", 4),
    ("wrong_unflagged", "rows", "<=", 2),
]
BINS = 10


@dataclass(frozen=True)
class Labelled:
    """A value of a column, how many rows have it, and what a person would link it to."""

    value: str
    rows: int
    accepted: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column of an export, with what its user says of it."""

    name: str
    ontology: str
    under: str | None
    values: tuple[Labelled, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of one value: `linked` is the concept's name, None for no link."""

    column: str
    labelled: Labelled
    linked: str | None
    score: float
    right: bool
    flagged: bool

    @property
    def figures(self) -> dict[str, bool]:
        """By the names of `FIGURES`."""
        return {
            "right": self.right,
            "right_unflagged": self.right and not self.flagged,
            "wrong_unflagged": not self.right and not self.flagged,
            "flagged": self.flagged,
        }


@dataclass(frozen=True)
class Tally:
    """Counts of `FIGURES`, per `values` or `rows`."""

    counts: Counter[tuple[str, str]]

    def share(self, figure: str, per: str) -> float:
        """In percent."""
        return 100 * self.counts[figure, per] / max(self.counts["all", per], 1)

    def line(self, per: str) -> str:
        """The four figures in percent."""
        return "".join(f"{self.share(figure, per):5.0f}" for figure in FIGURES)


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--half", choices=HALVES, help="one half of the columns alone")
    parser.add_argument("--wrong", action="store_true", help="list the values that are not right")
    parser.add_argument("--record", action="store_true", help="keep the figures as the version before")
    options = parser.parse_args()

    table = Table()
    found = {}
    for half in [options.half] if options.half else HALVES:
        columns = labelled_columns(FOLDER / f"{half}.csv")
        found[half] = [verdict for column in columns for verdict in verdicts(column)]
        firsts = [verdict for column in columns for verdict in verdicts(column, senses="first")]
        print_half(half, tallies(found[half]), tallies(firsts), recorded(half))
        print_bars(table, tallies(found[half])[TOTAL], judged=half == "final")
        print_calibration(found[half])
        if options.wrong:
            print_wrong(found[half])
    if options.record:
        record({half: tallies(of_half) for half, of_half in found.items()})
    print(f"\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def labelled_columns(path: Path) -> list[Column]:
    """The columns of a labelled file, in its order."""
    described: dict[tuple[str, str, str], list[Labelled]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            accepted = tuple(row["accepted"].split(" | "))
            labelled = Labelled(row["value"], int(row["rows"]), accepted)
            described.setdefault((row["column"], row["ontology"], row["under"]), []).append(labelled)
    return [
        Column(name, ontology, under or None, tuple(values))
        for (name, ontology, under), values in described.items()
    ]


@cache
def ontology_named(name: str) -> om.Ontology:
    """The ontology, or WordNet where this version has none of that name."""
    known = {source.name for source in om.list_ontologies() if source.available}
    return om.load_ontology(name if name in known else "wordnet")


def verdicts(column: Column, senses: SensePolicy = "coherent") -> list[Verdict]:
    """Link a column and judge it; the first sense is what a dictionary says, whatever the column's name."""
    ontology = ontology_named(column.ontology)
    evidence: dict[str, Any] = {"under": column.under}
    if senses != "first" and "column" in inspect.signature(om.link).parameters:
        evidence["column"] = column.name
    links = om.link([one.value for one in column.values], ontology, senses=senses, **evidence)
    doubtful = links.doubtful if hasattr(links, "doubtful") else links.close_calls
    flagged = {link.value for link in (*doubtful, *links.unlinked)}
    judged = []
    for labelled in column.values:
        link = links[labelled.value]
        accepted = accepted_concepts(labelled.accepted, ontology)
        if not accepted and NOTHING not in labelled.accepted and ontology.name == column.ontology:
            raise SystemExit(f"{column.name}: {ontology.name} has none of {labelled.accepted}")
        judged.append(
            Verdict(
                column.name,
                labelled,
                links.key(labelled.value),
                link.score,
                right=NOTHING in labelled.accepted
                if link.concept is None
                else is_accepted(link.concept, accepted, ontology),
                flagged=labelled.value in flagged,
            )
        )
    return judged


def accepted_concepts(references: Iterable[str], ontology: om.Ontology) -> set[int]:
    """The concepts meant by sense names in WordNet, by codes and names in other ontologies."""
    concepts = set()
    for reference in references:
        if reference != NOTHING and bool(SENSE_NAME.match(reference)) == ontology.named_senses:
            try:
                concepts.add(ontology.concept(reference))
            except UnknownTermError:  # an ontology need not have every level of its standard
                continue
    return concepts


def is_accepted(concept: int, accepted: set[int], ontology: om.Ontology) -> bool:
    """Whether a concept is one of those accepted or, in a shipped list, lies below one."""
    right = ontology.ancestors[concept].tolist() if ontology.name in LISTS else [concept]
    return not accepted.isdisjoint(right)


def tallies(judged: Iterable[Verdict]) -> dict[str, Tally]:
    """Per column and in total."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for verdict in judged:
        for name in (verdict.column, TOTAL):
            counter = counts.setdefault(name, Counter())
            for per, weight in (("values", 1), ("rows", verdict.labelled.rows)):
                counter["all", per] += weight
                for figure, holds in verdict.figures.items():
                    counter[figure, per] += weight * holds
    last = counts.pop(TOTAL)
    return {name: Tally(counter) for name, counter in (counts | {TOTAL: last}).items()}


def recorded(half: str) -> dict[str, Tally]:
    """The figures of the version before."""
    if not BEFORE.exists():
        return {}
    counts: dict[str, Counter[tuple[str, str]]] = {}
    with BEFORE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["half"] == half:
                counter = counts.setdefault(row["column"], Counter())
                counter.update({(figure, row["per"]): int(row[figure]) for figure in ("all", *FIGURES)})
    return {name: Tally(counter) for name, counter in counts.items()}


def record(halves: dict[str, dict[str, Tally]]) -> None:
    """Write what `recorded` reads."""
    with BEFORE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["version", "half", "column", "per", "all", *FIGURES])
        for half, of_half in halves.items():
            for name, tally in of_half.items():
                for per in ("values", "rows"):
                    counts = (tally.counts[figure, per] for figure in ("all", *FIGURES))
                    writer.writerow([om.__version__, half, name, per, *counts])


def print_half(half: str, now: dict[str, Tally], firsts: dict[str, Tally], before: dict[str, Tally]) -> None:
    """One line per column."""
    print(f"\n{half}: right, right and unflagged, wrong and unflagged, flagged, in %")
    heads = ("of values", "of rows", "first sense", "before", "before, of rows")
    print(f"  {'':<20}{'values':>7}" + "".join(f"{head:>22}" for head in heads))
    for name, tally in now.items():
        shown = [tally.line("values"), tally.line("rows"), firsts[name].line("values")]
        if name in before:
            shown += [before[name].line("values"), before[name].line("rows")]
        print(f"  {name:<20}{tally.counts['all', 'values']:>7}" + "".join(f"  {line}" for line in shown))


def print_bars(table: Table, total: Tally, judged: bool) -> None:
    """The bars, which only the half kept for the end must pass."""
    print()
    for figure, per, sign, limit in BARS:
        share = total.share(figure, per)
        passed = share >= limit if sign == ">=" else share <= limit
        what = f"{figure.replace('_', ' and ')} ({per})"
        table.line(what, f"{share:.1f} %", f"{sign} {limit} %" if judged else "", passed or not judged)


def print_calibration(judged: Iterable[Verdict]) -> None:
    """Whether a score is the share of links that are right."""
    links, right = Counter[int](), Counter[int]()
    for verdict in judged:
        if verdict.linked is not None:
            at = min(int(BINS * verdict.score), BINS - 1)
            links[at] += 1
            right[at] += verdict.right
    print("\n  score            links   right")
    for at in sorted(links, reverse=True):
        end = "]" if at == BINS - 1 else ")"
        print(f"  [{at / BINS:.1f}, {(at + 1) / BINS:.1f}{end}{links[at]:>12}{right[at] / links[at]:>8.0%}")


def print_wrong(judged: Iterable[Verdict]) -> None:
    """What a person would have to put right, silent errors first."""
    print("\n  not right")
    for verdict in sorted((one for one in judged if not one.right), key=lambda one: one.flagged):
        flag = "flagged" if verdict.flagged else "SILENT"
        accepted = " | ".join(verdict.labelled.accepted)
        print(
            f"  {flag:<8}{verdict.column:<20}{verdict.labelled.value!r:<32}{verdict.linked or NOTHING} "
            f"({verdict.score:.2f}), not {accepted}"
        )


if __name__ == "__main__":
    sys.exit(main())
