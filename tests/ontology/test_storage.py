"""The binary form is believed in nothing: a crafted or damaged file is an error, never another ontology."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.draft import Draft
from ontomask.ontology.storage import read_ontology, read_summary, write_ontology

Parts = dict[str, bytes]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Four concepts (animal above cat, dog; pet above cat too), terms, types, a relation and glosses."""
    draft = Draft("pets")
    for concept in ("animal", "pet", "cat", "dog"):
        draft.concept(concept, concept)
        draft.gloss(concept, f"what a {concept} is")
        draft.semantic_type(concept, "living")
    for child, parent in [("pet", "animal"), ("cat", "animal"), ("cat", "pet"), ("dog", "animal")]:
        draft.is_a(child, parent)
    draft.term("cat", "tomcat")
    draft.relation("chases", "dog", "cat")
    write_ontology(draft.finish(), tmp_path / "pets.onto")
    return tmp_path / "pets.onto"


def rewrite(path: Path, change: Callable[[Parts], Any]) -> None:
    """Change the parts of a stored ontology; check sums and, where there can be one, the digest fit."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    before = json.loads(parts["meta.json"])
    change(parts)
    with suppress(LookupError, ValueError, TypeError, RecursionError):
        if json.loads(parts["meta.json"])["digest"] == before["digest"]:
            parts["meta.json"] = json.dumps(
                json.loads(parts["meta.json"]) | {"digest": digest(parts)}
            ).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def digest(parts: Parts) -> str:
    """As `ontology.draft.digest_of` has it."""
    content = hashlib.sha256(b"".join(parts[name] + b"\0" for name in ("ids", "labels", "terms")))
    for name in ("parents", "senses"):
        ends = np.cumsum(np.frombuffer(parts[f"{name}.counts"], "<u4"), dtype="<i8")
        content.update(b"\0" * 8 + ends.tobytes() + parts[f"{name}.values"])
    return content.hexdigest()


def numbers(*values: int) -> bytes:
    return np.array(values, "<i4").tobytes()


def meta(**changes: Any) -> Callable[[Parts], Any]:
    return lambda parts: parts.update(
        {"meta.json": json.dumps(json.loads(parts["meta.json"]) | changes).encode()}
    )


def part(name: str, content: bytes) -> Callable[[Parts], Any]:
    return lambda parts: parts.update({name: content})


def both(*changes: Callable[[Parts], Any]) -> Callable[[Parts], Any]:
    return lambda parts: [change(parts) for change in changes]


def lengths(**changes: Any) -> Callable[[Parts], Any]:
    """Other numbers of texts than there are; None takes one away."""
    stated = {"ids": 4, "labels": 4, "terms": 5, "glosses": 4, "type_names": 1} | changes
    return meta(lengths={key: length for key, length in stated.items() if length is not None})


# Concepts in order: animal, dog, pet, cat. Terms: animal, cat, dog, pet, tomcat.
CRAFTED: dict[str, Callable[[Parts], Any]] = {
    "a parent that is no concept": part("parents.values", numbers(0, 0, 0, 2_000_000_000)),
    "a negative parent": part("parents.values", numbers(0, 0, -5, 2)),
    "a parent after its child": part("parents.values", numbers(3, 0, 0, 2)),
    "its own parent": part("parents.values", numbers(1, 0, 0, 2)),
    "a parent twice": part("parents.values", numbers(0, 0, 2, 2)),
    "two roots": lambda parts: parts.update(
        {"parents.counts": numbers(0, 0, 1, 2), "parents.values": numbers(0, 0, 2)}
    ),
    "more counts than concepts": part("parents.counts", numbers(0, 1, 1, 2, 0)),
    "counts beyond the values": part("parents.counts", numbers(0, 1, 1, -1)),
    "fewer values than counted": part("parents.values", numbers(0, 0)),
    "half a number": part("parents.values", numbers(0, 0, 0, 2) + b"\0"),
    "a sense that is no concept": part("senses.values", numbers(0, 3, 1, 2, 4)),
    "a term without a sense": part("senses.counts", numbers(1, 1, 1, 2, 0)),
    "a type that is none": part("types.values", numbers(0, 0, 0, 1)),
    "a relation to no concept": part("relation.0.values", numbers(9)),
    "fewer labels than it says": part("labels", b"animal\ndog\npet"),
    "too few labels": both(part("labels", b"animal\ndog\npet"), lengths(labels=3)),
    "too many ids": part("ids", b"animal\ndog\npet\ncat\ncow"),
    "an id twice": part("ids", b"animal\ndog\npet\npet"),
    "another digest": meta(digest="0" * 64),
    "words that are not UTF-8": part("glosses", b"\xff\n\n\n"),
    "glosses for some": both(part("glosses", b"one\ntwo"), lengths(glosses=2)),
    "types without names": lengths(type_names=None),
    "no terms": lambda parts: parts.pop("terms"),
    "no meta": lambda parts: parts.pop("meta.json"),
    "meta that is a list": part("meta.json", b"[]"),
    "meta far too deep": part("meta.json", b"[" * 100_000),
    "a name that is no text": meta(name=["pets"]),
    "a digest that is no text": meta(digest=None),
    "notes that are no texts": meta(notes=[{}]),
    "a length below zero": lengths(ids=-4),
    "lengths that are no numbers": lengths(ids="4"),
    "a relation twice": both(
        part("relation.1.counts", numbers(0, 1, 0, 0)),
        part("relation.1.values", numbers(3)),
        meta(relations=["chases", "chases"]),
    ),
    "a relation that is not there": meta(relations=["chases", "likes"]),
    "a relation without a name": meta(relations=[None]),
    "words nobody knows": lengths(x=1),
    "a truth value that is none": meta(virtual_root="yes"),
    "another version": meta(format=99),
    "a bomb": part("of no use", bytes(100_000_000)),
}


@pytest.mark.parametrize("craft", CRAFTED)
def test_a_crafted_file_is_refused(stored: Path, craft: str) -> None:
    rewrite(stored, lambda parts: None)
    assert len(read_ontology(stored)) == 4  # before the change it is whole
    rewrite(stored, CRAFTED[craft])
    with pytest.raises(OntologyError, match=r"pets\.onto: "):
        read_ontology(stored)


def test_what_can_only_be_unpacked_at_once_is_refused(stored: Path) -> None:
    with zipfile.ZipFile(stored, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("of no use", b"perhaps a bomb")
    with pytest.raises(OntologyError, match="compressed in an unknown way"):
        read_ontology(stored)


def test_whatever_byte_is_damaged_nobody_crashes(stored: Path) -> None:
    """Every byte is flipped in turn: the file is refused, or says what it said before."""
    whole = stored.read_bytes()
    labels = list(read_ontology(stored).labels)
    for i in range(len(whole)):
        stored.write_bytes(whole[:i] + bytes([whole[i] ^ 0x41]) + whole[i + 1 :])
        try:
            ontology = read_ontology(stored)
        except OntologyError:
            continue
        assert list(ontology.labels) == labels and ontology.ancestors.counts.tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"[]", b"\0" * 100])
def test_a_summary_of_anything_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.onto"
    path.write_bytes(content)
    with pytest.raises(OntologyError, match="not a readable ontology file"):
        read_summary(path)


def test_the_process_survives_a_parent_out_of_range(stored: Path) -> None:
    rewrite(stored, CRAFTED["a parent that is no concept"])
    code = f"import ontomask as om; om.load_ontology({str(stored)!r}).ancestors"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "OntologyError" in done.stderr
