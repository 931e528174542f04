"""Releases of the same people: each is k-anonymous, both together may not be.

Whoever has two releases of one table, with their rows in the same order, reads them as one with both masks;
and whoever knows that somebody is in both, knows that they are in a class of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Int64
from ontomask.assessment.further import rows_among
from ontomask.columns.further import FurtherColumn
from ontomask.errors import OntomaskError
from ontomask.evaluation import OtherRelease
from ontomask.files import is_there
from ontomask.outputs import Outputs, read_record
from ontomask.privacy import Confidential, JointClasses, k_anonymity
from ontomask.release import Release
from ontomask.tables import DistinctTuples, Table, matched, open_table
from ontomask.tables.address import Place

MOST_ROWS = 5_000_000


class Joined(NamedTuple):
    """Another release of the same table; how many people both together single out, if that can be told."""

    file: str
    singled_out: int | None


def joined_with(release: Release, target: Place, records: Path = Path()) -> Iterator[Joined]:
    """Other releases of the table, by the internal records beside `target`, or in the folder `records`."""
    own = Outputs(target, folder=records)
    folder = own.internal.parent
    for record in sorted(folder.glob("*.internal.json")):
        said = read_record(record)
        if said is None or record.name == own.internal.name:
            continue
        source = said.get("input")
        if not isinstance(source, dict) or source.get("rows") != release.source.n_rows:
            continue
        other, in_database = folder / Path(said["output"]["file"]).name, "database" in said["output"]
        if (in_database or is_there(other)) and source.get("digest") == release.source.digest:
            yield Joined(other.name, None if in_database else _singled_out(release, other, said))


def _singled_out(release: Release, other: Path, said: Any) -> int | None:
    """People alone with what both releases say of them, row by row; None if rows cannot be told to fit."""
    if release.data.n_rows > MOST_ROWS or release.plan.shuffle:
        return None
    try:
        table = open_table(other)
        if table.n_rows != release.data.n_rows:
            return None
        if said["plan"]["settings"].get("shuffle"):
            return None
        columns = said["plan"]["settings"]["attributes"].items()
        masked = [name for name, one in columns if one["role"] == "quasi-identifier"]
        both = matched(open_table(release.to_arrow()), table, release.masked, masked)
    except (OntomaskError, LookupError, AttributeError, TypeError):  # somebody else's file, or it was changed
        return None
    return int((both.counts == 1).sum())


def other_release(
    masked: Table,
    other: Table,
    columns: Sequence[str],
    other_columns: Sequence[str] | None,
    key: str | None,
    confidential: Sequence[FurtherColumn],
) -> OtherRelease:
    """Another release beside a masked table, for `evaluation.joint`.

    Classes are those a reader sees: rows with the same texts in `columns` of the masked table, and in
    `other_columns` of the other (None: those of `columns` that it has). Confidential columns count where both
    have them.
    """
    if other_columns is None:
        other_columns = [name for name in columns if name in other.names]
    if not other_columns:
        raise OntomaskError(
            "the other release has none of the quasi-identifiers of the plan",
            remedy="say in `other_columns` which of its columns are",
        )
    if key is not None:
        masked.check_columns([key])
        other.check_columns([key])
    both = matched(masked, other, columns, other_columns, key, called=("masked", "other"), overlapping=True)
    there = ~both.absent
    if not there.any():
        raise OntomaskError(f"no {key!r} of the masked table is in the other release", column=key or "")
    shared = [column for column in confidential if column.name in masked.names and column.name in other.names]
    one, two = _Classes(masked, columns), _Classes(other, other_columns)
    joint = JointClasses.of(
        one.numbers(both.before)[there], two.numbers(both.after)[there], both.counts[there]
    )
    values = {column.name: _spreads(column, one, two) for column in shared}
    return OtherRelease(joint, k_anonymity(two.found.counts), values)


class _Classes:
    """The classes of a table: its distinct tuples of some columns, numbered."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self.table, self.columns = table, columns
        self.found = table.tuples(columns)

    def numbers(self, tuples: DistinctTuples) -> Int64:
        """The class of each tuple, whose first columns are those of the classes."""
        codes = np.empty((len(tuples), len(self.columns)), np.int64)
        for j, own in enumerate(self.found.values):
            place = {text: code for code, text in enumerate(own)}
            codes[:, j] = np.array([place.get(text, -1) for text in tuples.values[j]])[tuples.codes[:, j]]
        return rows_among(codes, self.found.codes)


def _spreads(column: FurtherColumn, *releases: _Classes) -> tuple[Confidential, Confidential]:
    """The values of a confidential column over the classes of two releases, in the same codes."""
    codes, first_new = dict(column.code_of), max(column.code_of.values(), default=-1) + 1
    spreads = []
    for one in releases:
        found = one.table.tuples([*one.columns, column.name])
        for text in found.values[-1]:
            codes.setdefault(text, first_new + len(codes))
        values = np.array([codes[text] for text in found.values[-1]], np.int64)
        spreads.append(Confidential.of(one.numbers(found), values[found.codes[:, -1]], found.counts))
    return spreads[0], spreads[1]
