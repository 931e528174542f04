"""Names and texts as SQL has them, where Ibis has no words for a statement."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name.

    >>> quoted('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"
