"""How many people have each single value of a column of sets, before and after.

Combinations that few people have are many there, and a single value may be frequent although none of its
combinations is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ontomask.arrays import Int64
from ontomask.linking.several import answers_of
from ontomask.report.changes import MISSING, Changes

MOST, MOST_NEW = 12, 4


class MemberRow(NamedTuple):
    """A single value: people who had it, None where that may not be told, and people who have it now."""

    value: str
    before: int | None
    after: int


def member_rows(column: Changes, separator: str) -> list[MemberRow]:
    """The most frequent single values before, then the most frequent new ones of the release.

    Nothing is told of fewer people than may be told of; nor if it would be told, as a difference, of people
    with a value in combinations that are not told themselves.
    """
    had = _people(column.before_texts, column.before_counts, separator)
    has = _people(column.after_texts, column.after_counts, separator)
    frequent = column.before_counts * (column.before_counts >= column.least)
    in_those_told = _people(column.before_texts, frequent, separator)
    told = {
        name: n
        for name, n in had.items()
        if n >= column.least and (n == in_those_told[name] or n - in_those_told[name] >= column.least)
    }
    old = sorted(told, key=lambda name: (-told[name], name))[:MOST]
    new = sorted((name for name in has if name not in told), key=lambda name: (-has[name], name))[:MOST_NEW]
    return [
        *(MemberRow(name, told[name], has[name]) for name in old),
        *(MemberRow(name, None if had[name] else 0, has[name]) for name in new),
    ]


def _people(texts: Sequence[str], counts: Int64, separator: str) -> Counter[str]:
    """How many people have each single value."""
    found = Counter[str]()
    for text, n in zip(texts, counts.tolist(), strict=True):
        if n and text != MISSING:
            found.update(dict.fromkeys(answers_of(text, separator), n))
    return found
