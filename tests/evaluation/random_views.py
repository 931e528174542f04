"""Random small releases over random ontologies, and the same records written out one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import ontomask as om
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView
from reference import ontologies


@dataclass
class Record:
    """One record: its codes, and its masked values or None if it was suppressed."""

    codes: tuple[int, ...]
    masked: tuple[float, ...] | None


@st.composite
def releases(draw: st.DrawFn, most: int = 12) -> tuple[ReleaseView, list[Record]]:
    """A table of a word and a number column, either with blanks, and any other table as its masking."""
    ontology = draw(ontologies())
    concepts = draw(st.lists(st.integers(0, len(ontology) - 1), min_size=1, max_size=5))
    missing = len(concepts) if draw(st.booleans()) else -1
    concepts += [-1] * (missing >= 0)
    weight = draw(st.sampled_from([0.5, 1.0, 2.0]))
    word = Nominal("word", weight, missing, ontology, om.measure("logsc"), np.array(concepts, np.int32))
    numbers = np.array(sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=4))), float)
    if draw(st.booleans()):
        numbers = np.append(numbers, np.nan)
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, len(concepts) - 1), st.integers(0, len(numbers) - 1)),
            min_size=1,
            max_size=most,
        )
    )
    number = Numeric.of("number", numbers, np.ones(len(numbers), int))
    attributes: list[Attribute] = [word, number]
    codes, which, counts = np.unique(
        np.array(rows, np.int32), axis=0, return_inverse=True, return_counts=True
    )
    records = []
    for row in which.ravel():
        kept = draw(st.integers(0, 4)) > 0
        own = (int(word.as_masked(codes[row, :1])[0]), float(numbers[codes[row, 1]]))
        other = (
            draw(st.integers(0, len(word.candidates) - 1)),
            draw(st.sampled_from([*map(float, range(10)), np.nan])),
        )
        masked = own if draw(st.booleans()) else other
        records.append(Record(tuple(codes[row].tolist()), masked if kept else None))
    values: list[Any] = [
        np.array([r.masked[0] if r.masked else 0 for r in records], np.int32),
        np.array([r.masked[1] if r.masked else 0 for r in records]),
    ]
    gone = np.array([r.masked is None for r in records])
    pairs = Pairs.of_rows(which.ravel(), values, suppressed=gone)
    combine = draw(st.sampled_from(["mean", "euclidean"]))
    return ReleaseView(Tuples(codes, counts), attributes, pairs, combine), records
