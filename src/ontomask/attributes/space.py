"""All attributes of a table in flat arrays, for compiled loops.

Attribute j owns the places `values_from:values_to` of every array over values and
`candidates_from:candidates_to` of every array over candidates (the replacements of attributes that have a
table of them; numbers have none). Codes are stored with their offset, so that one array `row` over all values
tells the distance of a fixed point (a tuple or a centroid) to any tuple. Facts about attributes and values
are records of two arrays: few arguments compile fast.

A truthful attribute is laid out by what may cover a group: its candidates are the values and all that stands
above them, and what it adds to the distance of a value to a point is the NCP of what covers both. Of sets,
whose covers are too many, candidates are those that occur; what is released is composed for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.dates import Dates
from ontomask.attributes.distances import Distances, SetDistances, handle_of
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.attributes.sets import Sets
from ontomask.measures.base import on_grid
from ontomask.ontology.csr import Csr, starts_of

Combine = Literal["mean", "euclidean"]
Strategy = Literal["semantic", "mode", "lcs", "least-squares", "marginality"]
SEMANTIC, MODE, LCS, LEAST_SQUARES, MARGINALITY = range(5)

ATTRIBUTE = np.dtype(
    [
        ("values_from", np.int64),
        ("values_to", np.int64),
        ("candidates_from", np.int64),
        ("candidates_to", np.int64),
        ("table_from", np.int64),  # start of its [c, q] tables
        ("handle", np.int64),  # to ask for distances that are in no table, or 0
        ("is_nominal", np.bool_),
        ("is_median", np.bool_),
        ("is_covered", np.bool_),  # whether a group gets what covers its values, not what is central to them
        ("per_day", np.int64),  # moments, where what covers its numbers is a unit of the calendar, or 0
        ("missing", np.int64),  # place of the missing value, or -1
        ("weight", np.float64),
        ("is_squared", np.bool_),  # whether its distance enters the sum over attributes squared
        ("unit", np.float64),  # of covered numbers: their range
        ("far", np.float64),  # how far a missing number is from any other
    ],
    align=True,
)
VALUE = np.dtype([("candidate", np.int64), ("number", np.float64)])


class Space(NamedTuple):
    """See the module's text."""

    codes: np.ndarray  # [m, p] uint16 or int32, offset by values_from
    counts: Int64  # [p]
    attributes: Any  # [m] of ATTRIBUTE
    values: Any  # of VALUE
    value_of: Int64  # per candidate the value that it itself is, or -1
    distances: Float64  # [c, q]: what an attribute adds to the distance of two records
    by_value: Float64  # [q, c]: the distance, or its square, whose sum centroids make least
    up_starts: Int64  # up[up_starts[c]:up_starts[c + 1]] are the candidates that subsume c, ascending
    up: Int32
    below_starts: Int64  # below[below_starts[c]:below_starts[c + 1]] are the values that covering c subsumes
    below: Int32
    ncp: Float64  # per candidate that may cover a group
    has_covers: bool  # whether some attribute is covered
    euclidean: bool  # whether the distance of two records is the root of the sum over attributes
    strategy: int


class Points(NamedTuple):
    """Centroids: point g has candidate `candidates[g, j]` or, where attribute j has none, `numbers[g, j]`.

    Where that attribute is covered, it is the range from there to `ends[g, j]`.
    """

    candidates: Int64
    numbers: Float64
    ends: Float64


class Members(NamedTuple):
    """Who is in which group: `counts[e]` records of tuple `tuples[e]` in `groups[e]` (-1: in none).

    A group is released as what covers it where the attribute is truthful and `with_covers`; otherwise as what
    is central to it or, if it `has_centres` not, as the point that was chosen.
    """

    tuples: Int32
    groups: Int32
    counts: Int64
    with_covers: bool
    has_centres: bool = True


class _Layout(NamedTuple):
    """An attribute's part of the arrays; numbers have no candidates."""

    values: np.ndarray
    value_of: Int64
    up: Csr
    below: Csr
    ncp: Float64


def space_of(
    tuples: Tuples,
    attributes: Sequence[Attribute],
    *,
    combine: Combine | Literal["variances"] = "mean",
    strategy: Strategy = "semantic",
    with_covers: bool = False,
    weights: Float64 | None = None,
) -> Space:
    """Lay out tuples and attributes; `strategy` says what the centroid of a nominal attribute is.

    `with_covers`: truthful attributes have covers of groups in place of centroids. `weights` take the place
    of the attributes' own. The distance of two records, with ``d_j`` that in attribute j, is by `combine`::

        mean        sum_j w_j d_j
        euclidean   sqrt( sum_j w_j d_j^2 )
        variances   the same, but d_j of words is not squared: it is a variance already
    """
    weighing = np.array([a.weight for a in attributes]) if weights is None else weights
    is_covered = [with_covers and a.is_truthful and not isinstance(a, Sets) for a in attributes]
    used = [a if covered else a.plain for a, covered in zip(attributes, is_covered, strict=True)]
    facts = np.zeros(len(attributes), ATTRIBUTE)
    parts: list[_Layout] = []
    compared: list[tuple[Float64, Float64]] = []  # tables, and what each adds to a distance
    n_values = n_candidates = table = 0
    for fact, attribute, covered, weight in zip(facts, used, is_covered, weighing, strict=True):
        own = _covering(attribute, n_values) if covered else _compared(attribute, n_values)
        parts.append(own)
        q, c = len(own.values), len(own.value_of)
        own.values["candidate"] += n_candidates
        fact["values_from"], fact["values_to"] = n_values, n_values + q
        fact["candidates_from"], fact["candidates_to"] = n_candidates, n_candidates + c
        fact["table_from"] = table
        fact["is_squared"] = combine == "euclidean" or (combine == "variances" and attribute.line is not None)
        if isinstance(attribute, Nominal | Sets) and not covered:
            distances = _distances_of(attribute, with_covers)
            if distances.is_kept:
                power = 2 if fact["is_squared"] else 1
                compared.append((distances.table, on_grid(distances.table**power * weight)))
                table += c * q
            else:
                fact["handle"] = handle_of(distances)
        fact["is_nominal"], fact["is_covered"] = c > 0, covered
        fact["per_day"] = attribute.per_day if isinstance(attribute, Dates) else 0
        fact["is_median"] = isinstance(attribute, Numeric) and attribute.middle == "median"
        fact["missing"] = n_values + attribute.missing if attribute.missing >= 0 else -1
        fact["weight"] = weight
        fact["unit"], fact["far"] = (line.unit, line.far) if (line := attribute.line) else (1.0, 1.0)
        if covered and isinstance(attribute, Numeric):
            fact["unit"], fact["far"] = attribute.range or 1.0, 1.0
        n_values, n_candidates = n_values + q, n_candidates + c
    codes = (tuples.codes + facts["values_from"]).T.astype(np.uint16 if n_values < 2**16 else np.int32)
    up = _stacked([part.up for part in parts], facts["candidates_from"])
    below = _stacked([part.below for part in parts], facts["values_from"])
    return Space(
        codes=np.ascontiguousarray(codes),
        counts=tuples.counts,
        attributes=facts.view(np.recarray),
        values=np.concatenate([part.values for part in parts]).view(np.recarray),
        value_of=np.concatenate([part.value_of for part in parts]),
        distances=_flat([added for _, added in compared]),
        by_value=_flat([table.T ** (2 if strategy == "least-squares" else 1) for table, _ in compared]),
        up_starts=up.starts,
        up=up.values,
        below_starts=below.starts,
        below=below.values,
        ncp=np.concatenate([part.ncp for part in parts]),
        has_covers=any(is_covered),
        euclidean=combine != "mean",
        strategy=get_args(Strategy).index(strategy),
    )


def replacements_of(
    attributes: Sequence[Attribute],
    space: Space,
    points: Points,
    *,
    as_written: bool = True,
    members: Members | None = None,
) -> tuple[list[Attribute], Int32]:
    """Points as replacements, [points, m], of attributes that have the new numbers and sets among theirs.

    Numbers are rounded to what can be written, unless the exact centre is wanted. `members` of the groups
    that points stand for are needed for what is composed of them; else it is a value that occurs.
    """
    extended: list[Attribute] = []
    values = np.empty(points.candidates.shape, np.int32)
    for j, attribute in enumerate(attributes):
        plain = attribute.plain
        is_covered = space.attributes["is_covered"][j]
        chosen = points.candidates[:, j] - space.attributes["candidates_from"][j]
        if is_covered and (subsumers := attribute.subsumers):
            extended.append(attribute)
            values[:, j] = subsumers.replacements[chosen]
            continue
        if isinstance(plain, Numeric) and is_covered:
            plain, values[:, j] = plain.covering(points.numbers[:, j], points.ends[:, j])
        elif isinstance(plain, Numeric):
            numbers = points.numbers[:, j]
            if as_written:
                numbers = plain.rounded(numbers)
            plain = plain.including(numbers)
            values[:, j] = plain.replacement_of(numbers)
        elif isinstance(plain, Sets) and members is not None and _is_composed(plain, space, members):
            codes = space.codes[j, members.tuples] - space.attributes["values_from"][j]
            plain, values[:, j] = plain.replacing(
                codes,
                members.groups,
                members.counts,
                len(values),
                by_cover=(plain.is_truthful and members.with_covers) or space.strategy == LCS,
            )
        else:
            values[:, j] = chosen
        extended.append(attribute.with_plain(plain))
        values[:, j] += extended[-1].n_replacements - plain.n_replacements
    return extended, values


def _is_composed(attribute: Sets, space: Space, members: Members) -> bool:
    """Whether groups of sets get one that is made for them, not one of those that occur."""
    if attribute.is_truthful and members.with_covers:
        return True
    return members.has_centres and space.strategy not in (MODE, MARGINALITY)


def _distances_of(attribute: Nominal | Sets, with_covers: bool) -> Distances | SetDistances:
    """How values are compared: sets of a truthful attribute by what covers both."""
    if isinstance(attribute, Sets) and attribute.is_truthful and with_covers:
        return attribute.cover_costs
    return attribute.distances


def _compared(attribute: Attribute, n_values: int) -> _Layout:
    """The part of an attribute whose values are compared."""
    if isinstance(attribute, Nominal | Sets):
        return _with_candidates(attribute.own, attribute.up, n_values)
    return _of_numbers(attribute)


def _covering(attribute: Attribute, n_values: int) -> _Layout:
    """The part of an attribute whose values are covered."""
    above = attribute.subsumers
    if above is None:
        return _of_numbers(attribute)
    below = above.up.take(above.own).transposed(len(above.up))
    return _with_candidates(above.own, above.up, n_values)._replace(below=below, ncp=above.ncp)


def _with_candidates(own: Int32, up: Csr, n_values: int) -> _Layout:
    values, value_of = np.zeros(len(own), VALUE), np.full(len(up), -1, np.int64)
    values["candidate"] = own
    value_of[own] = np.arange(len(own)) + n_values
    nothing = Csr(np.zeros(len(up) + 1, np.int64), np.zeros(0, np.int32))
    return _Layout(values, value_of, up, nothing, np.zeros(len(up)))


def _of_numbers(attribute: Attribute) -> _Layout:
    assert isinstance(attribute, Numeric)
    values, none = np.zeros(attribute.size, VALUE), Csr(np.zeros(1, np.int64), np.zeros(0, np.int32))
    values["number"] = attribute.numbers
    return _Layout(values, np.zeros(0, np.int64), none, none, np.zeros(0))


def _stacked(parts: Sequence[Csr], offsets: Int64) -> Csr:
    """The rows of all tables, one table after the other; what they hold is offset."""
    counts = np.concatenate([part.counts for part in parts])
    values = [part.values + offset for part, offset in zip(parts, offsets, strict=True)]
    return Csr(starts_of(counts), np.concatenate(values).astype(np.int32))


def _flat(parts: list[Float64]) -> Float64:
    return np.concatenate([np.zeros(0), *(part.ravel() for part in parts)])
