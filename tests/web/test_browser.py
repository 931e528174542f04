"""The pages in Debian's Chromium, driven by Playwright: by keyboard, without a message, without another host.

axe-core comes from npm (`.ci/run` unpacks it in `.venv/axe`), or is `ONTOMASK_AXE`; without it that check skips.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontomask import datasets

pytest.importorskip("starlette", reason="the extra web is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = os.environ.get("ONTOMASK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
CHECKOUT = Path(__file__).parents[2]
AXE = Path(os.environ.get("ONTOMASK_AXE", CHECKOUT / ".venv/axe/package/axe.min.js"))
RUN = "import sys; from ontomask.cli import main; sys.argv[0] = 'ontomask'; main()"
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium (Debian package `chromium`)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("page")
    shutil.copy(datasets.path("patients.csv"), found)
    shutil.copy(datasets.path("patients_mapping.csv"), found)
    shutil.copy(datasets.path("patients.yaml"), found / "patients.plan.yaml")
    return found


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-c", RUN, "web", "patients.csv", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        assert server.wait(20) in (0, 143, -15)


class Watched:
    """A page, and what it said and asked for beside what it shows."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.host = page, address.partition("/enter")[0]
        self.said: list[str] = []
        self.elsewhere: list[str] = []
        self.n_checked = 0
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: self.said.append(dialog.message))
        page.on("request", self._asked)
        page.goto(address)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((f"{self.host}/", "data:")):
            self.elsewhere.append(request.url)

    def press_until(self, selector: str, most: int = 80) -> None:
        """Go by Tab until the element has the focus."""
        for _ in range(most):
            if self.page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def check_by_axe(self) -> None:
        if not AXE.is_file():
            return  # which the last test tells
        self.n_checked += 1
        # The policy of the page lets no script in but its own; the one that checks comes past it.
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run({iframes: false}).then(r => r.violations)")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


@pytest.fixture(scope="module")
def watched(address: str) -> Iterator[Watched]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield Watched(browser.new_context(bypass_csp=False).new_page(), address)
        browser.close()


def test_from_a_table_to_a_release_by_keyboard_alone(watched: Watched, folder: Path) -> None:
    page = watched.page
    page.wait_for_selector("text=Every column is decided")
    watched.check_by_axe()
    watched.press_until("[aria-label^='cost: drop it']")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label^='cost: drop it'][aria-pressed=true]")
    watched.press_until("nav a[href='/release']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=What is written")
    watched.check_by_axe()
    watched.press_until("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Look at these first", timeout=60_000)
    assert not (folder / "patients.release.csv").exists()
    watched.check_by_axe()
    for n in range(page.locator("input[name=accept]").count()):
        watched.press_until(f"li:nth-child({n + 1}) input[name=accept]")
        page.keyboard.press("Space")
    watched.press_until("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=counted on the file that was written", timeout=60_000)
    watched.check_by_axe()
    assert page.frame_locator("iframe").locator("h1").inner_text() == "Anonymisation report"
    with page.expect_download() as download:
        page.click("a[download] >> nth=0")
    assert Path(download.value.path()).read_bytes() == (folder / "patients.release.csv").read_bytes()
    assert (watched.said, watched.elsewhere) == ([], [])


def test_faults_are_shown_at_the_line(watched: Watched, folder: Path) -> None:
    page, before = watched.page, (folder / "patients.plan.yaml").read_text()
    page.goto(f"{watched.host}/plan")
    watched.check_by_axe()
    page.fill("textarea", before.replace("k: 5", "k: none"))
    page.click("button.main")
    page.click("text=Line 10")
    assert "k: none" in page.evaluate("getSelection().toString()")
    assert (folder / "patients.plan.yaml").read_text() == before
    watched.said.clear()  # Chromium tells of the status 422


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_is_wide_enough(watched: Watched, scheme: str) -> None:
    page = watched.page
    page.set_viewport_size({"width": 360, "height": 640})
    page.emulate_media(color_scheme=scheme)
    for path in ("/table", "/plan", "/release"):
        page.goto(f"{watched.host}{path}")
        watched.check_by_axe()
        assert page.evaluate("document.documentElement.scrollWidth <= 360"), path
    assert (watched.said, watched.elsewhere) == ([], [])


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core (npm; ONTOMASK_AXE names its axe.min.js)")
def test_axe_looked_at_every_page(watched: Watched) -> None:
    assert watched.n_checked >= 9
