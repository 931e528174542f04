"""Best-first local recoding: small classes join where the fewest generalisation steps are needed.

The masking method of the studies of semantic record linkage (Martinez 2013, ch. 8; Martinez, Sanchez & Valls
2012). Every class is generalised for itself, to the lowest nodes that cover its values. It counts steps in
the trees and asks for no distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, space_of
from ontomask.compiled import kernel, step
from ontomask.measures.base import on_grid
from ontomask.methods.base import BLANK, Masking, Method
from ontomask.methods.full_domain import levels_of
from ontomask.methods.repair import repaired
from ontomask.methods.task import Entries, Task
from ontomask.options import option


@dataclass(frozen=True)
class BestFirst(Method):
    """Greedy local recoding by generalisation steps."""

    name: ClassVar[str] = "best-first"
    words: ClassVar[str] = (
        "People with a rare combination of values were joined, the rarest first, with those with whom the "
        "fewest steps up the hierarchies lead to common values, until every combination was shared by {k} "
        "people or more (best-first generalisation)."
    )
    has_centroids: ClassVar[bool] = False
    has_hierarchies: ClassVar[bool] = True
    is_truthful: ClassVar[bool] = True
    compiled: ClassVar[str] = "best_first"
    blank: bool = option(False, BLANK)
    weighted: bool = option(True, "count a step once for each record that makes it; false: for each class")

    def masking(self, task: Task) -> Masking:
        task.check_size()
        tuples, trees = task.tuples, trees_of(task.attributes)
        group_of_tuple, nodes = self._joined(task, trees)
        entries = Entries.whole(group_of_tuple, tuples.counts).of_cells(tuples, task.rng)
        space = space_of(tuples, task.attributes, combine=task.combine, with_covers=True)
        groups = repaired(task, space, entries, partial(self._values_of, task, trees), self.blank)
        changed = entries._replace(groups=groups)
        if not np.array_equal(groups, entries.groups):
            nodes = nodes_of_groups(task, trees, changed)
        return Masking.of(changed, trees.replacements[nodes], task.attributes)

    @staticmethod
    def _values_of(task: Task, trees: Trees, entries: Entries) -> tuple[Sequence[Attribute], Int32]:
        return task.attributes, trees.replacements[nodes_of_groups(task, trees, entries)]

    def _joined(self, task: Task, trees: Trees) -> tuple[Int64, Int32]:
        """The group of every tuple, and the nodes of each group; values that are kept are never joined."""
        tuples, group_of, n_groups = task.tuples, np.empty(len(task.tuples), np.int64), 0
        found = []
        for ids in task.blocks():
            codes, counts = tuples.codes[ids], tuples.counts[ids]
            k = min(task.k, int(counts.sum()))  # too few are one group, and a matter for `repair`
            class_of, nodes = join_classes(trees, codes, counts, k, self.weighted, task.done)
            roots, group = np.unique(class_of, return_inverse=True)
            group_of[ids] = group + n_groups
            found.append(nodes[roots])
            n_groups += len(roots)
        return group_of, np.concatenate(found)


class Trees(NamedTuple):
    """The trees of all attributes, without padding: attribute j has the nodes `starts[j]:starts[j + 1]`.

    The first of them is its root, and every node comes after the one above it, its `parents`. `leaves[j, c]`
    is the node of code c.
    """

    starts: Int64
    parents: Int32
    leaves: Int32
    replacements: Int32
    weights: Float64


def trees_of(attributes: Sequence[Attribute]) -> Trees:
    """The trees of attributes that have levels."""
    starts, parents, replacements = [0], [], []
    leaves = np.zeros((len(attributes), max(attribute.size for attribute in attributes)), np.int32)
    for j, attribute in enumerate(attributes):
        levels = levels_of(attribute)[::-1]  # from the root down
        nodes, first = np.unique(levels, return_index=True)
        nodes = nodes[np.argsort(first)]  # in the order of the highest level at which each stands
        number = np.zeros(attribute.n_replacements, np.int32)
        number[nodes] = starts[-1] + np.arange(len(nodes))
        above = number[levels[:-1]]
        below = number[levels[1:]]
        parent = np.full(len(nodes), -1, np.int32)
        moved = above != below
        parent[below[moved] - starts[-1]] = above[moved]
        leaves[j, : attribute.size] = number[levels[-1]]
        parents.append(parent)
        replacements.append(nodes)
        starts.append(starts[-1] + len(nodes))
    return Trees(
        np.array(starts, np.int64),
        np.concatenate(parents),
        leaves,
        np.concatenate(replacements).astype(np.int32),
        on_grid(np.array([attribute.weight for attribute in attributes])),
    )


def nodes_of_groups(task: Task, trees: Trees, entries: Entries) -> Int32:
    """The lowest nodes that cover the values of each group of cells, [groups, attributes]."""
    order = np.argsort(entries.groups, kind="stable")
    order = order[entries.groups[order] >= 0]
    tuples = task.tuples.tuple_of_cell[entries.tuples[order]]
    return covers_of_runs(trees, task.tuples.codes, tuples, entries.groups[order])


@kernel
def covers_of_runs(trees: Trees, codes: Int32, tuples: Int32, groups: Int32) -> Int32:
    """The lowest nodes above the tuples of each group; groups ascend from 0."""
    m = codes.shape[1]
    nodes = np.empty((groups[-1] + 1 if len(groups) else 0, m), np.int32)
    depths = np.zeros(len(trees.parents), np.int32)
    for node in range(len(trees.parents)):  # a node comes after the one above it
        if trees.parents[node] >= 0:
            depths[node] = depths[trees.parents[node]] + 1
    for e in range(len(groups)):
        for j in range(m):
            leaf = trees.leaves[j, codes[tuples[e], j]]
            if e == 0 or groups[e] != groups[e - 1]:
                nodes[groups[e], j] = leaf
                continue
            a, b = np.int64(nodes[groups[e], j]), np.int64(leaf)
            while a != b:
                if depths[a] >= depths[b]:
                    a = np.int64(trees.parents[a])
                else:
                    b = np.int64(trees.parents[b])
            nodes[groups[e], j] = a
    return nodes


@kernel
def join_classes(
    trees: Trees, codes: Int32, counts: Int64, k: int, weighted: bool, done: Int64
) -> tuple[Int64, Int32]:
    """The class of every tuple, named by its first one, and the nodes of each class.

    The smallest class a joins the class b with the least cost, ties being resolved by the first tuple::

        cost(a, b) = sum over attributes j of  w_j (n_a steps(a_j, lcs_j) + n_b steps(b_j, lcs_j))

    with n the numbers of records, or 1 if not `weighted`, and the LCS in the tree.
    """
    p, m = codes.shape
    nodes = np.empty((p, m), np.int32)
    for t in range(p):
        for j in range(m):
            nodes[t, j] = trees.leaves[j, codes[t, j]]
    sizes, joined = counts.copy(), np.arange(p)
    left, n_left = np.arange(p), p  # the classes there are, in the order of their first tuples
    up = np.empty((3, len(trees.parents)), np.int64)
    done[0] = 0
    for size in counts:
        done[0] += size if size >= k else 0
    while True:
        smallest = 0
        for i in range(n_left):
            if sizes[left[i]] < sizes[left[smallest]]:
                smallest = i
        a = left[smallest]
        if sizes[a] >= k:
            break
        for j in range(m):
            _fill_steps(trees, j, nodes[a, j], up)
        closest, least = -1, np.inf
        for i in range(n_left):
            b = left[i]
            if b == a:
                continue
            n_a, n_b = (sizes[a], sizes[b]) if weighted else (np.int64(1), np.int64(1))
            cost = 0.0
            for j in range(m):
                node = nodes[b, j]
                cost += trees.weights[j] * (n_a * up[0, node] + n_b * up[1, node])
                if cost >= least:
                    break
            if cost < least:
                closest, least = i, cost
        b = left[closest]
        if sizes[a] + sizes[b] >= k:
            done[0] += sizes[a] + (sizes[b] if sizes[b] < k else 0)
        for j in range(m):
            nodes[min(a, b), j] = up[2, nodes[b, j]]
        sizes[min(a, b)] = sizes[a] + sizes[b]
        joined[max(a, b)] = min(a, b)
        gone = max(smallest, closest)
        n_left -= 1
        for i in range(gone, n_left):
            left[i] = left[i + 1]
    for t in range(p):  # a class was joined to an earlier one, whose own place is known by now
        joined[t] = joined[joined[t]]
    return joined, nodes


@step
def _fill_steps(trees: Trees, j: int, start: int, up: Int64) -> None:
    """For every node of a tree: steps of `start` to where they meet, its own, and the node where they do."""
    first, last = trees.starts[j], trees.starts[j + 1]
    for node in range(first, last):
        up[1, node] = -1
    passed, steps = np.int64(start), 0
    while passed >= 0:
        up[0, passed], up[1, passed], up[2, passed] = steps, 0, passed
        passed, steps = np.int64(trees.parents[passed]), steps + 1
    for node in range(first, last):
        if up[1, node] < 0:
            above = trees.parents[node]
            up[0, node], up[1, node], up[2, node] = up[0, above], up[1, above] + 1, up[2, above]
