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
from ontomask.attributes import Attribute, Domain, Space, Tuples
from ontomask.errors import OntomaskError
from ontomask.methods._repair_kernels import Runs, losses_of_runs, partners
from ontomask.methods.task import SUPPRESSED, Entries, Task
from ontomask.privacy.requirement import SLACK, Classes, violating

ValuesOf = Callable[[Entries], tuple[Sequence[Attribute], Int32]]
_TRIED = 4  # nearest groups whose union is looked at
_TRIED_WITHIN_LIMITS = 24
_ROUNDS = 5  # of joining and separating, before what does not fit is left out


def repaired(task: Task, space: Space, entries: Entries, values_of: ValuesOf) -> Int32:
    """The group of every entry (of cells) such that groups satisfy the requirements and limits of the task.

    `values_of` tells what would replace groups. Groups that were good enough keep their order.
    """
    if not has_more_than_size(task) and not np.isfinite(task.limits).any():
        return entries.groups
    check_possible(task)
    groups = _Groups(task, space, entries, values_of)
    for _ in range(_ROUNDS):
        groups.separate_misfits()
        groups.join_violating()
        if not groups.misfits().any():
            break
    while groups.leave_out():
        pass
    return groups.groups.astype(np.int32)


def losses_by_column(attributes: Sequence[Attribute], codes: Int32, replacements: Int32) -> Float64:
    """How far each record moves in each attribute: in distance, or in NCP where a cover is released."""
    lost = [
        attribute.generalization(codes[:, j], replacements[:, j]).ncp
        if attribute.levels is not None
        else attribute.distance(codes[:, j], replacements[:, j])
        for j, attribute in enumerate(attributes)
    ]
    return np.stack(lost, axis=1)


def has_more_than_size(task: Task) -> bool:
    """Whether requirements look at more than the sizes of groups, which every method takes care of."""
    return any(one.needs or not one.is_monotone for one in task.requirements)


def check_possible(task: Task) -> None:
    """Raise unless the whole table as one class would satisfy every requirement: nothing else can, then."""
    whole = classes_of(task.tuples, np.zeros(n_cells(task.tuples), np.int64), cell_counts(task.tuples))
    for one in task.requirements:
        if one.is_monotone and one.violations(whole).any():
            raise OntomaskError(
                f"{one} cannot be had: the whole table as one class reaches {one.reached(whole):.4g}",
                key=f"privacy.{one.key}",
                remedy=f"ask for {one.reached(whole):.4g} or {'more' if one.is_bound else 'less'}",
            )


def n_cells(tuples: Tuples) -> int:
    """Number of cells; without further columns every tuple is one."""
    return len(tuples) if tuples.cells is None else len(tuples.cells.counts)


def cell_counts(tuples: Tuples) -> Int64:
    """Records of every cell."""
    return tuples.counts if tuples.cells is None else tuples.cells.counts


def domains_of(tuples: Tuples) -> Sequence[Domain]:
    """The further columns that requirements look at."""
    return () if tuples.cells is None else tuples.cells.domains


def classes_of(
    tuples: Tuples, groups: Integers, counts: Int64, cells: Integers | None = None, within: Bool | None = None
) -> Classes:
    """Groups as classes: entry e has `counts[e]` records of cell `cells[e]` (all in turn) in `groups[e]`.

    `within` marks the groups to be looked at; they are numbered anew, and all others are the whole that they
    are compared with.
    """
    spread = np.zeros((len(groups), 0), np.int32) if tuples.cells is None else tuples.cells.values
    values = spread if cells is None or tuples.cells is None else spread[cells]
    domains = domains_of(tuples)
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
    kept = groups >= 0
    number = np.full(len(groups), SUPPRESSED, np.int64)
    number[kept] = np.unique(groups[kept], return_inverse=True)[1]
    tuples = task.tuples
    classes = classes_of(tuples, number[tuples.tuple_of_cell], cell_counts(tuples))
    bad = np.append(violating(task.requirements, classes), False)
    found: Bool = bad[number]
    return found


class _Groups:
    """Groups of entries while they are being joined: `group_of[g]` is where the g-th first group is now."""

    def __init__(self, task: Task, space: Space, entries: Entries, values_of: ValuesOf) -> None:
        self.task, self.space, self.values_of = task, space, values_of
        self.cells, self.first, self.counts = entries
        self.tuples = task.tuples.tuple_of_cell[self.cells]
        self.limits = task.limits_in(space)
        self.has_limits = bool(np.isfinite(self.limits).any())
        self.renumber(self.first)

    def renumber(self, groups: Integers) -> None:
        """Take groups as they stand, numbered from 0; -1 stays left out."""
        kept = groups >= 0
        number = np.full(len(groups), SUPPRESSED, np.int64)
        number[kept] = np.unique(groups[kept], return_inverse=True)[1]
        self.groups = number
        self.n_groups = int(number.max(initial=-1)) + 1

    @property
    def runs(self) -> Runs:
        """The entries in the order of their groups."""
        order = np.argsort(self.groups, kind="stable")
        order = order[self.groups[order] >= 0]
        starts = np.searchsorted(self.groups[order], np.arange(self.n_groups + 1))
        return Runs(starts, self.tuples[order].astype(np.int64), self.counts[order])

    def violating(self, within: Bool) -> Bool:
        """Which of some groups violate a requirement."""
        classes = classes_of(self.task.tuples, self.groups, self.counts, self.cells, within)
        found = np.zeros(self.n_groups, bool)
        found[within] = violating([one for one in self.task.requirements if one.is_monotone], classes)
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
        """Rounds in which every violating group is joined to the one with which it loses least.

        The cheapest unions come first; who has been joined in a round waits for the next one.
        """
        bad = self.violating(np.ones(self.n_groups, bool))
        alone = np.zeros(self.n_groups, bool)  # no union with them is within the limits
        while (bad & ~alone).any() and self.n_groups > 1:
            wanted = np.flatnonzero(bad & ~alone)
            runs = self.runs
            tried = _TRIED_WITHIN_LIMITS if self.has_limits else _TRIED
            partner, cost = partners(
                self.space, runs, losses_of_runs(self.space, runs), wanted, tried, self.limits
            )
            alone[wanted[partner < 0]] = True
            joined = np.arange(self.n_groups)
            is_free = np.ones(self.n_groups, bool)
            for i in np.lexsort((wanted, cost)).tolist():
                a, b = int(wanted[i]), int(partner[i])
                if b >= 0 and is_free[a] and is_free[b]:
                    joined[max(a, b)] = min(a, b)
                    is_free[[a, b]] = False
            self.apply(joined)
            kept = joined == np.arange(self.n_groups_before)
            # A group that found none may find one among those that have been joined since.
            changed = ~is_free[kept]
            bad, alone = bad[kept], alone[kept] & ~changed.any()
            bad = np.where(changed, self.violating(changed), bad) if changed.any() else bad
            if not changed.any():
                return

    def apply(self, joined: Int64) -> None:
        """Groups become the ones they are joined to."""
        self.n_groups_before = self.n_groups
        kept = self.groups >= 0
        after = self.groups.copy()
        after[kept] = joined[self.groups[kept]]
        self.renumber(after)

    # ------------------------------------------------------------------ leaving out

    def leave_out(self) -> bool:
        """Leave out groups that still violate a requirement or a limit; whether there were some.

        The others are compared with what is left then, so that they have to be looked at again.
        """
        if not self.n_groups:
            raise cannot(self.task, self.task.tuples.n)
        bad = self.violating(np.ones(self.n_groups, bool))
        bad[self.groups[self.misfits()]] = True
        if not bad.any():
            return False
        gone = (self.groups >= 0) & bad[self.groups]
        left_out = int(self.counts[gone | (self.groups < 0)].sum())
        if left_out > self.task.budget:
            raise cannot(self.task, left_out)
        self.renumber(np.where(gone, SUPPRESSED, self.groups))
        return True


def cannot(task: Task, left_out: int) -> OntomaskError:
    """What stands in the way, for how many rows, and the least change that would do."""
    n = task.tuples.n
    limits = [
        f"`keep` of {a.name!r}" if limit == 0 else f"`max_loss: {limit:g}` of {a.name!r}"
        for a, limit in zip(task.attributes, task.limits.tolist(), strict=True)
        if np.isfinite(limit)
    ]
    asked = ", ".join(map(str, task.requirements))
    within = f" within {' and '.join(limits)}" if limits else ""
    share = np.ceil(1000 * left_out / n) / 10
    return OntomaskError(
        f"{left_out:,} of {n:,} rows cannot have {asked}{within}, and {task.budget:,} may be left out",
        key="privacy.suppress",
        remedy=f"allow suppress: {share:g}%, or loosen "
        + (" or ".join(limits) if limits else "a requirement"),
    )
