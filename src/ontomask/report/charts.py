"""Charts as inline SVG: small pure functions from numbers to text.

Colours are classes that the page's style sheet fills in, so light, dark and print need no second drawing, and
every series differs in shape or hatching as well as in colour. Each chart has a title and a description for
those who cannot see it. They know nothing of releases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from typing import NamedTuple

WIDTH = 720
_ROW, _BAR, _GAP = 20, 14, 10
_LABEL_AT, _BARS_FROM, _VALUE_ROOM = 190, 200, 90
_CHARACTER = 6.6  # mean width of one at 13 px
SERIES = 8  # classes s0..s7 of the style sheet

Number = float | None
Format = Callable[[float], str]
Point = tuple[float, float]


class Link(NamedTuple):
    """Where something leads, and what it is in words."""

    address: str
    words: str


def plain(x: float) -> str:
    """A number as short as it can be read: `1,204`, `12.5`, `0.034`."""
    if x == 0 or abs(x) >= 1000 or float(x).is_integer():
        return f"{x:,.0f}"
    return f"{x:.3g}"


def short(x: float) -> str:
    """A number for an axis.

    >>> short(-800_000_000), short(12_500), short(7919), short(0.25)
    ('-800M', '12.5k', '7919', '0.25')
    """
    for size, unit in ((1e9, "bn"), (1e6, "M"), (1e4, "k")):
        if abs(x) >= size:
            return f"{x / (1e3 if unit == 'k' else size):g}{unit}"
    return f"{x:g}"


def bars(
    labels: Sequence[str], values: Sequence[Number], *, title: str, desc: str, show: Format = plain
) -> str:
    """Horizontal bars of one series."""
    return grouped_bars(labels, {"": values}, title=title, desc=desc, show=show)


def grouped_bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[Number]],
    *,
    title: str,
    desc: str,
    show: Format = plain,
    absent: str = "",
    limit: float | None = None,
) -> str:
    """Horizontal bars, one per series and label; a value of None is written as `absent`.

    `limit` is the value of a full-length bar; without it the largest one is.
    """
    top = _legend_height(series)
    known = [v for values in series.values() for v in values if v is not None]
    full = limit or max(known, default=0) or 1.0
    lone = int(len(series) == 1)  # the first colour is the pale one of "before"
    room = WIDTH - _BARS_FROM - _VALUE_ROOM
    step = len(series) * _ROW + _GAP
    parts = []
    for i, label in enumerate(labels):
        y = top + i * step
        middle = y + len(series) * _ROW / 2 + 4
        parts.append(_text(_LABEL_AT, middle, _shortened(label, 27), "end"))
        for s, values in enumerate(series.values()):
            at, value = y + s * _ROW + (_ROW - _BAR) / 2, values[i]
            length = 0.0 if value is None else max(room * value / full, 1.5 if value > 0 else 0)
            parts.append(
                f'<rect class="s{s + lone}" x="{_BARS_FROM}" y="{at:g}" width="{length:.1f}" '
                f'height="{_BAR}" rx="2"/>'
            )
            said = absent if value is None else show(value)
            parts.append(_text(_BARS_FROM + length + 6, at + 11, said, css="v"))
    height = top + len(labels) * step
    parts.append(f'<path class="axis" d="M{_BARS_FROM} {top - 2}V{height - _GAP + 2}"/>')
    return _svg(height, _legend(series) + "".join(parts), title, desc)


def histogram(
    bins: Sequence[str],
    series: Mapping[str, Sequence[Number]],
    *,
    title: str,
    desc: str,
    x_title: str,
    y_title: str,
    show: Format = plain,
) -> str:
    """Upright bars over bins, one per series; None draws nothing."""
    top, height = _legend_height(series) + 26, 300
    left, bottom = 64, height - 52
    known = [v for values in series.values() for v in values if v is not None]
    ticks = nice_ticks(0, max(known, default=1) or 1)
    scale = (bottom - top) / ticks[-1]
    step = (WIDTH - left - 8) / max(len(bins), 1)
    width = min(step * 0.8 / len(series), 46)
    parts = [_grid_line(left, bottom - t * scale, show(t)) for t in ticks]
    for i, name in enumerate(bins):
        middle = left + (i + 0.5) * step
        parts.append(_text(middle, bottom + 18, name, "middle"))
        for s, values in enumerate(series.values()):
            value = values[i]
            if value is None:
                continue
            x, tall = middle + (s - len(series) / 2) * width, value * scale
            parts.append(
                f'<rect class="s{s}" x="{x:.1f}" y="{bottom - tall:.1f}" width="{width - 2:.1f}" '
                f'height="{tall:.1f}" rx="2"/>'
            )
            if width >= 26 and value > 0:
                parts.append(_text(x + width / 2 - 1, bottom - tall - 5, show(value), "middle", "v"))
    parts.append(f'<path class="axis" d="M{left} {bottom}H{WIDTH - 8}"/>')
    parts.append(_text(left + (WIDTH - left) / 2, height - 8, x_title, "middle", "at"))
    parts.append(_text(8, top - 14, y_title, css="at"))
    return _svg(height, _legend(series) + "".join(parts), title, desc)


def lines(
    series: Mapping[str, Sequence[Point]],
    *,
    title: str,
    desc: str,
    x_title: str,
    y_title: str,
    show: Format = plain,
    limit: float | None = None,
) -> str:
    """Lines over a few places of x, which are evenly spaced: k is chosen in steps, not measured.

    What lies above `limit` is drawn at the upper edge, with its number.
    """
    places = sorted({x for points in series.values() for x, _ in points})
    at = {x: i for i, x in enumerate(places)}
    all_points = [(float(at[x]), y) for points in series.values() for x, y in points]
    frame = _Frame.of(all_points, _legend_height(series), limit)
    parts = [*frame.y_axis(show), *(frame.x_label(at[x], plain(x)) for x in places)]
    for s, points in enumerate(series.values()):
        placed = [frame.place(at[x], y) for x, y in sorted(points)]
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        parts.append(f'<path class="line l{s % SERIES}" d="M{way}"/>')
        parts.extend(_mark(s, x, y) for x, y in placed)
        parts.extend(
            _text(px, py + 20, f"↑ {show(y)}", "middle", "v")
            for (px, py), (_, y) in zip(placed, points, strict=True)
            if frame.is_above(y)
        )
    return _svg(
        frame.height, _legend(series, marks=True) + frame.titled(parts, x_title, y_title), title, desc
    )


def scatter(
    series: Mapping[str, Sequence[tuple[float, float, str]]],
    *,
    title: str,
    desc: str,
    x_title: str,
    y_title: str,
    chosen: Point | None = None,
    show: Format = plain,
    limit: float | None = None,
    link: Callable[[str, str], Link] | None = None,
) -> str:
    """Points (x, y, label) of several series, such as a risk-utility map; `chosen` is ringed.

    What lies above `limit` is drawn at the upper edge, with its number. A label for which there is no room
    beside the others is left out. `link` says where the point of a series and label leads to, if one can go
    there.
    """
    points = [(x, y) for own in series.values() for x, y, _ in own]
    frame = _Frame.of(points, _legend_height(series), limit, from_zero=True)
    parts = [*frame.y_axis(show), *(frame.x_label(t, show(t)) for t in nice_ticks(0, frame.x_range[1]))]
    labels = _Labels(frame, [frame.place(x, y) for x, y in points])
    for s, (name, own) in enumerate(series.items()):
        for x, y, label in own:
            px, py = frame.place(x, y)
            told = f"{label} ↑ {show(y)}" if frame.is_above(y) else label
            drawn = _mark(s, px, py) + labels.beside(px, py, told, s)
            parts.append(drawn if link is None else _linked(drawn, link(name, label), px, py))
    if chosen:
        px, py = frame.place(*chosen)
        parts.append(f'<circle class="ring" cx="{px:.1f}" cy="{py:.1f}" r="10"/>')
    content = _legend(series, marks=True) + frame.titled(parts, x_title, y_title)
    # What is a picture to a screen reader has no links in it.
    return _svg(frame.height, content, title, desc, role="img" if link is None else "group")


@dataclass(frozen=True)
class Node:
    """A line of a tree: its text, how deep it stands, a remark; `css` marks special ones."""

    text: str
    depth: int
    remark: str = ""
    css: str = ""


def tree(nodes: Sequence[Node], *, title: str, desc: str) -> str:
    """A tree as indented lines with elbows; nodes in the order of a walk from the top, parents first."""
    row, indent, left = 28, 26, 12
    parts, last_at = [], dict[int, float]()
    for i, node in enumerate(nodes):
        x, y = left + node.depth * indent, 20 + i * row
        if node.depth:
            parts.append(
                f'<path class="axis" d="M{x - indent + 6} {last_at[node.depth - 1] + 9:g}V{y:g}H{x}"/>'
            )
        last_at[node.depth] = y
        wide = len(node.text) * (8.4 if node.css == "masked" else 7.4) + 18
        parts.append(
            f'<rect class="node {node.css}" x="{x}" y="{y - 11}" width="{wide:.0f}" height="22" rx="11"/>'
        )
        parts.append(_text(x + 8, y + 4, node.text, css=f"nt {node.css}"))
        if node.remark:
            parts.append(_text(x + wide + 8, y + 4, node.remark, css="v"))
    return _svg(16 + len(nodes) * row, "".join(parts), title, desc)


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from at most `low` to at least `high`.

    >>> nice_ticks(0, 87)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    span = high - low or abs(high) or 1.0
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


# ---------------------------------------------------------------------- parts


@dataclass(frozen=True)
class _Frame:
    """Where numbers lie on the paper."""

    x_range: Point
    y_ticks: list[float]
    top: float
    height: float = 360
    left: float = 64

    @classmethod
    def of(
        cls, points: Sequence[Point], legend: float, limit: float | None, from_zero: bool = False
    ) -> _Frame:
        xs = [x for x, _ in points] or [0.0]
        low, high = (0.0, nice_ticks(0, max(xs))[-1]) if from_zero else (min(xs) - 0.3, max(xs) + 0.3)
        highest = min(max((y for _, y in points), default=1.0) or 1.0, limit or math.inf)
        return cls((low, high), nice_ticks(0, highest), legend + 26)

    @property
    def bottom(self) -> float:
        return self.height - 52

    def place(self, x: float, y: float) -> Point:
        low, high = self.x_range
        across = self.left + (x - low) / (high - low) * (WIDTH - self.left - 60)
        return across, self.bottom - min(y / self.y_ticks[-1], 1.0) * (self.bottom - self.top)

    def is_above(self, y: float) -> bool:
        """Whether a number lies above the upper edge, where its point is drawn."""
        return y > self.y_ticks[-1]

    def y_axis(self, show: Format) -> list[str]:
        return [_grid_line(self.left, self.place(0, t)[1], show(t)) for t in self.y_ticks]

    def x_label(self, x: float, text: str) -> str:
        return _text(self.place(x, 0)[0], self.bottom + 18, text, "middle")

    def titled(self, parts: Sequence[str], x_title: str, y_title: str) -> str:
        axis = f'<path class="axis" d="M{self.left} {self.bottom}H{WIDTH - 8}"/>'
        x = _text(self.left + (WIDTH - self.left) / 2, self.height - 8, x_title, "middle", "at")
        return axis + "".join(parts) + x + _text(8, self.top - 14, y_title, css="at")


class _Labels:
    """Texts beside points, none over another one or over a point."""

    PLACES = (
        (9, -4, "start"),
        (9, 13, "start"),
        (-9, -4, "end"),
        (-9, 13, "end"),
        (0, -10, "middle"),
        (0, 20, "middle"),
    )

    def __init__(self, frame: _Frame, points: Sequence[Point]) -> None:
        self._frame = frame
        self._taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]

    def beside(self, x: float, y: float, text: str, series: int) -> str:
        """The text in the first place with room for it; each series begins with a place of its own."""
        wide = len(text) * _CHARACTER
        for at in range(len(self.PLACES)):
            dx, dy, anchor = self.PLACES[(series + at) % len(self.PLACES)]
            left = x + dx - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = left - 2, y + dy - 10, left + wide + 2, y + dy
            if self._has_room(box):
                self._taken.append(box)
                return _text(x + dx, y + dy, text, anchor, "v")
        return ""

    def _has_room(self, box: tuple[float, float, float, float]) -> bool:
        left, top, right, bottom = box
        if left < self._frame.left or right > WIDTH or bottom > self._frame.bottom:
            return False
        if top < self._frame.top - 8:  # where the title of the axis stands
            return False
        return all(
            right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
            for left2, top2, right2, bottom2 in self._taken
        )


_SHAPES = (  # unit shapes around 0, so that no series is told by colour alone
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "M-4.5-4.5h9v9h-9z",
    "M0-6L5.5 4.5h-11z",
    "M0-6L6 0L0 6L-6 0z",
    "M0 6L5.5-4.5h-11z",
    "M-6-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",
    "M-5 3.5L0-6L5 3.5L-6-2.5h12z",
    "M-6-3h12v6h-12z",
)


def _mark(s: int, x: float, y: float) -> str:
    return f'<path class="s{s % SERIES}" d="{_SHAPES[s % SERIES]}" transform="translate({x:.1f} {y:.1f})"/>'


def _linked(drawn: str, link: Link, x: float, y: float) -> str:
    """What can be clicked, with some room around it; a list beside the chart is there for the keyboard."""
    room = f'<circle class="room" cx="{x:.1f}" cy="{y:.1f}" r="13"/>'
    address, said = escape(link.address), escape(link.words)
    begin = f'<a href="{address}" aria-label="{said}" tabindex="-1"><title>{said}</title>'
    return f"{begin}{room}{drawn}</a>"


def _grid_line(left: float, y: float, label: str) -> str:
    return f'<path class="grid" d="M{left} {y:.1f}H{WIDTH - 8}"/>' + _text(left - 8, y + 4, label, "end", "v")


def _legend_height(series: Mapping[str, object]) -> float:
    return _legend_places(list(series))[1] if len(series) > 1 else 4


def _legend_places(names: Sequence[str]) -> tuple[list[Point], float]:
    """Where the entries stand, in as many lines as it takes, and how high they are."""
    x, y, places = 12.0, 14.0, []
    for name in names:
        wide = len(name) * _CHARACTER + 44
        if x + wide > WIDTH and x > 12:
            x, y = 12.0, y + 22
        places.append((x, y))
        x += wide
    return places, y + 14


def _legend(series: Mapping[str, object], marks: bool = False) -> str:
    if len(series) < 2:
        return ""
    parts = []
    for s, (name, (x, y)) in enumerate(zip(series, _legend_places(list(series))[0], strict=True)):
        square = f'<rect class="s{s % SERIES}" x="{x - 6}" y="{y - 6}" width="12" height="12" rx="2"/>'
        parts.append((_mark(s, x, y) if marks else square) + _text(x + 12, y + 4, name))
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str = "start", css: str = "") -> str:
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{where}{kind}>{escape(text)}</text>'


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _svg(height: float, content: str, title: str, desc: str, role: str = "img") -> str:
    name = "c" + sha256(f"{title}\n{desc}\n{content}".encode()).hexdigest()[:10]
    return (
        f'<svg role="{role}" viewBox="0 0 {WIDTH} {height:.0f}" aria-labelledby="{name}t {name}d">'
        f'<title id="{name}t">{escape(title)}</title><desc id="{name}d">{escape(desc)}</desc>{content}</svg>'
    )
