"""What a page is: what it shows, what can be done on it, and how much of it is still to be decided."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from starlette.datastructures import QueryParams

from ontomask.errors import Fault
from ontomask.web.work import PlanText, Work


class Form:
    """What a form sent: names and values, a name perhaps several times."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._pairs = pairs

    def __getitem__(self, name: str) -> str:
        """The last value of a name; an empty text if it was not sent."""
        return dict(self._pairs).get(name, "")

    def one_of(self, name: str, known: Iterable[str]) -> str | None:
        """The one of some texts that was sent; browsers end every line of a text as no file may end it.

        >>> Form([("column", "date\\r\\nof birth")]).one_of("column", ["name", "date\\nof birth"])
        'date\\nof birth'
        """
        sent = self[name].splitlines()
        return next((text for text in known if text.splitlines() == sent), None)

    def all(self, name: str) -> list[str]:
        """Every value of a name."""
        return [value for key, value in self._pairs if key == name]


@dataclass(frozen=True)
class Again:
    """What was sent has faults: the page once more, with what was sent still on it."""

    shown: Mapping[str, Any]
    faults: tuple[Fault, ...] = ()


Show = Callable[[Work, PlanText, QueryParams], dict[str, Any]]
"""What the template of a page is given beside what all are given (`app.py`)."""
Action = Callable[[Work, Form], "str | Again"]
"""Changes something, and gives the address of the page to go to."""


@dataclass(frozen=True)
class Page:
    """A page at `/name`, with a template of that name; an action stands at `/name/action`."""

    name: str
    title: str
    show: Show
    actions: Mapping[str, Action] = field(default_factory=dict)
    n_open: Callable[[Work, PlanText], int] = lambda work, plan: 0
    """How many things are to be decided on it, as far as that is known without waiting."""


@lru_cache(1 << 16)
def short_name(value: str) -> str:
    """What stands for a value in addresses, which browsers keep, and which must be short.

    >>> short_name("nurse")
    '0ec2a851ecacbbf2'
    """
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
