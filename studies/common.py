"""What the studies share: where the data are, how a result is written down, a release seen by a measure.

A study prints published beside measured, and writes the same as a page under docs/studies. A claim of the
publication is judged under one reading of it or several; it counts once, however many there are.
"""

from __future__ import annotations

import csv
import os
import string
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask import datasets
from ontomask.attributes import Attribute, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.methods import Method
from ontomask.pipeline import Prepared, prepare
from ontomask.privacy import KAnonymity
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


def adult() -> Prepared:
    """Occupation and native country of Adult, with the senses and the mapping of the published study."""
    mapping = str(GOLDEN / "adult_mapping.csv")
    plan = om.Plan.from_options(
        ["occupation:wordnet", "native-country:wordnet"],
        under=["occupation:person", "native-country:location"],
        mapping=[f"occupation:{mapping}", f"native-country:{mapping}"],
        others="keep",
    )
    plan = plan.replace(attributes={name: {"senses": "first"} for name in plan.attributes})
    return prepare(data("adult/adult.csv"), plan)


def survey(hierarchy: Path | None = None) -> Prepared:
    """The bundled survey of 975 visitors, both open answers linked, and with a hierarchy if one is given."""
    mapping = datasets.path("survey_mapping.csv")
    answers = ("reason", "hobby")
    plan = om.Plan.from_options(
        [f"{name}:wordnet" for name in answers],
        mapping=[f"{name}:{mapping}" for name in answers],
        hierarchy=[f"{name}:{hierarchy}" for name in answers if hierarchy],
        method="best-first" if hierarchy else None,
        others="keep",
    )
    return prepare(datasets.path("survey.csv"), plan)


@dataclass(frozen=True, eq=False)
class Sample:
    """A table as methods see it, to be masked many times; distances by any measure."""

    tuples: Tuples
    attributes: Sequence[Attribute]

    @classmethod
    def of(cls, prepared: Prepared) -> Sample:
        """Tuples in the order of their labels, which decides ties."""
        return cls(prepared.tuples, prepared.attributes)

    def by(self, measure: om.Measure | str) -> Sample:
        """The same under another measure."""
        chosen = om.measure(measure) if isinstance(measure, str) else measure
        return Sample(self.tuples, [seen_by(a, chosen) for a in self.attributes])

    def ordered(self, order: Sequence[int] | np.ndarray) -> Sample:
        """The same with its tuples in another order: ties fall otherwise."""
        places = np.asarray(order)
        return Sample(Tuples(self.tuples.codes[places], self.tuples.counts[places]), self.attributes)

    def shuffled(self, seed: int) -> Sample:
        """The same in a random order of the tuples: ties then fall as if records came in any order."""
        return self.ordered(np.random.default_rng(seed).permutation(len(self.tuples)))

    def as_records(self, seed: int) -> Sample:
        """The same record by record in a random order: ties then fall between records, not tuples."""
        codes = np.repeat(self.tuples.codes, self.tuples.counts, axis=0)
        order = np.random.default_rng(seed).permutation(len(codes))
        return Sample(Tuples(codes[order], np.ones(len(codes), np.int64)), self.attributes)

    def masked(self, method: Method, k: int, seed: int = 0, by: om.Measure | None = None) -> ReleaseView:
        """What the figures of a release are computed from; `by` is what it is masked by, unless the method
        insists on a measure of its own, or the sample's."""
        chosen = by or (om.measure(method.measure) if method.measure else None)
        attributes = [seen_by(a, chosen) for a in self.attributes] if chosen else self.attributes
        masking = method.mask(self.tuples, attributes, [KAnonymity(k)], np.random.default_rng(seed))
        seen = [  # numbers have new means among theirs; words have what they had, by the sample's measure
            new if new.line else own for new, own in zip(masking.attributes, self.attributes, strict=True)
        ]
        return ReleaseView(self.tuples, seen, Pairs.of(self.tuples, masking))


def order_of_records(prepared: Prepared) -> list[int]:
    """The tuples by their first appearance in the file."""
    counted = prepared.table.tuples(prepared.counted)
    texts = [[counted.values[j][c] for c in column] for j, column in enumerate(counted.codes.T)]
    tuple_of = dict(zip(zip(*texts, strict=True), prepared.cell_of_raw.tolist(), strict=True))
    path = prepared.table.path
    assert path is not None
    with path.open(newline="", encoding="utf-8") as file:
        separator = ";" if ";" in file.readline() else ","
        file.seek(0)
        rows = csv.DictReader(file, delimiter=separator)
        return list(dict.fromkeys(tuple_of[tuple(row[name] for name in prepared.counted)] for row in rows))


def semantic_loss(view: ReleaseView) -> float:
    """Mean distance of a value to its masked value."""
    return losses(view)["semantic_loss"]


def right_among_nearest(view: ReleaseView) -> float:
    """Share of the people whose own masked record is at the smallest distance."""
    pairs = view.pairs
    away = sum(
        a.distance(*np.broadcast_arrays(view.tuples.codes[None, :, j], pairs.values[:, None, j]))
        for j, a in enumerate(view.attributes)
    )
    own, nearest = away[pairs.masked, pairs.original], away.min(axis=0)[pairs.original]
    return float(pairs.counts @ (own <= nearest) / pairs.n)


def at_k(ks: Iterable[int], holds: Callable[[int], bool]) -> tuple[bool, str]:
    """Whether a claim holds at every k, and where it does not."""
    wrong = [k for k in ks if not holds(k)]
    return not wrong, "exceptions at k = " + ", ".join(map(str, wrong)) if wrong else ""


def under(view: ReleaseView, measure: str) -> ReleaseView:
    """The same release, distances counted by another measure."""
    chosen = om.measure(measure)
    return replace(view, attributes=[seen_by(a, chosen) for a in view.attributes])


@cache
def seen_by(attribute: Attribute, measure: om.Measure) -> Attribute:
    """The attribute under a measure, made once, since its distances are kept with it."""
    return attribute.under(measure)


@dataclass
class Page:
    """A page of results, printed as it grows; its end says which claims hold in which reading."""

    name: str
    title: str
    intro: str
    reading: str = "as printed"
    """How the publication is read at present; verdicts are on this reading."""
    controls: frozenset[str] = frozenset()
    """What is looked at beside the publication, such as other data: shown, but not counted."""
    claims: dict[str, dict[str, bool]] = field(default_factory=dict)
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

    def judge(self, claim: str, holds: bool) -> None:
        """Note whether a published claim comes out in the present reading."""
        self.claims.setdefault(claim, {})[self.reading] = bool(holds)

    def verdict(self, claim: str, holds: bool, why: str = "") -> None:
        """The same, with a line that says it."""
        self.judge(claim, holds)
        found = "reproduced" if holds else "not reproduced"
        self.text(f"**{found}**: {claim}" + (f" — {why}" if why else ""))

    def write(self) -> None:
        """Save the page, with the table of its claims, and its line of the overview."""
        self._table_of_claims()
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{self.name}.md").write_text("\n".join(self._lines).rstrip() + "\n")
        self._update_overview()

    def _readings(self) -> list[str]:
        return list(dict.fromkeys(r for found in self.claims.values() for r in found))

    def _holding(self, reading: str) -> int:
        """How many claims hold in a reading."""
        return sum(found.get(reading, False) for found in self.claims.values())

    def _is_reproduced(self, claim: str) -> bool:
        """Whether a claim holds in some reading of the publication."""
        return any(holds for reading, holds in self.claims[claim].items() if reading not in self.controls)

    def _counts(self) -> tuple[int, int, str, int]:
        """Distinct claims, those reproduced in some reading, which reading reproduces most, and how many."""
        best = max((r for r in self._readings() if r not in self.controls), key=self._holding)
        return len(self.claims), sum(map(self._is_reproduced, self.claims)), best, self._holding(best)

    def _table_of_claims(self) -> None:
        total, some, best, most = self._counts()
        readings = self._readings()
        self.text(
            f"## Claims\n\n{total} distinct claims: {some} reproduced in some reading, {total - some} in none"
            + (f"; {most} in one and the same reading ({best})." if len(readings) > 1 else ".")
        )
        letters = dict(zip(readings, string.ascii_uppercase, strict=False))
        if len(readings) > 1:
            named = [f"- {letters[r]}: {r}" + (", not counted" * (r in self.controls)) for r in readings]
            self.text("Readings:\n\n" + "\n".join(named))
        words = {True: "yes", False: "no", None: ""}
        rows = [
            [claim, *(words[found.get(r)] for r in readings), "" if self._is_reproduced(claim) else "in none"]
            for claim, found in self.claims.items()
        ]
        judged = [sum(r in found for found in self.claims.values()) for r in readings]
        sums = [f"{self._holding(r)} of {of}" for r, of in zip(readings, judged, strict=True)]
        self.table(["claim", *letters.values(), ""], [*rows, ["in all", *sums, f"{some} of {total}"]])

    def _update_overview(self) -> None:
        """The overview's words are written by hand; its counts are put in here."""
        overview = PAGES / "README.md"
        total, some, best, most = self._counts()
        counts = [f"{total}", f"{some}", f"{most} ({best})", f"{total - some}"]
        sums = np.zeros(3, int)
        page = overview.read_text().splitlines()
        for i, line in enumerate(page):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if f"({self.name}.md)" in cells[0]:
                cells[2:6] = counts
                page[i] = "| " + " | ".join(cells) + " |"
            if ".md)" in cells[0]:
                sums += [int(cells[j]) for j in (2, 3, 5)]
            if cells[0] == "all":
                page[i] = f"| all | | {sums[0]} | {sums[1]} | | {sums[2]} | |"
        overview.write_text("\n".join(page) + "\n")
