"""Days as texts: how a column writes them, and the names of weeks, months, quarters, years and decades.

A day is its number in the calendar (`datetime.date.toordinal`), a unit its first and its last day. Weeks are
those of ISO 8601. Knows no table and no attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import product
from typing import Literal, get_args

from ontomask.errors import OntomaskError
from ontomask.printable import shortened

Unit = Literal["month", "quarter", "year", "decade"]
UNITS: tuple[Unit, ...] = get_args(Unit)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
FORMS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%b %d, %Y"),
    *("%Y-%m-%d 00:00:00", "%Y-%m-%dT00:00:00"),  # what columns of times write for a day
)
"""The forms that are tried where nobody said how days are written."""

_PART = re.compile(r"%(-?[dm]|\^?[bB]|[Yy])")
_SPELLINGS = {"d": ("%d", "%-d"), "m": ("%m", "%-m"), "b": ("%b", "%B", "%^b", "%^B")}
_UNIT = re.compile(
    r"(\d{4})(?:-(?:W(?P<week>\d\d)|Q(?P<quarter>[1-4])|(?P<month>\d\d)|(?P<to>\d{4}))|(?P<s>s))?"
)
_TIME = re.compile(r"\d:\d\d")
_WITHOUT_DAY = re.compile(r"\d{4}|\d{4}[-/.]\d\d?|\d\d?[-/.]\d{4}")


@dataclass(frozen=True)
class DayFormat:
    """How days are written, in the words of `strftime`: year, month and day once each.

    `%-d` and `%-m` have no zero before one digit, `%^b` is in capitals; months are named in English. All
    spellings of a month or a day are read, whichever of them is written.

    >>> DayFormat("%d/%m/%Y").day_of("5/11/2024") == date(2024, 11, 5).toordinal()
    True
    >>> DayFormat("%-d %B %Y").text(date(2024, 11, 5).toordinal())
    '5 November 2024'
    """

    form: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        texts, parts = self._pieces
        forms = {"Y": r"\d{4}", "y": r"\d{2}", "b": "[A-Za-z]+"}
        pattern = re.escape(texts[0])
        for i, part in enumerate(parts):
            form = forms.get(part, r"\d{2}" if self._touches_digits(i) else r"\d{1,2}")
            pattern += f"(?P<{part}>{form}){re.escape(texts[i + 1])}"
        return re.compile(pattern, re.ASCII)

    @property
    def _pieces(self) -> tuple[list[str], list[str]]:
        """The texts around the parts, and which part each is, however it is spelt."""
        pieces = _PART.split(self.form)
        return pieces[::2], [part.lstrip("-^").replace("B", "b") for part in pieces[1::2]]

    def _touches_digits(self, i: int) -> bool:
        """Whether only the number of its digits tells where the i-th part begins or ends."""
        texts, parts = self._pieces
        before = texts[i] or ("0" if {*parts[:i][-1:]} - {"b"} else "")
        after = texts[i + 1] or ("0" if {*parts[i + 1 :][:1]} - {"b"} else "")
        return before[-1:].isdigit() or after[:1].isdigit()

    def day_of(self, text: str) -> int | None:
        """The day that a text is; None if it is none."""
        found = self._pattern.fullmatch(text.strip())
        if not found:
            return None
        parts = found.groupdict()
        try:
            year = int(parts["Y"]) if "Y" in parts else _with_century(int(parts["y"]))
            month = _MONTH_OF[parts["b"].lower()] if "b" in parts else int(parts["m"])
            return date(year, month, int(parts["d"])).toordinal()
        except (ValueError, KeyError):
            return None

    def text(self, day: int) -> str:
        """How a day is written."""
        when = date.fromordinal(day)
        name = MONTHS[when.month - 1]
        written = {
            "Y": f"{when.year:04d}",
            "y": f"{when.year % 100:02d}",
            "m": f"{when.month:02d}",
            "d": f"{when.day:02d}",
            "-m": f"{when.month}",
            "-d": f"{when.day}",
            "B": name,
            "b": name[:3],
        }
        written |= {"^B": name.upper(), "^b": name[:3].upper()}
        return _PART.sub(lambda part: written[part[1]], self.form)

    def spelt_like(self, rows: Mapping[str, int]) -> DayFormat:
        """The spelling of this format that most rows have; `rows` counts those of each text.

        Where no text tells whether days have a zero before one digit, they have one if months do.

        >>> str(DayFormat("%d %b %Y").spelt_like({"5 MAY 2024": 2, "12 JUN 2024": 1}))
        '%-d %^b %Y'
        """
        days = {text: self.day_of(text) for text in rows}

        def repeated(one: DayFormat) -> int:
            return sum(n for text, n in rows.items() if (day := days[text]) and one.text(day) == text)

        return max(self._spellings(), key=lambda one: (repeated(one), one._is_even))

    @property
    def _is_even(self) -> bool:
        """Whether days and months both have a zero before one digit, or both have none."""
        return len({part.startswith("-") for part in _PART.findall(self.form) if part[-1] in "dm"}) == 1

    def _spellings(self) -> Iterator[DayFormat]:
        texts, parts = self._pieces
        ways = [
            (f"%{part}",) if part != "b" and self._touches_digits(i) else _SPELLINGS.get(part, (f"%{part}",))
            for i, part in enumerate(parts)
        ]
        for spelt in product(*ways):
            yield DayFormat("".join(map("".join, zip(texts, [*spelt, ""], strict=True))))

    def __str__(self) -> str:
        return self.form


def day_format(text: str) -> str:
    """A text that is a format of days, as a plan gives it.

    >>> day_format("%d/%m/%y")
    '%d/%m/%y'
    """
    parts = "".join(sorted(part.lstrip("-^").lower() for part in _PART.findall(text)))
    if parts.replace("b", "m") not in ("dmy", "mdy") or "%" in _PART.sub("", text):
        raise ValueError(
            "must have a day (%d), a month (%m, or %b for its name) and a year (%Y, or %y for two digits) "
            f"once each, such as %d/%m/%Y, not {text!r}"
        )
    return text


def found_format(rows: Mapping[str, int]) -> DayFormat:
    """The one format that reads every text, `rows` counting those of each; refused if none or several do.

    >>> str(found_format({"3/2/2024": 2, "25/2/2024": 1}))
    '%-d/%-m/%Y'
    """
    fitting = fitting_formats(rows)
    if not fitting:
        raise _unread(rows, [DayFormat(form) for form in FORMS])
    if len(fitting) > 1:
        differing = [text for text in rows if len({one.day_of(text) for one in fitting}) > 1]
        text = (differing or list(rows))[0]
        short = shortened(text)
        raise OntomaskError(
            f"{' and '.join(map(str, fitting))} read all of its dates, such as {short!r}",
            value=short,
            details=tuple(f"{one} reads it as {date.fromordinal(one.day_of(text) or 1)}" for one in fitting),
            remedy=f'say which is meant: `format: "{fitting[0]}"`, or `format: "{fitting[1]}"`',
        )
    return fitting[0].spelt_like(rows)


def fitting_formats(texts: Iterable[str]) -> list[DayFormat]:
    """The formats that read every text.

    >>> [str(one) for one in fitting_formats(["03/02/2024", "04/05/2024"])]
    ['%d/%m/%Y', '%m/%d/%Y']
    """
    found = [DayFormat(form) for form in FORMS]
    for text in texts:
        found = [one for one in found if one.day_of(text) is not None]
    return found


def given_format(form: str, rows: Mapping[str, int]) -> DayFormat:
    """The format that a plan gives, in the spelling of the texts; refused if it does not read all of them."""
    given = DayFormat(form)
    if any(given.day_of(text) is None for text in rows):
        raise _unread(rows, [given])
    return given.spelt_like(rows)


def _unread(rows: Mapping[str, int], formats: Sequence[DayFormat]) -> OntomaskError:
    """What to raise for the first text that the format does not read which reads most."""
    unread = [[text for text in rows if one.day_of(text) is None] for one in formats]
    text = min(unread, key=len)[0]
    if _TIME.search(text):
        advice = "only whole days can be masked: cut off the time of day"
    elif _WITHOUT_DAY.fullmatch(text.strip()):
        advice = "a date has a day: make years `kind: numeric`, and months `kind: ordinal`"
    else:
        advice = 'say how days are written, such as `format: "%d/%m/%Y"`'
    as_given = f" as {formats[0]} writes it" if len(formats) == 1 else ""
    short = shortened(text)
    return OntomaskError(
        f"{short!r} is not a date{as_given}", value=short, remedy=f"{advice}; or add it to `na_values`"
    )


def _with_century(year: int) -> int:
    """Of two digits, as POSIX has it: 69 to 99 are of the last century."""
    return year + (1900 if year >= 69 else 2000)


_MONTH_OF = {name.lower()[:n]: i for i, name in enumerate(MONTHS, start=1) for n in (3, len(name))}


# ---------------------------------------------------------------------- units


def unit_name(first: int, last: int) -> str:
    """What a unit is called: `2024-W12`, `2024-03`, `2024-Q1`, `2024`, `2020s`, or `1984-2003`.

    >>> march = date(2024, 3, 1).toordinal(), date(2024, 3, 31).toordinal()
    >>> unit_name(*march)
    '2024-03'
    """
    start = date.fromordinal(first)
    if last - first == 6:
        year, week, _ = start.isocalendar()
        return f"{year:04d}-W{week:02d}"
    end = date.fromordinal(last)
    if start.year != end.year:
        decade = f"{start.year // 10 * 10:04d}s"
        return decade if start.year // 10 == end.year // 10 else f"{start.year:04d}-{end.year:04d}"
    if start.month == end.month:
        return f"{start.year:04d}-{start.month:02d}"
    quarter = f"{start.year:04d}-Q{(start.month + 2) // 3}"
    return quarter if end.month - start.month == 2 else f"{start.year:04d}"


def unit_ends(name: str) -> tuple[int, int] | None:
    """The first and the last day of a unit; None if the text is no name of one.

    >>> [date.fromordinal(day).isoformat() for day in unit_ends("2024-W01") or ()]
    ['2024-01-01', '2024-01-07']
    """
    found = _UNIT.fullmatch(name)
    if not found or not name.isascii():
        return None
    year = int(found[1])
    try:
        if week := found["week"]:
            monday = date.fromisocalendar(year, int(week), 1).toordinal()
            return monday, monday + 6
        if month := found["month"]:
            return _months(year, int(month), 1)
        if quarter := found["quarter"]:
            return _months(year, 3 * int(quarter) - 2, 3)
        if found["s"]:
            return unit_holding(date(year + 9, 1, 1).toordinal(), "decade") if year % 10 == 0 else None
        first, last = _months(year, 1, 12)[0], _months(int(found["to"] or year), 1, 12)[1]
        return (first, last) if first < last else None
    except ValueError:
        return None


def unit_holding(day: int, unit: Unit) -> tuple[int, int]:
    """The first and the last day of the month, quarter, year or decade of a day."""
    when = date.fromordinal(day)
    if unit == "decade":
        year = when.year // 10 * 10
        return _months(max(year, 1), 1, 12)[0], _months(year + 9, 1, 12)[1]
    n = {"month": 1, "quarter": 3, "year": 12}[unit]
    return _months(when.year, when.month - (when.month - 1) % n, n)


def _months(year: int, month: int, n: int) -> tuple[int, int]:
    """The first and the last day of n months of a year."""
    first, years, next_month = date(year, month, 1), *divmod(month + n - 1, 12)
    if year + years > date.max.year:
        return first.toordinal(), date.max.toordinal()
    return first.toordinal(), date(year + years, next_month + 1, 1).toordinal() - 1
