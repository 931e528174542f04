"""Which language the words of a table are in, by words that are frequent in tables, and by letters.

A handful for each language is enough to tell a table in Spanish from one in English; a language that has none
here is not told. Names of columns count twice, for somebody chose them. Knows texts only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ontomask.linking.normalise import plain

_LEAST_HITS = 3
WORDS = {
    "English": "the of and in with for by to yes name date birth age sex gender male female country city job "
    "single married widowed divorced high low never always other income status level nurse teacher driver",
    "German": "der die das und mit fur von nicht ja nein geschlecht alter beruf mannlich weiblich divers "
    "geburtsdatum "
    "familienstand ledig verheiratet verwitwet geschieden einkommen bildung vorname nachname strasse ort plz "
    "stadt sehr hoch niedrig mittel keine lehrer lehrerin krankenschwester arzt gehalt telefon anzahl zu "
    "eher jahre tatigkeit krankheit aufnahme wohnort kreis bemerkung maurer backer",
    "French": "le les du des et avec pour dans ne pas oui sexe homme femme metier prenom naissance ville "
    "pays "
    "celibataire marie veuf salaire revenu niveau tres eleve faible moyen jamais toujours aucun aucune "
    "infirmiere medecin enseignant avocat adresse tout accord plutot boulanger commune "
    "annees maladie profession macon menage quartier logement",
    "Spanish": "el los las y con para por muy si nunca siempre sexo hombre mujer nombre apellidos fecha "
    "nacimiento "
    "edad profesion ciudad pais soltero casado viudo salario ingresos nivel bajo alto medio ninguno ninguna "
    "enfermera enfermero medico abogado maestra diagnostico codigo telefono movil anos oficio "
    "enfermedad hogar apellido albanil panadero neumonia gripe estudios municipio",
    "Italian": "il gli della di con per molto mai sempre sesso uomo donna maschio femmina cognome nascita "
    "eta "
    "professione citta comune paese celibe nubile coniugato vedovo reddito stipendio livello basso alto "
    "nessuno nessuna infermiere avvocato insegnante titolo studio codice patologia buono ottimo "
    "diagnosi malattia nome mestiere muratore panettiere polmonite provincia residenza",
    "Portuguese": "o os das dos e com para muito nao sim nunca sempre genero homem mulher feminino masculino "
    "nascimento idade profissao cidade solteiro casado viuvo renda salario nivel baixo medio nenhum nenhuma "
    "enfermeira medico ensino escolaridade concordo discordo totalmente religiao "
    "doenca anos nome municipio pedreiro padeiro",
    "Dutch": "het een van niet geslacht leeftijd beroep man vrouw geboortedatum "
    "gehuwd ongehuwd gescheiden inkomen opleiding voornaam achternaam woonplaats gemeente nooit altijd "
    "ziekte verpleegkundige leraar bakker jaar",
    "Polish": "nie tak plec wiek zawod kobieta mezczyzna imie nazwisko miasto ulica choroba dochod lata "
    "wyksztalcenie nauczyciel lekarz piekarz pielegniarka murarz zonaty zamezna nigdy zawsze",
    "Swedish": "och inte ja nej kon alder yrke kvinna fornamn efternamn ort inkomst sjukdom gift "
    "ogift skild lakare larare sjukskoterska bagare utbildning aldrig alltid",
    "Danish": "og ikke ja nej kon alder erhverv kvinde mand fornavn efternavn indkomst sygdom uddannelse "
    "ugift skilt laege laerer sygeplejerske bager aldrig altid",
    "Turkish": "ve bir evet hayir cinsiyet yas meslek kadin erkek ad soyad sehir hastalik gelir egitim evli "
    "bekar ogretmen doktor hemsire firinci asla",
    "Russian": "и не да нет пол возраст профессия женщина мужчина имя фамилия город болезнь доход диагноз "
    "образование учитель врач пекарь",
}
LETTERS = {
    "German": "ß",
    "Spanish": "ñ",
    "Portuguese": "ãõ",
    "Polish": "łąęśźżń",
    "Swedish": "å",
    "Danish": "ø",
    "Turkish": "ğşı",
    "Russian": "ыэйяюжшдлф",
}
"""Letters that few other languages of tables have."""
_KNOWN = {language: frozenset(words.split()) for language, words in WORDS.items()}


def language_of(names: Iterable[str], texts: Iterable[str] = ()) -> str | None:
    """The language that most names and texts show; None if that is little, or two are as likely.

    A word counts once, in a name twice, and so does a letter of its own.

    >>> language_of(["Fecha de nacimiento"], ["muy alto", "mujer", "nurse"])
    'Spanish'
    >>> language_of(["E11.9"], ["mujer", "x"]) is None
    True
    """
    hits: Counter[str] = Counter()
    for weight, some in ((2, names), (1, texts)):
        for text in some:
            words, letters = set(plain(text).split()), set(text.lower())
            for language, known in _KNOWN.items():
                has_letter = not letters.isdisjoint(LETTERS.get(language, ""))
                hits[language] += weight * (has_letter + (not known.isdisjoint(words)))
    (best, most), (_, second), *_ = hits.most_common() or [("", 0), ("", 0)]
    return best if most >= _LEAST_HITS and most > second else None
