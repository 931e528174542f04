"""Suggestions for values that no matcher knows: terms of similar spelling. A person must accept them."""

from __future__ import annotations

from collections.abc import Callable

from ontomask.arrays import Int32
from ontomask.linking.normalise import plain
from ontomask.ontology.core import Ontology, derived

_LEAST = 70.0


@derived
def plain_terms(ontology: Ontology) -> list[str]:
    """The terms of an ontology as texts are compared."""
    return [plain(term) for term in ontology.terms]


def similar_spellings(
    value: str, ontology: Ontology, most: int, allowed: Callable[[Int32], Int32] = lambda concepts: concepts
) -> list[tuple[int, float]]:
    """Up to `most` (concept, score in 0..1) whose terms are spelt like the value, best first.

    Of a term's senses the first that is `allowed` counts.
    """
    from rapidfuzz import fuzz, process

    found = process.extract(
        plain(value),
        plain_terms(ontology),
        scorer=fuzz.token_sort_ratio,
        limit=10 * most,
        score_cutoff=_LEAST,
    )
    best: dict[int, float] = {}
    for _, score, term in sorted(found, key=lambda hit: (-hit[1], hit[2])):
        senses = allowed(ontology.senses[term])
        if len(senses):
            best.setdefault(int(senses[0]), score / 100)
    return list(best.items())[:most]
