"""What ranges of numbers are: their labels, and sets of them that stand for concepts of a domain.

Ranges are half-open, the last of a set is closed. Bounds are exact fractions, so that 0.3 lies in 0.3-<0.4.
The set of ages is that of MeSH and UMLS. It knows neither hierarchies nor tables.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, isfinite
from pathlib import Path

from ontomask.errors import OntologyError, OntomaskError
from ontomask.ontology.draft import at
from ontomask.ontology.formats.reading import one_line, read_text

AGE_YEARS = Path(__file__).parent / "data" / "age_years.csv"

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER})\s*[-–]\s*(<?)\s*({_NUMBER})")
_FROM = re.compile(rf"(?:>=|≥)\s*({_NUMBER})|({_NUMBER})\s*\+")
_BELOW = re.compile(rf"<\s*({_NUMBER})")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`; no bound is no limit. `is_open`: it says itself that high is outside."""

    label: str
    low: Fraction | None
    high: Fraction | None
    is_open: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is one number only."""
        return self.low is not None and self.low == self.high

    def holds(self, number: Fraction) -> bool:
        """Whether a number lies in it, its upper bound too unless it says otherwise."""
        if self.low is not None and number < self.low:
            return False
        return self.high is None or number < self.high or (number == self.high and not self.is_open)


def exact(number: float) -> Fraction:
    """A number as it is written, as a fraction.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    if not isfinite(number):
        raise OntomaskError(f"{number!r} is not a number that can lie in a range", value=number)
    return Fraction(repr(float(number)))


def written(number: Fraction) -> str:
    """A number in digits.

    >>> written(Fraction(40)), written(Fraction(5, 2))
    ('40', '2.5')
    """
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


def range_of(label: str) -> Range | None:
    """The range that a label names: ``20-29``, ``20-<30``, ``<20``, ``>=80``, ``80+`` or a number.

    >>> range_of("20-<30")
    Range(label='20-<30', low=Fraction(20, 1), high=Fraction(30, 1), is_open=True)
    >>> range_of("twenties")
    """
    text = label.strip()
    if re.fullmatch(_NUMBER, text):
        return Range(label, Fraction(text), Fraction(text))
    if found := _RANGE.fullmatch(text):
        low, high = Fraction(found[1]), Fraction(found[3])
        return Range(label, low, high, bool(found[2])) if low <= high else None
    if found := _FROM.fullmatch(text):
        return Range(label, Fraction(found[1] or found[2]), None)
    if found := _BELOW.fullmatch(text):
        return Range(label, None, Fraction(found[1]), True)
    return None


class RangeSet:
    """Ranges side by side, lowest first: a number lies in one of them at most.

    >>> ages = RangeSet([Range("child", Fraction(0), Fraction(18)), Range("adult", Fraction(18), None)])
    >>> [(found := ages.find(Fraction(age))) and found.label for age in (17, 18, -1)]
    ['child', 'adult', None]
    """

    def __init__(self, ranges: Iterable[Range], source: str | Path = "") -> None:
        self.ranges = sorted(ranges, key=lambda one: (one.low is not None, one.low or 0, one.high or 0))
        for one, above in pairwise(self.ranges):
            if one.high is None or above.low is None or above.low < one.high or above.low == one.low:
                raise OntologyError(
                    f"the ranges {one.label!r} and {above.label!r} overlap",
                    **at(source),
                    value=one.label,
                    remedy="a number must lie in one of them",
                )
        self._lows = [one.low for one in self.ranges if one.low is not None]
        self._below = len(self.ranges) - len(self._lows)  # 1 if the first has no lower bound

    def find(self, number: Fraction) -> Range | None:
        """The range that holds a number.

        An upper bound belongs to the next range if that begins there, else to the range itself: ``20-29`` and
        ``30-39`` hold all whole numbers.
        """
        place = bisect_right(self._lows, number) + self._below - 1
        if place < 0:
            return None
        one = self.ranges[place]
        return one if one.holds(number) else None

    def holding(self, number: Fraction, text: str) -> Range:
        """The range that holds a number; an error that names it if there is none."""
        if (found := self.find(number)) is None:
            raise OntomaskError(
                f"no range holds {text!r}", value=text, remedy="add one, or correct the number in the table"
            )
        return found


def read_ranges(path: str | Path = AGE_YEARS) -> RangeSet:
    """A set of ranges with names, from a small CSV file with the columns label, from, to.

    A bound that is left out is no limit; lines that begin with ``#`` are remarks.

    >>> read_ranges().holding(Fraction(70), "70").label
    'Elderly'
    """
    path = Path(path)
    lines = read_text(path).split("\n")
    numbered = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    try:
        rows = list(csv.reader((line for _, line in numbered), strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise OntologyError(f"the quoting is broken ({error})", **at(path)) from None
    if not rows or rows[0] != ["label", "from", "to"]:
        raise OntologyError("a set of ranges begins with the line `label,from,to`", **at(path))
    ranges = []
    for (line, _), row in zip(numbered[1:], rows[1:], strict=False):
        bounds = [_bound(text) for text in row[1:]]
        if len(row) != 3 or None in bounds:
            raise OntologyError(
                "expected a label and two numbers", **at(path, line), remedy="as in `Child,6,13`"
            )
        low, high = (None if bound == "" else Fraction(str(bound)) for bound in bounds)
        if low is not None and high is not None and low >= high:
            raise OntologyError(f"{row[0]!r} ends before it begins", **at(path, line), value=row[0])
        ranges.append(Range(one_line(row[0].strip(), path, line), low, high))
    if not ranges:
        raise OntologyError("no range in it", **at(path))
    return RangeSet(ranges, path)


def _bound(text: str) -> str | None:
    """A number or nothing, as written; None if it is neither."""
    stripped = text.strip()
    return stripped if not stripped or re.fullmatch(_NUMBER, stripped) else None


def roundest_between(below: Fraction, above: Fraction) -> Fraction:
    """The number with the fewest digits above the first and at or below the second.

    >>> [str(roundest_between(Fraction(a), Fraction(b))) for a, b in ((23, 31), (29, 30), (-56, -55))]
    ['30', '30', '-55']
    >>> roundest_between(Fraction("0.123"), Fraction("0.127"))
    Fraction(1, 8)
    """
    step = Fraction(10) ** 18
    while step > above - below:  # the largest power of ten that may fit in between
        step /= 10
    for size in (step * 10, step * 5, step * 2, step):
        if (found := above // size * size) > below:
            return found
    return above


def label_between(low: Fraction, high: Fraction, *, is_whole: bool) -> str:
    """What to call a half-open range: whole numbers are named first and last.

    >>> label_between(Fraction(20), Fraction(30), is_whole=True)
    '20-29'
    >>> label_between(Fraction(20), Fraction(30), is_whole=False)
    '20-<30'
    """
    if is_whole:
        return written(low) if high - low == 1 else f"{written(low)}-{written(high - 1)}"
    return f"{written(low)}-<{written(high)}"


def part_holding(one: Range, number: Fraction, parts: int, *, is_whole: bool) -> Range:
    """Where a number lies if a range is cut into so many parts of one width.

    Part i begins at `low + span * i / parts`, rounded down for whole numbers; an open end is not cut.

    >>> adult = Range("Adult", Fraction(19), Fraction(45))
    >>> [part_holding(adult, Fraction(age), 2, is_whole=True).label for age in (31, 32)]
    ['19-31', '32-44']
    """
    if one.low is None or one.high is None or parts == 1:
        return one
    span, above = one.high - one.low, number - one.low
    if is_whole:
        parts = min(parts, int(span))
        place = ceil((above + 1) * parts / span) - 1
        low, high = (one.low + span * i // parts for i in (place, place + 1))
    else:
        place = int(above * parts / span)
        low, high = (one.low + span * i / parts for i in (place, place + 1))
    return Range(label_between(low, high, is_whole=is_whole), low, high)


def all_whole(numbers: Sequence[Fraction]) -> bool:
    """Whether no number has digits after the point."""
    return all(number.denominator == 1 for number in numbers)
