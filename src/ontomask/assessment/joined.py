"""Releases of one table that lie side by side: each is k-anonymous, both together may not be.

Whoever has two releases of one table, with their rows in the same order, reads them as one with both masks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ontomask.errors import OntomaskError
from ontomask.outputs import Outputs
from ontomask.release import Release
from ontomask.tables import matched, open_table

_MOST_ROWS = 5_000_000


class Joined(NamedTuple):
    """Another release of the same table; how many people both together single out, if that can be told."""

    file: str
    singled_out: int | None


def joined_with(release: Release, target: Path) -> Iterator[Joined]:
    """Other releases of the table beside `target`, by the internal records that lie there."""
    own = Outputs(target)
    for record in sorted(target.parent.glob("*.internal.json")):
        said = _read(record)
        if said is None or record.name == own.internal.name or said["input"]["rows"] != release.source.n_rows:
            continue
        other = target.parent / said["output"]["file"]
        if other.exists() and said["input"]["digest"] == release.source.digest:
            yield Joined(other.name, _singled_out(release, other, said["plan"]["settings"]))


def _singled_out(release: Release, other: Path, settings: Any) -> int | None:
    """People alone with what both releases say of them, row by row; None if rows cannot be told to fit."""
    if release.data.n_rows > _MOST_ROWS:
        return None
    try:
        table = open_table(other)
        if table.n_rows != release.data.n_rows:
            return None
        masked = [n for n, one in settings["attributes"].items() if one.get("role") == "quasi-identifier"]
        both = matched(open_table(release.to_arrow()), table, release.masked, masked)
    except (OntomaskError, LookupError, AttributeError):  # somebody else's file, or it was changed
        return None
    return int((both.counts == 1).sum())


def _read(record: Path) -> Any:
    try:
        said = json.loads(record.read_bytes())
        _ = said["input"]["rows"], said["input"]["digest"], said["output"]["file"], said["plan"]["settings"]
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return said
