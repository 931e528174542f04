"""Going through the doubtful values of a column: what is asked next, what was decided, and taking it back.

The state of a review without its screen: `cli` asks and prints. Decisions are kept in a mapping file that is
written after each of them, whole, with the name of the ontology, so that several projects may share one.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from ontomask.files import give_rights, is_there, regular, replacing
from ontomask.linking.links import Link, Links
from ontomask.linking.mapping import as_it_was, neutralised, read_mapping, separator_in
from ontomask.linking.search import search
from ontomask.linking.spelling import spelling_of
from ontomask.ontology.core import Ontology

COLUMNS = ("value", "concept", "label", "ontology")
_MOST = 9  # meanings that a digit can pick


class DecisionFile:
    """A mapping file that grows: lines that others wrote stay as they are."""

    def __init__(self, path: Path, ontology: str) -> None:
        self.path, self.ontology = path, ontology
        self.known: dict[str, str] = {}
        self._header: list[str] = list(COLUMNS)
        self._others: list[list[str]] = []
        self._separator = ","
        if is_there(path):
            self.known = read_mapping(path, ontology)
            with regular(path).open(encoding="utf-8-sig", newline="") as file:
                self._separator = separator_in(file.readline())
                file.seek(0)
                self._header, *self._others = list(csv.reader(file, delimiter=self._separator))

    def write(self, decided: Mapping[str, str], links: Links) -> None:
        """The lines that were there, and one for each decision of this review."""
        meant = {value: links.ontology.concept(key) for value, key in decided.items()}
        text, _ = self.with_lines(decided, self.lines(meant, links.ontology))
        with replacing(self.path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
            give_rights(temporary, self.path)

    def lines(self, meant: Mapping[str, int], ontology: Ontology) -> list[list[str]]:
        """The lines that say which concepts values mean, in the columns of the file."""
        found = []
        for value, concept in meant.items():
            told = value, ontology.key(concept), ontology.labels[concept], self.ontology
            cells = dict(zip(COLUMNS, told, strict=True))
            found.append([neutralised(cells.get(name, "")) for name in self._header])
        return found

    def with_lines(
        self, values: Collection[str], lines: Iterable[Sequence[str]]
    ) -> tuple[str, list[Sequence[str]]]:
        """The text of the file with other lines for some values, and the lines that these had.

        A line takes the place of one of the same value, or comes last. To give back those that went undoes
        it.
        """
        going = set(map(spelling_of, values))
        new: dict[str | None, list[Sequence[str]]] = {}
        for row in lines:
            new.setdefault(self._spelling(row), []).append(row)
        kept: list[Sequence[str]] = []
        gone: list[Sequence[str]] = []
        for row in self._others:
            spelling = self._spelling(row)
            if spelling in going:
                gone.append(row)
                kept += new.pop(spelling, ())
            else:
                kept.append(row)
        text = StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n", delimiter=self._separator)
        writer.writerows([self._header, *kept, *(row for rows in new.values() for row in rows)])
        return text.getvalue(), gone

    def _spelling(self, row: Sequence[str]) -> str | None:
        """Of the value of a line; None if the line is of another ontology."""
        cells = dict(zip(self._header, row, strict=False))
        is_ours = cells.get("ontology", self.ontology) in ("", self.ontology)
        return spelling_of(as_it_was(cells.get("value", ""))) if is_ours else None


class _Step(NamedTuple):
    """What may be taken back: values, their links as they were, what was decided of them before."""

    links: Mapping[str, Link]
    decided: Mapping[str, str | None]
    skipped: tuple[str, ...]


@dataclass
class Review:
    """The values of a column, the doubtful ones to be decided, most rows first, and what was decided.

    >>> from ontomask import link, load_ontology
    >>> review = Review.of(link(["cleaner"], load_ontology("wordnet")), {"cleaner": 7})
    >>> review.next.value, review.decide(review.meanings()[0]), review.next
    ('cleaner', None, None)
    >>> review["cleaner"].how, review.undo(), review.next.value
    ('mapping', True, 'cleaner')
    """

    links: Links
    rows: Mapping[str, int]
    decided: dict[str, str] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    _now: dict[str, Link] = field(default_factory=dict)
    _steps: list[_Step] = field(default_factory=list)
    _found: list[int] = field(default_factory=list)
    _order: list[Link] | None = None  # kept until something is decided
    _n_doubtful: int = 0

    @classmethod
    def of(cls, links: Links, rows: Mapping[str, int]) -> Review:
        """With all that is doubtful."""
        return cls(links.by_rows(rows), rows)

    def __getitem__(self, value: str) -> Link:
        """The link of a value as it stands."""
        return self._now[value] if value in self._now else self.links[value]

    def __iter__(self) -> Iterator[Link]:
        """All values as they stand: open ones, those that were skipped, and the others, most rows first."""
        return iter(self._in_order())

    def _in_order(self) -> list[Link]:
        if self._order is None:
            last = {value: at for at, value in enumerate(self.skipped, 1)}
            every = [(one.is_doubtful, one) for one in map(self._as_it_stands, self.links)]
            self._n_doubtful = sum(is_doubtful for is_doubtful, _ in every)
            every.sort(
                key=lambda pair: (
                    not pair[0],
                    last.get(pair[1].value, 0) if pair[0] else 0,
                    -self.rows.get(pair[1].value, 0),
                )
            )
            self._order = [one for _, one in every]
        return self._order

    def _as_it_stands(self, one: Link) -> Link:
        return self._now.get(one.value, one)

    @property
    def n_doubtful(self) -> int:
        """How many values nobody decided."""
        self._in_order()
        return self._n_doubtful

    @property
    def doubtful(self) -> list[Link]:
        """Values that nobody decided, those last that were skipped."""
        return self._in_order()[: self.n_doubtful]

    @property
    def open(self) -> list[Link]:
        """Values that are still to be asked."""
        skipped = set(self.skipped)
        return [one for one in self.doubtful if one.value not in skipped]

    @property
    def next(self) -> Link | None:
        """The value that is to be decided, or None."""
        return next(iter(self.open), None)

    def meanings(self, value: str | None = None) -> list[int]:
        """Concepts that a value may mean, its link first; of the next one, what was searched for instead."""
        if value is None and self._found:
            return self._found
        one = self.next if value is None else self[value]
        if one is None:
            return []
        own = [] if one.concept is None else [one.concept]
        return [*own, *one.alternatives][:_MOST]

    def search(self, text: str) -> list[int]:
        """Concepts that a text names, or that are like it (`search`); the next pick is among them."""
        self._found = search(text, self.links.ontology, _MOST).concepts
        return self._found

    def decide(self, concept: int, value: str | None = None) -> None:
        """The next value, or another one, means this."""
        self.decide_all({self.open[0].value if value is None else value: concept})

    def decide_all(self, meant: Mapping[str, int]) -> None:
        """Values mean these concepts, in one step."""
        before = {value: self.decided.get(value) for value in meant}
        self._steps.append(_Step({value: self[value] for value in meant}, before, self.skipped))
        for value, concept in meant.items():
            others = tuple(one for one in self.meanings(value) if one != concept)
            self._now[value] = Link(value, concept, "mapping", 1.0, others)
        self.decided |= {value: self.links.ontology.key(concept) for value, concept in meant.items()}
        self._found, self._order = [], None

    def skip(self, value: str | None = None) -> None:
        """Leave the next value, or another one, as it is: it comes last, and is not asked again."""
        left = self.open[0].value if value is None else value
        self._steps.append(_Step({left: self[left]}, {}, self.skipped))
        self.skipped = (*(one for one in self.skipped if one != left), left)
        self._found, self._order = [], None

    def at_least(self, score: float) -> list[Link]:
        """What is still to be asked, has a concept and is so sure."""
        return [one for one in self.open if one.concept is not None and one.score >= score]

    def accept_above(self, score: float) -> int:
        """Accept all that are left and at least so sure; how many."""
        sure = self.at_least(score)
        self.decide_all({one.value: one.concept for one in sure if one.concept is not None})
        return len(sure)

    @property
    def last_values(self) -> tuple[str, ...]:
        """What the last step was about."""
        return tuple(self._steps[-1].links) if self._steps else ()

    def undo(self) -> bool:
        """Take the last step back; whether there was one."""
        self._found, self._order = [], None
        if not self._steps:
            return False
        step = self._steps.pop()
        self._now |= step.links
        self.skipped = step.skipped
        for value, before in step.decided.items():
            del self.decided[value]
            self.decided |= {} if before is None else {value: before}
        return True

    def linked_again(self, links: Links, rows: Mapping[str, int]) -> None:
        """The same values linked with what was decided; steps can still be taken back."""
        self.links, self.rows, self._now, self._order = links.by_rows(rows), rows, {}, None
