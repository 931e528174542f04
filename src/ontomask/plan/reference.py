"""The tables of `docs/reference/plan.md`, made of the declarations so that the page cannot fall behind.

    python -m ontomask.plan.reference docs/reference/plan.md

rewrites what stands between `<!-- table: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ontomask.methods import METHODS
from ontomask.options import Option, options_of
from ontomask.plan.attribute import AttributePlan, HierarchyPlan
from ontomask.plan.parts import LIMITS, MethodPlan, TableSettings
from ontomask.plan.plan import Plan
from ontomask.plan.sign_off import SignOff
from ontomask.privacy import REQUIREMENTS

_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(page: str) -> str:
    """The page with its tables as the declarations are now."""
    return _TABLE.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", page)


def options_table(kind: type) -> str:
    """The options of a section of the plan."""
    rows = [(_code(one.name), _values(one), _default(one), one.words) for one in options_of(kind).values()]
    return _table(("key", "type", "default", "meaning"), rows)


def methods_table() -> str:
    """The own options of every method; methods that declare the same option alike share a line."""
    owners: dict[tuple[str, ...], list[str]] = {}
    for name, kind in METHODS.items():
        for one in options_of(kind).values():
            row = (_code(one.name), _values(one), _default(one), one.words)
            owners.setdefault(row, []).append(_code(name))
    rows = [(key, ", ".join(names), *rest) for (key, *rest), names in owners.items()]
    return _table(("key", "of", "type", "default", "meaning"), rows)


def requirements_table() -> str:
    """The requirements: the first line of their documentation, and the forms in which they are asked for."""
    rows = []
    for key, kind in REQUIREMENTS.items():
        meaning = (inspect.getdoc(kind) or "").partition("\n")[0]
        forms = "<br>".join(f"{_code(form)}: {words}" for form, words in kind.forms.items())
        rows.append((_code(key), meaning, forms))
    rows += [(_code(key), one.words, _code(f"{key}: {one.example}")) for key, one in LIMITS.items()]
    return _table(("key", "meaning", "in the plan"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "plan": lambda: options_table(Plan),
    "table": lambda: options_table(TableSettings),
    "attributes": lambda: options_table(AttributePlan),
    "hierarchy": lambda: options_table(HierarchyPlan),
    "privacy": requirements_table,
    "method": lambda: options_table(MethodPlan),
    "methods": methods_table,
    "sign_off": lambda: options_table(SignOff),
}


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _values(one: Option) -> str:
    if one.values:
        return one.values
    if one.choices:
        return ", ".join(map(_code, one.choices))
    least = f", {one.least} or more" if one.least is not None else ""
    above = f" above {one.above:g}" if one.above is not None else ""
    names: dict[Any, str] = {
        bool: "true or false",
        int: f"whole number{least}",
        float: f"number{above}",
        str: "text",
        tuple[str, ...]: "list of texts",
    }
    return names[one.kind]


def _default(one: Option) -> str:
    if one.otherwise or one.values == "section":
        return one.otherwise
    if isinstance(one.default, bool):
        return str(one.default).lower()
    if isinstance(one.default, tuple):
        return _code(str(list(one.default)).replace("'", '"'))
    return _code(one.default) if isinstance(one.default, str) else str(one.default)


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(with_tables(target.read_text(encoding="utf-8")), encoding="utf-8")
