"""Compiled loops of top-down specialisation, over the tuples that have the node to be specialised.

Groups are the records that are equal in what is written for them so far. A specialisation divides those that
have its node and touches no other, so that only these are counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.compiled import kernel
from ontomask.privacy._known_values_kernels import number_pairs


class Divided(NamedTuple):
    """The groups of some tuples once divided: tuple `members[i]` is in part `part_of[i]`.

    Part s has `sizes[s]` records of group `groups[s]` that get child `children[s]`; `tuples[s]` is one of its
    tuples.
    """

    members: Int32
    part_of: Int32
    groups: Int32
    children: Int32
    tuples: Int32
    sizes: Int64


@kernel
def divided(
    order: Int32,
    starts: Int64,
    codes: Int64,
    child_of: Int32,
    group_of: Int32,
    n_groups: int,
    counts: Int64,
) -> Divided:
    """Divide the groups of the tuples that have some codes: code `codes[i]` gets child `child_of[i]`.

    The tuples of code c are `order[starts[c]:starts[c + 1]]`.
    """
    n = 0
    for c in codes:
        n += starts[c + 1] - starts[c]
    members, own, child = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    at = 0
    for i in range(len(codes)):
        for place in range(starts[codes[i]], starts[codes[i] + 1]):
            members[at] = order[place]
            own[at] = group_of[order[place]]
            child[at] = child_of[i]
            at += 1
    part_of = np.empty(n, np.int32)
    n_children = child_of.max() + 1 if len(child_of) else 0
    n_parts = number_pairs(own, n_groups, child, n_children, part_of)
    groups, children = np.empty(n_parts, np.int32), np.empty(n_parts, np.int32)
    tuples, sizes = np.empty(n_parts, np.int32), np.zeros(n_parts, np.int64)
    for i in range(n):
        s = part_of[i]
        groups[s], children[s], tuples[s] = own[i], child[i], members[i]
        sizes[s] += counts[members[i]]
    return Divided(members, part_of, groups, children, tuples, sizes)


@kernel
def spread_over_parts(
    parts: Divided, cell_starts: Int64, values: Int32, counts: Int64, n_values: int
) -> tuple[Int32, Int32, Int64]:
    """How the values of a further column are spread over the parts: part, value and records of each entry.

    The cells of tuple t are `cell_starts[t]:cell_starts[t + 1]`.
    """
    n = 0
    for t in parts.members:
        n += cell_starts[t + 1] - cell_starts[t]
    part, value, records = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    at = 0
    for i in range(len(parts.members)):
        for cell in range(cell_starts[parts.members[i]], cell_starts[parts.members[i] + 1]):
            part[at], value[at], records[at] = parts.part_of[i], values[cell], counts[cell]
            at += 1
    pairs = np.empty(n, np.int32)
    n_pairs = number_pairs(part, len(parts.sizes), value, n_values, pairs)
    of_part, of_value = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32)
    summed = np.zeros(n_pairs, np.int64)
    for e in range(n):
        of_part[pairs[e]], of_value[pairs[e]] = part[e], value[e]
        summed[pairs[e]] += records[e]
    return of_part, of_value, summed


@kernel
def divide(parts: Divided, group_of: Int32, n_groups: int) -> int:
    """Put the tuples into their parts, of which the first keeps the group's number; the number of groups."""
    number = np.empty(len(parts.sizes), np.int32)
    is_taken = np.zeros(n_groups, np.bool_)
    n = n_groups
    for s in range(len(number)):
        if is_taken[parts.groups[s]]:
            number[s] = n
            n += 1
        else:
            number[s] = parts.groups[s]
            is_taken[parts.groups[s]] = True
    for i in range(len(parts.members)):
        group_of[parts.members[i]] = number[parts.part_of[i]]
    return n


@kernel
def barred_splits(columns: Int32, widths: Int64, places: Int32, counts: Int64, least: int) -> Bool:
    """Which splits of a range leave fewer than `least` records, but some, on a side of a group.

    Tuple i has `counts[i]` records at place `places[i]` of the range, which ascends; those that are equal in
    all `columns` are a group. Split s is between places s and s + 1.
    """
    n = len(places)
    groups, n_groups = np.zeros(n, np.int32), 1
    for a in range(len(columns)):
        finer = np.empty(n, np.int32)
        n_groups = number_pairs(groups, n_groups, columns[a], widths[a], finer)
        groups = finer
    total, left = np.zeros(n_groups, np.int64), np.zeros(n_groups, np.int64)
    last = np.zeros(n_groups, np.int64)
    for i in range(n):
        total[groups[i]] += counts[i]
    n_places = places[-1] + 1
    change = np.zeros(n_places + 1, np.int64)  # how many groups bar a split more than the one before
    for i in range(n):
        g = groups[i]
        if left[g] > 0 and places[i] > last[g] and (left[g] < least or total[g] - left[g] < least):
            change[last[g]] += 1
            change[places[i]] -= 1
        left[g] += counts[i]
        last[g] = places[i]
    return np.cumsum(change)[: n_places - 1] > 0
