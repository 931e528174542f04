"""What the user asks for: which column is what, how well people hide, by which method.

A `Plan` is frozen data, read from YAML, a dict or command-line options, and written back. All that is wrong
with one is said at once, with file, line and key. It knows neither tables nor ontologies: whether a column
or a concept exists is found out where it is looked up.
"""

from __future__ import annotations

from ontomask.plan.attribute import FLAT, AttributePlan, HierarchyPlan, Write
from ontomask.plan.parts import MethodPlan, Privacy, TableSettings
from ontomask.plan.plan import Plan, as_plan

__all__ = [
    "FLAT",
    "AttributePlan",
    "HierarchyPlan",
    "MethodPlan",
    "Plan",
    "Privacy",
    "TableSettings",
    "Write",
    "as_plan",
]
