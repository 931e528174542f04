"""Columns as integers: distinct texts numbered in code point order, missing values settled, tuples counted.

Used by every engine: on all rows of a table in memory, on the distinct tuples that a database counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.tables.table import Distinct, DistinctTuples

_PACKED = 2**62
MARKS = frozenset(
    (
        *("na", "n/a", "#n/a", "nan", "null", "nil", "k.a.", "n/d", "#n/d", "#nd", "s/d", "n/c", "#nv"),
        *("ns/nc", "ns/nr", "n.v.t.", "n.s./n.c."),
    )
)
"""What programs and people write for no value, in several languages, that is no word of any."""
MARKS_AMONG_NUMBERS = frozenset(
    (
        *("n.a.", "n.d.", "n.b.", "n.s.", "n.c.", "n.r.", "n.v.", "s.d."),
        *("k/a", "ka", "nd", "sd", "nc", "ns", "nr"),
    )
)
"""The same where it means no value among numbers and dates only: ND is a state as well."""
_AROUND_MARKS = " .#<>()[]"
_BARE_MARKS = frozenset(mark.strip(_AROUND_MARKS) for mark in MARKS | MARKS_AMONG_NUMBERS)


class RawColumn(NamedTuple):
    """A column as stored: `texts[codes[row]]`. Texts may repeat (`"a"` and `a`); None is a stored null."""

    codes: Int32
    texts: list[str | None]
    quoted: Bool | None = None


class Writing(NamedTuple):
    """How a column writes its values: what None is written as, and what stands in quotes."""

    missing: str | None = None
    quoted: bool = False
    missing_quoted: bool = False


_PLAIN = Writing()


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column with missing values settled: `values[codes[row]]`."""

    codes: Int32
    values: list[str | None]
    writing: Writing = _PLAIN

    def counted(self, weights: Int64 | None = None) -> Distinct:
        """Distinct values and how many rows have each."""
        return [*self.values], np.bincount(self.codes, weights, len(self.values)).astype(np.int64)

    def of(self, rows: Bool | None) -> CodedColumn:
        """The column of some rows, without the values that none of them has."""
        codes = self.codes if rows is None else self.codes[rows]
        used = np.bincount(codes, minlength=len(self.values)) > 0
        if used.all():
            return CodedColumn(codes, self.values, self.writing)
        values = [value for value, there in zip(self.values, used.tolist(), strict=True) if there]
        return CodedColumn((np.cumsum(used, dtype=np.int32) - 1)[codes], values, self.writing)


def settled(raw: RawColumn, na_values: Sequence[str], weights: Int64 | None = None) -> CodedColumn:
    """Missing values as None, values in code point order, equal texts as one.

    `weights` are the rows that each entry of `raw.codes` stands for.
    """
    texts = raw.texts
    is_missing = np.array([is_missing_text(text, na_values) for text in texts], bool)
    order = sorted(np.flatnonzero(~is_missing).tolist(), key=lambda at: texts[at] or "")
    is_new = [i == 0 or texts[at] != texts[order[i - 1]] for i, at in enumerate(order)]
    values = [texts[at] for at, new in zip(order, is_new, strict=True) if new]
    renumbered = np.full(len(texts), len(values), np.int32)
    renumbered[order] = np.cumsum(is_new, dtype=np.int32) - 1
    # One form of "missing" per column: a mix of NA and ? would tell rows of one class apart.
    missing, missing_quoted = None, False
    if is_missing.any():
        values.append(None)
        counts = np.bincount(raw.codes, weights, len(texts))
        often = min(
            np.flatnonzero(is_missing), key=lambda at: (-counts[at], texts[at] is not None, texts[at] or "")
        )
        if is_mark(texts[often]):
            missing = texts[often]
            missing_quoted = raw.quoted is not None and bool(raw.quoted[often])
    # Quotes are a habit of the column or they follow the value, and must then go with it.
    quoted = raw.quoted is not None and not is_missing.all() and bool(raw.quoted[~is_missing].all())
    return CodedColumn(renumbered[raw.codes], values, Writing(missing, quoted, missing_quoted))


def is_mark(text: str | None) -> bool:
    """Whether a text that means no value may be written for it: neither a number nor a word of a language.

    >>> [is_mark(text) for text in ("", "?", "-", ".", "NA", "n/a", "#N/A", "NULL")]
    [True, True, True, True, True, True, True, True]
    >>> [is_mark(text) for text in ("k.A.", "N.S./N.C.", "#NV", "ka")]
    [True, True, True, True]
    >>> [is_mark(text) for text in ("99", "unknown", "none", "keine Angabe", "no")]
    [False, False, False, False, False]
    """
    if text is None or not any(map(str.isalnum, text)):
        return True
    return text.strip(_AROUND_MARKS).casefold() in _BARE_MARKS


def is_missing_text(text: str | None, na_values: Sequence[str]) -> bool:
    """Whether a stored text means that there is no value."""
    return text is None or text.strip() in na_values


def distinct_tuples(
    columns: Sequence[str], coded: Sequence[CodedColumn], n_rows: int, weights: Int64 | None = None
) -> tuple[DistinctTuples, Int32]:
    """Distinct tuples of coded columns, with counts, and which of them each row is.

    Values are numbered in text order, so a tuple packed into one integer (mixed radix) sorts as its texts do:
    one `unique` gives order, counts and the tuple of every row.
    """
    packed = np.zeros(n_rows, np.int64)
    bound = 1
    for column in coded:
        if bound * len(column.values) > _PACKED:
            seen, packed = np.unique(packed, return_inverse=True)
            bound = len(seen)
        packed = packed * len(column.values) + column.codes
        bound *= len(column.values)
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    counts = np.bincount(which, weights, len(first)).astype(np.int64)
    codes = np.empty((len(first), len(coded)), np.int32)
    for at, column in enumerate(coded):
        codes[:, at] = column.codes[first]
    tuples = DistinctTuples(tuple(columns), [[*column.values] for column in coded], codes, counts)
    return tuples, which.astype(np.int32)
