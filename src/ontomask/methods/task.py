"""What a method is asked to do, and how it says which records it put where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers, distinct_rows
from ontomask.attributes import Attribute, Space, Tuples
from ontomask.attributes.space import Combine, Strategy
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.privacy.requirement import Requirement, least_size

SUPPRESSED = -1
_ROUNDING = 1e-9


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
    def of_records(cls, tuples: Integers, groups: Integers) -> Entries:
        """A partition of single records."""
        return cls.summed(tuples, groups, np.ones(len(tuples), np.int64))

    @classmethod
    def summed(cls, tuples: Integers, groups: Integers, counts: Int64) -> Entries:
        """Entries in tuple order, each (tuple, group) once."""
        first, which = distinct_rows([tuples, groups])
        total = np.bincount(which, counts, len(first)).astype(np.int64)
        return cls(tuples[first].astype(np.int32), groups[first].astype(np.int32), total)

    def of_cells(self, tuples: Tuples, rng: np.random.Generator) -> Entries:
        """The same of cells: which records of a split tuple go where is drawn, never by their values."""
        return self if tuples.cells is None else _dealt(self, tuples, rng)


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
    max_loss
        Per attribute how far a record may move at most, in distance, or in NCP where a cover is released;
        infinite if it does not matter, 0 if values stay as they are. Empty: none does.
    loss
        What a search began with and what it has reached, for whoever watches.
    stop
        `stop[0]` tells a search to end soon, with the best that it has.
    strategy
        What stands for the words of a group; None: what the method says.
    is_joint
        Whether groups get the point that costs least over all attributes at once, not that of each.
    tiers
        Per attribute how far it stands behind those that matter most, from 0. Empty: all matter alike.
    mim
        Per attribute how closely the literature ties it to the target. Empty: nobody knows.
    cores
        How many cores may be used at once; None: all there are.
    """

    tuples: Tuples
    attributes: Sequence[Attribute]
    requirements: Sequence[Requirement]
    combine: Combine = "mean"
    budget: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    done: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    max_loss: Sequence[float] = ()
    loss: Float64 = field(default_factory=lambda: np.zeros(2))
    stop: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    strategy: Strategy | None = None
    is_joint: bool = False
    tiers: Sequence[int] = ()
    mim: Sequence[float] = ()
    cores: int | None = None

    @property
    def limits(self) -> Float64:
        """How far a record may move in each attribute."""
        given = self.max_loss or [np.inf] * len(self.attributes)
        return np.array(given, np.float64)

    def limits_in(self, space: Space) -> Float64:
        """The same as what an attribute adds to a distance, with room for rounding."""
        is_squared = space.attributes["is_squared"] & ~space.attributes["is_covered"]
        is_limited = np.isfinite(self.limits)
        limits = np.where(is_limited, self.limits, 0.0) ** np.where(is_squared, 2, 1)
        # A column of one value may weigh nothing, and nothing times no limit is no number.
        return np.where(is_limited, space.attributes["weight"] * limits + _ROUNDING, np.inf)

    def blocks(self) -> list[Int64]:
        """Tuples that may be put together: those with the same values where these stay as they are."""
        kept = [self.tuples.codes[:, j] for j in np.flatnonzero(self.limits == 0)]
        if not kept:
            return [np.arange(len(self.tuples))]
        which = distinct_rows(kept)[1]
        order = np.argsort(which, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(which[order])) + 1)

    @property
    def k(self) -> int:
        """The fewest records with which a class can satisfy all requirements."""
        return least_size(self.requirements)

    @property
    def enforced(self) -> list[Requirement]:
        """The requirements that groups can be formed by; what is not monotone is only checked."""
        return [one for one in self.requirements if one.is_monotone]

    def check_size(self) -> None:
        """A class must be possible: k at least 1 and at most the number of records."""
        n = self.tuples.n
        for one in self.requirements:
            if one.least_size < 1:
                raise OntomaskError(f"{one} must be at least 1", key=f"privacy.{one.key}")
            if one.least_size > n:
                raise NothingLeftError(
                    f"{one} is more than the {n} records of the table",
                    key=f"privacy.{one.key}",
                    remedy=f"choose a smaller {one.key}",
                )


def numbered(groups: Integers) -> Int64:
    """Groups numbered from 0 in their order; -1 stays left out.

    >>> numbered(np.array([7, -1, 3, 7])).tolist()
    [1, -1, 0, 1]
    """
    kept = groups >= 0
    number = np.full(len(groups), SUPPRESSED, np.int64)
    number[kept] = np.unique(groups[kept], return_inverse=True)[1]
    return number


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
