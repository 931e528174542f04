"""A column with several answers in a cell: texts are split, members linked, sets written member by member.

What members mean and how they are written is the business of the column of words inside, which has each
member as a value of its own; distances and what stands for a group are known to the attribute.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Attribute, Sets
from ontomask.attributes.sets import Members
from ontomask.columns.base import SUPPRESSED_TEXTS, Column, told_apart
from ontomask.columns.words import WordColumn, read_words
from ontomask.errors import OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.linking import Links
from ontomask.linking.several import answers_of, rows_of_answers
from ontomask.measures import Measure
from ontomask.ontology import Ontology
from ontomask.plan import AttributePlan, Plan


@dataclass(frozen=True, eq=False, kw_only=True)
class SetColumn(Column):
    """Sets of words.

    Attributes
    ----------
    members
        The column of their members.
    separator, between
        What separates answers in a cell, and what is written between them.
    """

    attribute: Sets
    members: WordColumn
    separator: str
    between: str

    @property
    def ontology(self) -> Ontology:
        return self.members.ontology

    @property
    def links(self) -> Links:
        return self.members.links

    def concepts(self, attribute: Attribute) -> Int32:
        """Of sets with one member alone: several have no one concept."""
        own = cast(Sets, attribute)
        return np.array([one[0] if len(one) == 1 else -1 for one in own.replacements], np.int32)

    def released_as(self, attribute: Attribute) -> Int32:
        return cast(Sets, attribute).public

    def texts(self, attribute: Attribute) -> list[str | None]:
        """The texts of the members in their order, each as the column of words writes it."""
        own = cast(Sets, attribute)
        texts = self._texts_of(own.replacements)
        return [texts[r] for r in own.public.tolist()]

    def _texts_of(self, sets: Sequence[Members]) -> list[str | None]:
        name_of = self._names_of({c for one in sets for c in one})
        joined = [self.between.join(sorted(name_of[c] for c in one)) for one in sets]
        na_values = self.members.na_values
        return [told_apart(text, na_values) if one else None for one, text in zip(sets, joined, strict=True)]

    def _names_of(self, concepts: Iterable[int]) -> dict[int, str]:
        """What is written for each member: no two alike, and none with a separator in it."""
        own = self.members.attribute.replacements.tolist()
        every = np.array([c for c in dict.fromkeys([*own, *sorted(concepts)]) if c >= 0], np.int32)
        words = self.members.attribute.including(every)
        texts = self.members.texts(words)
        instead = " " if self.separator.strip() else "_"
        taken: set[str | None] = {text for text in texts if text is None or self.separator not in text}
        found: dict[int, str] = {}
        for concept, r in zip(every.tolist(), words.replacement_of(every).tolist(), strict=True):
            text = str(texts[r])
            if self.separator in text:
                text = told_apart(" ".join(text.replace(self.separator, instead).split()), taken)
                taken.add(text)
            found[concept] = text.strip()
        return found

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As sets that this column writes, else member by member, as the column of words reads them."""
        known: dict[str | None, Members] = {}
        for text, r in zip(self.texts(self.attribute), self.attribute.public.tolist(), strict=True):
            known.setdefault(text, self.attribute.replacements[r])
        if self.attribute.is_truthful:
            known.setdefault(EVERYTHING, (0,))
        parts = {
            text: answers_of(text, self.separator, self.members.na_values)
            for text in texts
            if text is not None and text not in known and text not in SUPPRESSED_TEXTS
        }
        name_of = self._names_of(())
        concept_of = {name: concept for concept, name in name_of.items()}
        others = list(dict.fromkeys(m for one in parts.values() for m in one if m not in concept_of))
        words, of_others = self.members.read(others)
        read = self.members.concepts(words)[of_others].tolist()
        concept_of |= dict(zip(others, read, strict=True))
        sets = [
            known[text] if text in known else _members_of([concept_of[m] for m in parts.get(text or "", ())])
            for text in texts
        ]
        extended = self.attribute.including(sets)
        return extended, extended.replacement_of(sets)

    def ids(self, attribute: Attribute) -> list[str | None]:
        """The ids of the members, as a JSON list."""
        own = cast(Sets, attribute)
        written = [own.replacements[r] for r in own.public.tolist()]
        ids = self.ontology.ids
        return [json.dumps([ids[c] for c in one]) if one else None for one in written]

    def recognised(self, texts: Sequence[str | None], ids: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """By the ids of their members, all of which the ontology must have."""
        sets = [() if text is None else self._of_ids(one) for text, one in zip(texts, ids, strict=True)]
        extended = self.attribute.including(one for one in sets if one is not None)
        places = [-1 if one is None else int(extended.replacement_of([one])[0]) for one in sets]
        return extended, np.array(places, np.int32)

    def _of_ids(self, ids: str | None) -> Members | None:
        try:
            listed = json.loads(ids or "null")
        except ValueError:
            return None
        if not isinstance(listed, list) or not all(
            isinstance(one, str) and self.ontology.has_id(one) for one in listed
        ):
            return None
        return _members_of(self.ontology.concepts(listed).tolist()) or None

    def seen_with(
        self, attribute: Attribute, ontology: Ontology | None, measure: Measure | None
    ) -> tuple[Attribute, Int32]:
        """Each member as the column of words is seen."""
        own = cast(Sets, attribute)
        every = np.array(sorted({0, *(c for one in own.replacements for c in one)}), np.int32)
        words = self.members.attribute.including(every)
        seen, became = self.members.seen_with(words, ontology, measure)
        concepts = self.members.concepts(seen)[became[words.replacement_of(every)]].tolist()
        other = dict(zip(every.tolist(), concepts, strict=True))
        sets = [_members_of([other[c] for c in one]) for one in own.replacements]
        values = [sets[r] for r in own.own.tolist()]
        made = Sets.of(
            own.name,
            self.ontology if ontology is None else ontology,
            own.words.measure if measure is None else measure,
            values,
            weight=own.weight,
        )
        made = replace(made, is_truthful=own.is_truthful).including(sets)
        return made, made.replacement_of(sets)


def _members_of(concepts: Iterable[int]) -> Members:
    """A set of concepts; -1 is none."""
    return tuple(sorted({concept for concept in concepts if concept >= 0}))


def read_sets(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> SetColumn:
    """A column of sets of its distinct texts; order and repetition of answers do not matter."""
    assert settings.several is not None
    separator, na_values = settings.several, frozenset(plan.na_values_of(name))
    answers = [() if text is None else answers_of(text, separator, na_values) for text in texts]
    given = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    rows = rows_of_answers(given, separator, na_values)
    if not rows:
        raise OntomaskError(
            f"has no answer at all beside the separator {separator!r}",
            column=name,
            value=separator,
            is_public=True,
            remedy="give it `role: other`, or correct `several`",
        )
    members = read_words(name, [*rows], np.array([*rows.values()], np.int64), plan, settings)
    of_code = members.attribute.concepts[members.code_of_text].tolist()
    concept_of = dict(zip(rows, of_code, strict=True))
    sets = [_members_of([concept_of[answer] for answer in own]) for own in answers]
    lost = int(counts[[not one and text is not None for one, text in zip(sets, texts, strict=True)]].sum())
    if lost and plan.missing == "error":
        raise OntomaskError(
            f"has {lost:,} cells without any answer and the plan says `missing: error`",
            column=name,
            remedy="use own-class or suppress-row, or fill them",
        )
    label_of = dict(zip(members.attribute.concepts.tolist(), members.shown, strict=True))
    distinct = sorted(set(sets), key=lambda one: (not one, sorted(str(label_of[c]) for c in one)))
    code_of = {one: code for code, one in enumerate(distinct)}
    own_words = members.attribute
    attribute = Sets.of(
        name,
        own_words.ontology,
        own_words.measure,
        distinct,
        weight=settings.weight,
        private=members.private,
    )
    return SetColumn(
        attribute=attribute,
        code_of_text=np.array([code_of[one] for one in sets], np.int32),
        ranks=np.arange(len(distinct), dtype=np.int32),
        note=members.note,
        doubt=members.doubt,
        members=members,
        separator=separator,
        between=_between(texts, counts, separator),
    )


def _between(texts: Sequence[str | None], counts: Int64, separator: str) -> str:
    """The separator, with a blank after it if most rows that have one have that."""
    of_rows = [
        (text, n) for text, n in zip(texts, counts.tolist(), strict=True) if text and separator in text
    ]
    spaced = sum(n for text, n in of_rows if f"{separator} " in text)
    is_spaced = bool(separator.strip()) and (not of_rows or 2 * spaced > sum(n for _, n in of_rows))
    return f"{separator} " if is_spaced and not separator.endswith(" ") else separator
