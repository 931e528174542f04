"""A column of days and times: numbers whose groups are covered by units of the calendar (spec 8.1).

Everything else, distances and losses in days among it, is as for numbers. It knows no texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ontomask.arrays import Float64, Int32
from ontomask.attributes._calendar import units_of
from ontomask.attributes.numeric import Numeric


@dataclass(frozen=True, eq=False)
class Dates(Numeric):
    """Days by their number (`datetime.date.toordinal`); ranges are whole units of the calendar.

    Of `per_day` moments that a day has; a time is the fraction of the day that is over.
    """

    per_day: int = 1

    def rounded(self, numbers: Float64) -> Float64:
        """To the nearest moment."""
        return np.round(numbers * self.per_day) / self.per_day

    def covering(self, low: Float64, high: Float64) -> tuple[Self, Int32]:
        """The attribute with the smallest unit around each range among its replacements, and which each is.

        Of day, week, month, quarter, year, decade and range of years the first that holds both ends. Its
        NCP is ``(last moment - first moment) / (range of the column)``, at most 1.

        >>> from datetime import date
        >>> days = np.array([date(2024, 3, 4).toordinal(), date(2024, 3, 28).toordinal()], np.float64)
        >>> wider, found = Dates.of("admitted", days, np.array([1, 1])).covering(days[:1], days[1:])
        >>> [date.fromordinal(int(day)).isoformat() for day in wider.ranges[0]]
        ['2024-03-01', '2024-03-31']
        """
        return super().covering(*units_of(low, high, self.per_day))
