"""The calendar in compiled loops: the smallest unit that holds two days (spec 8.1).

Days are numbers as of `datetime.date.toordinal`, times fractions of them. Years and months are found by
counting from March, so that the day that some years have more is the last of its year.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64
from ontomask.compiled import kernel, step

_CYCLE = 146_097  # days of 400 years, after which the calendar repeats
_MARCH = 305  # days from March of year 0 to the day before day 1


@step
def year_and_month(day: int) -> tuple[int, int]:
    """Of a day, from year 1 on."""
    cycle, day_of_cycle = divmod(day + _MARCH, _CYCLE)
    leap_days = day_of_cycle // 1_460 - day_of_cycle // 36_524 + day_of_cycle // 146_096
    year_of_cycle = (day_of_cycle - leap_days) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    from_march = (5 * day_of_year + 2) // 153
    is_next = from_march >= 10
    return 400 * cycle + year_of_cycle + is_next, from_march + 3 - 12 * is_next


@step
def first_of(year: int, month: int) -> int:
    """The first day of a month; month 13 is the first of the next year."""
    from_march = (month + 9) % 12
    cycle, year_of_cycle = divmod(year + month // 13 - (from_march >= 10), 400)
    day_of_year = (153 * from_march + 2) // 5
    return (
        _CYCLE * cycle
        + 365 * year_of_cycle
        + year_of_cycle // 4
        - year_of_cycle // 100
        + day_of_year
        - _MARCH
    )


@step
def unit_of(low: float, high: float) -> tuple[float, float]:
    """The first and the last day of the first that holds both days, of
    day, week (from Monday), month, quarter, year, decade, range of years.

    What has no end, or is no day, stays as it is.
    """
    if not low < high or np.isinf(low):
        return low, high
    monday = low - (low - 1) % 7
    if high < monday + 7:
        return monday, monday + 6
    year, month = year_and_month(int(low))
    last_year, last_month = year_and_month(int(high))
    if year != last_year:
        if year // 10 == last_year // 10:
            year, last_year = max(year // 10 * 10, 1), year // 10 * 10 + 9
        return float(first_of(year, 1)), float(first_of(last_year, 13) - 1)
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
