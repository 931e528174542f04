"""YAML written by hand, because a drafted plan lives by its comments and no emitter keeps them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./ -]*[A-Za-z0-9_]|[A-Za-z]")
_RESERVED = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
WIDTH = 108


def scalar(text: str) -> str:
    """A text as a scalar, quoted if it could be read as anything else.

    >>> print(scalar("native-country"), scalar("no"), scalar("a: b"))
    native-country "no" "a: b"
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    # YAML takes JSON's escapes, but wants what it calls unprintable escaped as well.
    return json.dumps(text, ensure_ascii=not text.isprintable())


def flow(value: Any) -> str:
    """A mapping, sequence or scalar on one line.

    >>> print(flow({"role": "identifier", "order": ["<18", "18+"]}))
    {role: identifier, order: ["<18", "18+"]}
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value) if isinstance(value, str) else json.dumps(value)


def comment(text: str) -> str:
    """A text that is safe inside a comment: one line, nothing unprintable, not endless."""
    return textwrap.shorten("".join(c if c.isprintable() else " " for c in text), 60, placeholder="...")


def wrapped(sentence: str, prefix: str) -> list[str]:
    """A sentence as comment lines."""
    return textwrap.wrap(
        sentence,
        WIDTH,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )
