"""Going through the doubtful values of a column: what is asked next, what was decided, and taking it back.

The state of a review without its screen: `cli` asks and prints. Decisions are kept in a mapping file that is
written after each of them, whole, with the name of the ontology, so that several projects may share one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ontomask.errors import UnknownTermError
from ontomask.files import is_there, regular, replacing
from ontomask.linking.links import Link, Links
from ontomask.linking.mapping import as_it_was, neutralised, read_mapping
from ontomask.linking.spelling import spelling_of
from ontomask.linking.suggest import similar_spellings

COLUMNS = ("value", "concept", "label", "ontology")
_MOST = 9  # meanings that a digit can pick


class DecisionFile:
    """A mapping file that grows: lines that others wrote stay as they are."""

    def __init__(self, path: Path, ontology: str) -> None:
        self.path, self.ontology = path, ontology
        self.known: dict[str, str] = {}
        self._header: list[str] = list(COLUMNS)
        self._others: list[list[str]] = []
        if is_there(path):
            self.known = read_mapping(path, ontology)
            with regular(path).open(encoding="utf-8-sig", newline="") as file:
                self._header, *self._others = list(csv.reader(file))

    def write(self, decided: Mapping[str, str], links: Links) -> None:
        """The lines that were there, and one for each decision of this review."""
        with replacing(self.path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self._header)
            writer.writerows(row for row in self._others if not self._is_replaced(row, decided))
            for value, concept in decided.items():
                label = links.ontology.labels[links.ontology.concept(concept)]
                cells = dict(zip(COLUMNS, (value, concept, label, self.ontology), strict=True))
                writer.writerow([neutralised(cells.get(name, "")) for name in self._header])

    def _is_replaced(self, row: Sequence[str], decided: Mapping[str, str]) -> bool:
        cells = dict(zip(self._header, row, strict=False))
        is_ours = cells.get("ontology", self.ontology) in ("", self.ontology)
        return is_ours and spelling_of(as_it_was(cells.get("value", ""))) in map(spelling_of, decided)


@dataclass
class Review:
    """The doubtful values of a column, most rows first, and what was decided of them.

    >>> from ontomask import link, load_ontology
    >>> review = Review.of(link(["cleaner"], load_ontology("wordnet")), {"cleaner": 7})
    >>> review.next.value, review.decide(review.meanings()[0]), review.next
    ('cleaner', None, None)
    """

    links: Links
    rows: Mapping[str, int]
    open: list[Link]
    decided: dict[str, str] = field(default_factory=dict)
    _steps: list[tuple[list[Link], tuple[str, ...]]] = field(default_factory=list)
    _found: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, links: Links, rows: Mapping[str, int]) -> Review:
        """With all that is doubtful."""
        return cls(links, rows, [one for one in links.by_rows(rows) if one.is_doubtful])

    @property
    def next(self) -> Link | None:
        """The value that is to be decided, or None."""
        return self.open[0] if self.open else None

    def meanings(self) -> list[int]:
        """Concepts that the next value may mean: what was searched for, else the link and its "
        "alternatives."""
        if self._found:
            return self._found
        one = self.next
        if one is None:
            return []
        own = [] if one.concept is None else [one.concept]
        return [*own, *one.alternatives][:_MOST]

    def search(self, text: str) -> list[int]:
        """Concepts that a text names, or that are spelt like it; the next pick is among them."""
        ontology = self.links.ontology
        try:
            self._found = ontology.candidates(text.strip()).tolist()[:_MOST]
        except UnknownTermError:
            self._found = [concept for concept, _ in similar_spellings(text, ontology, _MOST)]
        return self._found

    def decide(self, concept: int) -> None:
        """The next value means this."""
        self._take([self.open[0]], {self.open[0].value: concept})

    def skip(self) -> None:
        """Leave the next value as it is."""
        self._take([self.open[0]], {})

    def accept_above(self, score: float) -> int:
        """Accept all that are left and at least so sure; how many."""
        sure = [one for one in self.open if one.concept is not None and one.score >= score]
        self._take(sure, {one.value: one.concept for one in sure if one.concept is not None})
        return len(sure)

    def undo(self) -> bool:
        """Take the last step back; whether there was one."""
        self._found = []
        if not self._steps:
            return False
        self.open, values = self._steps.pop()
        for value in values:
            del self.decided[value]
        return True

    def _take(self, gone: Iterable[Link], meant: Mapping[str, int]) -> None:
        leaving = {one.value for one in gone}
        self._steps.append((self.open, tuple(meant)))
        self.open = [one for one in self.open if one.value not in leaving]
        self.decided |= {value: self.links.ontology.key(concept) for value, concept in meant.items()}
        self._found = []
