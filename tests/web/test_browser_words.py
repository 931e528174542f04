"""The step Words in Chromium: by keyboard alone, without a message, without another host, on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontomask.linking import read_mapping
from web.browsing import Watched, served

CANARY = "<img src=x onerror=alert(1)>"
TABLE = "job\n" + "designer\n" * 4 + "coach\n" * 3 + "operator\n" * 2 + f'"{CANARY}"\nnurse\n'
PLAN = "attributes:\n  job: {role: quasi-identifier, ontology: wordnet}\nprivacy: {k: 2}\n"


def test_words_are_decided_by_keyboard_alone(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "people.plan.yaml").write_text(PLAN)
    with served(tmp_path, "people.csv") as address:
        watched = Watched(chromium, address)
        page = watched.page

        def press(key: str, value: str) -> None:
            with page.expect_navigation():
                page.keyboard.press(key)
            assert page.inner_text("#value") == value
            assert page.evaluate("document.activeElement.id") == "value"

        watched.press_until("nav a[href='/words']")
        page.keyboard.press("Enter")
        page.wait_for_selector("#value")
        assert page.inner_text("nav a[aria-current=page]") == "2 Words 4 to decide"
        press("ArrowDown", "coach")
        press("ArrowUp", "designer")
        press("2", "coach")
        press("s", "operator")
        press("u", "coach")
        page.keyboard.press("/")
        page.keyboard.type("nurse")
        press("Enter", "coach")
        assert "Found for “nurse”" in page.inner_text(".one")
        watched.check()
        press("1", "operator")
        watched.press_until(".meanings li:first-child button")
        press("Enter", CANARY)
        found = {"designer": "architect.n.01", "coach": "nurse.n.01"}
        assert found.items() <= read_mapping(tmp_path / "job_mapping.csv").items()
        watched.check_on_a_phone()
        page.keyboard.press("?")
        assert page.locator("details.keys[open]").count() == 1
        watched.press_until("#single-keys")
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("u")
        assert page.inner_text("#value") == CANARY, "keys are off"
        watched.press_until("[data-key=u]")
        press("Enter", "operator")
        assert page.inner_text("nav a[aria-current=page]") == "2 Words 2 to decide"
        assert not watched.said
