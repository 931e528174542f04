"""Rare values of a column that is released as it is, written as one word: `rare: other` of a plan.

No column of a release is to point at single people (spec 8.4), and of one that is studied the frequent values
are worth keeping. Knows texts and counts, no tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ontomask.arrays import Int64
from ontomask.columns.further import codes_by_spelling
from ontomask.linking.spelling import spelling_of


class RareAsOne(NamedTuple):
    """What is written for each text of a column, and what a publisher should know of it.

    `rare` values that too few rows have, and `joined` more, so that enough rows have the word.
    """

    texts: dict[str, str]
    rare: int
    joined: int

    def note(self, column: str, least: int, word: str) -> str:
        """What became of the column, in words, and no value of it."""
        if not self.rare:
            return f"column {column!r} has no value that fewer than {least:,} rows have"
        values = (
            f"{self.rare:,} {'value' if self.rare == 1 else 'values'} that fewer than {least:,} rows have"
        )
        more = f", and {self.joined:,} more so that enough rows share the word," if self.joined else ""
        verb = "is" if self.rare + self.joined == 1 else "are"
        return f"column {column!r}: {values}{more} {verb} written as {word!r}"


def rare_as_one(texts: Sequence[str | None], counts: Int64, least: int, word: str) -> RareAsOne:
    """The word in the place of values that fewer than `least` rows have.

    If the rows with the word were fewer than `least` themselves, the next rarest values join them. Spellings
    of a value are one; what is missing stays missing.

    >>> import numpy as np
    >>> found = rare_as_one(["flu", "gout", "gout ", "rabies"], np.array([9, 3, 3, 3]), 5, "other")
    >>> found.texts
    {'flu': 'flu', 'gout': 'other', 'gout ': 'other', 'rabies': 'other'}
    >>> found.rare, found.joined
    (1, 1)
    """
    given = {text: int(n) for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    spelt = codes_by_spelling([*given])
    of = dict.fromkeys(spelt.values(), 0)
    for text, n in given.items():
        of[spelt[text]] += n
    first = {code: text for text, code in reversed(spelt.items())}
    own = next((code for text, code in spelt.items() if spelling_of(text or "") == spelling_of(word)), -1)
    one, shared = {own}, of.get(own, 0)
    for code in sorted(of.keys() - one, key=lambda code: (of[code], first[code])):
        if of[code] >= least and not 0 < shared < least:
            break
        one.add(code)
        shared += of[code]
    became = {text: word if spelt[text] in one else text for text in given}
    joined = sum(of[code] >= least for code in one - {own})
    return RareAsOne(became, sum(n < least for n in of.values()), joined)
