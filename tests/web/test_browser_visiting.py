"""Links and forms that change a page in place: what a browser does with pages of their own holds for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from web.browsing import Watched, served

PLAN = """\
attributes:
  job: {role: quasi-identifier, ontology: wordnet}
  age: {role: quasi-identifier, kind: numeric}
privacy: {k: 2}
"""
JOBS = ["designer"] * 4 + ["coach"] * 3 + ["operator"] * 2 + ["nurse"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("visiting")
    rows = "".join(f"{job},{20 + at}\n" for at, job in enumerate(JOBS))
    (found / "people.csv").write_text(f"job,age\n{rows}")
    return found


@pytest.fixture(scope="module")
def opened(chromium: Any, folder: Path) -> Iterator[Watched]:
    (folder / "people.plan.yaml").write_text(PLAN)
    with served(folder, "people.csv") as address:
        yield Watched(chromium, address)


@pytest.fixture
def watched(opened: Watched, folder: Path) -> Watched:
    """The page of a plan in which nobody decided anything."""
    (folder / "people.plan.yaml").write_text(PLAN)
    (folder / "job_mapping.csv").unlink(missing_ok=True)
    opened.said.clear()
    opened.go("/table")
    opened.page.wait_for_selector("text=Every column is decided")
    return opened


def words(watched: Watched) -> Any:
    watched.go("/words")
    watched.page.wait_for_selector("#value")
    watched.page.evaluate("window.isSame = true")
    return watched.page


def test_the_way_back_and_forth_is_that_of_pages(watched: Watched) -> None:
    page = words(watched)
    watched.click(".values a >> text=coach")
    watched.click(".values a >> text=operator")
    addresses = [page.url]
    for go, value in ((page.go_back, "coach"), (page.go_back, "designer"), (page.go_forward, "coach")):
        go()
        page.wait_for_selector(f"#value >> text={value}")
        addresses.append(page.url)
    assert len(set(addresses)) == 3
    assert page.evaluate("window.isSame"), "one page all the way"
    page.reload()
    assert page.inner_text("#value") == "coach"
    watched.check()


def test_what_was_sent_is_not_sent_again(watched: Watched, folder: Path) -> None:
    page, sent = words(watched), list[str]()
    page.on("request", lambda request: sent.append(request.method))
    watched.click(".meanings button")
    assert page.inner_text("#value") == "coach"
    assert "Decided: “designer”" in page.inner_text("[role=status]")
    page.reload()
    page.go_back()
    page.wait_for_url("**/words")
    assert page.inner_text("#value") == "coach", "the first that is still doubtful"
    assert sent.count("POST") == 1
    assert page.inner_text("nav a[aria-current=page]") == "2 Words 2 to decide"


def test_a_key_that_is_pressed_twice_decides_once(watched: Watched) -> None:
    page, sent = words(watched), list[Any]()
    page.route("**/words/decide", lambda route: sent.append(route))
    page.keyboard.press("1")
    page.wait_for_selector("main[aria-busy]")
    page.keyboard.press("1")
    page.click(".values a >> text=operator")
    sent[0].continue_()
    page.wait_for_selector("#value >> text=coach")
    assert len(sent) == 1
    page.unroute("**/words/decide")


def test_what_is_pressed_stays_until_it_is_let_go(watched: Watched) -> None:
    """What ends in the background changes the page, and not below a finger."""
    page = words(watched)
    page.hover(".values a >> text=coach")
    page.mouse.down()
    with page.expect_response("**/words*") as answer:
        page.evaluate("document.querySelector('main').isOld = true; refresh(), null")
    answer.value.finished()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate("document.querySelector('main').isOld")
    page.mouse.up()
    page.wait_for_selector("#value >> text=coach")
    page.evaluate("document.querySelector('main').isOld = true; refresh()")
    page.wait_for_function("!document.querySelector('main').isOld")


def test_faults_are_shown_where_one_is(watched: Watched, folder: Path) -> None:
    page = words(watched)
    (folder / "people.plan.yaml").write_text(PLAN.replace("k: 2", "k: none"))
    page.click(".meanings button")
    page.wait_for_selector("[role=alert] >> text=so nothing was decided")
    page.wait_for_selector("[role=alert] >> text=line 4")
    assert page.url.endswith("/words"), "to be loaded again without sending anything"
    assert not (folder / "job_mapping.csv").exists()
    watched.said.clear()  # Chromium tells of the status 422
    watched.check()


def test_what_is_scrolled_stays(watched: Watched) -> None:
    page = watched.page
    page.set_viewport_size({"width": 800, "height": 400})
    button = page.locator("[aria-label^='age: drop it']")
    button.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    assert before > 0
    watched.click("[aria-label^='age: drop it']")
    assert button.get_attribute("aria-pressed") == "true"
    assert abs(page.evaluate("scrollY") - before) < 60
    assert page.evaluate("document.activeElement.ariaLabel").startswith("age: drop it")


def test_other_steps_and_other_tabs_are_pages_of_their_own(watched: Watched) -> None:
    page = words(watched)
    with page.context.expect_page() as opened:
        page.click(".values a >> text=coach", modifiers=["ControlOrMeta"])
    assert opened.value.inner_text("#value") == "coach"
    assert page.inner_text("#value") == "designer"
    page.click("nav a[href='/plan']")
    page.wait_for_selector("textarea")
    assert not page.evaluate("window.isSame ?? false")


def test_all_works_without_scripts(chromium: Any, folder: Path) -> None:
    with served(folder, "people.csv") as address:
        page = chromium.new_context(java_script_enabled=False).new_page()
        page.goto(address)
        while not page.locator("text=Every column is decided").count():
            page.reload()
        page.click("nav a[href='/words']")
        while not page.locator("#value").count():
            page.reload()
        page.click(".meanings button >> nth=1")
        assert page.inner_text("#value") == "coach"
        page.click("nav a[href='/protection']")
        page.fill("[name='k|']", "3")
        page.click("text=Save what must hold")
        assert page.url.endswith("/protection?saved")
    assert "k: 3" in (folder / "people.plan.yaml").read_text()
    assert "designer" in (folder / "job_mapping.csv").read_text()
