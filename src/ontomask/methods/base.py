"""What every masking method is given and gives back: integers only.

A method is a frozen dataclass whose options are fields declared with `ontomask.options.option`; plan, command
line, report and reference page take them from there. It never sees a label, a file, an engine or a global
random state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ontomask.arrays import Int32, Int64, Integers, distinct_rows
from ontomask.attributes import Attribute, Points, Space, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.attributes.space import Combine, Strategy
from ontomask.errors import InternalError, NothingLeftError, OntomaskError
from ontomask.privacy.requirement import Requirement, least_size

SUPPRESSED = -1


class Entries(NamedTuple):
    """Entry e puts `counts[e]` records of tuple `tuples[e]` into group `groups[e]` (-1: suppressed)."""

    tuples: Int32
    groups: Int32
    counts: Int64

    @classmethod
    def whole(cls, group_of_tuple: Integers, counts: Int64) -> Entries:
        """A partition that keeps the records of a tuple together."""
        return cls(np.arange(len(counts), dtype=np.int32), group_of_tuple.astype(np.int32), counts)

    @classmethod
    def of_records(cls, tuples: Int64, groups: Int64) -> Entries:
        """A partition of single records."""
        first, which = distinct_rows([tuples, groups])
        counts = np.bincount(which).astype(np.int64)
        return cls(tuples[first].astype(np.int32), groups[first].astype(np.int32), counts)


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

    @classmethod
    def of(
        cls,
        entries: Entries,
        values: Int32,
        attributes: Sequence[Attribute],
        tuples: Tuples,
        rng: np.random.Generator,
    ) -> Masking:
        """From entries of tuples; which records of a split tuple go where is drawn, never by their values."""
        if tuples.cells is not None:
            entries = _dealt(entries, tuples, rng)
        cells, groups, counts = entries
        order = np.lexsort((groups, cells))
        return cls(cells[order], groups[order], counts[order], values, tuple(attributes))

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


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is asked to do.

    Attributes
    ----------
    tuples, attributes
        The table, and what is known of its columns.
    requirements
        What every class of the release must satisfy.
    combine
        How attributes add up.
    budget
        How many records may be left out.
    rng
        Where random numbers come from.
    done
        `done[0]` counts the records that are placed, for whoever watches.
    """

    tuples: Tuples
    attributes: Sequence[Attribute]
    requirements: Sequence[Requirement]
    combine: Combine = "mean"
    budget: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    done: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))

    @property
    def k(self) -> int:
        """The fewest records with which a class can satisfy all requirements; the table must have them."""
        k, n = least_size(self.requirements), self.tuples.n
        if k < 1:
            raise OntomaskError(f"k must be at least 1, not {k}", key="privacy.k")
        if k > n:
            raise NothingLeftError(
                f"k = {k} is more than the {n} records of the table",
                key="privacy.k",
                remedy="choose a smaller k",
            )
        return k


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
    has_hierarchies
        Whether it climbs hierarchies: attributes without one are given it (`Attribute.levels`).
    is_truthful
        Whether what it writes is true of every person (the value, or what stands above it), whatever the
        plan asks for. Other methods do so for the columns that are to be.
    may_suppress
        Whether it leaves out records that the plan's `privacy.suppress` allows.
    compiled
        The module whose loops take longest to compile: on a machine that has none of them, that is told.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    has_centroids: ClassVar[bool] = True
    has_hierarchies: ClassVar[bool] = False
    is_truthful: ClassVar[bool] = False
    may_suppress: ClassVar[bool] = False
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
    def blank(self) -> bool:
        """Whether suppressed rows are kept with empty values instead of dropped."""
        return False

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """(option, what is wrong) for options that do not go together."""
        return iter(())

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
class Microaggregation(Method):
    """The family of methods that only have to partition; every group gets its centroid."""

    def masking(self, task: Task) -> Masking:
        tuples, k = task.tuples, task.k
        space = space_of(
            tuples, task.attributes, combine=task.combine, strategy=self.strategy, with_covers=True
        )
        entries, points = self.partition(space, np.arange(len(tuples)), k, task.rng, task.done)
        if entries.counts.sum() != tuples.n:
            raise InternalError(f"{self.name} lost records")
        extended, values = replacements_of(task.attributes, space, points)
        return Masking.of(entries, values, extended, tuples, task.rng)

    @abstractmethod
    def partition(
        self, space: Space, ids: Int64, k: int, rng: np.random.Generator, done: Int64
    ) -> tuple[Entries, Points]:
        """Groups of at least k records of the tuples `ids`, and what stands for each."""


def with_centroids(space: Space, entries: Entries, n_groups: int) -> tuple[Entries, Points]:
    """A partition and the centroids of its groups."""
    return entries, group_centroids(space, *entries, n_groups)


def _dealt(entries: Entries, tuples: Tuples, rng: np.random.Generator) -> Entries:
    """Entries of cells: the cells of a tuple that is split are drawn at random for its groups."""
    assert tuples.cells is not None
    starts = np.searchsorted(tuples.cells.tuples, np.arange(len(tuples) + 1))
    order = np.lexsort((entries.groups, entries.tuples))
    cells: list[Int64] = []
    groups: list[Int64] = []
    counts: list[Int64] = []
    left = tuples.cells.counts.copy()
    for e in order.tolist():
        t, n = int(entries.tuples[e]), int(entries.counts[e])
        own = slice(starts[t], starts[t + 1])
        taken = left[own] if n == left[own].sum() else rng.multivariate_hypergeometric(left[own], n)
        taken = np.array(taken, np.int64)
        left[own] -= taken
        some = np.flatnonzero(taken)
        cells.append(starts[t] + some)
        groups.append(np.full(len(some), entries.groups[e], np.int64))
        counts.append(taken[some])
    return Entries(
        np.concatenate(cells).astype(np.int32),
        np.concatenate(groups).astype(np.int32),
        np.concatenate(counts),
    )
