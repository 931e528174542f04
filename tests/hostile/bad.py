"""A bad input, and what is wrong with the product's answer: exit code, message, or what was written.

Each is put into a folder in which all else is good, and answered in a child process, which may crash.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hostile.running import CrashError, Outcome, changed, command_here, in_child, snapshot, workplace
from hostile.sources import yaml_of

TABLE = (
    "name,job,age,level,ward\n"
    "Ana,cat,30,low,x\nBo,cat,31,mid,y\nCid,dog,45,low,x\nDag,dog,44,high,x\nEva,rose,60,mid,y\nFay,rose,61,low,x\n"
)
ONTOLOGY = "thing:\n  animal: [cat, dog]\n  plant: [rose, tulip]\n"
PLAN: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "job": {"role": "quasi-identifier", "ontology": "onto.yaml"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "level": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
        "ward": {"role": "confidential"},
    },
    "privacy": {"k": 2},
}
SECONDS = 10
_DIGEST = 64  # what `snapshot` says of a plain file
MEMORY = 6 << 30  # of addresses; a bad input of some bytes has no business there
GOOD = ("anonymize", "t.csv", "--plan", "plan.yaml", "-o", "out.csv")

Make = Callable[[Path], object]


@dataclass(frozen=True)
class Bad:
    """A bad input: how the good folder is spoilt, what the command is given, what the answer must name."""

    kind: str
    name: str
    spoil: Make | None = None
    arguments: tuple[str, ...] = GOOD
    mentions: tuple[str, ...] = ()
    codes: tuple[int, ...] = (2,)
    file_limit: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


def answer(bad: Bad) -> list[str]:
    """What is wrong with the product's answer to a bad input; it is given in a child, which may crash."""
    warm()
    try:
        return in_child(lambda: _answer(bad), SECONDS + 3)
    except CrashError as crash:
        return [str(crash)]


def _answer(bad: Bad) -> list[str]:
    with workplace() as folder:
        good_folder(folder)
        if bad.spoil is not None:
            bad.spoil(folder)
        before = snapshot(folder)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        with _file_limit(bad.file_limit):
            done = command_here(bad.arguments, SECONDS)
        faults = list(_faults(bad, done))
        touched = changed(before, snapshot(folder))
        if touched and done.code != 0:
            faults.append(f"refused, but changed {touched}")
        if done.code == 0:
            lost = [name for name in touched if len(before.get(name, "")) == _DIGEST]
            faults += [f"wrote over {lost}"] if lost else []
        return faults


@cache
def warm() -> None:
    """A good run in this process, once: what it compiles and imports, children need not."""
    with workplace() as folder:
        good_folder(folder)
        done = command_here(GOOD)
        assert done.code == 0, done.err


def good_folder(folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE)
    (folder / "onto.yaml").write_text(ONTOLOGY)
    (folder / "m.csv").write_text("value,concept\ncat,cat\n")
    (folder / "plan.yaml").write_text(yaml_of(PLAN))


def _faults(bad: Bad, done: Outcome) -> Iterator[str]:
    said = done.err + done.out
    if done.is_traceback:
        yield f"traceback: {' | '.join(done.err.strip().splitlines()[-2:])[-200:]}"
    elif done.code not in bad.codes:
        yield f"exit code {done.code} instead of {bad.codes}: {said.strip()[:120]}"
    elif done.code and len(done.err.strip()) < 8:
        yield "no message"
    plain = "".join(c for c in said if c not in " \n│")
    if done.code == 2 and bad.mentions and not any("".join(m.split()) in plain for m in bad.mentions):
        yield f"the message names none of {bad.mentions}: {said.strip()[:200]}"


class _file_limit:  # noqa: N801 - used as a function
    """No file may grow beyond some bytes: what a full disk is to a program."""

    def __init__(self, most: int | None) -> None:
        self._most = most

    def __enter__(self) -> None:
        self._before, self._writes = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
        sys.dont_write_bytecode = True  # half of it would stay
        if self._most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._most, self._before[1]))

    def __exit__(self, *error: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)
        sys.dont_write_bytecode = self._writes


def write(name: str, content: str | bytes) -> Make:
    """Spoil by writing a file."""
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def with_plan(**changes: Any) -> Make:
    """Spoil by another plan: sections are merged."""

    def spoil(folder: Path) -> None:
        plan = {key: dict(value) for key, value in PLAN.items()}
        for key, value in changes.items():
            old = plan.get(key)
            plan[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
        (folder / "plan.yaml").write_text(yaml_of(plan), encoding="utf-8")

    return spoil


# A few lines that would become billions of values.
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
