"""All attributes of a table in flat arrays, for compiled loops.

Attribute j owns the places `values_from:values_to` of every array over values and
`candidates_from:candidates_to` of every array over candidates. Codes are stored with their offset, so that
one array `row` over all values tells the distance of a fixed point (a tuple or a centroid) to any tuple.
Facts about attributes, values and candidates are records of three arrays: few arguments compile fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.attributes.base import Attribute, Tuples
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
        ("square_from", np.int64),  # start of its [c, c] table
        ("is_nominal", np.bool_),
        ("is_median", np.bool_),
        ("missing", np.int64),  # place of the missing value, or -1
        ("weight", np.float64),
        ("unit", np.float64),
        ("maximum", np.float64),
    ],
    align=True,
)
VALUE = np.dtype([("candidate", np.int64), ("number", np.float64)])
CANDIDATE = np.dtype(
    [
        ("value", np.int64),  # the value that the candidate itself is, or -1
        ("depth", np.int64),
        ("rank", np.int64),  # greater depth, then lower concept index, ranks higher
    ],
    align=True,
)


class Space(NamedTuple):
    """See the module's text."""

    codes: np.ndarray  # [m, p] uint16 or int32, offset by values_from
    counts: Int64  # [p]
    attributes: Any  # [m] of ATTRIBUTE
    values: Any  # of VALUE
    candidates: Any  # of CANDIDATE
    distances: Float64  # [c, q]: what an attribute adds to the distance of two records
    by_value: Float64  # [q, c]: the plain distance, for centroids
    subsumes: np.ndarray  # [q, c] uint8
    above: np.ndarray  # [c, c] uint8
    euclidean: bool
    strategy: int


def space_of(
    tuples: Tuples,
    attributes: Sequence[Attribute],
    *,
    combine: Combine = "mean",
    strategy: Strategy = "semantic",
) -> Space:
    """Lay out tuples and attributes; `strategy` says what the centroid of a nominal attribute is."""
    nominal = [a for a in attributes if isinstance(a, Nominal)]
    power = 2 if combine == "euclidean" else 1
    facts = np.zeros(len(attributes), ATTRIBUTE)
    values: list[np.ndarray] = []
    candidates: list[np.ndarray] = []
    n_values = n_candidates = table = square = 0
    for fact, attribute in zip(facts, attributes, strict=True):
        own_values, own_candidates = _records(attribute, n_values, n_candidates)
        values.append(own_values)
        candidates.append(own_candidates)
        q, c = len(own_values), len(own_candidates)
        fact["values_from"], fact["values_to"] = n_values, n_values + q
        fact["candidates_from"], fact["candidates_to"] = n_candidates, n_candidates + c
        fact["table_from"], fact["square_from"] = table, square
        fact["is_nominal"] = isinstance(attribute, Nominal)
        fact["is_median"] = isinstance(attribute, Numeric) and attribute.centroid == "median"
        fact["missing"] = n_values + attribute.missing if attribute.missing >= 0 else -1
        fact["weight"], fact["maximum"] = attribute.weight, attribute.maximum
        fact["unit"] = attribute.unit if isinstance(attribute, Numeric) else 1.0
        n_values, n_candidates, table, square = n_values + q, n_candidates + c, table + c * q, square + c * c
    codes = (tuples.codes + facts["values_from"]).T.astype(np.uint16 if n_values < 2**16 else np.int32)
    return Space(
        codes=np.ascontiguousarray(codes),
        counts=tuples.counts,
        attributes=facts,
        values=np.concatenate(values),
        candidates=np.concatenate(candidates),
        distances=_flat([on_grid(a.distances**power * a.weight) for a in nominal], np.float64),
        by_value=_flat([a.distances.T for a in nominal], np.float64),
        subsumes=_flat([a.subsumes.T for a in nominal], np.uint8),
        above=_flat([a.above for a in nominal], np.uint8),
        euclidean=combine == "euclidean",
        strategy={"semantic": SEMANTIC, "mode": MODE, "lcs": LCS}[strategy],
    )


def _records(attribute: Attribute, n_values: int, n_candidates: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and candidates of one attribute; the places of others come before."""
    values = np.zeros(attribute.size, VALUE)
    if isinstance(attribute, Numeric):
        values["number"] = attribute.numbers
        return values, np.zeros(0, CANDIDATE)
    assert isinstance(attribute, Nominal)
    candidates = np.zeros(len(attribute.candidates), CANDIDATE)
    values["candidate"] = attribute.candidate_of_code + n_candidates
    candidates["value"] = -1
    candidates["value"][attribute.candidate_of_code] = np.arange(attribute.size) + n_values
    candidates["depth"] = attribute.depths
    order = np.lexsort((-attribute.candidates.astype(np.int64), attribute.depths))
    candidates["rank"][order] = np.arange(len(order))
    return values, candidates


def _flat(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([part.ravel() for part in parts]).astype(kind) if parts else np.zeros(0, kind)
