"""Step Table: the first rows, what was found out, and what each column is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from ontomask.errors import OntomaskError
from ontomask.ontology.catalog import LISTS
from ontomask.plan import FLAT, Plan
from ontomask.plan.editing import said_in, with_key
from ontomask.plan.marked_yaml import Written
from ontomask.plan.values import natural
from ontomask.profile import ColumnProfile, TableProfile
from ontomask.profile.deciding import with_kind, with_role, with_settings
from ontomask.profile.draft import EFFECT
from ontomask.report.words import instead_in_words
from ontomask.tables import TableOptions
from ontomask.web.page import Form, Page
from ontomask.web.work import PlanText, Work

ROLES = {
    "identifier": "Drop it",
    "quasi-identifier": "Mask it",
    "confidential": "Keep it: confidential",
    "other": "Keep it: harmless",
}
MEANS = {
    "identifier": "it points at one person, or nobody needs it",
    "quasi-identifier": "outsiders may know it; groups of people get one word, number or range",
    "confidential": "outsiders do not know it, analysts study it",
    "other": "anybody may know it, and it helps nobody to find a person",
}


KINDS = {
    "nominal": "words",
    "numeric": "numbers",
    "ordinal": "ordered categories",
    "date": "days, or days and times",
}


_AS_IT_IS = ("confidential", "other")
_CODED = {
    "round": "Rounded to multiples of",
    "bottom": "Lower numbers become",
    "top": "Higher numbers become",
}
# What becomes of columns that a plan does not name.
_WITHOUT = {"drop": "identifier", "keep": "other"}


class ColumnRow(NamedTuple):
    """A column on the page."""

    name: str
    role: str
    effect: str
    proposed: str
    kind: str
    ontology: str
    facts: str
    why: str
    advice: str
    order: Sequence[str]
    instead: Sequence[Mapping[str, Any]]
    rare: str | None = None
    no_value: str = ""
    coded: Mapping[str, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether a person has to decide."""
        return self.role == "undecided"

    @property
    def is_bolder(self) -> bool:
        """Whether it is released as it is, though it seems to point at single people."""
        return self.role in _AS_IT_IS and self.proposed == "identifier"

    @property
    def may_have_rare(self) -> bool:
        """Whether it has words that are released as they are, so that rare ones may be."""
        return self.role in _AS_IT_IS and self.kind == "nominal"

    @property
    def may_be_coded(self) -> bool:
        """Whether it has numbers that are released as they are, which may be rounded or cut off."""
        return self.role == "confidential" and self.kind == "numeric"


def show(work: Work, plan: PlanText, asked: QueryParams) -> dict[str, Any]:
    """First rows, what was found out, and the columns."""
    return {
        "job": work.look,
        "columns": column_rows(work, plan.plan),
        "n_open": n_open(work, plan),
        "first": work.first_rows,
        "profile": work.profile,
        "read": read_notes(work.profile) if work.profile else [],
        "roles": ROLES,
        "means": MEANS,
        "kinds": KINDS,
        "ontologies": ("wordnet", *LISTS, "flat"),
        "after": asked.get("after"),
        "not_asked": work.remembered.pop("not_asked", ()),
        "least": plan.plan.least_size if plan.plan else 0,
        "wording": _in_words,
        "coding": _CODED,
    }


def decide(work: Work, form: Form) -> str:
    """Give a column a role, or settings that were proposed for it."""
    text, before, profile, column = _of_column(work, form)
    given = _Given.of(before, column)
    instead = {str(at): settings for at, settings in enumerate(profile[column].instead)}
    if form["instead"] in instead:
        text = with_settings(text, column, instead[form["instead"]], is_chosen=True)
    else:
        text = with_role(text, profile, column, form["role"], work.plan_file.parent)  # type: ignore[arg-type]
    gone = work.remembered.setdefault("gone", {})
    given |= gone.get(column, _Given())
    after = _write(work, given.put_back(work, text, column))
    gone[column] = given.without(_Given.of(after, column))
    still = [str(one) for one in after.asked()]
    work.remembered["not_asked"] = [str(one) for one in before.asked() if str(one) not in still]
    return _address(column)


class _Given(NamedTuple):
    """What a plan said of a column: its settings, and what was asked of its values.

    A role that has no use for some of it takes it out; a session remembers that, so that who only tries
    another role loses nothing.
    """

    settings: Mapping[str, Any] = {}
    asked: Mapping[str, Any] = {}

    @classmethod
    def of(cls, plan: Plan, column: str) -> _Given:
        settings = plan.attributes[column].as_dict(only_given=True) if column in plan.attributes else {}
        said = {key: one for key, one in plan.privacy.settings.items() if isinstance(one, Mapping)}
        asked = {key: one[column] for key, one in said.items() if column in one}
        return cls({key: value for key, value in settings.items() if key not in ("role", "kind")}, asked)

    def __or__(self, gone: _Given) -> _Given:
        """With what went before."""
        return _Given({**gone.settings, **self.settings}, {**gone.asked, **self.asked})

    def without(self, still: _Given) -> _Given:
        """What is not said any more."""
        return _Given(
            {key: value for key, value in self.settings.items() if key not in still.settings},
            {key: value for key, value in self.asked.items() if key not in still.asked},
        )

    def put_back(self, work: Work, text: str, column: str) -> str:
        """The text of a plan with all of it that goes with what the plan says now."""
        for place, said in ((["attributes", column], self.settings), (["privacy"], self.asked)):
            for key, value in said.items():
                path = [*place, key] if place[0] == "attributes" else [*place, key, column]
                if said_in(text, path) is None and work.read(more := with_key(text, path, value)).plan:
                    text = more
        return text


def rare_values(work: Work, form: Form) -> str:
    """Say what is written in the place of the rare values of a column; nothing: they stay as they are."""
    text, plan, _, column = _of_column(work, form)
    if column not in plan.attributes:
        raise OntomaskError("nothing is decided of this column yet", column=column)
    _write(work, with_key(text, ["attributes", column, "rare"], form["rare"].strip() or None))
    return _address(column)


def code_numbers(work: Work, form: Form) -> str:
    """Say how the numbers of a column are rounded and cut off; nothing: they stay as they are."""
    text, plan, _, column = _of_column(work, form)
    if column not in plan.attributes:
        raise OntomaskError("nothing is decided of this column yet", column=column)
    for key in _CODED:
        typed = form[key].strip()
        text = with_key(text, ["attributes", column, key], natural(Written(typed)) if typed else None)
    _write(work, text)
    return _address(column)


def change_kind(work: Work, form: Form) -> str:
    """Read a column as another kind, or give its words another ontology."""
    text, plan, _, column = _of_column(work, form)
    kind = form["kind"]
    if column not in plan.attributes:
        raise OntomaskError("nothing is decided of this column yet", column=column)
    ontology = form["ontology"].strip() if kind == "nominal" else ""
    order = [one.strip() for one in form["order"].splitlines() if one.strip()] if kind == "ordinal" else []
    text = with_kind(text, plan, column, kind, ontology, order)
    marks = [one.strip() for one in form["no_value"].split(",") if one.strip()]
    if form.all("no_value") and marks != [one for one in plan.na_values_of(column) if one]:
        text = with_key(text, ["attributes", column, "na_values"], ["", *marks])
    _write(work, text)
    return _address(column)


def _write(work: Work, text: str) -> Plan:
    """Write a plan, unless it has faults: no click leaves one that only an editor can mend."""
    changed = work.read(text)
    if changed.plan is None:
        raise OntomaskError(*changed.faults)
    work.write_plan(changed.text)
    return changed.plan


def _of_column(work: Work, form: Form) -> tuple[str, Plan, TableProfile, str]:
    """The plan in which something is decided of a column, what the table seems to be, and the column."""
    plan, profile = work.plan(), work.profile
    if profile is None or plan.plan is None:
        raise OntomaskError(
            "nothing can be decided yet", remedy="wait until the table is read and the plan has no fault"
        )
    column = form.one_of("column", [one.name for one in profile.columns])
    if column is None:
        raise OntomaskError(f"there is no column {form['column']!r}", value=form["column"])
    return plan.text, plan.plan, profile, column


def _address(column: str) -> str:
    """The page with what was decided of a column in focus."""
    return f"/table?{urlencode({'after': column})}"


def again(work: Work, form: Form) -> str:
    """Read the table again."""
    work.look_again()
    return "/table"


def column_rows(work: Work, plan: Plan | None) -> list[ColumnRow]:
    """The columns, those first that were to be decided, most telling first: none moves when it is."""
    profile = work.profile
    known = {one.name: one for one in profile.columns} if profile else {}
    said = {} if plan is None else plan.attributes
    first = work.first_rows
    names = known or said or dict.fromkeys(first[0] if first else ())
    rows = [_column_row(name, known.get(name), plan) for name in names]
    telling = {name: at for at, name in enumerate(profile.undecided if profile else ())}
    is_open = {row.name for row in rows if row.is_open}
    return sorted(rows, key=lambda row: telling.get(row.name, len(telling) + (row.name not in is_open)))


def n_open(work: Work, plan: PlanText) -> int:
    """How many columns are to be decided; nothing is known before the table is read or a plan is there."""
    if work.profile is None and plan.plan is None:
        return 0
    return sum(row.is_open for row in column_rows(work, plan.plan))


def _column_row(name: str, found: ColumnProfile | None, plan: Plan | None) -> ColumnRow:
    said = None if plan is None else plan.attributes.get(name)
    role = said.role if said else _WITHOUT.get(plan.others if plan else "", "undecided")
    instead = instead_in_words(said) if said else ""
    effect = EFFECT.get(role, "a keyed name in its place" if role == "pseudonym" else "nothing is released")
    if instead:
        effect += f", but {instead}"
    if plan is not None and role == "quasi-identifier" and plan.method.own.gives_k:
        of_group = f"what is {'true of everybody in' if plan.is_truthful(name) else 'central to'} a group"
        effect = "stays as it is" if said and said.keep else f"{effect}: {of_group}"
    if found is None:
        kind, ontology = (said.kind, said.ontology or "") if said else ("", "")
        return ColumnRow(name, role, effect, "", kind, ontology, "", "", "", (), ())
    proposed = str(found.coverage.ontology) if found.coverage else ""
    ontology = (said.ontology if said else None) or proposed
    kind = said.kind if said and role in ("quasi-identifier", "confidential") else found.kind
    is_read_otherwise = kind != found.kind or Path(ontology).name != Path(proposed or ontology).name
    return ColumnRow(
        name,
        role,
        effect,
        found.role,
        kind,
        ontology if kind == "nominal" else "",
        found.facts,
        "" if is_read_otherwise else found.why,
        "" if is_read_otherwise else found.advice,
        (said.order if said else None) or found.values,
        () if found.sure else found.instead,
        said.rare if said else None,
        ", ".join(filter(None, plan.na_values_of(name))) if plan else "",
        {key: "" if (limit := getattr(said, key, None)) is None else f"{limit:.15g}" for key in _CODED},
    )


def _in_words(settings: Mapping[str, Any]) -> str:
    """Settings that may stand in the plan instead, as a button says them."""
    if settings.get("hierarchy") == {"by": "prefix"}:
        return "Mask it by its first characters"
    if settings.get("ontology") == FLAT:
        return "Mask it; each value means only itself"
    further = {key: value for key, value in settings.items() if key not in ("role", "na_values")}
    said = [f"{KINDS.get(str(value), value)}" for value in further.values()]
    marks = [one for one in settings.get("na_values", ()) if one not in TableOptions().na_values]
    none = f"; {', '.join(marks)} {'means' if len(marks) == 1 else 'mean'} no value" if marks else ""
    return f"{ROLES.get(settings.get('role', ''), 'Mask it')}, as {', '.join(said)}{none}"


def read_notes(profile: TableProfile) -> list[tuple[str, str]]:
    """How the table is read, as far as that was found out."""
    options = profile.options
    told = {
        "Encoding": options.encoding or "utf-8",
        "Names stand in row": options.header_row,
        "Before decimals": {",": "a comma", ".": "a point"}.get(profile.decimal or ""),
        "No value": ", ".join(one or "(empty)" for one in options.na_values),
    }
    return [(title, str(value)) for title, value in told.items() if value]


PAGE = Page(
    "table",
    "Table",
    show,
    {"role": decide, "kind": change_kind, "rare": rare_values, "code": code_numbers, "again": again},
    n_open,
)
