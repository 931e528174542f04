"""LKC-privacy (Mohammed et al. 2009): an intruder who knows at most L values of a person.

For every set of at most L quasi-identifiers and every combination of values on it, at least K records have it
and no confidential value has a confidence above C among them. Sets of exactly min(L, m) attributes decide:
larger sets only split groups further, so both the smallest group and the highest confidence are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int32, Int64
from ontomask.errors import OntomaskError
from ontomask.privacy._known_values_kernels import Rows, fewest_records
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.requirement import SLACK, Blank, Classes, Requirement, number


@dataclass(frozen=True)
class KnownValues(Requirement):
    """Who knows L values of a person finds at least K rows, and no confidential value in more than C of them.

    Where a method takes equal values of a column alike (`on_sets`), every set of L columns is judged. Else
    whole classes are, which implies it whatever L is: a set of fewer columns has larger groups, and they are
    unions of classes. Joining two classes can make a group of a third smaller on some columns, so that for L
    alone there is nothing to join by.

    >>> KnownValues.parse({"L": 2, "K": 4, "C": 0.8})[0].asked
    4
    """

    key: ClassVar[str] = "lkc"
    attack: ClassVar[str] = "linking and sure inference by who knows a few values of a person"
    forms: ClassVar[Mapping[str, str]] = {
        "lkc: {L: 2, K: 4, C: 0.8}": "4 rows, and no value in more than 80 % of them, in every column of "
        "`role: confidential`; on every 2 columns with the method `top-down`, which promises no k then; with "
        "others in whole classes, which is stricter than any L",
        "lkc: {L: 2, K: 4}": "4 rows",
    }
    title: ClassVar[str] = "Who knows only a few values finds nobody"
    blanks: ClassVar[tuple[Blank, ...]] = (
        Blank("L", "How many values of a person somebody knows", "2"),
        Blank("K", "How many people they fit at least", "4"),
        Blank("C", "Share of these people that one confidential value may have at most", "0.8"),
    )
    L: int
    K: int
    C: float = 1.0
    columns: tuple[str, ...] = ()
    unit: str | None = None
    on_sets: bool = False

    @classmethod
    def parse(cls, value: Any) -> Sequence[Self]:
        if not isinstance(value, dict) or not {"L", "K"} <= value.keys() <= {"L", "K", "C"}:
            raise ValueError(
                f"must be an L, a K and perhaps a C, such as {{L: 2, K: 4, C: 0.8}}, not {value!r}"
            )
        known, least = (number(value[key], key, 1) for key in ("L", "K"))
        if known != int(known) or least != int(least):
            raise ValueError(f"L and K must be whole numbers, not {value!r}")
        surest = number(value.get("C", 1.0), "C", 0, 1)
        if surest == 0:
            raise ValueError("C must be above 0: some value is there, so none can have a share of 0")
        return (cls(int(known), int(least), surest),)

    def over(self, confidential: Sequence[str]) -> Iterator[Requirement]:
        yield replace(self, columns=tuple(confidential) if self.C < 1 else ())

    def on_sets_of(self, n_masked: int) -> Requirement:
        return replace(self, on_sets=n_masked > self.L)

    @property
    def name(self) -> str:
        return self.key  # it looks at all confidential columns

    @property
    def needs(self) -> tuple[str, ...]:
        return self.columns if self.unit is None else (*self.columns, self.unit)

    @property
    def least_size(self) -> int:
        return 1 if self.on_sets else self.K  # who knows all values may find one row

    @property
    def promises(self) -> str:
        if not self.on_sets:
            return ""
        known = "any value" if self.L == 1 else f"any {self.L} masked values"
        people = "people" if self.unit else "rows"
        sure = f", and no confidential value in more than {100 * self.C:g} % of them" if self.columns else ""
        return f"who knows {known} of a person finds at least {self.K:,} {people}{sure}"

    @property
    def is_counting(self) -> bool:
        return not self.columns

    @property
    def asked(self) -> float:
        return self.K

    def measured(self, classes: Classes) -> Float64:
        """The size of a class, in people if they have several rows; 0 if some value is too sure in it.

        On sets of columns, that of the smallest group that the class is in.
        """
        if self.on_sets and classes.values is not None:
            rows, depth = self._rows(classes, classes.values)
            return fewest_records(rows, depth, 0)[0].astype(np.float64)
        sizes = classes.sizes.astype(np.float64)
        if self.unit is not None:
            sizes = np.diff(classes.beside[self.unit].starts).astype(np.float64)
        for name in self.columns:
            spread = classes.beside[name]
            sizes[spread.most_of_class(spread.shares) > self.C + SLACK] = 0
        return sizes

    def reached(self, classes: Classes) -> float:
        worst = 0 if self.columns else 1
        if self.on_sets and classes.values is not None and len(classes.sizes):
            rows, depth = self._rows(classes, classes.values)
            if fewest_records(rows, depth, worst + 1)[1].tolist() != [-1]:
                return float(worst)  # of a table as it was that is found at once
        return super().reached(classes)

    def _rows(self, classes: Classes, values: Int32) -> tuple[Rows, int]:
        """The classes as rows, and how many columns a set has; a column of one value tells nobody apart."""
        beside = [BesideRows.of(classes.beside[name]) for name in self.needs]
        rows = rows_of(values.T, classes.sizes, beside, self.unit is not None, self.C)
        return rows, min(self.L, len(rows.widths))

    def why_impossible(self, whole: Classes) -> tuple[str, str]:
        surest = max((float(whole.beside[name].shares.max()) for name in self.columns), default=0.0)
        if surest <= self.C:
            return super().why_impossible(whole)
        share = np.ceil(surest * 10_000) / 10_000
        return (
            f"one value has a share of {surest:.4g} in the whole table",
            f"ask for a C of {share:g} or more",
        )

    def __str__(self) -> str:
        return f"L = {self.L}, K = {self.K}" + (f", C = {self.C:g}" if self.C < 1 else "")


class BesideRows(NamedTuple):
    """A further column: `counts[e]` records of row `row_of[e]` have value `values[e]`."""

    row_of: Int32
    values: Int32
    counts: Int64

    @classmethod
    def of(cls, spread: Confidential) -> BesideRows:
        """Of values that are spread over classes."""
        return cls(spread.class_of_entry.astype(np.int32), spread.values.astype(np.int32), spread.counts)


def rows_of(
    codes: npt.NDArray[np.integer],
    sizes: Int64,
    beside: Sequence[BesideRows] = (),
    counts_people: bool = False,
    most: float = 1.0,
    start: Int32 | None = None,
) -> Rows:
    """Rows for the compiled loop: `codes[a, i]` of row i in column a; columns of one value are left out."""
    told = [np.unique(column, return_inverse=True) for column in codes]
    kept = [which for values, which in told if len(values) > 1]
    n = len(sizes)
    parts = BesideRows(*(np.concatenate(part) for part in zip(_NOTHING, *beside, strict=True)))
    return Rows(
        codes=np.array(kept, np.int32).reshape(len(kept), n),
        widths=np.array([int(which.max()) + 1 for which in kept], np.int64),
        start=np.zeros(n, np.int32) if start is None else start,
        n_start=1 if start is None else int(start.max(initial=0)) + 1,
        sizes=sizes.astype(np.int64),
        first=np.cumsum([0, *(len(one.counts) for one in beside)]).astype(np.int64),
        row_of=parts.row_of,
        values=parts.values,
        counts=parts.counts,
        value_widths=np.array([int(one.values.max(initial=0)) + 1 for one in beside], np.int64),
        counts_people=counts_people,
        most=most + SLACK,
    )


_NOTHING = BesideRows(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))


@dataclass(frozen=True)
class Lkc:
    """The worst that an intruder with L values finds.

    `k` and `confidence` are the largest K and the smallest C that hold; the sets of attributes are where
    they are met. `confidence` is 0 without a confidential attribute.
    """

    k: int
    confidence: float
    k_at: tuple[int, ...]
    confidence_at: tuple[int, ...]

    def holds(self, k: int, c: float = 1.0) -> bool:
        """Whether the table is LKC-private for this K and C."""
        return self.k >= k and self.confidence <= c


def known_values_privacy(
    columns: Sequence[npt.NDArray[np.generic]],
    counts: Int64,
    l: int,  # noqa: E741 - the paper's name
    confidential: npt.NDArray[np.integer] | None = None,
) -> Lkc:
    """Check a released table given as entries: `columns[j][e]`, its confidential code, its count.

    >>> sex, job = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0])
    >>> known_values_privacy([sex, job], np.ones(4, int), l=1, confidential=np.array([0, 0, 0, 1]))
    Lkc(k=1, confidence=1.0, k_at=(1,), confidence_at=(0,))
    """
    if l < 1:
        raise OntomaskError(f"L of LKC-privacy must be at least 1, not {l}")
    codes = [np.unique(column, return_inverse=True)[1].astype(np.int64) for column in columns]
    worst_k: tuple[int, tuple[int, ...]] = (int(counts.sum()), ())
    worst_c: tuple[float, tuple[int, ...]] = (0.0, ())
    for chosen in combinations(range(len(codes)), min(l, len(codes))):
        groups = np.zeros(len(counts), np.int64)
        for j in chosen:
            groups = np.unique(groups * (codes[j].max(initial=0) + 1) + codes[j], return_inverse=True)[1]
        smallest = int(np.bincount(groups, counts).min()) if len(counts) else 0
        if smallest < worst_k[0] or not worst_k[1]:
            worst_k = smallest, chosen
        if confidential is not None and len(counts):
            highest = float(Confidential.of(groups, confidential, counts).shares.max())
            if highest > worst_c[0]:
                worst_c = highest, chosen
    return Lkc(worst_k[0], worst_c[0], worst_k[1], worst_c[1])
