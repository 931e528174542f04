"""Step Release: what will be written, what stops it, the run, and what was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import join
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.errors import Fault, OntomaskError
from ontomask.options import Option, options_of
from ontomask.plan import Plan
from ontomask.plan.editing import with_changes
from ontomask.plan.sign_off import SignOff
from ontomask.report.words import listed
from ontomask.web.page import Form, Page, short_name
from ontomask.web.table import ROLES, column_rows
from ontomask.web.work import PlanText, Released, Work, report_of

_STEP_FOR = {
    "doubtful words": "words",
    **dict.fromkeys(
        ("lost", "no k", "not k", "k not", "linked by", "one value", "rows ", "not masked"), "protection"
    ),
    "released before": "",
}


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """What will be written, what stops it, and what was written."""
    name, internal = asked.get("name") or default_name(work), asked.get("internal") == "on"
    job = work.jobs.get("release")
    is_running = job is not None and not job.is_over  # first of all: what it writes is looked for after that
    failure = job.failure if job else None
    found = work.released(name)
    is_of_plan = found is not None and plan.plan is not None and found.plan_digest == plan.plan.digest
    changed = work.changed_since(found) if found else []
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
        "step_for": step_for,
        "open_warnings": not_accepted(work, plan, name),
        "accepted": plan.plan.accepted if plan.plan else (),
        "reasons": work.remembered.get("reasons", {}) | (_reasons(plan.plan) if plan.plan else {}),
        "is_shuffled": plan.plan is None or plan.plan.shuffle is not False,
        "sign_off": sign_off_fields(plan.plan) if plan.plan else [],
        "failure": failure if failure and failure.kind != "NotAcceptedError" else None,
        "command": join(["ontomask", *command_of(work, name, internal)]),
        "released": found,
        "others": told_others(found.n_others, found.counts_people) if found and found.gives_k else "",
        "can_go_back": not is_of_plan and _plan_of(work, found) is not None,
        "is_current": is_of_plan and not changed,
        "is_of_plan": is_of_plan,
        "changed": changed,
        "told_changed": told_changed(changed),
    }


def run(work: Work, form: Form) -> str:
    """Accept what was accepted by name, keep what who signs is told, and start the command.

    Who wants it checked again, as the plan or a name is another one now, need not accept anything before.
    """
    plan, name = work.plan(), work.target(form["name"]).name
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    internal = form["internal"] == "on"
    work.check_idle("release")
    asked = [] if form["check"] else not_accepted(work, plan, name)
    sent = [name.splitlines() for name in form.all("accept")]
    ticked = [str(fault.value) for fault in asked if str(fault.value).splitlines() in sent]
    if left := [fault for fault in asked if fault.value not in ticked]:
        raise OntomaskError(
            f"{len(left)} {'warning is' if len(left) == 1 else 'warnings are'} not ticked",
            details=tuple(fault.text for fault in left),
            remedy="tick what you accept, or change what it speaks of",
        )
    before = plan.plan.as_dict(only_given=True)
    work.remembered["reasons"] = work.remembered.get("reasons", {}) | _reasons(plan.plan)
    text = with_changes(plan.text, before, _as_said(plan.plan, before, form, ticked))
    if text != plan.text:
        work.write_plan(text)
    work.remembered["release"] = _what_is_made(work.plan(), name)
    work.remembered.setdefault("made_with", {})[name] = work.plan().text
    work.run("release", *command_of(work, name, internal))
    return _address(name, internal)


def go_back(work: Work, form: Form) -> str:
    """Let the plan be again the one that a release of this session was made with."""
    text = _plan_of(work, work.released(form["name"]))
    if text is None:
        raise OntomaskError("the plan of that release is not known any more", value=form["name"])
    work.write_plan(text)
    return _address(form["name"], form["internal"] == "on")


def _plan_of(work: Work, found: Released | None) -> str | None:
    """The text of the plan that a release was made with, if that was in this session."""
    text: str | None = work.remembered.get("made_with", {}).get(found.outputs.release.name if found else "")
    plan = None if text is None else work.read(text).plan
    return text if found and plan and plan.digest == found.plan_digest else None


def take_back(work: Work, form: Form) -> str:
    """Do not accept a warning any more."""
    plan, name = work.plan(), form["warning"]
    if plan.plan is None:
        raise OntomaskError(*plan.faults)
    before = plan.plan.as_dict(only_given=True)
    accept = [one for one in plan.plan.accept or () if one.splitlines() != name.splitlines()]
    after = {key: value for key, value in before.items() if key != "sign_off"} | {"accept": tuple(accept)}
    kept = {key: why for key, why in _reasons(plan.plan).items() if key in accept}
    if said := _without_nothing(before.get("sign_off", {}) | {"reasons": kept}):
        after["sign_off"] = said
    work.write_plan(with_changes(plan.text, before, after))
    return _address(form["name"], form["internal"] == "on")


def _reasons(plan: Plan) -> dict[str, str]:
    """Why warnings were accepted; a session remembers it, as the next plan may be warned of the same."""
    return (plan.sign_off and plan.sign_off.reasons) or {}


def _address(name: str, internal: bool) -> str:
    return f"/release?{urlencode({'name': name} | ({'internal': 'on'} if internal else {}))}"


def _as_said(plan: Plan, before: dict[str, Any], form: Form, ticked: Sequence[str]) -> dict[str, Any]:
    """The plan with what was said of the release: the order of its rows, what is accepted, who signs what."""
    after = {key: value for key, value in before.items() if key != "sign_off"}
    if form["order"]:
        after["shuffle"] = form["shuffle"] == "on"
    after["accept"] = (*plan.accepted, *ticked)
    if ticked:
        after["accepted_for"] = Plan.from_dict(after, folder=plan.folder).asked_digest[:12]
    elif not plan.accepted:
        after.pop("accepted_for", None)
    if said := _sign_off(plan, form, ticked):
        after["sign_off"] = said
    return after


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
    kept = {name: why for name, why in _reasons(plan).items() if name in plan.accepted}
    said["reasons"] = kept | _without_nothing(reasons)
    return _without_nothing(said)


def _without_nothing(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if value}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def not_accepted(work: Work, plan: PlanText, name: str = "") -> list[Fault]:
    """The warnings that stopped the last run of this plan, as far as it does not accept them meanwhile.

    With a name, those of that release: another one may stand beside other files.
    """
    job = work.jobs.get("release")
    failure = job.failure if job else None
    if failure is None or failure.kind != "NotAcceptedError" or plan.plan is None:
        return []
    made = work.remembered.get("release")
    if made is None or made != _what_is_made(plan, name or made[1]):
        return []
    return [fault for fault in failure.faults if fault.value not in plan.plan.accepted]


def step_for(warning: str) -> str:
    """The page on which something can be done about what a warning of that name speaks of.

    >>> step_for("doubtful words: job"), step_for("rare values: ill")
    ('words', 'table')
    """
    return next((page for start, page in _STEP_FOR.items() if warning.startswith(start)), "table")


def _what_is_made(plan: PlanText, name: str) -> tuple[str, str]:
    """By which a run is known: what its plan asked for, and the name of the release."""
    return plan.plan.asked_digest if plan.plan else "", name


def why_not_runnable(work: Work, plan: Plan) -> tuple[Fault, ...]:
    """What stops a run before it begins."""
    try:
        plan.check_runnable()
        if work.profile is not None:
            plan.check_against([one.name for one in work.profile.columns])
    except OntomaskError as error:
        return error.faults
    return ()


def told_changed(files: Sequence[str]) -> str:
    """That files are not what a release was made from.

    >>> told_changed(["jobs.yaml", "people.csv"])
    'jobs.yaml and people.csv are not what it was made from any more'
    """
    return f"{listed(files)} {'is' if len(files) == 1 else 'are'} not what it was made from any more"


def told_others(n: int, are_people: bool) -> str:
    """What a row is like; `are_people`: of whom some have several rows.

    >>> told_others(1, False), told_others(4, True)
    ('1 other', 'rows of 4 other people')
    """
    if are_people:
        return f"rows of {n:,} other {'person' if n == 1 else 'people'}"
    return f"{n:,} {'other' if n == 1 else 'others'}"


def told_promise(plan: Plan) -> str:
    """What every release of a plan keeps, in a sentence."""
    others = told_others(plan.least_size - 1, plan.privacy.unit is not None)
    said = plan.promised or f"every row is like {others} at least in what is masked"
    also = f", and has {listed(plan.also_asked)}" if plan.also_asked else ""
    return f"{said[:1].upper()}{said[1:]}{also} (method {plan.method.name})."


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


PAGE = Page(
    "release",
    "Release",
    show,
    {"run": run, "take_back": take_back, "back": go_back},
    lambda work, plan: len(not_accepted(work, plan)),
)
