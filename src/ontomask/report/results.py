"""What becomes of results: a confidential column by the values of a masked one, before and after.

Who gets a release breaks results down: mean satisfaction by nationality. Masked words stand for others, so
means by them move, and less of the differences goes with them. What the release says anybody can count; of
the original nothing is told of fewer rows than may be told of, nor anything from which it would be found as a
difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.distribution import enough
from ontomask.linking.several import answers_of
from ontomask.ontology.csr import Csr, starts_of
from ontomask.release import Release
from ontomask.report import words
from ontomask.report.correlations import MOST_ROWS, numbers_beside
from ontomask.tables import DistinctTuples

MOST_PAIRS, MOST_VALUES = 12, 8
_FEW_WORDS = 20  # of a column of words, for the share of its most frequent one to be a result
_VISIBLE = 1.0  # percent of the differences


class Result(NamedTuple):
    """Of the rows with a value of the masked column: the mean, or the share in percent, before and after."""

    value: str
    rows_before: int
    before: float | None
    rows_after: int
    after: float | None


class Results(NamedTuple):
    """A column that is released as it is, by the values of a masked one.

    `top`: of words, the value whose share is told. `scale`: of ordered categories, the first and the last
    with their numbers; of numbers that were rounded or cut off, how. `went` and `goes` are how much of the
    differences in numbers goes with the masked column, in percent, before and after; None where that may not
    be told.
    """

    masked: str
    beside: str
    top: str | None
    rows: tuple[Result, ...]
    went: float | None = None
    goes: float | None = None
    scale: str = ""

    @property
    def figure(self) -> str:
        """What is told of each value."""
        if self.top is not None:
            return f"Share of “{self.top}” in {self.beside}"
        return f"Mean of {self.beside}{f' ({self.scale})' if self.scale else ''}"

    def shown(self, figure: float | None) -> str:
        """A mean or a share as it is read."""
        if figure is None:
            return "–"
        if self.top is not None:
            return words.percent(figure)
        return words.figure(figure)

    @property
    def summed_up(self) -> str:
        """How much of the differences goes with the masked column, in a sentence; empty if it is not told."""
        return visible_text([self], least=0.0)


def visible_text(found: Sequence[Results], least: float = _VISIBLE) -> str:
    """How much of the differences goes with columns, where some share did before; empty if nowhere.

    >>> some = [Results("land", "pay", None, (), 12.0, 4.0), Results("job", "pay", None, (), 0.4, 0.2)]
    >>> visible_text(some).replace(words.NO_BREAK, " ")
    'Of the differences in “pay”, 12 % went with “land” before and 4.0 % do now.'
    """
    said: dict[str, list[str]] = {}
    for one in found:
        if one.went is not None and one.goes is not None and one.went >= least:
            went, goes = words.percent(one.went), words.percent(one.goes)
            said.setdefault(one.beside, []).append(
                f"{went} went with “{one.masked}” before and {goes} do now"
            )
    parts = [f"in “{beside}”, {', '.join(shares)}" for beside, shares in said.items()]
    return f"Of the differences {'; of those '.join(parts)}." if parts else ""


def results_of(release: Release, least: int) -> tuple[list[Results], int]:
    """Each column of results by each masked column of words or ordered categories, and how many are left out.

    Results are the confidential columns and the numbers that are released as they are. Of a table too large
    to look at all values there are none.

    >>> import pyarrow as pa
    >>> import ontomask as om
    >>> people = pa.table({"land": ["Italy", "Spain"] * 4, "pay": [1.5, 2.5, 3.5, 4.5] * 2})
    >>> plan = om.Plan.from_options(["land:countries"], k=4, confidential=["pay"])
    >>> found, left_out = results_of(om.anonymize(people, plan), 4)
    >>> [(row.value, row.before, row.after) for row in found[0].rows], left_out
    ([('Italy', 2.5, 2.5), ('Spain', 3.5, 3.5)], 0)
    """
    settings = release.plan.attributes
    masked = [j for j, one in enumerate(release.columns) if settings[one.name].kind in ("nominal", "ordinal")]
    if not masked or release.data.n_rows > MOST_ROWS:
        return [], 0
    numbers, tops = _results_in(release, least)
    confidential = release.plan.with_role("confidential")
    beside = sorted({**numbers, **tops}, key=lambda name: name not in confidential)
    pairs = [(name, j) for name in beside for j in masked]
    found: list[Results] = []
    for name in dict.fromkeys(name for name, _ in pairs[:MOST_PAIRS]):
        figures = numbers.get(name) or {tops[name]: 100.0}
        of_column = [j for other, j in pairs[:MOST_PAIRS] if other == name]
        found += _of_column(release, name, of_column, figures, tops.get(name), least)
    return found, max(len(pairs) - MOST_PAIRS, 0)


def _results_in(
    release: Release, least: int
) -> tuple[Mapping[str, Mapping[str | None, float]], dict[str, str]]:
    """The columns of numbers with the number of each text, and those of few words with the most frequent."""
    settings = release.plan.attributes
    kinds = {name: one.kind for name, one in settings.items()}
    numbers = {name: of for name, of in numbers_beside(release).items() if kinds.get(name) != "date"}
    looked_into = [
        name
        for name in release.plan.with_role("confidential")
        if name in release.kept and name not in numbers and name not in release.source.without_text
    ]
    tops = {}
    for name, (texts, counts) in release.data.distinct_of(looked_into).items():
        rows = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
        if kinds[name] == "nominal" and settings[name].several is None and 1 < len(rows) <= _FEW_WORDS:
            top = min(rows, key=lambda text: (-rows[text], text))
            if rows[top] >= least:
                tops[name] = top
    return numbers, tops


class _Side(NamedTuple):
    """A table as its distinct tuples: `rows[t]` rows have figure `figures[t]`, NaN if none.

    Entry e says that tuple `tuples[e]` has value `values[e]`, one of `names`; a set has several.
    """

    rows: Int64
    figures: Float64
    tuples: Int64
    values: Int64
    names: list[str]

    @classmethod
    def of(cls, rows: Int64, figures: Float64, parts: Sequence[tuple[str, ...]], codes: Int32) -> _Side:
        """Tuple t has the values `parts[codes[t]]`."""
        names = sorted({name for one in parts for name in one})
        place = {name: at for at, name in enumerate(names)}
        sizes = np.array([len(one) for one in parts], np.int64)
        flat = np.array([place[name] for one in parts for name in one], np.int32)
        taken = Csr(starts_of(sizes), flat).take(codes)
        return cls(rows, figures, taken.row_of_value.astype(np.int64), taken.values.astype(np.int64), names)

    @property
    def has_figure(self) -> Bool:
        """Which tuples have one."""
        return ~np.isnan(self.figures)

    def rows_of(self, tuples: Bool) -> dict[str, int]:
        """How many rows of these tuples have each value."""
        counts = np.bincount(self.values, (self.rows * tuples)[self.tuples], len(self.names))
        return dict(zip(self.names, counts.astype(np.int64).tolist(), strict=True))

    def has(self, name: str) -> Bool:
        """Which tuples have a value."""
        found = np.zeros(len(self.rows), np.bool_)
        found[self.tuples[self.values == self.names.index(name)]] = True
        return found

    def mean(self, name: str) -> float:
        """The mean figure of the rows with a value."""
        some = self.has(name) & self.has_figure
        return float(np.average(self.figures[some], weights=self.rows[some]))

    def explained(self, least: int) -> float | None:
        """How much of the differences in the figures goes with the values, in percent; see `explained`.

        None where that may not be told, as of correlations.
        """
        has_value = np.zeros(len(self.rows), np.bool_)
        has_value[self.tuples] = True
        both = int(self.rows[has_value & self.has_figure].sum())
        left_out = [
            int(self.rows[one].sum()) for one in (has_value & ~self.has_figure, ~has_value & self.has_figure)
        ]
        if not enough(both, left_out, least):
            return None
        known = self.has_figure[self.tuples]
        at = self.tuples[known]
        found = explained(self.figures[at], self.values[known], self.rows[at])
        return None if np.isnan(found) else found


def _of_column(
    release: Release,
    beside: str,
    masked: Sequence[int],
    figures: Mapping[str | None, float],
    top: str | None,
    least: int,
) -> Iterator[Results]:
    """A column of results by some masked ones; of words, those that are not the top one have the figure 0."""
    columns = [release.columns[j] for j in masked]
    names = [column.name for column in columns]
    before, after = (table.tuples([*names, beside]) for table in (release.counted, release.data))
    of_before, of_after = (_figures(tuples, figures, is_share=top is not None) for tuples in (before, after))
    for i, column in enumerate(columns):
        several = release.plan.attributes[column.name].several
        labels = column.labels
        was = [labels[code] for code in column.code_of_text.tolist()]
        sides = (
            _Side.of(before.counts, of_before, _parts(was, several), before.codes[:, i]),
            _Side.of(after.counts, of_after, _parts(after.values[i], several), after.codes[:, i]),
        )
        went, goes = (None if top is not None else side.explained(least) for side in sides)
        rows = _rows(*sides, least, is_share=top is not None)
        yield Results(column.name, beside, top, rows, went, goes, _scale(release, beside))


def _scale(release: Release, name: str) -> str:
    """What has to be known of the numbers of a column: which categories the first and the last stand for, or
    that they are not what they were, also before; empty if nothing."""
    settings = release.plan.attributes.get(name)
    if settings is None:
        return ""
    if order := settings.order:
        return f"{order[0]} = 0, {order[-1]} = {len(order) - 1}"
    return words.instead_in_words(settings)


def _figures(tuples: DistinctTuples, figures: Mapping[str | None, float], is_share: bool) -> Float64:
    """The figure of the last column in each tuple."""
    other = 0.0 if is_share else np.nan
    of_text = [np.nan if text is None else figures.get(text, other) for text in tuples.values[-1]]
    return np.array(of_text, np.float64)[tuples.codes[:, -1]]


def _parts(texts: Sequence[str | None], several: str | None) -> list[tuple[str, ...]]:
    """The values that each text is: of a set its members, of no value none."""
    return [
        () if text is None else (text,) if several is None else answers_of(text, several) for text in texts
    ]


def _rows(before: _Side, after: _Side, least: int, is_share: bool) -> tuple[Result, ...]:
    """The most frequent values that enough rows have, before and after."""
    n, n_after = before.rows_of(before.has_figure), after.rows_of(after.has_figure)
    without = before.rows_of(~before.has_figure)
    able = [name for name in n if min(n[name], n_after.get(name, 0)) >= max(least, 1)]
    frequent = sorted(able, key=lambda name: (-n[name], name))[:MOST_VALUES]
    # Rows of a truthful value had it before, so that the others that had it are a difference.
    alone = [
        name for name in frequent if enough(n[name], [without[name], abs(n[name] - n_after[name])], least)
    ]
    told = _that_tell_of_no_others(alone, before, least)
    if is_share:
        told = [name for name in told if _is_share_told(before, name, least)]
    return tuple(
        Result(name, n[name], before.mean(name) if name in told else None, n_after[name], after.mean(name))
        for name in frequent
    )


def _that_tell_of_no_others(names: Sequence[str], side: _Side, least: int) -> list[str]:
    """The most frequent values whose means tell, as a difference, of no fewer rows than may be told of.

    The mean of all is known, since the column is released as it is: so it would be told of the rows with none
    of the values, and of those by which the rows of two values differ.
    """
    told = list(names)
    while told:
        has = np.stack([side.has(name) & side.has_figure for name in told])
        rest = int(side.rows[side.has_figure & ~has.any(axis=0)].sum())
        near = [
            second
            for first, second in combinations(range(len(told)), 2)
            if 0 < side.rows[has[first] != has[second]].sum() < least
        ]
        if not near and not 0 < rest < least:
            break
        told.pop(near[0] if near else -1)
    return told


def _is_share_told(side: _Side, name: str, least: int) -> bool:
    """Whether enough rows with a value have the word in question, and enough do not."""
    of_name = side.has(name)
    parts = (int(side.rows[of_name & (side.figures == one)].sum()) for one in (0.0, 100.0))
    return all(rows >= max(least, 1) for rows in parts)


def explained(y: Float64, groups: Int64, counts: Int64) -> float:
    """How much of the variance of y lies between groups, in percent, without what mere chance puts there.

    With SSW and SST the sums of squares within g groups of n records and in all, ``1 - SSW (n - 1) / (SST (n
    - g))``, and 0 at least: epsilon squared (Kelley 1935), which is eta squared without its bias by small
    groups. NaN if all y are equal or every record is a group.

    >>> y, groups = np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])
    >>> explained(y, groups, np.array([1, 1, 1, 1])) == 100 * (1 - 4 * 3 / (20 * 2))
    True
    """
    n, n_groups = int(counts.sum()), len(np.unique(groups[counts > 0]))
    if n <= n_groups:
        return float("nan")
    of_group = np.bincount(groups, counts)
    means = np.bincount(groups, counts * y) / np.maximum(of_group, 1)
    within = float(counts @ (y - means[groups]) ** 2)
    total = float(counts @ (y - np.average(y, weights=counts)) ** 2)
    if total <= 0:
        return float("nan")
    return max(100 * (1 - within * (n - 1) / (total * (n - n_groups))), 0.0)
