"""Which concept a value is: matchers in a fixed order, then the choice of a sense.

    mapping -> id or code -> synonym -> exact -> normalised -> words -> head -> similar spelling    (linked)
    similar spelling, similar meaning                                              (suggested, for a person)

The name of the column and its other values tell where senses are expected. Nothing is dropped: a value that
no matcher knows stays in the table with what it might be. A text longer than any phrase (`LONGEST`) is only
looked up as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from ontomask.errors import LinkingError, UnknownTermError
from ontomask.linking.anchors import Anchor, anchor_of
from ontomask.linking.embeddings import similar_meanings
from ontomask.linking.links import Link, Links
from ontomask.linking.mapping import Decisions, read_mapping
from ontomask.linking.matching import Allowed, Match, Matcher
from ontomask.linking.normalise import LONGEST, plain
from ontomask.linking.nouns import says_nothing
from ontomask.linking.scores import score_of
from ontomask.linking.senses import Choice, SensePolicy, choices
from ontomask.linking.spelling import spelling_of
from ontomask.linking.suggest import similar_spellings
from ontomask.linking.synonyms import Synonyms, read_synonyms, shipped
from ontomask.ontology.core import Ontology

__all__ = ["Link", "Links", "SensePolicy", "link", "read_mapping"]


def link(
    values: Iterable[object],
    ontology: Ontology,
    *,
    column: str | None = None,
    mapping: Mapping[str, str] | str | Path | None = None,
    synonyms: Mapping[str, str] | str | Path | None = None,
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
    column
        Its name: *stroke* means something else in ``diagnosis`` than in ``hobby``.
    mapping
        What the user has decided: a dict, or a CSV `value,concept`, for all spellings of a value. An explicit
        sense wins over `under`. A doubtful line of a file that linking wrote stays doubtful until somebody
        decides it.
    synonyms
        Abbreviations and the terms they stand for: a dict, or a CSV `synonym,term`.
    senses
        `coherent` (the sense nearest to the column's name and other values), `first` (most frequent) or
        `explicit`.
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
    >>> links = link(["stroke", "headache"], load_ontology("wordnet"), column="diagnosis")
    >>> [links.key(link.value) for link in links]
    ['stroke.n.03', 'headache.n.02']
    """
    if senses not in get_args(SensePolicy):
        raise LinkingError(f"sense policy {senses!r} does not exist: use {', '.join(get_args(SensePolicy))}")
    if isinstance(mapping, (str, Path)):
        mapping = read_mapping(mapping, ontology.name)
    decided = dict(mapping or {})
    allowed = _allowed(ontology, under)
    decisions = Decisions(decided)
    texts = list(dict.fromkeys(_as_text(value) for value in values))
    matcher = Matcher(
        ontology,
        decisions,
        _crossmap(crossmap, ontology),
        _own_synonyms(synonyms),
        allowed,
        capitals_tell=any(text != text.upper() for text in texts),
    )
    spelt = _one_spelling(texts, decisions, ontology)
    distinct = list(dict.fromkeys(spelt.values()))
    whole = [matcher.whole_match(value) for value in distinct]
    anchor = anchor_of(ontology, column, [match.senses for match in whole if match.how != "mapping"])
    abbreviations = shipped(anchor.synonyms) if anchor.synonyms else {}
    found = [
        matcher.further_match(value, match, anchor, abbreviations)
        for value, match in zip(distinct, whole, strict=True)
    ]
    unknown = [
        value
        for value, match in zip(distinct, found, strict=True)
        if match.how == "none"
        and not match.no_nouns
        and len(value) <= LONGEST
        and not says_nothing(plain(value))
    ]
    similar = _similar(unknown, ontology, suggestions, embeddings, allowed) if suggestions else {}
    chosen = _chosen(found, anchor, senses)
    linked = {
        value: _linked(value, match, chosen[i], anchor, senses)
        if i in chosen
        else _unlinked(value, match, similar.get(value, []))
        for i, (value, match) in enumerate(zip(distinct, found, strict=True))
    }
    return Links(ontology, tuple(replace(linked[spelt[text]], value=text) for text in texts))


def _one_spelling(texts: Sequence[str], decided: Decisions, ontology: Ontology) -> dict[str, str]:
    """For each text the spelling that is linked for all of its value: a term if possible, in small letters.

    Several spellings are no more evidence of what a column is about than one; those decided differently, and
    those that the ontology tells apart (America, América), are values of their own.
    """
    groups: dict[tuple[str, str | None], list[str]] = {}
    for text in texts:
        groups.setdefault((spelling_of(text), decided.of(text)), []).append(text)
    best = {
        key: min(group, key=lambda text: (not len(ontology.senses_of(text)), not text.islower(), text))
        for key, group in groups.items()
    }
    return {
        text: best[key] if _means_alike(text, best[key], ontology) else text
        for key, group in groups.items()
        for text in group
    }


def _means_alike(text: str, other: str, ontology: Ontology) -> bool:
    """Whether the ontology does not know a text, or knows another by the same senses."""
    own = ontology.senses_of(text).tolist()
    return not own or own == ontology.senses_of(other).tolist()


def _chosen(found: Sequence[Match], anchor: Anchor, policy: SensePolicy) -> dict[int, Choice]:
    """For each match with senses, the choice of one."""
    open_ones = [i for i, match in enumerate(found) if len(match.senses)]
    if policy != "coherent":
        return {i: Choice(0, 0.5) for i in open_ones}
    candidates = [found[i].senses for i in open_ones]
    return dict(
        zip(open_ones, choices(candidates, anchor, [found[i].is_sure for i in open_ones]), strict=True)
    )


def _linked(value: str, match: Match, choice: Choice, anchor: Anchor, policy: SensePolicy) -> Link:
    if policy == "explicit" and len(match.senses) > 1:
        return Link(value, None, "ambiguous", 0.0, tuple(match.senses.tolist()))
    concept = int(match.senses[choice.position])
    if (line := match.undecided) is not None:
        return Link(value, concept, line.how, line.score, _known(line.alternatives, anchor.ontology))
    others = (*(c for c in match.senses.tolist() if c != concept), *match.passed_over)
    return Link(value, concept, match.how, score_of(match, choice, anchor, concept), others)


def _known(references: Iterable[str], ontology: Ontology) -> tuple[int, ...]:
    """The concepts of references that are still known."""
    found = []
    for reference in references:
        with suppress(UnknownTermError):
            found.append(ontology.concept(reference))
    return tuple(found)


def _own_synonyms(synonyms: Mapping[str, str] | str | Path | None) -> Synonyms:
    if isinstance(synonyms, (str, Path)):
        return read_synonyms(synonyms)
    return {plain(synonym): term for synonym, term in (synonyms or {}).items()}


def _allowed(ontology: Ontology, under: str | None) -> Allowed:
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
    allowed: Allowed,
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


def _unlinked(value: str, match: Match, similar: list[tuple[int, float]]) -> Link:
    if match.no_nouns:
        return Link(value, None, "suggested", alternatives=match.no_nouns)
    if not similar:
        return Link(value, None, match.how)
    return Link(value, None, "suggested", similar[0][1], tuple(concept for concept, _ in similar))
