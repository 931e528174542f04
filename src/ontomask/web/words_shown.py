"""What step Words shows: the columns, the values of one of them, and one value with what it may mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.columns.linked import shared_meaning
from ontomask.errors import OntomaskError
from ontomask.files import is_there
from ontomask.linking.links import Link
from ontomask.linking.review import Review
from ontomask.linking.search import Found, named, search
from ontomask.ontology import Ontology
from ontomask.ontology.outline import outline
from ontomask.printable import shortened
from ontomask.web.page import short_name
from ontomask.web.reviewing import ColumnAtHand, desk_of
from ontomask.web.work import PlanText, Work

_ON_A_PAGE = 100
_LONGEST = 200  # characters of a search
_MOST = 9  # meanings that a key can pick
_MOST_TOLD = 50  # values that are listed before they are accepted
_ALSO = 4  # other words for a concept
_SCORES = (0.6, 0.5, 0.4, 0.3, 0.0)
LEFT_ALONE = {
    "error": "Nothing is released while it has none",
    "own-leaf": "As the plan stands, it counts as a word of its own, unlike all others",
    "root": "As the plan stands, it counts as the most general meaning of all",
    "suppress": "As the plan stands, it is left blank",
}


class Meaning(NamedTuple):
    """A concept as the page tells it."""

    concept: int
    key: str
    label: str
    gloss: str
    also: str
    is_chosen: bool


class ValueRow(NamedTuple):
    """A value in the list; the gloss tells its meaning from others of its word."""

    address: str
    value: str
    rows: int
    meaning: str
    gloss: str
    sureness: str
    is_open: bool
    is_shown: bool


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """The columns, the values of one of them, and one value with what it may mean."""
    desk = desk_of(work)
    with desk.lock:
        waiting = desk.look(work, plan)
        desk.is_deciding = False
        said, desk.told = desk.told, ""
        columns = list(desk.columns.values())
        at_hand = desk.at(asked.get("column", "")) or _first_open(columns)
        shown: dict[str, Any] = {
            "waiting": waiting,
            "columns": columns,
            "at_hand": at_hand,
            "said": said,
            "address": address,
            "short_name": short_name,
            "can_undo": bool(desk.steps),
            "n_open": sum(one.n_open for one in columns),
            "undecided": [] if plan.plan is None else plan.plan.with_role("undecided"),
            "value": None,
            "link": None,
            "accepting": None,
        }
        if at_hand is not None and at_hand.review is not None and plan.plan is not None:
            shown |= _shown_column(at_hand, at_hand.review, asked)
            target = at_hand.asked.target
            shown["is_resumed"] = at_hand.asked.mapping is None and target is not None and is_there(target)
            shown["left_alone"] = LEFT_ALONE[plan.plan.unmapped if at_hand.is_masked else "own-leaf"]
        return shown


def _first_open(columns: Sequence[ColumnAtHand]) -> ColumnAtHand | None:
    """The first column in which something is open, else the first."""
    open_ones = [one for one in columns if one.n_open or one.faults]
    return next(iter([*open_ones, *columns]), None)


def _shown_column(at_hand: ColumnAtHand, review: Review, asked: QueryParams) -> dict[str, Any]:
    filtered = asked.get("filter", "")
    listed = [one for one in review if fits(one, filtered, review)]
    value = at_hand.value_of.get(asked.get("value", ""))
    accepting = _accepting(at_hand, review, score_in(asked["accept"])) if "accept" in asked else None
    if value is None and "value" not in asked and not accepting and listed and at_hand.is_open(listed[0]):
        value = listed[0].value
    at = next((at for at, one in enumerate(listed) if one.value == value), 0)
    page = int(asked["page"][:9]) if asked.get("page", "").isdecimal() else at // _ON_A_PAGE
    first = min(page, max(len(listed) - 1, 0) // _ON_A_PAGE) * _ON_A_PAGE
    sure = [one.score for one in review.open if one.concept is not None] if at_hand.is_masked else []
    shown = {
        "review": review,
        "ontology": review.links.ontology,
        "filter": filtered,
        "rows": [_row(one, at_hand, review, filtered, value) for one in listed[first : first + _ON_A_PAGE]],
        "first": first,
        "n_listed": len(listed),
        "on_a_page": _ON_A_PAGE,
        "sheet": first // _ON_A_PAGE,
        "acceptable": _acceptable(sure),
        "accepting": accepting,
    }
    if value is not None:
        shown |= _shown_value(review[value], at_hand, review, asked.get("search", "")[:_LONGEST])
    return shown


def _accepting(at_hand: ColumnAtHand, review: Review, score: float) -> dict[str, Any] | None:
    """What would be accepted, least sure first, and from which score on; None if nothing would."""
    sure = sorted(review.at_least(score), key=lambda one: one.score) if at_hand.is_masked else []
    rows = [
        _row(one, at_hand, review, "", None)._replace(gloss=review.links.ontology.gloss(one.concept))
        for one in sure[:_MOST_TOLD]
        if one.concept is not None
    ]
    return {"score": score, "n": len(sure), "rows": rows} if sure else None


def score_in(text: str) -> float:
    """How sure, as a form says it."""
    try:
        return float(text)
    except ValueError:
        raise OntomaskError(f"{text!r} is no score", remedy="such as 0.6") from None


def _shown_value(link: Link, at_hand: ColumnAtHand, review: Review, searched: str) -> dict[str, Any]:
    ontology = review.links.ontology
    if searched.strip():
        found = search(searched, ontology)
    else:  # of a decided value linking knows one meaning, but its word may have others
        meant = list(dict.fromkeys([*review.meanings(link.value), *named(link.value, ontology)]))
        found = Found(meant[:_MOST], [], [])
    concepts = found.concepts
    return {
        "value": link.value,
        "link": link,
        "n_rows": review.rows.get(link.value, 0),
        "sureness": sureness(link, at_hand.is_masked),
        "is_open": at_hand.is_open(link),
        "meanings": [[_meaning(one, link, ontology) for one in group] for group in found],
        "numbers": {concept: number for number, concept in enumerate(concepts, 1)},
        "tree": outline(ontology, concepts if link.concept is None else [*concepts, link.concept]),
        "searched": searched,
        "shared": None if link.concept is None else shared_meaning(link, review, ontology),
        "is_skipped": link.value in review.skipped,
    }


def _meaning(concept: int, link: Link, ontology: Ontology) -> Meaning:
    label = ontology.labels[concept]
    also = [term for term in ontology.synonyms(concept) if term.casefold() != label.casefold()][:_ALSO]
    return Meaning(
        concept,
        ontology.key(concept),
        label,
        ontology.gloss(concept),
        ", ".join(also),
        concept == link.concept,
    )


def _row(one: Link, at_hand: ColumnAtHand, review: Review, filtered: str, shown: str | None) -> ValueRow:
    ontology = review.links.ontology
    has_several = bool(one.alternatives) or len(ontology.senses_of(one.value)) > 1
    return ValueRow(
        address(at_hand.asked.column, one.value, filter=filtered),
        shortened(one.value, 80),
        review.rows.get(one.value, 0),
        "" if one.concept is None else ontology.labels[one.concept],
        "" if one.concept is None or not has_several else short_gloss(one.concept, ontology),
        sureness(one, at_hand.is_masked),
        at_hand.is_open(one),
        one.value == shown,
    )


def short_gloss(concept: int, ontology: Ontology) -> str:
    """What a concept is, without the examples that WordNet gives of its use.

    >>> from ontomask import load_ontology
    >>> wn = load_ontology("wordnet")
    >>> short_gloss(wn.concept("reading.n.03"), wn)
    'a datum about some physical state that is presented to a user by a meter or similar instrument'
    """
    return shortened(ontology.gloss(concept).partition('; "')[0], 100)


def fits(one: Link, text: str, review: Review) -> bool:
    """Whether a value, or what it means, has a text in it."""
    if not (folded := text.strip().casefold()):
        return True
    meant = "" if one.concept is None else review.links.ontology.labels[one.concept]
    return folded in one.value.casefold() or folded in meant.casefold()


def _acceptable(scores: Sequence[float]) -> list[tuple[float, int]]:
    """From which score on how many more would be accepted than from the one before."""
    found = {sum(score >= least for score in scores): least for least in reversed(_SCORES)}
    return sorted(((least, n) for n, least in found.items() if n), reverse=True)


def sureness(one: Link, is_masked: bool = True) -> str:
    """How sure a meaning is, in words.

    >>> sureness(Link("coach", 7, "exact", 0.6)), sureness(Link("coach", 7, "mapping", 1.0))
    ('doubtful, 60 % sure', 'decided')
    """
    if one.how == "missing":
        return "says nothing"
    if one.concept is None:
        return "no meaning found"
    if one.how == "mapping" and not one.is_doubtful:
        return "decided"
    return f"{'doubtful, ' if one.is_doubtful and is_masked else ''}{int(100 * one.score + 1e-9)} % sure"


def address(column: str, value: str | None = None, **further: str | int) -> str:
    """Of the page with a column, and a value of it."""
    named = {"column": short_name(column)} | ({} if value is None else {"value": short_name(value)})
    return f"/words?{urlencode(named | {key: said for key, said in further.items() if said != ''})}"
