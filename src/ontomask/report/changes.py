"""What became of the values of a column, and how much of it may be told.

The one place where original values enter the report; `samples` takes its rule over whole rows. **Rule:** an
original value, a change or a range of numbers is told only if at least k people share it, unless the report
is for internal use. Where a person may have several rows, so many rows must share it that they are of k
people.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from ontomask.attributes import Attribute
from ontomask.attributes.base import Line
from ontomask.columns import Column
from ontomask.distribution import Distribution, quantile
from ontomask.hierarchies import EVERYTHING
from ontomask.report.charts import short

if TYPE_CHECKING:
    from ontomask.release import Release

MISSING = "(missing)"
SUPPRESSED_TEXT = "(suppressed)"


@dataclass(frozen=True)
class Change:
    """`count` people had `before` and now have `after`; `distance` is what that costs, 0..1 of the worst."""

    before: str
    after: str
    count: int
    distance: float
    concepts: tuple[int, int] = (-1, -1)

    @property
    def is_change(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class WorstHit:
    """A value whose people lost most on average, and what most of them have now, if that may be told."""

    value: str
    count: int
    mean_distance: float
    usual: Change | None


@dataclass(frozen=True)
class MixedLevels:
    """So many values of a column stayed in some rows and became something wider in others, of so many.

    `example` is one of them, if it may be told: of its rows `kept` say what they said, `wider` do not.
    """

    values: int
    of: int
    example: str | None = None
    kept: int = 0
    wider: int = 0


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of one column.

    Attributes
    ----------
    attribute
        The column's attribute with the replacements of the masking.
    codes, masked, counts
        Flow f: `counts[f]` people had code `codes[f]` and have replacement `masked[f]` (-1: suppressed).
    after_texts
        What is written for each replacement.
    least
        What fewer rows share is not told.
    """

    column: Column
    attribute: Attribute
    codes: Int32
    masked: Int32
    counts: Int64
    after_texts: list[str]
    least: int

    @classmethod
    def of(cls, release: Release, j: int, internal: bool = False) -> Changes:
        """Changes of the j-th quasi-identifier."""
        column, masking, tuples = release.columns[j], release.masking, release.tuples
        attribute = masking.attributes[j]
        of_entry = np.where(masking.groups < 0, -1, np.append(masking.values[:, j], -1)[masking.groups])
        codes = tuples.codes[tuples.tuple_of_cell[masking.cells], j]
        first, which = distinct_rows([codes, of_entry])
        counts = np.bincount(which, masking.counts).astype(np.int64)
        texts = [MISSING if text is None else text for text in column.texts(attribute)]
        least = 1 if internal else release.least_rows_told
        return cls(column, attribute, codes[first], of_entry[first], counts, texts, least)

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def n(self) -> int:
        """Number of people."""
        return int(self.counts.sum())

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, not categories."""
        return self.column.is_number

    @cached_property
    def before_texts(self) -> list[str]:
        """What stands for every code. Not to be shown unless enough people have it."""
        return [MISSING if label is None else label for label in self.column.labels]

    @cached_property
    def before_counts(self) -> Int64:
        """People who had each code."""
        return np.bincount(self.codes, self.counts, minlength=len(self.before_texts)).astype(np.int64)

    @cached_property
    def after_counts(self) -> Int64:
        """People who have each masked value."""
        kept = self.masked >= 0
        return np.bincount(self.masked[kept], self.counts[kept], minlength=len(self.after_texts)).astype(
            np.int64
        )

    @cached_property
    def distances(self) -> Float64:
        """What each flow costs, as a share of the greatest cost."""
        kept = self.masked >= 0
        cost = np.full(len(self.counts), self.attribute.maximum)
        cost[kept] = self.attribute.distance(self.codes[kept], self.masked[kept])
        return cost / (self.attribute.maximum or 1.0)

    # ------------------------------------------------------------------ how much was lost

    @property
    def kept_share(self) -> float:
        """Share of people whose value is what it was, in percent of those who had one."""
        had = self.counts[self._has_value].sum()
        return float(100 * self.counts[self._has_value & self._stays].sum() / had) if had else 100.0

    @property
    def mean_distance(self) -> float:
        """Mean cost, in percent of the greatest."""
        return float(100 * (self.counts @ self.distances) / self.n)

    def vanished(self) -> tuple[int, int]:
        """How many values nobody has any more, and of how many. It counts values, and names none."""
        had = np.unique(self.attribute.own[self.codes[self._has_value]])
        return len(had) - len(np.intersect1d(had, self.masked)), len(had)

    def values_left_out(self) -> int:
        """How many values nobody has any more, as everybody who had one was left out."""
        had, stayed = (
            np.unique(self.attribute.own[self.codes[some]])
            for some in (self._has_value, self._has_value & (self.masked >= 0))
        )
        return len(had) - len(stayed)

    def silenced(self) -> int:
        """How many people had a value, and have none, or what may be any value of the column, any more."""
        says_nothing = (self._concepts[self.masked] == 0) | self._is_anything[self.masked]
        says_nothing |= np.isin(self.masked, self._above_all)
        if self.attribute.ends is not None:
            says_nothing |= np.isinf(self.attribute.ends[0])[self.masked]
        if self.attribute.nothing >= 0:
            says_nothing |= self.masked == self.attribute.nothing
        return int(self.counts[self._has_value & ~self._stays & (self.masked >= 0) & says_nothing].sum())

    def written_for(self, concept: int) -> str:
        """What stands for a concept where it was not changed."""
        codes = np.flatnonzero(self._concepts[self.attribute.own] == concept)
        return self.before_texts[int(codes[0])]

    def not_above(self) -> tuple[int, Change | None]:
        """How many people have a word that the ontology does not have above theirs; and the change of most of
        them, if that may be told."""
        ontology = self.column.ontology
        if ontology is None:
            return 0, None
        before, after = self._concepts[self.attribute.own[self.codes]], self._concepts[self.masked]
        is_word = (self.masked >= 0) & ~self._is_anything[self.masked]
        found = np.flatnonzero(is_word & (before >= 0) & (after >= 0))
        found = found[ontology.lcs(before[found], after[found]) != after[found]]
        told = [self._change(int(f)) for f in found if self._may_be_told[f]]
        return int(self.counts[found].sum()), max(told, key=lambda one: one.count, default=None)

    @cached_property
    def _above_all(self) -> Int32:
        """The masked values that every value somebody had is, or lies below."""
        had = np.unique(self.attribute.own[self.codes[self._has_value]])
        found: Int32 = np.unique(self.masked[self.masked >= 0])
        found = found[self.attribute.covers(found, np.full(len(found), had[:1]))]  # few are above any one
        is_above = [bool(self.attribute.covers(np.full(len(had), one), had).all()) for one in found]
        above: Int32 = found[np.array(is_above, bool)]
        return above

    # ------------------------------------------------------------------ what may be told

    @property
    def _may_be_told(self) -> Bool:
        """Which changes may be told."""
        told: Bool = (self.counts >= self.least) & (self.before_counts[self.codes] >= self.least)
        return told

    def flows(self) -> list[Change]:
        """Changes that may be told, most people first."""
        found = [self._change(int(f)) for f in np.flatnonzero(self._may_be_told)]
        return sorted(found, key=lambda c: (-c.count, c.before, c.after))

    def changed(self) -> list[Change]:
        """The told changes that changed something."""
        return [change for change in self.flows() if change.is_change]

    def worst_hit(self, most: int = 5) -> list[WorstHit]:
        """Values, told ones only, that lost most on average."""
        total = np.bincount(self.codes, self.counts * self.distances, minlength=len(self.before_counts))
        mean = total / np.maximum(self.before_counts, 1)
        told = [int(c) for c in np.argsort(-mean, kind="stable") if self.before_counts[c] >= self.least]
        usual = {change.before: change for change in reversed(self.flows())}
        return [
            WorstHit(text, int(self.before_counts[c]), float(100 * mean[c]), usual.get(text))
            for c in told[:most]
            if mean[c] > 0
            for text in [self.before_texts[c]]
        ]

    def mixed_levels(self) -> MixedLevels | None:
        """Which values stand at several levels of a truthful release, so that their rows cannot be counted.

        None if there are none. Rows that were left out or blanked have no part in it. An example is told only
        if as many people as may be told of kept it, and as many did not.
        """
        moves = ~self._stays & (self.masked >= 0) & (self.masked != self.attribute.nothing)
        kept, wider = (
            np.bincount(self.codes[some], self.counts[some], len(self.before_texts)).astype(np.int64)
            for some in (self._stays, moves)
        )
        both = np.minimum(kept, wider)
        if 0 <= self.attribute.missing < len(both):
            both[self.attribute.missing] = 0
        if not both.any():
            return None
        n, of = int((both > 0).sum()), int((self.before_counts > 0).sum())
        most = int(both.argmax())
        if both[most] < self.least:
            return MixedLevels(n, of)
        return MixedLevels(n, of, self.before_texts[most], int(kept[most]), int(wider[most]))

    def top_values(self, most: int = 10, new: int = 4) -> list[tuple[str, int | None, int]]:
        """(value, people before, people after): the most frequent before, then the most frequent new ones.

        Before is None where too few people had the value for it to be told; it stands there because the
        release has it.
        """
        after = {t: n for t, n in zip(self.after_texts, self.after_counts.tolist(), strict=True) if n}
        before = dict(zip(self.before_texts, self.before_counts.tolist(), strict=True))
        told = sorted((-n, text) for text, n in before.items() if n >= self.least)[:most]
        listed = [text for _, text in told]
        others = sorted((-n, text) for text, n in after.items() if text not in listed)
        fresh = [(-n, text) for n, text in others if before.get(text, 0) < self.least][:new]
        rows: list[tuple[str, int | None, int]] = [
            (text, before[text], after.get(text, 0)) for text in listed
        ]
        return rows + [(text, None if before.get(text) else 0, n) for n, text in fresh]

    def thinned(self) -> tuple[int, int]:
        """How many values fewer than half as many people have as before, and of how many.

        Only values count that as many people had as may be told of. What is central to a group takes the
        place of what few in it have.
        """
        has = Counter[str]()
        for text, n in zip(self.after_texts, self.after_counts.tolist(), strict=True):
            has[text] += n
        had = zip(self.before_texts, self.before_counts.tolist(), strict=True)
        told = {text: n for text, n in had if n >= self.least}
        return sum(2 * has[text] < n for text, n in told.items()), len(told)

    def left_out(self, rows: Sequence[tuple[str, int | None, int]]) -> list[str]:
        """What a chart of `top_values` does not show: of how many values its rows are, in words.

        It counts values, and names none.
        """
        had = dict(zip(self.before_texts, self.before_counts.tolist(), strict=True))
        before = [text for text, n in had.items() if n]
        has = {text for text, n in zip(self.after_texts, self.after_counts.tolist(), strict=True) if n}
        after = [text for text in has if had.get(text, 0) < self.least]
        old = sum(bool(n) for _, n, _ in rows)
        new = len(rows) - old
        said = []
        if 0 < old < len(before):
            said.append(f"the {old:,} most frequent of {len(before):,} values before masking")
        if new < len(after):
            few = "nobody" if self.least == 1 else f"fewer than {self.least:,} people"
            said.append(f"the {new:,} most frequent of {len(after):,} in the release that {few} had before")
        return said

    def number_bins(self) -> tuple[list[str], list[int | None], list[int]]:
        """Of numbers: bins of round width, people before (None: too few to be told) and after."""
        before, after = self._line.numbers, self._line.replacements
        told = before[(self.before_counts >= self.least) & ~np.isnan(before)]
        shown = np.concatenate([told, after[(self.after_counts > 0) & ~np.isnan(after)]])
        if not len(shown):
            return [], [], []
        whole = bool((before[~np.isnan(before)] % 1 == 0).all())
        edges = np.array(bin_edges(float(shown.min()), float(shown.max()), whole))

        def counted(numbers: np.ndarray[Any, Any], people: Int64) -> list[int]:
            known = ~np.isnan(numbers)
            inside = np.histogram(numbers[known], edges, weights=people[known])[0]
            return [int(x) for x in inside]

        told_before = [n if n == 0 or n >= self.least else None for n in counted(before, self.before_counts)]
        names = [_range_name(a, b, whole) for a, b in pairwise(edges.tolist())]
        return names, told_before, counted(after, self.after_counts)

    def typical_move(self) -> tuple[float, float] | None:
        """Of numbers: by how much half of the people moved at most, and by how much 19 in 20 did.

        As with quantiles, each is the mean of the people around it, and not how far one of them moved.
        """
        before = self._line.numbers[self.codes]
        after = np.append(self._line.replacements, np.nan)[self.masked]
        moves = np.abs(before - after)
        half, most = (quantile(moves, self.counts, share, self.least) for share in (0.5, 0.95))
        return None if math.isnan(half) else (half, most)

    @cached_property
    def distributions(self) -> tuple[Distribution, Distribution]:
        """How values lie round their mean, before and after; what is told of it is up to who asks."""
        kept = self.masked >= 0
        released, _, codes = self.attribute.released(self.masked[kept])
        return (
            Distribution.of(self.attribute, self.codes, self.counts),
            Distribution.of(released, codes, self.counts[kept]),
        )

    def means(self) -> tuple[str | None, str | None]:
        """The words that are most central, before and after; None where that may not be told."""
        before, after = self.distributions
        has_one = before.n and before.counts[before.mean_code] >= self.least
        _, used, _ = self.attribute.released(self.masked[self.masked >= 0])
        return (
            self.before_texts[before.mean_code] if has_one else None,
            self.after_texts[used[after.mean_code]] if after.n else None,
        )

    @property
    def _line(self) -> Line:
        line = self.attribute.line
        assert line is not None
        return line

    @cached_property
    def _stays(self) -> Bool:
        """Whose values are what they were."""
        stays: Bool = self.masked == self.attribute.own[self.codes]
        return stays

    @cached_property
    def _has_value(self) -> Bool:
        """Who had a value."""
        had: Bool = self.codes != self.attribute.missing
        return had

    @property
    def may_be_anything(self) -> bool:
        """Whether `*` stands in the release, for any value of the column."""
        return bool((self._is_anything & (self.after_counts > 0)).any())

    @cached_property
    def _is_anything(self) -> Bool:
        """Which replacements may be any value of the column."""
        return np.array([text == EVERYTHING for text in self.after_texts], np.bool_)

    @cached_property
    def _concepts(self) -> Int32:
        """Concept of each replacement."""
        return self.column.concepts(self.attribute)

    def _change(self, f: int) -> Change:
        code, place = int(self.codes[f]), int(self.masked[f])
        before, count, cost = self.before_texts[code], int(self.counts[f]), float(self.distances[f])
        if place < 0:
            return Change(before, SUPPRESSED_TEXT, count, cost)
        concepts = int(self._concepts[self.attribute.own[code]]), int(self._concepts[place])
        return Change(before, self.after_texts[place], count, cost, concepts)


def bin_edges(low: float, high: float, whole: bool, about: int = 10) -> list[float]:
    """Edges of about so many bins of round width, whole numbers for whole numbers; `high` lies inside.

    >>> bin_edges(18, 67, whole=True)
    [15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0, 60.0, 65.0, 70.0]
    >>> bin_edges(3, 3, whole=True)
    [3.0, 4.0]
    """
    rough = max((high - low) / about, 1.0 if whole else 0.0) or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first, last = math.floor(low / width), math.floor(high / width) + 1
    return [round(i * width, 10) for i in range(first, last + 1)]


def _range_name(low: float, high: float, whole: bool) -> str:
    """`20–24` for the whole numbers from 20 to below 25; `0.5–1` for others."""
    last = high - 1 if whole else high
    if low == last:
        return short(low)
    return f"{short(low)}{' to ' if low < 0 else '–'}{short(last)}"
