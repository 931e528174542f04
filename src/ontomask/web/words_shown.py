"""What step Words shows: the columns, the values of one of them, and one value with what it may mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.files import is_there
from ontomask.linking.links import Link
from ontomask.linking.review import Review
from ontomask.linking.search import named, search
from ontomask.ontology import Ontology
from ontomask.ontology.outline import outline
from ontomask.printable import shortened
from ontomask.web.page import short_name
from ontomask.web.reviewing import ColumnAtHand, desk_of
from ontomask.web.session import PlanText, Work

_ON_A_PAGE = 100
_LONGEST = 200  # characters of a search
_MOST = 9  # meanings that a key can pick
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
    """A value in the list."""

    address: str
    value: str
    rows: int
    meaning: str
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
        at_hand = _chosen_column(columns, asked.get("column", ""))
        shown: dict[str, Any] = {
            "waiting": waiting,
            "columns": columns,
            "at_hand": at_hand,
            "said": said,
            "address": address,
            "can_undo": bool(desk.steps),
            "n_open": sum(one.n_open for one in columns),
            "undecided": [] if plan.plan is None else plan.plan.with_role("undecided"),
            "value": None,
            "link": None,
        }
        if at_hand is not None and at_hand.review is not None and plan.plan is not None:
            shown |= _shown_column(at_hand, at_hand.review, asked)
            target = at_hand.asked.target
            shown["is_resumed"] = at_hand.asked.mapping is None and target is not None and is_there(target)
            shown["left_alone"] = LEFT_ALONE[plan.plan.unmapped if at_hand.is_masked else "own-leaf"]
        return shown


def _chosen_column(columns: Sequence[ColumnAtHand], name: str) -> ColumnAtHand | None:
    """The column that was asked for, else the first in which something is open."""
    asked = [one for one in columns if one.asked.column == name]
    open_ones = [one for one in columns if one.n_open or one.faults]
    return next(iter([*asked, *open_ones, *columns]), None)


def _shown_column(at_hand: ColumnAtHand, review: Review, asked: QueryParams) -> dict[str, Any]:
    column, filtered = at_hand.asked.column, asked.get("filter", "")
    listed = [one for one in review if fits(one, filtered, review)]
    value = at_hand.value_of.get(asked.get("value", ""))
    if value is None and "value" not in asked and listed and listed[0].is_doubtful:
        value = listed[0].value
    at = next((at for at, one in enumerate(listed) if one.value == value), 0)
    page = int(asked["page"][:9]) if asked.get("page", "").isdecimal() else at // _ON_A_PAGE
    first = min(page, max(len(listed) - 1, 0) // _ON_A_PAGE) * _ON_A_PAGE
    sure = [one.score for one in review.open if one.concept is not None]
    return {
        "review": review,
        "ontology": review.links.ontology,
        "filter": filtered,
        "rows": [_row(one, column, filtered, review, value) for one in listed[first : first + _ON_A_PAGE]],
        "first": first,
        "n_listed": len(listed),
        "on_a_page": _ON_A_PAGE,
        "sheet": first // _ON_A_PAGE,
        "acceptable": _acceptable(sure),
        "n_doubtful": review.n_doubtful,
    } | ({} if value is None else _shown_value(review[value], review, asked.get("search", "")[:_LONGEST]))


def _shown_value(link: Link, review: Review, searched: str) -> dict[str, Any]:
    ontology = review.links.ontology
    if searched.strip():
        concepts = search(searched, ontology)
    else:  # of a decided value linking knows one meaning, but its word may have others
        concepts = list(dict.fromkeys([*review.meanings(link.value), *named(link.value, ontology)]))[:_MOST]
    numbers = {concept: number for number, concept in enumerate(concepts, 1)}
    return {
        "value": link.value,
        "id": short_name(link.value),
        "link": link,
        "n_rows": review.rows.get(link.value, 0),
        "sureness": sureness(link),
        "meanings": [_meaning(concept, link, ontology) for concept in concepts],
        "numbers": numbers,
        "tree": outline(ontology, concepts if link.concept is None else [*concepts, link.concept]),
        "searched": searched,
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


def _row(one: Link, column: str, filtered: str, review: Review, shown: str | None) -> ValueRow:
    return ValueRow(
        address(column, one.value, filter=filtered),
        shortened(one.value, 80),
        review.rows.get(one.value, 0),
        "" if one.concept is None else review.links.ontology.labels[one.concept],
        sureness(one),
        one.is_doubtful,
        one.value == shown,
    )


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


def sureness(one: Link) -> str:
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
    return f"{'doubtful, ' if one.is_doubtful else ''}{100 * one.score:.0f} % sure"


def address(column: str, value: str | None = None, **further: str | int) -> str:
    """Of the page with a column, and a value of it."""
    named = {} if value is None else {"value": short_name(value)}
    return f"/words?{urlencode({'column': column} | named | {k: v for k, v in further.items() if v != ''})}"
