"""Lists of concepts: ids, parents, labels and synonyms in a CSV, and the line of whatever is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology import Ontology, load_ontology
from ontomask.ontology.formats import format_of, listed

PAIN = """# Kinds of pain
# and where they are
id;parent;label;synonyms
R52;;pain;hurt

# of the head
R51;R52;headache;ache in the head|"Kopfschmerz"
G43;R51;migraine;
cluster headache;R51;;
"""


def read(tmp_path: Path, text: str, suffix: str = ".csv") -> Ontology:
    path = tmp_path / f"list{suffix}"
    path.write_text(text, encoding="utf-8")
    assert format_of(path) == "listed"
    return load_ontology(path)


def ids(ontology: Ontology, term: str) -> list[str]:
    return [ontology.ids[c] for c in ontology.senses_of(term)]


def test_ids_parents_labels_and_synonyms(tmp_path: Path) -> None:
    pain = read(tmp_path, PAIN)
    assert list(pain.ids) == ["R52", "R51", "G43", "cluster headache"]
    assert list(pain.labels) == ["pain", "headache", "migraine", "cluster headache"]
    assert [pain.ids[c] for c in pain.ancestors[2]] == ["R52", "R51", "G43"]
    assert pain.synonyms(1) == ['"Kopfschmerz"', "ache in the head", "headache"]
    assert listed.title(tmp_path / "list.csv") == "Kinds of pain"


@pytest.mark.parametrize(("separator", "suffix"), [(",", ".csv"), ("\t", ".tsv"), (";", ".CSV")])
def test_other_separators(tmp_path: Path, separator: str, suffix: str) -> None:
    text = 'id;parent;label;synonyms\r\na;;"a; b, c";\r\nb;a;d;e|f\r\n'.replace(";", separator)
    found = read(tmp_path, text, suffix)
    assert found.labels[0] == f"a{separator} b, c"
    assert ids(found, "f") == ["b"]


def test_several_parents(tmp_path: Path) -> None:
    found = read(tmp_path, "id;parent;label;synonyms\nt;;top;\na;t;A;\nb;t;B;\nc;a|b;C;\n")
    assert [found.ids[p] for p in found.parents[found.concept("c")]] == ["a", "b"]


def test_a_title_of_a_group_and_of_its_part_means_the_part(tmp_path: Path) -> None:
    text = (
        "id;parent;label;synonyms\n0;;jobs;\n1;0;vets;\n11;1;vets;\n111;11;vets;doctor\n2;0;others;doctor\n"
    )
    jobs = read(tmp_path, text)
    assert ids(jobs, "vets") == ["111"]
    assert ids(jobs, "doctor") == ["111", "2"]  # neither is above the other, so both are meant


def test_a_plain_hierarchy_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text("Reus;Catalonia;*\n", encoding="utf-8")
    assert format_of(tmp_path / "city.csv") == "arx"
    assert listed.title(tmp_path / "city.csv") == ""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a;R52;b", "line 10: 3 columns where the header has 4"),
        ('a;R52;"b;c', "line 10: the quoting is broken"),
        (";R52;b;", "line 10: an empty label"),
        ("a;R52;b;c||d", "line 10: an empty label"),
        ("R51;R52;b;", "line 10: the id 'R51' is used twice"),
        ("a;R99;b;", "line 10: 'a' is-a 'R99', but 'R99' is not defined"),
        ("a;b;a;\nb;a;a;", "the is-a links form a cycle"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(OntologyError) as caught:
        read(tmp_path, PAIN + row + "\n")
    assert said in str(caught.value)


def test_a_file_without_the_header_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("R52;;pain;ache\n")
    with pytest.raises(
        OntologyError, match="not a list of concepts; its header is `id;parent;label;synonyms`"
    ):
        listed.load(tmp_path / "x.csv", "x")
