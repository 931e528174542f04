"""What was asked of a release, and what its worst class reached, beside the worst class of the original.

The figures of a requirement are its own (`Requirement.reached`); here they are only named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.arrays import distinct_rows
from ontomask.attributes import Attribute, Tuples
from ontomask.evaluation.pairs import own_values
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import Classes, Requirement


def classes_of_original(tuples: Tuples, attributes: Sequence[Attribute]) -> Classes:
    """The classes of a table before masking: tuples that its attributes cannot tell apart are one class."""
    own = own_values(tuples, attributes)
    first, which = distinct_rows(list(own.T))
    cells = tuples.cells
    if cells is None:
        classes = Classes.of(which, np.zeros((len(which), 0), np.int32), tuples.counts, ())
    else:
        classes = Classes.of(which[cells.tuples], cells.values, cells.counts, cells.domains)
    return replace(classes, values=own[first])


def requirement_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, float]:
    """Per requirement, such as `t.income`: asked, reached by the worst class, and by that of the original."""
    after, before = subject.classes, subject.classes_before
    assert after is not None and before is not None
    asked = subject.requirements
    return named(asked, [one.reached(after) for one in asked], [one.reached(before) for one in asked])


def named(
    requirements: Sequence[Requirement], after: Sequence[float], before: Sequence[float]
) -> dict[str, float]:
    """What the worst classes reached, requirement by requirement, under the names of these figures."""
    figures: dict[str, float] = {}
    for one, reached, reached_before in zip(requirements, after, before, strict=True):
        figures |= {
            f"asked.{one.name}": one.asked,
            f"reached.{one.name}": reached,
            f"reached_before.{one.name}": reached_before,
        }
    return figures


REACHED = Family(
    requirement_figures,
    tuple(Figure(f"{stem}.{of}") for stem in ("asked", "reached", "reached_before") for of in ("A", "A.B")),
    needs=("classes", "classes_before"),
    of_a_run=True,
)
