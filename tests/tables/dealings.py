"""Dealings made in tests: at random, by what a rule says of each distinct tuple, or row by row."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.tables import Dealing, ReleasedTable, Table, open_table
from ontomask.tables.arrow import ArrowTable, has_text
from ontomask.tables.memory import MemoryTable

Texts = tuple[str | None, ...]
New = Mapping[str, str | None] | None


def dealing_of(table: Table, columns: list[str], n_groups: int, seed: int, **how: Any) -> Dealing:
    """Tuples joined to cells at random, and the rows of each cell dealt to groups (-1 too) at random."""
    tuples = table.tuples(columns)
    chance = random.Random(seed)
    cells = np.array([chance.randrange(len(tuples)) for _ in range(len(tuples))], np.int32)
    _, cells = np.unique(cells, return_inverse=True)
    rows = np.bincount(cells, tuples.counts).astype(int)
    entries = Counter(
        (cell, chance.randrange(-1, n_groups)) for cell in range(len(rows)) for _ in range(rows[cell])
    )
    if all(group == -1 for _, group in entries):
        entries = Counter({(cell, 0): rows[cell] for cell in range(len(rows))})
    shuffled = chance.sample(list(entries), len(entries))
    members, groups = np.array(shuffled, np.int32).T
    counts = np.array([entries[entry] for entry in shuffled], np.int64)
    texts = {columns[0]: [f"group {g}" if g else None for g in range(n_groups)]}
    return Dealing(tuple(columns), cells.astype(np.int32), members, groups, counts, texts, seed=seed, **how)


def released_by(
    table: Table, columns: Sequence[str], rule: Callable[[Texts], New], drop: Collection[str] = (), **how: Any
) -> ReleasedTable:
    """Each distinct tuple is a cell and a group; the rule says what it becomes, None: suppressed."""
    tuples = table.tuples(columns)
    new = [rule(tuples.texts(i)) for i in range(len(tuples))]
    masked = next((list(one) for one in new if one), [])
    cells = np.arange(len(tuples), dtype=np.int32)
    dealing = Dealing(
        columns=tuple(columns),
        cells=cells,
        members=cells,
        groups=np.array([-1 if one is None else i for i, one in enumerate(new)], np.int32),
        counts=tuples.counts,
        texts={name: [one[name] if one else "never written" for one in new] for name in masked},
        **how,
    )
    return table.released(dealing, drop)


def released_by_row(
    table: Table,
    new: Mapping[str, Sequence[str | None]],
    drop: Collection[str] = (),
    keep: Sequence[bool] | None = None,
) -> ReleasedTable:
    """Row i gets the i-th of the new texts; rows must differ, or become the same."""
    assert isinstance(table, MemoryTable)
    names = [
        name for name in table.names if not isinstance(table, ArrowTable) or has_text(table.table[name].type)
    ]
    columns = table.texts_of_rows(names, np.arange(table.n_rows))
    missing = table.options.na_values
    rules: dict[Texts, New] = {}
    for at, row in enumerate(zip(*columns, strict=True)):
        texts = tuple(None if text is None or text.strip() in missing else text for text in row)
        becomes = None if keep is not None and not keep[at] else {name: new[name][at] for name in new}
        assert rules.setdefault(texts, becomes) == becomes, "equal rows that become different ones"
    return released_by(table, names, rules.__getitem__, drop)


def smallest_class(table: Any, columns: Sequence[str]) -> tuple[int, int]:
    """Number of classes (distinct tuples of `columns`) of a table or file, and the rows of the smallest."""
    opened = table if isinstance(table, Table) else open_table(table)
    tuples = opened.tuples(columns)
    return len(tuples), int(tuples.counts.min())
