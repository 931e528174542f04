"""The binary form of an ontology: one zip file of arrays and text blobs.

The shipped WordNet and the user's cache use it. Words stay compressed until somebody reads them.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.errors import OntologyError
from ontomask.files import replacing
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr, Texts, starts_of

FORMAT = 1
_TEXTS = ("ids", "labels", "terms", "glosses", "type_names")
_TABLES = ("parents", "senses", "types")


def write_ontology(ontology: Ontology, path: Path, *, origin: str = "", smallest: bool = False) -> None:
    """Write atomically: readers see the old file or the whole new one. `origin` tells people its source."""
    words = zipfile.ZIP_LZMA if smallest else zipfile.ZIP_STORED
    arrays = zipfile.ZIP_DEFLATED if smallest else zipfile.ZIP_STORED
    lengths = {key: len(texts) for key in _TEXTS if (texts := getattr(ontology, key)) is not None}
    meta = {
        "format": FORMAT,
        "name": ontology.name,
        "origin": origin,
        "digest": ontology.digest,
        "virtual_root": ontology.virtual_root,
        "named_senses": ontology.named_senses,
        "notes": ontology.notes,
        "relations": list(ontology.relations),
        "lengths": lengths,
    }
    tables = {key: rows for key in _TABLES if (rows := getattr(ontology, key)) is not None}
    tables |= {f"relation.{i}": rows for i, rows in enumerate(ontology.relations.values())}
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", compresslevel=9) as archive:
        archive.writestr("meta.json", json.dumps(meta))
        for key in lengths:
            # Glosses are most of the bytes and read last: they alone are worth slow compression.
            how = words if key == "glosses" else arrays
            archive.writestr(key, getattr(ontology, key).blob(), how)
        for key, rows in tables.items():
            archive.writestr(f"{key}.counts", rows.counts.astype("<u4").tobytes(), arrays)
            archive.writestr(f"{key}.values", rows.values.astype("<i4").tobytes(), arrays)


def read_summary(path: Path) -> dict[str, Any]:
    """Name, origin and size of a stored ontology, without loading it."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read("meta.json"))
            return {"name": meta["name"], "origin": meta["origin"], "concepts": meta["lengths"]["ids"]}
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as damage:
        raise OntologyError(f"not a readable ontology file ({damage})", file=path.name) from damage


def read_ontology(path: Path, *, check: bool = False) -> Ontology:
    """Read the binary form; `OntologyError` if the file is damaged or of another format version.

    Words are read when they are wanted; `check` looks for damage in them at once.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        if check and (damaged := archive.testzip()):
            raise OntologyError(f"the part {damaged!r} is damaged", file=path.name)
        meta = json.loads(archive.read("meta.json"))
        if meta["format"] != FORMAT:
            raise OntologyError("written by another version of ontomask", file=path.name)

        def blob(key: str) -> Callable[[], bytes]:
            return lambda: archive.read(key)

        def rows(key: str) -> Csr:
            counts = np.frombuffer(archive.read(f"{key}.counts"), "<u4")
            return Csr(starts_of(counts), np.frombuffer(archive.read(f"{key}.values"), "<i4"))

        stored = set(archive.namelist())
        words: dict[str, Any] = {key: Texts(blob(key), length) for key, length in meta["lengths"].items()}
        tables: dict[str, Any] = {key: rows(key) for key in _TABLES if f"{key}.counts" in stored}
        return Ontology(
            name=meta["name"],
            digest=meta["digest"],
            virtual_root=meta["virtual_root"],
            named_senses=meta["named_senses"],
            notes=tuple(meta["notes"]),
            relations={name: rows(f"relation.{i}") for i, name in enumerate(meta["relations"])},
            **words,
            **tables,
        )
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, OSError) as damage:
        raise OntologyError(f"not a readable ontology file ({damage})", file=path.name) from damage
