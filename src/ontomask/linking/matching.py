"""What a value may mean: matchers in a fixed order, each with the senses it finds and how it found them.

    mapping -> id or code -> own synonym -> exact -> normalised -> shipped synonym -> other words (codes)
    -> head of a phrase -> similar spelling

Those up to *normalised* look at the whole value (`whole_match`), and tell together what a column is about;
the others (`further_match`) need to know that: which part of a phrase counts, which misspelt word is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ontomask.arrays import Int32
from ontomask.errors import LinkingError, UnknownTermError
from ontomask.linking.acronyms import is_acronym
from ontomask.linking.anchors import FAR, Anchor
from ontomask.linking.assertions import assertion_of, coded_assertion
from ontomask.linking.links import is_undecided
from ontomask.linking.mapping import Decisions, Written
from ontomask.linking.normalise import LONGEST, plain, spellings_of
from ontomask.linking.nouns import is_adjective, says_nothing
from ontomask.linking.phrases import Place, parts_of, perhaps_several
from ontomask.linking.synonyms import Synonyms, usual_senses
from ontomask.linking.wording import wording_of
from ontomask.ontology.core import SENSE_NAME, Ontology

Allowed = Callable[[Int32], Int32]
How = Literal[
    "mapping",
    "id",
    "crossmap",
    "synonym",
    "exact",
    "normalised",
    "words",
    "head",
    "similar",
    "none",
    "missing",
]
_SHARE_OF_DISTANCE = (1.0, 0.8, 0.25)  # by the letters that are wrong: with two, another word may be meant
_SHARE_OF_BEGINNING = 0.5
_LEAST_ALIKE = 75.0  # of the letters of two spellings, in percent
_NOTHING = np.zeros(0, np.int32)


class Match(NamedTuple):
    """Candidate senses of a value, most frequent first, and how they were found.

    `share` is how much of the value was matched; `place` where in a phrase; `is_unsure` if the spelling, or
    the phrase itself, leaves doubt; `is_adjective` if the word is hardly a noun; `is_ruled` if `under` ruled
    out what the word means most often; `undecided` is the line of a mapping that nobody decided; `no_nouns`
    are senses of a word that is an adjective here; `passed_over` senses that the column's domain never means.
    """

    how: How
    senses: Int32 = _NOTHING
    share: float = 1.0
    place: Place = "whole"
    is_unsure: bool = False
    is_adjective: bool = False
    is_ruled: bool = False
    undecided: Written | None = None
    no_nouns: tuple[int, ...] = ()
    passed_over: tuple[int, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether somebody, or a code, said it."""
        return self.how in ("mapping", "id", "crossmap")


@dataclass(frozen=True)
class Matcher:
    """The matchers of a column.

    `decided`, `codes`, `synonyms` and `allowed` are what the user said; `ontology` what is searched;
    `capitals_tell` whether some texts of the column have small letters, so that capitals make an acronym.
    """

    ontology: Ontology
    decided: Decisions
    codes: Mapping[str, list[str]]
    synonyms: Synonyms
    allowed: Allowed
    capitals_tell: bool = True

    def whole_match(self, value: str) -> Match:
        """What the value as a whole means, as far as users, codes and terms say."""
        reference = self.decided.of(value)
        if reference is not None:
            return self._decided(value, reference)
        text = " ".join(value.split()) if len(value) <= LONGEST else value.strip()
        if not text:
            return Match("missing")
        ontology = self.ontology
        for code in (text, text.upper()):
            if ontology.has_id(code):
                return self._kept("id", ontology.candidates(code))
        for code in (text, text.replace(".", "")):
            targets = [ontology.concept(to) for to in self.codes.get(code, ()) if ontology.has_id(to)]
            if targets:
                return self._kept("crossmap", np.array(targets, np.int32))
        if len(text) > LONGEST:
            return self._kept("exact", ontology.senses_of(text))
        key = plain(text)
        if key in self.synonyms:
            found = self._spelt(self.synonyms[key])
            if len(found.senses):
                return found._replace(how="synonym")
        if ontology.named_senses and says_nothing(key):
            return Match("none")
        found = self._spelt(text)
        return found if len(found.senses) else self._with_certainty(text) or found

    def _with_certainty(self, text: str) -> Match | None:
        """A code with the letter that German records add: *J44.1 G* is J44.1, *J44.1 V* perhaps.

        What was excluded is not linked; what is suspected or over is not the thing itself.
        """
        coded = None if self.ontology.named_senses else coded_assertion(text)
        found = self.whole_match(coded[0]) if coded else None
        if coded is None or found is None or not len(found.senses):
            return None
        match coded[1]:
            case None:
                return found
            case "denied":
                return Match("none", no_nouns=tuple(found.senses.tolist()))
            case _:
                return found._replace(how="head", is_unsure=True)

    def further_match(self, value: str, whole: Match, anchor: Anchor, shipped: Synonyms) -> Match:
        """The same, or what an abbreviation, a part of the value or a similar spelling means.

        A word that means something where the column's values lie is left as it is; an adjective is no noun
        unless it is one there. *?pneumonia* is what somebody was not sure of, though a term has its letters.
        """
        found = self._further_match(value, whole, anchor, shipped)
        if found.is_sure or not len(found.senses):
            return found
        if found.is_adjective and (anchor.source == "nothing" or anchor.tiers(found.senses).min()):
            return Match("none", no_nouns=tuple(found.senses.tolist()))
        is_asserted = not ("?" in value or found.how == "similar") or assertion_of(value) is None
        is_term = bool(len(self.ontology.senses_of(value.strip())))
        return found._replace(is_unsure=found.is_unsure or not (is_asserted or is_term))

    def _further_match(self, value: str, whole: Match, anchor: Anchor, shipped: Synonyms) -> Match:
        if whole.is_sure or whole.how in ("synonym", "missing") or whole.no_nouns or len(value) > LONGEST:
            return whole
        text, words = " ".join(value.split()), plain(value)
        whole = self._in_usual_sense(words, whole, anchor)
        is_name = (
            anchor.synonyms == "demonyms" and len(whole.senses) and anchor.tiers(whole.senses).min() == 0
        )
        if words in shipped and not is_name:
            found = self._spelt(shipped[words])
            if not len(found.senses):
                found = self._in_other_words(shipped[words])
            if len(found.senses) and (anchor.tiers(found.senses) < FAR).any():
                return found._replace(how="synonym")
        if len(whole.senses) or says_nothing(words):
            return whole
        found = self._by_part(text, words, anchor, shipped)
        is_unsure = found.is_unsure or (found.share < 1 and self._are_several(text, anchor, shipped))
        return found._replace(is_unsure=is_unsure)

    def _are_several(self, text: str, anchor: Anchor, shipped: Synonyms) -> bool:
        """Whether all parts of a text are known and near what the column is about: *asthma, eczema*.

        Of one thing and more about it, *fracture - femur* or *Paris, France*, one alone is.
        """
        parts = perhaps_several(text)
        return len(parts) > 1 and all(self._is_near(part, anchor, shipped) for part in parts)

    def _is_near(self, text: str, anchor: Anchor, shipped: Synonyms) -> bool:
        words = plain(text)
        term = self.synonyms.get(words) or shipped.get(words, text)
        found = self._spelt(term)
        if not len(found.senses) and (worded := self._in_other_words(term)).share == 1:
            found = worded
        nearest = int(anchor.tiers(found.senses).min(initial=FAR))
        farthest = 0 if found.is_adjective or anchor.of_places else 1
        return nearest <= farthest and not says_nothing(words)

    def _by_part(self, text: str, words: str, anchor: Anchor, shipped: Synonyms) -> Match:
        """By other words, by a part, by abbreviations inside, by a similar spelling: the first that fits."""
        expanded = " ".join(shipped.get(word, word) for word in words.split())
        if expanded != words:
            found = self._spelt(expanded)
            if len(found.senses) and anchor.tiers(found.senses).min() == 0:
                return found._replace(how="synonym")
        fallback = Match("none")
        for match in self._looser(text, words, anchor, shipped):
            if anchor.tiers(match.senses).min() == 0:
                return match
            if match.place != "inside" and not len(fallback.senses):
                fallback = match
        if expanded != words:
            found = self._further_match(expanded, self._spelt(expanded), anchor, {})
            if len(found.senses) and anchor.tiers(found.senses).min() == 0:
                return found._replace(how="synonym", is_unsure=found.is_unsure or found.how == "head")
        return fallback

    def _looser(self, text: str, words: str, anchor: Anchor, shipped: Synonyms) -> Iterator[Match]:
        if not self.ontology.named_senses:
            found = self._in_other_words(text)
            if len(found.senses):
                yield found
        for part in parts_of(text):
            found = self._spelt(shipped.get(part.words, part.words))
            found = self._in_usual_sense(part.words, found, anchor)
            if not self.ontology.named_senses and not len(found.senses):
                found = self._in_other_words(part.words)
            if not len(found.senses):
                continue
            if (found.is_adjective or part.place == "inside") and anchor.tiers(found.senses).min():
                continue
            yield found._replace(
                how="head",
                share=part.share * found.share,
                place=part.place,
                is_unsure=part.is_unsure or found.is_unsure,
            )
        similar = self._similar(words, anchor)
        if similar:
            yield similar
        for part in parts_of(text):
            similar = self._similar(part.words, anchor) if part.place != "inside" else None
            if similar:
                yield similar._replace(share=part.share, place=part.place, is_unsure=True)

    def _spelt(self, text: str) -> Match:
        """By letters: the term as written, its other spellings, the same stems."""
        words = plain(text)
        adjective = self.ontology.named_senses and is_adjective(words)
        exact, variants = _variants(text, self.ontology)
        for how, senses, is_unsure in (
            ("exact" if exact else "normalised", variants, False),
            *_normalised(words, self.ontology, not len(variants)),
        ):
            found = self._kept(how, senses)  # type: ignore[arg-type]
            if len(found.senses):
                found = self._without_acronyms(text, found)
                return found._replace(is_unsure=is_unsure, is_adjective=adjective)
        return Match("none")

    def _in_usual_sense(self, words: str, found: Match, anchor: Anchor) -> Match:
        """The match in the one sense in which the column's domain has a word: a *driver* by occupation."""
        reference = usual_senses(anchor.synonyms).get(words) if self.ontology.named_senses else None
        if reference is None:
            return found
        own = [c for c in found.senses.tolist() if self.ontology.key(c) == reference]
        others = tuple(c for c in found.senses.tolist() if c not in own)
        if not own:
            return found
        return found._replace(senses=np.array(own, np.int32), passed_over=others, is_ruled=False)

    def _without_acronyms(self, text: str, found: Match) -> Match:
        """The match without senses that the text is an acronym of, if it has others and no capitals."""
        ontology = self.ontology
        if not ontology.named_senses or (self.capitals_tell and text.isupper()):
            return found
        words = [c for c in found.senses.tolist() if not is_acronym(text, c, ontology)]
        return found._replace(senses=np.array(words, np.int32)) if words else found

    def _in_other_words(self, text: str) -> Match:
        wording = None if self.ontology.named_senses else wording_of(text, self.ontology)
        if wording is None:
            return Match("none")
        return self._kept("words", wording.senses)._replace(share=wording.share)

    def _similar(self, words: str, anchor: Anchor) -> Match | None:
        """Of the terms that lie where the column's values do, the one that is nearly spelt like the text."""
        if anchor.source == "nothing" and self.ontology.named_senses:
            return None
        wrong, near = anchor.nearly.misspelt(words)
        share, is_unsure = _SHARE_OF_DISTANCE[wrong], len(near) > 1
        if not near:
            near, share, is_unsure = anchor.nearly.cut(words)[:1], _SHARE_OF_BEGINNING, False
        terms = [anchor.terms_inside[at] for at in near]
        senses = np.array([c for t in terms for c in self.ontology.senses[t].tolist()], np.int32)
        senses = np.array(list(dict.fromkeys(senses.tolist())), np.int32)
        inside = self.allowed(senses[anchor.tiers(senses) <= 1])
        return Match("similar", inside, share=share, is_unsure=is_unsure) if len(inside) else None

    def _kept(self, how: How, senses: Int32) -> Match:
        kept = self.allowed(senses)
        if not len(kept):
            return Match("none")
        return Match(how, kept, is_ruled=bool(kept[0] != senses[0]))

    def _decided(self, value: str, reference: str) -> Match:
        ontology = self.ontology
        try:
            concepts = ontology.candidates(reference)
        except UnknownTermError as error:
            raise LinkingError(f"the mapping of {value!r}: {error}", value=value) from None
        if len(concepts) == 1 and (ontology.has_id(reference) or SENSE_NAME.match(reference)):
            label = ontology.labels[int(concepts[0])]
            written = reference if isinstance(reference, Written) else None
            # An explicit choice wins over `under`.
            return Match(
                "mapping", concepts, undecided=written if written and is_undecided(written, label) else None
            )
        below = self.allowed(concepts)
        if not len(below):
            raise LinkingError(
                f"the mapping of {value!r}: no sense of {reference!r} lies below what `under` says",
                value=value,
                remedy=f"name the sense, such as {ontology.key(int(concepts[0]))}",
            )
        return Match("mapping", below)


def _variants(text: str, ontology: Ontology) -> tuple[bool, Int32]:
    """Whether the text is a term as it stands, and the senses of all its spellings with other hyphens.

    One order for all of them, so that *x-ray* and *X ray* mean the same.
    """
    own = _in_order_of_name(ontology.senses_of(text), text, ontology)
    if not ontology.named_senses or (len(own) and not text.isascii()):  # *médico* is not English *medico*
        return bool(len(own)), own
    words = plain(text)
    spellings = {text.casefold(), words, words.replace(" ", "-"), words.replace(" ", "")}
    if len(spellings) == 1:
        return bool(len(own)), own
    ranked = {
        int(c): (rank, int(c))
        for spelling in sorted(spellings)
        for rank, c in enumerate(_in_order_of_name(ontology.senses_of(spelling), spelling, ontology).tolist())
    }
    return bool(len(own)), np.array(sorted(ranked, key=lambda c: ranked[c]), np.int32)


def _in_order_of_name(senses: Int32, text: str, ontology: Ontology) -> Int32:
    """The senses of another spelling of their name in the order of the name's: of *anaemia* as of *anemia*.

    A dictionary orders the senses of a word by how often each was met, and those of its rarer spellings,
    which were hardly met, by chance.
    """
    names = {ontology.labels[c].casefold() for c in senses.tolist()}
    if len(senses) < 2 or len(names) > 1:
        return senses
    from rapidfuzz import fuzz

    (name,) = names
    if fuzz.ratio(text.casefold(), name) < _LEAST_ALIKE:
        return senses
    order = ontology.senses_of(name)
    return order[np.isin(order, senses)] if np.isin(senses, order).all() else senses


def _normalised(words: str, ontology: Ontology, is_needed: bool) -> Iterator[tuple[How, Int32, bool]]:
    """Senses of all terms with that normalised spelling, the first sense of each term first.

    A word with another ending is none of an acronym: *pets* are no scans.
    """
    if not words or not is_needed:
        return
    likeness, terms = spellings_of(ontology).terms(words)
    if likeness == "letters" and not any(map(str.isalpha, words)):
        return
    ranked = sorted((rank, int(c), t) for t in terms for rank, c in enumerate(ontology.senses[t]))
    if likeness == "stems" and ontology.named_senses:
        ranked = [one for one in ranked if not is_acronym(ontology.terms[one[2]], one[1], ontology)]
    senses = np.array(list(dict.fromkeys(c for _, c, _ in ranked)), np.int32)
    yield "normalised", senses, likeness == "stems" and not _is_plural(words)


def _is_plural(words: str) -> bool:
    return words.endswith("s")
