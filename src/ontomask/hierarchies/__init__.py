"""Generalisation hierarchies: trees over the values of a column, read, built, judged and improved.

They know labels, concepts and numbers, but neither tables nor plans.
"""

from __future__ import annotations

from ontomask.hierarchies.hierarchy import EVERYTHING, Hierarchy

__all__ = ["EVERYTHING", "Hierarchy"]
