"""What the step Protection finds out, in processes of its own, and what each answer depends on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from shlex import join
from typing import Any, NamedTuple

from ontomask.assessment.comparison import plan_for
from ontomask.assessment.exposure import exposure
from ontomask.plan import Plan
from ontomask.report.choices import Choice, choices, own_choice
from ontomask.tables.filed import state_of
from ontomask.web.work import Work
from ontomask.web.working import Job

OWN, RISK, COMPARED = "protection", "protection.risk", "protection.compared"
_OF_COLUMNS = ("version", "table", "attributes", "together", "others", "missing", "unmapped")
Stamps = tuple[tuple[str, tuple[int, ...]], ...]


class Compared(NamedTuple):
    """What is compared: the plans that it answers for, whatever their k, and the files as they were."""

    plans: frozenset[str]
    stamps: Stamps
    methods: tuple[str, ...]
    k: tuple[int, ...]


def risk(work: Work, plan: Plan) -> Job:
    """The risk of the table as it is."""
    of_columns = [plan.as_dict().get(key) for key in _OF_COLUMNS]
    asked = json.dumps([*of_columns, plan.privacy.unit], default=str)
    return _begun(work, RISK, asked, exposure, plan)


def chosen(work: Work, plan: Plan, found: Sequence[Choice]) -> Choice | None:
    """What the plan as it is would give; None as long as nobody knows."""
    for one in found:
        if one.digest == plan.asked_digest:
            return one
    result: Choice | None = _begun(work, OWN, plan.asked_digest, own_choice, plan).result
    return result


def compare(work: Work, plan: Plan, methods: Sequence[str], sizes: Sequence[int]) -> None:
    """Begin to compare; an error if the plan cannot be had with some method or k."""
    plans = [plan, *(plan_for(plan, name, size) for name in methods for size in sizes)]
    question = Compared(frozenset(map(_essence, plans)), _stamps(work, plan), tuple(methods), tuple(sizes))
    work.forget(COMPARED)
    work.found_out(COMPARED, question, choices, work.table, plan, methods, sizes)


def last_compared(work: Work) -> Compared | None:
    """What was compared last, for this plan or an earlier one."""
    asked = work.question(COMPARED)
    return asked if isinstance(asked, Compared) else None


def comparison(work: Work, plan: Plan) -> Job | None:
    """The comparison, if it answers for this plan, whatever its method and k; one that does not is ended."""
    asked = last_compared(work)
    if asked is None:
        return None
    job = work.jobs[COMPARED]
    if _essence(plan) in asked.plans and asked.stamps == _stamps(work, plan):
        return job
    job.cancel()
    return None


def command(work: Work) -> str:
    """The command that compares the same."""
    asked = last_compared(work)
    if asked is None:
        return ""
    told = ["ontomask", "compare", work.named(work.table), "--plan", work.named(work.plan_file)]
    told += ["--methods", ",".join(asked.methods), "--k", ",".join(map(str, asked.k)), "-o", "compare"]
    return join(told)


def _essence(plan: Plan) -> str:
    """A plan as a text, whatever its k."""
    tree = plan.as_asked()
    privacy = {key: value for key, value in tree["privacy"].items() if key != "k"}
    return json.dumps(tree | {"privacy": privacy}, default=str)


def _stamps(work: Work, plan: Plan) -> Stamps:
    """The files that a run reads, but the plan, as far as they are seen to change."""
    files = (work.table, *plan.files())
    return tuple((str(path), state_of([path])[0]) for path in files if path.resolve() != work.plan_file)


def _begun(work: Work, name: str, question: str, function: Any, plan: Plan) -> Job:
    return work.found_out(name, (question, _stamps(work, plan)), function, work.table, plan)
