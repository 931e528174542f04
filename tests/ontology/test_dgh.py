"""The DGH text format: what its blocks say, and the line and column of everything that can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import dgh

PATIENTS = """\
classes:discrete
Disease-or-Syndrome:NONE
(any {yes} {no})

age:continuous
Organism-Attribute:Result-of, Associated-with
(20-60 {20-40 {20-30} {30-40}}
       {40-60})


pain:discrete:generalization
Sign-Or-Symptom:Diagnoses
(any {angina {typical angina} {angina (atypical)}} {none})
"""
SEX = "sex:discrete\nOrganism-Attribute:Result-of\n"


def read(tmp_path: Path, text: str | bytes) -> Ontology:
    path = tmp_path / "h.dgh"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return dgh.load(path, "h")


def chain(tree: Ontology, concept: str) -> list[str]:
    """Ids from the root down to `concept`."""
    return [tree.ids[c] for c in tree.ancestors[tree.concept(concept)]]


def test_blocks() -> None:
    classes, age, pain = dgh.parse(PATIENTS)
    assert (classes.name, classes.kind, classes.generalization) == ("classes", "discrete", False)
    assert (age.name, age.kind, age.generalization) == ("age", "continuous", False)
    assert (pain.name, pain.kind, pain.generalization) == ("pain", "discrete", True)
    assert [b.semantic_type for b in (classes, age)] == ["Disease-or-Syndrome", "Organism-Attribute"]
    assert classes.is_target
    assert classes.relations == ()
    assert age.relations == ("Result-of", "Associated-with")
    assert [block.line for block in (classes, age, pain)] == [1, 5, 11]


def test_tree_knows_where_its_labels_stand() -> None:
    tree = dgh.parse(PATIENTS)[1].tree
    assert [(node.label, node.line, node.column) for node in tree.walk()] == [
        ("20-60", 7, 1),
        ("20-40", 7, 8),
        ("20-30", 7, 15),
        ("30-40", 7, 23),
        ("40-60", 8, 8),
    ]


def test_a_tree_may_be_its_root_alone_and_labels_may_hold_parentheses() -> None:
    assert dgh.parse(SEX + "(any (of both))")[0].tree.label == "any (of both)"
    pain = dgh.parse(PATIENTS)[2].tree
    assert pain.children[0].children[1].label == "angina (atypical)"


def test_a_deep_tree_needs_no_recursion() -> None:
    deep = 5000
    [block] = dgh.parse(SEX + "(r" + "".join(f" {{n{i}" for i in range(deep)) + "}" * deep + ")")
    assert sum(1 for _ in block.tree.walk()) == deep + 1


def test_one_attribute_gives_its_tree(tmp_path: Path) -> None:
    tree = read(tmp_path, SEX + "(any {male} {female})\n")
    assert list(tree.ids) == ["any", "female", "male"]
    assert tree.semantic_types(0) == ["Organism-Attribute"]
    assert tree.concept("sex") == 0
    assert not tree.virtual_root


def test_several_attributes_stand_side_by_side(tmp_path: Path) -> None:
    tree = read(tmp_path, PATIENTS)
    assert tree.virtual_root
    assert chain(tree, "20-30") == ["*", "age", "20-60", "20-40", "20-30"]
    assert chain(tree, "yes") == ["*", "classes", "classes/any", "yes"]
    assert chain(tree, "none") == ["*", "pain", "pain/any", "none"]
    assert {tree.ids[c] for c in tree.senses_of("any")} == {"classes/any", "pain/any"}
    assert tree.semantic_types(tree.concept("pain")) == ["Sign-Or-Symptom"]
    target = tree.concept("classes")
    assert tree.relations["Diagnoses"][tree.concept("pain")].tolist() == [target]
    assert tree.relations["Associated-with"][tree.concept("age")].tolist() == [target]


def test_a_label_like_its_attribute_is_kept_apart(tmp_path: Path) -> None:
    tree = read(tmp_path, "pain:discrete\nSign:NONE\n(pain {ache})\n\nx:discrete\nSign:Affects\n(y)\n")
    assert chain(tree, "ache") == ["*", "pain", "pain/pain", "ache"]


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + PATIENTS.replace("\n", "\r\n").encode()
    assert len(read(tmp_path, text)) == 1 + 3 + 3 + 5 + 5


def test_a_missing_brace_is_located_by_the_range_that_does_not_fit() -> None:
    text = (
        "age:continuous\nOrganism-Attribute:Result-of\n(25-80 {25-50 {25-35} {35-50} {50-80 {50-65} {65-80}})"
    )
    with pytest.raises(OntologyError) as error:
        dgh.parse(text, "sample.dgh")
    assert str(error.value) == (
        "sample.dgh, line 3, column 54: ')' comes before '{25-50' (line 3, column 8) is closed: "
        "a '}' is missing, probably before '{50-80' (line 3, column 31)"
    )


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(any {male {female})", r"line 3, column 20: '\)' comes before '{male' .* a '}' is missing$"),
        ("(any {a {b {c}", r"line 3, column 15: the block ends before '{b' .* 2 '}' are missing"),
        ("(any {male} {female}", r"line 3, column 21: the block ends before the tree is closed by '\)'"),
        ("(any {male}} {female})", r"line 3, column 12: a '}' too many"),
        ("(any {male} {female}))", r"line 3, column 22: text after the end of the tree: a bracket too many"),
        ("(any {male})\nage:continuous", r"line 4, column 1: text after .* a blank line missing"),
        ("any {male}", r"line 3, column 1: expected '\(' and the root"),
        ("(any {male} { })", r"line 3, column 14: an empty label"),
        ("( {male})", r"line 3, column 2: an empty label"),
        ("(any {male} or {female})", r"line 3, column 13: unexpected 'or'"),
        ("(any {pain (acute} {none})", r"line 3, column 12: unexpected '\(acute'"),
        ("(any {male)", r"line 3, column 11: '\)' comes before '{male'"),
        ("(any {a} {b {a}})", r"line 3, column 13: the label 'a' is used twice \(first: line 3, column 6\)"),
        ("(any {any})", r"line 3, column 6: the label 'any' is used twice \(first: line 3, column 1\)"),
        ("\n(any)", r"line 2, column 29: the block ends here; expected a tree"),
    ],
)
def test_damaged_tree(tree: str, message: str) -> None:
    with pytest.raises(OntologyError, match=rf"^h.dgh, {message}"):
        dgh.parse(SEX + tree, "h.dgh")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sex:nominal\nT:R\n(any)", r"line 1, column 5: unknown kind 'nominal'"),
        ("sex\nT:R\n(any)", r"line 1, column 1: expected `name:discrete`"),
        (":discrete\nT:R\n(any)", r"line 1, column 1: expected `name:discrete`"),
        ("sex:discrete:suppression\nT:R\n(any)", r"line 1, column 14: only ':generalization'"),
        ("sex:discrete\n(any {male})", r"line 2, column 1: expected a line `Semantic-Type:"),
        ("sex:discrete\nType\n(any)", r"line 2, column 1: expected a line `Semantic-Type:"),
        ("sex:discrete\nT:R,,S\n(any)", r"line 2, column 1: expected a line `Semantic-Type:"),
        ("sex:discrete", r"line 1, column 13: the block ends here; expected a line `Semantic-Type:"),
        (
            SEX + "(any)\n\n" + SEX + "(all)",
            r"line 5, column 1: .* 'sex' is described twice \(first: line 1\)",
        ),
        ("\n \n", r"no attribute found: the file is empty"),
    ],
)
def test_damaged_block(text: str, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        dgh.parse(text)


def test_wrong_encoding_and_empty_file(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"h.dgh, line 3: not UTF-8 text"):
        read(tmp_path, SEX.encode() + b"(any {caf\xe9})")
    with pytest.raises(OntologyError, match=r"h.dgh: the file is empty"):
        read(tmp_path, "\n")


def test_recognises(tmp_path: Path) -> None:
    for name, text in {
        "a.dgh": "",
        "b.txt": "\n" + PATIENTS,
        "c.txt": "see: discrete things",
        "d.csv": PATIENTS,
    }.items():
        (tmp_path / name).write_text(text)
    assert [dgh.recognises(p) for p in sorted(tmp_path.iterdir())] == [True, True, False, False]
    assert dgh.source_files(tmp_path / "a.dgh") == [tmp_path / "a.dgh"]
