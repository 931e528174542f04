"""Columns of numbers, and of ordered categories by their ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.numeric import nearest_multiples
from ontomask.columns.base import told_apart
from ontomask.columns.line import LineColumn, how_many, line_parts, plain_text
from ontomask.columns.ranges import RangeFormat
from ontomask.errors import Fault, OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.linking.spelling import spelling_of
from ontomask.numerals import PLAIN, Limit, NumberFormat, limit_of, number_format, usual_decimal
from ontomask.plan import AttributePlan, Plan
from ontomask.printable import shortened
from ontomask.tables import Table

LARGEST = 1e60
"""No number is farther from 0. A correlation multiplies two sums of squared differences: 16 n^2 LARGEST^4 at
most, which is below the largest float64 (1.8e308) for any table of fewer than 10^33 rows."""
_MOST_PLACES = 324  # of the smallest number above 0 that there is, 5e-324
_MOST_TOLD = 8  # limits of one column
_NUMBER = r"(-?(?:\d+\.?\d*|\.\d+))"
_WITH_UNIT = re.compile(r"\s*[-+]?\d[\d.,]*\s*([^\W\d_]{2,6}|%|[€£$])\s*")
_RANGE = re.compile(rf"^[\[\(]?\s*{_NUMBER}\s*(?:-|,|;|\.\.|–|to)\s*{_NUMBER}\s*[\]\)\[]?$")


class Spelling(NamedTuple):
    """What a table tells of how its numbers are written.

    `is_typed` says that they are no texts there; `usual` is the decimal mark of its other columns;
    `most_places` are the decimals that their type has room for.
    """

    is_typed: bool = False
    usual: str | None = None
    most_places: int | None = None


UNKNOWN = Spelling()


def spellings(
    table: Table, plan: Plan, columns: Mapping[str, Sequence[str | None]]
) -> Mapping[str, Spelling]:
    """What a table tells of the numbers in some columns of distinct texts."""
    numeric = [n for n in columns if (one := plan.attributes.get(n)) is not None and one.kind == "numeric"]
    typed = table.typed_numbers(numeric)
    as_texts = {
        name: [text for text in columns[name] if text is not None]
        for name in numeric
        if name not in typed and plan.attributes[name].unit is None
    }
    usual = usual_decimal(as_texts.values())
    return {name: Spelling(name in typed, usual, typed.get(name)) for name in numeric}


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberColumn(LineColumn):
    """Amounts."""

    range_format: RangeFormat
    number_format: NumberFormat = PLAIN
    is_number: ClassVar[bool] = True
    neither: ClassVar[str] = "neither a number nor a range"

    def text_of(self, number: float) -> str:
        """A number as the column writes it, without needless zeros or exponent."""
        return self.number_format.text(self._plain(number))

    def _plain(self, number: float) -> str:
        text = plain_text(number, self.attribute.decimals or 0)
        while self.number_format.text(text) in self.na_values:
            text += "0" if "." in text else ".0"
        return text

    def range_text(self, low: float, high: float) -> str:
        return self.number_format.range_text(self._plain(low), self._plain(high), self.range_format.form)

    def number_of(self, text: str) -> float | None:
        """As the column writes it, else as a program would."""
        number = self._read(text)
        return None if number is None or np.isnan(number) else _in_range(number, text, self.name)

    def _read(self, text: str) -> float | None:
        number = self.number_format.number_of(text)
        return _as_float(text) if number is None else float(number)

    @property
    def marks(self) -> list[float]:
        return [number for mark in self.na_values if (number := self._read(mark)) is not None]

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

    def range_text(self, low: float, high: float) -> str:
        return self.range_format.text(self.text_of(low), self.text_of(high))

    def number_of(self, text: str) -> float | None:
        """Of a category, however it is spelt; a run of them is none, even if its letters are those of one."""
        if text not in self.order and self.range_format.ends(text, self._number_as_spelt) is not None:
            return None
        rank = rank_of(text, self.order)
        return None if rank is None else float(rank)

    def _number_as_spelt(self, text: str) -> float | None:
        return float(self.order.index(text)) if text in self.order else None

    def range_ends(self, text: str) -> tuple[float, float] | None:
        return self.range_format.ends(text, self.number_of)


def read_numbers(
    name: str,
    texts: Sequence[str | None],
    counts: Int64,
    plan: Plan,
    settings: AttributePlan,
    spelling: Spelling = UNKNOWN,
) -> NumberColumn:
    """A numeric column of its distinct texts."""
    rows = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    written = _format_of(name, rows, plan, settings, spelling)
    read = {text: _number_or_limit(text, written, settings) for text in rows}
    if none_of := {text: rows[text] for text, number in read.items() if number is None}:
        raise _not_numbers(name, none_of, len(rows), written)
    numbers, places = np.full(len(texts), np.nan), 0
    for i, text in enumerate(texts):
        if text is not None and (number := read[text]) is not None:
            numbers[i] = _in_range(float(number), text, name)
            exponent = number.as_tuple().exponent
            places = max(places, min(-exponent, _MOST_PLACES) if isinstance(exponent, int) else 0)
    if (np.nan_to_num(numbers) % 1 == 0).all():
        places = 0  # 30.0 is a whole number too
    limits = [x for x in (settings.top, settings.bottom, settings.round) if x is not None]
    places = max([places, *map(_places_of, limits)])
    decimals = places if settings.round is not None or not places else places + 2
    if spelling.most_places is not None:  # a mean with more of them would make the column text
        decimals = max(0, min(decimals, spelling.most_places))
    parts = line_parts(
        name,
        texts,
        numbers,
        counts,
        plan,
        settings,
        plan.method.middle,
        decimals=decimals,
        seen=coded_numbers(numbers, settings),
    )
    note = "; ".join(
        [
            *_spelling_notes(written, rows, plan, settings, plan.least_told),
            *_limit_notes(written, rows, plan.least_told),
            *_coding_notes(numbers, counts, settings, plan.least_told),
        ]
    )
    na_values = frozenset(plan.na_values_of(name))
    is_negative = bool((parts["attribute"].numbers < 0).any())
    return NumberColumn(
        **parts,
        note=note,
        na_values=na_values,
        range_format=RangeFormat(settings.range_format or ("{from}..{to}" if is_negative else "{from}-{to}")),
        everything=told_apart(EVERYTHING, na_values),
        number_format=written,
    )


def _format_of(
    name: str, rows: Mapping[str, int], plan: Plan, settings: AttributePlan, spelling: Spelling
) -> NumberFormat:
    """How the column writes its numbers: typed ones have one text, others what the plan or they tell."""
    if spelling.is_typed:
        return PLAIN
    bare = {limit.number if (limit := limit_of(text)) else text: n for text, n in rows.items()}
    try:
        found = number_format(
            bare,
            settings.decimal or plan.table.decimal,
            settings.thousands or plan.table.thousands,
            settings.unit,
            spelling.usual,
        )
    except OntomaskError as error:
        raise error.at(column=name) from None
    return found.as_in(bare)


def _number_or_limit(text: str, written: NumberFormat, settings: AttributePlan) -> Decimal | None:
    """The number that a text is; `>90` is `top` if that is 90 or less, `<5` is `bottom` if that is 5 or more.

    What is beyond these becomes them anyway, whatever it is.
    """
    if (number := written.number_of(text)) is not None:
        return number
    limit, beyond = _limit_in(text, written)
    end = settings.bottom if limit and limit.is_below else settings.top
    if limit is None or beyond is None or end is None:
        return None
    return Decimal(repr(end)) if (beyond <= end if limit.is_below else beyond >= end) else None


def _limit_in(text: str, written: NumberFormat) -> tuple[Limit | None, Decimal | None]:
    """The limit that a text is in a format, and its number."""
    limit = limit_of(text)
    return limit, None if limit is None else written.number_of(limit.number)


def _not_numbers(name: str, rows: Mapping[str, int], n: int, written: NumberFormat) -> OntomaskError:
    """What is wrong with the values that are no numbers; nothing of them but the first is told in logs."""
    limits = {text: found[0] for text in rows if (found := _limit_in(text, written))[1] is not None}
    faults, others = list[Fault](), [text for text in rows if text not in limits]
    if others:
        short = shortened(others[0])
        also = f" ({len(others):,} of {n:,} values are none)" if len(others) > 1 else ""
        unit = "say what `unit` stands there, or " if all(map(_WITH_UNIT.fullmatch, others)) else ""
        faults.append(
            Fault(
                f"{short!r} is not a number",
                column=name,
                value=short,
                remedy=f"{unit}correct it{also}, add it to `na_values`, or make the column `kind: nominal`",
            )
        )
    if limits:
        sides = {"bottom" if one and one.is_below else "top": None for one in limits.values()}
        told = sorted(limits, key=lambda text: -rows[text])
        short = shortened(told[0])
        more = f", and {len(told) - _MOST_TOLD:,} more" if len(told) > _MOST_TOLD else ""
        n_rows = sum(rows[text] for text in limits)
        faults.append(
            Fault(
                f"{short!r} is not a number but a limit, as {n_rows:,} rows have one",
                column=name,
                value=short,
                details=(", ".join(f"{one!r} {rows[one]:,} times" for one in told[:_MOST_TOLD]) + more,),
                remedy=f"set {' and '.join(f'`{side}`' for side in sides)} of the column, and what is beyond "
                "is released as that; or put numbers in their place, add them to `na_values`, or make the "
                "column `kind: nominal`",
            )
        )
    return OntomaskError(*faults)


def _limit_notes(written: NumberFormat, rows: Mapping[str, int], least: int) -> Iterator[str]:
    """How many rows had a limit in the place of a number."""
    beyond = {True: 0, False: 0}
    for text, n in rows.items():
        limit, number = _limit_in(text, written)
        if limit is not None and number is not None:
            beyond[limit.is_below] += n
    for is_below, side in ((True, "bottom"), (False, "top")):
        if beyond[is_below]:
            yield f"{how_many(beyond[is_below], least)} had a limit for a number and became `{side}`"


def _spelling_notes(
    written: NumberFormat, rows: Mapping[str, int], plan: Plan, settings: AttributePlan, least: int
) -> Iterator[str]:
    """What was found out about how numbers are written, and how many rows lack the unit."""
    is_given = (settings.decimal or plan.table.decimal) and (
        not written.thousands or settings.thousands or plan.table.thousands
    )
    if not is_given and replace(written, unit="", before="", after="") != PLAIN:
        yield f"its numbers have a {written}, which was found out"
    if settings.unit:
        unit = settings.unit.casefold()
        bare = sum(n for text, n in rows.items() if unit not in text.casefold())
        if bare:
            yield f"{how_many(bare, least)} had no {settings.unit}"


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


def rank_of(text: str, order: Sequence[str]) -> int | None:
    """The place of a category in its order: that of the same text, else of the one that is spelt alike.

    >>> rank_of(" LOW", ["low", "high"]), rank_of("Low", ["low", "LOW"]), rank_of("mid", ["low", "high"])
    (0, None, None)
    """
    if text in order:
        return order.index(text)
    alike = [i for i, value in enumerate(order) if spelling_of(value) == spelling_of(text)]
    return alike[0] if len(alike) == 1 else None


def read_ranks(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> RankColumn:
    """An ordinal column of its distinct texts."""
    order = settings.order or ()
    ranks_of = {text: rank_of(text, order) for text in texts if text is not None}
    for mark in set(order) & set(plan.na_values_of(name)):
        raise OntomaskError(
            f"{mark!r} of its `order` means no value",
            column=name,
            value=mark,
            is_public=True,
            remedy="take it from `order`, or from `na_values` of the plan",
        )
    unknown = [text for text, rank in ranks_of.items() if rank is None]
    if unknown:
        raise OntomaskError(
            f"{unknown[0]!r} is not in its `order` {list(order)}",
            column=name,
            value=unknown[0],
            remedy="add it there",
        )
    ranks = np.array([np.nan if text is None else ranks_of[text] for text in texts], np.float64)
    dots = ".."
    while any(dots in value for value in order):
        dots += "."
    return RankColumn(
        **line_parts(name, texts, ranks, counts, plan, settings, "median", decimals=0),
        order=order,
        range_format=RangeFormat(settings.range_format or f"{{from}}{dots}{{to}}"),
        everything=told_apart(EVERYTHING, {*order, *plan.na_values_of(name)}),
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
