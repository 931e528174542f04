"""From the texts of a column to an attribute of integers, and from masked integers back to texts.

The last place that knows labels before masking, and the first that does after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from shlex import quote

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.errors import LinkingError, OntomaskError
from ontomask.linking import Links, link
from ontomask.linking.normalise import plain
from ontomask.measures import Measure
from ontomask.ontology import load_ontology
from ontomask.plan import AttributePlan, Plan

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Column:
    """A quasi-identifier on both sides of the masking.

    Attributes
    ----------
    attribute
        What methods see.
    code_of_text
        The attribute's code of each distinct text of the table.
    labels
        The text that stands for each code: its most frequent one; None for the missing value.
    shown
        What is written for each code of a nominal column.
    links
        Of a nominal column.
    decimals
        Of a numeric column: places kept of a mean.
    note
        What the publisher should know about it.
    """

    attribute: Attribute
    code_of_text: Int32
    labels: list[str | None]
    links: Links | None = None
    shown: Sequence[str | None] = ()
    order: tuple[str, ...] = ()
    decimals: int = 0
    note: str = ""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.attribute.name

    def under(self, measure: Measure) -> Column:
        """The same column under another measure; numbers stay as they are."""
        if not isinstance(self.attribute, Nominal):
            return self
        return replace(self, attribute=replace(self.attribute, measure=measure))

    def writable(self, masked: np.ndarray) -> np.ndarray:
        """Masked values as they can be written: numbers rounded, and no minus before a zero."""
        if isinstance(self.attribute, Nominal):
            return masked
        return np.array([round(x, self.decimals) + 0.0 for x in masked.tolist()], np.float64)

    def texts(self, masked: np.ndarray) -> list[str | None]:
        """The text of each masked value."""
        if isinstance(self.attribute, Nominal):
            shown = self._candidate_texts()
            return [shown[candidate] for candidate in masked.tolist()]
        if self.order:
            return [None if np.isnan(rank) else self.order[int(rank)] for rank in masked.tolist()]
        return [None if np.isnan(x) else _plain_number(x, self.decimals) for x in masked.tolist()]

    def _candidate_texts(self) -> list[str | None]:
        """Per candidate: the text its concept has in the table, else its label; no two alike."""
        assert isinstance(self.attribute, Nominal)
        ontology, candidates = self.attribute.ontology, self.attribute.candidates
        in_table = dict(zip(self.attribute.candidate_of_code.tolist(), self.shown, strict=True))
        taken = set(self.shown)
        shown: list[str | None] = []
        for i, concept in enumerate(candidates.tolist()):
            if i in in_table:
                shown.append(in_table[i])
                continue
            label = ontology.labels[concept]
            if label in taken:
                label = f"{label} ({ontology.key(concept)})"
            taken.add(label)
            shown.append(label)
        return shown


def read_column(name: str, texts: Sequence[str | None], counts: Int64, plan: Plan) -> Column:
    """Make a column of its distinct texts (None: missing), which occur `counts` times each."""
    if all(text is None for text in texts):
        raise OntomaskError(
            f"column {name!r} has no value at all: give it `role: other`, or check `na_values` of the plan"
        )
    if None in texts and plan.missing == "error":
        raise OntomaskError(
            f"column {name!r} has {int(counts[list(texts).index(None)]):,} missing values and the plan says "
            "`missing: error`; use own-class or suppress-row, or fill them"
        )
    settings = plan.attributes[name]
    if settings.kind == "nominal":
        return _nominal(name, texts, counts, plan, settings)
    if settings.kind == "ordinal":
        return _ordinal(name, texts, counts, plan, settings)
    return _numeric(name, texts, counts, plan, settings)


def _nominal(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> Column:
    try:
        ontology = load_ontology(plan.ontology_source(settings.ontology or "wordnet"))
        links = link(
            [text for text in texts if text is not None],
            ontology,
            mapping=plan.path_of(settings.mapping) if settings.mapping else None,
            senses=settings.senses,
            under=settings.under,
            suggestions=3 if plan.unmapped == "error" else 0,
        )
    except OntomaskError as error:
        raise type(error)(f"column {name!r}: {error}") from None
    unknown = [one.value for one in links.unlinked]
    if unknown and plan.unmapped == "error":
        raise LinkingError(_what_to_do(name, settings, links))
    if unknown and plan.unmapped == "own-leaf":
        ontology = ontology.with_leaves(unknown)
    own_leaf = {value: len(ontology) - len(unknown) + i for i, value in enumerate(unknown)}

    def concept_of(text: str | None) -> int:
        if text is None:
            return -1
        concept = links[text].concept
        if concept is not None:
            return concept
        return {"root": 0, "own-leaf": own_leaf[text], "suppress": -1}[plan.unmapped]

    concept_of_text = np.array([concept_of(text) for text in texts], np.int32)
    labels = _most_frequent(concept_of_text.tolist(), texts, counts)
    if plan.unmapped == "root" and labels.get(0) in unknown:
        labels[0] = ontology.labels[0]  # an unknown word must not stand for everything
    concepts = sorted(labels, key=lambda c: (labels[c] is None, labels[c] or ""))
    code_of = {concept: code for code, concept in enumerate(concepts)}
    attribute = Nominal(
        name=name,
        weight=settings.weight,
        missing=code_of.get(-1, -1),
        ontology=ontology,
        measure=plan.make_measure(),
        concepts=np.array(concepts, np.int32),
    )
    codes = np.array([code_of[c] for c in concept_of_text.tolist()], np.int32)
    note = _note_on(unknown, texts, counts, plan) if unknown else ""
    column = Column(attribute, codes, [labels[c] for c in concepts], links, note=note)
    return replace(column, shown=_shown(column, texts, counts, plan.least_size))


def _shown(column: Column, texts: Sequence[str | None], counts: Int64, k: int) -> list[str | None]:
    """What is written for each code: its text, unless that is a rare phrase that says more than its concept.

    *Teacher at Elm Street School*, linked by its head noun or by a mapping, becomes *teacher* if fewer than k
    rows have it; a mere spelling of the concept, or a code, stays.
    """
    assert isinstance(column.attribute, Nominal) and column.links
    ontology = column.attribute.ontology
    rows = dict(zip(texts, counts.tolist(), strict=True))
    shown = list(column.labels)
    for code, (label, concept) in enumerate(
        zip(column.labels, column.attribute.concepts.tolist(), strict=True)
    ):
        if label is None or rows.get(label, k) >= k or column.links[label].how not in ("head", "mapping"):
            continue
        if plain(label) not in {plain(term) for term in ontology.synonyms(concept)}:
            text = ontology.labels[concept]
            shown[code] = text if text not in shown else f"{text} ({ontology.key(concept)})"
    return shown


def _numeric(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> Column:
    numbers, places = np.full(len(texts), np.nan), 0
    for i, text in enumerate(texts):
        if text is None:
            continue
        try:
            number = Decimal(text.strip())
            numbers[i] = float(number)
            if not np.isfinite(numbers[i]):
                raise ValueError
            places = max(places, -int(number.as_tuple().exponent))
        except (InvalidOperation, ValueError, TypeError):
            raise OntomaskError(
                f"column {name!r}: {text!r} is not a number; mend it, add it to `na_values`, or make the "
                "column `kind: nominal`"
            ) from None
    return _numbers_column(name, texts, numbers, counts, plan, settings, decimals=places + 2)


def _ordinal(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> Column:
    order = settings.order or ()
    rank = {value: i for i, value in enumerate(order)}
    unknown = [text for text in texts if text is not None and text not in rank]
    if unknown:
        raise OntomaskError(
            f"column {name!r}: {unknown[0]!r} is not in its `order` {list(order)}; add it there"
        )
    ranks = np.array([np.nan if text is None else rank[text] for text in texts], np.float64)
    return _numbers_column(name, texts, ranks, counts, plan, settings, order=order)


def _numbers_column(
    name: str,
    texts: Sequence[str | None],
    numbers: Float64,
    counts: Int64,
    plan: Plan,
    settings: AttributePlan,
    order: tuple[str, ...] = (),
    decimals: int = 0,
) -> Column:
    distinct, codes = np.unique(numbers, return_inverse=True)  # ascending, one NaN last
    labels = _most_frequent(codes.tolist(), texts, counts)
    attribute = Numeric.of(
        name,
        distinct,
        np.bincount(codes, counts).astype(np.int64),
        weight=settings.weight,
        scale=plan.method.scale or ("zscore" if all_numeric(plan) else "range"),
        centroid="median" if order else plan.method.centroid or "mean",
    )
    shown = [labels[code] for code in range(len(distinct))]
    return Column(attribute, codes.astype(np.int32), shown, order=order, decimals=decimals)


def all_numeric(plan: Plan) -> bool:
    """Whether every quasi-identifier is a number: then distances are euclidean over z-scores."""
    return all(plan.attributes[name].kind == "numeric" for name in plan.with_role("quasi-identifier"))


def tuples_of(columns: Sequence[Column], codes: Int32, counts: Int64) -> tuple[Tuples, Int32]:
    """The distinct tuples of codes, ordered by their labels, and which of them each given tuple is.

    Texts of one concept have become one value, so tuples may have merged.
    """
    own = np.stack([c.code_of_text[codes[:, j]] for j, c in enumerate(columns)], axis=1)
    ranks = np.stack([_label_ranks(c)[own[:, j]] for j, c in enumerate(columns)], axis=1)
    _, first, merged = np.unique(ranks, axis=0, return_index=True, return_inverse=True)
    merged = merged.ravel()
    totals = np.bincount(merged, counts).astype(np.int64)
    return Tuples(own[first].astype(np.int32), totals), merged.astype(np.int32)


def _label_ranks(column: Column) -> Int32:
    """Place of each code in label order, missing last."""
    order = sorted(
        range(len(column.labels)), key=lambda c: (column.labels[c] is None, column.labels[c] or "")
    )
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    return ranks


def _most_frequent(keys: Sequence[int], texts: Sequence[str | None], counts: Int64) -> dict[int, str | None]:
    """Per key its most frequent text, the first in code point order if equal; missing stays missing."""
    best: dict[int, tuple[int, str | None]] = {}
    for key, text, count in zip(keys, texts, counts.tolist(), strict=True):
        known = best.get(key)
        better = known is None or (-count, text or "") < (-known[0], known[1] or "")
        if better:
            best[key] = (count, text)
    missing = {key for key, text in zip(keys, texts, strict=True) if text is None}
    return {key: None if key in missing or key == -1 else text for key, (_, text) in best.items()}


def _plain_number(x: float, decimals: int) -> str:
    """A number without needless zeros or exponent."""
    text = f"{x:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _note_on(unknown: Sequence[str], texts: Sequence[str | None], counts: Int64, plan: Plan) -> str:
    """What became of the values without a concept."""
    rows = int(counts[np.isin(np.array(texts, object), np.array(unknown, object))].sum())
    became = {"root": "the most general concept", "own-leaf": "a concept each", "suppress": "missing"}
    return (
        f"{len(unknown):,} values in {rows:,} rows have no concept and became {became[plan.unmapped]} "
        f"(`unmapped: {plan.unmapped}`)"
    )


def _what_to_do(name: str, settings: AttributePlan, links: Links) -> str:
    shown = [
        f"  {one.value}"
        + (
            "    perhaps " + ", ".join(links.ontology.key(c) for c in one.alternatives[:3])
            if one.alternatives
            else ""
        )
        for one in links.unlinked[:_SHOWN]
    ]
    more = len(links.unlinked) - len(shown)
    if more > 0:
        shown.append(f"  and {more} more")
    ontology = settings.ontology or "wordnet"
    under = f" --under {quote(settings.under)}" if settings.under else ""
    file = f"{name.replace('/', '-')}.csv"
    return "\n".join(
        [
            f"column {name!r}: {len(links.unlinked)} of {len(links)} values have no concept "
            + (f"below {settings.under!r} in {ontology}:" if settings.under else f"in {ontology}:"),
            *shown,
            f"Review them with `ontomask link TABLE --column {quote(name)} --ontology {quote(ontology)}"
            f"{under} -o {quote(file)}`, put `mapping: {file}` in the plan, or say `unmapped: own-leaf`.",
        ]
    )
