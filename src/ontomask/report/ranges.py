"""What is written of a truthful column of numbers, dates or ordered categories: how many ranges, how wide.

All of it can be read off the release itself; of the original only the number of its values is told.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64
from ontomask.attributes import Dates
from ontomask.distribution import quantile
from ontomask.report import words
from ontomask.report.changes import Changes

_KINDS = {"date": "date", "ordinal": "category", "numeric": "number"}
_MONTH, _YEAR = 30.44, 365.24  # days


class Ranges(NamedTuple):
    """The ranges of a column, and how wide they are in its unit: numbers, days or categories.

    `rows` have one, of which half have one of `half` or less and one in ten one of `tenth` or more; `single`
    have one value still. `overlap`: some range has a number that another range, or a single value, has too.
    """

    different: int
    rows: int
    single: int
    half: float
    tenth: float
    overlap: bool


def ranges_of(column: Changes, kind: str) -> Ranges | None:
    """Of what is written in a column; None if that is no range."""
    if column.attribute.ends is None:
        return None
    low, high = column.attribute.ends
    written = (column.after_counts > 0) & np.isfinite(low) & np.isfinite(high)
    low, high, rows = low[written], high[written], column.after_counts[written]
    is_range = low < high
    if not is_range.any():
        return None
    wide = high - low
    if isinstance(column.attribute, Dates):
        wide += 1 / column.attribute.per_day  # to the end of its last moment
    elif kind == "ordinal":
        wide += 1
    half, tenth = (quantile(wide[is_range], rows[is_range], share) for share in (0.5, 0.9))
    return Ranges(
        len(np.unique(np.stack([low, high], axis=1)[is_range], axis=0)),
        int(rows[is_range].sum()),
        int(rows[~is_range].sum()),
        half,
        tenth,
        _overlap(low, high),
    )


def _overlap(low: Float64, high: Float64) -> bool:
    """Whether two different ranges, or a range and a number, have a number in common."""
    ends: Float64 = np.unique(np.stack([low, high], axis=1), axis=0)  # by where they begin
    reached = np.maximum.accumulate(ends[:, 1])
    return bool((ends[1:, 0] <= reached[:-1]).any())


def ranges_text(name: str, found: Ranges, kind: str, values: int, who: str) -> str:
    """In a sentence or two; `values` are those of the original.

    >>> ranges_text("born", Ranges(192, 2000, 0, 2557.0, 10957.0, True), "date", 2458, "people")[:72]
    '“born”: 192 different ranges are written in the place of 2,458 dates; th'
    """
    of = _KINDS[kind]
    ranges = "1 range is" if found.different == 1 else f"{found.different:,} different ranges are"
    said = f"“{name}”: {ranges} written in the place of {_counted(values, of)}"
    if found.single:
        said += f", and {found.single:,} {who} still have a single {of}"
    if found.overlap:
        said += "; ranges overlap" if found.single else "; they overlap"
    half, tenth = (width_text(wide, kind) for wide in (found.half, found.tenth))
    those = "those with a range" if found.single else f"the {who}"
    less, more = ("fewer", "more") if kind == "ordinal" else ("less", "more")
    said += f". Half of {those} have one of {half} or {less}"
    return said + (f", one in ten one of {tenth} or {more}." if tenth != half else ".")


def width_text(wide: float, kind: str) -> str:
    """How wide a range is; of days in the largest unit of the calendar that fits.

    >>> [width_text(days, "date") for days in (1, 7, 31, 92, 365, 366, 3653)]
    ['1 day', '7 days', '1 month', '3 months', '1 year', '1 year', '10 years']
    >>> width_text(2, "ordinal"), width_text(9.5, "numeric")
    ('2 categories', 'width 9.5')
    """
    if kind == "numeric":
        return f"width {words.number(wide)}"
    if kind == "ordinal":
        return _counted(round(wide), "category")
    if wide < 28:
        return _counted(max(round(wide), 1), "day")
    if wide < 365:
        return _counted(round(wide / _MONTH), "month")
    return _counted(round(wide / _YEAR), "year")


def _counted(n: int, what: str) -> str:
    """`1 category`, `2 categories`."""
    many = f"{what[:-1]}ies" if what.endswith("y") and what != "day" else f"{what}s"
    return f"{n:,} {what if n == 1 else many}"
