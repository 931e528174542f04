"""Step Release: what will be written, what stops it, the run, and what was written."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.errors import Fault, OntomaskError
from ontomask.options import Option, options_of
from ontomask.plan import Plan
from ontomask.plan.editing import with_changes
from ontomask.plan.sign_off import SignOff
from ontomask.web.page import Form, Page, short_name
from ontomask.web.table import ROLES, column_rows
from ontomask.web.work import PlanText, Work, report_of


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """What will be written, what stops it, and what was written."""
    name, internal = asked.get("name") or default_name(work), asked.get("internal") == "on"
    job = work.jobs.get("release")
    is_running = job is not None and not job.is_over  # first of all: what it writes is looked for after that
    failure = job.failure if job else None
    found = work.released(name)
    return {
        "is_running": is_running,
        "name": name,
        "internal": internal,
        "columns": column_rows(work, plan.plan),
        "undecided": plan.plan.with_role("undecided") if plan.plan else (),
        "stops": () if plan.plan is None else why_not_runnable(work, plan.plan),
        "promised": told_promise(plan.plan) if plan.plan else "",
        "roles": ROLES,
        "short_name": short_name,
        "open_warnings": not_accepted(work, plan),
        "accepted": (plan.plan.accept if plan.plan else None) or (),
        "reasons": (plan.plan.sign_off and plan.plan.sign_off.reasons) or {} if plan.plan else {},
        "sign_off": sign_off_fields(plan.plan) if plan.plan else [],
        "failure": failure if failure and failure.kind != "NotAcceptedError" else None,
        "command": join(["ontomask", *command_of(work, name, internal)]),
        "released": found,
        "is_of_plan": found is not None and plan.plan is not None and found.plan_digest == plan.plan.digest,
    }


def run(work: Work, form: Form) -> str:
    """Accept what was accepted by name, keep what who signs is told, and start the command."""
    plan, name = work.plan(), work.target(form["name"]).name
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    internal = form["internal"] == "on"
    work.check_idle("release")
    asked = not_accepted(work, plan)
    sent = [name.splitlines() for name in form.all("accept")]
    ticked = [str(fault.value) for fault in asked if str(fault.value).splitlines() in sent]
    if left := [fault for fault in asked if fault.value not in ticked]:
        raise OntomaskError(
            f"{len(left)} {'warning is' if len(left) == 1 else 'warnings are'} not ticked",
            details=tuple(fault.text for fault in left),
            remedy="tick what you accept, or change what it speaks of",
        )
    before = plan.plan.as_dict(only_given=True)
    after = {key: value for key, value in before.items() if key != "sign_off"}
    after["accept"] = (*(plan.plan.accept or ()), *ticked)
    if said := _sign_off(plan.plan, form, ticked):
        after["sign_off"] = said
    text = with_changes(plan.text, before, after)
    if text != plan.text:
        work.write_plan(text)
    work.remembered["release"] = plan.plan.asked_digest
    work.run("release", *command_of(work, name, internal))
    return f"/release?{urlencode({'name': name} | ({'internal': 'on'} if internal else {}))}"


def sign_off_fields(plan: Plan) -> list[tuple[Option, str]]:
    """What who signs is told, with what the plan says of each."""
    said = {} if plan.sign_off is None else plan.sign_off.as_dict()
    return [(one, said.get(key, "")) for key, one in options_of(SignOff).items() if one.kind is str]


def _sign_off(plan: Plan, form: Form, accepted: Sequence[str]) -> dict[str, Any]:
    """What who signs is told, as the plan says and as was typed."""
    said = {} if plan.sign_off is None else plan.sign_off.as_dict()
    typed = {one.name: form.all(one.name) for one, _ in sign_off_fields(plan)}
    said |= {key: _one_line(sent[-1]) for key, sent in typed.items() if sent}
    reasons = {name: _one_line(form[f"reason|{short_name(name)}"]) for name in accepted}
    said["reasons"] = said.get("reasons", {}) | {name: reason for name, reason in reasons.items() if reason}
    return {key: value for key, value in said.items() if value}


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
