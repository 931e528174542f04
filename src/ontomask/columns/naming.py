"""How the concepts of a column are called in a release: by codes, by labels or by both, never by a mixture.

Codes are the ids of an ontology, or another system that it has among its synonyms: countries have codes of
two letters, and of three, and numbers. It knows links and an ontology, no tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ontomask.linking import Link, Links
from ontomask.linking.assertions import coded_assertion
from ontomask.linking.normalise import letters_of
from ontomask.ontology import Ontology
from ontomask.plan import Write

Form = tuple[int, bool]  # of a code: how long it is, and whether it is a number
_SYSTEMATIC = 0.9  # of the concepts with nothing below them have a code of a system
_SHORTEST = 2
_WORDS = re.compile(r"[a-z]+([ -][a-z]+)*")


@dataclass(frozen=True)
class Naming:
    """What concepts are called where the table does not tell, and which texts of it call them so.

    `codes` are of another system than the ids; all texts that were linked are of it then. `forms` are those
    of the systems that some of them are of, which are no labels.
    """

    write: Write = "label"
    codes: Mapping[int, str] = field(default_factory=dict)
    forms: frozenset[Form] = frozenset()

    @classmethod
    def of(cls, links: Links, asked: Write | None) -> Naming:
        """What was asked for; else codes if all values that were linked are codes of one system."""
        linked = [one for one in links if one.concept is not None]
        if linked and all(_is_id(one, links.ontology) for one in linked):
            return cls(asked or "code")
        forms = {form: _codes_of(form, links.ontology) for form in _forms_of(linked, links.ontology)}
        systems = {form: codes for form, codes in forms.items() if codes}
        if len(systems) == 1 and all(_form(one.value) in systems for one in linked):
            (codes,) = systems.values()
            return cls(asked or "code", codes)
        like_codes = [one for one in linked if _form(one.value) in systems or _is_id(one, links.ontology)]
        is_mixed = len(like_codes) > 1  # USA alone is a name
        return cls(asked or "label", forms=frozenset(systems if is_mixed else ()))

    def name_of(self, concept: int, ontology: Ontology) -> str:
        """How a concept is called."""
        code, label = self.codes.get(concept, ontology.ids[concept]), ontology.labels[concept]
        if self.write == "label" or (self.write == "both" and code == label):
            return label
        return code if self.write == "code" else f"{code} {label}"

    def is_name(self, one: Link, ontology: Ontology) -> bool:
        """Whether a text that was linked calls its concept as it is to be called."""
        assert one.concept is not None
        if self.codes:
            return self.write == "code" and one.value == self.codes.get(one.concept)
        if _is_id(one, ontology) or _form(one.value) in self.forms:
            return self.write == "code" and one.how == "id" and coded_assertion(one.value) is None
        return self.write == "label"

    def as_spelt(self, text: str, concept: int, ontology: Ontology) -> str:
        """The name of a concept (label or synonym) that a text is a spelling of, else how it is called."""
        label, letters = ontology.labels[concept], letters_of(text)
        if self.write != "label" or self.codes:
            return self.name_of(concept, ontology)
        is_id = ontology.ids[concept] != label and letters_of(ontology.ids[concept]) == letters
        if is_id or _form(text) in self.forms:
            return label
        names = [label, *ontology.synonyms(concept)]
        return text if text in names else next((name for name in names if letters_of(name) == letters), label)


def names_concept(one: Link, ontology: Ontology) -> bool:
    """Whether a text is a name of the concept that it was linked to, and not of something below it."""
    assert one.concept is not None
    names = (ontology.labels[one.concept], ontology.ids[one.concept], *ontology.synonyms(one.concept))
    return letters_of(one.value) in {letters_of(name) for name in names}


def _is_id(one: Link, ontology: Ontology) -> bool:
    """Whether a text is the id of its concept, with or without dots; ids that are words are no codes.

    A letter behind it that says how certain it is does not count.
    """
    assert one.concept is not None
    code = ontology.ids[one.concept]
    is_word = code == ontology.labels[one.concept] or _WORDS.fullmatch(code)
    coded = coded_assertion(one.value)
    written = {one.value, coded[0]} if coded else {one.value}
    return not is_word and letters_of(code) in map(letters_of, written)


def _forms_of(linked: Sequence[Link], ontology: Ontology) -> set[Form]:
    """The forms of texts that look like codes and are synonyms of their concepts; not of words."""
    if ontology.named_senses:
        return set()
    return {
        form
        for one in linked
        if (form := _form(one.value))
        and one.concept is not None
        and one.value in ontology.synonyms(one.concept)
    }


def _codes_of(form: Form, ontology: Ontology) -> dict[int, str]:
    """The codes of a form that concepts have, if nearly all with nothing below them have one."""
    codes: dict[int, str] = {}
    for concept in range(len(ontology)):
        code = ontology.ids[concept]
        alike = [name for name in (code, *ontology.synonyms(concept)) if _form(name) == form]
        if alike:
            codes[concept] = max(alike, key=partial(_likeness, code))
    is_leaf = np.ones(len(ontology), bool)
    is_leaf[ontology.parents.values] = False
    leaves = np.flatnonzero(is_leaf).tolist()
    is_systematic = sum(leaf in codes for leaf in leaves) >= _SYSTEMATIC * len(leaves)
    return codes if is_systematic else {}


def _likeness(code: str, name: str) -> tuple[bool, int]:
    """Which of several codes is of the same concept as an id: of USA and EUA, the one for US."""
    return name[0] == code[0], len({*name} & {*code})


def _form(text: str) -> Form | None:
    """How long a code is and whether it is a number; None for a text that is no code by its looks.

    >>> _form("DEU"), _form("276"), _form("Deu"), _form("F")
    ((3, False), (3, True), None, None)
    """
    is_code = text.isascii() and (text.isdigit() or (text.isalpha() and text.isupper()))
    return (len(text), text.isdigit()) if is_code and len(text) >= _SHORTEST else None
