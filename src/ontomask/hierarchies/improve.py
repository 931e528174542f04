"""Edits of a hierarchy, and those that lower its GSL with the score each gives: proposals for a person.

Ayala-Rivera et al. (2017) leave improving a hierarchy by GSL to later work (section 7); here it is done by
greedy steps. Edits keep the values and the order of their rows. It knows a GSL, and no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.errors import OntomaskError
from ontomask.hierarchies.gsl import Gsl
from ontomask.hierarchies.hierarchy import Hierarchy, padded_rows
from ontomask.ontology.formats.nested import NO_CONCEPT

MOST = 10
LEAST_GAIN = 0.0005
"""An edit that gains less is not worth a person's time."""
_EQUAL = 1e-9
_TRIED = 24  # of each step: the edits that promise most, scored as they are

Rows = list[list[str]]


@dataclass(frozen=True)
class Swap:
    """Two labels, one above the other, change places."""

    lower: str
    upper: str

    def rows(self, rows: Rows) -> Rows:
        """The rows with it."""
        other = {self.lower: self.upper, self.upper: self.lower}
        return [[other.get(label, label) for label in row] for row in rows]

    def __str__(self) -> str:
        return f"swap {self.lower!r} with {self.upper!r} above it"


@dataclass(frozen=True)
class Rename:
    """A label gives way to a concept that fits its values better; perhaps one that has the same name.

    Or to a name of somebody's own (`NO_CONCEPT`), which stands for what its values have in common.
    """

    label: str
    to: str
    concept: str
    """The id or sense name of the concept."""

    def rows(self, rows: Rows) -> Rows:
        """The rows with it."""
        return [[self.to if label == self.label else label for label in row] for row in rows]

    def __str__(self) -> str:
        if self.to == self.label:
            return f"take {self.label!r} for {self.concept}"
        return f"call {self.label!r} {self.to!r}" + (f" ({self.concept})" if self.concept else "")


@dataclass(frozen=True)
class Insert:
    """A new label stands above a value or a label, and below what stood above that until now."""

    label: str
    new: str

    def rows(self, rows: Rows) -> Rows:
        """The rows with it."""
        paths = [list(dict.fromkeys(row)) for row in rows]
        for path in paths:
            if self.label in path:
                path.insert(path.index(self.label) + 1, self.new)
        return padded_rows(paths)

    def __str__(self) -> str:
        return f"put {self.new!r} above {self.label!r}"


@dataclass(frozen=True)
class Move:
    """A value, or a label with all below it, goes below another label that stands higher than itself."""

    label: str
    above: str
    to: str

    def on(self, tree: Hierarchy) -> Hierarchy:
        """The hierarchy with it."""
        node, to = tree.node(self.label), tree.node(self.to)
        if to not in destinations(tree, node):
            raise OntomaskError(
                f"{self.label!r} cannot be moved below {self.to!r}",
                value=self.label,
                remedy="choose a label that stands higher than it and not below it",
            )
        start, past = _stay(tree, node)
        others = np.arange(tree.n_values) != to  # a value that is a group, too, is one above others
        places = np.flatnonzero((tree.levels == to)[:, others].any(axis=1))
        level = past if past in places else int(places[places > start][0])
        levels, below = tree.levels.copy(), tree.values_below(node)
        if level > past:  # what stands below the label rises with it: padding is at the values
            levels[level - past : level, below] = tree.levels[:past, below]
            levels[: level - past, below] = tree.levels[0, below]
        levels[level:, below] = tree.levels[level:, np.argmax(tree.levels[level] == to), None]
        while len(levels) > 2 and (levels[0] == levels[1]).all():
            levels = levels[1:]
        return replace(tree, levels=levels).of_values(range(tree.n_values))[0]

    def __str__(self) -> str:
        return f"move {self.label!r} from {self.above!r} to {self.to!r}"


def destinations(tree: Hierarchy, node: int) -> list[int]:
    """The labels that a node may be moved below: they stand higher than it does, and not below it.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "medic", "person"],
    ...                                     ["nun", "nun", "nun", "person"]])
    >>> [jobs.labels[to] for to in destinations(jobs, jobs.node("nun"))]
    ['doctor', 'medic', 'person']
    >>> improved(jobs, [Move("nun", "person", "doctor")]).rows()[1]
    ['nun', 'doctor', 'medic', 'person']
    """
    start, _ = _stay(tree, node)
    is_own = tree.levels[start + 1 :] == np.arange(tree.n_values)
    is_higher = np.zeros(len(tree.labels), bool)
    is_higher[tree.levels[start + 1 :][~is_own]] = True
    is_higher[tree.levels[: start + 1, tree.values_below(node)]] = False
    higher: list[int] = np.flatnonzero(is_higher).tolist()
    return higher


def _stay(tree: Hierarchy, node: int) -> tuple[int, int]:
    """The level from which on a node stands above all its values, and the first one past it."""
    stands = (tree.levels == node)[:, tree.values_below(node)]
    return int(stands.argmax(axis=0).max()), len(stands) - int(stands[::-1].argmax(axis=0)[0])


@dataclass(frozen=True)
class DropLevel:
    """A level goes that loses no less than the one above it: it costs meaning and gains nothing."""

    level: int

    def rows(self, rows: Rows) -> Rows:
        """The rows with it."""
        return [row[: self.level] + row[self.level + 1 :] for row in rows]

    def __str__(self) -> str:
        return f"drop level {self.level}"


Edit = Swap | Rename | Insert | Move | DropLevel


@dataclass(frozen=True)
class Proposal:
    """An edit, and the VghGSL of the hierarchy with it."""

    edit: Edit
    score: float


def improved(hierarchy: Hierarchy, edits: Iterable[Edit]) -> Hierarchy:
    """The hierarchy with edits made, one after the other.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "medic", "doctor"], ["nun", "nun", "doctor"]])
    >>> improved(jobs, [Swap("medic", "doctor"), Rename("medic", "person", "person.n.01")]).rows()
    [['surgeon', 'doctor', 'person'], ['nun', 'nun', 'person']]
    >>> improved(jobs, [Insert("nun", "clergy")]).rows()
    [['surgeon', 'medic', 'doctor'], ['nun', 'clergy', 'doctor']]
    """
    for edit in edits:
        concepts = dict(hierarchy.concepts)
        if isinstance(edit, Rename):
            concepts[edit.to] = edit.concept
        elif isinstance(edit, Insert):
            concepts[edit.new] = NO_CONCEPT
        if isinstance(edit, Move):
            hierarchy = edit.on(hierarchy)
        else:
            rows = edit.rows(hierarchy.rows())
            hierarchy = Hierarchy.from_rows(hierarchy.name, rows, concepts=concepts)
    return hierarchy


def improvements(gsl: Gsl, most: int = MOST) -> list[Proposal]:
    """Edits to be made one after the other, each the best that was found where it stands; no score rises.

    Swaps that only set an order right come after edits that lower the score. A level is dropped only if
    nothing else helps, for with it goes a choice. It ends after `most` edits, or when none is left that gains
    `LEAST_GAIN` or sets an order right.
    """
    made: list[Proposal] = []
    score = gsl.score
    while len(made) < most and (found := proposals(gsl)):
        best = min(found, key=lambda one: (isinstance(one.edit, DropLevel), one.score))
        score = min(score, best.score)  # a swap that keeps it may add up to a last digit more
        made.append(replace(best, score=score))
        gsl = after(gsl, best.edit)
    return made


def proposals(gsl: Gsl) -> list[Proposal]:
    """Single edits that lower the score, best first; last swaps that keep it and set an order right.

    Of all swaps, names and moves those are scored that promise most by the distances of values and labels.
    """
    promising = sorted(_Promises(gsl).edits(), key=lambda one: one[0])[:_TRIED]
    edits = [*(edit for _, edit in promising), *_dropped_levels(gsl)]
    worth = []
    for edit in edits:
        score = after(gsl, edit).score
        is_order = score <= gsl.score + _EQUAL and isinstance(edit, Swap) and _sets_right(gsl, edit)
        if is_order or score <= gsl.score - LEAST_GAIN:
            worth.append(Proposal(edit, score))
    return sorted(worth, key=lambda one: one.score)


def _sets_right(gsl: Gsl, edit: Swap) -> bool:
    """Whether a swap puts a wider concept above a narrower one.

    Where a label stands alone below another, both stand for the same values, and the score stays.
    """
    lower, upper = (int(gsl.meanings[gsl.hierarchy.node(label)]) for label in (edit.lower, edit.upper))
    return bool(gsl.ontology.is_below([upper], lower)[0])


def after(gsl: Gsl, edit: Edit) -> Gsl:
    """The GSL of the hierarchy with an edit."""
    meant = dict(zip(gsl.hierarchy.labels, gsl.concepts.tolist(), strict=True))
    if isinstance(edit, Rename):
        meant[edit.to] = -1 if edit.concept == NO_CONCEPT else gsl.ontology.concept(edit.concept)
    elif isinstance(edit, Insert):
        meant[edit.new] = -1
    hierarchy = improved(gsl.hierarchy, [edit])
    concepts = np.array([meant[label] for label in hierarchy.labels], np.int32)
    return gsl.of_edited(hierarchy, concepts)


def _dropped_levels(gsl: Gsl) -> Iterator[Edit]:
    for level in range(1, gsl.hierarchy.height):
        if gsl.levels[level - 1] >= gsl.levels[level]:
            yield DropLevel(level)


class _Promises:
    """Edits, and by how much each promises to change the score; less is better.

    They are counted as means, and as if no label changed its meaning by what stands below it.
    """

    def __init__(self, gsl: Gsl) -> None:
        self.gsl, self.tree = gsl, gsl.hierarchy
        self.judged = np.flatnonzero(gsl.is_judged)
        self.levels: Int32 = self.tree.levels[:, self.judged]
        is_inner = np.arange(len(self.tree.labels)) >= self.tree.n_values
        self.is_named: Bool = is_inner & (gsl.concepts >= 0)  # `*` is not to be named or moved to
        self.named = np.flatnonzero(self.is_named).tolist()
        meant = np.flatnonzero(is_inner & (gsl.meanings >= 0))
        self.distances = np.full((len(self.judged), len(self.tree.labels)), np.inf)
        self.distances[:, meant] = self.to_concepts(self.judged, gsl.meanings[meant])

    def edits(self) -> Iterator[tuple[float, Edit]]:
        for make in (self.swaps, self.names, self.moves):
            yield from ((change, edit) for change, edit in make() if change < _EQUAL)

    def to_concepts(self, values: Int64, concepts: Int32) -> Float64:
        return self.gsl.measure.matrix(self.gsl.ontology, self.gsl.concepts[values], concepts)

    def is_below(self, node: int) -> Bool:
        """Of each value that counts: whether it becomes the node."""
        below: Bool = (self.levels == node).any(axis=0)
        return below

    def change(self, node: int, farther: Float64) -> float:
        """Of the score, if the label of a node were so much farther from each value that counts."""
        weights = self.gsl.weights @ (self.levels[1:] == node)
        return float(weights @ farther) / len(self.judged)

    def swaps(self) -> Iterator[tuple[float, Edit]]:
        """Of a label with the one above it, where loss falls as one climbs."""
        for node in self.named:
            above = int(self.tree.parents[node])
            if above < 0 or not self.is_named[above]:
                continue
            farther = self.distances[:, above] - self.distances[:, node]
            if (farther[self.is_below(node)] < 0).any():
                change = self.change(node, farther) + self.change(above, -farther)
                yield change, Swap(self.tree.labels[node], self.tree.labels[above])

    def names(self) -> Iterator[tuple[float, Edit]]:
        """The concept above all values of a node that loses least and stands nowhere else in the tree.

        Where the label above it fits the values, the concept is of its kind.
        """
        ontology, taken, labels = self.gsl.ontology, set(self.gsl.meanings.tolist()), set(self.tree.labels)
        for node in self.named:
            below = self.is_below(node)
            above = ontology.common_ancestors(self.gsl.concepts[self.judged[below]]) if below.any() else ()
            free = np.array([concept for concept in above if concept not in taken], np.int32)
            top = int(self.gsl.meanings[self.tree.parents[node]]) if node != self.tree.root else -1
            if top in above:
                free = free[ontology.is_below(free, top)]
            if not len(free):
                continue
            distances = self.to_concepts(self.judged[below], free)
            best = int(np.argmin(distances.sum(axis=0)))
            farther = np.zeros(len(self.judged))
            farther[below] = distances[:, best] - self.distances[below, node]
            key, label = ontology.key(int(free[best])), ontology.labels[int(free[best])]
            own = self.tree.labels[node]
            label = label if label == own or label not in labels else f"{label} ({key})"
            if label == own or label not in labels:
                yield self.change(node, farther), Rename(own, label, key)

    def moves(self) -> Iterator[tuple[float, Edit]]:
        """Of a node to the nearest label of the next level that is above it in meaning, too.

        Without the last condition a doctor would go to the lawyers where no label for doctors is at hand.
        """
        labels, weights = self.tree.labels, self.gsl.weights
        for level in range(self.tree.height - 1):
            targets = [node for node in self.tree.nodes_at(level + 1).tolist() if self.is_named[node]]
            nodes, which = np.unique(self.levels[level], return_inverse=True)
            if len(targets) < 2:
                continue
            ways = self.tree.levels[level + 1 :, [self._value_of(node, level + 1) for node in targets]]
            costs = np.einsum("i,vit->vt", weights[level:], self.distances[:, ways])
            together = np.zeros((len(nodes), len(targets)))
            np.add.at(together, which, costs)
            meant = self.gsl.meanings
            is_kind = np.stack(
                [self.gsl.ontology.is_below(meant[nodes], int(meant[to])) for to in targets], 1
            )
            for node, cost, kind in zip(nodes.tolist(), together, is_kind, strict=True):
                above = int(self.tree.levels[level + 1, self._value_of(node, level)])
                if above == node or above not in targets:
                    continue  # it goes on to the next level, or stands below a value
                to = int(np.argmin(np.where(kind, cost, np.inf)))
                if kind[to]:
                    change = (cost[to] - cost[targets.index(above)]) / len(self.judged)
                    yield change, Move(labels[node], labels[above], labels[targets[to]])

    def _value_of(self, node: int, level: int) -> int:
        """A value that becomes the node at that level."""
        return int(np.argmax(self.tree.levels[level] == node))
