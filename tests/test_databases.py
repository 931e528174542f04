"""Whole runs in every engine, and runs that are disturbed: all of a checked release is there, or nothing.

A run in PostgreSQL is halted at a gate, an event trigger that waits for a lock, so that it is disturbed while
it writes and not by luck.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import ontomask as om
from engines import PASSWORD, PostgresServer
from hostile.running import command_here
from ontomask import datasets
from ontomask.errors import OntomaskError
from ontomask.tables import open_table
from ontomask.tables.address import place_of
from ontomask.tables.arrow import texts_of

# ---------------------------------------------------------------------- whole runs

KINDS = {name: pa.string() for name in ("name", "occupation", "country", "diagnosis", "treatment")}
KINDS |= {"age": pa.int32(), "cost": pa.decimal128(10, 2)}


@pytest.fixture(scope="module")
def patients() -> pa.Table:
    how = pacsv.ConvertOptions(column_types=KINDS, strings_can_be_null=True, null_values=[""])
    return pacsv.read_csv(datasets.path("patients.csv"), convert_options=how)


def rows_of(release: om.Release) -> Counter[tuple[str | None, ...]]:
    columns = [texts_of(column.combine_chunks()) for column in release.to_arrow().columns]
    return Counter(tuple(text or None for text in row) for row in zip(*columns, strict=True))


PLAN = om.Plan.load(datasets.path("patients.yaml"))
PLANS = {name: PLAN.with_method(name) for name in ("s-mdav", "resampling")}


@pytest.fixture(scope="module")
def expected() -> dict[str, om.Release]:
    made = {name: om.anonymize(datasets.path("patients.csv"), plan) for name, plan in PLANS.items()}
    assert all(release.data._dealing.is_split.sum() > 10 for release in made.values())
    return made


@pytest.mark.parametrize("method", PLANS)
@pytest.mark.parametrize("engine", ["arrow", "parquet", "duckdb", "postgres", "spark"])
def test_the_same_plan_releases_the_same_rows_everywhere(
    engine: str,
    method: str,
    patients: pa.Table,
    expected: dict[str, om.Release],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """From text, and from types: `120.50` is a decimal, and no occupation is null."""
    source: Any = patients
    plan = PLANS[method]
    if engine == "parquet":
        pq.write_table(patients, source := tmp_path / "patients.parquet")
    elif engine == "duckdb":
        open_table(patients).released().write(source := tmp_path / "patients.duckdb")
    elif engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.load("patients", patients)
        source = server.url("patients")
    elif engine == "spark":
        source = request.getfixturevalue("spark").createDataFrame(patients)
    release = om.anonymize(source, plan)
    assert rows_of(release) == rows_of(expected[method])
    assert release.figures == expected[method].figures


@pytest.mark.parametrize("kind", ["duckdb relation", "duckdb table", "postgres table", "spark data frame"])
def test_an_object_of_an_engine_becomes_one_of_the_same_kind(
    kind: str, patients: pa.Table, expected: dict[str, om.Release], request: pytest.FixtureRequest
) -> None:
    """And its rows stay there until somebody asks for them."""
    import duckdb
    import ibis

    source: Any
    if kind == "duckdb relation":
        source = duckdb.connect().from_arrow(patients)
    elif kind == "duckdb table":
        source = ibis.duckdb.connect().create_table("patients", patients)
    elif kind == "postgres table":
        server = request.getfixturevalue("postgres")
        server.load("patients", patients)
        connection = request.getfixturevalue("closing")(server)
        source = ibis.postgres.from_connection(connection).table("patients")
    else:
        source = request.getfixturevalue("spark").createDataFrame(patients)
    release = om.anonymize(source, PLANS["s-mdav"])
    assert type(release.table) is type(source)
    assert rows_of(release) == rows_of(expected["s-mdav"])
    given = release.table
    table = (
        given.toArrow() if "spark" in kind else pa.table(given) if "relation" in kind else given.to_pyarrow()
    )
    assert table.num_rows == release.data.n_rows and table.column_names == list(release.names)


@pytest.fixture
def closing() -> Iterator[Callable[[PostgresServer], Any]]:
    """Connections that are closed after the test."""
    import psycopg

    with ExitStack() as stack:
        yield lambda server: stack.enter_context(psycopg.connect(server.server))


# ---------------------------------------------------------------------- a run that can be halted

K = 3
COLUMNS = ["age", "pay"]
ASKED = om.Plan.from_dict(
    {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "quasi-identifier", "kind": "numeric"},
            "note": {"role": "other"},
        },
        "privacy": {"k": K},
    }
)
TYPED = ["--identifier", "name", "--qi", "age:numeric", "--qi", "pay:numeric", "--others", "keep"]
GATE = 42
AT_WRITING = "PERFORM pg_advisory_xact_lock(42);"
AT_COMMIT = "INSERT INTO gated VALUES (1);"


@pytest.fixture(scope="module")
def people(postgres: PostgresServer) -> PostgresServer:
    """A server with a table of people, and gates that are open."""
    rows = [(f"Secret{i:04}", (i * 37) % 90, (i * i) % 1009, f"n{i % 5}") for i in range(300)]
    names = ["name", "age", "pay", "note"]
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    postgres.load("people", table)
    postgres.load("fewer", table.slice(50))
    postgres.do(
        "CREATE TABLE gated (n int)",
        "CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON gated DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION wait_at_gate()",
    )
    return postgres


@contextmanager
def gate(server: PostgresServer, tag: str, does: str) -> Iterator[Callable[[], int]]:
    """Halt whoever makes a table that lasts, until the block ends; gives who waits, as soon as one does."""
    server.do(
        "CREATE OR REPLACE FUNCTION gate() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name <> 'pg_temp') "
        f"THEN {does} END IF; END $$",
        f"CREATE EVENT TRIGGER gate ON ddl_command_end WHEN TAG IN ('{tag}') EXECUTE FUNCTION gate()",
    )
    try:
        with server.connected() as keeper:
            keeper.execute(f"SELECT pg_advisory_lock({GATE})")
            yield lambda: int(server.wait_until(_WAITING)[0][0])
    finally:
        server.wait_until_up()
        server.do("DROP EVENT TRIGGER gate")


_WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'advisory' AND application_name = 'ontomask'"
_GONE = "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {})"


def classes_in(server: PostgresServer, table: str) -> Counter[tuple[str, str]]:
    found = server.asked(f"SELECT age::text, pay::text, count(*) FROM {table} GROUP BY 1, 2")
    return Counter({(age, pay): n for age, pay, n in found})


def check_whole(server: PostgresServer, table: str, folder: Path, rows: int) -> None:
    """A release is there, of k by our own count, and its record speaks of it."""
    found = classes_in(server, table)
    assert found.total() == rows and min(found.values()) >= K
    record = json.loads((folder / f"{table}.manifest.json").read_text())
    assert record["output"]["rows"] == open_table(server.url(table)).digest
    (comment,) = server.asked(f"SELECT obj_description('{table}'::regclass)")
    assert comment[0].startswith("A release of ontomask")
    check_nothing_left(server, folder)


def check_nothing_left(server: PostgresServer, folder: Path) -> None:
    assert server.strays() == []
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def released(server: PostgresServer, source: str, target: str, folder: Path) -> None:
    om.anonymize(server.url(source), ASKED).write(server.url(target), records=folder)


class Run(threading.Thread):
    """A release that is written beside the test; what it raised is kept."""

    def __init__(self, server: PostgresServer, source: str, target: str, folder: Path) -> None:
        super().__init__(daemon=True)
        self.arguments, self.error = (server, source, target, folder), None
        self.start()

    def run(self) -> None:
        try:
            released(*self.arguments)
        except BaseException as error:
            self.error = error

    def ended(self) -> Any:
        self.join(60)
        assert not self.is_alive()
        return self.error


def terminate(server: PostgresServer, backend: int) -> None:
    server.do(f"SELECT pg_terminate_backend({backend})")


def kill(server: PostgresServer, backend: int) -> None:
    """As the kernel does when memory runs out; the server ends all connections and starts anew."""
    import psycopg

    with pytest.raises(psycopg.OperationalError), server.connected() as witness:
        os.kill(backend, signal.SIGKILL)
        for _ in range(6_000):  # until the server has noticed: before that it still lets in
            witness.execute("SELECT pg_sleep(0.01)")


@pytest.mark.parametrize("has_old", [False, True])
@pytest.mark.parametrize(
    ("tag", "does", "disturb"),
    [
        ("CREATE TABLE AS", AT_WRITING, terminate),
        ("CREATE TABLE AS", AT_WRITING, kill),
        ("COMMENT", AT_COMMIT, terminate),
    ],
)
def test_a_server_that_ends_the_connection_leaves_what_was_there(
    people: PostgresServer, tmp_path: Path, has_old: bool, tag: str, does: str, disturb: Callable[..., None]
) -> None:
    """While rows are written, and in the midst of the commit, when the records are in place already."""
    people.do("DROP TABLE IF EXISTS taken")
    if has_old:
        released(people, "fewer", "taken", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with gate(people, tag, does) as halted:
        run = Run(people, "people", "taken", tmp_path)
        disturb(people, halted())
        error = run.ended()
        people.wait_until_up()
    assert isinstance(error, OntomaskError), error
    assert "PostgreSQL ended the connection" in str(error)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    if has_old:
        check_whole(people, "taken", tmp_path, 250)
    else:
        assert people.asked("SELECT to_regclass('taken')") == [(None,)]
        check_nothing_left(people, tmp_path)
    released(people, "people", "taken", tmp_path)  # and the next run finds nothing in its way
    check_whole(people, "taken", tmp_path, 300)


@pytest.mark.parametrize("has_old", [False, True])
def test_a_client_that_is_killed_leaves_what_was_there(
    people: PostgresServer, tmp_path: Path, has_old: bool
) -> None:
    people.do("DROP TABLE IF EXISTS hers")
    if has_old:
        released(people, "fewer", "hers", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with gate(people, "CREATE TABLE AS", AT_WRITING) as halted:
        command = [sys.executable, "-c", "from ontomask.cli import main; main()", "anonymize"]
        client = subprocess.Popen(
            [*command, people.url("people"), *TYPED, "-k", str(K), "-o", people.url("hers")],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        backend = halted()
        client.kill()
        assert client.wait() == -signal.SIGKILL
    people.wait_until(_GONE.format(backend))
    assert people.strays("put") == []
    left = {path.name: path for path in tmp_path.iterdir() if path.name not in before}
    for name, path in left.items():  # what nobody could remove is private
        assert name.startswith(".ontomask-") and not stat.S_IMODE(path.stat().st_mode) & 0o077
        assert not [*path.iterdir()]
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    if has_old:
        assert classes_in(people, "hers").total() == 250
    else:
        assert people.asked("SELECT to_regclass('hers')") == [(None,)]


def test_who_reads_meanwhile_sees_the_old_release_or_the_new_one(
    people: PostgresServer, tmp_path: Path
) -> None:
    people.do("DROP TABLE IF EXISTS shown")
    released(people, "fewer", "shown", tmp_path)
    old = classes_in(people, "shown")
    with gate(people, "CREATE TABLE AS", AT_WRITING) as halted:
        run = Run(people, "people", "shown", tmp_path)
        halted()
        assert classes_in(people, "shown") == old
    seen = []
    with people.connected() as reader, reader.transaction():
        reader.execute("SELECT count(*) FROM shown")  # who reads is waited for
        time.sleep(0.2)
        assert run.is_alive()
        seen.append(reader.execute("SELECT count(*) FROM shown").fetchone()[0])
    while run.is_alive():
        seen.append(classes_in(people, "shown").total())
    assert run.ended() is None
    assert seen[0] == 250 and set(seen) <= {250, 300}
    check_whole(people, "shown", tmp_path, 300)


def test_what_is_no_release_is_not_replaced(people: PostgresServer, tmp_path: Path) -> None:
    before = classes_in(people, "fewer")
    for target, reason in (
        ("fewer", "no comment says that it is a release"),
        ("people", "the command reads that table"),
    ):
        with pytest.raises(OntomaskError, match=reason):
            released(people, "people", target, tmp_path)
    assert classes_in(people, "fewer") == before and [*tmp_path.iterdir()] == []


def test_nobody_reads_whose_server_it_is(
    people: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a table in a database its name is told, as of a file; of a cluster nothing."""
    monkeypatch.chdir(tmp_path)
    people.do("DROP TABLE IF EXISTS told")
    typed = [people.url("people"), *TYPED, "-k", str(K), "-o", people.url("told"), "--report", "r.html"]
    done = command_here(["anonymize", *typed])
    assert done.code == 0, done.err
    for file in ("r.html", "told.manifest.json"):
        text = (tmp_path / file).read_text()
        assert str(people.folder) not in text and str(people.port) not in text and "postgres@" not in text
    plan = om.Plan.load(datasets.path("patients.yaml")).replace(table={"master": "spark://secret:7077"})
    assert "secret" not in json.dumps(plan.as_public_dict())


def test_an_earlier_release_in_a_database_is_told(people: PostgresServer, tmp_path: Path) -> None:
    people.do("DROP TABLE IF EXISTS earlier")
    released(people, "people", "earlier", tmp_path)
    release = om.anonymize(people.url("people"), ASKED)
    told = [one.text for one in om.warnings_of(release, target=people.url("later"), records=tmp_path)]
    assert any("released before, as “earlier”" in text for text in told)
    assert not any("released before" in one.text for one in om.warnings_of(release, target=people.url("x")))


def test_a_connection_that_writes_days_in_another_way_is_refused(people: PostgresServer) -> None:
    import ibis

    with people.connected() as connection:
        connection.execute("SET datestyle = 'SQL, DMY'")
        with pytest.raises(OntomaskError, match="SET datestyle = 'ISO'"):
            open_table(ibis.postgres.from_connection(connection).table("people"))


def test_a_failed_write_leaves_a_release_that_can_be_used(people: PostgresServer, tmp_path: Path) -> None:
    release = om.anonymize(people.url("people"), ASKED)
    before = release.to_arrow().num_rows
    with pytest.raises(OntomaskError, match="no comment says"):
        release.write(people.url("fewer"), records=tmp_path)
    with pytest.raises(OntomaskError, match="there is no such schema"):
        release.write(people.url("nowhere.told"), records=tmp_path)
    assert release.to_arrow().num_rows == before


def test_a_relation_of_duckdb_leaves_nothing_in_its_file(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        connection.sql("CREATE TABLE people AS SELECT i % 9 AS age FROM range(90) AS t(i)")
        plan = om.Plan.from_options(["age:numeric"], k=K)
        assert len(om.anonymize(connection.sql("FROM people"), plan).table.fetchall()) == 90
    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        assert connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == []


@pytest.mark.parametrize("has_old", [False, True])
def test_a_table_that_others_put_there_meanwhile_is_not_replaced(
    people: PostgresServer, tmp_path: Path, has_old: bool
) -> None:
    people.do("DROP TABLE IF EXISTS wanted")
    if has_old:
        released(people, "fewer", "wanted", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    release = om.anonymize(people.url("people"), ASKED)  # what it sees of others is as old as this
    people.do("DROP TABLE IF EXISTS wanted", "CREATE TABLE wanted AS SELECT 7 AS precious")
    with pytest.raises(OntomaskError, match="somebody else wrote it meanwhile"):
        release.write(people.url("wanted"), records=tmp_path)
    assert people.asked("SELECT precious FROM wanted") == [(7,)]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert people.strays("put") == []


def test_a_table_is_opened_as_it_is_now(people: PostgresServer) -> None:
    people.do("DROP TABLE IF EXISTS growing", "CREATE TABLE growing AS SELECT * FROM people")
    first = open_table(people.url("growing"))
    people.do("INSERT INTO growing SELECT * FROM people")
    assert (first.n_rows, open_table(people.url("growing")).n_rows) == (300, 600)


def test_rows_that_others_write_meanwhile_are_not_in_the_release(
    people: PostgresServer, tmp_path: Path
) -> None:
    people.do("DROP TABLE IF EXISTS live, live_out", "CREATE TABLE live AS SELECT * FROM people")
    release = om.anonymize(people.url("live"), ASKED)
    people.do(
        "INSERT INTO live SELECT 'late', 1000, 1000, 'n' FROM generate_series(1, 7)",
        "DELETE FROM live WHERE age < 10",
    )
    release.write(people.url("live_out"), records=tmp_path)
    check_whole(people, "live_out", tmp_path, 300)
    assert people.asked("SELECT max(age) < 1000 FROM live_out") == [(True,)]


# ---------------------------------------------------------------------- passwords


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("PGPASSWORD", "PGPASSFILE", "PGUSER", "PGHOST"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("way", ["PGPASSWORD", "PGPASSFILE"])
def test_a_password_is_used_and_never_told(
    people: PostgresServer, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any, way: str
) -> None:
    people.do("DROP TABLE IF EXISTS told")
    if way == "PGPASSWORD":
        monkeypatch.setenv(way, PASSWORD)
    else:
        (kept := tmp_path_factory.mktemp("home") / "pgpass").write_text(f"127.0.0.1:*:*:ana:{PASSWORD}\n")
        kept.chmod(0o600)
        monkeypatch.setenv(way, str(kept))
    urls = [people.url_with_password(table) for table in ("people", "told")]
    asked = ["anonymize", urls[0], *TYPED, "-k", str(K), "-o", urls[1], "--report", "r.html", "--internal"]
    for form in ((), ("--json",), ("--debug",)):
        done = command_here([*asked, *form])
        assert done.code == 0, done.err
        assert PASSWORD not in done.out + done.err
    assert {path.name for path in folder.iterdir()} == {"r.html", "told.manifest.json", "told.internal.json"}
    for path in folder.iterdir():
        assert PASSWORD not in path.read_text(encoding="utf-8")
    assert urls[1] not in (folder / "told.manifest.json").read_text(encoding="utf-8")
    check_whole(people, "told", folder, 300)


def test_a_password_that_is_wrong_is_not_repeated(
    people: PostgresServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "hunter2-is-wrong"
    monkeypatch.setenv("PGPASSWORD", wrong)
    asked = ["anonymize", people.url_with_password("people"), *TYPED, "-k", "3", "-o", "r.csv"]
    for form in ((), ("--json",), ("--debug", "--show-values")):
        done = command_here([*asked, *form])
        assert done.code == 2 and "PGPASSWORD" in done.err, done.err
        assert wrong not in done.out + done.err
    assert [*folder.iterdir()] == []


SECRET = "s3cr3t-Pa55"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ana:{SECRET}@127.0.0.1/postgres?table=people",
        f"postgres://ana:{SECRET}@127.0.0.1/postgres?table=people",
        f"POSTGRESQL://ana:{SECRET}@127.0.0.1/postgres?table=people",
        f"postgresql://127.0.0.1/postgres?table=people&user=ana&password={SECRET}",
        f"postgresql://127.0.0.1/postgres?table=people&%70assword={SECRET}",
        f"postgresql://127.0.0.1/postgres?table=people&PASSWORD={SECRET}",
        f"postgresql://127.0.0.1/postgres?table=people&sslpassword={SECRET}",
        f"postgresql://ana:{SECRET}@[127.0.0.1/postgres?table=people",
        f"postgresql://ana:{SECRET}@127.0.0.1:port/postgres?table=people",
        f"postgresql://ana:{SECRET}@127.0.0.1/postgres",
        f"postgresql+psycopg://ana:{SECRET}@127.0.0.1/postgres?table=people",
        f"jdbc:postgresql://127.0.0.1/postgres?user=ana&password={SECRET}",
        f"jdbc:postgresql://ana:{SECRET}@127.0.0.1/postgres",
        f"postgresql:/ana:{SECRET}@127.0.0.1/postgres?table=people",
        f"mysql://ana:{SECRET}@127.0.0.1/db",
        f"host=127.0.0.1 user=ana password={SECRET}",
    ],
)
def test_a_password_in_a_url_is_refused_and_not_repeated(folder: Path, url: str) -> None:
    (folder / "people.csv").write_text("name,age,pay\nAnn,1,2\nBob,1,2\n")
    said = [
        command_here(["anonymize", url, *TYPED, "-k", "2", "-o", "r.csv"]),
        command_here(["anonymize", url, *TYPED, "-k", "2", "-o", "r.csv", "--json"]),
        command_here(["anonymize", "people.csv", *TYPED, "-k", "2", "-o", url, "--debug"]),
        command_here(["init", url]),
        command_here(["evaluate", "people.csv", url, "--plan", "none.yaml"]),
    ]
    for done in said:
        assert done.code == 2, done
        assert SECRET not in done.out + done.err
        assert "a fault of the program" not in done.err
    assert [path.name for path in folder.iterdir()] == ["people.csv"]
    with pytest.raises(OntomaskError) as told:
        place_of(url)
    assert SECRET not in str(told.value)


# ---------------------------------------------------------------------- Spark


def test_spark_does_not_take_signals_for_itself(spark: Any) -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_task_of_spark_that_dies_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    """Whoever computes a column is killed while the release is written; later it is written all the same."""
    from pyspark.sql.functions import col, udf

    deadly = tmp_path / "deadly"
    (out := tmp_path / "out").mkdir()
    table = pa.table({"age": [i * 37 % 90 for i in range(60)], "note": [f"n{i % 5}" for i in range(60)]})

    def computed(age: int) -> int:
        if deadly.exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return age

    frame = spark.createDataFrame(table).withColumn("age", udf(computed, "long")(col("age")))
    plan = om.Plan.from_options(["age:numeric"], k=K, others="keep")
    release = om.anonymize(frame, plan)
    deadly.touch()
    with pytest.raises(OntomaskError, match="Spark cannot do this"):
        release.write(out / "r.parquet")
    assert [*out.iterdir()] == []
    deadly.unlink()
    release.write(out / "r.parquet")
    written = pq.read_table(out / "r.parquet")
    assert written.num_rows == 60 and min(Counter(written["age"].to_pylist()).values()) >= K
    record = json.loads((out / "r.manifest.json").read_text())
    assert record["output"]["sha256"] == open_table(out / "r.parquet").digest


def test_a_folder_is_written_by_spark_or_not_at_all(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ontomask.tables import spark as engine

    table = pa.table({"age": [i * 37 % 90 for i in range(60)], "note": [f"n{i % 5}" for i in range(60)]})
    pq.write_table(table, tmp_path / "people.parquet")
    plan = om.Plan.from_options(["age:numeric"], k=K, others="keep").replace(
        table={"engine": "spark", "master": "local[2]"}
    )
    release = om.anonymize(tmp_path / "people.parquet", plan)
    (out := tmp_path / "out").mkdir()

    def half_written(frame: Any, path: Path, compression: str) -> None:
        honest(frame, path, compression)
        next(path.glob("*.parquet")).write_bytes(b"PAR1")

    honest = engine.write_folder
    monkeypatch.setattr(engine, "write_folder", half_written)
    with pytest.raises(OntomaskError):
        release.write(out / "r")
    assert [*out.iterdir()] == []
    monkeypatch.undo()
    release.write(out / "r")
    written = pq.read_table(out / "r")
    assert written.num_rows == 60 and min(Counter(written["age"].to_pylist()).values()) >= K
    record = json.loads((out / "r.manifest.json").read_text())
    assert record["output"]["sha256"] == open_table(out / "r").digest
    monkeypatch.chdir(tmp_path)
    typed = [
        "--qi",
        "age:numeric",
        "--others",
        "keep",
        "-k",
        str(K),
        "--engine",
        "spark",
        "--master",
        "local[2]",
    ]
    done = command_here(["anonymize", "people.parquet", *typed, "-o", "again"])
    assert done.code == 0, done.err
    assert Counter(pq.read_table("again")["age"].to_pylist()) == Counter(written["age"].to_pylist())
