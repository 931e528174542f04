"""The register of figures: one line for each family, in the order in which reports show them.

Every figure anywhere (run, manifest, report, `evaluate`, `compare`) is computed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ontomask.evaluation.attacks import ATTACKS
from ontomask.evaluation.bound import BOUNDS
from ontomask.evaluation.classes import CLASSES
from ontomask.evaluation.classification import CLASSIFICATION
from ontomask.evaluation.confidential import CONFIDENTIAL, KNOWN_VALUES
from ontomask.evaluation.divergence import DIVERGENCE
from ontomask.evaluation.generalization import GENERALIZATION
from ontomask.evaluation.joint import JOINT
from ontomask.evaluation.linkage import LINKAGE
from ontomask.evaluation.loss import LOSSES
from ontomask.evaluation.queries import AGGREGATES
from ontomask.evaluation.reached import REACHED
from ontomask.evaluation.sampling import SAMPLING, SPECIAL_UNIQUES
from ontomask.evaluation.score import SCORE
from ontomask.evaluation.statistics import STATISTICS
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.evaluation.tasks import CLUSTERS

FAMILIES: list[Family] = [
    CLASSES,
    REACHED,
    LOSSES,
    GENERALIZATION,
    BOUNDS,
    AGGREGATES,
    DIVERGENCE,
    STATISTICS,
    LINKAGE,
    SCORE,
    CONFIDENTIAL,
    ATTACKS,
    KNOWN_VALUES,
    SAMPLING,
    SPECIAL_UNIQUES,
    JOINT,
    CLUSTERS,
    CLASSIFICATION,
]


def figures(
    subject: Subject, *, of_a_run: bool = False, known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Every figure that applies to a subject, or those of a run; undefined ones are None.

    `known` are figures of a run of the same subject, which are not computed again.
    """
    found: dict[str, Any] = dict(known or {})
    for family in FAMILIES:
        is_known = family.of_a_run and known is not None
        if family.applies_to(subject) and not is_known and (family.of_a_run or not of_a_run):
            found |= family.compute(subject, found)
    return finite(found)


def figure_named(name: str) -> Figure | None:
    """The declaration of a figure; `semantic_loss.age` is one of `semantic_loss.A`.

    >>> figure_named("sse.age").name
    'sse.A'
    """
    general = name.partition(".")[0]
    declared = {figure.name: figure for family in FAMILIES for figure in family.figures}
    if name in declared or "." not in name:
        return declared.get(name)
    return declared.get(f"{general}.A") or declared.get(f"{general}.A.B")


def finite(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures with None in the place of what is not defined."""
    return {name: _or_none(value) for name, value in figures.items()}


def _or_none(value: Any) -> Any:
    """NaN and infinity are not JSON."""
    if isinstance(value, list):
        return [_or_none(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
