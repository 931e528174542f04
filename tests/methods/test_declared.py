"""A method declares itself: one class and one line in the register, and everything else knows it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.arrays import Int64
from ontomask.attributes import Points, Space
from ontomask.cli import main
from ontomask.errors import PlanError
from ontomask.measures.base import Measure
from ontomask.methods import METHODS, Microaggregation
from ontomask.methods.base import Entries, Task, with_centroids
from ontomask.methods.mdav import MdavLcs
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.sa_mdav import SaMdav
from ontomask.options import option, options_of
from ontomask.pipeline import prepare, released
from ontomask.plan.reference import with_tables
from ontomask.report import render_report

ROOT = Path(__file__).parent.parent.parent
PEOPLE = "name,hobby,age\n" + "".join(
    f"P{i},{hobby},{20 + 3 * i}\n" for i, hobby in enumerate(["chess", "golf", "chess", "go", "golf", "go"])
)


@dataclass(frozen=True)
class Runs(Microaggregation):
    """Tuples in their order, cut into runs of enough records."""

    name: ClassVar[str] = "runs"
    words: ClassVar[str] = "People were lined up and cut into runs of {k} (runs)."
    longer: int = option(0, "records more than k in each run", least=0)
    start: Literal["first", "last"] = option("first", "which end the line begins at")

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        counts = space.counts if self.start == "first" else space.counts[::-1]
        run = (np.cumsum(counts) - counts) // (k + self.longer)
        last = max(int(counts.sum()) // (k + self.longer) - 1, 0)
        groups = np.unique(np.minimum(run, last), return_inverse=True)[1].astype(np.int32)
        entries = Entries.whole(groups if self.start == "first" else groups[::-1], space.counts)
        return with_centroids(space, entries, int(groups.max()) + 1)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setitem(METHODS, Runs.name, Runs)
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    yield tmp_path


ATTRIBUTES = {
    "name": {"role": "identifier"},
    "hobby": {"role": "quasi-identifier"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
}


def ontomask(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_a_new_method_works_in_plan_and_report(runs: Path) -> None:
    plan = om.Plan.from_dict(
        {"attributes": ATTRIBUTES, "privacy": {"k": 2}, "method": {"name": "runs", "longer": 1}}
    )
    assert plan.method.own == Runs(longer=1)
    assert om.Plan.from_yaml(plan.to_yaml()) == plan
    release = om.anonymize("people.csv", plan)
    assert release.figures["smallest_class"] == 3
    assert "People were lined up and cut into runs of 2 (runs)." in render_report(release)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("{name: rns}", "method.name: must be sa-mdav, .* or runs, not 'rns'; did you mean 'runs'"),
        ("{name: runs, longr: 1}", "method.longr: unknown key; did you mean 'longer'"),
        ("{name: runs, longer: -1}", "method.longer: must be 0 or more, not -1"),
        ("{name: runs, start: lst}", "method.start: must be first or last, not 'lst'; did you mean 'last'"),
        ("{longer: 1}", "method.longer: an option of runs, not of sa-mdav; remove it or change the method"),
    ],
)
def test_faults_of_a_new_method_have_lines(runs: Path, method: str, message: str) -> None:
    with pytest.raises(PlanError, match=rf"^plan.yaml, line 2: {message}"):
        om.Plan.from_yaml(f"seed: 1\nmethod: {method}", name="plan.yaml")


def test_a_new_method_works_on_the_command_line(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ("--identifier", "name", "--qi", "hobby", "--qi", "age:numeric", "-k", "2")
    asked = (*columns, "--method", "runs", "--set", "method.longer=1")
    assert ontomask(monkeypatch, "anonymize", "people.csv", *asked, "-o", "r.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["figures"]["smallest_class"] == 3
    settings = json.loads(Path("r.manifest.json").read_text())["plan"]["settings"]["method"]
    assert settings == {"name": "runs", "measure": "logsc", "blank": False, "longer": 1, "start": "first"}


def test_a_new_method_works_in_a_comparison(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("plan.yaml").write_text(om.Plan.from_dict({"attributes": ATTRIBUTES}).to_yaml())
    asked = ("--plan", "plan.yaml", "--methods", "runs,sa-mdav", "-k", "2", "--set", "privacy.k=2")
    assert ontomask(monkeypatch, "compare", "people.csv", *asked, "-o", "compared") == 0
    found = json.loads(Path("compared/figures.json").read_text())
    assert [row["method"] for row in found] == ["runs", "sa-mdav"]
    assert all(row["k_reached"] >= 2 for row in found)


def test_the_reference_page_is_current() -> None:
    page = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    assert with_tables(page) == page, "run `python -m ontomask.plan.reference docs/reference/plan.md`"
    for kind in METHODS.values():
        assert all(one.words in page for one in options_of(kind).values())


def test_a_new_method_is_on_the_reference_page(runs: Path) -> None:
    page = with_tables("<!-- table: methods -->\n<!-- end -->\n")
    line = "| `longer` | `runs` | whole number, 0 or more | 0 | records more than k in each run |"
    assert line in page.splitlines()


def test_every_method_says_what_it_does() -> None:
    for kind in METHODS.values():
        assert "7" in kind().in_words(7) or not kind.has_groups
    assert "left out" in METHODS["suppression"]().in_words(3)
    marginality: Any = METHODS["marginality-mdav"]
    for more in ({}, {"replacement": "synthetic"}):
        told = marginality(classic=True, **more).in_words(3)
        assert "words being equal or not" in told and "meaning" not in told and "3" in told
    assert "most frequent word" in marginality(classic=True).in_words(3)
    blanked: Any = METHODS["suppression"]
    assert "were blanked" in blanked(blank=True).in_words(3)


def test_the_report_says_by_what_was_masked_and_by_what_is_judged() -> None:
    for asked, said in (
        ({"classic": True}, "The method masked by whether two values are equal, without meaning; losses"),
        ({}, "Distances in meaning count "),
    ):
        plan = om.Plan.from_options(["pet:wordnet"], k=2, method="marginality-mdav").replace(method=asked)
        page = render_report(om.anonymize(pa.table({"pet": ["dog", "cat", "oak", "rose"]}), plan))
        assert said in page and ("Distances in meaning count" in page) == (not asked)


def test_distances_are_not_weighted_unless_asked() -> None:
    assert (SaMdav().weighted, Recoding().weighted, Resampling().weighted) == (False, False, False)
    assert om.Plan.from_options(["age:numeric"], weighted=True).method.own == SaMdav(weighted=True)


# ---------------------------------------------------------------------- the measure a method insists on


TREE = "thing:\n  animal: {dog: [puppy], cat: [kitten]}\n  plant: [oak]\n"


@pytest.mark.parametrize("method", [MdavLcs(), Resampling(setting="wup-mode"), Resampling(setting="wup-lcs")])
@pytest.mark.parametrize("convention", ["ws4j", "nltk"])
def test_a_method_that_insists_on_wup_takes_the_convention_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Any, convention: str
) -> None:
    (tmp_path / "tree.yaml").write_text(TREE)
    (tmp_path / "pets.csv").write_text("pet\ndog\npuppy\ncat\nkitten\noak\n")
    options = {one: getattr(method, one) for one in options_of(type(method))}
    plan = om.Plan.from_dict(
        {
            "attributes": {"pet": {"role": "quasi-identifier", "ontology": "tree.yaml"}},
            "privacy": {"k": 2},
            "method": {"name": method.name, "convention": convention} | options,
        },
        folder=tmp_path,
    )
    prepared = prepare(tmp_path / "pets.csv", plan)
    used: list[Measure] = []
    masking = type(method).masking

    def watched(self: Any, task: Any) -> Any:
        used.extend(attribute.measure for attribute in task.attributes)
        return masking(self, task)

    monkeypatch.setattr(type(method), "masking", watched)
    released(prepared, plan)
    assert used == [om.measure("wup", convention=convention)]
    assert prepared.attributes[0].measure == om.measure("logsc")  # type: ignore[union-attr]


def test_a_convention_that_nothing_uses_is_refused() -> None:
    for method in ("name: sa-mdav", "name: mdav-equality", "name: resampling, setting: equality-mode"):
        with pytest.raises(PlanError, match=r"method\.convention: an option of path, lch, wup, not of logsc"):
            om.Plan.from_yaml(f"method: {{{method}, convention: ws4j}}")
