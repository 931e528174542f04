"""`ontomask hierarchy ...`, for people and for machines, from a table to an improved hierarchy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import GOLDEN
from ontomask.cli import main
from ontomask.hierarchies.formats import read_hierarchy

JOBS = """occupation:
  education: {teacher: {math teacher: {}, music teacher: {}}}
  doctor: {medical practitioner: {surgeon: {}, ophthalmologist: {}, optician: {}, optometrist: {}}}
  trainer: {animal trainer: {tamer: {}}, coach: {baseball coach: {}}}
"""
PEOPLE = ["surgeon"] * 3 + ["nurse", "dentist", "violinist", "pianist", "pianist", "carpenter", "zzwx", ""]


class Told:
    """What a command printed, and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in a folder with a table, a hierarchy and a mapping."""
    monkeypatch.chdir(tmp_path)
    Path("jobs.yaml").write_text(JOBS)
    Path("senses.csv").write_text("value,concept\neducation,education.n.04\n")
    Path("people.csv").write_text(
        "id,job,age,zip\n" + "".join(f"{i},{job},{20 + 7 * i},{12340 + i}\n" for i, job in enumerate(PEOPLE))
    )

    def told(*words: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["ontomask", "hierarchy", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        return Told(int(stop.value.code or 0), *capsys.readouterr())

    return told


FIRST = ("--senses", "first", "--mapping", "senses.csv")


# ---------------------------------------------------------------------- score


def test_score_as_published_and_explained(run: Any) -> None:
    told = run("score", "jobs.yaml", *FIRST)
    assert told.code == 0
    for said in (
        "0.4173",
        "0.1205 0.3261 0.8053",
        "by wup (ws4j)",
        "poor",
        "medical practitioner below doctor",
    ):
        assert said in told.out
    one = run("score", "jobs.yaml", *FIRST, "--json").json
    assert one["measure"] == "wup (ws4j)"
    assert round(one["hierarchies"][0]["score"], 4) == 0.4173
    fall = one["hierarchies"][0]["findings"]["falls"][0]
    assert (fall["lower"], fall["upper"]) == ("medical practitioner", "doctor")


def test_other_measures_are_ranked_but_not_put_into_words(run: Any) -> None:
    other = run("score", "jobs.yaml", *FIRST, "--measure", "lch", "--json").json
    assert other["measure"] == "lch (links)" and other["hierarchies"][0]["words"] == ""
    links = run("score", "jobs.yaml", *FIRST, "--convention", "links", "--json").json
    assert links["measure"] == "wup (links)" and links["hierarchies"][0]["words"] == ""
    most = run("score", "jobs.yaml", *FIRST, "--aggregate", "max", "--weighting", "level").out
    assert "by wup (ws4j), the worst value of each level, lower levels weighing more" in most


def test_candidates_are_ranked_and_sets_are_scored_together(run: Any) -> None:
    Path("flat.csv").write_text("surgeon;person\nnun;person\n")
    Path("better.csv").write_text("surgeon;doctor;person\nnun;nun;person\n")
    told = run("score", "flat.csv", "better.csv")
    assert told.out.index("better.csv") < told.out.index("flat.csv")
    ranks = {
        one["file"]: one["rank"]
        for one in run("score", "flat.csv", "better.csv", "--json").json["hierarchies"]
    }
    assert ranks == {"flat.csv": 2, "better.csv": 1}
    assert "different values" in run("score", "flat.csv", "jobs.yaml").err

    together = run("score", "flat.csv", "better.csv", "--set", "--preference", "flat.csv=3", "--json").json
    scores = {one["file"]: one["score"] for one in together["hierarchies"]}
    assert together["together"] == pytest.approx((3 * scores["flat.csv"] + scores["better.csv"]) / 2)
    shown = run("score", "flat.csv", "better.csv", "--set", "--preference", "flat.csv=3").out
    assert f"together {together['together']:.4f}" in shown and "x 3" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--preference", "jobs.yaml=2"), "add --set"),
        (("--set", "--preference", "other.csv=2"), "FILE=NUMBER"),
        (("--set", "--preference", "jobs.yaml=-1"), "FILE=NUMBER"),
        (("--measure", "wupp"), "does not exist"),
        (("--aggregate", "median"), "use mean or max"),
        (("--senses", "last"), "does not exist"),
        (("--mapping", "nowhere.csv"), "no mapping file"),
        (("--ontology", "nowhere.obo"), "nowhere.obo"),
    ],
)
def test_bad_words_are_told_and_end_with_2(run: Any, words: tuple[str, ...], said: str) -> None:
    told = run("score", "jobs.yaml", *words)
    assert told.code == 2 and said in told.err and "Traceback" not in told.err


def test_a_file_that_is_no_hierarchy_is_told(run: Any) -> None:
    Path("bad.csv").write_text("a;b\na;c\n")
    assert "listed twice" in run("score", "bad.csv").err
    assert run("show", "nowhere.csv").code == 2
    numbers = run("score", str(GOLDEN / "occupation_vgh.yaml"), "--ontology", str(GOLDEN / "conditions.yaml"))
    assert numbers.code == 2 and "no value of the hierarchy occupation_vgh is a concept of" in numbers.err


# ---------------------------------------------------------------------- improve


def test_improve_proposes_and_writes_what_it_promised(run: Any) -> None:
    told = run("improve", "jobs.yaml", *FIRST, "-o", "better.yaml")
    assert "call 'occupation' 'person' (person.n.01)" in told.out
    assert "swap 'medical practitioner' with 'doctor' above it" in told.out
    assert "wrote better.yaml" in told.err
    promised = run("improve", "jobs.yaml", *FIRST, "--json").json
    assert [one["kind"] for one in promised["edits"]] == ["Rename", "Rename", "Swap"]
    scored = run("score", "better.yaml", "--json").json["hierarchies"][0]["score"]
    assert scored == pytest.approx(promised["edits"][-1]["score"])
    assert len(run("improve", "jobs.yaml", *FIRST, "--edits", "1", "--json").json["edits"]) == 1
    assert "no edit was found" in run("improve", "better.yaml").out


# ---------------------------------------------------------------------- show and convert


def test_show_draws_a_tree_with_the_rows_of_a_table(run: Any) -> None:
    Path("some.csv").write_text("surgeon;doctor;*\ndentist;doctor;*\nnurse;nurse;*\n")
    Path("few.csv").write_text("job\nsurgeon\nsurgeon\nnurse\n")
    told = run(
        "show", "some.csv", "--table", "few.csv", "--column", "job", "--svg", "t.svg", "--html", "t.html"
    )
    assert told.out.splitlines() == [
        "*  3 values, 3 rows",
        "├── doctor  2 values, 2 rows",
        "│   ├── surgeon  2 rows",
        "│   └── dentist  0 rows",
        "└── nurse  1 row",
    ]
    assert Path("t.svg").read_text().startswith("<svg") and "<html" in Path("t.html").read_text()
    judged = run("show", "some.csv", "--ontology", "wordnet", "--html", "judged.html", "--depth", "0")
    assert "GSL" in judged.out and "GSL" in Path("judged.html").read_text()
    assert run("show", "some.csv", "--json").json["rows"][0] == ["surgeon", "doctor", "*"]
    missing = run("show", "some.csv", "--table", "people.csv", "--column", "job")
    assert missing.code == 2 and "has no value" in missing.err


def test_long_lists_are_shown_with_all(run: Any) -> None:
    Path("many.csv").write_text("".join(f"v{i};*\n" for i in range(40)))
    assert "... and 30 more" in run("show", "many.csv").out
    assert len(run("show", "many.csv", "--all").out.splitlines()) == 41


def test_convert_there_and_back(run: Any) -> None:
    told = run("convert", "jobs.yaml", "-o", "jobs.csv")
    assert told.code == 0 and "wrote jobs.csv" in told.err
    assert run("convert", "jobs.csv", "-o", "again.yaml").code == 0
    assert read_hierarchy("again.yaml").rows() == read_hierarchy("jobs.yaml").rows()
    assert run("convert", "jobs.yaml", "-o", "jobs.xyz").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "jobs.yaml", "-o", "senses.csv"),
        ("convert", "jobs.yaml", "-o", "jobs.yaml"),
        ("improve", "jobs.yaml", "-o", "senses.csv"),
        ("show", "jobs.yaml", "--svg", "people.csv"),
        ("build", "people.csv", "--column", "job", "-o", "senses.csv"),
        ("build", "people.csv", "--column", "job", "-o", "people.csv"),
    ],
)
def test_nothing_is_written_over(run: Any, words: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    told = run(*words)
    assert told.code == 2 and ("is there already" in told.err or "the command reads" in told.err)
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


# ---------------------------------------------------------------------- build


def test_build_by_meaning_and_what_to_look_at(run: Any) -> None:
    told = run("build", "people.csv", "--column", "job", "--levels", "3", "-o", "job.yaml")
    assert told.code == 0, told.err
    tree = read_hierarchy("job.yaml")
    assert sorted(tree.values) == sorted(set(PEOPLE) - {""}) and tree.height <= 3
    assert tree.label_at("violinist", 1) == tree.label_at("pianist", 1) != tree.label_at("carpenter", 1)
    assert [tree.label_at("zzwx", level) for level in range(tree.height + 1)] == ["zzwx"] * tree.height + [
        "*"
    ]
    for said in ("7 values", "GSL", "1 of 7 values need a person", "zzwx", "--mapping"):
        assert said in told.out
    assert "wrote job.yaml" in told.err
    machine = run("build", "people.csv", "--column", "job", "--levels", "3", "-o", "again.csv", "--json").json
    assert machine["unlinked"].keys() == {"zzwx"} and machine["levels"][0]["labels"] == 7
    assert machine["levels"][-1]["labels"] == 1 and 0 < machine["score"] < 1
    assert "rank" in run("score", "job.yaml", "again.csv").out


def test_values_without_a_concept_become_the_root_or_stop_it(run: Any) -> None:
    run("build", "people.csv", "--column", "job", "-o", "job.csv", "--unmapped", "root")
    assert read_hierarchy("job.csv").label_at("zzwx", 1) == "*"
    stopped = run(
        "build", "people.csv", "--column", "job", "-o", "no.csv", "--unmapped", "error", "--show-values"
    )
    assert stopped.code == 2 and "'zzwx'" in stopped.err and not Path("no.csv").exists()
    hidden = run("build", "people.csv", "--column", "job", "-o", "no.csv", "--unmapped", "error")
    assert "zzwx" not in hidden.err
    Path("map.csv").write_text("value,concept\nzzwx,plumber.n.01\n")
    told = run("build", "people.csv", "--column", "job", "-o", "all.csv", "--mapping", "map.csv")
    assert "need a person" not in told.out


def test_build_for_numbers_and_codes(run: Any) -> None:
    assert (
        run("build", "people.csv", "-c", "age", "--by", "width", "--width", "10", "-o", "age.csv").code == 0
    )
    assert read_hierarchy("age.csv").rows()[0][:2] == ["20", "20-29"]
    run("build", "people.csv", "-c", "age", "--by", "ranges", "--levels", "2", "-o", "ages.csv")
    assert read_hierarchy("ages.csv").label_at("48", 1) == "Middle Aged"
    run("build", "people.csv", "-c", "age", "--by", "frequency", "--levels", "2", "-o", "half.csv")
    assert len(read_hierarchy("half.csv").nodes_at(1)) == 2
    told = run("build", "people.csv", "-c", "zip", "--by", "prefix", "--levels", "3", "-o", "zip.csv")
    assert read_hierarchy("zip.csv").label_at("12345", 1) == "123**"
    assert "GSL" not in told.out and "3 levels" in told.out
    assert "all its values are numbers" in run("build", "people.csv", "-c", "id", "-o", "id.csv").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-c", "job", "--by", "width"), "is not a number"),
        (("-c", "job", "--by", "magic"), "use meaning, width, frequency, ranges or prefix"),
        (("-c", "job", "--unmapped", "drop"), "use own-leaf, root or error"),
        (("-c", "jobb"), "jobb"),
        (("-c", "job", "--levels", "0"), "level"),
        (("-c", "zip"), "have no concept"),
        (("-c", "age", "--by", "ranges", "--ranges", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_cannot_be_built_is_told(run: Any, words: tuple[str, ...], said: str) -> None:
    told = run("build", "people.csv", "-o", "x.csv", *words)
    assert told.code == 2 and said in told.err and not Path("x.csv").exists()


def test_show_tells_what_a_release_made_of_the_values(run: Any) -> None:
    Path("release.csv").write_text("job\n" + "doctor\n" * 4 + "math teacher\n" * 3 + "*\n")
    shown = run("show", "jobs.yaml", "--release", "release.csv", "--column", "job", "--html", "tree.html")
    assert shown.code == 0
    assert "doctor  4 values, 4 released as this" in shown.out
    assert "math teacher  3 released as this" in shown.out
    assert "1 of 8 rows of the release have no label of this hierarchy" in shown.err
    assert "4 released" in Path("tree.html").read_text()


@pytest.mark.parametrize("words", [("score",), ("show",), ("improve",)])
def test_under_leaves_what_lies_elsewhere_to_a_person(run: Any, words: tuple[str, ...]) -> None:
    Path("mixed.csv").write_text("nurse;worker;*\nsurgeon;worker;*\nasthma;disease;*\n")
    told = run(*words, "mixed.csv", "--ontology", "wordnet", "--under", "person")
    assert told.code == 0, told.err


def test_build_under_a_concept_lists_what_has_no_sense_there(run: Any) -> None:
    Path("u.csv").write_text("job\nnurse\nsurgeon\nasthma\n*\n")
    told = run("build", "u.csv", "--column", "job", "--under", "person", "-o", "x.csv")
    assert told.code == 0, told.err
    assert "asthma" in told.out


def test_blanks_around_a_value_are_no_part_of_it(run: Any) -> None:
    Path("b.csv").write_text('job\nnurse\n" nurse"\nsurgeon\n"surgeon "\n')
    assert run("build", "b.csv", "--column", "job", "-o", "x.csv").code == 0
    assert {line.split(";")[0] for line in Path("x.csv").read_text().splitlines()} == {"nurse", "surgeon"}


def test_build_lists_words_with_a_sense_in_another_branch(run: Any) -> None:
    foods = [
        "apple",
        "pear",
        "carrot",
        "rice",
        "nurse",
        "pilot",
        "surgeon",
        "tennis",
        "swimming",
        "oak",
        "elm",
    ]
    Path("m.csv").write_text("thing\n" + "\n".join(foods) + "\n")
    told = run("build", "m.csv", "--column", "thing", "--levels", "3", "-o", "m.yaml")
    assert "have another sense in another branch of the tree" in told.out
    assert "sweet juicy gritty-textured fruit" in told.out  # the pear that was not taken, beside oak and elm
    listed = run("build", "m.csv", "--column", "thing", "--levels", "3", "-o", "n.yaml", "--json").json
    assert listed["other senses"]["pear"] == "pear.n.01"
    assert "nurse" not in listed["other senses"]


def test_build_shortens_no_list_if_asked(run: Any) -> None:
    words = ["nurse", "tulip", "granite", "sonata", "tuesday", "democracy", "hammer", "saturn"]
    Path("m.csv").write_text("thing\n" + "\n".join(words) + "\n")
    short = run("build", "m.csv", "--column", "thing", "-o", "m.csv.yaml").out
    whole = run("build", "m.csv", "--column", "thing", "-o", "n.yaml", "--all").out
    assert " more\n" in short.split("In the tree itself")[1]
    assert " more\n" not in whole.split("In the tree itself")[1]
