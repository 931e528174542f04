"""What must hold, as a form made of what requirements and limits declare; what has no field stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ontomask.errors import Fault
from ontomask.plan import Plan
from ontomask.plan.marked_yaml import Written
from ontomask.plan.parts import LIMITS
from ontomask.plan.values import natural
from ontomask.privacy import REQUIREMENTS
from ontomask.privacy.requirement import Blank, Requirement
from ontomask.web.page import Form


class Line(NamedTuple):
    """Something to be filled in: its field, and the way that the number is counted, if that can be chosen.

    `stays` is what stands in the plan and has no field.
    """

    blank: Blank
    name: str
    value: str
    column: str = ""
    way: str = ""
    stays: str = ""


@dataclass(frozen=True)
class Question:
    """A requirement on the page."""

    key: str
    kind: type[Requirement]
    lines: Sequence[Line]
    faults: Sequence[Fault] = ()

    @property
    def is_asked(self) -> bool:
        """Whether the plan asks for it, or somebody tried to."""
        return bool(self.faults) or any(line.value or line.stays for line in self.lines)


class ColumnLimit(NamedTuple):
    """How far a masked column may move."""

    column: str
    keep: bool
    max_loss: str


def questions(plan: Plan, typed: Form | None = None, faults: Iterable[Fault] = ()) -> list[Question]:
    """The requirements that can be asked for, with what the plan says, or what was typed."""
    wrong = by_key(faults)
    asked = _asked(plan)
    return [
        Question(key, kind, lines, wrong.get(key, ()))
        for key, kind in REQUIREMENTS.items()
        if (lines := _lines(plan, kind, asked.get(key), typed))
    ]


def limits(plan: Plan, typed: Form | None = None) -> list[ColumnLimit]:
    """How far each masked column may move."""
    return [
        ColumnLimit(
            name,
            bool(plan.attributes[name].keep) if typed is None else typed[f"keep|{name}"] == "on",
            _text(plan.attributes[name].max_loss) if typed is None else typed[f"max_loss|{name}"],
        )
        for name in plan.with_role("quasi-identifier")
    ]


def settings_typed(plan: Plan, typed: Form) -> dict[str, Any]:
    """The settings of the plan with what was typed, right or wrong."""
    tree = plan.as_dict(only_given=True)
    privacy = _asked(plan)
    for key, kind in REQUIREMENTS.items():
        lines = _lines(plan, kind, privacy.get(key), typed)
        if lines:
            privacy[key] = _value(kind, lines, privacy.get(key))
    for key in ("suppress", "unit"):
        privacy[key] = _read(typed[key])
    columns = {name: dict(one) for name, one in tree.get("attributes", {}).items()}
    for limit in limits(plan, typed):
        column = columns[limit.column]
        column["keep"] = True if limit.keep else False if column.get("keep") is False else None
        column["max_loss"] = _read(limit.max_loss)
    return _without_none(tree | {"privacy": privacy, "attributes": columns})


def by_key(faults: Iterable[Fault]) -> dict[str, list[Fault]]:
    """Faults by the key of `privacy` that they are about, else by their section; of a text that is not saved
    lines mean nothing."""
    found: dict[str, list[Fault]] = {}
    for fault in faults:
        section, _, key = fault.key.partition(".")
        if section == "privacy" and not key:
            key, text = _split(fault.text)
            fault = replace(fault, text=text)
        known = key if section == "privacy" and (key in REQUIREMENTS or key in LIMITS) else section
        found.setdefault(known, []).append(replace(fault, file="", line=0, key=""))
    return found


def _asked(plan: Plan) -> dict[str, Any]:
    """What the plan asks for; a method that promises nothing is asked for nothing by default."""
    given = plan.privacy.given
    return {
        key: value for key, value in plan.privacy.settings.items() if key in given or plan.method.own.gives_k
    }


def _split(text: str) -> tuple[str, str]:
    """`l` and what is wrong, of `l: what is wrong`."""
    key, colon, rest = text.partition(": ")
    return (key, rest) if colon and key in (*REQUIREMENTS, *LIMITS) else ("", text)


def _lines(plan: Plan, kind: type[Requirement], asked: Any, typed: Form | None) -> list[Line]:
    if not kind.is_of_columns:
        has = asked if isinstance(asked, Mapping) else {"": asked}
        lines = [Line(blank, f"{kind.key}|{blank.key}", _text(has.get(blank.key))) for blank in kind.blanks]
    else:
        of = asked if isinstance(asked, Mapping) else {}
        columns = dict.fromkeys((*plan.with_role("confidential"), *map(str, of)))
        lines = [_column_line(kind, blank, name, of.get(name)) for name in columns for blank in kind.blanks]
    if typed is None:
        return lines
    return [
        line if line.stays else line._replace(value=typed[line.name].strip(), way=typed[f"{line.name}|way"])
        for line in lines
    ]


def _column_line(kind: type[Requirement], blank: Blank, column: str, asked: Any) -> Line:
    way, number = next(iter(asked.items())) if isinstance(asked, Mapping) and len(asked) == 1 else ("", asked)
    name = f"{kind.key}|{blank.key}|{column}"
    if isinstance(number, Mapping) or (way and way not in kind.ways):
        return Line(blank, name, "", column, stays=f"{asked}")
    return Line(blank, name, _text(number), column, way)


def _value(kind: type[Requirement], lines: Sequence[Line], asked: Any) -> Any:
    """What the plan says for the lines of a requirement; None: it is not asked for."""
    if not kind.is_of_columns:
        filled = {line.blank.key: _read(line.value) for line in lines if line.value}
        return filled.get("", filled or None)
    usual = next(iter(kind.ways), "")
    found = {
        line.column: asked[line.column]
        if line.stays
        else _read(line.value)
        if line.way in ("", usual)
        else {line.way: _read(line.value)}
        for line in lines
        if line.value or line.stays
    }
    return found or None


def _read(text: str) -> Any:
    """A text as a plan takes it: a number, or itself; None if nothing was typed."""
    return natural(Written(text.strip())) if text.strip() else None


def _text(value: Any) -> str:
    return "" if value is None else f"{value}"


def _without_none(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_none(value) if isinstance(value, Mapping) else value
        for key, value in tree.items()
        if value is not None
    }
