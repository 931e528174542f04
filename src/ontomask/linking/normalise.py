"""Spellings that mean the same word: case, accents, hyphens and underscores, punctuation, plural, stem.

The stem is Porter's second algorithm (Snowball), applied to the value and to the ontology's terms alike, so
that *sports* finds *sport*.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache
from typing import Any, Literal

from ontomask.ontology.core import Ontology, derived

LONGEST = 1_000
"""Characters of the longest text that may be a spelling of a word or end in one; a longer one is a tale.
Labels are far shorter, and the search for a head noun costs the square of the length."""
_BREAKS = "_-/.,;:"
_ASCII = str.maketrans({c: " " if c in _BREAKS else None for c in string.punctuation})
_DOTTED = re.compile(r"\b([^\W\d_])\.(?=[^\W\d_]\b)")  # of an abbreviation
_DROPPED = re.compile(r"[^\w\s]")


def plain(text: str) -> str:
    """Lower case, words with one space between them, no accents, no punctuation.

    >>> plain("Bird-watching,  (hobby)"), plain("Café"), plain("U.S.A."), plain("fish & chips")
    ('bird watching hobby', 'cafe', 'usa', 'fish and chips')
    """
    folded = text.casefold()
    if "." in folded:
        folded = _DOTTED.sub(r"\1", folded)
    folded = folded.replace("&", " and ").translate(_ASCII)
    if not folded.isascii():
        bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
        folded = _DROPPED.sub("", bare.casefold().translate(_ASCII))
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


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    stem: str = _stemmer().stemWord(word)
    return stem


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from snowballstemmer import stemmer

    return stemmer("english")


Likeness = Literal["words", "letters", "stems"]


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

    def terms(self, text: str) -> tuple[Likeness, list[int]]:
        """Terms spelt like a plain text: the same words, else the same letters, else the same stems."""
        if same := self._by_plain.get(text):
            return "words", same
        if joined := self._by_letters.get(text.replace(" ", "")):
            return "letters", joined
        return "stems", self._by_stem(text) or self._by_stem(text.replace(" ", ""))

    def _by_stem(self, text: str) -> list[int]:
        """Of the terms with the same stems, those spelt most like the text: *enginer* is *engineer*."""
        from rapidfuzz import fuzz

        alike = self._by_prefix.get(_stem_class(text))
        if not alike:
            return []
        stem = stemmed(text)
        beginning = stem.split(" ", 1)[0][:-1]  # a stem may differ from its words in the last letter
        same = [key for key in alike if key.startswith(beginning) and stemmed(key) == stem]
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
