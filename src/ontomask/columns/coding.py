"""Numbers of a column that is released as it is, cut off or rounded: `top`, `bottom` and `round` of a plan.

Who knows a number exactly finds its row (spec 8.4); of rounded ones more people have the same. Knows texts
and counts, no tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ontomask.arrays import Int64
from ontomask.columns import read_column
from ontomask.columns.further import lenient
from ontomask.columns.numbers import NumberColumn, Spelling
from ontomask.plan import Plan


def coded_texts(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, spelling: Spelling
) -> tuple[dict[str, str], str]:
    """What is written for each text of a column, and what became of the numbers, in words.

    A number that is within the limits, and a multiple already, keeps its text.

    >>> import numpy as np
    >>> from ontomask.columns.numbers import UNKNOWN
    >>> pay = {"role": "confidential", "kind": "numeric", "top": 90, "round": 5}
    >>> plan = Plan.from_options(["age:numeric"], k=2).replace(attributes={"pay": pay})
    >>> coded_texts("pay", ["40.0", "41", "97"], np.array([5, 5, 5]), plan, UNKNOWN)[0]
    {'40.0': '40.0', '41': '40', '97': '90'}
    """
    read = read_column(name, texts, counts, lenient(plan), is_masked=False, spelling=spelling)
    column = cast(NumberColumn, read)
    assert column.attribute.line is not None
    numbers = column.attribute.line.numbers
    became = {}
    for text, code in zip(texts, column.code_of_text.tolist(), strict=True):
        if text is not None:
            coded = code if column.coded is None else int(column.coded[code])
            is_kept = coded == code and column.number_of(text) is not None
            became[text] = text if is_kept else column.text_of(float(numbers[coded]))
    return became, f"column {name!r}: {column.note}"
