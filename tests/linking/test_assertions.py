"""What is said about a person but is not the thing itself is never linked to that thing in silence."""

from __future__ import annotations

import pyarrow as pa
import pytest

import ontomask as om
from ontomask.linking.assertions import assertion_of, without_slashes
from ontomask.linking.several import Several, several_answers
from ontomask.ontology.draft import Draft

NOT_THE_THING = {
    "past": [
        *("history of {}", "hx of {}", "h/o {}", "H/O: {}", "PMH {}", "prior {}", "previous {}", "old {}"),
        *("st.p. {}", "s/p {}", "status post {}", "St. n. {}", "Z.n. {}", "Z. n. {}", "Zustand nach {}"),
        *("antecedentes de {}", "ATCD {}", "{} in remission", "{} (resolved)", "pregressa {}"),
    ],
    "suspected": [
        *("suspected {}", "?{}", "{}?", "r/o {}", "rule out {}", "V.a. {}", "V. a. {}", "Verdacht auf {}"),
        *("sospecha de {}", "probable {}", "{} (suspected)", "{} vs asthma", "risk of {}"),
    ],
    "related": [
        "family history: {}",
        "FH: {}",
        "mother had {}",
        "father: {}",
        "Mutter: {}",
        "hermano con {}",
    ],
}


@pytest.mark.parametrize("form", [form for forms in NOT_THE_THING.values() for form in forms])
def test_it_is_doubtful_by_whatever_word(wordnet: om.Ontology, form: str) -> None:
    value = form.format("appendicitis")
    links = om.link([value, "asthma", "appendicitis"], wordnet, column="diagnosis")
    assert links[value].is_doubtful and not links["appendicitis"].is_doubtful


@pytest.mark.parametrize(
    ("kind", "form"),
    [(kind, form) for kind, forms in NOT_THE_THING.items() for form in forms if "history:" not in form],
)
def test_what_kind_it_is(kind: str, form: str) -> None:
    assert assertion_of(form.format("pneumonia")) == kind


@pytest.mark.parametrize(
    "text",
    ["severe pneumonia", "acute asthma", "ward sister", "mother", "sand", "vascular disease", "sporty"],
)
def test_what_is_said_to_be_the_case(text: str) -> None:
    assert assertion_of(text) is None


def test_a_term_of_the_ontology_is_what_it_says() -> None:
    """A list that has *ex-smoker* means it."""
    kinds = [(name, "smoking") for name in ("smoker", "ex-smoker", "light?")]
    links = om.link(["Ex smoker", "smoker", "light?", "smoker?"], Draft.from_edges("smoking", kinds))
    assert [one.is_doubtful for one in links] == [False, False, False, True]


CODES = Draft.from_edges(
    "codes", [("J44", "J"), ("J44.1", "J44"), ("J44.9", "J44"), ("S52.90XA", "S"), ("S", "J")]
)


@pytest.mark.parametrize("code", ["J44.1", "J441", "j44.1"])
def test_letters_of_certainty_behind_codes(code: str) -> None:
    """Of gesichert, Verdacht, ausgeschlossen and Zustand nach only the first is the thing itself."""
    texts = [f"{code.upper()}{between}{letter}" for between in ("", " ") for letter in "GVAZ"]
    links = om.link([*texts, "S52.90XA", "S5290XA", "J44.1 B"], CODES, suggestions=0)
    told = [(links.key(text), links[text].is_doubtful) for text in texts]
    assert told == [("J44.1", False), ("J44.1", True), (None, True), ("J44.1", True)] * 2
    assert CODES.concept("J44.1") in links[texts[2]].alternatives
    assert links.key("S52.90XA") == links.key("S5290XA") == "S52.90XA" and links.key("J44.1 B") is None


def test_codes_with_letters_are_released_as_codes() -> None:
    """What is suspected is its own text or everything; what is certain is the code, with a letter or not."""
    cells = ["J44.1 G"] * 4 + ["J44.9"] * 3 + ["J44.1 V"]
    column = {"role": "quasi-identifier", "ontology": "icd10cm"}
    plan = {"attributes": {"dx": column}, "privacy": {"k": 3}}
    assert om.anonymize(pa.table({"dx": cells}), plan).to_arrow()["dx"].to_pylist() == [
        *["J44.1"] * 4,
        *["J44.9"] * 3,
        "J44.1",
    ]
    true = om.anonymize(pa.table({"dx": cells}), {**plan, "release": "truthful"}).to_arrow()["dx"].to_pylist()
    assert true[-1] not in ("J44.1", "J44.9", "J44") and set(true[:4]) <= {"J44.1", true[-1]}


def test_codes_with_blanks_between_them_are_several_answers() -> None:
    known = {"J44.1", "I10", "E11.9"}
    found = several_answers(["J44.1 I10", "I10", "E11.9 I10", "J44.1 G", "I10 Z99"], known.intersection)
    assert found == Several(" ", ("J44.1 I10", "E11.9 I10"))
    assert several_answers(["J44.1 G", "chronic asthma"], {"chronic", "asthma", "G"}.intersection) is None


def test_letters_with_a_slash_are_one_word() -> None:
    assert without_slashes("R/O stroke") == "RO stroke" and without_slashes("a/b") == "a/b"
