"""Step Words: what the values of a column mean, those first that nobody is sure of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple
from urllib.parse import urlencode

from ontomask.errors import OntomaskError
from ontomask.linking.review import Review
from ontomask.ontology import Ontology
from ontomask.plan.editing import with_key
from ontomask.printable import shortened
from ontomask.web.page import Action, Form, Page
from ontomask.web.reviewing import ColumnAtHand, Desk, desk_of
from ontomask.web.words_shown import address, fits, score_in, short_gloss, show
from ontomask.web.work import PlanText, Work

_CHANGED = "Something was changed elsewhere, so nothing was done. Please look again."


def n_open(work: Work, plan: PlanText) -> int:
    """How many values of masked columns are doubtful, and nobody decided them."""
    desk = desk_of(work)
    with desk.lock:
        desk.look(work, plan)
        return sum(one.n_open for one in desk.columns.values())


class _Asked(NamedTuple):
    """What a form speaks of: a column, its review, and the desk that it lies on."""

    desk: Desk
    work: Work
    at_hand: ColumnAtHand
    review: Review
    form: Form

    @property
    def column(self) -> str:
        return self.at_hand.asked.column

    @property
    def value(self) -> str:
        """The value of the column that was sent."""
        value = self.at_hand.value_of.get(self.form["value"])
        if value is None:
            raise OntomaskError("this value is no longer in the table", remedy="look at the column again")
        return value

    @property
    def following(self) -> str:
        """The address of the value that is shown after this one."""
        after = _following(self.at_hand, self.review, self.value, self.form["filter"])
        return address(self.column, after, filter=self.form["filter"])


def _on_review(act: Callable[[_Asked], str]) -> Action:
    """What is done with a column that is as it was shown; if it is not, nothing is, and that is said."""

    @wraps(act)
    def action(work: Work, form: Form) -> str:
        desk = desk_of(work)
        with desk.lock:
            desk.is_deciding, plan = True, work.plan()
            if plan.plan is None:
                raise OntomaskError("the plan has faults, so nothing was decided")
            if desk.look(work, plan) is not None:
                desk.told = _CHANGED
                return _as_sent(form)
            at_hand = desk.at(form["column"])
            if at_hand is None or at_hand.review is None:
                raise OntomaskError(
                    "there is no such column of words", value=form["column"], remedy="look again"
                )
            return act(_Asked(desk, work, at_hand, at_hand.review, form))

    return action


@_on_review
def decide(asked: _Asked) -> str:
    """A value means a concept; the next open one follows."""
    ontology, value, following = asked.review.links.ontology, asked.value, asked.following
    concept = ontology.concept(asked.form["concept"])
    asked.desk.decide(asked.work, asked.column, {value: concept})
    asked.desk.told = f"Decided: “{shortened(value, 40)}” means {_told(concept, ontology)}."
    return following


@_on_review
def skip(asked: _Asked) -> str:
    """A value comes last; it stays open."""
    value, following = asked.value, asked.following
    asked.desk.skip(asked.column, value)
    asked.desk.told = f"Left for later: “{shortened(value, 40)}”. It is still to be decided."
    return following


@_on_review
def accept(asked: _Asked) -> str:
    """Accept every meaning that is so sure and was neither decided nor skipped."""
    sure = asked.review.at_least(score_in(asked.form["score"]))
    meant = {one.value: one.concept for one in sure if one.concept is not None}
    if str(len(meant)) != asked.form["n"]:  # others than were looked at
        asked.desk.told = _CHANGED
        return address(asked.column)
    if meant:
        asked.desk.decide(asked.work, asked.column, meant)
    asked.desk.told = f"Accepted: {len(meant):,} {'value' if len(meant) == 1 else 'values'}."
    return address(asked.column)


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


def unknown(work: Work, form: Form) -> str:
    """Let words without a meaning count as themselves, in every column."""
    work.write_plan(with_key(work.plan().text, ["unmapped"], "own-leaf"))
    return _as_sent(form)


@_on_review
def no_answer(asked: _Asked) -> str:
    """A value says nothing about a person: it counts as missing."""
    plan = asked.work.plan()
    assert plan.plan is not None
    marks = [*plan.plan.na_values_of(asked.column), asked.value]
    asked.work.write_plan(with_key(plan.text, ["attributes", asked.column, "na_values"], marks))
    return address(asked.column)


def again(work: Work, form: Form) -> str:
    """Look for meanings once more."""
    work.forget("words")
    return "/words"


def _as_sent(form: Form) -> str:
    """The page with the column that was sent, if there is one."""
    return f"/words?{urlencode({'column': form['column']})}"


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


ACTIONS = {
    "decide": decide,
    "skip": skip,
    "accept": accept,
    "undo": undo,
    "several": several,
    "unknown": unknown,
    "no_answer": no_answer,
    "again": again,
}
PAGE = Page("words", "Words", show, ACTIONS, n_open)
