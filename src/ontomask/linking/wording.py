"""Labels that say the same in other words: those of a classification, whose terms are long and inverted.

*Fracture neck of femur* is `Fracture of head and neck of femur`, *fever* is `Fever, unspecified`. A label
that has all words of a text, in any order, with the fewest others beside them, is what the text means. For
code systems only: a dictionary has its words as terms of their own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ontomask.arrays import Int32
from ontomask.linking.nearly import Nearly
from ontomask.linking.normalise import plain, stemmed
from ontomask.linking.nouns import is_number_word
from ontomask.ontology.core import Ontology, derived

# Words that a classification adds and a person leaves out, or the other way round.
_EMPTY = frozenset(
    stemmed(
        "of the a an and or in with without at by for to on due not elsewhere classified specified "
        "unspecified other "
        "others nos nec site type part organism disease disorder syndrome complication complications initial "
        "encounter essential primary mellitus uncomplicated confirmed diagnosis current"
    ).split()
)
_OTHERS = frozenset(("other", "others", "specified", "elsewhere"))
_ANY = frozenset(("unspecified", "nos"))
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_MOST_TERMS = 400_000


class Wording(NamedTuple):
    """Terms that have all words of a text: their senses, best first, and the share of words in common."""

    senses: Int32
    share: float


class _Index:
    """Which terms have a word, by stem."""

    def __init__(self, ontology: Ontology) -> None:
        lists: dict[str, list[int]] = {}
        self.length = np.zeros(len(ontology.terms), np.int32)
        for t, term in enumerate(ontology.terms):
            if " " not in term and not term.isalpha():
                continue  # a code
            stems = telling_stems(term)
            self.length[t] = len(stems)
            for stem in stems:
                lists.setdefault(stem, []).append(t)
        self.terms = {stem: np.array(terms, np.int32) for stem, terms in lists.items()}
        self._stems = list(self.terms)
        self._nearly = Nearly(self._stems)

    def spelt(self, stem: str) -> str | None:
        """The stem itself, or the one known stem that is spelt nearly like it."""
        if stem in self.terms:
            return stem
        _, near = self._nearly.misspelt(stem)
        return self._stems[near[0]] if len(near) == 1 else None


@derived
def _index_of(ontology: Ontology) -> _Index | None:
    return _Index(ontology) if len(ontology.terms) <= _MOST_TERMS else None


def telling_stems(text: str) -> frozenset[str]:
    """The stems of a text's words but for the empty ones; all if there are no others.

    >>> sorted(telling_stems("Fracture of neck of femur (closed), unspecified"))
    ['femur', 'fractur', 'neck']
    """
    stems = frozenset(stemmed(plain(_ASIDE.sub(" ", text))).split())
    return (stems - _EMPTY) or stems


def _likeness(words: str, term: str) -> int:
    """How alike a plain text and a term are word by word; what is unspecified is likelier meant than "
    "*other*."""
    own, others = set(words.split()), set(plain(_ASIDE.sub(" ", term)).split())
    return len(own & others) - 2 * len((others - own) & _OTHERS) + len((others - own) & _ANY)


def wording_of(text: str, ontology: Ontology) -> Wording | None:
    """The concepts whose label has all telling words of a text, those with the fewest other words."""
    index = _index_of(ontology)
    asked = telling_stems(text)
    if index is None or not asked or all(map(is_number_word, asked)):
        return None
    known = {index.spelt(stem) for stem in asked}
    stems = sorted((stem for stem in known if stem is not None), key=lambda stem: len(index.terms[stem]))
    if not stems or None in known:
        return None
    terms = index.terms[stems[0]]
    for stem in stems[1:]:
        terms = np.intersect1d(terms, index.terms[stem], assume_unique=True)
    if not len(terms):
        return None
    fewest = int(index.length[terms].min())
    best = terms[index.length[terms] == fewest]
    senses = {int(c): None for t in best.tolist() for c in ontology.senses[t].tolist()}
    wanted = plain(text)
    likeness = {
        c: max(_likeness(wanted, ontology.terms[t]) for t in best.tolist() if c in ontology.senses[t])
        for c in senses
    }
    likest = [c for c in senses if likeness[c] == max(likeness.values())]
    likest.sort(key=lambda c: (ontology.longest_depth[c], c))
    # Of a category and what lies below it the category alone.
    tops = [c for c in likest if not set(ontology.ancestors[c].tolist()) & (set(likest) - {c})]
    spelt_right = all(stem in index.terms for stem in asked)
    return Wording(np.array(tops, np.int32), (len(stems) / fewest) * (1.0 if spelt_right else 0.95))
