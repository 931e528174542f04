"""All figures of a release in one flat dictionary, ready for JSON: what was lost, what is still at risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int64
from ontomask.evaluation.divergence import kl_divergence
from ontomask.evaluation.generalization import generalization
from ontomask.evaluation.linkage import (
    as_seen,
    blind_guess,
    matched_record_linkage,
    record_linkage,
    semantic_record_linkage,
)
from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.statistics import statistics
from ontomask.privacy import (
    Confidential,
    average_class_size,
    class_risks,
    discernibility,
    distinct_diversity,
    entropy_diversity,
    equal_closeness,
    k_anonymity,
    k_map,
    lkc,
    ordered_closeness,
    recursive_c,
    semantic_closeness,
)

ALPHAS = tuple(step / 10 for step in range(11))


@dataclass(frozen=True, eq=False)
class ConfidentialColumn:
    """A confidential attribute beside the release: entry e has value `values[e]` in masked tuple `masked[e]`.

    `distances` between values makes t-closeness semantic; `is_ordered` says that the codes are ranks.
    """

    name: str
    masked: npt.NDArray[np.integer]
    values: npt.NDArray[np.integer]
    counts: Int64
    distances: Float64 | None = None
    is_ordered: bool = False


def figures(
    view: ReleaseView,
    k: int,
    *,
    attacker: ReleaseView | None = None,
    alpha: float = 0.5,
    confidential: Sequence[ConfidentialColumn] = (),
    known_values: int | None = None,
    population: Int64 | None = None,
) -> dict[str, Any]:
    """Every figure of a release; k is the one that was asked for. Undefined figures are None.

    Parameters
    ----------
    attacker
        The release as the intruder sees it (ontology, measure, known attributes); None: as the evaluation.
    alpha
        Weight of the loss in `score`.
    confidential
        Columns to check for l-diversity and t-closeness.
    known_values
        L of LKC-privacy; None: not checked.
    population
        Per masked tuple the people it may stand for, for k-map and the journalist's risk.
    """
    seen = attacker or view
    found: dict[str, Any] = {"n": view.pairs.n, "suppressed": view.pairs.n_suppressed, "k_asked": k}
    found |= _classes(view, k, population)
    found |= losses(view)
    found |= generalization(view)
    found |= kl_divergence(view)
    found |= statistics(view)
    found |= {
        # Nothing masked, the right record is always among the nearest: SRL = MRL = RL.
        "linkage_before": 100 * len(as_seen(seen).tuples) / seen.pairs.n,
        "srl": semantic_record_linkage(seen),
        "mrl": matched_record_linkage(seen),
        "rl": record_linkage(seen),
    }
    found |= dict.fromkeys(("srl_blind", "mrl_blind", "rl_blind"), blind_guess(seen))
    found["score"] = score(found["information_loss"], found["srl"], alpha)
    found["score_curve"] = [score(found["information_loss"], found["srl"], a) for a in ALPHAS]
    for column in confidential:
        found |= _confidential(column)
        if known_values is not None:
            found |= _lkc(view, known_values, column)
    if known_values is not None and not confidential:
        found |= _lkc(view, known_values, None)
    return {name: _or_none(value) for name, value in found.items()}


def score(information_loss: float, risk: float, alpha: float = 0.5) -> float:
    """``alpha L + (1 - alpha) DR``, both in percent: the lower, the better the release balances the two.

    >>> score(20.0, 10.0)
    15.0
    """
    return alpha * information_loss + (1 - alpha) * risk


def _classes(view: ReleaseView, k: int, population: Int64 | None) -> dict[str, Any]:
    """Class sizes and their risks, after and before (names with `_before`)."""
    sizes, before = view.pairs.class_sizes, as_seen(view).tuples.counts
    smallest = k_anonymity(sizes)
    found: dict[str, Any] = {
        "k": smallest,
        "classes": len(sizes),
        "smallest_class": smallest,
        "average_class_size": average_class_size(sizes, k),
        "discernibility": discernibility(sizes, view.pairs.n_suppressed),
        "tuples_before": len(before),
        "k_before": k_anonymity(before),
    }
    if population is not None:
        found["k_map"] = k_map(population)
    found |= class_risks(sizes, k, population)
    risks = class_risks(before, k)
    return found | {
        f"{name}_before": risks[name] for name in ("prosecutor_max", "sample_uniques", "records_below_k")
    }


def _confidential(column: ConfidentialColumn) -> dict[str, Any]:
    """l-diversity and t-closeness of one column."""
    spread = Confidential.of(column.masked, column.values, column.counts)
    found: dict[str, Any] = {
        f"l_distinct.{column.name}": distinct_diversity(spread),
        f"l_entropy.{column.name}": entropy_diversity(spread),
        f"l_recursive_c.{column.name}": recursive_c(spread, 2),
        f"t_equal.{column.name}": equal_closeness(spread),
        f"confidence.{column.name}": float(100 * spread.shares.max(initial=0.0)),
        f"confidence_blind.{column.name}": 100 * spread.blind_guess,
    }
    if column.is_ordered:
        found[f"t_ordered.{column.name}"] = ordered_closeness(spread)
    if column.distances is not None:
        found[f"t_semantic.{column.name}"] = semantic_closeness(spread, column.distances)
    return found


def _lkc(view: ReleaseView, known_values: int, column: ConfidentialColumn | None) -> dict[str, Any]:
    """Largest K and smallest C for an intruder who knows so many values."""
    if column is None:
        found = lkc(list(view.pairs.values.T), view.pairs.class_sizes, known_values)
        return {"lkc_k": found.k}
    kept = column.masked >= 0
    columns = list(view.pairs.values[column.masked[kept]].T)
    found = lkc(columns, column.counts[kept], known_values, column.values[kept])
    return {"lkc_k": found.k, f"lkc_confidence.{column.name}": 100 * found.confidence}


def _or_none(value: Any) -> Any:
    """NaN and infinity are not JSON."""
    return None if isinstance(value, float) and not np.isfinite(value) else value
