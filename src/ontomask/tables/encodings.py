"""Which encoding a text file has that is not UTF-8 and does not say so.

Every usual encoding of one byte a letter reads every file, most of them as nonsense: a small letter followed
by a capital, a box or a fraction inside a word. The one that makes words of the bytes is taken. What is found
out is a reading, not a change: a release has the bytes of the file. Knows bytes and letters, no language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ontomask.arrays import UInt8

WESTERN = ("cp1252", "iso-8859-15", "cp850", "mac-roman")
"""In this order, if several read all words alike well: what most programs write first."""
OTHERS = ("cp1250", "iso-8859-2", "cp1251", "koi8-r", "cp1253", "cp1254")
"""Taken only if they read words better than any of the above, and better than each other."""
_OF_ONE_BYTE = ("cp125", "cp850", "iso8859", "koi8", "mac-roman")  # as Python's codecs call them
_MOST_PLACES = 20_000
_LONGEST_WORD = 40
_USUAL_SIGNS = frozenset("°£€§«»–—‘’“”„…•™®©½¼¾²³µ±×÷ºª·¿¡")
_OPENING, _CLOSING = "“‘«„", "”’»"


class Reading(NamedTuple):
    """What an encoding makes of the words of a file; `strange` are letters and signs out of place."""

    encoding: str
    fitting: int
    strange: int
    words: tuple[str, ...]

    @property
    def is_plausible(self) -> bool:
        """Whether at most one in five is out of place; an unusual encoding needs a word to show it."""
        return 4 * self.strange <= self.fitting and (self.fitting > 0 or self.encoding in WESTERN)


def readings(data: UInt8) -> list[Reading]:
    """What may be the encoding of bytes that are not UTF-8: one, if they tell; several; or none.

    >>> readings(np.frombuffer("José Muñoz, Ångström".encode("mac-roman"), np.uint8))[0].encoding
    'mac-roman'
    >>> [one.encoding for one in readings(np.frombuffer(b"\\x9d\\x81\\x90\\xd0\\xfe", np.uint8))]
    []
    """
    words = _words(data)
    used = np.flatnonzero(np.bincount(data, minlength=256)[128:]).astype(np.uint8) + np.uint8(128)
    possible = [_reading(name, words) for name in (*WESTERN, *OTHERS) if _reads(name, used.tobytes())]
    plausible = [one for one in possible if one.is_plausible]
    if not plausible:
        return []
    best = max(one.fitting - one.strange for one in plausible)
    fit = [one for one in plausible if one.fitting - one.strange == best]
    if fit[0].encoding in WESTERN:
        return [one for one in fit if one.encoding == "cp1254"][:1] if _is_turkish(fit[0]) else fit[:1]
    return [one for at, one in enumerate(fit) if one.words not in [other.words for other in fit[:at]]]


def _is_turkish(western: Reading) -> bool:
    """Whether what is read as letters of Icelandic lacks those that Icelandic has, and Turkish has not."""
    letters = {*"".join(western.words).lower()}
    return western.encoding == "cp1252" and bool(letters & {*"ðþ"}) and not letters & {*"áéíóúæ"}


def makes_words(data: UInt8, encoding: str) -> bool:
    """Whether an encoding that somebody gave makes words of the bytes; of one with several bytes: True.

    >>> latin = np.frombuffer("José Muñoz, Ángel Peña".encode("cp1252"), np.uint8)
    >>> makes_words(latin, "cp1252"), makes_words(latin, "cp850")
    (True, False)
    """
    if not encoding.startswith(_OF_ONE_BYTE):
        return True
    reading = _reading(encoding, _words(data))
    return 4 * reading.strange <= reading.fitting


def _reads(encoding: str, content: bytes) -> bool:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return not any(unicodedata.category(letter) == "Cc" for letter in text)


def _words(data: UInt8) -> list[bytes]:
    """The distinct words that have a byte beyond ASCII, each with what stands before and after it."""
    places = np.flatnonzero(data >= 128)[:_MOST_PLACES].tolist()
    found: dict[bytes, None] = {}
    done = -1
    for place in places:
        if place < done:
            continue
        first, done = place, place + 1
        while first > 0 and place - first < _LONGEST_WORD and _is_letter(data[first - 1]):
            first -= 1
        while done < len(data) and done - place < _LONGEST_WORD and _is_letter(data[done]):
            done += 1
        found[data[max(first - 1, 0) : done + 1].tobytes()] = None
    return list(found)


def _is_letter(byte: np.uint8) -> bool:
    return bool(byte >= 128 or 65 <= byte <= 90 or 97 <= byte <= 122)


def _reading(encoding: str, words: Sequence[bytes]) -> Reading:
    texts = tuple(word.decode(encoding, "replace") for word in words)
    fitting = strange = 0
    for text in texts:
        padded = f" {text} "
        for before, letter, after in zip(padded, padded[1:], padded[2:], strict=False):
            if letter > "\x7f":
                fits = _fits(before, letter, after)
                fitting += fits > 0
                strange += fits < 0
        strange += _odd_script(text)
    return Reading(encoding, fitting, strange, texts)


def _fits(before: str, letter: str, after: str) -> int:
    """1 for a letter, quote or apostrophe where a word has one, 0 for a usual sign beside words, else -1."""
    inside = before.isalpha() and after.isalpha()
    if letter == "\xa0":
        is_between = not (before.isspace() or after.isspace() or before > "\x7f" < after)
        return 0 if is_between else -1
    if letter.isupper() or (letter.islower() and letter not in "ªº"):
        if letter == "ÿ" or before.isdigit() or after.isdigit():  # 255 is a byte of programs
            return -1
        if not (before.isalpha() or after.isalpha()):
            return 0
        if letter.isupper():  # JOSÉ, Óscar, but neither joSÉ nor JOÉse
            return -1 if before.islower() or (before.isupper() and after.islower()) else 1
        return -1 if after.isupper() else 1
    if letter == "’" and inside:
        return 1
    is_quote = (letter in _OPENING and after.isalpha()) or (letter in _CLOSING and before.isalpha())
    return int(is_quote) if letter in _USUAL_SIGNS and not inside else -1


def _odd_script(text: str) -> int:
    """How many letters stand in a word of two alphabets, or in one of many accents and nothing else."""
    letters = [letter for letter in text if letter.isalpha()]
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in letters}
    accented = sum(letter > "\x7f" for letter in letters)
    if len(scripts) > 1 or (scripts == {"LATIN"} and accented > 3 and accented == len(letters)):
        return 2 * accented
    return 0
