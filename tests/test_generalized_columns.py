"""Columns with hierarchies: from files, chosen among files, built; missing values; texts out and in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.attributes import Generalized
from ontomask.columns.generalized import GeneralizedColumn
from ontomask.pipeline import prepare

JOBS = "surgeon;doctor;person\nnurse;nurse;person\nnun;nun;person\n"


def column(cells: list[Any], folder: Path, **settings: Any) -> GeneralizedColumn:
    plan = om.Plan.from_dict(
        {"attributes": {"x": {"role": "quasi-identifier", **settings}}, "privacy": {"k": 2}}, folder=folder
    )
    (found,) = prepare(pa.table({"x": cells}), plan).columns
    assert isinstance(found, GeneralizedColumn)
    return found


def rows(of: GeneralizedColumn) -> dict[str | None, list[str | None]]:
    """The texts of each value from level 0 up."""
    texts = of.texts(of.attribute)
    return {of.labels[c]: [texts[r] for r in path] for c, path in enumerate(of.attribute.levels.T.tolist())}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "coarse.csv").write_text("surgeon;person\nnurse;person\nnun;person\n")
    (tmp_path / "wrong.csv").write_text("surgeon;fish;person\nnurse;fish;person\nnun;nun;person\n")
    (tmp_path / "ages.csv").write_text("20-30;20-60\n30-60;20-60\n")
    return tmp_path


def test_a_file_gives_levels_and_meaning(folder: Path) -> None:
    job = column(["nurse", "surgeon", "nun"], folder, hierarchy="jobs.csv")
    assert rows(job) == {
        "nun": ["nun", "nun", "person"],
        "nurse": ["nurse", "nurse", "person"],
        "surgeon": ["surgeon", "doctor", "person"],
    }
    assert job.ontology is not None and job.ontology.name == "jobs"
    assert job.note == ""


def test_padding_is_said_where_all_values_go_to_one_level(folder: Path) -> None:
    plan = om.Plan.from_dict(
        {
            "attributes": {"x": {"role": "quasi-identifier", "hierarchy": "jobs.csv"}},
            "privacy": {"k": 2},
            "method": {"name": "datafly"},
        },
        folder=folder,
    )
    release = om.anonymize(pa.table({"x": ["nurse", "surgeon", "nun"]}), plan)
    said = "column 'x': 2 of 3 values repeat a label to reach all levels of the hierarchy"
    assert said in release.notes


def test_a_missing_value_is_beside_a_root_that_has_a_name(folder: Path) -> None:
    job = column(["nurse", "surgeon", None], folder, hierarchy="jobs.csv")
    assert rows(job)[None] == [None, None, None, "*"]
    assert rows(job)["nurse"] == ["nurse", "nurse", "person", "*"]


def test_a_missing_value_is_below_a_root_that_says_nothing(folder: Path) -> None:
    (folder / "flat.csv").write_text("a;*\nb;*\n")
    assert rows(column(["a", "b", None], folder, hierarchy="flat.csv"))[None] == [None, "*"]


def test_labels_mean_what_they_mean_in_the_ontology(folder: Path) -> None:
    job = column(["nurse", "surgeon", "nun"], folder, hierarchy="jobs.csv", ontology="wordnet")
    wordnet = om.load_ontology("wordnet")
    meant = dict(zip(job.hierarchy.labels, job.meanings.tolist(), strict=True))
    assert [wordnet.key(meant[label]) for label in ("doctor", "person")] == ["doctor.n.01", "person.n.01"]
    surgeon = job.labels.index("surgeon")
    codes, level = np.array([surgeon], np.int32), job.attribute.levels[1, [surgeon]]
    assert job.attribute.distance(codes, level)[0] == wordnet.distance("surgeon", "doctor")


def test_of_several_files_the_one_that_keeps_most_meaning_is_used(folder: Path) -> None:
    job = column(
        ["nurse", "surgeon", "nun"],
        folder,
        hierarchy=["wrong.csv", "jobs.csv", "coarse.csv"],
        ontology="wordnet",
    )
    assert job.hierarchy.name == "jobs"
    assert job.note.startswith("of 3 hierarchies jobs was used (GSL by logsc: wrong 0.")


def test_candidates_need_an_ontology(folder: Path) -> None:
    with pytest.raises(om.OntomaskError, match=r"compared by meaning.*name the `ontology`"):
        column(["nurse", "nun"], folder, hierarchy=["jobs.csv", "coarse.csv"])


def test_a_value_that_the_hierarchy_lacks_is_named(folder: Path) -> None:
    with pytest.raises(om.OntomaskError, match=r"column 'x'.*'pilot'") as error:
        column(["nurse", "pilot"], folder, hierarchy="jobs.csv", ontology="wordnet")
    assert "pilot" not in str(error.value.without_values())


def test_words_of_one_concept_must_stand_together(folder: Path) -> None:
    (folder / "cars.csv").write_text("car;a;*\nauto;b;*\n")
    with pytest.raises(om.OntomaskError, match="in different places"):
        column(["car", "auto"], folder, hierarchy="cars.csv", ontology="wordnet")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("car;car;*\nauto;car;*\n", True),  # below the other
        ("car;car;*\nauto;auto;*\n", True),  # each goes on alone
        ("car;car;*\nauto;auto;*\ncart;car;*\n", True),
        ("car;car;*\nauto;auto;*\ncart;auto;*\n", False),  # others stand below one of them
        ("car;car;*\nauto;cart;*\ncart;cart;*\n", False),
        ("car;vehicle;*\nauto;auto;*\n", False),  # one goes on alone, the other does not
    ],
)
def test_where_words_of_one_concept_may_stand(folder: Path, text: str, fits: bool) -> None:
    (folder / "cars.csv").write_text(text)
    values = ["car", "car", "auto", *(["cart"] if "cart" in text else [])]
    if fits:
        assert rows(column(values, folder, hierarchy="cars.csv", ontology="wordnet"))["car"][1] == "car"
        return
    with pytest.raises(om.OntomaskError, match="in different places"):
        column(values, folder, hierarchy="cars.csv", ontology="wordnet")


def test_numbers_fall_into_the_ranges_of_a_file(folder: Path) -> None:
    age = column(["25", "30", "60.0"], folder, hierarchy="ages.csv", kind="numeric")
    assert [path[1:] for path in rows(age).values()] == [
        ["20-30", "20-60"],
        ["30-60", "20-60"],
        ["30-60", "20-60"],
    ]


@pytest.mark.parametrize(
    ("kind", "cells", "settings"),
    [
        (
            "nominal",
            ["surgeon", "nurse", "nun", "surgeon", None],
            {"ontology": "wordnet", "hierarchy": {"levels": 2}},
        ),
        ("nominal", ["surgeon", "nurse", "person"], {"ontology": "wordnet", "hierarchy": {}}),
        ("nominal", ["surgeon", "nurse", "nun"], {"hierarchy": "jobs.csv"}),
        ("nominal", ["surgeon", "nurse"] * 2, {"hierarchy": {"by": "prefix"}}),
        ("numeric", ["3", "17", "20.5", None], {"hierarchy": {"width": 5}}),
        ("numeric", ["3", "17", "20", "80"], {"hierarchy": {"by": "frequency", "levels": 2}}),
        ("numeric", ["3", "17", "20", "80"], {"hierarchy": {"ranges": "age"}}),
        ("ordinal", ["low", "mid", "high", None], {"order": ["low", "mid", "high"], "hierarchy": {}}),
    ],
)
def test_what_is_written_is_read_as_the_same(
    folder: Path, kind: str, cells: list[str | None], settings: dict[str, Any]
) -> None:
    of = column(cells, folder, kind=kind, **settings)
    used = np.unique(of.attribute.levels)
    texts = of.texts(of.attribute)
    again, found = of.read([texts[r] for r in used.tolist()])
    assert isinstance(again, Generalized)
    assert [of.texts(again)[r] for r in found.tolist()] == [texts[r] for r in used.tolist()]
    codes = np.arange(of.attribute.size, dtype=np.int32)
    for r, s in zip(used.tolist(), found.tolist(), strict=True):
        before = of.attribute.distance(codes, np.full(len(codes), r, np.int32))
        assert before.tolist() == again.distance(codes, np.full(len(codes), s, np.int32)).tolist()


def test_a_rare_spelling_is_not_written_for_what_is_below_it() -> None:
    """*TEACHER* of one row stands above the music teachers: they become what the ontology calls it."""
    plan = om.Plan.from_options(["x:wordnet"], k=3).replace(attributes={"x": {"hierarchy": {}}})
    cells = ["TEACHER", *["music teacher"] * 3, *["math teacher"] * 3]
    (of,) = prepare(pa.table({"x": cells}), plan).columns
    assert isinstance(of, GeneralizedColumn)
    written = {text for path in rows(of).values() for text in path}
    assert written == {"teacher", "music teacher", "math teacher"}


def test_the_same_figures_whether_the_hierarchy_was_built_or_loaded(tmp_path: Path) -> None:
    from ontomask.hierarchies.formats import write_hierarchy

    cells = ["surgeon", "nurse", "nun", "pilot", "driver", "surgeon", "nurse", "teacher", "cook", "baker"]
    ages = [str(20 + 3 * i) for i in range(10)]
    table = pa.table({"job": cells, "age": ages})
    masked = pa.table({"job": ["person"] * 5 + cells[5:], "age": ["20-39"] * 6 + ages[6:]})
    built: dict[str, Any] = {
        "job": {"role": "quasi-identifier", "ontology": "wordnet", "hierarchy": {"levels": 3}},
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"width": 10}},
    }
    plan = om.Plan.from_dict({"attributes": built, "privacy": {"k": 2}}, folder=tmp_path)
    for of in prepare(table, plan).columns:
        assert of.hierarchy is not None
        write_hierarchy(of.hierarchy, tmp_path / f"{of.name}.csv")
    loaded = plan.replace(
        attributes={
            name: {"hierarchy": {"files": [f"{name}.csv"], "levels": None, "width": None}} for name in built
        }
    )
    names = ("ncp", "granularity", "gen_iloss", "prec", "query_error", "query_error_median", "semantic_loss")
    first, second = (om.evaluate(table, masked, one) for one in (plan, loaded))
    assert [first[name] for name in names] == [second[name] for name in names]
    assert 0 < first["ncp"] < 1


def test_a_word_that_only_the_hierarchy_knows_is_placed_by_it(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("surgeon;doctor;*\nwizzard;wizzard;*\n")
    job = column(["surgeon", "wizzard", "wizzard"], tmp_path, hierarchy="jobs.csv", ontology="wordnet")
    assert rows(job)["wizzard"] == ["wizzard", "wizzard", "*"]
    assert "1 value in 2 rows has no concept" in job.note
    with pytest.raises(om.OntomaskError, match="have no concept in wordnet"):
        column(["surgeon", "wizzard", "gizzmo"], tmp_path, hierarchy="jobs.csv", ontology="wordnet")


@pytest.mark.parametrize("method", ["sa-mdav", "recoding", "mdav-lcs", "best-first"])
def test_codes_that_few_have_are_not_written_though_they_are_labels(method: str) -> None:
    """The tree of prefixes is made of the table itself: its labels are nobody's to know."""
    plan = om.Plan.from_dict(
        {
            "attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"by": "prefix"}}},
            "privacy": {"k": 3},
            "method": {"name": method},
        }
    )
    release = om.anonymize(pa.table({"zip": ["12345", "12346", "12347", "99", "99", "99"]}), plan)
    assert {*release.to_arrow().column("zip").to_pylist()} <= {"1234*", "123**", "12***", "1****", "*", "99"}
