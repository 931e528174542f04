"""Ontomask: anonymise microdata by meaning. Everything a user calls is on this page."""

from __future__ import annotations

from ontomask.errors import OntomaskError
from ontomask.measures import MEASURES, Measure, measure
from ontomask.ontology import Ontology, list_ontologies, load_ontology

__all__ = [
    "MEASURES",
    "Measure",
    "Ontology",
    "OntomaskError",
    "list_ontologies",
    "load_ontology",
    "measure",
]
__version__ = "0.1.0"
