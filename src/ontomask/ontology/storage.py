"""The binary form of an ontology: one zip file of arrays and text blobs.

The shipped WordNet and the user's cache use it. Whatever else is read is checked from end to end, as compiled
loops trust it afterwards: a crafted or damaged file is an error, never a crash or another ontology.
"""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.errors import OntologyError
from ontomask.files import most_unpacked, regular, replacing
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr, Texts, starts_of
from ontomask.ontology.draft import digest_of

FORMAT = 1
_TEXTS = ("ids", "labels", "terms", "glosses", "type_names")
_TABLES = ("parents", "senses", "types")
# What the modules that read a zip file, JSON and texts raise if they are given something else.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, MemoryError),
    *(LookupError, ValueError, TypeError, AttributeError),
)


def write_ontology(
    ontology: Ontology, path: Path, *, origin: str = "", key: str = "", smallest: bool = False
) -> None:
    """Write atomically: readers see the old file or the whole new one.

    `origin` tells people its source. With the `key` of a cache in it, only its owner may read the file.
    """
    words = zipfile.ZIP_LZMA if smallest else zipfile.ZIP_STORED
    arrays = zipfile.ZIP_DEFLATED if smallest else zipfile.ZIP_STORED
    lengths = {part: len(texts) for part in _TEXTS if (texts := getattr(ontology, part)) is not None}
    meta = {
        "format": FORMAT,
        "name": ontology.name,
        "origin": origin,
        "key": key,
        "digest": ontology.digest,
        "virtual_root": ontology.virtual_root,
        "named_senses": ontology.named_senses,
        "notes": ontology.notes,
        "relations": list(ontology.relations),
        "lengths": lengths,
    }
    tables = {part: rows for part in _TABLES if (rows := getattr(ontology, part)) is not None}
    tables |= {f"relation.{i}": rows for i, rows in enumerate(ontology.relations.values())}
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", compresslevel=9) as archive:
        if key:
            temporary.chmod(0o600)
        archive.writestr("meta.json", json.dumps(meta))
        for part in lengths:
            # Glosses are most of the bytes and read last: they alone are worth slow compression.
            how = words if part == "glosses" else arrays
            archive.writestr(part, getattr(ontology, part).blob(), how)
        for part, rows in tables.items():
            archive.writestr(f"{part}.counts", rows.counts.astype("<u4").tobytes(), arrays)
            archive.writestr(f"{part}.values", rows.values.astype("<i4").tobytes(), arrays)


def read_summary(path: Path) -> dict[str, Any]:
    """Name, origin, key and size of a stored ontology, without loading it."""
    try:
        with _Archive(path) as archive:
            meta = json.loads(archive.part("meta.json"))
            texts = {name: _typed(meta.get(name, ""), str) for name in ("name", "origin", "key")}
            return texts | {"concepts": _typed(meta["lengths"]["ids"], int)}
    except _DAMAGE as damage:
        raise _unreadable(path, damage) from damage


def read_ontology(path: Path, *, shipped: bool = False) -> Ontology:
    """Read the binary form; `OntologyError` if no loader could have written it in this version.

    Of what is `shipped` with the program nothing is checked, and words are read when they are wanted.
    """
    try:
        archive = _Archive(path)
        if not shipped:
            archive.check_size()
        meta = json.loads(archive.part("meta.json"))
        if meta["format"] != FORMAT:
            raise OntologyError("written by another version of ontomask", file=path.name)

        def blob(part: str) -> Callable[[], bytes]:
            return lambda: archive.part(part)

        def rows(part: str) -> Csr:
            counts = np.frombuffer(archive.part(f"{part}.counts"), "<u4")
            return Csr(starts_of(counts), np.frombuffer(archive.part(f"{part}.values"), "<i4"))

        stored = set(archive.namelist())
        words: dict[str, Any] = {
            part: Texts(blob(part), _typed(length, int)) for part, length in meta["lengths"].items()
        }
        tables: dict[str, Any] = {part: rows(part) for part in _TABLES if f"{part}.counts" in stored}
        names = [_typed(name, str) for name in meta["relations"]]
        ontology = Ontology(
            name=_typed(meta["name"], str),
            digest=_typed(meta["digest"], str),
            virtual_root=_typed(meta["virtual_root"], bool),
            named_senses=_typed(meta["named_senses"], bool),
            notes=tuple(_typed(note, str) for note in meta["notes"]),
            relations={name: rows(f"relation.{i}") for i, name in enumerate(names)},
            **words,
            **tables,
        )
        if not shipped:
            _check(ontology)
            _expect(len(set(names)) == len(names), "a relation is there twice")
        return ontology
    except _DAMAGE as damage:
        raise _unreadable(path, damage) from damage


class _Archive(zipfile.ZipFile):
    """A zip file in memory that gives no more than it says it holds."""

    def __init__(self, path: Path) -> None:
        content = regular(path).read_bytes()
        self._most = most_unpacked(len(content))
        super().__init__(io.BytesIO(content))

    def part(self, name: str) -> bytes:
        """The content of a part, its check sum checked."""
        with self.open(name) as file:
            return file.read(self.getinfo(name).file_size)

    def check_size(self) -> None:
        """Refuse what unpacks to far more than words and numbers do, or can only be unpacked at once."""
        parts = self.infolist()
        _expect(sum(part.file_size for part in parts) <= self._most, "it unpacks to far too much")
        known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        _expect(all(part.compress_type in known for part in parts), "it is compressed in an unknown way")


def _check(ontology: Ontology) -> None:
    """Refuse whatever `Draft` would not have built."""
    n = len(ontology.ids)
    blobs = {part: _checked_blob(part, texts) for part in _TEXTS if (texts := getattr(ontology, part))}
    _expect(n > 0 and len(set(blobs["ids"].split(b"\n"))) == n, "ids are missing or not unique")
    _expect(len(ontology.labels) == n, "not every concept has a label")
    _expect(ontology.glosses is None or len(ontology.glosses) == n, "not every concept has a gloss")

    _check_rows("parents", ontology.parents, n, n)
    _expect((ontology.parents.values < ontology.parents.row_of_value).all(), "a parent after its child")
    _expect((ontology.parents.counts[1:] > 0).all(), "a second root")
    _check_rows("senses", ontology.senses, len(ontology.terms), n, ascending=False)
    _expect((ontology.senses.counts > 0).all(), "a term that means nothing")
    _expect((ontology.types is None) == (ontology.type_names is None), "types without names")
    if ontology.types is not None and ontology.type_names is not None:
        _check_rows("types", ontology.types, n, len(ontology.type_names))
    for name, rows in ontology.relations.items():
        _check_rows(name, rows, n, n)
    digest = digest_of(ontology.ids, ontology.labels, ontology.terms, ontology.parents, ontology.senses)
    _expect(digest == ontology.digest, "its content is not what its digest says")


def _checked_blob(part: str, texts: Texts) -> bytes:
    blob = texts.blob()
    blob.decode()
    found = blob.count(b"\n") + 1 if len(texts) else len(blob)
    _expect(found == len(texts), f"more or fewer {part} than it says")
    return blob


def _check_rows(part: str, rows: Csr, n_rows: int, n_values: int, *, ascending: bool = True) -> None:
    _expect(
        len(rows) == n_rows and rows.starts[-1] == len(rows.values), f"the table of {part} has a wrong size"
    )
    in_range = (rows.values >= 0) & (rows.values < n_values)
    _expect(in_range.all(), f"the table of {part} leads nowhere")
    if ascending:
        goes_up = np.diff(rows.values) > 0
        goes_up |= np.diff(rows.row_of_value) > 0
        _expect(goes_up.all(), f"the table of {part} has an item twice")


def _expect(holds: bool | np.bool_, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _typed(value: Any, kind: type) -> Any:
    _expect(type(value) is kind, f"{value!r:.40} is no {kind.__name__}")
    return value


def _unreadable(path: Path, damage: BaseException) -> OntologyError:
    return OntologyError(f"not a readable ontology file ({damage})", file=path.name)
