"""Rare values of a column that is released as it is become one word, which enough rows have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.columns.rare import rare_as_one
from ontomask.errors import OntomaskError, PlanError

ILL = ["flu"] * 8 + ["cold"] * 5 + ["gout"] * 3 + ["plague", "rabies"]
TABLE = pa.table({"age": [20 + at % 4 for at in range(len(ILL))], "ill": ILL})


def plan(k: int = 4, role: str = "confidential", **settings: Any) -> om.Plan:
    columns = {"age": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": role, **settings}}
    return om.Plan.from_dict({"attributes": columns, "privacy": {"k": k}})


@pytest.mark.parametrize("role", ["confidential", "other"])
def test_rare_values_become_one_word(role: str) -> None:
    release = om.anonymize(TABLE, plan(role=role, rare="other"))
    assert Counter(release.to_arrow()["ill"].to_pylist()) == {"flu": 8, "cold": 5, "other": 5}
    said = "column 'ill': 3 values that fewer than 4 rows have are written as 'other'"
    assert said in release.notes
    assert not any("plague" in note for note in release.notes)
    assert not [one for one in om.warnings_of(release) if one.name.startswith("rare values")]
    assert [one for one in om.warnings_of(om.anonymize(TABLE, plan())) if one.name == "rare values: ill"]


def test_the_next_rarest_join_until_enough_rows_have_the_word() -> None:
    """Of 3 and 1 and 1 rows 5 have the word: for k = 6 the cold joins them, and the flu stays."""
    found = Counter(om.anonymize(TABLE, plan(k=6, rare="other")).to_arrow()["ill"].to_pylist())
    assert found == {"flu": 8, "other": 10}


def test_requirements_look_at_what_is_written() -> None:
    asked = plan(rare="other").replace(privacy={"k": 4, "l": {"ill": 4}})
    with pytest.raises(OntomaskError, match="the whole table as one class reaches 3"):
        om.anonymize(TABLE, asked)


def test_a_file_is_the_same_but_for_the_rare_values(tmp_path: Path) -> None:
    lines = ["age,ill,pay", *(f'{20 + at % 4},"{ill}",{at}.50' for at, ill in enumerate(ILL)), ""]
    (tmp_path / "ill.csv").write_text("\r\n".join(lines), newline="")
    kept = plan(rare="other, or unknown").replace(attributes={"pay": {"role": "other"}})
    om.anonymize(tmp_path / "ill.csv", kept).write(tmp_path / "out.csv")
    before, after = ((tmp_path / name).read_bytes().decode() for name in ("ill.csv", "out.csv"))
    assert after.count('"other, or unknown"') == 5
    assert [line.partition(",")[2] for line in after.split("\r\n")] == [
        line.partition(",")[2].replace('"gout"', one).replace('"plague"', one).replace('"rabies"', one)
        for line in before.split("\r\n")
        for one in ['"other, or unknown"']
    ]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_every_engine_writes_the_same(tmp_path: Path, suffix: str, engine: str) -> None:
    writer = pyarrow.csv.write_csv if suffix == "csv" else pyarrow.parquet.write_table
    writer(TABLE, tmp_path / f"ill.{suffix}")
    asked = plan(rare="other").replace(table={"engine": engine}, privacy={"k": 4, "l": {"ill": 2}})
    release = om.anonymize(tmp_path / f"ill.{suffix}", asked)
    release.write(tmp_path / f"out.{suffix}", warnings=om.warnings_of(release))
    found = om.evaluate(tmp_path / f"ill.{suffix}", tmp_path / f"out.{suffix}", asked)
    expected = [one if one in ("flu", "cold") else "other" for one in ILL]
    assert release.to_arrow()["ill"].to_pylist() == expected
    assert found["l_distinct.ill"] >= 2
    assert b"plague" not in (tmp_path / f"out.{suffix}").read_bytes()


def test_nothing_is_rare() -> None:
    release = om.anonymize(TABLE, plan(k=1, rare="other"))
    assert sorted(release.to_arrow()["ill"].to_pylist()) == sorted(ILL)
    assert "column 'ill' has no value that fewer than 1 rows have" in release.notes


def test_what_is_missing_stays_missing() -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "ill": ["flu", "flu", "flu", "gout", None, "rash"]})
    found = om.anonymize(table, plan(k=2, rare="other")).to_arrow()["ill"].to_pylist()
    assert Counter(found) == {"flu": 3, "other": 2, None: 1}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rare": " "}, "rare: must be a text, such as other"),
        ({"rare": "other", "kind": "numeric"}, "rare: only kind: nominal has this, not numeric"),
        ({"rare": "other", "role": "quasi-identifier"}, "rare: in a masked column no value is written"),
        ({"rare": "other", "role": "identifier"}, "rare: identifiers are dropped"),
    ],
)
def test_where_it_means_nothing_it_is_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        plan(**settings)


def test_a_word_that_means_no_value_is_refused() -> None:
    with pytest.raises(OntomaskError, match="'NA'"):
        om.anonymize(TABLE, plan(rare="NA"))


VALUES = st.dictionaries(st.sampled_from(["a", "A", "b", "c", "d", "other", "Other"]), st.integers(1, 9))


@given(VALUES, st.integers(1, 12))
def test_what_is_written_is_had_by_enough_rows(of: dict[str, int], least: int) -> None:
    """As far as there are so many; what many have stays, unless the word needs it."""
    found = rare_as_one([*of], np.array([*of.values()]), least, "other")
    rows, values = Counter[str](), Counter[str]()
    for text, n in of.items():
        rows[found.texts[text].casefold()] += n
        values[text.casefold()] += n
    assert all(n >= least for n in rows.values()) or len(rows) == 1
    others = {text: n for text, n in values.items() if text != "other"}
    needed = [n for n in values.values() if n < least]
    stayed = {text for text in others if rows[text]}
    if not needed:
        assert stayed == {*others} and not found.rare
    elif stayed:
        gone = [n for text, n in others.items() if text not in stayed]
        assert max(gone, default=0) <= min(others[text] for text in stayed)
        most = max((n for n in gone if n >= least), default=0)
        assert not most or rows["other"] - most < least
