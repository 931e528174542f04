"""The risk of each record as a distribution, and with a confidential value known; the command that made a
release, as far as it may be told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ontomask.arrays import Int64

if TYPE_CHECKING:
    from ontomask.release import Release

_TABLE = re.compile(r"[?&]table=[^&]*")
_FOLDER = re.compile(r"[^\s:=,{}\[\]\"']*/")
_SIZES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 99), (100, None))


class RiskRow(NamedTuple):
    """How many people have a risk, before and after, each with their share in percent."""

    risk: str
    before: int
    before_share: float
    after: int
    after_share: float


def risk_rows(before: Int64, after: Int64) -> list[RiskRow]:
    """People by the risk of their own record, 1 / size of its class, highest first; risks of nobody left out.

    >>> import numpy as np
    >>> for row in risk_rows(np.array([1, 1, 3]), np.array([5])):
    ...     print(row.risk, row.before, row.before_share, row.after, row.after_share)
    1 in 1 2 40.0 0 0.0
    1 in 3 to 1 in 4 3 60.0 0 0.0
    1 in 5 to 1 in 9 0 0.0 5 100.0
    """
    rows = []
    for low, high in _SIZES:
        people = [int(s[(s >= low) & (s <= (high or np.inf))].sum()) for s in (before, after)]
        least = "" if low == high else f" to 1 in {high}" if high else " or less"
        shares = [100 * n / max(int(s.sum()), 1) for n, s in zip(people, (before, after), strict=True)]
        if any(people):
            rows.append(RiskRow(f"1 in {low}{least}", people[0], shares[0], people[1], shares[1]))
    return rows


class KnownRow(NamedTuple):
    """How many rows stand alone to who knows a confidential column besides the masked ones, with their share.

    `is_measured`: its values are numbers or dates, which hardly anybody knows exactly.
    """

    column: str
    is_measured: bool
    before: int
    before_share: float
    after: int
    after_share: float


def known_rows(figures: Mapping[str, Any], columns: Mapping[str, bool]) -> list[KnownRow]:
    """A line for each confidential column; `columns` says of each whether it is measured.

    >>> shares = {"alone_if_known_before.ill": 50.0, "alone_if_known.ill": 25.0}
    >>> known_rows({"n": 12, "suppressed": 4, **shares}, {"ill": False})
    [KnownRow(column='ill', is_measured=False, before=6, before_share=50.0, after=2, after_share=25.0)]
    """
    rows, released = int(figures["n"]), int(figures["n"] - figures["suppressed"])
    found = []
    for column, is_measured in columns.items():
        before, after = (figures[f"alone_if_known{when}.{column}"] for when in ("_before", ""))
        alone = round(before * rows / 100), round(after * released / 100)
        found.append(KnownRow(column, is_measured, alone[0], before, alone[1], after))
    return found


def command_told(release: Release, command: Sequence[str] | None, internal: bool) -> str:
    """What was typed, or called from Python; of paths, which tell whose table it is, only the last part."""
    if command is None:
        source = release.source.path
        table = "table" if source is None else repr(source.name)
        return f"om.anonymize({table}, om.Plan.load({release.plan.origin.name or 'plan.yaml'!r}))"
    return join(command if internal else [_without_folder(part) for part in command])


def _without_folder(part: str) -> str:
    """An argument without the folders of paths in it.

    >>> _without_folder("job:/etc/jobs.yaml"), _without_folder("--plan=/etc/x"), _without_folder("/etc/x")
    ('job:jobs.yaml', '--plan=x', 'x')
    >>> _without_folder("a={ontology: /etc/jobs.yaml}"), _without_folder("attributes.day.format=%d/%m/%Y")
    ('a={ontology: jobs.yaml}', 'attributes.day.format=%d/%m/%Y')
    >>> _without_folder("postgresql://ann@db.clinic/p?sslmode=require&table=stays")
    'postgresql://...&table=stays'
    """
    if "://" in part:  # whose server it is, is nobody's business
        return f"{part.partition('://')[0]}://...{''.join(_TABLE.findall(part))}"
    for mark in ("=", ":"):
        before, found, value = part.rpartition(mark)
        if "/" in value and Path(value).parent.is_dir():
            return f"{before}{found}{Path(value).name}"
    return _FOLDER.sub(lambda found: "" if Path(found[0]).is_dir() else found[0], part)
