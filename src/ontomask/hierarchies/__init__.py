"""Generalisation hierarchies: trees over the values of a column, read, built, judged and improved.

They know labels, concepts and numbers, but neither tables nor plans.
"""

from __future__ import annotations

from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.formats import read_hierarchy, write_hierarchy
from ontomask.hierarchies.gsl import Gsl, linked_nodes, vgh_set_gsl
from ontomask.hierarchies.hierarchy import EVERYTHING, Hierarchy

__all__ = [
    "EVERYTHING",
    "Gsl",
    "Hierarchy",
    "hierarchy_of",
    "linked_nodes",
    "read_hierarchy",
    "vgh_set_gsl",
    "write_hierarchy",
]
