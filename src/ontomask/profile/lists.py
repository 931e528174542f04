"""Which of the shipped lists (countries, sex, months, ...) a column is about, by its values and its name.

A list must know four of five values by their whole text. Letters and short codes mean many things, and so do
the words of some lists: there the column's name must say it too. Knows no other ontology.
"""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.linking import link
from ontomask.linking.normalise import letters_of
from ontomask.ontology import load_ontology
from ontomask.ontology.catalog import LISTS
from ontomask.profile.guess import terms_of
from ontomask.profile.vocabulary import ABOUT_LIST

_LEAST_KNOWN = 0.8
_SHORT = 2  # letters: IN is India or Indiana, M a size, a state or a man
_BY_WHOLE_TEXT = ("id", "exact", "normalised")
_COMMON_WORDS = ("occupations", "activities", "education")  # *general*, *sports* and *none* are in them
_SEXES = (frozenset("fm"), frozenset("mw"))


def fitting_lists(name: str, texts: Sequence[str]) -> list[str]:
    """The lists that fit a column, best first: those its name tells of, then by the share of known values.

    >>> fitting_lists("x", ["Kenya", "Peru", "Viet Nam"]), fitting_lists("x", ["IN", "DE"])
    (['countries'], [])
    >>> fitting_lists("us_state", ["IN", "DE"]), fitting_lists("country", ["IN", "DE"])
    (['us-states'], ['countries'])
    """
    said = {one for one in LISTS if terms_of(name) & ABOUT_LIST[one]}
    letters = {text: letters_of(text) for text in texts}
    shares = {}
    for one in LISTS:
        if one in _COMMON_WORDS and one not in said:
            continue
        found = link(texts, load_ontology(one), suggestions=0)
        known = [link.value for link in found if link.how in _BY_WHOLE_TEXT]
        if one not in said and not (one == "sex" and frozenset(letters.values()) in _SEXES):
            known = [text for text in known if len(letters[text]) > _SHORT]
        shares[one] = len(known) / max(len(texts), 1)
    fitting = [one for one, share in shares.items() if share >= _LEAST_KNOWN]
    return sorted(fitting, key=lambda one: (one not in said, -shares[one]))
