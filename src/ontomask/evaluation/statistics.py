"""What became of the statistics of a table: mean, variance, covariances and correlations.

Words by marginality (Domingo-Ferrer et al. 2013), numbers as usual: the `Distribution` of each column before
and after. Missing values have no part, nor have suppressed records in the statistics of the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontomask.attributes.base import Attribute, Tuples
from ontomask.distribution import Distribution, covariance_matrix, joints_of
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure


def statistics(view: ReleaseView) -> dict[str, Any]:
    """Change of the statistics, under flat names.

    ``variance.A`` and ``variance_masked.A``
        The mean distance of two records for words, the usual variance for numbers.
    ``variance_change.A``
        100 (after - before) / before, in percent.
    ``mean_shift.A``
        Distance between the means before and after, in the attribute's own distance.
    ``covariance``, ``covariance_masked``
        The matrices, in attribute order; those of two numbers have a sign. ``covariance_change`` = mean of
        |after - before| / |before| over the entries on and below the diagonal that are not 0 before.
    ``mean.A``, ``sd.A``, ``correlation.A.B`` and the same with ``_masked``
        Of numbers.
    """
    released, attributes, place = masked_table(view)
    if not len(released):
        return {}
    before, after = _columns(view.tuples, view.attributes), _columns(released, attributes)
    figures = _of_table(before, view.tuples, "") | _of_table(after, released, "_masked")
    figures["covariance_change"] = relative_change(figures["covariance"], figures["covariance_masked"])
    tuple_at = np.argsort(place)  # the masked tuple of the pairs that stands at each place
    for j, attribute in enumerate(view.attributes):
        name, one, other = attribute.name, before[j], after[j]
        figures[f"variance_change.{name}"] = _change(one.variance, other.variance)
        if not one.n or not other.n:
            shift = float("nan")
        elif one.attribute.line is not None:
            shift = abs(other.mean - one.mean) / one.attribute.line.unit
        else:
            has_mean = np.flatnonzero(released.codes[:, j] == other.mean_code)[:1]
            replacement = view.pairs.values[tuple_at[has_mean], j]
            shift = float(attribute.distance(np.array([one.mean_code], np.int32), replacement)[0])
        figures[f"mean_shift.{name}"] = shift
    return figures


def _columns(tuples: Tuples, attributes: Sequence[Attribute]) -> list[Distribution]:
    return [Distribution.of(a, tuples.codes[:, j], tuples.counts) for j, a in enumerate(attributes)]


def _of_table(columns: Sequence[Distribution], tuples: Tuples, when: str) -> dict[str, Any]:
    """The figures before masking, or after."""
    figures: dict[str, Any] = {}
    names = [column.attribute.name for column in columns]
    for name, column in zip(names, columns, strict=True):
        figures[f"variance{when}.{name}"] = column.variance
        if column.numbers is not None:
            figures[f"mean{when}.{name}"] = column.mean
            figures[f"sd{when}.{name}"] = column.variance**0.5
    joints = list(joints_of(columns, tuples))
    figures[f"covariance{when}"] = covariance_matrix(columns, joints).tolist()
    for i, j, joint in joints:
        if joint.is_signed:
            figures[f"correlation{when}.{names[i]}.{names[j]}"] = joint.correlation
    return figures


def _change(before: float, after: float) -> float:
    """In percent; NaN where there was none."""
    return float(100 * (after - before) / before) if before > 0 else float("nan")


def relative_change(before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]) -> float:
    """The mean of |after - before| / |before| over what is known of both, and not 0 before."""
    was, became = np.array(before), np.array(after)
    here = np.tril(was != 0) & ~np.isnan(was) & ~np.isnan(became)
    return float((np.abs(became - was)[here] / np.abs(was[here])).mean()) if here.any() else 0.0


STATISTICS = Family(
    lambda subject, found: statistics(subject.view),
    (
        *(
            Figure(f"{name}{when}{of}")
            for name, of in (
                ("covariance", ""),
                ("variance", ".A"),
                ("mean", ".A"),
                ("sd", ".A"),
                ("correlation", ".A.B"),
            )
            for when in ("", "_masked")
        ),
        Figure("variance_change.A"),
        Figure("mean_shift.A"),
        Figure(
            "covariance_change",
            "Change of covariances",
            "",
            "mean relative change, words included; 0 is unchanged",
        ),
    ),
)
