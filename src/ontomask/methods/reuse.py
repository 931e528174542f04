"""What was decided for one table, done to another: tuples go to the nearest group of an earlier release.

No group is new: where those that there are violate a requirement, the one that is cheapest to do without is
closed and its tuples go to the next nearest, until none violates. What finds no group is left out, if the
plan allows that many rows. Integers only: a scheme, elsewhere, has said what replaces each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes import Attribute
from ontomask.errors import OntomaskError
from ontomask.measures.base import on_grid
from ontomask.methods._reuse_kernels import Costs, nearest
from ontomask.methods.base import Masking, Method
from ontomask.methods.repair import check_possible, losses_by_column, violating_groups
from ontomask.methods.task import SUPPRESSED, Entries, Task
from ontomask.privacy.requirement import SLACK


@dataclass(frozen=True, eq=False)
class Reuse(Method):
    """Groups that are given: `values[g, j]` is the replacement of group g in attribute j of the task.

    Attributes
    ----------
    is_true
        Per attribute whether a group takes only those whose value it covers, at a loss counted in NCP.
    own
        The method that decided.
    """

    name: ClassVar[str] = "reuse"
    words: ClassVar[str] = (
        "Everybody was given the nearest values of an earlier release that {k} people or more share."
    )
    values: Int32
    is_true: Sequence[bool]
    own: Method

    @property
    def blank(self) -> bool:
        return self.own.blank

    def masking(self, task: Task) -> Masking:
        task.check_size()
        check_possible(task)
        if not self.own.may_suppress:  # it keeps values as they are, and leaves out whatever it must
            task = replace(task, max_loss=[0.0] * len(task.attributes), budget=task.tuples.n)
        groups = _Placing(task, self.values, self.is_true, self.blank).groups
        task.done[0] = task.tuples.n
        used = np.unique(groups[groups >= 0])
        number = np.where(groups >= 0, np.searchsorted(used, groups), SUPPRESSED)
        entries = Entries.whole(number, task.tuples.counts).of_cells(task.tuples, task.rng)
        return Masking.of(entries, self.values[used], task.attributes)


class _Placing:
    """The group of every tuple, while they are being placed; -1 is left out."""

    def __init__(self, task: Task, values: Int32, is_true: Sequence[bool], blank: bool) -> None:
        # What is not monotone is judged on the whole release, as for any method.
        self.task = replace(task, requirements=[one for one in task.requirements if one.is_monotone])
        self.costs, self.blank = costs_of(task, values, is_true), blank
        self.is_open = np.ones(len(values), bool)
        every = np.arange(len(task.tuples))
        self.groups, self.lost = self.nearest(every, np.full(len(every), SUPPRESSED))
        while (self.groups >= 0).any() and (bad := self.violating()).any():
            if not self.close_cheapest(bad):
                self.leave_out(bad)
        self.check_budget()

    def nearest(self, tuples: Int64, avoided: Int64) -> tuple[Int64, Float64]:
        """The open group where each tuple loses least, but one, and how much."""
        return nearest(self.costs, self.task.tuples.codes, tuples, avoided, self.is_open)

    def violating(self) -> Bool:
        """Which tuples are in a class that violates a requirement; blanked ones are a class, too."""
        blanked = len(self.is_open)
        return violating_groups(
            self.task, np.where(self.groups < 0, blanked, self.groups) if self.blank else self.groups
        )

    def close_cheapest(self, bad: Bool) -> bool:
        """Close groups whose tuples lose least by going elsewhere; whether there was one.

        Who took in others in this round is looked at again before it is closed itself.
        """
        members = np.flatnonzero(bad & (self.groups >= 0))
        target, lost = self.nearest(members, self.groups[members])
        more = self.task.tuples.counts[members] * (lost - self.lost[members])
        closing, which = np.unique(self.groups[members], return_inverse=True)
        cost = np.bincount(which, more)
        is_free = np.ones(len(self.is_open), bool)
        for i in np.lexsort((closing, cost)).tolist():
            mine = which == i
            if not np.isfinite(cost[i]) or not is_free[closing[i]] or not self.is_open[target[mine]].all():
                continue
            self.is_open[closing[i]] = False
            is_free[target[mine]] = False
            self.groups[members[mine]], self.lost[members[mine]] = target[mine], lost[mine]
        return bool(np.isfinite(cost).any())

    def leave_out(self, bad: Bool) -> None:
        """Leave out tuples whose group violates a requirement and that no other takes.

        If it is the blanked ones that violate it, the rarest of the groups joins them.
        """
        gone = np.flatnonzero(bad & (self.groups >= 0))
        if not len(gone):
            placed = self.groups >= 0
            rows = np.bincount(self.groups[placed], self.task.tuples.counts[placed])
            gone = np.flatnonzero(self.groups == np.argmin(np.where(rows > 0, rows, np.inf)))
        self.is_open[self.groups[gone]] = False
        self.groups[gone], self.lost[gone] = SUPPRESSED, np.inf

    def check_budget(self) -> None:
        """Raise if more records are left out than the plan allows."""
        task = self.task
        left_out, n = int(task.tuples.counts[self.groups < 0].sum()), task.tuples.n
        if left_out > task.budget:
            asked = ", ".join(map(str, task.requirements))
            raise OntomaskError(
                f"for {left_out:,} of {n:,} rows the scheme has no values with which {asked} can be had, and "
                f"{task.budget:,} may be left out",
                key="privacy.suppress",
                remedy=f"allow suppress: {np.ceil(1000 * left_out / n) / 10:g}%, or decide anew, without it",
            )


def costs_of(task: Task, values: Int32, is_true: Sequence[bool]) -> Costs:
    """What tuples lose by groups: the distance of the task or, where only what covers may be given, NCP::

        d(x, g) = sum over attributes j of  w_j sd_j(x_j, g_j)^p  or  w_j NCP_j(x_j, g_j)

    with p = 2 if the task is euclidean, else 1; infinite where a value is not covered or moves too far.
    """
    power = 2 if task.combine == "euclidean" else 1
    tables, widths, places = [], [], np.empty(values.shape, np.int64)
    for j, attribute in enumerate(task.attributes):
        used, places[:, j] = np.unique(values[:, j], return_inverse=True)
        table = _costs_in(attribute, used.astype(np.int32), is_true[j], power, float(task.limits[j]))
        tables.append(table.ravel())
        widths.append(len(used))
    starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    return Costs(np.concatenate(tables), starts.astype(np.int64), np.array(widths, np.int64), places)


def _costs_in(attribute: Attribute, used: Int32, is_true: bool, power: int, limit: float) -> Float64:
    """What each code loses by each of the replacements used, [codes, used]."""
    shape = attribute.size, len(used)
    codes = np.repeat(np.arange(attribute.size, dtype=np.int32), len(used))
    given = np.tile(used, attribute.size)
    lost = losses_by_column([attribute], codes[:, None], given[:, None])[:, 0]
    is_allowed = lost <= limit + SLACK
    if is_true:
        is_allowed &= attribute.covers(given, attribute.own[codes])
        cost = attribute.generalization(codes, given).ncp
    else:
        cost = attribute.distance(codes, given) ** power
    found: Float64 = np.where(is_allowed, on_grid(attribute.weight * cost), np.inf)
    return found.reshape(shape)
