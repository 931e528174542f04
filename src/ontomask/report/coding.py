"""What rounding and cutting off made of the numbers of a column that is released as it is.

All else in the report counts these as they are written, before and after alike. **Rule:** means are told only
if the rows that were cut off at an end, and those that were rounded, are none or as many as may be told of:
the difference is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontomask.arrays import Bool, Float64, Int64
from ontomask.columns.further import numbers_of_columns
from ontomask.columns.numbers import coded_numbers
from ontomask.distribution import enough
from ontomask.plan import AttributePlan
from ontomask.release import Release
from ontomask.report.words import figure, instead_in_words


def coded_text(release: Release, least: int) -> Iterator[str]:
    """Of each column whose numbers were rounded or cut off: mean and standard deviation, after and before.

    >>> import pyarrow as pa
    >>> import ontomask as om
    >>> people = pa.table({"age": [20, 21, 22, 23], "visits": [4, 8, 30, 50]})
    >>> plan = om.Plan.from_options(["age:numeric"], k=2)
    >>> visits = {"role": "confidential", "kind": "numeric", "top": 20}
    >>> print(*coded_text(om.anonymize(people, plan.replace(attributes={"visits": visits})), 2))
    “visits” (20 for what is above): the mean is 13 and was 23, the standard deviation is 7.14 and was 18.5.
    """
    settings = release.plan.attributes
    coded = [name for name in release.kept if name in settings and settings[name].is_coded]
    for name, number_of in numbers_of_columns(release.source, release.plan, coded).items():
        texts, counts = release.source.distinct(name)
        numbers = np.array([number_of[text] for text in texts])
        is_known = ~np.isnan(numbers)
        was, rows = numbers[is_known], counts[is_known]
        now = coded_numbers(was, settings[name])
        changed = [int(rows[one].sum()) for one in _changed(was, now, settings[name])]
        if any(changed) and enough(int(rows.sum()), changed, least):
            after, before = (map(figure, _mean_and_spread(numbers, rows)) for numbers in (now, was))
            moved = zip(("mean", "standard deviation"), after, before, strict=True)
            said = ", ".join(f"the {what} is {one} and was {other}" for what, one, other in moved)
            yield f"“{name}” ({instead_in_words(settings[name])}): {said}."


def _changed(was: Float64, now: Float64, settings: AttributePlan) -> tuple[Bool, Bool, Bool]:
    """Which numbers were cut off below, cut off above, and rounded."""
    is_below = was < (-np.inf if settings.bottom is None else settings.bottom)
    is_above = was > (np.inf if settings.top is None else settings.top)
    return is_below, is_above, (now != was) & ~is_below & ~is_above


def _mean_and_spread(numbers: Float64, rows: Int64) -> tuple[float, float]:
    mean = float(np.average(numbers, weights=rows))
    return mean, float(np.average((numbers - mean) ** 2, weights=rows)) ** 0.5
