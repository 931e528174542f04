"""Judging releases: any masked table beside its original, methods side by side, and what to be warned of.

The masked table may come from another tool: its texts are read as the values of the original, as labels of
the ontology, as numbers, or as ranges of numbers.
"""

from __future__ import annotations

from ontomask.assessment.comparison import Comparison, compare
from ontomask.assessment.evaluate import evaluate, figures_of
from ontomask.assessment.trees import Trees, compare_trees
from ontomask.assessment.warnings import ReleaseWarning, is_measured, warnings_of

__all__ = [
    "Comparison",
    "ReleaseWarning",
    "Trees",
    "compare",
    "compare_trees",
    "evaluate",
    "figures_of",
    "is_measured",
    "warnings_of",
]
