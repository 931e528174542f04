"""Lists of integers in two flat arrays, and lists of strings in one blob.

Every table of an ontology (parents, children, ancestors, senses of a term) is a `Csr`; every column of
words (ids, labels, glosses) is a `Texts`. Both load from disk without touching their items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Int32, Int64


@dataclass(frozen=True, eq=False)
class Csr:
    """Row i is `values[starts[i]:starts[i + 1]]`.

    >>> rows = Csr.from_pairs([0, 2, 2], [7, 5, 6], n_rows=3)
    >>> [row.tolist() for row in rows]
    [[7], [], [5, 6]]
    """

    starts: Int64
    values: Int32

    @classmethod
    def from_pairs(cls, rows: npt.ArrayLike, values: npt.ArrayLike, n_rows: int) -> Csr:
        """Group `values` by row; within a row the given order is kept."""
        row_array = np.asarray(rows, np.int64)
        order = np.argsort(row_array, kind="stable")
        starts = np.zeros(n_rows + 1, np.int64)
        np.cumsum(np.bincount(row_array, minlength=n_rows), out=starts[1:])
        return cls(starts, np.asarray(values, np.int32)[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> Int32:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def __iter__(self) -> Iterator[Int32]:
        return (self[row] for row in range(len(self)))

    @cached_property
    def counts(self) -> Int64:
        """Length of each row."""
        return np.diff(self.starts)

    @property
    def row_of_value(self) -> Int64:
        """The row that each item of `values` belongs to."""
        return np.repeat(np.arange(len(self)), self.counts)

    def take(self, rows: npt.ArrayLike) -> Csr:
        """The given rows, in the given order, as a table of their own."""
        chosen = np.asarray(rows, np.int64)
        return Csr(starts_of(self.counts[chosen]), self.values[self.positions(chosen)])

    def positions(self, rows: npt.ArrayLike) -> Int64:
        """Where the items of the given rows stand in `values`, row after row."""
        chosen = np.asarray(rows, np.int64)
        counts = self.counts[chosen]
        ends = np.cumsum(counts)
        shift = np.repeat(self.starts[chosen] - (ends - counts), counts)
        places: Int64 = np.arange(ends[-1] if len(ends) else 0) + shift
        return places

    def transposed(self, n_rows: int) -> Csr:
        """The table read the other way: row v lists the rows that held v, ascending."""
        return Csr.from_pairs(self.values, self.row_of_value, n_rows)


def starts_of(counts: npt.NDArray[np.integer]) -> Int64:
    """Row starts of a table whose rows have these lengths."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


class Texts(Sequence[str]):
    """A frozen list of one-line strings, decoded when first read.

    >>> Texts.of(["ache", "pain"]).blob()
    b'ache\\npain'
    >>> Texts(lambda: b"ache\\npain", 2)[1]
    'pain'
    """

    def __init__(self, blob: Callable[[], bytes], length: int) -> None:
        self.blob = blob
        self._length = length

    @classmethod
    def of(cls, items: Iterable[str]) -> Texts:
        """Store `items`; line breaks inside one become spaces."""
        lines = [" ".join(item.splitlines()) if "\n" in item or "\r" in item else item for item in items]
        return cls.of_blob("\n".join(lines).encode(), len(lines))

    @classmethod
    def of_blob(cls, blob: bytes, length: int) -> Texts:
        """So many strings, a line each."""
        return cls(lambda: blob, length)

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process: it has no file to read them from when they are wanted."""
        return Texts.of_blob, (self.blob(), self._length)

    @cached_property
    def items(self) -> list[str]:
        """All strings."""
        return self.blob().decode().split("\n") if self._length else []

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self.items[index]
