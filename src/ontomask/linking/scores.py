"""How likely a link is right: a product of what each doubt costs, set so that the share of right links of a
score is that score (`benchmarks/linking.py` measures it on labelled columns).

The parts are what a person would ask: how was the word found, does its sense lie where the column's values
lie, was there another sense there as well, and how clearly did the others lose.
"""

from __future__ import annotations

from ontomask.linking.anchors import FAR, Anchor, Source
from ontomask.linking.matching import Match
from ontomask.linking.senses import Choice

_OF_LEAD = 1.5
_OF_CHANCE = 0.5  # what it costs that one of the senses passed over might have been the one that fits
_USUAL_PLACE = 0.6

_OF_MATCH = {
    "mapping": 1.0,
    "id": 1.0,
    "crossmap": 1.0,
    "synonym": 0.95,
    "exact": 0.98,
    "normalised": 0.98,
    "words": 0.95,
    "head": 0.92,
    "similar": 0.95,
}
# By the distance of the sense from what the column's name, or most of its values, stand for.
_OF_TIER: dict[Source, tuple[float, ...]] = {
    "name": (1.0, 0.85, 0.7, 0.4),
    "values": (0.9, 0.7, 0.6, 0.45),
    "nothing": (0.8, 0.8, 0.8, 0.3),
}


def score_of(match: Match, choice: Choice, anchor: Anchor, concept: int) -> float:
    """The probability that a link is right.

    `match` says how the word was found, `choice` by how much the best other sense lost, `anchor` where the
    column's values lie.
    """
    lead = min(0.5 + _OF_LEAD * choice.lead, 1.0)
    if match.is_sure:
        return lead
    tier = int(anchor.tier_of_concept[concept])
    score = _OF_MATCH[match.how] * lead
    if anchor.ontology.named_senses:
        score *= _OF_TIER[anchor.source][tier]
    if match.how in ("head", "words", "similar"):
        score *= 0.6 + 0.4 * match.share
    if match.place == "inside":
        score *= 0.8
    if match.is_unsure:
        score *= 0.7
    if match.is_adjective and (tier or anchor.source != "name"):
        score *= 0.5
    if anchor.ontology.named_senses and tier < FAR:
        by_chance = 1 - (1 - float(anchor.breadth[tier])) ** choice.position
        score *= 1 - _OF_CHANCE * by_chance
    if choice.position and anchor.source != "name":
        score *= 0.85
    if match.is_ruled:
        score *= 0.7
    if choice.neighbourhood < _USUAL_PLACE:
        score *= 0.6
    return score
