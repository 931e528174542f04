"""What a person decides about words: any value of a review, lines of a mapping, search, and where they go."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import ontomask as om
from ontomask.columns.linked import found_words, words_of
from ontomask.linking import read_mapping
from ontomask.linking.links import Links
from ontomask.linking.review import DecisionFile, Review
from ontomask.linking.search import search
from ontomask.ontology.outline import Branch, outline, way_up
from ontomask.plan import Plan
from ontomask.tables import TableOptions

ROWS = {"coach": 2, "designer": 3, "nurse": 9, "operator": 1, "qqqq": 4}


@pytest.fixture(scope="module")
def links(wordnet: om.Ontology) -> Links:
    return om.link(ROWS, wordnet, column="job")


@pytest.fixture
def review(links: Links) -> Review:
    return Review.of(links, ROWS)


def test_any_value_can_be_decided_and_taken_back(review: Review, wordnet: om.Ontology) -> None:
    assert [one.value for one in review] == ["qqqq", "designer", "coach", "operator", "nurse"]
    was = review["nurse"]
    review.decide(wordnet.concept("nanny.n.01"), "nurse")
    assert review["nurse"].concept == wordnet.concept("nanny.n.01") and not review["nurse"].is_doubtful
    assert was.concept in review.meanings("nurse"), "what it meant before is still offered"
    review.decide(wordnet.concept("coach.n.01"), "coach")
    review.decide(wordnet.concept("coach.n.02"), "coach")
    assert review.decided == {"nurse": "nanny.n.01", "coach": "coach.n.02"}
    assert review.n_doubtful == len(review.doubtful) == 3
    assert review.last_values == ("coach",) and review.undo()
    assert review.decided["coach"] == "coach.n.01", "what was decided before it"
    assert review.undo() and review["coach"].is_doubtful and review.undo() and review["nurse"] == was
    assert not review.undo() and not review.decided and not review.last_values


def test_what_is_skipped_comes_last_among_the_doubtful(review: Review) -> None:
    review.skip("designer")
    review.skip("qqqq")
    review.skip("designer")
    assert [one.value for one in review.doubtful] == ["coach", "operator", "qqqq", "designer"]
    assert [one.value for one in review.open] == ["coach", "operator"] and review.n_doubtful == 4
    assert [one.value for one in review.at_least(0.0)] == ["coach", "operator"]
    review.undo()
    assert [one.value for one in review.doubtful] == ["coach", "operator", "designer", "qqqq"]


def test_at_least_so_sure_is_so_sure(review: Review) -> None:
    score = review["coach"].score
    assert "coach" in [one.value for one in review.at_least(score)]
    assert "coach" not in [one.value for one in review.at_least(score + 1e-9)]


def test_steps_outlive_another_linking(review: Review, links: Links, wordnet: om.Ontology) -> None:
    review.decide(wordnet.concept("coach.n.02"), "coach")
    review.linked_again(om.link(ROWS, wordnet, column="job", mapping=review.decided), ROWS)
    assert review["coach"].how == "mapping" and review.undo()
    assert review["coach"] == links["coach"] and review.n_doubtful == 4


def test_lines_take_the_place_of_lines(tmp_path: Path, wordnet: om.Ontology) -> None:
    path = tmp_path / "m.csv"
    before = "value,concept,ontology\nb,nurse.n.01,wordnet\nB,x,other\nc,cook.n.01,\n"
    path.write_text(before)
    file = DecisionFile(path, "wordnet")
    decided = {"B": wordnet.concept("cook.n.01"), "a": wordnet.concept("nurse.n.01")}
    text, gone = file.with_lines(decided, file.lines(decided, wordnet))
    assert text.splitlines()[1:] == [
        *("B,cook.n.01,wordnet", "B,x,other", "c,cook.n.01,", "a,nurse.n.01,wordnet")
    ]
    path.write_text(text)
    assert DecisionFile(path, "wordnet").with_lines(decided, gone)[0] == before


@pytest.mark.skipif(os.name != "posix", reason="other rights")
def test_a_mapping_keeps_its_rights(tmp_path: Path, links: Links) -> None:
    path = tmp_path / "m.csv"
    path.write_text("value,concept\n")
    path.chmod(0o600)
    DecisionFile(path, "wordnet").write({"coach": "coach.n.02"}, links)
    assert "coach.n.02" in path.read_text() and path.stat().st_mode & 0o777 == 0o600


def test_a_shared_file_counts_by_ontology_in_a_run_too(tmp_path: Path, wordnet: om.Ontology) -> None:
    path = tmp_path / "shared.csv"
    path.write_text("value,concept,ontology\ncoach,11,occupations\ncoach,coach.n.02,wordnet\n")
    assert om.link(["coach"], wordnet, mapping=path).key("coach") == "coach.n.02"
    assert read_mapping(path, "occupations") == {"coach": "11"}


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("nurse", "nurse.n.01"),
        (" NURSE ", "nurse.n.01"),
        ("nurse.n.02", "nanny.n.01"),
        ("midwive", "midwife.n.01"),
    ],
)
def test_search_finds_what_is_called_so_first(wordnet: om.Ontology, typed: str, first: str) -> None:
    assert wordnet.key(search(typed, wordnet).concepts[0]) == first


def test_search_finds_names_with_the_word_in_them(wordnet: om.Ontology) -> None:
    found = search("nurse", wordnet, 12).called
    assert len(found) == len(set(found)) == 12
    assert all(any("nurse" in term.lower() for term in wordnet.synonyms(c)) for c in found)
    assert wordnet.key(search("midwif", wordnet).called[0]) == "midwife.n.01", "what begins so is first"
    assert search("  ", wordnet).concepts == [] and search("nurse.n.99", wordnet).called == []


def test_what_is_only_like_the_text_is_told_apart(wordnet: om.Ontology) -> None:
    def keys(text: str, most: int = 9) -> list[list[str]]:
        return [[wordnet.key(concept) for concept in group] for group in search(text, wordnet, most)]

    called, alike, parts = keys("reading books", 4)
    assert (called, alike) == ([], []), "neither sickle (reaping hook) nor riding boot"
    assert parts == ["reading.n.01", "book.n.01", "reading.n.02", "book.n.02"]
    called, alike, parts = keys("haert attack", 3)
    assert (called, alike, len(parts)) == ([], ["heart_attack.n.01"], 2)
    assert "asthma.n.01" in keys("astma")[1], "although it is in toastmaster"
    called, alike, parts = keys("books", 12)
    assert called[0] == "book.n.01" and alike == parts == [], "not brooks"
    assert keys("zzqqvvxx in") == [[], [], []], "which is no inch"


def test_an_outline_has_every_way_once(wordnet: om.Ontology) -> None:
    concepts = wordnet.candidates("cleaner").tolist()
    for concept in concepts:
        assert len(way_up(wordnet, concept)) == len(wordnet.shortest_way(concept, 0))

    def ways(node: Branch, above: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
        assert len(node.below) != 1 or node.way[-1] in concepts, "else it would be one line"
        own = [(*above, *node.way)] if node.way[-1] in concepts else []
        return own + [way for one in node.below for way in ways(one, (*above, *node.way))]

    tree = outline(wordnet, concepts)
    assert tree is not None
    assert Counter(ways(tree)) == Counter(tuple(reversed(way_up(wordnet, c))) for c in concepts)
    assert outline(wordnet, []) is None
    person, entity = wordnet.concept("person.n.01"), wordnet.concept("entity.n.01")
    above = outline(wordnet, [person, entity])
    assert above is not None and above.way == (entity,) and above.below[0].way[-1] == person


def test_no_two_columns_get_one_file(tmp_path: Path) -> None:
    names = ["a/b", "a-b", "A-b", "a-b_2", "x" * 300, "x" * 299 + "y", "new\nline", "\U0001f600" * 70]
    names += ["\U0001d518" * 70, "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 200, "\ud800?"]
    said = {name: {"role": "quasi-identifier", "ontology": "wordnet"} for name in names}
    plan = Plan.from_options(["a:wordnet"]).replace(attributes=said)
    names.append("a")
    files = {one.column: one.target.name for one in words_of(plan) if one.target}
    assert len({one.casefold() for one in files.values()}) == len(names)
    assert files["a/b"] == "a_b_mapping.csv" and files["a-b"] == "a_b_2_mapping.csv"
    assert files["A-b"] == "A_b_3_mapping.csv", "which some disks take for a-b"
    assert all((tmp_path / one).write_text("") == 0 for one in files.values())


def test_columns_are_found_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("job,ill\nnurse,flu\n")
    plan = Plan.from_options(["job:wordnet", "ill:wordnet", "gone:wordnet"])
    found = found_words(tmp_path / "t.csv", TableOptions(), words_of(plan))
    assert found["job"].rows == {"nurse": 1}  # type: ignore[union-attr]
    assert found["gone"][0].column == "gone"  # type: ignore[union-attr]
