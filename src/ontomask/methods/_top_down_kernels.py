"""Compiled loops of top-down specialisation, over the tuples that have the node to be specialised.

Groups are the records that are equal in what is written for them so far. A specialisation divides those that
have its node and touches no other, so that only these are counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Int32, Int64
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
