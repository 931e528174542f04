"""What the studies share: a claim counts once, whatever the readings; ties as the file comes."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest

from ontomask import datasets
from ontomask.hierarchies.formats import read_hierarchy

STUDIES = Path(__file__).parent.parent / "studies"


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(STUDIES))
    monkeypatch.delitem(sys.modules, "common", raising=False)
    import common

    yield common
    sys.modules.pop("common", None)


def test_a_claim_counts_once_and_controls_do_not_count(
    common: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "PAGES", tmp_path)
    (tmp_path / "README.md").write_text(
        "| page | in | claims | reproduced | most | none | outcome |\n"
        "| [Other](other.md) | x | 4 | 3 | 3 (y) | 1 | kept |\n"
        "| [Mine](mine.md) | x | 0 | 0 | | 0 | by hand |\n"
        "| all | | 0 | 0 | | 0 | |\n"
    )
    page = common.Page("mine", "Mine", "Intro.", reading="one", controls=frozenset({"other data"}))
    page.judge("a", True)
    page.judge("b", False)
    page.judge("c", False)
    page.reading = "two"
    page.judge("a", True)
    page.judge("b", True)
    page.reading = "other data"
    page.judge("c", True)
    page.write()
    assert "3 distinct claims: 2 reproduced in some reading, 1 in none" in (tmp_path / "mine.md").read_text()
    rows = (tmp_path / "README.md").read_text().splitlines()
    assert rows[1] == "| [Other](other.md) | x | 4 | 3 | 3 (y) | 1 | kept |"
    assert rows[2] == "| [Mine](mine.md) | x | 3 | 2 | 2 (two) | 1 | by hand |"
    assert rows[3] == "| all | | 7 | 5 | | 2 | |"


def test_tuples_in_the_order_of_the_file(common: Any) -> None:
    prepared = common.survey()
    sample = common.Sample.of(prepared)
    order = common.order_of_records(prepared)
    assert sorted(order) == list(range(len(sample.tuples)))
    assert order != sorted(order)
    first = sample.ordered(order).tuples.codes[0]
    with datasets.path("survey.csv").open(newline="") as file:
        row = next(csv.DictReader(file))
    labels = [column.labels[code] for column, code in zip(prepared.columns, first, strict=True)]
    assert labels == [row["reason"], row["hobby"]]


def test_the_coarser_leisure_hierarchy_is_the_finer_without_its_lowest_groups() -> None:
    coarse, fine = (read_hierarchy(STUDIES / "data" / f"leisure_vgh{levels}.yaml") for levels in (2, 3))
    assert (coarse.height, fine.height, coarse.n_values) == (2, 3, 25)
    for value in coarse.values:
        assert coarse.label_at(value, 1) == fine.label_at(value, 2)
    concepts = dict(fine.concepts)
    assert coarse.concepts == {label: concepts[label] for label in coarse.concepts}
    assert set(concepts) == set(fine.labels) - set(fine.values)
