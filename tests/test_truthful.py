"""Truthful releases, judged by the written texts alone: every cell is true, and costs what the texts say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from hostile.truth import is_named
from ontomask.attributes import Numeric, Tuples, space_of
from ontomask.columns.generalized import GeneralizedColumn
from ontomask.columns.words import WordColumn
from ontomask.errors import InternalError, OntomaskError, PlanError
from ontomask.methods import METHODS, Masking, Microaggregation
from ontomask.methods.task import Task
from ontomask.pipeline import prepare
from ontomask.report.page import render_report
from ontomask.verification import check_true

PARENTS: dict[str, tuple[str, ...]] = {
    "illness": (),
    "infection": ("illness",),
    "lung disease": ("illness",),
    "pneumonia": ("infection", "lung disease"),
    "flu": ("infection", "lung disease"),
    "asthma": ("lung disease",),
    "measles": ("infection",),
}
JOBS = {
    "nurse": ["medic", "*"],
    "surgeon": ["medic", "*"],
    "nun": ["clergy", "*"],
    "baker": ["baker", "*"],
}
GRADES = ["low", "mid", "high", "top"]
ALL_DAYS = [date(2019, 12, 31) + timedelta(i) for i in range(3655)]
GROUPING = [
    name
    for name, kind in METHODS.items()
    if kind.has_groups and not kind.is_truthful and name != "t-first"  # needs t
]
CELLS: dict[str, list[str | None]] = {
    "illness": ["pneumonia", "flu", "asthma", "measles", "infection", None],
    "job": [*JOBS, None],
    "age": ["-4", "-1", "7.5", "30", "31", None],
    "year": ["1999", "2001", "2002", "2008", None],
    "grade": [*GRADES, None],
    "day": ["2021-05-05", "2023-12-28", "2023-12-31", "2024-01-02", "2024-03-31", None],
}
KINDS: dict[str, dict[str, Any]] = {
    "illness": {"ontology": "illness.obo"},
    "job": {"hierarchy": "jobs.csv"},
    "age": {"kind": "numeric"},
    "year": {"kind": "numeric", "hierarchy": {"width": 5}},
    "grade": {"kind": "ordinal", "order": GRADES},
    "day": {"kind": "date"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("truthful")
    terms = [
        f"[Term]\nid: T:{i}\nname: {name}\n"
        + "".join(f"is_a: T:{list(PARENTS).index(parent)}\n" for parent in parents)
        for i, (name, parents) in enumerate(PARENTS.items())
    ]
    (made / "illness.obo").write_text("format-version: 1.2\n\n" + "\n".join(terms))
    (made / "jobs.csv").write_text("".join(";".join([job, *above]) + "\n" for job, above in JOBS.items()))
    return made


def plan_of(folder: Path, **changes: Any) -> om.Plan:
    columns = {name: {"role": "quasi-identifier", **kind} for name, kind in KINDS.items()}
    for name, more in changes.pop("columns", {}).items():
        columns[name] |= more
    return om.Plan.from_dict(
        {"attributes": columns, "release": "truthful", "privacy": {"k": 2}} | changes, folder=folder
    )


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Some rows; every column has a value."""
    n = draw(st.integers(4, 14))
    cells = {name: [draw(st.sampled_from(own)) for _ in range(n)] for name, own in CELLS.items()}
    for name, own in CELLS.items():
        if not any(cells[name]):
            cells[name][0] = own[0]
    return pa.table({name: pa.array(own, pa.string()) for name, own in cells.items()})


# ---------------------------------------------------------------------- a judge that knows texts only


def above(illness: str) -> set[str]:
    return {illness}.union(*(above(parent) for parent in PARENTS[illness]))


def ends(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?:-|\.\.)(-?\d+(?:\.\d+)?)", text)
    return (float(found[1]), float(found[2])) if found else (float(text), float(text))


def run_of(text: str) -> range:
    low, _, high = text.partition("..")
    return range(GRADES.index(low), GRADES.index(high or low) + 1)


def is_true(column: str, before: str | None, after: str | None) -> bool:
    if before == after or (column != "illness" and after == "*"):
        return True
    if after is None or (before is None and (column, after) != ("illness", "illness")):
        return False
    if column == "illness":
        return before is None or after in above(before)
    if column == "job":
        return after in JOBS[before]
    if column == "year":
        low, _, high = after.partition("-")
        return bool(high) and int(low) <= int(before) <= int(high)
    if column == "age":
        return ends(after)[0] <= float(before) <= ends(after)[1]
    if column == "day":
        return is_named(after, date.fromisoformat(before))
    return GRADES.index(before) in run_of(after)


def ncp_of(column: str, before: str | None, after: str | None, all_of_it: set[str | None]) -> float:
    """What a true cell costs, given the texts of its column."""
    values = {text for text in all_of_it if text is not None}
    if before is None or after is None:
        return float(before is not after)
    if column == "illness":
        if after == before:
            return 0.0
        if after == "illness" and None in all_of_it:
            return 1.0
        below = sum(after in above(value) for value in values)
    elif column == "job":
        below = sum(after in JOBS[value] for value in values) if after != before else 1
        if after == "*" and None in all_of_it:
            return 1.0
    elif column == "grade":
        ranks = [GRADES.index(value) for value in values]
        run = run_of(after) if after != "*" else None
        return 1.0 if run is None else (len(run) - 1) / (max(ranks) - min(ranks) or 1)
    elif after == "*" and None in all_of_it:
        return 1.0
    elif column == "day":
        days = [date.fromisoformat(value) for value in values]
        named = [day for day in ALL_DAYS if is_named(after, day)] if after != before else days[:1]
        return min((named[-1] - named[0]).days / ((max(days) - min(days)).days or 1), 1.0)
    else:
        numbers = [float(value) for value in values]
        inside = [x for value, x in zip(values, numbers, strict=True) if is_true(column, value, after)]
        low, high = ends(after) if column == "age" and after != "*" else (min(inside), max(inside))
        return (high - low) / (max(numbers) - min(numbers) or 1)
    return below / len(values) if below > 1 else 0.0


# ---------------------------------------------------------------------- properties


@pytest.mark.parametrize("method", GROUPING)
@settings(max_examples=8)
@given(table=tables(), data=st.data())
def test_every_cell_of_a_truthful_column_is_true(
    folder: Path, method: str, table: pa.Table, data: st.DataObject
) -> None:
    asked = {name: {"release": data.draw(st.sampled_from(["truthful", "central"]))} for name in CELLS}
    plan = plan_of(folder, columns=asked, method={"name": method}, seed=data.draw(st.integers(0, 9)))
    released = om.anonymize(table, plan).to_arrow()
    for name in CELLS:
        if plan.is_truthful(name):
            cells = zip(table[name].to_pylist(), released[name].to_pylist(), strict=True)
            assert [cell for cell in cells if not is_true(name, *cell)] == []


@pytest.mark.parametrize("method", ["sa-mdav", "recoding", "datafly", "best-first"])
@settings(max_examples=12)
@given(table=tables())
def test_figures_are_those_of_the_written_texts(folder: Path, method: str, table: pa.Table) -> None:
    plan = plan_of(folder, method={"name": method})
    if method in ("datafly", "best-first"):  # which would build a hierarchy for columns without one
        columns = ["job", "year"]
        table = table.select(columns)
        plan = plan.replace(attributes={name: None for name in CELLS if name not in columns})
    release = om.anonymize(table, plan)
    figures = om.evaluate(table, release.to_arrow(), plan)
    costs = [
        ncp_of(name, *cell, set(table[name].to_pylist()))
        for name in table.column_names
        for cell in zip(table[name].to_pylist(), release.to_arrow()[name].to_pylist(), strict=True)
    ]
    assert figures["ncp"] == pytest.approx(np.mean(costs))
    assert figures["granularity"] == pytest.approx(1 - np.mean(costs))
    assert {name: figures[name] for name in release.figures} == release.figures


@settings(max_examples=12)
@given(table=tables())
def test_crl_by_counting_the_records_that_contain_a_person(folder: Path, table: pa.Table) -> None:
    plan = plan_of(folder)
    released = om.anonymize(table, plan).to_arrow()
    people = list(zip(*(table[name].to_pylist() for name in CELLS), strict=True))
    cells = list(zip(*(released[name].to_pylist() for name in CELLS), strict=True))

    def may_be(person: tuple[Any, ...], record: tuple[Any, ...]) -> bool:
        return all(map(is_true, CELLS, person, record))

    chances = [1 / sum(may_be(person, record) for record in cells) for person in people]
    assert om.evaluate(table, released, plan)["crl"] == pytest.approx(100 * np.mean(chances))


@settings(max_examples=12)
@given(data=st.data(), combine=st.sampled_from(["mean", "euclidean"]))
def test_a_limit_of_a_truthful_column_is_one_of_its_ncp(data: st.DataObject, combine: str) -> None:
    n = data.draw(st.integers(4, 12))
    ages = [data.draw(st.integers(0, 10)) for _ in range(n)]
    table = pa.table({"age": ages, "year": [data.draw(st.integers(0, 3)) for _ in range(n)]})
    columns: dict[str, dict[str, Any]] = {
        name: {"role": "quasi-identifier", "kind": "numeric"} for name in table.column_names
    }
    columns["age"]["max_loss"] = 0.4
    plan = om.Plan.from_dict(
        {
            "attributes": columns,
            "release": "truthful",
            "privacy": {"k": 2, "suppress": "50%"},
            "method": {"combine": combine},
        }
    )
    try:
        released = om.anonymize(table, plan).to_arrow()
    except om.OntomaskError:
        return
    widths = [high - low for low, high in map(ends, map(str, released["age"].to_pylist()))]
    assert max(widths) / (max(ages) - min(ages) or 1) <= 0.4


# ---------------------------------------------------------------------- examples


PEOPLE = pa.table(
    {"age": ["40", "49", "41", "20", "22", None], "grade": ["low", "mid", "mid", "top", "top", "mid"]}
)


def two_columns(**changes: Any) -> om.Plan:
    attributes: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "grade": {"role": "quasi-identifier", "kind": "ordinal", "order": GRADES},
    }
    for name, more in changes.pop("columns", {}).items():
        attributes[name] |= more
    settings = {"attributes": attributes, "privacy": {"k": 2}, "release": "truthful"}
    return om.Plan.from_dict(settings | changes)


def test_ranges_runs_and_everything() -> None:
    released = om.anonymize(PEOPLE, two_columns()).to_arrow()
    assert released["grade"].to_pylist() == ["low..mid", "mid", "low..mid", "top", "top", "mid"]
    assert released["age"].to_pylist() == ["40-41", "*", "40-41", "20-22", "20-22", "*"]


def test_how_a_range_is_written_is_the_publishers() -> None:
    forms = {"age": {"range_format": "from {from} to {to}"}, "grade": {"range_format": "{from} - {to}"}}
    plan = two_columns(columns=forms)
    release = om.anonymize(PEOPLE, plan)
    assert release.to_arrow()["age"].to_pylist()[0] == "from 40 to 41"
    assert release.to_arrow()["grade"].to_pylist()[0] == "low - mid"
    read_back = om.evaluate(PEOPLE, release.to_arrow(), plan)
    assert read_back["sse"] == release.figures["sse"]


@pytest.mark.parametrize("form", ["{from}", "{to}-{from}", "{from}{to}", "{from}. {to}", "{from}-{to}-{to}"])
def test_a_range_must_be_readable_again(form: str) -> None:
    with pytest.raises(PlanError, match="range_format"):
        two_columns(columns={"age": {"range_format": form}})


def test_everything_is_told_apart_from_no_value_and_from_a_category() -> None:
    plan = two_columns(table={"na_values": ["", "*"]})
    release = om.anonymize(PEOPLE, plan)
    assert release.to_arrow()["age"].to_pylist()[1] == "(*)"
    assert om.evaluate(PEOPLE, release.to_arrow(), plan)["sse"] == release.figures["sse"]


def test_runs_of_categories_with_dots_in_them_are_read_back() -> None:
    order = ["a", "b", "a..b", "c"]
    table = pa.table({"x": ["a", "b", "a..b", "c"]})
    settings = {"role": "quasi-identifier", "kind": "ordinal", "order": order}
    plan = om.Plan.from_dict({"attributes": {"x": settings}, "privacy": {"k": 2}, "release": "truthful"})
    release = om.anonymize(table, plan)
    assert release.to_arrow()["x"].to_pylist() == ["a...b", "a...b", "a..b...c", "a..b...c"]
    assert om.evaluate(table, release.to_arrow(), plan)["sse"] == release.figures["sse"]


def test_a_run_of_categories_is_not_the_one_with_its_letters() -> None:
    order = ["a", "b", "ab", "c"]
    table = pa.table({"x": order})
    settings = {"role": "quasi-identifier", "kind": "ordinal", "order": order}
    plan = om.Plan.from_dict({"attributes": {"x": settings}, "privacy": {"k": 2}, "release": "truthful"})
    release = om.anonymize(table, plan)
    assert release.to_arrow()["x"].to_pylist() == ["a..b", "a..b", "ab..c", "ab..c"]
    assert om.evaluate(table, release.to_arrow(), plan)["ncp"] == pytest.approx(1 / 3)
    plan = plan.replace(attributes={"x": {"range_format": "{from}-{to}"}})
    assert om.evaluate(table, om.anonymize(table, plan).to_arrow(), plan)["ncp"] == pytest.approx(1 / 3)


def test_ranges_of_other_tools_are_covers_where_the_column_is_truthful_and_middles_where_not() -> None:
    before, after = pa.table({"age": ["40", "48", "50"]}), pa.table({"age": ["[40, 50[", "40 to 50", "*"]})
    truthful, central = (
        om.evaluate(before, after, om.Plan.from_options(["age:numeric"], k=2, scale="range", release=release))
        for release in ("truthful", "central")
    )
    assert truthful["ncp"] == 1
    # Central: 45 for 40 and for 48, and a value that is gone.
    assert central["ncp"] == pytest.approx((5 / 10 + 3 / 10 + 1) / 3)


def test_manifest_notes_and_report_say_which_columns_are_true() -> None:
    release = om.anonymize(PEOPLE, two_columns(columns={"grade": {"release": "central"}}))
    assert release.manifest["release"] == {"age": "truthful", "grade": "central"}
    assert release.notes[:2] == (
        "truthful, each value the original or a generalisation of it: age",
        "central, perturbed so that a value fits its group but may be wrong: grade",
    )
    assert json.loads(json.dumps(release.manifest))["plan"]["settings"]["release"] == "truthful"
    page = render_report(release)
    assert "what is true of all of its people, the original or a generalisation of it: age." in page
    assert "for one person it may be wrong: grade." in page


def test_an_untrue_cell_is_not_released() -> None:
    """Whatever goes wrong in a method, the check stands before the file."""
    prepared = prepare(PEOPLE, two_columns())
    masking = om.anonymize(PEOPLE, two_columns()).masking
    check_true(masking, prepared.tuples)
    swapped = replace(masking, values=masking.values[::-1])
    with pytest.raises(InternalError, match=r"not released: .* values of 'age' would not be true"):
        check_true(swapped, prepared.tuples)
    central = replace(masking, attributes=tuple(replace(a, is_truthful=False) for a in masking.attributes))
    check_true(replace(central, values=masking.values[::-1]), prepared.tuples)  # nobody promised that


def test_a_method_that_gives_groups_the_covers_of_others_releases_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finished = Microaggregation.finished

    def mistaken(*given: Any) -> Masking:
        made = finished(*given)
        return replace(made, values=made.values[::-1])

    monkeypatch.setattr(Microaggregation, "finished", mistaken)
    with pytest.raises(InternalError, match="would not be true"):
        om.anonymize(PEOPLE, two_columns())
    om.anonymize(PEOPLE, two_columns(release="central"))  # what fits a group is nobody's truth


def test_ends_below_zero_have_dots_between_them() -> None:
    table = pa.table({"age": ["-5", "-1", "4", "9"]})
    plan = om.Plan.from_options(["age:numeric"], k=2, release="truthful")
    release = om.anonymize(table, plan)
    assert release.to_arrow()["age"].to_pylist() == ["-5..-1", "-5..-1", "4..9", "4..9"]
    assert om.evaluate(table, release.to_arrow(), plan)["ncp"] == pytest.approx((2 * 4 + 2 * 5) / 14 / 4)


def test_a_star_of_another_tool_may_be_any_word_of_a_truthful_column(folder: Path) -> None:
    before, after = pa.table({"illness": ["flu", None]}), pa.table({"illness": ["*", "*"]})
    plan = om.Plan.from_dict(
        {"attributes": {"illness": {"role": "quasi-identifier", **KINDS["illness"]}}}, folder=folder
    )
    found = om.evaluate(before, after, plan.replace(release="truthful"))
    assert (found["ncp"], found["crl"], found["blanked"]) == (1, 50, 0)
    assert om.evaluate(before, after, plan)["blanked"] == 1


def test_limits_on_ncp_are_not_squared_where_distances_are() -> None:
    age, year = (Numeric.of(name, np.arange(3.0), np.ones(3, np.int64), weight=2.0) for name in "ay")
    tuples = Tuples(np.zeros((1, 2), np.int32), np.ones(1, np.int64))
    task = Task(tuples, [replace(age, is_truthful=True), year], [], max_loss=[0.4, 0.4])
    space = space_of(tuples, task.attributes, combine="euclidean", with_covers=True)
    assert task.limits_in(space) == pytest.approx([2 * 0.4, 2 * 0.4**2])


# ---------------------------------------------------------------------- the plan


def test_a_column_may_say_otherwise_than_the_plan() -> None:
    plan = two_columns(columns={"age": {"release": "central"}})
    assert [plan.is_truthful(name) for name in ("age", "grade")] == [False, True]
    assert not om.Plan.from_options(["age:numeric"]).is_truthful("age")
    assert om.Plan.from_yaml(plan.to_yaml()) == plan


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if kind.is_truthful])
def test_methods_that_write_only_what_is_true_cannot_be_central(name: str) -> None:
    for central in ({"release": "central"}, {"columns": {"age": {"release": "central"}}}):
        with pytest.raises(PlanError, match=f"release: {name} writes only what is true"):
            two_columns(method={"name": name}, **central)
    plan = two_columns(release="central", columns={"age": {"release": "central"}})
    assert plan.with_method(name).is_truthful("age")
    assert two_columns(release=None, method={"name": name}).is_truthful("age")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"role": "confidential", "release": "truthful"}, "only a quasi-identifier has a release"),
        ({"role": "quasi-identifier", "range_format": "{from}-{to}"}, "only kind: numeric and kind: ordinal"),
    ],
)
def test_settings_that_have_no_place(settings: dict[str, str], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        om.Plan.from_dict({"attributes": {"x": settings}})


# ------------------------------------------------- texts that say more than their concept


@pytest.mark.parametrize("release", ["truthful", "central"])
@pytest.mark.parametrize(
    ("column", "words", "mapping", "written"),
    [
        ("occupation", ["carer", "surgeon", "dentist", "pharmacist"], {}, "health professional"),
        ("diagnosis", ["back pain", "migraine", "headache", "sciatica"], {}, "pain"),
        (
            "diagnosis",
            ["covid-19", "asthma", "pneumonia", "bronchitis"],
            {"covid-19": "respiratory_disease.n.01"},
            "respiratory disease",
        ),
    ],
)
def test_a_word_is_not_written_for_others_of_the_concept_it_was_taken_for(
    tmp_path: Path, release: str, column: str, words: list[str], mapping: dict[str, str], written: str
) -> None:
    """The first word says more than its concept does (by a synonym, its head, a mapping); most have it."""
    table = pa.table({column: words[:1] * 4 + words[1:] * 2})
    settings: dict[str, Any] = {"role": "quasi-identifier", "ontology": "wordnet"}
    if mapping:
        (tmp_path / "mapping.csv").write_text("value,concept\n" + "\n".join(map(",".join, mapping.items())))
        settings["mapping"] = "mapping.csv"
    asked = {"attributes": {column: settings}, "release": release, "privacy": {"k": 4}}
    plan = om.Plan.from_dict(asked, folder=tmp_path)
    whole = om.anonymize(table, plan.replace(privacy={"k": 10})).to_arrow()[column].to_pylist()
    made = om.anonymize(table, plan)
    assert words[0] not in {*made.to_arrow()[column].to_pylist(), *whole}
    assert {*whole} == {written} if release == "truthful" else written in whole
    figures = om.evaluate(table, made.to_arrow(), plan)
    assert {name: figures[name] for name in made.figures} == made.figures
    pair = om.anonymize(pa.table({column: words[:1] * 4 + words[1:2]}), plan).to_arrow()[column].to_pylist()
    assert words[0] not in pair
    alone = om.anonymize(pa.table({column: words[:1] * 4}), plan).to_arrow()[column].to_pylist()
    assert alone == words[:1] * 4  # nobody else is of its concept: it says the same


def test_a_plural_is_a_name_of_its_concept() -> None:
    column = {"role": "quasi-identifier", "ontology": "wordnet"}
    plan = om.Plan.from_dict({"attributes": {"job": column}, "release": "truthful", "privacy": {"k": 3}})
    cells = ["nurses", "nurses", "nurses", "head nurse"]
    assert om.anonymize(pa.table({"job": cells}), plan).to_arrow()["job"].to_pylist() == ["nurses"] * 4


def diagnoses(cells: list[str], k: int, **settings: Any) -> tuple[list[str], str]:
    """The release of a column of diagnoses, and its notes in one text."""
    column = {"role": "quasi-identifier", "ontology": "wordnet"}
    asked = {"attributes": {"diagnosis": column}, "release": "truthful", "privacy": {"k": k}, **settings}
    made = om.anonymize(pa.table({"diagnosis": cells}), om.Plan.from_dict(asked))
    return made.to_arrow()["diagnosis"].to_pylist(), "\n".join(made.notes)


def test_what_nobody_decided_is_not_written_as_its_concept() -> None:
    """Six of *cancer*, and some who need not have it: alone if k rows say the same, else everything."""
    cells = ["cancer"] * 6 + ["history of cancer"] * 3 + ["suspected cancer", "mother had cancer", "cancer?"]
    released, notes = diagnoses(cells, 3)
    assert released == ["cancer"] * 6 + ["history of cancer"] * 3 + ["entity"] * 3
    told = (
        "4 of 5 values, in 6 rows, have a concept that is doubtful, and nobody decided it: as what is written"
    )
    assert told in notes
    central, notes = diagnoses(cells, 3, release="central")
    assert central == ["cancer"] * 12 and "nobody decided" not in notes and "is doubtful" in notes


def test_what_a_person_accepted_is_written_as_its_concept(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("value,concept\nsuspected cancer,cancer.n.01\n", encoding="utf-8")
    column = {"role": "quasi-identifier", "ontology": "wordnet", "mapping": str(tmp_path / "m.csv")}
    cells = ["cancer"] * 3 + ["suspected cancer"]
    for attributes, expected in ((column, ["cancer"] * 4), ({**column, "mapping": None}, ["entity"] * 4)):
        released, notes = diagnoses(cells, 2, attributes={"diagnosis": attributes})
        assert released == expected and ("doubtful" in notes) == (expected[0] == "entity")


def test_a_hierarchy_that_has_the_texts_is_true_without_links(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("cancer;tumour\nhistory of cancer;tumour\n", encoding="utf-8")
    column = {"role": "quasi-identifier", "ontology": "wordnet", "hierarchy": str(tmp_path / "h.csv")}
    mapping = {"diagnosis": {**column, "mapping": str(tmp_path / "m.csv")}}
    (tmp_path / "m.csv").write_text("value,concept\ncancer,tumor.n.01\n", encoding="utf-8")
    released, _ = diagnoses(["cancer", "history of cancer"], 2, attributes=mapping)
    assert released == ["tumour"] * 2


def test_a_text_that_means_only_itself_is_read_back_as_such() -> None:
    plan = {
        "attributes": {"diagnosis": {"role": "quasi-identifier", "ontology": "wordnet"}},
        "release": "truthful",
        "privacy": {"k": 2},
    }
    cells = ["cancer"] * 2 + ["suspected cancer", "?cancer"]
    column = om.anonymize(pa.table({"diagnosis": cells}), om.Plan.from_dict(plan)).columns[0]
    attribute, read = column.read(["cancer", "suspected cancer", "?cancer"])
    assert len({*column.concepts(attribute)[read].tolist()}) == 3


def test_evaluate_takes_from_the_manifest_what_is_truthful(tmp_path: Path) -> None:
    """What an intruder finds by covers (CRL) is told of a truthful column alone."""
    (tmp_path / "a.csv").write_text("age\n31\n33\n40\n45\n")
    (tmp_path / "p.yaml").write_text(
        "attributes: {age: {role: quasi-identifier, kind: numeric}}\nprivacy: {k: 2}\n"
    )
    plan = om.Plan.load(tmp_path / "p.yaml")
    om.anonymize(tmp_path / "a.csv", plan.replace(release="truthful")).write(tmp_path / "r.csv")

    def evaluated() -> tuple[dict[str, Any], str]:
        typed = ["evaluate", "a.csv", "r.csv", "--plan", "p.yaml", "--json"]
        command = [sys.executable, "-c", "from ontomask.cli import main; main()", *typed]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return json.loads(done.stdout), done.stderr

    found, told = evaluated()
    assert "truthful, as r.manifest.json says: age" in told
    assert "crl" in found
    (tmp_path / "r.manifest.json").unlink()
    central, told = evaluated()
    assert "truthful" not in told and "crl" not in central and central["ncp"] < found["ncp"]


def test_a_tree_may_tell_apart_what_only_a_doubtful_link_joins(tmp_path: Path) -> None:
    """Who places a history of cancer elsewhere says that it is no cancer."""
    (tmp_path / "h.yaml").write_text(
        "anything:\n  ill: {cancer: {}, asthma: {}}\n  well: {history of cancer: {}, suspected gout: {}}\n"
    )
    cells = ["cancer", "asthma", "history of cancer", "suspected gout"] * 2
    column = {"role": "quasi-identifier", "ontology": "wordnet", "hierarchy": "h.yaml"}
    plan = om.Plan.from_dict({"attributes": {"diagnosis": column}, "privacy": {"k": 4}}, folder=tmp_path)
    with pytest.raises(OntomaskError, match="one concept with another value"):
        om.anonymize(pa.table({"diagnosis": cells}), plan)
    release = om.anonymize(pa.table({"diagnosis": cells}), plan.replace(release="truthful"))
    assert release.to_arrow()["diagnosis"].to_pylist() == ["ill", "ill", "well", "well"] * 2
    column_read = release.columns[0]
    assert isinstance(column_read, GeneralizedColumn) and isinstance(column_read.plain, WordColumn)
    assert [*column_read.plain.leaf_of] == ["history of cancer"], "the others are joined with nothing"
