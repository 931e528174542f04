"""The columns of a plan that hold words, each linked as a run would link it, in the order of a review.

For whoever lets a person decide what words mean: the terminal, the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ontomask.columns.words import may_be_narrower, too_narrow, without_several
from ontomask.errors import Fault, OntomaskError
from ontomask.files import called_after
from ontomask.linking import Link, Links, link, read_mapping
from ontomask.linking.several import Several, rows_of_answers
from ontomask.linking.spelling import spelling_of
from ontomask.ontology import Ontology, load_ontology
from ontomask.ontology.catalog import LISTS
from ontomask.plan import AttributePlan, Plan
from ontomask.progress import Listener, Phases
from ontomask.tables import Table, TableOptions, open_table


@dataclass(frozen=True)
class AskedWords:
    """A column, and what is said of its words."""

    column: str
    ontology: str | Path
    under: str | None = None
    senses: str = "coherent"
    mapping: Path | None = None
    synonyms: Path | None = None
    crossmap: Path | None = None
    labels: Path | None = None
    several: str | None = None
    target: Path | None = None
    """Where its mapping is written."""

    @property
    def read(self) -> list[Path]:
        """Files that are read for it."""
        files = (self.mapping, self.synonyms, self.crossmap, self.labels)
        return [Path(self.ontology), *filter(None, files)]

    @property
    def is_shipped(self) -> bool:
        """Whether what explains its words is a part of this package, so that it is loaded quickly."""
        return self.ontology in ("wordnet", *LISTS) and self.labels is None

    def load_ontology(self) -> Ontology:
        """What explains its words."""
        return load_ontology(self.ontology, labels=self.labels)


class FoundWords(NamedTuple):
    """`LinkedWords` without the ontology, which is large: for another process, which loads it itself."""

    links: tuple[Link, ...]
    rows: dict[str, int]
    several: Several | None
    digest: str
    """Of the ontology."""


@dataclass(frozen=True)
class LinkedWords:
    """A column with its links, in the order of a review, and how many rows have each value in any spelling.

    `several` has the texts that a run would not link, as they seem to be several answers.
    """

    asked: AskedWords
    links: Links
    rows: dict[str, int]
    several: Several | None = None


class SharedMeaning(NamedTuple):
    """Other values of the concept of a value; and whether the release has the concept's name in its place."""

    alike: list[str]
    is_wider: bool


def shared_meaning(one: Link, links: Iterable[Link], ontology: Ontology) -> SharedMeaning:
    """What follows for a value from what others of its column mean.

    >>> wordnet = load_ontology("wordnet")
    >>> found = link(["hip fracture", "wrist fracture", "asthma"], wordnet)
    >>> shared_meaning(found["hip fracture"], found, wordnet)
    SharedMeaning(alike=['wrist fracture'], is_wider=True)
    """
    own = spelling_of(one.value)
    linked = [each for each in links if each.concept is not None]
    alike = [each.value for each in linked if each.concept == one.concept and spelling_of(each.value) != own]
    is_wider = may_be_narrower(one, ontology) and one.value in too_narrow(linked, ontology)
    return SharedMeaning(alike, is_wider)


def holds_words(said: AttributePlan) -> bool:
    """Whether an ontology explains what the values of a column mean."""
    is_masked = said.role == "quasi-identifier"
    return said.kind == "nominal" and not said.means_itself and (is_masked or said.ontology is not None)


def words_of(plan: Plan) -> list[AskedWords]:
    """The columns of a plan that hold words; their decisions go where the plan has them, or beside it.

    >>> plan = Plan.from_options(["job:wordnet", "age:numeric"])
    >>> [(one.column, one.ontology, one.target.name) for one in words_of(plan)]
    [('job', 'wordnet', 'job_mapping.csv')]
    """
    columns = {name: said for name, said in plan.attributes.items() if holds_words(said)}
    targets = _targets(plan, columns)
    return [
        AskedWords(
            name,
            plan.ontology_source(said.ontology or "wordnet"),
            said.under,
            said.senses,
            plan.path_of(said.mapping) if said.mapping else None,
            plan.path_of(said.synonyms) if said.synonyms else None,
            labels=plan.path_of(said.labels) if said.labels else None,
            several=said.several,
            target=targets[name],
        )
        for name, said in columns.items()
    ]


def _targets(plan: Plan, columns: Mapping[str, AttributePlan]) -> dict[str, Path]:
    """The mapping that the plan names, else a file of the column's name beside it, for no two columns one."""
    found = {name: plan.path_of(said.mapping) for name, said in columns.items() if said.mapping}
    taken = {str(path).casefold() for path in found.values()}  # some disks do not tell A from a
    for name in [name for name in columns if name not in found]:
        stem = called_after(name, "column")
        numbered = (plan.folder / f"{stem}{f'_{n}' * (n > 1)}_mapping.csv" for n in count(1))
        found[name] = next(path for path in numbered if str(path).casefold() not in taken)
        taken.add(str(found[name]).casefold())
    return found


def linked_words(
    table: Table,
    asked: AskedWords,
    decided: Mapping[str, str],
    *,
    ontology: Ontology | None = None,
    embeddings: bool = False,
    as_in_a_run: bool = False,
) -> LinkedWords:
    """The values of a column and what they mean, with what was decided of them.

    A run takes no text for a single answer that seems to be several; `as_in_a_run` does as it does.
    """
    known = ontology or asked.load_ontology()
    rows = rows_of_values(table, asked.column, asked.several or table.lists.get(asked.column))
    links = link(
        rows,
        known,
        column=asked.column,
        mapping=decided,
        senses=asked.senses,  # type: ignore[arg-type]
        under=asked.under,
        synonyms=asked.synonyms,
        crossmap=asked.crossmap,
        embeddings=embeddings,
    )
    several = None
    if as_in_a_run and asked.several is None:
        links, several = without_several(asked.column, links)
    links, of_spellings = links.once(rows)
    return LinkedWords(asked, links.by_rows(of_spellings), of_spellings, several)


def rows_of_values(table: Table, column: str, separator: str | None) -> dict[str, int]:
    """How many rows have each text of a column, or each answer where a cell has several."""
    values, counts = table.distinct(column)
    rows = {text: n for text, n in zip(values, counts.tolist(), strict=True) if text is not None}
    if separator is None:
        return rows
    return rows_of_answers(rows, separator, frozenset(table.options.na_values_of(column)))


def found_words(
    place: Path, options: TableOptions, asked: Sequence[AskedWords], listener: Listener | None = None
) -> dict[str, FoundWords | tuple[Fault, ...]]:
    """Columns of the table at a place, each linked as a run would link it, or why that cannot be done."""
    phases = Phases({"reading": 1.0, "linking": 2.0}, listener)
    phases.tell("reading")
    table = open_table(place, options)
    found: dict[str, FoundWords | tuple[Fault, ...]] = {}
    for at, one in enumerate(asked):
        phases.tell("linking", at / len(asked), one.column)
        try:
            ontology = one.load_ontology()
            decided = read_mapping(one.mapping, ontology.name) if one.mapping else {}
            linked = linked_words(table, one, decided, ontology=ontology, as_in_a_run=True)
        except OntomaskError as error:
            found[one.column] = error.at(column=one.column).faults
        else:
            found[one.column] = FoundWords(linked.links.rows, linked.rows, linked.several, ontology.digest)
    return found
