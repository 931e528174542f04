"""Concepts by a word that a person types: what is called that, what begins so, what has it in its name."""

from __future__ import annotations

from collections.abc import Iterator

from ontomask.linking.suggest import similar_spellings
from ontomask.ontology.core import SENSE_NAME, Ontology, derived


@derived
def _folded_terms(ontology: Ontology) -> list[str]:
    return [term.casefold() for term in ontology.terms]


def search(text: str, ontology: Ontology, most: int = 9) -> list[int]:
    """Up to `most` concepts for a text.

    Those that it names (an id, a sense name, a term), those with a term that begins with it, and those that
    have it in a term, short terms first; where there are none, those with a term that is spelt like it.

    >>> from ontomask import load_ontology
    >>> wn = load_ontology("wordnet")
    >>> [wn.key(concept) for concept in search("midwife", wn)[:3]]
    ['midwife.n.01', 'obstetrics.n.01', 'midwifery.n.02']
    >>> [wn.key(concept) for concept in search("midwive", wn, 1)]
    ['midwife.n.01']
    """
    typed = " ".join(text.split())
    if not typed:
        return []
    found = dict.fromkeys(named(typed, ontology))
    if len(found) < most:
        folded, terms = typed.casefold(), _folded_terms(ontology)
        having = [
            (not term.startswith(folded), len(term), at) for at, term in enumerate(terms) if folded in term
        ]
        for _, _, at in sorted(having)[: 10 * most]:
            found |= dict.fromkeys(ontology.senses[at].tolist())
    return list(found)[:most] or [concept for concept, _ in similar_spellings(typed, ontology, most)]


def named(text: str, ontology: Ontology) -> Iterator[int]:
    """What is called so exactly; `Ontology.candidates` would look for similar words, which takes long."""
    if ontology.has_id(text):
        yield ontology.concept(text)
    yield from ontology.senses_of(text).tolist()
    if name := SENSE_NAME.match(text):
        senses = ontology.senses_of(name["term"].replace("_", " ")).tolist()
        yield from senses[max(int(name["number"]), 1) - 1 : int(name["number"])]
