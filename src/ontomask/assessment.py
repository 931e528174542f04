"""Figures of any masked table beside its original, and of several methods side by side.

The masked table may come from another tool: its texts are read as the values of the original, as labels of
the ontology, as numbers, or as ranges of numbers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Int32, distinct_rows
from ontomask.attributes import Attribute
from ontomask.columns import Column, read_column
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.evaluation import ConfidentialColumn, Pairs, ReleaseView, figures, known_to
from ontomask.measures import measure as measure_by_name
from ontomask.ontology import load_ontology
from ontomask.pipeline import Prepared, Release, combine_of, prepare, released
from ontomask.plan import Plan, as_plan
from ontomask.progress import SILENT, Phases
from ontomask.tables import Table, TableOptions, open_table


def evaluate(
    original: Any,
    masked: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    *,
    key: str | None = None,
    known: Sequence[str] | None = None,
    attacker_ontology: str | None = None,
    attacker_measure: str | None = None,
    known_values: int | None = None,
) -> dict[str, Any]:
    """What a masking lost and what is still at risk.

    Parameters
    ----------
    original, masked
        Paths or tables, matched row by row, or by a `key` column that both have.
    plan
        Says which columns are quasi-identifiers or confidential, their ontologies, and k.
    known
        The attributes the intruder knows; None: all.
    attacker_ontology, attacker_measure
        What the intruder links by; None: what the plan says. A label that the intruder's ontology lacks
        counts as its root.
    known_values
        L of LKC-privacy.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before = pa.table({"pet": ["dog", "cat", "dog", "cat"]})
    >>> after = pa.table({"pet": ["carnivore", "carnivore", "dog", "cat"]})
    >>> plan = Plan.from_options(["pet:wordnet"], k=2)
    >>> found = evaluate(before, after, plan)
    >>> found["k"], found["classes"], round(found["mrl"], 1)
    (1, 3, 50.0)
    """
    plan = as_plan(plan).replace(others="keep")  # nothing is released here
    prepared = prepare(original, plan)
    other = open_table(masked, TableOptions(**plan.table.as_dict()))
    row_of, gone = matched_rows(prepared.table, other, key)
    names = [column.name for column in prepared.columns]
    absent = [name for name in names if name not in other.names]
    if absent:
        raise OntomaskError(f"the masked table has no column {absent[0]!r}; it has {', '.join(other.names)}")
    attributes, per_row = [], []
    for column in prepared.columns:
        attribute, values = masked_column(column, other, row_of)
        attributes.append(attribute)
        per_row.append(values)
    pairs = Pairs.of_rows(prepared.tuple_of_row, np.stack(per_row, axis=1), suppressed=gone)
    view = ReleaseView(prepared.tuples, attributes, pairs, combine_of(plan))
    attacker = _attacker(view, prepared.columns, known, attacker_ontology, attacker_measure)
    return figures(
        view,
        plan.least_size,
        attacker=attacker,
        confidential=_confidential(prepared.table, plan, per_row, gone),
        known_values=known_values,
    )


def figures_of(release: Release) -> dict[str, Any]:
    """All figures of a release just made, those of the plan's confidential columns among them."""
    plan = release.plan
    attributes = release.masking.attributes
    pairs = Pairs.of(release.tuples, release.masking)
    view = ReleaseView(release.tuples, attributes, pairs, combine_of(plan))
    names = plan.with_role("confidential")
    confidential = []
    if names:
        table = open_table(release.to_arrow())
        classes = table.tuples([a.name for a in attributes]).tuple_of_row
        confidential = [_over_classes(table, name, classes, plan) for name in names]
    return figures(view, plan.least_size, confidential=confidential)


def compare_methods(
    table: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    methods: Sequence[str],
    ks: Sequence[int],
    *,
    progress: Phases = SILENT,
) -> list[dict[str, Any]]:
    """The figures of every method at every k, on one table linked once; `method`, `k_asked`, `seconds` too.

    `table` may be `Prepared` already. Options that another method does not have are dropped for it. Where a
    method would release no row (suppression), its row is left out.
    """
    plan = as_plan(plan)
    prepared = table if isinstance(table, Prepared) else prepare(table, plan, progress)
    rows = []
    for name in methods:
        own = plan.with_method(name)
        for k in ks:
            progress.tell(f"{name}, k = {k}")
            start = time.perf_counter()
            try:
                release = released(prepared, own.replace(privacy={"k": k}))
            except NothingLeftError:
                continue
            seconds = time.perf_counter() - start
            rows.append({"method": name, "seconds": seconds} | figures_of(release))
    return rows


# ---------------------------------------------------------------------- reading a masked table


def matched_rows(original: Table, masked: Table, key: str | None) -> tuple[Int32, Bool]:
    """For each original row its row in the masked table, and which have none (suppressed)."""
    if key is None:
        if original.n_rows != masked.n_rows:
            raise OntomaskError(
                f"the original has {original.n_rows:,} rows and the masked table {masked.n_rows:,}; "
                "give a `key` column that both have"
            )
        return np.arange(original.n_rows, dtype=np.int32), np.zeros(original.n_rows, bool)
    before, after = _texts(original, key), _texts(masked, key)
    for name, texts in (("original", before), ("masked", after)):
        if len(set(texts)) < len(texts):
            raise OntomaskError(f"column {key!r} of the {name} table is not a key: a value occurs twice")
    place = {text: row for row, text in enumerate(after)}
    rows = np.array([place.get(text, -1) for text in before], np.int32)
    return rows, rows < 0


def masked_column(column: Column, masked: Table, row_of: Int32) -> tuple[Attribute, Int32]:
    """The attribute with the masked values among its replacements, and each original row's replacement."""
    found = masked.tuples([column.name])
    attribute, replacements = column.read([found.values[0][code] for code in found.codes[:, 0]])
    return attribute, replacements[found.tuple_of_row[row_of]]


def _texts(table: Table, column: str) -> list[str | None]:
    found = table.tuples([column])
    return [found.values[0][found.codes[t, 0]] for t in found.tuple_of_row]


# ---------------------------------------------------------------------- who attacks, what is confidential


def _attacker(
    view: ReleaseView,
    columns: Sequence[Column],
    known: Sequence[str] | None,
    ontology: str | None,
    measure: str | None,
) -> ReleaseView | None:
    if known is None and ontology is None and measure is None:
        return None
    other = None if ontology is None else load_ontology(ontology)
    by = None if measure is None else measure_by_name(measure)
    attributes, values = [], []
    for j, (column, attribute) in enumerate(zip(columns, view.attributes, strict=True)):
        seen_as, in_their_terms = column.seen_with(attribute, other, by)
        attributes.append(seen_as)
        values.append(in_their_terms[view.pairs.values[:, j]])
    pairs = replace(view.pairs, values=np.stack(values, axis=1))
    seen = ReleaseView(view.tuples, attributes, pairs, view.combine)
    if known is None:
        return seen
    unknown = sorted(set(known) - {a.name for a in attributes})
    if unknown:
        raise OntomaskError(f"{unknown[0]!r} is not a quasi-identifier of the plan")
    return known_to(seen, known)


def _confidential(
    table: Table, plan: Plan, per_row: list[np.ndarray], gone: Bool
) -> list[ConfidentialColumn]:
    """The confidential columns of the plan over the masked classes."""
    names = plan.with_role("confidential")
    if not names:
        return []
    classes = np.full(table.n_rows, -1, np.int64)
    classes[~gone] = distinct_rows([values[~gone] for values in per_row])[1]
    return [_over_classes(table, name, classes, plan) for name in names]


def _over_classes(table: Table, name: str, classes: np.ndarray, plan: Plan) -> ConfidentialColumn:
    """How often each value of a column occurs in each class; with distances where the plan explains it."""
    found = table.tuples([name])
    codes, settings = found.codes[:, 0], plan.attributes[name]
    distances, is_ordered = None, settings.kind != "nominal"
    if is_ordered or settings.ontology:
        column = read_column(name, found.values[0], found.counts, plan)
        codes = column.code_of_text[codes]
        attribute = column.attribute
        if attribute.line is None:
            every = np.arange(attribute.size, dtype=np.int32)
            distances = attribute.distance(*np.meshgrid(every, attribute.own)) / attribute.maximum
    values = codes[found.tuple_of_row]
    cells, counts = np.unique(np.stack([classes, values]), axis=1, return_counts=True)
    return ConfidentialColumn(name, cells[0], cells[1], counts.astype(np.int64), distances, is_ordered)
