"""What was decided for one table, done to another: tuples go to the nearest group of an earlier release.

No group is new: where those that there are violate a requirement, the one that is cheapest to do without is
closed and its tuples go to the next nearest, until none violates. What finds no group is left out, if the
plan allows that many rows. Integers only: a scheme, elsewhere, has said what replaces each group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes import Attribute
from ontomask.errors import NothingLeftError
from ontomask.measures.base import on_grid
from ontomask.methods._reuse_kernels import Costs, nearest
from ontomask.methods.base import Masking, Method
from ontomask.methods.full_domain import FullDomain
from ontomask.methods.repair import allowing, check_possible, losses_by_column, violating_groups
from ontomask.methods.task import SUPPRESSED, Entries, Task, numbered
from ontomask.privacy.requirement import SLACK


@dataclass(frozen=True, eq=False)
class Reuse(Method):
    """Groups that are given: `values[g, j]` is the replacement of group g in attribute j of the task.

    Attributes
    ----------
    own
        The method that decided.
    """

    name: ClassVar[str] = "reuse"
    words: ClassVar[str] = (
        "Everybody was given the nearest values of an earlier release that {k} people or more share."
    )
    values: Int32
    own: Method

    @property
    def blank(self) -> bool:
        return self.own.blank

    def masking(self, task: Task) -> Masking:
        task.check_size()
        check_possible(task)
        if not self.own.may_suppress:  # it keeps values as they are, and leaves out whatever it must
            task = replace(task, max_loss=[0.0] * len(task.attributes), budget=task.tuples.n)
        values = self.values
        if isinstance(self.own, FullDomain):
            values = with_combinations(task, values, costs_of(task, values))
        groups = _Placing(task, costs_of(task, values), self.blank).groups
        task.done[0] = task.tuples.n
        used = np.unique(groups[groups >= 0])
        entries = Entries.whole(numbered(groups), task.tuples.counts).of_cells(task.tuples, task.rng)
        return Masking.of(entries, values[used], task.attributes)


class _Placing:
    """The group of every tuple, while they are being placed; -1 is left out."""

    def __init__(self, task: Task, costs: Costs, blank: bool) -> None:
        self.task, self.costs, self.blank = task, costs, blank
        self.is_open = np.ones(len(costs.values), bool)
        every = np.arange(len(task.tuples))
        self.groups, self.lost = self.nearest(every, np.full(len(every), SUPPRESSED))
        while (self.groups >= 0).any() and (bad := self.violating()).any():
            members = np.flatnonzero(bad & (self.groups >= 0))
            if len(members):
                self.close(members)
            else:
                self.blank_rarest()
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

    def blank_rarest(self) -> None:
        """The smallest group joins the blanked tuples, which violate a requirement by themselves."""
        placed = self.groups >= 0
        rows = np.bincount(self.groups[placed], self.task.tuples.counts[placed])
        smallest = np.argmin(np.where(rows > 0, rows, np.inf))
        self.groups[self.groups == smallest] = SUPPRESSED

    def close(self, members: Int64) -> None:
        """Close some of the groups that have these members, who go to the next nearest or are left out.

        Those that leave out nobody come first, then the cheapest. Who took in others in this round is looked
        at again before it is closed itself.
        """
        counts = self.task.tuples.counts[members]
        target, lost = self.nearest(members, self.groups[members])
        goes = target >= 0
        closing, which = np.unique(self.groups[members], return_inverse=True)
        left_out = np.bincount(which, np.where(goes, 0, counts))
        cost = np.bincount(which, np.where(goes, counts * (lost - self.lost[members]), 0.0))
        of_group = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
        is_free = np.ones(len(self.is_open), bool)
        for i in np.lexsort((closing, cost, left_out)).tolist():
            mine = of_group[i]
            taken_in = target[mine[goes[mine]]]
            if left_out[i] > 0 and left_out.min() == 0:
                return
            if not is_free[closing[i]] or not self.is_open[taken_in].all():
                continue
            self.is_open[closing[i]] = False
            is_free[taken_in] = False
            self.groups[members[mine]], self.lost[members[mine]] = target[mine], lost[mine]

    def check_budget(self) -> None:
        """Raise if more records are left out than the plan allows."""
        task = self.task
        left_out, n = int(task.tuples.counts[self.groups < 0].sum()), task.tuples.n
        if left_out > task.budget:
            asked = ", ".join(map(str, task.requirements))
            raise NothingLeftError(
                f"for {left_out:,} of {n:,} rows the scheme has no values with which {asked} can be had, and "
                f"{task.budget:,} may be left out",
                key="privacy.suppress",
                remedy=allowing(left_out, n, "decide anew, without it"),
            )


def costs_of(task: Task, values: Int32) -> Costs:
    """What tuples lose by groups::

        d(x, g) = sum over attributes j of  w_j loss_j(x_j, g_j)^p

    where the loss is the distance or, of a truthful attribute, NCP, and p = 2 if the task is euclidean, else
    1; infinite where a value moves too far, or is to be covered and is not.
    """
    power = 2 if task.combine == "euclidean" else 1
    tables, widths, places = [], [], np.empty(values.shape, np.int64)
    for j, attribute in enumerate(task.attributes):
        used, places[:, j] = np.unique(values[:, j], return_inverse=True)
        table = _costs_in(attribute, used.astype(np.int32), power, float(task.limits[j]))
        tables.append(table.ravel())
        widths.append(len(used))
    starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    return Costs(np.concatenate(tables), starts.astype(np.int64), np.array(widths, np.int64), places)


def with_combinations(task: Task, values: Int32, costs: Costs) -> Int32:
    """The groups with further ones: what each tuple becomes if its values are looked up one by one.

    A method that takes a whole column to one level decided what becomes of a value, wherever it stands.
    """
    found = np.empty(task.tuples.codes.shape, np.int32)
    for j, width in enumerate(costs.widths.tolist()):
        size = task.attributes[j].size
        table = costs.tables[costs.starts[j] :][: size * width].reshape(size, width)
        found[:, j] = np.unique(values[:, j])[table.argmin(axis=1)[task.tuples.codes[:, j]]]
    return np.unique(np.concatenate([values, found]), axis=0)


def _costs_in(attribute: Attribute, used: Int32, power: int, limit: float) -> Float64:
    """What each code loses by each of the replacements used, [codes, used]."""
    shape = attribute.size, len(used)
    codes = np.repeat(np.arange(attribute.size, dtype=np.int32), len(used))
    given = np.tile(used, attribute.size)
    lost = losses_by_column([attribute], codes[:, None], given[:, None])[:, 0]
    is_allowed = lost <= limit + SLACK
    if attribute.is_truthful:
        is_allowed &= attribute.covers(given, attribute.own[codes])
    found: Float64 = np.where(is_allowed, on_grid(attribute.weight * lost**power), np.inf)
    return found.reshape(shape)
