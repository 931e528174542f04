"""Which ontology knows the values of a column, how well, and below which concept they lie.

Tried in order: a hierarchy that lies beside the table and knows every value, a code system whose codes the
values look like, the shipped lists that fit, else WordNet. Mappings beside the table are respected. Knows
nothing of roles and plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontomask.errors import LinkingError, OntomaskError
from ontomask.linking import Links, link, read_mapping
from ontomask.ontology import load_ontology
from ontomask.profile.guess import code_systems, is_word, words_of
from ontomask.profile.lists import fitting_lists

_WORTH_NAMING = 0.5  # an ontology that covers less of the values is not worth a word
_BROADEST_UNDER = 0.13  # share of the ontology: `object` says nothing, `person` (12.5 %) does
_MOST_DOUBTFUL = 0.5  # of the values of a column that nobody is asked about
_AS_LIKELY = 0.5  # a concept is right as not
_HIERARCHY_WORDS = frozenset(("hierarchy", "hierarchies", "vgh", "dgh", "taxonomy", "tree"))
_HIERARCHY_ENDINGS = (".csv", ".yaml", ".yml", ".json", ".dgh", ".txt", ".obo")


@dataclass(frozen=True)
class Coverage:
    """How far an ontology knows the values of a column.

    Attributes
    ----------
    ontology
        A name, or the path of a hierarchy.
    by_head
        Values known by the last word of a phrase only, which is worth a look.
    unknown
        Values that it does not know, most frequent first.
    doubtful
        Values whose concept somebody should look at, the least sure first.
    sure
        How many of the values mean their concept more likely than not.
    under, outside
        The lowest concept that has a sense of (nearly) all values below it while other senses lie elsewhere,
        and the values without such a sense.
    mapping
        A mapping beside the table that was used.
    """

    ontology: str | Path
    values: int
    by_head: int = 0
    unknown: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    sure: int = 0
    under: str | None = None
    outside: tuple[str, ...] = ()
    mapping: Path | None = None

    @property
    def share(self) -> float:
        """Known values of all, 0..1."""
        return 1 - len(self.unknown) / self.values

    @property
    def is_doubtful(self) -> bool:
        """Whether more than half of the values are doubtful, and more than one."""
        return len(self.doubtful) > max(1, _MOST_DOUBTFUL * self.values)


@dataclass(frozen=True)
class ColumnFiles:
    """Files beside the table that may explain a column."""

    hierarchies: tuple[Path, ...] = ()
    mappings: tuple[Path, ...] = ()


def best_coverage(
    name: str, texts: Sequence[str], numeric: bool, ordered: bool, files: ColumnFiles
) -> Coverage | None:
    """The first that knows all values, else the one that knows most of them, if worth it.

    WordNet is not asked where a list fits: it may know more words, but by senses that nobody meant.
    """
    sources: list[str | Path] = [*(() if numeric else files.hierarchies)]
    if not ordered:
        sources += code_systems(name, texts, numeric)
        # A mapping of the column tells which senses are meant, which no list has.
        lists = [] if numeric or _is_mapped(texts, files) else fitting_lists(name, texts)
        sources += lists
        if not numeric and not lists and any(map(is_word, texts)):
            sources.append("wordnet")
    found: list[Coverage] = []
    for source in sources:
        for mapping in (*files.mappings, None):
            with suppress(OntomaskError):  # not a hierarchy after all, or an extra that is not installed
                found.append(_coverage(name, texts, source, mapping))
                break
        if found and not found[-1].unknown:
            return found[-1]
    best = max(found, key=lambda coverage: coverage.share, default=None)
    least = 1.0 if ordered else 0.8 if numeric else _WORTH_NAMING
    return best if best and best.share >= least else None


def _is_mapped(texts: Sequence[str], files: ColumnFiles) -> bool:
    """Whether a mapping beside the table has a value of the column."""
    for mapping in files.mappings:
        with suppress(LinkingError):
            if not read_mapping(mapping).keys().isdisjoint(texts):
                return True
    return False


def _coverage(name: str, texts: Sequence[str], source: str | Path, mapping: Path | None) -> Coverage:
    decided = {v: c for v, c in read_mapping(mapping).items() if v in set(texts)} if mapping else {}
    ontology = load_ontology(source)
    links = link(texts, ontology, column=name, mapping=decided, suggestions=0)
    sure = sum(one.sureness > _AS_LIKELY for one in links.once({})[0])
    under, outside = _under(links) if source == "wordnet" else (None, ())
    if under and not outside:
        try:  # a run doubts what it finds below that concept, not what was found without it
            links = link(texts, ontology, column=name, mapping=decided, under=under, suggestions=0)
        except LinkingError:
            under = None  # what is proposed must run, and a term of the mapping has no sense there
    links, _ = links.once({})  # a value is one in all of its spellings
    return Coverage(
        ontology=source,
        values=len(links),
        by_head=links.summary().get("head", 0),
        unknown=tuple(one.value for one in links.unlinked),
        doubtful=tuple(one.value for one in links.doubtful if one.concept is not None),
        sure=sure,
        under=under,
        outside=outside,
        mapping=mapping if decided else None,
    )


def _under(links: Links) -> tuple[str | None, tuple[str, ...]]:
    """The lowest concept below which (nearly) every value has a sense, if it rules other senses out.

    Where most of the concepts are likely wrong, what they have in common is chance.
    """
    ontology = links.ontology
    open_ones = [one for one in links if one.concept is not None and one.how != "mapping"]
    senses = [np.array([one.concept, *one.alternatives]) for one in open_ones]
    if sum(one.sureness > _AS_LIKELY for one in open_ones) < max(2, len(open_ones) / 2):
        return None, ()
    # What is sure stays what it is: a driver of cars is no person in WordNet, but one of horses is.
    above = [
        np.unique(ontology.ancestors.take(concepts if one.is_doubtful else concepts[:1]).values)
        for one, concepts in zip(open_ones, senses, strict=True)
    ]
    times = np.bincount(np.concatenate(above), minlength=len(ontology))
    narrow = ontology.descendant_counts <= _BROADEST_UNDER * len(ontology)
    narrow &= ontology.descendant_counts > len(senses)  # a concept that is little but the values helps nobody
    for needed in (len(senses), int(np.ceil(0.95 * len(senses)))):
        tops = np.flatnonzero((times >= needed) & narrow)
        if not len(tops):
            continue
        person = ontology.concept("person")  # tables are of people: a male is one, not an animal
        top = person if person in tops else int(tops[np.argmax(ontology.depth_rank[tops])])
        if all(ontology.is_below(concepts, top).all() for concepts in senses):
            return None, ()  # there is nothing to rule out
        outside = [one.value for one, tops_of in zip(open_ones, above, strict=True) if top not in tops_of]
        label = ontology.labels[top]
        return (label if ontology.concept(label) == top else ontology.key(top)), tuple(outside)
    return None, ()


def files_of_column(table: Path, column: str) -> ColumnFiles:
    """Files like `adult_hierarchy_age.csv` or `age.yaml`, and mappings like `age_mapping.csv`."""
    own, wanted = words_of(table.stem), words_of(column)
    hierarchies, mappings = [], []
    for file in sorted(table.parent.iterdir()):
        if file.suffix.lower() not in _HIERARCHY_ENDINGS or file.name == table.name or not file.is_file():
            continue
        words = [word for word in words_of(file.stem) if word not in _HIERARCHY_WORDS]
        about = [word for word in words if word != "mapping"]
        named = wanted in (about, about[len(own) :] if about[: len(own)] == own else about)
        if (named or ("mapping" in words and about == own)) and _is_mapping(file):
            mappings.append(file)
        elif named and "mapping" not in words:
            hierarchies.append(file)
    return ColumnFiles(tuple(hierarchies), tuple(mappings))


def _is_mapping(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as content:
        return content.readline(100).removeprefix(b"\xef\xbb\xbf").startswith(b"value,concept")
    return False
