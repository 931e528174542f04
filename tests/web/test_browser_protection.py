"""Step Protection in Chromium: from risk to a choice by keyboard alone, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontomask.plan import Plan
from web.browsing import Watched, served
from web.test_protection import write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("protection")
    write(found)
    return found


@pytest.fixture(scope="module")
def watched(chromium: Any, folder: Path) -> Iterator[Watched]:
    with served(folder, "people.csv") as address:
        yield Watched(chromium, address)


def test_from_risk_to_a_choice_by_keyboard_alone(watched: Watched, folder: Path) -> None:
    page, plan = watched.page, folder / "people.plan.yaml"
    watched.press_until("nav a[href='/protection']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Rows before and after")
    page.wait_for_selector("text=Alone with their values")
    watched.check()

    watched.press_until("input[name='k|']")
    page.keyboard.press("Control+A")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    page.wait_for_url("**/protection?saved")
    assert page.evaluate("document.activeElement.id") in ("save", "f0-1"), "where one was"
    assert Plan.load(plan).privacy.k == 4

    watched.press_until("#sizes")
    page.keyboard.press("Control+A")
    page.keyboard.type("3,4")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.compared")
    watched.check()
    watched.press_until("#others summary", 120)
    page.keyboard.press("Enter")
    watched.press_until("[aria-label='Choose: recoding, k = 3']", 120)
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label='Chosen: recoding, k = 3'][aria-pressed=true]")
    assert (Plan.load(plan).method.name, Plan.load(plan).privacy.k) == ("recoding", 3)

    page.click("svg a >> nth=0")
    page.wait_for_selector("text=A look at sa-mdav, k = 3")
    watched.check()
    watched.check_on_a_phone()


def test_what_was_typed_outlives_the_end_of_a_job(watched: Watched, folder: Path) -> None:
    page, plan = watched.page, folder / "people.plan.yaml"
    plan.write_text(plan.read_text().replace("k: 3", "k: 7"))
    watched.go("/protection")
    page.wait_for_selector("text=being tried")
    page.fill("input[name='k|']", "9")
    page.click("text=Done. Show it")
    page.wait_for_selector("text=Rows before and after")
    assert page.input_value("input[name='k|']") == "9"
    watched.click("text=Save what must hold")
    page.wait_for_selector("[role=status] >> text=Saved.")
    assert Plan.load(plan).privacy.k == 9
    watched.check()


def test_who_leaves_what_is_not_saved_is_asked(watched: Watched) -> None:
    page = watched.page
    watched.go("/protection")
    before = page.input_value("input[name='k|']")
    page.click("input[name='k|']")
    page.keyboard.type("1")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.click("nav a[href='/release']")
    assert asked == ["beforeunload"]
    assert "/protection" in page.url
    page.fill("input[name='k|']", before)
    page.click("nav a[href='/release']")
    page.wait_for_url("**/release")
