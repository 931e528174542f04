"""What was lost and what is still at risk: figures of a release, from integers and counts only."""

from __future__ import annotations

from ontomask.evaluation.classification import Learned, compare_classification
from ontomask.evaluation.decision_tree import DecisionTree, Feature, TreeOptions
from ontomask.evaluation.linkage import known_to
from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.evaluation.reached import classes_of_original
from ontomask.evaluation.register import FAMILIES, figure_named, figures
from ontomask.evaluation.subject import (
    ConfidentialColumn,
    Family,
    Figure,
    OtherRelease,
    Population,
    Sampling,
    Subject,
    Target,
)
from ontomask.evaluation.tasks import ClusterComparison, compare_clusters

__all__ = [
    "FAMILIES",
    "ClusterComparison",
    "ConfidentialColumn",
    "DecisionTree",
    "Family",
    "Feature",
    "Figure",
    "Learned",
    "OtherRelease",
    "Pairs",
    "Population",
    "ReleaseView",
    "Sampling",
    "Subject",
    "Target",
    "TreeOptions",
    "classes_of_original",
    "compare_classification",
    "compare_clusters",
    "figure_named",
    "figures",
    "known_to",
    "losses",
]
