"""In which order the rows of a split cell are dealt to its groups: one that means nothing.

Sorted by pay, a group would tell the pay; so rows are dealt in the order of an md5, ascending, over

    seed LF field , field , ...

in UTF-8: the seed in decimal, a line feed, and the row's key (`Dealing.key`), or, without one, all released
columns that are not masked, in table order, as CSV text with comma. A field is `"text"` with quotes inside
doubled, and nothing at all where the value is null. Texts are those of `arrow.texts_of` (39.0 reads `39`).
Lists, structs and bytes have no text and do not take part. Rows with equal keys are told apart by the md5
over the other columns. Rows that are equal in everything are alike, so the release is the same rows whatever
order they came in, and whichever engine dealt them.

A release that is shuffled has its rows in the order of the same md5 over all released columns, as they are
released: an order that follows from the released rows and the seed alone, so that who knows both learns
nothing of the order in the original. (A permutation drawn from the seed could be undone by whoever reads the
seed in the manifest.) Values without a text take part as their engine prints them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from math import lgamma, log

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


def shuffled(keys: np.ndarray) -> Int64:
    """The places of rows in the order of their digests.

    >>> shuffled(np.array([[2, 1], [1, 9], [2, 0]], np.uint64)).tolist()
    [1, 2, 0]
    """
    return np.lexsort((keys[:, 1], keys[:, 0]))


def is_sorted(ranks: np.ndarray) -> bool:
    """Whether ranks only rise or only fall, and chance would seldom (one time in a thousand) have it so.

    Of n rows with n_1, n_2, ... equal ranks, n! / (n_1! n_2! ...) orders are different, and two are sorted.

    >>> is_sorted(np.array([0, 0, 1, 1, 2, 2, 3, 3])), is_sorted(np.array([8, 7, 6, 5, 4, 3, 2]))
    (True, True)
    >>> is_sorted(np.array([0, 1, 2])), is_sorted(np.array([0, 1, 2, 3, 4, 5, 7, 6]))
    (False, False)
    """
    steps = np.diff(ranks)
    if (steps < 0).any() and (steps > 0).any():
        return False
    counts = np.bincount(np.unique(ranks, return_inverse=True)[1])
    orders = lgamma(len(ranks) + 1) - sum(lgamma(n + 1) for n in counts.tolist())
    return orders > log(2 * 1000)


def dealt(cells: np.ndarray, keys: Sequence[np.ndarray]) -> Int64:
    """The places of rows in the order of dealing: cell by cell, by their digests."""
    parts = [half for key in reversed(keys) for half in (key[:, 1], key[:, 0])]
    return np.lexsort((*parts, cells))
