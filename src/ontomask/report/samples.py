"""A few rows of a table beside what they become.

The rule is that of `changes`, taken over a row: what is told of it, before and after together, at least k
people share. A row is told from its most frequent value on, as long as that holds. So of what is told of a
row under two releases one is part of the other, and who looks at both learns no more than from one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ontomask.arrays import Int64, Integers
from ontomask.report.changes import SUPPRESSED_TEXT, Changes

if TYPE_CHECKING:
    from ontomask.release import Release

HOW_MANY = 10


@dataclass(frozen=True)
class Cell:
    """What a cell was and became; `is_told`: whether enough rows share that and what is told beside it."""

    before: str
    after: str
    is_told: bool

    @property
    def is_change(self) -> bool:
        return self.before != self.after


def sample_rows(release: Release, most: int = HOW_MANY) -> list[tuple[Cell, ...]]:
    """Rows from frequent to rare, each with a cell for every masked column.

    >>> import pyarrow as pa, ontomask as om
    >>> people = pa.table({"age": [20, 20, 20, 31, 33], "job": ["nurse", "nurse", "nurse", "cook", "nurse"]})
    >>> release = om.anonymize(people, om.Plan.from_options(["age:numeric", "job:wordnet"], k=2))
    >>> for row in sample_rows(release, 3):
    ...     print(*(f"{cell.before} -> {cell.after}" if cell.is_told else "(rare)" for cell in row))
    20 -> 20 nurse -> nurse
    (rare) nurse -> nurse
    """
    columns = [Changes.of(release, j) for j in range(len(release.columns))]
    masking, least = release.masking, release.least_rows_told
    codes = release.tuples.codes[release.tuples.tuple_of_cell[masking.cells]]
    kept = masking.groups >= 0
    became = np.where(kept[:, None], masking.values[np.where(kept, masking.groups, 0)], -1)
    return [
        _row(columns, codes, became, masking.counts, entry, least)
        for entry in _spread(
            release.tuples.counts, release.tuples.tuple_of_cell[masking.cells], masking.counts, most
        )
    ]


def _spread(tuple_counts: Int64, tuples: Integers, counts: Int64, most: int) -> list[int]:
    """Entries of the tuples that stand at equal steps among all rows, frequent tuples first."""
    order = np.argsort(-tuple_counts, kind="stable")
    reached = np.cumsum(tuple_counts[order])
    steps = (np.arange(most) + 0.5) / most * reached[-1]
    chosen = dict.fromkeys(order[np.searchsorted(reached, steps)].tolist())
    found = []
    for one in chosen:
        entries = np.flatnonzero(tuples == one)
        found.append(int(entries[np.argmax(counts[entries])]))
    return found


def _row(
    columns: Sequence[Changes], codes: Integers, became: Integers, counts: Int64, entry: int, least: int
) -> tuple[Cell, ...]:
    own, now = codes[entry], became[entry]
    by_frequency = sorted(range(len(columns)), key=lambda j: -int(columns[j].before_counts[own[j]]))
    shared, told = np.ones(len(counts), bool), set[int]()
    for j in by_frequency:
        shared &= (codes[:, j] == own[j]) & (became[:, j] == now[j])
        if counts[shared].sum() < least:
            break
        told.add(j)
    return tuple(
        Cell(
            column.before_texts[own[j]],
            SUPPRESSED_TEXT if now[j] < 0 else column.after_texts[now[j]],
            j in told,
        )
        for j, column in enumerate(columns)
    )
