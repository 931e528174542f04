"""What is decided about words, beside the files that say it: a review of each column, and the way back.

All of it can be had again from the disk but the steps that can be taken back. Values are linked in a process
of their own. A decision is laid over what was found, as linking takes longer than a click; it may tell
linking more about the other values, so they are linked again once nobody is deciding.
"""

from __future__ import annotations

import gc
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock, Thread
from typing import Any, NamedTuple

from ontomask.columns.linked import AskedWords, FoundWords, found_words, words_of
from ontomask.errors import Fault, OntomaskError
from ontomask.linking.links import Link, Links
from ontomask.linking.review import DecisionFile, Review
from ontomask.linking.search import prepare_search
from ontomask.linking.several import Several
from ontomask.ontology import Ontology
from ontomask.outputs import check_apart, check_no_release
from ontomask.plan import Plan
from ontomask.plan.editing import with_key
from ontomask.tables.filed import state_of
from ontomask.web.page import short_name
from ontomask.web.work import PlanText, Work
from ontomask.web.working import Job


@dataclass
class ColumnAtHand:
    """A column of words: its review, or why there is none."""

    asked: AskedWords
    review: Review | None = None
    several: Several | None = None
    is_masked: bool = True
    faults: tuple[Fault, ...] = ()
    unknown_are_open: bool = True
    """Whether values without a meaning are to be decided; not if the plan lets them mean themselves."""
    value_of: Mapping[str, str] = field(default_factory=dict)
    """By the short name that addresses have for a value, so that they tell none."""

    @property
    def n_open(self) -> int:
        """How many values a run would be in doubt about."""
        return sum(map(self.is_open, self.review.doubtful)) if self.review else 0

    def is_open(self, link: Link) -> bool:
        """Whether a value is to be decided: what is doubtful, where it is masked by what it means."""
        is_settled = link.concept is None and not self.unknown_are_open
        return self.is_masked and link.is_doubtful and not is_settled


class Taken(NamedTuple):
    """A step that can be taken back: its column, and the lines its values had in the mapping, if it wrote."""

    column: str
    lines: list[Sequence[str]] | None


class Desk:
    """The reviews of a plan's columns, as far as they are known without waiting."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.columns: dict[str, ColumnAtHand] = {}
        self.steps: list[Taken] = []
        self.told = ""
        """What was done last, to be said once."""
        self.is_deciding = False
        """From when something is decided until the page that follows is shown."""
        self._of: Any = None  # the question that the columns answer
        self._is_settled = True  # whether linking gave the answer, with no decision laid over it

    def look(self, work: Work, plan: PlanText) -> Job | None:
        """See what is on disk, and give what has to be waited for before anything can be shown."""
        if plan.plan is None:
            self.columns, self._of = {}, None
            return None
        asked, question = _question(work, plan)
        masked = {one.column for one in asked}.intersection(plan.plan.with_role("quasi-identifier"))
        self._take_up(plan.plan, masked)  # at once: links do not depend on it
        is_new = question != self._of
        if not asked:
            self.columns, self._of = {}, question
        if not asked or not (is_new or self._may_settle):
            return None
        is_begun = work.question("words") != question
        job = work.found_out("words", question, found_words, work.table, question[1], asked)
        if is_begun and is_new:
            Thread(target=_prepare, args=(asked, job), daemon=True, name="loads ontologies").start()
        if job.result is None:
            return job if is_new else None
        before = {} if is_new else self.columns
        self.columns = {
            each.column: _at_hand(each, job.result[each.column], before.get(each.column)) for each in asked
        }
        self._take_up(plan.plan, masked)
        self.steps = [] if is_new else self.steps
        self._of, self._is_settled = question, True
        return None

    def _take_up(self, plan: Plan, masked: Container[str]) -> None:
        """See what the plan says of columns and links do not depend on."""
        for name, one in self.columns.items():
            one.is_masked, one.unknown_are_open = name in masked, plan.unmapped != "own-leaf"

    @property
    def _may_settle(self) -> bool:
        return not self._is_settled and not self.is_deciding

    def at(self, named: str) -> ColumnAtHand | None:
        """The column that a form or an address means, by its short name: browsers change line breaks.

        Links of other pages have its own name.
        """
        every = {short_name(name): one for name, one in self.columns.items()}
        return every.get(named) or self.columns.get(named)

    def decide(self, work: Work, column: str, meant: Mapping[str, int]) -> None:
        """Values of a column mean these concepts: in its mapping, which the plan names from now on."""
        review = self._review(column)
        gone = self._write(work, column, list(meant), meant)
        review.decide_all(meant)
        self.steps.append(Taken(column, gone))

    def skip(self, column: str, value: str) -> None:
        """Let a value come last."""
        self._review(column).skip(value)
        self.steps.append(Taken(column, None))
        self.is_deciding = True

    def undo(self, work: Work) -> tuple[str, str]:
        """Take the last step back; the column and a value that it was about."""
        if not self.steps:
            raise OntomaskError("there is nothing to undo")
        column, lines = self.steps[-1]
        review = self._review(column)
        values = review.last_values
        if lines is not None:
            self._write(work, column, values, lines)
        self.steps.pop()
        review.undo()
        self.is_deciding = True
        return column, values[0]

    def _write(
        self, work: Work, column: str, values: Sequence[str], said: Mapping[str, int] | list[Sequence[str]]
    ) -> list[Sequence[str]]:
        """Put decisions, or lines that were there, into the mapping, and the mapping into the plan.

        What is given are the lines that went.
        """
        plan, asked, review = work.plan(), self.columns[column].asked, self._review(column)
        target = asked.target
        if target is None or plan.plan is None:
            raise OntomaskError(*plan.faults)
        others = [file for file in asked.read if file != asked.mapping]
        check_apart([target], [work.table, work.plan_file, *others])
        check_no_release(target)
        file = DecisionFile(target, review.links.ontology.name)
        lines = said if isinstance(said, list) else file.lines(said, review.links.ontology)
        text, gone = file.with_lines(values, lines)
        texts: dict[Path, str | bytes] = {target: text}
        if asked.mapping is None:
            texts[work.plan_file] = with_key(plan.text, ["attributes", column, "mapping"], target.name)
        work.write(texts)
        every, self._of = _question(work, work.plan())
        for one in every:
            self.columns[one.column].asked = one
        self._is_settled, self.is_deciding = False, True
        return gone

    def _review(self, column: str) -> Review:
        at_hand = self.columns.get(column)
        if at_hand is None or at_hand.review is None:
            raise OntomaskError(f"there are no words of a column {column!r} to be decided", value=column)
        return at_hand.review


def _prepare(asked: Sequence[AskedWords], job: Job) -> None:
    """Load what explains words, so that no click waits for it; a file once the task has parsed it."""
    for one in sorted(asked, key=lambda one: not one.is_shipped):
        if not one.is_shipped:
            job.wait()
        with suppress(OntomaskError, OSError):  # the task tells it
            prepare_search(one.load_ontology())
    gc.freeze()  # what was loaded stays: no click waits for a look through all of it


def desk_of(work: Work) -> Desk:
    """The desk of this session."""
    desk: Desk = work.remembered.setdefault("words", Desk())
    return desk


def _question(work: Work, plan: PlanText) -> tuple[list[AskedWords], Any]:
    """The columns to be linked, and all that their links depend on."""
    if plan.plan is None:
        return [], None
    said = plan.plan.attributes
    asked = [one for one in words_of(plan.plan) if said[one.column].role != "undecided"]
    files = {file for one in asked for file in one.read}
    read = [work.table, *sorted(files)]
    return asked, (asked, plan.plan.table_options(), read, state_of(read))


def _at_hand(
    asked: AskedWords,
    found: FoundWords | tuple[Fault, ...],
    before: ColumnAtHand | None,
) -> ColumnAtHand:
    """What was found of a column as a review of it, in the place of one that goes on."""
    if not isinstance(found, FoundWords):
        return ColumnAtHand(asked, faults=found)
    review = before.review if before else None
    known = review.links.ontology if review else None
    ontology: Ontology = known if known and known.digest == found.digest else asked.load_ontology()
    links = Links(ontology, found.links)
    if review is None:
        review = Review.of(links, found.rows)
    else:
        review.linked_again(links, found.rows)
    names = {short_name(one.value): one.value for one in links}
    return ColumnAtHand(asked, review, found.several, value_of=names)
