"""What every masking method is given and gives back: integers only.

A method is a frozen dataclass whose options are fields declared with `ontomask.options.option`; plan, command
line, report and reference page take them from there. It never sees a label, a file, an engine or a global
random state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ontomask.arrays import Int32, Int64, Integers, distinct_rows
from ontomask.attributes import Attribute, Members, Points, Space, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.attributes.space import Strategy
from ontomask.errors import InternalError
from ontomask.methods.points import best_points, cost_of
from ontomask.methods.repair import repaired
from ontomask.methods.task import SUPPRESSED, Entries, Task
from ontomask.methods.trace import Trace
from ontomask.options import option
from ontomask.privacy.requirement import Requirement

BLANK = "empty the quasi-identifiers of rows that are left out instead of dropping the rows"


@dataclass(frozen=True, eq=False)
class Masking:
    """Entry e puts `counts[e]` records of cell `cells[e]` into group `groups[e]` (-1: suppressed).

    A cell is a tuple, or a part of one where requirements look at further columns (`Tuples.cells`). Entries
    are in cell order. `values[g, j]` is the replacement of group g in attribute j of `attributes`.
    """

    cells: Int32
    groups: Int32
    counts: Int64
    values: Int32
    attributes: tuple[Attribute, ...]
    trace: Trace | None = None
    """How it was found, where a method tells."""

    @classmethod
    def of(cls, entries: Entries, values: Int32, attributes: Sequence[Attribute]) -> Masking:
        """From entries of cells, in any order."""
        return cls(*Entries.summed(*entries), values, tuple(attributes))

    @classmethod
    def of_records(cls, cells: Integers, values: Int32, attributes: Sequence[Attribute]) -> Masking:
        """From single records: record i is of cell `cells[i]` and has replacements `values[i]` of its own."""
        first, which = distinct_rows(list(values.T))
        entries = Entries.of_records(cells, which)
        return cls(*entries, values[first], tuple(attributes))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.values)

    def blanked(self) -> Masking:
        """The suppressed records as a group of their own that has no value at all."""
        gone = self.groups == SUPPRESSED
        if not gone.any():
            return self
        attributes = tuple(attribute.with_nothing() for attribute in self.attributes)
        nothing = np.array([[attribute.nothing for attribute in attributes]], np.int32)
        groups = np.where(gone, self.n_groups, self.groups).astype(np.int32)
        values = np.concatenate([self.values, nothing])
        return replace(self, groups=groups, values=values, attributes=attributes)

    @property
    def suppressed(self) -> int:
        """Number of records in no group."""
        return int(self.counts[self.groups == SUPPRESSED].sum())


@dataclass(frozen=True)
class Method(ABC):
    """A masking method with its options.

    Attributes
    ----------
    name
        What the plan calls it.
    words
        What it does to people, for the report; `{k}` stands for the fewest people of a group.
    has_centroids
        Whether a group is given its centroid, so that `centroid` of the plan has an effect.
    has_own_words
        Whether it says itself which words stand for a group, so that `centroid: marginality` has no effect.
    has_hierarchies
        Whether it climbs hierarchies: attributes without one are given it (`Attribute.levels`).
    splits_numbers
        Whether it makes ranges of numbers itself, where the plan gives them no hierarchy.
    judges_sets
        Whether it takes equal values of a column alike, so that LKC can be judged on sets of columns.
    is_truthful
        Whether what it writes is true of every person (the value, or what stands above it), whatever the
        plan asks for. Other methods do so for the columns that are to be.
    may_suppress
        Whether it leaves out only records that the plan's `privacy.suppress` allows.
    has_groups
        Whether it puts records into groups, of k at least.
    masks_parts
        Whether it can mask a part of a table without the rest, as `blocks` of the plan asks for.
    compiled
        The module whose loops take longest to compile: on a machine that has none of them, that is told.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    has_centroids: ClassVar[bool] = True
    has_own_words: ClassVar[bool] = False
    has_hierarchies: ClassVar[bool] = False
    splits_numbers: ClassVar[bool] = False
    judges_sets: ClassVar[bool] = False
    is_truthful: ClassVar[bool] = False
    may_suppress: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    masks_parts: ClassVar[bool] = False
    compiled: ClassVar[str] = "sa_mdav"

    @property
    def measure(self) -> str | None:
        """The distance that it insists on; None: the one the user asked for."""
        return None

    @property
    def strategy(self) -> Strategy:
        """What stands for the words of a group."""
        return "semantic"

    @property
    def gives_k(self) -> bool:
        """Whether its releases satisfy what the plan's section `privacy` asks for.

        If not, k is only the size of its groups, nothing else can be asked for, and every release says so.
        """
        return True

    @property
    def blank(self) -> bool:
        """Whether suppressed rows are kept with empty values instead of dropped."""
        return False

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns to be counted beside the masked ones."""
        return ()

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """(option, what is wrong) for options that do not go together."""
        return iter(())

    def searches(self, task: Task) -> bool:
        """Whether it goes on looking for something better, and may end early with the best so far."""
        return False

    def in_words(self, k: int) -> str:
        """What was done to people, in a sentence of the report."""
        return self.words.format(k=k)

    def mask(
        self,
        tuples: Tuples,
        attributes: Sequence[Attribute],
        requirements: Sequence[Requirement],
        rng: np.random.Generator | None = None,
        **more: Any,
    ) -> Masking:
        """Do a `Task`, given in parts."""
        drawn = np.random.default_rng(0) if rng is None else rng
        return self.masking(Task(tuples, attributes, requirements, rng=drawn, **more))

    @abstractmethod
    def masking(self, task: Task) -> Masking:
        """Put the records into groups that satisfy the requirements, and say what replaces each group."""


@dataclass(frozen=True)
class Grouping(Method):
    """The family of methods that put records into groups, each of which gets its centroid, or a cover."""

    blank: bool = option(False, BLANK)

    def space(self, task: Task) -> Space:
        """The table as compiled loops see it."""
        return space_of(
            task.tuples,
            task.attributes,
            combine=task.combine,
            strategy=task.strategy or self.strategy,
            with_covers=True,
        )

    def finished(self, task: Task, space: Space, entries: Entries, points: Points | None = None) -> Masking:
        """The masking of groups of cells, once they satisfy every requirement and limit.

        `points` stand for the groups as they are given, and are found for those that had to be changed.
        """
        groups = repaired(task, space, entries, partial(self.values_of, task, space), self.blank)
        changed = entries._replace(groups=groups)
        if points is not None and not task.is_joint and np.array_equal(groups, entries.groups):
            extended, values = self._replacements(task, space, changed, points)
        else:
            extended, values = self.values_of(task, space, changed)
        return Masking.of(changed, values, extended)

    def values_of(self, task: Task, space: Space, entries: Entries) -> tuple[list[Attribute], Int32]:
        """What replaces each group of cells, [groups, m], of attributes that have it among theirs."""
        tuples = task.tuples.tuple_of_cell[entries.tuples]
        n_groups = int(entries.groups.max(initial=-1)) + 1
        of_tuples = entries._replace(tuples=tuples)
        if task.is_joint:
            points = best_points(cost_of(task), task, space, of_tuples, n_groups)
        else:
            points = self.points_of(task, space, of_tuples, n_groups)
        return self._replacements(task, space, entries, points)

    def _replacements(
        self, task: Task, space: Space, entries: Entries, points: Points
    ) -> tuple[list[Attribute], Int32]:
        """What replaces groups of cells that points stand for."""
        tuples = task.tuples.tuple_of_cell[entries.tuples]
        members = Members(tuples, entries.groups, entries.counts, True, self.has_centroids)
        return replacements_of(task.attributes, space, points, members=members)

    def points_of(self, task: Task, space: Space, entries: Entries, n_groups: int) -> Points:
        """What stands for each group of tuples: its centroid."""
        return group_centroids(space, *entries, n_groups)


@dataclass(frozen=True)
class Microaggregation(Grouping):
    """The family of methods that only have to partition the tuples."""

    masks_parts: ClassVar[bool] = True

    def masking(self, task: Task) -> Masking:
        task.check_size()
        space = self.space(task)
        entries, points = self._by_blocks(task, space)
        if entries.counts.sum() != task.tuples.n:
            raise InternalError(f"{self.name} lost records")
        return self.finished(task, space, entries.of_cells(task.tuples, task.rng), points)

    def _by_blocks(self, task: Task, space: Space) -> tuple[Entries, Points]:
        """The partitions of the records that may be put together, one after the other."""
        blocks = task.blocks()
        if len(blocks) == 1:
            return self.partition(space, blocks[0], task.k, task)
        k, parts, n_groups = task.k, [], 0
        for ids in blocks:
            within = space._replace(codes=np.ascontiguousarray(space.codes[:, ids]), counts=space.counts[ids])
            size = min(k, int(within.counts.sum()))  # too few are one group, and a matter for `repair`
            entries, points = self.partition(within, np.arange(len(ids)), size, task)
            groups = np.where(entries.groups >= 0, entries.groups + n_groups, SUPPRESSED)
            parts.append((ids[entries.tuples].astype(np.int32), groups, entries.counts, points))
            n_groups += len(points.candidates)
        of_tuples, of_groups, of_counts, found = zip(*parts, strict=True)
        placed = Entries(
            np.concatenate(of_tuples), np.concatenate(of_groups).astype(np.int32), np.concatenate(of_counts)
        )
        return placed, Points(*(np.concatenate(part) for part in zip(*found, strict=True)))

    @abstractmethod
    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        """Groups of at least k records of the tuples `ids` of a space, and what stands for each.

        The space is that of the task or, where values have to stay, of some of its tuples.
        """


def with_centroids(space: Space, entries: Entries, n_groups: int) -> tuple[Entries, Points]:
    """A partition and the centroids of its groups."""
    return entries, group_centroids(space, *entries, n_groups)
