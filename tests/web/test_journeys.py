"""From a table to a release through every step in Chromium; the release is that of the command, to the byte.

The bundled samples with their plans, an ugly export (Latin-1, titles above the names, semicolons, decimal
commas, days with the day first), a survey with several answers in a cell, and a million rows.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from ontomask import datasets
from ontomask.web.app import STEPS
from web.browsing import Watched, served

JOBS = ["nurse", "teacher", "cook", "carpenter", "farmer", "lawyer"]
HOBBIES = ["hiking", "fishing", "chess", "gardening", "swimming", "cooking"]
DIAGNOSES = ["asthma", "influenza", "stroke", "migraine"]


def bundled(sample: str, folder: Path) -> str:
    shutil.copy(datasets.path(f"{sample}.csv"), folder)
    shutil.copy(datasets.path(f"{sample}_mapping.csv"), folder)
    shutil.copy(datasets.path(f"{sample}.yaml"), folder / f"{sample}.plan.yaml")
    return f"{sample}.csv"


def bundled_survey(folder: Path) -> str:
    return bundled("survey", folder)


def bundled_patients(folder: Path) -> str:
    return bundled("patients", folder)


def ugly_export(folder: Path) -> str:
    rng = random.Random(4)
    lines = ["Hospital San José;;;;", "Export of 3 May 2024;;;;", "name;birth;country;job;weight"]
    for at in range(200):
        cells = (
            f"Pérez {at}",
            f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/{rng.randint(1935, 2003)}",
            rng.choice(["ES", "FR", "MA"]),
            rng.choice(JOBS),
            f"{rng.uniform(48, 110):.1f}".replace(".", ","),
        )
        lines.append(";".join(cells))
    (folder / "export.csv").write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    return "export.csv"


def survey_with_several_answers(folder: Path) -> str:
    rng = random.Random(5)
    lines = ["job,hobbies,happiness"]
    for _ in range(200):
        hobbies = "; ".join(rng.sample(HOBBIES, rng.choice([1, 1, 2])))
        lines.append(f"{rng.choice(JOBS)},{hobbies},{rng.randint(1, 5)}")
    (folder / "hobbies.csv").write_text("\n".join([*lines, ""]))
    return "hobbies.csv"


def a_million_rows(folder: Path) -> str:
    rng, n = np.random.default_rng(6), 1_000_000
    table = pa.table(
        {
            "age": rng.integers(20, 60, n),
            "job": rng.choice(JOBS, n),
            "diagnosis": rng.choice(DIAGNOSES, n),
        }
    )
    pyarrow.csv.write_csv(table, folder / "million.csv")
    return "million.csv"


@pytest.mark.parametrize(
    "make", [bundled_survey, bundled_patients, ugly_export, survey_with_several_answers, a_million_rows]
)
def test_from_a_table_to_a_release(chromium: Any, tmp_path: Path, make: Any) -> None:
    there, again = tmp_path / "there", tmp_path / "again"
    there.mkdir()
    name = make(there)
    with served(there, name) as address:
        watched = Watched(chromium, address)
        page = watched.page
        page.wait_for_selector("text=/rows, \\d+ columns/")
        assert page.locator("td").count()
        while (waiting := page.locator(".fact.open")).count():
            name_of = waiting.first.locator("h3").inner_text().split("\n")[0]
            watched.click(f".fact.open {'>> text=Mask it' if name_of == 'birth' else 'button.proposed'}")
        watched.go("/plan")
        page.fill("textarea", page.input_value("textarea").replace("name: auto", "name: sa-mdav"))
        watched.click("text=Save")
        for step in STEPS:
            page.click(f"nav a[href='/{step.name}']")
            page.wait_for_selector(f"nav a[href='/{step.name}'][aria-current]")
            page.wait_for_selector("[data-events]", state="detached")
            watched.check()
        page.click("button.main")
        release = there / f"{Path(name).stem}.release.csv"
        page.wait_for_selector("text=/Look at these first|counted on the file/")
        for box in page.locator("input[name=accept]").all():
            box.check()
        if not release.exists():
            page.click("button.main")
        page.wait_for_selector("text=counted on the file that was written")
        watched.check()
        command = page.locator("pre code").inner_text().split()
    shutil.copytree(there, again, ignore=shutil.ignore_patterns("*.release.*"))
    *words, _, _ = command  # without the report, which takes longest
    run = [sys.executable, "-c", "from ontomask.cli import main; main()", *words[1:]]
    subprocess.run(run, cwd=again, check=True, capture_output=True)
    assert release.read_bytes() == (again / release.name).read_bytes()
