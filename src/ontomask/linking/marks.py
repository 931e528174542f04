"""Marks of no value that are codes too: *NA* is Namibia where the others are *DE* and *FR*.

Whether it is the one or the other only somebody who knows the table can tell, so it is pointed out.
"""

from __future__ import annotations

from collections.abc import Collection

from ontomask.ontology.core import Ontology

_MOST = 0.5  # of the values look like the mark


def marks_that_are_codes(
    texts: Collection[str], ontology: Ontology, na_values: Collection[str]
) -> dict[str, str]:
    """The marks that are codes of the same form as most of the values, each with what it is the code of.

    >>> from ontomask import load_ontology
    >>> countries = load_ontology("countries")
    >>> marks_that_are_codes(["DE", "FR", "Spain"], countries, ["", "NA", "?"])
    {'NA': 'Namibia'}
    >>> marks_that_are_codes(["Germany", "France", "ES"], countries, ["", "NA", "?"])
    {}
    """
    if ontology.named_senses:
        return {}

    def are_codes(mark: str) -> bool:
        alike = [
            text
            for text in map(str.strip, texts)
            if len(text) == len(mark) and text.isupper() and _concepts(text, ontology)
        ]
        return len(alike) > _MOST * len(texts)

    return {
        mark: ontology.labels[_concepts(mark, ontology)[0]]
        for mark in na_values
        if mark.isalpha() and mark.isupper() and _concepts(mark, ontology) and are_codes(mark)
    }


def _concepts(text: str, ontology: Ontology) -> list[int]:
    if ontology.has_id(text):
        return [ontology.concept(text)]
    found: list[int] = ontology.senses_of(text).tolist()
    return found
