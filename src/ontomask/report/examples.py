"""The most frequent changes of a column, each with the reason for it."""

from __future__ import annotations

from typing import NamedTuple

from ontomask.report.changes import Change, Changes
from ontomask.report.hierarchies import way_up
from ontomask.report.meaning import way_in_words

MOST = 8


class Example(NamedTuple):
    """A change with the reason for it."""

    change: Change
    way: str


def examples(changes: Changes) -> list[Example]:
    """Why words became others: the way up a hierarchy, or the way between two concepts."""
    ontology, told = changes.column.ontology, changes.changed()[:MOST]
    if changes.is_number:
        return []
    if changes.column.hierarchy:
        return [Example(change, way_up(changes, change)) for change in told]
    return [Example(change, way_in_words(ontology, change) if ontology else "") for change in told]
