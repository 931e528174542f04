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
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.plan import Plan
from ontomask.profile import profile_table
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
    assert language_of(own[:3]) == language
    assert language_of(own[:2]) is None  # too few


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
    (unit,) = commented(text, "privacy: ")
    assert unit == "privacy: {k: 5, unit: patient_id}"
    text = re.sub(r'^  "PLZ.*$', f"  {by_prefix}", text, flags=re.MULTILINE)
    text = re.sub(r"^  seen on:.*$", f"  {days[0]}", text, flags=re.MULTILINE)
    text = re.sub(r"^privacy: .*$", unit, text, flags=re.MULTILINE)
    plan = Plan.from_yaml(text.replace("role: undecided", "role: identifier"), folder=tmp_path)
    assert plan.with_role("quasi-identifier") == ("PLZ: alt", "seen on")
    assert om.anonymize(table, plan).plan.privacy.unit == "patient_id"


def test_a_table_in_memory_has_no_commands() -> None:
    text = om.init(pa.table({"job": drawn("nurse|zzqy|cook")})).to_yaml()
    assert "ontomask" not in text and "Unknown: zzqy" in text
