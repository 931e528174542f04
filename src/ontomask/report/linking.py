"""How the words of a column were linked, counted for the report."""

from __future__ import annotations

from typing import NamedTuple

from ontomask.linking import Links
from ontomask.report import words


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
