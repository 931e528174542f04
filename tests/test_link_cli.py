"""`ontomask link` on plans, and its review on the terminal: decisions, undo, resuming, sharing."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om
from hostile.running import Outcome, command_here
from ontomask.linking import read_mapping
from ontomask.linking.review import DecisionFile, Review

COMMAND = [sys.executable, "-c", "from ontomask.cli import main; main()"]
TABLE = (
    "job,diagnosis\nnurse,stroke\ncoach,violin\ncoach,qqqq\noperator,flu\n"
    + "designer,gout\n" * 3
    + "nurse,asthma\n"
)
PLAN = """
attributes:
  job: {role: quasi-identifier, ontology: wordnet}
  diagnosis: {role: quasi-identifier, ontology: wordnet}
privacy: {k: 2}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def link(folder: Path, options: str, typed: str = "") -> Outcome:
    with contextlib.chdir(folder):
        return command_here(["link", "people.csv", *options.split()], typed=typed)


def lines(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_plan_names_the_columns(folder: Path) -> None:
    done = link(folder, "--plan plan.yaml")
    assert done.code == 0, done.err
    assert done.out.index("job (wordnet)") < done.out.index("diagnosis (wordnet)")
    assert done.out.index("designer") < done.out.index("coach") < done.out.index("operator")
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "plan.yaml"]
    alone = link(folder, "--plan plan.yaml --column diagnosis")
    assert "violin.n.01" in alone.out and "designer" not in alone.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "which column?"),
        ("--plan plan.yaml -o m.csv", "one mapping cannot be for 2 columns"),
        ("--plan plan.yaml -c age", "column 'age' does not hold words"),
        ("-c job --review", "--review needs a file to write to"),
        ("-c job --synonyms none.csv", "no file of synonyms"),
        ("-c job --review -o people.csv", "the command reads that file"),
        ("-c job --decisions people.csv", "the command reads that file"),
    ],
)
def test_what_cannot_be_asked(folder: Path, options: str, message: str) -> None:
    done = link(folder, options)
    assert done.code == 2 and message in done.err


def test_a_file_that_is_there_and_no_mapping_is_left_alone(folder: Path) -> None:
    (folder / "notes.csv").write_text("my notes\n")
    done = link(folder, "-c job --review -o notes.csv", "1\n")
    assert done.code == 2 and "a mapping needs the header" in done.err
    assert (folder / "notes.csv").read_text() == "my notes\n"


def test_review_picks_searches_skips_undoes_and_accepts(folder: Path) -> None:
    # designer: its second meaning; coach: skipped, taken back, searched for; the rest above a score.
    done = link(folder, "-c job --review -o job.csv", "2\ns\nu\n/coach.n.01\n1\na 0.1\n")
    assert done.code == 0, done.err
    assert "[1/3] designer   rows: 3" in done.out and "3 decided, 0 left" in done.out
    decided = read_mapping(folder / "job.csv")
    assert decided["designer"] == "architect.n.01" and decided["coach"] == "coach.n.01"
    assert set(decided) == {"designer", "coach", "operator"}
    assert "put `mapping: job.csv`" in done.err
    again = link(folder, "-c job --review -o job.csv")
    assert "job: nothing is doubtful" in again.out


def test_review_resumes_where_it_was_left(folder: Path) -> None:
    link(folder, "-c job --review -o job.csv", "1\n")
    assert len(lines(folder / "job.csv")) == 2
    done = link(folder, "-c job --review -o job.csv", "1\nq\n")
    assert "[1/2] coach" in done.out and "1 decided, 1 left" in done.out
    assert [row[0] for row in lines(folder / "job.csv")] == ["value", "designer", "coach"]


def test_a_mapping_that_nobody_looked_at_silences_no_doubt(folder: Path) -> None:
    assert link(folder, "-c job -o job_mapping.csv").code == 0
    told = link(folder, "-c job --mapping job_mapping.csv --json")
    assert sorted(json.loads(told.out)["doubtful"]) == ["coach", "designer", "operator"]
    plan = om.init(folder / "people.csv")
    (job,) = (column for column in plan.columns if column.name == "job")
    assert job.coverage is not None and job.coverage.mapping is not None
    assert set(job.coverage.doubtful) == {"coach", "designer", "operator"}
    (folder / "plan.yaml").write_text(
        PLAN.replace("job: {", "job: {mapping: job_mapping.csv, ") + "unmapped: root\n"
    )
    release = om.anonymize(folder / "people.csv", folder / "plan.yaml")
    (column,) = (one for one in release.columns if one.name == "job")
    assert "3 of 4 values, in 6 rows, have a concept that is doubtful" in column.doubt
    reviewed = link(folder, "-c job --review -o job_mapping.csv", "1\n1\n1\nq\n")
    assert "3 values to look at" in reviewed.out, reviewed.err
    told = link(folder, "-c job --mapping job_mapping.csv --json")
    assert json.loads(told.out)["doubtful"] == {}


@pytest.mark.parametrize("last", ["1\n", "a 0.0\n"])
def test_the_last_step_can_be_taken_back(folder: Path, last: str) -> None:
    done = link(folder, "-c job --review -o job.csv", f"1\n1\n{last}u\ns\n\n")
    assert done.code == 0, done.err
    assert "That was the last one" in done.out and "2 decided, 1 left" in done.out
    assert [row[0] for row in lines(folder / "job.csv")] == ["value", "designer", "coach"]


def test_a_review_that_decides_nothing_says_so(folder: Path) -> None:
    done = link(folder, "-c job --review -o job.csv", "s\nq\n")
    assert done.code == 0 and "nothing was decided: job.csv is not written" in done.err
    assert not (folder / "job.csv").exists()
    (folder / "job.csv").write_text("value,concept\ndesigner,architect.n.01\n")
    done = link(folder, "-c job --review -o job.csv", "q\n")
    assert "nothing was decided: job.csv stays as it was" in done.err
    assert "wrote job.csv" in link(folder, "-c job --review -o job.csv", "1\n").err


def test_a_number_that_is_none_of_the_meanings_is_asked_again(folder: Path) -> None:
    done = link(folder, "-c job --review -o job.csv", "9\n0\n2\nq\n")
    assert "there is no 9: the meanings are 1 to " in done.out and "there is no 0: " in done.out
    assert done.out.count("[1/3] designer") == 3 and "1 decided, 2 left" in done.out
    (folder / "people.csv").write_text("x\nzzqqvv\n")
    odd = link(folder, "-c x --review -o x.csv", "1\nq\n")
    assert "search for one with /text" in odd.out


def test_what_is_skipped_is_not_decided(folder: Path) -> None:
    done = link(folder, "-c job --review -o job.csv", "s\n1\ns\nq\n")
    assert "1 decided, 2 left" in done.out


def test_an_undone_decision_is_not_in_the_file(folder: Path) -> None:
    link(folder, "-c job --review -o job.csv", "1\n1\nu\nq\n")
    assert [row[0] for row in lines(folder / "job.csv")] == ["value", "designer"]


def test_decisions_are_shared_by_projects_and_ontologies(folder: Path) -> None:
    shared = folder / "shared.csv"
    shared.write_text("value,concept,label,ontology\ndesigner,11,managers,occupations\n")
    link(folder, "--plan plan.yaml --review --decisions shared.csv", "1\ns\ns\ns\ns\n")
    assert read_mapping(folder / "job_mapping.csv") == {"designer": "interior_designer.n.01"}
    assert read_mapping(shared, "wordnet") == {"designer": "interior_designer.n.01"}
    assert read_mapping(shared, "occupations") == {"designer": "11"}
    (folder / "other").mkdir()
    (folder / "other" / "people.csv").write_text("role\nDESIGNER\nnurse\n")
    done = link(folder / "other", "-c role --decisions ../shared.csv --json")
    assert '"DESIGNER": "interior_designer.n.01"' in done.out and '"doubtful": {}' in done.out


def test_on_a_terminal(folder: Path) -> None:
    own, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "link", "people.csv", "-c", "job", "--review", "-o", "job.csv"],
        cwd=folder,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    os.write(own, b"1\nq\n")
    out, _ = process.communicate(timeout=120)
    os.close(own)
    assert process.returncode == 0 and b"1 decided, 2 left" in out
    assert read_mapping(folder / "job.csv") == {"designer": "interior_designer.n.01"}


def test_synonyms_in_a_plan_and_on_the_command_line(folder: Path) -> None:
    (folder / "s.csv").write_text("synonym,term\nqqqq,asthma\n")
    assert '"qqqq": "asthma.n.01"' in link(folder, "-c diagnosis --synonyms s.csv --json").out
    plan = PLAN.replace("diagnosis: {", "diagnosis: {synonyms: s.csv, ")
    (folder / "plan.yaml").write_text(plan)
    assert '"qqqq": "asthma.n.01"' in link(folder, "--plan plan.yaml --json").out
    release = om.anonymize(folder / "people.csv", folder / "plan.yaml")
    (column,) = (one for one in release.columns if one.name == "diagnosis")
    assert column.links is not None and column.links.key("qqqq") == "asthma.n.01"
    assert "2 of 4 values" not in column.doubt and "doubtful" in column.doubt


def test_the_state_of_a_review(wordnet: om.Ontology, tmp_path: Path) -> None:
    links = om.link(["coach", "qqqq", "nurse"], wordnet, column="job")
    review = Review.of(links, {"coach": 1, "qqqq": 5})
    assert [one.value for one in review.open] == ["qqqq", "coach"] and review.meanings() == []
    senses = wordnet.senses_of("nurse").tolist()
    found = review.search("nurse")
    assert found[: len(senses)] == senses, "then those that have it in their name, as on the page"
    assert len(found) == 9
    review.decide(review.meanings()[0])
    assert review.decided == {"qqqq": "nurse.n.01"} and review.accept_above(0.0) == 1
    assert review.next is None and review.undo() and review.next is not None
    assert review.decided == {"qqqq": "nurse.n.01"} and review.undo() and not review.undo()
    assert review.decided == {}
    file = DecisionFile(tmp_path / "m.csv", "wordnet")
    file.write({"=cmd()": "nurse.n.01"}, links)
    assert read_mapping(tmp_path / "m.csv")["=cmd()"] == "nurse.n.01"
    assert lines(tmp_path / "m.csv")[1] == ["'=cmd()", "nurse.n.01", "nurse", "wordnet"]
    again = DecisionFile(tmp_path / "m.csv", "wordnet")
    again.write({"=cmd()": "cook.n.01"}, links)
    assert lines(tmp_path / "m.csv")[1:] == [["'=cmd()", "cook.n.01", "cook", "wordnet"]]


# ---------------------------------------------------------------------- several answers in a cell


@pytest.mark.parametrize("said", ["--several ; --set table.na_values=[none]", "--plan plan.yaml"])
def test_answers_are_linked_one_by_one(folder: Path, said: str) -> None:
    (folder / "people.csv").write_text("hobby\nchess; golf\ngolf\ngolf; qqqq; none\n")
    column = "hobby: {role: quasi-identifier, ontology: wordnet, several: ';', na_values: [none]}"
    (folder / "plan.yaml").write_text(f"attributes:\n  {column}\nprivacy: {{k: 2}}\n")
    done = link(folder, f"--column hobby {said} -o hobby.csv")
    assert done.code == 0, done.err
    assert "qqqq" in done.out and ";" not in done.out
    found = {row[0]: row[1] for row in lines(folder / "hobby.csv")[1:]}
    assert found == {"chess": "chess.n.02", "golf": "golf.n.01", "qqqq": ""}
