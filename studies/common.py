"""What the studies share: where the data are, how a result is written down, a release seen by a measure.

A study prints published beside measured, and writes the same as a page under docs/studies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask.attributes import Tuples
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.methods import METHODS

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ONTOMASK_DATA", ROOT.parent / "shared" / "data"))
GOLDEN = ROOT / "tests" / "golden"
PAGES = ROOT / "docs" / "studies"


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
    return om.Plan.from_options(
        ["occupation:wordnet", "native-country:wordnet"],
        under=["occupation:person", "native-country:location"],
        mapping=[f"occupation:{mapping}", f"native-country:{mapping}"],
        senses=["occupation:first", "native-country:first"],
        k=k,
        method=method,
        **options,
    )


def view_of(release: om.Release) -> ReleaseView:
    """A release as figures see it."""
    return ReleaseView(release.tuples, [c.attribute for c in release.columns], Pairs.of(release.masking))


def tuple_orders(release: om.Release, method: str, k: int, orders: int) -> Iterator[ReleaseView]:
    """The release masked anew under random orders of its tuples: how much hangs on the rule for ties."""
    kind = METHODS[method]
    attributes = [c.attribute for c in release.columns]
    masked_by = [replace(a, measure=om.measure(kind.measure)) if kind.measure else a for a in attributes]
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(len(release.tuples))
        tuples = Tuples(release.tuples.codes[order], release.tuples.counts[order])
        masking = kind().mask(tuples, masked_by, k, np.random.default_rng(0))
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

    def figure(self, name: str, svg: str, caption: str) -> None:
        """A picture beside the page."""
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{name}.svg").write_text(svg)
        self.text(f"![{caption}]({name}.svg)")

    def verdict(self, claim: str, holds: bool, why: str = "") -> None:
        """A line on whether a published claim was reproduced."""
        found = "reproduced" if holds else "not reproduced"
        self.text(f"**{found}**: {claim}" + (f" — {why}" if why else ""))

    def write(self) -> None:
        """Save the page."""
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{self.name}.md").write_text("\n".join(self._lines).rstrip() + "\n")
