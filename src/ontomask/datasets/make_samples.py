"""Write `survey.csv` and `patients.csv`: invented people whose answers are as skewed as real ones.

    python -m ontomask.datasets.make_samples [FOLDER]

The survey has the published shape of its model (975 visitors, 25 terms, 211 pairs of answers, 118 of them
given once, one given 115 times); which answers go together is drawn. Only `random()` is drawn from, so that
the same seed gives the same bytes everywhere.
"""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

SEED = 2013
Row = tuple[object, ...]
T = TypeVar("T")


def _listed(text: str) -> list[str]:
    return text.split(",")


# ---------------------------------------------------------------------- visitors of a park

VISITORS, PAIRS, UNIQUE, LARGEST = 975, 211, 118, 115

# What draws people to a park, and what they like to do at home; most popular first.
REASONS = _listed(
    "nature,landscape,relaxation,bird watching,walking,beach,hiking,cycling,second residence,family,fishing,"
    "photography,sports,culture,gastronomy,horseback riding,sailing"
)
HOBBIES = _listed(
    "sports,reading,walking,music,travel,nature,cycling,fishing,photography,hiking,bird watching,swimming,"
    "gardening,cooking,culture,painting,dance,horseback riding,sailing,relaxation"
)
THEMES = (
    {"nature", "landscape", "bird watching", "photography", "hiking", "walking", "travel"},
    {"sports", "hiking", "walking", "cycling", "horseback riding", "swimming"},
    {"relaxation", "beach", "second residence", "family", "reading", "music", "gardening", "cooking"},
    {"fishing", "sailing", "beach", "swimming"},
    {"culture", "gastronomy", "music", "painting", "dance", "reading", "cooking", "travel"},
)
MIDDLE_AGE = {"gardening": 58, "fishing": 52, "reading": 50, "bird watching": 49, "dance": 33, "sports": 32}
ORIGINS = _listed(
    "Spain,France,Germany,United Kingdom,Netherlands,Italy,Belgium,Portugal,Switzerland,Sweden,Denmark,"
    "Ireland,Norway,Poland,Austria,United States,Finland,Argentina"
)


def survey(rng: Random) -> Iterator[Row]:
    """Header, then one visitor a row, in the order they came."""
    yield "visitor_id", "age", "country", "reason", "hobby", "satisfaction"
    answers = [pair for pair, count in zip(_pairs(rng), _pair_counts(), strict=True) for _ in range(count)]
    for number, (reason, hobby) in enumerate(_shuffled(answers, rng), 1):
        age = _between(16, _bell(rng, MIDDLE_AGE.get(hobby, 42), 13), 88)
        country = _draw(rng, _zipf(ORIGINS, 2.0))
        satisfaction = _between(1, _bell(rng, 4.2 if reason in THEMES[0] else 3.7, 0.9), 5)
        yield f"V{number:04d}", age, country, reason, hobby, satisfaction


def _pairs(rng: Random) -> list[tuple[str, str]]:
    """The pairs of answers that were given, likeliest first."""
    score: dict[tuple[str, str], float] = {}
    for i, reason in enumerate(REASONS):
        for j, hobby in enumerate(HOBBIES):
            common = sum(reason in theme and hobby in theme for theme in THEMES)
            likely = -math.log(i + 2) - math.log(j + 2) + 0.9 * common + 1.2 * (reason == hobby)
            score[reason, hobby] = likely - 0.4 * math.log(-math.log(rng.random()))
    return sorted(score, key=lambda pair: -score[pair])[:PAIRS]


def _pair_counts() -> list[int]:
    """Visitors per pair: by Zipf from the largest down, then those given once."""
    repeated, total = PAIRS - UNIQUE, VISITORS - UNIQUE

    def counts(exponent: float) -> list[int]:
        return [max(2, round(LARGEST / rank**exponent)) for rank in range(1, repeated + 1)]

    exponent = next(step / 1000 for step in range(1, 3000) if sum(counts(step / 1000)) <= total)
    falling = counts(exponent)
    for rank in range(total - sum(falling)):
        falling[1 + rank] += 1  # what rounding left over
    return falling + [1] * UNIQUE


# ---------------------------------------------------------------------- patients of a hospital

PATIENTS = 1200

OCCUPATIONS = _listed(
    "retiree,salesperson,clerk,teacher,student,nurse,driver,waiter,homemaker,cook,farmer,electrician,"
    "mechanic,receptionist,engineer,accountant,carpenter,programmer,bricklayer,hairdresser,plumber,"
    "police officer,gardener,social worker,baker,technician,lawyer,butcher,security guard,firefighter,"
    "physician,welder,librarian,journalist,pharmacist,musician,soldier,architect,fisherman,translator,"
    "dentist,veterinarian,beekeeper,actor,judge,blacksmith"
)
BIRTHPLACES = _listed(
    "Spain,Morocco,Romania,Colombia,Ecuador,Argentina,United Kingdom,France,Germany,Italy,Peru,Venezuela,"
    "Portugal,Bulgaria,Ukraine,Brazil,Poland,Senegal,Cuba,Netherlands,Bolivia,India,Sweden,Japan"
)
# Diagnosis, most frequent first: middle age, treatments.
DIAGNOSES: dict[str, tuple[int, str]] = {
    "hypertension": (64, "diuretic,beta blocker,diet"),
    "lumbago": (49, "ibuprofen,physical therapy,massage,bed rest"),
    "influenza": (40, "bed rest,acetaminophen,antiviral"),
    "bronchitis": (52, "antibiotic,bronchodilator,bed rest"),
    "migraine": (38, "aspirin,codeine,bed rest"),
    "diabetes mellitus": (61, "insulin,diet"),
    "osteoarthritis": (66, "ibuprofen,physical therapy"),
    "gastritis": (45, "antacid,diet"),
    "asthma": (33, "bronchodilator,corticosteroid"),
    "depression": (44, "antidepressant,psychotherapy"),
    "tonsillitis": (24, "penicillin,antibiotic"),
    "cystitis": (43, "antibiotic"),
    "headache": (37, "aspirin,acetaminophen"),
    "sinusitis": (36, "antibiotic,corticosteroid"),
    "sciatica": (52, "ibuprofen,physical therapy,codeine"),
    "colic": (35, "codeine,bed rest"),
    "appendicitis": (26, "appendectomy"),
    "eczema": (31, "corticosteroid,antihistamine"),
    "pneumonia": (63, "hospitalization,antibiotic"),
    "insomnia": (51, "psychotherapy,diet"),
    "angina pectoris": (67, "beta blocker,aspirin,hospitalization"),
    "tendinitis": (43, "ibuprofen,physical therapy"),
    "hay fever": (29, "antihistamine"),
    "anemia": (40, "diet"),
    "stomachache": (30, "antacid,diet"),
    "otitis media": (22, "antibiotic"),
    "hypothyroidism": (50, "diet"),
    "sprain": (30, "physical therapy,ibuprofen"),
    "fracture": (47, "hospitalization,physical therapy"),
    "stroke": (71, "hospitalization,rehabilitation"),
    "heart failure": (74, "diuretic,hospitalization"),
    "peptic ulcer": (52, "antacid,antibiotic"),
    "psoriasis": (44, "corticosteroid"),
    "gout": (60, "ibuprofen,diet"),
    "rheumatoid arthritis": (55, "corticosteroid,physical therapy"),
    "conjunctivitis": (29, "antibiotic,antihistamine"),
    "glaucoma": (66, "beta blocker"),
    "hepatitis": (46, "antiviral,diet"),
    "pancreatitis": (54, "hospitalization,diet"),
    "epilepsy": (34, "hospitalization"),
    "tuberculosis": (45, "antibiotic,hospitalization"),
    "multiple sclerosis": (41, "corticosteroid,rehabilitation"),
    "leukemia": (58, "chemotherapy"),
    "melanoma": (56, "chemotherapy"),
    "malaria": (36, "hospitalization"),
}
COSTLY = {
    "hospitalization": 2900, "appendectomy": 3400, "chemotherapy": 5200, "rehabilitation": 1500,
    "psychotherapy": 480, "physical therapy": 310, "insulin": 260,
}  # fmt: skip
FIRST = ("Al", "Bri", "Cor", "Da", "El", "Fio", "Ga", "Hel", "Iso", "Jo", "Ka", "Lu", "Mi", "No", "Ori", "Ta")
GIVEN = ("ana", "bel", "dor", "ela", "fin", "gor", "ina", "len", "mar", "nor", "ric", "sia", "ton", "vin")
HOUSE = ("brook", "dell", "field", "gate", "hurst", "land", "mere", "quist", "stead", "vale", "wick", "worth")


def patients(rng: Random) -> Iterator[Row]:
    """Header, then one patient a row, in the order they were admitted."""
    yield "name", "age", "occupation", "country", "diagnosis", "treatment", "cost"
    diagnoses = _zipf([*DIAGNOSES], 0.8)
    jobs = {
        job: weight for job, weight in _zipf(OCCUPATIONS, 0.8).items() if job not in ("retiree", "student")
    }
    for _ in range(PATIENTS):
        diagnosis = _draw(rng, diagnoses)
        middle, treatments = DIAGNOSES[diagnosis]
        age = _between(16, _bell(rng, middle, 14), 94)
        if age >= 67:
            occupation = "retiree"
        elif age <= 22 and rng.random() < 0.7:
            occupation = "student"
        else:
            occupation = _draw(rng, jobs)
        if rng.random() < 0.02:
            occupation = ""  # not asked
        treatment = _draw(rng, _zipf(_listed(treatments), 1.0))
        cost = COSTLY.get(treatment, 90) * math.exp(_bell(rng, 0, 0.45))
        country = _draw(rng, _zipf(BIRTHPLACES, 1.9))
        yield _name(rng), age, occupation, country, diagnosis, treatment, f"{cost:.2f}"


def _name(rng: Random) -> str:
    """A name that nobody has, we hope."""
    given, house = _pick(rng, FIRST) + _pick(rng, GIVEN), _pick(rng, FIRST) + _pick(rng, HOUSE)
    return f"{given} {house}"


# ---------------------------------------------------------------------- drawing


def _zipf(items: Sequence[str], exponent: float) -> dict[str, float]:
    """Weights that fall with the rank."""
    return {item: rank**-exponent for rank, item in enumerate(items, 1)}


def _draw(rng: Random, weights: Mapping[str, float]) -> str:
    left = rng.random() * sum(weights.values())
    for item, weight in weights.items():
        left -= weight
        if left < 0:
            return item
    return item


def _pick(rng: Random, items: Sequence[str]) -> str:
    return items[int(rng.random() * len(items))]


def _bell(rng: Random, middle: float, spread: float) -> float:
    """Near enough to normal: twelve uniform numbers have variance one."""
    return middle + spread * (sum(rng.random() for _ in range(12)) - 6)


def _between(least: int, x: float, most: int) -> int:
    return min(max(round(x), least), most)


def _shuffled(items: Sequence[T], rng: Random) -> list[T]:
    keys = [rng.random() for _ in items]
    return [items[i] for i in sorted(range(len(items)), key=lambda i: keys[i])]


# ---------------------------------------------------------------------- writing


def samples() -> dict[str, bytes]:
    """The content of each file, by its name."""
    made = {}
    for name, rows in (("survey.csv", survey), ("patients.csv", patients)):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(rows(Random(SEED)))
        made[name] = text.getvalue().encode()
    return made


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, content in samples().items():
        (folder / name).write_bytes(content)
