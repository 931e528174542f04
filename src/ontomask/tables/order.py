"""In which order the rows of a split cell are dealt to its groups: one that means nothing.

Sorted by pay, a group would tell the pay; so rows are dealt in the order of an md5, ascending, over

    seed LF field , field , ...

in UTF-8: the seed in decimal, a line feed, and the row's key (`Dealing.key`), or, without one, all released
columns that are not masked, in table order, as CSV text with comma. A field is `"text"` with quotes inside
doubled, and nothing at all where the value is null. Texts are those of `arrow.texts_of` (39.0 reads `39`).
Lists, structs and bytes have no text and do not take part. Rows with equal keys are told apart by the md5
over the other columns. Rows that are equal in everything are alike, so the release is the same rows whatever
order they came in, and whichever engine dealt them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from ontomask.arrays import Int64
from ontomask.tables.table import Dealing


def columns_hashed(dealing: Dealing, released: Sequence[str]) -> list[list[str]]:
    """The columns of the md5 that rows are ordered by, and of the one that follows if the first are equal."""
    others = [name for name in released if name not in dealing.texts]
    return [[dealing.key], others] if dealing.key else [others]


def field_of(text: str | None) -> str:
    """One value as a field of the text that is hashed.

    >>> field_of('5" pipe'), field_of(""), field_of(None)
    ('"5"" pipe"', '""', '')
    """
    return "" if text is None else '"' + text.replace('"', '""') + '"'


def digests(seed: int, rows: Iterable[Sequence[str]]) -> np.ndarray:
    """The md5 of each row, given as fields, as two numbers that sort as its hexadecimal digits do.

    >>> import hashlib
    >>> found = digests(7, [['"a"', ""]])
    >>> "%016x%016x" % tuple(found[0].tolist()) == hashlib.md5(b'7\\n"a",').hexdigest()
    True
    """
    start = hashlib.md5(f"{seed}\n".encode(), usedforsecurity=False)
    found = bytearray()
    for fields in rows:
        one = start.copy()
        one.update(",".join(fields).encode())
        found += one.digest()
    return np.frombuffer(bytes(found), ">u8").reshape(-1, 2)


def dealt(cells: np.ndarray, keys: Sequence[np.ndarray]) -> Int64:
    """The places of rows in the order of dealing: cell by cell, by their digests."""
    parts = [half for key in reversed(keys) for half in (key[:, 1], key[:, 0])]
    return np.lexsort((*parts, cells))
