"""What is wrong with a file is told as data too: where it is, which value, what to do about it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import Fault, LinkingError, MeasureError, OntologyError
from ontomask.linking import read_mapping
from ontomask.linking.crossmap import read_crossmap

WRONG = {
    "tree.csv": (
        "flu;illness\nflu;virus\n",
        Fault(
            "'flu' is listed twice: it generalises to 'virus', but to 'illness' in line 1",
            file="tree.csv",
            line=2,
            value="flu",
            remedy="make them agree",
        ),
    ),
    "tree.yaml": (
        "illness:\n  flu: bad\n",
        Fault(
            "'flu' has 'bad' where its children should stand",
            file="tree.yaml",
            line=2,
            value="flu",
            remedy="write [bad] for a single child",
        ),
    ),
    "twice.yaml": (
        "illness: [flu, flu]\n",
        Fault(
            "the id 'flu' is used twice (first: twice.yaml, line 1)",
            file="twice.yaml",
            line=1,
            value="flu",
            remedy="ids must be unique",
        ),
    ),
    "nowhere.obo": (
        "[Term]\nid: A\nis_a: B\n",
        Fault(
            "'A' is-a 'B', but 'B' is not defined",
            file="nowhere.obo",
            line=3,
            value="B",
            remedy="add it or remove the link",
        ),
    ),
    "round.obo": (
        "[Term]\nid: R\n[Term]\nid: A\nis_a: B\n[Term]\nid: B\nis_a: A\n",
        Fault(
            "the is-a links form a cycle: 'A' is-a 'B' is-a 'A' (round.obo, line 5)",
            file="round.obo",
            remedy="remove one of these links",
        ),
    ),
    "cut.owl": (
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'",
        Fault("the XML is cut short", file="cut.owl", line=1, remedy="get the file again"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_faults_of_ontologies(tmp_path: Path, name: str) -> None:
    content, fault = WRONG[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(OntologyError) as caught:
        om.load_ontology(tmp_path / name)
    assert caught.value.faults == (fault,)


def test_faults_of_mappings(tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    path.write_text("value,concept\na,dog\na,cat\n")
    with pytest.raises(LinkingError) as caught:
        read_mapping(path)
    [fault] = caught.value.faults
    assert (fault.file, fault.line, fault.value) == (str(path), 3, "a")
    path.write_text("from,to\nA01,\n")
    with pytest.raises(LinkingError) as caught:
        read_crossmap(path)
    assert caught.value.faults == (
        Fault("an empty code", file="mapping.csv", line=2, remedy="a row needs both 'from' and 'to'"),
    )
    path.write_bytes(b"from,to\nA\xff,B\n")  # noticed by the reader of ontologies
    with pytest.raises(LinkingError) as caught:
        read_crossmap(path)
    [fault] = caught.value.faults
    assert (fault.file, fault.line, fault.remedy) == ("mapping.csv", 2, "convert the file to UTF-8")


@pytest.mark.skipif(os.name != "posix", reason="pipes are those of POSIX")
def test_nobody_waits_for_a_pipe(tmp_path: Path, golden: Callable[[str], om.Ontology]) -> None:
    pipe = tmp_path / "mapping.csv"
    os.mkfifo(pipe)
    for name in (pipe, tmp_path / "a\0b", tmp_path / "\ud800", tmp_path / ("x" * 300)):
        with pytest.raises(LinkingError, match="mapping"):
            read_mapping(name)
        with pytest.raises(LinkingError):
            read_crossmap(name)
        with pytest.raises(MeasureError, match="cannot read the corpus counts"):
            golden("conditions").distance("lumbago", "migraine", "resnik", ic=str(name))
