"""Odd texts: what people, spreadsheets and attackers put into cells, names and labels.

Pure data; nothing here knows the product.
"""

from __future__ import annotations

from random import Random

ODD = (
    "=1+1",
    "@SUM(A1)",
    "+49 30",
    "-",
    "--",
    "'quoted'",
    'say "hi"',
    '"',
    "a,b;c|d\te",
    "line\nbreak",
    "e\u0301clair",
    "éclair",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u202eltr",
    "\u2066x\u2069",
    "🙂",
    "👩\u200d⚕️",
    "漢字",
    "ﬁ",
    "İ",
    "ß",
    "SS",
    "\u00a0x",
    " lead",
    "trail ",
    "a  b",
    "null",
    "None",
    "nan",
    "inf",
    "NaN",
    "true",
    "no",
    "1e5",
    "0x1F",
    "007",
    "<b>x</b>",
    "&amp;",
    "[red]x[/]",
    "{{ 7*7 }}",
    "%s%n",
    "${HOME}",
    "\\",
    "\\n",
    "C:\\x",
    "../x",
    "~",
    "#",
    "*",
    "a:b",
    "x=y",
    "a<b",
    "'; DROP TABLE t; --",
    "\ufeffx",
    "\u200b",
    "\u00ad",
    "\ue000",
    "\U0010fffd",
    "x" * 300,
    "(a) (b)",
    "a.b",
)

WORDS = (
    "cat",
    "dog",
    "horse",
    "rose",
    "tulip",
    "oak",
    "bread",
    "cheese",
    "wine",
    "chess",
    "golf",
    "tennis",
    "fishing",
    "nurse",
    "teacher",
    "lawyer",
    "farmer",
    "France",
    "Spain",
    "Italy",
    "cancer",
    "asthma",
    "migraine",
    "diabetes",
)


def odd_text(rng: Random) -> str:
    """One odd text, now and then two in a row."""
    text = rng.choice(ODD)
    return text + rng.choice(ODD) if rng.random() < 0.1 else text


def distinct_texts(rng: Random, n: int, oddness: float) -> list[str]:
    """Some texts, none blank, no two alike even without case and outer spaces."""
    found: dict[str, str] = {}
    while len(found) < n:
        plain = rng.choice(WORDS) if rng.random() < 0.6 else f"w{rng.randrange(1000)}"
        text = odd_text(rng) if rng.random() < oddness else plain
        if text.strip("\ufeff\u200b\u00ad \n\t\u00a0"):
            found.setdefault(text.strip().casefold(), text)
    return list(found.values())
