"""How the words of a column were linked, counted for the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ontomask.columns.generalized import GeneralizedColumn
from ontomask.columns.words import WordColumn
from ontomask.linking import Links
from ontomask.report import words
from ontomask.report.changes import Changes


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


def counted_as_one(changes: Changes, rows: Mapping[str, int]) -> Iterator[AsOne]:
    """The values of a masked column that count as one, as far as they may be told; `rows` have each text.

    A release does not tell them apart, and neither does what is told of it before and after.
    """
    column = changes.column
    column = column.plain if isinstance(column, GeneralizedColumn) else column
    if not isinstance(column, WordColumn):
        return
    once, of_value = column.links.once(rows)
    found: dict[int, list[str]] = defaultdict(list)
    for one in once:
        if one.concept is None or one.value in column.leaf_of or of_value[one.value] < changes.least:
            continue
        found[one.concept].append(one.value)
    for concept, values in found.items():
        if len(values) > 1:
            yield AsOne(tuple(values), changes.written_for(concept))
