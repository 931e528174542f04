"""Attributes in an invented part of the UMLS: the semantic types and relations of Loh 2012, table 3.2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ontology.test_rrf import link, name
from ontomask.errors import OntologyError, UnknownTermError
from ontomask.ontology.formats import rrf
from ontomask.ontology.semantics import meanings_of, relations_of
from test_docs import run_ontomask

AGE, YEARS, GENDER, RACE, CHOLESTEROL, SUGAR, HEART, HIDDEN, GROUPS = (f"C000000{i}" for i in range(1, 10))
CONSO = [
    name(AGE, "Age"),
    name(AGE, "Age-Years", "S PF Y"),
    name(YEARS, "Year of life"),
    name(YEARS, "Age", "S PF N"),
    name(GENDER, "Gender"),
    name(GENDER, "Sex", "S PF Y"),
    name(RACE, "Racial group"),
    name(RACE, "Race", "S PF Y", source="BBB"),
    name(CHOLESTEROL, "Cholesterol"),
    name(CHOLESTEROL, "Colesterol", language="SPA"),
    name(SUGAR, "Blood Sugar"),
    name(HEART, "Heart Diseases"),
    name(HEART, "heart disease", "S PF Y"),
    name(HIDDEN, "Cholesterol", suppress="O"),
]
TYPES = {
    AGE: ["Organism Attribute"],
    YEARS: ["Temporal Concept"],
    GENDER: ["Organism Attribute"],
    RACE: ["Population Group"],
    CHOLESTEROL: ["Biologically Active Substance", "Alcohol, Steroid"],
    SUGAR: ["Carbohydrate"],
    HEART: ["Disease or Syndrome"],
}
KINDS = ["Organism Attribute", "Population Group", "Biologically Active Substance", "Carbohydrate",
         "Alcohol, Steroid", "Temporal Concept", "Pathologic Function", "Disease or Syndrome"]  # fmt: skip
RELATED = """Organism Attribute|result_of|Pathologic Function|D|
Organism Attribute|associated_with|Disease or Syndrome|D|
Population Group|associated_with|Disease or Syndrome|D|
Biologically Active Substance|affects|Pathologic Function|D|
Biologically Active Substance|causes|Pathologic Function|D|
Biologically Active Substance|complicates|Disease or Syndrome|D|
Carbohydrate|causes|Pathologic Function|D|
Carbohydrate|affects|Disease or Syndrome|D|
Disease or Syndrome|isa|Pathologic Function|D|
Disease or Syndrome|associated_with|Temporal Concept|D|
"""
NAMES = {"age": "age", "sex": "SEX", "race": "race", "chol": "Cholesterol", "sugar": "blood_sugar"}
TABLE_3_2 = {
    "age": (("Organism Attribute",), ("associated_with", "result_of")),
    "sex": (("Organism Attribute",), ("associated_with", "result_of")),
    "race": (("Population Group",), ("associated_with",)),
    "chol": (("Biologically Active Substance", "Alcohol, Steroid"), ("affects", "causes", "complicates")),
    "sugar": (("Carbohydrate",), ("affects", "causes")),
}


@pytest.fixture
def umls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release with its parts META and NET."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "umls" / "META").mkdir(parents=True)
    (tmp_path / "umls" / "NET").mkdir()
    relations = sorted({line.split("|")[1] for line in RELATED.splitlines()})
    files = {
        "META/MRCONSO.RRF": CONSO,
        "META/MRSTY.RRF": [
            f"{cui}|T{cui[-3:]}|A1|{kind}|AT1||\n" for cui, kinds in TYPES.items() for kind in kinds
        ],
        "NET/SRDEF": [
            *(f"STY|T{i}|{kind}|A1|About it.|EX|UN|NH|ABR||\n" for i, kind in enumerate(KINDS)),
            *(f"RL|R{i}|{kind}|R1|About it.|EX|UN|NH|ABR|INV|\n" for i, kind in enumerate(relations)),
        ],
        "NET/SRSTR": [RELATED],
    }
    for file, lines in files.items():
        (tmp_path / "umls" / file).write_text("".join(lines), encoding="utf-8")
    return tmp_path / "umls"


def test_table_3_2(umls: Path) -> None:
    found, target = meanings_of(umls, NAMES, "heart disease")
    assert {key: (one.types, one.relations) for key, one in found.items()} == TABLE_3_2
    assert (target.cui, target.label, target.types) == (HEART, "Heart Diseases", ("Disease or Syndrome",))
    assert target.relations == ()  # what it is related to are other types


def test_the_concept_whose_own_name_it_is_comes_first(umls: Path) -> None:
    found, _ = meanings_of(umls, {"a": "age", "b": YEARS.lower(), "c": "age years"}, HEART)
    assert (found["a"].cui, found["a"].label, found["a"].others) == (AGE, "Age", ((YEARS, "Year of life"),))
    assert (found["b"].cui, found["b"].types, found["b"].relations) == (YEARS, ("Temporal Concept",), ())
    assert (found["c"].cui, found["c"].others) == (AGE, ())


def test_names_that_are_foreign_suppressed_or_absent(umls: Path) -> None:
    found, _ = meanings_of(umls, {"a": "colesterol", "b": "shoe size", "c": HIDDEN}, HEART)
    assert found == {}
    with pytest.raises(UnknownTermError, match="no English name or CUI 'hart'"):
        meanings_of(umls, NAMES, "hart")


def test_relations_point_one_way(umls: Path) -> None:
    network = rrf.load_network(umls, "network")
    assert relations_of(network, "Disease or Syndrome", "Temporal Concept") == ["associated_with"]
    assert relations_of(network, "Temporal Concept", "Disease or Syndrome") == []


def test_the_network_may_be_elsewhere(umls: Path) -> None:
    (umls / "NET").rename(umls.parent / "network")
    with pytest.raises(OntologyError, match="no file SRDEF; the Semantic Network is SRDEF with SRSTR"):
        meanings_of(umls, NAMES, HEART)
    found, _ = meanings_of(umls / "META", NAMES, HEART, umls.parent / "network")
    assert {key: one.relations for key, one in found.items()} == {k: r for k, (_, r) in TABLE_3_2.items()}
    (umls / "META" / "MRSTY.RRF").unlink()
    with pytest.raises(OntologyError, match=r"no file MRSTY\.RRF; it has the semantic types"):
        meanings_of(umls, NAMES, HEART, umls.parent / "network")


def test_command(umls: Path) -> None:
    asked = ["ontology", "attributes", "umls", "--target", "heart disease"]
    code, said = run_ontomask([*asked, "--names", "age,chol=cholesterol", "--names", "shoe", "-o", "s.yaml"])
    assert code == 0
    assert [line.split() for line in said.splitlines()[1:4]] == [
        ["age", AGE, "Age", "Organism", "Attribute", "associated_with"],
        ["result_of"],
        ["chol", CHOLESTEROL, "Cholesterol", "Biologically", "Active", "Substance", "affects"],
    ]
    assert "warning: shoe: the UMLS has no name 'shoe'" in said
    assert f"note: age may also be {YEARS} Year of life" in said
    assert "note: chol has several semantic types; 'Biologically Active Substance' is written" in said
    assert yaml.safe_load(Path("s.yaml").read_text()) == {
        "attributes": {
            "age": {
                "semantic_type": "Organism Attribute",
                "semantic_relations": ["associated_with", "result_of"],
            },
            "chol": {
                "semantic_type": "Biologically Active Substance",
                "semantic_relations": ["affects", "causes", "complicates"],
            },
        }
    }
    code, said = run_ontomask([*asked, "--names", "sex", "--json"])
    assert json.loads(said)["attributes"]["sex"]["cui"] == GENDER
    assert run_ontomask([*asked, "--names", "sex", "-o", "umls/x.yaml"])[0] == 2
    assert run_ontomask([*asked, "--names", "sex,sex"])[0] == 2


# ---------------------------------------------------------------------- ranges from definitions

INFANT, CHILD, TEEN, ADULT = (f"C000001{i}" for i in range(4))


def test_ranges_from_mrdef(umls: Path) -> None:
    labels = {GROUPS: "Age Groups", INFANT: "Infant", CHILD: "Child", TEEN: "Adolescent", ADULT: "Adult"}
    definitions = {
        INFANT: "A child between 1 and 23 months of age.",
        CHILD: "A person 6 to 12 years of age. An individual 2 to 5 years old is CHILD, PRESCHOOL.",
        TEEN: "A person 13 to 18 years of age.",
        ADULT: "A person 19 years of age or older.",
    }
    files = {
        "MRCONSO.RRF": [name(cui, label, source="MSH") for cui, label in labels.items()],
        "MRREL.RRF": [link(GROUPS, "CHD", cui, "isa", source="MSH") for cui in definitions],
        "MRDEF.RRF": [f"{cui}|A1|AT1||MSH|{text}|N||\n" for cui, text in definitions.items()],
    }
    for file, lines in files.items():
        (umls / "META" / file).write_text("".join(lines), encoding="utf-8")
    asked = ["hierarchy", "ranges", "umls", "--below", "Age Groups"]
    code, said = run_ontomask([*asked, "-o", "ages.csv"])
    assert code == 0, said
    assert Path("ages.csv").read_text().splitlines()[1:] == [
        "label,from,to",
        "Infant,0,2",
        "Child,6,13",
        "Adolescent,13,19",
        "Adult,19,",
    ]
    assert run_ontomask([*asked, "--source", "MSH", "-o", "again.csv"])[0] == 0
    assert run_ontomask([*asked, "--source", "NCI", "-o", "never.csv"])[0] == 2
    Path("people.csv").write_text("age\n7\n15\n70\n")
    build = ["hierarchy", "build", "people.csv", "-c", "age", "--by", "ranges", "--ranges", "ages.csv"]
    assert run_ontomask([*build, "--levels", "2", "-o", "age.csv"])[0] == 0
    assert Path("age.csv").read_text().split() == ["15;Adolescent;*", "7;Child;*", "70;Adult;*"]
