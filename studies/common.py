"""What the studies share: where the data are, how a result is written down, a release seen by a measure.

A study prints published beside measured, and writes the same as a page under docs/studies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask import datasets
from ontomask.attributes import Nominal, Tuples
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.methods import METHODS, Method
from ontomask.pipeline import Prepared, prepare
from ontomask.report.charts import lines

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ONTOMASK_DATA", ROOT.parent / "shared" / "data"))
GOLDEN = ROOT / "tests" / "golden"
PAGES = ROOT / "docs" / "studies"
Curves = Mapping[str, Mapping[int, float]]

_COLOURS = ("#5b6878", "#1668a8", "#b45f06", "#4f8423", "#8e3b8e", "#08807f", "#c0392b", "#5d5bb5")
# Charts carry classes only; on a page of their own they are dark on white, in any reader.
_STYLE = "".join(
    [
        "svg{background:#fff}text{font:13px sans-serif;fill:#1b2530}.v,.at{fill:#53606e;font-size:12px}",
        ".axis{stroke:#53606e;fill:none}.grid{stroke:#d5dbe2;fill:none}.line{fill:none;stroke-width:2}",
        *(
            f".s{i}{{fill:{colour}}}.l{i}{{stroke:{colour};stroke-dasharray:{('none', '8 3', '3 3')[i % 3]}}}"
            for i, colour in enumerate(_COLOURS)
        ),
    ]
)


def data(name: str) -> Path:
    """Path of a data set; ends the study quietly where it is not at hand."""
    path = DATA / name
    if not path.exists():
        print(f"skipped: {name} is not in {DATA} (set ONTOMASK_DATA)")
        sys.exit(0)
    return path


def adult_plan(k: int, method: str = "sa-mdav", **options: object) -> om.Plan:
    """Occupation and native country of Adult, with the senses and the mapping of the published study."""
    mapping = str(GOLDEN / "adult_mapping.csv")
    plan = om.Plan.from_options(
        ["occupation:wordnet", "native-country:wordnet"],
        under=["occupation:person", "native-country:location"],
        mapping=[f"occupation:{mapping}", f"native-country:{mapping}"],
        k=k,
        method=method,
        others="keep",
        **options,
    )
    return plan.replace(attributes={name: {"senses": "first"} for name in plan.attributes})


def adult() -> Prepared:
    """Adult with its two columns linked as in the published study."""
    return prepare(data("adult/adult.csv"), adult_plan(2))


def survey() -> Prepared:
    """The bundled survey of 975 visitors, both open answers linked."""
    mapping = datasets.path("survey_mapping.csv")
    plan = om.Plan.from_options(
        ["reason:wordnet", "hobby:wordnet"],
        mapping=[f"reason:{mapping}", f"hobby:{mapping}"],
        others="keep",
    )
    return prepare(datasets.path("survey.csv"), plan)


@dataclass(frozen=True, eq=False)
class Sample:
    """A table as methods see it, to be masked many times; distances by any measure."""

    tuples: Tuples
    attributes: list[Nominal]

    @classmethod
    def of(cls, prepared: Prepared) -> Sample:
        """All columns are words here."""
        return cls(prepared.tuples, [a for a in prepared.attributes if isinstance(a, Nominal)])

    def by(self, measure: str) -> Sample:
        """The same under another measure."""
        chosen = om.measure(measure)
        return Sample(self.tuples, [replace(a, measure=chosen) for a in self.attributes])

    def shuffled(self, seed: int) -> Sample:
        """The same in a random order of the tuples: ties then fall as if records came in any order."""
        order = np.random.default_rng(seed).permutation(len(self.tuples))
        return Sample(Tuples(self.tuples.codes[order], self.tuples.counts[order]), self.attributes)

    def masked(self, method: Method, k: int, seed: int = 0) -> ReleaseView:
        """What the figures of a release are computed from; a method may insist on its own measure."""
        attributes = self.by(method.measure).attributes if method.measure else self.attributes
        masking = method.mask(self.tuples, attributes, k, np.random.default_rng(seed))
        return ReleaseView(self.tuples, self.attributes, Pairs.of(masking))


def as_published(method: str) -> Method:
    """A method with the weighting that its formulas print (recoding and SA-MDAV)."""
    weighted = {"weighted": True} if method in ("recoding", "sa-mdav") else {}
    return METHODS[method](**weighted)


def at_k(ks: Iterable[int], holds: Callable[[int], bool]) -> tuple[bool, str]:
    """Whether a claim holds at every k, and where it does not."""
    wrong = [k for k in ks if not holds(k)]
    return not wrong, "exceptions at k = " + ", ".join(map(str, wrong)) if wrong else ""


def view_of(release: om.Release) -> ReleaseView:
    """A release as figures see it."""
    return ReleaseView(release.tuples, [c.attribute for c in release.columns], Pairs.of(release.masking))


def tuple_orders(release: om.Release, method: str, k: int, orders: int) -> Iterator[ReleaseView]:
    """The release masked anew under random orders of its tuples: how much hangs on the rule for ties."""
    chosen = as_published(method)
    attributes = [c.attribute for c in release.columns]
    masked_by = [replace(a, measure=om.measure(chosen.measure)) if chosen.measure else a for a in attributes]
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(len(release.tuples))
        tuples = Tuples(release.tuples.codes[order], release.tuples.counts[order])
        masking = chosen.mask(tuples, masked_by, k, np.random.default_rng(0))
        yield ReleaseView(tuples, attributes, Pairs.of(masking))


def under(view: ReleaseView, measure: str) -> ReleaseView:
    """The same release, distances counted by another measure."""
    chosen = om.measure(measure)
    return replace(view, attributes=[replace(a, measure=chosen) for a in view.attributes])


@dataclass
class Page:
    """A page of results, printed as it grows."""

    name: str
    title: str
    intro: str
    _lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text(f"# {self.title}\n\n{self.intro}")

    def text(self, text: str) -> None:
        """A paragraph."""
        print(text, end="\n\n", flush=True)
        self._lines += [text, ""]

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table; numbers as they are formatted by the caller."""
        cells = [list(map(str, headings)), *[list(map(str, row)) for row in rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]

        def line(row: list[str]) -> str:
            return "| " + " | ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) + " |"

        ruler = "|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|"
        self.text("\n".join([line(cells[0]), ruler, *map(line, cells[1:])]))

    def curves(self, curves: Curves, digits: int = 3) -> None:
        """A table of curves over k: one row each."""
        ks = list(next(iter(curves.values())))
        rows = [[name, *[f"{row[k]:.{digits}f}" for k in ks]] for name, row in curves.items()]
        self.table(["k", *map(str, ks)], rows)

    def figure(self, name: str, svg: str, caption: str) -> None:
        """A picture beside the page, readable on its own."""
        PAGES.mkdir(parents=True, exist_ok=True)
        alone = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        alone = alone.replace("</desc>", f"</desc><style>{_STYLE}</style>", 1)
        (PAGES / f"{self.name}_{name}.svg").write_text(alone + "\n")
        self.text(f"![{caption}]({self.name}_{name}.svg)")

    def drawing(self, name: str, curves: Curves, caption: str, y_title: str) -> None:
        """Curves over k as a picture."""
        points = {label: [(float(k), y) for k, y in row.items()] for label, row in curves.items()}
        description = "; ".join(
            f"{label}: {', '.join(f'{y:.3g}' for y in row.values())}" for label, row in curves.items()
        )
        svg = lines(points, title=caption, desc=description, x_title="k", y_title=y_title)
        self.figure(name, svg, caption)

    def verdict(self, claim: str, holds: bool, why: str = "") -> None:
        """A line on whether a published claim was reproduced."""
        found = "reproduced" if holds else "not reproduced"
        self.text(f"**{found}**: {claim}" + (f" — {why}" if why else ""))

    def write(self) -> None:
        """Save the page."""
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{self.name}.md").write_text("\n".join(self._lines).rstrip() + "\n")
