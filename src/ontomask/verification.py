"""Fail closed: the requirements of a plan, counted on what is about to be written and on what was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ontomask.arrays import Float64, distinct_rows
from ontomask.attributes import Tuples
from ontomask.columns.further import FurtherColumn
from ontomask.columns.population import People
from ontomask.errors import InternalError, OntomaskError
from ontomask.methods import SUPPRESSED, Masking
from ontomask.methods.repair import losses_by_column
from ontomask.privacy import Classes, KAnonymity, KnownValues, Requirement
from ontomask.privacy.requirement import SLACK
from ontomask.tables import ReleasedTable, Table


def classes_of(
    table: Table | ReleasedTable,
    masked: Sequence[str],
    further: Sequence[FurtherColumn] = (),
    people: People | None = None,
) -> Classes:
    """The classes of a table (rows equal in all masked columns), and how further columns spread over them.

    Of `people`, those who may be in each class are counted too.
    """
    names = [column.name for column in further]
    if isinstance(table, ReleasedTable):
        found = table.tuples(masked, beside=names)
    else:
        found = table.tuples([*masked, *names])
    m = len(masked)
    first, which = distinct_rows([*found.codes[:, :m].T])
    codes = [column.codes(found.values[m + b])[found.codes[:, m + b]] for b, column in enumerate(further)]
    values = np.stack(codes, axis=1) if codes else np.zeros((len(which), 0), np.int64)
    classes = Classes.of(which, values, found.counts, [column.domain for column in further])
    classes = replace(classes, values=found.codes[first, :m])
    return classes if people is None else replace(classes, people=people.matching(found, first))


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


def check_limits(masking: Masking, tuples: Tuples, limits: Float64) -> None:
    """Raise unless no value that is about to be written is farther from what stood there than its column
    allows.
    """
    if not np.isfinite(limits).any():
        return
    kept = masking.groups != SUPPRESSED
    codes = tuples.codes[tuples.tuple_of_cell[masking.cells[kept]]]
    values = masking.values[masking.groups[kept]]
    far = losses_by_column(masking.attributes, codes, values) > limits + SLACK
    for j in np.flatnonzero(far.any(axis=0)).tolist():
        rows = int(masking.counts[kept][far[:, j]].sum())
        raise OntomaskError(
            f"{rows:,} rows would move farther than `{'keep' if limits[j] == 0 else 'max_loss'}` allows, for "
            "fewer than k have their word, and it must not be written",
            column=masking.attributes[j].name,
            remedy="link these words to concepts, or loosen the limit",
        )


def check_requirements(
    requirements: Sequence[Requirement],
    table: Table | ReleasedTable,
    masked: Sequence[str],
    further: Sequence[FurtherColumn] = (),
    people: People | None = None,
) -> Classes:
    """The classes of a table; raise unless every one of them satisfies every requirement.

    A written table need not have the column that tells whose row it is: then rows are counted, and people
    were before.
    """
    there = [column for column in further if isinstance(table, ReleasedTable) or column.name in table.names]
    classes = classes_of(table, masked, there, people)
    for one in requirements:
        seen = as_counted(one, there)
        violating = seen.violations(classes)
        if violating.any():
            raise does_not_hold(one, int(violating.sum()), len(violating), seen.reached(classes))
    return classes


def as_counted(requirement: Requirement, there: Sequence[FurtherColumn]) -> Requirement:
    """A requirement as it is counted on a table: by rows, where no column tells whose these are."""
    names = {column.name for column in there}
    if isinstance(requirement, (KAnonymity, KnownValues)) and requirement.unit not in names:
        return replace(requirement, unit=None)
    return requirement


def does_not_hold(requirement: Requirement, violating: int, classes: int, reached: float) -> Exception:
    """What to raise if some classes violate a requirement."""
    said = (
        f"not released: {requirement} does not hold for {violating:,} of {classes:,} classes "
        f"({reached:.4g} was reached)"
    )
    if requirement.is_monotone:  # methods join groups until it holds, so this cannot be
        return InternalError(said)
    return OntomaskError(
        said, key=f"privacy.{requirement.key}", remedy="a larger k may do, or a weaker requirement"
    )
