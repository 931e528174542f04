"""From the texts of a column to an attribute of integers, and from replacements back to texts.

The last place that knows labels before masking, and the first that does after it. A kind of column is one
file and one line of `READERS`; sets of words are nominal columns that say what separates them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ontomask.arrays import Int32, Int64, distinct_rows
from ontomask.attributes import Cells, Domain, Tuples
from ontomask.columns.base import Column
from ontomask.columns.dates import read_dates
from ontomask.columns.hierarchies import with_hierarchy
from ontomask.columns.numbers import UNKNOWN, Spelling, read_numbers, read_ranks
from ontomask.columns.sets import read_sets
from ontomask.columns.words import read_words
from ontomask.errors import OntomaskError
from ontomask.plan import AttributePlan, Plan

__all__ = ["Column", "climbs", "coded_tuples", "read_column", "tuples_of"]

READERS: dict[str, Callable[[str, Sequence[str | None], Int64, Plan, AttributePlan], Column]] = {
    "nominal": read_words,
    "numeric": read_numbers,
    "ordinal": read_ranks,
    "date": read_dates,
}


def read_column(
    name: str,
    texts: Sequence[str | None],
    counts: Int64,
    plan: Plan,
    *,
    is_masked: bool = True,
    spelling: Spelling = UNKNOWN,
) -> Column:
    """Make a column of its distinct texts (None: missing), which occur `counts` times each.

    One that is not masked needs no hierarchy; `spelling` is of numbers.
    """
    if all(text is None for text in texts):
        raise OntomaskError(
            "has no value at all",
            column=name,
            remedy="give it `role: other`, or check `na_values` of the plan",
        )
    if None in texts and plan.missing == "error":
        raise OntomaskError(
            f"has {int(counts[list(texts).index(None)]):,} missing values and the plan says `missing: error`",
            column=name,
            remedy="use own-class or suppress-row, or fill them",
        )
    settings = plan.attributes[name]
    readers = READERS | {"numeric": partial(read_numbers, spelling=spelling)}
    reader = readers[settings.kind] if settings.several is None else read_sets
    column = reader(name, texts, counts, plan, settings)
    if not is_masked:
        return column
    if plan.is_truthful(name):
        column = replace(column, attribute=replace(column.attribute, is_truthful=True))
    if settings.hierarchy is None and not climbs(plan, settings):
        return column
    return with_hierarchy(column, texts, counts, plan, settings)


def climbs(plan: Plan, settings: AttributePlan) -> bool:
    """Whether the method needs a hierarchy over a column for which the plan gives none.

    Ranges that a method makes as it goes know no limit: numbers that have one are given a hierarchy.
    """
    method = plan.method.own
    is_split = method.splits_numbers and settings.kind == "numeric" and np.isinf(settings.limit)
    return method.has_hierarchies and not is_split


def tuples_of(
    columns: Sequence[Column], codes: Int32, counts: Int64, domains: Sequence[Domain] = ()
) -> tuple[Tuples, Int32]:
    """The distinct tuples of codes, ordered by their labels, and the cell of each given tuple.

    Texts of one concept have become one value, so tuples may have merged. Codes beyond those of the columns
    are of further columns, with these domains, and make the cells of the tuples.
    """
    m = len(columns)
    own = np.stack([c.code_of_text[codes[:, j]] for j, c in enumerate(columns)], axis=1)
    first, merged = distinct_rows([c.ranks[own[:, j]] for j, c in enumerate(columns)])
    totals = np.bincount(merged, counts).astype(np.int64)
    found, cell_of_given, cells = own[first].astype(np.int32), merged, None
    if codes.shape[1] > m:
        of_cell, cell_of_given = distinct_rows([merged, *codes[:, m:].T])
        in_cell = np.bincount(cell_of_given, counts).astype(np.int64)
        further = codes[of_cell, m:].astype(np.int32)
        cells = Cells(merged[of_cell].astype(np.int32), further, in_cell, tuple(domains))
    return Tuples(found, totals, cells), cell_of_given.astype(np.int32)


def coded_tuples(columns: Sequence[Column], tuples: Tuples) -> tuple[Tuples, Int32]:
    """The tuples as methods see them, and the given cell that each of their cells is.

    Tuples that differ only in what the plan cuts off or rounds away are one; what was given is their cells.
    """
    if all(column.coded is None for column in columns):
        return tuples, np.arange(len(tuples.tuple_of_cell), dtype=np.int32)
    codes = np.stack([c.codes_seen(tuples.codes[:, j]) for j, c in enumerate(columns)], axis=1)
    first, merged = distinct_rows([c.ranks[codes[:, j]] for j, c in enumerate(columns)])
    given = tuples.cells or Cells(tuples.tuple_of_cell, np.zeros((len(tuples), 0), np.int32), tuples.counts)
    of_cell = merged[given.tuples].astype(np.int32)
    order = np.argsort(of_cell, kind="stable").astype(np.int32)
    cells = replace(given, tuples=of_cell[order], values=given.values[order], counts=given.counts[order])
    return Tuples(codes[first], np.bincount(merged, tuples.counts).astype(np.int64), cells), order
