"""What is no warning, and what who signs should know all the same, and who chooses a method before that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontomask.assessment.comparison import why_not
from ontomask.printable import people, rows
from ontomask.report.changes import Changes
from ontomask.report.coding import coded_text
from ontomask.report.linking import counted_as_one
from ontomask.report.ranges import ranges_text
from ontomask.report.records import KnownRow
from ontomask.report.reported import Reported
from ontomask.report.results import visible_text
from ontomask.report.statistics import moved_statistics
from ontomask.report.words import listed, percent

_MOST = 50.0  # percent of the differences between people
_MOST_AS_ONE = 3
_AT_ONE_LEVEL = ("datafly", "incognito")  # methods that write one level of a column for everybody


def to_know(told: Reported) -> list[str]:
    """What is no warning, and what whoever signs should know all the same."""
    found = [
        f"Whoever also knows “{row.column}” of a person{' exactly' if row.is_measured else ''} finds the "
        f"{_found(told, row.after)} ({percent(row.after_share)}) for sure.{_less_exact(told, row)}"
        for row in told.known
        if row.after
    ]
    lost = [(one.name, told.lost_share(one)) for one in told.columns]
    if mostly := [f"“{name}” ({percent(share)})" for name, share in lost if share > _MOST]:
        found.append(
            f"More than half of the differences between people are gone in {listed(mostly)}: what is there "
            "says little of single people."
        )
    found += _of_levels(told)
    for column in told.columns:
        found += _of_column(told, column)
    found += coded_text(told.release, told.columns[0].least)
    if visible := visible_text(told.results[0]):
        found.append(visible)
    if told.gives_k and told.plan.privacy.unit is None:
        found.append(
            "Each row was taken for one person: if somebody has several rows, they hide among themselves."
        )
    return found


def _less_exact(told: Reported, row: KnownRow) -> str:
    """What would make a number point at fewer people, where it points at most of them."""
    settings = told.plan.attributes.get(row.column)
    is_number = settings is not None and settings.kind == "numeric" and not settings.is_coded
    if not is_number or row.after_share <= _MOST:
        return ""
    return " If it were rounded, or cut off at its ends, more people would have the same."


def _of_levels(told: Reported) -> Iterator[str]:
    """Of which columns single values cannot be counted."""
    if mixed := [name for name in told.mixed if name not in told.ranges]:
        yield (
            f"Values of {listed(mixed)} stand at different levels, so single values cannot be counted."
            f"{_of_one_level(told)}"
        )
    if told.overlapping:
        yield (
            f"Ranges of {listed(told.overlapping)} overlap, so neither single values nor single ranges can "
            f"be counted.{_of_a_tree(told)}"
        )


def _of_a_tree(told: Reported) -> str:
    """How ranges can be had that do not overlap."""
    settings = told.plan.attributes
    banded = [name for name in told.overlapping if settings[name].kind in ("numeric", "date")]
    able = [name for name in banded if settings[name].hierarchy is None]
    if not able:
        return ""
    return (
        f" Those of a tree over {listed(able)} lie within each other: the page Hierarchies has them, and so "
        "has “hierarchy: {}” of a column in the plan."
    )


def _of_one_level(told: Reported) -> str:
    """Which methods would write one level for everybody, of those that the plan can be had with."""
    able = [name for name in _AT_ONE_LEVEL if why_not(told.plan, name) is None]
    if not able:
        return ""
    if len(able) == 1:
        return f" Method {able[0]} writes one level for everybody, and usually loses much more."
    return f" Methods {listed(able)} write one level for everybody, and usually lose much more."


def _of_column(told: Reported, column: Changes) -> Iterator[str]:
    """What became of its values, as its kind has it, and how many people have one that says nothing."""
    kind, is_true = told.kind_of(column), told.plan.is_truthful(column.name)
    yield from _as_one(told, column)
    if found := told.ranges.get(column.name):
        yield ranges_text(column.name, found, kind, column.vanished()[1], told.who)
    if column.attribute.line is None or (kind == "ordinal" and not is_true):
        yield from _of_words(told, column)
    if column.is_number or not is_true:
        yield from _of_numbers(told, column)
    if is_true:
        yield from _by_the_plan_alone(told, column)
    if silent := column.silenced():
        yield f"“{column.name}” says nothing any more of {told.counted(silent)}."


def _as_one(told: Reported, column: Changes) -> Iterator[str]:
    """Which values a release does not tell apart, whatever becomes of them."""
    found = list(counted_as_one(column, told.release.counted))
    said = [f"{listed(_quoted(one.values))} are one value, “{one.written}”" for one in found[:_MOST_AS_ONE]]
    if more := len(found) - len(said):
        said.append(f"and {more} more such {'value' if more == 1 else 'values'}")
    if said:
        yield f"“{column.name}”: {'; '.join(said)}, for they mean the same here."


def _quoted(values: Sequence[str]) -> list[str]:
    return [f"“{value}”" for value in values]


def _by_the_plan_alone(told: Reported, column: Changes) -> Iterator[str]:
    """Of how many people something is written that is true by the tree of the plan alone."""
    people, usual = column.not_above()
    if people:
        such = f", such as “{usual.after}” for “{usual.before}”" if usual else ""
        yield (
            f"“{column.name}”: of {told.counted(people)} something is written that the ontology does not "
            f"have above their value{such}. It is true as far as the tree is that the plan names."
        )


def _of_words(told: Reported, column: Changes) -> Iterator[str]:
    """Which values are gone or rare now."""
    said = []
    is_true = told.plan.is_truthful(column.name)
    (gone, of), left_out = column.vanished(), column.values_left_out()
    if left_out:
        yield (
            f"“{column.name}”: {_no_more(left_out, of)}, as everybody who had "
            f"{'it' if left_out == 1 else 'one'} was left out."
        )
    if gone > left_out:
        said.append(_no_more(gone - left_out, of))
    if told.gives_k and not is_true:
        thin, frequent = column.thinned()
        if thin:
            said.append(
                f"{thin:,} of its {frequent:,} frequent ones {'is' if thin == 1 else 'are'} less than half "
                "as frequent now, and others are more"
            )
        if said:
            yield (
                f"“{column.name}” is given what is central to a group: {listed(said)}. Do not break results "
                "down by it."
            )
    elif said and is_true and told.kind_of(column) != "nominal":  # with a hierarchy
        wider = int((column.after_counts > 0).sum())
        yield f"“{column.name}”: {wider:,} labels are written in the place of {of:,} values."
    elif said:
        yield f"“{column.name}”: {said[0]}{', as wider words stand for them' if is_true else ''}."


def _no_more(n: int, of: int) -> str:
    return f"{n:,} of its {of:,} values {'occurs' if n == 1 else 'occur'} no more"


def _of_numbers(told: Reported, column: Changes) -> Iterator[str]:
    """Whether results of a column of numbers, dates or ranks will be others."""
    moved = []
    for one in moved_statistics(column, told.kind_of(column)):
        name, _, unit = one.statistic.partition(", in ")
        moved.append(f"the {name} is {one.after}{f' {unit}' if unit else ''} and was {one.before}")
    if moved:
        middle = "; of a range its middle counts" if told.plan.is_truthful(column.name) else ""
        yield f"“{column.name}”: {listed(moved)}{middle}."


def _found(told: Reported, n: int) -> str:
    return rows(n) if told.plan.privacy.unit else f"row of {people(n)}"


def mixed_text(told: Reported, column: str) -> str:
    """What analysts must know before they count values of a truthful column; empty if all is plain."""
    found, overlap = told.mixed.get(column), column in told.overlapping
    if found is None:
        return "Its ranges overlap: do not count single values, nor single ranges." if overlap else ""
    example = (
        f"of the rows with “{found.example}”, {found.kept:,} still say so and {found.wider:,} say "
        "something wider"
        if found.example is not None
        else "in some rows a value is still what it was, in others something wider"
    )
    advice = (
        "Ranges overlap: do not count single values, nor single ranges."
        if overlap
        else "Do not count single values: count together all that lies below one wide label."
    )
    return (
        f"Values stand at different levels: {example}. That is so of {found.values:,} of {found.of:,} "
        f"values. {advice}"
    )
