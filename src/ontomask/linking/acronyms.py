"""Which terms are acronyms: *pet* is positron emission tomography too, but nobody's hobby.

The index of WordNet is in small letters, so an acronym is known by the other terms of its concept: it is the
initials of one of them. What a value in capitals means is for the matchers to say.
"""

from __future__ import annotations

from ontomask.linking.normalise import letters_of, plain
from ontomask.linking.nouns import word_set
from ontomask.ontology.core import Ontology

_SHORTEST = 3  # what has two letters is hardly ever a word
_PASSED_OVER = word_set("of the and in for on to a an")


def is_acronym(term: str, concept: int, ontology: Ontology) -> bool:
    """Whether a term of a concept is the initials of another of its terms, with or without *of* and *the*.

    >>> from ontomask import load_ontology
    >>> wordnet = load_ontology("wordnet")
    >>> [wordnet.key(c) for c in wordnet.senses_of("doe").tolist() if is_acronym("doe", c, wordnet)]
    ['department_of_energy.n.01']
    """
    letters = letters_of(term)
    if len(letters) < _SHORTEST:
        return False
    return any(letters in _initials(other) for other in ontology.synonyms(concept) if " " in other)


def _initials(text: str) -> tuple[str, str]:
    words = plain(text).split()
    return "".join(word[0] for word in words), "".join(w[0] for w in words if w not in _PASSED_OVER)
