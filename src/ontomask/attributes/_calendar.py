"""The calendar in compiled loops: the smallest unit that holds two days (spec 8.1).

Days are numbers as of `datetime.date.toordinal`, times fractions of them. Months are counted from March, so
that the day that some years have more is the last of its year.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64
from ontomask.compiled import kernel, step

_DAYS_A_YEAR = 365.2425
_MARCH = 305  # days from March of year 0 to the day before day 1


@step
def first_of(year: int, month: int) -> int:
    """The first day of a month; month 13 is the first of the next year."""
    from_march = (month + 9) % 12
    year += month // 13 - (from_march >= 10)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * from_march + 2) // 5 - _MARCH


@step
def year_of(day: float) -> int:
    """The year of a day: guessed by the mean length of years, which may be one off."""
    year = int(day / _DAYS_A_YEAR) + 1
    if day < first_of(year, 1):
        return year - 1
    return year + 1 if day >= first_of(year, 13) else year


@step
def month_of(day: float, year: int) -> int:
    """The month of a day in its year."""
    march = first_of(year, 3)
    if day < march:
        return 1 if day < first_of(year, 2) else 2
    return (5 * int(day - march) + 2) // 153 + 3


@step
def unit_of(low: float, high: float) -> tuple[float, float]:
    """The first and the last day of the first that holds both days, of
    day, week (from Monday), month, quarter, year, decade, range of years.

    What has no end, or is no day, stays as it is.
    """
    if not low < high or np.isinf(low):
        return low, high
    if high < low + 7:  # else no week holds both, and a remainder of such numbers takes long
        monday = low - (low - 1) % 7
        if high < monday + 7:
            return monday, monday + 6
    year, last_year = year_of(low), year_of(high)
    if year != last_year:
        if year // 10 == last_year // 10:
            year, last_year = max(year // 10 * 10, 1), year // 10 * 10 + 9
        return float(first_of(year, 1)), float(first_of(last_year, 13) - 1)
    month, last_month = month_of(low, year), month_of(high, year)
    months = 1 if month == last_month else 3 if (month - 1) // 3 == (last_month - 1) // 3 else 12
    month -= (month - 1) % months
    return float(first_of(year, month)), float(first_of(year, month + months) - 1)


@step
def moments_of_unit(low: float, high: float, per_day: int) -> tuple[float, float]:
    """The first and the last moment of the unit that holds two, where a day has so many."""
    if not low < high or np.isinf(low):
        return low, high
    first, last = unit_of(np.floor(low), np.floor(high))
    return first, (last * per_day + per_day - 1) / per_day


@kernel
def units_of(low: Float64, high: Float64, per_day: int) -> tuple[Float64, Float64]:
    """`moments_of_unit`, range by range."""
    first, last = np.empty(len(low)), np.empty(len(low))
    for i in range(len(low)):
        first[i], last[i] = moments_of_unit(low[i], high[i], per_day)
    return first, last
