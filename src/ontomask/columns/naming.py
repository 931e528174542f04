"""How the concepts of a column are called in a release: by codes, by labels or by both, never by a mixture.

Codes are the ids of an ontology, or another system that it has among its synonyms: countries have codes of
two letters, and of three, and numbers. It knows links and an ontology, no tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ontomask.linking import Link, Links
from ontomask.linking.normalise import letters_of
from ontomask.ontology import Ontology
from ontomask.plan import Write

_SYSTEMATIC = 0.9  # of the concepts with nothing below them have a code of a system
_SHORTEST = 2


@dataclass(frozen=True)
class Naming:
    """What concepts are called where the table does not tell, and which texts of it call them so.

    `codes` are of another system than the ids; all texts that were linked are of it then.
    """

    write: Write = "label"
    codes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, links: Links, asked: Write | None) -> Naming:
        """What was asked for; else codes if all values that were linked are codes of one system."""
        linked = [one for one in links if one.concept is not None]
        if linked and all(_is_id(one, links.ontology) for one in linked):
            return cls(asked or "code")
        codes = _other_codes(linked, links.ontology)
        return cls(asked or ("code" if codes else "label"), codes)

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
        return (self.write == "code" and one.how == "id") if _is_id(one, ontology) else self.write == "label"

    def as_spelt(self, text: str, concept: int, ontology: Ontology) -> str:
        """The name of a concept (label or synonym) that a text is a spelling of, else how it is called."""
        label, letters = ontology.labels[concept], letters_of(text)
        if self.write != "label" or self.codes:
            return self.name_of(concept, ontology)
        if ontology.ids[concept] != label and letters_of(ontology.ids[concept]) == letters:
            return label
        names = [label, *ontology.synonyms(concept)]
        return text if text in names else next((name for name in names if letters_of(name) == letters), label)


def _is_id(one: Link, ontology: Ontology) -> bool:
    """Whether a text is the id of its concept, with or without dots; ids that are labels too are no codes."""
    assert one.concept is not None
    code = ontology.ids[one.concept]
    return code != ontology.labels[one.concept] and letters_of(one.value) == letters_of(code)


def _other_codes(linked: Sequence[Link], ontology: Ontology) -> dict[int, str]:
    """The codes of concepts in the system that all texts are of, if nearly all concepts have one in it."""
    forms = {_form(one.value) for one in linked}
    if len(forms) != 1 or None in forms or ontology.named_senses:
        return {}
    if any(one.value not in ontology.synonyms(one.concept) for one in linked if one.concept is not None):
        return {}
    codes: dict[int, str] = {}
    for concept in range(len(ontology)):
        code = ontology.ids[concept]
        alike = [name for name in (code, *ontology.synonyms(concept)) if _form(name) in forms]
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


def _form(text: str) -> tuple[int, bool] | None:
    """How long a code is and whether it is a number; None for a text that is no code by its looks.

    >>> _form("DEU"), _form("276"), _form("Deu"), _form("F")
    ((3, False), (3, True), None, None)
    """
    is_code = text.isascii() and (text.isdigit() or (text.isalpha() and text.isupper()))
    return (len(text), text.isdigit()) if is_code and len(text) >= _SHORTEST else None
