"""Sizes of classes and the risk that they leave, after and before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Int64
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import average_class_size, class_risks, discernibility, k_anonymity
from ontomask.privacy.classes import k_map
from ontomask.privacy.population import matching_records

_BEFORE = ("prosecutor_max", "sample_uniques", "records_below_k")
_OF_K = ("k_asked", "average_class_size", "records_below_k", "records_below_k_before")


class Sizes(NamedTuple):
    """Sizes of classes, and how many classes have each of them."""

    sizes: Int64
    times: Int64

    @classmethod
    def of(cls, sizes: Int64, times: Int64 | int = 1) -> Sizes:
        """Of sizes in any order.

        >>> Sizes.of(np.array([5, 2, 5]))
        Sizes(sizes=array([2, 5]), times=array([1, 2]))
        """
        found, which = np.unique(sizes, return_inverse=True)
        summed = np.bincount(which, np.broadcast_to(times, sizes.shape), len(found))
        return cls(found, summed.astype(np.int64))

    @classmethod
    def together(cls, parts: Sequence[Sizes]) -> Sizes:
        """Of classes that were counted in parts."""
        return cls.of(
            np.concatenate([one.sizes for one in parts]), np.concatenate([one.times for one in parts])
        )


class ClassCounts(NamedTuple):
    """What the figures of classes are computed from: it adds up over the parts of a table.

    `hidden` are the people of each class, where some have several rows; else the rows, as in `after`.
    """

    n: int
    suppressed: int
    blanked: int
    after: Sizes
    hidden: Sizes
    before: Sizes


def class_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """k asked and reached, class sizes, and risks by class size; names with `_before` are of the original.

    Where no k was asked for, figures that look at it are None.
    """
    view, sizes = subject.view, subject.view.pairs.class_sizes
    persons = subject.people_of_classes
    counts = ClassCounts(
        view.pairs.n,
        view.pairs.n_suppressed,
        view.n_blanked,
        after=Sizes.of(sizes),
        hidden=Sizes.of(sizes if persons is None else persons),  # among how many somebody hides
        before=Sizes.of(subject.plain.tuples.counts),
    )
    figures = figures_of_counts(counts, subject.k)
    people = subject.population
    if people is not None:
        matching = matching_records(view.pairs.values, people.values, people.counts, view.attributes)
        figures["k_map"] = k_map(matching)
        if persons is None:
            known = {name for name in figures if figures[name] is not None}
            risks = class_risks(sizes, subject.k or 1, matching)
            figures |= {name: risk for name, risk in risks.items() if name in known}
    return figures


def figures_of_counts(counts: ClassCounts, asked: int | None) -> dict[str, Any]:
    """The same from counts, where nobody knows a population."""
    k, (sizes, times), (hidden, of_hidden) = asked or 1, counts.after, counts.hidden
    figures: dict[str, Any] = {
        "n": counts.n,
        "suppressed": counts.suppressed,
        "blanked": counts.blanked,
        "k_asked": k,
        "k_reached": k_anonymity(hidden),
        "smallest_class": k_anonymity(sizes),
        "classes": int(times.sum()),
        "average_class_size": average_class_size(sizes, k, times),
        "discernibility": discernibility(sizes, counts.suppressed, times),
        "tuples_before": int(counts.before.times.sum()),
        "k_before": k_anonymity(counts.before.sizes),
        **class_risks(hidden, k, times=of_hidden),
    }
    risks = class_risks(counts.before.sizes, k, times=counts.before.times)
    figures |= {f"{name}_before": risks[name] for name in _BEFORE}
    return figures | (dict.fromkeys(_OF_K) if asked is None else {})


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
