"""Forty-odd habits of exports, each a small table, through the command: `init`, `link`, `anonymize --report`.

A table goes through once somebody has decided what its draft leaves open, or stops with one message that says
what to do. `ugly/README.md` lists the habits; files that are not text are made here.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy
from typing import Any

import polars as pl
import pyreadstat
import pytest
import yaml
from openpyxl import Workbook

from ontomask.cli import main

UGLY = Path(__file__).parent / "ugly"
Run = Callable[..., tuple[int, str, str]]
Decisions = Mapping[str, Mapping[str, Any]]

MASK = {"role": "quasi-identifier"}
NUMBER = {"role": "quasi-identifier", "kind": "numeric", "ontology": None}
DATE = {"role": "quasi-identifier", "kind": "date"}
FLAT = {"role": "quasi-identifier", "ontology": "flat"}
DROP = {"role": "identifier"}
KEEP = {"role": "confidential"}
STUDY = {"role": "confidential", "ontology": None, "under": None, "kind": None}
"""Kept as it is, although the draft would mask it."""


@dataclass(frozen=True)
class Case:
    """What somebody decides about a table, and what comes of it."""

    file: str
    decided: Decisions = field(default_factory=dict)
    """Keys that are written into the draft, by column; None takes a key away."""
    mapping: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Concepts chosen for values that are doubtful or unknown, by column."""
    refused: tuple[tuple[Decisions, str], ...] = ()
    """Decisions that are tried before and stop, and what is said then."""
    says: tuple[str, ...] = ()
    """Of what the draft and then the run tell, in this order."""
    written: str = ""
    """A pattern that every row of the release matches."""
    separator: str = ","
    encoding: str = "utf-8"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the plan."""

    def __str__(self) -> str:
        return self.file


HOBBY = r"(fishing|chess|golf|hiking|tennis|gardening)"
GOES_THROUGH = [
    # ---- how the text of a file is written
    Case("bom.csv", encoding="utf-8-sig", written=HOBBY + r",\d\d"),
    Case(
        "latin1_semicolon.csv",
        {"peso": MASK, "diagnóstico": MASK | {"ontology": "wordnet"}},
        mapping={"diagnóstico": {"bronquitis": "bronchitis", "migraña": "migraine", "úlcera": "ulcer"}},
        says=("was read as cp1252", "column 'peso': its numbers have a decimal comma"),
        written=r"[^;]+;[^;]+;\d+,\d+;[^;]+",
        separator=";",
        encoding="cp1252",
    ),
    Case(
        "spanish_titles.csv",
        {"unidad": KEEP},
        says=("was read as cp1252", "rows 1 to 3, above the column names, are not released"),
        written=r"[HM];\d+;\d+;(Urgencias|Cirugía|Pediatría)",
        separator=";",
        encoding="cp1252",
    ),
    Case(
        "spanish_titles.xlsx",
        {"historia": DROP, "edad": MASK},
        written=r"[^,]+,\d\d,.+",
        says=("rows 1 to 3, above the column names, are not released",),
    ),
    Case("utf16_excel.txt", says=("UTF-16",), separator="\t", encoding="utf-16", written=r"[\w ,]+\t\d\d"),
    Case("cr_only.csv", {"age": MASK}, written=HOBBY + r",\d\d"),
    Case("mixed_line_ends.csv", written=HOBBY + r",\d\d"),
    Case(
        "tabs.tsv",
        {"age": MASK, "note, or remark": STUDY},
        written=r"\w+,\d\d,(seen, treated|sent home)",
    ),
    Case("pipes.txt", {"age": MASK}, separator="|", written=r"[^|]+\|\d\d\|(A1|B2)"),
    Case("quotes_inside.csv", {"remark": STUDY}, written=HOBBY + r',\d\d,(said "fine", left|5" scar|none)'),
    Case("embedded_newlines.csv", {"age": MASK}, written=HOBBY + r",\d\d"),
    Case(
        "two_header_rows.csv",
        {"age": MASK, "ward": STUDY},
        says=("row 1, above the column names, is not released",),
        written=HOBBY + r",\d+,\d+,(heart|lung)",
    ),
    # ---- numbers
    Case(
        "thousands_dots.csv",
        {"income": NUMBER, "weight": MASK},
        says=("'income': its numbers have a decimal comma and point between thousands",),
        separator=";",
        written=r"\w+;\d\d\.\d{3};\d\d,\d+",
    ),
    Case("thousands_alone.csv", {"income": NUMBER}, separator=";", written=r"\w+;\d+\.\d+"),
    Case(
        "thousands_comma.csv",
        {"income": NUMBER | {"thousands": ","}},
        refused=(({"income": NUMBER}, "may be read in two ways: 12.328 or 12328"),),
        separator=";",
        written=r"\w+;\d\d,\d{3}",
    ),
    Case(
        "currency.csv",
        {"income": MASK},
        written=r"\w+,\$\d+",
    ),
    Case(
        "percent.csv",
        {"share": MASK},
        written=r"\w+,\d+ %",
    ),
    Case(
        "units.csv",
        {"weight": MASK},
        written=r"\w+,\d+ kg",
    ),
    Case(
        "below_limit.csv",
        {"age": NUMBER | {"top": 90}, "lead": NUMBER | {"bottom": 5}},
        refused=(
            ({"age": NUMBER, "lead": NUMBER}, "'>90' is not a number but a limit.*'<5' is not a number"),
        ),
        says=("13 rows had a limit for a number and became `top`",),
        written=r"\d\d,\d+",
    ),
    Case("negative_and_exponent.csv", {"balance": MASK}, written=HOBBY + r",-?\d+,\d+"),
    Case("leading_zeros.csv", {"record": DROP, "branch": STUDY}, written=r"\w+,(007|010|021)"),
    Case(
        "na_marks.csv",
        {"age": MASK | {"na_values": ["999", "-"]}, "visits": NUMBER},
        written=r"(NA|[a-z]+),\d*,[\d.]+",
    ),
    # ---- days
    Case(
        "dates_four_formats.csv",
        {"born": MASK, "admitted": MASK, "discharged": KEEP, "called": DROP},
        written=r"\d\d/\d\d/\d{4},\d{4}-\d\d-\d\d,\d\d\.\d\d\.\d{4}",
    ),
    Case(
        "dates_two_in_one.csv",
        {"admitted": DROP},
        refused=(({"admitted": DATE}, "written in two ways: 14 rows as %d/%m/%Y, 10 as %Y-%m-%d"),),
    ),
    Case(
        "dates_ambiguous.csv",
        {"admitted": DATE | {"format": "%d/%m/%Y"}},
        refused=(({"admitted": DATE}, "%d/%m/%Y and %m/%d/%Y read all of its dates"),),
        written=r"\w+,\d\d/\d\d/2022",
    ),
    Case(
        "dates_excel_serial.csv",
        {"admission_date": NUMBER},
        refused=(({"admission_date": DATE}, "'44039' is not a date"),),
        written=r"\w+,4\d{4}",
    ),
    Case(
        "times.csv",
        {"arrived": DATE, "time_of_day": DROP},
        refused=(({"arrived": DATE, "time_of_day": DATE}, "'time_of_day'.*a time of day alone"),),
        written=HOBBY + r",20\d\d-\d\d-\d\d \d\d:\d\d:\d\d",
    ),
    Case("year_only.csv", {"year_of_birth": MASK}, written=r"(19|20)\d\d,\w+"),
    # ---- categories
    Case("booleans.csv", {"insured": FLAT}, written=r"\w+,(TRUE|FALSE),[01],[tf]"),
    Case("yes_no_languages.csv", {"smoker": FLAT}, written=HOBBY + r",(No|nein|ja|\*)"),
    Case(
        "integer_codes.csv",
        {"age": MASK, "sex": MASK, "chest_pain": MASK, "thal": MASK},
        written=r"\d\d,[01],[1-4],[367]",
    ),
    Case("several_answers.csv", written=HOBBY + "(; " + HOBBY + r")*,\d\d"),
    Case("json_cells.csv", {"answers": KEEP}, written=HOBBY + r',\{"q1": \d, "q2": "[ab]"\}'),
    Case("long_text.csv", {"history": DROP}, written=HOBBY),
    Case("lookalikes.csv", written=HOBBY + r",(L\u200b?yon|Nice)"),
    Case("spellings.csv", {"hobby": MASK}, written=HOBBY + r",[a-z]+"),
    Case(
        "icd_codes.csv",
        {"diagnosis_code": MASK | {"write": "code"}, "age": MASK},
        mapping={"diagnosis_code": {"J45.0": "J45", "J450": "J45"}},
        written=r"[A-Z]\d\d[^,]*,\d\d",
    ),
    Case("postcodes.csv", {"postcode": FLAT, "age": MASK}, written=r"(0\d{4}|\*),\d\d"),
    # ---- shapes
    Case("one_column.csv", written=HOBBY),
    Case("all_missing.csv", {"age": MASK}, written=HOBBY + r",\d\d,"),
    Case("constant.csv", {"age": MASK}, written=HOBBY + r",\d\d,Spain"),
    Case("wide.csv", {"person": DROP, **{f"item_{i}": KEEP for i in range(298)}}),
    Case("polars_lists.parquet", {"age": MASK, "sex": FLAT | {"kind": None}}),
    Case("value_labels.dta", {"age": MASK}),
    Case("value_labels.sav", {"age": MASK}),
]


@dataclass(frozen=True)
class Stop:
    """A table that is not read before somebody has seen to it, and what is said."""

    file: str
    says: str
    decided: Decisions | None = None
    """Given if `init` can draft it, so that it is the release which stops."""

    def __str__(self) -> str:
        return self.file


STOPS = [
    Stop(
        "one_row.csv",
        "k = 2 is more than the 1 records of the table; choose a smaller k",
        {"hobby": MASK | {"ontology": "wordnet"}, "age": MASK},
    ),
    Stop("blank_lines.csv", r"blank_lines.csv, line 2: the line is blank; remove it"),
    Stop("footer_totals.csv", r"line 26: this looks like a note"),
    Stop(
        "footer_note.csv",
        "line 26: this looks like a note or a total below the table, not a row of it; remove it and what ",
    ),
    Stop("blank_name.csv", r"column 1 has no name; give it one in the header"),
    Stop("trailing_separators.csv", r"column 3 has no name; give it one in the header"),
    Stop("duplicated_names.csv", r"the column name 'age' stands twice \(columns 2, 3\); rename one"),
    Stop("ragged.csv", r"line 2: expected 3 fields, found 2"),
    Stop("header_only.csv", r"the table has column names but no rows"),
    Stop("packed.csv.gz", "unpack"),
    Stop("packed.zip", "unpack"),
]


# ---------------------------------------------------------------------- files that are not text


def people(n: int = 24) -> pl.DataFrame:
    """The table of the files that are not text."""
    hobbies, jobs = ("fishing", "chess", "golf", "hiking"), ("nurse", "teacher", "cook")
    return pl.DataFrame(
        {
            "hobby": [hobbies[i % 4] for i in range(n)],
            "job": [jobs[i % 3] for i in range(n)],
            "sex": [1.0 + i // 4 % 2 for i in range(n)],
            "age": [20.0 + (7 * i) % 50 for i in range(n)],
        }
    )


LABELS = {"sex": {1: "male", 2: "female"}}


def spanish_xlsx(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Hospital de San Juan"])
    sheet.append(["Altas de 2023", None, None, None])
    sheet.append([])
    sheet.append(["historia", "sexo", "edad", "ocupación"])
    for at, row in enumerate(people().iter_rows(named=True)):
        job = {"nurse": "enfermera", "teacher": "maestro", "cook": "cocinero"}[row["job"]]
        sheet.append([f"H{at:04}", "mujer" if row["sex"] == 2 else "hombre", row["age"], job])
    book.save(path)


def lists_parquet(path: Path) -> None:
    frame = people().with_columns(
        pl.concat_list("hobby", pl.col("hobby").reverse()).list.unique(maintain_order=True),
        pl.col("job").cast(pl.Categorical),
        pl.col("age").cast(pl.Int16),
    )
    frame.write_parquet(path)


def packed_gz(path: Path) -> None:
    path.write_bytes(gzip.compress((UGLY / "one_column.csv").read_bytes(), mtime=0))


def packed_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(UGLY / "one_column.csv", "one_column.csv")


MADE: dict[str, Callable[[Path], None]] = {
    "spanish_titles.xlsx": spanish_xlsx,
    "polars_lists.parquet": lists_parquet,
    "value_labels.dta": lambda path: pyreadstat.write_dta(people(), path, variable_value_labels=LABELS),
    "value_labels.sav": lambda path: pyreadstat.write_sav(people(), path, variable_value_labels=LABELS),
    "packed.csv.gz": packed_gz,
    "packed.zip": packed_zip,
}


# ---------------------------------------------------------------------- the command


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in a folder of its own: exit code, standard output, standard error on one line."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ontomask", *arguments, "--quiet", "--show-values"])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return code, said.out, " ".join(said.err.split())

    return command


def table_of(name: str) -> str:
    """The table, copied to or made in the working folder."""
    if name in MADE:
        MADE[name](Path(name))
    else:
        copy(UGLY / name, name)
    return name


def drafted(run: Run, table: str) -> tuple[dict[str, Any], str]:
    """The draft of `init`, which is refused as long as it has an undecided column, and what is told."""
    code, _, told = run("init", table, "-o", "draft.yaml")
    assert code == 0, told
    draft: dict[str, Any] = yaml.safe_load(Path("draft.yaml").read_text(encoding="utf-8"))
    undecided = [name for name, entry in draft["attributes"].items() if entry["role"] == "undecided"]
    if undecided:
        code, _, said = run("anonymize", table, "--plan", "draft.yaml", "-o", "release.csv")
        assert code == 2 and "is undecided" in said
        unnamed = [name for name in undecided if f"column {name!r}" not in said]
        assert unnamed == [] or f"and {len(unnamed)} more" in said
        assert not Path("release.csv").exists()
    return draft, told


def decided_plan(draft: dict[str, Any], decisions: Decisions, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The draft with what somebody decided in the place of what was open.

    By SA-MDAV: what is judged is how values are read and written, and its centroids are mostly values.
    """
    attributes = {
        name: {k: v for k, v in (entry | dict(decisions.get(name, {}))).items() if v is not None}
        for name, entry in draft["attributes"].items()
    }
    assert set(decisions) <= set(attributes)
    return draft | {"method": {"name": "sa-mdav"}} | dict(settings) | {"attributes": attributes}


def write_plan(plan: Mapping[str, Any]) -> str:
    Path("plan.yaml").write_text(yaml.safe_dump(dict(plan), allow_unicode=True), encoding="utf-8")
    return "plan.yaml"


PASSED = {"chess": "chess.n.02"}  # doubtful, since `under` rules its first sense out, and right


def review(run: Run, table: str, plan: dict[str, Any], case: Case) -> dict[str, Any]:
    """The plan with mappings of the case, after which no value of its columns is unknown or in doubt."""
    for column, concepts in case.mapping.items():
        file = f"{column}_mapping.csv"
        code, _, said = run("link", table, "--plan", write_plan(plan), "--column", column, "-o", file)
        assert code == 0, said
        with Path(file).open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert set(concepts) <= {row["value"] for row in rows}
        with Path(file).open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, list(rows[0]))
            writer.writeheader()
            writer.writerows(row | {"concept": concepts.get(row["value"], row["concept"])} for row in rows)
        plan["attributes"][column]["mapping"] = file
    for column, entry in plan["attributes"].items():
        if entry["role"] != "quasi-identifier" or entry.get("ontology", "flat") == "flat":
            continue
        code, said, complaint = run("link", table, "--plan", write_plan(plan), "--column", column, "--json")
        assert code == 0, complaint
        found = json.loads(said)
        found = found.get(column, found)
        in_doubt = {value.strip().lower(): found["links"][value] for value in found["doubtful"]}
        assert in_doubt.items() <= PASSED.items() and not found["unlinked"], column
    return plan


# ---------------------------------------------------------------------- what must happen


@pytest.mark.parametrize("case", GOES_THROUGH, ids=str)
def test_goes_through_once_somebody_decided(run: Run, case: Case, request: pytest.FixtureRequest) -> None:
    table = table_of(case.file)
    if case.file == "icd_codes.csv":
        request.getfixturevalue("icd10cm")  # held, so that four commands read it once
    draft, told = drafted(run, table)
    output = ("-o", "release.csv", "--report", "report.html")
    for decisions, message in case.refused:
        plan = write_plan(decided_plan(draft, decisions, case.settings))
        code, _, said = run("anonymize", table, "--plan", plan, *output)
        assert code == 2 and re.search(message, said), said
        assert not Path("release.csv").exists() and not Path("report.html").exists()
    settled = review(run, table, decided_plan(draft, case.decided, case.settings), case)
    code, _, said = run("anonymize", table, "--plan", write_plan(settled), *output)
    assert code == 0, said
    assert re.search(".*".join(map(re.escape, case.says)), f"{told} {said}"), f"{told} {said}"
    with Path("release.csv").open(encoding=case.encoding, newline="") as file:
        rows = list(csv.DictReader(file, delimiter=case.separator))
    roles = {name: entry["role"] for name, entry in settled["attributes"].items()}
    assert list(rows[0]) == [name for name, role in roles.items() if role != "identifier"]
    masked = [name for name, role in roles.items() if role == "quasi-identifier"]
    assert masked and min(Counter(tuple(row[name] for name in masked) for row in rows).values()) >= 5
    for row in rows:
        line = case.separator.join(row.values())
        assert re.fullmatch(case.written or r"(?s).*", line), line
    page = Path("report.html").read_text(encoding="utf-8")
    assert "release.csv" in page and all(name in page for name in masked)


@pytest.mark.parametrize("stop", STOPS, ids=str)
def test_stops_with_the_one_right_message(run: Run, stop: Stop) -> None:
    table = table_of(stop.file)
    if stop.decided is None:
        code, _, said = run("init", table, "-o", "draft.yaml")
    else:
        plan = write_plan(decided_plan(drafted(run, table)[0], stop.decided, {}))
        code, _, said = run("anonymize", table, "--plan", plan, "-o", "release.csv")
    assert code == 2 and re.search(stop.says, said), said
    assert Path("draft.yaml").exists() == (stop.decided is not None) and not Path("release.csv").exists()


def test_every_table_is_listed_and_used() -> None:
    """Forty at least, each with its habit and what must happen."""
    lines = (UGLY / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [re.split(r" *\| *", line)[1:4] for line in lines if line.startswith("| `")]
    listed = [file.strip("`") for file, habit, happens in rows if habit and happens]
    there = {path.name for path in UGLY.iterdir()} - {"README.md", ".gitattributes"}
    used = [one.file for one in (*GOES_THROUGH, *STOPS)]
    assert sorted(listed) == sorted(used) == sorted({*used}) == sorted(there | set(MADE))
    assert len(used) >= 40
