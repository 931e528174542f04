"""The register of ontology formats; each is one file that reads one kind of source into a `Draft`.

A format is a module of this room with three functions: `recognises(path)` says whether a file or folder is of
its kind, `source_files(path)` names what determines the result, and `load(path, name, **options)` reads it.
A module is imported when it is first asked.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ontomask.errors import OntologyError

FORMATS = {  # in the order they are asked
    "wndb": "WordNet database folder (data.noun, index.noun)",
    "rf2": "SNOMED CT RF2 snapshot folder",
    "rrf": "UMLS RRF folder (MRCONSO.RRF, MRREL.RRF) or Semantic Network (SRDEF, SRSTR)",
    "mesh": "MeSH descriptor XML",
    "obo": "OBO (.obo)",
    "rdf": "OWL, RDF or SKOS (.owl, .rdf, .ttl, ...)",
    "dgh": "DGH text (.dgh, .txt)",
    "listed": "list of concepts (.csv with the header id;parent;label;synonyms)",
    "arx": "ARX hierarchy (.csv)",
    "nested": "nested YAML or JSON",
}


def format_of(path: Path) -> str:
    """Name of the format of a file or folder."""
    for name in FORMATS:
        if format_named(name).recognises(path):
            return name
    raise OntologyError(
        "not an ontology in a format that is known here", file=str(path), details=tuple(FORMATS.values())
    )


def format_named(name: str) -> Any:
    """The module of a format."""
    return import_module(f"ontomask.ontology.formats.{name}")
