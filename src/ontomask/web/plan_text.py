"""The plan as it is on disk, to be edited as a text."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import QueryParams

from ontomask.errors import OntomaskError
from ontomask.web.page import Again, Form, Page
from ontomask.web.release import why_not_runnable
from ontomask.web.work import PlanText, Work


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """The text, and what is wrong with it."""
    return {
        "shown": plan,
        "is_saved": True,
        "changed": False,
        "said": "Saved." if "saved" in asked else "",
        "stops": () if plan.plan is None else why_not_runnable(work, plan.plan),
    }


def save(work: Work, form: Form) -> str | Again:
    """Put another plan in its place, if it has no fault and the one that was shown is still there."""
    typed = work.read(form["text"].replace("\r\n", "\n"))
    before = work.plan()
    if not before.is_readable:
        raise OntomaskError(*before.faults)
    changed = form["digest"] != before.digest
    if typed.faults or changed:
        return Again({"shown": typed, "is_saved": False, "changed": changed})
    work.write_plan(typed.text)
    if before.plan is None or typed.plan is None or typed.plan.table != before.plan.table:
        work.look_again()
    return "/plan?saved"


PAGE = Page("plan", "Plan", show, {"save": save}, lambda work, plan: len(plan.faults))
