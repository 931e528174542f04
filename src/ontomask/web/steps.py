"""What the pages show, gathered: columns with their proposals, what is still open, what will be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import Any, NamedTuple

from ontomask.errors import Fault, OntomaskError
from ontomask.plan import Plan
from ontomask.profile import ColumnProfile, TableProfile
from ontomask.profile.draft import EFFECT
from ontomask.web.session import PlanText, Work, report_of

ROLES = {
    "identifier": "Drop it",
    "quasi-identifier": "Mask it",
    "confidential": "Keep it: confidential",
    "other": "Keep it: harmless",
}
MEANS = {
    "identifier": "points at one person",
    "quasi-identifier": "outsiders may know it",
    "confidential": "outsiders do not know it, analysts study it",
    "other": "says nothing about a person",
}


PATHS = ("/table", "/release")


class Step(NamedTuple):
    """A page, and how many things are to be decided there."""

    path: str
    title: str
    open: int


class ColumnRow(NamedTuple):
    """A column on the page of the table."""

    name: str
    role: str
    effect: str
    proposed: str
    kind: str
    ontology: str
    facts: str
    why: str
    advice: str
    instead: Sequence[Mapping[str, Any]]

    @property
    def is_open(self) -> bool:
        """Whether a person has to decide."""
        return self.role == "undecided"


def steps_of(work: Work, plan: PlanText) -> list[Step]:
    """The pages, each with what is still to be decided."""
    return [
        Step("/table", "Table", sum(row.is_open for row in column_rows(work, plan.plan))),
        Step("/release", "Release", len(not_accepted(work, plan.plan))),
    ]


def column_rows(work: Work, plan: Plan | None) -> list[ColumnRow]:
    """The columns, those first that are to be decided, most telling first."""
    profile = work.profile
    known = {one.name: one for one in profile.columns} if profile else {}
    said = {} if plan is None else plan.attributes
    first = work.first_rows
    names = known or said or dict.fromkeys(first[0] if first else ())
    rows = [_column_row(name, known.get(name), plan) for name in names]
    telling = {name: at for at, name in enumerate(profile.undecided if profile else ())}
    return sorted(rows, key=lambda row: (not row.is_open, telling.get(row.name, 0) if row.is_open else 0))


def _column_row(name: str, found: ColumnProfile | None, plan: Plan | None) -> ColumnRow:
    said = None if plan is None else plan.attributes.get(name)
    role = said.role if said else "undecided"
    effect = EFFECT.get(role, "a keyed name in its place" if role == "pseudonym" else "nothing is released")
    if found is None:
        kind, ontology = (said.kind, said.ontology or "") if said else ("", "")
        return ColumnRow(name, role, effect, "", kind, ontology, "", "", "", ())
    proposed = str(found.coverage.ontology) if found.coverage else ""
    ontology = (said.ontology if said else None) or proposed
    return ColumnRow(
        name,
        role,
        effect,
        found.role,
        said.kind if said and role in ("quasi-identifier", "confidential") else found.kind,
        Path(ontology).name,
        found.facts,
        found.why,
        found.advice,
        () if found.sure else found.instead,
    )


def read_notes(profile: TableProfile) -> list[tuple[str, str]]:
    """How the table is read, as far as that was found out."""
    told = {
        "encoding": "Encoding",
        "separator": "Between columns",
        "decimal": "Decimal mark",
        "thousands": "Thousands mark",
        "na_values": "No value",
        "header_row": "Names stand in row",
    }
    found = [(title, getattr(profile.options, key, None)) for key, title in told.items()]
    return [
        (title, ", ".join(one or "(empty)" for one in value) if isinstance(value, tuple) else repr(value))
        for title, value in found
        if value is not None
    ]


def not_accepted(work: Work, plan: Plan | None) -> list[Fault]:
    """The warnings that stopped the last run, as far as the plan does not accept them meanwhile."""
    failure = work.command.failure if work.command else None
    if failure is None or failure.kind != "NotAcceptedError":
        return []
    accepted = (plan.accept if plan else None) or ()
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


def release_command(work: Work, name: str, internal: bool) -> list[str]:
    """The words of the command that makes the release."""
    table = work.named(work.table)
    words = ["anonymize", f"./{table}" if table.startswith("-") else table]
    words += ["--plan", work.named(work.plan_file), "-o", name, "--report", report_of(name)]
    return [*words, "--internal"] if internal else words


def command_line(words: Sequence[str]) -> str:
    """A command as a shell takes it."""
    return join(["ontomask", *words])
