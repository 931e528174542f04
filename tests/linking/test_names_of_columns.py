"""Linking that a clinician would pass: the column's name, phrases, what is no noun, scores, all spellings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import LinkingError
from ontomask.linking import scores, senses
from ontomask.linking.acronyms import is_acronym
from ontomask.linking.anchors import FAR, anchor_of, domains_of_name, words_of_name
from ontomask.linking.domains import DOMAINS
from ontomask.linking.links import DOUBTFUL
from ontomask.linking.mapping import Decisions
from ontomask.linking.matching import Match
from ontomask.linking.nearly import Nearly
from ontomask.linking.nouns import is_adjective, says_nothing
from ontomask.linking.phrases import parts_of
from ontomask.linking.places import neighbourhood
from ontomask.linking.scores import score_of
from ontomask.linking.senses import Choice, coherent_senses
from ontomask.linking.several import Several, several_answers
from ontomask.linking.synonyms import read_synonyms, shipped, usual_senses
from ontomask.linking.wording import wording_of
from ontomask.ontology.draft import Draft


def key(wordnet: om.Ontology, value: str, column: str | None, *others: str) -> str | None:
    return om.link([value, *others], wordnet, column=column, suggestions=0).key(value)


# ---------------------------------------------------------------------- the column's name


@pytest.mark.parametrize(
    ("value", "column", "sense"),
    [
        ("stroke", "diagnosis", "stroke.n.03"),
        ("stroke", "dx1", "stroke.n.03"),
        ("headache", "symptoms", "headache.n.02"),
        ("X-ray", "proc_desc", "roentgenogram.n.01"),
        ("Polish", "language", "polish.n.04"),
        ("Polish", "Muttersprache", "polish.n.04"),
        ("roll", "favourite_food", "bun.n.01"),
        ("cook", "Beruf", "cook.n.01"),
        ("cook", "profesión", "cook.n.01"),
        ("gaming", "hobby", "computer_game.n.01"),
        ("chess", "hobby", "chess.n.02"),
        ("Turkey", "country_of_birth", "turkey.n.02"),
        ("turkey", "food", "turkey.n.04"),
        ("speed", "drug", "amphetamine.n.01"),
        ("female", "sex", "female.n.02"),
        ("violet", "colour", "violet.n.02"),
    ],
)
def test_the_name_of_a_column_decides(wordnet: om.Ontology, value: str, column: str, sense: str) -> None:
    assert key(wordnet, value, column) == sense


def test_a_name_that_is_no_domain_is_a_word_of_the_ontology(wordnet: om.Ontology) -> None:
    furniture = ["chest", "chair", "bed", "desk"]
    assert key(wordnet, *furniture[:1], "furniture", *furniture[1:]) == "chest_of_drawers.n.01"


def test_a_name_that_does_not_fit_is_not_believed(wordnet: om.Ontology) -> None:
    games = ["squash", "tennis", "badminton", "golf", "cricket"]
    misnamed = om.link(games, wordnet, column="diagnosis")
    assert [misnamed.key(game) for game in games] == [om.link(games, wordnet).key(game) for game in games]


def test_names_are_taken_apart() -> None:
    assert words_of_name("proc_desc") == ["proc"] and words_of_name("diag1") == ["diag"]
    assert words_of_name("motherTongue") == ["mother", "tongue"]
    (language,) = domains_of_name("motherTongue")
    assert "natural_language.n.01" in language.tops[0]
    (place,) = domains_of_name("place_of_hobby")
    assert place.of_places
    assert domains_of_name("xyz") == []


def test_every_concept_of_a_domain_exists_and_no_name_is_twice_a_domain(wordnet: om.Ontology) -> None:
    for domain in DOMAINS:
        for top in (top for tier in domain.tops for top in tier):
            assert len(wordnet.candidates(top)) == 1, top
    names = [name for domain in DOMAINS for name in domain.names]
    assert len(names) == len(set(names)), {name for name in names if names.count(name) > 1}


def test_tiers_are_what_the_domain_says(wordnet: om.Ontology) -> None:
    jobs = anchor_of(wordnet, "occupation", [wordnet.senses_of(job) for job in ("nurse", "student", "cook")])
    assert jobs.source == "name"
    concepts = wordnet.concepts(["nurse.n.01", "student.n.01", "tree.n.01", "cook.n.02"])
    assert jobs.tiers(concepts).tolist() == [0, 1, FAR, FAR]  # the second Cook sailed round the world
    nobody = anchor_of(wordnet, None, [])
    assert nobody.source == "nothing" and nobody.tiers(concepts).tolist() == [0, 0, 0, FAR]


def test_most_values_stand_in_for_a_name(wordnet: om.Ontology) -> None:
    fruit = [wordnet.senses_of(one) for one in ("apple", "pear", "banana", "orange", "plum")]
    found = anchor_of(wordnet, "col7", fruit)
    assert found.source == "values"
    assert found.tiers(wordnet.concepts(["apple.n.01", "apple.n.02"])).tolist() != [FAR, FAR]
    assert anchor_of(wordnet, "col7", fruit[:3]).source == "nothing"


def test_places_lie_where_the_others_lie(wordnet: om.Ontology) -> None:
    cities = ["Birmingham", "Leeds", "Liverpool", "Sheffield", "Bristol", "Oxford"]
    links = om.link([*cities, "Plymouth"], wordnet, column="city")
    assert links.key("Birmingham") == "birmingham.n.02"
    assert links["Plymouth"].is_doubtful and not links["Leeds"].is_doubtful  # Massachusetts
    home = ["Birmingham", "Mobile", "Montgomery", "Tuscaloosa", "Selma"]
    assert om.link(home, wordnet, column="city").key("Birmingham") == "birmingham.n.01"


def test_a_neighbourhood_is_the_largest_share_of_values_in_one_whole(wordnet: om.Ontology) -> None:
    places = ["leeds.n.01", "reading.n.06", "plymouth.n.01", "abstraction.n.06"]
    lies = neighbourhood(wordnet, [np.array([one], np.int32) for one in wordnet.concepts(places)])
    assert lies is not None and lies.tolist() == [2 / 4, 2 / 4, 1 / 4, 0]  # England, twice


# ---------------------------------------------------------------------- no nouns


@pytest.mark.parametrize(
    "value", ["F", "M", "x", "91,1", "2", "II", "none", "N/A", "unknown", "k.A.", "-", "?"]
)
@pytest.mark.parametrize("column", [None, "sex", "diagnosis"])
def test_some_texts_are_never_nouns(wordnet: om.Ontology, value: str, column: str | None) -> None:
    link = om.link([value, "male", "flu"], wordnet, column=column)[value]
    assert link.concept is None and link.is_doubtful


def test_in_a_list_of_codes_a_letter_is_what_it_says() -> None:
    draft = Draft("sex")
    for code, label in (("sex", "sex"), ("female", "female"), ("male", "male")):
        draft.concept(code, label)
    for code, letter in (("female", "F"), ("male", "M")):
        draft.is_a(code, "sex")
        draft.term(code, letter)
    links = om.link(["F", "m", "none", "2"], draft.finish())
    assert [links.key(value) for value in ("F", "m", "none", "2")] == ["female", "male", None, None]
    assert not links["F"].is_doubtful


@pytest.mark.parametrize(
    ("value", "column"), [("single", "marital_status"), ("single", None), ("secondary", "education")]
)
def test_an_adjective_is_no_noun_in_silence(wordnet: om.Ontology, value: str, column: str | None) -> None:
    assert om.link([value, "nurse", "cook", "teacher"], wordnet, column=column)[value].is_doubtful


@pytest.mark.parametrize("value", ["moderate", "acute", "normal", "stable", "positive", "negative", "single"])
@pytest.mark.parametrize("column", [None, "severity", "result", "diagnosis"])
def test_an_adjective_is_not_linked_but_offers_its_nouns(
    wordnet: om.Ontology, value: str, column: str | None
) -> None:
    link = om.link([value, "mild", "severe"], wordnet, column=column)[value]
    assert (link.concept, link.how, link.is_doubtful) == (None, "suggested", True)
    assert set(link.alternatives) == set(wordnet.senses_of(value).tolist())


def test_an_adjective_is_a_noun_where_the_name_says_so(wordnet: om.Ontology) -> None:
    assert key(wordnet, "female", "sex", "male") == "female.n.02"
    assert key(wordnet, "green", "colour") == "green.n.01"
    by_values = om.link(["blue", "violet", "purple", "turquoise", "scarlet"], wordnet)["blue"]
    assert by_values.concept is not None and by_values.is_doubtful


@pytest.mark.parametrize("value", ["?pneumonia", "asthma?", "? asthma", "probable stroke", "likely asthma"])
def test_a_mark_of_doubt_makes_a_link_doubtful(wordnet: om.Ontology, value: str) -> None:
    links = om.link([value, "asthma", "pneumonia"], wordnet, column="diagnosis")
    assert links[value].is_doubtful and not links["asthma"].is_doubtful
    assert links.key(value) is not None


def test_words_that_say_nothing_and_adjectives() -> None:
    assert says_nothing("not known") and says_nothing("91 1") and not says_nothing("type ii")
    assert is_adjective("married") and is_adjective("sprained") and not is_adjective("seed")


# ---------------------------------------------------------------------- acronyms


def test_an_acronym_is_the_initials_of_another_term(wordnet: om.Ontology) -> None:
    def expanded(term: str) -> list[str]:
        return [wordnet.key(c) for c in wordnet.senses_of(term).tolist() if is_acronym(term, c, wordnet)]

    assert expanded("pet") == ["positron_emission_tomography.n.01"]
    assert expanded("cat") == ["computerized_tomography.n.01"]
    assert expanded("doe") == ["department_of_energy.n.01"]
    assert expanded("sec") == ["securities_and_exchange_commission.n.01"]  # without its *and*
    assert expanded("lead") == expanded("tennis") == expanded("ct scan") == []


@pytest.mark.parametrize(
    ("value", "column", "sense"),
    [
        ("pet", "hobbies", "pet.n.01"),
        ("pets", "hobbies", "pet.n.01"),
        ("Pets", "hobbies", "pet.n.01"),
        ("PETS", "hobbies", "pet.n.01"),
        ("cats", "hobbies", "cat.n.01"),
        ("Cat", "hobbies", "cat.n.01"),
    ],
)
def test_a_word_in_small_letters_or_a_plural_is_no_acronym(
    wordnet: om.Ontology, value: str, column: str, sense: str
) -> None:
    links = om.link([value, "tennis", "reading", "chess"], wordnet, column=column)
    assert links.key(value) == sense and links[value].is_doubtful


@pytest.mark.parametrize(
    ("value", "column", "sense"),
    [
        ("COPD", "diagnosis", "chronic_obstructive_pulmonary_disease.n.01"),
        ("copd", "diagnosis", "chronic_obstructive_pulmonary_disease.n.01"),
        ("HIV", "diagnosis", "hiv.n.01"),
        ("hiv", "diagnosis", "hiv.n.01"),
        ("UTI", "diagnosis", "urinary_tract_infection.n.01"),
        ("AIDS", "diagnosis", "aids.n.01"),
        ("aids", "diagnosis", "aids.n.01"),
        ("sars", "diagnosis", "severe_acute_respiratory_syndrome.n.01"),
        ("std", "diagnosis", "venereal_disease.n.01"),
        ("sob", "symptom", "shortness_of_breath.n.01"),
        ("PET", "procedure", "positron_emission_tomography.n.01"),
        ("pet", "procedure", "positron_emission_tomography.n.01"),
        ("CAT", "procedure", "computerized_tomography.n.01"),
        ("ma", "education", "master_of_arts.n.01"),  # words of two letters are abbreviations anyway
    ],
)
def test_acronyms_are_still_linked(wordnet: om.Ontology, value: str, column: str, sense: str) -> None:
    assert key(wordnet, value, column, "asthma", "school") == sense


def test_in_a_column_of_capitals_they_make_no_acronym(wordnet: om.Ontology) -> None:
    assert key(wordnet, "CAT", "hobbies", "tennis", "chess") == "computerized_tomography.n.01"
    assert key(wordnet, "CAT", "hobbies", "TENNIS", "CHESS") == "cat.n.01"


def test_a_plural_is_never_that_of_an_acronym(wordnet: om.Ontology) -> None:
    assert len(wordnet.senses_of("nato")) == 1
    links = om.link(["NATO", "natos", "NATOS"], wordnet)
    assert links["NATO"].concept is not None
    assert links["natos"].concept is links["NATOS"].concept is None and links["natos"].is_doubtful


def test_under_may_leave_an_acronym_alone(wordnet: om.Ontology) -> None:
    links = om.link(["pet"], wordnet, under="imaging.n.02")
    assert links.key("pet") == "positron_emission_tomography.n.01"


# ---------------------------------------------------------------------- phrases


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("second residence", ["residence"]),
        ("head of department", ["department head", "head"]),
        ("fracture, femur", ["femur fracture", "fracture"]),
        ("Teacher (retired), primary", ["primary teacher", "teacher"]),
        ("diabetes type II", ["diabetes"]),
        ("university professor of law", ["law university professor", "university professor", "professor"]),
        ("simvastatin 40 mg", ["simvastatin"]),
        ("non-binary", []),
        ("kein Asthma", []),
        ("(no) asthma", []),
        ("asthma (excluded)", []),
        ("asthma excluded", []),
        ("sin diabetes", []),
        ("ohne Asthma", []),
        ("no known allergies", []),
        ("residence", []),
    ],
)
def test_what_a_phrase_may_be(text: str, parts: list[str]) -> None:
    assert [part.words for part in parts_of(text) if part.place != "inside"] == parts


@pytest.mark.parametrize("text", ["hiking; fishing", "asthma/eczema", "suspected stroke", "ex smoker"])
def test_several_things_and_what_may_not_be_the_case_are_unsure(text: str) -> None:
    parts = list(parts_of(text))
    assert parts and all(part.is_unsure for part in parts)


@pytest.mark.parametrize(
    ("value", "sense"),
    [
        ("fracture neck of femur", "fracture.n.01"),
        ("sprained ankle", "sprain.n.01"),
        ("broken arm", "fracture.n.01"),
        ("type II diabetes", "type_ii_diabetes.n.01"),
        ("diabetes (type unknown)", "diabetes.n.01"),
        ("cancer of the lung", "lung_cancer.n.01"),
        ("asthma, acute", "asthma.n.01"),
        ("pnuemonia", "pneumonia.n.01"),
        ("UTI", "urinary_tract_infection.n.01"),
        ("COPD", "chronic_obstructive_pulmonary_disease.n.01"),
        ("gall stones", "gallstone.n.01"),
    ],
)
def test_diagnoses_as_they_come(wordnet: om.Ontology, value: str, sense: str) -> None:
    assert key(wordnet, value, "diagnosis", "flu", "asthma") == sense


def test_a_phrase_scores_lower_than_a_word(wordnet: om.Ontology) -> None:
    links = om.link(["fracture", "fracture neck of femur", "hip fracture"], wordnet, column="diagnosis")
    scored = [links[value].score for value in ("fracture", "hip fracture", "fracture neck of femur")]
    assert scored == sorted(scored, reverse=True) and scored[0] > scored[1] > scored[2]


@pytest.mark.parametrize("value", ["hiking; fishing", "non-binary", "no asthma", "suspected stroke"])
def test_never_linked_in_silence(wordnet: om.Ontology, value: str) -> None:
    for column in ("hobby", "diagnosis", None):
        assert om.link([value, "chess", "flu"], wordnet, column=column)[value].is_doubtful


@pytest.mark.parametrize(
    "between",
    [" - ", " \u2013 ", ", ", ",", "/", " + ", " and ", " & ", " y ", " und ", " et ", " e ", " AND "],
)
@pytest.mark.parametrize(
    ("column", "one", "other"),
    [
        ("hobbies", "tennis", "reading"),
        ("hobbies", "tennis", "gardening"),
        ("diagnosis", "asthma", "eczema"),
        ("diagnosis", "cold", "COPD"),
    ],
)
def test_two_things_that_are_both_known_are_not_one_in_silence(
    wordnet: om.Ontology, column: str, one: str, other: str, between: str
) -> None:
    value = f"{one}{between}{other}"
    assert om.link([value, "chess", "flu"], wordnet, column=column)[value].is_doubtful


@pytest.mark.parametrize(
    ("column", "value", "sense"),
    [
        ("diagnosis", "fracture - femur", "fracture.n.01"),  # a femur is no diagnosis
        ("diagnosis", "asthma - acute", "asthma.n.01"),
        ("diagnosis", "asthma - unknown", "asthma.n.01"),
        ("diagnosis", "asthma - asthmaa", "asthma.n.01"),
        ("diagnosis", "anemia - iron deficiency", "iron_deficiency_anemia.n.01"),
        ("diagnosis", "fracture - stress", "fatigue_fracture.n.01"),
        ("procedure", "biopsy - test", "biopsy.n.01"),  # as *unknown*, it says nothing
        ("diagnosis", "fracture, femur", "fracture.n.01"),
        ("diagnosis", "asthma, acute", "asthma.n.01"),
        ("diagnosis", "anemia, iron deficiency", "iron_deficiency_anemia.n.01"),
        ("hobbies", "track and field", "track_and_field.n.01"),
        ("hobbies", "arts and crafts", "arts_and_crafts.n.01"),
    ],
)
def test_one_thing_in_two_parts_is_not_doubted(
    wordnet: om.Ontology, column: str, value: str, sense: str
) -> None:
    links = om.link([value, "chess", "flu"], wordnet, column=column)
    assert links.key(value) == sense and not links[value].is_doubtful


def test_of_a_place_and_where_it_lies_one_is_meant(wordnet: om.Ontology) -> None:
    links = om.link(["Paris, France", "Berlin, Germany", "London, Paris"], wordnet, column="city")
    assert [one.is_doubtful for one in links] == [False, False, True]


@pytest.mark.parametrize("word", [" - ", " \u2013 ", " and ", " AND ", " y ", " und ", " et ", " e "])
def test_texts_made_of_others_are_several_answers(word: str) -> None:
    made = tuple(word.join(pair) for pair in (("Golf", "go"), ("go", "chess"), ("chess", "golf")))
    alone = ["golf", "go", "chess"]

    def found(*texts: str, among: tuple[str, ...] | None = None) -> Several | None:
        return several_answers([*alone, *texts], set, among)

    assert found(*made) == Several(word, made)
    assert found(*made[:2]) is None  # too few
    assert found(*made[:2], f"chess{word}squash") is None  # which does not stand alone
    whole = f"track{word}field"
    assert found(*made, whole) is None
    assert found(*made, whole, among=made) == Several(word, made)
    assert found(*made, among=made[:2]) is None


def test_ranges_of_numbers_are_no_several_answers() -> None:
    assert several_answers(["20", "30", "40", "20 - 30", "30 - 40", "20 - 40"], set) is None


def test_words_in_another_order_find_a_label_of_a_classification() -> None:
    draft = Draft("codes")
    labels = {
        "0": "All",
        "S72": "Fracture of femur",
        "S72.0": "Fracture of head and neck of femur",
        "R50.8": "Other specified fever",
        "R50.9": "Fever, unspecified",
    }
    for code, label in labels.items():
        draft.concept(code, label)
    for below, above in (("S72", "0"), ("S72.0", "S72"), ("R50.8", "0"), ("R50.9", "0")):
        draft.is_a(below, above)
    codes = draft.finish()
    texts = ["fracture neck of femur", "femur fracture", "fever", "femr fracture", "sprain"]
    links = om.link(texts, codes, suggestions=0)
    assert [links.key(text) for text in texts] == ["S72.0", "S72", "R50.9", "S72", None]
    found = wording_of("neck of femur fracture", codes)
    assert found is not None and found.share == 3 / 4  # neck, femur, fracture of these and head


def test_nearly_spelt_words() -> None:
    words = Nearly(["asthma", "angina", "anemia", "appendicitis", "appendix", "b12"])
    assert words.misspelt("asthna") == (1, [0]) and words.misspelt("appendisitus") == (2, [3])
    assert words.misspelt("asthma") == (0, [0]) and words.misspelt("xsthma") == (0, [])
    assert words.misspelt("anena") == (0, [])  # of a short word one letter may be wrong
    assert words.misspelt("angmia") == (1, [2]) and words.misspelt("b13") == (0, [])
    assert words.cut("append") == [4, 3] and words.cut("appen") == []


# ---------------------------------------------------------------------- scores


def test_a_score_is_the_product_of_its_doubts(wordnet: om.Ontology) -> None:
    flu = wordnet.concept("influenza")
    anchor = anchor_of(wordnet, "diagnosis", [np.array([flu], np.int32)])
    own = np.array([flu], np.int32)
    sure, torn = Choice(0, 0.5), Choice(0, 0.1)
    exact, head = Match("exact", own), Match("head", own, share=0.5, place="head")
    of_match = scores._OF_MATCH
    assert score_of(exact, sure, anchor, flu) == of_match["exact"]
    assert score_of(exact, torn, anchor, flu) == pytest.approx(of_match["exact"] * (0.5 + 1.5 * 0.1))
    assert score_of(head, sure, anchor, flu) == pytest.approx(of_match["head"] * (0.6 + 0.4 * 0.5))
    assert score_of(exact._replace(is_unsure=True), sure, anchor, flu) == pytest.approx(0.98 * 0.7)
    far = wordnet.concept("tree.n.01")
    assert score_of(exact, sure, anchor, far) == pytest.approx(0.98 * 0.4)
    assert 0.98 * 0.4 < DOUBTFUL < 0.98 * 0.85
    assert score_of(Match("mapping", own), sure, anchor, far) == 1.0
    passed_over = Choice(2, 0.5)
    by_chance = 1 - (1 - anchor.breadth[0]) ** 2
    assert 0 < anchor.breadth[0] == (anchor.tier_of_concept == 0).mean() < anchor.breadth[1]
    assert score_of(exact, passed_over, anchor, flu) == pytest.approx(0.98 * (1 - 0.5 * by_chance))
    for doubt, factor in ({"place": "inside"}, 0.8), ({"is_ruled": True}, 0.7), ({"is_adjective": True}, 1.0):
        assert score_of(exact._replace(**doubt), sure, anchor, flu) == pytest.approx(0.98 * factor)
    assert score_of(exact._replace(is_adjective=True), sure, anchor, far) == pytest.approx(0.98 * 0.4 * 0.5)
    assert score_of(exact._replace(is_ruled=True), sure, anchor, far) == pytest.approx(0.98 * 0.4 * 0.7)
    assert score_of(exact, Choice(0, 0.5, 0.5), anchor, flu) == pytest.approx(0.98 * 0.6)
    nobody = anchor_of(wordnet, None, [])
    by_chance = 1 - (1 - nobody.breadth[0]) ** 1
    alone = 0.98 * 0.8 * (1 - 0.5 * by_chance) * 0.85
    assert score_of(exact, Choice(1, 0.5), nobody, flu) == pytest.approx(alone)
    assert score_of(exact._replace(is_ruled=True), sure, nobody, flu) == pytest.approx(0.98 * 0.8 * 0.7)


def test_a_lone_sense_far_from_its_column_is_doubtful(wordnet: om.Ontology) -> None:
    links = om.link(["asthma", "flu", "gout", "violin"], wordnet, column="diagnosis")
    assert [link.value for link in links.doubtful] == ["violin"]


def test_what_is_extra_decides_between_senses(wordnet: om.Ontology) -> None:
    candidates = [wordnet.senses_of("squash"), wordnet.senses_of("tennis")]
    extra = np.zeros(sum(map(len, candidates)))
    assert coherent_senses(wordnet, candidates, extra)[0] == coherent_senses(wordnet, candidates)[0] == [2, 0]
    extra[2] = 2.0
    assert coherent_senses(wordnet, candidates, extra)[0][0] != 2
    assert coherent_senses(wordnet, candidates, weight=0.0)[0] == [0, 0]  # the order of senses alone
    assert senses._TIER_COST.tolist() == sorted(senses._TIER_COST.tolist())


def test_doubtful_ones_come_first_then_those_of_most_rows(wordnet: om.Ontology) -> None:
    links = om.link(["flu", "asthma", "qqqq", "violin", "gout"], wordnet, column="diagnosis")
    ordered = links.by_rows({"flu": 2, "asthma": 9, "qqqq": 1, "violin": 3, "gout": 4})
    assert [link.value for link in ordered] == ["violin", "qqqq", "asthma", "gout", "flu"]


# ---------------------------------------------------------------------- spellings and decisions


def test_a_mapping_is_for_all_spellings(wordnet: om.Ontology) -> None:
    decided = {"Bird-Watching": "observation.n.02", "café": "cafe.n.01"}
    values = ["bird watching", "BIRD-WATCHING", " bird  watching ", "Cafe", "birdwatching", "watching"]
    links = om.link(values, wordnet, mapping=decided, suggestions=0)
    assert [link.how == "mapping" for link in links] == [True, True, True, True, True, False]


def test_spellings_do_not_vouch_for_each_other(wordnet: om.Ontology) -> None:
    alone = om.link(["strain", "shock"], wordnet, column="diagnosis")
    spelt = om.link(["STRAIN", "strain", "Strain", "shock"], wordnet, column="diagnosis")
    for value in ("strain", "Strain", "STRAIN"):
        link, expected = spelt[value], alone["strain"]
        assert (link.concept, link.how, link.score) == (expected.concept, expected.how, expected.score)
    assert spelt["shock"] == alone["shock"] and spelt["strain"].is_doubtful


def test_a_value_is_told_once_with_the_rows_of_its_spellings(wordnet: om.Ontology) -> None:
    rows = {"flu": 2, "Strain": 4, "strain": 1, "STRAIN": 3}
    links, total = om.link(rows, wordnet, column="diagnosis").once(rows)
    assert [link.value for link in links] == ["flu", "Strain"] and total == {"flu": 2, "Strain": 8}


def test_spellings_decided_differently_count_for_themselves() -> None:
    decided = Decisions({"US": "a", "us": "b", "Flu": "c"})
    assert [decided.of(text) for text in ("US", "us", "Us", "FLU", "x")] == ["a", "b", None, "c", None]


WORDS = [
    "x-ray",
    "bird watching",
    "ice-skating",
    "mother-in-law",
    "Café",
    "stroke",
    "sports",
    "fracture neck",
]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_spellings_of_a_value_have_one_link(wordnet: om.Ontology, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(WORDS))
    blank = data.draw(st.sampled_from([" ", "  ", "-"]))
    case = data.draw(st.sampled_from([str.upper, str.lower, str.title, str]))
    accent = data.draw(st.booleans())
    other = case(word.replace("-", " ").replace(" ", blank))
    other = f" {other.replace('é', 'e').replace('É', 'E') if accent else other}"
    column = data.draw(st.sampled_from([None, "diagnosis", "hobby"]))
    links = om.link([word, other, "asthma", "chess"], wordnet, column=column, suggestions=0)
    assert links.key(word) == links.key(other)
    assert links[word].score == links[other].score


@settings(max_examples=25, deadline=None)
@given(st.permutations(["stroke", "F", "cold", "fracture, femur", "COPD", "squash", "", "qqq", "no pain"]))
def test_every_value_is_kept_and_their_order_does_not_matter(wordnet: om.Ontology, values: list[str]) -> None:
    links = om.link(values, wordnet, column="diagnosis", suggestions=0)
    assert [link.value for link in links] == values
    again = om.link(sorted(values), wordnet, column="diagnosis", suggestions=0)
    assert {link.value: link for link in links} == {link.value: link for link in again}


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_linked_or_not_but_never_lost(wordnet: om.Ontology, text: str) -> None:
    link = om.link([text], wordnet, column="occupation", suggestions=0)[0]
    assert link.value == text and 0 <= link.score <= 1 and (link.concept is None) <= (link.score == 0)


# ---------------------------------------------------------------------- synonyms


def test_own_synonyms_win_over_words(wordnet: om.Ontology, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("synonym,term\nHGV-driver,truck driver\nflu,asthma\n")
    links = om.link(["hgv driver", "FLU"], wordnet, synonyms=tmp_path / "s.csv")
    assert [(link.how, links.key(link.value)) for link in links] == [
        ("synonym", "teamster.n.02"),
        ("synonym", "asthma.n.01"),
    ]
    assert om.link(["abc"], wordnet, synonyms={"ABC": "nurse"}).key("abc") == "nurse.n.01"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "line 1: synonyms need the header"),
        ("synonym,term\nx\n", "line 2: a line needs both"),
        ("synonym,term\nx,\n", "line 2: a line needs both"),
        ("synonym,term\nUTI,a\nu.t.i.,b\n", "line 3: 'u.t.i.' stands for 'a' and for 'b'"),
    ],
)
def test_damaged_synonyms_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(LinkingError, match=message):
        read_synonyms(tmp_path / "s.csv")
    with pytest.raises(LinkingError, match="no file of synonyms"):
        read_synonyms(tmp_path / "none.csv")


@pytest.mark.parametrize(("name", "least"), [("medical", 150), ("occupational", 60), ("leisure", 10)])
def test_shipped_synonyms_lead_somewhere(wordnet: om.Ontology, name: str, least: int) -> None:
    found = shipped(name)  # type: ignore[arg-type]
    column = {"medical": "diagnosis", "occupational": "occupation", "leisure": "hobby"}[name]
    links = om.link(sorted(found), wordnet, column=column, suggestions=0)
    assert len(found) >= least
    assert sum(link.concept is not None for link in links) > 0.8 * len(links)


def test_shipped_synonyms_are_for_columns_of_their_domain(wordnet: om.Ontology) -> None:
    assert om.link(["HTN"], wordnet, column="diagnosis").key("HTN") == "high_blood_pressure.n.01"
    assert om.link(["COPD"], wordnet, column="hobby", suggestions=0)["COPD"].concept is None
    assert om.link(["Turkish"], wordnet, column="nationality").key("Turkish") == "turkey.n.02"


def test_usual_senses_are_senses_of_their_words_in_the_domain(wordnet: om.Ontology) -> None:
    listed = usual_senses("occupational")
    assert len(listed) > 40
    tiers = anchor_of(wordnet, "occupation", []).tier_of_concept
    for word, sense in listed.items():
        concept = wordnet.concept(sense)
        assert concept in wordnet.senses_of(word) and len(wordnet.senses_of(word)) > 1, word
        assert tiers[concept] < FAR, word


def test_an_everyday_occupation_is_not_doubted(wordnet: om.Ontology) -> None:
    jobs = [
        "teacher",
        "nurse",
        "driver",
        "cook",
        "clerk",
        "secretary",
        "manager",
        "cashier",
        "cleaner",
        "baker",
    ]
    for under in (None, "entity"):
        links = om.link([*jobs, "night cleaner"], wordnet, column="job", under=under)
        assert not [one.value for one in links if one.is_doubtful]
        assert links.key("driver") == "driver.n.01" and links.key("night cleaner") == "cleaner.n.03"
        assert wordnet.concept("driver.n.02") in links["driver"].alternatives  # for who looks at the file
    assert om.link(["cleaner", "soap"], wordnet, column="product").key("cleaner") == "cleansing_agent.n.01"
    assert om.link(["designer"], wordnet, column="job")["designer"].is_doubtful  # of rooms, pictures, clothes


def test_another_spelling_has_the_senses_of_the_name_in_their_order(wordnet: om.Ontology) -> None:
    for column in (None, "diagnosis"):
        assert key(wordnet, "anaemia", column) == key(wordnet, "anemia", column) == "anemia.n.01"
    firsts = om.link(["licence", "aubergine"], wordnet, senses="first")
    assert firsts.key("licence") == "license.n.01"
    assert firsts.key("aubergine") == "eggplant.n.02"  # another word, whose own order counts
