"""The one family of errors that a user can cause and mend.

An error carries its faults as data: file, line, column, value, key of the plan, and what to do about it. The
command line prints them without a traceback, a page could show them beside the field. Anything else that
escapes is a bug: an `InternalError` where the house noticed it itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Self


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes
    ----------
    text
        What is wrong, in words; it names the value at fault.
    file, line
        Where it stands; line 0 is not known.
    column, value
        The column of a table and the value in it.
    key
        The key of a plan, such as `privacy.k`.
    remedy
        What to do about it.

    >>> print(Fault("'4o' is not a number", file="people.csv", column="age", value="4o", remedy="mend it"))
    people.csv: column 'age': '4o' is not a number; mend it
    """

    text: str
    file: str = ""
    line: int = 0
    column: str = ""
    value: str | None = None
    key: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.file, f"line {self.line}" if self.line else "") if part)
        column = f"column {self.column!r}" if self.column else ""
        said = ": ".join(part for part in (place, self.key, column, self.text) if part)
        return f"{said}; {self.remedy}" if self.remedy else said


class OntomaskError(Exception):
    """Something the user can put right.

    Raise it with words and the fields of a `Fault`, or with several faults at once.

    >>> error = OntomaskError("has no value at all", column="age", remedy="drop it")
    >>> str(error), error.faults[0].column
    ("column 'age': has no value at all; drop it", 'age')
    """

    def __init__(self, *faults: str | Fault, **fields: Any) -> None:
        self.faults: tuple[Fault, ...] = tuple(
            Fault(one, **fields) if isinstance(one, str) else replace(one, **fields) for one in faults
        )
        super().__init__("\n".join(map(str, self.faults)))

    def at(self, **fields: Any) -> Self:
        """The same error with a place that its raiser did not know.

        >>> str(OntomaskError("there is no concept 'dgo'").at(column="pet"))
        "column 'pet': there is no concept 'dgo'"
        """
        return type(self)(*(replace(fault, **fields) for fault in self.faults))


class OntologyError(OntomaskError):
    """An ontology file is damaged, of an unknown kind, or lacks what was asked of it."""


class UnknownTermError(OntologyError):
    """A term, sense or id that the ontology does not have."""


class MeasureError(OntomaskError):
    """A measure that does not exist, or that this ontology cannot support."""


class LinkingError(OntomaskError):
    """A value that cannot be mapped to a concept, or a damaged mapping."""


class TableError(OntomaskError):
    """A table that cannot be read, lacks a column, or cannot be written."""


class PlanError(OntomaskError):
    """A plan with an unknown key, a wrong type, an impossible value, or a column that is not there."""


class NothingLeftError(OntomaskError):
    """A method that would release no row at all."""


class InternalError(Exception):
    """A fault of the program, noticed before anything was written."""


def did_you_mean(text: object, known: Iterable[str], otherwise: Sequence[str] = (), most: int = 1) -> str:
    """`; did you mean 'role'?`, whatever the case; failing that, the first few of `otherwise`.

    >>> did_you_mean("Rol", ["role", "kind"])
    "; did you mean 'role'?"
    """
    by_folded = {name.casefold().strip(): name for name in known}
    near = get_close_matches(str(text).casefold().strip(), by_folded, n=most)
    if near:
        return f"; did you mean {' or '.join(repr(by_folded[one]) for one in near)}?"
    if otherwise:
        return f"; it has {', '.join(otherwise[:12])}{', ...' if len(otherwise) > 12 else ''}"
    return ""
