"""Step Protection: risk as it is, what must hold, which method and k, and what they would do to the table."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.assessment.comparison import plan_for, sizes_in
from ontomask.errors import Fault, OntomaskError, PlanError
from ontomask.methods import METHODS
from ontomask.plan import Plan
from ontomask.plan.editing import with_changes
from ontomask.report import words
from ontomask.report.choices import losing_least, refusals
from ontomask.web import trying
from ontomask.web.comparing import map_of, offers_of, removed_by
from ontomask.web.page import Again, Form, Page
from ontomask.web.release import step_for, why_not_runnable
from ontomask.web.requirements import (
    ColumnLimit,
    Question,
    by_key,
    limits,
    questions,
    settings_typed,
    suppress_typed,
    unit_typed,
    units,
)
from ontomask.web.trying import COMPARED, OWN, RISK, chosen, command, comparison, last_compared, risk
from ontomask.web.work import PlanText, Work

USUAL = {
    3: "data that stay within an institution",
    5: "science under a contract",
    10: "health data under a contract",
    20: "files that anybody may get",
}
"""Which k is taken for what: habits, and no laws."""

# ---------------------------------------------------------------------- what is shown


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """All of the page; what takes long is begun here, and shown once it is known."""
    if plan.plan is None:
        return {"stops": (), "is_ready": False}
    stops = why_not_runnable(work, plan.plan)
    if stops:
        return {"stops": stops, "is_ready": False}
    job = comparison(work, plan.plan)
    found = (job.result if job else None) or []
    own, counted = chosen(work, plan.plan, found), risk(work, plan.plan)
    known = [*found, *([own] if own and own not in found else [])]
    at = next((one for one in known if one.digest and one.digest[:12] == asked.get("at")), own)
    best = losing_least(found)
    is_other = at is not None and at.digest != plan.plan.asked_digest
    first = [one for one in found if one in best or (own and one.row and one.digest == own.digest)]
    first.sort(key=lambda one: one.k or 0)
    link = partial(_address, internal=asked.get("internal") == "on")
    return {
        "stops": (),
        "is_ready": True,
        "risk_job": counted,
        "risk": counted.result,
        "unit_now": plan.plan.privacy.unit,
        "may_be_units": [one.name for one in work.profile.units] if work.profile else [],
        "masked": plan.plan.with_role("quasi-identifier"),
        "compared": job,
        "is_stale": job is None and last_compared(work) is not None,
        "found": found,
        "losing_least": best,
        "first": first,
        "others": [one for one in found if one.row and one not in first],
        "refusals": refusals(found),
        "map": map_of(found, plan.plan, link),
        "own_job": work.jobs.get(OWN) if own is None or own not in found else None,
        "own": own,
        "removed": {one.digest: removed_by(plan.plan, one) for one in known if one.row},
        "at": at,
        "samples": at.samples_for(plan.plan) if at else [],
        "is_other": is_other,
        "internal": asked.get("internal") == "on",
        "said": "Saved." if "saved" in asked else "",
        "accepted": () if is_other else plan.plan.accepted,
        "least_size": plan.plan.least_size,
        "own_k": plan.plan.privacy.k,
        "address": link,
        "command": command(work),
        "percent": words.percent,
        "usual": USUAL,
        "step_for": step_for,
        **_form(work, plan.plan),
        **offers_of(work, plan.plan),
    }


def n_open(work: Work, plan: PlanText) -> int:
    """One, if nobody said what must hold, or if the plan is known to be refused."""
    if plan.plan is None:
        return 0
    job = work.jobs.get(OWN)
    is_own = job and job.result and job.result.digest == plan.plan.asked_digest
    return int(not plan.plan.privacy.given or bool(is_own and job and job.result.refused))


# ---------------------------------------------------------------------- what can be done


def require(work: Work, form: Form) -> str | Again:
    """Put what must hold into the plan."""
    plan = work.plan()
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    if form["digest"] != plan.digest:
        fault = Fault("the plan was changed elsewhere meanwhile", remedy="look at it, and save again")
        return Again(_form(work, plan.plan, form) | {"changed": True}, (fault,))
    after = settings_typed(plan.plan, _names(work), form)
    try:
        text = with_changes(plan.text, plan.plan.as_dict(only_given=True), after)
        faults = work.read(text).faults
    except PlanError as error:
        faults = error.faults
    if faults:
        return Again(_form(work, plan.plan, form, faults))
    work.write_plan(text)
    return "/protection?saved"


def compare(work: Work, form: Form) -> str | Again:
    """Start to compare methods at several k."""
    plan = work.plan().plan
    if plan is None:
        raise OntomaskError(*work.plan().faults)
    methods = [name for name in form.all("method") if name in METHODS]
    try:
        if not methods:
            raise OntomaskError("no method is chosen", remedy="choose one at least")
        trying.compare(work, plan, methods, sizes_in(form["k"]))
    except OntomaskError as error:
        again = offers_of(work, plan, methods, form["k"])
        return Again(again | {"compare_faults": by_key(error.faults).values(), "focus": "k"})
    return "/protection#method"


def choose(work: Work, form: Form) -> str:
    """Put a method and k that were compared into the plan."""
    plan = work.plan()
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    job = comparison(work, plan.plan)
    known = (job.result if job else None) or []
    wanted = next((one for one in known if one.row and one.digest[:12] == form["at"]), None)
    if wanted is None:
        raise OntomaskError("that was compared for another plan", remedy="compare again")
    text = with_changes(plan.text, plan.plan.as_asked(only_given=True), wanted.settings)
    read = work.read(text)
    if read.plan is None or read.plan.asked_digest != wanted.digest:
        raise OntomaskError("the plan cannot be changed here to that", remedy="edit the plan itself")
    work.write_plan(text)
    return _address("", internal=form["internal"] == "on")


def use_method(work: Work, form: Form) -> str:
    """Put a method into the plan, whether it was compared or not."""
    plan = work.plan()
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    if form["name"] not in METHODS:
        raise OntomaskError(f"there is no method {form['name']!r}", value=form["name"])
    after = plan_for(plan.plan, form["name"], plan.plan.privacy.k or plan.plan.least_size)
    now = plan.plan.as_asked(only_given=True)
    work.write_plan(with_changes(plan.text, now, after.as_asked(only_given=True)))
    return _address("", internal=False)


def again(work: Work, form: Form) -> str:
    """Find out once more what was cancelled, or ended."""
    plan, before = work.plan().plan, trying.last_compared(work)
    if form["of"] == COMPARED and plan and before:
        trying.compare(work, plan, before.methods, before.k)
    elif form["of"] in (OWN, RISK):
        work.forget(form["of"])
    return "/protection"


# ---------------------------------------------------------------------- parts of the page


def _form(work: Work, plan: Plan, typed: Form | None = None, faults: Sequence[Fault] = ()) -> dict[str, Any]:
    wrong = by_key(faults)
    asked, limited = questions(plan, typed, faults), limits(plan, typed, faults)
    of_columns = [fault for limit in limited for fault in limit.faults]
    told = {one.key for one in asked} | {"suppress", "unit"}
    others = by_key(fault for fault in faults if fault not in of_columns)
    return {
        "questions": asked,
        "has_confidential": bool(plan.with_role("confidential")),
        "limits": limited,
        "suppress": suppress_typed(plan, typed),
        "unit": unit_typed(plan, _names(work), typed) or "",
        "units": units(plan, _names(work)),
        "wrong": wrong,
        "focus": _first_wrong(asked, limited, wrong),
        "elsewhere": [fault for key, found in others.items() if key not in told for fault in found],
        "is_typed": typed is not None,
        "changed": False,
        "promised": plan.promised,
    }


def _first_wrong(asked: Sequence[Question], limited: Sequence[ColumnLimit], wrong: Container[str]) -> str:
    """The name of the first field of the form that is wrong; empty if none is."""
    fields = [line.name for one in asked for line in one.lines if line.is_wrong]
    fields += [key for key in ("suppress", "unit") if key in wrong]
    fields += [f"max_loss|{limit.number}" for limit in limited if limit.faults]
    return next(iter(fields), "")


def _names(work: Work) -> list[str]:
    """The columns of the table, as far as it was looked at."""
    return [one.name for one in work.profile.columns] if work.profile else []


def _address(at: str, internal: bool) -> str:
    told = ({"at": at} if at else {}) | ({"internal": "on"} if internal else {})
    return f"/protection?{urlencode(told)}#chosen" if told else "/protection#chosen"


PAGE = Page(
    "protection",
    "Protection",
    show,
    {"require": require, "compare": compare, "choose": choose, "method": use_method, "again": again},
    n_open,
)
