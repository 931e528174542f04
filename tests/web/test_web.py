"""The pages without a browser: who is let in, what is shown, what is written, and that nothing is lost."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from multiprocessing import Pipe
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from starlette.datastructures import QueryParams

from hostile.running import in_child
from ontomask import datasets
from ontomask.plan import Plan
from ontomask.profile import profile_table
from ontomask.profile.deciding import with_role
from ontomask.web import release as pages
from ontomask.web import working
from ontomask.web.app import MOST_TEXT, PAGES, Site, application
from ontomask.web.copies import Copies, remove_left
from ontomask.web.guard import Guard
from ontomask.web.page import Form, short_name
from ontomask.web.session import Session
from ontomask.web.work import PlanText, Work
from web.asking import ADDRESS, Browser, ask, kill

CANARY = "<script>alert(1)</script><img src=x onerror=alert(1)>"
PLAN = """\
# Kept: a comment.
attributes:
  name: {role: identifier}
  age: {role: quasi-identifier, kind: numeric}  # of the person
  occupation: {role: identifier}
  country: {role: identifier}
  diagnosis: {role: identifier}
  treatment: {role: confidential}
  cost: {role: undecided}
privacy: {k: 5}
method: {name: mdav}
"""
SMALL = """\
attributes:
  job: {role: quasi-identifier}
  age: {role: quasi-identifier, kind: numeric}
privacy: {k: 2}
method: {name: mdav}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("web")
    shutil.copy(datasets.path("patients.csv"), found / "patients.csv")
    return found


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    (folder / "patients.plan.yaml").write_text(PLAN)
    found = Session(folder, folder / "patients.csv")
    yield found
    found.end()


@pytest.fixture
def browser(session: Session, folder: Path) -> Browser:
    """With the plan as it was, and a table that was looked at."""
    (folder / "patients.plan.yaml").write_text(PLAN)
    assert session.work is not None
    session.work.look.wait()
    return Browser(application(session, ADDRESS))


# ---------------------------------------------------------------------- who is let in


def test_without_the_token_nothing_is_told(session: Session) -> None:
    app = application(session, ADDRESS)
    for path in ("/", "/table", "/plan", "/static/page.js", "/enter", "/enter?token=guess"):
        answer = ask(app, path)
        assert answer.status == 403
        assert "patients" not in answer.text
    assert ask(app, "/table", cookie="ontomask-8765=guess").status == 403


def test_the_token_serves_once(session: Session) -> None:
    app = application(session, ADDRESS)
    entry = app.entry.removeprefix(f"http://{ADDRESS}")
    first = ask(app, entry)
    assert (first.status, first.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict"} <= {*first.headers["set-cookie"].split("; ")}
    assert ask(app, entry).status == 403
    cookie = first.headers["set-cookie"].partition(";")[0]
    assert ask(app, "/table", cookie=cookie).status == 200
    assert ask(application(session, ADDRESS), "/table", cookie=cookie).status == 403, "of another session"


@pytest.mark.parametrize("host", ["evil.example:8765", "localhost:8765", "127.0.0.1", "127.0.0.1:80", ""])
def test_another_host_is_refused(browser: Browser, host: str) -> None:
    assert ask(browser.app, "/table", cookie=browser.cookie, host=host).status == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:80"])
def test_what_another_page_sends_changes_nothing(browser: Browser, folder: Path, origin: str | None) -> None:
    form = {"column": "cost", "role": "other"}
    answer = ask(browser.app, "/table/role", form, cookie=browser.cookie, origin=origin)
    assert answer.status == 403
    assert (folder / "patients.plan.yaml").read_text() == PLAN


def test_files_of_the_program_are_what_they_say(browser: Browser) -> None:
    asked = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', browser.get("/words").text))
    assert {"/static/style.css", "/static/words.css", "/static/words.js"} <= asked
    for path in asked:
        answer = browser.get(path)
        kind = "text/css" if path.endswith(".css") else "text/javascript"
        assert (answer.status, answer.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
        assert answer.headers["cache-control"] == "private, max-age=600"


def test_pages_load_and_run_nothing_from_elsewhere(browser: Browser) -> None:
    headers = browser.get("/table").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


@pytest.mark.parametrize(
    "path",
    [
        "/files/passwd?of=../../etc/passwd",
        "/files/..%2f..%2fetc%2fpasswd?of=patients.csv",
        "/files/patients.csv?of=patients.csv",
        "/report/patients.plan.yaml?of=patients.csv",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
    ],
)
def test_no_file_is_told_but_those_of_a_release(browser: Browser, path: str) -> None:
    assert browser.get(path).status == 404


@pytest.mark.parametrize(
    "name", ["../out.csv", "/tmp/out.csv", "a/b.csv", "", ".hidden.csv", "-o.csv", "a\nb.csv"]
)
def test_nothing_is_written_outside_the_folder(browser: Browser, session: Session, name: str) -> None:
    assert browser.post("/release/run", {"name": name}).status == 422
    assert browser.get(f"/release?{urlencode({'name': name})}").status == (422 if name else 200)
    assert session.work is not None
    assert "release" not in session.work.jobs, "nothing ran"


def test_more_than_a_plan_is_not_taken(browser: Browser, folder: Path) -> None:
    assert browser.post("/plan/save", {"text": "#" * (3 * MOST_TEXT + 1)}).status == 413
    assert (folder / "patients.plan.yaml").read_text() == PLAN


def test_names_and_values_are_text_wherever_they_stand(tmp_path: Path) -> None:
    table = tmp_path / "<b>people<img src=x onerror=alert(1)>.csv"
    table.write_text(f'"{CANARY}",job\n' + "".join(f'"{CANARY}",{CANARY}{n}\n' for n in range(9)))
    session = Session(tmp_path, table)
    browser = Browser(application(session, ADDRESS))
    try:
        assert session.work is not None
        session.work.look.wait()
        pages_shown = [browser.get(path) for path in ("/table", "/plan", "/release")]
        wrong = browser.post("/table/role", {"column": CANARY * 2, "role": "other"})
    finally:
        session.end()
    for answer in (*pages_shown, wrong):
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
        assert "<b>" not in answer.text
    assert CANARY in unescape(pages_shown[0].text)
    assert wrong.status == 422


# ---------------------------------------------------------------------- the steps


def test_without_a_table_one_of_the_folder_is_chosen(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("no table")
    (tmp_path / "ages.csv").write_text("age\n1\n2\n")
    session = Session(tmp_path)
    browser = Browser(application(session, ADDRESS))
    try:
        shown = browser.get("/")
        assert "ages.csv" in shown.text
        assert "notes.md" not in shown.text
        assert browser.get("/table").headers["location"] == "/"
        assert browser.post("/choose", {"table": str(folder / "patients.csv")}).status == 422
        assert browser.post("/choose", {"table": "ages.csv"}).headers["location"] == "/table"
        assert session.work is not None
        session.work.look.wait()
        assert "1 column" in unescape(browser.get("/table").text)
        with contextlib.chdir(tmp_path):
            drafted = profile_table("ages.csv").to_yaml(name="ages.plan.yaml")
        assert (tmp_path / "ages.plan.yaml").read_text() == drafted, "as `ontomask init` there"
    finally:
        session.end()


def test_a_table_that_is_sent_is_gone_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(tmp_path)
    browser = Browser(application(session, ADDRESS))
    try:
        assert browser.send("/send?name=../ages.csv", b"age\n1\n").status == 422
        assert browser.send("/send?name=ages.exe", b"age\n1\n").status == 422
        with monkeypatch.context() as patched:
            patched.setattr("ontomask.web.app.MOST_SENT", 5)
            refused = browser.send("/send?name=ages.csv", b"age\n1\n2\n")
        assert (refused.status, "is larger than" in refused.text) == (422, True)
        assert session.work is None
        assert not [*_copies_of(session).rglob("*.csv")], "nothing is left of what was refused"
        assert ask(browser.app, "/send?name=ages.csv", {}).status == 403, "not without the cookie"

        assert browser.send("/send?name=ages.csv", b"age\n1\n2\n").headers["location"] == "/table"
        assert session.work is not None
        session.work.look.wait()
        assert "1 column" in unescape(browser.get("/table").text)
        assert stat.S_IMODE(_copies_of(session).stat().st_mode) == 0o700
        assert "age:" in browser.get("/files/ages.plan.yaml").text
        assert browser.get("/files/ages.csv").status == 404
    finally:
        session.end()
    assert not _copies_of(session).exists()
    assert not [*tmp_path.iterdir()]


def _copies_of(session: Session) -> Path:
    assert session._copies is not None
    return session._copies.folder


def test_what_a_killed_page_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "other").mkdir()
    left, alive = Copies(), Copies()
    for copies in (left, alive):
        copies.place_for("ages.csv").write_text("age\n1\n")
    assert left._lock is not None
    os.close(left._lock)  # as the system does when a process ends
    (tmp_path / "ontomask-web-elsewhere").symlink_to(tmp_path / "other")
    remove_left()
    assert not left.folder.exists()
    assert [path.read_text() for path in alive.folder.rglob("ages.csv")] == ["age\n1\n"]
    alive.remove()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ontomask-web-elsewhere", "other"]


def test_what_follows_is_shown_in_place_where_a_script_asks_for_it(browser: Browser) -> None:
    sent = {"column": "cost", "role": "identifier"}
    answer = browser.post("/table/role", sent, in_place=True)
    assert (answer.status, answer.headers["shown-at"]) == (200, "/table?after=cost")
    assert "Decided: dropped." in answer.text
    assert browser.post("/table/role", sent).status == 303


def test_the_table_is_told_before_it_is_read(browser: Browser, session: Session, folder: Path) -> None:
    started = Session(folder, folder / "patients.csv")
    try:
        assert started.work is not None
        looking = Browser(application(started, ADDRESS))
        at_once = looking.get("/table")
        for _ in range(600):
            if started.work.look.so_far:
                break
            time.sleep(0.05)
        early = looking.get("/table")
    finally:
        started.end()
    assert "is being read" in at_once.text
    assert "/events?of=table&amp;until=so far" in at_once.text
    assert "is being read" in early.text
    assert "/events?of=table" in early.text
    assert "Fiogor Miquist" in early.text, "its first row"
    assert "is being read" not in browser.get("/table").text


@pytest.mark.parametrize("name", ["table", "words", "hierarchies", "protection", "release"])
def test_what_ends_while_a_page_is_made_is_shown_by_the_next(tmp_path: Path, name: str) -> None:
    (tmp_path / "people.csv").write_text("job,age\n" + 4 * "nurse,30\nsurgeon,31\n")
    (tmp_path / "people.plan.yaml").write_text(SMALL)
    session, page = Session(tmp_path, tmp_path / "people.csv"), PAGES[name]
    work = session.work
    assert work is not None

    def slow(*asked: Any) -> dict[str, Any]:
        shown = page.show(*asked)
        for job in work.jobs.values():
            job.wait()
        return shown

    try:
        if name == "release":
            work.write_plan(work.plan().text + "accept: []\n")
            page.actions["run"](work, Form([("name", "released.csv")]))
        early = Site(session).shown(work, replace(page, show=slow), QueryParams())
        later = Site(session).shown(work, page, QueryParams())
    finally:
        session.end()
    is_waited_for = [b"data-events" in bytes(answer.body) for answer in (early, later)]
    assert is_waited_for == [True, False]
    assert b"again" not in bytes(early.body), "nothing has failed"


def test_what_was_proposed_is_told_beside_what_was_decided(browser: Browser) -> None:
    for role, is_told, is_marked in (
        ("identifier", False, False),
        ("quasi-identifier", True, False),
        ("other", True, True),
    ):
        browser.post("/table/role", {"column": "name", "role": role})
        card = browser.get("/table").text.partition('id="name"')[2].partition("</li>")[0]
        assert ("Proposed: <strong>drop it</strong>" in card, 'class="bolder"' in card) == (
            is_told,
            is_marked,
        )
    browser.post("/table/role", {"column": "name", "role": "identifier"})


def test_a_role_changes_the_plan_and_keeps_its_comments(browser: Browser, folder: Path) -> None:
    shown = browser.get("/table").text
    assert "1 to decide" in shown
    assert shown.index("<h3>cost") < shown.index("<h3>name"), "undecided ones first"
    answer = browser.post("/table/role", {"column": "cost", "role": "identifier"})
    assert answer.headers["location"] == "/table?after=cost", "where it stays in focus"
    written = (folder / "patients.plan.yaml").read_text()
    assert written == PLAN.replace("cost: {role: undecided}", "cost: {role: identifier}")
    decided = browser.get("/table?after=cost").text
    assert "Every column is decided" in decided
    assert "Decided: dropped." in decided
    assert decided.index("<h3>cost") < decided.index("<h3>name"), "none moves when it is decided"
    assert browser.post("/table/role", {"column": "cost", "role": "nonsense"}).status == 422
    assert browser.post("/table/role", {"column": "none", "role": "other"}).status == 422
    assert (folder / "patients.plan.yaml").read_text() == written


def test_a_role_that_is_only_tried_loses_nothing(browser: Browser, folder: Path) -> None:
    """Not what was said of a column, nor what was asked of its values, which the page says is gone."""
    file = folder / "patients.plan.yaml"
    file.write_text(
        PLAN.replace("cost: {role: undecided}", "cost: {role: confidential, kind: numeric}").replace(
            "privacy: {k: 5}", "privacy: {k: 5, l: {cost: 3}}"
        )
    )
    before = Plan.load(file)
    assert before.privacy.settings["l"] == {"cost": 3}
    masked = browser.post("/table/role", {"column": "cost", "role": "quasi-identifier"})
    assert "l" not in Plan.load(file).privacy.settings
    shown = browser.get(masked.headers["location"]).text
    assert "No longer asked for: l = 3 of cost." in shown
    browser.post("/table/role", {"column": "cost", "role": "confidential"})
    assert Plan.load(file).asked_digest == before.asked_digest


def test_what_somebody_took_out_is_not_put_back(browser: Browser, folder: Path) -> None:
    file = folder / "patients.plan.yaml"
    browser.post("/table/rare", {"column": "treatment", "rare": "other"})
    for role in ("quasi-identifier", "confidential"):
        browser.post("/table/role", {"column": "treatment", "role": role})
    assert Plan.load(file).attributes["treatment"].rare == "other", "it went with the role, and came back"
    browser.post("/table/rare", {"column": "treatment", "rare": ""})
    for role in ("quasi-identifier", "confidential"):
        browser.post("/table/role", {"column": "treatment", "role": role})
    assert Plan.load(file).attributes["treatment"].rare is None


def test_what_is_chosen_now_is_not_put_back(tmp_path: Path) -> None:
    towns = ["Oakfield", "Millbrook", "Ashton", "Riverside", "Stonebridge", "Highmoor", "Saltcoats", "Weir"]
    (tmp_path / "towns.csv").write_text("\n".join(["town", *towns * 9, ""]))
    file = tmp_path / "towns.plan.yaml"
    file.write_text("attributes:\n  town: {role: quasi-identifier, ontology: wordnet, weight: 2}\n")
    session = Session(tmp_path, tmp_path / "towns.csv")
    assert session.work is not None
    browser = Browser(application(session, ADDRESS))
    try:
        session.work.look.wait()
        assert "Mask it; each value means only itself" in browser.get("/table").text
        browser.post("/table/role", {"column": "town", "instead": "0"})
        assert "town: {role: quasi-identifier, ontology: flat, weight: 2}" in file.read_text()
    finally:
        session.end()


def test_what_is_written_for_rare_values_is_said_of_a_column(browser: Browser, folder: Path) -> None:
    file = folder / "patients.plan.yaml"
    assert browser.get("/table").text.count("Rare values stay as they are") == 1, "of words that are kept"
    browser.post("/table/rare", {"column": "treatment", "rare": " other "})
    assert "treatment: {role: confidential, rare: other}" in file.read_text()
    shown = browser.get("/table?after=treatment").text
    assert "released as it is, but for rare values, which are “other”" in shown
    assert "Rare values are written as one word" in shown
    browser.post("/table/rare", {"column": "treatment", "rare": ""})
    assert file.read_text() == PLAN
    assert browser.post("/table/rare", {"column": "name", "rare": "other"}).status == 422, "it is dropped"


def test_how_confidential_numbers_are_written_is_said_of_a_column(browser: Browser, folder: Path) -> None:
    file = folder / "patients.plan.yaml"
    assert "Numbers stay as they are" not in browser.get("/table").text, "it is not decided"
    browser.post("/table/role", {"column": "cost", "role": "confidential"})
    decided = file.read_text()
    assert browser.get("/table").text.count("Numbers stay as they are") == 1, "of those that are kept"
    said = {"column": "cost", "round": " 50 ", "top": "2000", "bottom": ""}
    browser.post("/table/code", said)
    assert "cost: {role: confidential, kind: numeric, round: 50, top: 2000}" in file.read_text()
    shown = browser.get("/table?after=cost").text
    assert "but rounded to multiples of 50, and 2000 for what is above" in shown
    assert 'name="round" value="50"' in shown and "Numbers are not written as they are" in shown
    for wrong in ({"round": "many"}, {"round": "-5"}, {"top": "1"}):
        assert browser.post("/table/code", said | wrong).status == 422
    browser.post("/table/code", said | {"round": "", "top": ""})
    assert file.read_text() == decided
    assert browser.post("/table/code", said | {"column": "name"}).status == 422, "it is dropped"


def test_what_means_no_value_is_said_of_a_column(browser: Browser, folder: Path) -> None:
    file = folder / "patients.plan.yaml"
    file.write_text(PLAN.replace("cost: {role: undecided}", "cost: {role: confidential, kind: numeric}"))
    form = {"column": "cost", "kind": "numeric", "no_value": "NA, ?"}
    browser.post("/table/kind", form)
    assert "na_values" not in file.read_text(), "as it is in the table"
    browser.post("/table/kind", form | {"no_value": "NA, ?, -9"})
    assert Plan.load(file).attributes["cost"].na_values == ("", "NA", "?", "-9")


def test_a_column_is_read_as_another_kind(browser: Browser, folder: Path) -> None:
    asked = {"column": "cost", "kind": "ordinal", "ontology": "", "order": "low, very\r\nhigh"}
    browser.post("/table/role", {"column": "cost", "role": "confidential"})
    assert browser.post("/table/kind", asked).headers["location"] == "/table?after=cost"
    plan = Plan.load(folder / "patients.plan.yaml")
    assert (plan.attributes["cost"].kind, plan.attributes["cost"].order) == ("ordinal", ("low, very", "high"))
    refused = browser.post("/table/kind", asked | {"order": ""})
    assert (refused.status, "needs its values" in refused.text) == (422, True)
    browser.post("/table/kind", {"column": "treatment", "kind": "nominal", "ontology": "occupations"})
    assert Plan.load(folder / "patients.plan.yaml").attributes["treatment"].ontology == "occupations"
    assert "# Kept: a comment." in (folder / "patients.plan.yaml").read_text()
    for role in ("quasi-identifier", "confidential"):
        browser.post("/table/role", {"column": "cost", "role": role})
        assert Plan.load(folder / "patients.plan.yaml").attributes["cost"].kind == "ordinal", "as was decided"


def test_what_followed_from_a_column_is_asked_again(tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    ages = [20 + 7 * n % 40 for n in range(200)]
    table.write_text(
        "age,decade\n" + "".join(f"{age},{age // 10 * 10}-{age // 10 * 10 + 9}\n" for age in ages)
    )
    profile = profile_table(table)
    text = profile.to_yaml(tmp_path)
    assert Plan.from_yaml(text).together == (("age", "decade"),)
    changed = Plan.from_yaml(with_role(text, profile, "age", "confidential", tmp_path))
    assert changed.attributes["age"].role == "confidential"
    assert changed.attributes["decade"].role == "undecided"
    assert changed.together is None
    again = with_role(
        with_role(text, profile, "age", "other", tmp_path), profile, "age", "quasi-identifier", tmp_path
    )
    assert Plan.from_yaml(again).attributes["age"] == Plan.from_yaml(text).attributes["age"]


def test_the_plan_is_saved_without_faults_alone(browser: Browser, folder: Path, session: Session) -> None:
    file = folder / "patients.plan.yaml"
    assert session.work is not None
    digest = session.work.plan().digest
    wrong = browser.post("/plan/save", {"digest": digest, "text": PLAN.replace("k: 5", "k: 0")})
    assert wrong.status == 422
    assert 'data-line="10"' in wrong.text
    assert "must be 1 or more" in wrong.text
    assert "k: 0" in wrong.text, "what was typed is still there"
    assert file.read_text() == PLAN
    changed = PLAN.replace("k: 5", "k: 7")
    assert browser.post("/plan/save", {"digest": digest, "text": changed.replace("\n", "\r\n")}).status == 303
    assert file.read_text() == changed
    second_tab = browser.post("/plan/save", {"digest": digest, "text": PLAN})
    assert second_tab.status == 422
    assert "changed elsewhere" in second_tab.text
    assert file.read_text() == changed


def test_the_plan_is_drafted_once(browser: Browser, folder: Path, session: Session) -> None:
    file = folder / "patients.plan.yaml"
    file.chmod(0o600)
    browser.post("/table/role", {"column": "cost", "role": "identifier"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "who may not read it still may not"
    file.rename(folder / "aside.yaml")
    assert "the plan is gone" in browser.get("/plan").text
    assert not file.exists(), "nobody's decisions are replaced by a draft"
    (folder / "aside.yaml").rename(file)
    assert "the plan is gone" not in browser.get("/plan").text
    content = "# José\n".encode("latin-1")
    file.write_bytes(content)
    digest = PlanText("", None, ()).digest
    assert browser.post("/plan/save", {"digest": digest, "text": PLAN}).status == 422
    assert file.read_bytes() == content


def test_a_table_that_is_open_stays_the_one(browser: Browser, folder: Path) -> None:
    shutil.copy(folder / "patients.csv", folder / "other.csv")
    refused = browser.post("/choose", {"table": "other.csv"})
    assert (refused.status, "open already" in refused.text) == (422, True)
    assert browser.send("/send?name=third.csv", b"age\n1\n").status == 422
    (folder / "other.csv").unlink()


def test_columns_that_the_plan_does_not_name(browser: Browser, folder: Path) -> None:
    file = folder / "patients.plan.yaml"
    file.write_text(
        PLAN.replace("  cost: {role: undecided}\n", "").replace("privacy:", "others: drop\nprivacy:")
    )
    assert "Every column is decided" in browser.get("/table").text
    browser.post("/table/role", {"column": "cost", "role": "other"})
    assert Plan.load(file).attributes["cost"].role == "other"


def test_a_full_disk_loses_nothing(browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        answer = browser.post("/table/role", {"column": "cost", "role": "other"})
    assert answer.status == 422
    assert "No space left" in answer.text
    assert (folder / "patients.plan.yaml").read_text() == PLAN
    assert not [*folder.glob(".ontomask-*")]


def test_a_release_is_that_of_the_command(
    browser: Browser, folder: Path, session: Session, tmp_path: Path
) -> None:
    work = session.work
    assert work is not None
    assert "what outsiders may know of cost" in browser.get("/release").text
    browser.post("/table/role", {"column": "cost", "role": "identifier"})

    browser.post("/release/run", {"name": "out.csv"})
    assert browser.post("/release/run", {"name": "out.csv"}).status == 422, "one at a time"

    work.jobs["release"].wait()
    refused = browser.get("/release?name=out.csv").text
    assert "one value: treatment" in refused
    assert "1 to decide" in refused
    assert not (folder / "out.csv").exists()
    assert Plan.load(work.plan_file).accept == ()

    unticked = browser.post("/release/run", {"name": "out.csv"})
    assert (unticked.status, "1 warning is not ticked" in unticked.text) == (422, True)
    assert "Accepted because" in refused
    sent = {
        "name": "out.csv",
        "accept": "one value: treatment",
        f"reason|{short_name('one value: treatment')}": " all  had it\n",
        "recipient": "University of Reus",
    }
    browser.post("/release/run", sent)
    changed = browser.post("/table/role", {"column": "cost", "role": "other"})
    assert (changed.status, "a release is being made" in changed.text) == (422, True)
    work.jobs["release"].wait()
    shown = browser.get("/release?name=out.csv")
    assert "like 4 others" in shown.text
    assert "counted on the file" in shown.text
    assert "with an earlier one" not in shown.text
    assert "It will be replaced" in shown.text
    assert "out.internal.json: stays with you" in shown.text
    assert "5 Release</a>" in shown.text, "nothing is to be decided there"
    plan = Plan.load(work.plan_file)
    assert plan.accept == ("one value: treatment",)
    assert plan.sign_off is not None
    assert plan.sign_off.as_dict() == {
        "recipient": "University of Reus",
        "reasons": {"one value: treatment": "all had it"},
    }
    assert ">\nUniversity of Reus</textarea>" in shown.text
    assert "# Kept: a comment." in work.plan_file.read_text()

    again = [sys.executable, "-c", "from ontomask.cli import main; main()", "anonymize", "patients.csv"]
    again += ["--plan", "patients.plan.yaml", "-o", "out.csv", "-q"]
    for name in ("patients.csv", "patients.plan.yaml"):
        shutil.copy(folder / name, tmp_path)
    subprocess.run(again, cwd=tmp_path, check=True, capture_output=True)
    assert (folder / "out.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert browser.get("/files/out.csv?of=out.csv").text == (folder / "out.csv").read_text()
    report = browser.get("/report/out.report.html?of=out.csv")
    assert "Accepted because:</strong> all had it" in report.text
    assert "<dd>University of Reus</dd>" in report.text
    assert report.headers["content-security-policy"].endswith("sandbox")
    command = "ontomask anonymize patients.csv --plan patients.plan.yaml -o out.csv --report out.report.html"
    assert command in unescape(shown.text)
    assert command in unescape(report.text)
    assert browser.get("/files/out.internal.json?of=out.csv").status == 404


def test_reasons_that_were_given_before_stay() -> None:
    said = {"made_by": "M. Soler", "reasons": {"one": "known"}}
    plan = Plan.from_dict({"accept": ["one"], "sign_off": said})
    form = Form([(f"reason|{short_name('two')}", "known, too"), ("made_by", ""), ("recipient", "Reus")])
    assert pages._sign_off(plan, form, ["two", "three"]) == {
        "reasons": {"one": "known", "two": "known, too"},
        "recipient": "Reus",
    }


@contextmanager
def working_on(folder: Path) -> Iterator[tuple[Browser, Work]]:
    """The pages of people.csv in a folder."""
    session = Session(folder, folder / "people.csv")
    assert session.work is not None
    try:
        yield Browser(application(session, ADDRESS)), session.work
    finally:
        session.end()


def made(browser: Browser, work: Work, name: str, **sent: str) -> str:
    """What the page shows after a release of that name was asked for."""
    browser.post("/release/run", {"name": name, **sent})
    work.jobs["release"].wait()
    return browser.get(f"/release?name={name}").text


def test_what_is_accepted_holds_of_one_plan(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("job,ill\n" + 4 * "nurse,flu\nsurgeon,flu\n")
    (tmp_path / "people.plan.yaml").write_text(
        "attributes:\n  job: {role: quasi-identifier, ontology: occupations}\n"
        "  ill: {role: confidential, ontology: flat}\nprivacy: {k: 2}\naccept: []\n"
    )
    warning = "one value: ill"
    ticked = {"accept": warning, f"reason|{short_name(warning)}": "all of them had it"}

    with working_on(tmp_path) as (browser, work):
        assert "required" in made(browser, work, "one.csv")
        assert "counted on the file" in made(browser, work, "one.csv", **ticked)
        plan = Plan.load(work.plan_file)
        assert plan.accepted == (warning,)
        assert plan.accepted_for == plan.asked_digest[:12]

        work.write_plan(work.plan().text.replace("k: 2", "k: 3"))
        assert Plan.load(work.plan_file).accepted == ()
        asked_again = made(browser, work, "two.csv")
        assert not (tmp_path / "two.csv").exists()
        assert ">\nall of them had it</textarea>" in asked_again, (
            "what was said before, to be said again or not"
        )
        assert "The same table was released before, as “one.csv”" in asked_again
        assert Plan.load(work.plan_file).accept == ()
        assert "reasons" not in work.plan().text, "of the other plan"

        (tmp_path / "one.csv").unlink()
        (tmp_path / "one.manifest.json").unlink()
        assert "released before" not in made(browser, work, "two.csv", check="again"), (
            "nothing was to be accepted for that"
        )
        assert "counted on the file" in made(browser, work, "two.csv", **ticked)
        browser.post("/release/take_back", {"name": "two.csv", "warning": warning})
        plan = Plan.load(work.plan_file)
        assert (plan.accept, plan.sign_off and plan.sign_off.reasons) == ((), None)
        shown = browser.get("/release?name=two.csv").text
        assert "made with an earlier plan" in shown and "Go back to that plan" in shown
        browser.post("/release/back", {"name": "two.csv"})
        assert Plan.load(work.plan_file).accepted == (warning,)
        shown = browser.get("/release?name=two.csv").text
        assert "made with an earlier plan" not in shown and "Done: two.csv" in shown
        assert browser.post("/release/back", {"name": "one.csv"}).status == 422, "which is gone"


def test_a_release_is_of_the_files_that_the_plan_names(tmp_path: Path) -> None:
    jobs = "work:\n  care: {nurse: {}, surgeon: {}}\n  trade: {cook: {}, baker: {}}\n"
    plan = (
        "attributes:\n  job: {role: quasi-identifier, ontology: jobs.yaml}\n"
        "privacy: {k: 2}\nsign_off: {recipient: Reus}\n"
    )
    (tmp_path / "people.csv").write_text("job\n" + "nurse\nsurgeon\ncook\nbaker\n" * 2)
    (tmp_path / "jobs.yaml").write_text(jobs)
    (tmp_path / "people.plan.yaml").write_text(plan)
    with working_on(tmp_path) as (browser, work):
        assert "Done: out.csv" in made(browser, work, "out.csv")

        def shown(file: str, text: str) -> str:
            (tmp_path / file).write_text(text)
            return browser.get("/release?name=out.csv").text

        changed = shown("jobs.yaml", jobs.replace("baker: {}", "baker: {}, waiter: {}"))
        assert "jobs.yaml is not what it was made from any more" in changed and "Done" not in changed
        assert "Make the release" in changed and "Go back to that plan" not in changed
        assert "Done: out.csv" in shown("jobs.yaml", jobs), "as it was"
        of_table = shown("people.csv", "job\n" + "nurse\nsurgeon\ncook\ncook\n" * 2)
        assert "people.csv is not what it was made from any more" in of_table and "Done" not in of_table
        (tmp_path / "jobs.yaml").unlink()
        assert "jobs.yaml and people.csv are not what" in browser.get("/release?name=out.csv").text
        shown("jobs.yaml", jobs)
        shown("people.csv", "job\n" + "nurse\nsurgeon\ncook\nbaker\n" * 2)
        said = shown("people.plan.yaml", work.plan().text.replace("Reus", "the town"))
        assert "Done: out.csv" in said, "which changes no cell of the release"
        (tmp_path / "out.internal.json").write_text("{}")
        assert "Done: out.csv" in browser.get("/release?name=out.csv").text, "nobody can tell any more"


@pytest.mark.parametrize(("shuffle", "is_shuffled"), [("on", True), ("", False)])
def test_rows_are_shuffled_as_the_form_says(tmp_path: Path, shuffle: str, is_shuffled: bool) -> None:
    text = "attributes:\n  job: {role: quasi-identifier}\nprivacy: {k: 2}\naccept: [a]\naccepted_for: ab\n"
    plan = Plan.from_yaml(text, folder=tmp_path)
    form = Form([("order", "asked"), ("shuffle", shuffle)])
    said = pages._as_said(plan, plan.as_dict(only_given=True), form, ())
    assert said["shuffle"] is is_shuffled
    assert (said["accept"], "accepted_for" in said) == ((), False), "which was said of another plan"
    assert "shuffle" not in pages._as_said(plan, plan.as_dict(only_given=True), Form([]), ())


def test_what_else_every_group_has_is_promised() -> None:
    asked = {"attributes": {"job": {"role": "quasi-identifier"}, "ill": {"role": "confidential"}}}
    plan = Plan.from_dict(asked | {"privacy": {"k": 3, "l": {"ill": 2}}})
    said = "Every row is like 2 others at least in what is masked, and has l = 2 of ill (method sa-mdav)."
    assert pages.told_promise(plan) == said
    assert "and has" not in pages.told_promise(plan.replace(privacy={"l": None}))
    of_people = pages.told_promise(plan.replace(privacy={"unit": "who"}))
    assert of_people.startswith(
        "Every row is like rows of 2 other people at least in what is masked, and has"
    )


def test_a_release_of_people_with_several_rows_counts_people(tmp_path: Path) -> None:
    rows = [f"{who},{job}" for who in "abcd" for job in ("nurse", "nurse", "cook")]
    (tmp_path / "people.csv").write_text("\n".join(["who,job", *rows, ""]))
    (tmp_path / "people.plan.yaml").write_text(
        "attributes:\n  who: {role: identifier}\n  job: {role: quasi-identifier, ontology: occupations}\n"
        "privacy: {k: 2, unit: who}\n"
    )
    with working_on(tmp_path) as (browser, work):
        shown = made(browser, work, "out.csv")
    assert "✓ every row is like rows of 3 other people at least in what is masked" in shown
    assert "Every row is like rows of 1 other person at least" in shown, "as was asked"


def test_who_comes_back_finds_it_as_it_was(browser: Browser, folder: Path) -> None:
    assert (folder / "out.csv").exists(), "of the test before"
    again = Session(folder, folder / "patients.csv")
    try:
        shown = Browser(application(again, ADDRESS)).get("/release?name=out.csv").text
    finally:
        again.end()
    assert "counted on the file" in shown
    assert "made with an earlier plan" in shown, "the plan is another"
    assert "Go back to that plan" not in shown, "nobody here knows it"
    assert "✓" not in shown


@pytest.mark.parametrize("how", ["cancelled", "killed"])
def test_a_run_that_is_ended_writes_nothing(
    browser: Browser, folder: Path, session: Session, how: str
) -> None:
    work = session.work
    assert work is not None
    browser.post("/table/role", {"column": "cost", "role": "identifier"})
    browser.post("/release/run", {"name": f"{how}.csv"})

    assert "is being made" in browser.get("/release").text, "a reload in the middle"
    if how == "cancelled":
        assert browser.post("/cancel", {"of": "release"}).headers["location"] == "/release#release"
    else:
        kill(work.jobs["release"])
        work.jobs["release"].wait()
    shown = browser.get(f"/release?name={how}.csv").text
    assert ("Cancelled." if how == "cancelled" else "ended from outside (signal 9)") in shown
    assert "counted on the file" not in shown
    assert not [*folder.glob(f"{how}*")]
    assert work.jobs["release"].is_over


def test_a_task_for_which_there_is_no_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    shutil.copy(datasets.path("patients.csv"), tmp_path)
    monkeypatch.setattr(working, "_context", refuse)
    session = Session(tmp_path, tmp_path / "patients.csv")
    assert session.work is not None
    session.work.look.wait()
    shown = Browser(application(session, ADDRESS)).get("/table").text
    assert "no process could be begun for it: Resource temporarily unavailable" in shown
    assert "data-events" not in shown


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_what_works_in_the_background_leaves_the_cores_to_the_pages() -> None:
    def priority() -> int:
        working._do(pickle.dumps((repr, ())), Pipe()[1])
        return os.nice(0)

    assert in_child(priority) == min(os.nice(0) + 10, 19)


def test_the_address_is_that_of_this_machine(session: Session) -> None:
    app = application(session, ADDRESS)
    assert isinstance(app, Guard)
    assert app.entry.startswith("http://127.0.0.1:8765/enter?token=")
    assert pages.default_name(session.work) == "patients.release.csv"  # type: ignore[arg-type]


def test_groups_of_columns_that_somebody_made_stay(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(
        "age,grp,city,zip\n" + "".join(f"{n % 7},{n % 3},c{n % 5},z{n % 4}\n" for n in range(60))
    )
    text = """\
attributes:
  age: {role: quasi-identifier, kind: numeric}
  grp: {role: other}
  city: {role: quasi-identifier, ontology: flat}
  zip: {role: other}
together: [[age, grp], [city, zip]]
"""
    changed = Plan.from_yaml(with_role(text, profile_table(table), "age", "identifier", tmp_path))
    assert changed.together == (("city", "zip"),)
    assert changed.attributes["zip"].role == "other"
    assert changed.attributes["grp"].role == "undecided", "it followed from age"
