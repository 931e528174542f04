"""Which columns of a table determine others, as an age does an age group and a date of birth a year.

In a small or lopsided table that happens by chance; only what chance hardly explains counts. Knows counts of
distinct tuples and how texts can be sorted, nothing of what columns are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import lgamma, log
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.tables.order import as_numbers, log_orders
from ontomask.tables.table import DistinctTuples, Table

MOST_ROWS = 1_000_000
"""Of a larger table nothing is said: all columns have to be counted together."""
MOST_VALUES = 200_000
"""Nor of a column with more different values: an engine would have to send them all."""
_ONE_IN = 100_000.0  # tables without any such columns in which chance may still show some
_SAMPLE = 1000  # rows that refute nearly all pairs


class Determination(NamedTuple):
    """Whoever knows the value of column `by` knows that of column `of`."""

    by: str
    of: str


def determinations(
    table: Table, columns: Sequence[str], beside: Sequence[str] | None = None
) -> list[Determination]:
    """Which of some columns determine which others, or which of those `beside` them, and the other way round.

    >>> import pyarrow as pa
    >>> from ontomask.tables import open_table
    >>> ages = {"age": [31, 38, 52, 57] * 20, "decade": [30, 30, 50, 50] * 20, "sex": [*"mmmff"] * 16}
    >>> determinations(open_table(pa.table(ages)), ["age", "decade", "sex"])
    [Determination(by='age', of='decade')]
    """
    if table.n_rows > MOST_ROWS:
        return []
    others = columns if beside is None else beside
    asked = [*dict.fromkeys([*columns, *others])]
    many = {name for name, n in table.n_distinct_of(asked).items() if n > MOST_VALUES}
    asked = [name for name in asked if name not in many]
    sizes = {n: sum(text is not None for text in texts) for n, (texts, _) in table.distinct_of(asked).items()}
    either_way = {*product(columns, others), *product(others, columns)}
    pairs = [(by, of) for by, of in product(asked, asked) if (by, of) in either_way and by != of]
    pairs = [(by, of) for by, of in pairs if sizes[by] >= sizes[of] > 1]
    if not pairs:
        return []
    found = table.tuples([name for name in asked if sizes[name] > 1])
    all_rows = _columns(found)
    some = np.unique(np.linspace(0, len(found) - 1, _SAMPLE).astype(np.int64))
    sample = {name: column.of_rows(some) for name, column in all_rows.items()}
    enough = log(_ONE_IN * len(pairs))
    return [
        Determination(by, of)
        for by, of in pairs
        if _may_determine(sample[by], sample[of], enough - all_rows[by].most_by_repeats(all_rows[of]))
        and surprise(all_rows[by], all_rows[of]) >= enough
    ]


@dataclass(frozen=True, eq=False)
class _Values:
    """The distinct values of a column, in the order of their texts."""

    texts: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def keys(self) -> list[Float64]:
        """What they can be sorted by: their texts, and the numbers or days that they are."""
        return [np.arange(len(self), dtype=np.float64), *as_numbers(self.texts)]


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of some distinct tuples: which value each has; a code beyond these where it is missing."""

    values: _Values
    codes: Int32
    counts: Int64

    @cached_property
    def rows(self) -> list[Int64]:
        """The rows that have a value, sorted in each way; equal texts stand together."""
        given = np.flatnonzero(self.codes < len(self.values))
        codes = self.codes[given]
        return [given[np.lexsort((codes, key[codes]))] for key in self.values.keys]

    def of_rows(self, rows: Int64) -> _Column:
        """The column of some of the tuples."""
        return _Column(self.values, self.codes[rows], self.counts[rows])

    def along(self, by: _Column) -> Iterator[tuple[Int32, Int32]]:
        """In each order of another column its codes and these, where both have a value."""
        for rows in by.rows:
            known = rows[self.codes[rows] < len(self.values)]
            yield by.codes[known], self.codes[known]

    @cached_property
    def n_repeated(self) -> int:
        """Rows whose value another row before them has."""
        given = self.codes < len(self.values)
        return int(self.counts[given].sum()) - len(np.unique(self.codes[given]))

    @cached_property
    def largest_share(self) -> float:
        """Of the rows that have a value, how many have the most frequent one."""
        rows = np.bincount(self.codes, self.counts, len(self.values))[: len(self.values)]
        return float(rows.max(initial=0.0) / max(rows.sum(), 1))

    def most_by_repeats(self, of: _Column) -> float:
        """The surprise that repeated values give, or somewhat more where values are missing."""
        return -self.n_repeated * log(max(of.largest_share, 1e-9))


def _columns(found: DistinctTuples) -> dict[str, _Column]:
    values = [_Values([text for text in texts if text is not None]) for texts in found.values]
    codes = np.ascontiguousarray(found.codes.T)
    return {name: _Column(values[j], codes[j], found.counts) for j, name in enumerate(found.columns)}


def _may_determine(by: _Column, of: _Column, lacking: float) -> bool:
    """Whether rows do not refute it; where repeated values lack surprise, an order has to show it."""
    orders = of.along(by)
    a, b = next(orders)
    if not _is_function(a, b):
        return False
    return lacking <= 0 or _is_on_intervals(b) or any(_is_on_intervals(b) for _, b in orders)


def surprise(by: _Column, of: _Column) -> float:
    """How little chance explains that `by` determines `of`, as -log of the probability; 0 if it does not.

    Rows without a value in either are not looked at. If n rows have q values of `by`, and the most frequent
    value of `of` a share p of them, n - q rows repeat what stood beside their value before, which has at
    most the probability ``p^(n - q)``. If the q values, once sorted, fall into one interval for each of the r
    values of `of`, which have q_1, ..., q_r of them, so do ``r!`` of ``q! / (q_1! ... q_r!)`` orders; two of
    them, if the values of `of` are themselves sorted.
    """
    by_order, n_values = 0.0, 0
    for a, b in of.along(by):
        if not _is_function(a, b):
            return 0.0
        values = b[_is_new(a)]
        n_values, counts = len(values), np.bincount(values)
        if n_values and _is_on_intervals(b):
            as_good = (
                log(2)
                if any(_is_monotone(key[values]) for key in of.values.keys)
                else lgamma(np.count_nonzero(counts) + 1)
            )
            by_order = max(by_order, log_orders(counts) - as_good)
    rows = _rows_of_values(by, of)
    n = int(rows.sum())
    return by_order - (n - n_values) * log(rows.max() / n) if n else 0.0


def _rows_of_values(by: _Column, of: _Column) -> Int64:
    """How many rows have each value of `of`, where `by` is known."""
    known = (by.codes < len(by.values)) & (of.codes < len(of.values))
    return np.bincount(of.codes[known], of.counts[known], len(of.values)).astype(np.int64)


def _is_new(codes: Int32) -> np.ndarray:
    return np.concatenate([[True], codes[1:] != codes[:-1]]) if len(codes) else np.zeros(0, bool)


def _is_function(a: Int32, b: Int32) -> bool:
    """Whether b changes only where the sorted a does."""
    return not ((b[1:] != b[:-1]) & (a[1:] == a[:-1])).any()


def _is_on_intervals(b: Int32) -> bool:
    """Whether each value of b stands in one run."""
    return bool(_is_new(b).sum() == len(np.unique(b)))


def _is_monotone(ranks: Float64) -> bool:
    steps = np.diff(ranks)
    return bool((steps >= 0).all() or (steps <= 0).all())
