"""A generalisation hierarchy (VGH, DGH): a tree over values, with levels.

Level 0 are the values, the top level is the root, which says nothing any more. Full-domain methods take all
values to the same level, so every value has a label at every level: a hierarchy is a table with a row for
each value and its labels from left to right, as in ARX. Where a branch is shorter than others, a label is
repeated (padding), and a repeated label is the same node. A label is one node, wherever it stands: who reads
a release sees nothing else of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby, pairwise
from pathlib import Path

import numpy as np

from ontomask.arrays import Int32, Int64, first_places
from ontomask.errors import OntologyError, OntomaskError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at

EVERYTHING = "*"
"""The root that is put above values of which nothing more is known."""
MOST_LEVELS = 100
"""How many levels may be asked for; people use three to six."""


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """A tree over values.

    Attributes
    ----------
    name
        What a user calls it.
    labels
        Of every node: the values first, in their order, then the others from the lowest level up.
    levels
        `levels[i, v]` is the node that value v becomes at level i; `levels[0]` counts the values.
    concepts
        The sense or id that a label stands for, where somebody said so; labels not in it speak for
        themselves. `NO_CONCEPT` says that a label does not: it stands for what is below it.
    notes
        What a reader did that a user should know.

    Examples
    --------
    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> jobs
    <Hierarchy jobs: 2 values, 2 levels>
    >>> jobs.label_at("surgeon", 1), jobs.label_at("nun", 1), jobs.label_at("nun", 2)
    ('doctor', 'nun', 'person')
    """

    name: str
    labels: tuple[str, ...]
    levels: Int32
    concepts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def from_rows(
        cls,
        name: str,
        rows: Sequence[Sequence[str]],
        *,
        concepts: Mapping[str, str] | None = None,
        lines: Sequence[int] = (),
        source: str | Path = "",
        notes: Iterable[str] = (),
    ) -> Hierarchy:
        """From a row for each value: the value and its generalisations, lowest first.

        A row that is shorter than others is padded: the value itself is repeated. If the rows end in
        different labels, a root is put above them. `lines` and `source` say in errors where a row stands.
        """
        where = list(lines) or list(range(1, len(rows) + 1))
        if not rows:
            raise OntologyError("a hierarchy needs a value at least", **at(source))
        padded = padded_rows(rows)
        told = list(notes)
        if len({row[-1] for row in padded}) > 1 or len(padded[0]) == 1:
            taken = {label for row in padded for label in row}
            root = EVERYTHING if EVERYTHING not in taken else f"({EVERYTHING})"
            padded = [[*row, root] for row in padded]
            if len(padded) > 1:
                told.append(f"its rows end in different labels: {root!r} was put above them")
        by_level = list(zip(*padded, strict=True))
        number = {label: n for n, label in enumerate(dict.fromkeys(chain.from_iterable(by_level)))}
        levels = np.array([[*map(number.__getitem__, level)] for level in by_level], np.int32)
        if not _is_tree(levels):
            _check(padded, where, source)
        meant = {label: concept for label, concept in (concepts or {}).items() if label in number}
        return cls(name, tuple(number), levels, meant, tuple(told))

    def __repr__(self) -> str:
        return f"<Hierarchy {self.name}: {self.n_values:,} values, {self.height} levels>"

    # ------------------------------------------------------------------ the tree

    @property
    def n_values(self) -> int:
        """Number of values."""
        return int(self.levels.shape[1])

    @property
    def height(self) -> int:
        """Number of levels above the values; the root is the last of them."""
        return int(self.levels.shape[0]) - 1

    @property
    def values(self) -> tuple[str, ...]:
        """The labels of level 0."""
        return self.labels[: self.n_values]

    @property
    def root(self) -> int:
        """The node above all."""
        return int(self.levels[-1, 0])

    @cached_property
    def parents(self) -> Int32:
        """The node above each node; -1 above the root."""
        above = np.full(len(self.labels), -1, np.int32)
        for below, level in pairwise(self.levels):
            moved = below != level
            above[below[moved]] = level[moved]
        return above

    @cached_property
    def lowest_level(self) -> Int32:
        """The lowest level at which each node stands."""
        lowest = np.zeros(len(self.labels), np.int32)
        for i in range(self.height, -1, -1):
            lowest[self.levels[i]] = i
        return lowest

    @cached_property
    def value_counts(self) -> Int64:
        """Number of values at or below each node."""
        return self.sums(np.ones(self.n_values, np.int64))

    def sums(self, counts: Int64) -> Int64:
        """Of counts of the values, the sum at or below each node.

        >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
        >>> dict(zip(jobs.labels, jobs.sums(np.array([3, 4])).tolist()))
        {'surgeon': 3, 'nun': 4, 'doctor': 3, 'person': 7}
        """
        sums = np.zeros(len(self.labels))
        for below, level in pairwise([np.full(self.n_values, -1), *self.levels]):
            moved = level != below  # padding is the same node, and counts once
            sums += np.bincount(level[moved], counts[moved], minlength=len(sums))
        return sums.astype(np.int64)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The nodes right below each node, in the order of the values."""
        along_paths = np.argsort(first_places(self.levels.T.ravel(), len(self.labels)))
        below = along_paths[self.parents[along_paths] >= 0]
        below = below[np.argsort(self.parents[below], kind="stable")]
        ends = np.cumsum(np.bincount(self.parents[below], minlength=len(self.labels))).tolist()
        nodes = below.tolist()
        return tuple(tuple(nodes[start:end]) for start, end in pairwise([0, *ends]))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    def node(self, label: str) -> int:
        """The node that a label is."""
        if label not in self._number:
            raise OntologyError(f"the hierarchy {self.name} has no label {label!r}", value=label)
        return self._number[label]

    def label_at(self, value: str, level: int) -> str:
        """What a value becomes at a level."""
        return self.labels[int(self.levels[level, self.node(value)])]

    def nodes_at(self, level: int) -> Int32:
        """The distinct nodes of a level, in the order of the values."""
        return _in_order(self.levels[level], len(self.labels))

    def values_below(self, node: int) -> Int64:
        """The values at or below a node."""
        return np.flatnonzero((self.levels == node).any(axis=0))

    def cover(self, values: Sequence[str]) -> str:
        """The lowest label that is true of all of some values.

        >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
        >>> jobs.cover(["surgeon"]), jobs.cover(["surgeon", "nun"])
        ('surgeon', 'person')
        """
        columns = self.levels[:, [self.node(value) for value in values]]
        lowest = int(np.argmax((columns == columns[:, :1]).all(axis=1)))
        return self.labels[int(columns[lowest, 0])]

    def paths(self) -> Iterator[list[int]]:
        """The nodes from each value up to the root, without padding."""
        for path in self.levels.T.tolist():
            yield list(dict.fromkeys(path))  # a label is repeated side by side alone

    def rows(self) -> list[list[str]]:
        """The labels of every value from level 0 up: what `from_rows` takes."""
        return [[*map(self.labels.__getitem__, path)] for path in self.levels.T.tolist()]

    # ------------------------------------------------------------------ another form

    def with_rows(self, rows: Sequence[Sequence[str]], name: str | None = None) -> Hierarchy:
        """Another hierarchy over the same values; what its labels stand for is kept."""
        return Hierarchy.from_rows(name or self.name, rows, concepts=self.concepts, notes=self.notes)

    def of_values(
        self, values: Sequence[int], labels: Sequence[str] | None = None
    ) -> tuple[Hierarchy, Int32]:
        """The tree above some of its values, and which node each of its nodes is here.

        `labels` are other names for the nodes, such as what may be told of them.

        >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
        >>> some, nodes = jobs.of_values([0])
        >>> some.rows(), nodes.tolist()
        ([['surgeon', 'doctor', 'person']], [0, 2, 3])
        """
        levels = self.levels[:, list(values)]
        nodes = _in_order(levels.ravel(), len(self.labels))
        number = np.zeros(len(self.labels), np.int32)
        number[nodes] = np.arange(len(nodes))
        named = self.labels if labels is None else labels
        own = tuple(named[node] for node in nodes.tolist())
        return Hierarchy(self.name, own, number[levels], self.concepts), nodes

    def with_texts(self, texts: Mapping[str, str]) -> Hierarchy:
        """The tree with further values, each of which stands where one of its values does.

        >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
        >>> jobs.with_texts({"sister": "nun"}).rows()[-1]
        ['sister', 'sister', 'person']
        """
        if self.root < self.n_values or not self._number.keys().isdisjoint(texts):  # more than values is new
            row_of = dict(zip(self.values, self.rows(), strict=True))
            further = [
                [text if label == value else label for label in row_of[value]]
                for text, value in texts.items()
            ]
            return self.with_rows(self.rows() + further)
        n_values, n_more = self.n_values, len(texts)
        levels = np.where(self.levels < n_values, self.levels, self.levels + n_more)
        own = levels[:, [self.node(value) for value in texts.values()]]
        own = np.where(own == own[0], n_values + np.arange(n_more), own)
        labels = (*self.values, *texts, *self.labels[n_values:])
        return replace(self, labels=labels, levels=np.hstack([levels, own]).astype(np.int32))

    def as_ontology(self) -> Ontology:
        """The tree as an ontology: a label is a concept, and what it stands for a synonym of it."""
        draft = Draft(self.name)
        for label in self.labels:
            draft.concept(label, label)
            if label in self.concepts:
                draft.term(label, self.concepts[label])
        for node, above in enumerate(self.parents.tolist()):
            if above >= 0:
                draft.is_a(self.labels[node], self.labels[above])
        return draft.finish()


def _in_order(nodes: Int32, n_nodes: int) -> Int32:
    """The distinct ones, in the order in which they stand first."""
    first = first_places(nodes, n_nodes)
    found = np.flatnonzero(first < len(nodes)).astype(np.int32)
    in_order: Int32 = found[np.argsort(first[found])]
    return in_order


def padded_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of one length: in those that are shorter the value is repeated.

    >>> padded_rows([["surgeon", "doctor", "person"], ["nun", "person"]])
    [['surgeon', 'doctor', 'person'], ['nun', 'nun', 'person']]
    """
    width = max(map(len, rows), default=0)
    return [[row[0]] * (width - len(row)) + list(row) for row in rows]


def check_levels(levels: int | None) -> None:
    """Refuse to build so many levels; None is as many as there happen to be."""
    if levels is not None and not 1 <= levels <= MOST_LEVELS:
        raise OntomaskError(
            f"a hierarchy is built with 1 to {MOST_LEVELS} levels above its values, not {levels}",
            key="levels",
        )


def _is_tree(levels: Int32) -> bool:
    """Whether `_check` would find nothing wrong, told for all rows at once."""
    below, above = levels[:-1], levels[1:]
    moved = below != above
    in_order = np.sort(levels, axis=0)
    n_labels = 1 + (in_order[1:] != in_order[:-1]).sum(axis=0)
    if len(np.unique(levels[0])) < levels.shape[1] or (n_labels < 1 + moved.sum(axis=0)).any():
        return False
    return all(
        _has_one_each(one, other)
        for one, other in ((below[moved], above[moved]), *zip(below, above, strict=True))
    )


def _has_one_each(labels: Int32, above: Int32) -> bool:
    """Whether each label has the same one above it wherever it stands."""
    found = np.zeros(int(labels.max(initial=-1)) + 1, np.int32)
    found[labels] = above
    return bool((found[labels] == above).all())


def _check(rows: Sequence[Sequence[str]], lines: Sequence[int], source: str | Path) -> None:
    """A value stands in one row; a label has one label above it, and at each level one at the next."""
    first_line: dict[str, int] = {}
    known: dict[object, tuple[str, int]] = {}
    for row, line in zip(rows, lines, strict=True):
        if row[0] in first_line:
            raise OntologyError(
                f"the value {row[0]!r} is listed twice (first: line {first_line[row[0]]})",
                **at(source, line),
                value=row[0],
                remedy="keep one of them",
            )
        first_line[row[0]] = line
        steps = [label for label, _ in groupby(row)]
        if len(set(steps)) < len(steps):
            again = next(label for i, label in enumerate(steps) if label in steps[:i])
            raise OntologyError(
                f"{again!r} stands above itself ({' is-a '.join(steps)})",
                **at(source, line),
                value=again,
                remedy="that is a cycle: rename one of them",
            )
        links: list[tuple[object, str, str]] = [(label, label, above) for label, above in pairwise(steps)]
        links += [((i, label), label, above) for i, (label, above) in enumerate(pairwise(row))]
        for place, label, above in links:
            found, where = known.setdefault(place, (above, line))
            if found != above:
                raise OntologyError(
                    f"{label!r} generalises to {above!r}, but to {found!r} in line {where}",
                    **at(source, line),
                    value=label,
                    remedy="make them agree, or give them different labels",
                )
