"""Ontomask: anonymise microdata by meaning. Everything a user calls is on this page.

Names are imported when first used, so that `import ontomask` and `ontomask --help` cost next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontomask import stats
    from ontomask.assessment import Comparison, compare, evaluate, warnings_of
    from ontomask.errors import OntomaskError
    from ontomask.hierarchies import (
        Gsl,
        Hierarchy,
        hierarchy_of,
        linked_nodes,
        read_hierarchy,
        vgh_set_gsl,
        write_hierarchy,
    )
    from ontomask.linking import Link, Links, link
    from ontomask.measures import MEASURES, Measure, measure
    from ontomask.ontology import Ontology, list_ontologies, load_ontology
    from ontomask.operators import Centroid, centroid, distance, sort
    from ontomask.pipeline import anonymize
    from ontomask.plan import Plan
    from ontomask.profile import TableProfile, init
    from ontomask.release import Release
    from ontomask.report import write_report
    from ontomask.scheme import Scheme

__all__ = [
    "MEASURES",
    "Centroid",
    "Comparison",
    "Gsl",
    "Hierarchy",
    "Link",
    "Links",
    "Measure",
    "Ontology",
    "OntomaskError",
    "Plan",
    "Release",
    "Scheme",
    "TableProfile",
    "anonymize",
    "centroid",
    "compare",
    "distance",
    "evaluate",
    "hierarchy_of",
    "init",
    "link",
    "linked_nodes",
    "list_ontologies",
    "load_ontology",
    "measure",
    "read_hierarchy",
    "sort",
    "stats",
    "vgh_set_gsl",
    "warnings_of",
    "write_hierarchy",
    "write_report",
]
__version__ = "0.1.0"

_HOME = {
    "assessment": ["Comparison", "compare", "evaluate", "warnings_of"],
    "errors": ["OntomaskError"],
    "hierarchies": [
        "Gsl",
        "Hierarchy",
        "hierarchy_of",
        "linked_nodes",
        "read_hierarchy",
        "vgh_set_gsl",
        "write_hierarchy",
    ],
    "linking": ["Link", "Links", "link"],
    "measures": ["MEASURES", "Measure", "measure"],
    "ontology": ["Ontology", "list_ontologies", "load_ontology"],
    "operators": ["Centroid", "centroid", "distance", "sort"],
    "pipeline": ["anonymize"],
    "plan": ["Plan"],
    "profile": ["TableProfile", "init"],
    "release": ["Release"],
    "report": ["write_report"],
    "scheme": ["Scheme"],
}


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("ontomask.stats")
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"ontomask.{module}"), name)
    raise AttributeError(f"module 'ontomask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
