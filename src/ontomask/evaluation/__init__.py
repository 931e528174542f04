"""What was lost and what is still at risk: figures of a release, from integers and counts only."""

from __future__ import annotations

from ontomask.evaluation.classification import compare_classification
from ontomask.evaluation.figures import ConfidentialColumn, figures
from ontomask.evaluation.linkage import known_to
from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.evaluation.tasks import ClusterComparison, compare_clusters

__all__ = [
    "ClusterComparison",
    "ConfidentialColumn",
    "Pairs",
    "ReleaseView",
    "compare_classification",
    "compare_clusters",
    "figures",
    "known_to",
    "losses",
]
