"""Compiled distances between the histogram of a class and that of the table, by equal or ordered ground.

A histogram is given as counts of all codes or, where codes are many and a class is small, as its own codes.
"""

from __future__ import annotations

from ontomask.arrays import Float64, Int64
from ontomask.compiled import inner, kernel


@inner
def histogram_distance(counts: Int64, shares: Float64, is_ordered: bool) -> float:
    """Equal ``sum_v max(p_v - q_v, 0)`` or ordered ``1/(q-1) sum_i |sum_(v<=i) (p_v - q_v)|``."""
    n, total, up_to = counts.sum(), 0.0, 0.0
    if n == 0:
        return 0.0
    for v in range(len(counts)):
        up_to += counts[v] / n - shares[v]
        if is_ordered:
            total += abs(up_to)
        else:
            total += max(counts[v] / n - shares[v], 0.0)
    return total / max(len(counts) - 1, 1) if is_ordered else total


@kernel
def equal_distance(own: Int64, shares: Float64) -> float:
    """``sum_v max(p_v - q_v, 0)`` of ascending codes."""
    total, first = 0.0, 0
    for i in range(1, len(own) + 1):
        if i == len(own) or own[i] != own[first]:
            total += max((i - first) / len(own) - shares[own[first]], 0.0)
            first = i
    return total


@kernel
def ordered_distance(own: Int64, up_to: Float64, area: Float64) -> float:
    """``1/(q-1) sum_i |P_i - Q_i|`` of ascending codes, P and Q being cumulated shares.

    Between two codes of the class P stands still and Q ascends, so that a sum has two parts.
    """
    q = len(up_to)
    if q < 2:
        return 0.0
    total = 0.0
    for i in range(len(own) + 1):
        start = own[i - 1] if i > 0 else 0
        stop = own[i] if i < len(own) else q - 1
        if stop <= start:
            continue
        share = i / len(own)
        cut = first_at_least(up_to, start, stop, share)
        total += share * (2 * cut - start - stop) + area[stop] + area[start] - 2 * area[cut]
    return total / (q - 1)


@inner
def first_at_least(ascending: Float64, start: int, stop: int, one: float) -> int:
    """The first place of `start:stop` with no smaller number, or `stop`."""
    while start < stop:
        middle = (start + stop) // 2
        if ascending[middle] < one:
            start = middle + 1
        else:
            stop = middle
    return start


@inner
def insert(ascending: Int64, size: int, code: int) -> int:
    """Put a code among `size` ascending ones; how many they are then."""
    at = size
    while at > 0 and ascending[at - 1] > code:
        ascending[at] = ascending[at - 1]
        at -= 1
    ascending[at] = code
    return size + 1
