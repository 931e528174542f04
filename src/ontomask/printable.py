"""Text that may be shown: what steers a terminal or a browser instead of being read is written as an escape.

Names and values come from files of others, so they may hold anything. It knows nothing of where a text goes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_STEERING = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # controls, among them escape, bell and return
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029"  # ends of lines
    "\ud800-\udfff"  # halves of characters, as of file names that are not UTF-8
)
_IN_A_LINE = re.compile(f"[\n{_STEERING}]")
_IN_LINES = re.compile(f"[{_STEERING}]")


def one_line(text: str) -> str:
    r"""A text as one line that only shows.

    >>> print(one_line("\x1b[31mred\nontomask: all is well"))
    \x1b[31mred\nontomask: all is well
    """
    return _IN_A_LINE.sub(_escaped, text)


def many_lines(text: str) -> str:
    r"""A text of several lines, none of which does more than show.

    >>> print(many_lines("abc\u202e\ndef"))
    abc\u202e
    def
    """
    return _IN_LINES.sub(_escaped, text)


def shortened(text: str, most: int = 60) -> str:
    """A text for a line of a message or a terminal.

    >>> shortened("once upon a time", 10)
    'once up...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def some_of(names: Sequence[str], most: int = 30, of: int | None = None) -> str:
    """The first of some names, and how many more there are; `of` all of which the first ones are given.

    >>> some_of(["a", "b", "c"], 2), some_of(["a", "b"], 2, of=9)
    ('a, b and 1 more', 'a, b and 7 more')
    """
    n = len(names) if of is None else of
    more = f" and {n - most:,} more" if n > most else ""
    return ", ".join(names[:most]) + more


def people(n: int) -> str:
    """`1 person`, `12 people`."""
    return "1 person" if n == 1 else f"{n:,} people"


def rows(n: int) -> str:
    """`1 row`, `12 rows`."""
    return "1 row" if n == 1 else f"{n:,} rows"


def were(n: int) -> str:
    """`1 person was`, `12 people were`."""
    return f"{people(n)} {'was' if n == 1 else 'were'}"


def safe_json(text: str) -> str:
    r"""JSON with the same meaning that only shows.

    >>> print(safe_json('{"name": "a\x9bb"}'))
    {"name": "a\u009bb"}
    """
    return _IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
