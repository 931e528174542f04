"""The bundled samples: as their generator makes them, of the published shape, and ready to run."""

from __future__ import annotations

import csv
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import ontomask as om
from ontomask import datasets
from ontomask.datasets import make_samples
from ontomask.errors import OntomaskError

DEMO = Path(__file__).parent.parent / "demo" / "run.py"


def rows_of(name: str) -> list[dict[str, str]]:
    with datasets.path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_generator_gives_the_committed_bytes() -> None:
    made = make_samples.samples()
    assert sorted(made) == ["patients.csv", "survey.csv"]
    for name, content in made.items():
        assert datasets.path(name).read_bytes() == content


def test_generator_writes_where_it_is_told(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "ontomask.datasets.make_samples", str(tmp_path)], check=True)
    assert (tmp_path / "survey.csv").read_bytes() == datasets.path("survey.csv").read_bytes()


def test_survey_has_the_published_shape() -> None:
    people = rows_of("survey.csv")
    pairs = Counter((person["reason"], person["hobby"]) for person in people)
    assert len(people) == 975
    assert len({term for pair in pairs for term in pair}) == 25
    assert len(pairs) == 211
    assert sum(count == 1 for count in pairs.values()) == 118
    assert max(pairs.values()) == 115


def test_patients_are_skewed_and_mostly_unique() -> None:
    people = rows_of("patients.csv")
    assert len(people) == 1200
    diagnoses = Counter(person["diagnosis"] for person in people)
    assert set(diagnoses) == set(make_samples.DIAGNOSES)
    assert max(diagnoses.values()) > 30 * min(diagnoses.values())
    assert 0 < sum(not person["occupation"] for person in people) < 60
    assert all(
        person["treatment"] in make_samples.DIAGNOSES[person["diagnosis"]][1].split(",") for person in people
    )


@pytest.mark.parametrize("name", ["survey", "patients"])
def test_every_word_links(name: str, wordnet: om.Ontology) -> None:
    plan = om.Plan.load(datasets.path(f"{name}.yaml"))
    people = rows_of(f"{name}.csv")
    for column, asked in plan.attributes.items():
        if asked.role != "quasi-identifier" or asked.kind != "nominal":
            continue
        words = {person[column] for person in people} - {""}
        mapping = plan.path_of(asked.mapping) if asked.mapping else None
        links = om.link(sorted(words), wordnet, mapping=mapping, under=asked.under, suggestions=0)
        assert not links.unlinked
        assert "head" not in links.summary(), "a phrase is better mapped by hand in a sample"


@pytest.mark.parametrize(("name", "dropped"), [("survey", "visitor_id"), ("patients", "name")])
def test_plan_runs(name: str, dropped: str) -> None:
    plan = om.Plan.load(datasets.path(f"{name}.yaml"))
    release = om.anonymize(datasets.path(f"{name}.csv"), plan)
    masked = release.to_arrow()
    classes = Counter(zip(*(masked[c].to_pylist() for c in plan.with_role("quasi-identifier")), strict=True))
    assert min(classes.values()) >= plan.privacy.k == 5
    assert dropped not in masked.column_names
    assert masked.num_rows == len(rows_of(f"{name}.csv"))
    assert 0 < release.figures["semantic_loss"] < 0.15


def test_unknown_sample_names_those_there_are() -> None:
    with pytest.raises(OntomaskError, match=r"no sample 'park.csv': there are .*survey.csv"):
        datasets.path("park.csv")


def test_demo_shows_no_identifier(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(DEMO), str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    for name in ("survey", "patients"):
        assert (tmp_path / f"{name}.csv").exists()
        assert (tmp_path / f"{name}.manifest.json").exists()
    told = [line for line in run.stdout.splitlines() if not line.startswith("$")]
    assert max(map(len, told)) <= 100
    assert "people were the only ones with their values" in run.stdout
    assert "->" in run.stdout
    shown = set(run.stdout.split())
    names = {part for person in rows_of("patients.csv") for part in person["name"].split()}
    assert not shown & names
    assert not shown & {person["visitor_id"] for person in rows_of("survey.csv")}


def test_demo_width_is_that_of_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo = runpy.run_path(str(DEMO))
    run = demo["anonymised"]("patients", tmp_path)
    rows = demo["telling_rows"](run)
    assert 3 <= len(rows) <= demo["SHOWN_ROWS"]
    from rich.console import Console

    assert Console(width=500).measure(demo["side_by_side"](run)).maximum <= 100
