"""Fail closed: the requirements of a plan, counted on what is about to be written and on what was written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import distinct_rows
from ontomask.attributes import Tuples
from ontomask.errors import InternalError, OntomaskError
from ontomask.methods import SUPPRESSED, Masking
from ontomask.privacy import Classes, Confidential, Requirement
from ontomask.tables import ReleasedTable, Table


def classes_of(table: Table | ReleasedTable, masked: Sequence[str], beside: Sequence[str] = ()) -> Classes:
    """The classes of a table (rows equal in all masked columns), and how further columns spread over them."""
    further = list(dict.fromkeys(beside))
    found = table.tuples([*masked, *(name for name in further if name not in masked)])
    which = distinct_rows([*found.codes[:, : len(masked)].T])[1]
    sizes = np.bincount(which, found.counts).astype(np.int64)
    spread = {
        name: Confidential.of(which, found.codes[:, found.columns.index(name)], found.counts)
        for name in further
    }
    return Classes(sizes, spread)


def check_true(masking: Masking, tuples: Tuples) -> None:
    """Raise unless every value of a truthful column that is about to be written covers the original."""
    kept = masking.groups != SUPPRESSED
    codes = tuples.codes[tuples.tuple_of_cell[masking.cells[kept]]]
    for j, attribute in enumerate(masking.attributes):
        if not attribute.is_truthful:
            continue
        own, written = attribute.own[codes[:, j]], masking.values[masking.groups[kept], j]
        if untrue := int((~attribute.covers(written, own)).sum()):
            raise InternalError(f"not released: {untrue:,} values of {attribute.name!r} would not be true")


def check_requirements(
    requirements: Sequence[Requirement], table: Table | ReleasedTable, masked: Sequence[str]
) -> None:
    """Raise unless every class of a table satisfies every requirement."""
    classes = classes_of(table, masked, [name for one in requirements for name in one.needs])
    for one in requirements:
        violating = one.violations(classes)
        if not violating.any():
            continue
        said = f"not released: {one} does not hold for {int(violating.sum()):,} of {len(violating):,} classes"
        smallest = int(classes.sizes.min())
        if smallest < one.least_size:  # every method forms groups of this size, so this cannot be
            raise InternalError(f"{said} (the smallest has {smallest} rows)")
        raise OntomaskError(
            said,
            key=f"privacy.{one.key}",
            remedy="a larger k may do, or a weaker requirement: methods form groups by size and meaning",
        )
