"""Concepts by a word that a person types: what is called that, what has it in its name, what is like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import NamedTuple

from ontomask.linking.nearly import Nearly
from ontomask.linking.normalise import plain, spellings_of
from ontomask.linking.suggest import plain_terms
from ontomask.ontology.core import SENSE_NAME, Ontology, derived

_SHORTEST_PART = 3  # letters: *in* is an inch


class Found(NamedTuple):
    """Concepts that were searched for, those apart that are only like what was typed."""

    called: list[int]
    spelt_alike: list[int]
    of_parts: list[int]

    @property
    def concepts(self) -> list[int]:
        """All of them, best first."""
        return [*self.called, *self.spelt_alike, *self.of_parts]


def search(text: str, ontology: Ontology, most: int = 9) -> Found:
    """Up to `most` concepts for a text.

    Those that it names (an id, a sense name, a term, perhaps in another form), those with a term that begins
    with it, and those that have it in a term, short terms first. If it names none, those with a term in which
    a letter or two differ; if nothing has it in a term either, those that its words name, each word in turn.

    >>> from ontomask import load_ontology
    >>> wn = load_ontology("wordnet")
    >>> [wn.key(concept) for concept in search("midwife", wn).called[:3]]
    ['midwife.n.01', 'obstetrics.n.01', 'midwifery.n.02']
    >>> [wn.key(concept) for concept in search("midwive", wn).spelt_alike]
    ['midwife.n.01']
    >>> [wn.key(concept) for concept in search("reading books", wn).of_parts[:2]]
    ['reading.n.01', 'book.n.01']
    """
    typed = " ".join(text.split())
    if not typed:
        return Found([], [], [])
    called = list(dict.fromkeys(named(typed, ontology))) or _in_any_form(plain(typed), ontology)
    alike = [] if called else _spelt_alike(plain(typed), ontology)[:most]
    if len(called) < most:
        called = list(dict.fromkeys([*called, *_having(typed.casefold(), ontology, most)]))
    alike = [concept for concept in alike if concept not in called]
    called = called[: most - len(alike)]
    of_parts = [] if called else [one for one in _of_parts(plain(typed), ontology) if one not in alike]
    return Found(called, alike, of_parts[: most - len(alike)])


def named(text: str, ontology: Ontology) -> Iterator[int]:
    """What is called so exactly; `Ontology.candidates` would look for similar words, which takes long."""
    if ontology.has_id(text):
        yield ontology.concept(text)
    yield from ontology.senses_of(text).tolist()
    if name := SENSE_NAME.match(text):
        senses = ontology.senses_of(name["term"].replace("_", " ")).tolist()
        yield from senses[max(int(name["number"]), 1) - 1 : int(name["number"])]


def prepare_search(ontology: Ontology) -> None:
    """Work out beforehand what the first search would have to, which takes longer than a search."""
    _folded_terms(ontology), _nearly(ontology), spellings_of(ontology)


def _in_any_form(text: str, ontology: Ontology) -> list[int]:
    """What has that name in another form: *books* is *book*."""
    _, terms = spellings_of(ontology).terms(text)
    return _senses(terms, ontology)


def _spelt_alike(text: str, ontology: Ontology) -> list[int]:
    _, terms = _nearly(ontology).misspelt(text)
    return _senses(terms, ontology)


def _having(folded: str, ontology: Ontology, most: int) -> list[int]:
    """What has a text in its name, names that begin with it first, then short ones."""
    terms = enumerate(_folded_terms(ontology))
    having = [(not term.startswith(folded), len(term), at) for at, term in terms if folded in term]
    return _senses([at for _, _, at in sorted(having)[: 10 * most]], ontology)


def _of_parts(text: str, ontology: Ontology) -> list[int]:
    """The first meaning of each word, then the second of each."""
    each = [_in_any_form(part, ontology) for part in text.split() if len(part) >= _SHORTEST_PART]
    return list(dict.fromkeys(one for one in chain(*zip_longest(*each)) if one is not None))


def _senses(terms: Iterable[int], ontology: Ontology) -> list[int]:
    return list(dict.fromkeys(concept for term in terms for concept in ontology.senses[term].tolist()))


@derived
def _folded_terms(ontology: Ontology) -> list[str]:
    return [term.casefold() for term in ontology.terms]


@derived
def _nearly(ontology: Ontology) -> Nearly:
    return Nearly(plain_terms(ontology))
