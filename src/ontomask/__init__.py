"""Ontomask: anonymise microdata by meaning. Everything a user calls is on this page."""

from __future__ import annotations

from ontomask.errors import OntomaskError
from ontomask.ontology.core import Ontology

__all__ = ["Ontology", "OntomaskError"]
__version__ = "0.1.0"
