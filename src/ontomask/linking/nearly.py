"""Which of many words is nearly spelt like a text: a letter or two wrong, or cut off.

The first letter must be right, which is nearly always so and leaves few words to compare. It knows no more
than words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

_SHORTEST = 5  # shorter words are too easily another one
_TWO_WRONG = 7  # letters of a word in which two may be wrong
_SHORTEST_BEGINNING = 6
_MOST_BEGUN = 20


class Nearly:
    """Plain words, to be asked for by texts that are nearly them.

    >>> words = Nearly(["migraine", "malaria", "measles", "migration"])
    >>> words.misspelt("migrane"), words.cut("migrai"), words.misspelt("flu")
    ((1, [0]), [0], (0, []))
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._at: dict[tuple[str, int], list[int]] = {}
        self._words = words
        for at, word in enumerate(words):
            if word:
                self._at.setdefault((word[0], len(word)), []).append(at)
        self._sorted = sorted(range(len(words)), key=words.__getitem__)

    def misspelt(self, text: str) -> tuple[int, list[int]]:
        """How many letters are wrong, and the positions of the words that are nearest; (0, []) if none is."""
        from rapidfuzz.distance import OSA

        if len(text) < _SHORTEST or any(map(str.isdigit, text)):
            return 0, []
        most = 1 if len(text) < _TWO_WRONG else 2
        best: dict[int, list[int]] = {}
        for length in range(len(text) - most, len(text) + most + 1):
            for at in self._at.get((text[0], length), ()):
                distance = OSA.distance(text, self._words[at], score_cutoff=most)
                if distance <= most:
                    best.setdefault(distance, []).append(at)
        nearest = min(best, default=0)
        return nearest, best.get(nearest, [])

    def cut(self, text: str) -> list[int]:
        """Positions of the words that begin with a text, shortest first; none if there are many."""
        if len(text) < _SHORTEST_BEGINNING:
            return []
        found: list[int] = []
        for place in range(bisect_left(self._sorted, text, key=self._words.__getitem__), len(self._sorted)):
            at = self._sorted[place]
            if not self._words[at].startswith(text) or len(found) > _MOST_BEGUN:
                break
            found.append(at)
        return sorted(found, key=lambda at: len(self._words[at])) if len(found) <= _MOST_BEGUN else []
