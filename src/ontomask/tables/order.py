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
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from math import lgamma, log

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.days import fitting_formats
from ontomask.numerals import formats
from ontomask.tables.table import Dealing

_DIGIT = re.compile(r"\d")


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
    return log_orders(np.unique(ranks, return_counts=True)[1]) > log(2 * 1000)


def log_orders(counts: Int64) -> float:
    """The logarithm of n! / (n_1! n_2! ...): how many orders n things have of which so many are alike.

    >>> float(round(np.exp(log_orders(np.array([2, 1]))), 9))
    3.0
    """
    return lgamma(int(counts.sum()) + 1) - sum(lgamma(n + 1) for n in counts.tolist())


def as_numbers(texts: Sequence[str]) -> Iterator[Float64]:
    """Texts as numbers, in every way that reads all of them, or as days.

    >>> [found.tolist() for found in as_numbers(["91,5", "7"])], [*as_numbers(["91,5", "x"])]
    ([[91.5, 7.0]], [])
    """
    try:
        yield np.array([float(text) for text in texts], np.float64)
        return
    except ValueError:
        if not all(map(_DIGIT.search, texts)):
            return
    ways = [*(one.number_of for one in formats(texts)), *(one.day_of for one in fitting_formats(texts))]
    for way in ways:
        numbers = [*takewhile(lambda number: number is not None, map(way, texts))]
        if len(numbers) == len(texts):
            yield np.array(numbers, np.float64)


def dealt(cells: np.ndarray, keys: Sequence[np.ndarray]) -> Int64:
    """The places of rows in the order of dealing: cell by cell, by their digests."""
    parts = [half for key in reversed(keys) for half in (key[:, 1], key[:, 0])]
    return np.lexsort((*parts, cells))
