"""How often two terms stand in the same texts, and what that says of them (Loh 2012, section 3.3).

One interface, whatever the counts come from: a collection on this disk, a table of counts, a search engine.
It knows no table of people and no plan.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ontomask.errors import OntomaskError, did_you_mean
from ontomask.literature.filters import FILTERS

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True)
class Counts:
    """Of `total` texts, `a` have the one term, `b` the other, `both` have both."""

    a: int
    b: int
    both: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.both <= min(self.a, self.b) or max(self.a, self.b) > self.total:
            raise OntomaskError(
                f"counts that cannot be: {self.a:,} and {self.b:,} of {self.total:,} texts have the terms, "
                f"{self.both:,} have both"
            )


def mim(counts: Counts) -> float:
    """Mutual information measure of two terms::

        MIM(A, B) = P_AB / (P_A P_B)        P = texts with the term / all texts

    1 where they are independent, more where they occur together more often than that; 0 where they never do,
    so also where one of them never occurs. Loh 2012, equation 3.3.4.

    >>> mim(Counts(a=20, b=10, both=4, total=100))
    2.0
    >>> mim(Counts(a=20, b=0, both=0, total=100))
    0.0
    """
    return counts.both * counts.total / (counts.a * counts.b) if counts.both else 0.0


class Literature(ABC):
    """Something that knows how often terms occur."""

    @abstractmethod
    def counts(self, a: str, b: str, filter: str | None = None) -> Counts:
        """Texts with the term a, with b, with both, and all texts; only those that pass the filter count."""


class SearchedTexts(Literature):
    """Texts that can be searched; what was counted once is remembered."""

    def __init__(self) -> None:
        self._found: dict[tuple[tuple[str, ...], str | None], int] = {}

    def counts(self, a: str, b: str, filter: str | None = None) -> Counts:
        check_filter(filter)
        wanted: list[Sequence[str]] = [(a,), (b,), (a, b), ()]
        return Counts(*(self._remembered(tuple(terms), filter) for terms in wanted))

    def _remembered(self, terms: tuple[str, ...], filter: str | None) -> int:
        if (terms, filter) not in self._found:
            self._found[terms, filter] = self.found(terms, filter)
        return self._found[terms, filter]

    @abstractmethod
    def found(self, terms: Sequence[str], filter: str | None) -> int:
        """How many texts have all of these terms and pass the filter."""


def phrases_of(term: str) -> list[str]:
    """The wordings of a term, any of which will do; words with one space between them.

    >>> phrases_of("heart_disease | Cardiac  disease")
    ['heart disease', 'Cardiac disease']
    """
    normal = unicodedata.normalize("NFC", term)
    wordings = [" ".join(_WORD.findall(wording)) for wording in normal.split("|")]
    if not all(wordings):
        raise OntomaskError(
            f"the term {term!r} has no word to search for",
            value=term,
            is_public=True,
            remedy="write words, with | between wordings of which any will do",
        )
    return wordings


def check_filter(filter: str | None) -> None:
    """Raise if there is no such filter."""
    if filter is not None and filter not in FILTERS:
        hint = did_you_mean(filter, FILTERS)
        raise OntomaskError(
            f"there is no filter {filter!r}{hint}",
            value=filter,
            is_public=True,
            remedy=f"use one of {', '.join(FILTERS)}",
        )


def counts_of(
    terms: Mapping[str, str], target: str, literature: Literature, filter: str | None = None
) -> dict[str, Counts]:
    """Per attribute how often its term occurs beside the term of the target."""
    return {name: literature.counts(term, target, filter) for name, term in terms.items()}


def mim_of(
    terms: Mapping[str, str], target: str, literature: Literature, filter: str | None = None
) -> dict[str, float]:
    """MIM of each attribute's term with the term of the target, as the method `top-down` takes it.

    >>> from ontomask.literature import CountTable
    >>> known = CountTable({("age", "angina"): Counts(50, 20, 15, 100)})
    >>> mim_of({"age_years": "age"}, "angina", known)
    {'age_years': 1.5}
    """
    return {name: mim(found) for name, found in counts_of(terms, target, literature, filter).items()}
