"""The OBO reader: what a stanza becomes, and what each kind of damage is called."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import obo

CONDITIONS = Path(__file__).parent / "fixtures" / "obo_conditions.obo"
HEADER = "format-version: 1.2\n\n"


@pytest.fixture(scope="module")
def conditions() -> Ontology:
    return obo.load(CONDITIONS, "conditions")


def parents(ontology: Ontology, concept: str) -> set[str]:
    return {ontology.ids[p] for p in ontology.parents[ontology.concept(concept)]}


def related(ontology: Ontology, relation: str) -> set[tuple[str, str]]:
    links = ontology.relations[relation]
    return {(ontology.ids[a], ontology.ids[b]) for a, b in zip(links.row_of_value, links.values, strict=True)}


def load_text(tmp_path: Path, text: str | bytes, name: str = "x.obo") -> Ontology:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return obo.load(path, "x")


def term(concept: str, *lines: str) -> str:
    return "\n".join(["[Term]", f"id: {concept}", f"name: name of {concept}", *lines, "", ""])


# ---------------------------------------------------------------------- what is read


def test_concepts_are_terms_and_instances_but_not_typedefs_or_obsolete_terms(conditions: Ontology) -> None:
    assert sorted(conditions.ids) == ["EX:0001", "EX:0002", "EX:0003", "EX:0004", "EX:0005", "EX:0007"]
    assert conditions.notes == ("1 obsolete terms were left out",)
    assert not conditions.virtual_root


def test_is_a_drops_modifiers_and_comments(conditions: Ontology) -> None:
    assert parents(conditions, "EX:0001") == set()
    assert parents(conditions, "EX:0003") == {"EX:0002"}
    assert parents(conditions, "EX:0004") == {"EX:0002", "EX:0005"}
    assert parents(conditions, "EX:0007") == {"EX:0005"}


def test_labels_lose_comments_and_modifiers(conditions: Ontology) -> None:
    assert conditions.labels[conditions.concept("EX:0002")] == "pain"
    assert conditions.labels[conditions.concept("EX:0003")] == "back pain"
    assert conditions.labels[conditions.concept("EX:0007")] == "Ménière's syndrome"


def test_synonyms_of_every_scope_are_terms_unescaped(conditions: Ontology) -> None:
    pain = conditions.concept("EX:0002")
    assert conditions.synonyms(pain) == ["ache", "dolor", "hurt (informal)", "pain", "sting"]


def test_definition_is_the_gloss(conditions: Ontology) -> None:
    pain, headache = conditions.concepts(["EX:0002", "EX:0004"])
    assert conditions.gloss(pain) == 'An unpleasant "feeling"; see [1], really!'
    assert conditions.gloss(headache) == ""


def test_alternative_ids_find_the_concept_they_were_merged_into(conditions: Ontology) -> None:
    for code in ("EX:0103", "EX:0203"):
        assert conditions.concept(code) == conditions.concept("back pain")


def test_parts_are_stored_in_both_directions_whichever_is_stated(conditions: Ontology) -> None:
    assert related(conditions, "has-part") == {("EX:0005", "EX:0003"), ("EX:0005", "EX:0004")}
    assert related(conditions, "part-of") == {("EX:0003", "EX:0005"), ("EX:0004", "EX:0005")}
    assert set(conditions.relations) == {"has-part", "part-of"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (r"one\nline", "one line"),
        (r"a\Wb\tc", "a b c"),
        (r"back\\slash", r"back\slash"),
        (r"really \! yes", "really ! yes"),
        ("Yahoo! fever", "Yahoo! fever"),
        ("2-{[(4S)-x]amino}acid", "2-{[(4S)-x]amino}acid"),
        ('named {a="b", c="d"} ! why', "named"),
    ],
)
def test_escapes_in_names(tmp_path: Path, value: str, text: str) -> None:
    ontology = load_text(tmp_path, f"[Term]\nid: A\nname: {value}\n")
    assert ontology.labels[0] == text


def test_a_term_without_a_name_is_called_by_its_id(tmp_path: Path) -> None:
    assert load_text(tmp_path, "[Term]\nid: A:1\n").labels[0] == "A:1"


def test_byte_order_mark_windows_lines_and_a_missing_last_newline(tmp_path: Path) -> None:
    text = (HEADER + term("A") + term("B", "is_a: A")).rstrip().replace("\n", "\r\n")
    ontology = load_text(tmp_path, b"\xef\xbb\xbf" + text.encode())
    assert list(ontology.ids) == ["A", "B"]


def test_several_tops_get_a_virtual_root_and_a_note(tmp_path: Path) -> None:
    ontology = load_text(tmp_path, HEADER + term("A") + term("B"))
    assert ontology.virtual_root
    assert "2 concepts have nothing above them" in ontology.notes[0]


def test_compressed_is_the_same(tmp_path: Path, conditions: Ontology) -> None:
    path = tmp_path / "c.obo.gz"
    path.write_bytes(gzip.compress(CONDITIONS.read_bytes()))
    assert obo.recognises(path)
    assert obo.load(path, "c").digest == conditions.digest


def test_recognises_by_suffix(tmp_path: Path) -> None:
    (tmp_path / "x.owl").write_text("[Term]")
    assert obo.recognises(CONDITIONS)
    assert not obo.recognises(tmp_path / "x.owl")
    assert not obo.recognises(tmp_path / "absent.obo")
    assert not obo.recognises(tmp_path)
    assert obo.source_files(CONDITIONS) == [CONDITIONS]


# ---------------------------------------------------------------------- what is refused

DAMAGED: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", r"x\.obo: the file is empty"),
    "blank": ("\n \n", r"x\.obo: the file is empty"),
    "a table": ("name,age\nAnn,7\n", r"x\.obo, line 1: expected 'tag: value', found 'name,age'.*not OBO"),
    "no terms": (HEADER, r"x\.obo: no concepts found"),
    "cut in a definition": (
        term("A") + '[Term]\nid: B\ndef: "An unplea',
        r"line 7: expected text in double quotes, found '\"An unplea'.*cut short",
    ),
    "cut in a tag": (
        term("A") + "[Term]\nid: B\nsynon",
        r"line 7: expected 'tag: value', found 'synon'.*cut",
    ),
    "cut in a stanza name": (term("A") + "[Ter", r"line 5: '\[Ter' lacks its '\]'; is the file cut short"),
    "cut before the id": (term("A") + "[Term]\n", r"line 5: the stanza has no id; is the file cut short"),
    "cut in a link": (term("A") + term("B") + "is_a:", r"line 9: an id is missing"),
    "comment for a parent": (term("A", "is_a: ! A"), r"line 4: an id is missing"),
    "half a relationship": (term("A", "relationship: part_of"), r"line 4: a relationship needs"),
    "two ids": ("[Term]\nid: A\nname: a\nid: B\n", r"line 1: the stanza has a second id on line 4"),
    "duplicate": (term("A") + term("A"), r"line 6: the id 'A' is used twice \(first: x\.obo, line 2\)"),
    "dangling": (
        term("A") + term("B", "is_a: A", "is_a: GO:7 ! other"),
        r"line 9: 'B' is-a 'GO:7', but 'GO:7' is not defined",
    ),
    "obsolete parent": (
        term("A") + term("B", "is_a: C") + term("C", "is_obsolete: true"),
        r"line 8: 'B' is-a 'C', but 'C' is marked obsolete \(line 11\).*replacement",
    ),
    "cycle": (
        term("A") + term("B", "is_a: A", "is_a: C") + term("C", "is_a: B"),
        r"form a cycle: 'B' is-a 'C' is-a 'B' \(x\.obo, line 9\)",
    ),
    "no root": (term("A", "is_a: B") + term("B", "is_a: A"), r"no root; a cycle: 'A' is-a 'B' is-a 'A'"),
    "not UTF-8": (
        (HEADER + "[Term]\nid: A\nname: Ménière\n").encode("latin-1"),
        r"line 5: not UTF-8 text \(byte 0xe9\)",
    ),
    "UTF-16": ((HEADER + term("A")).encode("utf-16"), r"line 1: not UTF-8 text \(byte 0xff\)"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_named_with_its_line(tmp_path: Path, kind: str) -> None:
    text, message = DAMAGED[kind]
    with pytest.raises(OntologyError, match=message):
        load_text(tmp_path, text)


def test_damaged_compression(tmp_path: Path) -> None:
    whole = gzip.compress(CONDITIONS.read_bytes())
    for damaged in (whole[:-40], b"[Term]\nid: A\n"):
        with pytest.raises(OntologyError, match=r"x\.obo\.gz: damaged gzip file"):
            load_text(tmp_path, damaged, "x.obo.gz")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"absent\.obo: cannot be read \(No such file"):
        obo.load(tmp_path / "absent.obo", "x")
