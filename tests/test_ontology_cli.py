"""`ontomask ontology ...`, for people and for machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from conftest import GOLDEN
from ontomask.cli import app
from ontomask.errors import OntomaskError

TREE = str(GOLDEN / "conditions.yaml")


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["ontology", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def as_json(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_list_and_info() -> None:
    assert as_json("list")[0]["name"] == "wordnet"
    facts = as_json("info", TREE)
    assert (facts["concepts"], facts["leaves"], facts["root"]) == (9, 5, "symptom")
    assert len(facts["digest"]) == 64 and facts["digest"] in run("info", TREE)


def test_distance_by_any_measure() -> None:
    answer = as_json("distance", TREE, "lumbago", "migraine", "--measure", "path")
    assert (answer["distance"], answer["least common subsumer"]) == (2, "ache")
    counts = as_json("distance", TREE, "lumbago", "migraine", "-m", "lin", "--ic", "sanchez")
    assert 0 < counts["distance"] < 1
    twice = as_json("distance", TREE, "lumbago", "colic", "-m", "wup", "--convention", "ws4j")
    assert twice["similarity"] == pytest.approx(2 * 3 / (4 + 5))


def test_path_up_and_across() -> None:
    assert [step["label"] for step in as_json("path", TREE, "lumbago")] == [
        "lumbago",
        "ache",
        "pain",
        "symptom",
    ]
    across = [(step["label"], step["going"]) for step in as_json("path", TREE, "lumbago", "colic")]
    assert across == [("lumbago", "up"), ("ache", "up"), ("pain", "up"), ("colic", "down")]
    assert "is a" in run("path", TREE, "lumbago")


def test_senses_with_their_meaning() -> None:
    senses = as_json("senses", "wordnet", "squash")
    assert [s["concept"] for s in senses] == ["squash.n.01", "squash.n.02", "squash.n.03"]
    assert "court" in senses[2]["gloss"] and "court" in run("senses", "wordnet", "squash")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OntomaskError, match="did you mean 'lumbago'"):
        run("distance", TREE, "lumbagoo", "colic")
    with pytest.raises(OntomaskError, match="did you mean 'wordnet'"):
        run("info", "worldnet")
