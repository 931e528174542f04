"""The one family of errors that a user can cause and mend.

An error carries its faults as data: file, line, column, value, key of the plan, and what to do about it. The
command line prints them without a traceback, a page could show them beside the field. `str(error)` quotes
values of the table, for it is read in the session of whoever has the table; `error.without_values()` is for
logs and other eyes. Anything else that escapes is a bug: an `InternalError` where the house noticed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Self

HIDDEN = "(value not shown)"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes
    ----------
    text
        What is wrong, in words; it names the value at fault as `repr(value)`, in no other way.
    file, line
        Where it stands; line 0 is not known.
    column, value
        The column of a table and the value in it.
    key
        The key of a plan, such as `privacy.k`.
    remedy
        What to do about it.
    details
        Lines that quote more of the table, or what another library says of it.
    is_public
        Whether anybody may see the value: it was typed, or is a name of something, not a cell of a table.

    >>> fault = Fault("'4o' is not a number", file="people.csv", column="age", value="4o", remedy="mend it")
    >>> print(fault)
    people.csv: column 'age': '4o' is not a number; mend it
    >>> print(fault.without_values())
    people.csv: column 'age': (value not shown) is not a number; mend it
    """

    text: str
    file: str = ""
    line: int = 0
    column: str = ""
    value: str | None = None
    key: str = ""
    remedy: str = ""
    details: tuple[str, ...] = ()
    is_public: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """What is said of it: one line, unless there are details."""
        place = ", ".join(part for part in (self.file, f"line {self.line}" if self.line else "") if part)
        column = f"column {self.column!r}" if self.column else ""
        said = ": ".join(part for part in (place, self.key, column, self.text) if part)
        if self.details:
            return [f"{said}:", *(f"  {line}" for line in self.details), *filter(None, [self.remedy])]
        return [f"{said}; {self.remedy}" if self.remedy else said]

    def without_values(self) -> Fault:
        """The same fault without what stands in cells of the table."""
        if self.value is None or self.is_public:
            return replace(self, details=())
        quoted = repr(self.value)
        return replace(
            self,
            text=self.text.replace(quoted, HIDDEN),
            remedy=self.remedy.replace(quoted, HIDDEN),
            value=None,
            details=(),
        )


class OntomaskError(Exception):
    """Something the user can put right.

    Raise it with words and the fields of a `Fault`, or with several faults at once.

    >>> error = OntomaskError("has no value at all", column="age", remedy="drop it")
    >>> str(error), error.faults[0].column
    ("column 'age': has no value at all; drop it", 'age')
    """

    quotes_cells: ClassVar[bool] = True
    """Whether values that are not said to be public may come from a table."""

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

    def without_values(self) -> Self:
        """The same error without what stands in cells of the table, for logs and other eyes."""
        return type(self)(*(fault.without_values() for fault in self.faults)) if self.quotes_cells else self


class OntologyError(OntomaskError):
    """An ontology file is damaged, of an unknown kind, or lacks what was asked of it."""

    quotes_cells = False


class UnknownTermError(OntologyError):
    """A term, sense or id that the ontology does not have."""


class MeasureError(OntomaskError):
    """A measure that does not exist, or that this ontology cannot support."""

    quotes_cells = False


class LinkingError(OntomaskError):
    """A value that cannot be mapped to a concept, or a damaged mapping."""


class TableError(OntomaskError):
    """A table that cannot be read, lacks a column, or cannot be written."""


class PlanError(OntomaskError):
    """A plan with an unknown key, a wrong type, an impossible value, or a column that is not there."""

    quotes_cells = False


class NothingLeftError(OntomaskError):
    """A method that would release no row at all."""


class NotAcceptedError(OntomaskError):
    """Warnings that nobody has accepted, where the plan says which are; each fault has the name as value."""


class InternalError(Exception):
    """A fault of the program, noticed before anything was written."""


class Gathering:
    """What is wrong with several things, each tried by itself, to be told in one message.

    >>> faults = Gathering()
    >>> for text in ("4o", "41", "x"):
    ...     with faults:
    ...         if not text.isdigit():
    ...             raise OntomaskError(f"{text!r} is not a number", value=text)
    >>> faults.raise_any()
    Traceback (most recent call last):
    ontomask.errors.OntomaskError: '4o' is not a number
    'x' is not a number
    """

    def __init__(self) -> None:
        self._errors: list[OntomaskError] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, OntomaskError):
            self._errors.append(error)
            return True
        return False

    def __bool__(self) -> bool:
        return bool(self._errors)

    def raise_any(self, placed: Callable[[Fault], Fault] = lambda fault: fault) -> None:
        """One error with all faults, each where `placed` puts it; of the type that all of them have."""
        if self._errors:
            (kind, *others) = {type(error) for error in self._errors}
            faults = [placed(fault) for error in self._errors for fault in error.faults]
            raise (OntomaskError if others else kind)(*faults)


def said_by(error: BaseException) -> tuple[str, ...]:
    """What a library says of a table, for the `details` of a fault: it may quote cells."""
    return tuple(str(error).splitlines())


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
