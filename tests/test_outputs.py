"""What a release is written to, and what it never replaces: through the command, as its user would."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from hostile.running import Outcome, command_here

PEOPLE = "job,age\n" + "".join(
    f"{job},{age}\n" for job, age in zip(["nurse", "doctor", "surgeon"] * 4, range(20, 32), strict=True)
)
PLAN = """\
attributes:
  job: {role: quasi-identifier, ontology: jobs.yaml, mapping: m.csv}
  age: {role: quasi-identifier, kind: numeric}
privacy: {k: 3}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "jobs.yaml").write_text("worker: [nurse, {physician: [doctor, surgeon]}]\n")
    (tmp_path / "m.csv").write_text("value,concept\nnurse,nurse\n")
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ontomask(*arguments: str) -> Outcome:
    return command_here(["anonymize", *arguments])


def snapshot(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("people.csv --plan plan.yaml -o people.csv", "the command reads that file"),
        ("people.csv --plan plan.yaml -o link.csv", "the command reads that file"),
        ("people.csv --plan plan.yaml -o m.csv", "the command reads that file"),
        ("people.csv --plan plan.yaml -o out.csv --report jobs.yaml", "the command reads that file"),
        ("people.csv --plan plan.yaml -o out.csv --report plan.yaml", "the command reads that file"),
        ("people.csv --plan plan.yaml -o out.csv --report out.csv", "files of their own"),
        ("people.csv --plan plan.yaml -o out.csv --report out.manifest.json", "files of their own"),
        ("people.csv --plan plan.yaml -o out.csv --report folder", "folder: it is a folder"),
        ("people.csv --plan plan.yaml -o out.csv --report nowhere/r.html", "there is no folder nowhere"),
        ("people.csv --plan named.manifest.json -o named.csv", "the command reads that file"),
        ("people.xlsx --plan plan.yaml -o people.xlsx", "the command reads that file"),
        ("people.csv --plan plan.yaml -o people.xlsx", "may hold other tables"),
        ("people.duckdb --table people --plan plan.yaml -o people.duckdb", "the command reads that file"),
        ("people.csv --plan plan.yaml -o people.duckdb", "may hold other tables"),
        ("parts --plan plan.yaml -o parts/out.parquet", "the command reads the folder parts"),
        ("parts/*.parquet --plan plan.yaml -o parts/out.parquet", "reads all files named parts/*.parquet"),
        ("people.csv --plan plan.yaml -o taken.csv", "taken.manifest.json is not a record of a release"),
        ("people.csv --plan plan.yaml -o o.csv --report one.manifest.json", "it is a release, or the record"),
        ("people.csv --plan plan.yaml -o o.csv --report one.csv", "it is a release, or the record of one"),
    ],
)
def test_nothing_that_is_needed_is_written_over(folder: Path, arguments: str, message: str) -> None:
    import duckdb
    import xlsxwriter

    (folder / "link.csv").symlink_to("people.csv")
    (folder / "folder").mkdir()
    shutil.copy("plan.yaml", "named.manifest.json")
    (folder / "taken.manifest.json").write_text('{"name": "of a web page"}')
    (folder / "one.manifest.json").write_text('{"output": {"file": "one.csv"}}')
    (folder / "one.csv").write_text("a release\n")
    with xlsxwriter.Workbook("people.xlsx") as book:
        sheet = book.add_worksheet("people")
        for row, line in enumerate(PEOPLE.splitlines()):
            sheet.write_row(row, 0, line.split(","))
        book.add_worksheet("another")
    with duckdb.connect("people.duckdb") as database:
        database.sql("CREATE TABLE people AS SELECT * FROM 'people.csv'")
        database.sql("CREATE TABLE other AS SELECT 1 AS one")
    (folder / "parts").mkdir()
    columns = zip(*(line.split(",") for line in PEOPLE.splitlines()[1:]), strict=True)
    pq.write_table(pa.table([list(c) for c in columns], names=["job", "age"]), folder / "parts/1.parquet")
    before = snapshot(folder)
    done = ontomask(*arguments.split())
    assert done.code == 2, done.err
    assert message in done.err and "Traceback" not in done.err
    assert snapshot(folder) == before


def test_the_manifest_of_another_release_is_never_written_over(folder: Path) -> None:
    assert ontomask("people.csv", "--plan", "plan.yaml", "-o", "a.csv").code == 0
    before = snapshot(folder)
    done = ontomask("people.csv", "--plan", "plan.yaml", "-o", "a.parquet")
    assert done.code == 2 and "a.manifest.json is the record of 'a.csv'" in done.err
    assert snapshot(folder) == before
    again = ontomask("people.csv", "--plan", "plan.yaml", "-o", "a.csv", "-k", "4")
    assert again.code == 0, again.err


def test_a_database_that_is_a_release_may_be_released_again(folder: Path) -> None:
    for k in ("3", "4"):
        done = ontomask("people.csv", "--plan", "plan.yaml", "-k", k, "-o", "release.duckdb")
        assert done.code == 0, done.err


def test_an_api_user_is_held_to_the_same(folder: Path) -> None:
    release = om.anonymize("people.csv", "plan.yaml")
    with pytest.raises(om.OntomaskError, match="the command reads that file"):
        release.write("m.csv")
    with pytest.raises(om.OntomaskError, match="files of their own"):
        release.write("out.csv", also={Path("out.internal.json"): "x"})
    assert (folder / "m.csv").read_text().startswith("value")


def test_the_previous_release_stays_if_the_new_one_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    om.anonymize("people.csv", "plan.yaml").write("out.csv")
    before = snapshot(folder)
    honest = os.replace

    def full(source: Path, target: Path) -> None:
        if Path(target).name == "out.manifest.json" and Path(source).parent.name == "new":
            raise OSError(28, "No space left on device")
        honest(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(om.OntomaskError, match="No space left on device"):
        om.anonymize("people.csv", om.Plan.load("plan.yaml").replace(privacy={"k": 4})).write("out.csv")
    monkeypatch.undo()
    assert snapshot(folder) == before


def test_the_manifest_vouches_for_what_was_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is of the file that was read back, whatever another program puts there afterwards."""
    from ontomask.files import Staging

    honest = Staging.move

    def raced(self: Staging, check: object) -> None:
        honest(self, check)  # type: ignore[arg-type]
        Path("out.csv").write_text("of another run\n")

    monkeypatch.setattr(Staging, "move", raced)
    om.anonymize("people.csv", "plan.yaml").write("out.csv")
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["output"]["sha256"] != hashlib.sha256(b"of another run\n").hexdigest()


def test_the_public_record_says_nothing_of_the_input(folder: Path) -> None:
    done = ontomask(
        "people.csv", "--plan", str(folder / "plan.yaml"), "--mapping", "job:m.csv", "-o", "out.csv"
    )
    assert done.code == 0, done.err
    public = Path("out.manifest.json").read_text()
    internal = json.loads(Path("out.internal.json").read_text())
    digests = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("people.csv", "m.csv")]
    for secret in (str(folder), "people.csv", *digests):
        assert secret not in public
    assert internal["input"]["digest"] == digests[0]
    assert internal["files"][str(folder / "m.csv")] == digests[1]
    assert json.loads(public)["plan"]["settings"]["attributes"]["job"]["mapping"] == "m.csv"


def test_words_of_the_table_are_not_in_the_digest_of_an_ontology(folder: Path) -> None:
    plan = om.Plan.from_options(["job:jobs.yaml"], k=3, unmapped="own-leaf")
    digests = set()
    for secret in ("Jane Doe", "Ann Smith"):
        table = pa.table({"job": ["nurse", "doctor", "surgeon", secret] * 3})
        digests.add(om.anonymize(table, plan).manifest["ontologies"]["job"]["sha256"])
    assert digests == {om.load_ontology("jobs.yaml").digest}


def test_a_name_too_long_for_its_records_is_told_before(folder: Path) -> None:
    release = om.anonymize("people.csv", "plan.yaml")
    with pytest.raises(om.OntomaskError, match="File name too long"):
        release.write("x" * 247 + ".csv")
    with pytest.raises(om.OntomaskError, match="cannot write"):
        release.write("a\0b.csv")


def test_a_comparison_and_a_report_replace_nothing_that_was_read(folder: Path) -> None:
    shutil.copy("people.csv", "figures.csv")
    compared = om.compare("figures.csv", "plan.yaml", ["recoding"], [3])
    with pytest.raises(om.OntomaskError, match="the command reads that file"):
        compared.write(".")
    with pytest.raises(om.OntomaskError, match="the command reads that file"):
        om.write_report("plan.yaml", compared.release)
    assert Path("figures.csv").read_text() == PEOPLE and Path("plan.yaml").read_text() == PLAN


def test_a_column_that_is_released_as_it_is_does_not_stop_a_release(folder: Path) -> None:
    table = pa.table({"age": [1, 2, 3, 4], "pay": ["1", "2", "none!", "1e300"]})
    plan = om.Plan.from_options(["age:numeric"], k=2)
    plan = plan.replace(attributes={"pay": {"role": "confidential", "kind": "numeric"}})
    assert om.warnings_of(om.anonymize(table, plan))


def test_the_files_of_a_connection_are_not_written_over(folder: Path) -> None:
    """Where the rows of an Ibis table lie is not known, so only a release is replaced."""
    import ibis

    table = ibis.duckdb.connect().read_csv("people.csv")
    release = om.anonymize(table, "plan.yaml")
    with pytest.raises(om.OntomaskError, match="no manifest says that it is a release"):
        release.write("people.csv")
    release.write("new.csv")
    release.write("new.csv")
    assert Path("people.csv").read_text() == PEOPLE


def test_a_mapping_is_not_written_over_a_release_or_a_workbook(folder: Path) -> None:
    om.anonymize("people.csv", "plan.yaml").write("out.csv")
    before = snapshot(folder)
    for more, message in (
        (["-o", "out.csv"], "it is a release, or the record of one"),
        (["-o", "out.manifest.json"], "a mapping is text"),
        (["-o", "m.csv", "--mapping", "m.csv"], "the command reads that file"),
        (["-o", "m.xlsx"], "a mapping is text; name it NAME.csv"),
    ):
        done = command_here(["link", "people.csv", "--column", "job", "--force", *more])
        assert done.code == 2 and message in done.err, done.err
    assert snapshot(folder) == before


def test_the_report_tells_no_path(folder: Path) -> None:
    asked = ["--qi", f"job:{folder}/jobs.yaml", "--qi", "age:numeric", "-k", "3"]
    done = ontomask("people.csv", *asked, "-o", "o.csv", "--report", "r.html")
    assert done.code == 0, done.err
    page = Path("r.html").read_text()
    assert str(folder) not in page and "meaning in jobs.yaml" in page


def test_a_plan_is_the_same_wherever_its_files_lie() -> None:
    here, there = (om.Plan.from_options([f"job:{place}/jobs.yaml"]) for place in ("/home/ann", "/srv"))
    assert here.digest == there.digest != om.Plan.from_options(["job:/srv/other.yaml"]).digest


def test_no_command_opens_a_connection(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what Python can see; that DuckDB fetches nothing is tested with the engines."""
    import socket

    from ontomask.cli import main

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for line in (
        "init people.csv -o draft.yaml",
        "link people.csv --column job --ontology jobs.yaml -o links.csv",
        "anonymize people.csv --plan plan.yaml -o out.csv --report out.html",
        "evaluate people.csv out.csv --plan plan.yaml",
    ):
        monkeypatch.setattr(sys, "argv", ["ontomask", *line.split(), "--quiet"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0, line
