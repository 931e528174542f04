"""`ontomask literature`: from texts to the keys of a plan."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from literature.medline import article, write_medline
from test_docs import run_ontomask


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    parts = [article(1, "Age and angina"), article(2, "Angina"), article(3, "Age"), article(4, "Chess")]
    write_medline(tmp_path / "texts.xml.gz", *parts)
    return tmp_path


def test_from_texts_to_mim(folder: Path) -> None:
    assert run_ontomask(["literature", "index", "texts.xml.gz", "-o", "index"]) == (
        0,
        "wrote index: 4 texts\n",
    )
    asked = ["literature", "mim", "--from", "index", "--target", "angina", "--terms", "age,game=chess"]
    code, said = run_ontomask([*asked, "--terms", "sex", "-o", "mim.yaml"])
    assert code == 0
    assert [line.split() for line in said.splitlines()[:5]] == [
        ["2", "of", "4", "texts", "have", "'angina'"],
        ["attribute", "term", "texts", "with", "target", "MIM"],
        ["age", "age", "2", "1", "1"],
        ["game", "chess", "1", "0", "0"],
        ["sex", "sex", "0", "0", "0"],
    ]
    assert "warning: 'sex' (sex) stands in no text, which makes its MIM 0" in said
    assert yaml.safe_load((folder / "mim.yaml").read_text()) == {
        "mim": {"age": (1 / 4) / (2 / 4 * 2 / 4), "game": 0.0, "sex": 0.0}
    }
    code, said = run_ontomask([*asked, "-o", "mim.yaml"])
    assert code == 2 and "mim.yaml is there already" in said


def test_json(folder: Path) -> None:
    (folder / "c.csv").write_text("a,b,count_a,count_b,count_both,total\nage,angina,20,10,4,100\n")
    asked = ["literature", "mim", "--from", "c.csv", "--target", "angina", "--terms", "age", "--json"]
    code, said = run_ontomask(asked)
    assert (code, json.loads(said)["attributes"]) == (
        0,
        {"age": {"term": "age", "a": 20, "b": 10, "both": 4, "total": 100, "mim": 2.0}},
    )


def test_a_changed_source_is_told(folder: Path) -> None:
    run_ontomask(["literature", "index", "texts.xml.gz", "-o", "index"])
    os.utime(folder / "texts.xml.gz", ns=(0, 0))
    code, said = run_ontomask(["literature", "mim", "--from", "index", "--target", "none", "--terms", "age"])
    assert code == 0 and "texts.xml.gz has changed since it was indexed; index it again" in said
    assert "warning: 'none' stands in no text, which makes every MIM 0" in said


def test_faults(folder: Path) -> None:
    run_ontomask(["literature", "index", "texts.xml.gz", "-o", "index"])
    mim = ["literature", "mim", "--from", "index", "--target", "angina", "--terms"]
    for arguments, told in (
        (["literature", "index", "texts.xml.gz", "-o", "texts.xml.gz"], "the command reads that file"),
        ([*mim, "age,age"], "an attribute is named twice in --terms: 'age'"),
        ([*mim, "=age"], "an attribute has no name in --terms: '=age'"),
        ([*mim, "age=!"], "the term '!' has no word"),
        ([*mim, "age", "--filter", "cure"], "there is no filter 'cure'"),
        ([*mim, "age", "-o", "index"], "cannot write index: the command reads that file"),
        (["literature", "mim", "--from", "no.csv", "--target", "a", "--terms", "b"], "cannot be read"),
    ):
        code, said = run_ontomask(arguments)
        assert code == 2 and told in said, (arguments, said)
