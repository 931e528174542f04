"""What is no warning, and what who signs should know all the same, and who chooses a method before that."""

from __future__ import annotations

from ontomask.printable import people, rows
from ontomask.report.reported import Reported
from ontomask.report.words import listed, percent


def to_know(told: Reported) -> list[str]:
    """What is no warning, and what whoever signs should know all the same."""
    found = [
        f"Whoever also knows “{row.column}” of a person{' exactly' if row.is_measured else ''} finds the "
        f"{_found(told, row.after)} ({percent(row.after_share)}) for sure."
        for row in told.known
        if row.after
    ]
    if told.mixed:
        found.append(
            f"Values of {listed([*told.mixed])} stand at different levels, so single values cannot be "
            "counted."
        )
    central = [one for one in told.columns if told.gives_k and not told.plan.is_truthful(one.name)]
    for column in central:
        n, of = (0, 0) if column.is_number else column.thinned()
        if n:
            found.append(
                f"“{column.name}” is given what is central to a group: {n:,} of its {of:,} frequent "
                "values are less than half as frequent now, and others are more. Do not break results "
                "down by it."
            )
    return found


def _found(told: Reported, n: int) -> str:
    return rows(n) if told.plan.privacy.unit else f"row of {people(n)}"


def mixed_text(told: Reported, column: str) -> str:
    """What analysts must know before they count values of a truthful column; empty if all is plain."""
    found = told.mixed.get(column)
    if found is None:
        return ""
    example = (
        f"of the rows with “{found.example}”, {found.kept:,} still say so and {found.wider:,} say "
        "something wider"
        if found.example is not None
        else "in some rows a value is still what it was, in others something wider"
    )
    return (
        f"Values stand at different levels: {example}. That is so of {found.values:,} of {found.of:,} "
        "values. Do not count single values: count together all that lies below one wide label."
    )
