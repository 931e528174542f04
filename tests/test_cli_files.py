"""Commands never write over what they read, nor leave half of their results."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from hostile.running import Outcome, command_here

TABLE = "job,age\nnurse,30\nnurse,31\nteacher,40\nteacher,41\nclerk,50\nclerk,55\n"
ANONYMIZE = "anonymize t.csv --qi job:wordnet --qi age:numeric -k 2 -o out.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def ontomask(folder: Path, line: str) -> Outcome:
    with contextlib.chdir(folder):
        return command_here(line.split())


@pytest.mark.parametrize(
    "line",
    [
        "link t.csv --column job -o t.csv",
    ],
)
def test_no_command_writes_over_what_it_needs(folder: Path, line: str) -> None:
    done = ontomask(folder, line)
    assert done.code == 2 and "the command reads that file" in done.err
    assert (folder / "t.csv").read_text() == TABLE
    assert sorted(p.name for p in folder.iterdir()) == ["t.csv"]


def test_decisions_in_a_mapping_are_not_lost(folder: Path) -> None:
    assert ontomask(folder, "link t.csv --column job -o job.csv").code == 0
    (folder / "job.csv").write_text("value,concept\nnurse,nurse.n.02\n")
    again = ontomask(folder, "link t.csv --column job -o job.csv")
    assert again.code == 2 and "may hold decisions" in again.err
    assert "nurse.n.02" in (folder / "job.csv").read_text()
    assert ontomask(folder, "link t.csv --column job -o job.csv --force").code == 0


def test_a_mapping_holds_no_formula_unless_asked(folder: Path) -> None:
    (folder / "t.csv").write_text("job\n=cmd()\nnurse\n")
    command = "link t.csv --column job -o job.csv --force"
    for option, written in (
        ("", "'=cmd()"),
        ("--formulas neutralise", "'=cmd()"),
        ("--formulas keep", "=cmd()"),
    ):
        assert ontomask(folder, f"{command} {option}").code == 0
        assert f"\n{written},," in (folder / "job.csv").read_text()
    refused = ontomask(folder, f"{command} --formulas run")
    assert refused.code == 2 and "there is no --formulas 'run'; use neutralise or keep" in refused.err


def test_a_report_that_cannot_be_written_leaves_no_release(folder: Path) -> None:
    done = ontomask(folder, f"{ANONYMIZE} --report nowhere/r.html")
    assert done.code == 2 and "nowhere/r.html" in done.err
    assert sorted(p.name for p in folder.iterdir()) == ["t.csv"]


def test_k_of_one_is_called_what_it_is(folder: Path) -> None:
    done = ontomask(folder, "anonymize t.csv --qi age:numeric --others keep -k 1 -o out.csv --report r.html")
    assert "k = 1 protects nobody" in done.err
    page = (folder / "r.html").read_text()
    assert "k = 1 protects nobody" in page and "✓ 1-anonymous" not in page


def test_filled_values_are_told_and_mappings_are_in_the_internal_record(folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE + ",60\n")
    (folder / "m.csv").write_text("value,concept\nnurse,nurse.n.01\n")
    done = ontomask(folder, f"{ANONYMIZE} --mapping job:m.csv")
    assert "1 of 1 missing values were given their group's" in done.err
    assert "m.csv" in (folder / "out.internal.json").read_text()


def test_senses_that_under_rules_out_are_doubtful(folder: Path) -> None:
    (folder / "t.csv").write_text("job\ndriver\nnurse\nteacher\n")
    done = ontomask(folder, "link t.csv --column job --under person")
    assert "1 links are doubtful" in done.out and "drives animals" in done.out


def test_a_column_that_sounds_like_an_identifier_is_not_released_in_silence(folder: Path) -> None:
    (folder / "t.csv").write_text("name,age\nAnn,30\nBob,31\nCid,40\n")
    done = ontomask(folder, "anonymize t.csv --qi age:numeric --others keep -k 3 -o out.csv")
    assert "WARNING: Column “name” is released as it is and may point at single people" in done.err
