"""WordNet database files, and each way they can be damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import OntologyError

LICENCE = "  1 This is the licence text.  \n"
DATA = """\
00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | that which is
00000002 03 n 02 animal 0 beast 0 002 @ 00000001 n 0000 + 00000009 v 0101 | a living thing
00000003 05 n 01 Rex 0 001 @i 00000002 n 0000 | a dog of fame
00000004 05 n 01 animal 1 002 @ 00000001 n 0000 %p 00000003 n 0000 | a toy
"""
INDEX = """\
animal n 2 2 @ ~ 2 1 00000004 00000002
beast n 1 1 @ 1 0 00000002
entity n 1 1 ~ 1 0 00000001
rex n 1 1 @i 1 0 00000003
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.noun").write_text(LICENCE + DATA)
    (tmp_path / "index.noun").write_text(LICENCE + INDEX)
    return tmp_path


def test_reads_is_a_instances_senses_parts_and_glosses(folder: Path) -> None:
    wn = om.load_ontology(folder, name="mini")
    assert [wn.ids[c] for c in wn.senses_of("animal")] == ["00000004", "00000002"]
    rex = wn.concept("rex.n.01")
    assert wn.labels[rex] == "Rex" and wn.ids[wn.parents[rex][0]] == "00000002"
    toy = wn.concept("animal.n.01")
    assert wn.relations["has-part"][toy].tolist() == [rex]
    assert wn.gloss(rex) == "a dog of fame"
    assert wn.synonyms(wn.concept("beast")) == ["animal", "beast"]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data.noun", " | a toy", "", r"data.noun, line 5: no gloss after '\|'"),
        ("data.noun", "n 02 animal", "n 07 animal", r"data.noun, line 3: the number of words or pointers"),
        ("data.noun", "00000003 05", "00000002 05", r"line 4: the id '00000002' is used twice"),
        ("data.noun", "@i 00000002", "@i 00000077", r"line 4: '00000003' is-a '00000077', but '00000077'"),
        ("data.noun", "001 ~ 00000002", "001 @ 00000003", r"no root; a cycle"),
        ("index.noun", "2 1 00000004 ", "2 1 ", r"index.noun, line 2: the number of senses"),
        ("index.noun", "00000003", "00000033", r"'rex' points to synset 00000033, which data.noun lacks"),
    ],
)
def test_damage_is_named(folder: Path, file: str, old: str, new: str, message: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    with pytest.raises(OntologyError, match=message):
        om.load_ontology(folder)


def test_a_missing_index_and_a_wrong_encoding(folder: Path) -> None:
    (folder / "index.noun").unlink()
    with pytest.raises(OntologyError, match=r"needs data\.noun and index\.noun"):
        om.load_ontology(folder)
    (folder / "data.noun").write_bytes(b"00000001 03 n 01 caf\xe9 0 000 | x\n")
    with pytest.raises(OntologyError, match="not UTF-8"):
        om.load_ontology(folder)
