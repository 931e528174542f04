"""The table as searches for better groups see it: a row of numbers and places in tables for each tuple.

It is laid out from a `Space`, whose arrays run over columns first; a search looks at whole tuples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Space
from ontomask.attributes.space import LEAST_SQUARES
from ontomask.compiled import kernel
from ontomask.methods._fitting import NUMERIC, TOO_FAR, Columns
from ontomask.methods._neighbours import WORD, Records

_LARGEST = 1 << 24  # table of covers
_ROUNDING = 1e-9


class Cost(NamedTuple):
    """What a record costs that is replaced: ``sum_j w_j d_j^power``, or the square of that sum."""

    weights: Float64
    power: int
    is_squared: bool


def can_be_laid_out(space: Space) -> bool:
    """Whether all attributes have tables, or may have."""
    a = space.attributes
    size = a["candidates_to"] - a["candidates_from"]
    return not a["handle"].any() and not (a["is_covered"] & (size**2 > _LARGEST)).any()


def in_order(space: Space) -> tuple[Int64, Int64]:
    """The nominal and the numeric attributes; those that are covered come last."""
    facts = space.attributes
    order = np.argsort(facts["is_covered"], kind="stable")
    is_nominal = facts["is_nominal"][order]
    return order[is_nominal], order[~is_nominal]


def laid_out(space: Space, tuples: Int64, cost: Cost, limits: Float64) -> tuple[Records, Columns]:
    """Tuples of a space, and its columns; to move farther than the limit of a column costs far too much."""
    facts, (nominal, numeric) = space.attributes, in_order(space)
    words = np.zeros((len(tuples), len(nominal)), WORD).view(np.recarray)
    tables, starts, first = [np.zeros(0)], [np.zeros(1, np.int64)], [0]
    up, covers, ncp = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0)]
    covers_from = np.full(len(nominal), -1, np.int64)
    for i, j in enumerate(nominal):
        a, weight, places = facts[j], cost.weights[j], space.codes[j, tuples] - facts[j].values_from
        if a.is_covered:
            own, covering, of_covers = _covers_of(space, j)
            table, size = of_covers[covering[own]].ravel(), len(of_covers)
            covers_from[i] = sum(map(len, covers))
            covers.append(covering.ravel())
            ncp.append(weight * of_covers + _beyond(of_covers, limits[j]))
        else:
            own = space.values["candidate"][a.values_from : a.values_to] - a.candidates_from
            table, size = _distances_of(space, j, cost.power), int(a.candidates_to - a.candidates_from)
            above = slice(*space.up_starts[[a.candidates_from, a.candidates_to]])
            starts.append(
                space.up_starts[a.candidates_from + 1 : a.candidates_to + 1] - above.start + starts[-1][-1]
            )
            up.append((space.up[above] - a.candidates_from).astype(np.int32))
            ncp.append(np.zeros(size))
        words["row"][:, i] = sum(map(len, tables)) + places.astype(np.int64) * size
        words["own"][:, i] = own[places]
        tables.append(weight * (table + _beyond(table, limits[j] ** cost.power)))
        first.append(first[-1] + size)
    numbers, far = np.zeros((len(tuples), len(numeric))), np.zeros(len(numeric))
    lines = np.zeros(len(numeric), NUMERIC).view(np.recarray)
    for i, j in enumerate(numeric):
        a, places = facts[j], space.codes[j, tuples].astype(np.int64)
        scale = scale_of(space, cost, j)
        numbers[:, i] = np.where(places == a.missing, np.nan, space.values["number"][places] / scale)
        far[i] = cost.weights[j] * a.far**cost.power
        lines[i].per_day, lines[i].scale = a.per_day if a.is_covered else 0, scale
        lines[i].most = cost.weights[j] * limits[j] ** cost.power + _ROUNDING
    table, n_words = np.concatenate(tables), int((~facts["is_covered"][nominal]).sum())
    n_numbers = int((~facts["is_covered"][numeric]).sum())
    return (
        Records(numbers, far, words, table, np.array(first), cost.power == 2, cost.is_squared),
        Columns(
            n_words,
            n_numbers,
            np.concatenate(starts),
            np.concatenate(up),
            np.concatenate(covers),
            covers_from,
            np.concatenate(ncp),
            lines,
        ),
    )


def _beyond(costs: Float64, limit: float) -> Float64:
    """What is added to costs that are more than a limit."""
    return np.where(costs > limit + _ROUNDING, TOO_FAR, 0.0)


def taken(records: Records, some: Int64) -> Records:
    """Some of the records."""
    return records._replace(numbers=records.numbers[some], words=records.words[some])


def scale_of(space: Space, cost: Cost, j: int) -> float:
    """The difference of numbers of column j that costs 1."""
    a = space.attributes[j]
    return float(a.unit / cost.weights[j] ** (1 / cost.power))


def _distances_of(space: Space, j: int, power: int) -> Float64:
    """What candidates of column j, which has a centre, cost its values, row by row."""
    a = space.attributes[j]
    size = int((a.values_to - a.values_from) * (a.candidates_to - a.candidates_from))
    own = space.by_value[a.table_from : a.table_from + size]
    return np.asarray(own ** (power / 2 if space.strategy == LEAST_SQUARES else power))


class _Covers(NamedTuple):
    """What covers two candidates of a column; values with others below them are two: a cover, and a leaf
    that costs nothing.
    """

    own: Int64  # per value its candidate
    table: Int32  # [candidates, candidates]
    ncp: Float64


def _covers_of(space: Space, j: int) -> _Covers:
    a = space.attributes[j]
    own = space.values["candidate"][a.values_from : a.values_to] - a.candidates_from
    ncp = space.ncp[a.candidates_from : a.candidates_to]
    size, inner = len(ncp), np.flatnonzero(ncp[own] > 0)
    of_leaves = np.append(np.arange(size), own[inner])
    table = covers_of_candidates(space, int(j)).reshape(size, size)[np.ix_(of_leaves, of_leaves)]
    leaves = size + np.arange(len(inner))
    table[leaves, leaves] = leaves
    own[inner] = leaves
    return _Covers(own, table, np.append(ncp, np.zeros(len(inner))))


@kernel
def covers_of_candidates(space: Space, j: int) -> Int32:
    """The candidate that covers each two of column j: the deepest that is above both, which comes first."""
    a = space.attributes[j]
    size = a.candidates_to - a.candidates_from
    covers = np.zeros(size * size, np.int32)
    for x in range(size):
        for y in range(size):
            i, i_end = space.up_starts[a.candidates_from + x], space.up_starts[a.candidates_from + x + 1]
            k, k_end = space.up_starts[a.candidates_from + y], space.up_starts[a.candidates_from + y + 1]
            while i < i_end and k < k_end and space.up[i] != space.up[k]:
                if space.up[i] < space.up[k]:
                    i += 1
                else:
                    k += 1
            covers[x * size + y] = (space.up[i] if i < i_end else space.up[i_end - 1]) - a.candidates_from
    return covers
