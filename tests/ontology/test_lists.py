"""The lists that are shipped: as complete as their standards, trees, and no word has two meanings."""

from __future__ import annotations

import time
from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import ontomask as om
from ontomask.linking.normalise import letters_of
from ontomask.ontology import Ontology
from ontomask.ontology.catalog import LISTS, NAMES, _list

AMBIGUOUS = {
    "countries": {
        "america": ["019", "US"],  # América is the continent, America the country, each as it is spelt
        "congo": ["CD", "CG"],
        "korea": ["KP", "KR"],
        "virginislands": ["VG", "VI"],
    },
}
CENSUS = {  # states of the divisions 1-9
    "New England": 6,
    "Middle Atlantic": 3,
    "East North Central": 5,
    "West North Central": 7,
    "South Atlantic": 9,
    "East South Central": 4,
    "West South Central": 4,
    "Mountain": 8,
    "Pacific": 5,
}


def means(ontology: str, *terms: str) -> list[str]:
    """Ids of what the words mean, as linking finds them."""
    links = om.link(terms, om.load_ontology(ontology), suggestions=0)
    return [links.key(term) or "" for term in terms]


def labels_above(ontology: Ontology, reference: str) -> list[str]:
    """From the root down."""
    return [ontology.labels[c] for c in ontology.ancestors[ontology.concept(reference)]]


@pytest.mark.parametrize("name", LISTS)
def test_each_is_a_tree_of_words_with_one_meaning(name: str) -> None:
    found = om.load_ontology(name)
    assert found.name == name and not found.notes and not found.virtual_root
    assert (found.parents.counts[1:] == 1).all() and found.parents.counts[0] == 0
    assert found.is_leaf.sum() >= len(found) / 2
    meant: dict[str, set[str]] = defaultdict(set)
    for term, senses in zip(found.terms, found.senses, strict=True):
        assert term == term.strip() and letters_of(term)
        meant[letters_of(term)] |= {found.ids[c] for c in senses}
    for concept in range(len(found)):
        meant[letters_of(found.ids[concept])].add(found.ids[concept])
    several = {word: sorted(ids) for word, ids in meant.items() if len(ids) > 1}
    assert several == AMBIGUOUS.get(name, {})


@pytest.mark.parametrize("name", LISTS)
def test_every_concept_is_found_by_its_label(name: str) -> None:
    """A group that has the title of its only part is that part."""
    found = om.load_ontology(name)
    for concept, label in enumerate(found.labels):
        meant = [int(c) for c in found.senses_of(label)]
        same = [c for c in meant if concept in found.ancestors[c] and found.labels[c] == label]
        assert same, (found.ids[concept], label)


def test_they_are_loaded_in_milliseconds() -> None:
    _list.cache_clear()
    started = time.perf_counter()
    for name in LISTS:
        om.load_ontology(name)
    assert time.perf_counter() - started < 1  # 30 ms in all, on a machine that has nothing else to do


def test_they_are_known_by_name() -> None:
    assert {"countries", "sex", "marital-status", "education", "occupations", "activities"} <= set(NAMES)
    assert {"us-states", "months", "weekdays"} <= set(NAMES)
    by_name = {source.name: source for source in om.list_ontologies()}
    assert by_name["countries"].origin == "Countries of ISO 3166-1 below the regions of UN M49, shipped"
    assert by_name["countries"].concepts == len(om.load_ontology("countries"))
    with pytest.raises(om.OntomaskError, match="did you mean 'countries'"):
        om.load_ontology("country")


# ---------------------------------------------------------------------- countries


def test_countries_of_the_standard() -> None:
    countries = om.load_ontology("countries")
    iso = [concept for concept in countries.ids if len(concept) == 2 and concept != "XK"]
    assert len(iso) == 249
    for code in (countries.concept(concept) for concept in iso):
        words = countries.synonyms(code)
        assert sum(len(word) == 3 and word.isdecimal() for word in words) == 1, words
        assert any(len(word) == 3 and word.isascii() and word.isupper() for word in words), words


def test_countries_against_another_source() -> None:
    pycountry = pytest.importorskip(
        "pycountry", reason="pycountry, which the list is compared with, is absent"
    )
    countries = om.load_ontology("countries")
    there = {country.alpha_2: country for country in pycountry.countries}
    assert there.keys() == {code for code in countries.ids if len(code) == 2} - {"XK"}
    for code, country in there.items():
        names = [country.alpha_3, country.numeric, country.name, getattr(country, "common_name", None)]
        for name in filter(None, names):
            assert code in [countries.ids[c] for c in countries.senses_of(name)], (code, name)
    former = {country.alpha_4: country.alpha_3 for country in pycountry.historic_countries}
    for code in ("ANHH", "CSHH", "DDDE", "SUHH", "YUCS"):
        assert former[code] in countries.synonyms(countries.concept(code))


def test_countries_lie_in_their_regions() -> None:
    countries = om.load_ontology("countries")
    assert labels_above(countries, "Kenya") == [
        *("World", "Africa", "Sub-Saharan Africa", "Eastern Africa", "Kenya")
    ]
    assert labels_above(countries, "Peru")[1:3] == ["Americas", "Latin America and the Caribbean"]
    assert labels_above(countries, "Antarctica") == ["World", "Antarctica"]
    assert labels_above(countries, "Taiwan")[1:3] == ["Asia", "Eastern Asia"]
    assert labels_above(countries, "Kosovo")[1:3] == ["Europe", "Southern Europe"]
    assert labels_above(countries, "Scotland")[3:] == ["United Kingdom", "Scotland"]
    below = Counter(  # ISO 3166-1 alone, by continent
        countries.labels[countries.ancestors[i][1]]
        for i, code in enumerate(countries.ids)
        if len(code) == 2 and code not in ("XK", "AQ")
    )
    assert below == {"Africa": 60, "Americas": 57, "Asia": 51, "Europe": 51, "Oceania": 29}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("US", "USA, U.S.A., us, United States, United-States, united states of america, EE.UU., États-Unis"),
        ("GB", "UK, U.K., Great Britain, GBR, 826, Reino Unido, Royaume-Uni, Vereinigtes Königreich"),
        ("RU", "Russia, Russian Federation, Russland"),
        ("KR", "South Korea, Republic of Korea, Corea del Sur"),
        ("VN", "Viet Nam, Vietnam"),
        ("CI", "Ivory Coast, Côte d'Ivoire, Elfenbeinküste"),
        ("CZ", "Czech Republic, Czechia, Tschechien"),
        ("MM", "Burma, Myanmar"),
        ("NL", "Holland, The Netherlands, Pays-Bas"),
        ("DE", "Deutschland, Alemania, Allemagne, Germania, Alemanha"),
        ("CD", "DR Congo, Zaire"),
        ("FM", "Micronesia"),
        ("NA", "Namibia, NA"),
    ],
)
def test_names_of_countries(code: str, names: str) -> None:
    assert set(means("countries", *names.split(", "))) == {code}


# ---------------------------------------------------------------------- people


def test_sex() -> None:
    sex = om.load_ontology("sex")
    assert [c for c in sex.ids if labels_above(sex, c)[1:] == [c]] == ["female", "male", "other", "unknown"]
    assert set(means("sex", "F", "w", "Woman", "weiblich", "mujer", "femme", "donna", "Mulher")) == {"female"}
    assert set(means("sex", "M", "man", "männlich", "hombre", "homme", "uomo", "homem")) == {"male"}
    assert means("sex", "non-binary", "divers", "X", "not stated") == [
        "non-binary",
        "diverse",
        "other",
        "unknown",
    ]
    # What stands for one sex here and for the other there is left to a person.
    assert means("sex", "H", "V", "1", "2") == ["", "", "", ""]


def test_marital_status() -> None:
    status = om.load_ontology("marital-status")
    adult = {
        "Married-civ-spouse": "partnered",
        "Married-AF-spouse": "partnered",
        "Married-spouse-absent": "partnered",
        "Divorced": "formerly partnered",
        "Separated": "formerly partnered",
        "Widowed": "formerly partnered",
        "Never-married": "never partnered",
    }
    links = om.link(adult, status, suggestions=0)
    assert {one.value: labels_above(status, links.key(one.value))[1] for one in links} == adult
    assert len({one.concept for one in links}) == len(adult)
    assert means("marital-status", "ledig", "soltera", "célibataire", "nubile") == ["single"] * 4
    assert means("marital-status", "verheiratet", "casado/a", "marié(e)", "civil partnership") == [
        *("married", "married", "married", "registered")
    ]
    assert means("marital-status", "S") == [""]


def test_education() -> None:
    education = om.load_ontology("education")
    levels = [concept for concept in education.ids if concept.startswith("ISCED")]
    assert levels == [f"ISCED {n}" for n in range(9)]
    group = {level: labels_above(education, level)[1].split()[0] for level in levels}
    assert [group[level] for level in levels] == ["low"] * 3 + ["medium"] * 2 + ["high"] * 4
    adult = {
        "Preschool": 0,
        "1st-4th": 0,
        "5th-6th": 1,
        "7th-8th": 1,
        "9th": 2,
        "10th": 2,
        "11th": 2,
        "12th": 2,
        "HS-grad": 3,
        "Some-college": 3,
        "Assoc-voc": 5,
        "Assoc-acdm": 5,
        "Bachelors": 6,
        "Masters": 7,
        "Prof-school": 7,
        "Doctorate": 8,
    }
    links = om.link(adult, education, suggestions=0)
    assert len({one.concept for one in links}) == 16
    for value, level in adult.items():
        assert education.labels[education.concept(f"ISCED {level}")] in labels_above(
            education, links.key(value)
        )
    assert means("education", "PhD", "Abitur", "ISCED 5", "ISCED5") == [
        *("PhD", "Abitur", "ISCED 5", "ISCED 5")
    ]


def test_occupations_of_the_standard() -> None:
    occupations = om.load_ontology("occupations")
    codes = [code for code in occupations.ids if code.isdecimal()]
    assert Counter(map(len, codes)) == {1: 10, 2: 43, 3: 130, 4: 436}
    for code in codes:
        above = occupations.ids[occupations.parents[occupations.concept(code)][0]]
        assert above == (code[:-1] or "ALL")


def group_of(ontology: Ontology, code: str) -> str:
    """The lowest group of the standard that a title is in."""
    return [
        ontology.ids[c] for c in ontology.ancestors[ontology.concept(code)] if ontology.ids[c].isdecimal()
    ][-1]


def test_titles_of_jobs() -> None:
    occupations = om.load_ontology("occupations")
    jobs = {
        "nurse": "2221",
        "electrician": "741",
        "teacher": "23",
        "truck driver": "8332",
        "CEO": "1120",
        "carpenter": "7115",
        "surgeon": "2212",
        "cardiologist": "2212",
        "primary school teacher": "2341",
        "soldier": "0310",
        "Veterinarians": "2250",
        "enfermera": "2221",
        "Krankenschwester": "2221",
        "Köchin": "5120",
        "Sales": "52",
    }
    found = dict(zip(jobs, means("occupations", *jobs), strict=True))
    assert {job: group_of(occupations, concept) for job, concept in found.items()} == jobs
    assert found["enfermera"] == found["Krankenschwester"] == found["nurse"] == "nurse"
    assert found["surgeon"] != found["cardiologist"]  # or a release would call one the other
    assert means("occupations", "retired", "Rentnerin", "student") == ["X2", "X2", "X1"]
    adult = "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
    adult += (
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
    )
    adult += "Armed-Forces"
    assert [group_of(occupations, concept) for concept in means("occupations", *adult.split())] == [
        *("3", "7", "51", "52", "1", "2", "9", "81", "4", "6", "83", "9111", "54", "0")
    ]


def test_activities_of_the_standard() -> None:
    activities = om.load_ontology("activities")
    sections = [code for code in activities.ids if len(code) == 1]
    divisions = [code for code in activities.ids if code.isdecimal()]
    assert "".join(sections) == "ABCDEFGHIJKLMNOPQRSTU" and len(divisions) == 88
    section_of = {d: activities.ids[activities.parents[activities.concept(d)][0]] for d in divisions}
    assert [*section_of.values()] == sorted(
        section_of.values()
    )  # sections follow each other, as divisions do
    last = {section: division for division, section in sorted(section_of.items())}
    assert "".join(last.values()) == "030933353943475356636668758284858893969899"
    found = means("activities", "retail", "Education", "IT", "hospital")
    assert [group_of(activities, concept) for concept in found] == ["47", "85", "62", "86"]


# ---------------------------------------------------------------------- places and times


def test_states() -> None:
    states = om.load_ontology("us-states")
    of_division = {
        division: sum(division in labels_above(states, code) for code in states.ids if len(code) == 2)
        for division in CENSUS
    }
    assert of_division == CENSUS and sum(CENSUS.values()) == 51
    assert sum("Territories of the United States" in labels_above(states, c) for c in states.ids) - 1 == 6
    assert labels_above(states, "Calif.") == ["United States", "West", "Pacific", "California"]
    assert means("us-states", "new york", "N.Y.", "Washington", "Washington, D.C.", "tx") == [
        *("NY", "NY", "WA", "DC", "TX")
    ]


def test_months_and_weekdays() -> None:
    months, days = om.load_ontology("months"), om.load_ontology("weekdays")
    assert [m for m in months.ids if m.isdecimal()] == [f"{n:02d}" for n in range(1, 13)]
    for number in range(1, 13):
        quarter = months.ids[months.parents[months.concept(f"{number:02d}")][0]]
        assert quarter == f"Q{(number + 2) // 3}"
    assert means("months", "jan", "März", "agosto", "déc.", "7", "Sept.") == [
        "01",
        "03",
        "08",
        "12",
        "07",
        "09",
    ]
    assert Counter(days.labels[days.parents[d][0]] for d in range(len(days)) if days.is_leaf[d]) == {
        "weekday": 5,
        "weekend": 2,
    }
    assert means("weekdays", "Mon", "martes", "Sa", "dimanche", "quarta-feira", "2") == [
        *("mon", "tue", "sat", "sun", "wed", "")
    ]


def test_a_plan_names_one() -> None:
    people = {"country": ["España", "Francia", "DE", "Kenya", "Kenia", "Uganda"], "pay": [1, 2, 3, 4, 5, 6]}
    plan = {
        "attributes": {
            "country": {"role": "quasi-identifier", "ontology": "countries", "release": "truthful"},
            "pay": {"role": "other"},
        },
        "privacy": {"k": 3},
    }
    release = om.anonymize(pa.table(people), om.Plan.from_dict(plan))
    assert release.table.column("country").to_pylist() == ["Europe"] * 3 + ["Eastern Africa"] * 3


def test_accents_may_be_left_out() -> None:
    assert means("countries", "Espana", "Côte d'Ivoire", "Cote dIvoire") == ["ES", "CI", "CI"]
    assert means("countries", "America", "América") == ["US", "019"]
