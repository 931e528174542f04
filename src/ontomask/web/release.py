"""Step Release: what will be written, what stops it, the run, and what was written."""

from __future__ import annotations

from shlex import join
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.errors import Fault, OntomaskError
from ontomask.plan import Plan
from ontomask.plan.editing import with_key
from ontomask.web.page import Form, Page
from ontomask.web.table import ROLES, column_rows
from ontomask.web.work import PlanText, Work, report_of


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """What will be written, what stops it, and what was written."""
    name, internal = asked.get("name") or default_name(work), asked.get("internal") == "on"
    job = work.jobs.get("release")
    failure = job.failure if job else None
    found = work.released(name)
    return {
        "name": name,
        "internal": internal,
        "columns": column_rows(work, plan.plan),
        "undecided": plan.plan.with_role("undecided") if plan.plan else (),
        "stops": () if plan.plan is None else why_not_runnable(work, plan.plan),
        "promised": told_promise(plan.plan) if plan.plan else "",
        "roles": ROLES,
        "open_warnings": not_accepted(work, plan),
        "accepted": (plan.plan.accept if plan.plan else None) or (),
        "failure": failure if failure and failure.kind != "NotAcceptedError" else None,
        "command": join(["ontomask", *command_of(work, name, internal)]),
        "released": found,
        "is_of_plan": found is not None and plan.plan is not None and found.plan_digest == plan.plan.digest,
    }


def run(work: Work, form: Form) -> str:
    """Accept what was accepted by name, and start the command."""
    plan, name = work.plan(), work.target(form["name"]).name
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    internal = form["internal"] == "on"
    work.check_idle("release")
    accepted = [*(plan.plan.accept or ()), *form.all("accept")]
    if left := [fault for fault in not_accepted(work, plan) if fault.value not in accepted]:
        raise OntomaskError(
            f"{len(left)} {'warning is' if len(left) == 1 else 'warnings are'} not ticked",
            details=tuple(fault.text for fault in left),
            remedy="tick what you accept, or change what it speaks of",
        )
    if plan.plan.accept is None or len(accepted) > len(plan.plan.accept):
        work.write_plan(with_key(plan.text, ["accept"], list(dict.fromkeys(accepted))))
    work.remembered["release"] = plan.plan.asked_digest
    work.run("release", *command_of(work, name, internal))
    return f"/release?{urlencode({'name': name} | ({'internal': 'on'} if internal else {}))}"


def not_accepted(work: Work, plan: PlanText) -> list[Fault]:
    """The warnings that stopped the last run of this plan, as far as it does not accept them meanwhile."""
    job = work.jobs.get("release")
    failure = job.failure if job else None
    if failure is None or failure.kind != "NotAcceptedError" or plan.plan is None:
        return []
    if plan.plan.asked_digest != work.remembered.get("release"):
        return []  # of another plan
    accepted = plan.plan.accept or ()
    return [fault for fault in failure.faults if fault.value not in accepted]


def why_not_runnable(work: Work, plan: Plan) -> tuple[Fault, ...]:
    """What stops a run before it begins."""
    try:
        plan.check_runnable()
        if work.profile is not None:
            plan.check_against([one.name for one in work.profile.columns])
    except OntomaskError as error:
        return error.faults
    return ()


def told_promise(plan: Plan) -> str:
    """What every release of a plan keeps, in a sentence."""
    said = plan.promised or f"every row is like {plan.least_size - 1} others at least in what is masked"
    return f"{said[:1].upper()}{said[1:]} (method {plan.method.name})."


def command_of(work: Work, name: str, internal: bool) -> list[str]:
    """The words of the command that makes the release."""
    table = work.named(work.table)
    words = ["anonymize", f"./{table}" if table.startswith("-") else table]
    words += ["--plan", work.named(work.plan_file), "-o", name, "--report", report_of(name)]
    return [*words, "--internal"] if internal else words


def default_name(work: Work) -> str:
    """The name of a release, if none is asked for."""
    suffix = work.table.suffix if work.table.suffix in (".csv", ".tsv", ".parquet", ".xlsx") else ".csv"
    return f"{work.table.stem}.release{suffix}"


PAGE = Page("release", "Release", show, {"run": run}, lambda work, plan: len(not_accepted(work, plan)))
