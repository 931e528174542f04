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


# ---------------------------------------------------------------------- for a purpose


@pytest.fixture
def purpose(common: Any) -> Any:
    import purpose

    if not (common.DATA / "heart" / "cleveland.csv").exists():
        pytest.skip(f"the data set is not at hand ({common.DATA}); set ONTOMASK_DATA")
    yield purpose
    for name in ("purpose", "purpose_data", "chd"):
        sys.modules.pop(name, None)


def rows_below(heading: str, part: str = "") -> list[list[str]]:
    """The cells of the first table below a heading of the page, the one in the part if it is there twice."""
    page = (STUDIES.parent / "docs" / "studies" / "purpose.md").read_text()
    lines = page.partition(f"## {part}")[2].partition(f"### {heading}\n")[2].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    last = next(i for i, line in enumerate(lines) if i > first and not line.startswith("|"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first:last]]
    return [cells[0], *cells[2:]]


@pytest.mark.parametrize(
    ("table", "heading", "score", "constraint", "known", "least"),
    [
        ("Cleveland", "By infogain, unconstrained", "infogain", "none", 4, 6),
        ("Cleveland", "By infogain, constrained to *sign or symptom*", "infogain", "sign or symptom", 4, 4),
        ("Cleveland", "By mim, constrained to *result of*", "mim", "result of", 2, 6),
        ("CHD_DB", "By infogain, constrained to *finding*", "infogain", "finding", 6, 100),
    ],
)
def test_releases_for_a_purpose_come_out_as_the_page_says(
    purpose: Any, table: str, heading: str, score: str, constraint: str, known: int, least: int
) -> None:
    subject = purpose.cleveland() if table == "Cleveland" else purpose.chd_like()
    setting = purpose.Setting(score, constraint, known, least)
    row = purpose.row_of(subject, setting, subject.released(setting).outcome())
    assert row in rows_below(heading, table)


def test_how_often_attributes_are_left_is_what_the_tables_show() -> None:
    """Counted again, mark by mark."""
    for part in ("Cleveland", "CHD_DB"):
        header, *lines = rows_below("How often the prioritised attributes are left", part)
        assert header[3:7] == ["in the tree without", "with", "told apart without", "with"]
        assert len(lines) > 5
        for score, constraint, of, *counts in lines[:-1]:
            with_it = rows_below(f"By {score}, constrained to *{constraint}*", part)
            without = rows_below(f"By {score}, unconstrained", part)
            first = [j for j, name in enumerate(with_it[0]) if name.endswith("*")]
            marks = [[row[j] for row in rows[2:] for j in first] for rows in (without, with_it)]
            told = [str(sum(mark in kinds for mark in one)) for kinds in (["X"], ["X", "o"]) for one in marks]
            assert of == str(len(marks[0]))
            assert counts[:4] == told, (score, constraint)
        sums = [sum(int(row[j]) for row in lines[:-1]) for j in range(2, 7)]
        assert lines[-1][2:7] == list(map(str, sums))
        assert sums[2] > sums[1] and sums[4] > sums[3], "constraints keep what they name"


def test_a_range_lies_in_the_concepts_where_it_begins_and_ends(purpose: Any) -> None:
    ages = purpose.AGES
    assert purpose.concepts_of("25-55", ages) == {"Adult", "Middle Aged"}  # table 4.1(b)
    assert purpose.concepts_of("66-95", ages) == {"Elderly", "Ages, 80 and over"}  # table 4.1(a)
    assert purpose.concepts_of("45-49", ages) == {"Middle Aged"}
    assert purpose.concepts_of("Adult", ages) == {"Adult"}
    assert purpose.concepts_of("233-252", purpose.CHOLESTEROL) == {"normal", "high"}  # table 4.1(c)
    rule = "sex = male and age = 44-45 and angina = no: yes (no=1, yes=2)"
    assert not purpose.in_one_concept(rule, "age", ages)
    assert purpose.in_one_concept(rule.replace("44-45", "45-46"), "age", ages)


def test_constraints_put_the_printed_attributes_first(purpose: Any) -> None:
    """Section 4.5.2: chest pain and angina are signs or symptoms; *result of* is of four."""
    subject = purpose.cleveland()
    assert subject.prioritised("sign or symptom") == {"chest_pain", "angina"}
    assert subject.prioritised("result of") == {"age", "sex", "blood_pressure", "heart_rate"}
    assert subject.prioritised("diagnostic procedure") == {"resting_ecg", "vessels", "thal"}
    assert subject.prioritised("none") == frozenset()
