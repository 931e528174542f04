"""Compiled loops of decision trees: growing, pruning, predicting. What they compute, `decision_tree` says."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.compiled import inner, kernel, step

SAME = 1e-9
"""Scores that differ by less are the same: the first of them counts, however they were summed."""


class Nodes(NamedTuple):
    """A tree, node by node, parents before children; node 0 is the root."""

    attribute: Int32  # [n] what a node is split by, -1 for a leaf
    bound: Int32  # [n] greatest code of the first of its two branches; of words -1
    first: Int32  # [n] its first child; the others follow
    width: Int32  # [n] how many children it has
    usual: Int32  # [n] the child with most records, for those without a number
    branch: Int32  # [n] the code by which a node is reached; of numbers 0 (up to the bound) and 1
    counts: Int64  # [n, classes] records that reach it


class Growth(NamedTuple):
    """When a node is split; see `decision_tree.TreeOptions`."""

    by_ratio: bool
    least_gain: float
    least_leaf: int
    deepest: int


class Entries(NamedTuple):
    """What a tree grows from: entry e stands for `times[e]` records of class `y[e]`."""

    codes: Int32  # [e, m]
    is_number: Bool  # [m]
    y: Int32
    times: Int64


@inner
def _total(counts: Int64) -> int:
    total = 0
    for count in counts:
        total += count
    return total


@inner
def _bits(counts: Int64) -> float:
    """n E in bits: `n log2 n - sum c log2 c`."""
    total, found = 0, 0.0
    for count in counts:
        total += count
        if count > 0:
            found -= count * np.log2(count)
    return found + total * np.log2(total) if total > 0 else 0.0


@inner
def _share_bits(part: int, n: int) -> float:
    """What a branch adds to the split information."""
    return -part / n * np.log2(part / n) if part > 0 else 0.0


@inner
def _words_split(
    entries: Entries, j: int, rows: Int64, before: float, n: int, least_leaf: int, counts: Int64
) -> tuple[float, float]:
    """Bits gained (0: not allowed), and split information, by a branch for each word, which sorts `rows`."""
    left, information, large = 0.0, 0.0, 0
    counts[:] = 0
    for i in range(len(rows)):
        row = rows[i]
        counts[entries.y[row]] += entries.times[row]
        if i + 1 == len(rows) or entries.codes[rows[i + 1], j] != entries.codes[row, j]:
            size = _total(counts)
            left += _bits(counts)
            information += _share_bits(size, n)
            large += size >= least_leaf
            counts[:] = 0
    return (before - left, information) if large >= 2 else (0.0, 0.0)


@inner
def _number_split(
    entries: Entries, j: int, rows: Int64, n: int, least_leaf: int, below: Int64, above: Int64
) -> tuple[float, float, int]:
    """The same of the best two branches, missing numbers apart, and the greatest code of the first."""
    below[:], above[:] = 0, 0
    known = 0
    while known < len(rows) and entries.codes[rows[known], j] < 0:
        above[entries.y[rows[known]]] += entries.times[rows[known]]
        known += 1
    missing = _total(above)
    above[:] = 0
    for row in rows[known:]:
        above[entries.y[row]] += entries.times[row]
    before, best, bound, low = _bits(above), 0.0, -1, 0
    for i in range(known, len(rows) - 1):
        row = rows[i]
        below[entries.y[row]] += entries.times[row]
        above[entries.y[row]] -= entries.times[row]
        if entries.codes[rows[i + 1], j] == entries.codes[row, j]:
            continue
        size = _total(below)
        if size < least_leaf or n - missing - size < least_leaf:
            continue
        gained = before - _bits(below) - _bits(above)
        if gained > best + SAME * n:
            best, bound, low = gained, entries.codes[row, j], size
    information = _share_bits(low, n) + _share_bits(n - missing - low, n) + _share_bits(missing, n)
    return best, information, bound


@step
def _best_split(entries: Entries, rows: Int64, counts: Int64, growth: Growth) -> tuple[int, int]:
    """The attribute to split by, -1 if by none, and the bound."""
    n, m, before = _total(counts), entries.codes.shape[1], _bits(counts)
    if before <= SAME:
        return -1, -1
    gains, ratios, bounds = np.zeros(m), np.zeros(m), np.full(m, -1, np.int64)
    own, ordered = np.empty(len(rows), np.int32), np.empty(len(rows), np.int64)
    below, above = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    useful, sum_of_gains = 0, 0.0
    for j in range(m):
        for i in range(len(rows)):
            own[i] = entries.codes[rows[i], j]
        order = np.argsort(own)
        for i in range(len(rows)):
            ordered[i] = rows[order[i]]
        if entries.is_number[j]:
            found = _number_split(entries, j, ordered, n, growth.least_leaf, below, above)
            gained, information, bounds[j] = found
        else:
            gained, information = _words_split(entries, j, ordered, before, n, growth.least_leaf, below)
        if gained / n > SAME:
            gains[j] = gained / n
            ratios[j] = gains[j] / information if information > 0 else 0.0
            useful += 1
            sum_of_gains += gains[j]
    best, best_score = -1, 0.0
    for j in range(m):
        # A ratio counts only where the gain is as great as usual: that of two tiny numbers is chance.
        is_usual = useful > 0 and gains[j] >= sum_of_gains / useful - SAME
        score = gains[j] if not growth.by_ratio else (ratios[j] if is_usual else 0.0)
        if gains[j] > 0 and score > best_score + SAME:
            best, best_score = j, score
    if best < 0 or gains[best] < growth.least_gain - SAME:
        return -1, -1
    return best, bounds[best]


@step
def _branches(entries: Entries, j: int, bound: int, rows: Int64) -> Int32:
    """The branch that each row takes; one without a number takes that of most records."""
    found = np.empty(len(rows), np.int32)
    records = np.zeros(2, np.int64)
    for i in range(len(rows)):
        code = entries.codes[rows[i], j]
        found[i] = code if not entries.is_number[j] or code < 0 else code > bound
        if entries.is_number[j] and code >= 0:
            records[found[i]] += entries.times[rows[i]]
    if entries.is_number[j]:
        for i in range(len(rows)):
            if found[i] < 0:
                found[i] = records[1] > records[0]
    return found


@kernel
def grow(entries: Entries, classes: int, growth: Growth) -> Nodes:
    """The tree before pruning."""
    size = 0
    rows = np.empty(len(entries.y), np.int64)
    for e in range(len(entries.y)):
        if entries.times[e] > 0:
            rows[size] = e
            size += 1
    rows = rows[:size]
    most = 2 * size + 1  # every split has two branches or more, and every leaf an entry
    facts, places = np.full((6, most), -1, np.int32), np.zeros((3, most), np.int64)
    attribute, bound, first, width, usual, branch = facts[0], facts[1], facts[2], facts[3], facts[4], facts[5]
    begin, end, depth = places[0], places[1], places[2]
    counts = np.zeros((most, classes), np.int64)
    end[0] = size
    for row in rows:
        counts[0, entries.y[row]] += entries.times[row]
    size, node = 1, 0
    while node < size:
        here = rows[begin[node] : end[node]]
        best, at = -1, -1
        if depth[node] < growth.deepest and _total(counts[node]) >= 2 * growth.least_leaf:
            best, at = _best_split(entries, here, counts[node], growth)
        if best >= 0:
            attribute[node], bound[node], first[node] = best, at, size
            taken = _branches(entries, best, at, here)
            order, before = np.argsort(taken), here.copy()
            for i in range(len(order)):
                row, code = before[order[i]], taken[order[i]]
                here[i] = row
                if i == 0 or code != branch[size - 1]:
                    branch[size], begin[size], depth[size] = code, begin[node] + i, depth[node] + 1
                    size += 1
                counts[size - 1, entries.y[row]] += entries.times[row]
                end[size - 1] = begin[node] + i + 1
            width[node] = size - first[node]
            usual[node] = first[node]
            for child in range(first[node], size):
                if _total(counts[child]) > _total(counts[usual[node]]):
                    usual[node] = child
        node += 1
    return Nodes(
        attribute[:size], bound[:size], first[:size], width[:size], usual[:size], branch[:size], counts[:size]
    )


@kernel
def prune(nodes: Nodes, z: float) -> None:
    """Cut off branches that are expected to predict no better than the node they hang from."""
    errors = np.zeros(len(nodes.attribute))
    for node in range(len(errors) - 1, -1, -1):
        n, most = 0, 0
        for count in nodes.counts[node]:
            n += count
            most = max(most, count)
        share = 1 - most / n
        spread = z * np.sqrt(share / n - share * share / n + z * z / (4 * n * n))
        errors[node] = n * (share + z * z / (2 * n) + spread) / (1 + z * z / n)
        if nodes.attribute[node] < 0:
            continue
        below = 0.0
        for child in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
            below += errors[child]
        if errors[node] <= below + SAME:
            nodes.attribute[node] = -1
        else:
            errors[node] = below


@kernel
def reached(nodes: Nodes, entries: Entries) -> Int32:
    """The leaf that each entry comes to; an unknown word stops where it is unknown."""
    found = np.zeros(len(entries.y), np.int32)
    for e in range(len(entries.y)):
        node = 0
        while nodes.attribute[node] >= 0:
            j = nodes.attribute[node]
            code, first = entries.codes[e, j], nodes.first[node]
            if entries.is_number[j]:
                node = nodes.usual[node] if code < 0 else first + (code > nodes.bound[node])
                continue
            child = first + np.searchsorted(nodes.branch[first : first + nodes.width[node]], code)
            if child == first + nodes.width[node] or nodes.branch[child] != code:
                break
            node = child
        found[e] = node
    return found
