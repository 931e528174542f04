"""The figures that a report needs, computed from the release if nobody hands them over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask import evaluation
from ontomask.columns import all_numeric
from ontomask.evaluation import ConfidentialColumn, Pairs, ReleaseView
from ontomask.profile.guess import are_numbers, why_identifier

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.pipeline import Release

_MOSTLY = 0.5


def figures_of(release: Release) -> dict[str, Any]:
    """All measures of a release, the confidential columns of its plan among them."""
    plan = release.plan
    combine = plan.method.combine or ("euclidean" if all_numeric(plan) else "mean")
    attributes = [column.attribute for column in release.columns]
    view = ReleaseView(release.tuples, attributes, Pairs.of(release.masking), combine)
    names = plan.with_role("confidential")
    confidential = _confidential(release.to_arrow(), [a.name for a in attributes], names) if names else []
    return evaluation.figures(view, plan.privacy.k, confidential=confidential)


def _confidential(table: pa.Table, masked: list[str], names: tuple[str, ...]) -> list[ConfidentialColumn]:
    """The values of confidential columns over the classes of the released table."""
    classes = np.zeros(table.num_rows, np.int64)
    for name in masked:
        codes = _codes(table.column(name))
        _, classes = np.unique(classes * (codes.max(initial=0) + 1) + codes, return_inverse=True)
    once = np.ones(table.num_rows, np.int64)
    return [ConfidentialColumn(name, classes, _codes(table.column(name)), once) for name in names]


def _codes(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Integers for the values of a column; a missing one counts as a value."""
    texts = ["" if value is None else f"={value}" for value in column.to_pylist()]
    return np.unique(texts, return_inverse=True)[1].astype(np.int64)


def risky_columns(table: pa.Table, masked: Collection[str]) -> dict[str, str]:
    """Columns released as they are that may point at single people, and why, without a value."""
    found = {}
    for name in table.column_names:
        if name in masked:
            continue
        values = [str(value) for value in table.column(name).to_pylist() if value is not None]
        distinct = sorted(set(values))
        reason = why_identifier(name, distinct, len(values), are_numbers(name, distinct))
        if not reason and len(values) >= 20 and len(distinct) > _MOSTLY * len(values):
            reason = "most of its values occur once, so who knows one finds the row"
        if reason:
            found[name] = reason
    return found


def with_names(figures: Mapping[str, Any]) -> dict[str, float]:
    """The single numbers among the figures: no matrices, curves or undefined ones."""
    return {
        name: float(value)
        for name, value in figures.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
