"""Whether a text says that a person has, or is, the thing that it names: *history of cancer* does not.

What is denied, over, suspected or of a relative, as ConText tells them apart in clinical notes (Harkema et
al. 2009, doi 10.1016/j.jbi.2009.05.002). The one list of such words, in the languages of tables; it knows
texts alone, no ontology.
"""

from __future__ import annotations

import re
from typing import Literal

from ontomask.linking.normalise import plain
from ontomask.linking.nouns import word_set

Assertion = Literal["denied", "past", "suspected", "related"]

_DENIED = word_set(
    "no not non never without denies denied negative nil absent anti excluded excludes "
    "kein keine keinen keiner ohne nicht ausgeschlossen ausschluss "
    "sin sine ningun ninguna descartado descartada sans aucun aucune pas "
    "senza nessun nessuna escluso esclusa sem nenhum nenhuma excluido excluida geen zonder"
)
# What is true of a person no more, or not yet: a *trainee nurse* is no nurse.
_PAST = word_set(
    "ex former formerly retired previous previously prior past old history hx h_o ho phx pmh pmhx "
    "status_post s_p sp st_p stp post resolved cured healed recovered remission survivor "
    "pre trainee apprentice student future "
    "zustand_nach z_n zn status_nach st_n stn st_nach anamnestisch fruher fruhere fruherer ehemalig "
    "ehemalige ehemaliger ehemals "
    "antecedente antecedentes historia_de previo previa antiguo antigua exfumador exfumadora "
    "antecedent antecedents atcd ancien ancienne "
    "pregresso pregressa pregressi storia_di stato_dopo anamnesi_di "
    "historico_de status_na voorgeschiedenis"
)
_SUSPECTED = word_set(
    "suspected suspicion suspicious susp suspect possible possibly poss probable probably query rule_out r_o "
    "likely presumed presumptive presumably unconfirmed questionable vs versus ddx differential "
    "screening exposure contact_with risk fear worried "
    "verdacht verdachtsdiagnose v_a va fraglich fragliche moglich mogliche vermutlich "
    "sospecha sospechoso sospechosa posible probable_de descartar a_descartar "
    "suspicion_de suspecte suspectee possible probablement "
    "sospetto sospetta possibile probabile suspeita suspeito provavel possivel "
    "verdenking mogelijk"
)
_RELATED = word_set(
    "family familial_history fh fhx famhx fam_hx familienanamnese familiare familiar familiaux familiales"
)
# ... where they stand first and are followed by what they had: a *ward sister* is nobody's.
_RELATIVES = word_set(
    "mother father brother sister parent parents sibling son daughter aunt uncle cousin grandmother "
    "grandfather grandparent mom mum dad "
    "mutter vater bruder schwester tante onkel grossmutter grossvater "
    "madre padre hermano hermana abuela abuelo mere pere frere soeur mae pai irmao irma moeder vader"
)
_PHRASES: dict[Assertion, frozenset[str]] = {
    "denied": _DENIED,
    "past": _PAST,
    "suspected": _SUSPECTED,
    "related": _RELATED,
}
_MARKS = {kind: re.compile(rf"\b(?:{'|'.join(sorted(of))})\b") for kind, of in _PHRASES.items()}
# ICD-10-GM: gesichert, Verdacht auf, ausgeschlossen, Zustand nach.
_CERTAINTIES: dict[str, Assertion | None] = {"G": None, "V": "suspected", "A": "denied", "Z": "past"}
_CODE_AND_CERTAINTY = re.compile(r"([A-Z]\d[\dA-Z](?:\.?[\dX]{1,4})?)\s*([GVAZ])")
_SLASHED = re.compile(r"\b([a-z])\s*/\s*([a-z])\b(?=[\s.:])", re.IGNORECASE)  # h/o, s/p, r/o


def assertion_of(text: str) -> Assertion | None:
    """How a text names a thing that the person need not have; None if nothing says so.

    >>> [assertion_of(text) for text in ("s/p appendicitis", "V.a. asthma", "?asthma", "mother had asthma")]
    ['past', 'suspected', 'suspected', 'related']
    >>> assertion_of("(no) asthma"), assertion_of("severe asthma"), assertion_of("mother")
    ('denied', None, None)
    """
    words = plain(text)
    for kind, marks in _MARKS.items():
        if marks.search(words):
            return kind
    if "?" in text or "\u00bf" in text:
        return "suspected"
    first, _, rest = words.partition(" ")
    return "related" if rest and first in _RELATIVES else None


def coded_assertion(text: str) -> tuple[str, Assertion | None] | None:
    """A code and what the letter of certainty behind it says, as German records write them; else None.

    >>> coded_assertion("J44.1 V"), coded_assertion("J441G"), coded_assertion("J44.1")
    (('J44.1', 'suspected'), ('J441', None), None)
    """
    found = _CODE_AND_CERTAINTY.fullmatch(text.strip())
    return (found[1], _CERTAINTIES[found[2]]) if found else None


def without_slashes(text: str) -> str:
    """A text whose abbreviations of two letters are words, and not two things.

    >>> without_slashes("s/p stroke"), without_slashes("asthma/eczema")
    ('sp stroke', 'asthma/eczema')
    """
    return _SLASHED.sub(r"\1\2", text)
