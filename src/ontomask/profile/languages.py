"""Which language the words of a table are in, by words that are frequent in the headers and cells of tables.

A handful for each language is enough to tell a table in Spanish from one in English; a language that has none
here is not told. Knows texts only.
"""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.linking.normalise import plain

_LEAST_TEXTS = 3
WORDS = {
    "English": "the of and in with for by to yes name date birth age sex gender male female country city job "
    "single married widowed divorced high low never always other income status level nurse teacher driver",
    "German": "der die das und mit fur von nicht ja nein geschlecht alter beruf mannlich weiblich divers "
    "geburtsdatum "
    "familienstand ledig verheiratet verwitwet geschieden einkommen bildung vorname nachname strasse ort plz "
    "stadt sehr hoch niedrig mittel keine lehrer lehrerin krankenschwester arzt gehalt telefon anzahl zu "
    "eher",
    "French": "le les du des et avec pour dans ne pas oui sexe homme femme metier prenom naissance ville "
    "pays "
    "celibataire marie veuf salaire revenu niveau tres eleve faible moyen jamais toujours aucun aucune "
    "infirmiere medecin enseignant avocat adresse tout accord plutot boulanger commune",
    "Spanish": "el los las y con para por muy si nunca siempre sexo hombre mujer nombre apellidos fecha "
    "nacimiento "
    "edad profesion ciudad pais soltero casado viudo salario ingresos nivel bajo alto medio ninguno ninguna "
    "enfermera enfermero medico abogado maestra diagnostico codigo telefono movil",
    "Italian": "il gli della di con per molto mai sempre sesso uomo donna maschio femmina cognome nascita "
    "eta "
    "professione citta comune paese celibe nubile coniugato vedovo reddito stipendio livello basso alto "
    "nessuno nessuna infermiere avvocato insegnante titolo studio codice patologia buono ottimo",
    "Portuguese": "o os das dos e com para muito nao sim nunca sempre genero homem mulher feminino masculino "
    "nascimento idade profissao cidade solteiro casado viuvo renda salario nivel baixo medio nenhum nenhuma "
    "enfermeira medico ensino escolaridade concordo discordo totalmente religiao",
}
_KNOWN = {language: frozenset(words.split()) for language, words in WORDS.items()}


def language_of(texts: Iterable[str]) -> str | None:
    """The language that most texts with known words have words of; None if there are few, or two as likely.

    >>> language_of(["Fecha de nacimiento", "muy alto", "mujer", "nurse"])
    'Spanish'
    >>> language_of(["E11.9", "mujer", "x"]) is None
    True
    """
    found = [set(plain(text).split()) for text in texts]
    hits = {
        language: sum(not known.isdisjoint(words) for words in found) for language, known in _KNOWN.items()
    }
    best, second, *_ = sorted(hits, key=lambda language: -hits[language])
    return best if hits[best] >= _LEAST_TEXTS and hits[best] > hits[second] else None
