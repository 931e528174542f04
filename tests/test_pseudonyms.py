"""Identifiers as keyed pseudonyms: the formula, the key, every engine and format, and what stays secret."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from unicodedata import normalize

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.errors import OntomaskError, PlanError
from ontomask.pseudonyms import key_of, pseudonym, pseudonyms_of

KEY = "the key of this test, 32 bytes.."
IDS = ["P-07", "P-11", "P-07", "NA", "P-23", "P-11", " P-07", "P-42"]
AGES = [31, 33, 35, 52, 55, 58, 61, 64]
SETTINGS = {
    "attributes": {"id": {"role": "pseudonym"}, "age": {"role": "quasi-identifier", "kind": "numeric"}},
    "privacy": {"k": 2},
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTOMASK_KEY", KEY)


def hmac_by_hand(key: bytes, message: bytes) -> bytes:
    """RFC 2104: H((K xor opad) | H((K xor ipad) | message)), K filled with zeros to a block of 64 bytes."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).digest()


def table_of(suffix: str, folder: Path) -> Path:
    path = folder / f"people{suffix}"
    if suffix == ".csv":
        lines = [f"{one};007;{age}" for one, age in zip(IDS, AGES, strict=True)]
        path.write_bytes("\r\n".join(["id;ward;age", *lines]).encode())
        return path
    people = pa.table({"id": IDS, "ward": ["007"] * 8, "age": AGES})
    if suffix == ".parquet":
        pq.write_table(people, path)
    elif suffix == ".duckdb":
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.register("given", people)
            connection.sql("CREATE TABLE people AS SELECT * FROM given")
    else:
        import xlsxwriter

        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet()
            for at, row in enumerate([("id", "ward", "age"), *zip(IDS, ["007"] * 8, AGES, strict=True)]):
                sheet.write_row(at, 0, row)
    return path


def settings(**more: object) -> dict[str, object]:
    plan = json.loads(json.dumps(SETTINGS))
    plan["attributes"]["ward"] = {"role": "other"}
    return plan | more


def test_formula() -> None:
    expected = base64.b32encode(hmac_by_hand(KEY.encode(), b"P-07"))[:20].decode()
    assert pseudonym(KEY.encode(), "P-07") == expected
    assert pseudonym(KEY.encode(), " P-07\t") == expected
    assert pseudonym(KEY.encode(), "Zo\u00eb") == pseudonym(KEY.encode(), "Zoe\u0308")


@given(st.lists(st.text(max_size=8)), st.binary(min_size=16, max_size=40))
def test_one_person_one_pseudonym(texts: list[str], key: bytes) -> None:
    texts = [text for text in texts if text.isprintable()]
    found = pseudonyms_of("id", texts, key)
    assert [*found] == [*dict.fromkeys(texts)]
    people = {normalize("NFC", text.strip()) for text in texts}
    assert len(set(found.values())) == len(people)
    assert all(len(one) == 20 and one.isalnum() for one in found.values())


def test_people_with_one_pseudonym_are_refused() -> None:
    texts = [str(number) for number in range(40)]  # 32 pseudonyms of one character
    with pytest.raises(OntomaskError, match="same pseudonym; use another key"):
        pseudonyms_of("id", texts, KEY.encode(), length=1)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".duckdb"])
def test_every_engine_writes_the_same(tmp_path: Path, suffix: str, engine: str) -> None:
    if (suffix, engine) in ((".xlsx", "duckdb"), (".duckdb", "memory")):
        pytest.skip("no such engine for this format")
    source = table_of(suffix, tmp_path)
    release = om.anonymize(source, settings(table={"engine": engine}))
    own = lambda text: pseudonym(KEY.encode(), text)  # noqa: E731
    expected = [None if one == "NA" else own(one) for one in IDS]
    found = release.to_arrow().to_pydict()
    written = [None if one == "NA" else one for one in found["id"]]
    if suffix == ".duckdb":  # its rows have no order
        assert sorted(map(str, written)) == sorted(map(str, expected))
    else:
        assert written == expected
        assert found["ward"] == ["007"] * 8
    target = tmp_path / f"release{suffix}"
    release.write(target)
    assert b"P-07" not in target.read_bytes()
    for record in tmp_path.glob("release.*.json"):
        assert KEY not in record.read_text() and "P-07" not in record.read_text()


def test_text_is_kept_to_the_byte_elsewhere(tmp_path: Path) -> None:
    source = table_of(".csv", tmp_path)
    om.anonymize(source, settings(privacy={"k": 1})).write(tmp_path / "release.csv")
    expected = source.read_bytes()
    for one in sorted(set(IDS) - {"NA"}):
        expected = expected.replace(f"\n{one};".encode(), f"\n{pseudonym(KEY.encode(), one)};".encode())
    assert (tmp_path / "release.csv").read_bytes() == expected


def test_numbers_and_latin_1(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("id,place,age\n7,M\u00fcnchen,31\n8,M\u00fcnchen,33".encode("latin-1"))
    plan = settings(table={"encoding": "latin-1"})
    plan["attributes"] = SETTINGS["attributes"] | {"place": {"role": "other"}}  # type: ignore[operator]
    om.anonymize(path, plan).write(tmp_path / "release.csv")
    assert "M\u00fcnchen,32\n" in (tmp_path / "release.csv").read_bytes().decode("latin-1")
    in_memory = om.anonymize(pa.table({"id": [7, 8], "age": [31, 33]}), SETTINGS).to_arrow()
    assert in_memory["id"].to_pylist() == [pseudonym(KEY.encode(), one) for one in ("7", "8")]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_k_counts_people_by_their_pseudonym(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "visits.csv"
    rows = [("a", 30), ("a", 31), ("a", 32), ("b", 60), ("b", 61), ("c", 62)]
    path.write_text("id,age\n" + "".join(f"{one},{age}\n" for one, age in rows))
    plan = SETTINGS | {"table": {"engine": engine}}
    by_rows = om.anonymize(path, plan)
    assert len(set(by_rows.to_arrow()["age"].to_pylist())) > 1
    assert any("k counts rows" in one.text for one in om.warnings_of(by_rows))
    by_people = om.anonymize(path, plan | {"privacy": {"k": 2, "unit": "id"}})
    released = by_people.to_arrow().to_pydict()
    for age in set(released["age"]):
        assert len({who for who, own in zip(released["id"], released["age"], strict=True) if own == age}) >= 2
    assert not any("k counts rows" in one.text for one in om.warnings_of(by_people))
    by_people.write(tmp_path / "release.csv")  # people are counted on the written file too


def test_pseudonyms_do_not_count_as_released_as_they_are() -> None:
    people = pa.table({"id": [f"P{at}" for at in range(30)], "age": [at // 3 for at in range(30)]})
    told = [one.text for one in om.warnings_of(om.anonymize(people, SETTINGS))]
    assert not any("released as it is" in text for text in told)
    assert any("'id' has pseudonyms" in text for text in told)


# ---------------------------------------------------------------------- the key


def test_without_a_key_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONTOMASK_KEY")
    with pytest.raises(OntomaskError, match=r"--key-file secret\.key"):
        om.anonymize(pa.table({"id": IDS, "age": AGES}), SETTINGS)


def test_short_keys_are_refused_and_not_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONTOMASK_KEY", "fifteen bytes..  \n")
    with pytest.raises(OntomaskError, match="15 bytes, fewer than 16") as caught:
        key_of(om.Plan.from_dict(SETTINGS))
    assert "fifteen" not in str(caught.value)
    (tmp_path / "secret.key").write_text("tiny!\n")
    plan = om.Plan.from_dict(SETTINGS | {"privacy": {"key_file": "secret.key"}}, folder=tmp_path)
    with pytest.raises(OntomaskError, match=r"secret\.key.*5 bytes") as caught:
        key_of(plan)
    assert "tiny!" not in str(caught.value)


def test_the_file_wins_and_is_recorded_without_a_digest(tmp_path: Path) -> None:
    key = "0123456789abcdef0123456789abcdef"
    (tmp_path / "secret.key").write_text(key + "\n")
    (tmp_path / "plan.yaml").write_text(
        "attributes: {id: {role: pseudonym}, age: {role: quasi-identifier, kind: numeric}}\n"
        "privacy: {k: 2, key_file: secret.key}\n"
    )
    release = om.anonymize(pa.table({"id": IDS, "age": AGES}), tmp_path / "plan.yaml")
    assert release.to_arrow()["id"][0].as_py() == pseudonym(key.encode(), "P-07")
    release.write(tmp_path / "release.csv")
    public = (tmp_path / "release.manifest.json").read_text()
    internal = json.loads((tmp_path / "release.internal.json").read_text())
    assert key not in public and "secret.key" not in public
    assert internal["files"][str(tmp_path / "secret.key")] is None
    digest = hashlib.sha256((key + "\n").encode()).hexdigest()
    assert digest not in json.dumps(internal) and digest not in public
    with pytest.raises(OntomaskError, match="the command reads that file"):
        release.write(tmp_path / "other.csv", {tmp_path / "secret.key": "a report"})


def test_spellings_in_the_plan() -> None:
    plain = om.Plan.from_yaml("attributes: {id: {role: pseudonym}}")
    assert om.Plan.from_yaml("attributes: {id: {role: identifier, as: pseudonym}}") == plain
    assert om.Plan.from_yaml(plain.to_yaml()) == plain
    with pytest.raises(PlanError, match="no column has role: pseudonym"):
        om.Plan.from_yaml("privacy: {k: 2, key_file: secret.key}")
    with pytest.raises(PlanError, match="written as pseudonyms"):
        om.Plan.from_yaml("{attributes: {id: {role: pseudonym}}, privacy: {l: {id: 2}}}")


def test_evaluate_takes_the_key_as_anonymize_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONTOMASK_KEY")
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(
        "id,born\n" + "".join(f"P{i},19{40 + 20 * (i % 2)}-01-0{1 + i}\n" for i in range(6))
    )
    Path("plan.yaml").write_text(
        "attributes:\n  id: {role: pseudonym}\n  born: {role: quasi-identifier, kind: date}\n"
        "privacy: {k: 2}\n"
    )
    Path("secret.key").write_text(KEY)
    asked = ["--plan", "plan.yaml", "--key-file", "secret.key"]
    runner = CliRunner()
    made = runner.invoke(app, ["anonymize", "people.csv", "-o", "release.csv", *asked])
    assert made.exit_code == 0, made.output
    found = runner.invoke(app, ["evaluate", "people.csv", "release.csv", "--key", "id", *asked])
    assert found.exit_code == 0, found.output
    means = {
        line.split()[0]: line.split()[1] for line in found.output.splitlines() if line.startswith("mean")
    }
    assert (
        means["mean.born"] == means["mean_masked.born"] == "1950-01-03"
    )  # between 1940-01-03 and 1960-01-04
