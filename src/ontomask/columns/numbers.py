"""Columns of numbers, and of ordered categories by their ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar, cast

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Numeric
from ontomask.attributes.numeric import nearest_multiples
from ontomask.columns.base import SUPPRESSED_TEXTS, Column, most_frequent_text, text_ranks, told_apart
from ontomask.columns.ranges import RangeFormat
from ontomask.errors import OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.plan import AttributePlan, Plan
from ontomask.printable import shortened

LARGEST = 1e60
"""No number is farther from 0. A correlation multiplies two sums of squared differences: 16 n^2 LARGEST^4 at
most, which is below the largest float64 (1.8e308) for any table of fewer than 10^33 rows."""
_MOST_PLACES = 324  # of the smallest number above 0 that there is, 5e-324
_NUMBER = r"(-?(?:\d+\.?\d*|\.\d+))"
_RANGE = re.compile(rf"^[\[\(]?\s*{_NUMBER}\s*(?:-|,|;|\.\.|–|to)\s*{_NUMBER}\s*[\]\)\[]?$")
_EVERYTHING = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberColumn(Column):
    """Amounts."""

    attribute: Numeric
    na_values: frozenset[str] = frozenset()
    """Texts that mean no value, and must not be written for a number."""
    range_format: RangeFormat
    everything: str
    """What is written for a range of all numbers, and none."""
    is_number: ClassVar[bool] = True
    neither: ClassVar[str] = "neither a number nor a range"

    def texts(self, attribute: Attribute) -> list[str | None]:
        own = cast(Numeric, attribute)
        ranges = [
            self.everything if ends == _EVERYTHING else self.range_format.text(*map(self.text_of, ends))
            for ends in map(tuple, own.ranges.tolist())
        ]
        numbers = own.replacements[len(ranges) :].tolist()
        return [*ranges, *(None if np.isnan(x) else self.text_of(x) for x in numbers)]

    def text_of(self, number: float) -> str:
        """A number without needless zeros or exponent."""
        text = _plain_text(number, self.attribute.decimals or 0)
        while text in self.na_values:
            text += "0" if "." in text else ".0"
        return text

    def released_as(self, attribute: Attribute) -> Int32:
        """A number that a method computed and that means no value (99) gives way to the one nearest to it.

        In a typed column it has no other spelling. A number of the table was spelt so that it is a value.
        What the plan cuts off or rounds away is never the nearest.
        """
        own = cast(Numeric, attribute)
        kept = super().released_as(own)
        marks = [number for mark in self.na_values if (number := _as_float(mark)) is not None]
        is_mark = np.isin(own.replacements, marks)
        is_mark[own.own[np.unique(self.code_of_text)]] = is_mark[: len(own.ranges)] = False
        may_stand = ~is_mark & ~np.isnan(own.replacements)
        may_stand[: len(own.ranges)] = False
        if self.coded is not None:
            may_stand[own.own[self.coded != np.arange(own.size)]] = False
        others = np.flatnonzero(may_stand)
        for r in np.flatnonzero(is_mark).tolist():
            kept[r] = others[np.abs(own.replacements[others] - own.replacements[r]).argmin()]
        return kept

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As numbers and, if the column is truthful, as ranges; else as their middles."""
        low, high = np.array([self.ends_of(text) for text in texts], np.float64).reshape(-1, 2).T
        if self.attribute.is_truthful:
            return self.attribute.covering(low, high)
        numbers = (low + high) / 2
        extended = self.attribute.including(numbers)
        return extended, extended.replacement_of(numbers)

    def ends_of(self, text: str | None) -> tuple[float, float]:
        """The least and the greatest number that a masked text may be; NaN for no value."""
        if self.attribute.is_truthful and text in (self.everything, EVERYTHING):
            return _EVERYTHING
        if text is None or text in SUPPRESSED_TEXTS:
            return np.nan, np.nan
        if (number := self.number_of(text)) is not None:
            return number, number
        ends = self.range_format.ends(text, self.number_of) or self.foreign_ends(text)
        if ends is None:
            short = shortened(text)
            raise OntomaskError(
                f"{short!r} of the masked table is {self.neither}", column=self.name, value=short
            )
        return min(ends), max(ends)

    def number_of(self, text: str) -> float | None:
        """The number that a masked text is, if it is one."""
        number = _as_float(text)
        return None if number is None or np.isnan(number) else _in_range(number, text, self.name)

    def foreign_ends(self, text: str) -> tuple[float, float] | None:
        """The ends of a range as other tools write it."""
        found = _RANGE.match(text.strip())
        low, high = (self.number_of(end) for end in found.groups()) if found else (None, None)
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True, eq=False, kw_only=True)
class RankColumn(NumberColumn):
    """Ordered categories; a category's number is its place in `order`."""

    order: tuple[str, ...]
    is_number: ClassVar[bool] = False
    neither: ClassVar[str] = "not in its `order`"

    def text_of(self, number: float) -> str:
        return self.order[int(number)]

    def number_of(self, text: str) -> float | None:
        return float(self.order.index(text)) if text in self.order else None

    def foreign_ends(self, text: str) -> tuple[float, float] | None:
        return None


def read_numbers(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> NumberColumn:
    """A numeric column of its distinct texts."""
    numbers, places = np.full(len(texts), np.nan), 0
    for i, text in enumerate(texts):
        if text is None:
            continue
        try:
            number = Decimal(text.strip())
            if number.is_nan():
                raise ValueError
        except (InvalidOperation, ValueError):
            short = shortened(text)
            raise OntomaskError(
                f"{short!r} is not a number",
                column=name,
                value=short,
                remedy="correct it, add it to `na_values`, or make the column `kind: nominal`",
            ) from None
        numbers[i] = _in_range(float(number), text, name)
        places = max(places, min(-int(number.as_tuple().exponent), _MOST_PLACES))
    if (np.nan_to_num(numbers) % 1 == 0).all():
        places = 0  # 30.0 is a whole number too
    limits = [x for x in (settings.top, settings.bottom, settings.round) if x is not None]
    places = max([places, *map(_places_of, limits)])
    parts = _parts(
        name,
        texts,
        numbers,
        counts,
        plan,
        settings,
        plan.method.centroid or "mean",
        decimals=places if settings.round is not None or not places else places + 2,
        seen=coded_numbers(numbers, settings),
    )
    note = "; ".join(_coding_notes(numbers, counts, settings, plan.least_told))
    na_values = frozenset(plan.table.na_values)
    is_negative = bool((parts["attribute"].numbers < 0).any())
    return NumberColumn(
        **parts,
        note=note,
        na_values=na_values,
        range_format=RangeFormat(settings.range_format or ("{from}..{to}" if is_negative else "{from}-{to}")),
        everything=told_apart(EVERYTHING, na_values),
    )


def coded_numbers(numbers: Float64, settings: AttributePlan) -> Float64:
    """Numbers as methods see them: none above `top` or below `bottom`, all of them multiples of `round`.

    >>> age = AttributePlan(role="quasi-identifier", kind="numeric", top=90, round=5)
    >>> coded_numbers(np.array([17.0, 41.0, 97.0, np.nan]), age).tolist()
    [15.0, 40.0, 90.0, nan]
    """
    low = -np.inf if settings.bottom is None else settings.bottom
    high = np.inf if settings.top is None else settings.top
    cut = np.clip(numbers, low, high)
    return cut if settings.round is None else nearest_multiples(cut, settings.round)


def _coding_notes(numbers: Float64, counts: Int64, settings: AttributePlan, least: int) -> Iterator[str]:
    """How many rows each limit changed; not exactly, where that is a few people."""
    seen = coded_numbers(numbers, settings)
    limits = (("top", "above", np.greater), ("bottom", "below", np.less))
    beyond = np.zeros(len(numbers), bool)
    for key, where, is_beyond in limits:
        if (limit := getattr(settings, key)) is not None:
            mine = is_beyond(numbers, limit)
            beyond |= mine
            yield f"{_how_many(int(counts[mine].sum()), least)} {where} {limit:.15g} became {limit:.15g}"
    if settings.round is not None:
        moved = ~beyond & ~np.isnan(numbers) & (seen != numbers)
        yield f"{_how_many(int(counts[moved].sum()), least)} became multiples of {settings.round:.15g}"


def _how_many(rows: int, least: int) -> str:
    return f"fewer than {least} rows" if 0 < rows < least else f"{rows:,} rows" if rows else "no row"


def _places_of(number: float) -> int:
    """Digits after the point of a number as it is written."""
    return max(0, -int(Decimal(repr(number)).normalize().as_tuple().exponent))


def _plain_text(number: float, decimals: int) -> str:
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_ranks(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> RankColumn:
    """An ordinal column of its distinct texts."""
    order = settings.order or ()
    rank = {value: i for i, value in enumerate(order)}
    for mark in set(order) & set(plan.table.na_values):
        raise OntomaskError(
            f"{mark!r} of its `order` means no value",
            column=name,
            value=mark,
            is_public=True,
            remedy="take it from `order`, or from `na_values` of the plan",
        )
    unknown = [text for text in texts if text is not None and text not in rank]
    if unknown:
        raise OntomaskError(
            f"{unknown[0]!r} is not in its `order` {list(order)}",
            column=name,
            value=unknown[0],
            remedy="add it there",
        )
    ranks = np.array([np.nan if text is None else rank[text] for text in texts], np.float64)
    dots = ".."
    while any(dots in value for value in order):
        dots += "."
    return RankColumn(
        **_parts(name, texts, ranks, counts, plan, settings, "median"),
        order=order,
        range_format=RangeFormat(settings.range_format or f"{{from}}{dots}{{to}}"),
        everything=told_apart(EVERYTHING, {*order, *plan.table.na_values}),
    )


def _parts(
    name: str,
    texts: Sequence[str | None],
    numbers: Float64,
    counts: Int64,
    plan: Plan,
    settings: AttributePlan,
    middle: Any,
    decimals: int | None = None,
    seen: Float64 | None = None,
) -> dict[str, Any]:
    both = numbers if seen is None else np.concatenate([numbers, seen])
    distinct, places = np.unique(both + 0.0, return_inverse=True)  # ascending, one NaN last, no -0
    codes, coded = places[: len(numbers)], None
    if len(places) > len(codes) and (codes != places[len(codes) :]).any():
        coded = np.arange(len(distinct), dtype=np.int32)
        coded[codes] = places[len(codes) :]
    labels = most_frequent_text(codes.tolist(), texts, counts)
    attribute = Numeric.of(
        name,
        distinct,
        np.bincount(codes, counts, minlength=len(distinct)).astype(np.int64),
        weight=settings.weight,
        scale=plan.method.scale or ("zscore" if plan.is_all_numeric else "range"),
        middle=middle,
        decimals=decimals,
        step=settings.round,
    )
    return {
        "attribute": attribute,
        "code_of_text": codes.astype(np.int32),
        "ranks": text_ranks(
            [
                labels[code] if code in labels else _plain_text(number, decimals or 0)
                for code, number in enumerate(distinct.tolist())
            ]
        ),
        "coded": coded,
    }


def _in_range(number: float, text: str, column: str) -> float:
    if not abs(number) <= LARGEST:
        short = shortened(text)
        raise OntomaskError(
            f"{short!r} is too large a number: sums of squares must not overflow",
            column=column,
            value=short,
            remedy=f"use a larger unit, so that no number is beyond {LARGEST:g}",
        )
    return number


def _as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
