"""Texts that are no nouns, whatever a dictionary of nouns finds for them: *F*, *91,1*, *none*, *single*.

WordNet knows *F* as Fahrenheit, *none* as an hour of prayer and *single* as a base hit. A table means none of
them. The lists are short, and of words that stand in tables; they know no ontology. A code list, whose own
terms may be single letters, does not ask here.
"""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """A list of words in a text; `_` is a blank inside one.

    >>> sorted(word_set("none not_known"))
    ['none', 'not known']
    """
    return frozenset(part.strip().replace("_", " ") for part in text.split())


_NO_VALUE = word_set(
    "none nil null na nan n_a nothing unknown unkn unk missing not_known not_stated not_given not_available "
    "not_applicable not_recorded not_specified not_disclosed not_answered not_sure no_answer no_data "
    "no_value "
    "unspecified undisclosed undefined undetermined unclassified uncategorized unstated unsure undecided "
    "refused declined refused_to_answer declined_to_answer prefer_not_to_say prefer_not_to_answer "
    "other others other_specify other_unspecified miscellaneous misc various several any all anything "
    "dont_know dk do_not_know don_t_know tbc tbd to_be_confirmed to_be_determined pending see_notes see_note "
    "test dummy example blank empty void error invalid deleted yes no y n true false maybe ditto same "
    "as_above idem etc "
    "unbekannt keine keiner keins keine_angabe k_a ka sonstige sonstiges andere anderes entfallt ja nein "
    "inconnu inconnue aucun aucune autre autres non_renseigne non_precise sans_objet nsp oui non "
    "desconocido desconocida ninguno ninguna otro otra otros otras no_aplica no_sabe no_contesta ns_nc si "
    "sconosciuto nessuno nessuna altro altra altri non_noto desconhecido nenhum nenhuma outro outra outros "
    "onbekend geen anders overig okand ingen annan ukjent annet nieznany brak inne"
)
"""What stands for no value, or for none of those listed, in several languages."""

NUMBER_WORDS = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million first second third fourth fifth sixth seventh eighth ninth tenth once twice double triple half "
    "dozen couple few many"
)
_ROMAN = re.compile(r"x{0,3}(ix|iv|v?i{0,3})")

ADJECTIVES = word_set(
    # of people: family, sex, work
    "single married divorced widowed separated engaged male female masculine feminine straight gay bisexual "
    "binary transgender intersex employed unemployed retired disabled independent dependent homeless "
    "temporary permanent casual seasonal regular irregular professional skilled unskilled salaried full part "
    "civil military public private federal local national international foreign domestic native alien "
    "young old elderly juvenile senior junior minor major chief deputy associate general "
    "special "
    "registered certified licensed qualified trained "
    # of findings
    "positive negative neutral normal abnormal acute chronic severe moderate mild critical stable unstable "
    "conscious unconscious alert awake drowsy elective urgent "
    "benign malignant primary secondary tertiary terminal early late left right bilateral upper lower "
    "anterior "
    "posterior lateral medial superior inferior internal external proximal distal fatal vital healthy ill "
    "sick "
    "sore open closed simple complex complete incomplete partial total recurrent suspected possible probable "
    "confirmed known essential idiopathic congenital hereditary "
    # of degree, order, quality, colour, place
    "high low medium middle average large small big little short long tall deep light heavy dark bright "
    "good bad better best poor fair rich fine great excellent satisfactory sufficient adequate "
    "strong weak hard soft hot cold warm cool dry wet fresh raw quick slow fast free busy new recent past "
    "present "
    "current former previous last next main principal prime basic standard classic modern ancient "
    "active passive inactive positive optional individual collective "
    "black white brown yellow red blue green grey gray "
    "northern southern eastern western central urban rural outdoor indoor electric electrical electronic "
    "mechanical digital manual automatic"
)
"""Adjectives of tables. Many are nouns too, and count as such where a sense lies below the column's name."""
_PARTICIPLE = re.compile(r".{3,}[^e]ed")
_NO_PARTICIPLES = word_set(
    "hundred kindred hatred sacred watershed thoroughbred bloodshed infrared crossbred"
)


def says_nothing(text: str) -> bool:
    """Whether a plain text stands for no value or is no word: fewer than two letters, or numbers alone.

    >>> [says_nothing(text) for text in ("f", "91 1", "none", "type ii", "ii", "two", "flu")]
    [True, True, True, False, True, True, False]
    """
    return text in _NO_VALUE or all(map(is_number_word, text.split()))


def is_number_word(word: str) -> bool:
    """Whether a word counts, numbers or letters something: *2*, *second*, *ii*, *b*.

    >>> [is_number_word(word) for word in ("2", "2a", "second", "ii", "b", "flu")]
    [True, True, True, True, True, False]
    """
    return (
        word in NUMBER_WORDS
        or sum(map(str.isalpha, word)) < 2
        or (word[0].isdigit() and sum(map(str.isalpha, word)) < 3)
        or _ROMAN.fullmatch(word) is not None
    )


def is_adjective(text: str) -> bool:
    """Whether a plain word is more likely an adjective or a participle than the noun it also may be.

    >>> [is_adjective(word) for word in ("single", "widowed", "bed", "nurse")]
    [True, True, False, False]
    """
    return text in ADJECTIVES or (_PARTICIPLE.fullmatch(text) is not None and text not in _NO_PARTICIPLES)
