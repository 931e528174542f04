"""Spellings that mean the same word: case, hyphens and underscores, punctuation, plural, stem.

The stem is Porter's second algorithm (Snowball), applied to the value and to the ontology's terms alike, so
that *sports* finds *sport*.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Any

from ontomask.ontology.core import Ontology, derived

LONGEST = 1_000
"""Characters of the longest text that may be a spelling of a word or end in one; a longer one is a tale.
Labels are far shorter, and the search for a head noun costs the square of the length."""
_BREAKS = "_-/.,;:"
_ASCII = str.maketrans({c: " " if c in _BREAKS else None for c in string.punctuation})
_DROPPED = re.compile(r"[^\w\s]")
_PREPOSITIONS = frozenset({"of", "in", "for", "at", "with", "from", "by", "on", "to", "without", "under"})


def plain(text: str) -> str:
    """Lower case, words parted by one space, no punctuation.

    >>> plain("Bird-watching,  (hobby)")
    'bird watching hobby'
    """
    folded = text.casefold().translate(_ASCII)
    if not folded.isascii():
        folded = _DROPPED.sub("", folded)
    return " ".join(folded.split())


def letters_of(text: str) -> str:
    """A text without case, blanks and punctuation: what spellings of one word have in common.

    >>> letters_of("ARCHI-TECT") == letters_of("archi tect") == letters_of("Architect")
    True
    """
    return plain(text).replace(" ", "")


def stemmed(text: str) -> str:
    """The stems of a plain text's words.

    >>> stemmed("sports activities")
    'sport activ'
    """
    return " ".join(map(_stem, text.split()))


def heads(text: str) -> list[str]:
    """What a phrase is a kind of, longest first: modifiers dropped from the left, complements from the right.

    >>> heads("second residence")
    ['residence']
    >>> heads("university professor of law")
    ['university professor', 'professor']
    """
    words = text.split()
    complement = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    core = words[:complement]
    start = 0 if complement < len(words) else 1
    return [" ".join(core[i:]) for i in range(start, len(core))]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    stem: str = _stemmer().stemWord(word)
    return stem


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from snowballstemmer import stemmer

    return stemmer("english")


class Spellings:
    """The terms of an ontology by their normalised spelling."""

    def __init__(self, ontology: Ontology) -> None:
        self._by_plain: dict[str, list[int]] = {}
        self._by_letters: dict[str, list[int]] = {}
        self._by_prefix: dict[tuple[int, str], list[str]] = {}
        for i, term in enumerate(ontology.terms):
            key = plain(term)
            self._by_plain.setdefault(key, []).append(i)
            self._by_letters.setdefault(key.replace(" ", ""), []).append(i)
        for key in self._by_plain:
            self._by_prefix.setdefault(_stem_class(key), []).append(key)

    def terms(self, text: str) -> list[int]:
        """Terms spelt like a plain text: the same words, else the same letters, else the same stems."""
        return self._by_plain.get(text) or self._by_letters.get(text.replace(" ", "")) or self._by_stem(text)

    def _by_stem(self, text: str) -> list[int]:
        """Of the terms with the same stems, those spelt most like the text: *enginer* is *engineer*."""
        from rapidfuzz import fuzz

        alike = self._by_prefix.get(_stem_class(text))
        if not alike:
            return []
        stem = stemmed(text)
        same = [key for key in alike if stemmed(key) == stem]
        likeness = {key: fuzz.ratio(text, key) for key in same}
        return [
            term for key in same if likeness[key] == max(likeness.values()) for term in self._by_plain[key]
        ]


def _stem_class(key: str) -> tuple[int, str]:
    # Stemming keeps the number of words and their beginnings, so only these terms need to be stemmed.
    return key.count(" "), key[:3]


@derived
def spellings_of(ontology: Ontology) -> Spellings:
    """The spellings of an ontology, worked out once."""
    return Spellings(ontology)
