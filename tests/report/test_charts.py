"""Charts by their numbers: lengths, places and what is written."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.report import charts
from report.html_of import Html

said = {"title": "T", "desc": "D"}


def rects(svg: str) -> list[dict[str, str]]:
    return [{k: v or "" for k, v in tag.attributes.items()} for tag in Html(svg).named("rect")]


def test_bars_are_as_long_as_their_values() -> None:
    a, b = (float(r["width"]) for r in rects(charts.bars(["a", "b"], [10, 5], **said)))
    assert a == pytest.approx(2 * b, abs=0.1)


def test_grouped_bars_against_a_limit_and_absent_values() -> None:
    svg = charts.grouped_bars(["a"], {"x": [None], "y": [50]}, absent="fewer than 5", limit=100, **said)
    room = charts.WIDTH - charts._BARS_FROM - charts._VALUE_ROOM
    bars = [float(r["width"]) for r in rects(svg) if r["x"] == str(charts._BARS_FROM)]
    assert bars == [0, pytest.approx(room / 2, abs=0.1)]
    assert "fewer than 5" in Html(svg).texts("text")


def test_histogram_is_as_tall_as_its_values() -> None:
    svg = charts.histogram(["1", "2"], {"n": [4, 1]}, x_title="x", y_title="y", **said)
    a, b = (float(r["height"]) for r in rects(svg))
    assert a == pytest.approx(4 * b, abs=0.2)


def test_lines_go_through_their_points_in_order_of_x() -> None:
    svg = charts.lines({"m": [(10, 1.0), (2, 3.0)]}, x_title="k", y_title="y", **said)
    way = re.search(r'class="line l0" d="M([^"]+)"', svg)
    assert way
    (x1, y1), (x2, y2) = (map(float, p.split()) for p in way[1].split("L"))
    assert x1 < x2 and y1 < y2  # upwards is smaller


def test_what_lies_beyond_the_limit_is_at_the_edge_with_its_number() -> None:
    svg = charts.scatter({"m": [(1, 800, "5"), (2, 50, "2")]}, x_title="x", y_title="y", limit=100, **said)
    assert "5 ↑ 800" in Html(svg).texts("text")
    places = [float(y) for y in re.findall(r"translate\([\d.]+ ([\d.]+)\)", svg)]
    assert min(places) > 0


def test_labels_of_near_points_do_not_cover_each_other() -> None:
    near = {f"m{s}": [(1 + s / 50, 50 + k / 4, f"{k}") for k in (2, 3, 5, 10, 20)] for s in range(4)}
    svg = charts.scatter({**near, "far": [(40, 20, "7")]}, x_title="x", y_title="y", **said)
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"(?: text-anchor="(\w+)")? class="v">(\d+)<', svg)
    boxes = []
    for x, y, anchor, text in found:
        wide = 6 * len(text)
        left = float(x) - {"end": wide, "middle": wide / 2}.get(anchor, 0)
        if float(x) > 64:  # not the numbers of the axis
            boxes.append((left, float(y) - 9, left + wide, float(y)))
    assert 1 < len(boxes) < 21, "some have no room"
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    assert "7" in Html(svg).texts("text")


def test_the_chosen_point_is_ringed() -> None:
    svg = charts.scatter({"m": [(1, 2, "5")]}, chosen=(1, 2), x_title="x", y_title="y", **said)
    ring = Html(svg).named("circle")[0].attributes
    assert f"translate({ring['cx']} {ring['cy']})" in svg


def test_a_tree_is_indented() -> None:
    nodes = [charts.Node("top", 0), charts.Node("left", 1), charts.Node("leaf", 2), charts.Node("right", 1)]
    places = [float(r["x"]) for r in rects(charts.tree(nodes, **said))]
    assert places[0] < places[1] == places[3] < places[2]


def test_texts_are_escaped() -> None:
    svg = charts.bars(["<b>&"], [1], title="<t>", desc="<d>")
    assert "<b>" not in svg and Html(svg).texts("title") == ["<t>"]


@given(low=st.floats(-1e6, 1e6), span=st.floats(1e-3, 1e6))
def test_ticks_cover_the_range_in_equal_steps(low: float, span: float) -> None:
    ticks = charts.nice_ticks(low, low + span)
    steps = [b - a for a, b in pairwise(ticks)]
    assert ticks[0] <= low + 1e-6 * span and ticks[-1] >= low + span - 1e-6 * span
    assert 2 <= len(ticks) <= 12 and max(steps) == pytest.approx(min(steps), rel=1e-3)
