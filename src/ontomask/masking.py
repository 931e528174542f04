"""The method of a plan on the distinct tuples of a table, or of a part of it; and the texts of its groups.

The one place where a method is run for a release. It knows columns and codes, no table and no engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ontomask.arrays import Bool, Int32
from ontomask.attributes import Tuples
from ontomask.attributes.space import Combine
from ontomask.columns import Column, coded_tuples
from ontomask.errors import OntomaskError
from ontomask.evaluation import Pairs, ReleaseView
from ontomask.methods import SUPPRESSED, Masking, Method, Task
from ontomask.methods.reuse import Reuse
from ontomask.plan import Plan
from ontomask.progress import SILENT, Phases
from ontomask.purpose import Purpose, purpose_of
from ontomask.verification import check_limits, check_true


def combine_of(plan: Plan) -> Combine:
    """How attributes are combined: as the plan says; if it does not, by what they are."""
    return plan.method.combine or ("euclidean" if plan.is_all_numeric else "mean")


def view_of(tuples: Tuples, masking: Masking, plan: Plan) -> ReleaseView:
    """What the figures of a masking are computed from."""
    return ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking), combine_of(plan))


def masked_tuples(
    columns: Sequence[Column],
    tuples: Tuples,
    plan: Plan,
    rng: np.random.Generator,
    progress: Phases = SILENT,
    how: Method | None = None,
    cores: int | None = None,
) -> Masking:
    """Run the method on the complete tuples; the others (`missing: suppress-row`) are suppressed.

    `how` does what the method decided before, in its place; `cores` is how many may be used at once.
    """
    method = plan.method.own
    kept = complete_tuples(columns, tuples, plan)
    _check_enough(tuples, kept, plan)
    seen, cells = coded_tuples(columns, tuples.take(kept))
    attributes = [column.attribute for column in columns]
    if method.measure:
        attributes = [a.under(plan.make_measure(method.measure)) for a in attributes]
    done = np.zeros(1, np.int64)
    purpose = Purpose() if isinstance(how, Reuse) else purpose_of(plan)  # what is decided needs no reasons
    budget = int(Fraction(str(plan.privacy.suppress)) * tuples.n)  # 29 % of 100 rows are 29
    task = Task(
        seen,
        attributes,
        plan.asked(),
        combine=combine_of(plan),
        budget=budget,
        rng=rng,
        done=done,
        max_loss=[plan.attributes[column.name].limit for column in columns],
        strategy="marginality" if plan.method.centroid == "marginality" else None,
        is_joint=plan.method.centroid == "joint",
        tiers=purpose.tiers,
        mim=purpose.mim,
        cores=cores,
    )
    masker = how or method
    stop = task.stop if masker.searches(task) else None
    with progress.watching("masking", done, tuples.n, task.loss, stop):
        masking = masker.masking(task)
    masking = replace(masking, values=_writable(columns, masking))
    check_true(masking, seen)
    check_limits(masking, seen, task.limits)
    by = plan.make_measure()  # losses count by what the user asked for
    masking = replace(masking, attributes=tuple(a.under(by) for a in masking.attributes))
    if method.blank:
        masking = masking.blanked()
    return _of_all(masking, tuples, np.flatnonzero(kept[tuples.tuple_of_cell])[cells].astype(np.int32))


def _writable(columns: Sequence[Column], masking: Masking) -> Int32:
    """The replacements of a masking; where its text must not be written, another in its place."""
    return np.stack(
        [
            column.released_as(attribute)[masking.values[:, j]]
            for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True))
        ],
        axis=1,
    )


def complete_tuples(columns: Sequence[Column], tuples: Tuples, plan: Plan) -> Bool:
    """Which tuples take part: all, or those without a missing value."""
    kept: Bool = np.ones(len(tuples), bool)
    if plan.missing == "suppress-row":
        for j, column in enumerate(columns):
            kept &= tuples.codes[:, j] != column.attribute.missing
    return kept


def _check_enough(tuples: Tuples, kept: Bool, plan: Plan) -> None:
    """What takes part must be enough for a class."""
    left, k = int(tuples.counts[kept].sum()), plan.least_size
    if plan.missing == "suppress-row" and left < k:
        raise OntomaskError(
            f"only {left:,} of {tuples.n:,} rows have no missing value, fewer than k = {k}, so "
            "`missing: suppress-row` leaves too few",
            key="missing",
            remedy="use own-class or a smaller k",
        )


def _of_all(masking: Masking, tuples: Tuples, cells: Int32) -> Masking:
    """A masking whose cell i is cell `cells[i]` of the tuples as one of these; other cells are suppressed."""
    is_dropped = np.ones(len(tuples.tuple_of_cell), bool)
    is_dropped[cells] = False
    dropped = np.flatnonzero(is_dropped).astype(np.int32)
    all_cells = np.concatenate([cells[masking.cells], dropped])
    lost = tuples.cell_counts[dropped]
    order = np.argsort(all_cells, kind="stable")
    return replace(
        masking,
        cells=all_cells[order],
        groups=np.concatenate([masking.groups, np.full(len(dropped), SUPPRESSED, np.int32)])[order],
        counts=np.concatenate([masking.counts, lost])[order],
    )


def texts_of(columns: Sequence[Column], masking: Masking) -> list[list[str | None]]:
    """What is written for each group, column by column."""
    found = []
    for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True)):
        texts = column.texts(attribute)
        found.append([texts[r] for r in masking.values[:, j].tolist()])
    return found


def check_read_back(column: str, texts: Sequence[str | None], na_values: Sequence[str]) -> None:
    """No value may be written that means no value to who reads the file: a table may be opened by its own."""
    for text in texts:
        if text is not None and text.strip() in na_values:
            raise OntomaskError(
                f"{text!r} would be written, which means no value in this table",
                column=column,
                value=text,
                remedy="give the plan the `na_values` that the table was opened with",
            )
