"""The draft of a plan as text: every column with a role, its reason above, and its proposal beside it.

Written for the person who decides: what a role means stands at the top, what is undecided is listed there.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.plan.flow import comment, flow, scalar, wrapped
from ontomask.printable import one_line
from ontomask.profile.column import ColumnProfile
from ontomask.profile.coverage import Coverage

if TYPE_CHECKING:
    from ontomask.profile import TableProfile

EFFECT = {
    "identifier": "dropped",
    "quasi-identifier": "masked",
    "confidential": "released as it is",
    "other": "released as it is",
}
_MOST_WORDS = 4  # of a value that is quoted
_ROLES = """\
#   identifier        dropped: points at one person, or nobody needs it
#   quasi-identifier  masked: outsiders may know it (age, occupation, where someone lives)
#   confidential      released as it is: outsiders do not know it, analysts study it
#   other             released as it is: says nothing about a person
#   undecided         the run refuses until you write one of the four in its place"""
_REMARKS = {
    "together": "the first is masked; the others are written as far as what it became tells them",
    "privacy": "each person looks like k - 1 others at least",
    "missing": "or suppress-row, error",
    "unmapped": "or root, suppress, own-leaf (written where k rows have it): what becomes of unknown words",
}


def draft(table: TableProfile, plan: Path) -> Iterator[str]:
    """The lines of a commented plan that will be the file `plan`."""
    settings = table.settings(plan.parent)
    name = comment(table.name)
    n = len(table.columns)
    columns = "1 column" if n == 1 else f"{n} columns"
    yield f"# A plan to start from: {name}, {table.rows:,} rows, {columns}, {len(table.undecided)} undecided."
    yield "# Every column has one role; what outsiders may know about a person only you can tell:"
    yield _ROLES
    if table.undecided:
        listed = ", ".join(map(comment, table.undecided))
        yield from wrapped(f"Undecided, most telling first: {listed}.", "# ")
    if not any(part["role"] == "quasi-identifier" for part in settings["attributes"].values()):
        yield "# No column is a quasi-identifier yet: there must be one at least, or nothing is masked."
    for note in table.notes:
        yield from wrapped(f"Note: {one_line(note)}.", "# ")
    then = command_line("anonymize", table.location, "--plan", plan, "-o", "release.csv")
    yield from ("# Then:", f"#   {then}") if then else ()
    for key, value in settings.items():
        if key == "attributes":
            yield "\nattributes:"
            for column in table.columns:
                for sentence in _sentences(column):
                    yield from wrapped(sentence, "  # ")
                yield from _instead(column)
                yield from _review(column, table.location, plan)
                entry = f"  {scalar(column.name)}: {flow(value[column.name])}"
                proposed = "" if column.sure else f"   # proposed: {column.role} ({EFFECT[column.role]})"
                yield entry + proposed
            yield ""
        else:
            remark = f"   # {_REMARKS[key]}" if key in _REMARKS else ""
            if key == "shuffle":
                listed = ", ".join(map(comment, table.telling_order[:3]))
                remark = (
                    f"   # rows are in the order of {listed}, which tells it; `evaluate` then needs a --key"
                )
            yield f"{key}: {flow(value)}{remark}"
        if key == "privacy":
            yield from _units(table, value)
            yield from _beyond_k(table, value)


def command_line(command: str, table: str | None, *words: str | Path) -> str | None:
    """A command as a shell takes it; None if the table is no file, or a name cannot stand on one line.

    >>> print(command_line("link", "staff's list.csv", "--column", "job title"))
    ontomask link 'staff'"'"'s list.csv' --column 'job title'
    """
    if table is None:
        return None
    file = f"./{table}" if table.startswith("-") else table
    line = shlex.join(["ontomask", command, file, *map(str, words)])
    return line if line.isprintable() else None


def _units(table: TableProfile, privacy: Mapping[str, Any]) -> Iterator[str]:
    """How people or households are counted where several rows are of one."""
    for column in table.units:
        if column.name == privacy.get("unit"):
            yield f"#   unit: rows with one {comment(column.name)} count as one person"
        else:
            whose = "person" if column.unit == "name" else column.unit
            yield f"#   If rows with one {comment(column.name)} are of one {whose}, count these:"
            yield f"#   privacy: {flow({**privacy, 'unit': column.name})}"


def _beyond_k(table: TableProfile, privacy: Mapping[str, Any]) -> Iterator[str]:
    """How to ask for more than k, shown on the first confidential column that has something to tell."""
    shown = (one for one in table.columns if one.role == "confidential" and one.distinct > 1)
    for column in islice(shown, 1):
        more = {"l": {column.name: min(3, column.distinct)}, "t": {column.name: 0.3}}
        yield "#   k hides whose row it is, not what a group tells. l: different values in each group;"
        yield "#   t: how far their spread in a group may be from the whole table's, 0 to 1. To ask for both:"
        yield f"#   privacy: {flow({**privacy, **more})}"


def _sentences(column: ColumnProfile) -> Iterator[str]:
    why = column.why[0].upper() + column.why[1:]
    yield f"{comment(column.name)}: {column.facts}. {why}{'' if why.endswith('?') else '.'}"
    if column.advice:
        yield f"{column.advice}."
    if column.coverage and column.role == "quasi-identifier":
        yield from _about_words(column.coverage)


def _about_words(coverage: Coverage) -> Iterator[str]:
    known = f"{Path(coverage.ontology).name} knows {coverage.share:.0%} of the values"
    yield known + (f", {coverage.by_head} by the last word of a phrase only." if coverage.by_head else ".")
    if coverage.under and coverage.outside:
        shown = _some(coverage.outside)
        yield f"`under: {coverage.under}` would fit all but: {shown}; give these a sense in a mapping first."
    parts = [
        f"{title}: {_some(values)}"
        for title, values in (("Unknown", coverage.unknown), ("Doubtful", coverage.doubtful))
        if values
    ]
    if parts:
        yield f"{'. '.join(parts)}."


def _some(values: Sequence[str]) -> str:
    """Some values and how many more there are; sentences are not repeated, for they may tell of people.

    >>> _some(["cook", "seen by the old doctor"])
    'cook and 1 more'
    """
    shown = [value for value in values if len(value.split()) <= _MOST_WORDS][:3]
    more = len(values) - len(shown)
    return " and ".join(filter(None, (", ".join(map(comment, shown)), f"{more} more" if more else "")))


def _instead(column: ColumnProfile) -> Iterator[str]:
    """Lines that may stand in the place of a column's own."""
    if column.instead and not column.sure:
        masks = any(one["role"] == "quasi-identifier" for one in column.instead)
        begun = "To mask it, write" if masks else "Or write"
        yield f"  # {begun} in its place" + (", as is right:" if len(column.instead) > 1 else ":")
        yield from (f"  #   {scalar(column.name)}: {flow(one)}" for one in column.instead)


def _review(column: ColumnProfile, table: str | None, plan: Path) -> Iterator[str]:
    """The command that asks for every doubtful value and writes a mapping, on a line of its own."""
    coverage = column.coverage
    if coverage and column.role == "quasi-identifier" and (coverage.unknown or coverage.doubtful):
        target = plan.parent / f"{column.name.replace('/', '-')}_mapping.csv"
        line = command_line("link", table, "--plan", plan, "--column", column.name, "--review", "-o", target)
        yield from ("  # Review:", f"  #   {line}") if line else ()
