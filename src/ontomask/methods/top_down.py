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

from ontomask.arrays import Int32, Int64, distinct_rows
from ontomask.attributes import Tuples
from ontomask.errors import InternalError, NothingLeftError, OntomaskError
from ontomask.methods._top_down_kernels import Divided, barred_splits, divide, divided, spread_over_parts
from ontomask.methods.base import Masking, Method
from ontomask.methods.cuts import Cut, Key, Node, Specialisation
from ontomask.methods.repair import check_possible, classes_of
from ontomask.methods.task import Entries, Task
from ontomask.methods.trace import Because, Step, Stop, Trace
from ontomask.options import option
from ontomask.privacy import KAnonymity, KnownValues
from ontomask.privacy._known_values_kernels import Rows, fewest_records
from ontomask.privacy.requirement import SLACK, Requirement

MOST_SETS = 200_000
"""Sets of columns that are looked at for one specialisation."""
MOST_CLASSES = 1_000
"""Values of a target: InfoGain is about classes, not about amounts."""


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
    literature: str | None = option(
        None,
        "where `mim` is counted instead; a service is asked over the network, for nothing but the terms",
        values="path of an index of texts or of a CSV of counts, or the address of a search service",
        otherwise="none",
        is_path=True,
    )
    terms: dict[str, str] | None = option(
        None,
        "what columns are called in the literature; `|` stands between wordings of which any will do; others "
        "have 0",
        values="texts by column, such as `{sex: sex|gender}`",
        otherwise="the names of the columns",
    )
    target_term: str | None = option(
        None, "what the target is called there", values="text", otherwise="its name"
    )
    literature_filter: Literal["therapy", "diagnosis", "etiology", "prognosis"] | None = option(
        None, "count only studies of that kind", otherwise="all texts"
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
        if self.score == "mim" and not self.mim and not self.literature:
            yield (
                "score",
                "mim ranks columns by numbers that are not there; give mim: {age: 0.75, ...}, or a "
                "literature to count them in",
            )
        for key in ("mim", "literature"):
            if self.score == "infogain" and getattr(self, key):
                yield key, "has no effect beside score: infogain; remove it, or say score: mim"
        if self.mim and self.literature:
            yield "literature", "mim says already what would be counted; remove one of them"
        for key in ("terms", "target_term", "literature_filter"):
            if getattr(self, key) and not self.literature:
                yield key, "says how to count in a literature, and none is named; name it, or remove this"

    @property
    def asks_a_service(self) -> bool:
        """Whether the literature is an address on the network."""
        return "://" in (self.literature or "")

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
        classes, n_classes = classes_of_target(task.tuples, method.target)
        self.cuts = []
        for j, (attribute, limit) in enumerate(zip(task.attributes, task.limits.tolist(), strict=True)):
            codes = task.tuples.codes[:, j]
            keys = codes[task.tuples.tuple_of_cell].astype(np.int64) * n_classes + classes
            counts = np.bincount(keys, task.tuples.cell_counts, attribute.size * n_classes).astype(np.int64)
            by_class = counts.reshape(attribute.size, n_classes)
            self.cuts.append(Cut(j, attribute, limit, codes, by_class))
        self.steps: list[Specialisation] = []
        self.stops: list[tuple[Node, Violation, int]] = []
        self._settled = 0
        self.group_of = distinct_rows([self.numbers(a) for a in range(self.m)])[1].astype(np.int32)
        self.n_groups = int(self.group_of.max()) + 1
        self._check_start()

    def numbers(self, a: int, tuples: Int32 | Int64 | None = None) -> Int32:
        """The number of the node that some tuples (all) have in an attribute."""
        codes = self.tuples.codes[:, a] if tuples is None else self.tuples.codes[tuples, a]
        return self.cuts[a].number_of[codes]

    # ------------------------------------------------------------------ the algorithm

    def run(self) -> None:
        """Do the best valid specialisation, until there is none; attributes of a tier before those behind."""
        waiting: list[Waiting] = []
        nodes = [node for cut in self.cuts for node in cut.nodes.values()]
        while nodes or waiting:
            for node in nodes:
                self._look_at(node, self.specialisations(node), None, waiting)
            nodes = []
            if waiting:
                _, best, others, refused = heappop(waiting)
                parts = self._divided(best)
                violation = self.violation(best, parts)
                if violation is None:
                    self.cuts[best.node.attribute].refine(best)
                    self.n_groups = divide(parts, self.group_of, self.n_groups)
                    self.steps.append(best)
                    nodes = list(best.children)
                else:
                    self._bar(best.node, violation)
                    self._look_at(best.node, others, refused or violation, waiting)

    def specialisations(self, node: Node) -> Iterator[Specialisation]:
        """What may stand in the place of a node, the best first."""
        return self.cuts[node.attribute].specialisations(node, self.method.needs_gain, self._least)

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
        self._settled += int(self.cuts[node.attribute].records(node).sum())
        self.task.done[0] = self._settled // self.m

    def _rank(self, one: Specialisation) -> tuple[float, ...]:
        """What comes first: tier, score, and of equals the first attribute and value."""
        j = one.node.attribute
        mim = self.mim[j] if self.method.score == "mim" else 0.0
        return (self.tiers[j], -mim, -one.gain, j, int(one.node.codes[0]))

    def _why_none(self, node: Node, best: Specialisation | None) -> Violation | None:
        """Why a node has no specialisation that is worth a look; None if there is nothing below it."""
        if best is not None:
            return Violation("gain")
        if node.is_range and len(node.codes) > 1:
            is_of_sets = any(isinstance(one, KnownValues) for one in self.task.enforced)
            return Violation("K" if is_of_sets else "k", (node.attribute,))
        return None

    def _bar(self, node: Node, violation: Violation) -> None:
        """Of a range, bar all splits that leave too few on the same columns: each would be tried in vain."""
        cut = self.cuts[node.attribute]
        if node.key not in cut.barred or violation.because not in ("K", "k"):
            return
        members, places = cut.tuples(node)
        others = [a for a in violation.on if a != node.attribute]
        columns = [self.numbers(a, members) for a in others]
        (least,) = [
            one.k if isinstance(one, KAnonymity) else one.K
            for one in self._counted
            if isinstance(one, KAnonymity) == (violation.because == "k")
        ]
        cut.barred[node.key] |= barred_splits(
            np.array(columns, np.int32).reshape(len(others), len(members)),
            np.array([len(self.cuts[a]) for a in others], np.int64),
            places,
            self.tuples.counts[members],
            least,
        )

    @cached_property
    def _least(self) -> int:
        """Fewer records than this have no value that may stand alone."""
        sizes = [one.K for one in self.task.enforced if isinstance(one, KnownValues)]
        return max([self.task.k, *sizes])

    def _divided(self, one: Specialisation) -> Divided:
        """The groups that a specialisation would divide."""
        cut = self.cuts[one.node.attribute]
        codes = np.concatenate([child.codes for child in one.children])
        child_of = np.repeat(np.arange(len(one.children)), [len(child.codes) for child in one.children])
        return divided(
            cut.order,
            cut.starts,
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
        others = [a for a in range(self.m) if a != j and len(self.cuts[a]) > 1]
        others.sort(key=lambda a: -len(self.cuts[a]))  # more nodes, smaller groups: what fails does so soon
        codes = [self.numbers(a, parts.tuples) for a in others]
        spread = [self._spread(name, parts) for name in asked.columns]
        known = asked.L if asked.on_sets else self.m
        rows = Rows(
            codes=np.array(codes, np.int32).reshape(len(others), len(parts.sizes)),
            widths=np.array([len(self.cuts[a]) for a in others], np.int64),
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
        columns = [self.numbers(a) for a in range(self.m)]
        if one is not None:
            j = one.node.attribute
            number_of = self.cuts[j].number_of.copy()
            for number, child in enumerate(one.children, len(self.cuts[j])):
                number_of[child.codes] = number
            columns[j] = number_of[self.tuples.codes[:, j]]
        codes = np.stack(columns, axis=1)
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
        """The groups as they are, with the nodes of the cuts in the place of their values."""
        tuples, attributes, values = self.tuples, [], []
        first = np.empty(self.n_groups, np.int64)
        first[self.group_of] = np.arange(len(tuples))
        written: list[dict[Key, int]] = []
        for j, cut in enumerate(self.cuts):
            nodes = [*cut.nodes.values(), *(one.node for one in self.steps if one.node.attribute == j)]
            attribute, replacements = cut.replacements(nodes)
            attributes.append(attribute)
            written.append({node.key: int(r) for node, r in zip(nodes, replacements, strict=True)})
            of_number = [written[j][cut.nodes[number].key] for number in range(len(cut))]
            values.append(np.array(of_number, np.int32)[self.numbers(j, first)])
        entries = Entries.whole(self.group_of[tuples.tuple_of_cell], tuples.cell_counts)
        masking = Masking.of(entries, np.stack(values, axis=1), attributes)
        return replace(masking, trace=self._trace(written))

    def _trace(self, written: Sequence[dict[Key, int]]) -> Trace:
        """What was done, with nodes as what is written for them."""
        is_by_mim = self.method.score == "mim"
        steps = []
        for node, children, gain in self.steps:
            j = node.attribute
            became = tuple(written[j][child.key] for child in children)
            mim = self.mim[j] if is_by_mim else None
            steps.append(Step(j, written[j][node.key], became, gain, self.tiers[j], mim))
        stops = [
            Stop(
                node.attribute, written[node.attribute][node.key], why.because, after, why.on, why.requirement
            )
            for node, why, after in self.stops
        ]
        return Trace(tuple(steps), tuple(stops), tuple(self.mim) if is_by_mim else ())


def classes_of_target(tuples: Tuples, target: str | None) -> tuple[Int64, int]:
    """The class of every cell, and how many there are; without a target all are of one."""
    if target is None:
        return np.zeros(len(tuples.tuple_of_cell), np.int64), 1
    names = [domain.name for domain in tuples.domains]
    if target not in names or tuples.cells is None:
        raise InternalError("nobody counted the target")
    b = names.index(target)
    size = tuples.domains[b].size
    if size > MOST_CLASSES:
        raise OntomaskError(
            f"{target!r} has {size:,} different values, too many to be classes that others tell",
            key="method.target",
            value=target,
            is_public=True,
            remedy="name a column of few values, such as classes of this one",
        )
    return tuples.cells.values[:, b].astype(np.int64), max(size, 2)  # of one class nothing can be gained
