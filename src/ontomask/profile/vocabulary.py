"""Words in the names of columns, in several languages, that tell what a column holds.

Folded: lower case, no accents, no blanks or hyphens inside. Knows no values and no roles; `guess` decides.
"""

from __future__ import annotations

from ontomask.tables.coded import MARKS, MARKS_AMONG_NUMBERS


def words(text: str) -> frozenset[str]:
    """Words, written one after the other."""
    return frozenset(text.split())


MISSING_VALUE = MARKS | words("none missing - -- .")
NOTHING = words("none nil")  # an answer where answers are words
# What means no value among numbers and dates only.
MISSING_NUMBER = (
    MARKS_AMONG_NUMBERS
    | words(
        "unknown unbekannt desconocido desconocida "
        "inconnu inconnue sconosciuto desconhecido onbekend nieznane okand ukendt ukjent bilinmiyor"
    )
    | frozenset(
        (
            *(
                "keine angabe",
                "k. a.",
                "nicht bekannt",
                "nicht bestimmt",
                "not available",
                "no data",
                "not known",
            ),
            *(
                "sin dato",
                "sin datos",
                "no consta",
                "no disponible",
                "non noto",
                "non disponibile",
                "non rilevato",
            ),
            *("non renseigné", "non connu", "non disponible", "não informado", "sem dados", "sem informação"),
            *("niet bekend", "niet van toepassing", "geen gegevens", "brak danych"),
        )
    )
)
# Behind or before numbers; single letters count as they stand here.
UNITS = words(
    "% ‰ € $ £ ¥ eur usd gbp chf r$ kr zł sek dkk nok kg g mg µg μg mcg t lb lbs oz cm mm km ft ml dl l "
    "cl °c °f mmhg bpm kcal kj mg/dl g/dl g/l mmol/l µmol/l u/l kg/m2 kg/m² h hrs hours min mins sec "
    "years year yrs y.o. jahre años anos ans anni jaar lat år months monate meses mois mesi "
    "weeks wochen days tage días dias jours giorni dagen"
)

# One person's number or contact, whatever the values are.
PERSONAL_NUMBER = words(
    "ssn passport passportnumber iban mrn nhs nhsnumber nino uuid guid username login dni nie nif cpf "
    "curp bsn "
    "pesel nir numerosecu numerodesecuritesociale securitesociale numerodeseguridadsocial nuss steuerid "
    "rentenversicherungsnummer svnr codfiscale carteiradeidentidade numerodeutente "
    "sozialversicherungsnummer versichertennummer versicherungsnummer steuernummer patientennummer "
    "kundennummer personalnummer matrikelnummer fallnummer ausweisnummer personnummer fiscalcode "
    "codicefiscale licenseplate numberplate kennzeichen matricula "
    "email mail emailaddress mailaddress correo correoelectronico courriel posta "
    "phone phonenumber telephone tel telefon telefonnummer telefono telefone telefoon mobile mobilenumber "
    "handy handynummer mobil movil celular cellulare telemovel portable telefonofijo cellphone fax "
    "faxnumber ipaddress ipadresse macaddress"
)
PERSON_NAME = words(
    "surname firstname lastname fullname forename givenname familyname middlename maidenname nickname "
    "vorname nachname familienname zuname rufname geburtsname patientenname kundenname personenname "
    "apellido apellidos nombres nombreyapellidos prenom prenoms nomdefamille cognome sobrenome apelido "
    "voornaam achternaam imie nazwisko fornamn efternamn fornavn etternavn efternavn etunimi sukunimi "
    "jmeno prijmeni keresztnev vezeteknev prenume soyad soyadi"
)
# Of people if nothing else stands in the column's name: `name`, `patient_name`, but not `country_name`.
NAME = words("name names nom noms nombre nome naam namn navn nimi nev nume")
PERSON = words(
    "patient patients patientin paciente patiente paziente person persons persona personne people customer "
    "client cliente kunde kundin employee mitarbeiter empleado user usuario member student visitor "
    "participant respondent subject mother father parent spouse partner contact doctor physician"
)
_JOINING = words("the of and a de del la du des di da von der first last given family middle full legal")
IN_PERSON_NAME = NAME | PERSON | _JOINING
STREET = words(
    "address addr streetaddress homeaddress street streetname road housenumber anschrift adresse strasse "
    "hausnummer calle direccion domicilio rue indirizzo endereco rua straat adres gata gatuadress ulica"
)
# A number or text for each person, if most values stand once.
PERHAPS_PERSONAL = words(
    "id identifier name number no nr num key ref reference account url ip nom nombre nome naam numero nummer"
)
# What words are often written together with, as in `patientid`; and words that only end like that.
ENDINGS = (
    "id",
    "name",
    "phone",
    "mail",
    "address",
    "adresse",
    "number",
    "nummer",
    "code",
    "date",
    "datum",
    "zip",
    "einkommen",
    "gehalt",
    "kosten",
)
NOT_COMPOUND = words(
    "paid unpaid prepaid maid raid aid medicaid valid invalid solid lid rapid lipid acid covid fluid liquid "
    "steroid thyroid opioid hybrid rigid humid kid mid bid grid avid vivid arid lucid morbid "
    "comorbid multimorbid update validate rename decode candidate mandate"
)
YES_NO = words("yes no y n true false 0 1 ja nein si sì oui non nee sim não")
NUMBERED = words("no nr num number numero nummer numer key ref reference account")
ID = words("id ids identifier uid pid kennung identificador identifiant")

FREE_TEXT = words(
    "comment comments remark remarks note notes memo freetext narrative annotation annotations feedback "
    "commentaire commentaires remarque remarques observation observations observacion observaciones "
    "comentario comentarios nota notas anotaciones note osservazione osservazioni commento commenti "
    "annotazioni observacao observacoes bemerkung bemerkungen anmerkung anmerkungen kommentar kommentare "
    "notiz notizen freitext hinweis hinweise opmerking opmerkingen notitie notities toelichting uwagi "
    "komentarz anmarkning anmarkningar kommentarer bemaerkning bemaerkninger aciklama notlar"
)
BIRTH_DATE = words(
    "dob birthdate dateofbirth birthday birthdt geburtsdatum geburtstag gebdatum gebdat fechanacimiento "
    "fechadenacimiento datenaissance datedenaissance ddn datadinascita datanascita datanascimento "
    "datadenascimento geboortedatum fodelsedatum fodselsdato syntymaaika dataurodzenia"
)
DATE = words(
    "date dates datum fecha fechas data dato dag dia day giorno jour tag datetime timestamp admitted "
    "discharged "
    "admission discharge aufnahme entlassung ingreso alta ricovero entree sortie"
)
BORN = words("birth born geburt geb nacimiento naissance ne nee nascita nascimento geboorte urodzenia")
POSTCODE = words(
    "zip zipcode zip5 postcode postal postalcode postcodes plz postleitzahl codigopostal codepostal cep "
    "codicepostale postnummer postnr eircode pincode irsz psc"
)
PERHAPS_POSTCODE = words("cp cap pin")  # also chest pain and capacity: the values decide
COORDINATE = words(
    "lat latitude lon lng longitude coord coords coordinate coordinates gps geo geom geohash geolocation "
    "breitengrad laengengrad langengrad latitud longitud latitudine longitudine easting northing"
)

# A household's number; and words that are one beside `id` or `number`.
HOUSEHOLD_NUMBER = words("hhid hhnr hhno hhnum haushaltsnummer haushaltsnr numerohogar idhogar")
HOUSEHOLD = words(
    "household hh haushalt haushalts hogar hogares vivienda menage foyer famiglia nucleo familia agregado "
    "family dwelling"
)
# What a row of a sample counts for; and words that also mean how heavy somebody is.
SAMPLING_WEIGHT = words(
    "wt wgt wtfinl fnlwgt finalweight finalwgt samplingweight sampleweight surveyweight designweight pweight "
    "pwgt perwt hhwt hochrechnungsfaktor hochrechnung gewichtung gewichtungsfaktor ponderation "
    "poidsdesondage ponderacion factorexpansion factordeexpansion pondera fatordeexpansao fatorexpansao "
    "coefficientediriporto pesocampionario pesoamostral pesomuestral"
)
PERHAPS_SAMPLING_WEIGHT = words("weight weights gewicht poids peso w")

OUTCOME = words(
    "salary income wage wages pay cost price charge charges amount fee score rating satisfaction result "
    "outcome class risk target label grade revenue expense total "
    "einkommen gehalt lohn kosten betrag ergebnis note zufriedenheit umsatz "
    "salaire revenu revenus cout montant resultat remuneration "
    "salario ingreso ingresos sueldo coste costo importe resultado satisfaccion renta "
    "reddito stipendio salari costi importo risultato soddisfazione "
    "renda rendimento ordenado custo valor satisfacao"
)
CLINICAL_CODE = words(
    "icd icd9 icd10 icdcode dx diag diagnosis diagnoses diagnose diagnosen hauptdiagnose krankheit "
    "diagnostic "
    "diagnostics maladie pathologie diagnostico diagnosticos enfermedad patologia diagnosi malattia "
    "doenca cid10"
)
NOT_A_QUANTITY = words("code") | POSTCODE
QUANTITY = words(
    "age ages alter edad eta idade leeftijd year years jahr jahre ano anos annee annees months month "
    "weeks days "
    "day hours hour minutes weight height size length stay los duration bmi count number num anzahl nombre "
    "pressure rate temperature dose distance"
)
GROUPED = words("group class code category level band bracket type status stage grade")

# What the shipped lists are about.
ABOUT_LIST = {
    "countries": words(
        "country countries iso iso2 iso3 alpha2 alpha3 nat nation nationality citizenship birthplace "
        "birthcountry nativecountry land staat herkunft herkunftsland geburtsland staatsangehorigkeit "
        "pays paysdenaissance nationalite pais paisdenacimiento nacionalidad paese "
        "paesedinascita nazione nazionalita cittadinanza nacionalidade"
    ),
    "us-states": words("state states usstate statecode st"),
    "sex": words("sex gender geschlecht sexe genre sexo genero sesso genere geslacht kon kjonn plec"),
    "marital-status": words(
        "marital maritalstatus marriage civilstatus civilstate familienstand zivilstand etatcivil "
        "situationmatrimoniale estadocivil statocivile relationshipstatus burgerlijkestaat"
    ),
    "education": words(
        "education educational edu educ degree degrees qualification qualifications schooling school isced "
        "attainment bildung schulabschluss abschluss bildungsabschluss etudes diplome niveaudetudes "
        "educacion estudios niveldeestudios istruzione titolodistudio educacao escolaridade opleiding"
    ),
    "occupations": words(
        "occupation occupations job jobs jobtitle profession isco work trade employment beruf berufe "
        "tatigkeit metier emploi profesion ocupacion oficio puesto professione occupazione lavoro mestiere "
        "profissao ocupacao beroep yrke erhverv zawod"
    ),
    "activities": words(
        "industry industries sector sectors activity economicactivity nace isic branch branche branchen "
        "wirtschaftszweig secteur secteurdactivite sectoreconomico actividad actividadeconomica settore "
        "attivita setor atividade bedrijfstak"
    ),
    "months": words("month months monat mois mes mese maand"),
    "weekdays": words(
        "weekday weekdays dayofweek dow day wochentag jour joursemaine dia diadelasemana giorno weekdag"
    ),
}
