"""The page Hierarchies in Chromium: from a proposal to a moved label by keyboard alone, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from ontomask.hierarchies import read_hierarchy
from ontomask.web.page import short_name
from web.browsing import Watched, served

TREE = """\
occupation:
  education: {teacher: {math teacher: {}, music teacher: {}}}
  doctor: {medical practitioner: {surgeon: {}, optician: {}}}
  trainer: {animal trainer: {tamer: {}}}
"""
PLAN = """\
attributes:
  job: {role: quasi-identifier, ontology: wordnet, senses: first, hierarchy: jobs.yaml}
  age: {role: quasi-identifier, kind: numeric}
privacy: {k: 3}
method: {name: sa-mdav}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("trees")
    jobs = ["math teacher", "music teacher", "surgeon", "optician", "tamer"]
    rows = "".join(f"{jobs[n % 5]},{20 + n % 40}\n" for n in range(200))
    (found / "people.csv").write_text(f"job,age\n{rows}")
    (found / "people.plan.yaml").write_text(PLAN)
    (found / "jobs.yaml").write_text(TREE)
    return found


@pytest.fixture(scope="module")
def watched(chromium: Any, folder: Path) -> Iterator[Watched]:
    with served(folder, "people.csv") as address:
        yield Watched(chromium, address)


def test_a_tree_is_mended_by_keyboard_alone(watched: Watched, folder: Path) -> None:
    page = watched.page
    watched.press_until("nav a[href='/hierarchies']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Not used now")
    watched.press_until("summary")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Proposed edits")
    watched.check()

    watched.press_until("button[value=truthful]")
    page.keyboard.press("Enter")
    page.wait_for_selector("button[value=truthful][aria-pressed=true]")
    assert "release: truthful" in (folder / "people.plan.yaml").read_text()

    watched.press_until("#proposals button[aria-label^='Apply: call']")
    page.keyboard.press("a")
    page.wait_for_selector("text=Undo the last edit")
    assert "person:" in (folder / "job_hierarchy.yaml").read_text()
    assert page.evaluate("document.activeElement.id") == "proposals", "where the next answer is given"

    n = page.locator("#proposals li").count()
    page.keyboard.press("r")
    page.wait_for_selector("text=1 refused")
    assert page.locator("#proposals li").count() == n - 1

    watched.press_until("a[aria-label='Move optician']")
    page.keyboard.press("Enter")
    page.wait_for_selector("select[name=to]:focus")
    page.keyboard.type("teacher")
    watched.press_until("#move button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=optician stands below teacher now.")
    assert read_hierarchy(folder / "job_hierarchy.yaml").label_at("optician", 1) == "teacher"

    watched.press_until("a[aria-label='Move surgeon']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#move-title:has-text('surgeon')")
    watched.check()
    watched.press_until("#move input[name=new]")
    page.keyboard.type("theatre staff")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=theatre staff stands below medical practitioner now.")
    assert "theatre staff" in read_hierarchy(folder / "job_hierarchy.yaml").labels
    watched.press_until("[data-key=u]")
    with page.expect_response("**/hierarchies/undo"):
        page.keyboard.press("Enter")
    page.wait_for_url("**column=job#tree")

    watched.press_until("[data-key=u]")
    with page.expect_response("**/hierarchies/undo"):
        page.keyboard.press("Enter")
    page.wait_for_url("**column=job#tree")
    assert read_hierarchy(folder / "job_hierarchy.yaml").label_at("optician", 1) == "medical practitioner"


def test_a_tree_fits_on_a_phone(watched: Watched) -> None:
    watched.go(f"/hierarchies?column=job&move={short_name('optician')}&find=o")
    watched.check_on_a_phone()
