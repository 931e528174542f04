"""Statistics of one column of plain values, and of two."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ontomask.distribution import Scaling
from ontomask.errors import OntomaskError
from ontomask.measures import Measure
from ontomask.stats.reading import OntologyLike, joint_of, sample_of

QUARTILES = (0.25, 0.5, 0.75)


class Mean(NamedTuple):
    """A mean: the value itself, and its number, which is the marginality of a word."""

    value: Any
    number: float


class Radius(NamedTuple):
    """Within `distance` of the mean are a `share` of the records; `values` lie just as far, common first."""

    share: float
    distance: float
    values: tuple[Any, ...]


def mean(
    series: Any,
    *,
    ontology: OntologyLike = "wordnet",
    measure: str | Measure = "logsc",
    scaling: Scaling = "balanced",
) -> Mean:
    """The most central value, ``argmin m(x_j)``, and its marginality ``min m(x_j)``; the mean of numbers.

    ``m(x_j) = sum over the others x_l of d(x_j, x_l)`` or, balanced, that over n - 1 (definition 1 of
    Domingo-Ferrer, Sanchez & Rufian-Torrell 2013). Of equally central values it is the first by name.

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> mean(["ache", "ache", "pain", "colic"], ontology=tree, measure="path")
    Mean(value='ache', number=1.0)
    >>> mean({20: 3, 40: 1, None: 2})
    Mean(value=25.0, number=25.0)
    """
    sample = sample_of(series, ontology, measure)
    found = sample.distribution(scaling)
    if found.numbers is None:
        return Mean(sample.values[found.mean_code], found.mean)
    return Mean(sample.value_of(found.mean), found.mean)


def variance(
    series: Any,
    *,
    ontology: OntologyLike = "wordnet",
    measure: str | Measure = "logsc",
    scaling: Scaling = "balanced",
) -> float:
    """``1/n sum_j m(x_j)``: balanced, the mean distance of two records; of numbers ``1/n sum (x - mean)^2``.

    Definition 2 of Domingo-Ferrer, Sanchez & Rufian-Torrell 2013. The variance of days is in square days.

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> variance(["ache", "pain", "colic"], ontology=tree, measure="path") == (1 + 1 + 2) / 3
    True
    >>> variance([20, 20, 20, 40])
    75.0
    """
    return sample_of(series, ontology, measure).distribution(scaling).variance


def marginality(
    series: Any,
    *,
    ontology: OntologyLike = "wordnet",
    measure: str | Measure = "logsc",
    scaling: Scaling = "balanced",
) -> dict[Any, float]:
    """m of every value, the most central first; of numbers ``(x - mean)^2`` stands in for it.

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> marginality(["ache", "ache", "pain", "colic"], ontology=tree, measure="path", scaling="published")
    {'ache': 3.0, 'pain': 3.0, 'colic': 5.0}
    """
    sample = sample_of(series, ontology, measure)
    found = sample.distribution(scaling)
    codes = np.flatnonzero(found.counts > 0)
    order = codes[np.argsort(found.marginality[codes], kind="stable")]
    return {sample.values[code]: float(found.marginality[code]) for code in order.tolist()}


def quantiles(series: Any, shares: Sequence[float] = QUARTILES) -> list[Any]:
    """Of numbers or days, the least value that more than each share of the records have at most.

    Words have no order: `radii` says how they lie round their mean.

    >>> quantiles([1, 2, 3, 4, 5, 6, 7, 8])
    [3, 5, 7]
    """
    sample = sample_of(series, "wordnet", "logsc", is_ordered=True)
    found = sample.distribution("balanced")
    assert found.numbers is not None
    places = {number: code for code, number in enumerate(found.numbers.tolist())}
    return [sample.values[places[found.quantile(_share(share))]] for share in shares]


def radii(
    series: Any,
    shares: Sequence[float] = QUARTILES,
    *,
    ontology: OntologyLike = "wordnet",
    measure: str | Measure = "logsc",
) -> list[Radius]:
    """How far round the mean more than each share of the records lie, and the values just as far.

    What quantiles are to numbers: half of the people are within the radius of 0.5. Distances are in meaning;
    of numbers in their own unit, of days in days.

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> radii(["ache", "ache", "pain", "colic"], [0.25, 0.75], ontology=tree, measure="path")
    [Radius(share=0.25, distance=0.0, values=('ache',)), Radius(share=0.75, distance=2.0, values=('colic',))]
    """
    sample = sample_of(series, ontology, measure)
    found = sample.distribution("balanced")
    return [
        Radius(
            share,
            found.radius(_share(share)),
            tuple(sample.values[code] for code in found.codes_at(share)),
        )
        for share in shares
    ]


# ---------------------------------------------------------------------- of two columns


def covariance(
    x: Any,
    y: Any,
    *,
    ontology: OntologyLike | tuple[OntologyLike, OntologyLike] = "wordnet",
    measure: str | Measure = "logsc",
    scaling: Scaling = "balanced",
    counts: Sequence[int] | None = None,
) -> float:
    """``1/n sum_j sqrt(m(x_j) m(y_j))``: how far people who are far from others in x are so in y as well.

    Definition 3 of Domingo-Ferrer, Sanchez & Rufian-Torrell 2013. A word may stand beside a number, for which
    ``(y - mean)^2`` stands in for m; two columns of numbers have their usual covariance,
    ``1/n sum (x - mean x) (y - mean y)``, with a sign. Records that lack one of the two are left out.

    Parameters
    ----------
    x, y
        The two columns, record by record.
    ontology
        One for both, or one each.
    counts
        How many records each place stands for, if not one.

    Examples
    --------
    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> round(covariance(["ache", "pain", "pain"], [30, 50, 40], ontology=tree, measure="path"), 6)
    5.690356
    >>> covariance([1, 2, 3], [6, 4, 2])
    -1.3333333333333333
    """
    return joint_of(x, y, ontology, measure, scaling, counts).covariance


def correlation(
    x: Any,
    y: Any,
    *,
    ontology: OntologyLike | tuple[OntologyLike, OntologyLike] = "wordnet",
    measure: str | Measure = "logsc",
    counts: Sequence[int] | None = None,
) -> float:
    """``covariance / sqrt(variance(x) variance(y))``; Pearson's of two columns of numbers.

    With words it lies in 0..1 and is never negative: marginality says how far out a value is, not in which
    direction. It is 1 where the marginalities of the two are proportional: who is unusual in one is as
    unusual in the other. It cannot say that two words go together, and a high one means little by itself,
    for two columns that have nothing to do with each other may reach 0.9: `describe` tells what they would
    have, as `unrelated`. NaN where one of the two is constant. It does not depend on the scaling.

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> words = ["ache", "pain", "pain", "colic"]
    >>> correlation(words, words, ontology=tree, measure="path")
    1.0
    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    return joint_of(x, y, ontology, measure, "balanced", counts).correlation


def _share(share: Any) -> float:
    if not isinstance(share, Real) or not 0 <= float(share) <= 1:
        raise OntomaskError(f"a share must be from 0 to 1, not {share!r}", remedy="0.5 is the median")
    return float(share)
