"""Hierarchy files: what is read keeps its levels, what is written is read as it was, the rest is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.formats import FORMATS, as_text, read_hierarchy, write_hierarchy
from ontomask.hierarchies.formats.content import is_padded_by_readers, nodes_of_tree

ENDINGS = [".csv", ".yaml", ".json", ".dgh"]
JOBS = [
    ["surgeon", "doctor", "person"],
    ["doctor", "doctor", "person"],
    ["nun", "nun", "person"],
]


def read(tmp_path: Path, name: str, text: str, **options: str) -> Hierarchy:
    path = tmp_path / name
    path.write_text(text)
    return read_hierarchy(path, **options)


def read_back(hierarchy: Hierarchy, ending: str, tmp_path: Path) -> Hierarchy:
    path = tmp_path / f"again{ending}"
    write_hierarchy(hierarchy, path)
    return read_hierarchy(path, hierarchy.name)


# ---------------------------------------------------------------------- reading


def test_arx_rows_keep_their_padding(tmp_path: Path) -> None:
    rows = [["a", "a", "x", "*"], ["b", "x", "x", "*"], ["c", "c", "c", "*"]]
    tree = read(tmp_path, "h.csv", "\n".join(";".join(row) for row in rows))
    assert tree.rows() == rows
    assert (tree.name, tree.height) == ("h", 3)


def test_a_row_that_is_there_twice_counts_once_and_is_told(tmp_path: Path) -> None:
    tree = read(tmp_path, "h.csv", "a;x;*\na;x;*\nb;x;*\n")
    assert tree.rows() == [["a", "x", "*"], ["b", "x", "*"]]
    assert tree.notes == ("1 rows are repetitions of others",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.yaml", "person:\n  doctor: {=: doctor.n.01, surgeon: , doctor: }\n  nun: {}\n"),
        ("t.json", '{"person": {"doctor": {"surgeon": {}, "doctor": {}, "=": "doctor.n.01"}, "nun": null}}'),
    ],
)
def test_a_child_like_its_parent_is_the_value_itself(tmp_path: Path, name: str, text: str) -> None:
    tree = read(tmp_path, name, text)
    assert tree.rows() == JOBS
    assert tree.concepts == {"doctor": "doctor.n.01"}


def test_a_label_with_two_concepts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"t.yaml, line 1: 'b' stands for 'y' and for 'x'"):
        read(tmp_path, "t.yaml", "a: {b: {=: x, b: {=: y}}}\n")


def test_a_label_below_two_others_is_told_with_its_lines(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"line 4: 'g' generalises to 'y', but to 'x' in line 2"):
        read(tmp_path, "t.yaml", "x:\n  g: [a]\ny:\n  g: [b]\n")


PATIENTS = """\
age:continuous
Organism-Attribute:Result-of
(20-60 {20-40 {20-30} {30-40}} {40-60})

sex:discrete
Organism-Attribute:NONE
(any {male} {female})
"""


def test_a_dgh_file_has_a_tree_for_each_column(tmp_path: Path) -> None:
    age = read(tmp_path, "p.dgh", PATIENTS, column="age")
    assert age.rows() == [
        ["20-30", "20-40", "20-60"],
        ["30-40", "20-40", "20-60"],
        ["40-60", "40-60", "20-60"],
    ]
    assert age.name == "age"
    assert read(tmp_path, "p.txt", PATIENTS, column="sex").values == ("male", "female")
    only = read(tmp_path, "s.dgh", PATIENTS.split("\n\n")[1], column="gender")
    assert only.values == ("male", "female")


@pytest.mark.parametrize(
    ("column", "message"), [({}, "which one is meant"), ({"column": "pain"}, "not 'pain'")]
)
def test_a_column_that_a_dgh_file_lacks(tmp_path: Path, column: dict[str, str], message: str) -> None:
    with pytest.raises(OntologyError, match=rf"p.dgh: it describes 'age', 'sex'; {message}"):
        read(tmp_path, "p.dgh", PATIENTS, **column)


def test_other_kinds_of_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"h.xml: a hierarchy file ends in .csv, .tsv, .yaml"):
        read(tmp_path, "h.xml", "<a/>")
    with pytest.raises(OntologyError, match=r"ends in .csv"):
        write_hierarchy(Hierarchy.from_rows("t", JOBS), tmp_path / "h.xml")


def test_a_tree_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    deep = 8_000
    comb = "".join(f"{{n{i}: {{}}, m{i}: " for i in range(deep)) + "~" + "}" * deep
    with pytest.raises(OntologyError, match=r"8,001 values with 8,000 levels are too many"):
        read(tmp_path, "t.yaml", comb)


# ---------------------------------------------------------------------- writing


def test_what_is_written() -> None:
    jobs = Hierarchy.from_rows("jobs", JOBS, concepts={"nun": "nun.n.01", "person": "no"})
    assert as_text(jobs, ".csv") == "surgeon;doctor;person\ndoctor;doctor;person\nnun;nun;person\n"
    assert as_text(jobs, ".yaml") == (
        'person:\n  =: "no"\n  doctor:\n    surgeon: {}\n    doctor: {}\n  nun: {=: nun.n.01}\n'
    )
    assert as_text(jobs, ".json") == (
        '{\n  "person": {"=": "no",\n    "doctor": {\n      "surgeon": {},\n      "doctor": {}\n    },\n'
        '    "nun": {"=": "nun.n.01"}\n  }\n}\n'
    )
    assert as_text(jobs, ".dgh") == (
        "jobs:discrete\nUnknown:NONE\n(person\n  {doctor {surgeon} {doctor}}\n  {nun})\n"
    )
    once = Hierarchy.from_rows("jobs", JOBS, concepts={"doctor": "doctor.n.01"})  # it stands there twice
    assert as_text(once, ".yaml").count("doctor.n.01") == 1
    ages = Hierarchy.from_rows("age", [["20-30", "all"], ["30-60", "all"]])
    assert as_text(ages, ".dgh").startswith("age:continuous\n")


def test_padding_elsewhere_is_written_as_children_of_the_same_label() -> None:
    padded = Hierarchy.from_rows("t", [["a", "x", "x", "*"], ["b", "b", "z", "*"]])
    assert as_text(padded, ".yaml") == ('"*":\n  x:\n    x:\n      a: {}\n  z:\n    b:\n      b: {}\n')
    idle = Hierarchy.from_rows("t", [["a", "a", "*"], ["b", "b", "*"]])  # no row is without padding
    assert as_text(idle, ".yaml") == '"*":\n  a:\n    a: {}\n  b:\n    b: {}\n'


LABELS = st.one_of(
    st.sampled_from(["no", "1.50", "~", "a;b", 'say "c"', "x: y", "#1", "[a]", "{", "(", "a (b)", "*", "=="]),
    st.text(min_size=1, max_size=6),
    st.sampled_from(
        ["\u200d", "\x7f", "\u00a0x", "\ufeffa", "\\ud83d\x80", "\U0001f600", "\U000e0001\x85", "-", ","]
    ),
)


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Trees cut at random levels, so that padding stands anywhere."""
    labels = draw(st.lists(LABELS, min_size=4, max_size=14, unique=True))
    n_values = draw(st.integers(2, len(labels) - 2))
    height = draw(st.integers(1, 4))
    cut: list[str] = labels[:n_values]
    free = labels[n_values:]
    rows = [[label] for label in cut]
    for _ in range(height - 1):
        groups = sorted(set(cut), key=cut.index)
        joined = draw(st.lists(st.sampled_from(groups), unique=True, max_size=3))
        if joined and len(free) > 1:
            as_itself = draw(st.booleans()) and joined[0] in labels[:n_values]
            new = joined[0] if as_itself else free.pop()
            cut = [new if label in joined else label for label in cut]
        for row, label in zip(rows, cut, strict=True):
            row.append(label)
    rows = [[*row, free[0]] for row in rows]
    concepts = draw(st.dictionaries(st.sampled_from(labels), st.text(max_size=5)))
    return Hierarchy.from_rows("any name", rows, concepts=concepts)


@pytest.mark.parametrize("ending", ENDINGS)
@given(tree=hierarchies())
def test_what_is_written_is_read_as_it_was_or_refused(
    tmp_path_factory: pytest.TempPathFactory, ending: str, tree: Hierarchy
) -> None:
    folder = tmp_path_factory.mktemp("round")
    try:
        again = read_back(tree, ending, folder)
    except OntomaskError as error:
        assert "cannot be written" in str(error)
        assert not list(folder.iterdir())
        assert any(_is_odd(label) for label in [*tree.labels, *tree.concepts.values()])
        return
    assert sorted(again.rows()) == sorted(tree.rows())
    if ending == ".csv":
        assert again.rows() == tree.rows()
    if ending in {".yaml", ".json"}:
        assert again.concepts == tree.concepts


@given(tree=hierarchies())
@example(tree=Hierarchy.from_rows("t", [["a", "x", "x", "*"], ["b", "y", "z", "*"]]))
@example(tree=Hierarchy.from_rows("t", [["a", "a", "*"], ["b", "a", "*"], ["c", "c", "*"]]))
def test_padding_is_left_out_where_a_reader_puts_it_in_again(tree: Hierarchy) -> None:
    short = [list(dict.fromkeys(row)) for row in tree.rows()]
    for row, n_below in zip(short, tree.value_counts.tolist(), strict=False):
        if n_below > 1:
            row.insert(0, row[0])
    is_put_in_again = tree.with_rows(short).rows() == tree.rows()
    assert is_padded_by_readers(tree) == is_put_in_again
    assert nodes_of_tree(tree) == nodes_of_rows(short if is_put_in_again else tree.rows())


def nodes_of_rows(rows: list[list[str]]) -> list[tuple[int, str]]:
    """Label by label, as they are met from the first row to the last."""
    top: dict[str, Any] = {}
    for row in rows:
        below = top
        for label in reversed(row):
            below = below.setdefault(label, {})

    def walked(depth: int, below: dict[str, Any]) -> list[tuple[int, str]]:
        return [
            node for label, others in below.items() for node in [(depth, label), *walked(depth + 1, others)]
        ]

    return walked(0, top)


def _is_odd(label: str) -> bool:
    """Whether a format may refuse a label."""
    blank = label != " ".join(label.split())
    return blank or bool(set(label) & set("(){}\0")) or label == "=" or not label.isprintable()


@pytest.mark.parametrize(
    ("ending", "label", "reason"),
    [
        (".csv", " a", "it begins or ends with a blank"),
        (".csv", "a\nb", "it has a line break"),
        (".yaml", "=", "= names the concept of a label"),
        (".json", "long" * 300, "it is too long"),
        (".dgh", "a{b", "it has braces"),
        (".dgh", "a (b", "parentheses that do not balance"),
        (".dgh", "a  b", "several in a row"),
        (".yaml", "a\ud800", "it has what is no character"),
    ],
)
def test_what_a_format_cannot_carry_is_refused_before_anything_is_written(
    tmp_path: Path, ending: str, label: str, reason: str
) -> None:
    tree = Hierarchy.from_rows("t", [[label, "x"], ["b", "x"]])
    with pytest.raises(OntomaskError, match=reason):
        write_hierarchy(tree, tmp_path / f"t{ending}")
    assert not list(tmp_path.iterdir())


def test_a_name_that_cannot_head_a_dgh_file() -> None:
    with pytest.raises(OntomaskError, match="'a:b' cannot be the name"):
        as_text(Hierarchy.from_rows("a:b", JOBS), ".dgh")


def test_concepts_that_have_no_place_are_told(tmp_path: Path) -> None:
    tree = Hierarchy.from_rows("t", JOBS, concepts={"nun": "nun.n.01"})
    assert "t.csv does not say" in write_hierarchy(tree, tmp_path / "t.csv")[0]
    assert write_hierarchy(tree, tmp_path / "t.yml") == ()
    assert write_hierarchy(Hierarchy.from_rows("t", JOBS), tmp_path / "t.csv") == ()


# ---------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("attribute", "height", "values"),
    [("age", 4, 100), ("education", 3, 16), ("native-country", 2, 41), ("race", 1, 5), ("occupation", 2, 14)],
)
def test_files_of_arx_keep_their_levels_and_bytes(
    data: Callable[[str], Path], attribute: str, height: int, values: int
) -> None:
    path = data(f"adult/adult_hierarchy_{attribute}.csv")
    tree = read_hierarchy(path)
    assert (tree.height, tree.n_values) == (height, values)
    assert as_text(tree, ".csv").splitlines() == path.read_text().splitlines()
    for ending in FORMATS.keys() - {".csv", ".tsv"}:
        assert as_text(tree, ending)


def test_golden_tree(tmp_path: Path) -> None:
    tree = read_hierarchy(Path(__file__).parents[1] / "golden" / "occupation_vgh.yaml")
    assert (tree.n_values, tree.height) == (8, 3)
    assert tree.label_at("tamer", 1) == "animal trainer"
