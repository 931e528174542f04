"""Pictures of the pages as they are, for `docs/how-to/web.md`: `python tests/web/screenshots.py docs/images`.

The sample of patients, drafted anew, and one wrong decision in the plan.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from browsing import Watched, served, started

from ontomask import datasets

SIZE = {"width": 1100, "height": 760}
PATIENCE = 300_000  # milliseconds


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        shutil.copy(datasets.path("patients.csv"), folder)
        with served(Path(folder), "patients.csv") as address:
            watched = Watched(browser, address)
            watched.page.set_viewport_size(SIZE)
            take_all(watched, target)


def take_all(watched: Watched, target: Path) -> None:
    page = watched.page

    def take(name: str, top: str = "body") -> None:
        page.evaluate("top => document.querySelector(top).scrollIntoView()", top)
        page.screenshot(path=target / f"web-{name}.png")

    page.wait_for_selector("text=rows, 7 columns", timeout=PATIENCE)
    take("table")
    watched.click(".fact.open button.proposed")
    page.wait_for_selector("text=Every column is decided")
    opened(watched, "/words")
    take("words")
    opened(watched, "/hierarchies?column=diagnosis")
    watched.click("button[value=truthful]")
    opened(watched, "/hierarchies?column=diagnosis")
    take("hierarchies")
    watched.click("button[value=central]")
    opened(watched, "/protection")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.locator("button.main", has_text="Compare").click()
    page.wait_for_selector("table.compared", timeout=PATIENCE)
    take("protection", "#method, svg")
    opened(watched, "/release")
    page.click("button.main")
    page.wait_for_selector("text=Look at these first", timeout=PATIENCE)
    take("release")
    opened(watched, "/plan")
    page.fill("textarea", page.input_value("textarea").replace("k: 5", "k: five", 1))
    watched.click("text=Save")
    take("plan")


def opened(watched: Watched, path: str) -> Any:
    """A page, once what runs for it is over."""
    watched.go(path)
    return watched.page.wait_for_selector("[data-events]", state="detached", timeout=PATIENCE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
