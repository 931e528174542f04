"""What the studies share: a claim counts once, whatever the readings; ties as the file comes."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontomask import datasets
from ontomask.attributes import Nominal, Tuples
from ontomask.evaluation import losses
from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.formats import read_hierarchy
from ontomask.methods import METHODS
from ontomask.ontology.draft import Draft

STUDIES = Path(__file__).parent.parent / "studies"


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(STUDIES))
    monkeypatch.delitem(sys.modules, "common", raising=False)
    import common

    yield common
    sys.modules.pop("common", None)


@pytest.fixture
def apes_data(common: Any) -> Any:
    import apes_data

    yield apes_data
    sys.modules.pop("apes_data", None)


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


# (animal (dog (puppy) (hound)) (cat) (bird (owl) (emu))): cat is on a short branch.
ANIMALS = Draft.from_edges(
    "animals",
    [
        ("dog", "animal"),
        ("cat", "animal"),
        ("bird", "animal"),
        ("puppy", "dog"),
        ("hound", "dog"),
        ("owl", "bird"),
        ("emu", "bird"),
    ],
)
VALUES = ("puppy", "hound", "cat", "owl", "emu")
COUNTS = np.array([6, 1, 3, 2, 2])


def animals(apes_data: Any, is_padded_at_root: bool) -> Any:
    """The candidate that is the tree itself."""
    values = {value: ANIMALS.concept(value) for value in VALUES}
    tree = hierarchy_of(ANIMALS, values, name="animals")
    tree = apes_data.padded_at_root(tree) if is_padded_at_root else tree
    return apes_data.Candidate.of(tree, ANIMALS)


def test_short_branches_are_padded_at_the_root_or_at_the_value(apes_data: Any) -> None:
    assert animals(apes_data, False).tree.rows()[2] == ["cat", "cat", "animal"]
    assert animals(apes_data, True).tree.rows()[2] == ["cat", "animal", "animal"]
    assert animals(apes_data, True).tree.rows()[0] == ["puppy", "dog", "animal"]


def test_what_a_single_column_loses_is_what_the_methods_lose(apes_data: Any) -> None:
    wup, ks = apes_data.WUP, range(1, 15)
    concepts = np.array([ANIMALS.concept(value) for value in VALUES], np.int32)
    attribute = Nominal("animal", 1.0, -1, ANIMALS, wup, concepts)
    tuples = Tuples(np.arange(5, dtype=np.int32)[:, None], COUNTS)
    for is_padded_at_root in (False, True):
        candidate = animals(apes_data, is_padded_at_root)
        levels = apes_data.levels_at(candidate.tree, COUNTS, ks)
        # dog 7, cat 3, bird 4 records at level 1
        assert levels.tolist() == [0] + [1] * 2 + [2] * 11
        squares = apes_data.level_losses(candidate, COUNTS, wup, 2)[levels]
        for name in ("incognito", "datafly"):
            for k, expected in zip(ks, squares, strict=True):
                view = apes_data.masked(tuples, [candidate.over(attribute)], METHODS[name](), k, wup)
                assert losses(view)["sse"] == pytest.approx(expected)
        assert apes_data.mean_sse(candidate, COUNTS, ks) == pytest.approx(squares.mean())
    # ws4j counts nodes below a virtual root: animal is at 2, cat at 3, the others at 4.
    at_root = apes_data.level_losses(candidate, COUNTS, wup, 1)[2]
    assert at_root == pytest.approx(11 * (1 - 2 * 2 / (4 + 2)) + 3 * (1 - 2 * 2 / (3 + 2)))
