"""From the groups of a method to groups that satisfy every requirement and limit, by joining.

Requirements stay true when groups are joined, save those that are not monotone. So whatever a method formed,
each group that violates one is joined to the group with which it loses least, until none violates. A record
that would move farther than its column allows leaves its group first. What finds no company is left out, if
the plan allows that many rows. Integers only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, Integers
from ontomask.attributes import Attribute, Space, Tuples
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.methods._repair_kernels import Runs, losses_of_runs, nearest_groups, union_costs
from ontomask.methods.task import SUPPRESSED, Entries, Task, numbered
from ontomask.privacy.requirement import SLACK, Classes, excesses, violating

ValuesOf = Callable[[Entries], tuple[Sequence[Attribute], Int32]]
_NEAREST, _FEWEST = 64, 16  # groups whose union with another is judged
_UNIONS = 400_000  # of them in a round, as far as it goes
_TRIED = 4  # unions whose cost is counted
_ROUNDS = 5  # of joining and separating, before what does not fit is left out


def repaired(task: Task, space: Space, entries: Entries, values_of: ValuesOf, blank: bool = False) -> Int32:
    """The group of every entry (of cells) such that groups satisfy the requirements and limits of the task.

    `values_of` tells what would replace groups. Records that are left out (-1) are dropped or, if `blank`,
    stay without values, as a class that must satisfy everything too. Groups that were good enough keep their
    order.
    """
    if not has_more_than_size(task) and not np.isfinite(task.limits).any():
        return entries.groups
    check_possible(task)
    groups = _Groups(task, space, entries, values_of, blank)
    for _ in range(_ROUNDS):
        groups.separate_misfits()
        groups.join_violating()
        if not groups.misfits().any():
            break
    while groups.leave_out():
        groups.join_violating()
    if not groups.will_do:
        without = _Groups(task, space, entries, values_of, blank)  # perhaps joining spoilt good groups
        while without.leave_out():
            pass
        if not without.will_do:
            raise cannot(task, groups.n_left_out)
        groups = without
    return groups.groups.astype(np.int32)


def losses_by_column(attributes: Sequence[Attribute], codes: Int32, replacements: Int32) -> Float64:
    """How far each record moves in each attribute: in distance, or in NCP where a cover is released."""
    lost = [
        attribute.generalization(codes[:, j], replacements[:, j]).ncp
        if attribute.is_truthful
        else attribute.distance(codes[:, j], replacements[:, j])
        for j, attribute in enumerate(attributes)
    ]
    return np.stack(lost, axis=1)


def has_more_than_size(task: Task) -> bool:
    """Whether requirements look at more than the sizes of groups, which every method takes care of."""
    return any(one.needs for one in task.enforced)


def check_possible(task: Task) -> None:
    """Raise unless the whole table as one class would satisfy every requirement: nothing else can, then.

    Where rows may be left out, what is left may do though the whole does not.
    """
    if task.budget:
        return
    counts = task.tuples.cell_counts
    whole = classes_of(task.tuples, np.zeros(len(counts), np.int64), counts)
    for one in task.enforced:
        if one.violations(whole).any():
            reason, remedy = one.why_impossible(whole)
            raise OntomaskError(f"{one} cannot be had: {reason}", key=f"privacy.{one.key}", remedy=remedy)


def classes_of(
    tuples: Tuples, groups: Integers, counts: Int64, cells: Integers | None = None, within: Bool | None = None
) -> Classes:
    """Groups as classes: entry e has `counts[e]` records of cell `cells[e]` (all in turn) in `groups[e]`.

    `within` marks the groups to be looked at; they are numbered anew, and all others are the whole that they
    are compared with.
    """
    spread = np.zeros((len(groups), 0), np.int32) if tuples.cells is None else tuples.cells.values
    values = spread if cells is None or tuples.cells is None else spread[cells]
    domains = tuples.domains
    if within is None:
        return Classes.of(groups, values, counts, domains)
    kept = groups >= 0
    whole = {
        domain.name: np.bincount(values[kept, b], counts[kept], domain.size).astype(np.int64)
        for b, domain in enumerate(domains)
    }
    looked_at = kept & within[groups]
    number = np.cumsum(within) - 1
    return Classes.of(number[groups[looked_at]], values[looked_at], counts[looked_at], domains, whole)


def violating_groups(task: Task, groups: Integers) -> Bool:
    """Per tuple, kept whole, whether its group (-1: left out) violates a requirement."""
    number, tuples = numbered(groups), task.tuples
    classes = classes_of(tuples, number[tuples.tuple_of_cell], tuples.cell_counts)
    bad = np.append(violating(task.enforced, classes), False)
    found: Bool = bad[number]
    return found


class _Groups:
    """Groups of entries while they are being joined: entry e is in `groups[e]`, -1 if it is left out."""

    def __init__(self, task: Task, space: Space, entries: Entries, values_of: ValuesOf, blank: bool) -> None:
        self.task, self.space, self.values_of, self.blank = task, space, values_of, blank
        self.requirements = task.enforced
        self.cells, groups, self.counts = entries
        self.tuples = task.tuples.tuple_of_cell[self.cells]
        self.limits = task.limits_in(space)
        self.has_limits = bool(np.isfinite(self.limits).any())
        self.renumber(groups)

    def renumber(self, groups: Integers) -> None:
        """Take groups as they stand, numbered from 0; -1 stays left out."""
        self.groups = numbered(groups)
        self.n_groups = int(self.groups.max(initial=-1)) + 1

    @property
    def runs(self) -> Runs:
        """The entries in the order of their groups."""
        order = np.argsort(self.groups, kind="stable")
        order = order[self.groups[order] >= 0]
        starts = np.searchsorted(self.groups[order], np.arange(self.n_groups + 1))
        return Runs(starts, self.tuples[order].astype(np.int64), self.counts[order])

    def classes(self, within: Bool) -> Classes:
        """Some groups as classes; blanked records are released too, as a class after all groups."""
        groups = np.where(self.groups < 0, self.n_groups, self.groups) if self.blank else self.groups
        also = np.zeros(self.n_groups + 1 - len(within), bool)
        within = np.concatenate([within, also])
        return classes_of(self.task.tuples, groups, self.counts, self.cells, within)

    def violating(self, within: Bool) -> Bool:
        """Which of some groups violate a requirement; the blanked records may be one of them."""
        found = np.zeros(len(within), bool)
        found[within] = violating(self.requirements, self.classes(within))
        return found

    # ------------------------------------------------------------------ limits of columns

    def misfits(self) -> Bool:
        """Which entries would move farther than a column allows."""
        far: Bool = np.zeros(len(self.groups), bool)
        if self.has_limits:
            kept = np.flatnonzero(self.groups >= 0)
            attributes, values = self.values_of(
                Entries(self.cells, self.groups.astype(np.int32), self.counts)
            )
            codes = self.task.tuples.codes[self.tuples[kept]]
            lost = losses_by_column(attributes, codes, values[self.groups[kept]])
            far[kept] = (lost > self.task.limits + SLACK).any(axis=1)
        return far

    def separate_misfits(self) -> None:
        """Records that would move farther than a column allows leave their group, until there are none.

        Each tuple of them becomes a group of its own, and looks for company as any other does.
        """
        while (far := self.misfits()).any():
            self.renumber(np.where(far, self.n_groups + self.tuples, self.groups))

    # ------------------------------------------------------------------ joining

    def join_violating(self) -> None:
        """Rounds in which every violating group is joined to another, until none violates.

        Unions that satisfy everything come first, the cheapest of them before others; who has been joined in
        a round waits for the next one.
        """
        bad = self.violating(np.ones(self.n_groups, bool))
        alone = np.zeros(self.n_groups, bool)  # no union with them is within the limits
        while (bad & ~alone).any() and self.n_groups > 1:
            wanted = np.flatnonzero(bad & ~alone)
            partner, excess, cost = self.partners(wanted)
            alone[wanted[partner < 0]] = True
            joined = np.arange(self.n_groups)
            is_free = np.ones(self.n_groups, bool)
            for i in np.lexsort((wanted, cost, excess)).tolist():
                a, b = int(wanted[i]), int(partner[i])
                if b >= 0 and is_free[a] and is_free[b]:
                    joined[max(a, b)] = min(a, b)
                    is_free[[a, b]] = False
            kept = joined == np.arange(self.n_groups)
            changed = ~is_free[kept]
            if not changed.any():
                return
            self.renumber(np.where(self.groups >= 0, joined[self.groups], SUPPRESSED))
            bad, alone = bad[kept], np.zeros(self.n_groups, bool)
            bad = np.where(changed, self.violating(changed), bad)

    def partners(self, wanted: Int64) -> tuple[Int64, Float64, Float64]:
        """For each wanted group the one to be joined to, how far their union is from all that is asked, and
        how much more both lose.

        Of the nearest groups, one whose union satisfies everything, and the cheapest of the nearest of
        these; if there is none, one whose union comes closest to it: groups that are alike in all columns
        are often alike in the confidential one, and would never make a mixed class. -1: no union is within
        the limits of columns.
        """
        runs, classes = self.runs, self.classes(np.ones(self.n_groups, bool))
        losses = losses_of_runs(self.space, runs)
        most = min(self.n_groups - 1, max(_FEWEST, min(_NEAREST, _UNIONS // len(wanted))))
        nearest = nearest_groups(self.space, runs, wanted, most, self.limits)
        i, c = np.nonzero(nearest >= 0)
        excess = np.full(nearest.shape, np.inf)
        excess[i, c] = excesses(self.requirements, classes.unions(wanted[i], nearest[i, c]))
        # The sort is stable: of equals the nearest come first.
        best = np.argsort(excess, axis=1, kind="stable")[:, : _FEWEST if self.has_limits else _TRIED]
        among, their_excess = np.take_along_axis(nearest, best, 1), np.take_along_axis(excess, best, 1)
        costs = union_costs(self.space, runs, losses, wanted, among, self.limits)
        their_excess[np.isinf(costs)] = np.inf
        rows = np.arange(len(wanted))
        choice = np.lexsort((costs, their_excess), axis=1)[:, 0]
        found = np.isfinite(costs[rows, choice])
        partner = np.where(found, among[rows, choice], -1)
        return partner, their_excess[rows, choice], costs[rows, choice]

    # ------------------------------------------------------------------ leaving out

    @property
    def will_do(self) -> bool:
        """Whether somebody is left, and no more are left out than may be."""
        return self.n_groups > 0 and self.n_left_out <= self.task.budget

    @property
    def n_left_out(self) -> int:
        """Number of records in no group."""
        return int(self.counts[self.groups < 0].sum())

    def leave_out(self) -> bool:
        """Leave out groups that still violate a requirement or a limit; whether there were some.

        The others are compared with what is left then, so that they have to be looked at again.
        """
        bad = self.violating(np.ones(self.n_groups, bool))
        bad[self.groups[self.misfits()]] = True
        if not bad.any() and self.blank and self.n_left_out and self._blanked_violate():
            bad[np.argmin(np.bincount(self.groups[self.groups >= 0], self.counts[self.groups >= 0]))] = True
        if not bad.any():
            return False
        self.renumber(np.where((self.groups >= 0) & bad[self.groups], SUPPRESSED, self.groups))
        return self.n_groups > 0

    def _blanked_violate(self) -> bool:
        """Whether the records left out, as a class of the release, violate a requirement."""
        return bool(self.violating(np.arange(self.n_groups + 1) == self.n_groups).any())


def allowing(left_out: int, n: int, otherwise: str) -> str:
    """The remedy where so many of n records would have to be left out: to allow it, or something else."""
    share = np.ceil(1000 * left_out / n) / 10
    return f"allow suppress: {share:g}%, or {otherwise}" if left_out < n else otherwise


def cannot(task: Task, left_out: int) -> NothingLeftError:
    """What stands in the way, for how many rows, and the least change that would do."""
    n = task.tuples.n
    limits = [
        f"`keep` of {a.name!r}" if limit == 0 else f"`max_loss: {limit:g}` of {a.name!r}"
        for a, limit in zip(task.attributes, task.limits.tolist(), strict=True)
        if np.isfinite(limit)
    ]
    asked = ", ".join(map(str, task.requirements))
    within = f" within {' and '.join(limits)}" if limits else ""
    loosen = f"loosen {' or '.join(limits) or 'a requirement'}"
    return NothingLeftError(
        f"{left_out:,} of {n:,} rows cannot have {asked}{within}, and {task.budget:,} may be left out",
        key="privacy.suppress",
        remedy=allowing(left_out, n, loosen),
    )
