"""A column on both sides of the masking: its texts, and the attribute of integers that methods see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Attribute
from ontomask.hierarchies import Hierarchy
from ontomask.linking import Links
from ontomask.linking.spelling import spelling_of
from ontomask.measures import Measure
from ontomask.ontology import Ontology

SUPPRESSED_TEXTS = frozenset({"", "*", "-", "NULL"})  # what other tools write for a value that they took away


@dataclass(frozen=True, eq=False)
class Column(ABC):
    """A quasi-identifier.

    Attributes
    ----------
    attribute
        What methods see.
    code_of_text
        The attribute's code of each distinct text of the table.
    ranks
        Place of each code in the order of the texts: what "first" means where tuples tie.
    note
        What the publisher should know about it.
    doubt
        What the publisher should know about words whose concept is doubtful, and that nobody decided.
    coded
        The code that methods see in the place of each, where the plan has numbers cut off or rounded; None:
        the value itself. Losses are counted from the value.
    """

    attribute: Attribute
    code_of_text: Int32
    ranks: Int32
    note: str = ""
    doubt: str = ""
    coded: Int32 | None = None

    is_number: ClassVar[bool] = False
    """Whether its values are amounts, to be counted in ranges."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.attribute.name

    @property
    def ontology(self) -> Ontology | None:
        """What explains its values, if they are words."""
        return None

    @property
    def hierarchy(self) -> Hierarchy | None:
        """The tree over its values, if it has one."""
        return None

    @property
    def links(self) -> Links | None:
        """How its texts were linked to concepts, if they are words."""
        return None

    def codes_seen(self, codes: Int32) -> Int32:
        """Codes as methods see them."""
        return codes if self.coded is None else self.coded[codes]

    @property
    def labels(self) -> list[str | None]:
        """The text that stands for each code, None for the missing value. Not to be told of a rare code."""
        texts = self.texts(self.attribute)
        return [texts[r] for r in self.attribute.own.tolist()]

    def released_as(self, attribute: Attribute) -> Int32:
        """The replacement to be written for each: itself, unless its text must not be written."""
        return np.arange(attribute.n_replacements, dtype=np.int32)

    def concepts(self, attribute: Attribute) -> Int32:
        """The concept of each replacement of `attribute`, -1 where there is none."""
        return np.full(attribute.n_replacements, -1, np.int32)

    def name_of(self, concept: int) -> str:
        """How a concept of its ontology is called in the release, where the table does not tell."""
        assert self.ontology is not None
        return self.ontology.labels[concept]

    @abstractmethod
    def texts(self, attribute: Attribute) -> list[str | None]:
        """What is written for each replacement of `attribute`, the column's own or one with more of them."""

    @abstractmethod
    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """Texts of a masked table, by whatever tool, as replacements of the attribute returned."""

    def ids(self, attribute: Attribute) -> list[str | None]:
        """The id of the concept that the text of each replacement of `attribute` means, None if it has none.

        It says no more than the text does, but in every table of the same plan alike.
        """
        return [None] * attribute.n_replacements

    def recognised(self, texts: Sequence[str | None], ids: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """Texts of an earlier release and their ids, as replacements of the attribute returned.

        -1 where a text means nothing in this table.
        """
        return self.read(texts)

    def seen_with(
        self, attribute: Attribute, ontology: Ontology | None, measure: Measure | None
    ) -> tuple[Attribute, Int32]:
        """What an intruder with another ontology or measure sees, and what each replacement is to them."""
        return attribute, np.arange(attribute.n_replacements, dtype=np.int32)


def told_apart(text: str, taken: Set[str | None]) -> str:
    """A text that is not taken yet: itself, or in brackets.

    >>> told_apart("*", {"*"})
    '(*)'
    """
    while text in taken or text.strip() in taken:
        text = f"({text})"
    return text


def most_frequent_text(
    keys: Sequence[int], texts: Sequence[str | None], counts: Int64
) -> Mapping[int, str | None]:
    """Per key the text that most rows have of the value that most rows have; missing stays missing.

    Of *casado*, *Casado* and *casada* it is *casado* if more rows have one of the first two than the third,
    and more of these the first. Of equal ones it is the first in code point order.

    >>> most_frequent_text([7, 7, 7], ["casado", "Casado", "casada"], np.array([3, 2, 4]))
    {7: 'casado'}
    """
    times = Counter(keys)  # most numbers are written in one way, and then nothing is to be compared
    spelt = [spelling_of(text or "") if times[key] > 1 else "" for key, text in zip(keys, texts, strict=True)]
    rows_of_value = Counter[tuple[int, str]]()
    for key, value, count in zip(keys, spelt, counts.tolist(), strict=True):
        rows_of_value[key, value] += count
    best: dict[int, tuple[int, int, str | None]] = {}
    for key, value, text, count in zip(keys, spelt, texts, counts.tolist(), strict=True):
        mine, known = (rows_of_value[key, value], count, text), best.get(key)
        if known is None or (-mine[0], -count, text or "") < (-known[0], -known[1], known[2] or ""):
            best[key] = mine
    missing = {key for key, text in zip(keys, texts, strict=True) if text is None}
    return {key: None if key in missing or key == -1 else text for key, (_, _, text) in best.items()}


def text_ranks(labels: Sequence[str | None]) -> Int32:
    """Place of each label in code point order, missing last.

    >>> text_ranks(["b", None, "a"]).tolist()
    [1, 2, 0]
    """
    order = sorted(range(len(labels)), key=lambda i: (labels[i] is None, labels[i] or ""))
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    return ranks
