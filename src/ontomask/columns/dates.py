"""Columns of days and times: texts in one format, and for groups the names of days, weeks and longer.

How days are written and units are called is known to `ontomask.days`, what covers a group to the attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes import Dates
from ontomask.columns.base import told_apart
from ontomask.columns.line import LineColumn, how_many, line_parts
from ontomask.days import DayFormat, found_format, given_format, unit_ends, unit_name
from ontomask.errors import OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.plan import AttributePlan, Plan
from ontomask.printable import shortened


@dataclass(frozen=True, eq=False, kw_only=True)
class DateColumn(LineColumn):
    """Days, or moments of them."""

    attribute: Dates
    day_format: DayFormat
    neither: ClassVar[str] = "neither a date in the format of its column nor a day, week, month or longer"

    def text_of(self, number: float) -> str:
        return self.day_format.text(number)

    def range_text(self, low: float, high: float) -> str:
        """The name of a unit, in brackets if that means something else here.

        Other ranges are what nodes of a hierarchy stand for, and are never written.
        """
        name = unit_name(int(low), int(high))
        if self.range_ends(name) != (low, high):
            return f"{self.text_of(low)}..{self.text_of(high)}"
        while name in self.na_values or self.number_of(name) is not None:
            name = f"({name})"
        return name

    def number_of(self, text: str) -> float | None:
        return self.day_format.day_of(text)

    def range_ends(self, text: str) -> tuple[float, float] | None:
        """From the first moment of a unit to its last."""
        ends, per_day = unit_ends(text.strip("() ")), self.day_format.per_day
        return ends and (float(ends[0]), (ends[1] * per_day + per_day - 1) / per_day)


def read_dates(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> DateColumn:
    """A column of days, or of times, of its distinct texts."""
    rows = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    try:
        found = found_format(rows) if settings.format is None else given_format(settings.format, rows)
        days = {text: found.day_of(text) for text in rows}
        for text, day in days.items():
            assert day is not None
            if found.text(day) in plan.na_values_of(name):
                short = shortened(text)
                raise OntomaskError(
                    f"{short!r} would be written in a way that means no value",
                    value=short,
                    remedy="spell the dates of the column alike, or change `na_values` of the plan",
                )
    except OntomaskError as error:
        raise error.at(column=name) from None
    numbers = np.array([np.nan if text is None else days[text] for text in texts], np.float64)
    middle = plan.method.middle
    parts = line_parts(name, texts, numbers, counts, plan, settings, middle, decimals=0, of=Dates)
    parts["attribute"] = replace(parts["attribute"], per_day=found.per_day)
    parts["ranks"] = np.arange(parts["attribute"].size, dtype=np.int32)  # whatever the format
    na_values = frozenset(plan.na_values_of(name))
    return DateColumn(
        **parts,
        note=_note_on(found, rows, settings, plan.least_size),
        na_values=na_values,
        everything=told_apart(EVERYTHING, na_values),
        day_format=found,
    )


def _note_on(form: DayFormat, rows: dict[str, int], settings: AttributePlan, least: int) -> str:
    """Which format was found out, and how many rows are not spelt as the others."""
    otherwise = sum(n for text, n in rows.items() if (day := form.day_of(text)) and form.text(day) != text)
    if settings.format and not otherwise:
        return ""
    found_out = "" if settings.format else ", which was found out"
    spelt = f"; {how_many(otherwise, least)} had them otherwise" if otherwise else ""
    several = len(form.offsets(rows)) > 1
    clock = f"; all are on the clock of {form.offset.strip()}, days and longer too" if several else ""
    return f"its dates are written as {form}{found_out}{spelt}{clock}"
