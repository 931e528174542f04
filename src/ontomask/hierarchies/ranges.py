"""Hierarchies over values that have an order: numbers, categories from low to high, codes by their digits.

Numbers are put into ranges of equal width, of equal frequency, or by the concepts of a domain, so that no
range straddles two concepts. They know texts and numbers; where these come from they do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil
from typing import Literal

import numpy as np

from ontomask.arrays import Int32
from ontomask.days import UNITS, Unit, unit_holding, unit_name
from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies.hierarchy import EVERYTHING, Hierarchy, check_levels
from ontomask.hierarchies.intervals import (
    RangeSet,
    all_whole,
    exact,
    label_between,
    part_holding,
    range_of,
    read_ranges,
    roundest_between,
)
from ontomask.linking.normalise import letters_of

By = Literal["width", "frequency", "ranges"]
DEFAULT_LEVELS = 4
_FEW = 10
_BEST_UNITS: tuple[Unit, ...] = ("year", "month", "quarter", "decade")
_BEST_UNITS_OF_TIMES: tuple[Unit, ...] = ("year", "month", "day", "quarter", "decade")
_MOST_PREFIXES = 12
_SIGNS = frozenset("<>=+%#")  # they change what a value says, and are no letters


def numeric_hierarchy(
    numbers: Mapping[str, float],
    *,
    name: str = "numbers",
    by: By = "width",
    width: float | None = None,
    start: float | None = None,
    levels: int | None = None,
    counts: Mapping[str, int] | None = None,
    ranges: RangeSet | None = None,
) -> Hierarchy:
    """Ranges above numbers, up to a root that says nothing.

    Parameters
    ----------
    numbers
        The number that each text of the column is; the texts are the values.
    by
        ``width``: each level has ranges twice as wide as those below it. ``frequency``: each level parts
        the records into twice as many ranges of about as many records as the level above; no value is cut.
        ``ranges``: the ranges of a set stand below the root, and levels below part each of them evenly.
    width, start
        By width: of the lowest ranges (else 1, 2 or 5 times a power of ten, as the levels allow), and where
        the first begins.
    levels
        Above the values, the root included; else as many as the width allows, or 4, or 2 for a set.
    counts
        By frequency: the records of each text (else 1).
    ranges
        By ranges: the set; else ages in years.

    Examples
    --------
    >>> ages = numeric_hierarchy({"23": 23, "25": 25, "31": 31, "58": 58}, width=10, levels=3)
    >>> for row in ages.rows(): print(row)
    ['23', '20-29', '20-39', '*']
    ['25', '20-29', '20-39', '*']
    ['31', '30-39', '20-39', '*']
    ['58', '50-59', '40-59', '*']
    >>> numeric_hierarchy({"3": 3, "50": 50}, by="ranges", levels=3).rows()
    [['3', '2-3', 'Child, Preschool', '*'], ['50', '45-54', 'Middle Aged', '*']]
    """
    if not numbers:
        raise OntologyError("a hierarchy needs a value at least")
    check_levels(levels)
    values = {text: exact(number) for text, number in numbers.items()}
    if by == "ranges":
        labels = _by_ranges(values, read_ranges() if ranges is None else ranges, levels or 2)
    elif by == "frequency":
        labels = _by_frequency(values, counts or {}, levels or DEFAULT_LEVELS)
    else:
        labels = _by_width(values, width, start, levels)
    return Hierarchy.from_rows(name, [[text, *labels[text], EVERYTHING] for text in numbers])


def _by_width(
    values: dict[str, Fraction], width: float | None, start: float | None, levels: int | None
) -> dict[str, list[str]]:
    low, high = min(values.values()), max(values.values())
    origin = exact(start or 0)
    if start is not None and low < origin:
        text = next(text for text, number in values.items() if number < origin)
        raise OntomaskError(
            f"{text!r} lies below the start of the first range", value=text, remedy="start lower"
        )
    if width is not None and not width > 0:
        raise OntomaskError("the width of a range must be greater than 0", key="width")
    is_whole = all_whole([*values.values(), origin])
    step = exact(width) if width is not None else _nice_width(high - low, levels or DEFAULT_LEVELS, is_whole)
    is_whole = is_whole and step.denominator == 1
    most = levels if levels is not None or width is not None else DEFAULT_LEVELS
    widths: list[Fraction] = []
    while most is None or len(widths) < most - 1:
        # A single range says no more than the root; and ranges on either side of 0 never become one.
        if (low - origin) // step == (high - origin) // step or (widths and widths[-1] >= high - low):
            break
        widths.append(step)
        step *= 2
    labels: dict[str, list[str]] = {text: [] for text in values}
    for text, number in values.items():
        for step in widths:
            begin = origin + (number - origin) // step * step
            labels[text].append(label_between(begin, begin + step, is_whole=is_whole))
    return labels


def _nice_width(span: Fraction, levels: int, is_whole: bool) -> Fraction:
    """The widest of 1, 2, 5 times a power of ten whose widest doubling still parts the values.

    >>> [int(_nice_width(Fraction(73), levels, True)) for levels in (2, 3, 4, 5)]
    [50, 20, 10, 5]
    """
    if span == 0:
        return Fraction(1)
    finest = Fraction(2) if is_whole else Fraction(0)  # a range of one whole number is that number
    most = span / 2 ** max(levels - 2, 0)
    power = Fraction(1)
    while power > most:
        power /= 10
    while power * 10 < most:
        power *= 10
    nice = max((power * factor for factor in (1, 2, 5) if power * factor < most), default=power / 2)
    return max(nice, finest)


def _by_frequency(
    values: dict[str, Fraction], counts: Mapping[str, int], levels: int
) -> dict[str, list[str]]:
    weights: dict[Fraction, int] = {}
    for text, number in values.items():
        weights[number] = weights.get(number, 0) + counts.get(text, 1)
    order = sorted(weights)
    is_whole = all_whole(order)
    # Bounds are round numbers between the values: a value itself may be that of one person.
    spacing = (order[-1] - order[0]) / len(order) or Fraction(1)
    beyond = Fraction(ceil(spacing)) if is_whole else spacing
    ends = [order[0] - beyond, *order, order[-1] + beyond]
    bounds = [roundest_between(below, above) for below, above in pairwise(ends)]
    labels: dict[Fraction, list[str]] = {number: [] for number in order}
    for runs in _nested_runs([weights[number] for number in order], levels - 1):
        for begin, end in runs:
            label = label_between(bounds[begin], bounds[end], is_whole=is_whole)
            for number in order[begin:end]:
                labels[number].append(label)
    return {text: labels[number] for text, number in values.items()}


def _nested_runs(weights: Sequence[int], levels: int) -> list[list[tuple[int, int]]]:
    """Runs of neighbours for each level, lowest first: the highest has two, each level below cuts in two.

    >>> _nested_runs([1, 1, 1, 1, 4], 2)
    [[(0, 2), (2, 4), (4, 5)], [(0, 4), (4, 5)]]
    """
    so_far = [0, *accumulate(weights)]
    runs = [(0, len(weights))]
    found = []
    for _ in range(levels):
        halves = []
        for begin, end in runs:
            if end - begin < 2:
                halves.append((begin, end))
                continue
            middle = (so_far[begin] + so_far[end]) / 2
            cut = min(range(begin + 1, end), key=lambda i: abs(so_far[i] - middle))
            halves += [(begin, cut), (cut, end)]
        runs = halves
        if len(runs) == len(weights):
            break  # that would be the values themselves
        found.append(runs)
    return found[::-1]


def _by_ranges(values: dict[str, Fraction], ranges: RangeSet, levels: int) -> dict[str, list[str]]:
    is_whole = all_whole([*values.values(), *(b for one in ranges.ranges for b in (one.low, one.high) if b)])
    labels: dict[str, list[str]] = {}
    for text, number in values.items():
        concept = ranges.holding(number, text)
        parts = [2**i for i in range(levels - 1)]
        labels[text] = [part_holding(concept, number, n, is_whole=is_whole).label for n in reversed(parts)]
    return labels


def ordinal_hierarchy(order: Sequence[str], *, name: str = "order", levels: int | None = None) -> Hierarchy:
    """Runs of neighbours above categories that are listed from low to high.

    >>> ordinal_hierarchy(["never", "rarely", "often", "always"]).rows()[0]
    ['never', 'never..rarely', '*']
    """
    check_levels(levels)
    height = levels or max((len(order) - 1).bit_length(), 1)
    rows = [[text] for text in order]
    for runs in _nested_runs([1] * len(order), height - 1):
        for begin, end in runs:
            label = order[begin] if end - begin == 1 else f"{order[begin]}..{order[end - 1]}"
            for row in rows[begin:end]:
                row.append(label)
    return Hierarchy.from_rows(name, [[*row, EVERYTHING] for row in rows])


def calendar_hierarchy(
    days: Mapping[str, float], *, name: str = "dates", levels: int | None = None
) -> Hierarchy:
    """Months, quarters, years and decades above days; of fewer levels, years before months.

    A week is part of two months too often to stand below one. Above times, which are fractions, are days.

    >>> leap_day = {"29/02/2024": 738945}
    >>> calendar_hierarchy(leap_day).rows()
    [['29/02/2024', '2024-02', '2024-Q1', '2024', '2020s', '*']]
    >>> calendar_hierarchy(leap_day, levels=3).rows()
    [['29/02/2024', '2024-02', '2024', '*']]
    """
    check_levels(levels)
    best = _BEST_UNITS if all(day == int(day) for day in days.values()) else _BEST_UNITS_OF_TIMES
    used = sorted(best[: None if levels is None else levels - 1], key=UNITS.index)
    rows = [
        [text, *(unit_name(*unit_holding(int(day), unit)) for unit in used)] for text, day in days.items()
    ]
    return Hierarchy.from_rows(name, [[*row, EVERYTHING] for row in rows])


def prefix_hierarchy(
    texts: Sequence[str],
    *,
    name: str = "codes",
    levels: int | None = None,
    characters: Sequence[int] | None = None,
) -> Hierarchy:
    """Fewer and fewer characters of a code; the rest are stars, up to the length of the longest code.

    A code that is shorter than others counts as their common beginning: of ``12345`` and ``123``, both are
    ``123**`` where three characters are kept. If nothing is said, each character is a level, up to 12; or say
    how many `levels` there are, or how many `characters` are kept at each.

    >>> prefix_hierarchy(["12345", "12399"], levels=3).rows()
    [['12345', '123**', '1****', '*'], ['12399', '123**', '1****', '*']]
    >>> prefix_hierarchy(["75011", "75020", "13008"], characters=[2]).rows()
    [['75011', '75***', '*'], ['75020', '75***', '*'], ['13008', '13***', '*']]
    """
    check_levels(levels)
    longest = max(map(len, texts), default=0)
    height = min(levels or _MOST_PREFIXES, longest)
    kept = [longest - -(-longest * i // height) for i in range(1, height)]
    if characters is not None:
        kept = sorted({n for n in characters if 0 < n < longest}, reverse=True)
    return Hierarchy.from_rows(
        name, [[text, *(text[:n].ljust(longest, "*") for n in kept), EVERYTHING] for text in texts]
    )


def over_numbers(hierarchy: Hierarchy, texts: Sequence[str], numbers: Iterable[float]) -> Hierarchy:
    """The numbers of a column below a hierarchy whose values are ranges, or numbers written otherwise.

    Below ranges they are a level more. If the values are numbers, the texts take their places.

    >>> ages = Hierarchy.from_rows("age", [["20-30", "20-60"], ["30-60", "20-60"]])
    >>> over_numbers(ages, ["29", "30.0"], [29, 30]).rows()
    [['29', '20-30', '20-60'], ['30.0', '30-60', '20-60']]
    """
    ranges = [range_of(label) for label in hierarchy.values]
    for label, one in zip(hierarchy.values, ranges, strict=True):
        if one is None:
            raise OntologyError(
                f"the value {label!r} of the hierarchy {hierarchy.name} is neither a number nor a range",
                value=label,
                remedy="write it as `20-30`, or treat the column as words",
            )
    known = [one for one in ranges if one is not None]
    are_numbers = all(one.is_number for one in known)
    if are_numbers:  # written in several ways, perhaps: 1 and 1.0
        known = list({one.low: one for one in known}.values())
    inside = RangeSet(known)
    row_of = dict(zip(hierarchy.values, hierarchy.rows(), strict=True))
    rows = []
    for text, number in zip(texts, map(exact, numbers), strict=True):
        above = row_of[inside.holding(number, text).label][int(are_numbers) :]
        for label in above:
            if (one := range_of(label)) is not None and not one.holds(number):
                raise OntomaskError(
                    f"{text!r} stands below {label} in the hierarchy {hierarchy.name}, where it is not",
                    value=text,
                    remedy="correct the hierarchy, for what is written must be true; or make the column "
                    "`kind: nominal`, and its labels mean what the hierarchy says",
                )
        rows.append([text, *above])
    return hierarchy.with_rows(rows)


def matched(hierarchy: Hierarchy, texts: Sequence[str]) -> Int32:
    """Which value of a hierarchy each text is: the same text, else the same letters.

    >>> jobs = Hierarchy.from_rows("jobs", [["Tech-support", "*"], ["Sales", "*"]])
    >>> matched(jobs, ["sales", "tech support"]).tolist()
    [1, 0]
    """
    found = found_in(hierarchy, texts)
    missing = [text for text, row in zip(texts, found, strict=True) if row is None]
    if missing:
        first, more = missing[0], len(missing) - 1
        others = f", nor {more:,} others of the column" if more else ""
        rest = [f"... and {len(missing) - _FEW:,} more"] if len(missing) > _FEW else []
        raise OntomaskError(
            f"the hierarchy {hierarchy.name} has no value {first!r}{others}",
            value=first,
            details=(*map(repr, missing[:_FEW]), *rest),
            remedy="add a row for each of them, or build the hierarchy again from this table",
        )
    return np.array(found, np.int32)


def found_in(hierarchy: Hierarchy, texts: Sequence[str]) -> list[int | None]:
    """As `matched`; None for what is no value of the hierarchy."""
    exactly = {value: i for i, value in enumerate(hierarchy.values)}
    alike: dict[object, int | None] = {}
    for value, i in exactly.items():
        key = _spelling(value)
        alike[key] = None if key in alike else i  # of two that are spelt alike, neither is meant
    return [exactly.get(text, alike.get(_spelling(text))) for text in texts]


def _spelling(text: str) -> object:
    """What spellings of one value have in common: letters, and signs that change them; codes stay apart."""
    if not any(map(str.isalpha, text)):
        return "".join(text.split())
    return letters_of(text), "".join(sign for sign in text if sign in _SIGNS)
