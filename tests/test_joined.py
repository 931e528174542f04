"""Two releases of one table, each k-anonymous, that single people out together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv

import ontomask as om
from ontomask.assessment.joined import Joined, joined_with

AGES = [20, 21, 22, 30, 31, 32]


def release_of(folder: Path, k: int) -> om.Release:
    csv.write_csv(pa.table({"age": AGES}), folder / "people.csv")
    return om.anonymize(folder / "people.csv", om.Plan.from_options(["age:numeric"], k=k))


def by_hand(one: om.Release, other: om.Release) -> int:
    pairs = [*zip(one.to_arrow()["age"].to_pylist(), other.to_arrow()["age"].to_pylist(), strict=True)]
    return sum(pairs.count(pair) == 1 for pair in pairs)


def test_the_people_that_both_single_out_are_counted(tmp_path: Path) -> None:
    first, second = release_of(tmp_path, 2), release_of(tmp_path, 3)
    first.write(tmp_path / "a.csv")
    expected = by_hand(first, second)
    assert 0 < expected < len(AGES)
    assert [*joined_with(second, tmp_path / "b.csv")] == [Joined("a.csv", expected)]


def test_a_release_is_not_joined_with_the_one_it_replaces(tmp_path: Path) -> None:
    release_of(tmp_path, 2).write(tmp_path / "a.csv")
    assert [*joined_with(release_of(tmp_path, 3), tmp_path / "a.csv")] == []


def test_releases_of_another_table_and_other_files_do_not_matter(tmp_path: Path) -> None:
    release_of(tmp_path, 2).write(tmp_path / "a.csv")
    (tmp_path / "other.internal.json").write_text("[]")
    csv.write_csv(pa.table({"age": [*AGES[:-1], 99]}), tmp_path / "more.csv")
    release = om.anonymize(tmp_path / "more.csv", om.Plan.from_options(["age:numeric"], k=2))
    assert [*joined_with(release, tmp_path / "b.csv")] == []


def test_a_release_that_was_changed_is_told_without_a_number(tmp_path: Path) -> None:
    release_of(tmp_path, 2).write(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("age\n1\n")
    assert [*joined_with(release_of(tmp_path, 3), tmp_path / "b.csv")] == [Joined("a.csv", None)]


def test_the_command_warns_of_both(tmp_path: Path) -> None:
    release_of(tmp_path, 2)  # writes the table
    said = []
    for k in ("2", "3"):
        command = [
            str(Path(sys.executable).with_name("ontomask")),
            "anonymize",
            "people.csv",
            "--qi",
            "age:numeric",
        ]
        done = subprocess.run(
            [*command, "-k", k, "-o", f"{k}.csv", "--report", f"{k}.html"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stderr)
    assert "released before" not in said[0]
    assert "WARNING: The same table was released before, as “2.csv”" in said[1]
    assert " of 6 people. Hand on one of them only." in said[1]
    assert "The same table was released before" in (tmp_path / "3.html").read_text()


def test_a_record_that_is_none_does_not_stop_a_release(tmp_path: Path) -> None:
    release = release_of(tmp_path, 2)
    rows = release.source.n_rows
    for name, text in {
        "list": "[]",
        "deep": "[" * 200_000,
        "number": json.dumps({"output": {"file": 5}, "input": {"rows": rows}}),
        "bare": '{"output": {"file": "x.csv"}}',
        "texts": '{"output": {"file": "people.csv"}, "input": "none"}',
    }.items():
        (tmp_path / f"{name}.internal.json").write_text(text)
    os.mkfifo(tmp_path / "pipe.internal.json")
    assert [*joined_with(release, tmp_path / "b.csv")] == []
    source = {"rows": rows, "digest": release.source.digest}
    elsewhere = {"output": {"file": "../people.csv"}, "input": source}
    (tmp_path / "odd.internal.json").write_text(json.dumps(elsewhere))
    assert [*joined_with(release, tmp_path / "b.csv")] == [Joined("people.csv", None)]
