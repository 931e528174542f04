"""What must hold, as a form made of what requirements and limits declare; what has no field stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ontomask.errors import Fault
from ontomask.plan import Plan
from ontomask.plan.faults import dotted
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
    is_wrong: bool = False


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


WEIGHTS = {"0.5": "half as much as others", "1": "as much as others", "2": "twice", "4": "four times"}
"""How much a column may count in distances, on the page; a plan may say any other number."""


class ColumnLimit(NamedTuple):
    """How far a masked column may move, and how much it counts; its fields have the number of the column."""

    column: str
    number: int
    keep: bool
    max_loss: str
    weight: str
    faults: Sequence[Fault] = ()

    @property
    def weights(self) -> dict[str, str]:
        """What can be chosen: the usual ones, and what the plan says."""
        return WEIGHTS if self.weight in WEIGHTS else {**WEIGHTS, self.weight: f"{self.weight} times"}


def columns_of(plan: Plan, names: Iterable[str] = ()) -> list[str]:
    """The columns of the form, by whose numbers its fields are named: a browser sends a text with other line
    ends than it was given. Those of the plan come first, then those of the table."""
    asked = [_asked(plan).get(key) for key, kind in REQUIREMENTS.items() if kind.is_of_columns]
    named = [str(name) for one in asked if isinstance(one, Mapping) for name in one]
    unit = [plan.privacy.unit] if plan.privacy.unit else []
    return list(dict.fromkeys((*plan.attributes, *named, *unit, *names)))


def units(plan: Plan, names: Iterable[str] = ()) -> dict[str, str]:
    """The columns that may tell whose row it is, by the number that the form has for each."""
    masked = plan.with_role("quasi-identifier")
    return {f"{at}": name for at, name in enumerate(columns_of(plan, names)) if name not in masked}


def unit_typed(plan: Plan, names: Iterable[str] = (), typed: Form | None = None) -> str | None:
    """The column that tells whose row it is, as the plan says, or as was chosen."""
    sent = [] if typed is None else typed.all("unit")
    return units(plan, names).get(sent[-1]) if sent else plan.privacy.unit


def suppress_typed(plan: Plan, typed: Form | None = None) -> str:
    """How many rows may be left out, as the plan says, or as was typed."""
    said = _text(plan.privacy.settings.get("suppress"))
    return said if typed is None else _sent(typed, "suppress", said).strip()


def questions(plan: Plan, typed: Form | None = None, faults: Iterable[Fault] = ()) -> list[Question]:
    """The requirements that can be asked for, with what the plan says, or what was typed."""
    wrong = by_key(faults)
    asked = _asked(plan)
    return [
        Question(key, kind, *_blamed(kind, lines, wrong.get(key, ()), asked.get(key)))
        for key, kind in REQUIREMENTS.items()
        if (lines := _lines(plan, kind, asked.get(key), typed))
    ]


def limits(plan: Plan, typed: Form | None = None, faults: Iterable[Fault] = ()) -> list[ColumnLimit]:
    """How far each masked column may move."""
    found = []
    number_of = {name: at for at, name in enumerate(columns_of(plan))}
    for name in plan.with_role("quasi-identifier"):
        settings, at = plan.attributes[name], number_of[name]
        keep, far, weight = bool(settings.keep), _text(settings.max_loss), f"{settings.weight:.15g}"
        if typed is not None:
            keep = _sent(typed, f"keep|{at}", "on" if keep else "") == "on"
            far = _sent(typed, f"max_loss|{at}", far).strip()
            weight = _sent(typed, f"weight|{at}", weight).strip()
        keys = [dotted(("attributes", name, key)) for key in ("keep", "max_loss", "weight")]
        wrong = [fault for fault in faults if fault.key in keys]
        found.append(ColumnLimit(name, at, keep, far, weight, wrong))
    return found


def settings_typed(plan: Plan, names: Iterable[str], typed: Form) -> dict[str, Any]:
    """The settings of the plan with what was typed, right or wrong; what is as it was is left."""
    tree = plan.as_dict(only_given=True)
    privacy = _asked(plan)
    for key, kind in REQUIREMENTS.items():
        lines = _lines(plan, kind, privacy.get(key), typed)
        if lines != _lines(plan, kind, privacy.get(key), None):
            privacy[key] = _value(kind, lines, privacy.get(key))
    if suppress_typed(plan, typed) != suppress_typed(plan):
        privacy["suppress"] = _read(suppress_typed(plan, typed))
    privacy["unit"] = unit_typed(plan, names, typed)
    columns = {name: dict(one) for name, one in tree.get("attributes", {}).items()}
    for before, limit in zip(limits(plan), limits(plan, typed), strict=True):
        column = columns[limit.column]
        if limit.keep != before.keep:
            column["keep"] = True if limit.keep else None
        if limit.max_loss != before.max_loss:
            column["max_loss"] = _read(limit.max_loss)
        if limit.weight != before.weight:
            column["weight"] = None if limit.weight == "1" else _read(limit.weight)
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
        number_of = {name: at for at, name in enumerate(columns_of(plan))}
        lines = [
            _column_line(kind, blank, name, number_of[name], of.get(name))
            for name in columns
            for blank in kind.blanks
        ]
    if typed is None:
        return lines
    return [line if line.stays else _typed(line, typed) for line in lines]


def _typed(line: Line, typed: Form) -> Line:
    value = _sent(typed, line.name, line.value).strip()
    return line._replace(value=value, way=_sent(typed, f"{line.name}|way", line.way))


def _column_line(kind: type[Requirement], blank: Blank, column: str, at: int, asked: Any) -> Line:
    way, number = next(iter(asked.items())) if isinstance(asked, Mapping) and len(asked) == 1 else ("", asked)
    name = f"{kind.key}|{blank.key}|{at}"
    if isinstance(number, Mapping) or (way and way not in kind.ways):
        return Line(blank, name, "", column, stays=f"{asked}")
    return Line(blank, name, _text(number), column, way)


def _blamed(
    kind: type[Requirement], lines: Sequence[Line], faults: Sequence[Fault], asked: Any
) -> tuple[list[Line], Sequence[Fault]]:
    """The lines with those marked that are wrong, and what is wrong with each, as far as one can tell."""
    if not faults or not kind.is_of_columns:
        return [line._replace(is_wrong=bool(faults)) for line in lines], faults
    alone = {}
    for line in lines:
        try:
            if line.value:
                kind.parse(_value(kind, [line], asked))
        except ValueError as error:
            text, _, remedy = f"{error}".partition("; ")
            alone[line.name] = Fault(f"{line.column}: {text}", remedy=remedy)
    named = [line.name for line in lines if any(repr(line.column) in fault.text for fault in faults)]
    wrong = alone or named or [line.name for line in lines if line.value]
    return [line._replace(is_wrong=line.name in wrong) for line in lines], [*alone.values()] or faults


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


def _sent(typed: Form, name: str, otherwise: str) -> str:
    """What was sent under a name; if nothing was, not even an empty text, it is to be left as it is."""
    return [otherwise, *typed.all(name)][-1]


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
