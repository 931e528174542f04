"""Numbers as texts: which mark stands before decimals and between thousands, and the unit behind them.

A column writes its numbers in one way, which its values mostly tell: `91,1` has a decimal comma, `1.234,5` a
point between thousands. `1,234` may be either; then the other columns tell, or somebody must. Knows no table
and no attribute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from ontomask.errors import OntomaskError
from ontomask.printable import shortened

DecimalMark = Literal[".", ","]
THOUSANDS = {",": "comma", ".": "point", " ": "blank", "\xa0": "blank", "\u202f": "blank", "'": "'", "’": "’"}
NO_MARK = "none"
_BLANKS = (" ", "\xa0", "\u202f")
_MINUS = str.maketrans("−–", "--")
_LIMIT = re.compile(r"\s*([<>≤≥])=?\s*([^\s<>≤≥=].*)", re.DOTALL)


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written; `before` and `after` hold the unit with its blank, where each has one.

    >>> german = NumberFormat(",", ".", unit="kg", after=" kg")
    >>> german.number_of("1.234,5 kg"), german.text("72000.25")
    (Decimal('1234.5'), '72.000,25 kg')
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    before: str = ""
    after: str = ""

    def number_of(self, text: str) -> Decimal | None:
        """The number that a text is; None if it is none."""
        bare = self.bare(text)
        if self._is_plain:
            try:
                number = Decimal(bare)
            except InvalidOperation:
                return None
            return None if number.is_nan() else number
        if not self._pattern.fullmatch(bare):
            return None
        plain = bare.replace(self.thousands, "") if self.thousands else bare
        return Decimal(plain.replace(self.decimal, ".").translate(_MINUS))

    def text(self, plain: str) -> str:
        """A number as it is written here; `plain` is how Python writes it, without an exponent."""
        return f"{self.before}{self.bare_text(plain)}{self.after}"

    def bare_text(self, plain: str) -> str:
        """The same without the unit."""
        whole, point, decimals = plain.partition(".")
        if self.thousands:
            sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
            cut = range(len(digits) % 3 or 3, len(digits) + 3, 3)
            whole = sign + self.thousands.join(digits[max(0, at - 3) : at] for at in cut)
        return whole + (self.decimal if point else "") + decimals

    def range_text(self, low: str, high: str, form: str) -> str:
        """A range, with the unit once: `70-75 kg`."""
        ends = {"{from}": self.before + self.bare_text(low), "{to}": self.bare_text(high) + self.after}
        return re.sub("{from}|{to}", lambda end: ends[end[0]], form)

    def __str__(self) -> str:
        said = ["decimal comma" if self.decimal == "," else "decimal point"]
        if self.thousands:
            said.append(f"{THOUSANDS[self.thousands]} between thousands")
        return " and ".join(said)

    @property
    def _is_plain(self) -> bool:
        return self.decimal == "." and not self.thousands

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        mark, between = re.escape(self.decimal), re.escape(self.thousands)
        whole = rf"(\d{{1,3}}({between}\d{{3}})+|\d+)" if self.thousands else r"\d+"
        return re.compile(rf"[-+−–]?({whole}({mark}\d*)?|{mark}\d+)([eE][-+]?\d{{1,4}})?", re.ASCII)

    def bare(self, text: str) -> str:
        """A text without its unit."""
        return self._parts(text)[1]

    def _parts(self, text: str) -> tuple[str, str, str]:
        """What stands before the number, the number, and what stands behind it."""
        bare = text.strip()
        if self.unit and bare.casefold().endswith(self.unit.casefold()):
            number = bare[: -len(self.unit)].rstrip()
            return "", number, bare[len(number) :]
        if self.unit and bare.casefold().startswith(self.unit.casefold()):
            number = bare[len(self.unit) :].lstrip()
            return bare[: len(bare) - len(number)], number, ""
        return "", bare, ""

    def as_in(self, rows: Mapping[str, int]) -> NumberFormat:
        """The format with the unit where and as most rows have it."""
        if not self.unit:
            return self
        seen: Counter[tuple[str, str]] = Counter()
        for text, n in rows.items():
            before, _, after = self._parts(text)
            seen[before, after] += n
        (before, after), _ = max(seen.items(), key=lambda one: (one[1], one[0]))
        return replace(self, before=before, after=after)


PLAIN = NumberFormat()


class Limit(NamedTuple):
    """What is known of a value that was not measured: that it is below, or above, a number."""

    is_below: bool
    number: str


def limit_of(text: str) -> Limit | None:
    """The limit that stands in the place of a number, as laboratories write it; None if there is none.

    >>> limit_of("< 0,5"), limit_of(">=90"), limit_of("90")
    (Limit(is_below=True, number='0,5'), Limit(is_below=False, number='90'), None)
    """
    found = _LIMIT.fullmatch(text)
    return Limit(found[1] in "<≤", found[2].rstrip()) if found else None


def formats(
    texts: Collection[str], decimal: str | None = None, thousands: str | None = None, unit: str = ""
) -> list[NumberFormat]:
    """The formats that may be those of some texts, simple ones first; what is given holds for all of them.

    A mark that no text has needs no trying.
    """
    seen = {mark for text in texts for mark in text}
    given = {None: ("", *(mark for mark in THOUSANDS if mark in seen)), NO_MARK: ("",), " ": _BLANKS}
    marks = get_args(DecimalMark) if seen & set(get_args(DecimalMark)) else (".",)
    return [
        NumberFormat(mark, between, unit)
        for between in given.get(thousands, (thousands or "",))
        for mark in (marks if decimal is None else (decimal,))
        if mark != between
    ]


def number_format(
    texts: Collection[str],
    decimal: str | None = None,
    thousands: str | None = None,
    unit: str | None = None,
    usual: str | None = None,
) -> NumberFormat:
    """The format in which all texts are numbers; if there is none, the one in which most of them are.

    Where two formats read other numbers from the same texts, the `usual` decimal mark of the table decides;
    without it, numbers that a program would read are these.

    >>> number_format(["91,1", "72"]), number_format(["1.234,5"])
    (NumberFormat(decimal=',', thousands='', unit='', before='', after=''),
     NumberFormat(decimal=',', thousands='.', unit='', before='', after=''))
    >>> number_format(["1,234", "5"])
    Traceback (most recent call last):
    ontomask.errors.OntomaskError: '1,234' may be read in two ways:
      1.234 or 1234
    set `decimal` of the column or of the table
    """
    asked = formats(texts, decimal, thousands, unit or "")
    fit = [one for one in asked if all(one.number_of(text) is not None for text in texts)]
    if not fit and usual is not None:
        asked = [one for one in asked if one.decimal == usual] or asked
    if not fit:
        return max(asked, key=lambda one: sum(one.number_of(text) is not None for text in texts))
    if usual is not None and (wanted := [one for one in fit if one.decimal == usual]):
        fit = wanted
    other = _told_otherwise(fit, texts)
    if other is None or fit[0]._is_plain:
        return fit[0]
    text, numbers = other
    short = shortened(text)
    raise OntomaskError(
        f"{short!r} may be read in two ways",
        value=short,
        details=(" or ".join(f"{number:f}" for number in sorted(numbers)),),
        remedy="set `decimal` of the column or of the table",
    )


def _told_otherwise(fit: list[NumberFormat], texts: Collection[str]) -> tuple[str, set[Decimal]] | None:
    """A text of which formats read different numbers, and these."""
    for text in texts:
        numbers = {number for one in fit if (number := one.number_of(text)) is not None}
        if len(numbers) > 1:
            return text, numbers
    return None


def usual_decimal(columns: Iterable[Collection[str]]) -> str | None:
    """The decimal mark of those columns of a table that can be read in one way only, if they agree.

    >>> usual_decimal([["1,234"], ["91,1", "72"], ["31", "54"]])
    ','
    """
    found = set()
    for texts in columns:
        fit = [one for one in formats(texts) if all(one.number_of(text) is not None for text in texts)]
        shows_mark = any(mark in text for text in texts for mark in get_args(DecimalMark))
        if shows_mark and len({one.decimal for one in fit}) == 1:
            found.add(fit[0].decimal)
    return found.pop() if len(found) == 1 else None


def lengths_of_digits(texts: Iterable[str]) -> list[int]:
    """How many digits those texts have that are digits alone: several, where zeros in front may be lost.

    >>> lengths_of_digits(["01067", "1067 ", "DK-1067"])
    [4, 5]
    """
    return sorted({len(text.strip()) for text in texts if text.strip().isdigit()})
