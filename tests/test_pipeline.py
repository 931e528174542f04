"""The whole flow through the API: what is released, for every method, kind of column and kind of table."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import InternalError
from ontomask.masking import texts_of
from ontomask.methods import Masking
from ontomask.methods.sa_mdav import SaMdav
from ontomask.privacy import REQUIREMENTS, Classes, Requirement

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
TREE = """\
illness:
  infection: [flu, measles]
  injury: [fracture, burn]
"""
HOBBIES = ("fishing", "chess", "swimming", "sport", "sports", "tennis", "painting", "")
ILLNESSES = ("flu", "measles", "fracture", "burn", "NA")
GRADES = ("low", "mid", "high", "?")
QI = ("hobby", "illness", "age", "grade")


def rows_of(n: int, seed: int = 3) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [
        [
            f"P{i:03d}",
            str(rng.choice(HOBBIES)),
            str(rng.choice(ILLNESSES)),
            str(rng.choice(["", "21", "34.5", "50", "67"])),
            str(rng.choice(GRADES)),
            f"{i:04d}",
        ]
        for i in range(n)
    ]


HEADER = ["name", *QI, "code"]


def write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    return path


def read(path: Path, separator: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=separator))


def classes(rows: list[dict[str, str]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[name] for name in QI) for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "illness.yaml").write_text(TREE)
    write(tmp_path / "people.csv", rows_of(60))
    return tmp_path


def plan_of(folder: Path, **changes: Any) -> om.Plan:
    settings: dict[str, Any] = {
        "attributes": {
            "name": {"role": "identifier"},
            "hobby": {"role": "quasi-identifier", "ontology": "wordnet"},
            "illness": {"role": "quasi-identifier", "ontology": "illness.yaml"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "grade": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
            "code": {"role": "other"},
        },
        "privacy": {"k": 3},
        "seed": 7,
    }
    return om.Plan.from_dict(settings | changes, folder=folder)


METHODS: list[dict[str, Any]] = [
    {"name": "sa-mdav"},
    {"name": "sa-mdav", "weighted": True},
    {"name": "sa-mdav", "static": True},
    {"name": "recoding"},
    {"name": "recoding", "weighted": True},
    {"name": "recoding", "h1": False},
    {"name": "recoding", "h2": False},
    {"name": "recoding", "distributional": True},
    {"name": "s-mdav"},
    {"name": "mdav"},
    {"name": "mdav-equality"},
    {"name": "mdav-lcs"},
    *({"name": "resampling", "setting": s} for s in ("semantic", "equality-mode", "wup-mode", "wup-lcs")),
]
WHOLE_TUPLES = [m for m in METHODS if m["name"] in ("sa-mdav", "recoding")]


def named(method: dict[str, Any]) -> str:
    return "-".join(str(part) for item in method.items() for part in item if part != "name")


# ---------------------------------------------------------------------- every method


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_what_is_written_is_k_anonymous_and_the_rest_is_as_it_was(
    folder: Path, method: dict[str, Any]
) -> None:
    release = om.anonymize(folder / "people.csv", plan_of(folder, method=method))
    release.write(folder / "release.csv")
    before, after = read(folder / "people.csv"), read(folder / "release.csv")
    assert list(after[0]) == [*QI, "code"]
    assert [row["code"] for row in after] == [row["code"] for row in before]
    sizes = classes(after)
    assert min(sizes.values()) >= 3
    assert release.figures["n"] == len(before)
    assert release.figures["classes"] == len(sizes)
    assert release.figures["smallest_class"] == min(sizes.values())


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_the_same_seed_gives_the_same_bytes(folder: Path, method: dict[str, Any]) -> None:
    for name in ("a.csv", "b.csv"):
        om.anonymize(folder / "people.csv", plan_of(folder, method=method)).write(folder / name)
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def masked_pairs(folder: Path, rows: list[list[str]], method: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Per `code`: the original tuple and the masked one."""
    table = write(folder / "rows.csv", rows)
    om.anonymize(table, plan_of(folder, method=method)).write(folder / "out.csv")
    after = {row["code"]: tuple(row[name] for name in QI) for row in read(folder / "out.csv")}
    return {row[-1]: (tuple(row[1:-1]), after[row[-1]]) for row in rows}


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_shuffled_rows(folder: Path, method: dict[str, Any]) -> None:
    rows = [[*row[:1], row[1].replace("sports", "sport"), *row[2:]] for row in rows_of(60)]
    order = np.random.default_rng(1).permutation(len(rows))
    one = masked_pairs(folder, rows, method)
    other = masked_pairs(folder, [rows[i] for i in order], method)
    assert Counter(one.values()) == Counter(other.values())
    if method in WHOLE_TUPLES:
        assert one == other


def test_suppression_drops_or_blanks(folder: Path) -> None:
    rows = [[f"P{i}", "chess", "flu", "21", "low", f"{i}"] for i in range(4)]
    lone = [["Q", hobby, "burn", "50", "high", "lone"] for hobby in ("tennis", "golf", "football")]
    table = write(folder / "few.csv", [*rows[:2], *lone, *rows[2:]])
    dropped = om.anonymize(table, plan_of(folder, method={"name": "suppression"}))
    dropped.write(folder / "dropped.csv")
    assert [row["code"] for row in read(folder / "dropped.csv")] == ["0", "1", "2", "3"]
    blanked = om.anonymize(table, plan_of(folder, method={"name": "suppression", "blank": True}))
    blanked.write(folder / "blanked.csv")
    after = read(folder / "blanked.csv")
    assert [row["code"] for row in after] == ["0", "1", "lone", "lone", "lone", "2", "3"]
    assert {row[name] for row in after[2:5] for name in QI} <= {"", "NA", "?"}
    assert (dropped.figures["suppressed"], dropped.figures["blanked"]) == (3, 0)
    assert (blanked.figures["suppressed"], blanked.figures["blanked"]) == (0, 3)
    assert (dropped.figures["k_reached"], blanked.figures["k_reached"]) == (4, 3)
    assert "3 of 7 rows were dropped" in dropped.notes
    assert "3 of 7 rows were blanked" in blanked.notes


def test_blanked_rows_are_a_class_like_any_other(folder: Path) -> None:
    """One blanked row among others could be found by its blanks: the rarest class joins it."""
    rows = [["P", "chess", "flu", "21", "low", "a"]] * 3 + [["P", "golf", "flu", "21", "low", "b"]] * 4
    table = write(folder / "few.csv", [*rows, ["Q", "tennis", "burn", "50", "high", "lone"]])
    plan = plan_of(folder, method={"name": "suppression", "blank": True})
    release = om.anonymize(table, plan)
    assert (release.figures["blanked"], release.figures["k_reached"]) == (4, 4)
    release.write(folder / "blanked.csv")
    found = om.evaluate(table, folder / "blanked.csv", plan)
    assert {name: found[name] for name in release.figures} == pytest.approx(release.figures)
    with pytest.raises(om.OntomaskError, match="so few rows would be blanked"):
        om.anonymize(write(folder / "fewer.csv", [*rows[:3], rows[-1], rows[-1]]), plan)


# ---------------------------------------------------------------------- the file as it was


def test_rows_without_any_value_are_in_the_class_of_blanked_rows() -> None:
    steps = ["low"] * 6 + ["high"] + [None] * 7
    plan = om.Plan.from_options(["step:ordinal=low<high"], k=5, method="suppression", blank=True)
    release = om.anonymize(pa.table({"step": steps}), plan)
    assert release.to_arrow()["step"].to_pylist() == ["low"] * 6 + [None] * 8
    assert (release.figures["blanked"], release.figures["k_reached"]) == (1, 6)


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(["low", "high", None])] * 2), min_size=5, max_size=25),
    k=st.integers(2, 5),
    missing=st.sampled_from(["own-class", "suppress-row"]),
)
def test_no_class_of_a_blanked_release_is_below_k(rows: list[Any], k: int, missing: str) -> None:
    """Counted on the rows that are released, blanked or not; what cannot be so is refused."""
    qi = [f"{name}:ordinal=low<high" for name in "ab"]
    plan = om.Plan.from_options(qi, k=k, method="suppression", blank=True, missing=missing)
    a, b = (pa.array(column, pa.string()) for column in zip(*rows, strict=True))
    try:
        release = om.anonymize(pa.table({"a": a, "b": b}), plan)
    except om.OntomaskError as error:
        assert (
            "would be blanked" in str(error) or "no value at all" in str(error) or "leaves too" in str(error)
        )
        return
    classes = Counter(tuple(row.values()) for row in release.to_arrow().to_pylist())
    assert min(classes.values()) >= k and release.figures["k_reached"] == min(classes.values())


def test_separator_line_ends_mark_and_other_fields_stay(tmp_path: Path) -> None:
    source = (
        b"\xef\xbb\xbfid;hobby;note\r\n"
        b'007;fishing;"a ""b"""\r\n'
        b"1.50;fishing; x \r\n"
        b'"q";chess;"l1\r\nl2"\r\n'
        b";chess;\xc3\xa9\r\n"
    )
    (tmp_path / "t.csv").write_bytes(source)
    om.anonymize(tmp_path / "t.csv", om.Plan.from_options(["hobby"], k=2, others="keep")).write(
        tmp_path / "r.csv"
    )
    assert (tmp_path / "r.csv").read_bytes() == source  # 2-anonymous already: nothing to change
    om.anonymize(tmp_path / "t.csv", om.Plan.from_options(["hobby"], k=4, others="keep")).write(
        tmp_path / "r.csv"
    )
    written = (tmp_path / "r.csv").read_bytes()
    value = written.split(b"\r\n")[1].split(b";")[1]
    assert written == source.replace(b"fishing", value).replace(b"chess", value)


# ---------------------------------------------------------------------- missing and unmapped values


def hobbies(tmp_path: Path, *values: str) -> Path:
    path = tmp_path / "hobbies.csv"
    path.write_text("id,hobby\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)))
    return path


def released(tmp_path: Path, table: Path, **options: Any) -> tuple[list[str], om.Release]:
    release = om.anonymize(table, om.Plan.from_options(["hobby"], **({"k": 2, "others": "keep"} | options)))
    release.write(tmp_path / "r.csv")
    return [row["hobby"] for row in read(tmp_path / "r.csv")], release


def test_missing_values_are_a_class_of_their_own(tmp_path: Path) -> None:
    values, _ = released(tmp_path, hobbies(tmp_path, "chess", "", "chess", ""))
    assert values == ["chess", "", "chess", ""]


def test_rows_with_missing_values_are_dropped(tmp_path: Path) -> None:
    values, release = released(tmp_path, hobbies(tmp_path, "chess", "", "chess"), missing="suppress-row")
    assert values == ["chess", "chess"]
    assert release.figures["suppressed"] == 1


def test_missing_values_stop_the_run(tmp_path: Path) -> None:
    with pytest.raises(om.OntomaskError, match="column 'hobby': has 1 missing values"):
        released(tmp_path, hobbies(tmp_path, "chess", "", "chess"), missing="error")


def test_too_few_rows_are_complete(tmp_path: Path) -> None:
    with pytest.raises(om.OntomaskError, match="only 1 of 3 rows have no missing value"):
        released(tmp_path, hobbies(tmp_path, "chess", "", ""), missing="suppress-row")


def test_unmapped_values_stop_the_run(tmp_path: Path) -> None:
    with pytest.raises(om.OntomaskError, match="1 of 2 values have no concept in wordnet:\n  zzqy"):
        released(tmp_path, hobbies(tmp_path, "chess", "chess", "zzqy"))


@pytest.mark.parametrize(
    ("unmapped", "written"), [("root", "entity"), ("own-leaf", "zzqy"), ("suppress", "")]
)
def test_what_becomes_of_unmapped_values(tmp_path: Path, unmapped: str, written: str) -> None:
    table = hobbies(tmp_path, "chess", "zzqy", "chess", "zzqy")
    values, release = released(tmp_path, table, unmapped=unmapped)
    assert values == ["chess", written, "chess", written]
    assert any("1 value in 2 rows has no concept" in note for note in release.notes)


def test_an_unknown_word_never_stands_for_everything(tmp_path: Path) -> None:
    table = hobbies(tmp_path, "chess", "granite", "zzqy", "zzqy")
    values, _ = released(tmp_path, table, unmapped="root", k=4)
    assert len(set(values)) == 1
    assert "zzqy" not in values


def test_spellings_of_a_concept_become_the_most_frequent_one(tmp_path: Path) -> None:
    values, release = released(tmp_path, hobbies(tmp_path, "sport", "sports", "sports"), k=2)
    assert values == ["sports"] * 3
    assert len(release.tuples) == 1  # one value to the method, however it is spelt
    assert release.figures["sse"] == 0


# ---------------------------------------------------------------------- numbers


def test_numbers_of_any_size_are_written_plainly(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("id,x\n1,1e-400\n2,30\n3,-0.0\n4,30\n")
    om.anonymize(tmp_path / "n.csv", om.Plan.from_options(["x:numeric"], k=2, others="keep")).write(
        tmp_path / "r.csv"
    )
    assert [row["x"] for row in read(tmp_path / "r.csv")] == ["0", "30", "0", "30"]


# ---------------------------------------------------------------------- kinds of tables


def as_texts(table: Any) -> dict[str, list[str]]:
    """Quasi-identifiers as texts; a missing value is written as each source writes it, so all are alike."""
    found = {name: ["" if v is None else str(v) for v in table.column(name).to_pylist()] for name in QI}
    return {name: ["" if v in ("NA", "?") else v for v in values] for name, values in found.items()}


@pytest.mark.parametrize(
    "kind",
    [
        "pandas",
        "polars",
        "pyarrow",
        "ibis",
        "parquet",
        "excel",
    ],
)
def test_every_kind_of_table_gives_the_same_release(folder: Path, kind: str) -> None:
    import ibis
    import pandas
    import polars
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = pandas.read_csv(folder / "people.csv", dtype=str, keep_default_na=False)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(arrow, folder / "people.parquet")
    frame.to_excel(folder / "people.xlsx", index=False)
    source, expected_type = {
        "pandas": (frame, pandas.DataFrame),
        "polars": (polars.from_arrow(arrow), polars.DataFrame),
        "pyarrow": (arrow, pa.Table),
        "ibis": (ibis.memtable(arrow), ibis.Table),
        "parquet": (folder / "people.parquet", pa.Table),
        "excel": (folder / "people.xlsx", pa.Table),
    }[kind]
    release = om.anonymize(source, plan_of(folder))
    assert isinstance(release.table, expected_type)
    expected = as_texts(om.anonymize(folder / "people.csv", plan_of(folder)).to_arrow())
    found = as_texts(release.to_arrow())
    if kind == "ibis":  # the rows of an engine have no order
        found, expected = (
            dict(zip(table, zip(*sorted(zip(*table.values(), strict=True)), strict=True), strict=True))
            for table in (found, expected)
        )
    assert found == expected


# ---------------------------------------------------------------------- manifest


def test_the_manifest_says_how_it_was_made_and_the_internal_record_from_what(folder: Path) -> None:
    import hashlib

    plan = plan_of(folder)
    release = om.anonymize(folder / "people.csv", plan)
    beside = release.write(folder / "release.csv")
    assert beside == folder / "release.manifest.json"
    manifest = json.loads(beside.read_text())

    def digest(name: str) -> str:
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    internal = json.loads((folder / "release.internal.json").read_text())
    source = str(folder / "people.csv")
    assert internal["input"] == {
        "path": source,
        "source": source,
        "digest": digest("people.csv"),
        "rows": 60,
    }
    assert internal["files"] == {str(folder / "illness.yaml"): digest("illness.yaml")}
    assert internal["output"] == manifest["output"]
    assert (folder / "release.internal.json").stat().st_mode & 0o777 == 0o600
    assert str(folder) not in beside.read_text() and digest("people.csv") not in beside.read_text()
    assert manifest["output"] == {"file": "release.csv", "sha256": digest("release.csv")}
    assert manifest["plan"]["sha256"] == plan.digest
    assert manifest["plan"]["settings"]["privacy"] == {"k": 3}
    assert manifest["seed"] == 7
    assert manifest["ontologies"].keys() == {"hobby", "illness"}
    assert manifest["ontologies"]["hobby"]["sha256"] == om.load_ontology("wordnet").digest
    assert manifest["ontologies"]["illness"]["sha256"] == om.load_ontology(folder / "illness.yaml").digest
    assert {"python", "ontomask", "numpy", "numba"} <= manifest["versions"].keys()
    assert internal["figures"] == json.loads(json.dumps(release.figures))
    # With all digits, a figure of a small table tells whether a guess at it is right.
    assert manifest["figures"] == {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in internal["figures"].items()
    }
    assert "P001" not in beside.read_text()


# ---------------------------------------------------------------------- fail closed


def test_a_class_below_k_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def every_tuple_alone(self: SaMdav, space: Any, ids: Any, k: int, task: Any) -> Any:
        from ontomask.attributes._kernels import tuple_points
        from ontomask.methods.base import Entries

        return Entries.whole(ids, space.counts), tuple_points(space, ids)

    monkeypatch.setattr(SaMdav, "partition", every_tuple_alone)
    with pytest.raises(InternalError, match=r"not released: k = 3 does not hold for 59 of 59 classes"):
        om.anonymize(folder / "people.csv", plan_of(folder))


@pytest.mark.parametrize(
    ("dropped", "line", "message"),
    [
        (0, b"tennis,burn,99.25,high,9999\n", "the file has 61 rows and 5 columns, the release 60 and 5"),
        (1, b"", "the file has 59 rows and 5 columns, the release 60 and 5"),
        (1, b"tennis,burn,99.25,high,9999\n", "not released: k = 3 does not hold for "),
    ],
)
def test_what_is_written_is_checked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, dropped: int, line: bytes, message: str
) -> None:
    """The file itself is counted: here it is spoilt between masking and writing."""
    from ontomask.tables.delimited import Delimited

    release = om.anonymize(folder / "people.csv", plan_of(folder))
    honest = Delimited.write_like

    def spoilt(self: Any, file: Any, rewriting: Any) -> None:
        whole = BytesIO()
        honest(self, whole, rewriting)
        rows = whole.getvalue().splitlines(keepends=True)
        file.write(b"".join(rows[: len(rows) - dropped]) + line)

    monkeypatch.setattr(Delimited, "write_like", spoilt)
    with pytest.raises(InternalError, match=message):
        release.write(folder / "release.csv")
    assert sorted(path.name for path in folder.iterdir()) == ["illness.yaml", "people.csv"]


def test_a_release_never_replaces_its_table(folder: Path) -> None:
    before = (folder / "people.csv").read_bytes()
    release = om.anonymize(folder / "people.csv", plan_of(folder))
    with pytest.raises(om.OntomaskError, match="the command reads that file"):
        release.write(folder / "people.csv")
    assert (folder / "people.csv").read_bytes() == before


def test_masking_keeps_every_record(folder: Path) -> None:
    masking: Masking = om.anonymize(folder / "people.csv", plan_of(folder)).masking
    assert masking.counts.sum() == 60


# ---------------------------------------------------------------------- published figures


@pytest.mark.parametrize(("weighted", "loss"), [(True, 0.771), (False, 0.666)])
def test_adult_loses_what_the_reference_loses(
    data: Callable[[str], Path], weighted: bool, loss: float
) -> None:
    mapping = str(GOLDEN / "adult_mapping.csv")
    plan = om.Plan.from_options(
        ["occupation:wordnet", "native-country:wordnet"],
        k=5,
        under=["occupation:person", "native-country:location"],
        mapping=[f"occupation:{mapping}", f"native-country:{mapping}"],
        weighted=weighted,
        others="keep",
    ).replace(attributes={name: {"senses": "first"} for name in ("occupation", "native-country")})
    figures = om.anonymize(data("adult/adult.csv"), plan).figures
    assert figures["tuples_before"] == 394
    assert round(figures["sample_uniques_before"] / 100 * figures["n"]) == 84
    assert figures["information_loss"] == pytest.approx(loss, abs=0.001)


def test_values_filled_and_values_emptied_are_both_told() -> None:
    """Two groups by age: in one most hobbies are missing, in the other one is."""
    table = pa.table(
        {
            "hobby": ["chess", None, None, "chess", None, "chess"],
            "age": [20, 20, 20, 60, 60, 60],
        }
    )
    plan = om.Plan.from_options(["hobby:wordnet", "age:numeric"], k=3)
    notes = om.anonymize(table, plan).notes
    assert "column 'hobby': 1 of 3 missing values were given their group's" in notes
    assert "column 'hobby': 1 values became missing, as most of their group's are" in notes


def test_a_group_without_a_value_is_not_called_suppressed() -> None:
    """One column, most of a group missing: the others lose their value, and all rows are there."""
    release = om.anonymize(
        pa.table({"age": ["1", None, None, "7", None, "8"]}), om.Plan.from_options(["age:numeric"], k=3)
    )
    assert release.figures["suppressed"] == 0 and release.data.n_rows == 6
    assert not any("rows were" in note for note in release.notes)


def test_a_number_is_never_written_as_a_mark_for_nothing() -> None:
    """The mean of 1 and 3 is 2, which means missing here."""
    table = pa.table({"age": ["1", "3", "10", "12", "20", "22"]})
    plan = om.Plan.from_options(["age:numeric"], k=2).replace(table={"na_values": ["", "2"]})
    release = om.anonymize(table, plan)
    assert "2" not in release.to_arrow()["age"].to_pylist()
    found = om.evaluate(table, release.to_arrow(), plan)
    assert found["information_loss"] == pytest.approx(release.figures["information_loss"])


def test_requirements_see_where_the_records_of_a_split_tuple_went(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a masking says of its cells is what the released table has, however tuples are split."""

    @dataclass(frozen=True)
    class Counted(Requirement):
        key: ClassVar[str] = "counted"
        column: str
        least: int

        @classmethod
        def parse(cls, value: Any) -> list[Counted]:
            return [cls(*one) for one in value.items()]

        @property
        def needs(self) -> tuple[str, ...]:
            return (self.column,)

        @property
        def asked(self) -> float:
            return self.least

        def measured(self, classes: Classes) -> Any:
            return np.diff(classes.beside[self.column].starts)

        def __str__(self) -> str:
            return f"{self.least} values of {self.column}"

    monkeypatch.setitem(REQUIREMENTS, "counted", Counted)
    ages = [20] * 7 + [30] * 6 + [40] * 7
    pay = [f"{i % 3}" for i in range(20)]
    plan = om.Plan.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "pay": {"role": "confidential"},
            },
            "method": {"name": "mdav"},
            "privacy": {"k": 4, "counted": {"pay": 1}},
        }
    )
    release = om.anonymize(pa.table({"age": ages, "pay": pay}), plan)
    cells, masking = release.tuples.cells, release.masking
    assert cells is not None and len(masking.cells) > len(np.unique(masking.cells))  # some were split
    said: Counter[tuple[str, str]] = Counter()
    texts = texts_of(release.columns, masking)[0]
    for cell, group, count in zip(masking.cells, masking.groups, masking.counts, strict=True):
        said[str(texts[group]), f"{cells.values[cell, 0]}"] += int(count)
    table = release.to_arrow()
    written = Counter(zip(map(str, table["age"].to_pylist()), table["pay"].to_pylist(), strict=True))
    assert said == Counter({(f"{float(a):g}", p): n for (a, p), n in written.items()})
    joined = om.anonymize(
        pa.table({"age": ages, "pay": ["0"] * 7 + pay[7:]}),
        plan.replace(method={"name": "sa-mdav"}, privacy={"counted": {"pay": 3}}),
    ).to_arrow()
    values: dict[Any, set[str]] = {}
    for age, paid in zip(joined["age"].to_pylist(), joined["pay"].to_pylist(), strict=True):
        values.setdefault(age, set()).add(paid)
    assert min(map(len, values.values())) == 3


# ---------------------------------------------------------------------- engines


def test_a_folder_of_parquet_is_released_as_a_folder(folder: Path) -> None:
    import pyarrow.parquet as pq

    from ontomask.tables import open_table
    from ontomask.tables.options import digest_of

    table = open_table(folder / "people.csv").released().to_arrow()
    (folder / "parts").mkdir()
    for at in (0, 20, 40):
        pq.write_table(table.slice(at, 20), folder / "parts" / f"{at}.parquet")
    release = om.anonymize(folder / "parts", plan_of(folder))
    manifest = json.loads(release.write(folder / "release").read_text())
    assert manifest["output"] == {"file": "release", "sha256": digest_of(folder / "release")}
    internal = json.loads((folder / "release.internal.json").read_text())
    assert internal["input"]["digest"] == open_table(folder / "parts").digest
    written = open_table(folder / "release").released().to_arrow().to_pylist()
    plain = om.anonymize(folder / "people.csv", plan_of(folder)).to_arrow().to_pylist()
    assert sorted(map(str, written)) == sorted(map(str, plain))
    with pytest.raises(om.OntomaskError, match="the command reads that folder"):
        release.write(folder / "parts")


def test_a_plan_may_ask_for_an_engine(folder: Path) -> None:
    plan = plan_of(folder)
    found = [
        om.anonymize(folder / "people.csv", plan.replace(table={"engine": engine})).to_arrow().to_pydict()
        for engine in ("memory", "duckdb")
    ]
    assert found[0] == found[1]


# ---------------------------------------------------------------------- numbers that become text


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_typed_column_that_is_written_as_text_is_noted(tmp_path: Path, suffix: str) -> None:
    people = pa.table({"ward": [1, 2, 3, 1, 2, 3], "age": [30, 30, 30, 40, 40, 41], "floor": [1] * 6})
    path = tmp_path / f"people.{suffix}"
    people.to_pandas().to_csv(path, index=False) if suffix == "csv" else pq.write_table(people, path)
    flat = {"role": "quasi-identifier", "ontology": "flat"}
    plan = om.Plan.from_dict(
        {
            "attributes": {
                "ward": flat | {"release": "truthful"},
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "floor": flat,
            },
            "privacy": {"k": 3},
        }
    )
    release = om.anonymize(path, plan)
    assert set(release.to_arrow()["ward"].to_pylist()) == {"*"}
    found = [note for note in release.notes if "text in the release" in note]
    # A text file has no numbers but what its reader takes for such.
    assert [note.rpartition(": ")[2] for note in found] == (["ward"] if suffix == "parquet" else [])
    assert release.manifest["notes"] == list(release.notes)
