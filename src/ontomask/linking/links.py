"""The mapping of values to concepts: a table that a person reviews, edits and passes back.

CSV with the columns value, concept, label, how, score, alternatives. The first two are read back; the others
tell whether somebody decided them (`is_undecided`).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ontomask.arrays import Int32
from ontomask.errors import LinkingError
from ontomask.files import replacing
from ontomask.linking.mapping import BETWEEN_ALTERNATIVES, Written, neutralised
from ontomask.linking.spelling import spelling_of
from ontomask.ontology.core import Ontology

if TYPE_CHECKING:
    import pandas

COLUMNS = ("value", "concept", "label", "how", "score", "alternatives")
LINKED = ("mapping", "id", "crossmap", "synonym", "exact", "normalised", "words", "head", "similar")
NOT_LINKED = ("ambiguous", "suggested", "none", "missing")
DOUBTFUL = 0.7
"""A link that is right with less than this probability is worth a person's look."""
Formulas = Literal["neutralise", "keep"]
_SHOWN = 20
# Where a spreadsheet, or Python's own reader, would cut a cell without quotes.
_SPLIT = re.compile(r"[;\t\r]")


def is_undecided(line: Written, label: str) -> bool:
    """Whether nobody has decided a line since linking wrote it and doubted it; `label` is its concept's.

    It has a score below 0.7 and one of linking's own words under `how`, and the concept is still the one
    whose label stands beside it, none of the alternatives.
    """
    return (
        line.how in LINKED and line.score < DOUBTFUL and line.label == label and line not in line.alternatives
    )


@dataclass(frozen=True)
class Link:
    """One value: the concept it means (None if that needs a person), how that was found, what else it may be.

    `how` is one of `LINKED` or `NOT_LINKED`; `score` is how likely the concept is right (`scores`), or how
    similar the best suggestion is.
    """

    value: str
    concept: int | None
    how: str
    score: float = 0.0
    alternatives: tuple[int, ...] = ()

    @property
    def sureness(self) -> float:
        """How likely it is that the value means its concept; 0 without one."""
        return 0.0 if self.concept is None else self.score

    @property
    def is_doubtful(self) -> bool:
        """Whether a person should look at it."""
        return self.sureness < DOUBTFUL and self.how != "missing"


@dataclass(frozen=True, eq=False, repr=False)
class Links(Sequence[Link]):
    """The links of a column's distinct values, in the order the values were given."""

    ontology: Ontology
    rows: tuple[Link, ...]
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {link.value: i for i, link in enumerate(self.rows)})

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Link]:
        return iter(self.rows)

    def __getitem__(self, index: int | slice | str) -> Link:  # type: ignore[override]
        if isinstance(index, str):
            return self.rows[self._index[index]]
        return self.rows[index]  # type: ignore[return-value]

    @property
    def concepts(self) -> Int32:
        """Concept index per value, -1 where there is none."""
        return np.array([-1 if link.concept is None else link.concept for link in self.rows], np.int32)

    @property
    def unlinked(self) -> list[Link]:
        """Values that need a person."""
        return [link for link in self.rows if link.concept is None and link.how != "missing"]

    @property
    def doubtful(self) -> list[Link]:
        """Values that a person should look at: without a concept, or less sure than 0.7; those first that are
        least sure."""
        return sorted((link for link in self.rows if link.is_doubtful), key=lambda link: link.sureness)

    def by_rows(self, rows: Mapping[str, int]) -> Links:
        """The same in the order of a review: doubtful ones first, then by how many rows have the value."""
        order = sorted(self.rows, key=lambda one: (not one.is_doubtful, -rows.get(one.value, 0)))
        return Links(self.ontology, tuple(order))

    def once(self, rows: Mapping[str, int]) -> tuple[Links, dict[str, int]]:
        """One link for all spellings of a value, that of most rows, and how many rows have any of them."""
        usual: dict[tuple[str, int | None], Link] = {}
        total: Counter[str] = Counter()
        for one in sorted(self.rows, key=lambda one: -rows.get(one.value, 0)):
            first = usual.setdefault((spelling_of(one.value), one.concept), one)
            total[first.value] += rows.get(one.value, 0)
        kept = {one.value for one in usual.values()}
        return Links(self.ontology, tuple(one for one in self.rows if one.value in kept)), dict(total)

    def shared(self) -> dict[int, list[str]]:
        """The concepts that several values mean, spellings of one being one, each with these values."""
        found: dict[int, list[str]] = {}
        for one in self.once({})[0]:
            if one.concept is not None:
                found.setdefault(one.concept, []).append(one.value)
        return {concept: values for concept, values in found.items() if len(values) > 1}

    def key(self, value: str) -> str | None:
        """How a user refers to the concept of a value: a sense name or an id; None if there is none."""
        concept = self[value].concept
        return None if concept is None else self.ontology.key(concept)

    def summary(self) -> dict[str, int]:
        """How many values were linked how, in the order of the matchers."""
        counts = Counter(link.how for link in self.rows)
        return {how: counts[how] for how in (*LINKED, *NOT_LINKED) if counts[how]}

    def __repr__(self) -> str:
        found = ", ".join(f"{count:,} {how}" for how, count in self.summary().items())
        return f"<Links of {len(self):,} values to {self.ontology.name}: {found or 'none'}>"

    def _repr_html_(self) -> str:
        """A short table for notebooks: what needs a person first, then the least certain."""
        first = sorted(self.rows, key=lambda link: (link.concept is not None, link.score))[:_SHOWN]
        cells = [("th", COLUMNS), *(("td", self._row(link)) for link in first)]
        lines = [
            "<tr>" + "".join(f"<{tag}>{escape(_written(cell))}</{tag}>" for cell in row) + "</tr>"
            for tag, row in cells
        ]
        rest = f"<p>... and {len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        return f"<p>{escape(repr(self))}</p><table>{''.join(lines)}</table>{rest}"

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each value: what `to_csv` writes, empty cells missing."""
        try:
            import pandas
        except ImportError:
            raise LinkingError("to_pandas() needs pandas", remedy="pip install pandas") from None
        return pandas.DataFrame([self._row(link) for link in self.rows], columns=list(COLUMNS))

    def to_csv(self, path: str | Path, *, formulas: Formulas = "neutralise") -> None:
        """Write for review.

        A person may open the file in a spreadsheet, which would run a cell such as `=cmd()`: it gets a quote
        in front, which `read_mapping` takes away again, unless `formulas` is "keep".
        """
        written = _neutralised if formulas == "neutralise" else _written
        with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            plain = csv.writer(file, lineterminator="\n")
            quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            plain.writerow(COLUMNS)
            for link in self.rows:
                cells = [written(cell) for cell in self._row(link)]
                (quoted if any(map(_SPLIT.search, cells)) else plain).writerow(cells)

    def _row(self, link: Link) -> tuple[str | float | None, ...]:
        """A link in the order of `COLUMNS`."""
        known = link.concept is not None
        return (
            link.value,
            self.ontology.key(link.concept) if link.concept is not None else None,
            self.ontology.labels[link.concept] if link.concept is not None else None,
            link.how,
            link.score if known or link.score else None,
            BETWEEN_ALTERNATIVES.join(self.ontology.key(c) for c in link.alternatives) or None,
        )


def _written(cell: str | float | None) -> str:
    return "" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else cell


def _neutralised(cell: str | float | None) -> str:
    text = _written(cell)
    return neutralised(text) if isinstance(cell, str) else text
