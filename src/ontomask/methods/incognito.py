"""Incognito (LeFevre, DeWitt & Ramakrishnan 2005): the minimal k-anonymous nodes, and which loses least.

Exact: every node of the lattice is known to be k-anonymous or not in the end, though few are counted. Subsets
of attributes are searched first, since a table that is not k-anonymous on some columns is not on more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes import Attribute, Tuples
from ontomask.errors import OntomaskError
from ontomask.methods.full_domain import Classes, FullDomain, LeveledTable
from ontomask.methods.task import Task
from ontomask.options import option
from ontomask.privacy import KAnonymity

MOST_NODES = 20_000_000
"""Of the lattices of all subsets together; more are refused."""
_MOST_WITHOUT_PRUNING = 50_000
_MOST_HELD = 2**24  # rows of classes that are kept to be rolled up, some 400 MB


@dataclass(frozen=True)
class Incognito(FullDomain):
    """Optimal full-domain generalisation."""

    name: ClassVar[str] = "incognito"
    words: ClassVar[str] = (
        "Values were replaced by more general ones of their hierarchies, all values of a column at the same "
        "level: of all choices of levels at which every combination is shared by {k} people or more, the one "
        "that loses least meaning; as many others as the plan allows were left out (Incognito)."
    )
    among: Literal["minimal", "all"] | None = option(
        None,
        "choose among the lowest choices of levels that will do, or among all: where rows are left out, a "
        "higher one may lose less",
        otherwise="`all` if rows may be left out, else `minimal`",
    )

    def node(self, table: LeveledTable, done: Int64) -> Int64:
        anonymous = search(table, done).anonymous
        among = self.among or ("all" if table.task.budget else "minimal")
        best = least_loss(table, _minimal(anonymous) if among == "minimal" else anonymous)
        if best is not None:
            return best
        # The blanked rows of no minimal node are k and within the budget: then nobody is left out.
        strict = table.strict
        best = least_loss(strict, _minimal(search(strict, done).anonymous))
        if best is None:
            raise table.refusal()
        return best


def minimal_nodes(tuples: Tuples, attributes: Sequence[Attribute], k: int, budget: int = 0) -> Int32:
    """The k-anonymous nodes above no other one, in lexicographic order: `[node, attribute]` is a level.

    A node is k-anonymous if at most `budget` records are in classes of fewer than k.

    >>> from ontomask.attributes import Generalized, Numeric
    >>> ages = Numeric.of("age", np.array([20.0, 28.0, 30.0]), np.ones(3, np.int64))
    >>> tree = np.array([[-1, -2, -3], [0, 0, 1], [2, 2, 2]], np.int32)
    >>> age = Generalized.over(ages, tree, np.full(3, -1, np.int32))
    >>> people = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 2]))
    >>> minimal_nodes(people, [age], 2).tolist(), minimal_nodes(people, [age], 3).tolist()
    ([[1]], [[2]])
    """
    table = LeveledTable(Task(tuples, tuple(attributes), [KAnonymity(k)], budget=budget))
    return np.argwhere(_minimal(search(table).anonymous)).astype(np.int32)


class Search(NamedTuple):
    """`anonymous` has an axis for each attribute: whether the node at these levels is k-anonymous.

    `counted` is the number of nodes of all subsets whose classes were counted.
    """

    anonymous: Bool
    counted: int


def search(table: LeveledTable, done: Int64 | None = None) -> Search:
    """Every node of the lattice; `done[0]` tells on the way what share of the subsets is searched.

    Let f be the number of records in classes that violate a requirement, such as k; a node will do if f is
    within the budget. To climb a level, or to leave out an attribute, only merges classes, and a record of a
    class of k or more stays in such a class: f never grows. So with a budget too

    - all above a k-anonymous node is k-anonymous (generalisation);
    - a node can only be k-anonymous if it is without any one of its attributes (subsets);
    - classes can be counted from those of a node below (roll-up), if all of them are kept: records that
      would be left out there may find company higher up.
    """
    m = len(table.heights)
    if table.task.budget and not all(one.is_counting for one in table.task.enforced):
        return _search_all(table, done)
    if math.prod(height + 2 for height in table.heights) > MOST_NODES:
        raise OntomaskError(
            f"{m} columns with {', '.join(map(str, table.heights))} levels above their values are more "
            "choices of levels than incognito can look at",
            key="method.name",
            remedy="give their hierarchies fewer levels (hierarchy: {levels: 4}), or use datafly",
        )
    known: dict[tuple[int, ...], Bool] = {(): np.array(True)}
    counted = searched = 0
    for size in range(1, m + 1):
        smaller, known = known, {}
        for subset in combinations(range(m), size):
            known[subset], more = _search_subset(table, subset, _candidates(table, subset, smaller))
            counted, searched = counted + more, searched + 1
            if done is not None:
                done[0] = table.tuples.n * searched // 2**m
    return Search(known[tuple(range(m))], counted)


def _search_all(table: LeveledTable, done: Int64 | None) -> Search:
    """The same without pruning: a class that satisfies, say, t may not once one that is left out joins it."""
    shape = tuple(height + 1 for height in table.heights)
    if math.prod(shape) > _MOST_WITHOUT_PRUNING:
        raise OntomaskError(
            f"{math.prod(shape):,} choices of levels are more than incognito can look at one by one, as it "
            "must where rows may be left out for such a requirement",
            key="privacy.suppress",
            remedy="remove it, give hierarchies fewer levels, or use datafly",
        )
    anonymous = np.zeros(shape, bool)
    for i, node in enumerate(np.ndindex(shape)):
        anonymous[node] = table.is_anonymous(table.classes(node))
        if done is not None:
            done[0] = table.tuples.n * (i + 1) // anonymous.size
    return Search(anonymous, anonymous.size)


def _candidates(table: LeveledTable, subset: tuple[int, ...], smaller: dict[tuple[int, ...], Bool]) -> Bool:
    """The nodes of a subset that are k-anonymous without any one of its attributes."""
    parts = [np.expand_dims(smaller[subset[:axis] + subset[axis + 1 :]], axis) for axis in range(len(subset))]
    shape = tuple(table.heights[j] + 1 for j in subset)
    return np.broadcast_to(reduce(np.logical_and, parts), shape)


def _search_subset(table: LeveledTable, subset: tuple[int, ...], candidates: Bool) -> tuple[Bool, int]:
    """Which nodes of a subset are k-anonymous, breadth first; and how many were counted."""
    anonymous = np.zeros(candidates.shape, bool)
    nodes = np.argwhere(candidates)
    heights = nodes.sum(axis=1)
    bottom = table.classes((0,) * len(subset), subset=subset)
    counted = 1
    held: dict[tuple[int, ...], Classes] = {}
    for height in np.unique(heights).tolist():
        below, held, room = held, {}, _MOST_HELD
        for node in map(tuple, nodes[heights == height].tolist()):
            if anonymous[node]:
                continue
            lower = min(_right_below(node, below), key=_size, default=bottom)
            classes = table.classes(node, None if table.looks_beyond_sizes else lower, subset)
            counted += 1
            if table.is_anonymous(classes):
                anonymous[tuple(slice(level, None) for level in node)] = True
            elif _size(classes) <= room:
                held[node] = classes
                room -= _size(classes)
    return anonymous, counted


def _right_below(node: tuple[int, ...], held: dict[tuple[int, ...], Classes]) -> list[Classes]:
    lower = ((*node[:axis], level - 1, *node[axis + 1 :]) for axis, level in enumerate(node))
    return [held[one] for one in lower if one in held]


def _size(classes: Classes) -> int:
    return len(classes.counts)


def _minimal(anonymous: Bool) -> Bool:
    """The nodes that are no longer k-anonymous if any attribute goes down a level."""
    minimal = anonymous.copy()
    for axis in range(anonymous.ndim):
        upper, lower = np.moveaxis(minimal, axis, 0)[1:], np.moveaxis(anonymous, axis, 0)[:-1]
        upper &= ~lower
    return minimal


def least_loss(table: LeveledTable, candidates: Bool) -> Int64 | None:
    """Of the candidates, the node whose release loses least; ties: fewest levels in all, then the first.

    None if at every one of them too many records are left out. Nodes are tried in the order of what they lose
    at least, whoever is left out; from where that exceeds the best found, no other can be better.
    """
    flat = np.flatnonzero(candidates)
    places = np.unravel_index(flat, candidates.shape)
    least = np.zeros(len(flat))
    for losses, levels in zip(table.least_losses, places, strict=True):
        least += losses[levels]
    best: tuple[float, int, list[int]] | None = None
    for i in np.argsort(least, kind="stable").tolist():
        if best is not None and least[i] > best[0]:
            break
        node = np.array([levels[i] for levels in places], np.int64)
        classes = table.classes(node)
        left_out = table.left_out(node, classes)
        if left_out is not None:
            loss = table.loss(node, left_out[classes.class_of])
            found = (loss, int(node.sum()), node.tolist())
            best = found if best is None else min(best, found)
    return None if best is None else np.array(best[2], np.int64)
