"""l-diversity, t-closeness and LKC-privacy of the confidential columns of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.evaluation.subject import ConfidentialColumn, Family, Figure, Subject
from ontomask.privacy import (
    distinct_diversity,
    entropy_diversity,
    equal_closeness,
    known_values_privacy,
    ordered_closeness,
    recursive_c,
    semantic_closeness,
)


def confidential_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """l, t and the surest inference of every confidential column."""
    figures: dict[str, Any] = {}
    for column in subject.confidential:
        figures |= {f"{name}.{column.name}": value for name, value in _of_column(column).items()}
    return figures


def _of_column(column: ConfidentialColumn) -> dict[str, Any]:
    spread = column.spread
    figures: dict[str, Any] = {
        "l_distinct": distinct_diversity(spread),
        "l_entropy": entropy_diversity(spread),
        "l_recursive_c": recursive_c(spread, 2),
        "t_equal": equal_closeness(spread),
        "confidence": float(100 * spread.shares.max(initial=0.0)),
        "confidence_blind": 100 * spread.blind_guess,
    }
    if column.domain.is_ordered:
        figures["t_ordered"] = ordered_closeness(spread)
    if column.domain.distances is not None:
        figures["t_semantic"] = semantic_closeness(spread, column.domain.distances)
    return figures


def known_values_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """Largest K and smallest C for an intruder who knows L values."""
    assert subject.known_values is not None
    pairs, L = subject.view.pairs, subject.known_values
    if not subject.confidential:
        return {"lkc_k": known_values_privacy(list(pairs.values.T), pairs.class_sizes, L).k}
    figures: dict[str, Any] = {}
    for column in subject.confidential:
        kept = column.masked >= 0
        columns = list(pairs.values[column.masked[kept]].T)
        worst = known_values_privacy(columns, column.counts[kept], L, column.values[kept])
        figures |= {"lkc_k": worst.k, f"lkc_confidence.{column.name}": 100 * worst.confidence}
    return figures


CONFIDENTIAL = Family(
    confidential_figures,
    (
        Figure(
            "l_distinct.A", "l-diversity", "", "different values of this column in the least varied class"
        ),
        Figure("l_entropy.A", "Entropy l-diversity", "", "the same, weighing how evenly they are spread"),
        Figure("l_recursive_c.A", "Recursive (c, 2)-diversity", "", "the smallest c that holds"),
        Figure(
            "t_equal.A", "t-closeness", "", "largest difference between a class and the whole table, 0 to 1"
        ),
        Figure(
            "t_ordered.A",
            "t-closeness, ordered",
            "",
            "the same, weighing how far values are apart in order",
        ),
        Figure(
            "t_semantic.A",
            "t-closeness, semantic",
            "",
            "the same, weighing how far values are apart in meaning",
        ),
        Figure("confidence.A", "Surest inference", "%", "largest share of one value in a class"),
        Figure(
            "confidence_blind.A",
            "Surest inference, blind",
            "%",
            "share of the most frequent value in the whole table",
        ),
    ),
    needs=("confidential",),
)

KNOWN_VALUES = Family(
    known_values_figures,
    (
        Figure("lkc_k", "LKC-privacy, K", "", "fewest people who share any L values"),
        Figure(
            "lkc_confidence.A",
            "LKC-privacy, C",
            "%",
            "surest inference of an intruder who knows L values",
        ),
    ),
    needs=("known_values",),
)
