"""Spellings of one value, known or unknown to an ontology: case, blanks, hyphens and accents do not count.

What is counted or ranked as one value is decided here; what is written is not.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from ontomask.linking.normalise import letters_of

_SIGNS = frozenset("<>=+%#.?")  # they change what a value says, and are no letters


@lru_cache(maxsize=2**15)
def spelling_of(text: str) -> str:
    """What all spellings of a value have in common; codes and numbers keep their marks.

    >>> spelling_of("Self-Employed") == spelling_of(" self employed") == spelling_of("SELFEMPLOYÉD")
    True
    >>> spelling_of("<50K") == spelling_of(">50K") or spelling_of("I20.1") == spelling_of("I201")
    False
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    is_word = any(map(str.isalpha, bare)) and not any(map(str.isdigit, bare))
    letters = letters_of(bare) if is_word else ""
    if not letters:
        return "".join(bare.split())
    return letters + "".join(sign for sign in bare if sign in _SIGNS)
