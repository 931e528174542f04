"""The step Words without a browser: what is open, what a decision writes, undo, and coming back."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

import ontomask as om
from hostile.running import command_here
from ontomask.errors import OntomaskError
from ontomask.linking import read_mapping
from ontomask.plan import Plan
from ontomask.progress import Progress
from ontomask.web import work as works
from ontomask.web.app import application
from ontomask.web.page import short_name
from ontomask.web.session import Session
from ontomask.web.words_shown import address
from ontomask.web.working import Failure
from web.asking import ADDRESS, Answer, Browser

CANARY = "<script>alert(1)</script>"
TABLE = "job,diagnosis\n" + "".join(
    f"{job},{diagnosis}\n" * n
    for job, diagnosis, n in [
        *(("nurse", "stroke", 2), ("coach", "violin", 2), ("operator", "qqqq", 1), ("designer", "gout", 3)),
        *(("nurse", "asthma", 2), ("teacher", "flu", 2)),
    ]
)
PLAN = """\
attributes:  # kept: a comment
  job: {role: quasi-identifier, ontology: wordnet}
  diagnosis: {role: quasi-identifier, ontology: wordnet}
privacy: {k: 4}
unmapped: root
seed: 1
"""
FLAT = "diagnosis: {role: quasi-identifier, ontology: flat}"


class AtOnce:
    """A task that is done where it is begun: how processes are begun and ended is tested elsewhere."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.progress, self.is_over, self.is_cancelled = Progress("done", 1.0), True, False
        self.result, self.failure = None, None
        try:
            self.result = function(*arguments, lambda progress: None)
        except OntomaskError as error:
            self.failure = Failure(type(error).__name__, error.faults)

    def cancel(self) -> None:
        pass

    def wait(self) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(works, "Task", AtOnce)
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "people.plan.yaml").write_text(PLAN)
    yield tmp_path


def opened(folder: Path) -> Browser:
    return Browser(application(Session(folder, folder / "people.csv"), ADDRESS))


def decide(browser: Browser, value: str, concept: str, column: str = "job") -> Answer:
    form = {"column": column, "value": short_name(value), "concept": concept}
    return browser.post("/words/decide", form)


def accept(browser: Browser, column: str, score: str) -> str:
    """What the page tells before it is done."""
    page = shown(browser, f"/words?column={column}&accept={score}")
    form = re.search(r'<form method="post" action="/words/accept">.*?</form>', page)
    assert form, page
    sent = dict(re.findall(r'name="(\w+)" value="(.*?)"', form[0]))
    assert browser.post("/words/accept", sent).status == 303
    return page


def shown(browser: Browser, path: str = "/words") -> str:
    answer = browser.get(path)
    assert answer.status == 200, answer.text
    return " ".join(unescape(answer.text).split())


def value_of(page: str) -> str:
    return re.search(r'<h2 id="value"[^>]*>(.*?)</h2>', page)[1]  # type: ignore[index]


def counted(page: str) -> int:
    """What stands beside the step."""
    found = re.search(r'2 Words <span class="count">([\d,]+) to decide', page)
    return int(found[1].replace(",", "")) if found else 0


def warned(folder: Path) -> int:
    """How many values a release is said to be in doubt about."""
    release = om.anonymize(folder / "people.csv", folder / "people.plan.yaml")
    notes = " ".join(one.text for one in om.warnings_of(release))
    found = re.findall(
        r"([\d,]+) (?:of [\d,]+ )?values?,? in [\d,]+ rows?,? ha(?:ve|s) (?:no|a) concept", notes
    )
    return sum(int(n.replace(",", "")) for n in found)


def written(folder: Path) -> bytes:
    with contextlib.chdir(folder):
        words = ["anonymize", "people.csv", "--plan", "people.plan.yaml", "-o", "out.csv", "-q"]
        done = command_here(words)
    assert done.code == 0, done.err
    return (folder / "out.csv").read_bytes()


def test_most_rows_first_and_what_is_counted_is_what_a_release_warns_of(folder: Path) -> None:
    browser = opened(folder)
    page = shown(browser)
    assert value_of(page) == "designer"
    listed = re.findall(r'<span class="value">(.*?)</span>', page)
    assert listed == ["designer", "coach", "operator", "nurse", "teacher"]
    assert counted(page) == counted(shown(browser, "/release")) == warned(folder) == 5
    assert "a person who specializes in interior design" in page
    (row,) = re.findall(r'<li><a [^>]*><span class="value">coach.*?</li>', page)
    assert "a person who gives private instruction" in row, "it has other senses"
    assert "Decisions will be kept in <code>job_mapping.csv</code>" in page
    assert "Nothing is released while" not in shown(browser, "/words?column=diagnosis")


def test_words_without_a_meaning_count_as_themselves_or_are_no_answer(folder: Path) -> None:
    plan = folder / "people.plan.yaml"
    plan.write_text(PLAN.replace("unmapped: root", "unmapped: error"))
    browser = opened(folder)
    page = shown(browser, address("job", "operator"))
    assert "Words without a meaning" not in page
    of_it = {"column": short_name("diagnosis"), "value": short_name("qqqq")}
    page = shown(browser, f"/words?{'&'.join(f'{key}={name}' for key, name in of_it.items())}")
    before = counted(page)
    assert "Nothing is released while it has none" in page
    browser.post("/words/unknown", of_it)
    assert Plan.load(plan).unmapped == "own-leaf"
    page = shown(browser, address("diagnosis", "qqqq"))
    assert counted(page) == before - 1, "a release does not warn of it any more"
    release = om.anonymize(folder / "people.csv", plan)
    assert "column 'diagnosis': 1 value in 1 row has no concept and became a concept of its own" in " ".join(
        release.notes
    )
    assert len([one for one in om.warnings_of(release) if "doubtful words: diagnosis" in one.name]) == 1
    browser.post("/words/no_answer", of_it)
    assert Plan.load(plan).attributes["diagnosis"].na_values == ("", "NA", "?", "qqqq")
    assert "qqqq" not in shown(browser, "/words?column=diagnosis")


def test_values_that_count_as_one_are_told(folder: Path) -> None:
    rows = [*["hip fracture"] * 5, *["wrist fracture"] * 4, *["asthma"] * 4]
    (folder / "people.csv").write_text("\n".join(["job,diagnosis", *(f"nurse,{one}" for one in rows), ""]))
    browser = opened(folder)
    page = shown(browser, address("diagnosis", "hip fracture"))
    assert "Counts as one value with wrist fracture" in page
    assert "the release says “fracture” where “hip fracture” stands now" in page
    release = om.anonymize(folder / "people.csv", folder / "people.plan.yaml")
    assert {*release.to_arrow()["diagnosis"].to_pylist()} == {"fracture", "asthma"}
    assert "Counts as one" not in shown(browser, address("diagnosis", "asthma"))


def test_a_decision_gives_the_bytes_of_a_mapping_by_hand(folder: Path, tmp_path_factory: Any) -> None:
    before = written(folder)
    browser = opened(folder)
    answer = decide(browser, "designer", "nurse.n.01")
    assert answer.status == 303
    page = shown(browser, answer.headers["location"])
    assert value_of(page) == "coach" and "“designer” means “nurse” (one skilled in caring" in page
    assert "Decisions are kept in <code>job_mapping.csv</code>, which the plan names" in page
    assert (folder / "people.plan.yaml").read_text() == PLAN.replace(
        "job: {role: quasi-identifier, ontology: wordnet}",
        "job: {role: quasi-identifier, ontology: wordnet, mapping: job_mapping.csv}",
    )
    assert read_mapping(folder / "job_mapping.csv") == {"designer": "nurse.n.01"}
    assert counted(page) == 4
    assert counted(shown(browser, "/release")) == warned(folder) == 3, "it told linking more of another one"
    by_hand = tmp_path_factory.mktemp("hand")
    shutil.copy(folder / "people.csv", by_hand)
    shutil.copy(folder / "people.plan.yaml", by_hand)
    (by_hand / "job_mapping.csv").write_text("value,concept\ndesigner,nurse.n.01\n")
    assert written(folder) == written(by_hand) != before


def test_the_next_open_value_follows_in_the_list(folder: Path) -> None:
    browser = opened(folder)
    for value, following in [("coach", "operator"), ("operator", "designer"), ("nurse", "nurse")]:
        answer = decide(browser, value, "nurse.n.01")
        assert answer.headers["location"] == address("job", following)
    answer = decide(browser, "designer", "nurse.n.01")
    page = shown(browser, answer.headers["location"])
    assert value_of(page) == "job: nothing is left to decide" and "Go on with diagnosis" in page


def test_nothing_is_linked_between_two_decisions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, begin, begun = opened(folder), AtOnce.__init__, []
    shown(browser)

    def recorded(self: AtOnce, function: Callable[..., Any], *arguments: Any) -> None:
        begun.append(function.__name__)
        begin(self, function, *arguments)

    monkeypatch.setattr(AtOnce, "__init__", recorded)
    for value in ("designer", "coach"):
        shown(browser, decide(browser, value, "nurse.n.01").headers["location"])
    assert "found_words" not in begun
    shown(browser, "/release")
    assert begun.count("found_words") == 1


def test_only_what_is_masked_has_to_be_decided(folder: Path) -> None:
    plan = PLAN.replace("diagnosis: {role: quasi-identifier", "diagnosis: {role: confidential")
    (folder / "people.plan.yaml").write_text(plan)
    browser = opened(folder)
    assert counted(shown(browser)) == warned(folder) == 3
    page = shown(browser, "/words?column=diagnosis")
    assert value_of(page) == "diagnosis: nothing has to be decided" and "is released as it is" in page
    assert 'class="open"' not in page and "doubtful," not in page and "Look at" not in page


def test_what_a_column_is_counts_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = opened(folder)
    assert counted(shown(browser)) == 5
    plan = folder / "people.plan.yaml"
    plan.write_text(PLAN.replace("diagnosis: {role: quasi-identifier", "diagnosis: {role: confidential"))
    assert counted(shown(browser)) == counted(shown(browser, "/release")) == 3
    place = f"/words?column=diagnosis&value={short_name('violin')}"
    page = shown(browser, place)
    assert "It means" in page and "Leave for later" not in page and "doubtful" not in page.split("<h2")[1]
    assert decide(browser, "violin", "asthma.n.01", "diagnosis").headers["location"] == address(
        "diagnosis", "violin"
    )
    plan.write_text(PLAN)
    assert counted(shown(browser, "/release")) == 5, "the plan names no mapping any more"
    monkeypatch.setattr(AtOnce, "__init__", never_over)
    plan.write_text(PLAN.replace("diagnosis: {role: quasi-identifier, ontology: wordnet}", FLAT))
    assert counted(shown(browser, "/release")) == 3, "before the others are linked anew"


def never_over(self: AtOnce, function: Callable[..., Any], *arguments: Any) -> None:
    self.progress, self.is_over, self.is_cancelled = Progress("linking", 0.5), False, False
    self.result, self.failure = None, None


def test_what_was_decided_is_decided_for_who_comes_back(folder: Path) -> None:
    decide(opened(folder), "designer", "architect.n.01")
    again = opened(folder)
    assert counted(shown(again)) == 4
    assert value_of(shown(again)) == "coach"
    page = shown(again, f"/words?column=job&value={short_name('designer')}")
    assert "3 rows · decided" in page and 'value="architect.n.01" data-key="1" aria-pressed="true"' in page
    assert 'value="interior_designer.n.01"' in page, "what else the word means"
    assert decide(again, "designer", "couturier.n.01").status == 303, "and can be changed"
    assert read_mapping(folder / "job_mapping.csv") == {"designer": "couturier.n.01"}


def test_undo_goes_back_step_by_step_to_the_byte(folder: Path) -> None:
    mapping, plan = folder / "job_mapping.csv", folder / "people.plan.yaml"
    mapping.write_text("value;concept;note\nDESIGNER;couturier.n.01;mine\nwelder;welder.n.01;ours\n")
    plan.write_text(PLAN.replace("job: {", "job: {mapping: job_mapping.csv, "))
    before = mapping.read_bytes()
    browser = opened(folder)
    assert counted(shown(browser)) == 4
    decide(browser, "designer", "architect.n.01")
    decide(browser, "coach", "coach.n.02")
    assert mapping.read_text().splitlines()[1:] == [
        *("designer;architect.n.01;", "welder;welder.n.01;ours", "coach;coach.n.02;")
    ]
    accept(browser, "diagnosis", "0")
    shown(browser, "/release")  # meanwhile all is linked anew
    for column, value in [("diagnosis", "violin"), ("job", "coach"), ("job", "designer")]:
        location = browser.post("/words/undo", {"column": "job"}).headers["location"]
        assert location == address(column, value)
    assert mapping.read_bytes() == before
    assert counted(shown(browser, "/release")) == warned(folder) == 4
    browser.post("/words/undo", {"column": "job"})
    assert "There is nothing to undo" in shown(browser)


def test_what_is_skipped_stays_open_and_comes_last(folder: Path) -> None:
    browser = opened(folder)
    answer = browser.post("/words/skip", {"column": "job", "value": short_name("designer")})
    page = shown(browser, answer.headers["location"])
    assert value_of(page) == "coach" and counted(page) == 5
    listed = re.findall(r'<span class="value">(.*?)</span>', page)
    assert listed == ["coach", "operator", "designer", "nurse", "teacher"]
    assert "2 values that are" in page, "of three; what was left for later is not accepted with others"
    accept(browser, "job", "0")
    assert set(read_mapping(folder / "job_mapping.csv")) == {"coach", "operator"}
    assert value_of(shown(browser, "/words?column=job")) == "designer"


def test_so_many_are_accepted_as_was_said(folder: Path) -> None:
    browser = opened(folder)
    offers = re.findall(r'<option value="([\d.]+)"[^>]*>([\d,]+) values?', shown(browser))
    assert offers
    for score, n in offers:
        page = accept(browser, "job", score)
        assert f"Accept {'it' if n == '1' else f'all {n}'}<" in page
        assert len(read_mapping(folder / "job_mapping.csv")) == int(n)
        browser.post("/words/undo", {"column": "job"})
    assert browser.post("/words/accept", {"column": "job", "score": "much"}).status == 422
    assert browser.get("/words?column=job&accept=much").status == 422


def test_nothing_is_accepted_unseen(folder: Path) -> None:
    browser = opened(folder)
    page = shown(browser, "/words?column=job&accept=0")
    listed = re.search(r'<ul class="accepted">(.*?)</ul>', page)
    assert listed and len(re.findall("<li>", listed[1])) == 3
    assert ">designer</a>" in listed[1] and "a person who specializes in interior design" in listed[1]
    sures = [int(n) for n in re.findall(r"(\d+) % sure", listed[1])]
    assert sures == sorted(sures), "the least sure first"
    decide(browser, "designer", "architect.n.01")  # in a second tab
    answer = browser.post("/words/accept", {"column": "job", "score": "0", "n": "3"})
    assert "Something was changed elsewhere" in shown(browser, answer.headers["location"])
    assert set(read_mapping(folder / "job_mapping.csv")) == {"designer"}


def test_any_meaning_can_be_searched_for(folder: Path) -> None:
    browser = opened(folder)
    place = f"/words?column=diagnosis&value={short_name('qqqq')}"
    assert "No meaning was found" in shown(browser, place)
    assert 'value="asthma.n.01" data-key="1"' in shown(browser, f"{place}&search=asthma")
    assert "Nothing is called “zzqqvvxx”. Try" in shown(browser, f"{place}&search=zzqqvvxx")
    page = shown(browser, f"{place}&search=zzqqvvxx+attack")
    assert "Nothing is called “zzqqvvxx attack”." in page and "What its words mean" in page
    assert 'value="attack.n.01" data-key="1"' in page and "Spelt like it" not in page
    page = shown(browser, f"{place}&search=astjma")
    assert "Spelt like it" in page and 'value="asthma.n.01" data-key="1"' in page
    shown(browser, f"{place}&search=x.n.{'9' * 5000}&page={'9' * 5000}")
    assert decide(browser, "qqqq", "asthma.n.01", "diagnosis").status == 303
    assert decide(browser, "qqqq", "no.such.n.01", "diagnosis").status == 422
    assert decide(browser, "never", "asthma.n.01", "diagnosis").status == 422
    assert decide(browser, "qqqq", "asthma.n.01", "no column").status == 422
    assert read_mapping(folder / "diagnosis_mapping.csv") == {"qqqq": "asthma.n.01"}


def test_one_file_for_two_columns_keeps_the_decisions_of_both(folder: Path) -> None:
    plan = PLAN.replace("wordnet}", "wordnet, mapping: both.csv}")
    (folder / "people.plan.yaml").write_text(plan)
    (folder / "both.csv").write_text("value,concept\nwelder,welder.n.01\n")
    browser = opened(folder)
    decide(browser, "designer", "architect.n.01")
    decide(browser, "qqqq", "asthma.n.01", "diagnosis")
    decide(browser, "coach", "coach.n.02")
    assert list(read_mapping(folder / "both.csv")) == ["welder", "designer", "qqqq", "coach"]
    assert (folder / "people.plan.yaml").read_text() == plan
    assert counted(shown(browser, "/release")) == warned(folder) == 2


def test_line_breaks_survive_a_form(folder: Path) -> None:
    column, value = "Job\nof the year", "de-\nsigner"
    (folder / "people.csv").write_text(f'"{column}"\n' + f'"{value}"\nnurse\n' * 3)
    (folder / "people.plan.yaml").write_text(PLAN.replace("job:", '"Job\\nof the year":').split("  diag")[0])
    browser = opened(folder)
    sent = re.findall(r'<input type="hidden" name="(\w+)" value="(.*?)">', browser.get("/words").text)
    as_browsers_do = {name: text.replace("\n", "\r\n") for name, text in sent}
    answer = browser.post("/words/decide", as_browsers_do | {"concept": "architect.n.01"})
    assert answer.status == 303, answer.text
    (mapping,) = folder.glob("*_mapping.csv")
    assert mapping.name == "Job_of_the_year_mapping.csv"
    assert read_mapping(mapping) == {value: "architect.n.01"}
    assert Plan.load(folder / "people.plan.yaml").attributes[column].mapping == mapping.name
    assert browser.post("/words/undo", as_browsers_do).headers["location"] == address(column, value)


@pytest.mark.skipif(os.name != "posix", reason="other rights")
def test_a_mapping_is_for_those_who_may_read_the_table(folder: Path) -> None:
    (folder / "people.csv").chmod(0o440)
    mapping = folder / "job_mapping.csv"
    browser = opened(folder)
    decide(browser, "designer", "architect.n.01")
    assert mapping.stat().st_mode & 0o777 == 0o640
    mapping.chmod(0o604)
    shown(browser)
    decide(browser, "coach", "coach.n.02")
    assert len(read_mapping(mapping)) == 2 and mapping.stat().st_mode & 0o777 == 0o604


def test_what_changed_elsewhere_is_looked_at_again(folder: Path) -> None:
    browser = opened(folder)
    decide(browser, "designer", "architect.n.01")
    (folder / "job_mapping.csv").write_text("value,concept\ncoach,coach.n.02\n")
    page = shown(browser)
    assert value_of(page) == "designer" and counted(page) == 4
    assert " disabled>Undo" in page, "the steps were of another file"
    decide(browser, "designer", "architect.n.01")
    assert set(read_mapping(folder / "job_mapping.csv")) == {"coach", "designer"}


def test_a_full_disk_decides_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = opened(folder)
    write = Path.write_bytes

    def full(self: Path, content: bytes) -> int:
        if self.name == "people.plan.yaml":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, content)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        answer = decide(browser, "designer", "architect.n.01")
    assert answer.status == 422 and "No space left" in answer.text
    assert not (folder / "job_mapping.csv").exists()
    page = shown(browser)
    assert counted(page) == 5 and value_of(page) == "designer"
    assert " disabled>Undo" in page


def test_a_column_that_cannot_be_linked_does_not_stop_the_others(folder: Path) -> None:
    (folder / "people.plan.yaml").write_text(
        PLAN.replace(
            "diagnosis: {role: quasi-identifier, ontology: wordnet",
            "diagnosis: {role: quasi-identifier, ontology: none.obo",
        )
    )
    browser = opened(folder)
    assert "no ontology" in shown(browser, "/words?column=diagnosis")
    assert value_of(shown(browser, "/words?column=job")) == "designer"
    (folder / "people.plan.yaml").write_text(PLAN.replace("job: {", "job: {mapping: none.csv, "))
    assert "no mapping file" in shown(browser, "/words?column=job")


def test_several_answers_are_taken_apart(folder: Path) -> None:
    (folder / "people.csv").write_text("job\n" + "chess; golf\ngolf\ngolf; hiking\n" * 3)
    (folder / "people.plan.yaml").write_text(
        "attributes:\n  job: {role: quasi-identifier, ontology: wordnet}\nprivacy: {k: 2}\nunmapped: root\n"
    )
    browser = opened(folder)
    page = shown(browser)
    assert "2 values seem to be several answers" in page
    assert counted(page) == warned(folder) == 3
    browser.post("/words/several", {"column": "job"})
    page = shown(browser)
    assert Plan.load(folder / "people.plan.yaml").attributes["job"].several == ";"
    assert "seem to be" not in page and counted(page) == warned(folder)
    assert {"chess", "golf", "hiking"} == set(re.findall(r'<span class="value">(.*?)</span>', page))


def test_nothing_of_the_table_is_run_as_script(folder: Path) -> None:
    (folder / "people.csv").write_text(f'"{CANARY}"\n"{CANARY}"\n"{CANARY}"\nnurse\n')
    (folder / "people.plan.yaml").write_text(
        f"attributes:\n  '{CANARY}': {{role: quasi-identifier, ontology: wordnet}}\nprivacy: {{k: 2}}\n"
    )
    browser = opened(folder)
    for path in ("/words", f"/words?search={CANARY}&filter={CANARY}"):
        answer = browser.get(path)
        assert CANARY not in answer.text and "&lt;script&gt;" in answer.text
    assert "Nothing is released while it has none" in browser.get("/words").text
    assert decide(browser, CANARY, "nurse.n.01", CANARY).status == 303
    (file,) = folder.glob("*_mapping.csv")
    assert read_mapping(file) == {CANARY: "nurse.n.01"}
    assert Plan.load(folder / "people.plan.yaml").attributes[CANARY].mapping == file.name
    assert CANARY not in browser.get("/words").text


def test_without_words_there_is_nothing_to_decide(folder: Path) -> None:
    (folder / "people.plan.yaml").write_text("attributes:\n  job: {role: undecided, ontology: wordnet}\n")
    page = shown(opened(folder))
    assert "nothing to decide here" in page and "1 column is undecided" in page
