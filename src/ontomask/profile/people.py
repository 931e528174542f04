"""Names of people, told by their values: frequent given and family names of several languages, and titles.

Names that are common words, months, places or trades as well (*Rose*, *April*, *Florence*, *Baker*) are left
out. Knows texts only, neither tables nor roles.
"""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.linking.normalise import plain
from ontomask.profile.vocabulary import words

_SAMPLE = 1_000
_MOST_WORDS = 5  # `Maria del Carmen Lopez Garcia`; what is longer is a sentence

GIVEN = words(
    # English
    "mary james patricia john jennifer robert linda michael elizabeth william barbara david susan richard "
    "jessica joseph sarah thomas karen charles nancy christopher lisa daniel margaret matthew betty anthony "
    "sandra donald ashley steven kimberly paul emily andrew donna joshua michelle kenneth carol kevin amanda "
    "brian melissa george deborah edward stephanie ronald rebecca timothy laura jason helen jeffrey sharon "
    "ryan cynthia jacob kathleen gary amy nicholas angela eric jonathan emma oliver noah olivia liam ethan "
    "ann anne jane alice bob tom peter "
    # German
    "hans klaus ursula helga wolfgang sabine petra jurgen andreas lukas anna heinz gunter horst manfred "
    "helmut gerhard werner monika renate ingrid brigitte karin birgit stefan stefanie christian christine "
    "matthias markus tobias katharina johanna lena leonie finn jonas maximilian felix uwe dieter bernd "
    "thorsten heike anja silke ulrike "
    # French
    "jean pierre michel philippe alain jacques bernard marie nathalie isabelle sylvie catherine francoise "
    "monique christophe nicolas julien sebastien laurent frederic celine sandrine aurelie camille lea manon "
    "hugo louis jules chloe ines mathieu guillaume antoine francois veronique valerie "
    # Spanish
    "maria jose carmen antonio ana manuel josefa francisco isabel juan lucia javier carlos pedro miguel luis "
    "rafael angel jesus pilar dolores teresa rosario marta elena raquel alejandro fernando sergio pablo "
    "jorge "
    "alberto alvaro adrian diego ivan ruben oscar ramon enrique vicente ignacio "
    # Italian
    "giuseppe giovanni francesca francesco giulia marco luca chiara alessandro alessia matteo lorenzo andrea "
    "stefano paola paolo roberto riccardo simone davide federica valentina silvia giorgia luigi salvatore "
    "vincenzo pietro domenico rosa angelo "
    # Portuguese
    "joao paulo luiz lucas gabriel rafaela fernanda juliana adriana marcia patricia aline bruno felipe "
    "rodrigo marcelo eduardo ricardo tiago goncalo beatriz mariana catarina ines rui nuno helena"
)
FAMILY = words(
    "smith johnson williams jones davis wilson anderson thompson robinson martinez hernandez nelson roberts "
    "campbell evans collins stewart morris murphy patel khan nguyen kim singh "
    "muller schmidt meyer schulz hoffmann schroder neumann schwarz zimmermann hartmann lange krause lehmann "
    "schmitz krueger kruger huber bauer maier weber wagner becker "
    "martin bernard dubois durand lefebvre leroy moreau simon laurent michel garcia rousseau girard dupont "
    "fournier mercier bonnet lambert "
    "rodriguez gonzalez fernandez lopez sanchez perez gomez jimenez ruiz hernandez diaz alvarez munoz romero "
    "gutierrez navarro dominguez vazquez ramos gil serrano blanco molina morales suarez ortega delgado "
    "rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti costa giordano "
    "mancini rizzo lombardi moretti "
    "silva santos oliveira souza pereira ferreira almeida carvalho gomes ribeiro martins rocha alves "
    "monteiro "
    "mendes barbosa"
)
TITLES = words(
    "mr mrs ms miss dr prof herr frau hr fr m mme mlle sr sra srta don dona dott dottssa sig sigra"
)
_NAMES = GIVEN | FAMILY


def share_of_names(texts: Sequence[str]) -> float:
    """Share of the texts that are names of people: a frequent name, or a title and a word, in a few words.

    >>> share_of_names(["Garcia, Maria", "Dr. Patel", "Jürgen", "nurse", "a note that Mary wrote down"])
    0.6
    """
    sample = texts[:: len(texts) // _SAMPLE + 1]
    return sum(map(_is_name, sample)) / max(len(sample), 1)


def _is_name(text: str) -> bool:
    first, *others = plain(text).split() or [""]
    if len(others) >= _MOST_WORDS or any(map(str.isdigit, text)):
        return False
    is_titled = first in TITLES and len(others) in (1, 2)
    return is_titled or not _NAMES.isdisjoint((first, *others))
