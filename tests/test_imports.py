"""Imports point one way: the rooms of `docs/design.md`, top to bottom, and the exceptions that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pages import ROOT

SOURCE = ROOT / "src" / "ontomask"
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
ROOM = re.compile(r"`(\w+)(?:/|\.py)`")


class Import(NamedTuple):
    """`file` imports something of `room`, at the top or (`is_late`) inside a function."""

    file: str
    room: str
    is_late: bool


def levels() -> list[list[str]]:
    """The rooms of each line of the page's table."""
    table = PAGE.partition("<!-- rooms -->")[2].partition("<!-- end -->")[0]
    return [ROOM.findall(line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]


def exceptions() -> set[tuple[str, str]]:
    """(file, room) that the page allows against the direction."""
    return set(re.findall(r"^- `([\w/.]+)` → `(\w+)`", PAGE, re.MULTILINE))


def room_of(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py")


def imports(file: Path) -> Iterator[Import]:
    """What of the package a file imports, wherever the statement stands."""
    name = file.relative_to(SOURCE).as_posix()

    def within(node: ast.AST, is_late: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                modules = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom) and child.module == "ontomask":
                modules = [f"ontomask.{alias.name}" for alias in child.names]
            else:
                modules = [child.module or ""] if isinstance(child, ast.ImportFrom) else []
            for module in modules:
                if module.startswith("ontomask."):
                    yield Import(name, module.split(".")[1], is_late)
            is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from within(child, is_late or is_function)

    yield from within(ast.parse(file.read_text(encoding="utf-8")), False)


def against_the_direction() -> list[Import]:
    level = {room: at for at, rooms in enumerate(levels()) for room in rooms}
    return [
        one
        for file in sorted(SOURCE.rglob("*.py"))
        if file != SOURCE / "__init__.py"
        for one in imports(file)
        if one.room in level and one.room != room_of(one.file)
        if level[one.room] <= level[room_of(one.file)]
    ]


def test_every_room_is_in_the_table_once() -> None:
    listed = [room for rooms in levels() for room in rooms]
    there = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE.rglob("*.py")}
    assert sorted(listed) == sorted(there - {"__init__"})


def test_imports_point_down_the_table() -> None:
    assert [one for one in against_the_direction() if (one.file, one.room) not in exceptions()] == []


def test_exceptions_are_late_and_are_there() -> None:
    found = against_the_direction()
    assert {(one.file, one.room) for one in found} == exceptions()
    assert all(one.is_late for one in found)


def test_nobody_outside_attributes_asks_what_kind_a_column_is() -> None:
    asked = re.compile(r"isinstance\([^\n]*\b(Nominal|Numeric)\b")
    found = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if asked.search(path.read_text(encoding="utf-8"))
    ]
    assert [name for name in found if room_of(name) != "attributes"] == []
    assert found  # the room itself does
