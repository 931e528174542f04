"""The pages in a real browser: a server of its own, Chromium driven by Playwright, and what it said.

axe-core comes from npm (`.ci/run` unpacks it in `.venv/axe`) or is `ONTOMASK_AXE`; without it nothing is
checked by it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("ONTOMASK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(os.environ.get("ONTOMASK_AXE", Path(__file__).parents[2] / ".venv/axe/package/axe.min.js"))
_RUN = "import sys; from ontomask.cli import main; sys.argv[0] = 'ontomask'; main()"
PATIENCE = 240_000  # milliseconds: loops that nobody called before are compiled first
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """The address of `ontomask web` with these words, in a folder."""
    command = [sys.executable, "-c", _RUN, "web", *words, "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()  # else a test that fails waits for it
        assert server.wait(20) in (0, 143, -15)


@contextmanager
def started() -> Iterator[Any]:
    """Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page, and what it said and asked for beside what it shows."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_context().new_page()
        self.page.set_default_timeout(PATIENCE)
        self.host = address.partition("/enter")[0]
        self.said: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", self._asked)
        self.page.goto(address)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((f"{self.host}/", "data:")):
            self.elsewhere.append(request.url)

    def go(self, path: str) -> None:
        self.page.goto(f"{self.host}{path}")

    def click(self, selector: str) -> None:
        """Click what a selector finds first, and wait for what that changes in place."""
        self.page.locator(selector).first.click()
        self.page.wait_for_selector("main:not([aria-busy])")

    def press_until(self, selector: str, most: int = 80) -> None:
        """Go by Tab until the element has the focus."""
        for _ in range(most):
            if self.page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def check(self) -> None:
        """Nothing was said, no other host was asked, and axe-core finds nothing wrong."""
        assert not [*self.said, *self.elsewhere], (self.said, self.elsewhere)
        if AXE.is_file():
            # The policy of the page lets no script in but its own; the one that checks comes past it.
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
            found = self.page.evaluate("axe.run({iframes: false}).then(r => r.violations)")
            wrong = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
            assert not wrong, wrong

    def check_on_a_phone(self) -> None:
        """It is wide enough, and legible in the light and in the dark."""
        self.page.set_viewport_size({"width": 360, "height": 640})
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            assert self.page.evaluate("document.documentElement.scrollWidth <= 360"), self.page.url
            self.check()
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.page.emulate_media(color_scheme="light")
