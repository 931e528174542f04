"""What words mean: the immutable Ontology, one loader per format, an on-disk cache."""

from __future__ import annotations

from ontomask.ontology.catalog import OntologySource, list_ontologies, load_ontology
from ontomask.ontology.core import Ontology

__all__ = ["Ontology", "OntologySource", "list_ontologies", "load_ontology"]
