"""Releases of one table that lie side by side: each is k-anonymous, both together may not be.

Whoever has two releases of one table, with their rows in the same order, reads them as one with both masks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ontomask.errors import OntomaskError
from ontomask.files import is_there
from ontomask.outputs import Outputs, read_record
from ontomask.release import Release
from ontomask.tables import matched, open_table

MOST_ROWS = 5_000_000


class Joined(NamedTuple):
    """Another release of the same table; how many people both together single out, if that can be told."""

    file: str
    singled_out: int | None


def joined_with(release: Release, target: Path) -> Iterator[Joined]:
    """Other releases of the table beside `target`, by the internal records that lie there."""
    own = Outputs(target)
    for record in sorted(target.parent.glob("*.internal.json")):
        said = read_record(record)
        if said is None or record.name == own.internal.name:
            continue
        source = said.get("input")
        if not isinstance(source, dict) or source.get("rows") != release.source.n_rows:
            continue
        other = target.parent / Path(said["output"]["file"]).name
        if is_there(other) and source.get("digest") == release.source.digest:
            yield Joined(other.name, _singled_out(release, other, said))


def _singled_out(release: Release, other: Path, said: Any) -> int | None:
    """People alone with what both releases say of them, row by row; None if rows cannot be told to fit."""
    if release.data.n_rows > MOST_ROWS:
        return None
    try:
        table = open_table(other)
        if table.n_rows != release.data.n_rows:
            return None
        columns = said["plan"]["settings"]["attributes"].items()
        masked = [name for name, one in columns if one["role"] == "quasi-identifier"]
        both = matched(open_table(release.to_arrow()), table, release.masked, masked)
    except (OntomaskError, LookupError, AttributeError, TypeError):  # somebody else's file, or it was changed
        return None
    return int((both.counts == 1).sum())
