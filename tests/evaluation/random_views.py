"""Random small releases over random ontologies, and the same records written out one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import ontomask as om
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.evaluation import Pairs, ReleaseView
from reference import ontologies


def view_of(
    tuples: Tuples,
    attributes: Sequence[Attribute],
    columns: Sequence[Any],
    *,
    original: Any = None,
    counts: Any = None,
    suppressed: Any = None,
    combine: Any = "mean",
) -> ReleaseView:
    """A release in which row i (tuple i unless said otherwise) has concept or number `columns[j][i]`."""
    extended = [a.including(np.asarray(column)) for a, column in zip(attributes, columns, strict=True)]
    values = [a.replacement_of(np.asarray(column)) for a, column in zip(extended, columns, strict=True)]
    if original is None:
        original, counts = np.arange(len(tuples)), tuples.counts if counts is None else counts
    pairs = Pairs.of_rows(original, np.stack(values, axis=1), counts, suppressed)
    return ReleaseView(tuples, extended, pairs, combine)


@dataclass
class Record:
    """One record: its codes, and its masked concept and number, or None if it was suppressed."""

    codes: tuple[int, ...]
    masked: tuple[float, ...] | None


@st.composite
def releases(draw: st.DrawFn, most: int = 12, unique: bool = False) -> tuple[ReleaseView, list[Record]]:
    """A table of a word and a number column, either with blanks, and any other table as its masking.

    Two values may be one concept, as an intruder with another ontology sees them, unless `unique`.
    """
    ontology = draw(ontologies())
    concepts = draw(st.lists(st.integers(0, len(ontology) - 1), min_size=1, max_size=5, unique=unique))
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
        own = (int(word.concepts[codes[row, 0]]), float(numbers[codes[row, 1]]))
        other = (
            draw(st.integers(-1, len(ontology) - 1)),
            draw(st.sampled_from([*map(float, range(10)), np.nan])),
        )
        masked = own if draw(st.booleans()) else other
        records.append(Record(tuple(codes[row].tolist()), masked if kept else None))
    values: list[Any] = [
        np.array([r.masked[0] if r.masked else concepts[0] for r in records], np.int32),
        np.array([r.masked[1] if r.masked else numbers[0] for r in records]),
    ]
    gone = np.array([r.masked is None for r in records])
    combine = draw(st.sampled_from(["mean", "euclidean"]))
    view = view_of(
        Tuples(codes, counts), attributes, values, original=which.ravel(), suppressed=gone, combine=combine
    )
    return view, records


def replacements(view: ReleaseView, record: Record) -> list[Any]:
    """The masked values of a record as replacements of the view's attributes, one array each."""
    assert record.masked is not None
    return [
        a.replacement_of(np.array([x], np.int32 if j == 0 else np.float64))  # type: ignore[attr-defined]
        for j, (a, x) in enumerate(zip(view.attributes, record.masked, strict=True))
    ]
