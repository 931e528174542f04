"""What is said about a person but is not the thing itself is never linked to that thing in silence."""

from __future__ import annotations

import pytest

import ontomask as om
from ontomask.linking.assertions import assertion_of, without_slashes
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


def test_letters_with_a_slash_are_one_word() -> None:
    assert without_slashes("R/O stroke") == "RO stroke" and without_slashes("a/b") == "a/b"
