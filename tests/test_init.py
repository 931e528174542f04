"""`init` on exports of many kinds and languages: recognisers, whole tables, and hints that run as printed."""

from __future__ import annotations

import csv
import random
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from typer.testing import CliRunner

import ontomask as om
from ontomask import datasets
from ontomask.cli import app
from ontomask.errors import PlanError
from ontomask.plan import Plan
from ontomask.profile import profile_table
from ontomask.profile.deciding import with_role
from ontomask.profile.guess import missing_value_words, scale_of
from ontomask.profile.languages import WORDS, language_of
from ontomask.profile.national import NUMBERS, are_snomed_ids, number_of_a_person
from ontomask.profile.people import share_of_names
from ontomask.profile.personal import RECOGNISERS, Seen, sampling_weight

ROWS = 60


def drawn(values: str, seed: int = 0) -> list[str]:
    """A value in each row; all of them occur."""
    words = values.split("|")
    rows = [words[i % len(words)] for i in range(ROWS)]
    random.Random(f"{values}{seed}").shuffle(rows)
    return rows


def each(form: Callable[[random.Random], str]) -> list[str]:
    """A value made anew in each row."""
    source = random.Random(11)
    return [form(source) for _ in range(ROWS)]


def write(path: Path, columns: dict[str, list[str]], separator: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


# ---------------------------------------------------------------------- numbers of people


RIGHT = {  # published examples, each with its check digits
    "Spanish DNI or NIE": "12345678Z 00000000T 11111111H X1234567L 87654321X",
    "French social security numbers": "255081416802538 2-55-08-14-168-025-38 255082A16802597",
    "British NHS numbers": "9434765919 943-476-5870 9876543210",
    "Brazilian CPF": "529.982.247-25 11144477735 123.456.789-09",
    "Polish PESEL": "44051401359 02070803628",
    "German tax numbers": "86095742719 47036892816",
    "Portuguese NIF": "123456789 501964843",
    "Dutch BSN": "111222333 123456782",
    "account numbers (IBAN)": "GB82WEST12345698765432 DE89370400440532013000 FR1420041010050500013M02606",
    "card numbers": "4111111111111111 5500005555555559 378282246310005",
}


@pytest.mark.parametrize("called", RIGHT)
def test_check_digits(called: str) -> None:
    """The published number is right, and no longer so with another last character."""
    (number,) = (one for one in NUMBERS if one.called == called)
    for text in RIGHT[called].split():
        bare = re.sub(r"[.\-]", "", text)
        assert number.form.fullmatch(bare) and number.is_right(bare)
        others = "0123456789" if bare[-1].isdigit() else "ABCDEFGHJKLMNPQRSTVWXYZ"
        assert [number.is_right(bare[:-1] + other) for other in others].count(True) == 1


def test_numbers_of_people_need_several_right_ones() -> None:
    right = RIGHT["Spanish DNI or NIE"].split()
    assert number_of_a_person(right) == "Spanish DNI or NIE"
    assert number_of_a_person(right[:4]) is None
    assert number_of_a_person([*right[:4], "12345678A"]) is None
    assert number_of_a_person([f"{i}-45-678{i % 10}" for i in range(100, 130)]) == (
        "American social security numbers"
    )
    assert number_of_a_person([str(9434765910 + i) for i in range(30)]) is None  # one of eleven is right


def test_ids_of_snomed() -> None:
    assert are_snomed_ids(["73211009", "195967001", "38341003", "22298006"])
    assert not are_snomed_ids(["73211009", "195967001", "38341003", "22298007"])
    assert not are_snomed_ids(["73211009"])


# ---------------------------------------------------------------------- names, scales, languages


def test_names_of_people_by_their_values() -> None:
    assert share_of_names(["Smith, Mary", "Dr. Xu", "Jürgen Qzx", "María del Carmen López"]) == 1
    assert share_of_names(["nurse", "white", "Paris", "Mary was here and then went home"]) == 0


@pytest.mark.parametrize(
    "steps",
    [
        "muy bajo|bajo|medio|alto|muy alto",
        "stimme gar nicht zu|teils-teils|stimme voll und ganz zu",
        "pas du tout d'accord|plutôt d’accord|tout à fait d'accord",
        "scarso|sufficiente|buono|ottimo",
        "discordo totalmente|neutro|concordo totalmente",
        "Very unlikely|likely|VERY LIKELY",
        "Hauptschule|Realschule|Abitur",
    ],
)
def test_scales_of_several_languages(steps: str) -> None:
    order = tuple(steps.split("|"))
    assert scale_of(sorted(order)) == order


@pytest.mark.parametrize("language", WORDS)
def test_languages_are_told_apart_by_their_own_words(language: str) -> None:
    others = {word for one, words in WORDS.items() if one != language for word in words.split()}
    own = [word for word in WORDS[language].split() if word not in others]
    assert language_of([], own[:3]) == language
    assert language_of([], own[:2]) is None  # too few
    assert language_of(own[:1], own[1:2]) == language  # a name counts twice


@pytest.mark.parametrize(
    ("names", "texts", "language"),
    [
        ("apellido años oficio enfermedad", "albañil panadero neumonía gripe", "Spanish"),
        ("Patient Jahre Tätigkeit Krankheit", "Bäcker Maurer Grippe", "German"),
        ("nome età professione diagnosi", "muratore panettiere polmonite", "Italian"),
        ("płeć wiek zawód", "piekarz murarz", "Polish"),
        ("kön ålder yrke", "bagare lärare", "Swedish"),
        ("alder køn sygdom", "bager læge", "Danish"),
        ("yaş meslek hastalık", "fırıncı öğretmen", "Turkish"),
        ("возраст профессия болезнь", "врач пекарь", "Russian"),
        ("leeftijd beroep ziekte", "bakker leraar", "Dutch"),
        ("âge métier maladie", "boulanger maçon", "French"),
        ("idade profissão doença", "pedreiro padeiro", "Portuguese"),
        ("patient age job diagnosis", "cook baker asthma flu", "English"),
        ("ward score", "asthma flu", None),
    ],
)
def test_languages_of_small_tables(names: str, texts: str, language: str | None) -> None:
    assert language_of(names.split(), texts.split()) in (
        language,
        "English" if language is None else language,
    )


UGLY = Path(__file__).parent / "tables" / "ugly"
ENGLISH = [datasets.path("patients.csv"), datasets.path("survey.csv")]
ENGLISH += [
    UGLY / f"{name}.csv" for name in ("units", "na_marks", "several_answers", "icd_codes", "lookalikes")
]


@pytest.mark.parametrize("file", ENGLISH, ids=lambda file: file.name)
def test_english_tables_have_no_note_about_language(file: Path) -> None:
    assert not [note for note in om.init(file).notes if "values look" in note]


def test_none_is_an_answer_before_it_is_missing() -> None:
    assert missing_value_words(["none", "Catholic", "n/a"]) == {"n/a"}
    assert missing_value_words(["none", "7", "8"]) == {"none"}
    assert missing_value_words(["None", "2020-01-02"]) == {"None"}


def test_none_may_be_missing_in_one_column_and_an_answer_in_another() -> None:
    table = pa.table({"religion": drawn("none|Catholic|Jewish"), "age": ["none", *drawn("31|32|33|34")[1:]]})
    found = om.init(table)
    assert found["religion"].missing == 0 and found["religion"].distinct == 3
    assert (found["age"].kind, found["age"].missing) == ("numeric", 1)
    assert found.options.na_values == ("", "NA", "?")
    assert found.settings()["attributes"]["age"]["na_values"] == ["", "NA", "?", "none"]
    decided = found.decide(dict.fromkeys(found.undecided, "quasi-identifier")).plan()
    assert om.anonymize(table, decided.replace(unmapped="own-leaf")).figures["smallest_class"] >= 5


# ---------------------------------------------------------------------- each recogniser


EXAMPLES: dict[str, tuple[str, Sequence[str], int, bool]] = {
    "named_as_number": ("telemóvel", ["1"], 9, False),
    "named_as_birth_date": ("Fecha de nacimiento", ["1"], 9, False),
    "named_as_name": ("Cognome", ["x"], 9, False),
    "postcode": ("x", ["SW1A 1AA", "M1 1AE", "LS1 4DY"], 90, False),
    "named_as_coordinate": ("lat", ["1.5"], 9, True),
    "named_as_street": ("Straße", ["x"], 9, False),
    "household": ("Haushalts-ID", ["1", "2"], 9, True),
    "record_number": ("lfd Nr", ["1", "2", "3"], 3, True),
    "whose_row": ("patient_id", ["1", "2"], 9, True),
    "address_on_a_network": ("x", ["a@b.org"], 9, False),
    "national_number": ("x", RIGHT["Spanish DNI or NIE"].split(), 5, False),
    "place_on_the_map": ("x", ["41.3874, 2.1686"], 9, False),
    "names_of_people": ("x", ["Mary", "Dr Xu", "Hans Qzx"], 9, False),
    "phone_number": ("x", ["+34 600 111 222", "+34 600 111 223"], 2, False),
    "free_text": ("x", ["it was raining on that day"], 1, False),
}


@pytest.mark.parametrize("recognise", RECOGNISERS, ids=lambda one: one.__name__)
def test_each_recogniser_has_a_column_that_none_before_it_takes(
    recognise: Callable[[Seen], object],
) -> None:
    seen = Seen(*EXAMPLES[recognise.__name__])
    assert next(one for one in RECOGNISERS if one(seen)) is recognise


def test_body_weights_are_no_sampling_weights() -> None:
    assert sampling_weight("peso", ["1.31", "0.72", "0.98"], True)
    assert not sampling_weight("peso", ["71.31", "80.72", "64.98"], True)
    assert not sampling_weight("age", ["1.31", "0.72", "0.98"], True)
    found = sampling_weight("Hochrechnungsfaktor", ["1210", "900"], True)
    assert found and (found.role, found.sure) == ("other", False)
    assert "round it in the table" in found.advice


def test_what_is_left_as_it_is_has_no_rounding() -> None:
    """Which the advice about weights says; the refusal does not tell that the column has no role."""
    with pytest.raises(PlanError, match=r"with role: other .* left as it is"):
        Plan.from_dict({"attributes": {"w": {"role": "other", "round": 0.1}}})


# ---------------------------------------------------------------------- whole exports

DAY = "{:02}/{:02}/{}".format
EXPORTS: dict[str, dict[str, tuple[list[str], str]]] = {
    "a hospital of the United States": {
        "Pt": (drawn("Smith, Mary|Jones, Robert|Davis, Linda|Wilson, James"), "identifier"),
        "Soc": (
            each(lambda r: f"{r.randrange(100, 600)}-{r.randrange(10, 99)}-{r.randrange(1000, 9999)}"),
            "identifier",
        ),
        "DOB": (each(lambda r: DAY(r.randrange(1, 29), r.randrange(1, 13), 1970)), "undecided"),
        "ZIP": (drawn("90210|10001|60601"), "undecided"),
        "religion": (drawn("none|Catholic|Jewish"), "undecided"),
        "salary": (each(lambda r: str(r.randrange(20_000, 90_000))), "undecided"),
    },
    "patients in Spain": {
        "Nombre y apellidos": (drawn("Ana Ruiz|Luis Gil|Qzx Pqr"), "identifier"),
        "Documento": (
            each(lambda r: (lambda n: f"{n}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}")(r.randrange(10**7, 10**8))),
            "identifier",
        ),
        "Móvil": (drawn("600111222|600111223"), "identifier"),
        "Sexo": (drawn("Hombre|Mujer"), "quasi-identifier"),
        "Profesión": (drawn("enfermera|abogado|camarero"), "quasi-identifier"),
        "Salario": (each(lambda r: str(r.randrange(12_000, 60_000))), "undecided"),
        "Nivel": (drawn("bajo|medio|alto"), "quasi-identifier"),
    },
    "a survey in Germany": {
        "lfd Nr": ([str(i) for i in range(ROWS)], "identifier"),
        "Haushalts-ID": ([str(i // 3) for i in range(ROWS)], "undecided"),
        "Gewichtungsfaktor": (each(lambda r: f"{r.uniform(0.3, 3):.4f}"), "undecided"),
        "PLZ": (drawn("10115|80331"), "undecided"),
        "Geschlecht": (drawn("männlich|weiblich|divers"), "quasi-identifier"),
        "Nettoeinkommen": (each(lambda r: str(r.randrange(900, 6000))), "undecided"),
        "Bildung": (drawn("Hauptschule|Realschule|Abitur"), "quasi-identifier"),
        "Hobbys": (drawn("Wandern; Lesen|Lesen|Kochen; Wandern"), "undecided"),
        "Bemerkung": (each(lambda r: f"Herr Qzx hat {r.random()} mal angerufen"), "undecided"),
    },
    "insured people in France": {
        "prénom": (drawn("Qzx|Pqr"), "identifier"),
        "NIR": (drawn("255081416802538|255082A16802597"), "identifier"),
        "tél": (drawn("06 11 22 33 44|06 11 22 33 45"), "identifier"),
        "sexe": (drawn("homme|femme"), "quasi-identifier"),
        "avis": (drawn("pas d'accord|d'accord|tout à fait d'accord"), "quasi-identifier"),
        "salaire": (each(lambda r: str(r.randrange(1200, 5000))), "undecided"),
    },
    "examinations in Italy": {
        "CF": (
            each(lambda r: f"RSSMRA{r.randrange(10, 99)}A{r.randrange(10, 28)}H{r.randrange(100, 999)}S"),
            "identifier",
        ),
        "cellulare": (drawn("3331112222|3331112223"), "identifier"),
        "CAP": (drawn("00100|20121"), "undecided"),
        "giudizio": (drawn("scarso|buono|ottimo"), "quasi-identifier"),
        "professione": (drawn("infermiere|avvocato|insegnante"), "quasi-identifier"),
        "patologia": (drawn("qzxite|pqrite|wvxite"), "undecided"),
    },
    "customers in Brazil": {
        "CPF": (drawn("52998224725|11144477735"), "identifier"),
        "CEP": (drawn("01310-100|20040-020"), "undecided"),
        "data de nascimento": (
            each(lambda r: DAY(r.randrange(1, 29), r.randrange(1, 13), 1970)),
            "undecided",
        ),
        "gênero": (drawn("feminino|masculino"), "quasi-identifier"),
        "concordância": (drawn("discordo|neutro|concordo"), "quasi-identifier"),
        "renda": (each(lambda r: str(r.randrange(900, 9000))), "undecided"),
    },
    "a practice in Britain": {
        "a": (drawn("9434765919|9434765870|9876543210"), "undecided"),
        "postcode": (drawn("SW1A 1AA|M1 1AE|LS1 4DY"), "undecided"),
        "GP": (drawn("Dr Smith|Dr Patel|Dr Xu"), "identifier"),
        "snomed": (drawn("73211009|195967001|38341003"), "undecided"),
    },
    "a panel": {
        "RespID": ([str(10_000 + i) for i in range(ROWS)], "identifier"),
        "WTFINL": (each(lambda r: f"{r.uniform(100, 4000):.3f}"), "undecided"),
        "hh_id": ([str(i // 4) for i in range(ROWS)], "undecided"),
        "q1": (drawn("1|2|3|4|5"), "undecided"),
        "country": (drawn("US|DE|FR"), "quasi-identifier"),
        "freq": (drawn("Never|Monthly|Daily"), "quasi-identifier"),
    },
    "a log": {
        "who": (drawn("Hans Müller|Anna Weber|Petra Qzx"), "identifier"),
        "when": (each(lambda r: f"2021-03-{r.randrange(1, 29):02}T10:{r.randrange(60):02}:00Z"), "undecided"),
        "session": (each(lambda r: f"{r.getrandbits(128):032x}"), "identifier"),
        "client ip": (drawn("10.0.0.1|10.0.0.2"), "identifier"),
    },
    "staff": {
        "Boss's name": (each(lambda r: f"Qzx{r.random()}"), "identifier"),
        'Work "mail"': (drawn("a@b.org|c@d.org"), "identifier"),
        "Job Title": (drawn("nurse|cook|zzqy|teachr"), "undecided"),
        "Grade": (drawn("A|B|C"), "undecided"),
        "empty": ([""] * ROWS, "other"),
    },
}
LANGUAGES = {
    "patients in Spain": "Spanish",
    "a survey in Germany": "German",
    "insured people in France": "French",
    "examinations in Italy": "Italian",
    "customers in Brazil": "Portuguese",
}


@pytest.mark.parametrize("case", EXPORTS)
def test_exports(case: str, tmp_path: Path) -> None:
    columns = {name: values for name, (values, _) in EXPORTS[case].items()}
    found = profile_table(write(tmp_path / "t.csv", columns, ";"))
    assert {column.name: column.written_role for column in found.columns} == {
        name: role for name, (_, role) in EXPORTS[case].items()
    }
    assert re.findall(r"values look (\w+)", " ".join(found.notes)) == [
        language for name, language in LANGUAGES.items() if name == case
    ]
    assert om.init(pa.table(columns)).undecided == found.undecided
    Plan.from_yaml(found.to_yaml())


# ---------------------------------------------------------------------- dates


def drafted(name: str, values: Sequence[object]) -> dict[str, object]:
    """What stands in the draft for a column."""
    found = om.init(pa.table({name: values})).settings()["attributes"][name]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("typed", [str, int])
@pytest.mark.parametrize("name", ["admission_date", "Aufnahmedatum", "x"])
def test_numbers_that_are_days(name: str, typed: type, tmp_path: Path) -> None:
    days = [typed(f"2020{i % 12 + 1:02}{i % 28 + 1:02}") for i in range(ROWS)]
    table = pa.table({name: days, "age": drawn("31|32|33")})
    found = om.init(table)
    assert found.settings()["attributes"][name] == {"role": "undecided", "kind": "date"}
    assert "dates" in found[name].why and found[name].span is None
    decided = found.decide({name: "quasi-identifier"}).plan()
    assert om.anonymize(table, decided).figures["smallest_class"] >= 5


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("admission_date", ["20201301", "20200102"]),  # there is no month 13
        ("x", ["20200103", "30200104"]),  # nobody lives then
        ("salary", ["12345678", "20200103"]),
    ],
)
def test_numbers_that_are_no_days(name: str, values: list[str]) -> None:
    assert drafted(name, values * 30).get("kind") != "date"


def test_days_of_another_time_are_days_by_their_name() -> None:
    assert drafted("datum", ["16500103", "16500204"] * 30)["kind"] == "date"
    assert drafted("x", ["16500103", "16500204"] * 30).get("kind") != "date"


def test_years_of_two_digits_need_a_format(tmp_path: Path) -> None:
    table = pa.table({"seen": [f"{i % 12 + 1:02}.01.24" for i in range(ROWS)], "age": drawn("31|32|33")})
    found = om.init(table)
    assert found.settings()["attributes"]["seen"] == {
        "role": "undecided",
        "kind": "date",
        "format": "%d.%m.%y",
    }
    assert om.anonymize(table, found.decide({"seen": "quasi-identifier"}).plan())
    both = om.init(pa.table({"seen": [f"{i % 12 + 1}/5/24" for i in range(ROWS)]}))["seen"]
    assert [one["format"] for one in both.instead] == ["%d/%m/%y", "%m/%d/%y"]


# ---------------------------------------------------------------------- several answers, free text

CODES = ("I21.9", "E11.9", "J45.20", "I10", "E78.5", "N18.3")


def two_codes(source: random.Random) -> list[str]:
    return source.sample(CODES, 2)


@pytest.mark.usefixtures("icd10cm")
@pytest.mark.parametrize("name", ["comorbid", "dx", "x"])
@pytest.mark.parametrize("between", ["; ", "|", ", "])
def test_several_codes_in_each_cell(name: str, between: str) -> None:
    found = drafted(name, each(lambda r: between.join(two_codes(r))))
    assert (found["several"], found["ontology"]) == (between.strip(), "icd10cm")


@pytest.mark.usefixtures("icd10cm")
def test_lists_of_codes() -> None:
    source = random.Random(5)
    found = drafted("comorbid", [two_codes(source) for _ in range(ROWS)])
    assert found["ontology"] == "icd10cm" and found["several"]


def test_many_codes_in_few_rows_are_not_unique_values() -> None:
    """What counts is how many cells have an answer, of which a cell has several."""
    cells = [f"I{i % 40 + 20}.9; E{i % 30 + 10}.9; I10" for i in range(ROWS)]
    assert om.init(pa.table({"dx": cells}))["dx"].role == "quasi-identifier"


def test_several_answers_are_never_a_unit() -> None:
    source = random.Random(5)
    found = om.init(pa.table({"patient_id": [two_codes(source) for _ in range(ROWS)]}))
    assert found["patient_id"].written_role == "undecided" and not found["patient_id"].unit
    assert "unit:" not in found.to_yaml()


NOTES = ("Patient was seen by Dr Qzx in the ward", "moved to Leeds with her mother", "ok", "no change")


@pytest.mark.parametrize("name", ["comments", "Remarks", "patient_notes", "observaciones", "Bemerkung"])
@pytest.mark.parametrize("every", [1, 8], ids=["repeating", "sentences in some rows"])
def test_free_text_by_its_name(name: str, every: int) -> None:
    cells = [NOTES[i // every % 4] if i % every == 0 else "ok" for i in range(ROWS)]
    found = om.init(pa.table({name: cells}))
    assert (found[name].written_role, found[name].role) == ("undecided", "identifier")
    assert "free text" in found[name].why
    assert not any(word in found.to_yaml() for word in ("Qzx", "Leeds"))


def test_sentences_are_never_quoted() -> None:
    """Whatever the column is called, and however many there are."""
    cells = drawn("|".join(f"told on day {i} by Qzx to the nurse" for i in range(15)))
    text = om.init(pa.table({"x": cells, "job": drawn("nurse|cook|judge")})).to_yaml()
    assert "x: {role: undecided" in text and "Qzx" not in text


def test_steps_of_grades_are_no_free_text() -> None:
    assert om.init(pa.table({"Note": drawn("sehr gut|gut|befriedigend")}))["Note"].kind == "ordinal"


# ---------------------------------------------------------------------- doubtful words


@pytest.mark.parametrize(
    "values", ["positive|negative", "active|inactive|pending|closed", "seen by a doctor|went to mother|told"]
)
def test_words_that_no_ontology_surely_knows_mean_themselves(values: str) -> None:
    table = pa.table({"x": drawn(values), "age": drawn("31|32|33")})
    found = om.init(table)
    assert found.settings()["attributes"]["x"] == {"role": "undecided", "ontology": "flat"}
    assert "ontology: flat" in found["x"].advice
    assert om.anonymize(table, found.decide({"x": "quasi-identifier"}).plan())


def test_a_column_of_doubtful_words_is_asked_about() -> None:
    """More than half of the values, and more than one; the least sure are named."""
    found = om.init(pa.table({"who": drawn("nurse|teacher|cook|driver|judge")}))["who"]
    assert found.coverage and len(found.coverage.doubtful) > 1
    assert found.written_role == "undecided" and "not sure" in found.why
    one = om.init(pa.table({"city": drawn("Malaga|Cadiz|Leon|Madrid|Lisbon|Porto")}))["city"]
    assert one.coverage and one.coverage.doubtful == ("Leon",) and one.sure


def test_what_is_doubtful_in_the_draft_is_so_in_the_run() -> None:
    cities = drawn("Malaga|Cadiz|Leon|Madrid|Lisbon|Porto")
    found = om.init(pa.table({"city": cities}))["city"].coverage
    assert found and found.under == "city"
    links = om.link(sorted(set(cities)), om.load_ontology("wordnet"), column="city", under=found.under)
    assert {one.value for one in links.doubtful} == set(found.doubtful)


@pytest.mark.parametrize(
    "steps",
    [
        "mild|moderate|severe",
        "I|II|III|IV",
        "Stage I|Stage II|stage IV",
        "Grade 1|Grade 2|Grade 4",
        "G1|G2|G3",
    ],
)
def test_grades_and_stages_are_steps(steps: str) -> None:
    found = drafted("x", drawn(steps))
    assert (found["kind"], found["order"]) == ("ordinal", steps.split("|"))


# ---------------------------------------------------------------------- numbers


def test_words_among_numbers_are_asked_about() -> None:
    cells = ["verweigert" if i % 20 == 0 else f"{60 + i % 9},5" for i in range(ROWS)]
    table = pa.table({"kg": cells, "age": drawn("31|32|33")})
    found = om.init(table)
    assert (found["kg"].kind, found["kg"].sure) == ("numeric", False)
    assert "'verweigert'" in found["kg"].why and found["kg"].span == ("60,5", "68,5")
    (hint,) = re.findall(r"`(na_values: .*?)`", found["kg"].advice)
    decided = found.to_yaml().replace("kg: {role: undecided", f"kg: {{role: quasi-identifier, {hint}")
    assert om.anonymize(table, Plan.from_yaml(decided)).figures["smallest_class"] >= 3


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("31|32|refused", "nominal"),  # a third of the rows
        ("<5|7|8|9|10|>90", "numeric"),  # with limits, which are asked about
        ("<5|7|8|9|>80|>90", "nominal"),
        ("A1|B2|B3|C1|D1|D2|D3|none", "nominal"),
    ],
)
def test_not_all_that_has_digits_is_numbers(values: str, kind: str) -> None:
    assert om.init(pa.table({"age": drawn(values)}))["age"].kind == kind


@pytest.mark.parametrize(
    "word", ["k.A.", "keine Angabe", "n.b.", "s/d", "N/D", "ns/nc", "non noto", "n.v.t.", "non renseigné"]
)
def test_words_for_no_number(word: str) -> None:
    assert missing_value_words(["78,1", "64,0", word]) == {word}
    assert missing_value_words(["2020-01-02", word]) == {word}


def test_words_for_no_number_may_be_answers_among_words() -> None:
    assert missing_value_words(["unknown", "married", "n.b.", "N.D."]) == set()
    assert missing_value_words(["unknown", "7", "refused"]) == set()
    assert missing_value_words(["k.A.", "ledig"]) == {"k.A."}


@pytest.mark.parametrize(
    ("first", "second", "unit"),
    [
        ("1'234.50", "2'100.25", None),
        ("1’234.50", "980.25", None),
        ("1\u202f234,50", "980,25", None),
        ("1 234,50", "980,25", None),
        ("72 kg", "81 kg", "kg"),
        ("72.5KG", "81.25KG", "KG"),
        ("12 %", "7 %", "%"),
        ("€ 1.234,50", "€ 980,25", "€"),
        ("1.234,50 €", "980,25 €", "€"),
    ],
)
def test_numbers_with_marks_and_units(first: str, second: str, unit: str | None) -> None:
    table = pa.table({"spent": [first, second] * 30, "age": drawn("31|32|33")})
    found = om.init(table)
    assert found["spent"].kind == "numeric"
    assert found.settings()["attributes"]["spent"].get("unit") == unit
    assert om.anonymize(table, found.decide({"spent": "quasi-identifier"}).plan())


@pytest.mark.parametrize("values", ["ward 3|ward 4|ward 12", "3 B|12 B|7 B", "600 111 222|600 111 223"])
def test_numbers_behind_words_are_no_quantities(values: str) -> None:
    assert om.init(pa.table({"x": drawn(values)}))["x"].kind != "numeric"


# ---------------------------------------------------------------------- households, countries, schools, keys


@pytest.mark.parametrize(
    ("name", "rows_of_each"),
    [("patient_no", 3), ("patient_no", 1.3), ("pid", 2), ("visits", 3), ("patient_no", 1)],
)
def test_rows_of_one_person_count_as_one(name: str, rows_of_each: float) -> None:
    table = pa.table({name: [f"P{int(i / rows_of_each):04}" for i in range(ROWS)], "age": drawn("31|32|33")})
    found = om.init(table)
    text = found.to_yaml()
    is_person = name != "visits" and rows_of_each > 1
    assert found.settings()["privacy"] == {"k": 5, **({"unit": name} if is_person else {})}
    assert ("count as one person" in text) == is_person
    if is_person:
        masked = with_role(text, found, name, "quasi-identifier")
        assert "unit" not in yaml.safe_load(masked)["privacy"], "what is masked tells nobody apart"


@pytest.mark.parametrize("name", ["hogar", "ménage", "famiglia", "Haushalt"])
def test_households_by_how_many_share_a_number(name: str) -> None:
    found = om.init(pa.table({name: [str(i // 3) for i in range(ROWS)]}))
    assert found[name].unit and found[name].written_role == "undecided"
    assert not om.init(pa.table({name: [str(i % 5 + 1) for i in range(ROWS)]}))[name].unit  # its size


@pytest.mark.parametrize(
    ("name", "values", "ontology"),
    [
        ("iso", "DE|FR|ES", "countries"),
        ("nat", "DE|FR|ES", "countries"),
        ("estudios", "primaria|secundaria|bachillerato|universitarios|sin estudios", "education"),
        ("Bildung", "Grundschule|Hauptschule|Gymnasium|Universität", "education"),
        ("études", "primaire|collège|lycée|licence|master", "education"),
    ],
)
def test_codes_of_countries_and_levels_of_schools(name: str, values: str, ontology: str) -> None:
    assert drafted(name, drawn(values))["ontology"] == ontology


def test_a_draft_tells_what_becomes_of_pairs_of_rows() -> None:
    """Dropped keys and another order of rows leave nothing that `evaluate` could pair them by."""
    sorted_rows = {
        "patient_id": [str(i) for i in range(ROWS)],
        "age": [str(20 + i // 3) for i in range(ROWS)],
    }
    text = om.init(pa.table(sorted_rows)).to_yaml()
    assert "role: pseudonym" in re.sub(r"\s+#\s+", " ", text) and "ONTOMASK_KEY" in text
    assert re.search(r"^shuffle: true   # .*`evaluate`", text, re.MULTILINE)


# ---------------------------------------------------------------------- columns without texts


def test_columns_without_texts_are_drafted_to_be_dropped(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    columns = {
        "visits": [[i + 0.5, i + 1.5] for i in range(ROWS)],
        "home": [{"lat": 1.5, "lon": i} for i in range(ROWS)],
        "age": drawn("31|32|33"),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    found = om.init(tmp_path / "t.parquet")
    assert found.undecided == ("visits", "home") and found["age"].sure
    assert (found["visits"].role, found["visits"].written_role) == ("identifier", "undecided")
    assert all("no plain text form" in found[name].why for name in found.undecided)
    plan = Plan.from_yaml(found.to_yaml().replace("role: undecided", "role: identifier"))
    assert om.anonymize(tmp_path / "t.parquet", plan).table.column_names == ["age"]


# ---------------------------------------------------------------------- hints run as printed


def run(line: str, typed: str = "") -> None:
    """What a shell would do with a line that starts with `ontomask`, and what is typed then."""
    command, *words = shlex.split(line)
    assert command == "ontomask"
    done = CliRunner().invoke(app, words, input=typed)
    assert done.exit_code == 0, done.output


def commented(text: str, start: str) -> list[str]:
    """Lines that begin so behind the sign of a comment."""
    return re.findall(rf"^ *#   ({start}.*)$", text, re.MULTILINE)


def test_commands_of_a_draft_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "da ta").mkdir()
    table = Path("da ta", 'Ana\'s "list".csv')
    job, age = """Job's "título" """.strip(), drawn("31|32|33|34|35")
    write(table, {job: drawn("nurse|cook|driver|zzqy"), "age": age}, ";", "cp1252")
    plan = Path("da ta", "my plan.yaml")
    told = CliRunner().invoke(app, ["init", str(table), "-o", str(plan)])
    assert told.exit_code == 0, told.output
    text = plan.read_text(encoding="utf-8")
    then, review = commented(text, "ontomask anonymize"), commented(text, "ontomask link")
    assert len(then) == len(review) == 1 and f"`{then[0]}`" in told.output
    assert "--review" in review[0]
    run(review[0], "1\n/judge.n.01\n1\nq\n")
    mapping = Path("da ta", f"{job}_mapping.csv")
    assert "zzqy,judge.n.01," in mapping.read_text(encoding="utf-8")
    quoted = mapping.name.replace('"', '\\"')
    plan.write_text(
        text.replace("role: undecided", f'role: quasi-identifier, mapping: "{quoted}"'), encoding="utf-8"
    )
    run(then[0])
    assert Path("release.csv").exists()


def test_lines_of_a_draft_run_in_their_place(tmp_path: Path) -> None:
    table = write(
        tmp_path / "t.csv",
        {
            "patient_id": [str(i // 3) for i in range(ROWS)],
            "PLZ: alt": drawn("10115|10117|80331|80333"),
            "seen on": drawn("01/02/2020|03/02/2020|04/05/2020|06/07/2020"),
        },
    )
    text = om.init(table).to_yaml(tmp_path)
    (by_prefix,) = commented(text, '"PLZ')
    days = commented(text, "seen on:")
    assert [re.findall(r'format: "(.*)"', line) for line in days] == [["%d/%m/%Y"], ["%m/%d/%Y"]]
    assert "privacy: {k: 5, unit: patient_id}" in text
    text = re.sub(r'^  "PLZ.*$', f"  {by_prefix}", text, flags=re.MULTILINE)
    text = re.sub(r"^  seen on:.*$", f"  {days[0]}", text, flags=re.MULTILINE)
    plan = Plan.from_yaml(text.replace("role: undecided", "role: identifier"), folder=tmp_path)
    assert plan.with_role("quasi-identifier") == ("PLZ: alt", "seen on")
    assert plan.attributes["PLZ: alt"].release == "truthful"  # or whole postcodes are released
    assert om.anonymize(table, plan).plan.privacy.unit == "patient_id"


def test_a_table_in_memory_has_no_commands() -> None:
    text = om.init(pa.table({"job": drawn("nurse|zzqy|cook")})).to_yaml()
    assert "ontomask" not in text and "Unknown: zzqy" in text


def test_codes_below_zero_are_asked_about() -> None:
    pays = [f"{900 + 7 * at}" for at in range(60)] + ["-9"] * 5
    column = om.init(pa.table({"pay": pays}))["pay"]
    assert not column.sure
    assert "but what does '-9' mean?" in column.why
    (instead,) = column.instead
    assert instead["na_values"] == ["", "NA", "?", "-9"] and instead["kind"] == "numeric"
    changes = [f"{at}" for at in range(60)] + ["-12", "-3"]
    assert "mean?" not in om.init(pa.table({"change": changes * 2}))["change"].why
    degrees = [f"{at}" for at in range(-30, 30)]
    assert "mean?" not in om.init(pa.table({"degrees": degrees * 2}))["degrees"].why


def test_names_of_people_do_not_say_whose_row_it_is() -> None:
    """Namesakes share one; a number of a patient that rows share is of one person."""
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cy", "Di") for last in ("Ito", "Roe", "Sy", "Vu")]
    profile = om.init(pa.table({"Patient": names * 4, "age": [*range(20, 84)]}))
    assert (profile["Patient"].unit, "unit" in profile.settings()["privacy"]) == ("name", False)
    assert "If rows with one Patient are of one person, count these" in profile.to_yaml()
    numbered = om.init(pa.table({"Patient": [f"P{at:03}" for at in range(16)] * 4, "age": [*range(20, 84)]}))
    assert numbered.settings()["privacy"]["unit"] == "Patient"


def test_words_that_nothing_knows_may_mean_only_themselves() -> None:
    towns = [
        "Oakfield",
        "Millbrook",
        "Ashton",
        "Riverside",
        "Stonebridge",
        "Highmoor",
        "Saltcoats",
        "Little Marsh",
    ]
    column = om.init(pa.table({"town": towns * 9}))["town"]
    assert {"role": "quasi-identifier", "ontology": "flat"} in column.instead
    assert om.init(pa.table({"job": ["nurse", "teacher", "cook"] * 9}))["job"].instead == ()
