"""Fail closed: the requirements of a plan, counted on what is about to be written and on what was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ontomask.arrays import distinct_rows
from ontomask.attributes import Tuples
from ontomask.columns.further import FurtherColumn
from ontomask.errors import InternalError, OntomaskError
from ontomask.methods import SUPPRESSED, Masking
from ontomask.privacy import Classes, KAnonymity, Requirement
from ontomask.tables import ReleasedTable, Table


def classes_of(
    table: Table | ReleasedTable, masked: Sequence[str], further: Sequence[FurtherColumn] = ()
) -> Classes:
    """The classes of a table (rows equal in all masked columns), and how further columns spread over them."""
    names = [column.name for column in further]
    if isinstance(table, ReleasedTable):
        found = table.tuples(masked, beside=names)
    else:
        found = table.tuples([*masked, *names])
    m = len(masked)
    which = distinct_rows([*found.codes[:, :m].T])[1]
    codes = [column.codes(found.values[m + b])[found.codes[:, m + b]] for b, column in enumerate(further)]
    values = np.stack(codes, axis=1) if codes else np.zeros((len(which), 0), np.int64)
    return Classes.of(which, values, found.counts, [column.domain for column in further])


def check_true(masking: Masking, tuples: Tuples) -> None:
    """Raise unless every value that is about to be written is the original or stands above it."""
    kept = masking.groups != SUPPRESSED
    codes = tuples.codes[tuples.tuple_of_cell[masking.cells[kept]]]
    for j, attribute in enumerate(masking.attributes):
        own, written = attribute.own[codes[:, j]], masking.values[masking.groups[kept], j]
        if untrue := int((~attribute.covers(written, own)).sum()):
            raise InternalError(f"not released: {untrue:,} values of {attribute.name!r} would not be true")


def check_requirements(
    requirements: Sequence[Requirement],
    table: Table | ReleasedTable,
    masked: Sequence[str],
    further: Sequence[FurtherColumn] = (),
) -> Classes:
    """The classes of a table; raise unless every one of them satisfies every requirement.

    A written table need not have the column that tells whose row it is: then rows are counted, and people
    were before.
    """
    there = [column for column in further if isinstance(table, ReleasedTable) or column.name in table.names]
    names = {column.name for column in there}
    classes = classes_of(table, masked, there)
    for one in requirements:
        seen = one
        if not set(one.needs) <= names and isinstance(one, KAnonymity):
            seen = replace(one, unit=None)
        violating = seen.violations(classes)
        if not violating.any():
            continue
        said = (
            f"not released: {one} does not hold for {int(violating.sum()):,} of {len(violating):,} classes "
            f"({seen.reached(classes):.4g} was reached)"
        )
        if one.is_monotone:  # methods join groups until it holds, so this cannot be
            raise InternalError(said)
        raise OntomaskError(
            said, key=f"privacy.{one.key}", remedy="a larger k may do, or a weaker requirement"
        )
    return classes
