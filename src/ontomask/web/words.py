"""Step Words: what the values of a column mean, those first that nobody is sure of."""

from __future__ import annotations

from ontomask.errors import OntomaskError
from ontomask.linking.review import Review
from ontomask.plan.editing import with_key
from ontomask.printable import shortened
from ontomask.web.page import Form, Page
from ontomask.web.reviewing import Desk, desk_of
from ontomask.web.session import PlanText, Work
from ontomask.web.words_shown import address, fits, show

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
        review, value = _at(desk, work, form)
        if review is None:
            return address(form["column"])
        concept = review.links.ontology.concept(form["concept"])
        following = _following(review, value, form["filter"])
        desk.decide(work, form["column"], {value: concept})
        label = review.links.ontology.labels[concept]
        desk.told = f"Decided: “{shortened(value, 40)}” means “{label}”."
        return _next_address(form, following)


def skip(work: Work, form: Form) -> str:
    """A value comes last; it stays open."""
    desk = desk_of(work)
    with desk.lock:
        review, value = _at(desk, work, form)
        if review is None:
            return address(form["column"])
        following = _following(review, value, form["filter"])
        desk.skip(form["column"], value)
        desk.told = f"Left for later: “{shortened(value, 40)}”. It is still to be decided."
        return _next_address(form, following)


def accept(work: Work, form: Form) -> str:
    """Accept every meaning that is so sure and was neither decided nor skipped."""
    desk = desk_of(work)
    with desk.lock:
        review = _review(desk, work, form)
        if review is None:
            return address(form["column"])
        try:
            score = float(form["score"])
        except ValueError:
            raise OntomaskError(f"{form['score']!r} is no score", remedy="such as 0.6") from None
        meant = {one.value: one.concept for one in review.at_least(score) if one.concept is not None}
        if meant:
            desk.decide(work, form["column"], meant)
        desk.told = f"Accepted: {len(meant):,} {'value' if len(meant) == 1 else 'values'}."
        return address(form["column"])


def undo(work: Work, form: Form) -> str:
    """Take the last step back, and show what it was about."""
    desk = desk_of(work)
    with desk.lock:
        is_changed = desk.look(work, work.plan()) is not None
        if is_changed or not desk.steps:
            desk.told = _CHANGED if is_changed else "There is nothing to undo."
            return address(form["column"])
        column, value = desk.undo(work)
        desk.told = "Taken back."
        return address(column, value)


def several(work: Work, form: Form) -> str:
    """Let the cells of a column be several answers each."""
    desk, plan = desk_of(work), work.plan()
    with desk.lock:
        at_hand = desk.columns.get(form["column"])
        if at_hand is None or at_hand.several is None:
            raise OntomaskError("there are no cells of several answers", value=form["column"])
        path = ["attributes", form["column"], "several"]
        work.write_plan(with_key(plan.text, path, at_hand.several.separator))
    return address(form["column"])


def again(work: Work, form: Form) -> str:
    """Look for meanings once more."""
    work.forget("words")
    return "/words"


def _review(desk: Desk, work: Work, form: Form) -> Review | None:
    """The review of a column; None, and a word of it, if it is found out anew."""
    if desk.look(work, work.plan()) is not None:
        desk.told = _CHANGED
        return None
    at_hand = desk.columns.get(form["column"])
    if at_hand is None or at_hand.review is None:
        raise OntomaskError(f"there is no column of words {form['column']!r}", value=form["column"])
    return at_hand.review


def _at(desk: Desk, work: Work, form: Form) -> tuple[Review | None, str]:
    """The review of a column, and the value that was sent."""
    review = _review(desk, work, form)
    if review is None:
        return None, ""
    value = desk.columns[form["column"]].value_of.get(form["value"])
    if value is None:
        raise OntomaskError("this value is no longer in the table", remedy="look at the column again")
    return review, value


def _following(review: Review, value: str, filtered: str) -> str | None:
    """The open value after this one in the list; the first if it is the last; itself if it was sure."""
    if not review[value].is_doubtful:
        return value
    open_ones = [one.value for one in review.doubtful if fits(one, filtered, review)]
    at = open_ones.index(value) if value in open_ones else -1
    return next((one for one in [*open_ones[at + 1 :], *open_ones] if one != value), None)


def _next_address(form: Form, following: str | None) -> str:
    return address(form["column"], following, filter=form["filter"])


ACTIONS = {"decide": decide, "skip": skip, "accept": accept, "undo": undo, "several": several, "again": again}
PAGE = Page("words", "Words", show, ACTIONS, n_open)
