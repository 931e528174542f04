"""ARX hierarchies: levels, padding, one label at several levels, and what may be wrong in a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import arx

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[3] / "shared" / "data"))


def read(tmp_path: Path, text: str | bytes) -> Ontology:
    path = tmp_path / "h.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return arx.load(path, "h")


def chain(tree: Ontology, concept: str) -> list[str]:
    """Ids from the root down to `concept`."""
    return [tree.ids[c] for c in tree.ancestors[tree.concept(concept)]]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_rows_become_paths(tmp_path: Path, delimiter: str) -> None:
    rows = ["Bachelors;Undergraduate;Higher;*", "Masters;Graduate;Higher;*", "9th;School;Secondary;*"]
    tree = read(tmp_path, "\r\n".join(rows).replace(";", delimiter))
    assert chain(tree, "Masters") == ["*", "Higher", "Graduate", "Masters"]
    assert len(tree) == 1 + 2 + 3 + 3
    assert not tree.virtual_root


def test_padding_collapses(tmp_path: Path) -> None:
    tree = read(tmp_path, "Paris;France;Europe;*\nVatican;Vatican;Europe;*\nUnknown;*;*;*\n")
    assert chain(tree, "Vatican") == ["*", "Europe", "Vatican"]
    assert chain(tree, "Unknown") == ["*", "Unknown"]
    assert len(tree) == 6


def test_a_value_that_is_also_its_group(tmp_path: Path) -> None:
    tree = read(tmp_path, "Other;Other;*\nService;Other;*\n")
    assert chain(tree, "Service") == ["*", "Other", "Service"]
    assert len(tree) == 3


def test_one_label_at_several_levels_is_several_nodes(tmp_path: Path) -> None:
    tree = read(tmp_path, "Other;Misc;*\nService;Other;*\n")
    assert chain(tree, "Other") == ["*", "Misc", "Other"]
    assert chain(tree, "Service") == ["*", "Other [1]", "Service"]
    assert [tree.ids[c] for c in tree.senses_of("Other")] == ["Other [1]", "Other"]


def test_a_label_above_level_zero_keeps_its_name_if_alone(tmp_path: Path) -> None:
    tree = read(tmp_path, "a;x;top;*\nb;y;x;*\n")
    assert chain(tree, "a") == ["*", "top", "x", "a"]
    assert chain(tree, "b") == ["*", "x [2]", "y", "b"]


def test_quotes_spaces_and_delimiters_inside_labels(tmp_path: Path) -> None:
    tree = read(tmp_path, 'name;group;*\n"a; b"; "say ""c""";*\nx, y, z;group ;*\n')
    assert chain(tree, "a; b") == ["*", 'say "c"', "a; b"]
    assert chain(tree, "x, y, z") == ["*", "group", "x, y, z"]
    comma = read(tmp_path, '"a;b",group,*\nc;d,group,*\n')
    assert set(comma.labels) == {"a;b", "c;d", "group", "*"}


def test_an_identical_row_is_read_once(tmp_path: Path) -> None:
    assert len(read(tmp_path, "a;g;*\n\na;g;*\n")) == 3


def test_several_tops_come_under_a_virtual_root(tmp_path: Path) -> None:
    tree = read(tmp_path, "a;x\nb;y\n")
    assert tree.virtual_root
    assert chain(tree, "a") == ["*", "x", "a"]


def test_byte_order_mark(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfa;*\nb;*\n").has_id("a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;g;*\nb;g\n", r"h.csv, line 2: 2 columns, but line 1 has 3"),
        ("a;g;*\nb;g;*\nc\n", r"h.csv, line 3: 1 columns, but line 1 has 3"),
        ("a;g;x;*\nb;g;y;*\n", r"line 2: 'g' at level 1 generalises to 'y', but to 'x' in line 1"),
        (
            "a;g;*\nb;g;*\na;h;*\n",
            r"line 3: 'a' is listed twice: it generalises to 'h', but to 'g' in line 1",
        ),
        ("a;b;a;*\n", r"line 1: 'a' stands above itself \(a is-a b is-a a is-a \*\); that is a cycle"),
        ("a;g;*\n;g;*\n", r"line 2: an empty label"),
        ("a;g;*;\n", r"line 1: an empty label"),
        ('"a\nb";*\n', r"line 1: the label 'a\\nb' has a line break"),
        ('a;g;*\n"b;g;*\n', r"line 2: the quoting is broken"),
        ("Other;Misc;*\nS;Other;*\nOther [1];Misc;*\n", r"the id 'Other \[1\]' is used twice"),
        ("a\nb\n", r"line 1: 'a' has no generalisation beside it"),
        ("", r"h.csv: the file is empty"),
        (b"a;*\ncaf\xe9;*\n", r"line 2: not UTF-8 text"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        read(tmp_path, text)


def test_recognises_by_suffix(tmp_path: Path) -> None:
    for name in ("a.csv", "b.tsv", "c.txt"):
        (tmp_path / name).write_text("a;*")
    assert [arx.recognises(p) for p in sorted(tmp_path.iterdir())] == [True, True, False]
    assert not arx.recognises(tmp_path / "missing.csv")
    assert arx.source_files(tmp_path / "a.csv") == [tmp_path / "a.csv"]


@pytest.mark.skipif(not (DATA / "adult").is_dir(), reason="the Adult data are not here; set ONTOMASK_DATA")
@pytest.mark.parametrize(
    ("attribute", "concepts", "depth"),
    [("education", 25, 3), ("native-country", 47, 2), ("workclass", 12, 2), ("race", 6, 1), ("age", 136, 4)],
)
def test_adult_hierarchies(attribute: str, concepts: int, depth: int) -> None:
    path = DATA / "adult" / f"adult_hierarchy_{attribute}.csv"
    tree = arx.load(path, attribute)
    values = {line.split(";")[0] for line in path.read_text().splitlines()}
    assert {tree.ids[c] for c in tree.is_leaf.nonzero()[0]} == values
    assert len(tree) == concepts
    assert tree.longest_depth.max() == depth
    assert tree.labels[0] == "*"
