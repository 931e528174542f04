"""Step Words: what the values of a column mean, those first that nobody is sure of."""

from __future__ import annotations

from urllib.parse import urlencode

from ontomask.errors import OntomaskError
from ontomask.linking.review import Review
from ontomask.ontology import Ontology
from ontomask.plan.editing import with_key
from ontomask.printable import shortened
from ontomask.web.page import Form, Page
from ontomask.web.reviewing import ColumnAtHand, Desk, desk_of
from ontomask.web.session import PlanText, Work
from ontomask.web.words_shown import address, fits, score_in, short_gloss, show

_CHANGED = "Something was changed elsewhere, so nothing was done. Please look again."


def n_open(work: Work, plan: PlanText) -> int:
    """How many values of masked columns are doubtful, and nobody decided them."""
    desk = desk_of(work)
    with desk.lock:
        desk.look(work, plan)
        return sum(one.n_open for one in desk.columns.values())


def decide(work: Work, form: Form) -> str:
    """A value means a concept; the next open one follows."""
    desk = desk_of(work)
    with desk.lock:
        found = _review(desk, work, form)
        if found is None:
            return _as_sent(form)
        column, review = found
        value = _value(desk, column, form)
        concept = review.links.ontology.concept(form["concept"])
        following = _following(desk.columns[column], review, value, form["filter"])
        desk.decide(work, column, {value: concept})
        desk.told = f"Decided: “{shortened(value, 40)}” means {_told(concept, review.links.ontology)}."
        return address(column, following, filter=form["filter"])


def skip(work: Work, form: Form) -> str:
    """A value comes last; it stays open."""
    desk = desk_of(work)
    with desk.lock:
        found = _review(desk, work, form)
        if found is None:
            return _as_sent(form)
        column, review = found
        value = _value(desk, column, form)
        following = _following(desk.columns[column], review, value, form["filter"])
        desk.skip(column, value)
        desk.told = f"Left for later: “{shortened(value, 40)}”. It is still to be decided."
        return address(column, following, filter=form["filter"])


def accept(work: Work, form: Form) -> str:
    """Accept every meaning that is so sure and was neither decided nor skipped."""
    desk = desk_of(work)
    with desk.lock:
        found = _review(desk, work, form)
        if found is None:
            return _as_sent(form)
        column, review = found
        sure = review.at_least(score_in(form["score"]))
        meant = {one.value: one.concept for one in sure if one.concept is not None}
        if str(len(meant)) != form["n"]:  # others than were looked at
            desk.told = _CHANGED
            return address(column)
        if meant:
            desk.decide(work, column, meant)
        desk.told = f"Accepted: {len(meant):,} {'value' if len(meant) == 1 else 'values'}."
        return address(column)


def undo(work: Work, form: Form) -> str:
    """Take the last step back, and show what it was about."""
    desk = desk_of(work)
    with desk.lock:
        desk.is_deciding = True
        is_changed = desk.look(work, work.plan()) is not None
        if is_changed or not desk.steps:
            desk.told = _CHANGED if is_changed else "There is nothing to undo."
            return _as_sent(form)
        column, value = desk.undo(work)
        desk.told = "Taken back."
        return address(column, value)


def several(work: Work, form: Form) -> str:
    """Let the cells of a column be several answers each."""
    desk, plan = desk_of(work), work.plan()
    with desk.lock:
        at_hand = desk.at(form["column"])
        if at_hand is None or at_hand.several is None:
            raise OntomaskError("there are no cells of several answers", value=form["column"])
        column = at_hand.asked.column
        work.write_plan(with_key(plan.text, ["attributes", column, "several"], at_hand.several.separator))
    return address(column)


def again(work: Work, form: Form) -> str:
    """Look for meanings once more."""
    work.forget("words")
    return "/words"


def _review(desk: Desk, work: Work, form: Form) -> tuple[str, Review] | None:
    """The column that was sent and its review; None, and a word of it, if it is found out anew."""
    desk.is_deciding = True
    if desk.look(work, work.plan()) is not None:
        desk.told = _CHANGED
        return None
    at_hand = desk.at(form["column"])
    if at_hand is None or at_hand.review is None:
        raise OntomaskError("there is no such column of words", value=form["column"], remedy="look again")
    return at_hand.asked.column, at_hand.review


def _as_sent(form: Form) -> str:
    """The page with the column that was sent, if there is one."""
    return f"/words?{urlencode({'column': form['column']})}"


def _value(desk: Desk, column: str, form: Form) -> str:
    """The value of a column that was sent."""
    value = desk.columns[column].value_of.get(form["value"])
    if value is None:
        raise OntomaskError("this value is no longer in the table", remedy="look at the column again")
    return value


def _told(concept: int, ontology: Ontology) -> str:
    """A concept in words that tell it from others of its name."""
    gloss = short_gloss(concept, ontology)
    return f"“{ontology.labels[concept]}”" + (f" ({gloss})" if gloss else "")


def _following(at_hand: ColumnAtHand, review: Review, value: str, filtered: str) -> str | None:
    """The open value after this one in the list; the first if it is the last; itself if it was not open."""
    if not at_hand.is_open(review[value]):
        return value
    open_ones = [one.value for one in review.doubtful if fits(one, filtered, review)]
    at = open_ones.index(value) if value in open_ones else -1
    return next((one for one in [*open_ones[at + 1 :], *open_ones] if one != value), None)


ACTIONS = {"decide": decide, "skip": skip, "accept": accept, "undo": undo, "several": several, "again": again}
PAGE = Page("words", "Words", show, ACTIONS, n_open)
