"""Numbers that a column does not write as such alone: with a unit, or with words or limits among them.

Whether a word means that there is no number only a person knows, so it is told and asked about. Knows names
and texts of columns, neither tables nor roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ontomask.numerals import NumberFormat, limit_of
from ontomask.profile import vocabulary
from ontomask.profile.guess import are_numbers

_MOST_WORDS = 3
_LEAST_NUMBERS = 3
_LEAST_ROWS = 0.8  # that must have a number where others have words
_NUMBER = re.compile(r"\s*[-+−–]?\d([\d.,'’\s]*\d)?\s*")


class Measured(NamedTuple):
    """The numbers of a column as they are without their unit, the unit, and words and limits among them."""

    numbers: tuple[str, ...]
    unit: str | None = None
    words: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


def measured(name: str, rows: Mapping[str, int]) -> Measured | None:
    """The numbers of a column in which `rows` have each text; None if they are plain, or no numbers.

    >>> measured("weight", {"72 kg": 2, "81 kg": 1})
    Measured(numbers=('72', '81'), unit='kg', words=(), limits=())
    >>> measured("age", {"31": 5, "54": 4, "62": 4, "k.A.": 1})
    Measured(numbers=('31', '54', '62'), unit=None, words=('k.A.',), limits=())
    >>> measured("lead", {"<5": 3, "7": 2, "12": 1, "40": 2})
    Measured(numbers=('7', '12', '40'), unit=None, words=(), limits=('<5',))
    >>> measured("age", {"31": 5, "54": 4}) is measured("ward", {"A1": 5, "B2": 4}) is None
    True
    """
    words = tuple(text for text in rows if not any(map(str.isdigit, text)))
    limits = {text: one.number for text in rows if text not in words and (one := limit_of(text))}
    texts = [text for text in rows if text not in words and text not in limits]
    unit = _common_unit([*texts, *limits.values()])
    if not (words or unit or limits) or not texts:
        return None
    if (words or limits) and (len(words) > _MOST_WORDS or len(texts) < _LEAST_NUMBERS):
        return None
    if 2 * len(limits) > len(texts):  # of a scale of ranges, not of a laboratory
        return None
    if sum(rows[text] for text in (*texts, *limits)) < _LEAST_ROWS * sum(rows.values()):
        return None
    written = NumberFormat(unit=unit or "")
    numbers = tuple(dict.fromkeys(written.bare(text) for text in texts))
    of_limits = [written.bare(text) for text in limits.values()]
    found = Measured(numbers, unit, words, tuple(limits))
    return found if are_numbers(name, [*numbers, *of_limits]) else None


def _common_unit(texts: Iterable[str]) -> str | None:
    """What all texts have before or behind their numbers, if it is a known unit."""
    found = {_NUMBER.sub("", text) for text in texts}
    unit = found.pop() if len(found) == 1 else ""
    is_known = unit in vocabulary.UNITS or (len(unit) > 1 and unit.casefold() in vocabulary.UNITS)
    return unit if is_known else None
