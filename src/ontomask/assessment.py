"""Figures of any masked table beside its original, and of several methods side by side.

The masked table may come from another tool: its texts are read as the values of the original, as labels of
the ontology, as numbers, or as ranges of numbers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Int32, Int64, Values, distinct_rows
from ontomask.attributes import Attribute, Nominal
from ontomask.columns import Column, read_column, tuples_of
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.evaluation import ConfidentialColumn, Pairs, ReleaseView, figures, known_to
from ontomask.linking import link
from ontomask.measures import measure as measure_by_name
from ontomask.ontology import load_ontology
from ontomask.pipeline import Prepared, Progress, Release, combine_of, prepare, released
from ontomask.plan import Plan
from ontomask.tables import Matched, TableOptions, matched, open_table

SUPPRESSED_TEXTS = {"", "*", "-", "NULL"}
_RANGE = re.compile(r"^[\[\(]?\s*(-?[\d.]+)\s*(?:-|,|;|\.\.|–|to)\s*(-?[\d.]+)\s*[\]\)\[]?$")


def evaluate(
    original: Any,
    masked: Any,
    plan: Plan,
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
    prepared = prepare(original, plan)
    other = open_table(masked, TableOptions(**plan.table.model_dump()))
    names = [column.name for column in prepared.columns]
    absent = [name for name in names if name not in other.names]
    if absent:
        raise OntomaskError(f"the masked table has no column {absent[0]!r}; it has {', '.join(other.names)}")
    both = matched(prepared.table, other, names, names, key)
    tuples, original = tuples_of(prepared.columns, both.before.codes, both.counts)
    attributes, values = masked_columns(prepared.columns, both)
    pairs = Pairs.of_rows(original, values, both.counts, suppressed=both.absent)
    view = ReleaseView(tuples, attributes, pairs, combine_of(plan))
    attacker = _attacker(view, known, attacker_ontology, attacker_measure)
    return figures(
        view,
        plan.privacy.k,
        attacker=attacker,
        confidential=[
            _confidential(prepared, matched(prepared.table, other, [name], names, key), plan)
            for name in plan.with_role("confidential")
        ],
        known_values=known_values,
    )


def figures_of(release: Release) -> dict[str, Any]:
    """All figures of a release just made, those of the plan's confidential columns among them."""
    plan = release.plan
    attributes = [column.attribute for column in release.columns]
    view = ReleaseView(release.tuples, attributes, Pairs.of(release.masking), combine_of(plan))
    confidential = []
    for name in plan.with_role("confidential"):
        found = release.data.tuples([*(a.name for a in attributes), name])
        classes = distinct_rows([*found.codes[:, :-1].T])[1]
        confidential.append(
            _over_classes(found.values[-1], found.codes[:, -1], found.counts, classes, name, plan)
        )
    return figures(view, plan.privacy.k, confidential=confidential)


def compare_methods(
    table: Any, plan: Plan, methods: Sequence[str], ks: Sequence[int], *, tell: Progress = lambda step: None
) -> list[dict[str, Any]]:
    """The figures of every method at every k, on one table linked once; `method`, `k_asked`, `seconds` too.

    `table` may be `Prepared` already. Options that another method does not have are dropped for it. Where a
    method would release no row (suppression), its row is left out.
    """
    prepared = table if isinstance(table, Prepared) else prepare(table, plan, tell)
    rows = []
    for name in methods:
        own = plan.with_method(name)
        for k in ks:
            tell(f"{name}, k = {k}")
            start = time.perf_counter()
            try:
                release = released(prepared, own.replace(privacy={"k": k}))
            except NothingLeftError:
                continue
            seconds = time.perf_counter() - start
            rows.append({"method": name, "seconds": seconds} | figures_of(release))
    return rows


# ---------------------------------------------------------------------- reading a masked table


def masked_columns(columns: Sequence[Column], both: Matched) -> tuple[list[Attribute], list[Values]]:
    """The attributes with the masked values among their candidates, and each pair's masked values."""
    attributes, values = [], []
    for j, column in enumerate(columns):
        attribute, of_pair = _masked_column(column, both.after.values[j], both.after.codes[:, j], both.absent)
        attributes.append(attribute)
        values.append(of_pair)
    return attributes, values


def _masked_column(
    column: Column, texts: list[str | None], codes: Int32, absent: Bool
) -> tuple[Attribute, Values]:
    used, place = np.unique(codes[~absent], return_inverse=True)
    written = [texts[code] for code in used.tolist()]
    attribute = column.attribute
    read: Values
    if not isinstance(attribute, Nominal):
        read = np.array([_number(column, text) for text in written], np.float64)
    else:
        concepts = _concepts(column, attribute, written)
        attribute = replace(attribute, extra=np.unique(concepts).astype(np.int32))
        candidate_of = {concept: i for i, concept in enumerate(attribute.candidates.tolist())}
        read = np.array([candidate_of[concept] for concept in concepts.tolist()], np.int32)
    values = np.zeros(len(codes), read.dtype)
    values[~absent] = read[place]
    return attribute, values


def _concepts(column: Column, attribute: Nominal, texts: list[str | None]) -> Int32:
    """The concept of each masked text, -1 for a suppressed one; what is unknown counts as the root."""
    own = attribute.candidates.tolist()
    known: dict[str | None, int] = dict(zip(column.texts(np.arange(len(own))), own, strict=True))
    if column.links:
        for one in column.links:
            if one.concept is not None:
                known.setdefault(one.value, one.concept)
    strange = [t for t in texts if t is not None and t not in known and t not in SUPPRESSED_TEXTS]
    links = link(strange, attribute.ontology, suggestions=0)
    concepts = []
    for text in texts:
        if text is None or (text in SUPPRESSED_TEXTS and text not in known):
            concepts.append(-1)
        elif text in known:
            concepts.append(known[text])
        else:
            concept = links[text].concept
            concepts.append(0 if concept is None else concept)
    return np.array(concepts, np.int32)


def _number(column: Column, text: str | None) -> float:
    """A masked number, the middle of a masked range, the rank of an ordered category."""
    if text is None or text in SUPPRESSED_TEXTS:
        return float("nan")
    if column.order:
        if text not in column.order:
            raise OntomaskError(f"column {column.name!r} of the masked table: {text!r} is not in its `order`")
        return float(column.order.index(text))
    try:
        return float(text)
    except ValueError:
        ends = _RANGE.match(text.strip())
        if not ends:
            raise OntomaskError(
                f"column {column.name!r} of the masked table: {text!r} is neither a number nor a range"
            ) from None
        return (float(ends[1]) + float(ends[2])) / 2


# ---------------------------------------------------------------------- who attacks, what is confidential


def _attacker(
    view: ReleaseView, known: Sequence[str] | None, ontology: str | None, measure: str | None
) -> ReleaseView | None:
    if known is None and ontology is None and measure is None:
        return None
    attributes: list[Attribute] = list(view.attributes)
    values = list(view.pairs.masked_values)
    for j, attribute in enumerate(attributes):
        if isinstance(attribute, Nominal):
            attributes[j], values[j] = _in_other_terms(attribute, values[j], ontology, measure)
    pairs = replace(view.pairs, masked_values=tuple(values))
    seen = ReleaseView(view.tuples, attributes, pairs, view.combine)
    if known is None:
        return seen
    unknown = sorted(set(known) - {a.name for a in attributes})
    if unknown:
        raise OntomaskError(f"{unknown[0]!r} is not a quasi-identifier of the plan")
    return known_to(seen, known)


def _in_other_terms(
    attribute: Nominal, masked: np.ndarray, ontology: str | None, measure: str | None
) -> tuple[Nominal, np.ndarray]:
    """The attribute as an intruder with another ontology or measure sees it."""
    chosen = measure_by_name(measure) if measure else attribute.measure
    if ontology is None:
        return replace(attribute, measure=chosen), masked
    other = load_ontology(ontology)
    labels = [attribute.ontology.labels[c] if c >= 0 else None for c in attribute.candidates.tolist()]
    links = link([label for label in labels if label is not None], other, suggestions=0)

    def in_other(label: str | None) -> int:
        if label is None:
            return -1
        concept = links[label].concept
        return 0 if concept is None else concept

    concepts = np.array([in_other(label) for label in labels], np.int32)
    codes = concepts[attribute.candidate_of_code]
    seen = replace(
        attribute, ontology=other, measure=chosen, concepts=codes, extra=np.unique(concepts).astype(np.int32)
    )
    candidate_of = {concept: i for i, concept in enumerate(seen.candidates.tolist())}
    translate = np.array([candidate_of[c] for c in concepts.tolist()], np.int32)
    return seen, translate[masked.astype(np.int64)]


def _confidential(prepared: Prepared, both: Matched, plan: Plan) -> ConfidentialColumn:
    """A confidential column of the original over the masked classes."""
    values = masked_columns(prepared.columns, both)[1]
    classes = np.full(len(both.counts), -1, np.int64)
    classes[~both.absent] = distinct_rows([of_pair[~both.absent] for of_pair in values])[1]
    before = both.before
    return _over_classes(before.values[0], before.codes[:, 0], both.counts, classes, before.columns[0], plan)


def _over_classes(
    texts: list[str | None], codes: Int32, counts: Int64, classes: Int64, name: str, plan: Plan
) -> ConfidentialColumn:
    """How often each value of a column occurs in each class; with distances where the plan explains it."""
    settings = plan.attributes[name]
    distances, is_ordered = None, settings.kind != "nominal"
    values: Int64 = codes.astype(np.int64)
    if is_ordered or settings.ontology:
        rows = np.bincount(codes, counts, len(texts)).astype(np.int64)
        column = read_column(name, texts, rows, plan)
        values = column.code_of_text[codes].astype(np.int64)
        attribute = column.attribute
        if isinstance(attribute, Nominal):
            distances = attribute.distances[attribute.candidate_of_code] / attribute.maximum
    return ConfidentialColumn(name, classes, values, counts, distances, is_ordered)
