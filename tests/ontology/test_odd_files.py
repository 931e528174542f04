"""Files that no person wrote, or nobody can read: each ends in words, soon, and with little memory."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import OntologyError
from ontomask.ontology import core
from ontomask.ontology.draft import DEEPEST, Draft

RDF = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:owl='http://www.w3.org/2002/07/owl#'"
OWL = f"{RDF}><owl:Class rdf:about='#flu'/><owl:Class rdf:about='#cold'/></rdf:RDF>"
MESH = (
    "<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName><String>Flu"
    "</String></DescriptorName><TreeNumberList><TreeNumber>C01</TreeNumber></TreeNumberList></DescriptorRecord>"
    "</DescriptorRecordSet>"
)
LAUGHS = "<!DOCTYPE x [<!ENTITY a0 'ha'>" + "".join(
    f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 11)
)


def refused(path: Path, message: str) -> None:
    began = time.monotonic()
    with pytest.raises(OntologyError, match=message):
        om.load_ontology(path)
    assert time.monotonic() - began < 20


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# ---------------------------------------------------------------------- too deep


def chain(n: int) -> list[tuple[str, str]]:
    return [(f"n{i}", f"n{i - 1}") for i in range(1, n)]


def test_a_chain_as_deep_as_allowed() -> None:
    tree = Draft.from_edges("chain", chain(DEEPEST + 1))
    assert tree.longest_depth.max() == tree.ancestors.hops.max() == DEEPEST


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.obo", "".join(f"[Term]\nid: {c}\nis_a: {p}\n" for c, p in chain(35_000)) + "[Term]\nid: n0\n"),
        ("x.yaml", "".join(f"{{n{i}: " for i in range(35_000)) + "~" + "}" * 35_000),
        ("x.dgh", "a:discrete\nT:NONE\n(n" + "".join(f"{{n{i}" for i in range(35_000)) + "}" * 35_000 + ")"),
        ("x.csv", ";".join(f"n{i}" for i in range(35_000)) + "\n"),
    ],
)
def test_a_chain_that_is_too_deep(tmp_path: Path, name: str, content: str) -> None:
    refused(write(tmp_path / name, content), f"more than {DEEPEST:,} levels deep")


def test_too_many_ancestors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "MOST_ANCESTORS", 1 + 2 + 3 + 4)
    assert len(Draft.from_edges("chain", chain(4)).ancestors.values) == 10
    with pytest.raises(OntologyError, match="more than 10 ancestors in all"):
        _ = Draft.from_edges("chain", chain(5)).ancestors


# ---------------------------------------------------------------------- other encodings


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("name", "content"), [("x.owl", OWL), ("x.xml", OWL), ("mesh.xml", MESH)])
def test_xml_in_utf_16(tmp_path: Path, name: str, content: str, encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="utf-16"?>{content}'
    path = write(tmp_path / name, declared.encode(encoding))
    assert "flu" in {label.lower() for label in om.load_ontology(path).labels}


@pytest.mark.parametrize(("name", "content"), [("x.owl", OWL), ("x.xml", OWL), ("mesh.xml", MESH)])
@pytest.mark.parametrize(
    "declared", ["klingon", "utf-32", "utf-7", "hex", "idna", "gb18030", "\u00e9", "x" * 2000]
)
def test_xml_in_an_encoding_that_expat_cannot_read(
    tmp_path: Path, name: str, content: str, declared: str
) -> None:
    xml = f'<?xml version="1.0" encoding="{declared}"?>{content}'
    refused(write(tmp_path / name, xml), rf"{name}.*XML.*(save it as|declaration)")


@pytest.mark.parametrize("name", ["x.owl", "x.xml", "x.yaml", "x.json", "x.csv", "x.dgh", "x.obo", "x.ttl"])
@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
def test_utf_32(tmp_path: Path, name: str, encoding: str) -> None:
    refused(write(tmp_path / name, OWL.encode(encoding)), r"x\.\w+")


def test_utf_32_is_named(tmp_path: Path) -> None:
    refused(write(tmp_path / "x.yaml", "a: [b]".encode("utf-32")), r"not UTF-8 text \(UTF-32 found\)")


# ---------------------------------------------------------------------- bombs, and what lies outside


@pytest.mark.parametrize("name", ["x.owl", "mesh.xml"])
def test_entities_that_multiply(tmp_path: Path, name: str) -> None:
    content = (
        OWL.replace("'#flu'/>", "'#flu'>&a10;</owl:Class>")
        if name == "x.owl"
        else MESH.replace("Flu", "&a10;")
    )
    refused(write(tmp_path / name, f"{LAUGHS}]>{content}"), "amplification")


@pytest.mark.parametrize("name", ["x.owl", "mesh.xml"])
def test_external_entities_are_not_read(tmp_path: Path, name: str) -> None:
    secret = write(tmp_path / "secret", "Flu and a secret")
    outside = f"<!DOCTYPE x [<!ENTITY out SYSTEM '{secret.as_uri()}'>]>"
    label = (
        "'#flu'><rdfs:label xmlns:rdfs='http://www.w3.org/2000/01/rdf-schema#'>&out;</rdfs:label></owl:Class>"
    )
    content = OWL.replace("'#flu'/>", label) if name == "x.owl" else MESH.replace("Flu", "&out;")
    refused(write(tmp_path / name, outside + content), "undefined entity")


@pytest.mark.parametrize("name", ["x.obo.gz", "x.owl.gz", "x.ttl.gz", "mesh.xml.gz"])
def test_a_gzip_bomb(tmp_path: Path, name: str) -> None:
    start = {"x.obo.gz": b"[Term]\nid: a\n", "mesh.xml.gz": b"<DescriptorRecordSet>"}.get(
        name, RDF.encode() + b">"
    )
    refused(write(tmp_path / name, gzip.compress(start + b" " * 200_000_000)), "unpacks to far too much")


# ---------------------------------------------------------------------- what is no file

SUFFIXES = ["onto", "owl", "xml", "obo", "ttl", "csv", "dgh", "txt", "yaml", "json", "xml.gz"]


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices are those of POSIX")
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "unreadable", "long"])
def test_what_is_no_file(tmp_path: Path, suffix: str, kind: str) -> None:
    path = tmp_path / f"x.{suffix}"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path.name)
        case "unreadable":  # a file whose first byte cannot be read, whoever asks
            path.symlink_to("/proc/self/mem")
        case "long":
            path = tmp_path / f"{'x' * 300}.{suffix}"
    if kind == "unreadable" and not path.exists():
        pytest.skip("needs Linux")
    refused(path, r"x\.\w+")


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="no ontology"):
        om.load_ontology(tmp_path / ("a\0b"))
