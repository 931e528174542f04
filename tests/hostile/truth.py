"""Whether what was written in a truthful column is true of every row, told without the product."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from typing import Any

from hostile.cases import GROUPS, Case, Column, hash_of, small_tree

Finding = tuple[str, str]
GENERALISING = ("datafly", "incognito", "best-first", "top-down")


def is_truthful(case: Case, column: Column) -> bool:
    """Whether a column is to be true of every row: by its method, or because the plan says so."""
    asked = case.plan["attributes"].get(column.name, {}).get("release") or case.plan.get("release")
    return case.plan["method"]["name"] in GENERALISING or asked == "truthful"


def untrue(case: Case, column: Column, written: list[str]) -> Iterator[Finding]:
    """A generalised value is the original, or stands above it; row by row."""
    marks = na_values(case)
    wrong = []
    for cell, text in zip(column.cells, written, strict=True):
        before = text_of(cell)
        is_missing = not answers(column, before, marks)
        if text.strip() in marks:
            if not is_missing and case.plan.get("unmapped") != "suppress" and not _is_blank(case):
                wrong.append((before, text))
        elif not is_missing and not _are_covered(case, column, text, before):
            wrong.append((before, text))
    if wrong:
        yield "untrue", f"{len(wrong)} values of {column.name!r}, such as {wrong[0]!r}"


def answers(column: Column, text: str, marks: set[str]) -> list[str]:
    """The answers of a cell: it is one, or several; none if it means no value."""
    separator = column.settings.get("several")
    parts = [text] if separator is None or text.strip() in marks else map(str.strip, text.split(separator))
    return [part for part in parts if part.strip() not in marks]


def _are_covered(case: Case, column: Column, text: str, before: str) -> bool:
    """Whether each answer has one above it in the release, and each one there stands above an answer."""
    mine, released = answers(column, before, na_values(case)), answers(column, text, na_values(case))
    above = {
        (one, own): _covers(column, one, own, hierarchy_of(case, column)) for one in released for own in mine
    }
    return all(any(above[one, own] for one in released) for own in mine) and all(
        any(above[one, own] for own in mine) for one in released
    )


def _is_blank(case: Case) -> bool:
    return bool(case.plan["method"].get("blank"))


def hierarchy_of(case: Case, column: Column) -> Any:
    return case.plan["attributes"].get(column.name, {}).get("hierarchy")


def _covers(column: Column, text: str, before: str, hierarchy: Any) -> bool:
    """Whether a label may stand for a value, as far as that can be told without the product."""
    if text in (before, before.strip(), GROUPS[-1]) or text.strip("()") == "*":
        return True
    if isinstance(hierarchy, str):  # words of one concept are written alike, so only groups can be told
        alike = {before} | {text_of(c) for c in column.cells if _spelt(text_of(c)) == _spelt(before)}
        return text not in GROUPS or text in {GROUPS[hash_of(one) % 3] for one in alike}
    if column.kind == "numeric":
        return _in_range(text, before)
    if column.kind == "ordinal":
        order = column.settings["order"]
        low, _, high = text.partition("..") if text not in order else (text, "", text)
        return (low not in order or high not in order) or (
            order.index(low) <= order.index(before) <= order.index(high)
        )
    if column.kind == "date":
        return is_named(text, day_of(before, column.settings["format"]))
    if isinstance(hierarchy, dict) and hierarchy.get("by") == "prefix":
        return before.strip().startswith(text.rstrip("*")) or _spelt(text) == _spelt(before)
    number = column.settings["ontology"].removeprefix("onto").removesuffix(".yaml")
    if not number.isdigit():
        return True
    labels, parents = small_tree(int(number))
    if text not in labels or before not in labels or "mapping" in column.settings:
        return True  # a word that was linked in another way
    at = labels.index(before)
    while at and labels[at] != text:
        at = parents[at]
    return labels[at] == text


def _spelt(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _in_range(text: str, before: str) -> bool:
    """`20-29`, `20-<30`, `-5--1`, `-5..-1`, or the name of an age."""
    number = number_of(before)
    assert number is not None
    if text in AGES:
        low, high = AGES[text]
        return low <= number < high
    found = re.fullmatch(rf"({_DIGITS})(?:-|\.\.)(<?)({_DIGITS})", text)
    if not found:
        same = number_of(text)
        return same is not None and math.isclose(same, number, rel_tol=1e-12)
    low, high = float(found[1]), float(found[3])
    return low <= number <= high and not (found[2] and number == high)


@cache
def is_named(text: str, day: date) -> bool:
    """Whether a week, month, quarter, year, decade or range of years, by its name, has a day in it."""
    year, week, _ = day.isocalendar()
    own, name = f"{day.year:04d}", text.strip("()")
    names = {f"{year:04d}-W{week:02d}", f"{own}-{day.month:02d}", f"{own}-Q{(day.month + 2) // 3}", own}
    years = re.fullmatch(r"(\d{4})-(\d{4})", name)
    return name in names | {f"{own[:3]}0s"} or bool(years and years[1] <= own <= years[2])


def day_of(text: str, form: str) -> date:
    """The day that a text is; years of two digits are from 1969 to 2068."""
    return datetime.strptime(text.strip(), form).date()


_DIGITS = r"-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
AGES = {
    "Infant": (0, 2),
    "Child, Preschool": (2, 6),
    "Child": (6, 13),
    "Adolescent": (13, 19),
    "Adult": (19, 45),
    "Middle Aged": (45, 65),
    "Elderly": (65, 80),
    "Ages, 80 and over": (80, math.inf),
}


def is_range(case: Case, column: Column, text: str) -> bool:
    """Whether a text is what is only written in truthful columns."""
    if not is_truthful(case, column):
        return False
    return text.strip("()") in ("*", *AGES, *GROUPS) or bool(
        re.fullmatch(rf"{_DIGITS}-<?{_DIGITS}|.+\.\..+|\(?\d{{4}}(s|-[WQ]?\d+)?\)?", text, re.S)
    )


def na_values(case: Case) -> set[str]:
    return {text.strip() for text in case.plan["table"].get("na_values", ["", "NA", "?"])} | {""}


def text_of(cell: Any) -> str:
    """How any cell reads: one text for one value, whatever file it comes from."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    return str(cell)


def number_of(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
