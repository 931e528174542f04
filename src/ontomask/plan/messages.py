"""What is wrong with a plan, in words: the key, what is allowed there, and what was perhaps meant.

Works on what a validator found, given as plain mappings; imports no validator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ontomask.errors import PlanError
from ontomask.plan.marked_yaml import Fault, KeyPath, Written, near_line


def plan_error(faults: Iterable[Fault], name: str, lines: Mapping[KeyPath, int]) -> PlanError:
    """One error for all faults, in the order of their lines."""
    placed = [fault._replace(line=fault.line or near_line(lines, fault.path)) for fault in faults]
    report = []
    for fault in sorted(placed, key=lambda fault: fault.line):
        where = ", ".join(part for part in (name, f"line {fault.line}" if fault.line else "") if part)
        report.append(f"{where}: {fault}" if where else str(fault))
    return PlanError("\n".join(report))


def explain(error: Mapping[str, Any]) -> str:
    """A validation error of pydantic in the words of a plan file."""
    value, context = error["input"], error.get("ctx", {})
    shown = _shown(value)
    match error["type"]:
        case "plan":
            return str(context["text"])
        case "value_error":
            return str(context["error"])
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", context["expected"])
            return f"must be {any_of(allowed)}, not {shown}{did_you_mean(value, allowed)}"
        case "string_type":
            return f"must be text, not {shown}; put it in quotes"
        case "string_too_short":
            return "must not be empty"
        case "int_type":
            return f"must be a whole number, not {shown}"
        case "float_type" | "finite_number":
            return f"must be a number, not {shown}"
        case "bool_type":
            return f"must be true or false, not {shown}"
        case "greater_than":
            return f"must be above {context['gt']:g}, not {shown}"
        case "greater_than_equal":
            return f"must be {context['ge']} or more, not {shown}"
        case "tuple_type":
            return f"must be a list, such as [a, b], not {shown}"
        case "model_type" | "dict_type":
            return f"must hold settings (`key: value`), not {shown}"
    return str(error["msg"])


def unknown_key(key: object, known: Iterable[str], what: str = "key") -> str:
    """`unknown key; did you mean 'role'?`, or which there are."""
    known = list(known)
    return f"unknown {what}" + (did_you_mean(key, known) or f"; known are {', '.join(known)}")


def _shown(value: object) -> str:
    """A value in short; quotes tell the text '7' from the number 7."""
    if isinstance(value, Written) and value[:1] in "+-.0123456789":
        return str(value)
    shown = repr(str(value) if isinstance(value, str) else value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def any_of(names: Iterable[str]) -> str:
    """`a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} or {last}"


def did_you_mean(text: object, known: Iterable[str], otherwise: Sequence[str] = ()) -> str:
    """`; did you mean 'role'?`, whatever the case; failing that, the first few of `otherwise`.

    >>> did_you_mean("Rol", ["role", "kind"])
    "; did you mean 'role'?"
    """
    by_folded = {name.casefold().strip(): name for name in known}
    near = get_close_matches(str(text).casefold().strip(), by_folded, n=1)
    if near:
        return f"; did you mean {by_folded[near[0]]!r}?"
    if otherwise:
        return f"; it has {', '.join(otherwise[:12])}{', ...' if len(otherwise) > 12 else ''}"
    return ""
