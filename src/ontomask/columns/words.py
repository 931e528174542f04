"""A column of words: texts are linked to concepts, concepts are written as texts of the table or labels."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import cast

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Attribute, Nominal
from ontomask.columns.base import SUPPRESSED_TEXTS, Column, most_frequent_text
from ontomask.columns.naming import Naming, names_concept
from ontomask.columns.remarks import (
    doubt_of_words,
    remarks_on_codes,
    remarks_on_marks,
    remarks_on_words,
)
from ontomask.errors import LinkingError, OntomaskError
from ontomask.hierarchies import EVERYTHING
from ontomask.hierarchies.formats import read_hierarchy
from ontomask.hierarchies.ranges import matched, prefix_hierarchy
from ontomask.linking import Link, Links, link
from ontomask.linking.several import Several, several_answers
from ontomask.linking.spelling import spelling_of
from ontomask.measures import Measure
from ontomask.ontology import Ontology
from ontomask.plan import FLAT, AttributePlan, Plan
from ontomask.printable import shortened

_SHOWN = 20
_NAMING = ("id", "crossmap", "exact", "normalised")  # ways of linking by which a text names its concept


@dataclass(frozen=True, eq=False, kw_only=True)
class WordColumn(Column):
    """Words explained by an ontology.

    Attributes
    ----------
    linked
        How texts were linked.
    shown
        The text of each code: one of the table that k rows have, else as the ontology spells it.
    private
        Concepts that no text may be written for: leaves of their own for words of fewer than k rows.
    na_values
        Texts that mean no value, and must not be written for a concept.
    naming
        How concepts are called: by code, by label or by both.
    leaf_of
        Texts that mean only themselves, each with the leaf below the root that stands for it: words without
        a concept, and those of a truthful column whose concept is doubtful.
    """

    attribute: Nominal
    linked: Links
    shown: list[str | None]
    private: Int32
    naming: Naming
    na_values: frozenset[str] = frozenset()
    leaf_of: Mapping[str, int] = field(default_factory=dict)

    @property
    def ontology(self) -> Ontology:
        return self.attribute.ontology

    @property
    def links(self) -> Links:
        return self.linked

    @property
    def labels(self) -> list[str | None]:
        return self.shown

    def concepts(self, attribute: Attribute) -> Int32:
        return cast(Nominal, attribute).replacements

    def released_as(self, attribute: Attribute) -> Int32:
        """What nobody may read becomes the lowest above it that everybody may: ``282**``, or the root."""
        own = cast(Nominal, attribute)
        found = own.replacements.copy()
        above = own.ontology.parents  # of one parent each: leaves of their own, and codes that are cut
        while (hidden := np.isin(found, self.private) & (found > 0)).any():
            found[hidden] = above.values[above.starts[found[hidden]]]
        return own.replacement_of(found)

    def texts(self, attribute: Attribute) -> list[str | None]:
        """The text its concept has in the table, else the concept's label; no two alike but private ones."""
        own = cast(Nominal, attribute)
        in_table = dict(zip(own.own.tolist(), self.shown, strict=True))
        taken = {*self.shown, *self.na_values}
        texts: list[str | None] = []
        for r, concept in enumerate(own.replacements.tolist()):
            if r in in_table or concept < 0:
                texts.append(in_table.get(r))
                continue
            label = _told_apart(self.naming.name_of(concept, own.ontology), concept, own.ontology, taken)
            taken.add(label)
            texts.append(label)
        return [texts[r] for r in self.released_as(own).tolist()]

    def name_of(self, concept: int) -> str:
        return self.naming.name_of(concept, self.ontology)

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As texts of the original, as labels of the ontology; what is unknown counts as its root."""
        own = self.attribute
        written = own.replacements[self.released_as(own)].tolist()
        known: dict[str | None, int] = dict(zip(self.texts(own), written, strict=True))
        for one in self.linked:
            concept = self.leaf_of.get(one.value, one.concept)
            if concept is not None:
                known.setdefault(one.value, concept)
        new = [t for t in texts if t is not None and t not in known and t not in SUPPRESSED_TEXTS]
        links = link(new, own.ontology, column=self.name, suggestions=0)

        def concept_of(text: str | None) -> int:
            if text in known:
                return known[text]
            if text == EVERYTHING and own.is_truthful:
                return 0
            if text is None or text in SUPPRESSED_TEXTS:
                return -1
            concept = links[text].concept
            return 0 if concept is None else concept

        concepts = np.array([concept_of(text) for text in texts], np.int32)
        extended = own.including(np.unique(concepts))
        return extended, extended.replacement_of(concepts)

    def ids(self, attribute: Attribute) -> list[str | None]:
        own = cast(Nominal, attribute)
        written = own.replacements[self.released_as(own)].tolist()
        return [own.ontology.ids[concept] if concept >= 0 else None for concept in written]

    def recognised(self, texts: Sequence[str | None], ids: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """By their ids: what a word means may depend on the words beside it."""
        own, unknown = self.attribute, -2

        def concept_of(text: str | None, concept_id: str | None) -> int:
            if text is None:
                return -1
            if concept_id is None or not own.ontology.has_id(concept_id):
                return unknown
            return own.ontology.concept(concept_id)

        concepts = np.array([concept_of(*pair) for pair in zip(texts, ids, strict=True)], np.int32)
        is_known = concepts != unknown
        extended = own.including(concepts[is_known])
        found = np.full(len(concepts), -1, np.int32)
        found[is_known] = extended.replacement_of(concepts[is_known])
        return extended, found

    def seen_with(
        self, attribute: Attribute, ontology: Ontology | None, measure: Measure | None
    ) -> tuple[Attribute, Int32]:
        """A label that the intruder's ontology lacks counts as its root."""
        own = cast(Nominal, attribute)
        seen = own if measure is None else own.under(measure)
        if ontology is None:
            return seen, np.arange(own.n_replacements, dtype=np.int32)
        concepts = own.replacements.tolist()
        known = [own.ontology.labels[c] for c in concepts if c >= 0]
        links = link(known, ontology, column=self.name, suggestions=0)

        def in_other(concept: int) -> int:
            if concept < 0:
                return -1
            found = links[own.ontology.labels[concept]].concept
            return 0 if found is None else found

        others = np.array([in_other(c) for c in concepts], np.int32)
        seen = replace(
            seen, ontology=ontology, concepts=others[own.own], extra=np.unique(others).astype(np.int32)
        )
        return seen, seen.replacement_of(others)


def read_words(
    name: str, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> WordColumn:
    """Link the distinct texts of a column, which occur `counts` times each."""
    try:
        words = [text for text in texts if text is not None]
        spelt = _usual_spellings(words, texts, counts) if settings.ontology == FLAT else {}
        ontology = _meaning_of(name, [*dict.fromkeys(spelt.values())] or words, plan, settings)
        links = link(
            words,
            ontology,
            column=name,
            mapping=plan.path_of(settings.mapping)
            if settings.mapping
            else {text: usual for text, usual in spelt.items() if text != usual},
            synonyms=plan.path_of(settings.synonyms) if settings.synonyms else None,
            senses=settings.senses,
            under=settings.under,
            suggestions=3 if plan.unmapped == "error" else 0,
        )
    except OntomaskError as error:
        raise error.at(column=name) from None
    if settings.several is None:
        links, several = without_several(name, links)
        if several is not None:
            _check_placed(several, len(links), name, plan, settings)
    unknown, unmapped = [one.value for one in links.unlinked], plan.unmapped
    if unknown and unmapped == "error":
        if not _are_placed(unknown, name, plan, settings):
            raise _unlinked(name, settings, links)
        unmapped = "own-leaf"  # somebody said where they belong
    alone = _not_relied_on(links, name, plan, settings)
    if unmapped == "own-leaf":
        alone = [*unknown, *alone]
    spelt |= _usual_spellings(alone, texts, counts)
    leaf_labels = [*dict.fromkeys(spelt[value] for value in alone)]
    if alone:
        # Its digest is published, and one that depends on words of the table would let them be guessed.
        ontology = replace(ontology.with_leaves(leaf_labels), digest=ontology.digest)
    first_leaf = len(ontology) - len(leaf_labels)
    place = {label: i for i, label in enumerate(leaf_labels)}
    leaf_of = {value: first_leaf + place[spelt[value]] for value in alone}

    def concept_of(text: str | None) -> int:
        if text is None or links[text].how == "missing":
            return -1
        concept = leaf_of.get(text, links[text].concept)
        if concept is not None:
            return concept
        return {"root": 0, "suppress": -1}[unmapped]

    concept_of_text = np.array([concept_of(text) for text in texts], np.int32)
    labels = dict(most_frequent_text(concept_of_text.tolist(), texts, counts))
    if unmapped == "root" and labels.get(0) in unknown:
        labels[0] = ontology.labels[0]  # an unknown word must not stand for everything
    concepts = sorted(labels, key=lambda c: (labels[c] is None, labels[c] or ""))
    code_of = {concept: code for code, concept in enumerate(concepts)}
    attribute = Nominal(
        name=name,
        weight=settings.weight,
        missing=code_of.get(-1, -1),
        ontology=ontology,
        measure=plan.make_measure(),
        concepts=np.array(concepts, np.int32),
    )
    code_of_text = np.array([code_of[c] for c in concept_of_text.tolist()], np.int32)
    code_rows = np.bincount(code_of_text, counts, minlength=len(concepts)).astype(np.int64)
    # Of rows, as every plan counts k today. If it counted units, k rows of one person would not hide a text.
    rows = {text: n for text, n in zip(texts, counts.tolist(), strict=True) if text is not None}
    n_missing = int(counts.sum()) - sum(rows.values())
    rare = {text for text, n in rows.items() if n < plan.least_told}
    na_values = frozenset(plan.na_values_of(name))
    linked = [one for one in links if one.concept is not None and one.value not in leaf_of]
    naming = Naming.of(Links(ontology, tuple(linked)), settings.write)
    otherwise = {one.value for one in linked if not naming.is_name(one, ontology)}
    unwritable = (rare - leaf_of.keys()) | otherwise | too_narrow(linked, ontology) | na_values
    return WordColumn(
        attribute=attribute,
        code_of_text=code_of_text,
        ranks=np.arange(len(concepts), dtype=np.int32),
        note="; ".join(
            [
                *remarks_on_words(links, rows, unmapped, leaf_of.keys(), rare),
                *remarks_on_codes(words, settings),
                *remarks_on_marks(words, ontology, na_values, n_missing, settings),
            ]
        ),
        doubt=doubt_of_words(links, rows, leaf_of.keys()),
        linked=links,
        na_values=na_values,
        naming=naming,
        shown=_shown(attribute, [labels[c] for c in concepts], unwritable, na_values, naming),
        private=_few_have(attribute, code_rows, rare, plan.least_told)
        if settings.is_made_of_values
        else np.array(sorted({leaf for text, leaf in leaf_of.items() if spelt[text] in rare}), np.int32),
        leaf_of=leaf_of,
    )


def _not_relied_on(links: Links, name: str, plan: Plan, settings: AttributePlan) -> list[str]:
    """The texts whose doubtful links are not followed: what these say may be untrue, and nobody decided it.

    Where a user's tree has the texts, perhaps at places of their own, those that would be one value with
    others.
    """
    doubted = [one.value for one in links.doubtful if one.concept is not None]
    if _is_true_by_links(name, plan, settings):
        return doubted
    if not (settings.hierarchy and settings.hierarchy.files and plan.is_truthful(name)):
        return []
    shared = links.shared()
    return [text for text in doubted if links[text].concept in shared]


def _is_true_by_links(name: str, plan: Plan, settings: AttributePlan) -> bool:
    """Whether what a truthful column writes is true only if its texts mean the concepts they were linked to.

    Where a hierarchy of a user's file, or of beginnings of codes, has the texts themselves it is true anyway;
    and so it is where nothing but the text or no value is written.
    """
    asked, method = settings.hierarchy, plan.method.own
    has_texts = settings.means_itself or (asked is not None and (asked.files or asked.by == "prefix"))
    generalises = method.has_hierarchies or not method.is_truthful
    is_masked = settings.role == "quasi-identifier"
    return is_masked and plan.is_truthful(name) and generalises and not has_texts


def _usual_spellings(values: Sequence[str], texts: Sequence[str | None], counts: Int64) -> dict[str, str]:
    """Per value that means itself the spelling of it that most rows have: *Foo-bar* is *foo bar*."""
    rows = dict(zip(texts, counts.tolist(), strict=True))
    usual: dict[str, str] = {}
    for value in sorted(values, key=lambda text: (-rows[text], text)):
        usual.setdefault(spelling_of(value), value)
    return {value: usual[spelling_of(value)] for value in values}


def without_several(name: str, links: Links) -> tuple[Links, Several | None]:
    """Links in which a text of several answers is not taken for one of them, and which texts these are.

    Those that a mapping decides, or that the ontology has as they stand, are one answer.
    """
    whole = ("mapping", "id", "crossmap", "exact", "normalised", "missing")
    texts = [one.value for one in links if one.how not in whole]

    def known_of(parts: Collection[str]) -> list[str]:
        found = link(parts, links.ontology, column=name, suggestions=0)
        return [one.value for one in found if one.how in (*whole, "synonym")]

    found = several_answers([one.value for one in links], known_of, texts)
    if found is None:
        return links, None
    several = set(found.texts)
    rows = [Link(one.value, None, "none") if one.value in several else one for one in links]
    return Links(links.ontology, tuple(rows)), found


def _check_placed(found: Several, n_values: int, name: str, plan: Plan, settings: AttributePlan) -> None:
    """Raise if nobody says what texts of several answers mean."""
    if plan.unmapped == "error" and not _are_placed(found.texts, name, plan, settings):
        raise OntomaskError(
            f"{len(found.texts):,} of {n_values:,} values seem to be several answers in one cell, such as "
            f"{shortened(found.texts[0])!r}",
            column=name,
            value=shortened(found.texts[0]),
            remedy=f"say `several: {json.dumps(found.separator)}`, which makes sets of them, or say in a "
            "`mapping` what each of these texts means as a whole",
        )


def too_narrow(linked: Sequence[Link], ontology: Ontology) -> set[str]:
    """Texts that may say more than their concept does while other values of the column are of it, too.

    A *carer* who was taken for a health professional is one; a surgeon, who is one as well, is no carer.
    """
    values = {(spelling_of(one.value), one.concept) for one in linked if one.concept is not None}
    concepts = np.array([concept for _, concept in values], np.int32)
    above = ontology.ancestors.take(concepts).values
    at_or_below = np.bincount(above, minlength=len(ontology))
    return {one.value for one in linked if at_or_below[one.concept] > 1 and may_be_narrower(one, ontology)}


def may_be_narrower(one: Link, ontology: Ontology) -> bool:
    """Whether a text may say more than the concept that it was linked to: it is no name of it."""
    return one.how not in _NAMING and not names_concept(one, ontology)


def _few_have(attribute: Nominal, rows: Int64, rare: Set[str | None], k: int) -> Int32:
    """Concepts that fewer than k rows have or lie below, of an ontology made of the table's own texts.

    And those called by a text that fewer have, while others spell it otherwise.
    """
    known = np.flatnonzero(attribute.concepts >= 0)
    above = attribute.ontology.ancestors.take(attribute.concepts[known])
    below = np.bincount(above.values, rows[known][above.row_of_value], minlength=len(attribute.ontology))
    is_rare = np.array([label in rare for label in attribute.ontology.labels])
    return np.flatnonzero((below > 0) & ((below < k) | is_rare)).astype(np.int32)


def _meaning_of(name: str, texts: Sequence[str], plan: Plan, settings: AttributePlan) -> Ontology:
    """The ontology that the plan names; else the one hierarchy that it names or codes have, else WordNet."""
    asked = settings.hierarchy
    if settings.ontology == FLAT:
        return prefix_hierarchy(texts, name=name, levels=1).as_ontology()
    if settings.means_itself and asked is not None:
        if asked.files:
            return read_hierarchy(plan.path_of(asked.files[0]), column=name).as_ontology()
        return prefix_hierarchy(
            texts, name=name, levels=asked.levels, characters=asked.characters
        ).as_ontology()
    return plan.meaning_of(settings)


def _are_placed(unknown: Sequence[str], name: str, plan: Plan, settings: AttributePlan) -> bool:
    """Whether the hierarchies of a column have all values that its ontology does not know."""
    files = (settings.hierarchy.files if settings.hierarchy else None) or ()
    try:
        for file in files:
            matched(read_hierarchy(plan.path_of(file), column=name), unknown)
    except OntomaskError:
        return False
    return bool(files)


def _shown(
    attribute: Nominal,
    labels: Sequence[str | None],
    unwritable: Set[str | None],
    na_values: Set[str],
    naming: Naming,
) -> list[str | None]:
    """What is written for each code: its text, if that may be written, else how the ontology spells it.

    A text that fewer than k rows have may say more than its concept (*teacher at Elm Street School*), and a
    spelling of one's own (*ARCHI-TECT*) is known again by whoever has seen it.
    """
    shown = [None if label in unwritable else label for label in labels]
    taken = {*shown, *na_values}
    for code, (label, concept) in enumerate(zip(labels, attribute.concepts.tolist(), strict=True)):
        if label is not None and shown[code] is None:
            text = naming.as_spelt(label, concept, attribute.ontology)
            shown[code] = _told_apart(text, concept, attribute.ontology, taken)
            taken.add(shown[code])
    return shown


def _told_apart(text: str, concept: int, ontology: Ontology, taken: Set[str | None]) -> str:
    """A text that is not taken yet: itself, or with the concept's key behind it."""
    key = f" ({ontology.key(concept)})"
    while text in taken or text.strip() in taken:
        text += key
    return text


def _unlinked(name: str, settings: AttributePlan, links: Links) -> LinkingError:
    shown = [
        shortened(one.value)
        + (
            "    perhaps " + ", ".join(links.ontology.key(c) for c in one.alternatives[:3])
            if one.alternatives
            else ""
        )
        for one in links.unlinked[:_SHOWN]
    ]
    more = len(links.unlinked) - len(shown)
    if more > 0:
        shown.append(f"and {more} more")
    ontology = settings.ontology or links.ontology.name
    labels = f" --labels {quote(settings.labels)}" if settings.labels else ""
    under = f" --under {quote(settings.under)}" if settings.under else ""
    file = f"{name.replace('/', '-')}.csv"
    below = f"below {settings.under!r} " if settings.under else ""
    several = f" --several {quote(settings.several)}" if settings.several is not None else ""
    return LinkingError(
        f"{len(links.unlinked)} of {len(links)} values have no concept {below}in {ontology}",
        column=name,
        value=links.unlinked[0].value,
        details=tuple(shown),
        remedy=f"review them with `ontomask link TABLE --column {quote(name)} --ontology {quote(ontology)}"
        f"{labels}{under}{several} -o {quote(file)}`, put `mapping: {file}` in the plan, or say "
        "`unmapped: own-leaf`, by which each means only itself and is released where k rows have it",
    )
