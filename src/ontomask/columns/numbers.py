"""Columns of numbers, and of ordered categories by their ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.numeric import nearest_multiples
from ontomask.columns.base import told_apart
from ontomask.columns.line import LineColumn, how_many, line_parts, plain_text
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


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberColumn(LineColumn):
    """Amounts."""

    range_format: RangeFormat
    is_number: ClassVar[bool] = True
    neither: ClassVar[str] = "neither a number nor a range"

    def text_of(self, number: float) -> str:
        """A number without needless zeros or exponent."""
        text = plain_text(number, self.attribute.decimals or 0)
        while text in self.na_values:
            text += "0" if "." in text else ".0"
        return text

    def range_text(self, low: float, high: float) -> str:
        return self.range_format.text(self.text_of(low), self.text_of(high))

    def number_of(self, text: str) -> float | None:
        number = _as_float(text)
        return None if number is None or np.isnan(number) else _in_range(number, text, self.name)

    @property
    def marks(self) -> list[float]:
        return [number for mark in self.na_values if (number := _as_float(mark)) is not None]

    def range_ends(self, text: str) -> tuple[float, float] | None:
        """In the format of the column, or as other tools write it."""
        if ends := self.range_format.ends(text, self.number_of):
            return ends
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

    def range_ends(self, text: str) -> tuple[float, float] | None:
        return self.range_format.ends(text, self.number_of)


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
    parts = line_parts(
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
            yield f"{how_many(int(counts[mine].sum()), least)} {where} {limit:.15g} became {limit:.15g}"
    if settings.round is not None:
        moved = ~beyond & ~np.isnan(numbers) & (seen != numbers)
        yield f"{how_many(int(counts[moved].sum()), least)} became multiples of {settings.round:.15g}"


def _places_of(number: float) -> int:
    """Digits after the point of a number as it is written."""
    return max(0, -int(Decimal(repr(number)).normalize().as_tuple().exponent))


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
        **line_parts(name, texts, ranks, counts, plan, settings, "median"),
        order=order,
        range_format=RangeFormat(settings.range_format or f"{{from}}{dots}{{to}}"),
        everything=told_apart(EVERYTHING, {*order, *plan.table.na_values}),
    )


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
