"""Which concept a value is: matchers in a fixed order, then the choice of a sense.

    mapping -> id or code -> exact term -> normalised term -> head noun        (linked)
    similar spelling, similar meaning                                          (suggested, for a person)

Nothing is dropped: a value that no matcher knows stays in the table with what it might be. A text longer than
any phrase (`LONGEST`) is only looked up as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import numpy as np

from ontomask.arrays import Int32
from ontomask.errors import LinkingError, UnknownTermError
from ontomask.linking.embeddings import similar_meanings
from ontomask.linking.links import Link, Links, read_mapping
from ontomask.linking.normalise import LONGEST, heads, plain, spellings_of
from ontomask.linking.senses import SensePolicy, coherent_senses
from ontomask.linking.suggest import similar_spellings
from ontomask.ontology.core import SENSE_NAME, Ontology

__all__ = ["Link", "Links", "SensePolicy", "link", "read_mapping"]

_NOTHING = np.zeros(0, np.int32)


def link(
    values: Iterable[object],
    ontology: Ontology,
    *,
    mapping: Mapping[str, str] | str | Path | None = None,
    senses: SensePolicy = "coherent",
    under: str | None = None,
    crossmap: Mapping[str, list[str]] | str | Path | None = None,
    suggestions: int = 3,
    embeddings: bool = False,
) -> Links:
    """Map the values of a column to concepts.

    Parameters
    ----------
    values
        The column; each distinct value is linked once.
    mapping
        What the user has decided: a dict, or a CSV `value,concept`. An explicit sense wins over `under`.
    senses
        `coherent` (the sense nearest to the other values), `first` (most frequent) or `explicit`.
    under
        Only senses at or below this concept count: ``person`` for occupations, ``location`` for countries.
    crossmap
        Codes of another system and the codes they stand for here: a dict, or a file for `read_crossmap`.
    suggestions
        How many similar terms to offer for a value that is not found; 0 for none.
    embeddings
        Offer as many of similar meaning besides those of similar spelling (the extra ``embeddings``).

    Examples
    --------
    >>> from ontomask import load_ontology
    >>> links = link(["sports", "fishing"], load_ontology("wordnet"))
    >>> [links.key(link.value) for link in links]
    ['sport.n.01', 'fishing.n.01']
    """
    if senses not in get_args(SensePolicy):
        raise LinkingError(f"sense policy {senses!r} does not exist: use {', '.join(get_args(SensePolicy))}")
    decided = read_mapping(mapping) if isinstance(mapping, (str, Path)) else dict(mapping or {})
    codes = _crossmap(crossmap, ontology)
    allowed = _allowed(ontology, under)
    distinct = list(dict.fromkeys(_as_text(value) for value in values))
    found = [_match(value, ontology, decided, codes, allowed) for value in distinct]

    open_choice = [i for i, (_, concepts, _) in enumerate(found) if len(concepts)]
    if senses == "coherent":
        chosen, sureness = coherent_senses(ontology, [found[i][1] for i in open_choice])
    else:
        chosen, sureness = [0] * len(open_choice), [1.0] * len(open_choice)
    choice = dict(zip(open_choice, zip(chosen, sureness, strict=True), strict=True))

    unknown = [
        value
        for value, (how, _, _) in zip(distinct, found, strict=True)
        if how == "none" and len(value) <= LONGEST
    ]
    similar = _similar(unknown, ontology, suggestions, embeddings, allowed) if suggestions else {}
    rows = []
    for i, (value, (how, concepts, certainty)) in enumerate(zip(distinct, found, strict=True)):
        if i not in choice:
            rows.append(_unlinked(value, how, similar.get(value, [])))
        elif senses == "explicit" and len(concepts) > 1:
            rows.append(Link(value, None, "ambiguous", 0.0, tuple(concepts.tolist())))
        else:
            at, sure = choice[i]
            others = tuple(c for c in concepts.tolist() if c != concepts[at])
            score = certainty if not others else certainty * sure
            rows.append(Link(value, int(concepts[at]), how, float(score), others))
    return Links(ontology, tuple(rows))


def _match(
    value: str,
    ontology: Ontology,
    decided: Mapping[str, str],
    codes: Mapping[str, list[str]],
    allowed: Callable[[Int32], Int32],
) -> tuple[str, Int32, float]:
    """(how, candidate senses, certainty) by the first matcher that finds an allowed sense."""
    if not value.strip() and value not in decided:
        return "missing", _NOTHING, 0.0
    if value in decided:
        return "mapping", _decided(value, decided[value], ontology, allowed), 1.0
    text = value.strip()
    for code in (text, text.upper()):
        if ontology.has_id(code):
            return _if_any("id", allowed(ontology.candidates(code)), 1.0)
    for code in (text, text.replace(".", "")):
        targets = [ontology.concept(to) for to in codes.get(code, ()) if ontology.has_id(to)]
        if targets:
            return _if_any("crossmap", allowed(np.array(targets, np.int32)), 1.0)
    for how, senses, certainty in _by_spelling(text, ontology):
        kept = allowed(senses)
        if len(kept):
            # `under` that rules out what the word means most often is a reason to look twice.
            return how, kept, certainty if kept[0] == senses[0] else 0.55 * certainty
    return "none", _NOTHING, 0.0


def _by_spelling(text: str, ontology: Ontology) -> Iterator[tuple[str, Int32, float]]:
    """(how, senses, certainty) of the matchers that look at letters, in order."""
    yield "exact", ontology.senses_of(text), 1.0
    if len(text) > LONGEST:
        return
    words = plain(text)
    yield "normalised", _spelt_like(words, ontology), 0.95
    for head in heads(words):
        share = (head.count(" ") + 1) / (words.count(" ") + 1)
        yield "head", _spelt_like(head, ontology), 0.9 * share


def _if_any(how: str, concepts: Int32, certainty: float) -> tuple[str, Int32, float]:
    return (how, concepts, certainty) if len(concepts) else ("none", _NOTHING, 0.0)


def _decided(value: str, reference: str, ontology: Ontology, allowed: Callable[[Int32], Int32]) -> Int32:
    try:
        concepts = ontology.candidates(reference)
    except UnknownTermError as error:
        raise LinkingError(f"the mapping of {value!r}: {error}", value=value) from None
    if len(concepts) == 1 and (ontology.has_id(reference) or SENSE_NAME.match(reference)):
        return concepts  # an explicit choice wins over `under`
    below = allowed(concepts)
    if not len(below):
        raise LinkingError(
            f"the mapping of {value!r}: no sense of {reference!r} lies below the concept given by `under`",
            value=value,
            remedy=f"name the sense, such as {ontology.key(int(concepts[0]))}",
        )
    return below


def _spelt_like(text: str, ontology: Ontology) -> Int32:
    """Senses of all terms with that normalised spelling, the first sense of each term first."""
    same = ontology.senses_of(text)
    if len(same) or not text:
        return same  # the common case needs no index of spellings
    terms = spellings_of(ontology).terms(text)
    ranked = sorted((rank, int(c)) for t in terms for rank, c in enumerate(ontology.senses[t]))
    return np.array(list(dict.fromkeys(c for _, c in ranked)), np.int32)


def _allowed(ontology: Ontology, under: str | None) -> Callable[[Int32], Int32]:
    if under is None:
        return lambda concepts: concepts
    top = ontology.concept(under)
    return lambda concepts: concepts[ontology.is_below(concepts, top)] if len(concepts) else concepts


def _as_text(value: object) -> str:
    """A value as it is written: codes may come as numbers; None and NaN are missing."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else str(value)


def _crossmap(
    crossmap: Mapping[str, list[str]] | str | Path | None, ontology: Ontology
) -> Mapping[str, list[str]]:
    """Codes of another system, with and without their dots, and the ids they lead to."""
    if not crossmap:
        return {}
    if isinstance(crossmap, (str, Path)):
        from ontomask.linking.crossmap import read_crossmap

        found: Mapping[str, list[str]] = read_crossmap(Path(crossmap))
        leads_here = any(ontology.has_id(to) for targets in found.values() for to in targets)
        if not leads_here and any(map(ontology.has_id, found)):  # as SNOMED CT's maps to ICD do
            found = read_crossmap(Path(crossmap), inverted=True)
    else:
        found = crossmap
    return {code.replace(".", ""): targets for code, targets in found.items()} | dict(found)


def _similar(
    values: list[str],
    ontology: Ontology,
    most: int,
    embeddings: bool,
    allowed: Callable[[Int32], Int32],
) -> dict[str, list[tuple[int, float]]]:
    """Per value, (concept, score) of similar spelling and, if wanted, of similar meaning, best first."""
    meant = similar_meanings(values, ontology, most) if embeddings else [[] for _ in values]
    meant = [[(c, score) for c, score in one if len(allowed(np.array([c], np.int32)))] for one in meant]
    similar = {}
    for value, by_meaning in zip(values, meant, strict=True):
        best: dict[int, float] = {}
        for concept, score in (*similar_spellings(value, ontology, most, allowed), *by_meaning):
            best[concept] = max(score, best.get(concept, 0.0))
        similar[value] = sorted(best.items(), key=lambda hit: -hit[1])
    return similar


def _unlinked(value: str, how: str, similar: list[tuple[int, float]]) -> Link:
    if not similar:
        return Link(value, None, how)
    return Link(value, None, "suggested", similar[0][1], tuple(concept for concept, _ in similar))
