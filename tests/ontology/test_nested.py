"""Nested YAML and JSON: labels as written, one tree, and an error with its line for every kind of damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats import nested

GOLDEN = Path(__file__).parents[1] / "golden"


def read(tmp_path: Path, text: str | bytes, suffix: str = ".yaml") -> Ontology:
    path = tmp_path / f"tree{suffix}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return nested.load(path, "tree")


def chain(tree: Ontology, label: str) -> list[str]:
    """Labels from the root down to `label`."""
    return [tree.labels[c] for c in tree.ancestors[tree.concept(label)]]


@pytest.mark.parametrize(
    ("name", "concepts", "leaves", "depth"),
    [("conditions", 9, 5, 3), ("treatments", 9, 5, 4), ("disorders", 9, 5, 3), ("occupation_vgh", 16, 8, 3)],
)
def test_golden_trees(name: str, concepts: int, leaves: int, depth: int) -> None:
    tree = nested.load(GOLDEN / f"{name}.yaml", name)
    assert len(tree) == concepts
    assert tree.is_leaf.sum() == leaves
    assert tree.longest_depth.max() == depth
    assert (tree.parents.counts[1:] == 1).all()
    assert not tree.virtual_root


def test_path_to_a_leaf() -> None:
    tree = nested.load(GOLDEN / "conditions.yaml", "conditions")
    assert chain(tree, "migraine") == ["symptom", "pain", "ache", "migraine"]


def test_children_may_be_a_mapping_a_list_null_or_nothing(tmp_path: Path) -> None:
    tree = read(tmp_path, "top:\n  a: {x: , y: ~}\n  b:\n    - z\n    - w: [v]\n  c: []\n  d: {}\n")
    assert chain(tree, "x") == ["top", "a", "x"]
    assert chain(tree, "v") == ["top", "b", "w", "v"]
    assert [tree.labels[c] for c in tree.children[tree.concept("top")]] == ["a", "b", "c", "d"]


def test_scalars_stay_as_written(tmp_path: Path) -> None:
    tree = read(
        tmp_path, "country:\n  no: {}\n  1.50: {}\n  007:\n  2020-01-01:\n  codes: [yes, 0x1F, null]\n"
    )
    assert set(tree.labels) == {"country", "no", "1.50", "007", "2020-01-01", "codes", "yes", "0x1F", "null"}


def test_equals_sign_names_what_a_node_stands_for(tmp_path: Path) -> None:
    tree = read(tmp_path, "symptom:\n  ache:\n    =: pain.n.01\n    migraine: {=: migraine.n.01}\n")
    assert tree.synonyms(tree.concept("ache")) == ["ache", "pain.n.01"]
    assert tree.concept("migraine.n.01") == tree.concept("migraine")
    assert len(tree) == 3


def test_several_tops_come_under_a_virtual_root(tmp_path: Path) -> None:
    tree = read(tmp_path, "pain: [ache]\nfever: {}\n")
    assert tree.virtual_root
    assert chain(tree, "ache") == ["*", "pain", "ache"]
    assert "2 concepts have nothing above them" in tree.notes[0]


def test_json_is_read_like_yaml(tmp_path: Path) -> None:
    text = '{\n\t"symptom":{"pain":["ache",1.50],\r\n\t"caf\\u00e9":null, "\\ud83d\\ude00":{"=":"smile"}}}'
    tree = read(tmp_path, text, ".json")
    assert set(tree.labels) == {"symptom", "pain", "ache", "1.50", "café", "\N{GRINNING FACE}"}
    assert tree.concept("smile") == tree.concept("\N{GRINNING FACE}")


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    tree = read(tmp_path, b"\xef\xbb\xbfpain:\r\n  ache: {}\r\n")
    assert set(tree.labels) == {"pain", "ache"}


def test_depth_has_no_limit(tmp_path: Path) -> None:
    deep = 3000
    tree = read(tmp_path, "".join(f"{{n{i}: " for i in range(deep)) + "~" + "}" * deep)
    assert tree.longest_depth.max() == deep - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pain:\n  ache: {}\nfever:\n  ache: {}\n", r"tree.yaml, line 4: the id 'ache' .* line 2"),
        ("pain:\n  ache: {}\n  ache: {}\n", r"tree.yaml, line 3: the id 'ache' .* line 2"),
        ("pain:\n  pain: {}\n", r"tree.yaml, line 2: the id 'pain' .* line 1"),
        ("pain: &p\n  ache: *p\n", r"tree.yaml, line 2: the alias \*p puts one node in two places"),
        ("pain: &p {ache: }\nhurt: *p\n", r"tree.yaml, line 2: the alias \*p"),
        ("pain: [ache,\n", r"tree.yaml, line [12]: not valid YAML .* cut short"),
        ("pain:\n  ache: {}\n\tcolic: {}\n", r"tree.yaml, line 3: not valid YAML at column 1"),
        ("pain: ache\n", r"line 1: 'pain' has 'ache' where its children should stand; write \[ache\]"),
        ("just words\n", r"line 1: expected a mapping of labels"),
        ("pain:\n  ? [a, b]\n  : {}\n", r"line 2: a mapping or list stands where a label is expected"),
        ("- - a\n", r"line 1: a mapping or list stands where a label is expected"),
        ("pain:\n  '': {}\n", r"line 2: an empty label"),
        ('pain:\n  "a\\nb": {}\n', r"line 2: the label 'a\\nb' has a line break"),
        ("pain: {}\n---\nfever: {}\n", r"line 2: a second document starts"),
        ("pain: !!python/object:os.system {}\n", r"line 1: the tag .*os.system' has no meaning here"),
        ("=: pain\n", r"line 1: '=' names what the label above it stands for"),
        ("# only a remark\n", r"tree.yaml: no concepts found"),
        ("", r"tree.yaml: the file is empty"),
        (b"pain:\n  caf\xe9: {}\n", r"line 2: not UTF-8 text \(byte 0xe9 found\); save the file as UTF-8"),
        ("pain: {}".encode("utf-16"), r"line 1: not UTF-8 text \(UTF-16 found\)"),
        ("pain: {}".encode("utf-16-le"), r"line 1: a zero byte"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"pain":\n{"ache": {},\n"ache": {}}}', r"tree.json, line 3: the id 'ache' .* line 2"),
        ('{"pain":\n{"ache": {}', r"tree.json, line 2: not valid JSON at column 12 .* cut short"),
        ('{"pain":\n"ache"}', r"tree.json, line 2: 'pain' has 'ache'"),
        ('{"pain": {"\\ud83d": 0}}', r"tree.json: not valid YAML"),
        ("[" * 100_000, r"tree.json: nested too deeply"),
    ],
)
def test_damaged_json(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        read(tmp_path, text, ".json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"nowhere.yaml: cannot be read"):
        nested.load(tmp_path / "nowhere.yaml", "n")


def test_a_label_that_stands_for_no_concept_has_no_other_name(tmp_path: Path) -> None:
    (tmp_path / "pain.yaml").write_text('pain:\n  =: ""\n  ache: {=: sore}\n')
    ontology = nested.load(tmp_path / "pain.yaml", "pain")
    assert len(ontology.senses_of("")) == 0
    assert len(ontology.senses_of("sore")) == 1


def test_recognises_by_suffix_but_not_linked_data(tmp_path: Path) -> None:
    for name, text in {
        "a.yaml": "a:",
        "b.YML": "a:",
        "c.json": "{}",
        "d.json": '{"@context": {}}',
        "e.csv": "",
    }.items():
        (tmp_path / name).write_text(text)
    assert [nested.recognises(p) for p in sorted(tmp_path.iterdir())] == [True, True, True, False, False]
    assert nested.source_files(tmp_path / "a.yaml") == [tmp_path / "a.yaml"]


# ---------------------------------------------------------------------- line by line

KEYS = ["a", "b c", "no", "1.50", "~", '"x: y"', '"="', "=", '"\\u0009"', '"\\ud83d"', '""', "null"]
KEYS += ['"q', "é (f)", "[g]"]
FOLLOWING = ["", ":", ": {}", ": []", ": x", ': "y z"', ": null", ": ~", ":  {}", ": {} ", ":x"]
FOLLOWING += [": {=: x}", ": {=: null}", ": {=: }", ': {=: ""}', ': ""']
INDENTS = st.sampled_from(["", "  ", "    ", " ", "   "])
OTHERS = ["", "  ", "# a", "  # a", "#\x07", "---", "a: {} # no", "\tb:", "c:\r", "- d", "\ufeffe:", "=: h"]
ODD = st.builds("{}{}{}".format, INDENTS, st.sampled_from(KEYS), st.sampled_from([":", ": {}", *FOLLOWING]))
USUAL = st.builds(
    "{}{}".format,
    st.sampled_from(["", "  ", "    "]),
    st.sampled_from(["a:", "b: {}", '"c":', "=: d.n.01", "e: {=: f.n.01}", '=: ""', 'g: {=: ""}']),
)


@given(st.one_of(st.lists(USUAL, max_size=6), st.lists(ODD | st.sampled_from(OTHERS), max_size=6)))
@example(["a:", "  b:", "  =: x", "    c:"])
@example(["a: {}", "  b: {}"])
@example(["a:", "  =: x", "  b:", "    =: y", "    c: {}", "  d: {}", ""])
@example(["=: x"])
def test_what_is_read_line_by_line_is_what_yaml_says(lines: list[str]) -> None:
    text, source = "\n".join(lines), Path("tree.yaml")
    if nested.by_lines(text):
        assert nested.parse(text, source) == nested._by_events(text, source)


def test_a_text_with_a_label_on_each_line_is_read_so() -> None:
    text = '# said\ntop:\n  =: "no"\n  b c (d): {}\n\n  "e: f":\n    =: g.n.01\n    "1.50": {=: h}\n'
    assert nested.by_lines(text) == (
        [(0, "top", "no"), (1, "b c (d)", None), (1, "e: f", "g.n.01"), (2, "1.50", "h")],
        [2, 4, 6, 8],
    )
    assert nested.by_lines('top:\n  =: ""\n  a: {=: ""}\n') == ([(0, "top", ""), (1, "a", "")], [1, 3])
    assert nested.by_lines("".join(f"{'  ' * depth}n{depth}:\n" for depth in range(102))) is None
