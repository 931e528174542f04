"""The examples of `docs/how-to/extend.md`: each becomes a module, joins its register, and is used.

Nothing of the package is touched but the registers, so whatever a user reaches then is reached by one line.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import cli
from ontomask.errors import InternalError
from ontomask.evaluation import FAMILIES
from ontomask.measures import MEASURES
from ontomask.methods import METHODS
from ontomask.ontology.formats import FORMATS
from ontomask.plan import reference
from ontomask.privacy import REQUIREMENTS, Classes, Confidential
from ontomask.tables import TableOptions, open_table
from ontomask.tables.register import ENGINES, Engine
from pages import ROOT, fences
from report.html_of import Html

PAGE = ROOT / "docs" / "how-to" / "extend.md"
SOURCES = {fence.module: fence for fence in fences(PAGE) if fence.module}
TREE = Path(__file__).parent / "golden" / "conditions.yaml"
PEOPLE = """\
name,condition,age,stay
Ana,colic,20,short
Bo,lumbago,31,long
Cleo,migraine,42,short
Dag,gastritis,50,long
Eva,appendicitis,61,short
Finn,gastritis,72,long
"""

Install = Callable[[str], ModuleType]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """An example as the module that it would be in `src/ontomask`."""

    def installed(path: str) -> ModuleType:
        fence = SOURCES[path]
        name = "ontomask." + path.removesuffix(".py").replace("/", ".")
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        where = f"{PAGE.name}, line {fence.line}"
        exec(compile(fence.text, where, "exec"), module.__dict__)
        return module

    return installed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / ".cache"))
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def plan_of(**sections: Any) -> om.Plan:
    return om.Plan.from_dict(
        {
            "attributes": {
                "name": {"role": "identifier"},
                "condition": {"role": "quasi-identifier", "ontology": str(TREE)},
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "stay": {"role": "confidential"},
            },
            "privacy": {"k": 3},
            **sections,
        }
    )


def line_of(register: str) -> str:
    """The line that the page says to add to a register."""
    found = re.search(rf"The line in `{register}` is [^:]*: `([^`]+)`", PAGE.read_text(encoding="utf-8"))
    assert found
    return found[1].rstrip(",")


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return stopped.value.code or 0


def test_every_example_is_used() -> None:
    """One for each register of the table; those below are all that there are."""
    rooms = {path.rpartition("/")[0] for path in SOURCES}
    assert rooms == {"measures", "ontology/formats", "methods", "privacy", "evaluation", "tables"}
    text = Path(__file__).read_text(encoding="utf-8")
    assert [path for path in SOURCES if f'install("{path}")' not in text] == []


# ---------------------------------------------------------------------- a measure


def test_a_measure(install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES, "jaccard", install("measures/jaccard.py").Jaccard)
    tree = om.load_ontology(TREE)
    # lumbago and migraine: 2 of {lumbago, migraine, ache, pain, symptom} are not above both
    assert tree.distance("lumbago", "migraine", measure="jaccard") == pytest.approx(2 / 5, abs=2**-29)
    assert tree.similarity("lumbago", "gastritis", measure="jaccard") == pytest.approx(1 / 6, abs=2**-29)
    assert tree.distance("colic", "colic", measure="jaccard") == 0
    plan = plan_of(method={"measure": "jaccard"})
    release = om.anonymize("people.csv", plan)
    assert release.figures["k_reached"] >= 3
    assert release.figures["semantic_loss"] == om.evaluate("people.csv", release.table, plan)["semantic_loss"]
    om.write_report("report.html", release)
    assert (
        "the share of their superconcepts that two concepts do not share" in Path("report.html").read_text()
    )
    with pytest.raises(om.OntomaskError, match="did you mean 'jaccard'"):
        plan_of(method={"measure": "jacard"})


# ---------------------------------------------------------------------- an ontology format


def test_a_format(install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("ontology/formats/outline.py")
    name, words = next(iter(eval(f"{{{line_of('FORMATS')}}}").items()))
    monkeypatch.setitem(FORMATS, name, words)
    Path("tree.outline").write_text("symptom\n\tpain\n\t\tcolic = gripe\n\t\tache\n\tinflammation\n")
    tree = om.load_ontology("tree.outline")
    assert repr(tree) == "<Ontology tree: 5 concepts, 6 terms>"
    assert tree.distance("gripe", "colic") == 0
    ache, colic = (int(tree.concepts([word])[0]) for word in ("ache", "colic"))
    assert tree.labels[int(tree.lcs([ache], [colic])[0])] == "pain"
    Path("words.csv").write_text("word\ngripe\nache\ncolic\nache\n")
    release = om.anonymize("words.csv", om.Plan.from_options(["word:tree.outline"], k=2))
    assert sorted(release.to_arrow()["word"].to_pylist()) == ["ache", "ache", "colic", "colic"]
    Path("bad.outline").write_text("symptom\n\t\tpain\n")
    with pytest.raises(om.OntomaskError, match=r"bad.outline, line 2: 'pain' has no parent; remove a tab"):
        om.load_ontology("bad.outline")
    Path("odd.file").write_text("?")
    with pytest.raises(om.OntomaskError, match=r"outline \(.outline\)"):
        om.load_ontology("odd.file")


# ---------------------------------------------------------------------- a method


def test_a_method(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(METHODS, "sorted-runs", install("methods/sorted_runs.py").SortedRuns)
    numbers = pa.table({"age": [1, 2, 3, 4, 5, 9]})
    plan = om.Plan.from_options(["age:numeric"], k=2, method="sorted-runs")
    # 9 is the most unusual; then 5, 4, 3, 2, 1 by their distance to it
    assert om.anonymize(numbers, plan).to_arrow()["age"].to_pylist() == [2, 2, 4, 4, 7, 7]
    assert plan.replace(method={"times": 2}).method.times == 2
    twice = om.anonymize(numbers, plan.replace(method={"times": 2}))
    assert twice.to_arrow()["age"].to_pylist() == [4] * 6
    with pytest.raises(om.OntomaskError, match=r"plan.yaml, line 1: method.times: must be 1 or more, not 0"):
        om.Plan.from_yaml("method: {name: sorted-runs, times: 0}", name="plan.yaml")

    Path("plan.yaml").write_text(plan_of().to_yaml())
    given = ["people.csv", "--plan", "plan.yaml", "--method", "sorted-runs"]
    asked = ["-o", "release.csv", "--report", "report.html", "--json"]
    code = run("anonymize", *given, "--set", "method.times=2", *asked, monkeypatch=monkeypatch)
    assert code == 0
    assert json.loads(capsys.readouterr().out)["figures"]["k_reached"] == 6
    assert "at least 3 neighbours in that order" in " ".join(Path("report.html").read_text().split())
    rows = om.compare("people.csv", plan_of(), ["sa-mdav", "sorted-runs"], [3]).rows
    assert [row["method"] for row in rows] == ["sa-mdav", "sorted-runs"]
    assert "| `times` | `sorted-runs` | whole number, 1 or more | 1 |" in reference.methods_table()


# ---------------------------------------------------------------------- a requirement


def test_a_requirement(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = install("privacy/surest.py").Surest
    monkeypatch.setitem(REQUIREMENTS, "surest", kind)
    asked = plan_of(privacy={"k": 3, "surest": {"stay": 0.7}})
    assert [str(one) for one in asked.requirements()] == ["k = 3", "stay guessed right at most 70 %"]
    release = om.anonymize("people.csv", asked)  # two of three at most share their stay
    release.write("release.csv")
    assert release.figures["reached.surest.stay"] == pytest.approx(2 / 3)
    assert json.loads(Path("release.manifest.json").read_text())["plan"]["settings"]["privacy"] == {
        "k": 3,
        "surest": {"stay": 0.7},
    }

    # all six are joined: half of them stay long
    joined = om.anonymize("people.csv", asked.replace(privacy={"surest": {"stay": 0.6}}))
    assert joined.figures["classes"] == 1
    said = "privacy.surest: stay guessed right at most 40 % cannot be had: the whole table as one class"
    with pytest.raises(om.OntomaskError, match=said):
        om.anonymize("people.csv", asked.replace(privacy={"surest": {"stay": 0.4}}))
    Path("plan.yaml").write_text(asked.to_yaml())
    given = ["people.csv", "--plan", "plan.yaml", "-o", "never.csv", "--report", "never.html"]
    assert run("anonymize", *given, "--set", "privacy.surest={stay: 0.4}", monkeypatch=monkeypatch) == 2
    assert said in capsys.readouterr().err
    assert sorted(folder.glob("*never*")) == []

    with pytest.raises(om.OntomaskError, match=r"plan, line 2: privacy.surest: must be a share above 0"):
        om.Plan.from_yaml("privacy:\n  surest: {stay: 7}\n", name="plan")
    with pytest.raises(om.OntomaskError, match="no column 'stai'; did you mean 'stay'"):
        om.anonymize("people.csv", plan_of(privacy={"surest": {"stai": 0.5}}))
    spread = Confidential.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]), np.ones(4, int))
    halves = Classes(np.array([2, 2]), {"stay": spread})
    assert kind("stay", 0.5).violations(halves).tolist() == [False, True]
    # alone it makes groups of two: with one row a guess is always right
    assert plan_of(privacy={"surest": {"stay": 0.5}}).least_size == 2


def test_a_requirement_is_counted_on_the_written_file(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens while a file is written: its needed columns are read again before it is in place."""
    kind = install("privacy/surest.py").Surest
    monkeypatch.setitem(REQUIREMENTS, "surest", kind)
    release = om.anonymize("people.csv", plan_of(privacy={"k": 3, "surest": {"stay": 0.7}}))
    judged: list[Classes] = []
    honest = kind.violations

    def watched(self: Any, classes: Classes) -> Any:
        judged.append(classes)
        return honest(self, classes)

    monkeypatch.setattr(kind, "violations", watched)
    write = type(release.data)._write

    def damaged(self: Any, path: Path, suffix: str) -> Any:
        options = write(self, path, suffix)
        path.write_text(path.read_text().replace("long", "short"))
        return options

    release.write("release.csv")
    assert [judged[0].beside["stay"].counts.sum(), judged[0].sizes.tolist()] == [6, [3, 3]]
    monkeypatch.setattr(type(release.data), "_write", damaged)
    with pytest.raises(InternalError, match="does not hold for 2 of 2 classes"):
        release.write("other.csv")
    assert np.array_equal(judged[1].beside["stay"].counts, [3, 3])
    assert sorted(folder.glob("*other*")) == []


# ---------------------------------------------------------------------- a figure


def test_a_figure(install: Install, folder: Path, request: pytest.FixtureRequest) -> None:
    family = install("evaluation/unchanged.py").UNCHANGED
    FAMILIES.append(family)
    request.addfinalizer(lambda: FAMILIES.remove(family))
    before = pa.table({"pet": ["dog", "cat", "dog", "cat"], "age": [1, 2, 3, 4]})
    after = pa.table({"pet": ["dog", "dog", "dog", "dog"], "age": [1, 2, 3, 3]})
    plan = om.Plan.from_options(["pet:wordnet", "age:numeric"], k=2)
    found = om.evaluate(before, after, plan)
    expected = {"unchanged": (50 + 75) / 2, "unchanged.pet": 50.0, "unchanged.age": 75.0}
    assert {name: found[name] for name in expected} == expected

    release = om.anonymize("people.csv", plan_of())
    assert "unchanged" not in release.figures  # not of every run
    om.write_report("report.html", release)
    shown = Html(Path("report.html").read_text())
    share = om.evaluate("people.csv", release.table, plan_of())["unchanged"]
    (row,) = [text for text in shown.texts("tr") if text.startswith("Values as they were")]
    assert f"{share:.0f}" in row and "mean over columns" in row
    assert "unchanged" in om.compare("people.csv", plan_of(), ["sa-mdav"], [3]).rows[0]


# ---------------------------------------------------------------------- an engine


def test_an_engine(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("tables/sqlite.py")
    monkeypatch.setattr("ontomask.tables.register.ENGINES", [*ENGINES, eval(line_of("ENGINES"))])
    assert eval(line_of("ENGINES")) == Engine("sqlite", (".sqlite",), holds_several=True)
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    with closing(sqlite3.connect("people.sqlite")) as database, database:
        database.execute("CREATE TABLE people (name TEXT, condition TEXT, age INTEGER, stay TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows[1:])

    table, twin = open_table("people.sqlite"), open_table("people.csv")
    assert table.names == ("name", "condition", "age", "stay") and table.n_rows == 6
    assert table.distinct("condition")[0] == twin.distinct("condition")[0]
    assert table.distinct("condition")[1].tolist() == [1, 1, 2, 1, 1]
    for one, other in zip(
        table.tuples(["stay", "age"]).codes, twin.tuples(["stay", "age"]).codes, strict=True
    ):
        assert one.tolist() == other.tolist()

    plan = plan_of()
    om.anonymize("people.csv", plan).write("twin.csv")
    release = om.anonymize("people.sqlite", plan)
    release.write("release.sqlite")
    release.write("other.csv")
    assert Path("other.csv").read_text() == Path("twin.csv").read_text()
    om.anonymize("people.csv", plan).write("from_text.sqlite")
    for written in ("release.sqlite", "from_text.sqlite"):
        with closing(sqlite3.connect(written)) as database:
            released = [tuple(map(str, row)) for row in database.execute("SELECT * FROM release")]
        assert [f"{a},{float(b):g},{c}" for a, b, c in released] == [
            f"{a},{float(b):g},{c}"
            for a, b, c in (line.split(",") for line in Path("twin.csv").read_text().splitlines()[1:])
        ]
    found = om.evaluate("people.sqlite", "release.sqlite", plan)
    assert found["k_reached"] == 3 and found["information_loss"] == release.figures["information_loss"]

    Path("plan.yaml").write_text(plan.to_yaml())
    given = ["anonymize", "people.sqlite", "--plan", "plan.yaml", "-o", "typed.sqlite"]
    assert run(*given, monkeypatch=monkeypatch) == 0
    assert Path("typed.sqlite").read_bytes() == Path("release.sqlite").read_bytes()
    with closing(sqlite3.connect("people.sqlite")) as database, database:
        database.execute("CREATE TABLE more (a TEXT)")
    with pytest.raises(om.OntomaskError, match="set which table is meant; the file has more, people"):
        open_table("people.sqlite")
    assert open_table("people.sqlite", TableOptions(table="people")).n_rows == 6
    Path("no.sqlite").write_text("not a database, though it is long enough to look like a file")
    with pytest.raises(om.OntomaskError, match=r"no.sqlite: not a readable SQLite file"):
        open_table("no.sqlite")
    with pytest.raises(om.OntomaskError, match=r"cannot be written.*\.sqlite"):
        release.write("release.doc")
