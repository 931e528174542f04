"""Two releases of one table, each k-anonymous, that single people out together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import ontomask as om
from ontomask.assessment.joined import Joined, joined_with
from ontomask.cli import app
from ontomask.privacy import Confidential, JointClasses

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


# ---------------------------------------------------------------------- two releases, judged together


def visits() -> tuple[pa.Table, pa.Table, om.Plan]:
    """Eight patients in two releases by decades and by fives that begin elsewhere; each is 2-anonymous.

    | | age | first | second | illness |
    |---|---|---|---|---|
    | a, b | 30, 32 | 30-39 | 28-32 | flu, cold |
    | c, d | 34, 36 | 30-39 | 33-37 | flu, ulcer |
    | e, f | 41, 42 | 40-49 | 38-42 | flu, cold |
    | g, h | 44, 46 | 40-49 | 43-47 | gout, ulcer |
    """
    people = {
        "id": list("abcdefgh"),
        "age": ["30-39"] * 4 + ["40-49"] * 4,
        "illness": ["flu", "cold", "flu", "ulcer", "flu", "cold", "gout", "ulcer"],
    }
    second = ["28-32"] * 2 + ["33-37"] * 2 + ["38-42"] * 2 + ["43-47"] * 2
    plan = om.Plan.from_options(["age:numeric"], confidential=["illness"], identifiers=["id"], k=2)
    return pa.table(people), pa.table(people | {"age": second}), plan


ORIGINAL = pa.table(
    {
        "id": list("abcdefgh"),
        "age": ["30", "32", "34", "36", "41", "42", "44", "46"],
        "illness": ["flu", "cold", "flu", "ulcer", "flu", "cold", "gout", "ulcer"],
    }
)


def test_both_releases_leave_the_smaller_classes_here() -> None:
    first, second, plan = visits()
    found = om.evaluate(ORIGINAL, first, plan, other=second)
    assert (found["k_reached"], found["other_k"]) == (4, 2)
    assert (found["joint_people"], found["joint_k"], found["joint_mean"]) == (8, 2, 2)
    assert (found["joint_singled_out"], found["joint_below_k"]) == (0, 0)
    assert "joint_k" not in om.evaluate(ORIGINAL, first, plan)


def test_classes_that_cross_leave_fewer() -> None:
    """By first: abcd efgh; by second: abc defgh. Together: abc, d, efgh."""
    first, second, plan = visits()
    crossing = second.set_column(1, "age", pa.array(["30-35"] * 3 + ["36-46"] * 5))
    found = om.evaluate(ORIGINAL, first, plan.replace(privacy={"k": 4}), other=crossing)
    assert (found["other_k"], found["joint_k"]) == (3, 1)
    assert found["joint_singled_out"] == pytest.approx(100 / 8)
    assert found["joint_below_k"] == pytest.approx(100 * 4 / 8)
    assert found["joint_mean"] == pytest.approx((3 * 3 + 1 + 4 * 4) / 8)


def test_a_value_that_only_both_give_away() -> None:
    """After another visit: {flu, cold, ulcer} and {ulcer, gout} have only the ulcer in common."""
    first, second, plan = visits()
    later = second.set_column(
        2, "illness", pa.array(["flu", "flu", "gout", "ulcer", "flu", "cold", "gout", "gout"])
    )
    found = om.evaluate(ORIGINAL, first, plan, other=later)
    # a, b and g, h: the second class has one value, certain already. c, d: ulcer. e, f: flu and cold.
    assert found["joint_certain.illness"] == pytest.approx(100 * 2 / 8)
    without = later.drop_columns(["illness"])
    assert "joint_certain.illness" not in om.evaluate(ORIGINAL, first, plan, other=without)


def test_people_in_both_are_matched_by_a_key() -> None:
    """The other release has c, d, e, f in another order, and two strangers who are in d's class."""
    first, second, plan = visits()
    some = second.take([5, 4, 3, 2])
    strangers = pa.table({"id": ["x", "y"], "age": ["33-37"] * 2, "illness": ["gout", "gout"]})
    found = om.evaluate(ORIGINAL, first, plan, key="id", other=pa.concat_tables([some, strangers]))
    assert (found["joint_people"], found["joint_k"], found["other_k"]) == (4, 2, 2)
    # c, d: first {flu, cold, ulcer}, second {flu, ulcer, gout}; e, f: {flu, cold} are in both.
    assert found["joint_certain.illness"] == 0


def test_an_engine_counts_the_same(tmp_path: Path) -> None:
    first, second, plan = visits()
    weighted = ORIGINAL.append_column("weight", pa.array(["3", "9.5", "2", "2", "4", "1", "8", "7"]))
    tables = {"original": weighted, "first": first, "second": second.take([6, 5, 4, 3, 2, 1])}
    for name, table in tables.items():
        parquet.write_table(table, tmp_path / f"{name}.parquet")
    files = [tmp_path / f"{name}.parquet" for name in tables]
    asked = {"key": "id", "other": files[2], "weights": "weight", "suda": 1}
    by_engine = om.evaluate(*files[:2], plan.replace(table={"engine": "duckdb"}), **asked)
    assert by_engine == om.evaluate(*files[:2], plan, **asked) and by_engine["joint_people"] == 6


def test_other_quasi_identifiers_of_the_other_release() -> None:
    first, second, plan = visits()
    by_town = second.append_column("town", pa.array(list("xxyyxyxy"))).drop_columns(["age"])
    with pytest.raises(om.OntomaskError, match="none of the quasi-identifiers of the plan; say in"):
        om.evaluate(ORIGINAL, first, plan, other=by_town)
    with pytest.raises(om.OntomaskError, match="no release; give `other`, too"):
        om.evaluate(ORIGINAL, first, plan, other_columns=["town"])
    with pytest.raises(om.OntomaskError, match="has no column 'twon'"):
        om.evaluate(ORIGINAL, first, plan, other=by_town, other_columns=["twon"])
    found = om.evaluate(ORIGINAL, first, plan, other=by_town, other_columns=["town"])
    assert (found["other_k"], found["joint_k"]) == (4, 2)


def test_releases_that_cannot_be_matched_are_told() -> None:
    first, second, plan = visits()
    with pytest.raises(
        om.OntomaskError, match="the masked table has 8 rows and the other table 5; give a `key`"
    ):
        om.evaluate(ORIGINAL, first, plan, other=second.slice(0, 5))
    with pytest.raises(om.OntomaskError, match="column 'id' of the other table is not a key"):
        om.evaluate(ORIGINAL, first, plan, key="id", other=pa.concat_tables([second, second]))
    nobody = second.set_column(0, "id", pa.array(list("stuvwxyz")))
    with pytest.raises(om.OntomaskError, match="no 'id' of the masked table is in the other release"):
        om.evaluate(ORIGINAL, first, plan, key="id", other=nobody)


def test_the_command_tells_what_both_give_away(tmp_path: Path) -> None:
    first, second, plan = visits()
    for name, table in (("original", ORIGINAL), ("first", first), ("second", second)):
        csv.write_csv(table, tmp_path / f"{name}.csv")
    (tmp_path / "plan.yaml").write_text(plan.to_yaml())
    files = [str(tmp_path / f"{name}.csv") for name in ("original", "first")]
    command = [
        "evaluate",
        *files,
        "--plan",
        str(tmp_path / "plan.yaml"),
        "--with",
        str(tmp_path / "second.csv"),
    ]
    told = json.loads(CliRunner().invoke(app, [*command, "--with-column", "illness", "--json"]).stdout)
    expected = om.evaluate(ORIGINAL, first, plan, other=second, other_columns=["illness"])
    assert told["joint_k"] == expected["joint_k"] == 1
    assert "smallest class of both together" in CliRunner().invoke(app, command).output


def test_values_that_only_the_other_release_has() -> None:
    """c and d: {flu, cold, ulcer} and {flu, migraine, fever}, of which the original lacks two."""
    first, second, plan = visits()
    later = ["flu", "flu", "flu", "migraine", "flu", "cold", "gout", "gout", "fever"]
    more = pa.table(
        {"id": list("abcdefghx"), "age": [*second["age"].to_pylist(), "33-37"], "illness": later},
    )
    found = om.evaluate(ORIGINAL, first, plan, key="id", other=more)
    assert found["joint_certain.illness"] == pytest.approx(100 * 2 / 8)


def test_values_beyond_those_of_the_first_release_are_told_apart() -> None:
    """One class of values {0, 1}, beside classes of {2, 3} and {1, 2}."""
    first, second = np.zeros(4, np.int64), np.array([0, 0, 1, 1])
    ones = np.ones(4, np.int64)
    certain = JointClasses.of(first, second, ones).certain_together(
        Confidential.of(first, np.array([0, 1, 0, 1]), ones),
        Confidential.of(second, np.array([2, 3, 1, 2]), ones),
    )
    assert certain.tolist() == [False, True]


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=30))
def test_certain_together_by_sets(people: list[tuple[int, int, int, int]]) -> None:
    """(class in one, class in the other, value in one, value in the other), person by person."""
    first, second, value, later = np.array(people).T
    ones = np.ones(len(people), np.int64)
    joint = JointClasses.of(first, second, ones)
    certain = joint.certain_together(
        Confidential.of(first, value, ones), Confidential.of(second, later, ones)
    )
    for a, b, size, told in zip(joint.first, joint.second, joint.counts, certain, strict=True):
        assert size == sum((one[0], one[1]) == (a, b) for one in people)
        here, there = {one[2] for one in people if one[0] == a}, {one[3] for one in people if one[1] == b}
        assert told == (len(here & there) == 1 and len(here) > 1 and len(there) > 1)
