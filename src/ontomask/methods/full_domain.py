"""Full-domain generalisation: all values of a column are taken to the same level of its hierarchy.

What the methods of this family (Datafly, Incognito) have in common: the table at any choice of levels, what
it loses, and which records are left out. A choice of a level for each attribute is a *node* of the
generalisation lattice (Samarati 2001). Nothing here knows labels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, counted_sum
from ontomask.attributes import Attribute, Tuples
from ontomask.errors import InternalError, NothingLeftError
from ontomask.measures.base import on_grid
from ontomask.methods._lattice_kernels import merged
from ontomask.methods.base import BLANK, Masking, Method
from ontomask.methods.repair import cannot, check_possible, classes_of, has_more_than_size
from ontomask.methods.task import SUPPRESSED, Entries, Task
from ontomask.options import option
from ontomask.privacy.requirement import violating


@dataclass(frozen=True)
class FullDomain(Method):
    """The family of methods that only have to choose a level for each attribute."""

    has_centroids: ClassVar[bool] = False
    has_hierarchies: ClassVar[bool] = True
    is_truthful: ClassVar[bool] = True
    compiled: ClassVar[str] = "_lattice_kernels"
    blank: bool = option(False, BLANK)

    def in_words(self, k: int) -> str:
        said = super().in_words(k)
        return said.replace("were left out", "were blanked") if self.blank else said

    def masking(self, task: Task) -> Masking:
        task.check_size()
        check_possible(task)
        tuples = task.tuples
        table = LeveledTable(task, self.blank)
        node = self.node(table, task.done)
        classes = table.classes(node)
        left_out = table.left_out(node, classes)
        if left_out is None:
            raise InternalError(f"{self.name} chose levels at which too many records are left out")
        group_of_class = np.where(left_out, SUPPRESSED, np.cumsum(~left_out) - 1)
        task.done[0] = tuples.n
        return Masking.of(
            Entries.whole(group_of_class[classes.class_of], tuples.counts).of_cells(tuples, task.rng),
            table.values(node, classes.tuples[~left_out]),
            task.attributes,
        )

    @abstractmethod
    def node(self, table: LeveledTable, done: Int64) -> Int64:
        """A level for each attribute at which the table is k-anonymous."""


class Classes(NamedTuple):
    """Records that are equal at some levels: `counts[c]` are in class c, `tuples[c]` is its first tuple.

    `class_of` has the class of every row that was counted: of the tuples of the table, or of lower classes.
    """

    tuples: Int64
    counts: Int64
    class_of: Int64


@dataclass(frozen=True, eq=False)
class LeveledTable:
    """A table whose attributes have levels, and what its classes must satisfy.

    Attributes
    ----------
    task
        What is asked for. Of the records that may be left out, one class at least is kept.
    blank
        Whether records that are left out stay with no values, so that they form a class like any other.
    """

    task: Task
    blank: bool = False

    @property
    def tuples(self) -> Tuples:
        """The table."""
        return self.task.tuples

    @property
    def attributes(self) -> Sequence[Attribute]:
        """Its columns."""
        return self.task.attributes

    @property
    def strict(self) -> LeveledTable:
        """The same where nobody is left out."""
        return LeveledTable(replace(self.task, budget=0))

    @cached_property
    def levels(self) -> tuple[Int32, ...]:
        """`levels[j][i, code]`: the replacement of a code of attribute j at level i.

        Levels at which a value would lose more than its column allows are not there.
        """
        return tuple(
            levels_within(attribute, limit)
            for attribute, limit in zip(self.attributes, self.task.limits.tolist(), strict=True)
        )

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The top level of every attribute."""
        return tuple(len(levels) - 1 for levels in self.levels)

    # ------------------------------------------------------------------ classes

    @cached_property
    def _nodes(self) -> Int32:
        """What is equal at each level: numbers from 0, [attributes, levels, codes], for the compiled loop."""
        shape = len(self.levels), max(self.heights) + 1, max(levels.shape[1] for levels in self.levels)
        nodes = np.zeros(shape, np.int32)
        for j, levels in enumerate(self.levels):
            for i, row in enumerate(levels):
                nodes[j, i, : len(row)] = np.unique(row, return_inverse=True)[1]
        return nodes

    def classes(
        self, node: Sequence[int] | Int64, below: Classes | None = None, subset: Sequence[int] | None = None
    ) -> Classes:
        """The classes at a node, of all attributes or of a subset of them.

        They are counted from the tuples or, with the same result, from the classes of a node below (roll-up):
        what is equal at a level is equal at the next, so that a class of a node is a union of those below.
        """
        which = np.arange(len(self.attributes)) if subset is None else np.array(subset, np.int64)
        tuples = np.arange(len(self.tuples)) if below is None else below.tuples
        counts = self.tuples.counts if below is None else below.counts
        at = np.array(node, np.int64)
        return Classes(*merged(self.tuples.codes, self._nodes, which, at, tuples, counts))

    def values(self, node: Int64, tuples: Int64) -> Int32:
        """What replaces some tuples at a node, [tuples, attributes]."""
        columns = [
            levels[level, self.tuples.codes[tuples, j]]
            for j, (levels, level) in enumerate(zip(self.levels, node, strict=True))
        ]
        return np.stack(columns, axis=1).astype(np.int32)

    # ------------------------------------------------------------------ requirements

    @cached_property
    def looks_beyond_sizes(self) -> bool:
        """Whether requirements look at more than the sizes of classes, which must be counted from tuples."""
        return has_more_than_size(self.task)

    def violating(self, classes: Classes, kept: Bool | None = None) -> Bool:
        """Which classes violate a requirement, some classes (all) being released."""
        few: Bool = classes.counts < self.task.k
        if not self.looks_beyond_sizes or int(classes.counts[few].sum()) > self.task.budget:
            return few  # enough to know that there are too many
        if kept is None:
            kept = np.ones(len(few), bool)
        number = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
        tuples = self.tuples
        groups = number[classes.class_of[tuples.tuple_of_cell]]
        found = np.zeros(len(few), bool)
        found[kept] = violating(self.task.enforced, classes_of(tuples, groups, tuples.cell_counts))
        return found

    def is_anonymous(self, classes: Classes) -> bool:
        """Whether the records in classes that violate a requirement are few enough to be left out."""
        return self._may_go(classes, self.violating(classes))

    def _may_go(self, classes: Classes, gone: Bool) -> bool:
        return int(classes.counts[gone].sum()) <= min(self.task.budget, self._n - 1)

    @cached_property
    def _n(self) -> int:
        return self.tuples.n

    def left_out(self, node: Int64, classes: Classes) -> Bool | None:
        """Which classes are left out, None if they are too many records.

        The others are compared with what is released then, and looked at again. Blanked records are a class
        like any other, those that have no value anyway among them: the rarest of the other classes (ties: the
        first) join them until it satisfies everything too.
        """
        gone = self.violating(classes)
        if not gone.any():
            return gone
        if self.blank:
            return self._blanked(node, classes, gone)
        while self._may_go(classes, gone):
            more = ~gone & self.violating(classes, ~gone)
            if not more.any():
                return gone
            gone |= more
        return None

    def refusal(self) -> NothingLeftError:
        """Why no choice of levels will do, and the least change that would."""
        top = np.array(self.heights, np.int64)
        classes = self.classes(top)
        lavish = LeveledTable(replace(self.task, budget=self._n - 1), self.blank)
        gone = lavish.left_out(top, classes)
        return cannot(self.task, self._n if gone is None else int(classes.counts[gone].sum()))

    def _blanked(self, node: Int64, classes: Classes, gone: Bool) -> Bool | None:
        nothing = np.array([attribute.nothing for attribute in self.attributes])
        is_empty = (self.values(node, classes.tuples) == nothing).all(axis=1)
        rarest_first = np.lexsort((classes.tuples, classes.counts))
        while self._may_go(classes, gone):
            # The blanked class is the last one.
            among = np.where(gone | is_empty, len(gone), np.arange(len(gone)))
            number, merged = np.unique(among, return_inverse=True)
            counts = np.bincount(merged, classes.counts).astype(np.int64)
            bad = self.violating(Classes(number, counts, merged[classes.class_of]))
            if not bad.any():
                return gone
            if bad[:-1].any():
                gone = gone | (bad[merged] & (among < len(gone)))
            else:
                others = rarest_first[~(gone | is_empty)[rarest_first]]
                if not len(others):
                    return None
                gone = gone.copy()
                gone[others[0]] = True
        return None

    # ------------------------------------------------------------------ loss

    @cached_property
    def costs(self) -> tuple[Float64, ...]:
        """`costs[j][i, code]`: the weighted distance of a code of attribute j to what it is at level i.

        On the grid, so that sums are exact in any order.
        """
        found = []
        for attribute, levels in zip(self.attributes, self.levels, strict=True):
            codes = np.arange(attribute.size, dtype=np.int32)
            found.append(
                on_grid(attribute.weight * np.stack([attribute.distance(codes, row) for row in levels]))
            )
        return tuple(found)

    @cached_property
    def most(self) -> Float64:
        """What each attribute of a record that is left out costs."""
        return on_grid(np.array([attribute.weight * attribute.maximum for attribute in self.attributes]))

    @cached_property
    def losses(self) -> tuple[Float64, ...]:
        """`losses[j][i]`: what attribute j loses at level i, summed over all records."""
        return tuple(self._summed(j, costs) for j, costs in enumerate(self.costs))

    @cached_property
    def least_losses(self) -> tuple[Float64, ...]:
        """The same where a record costs at most what leaving it out does: nothing can lose less."""
        return tuple(self._summed(j, np.minimum(costs, self.most[j])) for j, costs in enumerate(self.costs))

    def _summed(self, j: int, costs: Float64) -> Float64:
        times = np.bincount(self.tuples.codes[:, j], weights=self.tuples.counts, minlength=costs.shape[1])
        summed: Float64 = counted_sum(times.astype(np.int64), costs.T)
        return summed

    def loss(self, node: Int64, left_out: Bool) -> float:
        """What a release of a node loses, without the tuples marked (document 004, equation 11, times n m)::

            sum over records i, attributes j of  w_j sd_j(x_ij, x*_ij)

        where what is left out costs the maximum in every attribute.
        """
        whole = sum(float(losses[level]) for losses, level in zip(self.losses, node, strict=True))
        codes, counts = self.tuples.codes[left_out], self.tuples.counts[left_out]
        for j, (costs, level) in enumerate(zip(self.costs, node, strict=True)):
            whole += float(counted_sum(counts, self.most[j] - costs[level, codes[:, j]]))
        return whole


def levels_within(attribute: Attribute, limit: float) -> Int32:
    """The levels at which no value loses more than a limit, in NCP."""
    levels = levels_of(attribute)
    codes = np.arange(attribute.size, dtype=np.int32)
    losses = np.array([attribute.generalization(codes, row).ncp.max() for row in levels])
    return levels[: int(np.argmax(losses > limit)) if (losses > limit).any() else len(levels)]


def levels_of(attribute: Attribute) -> Int32:
    """The levels of an attribute that must have them."""
    if attribute.levels is None:
        raise InternalError(f"the attribute {attribute.name} was given no hierarchy")
    return attribute.levels
