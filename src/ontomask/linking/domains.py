"""What columns of tables are about: their names in several languages, and where WordNet keeps their values.

Data: a domain is a line of names and the concepts below which its values lie, nearest first. It is needed
because a column is seldom named like the concept above its values: those of *diagnosis* are illnesses, not
diagnoses. A name that is not here is looked up in the ontology itself.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

SynonymList = Literal["medical", "occupational", "leisure", "demonyms"]


class Domain(NamedTuple):
    """Names (folded: lower case, no accents, joined), and concepts in WordNet, one tuple for each distance.

    `of_names`: its values are names of single things (*Paris*), which elsewhere are read as such only if
    there is nothing else.
    """

    names: frozenset[str]
    tops: tuple[tuple[str, ...], ...]
    of_names: bool = False
    synonyms: SynonymList | None = None
    of_places: bool = False


def _domain(
    names: str,
    *tops: str,
    of_names: bool = False,
    of_places: bool = False,
    synonyms: SynonymList | None = None,
) -> Domain:
    return Domain(
        frozenset(names.split()),
        tuple(tuple(top.split()) for top in tops),
        of_names or of_places,
        synonyms,
        of_places,
    )


DOMAINS = (
    _domain(
        "diagnosis diagnoses diag dx diagnose diagnosen diagnostico diagnosticos diagnostic diagnostics "
        "diagnosi "
        "disease diseases illness sickness condition conditions disorder symptom symptoms complaint "
        "complaints "
        "presentingcomplaint chiefcomplaint problem problems comorbidity comorbidities morbidity injury "
        "injuries "
        "finding findings ailment impairment causeofdeath cod indication pathology medicalhistory pmh hx "
        "erkrankung erkrankungen krankheit krankheiten hauptdiagnose nebendiagnose befund beschwerden "
        "symptome "
        "todesursache enfermedad enfermedades sintoma sintomas dolencia patologia maladie maladies symptom "
        "pathologie malattia malattie sintomi doenca doencas ziekte ziekten aandoening klacht sykdom sjukdom "
        "choroba rozpoznanie",
        "pathological_state.n.01 physical_condition.n.01 symptom.n.01 psychological_state.n.01 attack.n.07 "
        "injury.n.02 hypersensitivity.n.01 miscarriage.n.01 birth_defect.n.01 calculus.n.01",
        "condition.n.01 trouble.n.03 bodily_process.n.01 fleshiness.n.01 blemish.n.01 organic_process.n.01",
        "happening.n.01 feeling.n.01 state.n.02",
        synonyms="medical",
    ),
    _domain(
        "procedure procedures proc px operation operations surgery surgeries intervention interventions "
        "treatment "
        "treatments therapy therapies exam examination test tests investigation imaging opcs cpt "
        "prozedur prozeduren eingriff eingriffe behandlung therapie untersuchung procedimiento "
        "procedimientos "
        "intervencion cirugia tratamiento operacion procedure intervention chirurgie traitement examen "
        "procedura intervento trattamento procedimento cirurgia tratamento ingreep behandeling zabieg",
        "medical_procedure.n.01 diagnostic_procedure.n.01 diagnostic_test.n.01 medical_care.n.01 "
        "examination.n.01 radiogram.n.02 imaging.n.02 immunization.n.01 medical_diagnosis.n.01 dialysis.n.01 "
        "transfusion.n.01 cesarean_delivery.n.01 electrocardiogram.n.01 electroencephalogram.n.01 "
        "injection.n.03 insertion.n.02 removal.n.01 anesthesia.n.01",
        "procedure.n.01 care.n.01 investigation.n.02 representation.n.10 test.n.05 work.n.01 treatment.n.01",
        "act.n.02 visual_communication.n.01 representation.n.02",
        synonyms="medical",
    ),
    _domain(
        "occupation occupations occ job jobs jobtitle profession professions employment trade career "
        "position role work worktype vocation soc isco beruf berufe tatigkeit stelle stellenbezeichnung "
        "profesion ocupacion oficio puesto trabajo cargo empleo profession metier emploi poste professione "
        "lavoro mestiere occupazione impiego profissao ocupacao emprego beroep functie yrke stilling jobb "
        "zawod stanowisko",
        "worker.n.01 professional.n.01 operator.n.02 engineer.n.01 contractor.n.03 businessperson.n.01 "
        "artist.n.01 "
        "scientist.n.01 entertainer.n.01 farmer.n.01 educator.n.01",
        "person.n.01",
        "occupation.n.01 social_group.n.01",
        synonyms="occupational",
    ),
    _domain(
        "sex gender geschlecht sexo sexe sesso genero genre geslacht kon kjonn plec",
        "female.n.02 male.n.02 man.n.01 woman.n.01 boy.n.01 girl.n.01",
        "person.n.01",
    ),
    _domain(
        "marital maritalstatus maritalst civilstatus familienstand estadocivil situationfamiliale etatcivil "
        "statocivile burgerlijkestaat civilstand",
        "marital_status.n.01 spouse.n.01 widow.n.01 widower.n.01 divorcee.n.01 divorced_man.n.01 "
        "bachelor.n.01 "
        "spinster.n.01 unmarried_woman.n.01 marriage.n.01 divorce.n.01",
        "person.n.01 status.n.01",
    ),
    _domain(
        "relationship relation kinship relative kin nextofkin relationtohead familymember verwandtschaft "
        "parentesco parente parentela lienparente",
        "relative.n.01 spouse.n.01 domestic_partner.n.01",
        "person.n.01",
    ),
    _domain(
        "race ethnicity ethnic ethnicgroup ethnie ethnizitat raza etnia",
        "person_of_color.n.01 white.n.01 black.n.01 asian.n.01 inhabitant.n.01 ethnic_group.n.01 race.n.03 "
        "person.n.01",
        "group.n.01",
        of_names=True,
    ),
    _domain(
        "nationality citizenship nationalitat staatsangehorigkeit nacionalidad nationalite nazionalita "
        "nacionalidade nationaliteit cittadinanza",
        "inhabitant.n.01 nation.n.02 country.n.02",
        "person.n.01 people.n.01 location.n.01",
        of_names=True,
        synonyms="demonyms",
    ),
    _domain(
        "hobby hobbies interest interests leisure pastime pastimes recreation activity activities freetime "
        "freizeit hobbys freizeitaktivitat aficion aficiones loisir loisirs passatempo interessi interessen",
        "diversion.n.01 game.n.01 sport.n.01 activity.n.01",
        "act.n.02 reading.n.01 gardening.n.01",
        "event.n.01 art.n.01 music.n.01 musical_instrument.n.01 communication.n.02 collection.n.01",
        synonyms="leisure",
    ),
    _domain(
        "sport sports sportart deporte deportes esporte desporto",
        "sport.n.01 game.n.01",
        "diversion.n.01 activity.n.01",
        "act.n.02",
        synonyms="leisure",
    ),
    _domain(
        "country countries nation nations countryofbirth birthcountry cob nativecountry land lander staat "
        "geburtsland herkunft herkunftsland pais paises paisdenacimiento pays paysdenaissance paese paesi "
        "nazione landen geboorteland kraj",
        "country.n.02",
        "state.n.04 dominion.n.03 island.n.01 location.n.01",
        of_names=True,
        synonyms="demonyms",
    ),
    _domain(
        "city cities town towns municipality placeofbirth birthplace residence village borough place stadt "
        "stadte ort wohnort geburtsort gemeinde ciudad ciudades municipio localidad poblacion ville villes "
        "commune citta comune cidade cidades stad plaats miasto by",
        "city.n.01 municipality.n.01 town.n.01 center.n.01 seat.n.05 village.n.02",
        "location.n.01 land.n.04",
        of_places=True,
    ),
    _domain(
        "state states province county region district state_of_residence bundesland kreis provinz provincia "
        "comunidad departamento departement regione estado distrito",
        "administrative_district.n.01 district.n.01",
        "location.n.01 land.n.04",
        of_places=True,
    ),
    _domain(
        "location locations continent destination destinations ubicacion lieu luogo lugar",
        "location.n.01 land.n.04",
        "structure.n.01 geological_formation.n.01 body_of_water.n.01",
        of_places=True,
    ),
    _domain(
        "language languages lang mothertongue firstlanguage spokenlanguage sprache sprachen muttersprache "
        "idioma "
        "idiomas lengua lenguamaterna langue langues languematernelle lingua lingue madrelingua "
        "linguamaterna "
        "taal moedertaal sprak jezyk",
        "natural_language.n.01 artificial_language.n.01 sign_language.n.01",
        "language.n.01",
        of_names=True,
    ),
    _domain(
        "religion religions faith denomination belief beliefs creed religiousaffiliation konfession glaube "
        "religionszugehorigkeit religione religiao fe geloof godsdienst wyznanie",
        "religion.n.01 religion.n.02 religious_person.n.01",
        "belief.n.01 nonreligious_person.n.01 theist.n.01 doctrine.n.01",
        "person.n.01",
        of_names=True,
    ),
    _domain(
        "drug drugs medication medications medicine medicines med meds prescription prescriptions rx "
        "substance "
        "substances pharmaceutical antibiotic allergen medikament medikamente arzneimittel wirkstoff "
        "medikation "
        "medicamento medicamentos farmaco farmacos medicament medicaments medicinale farmaci geneesmiddel "
        "medicijn lakemedel lek",
        "drug.n.01 agent.n.03 hormone.n.01 vitamin.n.01 vaccine.n.01 medicine.n.02",
        "chemical.n.01 compound.n.02 chemical_element.n.01 substance.n.01 substance.n.08 fluid.n.01",
        synonyms="medical",
    ),
    _domain(
        "food foods meal meals dish dishes snack diet favouritefood favoritefood breakfast lunch dinner "
        "essen speise speisen lebensmittel gericht comida comidas alimento alimentos plato nourriture "
        "aliment "
        "plat cibo piatto prato eten voedsel mat",
        "food.n.01 food.n.02 beverage.n.01",
        "plant_part.n.01 substance.n.01 substance.n.08",
    ),
    _domain(
        "drink drinks beverage beverages getrank getranke bebida bebidas boisson boissons bevanda",
        "beverage.n.01",
        "food.n.01 liquid.n.01",
    ),
    _domain(
        "animal animals pet pets species livestock tiere haustier haustiere mascota mascotas animali "
        "animaux huisdier dier",
        "animal.n.01",
        "organism.n.01",
    ),
    _domain(
        "vehicle vehicles transport transportation modeoftransport commute travelmode transportmode fahrzeug "
        "verkehrsmittel vehiculo vehiculos transporte vehicule veicolo mezzo voertuig fordon",
        "vehicle.n.01 conveyance.n.03 wheeled_vehicle.n.01",
        "instrumentality.n.03 travel.n.01 motion.n.06",
    ),
    _domain(
        "education educationlevel degree degrees qualification qualifications highestdegree schooling "
        "diploma "
        "bildung bildungsabschluss schulabschluss abschluss estudios niveldeestudios educacion "
        "escolaridad titulo "
        "etudes diplome niveau istruzione titolodistudio escolaridade opleiding utbildning",
        "academic_degree.n.01 certificate.n.01 educational_institution.n.01 education.n.01",
        "schooling.n.01 academic_program.n.01 award.n.02 course.n.01",
        "person.n.01",
    ),
    _domain(
        "subject subjects major fieldofstudy studienfach fach discipline specialty speciality specialism "
        "department departments fachrichtung fachabteilung especialidad specialite specialita asignatura",
        "discipline.n.01 knowledge_domain.n.01",
        "department.n.01 hospital_room.n.01 ward.n.03 occupation.n.01",
        "organization.n.01 activity.n.01",
    ),
    _domain(
        "crime crimes offence offences offense offenses charge charges straftat delikt delito delitos "
        "infraction "
        "reato",
        "crime.n.01 transgression.n.01",
        "act.n.02",
    ),
    _domain(
        "color colour colors colours haircolor eyecolor farbe couleur colore cor kleur",
        "color.n.01",
    ),
    _domain(
        "workplace workplaces employer company arbeitsplatz arbeitgeber empresa entreprise azienda "
        "placeofwork",
        "structure.n.01 organization.n.01 workplace.n.01",
        "location.n.01 artifact.n.01",
    ),
    _domain(
        "bodypart bodysite site organ organs anatomicalsite korperteil parte_del_cuerpo",
        "body_part.n.01 body.n.01",
        "structure.n.04",
    ),
)
