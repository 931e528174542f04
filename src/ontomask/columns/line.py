"""What columns of numbers, of ordered categories and of days have in common: values on a line.

What is written for a number, and for a range of them, each kind says itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Numeric
from ontomask.attributes.numeric import Middle
from ontomask.columns.base import SUPPRESSED_TEXTS, Column, most_frequent_text, text_ranks
from ontomask.errors import OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.plan import AttributePlan, Plan
from ontomask.printable import shortened

_EVERYTHING = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False, kw_only=True)
class LineColumn(Column):
    """Values that are numbers to methods."""

    attribute: Numeric
    na_values: frozenset[str] = frozenset()
    """Texts that mean no value, and must not be written for a number."""
    everything: str
    """What is written for a range of all numbers, and none."""
    neither: ClassVar[str]
    """What a masked text is that cannot be read."""

    @abstractmethod
    def text_of(self, number: float) -> str:
        """What is written for a number."""

    @abstractmethod
    def range_text(self, low: float, high: float) -> str:
        """What is written for a range."""

    @abstractmethod
    def number_of(self, text: str) -> float | None:
        """The number that a masked text is, if it is one."""

    @abstractmethod
    def range_ends(self, text: str) -> tuple[float, float] | None:
        """The ends of the range that a masked text is, if it is one."""

    @property
    def marks(self) -> list[float]:
        """The numbers that mean no value."""
        return [number for mark in self.na_values if (number := self.number_of(mark)) is not None]

    def texts(self, attribute: Attribute) -> list[str | None]:
        own = cast(Numeric, attribute)
        ranges = [
            self.everything if ends == _EVERYTHING else self.range_text(*ends)
            for ends in map(tuple, own.ranges.tolist())
        ]
        numbers = own.replacements[len(ranges) :].tolist()
        return [*ranges, *(None if np.isnan(x) else self.text_of(x) for x in numbers)]

    def released_as(self, attribute: Attribute) -> Int32:
        """A number that a method computed and that means no value (99) gives way to the one nearest to it.

        In a typed column it has no other spelling. A number of the table was spelt so that it is a value.
        What the plan cuts off or rounds away is never the nearest.
        """
        own = cast(Numeric, attribute)
        kept = super().released_as(own)
        is_mark = np.isin(own.replacements, self.marks)
        is_mark[own.own[np.unique(self.code_of_text)]] = is_mark[: len(own.ranges)] = False
        may_stand = ~is_mark & ~np.isnan(own.replacements)
        may_stand[: len(own.ranges)] = False
        if self.coded is not None:
            may_stand[own.own[self.coded != np.arange(own.size)]] = False
        others = np.flatnonzero(may_stand)
        for r in np.flatnonzero(is_mark).tolist():
            kept[r] = others[np.abs(own.replacements[others] - own.replacements[r]).argmin()]
        return kept

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As numbers and, if the column is truthful, as ranges; else as their middles."""
        low, high = np.array([self.ends_of(text) for text in texts], np.float64).reshape(-1, 2).T
        if self.attribute.is_truthful:
            return self.attribute.covering(low, high)
        numbers = (low + high) / 2
        extended = self.attribute.including(numbers)
        return extended, extended.replacement_of(numbers)

    def ends_of(self, text: str | None) -> tuple[float, float]:
        """The least and the greatest number that a masked text may be; NaN for no value."""
        if self.attribute.is_truthful and text in (self.everything, EVERYTHING):
            return _EVERYTHING
        if text is None or text in SUPPRESSED_TEXTS:
            return np.nan, np.nan
        if (number := self.number_of(text)) is not None:
            return number, number
        ends = self.range_ends(text)
        if ends is None:
            short = shortened(text)
            raise OntomaskError(
                f"{short!r} of the masked table is {self.neither}", column=self.name, value=short
            )
        return min(ends), max(ends)


def line_parts(
    name: str,
    texts: Sequence[str | None],
    numbers: Float64,
    counts: Int64,
    plan: Plan,
    settings: AttributePlan,
    middle: Middle,
    decimals: int | None = None,
    seen: Float64 | None = None,
    of: type[Numeric] = Numeric,
) -> dict[str, Any]:
    """What a column is made of whose texts are these numbers, and are `seen` by methods as others."""
    both = numbers if seen is None else np.concatenate([numbers, seen])
    distinct, places = np.unique(both + 0.0, return_inverse=True)  # ascending, one NaN last, no -0
    codes, coded = places[: len(numbers)], None
    if len(places) > len(codes) and (codes != places[len(codes) :]).any():
        coded = np.arange(len(distinct), dtype=np.int32)
        coded[codes] = places[len(codes) :]
    labels = most_frequent_text(codes.tolist(), texts, counts)
    attribute = of.of(
        name,
        distinct,
        np.bincount(codes, counts, minlength=len(distinct)).astype(np.int64),
        weight=settings.weight,
        scale=plan.method.scale or ("zscore" if plan.is_all_numeric else "range"),
        middle=middle,
        decimals=decimals,
        step=settings.round,
    )
    return {
        "attribute": attribute,
        "code_of_text": codes.astype(np.int32),
        "ranks": text_ranks(
            [
                labels[code] if code in labels else plain_text(number, decimals or 0)
                for code, number in enumerate(distinct.tolist())
            ]
        ),
        "coded": coded,
    }


def plain_text(number: float, decimals: int) -> str:
    """A number without needless zeros or exponent."""
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def how_many(rows: int, least: int) -> str:
    """A number of rows, not exactly where that is a few people."""
    return f"fewer than {least} rows" if 0 < rows < least else f"{rows:,} rows" if rows else "no row"
