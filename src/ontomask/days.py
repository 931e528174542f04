"""Days and times as texts: how a column writes them, and the names of weeks, months, years and decades.

A day is its number in the calendar (`datetime.date.toordinal`), and its time the fraction of it that is over;
a unit is its first and its last day. Weeks are those of ISO 8601. Moments with an offset from UTC are told on
the clock of one offset. Knows no table and no attribute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple, get_args

from ontomask.errors import OntomaskError
from ontomask.printable import shortened

Unit = Literal["day", "month", "quarter", "year", "decade"]
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
"""The forms of days that are tried where nobody said how they are written."""
SHORT_FORMS = (
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d"),
    *("%d %b %y", "%d-%b-%y"),
)
"""Forms with two digits for the year, which a run reads only where it is told."""
TIMES = (
    *(" %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M"),
    *("T%H:%M:%S%z", " %H:%M:%S%z", " %H:%M%z", "T%H:%M%z"),
    *(" %I:%M %p", " %I:%M:%S %p"),
)
"""What may follow a form of `FORMS`, where it reads no text by itself."""

_PART = re.compile(r"%(-?[dmHI]|\^?[bB]|[YyMSpPz])")
_OFFSET = r" ?(?:Z|[+-]\d{2}(?::?\d{2})?)"
_SPELLINGS = {
    "d": ("%d", "%-d"),
    "m": ("%m", "%-m"),
    "H": ("%H", "%-H"),
    "I": ("%I", "%-I"),
    "b": ("%b", "%B", "%^b", "%^B"),
    "p": ("%p", "%P"),
}
_CLOCKS = ("", "HM", "HMS", "IMp", "IMSp", "HMz", "HMSz", "IMpz", "IMSpz")
_SECONDS = 86_400  # of a day
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
_UNIT = re.compile(
    r"(\d{4})(?:-(?:W(?P<week>\d\d)|Q(?P<quarter>[1-4])|(?P<month>\d\d)(?:-(?P<day>\d\d))?|(?P<to>\d{4}))"
    r"|(?P<s>s))?"
)
_WITHOUT_DATE = re.compile(r"\d\d?:\d\d.*")
_WITHOUT_DAY = re.compile(r"\d{4}|\d{4}[-/.]\d\d?|\d\d?[-/.]\d{4}")


@dataclass(frozen=True)
class DayFormat:
    """How days are written, in the words of `strftime`: year, month and day once each, and a time or none.

    `%-d`, `%-m`, `%-H` and `%-I` have no zero before one digit, `%^b` is in capitals, `%P` is not; months are
    named in English. All spellings of a part are read, whichever of them is written. `%z` reads any offset
    from UTC (`+01:00`, `+0100`, `+01`, `Z`); told and written is the same moment on the clock of `offset`.

    >>> DayFormat("%d/%m/%Y").day_of("5/11/2024") == date(2024, 11, 5).toordinal()
    True
    >>> DayFormat("%-d %B %Y, %-I %P:%M").text(date(2024, 11, 5).toordinal() + 0.75)
    '5 November 2024, 6 pm:00'
    >>> zoned = DayFormat("%Y-%m-%d %H:%M%z", offset="+01:00")
    >>> zoned.text(zoned.day_of("2024-03-01 23:30Z"))
    '2024-03-02 00:30+01:00'
    """

    form: str
    offset: str = "Z"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        texts, parts = self._pieces
        forms = {
            "Y": r"\d{4}",
            "y": r"\d{2}",
            "b": "[A-Za-z]+",
            "M": r"\d{2}",
            "S": r"\d{2}",
            "p": "[AaPp][Mm]",
            "z": _OFFSET,
        }
        pattern = re.escape(texts[0])
        for i, part in enumerate(parts):
            form = forms.get(part, r"\d{2}" if self._touches_digits(i) else r"\d{1,2}")
            pattern += f"(?P<{part}>{form}){re.escape(texts[i + 1])}"
        return re.compile(pattern, re.ASCII)

    @property
    def _pieces(self) -> tuple[list[str], list[str]]:
        """The texts around the parts, and which part each is, however it is spelt."""
        pieces = _PART.split(self.form)
        return pieces[::2], [_plain(part) for part in pieces[1::2]]

    @cached_property
    def per_day(self) -> int:
        """How many moments of a day it tells apart: 1, 1,440 or 86,400."""
        parts = self._pieces[1]
        return _SECONDS if "S" in parts else _SECONDS // 60 if "M" in parts else 1

    def _touches_digits(self, i: int) -> bool:
        """Whether only the number of its digits tells where the i-th part begins or ends."""
        texts, parts = self._pieces
        before = texts[i] or ("0" if {*parts[:i][-1:]} - {"b", "p"} else "")
        after = texts[i + 1] or ("0" if {*parts[i + 1 :][:1]} - {"b", "p", "z"} else "")
        return before[-1:].isdigit() or after[:1].isdigit()

    def day_of(self, text: str) -> float | None:
        """The day that a text is, with the fraction of it that is over; None if it is none."""
        found = self._pattern.fullmatch(text.strip())
        if not found:
            return None
        parts = found.groupdict()
        try:
            year = int(parts["Y"]) if "Y" in parts else _with_century(int(parts["y"]))
            month = _MONTH_OF[parts["b"].lower()] if "b" in parts else int(parts["m"])
            day = date(year, month, int(parts["d"])).toordinal()
            at = time(_hour_of(parts), int(parts.get("M", 0)), int(parts.get("S", 0)))
            ahead = _minutes(self.offset) - _minutes(parts["z"]) if "z" in parts else 0
        except (ValueError, KeyError):
            return None
        seconds = at.hour * 3600 + (at.minute + ahead) * 60 + at.second
        moment = day * self.per_day + seconds * self.per_day // _SECONDS
        is_of_calendar = 1 <= moment // self.per_day <= date.max.toordinal()
        return moment / self.per_day if is_of_calendar else None

    def text(self, day: float) -> str:
        """How a day, or a moment of it, is written."""
        whole, over = divmod(round(day * self.per_day), self.per_day)
        when, minutes = date.fromordinal(whole), over * _SECONDS // self.per_day // 60
        name, hour = MONTHS[when.month - 1], minutes // 60
        half = "PM" if hour >= 12 else "AM"
        written = {
            "Y": f"{when.year:04d}",
            "y": f"{when.year % 100:02d}",
            "m": f"{when.month:02d}",
            "d": f"{when.day:02d}",
            "-m": f"{when.month}",
            "-d": f"{when.day}",
            "B": name,
            "b": name[:3],
            "H": f"{hour:02d}",
            "-H": f"{hour}",
            "I": f"{(hour - 1) % 12 + 1:02d}",
            "-I": f"{(hour - 1) % 12 + 1}",
            "M": f"{minutes % 60:02d}",
            "S": f"{over % 60:02d}",
            "p": half,
            "P": half.lower(),
            "z": self.offset,
        }
        written |= {"^B": name.upper(), "^b": name[:3].upper()}
        return _PART.sub(lambda part: written[part[1]], self.form)

    def spelt_like(self, rows: Mapping[str, int]) -> DayFormat:
        """The spelling and the offset of this format that most rows have; `rows` counts those of each text.

        Where no text tells whether days have a zero before one digit, they have one if months do.

        >>> str(DayFormat("%d %b %Y").spelt_like({"5 MAY 2024": 2, "12 JUN 2024": 1}))
        '%-d %^b %Y'
        """
        if offsets := self.offsets(rows):
            return replace(self, offset=max(offsets, key=lambda one: (offsets[one], one)))._spelt_like(rows)
        return self._spelt_like(rows)

    def offsets(self, rows: Mapping[str, int]) -> Counter[str]:
        """How many rows have each offset from UTC, as it is written; nothing where the format has none.

        >>> DayFormat("%Y-%m-%d %H:%M%z").offsets({"2024-03-01 10:00+01:00": 2, "2024-07-01 10:00+02:00": 3})
        Counter({'+02:00': 3, '+01:00': 2})
        """
        found: Counter[str] = Counter()
        if "z" in self._pieces[1]:
            for text, n in rows.items():
                if read := self._pattern.fullmatch(text.strip()):
                    found[read["z"]] += n
        return found

    def _spelt_like(self, rows: Mapping[str, int]) -> DayFormat:
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
            yield replace(self, form="".join(map("".join, zip(texts, [*spelt, ""], strict=True))))

    def __str__(self) -> str:
        return self.form


def day_format(text: str) -> str:
    """A text that is a format of days, as a plan gives it.

    >>> day_format("%d/%m/%y")
    '%d/%m/%y'
    """
    parts = sorted(_plain(part) for part in _PART.findall(text))
    of_day = sorted({"b": "m"}.get(part, part.lower()) for part in parts if part in "dmbyY")
    of_time = "".join(part for part in parts if part not in "dmbyY")
    if of_day != ["d", "m", "y"] or of_time not in _CLOCKS or "%" in _PART.sub("", text):
        raise ValueError(
            "must have a day (%d), a month (%m, or %b for its name) and a year (%Y, or %y for two digits) "
            "once each, such as %d/%m/%Y, and a time (%H:%M, %H:%M:%S, %I:%M %p; %z behind it for its offset "
            f"from UTC) or none, not {text!r}"
        )
    return text


def _plain(part: str) -> str:
    """A part of a format, however it is spelt."""
    return {"B": "b", "P": "p"}.get(part.lstrip("-^"), part.lstrip("-^"))


def _minutes(offset: str) -> int:
    """How far a clock is ahead of UTC."""
    digits = offset.strip(" Z+-").replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(offset)
    return (60 * hours + minutes) * (-1 if "-" in offset else 1)


def _hour_of(parts: Mapping[str, str]) -> int:
    if "I" not in parts:
        return int(parts.get("H", 0))
    hour = int(parts["I"])
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + 12 * (parts["p"].lower() == "pm")


def found_format(rows: Mapping[str, int]) -> DayFormat:
    """The one format that reads every text, `rows` counting those of each; refused if none or several do.

    >>> str(found_format({"3/2/2024": 2, "25/2/2024": 1}))
    '%-d/%-m/%Y'
    """
    fitting = fitting_formats(rows)
    if not fitting:
        raise _unread(rows)
    if len(fitting) > 1:
        differing = [text for text in rows if len({one.day_of(text) for one in fitting}) > 1]
        text = (differing or list(rows))[0]
        short = shortened(text)
        readings = [date.fromordinal(int(one.day_of(text) or 1)) for one in fitting]
        raise OntomaskError(
            f"{' and '.join(map(str, fitting))} read all of its dates, such as {short!r}",
            value=short,
            details=tuple(f"{one} reads it as {day}" for one, day in zip(fitting, readings, strict=True)),
            remedy=f'say which is meant: `format: "{fitting[0]}"`, or `format: "{fitting[1]}"`',
        )
    return fitting[0].spelt_like(rows)


def fitting_formats(texts: Iterable[str]) -> list[DayFormat]:
    """The formats that read every text: of days, or else of days with a time.

    >>> [str(one) for one in fitting_formats(["03/02/2024", "04/05/2024"])]
    ['%d/%m/%Y', '%m/%d/%Y']
    >>> [str(one) for one in fitting_formats(["2024-02-03 17:45"])]
    ['%Y-%m-%d %H:%M']
    """
    texts = list(texts)
    for found in (_OF_DAYS, _OF_TIMES):
        for text in texts:
            found = [one for one in found if one.day_of(text) is not None]
        if found:
            return found
    return []


def given_format(form: str, rows: Mapping[str, int]) -> DayFormat:
    """The format that a plan gives, in the spelling of the texts; refused if it does not read all of them."""
    given = DayFormat(form)
    if any(given.day_of(text) is None for text in rows):
        raise _unread(rows, given)
    return given.spelt_like(rows)


class Way(NamedTuple):
    """How many rows are written in a format; in any of several, if these read the same texts."""

    formats: tuple[DayFormat, ...]
    rows: int

    def __str__(self) -> str:
        return " or ".join(map(str, self.formats))


def ways_written(rows: Mapping[str, int], first: DayFormat | None = None) -> tuple[list[Way], list[str]]:
    """The formats that a column mixes, most rows first, and the texts that are in none that is known.

    Each text counts for the one that reads most rows that no other has read; `first` is asked before them.

    >>> ways, unread = ways_written({"2024-03-01": 3, "5/13/2024": 2, "x": 1})
    >>> [(str(way), way.rows) for way in ways], unread
    ([('%Y-%m-%d', 3), ('%m/%d/%Y', 2)], ['x'])
    """
    asked = [first] if first else [*_OF_DAYS, *_OF_TIMES, *SHORT_YEARS]
    read = {one: frozenset(text for text in rows if one.day_of(text) is not None) for one in asked}
    left, ways = set(rows), list[Way]()
    while True:
        reads = {one: texts & left for one, texts in read.items()}
        best = max(reads.values(), key=lambda texts: (sum(rows[text] for text in texts), len(texts)))
        if not best:
            break
        alike = tuple(one for one in reads if reads[one] == best)
        ways.append(Way(alike, sum(rows[text] for text in best)))
        left -= best
    unread = [text for text in rows if text in left]
    if first and unread:
        others, unread = ways_written({text: rows[text] for text in unread})
        ways += others
    return ways, unread


def ways_told(ways: Sequence[Way]) -> str:
    """In how many ways dates are written, and by how many rows."""
    n = _NUMBERS.get(len(ways), str(len(ways)))
    told = ", ".join(f"{way.rows:,}{' rows' if way is ways[0] else ''} as {way}" for way in ways)
    return f"in {n} ways: {told}"


def _unread(rows: Mapping[str, int], given: DayFormat | None = None) -> OntomaskError:
    """What to raise where the format that is given, or every one, leaves some texts unread.

    Tables are put together from several: the formats that the rows are in are named.
    """
    ways, unread = ways_written(rows, given)
    if len(ways) > 1:
        others = [text for text in rows if all(one.day_of(text) is None for one in ways[0].formats)]
        short = shortened((unread or others)[0])
        n = sum(rows[text] for text in unread)
        rest = f", {n:,} as none that is known" if unread else ""
        return OntomaskError(
            f"its dates are written {ways_told(ways)}{rest}, such as {short!r}",
            value=short,
            remedy=f"spell them alike, such as {ways[0].formats[0]}: no format is guessed row by row",
        )
    text = (unread or [*rows])[0]
    short = shortened(text)
    if _WITHOUT_DATE.fullmatch(text.strip()):
        advice = "a time of day alone is not one: make it `kind: numeric`, as hours or minutes"
    elif _WITHOUT_DAY.fullmatch(text.strip()):
        advice = "a date has a day: make years `kind: numeric`, and months `kind: ordinal`"
    else:
        known = [] if unread else [str(one) for one in ways[0].formats]
        forms = " or ".join(f'`format: "{one}"`' for one in known or ("%d/%m/%Y", "%d/%m/%Y %H:%M"))
        advice = f"say how days are written, such as {forms}"
    as_given = f" as {given} writes it" if given else ""
    return OntomaskError(
        f"{short!r} is not a date{as_given}", value=short, remedy=f"{advice}; or add it to `na_values`"
    )


def _with_century(year: int) -> int:
    """Of two digits, as POSIX has it: 69 to 99 are of the last century."""
    return year + (1900 if year >= 69 else 2000)


SHORT_YEARS = [DayFormat(form) for form in SHORT_FORMS]
_OF_DAYS = [DayFormat(form) for form in FORMS]
_OF_TIMES = [DayFormat(form + clock) for form in FORMS if "00:00" not in form for clock in TIMES]
_MONTH_OF = {name.lower()[:n]: i for i, name in enumerate(MONTHS, start=1) for n in (3, len(name))}


# ---------------------------------------------------------------------- units


def unit_name(first: int, last: int) -> str:
    """What a unit is called: `2024-03-18`, `2024-W12`, `2024-03`, `2024-Q1`, `2024`, `2020s`, `1984-2003`.

    >>> march = date(2024, 3, 1).toordinal(), date(2024, 3, 31).toordinal()
    >>> unit_name(*march)
    '2024-03'
    """
    start = date.fromordinal(first)
    if first == last:
        return start.isoformat()
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


def day_told(number: float) -> str:
    """The day of a number, such as a mean of days, whatever its time.

    >>> day_told(date(2024, 3, 18).toordinal() + 0.75)
    '2024-03-18'
    """
    return date.fromordinal(int(number)).isoformat()


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
        if day := found["day"]:
            only = date(year, int(found["month"]), int(day)).toordinal()
            return only, only
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
    """The first and the last day of the month, quarter, year or decade of a day, or the day itself."""
    if unit == "day":
        return day, day
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
