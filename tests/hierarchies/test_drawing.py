"""Hierarchies as they are looked at: the tree is whole, nothing overlaps, and labels are only shown."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Ontology
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.drawing import Drawn, as_html, as_svg, as_text, drawn_of, level_rows
from ontomask.hierarchies.findings import findings_of
from ontomask.hierarchies.gsl import Gsl, linked_nodes

JOBS = Hierarchy.from_rows(
    "jobs",
    [
        ["surgeon", "doctor", "health", "*"],
        ["nun", "nun", "church", "*"],
        ["dentist", "doctor", "health", "*"],
        ["nurse", "nurse", "health", "*"],
    ],
)
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}


def texts_of(svg: str) -> dict[str, tuple[float, float]]:
    """Where each label of a drawing stands."""
    return {
        (text.text or ""): (float(text.attrib["x"]), float(text.attrib["y"]))
        for text in ElementTree.fromstring(svg).iter(f"{SVG}text")
    }


# ---------------------------------------------------------------------- text


def test_tree_as_text() -> None:
    assert as_text(Drawn(JOBS)).splitlines() == [
        "*  4 values",
        "├── health  3 values",
        "│   ├── doctor  2 values",
        "│   │   ├── surgeon",
        "│   │   └── dentist",
        "│   └── nurse",
        "└── church  1 value",
        "    └── nun",
    ]


def test_rows_marks_and_what_was_released_stand_beside_the_labels() -> None:
    drawn = Drawn(
        JOBS,
        counts=np.array([5, 1, 2, 30]),
        released={JOBS.node("doctor"): 7},
        marks={JOBS.node("church"): "look"},
    )
    told = as_text(drawn)
    assert "doctor  2 values, 7 rows, 7 released as this\n" in told
    assert "health  3 values, 37 rows\n" in told and "nurse  30 rows\n" in told
    assert "church  1 value, 1 row  <- look\n" in told


def test_long_lists_and_lines_are_cut_and_depth_is_kept() -> None:
    many = Hierarchy.from_rows("t", [[f"value {i}", "*"] for i in range(30)])
    lines = as_text(Drawn(many), most=12).splitlines()
    assert len(lines) == 1 + 12 + 1 and lines[-1] == "└── ... and 18 more"
    assert len(as_text(Drawn(many), most=None).splitlines()) == 31
    assert as_text(Drawn(many), most=30) == as_text(Drawn(many), most=None)
    assert as_text(Drawn(JOBS), depth=1).splitlines() == [
        "*  4 values",
        "├── health  3 values",
        "└── church  1 value",
    ]
    long = Hierarchy.from_rows("t", [["x" * 300, "*"]])
    assert max(map(len, as_text(Drawn(long), width=60).splitlines())) == 60


def test_labels_do_not_steer_the_terminal() -> None:
    tree = Hierarchy.from_rows("t", [["\x1b[31mred\nblue", "*"]])
    assert as_text(Drawn(tree)).splitlines()[1] == r"└── \x1b[31mred\nblue"


# ---------------------------------------------------------------------- drawings


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    q, height = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    nodes, rows = list(range(q)), [[f"v{v}"] for v in range(q)]
    for level in range(1, height):
        group = draw(st.lists(st.integers(0, q - 1), min_size=q, max_size=q))
        nodes = [group[node] for node in nodes]
        for row, node in zip(rows, nodes, strict=True):
            row.append(f"n{level}.{node}" if node else row[-1])
    return Hierarchy.from_rows("t", [[*row, "top"] for row in rows])


@given(trees())
def test_every_label_is_drawn_and_none_over_another(tree: Hierarchy) -> None:
    places = texts_of(as_svg(Drawn(tree)))
    assert set(places) == set(tree.labels)
    columns: dict[float, list[float]] = {}
    for x, y in places.values():
        columns.setdefault(x, []).append(y)
    for heights in columns.values():
        apart = np.diff(sorted(heights))
        assert not len(apart) or apart.min() >= 9.9  # a row is 20 high
    for node, above in enumerate(tree.parents):
        if above >= 0:
            assert places[tree.labels[above]][0] < places[tree.labels[node]][0] or above < tree.n_values


def test_a_label_stands_half_way_between_its_first_and_last_value() -> None:
    places = {label: y for label, (_, y) in texts_of(as_svg(Drawn(JOBS))).items()}
    assert places["doctor"] == (places["surgeon"] + places["dentist"]) / 2
    assert places["*"] == (places["surgeon"] + places["nun"]) / 2


@given(trees())
def test_the_text_has_every_label_once(tree: Hierarchy) -> None:
    lines = as_text(Drawn(tree), most=None).splitlines()
    assert sorted(re.split(r"[└├]── ", line)[-1].split("  ")[0] for line in lines) == sorted(tree.labels)


def test_bars_are_as_long_as_rows_are_many() -> None:
    svg = ElementTree.fromstring(as_svg(Drawn(JOBS, counts=np.array([5, 1, 2, 10]))))
    assert [float(bar.attrib["width"]) for bar in svg.iter(f"{SVG}rect")] == [60, 12, 24, 120]


def test_the_levels() -> None:
    assert level_rows(Drawn(JOBS, level_gsl=[0.1, 0.25, 1]))[:3] == [
        ("0", "4", "0", "surgeon, nun, dentist, nurse"),
        ("1", "3", "0.1000", "doctor, nun, nurse"),
        ("2", "2", "0.2500", "health, church"),
    ]


# ---------------------------------------------------------------------- the page


class Tags(HTMLParser):
    """Checks that what is opened is closed, and keeps what is there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_offline_and_takes_no_orders() -> None:
    hostile = "<script>alert(1)</script>\" onload='x' & \x1b"
    tree = Hierarchy.from_rows(hostile, [[hostile + str(i), hostile, "*"] for i in range(3)])
    drawn = Drawn(
        tree, np.array([1, 2, 3]), {3: 4}, {3: hostile}, [0.1, 0.2], [hostile], [(hostile, [hostile])]
    )
    page = as_html(drawn)
    tags = Tags()
    tags.feed(page)
    assert tags.open == [] and "script" not in tags.seen
    assert not {name for name, _ in tags.attributes} & {"onload", "src", "href"}
    assert re.findall(r"https?://[^\"' ]*", page) == ["http://www.w3.org/2000/svg"]
    assert "\x1b" not in page and "prefers-color-scheme: dark" in page


def test_the_page_of_a_judged_hierarchy_tells_its_score_and_marks_the_worst(wordnet: Ontology) -> None:
    rows = [
        ["surgeon", "medical practitioner", "doctor", "occupation"],
        ["ophthalmologist", "medical practitioner", "doctor", "occupation"],
        ["tamer", "animal trainer", "trainer", "occupation"],
    ]
    tree = Hierarchy.from_rows("jobs", rows)
    links = linked_nodes(tree, wordnet, senses="first")
    gsl = Gsl(tree, wordnet, links.concepts)
    drawn = drawn_of(gsl, findings_of(gsl, links))
    assert drawn.marks[tree.node("medical practitioner")] == "loses more than doctor above it"
    assert drawn.marks[tree.node("occupation")] == "ophthalmologist loses 0.83 of its meaning here"
    page = as_html(drawn)
    assert f"GSL {gsl.score:.4f}" in page and f"{gsl.levels[2]:.4f}" in page
    assert "medical practitioner below doctor" in page
    assert "▲ medical practitioner" in texts_of(as_svg(drawn))


@pytest.mark.parametrize("n", [60, 200])
def test_height_grows_with_the_values(n: int) -> None:
    tree = Hierarchy.from_rows("t", [[f"value {i}", f"group {i % 9}", "*"] for i in range(n)])
    svg = ElementTree.fromstring(as_svg(Drawn(tree)))
    assert float(svg.attrib["height"]) == pytest.approx(20 * n, abs=20)
