"""A release as a report speaks of it: what its sections ask for again and again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ontomask.assessment import is_measured
from ontomask.assessment.warnings import lost_share
from ontomask.printable import people, rows
from ontomask.report import words
from ontomask.report.changes import Changes, MixedLevels
from ontomask.report.ranges import Ranges, ranges_of
from ontomask.report.records import KnownRow, known_rows
from ontomask.report.results import Results, results_of

if TYPE_CHECKING:
    from ontomask.release import Release


class Reported:
    """A release, its figures, and how the values of each masked column changed.

    `internal`: values that fewer than k people have may be told, too.
    """

    def __init__(self, release: Release, figures: Mapping[str, Any], internal: bool = False) -> None:
        self.release, self.plan, self.figures, self.internal = release, release.plan, figures, internal
        self.k = self.plan.least_size
        self.reached = int(figures["k_reached"])
        self.n = int(figures["n"])
        self.suppressed = int(figures["suppressed"] + figures["blanked"] * release.plan.method.own.blank)
        self.before, self.after = float(figures["linkage_before"]), float(figures["srl"])
        self.blind = float(figures["srl_blind"])
        self.columns = [Changes.of(release, j, internal) for j in range(len(release.columns))]
        self.by_loss = sorted(self.columns, key=lambda c: -c.mean_distance)
        self.masked = [c.name for c in self.columns]
        self.confidential = list(self.plan.with_role("confidential"))
        self.dropped = [name for name in release.source.names if name not in release.names]
        self.sizes_before = release.view.merged.tuples.counts
        self.sizes_after = release.view.pairs.class_sizes

    @property
    def who(self) -> str:
        """What is counted: rows are people, unless the plan says whose they are."""
        return "rows" if self.plan.privacy.unit else "people"

    def counted(self, n: int) -> str:
        """`12 people`, or `12 rows`."""
        return rows(n) if self.plan.privacy.unit else people(n)

    @property
    def how_many(self) -> str:
        """How long the table is, and of how many people where these have several rows."""
        unit, left_out = self.plan.privacy.unit, int(self.figures["suppressed"])
        released = f", {self.n - left_out:,} in the release" if left_out else ""
        if unit is None:
            return f"{people(self.n)}{released}"
        n_people = self.release.source.n_distinct_of([unit])[unit]
        return f"{rows(self.n)} of {people(n_people)} (by {unit}){released}"

    @cached_property
    def most_rows(self) -> int:
        """How many rows anybody may have, as a power of two: the number itself may be somebody's."""
        return self.plan.rows_of_one(self.release.source.most_rows(self.plan.privacy.unit))

    def lost_share(self, column: Changes) -> float:
        """The share of the differences between people in a column that is gone, in percent, as warned of."""
        return self._lost[column.name]

    @cached_property
    def _lost(self) -> dict[str, float]:
        return {one.name: lost_share(self.release, self.figures, one.name) for one in self.columns}

    def instead_in(self, name: str) -> str:
        """What is written instead of some values of a column that is released as it is; empty if all stay."""
        settings = self.plan.attributes.get(name)
        return words.instead_in_words(settings) if settings else ""

    @property
    def promised(self) -> str:
        """What the plan promises in the place of k-anonymity; empty if it asks for that."""
        return self.plan.promised

    @property
    def besides(self) -> str:
        """What else holds of every group, as it was asked for; empty if nothing else was."""
        return f" with {words.listed(self.plan.also_asked)}" if self.plan.also_asked else ""

    @property
    def gives_k(self) -> bool:
        """Whether what the plan requires holds of the release."""
        return self.plan.method.own.gives_k

    @property
    def is_k_anonymous(self) -> bool:
        """Whether every group has the k that was asked for."""
        return self.reached >= self.k

    def kind_of(self, column: Changes) -> str:
        """What kind of values a column has, as the plan says."""
        return str(self.plan.attributes[column.name].kind)

    @cached_property
    def ranges(self) -> dict[str, Ranges]:
        """The truthful columns in which ranges are written."""
        truthful = [column for column in self.columns if self.plan.is_truthful(column.name)]
        return {
            column.name: found for column in truthful if (found := ranges_of(column, self.kind_of(column)))
        }

    @property
    def overlapping(self) -> list[str]:
        """The columns whose ranges overlap each other, or have single values in them."""
        return [name for name, found in self.ranges.items() if found.overlap]

    @cached_property
    def mixed(self) -> dict[str, MixedLevels]:
        """The columns of a truthful release whose values stand at different levels."""
        truthful = [column for column in self.columns if self.plan.is_truthful(column.name)]
        return {column.name: found for column in truthful if (found := column.mixed_levels())}

    @cached_property
    def results(self) -> tuple[list[Results], int]:
        """Columns of results by masked ones, and how many such pairs are left out."""
        return results_of(self.release, self.columns[0].least)

    @cached_property
    def known(self) -> list[KnownRow]:
        """What it yields to know a confidential column as well."""
        counted = [name for name in self.confidential if f"alone_if_known.{name}" in self.figures]
        return known_rows(self.figures, {name: is_measured(self.release, name) for name in counted})
