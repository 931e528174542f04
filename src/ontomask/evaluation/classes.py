"""Sizes of classes and the risk that they leave, after and before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import average_class_size, class_risks, discernibility, k_anonymity
from ontomask.privacy.classes import k_map
from ontomask.privacy.population import matching_records

_BEFORE = ("prosecutor_max", "sample_uniques", "records_below_k")
_OF_K = ("k_asked", "average_class_size", "records_below_k", "records_below_k_before")


def class_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """k asked and reached, class sizes, and risks by class size; names with `_before` are of the original.

    Where no k was asked for, figures that look at it are None.
    """
    view, k = subject.view, subject.k or 1
    sizes, before = view.pairs.class_sizes, subject.plain.tuples.counts
    persons = subject.people_of_classes
    hidden = sizes if persons is None else persons  # among how many somebody hides
    people = subject.population
    matching = None
    if people is not None:
        matching = matching_records(view.pairs.values, people.values, people.counts, view.attributes)
    figures: dict[str, Any] = {
        "n": view.pairs.n,
        "suppressed": view.pairs.n_suppressed,
        "blanked": view.n_blanked,
        "k_asked": k,
        "k_reached": k_anonymity(hidden),
        "smallest_class": k_anonymity(sizes),
        "classes": len(sizes),
        "average_class_size": average_class_size(sizes, k),
        "discernibility": discernibility(sizes, view.pairs.n_suppressed),
        "tuples_before": len(before),
        "k_before": k_anonymity(before),
        **class_risks(hidden, k, matching if persons is None else None),
    }
    risks = class_risks(before, k)
    figures |= {f"{name}_before": risks[name] for name in _BEFORE}
    if matching is not None:
        figures["k_map"] = k_map(matching)
    return figures | (dict.fromkeys(_OF_K) if subject.k is None else {})


CLASSES = Family(
    class_figures,
    (
        Figure("n", "Records", "", "people in the original table"),
        Figure("suppressed", "Suppressed records", "", "left out of the release"),
        Figure("blanked", "Blanked records", "", "in the release without any of the masked values"),
        Figure(
            "k_asked",
            "k asked for",
            "",
            "the smallest class that the plan allows; none where the method gives no k",
        ),
        Figure("k_reached", "k reached", "", "the size of the smallest class of the release"),
        Figure("smallest_class"),
        Figure("k_before", "k before", "", "the size of the smallest class of the original table"),
        Figure("classes", "Classes", "", "different combinations of masked values"),
        Figure("tuples_before", "Combinations before", "", "different combinations of original values"),
        Figure(
            "average_class_size",
            "Average class size, C_avg",
            "",
            "mean class size as a multiple of k; 1 is ideal",
        ),
        Figure(
            "discernibility",
            "Discernibility, DM",
            "",
            "sum of squared class sizes; lower tells people apart better",
        ),
        Figure("prosecutor_max", "Highest risk of a person", "%", "1 / smallest class"),
        Figure("prosecutor_mean", "Mean risk of a person", "%", "mean of 1 / class size over people"),
        Figure(
            "journalist_max",
            "Highest risk, drawn from a population",
            "%",
            "1 / smallest class of the population",
        ),
        Figure("marketer", "Share of people found when all are linked", "%", "by class sizes"),
        Figure("records_below_k", "People in classes below k", "%"),
        Figure("sample_uniques", "People with a combination to themselves", "%"),
        Figure("class_risk_blind"),
        Figure("prosecutor_max_before", "Highest risk of a person before", "%"),
        Figure("sample_uniques_before", "People with a combination to themselves before", "%"),
        Figure("records_below_k_before", "People in classes below k before", "%"),
        Figure("k_map", "k-map", "", "fewest people of the population that a class may stand for"),
    ),
    of_a_run=True,
)
