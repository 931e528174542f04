"""Which columns of a table determine others, as an age does an age group.

In a small or lopsided table that happens by chance; only what chance hardly explains counts. Knows counts of
distinct tuples, nothing of what columns are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ontomask.tables.table import Distinct, DistinctTuples, Table

MOST_ROWS = 1_000_000
"""Of a larger table nothing is said: all columns have to be counted together."""
_ENOUGH = 10.0


class Determination(NamedTuple):
    """Whoever knows the value of column `by` knows that of column `of`."""

    by: str
    of: str


def determinations(table: Table, columns: Sequence[str]) -> list[Determination]:
    """Which of some columns determine which others, leaving out those that nearly tell rows apart.

    >>> import pyarrow as pa
    >>> from ontomask.tables import open_table
    >>> ages = {"age": [31, 38, 52, 57] * 20, "decade": [30, 30, 50, 50] * 20, "sex": [*"mmmff"] * 16}
    >>> determinations(open_table(pa.table(ages)), ["age", "decade", "sex"])
    [Determination(by='age', of='decade')]
    """
    if table.n_rows > MOST_ROWS:
        return []
    sizes = {name: _size(one) for name, one in table.distinct_of(columns).items()}
    kept = [name for name in columns if 1 < sizes[name] <= table.n_rows / 2]
    if len(kept) < 2:
        return []
    found = table.tuples(kept)
    return [
        Determination(by, of)
        for by in kept
        for of in kept
        if by != of and sizes[by] >= sizes[of] and determines(found, by, of)
    ]


def determines(found: DistinctTuples, by: str, of: str) -> bool:
    """Whether all rows with one value of `by` have one value of `of`, and not by chance.

    Rows without a value in either are not looked at. With n rows, q values of `by` and a share p of rows that
    have the most frequent value of `of`, some ``(n - q) (1 - p)`` rows would contradict it if the columns had
    nothing to do with each other; there must be ten.
    """
    j, i = found.columns.index(by), found.columns.index(of)
    a, b, counts = found.codes[:, j], found.codes[:, i], found.counts
    known = np.ones(len(found), bool)
    for column, codes in ((j, a), (i, b)):
        if None in found.values[column]:
            known &= codes != found.values[column].index(None)
    a, b, counts = a[known], b[known], counts[known]
    value_of = np.zeros(len(found.values[j]), np.int32)
    value_of[a] = b
    if (value_of[a] != b).any():
        return False
    n, rows = int(counts.sum()), np.bincount(b, counts)
    contradicting = (n - len(np.unique(a))) * (1 - rows.max(initial=0) / max(n, 1))
    return bool(contradicting >= _ENOUGH)


def _size(distinct: Distinct) -> int:
    return sum(text is not None for text in distinct[0])
