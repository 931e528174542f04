"""Where the values of a column lie in an ontology, by the column's name or by what most values share.

The name is read as a domain (`domains`) or as a word of the ontology itself, and must fit: below it at least
some of the values have a sense. Else the lowest narrow concept that has a sense of most values stands in.
What a value means is not decided here; `senses` and `scores` ask how near a sense lies.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int32
from ontomask.linking.domains import DOMAINS, Domain, SynonymList
from ontomask.linking.nearly import Nearly
from ontomask.linking.normalise import plain, spellings_of
from ontomask.linking.nouns import word_set
from ontomask.ontology.core import Ontology, derived

FAR = 3
"""The distance of a sense that lies outside of everything the column's name stands for."""
Source = Literal["name", "values", "nothing"]
Tiers = npt.NDArray[np.int8]

_FITS = 0.3  # share of the values that must have a sense where the name points
_WORD_FITS = 0.6  # ... if the name is a word of the ontology
_MOST = 0.6  # ... and where the values themselves point, if the name says nothing
_FEWEST = 4  # values that can point anywhere
_BROADEST = 0.13  # share of the ontology: `object` says nothing, `person` (12.5 %) does
_MOST_ASKED = 2_000
_DETAILS = word_set(
    "desc description text txt name names label labels code codes cd type value values main primary "
    "secondary first second of the in at a patient patients pt person client own current former last "
    "previous new old your my is group cat category list status free 1st 2nd english en de es fr"
)
_OF = frozenset(("of", "de", "del", "du", "di", "da", "der", "van"))
_NAMED_PERSON = re.compile(r"\(\d{3,4}\b|\(born|\bborn in\b|\(circa")


@dataclass(frozen=True, eq=False)
class Anchor:
    """How near every concept lies to what a column is about: 0 to `FAR`.

    `source` says what that was told by; `synonyms` which list of abbreviations belongs to it; `of_places`,
    whether the values are places.
    """

    ontology: Ontology
    tier_of_concept: Tiers
    source: Source = "nothing"
    synonyms: SynonymList | None = None
    of_places: bool = False

    def tiers(self, concepts: Int32) -> Tiers:
        """The distance of each concept."""
        return self.tier_of_concept[concepts]

    @cached_property
    def breadth(self) -> Float64:
        """Share of the ontology that lies at most so far: how likely a sense lies there by chance."""
        counts = np.bincount(self.tier_of_concept, minlength=FAR + 1)
        return np.cumsum(counts) / len(self.ontology)

    @cached_property
    def terms_inside(self) -> list[int]:
        """Terms with a sense at distance 0 or 1."""
        senses = self.ontology.senses
        inside = self.tier_of_concept[senses.values] <= 1
        terms: list[int] = np.unique(senses.row_of_value[inside]).tolist()
        return terms

    @cached_property
    def nearly(self) -> Nearly:
        """These terms by nearly their spelling."""
        return Nearly([plain(self.ontology.terms[t]) for t in self.terms_inside])


def words_of_name(name: str) -> list[str]:
    """The telling words of a column's name, folded.

    >>> words_of_name("Country_of_Birth"), words_of_name("procDesc2"), words_of_name("Profesión")
    (['country', 'birth'], ['proc'], ['profesion'])
    """
    return [word for word in _folded(name) if word not in _DETAILS and not word.isdigit()]


def domains_of_name(name: str) -> list[Domain]:
    """The domains that a column's name may stand for, those of more of its words first.

    >>> [domain.synonyms for domain in domains_of_name("dx_main")]
    ['medical']
    """
    every = _folded(name)
    before = next((every[:i] for i, word in enumerate(every) if i and word in _OF), [])
    for words in (before, every):  # the place of a hobby is a place
        telling = [word for word in words if word not in _DETAILS and not word.isdigit()]
        joined = ["".join(every), "".join(telling), *map("".join, pairwise(words)), *telling]
        found = [domain for term in joined for domain in DOMAINS if term in domain.names]
        if found:
            return list(dict.fromkeys(found))
    return []


def anchor_of(ontology: Ontology, column: str | None, candidates: Sequence[Int32]) -> Anchor:
    """Where the values of a column lie; `candidates` are the senses of those that are known."""
    domains = domains_of_name(column) if column else []
    # A code system has no place for a domain, but the words of one all the same.
    spoken = None if ontology.named_senses else next((one.synonyms for one in domains if one.synonyms), None)
    known = [senses for senses in candidates if len(senses)][:_MOST_ASKED]
    flat = np.concatenate([*known, np.zeros(0, np.int32)]).astype(np.int32)
    owner = np.repeat(np.arange(len(known)), [len(senses) for senses in known])

    def fit(tiers: Tiers) -> float:
        """Share of the values with a sense at distance 0, and a little for those near."""
        best = np.full(len(known), FAR, np.int8)
        np.minimum.at(best, owner, tiers[flat])
        return float(((best == 0) + 0.3 * (best == 1)).mean()) if len(known) else 0.0

    named = [
        (tiers, one) for one in domains if (tiers := _domain_tiers(ontology, DOMAINS.index(one))) is not None
    ]
    if named:
        fits = [fit(tiers) for tiers, _ in named]
        tiers, domain = named[int(np.argmax(fits))]
        if max(fits) >= _FITS or len(known) < _FEWEST:  # a few values cannot belie a name
            return Anchor(ontology, tiers, "name", domain.synonyms, domain.of_places)
    elif column:
        by_word = max(_word_tiers(ontology, column, known), key=fit, default=None)
        if by_word is not None and fit(by_word) >= _WORD_FITS:
            return Anchor(ontology, by_word, "name", spoken)
    top = _shared_top(ontology, known)
    if top is not None:
        return Anchor(ontology, _below(ontology, top), "values", spoken)
    return Anchor(ontology, _people_apart(ontology), "nothing", spoken)


@derived
def _people_apart(ontology: Ontology) -> Tiers:
    """0 but for single people of history: no table of people means the *Cook* who sailed round the world."""
    tiers = np.zeros(len(ontology), np.int8)
    if ontology.named_senses and ontology.glosses and len(ontology.senses_of("person")):
        people = np.flatnonzero(ontology.is_below(np.arange(len(ontology)), ontology.concept("person")))
        tiers[[c for c in people.tolist() if _NAMED_PERSON.search(ontology.gloss(c))]] = FAR
    return tiers


@derived
def _domain_tiers(ontology: Ontology, number: int) -> Tiers | None:
    """The distance of every concept from a domain; None if the ontology does not have its concepts."""
    if not ontology.named_senses:
        return None
    domain = DOMAINS[number]
    tiers = np.full(len(ontology), FAR, np.int8)
    for tier, tops in reversed(list(enumerate(domain.tops))):
        found = [c for top in tops if (c := _concept(ontology, top)) is not None]
        tiers[_are_below(ontology, found)] = tier
    if not domain.of_names:
        tiers = np.maximum(tiers, _people_apart(ontology))
    return tiers if (tiers == 0).any() else None


def _word_tiers(ontology: Ontology, name: str, known: Sequence[Int32]) -> Iterator[Tiers]:
    """For every word of a name, and every sense that it has in the ontology: what lies below."""
    for word in reversed(words_of_name(name)):
        senses = ontology.senses_of(word)
        if not len(senses) and len(word) > 3:
            _, terms = spellings_of(ontology).terms(word)
            senses = np.array([c for t in terms for c in ontology.senses[t].tolist()], np.int32)
        for sense in senses.tolist():
            if len(known) < ontology.descendant_counts[sense]:
                yield _below(ontology, sense)


def _below(ontology: Ontology, top: int) -> Tiers:
    """0 at and below a concept, 1 below one right above it, else far."""
    tiers = np.full(len(ontology), FAR, np.int8)
    wide = [p for p in ontology.parents[top].tolist() if _is_narrow(ontology, p)]
    tiers[_are_below(ontology, wide)] = 1
    tiers[_are_below(ontology, [top])] = 0
    return np.maximum(tiers, _people_apart(ontology))


def _is_narrow(ontology: Ontology, concept: int) -> bool:
    return bool(ontology.descendant_counts[concept] <= _BROADEST * len(ontology))


def _shared_top(ontology: Ontology, known: Sequence[Int32]) -> int | None:
    """The lowest narrow concept that has a sense of most values at or below it."""
    if len(known) < _FEWEST or not ontology.named_senses:
        return None
    above = [np.unique(ontology.ancestors.take(senses).values) for senses in known]
    times = np.bincount(np.concatenate(above), minlength=len(ontology))
    narrow = ontology.descendant_counts <= _BROADEST * len(ontology)
    tops = np.flatnonzero((times >= _MOST * len(known)) & narrow)
    return int(tops[np.argmax(ontology.depth_rank[tops])]) if len(tops) else None


def _are_below(ontology: Ontology, tops: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Whether each concept is one of `tops` or lies below one."""
    closure = ontology.ancestors
    hit = np.zeros(len(ontology), np.bool_)
    hit[closure.row_of_value[np.isin(closure.values, tops)]] = True
    return hit


def _concept(ontology: Ontology, reference: str) -> int | None:
    term, _, number = reference.rpartition(".n.")
    senses = ontology.senses_of(term.replace("_", " "))
    return int(senses[int(number) - 1]) if len(senses) >= int(number) else None


def _folded(name: str) -> list[str]:
    """The words of a name: lower case, no accents, digits apart."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", bare)
    return [word.casefold() for word in words]
