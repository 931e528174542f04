"""The parts of a phrase that may say what it is: its head first, longest first, then what stands inside.

*Fracture of the femur* is a fracture, *femur fracture* is one too, and so is *fracture, femur* in a
classification. A number, a modifier or something denied is never what a phrase is. It knows words alone, no
ontology: which part is a known term, and of the right kind, is for the matchers to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ontomask.linking.assertions import assertion_of, without_slashes
from ontomask.linking.normalise import plain
from ontomask.linking.nouns import is_adjective, is_number_word, word_set

Place = Literal["whole", "head", "inside"]

_PREPOSITIONS = word_set(
    "of in for at with from by on to without under due after during following secondary into per via "
    "against de del di da des du von der dos"
)
_ARTICLES = frozenset(("the", "a", "an", "his", "her", "their", "my", "our"))
_CLASSIFIERS = word_set(
    "type types stage grade class level group phase category kind form nos nec unspecified specified "
    "other number no nr version degree"
)
_DOSE = re.compile(r"\d+(mg|mcg|ug|g|ml|kg|iu|x|mm|cm)")
_DOSES = word_set("mg mcg ug ml kg iu tab tabs cap caps daily bd tds od prn po iv dose")
_ASIDE = re.compile(r"[(\[{<][^)\]}>]*[)\]}>]?")
_SEVERAL = re.compile(r"\s*(?:[;/|+&\n]|\band\b|\bor\b|\bund\b|\by\b|\bet\b|\bplus\b|\bw/)\s*", re.IGNORECASE)
_BREAK = re.compile(r"\s*(?:,|:|\s[-\u2013\u2014]+\s)\s*")
_PERHAPS_SEVERAL = re.compile(r"\s*,\s*|\s+(?:[-\u2013\u2014&]+|and|und|y|et|e)\s+", re.IGNORECASE)
_MOST_INSIDE = 8  # words: what stands somewhere in a longer text is not what the text is


class Part(NamedTuple):
    """Plain words of a phrase that may say what it is.

    `share` is how much of the phrase they are; `place` where they stand: all that matters of it, its head, or
    anywhere inside. `is_unsure`: the phrase names several things, or something that may not be the case.
    """

    words: str
    share: float
    place: Place
    is_unsure: bool = False


def parts_of(text: str) -> Iterator[Part]:
    """The parts of a phrase, in the order in which they should be tried; none of what is denied.

    >>> [part.words for part in parts_of("fracture, femur")][:2]
    ['femur fracture', 'fracture']
    >>> [part.words for part in parts_of("diabetes type II")][:1]
    ['diabetes']
    >>> list(parts_of("non-binary"))
    []
    """
    everything = plain(text)
    said = without_slashes(_ASIDE.sub(" ", text))
    n_words = max(sum(map(_is_telling, plain(said).split())), 1)
    pieces = [piece for piece in _SEVERAL.split(said) if plain(piece)] or [text]
    assertion = assertion_of(text)  # also beside it: (no) asthma, asthma (excluded)
    if assertion == "denied":
        return
    is_unsure = len(pieces) > 1 or assertion is not None
    seen = {everything}
    for part in _ordered_parts(pieces[0]):
        if part.words in seen or not _may_be_head(part):
            continue
        seen.add(part.words)
        share = (part.words.count(" ") + 1) / n_words
        yield part._replace(share=min(share, 1.0), is_unsure=is_unsure)


def perhaps_several(text: str) -> list[str]:
    """What stands between commas, dashes and words for *and*: several things, or one and more about it.

    >>> perhaps_several("tennis - reading"), perhaps_several("fracture - femur"), perhaps_several("x-ray")
    (['tennis', 'reading'], ['fracture', 'femur'], ['x-ray'])
    """
    return [piece for piece in _PERHAPS_SEVERAL.split(text) if plain(piece)]


def _ordered_parts(text: str) -> Iterator[Part]:
    first, *rest = [plain(piece) for piece in _BREAK.split(text) if plain(piece)] or [""]
    if rest:
        yield Part(" ".join([*reversed(rest), first]), 1.0, "whole")
    words = first.split()
    core, complement = _split_at_preposition(words)
    core = _without_tail(core)
    if complement and core:
        yield Part(" ".join([*complement, *core]), 1.0, "whole")
    if rest or (not complement and len(core) < len(words)):
        yield Part(" ".join(core), 1.0, "whole")
    for start in range(len(core)):
        yield Part(" ".join(core[start:]), 1.0, "head")
    if len(words) <= _MOST_INSIDE:
        for run in (core, complement):
            yield from _inside(run)
        for piece in rest:
            yield from _inside(piece.split())


def _is_telling(word: str) -> bool:
    return not (
        is_number_word(word)
        or _DOSE.fullmatch(word)
        or word in _CLASSIFIERS | _ARTICLES | _PREPOSITIONS | _DOSES
    )


def _split_at_preposition(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the first preposition, and what after it, without articles."""
    at = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    complement = [word for word in words[at + 1 :] if word not in _ARTICLES and word not in _PREPOSITIONS]
    return [word for word in words[:at] if word not in _ARTICLES], complement


def _without_tail(words: list[str]) -> list[str]:
    """Without numbers, classes and qualities behind the noun: *diabetes type II*, *fracture left*."""
    end = len(words)
    while end > 1 and (
        is_number_word(words[end - 1])
        or words[end - 1] in _CLASSIFIERS | _DOSES
        or _DOSE.fullmatch(words[end - 1])
    ):
        end -= 1
    return words[:end]


def _inside(words: list[str]) -> Iterator[Part]:
    """All runs of words, longest first, from the right."""
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length, -1, -1):
            yield Part(" ".join(words[start : start + length]), 1.0, "inside")


def _may_be_head(part: Part) -> bool:
    words = part.words.split()
    if not words or len(part.words) < 3:
        return False
    if len(words) > 1:
        return not all(is_number_word(word) for word in words)
    if part.place == "inside":  # *sprained ankle*: the participle tells
        return not is_number_word(words[0]) and (not is_adjective(words[0]) or words[0].endswith("ed"))
    return not is_number_word(words[0]) and words[0] not in _CLASSIFIERS
