"""The risk of those who publish a sample: among all people it was drawn from, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ontomask.arrays import Float64, Int64, distinct_rows
from ontomask.evaluation.pairs import own_values
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import PopulationUniques, SpecialUniques, individual_risks

_FRACTION = 0.1
"""Which part of the population a sample is taken to be for DIS-SUDA where nobody says."""


def sampling_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """Individual risk and population uniques; names with `_before` are of the original."""
    assert subject.sampling is not None
    pairs, weights = subject.view.pairs, subject.sampling.weights
    own = own_values(subject.view.tuples, subject.view.attributes)
    original = distinct_rows(list(own.T))[1][pairs.original]
    figures: dict[str, Any] = {"sampling_fraction": 100 * subject.sampling.fraction(pairs.n)}
    for when, classes in (("", pairs.masked), ("_before", original)):
        kept = classes >= 0
        sizes = np.bincount(classes[kept], pairs.counts[kept]).astype(np.int64)
        represented = np.bincount(classes[kept], weights[kept]).astype(np.float64)
        risks = _risks(sizes, represented, subject.sampling.people)
        figures |= {f"{name}{when}": value for name, value in risks.items()}
    return figures


def _risks(sizes: Int64, represented: Float64, people: float) -> dict[str, float | None]:
    """Of classes that stand for so many people each, in percent of the records."""
    n, ones = int(sizes.sum()), int((sizes == 1).sum())
    risks, uniques = individual_risks(sizes, represented), PopulationUniques.of(sizes, people)

    def share(x: float | None) -> float | None:
        return None if x is None else 100 * x / max(n, 1)

    return {
        "individual_risk_max": 100 * float(risks.max(initial=0.0)),
        "individual_risk_mean": share(float(risks @ sizes)),
        "reidentifications": float(risks @ sizes),
        "population_uniques": share(uniques.chosen),
        "population_uniques_pitman": share(uniques.pitman),
        "population_uniques_snb": share(uniques.snb),
        "population_uniques_zayatz": share(uniques.zayatz),
        "uniques_confirmed": 100 * uniques.chosen / ones if ones else None,
    }


def special_unique_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """SUDA and DIS-SUDA scores; names with `_before` are of the original."""
    assert subject.largest_unique is not None
    pairs, plain, sampling = subject.view.pairs, subject.plain, subject.sampling
    fraction = _FRACTION if sampling is None else sampling.fraction(pairs.n)
    figures: dict[str, Any] = {}
    for when, codes, counts in (
        ("", pairs.values, pairs.class_sizes),
        ("_before", own_values(plain.tuples, plain.attributes), plain.tuples.counts),
    ):
        special = SpecialUniques.of(codes, counts, subject.largest_unique)
        n, risks = max(int(counts.sum()), 1), special.risks(fraction)
        figures |= {
            f"special_uniques{when}": 100 * int((special.scores > 0).sum()) / n,
            f"suda_max{when}": float(special.scores.max(initial=0.0)),
            f"suda_mean{when}": float(special.scores.sum()) / n,
            f"dis_suda_max{when}": 100 * float(risks.max(initial=0.0)),
            f"dis_suda_mean{when}": 100 * float(risks.sum()) / n,
        }
        for attribute, part in zip(subject.view.attributes, special.contributions, strict=True):
            figures[f"suda_contribution{when}.{attribute.name}"] = 100 * float(part)
    return figures


def _before_too(*figures: Figure) -> tuple[Figure, ...]:
    """The figures of the release, and then the same of the original."""
    before = (
        Figure(
            f"{one.name.removesuffix('.A')}_before{'.A' if one.name.endswith('.A') else ''}",
            one.title and f"{one.title}, before",
            one.unit,
            one.words,
        )
        for one in figures
    )
    return *figures, *before


SAMPLING = Family(
    sampling_figures,
    (
        Figure("sampling_fraction", "Part of the population in the table", "%", "records / people"),
        *_before_too(
            Figure(
                "individual_risk_max",
                "Highest individual risk",
                "%",
                "chance to find the least protected person among all people of the population",
            ),
            Figure(
                "individual_risk_mean",
                "Mean individual risk",
                "%",
                "share of people found by whoever links everybody with the population",
            ),
            Figure("reidentifications", "People found", "", "expected, when everybody is linked so"),
            Figure(
                "population_uniques",
                "Unique in the population",
                "%",
                "people whose combination nobody else in the population has, as estimated",
            ),
            Figure("population_uniques_pitman", "Unique in the population, Pitman's model", "%"),
            Figure("population_uniques_snb", "Unique in the population, SNB model", "%"),
            Figure("population_uniques_zayatz", "Unique in the population, Zayatz's model", "%"),
            Figure(
                "uniques_confirmed",
                "Unique here and in the population",
                "%",
                "of those with a combination to themselves, how many have it to themselves in the population",
            ),
        ),
    ),
    needs=("sampling",),
)

SPECIAL_UNIQUES = Family(
    special_unique_figures,
    _before_too(
        Figure(
            "special_uniques",
            "People whom few columns single out",
            "%",
            "with a minimal sample unique of no more columns than asked for",
        ),
        Figure(
            "suda_max", "Highest SUDA score", "", "the fewer columns single out, and the more ways, the more"
        ),
        Figure("suda_mean", "Mean SUDA score"),
        Figure("dis_suda_max", "Highest DIS-SUDA", "%", "chance that a match with that person is right"),
        Figure("dis_suda_mean", "Mean DIS-SUDA", "%"),
        Figure("suda_contribution.A"),
    ),
    needs=("largest_unique",),
)
