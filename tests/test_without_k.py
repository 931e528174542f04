"""Methods that give no k: what may be asked of them, and that every release says it."""

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.cli import main
from ontomask.errors import OntomaskError, PlanError
from ontomask.methods import METHODS, Masking, Method, Task
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.task import Entries
from ontomask.report import render_report
from ontomask.report.comparison import Comparison

PEOPLE = pa.table({"age": [31, 33, 48, 52, 60, 61], "job": ["a", "b", "a", "c", "c", "c"]})
COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "job": {"role": "confidential"},
}


@dataclass(frozen=True)
class Untouched(Method):
    """Everybody keeps their values."""

    name: ClassVar[str] = "untouched"
    words: ClassVar[str] = "Nothing was done."
    has_centroids: ClassVar[bool] = False
    has_groups: ClassVar[bool] = False

    @property
    def gives_k(self) -> bool:
        return False

    def masking(self, task: Task) -> Masking:
        own = np.stack([a.own[task.tuples.codes[:, j]] for j, a in enumerate(task.attributes)], axis=1)
        whole = Entries.whole(np.arange(len(task.tuples)), task.tuples.counts)
        return Masking.of(whole, own.astype(np.int32), task.attributes)


@dataclass(frozen=True)
class GroupsForNothing(SaMdav):
    """It forms groups, and then everybody keeps their values."""

    name: ClassVar[str] = "groups-for-nothing"

    @property
    def gives_k(self) -> bool:
        return False

    def masking(self, task: Task) -> Masking:
        assert task.k == 3, "the size of its groups"
        return replace(Untouched().masking(task))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Untouched, GroupsForNothing):
        monkeypatch.setitem(METHODS, kind.name, kind)


def shown(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def plan(method: str, **privacy: object) -> om.Plan:
    return om.Plan.from_dict({"attributes": COLUMNS, "privacy": privacy, "method": {"name": method}})


@pytest.mark.parametrize(("method", "privacy"), [("untouched", {}), ("groups-for-nothing", {"k": 3})])
def test_every_release_says_that_it_is_not_k_anonymous(
    method: str, privacy: dict[str, int], tmp_path: Path
) -> None:
    asked = plan(method, **privacy)
    said = f"no k-anonymity, as {method} gives none"
    assert said in repr(asked) and "k =" not in repr(asked)
    assert om.Plan.from_yaml(asked.to_yaml()) == asked
    release = om.anonymize(PEOPLE, asked)
    assert release.manifest["plan"]["settings"]["privacy"] == privacy
    assert release.figures["k_reached"] == 1
    for name in ("k_asked", "average_class_size", "records_below_k", "records_below_k_before"):
        assert release.figures[name] is None, name
    assert not any(name.startswith("reached") for name in release.figures)
    assert said in repr(release) and "classes of" not in repr(release)
    assert "k_asked" not in release._repr_html_()
    size = ": k = 3 is only the size of its groups" if privacy else ""
    assert f"{said}{size}" in release.notes
    worst, *_ = om.warnings_of(release)
    assert worst.is_serious and worst.text.startswith(f"The release has {said}: the smallest group")
    assert "6 people of 6 have a combination of released values to themselves" in worst.text
    assert not any("although" in one.text for one in om.warnings_of(release)), "nothing holds"
    release.write(tmp_path / "release.csv")
    manifest = json.loads((tmp_path / "release.manifest.json").read_text())
    assert manifest["k_anonymous"] is False and manifest["promised"] == said
    assert 'class="status no"' in render_report(release, warnings=[]), "whatever else is to be told"
    page = shown(render_report(release))
    assert f"✗ {said}" in page and "✓" not in page
    assert "No, the method gives no k-anonymity" in page
    assert "else nothing would have been released" not in page and "Since every group" not in page
    assert "central to its group" not in page


def test_the_command_says_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n31\n33\n48\n52\n")
    given = ["anonymize", "people.csv", "--qi", "age:numeric", "--method", "untouched", "-o", "release.csv"]
    monkeypatch.setattr(sys, "argv", ["ontomask", *given])
    with pytest.raises(SystemExit, match="0"):
        main()
    out, err = capsys.readouterr()
    assert "1 rows (no k-anonymity, as untouched gives none)" in out and "k =" not in out
    assert "WARNING: The release has no k-anonymity" in err
    assert err.index("ontomask: no k-anonymity, as untouched gives none") < err.index("ontomask: reading")
    monkeypatch.setattr(sys, "argv", ["ontomask", *given, "--json"])
    with pytest.raises(SystemExit, match="0"):
        main()
    told = json.loads(capsys.readouterr().out)
    assert told["k_anonymous"] is False and told["promised"] == "no k-anonymity, as untouched gives none"
    Path("plan.yaml").write_text(
        "attributes: {age: {role: quasi-identifier, kind: numeric}}\nmethod: {name: untouched}\n"
    )
    judged = ["evaluate", "people.csv", "release.csv", "--plan", "plan.yaml"]
    monkeypatch.setattr(sys, "argv", ["ontomask", *judged])
    with pytest.raises(SystemExit, match="0"):
        main()
    out, err = capsys.readouterr()
    assert "note: no k-anonymity, as untouched gives none" in err and "average class size" not in out
    methods = [
        "--methods",
        "sa-mdav,groups-for-nothing,untouched",
        "--k",
        "3",
        "--set",
        "privacy.k=3",
        "-o",
        "compared",
    ]
    Path("plan.yaml").write_text("attributes: {age: {role: quasi-identifier, kind: numeric}}\n")
    monkeypatch.setattr(sys, "argv", ["ontomask", "compare", "people.csv", "--plan", "plan.yaml", *methods])
    with pytest.raises(SystemExit, match="0"):
        main()
    out, err = capsys.readouterr()
    rows = [" ".join(line.split()[:5]) for line in out.splitlines()]
    assert rows[1].startswith("sa-mdav 3 4") and rows[2] == "groups-for-nothing none, groups of 3"
    assert rows[3].startswith("untouched none 1")
    assert "note: untouched gives no k-anonymity" in err and "note: sa-mdav" not in err
    monkeypatch.setattr(sys, "argv", ["ontomask", *given[:-1], "other.csv", "--save-scheme", "scheme.json"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "no scheme for another table" in capsys.readouterr().err
    assert {path.name for path in Path().glob("[os]*")} == set()


def test_what_it_cannot_promise_is_not_asked_of_it(tmp_path: Path) -> None:
    for asked in ({"l": {"job": 2}}, {"lkc": {"L": 1, "K": 2}}, {"suppress": "2%"}, {"unit": "job"}):
        (key,) = asked
        with pytest.raises(PlanError, match=f"{key}: no k-anonymity, as groups-for-nothing gives none"):
            plan("groups-for-nothing", k=3, **asked)
    with pytest.raises(PlanError, match="k: no k-anonymity, as untouched gives none, and forms no groups"):
        plan("untouched", k=3)
    text = "attributes:\n  age: {role: quasi-identifier, kind: numeric}\nmethod: {name: untouched}\n"
    with pytest.raises(PlanError, match="line 4: privacy: k: no k-anonymity"):
        om.Plan.from_yaml(f"{text}privacy: {{k: 3}}\n", name="plan.yaml")
    with pytest.raises(PlanError, match="line 4: release: truthful: untouched"):
        om.Plan.from_yaml(f"{text}release: truthful\n", name="plan.yaml")
    with pytest.raises(PlanError, match="l: no k-anonymity"):
        plan("sa-mdav", l={"job": 2}).with_method("groups-for-nothing")
    with pytest.raises(OntomaskError, match="no scheme for another table"):
        om.anonymize(PEOPLE, plan("untouched")).scheme  # noqa: B018


def test_all_that_it_does_not_take_is_told_at_once() -> None:
    asked = plan("sa-mdav", k=3).replace(method={"weighted": True, "centroid": "median"}, release="truthful")
    with pytest.raises(PlanError) as refused:
        asked.with_options(settings=["method.name=untouched"])
    told = str(refused.value)
    for key in ("method.weighted", "method.centroid", "privacy: k", "release: truthful"):
        assert key in told
    with pytest.raises(PlanError, match=r"method.name: ") as refused:
        asked.with_options(settings=["method.name=untuched"])
    assert "privacy" not in str(refused.value), "nobody knows what it gives"
    drawn = {"replacement": "synthetic", "blank": True}
    with pytest.raises(PlanError, match=r"method\.blank: nobody is left out"):
        plan("marginality-mdav", k=3).replace(method=drawn)


def test_what_only_figures_count_by_is_told() -> None:
    asked = plan("marginality-mdav", k=3)
    plain, other = om.anonymize(PEOPLE, asked), om.anonymize(PEOPLE, asked.replace(method={"scale": "range"}))
    assert plain.to_arrow().equals(other.to_arrow())
    said = "scale of the method: marginality-mdav does not mask by it, figures count by it"
    assert said in other.notes and said not in plain.notes
    limited = asked.replace(method={"scale": "range"}, attributes={"age": {"max_loss": 0.9}})
    assert said not in om.anonymize(PEOPLE, limited).notes, "the limit is in its unit"


def test_a_comparison_asks_nothing_of_it_and_says_so() -> None:
    asked = plan("sa-mdav", k=3, l={"job": 2}).replace(attributes={"age": {"release": "truthful"}})
    found = om.compare(PEOPLE, asked, ["sa-mdav", "groups-for-nothing", "untouched"], [3])
    assert [(row["method"], row["gives_k"]) for row in found.rows] == [
        ("sa-mdav", True),
        ("groups-for-nothing", False),
        ("untouched", False),
    ]
    assert [row["k_reached"] for row in found.rows][1:] == [1, 1]
    assert [(row["k"], row["k_asked"]) for row in found.rows] == [(3, 3), (3, None), (None, None)]
    page = shown(render_report(found.release, comparison=found.rows))
    assert "untouched none " in page and "groups-for-nothing none, groups of 3 " in page
    assert "untouched no k: risk" in page and "k = 1" not in page
    assert "Not k-anonymous: untouched, which gives none, whatever k is." in page
    assert "Not k-anonymous: sa-mdav" not in page
    heard: list[str] = []
    both = ["untouched", "sa-mdav"]
    found = om.compare(
        PEOPLE, plan("sa-mdav", k=3), both, [2, 3], progress=lambda now: heard.append(now.phase)
    )
    assert [row["method"] for row in found.rows] == ["untouched", "sa-mdav", "sa-mdav"]
    assert heard == ["reading", "linking", "untouched", "sa-mdav, k = 2", "sa-mdav, k = 3"]


def test_curves_over_k_have_a_level_line_for_it() -> None:
    found = om.compare(PEOPLE, plan("sa-mdav", k=3), ["sa-mdav", "untouched"], [2, 3])
    drawn = dict(Comparison(found.rows, plan("sa-mdav", k=3)).curves())["Information loss over k"]
    assert "untouched: no k 0" in drawn and "sa-mdav: k 2 " in drawn
    alone = om.compare(PEOPLE, plan("sa-mdav", k=3), ["untouched"], [2, 3])
    assert Comparison(alone.rows, plan("untouched")).curves() == []


def test_what_is_said_is_true_without_groups() -> None:
    """No word of a smaller k, of what fits a group or what a group has, where values were drawn."""
    rng = np.random.default_rng(3)
    ages = rng.permutation(200)
    table = pa.table({"age": ages, "pay": [None if i % 3 else i for i in range(200)]})
    masked = {name: {"role": "quasi-identifier", "kind": "numeric"} for name in ("age", "pay")}
    swapped = om.anonymize(table, {"attributes": masked, "method": {"name": "rank-swapping", "percent": 100}})
    (told,) = [one.text for one in om.warnings_of(swapped) if one.text.startswith("Column “age”")]
    assert "are with others" in told and "smaller k" not in told and "gone" not in told
    method = {"name": "marginality-mdav", "replacement": "synthetic"}
    drawn = om.anonymize(table, {"attributes": masked, "privacy": {"k": 60}, "method": method})
    assert any("missing values were given one that was drawn" in note for note in drawn.notes)
    assert any("values became missing, as was drawn" in note for note in drawn.notes)
    assert not any("group's" in note for note in drawn.notes)
    page = shown(render_report(drawn))
    assert "A released value fits its group" not in page and "drawn at random" in page


def test_words_that_became_far_more_frequent_are_told() -> None:
    words = ["dog"] * 400 + ["oak"] * 400 + ["wolf"] * 4
    asked = om.Plan.from_options(["pet:wordnet"], method="noise", amount=0.5)
    release = om.anonymize(pa.table({"pet": words}), asked)
    after = Counter(release.to_arrow()["pet"].to_pylist())
    far = [word for word, n in Counter(words).items() if max(n, after[word]) >= 3 * min(n, after[word])]
    assert far == ["wolf"]
    said = "column 'pet': the rows of 1 of 3 values became three times as many, or a third"
    assert any(note.startswith(said) for note in release.notes)
    swapped = om.anonymize(pa.table({"pet": words}), asked.with_method("rank-swapping"))
    assert not any("times as many" in note for note in swapped.notes)


def test_a_release_with_k_says_that(tmp_path: Path) -> None:
    release = om.anonymize(PEOPLE, plan("sa-mdav", k=3))
    assert release.manifest["k_anonymous"] is True and release.manifest["promised"] == "k = 3"
    assert om.anonymize(PEOPLE, plan("sa-mdav", k=1)).manifest["k_anonymous"] is False
