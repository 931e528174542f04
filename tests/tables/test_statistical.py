"""Files of Stata, SPSS and SAS: labels for codes, missing kinds, and a release that goes back into them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

from ontomask import Plan, anonymize, init
from ontomask.errors import OntomaskError, TableError
from ontomask.tables import TableOptions, open_table
from ontomask.tables.statistical import _read, catalog_beside, labels_by_format

FRAME = pl.DataFrame(
    {
        "id": [1, 2, 3, 4, 5, 6],
        "sex": [1.0, 2.0, 1.0, 2.0, 9.0, None],
        "job": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
        "age": [31.0, 33.0, 35.0, 37.0, 999.0, None],
        "pay": [1.5, None, 3.25, 1e6, 2.0, 2.5],
        "name": ["Ann", "", "José", "Di", "Ed", "Flo"],
        "day": [dt.date(2024, 1, 5), dt.date(2020, 2, 3), None, *[dt.date(1999, 1, 1)] * 3],
    }
)
LABELS = {
    "sex": {1: "male", 2: "female", 9: "refused", 8: "nobody has this"},
    "job": {1: "nurse", 2: "teacher"},
    "age": {999: "not asked"},
}
TITLES = {"sex": "Sex of the person", "job": "Occupation"}


def written(folder: Path, suffix: str) -> Path:
    path = folder / f"people{suffix}"
    if suffix == ".dta":
        pyreadstat.write_dta(FRAME, path, column_labels=TITLES, variable_value_labels=LABELS)
    elif suffix == ".sav":
        missing: dict[str, list[Any]] = {"sex": [9]}
        pyreadstat.write_sav(
            FRAME, path, column_labels=TITLES, variable_value_labels=LABELS, missing_ranges=missing
        )
    elif suffix == ".por":
        plain = FRAME.rename(str.upper).with_columns(NAME=pl.lit("Ann"))
        pyreadstat.write_por(plain.drop("DAY"), path)
    else:
        pyreadstat.write_xport(FRAME, path)
    return path


@pytest.mark.parametrize("suffix", [".dta", ".sav"])
def test_values_are_read_as_their_labels(tmp_path: Path, suffix: str) -> None:
    table = open_table(written(tmp_path, suffix))
    assert table.names == tuple(FRAME.columns)
    sexes = ["female", "male", None] if suffix == ".sav" else ["female", "male", "refused", None]
    assert table.distinct("sex")[0] == sexes  # SPSS knows which code means that there is no answer
    assert table.distinct("job")[0] == ["nurse", "teacher"]
    assert table.distinct("age")[0] == ["31", "33", "35", "37", "999", None]
    assert table.distinct("day")[0] == ["1999-01-01", "2020-02-03", "2024-01-05", None]
    assert table.distinct("name")[0][-1] is None
    assert table.notes == ("column 'age' is read as codes: not all have a label",)
    codes = open_table(table.path, TableOptions(values="codes"))
    assert codes.distinct("job")[0] == ["1", "2"] and codes.notes == ()


def test_a_catalog_of_sas_is_found_beside_its_table(tmp_path: Path) -> None:
    """Nothing writes such files, so what is tried is what surrounds their reader."""
    table = tmp_path / "People.sas7bdat"
    assert catalog_beside(table) is None
    (tmp_path / "formats.sas7bcat").write_bytes(b"")
    (tmp_path / "others.sas7bcat").write_bytes(b"")
    assert catalog_beside(table) == tmp_path / "formats.sas7bcat"
    (tmp_path / "people.SAS7BCAT").write_bytes(b"")
    assert catalog_beside(table) == tmp_path / "people.SAS7BCAT"


def test_labels_of_a_catalog_are_those_of_the_formats_of_variables() -> None:
    formats = {"SEXF": {1.0: "male"}, "$TOWN": {"B": "Bonn"}}
    found = labels_by_format({"sex": "sexf", "town": "$TOWN.", "age": "BEST", "note": ""}, formats)
    assert found == {"sex": {1.0: "male"}, "town": {"B": "Bonn"}}


def test_a_damaged_catalog_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.sas7bcat"
    path.write_bytes(b"no catalog" * 400)
    with pytest.raises(TableError, match=r"people\.sas7bcat: not a readable catalog of SAS") as caught:
        _read(pyreadstat.read_sas7bcat, path, path.read_bytes(), TableOptions())
    assert "values: codes" in caught.value.faults[0].remedy


@pytest.mark.parametrize("suffix", [".por", ".xpt"])
def test_other_files_are_read(tmp_path: Path, suffix: str) -> None:
    table = open_table(written(tmp_path, suffix))
    age = next(name for name in table.names if name.lower() == "age")
    assert table.distinct(age)[0] == ["31", "33", "35", "37", "999", None]


PLAN = Plan.from_dict(
    {
        "attributes": {
            "id": {"role": "identifier"},
            "sex": {"role": "other"},
            "job": {"role": "quasi-identifier", "ontology": "wordnet", "under": "person"},
            "age": {"role": "quasi-identifier", "kind": "numeric", "na_values": ["999"]},
            **{name: {"role": "other"} for name in ("pay", "name", "day")},
        },
        "privacy": {"k": 2},
        "method": {"name": "recoding"},
    }
)


@pytest.mark.parametrize("suffix", [".dta", ".sav"])
@pytest.mark.parametrize("target", [".dta", ".sav", ".csv", ".parquet"])
def test_a_release_goes_back(tmp_path: Path, suffix: str, target: str) -> None:
    release = anonymize(written(tmp_path, suffix), PLAN)
    release.write(tmp_path / f"out{target}")
    back = open_table(tmp_path / f"out{target}")
    assert back.names == ("sex", "job", "age", "pay", "name", "day")
    source = open_table(tmp_path / f"people{suffix}")
    for name in ("sex", "pay", "name", "day"):
        assert back.distinct(name)[0] == source.distinct(name)[0]
    assert set(back.distinct("job")[0]) == set(release.to_arrow()["job"].to_pylist())
    if target in (".dta", ".sav"):
        read = pyreadstat.read_dta if target == ".dta" else pyreadstat.read_sav
        cells, notes = read(tmp_path / f"out{target}", output_format="dict")
        assert cells["pay"] == [1.5, None, 3.25, 1e6, 2.0, 2.5]
        assert set(notes.variable_value_labels["sex"].values()) <= {"male", "female", "refused"}
        assert notes.column_names_to_labels["sex"] == "Sex of the person"
        assert cells["sex"][:4] == [1.0, 2.0, 1.0, 2.0]


def test_codes_of_masked_columns_go_back_if_all_have_one(tmp_path: Path) -> None:
    release = anonymize(written(tmp_path, ".dta"), PLAN)
    release.write(tmp_path / "out.dta")
    cells, notes = pyreadstat.read_dta(tmp_path / "out.dta", output_format="dict")
    texts = release.to_arrow()["job"].to_pylist()
    if set(texts) <= set(LABELS["job"].values()):
        assert [notes.variable_value_labels["job"][code] for code in cells["job"]] == texts
    truthful = PLAN.replace(release="truthful", privacy={"k": 6}, method={"name": "sa-mdav"})
    anonymize(tmp_path / "people.dta", truthful).write(tmp_path / "wide.dta")
    cells, notes = pyreadstat.read_dta(tmp_path / "wide.dta", output_format="dict")
    assert "job" not in notes.variable_value_labels and len({*cells["job"]}) == 1
    assert isinstance(cells["job"][0], str)


def test_a_text_file_becomes_one_of_stata(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,job\n31,cook\n32,\n33,nurse\n34,nurse\n")
    plan = Plan.from_options(["age:numeric"], [], ["job"], k=2)
    anonymize(tmp_path / "a.csv", plan).write(tmp_path / "a.dta")
    assert open_table(tmp_path / "a.dta").distinct("job")[0] == ["cook", "nurse", None]


def test_draft_of_a_labelled_file(tmp_path: Path) -> None:
    profile = init(written(tmp_path, ".sav"))
    assert profile["job"].kind == "nominal" or profile["job"].kind == "ordinal"
    assert "age" in profile.notes[0]


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".por", ".xpt", ".sas7bdat"])
def test_damaged_files(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(b"nothing of the sort" * 20)
    with pytest.raises(TableError, match="not a readable file of Stata, SPSS or SAS"):
        open_table(tmp_path / f"a{suffix}")


def test_what_has_no_place(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("my age,job\n31,cook\n32,cook\n")
    release = anonymize(tmp_path / "a.csv", Plan.from_options(["my age:numeric"], [], ["job"], k=2))
    with pytest.raises(TableError, match=r"a .dta file has no place for this release"):
        release.write(tmp_path / "a.dta")
    for suffix in (".por", ".sas7bdat"):
        with pytest.raises(OntomaskError, match="cannot be written"):
            release.write(tmp_path / f"a{suffix}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
