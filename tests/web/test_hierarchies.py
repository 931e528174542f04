"""The page Hierarchies without a browser: what is seen, and what an edit writes for a command to use."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.hierarchies import Gsl, Hierarchy, linked_nodes, read_hierarchy
from ontomask.hierarchies.edited import MARK
from ontomask.ontology import load_ontology
from ontomask.ontology.formats.nested import NO_CONCEPT
from ontomask.plan import Plan
from ontomask.web import tree_edits
from ontomask.web.app import application
from ontomask.web.page import short_name
from ontomask.web.session import Session
from ontomask.web.trees import Seen, Trees
from web.asking import ADDRESS, Answer, Browser, kill

CANARY = "<img src=x onerror=alert(1)>"
JOBS = ["math teacher", "music teacher", "surgeon", "ophthalmologist", "optician", "optometrist", "tamer"]
TREE = """\
occupation:
  education: {teacher: {math teacher: {}, music teacher: {}}}
  doctor: {medical practitioner: {surgeon: {}, ophthalmologist: {}, optician: {}, optometrist: {}}}
  trainer: {animal trainer: {tamer: {}}}
"""
PLAN = """\
# Kept: a comment.
attributes:
  job: {role: quasi-identifier, ontology: wordnet, senses: first, hierarchy: jobs.yaml}  # of the person
  town: {role: quasi-identifier}
  age: {role: quasi-identifier, kind: numeric}
  likes: {role: quasi-identifier, ontology: wordnet, several: ;}
  word: {role: quasi-identifier, ontology: flat}
  nonsense: {role: quasi-identifier}
  street: {role: quasi-identifier, hierarchy: none.yaml}
privacy: {k: 3}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("trees")
    towns, likes = ["Paris", "London", "Madrid", "Rome", "Oslo"], ["dog; cat", "cat", "cod; dog"]
    words = ["flurb", CANARY, "snork"]
    rows = [
        (JOBS[n % 7], towns[n % 5], 20 + n % 40, likes[n % 3], words[n % 3], ["dog", "qwxzv"][n % 2], "Elm")
        for n in range(210)
    ]
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    (found / "people.csv").write_text("\n".join(["job,town,age,likes,word,nonsense,street", *lines, ""]))
    (found / "jobs.yaml").write_text(TREE)
    return found


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    (folder / "people.plan.yaml").write_text(PLAN)
    found = Session(folder, folder / "people.csv")
    assert found.work is not None
    found.work.look.cancel()  # the plan is there, so that nobody waits for proposals
    yield found
    found.end()


@pytest.fixture
def browser(session: Session, folder: Path) -> Browser:
    """With plan and trees as they were, and columns that were looked at."""
    (folder / "people.plan.yaml").write_text(PLAN)
    for edited in folder.glob("*_hierarchy*.yaml"):
        edited.unlink()
    assert session.work is not None
    if "hierarchies" in session.work.remembered:
        trees = session.work.remembered["hierarchies"]
        trees.refused.clear()
        trees.before.clear()
    return looked_at(Browser(application(session, ADDRESS)), session)


def looked_at(browser: Browser, session: Session, column: str = "job") -> Browser:
    assert session.work is not None
    if "being read" in browser.get(f"/hierarchies?column={column}").text:
        session.work.jobs["hierarchies"].wait()
        browser.get(f"/hierarchies?column={column}")
    return browser


def shown(browser: Browser, column: str, more: str = "") -> str:
    answer = browser.get(f"/hierarchies?column={column}{more}")
    assert answer.status == 200
    return unescape(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2]))


def edits(browser: Browser, column: str = "job") -> list[str]:
    found = re.findall(r'name="edit" value="([^"]*)"', browser.get(f"/hierarchies?column={column}").text)
    return [unescape(one) for one in found]


def moved(browser: Browser, label: str, to: str) -> Answer:
    named = {"label": short_name(label), "to": short_name(to)}
    return browser.post("/hierarchies/move", {"column": "job"} | named)


# ---------------------------------------------------------------------- what is seen


def test_the_tree_has_rows_marks_and_levels(browser: Browser, folder: Path) -> None:
    text = " ".join(shown(browser, "job").split())
    assert "doctor 4 values, 120 rows" in text
    assert "teacher 2 values, 60 rows" in text
    assert "▲ loses more than doctor above it" in text
    tree, wordnet = read_hierarchy(folder / "jobs.yaml"), load_ontology("wordnet")
    gsl = Gsl(tree, wordnet, linked_nodes(tree, wordnet, senses="first").concepts)
    assert "A poor tree" in text
    assert f"{gsl.score:.2f} of its meaning, on the average of all levels" in text
    assert f"2 3 {gsl.levels[1]:.2f} doctor" in text
    assert "0 (as it is) 7 0.00" in text
    assert "math teacher music teacher → become teacher" in text, "truthful: the lowest label of the tree"
    assert "Not used now." in text
    assert "Methods that climb trees do not go with this plan (likes" in text, (
        "it has several answers in a cell"
    )


def test_a_tree_that_is_not_used_is_folded(browser: Browser, folder: Path) -> None:
    def is_folded(more: str = "") -> bool:
        page = browser.get(f"/hierarchies?column=job{more}").text
        assert page.count("<details") == page.count("</details>") <= 1
        return '<details class="unused">' in page

    plan = folder / "people.plan.yaml"
    assert is_folded()
    assert not is_folded("&find=doctor"), "who looks for something sees it"
    plan.write_text(
        "".join(line for line in PLAN.splitlines(keepends=True) if "  likes" not in line) + "others: drop\n"
    )
    assert "datafly, incognito, best-first, top-down" in shown(browser, "job")
    plan.write_text(PLAN)
    moved(browser, "optician", "teacher")
    assert not is_folded(), "who edits it goes on"
    browser.post("/hierarchies/undo", {"column": "job"})
    browser.post("/hierarchies/release", {"column": "job", "release": "truthful"})
    assert "<details" not in browser.get("/hierarchies?column=job").text
    browser.post("/hierarchies/release", {"column": "town", "release": "truthful"})
    text = shown(browser, "town")
    assert "Not used yet." in text
    assert "Keep this tree and use it" in text


def test_one_button_releases_all_columns_alike(browser: Browser, folder: Path) -> None:
    plan = folder / "people.plan.yaml"
    browser.post("/hierarchies/release", {"column": "town", "release": "truthful"})
    assert "1 column of 7 is truthful" in shown(browser, "town")
    answer = browser.post("/hierarchies/release_all", {"column": "town", "release": "truthful"})
    assert answer.headers["location"] == "/hierarchies?column=town"
    assert plan.read_text() == PLAN + "release: truthful\n"
    assert "every column is truthful" in shown(browser, "town")
    browser.post("/hierarchies/release", {"column": "town", "release": "central"})
    assert "town: {role: quasi-identifier, release: central}" in plan.read_text()
    browser.post("/hierarchies/release_all", {"column": "town", "release": "central"})
    assert plan.read_text() == PLAN + "release: central\n", "which somebody chose now"
    assert browser.post("/hierarchies/release_all", {"column": "town", "release": "?"}).status == 422


def test_central_or_truthful_is_to_be_decided(browser: Browser, folder: Path) -> None:
    assert 'Hierarchies <span class="count">1 to decide' in browser.get("/table").text
    assert "as long as nobody says otherwise, all columns are central" in shown(browser, "town")
    browser.post("/hierarchies/release_all", {"column": "town", "release": "central"})
    assert "Hierarchies</a>" in browser.get("/table").text
    assert "as long as nobody says otherwise" not in shown(browser, "town")
    plan = folder / "people.plan.yaml"
    plan.write_text(PLAN + "method: {name: best-first}\n")
    assert "Hierarchies</a>" in browser.get("/table").text, "which is always truthful"


def test_ranges_are_those_of_the_tree_if_somebody_says_so(
    browser: Browser, session: Session, folder: Path
) -> None:
    plan = folder / "people.plan.yaml"
    browser.post("/hierarchies/release_all", {"column": "age", "release": "truthful"})
    before = plan.read_text()
    assert "such ranges overlap" in shown(looked_at(browser, session, "age"), "age")
    browser.post("/hierarchies/bands", {"column": "age", "bands": "fixed"})
    assert "age: {role: quasi-identifier, kind: numeric, hierarchy: {}}" in plan.read_text()
    assert "one lies within the other" in shown(looked_at(browser, session, "age"), "age")
    browser.post("/hierarchies/bands", {"column": "age", "bands": "frequency"})
    assert "age: {role: quasi-identifier, kind: numeric, hierarchy: {by: frequency}}" in plan.read_text()
    browser.post("/hierarchies/bands", {"column": "age", "bands": "own"})
    assert plan.read_text() == before
    assert browser.post("/hierarchies/bands", {"column": "town", "bands": "fixed"}).status == 422


def test_other_kinds_are_told_what_they_are(browser: Browser) -> None:
    assert "20-29" in shown(browser, "age")
    assert "move" not in shown(browser, "age"), "a number stands where it must"
    assert "a set of words has no place in one tree" in shown(browser, "likes")
    assert "values mean only themselves" in shown(browser, "word")
    nonsense = shown(browser, "nonsense")
    assert "1 value without a meaning: qwxzv" in nonsense
    assert "the tree is a preview" in nonsense
    assert browser.post("/hierarchies/keep", {"column": "nonsense"}).status == 422


def test_a_value_is_text_wherever_it_stands(browser: Browser) -> None:
    for more in ("", f"&find={CANARY}", f"&move={short_name(CANARY)}", f"&at={short_name(CANARY)}"):
        answer = browser.get(f"/hierarchies?column=word{more}")
        assert "<img" not in answer.text
        assert CANARY in unescape(answer.text)
    assert "<img" not in browser.post("/hierarchies/move", {"column": CANARY, "label": CANARY}).text


def test_an_address_tells_no_label(browser: Browser) -> None:
    pages = [f"{more}&find=o&at={short_name('doctor')}" for more in ("", f"&move={short_name('optician')}")]
    found = [browser.get(f"/hierarchies?column=job{more}").text for more in pages]
    addresses = re.findall(r'(?:href|action)="([^"]*)"', "".join(found))
    addresses.append(moved(browser, "optician", "teacher").headers["location"])
    assert any("&amp;move=" in one for one in addresses)
    labels = re.findall(r"[a-z]{5,}", TREE)
    assert [one for one in addresses for label in labels if label in one] == []
    here = f"at={short_name('teacher')}&done={short_name('optician')}"
    assert addresses[-1] == f"/hierarchies?column=job&{here}#tree"


@pytest.mark.parametrize("start", ["²", "٣", "-1", "9" * 5_000])
def test_any_number_of_lines_to_be_skipped_is_answered(browser: Browser, start: str) -> None:
    assert browser.get(f"/hierarchies?column=job&from={start}").status == 200


def test_without_a_masked_column_nothing_is_asked(browser: Browser, folder: Path) -> None:
    (folder / "people.plan.yaml").write_text("attributes:\n  job: {role: identifier}\nothers: drop\n")
    assert "No column is masked yet" in shown(browser, "job")


def test_a_column_that_cannot_be_read_says_why(browser: Browser, folder: Path) -> None:
    assert "none.yaml" in shown(browser, "street")
    assert browser.post("/hierarchies/keep", {"column": "street"}).status == 422
    assert browser.post("/hierarchies/anew", {"column": "street"}).status == 303
    assert (folder / "people.plan.yaml").read_text() == PLAN.replace(", hierarchy: none.yaml", "")


# ---------------------------------------------------------------------- edits


def test_an_edit_writes_a_copy_and_the_plan_names_it(browser: Browser, folder: Path) -> None:
    first = edits(browser)[0]
    assert first == "call 'occupation' 'person' (person.n.01)"
    answer = browser.post("/hierarchies/apply", {"column": "job", "edit": first})
    assert answer.headers["location"] == "/hierarchies?column=job#proposals"
    assert (folder / "jobs.yaml").read_text() == TREE, "a file of the user is never written over"
    written = (folder / "job_hierarchy.yaml").read_text()
    assert written.startswith(f"{MARK}\nperson:\n  =: person.n.01\n")
    plan = (folder / "people.plan.yaml").read_text()
    assert plan == PLAN.replace("jobs.yaml", "job_hierarchy.yaml")
    assert first not in edits(browser)
    again = {"column": "job", "edit": first}
    assert browser.post("/hierarchies/apply", again).status == 422, "pressed twice, or in a second tab"

    browser.post("/hierarchies/apply", {"column": "job", "edit": edits(browser)[0]})
    assert not (folder / "job_hierarchy_2.yaml").exists()
    assert (folder / "job_hierarchy.yaml").read_text() != written
    browser.post("/hierarchies/undo", {"column": "job"})
    assert (folder / "job_hierarchy.yaml").read_text() == written
    browser.post("/hierarchies/undo", {"column": "job"})
    assert not (folder / "job_hierarchy.yaml").exists()
    assert (folder / "people.plan.yaml").read_text() == PLAN
    assert edits(browser)[0] == first
    assert browser.post("/hierarchies/undo", {"column": "job"}).status == 422


def test_what_is_refused_is_not_proposed_again(browser: Browser, folder: Path) -> None:
    first, *others = edits(browser)
    browser.post("/hierarchies/refuse", {"column": "job", "edit": first})
    assert edits(browser) == others
    assert "1 refused" in shown(browser, "job")
    browser.post("/hierarchies/refuse", {"column": "job"})
    assert edits(browser)[0] == first
    assert (folder / "people.plan.yaml").read_text() == PLAN


def test_what_is_open_is_counted_where_the_tree_is_used(browser: Browser, folder: Path) -> None:
    edits(browser)
    browser.post("/hierarchies/release_all", {"column": "job", "release": "central"})
    assert "Hierarchies</a>" in browser.get("/plan").text, "nothing is counted beside it"
    browser.post("/hierarchies/release", {"column": "job", "release": "truthful"})
    assert "release: truthful" in (folder / "people.plan.yaml").read_text()
    n = len(edits(browser))
    assert n > 1
    assert f"Hierarchies {n} to decide" in " ".join(re.sub("<[^>]+>", " ", browser.get("/plan").text).split())
    assert "Used." in shown(browser, "job")
    browser.post("/hierarchies/release", {"column": "job", "release": "central"})
    assert (folder / "people.plan.yaml").read_text() == PLAN + "release: central\n"


def test_a_label_is_moved_by_choosing_another(browser: Browser, folder: Path) -> None:
    asked = f"&move={short_name('optician')}"
    assert "Move optician" in shown(browser, "job", asked)
    choices = re.findall(
        r'<option value="(\w+)">([^<]*)', browser.get(f"/hierarchies?column=job{asked}").text
    )
    assert [name for name, _ in choices] == [short_name(label) for _, label in choices]
    assert [label for _, label in choices] == [
        "animal trainer",
        "doctor",
        "education",
        "occupation",
        "teacher",
        "trainer",
    ]
    for label, to in (("optician", "trainer"), ("doctor", "education"), ("teacher", "optician"), ("?", "?")):
        assert moved(browser, label, to).status == (303 if label == "optician" else 422), (label, to)
    tree = read_hierarchy(folder / "job_hierarchy.yaml")
    assert tree.label_at("optician", 2) == "trainer"
    assert tree.label_at("surgeon", 2) == "doctor"


def test_who_moves_a_label_stays_where_it_is_seen(browser: Browser) -> None:
    def moved_from(at: str, label: str, to: str) -> str:
        named = {"at": short_name(at), "label": short_name(label), "to": short_name(to)}
        return browser.post("/hierarchies/move", {"column": "job"} | named).headers["location"]

    assert f"at={short_name('occupation')}&" in moved_from("occupation", "optician", "teacher")
    assert f"at={short_name('trainer')}&" in moved_from("doctor", "surgeon", "trainer"), "not below doctor"
    assert f"at={short_name('trainer')}&" in moved_from("animal trainer", "tamer", "trainer"), "gone now"
    assert f"at={short_name('doctor')}&" in moved_from("gone", "tamer", "doctor")
    renamed = {"at": short_name("doctor"), "label": short_name("doctor"), "new": "healer"}
    answer = browser.post("/hierarchies/rename", {"column": "job"} | renamed)
    assert f"at={short_name('healer')}&" in answer.headers["location"]
    everything = f"&done={short_name('occupation')}"
    assert "stands below" not in shown(browser, "job", everything), "above which nothing stands"
    assert "tamer stands below healer now." in shown(browser, "job", f"&done={short_name('tamer')}")


def called(browser: Browser, how: str, label: str, new: str) -> Answer:
    """A label is given a new name, or a new label above it."""
    named = {"label": short_name(label), "new": new, "at": short_name("occupation")}
    return browser.post(f"/hierarchies/{how}", {"column": "job"} | named)


def test_who_comes_back_sees_the_tree_as_it_was(browser: Browser, session: Session, folder: Path) -> None:
    """Though `doctor` and `education` by themselves would mean something."""
    called(browser, "rename", "doctor", "education of eyes")
    called(browser, "rename", "education", "doctor")
    called(browser, "insert", "doctor", "education")
    text = " ".join(shown(browser, "job").split())
    assert session.work is not None
    session.work.remembered.pop("hierarchies")
    session.work.forget("hierarchies")
    anew = " ".join(shown(looked_at(browser, session), "job").split())
    assert anew == text.replace("Undo the last edit ", "")
    called(browser, "insert", "surgeon", "theatre staff")
    said = read_hierarchy(folder / "job_hierarchy.yaml").concepts
    assert [said[label] for label in ("doctor", "education", "theatre staff")] == [NO_CONCEPT] * 3


def test_labels_of_ones_own(browser: Browser, folder: Path) -> None:
    """A new one above a value, others below it, and its name changed; all of it can be undone."""

    def edited(how: str, label: str, new: str) -> Answer:
        return called(browser, how, label, new)

    assert edited("insert", "optician", "  eye   care ").status == 303
    assert moved(browser, "optometrist", "eye care").status == 303
    assert edited("rename", "eye care", "care of eyes").status == 303
    tree = read_hierarchy(folder / "job_hierarchy.yaml")
    paths = {tree.labels[path[0]]: [tree.labels[node] for node in path] for path in tree.paths()}
    assert paths["optician"][1:] == ["care of eyes", "medical practitioner", "doctor", "occupation"]
    assert paths["optometrist"][1:] == paths["optician"][1:]
    assert paths["surgeon"][1:] == ["medical practitioner", "doctor", "occupation"]
    assert tree.concepts["care of eyes"] == NO_CONCEPT, "it stands for what its values have in common"
    text = " ".join(shown(browser, "job").split())
    assert "care of eyes 2 values, 60 rows" in text

    assert edited("rename", "doctor", "healer").status == 303
    assert read_hierarchy(folder / "job_hierarchy.yaml").concepts["healer"] == NO_CONCEPT
    assert edited("insert", "teacher", "doctor").status == 303, "a name that is free again"
    again = read_hierarchy(folder / "job_hierarchy.yaml")
    assert again.concepts["doctor"] == NO_CONCEPT, "and means nothing by itself now"
    assert again.labels[again.parents[again.node("teacher")]] == "doctor"
    for _ in range(4):
        browser.post("/hierarchies/undo", {"column": "job"})
    assert [path.name for path in folder.glob("job_hierarchy*")] == ["job_hierarchy.yaml"]
    browser.post("/hierarchies/undo", {"column": "job"})
    assert not (folder / "job_hierarchy.yaml").exists()
    assert (folder / "people.plan.yaml").read_text() == PLAN


@pytest.mark.parametrize(
    ("how", "label", "new", "why"),
    [
        ("insert", "optician", " ", "a label needs a name"),
        ("insert", "optician", "*", "a label needs a name"),
        ("insert", "optician", "eye\u202ecare", "a label needs a name"),
        ("insert", "optician", "doctor", "is in the tree already"),
        ("insert", "optician", "=", "names the concept of a label"),
        ("insert", "occupation", "anything", "stands above all others"),
        ("insert", "gone", "anything", "not in the tree any more"),
        ("rename", "optician", "oculist", "is a value of the table"),
        ("rename", "doctor", "teacher", "is in the tree already"),
    ],
)
def test_names_that_no_label_may_have(
    browser: Browser, folder: Path, how: str, label: str, new: str, why: str
) -> None:
    answer = browser.post(f"/hierarchies/{how}", {"column": "job", "label": short_name(label), "new": new})
    assert answer.status == 422
    assert why in unescape(answer.text)
    assert not (folder / "job_hierarchy.yaml").exists()


def test_what_stands_for_anything_keeps_its_name(browser: Browser, session: Session, folder: Path) -> None:
    (folder / "jobs.yaml").write_text(TREE.replace("occupation:", '"*":'))
    try:
        answer = called(looked_at(browser, session), "rename", "*", "anything")
    finally:
        (folder / "jobs.yaml").write_text(TREE)
    assert answer.status == 422
    assert "'*' stands for anything, and keeps its name" in unescape(answer.text)


def test_no_label_is_called_like_another_spelling_of_a_value() -> None:
    tree = Hierarchy.from_rows("t", [["surgeon", "doctor"]])
    seen: Any = SimpleNamespace(tree=tree, look=SimpleNamespace(otherwise={"Chirurg": "surgeon"}))
    with pytest.raises(OntomaskError, match="in the tree already"):
        tree_edits._new_label(seen, "Chirurg")
    assert tree_edits._new_label(seen, "healer") == "healer"


def test_a_second_plan_keeps_its_tree(browser: Browser, folder: Path) -> None:
    (folder / "job_hierarchy.yaml").write_text(f"{MARK}\n{TREE}")
    moved(browser, "tamer", "teacher")
    assert (folder / "job_hierarchy.yaml").read_text() == f"{MARK}\n{TREE}"
    assert "hierarchy: job_hierarchy_2.yaml" in (folder / "people.plan.yaml").read_text()


def test_a_tree_that_is_built_is_kept_with_its_ontology(browser: Browser, folder: Path) -> None:
    browser.post("/hierarchies/keep", {"column": "town"})
    town = Plan.load(folder / "people.plan.yaml").attributes["town"]
    assert (town.ontology, town.hierarchy and town.hierarchy.files) == ("wordnet", ("town_hierarchy.yaml",))
    assert not town.means_itself


def test_a_full_disk_changes_neither_tree_nor_plan(
    browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def full(self: Path, content: bytes) -> int:
        if self.name == "people.plan.yaml":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, content)

    before = sorted(folder.iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        answer = moved(browser, "tamer", "teacher")
    assert answer.status == 422
    assert "No space left" in answer.text
    assert sorted(folder.iterdir()) == before
    assert (folder / "people.plan.yaml").read_text() == PLAN


def test_a_tree_that_was_changed_elsewhere_is_not_undone(browser: Browser, folder: Path) -> None:
    moved(browser, "tamer", "teacher")
    file = folder / "job_hierarchy.yaml"
    file.write_text(file.read_text() + "# looked at\n")
    assert browser.post("/hierarchies/undo", {"column": "job"}).status == 422
    assert file.read_text().endswith("# looked at\n")


def test_what_was_chosen_since_an_edit_is_not_undone(browser: Browser, folder: Path) -> None:
    plan = folder / "people.plan.yaml"
    browser.post("/hierarchies/keep", {"column": "town"})
    plan.write_text(
        plan.read_text().replace("ontology: wordnet, hierarchy: town", "ontology: flat, hierarchy: town")
    )
    assert browser.post("/hierarchies/undo", {"column": "town"}).status == 303
    assert plan.read_text() == PLAN.replace(
        "town: {role: quasi-identifier", "town: {role: quasi-identifier, ontology: flat"
    )
    assert "being read" in shown(browser, "town"), "what was seen with WordNet is not what it is now"

    moved(browser, "tamer", "teacher")
    plan.write_text(PLAN)
    assert browser.post("/hierarchies/undo", {"column": "job"}).status == 422
    assert (folder / "job_hierarchy.yaml").exists()


def test_what_a_task_found_is_taken_once() -> None:
    class Slow:
        @property
        def result(self) -> dict[str, object]:
            time.sleep(0.02)  # long enough for a second request to come
            return {}

    trees, plan = Trees(), Plan()
    trees._asked = Slow(), plan, {}  # type: ignore[assignment]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(trees.looked_at, None, plan, ()) for _ in range(4)]  # type: ignore[arg-type]
        assert [one.result() for one in asked] == [None] * 4


def test_a_search_that_is_killed_found_nothing_out(
    browser: Browser, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = session.work
    assert work is not None
    plan = work.plan().plan
    assert plan is not None
    seen = Trees.of(work).known(work, plan, "job")
    assert isinstance(seen, Seen)
    monkeypatch.setattr("ontomask.web.trees.SOON", 0)
    monkeypatch.setattr(seen, "found", None)
    assert "Better places are being looked for" in shown(browser, "job")
    kill(work.jobs["proposals"])
    work.jobs["proposals"].wait()
    text = shown(browser, "job")
    assert "ended from outside (signal 9)" in text
    assert "No edit was found" not in text
    assert browser.post("/hierarchies/search", {"column": "job"}).status == 303
    assert "Better places are being looked for" in shown(browser, "job")
    work.jobs["proposals"].cancel()


def test_a_task_that_is_killed_can_be_begun_again(folder: Path) -> None:
    (folder / "people.plan.yaml").write_text(PLAN)
    session = Session(folder, folder / "people.csv")
    browser = Browser(application(session, ADDRESS))
    try:
        assert session.work is not None
        session.work.look.cancel()
        assert "being read and put into trees" in browser.get("/hierarchies").text
        kill(session.work.jobs["hierarchies"])
        session.work.jobs["hierarchies"].wait()
        assert "ended from outside (signal 9)" in browser.get("/hierarchies").text
        browser.post("/hierarchies/again", {"column": "job"})
        assert "being read and put into trees" in browser.get("/hierarchies").text
    finally:
        session.end()


def test_a_command_with_the_edited_tree_gives_what_it_gives_by_hand(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    moved(browser, "optician", "teacher")
    by_hand = TREE.replace("optician: {}, ", "").replace(
        "music teacher: {}", "music teacher: {}, optician: {}"
    )
    plan = (folder / "people.plan.yaml").read_text().splitlines(keepends=True)
    kept = [
        line for line in plan if not line.startswith(("  age", "  likes", "  word", "  nonsense", "  street"))
    ]
    text = "".join([*kept, "others: drop\nmethod: {name: datafly}\n"])
    for name in ("people.csv", "job_hierarchy.yaml"):
        shutil.copy(folder / name, tmp_path)
    (tmp_path / "by_hand.yaml").write_text(by_hand)
    (tmp_path / "edited.plan.yaml").write_text(text)
    (tmp_path / "by_hand.plan.yaml").write_text(text.replace("job_hierarchy.yaml", "by_hand.yaml"))
    for name in ("edited", "by_hand"):
        plan_of_it = Plan.load(tmp_path / f"{name}.plan.yaml")
        om.anonymize(tmp_path / "people.csv", plan_of_it).write(tmp_path / f"{name}.csv")
    edited = (tmp_path / "edited.csv").read_bytes()
    assert edited == (tmp_path / "by_hand.csv").read_bytes()
    assert b"teacher" in edited


def test_the_last_edits_can_be_undone_and_no_more_is_remembered(browser: Browser, session: Session) -> None:
    for n in range(12):
        assert moved(browser, "optician", ["teacher", "trainer"][n % 2]).status == 303
    assert session.work is not None
    trees = Trees.of(session.work)
    assert len(trees.before["job"]) == 10
    assert len(trees._known["job"]) == 4
    undone = [browser.post("/hierarchies/undo", {"column": "job"}).status for _ in range(11)]
    assert undone == [303] * 10 + [422]
