"""Step Protection without a browser: what it asks, what it writes, and that nothing rare is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

import ontomask as om
from ontomask.assessment.comparison import plan_for, why_not
from ontomask.assessment.exposure import exposure
from ontomask.errors import PlanError
from ontomask.methods import METHODS
from ontomask.plan import Plan
from ontomask.plan.editing import keys_removed, with_key
from ontomask.report import render_report, words
from ontomask.report.choices import Choice, choices, own_choice
from ontomask.web import trying
from ontomask.web.app import application
from ontomask.web.session import Session
from ontomask.web.trying import COMPARED, OWN, RISK
from ontomask.web.work import Work
from web.asking import ADDRESS, Answer, Browser, kill

TOWNS = ("Ayr", "Bath", "Cork", "Down")
ROWS = [(20 + i * i % 41, TOWNS[i * i % 7 % 4], ("flu", "gout", "none")[i % 3], i) for i in range(90)]
PLAN = """\
# Kept: a comment.
attributes:
  age: {role: quasi-identifier, kind: numeric}  # of the person
  town: {role: quasi-identifier, ontology: flat}
  illness: {role: confidential}
  note: {role: other}
privacy: {k: 5}  # people
method: {name: sa-mdav, weighted: true}
unmapped: own-leaf
"""
ASKED = [("method", "sa-mdav"), ("method", "suppression"), ("method", "noise"), ("k", "3, 5,60")]


def write(folder: Path, plan: str = PLAN) -> Path:
    table = folder / "people.csv"
    rows = "".join(f"{age},{town},{illness},{note}\n" for age, town, illness, note in ROWS)
    table.write_text("age,town,illness,note\n" + rows)
    (folder / "people.plan.yaml").write_text(plan)
    return table


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("protection")
    found = Session(folder, write(folder))
    yield found
    found.end()


@pytest.fixture
def work(session: Session) -> Work:
    assert session.work is not None
    session.work.plan_file.write_text(PLAN)
    session.work.look.wait()
    return session.work


@pytest.fixture
def browser(session: Session, work: Work) -> Browser:
    return Browser(application(session, ADDRESS))


class Cancelled:
    """In the place of what takes long, where a test does not need it."""

    result, failure, is_over, is_cancelled, has_failed = None, None, True, True, True


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "_begun", lambda *_: Cancelled())


def form_of(answer: Answer, action: str = "/protection/require") -> dict[str, str]:
    """What a browser would send from a form as it is."""
    text = answer.text.partition(f'action="{action}"')[2].partition("</form>")[0]
    sent = {}
    for field in re.findall(r"<input [^>]*>", text):
        name = re.search(r' name="([^"]*)"', field)
        value = re.search(r' value="([^"]*)"', field)
        if name and ("checkbox" not in field or " checked" in field):
            sent[unescape(name[1])] = unescape(value[1]) if value else "on"
    for name, options in re.findall(r'<select[^>]* name="([^"]*)".*?>(.*?)</select>', text, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        sent[unescape(name)] = unescape(chosen[1]) if chosen else ""
    return sent


def results(browser: Browser, work: Work) -> list[Choice]:
    """What the usual comparison of this file found, asked for once."""
    browser.get("/protection")
    if COMPARED not in work.jobs:
        assert browser.post("/protection/compare", ASKED).status == 303
    work.jobs[COMPARED].wait()
    return list(work.jobs[COMPARED].result)


def test_risk_is_told_as_it_is_and_as_the_plan_leaves_it(browser: Browser, work: Work) -> None:
    first = browser.get("/protection").text
    assert "being counted" in first
    for name in (RISK, OWN):
        work.jobs[name].wait()
    shown = browser.get("/protection").text
    risk = exposure(work.table, work.plan_file)
    release = om.anonymize(work.table, Plan.load(work.plan_file))
    assert f"{risk.alone} of {risk.people} rows" in shown
    assert risk.alone_share == pytest.approx(release.figures["sample_uniques_before"])
    assert risk.smallest == release.figures["k_before"]
    assert work.jobs[OWN].result.row["information_loss"] == release.figures["information_loss"]
    assert work.jobs[OWN].result.row["linkage_before"] == pytest.approx(risk.found_share)
    assert "Loss by column" in shown


@pytest.mark.usefixtures("idle")
def test_what_is_saved_unchanged_is_the_plan_to_the_byte(browser: Browser, work: Work) -> None:
    for plan in (
        PLAN,
        PLAN.replace("{k: 5}", "{k: 5, l: {illness: {entropy: 1.5}}, t: {illness: 0.5}, suppress: 2%}"),
        PLAN.replace("{k: 5}", "{k: 3, lkc: {L: 1, K: 3}, unit: note, beta: {illness: {enhanced: 2}}}"),
        PLAN.replace("numeric}", "numeric, keep: true, max_loss: 0.25}"),
    ):
        work.write_plan(plan)
        assert browser.post("/protection/require", form_of(browser.get("/protection"))).status == 303
        assert work.plan_file.read_text() == plan


@pytest.mark.usefixtures("idle")
def test_what_must_hold_is_written_and_comments_stay(browser: Browser, work: Work) -> None:
    form = form_of(browser.get("/protection"))
    form |= {"k|": "7", "l||2": "2", "t||2": "0.5", "t||2|way": "equal", "suppress": "2%"}
    assert browser.post("/protection/require", form | {"keep|1": "on", "max_loss|0": "3"}).status == 303
    written = work.plan_file.read_text()
    asked = Plan.from_yaml(written)
    assert dict(asked.privacy.settings) == {
        "k": 7,
        "l": {"illness": 2},
        "t": {"illness": {"equal": 0.5}},
        "suppress": "2%",
    }
    assert asked.attributes["town"].keep
    assert asked.attributes["age"].max_loss == 3
    for comment in ("# Kept: a comment.", "# of the person", "# people"):
        assert comment in written
    form = form_of(browser.get("/protection")) | {
        "l||2": "",
        "t||2": "",
        "suppress": "",
        "k|": "5",
    }
    form |= {"keep|1": "", "max_loss|0": ""}
    assert browser.post("/protection/require", form).status == 303
    assert Plan.load(work.plan_file) == Plan.from_yaml(PLAN)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"k|": "none"}, "must be a whole number, not &#39;none&#39;"),
        ({"k|": "0"}, "must be 1 or more"),
        ({"l||2": "two"}, "l must be a number 1 or more, not &#39;two&#39;"),
        ({"t||2": "0.2", "t||2|way": "semantic"}, "is semantic only with an ontology"),
        ({"lkc|L": "2"}, "must be an L, a K and perhaps a C"),
        ({"suppress": "lots"}, "lots"),
        ({"max_loss|0": "-1"}, "-1"),
    ],
)
def test_a_fault_is_told_at_its_field(browser: Browser, work: Work, typed: dict[str, str], said: str) -> None:
    answer = browser.post("/protection/require", form_of(browser.get("/protection")) | typed)
    assert answer.status == 422
    assert said in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert "What you typed is still here" in answer.text
    sent = form_of(answer)
    assert all(sent[name] == value for name, value in typed.items())
    assert work.plan_file.read_text() == PLAN


@pytest.mark.usefixtures("idle")
def test_only_the_wrong_field_is_marked_and_has_the_focus(browser: Browser, work: Work) -> None:
    work.write_plan(PLAN.replace("note: {role: other}", "note: {role: confidential}"))
    typed = {"l||2": "2", "l||3": "two", "max_loss|1": "-1"}
    shown = browser.post("/protection/require", form_of(browser.get("/protection")) | typed).text
    wrong = [field for field in re.findall(r"<input [^>]*>", shown) if 'aria-invalid="true"' in field]
    assert [re.search(r' name="([^"]*)"', field)[1] for field in wrong] == ["l||3", "max_loss|1"]  # type: ignore[index]
    assert ["autofocus" in field for field in wrong] == [True, False]
    assert shown.count("autofocus") == 1
    assert "note: l must be a number 1 or more, not &#39;two&#39;" in shown
    assert "town: must be above 0, not -1" in shown


def test_what_else_is_required_and_what_one_is_warned_of_are_told_before_a_choice(work: Work) -> None:
    plan = Plan.from_yaml(PLAN.replace("{k: 5}", "{k: 5, l: {illness: 3}}"))
    two, three = choices(work.table, plan, ["sa-mdav"], [2, 3])
    assert (two.larger, three.larger) == (("l", 3), None)
    assert two.row["information_loss"] == three.row["information_loss"]
    far = own_choice(work.table, plan_for(plan, "sa-mdav", 90))
    release = om.anonymize(work.table, plan_for(plan, "sa-mdav", 90))
    known = {one.name for one in om.warnings_of(release) if one.level != "note"}
    assert known and known <= {one.name for one in far.warnings}
    lost = {one.name: one.lost for one in far.columns}
    assert lost["town"] == pytest.approx(min(release.figures["information_loss.town"], 100))
    assert far.columns[0].moved < lost["age"]


def test_who_also_knows_what_is_confidential_is_told_before_a_choice(work: Work) -> None:
    plan = Plan.from_yaml(PLAN)
    alone = Counter((age, town, illness) for age, town, illness, _ in ROWS)
    n_before = sum(n == 1 for n in alone.values())
    rows = om.anonymize(work.table, plan).to_arrow().drop_columns(["note"]).to_pylist()
    n_after = sum(n == 1 for n in Counter(tuple(row.values()) for row in rows).values())
    assert 0 < n_after < n_before
    told = (words.percent(100 * n_before / 90), words.percent(100 * n_after / 90))
    assert ("Rows alone, if illness is known too", *told) in own_choice(work.table, plan).beside()


def test_what_would_be_written_is_told_as_far_as_enough_rows_have_it(browser: Browser, work: Work) -> None:
    plan = work.plan().plan
    assert plan is not None
    release = om.anonymize(work.table, plan)
    written = {one.name: one for one in own_choice(work.table, plan).written}
    assert [*written] == ["age", "town"]
    assert (written["age"].before, written["town"].before) == (21, 3)
    for name, one in written.items():
        values = Counter(map(str, release.to_arrow()[name].to_pylist()))
        assert one.after == len(values)
        assert [n for _, n in one.frequent] == sorted(values.values(), reverse=True)[:5]
        assert all(values[text] == n for text, n in one.frequent)
    noise = own_choice(work.table, plan_for(plan, "noise", 5)).written[0]
    assert noise.after > 5 and all(n >= 5 for _, n in noise.frequent), "nothing that fewer rows have is told"
    browser.get("/protection")
    work.jobs[OWN].wait()
    text, n = written["town"].frequent[0]
    assert f'{text} <span class="muted">{n}</span>' in browser.get("/protection").text


@pytest.mark.usefixtures("idle")
def test_a_usual_k_is_taken_with_all_that_was_typed(browser: Browser, work: Work) -> None:
    page = browser.get("/protection")
    assert re.findall(r'<button name="k\|" value="(\d+)" aria-pressed="true"', page.text) == ["5"]
    typed = [*(form_of(page) | {"suppress": "3%", "k|": "7"}).items(), ("k|", "10")]
    assert browser.post("/protection/require", typed).headers["location"] == "/protection?saved"
    privacy = Plan.load(work.plan_file).privacy
    assert (privacy.k, privacy.settings["suppress"]) == (10, "3%")


def plan_text(work: Work) -> str:
    return work.plan_file.read_text()


@pytest.mark.usefixtures("idle")
def test_what_the_study_is_about_loses_less(browser: Browser, work: Work) -> None:
    form = form_of(browser.get("/protection"))
    weights = {key: value for key, value in form.items() if key.startswith("weight|")}
    assert set(weights.values()) == {"1"} and "nothing is said" in browser.get("/protection").text
    browser.post("/protection/require", form | {"weight|0": "4"})
    assert "age: {role: quasi-identifier, kind: numeric, weight: 4}  # of the person" in plan_text(work)
    plan = Plan.load(work.plan_file)
    less, before = (om.anonymize(work.table, one).figures for one in (plan, Plan.from_yaml(PLAN)))
    assert less["semantic_loss.age"] < before["semantic_loss.age"]
    work.write_plan(PLAN.replace("ontology: flat", "ontology: flat, weight: 2.5"))
    shown = browser.get("/protection").text
    assert '<option value="2.5" selected>2.5 times</option>' in shown
    browser.post("/protection/require", form_of(browser.get("/protection")))
    assert Plan.load(work.plan_file).attributes["town"].weight == 2.5, "what was not touched stays"
    browser.post("/protection/require", form_of(browser.get("/protection")) | {"weight|1": "1"})
    assert "weight:" not in plan_text(work)


def test_who_chooses_is_told_what_who_signs_is_told(browser: Browser, work: Work) -> None:
    plan = PLAN.replace("ontology: flat", "ontology: flat, release: truthful")
    work.write_plan(plan)
    browser.get("/protection")
    work.jobs[OWN].wait()
    shown = unescape(browser.get("/protection").text)
    told = [
        "Values of town stand at different levels, so single values cannot be counted.",
        "Whoever also knows “illness” of a person finds the row of",
    ]
    report = render_report(om.anonymize(work.table, Plan.from_yaml(plan)))
    assert all(text in shown and text in unescape(report) for text in told)


@pytest.mark.usefixtures("idle")
def test_what_has_no_field_stays(browser: Browser, work: Work) -> None:
    plan = PLAN.replace("{k: 5}", "{k: 5, l: {illness: {recursive: {c: 9, l: 2}}}}")
    work.write_plan(plan)
    shown = browser.get("/protection")
    assert "which stays" in shown.text
    assert browser.post("/protection/require", form_of(shown) | {"k|": "6"}).status == 303
    assert work.plan_file.read_text() == plan.replace("k: 5", "k: 6")


ODD = """\
attributes:
  "Date\\nof birth": {role: quasi-identifier, kind: numeric, max_loss: 3, keep: false}
  "kind  of\\nillness": {role: confidential}
privacy: {k: 5, l: {"kind  of\\nillness": 2}, unit: "person  id"}
others: drop
"""


def sent_by_a_browser(form: dict[str, str]) -> dict[str, str]:
    """What a form becomes on its way: line ends of names and values are those of the network."""
    return {re.sub(r"\r?\n", "\r\n", name): re.sub(r"\r?\n", "\r\n", x) for name, x in form.items()}


@pytest.mark.usefixtures("idle")
def test_names_with_line_ends_and_a_unit_that_has_no_role_lose_nothing(tmp_path: Path) -> None:
    table = tmp_path / "odd.csv"
    table.write_text('"Date\nof birth","kind  of\nillness","person  id",more\n20,flu,1,x\n30,flu,2,x\n')
    plan_file = tmp_path / "odd.plan.yaml"
    plan_file.write_text(ODD)
    session = Session(tmp_path, table)
    assert session.work is not None
    session.work.look.wait()
    browser = Browser(application(session, ADDRESS))
    form = form_of(browser.get("/protection"))
    assert all(name.isprintable() for name in form)
    assert browser.post("/protection/require", sent_by_a_browser(form)).status == 303
    assert plan_file.read_text() == ODD
    for few in ({"digest": form["digest"]}, {"digest": form["digest"], "k|": "5"}):
        assert browser.post("/protection/require", few).status == 303
        assert plan_file.read_text() == ODD, "what is not sent is left"
    typed = form | {"max_loss|0": "4", "keep|0": "on", "l||1": "3", "unit": "3"}
    assert browser.post("/protection/require", sent_by_a_browser(typed)).status == 303
    changed = ODD.replace("max_loss: 3, keep: false", "max_loss: 4, keep: true").replace(": 2}", ": 3}")
    assert plan_file.read_text() == changed.replace('"person  id"', "more")
    session.end()


@pytest.mark.usefixtures("idle")
def test_the_only_key_of_a_section_can_be_cleared(browser: Browser, work: Work) -> None:
    work.write_plan(PLAN.replace("privacy: {k: 5}  # people", "privacy:\n  unit: note  # people"))
    form = form_of(browser.get("/protection"))
    assert form["unit"] == "3"
    assert browser.post("/protection/require", form | {"k|": "", "unit": ""}).status == 303
    assert work.plan_file.read_text() == PLAN.replace("{k: 5}", "{}")


@pytest.mark.usefixtures("idle")
def test_what_cannot_be_edited_keeps_what_was_typed(browser: Browser, work: Work) -> None:
    plan = PLAN.replace("age: {", "age: &it {").replace("{role: quasi-identifier, ontology: flat}", "*it")
    work.write_plan(plan)
    answer = browser.post("/protection/require", form_of(browser.get("/protection")) | {"max_loss|0": "8"})
    assert answer.status == 422
    assert "cannot be changed here" in answer.text
    assert form_of(answer)["max_loss|0"] == "8"
    assert work.plan_file.read_text() == plan


@pytest.mark.usefixtures("idle")
def test_a_plan_that_was_changed_elsewhere_is_not_written_over(browser: Browser, work: Work) -> None:
    form = form_of(browser.get("/protection"))
    work.write_plan(PLAN.replace("k: 5", "k: 9"))
    answer = browser.post("/protection/require", form | {"k|": "4"})
    assert answer.status == 422
    assert "changed elsewhere" in answer.text
    assert form_of(answer)["k|"] == "4"
    assert "k: 9" in work.plan_file.read_text()


@pytest.mark.parametrize("privacy", ["{k: 3, l: {illness: 2}, lkc: {L: 1, K: 9}}", "{lkc: {L: 1, K: 9}}"])
def test_the_plan_is_tried_as_it_is(work: Work, privacy: str) -> None:
    plan = Plan.from_yaml(PLAN.replace("{k: 5}", privacy))
    tried = own_choice(work.table, plan)
    assert tried.digest == plan.digest
    assert tried.row["information_loss"] == om.anonymize(work.table, plan).figures["information_loss"]
    assert len(tried.asked) == len(plan.privacy.requirements) - ("k" in plan.privacy.settings)


def test_methods_are_compared_and_chosen(browser: Browser, work: Work) -> None:
    found = results(browser, work)
    told = [(one.method, one.k, bool(one.row)) for one in found]
    assert told[:3] == [("sa-mdav", 3, True), ("sa-mdav", 5, True), ("sa-mdav", 60, True)]
    assert told[-2:] == [("suppression", 60, False), ("noise", None, True)]
    shown = browser.get("/protection").text
    assert "would release no row" in shown, "suppression at k = 60"
    assert 'aria-label="Chosen: sa-mdav, k = 5"' in shown
    assert "A release made like this would come with" in shown
    assert shown.index("Chosen: sa-mdav, k = 5") < shown.index('id="others"') < shown.index("Choose: noise")
    assert "ontomask compare people.csv --plan people.plan.yaml --methods sa-mdav,suppression,noise" in shown

    want = next(one for one in found if (one.method, one.k) == ("sa-mdav", 3))
    assert (
        browser.post("/protection/choose", {"at": want.digest[:12]}).headers["location"].startswith("/prot")
    )
    assert work.plan_file.read_text() == PLAN.replace("k: 5", "k: 3")
    release = om.anonymize(work.table, Plan.load(work.plan_file))
    assert release.figures["information_loss"] == want.row["information_loss"]
    assert 'aria-label="Chosen: sa-mdav, k = 3"' in browser.get("/protection").text

    noise = next(one for one in found if one.method == "noise")
    assert re.findall(r'class="goes">([^<]*)<', browser.get("/protection").text) == [
        "It gives no k-anonymity: k goes from the plan."
    ]
    assert browser.post("/protection/choose", {"at": noise.digest[:12]}).status == 303
    assert Plan.load(work.plan_file).method.name == "noise"
    assert "makes no promise" in browser.get("/protection").text
    first = next(one for one in found if (one.method, one.k) == ("sa-mdav", 5))
    assert browser.post("/protection/choose", {"at": first.digest[:12]}).status == 303
    assert Plan.load(work.plan_file) == Plan.from_yaml(PLAN), "its options are back"


@pytest.mark.usefixtures("idle")
def test_a_method_can_be_used_that_nobody_compared(browser: Browser, work: Work) -> None:
    assert browser.post("/protection/method", {"name": "recoding"}).status == 303
    plan = Plan.load(work.plan_file)
    assert (plan.method.name, plan.privacy.k) == ("recoding", 5)
    assert "# Kept: a comment." in work.plan_file.read_text()
    assert re.search(r"<option selected>recoding<", browser.get("/protection").text)
    assert browser.post("/protection/method", {"name": "nonsense"}).status == 422
    assert Plan.load(work.plan_file) == plan


def test_a_method_takes_nothing_from_a_plan_but_what_it_refuses() -> None:
    asked = "{k: 5, l: {illness: 2}, unit: note, suppress: 2%}"
    plan = Plan.from_yaml(PLAN.replace("{k: 5}", asked) + "release: truthful\n")
    plan = plan.replace(attributes={"age": {"release": "truthful"}, "town": {"release": "central"}})
    for name, kind in METHODS.items():
        if why_not(plan, name):
            continue
        for size in (3, 9):
            after = plan_for(plan, name, size)
            gone = keys_removed(plan.as_dict(only_given=True), after.as_dict(only_given=True))
            gone = [path for path in gone if path[0] != "method"]
            if kind().gives_k:
                assert {*gone} <= {("privacy", "suppress"), ("attributes", "town", "release")}, name
            for path in gone:
                said = plan.as_dict()
                for key in path:
                    said = said[key]
                with pytest.raises(PlanError):
                    Plan.from_yaml(with_key(after.to_yaml(), path, said))


def test_nothing_rarer_than_k_is_told_unless_internal(browser: Browser, work: Work) -> None:
    found = results(browser, work)
    one = next(one for one in found if (one.method, one.k) == ("sa-mdav", 5))
    plan = plan_for(Plan.load(work.plan_file), "sa-mdav", 5)
    after = om.anonymize(work.table, plan).to_arrow().to_pydict()
    pairs = [
        ((str(age), str(after["age"][i])), (town, after["town"][i])) for i, (age, town, *_) in enumerate(ROWS)
    ]
    shown = _samples(browser.get(f"/protection?at={one.digest[:12]}").text)
    assert shown
    for row in shown:
        n = sum(all(cell in (None, own) for cell, own in zip(row, of, strict=True)) for of in pairs)
        assert n >= 5
    every = _samples(browser.get(f"/protection?at={one.digest[:12]}&internal=on").text)
    assert len(every) == 10
    assert all(row in pairs for row in every)


def test_results_stay_as_long_as_only_method_and_k_change(browser: Browser, work: Work) -> None:
    found = results(browser, work)
    work.write_plan(PLAN.replace("k: 5", "k: 8"))
    assert "Methods compared" in browser.get("/protection").text
    look = browser.get(f"/protection?at={found[0].digest[:12]}").text
    assert "A look at sa-mdav, k = 3" in look
    refused = next(one for one in found if not one.row)
    for digest in ("0" * 12, refused.digest[:12]):
        assert browser.post("/protection/choose", {"at": digest}).status == 422
    work.write_plan(PLAN.replace("town: {role: quasi-identifier", "town: {role: other"))
    assert browser.post("/protection/choose", {"at": found[0].digest[:12]}).status == 422
    changed = browser.get("/protection").text
    assert "Methods compared" not in changed
    assert "changed since methods were compared" in changed


def _samples(text: str) -> list[tuple[tuple[str, str] | None, ...]]:
    """The cells of the rows on the page, before and after."""
    table = text.partition('<table class="samples')[2].partition("</table>")[0].partition("<tbody>")[2]
    rows = []
    for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL):
        cells = list[tuple[str, str] | None]()
        for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL):
            cell = re.sub(r' ?<span class="was">\w*</span> ?', "", cell)
            change = re.fullmatch(r"<del>(.*)</del><ins>(.*)</ins>", cell)
            cells.append(None if "hidden" in cell else (change[1], change[2]) if change else (cell, cell))
        rows.append(tuple(cells))
    return rows


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([("k", "5")], "no method is chosen"),
        ([("method", "sa-mdav"), ("k", "five")], "&#39;five&#39; is not a list of k"),
        ([("method", "sa-mdav"), ("k", "0")], "must be 1 or more"),
    ],
)
def test_what_cannot_be_compared_is_told(
    browser: Browser, work: Work, asked: list[tuple[str, str]], said: str
) -> None:
    answer = browser.post("/protection/compare", asked)
    assert answer.status == 422
    assert said in answer.text
    assert form_of(answer, "/protection/compare")["k"] == asked[-1][1]


def test_what_was_cancelled_or_killed_can_be_had_again(browser: Browser, work: Work) -> None:
    work.write_plan(PLAN.replace("k: 5", "k: 6"))
    browser.get("/protection")
    assert browser.post("/cancel", {"of": OWN}).headers["location"] == "/protection#protection"
    assert "Cancelled." in browser.get("/protection").text
    assert browser.post("/protection/again", {"of": OWN}).status == 303
    assert "being tried" in browser.get("/protection").text
    kill(work.jobs[OWN])
    work.jobs[OWN].wait()
    assert "ended from outside (signal 9)" in browser.get("/protection").text
    browser.post("/cancel", {"of": RISK})


@pytest.mark.usefixtures("idle")
def test_a_method_that_cannot_is_not_offered_and_it_is_said_why(browser: Browser, work: Work) -> None:
    work.write_plan(PLAN.replace("ontology: flat", 'ontology: wordnet, several: ";"'))
    shown = browser.get("/protection").text
    assert "incognito climbs hierarchies, and a set of words has none" in shown
    assert 'value="incognito"' not in shown
    work.write_plan(PLAN.replace("illness: {role: confidential}", "illness: {role: undecided}"))
    stopped = browser.get("/protection").text
    assert "is undecided" in stopped
    assert "Which method" not in stopped


@pytest.mark.usefixtures("idle")
def test_what_is_to_be_decided_is_counted(browser: Browser, work: Work) -> None:
    work.write_plan(PLAN.replace("privacy: {k: 5}  # people\n", ""))
    assert re.search(r"Protection <span class=\"count\">1 to decide", browser.get("/table").text)
    work.write_plan(PLAN)
    assert not re.search(r"Protection <span", browser.get("/table").text)


@pytest.mark.usefixtures("idle")
def test_names_and_values_are_text(browser: Browser, work: Work) -> None:
    canary = "<script>alert(1)</script>"
    work.write_plan(f'attributes: {{"{canary}": {{role: confidential}}, age: {{role: quasi-identifier}}}}\n')
    answer = browser.post("/protection/require", form_of(browser.get("/protection")) | {"k|": canary})
    assert "<script>alert" not in answer.text + browser.get("/protection").text
