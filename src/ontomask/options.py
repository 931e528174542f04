"""What can be set, declared once where it is used: a typed field with its default, its range and its words.

Plans, the command line, reports and the reference page read the declarations and know no option by name. This
module knows neither methods nor plans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """A declared option.

    Attributes
    ----------
    kind
        The type of its values: bool, int, float, str, a Literal of texts, tuple[str, ...], tuple[int, ...],
        or a class of settings. A default of None means that it is left to whoever uses it.
    words
        What it does, for the reference page.
    least, above
        The lowest number allowed, or the number that it must exceed.
    check
        Turns a value of that type into the one to be used; `ValueError` says what is wrong with it.
    values, otherwise
        For the reference page: what may be given, and what holds if nothing is, where type and default do
        not say it.
    is_path
        Whether the text may name a file.
    """

    name: str
    kind: Any
    default: Any
    words: str
    least: int | None = None
    above: float | None = None
    check: Callable[[Any], Any] | None = None
    values: str = ""
    otherwise: str = ""
    is_path: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts that it may be; empty if that is open."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


def option(default: T, words: str, **details: Any) -> T:
    """Declare a field of a dataclass as an option; `details` are fields of `Option`.

    >>> @dataclass
    ... class Tea:
    ...     minutes: int = option(3, "how long it steeps", least=1)
    >>> options_of(Tea)["minutes"].words, Tea().minutes
    ('how long it steeps', 3)
    """
    metadata = {"words": words, **details}
    declared: Any = field(default=default, metadata=metadata)
    if isinstance(default, dict):  # each instance has its own
        declared = field(default_factory=dict, metadata=metadata)
    return cast(T, declared)


def options_of(kind: Any) -> dict[str, Option]:
    """The options that a dataclass declares, by name and in their order."""
    return _options_of(kind)


@cache
def _options_of(kind: Any) -> dict[str, Option]:
    hints = get_type_hints(kind)
    return {
        one.name: Option(
            one.name,
            _without_none(hints[one.name]),
            {} if one.default is MISSING else one.default,
            **one.metadata,
        )
        for one in fields(kind)
        if one.metadata
    }


def _without_none(hint: Any) -> Any:
    """`str` for `str | None`: that nothing was given is not a value."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    (kind,) = (part for part in get_args(hint) if part is not NoneType)
    return kind
