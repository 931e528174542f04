"""A few rows of a table beside what they become.

The rule is that of `changes`, taken over a row: what is told of it, before and after together, at least k
people share. A row is told from its most frequent value on, as long as that holds. So of what is told of a
row under two releases one is part of the other, and who looks at both learns no more than from one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.report.changes import SUPPRESSED_TEXT, Changes

if TYPE_CHECKING:
    from ontomask.release import Release

HOW_MANY = 10
_NOT_ALONE = 2  # what one row alone has is never told
_LOOKED_AT = 100  # rows among which those are chosen of which most can be told


class Cell(NamedTuple):
    """What a cell was and what it became, and how many rows share that and all that is told before it."""

    before: str
    after: str
    rows: int = 0

    @property
    def is_change(self) -> bool:
        return self.before != self.after


Row = tuple[Cell | None, ...]
"""A cell for each masked column; None where it is not told."""


def sample_rows(
    release: Release, internal: bool = False, most: int = HOW_MANY, least: int = _NOT_ALONE
) -> list[Row]:
    """Rows from frequent to rare; unless all is told, those of which most can be.

    What fewer rows share than a report of the release tells is hidden, and what fewer than `least` share.

    >>> import pyarrow as pa, ontomask as om
    >>> people = pa.table({"age": [20, 20, 20, 31, 33], "job": ["nurse", "nurse", "nurse", "cook", "nurse"]})
    >>> release = om.anonymize(people, om.Plan.from_options(["age:numeric", "job:wordnet"], k=2))
    >>> for row in sample_rows(release):
    ...     print(*(f"{cell.before} -> {cell.after}" if cell else "(rare)" for cell in row))
    20 -> 20 nurse -> nurse
    (rare) nurse -> nurse
    """
    rows = _Rows.of(release, internal)
    if internal:
        return [rows.told(entry) for entry in rows.spread(most)]
    every = (rows.told(entry) for entry in rows.spread(_LOOKED_AT))
    return sorted(with_least(every, max(least, _NOT_ALONE)), key=_tells_little)[:most]


def with_least(rows: Iterable[Row], least: int) -> list[Row]:
    """The rows with only those cells that so many rows share, each once; a row of which nothing is left goes.

    >>> with_least([(Cell("20", "21", 9), Cell("nurse", "nurse", 4)), (Cell("30", "31", 3), None)], 5)
    [(Cell(before='20', after='21', rows=9), None)]
    """
    told: dict[tuple[object, ...], Row] = {}
    for row in rows:
        kept = tuple(cell if cell is not None and cell.rows >= least else None for cell in row)
        told.setdefault(tuple(cell and cell[:2] for cell in kept), kept)
    return [row for row in told.values() if any(row)]


def _tells_little(row: Row) -> int:
    """Less for a row of which more is told; a change tells twice as much."""
    return -sum(1 + cell.is_change for cell in row if cell is not None)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Entry e: `counts[e]` rows of tuple `tuples[e]` had `codes[e]` and have `became[e]` (-1: left out)."""

    columns: list[Changes]
    codes: Int32
    became: Int32
    counts: Int64
    tuples: Int32
    least: int

    @classmethod
    def of(cls, release: Release, internal: bool) -> _Rows:
        columns = [Changes.of(release, j, internal) for j in range(len(release.columns))]
        masking = release.masking
        tuples = release.tuples.tuple_of_cell[masking.cells]
        nothing = np.full((1, len(columns)), -1, np.int32)
        became = np.concatenate([masking.values, nothing])[masking.groups]  # the last is that of group -1
        return cls(columns, release.tuples.codes[tuples], became, masking.counts, tuples, columns[0].least)

    def spread(self, most: int) -> list[int]:
        """An entry of each of the tuples that stand at equal steps among all rows, frequent tuples first."""
        rows = np.bincount(self.tuples, self.counts)
        order = np.argsort(-rows, kind="stable")
        reached = np.cumsum(rows[order])
        steps = (np.arange(most) + 0.5) / most * reached[-1]
        chosen = dict.fromkeys(order[np.searchsorted(reached, steps)].tolist())
        usual = np.lexsort((-self.counts, self.tuples))  # of a tuple that was split, its largest part first
        return [int(usual[at]) for at in np.searchsorted(self.tuples[usual], list(chosen))]

    def told(self, entry: int) -> Row:
        """The cells of a row, most frequent value first, as long as enough rows share all of them."""
        own, now = self.codes[entry], self.became[entry]
        by_frequency = sorted(
            range(len(self.columns)), key=lambda j: -int(self.columns[j].before_counts[own[j]])
        )
        cells: list[Cell | None] = [None] * len(self.columns)
        shared = np.arange(len(self.counts))
        for j in by_frequency:
            shared = shared[(self.codes[shared, j] == own[j]) & (self.became[shared, j] == now[j])]
            rows = int(self.counts[shared].sum())
            if rows < self.least:
                break
            after = self.columns[j].after_texts[now[j]] if now[j] >= 0 else SUPPRESSED_TEXT
            cells[j] = Cell(self.columns[j].before_texts[own[j]], after, rows)
        return tuple(cells)
