"""The trees of a session: how each is judged, which proposals were refused, and what can be undone.

Refused proposals and what can be undone are remembered until the session ends, and no longer; the trees
themselves stand in files that the plan names.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock, Thread
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Int64
from ontomask.columns.looking import Look, looks
from ontomask.errors import Fault, OntomaskError
from ontomask.hierarchies import Gsl, Hierarchy
from ontomask.hierarchies.drawing import Drawn, drawn_of, level_rows
from ontomask.hierarchies.edited import as_edited
from ontomask.hierarchies.findings import Findings, findings_of
from ontomask.hierarchies.improve import Edit, Insert, Proposal, Rename, after, improved, proposals
from ontomask.ontology.formats.nested import NO_CONCEPT
from ontomask.plan import AttributePlan, Plan
from ontomask.progress import Listener
from ontomask.tables.filed import state_of
from ontomask.web.page import short_name
from ontomask.web.work import Work
from ontomask.web.working import Job

SOON = 200
"""Values of a tree for which proposals are found while a page is waited for; of larger ones in a process."""
MOST_PROPOSED = 1_500
"""Values of a tree for which proposals are looked for at all: every label is compared with every value."""
_SEEN, _STEPS = 4, 10  # of each column: plans under which it was seen, and edits that can be undone


class Seen:
    """A column that was looked at, and how its tree is judged."""

    def __init__(self, look: Look, plan: Plan, name: str, gsl: Gsl | None = None) -> None:
        self.look, self._plan, self._name = look, plan, name
        if gsl is not None:
            self.gsl = gsl
        self.found: list[Proposal] | None = None

    @property
    def tree(self) -> Hierarchy:
        """The tree; only of a column that has one."""
        assert self.look.tree is not None
        return self.look.tree

    @cached_property
    def gsl(self) -> Gsl | None:
        """How much meaning the tree loses, by the measure of the published scores."""
        if not self.look.is_judged:
            return None
        ontology = self._plan.meaning_of(self._plan.attributes[self._name])
        return Gsl(self.tree, ontology, self.look.concepts)

    @cached_property
    def findings(self) -> Findings | None:
        """What is worth a look."""
        return None if self.gsl is None else findings_of(self.gsl, only_unusual=True)

    @cached_property
    def drawn(self) -> Drawn:
        """The tree with its marks and levels."""
        if self.gsl is None or self.findings is None:
            return Drawn(self.tree, self.look.rows)
        return drawn_of(self.gsl, self.findings, self.look.rows)

    @cached_property
    def levels(self) -> list[tuple[str, ...]]:
        """Of each level its number, labels and examples."""
        return level_rows(self.drawn)

    def label(self, named: str) -> str | None:
        """The label of a short name, which addresses and forms have for it, so that they tell none."""
        return next((label for label in self.tree.labels if short_name(label) == named), None)

    @cached_property
    def rows(self) -> Int64:
        """Rows at or below each node."""
        return self.tree.sums(self.look.rows)

    @cached_property
    def meant(self) -> dict[str, str]:
        """The concept of each label that has one, as the file says it; an edit leaves most as they are."""
        if self.gsl is None:
            return {}
        pairs = zip(self.tree.labels, self.look.concepts.tolist(), strict=True)
        named = {label: self.gsl.ontology.key(concept) for label, concept in pairs if concept >= 0}
        return named | {label: one for label, one in self.tree.concepts.items() if one == NO_CONCEPT}

    def with_edit(self, edit: Edit) -> Seen:
        """The column with an edited tree, which says what its labels stand for."""
        if self.gsl is None:
            tree = improved(self.tree, [edit])
            unknown = np.full(len(tree.labels), -1, np.int32)
            return Seen(replace(self.look, tree=tree, concepts=unknown), self._plan, self._name)
        gsl = after(self.gsl, edit)
        look = replace(self.look, tree=gsl.hierarchy, concepts=gsl.concepts)
        edited = Seen(look, self._plan, self._name, gsl)
        named = {edit.to: edit.concept} if isinstance(edit, Rename) else {}
        edited.meant = self.meant | named | ({edit.new: NO_CONCEPT} if isinstance(edit, Insert) else {})
        return edited

    def as_file(self) -> Hierarchy:
        """The tree as it is written."""
        tree = self.look.as_file()
        return tree if self.gsl is None else replace(tree, concepts=self.meant)


class Question(NamedTuple):
    """All that what is seen of a column depends on: what the plan says, and the files that it names."""

    said: str
    stamps: frozenset[tuple[Path, tuple[int, ...]]]

    def but(self, file: Path) -> Question:
        """Whatever stands in a file."""
        return Question(self.said, frozenset(one for one in self.stamps if one[0] != file))


@dataclass(frozen=True)
class Before:
    """How it was before an edit, what was asked and seen then; and what the edit made of plan and file.

    `written` is the digest of the file.
    """

    said: Mapping[str, Any]
    question: Question
    seen: Seen
    content: bytes | None
    file: Path
    given: Mapping[str, Any]
    written: str


class Trees:
    """What a session knows of the trees of a table; pages may be asked for at the same time."""

    def __init__(self) -> None:
        self.refused: dict[str, set[str]] = {}
        self.before: dict[str, deque[Before]] = {}
        self._known: dict[str, dict[Question, Seen | tuple[Fault, ...]]] = {}
        self._asked: tuple[Job, Plan, dict[str, Question]] | None = None
        self._lock = RLock()

    @classmethod
    def of(cls, work: Work) -> Trees:
        """Those of the session."""
        found: Trees = work.remembered.setdefault("hierarchies", cls())
        return found

    def known(self, work: Work, plan: Plan, name: str) -> Seen | tuple[Fault, ...] | None:
        """A column as the plan has it now, or why it cannot be read; None if it was not looked at yet."""
        with self._lock:
            question, known = question_of(work, plan, name), self._known.get(name, {})
            if question not in known:
                return None
            known[question] = known.pop(question)  # what is forgotten first was not asked for longest
            return known[question]

    def keep(self, work: Work, plan: Plan, name: str, seen: Seen) -> None:
        """Remember how a column is seen under a plan, so that nothing is read again."""
        self._keep(name, question_of(work, plan, name), seen)

    def _keep(self, name: str, question: Question, seen: Seen | tuple[Fault, ...]) -> None:
        with self._lock:
            known = self._known.setdefault(name, {})
            known.pop(question, None)
            known[question] = seen
            for forgotten in list(known)[:-_SEEN]:
                del known[forgotten]

    def can_be_undone(self, name: str, before: Before) -> None:
        """Remember how a column was before an edit."""
        self.before.setdefault(name, deque(maxlen=_STEPS)).append(before)

    def looked_at(self, work: Work, plan: Plan, names: Sequence[str]) -> Job | None:
        """The task that looks at those columns that were not looked at yet; None if all were."""
        with self._lock:
            self._take()
            questions = {name: question_of(work, plan, name) for name in names}
            missing = {name: one for name, one in questions.items() if one not in self._known.get(name, {})}
            if not missing:
                return None
            asked = tuple(missing.items())
            job = work.found_out("hierarchies", asked, looks, work.table, plan, tuple(missing))
            self._asked = job, plan, missing
            return self.looked_at(work, plan, names) if job.result is not None else job

    def _take(self) -> None:
        """Remember what a task has found out, of the plan that it was asked about."""
        if self._asked is None or self._asked[0].result is None:
            return
        (job, plan, questions), self._asked = self._asked, None
        seen = {
            name: Seen(found, plan, name) for name, found in job.result.items() if isinstance(found, Look)
        }
        for name, found in job.result.items():
            self._keep(name, questions[name], seen.get(name, found))
        Thread(target=_prepare, args=(seen.values(),), daemon=True, name="gets ready for edits").start()

    def proposals(self, work: Work, name: str, seen: Seen) -> tuple[list[Proposal], Job | None]:
        """Edits that nobody refused; and the task that looks for them if it is not over, or failed."""
        with self._lock:
            if seen.found is None and seen.gsl is not None and seen.look.is_editable:
                if seen.tree.n_values <= SOON:
                    seen.found = proposals(seen.gsl)
                elif seen.tree.n_values <= MOST_PROPOSED:
                    question = (name, seen.tree.labels, seen.tree.levels.tobytes())
                    job = work.found_out("proposals", question, _proposed, seen.gsl)
                    if job.result is None:
                        return [], job
                    seen.found = job.result
            return self.open_proposals(name, seen), None

    def open_proposals(self, name: str, seen: Seen) -> list[Proposal]:
        """As far as they are known."""
        refused = self.refused.get(name, set())
        return [one for one in seen.found or () if str(one.edit) not in refused]


def _prepare(columns: Iterable[Seen]) -> None:
    """Write the trees for nobody, so that no click waits for what is remembered of their labels."""
    for seen in columns:
        if seen.look.tree is not None and seen.look.is_editable:
            with suppress(OntomaskError):  # the edit tells it
                as_edited(seen.as_file())


def _proposed(gsl: Gsl, listener: Listener) -> list[Proposal]:
    return proposals(gsl)


def question_of(work: Work, plan: Plan, name: str) -> Question:
    """What is asked when a column is looked at."""
    settings = plan.attributes[name]
    said = {key: value for key, value in settings.as_dict().items() if key != "release"}
    asked = (
        json.dumps(said, default=str),
        plan.is_truthful(name),
        plan.least_told,
        plan.method,
        plan.table,
        plan.table_options(),
    )
    return Question(repr(asked), frozenset(_stamps(work, plan, settings)))


def _stamps(work: Work, plan: Plan, settings: AttributePlan) -> Iterator[tuple[Path, tuple[int, ...]]]:
    asked = settings.hierarchy
    named = [settings.ontology, settings.labels, settings.mapping, settings.synonyms]
    named += [*(asked.files or ()), asked.ranges] if asked else []
    for path in (work.table, *(plan.path_of(one) for one in named if one)):
        yield path, state_of([path])[0]
