"""The steps in Chromium: by keyboard alone, without a message, without another host, on a phone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontomask import datasets
from web.browsing import AXE, Watched, served


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("page")
    shutil.copy(datasets.path("patients.csv"), found)
    shutil.copy(datasets.path("patients_mapping.csv"), found)
    shutil.copy(datasets.path("patients.yaml"), found / "patients.plan.yaml")
    return found


@pytest.fixture(scope="module")
def watched(chromium: Any, folder: Path) -> Iterator[Watched]:
    with served(folder, "patients.csv") as address:
        yield Watched(chromium, address)


def test_from_a_table_to_a_release_by_keyboard_alone(watched: Watched, folder: Path) -> None:
    page = watched.page
    page.wait_for_selector("text=Every column is decided")
    watched.check()
    watched.press_until("[aria-label^='cost: drop it']")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label^='cost: drop it'][aria-pressed=true]")
    for step in ("words", "hierarchies", "protection"):
        watched.press_until(f"nav a[href='/{step}']")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"nav a[href='/{step}'][aria-current]")
        page.wait_for_selector("[data-events]", state="detached")
        watched.check()
    watched.press_until("nav a[href='/release']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=What will be written")
    watched.check()
    watched.press_until("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Look at these first")
    assert not (folder / "patients.release.csv").exists()
    watched.check()
    for n in range(page.locator("input[name=accept]").count()):
        watched.press_until(f"li:nth-child({n + 1}) input[name=accept]")
        page.keyboard.press("Space")
    watched.press_until("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=counted on the file that was written")
    watched.check()
    assert page.frame_locator("iframe").locator("h1").inner_text() == "Anonymisation report"
    with page.expect_download() as download:
        page.click("a[download] >> nth=0")
    assert Path(download.value.path()).read_bytes() == (folder / "patients.release.csv").read_bytes()
    watched.check()


def test_faults_are_shown_at_the_line(watched: Watched, folder: Path) -> None:
    page, before = watched.page, (folder / "patients.plan.yaml").read_text()
    watched.go("/plan")
    watched.check()
    page.fill("textarea", before.replace("k: 5", "k: none"))
    watched.click("button.main")
    watched.said.clear()  # Chromium tells of the status 422
    watched.check()
    page.click("text=Line 10")
    assert "k: none" in page.evaluate("getSelection().toString()")
    assert (folder / "patients.plan.yaml").read_text() == before


@pytest.mark.parametrize("path", ["/table", "/plan", "/release"])
def test_a_phone_is_wide_enough(watched: Watched, path: str) -> None:
    watched.go(path)
    watched.check_on_a_phone()


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core (npm; ONTOMASK_AXE names its axe.min.js)")
def test_axe_finds_what_is_wrong(watched: Watched) -> None:
    watched.go("/table")
    watched.page.evaluate("document.documentElement.removeAttribute('lang')")
    with pytest.raises(AssertionError, match="html-has-lang"):
        watched.check()


def test_a_table_is_sent_from_elsewhere(chromium: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("no,table\n")
    with served(tmp_path) as address:
        watched = Watched(chromium, address)
        page = watched.page
        watched.check_on_a_phone()
        page.set_input_files("input[type=file]", folder / "patients.plan.yaml")
        page.press("text=Work on a copy", "Enter")
        page.wait_for_selector("text=cannot be read")
        watched.said.clear()  # Chromium tells of the status 422
        page.set_input_files("input[type=file]", folder / "patients.csv")
        page.press("text=Work on a copy", "Enter")
        page.wait_for_selector("text=1,200 rows, 7 columns")
        watched.check()
    assert [path.name for path in tmp_path.iterdir()] == ["words.csv"]
