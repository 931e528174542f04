"""Numbers that a state, a bank or a program gave to one person, told by their form and their check digits.

One small function for each kind of check; the register below says which number has which form and check.
Knows texts only, neither tables nor roles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_ENOUGH = 5  # texts: that one of eleven numbers passes a check says nothing yet
_MOST = 0.9
_SAMPLE = 1_000
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_VERHOEFF_TIMES = tuple(
    tuple(map(int, row))
    for row in (
        *("0123456789", "1234067895", "2340178956", "3401289567", "4012395678"),
        *("5987604321", "6598710432", "7659821043", "8765932104", "9876543210"),
    )
)
_VERHOEFF_TURN = tuple(map(int, "1576283094"))


def _digits(text: str) -> list[int]:
    return [int(c) for c in text]


def _always(_: str) -> bool:
    """The form is enough."""
    return True


def _dni(text: str) -> bool:
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(number) % 23] == text[-1]


def _nir(text: str) -> bool:
    """France: 97 minus the number modulo 97; Corsica counts as 19 and 18."""
    number = text[:-2].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(text[-2:])


def _weighted(weights: Sequence[int], checks: Callable[[int], int]) -> Callable[[str], bool]:
    """Whether what `checks` makes of the weighted sum of the first digits is the one after them."""

    def is_right(text: str) -> bool:
        digits = _digits(text)
        total = sum(w * d for w, d in zip(weights, digits, strict=False))
        return checks(total) == digits[len(weights)]

    return is_right


_NHS = _weighted(range(10, 1, -1), lambda total: -total % 11)
_NIF = _weighted(range(9, 1, -1), lambda total: -total % 11 if -total % 11 < 10 else 0)
_PESEL = _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3), lambda total: -total % 10)
_BSN = _weighted(range(9, 1, -1), lambda total: total % 11)
_CPF = (
    _weighted(range(10, 1, -1), lambda total: total * 10 % 11 % 10),
    _weighted(range(11, 1, -1), lambda total: total * 10 % 11 % 10),
)


def _cpf(text: str) -> bool:
    return all(is_right(text) for is_right in _CPF)


def _tax_id(text: str) -> bool:
    """Germany, by ISO 7064, MOD 11,10."""
    product = 10
    for digit in _digits(text[:-1]):
        product = ((product + digit) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(text[-1])


def _iban(text: str) -> bool:
    moved = text[4:] + text[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def _luhn(text: str) -> bool:
    doubled = [d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(_digits(text)))]
    return sum(doubled) % 10 == 0


def _verhoeff(text: str) -> bool:
    check = 0
    for i, digit in enumerate(reversed(_digits(text))):
        for _ in range(i % 8):
            digit = _VERHOEFF_TURN[digit]
        check = _VERHOEFF_TIMES[check][digit]
    return check == 0


class _Number(NamedTuple):
    called: str
    form: re.Pattern[str]
    is_right: Callable[[str], bool] = _always


_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}")  # its hyphens are all that tells it
NUMBERS = tuple(
    _Number(called, re.compile(form), is_right)
    for called, form, is_right in (
        ("Spanish DNI or NIE", r"\d{8}[A-Z]|[XYZ]\d{7}[A-Z]", _dni),
        ("French social security numbers", r"[1-478]\d{4}(\d\d|2[AB])\d{8}", _nir),
        ("Italian codici fiscali", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _always),
        ("British national insurance numbers", r"[A-CEGHJ-PR-TW-Z][A-NPR-Z]\d{6}[A-D]", _always),
        ("British NHS numbers", r"\d{10}", _NHS),
        ("Brazilian CPF", r"\d{11}", _cpf),
        ("Polish PESEL", r"\d{11}", _PESEL),
        ("German tax numbers", r"[1-9]\d{10}", _tax_id),
        (
            "German pension insurance numbers",
            r"\d\d[0-3]\d[01]\d{3}[A-Z]\d{3}",
            _always,
        ),
        ("Portuguese NIF", r"[125689]\d{8}|3\d{8}", _NIF),
        ("Dutch BSN", r"\d{9}", _BSN),
        ("account numbers (IBAN)", r"[A-Z]{2}\d\d[A-Z0-9]{11,30}", _iban),
        ("card numbers", r"[3-6]\d{12,18}", _luhn),
        ("UUIDs", r"[0-9A-F]{32}", _always),
    )
)
"""Written in capitals, without blanks, points, hyphens and slashes."""

_SNOMED = re.compile(r"[1-9]\d{2,14}[01]0\d")  # the two digits before the last: it is a concept


def number_of_a_person(texts: Sequence[str]) -> str | None:
    """What nearly all texts are numbers of, if there are enough of them to tell.

    >>> number_of_a_person(["12345678Z", "87654321-X", "11111111H", "X1234567L", "00000000T"])
    'Spanish DNI or NIE'
    """
    sample = texts[:: len(texts) // _SAMPLE + 1]
    if len(sample) < _ENOUGH:
        return None
    least = _MOST * len(sample)
    if sum(_SSN.fullmatch(text.strip()) is not None for text in sample) >= least:
        return "American social security numbers"
    bare = [re.sub(r"[ .\-/]", "", text).upper() for text in sample]
    for one in NUMBERS:
        if sum(one.form.fullmatch(text) is not None and one.is_right(text) for text in bare) >= least:
            return one.called
    return None


def are_snomed_ids(texts: Sequence[str]) -> bool:
    """Whether nearly all texts are ids of concepts of SNOMED CT, by form and check digit.

    >>> are_snomed_ids(["73211009", "195967001", "38341003"]), are_snomed_ids(["73211008", "100", "7"])
    (True, False)
    """
    right = [_SNOMED.fullmatch(text.strip()) is not None and _verhoeff(text.strip()) for text in texts]
    return len(right) > 1 and sum(right) >= _MOST * len(right)
