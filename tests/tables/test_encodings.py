"""Encodings that are found out: real names in real encodings, what cannot be told, and bytes that stay."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Plan, anonymize, init
from ontomask.errors import TableError
from ontomask.tables import TableOptions, open_table
from ontomask.tables.encodings import readings

WESTERN = {
    "Spanish": "nombre;ciudad\nJosé Muñoz;Málaga\nÍñigo;LOGROÑO\nBegoña;Cádiz\n",
    "French": "nom;métier\nHélène;pâtissière\nFrançois;maïtre d’hôtel\nZoë;élève\n",
    "German": "Name;Straße\nMüller;Gänsewäldchen 3\nÖzil;Übergang\nJörg;GROẞ\n".replace("ẞ", "SS"),
    "Nordic": "navn;by\nÅse;Tromsø\nBjørn;Ålesund\nSøren;Ærø\n",
}


@pytest.mark.parametrize("language", WESTERN)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "mac-roman", "iso-8859-15"])
def test_words_tell_the_encoding(tmp_path: Path, language: str, encoding: str) -> None:
    text = (
        WESTERN[language].replace("’", "'")
        if encoding in ("cp850", "latin-1", "iso-8859-15")
        else WESTERN[language]
    )
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    table = open_table(tmp_path / "a.csv")
    rows = [line.split(";") for line in text.splitlines()]
    assert list(table.names) == rows[0]
    assert set(table.distinct(rows[0][1])[0]) == {row[1] for row in rows[1:]}
    assert "which was found out" in table.notes[0]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("iso-8859-15", "cœur, 20 €, Œuvre"),
        ("cp1252", "20 °C, 5 £, ½"),
        ("cp1252", "Alzheimer’s, O’Brien – “yes”"),
        ("cp850", "JOSÉ, ESPAÑA"),
        ("cp1252", "JOSÉ, ESPAÑA, ÅSE"),
        ("cp1250", "Łódź, książka, Wałęsa, źdźbło"),
        ("cp1254", "isim, yaş, meslek, şeker hastalığı, Işık, Çağrı, öğretmen"),
        ("cp1252", "Þórður, Guðrún, Ægir, fæðing, Ísafjörður"),
        ("cp1251", "Москва, врач, Объём, юла, жёлтый, Ящик"),
    ],
)
def test_other_texts(encoding: str, text: str) -> None:
    found = readings(np.frombuffer(text.encode(encoding), np.uint8))
    assert found[0].encoding == encoding
    assert text.encode(encoding).decode(found[0].encoding) == text


def test_what_words_do_not_tell_is_asked(tmp_path: Path) -> None:
    """Cyrillic and Greek letters lie in the same places."""
    (tmp_path / "a.csv").write_bytes("город\nМосква\n".encode("cp1251"))
    with pytest.raises(
        TableError, match=r"a.csv, line 1: byte 0 is not UTF-8; it may be cp1251 or "
    ) as caught:
        open_table(tmp_path / "a.csv")
    assert "cp1251: ['город', " in str(caught.value)
    assert "город" not in str(caught.value.without_values())


@pytest.mark.parametrize(
    "content", [b"a,b\nJos\xc3\xa9,1\nM\xc3\xbcller,2\nJos\xe9,3\n", b"a\n" + bytes(range(128, 256)) + b"\n"]
)
def test_a_mixture_is_no_encoding(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(
        TableError, match=r"a.csv, line \d: byte \d+ is not UTF-8, and no usual .* set the encoding"
    ):
        open_table(tmp_path / "a.csv")


def test_byte_order_marks(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        content = "a,b\nJosé,1\nÅse,2\n".encode(encoding)
        (tmp_path / "a.csv").write_bytes(content)
        table = open_table(tmp_path / "a.csv")
        table.released().write(tmp_path / "b.csv")
        assert (tmp_path / "b.csv").read_bytes() == content
        assert table.notes == (
            () if encoding == "utf-8-sig" else ("the file is UTF-16, as its byte order mark says",)
        )


@given(st.lists(st.sampled_from("JoséMuñozHélèneÅseBjørn012 ½°€“”;"), min_size=1, max_size=40).map("".join))
def test_whatever_is_found_out_the_bytes_stay(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    content = f"a\tb\n{text}\t1\nJosé\t2\n".encode("cp1252")
    (folder / "a.csv").write_bytes(content)
    try:
        table = open_table(folder / "a.csv")
    except TableError as error:
        assert "is not UTF-8" in str(error)
        return
    table.released().write(folder / "b.csv")
    assert (folder / "b.csv").read_bytes() == content


def test_it_is_told_in_run_manifest_and_draft(tmp_path: Path) -> None:
    text = "name;job\n" + "José;nurse\nÅse;teacher\n" * 3
    (tmp_path / "a.csv").write_bytes(text.encode("cp1252"))
    plan = Plan.from_options(["job:wordnet"], k=2, others="keep")
    release = anonymize(tmp_path / "a.csv", plan)
    told = "the file is not UTF-8 and was read as cp1252, which was found out"
    assert told in release.notes
    manifest = release.write(tmp_path / "b.csv")
    assert told in json.loads(manifest.read_text())["notes"]
    assert (tmp_path / "b.csv").read_bytes().startswith("name;job\nJosé;".encode("cp1252"))
    profile = init(tmp_path / "a.csv")
    assert profile.notes == (told,)
    assert "encoding: cp1252" in profile.to_yaml()


def test_an_encoding_that_makes_no_words_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(WESTERN["Spanish"].encode("cp1252"))
    assert open_table(path, TableOptions(encoding="cp1252")).notes == ()
    assert open_table(path, TableOptions(encoding="latin-1")).notes == ()
    (note,) = init(path, encoding="cp850").notes[:1]
    assert note == "read as cp850, as given, the file has signs in words: is that its encoding?"
