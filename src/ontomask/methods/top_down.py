"""Constrained top-down specialisation (document 003, algorithm 1; Mohammed et al. 2009): data for a purpose.

Every value starts at the root of its hierarchy, and nodes are replaced by their children, those first that
tell most about a target, as long as LKC-privacy and all else that is asked still holds. Specialising divides
groups and joins none, so what is invalid stays so: every specialisation is looked at once. Nothing here knows
labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64, distinct_rows
from ontomask.attributes import Attribute
from ontomask.errors import InternalError, NothingLeftError, OntomaskError
from ontomask.methods._top_down_kernels import Divided, barred_splits, divide, divided, spread_over_parts
from ontomask.methods.base import Masking, Method
from ontomask.methods.full_domain import levels_within
from ontomask.methods.info_gain import gains_of_splits, info_gain
from ontomask.methods.repair import check_possible, classes_of
from ontomask.methods.task import Entries, Task
from ontomask.methods.trace import Because, Step, Stop, Trace
from ontomask.options import option
from ontomask.privacy import KAnonymity, KnownValues
from ontomask.privacy._known_values_kernels import Rows, fewest_records
from ontomask.privacy.requirement import SLACK, Requirement

MOST_SETS = 200_000
"""Sets of columns that are looked at for one specialisation."""
_SPLIT = -1  # the level of a range that is split where it tells most


@dataclass(frozen=True)
class TopDown(Method):
    """Top-down specialisation by InfoGain, or by what the literature says of attributes."""

    name: ClassVar[str] = "top-down"
    words: ClassVar[str] = (
        "Everybody began with the most general values. Those that tell most were made more specific for all "
        "people alike, step by step, as long as whatever an intruder may know of a person is shared by {k} "
        "people or more (top-down specialisation)."
    )
    has_centroids: ClassVar[bool] = False
    has_hierarchies: ClassVar[bool] = True
    splits_numbers: ClassVar[bool] = True
    is_truthful: ClassVar[bool] = True
    judges_sets: ClassVar[bool] = True
    compiled: ClassVar[str] = "_top_down_kernels"

    target: str | None = option(
        None,
        "the column that analysts study: values are kept that tell it; it is released as it is",
        values="name of a column",
        otherwise="none; values are kept that tell most people apart",
    )
    score: Literal["infogain", "mim"] = option(
        "infogain",
        "what comes first: the specialisation with the best InfoGain, or those of the column with the best "
        "`mim`, and of them the best by InfoGain",
    )
    mim: dict[str, float] | None = option(
        None,
        "how often the literature names a column together with the target, over what chance would do; "
        "columns that are not named have 0",
        values="numbers by column, such as `{age: 0.75}`",
        otherwise="none",
    )
    prioritise: dict[str, tuple[str, ...]] | None = option(
        None,
        "columns with one of these semantic types, or one of these relations to the target, come first; "
        "before them those with both",
        values="`{types: [Sign or Symptom], relations: [causes]}`, or one of them",
        otherwise="none",
    )
    needs_gain: bool = option(
        True, "specialise only what tells more (an InfoGain above 0); false: whatever is valid"
    )

    def conflicts(self) -> Iterator[tuple[str, str]]:
        unknown = [key for key in self.prioritise or {} if key not in ("types", "relations")]
        if unknown:
            yield "prioritise", f"{unknown[0]!r} is not a constraint; name types, relations or both"
        if self.score == "mim" and self.target is None:
            yield "score", "mim says how columns are named together with the target; name a target, too"
        if self.score == "mim" and not self.mim:
            yield "score", "mim ranks columns by numbers that are not there; give mim: {age: 0.75, ...}"
        if self.score == "infogain" and self.mim:
            yield "mim", "has no effect beside score: infogain; remove it, or say score: mim"

    @property
    def needs(self) -> tuple[str, ...]:
        return () if self.target is None else (self.target,)

    def masking(self, task: Task) -> Masking:
        task.check_size()
        check_possible(replace(task, budget=0))  # it leaves out nobody
        search = Search(self, task)
        search.run()
        task.done[0] = task.tuples.n
        return search.masking()


class Node(NamedTuple):
    """A node of the current cut: the records of attribute `attribute` with one of `codes` have it.

    `level` is where it stands in the hierarchy, or -1 if it is a range to be split.
    """

    attribute: int
    codes: Int64
    level: int


class Specialisation(NamedTuple):
    """A node and what would stand in its place."""

    node: Node
    children: tuple[Node, ...]
    gain: float


class Violation(NamedTuple):
    """What a specialisation would violate, on which attributes."""

    because: Because
    on: tuple[int, ...] = ()
    requirement: str = ""


class Waiting(NamedTuple):
    """A specialisation that waits for its turn, by its rank; then the next best of its node."""

    rank: tuple[float, ...]
    best: Specialisation
    others: Iterator[Specialisation]
    refused: Violation | None


class Search:
    """The current cut of every attribute, and the groups of equal records that it leaves."""

    def __init__(self, method: TopDown, task: Task) -> None:
        self.method, self.task, self.tuples = method, task, task.tuples
        self.m = len(task.attributes)
        self.tiers = list(task.tiers) or [0] * self.m
        self.mim = list(task.mim) or [0.0] * self.m
        self.levels = [
            None if attribute.levels is None else _levels(attribute, limit)
            for attribute, limit in zip(task.attributes, task.limits.tolist(), strict=True)
        ]
        self.number_of = [np.zeros(attribute.size, np.int32) for attribute in task.attributes]
        self.cut: list[dict[int, Node]] = [{} for _ in range(self.m)]
        self.steps: list[Specialisation] = []
        self.stops: list[tuple[Node, Violation, int]] = []
        self.barred: dict[tuple[int, int, bytes], Bool] = {}
        self._settled = 0
        for j in range(self.m):
            for number, node in enumerate(self._roots(j)):
                self._put(node, number)
        codes = [self.number_of[j][self.tuples.codes[:, j]] for j in range(self.m)]
        self.group_of = distinct_rows(codes)[1].astype(np.int32)
        self.n_groups = int(self.group_of.max()) + 1
        self._check_start()

    # ------------------------------------------------------------------ the algorithm

    def run(self) -> None:
        """Do the best valid specialisation, until there is none; attributes of a tier before those behind."""
        waiting: list[Waiting] = []
        nodes = [node for cut in self.cut for node in cut.values()]
        while nodes or waiting:
            for node in nodes:
                self._look_at(node, self.specialisations(node), None, waiting)
            nodes = []
            if waiting:
                _, best, others, refused = heappop(waiting)
                parts = self._divided(best)
                violation = self.violation(best, parts)
                if violation is None:
                    self._specialise(best, parts)
                    nodes = list(best.children)
                else:
                    self._bar(best.node, violation)
                    self._look_at(best.node, others, refused or violation, waiting)

    def _look_at(
        self,
        node: Node,
        candidates: Iterator[Specialisation],
        refused: Violation | None,
        waiting: list[Waiting],
    ) -> None:
        """The next specialisation of a node waits for its turn; if there is none, the node stays.

        `refused` is what the best of those before it would have violated.
        """
        best = next(candidates, None)
        if best is not None and (best.gain > 0 or not self.method.needs_gain):
            heappush(waiting, Waiting(self._rank(best), best, candidates, refused))
            return
        why = refused or self._why_none(node, best)
        if why is not None:
            self.stops.append((node, why, len(self.steps)))
        self._settled += int(self._rows_of(node).sum())
        self.task.done[0] = self._settled // self.m

    def _rank(self, one: Specialisation) -> tuple[float, ...]:
        """What comes first: tier, score, and of equals the first attribute and value."""
        j = one.node.attribute
        mim = self.mim[j] if self.method.score == "mim" else 0.0
        return (self.tiers[j], -mim, -one.gain, j, *(int(child.codes[0]) for child in one.children))

    def specialisations(self, node: Node) -> Iterator[Specialisation]:
        """What may stand in the place of a node, the best first: its children, or two ranges of it."""
        if node.level == _SPLIT:
            yield from self._splits(node)
        elif children := self._children(node):
            yield Specialisation(node, children, self._gain(children))

    # ------------------------------------------------------------------ the cut

    def _roots(self, j: int) -> Iterator[Node]:
        """The most general nodes of an attribute: its root, or those that its limit still allows."""
        levels, codes = self.levels[j], self._present[j]
        if levels is None:
            yield Node(j, codes, _SPLIT)
        else:
            yield from _below(j, levels, len(levels) - 1, codes)

    @cached_property
    def _present(self) -> list[Int64]:
        """Per attribute the codes that some record has."""
        return [np.unique(self.tuples.codes[:, j]).astype(np.int64) for j in range(self.m)]

    def _children(self, node: Node) -> tuple[Node, ...]:
        """The nodes of the next lower level at which not all values have become the same.

        Another label for all of them tells no more; it is a child where that is not asked for.
        """
        levels = self.levels[node.attribute]
        assert levels is not None
        for level in range(node.level - 1, -1, -1):
            row = levels[level, node.codes]
            is_other = bool(row[0] != levels[node.level, node.codes[0]])
            if (row != row[0]).any() or (is_other and not self.method.needs_gain):
                return tuple(_below(node.attribute, levels, level, node.codes))
        return ()

    def _splits(self, node: Node) -> Iterator[Specialisation]:
        """The binary splits of a range, the best InfoGain first; a missing value leaves it before that."""
        attribute = self.task.attributes[node.attribute]
        is_missing = node.codes == attribute.missing
        if is_missing.any():
            if not is_missing.all():
                children = tuple(node._replace(codes=node.codes[part]) for part in (~is_missing, is_missing))
                yield Specialisation(node, children, self._gain(children))
            return
        gains = gains_of_splits(self.by_class[node.attribute][node.codes])
        left = np.cumsum(self._rows_of(node))
        few = (left[:-1] < self._least) | (left[-1] - left[:-1] < self._least)
        self.barred[_key(node)] = few
        for at in np.argsort(-gains, kind="stable").tolist():
            if not few[at]:  # more may have been barred since
                low, high = node.codes[: at + 1], node.codes[at + 1 :]
                yield Specialisation(
                    node, (node._replace(codes=low), node._replace(codes=high)), float(gains[at])
                )

    def _why_none(self, node: Node, best: Specialisation | None) -> Violation | None:
        """Why a node has no specialisation that is worth a look; None if there is nothing below it."""
        if best is not None:
            return Violation("gain")
        if node.level == _SPLIT and len(node.codes) > 1:
            return Violation("K", (node.attribute,))
        return None

    def _bar(self, node: Node, violation: Violation) -> None:
        """Of a range, bar all splits that leave too few on the same columns: each would be tried in vain."""
        if node.level != _SPLIT or violation.because not in ("K", "k") or _key(node) not in self.barred:
            return
        order, starts = self._tuples_of[node.attribute]
        members = np.concatenate([order[starts[code] : starts[code + 1]] for code in node.codes])
        others = [a for a in violation.on if a != node.attribute]
        columns = [self.number_of[a][self.tuples.codes[members, a]] for a in others]
        (least,) = [
            one.k if isinstance(one, KAnonymity) else one.K
            for one in self._counted
            if isinstance(one, KAnonymity) == (violation.because == "k")
        ]
        self.barred[_key(node)] |= barred_splits(
            np.array(columns, np.int32).reshape(len(others), len(members)),
            np.array([len(self.cut[a]) for a in others], np.int64),
            np.repeat(np.arange(len(node.codes), dtype=np.int32), np.diff(starts)[node.codes]),
            self.tuples.counts[members],
            least,
        )

    @cached_property
    def _least(self) -> int:
        """Fewer records than this have no value that may stand alone."""
        sizes = [one.K for one in self.task.enforced if isinstance(one, KnownValues)]
        return max([self.task.k, *sizes])

    def _put(self, node: Node, number: int) -> None:
        self.cut[node.attribute][number] = node
        self.number_of[node.attribute][node.codes] = number

    def _specialise(self, one: Specialisation, parts: Divided) -> None:
        j = one.node.attribute
        own, more = int(self.number_of[j][one.node.codes[0]]), len(self.cut[j])
        for number, child in zip([own, *range(more, more + len(one.children))], one.children, strict=False):
            self._put(child, number)
        self.n_groups = divide(parts, self.group_of, self.n_groups)
        self.steps.append(one)

    # ------------------------------------------------------------------ counts

    @cached_property
    def by_class(self) -> list[Int64]:
        """Per attribute the records of each code and class of the target."""
        tuples, target = self.tuples, self.method.target
        if target is None:
            classes, n_classes = np.zeros(len(tuples.tuple_of_cell), np.int64), 1
        else:
            names = [domain.name for domain in tuples.domains]
            if target not in names or tuples.cells is None:
                raise InternalError("nobody counted the target")
            b = names.index(target)
            classes = tuples.cells.values[:, b].astype(np.int64)
            n_classes = max(tuples.domains[b].size, 2)  # of one class nothing can be gained
        found = []
        for j, attribute in enumerate(self.task.attributes):
            keys = tuples.codes[tuples.tuple_of_cell, j] * n_classes + classes
            counts = np.bincount(keys, tuples.cell_counts, attribute.size * n_classes)
            found.append(counts.astype(np.int64).reshape(attribute.size, n_classes))
        return found

    def _rows_of(self, node: Node) -> Int64:
        """Records of every code of a node."""
        counts: Int64 = self.by_class[node.attribute][node.codes].sum(axis=1)
        return counts

    def _gain(self, children: Sequence[Node]) -> float:
        by_class = self.by_class[children[0].attribute]
        return info_gain(np.stack([by_class[child.codes].sum(axis=0) for child in children]))

    @cached_property
    def _tuples_of(self) -> list[tuple[Int32, Int64]]:
        """Per attribute the tuples in the order of their codes, and where each code starts."""
        found = []
        for j, attribute in enumerate(self.task.attributes):
            codes = self.tuples.codes[:, j]
            starts = np.cumsum([0, *np.bincount(codes, minlength=attribute.size)])
            found.append((np.argsort(codes, kind="stable").astype(np.int32), starts.astype(np.int64)))
        return found

    def _divided(self, one: Specialisation) -> Divided:
        """The groups that a specialisation would divide."""
        order, starts = self._tuples_of[one.node.attribute]
        codes = np.concatenate([child.codes for child in one.children])
        child_of = np.repeat(np.arange(len(one.children)), [len(child.codes) for child in one.children])
        return divided(
            order,
            starts,
            codes,
            child_of.astype(np.int32),
            self.group_of,
            self.n_groups,
            self.tuples.counts,
        )

    # ------------------------------------------------------------------ what must hold

    def violation(self, one: Specialisation, parts: Divided) -> Violation | None:
        """What a specialisation would violate; None if it is valid."""
        for asked in self._counted:
            if isinstance(asked, KAnonymity):
                if parts.sizes.min() < asked.k:
                    return Violation("k", tuple(range(self.m)))
            elif found := self._unshared(asked, one.node.attribute, parts):
                return found
        return self._violated(self._others, one)

    @cached_property
    def _counted(self) -> list[KAnonymity | KnownValues]:
        """The requirements that are counted on what is divided alone, the quickest first."""
        found: list[KAnonymity | KnownValues] = []
        for one in self.task.enforced:
            if isinstance(one, KAnonymity) and one.unit is None:
                found.insert(0, one)
            elif isinstance(one, KnownValues) and one.unit is None:
                found.append(one)
        return found

    @cached_property
    def _others(self) -> list[Requirement]:
        return [one for one in self.task.enforced if one not in self._counted]

    def _unshared(self, asked: KnownValues, j: int, parts: Divided) -> Violation | None:
        """The attributes on which fewer than K records of a part are equal, or one value is too sure."""
        others = [a for a in range(self.m) if a != j and len(self.cut[a]) > 1]
        others.sort(key=lambda a: -len(self.cut[a]))  # more nodes, smaller groups: what fails does so soon
        codes = [self.number_of[a][self.tuples.codes[parts.tuples, a]] for a in others]
        spread = [self._spread(name, parts) for name in asked.columns]
        known = asked.L if asked.on_sets else self.m
        rows = Rows(
            codes=np.array(codes, np.int32).reshape(len(others), len(parts.sizes)),
            widths=np.array([len(self.cut[a]) for a in others], np.int64),
            start=parts.children,
            n_start=int(parts.children.max()) + 1,
            sizes=parts.sizes,
            first=np.cumsum([0, *(len(one[2]) for one in spread)]).astype(np.int64),
            row_of=np.concatenate([np.zeros(0, np.int32), *(one[0] for one in spread)]),
            values=np.concatenate([np.zeros(0, np.int32), *(one[1] for one in spread)]),
            counts=np.concatenate([np.zeros(0, np.int64), *(one[2] for one in spread)]),
            value_widths=np.array([self._column(name)[1] for name in asked.columns], np.int64),
            counts_people=False,
            most=asked.C + SLACK,
        )
        fewest, chosen = fewest_records(rows, min(known - 1, len(others)), asked.K)
        if chosen.tolist() == [-1]:
            return None
        return Violation("K" if fewest.min() > 0 else "C", tuple(sorted([j, *(others[a] for a in chosen)])))

    def _spread(self, name: str, parts: Divided) -> tuple[Int32, Int32, Int64]:
        values, size = self._column(name)
        return spread_over_parts(parts, self._cell_starts, values, self.tuples.cell_counts, size)

    def _column(self, name: str) -> tuple[Int32, int]:
        """The values of the cells in a further column, and how many there are."""
        b = [domain.name for domain in self.tuples.domains].index(name)
        assert self.tuples.cells is not None
        return np.ascontiguousarray(self.tuples.cells.values[:, b]), self.tuples.domains[b].size

    @cached_property
    def _cell_starts(self) -> Int64:
        return np.searchsorted(self.tuples.tuple_of_cell, np.arange(len(self.tuples) + 1)).astype(np.int64)

    def _violated(self, asked: Sequence[Requirement], one: Specialisation | None) -> Violation | None:
        """The first requirement that some class would violate after a specialisation, or (None) does now."""
        if not asked:
            return None
        number_of = [*self.number_of]
        if one is not None:
            j = one.node.attribute
            number_of[j] = number_of[j].copy()
            for number, child in enumerate(one.children, len(self.cut[j])):
                number_of[j][child.codes] = number
        codes = np.stack([number_of[a][self.tuples.codes[:, a]] for a in range(self.m)], axis=1)
        first, which = distinct_rows([*codes.T])
        classes = classes_of(self.tuples, which[self.tuples.tuple_of_cell], self.tuples.cell_counts)
        classes = replace(classes, values=codes[first])
        for requirement in asked:
            if requirement.violations(classes).any():
                return Violation("requirement", requirement=str(requirement))
        return None

    def _check_start(self) -> None:
        """Raise if there are too many sets of columns, or if limits want values that are too specific."""
        for one in self.task.enforced:
            known = min(one.L, self.m) if isinstance(one, KnownValues) and one.on_sets else self.m
            if math.comb(self.m - 1, known - 1) > MOST_SETS:
                raise OntomaskError(
                    f"{self.m} columns have {math.comb(self.m, known):,} sets of {known}, more than can be "
                    "looked at",
                    key=f"privacy.{one.key}",
                    remedy="choose a smaller L, or ask for k, which is about all columns at once",
                )
        violated = self._violated(self.task.enforced, None)
        if violated is not None:
            limited = [
                a.name
                for a, limit in zip(self.task.attributes, self.task.limits, strict=True)
                if np.isfinite(limit)
            ]
            raise NothingLeftError(
                f"{violated.requirement} cannot be had within the limits of {', '.join(map(repr, limited))}",
                key=f"privacy.{self.task.enforced[0].key}",
                remedy="loosen `keep` or `max_loss`, or a requirement; top-down leaves out no rows",
            )

    # ------------------------------------------------------------------ what comes out

    def masking(self) -> Masking:
        """The groups as they are, with the nodes of the cut in the place of their values."""
        tuples, attributes, values = self.tuples, list[Attribute](), []
        first = np.empty(self.n_groups, np.int64)
        first[self.group_of] = np.arange(len(tuples))
        of_node: list[dict[tuple[int, int, bytes], int]] = []
        for j in range(self.m):
            nodes = [*self.cut[j].values(), *(one.node for one in self.steps if one.node.attribute == j)]
            attribute, replacements = self._replacements(j, nodes)
            attributes.append(attribute)
            of_node.append({_key(node): int(r) for node, r in zip(nodes, replacements, strict=True)})
            written = np.empty(len(self.cut[j]), np.int32)
            for number, node in self.cut[j].items():
                written[number] = of_node[j][_key(node)]
            values.append(written[self.number_of[j][tuples.codes[first, j]]])
        group_of_cell = self.group_of[tuples.tuple_of_cell]
        entries = Entries.whole(group_of_cell, tuples.cell_counts)
        masking = Masking.of(entries, np.stack(values, axis=1).astype(np.int32), attributes)
        return replace(masking, trace=self._trace(of_node))

    def _replacements(self, j: int, nodes: Sequence[Node]) -> tuple[Attribute, Int32]:
        """An attribute that can write its nodes, and the replacement of each."""
        attribute, levels = self.task.attributes[j], self.levels[j]
        if levels is None:  # the root is everything: its ends are nobody's business
            every, n = np.arange(attribute.size), len(self._present[j])
            return attribute.covering_codes([every if len(one.codes) == n else one.codes for one in nodes])
        return attribute, np.array([levels[node.level, node.codes[0]] for node in nodes], np.int32)

    def _trace(self, of_node: Sequence[dict[tuple[int, int, bytes], int]]) -> Trace:
        def written(node: Node) -> int:
            return of_node[node.attribute][_key(node)]

        by_mim = self.method.score == "mim"
        return Trace(
            tuple(
                Step(
                    (j := one.node.attribute),
                    written(one.node),
                    tuple(map(written, one.children)),
                    one.gain,
                    self.tiers[j],
                    self.mim[j] if by_mim else None,
                )
                for one in self.steps
            ),
            tuple(
                Stop(node.attribute, written(node), why.because, after, why.on, why.requirement)
                for node, why, after in self.stops
            ),
        )


def _levels(attribute: Attribute, limit: float) -> Int32:
    """The levels that a limit allows; what is kept is the value itself, though a label may lose nothing."""
    levels = levels_within(attribute, limit)
    return levels[:1] if limit == 0 else levels


def _key(node: Node) -> tuple[int, int, bytes]:
    """What tells nodes apart: a value may have the label of a node above it."""
    return node.attribute, node.level, node.codes.tobytes()


def _below(j: int, levels: Int32, level: int, codes: Int64) -> Iterator[Node]:
    """The nodes of a level that some codes have, in the order of their first code."""
    row = levels[level, codes]
    _, first = np.unique(row, return_index=True)
    for at in np.sort(first).tolist():
        yield Node(j, codes[row == row[at]], level)
