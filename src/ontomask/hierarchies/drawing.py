"""A hierarchy as it is looked at: a tree for the terminal, an SVG drawing, one HTML page that is all.

Data in, text out: it knows a hierarchy, numbers beside its nodes and words about it, but neither tables nor
releases. Colours are classes with the names that the report's style sheet has, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

import numpy as np

from ontomask.arrays import Int64
from ontomask.hierarchies.findings import Findings, in_words, told_in_a_line
from ontomask.hierarchies.gsl import Gsl
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.printable import one_line, shortened, some_of

WIDTH = 100
MOST = 12
_ROW, _LONGEST, _GAP, _BAR = 20, 32, 36, 120
_CHARACTER, _BOLD = 7.0, 8.0  # mean widths
_EXAMPLES = 6

PALETTE = """
:root { color-scheme: light dark; --page: #ffffff; --line: #d5dbe2; --text: #1b2530;
  --muted: #53606e; --stop: #a3231b; --s0: #7d8a9b; --s1: #1668a8; }
@media (prefers-color-scheme: dark) { :root { --page: #14191f; --line: #36414d;
  --text: #e5e9ee; --muted: #a7b2be; --stop: #f39a92; --s0: #8794a6; --s1: #5aa9e6; } }
"""
TREE_RULES = """
.tree text { fill: var(--text);
  font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.tree .v { fill: var(--muted); font-size: 12px; }
.tree .axis { stroke: var(--s0); fill: none; }
.tree .s0 { fill: var(--s0); }
.tree .released { fill: var(--s1); font-weight: 650; }
.tree .worst { fill: var(--stop); font-weight: 600; }
"""
_PAGE_RULES = """
body { margin: 0 auto; max-width: 1200px; padding: 24px; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 28px; } h2 { font-size: 20px; margin-top: 40px; }
th, td { text-align: left; vertical-align: top; padding: 4px 16px 4px 0; }
tr > * { border-bottom: 1px solid var(--line); }
li { overflow-wrap: anywhere; } figure { margin: 0; overflow: auto; max-height: 85vh; }
figcaption { color: var(--muted); }
"""


@dataclass(frozen=True)
class Drawn:
    """What is drawn.

    Attributes
    ----------
    counts
        Rows of a table that hold each value.
    released
        Rows that were released at a node: what was generalised to where.
    marks
        Nodes that are worth a look, and why.
    level_gsl
        What each level loses, from level 1.
    said
        Lines about the whole.
    found
        Headings and the lines below them.
    uncounted
        Nodes whose rows are not told.
    """

    hierarchy: Hierarchy
    counts: Int64 | None = None
    released: Mapping[int, int] = field(default_factory=dict)
    marks: Mapping[int, str] = field(default_factory=dict)
    level_gsl: Sequence[float] = ()
    said: Sequence[str] = ()
    found: Sequence[tuple[str, Sequence[str]]] = ()
    uncounted: frozenset[int] = frozenset()

    @cached_property
    def rows(self) -> Int64 | None:
        """Rows at or below each node, if a table was given."""
        return None if self.counts is None else self.hierarchy.sums(np.asarray(self.counts))

    def remark(self, node: int) -> str:
        """What is said beside a label."""
        is_value = node < self.hierarchy.n_values and not self.hierarchy.children[node]
        parts = [] if is_value else [_counted(int(self.hierarchy.value_counts[node]), "value")]
        if self.rows is not None and node not in self.uncounted:
            parts.append(_counted(int(self.rows[node]), "row"))
        if node in self.released:
            parts.append(f"{self.released[node]:,} released as this")
        return ", ".join(parts)


def drawn_of(gsl: Gsl, findings: Findings, counts: Int64 | None = None) -> Drawn:
    """A judged hierarchy: its score, what its levels lose, and what is worth a look marked in the tree."""
    tree, marks = gsl.hierarchy, dict[int, str]()
    for one in findings.worst:
        marks.setdefault(tree.node(one.label), f"{one.value} loses {one.loss:.2f} of its meaning here")
    for fall in findings.falls:
        marks[tree.node(fall.lower)] = f"loses more than {fall.upper} above it"
    for wrong in findings.not_is_a:
        names = some_of([label for label, _ in wrong.below], 3)
        marks.setdefault(tree.node(wrong.label), f"{names} is no kind of {wrong.label}")
    return Drawn(tree, counts, {}, marks, gsl.levels.tolist(), [told_in_a_line(gsl)], [*in_words(findings)])


# ---------------------------------------------------------------------- text


def as_text(drawn: Drawn, *, depth: int | None = None, most: int | None = MOST, width: int = WIDTH) -> str:
    """The tree for a terminal.

    Parameters
    ----------
    depth
        How many levels below the root are shown; None for all.
    most
        How many labels below one are shown; None for all.
    width
        Lines are cut there.

    Examples
    --------
    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> print(as_text(Drawn(jobs)), end="")
    person  2 values
    ├── doctor  1 value
    │   └── surgeon
    └── nun
    """
    lines = []
    for line, remark in _lines(drawn, depth, most):
        lines.append(shortened(f"{line}  {remark}" if remark else line, width))
    return "\n".join(lines) + "\n"


def _lines(drawn: Drawn, depth: int | None, most: int | None) -> Iterator[tuple[str, str]]:
    """Each line and the remark behind it, from the root down."""
    tree = drawn.hierarchy
    waiting: list[tuple[str, str, int, int]] = [("", "", tree.root, 0)]  # stack: branch, indent, node, depth
    while waiting:
        branch, indent, node, at = waiting.pop()
        if node < 0:
            yield f"{branch}... and {-node:,} more", ""
            continue
        mark = f"  <- {one_line(drawn.marks[node])}" if node in drawn.marks else ""
        yield branch + one_line(tree.labels[node]), drawn.remark(node) + mark
        below = list(tree.children[node]) if depth is None or at < depth else []
        if most is not None and len(below) > most:
            below = [*below[:most], most - len(below)]  # a negative number stands for the others
        for child in reversed(below):
            is_last = child == below[-1]
            step = (indent + "└── ", indent + "    ") if is_last else (indent + "├── ", indent + "│   ")
            waiting.append((*step, child, at + 1))


# ---------------------------------------------------------------------- SVG


def as_svg(drawn: Drawn, *, with_style: bool = True) -> str:
    """The tree as a drawing: the root at the left, a row for each value at the right.

    `with_style` is for a file of its own; a page that has `PALETTE` and `TREE_RULES` needs none.
    """
    tree = drawn.hierarchy
    y = _heights(tree)
    columns, wide = _columns(drawn)
    x = [columns[level] for level in tree.lowest_level.tolist()]
    edges, texts = [], []
    for node, above in enumerate(tree.parents.tolist()):
        at_x, at_y = x[node], y[node]
        if above >= 0:
            turn = columns[max(int(tree.lowest_level[above]) - 1, 0)] - 16  # those of one label at one place
            start = min(x[above] + _length(drawn, above) + 6, turn)
            edges.append(f"M{start:.1f} {y[above]:.1f}H{turn:.1f}V{at_y:.1f}H{at_x - 5:.1f}")
        texts.append(_node(drawn, node, at_x, at_y))
    texts += _bars(drawn, x, y)
    height = tree.n_values * _ROW + 16
    title, desc = escape(one_line(f"Hierarchy {tree.name}")), f"{tree.n_values} values, {tree.height} levels"
    style = f"<style>{PALETTE}{TREE_RULES}</style>" if with_style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="tree" width="{wide:.0f}" '
        f'height="{height}" viewBox="0 0 {wide:.0f} {height}">'
        f"<title>{title}</title><desc>{desc}</desc>{style}"
        f'<path class="axis" d="{"".join(edges)}"/>{"".join(texts)}</svg>\n'
    )


def _heights(tree: Hierarchy) -> list[float]:
    """Values one below the other in the order of the tree; a label half way between its first and last."""
    y = [0.0] * len(tree.labels)
    order: list[int] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(tree.children[node]))
    rows = 0
    first, last = dict[int, float](), dict[int, float]()
    for node in order:
        if node < tree.n_values:  # a value that others stand below has a row of its own, above theirs
            first[node] = last[node] = y[node] = _ROW * (rows + 0.5) + 8
            rows += 1
    for node in reversed(order):
        below = [(first[child], last[child]) for child in tree.children[node]]
        own = [(y[node], y[node])] if node < tree.n_values else []
        first[node] = min(one for one, _ in [*own, *below])
        last[node] = max(one for _, one in [*own, *below])
        if node >= tree.n_values:
            y[node] = (first[node] + last[node]) / 2
    return y


def _columns(drawn: Drawn) -> tuple[list[float], float]:
    """Where the labels of each level begin, and how wide it all is: a column is as wide as its labels."""
    tree = drawn.hierarchy
    lengths = np.zeros(tree.height + 1)
    for node, level in enumerate(tree.lowest_level.tolist()):
        lengths[level] = max(lengths[level], _length(drawn, node))
    starts = np.zeros(tree.height + 1)
    starts[tree.height] = 10
    for level in range(tree.height - 1, -1, -1):
        starts[level] = starts[level + 1] + lengths[level + 1] + _GAP
    room = _BAR + 60 if drawn.counts is not None else 10
    return starts.tolist(), float(starts[0] + lengths[0] + room)


def _label(drawn: Drawn, node: int) -> str:
    label = shortened(one_line(drawn.hierarchy.labels[node]), _LONGEST)
    rows = f" · {drawn.released[node]:,} released" if node in drawn.released else ""
    return ("▲ " if node in drawn.marks else "") + label + rows


def _length(drawn: Drawn, node: int) -> float:
    is_bold = node in drawn.marks or node in drawn.released
    return len(_label(drawn, node)) * (_BOLD if is_bold else _CHARACTER)


def _node(drawn: Drawn, node: int, x: float, y: float) -> str:
    """A label; what cannot be seen at a glance is told when the mouse rests on it."""
    css = "worst" if node in drawn.marks else "released" if node in drawn.released else ""
    kind = f' class="{css}"' if css else ""
    told = ": ".join(filter(None, [drawn.hierarchy.labels[node], drawn.remark(node), drawn.marks.get(node)]))
    return (
        f'<text x="{x:.1f}" y="{y + 4:.1f}"{kind}>{escape(_label(drawn, node))}'
        f"<title>{escape(one_line(told))}</title></text>"
    )


def _bars(drawn: Drawn, x: Sequence[float], y: Sequence[float]) -> Iterator[str]:
    """How many rows hold each value."""
    if drawn.counts is None:
        return
    tree = drawn.hierarchy
    most = max(1, int(np.max(drawn.counts)))
    start = max(x[v] + _length(drawn, v) for v in range(tree.n_values)) + 10
    for v, rows in enumerate(np.asarray(drawn.counts).tolist()):
        long = _BAR * rows / most
        yield (
            f'<rect class="s0" x="{start:.1f}" y="{y[v] - 5:.1f}" width="{long:.1f}" height="10" rx="2"/>'
            f'<text class="v" x="{start + long + 5:.1f}" y="{y[v] + 4:.1f}">{rows:,}</text>'
        )


# ---------------------------------------------------------------------- HTML


def as_html(drawn: Drawn) -> str:
    """One page that needs nothing else: the score, the levels, the tree, and what is worth a look."""
    tree = drawn.hierarchy
    name = _html(f"Hierarchy {tree.name}")
    size = f"{_counted(tree.n_values, 'value')}, {_counted(tree.height, 'level')} above them"
    legend = "▲ worth a look: rest the mouse on a label to see why" if drawn.marks else ""
    parts = [
        f"<h1>{name}</h1><p>{size}</p>",
        *(f"<p>{_html(line)}</p>" for line in (*drawn.said, *tree.notes)),
        "<h2>Levels</h2>",
        _levels_table(drawn),
        f"<h2>Tree</h2><figure>{as_svg(drawn, with_style=False)}<figcaption>{legend}</figcaption></figure>",
        *(
            f"<h2>{_html(heading)}</h2><ul>{''.join(f'<li>{_html(line)}</li>' for line in lines)}</ul>"
            for heading, lines in drawn.found
        ),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{PALETTE}{TREE_RULES}{_PAGE_RULES}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def level_headings(drawn: Drawn) -> tuple[str, ...]:
    """What stands above the columns of `level_rows`."""
    return ("level", "labels", *(["GSL"] if drawn.level_gsl else []), "such as")


def level_rows(drawn: Drawn) -> list[tuple[str, ...]]:
    """Of each level: its number, how many labels it has, what it loses if that is known, some of its labels.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> level_rows(Drawn(jobs))
    [('0', '2', 'surgeon, nun'), ('1', '2', 'doctor, nun'), ('2', '1', 'person')]
    """
    tree, rows = drawn.hierarchy, []
    lost = [("0",), *((f"{loss:.4f}",) for loss in drawn.level_gsl)] if drawn.level_gsl else []
    for level in range(tree.height + 1):
        nodes = tree.nodes_at(level)
        largest = nodes[np.argsort(-tree.value_counts[nodes], kind="stable")[:_EXAMPLES]]
        labels = [one_line(tree.labels[node]) for node in largest.tolist()]
        examples = some_of(labels, _EXAMPLES, of=len(nodes))
        rows.append((str(level), f"{len(nodes):,}", *(lost[level] if lost else ()), examples))
    return rows


def _levels_table(drawn: Drawn) -> str:
    def cells(kind: str, row: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{_html(cell)}</{kind}>" for cell in row) + "</tr>"

    rows = "".join(cells("td", row) for row in level_rows(drawn))
    return f"<table><thead>{cells('th', level_headings(drawn))}</thead><tbody>{rows}</tbody></table>"


def _html(text: str) -> str:
    return escape(one_line(text))


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
