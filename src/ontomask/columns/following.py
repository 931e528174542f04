"""Columns that say what a masked one says, such as an age group beside the age (spec 8.2, `together`).

The masked column is the key. What is written in a column that follows it is a function of what is written in
the key, so that it never tells more. Knows texts and codes, no engine and no method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Int32, Integers
from ontomask.attributes import Attribute
from ontomask.columns.base import Column
from ontomask.errors import OntomaskError
from ontomask.tables import DistinctTuples


@dataclass(frozen=True, eq=False)
class Follower:
    """A column that follows the masked column `key`: `values[code]` stands beside each value of the key.

    None stands beside values that have nothing there, or, for a missing key, not one value alone.
    """

    name: str
    key: Column
    values: tuple[str | None, ...]

    def texts(self, attribute: Attribute, codes: Int32, became: Int32) -> list[str | None]:
        """What is written beside each replacement of the key, `attribute` being the key's after masking.

        A released value stands for the values that it is or stands above; where there is none (a mean), for
        those of the people who were given it, whose code `codes[i]` became `became[i]`. If they all have one
        value here, that is written, and otherwise nothing.
        """
        written = self.key.texts(attribute)
        own = attribute.own[self.key.codes_seen(np.arange(attribute.size, dtype=np.int32))]
        stood_for: dict[str, set[str | None]] = {}
        for r in np.unique(became).tolist():
            if (text := written[r]) is None:
                continue
            covered = attribute.covers(np.full(attribute.size, r, np.int32), own)
            found = self._beside(np.flatnonzero(covered)) or self._beside(np.unique(codes[became == r]))
            stood_for.setdefault(text, set()).update(found)  # two replacements may be spelt alike
        only = {text: next(iter(found)) for text, found in stood_for.items() if len(found) == 1}
        return [None if text is None else only.get(text) for text in written]

    def _beside(self, codes: Integers) -> set[str | None]:
        """What stands beside some values of the key; a missing key agrees with no value."""
        missing = self.key.attribute.missing
        known = [code for code in codes.tolist() if code == missing or self.values[code] is not None]
        return {self.values[code] for code in known}


def read_follower(key: Column, key_texts: Sequence[str | None], both: DistinctTuples) -> Follower:
    """The column that stands beside the key in the pairs `both`; refused unless the key determines it.

    `key_texts` are the distinct texts of the key as its column was read from them.
    """
    _, name = both.columns
    code_of = dict(zip(key_texts, key.code_of_text.tolist(), strict=True))
    beside: list[dict[str, str]] = [{} for _ in range(key.attribute.size)]  # what, and of which text
    for at in range(len(both)):
        text, value = both.texts(at)
        if value is not None:
            beside[code_of[text]].setdefault(value, text or "")
    for code, found in enumerate(beside):
        if len(found) > 1 and code != key.attribute.missing:
            (first, text), (second, _) = list(found.items())[:2]
            raise OntomaskError(
                f"does not follow {key.name!r}: {text!r} stands there beside different values",
                column=name,
                value=text,
                key="together",
                details=(f"beside it stand {first!r} and {second!r}",),
                remedy="correct them, or take the column from `together` and give it a role of its own",
            )
    return Follower(name, key, tuple(next(iter(found)) if len(found) == 1 else None for found in beside))
