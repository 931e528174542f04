"""All attributes of a table in flat arrays, for compiled loops.

Attribute j owns the places `values_from:values_to` of every array over values and
`candidates_from:candidates_to` of every array over candidates (the replacements of attributes that have a
table of them; numbers have none). Codes are stored with their offset, so that one array `row` over all values
tells the distance of a fixed point (a tuple or a centroid) to any tuple. Facts about attributes and values
are records of two arrays: few arguments compile fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.distances import handle_of
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.measures.base import on_grid

Combine = Literal["mean", "euclidean"]
Strategy = Literal["semantic", "mode", "lcs"]
SEMANTIC, MODE, LCS = 0, 1, 2

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
        ("missing", np.int64),  # place of the missing value, or -1
        ("weight", np.float64),
        ("unit", np.float64),
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
    by_value: Float64  # [q, c]: the plain distance, for centroids
    up_starts: Int64  # up[up_starts[c]:up_starts[c + 1]] are the candidates that subsume c, ascending
    up: Int32
    euclidean: bool
    strategy: int


class Points(NamedTuple):
    """Centroids: point g has candidate `candidates[g, j]` or, where attribute j has none, `numbers[g, j]`."""

    candidates: Int64
    numbers: Float64


def space_of(
    tuples: Tuples,
    attributes: Sequence[Attribute],
    *,
    combine: Combine = "mean",
    strategy: Strategy = "semantic",
) -> Space:
    """Lay out tuples and attributes; `strategy` says what the centroid of a nominal attribute is."""
    attributes = [attribute.plain for attribute in attributes]
    kept = [a for a in attributes if isinstance(a, Nominal) and a.distances.is_kept]
    power = 2 if combine == "euclidean" else 1
    facts = np.zeros(len(attributes), ATTRIBUTE)
    parts: list[tuple[np.ndarray, Int64, Int64, Int32]] = []
    n_values = n_candidates = table = 0
    for fact, attribute in zip(facts, attributes, strict=True):
        own = _laid_out(attribute, n_values, n_candidates)
        parts.append(own)
        q, c = len(own[0]), len(own[1])
        fact["values_from"], fact["values_to"] = n_values, n_values + q
        fact["candidates_from"], fact["candidates_to"] = n_candidates, n_candidates + c
        fact["table_from"] = table
        if isinstance(attribute, Nominal) and not attribute.distances.is_kept:
            fact["handle"] = handle_of(attribute.distances)
        else:
            table += c * q
        fact["is_nominal"] = isinstance(attribute, Nominal)
        fact["is_median"] = isinstance(attribute, Numeric) and attribute.middle == "median"
        fact["missing"] = n_values + attribute.missing if attribute.missing >= 0 else -1
        fact["weight"] = attribute.weight
        fact["unit"], fact["far"] = (line.unit, line.far) if (line := attribute.line) else (1.0, 1.0)
        n_values, n_candidates = n_values + q, n_candidates + c
    codes = (tuples.codes + facts["values_from"]).T.astype(np.uint16 if n_values < 2**16 else np.int32)
    values, value_of, up_counts, up = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Space(
        codes=np.ascontiguousarray(codes),
        counts=tuples.counts,
        attributes=facts.view(np.recarray),
        values=values.view(np.recarray),
        value_of=value_of,
        distances=_flat([on_grid(a.distances.table**power * a.weight) for a in kept]),
        by_value=_flat([a.distances.table.T for a in kept]),
        up_starts=np.append(0, np.cumsum(up_counts)),
        up=up,
        euclidean=combine == "euclidean",
        strategy={"semantic": SEMANTIC, "mode": MODE, "lcs": LCS}[strategy],
    )


def replacements_of(
    attributes: Sequence[Attribute], space: Space, points: Points, *, as_written: bool = True
) -> tuple[list[Attribute], Int32]:
    """Points as replacements, [points, m], of attributes that have the new numbers among theirs.

    Numbers are rounded to what can be written, unless the exact centre is wanted.
    """
    extended: list[Attribute] = []
    values = np.empty(points.candidates.shape, np.int32)
    for j, attribute in enumerate(attributes):
        plain = attribute.plain
        if isinstance(plain, Numeric):
            numbers = points.numbers[:, j]
            if as_written:
                numbers = plain.rounded(numbers)
            plain = plain.including(numbers)
            values[:, j] = plain.replacement_of(numbers)
        else:
            values[:, j] = points.candidates[:, j] - space.attributes["candidates_from"][j]
        extended.append(attribute.with_plain(plain))
        values[:, j] += extended[-1].n_replacements - plain.n_replacements
    return extended, values


def _laid_out(
    attribute: Attribute, n_values: int, n_candidates: int
) -> tuple[np.ndarray, Int64, Int64, Int32]:
    """Values, the value of each candidate, how many candidates subsume each candidate, and which."""
    values = np.zeros(attribute.size, VALUE)
    if not isinstance(attribute, Nominal):
        assert isinstance(attribute, Numeric)
        values["number"] = attribute.numbers
        return values, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32)
    values["candidate"] = attribute.own + n_candidates
    value_of = np.full(attribute.n_replacements, -1, np.int64)
    value_of[attribute.own] = np.arange(attribute.size) + n_values
    return values, value_of, attribute.up.counts, (attribute.up.values + n_candidates).astype(np.int32)


def _flat(parts: list[Float64]) -> Float64:
    return np.concatenate([np.zeros(0), *(part.ravel() for part in parts)])
