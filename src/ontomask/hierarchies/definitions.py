"""Ranges of numbers from the definitions of concepts: *A person 13 to 18 years of age* is 13 to under 19.

Loh 2012, section 3.1, takes those of age groups from the UMLS (table 3.1); any ontology with glosses will do.
It knows concepts and ranges, no tables.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from math import floor
from pathlib import Path

import numpy as np

from ontomask.errors import OntologyError
from ontomask.files import replacing
from ontomask.hierarchies.intervals import Range, RangeSet, written
from ontomask.ontology.core import Ontology

_YEAR = {"year": Fraction(1), "month": Fraction(1, 12), "week": Fraction(28, 1461), "day": Fraction(4, 1461)}
_NUMBER = r"(\d+(?:\.\d+)?)"
_UNIT = r"\s*([^\W\d]+(?:/[^\W\d]+)?)?"
_BETWEEN = re.compile(rf"{_NUMBER}{_UNIT}\s*(?:-|–|\bto\b|\bthrough\b|\band\b)\s*{_NUMBER}{_UNIT}")
_FROM = re.compile(
    rf"{_NUMBER}{_UNIT}(?: of age| old)?,?\s*(?:(?:and|or) )?\b(?:over|older|above|more|greater)\b"
)
_BELOW = re.compile(
    rf"(?:\bunder|\bbelow|\bless than|\byounger than|\bfirst)(?: the age of)?\s*{_NUMBER}{_UNIT}"
)
_LINKING = ("to", "through", "and", "or", "over", "older", "above", "more", "greater", "of")


def ranges_below(ontology: Ontology, concept: str | int, unit: str = "years") -> tuple[RangeSet, list[str]]:
    """The ranges that concepts below one are defined by, side by side; and what was left out, in words.

    An open range ends where the next begins, and a range within another is left out. Parts of a unit are
    rounded down, as ages are: *1 to 23 months* is 0 to under 2 years.

    Raises
    ------
    OntologyError
        No definition has a range in this unit, or two of them overlap.
    """
    top = ontology.concept(concept)
    found: list[Range] = []
    left_out: list[str] = []
    below = np.flatnonzero(ontology.is_below(np.arange(len(ontology)), top)).tolist()
    for c in below:
        if c == top:
            continue
        label, bounds = ontology.labels[c], bounds_in(ontology.gloss(c), unit)
        if bounds is None:
            left_out.append(f"{label}: its definition has no range of {unit}")
        elif bounds[0] == bounds[1]:
            left_out.append(f"{label}: less than one of {unit}")
        else:
            found.append(Range(label, *bounds))
    if not found:
        raise OntologyError(
            f"no concept below {ontology.labels[top]!r} is defined by a range of {unit}",
            value=ontology.labels[top],
            remedy="name another concept or unit; `ontomask ontology senses` shows definitions",
        )
    kept = list(_side_by_side(found))
    names = {one.label for one in kept}
    left_out += [f"{one.label}: within another" for one in found if one.label not in names]
    return RangeSet(kept, ontology.name), left_out


def bounds_in(definition: str, unit: str = "years") -> tuple[Fraction, Fraction | None] | None:
    """The first range of a definition, half-open, in whole units; None if it has none.

    >>> [bounds and tuple(map(str, bounds)) for bounds in map(bounds_in, (
    ...     "A person 13 to 18 years of age.", "A child between 1 and 23 months of age.",
    ...     "Persons 80 years of age and over.", "A person between the ages of 2 and 5.", "No age at all."))]
    [('13', '19'), ('0', '2'), ('80', 'None'), ('2', '6'), None]
    """
    text = definition.casefold()
    matches = [(match.start(), match) for form in (_BETWEEN, _FROM, _BELOW) if (match := form.search(text))]
    for _, match in sorted(matches, key=lambda pair: pair[0]):
        units = [part for part in match.groups()[1::2] if part and part not in _LINKING]
        size = _size_of(units[-1] if units else "years", unit)  # an age without a unit is one of years
        if size is None:
            continue
        low, high = Fraction(match[1]), Fraction(match.groups()[-2])
        if match.re is _BELOW:
            return Fraction(0), _in_unit(high, size)
        if match.re is _FROM:
            return _in_unit(low, size), None
        high += Fraction(1, 10 ** len(match[3].partition(".")[2]))  # 18 years last until the 19th birthday
        if low < high:
            return _in_unit(low, size), _in_unit(high, size)
    return None


def write_ranges(ranges: RangeSet, path: str | Path, remark: str = "") -> None:
    """A set of ranges as `read_ranges` reads it."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["label", "from", "to"])
    for one in ranges.ranges:
        table.writerow([one.label, *("" if b is None else written(b) for b in (one.low, one.high))])
    with replacing(path) as temporary:
        temporary.write_text((f"# {remark}\n" if remark else "") + text.getvalue(), encoding="utf-8")


def _size_of(given: str, wanted: str) -> Fraction | None:
    """How many of the wanted unit one of the given unit is; None if it is something else."""
    one, other = (name.casefold().removesuffix("s") for name in (given, wanted))
    if one == other:
        return Fraction(1)
    return _YEAR[one] / _YEAR[other] if one in _YEAR and other in _YEAR else None


def _in_unit(number: Fraction, size: Fraction) -> Fraction:
    return number if size == 1 else Fraction(floor(number * size))


def _side_by_side(ranges: Iterable[Range]) -> Iterable[Range]:
    """Open ranges cut where the next begins; of ranges within each other the widest."""
    given = list(ranges)
    lows = sorted({one.low for one in given if one.low is not None})
    cut = [
        replace(one, high=next((low for low in lows if one.low is not None and low > one.low), None))
        if one.high is None
        else one
        for one in given
    ]

    def holds(wide: Range, narrow: Range) -> bool:
        begins = wide.low is not None and narrow.low is not None and wide.low <= narrow.low
        return begins and (wide.high is None or (narrow.high is not None and narrow.high <= wide.high))

    for i, one in enumerate(cut):
        others = (
            other for j, other in enumerate(cut) if holds(other, one) and (not holds(one, other) or j < i)
        )
        if next(others, None) is None:
            yield one
