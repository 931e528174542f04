"""How the words of a column were linked, counted for the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ontomask.columns.generalized import GeneralizedColumn
from ontomask.columns.words import WordColumn
from ontomask.linking import Links
from ontomask.report import words
from ontomask.report.changes import Changes
from ontomask.tables import Table


class LinkingRow(NamedTuple):
    """A column of words: how many values it has, how many of them were linked how, and how many not.

    `unlinked_values` names the latter in an internal report; `doubtful` have a concept that may be wrong.
    """

    column: str
    ontology: str
    values: str
    how: dict[str, int]
    unlinked: int
    unlinked_values: list[str]
    doubtful: int


def linking_row(column: str, ontology: str, links: Links, internal: bool) -> LinkingRow:
    """Spellings of one value that mean the same are one, as they were linked."""
    once, _ = links.once({})
    unlinked = [one.value for one in once.unlinked]
    spelt = f" in {len(links):,} spellings" if len(links) > len(once) else ""
    return LinkingRow(
        column,
        ontology,
        f"{len(once):,}{spelt}",
        {words.HOW_LINKED.get(how, how): n for how, n in once.summary().items()},
        len(unlinked),
        unlinked if internal else [],
        len(once.doubtful) - len(unlinked),
    )


class AsOne(NamedTuple):
    """Values, in whatever spelling, that mean the same concept, and what is written for all of them."""

    values: tuple[str, ...]
    written: str


def counted_as_one(changes: Changes, table: Table) -> Iterator[AsOne]:
    """The values of a masked column that count as one, as far as they may be told.

    A release does not tell them apart, and neither does what is told of it before and after.
    """
    column = changes.column
    column = column.plain if isinstance(column, GeneralizedColumn) else column
    if not isinstance(column, WordColumn) or not (shared := column.links.shared()):
        return  # and the table need not be asked
    texts, counts = table.distinct(column.name)
    given = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    once, rows = column.links.once(given)
    told: dict[int, list[str]] = {concept: [] for concept in shared}
    for one in once:
        if one.concept in told and one.value not in column.leaf_of and rows[one.value] >= changes.least:
            told[one.concept].append(one.value)
    for concept, values in told.items():
        if len(values) > 1:
            yield AsOne(tuple(values), changes.written_for(concept))
